// All solutions of an arm's closed form side by side: the ways of the joints besides the group in a
// vector of four, and the group's two solutions in two of them. The same solutions as those of
// sinew_arm_solve(), up to rounding.
//
// Only regular poses are solved: sinew_arm_solve() has representatives of singular ones, and what
// comes nearest to poses out of reach.
//
// Scalar code (cmake/scalar.cmake): the same bits on every processor.
#ifndef SINEW_ANALYTIC_BRANCHES_H
#define SINEW_ANALYTIC_BRANCHES_H

#include "analytic/arm.h"

#define SINEW_ARM_BRANCHES 8
#define SINEW_ARM_EXACT 1e-13 // an error that is only rounding [rad], and as a share of the size

// Row k is a branch. Rows that do not exist hold finite numbers.
typedef struct sinew_arm_set {
  unsigned exists; // bit k: row k does
  unsigned exact;  // bit k: the errors of row k are at most SINEW_ARM_EXACT
  double c[SINEW_ARM_MOST][SINEW_ARM_BRANCHES], s[SINEW_ARM_MOST][SINEW_ARM_BRANCHES];
  double value[SINEW_ARM_MOST][SINEW_ARM_BRANCHES]; // [rad] in [-pi, pi], of own's axes
  // By forward kinematics: squares of the angle between the tip and its target, and of the distance
  double turn[SINEW_ARM_BRANCHES], gap[SINEW_ARM_BRANCHES];
} sinew_arm_set;

// The branch of a row, as in sinew_arm_solution.
static inline unsigned sinew_arm_row_branch(int row) {
  return (unsigned)(row % 4) << 1 | (unsigned)row / 4;
}

typedef enum sinew_arm_result {
  SINEW_ARM_SOLVED,      // set holds all solutions
  SINEW_ARM_UNREACHABLE, // there is none; set is undefined
  SINEW_ARM_SINGULAR     // set is undefined
} sinew_arm_result;

// @param swivel of SRS, else unused
sinew_arm_result sinew_arm_solve_branches(const sinew_arm_plan *plan, const double R[9],
                                          const double p[3], double swivel, sinew_arm_set *set);

// PAIR: the solutions that a search over one angle finds, of a grid of 128 values: at most
// SINEW_ARM_SOLUTIONS, refined. Returns how many; 0 also for a continuum.
int sinew_arm_solve_pair(const sinew_arm_plan *plan, const double R[9], const double p[3],
                         sinew_arm_solution *out);

// Where an angle may be.
typedef struct sinew_arm_range {
  double lower, upper; // may be infinite
  double near;         // whole turns bring it nearest to this
  double from, weight; // the distance adds weight (value - from)^2
} sinew_arm_range;

// Where the rows of a set are.
typedef struct sinew_arm_placed {
  unsigned within;                     // bit k: row k exists, and its angles are in their ranges
  bool alike;                          // two of these rows may be the same
  double distance[SINEW_ARM_BRANCHES]; // the sum of the squares; INFINITY of rows not within
  int order[SINEW_ARM_BRANCHES];       // the rows from the least distance on
} sinew_arm_placed;

// Brings the angles of count axes of a set into their ranges by whole turns.
// @param distinct rows whose angles differ by less, up to a whole turn, may be the same [rad]
void sinew_arm_set_place(sinew_arm_set *set, int count, const sinew_arm_range *ranges,
                         double distinct, sinew_arm_placed *out);

#endif
