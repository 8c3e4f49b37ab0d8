// The interface of all solvers that are compared.
#ifndef BENCH_ARMS_SOLVER_H
#define BENCH_ARMS_SOLVER_H

#include "bench/arms/clock.h"
#include "bench/arms/problems.h"

// A solver's own claim for one problem; whether it is true is checked elsewhere.
struct claim {
  bool solved;
  int steps; // -1: not reported
};

class solver {
public:
  explicit solver(std::string its_name) : name(std::move(its_name)) {}
  virtual ~solver() = default;
  solver(const solver &) = delete;
  solver &operator=(const solver &) = delete;

  // Solves problems first to first + count - 1: count rows of q, and count claims.
  virtual void solve(const problems &p, int first, int count, double *q, claim *claims) = 0;

  // The number of problems solved together; with more than one, none has its own time.
  virtual int stretch() const {
    return 1;
  }

  // The clock of its calls [s].
  virtual double clock() const {
    return now();
  }

  // The number of its rounds, where others do the given number.
  virtual int rounds(int wanted) const {
    return wanted;
  }

  // A description of data computed in advance, or "".
  virtual std::string note() const {
    return "";
  }

  const std::string name;
};

// The settings of solvers.
struct solver_settings {
  double tolerance = 1e-5; // [m] and [rad], each by norm
  int tries = 100;         // KDL's starts, restarts included
  double patience = 0.0;   // no restart after that much time [s]; 0: no limit
  int bank_size = 16384;   // sinew's stored postures; 0: none
  int threads = 2;         // of sinew-threads
};

typedef std::vector<std::unique_ptr<solver>> solver_list;

// Creates the solvers named, in order; ends the program for an unknown name.
solver_list make_solvers(const arm &a, const std::vector<std::string> &names,
                         const solver_settings &settings);

// All names, each with a line of explanation.
std::string solver_help();

// The functions that create each library's solvers; NULL for an unknown name.
struct bank_of_arm;
std::unique_ptr<solver> make_sinew_solver(const arm &a, const std::string &name,
                                          const solver_settings &settings,
                                          std::shared_ptr<bank_of_arm> &bank);
std::unique_ptr<solver> make_kdl_solver(const arm &a, const std::string &name,
                                        const solver_settings &settings);

#endif
