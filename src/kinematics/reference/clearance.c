// Obstacle avoidance: the distance of a model's spheres and capsules from given ones, and the step
// that enlarges it in the null space of a task.
//
// Segments p + s u, q + t v with r = p - q, a = u.u, b = u.v, c = u.r, e = v.v, f = v.r: the
// nearest points are at s = clamp((b f - c e) / (a e - b^2)), t = (b s + f) / e; where t leaves
// [0, 1] it is clamped, and s = clamp((b t - c) / a). Since they are nearest, the derivative of the
// distance is that of the shape's point along the normal alone: J_o = n^T J_point.
//
// Sources: Ericson, Real-Time Collision Detection, 2004, section 5.1.9; Maciejewski, Klein,
// Obstacle avoidance for kinematically redundant manipulators in dynamically varying environments,
// 1985.
#include "base/error.h"
#include "kinematics/reference/redundancy.h"
#include "kinematics/state.h"
#include "math/vector.h"

#define PI 3.14159265358979323846

static void blend(const double a[3], const double u[3], double s, double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = a[i] + s * u[i];
  }
}

// The nearest points of two segments.
static void nearest_points(const double p[3], const double u[3], const double q[3],
                           const double v[3], double on_p[3], double on_q[3]) {
  const double r[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
  const double a = sinew_dot(u, u), b = sinew_dot(u, v), c = sinew_dot(u, r);
  const double e = sinew_dot(v, v), f = sinew_dot(v, r), det = a * e - b * b;
  double s = det > 1e-14 * a * e ? sinew_clamp((b * f - c * e) / det, 0.0, 1.0) : 0.0;
  double t = e > 0.0 ? (b * s + f) / e : 0.0;
  const double clamped = sinew_clamp(t, 0.0, 1.0);
  if (t != clamped || det <= 1e-14 * a * e) {
    t = clamped;
    s = a > 0.0 ? sinew_clamp((b * t - c) / a, 0.0, 1.0) : 0.0;
  }
  blend(p, u, s, on_p);
  blend(q, v, t, on_q);
}

// The unit vector from one point to another, or any across two segments that meet there.
static double normal_between(const double from[3], const double to[3], const double u[3],
                             const double v[3], double normal[3]) {
  double across[3], other[3], d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
  const double distance = sinew_norm_safe(d);
  if (distance > 0.0) {
    sinew_unit(d, normal);
    return distance;
  }
  sinew_cross(u, v, across);
  if (sinew_norm(across) > 0.0) {
    sinew_unit(across, normal);
  } else if (sinew_norm(u) + sinew_norm(v) > 0.0) {
    sinew_unit(sinew_norm(u) > 0.0 ? u : v, across);
    sinew_basis_perpendicular(across, normal, other);
  } else {
    normal[0] = normal[1] = 0.0;
    normal[2] = 1.0;
  }
  return 0.0;
}

// One shape and one obstacle; kept where it is nearer than before.
static void compare(const sinew_state *state, const sinew_shape_def *shape,
                    const sinew_reference_obstacle *obstacle, int numbers[2],
                    sinew_reference_clearance *nearest) {
  double p[3], end[3], u[3], v[3], on_shape[3], on_obstacle[3], normal[3];
  sinew_expect_ok(sinew_state_point(state, shape->link, shape->a, p));
  sinew_expect_ok(sinew_state_point(state, shape->link, shape->b, end));
  for (int i = 0; i < 3; ++i) {
    u[i] = end[i] - p[i];
    v[i] = obstacle->b[i] - obstacle->a[i];
  }
  nearest_points(p, u, obstacle->a, v, on_shape, on_obstacle);
  const double between = normal_between(on_obstacle, on_shape, u, v, normal);
  const double distance = between - shape->radius - obstacle->radius;
  if (nearest->shape < 0 || distance < nearest->distance) {
    *nearest = (sinew_reference_clearance){
        .distance = distance, .shape = numbers[0], .obstacle = numbers[1]};
    memcpy(nearest->point_w, on_shape, sizeof on_shape);
    memcpy(nearest->normal_w, normal, sizeof normal);
  }
}

sinew_result sinew_reference_clearance_find(const sinew_state *state,
                                            const sinew_reference_obstacle *obstacles, int count,
                                            sinew_reference_clearance *clearance, double *work,
                                            double *gradient) {
  SINEW_ASSERT(state != NULL && obstacles != NULL && clearance != NULL);
  const sinew_shape_def *shapes;
  const int shape_count = sinew_model_shapes(state->model, &shapes);
  const int nv = state->model->nv;
  if (count < 1 || shape_count < 1) {
    return SINEW_ERROR_ARGUMENT;
  }
  for (int i = 0; i < count; ++i) {
    const sinew_reference_obstacle *o = &obstacles[i];
    if (!sinew_is_usable3(o->a) || !sinew_is_usable3(o->b) || !sinew_is_usable(o->radius)) {
      return SINEW_ERROR_NOT_FINITE;
    }
    if (o->radius < 0.0) {
      return SINEW_ERROR_ARGUMENT;
    }
  }
  sinew_reference_clearance nearest = {.shape = -1};
  for (int s = 0; s < shape_count; ++s) {
    for (int i = 0; i < count; ++i) {
      compare(state, &shapes[s], &obstacles[i], (int[2]){s, i}, &nearest);
    }
  }
  if (gradient != NULL) {
    const int link = shapes[nearest.shape].link;
    sinew_pose pose;
    double point_l[3];
    sinew_expect_ok(sinew_state_link_pose(state, link, &pose));
    sinew_pose_invert(&pose, &pose);
    sinew_pose_transform(&pose, nearest.point_w, point_l);
    const sinew_result result =
        sinew_state_jacobian(state, link, point_l, sinew_model_root(state->model), work);
    if (result != SINEW_OK) {
      return result;
    }
    for (int j = 0; j < nv; ++j) {
      gradient[j] = nearest.normal_w[0] * work[j] + nearest.normal_w[1] * work[nv + j] +
                    nearest.normal_w[2] * work[2 * nv + j];
    }
  }
  *clearance = nearest;
  return SINEW_OK;
}

sinew_result sinew_reference_avoid(const sinew_reference_levels *levels,
                                   const sinew_reference_avoidance *avoidance, double *work,
                                   double *x) {
  SINEW_ASSERT(levels != NULL && avoidance != NULL && work != NULL && x != NULL);
  const int n = levels->n;
  const double d = avoidance->distance, range = avoidance->start - avoidance->full;
  if (!(range > 0.0) || levels->count < 1 || n < 1) {
    return SINEW_ERROR_ARGUMENT;
  }
  if (!sinew_is_usable(d) || !sinew_is_usable(avoidance->push) ||
      !sinew_is_usable(avoidance->start) || !sinew_is_usable(avoidance->full) ||
      !sinew_reference_usable(n, avoidance->gradient)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  // J^+ e and N J_o^T, by the projection.
  const sinew_reference_level *task = &levels->levels[0];
  double *base = work, *moved = work + n, *zero = work + 2 * n, *rest = zero + task->m;
  sinew_result result = sinew_reference_projection(levels, NULL, rest, base);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_zero((size_t)task->m, zero);
  const sinew_reference_level still = {task->m, task->J, zero};
  sinew_reference_levels at_rest = *levels;
  at_rest.levels = &still;
  at_rest.count = 1;
  result = sinew_reference_projection(&at_rest, avoidance->gradient, rest, moved);
  const double near = sinew_clamp((avoidance->start - d) / range, 0.0, INFINITY);
  const double share = near <= 0.0 ? 0.0 : near >= 1.0 ? 1.0 : 0.5 - 0.5 * cos(PI * near);
  double reached = 0.0, square = levels->lambda * levels->lambda;
  for (int j = 0; j < n; ++j) {
    reached += avoidance->gradient[j] * base[j];
    square += avoidance->gradient[j] * moved[j]; // J_o N J_o^T
  }
  const double wanted = avoidance->push * near * near - reached;
  for (int j = 0; j < n && square > 0.0 && share > 0.0; ++j) {
    base[j] += share * moved[j] * wanted / square;
  }
  return result != SINEW_OK ? result : sinew_reference_finish(n, base, x);
}
