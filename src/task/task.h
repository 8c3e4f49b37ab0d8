// Tasks as they are solved for: checked and compiled, what an evaluation leaves of one, and its
// residual and columns.
//
// Rows are dimensionless: position errors and slides are divided by the model's size, so that
// neither the unit of length nor the size of the figure matters.
//
// Functions here take one task and arrays. What a set of tasks has in common, their active degrees
// of freedom and the pattern of their rows, is problem/problem.h. What tells one kind from another
// stands in a file a kind (kinds.h), and what selects it in task.c.
#ifndef SINEW_TASK_TASK_H
#define SINEW_TASK_TASK_H

#include "base/definition.h"
#include "kinematics/state.h"
#include "sinew/task.h"

// Which rows a task comes to: what inner loops, lanes and crowds branch on.
typedef enum sinew_task_rows {
  SINEW_ROWS_POINT = 0, // all three of a point, in world axes
  SINEW_ROWS_FRAME,     // others of a point's three and an orientation's three; frame_rows.c
  SINEW_ROWS_DIRECTION, // two across an axis of the link
  SINEW_ROWS_GENERAL    // others: evaluated by the scalar path alone
} sinew_task_rows;

// A task compiled for a model: constant while it is solved for.
typedef struct sinew_compiled_task {
  sinew_task task; // axis_l is of unit length
  int node;        // that carries the link, or -1
  sinew_frame tip; // the point and the link's axes in the node's moved frame
  int span_start, span_count;
  unsigned fields; // of its target that it reads: sinew_target_fields
  sinew_task_rows rows;
  unsigned char selected[6]; // POINT, FRAME: which of linear x, y, z, angular x, y, z are rows
  int row_count;
  int linear_rows, angular_rows;
  bool target_axes; // rows are in the target's axes, some of which are free
  bool whole;       // all rows of a point or of a pose, in world axes
  bool point;       // whole, of a point on a node
  bool added;       // has spans of other kinds, whose columns are added up
  double scale;     // of position rows: their weight over the model's size
  bool first_order; // its rows' curvature is left out of Newton's step, wholly or in part
} sinew_compiled_task;

// What the last evaluation left of a task.
typedef struct sinew_task_evaluation {
  double s[3];              // the point
  double error[3];          // from it to its target, world axes
  double target_R[9];       // the target's axes; the identity if it has none
  double turn[3];           // rotation error: the rotation vector to the target, world axes
  double basis[6];          // DIRECTION: two unit vectors across the axis
  double position_error;    // [m], as far as the task controls it
  double orientation_error; // [rad]
} sinew_task_evaluation;

// Whether a task fits a model; its field is named in error.
sinew_result sinew_task_check(const sinew_task *task, const sinew_model *model, int index,
                              sinew_error *error);

// Whether a checked task reads axis_l.
bool sinew_task_reads_axis(const sinew_task *task);

// Compiles a checked task, but for its spans.
void sinew_task_compile(const sinew_task *task, const sinew_model *model, sinew_compiled_task *out);

// The node at which the walk from a task's link to the root stops: -1, or that of chain_root.
int sinew_task_last_node(const sinew_compiled_task *task, const sinew_model *model);

// ------------------------------------------------------------------ targets

// The cookie of a target: TRGT, then its size. Read as a double it is finite, so that targets can
// be checked as plain arrays of doubles.
#define SINEW_TARGET_COOKIE ((uint64_t)SINEW_COOKIE_TARGET << 32 | sizeof(sinew_target))

// Whether a target can be used by a task that reads some of its fields (sinew_target_fields):
// finite, no quaternion or direction of length 0.
bool sinew_target_usable(const sinew_target *target, unsigned read);

// Why a target cannot be used, where sinew_target_usable() or its cookie says so: the field and its
// value. index: the target's number.
sinew_result sinew_target_explain(const sinew_target *target, unsigned read, int index,
                                  sinew_error *error);

// Whether the row of numbers of a target has a quaternion or a direction of length 0.
bool sinew_target_row_has_zero(const sinew_task *task, const double *values);

// Copies the fields of a target that a task reads. Returns whether they are what they were.
bool sinew_target_record(const sinew_target *target, unsigned read, sinew_target *recorded);

// ------------------------------------------------------------- evaluation

// Evaluates one task: fills out, and its rows of the residual.
void sinew_task_residual(const sinew_compiled_task *task, const sinew_state *state,
                         const sinew_target *target, sinew_task_evaluation *out, double *row);

// The 3 x 3 factors that bring linear and angular columns in world axes to the rows' axes:
// frame_rows.c.
typedef struct sinew_row_axes {
  bool turned; // else they are the identity, and not filled
  double linear[9], angular[9];
} sinew_row_axes;

sinew_row_axes sinew_task_row_axes(const sinew_compiled_task *task,
                                   const sinew_task_evaluation *at);

// Adds a column (linear, angular, in world axes) to the rows that a task has, its linear rows times
// position, its angular rows times orientation.
void sinew_task_add_column(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                           const sinew_row_axes *axes, const double linear[3],
                           const double angular[3], double position, double orientation,
                           double *out);

// The length of a vector in world axes as far as the task's linear rows control it [m].
double sinew_task_length(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                         const double v[3]);

// ---------------------------------------------------------------- features

// By what a bank of postures tells where an effector is and where it should be.
enum {
  SINEW_POSTURE_POINT = 1, // its point
  SINEW_POSTURE_AXIS = 2,  // one axis of the link
  SINEW_POSTURE_TURN = 4   // all axes of the link
};

unsigned sinew_task_posture_features(const sinew_task *task);

// The axis of a task that has SINEW_POSTURE_AXIS, of unit length: in the link, and where its target
// wants it.
void sinew_task_axis_of_link(const sinew_task *task, double axis_l[3]);
void sinew_task_axis_of_target(const sinew_task *task, const sinew_target *target, double axis[3]);

#endif
