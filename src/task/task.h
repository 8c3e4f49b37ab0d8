// Tasks as they are solved for: checked, with their path through the tree, and
// with what the last evaluation found.
//
// Two steps fill the rows of a stack (math/rows.h). The residual needs poses and
// targets; the Jacobian needs the residual's by-products. A solver that tries a
// step evaluates the residual alone, and the Jacobian only if the step is kept.
//
// Rows are dimensionless: position errors and slides are divided by the model's
// size, so that neither the unit of length nor the size of the figure matters.
//
// A ball turns about any three axes that are across each other. Where nothing tells its own apart
// (all are in use, their gains are equal, no speed is limited) it is called free, and its columns
// are about the axes of the root link's frame: e_i x a, a the arm, whose entries are a's own.
#ifndef SINEW_TASK_TASK_H
#define SINEW_TASK_TASK_H

#include "kinematics/state.h"
#include "math/rows.h"
#include "sinew/task.h"

typedef enum sinew_span_kind {
  SINEW_SPAN_TURN = 0, // the column of a turn alone
  SINEW_SPAN_BALL,     // all three columns of a ball, side by side, about its moved axes
  SINEW_SPAN_FREE,     // the same about the axes of the root link's frame
  SINEW_SPAN_OTHER     // column i of any node
} sinew_span_kind;

// Columns of one node in one task: they go to place k of the path, which is of this slot, and
// those after it.
typedef struct sinew_task_span {
  sinew_span_kind kind;
  int node, i, k, slot;
  bool shared; // its value moves other nodes too: coupled joints
} sinew_task_span;

static inline int sinew_span_columns(const sinew_task_span *span) {
  return span->kind == SINEW_SPAN_BALL || span->kind == SINEW_SPAN_FREE ? 3 : 1;
}

// Degrees of freedom that move together: one that is no ball's, or those of a ball.
typedef struct sinew_slot_group {
  int slot, count; // slot .. slot + count - 1
  int q;           // their first value in q
  int node;
  bool ball;
  bool free; // a ball about the axes of the root link's frame
} sinew_slot_group;

typedef struct sinew_task_plan {
  sinew_task task; // axis_l is of unit length
  int node;        // that carries the link, or -1
  sinew_frame tip; // the point and the link's axes in the node's moved frame
  int span_start, span_count;
  unsigned char selected[6]; // which of linear x, y, z, angular x, y, z are rows
  int row_count;
  int linear_rows, angular_rows;
  bool whole;       // all rows of a point or of a pose, in world axes
  bool point;       // whole, of a point on a node
  bool added;       // has spans of other kinds, whose columns are added up
  double scale;     // of position rows: their weight over the model's size
  bool first_order; // some of what Newton's step should know of it is left out

  // of the last evaluation
  double s[3];              // the point
  double error[3];          // from it to its target, world axes
  double target_R[9];       // the target's axes; the identity if it has none
  double turn[3];           // rotation error, world axes
  double basis[6];          // DIRECTION: two unit vectors across the axis
  double position_error;    // [m], as far as the task controls it
  double orientation_error; // [rad]
} sinew_task_plan;

// A set of tasks over the degrees of freedom that may move.
typedef struct sinew_task_set {
  int capacity, count;
  sinew_task_plan *plans;
  sinew_task_span *spans;
  sinew_rows rows;
  int *slot_of_dof;              // nv: place among the degrees of freedom in use, or -1
  int *dof_of_slot;              // and back
  double *gain;                  // of each slot
  double *unit;                  // of each slot: 1 rad, or the model's size where it slides [m]
  double *scale, *inverse_scale; // of each slot: gain times unit, and its inverse
  bool even;                     // every gain is 1
  bool all;                      // slots are all degrees of freedom, in their order
  unsigned char *free;           // nv: 1 where it is of a ball about the root link's axes
  bool has_free;                 // whether there is one
  unsigned char *balls;          // a slot each: what rows.balls is where there are balls
  sinew_slot_group *groups;      // all slots, rising
  int group_count;
  int *nodes; // that must be placed, rising
  int node_count;
  unsigned char *mark; // a node each, scratch
  bool plain;          // all are whole points or poses, over turns and balls alone
  bool points;         // all are points, whole ones, on nodes
  bool own_axes;       // no ball is free: for steps that their axes tell apart
  bool at_target;      // position columns are taken at the target, not at the point
} sinew_task_set;

// @param second whether rows.second is wanted
void sinew_task_set_layout(sinew_arena *arena, const sinew_model *model, int capacity, bool second,
                           sinew_task_set *set);

// Whether a task fits a model; its field is named in error.
sinew_result sinew_task_check(const sinew_task *task, const sinew_model *model, int index,
                              sinew_error *error);

// Whether a target is one, for a task.
bool sinew_target_usable(const sinew_target *target, const sinew_task *task);

// Whether each is, of all tasks; NULL serves where there are none.
bool sinew_targets_usable(const sinew_target *targets, const sinew_task_set *set);

// Replaces the tasks by count checked ones (count -1: keeps them, for a change of
// gains). Degrees of freedom with gain 0 stay out. gains: nv.
void sinew_task_set_plan(sinew_task_set *set, const sinew_model *model, const sinew_task *tasks,
                         int count, const double *gains);

// Fills rows.residual and each plan's errors; returns half the squared residual.
double sinew_task_set_residual(sinew_task_set *set, const sinew_state *state,
                               const sinew_target *targets);

// Fills rows.values and rows.square for the last residual; gradient (n) = J^T residual. curved: as
// sinew_task_set_expect() does for all of the error, as well.
void sinew_task_set_jacobian(sinew_task_set *set, const sinew_state *state, bool curved,
                             double *gradient);

// Fills rows.second, after sinew_task_set_jacobian(), for the curvature at what a
// step will leave of the error: left (a row each; NULL: nothing), and a share of the
// error besides.
void sinew_task_set_expect(sinew_task_set *set, const sinew_state *state, const double *left,
                           double share);

// The length of a vector in world axes as far as the task controls it [m].
double sinew_task_plan_length(const sinew_task_plan *plan, const double v[3]);

// Half the square of what v (a row each) holds of tasks that Newton's step knows to first
// order only.
double sinew_task_set_first_order(const sinew_task_set *set, const double *v);

// rows.residual <- gain * residual + the targets' own motion in dt.
void sinew_task_set_feed_forward(sinew_task_set *set, const sinew_model *model,
                                 const sinew_target *targets, double gain, double dt);

#endif
