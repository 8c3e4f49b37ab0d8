// Points on a plane, a line or a sphere through or about the target's position t. With s the task's
// point and n the target's unit direction,
//
//   plane      y = n . (s - t)                        M = (n; 0)
//   line       y_i = b_i . (s - t), b_i across n      M_i = (b_i; 0)
//   distance   y = |s - t| - distance                 M = (s - t; 0) / |s - t|
//
// and e = clamp(y, lower, upper) - y, where M = 0 within the range; lines have none. At |s - t| = 0
// the direction of a distance is that of the target's x.
#include "math/vector.h"
#include "task/kinds.h"

#include <float.h>
#include <string.h>

void sinew_locus_compile(sinew_compiled_task *task) {
  const bool counts = task->task.position_weight > 0.0;
  task->linear_rows = !counts ? 0 : task->task.kind == SINEW_TASK_LINE ? 2 : 1;
}

// The largest error that a row has: lengths beyond what any figure reaches differ in no step.
static double bounded(const sinew_compiled_task *task, double quarter) {
  const double most = sinew_min(task->farthest, SINEW_HUGE);
  return sinew_clamp(4.0 * quarter, -most, most);
}

// A quarter of s - t, so that sums of three are finite.
static void quarter_of(const double s[3], const double t[3], double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = 0.25 * s[i] - 0.25 * t[i];
  }
}

// One row with its range; y: a quarter. Returns a quarter of its error.
static double push_ranged(const sinew_compiled_task *task, double y, const double direction[3],
                          sinew_row_writer *out) {
  const double none[3] = {0.0, 0.0, 0.0};
  const double lower = task->task.range_lower[0], upper = task->task.range_upper[0];
  const double e = sinew_clamp(y, 0.25 * lower, 0.25 * upper) - y;
  sinew_row_push(out, task->scale, e == 0.0 && lower < upper ? 0.0 : 1.0, bounded(task, e),
                 direction, none);
  sinew_task_side side = {.angle = false};
  memcpy(side.linear, direction, sizeof side.linear);
  sinew_side_push(out, &side, sinew_clamp(4.0 * y, -DBL_MAX, DBL_MAX), lower, upper);
  return e;
}

static double push_distance(const sinew_compiled_task *task, const sinew_task_frames *frames,
                            const sinew_target *target, const double away[3],
                            sinew_row_writer *out) {
  const double length = sinew_norm_safe(away);
  double direction[3] = {frames->F[0], frames->F[3], frames->F[6]};
  if (length > 1e-100) {
    sinew_scale(1.0 / length, away, direction);
  }
  return push_ranged(task, length - 0.25 * fabs(target->distance), direction, out);
}

// The two directions across n rotate with the frame in which n is given.
static double push_line(const sinew_compiled_task *task, const double F[9], const double n[3],
                        const double away[3], sinew_row_writer *out) {
  const double none[3] = {0.0, 0.0, 0.0};
  double b[6], given[3], e[3] = {0.0, 0.0, 0.0};
  sinew_rotate_back(F, n, given);
  sinew_basis_perpendicular(given, b, b + 3);
  for (int i = 0; i < 2; ++i) {
    sinew_rotate(F, b + 3 * i, b + 3 * i);
    e[i] = -sinew_dot(b + 3 * i, away);
    sinew_row_push(out, task->scale, 1.0, bounded(task, e[i]), b + 3 * i, none);
  }
  return sinew_norm_safe(e);
}

void sinew_locus_residual(const sinew_compiled_task *task, const sinew_task_frames *frames,
                          const sinew_target *target, sinew_task_evaluation *at,
                          sinew_row_writer *out) {
  double away[3], n[3], e;
  if (task->linear_rows == 0) {
    return;
  }
  quarter_of(at->s, target->position, away);
  if (task->task.kind == SINEW_TASK_DISTANCE) {
    e = push_distance(task, frames, target, away, out);
  } else {
    sinew_unit(target->direction, n);
    e = task->task.kind == SINEW_TASK_LINE ? push_line(task, frames->F, n, away, out)
                                           : push_ranged(task, sinew_dot(n, away), n, out);
  }
  at->position_error = sinew_min(4.0 * fabs(e), DBL_MAX);
}
