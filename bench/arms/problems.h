// Poses that an arm can reach, and where solvers start.
#ifndef BENCH_ARMS_PROBLEMS_H
#define BENCH_ARMS_PROBLEMS_H

#include "bench/arms/arm.h"

enum class start_kind {
  random,  // anywhere within the limits
  nominal, // the middle of the limits
  near,    // each joint within spread of an answer, evenly
  swept    // the answer and a normal error of deviation spread in each joint, into the limits
};

struct start {
  start_kind kind;
  double spread; // [rad or m]
  std::string name;
};

// As many as are wanted of one arm, as each solver needs them.
struct problems {
  const arm *of;
  int count;
  std::vector<double> answers, starts; // count x joints, row-major
  std::vector<KDL::Frame> goals;
  std::vector<sinew_target> targets; // the same
  std::vector<double> rows;          // the same, 7 values each
};

// Goals are where KDL places the tip at random configurations within the limits. The same seed
// makes the same answers for every start.
problems make_problems(const arm &a, const start &from, int count, uint64_t random_seed);

#endif
