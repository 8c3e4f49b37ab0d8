// Times of several solvers, and whether their results are true.
#ifndef BENCH_ARMS_MEASURE_H
#define BENCH_ARMS_MEASURE_H

#include "bench/arms/solver.h"

struct measure_settings {
  int rounds = 5;
  double tolerance = 1e-5;    // [m] and [rad], each by norm
  double seconds_limit = 2.0; // of one solver on one arm and start, all rounds; 0: none
  double late = 0.0;          // later results count as not solved [s]; 0: no limit
};

// The results of one solver on one arm from one kind of start.
struct result {
  std::string arm, start, solver, note;
  int joints = 0;
  int problems = 0;     // fewer than asked for where the time limit was reached
  int solved = 0;       // claimed, true and within the limits
  int false_claims = 0; // claimed, and KDL's forward kinematics says otherwise
  int outside = 0;      // claimed, true and outside the limits
  double steps = -1.0;  // mean; -1: not reported
  bool together = false;
  // Times of a problem [s], each the median of its rounds; of all problems, failures too. For
  // problems that are solved together there is only the mean.
  double mean = 0.0, median = 0.0, p99 = 0.0, p999 = 0.0, most = 0.0;
  std::vector<double> times; // of those that were solved, ascending
};

// In the order of the solvers.
std::vector<result> measure(const problems &p, const std::string &start, const solver_list &solvers,
                            const measure_settings &settings);

// What reading a solver's clock twice adds to each time [s].
double clock_cost(const solver &of);

#endif
