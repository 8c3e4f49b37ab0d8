// A compiled problem (problem/problem.h) as the lanes run it: only the nodes that some effector
// hangs on, root first, with placements that cost as little as they can. Which degrees of freedom
// are active, the path of each effector and the gains are the problem's: the plan points to them
// and is good for as long as the problem stays as it is.
//
// The frame of a node may be turned about its own axis and moved along it: motions about and
// along that axis do not change by it. Two nodes are then apart by four numbers, not six
// (Denavit and Hartenberg 1955): a and alpha, along and about the parent's x, and an angle
// and a distance about and along the parent's z, which are added to the parent's motion. With
// alpha 0 or a quarter turn, as most robots have it, a placement turns nothing.
//
// Lengths are divided by the model's size, as in the rows of tasks (task/task.h). The frame
// of poses is that of the first node before its motion, where all effectors hang on one node.
#ifndef SINEW_KERNEL_PLAN_H
#define SINEW_KERNEL_PLAN_H

#include "problem/features.h"
#include "problem/problem.h"

// How a node stands in the moved frame of its parent.
typedef enum sinew_lane_form {
  SINEW_LANE_SAME = 0, // R = I, p = 0
  SINEW_LANE_ALIGNED,  // R = I, p = (a, 0, 0)
  SINEW_LANE_QUARTER,  // a quarter turn about x, p = (a, 0, 0)
  SINEW_LANE_INCLINED, // R = Rx(alpha), p = (a, 0, 0)
  SINEW_LANE_GENERAL   // R, p
} sinew_lane_form;

typedef struct sinew_lane_node {
  sinew_node_kind kind;
  sinew_lane_form form;
  int parent;            // in the plan, or -1
  double a, c, s;        // along x; cosine and sine of alpha
  double R[9], p[3];     // GENERAL
  int q;                 // first value in q
  double ratio, offset;  // the motion is ratio * q + offset
  double pitch;          // SCREW, sizes a radian
  double turn;           // SLIDE: a constant turn about z [rad], its
  double turn_c, turn_s; // cosine and sine
  double d;              // along z, after the motion
  int slot[3];           // of its degrees of freedom among the active ones, or -1; driven nodes
                         // have their driver's
} sinew_lane_node;

// A column of the Jacobian that a node adds to: component i (of the three of a spherical joint;
// else 0), times ratio, which has the gain as a factor, at place k of the effector's path.
typedef struct sinew_lane_entry {
  int node, i, k;
  double ratio;
} sinew_lane_entry;

// In which axes an effector's rows stand.
typedef enum sinew_lane_rows {
  SINEW_LANE_WORLD = 0, // the plan's: whole points, orientations and poses
  SINEW_LANE_TARGET,    // the target's, some of which are free: their rows are 0
  SINEW_LANE_ACROSS     // of a direction: the plan's, what turns about the axis taken out
} sinew_lane_rows;

// One effector: the tip of a node that rows are taken of, a task of the problem. Its rows stand by
// threes: position, then orientation; so it may have more of them than the task.
typedef struct sinew_lane_effector {
  int node;          // in the plan, or -1: fixed
  double R[9], p[3]; // the tip in the node's moved frame
  double aim[16];    // from a target's quaternion to the node's in the plan's frame
  double axis[3];    // ACROSS: the axis in the node's moved frame
  sinew_lane_rows rows;
  bool linear, angular; // whether it has rows of position, of orientation
  bool selected[6];     // TARGET: whether a row is none of those that are 0
  double position_weight, orientation_weight;
  int row, row_count;             // 3 or 6; 0: none
  int entry_start, entry_count;   // in the plan's entries
  int column_start, column_count; // its path, in the plan's columns: slots that move it, rising
  int value_start;                // of its columns among all values of the Jacobian
} sinew_lane_effector;

// Most nodes of a chain, for the kernel that keeps them at hand.
#define SINEW_LANE_CHAIN_MOST 16

// A chain's numbers side by side, a joint each, for the kernel whose vectors lie across the
// figure. Each joint turns by angle + turns q about its z and goes distance + (1 - turns) q along
// it. Beyond its end there is nothing that moves.
typedef struct sinew_lane_row {
  double *turns; // 1, or 0 where the joint slides
  double *angle, *distance;
  double *a, *c, *s; // as of the nodes
  double *lower, *upper;
  int *q;
  unsigned general; // a bit a joint: its form is GENERAL
  bool has_slides;
} sinew_lane_row;

typedef struct sinew_lane_plan {
  int nq, node_count, effector_count, slot_count, row_count, value_count;
  bool chain;            // the kernel for chains runs it: SINEW_LANE_CHAIN_FEATURES
  sinew_lane_row across; // of a chain
  double size;
  double base_R[9], base_p[3]; // the frame that targets are brought into, p in the model's unit
  sinew_lane_node *nodes;
  sinew_lane_effector *effectors;
  sinew_lane_entry *entries;
  const int *columns;     // the slot of each column of each effector: the problem's paths
  int *column_of;         // effector by effector, a slot each: its column there, or -1
  double *lower, *upper;  // a slot each, of its value in the lanes
  const double *gain;     // a slot each: columns are multiplied by it
  double *unit;           // a value of q each: what it is divided by in the lanes
  int *q_of_slot;         // a ball's three: its quaternion
  signed char *ball_axis; // a slot each: 0 to 2 for a ball's three, else -1
  int *node_of;           // scratch of the making: a node of the model each
  double *moved;
  unsigned char *taken;
} sinew_lane_plan;

// What each kernel can run, as features of a problem (problem/features.h). A descent has no time
// step, and so no speed limits.
#define SINEW_LANE_CHAIN_FEATURES                                                                  \
  (SINEW_FEATURE_PRISMATIC | SINEW_FEATURE_LIMITS | SINEW_FEATURE_SPEED_LIMITS)
#define SINEW_LANE_TREE_FEATURES                                                                   \
  (SINEW_LANE_CHAIN_FEATURES | SINEW_FEATURE_SCREW | SINEW_FEATURE_SPHERICAL |                     \
   SINEW_FEATURE_COUPLED | SINEW_FEATURE_INACTIVE | SINEW_FEATURE_GAINS |                          \
   SINEW_FEATURE_SEVERAL_TASKS | SINEW_FEATURE_PART_OF_POSE | SINEW_FEATURE_WEIGHTS |              \
   SINEW_FEATURE_FREE_AXES | SINEW_FEATURE_DIRECTION | SINEW_FEATURE_FIXED_LINK)

// Room for the plan of any problem of a model, of so many tasks at most.
void sinew_lane_plan_layout(sinew_arena *arena, const sinew_model *model, int effectors,
                            sinew_lane_plan *plan);

// Fills a plan from a problem whose features SINEW_LANE_TREE_FEATURES covers.
void sinew_lane_plan_fill(sinew_lane_plan *plan, const sinew_problem *problem);

#endif
