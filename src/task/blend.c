// Goals between where a task is and its target, for influences below 1.
//
// The offset of a task is the change of its target after which the task would be met where it is.
// In the axes in which targets are given, p the task's point, R_e the tool's axes, t and R_d those
// of the target,
//
//   position      p - t                     less the part c that a range allows
//   orientation   log(R_d^T R_e exp(-c))    in the target's axes
//   direction     from g to the axis a, the rotation vector less the angle of the cone
//   LOOK_AT       the same, g the direction to the point; and the angle psi of the up axis (aim.c)
//   plane         n (y - clamp(y)),   y = n . (p - t)
//   distance      y - clamp(y),       y = |p - t| - distance
//
// A target moved by a share of it is a goal on the shortest way: t + share (p - t), R_d exp(share
// v), and so on. With share 1 the task is met, with 0 the goal is the target, to the bit. The goal
// of a LOOK_AT is at an angle from the direction to the point, whatever way the tool's point goes.
// Source: Lee, Mansard, Park, Intermediate desired value approach for task transition of robots in
// kinematic control, 2012: the goal h e + (1 - h) J x, x the step without the task.
#include "math/rotation.h"
#include "math/vector.h"
#include "sinew/math.h"
#include "task/kinds.h"

#include <string.h>

static double beyond(double y, double lower, double upper) {
  return y - sinew_clamp(y, lower, upper);
}

static void rotate_by(const double w[3], double v[3]) {
  double turn[4];
  sinew_quaternion_exp(w, turn);
  sinew_quaternion_rotate(turn, v, v);
}

static void unit_quaternion(const double given[4], double q[4]) {
  memcpy(q, given, 4 * sizeof *q);
  sinew_quaternion_normalize(q);
}

// The tool in the axes in which targets are given.
static void place(const sinew_compiled_task *task, const sinew_state *state, const double centre[3],
                  double R[9], double p[3]) {
  sinew_frame tip, frame;
  double world[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, F[9], f[3];
  if (task->task.center_of_mass) {
    memcpy(p, centre, 3 * sizeof *p);
  } else {
    sinew_state_fixed_frame(state, task->node, &task->tip, &tip);
    sinew_frame_get(&tip, world, p);
  }
  memcpy(R, world, sizeof world);
  if (task->relative) {
    sinew_state_fixed_frame(state, task->frame_node, &task->frame, &frame);
    sinew_frame_get(&frame, F, f);
    for (int i = 0; i < 3; ++i) {
      p[i] -= f[i];
    }
    sinew_rotate_back(F, p, p);
    sinew_matrix_transposed_multiply(F, world, R);
  }
}

// ------------------------------------------------------------------- offsets

// y - clamp(y) along the columns of A; within: the rest, in these axes.
static void offset_in_axes(const double A[9], const double d[3], const double *lower,
                           const double *upper, double out[3], double within[3]) {
  double y[3];
  sinew_rotate_back(A, d, y);
  for (int i = 0; i < 3; ++i) {
    const double rest = beyond(y[i], lower[i], upper[i]);
    within[i] = y[i] - rest;
    y[i] = rest;
  }
  sinew_rotate(A, y, out);
}

static void offset_of_frame(const sinew_compiled_task *task, const double R[9], const double p[3],
                            const sinew_target *target, sinew_task_offset *out) {
  static const double same[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  const sinew_task *wanted = &task->task;
  const bool rotates = (task->fields & SINEW_TARGET_ROTATION) != 0;
  double q[4], target_axes[9], away[3];
  memcpy(target_axes, same, sizeof same);
  if (rotates) {
    unit_quaternion(target->rotation, q);
    sinew_quaternion_to_matrix(q, target_axes);
  }
  const double *axes = wanted->weight_axes == SINEW_AXES_TOOL    ? R
                       : wanted->weight_axes == SINEW_AXES_FRAME ? same
                                                                 : target_axes;
  for (int i = 0; i < 3; ++i) {
    away[i] = p[i] - target->position[i];
  }
  offset_in_axes(axes, away, wanted->range_lower, wanted->range_upper, out->linear, out->within);
  if (wanted->weight_axes != SINEW_AXES_TARGET) {
    sinew_zero(3, out->within); // the target's axes have no part
  }
  if (rotates && wanted->kind != SINEW_TASK_POSITION) {
    const bool fixed = wanted->weight_axes == SINEW_AXES_FRAME;
    double between[9], v[3], rest[3], allowed[3], turn[4], tool[4], moved[4];
    sinew_matrix_transposed_multiply(target_axes, R, between);
    sinew_rotation_log(between, v);
    if (fixed) { // the same vector in the axes of the frame
      sinew_rotate(target_axes, v, v);
    }
    offset_in_axes(same, v, wanted->range_lower + 3, wanted->range_upper + 3, rest, allowed);
    sinew_scale(-1.0, allowed, allowed);
    sinew_quaternion_exp(allowed, turn);
    sinew_quaternion_from_matrix(R, tool);
    if (fixed) {
      sinew_quaternion_multiply(turn, tool, moved);
    } else {
      sinew_quaternion_multiply(tool, turn, moved);
    }
    sinew_quaternion_difference(q, moved, out->angular);
  }
}

// From the direction g to the axis, less the angle of the cone.
static void offset_of_axis(const sinew_task *task, const double g[3], const double a[3],
                           double out[3]) {
  sinew_direction_difference(g, a, out);
  const double angle = sinew_norm(out);
  if (task->cone_angle > 0.0) {
    sinew_scale(angle > task->cone_angle ? 1.0 - task->cone_angle / angle : 0.0, out, out);
  }
}

// The angle about u from one direction to another, both seen along u.
static double heading_between(const double u[3], const double from[3], const double to[3]) {
  double n[3], side[3];
  for (int i = 0; i < 3; ++i) {
    n[i] = from[i] - sinew_dot(from, u) * u[i];
  }
  sinew_cross(n, to, side);
  return atan2(sinew_dot(u, side), sinew_dot(n, to) - sinew_dot(n, u) * sinew_dot(u, to));
}

// g <- the unit direction from the tool's point p to that of a target; false: they are one.
static bool direction_to(const sinew_target *target, const double p[3], double g[3]) {
  for (int i = 0; i < 3; ++i) {
    g[i] = target->position[i] - p[i];
  }
  const bool has_direction = sinew_norm_safe(g) > 0.0;
  if (has_direction) {
    sinew_unit(g, g);
  }
  return has_direction;
}

// That in which the axis should point, where g is the direction to the point.
static void aim_of(const sinew_target *target, double g[3]) {
  if (sinew_target_is_goal(target)) {
    sinew_aim_goal(target->rotation, g);
  }
}

static void offset_of_aim(const sinew_compiled_task *task, const double R[9], const double p[3],
                          const sinew_target *target, sinew_task_offset *out) {
  const sinew_task *wanted = &task->task;
  double a[3], g[3];
  sinew_rotate(R, wanted->axis_l, a);
  switch (wanted->kind) {
  case SINEW_TASK_YAW:
    sinew_unit(target->direction, g);
    sinew_scale(heading_between(wanted->up_axis, g, a), wanted->up_axis, out->angular);
    break;
  case SINEW_TASK_DIRECTION:
    sinew_unit(target->direction, g);
    offset_of_axis(wanted, g, a, out->angular);
    break;
  default: // LOOK_AT
    memcpy(out->within, p, sizeof out->within);
    if (direction_to(target, p, g)) {
      aim_of(target, g);
      offset_of_axis(wanted, g, a, out->angular);
    }
    if (sinew_aim_has_up(wanted)) {
      out->up = sinew_aim_up_angle(wanted, R, a, target);
    }
  }
}

static void offset_of_locus(const sinew_compiled_task *task, const double p[3],
                            const sinew_target *target, sinew_task_offset *out) {
  const sinew_task *wanted = &task->task;
  const double lower = wanted->range_lower[0], upper = wanted->range_upper[0];
  double away[3], n[3];
  for (int i = 0; i < 3; ++i) {
    away[i] = p[i] - target->position[i];
  }
  if (wanted->kind == SINEW_TASK_DISTANCE) {
    out->distance = beyond(sinew_norm_safe(away) - fabs(target->distance), lower, upper);
    return;
  }
  sinew_unit(target->direction, n);
  const double along = sinew_dot(n, away);
  for (int i = 0; i < 3; ++i) {
    out->linear[i] = wanted->kind == SINEW_TASK_PLANE ? beyond(along, lower, upper) * n[i]
                                                      : away[i] - along * n[i];
  }
}

void sinew_task_find_offset(const sinew_compiled_task *task, const sinew_state *state,
                            const double centre[3], const sinew_target *target,
                            sinew_task_offset *out) {
  double R[9], p[3];
  *out = (sinew_task_offset){.distance = 0.0};
  place(task, state, centre, R, p);
  switch (task->task.kind) {
  case SINEW_TASK_POSITION:
  case SINEW_TASK_ORIENTATION:
  case SINEW_TASK_POSE:
    offset_of_frame(task, R, p, target, out);
    break;
  case SINEW_TASK_PLANE:
  case SINEW_TASK_LINE:
  case SINEW_TASK_DISTANCE:
    offset_of_locus(task, p, target, out);
    break;
  default:
    offset_of_aim(task, R, p, target, out);
  }
}

void sinew_task_add_offset(double weight, const sinew_task_offset *part, sinew_task_offset *sum) {
  sum->weight += weight;
  sum->distance += weight * part->distance;
  sum->up += weight * part->up;
  for (int i = 0; i < 3; ++i) {
    sum->linear[i] += weight * part->linear[i];
    sum->within[i] += weight * part->within[i];
    sum->angular[i] += weight * part->angular[i];
  }
}

// --------------------------------------------------------------------- goals

static void move_frame(const sinew_compiled_task *task, const sinew_task_offset *offset,
                       sinew_target *target) {
  double turn[4], from[4], was[3], now[3];
  for (int i = 0; i < 3; ++i) {
    target->position[i] += offset->linear[i];
  }
  if ((task->fields & SINEW_TARGET_ROTATION) == 0 || task->task.kind == SINEW_TASK_POSITION) {
    return;
  }
  unit_quaternion(target->rotation, from);
  sinew_quaternion_exp(offset->angular, turn);
  sinew_quaternion_multiply(from, turn, target->rotation);
  // The part that a range allows is along axes that have been rotated.
  sinew_quaternion_rotate(from, offset->within, was);
  sinew_quaternion_rotate(target->rotation, offset->within, now);
  for (int i = 0; i < 3; ++i) {
    target->position[i] += was[i] - now[i];
  }
}

// The rotation of the goal of a LOOK_AT is about an axis across the direction to the point.
static void move_gaze(const sinew_task_offset *offset, const sinew_target *target,
                      sinew_target *out) {
  double p[3], g[3], aim[3], w[3];
  sinew_scale(1.0 / offset->weight, offset->within, p);
  memcpy(w, offset->angular, sizeof w);
  if (direction_to(target, p, g)) {
    memcpy(aim, g, sizeof aim);
    aim_of(target, aim);
    rotate_by(offset->angular, aim);
    sinew_direction_difference(g, aim, w);
  }
  out->cookie = SINEW_GOAL_COOKIE;
  sinew_quaternion_exp(w, out->rotation);
  out->distance = offset->up + (sinew_target_is_goal(target) ? target->distance : 0.0);
}

void sinew_task_move_target(const sinew_compiled_task *task, const sinew_task_offset *offset,
                            const sinew_target *target, sinew_target *out) {
  *out = *target;
  if (!(offset->weight > 0.0)) {
    return;
  }
  for (int i = 0; i < 6; ++i) {
    out->twist[i] *= 1.0 - offset->weight;
  }
  switch (task->task.kind) {
  case SINEW_TASK_POSITION:
  case SINEW_TASK_ORIENTATION:
  case SINEW_TASK_POSE:
    move_frame(task, offset, out);
    break;
  case SINEW_TASK_PLANE:
  case SINEW_TASK_LINE:
    for (int i = 0; i < 3; ++i) {
      out->position[i] += offset->linear[i];
    }
    break;
  case SINEW_TASK_DISTANCE:
    out->distance = sinew_max(0.0, fabs(target->distance) + offset->distance);
    break;
  case SINEW_TASK_LOOK_AT:
    move_gaze(offset, target, out);
    break;
  default: // DIRECTION, YAW
    sinew_unit(target->direction, out->direction);
    rotate_by(offset->angular, out->direction);
  }
}
