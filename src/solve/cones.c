// Limits of swing and twist in a step: see cones.h.
#include "solve/cones.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "policy/gradient.h"
#include "solve/solver.h"

#include <string.h>

// A limit nearer than this [rad] is reached: joints are held a little inside theirs (math/cone.c).
#define REACHED 1e-10
// A joint that the gradient presses against a limit so near [rad] counts as being at it, since a
// step along other limits may leave it a little inside.
#define PRESSED 1e-3
// The step of the second difference of a limit [rad].
#define DIFFERENCE 1e-3

// The next group with a cone from g on, or NULL.
static const sinew_column_group *next_cone(const sinew_problem *problem, int *g) {
  while (problem->cone_count > 0 && *g < problem->group_count) {
    const sinew_column_group *group = &problem->groups[(*g)++];
    if (group->cone >= 0) {
      return group;
    }
  }
  return NULL;
}

static const sinew_cone *cone_of(const sinew_solver *solver, const sinew_column_group *group) {
  return &solver->model->cones[solver->model->nodes[group->node].cone];
}

// r_3 and the dual axes.
static void complete(sinew_cone_step *step) {
  double(*r)[3] = step->row, (*a)[3] = step->axis;
  sinew_cross(r[0], r[1], r[2]);
  const double sine = sinew_norm(r[2]);
  sinew_scale(1.0 / sine, r[2], r[2]);
  sinew_cross(r[1], r[2], a[0]);
  sinew_cross(r[2], r[0], a[1]);
  sinew_scale(1.0 / sine, a[0], a[0]);
  sinew_scale(1.0 / sine, a[1], a[1]);
  memcpy(a[2], r[2], sizeof a[2]);
}

static double reached(double distance) {
  return fabs(distance) < REACHED ? 0.0 : distance;
}

void sinew_cones_begin(sinew_solver *solver, const double *q) {
  const sinew_problem *problem = &solver->problem;
  const sinew_column_group *group;
  for (int g = 0; (group = next_cone(problem, &g)) != NULL;) {
    sinew_cone_step *step = &solver->cones[group->cone];
    const sinew_frame *frame = &solver->state.frames[group->node];
    sinew_frame *axes = &solver->evaluation.cones[group->cone];
    sinew_cone_rows rows;
    sinew_cone_linearize(cone_of(solver, group), q + group->q, &rows);
    memcpy(step->row[0], rows.swing, sizeof rows.swing);
    memcpy(step->row[1], rows.twist, sizeof rows.twist);
    step->most = reached(rows.most);
    step->down = reached(rows.down);
    step->up = reached(rows.up);
    step->value[0] = rows.level;
    step->value[1] = rows.angle;
    step->unit[0] = rows.swing_unit;
    step->unit[1] = rows.twist_unit;
    complete(step);
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) {
        axes->column[i][k] = frame->column[0][k] * step->axis[i][0] +
                             frame->column[1][k] * step->axis[i][1] +
                             frame->column[2][k] * step->axis[i][2];
      }
      axes->column[i][3] = 0.0;
    }
    memcpy(axes->column[3], frame->column[3], sizeof axes->column[3]);
  }
  solver->evaluation.in_cones = problem->cone_count > 0;
}

// The least of the joint's speed limits, times dt.
static double most_of_speed(const sinew_solver *solver, const sinew_column_group *group,
                            double dt) {
  double most = INFINITY;
  for (int i = 0; dt > 0.0 && i < 3; ++i) {
    most = sinew_min(most, solver->motion.speed[solver->problem.dof_of_column[group->column + i]]);
  }
  return dt > 0.0 ? most * dt : INFINITY;
}

void sinew_cones_bound(sinew_solver *solver, double dt) {
  const sinew_column_group *group;
  for (int g = 0; (group = next_cone(&solver->problem, &g)) != NULL;) {
    const sinew_cone_step *step = &solver->cones[group->cone];
    const double most = most_of_speed(solver, group, dt);
    const double lower[3] = {-INFINITY, step->down, -INFINITY},
                 upper[3] = {step->most, step->up, INFINITY};
    for (int i = 0; i < 3; ++i) {
      const int column = group->column + i;
      const double inverse = solver->problem.inverse_scale[column];
      solver->linear.lower[column] = sinew_clamp(lower[i], -most, most) * inverse;
      solver->linear.upper[column] = sinew_clamp(upper[i], -most, most) * inverse;
    }
  }
}

void sinew_cones_brake(sinew_solver *solver, const sinew_cone_brakes *by) {
  const sinew_problem *problem = &solver->problem;
  const sinew_column_group *group;
  for (int g = 0; (group = next_cone(problem, &g)) != NULL;) {
    const sinew_cone_step *step = &solver->cones[group->cone];
    const double *w = by->moved + group->column;
    const double *last = by->last + problem->dof_of_column[group->column];
    const double far[2] = {step->most, step->up};
    for (int i = 0; i < 2; ++i) {
      const int column = group->column + i;
      const double inverse = problem->inverse_scale[column];
      const double moved = sinew_dot(step->row[i], w), before = sinew_dot(step->row[i], last);
      double *lower = &solver->linear.lower[column], *upper = &solver->linear.upper[column];
      if (far[i] >= 0.0 && far[i] < INFINITY) {
        const double most = (by->brake(by->brakes, far[i] + moved, before) - moved) * inverse;
        *upper = sinew_max(*lower, sinew_min(*upper, sinew_max(most, 0.0)));
      }
      if (i == 1 && step->down <= 0.0 && step->down > -INFINITY) {
        const double most = (by->brake(by->brakes, moved - step->down, -before) + moved) * inverse;
        *lower = sinew_min(*upper, sinew_max(*lower, -sinew_max(most, 0.0)));
      }
    }
  }
}

void sinew_cones_open(sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  const size_t bytes = (size_t)problem->pattern.dof_count * sizeof(double);
  const sinew_column_group *group;
  if (solver->linear.least == solver->linear.lower) {
    return;
  }
  memcpy(solver->linear.least, solver->linear.lower, bytes);
  memcpy(solver->linear.most, solver->linear.upper, bytes);
  for (int g = 0; (group = next_cone(problem, &g)) != NULL;) {
    for (int i = 0; i < 3; ++i) {
      solver->linear.least[group->column + i] = -INFINITY;
      solver->linear.most[group->column + i] = INFINITY;
    }
  }
}

static void combine(const sinew_cone_step *step, const double y[3], double w[3]) {
  for (int k = 0; k < 3; ++k) {
    w[k] = y[0] * step->axis[0][k] + y[1] * step->axis[1][k] + y[2] * step->axis[2][k];
  }
}

void sinew_cones_to_joints(sinew_solver *solver) {
  const sinew_column_group *group;
  for (int g = 0; (group = next_cone(&solver->problem, &g)) != NULL;) {
    double *x = solver->linear.x + group->column;
    const double y[3] = {x[0], x[1], x[2]};
    combine(&solver->cones[group->cone], y, x);
  }
}

void sinew_cones_clamp(sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  const sinew_column_group *group;
  for (int g = 0; (group = next_cone(problem, &g)) != NULL;) {
    const sinew_cone_step *step = &solver->cones[group->cone];
    double *x = solver->linear.x + group->column, y[3];
    bool outside = false;
    for (int i = 0; i < 3; ++i) {
      const int column = group->column + i;
      const double gain = problem->gain[column], at = sinew_dot(step->row[i], x);
      y[i] =
          sinew_clamp(at, gain * solver->linear.lower[column], gain * solver->linear.upper[column]);
      outside |= y[i] != at;
    }
    if (outside) {
      combine(step, y, x);
    }
  }
}

// Limit i after q has moved by h w: f or the twist.
static double value_at(const sinew_cone *cone, const double q[4], int i, const double w[3],
                       double h) {
  double moved[4], by[3];
  sinew_swing_twist of;
  memcpy(moved, q, sizeof moved);
  sinew_scale(h, w, by);
  sinew_quaternion_apply(moved, by);
  sinew_swing_twist_of(cone, moved, &of);
  return i == 0 ? sinew_cone_level(cone, of.swing) : of.twist;
}

// The second derivative of limit i, 0 or 1, along a direction, in units of its slope along its row.
static double second_difference(const sinew_cone *cone, const sinew_cone_step *step,
                                const double q[4], int i, const double w[3]) {
  const double after = value_at(cone, q, i, w, DIFFERENCE),
               before = value_at(cone, q, i, w, -DIFFERENCE), at = step->value[i];
  return ((after - at) - (at - before)) / (DIFFERENCE * DIFFERENCE * step->unit[i]);
}

// Adds to damping (3) what limit i with a multiplier adds to the diagonal of Newton's matrix along
// the other axes, and the most that it may add beside it, sqrt(aa bb).
static void add_curvature(const sinew_cone *cone, const sinew_cone_step *step, const double q[4],
                          int i, double multiplier, double damping[3]) {
  const double aa = multiplier * second_difference(cone, step, q, i, step->axis[1 - i]),
               bb = multiplier * second_difference(cone, step, q, i, step->axis[2]);
  const double ab = sqrt(fabs(aa * bb));
  damping[1 - i] += sinew_max(aa, 0.0) + ab;
  damping[2] += sinew_max(bb, 0.0) + ab;
}

// Multiplies a column by s: y is then 1 / s times as large.
static void scale_column(sinew_solver *solver, int cone, int i, int column, double s) {
  const sinew_rows *rows = &solver->evaluation.rows;
  sinew_cone_step *step = &solver->cones[cone];
  for (int t = rows->incidence_start[column]; t < rows->incidence_start[column + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
    double *values = rows->values + block->value_start + rows->incidences[t].k * block->row_count;
    for (int r = 0; r < block->row_count; ++r) {
      values[r] *= s;
    }
  }
  sinew_scale(s, step->axis[i], step->axis[i]);
  sinew_scale(1.0 / s, step->row[i], step->row[i]);
  sinew_scale(s, solver->evaluation.cones[cone].column[i],
              solver->evaluation.cones[cone].column[i]);
  solver->linear.gradient[column] *= s;
  solver->linear.lower[column] /= s;
  solver->linear.upper[column] /= s;
}

// Whether the gradient presses the joint against limit i, 0 or 1.
static bool is_pressed(const sinew_solver *solver, const sinew_column_group *group, int i) {
  const sinew_cone_step *step = &solver->cones[group->cone];
  const double gradient = solver->linear.gradient[group->column + i];
  const double up = i == 0 ? step->most : step->up;
  return (gradient > 0.0 && up < PRESSED) || (gradient < 0.0 && i == 1 && step->down > -PRESSED);
}

void sinew_cones_damp(sinew_solver *solver, const double *q, double mu) {
  const sinew_problem *problem = &solver->problem;
  const sinew_column_group *group;
  for (int g = 0; (group = next_cone(problem, &g)) != NULL;) {
    double damping[3] = {0.0, 0.0, 0.0};
    bool blocked[3] = {false, false, false};
    for (int i = 0; i < 2; ++i) {
      blocked[i] = is_pressed(solver, group, i);
      if (blocked[i]) {
        add_curvature(cone_of(solver, group), &solver->cones[group->cone], q + group->q, i,
                      solver->linear.gradient[group->column + i], damping);
      }
    }
    for (int i = 0; i < 3; ++i) {
      if (!blocked[i] && damping[i] > 0.0) {
        scale_column(solver, group->cone, i, group->column + i, sqrt(mu / (mu + damping[i])));
      }
    }
  }
}

double sinew_cones_free_gradient(const sinew_solver *solver, double gradient) {
  const sinew_problem *problem = &solver->problem;
  const sinew_column_group *group;
  double square = gradient * gradient;
  for (int g = 0; (group = next_cone(problem, &g)) != NULL;) {
    for (int i = 0; i < 2; ++i) {
      const int column = group->column + i;
      const double part = gradient_free(solver->linear.gradient[column],
                                        solver->linear.lower[column], solver->linear.upper[column]);
      square -= is_pressed(solver, group, i) ? part * part : 0.0;
    }
  }
  return sqrt(sinew_max(square, 0.0));
}
