// One update of many figures of one skeleton: a lane holds a figure.
//
// What solve/update.c and solve/method.c do for one figure by DLS and by the default method,
// done for as many as there are lanes. A figure's lane does not depend on the others: where
// one needs another round, the others' numbers stay.
#ifndef SINEW_KERNEL_CROWD_H
#define SINEW_KERNEL_CROWD_H

#include "kernel/plan.h"
#include "math/rows.h"

// How figures are updated. Lengths in sizes of the model.
typedef struct sinew_crowd_rules {
  bool tracking;                               // the default method; else DLS
  bool bounded;                                // some limit or speed limit holds
  bool clamped;                                // errors of position are clamped to
  double error_clamp;                          // this, and
  bool adaptive;                               // what the last update brought the task closer
  double error_damping, lambda, damping_floor; // DLS: policy/damping.h
  double damping_scale;                        // factor on the default's damping against the error
  double max_turn, max_change, error_gain;
} sinew_crowd_rules;

// Columns of two effectors that are of one slot, from the first that they share.
typedef struct sinew_crowd_common {
  int a, b;
} sinew_crowd_common;

// What a tile of J J^T is the sum of: columns that two effectors share, three rows of each.
typedef struct sinew_crowd_pair {
  int tile;
  int a, b;               // values of the first of them, each effector's
  int stride_a, stride_b; // from a column to the next
  int common_start, common_count;
  bool straight; // the columns that are shared follow each other
} sinew_crowd_pair;

// An entry of a column's sparsity pattern: a tile, three of an effector's rows, in which the column
// of a slot is not 0.
typedef struct sinew_crowd_incidence {
  int tile;
  int value;  // the first of its three values in the Jacobian
  int stride; // and how much further those of the next slot are, within a segment
} sinew_crowd_incidence;

// An unbranched segment: slots that follow each other and have the same incidences, which are those
// of its first slot.
typedef struct sinew_crowd_segment {
  int first, count;
  bool balls; // whole balls are among them
} sinew_crowd_segment;

// The arrays of an update.
typedef enum sinew_crowd_array {
  SINEW_CROWD_POSES = 0, // 12 a node: axes X, Y, Z, and origin
  SINEW_CROWD_TIPS,      // 3 an effector
  SINEW_CROWD_ERRORS,    // 3: from the tip to its target
  SINEW_CROWD_TURNS,     // 3: the rotation vector to it
  SINEW_CROWD_E,         // a row each: the error that the step aims at
  SINEW_CROWD_LEFT,      // a row each: what a step is expected to leave of it
  SINEW_CROWD_J,         // columns, an effector after the other
  SINEW_CROWD_V,         // the same with the curvature
  SINEW_CROWD_SCHUR,     // as J: the Schur update W = U - P V by the slots below
  SINEW_CROWD_FREE,      // as J: 0 where held
  SINEW_CROWD_A,         // 9 a tile of a lower triangle
  SINEW_CROWD_M,         // the same: L D
  SINEW_CROWD_L,         // the same
  SINEW_CROWD_INVERSE,   // a row each: of D
  SINEW_CROWD_RIGHT,     // a row each
  SINEW_CROWD_Z,         // a row each
  SINEW_CROWD_W,         // 2 a row
  SINEW_CROWD_GRADIENT,  // a slot each, as all below
  SINEW_CROWD_LOWER,
  SINEW_CROWD_UPPER,
  SINEW_CROWD_HELD, // -1 at its lower bound, 1 at its upper, 0 free
  SINEW_CROWD_X,
  SINEW_CROWD_FROM, // where x was, in the primal active set method
  SINEW_CROWD_UNCONSTRAINED,
  SINEW_CROWD_PIVOT, // inverse
  SINEW_CROWD_Y,
  SINEW_CROWD_OFF_DIAGONAL, // off-diagonals of L within a spherical joint
  SINEW_CROWD_PRODUCT,      // H x of those held
  SINEW_CROWD_SPACES
} sinew_crowd_array;

// What is the same for all figures, beyond the plan.
typedef struct sinew_crowd_plan {
  sinew_lane_plan lanes;
  sinew_crowd_rules rules;
  int target_size;      // values of one figure's targets
  int *position_start;  // an effector each: where its position begins among them
  int *rotation_start;  // and its quaternion
  unsigned char *keep;  // a node each: its pose is asked for later
  unsigned char *added; // an effector each: columns have several entries
  unsigned char *own;   // a node each: its value moves no other
  unsigned char *free;  // a node each: a ball about the axes of the root link's frame
  unsigned char *plain; // an effector each: a whole point of weight 1, moved by turns alone
  unsigned char *known; // an effector each: Newton's step knows all of its curvature
  int pair_count;
  sinew_crowd_pair *pairs;
  sinew_crowd_common *commons;
  int *incidence_start; // slots + 1
  sinew_crowd_incidence *incidences;
  int segment_count;
  sinew_crowd_segment *segments;
  bool even;                            // every gain is 1
  const unsigned char *balls;           // a slot each: sinew_row_ball
  int *free_node;                       // a slot each: the free ball that begins there, or -1
  double *scale;                        // a node each: its motion for a value as the user has it
  double *lower, *upper;                // a slot each, of its value as the user has it
  const double *unit, *inverse_scale;   // a slot each: as in the problem
  double *reach;                        // most that speed allows in an update; infinite where all
  size_t space[SINEW_CROWD_SPACES + 1]; // where the arrays of an update begin in its scratch
} sinew_crowd_plan;

// Where a figure's history lies: values before the lanes, value i of lane l at [i * lanes + l].
// shown: target_size, the targets of the last update; last: slots, the step of it; before: 4 an
// effector, where its tip should go and how far from it the tip was.
typedef struct sinew_crowd_history {
  int shown, last, before;
  int updates_at_rest; // for how many updates no target has moved; -1 after a reset
  int gradient;        // the default's remembered |g|
  int begun;           // 1 once an update has filled before
  int count;
} sinew_crowd_history;

sinew_crowd_history sinew_crowd_history_of(const sinew_crowd_plan *plan);

// As many figures as there are lanes. All arrays begin where 64 divides the address.
typedef struct sinew_crowd_block {
  double *q;       // nq, as the user has them
  double *targets; // target_size, as the user has them
  double *history;
  double *position_error, *orientation_error; // largest of a task, before the update
  double *scratch;                            // plan->space[SINEW_CROWD_SPACES] vectors
} sinew_crowd_block;

typedef struct sinew_crowd_kernel {
  int lanes;
  void (*update)(const sinew_crowd_plan *plan, const sinew_crowd_block *block);
} sinew_crowd_kernel;

// What each kernel can run, as features of a problem (problem/features.h).
#define SINEW_CROWD_DLS_FEATURES                                                                   \
  (SINEW_FEATURE_PRISMATIC | SINEW_FEATURE_SCREW | SINEW_FEATURE_SPHERICAL |                       \
   SINEW_FEATURE_COUPLED | SINEW_FEATURE_INACTIVE | SINEW_FEATURE_GAINS | SINEW_FEATURE_LIMITS |   \
   SINEW_FEATURE_SPEED_LIMITS | SINEW_FEATURE_SEVERAL_TASKS | SINEW_FEATURE_PART_OF_POSE |         \
   SINEW_FEATURE_WEIGHTS)
#define SINEW_CROWD_DEFAULT_FEATURES SINEW_CROWD_DLS_FEATURES

// Room for the plan of any problem of a model, of so many tasks at most.
void sinew_crowd_plan_layout(sinew_arena *arena, const sinew_model *model, int effectors,
                             sinew_crowd_plan *plan);

// Fills a plan, but for its rules, from a problem whose features the kernel covers. The plan points
// to the problem.
// @param dt time step of speed limits [s]; 0: none
void sinew_crowd_plan_fill(sinew_crowd_plan *plan, const sinew_problem *problem, double dt);

#endif
