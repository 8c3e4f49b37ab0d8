// One way to solve, whoever it is from.
#ifndef BENCH_ARMS_SOLVER_H
#define BENCH_ARMS_SOLVER_H

#include "bench/arms/clock.h"
#include "bench/arms/problems.h"

// What a solver says of one answer; whether it is true is looked at elsewhere.
struct claim {
  bool solved;
  int steps; // -1: it does not tell
};

class solver {
public:
  explicit solver(std::string its_name) : name(std::move(its_name)) {}
  virtual ~solver() = default;
  solver(const solver &) = delete;
  solver &operator=(const solver &) = delete;

  // Problems first to first + count - 1: count rows of q, and count claims.
  virtual void solve(const problems &p, int first, int count, double *q, claim *claims) = 0;

  // Problems that are solved together; of more than one none has a time of its own.
  virtual int stretch() const {
    return 1;
  }

  // What its calls are timed by [s].
  virtual double clock() const {
    return now();
  }

  // How often it is to do the same again, where others do so many rounds.
  virtual int rounds(int wanted) const {
    return wanted;
  }

  // A few words on what was made beforehand, or "".
  virtual std::string note() const {
    return "";
  }

  const std::string name;
};

// What solvers are made from.
struct solver_settings {
  double tolerance = 1e-5; // [m] and [rad], each by norm
  int tries = 100;         // KDL's starts, restarts included
  double patience = 0.0;   // no restart after that much time [s]; 0: any time
  int bank_size = 16384;   // sinew's stored postures; 0: none
  int threads = 2;         // of sinew-threads
};

typedef std::vector<std::unique_ptr<solver>> solver_list;

// Makes those that are named, in their order; ends the program where there is no such.
solver_list make_solvers(const arm &a, const std::vector<std::string> &names,
                         const solver_settings &settings);

// All names, each with a line of explanation.
std::string solver_help();

// The makers of each side; NULL where the name is not theirs.
struct bank_of_arm;
std::unique_ptr<solver> make_sinew_solver(const arm &a, const std::string &name,
                                          const solver_settings &settings,
                                          std::shared_ptr<bank_of_arm> &bank);
std::unique_ptr<solver> make_kdl_solver(const arm &a, const std::string &name,
                                        const solver_settings &settings);

#endif
