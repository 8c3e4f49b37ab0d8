// A compiled problem (problem/problem.h) in the form that lanes run: only the nodes on the path of
// some effector, parents first, with placements in the form that costs the fewest operations. The
// plan points to the problem's active degrees of freedom, paths and gains, and is valid until the
// problem changes.
//
// The frame of a node may be rotated about its own axis and moved along it, which does not change
// motions about and along that axis. So four parameters instead of six describe a placement
// (Denavit and Hartenberg 1955): a and alpha, along and about the parent's x, and an angle and a
// distance about and along the parent's z, which are added to the parent's motion. With alpha = 0
// or pi/2, as in most robots, a placement needs no products for its rotation.
//
// Lengths are divided by the figure's size, as in the rows of tasks (task/task.h). If all effectors
// are moved by one root node, poses are relative to that node's frame before its motion.
#ifndef SINEW_KERNEL_PLAN_H
#define SINEW_KERNEL_PLAN_H

#include "problem/features.h"
#include "problem/problem.h"

// The form of a node's placement in the moved frame of its parent.
typedef enum sinew_lane_form {
  SINEW_LANE_SAME = 0, // R = I, p = 0
  SINEW_LANE_ALIGNED,  // R = I, p = (a, 0, 0)
  SINEW_LANE_QUARTER,  // R = Rx(pi/2), p = (a, 0, 0)
  SINEW_LANE_INCLINED, // R = Rx(alpha), p = (a, 0, 0)
  SINEW_LANE_GENERAL   // R, p
} sinew_lane_form;

typedef struct sinew_lane_node {
  sinew_node_kind kind;
  sinew_lane_form form;
  int parent;            // in the plan, or -1
  double a, c, s;        // along x; cosine and sine of alpha
  double R[9], p[3];     // GENERAL
  int q;                 // index of its first value in q
  double ratio, offset;  // the motion is ratio * q + offset
  double pitch;          // screw: sizes of the figure per radian
  double turn;           // prismatic: a constant rotation about z [rad], its
  double turn_c, turn_s; // cosine and sine
  double d;              // along z, after the motion
  int column[3];         // its active degrees of freedom, or -1; coupled nodes have their driver's
} sinew_lane_node;

// An entry: component i of a node (of the three of a spherical joint; else 0), times ratio, which
// includes the gain, is added to column k of the effector's path. It is taken at the effector's
// point or, with centre, at the centre of mass of all that the node moves. What moves the frame in
// which targets are given has a negative ratio.
typedef struct sinew_lane_entry {
  int node, i, k;
  bool centre;
  double ratio;
} sinew_lane_entry;

// The mass of a node, by which centres of mass add up from the tips to the root
// (kinematics/mass.h).
typedef struct sinew_lane_mass {
  double centre[3]; // of the links that are fixed to it, in its moved frame
  double own;       // their mass, as a share of all that the node moves
  double share;     // all of that, as a share of what its parent moves, or the whole figure; or 0
} sinew_lane_mass;

// The axes of an effector's rows.
typedef enum sinew_lane_rows {
  SINEW_LANE_WORLD = 0, // the plan's: whole points, orientations and poses
  SINEW_LANE_TARGET,    // the target's, some of which are free: their rows are 0
  SINEW_LANE_DIRECTION  // the plan's, for a direction: without the part along its axis
} sinew_lane_rows;

// Effector description: one task of the problem. Its rows come in threes, position, then
// orientation, so that it may have more of them than the task.
typedef struct sinew_lane_effector {
  int node;          // in the plan, or -1: fixed
  double R[9], p[3]; // the tip in the node's moved frame
  double aim[16];    // from a target's quaternion to the node's, in the plan's frame
  double axis[3];    // ACROSS: the axis in the node's moved frame
  sinew_lane_rows rows;
  bool linear, angular; // whether it has rows of position, of orientation
  bool selected[6];     // TARGET: false for rows that are 0
  double farthest;      // of its targets from the root [m]: task/extent.c
  double position_weight, orientation_weight;
  bool mass;                      // its point is the whole figure's centre of mass; node is -1
  bool general;                   // relative or mass: its rows have no curvature, those of an
                                  // orientation the inverse right Jacobian (task/weighted.c)
  bool relative;                  // targets are in the frame of a link, which is fixed to
  int frame_node;                 // this node of the plan, or -1,
  double frame_R[9], frame_p[3];  // and has this frame in its moved frame
  int row, row_count;             // 3 or 6; 0: none
  int entry_start, entry_count;   // in the plan's entries
  int column_start, column_count; // its path, in the plan's columns, rising
  int value_start;                // of its columns among all values of the Jacobian
} sinew_lane_effector;

// The limit on nodes of a chain, for the kernel that keeps them in registers.
#define SINEW_LANE_CHAIN_MOST 16

// A chain's parameters as vectors over its joints, for chain_one.h. Each joint rotates by
// angle + turns q about its z and moves by distance + (1 - turns) q along it. Values past the last
// joint describe joints that do not move.
typedef struct sinew_lane_row {
  double *turns; // 1 for a revolute joint, 0 for a prismatic one
  double *angle, *distance;
  double *a, *c, *s; // as of the nodes
  double *lower, *upper;
  int *q;
  unsigned general; // a bit for each joint: its form is GENERAL
  bool has_prismatic;
} sinew_lane_row;

typedef struct sinew_lane_plan {
  int nq, node_count, effector_count, active_count, row_count, value_count;
  bool chain;            // the kernel for chains runs it: SINEW_LANE_CHAIN_FEATURES
  sinew_lane_row across; // of a chain
  double size;
  double base_R[9], base_p[3]; // the plan's frame in the root link's, p in the model's unit
  double root_p[3];            // the root link's origin in the plan's frame and unit
  bool mass;                   // some effector's point is the centre of mass
  sinew_lane_mass *masses;     // of the nodes, then
  double root_mass[3];         // the centre of mass of the links that no node moves, times their
                               // share of the figure's
  sinew_lane_node *nodes;
  sinew_lane_effector *effectors;
  sinew_lane_entry *entries;
  const int *columns;    // the active column of each column of each effector: the problem's paths
  int *column_of;        // for each effector and active column: its column there, or -1
  double *lower, *upper; // active columns: limits of the value in lanes
  const double *gain;    // active columns: factors on the columns
  double *unit;          // nq: values in lanes are values of q divided by this
  int *q_of_column;      // active columns: index in q; of a spherical joint its quaternion
  signed char
      *quaternion_axis; // active columns: 0 to 2 for the three of a spherical joint, else -1
  int *node_of;         // scratch: the plan's node of each node of the model
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

// Memory for the plan of any problem of a model with at most so many effectors, without moved:
// 12 values for each node, which the owner provides and which are read only while it is filled.
void sinew_lane_plan_layout(sinew_arena *arena, const sinew_model *model, int effectors,
                            sinew_lane_plan *plan);

// Takes over a problem's limits, where nothing else has changed since the plan was filled.
void sinew_lane_plan_set_limits(sinew_lane_plan *plan, const sinew_problem *problem);

// Fills a plan from a problem whose features SINEW_LANE_TREE_FEATURES covers.
void sinew_lane_plan_fill(sinew_lane_plan *plan, const sinew_problem *problem);

#endif
