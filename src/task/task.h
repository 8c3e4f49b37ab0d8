// Tasks compiled for a model, the results of their evaluation, their residual and their columns.
//
// Rows are dimensionless: position errors and prismatic steps are divided by the figure's size, so
// that neither the unit of length nor the size of the figure matters: sinew_tasks_size().
//
// Functions here take one task and arrays. The active degrees of freedom of a set of tasks and the
// sparsity pattern of their rows are in problem/problem.h. Each kind has its own file (kinds.h);
// task.c selects by kind.
#ifndef SINEW_TASK_TASK_H
#define SINEW_TASK_TASK_H

#include "base/definition.h"
#include "kinematics/state.h"
#include "sinew/task.h"

// The type of a task's rows, on which inner loops, lanes and crowds branch.
typedef enum sinew_task_rows {
  SINEW_ROWS_POINT = 0, // all three of a point, in world axes
  SINEW_ROWS_FRAME,     // any other selection of a point's and an orientation's: frame_rows.c
  SINEW_ROWS_DIRECTION, // two perpendicular to an axis of the link
  SINEW_ROWS_GENERAL // others, by a map from the tool's twist: evaluated by the scalar path alone
} sinew_task_rows;

// A task compiled for a model: constant while it is solved for.
typedef struct sinew_compiled_task {
  sinew_task task;   // axis_l is of unit length, up_axis too or 0
  int node;          // the one to which the link is fixed, or -1
  sinew_frame tip;   // the point and the tool's axes in the node's moved frame
  bool relative;     // targets are not in the root link's frame, but in that of
  int frame_node;    // a link that is fixed to this node, or -1,
  sinew_frame frame; // and has this frame in the node's
  int common;        // the deepest node that moves both links, or -1
  int span_start, span_count;
  unsigned fields; // of its target that it reads: sinew_target_fields
  sinew_task_rows rows;
  unsigned char selected[6]; // POINT, FRAME: which of linear x, y, z, angular x, y, z are rows
  int row_count;
  int linear_rows, angular_rows;
  bool target_axes; // rows of FRAME are in the target's axes, some of which are free
  bool whole;       // all rows of a point or of a pose, in world axes
  bool point;       // whole, of a point on a node
  bool complete;    // GENERAL: all rows of a point, an orientation or a pose, of the same weight;
                    // targets are relative, or the point is the centre of mass
  bool added;       // has spans of other kinds, whose columns are summed
  double size;      // of the figure: sinew_tasks_size()
  double scale;     // of position rows: their weight over the figure's size
  double farthest;  // targets further from the root are drawn inward to this distance [m]
  double resolved;  // and beyond this one they are refused: extent.c
  bool function;    // a joint with a function is on its paths: no geometry is known of it
  bool first_order; // some or all of its rows' curvature is left out of Newton's step
} sinew_compiled_task;

// Results of a task's last evaluation.
typedef struct sinew_task_evaluation {
  double s[3];              // the point
  double error[3];          // from it to its target, world axes
  double target_R[9];       // the target's axes, in the root link's; the identity if it has none
  double target_q[4];       // the rotation that these are of; 0: none is known
  double turn[3];           // rotation error: the rotation vector to the target, world axes
  double basis[6];          // DIRECTION: two unit vectors perpendicular to the axis
  double frame_R[9];        // the axes of the task's frame link, where it is relative
  double map[36];           // GENERAL: M, row by row, without weights: de/dt = -M (v; w), v the
                            // velocity of s and w the tool's angular velocity, world axes
  double position_error;    // [m], along the axes that the task controls
  double orientation_error; // [rad]
} sinew_task_evaluation;

// A quantity y of a task that has a range, at a configuration: a height, a distance, an angle.
typedef struct sinew_task_side {
  int axis;                     // of a position or an orientation: as in range_lower; else 0
  bool angle;                   // y is an angle
  double lower, upper;          // the ends of the range less y [m, rad]
  double linear[3], angular[3]; // dy/dt = linear . v + angular . w, v and w as for map
} sinew_task_side;

// The number of these that a checked task has, at most SINEW_MOST_SIDES.
#define SINEW_MOST_SIDES 6
int sinew_task_side_count(const sinew_task *task);

// Checks a task for a model; error names the field at fault.
sinew_result sinew_task_check(const sinew_task *task, const sinew_model *model, int index,
                              sinew_error *error);

// The most tasks that a solver takes.
#define SINEW_MOST_TASKS 5000

// Checks that no frames of tasks, each of them valid, are relative to each other in a cycle; error
// names one of the tasks.
sinew_result sinew_task_check_frames(const sinew_task *tasks, int count, const sinew_model *model,
                                     sinew_error *error);

// The lowest level's number is at most this.
#define SINEW_MOST_LEVELS 100

// The limit on different influences between 0 and 1.
#define SINEW_MOST_INFLUENCES 16

// Whether the outcome counts a checked task, and whether searches are for it: it is at level 0 as
// well.
bool sinew_task_is_required(const sinew_task *task);
bool sinew_task_is_searched(const sinew_task *task);

// Whether a checked task reads axis_l.
bool sinew_task_reads_axis(const sinew_task *task);

// tool <- the tool of a task whose link has this frame: its axes, its point as the origin.
void sinew_task_tool(const sinew_task *task, const sinew_frame *link, sinew_frame *tool);

// Compiles a checked task, without its spans.
// @param size sinew_tasks_size()
void sinew_task_compile(const sinew_task *task, const sinew_model *model, double size,
                        sinew_compiled_task *out);

// The size of a figure with its tasks [m]: the model's, or the distance of a task's point from its
// link's origin where that is longer.
double sinew_tasks_size(const sinew_model *model, const sinew_task *tasks, int count);

// How far a figure goes, and how exactly.
typedef struct sinew_extent {
  const sinew_model *model;
  const double *lower, *upper; // nv: limits in force
  double size;                 // sinew_tasks_size()
  double tolerance;            // of positions [m]
} sinew_extent;

// Fills farthest and resolved of a compiled task.
void sinew_task_measure(const sinew_extent *extent, sinew_compiled_task *task);

// The nodes whose motion changes a task's residual: from its link towards the root, then from its
// frame link, reversed; those that move both alike are left out.
//
// With the centre of mass, all nodes that move mass, from the last one on, are in it once; reversed
// are then those that move the frame link, which may move mass as well.
typedef struct sinew_task_path {
  const sinew_model *model;
  int node, common, frame_node;
  bool reversed, mass;
} sinew_task_path;

static inline void sinew_task_path_settle(sinew_task_path *path) {
  if (path->mass) {
    while (path->node >= 0 && path->node != path->frame_node &&
           !(path->model->carried[path->node] > 0.0)) {
      --path->node;
    }
    path->reversed = path->node >= 0 && path->node == path->frame_node;
    path->frame_node = path->reversed ? path->model->nodes[path->node].parent : path->frame_node;
  } else if (!path->reversed && path->node == path->common) {
    path->reversed = true;
    path->node = path->frame_node;
  }
}

static inline sinew_task_path sinew_task_path_of(const sinew_compiled_task *task,
                                                 const sinew_model *model) {
  const bool mass = task->task.center_of_mass;
  sinew_task_path path = {model,        mass ? model->node_count - 1 : task->node,
                          task->common, task->frame_node,
                          false,        mass};
  sinew_task_path_settle(&path);
  return path;
}

static inline bool sinew_task_path_ends(const sinew_task_path *path) {
  return path->mass ? path->node < 0 : path->reversed && path->node == path->common;
}

static inline void sinew_task_path_next(sinew_task_path *path) {
  path->node = path->mass ? path->node - 1 : path->model->nodes[path->node].parent;
  sinew_task_path_settle(path);
}

// Whether a task may move the joints of a node of its path: those below its chain's root.
bool sinew_task_may_move(const sinew_compiled_task *task, const sinew_model *model, int node);

// The node at which the path from a task's link towards the root ends: -1, or that of chain_root.
int sinew_task_last_node(const sinew_compiled_task *task, const sinew_model *model);

// ------------------------------------------------------------------ targets

// The cookie of a target: TRGT, then its size. Its bits are those of a finite double, so that
// targets can be checked as plain arrays of doubles.
#define SINEW_TARGET_COOKIE ((uint64_t)SINEW_COOKIE_TARGET << 32 | sizeof(sinew_target))

// That of a goal, which sinew_task_move_target() makes. A LOOK_AT reads two more fields of a goal:
// rotation, from the direction to the point to that in which axis_l should point (aim.c), and
// distance, the angle about axis_l that is left from up_axis to the up direction [rad].
#define SINEW_GOAL_COOKIE ((uint64_t)SINEW_COOKIE_GOAL << 32 | sizeof(sinew_target))

static inline bool sinew_target_is_goal(const sinew_target *target) {
  return target->cookie == SINEW_GOAL_COOKIE;
}

static inline unsigned sinew_target_goal_fields(const sinew_target *target) {
  return sinew_target_is_goal(target) ? SINEW_TARGET_ROTATION | SINEW_TARGET_DISTANCE : 0u;
}

// Whether the fields that a task reads (sinew_target_fields) can be used: all finite, and no
// quaternion or direction of length 0.
bool sinew_target_is_finite(const sinew_target *target, unsigned read);

static inline bool sinew_target_has_lengths(const sinew_target *target, unsigned read) {
  const double *r = target->rotation, *d = target->direction;
  return ((read & SINEW_TARGET_ROTATION) == 0 || r[0] != 0.0 || r[1] != 0.0 || r[2] != 0.0 ||
          r[3] != 0.0) &&
         ((read & SINEW_TARGET_DIRECTION) == 0 || d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0);
}

// Why a target cannot be used: its cookie, or the field and its value. index: the target's number.
sinew_result sinew_target_explain(const sinew_target *target, unsigned read, int index,
                                  sinew_error *error);

// The number of values of the fields that are read.
static inline int sinew_target_fields_size(unsigned read) {
  return ((read & SINEW_TARGET_POSITION) != 0 ? 3 : 0) +
         ((read & SINEW_TARGET_ROTATION) != 0 ? 4 : 0) +
         ((read & SINEW_TARGET_DIRECTION) != 0 ? 3 : 0) +
         ((read & SINEW_TARGET_DISTANCE) != 0 ? 1 : 0);
}

// Whether doubles resolve the position of a row of numbers of a target, if it has one; resolved: of
// the compiled task.
bool sinew_target_row_is_resolved(unsigned read, double resolved, const double *values);

// Why a position beyond a task's resolved is refused.
sinew_result sinew_target_explain_distance(const double position[3], double resolved, int index,
                                           sinew_error *error);

// Whether the row of numbers of a target has a quaternion or a direction of length 0.
bool sinew_target_row_has_zero(const sinew_task *task, const double *values);

// How far a target moved, in the unit of the residual: its weighted distance in sizes of the model,
// and angle. 0 where the task does not read its position, or an orientation.
void sinew_target_motion(const sinew_compiled_task *task, const sinew_target *from,
                         const sinew_target *to, double *linear, double *angular);

// out <- the target at a share of the way; other fields are those of to.
void sinew_target_between(const sinew_target *from, const sinew_target *to, double share,
                          unsigned read, sinew_target *out);

// Copies the fields of a target that a task reads.
void sinew_target_record(const sinew_target *target, unsigned read, sinew_target *recorded);

// Whether these have the recorded values.
bool sinew_target_is_recorded(const sinew_target *target, unsigned read,
                              const sinew_target *recorded);

// ------------------------------------------------------------- evaluation

// Evaluates one task: fills out, and its rows of the residual. With the centre of mass out->s is
// already set.
void sinew_task_residual(const sinew_compiled_task *task, const sinew_state *state,
                         const sinew_target *target, sinew_task_evaluation *out, double *row);

// target_R <- the axes of a target that has a rotation. An update evaluates a task for the same
// target several times: they are read again only if it is another one.
void sinew_task_read_axes(const sinew_compiled_task *task, const sinew_target *target,
                          sinew_task_evaluation *out);

static inline void sinew_task_take_axes(const sinew_compiled_task *task, const sinew_target *target,
                                        sinew_task_evaluation *out) {
  if (task->relative || memcmp(target->rotation, out->target_q, sizeof out->target_q) != 0) {
    sinew_task_read_axes(task, target, out);
  }
}

// Fills the sides of a task after its residual.
void sinew_task_find_sides(const sinew_compiled_task *task, const sinew_state *state,
                           const sinew_target *target, const sinew_task_evaluation *at,
                           sinew_task_side sides[SINEW_MOST_SIDES]);

// D (6 x 6, symmetric): the second derivative of side k, u . D u, along a twist u = (v; w) of the
// tool that moves its point by v and rotates its axes by the rotation vector w.
void sinew_task_find_side_curvature(const sinew_compiled_task *task, const sinew_state *state,
                                    const sinew_target *target, const sinew_task_evaluation *at,
                                    int k, double D[36]);

// The 3 x 3 factors that transform linear and angular columns from world axes to the rows' axes:
// frame_rows.c.
typedef struct sinew_row_axes {
  bool turned; // false: both are the identity, and not filled
  double linear[9], angular[9];
} sinew_row_axes;

sinew_row_axes sinew_task_row_axes(const sinew_compiled_task *task,
                                   const sinew_task_evaluation *at);

// Adds a column (linear, angular, in world axes) to the task's rows, scaled by position for linear
// rows and by orientation for angular rows.
void sinew_task_add_column(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                           const sinew_row_axes *axes, const double linear[3],
                           const double angular[3], double position, double orientation,
                           double *out);

// Adds the change of the rows while the target moves by a twist (linear, angular, in the axes in
// which targets are given).
void sinew_task_add_motion(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                           const double linear[3], const double angular[3], double *row);

// The length [m] of the part of a vector (world axes) that the task's linear rows control.
double sinew_task_length(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                         const double v[3]);

// ------------------------------------------------------------------ influence

// A change of a target, or a weighted sum of several: blend.c.
typedef struct sinew_task_offset {
  double weight;     // the sum of weights
  double linear[3];  // of the position, in the axes in which targets are given [m]
  double within[3];  // what a range allows of it, in the target's axes; LOOK_AT: the tool's point
  double angular[3]; // rotation vector of the rotation, in the target's axes, or of a direction
  double up;         // LOOK_AT: of the angle about the axis [rad]
  double distance;   // [m]
} sinew_task_offset;

// The change of the target after which the task would be met where the state has it; weight is 0.
// centre: of mass, read where it is the task's point.
void sinew_task_find_offset(const sinew_compiled_task *task, const sinew_state *state,
                            const double centre[3], const sinew_target *target,
                            sinew_task_offset *out);

void sinew_task_add_offset(double weight, const sinew_task_offset *part, sinew_task_offset *sum);

// out <- the target moved by a sum of offsets; its twist is the share that their weight leaves.
void sinew_task_move_target(const sinew_compiled_task *task, const sinew_task_offset *offset,
                            const sinew_target *target, sinew_target *out);

// ---------------------------------------------------------------- features

// The features by which a bank of postures compares an effector's pose with its target.
enum {
  SINEW_POSTURE_POINT = 1,      // its point
  SINEW_POSTURE_AXIS = 2,       // one axis of the tool
  SINEW_POSTURE_ORIENTATION = 4 // all axes of the tool
};

unsigned sinew_task_posture_features(const sinew_task *task);

// The unit axis of a task that has SINEW_POSTURE_AXIS: in the tool's axes, and as its target
// prescribes it.
void sinew_task_axis_of_tool(const sinew_task *task, double axis[3]);
void sinew_task_axis_of_target(const sinew_task *task, const sinew_target *target, double axis[3]);

#endif
