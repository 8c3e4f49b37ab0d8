// Aims: an axis a of the tool points in the unit direction g, or within an angle of it. g is the
// target's direction, or the direction d / |d| from the tool's point s to the target's position.
//
//   r = theta (a x g) / |a x g|,   theta = atan2(|a x g|, a . g)
//
// as in direction.c. Where g is a direction to a point its angular velocity is g x d' / |d|, and
//
//   e_i = u b_i . r,   M_i = u (b_i x g / |d|; b_i) + 2 (b_i . r) (d; 0) / least^2
//
// b_1, b_2 perpendicular to a. u = min(1, |d| / least)^2 keeps M finite where the point meets the
// target; the last term, of u's derivative, is 0 beyond least. J^T e is the exact gradient.
//
// The goal of a task with an influence or a gain (blend.c) is at an angle from the direction to the
// point, here h, which it keeps wherever the tool moves. With w the vector of its rotation,
//
//   n = unit(w - (w . h) h),   g = cos(phi) h + sin(phi) n x h,   phi = |w|
//
// and phi = |w| s / NEAR_AXIS where the sine s of the angle between w and h is less than that, so
// that g is continuous. The frame (h, n) has the angular velocity h x h' + cot (h' . (n x h)) h,
// cot that of the same angle, so b_i . (g x g') with c = b_i x g is the product of h' and
//
//   (g x c) x h + cot (c . (h x g)) n x h + rate (c . (n x g)) n
//
// where phi' = rate n . h', rate = -(w . h) / NEAR_AXIS or 0.
//
// Within an angle alpha there is one row along the unit vector n of r, which is exact:
//
//   e = u max(0, theta - alpha),   M as above with n for b_i and e / u for b_i . r
//
// The up axis m of the tool, across a, and the up direction v, of which n = v - (v . a) a is across
// a, differ by the angle psi about a:
//
//   psi = atan2(a . (m x n), m . n),   e = |n|^2 psi
//   M = (0; |n|^2 a - (a . v) n + 2 psi (a . v) (a x v))
//
// |n|^2 is 0 where v is along a, so that psi is not defined.
//
// A yaw is the same angle with the roles of a and v exchanged: about the fixed up axis u between
// the headings n of a and n_g of the target's direction,
//
//   psi = atan2(u . (n x n_g), n . n_g),   e = psi,   M = (0; u - (a . u) n / |n|^2)
#include "math/vector.h"
#include "sinew/math.h"
#include "task/kinds.h"

#include <float.h>
#include <string.h>

// Points nearer to the target than this [sizes of the figure] aim at it with less weight.
#define LEAST_DISTANCE 1e-3

// Headings of axes that are this near to the vertical (sine squared) are not resolved.
#define LEAST_HEADING 1e-6

// A target's direction this near to the vertical (sine squared) has no heading: its rounding errors
// would decide it. The error is then 0.
#define NO_HEADING 1e-14

// The sine of the angle between the axis of a goal's rotation and the direction to the point below
// which phi falls to 0.
#define NEAR_AXIS 0.1

// Whether rows are along one vector: within an angle.
static bool is_cone(const sinew_task *task) {
  return task->cone_angle > 0.0;
}

const char *sinew_aim_check(const sinew_task *task) {
  double a[3], across[3];
  if (!(sinew_norm_safe(task->axis_l) > 1e-100)) {
    return "axis_l is zero";
  }
  if (!(task->cone_angle >= 0.0 && task->cone_angle <= SINEW_PI)) {
    return "cone_angle is not within 0 and pi";
  }
  if (task->kind != SINEW_TASK_LOOK_AT || sinew_norm_safe(task->up_axis) == 0.0) {
    return NULL;
  }
  sinew_unit(task->axis_l, a);
  sinew_unit(task->up_axis, across);
  sinew_cross(a, across, across);
  return sinew_norm_safe(across) > 1e-6 ? NULL : "up_axis is along axis_l";
}

bool sinew_aim_has_up(const sinew_task *task) {
  return task->kind == SINEW_TASK_LOOK_AT && sinew_norm_safe(task->up_axis) > 0.0;
}

void sinew_aim_compile(sinew_compiled_task *task) {
  sinew_task *wanted = &task->task;
  sinew_unit(wanted->axis_l, wanted->axis_l);
  task->angular_rows = is_cone(wanted) ? 1 : 2;
  if (sinew_aim_has_up(wanted)) {
    sinew_unit(wanted->up_axis, wanted->up_axis);
    ++task->angular_rows;
  }
  task->angular_rows = wanted->orientation_weight > 0.0 ? task->angular_rows : 0;
}

// The direction g in which the axis should point.
typedef struct aim {
  double g[3];
  bool rotated;      // whether g is that of a goal, at an angle from
  double h[3];       // the direction to the point,
  double n[3];       // about this axis,
  double cot, rate;  // as above
  double inverse;    // 1 / |d|; 0 for directions, which do not depend on the point
  double weight;     // u
  double towards[3]; // 2 d / least^2, or 0
} aim;

// From the point to a target, which may be very far away.
static aim aim_at_point(const double position[3], double size, const double s[3],
                        const double a[3]) {
  const double far = sinew_max(1.0, sinew_norm_safe(position));
  const double least = LEAST_DISTANCE * size;
  aim to = {.weight = 1.0};
  double d[3];
  for (int i = 0; i < 3; ++i) {
    d[i] = position[i] / far - s[i] / far;
  }
  const double length = sinew_norm_safe(d) * far;
  if (!(length > 1e-100)) { // no direction: as wrong as can be, and without weight
    sinew_scale(-1.0, a, to.g);
    to.weight = 0.0;
    return to;
  }
  sinew_scale(far / length, d, to.g);
  to.inverse = 1.0 / length;
  if (length < least) {
    to.weight = length / least * (length / least);
    sinew_scale(2.0 * length / least / least, to.g, to.towards);
  }
  return to;
}

// g <- that of a goal, by its rotation from the direction to the point.
static void rotate_aim(const double rotation[4], aim *to) {
  double w[3], n[3], side[3];
  sinew_quaternion_log(rotation, w);
  const double length = sinew_norm(w), along = sinew_dot(w, to->g);
  sinew_across(to->g, w, n);
  const double across = sinew_norm(n);
  if (!(across > 1e-12 * length)) {
    return;
  }
  const double sine = across / length;
  const bool near = sine < NEAR_AXIS;
  const double phi = near ? length * sine / NEAR_AXIS : length, c = cos(phi), s = sin(phi);
  to->rotated = true;
  to->cot = along / across;
  to->rate = near ? -along / NEAR_AXIS : 0.0;
  memcpy(to->h, to->g, sizeof to->h);
  sinew_scale(1.0 / across, n, to->n);
  sinew_cross(to->n, to->h, side);
  for (int i = 0; i < 3; ++i) {
    to->g[i] = c * to->h[i] + s * side[i];
  }
}

void sinew_aim_goal(const double rotation[4], double direction[3]) {
  aim to = {.weight = 1.0};
  memcpy(to.g, direction, sizeof to.g);
  rotate_aim(rotation, &to);
  memcpy(direction, to.g, sizeof to.g);
}

// b . (g x g') = out . h', h' the velocity of the direction to the point.
static void row_of_direction(const aim *to, const double b[3], double out[3]) {
  double c[3], v[3], side[3], swung[3];
  sinew_cross(b, to->g, out);
  if (!to->rotated) {
    return;
  }
  memcpy(c, out, sizeof c);
  sinew_cross(to->g, c, v);
  sinew_cross(v, to->h, out);
  sinew_cross(to->n, to->h, side);
  sinew_cross(to->h, to->g, v);
  sinew_cross(to->n, to->g, swung);
  const double spun = to->cot * sinew_dot(c, v), widened = to->rate * sinew_dot(c, swung);
  for (int i = 0; i < 3; ++i) {
    out[i] += spun * side[i] + widened * to->n[i];
  }
}

static void push_row(const aim *to, const double b[3], double e, double scale,
                     sinew_row_writer *out) {
  double linear[3], angular[3];
  row_of_direction(to, b, linear);
  for (int i = 0; i < 3; ++i) {
    linear[i] = to->weight * to->inverse * linear[i] + e * to->towards[i];
    angular[i] = to->weight * b[i];
  }
  sinew_row_push(out, scale, 1.0, to->weight * e, linear, angular);
}

static void push_within(const aim *to, const double n[3], double excess, double scale,
                        sinew_row_writer *out) {
  const double none[3] = {0.0, 0.0, 0.0};
  if (excess > 0.0) {
    push_row(to, n, excess, scale, out);
  } else {
    sinew_row_push(out, scale, 0.0, 0.0, none, none);
  }
}

// u theta <= u alpha; n . r grows as theta falls.
static void push_angle(const aim *to, const double n[3], double theta, double alpha,
                       sinew_row_writer *out) {
  sinew_task_side side = {.angle = true};
  row_of_direction(to, n, side.linear);
  sinew_scale(-to->weight * to->inverse, side.linear, side.linear);
  sinew_scale(-to->weight, n, side.angular);
  sinew_side_push(out, &side, to->weight * theta, -INFINITY, to->weight * alpha);
}

// psi, of a goal less the angle that it leaves. n <- the part of the unit direction v across a.
static double up_angle(const sinew_task *task, const double R[9], const double a[3],
                       const sinew_target *target, double v[3], double n[3]) {
  double m[3], c[3];
  sinew_unit(target->direction, v);
  sinew_rotate(R, task->up_axis, m);
  sinew_cross(a, m, c); // across a and m, like the part of m across a rotated by a right angle
  sinew_unit(c, c);
  sinew_cross(c, a, m);
  sinew_across(a, v, n);
  const double psi = atan2(sinew_dot(c, n), sinew_dot(m, n));
  if (!sinew_target_is_goal(target)) {
    return psi;
  }
  const double left = psi - target->distance, round = 2.0 * SINEW_PI;
  return left - round * floor(left / round + 0.5); // the same angle in half a turn
}

double sinew_aim_up_angle(const sinew_task *task, const double R[9], const double a[3],
                          const sinew_target *target) {
  double v[3], n[3];
  return up_angle(task, R, a, target, v, n);
}

// The row of the up axis; returns |n| psi.
static double push_up(const sinew_task *task, const double R[9], const double a[3],
                      const sinew_target *target, sinew_row_writer *out) {
  const double none[3] = {0.0, 0.0, 0.0};
  double v[3], n[3], side[3], angular[3];
  const double psi = up_angle(task, R, a, target, v, n);
  const double along = sinew_dot(a, v), square = sinew_dot(n, n);
  sinew_cross(a, v, side);
  for (int i = 0; i < 3; ++i) {
    angular[i] = square * a[i] - along * n[i] + 2.0 * psi * along * side[i];
  }
  sinew_row_push(out, task->orientation_weight, 1.0, square * psi, none, angular);
  return sqrt(square) * fabs(psi);
}

void sinew_aim_residual(const sinew_compiled_task *task, const sinew_task_frames *frames,
                        const sinew_target *target, sinew_task_evaluation *at,
                        sinew_row_writer *out) {
  const sinew_task *wanted = &task->task;
  double a[3], across[3], unit[3];
  if (task->angular_rows == 0) {
    return;
  }
  sinew_rotate(frames->R, wanted->axis_l, a);
  aim to = {.weight = 1.0};
  if (wanted->kind == SINEW_TASK_LOOK_AT) {
    to = aim_at_point(target->position, task->size, at->s, a);
    if (sinew_target_is_goal(target) && to.weight > 0.0) {
      rotate_aim(target->rotation, &to);
    }
  } else {
    sinew_unit(target->direction, to.g);
  }
  sinew_cross(a, to.g, across);
  sinew_basis_perpendicular(a, at->basis, at->basis + 3);
  const double s = sinew_norm(across), c = sinew_dot(a, to.g), theta = atan2(s, c);
  memcpy(unit, at->basis, sizeof unit); // opposite directions: any axis perpendicular to a
  if (s > 1e-9) {
    sinew_scale(1.0 / s, across, unit);
  }
  sinew_scale(theta, unit, at->turn);
  if (s <= 1e-9 && c > 0.0) {
    memcpy(at->turn, across, sizeof at->turn);
  }
  const double excess = sinew_max(0.0, theta - wanted->cone_angle);
  if (is_cone(wanted)) {
    push_within(&to, unit, excess, wanted->orientation_weight, out);
    push_angle(&to, unit, theta, wanted->cone_angle, out);
  } else {
    push_row(&to, at->basis, sinew_dot(at->basis, at->turn), wanted->orientation_weight, out);
    push_row(&to, at->basis + 3, sinew_dot(at->basis + 3, at->turn), wanted->orientation_weight,
             out);
  }
  at->orientation_error = excess;
  if (sinew_aim_has_up(wanted)) {
    const double up = push_up(wanted, frames->R, a, target, out);
    at->orientation_error = sqrt(excess * excess + up * up);
  }
}

// ----------------------------------------------------------------------- yaw

void sinew_yaw_compile(sinew_compiled_task *task) {
  const double z[3] = {0.0, 0.0, 1.0};
  sinew_task *wanted = &task->task;
  sinew_unit(wanted->axis_l, wanted->axis_l);
  sinew_unit(sinew_norm_safe(wanted->up_axis) > 0.0 ? wanted->up_axis : z, wanted->up_axis);
  task->angular_rows = wanted->orientation_weight > 0.0 ? 1 : 0;
}

void sinew_yaw_residual(const sinew_compiled_task *task, const sinew_task_frames *frames,
                        const sinew_target *target, sinew_task_evaluation *at,
                        sinew_row_writer *out) {
  const sinew_task *wanted = &task->task;
  const double none[3] = {0.0, 0.0, 0.0};
  double a[3], u[3], g[3], n[3], side[3], angular[3];
  if (task->angular_rows == 0) {
    return;
  }
  sinew_rotate(frames->R, wanted->axis_l, a);
  sinew_rotate(frames->F, wanted->up_axis, u);
  sinew_unit(target->direction, g);
  const double along = sinew_dot(a, u);
  for (int i = 0; i < 3; ++i) {
    n[i] = a[i] - along * u[i];
  }
  sinew_cross(n, g, side);
  const double height = sinew_dot(u, g);
  const double psi =
      1.0 - height * height < NO_HEADING ? 0.0 : atan2(sinew_dot(u, side), sinew_dot(n, g));
  const double square = sinew_max(sinew_dot(n, n), LEAST_HEADING);
  for (int i = 0; i < 3; ++i) {
    angular[i] = u[i] - along / square * n[i];
  }
  sinew_row_push(out, wanted->orientation_weight, 1.0, psi, none, angular);
  at->orientation_error = fabs(psi);
}
