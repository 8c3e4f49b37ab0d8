// One update of many figures of one skeleton: a lane holds a figure.
//
// The update of solve/update.c by DLS and of solve/track.c by the default method, for as many
// figures as there are lanes. The result of a lane does not depend on the other lanes: if one needs
// another round, the numbers of the others do not change.
#ifndef SINEW_KERNEL_CROWD_H
#define SINEW_KERNEL_CROWD_H

#include "kernel/plan.h"
#include "math/rows.h"

// The largest number of parts of an update: policy/tracking.h.
#define SINEW_CROWD_MOST_PARTS 24

// Whether there is code for speed alone: the trunk by twists, the first columns of a limb.
#ifdef SINEW_SMALL
#define SINEW_CROWD_IS_FAST false
#else
#define SINEW_CROWD_IS_FAST true
#endif

// How figures are updated. Lengths in sizes of the model.
typedef struct sinew_crowd_rules {
  bool tracking;                               // the default method; else DLS
  bool bounded;                                // there are limits or speed limits
  bool clamped;                                // errors of position are clamped to
  double error_clamp;                          // this, and with
  bool adaptive;                               // plus the gain of the last update
  double error_damping, lambda, damping_floor; // DLS: policy/damping.h
  double damping_scale;                        // factor on the default's damping by the error
  double max_turn, max_change, error_gain;
} sinew_crowd_rules;

// The columns of two effectors for one degree of freedom, counted from the first that they share.
typedef struct sinew_crowd_common {
  int a, b;
} sinew_crowd_common;

// A tile of J J^T: the sum over the columns that two effectors share, for three rows of each.
typedef struct sinew_crowd_pair {
  int tile;
  int a, b;               // values of the first shared column of each effector
  int stride_a, stride_b; // from a column to the next
  int common_start, common_count;
  bool straight; // the shared columns are consecutive
} sinew_crowd_pair;

// An entry of a column's sparsity pattern: a tile, three of an effector's rows, in which the column
// is not 0.
typedef struct sinew_crowd_incidence {
  int tile;
  int value;  // the first of its three values in the Jacobian
  int stride; // from a column to the next, within a segment
} sinew_crowd_incidence;

// An unbranched segment: consecutive columns that have the same incidences as its first column.
typedef struct sinew_crowd_segment {
  int first, count;
  bool spherical; // whether spherical joints with all axes active are among them
  bool grows;     // whether P and z grow: step/segment.h
  int limb;       // the effector whose limb it is, or -1: crowd_trunk.h
} sinew_crowd_segment;

// An effector's rows, where the columns of several effectors are solved for together.
typedef struct sinew_crowd_limb {
  int tile, tiles;
  int value;       // of its first column
  int trunk_count; // its columns that other effectors have too, which are its first ones,
  int trunk[SINEW_ROWS_TRUNK]; // and their places in the trunk
  bool twists;                 // whether these are taken by twists: crowd_composite.h
  bool repeats;                // whether they are those of the effector before it, by twists too
} sinew_crowd_limb;

// A column of the trunk by twists, and the effectors by twists that it moves.
typedef struct sinew_crowd_composite {
  int entry; // its entry in the plan; -1: it moves none
  int limb;  // one of them,
  int above; // and how many of that one's columns are before it
  // Those to be added to the sum of the column after it, among the plan's added_effectors; whether
  // they are the whole sum.
  int add_start, add_count;
  bool restarts;
} sinew_crowd_composite;

// A spherical joint with limits of swing and twist.
typedef struct sinew_crowd_cone {
  const sinew_cone *limits;
  int node, column, q; // in the plan; the first of its three columns; of its first value
} sinew_crowd_cone;

// A joint that no task moves, on its way to the posture.
typedef struct sinew_crowd_loose {
  int q;                  // of its first value
  bool spherical;         // then of its quaternion
  double share[3];        // of the way that it goes in an update
  double unit;            // q changes by this much for a motion of 1
  double lower, upper;    // of the value in q
  const sinew_cone *cone; // NULL: a spherical joint without limits
} sinew_crowd_loose;

// A posture of level 1: crowd_posture.h.
typedef struct sinew_crowd_posture {
  bool used;
  double *value;   // nq
  double *inverse; // active columns: 1 / D, of x before gains
  double *share;   // active columns: of the way that p is
  double *met;     // rows / 3: how much of the residual is nothing
  int loose_count;
  sinew_crowd_loose *loose;
} sinew_crowd_posture;

// The arrays of an update.
typedef enum sinew_crowd_array {
  SINEW_CROWD_POSES = 0,  // 12 for each node, and after them the plan's frame itself, where it is
                          // needed: axes X, Y, Z, and origin
  SINEW_CROWD_FRAMES,     // 12 for each effector: the frame of its targets, where that is a link's
  SINEW_CROWD_UNIT,       // nq: of q, quaternions of length 1 of the spherical joints in the plan
  SINEW_CROWD_CENTRES,    // 3 for each node, and for the whole figure: centres of mass
  SINEW_CROWD_TIPS,       // 3 for each effector
  SINEW_CROWD_ERRORS,     // 3 for each effector: from the tip to its target
  SINEW_CROWD_ROTATIONS,  // 3 for each effector: the rotation vector to its target
  SINEW_CROWD_E,          // rows: the error that the step is to remove
  SINEW_CROWD_PREDICTED,  // rows: the predicted residual
  SINEW_CROWD_J,          // columns, effector by effector
  SINEW_CROWD_V,          // as J, with the curvature
  SINEW_CROWD_SCHUR,      // as J: the Schur update W = U - P V by the columns eliminated before
  SINEW_CROWD_J_INACTIVE, // as J: 0 at active bounds
  SINEW_CROWD_TRUNK,      // of t columns t (t + 1) + t: two lower triangles and a right-hand side
  SINEW_CROWD_TWISTS,     // 6 for each column of the trunk, and their point: crowd_composite.h
  SINEW_CROWD_SECOND,     // SINEW_CROWD_SECOND_VALUES for each effector: e', r' and K
  SINEW_CROWD_COMPOSITES, // SINEW_CROWD_COMPOSITE_VALUES for each effector: lane_composite
  SINEW_CROWD_A,          // 9 for each tile of a lower triangle
  SINEW_CROWD_M,          // as A: L D
  SINEW_CROWD_L,          // as A
  SINEW_CROWD_INVERSE,    // rows: of D
  SINEW_CROWD_RIGHT,      // rows
  SINEW_CROWD_Z,          // rows
  SINEW_CROWD_W,          // 2 for each row
  SINEW_CROWD_TARGETS,    // target_size: those of a part
  SINEW_CROWD_TURNS,      // 3 for each effector: its target's rotation since the last update
  SINEW_CROWD_BEFORE,     // 4 for each column: quaternions before the update
  SINEW_CROWD_CONE_STEPS, // SINEW_CROWD_CONE_VALUES for each cone: lane_cone_step
  SINEW_CROWD_CONE_AXES,  // 9 for each cone: the axes of its columns
  SINEW_CROWD_LEFT,       // rows: the residual that a posture is to leave as it is
  SINEW_CROWD_Q,          // nq: the values before a posture
  SINEW_CROWD_GRADIENT,   // columns, as all below
  SINEW_CROWD_LOWER,
  SINEW_CROWD_UPPER,
  SINEW_CROWD_ACTIVE, // -1: lower bound active, 1: upper bound active, 0: neither
  SINEW_CROWD_X,
  SINEW_CROWD_FROM, // the last feasible x of the primal active set method
  SINEW_CROWD_UNCONSTRAINED,
  SINEW_CROWD_PIVOT, // 1 / d; d at active bounds
  SINEW_CROWD_Y,
  SINEW_CROWD_OFF_DIAGONAL, // within a spherical joint: of L; of D at active bounds
  SINEW_CROWD_PRODUCT,      // the way to a posture
  SINEW_CROWD_MOVED,        // the sum of the part's steps
  SINEW_CROWD_LIMB_ACTIVE,  // as ACTIVE, of the limbs that have been eliminated
  SINEW_CROWD_KEPT,         // x of the figures whose step is found
  SINEW_CROWD_SPACES
} sinew_crowd_array;

#define SINEW_CROWD_CONE_VALUES 32
#define SINEW_CROWD_SECOND_VALUES 15
#define SINEW_CROWD_COMPOSITE_VALUES 33

// The layout of a figure's history: value i of lane l is at [i * lanes + l]. The values of the
// default method are those of sinew_history.
// shown: target_size, the targets of the last update; last: columns, the steps of its last part;
// before, of DLS: 4 for each effector, the target's position and the tip's distance from it.
typedef struct sinew_crowd_history {
  int shown, last, before;
  int updates_at_rest;       // for how many updates no target has moved; -1: targets not known
  int recent, motion;        // of the targets, -1: not known
  int predicted;             // r of the last step
  int keeps;                 // in how many more steps the last predictor's d may be kept
  int kept_error, removed;   // rows: e of the last step with a predictor, and its d
  int gradient;              // the decaying maximum of |g|
  int spread;                // over how many more parts a jump of the targets may be spread
  int cut;                   // 1: no update has followed a reset; 2: and its base is registered
  int begun;                 // 1 once an update has filled before
  int error, caution, place; // with cones: sinew_history
  int parts;                 // the same, of the last update
  // With bounds: 2 for each column, the active ones of the last first step of a part, and of the
  // last further one.
  int active;
  int count;
} sinew_crowd_history;

// The plan of an update, the same for all figures.
typedef struct sinew_crowd_plan {
  sinew_lane_plan lanes;
  sinew_crowd_rules rules;
  sinew_crowd_history history;
  int target_size;     // values of one figure's targets
  int *position_start; // effectors: index of the position among the targets' values
  int *rotation_start; // effectors: index of the quaternion
  double *position_weight, *rotation_weight; // effectors: of the motion of its target, in sizes of
                                             // the model and in rad; 0: not read
  bool relative;        // whether some effector's targets are given in the frame of a link
  bool rooted;          // whether some effector or frame of targets is fixed to the root link
  unsigned char *keep;  // nodes: the whole pose is stored, since it is used later
  unsigned char *added; // effectors: some column has several entries, or none
  unsigned char *own;   // nodes: not coupled
  unsigned char *free;  // nodes: spherical, in root-frame angular coordinates
  int cone_count;
  sinew_crowd_cone *cones;            // of the spherical joints that have limits,
  int *cone_of_node, *cone_of_column; // and the number of a node's or a column's, or -1
  unsigned char *plain; // effectors: a whole point of weight 1, moved by revolute joints only
  unsigned char *known; // effectors: all of the curvature is part of H
  int pair_count;
  sinew_crowd_pair *pairs;
  sinew_crowd_common *commons;
  int *incidence_start; // columns + 1
  sinew_crowd_incidence *incidences;
  int segment_count;
  sinew_crowd_segment *segments;
  int trunk_count;                              // 0: columns are eliminated one after the other
  int trunk[SINEW_ROWS_TRUNK];                  // the columns of the trunk; how many columns of its
  unsigned char trunk_within[SINEW_ROWS_TRUNK]; // spherical joint are before each
  sinew_crowd_limb *limbs;                      // of each effector
  bool twists;                                  // whether some columns of the trunk are by twists
  int twist_node;                               // whose origin is the point of these twists
  sinew_crowd_composite composites[SINEW_ROWS_TRUNK]; // of the trunk's columns
  int *added_effectors;
  unsigned char *touched; // tiles of a lower triangle: of P, to which segments that grow add
  bool even;              // every gain is 1
  const unsigned char *spherical; // columns: sinew_row_spherical
  bool root_frames;               // whether there are root-frame joints
  int *free_node;                 // columns: node of a root-frame joint that starts there, or -1
  double *scale;                  // nodes: motion per unit of the value in q
  double *lower, *upper;          // columns: limits of the value in q
  const double *unit, *inverse_scale; // columns: as in the problem
  double *reach;                      // columns: the bound by the speed limit, or infinity
  bool speeds;                        // whether a spherical joint has one
  bool has_slides;                    // whether some column is a long prismatic joint
  unsigned char *slides;              // columns: 1 if it is one without a speed limit
  sinew_crowd_posture posture;
  double time_step;                             // [s], 0: not known
  double least_parts;                           // of an update
  double part_gain[SINEW_CROWD_MOST_PARTS + 1]; // the error gain of a part, by their number
  size_t space[SINEW_CROWD_SPACES + 1];         // offsets of arrays in the scratch
} sinew_crowd_plan;

// As many figures as there are lanes. All arrays are aligned to 64 bytes.
typedef struct sinew_crowd_block {
  double *q;       // nq, in the caller's units
  double *targets; // target_size, in the caller's units
  double *history;
  double *position_error, *orientation_error; // largest of a task, before the update
  double *stationary; // 1: the update begins at a stationary point, else 0; NULL: not needed
  double *scratch;    // plan->space[SINEW_CROWD_SPACES] vectors
} sinew_crowd_block;

// The numbers of a figure, one row of them a figure: quaternions are the indices of those among
// them.
typedef struct sinew_crowd_row_layout {
  int count;
  const int *quaternions;
  int quaternion_count;
} sinew_crowd_row_layout;

typedef struct sinew_crowd_kernel {
  int lanes;
  void (*update)(const sinew_crowd_plan *plan, const sinew_crowd_block *block);
  // Copies a row of numbers into each lane. Returns the bits of the lanes whose rows can be used:
  // no number is NaN or beyond SINEW_HUGE, and no quaternion is 0.
  unsigned (*read)(const sinew_crowd_row_layout *layout, const double *const *rows,
                   double *vectors);
  // Copies the numbers of each lane into its row.
  void (*write)(int count, const double *vectors, double *const *rows);
} sinew_crowd_kernel;

// What each kernel can run, as features of a problem (problem/features.h).
#define SINEW_CROWD_DLS_FEATURES                                                                   \
  (SINEW_FEATURE_PRISMATIC | SINEW_FEATURE_SCREW | SINEW_FEATURE_SPHERICAL |                       \
   SINEW_FEATURE_COUPLED | SINEW_FEATURE_INACTIVE | SINEW_FEATURE_GAINS | SINEW_FEATURE_LIMITS |   \
   SINEW_FEATURE_SPEED_LIMITS | SINEW_FEATURE_SEVERAL_TASKS | SINEW_FEATURE_PART_OF_POSE |         \
   SINEW_FEATURE_WEIGHTS | SINEW_FEATURE_FIXED_LINK | SINEW_FEATURE_RELATIVE |                     \
   SINEW_FEATURE_CENTER_OF_MASS | SINEW_FEATURE_CONES)
#define SINEW_CROWD_DEFAULT_FEATURES SINEW_CROWD_DLS_FEATURES

// Memory for the plan of any problem of a model with at most so many effectors.
void sinew_crowd_plan_layout(sinew_arena *arena, const sinew_model *model, int effectors,
                             sinew_crowd_plan *plan);

// A posture that has been checked, whose values are in plan->posture.value: weights nv factors on
// weight, NULL: 1; gain the share of the way in an update. Tolerances [m, rad] are those of the
// outcome.
typedef struct sinew_crowd_posture_def {
  const double *weights;
  double weight, gain;
  double position_tolerance, orientation_tolerance;
} sinew_crowd_posture_def;

// Fills a plan, except its rules, from a problem whose features the kernel can run. The plan points
// to the problem.
// @param posture NULL: none
// @param dt time step of speed limits [s]; 0: none
void sinew_crowd_plan_fill(sinew_crowd_plan *plan, const sinew_problem *problem,
                           const sinew_crowd_posture_def *posture, double dt);

// The part of sinew_crowd_plan_fill() for limbs and trunk, after all that it reads: effectors,
// spherical joints and segments.
void sinew_crowd_trunk_fill(sinew_crowd_plan *plan, const sinew_problem *problem);

#endif
