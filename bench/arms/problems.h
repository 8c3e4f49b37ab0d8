// Poses that an arm can reach, and the starts of solvers.
#ifndef BENCH_ARMS_PROBLEMS_H
#define BENCH_ARMS_PROBLEMS_H

#include "bench/arms/arm.h"

enum class start_kind {
  random,  // anywhere within the limits
  nominal, // the middle of the limits
  near,    // each joint within spread of a solution, uniformly
  swept // the solution plus a normal error of deviation spread in each joint, clamped to the limits
};

struct start {
  start_kind kind;
  double spread; // [rad or m]
  std::string name;
};

// The problems of one arm, in the form of each solver.
struct problems {
  const arm *of;
  int count;
  std::vector<double> answers, starts; // count x joints, row-major
  std::vector<KDL::Frame> goals;
  std::vector<sinew_target> targets; // the same
  std::vector<double> rows;          // the same, 7 values each
};

// Targets are KDL's poses of the tip at random configurations within the limits. The same seed
// gives the same solutions for every kind of start.
problems make_problems(const arm &a, const start &from, int count, uint64_t random_seed);

#endif
