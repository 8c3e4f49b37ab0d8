// The functions of each kind of task, one file for each kind. Only task.c calls them, by kind;
// pose.c combines position and orientation.
//
// check: NULL, or a message that says what is invalid.
// compile: sets rows, unless they are general, selected, linear_rows, angular_rows, and what else
// the kind needs.
// residual: fills errors and rows; s is set, and target_R if the kind reads a rotation. With a
// writer the rows are general.
// features, axis_of_tool, axis_of_target: as in task.h.
#ifndef SINEW_TASK_KINDS_H
#define SINEW_TASK_KINDS_H

#include "math/vector.h"
#include "task/task.h"

// ------------------------------------------------------------- properties

typedef struct sinew_kind_info {
  const char *name;
  unsigned fields; // sinew_target_fields that it reads
  bool axes;       // has axes, which may be free, and have weights and ranges
  bool axis;       // reads axis_l
} sinew_kind_info;

// NULL: the kind does not exist.
const sinew_kind_info *sinew_task_kind_info(sinew_task_kind kind);

// A field that the task's kind does not read and that has not its default; NULL: none. fields.c
const char *sinew_task_unread_field(const sinew_task *task);

// An axis that the task does not control, 0 to 5, by its kind or free_axes, where it
// has a range: an end that is neither 0, the default, nor infinite, which asks for nothing. -1:
// none. The kinds whose range has one value control the first. fields.c
int sinew_task_unread_range(const sinew_task *task);

// ------------------------------------------------------------- general rows
//
// The rows of these kinds come with a map M from the twist of the tool (task.h).

// The frames that a task relates, in the root link's frame.
typedef struct sinew_task_frames {
  double R[9]; // the tool's axes
  double F[9]; // the axes of the frame in which targets are given; targets are in the root's
} sinew_task_frames;

// Where the next row and its map are written.
typedef struct sinew_row_writer {
  double *row, *map;
  sinew_task_side *side; // where the next side of a hard task is written; NULL: none is
} sinew_row_writer;

// A row: scale * weight * e and its map weight * (linear; angular); scale is that of all rows of
// its unit, which the columns have too.
static inline void sinew_row_push(sinew_row_writer *out, double scale, double weight, double e,
                                  const double linear[3], const double angular[3]) {
  *out->row++ = scale * weight * e;
  sinew_scale(weight, linear, out->map);
  sinew_scale(weight, angular, out->map + 3);
  out->map += 6;
}

// A side of a hard task, if it has a range and sides are wanted: y between lower and upper.
static inline void sinew_side_push(sinew_row_writer *out, const sinew_task_side *side, double y,
                                   double lower, double upper) {
  if (out->side == NULL || !(lower < upper) || (lower == -INFINITY && upper == INFINITY)) {
    return;
  }
  *out->side = *side;
  out->side->lower = lower == -INFINITY ? lower : lower - y;
  out->side->upper = upper == INFINITY ? upper : upper - y;
  ++out->side;
}

// The sides where the tool has the axes R and its point is at->s: task.c.
void sinew_task_sides_at(const sinew_compiled_task *task, const sinew_state *state,
                         const double R[9], const sinew_target *target,
                         const sinew_task_evaluation *at, sinew_task_side sides[SINEW_MOST_SIDES]);

// ------------------------------------------------- rows of a frame: frame_rows.c

// Selects rows of a point (linear) and of an orientation (angular): those whose weight is not 0,
// along and about axes that are not free.
void sinew_frame_select(sinew_compiled_task *task, bool linear, bool angular);

void sinew_frame_add_column(const sinew_compiled_task *task, const sinew_row_axes *axes,
                            const double linear[3], const double angular[3], double position,
                            double orientation, double *out);

// The norm of the selected entries of v.
static inline double sinew_frame_length(const double v[3], const unsigned char selected[3]) {
  const double part[3] = {selected[0] ? v[0] : 0.0, selected[1] ? v[1] : 0.0,
                          selected[2] ? v[2] : 0.0};
  return sinew_norm_safe(part);
}

// Writes the selected entries of v times weight. Returns the position in row after them.
static inline double *sinew_frame_push(double *row, const double v[3],
                                       const unsigned char selected[3], double weight) {
  for (int i = 0; i < 3; ++i) {
    if (selected[i]) {
      *row++ = weight * v[i];
    }
  }
  return row;
}

// ---------------------------------------------------------------- position.c

// A target that is far beyond reach is replaced by the point in its direction at the distance
// farthest from the root: extent.c.
void sinew_position_draw_inward(double farthest, const double target[3], double out[3]);

// Returns the position in row after its rows.
double *sinew_position_residual(const sinew_compiled_task *task, const double target[3],
                                sinew_task_evaluation *at, double *row);
unsigned sinew_position_features(const sinew_task *task);

// ------------------------------------------------------------- orientation.c

// R: the link's axes.
void sinew_orientation_residual(const sinew_compiled_task *task, const double R[9],
                                sinew_task_evaluation *at, double *row);
unsigned sinew_orientation_features(const sinew_task *task);
void sinew_orientation_axis_of_tool(const sinew_task *task, double axis_l[3]);
void sinew_orientation_axis_of_target(const sinew_task *task, const double rotation[4],
                                      double axis[3]);

// -------------------------------------------------------------------- pose.c

void sinew_pose_residual(const sinew_compiled_task *task, const double target[3], const double R[9],
                         sinew_task_evaluation *at, double *row);
unsigned sinew_pose_features(const sinew_task *task);

// --------------------------------------------------------------- direction.c

void sinew_direction_compile(sinew_compiled_task *task);
void sinew_direction_residual(const sinew_compiled_task *task, const double R[9],
                              const double direction[3], sinew_task_evaluation *at, double *row);
void sinew_direction_add_column(const sinew_task_evaluation *at, const double angular[3],
                                double orientation, double *out);
unsigned sinew_direction_features(const sinew_task *task);

// ---------------------------------------------------------------- weighted.c

// Positions, orientations and poses with weights or ranges of axes; target_R is set.
void sinew_weighted_residual(const sinew_compiled_task *task, const sinew_task_frames *frames,
                             const sinew_target *target, sinew_task_evaluation *at,
                             sinew_row_writer *out);

// --------------------------------------------------------------------- aim.c

// Directions, and points to aim at, within an angle, and an up axis.
const char *sinew_aim_check(const sinew_task *task);
bool sinew_aim_has_up(const sinew_task *task);
void sinew_aim_compile(sinew_compiled_task *task);
void sinew_aim_residual(const sinew_compiled_task *task, const sinew_task_frames *frames,
                        const sinew_target *target, sinew_task_evaluation *at,
                        sinew_row_writer *out);

// direction <- that of a goal which has the rotation, where this is the unit direction to the
// point.
void sinew_aim_goal(const double rotation[4], double direction[3]);

// The angle about the unit axis a of the tool (axes R) from its up axis to the target's direction.
double sinew_aim_up_angle(const sinew_task *task, const double R[9], const double a[3],
                          const sinew_target *target);

void sinew_yaw_compile(sinew_compiled_task *task);
void sinew_yaw_residual(const sinew_compiled_task *task, const sinew_task_frames *frames,
                        const sinew_target *target, sinew_task_evaluation *at,
                        sinew_row_writer *out);

// ------------------------------------------------------------------- locus.c

// Planes, lines and distances.
void sinew_locus_compile(sinew_compiled_task *task);
void sinew_locus_residual(const sinew_compiled_task *task, const sinew_task_frames *frames,
                          const sinew_target *target, sinew_task_evaluation *at,
                          sinew_row_writer *out);

#endif
