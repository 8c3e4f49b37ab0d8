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
#include "solve/pole.h"
#include "kinematics/jacobian.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "solve/solver.h"

#include <string.h>

// Below these shares of the limb's length the weight falls.
#define LEAST_OFFSET 0.05
// Spherical joints at the middle have a part where those at the root turn the limb by less than
// this for each radian. A spherical elbow may have more room to one side than to another: turned
// towards the pole while it bends, it could end where its limits leave none.
#define TURNS 0.5

sinew_limb_points sinew_pole_points(const sinew_state *state, const sinew_objective *objective) {
  sinew_limb_points at;
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
  sinew_across(a, p, dx);
  sinew_cross(u, p, side);
  for (int i = 0; i < 3; ++i) {
    by_u[i] = (x * dy[i] - y * dx[i]) / square;
    by_d[i] = (x * side[i] + y * (ap * u[i] + au * p[i])) / square / far;
  }
  sinew_across(a, by_d, by_d);
}

// Takes a share from the rates of the spherical joints between a limb's first link and its end.
static void leave_to_root(const sinew_model *model, const sinew_objective *objective, double share,
                          double *rates) {
  const int root = model->link_node[objective->links[0]];
  for (int n = model->link_node[objective->links[2]]; n > root; n = model->nodes[n].parent) {
    for (int i = 0; model->nodes[n].kind == SINEW_NODE_SPHERICAL && i < 3; ++i) {
      rates[model->nodes[n].v + i] *= 1.0 - share;
    }
  }
}

double sinew_pole_row(const sinew_state *state, const sinew_objective *objective, double *rates) {
  const sinew_model *model = state->model;
  const sinew_limb_points at = sinew_pole_points(state, objective);
  double u[3], d[3], a[3], v[3], pole[3], by_u[3], by_d[3], middle[3];
  sinew_zero((size_t)model->nv, rates);
  sinew_subtract(at.m, at.s, u);
  sinew_subtract(at.h, at.s, d);
  sinew_subtract(at.h, at.m, v);
  const double far = sinew_norm_safe(d), reach = sinew_norm_safe(u) + sinew_norm_safe(v);
  if (!(far > 1e-6 * reach)) {
    return 0.0;
  }
  sinew_scale(1.0 / far, d, a);
  sinew_across(a, u, middle);
  sinew_across(a, at.p, pole);
  const double weight =
      share_of(sinew_norm(middle), reach) * share_of(sinew_norm_safe(pole), sinew_norm_safe(at.p));
  sinew_cross(u, at.p, v);
  const double y = sinew_dot(a, v), x = sinew_dot(middle, pole);
  if (!(weight > 1e-9)) {
    return 0.0;
  }
  differentiate(a, u, at.p, x, y, far, by_u, by_d);
  const int elbow = model->link_node[objective->links[1]];
  const int root = model->link_node[objective->links[0]];
  double turns = 0.0; // squared
  for (int n = model->link_node[objective->links[2]]; n >= 0; n = model->nodes[n].parent) {
    for (int i = 0; i < sinew_node_columns(&model->nodes[n]); ++i) {
      double linear[3], angular[3];
      sinew_node_column(state, n, i, at.s, linear, angular);
      if (is_above(model, n, root) && sinew_norm_safe(linear) > 1e-9 * reach) {
        continue; // it moves the limb's root
      }
      sinew_node_column(state, n, i, at.h, linear, angular);
      double rate = sinew_dot(by_d, linear);
      if (is_above(model, n, elbow)) {
        sinew_node_column(state, n, i, at.m, linear, angular);
        rate += sinew_dot(by_u, linear);
      }
      turns += is_above(model, n, root) ? rate * rate : 0.0;
      rates[model->nodes[n].v + i] += weight * rate;
    }
  }
  leave_to_root(model, objective, sinew_min(1.0, sqrt(turns) / TURNS), rates);
  return weight * atan2(y, x);
}

// ------------------------------------------------------------------- where the end should be

// Whether a task controls the whole position, and has one place for it.
static bool is_at_a_point(const sinew_compiled_task *task) {
  bool point = task->linear_rows == 3 && !task->relative && !task->task.center_of_mass &&
               task->task.kind <= SINEW_TASK_POSE;
  for (int i = 0; i < 3; ++i) {
    point &= task->task.range_lower[i] == 0.0 && task->task.range_upper[i] == 0.0;
  }
  return point;
}

bool sinew_pole_goal(const sinew_solver *solver, int t, const double s[3], const double h[3],
                     double goal[3]) {
  const sinew_compiled_task *task = &solver->problem.tasks[t];
  sinew_frame tip;
  double p[3];
  if (!is_at_a_point(task)) {
    return false;
  }
  sinew_state_fixed_frame(&solver->state, task->node, &task->tip, &tip);
  sinew_frame_get(&tip, NULL, p);
  for (int i = 0; i < 3; ++i) { // the point is fixed to the end, about
    goal[i] = solver->levels->targets[t].position[i] - p[i] + h[i] - s[i];
  }
  return true;
}
