// A model and its tasks as the lanes want them: only the nodes that some effector hangs on,
// root first, with placements that cost as little as they can.
//
// The frame of a node may be turned about its own axis and moved along it: motions about and
// along that axis do not change by it. Two nodes are then apart by four numbers, not six
// (Denavit and Hartenberg 1955): a and alpha, along and about the parent's x, and an angle
// and a distance about and along the parent's z, which the parent's own motion takes up. With
// alpha 0 or a quarter turn, as most robots have it, a placement turns nothing.
//
// Lengths are divided by the model's size, as in the rows of tasks (task/task.h). The frame
// of poses is that of the first node before its motion, where all effectors hang on one node.
#ifndef SINEW_KERNEL_PLAN_H
#define SINEW_KERNEL_PLAN_H

#include "base/memory.h"
#include "model/model.h"

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
  int slot[3];           // of its degrees of freedom among those in use, or -1; driven nodes
                         // have their driver's
} sinew_lane_node;

// A column of the Jacobian that a node adds to: component i (of a ball's three; else 0), times
// ratio, at place k among the effector's columns.
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

// One effector: the tip of a node that rows are taken of. Its rows stand by threes: position,
// then orientation.
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
  int column_start, column_count; // in the plan's columns: one a slot that moves it, rising
  int value_start;                // of its columns among all values of the Jacobian
} sinew_lane_effector;

// What the plan is made from, an effector each: a node of the model, its tip there, and the
// nodes that may move for it. Filled by the floor above, which knows tasks.
typedef struct sinew_lane_wish {
  int node;
  sinew_frame tip;
  sinew_lane_rows rows;
  double axis_l[3]; // ACROSS: the axis in the tip's frame
  bool selected[6]; // rows of position, of orientation
  double position_weight, orientation_weight;
  int stop; // node at which the way to the root ends, or -1
} sinew_lane_wish;

// The degrees of freedom in use, and their limits in force.
typedef struct sinew_lane_slots {
  int count;
  const int *slot_of_dof;      // nv: the place among those in use, or -1
  const double *gain;          // a slot each
  const double *lower, *upper; // nv
} sinew_lane_slots;

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
  bool chain; // one effector with all six rows of weight 1 on a row of turns and slides, each
              // of a value of its own: what the quickest kernel takes
  sinew_lane_row across; // of a chain
  double size;
  double base_R[9], base_p[3]; // the frame that targets are brought into, p in the model's unit
  sinew_lane_node *nodes;
  sinew_lane_effector *effectors;
  sinew_lane_entry *entries;
  int *columns;           // the slot of each column of each effector
  int *column_of;         // effector by effector, a slot each: its column there, or -1
  double *lower, *upper;  // a slot each, of its value in the lanes
  double *gain;           // a slot each: columns are multiplied by it
  double *unit;           // a value of q each: what it is divided by in the lanes
  int *q_of_slot;         // a ball's three: its quaternion
  signed char *ball_axis; // a slot each: 0 to 2 for a ball's three, else -1
  int *node_of;           // scratch of the making: a node of the model each
  double *moved;
  unsigned char *taken;
} sinew_lane_plan;

void sinew_lane_plan_layout(sinew_arena *arena, const sinew_model *model, int effectors,
                            sinew_lane_plan *plan);

// Fills a plan for count effectors.
void sinew_lane_plan_fill(sinew_lane_plan *plan, const sinew_model *model,
                          const sinew_lane_wish *wishes, int count, const sinew_lane_slots *slots);

#endif
