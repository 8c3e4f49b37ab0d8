// The pole of a limb. With u and d from the root of the limb to its middle and its end, p to the
// pole or along its direction, and a = d / |d|,
//
//   psi = atan2(y, x),   y = a . (u x p),   x = u . p - (a . u) (a . p)
//
// is the angle about a from the middle to the pole. Its derivative is (x dy - y dx) / (x^2 + y^2),
//
//   dy = (p x a) . du + (a x u) . dp + (u x p) . da
//   dx = (p - (a . p) a) . du + (u - (a . u) a) . dp - ((a . p) u + (a . u) p) . da
//
// and da = (dd - (a . dd) a) / |d|. Only joints that leave the limb's root where it is are asked.
//
// In a straight limb no joint moves the end along it to first order: a step cannot bend it. It is
// bent a little first. Source: Hecker et al., Real-time motion retargeting to highly varied
// user-created morphologies, 2008, bend preferences; the rest is ours.
#include "solve/pole.h"
#include "kinematics/jacobian.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "solve/solver.h"

#include <string.h>

// Below these shares of the limb's length the weight falls.
#define LEAST_OFFSET 0.05
// A limb is straight if its middle is nearer to the line than this share of its length.
#define STRAIGHT 1e-6
// The least and the most that it is bent [rad].
#define BEND 1e-3
#define MOST_BEND 0.05

// The points of a limb, and the way from its root to the pole.
typedef struct limb {
  double s[3], m[3], h[3], p[3];
} limb;

static limb limb_of(const sinew_state *state, const sinew_objective *objective) {
  limb at;
  double *const points[3] = {at.s, at.m, at.h};
  for (int i = 0; i < 3; ++i) {
    sinew_frame frame;
    sinew_state_link(state, objective->links[i], &frame);
    sinew_frame_get(&frame, NULL, points[i]);
  }
  for (int i = 0; i < 3; ++i) {
    at.p[i] = objective->pole[i] - (objective->pole_is_direction ? 0.0 : at.s[i]);
  }
  return at;
}

static void subtract(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = a[i] - b[i];
  }
}

// v less its part along a unit vector.
static void across(const double a[3], const double v[3], double out[3]) {
  const double along = sinew_dot(a, v);
  for (int i = 0; i < 3; ++i) {
    out[i] = v[i] - along * a[i];
  }
}

// Whether a node is another or above it.
static bool is_above(const sinew_model *model, int above, int node) {
  while (node > above) {
    node = model->nodes[node].parent;
  }
  return node == above;
}

static double share_of(double length, double whole) {
  return whole > 0.0 ? sinew_min(1.0, length / (LEAST_OFFSET * whole)) : 0.0;
}

// The derivative of psi by the motions of the middle and the end.
static void differentiate(const double a[3], const double u[3], const double p[3], double x,
                          double y, double far, double by_u[3], double by_d[3]) {
  double dy[3], dx[3], side[3];
  const double square = x * x + y * y, au = sinew_dot(a, u), ap = sinew_dot(a, p);
  sinew_cross(p, a, dy);
  across(a, p, dx);
  sinew_cross(u, p, side);
  for (int i = 0; i < 3; ++i) {
    by_u[i] = (x * dy[i] - y * dx[i]) / square;
    by_d[i] = (x * side[i] + y * (ap * u[i] + au * p[i])) / square / far;
  }
  across(a, by_d, by_d);
}

double sinew_pole_row(const sinew_state *state, const sinew_objective *objective, double *rates) {
  const sinew_model *model = state->model;
  const limb at = limb_of(state, objective);
  double u[3], d[3], a[3], v[3], pole[3], by_u[3], by_d[3], middle[3];
  sinew_zero((size_t)model->nv, rates);
  subtract(at.m, at.s, u);
  subtract(at.h, at.s, d);
  subtract(at.h, at.m, v);
  const double far = sinew_norm_safe(d), reach = sinew_norm_safe(u) + sinew_norm_safe(v);
  if (!(far > 1e-6 * reach)) {
    return 0.0;
  }
  sinew_scale(1.0 / far, d, a);
  across(a, u, middle);
  across(a, at.p, pole);
  const double weight =
      share_of(sinew_norm(middle), reach) * share_of(sinew_norm_safe(pole), sinew_norm_safe(at.p));
  sinew_cross(u, at.p, v);
  const double y = sinew_dot(a, v), x = sinew_dot(middle, pole);
  if (!(weight > 1e-9)) {
    return 0.0;
  }
  differentiate(a, u, at.p, x, y, far, by_u, by_d);
  const int elbow = model->link_node[objective->links[1]];
  for (int n = model->link_node[objective->links[2]]; n >= 0; n = model->nodes[n].parent) {
    for (int i = 0; i < sinew_node_columns(&model->nodes[n]); ++i) {
      double linear[3], angular[3];
      sinew_node_column(state, n, i, at.s, linear, angular);
      if (is_above(model, n, model->link_node[objective->links[0]]) &&
          sinew_norm_safe(linear) > 1e-9 * reach) {
        continue; // it moves the limb's root
      }
      sinew_node_column(state, n, i, at.h, linear, angular);
      double rate = sinew_dot(by_d, linear);
      if (is_above(model, n, elbow)) {
        sinew_node_column(state, n, i, at.m, linear, angular);
        rate += sinew_dot(by_u, linear);
      }
      rates[model->nodes[n].v + i] += weight * rate;
    }
  }
  return weight * atan2(y, x);
}

// ------------------------------------------------------------------- straight limbs

// Whether a limb is straight: a is its direction, length that to its end.
static bool is_straight(const limb *at, double a[3], double *length) {
  double u[3], d[3], v[3], offset[3];
  subtract(at->m, at->s, u);
  subtract(at->h, at->s, d);
  subtract(at->h, at->m, v);
  *length = sinew_norm_safe(d);
  const double reach = sinew_norm_safe(u) + sinew_norm_safe(v);
  sinew_unit(d, a);
  across(a, u, offset);
  return *length > 0.5 * reach && sinew_norm_safe(offset) < STRAIGHT * reach;
}

// By how much to bend, where a task of level 0 wants the end of the limb nearer to its root; else
// 0. A step to a target beside the limb's line moves its joints too, and must not undo it.
static double wanted_bend(const sinew_solver *solver, const sinew_objective *objective,
                          const limb *at, const double a[3], double length) {
  const sinew_problem *problem = &solver->problem;
  double wanted = 0.0;
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    sinew_frame tip;
    double s[3], goal[3], side[3];
    if (task->task.link != objective->links[2] || task->linear_rows == 0 || task->relative ||
        task->task.kind > SINEW_TASK_POSE) {
      continue;
    }
    sinew_state_fixed_frame(&solver->state, task->node, &task->tip, &tip);
    sinew_frame_get(&tip, NULL, s);
    for (int i = 0; i < 3; ++i) { // of the end: the point is fixed to it, about
      goal[i] = solver->levels->targets[t].position[i] - s[i] + at->h[i] - at->s[i];
    }
    if (sinew_norm_safe(goal) < (1.0 - STRAIGHT) * length) {
      across(a, goal, side);
      wanted =
          sinew_max(wanted, sinew_clamp(2.0 * sinew_norm_safe(side) / length, BEND, MOST_BEND));
    }
  }
  return wanted;
}

// How well a bend suits: by the cosine to the pole, and a little by whether it leads to the
// posture.
static double suits(const sinew_solver *solver, const sinew_objective *objective, double towards) {
  const limb at = limb_of(&solver->state, objective);
  double u[3], d[3], a[3], middle[3], pole[3];
  subtract(at.m, at.s, u);
  subtract(at.h, at.s, d);
  sinew_unit(d, a);
  across(a, u, middle);
  across(a, at.p, pole);
  const double size = sinew_norm_safe(middle), far = sinew_norm_safe(pole);
  const bool decides = far > 1e-3 * sinew_norm_safe(at.p) && size > 0.0;
  const double cosine = decides ? sinew_dot(middle, pole) / (size * far) : 0.0;
  return cosine + (towards > 0.0 ? 1e-3 : 0.0);
}

// The longest motion of a degree of freedom in an update that begins at rest.
static double longest_motion(const sinew_solver *solver, int v) {
  const double time = solver->def.tracking.time_step;
  return time > 0.0 ? sinew_min(sinew_motion_limits_most(solver, v),
                                solver->motion.acceleration[v] * time * time)
                    : INFINITY;
}

// Moves one degree of freedom, an angle. All other values keep their bits.
static void turn(const sinew_model *model, int v, double angle, double *q) {
  double *value = &q[model->q_of_v[v]];
  if (model->quaternion_axis[v] < 0) {
    *value += angle;
  } else {
    double w[3] = {0.0, 0.0, 0.0};
    w[model->quaternion_axis[v]] = angle;
    sinew_quaternion_apply(value, w);
  }
}

// Whether a degree of freedom is within its limits, or its joint no farther outside those of swing
// and twist than before.
static bool stays_within(const sinew_solver *solver, int v, const double *before, const double *q) {
  const sinew_model *model = solver->model;
  const int at = model->q_of_v[v], cone = model->cone_of_v[v];
  if (model->quaternion_axis[v] < 0) {
    return q[at] >= solver->problem.lower[v] && q[at] <= solver->problem.upper[v];
  }
  return cone < 0 || sinew_cone_excess(&model->cones[cone], &q[at]) <=
                         sinew_cone_excess(&model->cones[cone], &before[at]);
}

// Bends the joint that is best, among those that move the end and not the middle.
static bool bend(sinew_solver *solver, const sinew_objective *objective, const limb *at,
                 const double a[3], double most, bool update, double *q) {
  sinew_levels *levels = solver->levels;
  const sinew_model *model = solver->model;
  double *trial = levels->next, *rest = levels->part;
  double best = -INFINITY;
  bool limited = false;
  size_t bytes = (size_t)model->nq * sizeof(double);
  memcpy(levels->before, q, bytes);
  sinew_configuration_difference(model, q, objective->posture, rest);
  for (int n = model->link_node[objective->links[2]]; n >= 0; n = model->nodes[n].parent) {
    for (int k = 0; k < 2 * sinew_node_columns(&model->nodes[n]); ++k) {
      const int v = model->nodes[n].v + k / 2;
      double middle[3], end[3], angular[3];
      sinew_state_place_some(&solver->state, q, levels->nodes, levels->node_count);
      sinew_node_column(&solver->state, n, k / 2, at->m, middle, angular);
      sinew_node_column(&solver->state, n, k / 2, at->h, end, angular);
      across(a, end, end);
      if (!(sinew_norm(end) > 0.01 * solver->problem.size * sinew_norm(angular)) ||
          sinew_norm(middle) > 1e-6 * sinew_norm(end) || !(solver->problem.gains[v] > 0.0) ||
          !model->angular[v]) {
        continue;
      }
      const double longest = update ? longest_motion(solver, v) : INFINITY;
      const double size = sinew_min(most, 0.5 * longest), angle = k % 2 == 0 ? size : -size;
      memcpy(trial, q, bytes);
      turn(model, v, angle, trial);
      if (!stays_within(solver, v, q, trial)) {
        continue;
      }
      sinew_state_place_some(&solver->state, trial, levels->nodes, levels->node_count);
      const double score = suits(solver, objective, angle * rest[v]);
      if (score > best) {
        best = score;
        limited = longest < INFINITY;
        memcpy(levels->before, trial, bytes);
      }
    }
  }
  memcpy(q, levels->before, bytes);
  return limited;
}

bool sinew_pole_leave_straight(sinew_solver *solver, bool update, double *q) {
  const sinew_levels *levels = solver->levels;
  bool limited = false;
  for (int i = 0; i < levels->objective_count; ++i) {
    const sinew_objective *objective = &levels->objectives[i];
    if (objective->kind != SINEW_OBJECTIVE_POLE || !(objective->weight > 0.0)) {
      continue;
    }
    double a[3], length;
    sinew_state_place_some(&solver->state, q, levels->nodes, levels->node_count);
    const limb at = limb_of(&solver->state, objective);
    const double angle =
        is_straight(&at, a, &length) ? wanted_bend(solver, objective, &at, a, length) : 0.0;
    if (angle > 0.0) {
      limited |= bend(solver, objective, &at, a, angle, update, q);
    }
  }
  return limited;
}
