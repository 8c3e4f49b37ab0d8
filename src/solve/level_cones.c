// Limits of swing and twist in the steps of lower levels: see level_cones.h.
//
//   w = A y,   J_y = J A,   g_y = A^T g,   D_y = diag(sum over j of |A^T D A|_ij)
//
// D_y - A^T D A is positive semidefinite, so that a step which lowers the quadratic with D_y lowers
// the one with D, and both have the same minima over the iterations. Where one limit of the joint
// is near and D the same for its three columns, they are equal.
#include "solve/level_cones.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "solve/lower_step.h"

#include <string.h>

// A limit so many times the longest motion away cannot be reached.
#define NEAR_STEPS 2.0

void sinew_level_cones_compile(const sinew_solver *solver, sinew_levels *levels) {
  const sinew_model *model = solver->model;
  levels->cone_count = 0;
  for (int n = 0; model->cone_count > 0 && n < model->node_count; ++n) {
    const sinew_node *node = &model->nodes[n];
    const int c = node->cone >= 0 ? levels->column_of_dof[node->v] : -1;
    const double *scale = levels->scale + c;
    if (c >= 0 && levels->column_of_dof[node->v + 1] >= 0 &&
        levels->column_of_dof[node->v + 2] >= 0 && scale[1] == scale[0] && scale[2] == scale[0]) {
      levels->cones[levels->cone_count++] = (sinew_level_cone){.column = c, .node = n};
    }
  }
}

// Whether a column stays since an objective of a higher level determines it; of a joint's three all
// or only some of them may.
static bool is_settled(const sinew_levels *levels, int column) {
  bool settled = false;
  for (int i = 0; i < 3; ++i) {
    settled |= (levels->settled[column + i] & SINEW_LEVEL_SETTLED) != 0;
  }
  return settled;
}

void sinew_level_cones_begin(sinew_solver *solver, const double *q) {
  sinew_levels *levels = solver->levels;
  const double far = NEAR_STEPS * levels->longest;
  for (int k = 0; k < levels->cone_count; ++k) {
    sinew_level_cone *at = &levels->cones[k];
    const sinew_node *node = &solver->model->nodes[at->node];
    sinew_cone_step *step = &at->step;
    at->near = !is_settled(levels, at->column);
    if (!at->near) {
      continue;
    }
    sinew_cone_step_set(step, &solver->model->cones[node->cone], q + node->q, far);
    at->near = step->most < far || step->up < far || step->down > -far;
  }
}

void sinew_level_cones_turn_rows(const sinew_levels *levels, int count, double *J) {
  const int stride = sinew_levels_stride(levels);
  for (int k = 0; k < levels->cone_count; ++k) {
    const sinew_cone_step *step = &levels->cones[k].step;
    double *at = J + levels->cones[k].column;
    for (int r = 0; levels->cones[k].near && r < count; ++r, at += stride) {
      const double w[3] = {at[0], at[1], at[2]};
      for (int i = 0; i < 3; ++i) {
        at[i] = sinew_dot(step->axis[i], w);
      }
    }
  }
}

// Whether the level presses a joint against limits, and what their curvature then adds to D.
static void add_curvature(const sinew_levels *levels, const sinew_level_rows *rows,
                          const sinew_level_cone *at, const double g[3], double D[3]) {
  const int stride = sinew_level_stride(rows->n);
  const double scale = levels->scale[at->column];
  double press[2] = {g[0], g[1]}, damping[3] = {0.0, 0.0, 0.0};
  for (int r = rows->fixed; r < rows->fixed + rows->wanted; ++r) {
    for (int i = 0; i < 2; ++i) {
      press[i] += rows->e[r] * rows->J[r * stride + at->column + i];
    }
  }
  const bool blocked[2] = {press[0] > 0.0 && at->step.most < SINEW_CONE_PRESSED,
                           (press[1] > 0.0 && at->step.up < SINEW_CONE_PRESSED) ||
                               (press[1] < 0.0 && at->step.down > -SINEW_CONE_PRESSED)};
  sinew_cone_step_damp(&at->step, blocked, press, damping);
  for (int j = 0; j < 3; ++j) {
    D[j] += damping[j] * scale;
  }
}

void sinew_level_cones_turn_weights(sinew_solver *solver, const sinew_level_rows *rows) {
  sinew_levels *levels = solver->levels;
  for (int k = 0; k < levels->cone_count; ++k) {
    sinew_level_cone *at = &levels->cones[k];
    double(*A)[3] = at->step.axis; // its columns
    double *D = levels->D + at->column, *g = levels->g + at->column;
    double turned[3], added[3] = {0.0, 0.0, 0.0};
    if (!at->near) {
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      turned[i] = sinew_dot(A[i], g);
      for (int j = 0; j < 3; ++j) {
        const double product =
            A[i][0] * D[0] * A[j][0] + A[i][1] * D[1] * A[j][1] + A[i][2] * D[2] * A[j][2];
        added[i] += fabs(product);
      }
    }
    add_curvature(levels, rows, at, turned, added);
    memcpy(g, turned, sizeof turned);
    memcpy(D, added, sizeof added);
  }
}

// What speeds leave of a joint's motion, the least of its three, after the motion until q.
static void bound_speed(const sinew_solver *solver, const sinew_level_cone *at, double lower[3],
                        double upper[3]) {
  const sinew_levels *levels = solver->levels;
  const int v = solver->model->nodes[at->node].v;
  double most = INFINITY;
  for (int i = 0; i < 3; ++i) {
    most = sinew_min(most, sinew_motion_limits_most(solver, v + i));
  }
  for (int i = 0; most < INFINITY && i < 3; ++i) {
    const double moved = sinew_dot(at->step.row[i], levels->moved + v);
    lower[i] = sinew_max(lower[i], -most - moved);
    upper[i] = sinew_min(upper[i], most - moved);
  }
}

// What accelerations leave of it: the box around that of the joint's own axes.
static void bound_acceleration(const sinew_solver *solver, const sinew_level_cone *at,
                               double lower[3], double upper[3]) {
  const int v = solver->model->nodes[at->node].v;
  if (solver->motion.q == NULL || !sinew_spherical_is_limited(solver, v)) {
    return;
  }
  const double *moved = solver->levels->moved + v;
  double low[3], high[3];
  for (int i = 0; i < 3; ++i) {
    low[i] = solver->motion.lower[v + i] - moved[i];
    high[i] = solver->motion.upper[v + i] - moved[i];
  }
  for (int i = 0; i < 3; ++i) {
    double least, most;
    sinew_spherical_range(at->step.row[i], low, high, &least, &most);
    lower[i] = sinew_max(lower[i], least);
    upper[i] = sinew_min(upper[i], most);
  }
}

bool sinew_level_cones_have(const sinew_levels *levels, int column) {
  bool have = false;
  for (int k = 0; k < levels->cone_count; ++k) {
    const sinew_level_cone *at = &levels->cones[k];
    have |= at->near && column >= at->column && column < at->column + 3;
  }
  return have;
}

bool sinew_level_cones_bound(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  bool bounded = false;
  for (int k = 0; k < levels->cone_count; ++k) {
    const sinew_level_cone *at = &levels->cones[k];
    double lower[3] = {-INFINITY, -INFINITY, -INFINITY}, upper[3] = {INFINITY, INFINITY, INFINITY};
    if (!at->near) {
      continue;
    }
    upper[0] = at->step.most;
    lower[1] = at->step.down;
    upper[1] = at->step.up;
    if (sinew_lower_has_speeds(solver)) {
      bound_speed(solver, at, lower, upper);
      bound_acceleration(solver, at, lower, upper);
    }
    for (int i = 0; i < 3; ++i) {
      const int c = at->column + i;
      levels->lower_x[c] = sinew_min(lower[i], 0.0) / levels->scale[c];
      levels->upper_x[c] = sinew_max(upper[i], 0.0) / levels->scale[c];
    }
    bounded = true;
  }
  return bounded;
}

void sinew_level_cones_to_joints(const sinew_levels *levels, double *x) {
  for (int k = 0; k < levels->cone_count; ++k) {
    const sinew_level_cone *at = &levels->cones[k];
    if (at->near) {
      sinew_cone_step_combine(&at->step, x + at->column);
    }
  }
}

// Moves q towards another rotation, no axis further than most.
static void approach(const sinew_cone *cone, const double to[4], const double most[3],
                     double q[4]) {
  double w[3], share = 1.0;
  sinew_quaternion_difference(q, to, w);
  for (int i = 0; i < 3; ++i) {
    share = fabs(w[i]) > most[i] ? sinew_min(share, most[i] / fabs(w[i])) : share;
  }
  if (share == 1.0) {
    memcpy(q, to, 4 * sizeof *q);
    return;
  }
  sinew_scale(share, w, w);
  sinew_cone_move(cone, false, w, q);
}

void sinew_level_cones_bring_inside(const sinew_solver *solver, const sinew_problem *problem,
                                    bool fast, double *q) {
  const sinew_levels *levels = solver->levels;
  for (int k = 0; k < levels->cone_count; ++k) {
    const sinew_node *node = &solver->model->nodes[levels->cones[k].node];
    const sinew_cone *cone = &solver->model->cones[node->cone];
    double to[4], most[3];
    memcpy(to, q + node->q, sizeof to);
    for (int i = 0; i < 3; ++i) {
      most[i] = fast ? INFINITY : sinew_motion_limits_most(solver, node->v + i);
    }
    if (problem->column_of_dof[node->v] < 0 && sinew_cone_hold(cone, NULL, to)) {
      approach(cone, to, most, q + node->q);
    }
  }
}
