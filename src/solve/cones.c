// Limits of swing and twist in a step: see cones.h.
#define SINEW_CALLS
#include "solve/cones.h"
#include "math/cone_fours.h"
#include "math/cone_step.h"
#include "math/vector.h"
#include "policy/gradient.h"
#include "simd/four.h"
#include "solve/solver.h"

#include <string.h>

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

// Further than this a joint's limits have no effect on a step: they are beyond where it would
// brake. Only while the figure comes to rest are its motions so small that they can be left out.
static double far_of(const sinew_solver *solver, const sinew_column_group *group) {
  const double *last = solver->history.step + solver->problem.dof_of_column[group->column];
  return solver->track.settles ? lane_cone_far(sinew_norm(last)) : INFINITY;
}

int sinew_cones_next(const sinew_problem *problem, int *g, const sinew_column_group *of[]) {
  int count = 0;
  while (count < SINEW_CONE_FOUR && (of[count] = next_cone(problem, g)) != NULL) {
    ++count;
  }
  return count;
}

// The axes of a step in the root's frame.
static void place_axes(sinew_solver *solver, const sinew_column_group *group) {
  const sinew_cone_step *step = &solver->cones[group->cone];
  const sinew_frame *frame = &solver->state.frames[group->node];
  sinew_frame *axes = &solver->evaluation.cones[group->cone];
  const sinew_four x = sinew_four_load(frame->column[0]), y = sinew_four_load(frame->column[1]),
                   z = sinew_four_load(frame->column[2]);
  for (int i = 0; i < 3; ++i) {
    const double *a = step->axis[i];
    sinew_four_store(axes->column[i],
                     x * SINEW_FOUR_OF(a[0]) + y * SINEW_FOUR_OF(a[1]) + z * SINEW_FOUR_OF(a[2]));
  }
  memcpy(axes->column[3], frame->column[3], sizeof axes->column[3]);
}

void sinew_cones_begin(sinew_solver *solver, const double *q, double dt) {
  const sinew_column_group *group[SINEW_CONE_FOUR];
  for (int g = 0, count; (count = sinew_cones_next(&solver->problem, &g, group)) > 0;) {
    const sinew_cone *cone[SINEW_CONE_FOUR];
    const double *at[SINEW_CONE_FOUR];
    double far[SINEW_CONE_FOUR];
    sinew_cone_step *step[SINEW_CONE_FOUR];
    for (int i = 0; i < count; ++i) {
      cone[i] = cone_of(solver, group[i]);
      at[i] = q + group[i]->q;
      far[i] = far_of(solver, group[i]);
      step[i] = &solver->cones[group[i]->cone];
    }
    sinew_cone_fours_set(count, cone, at, far, step);
    for (int i = 0; i < count; ++i) {
      if (dt > 0.0 && solver->motion.has_spherical) {
        sinew_spherical_take_own_axes(solver, group[i], step[i]);
      }
      place_axes(solver, group[i]);
    }
  }
  solver->evaluation.in_cones = solver->problem.cone_count > 0;
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

void sinew_cones_open(sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  const size_t bytes = (size_t)problem->pattern.dof_count * sizeof(double);
  const sinew_column_group *group;
  memcpy(solver->linear.least, solver->linear.lower, bytes);
  memcpy(solver->linear.most, solver->linear.upper, bytes);
  for (int g = 0; (group = next_cone(problem, &g)) != NULL;) {
    for (int i = 0; i < 3; ++i) {
      solver->linear.least[group->column + i] = -INFINITY;
      solver->linear.most[group->column + i] = INFINITY;
    }
  }
}

void sinew_cone_step_combine(const sinew_cone_step *step, double y[3]) {
  const double from[3] = {y[0], y[1], y[2]};
  lane_cone_step_combine(step, from, y);
}

void sinew_cones_to_joints(sinew_solver *solver) {
  const sinew_column_group *group;
  for (int g = 0; (group = next_cone(&solver->problem, &g)) != NULL;) {
    sinew_cone_step_combine(&solver->cones[group->cone], solver->linear.x + group->column);
  }
}

void sinew_cones_note(sinew_solver *solver) {
  const sinew_column_group *group;
  for (int g = 0; (group = next_cone(&solver->problem, &g)) != NULL;) {
    lane_cone_step_note(&solver->cones[group->cone], solver->linear.x + group->column);
  }
}

static void fill_motion(const sinew_solver *solver, const sinew_column_group *group,
                        const double *q, const double *last, double most, sinew_cone_motion *of) {
  const sinew_problem *problem = &solver->problem;
  of->cone = cone_of(solver, group);
  of->step = &solver->cones[group->cone];
  of->most = most;
  memcpy(of->q, q + group->q, sizeof of->q);
  for (int i = 0; i < 3; ++i) {
    const int column = group->column + i;
    of->lower[i] = problem->gain[column] * solver->linear.lower[column];
    of->upper[i] = problem->gain[column] * solver->linear.upper[column];
    of->moved[i] = solver->track.moved[column];
    of->last[i] = of->moved[i] + last[column];
  }
}

// Motions that may lead to a limit, of few joints, are gathered: four at a time are limited.
void sinew_cones_clamp(sinew_solver *solver, const double *q, const double *last, double most) {
  const sinew_column_group *group[SINEW_CONE_FOUR];
  sinew_cone_motion of[2 * SINEW_CONE_FOUR]; // from waiting on, those of the last groups
  double *x[2 * SINEW_CONE_FOUR];
  int waiting = 0;
  for (int g = 0, count; (count = sinew_cones_next(&solver->problem, &g, group)) > 0;) {
    const double *now[SINEW_CONE_FOUR];
    for (int i = 0; i < count; ++i) {
      now[i] = x[waiting + i] = solver->linear.x + group[i]->column;
      fill_motion(solver, group[i], q, last, most, &of[waiting + i]);
    }
    const unsigned reach = sinew_cone_fours_reach(count, of + waiting, now);
    const int first = waiting;
    for (int i = 0; i < count; ++i) {
      if ((reach >> i & 1u) != 0) {
        of[waiting] = of[first + i];
        x[waiting++] = x[first + i];
      }
    }
    if (waiting >= SINEW_CONE_FOUR) {
      waiting -= SINEW_CONE_FOUR;
      sinew_cone_fours_limit(SINEW_CONE_FOUR, of + waiting, x + waiting);
    }
  }
  if (waiting > 0) {
    sinew_cone_fours_limit(waiting, of, x);
  }
}

// Rotations that may be outside their limits, of few joints, with those before them.
typedef struct rotations {
  int count;
  const sinew_cone *cone[2 * SINEW_CONE_FOUR];
  double *q[2 * SINEW_CONE_FOUR], from[2 * SINEW_CONE_FOUR][4];
} rotations;

// Holds the last ones within their limits, at most four.
static void hold_last(rotations *of, int count) {
  const double *from[SINEW_CONE_FOUR];
  of->count -= count;
  for (int i = 0; i < count; ++i) {
    from[i] = of->from[of->count + i];
  }
  sinew_cone_fours_hold(count, of->cone + of->count, from, of->q + of->count);
}

void sinew_cones_move(const sinew_solver *solver, double *q) {
  const sinew_column_group *group[SINEW_CONE_FOUR];
  rotations all = {.count = 0};
  for (int g = 0, count; (count = sinew_cones_next(&solver->problem, &g, group)) > 0;) {
    const int first = all.count;
    const double *w[SINEW_CONE_FOUR];
    for (int i = 0; i < count; ++i) {
      all.cone[first + i] = cone_of(solver, group[i]);
      all.q[first + i] = q + group[i]->q;
      memcpy(all.from[first + i], q + group[i]->q, sizeof all.from[0]);
      w[i] = solver->linear.x + group[i]->column;
    }
    const unsigned outside = sinew_cone_fours_rotate(count, all.cone + first, w, all.q + first);
    for (int i = 0; i < count; ++i) {
      if ((outside >> i & 1u) != 0) {
        all.cone[all.count] = all.cone[first + i];
        all.q[all.count] = all.q[first + i];
        memmove(all.from[all.count++], all.from[first + i], sizeof all.from[0]);
      }
    }
    if (all.count >= SINEW_CONE_FOUR) {
      hold_last(&all, SINEW_CONE_FOUR);
    }
  }
  if (all.count > 0) {
    hold_last(&all, all.count);
  }
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
  if (solver->hard.count > 0) {
    sinew_hard_scale_column(&solver->hard, rows->dof_count, column, s);
  }
}

// Whether the gradient presses the joint against limit i, 0 or 1.
static bool is_pressed(const sinew_solver *solver, const sinew_column_group *group, int i) {
  const sinew_cone_step *step = &solver->cones[group->cone];
  const double gradient = solver->linear.gradient[group->column + i];
  const double up = i == 0 ? step->most : step->up;
  return (gradient > 0.0 && up < SINEW_CONE_PRESSED) ||
         (gradient < 0.0 && i == 1 && step->down > -SINEW_CONE_PRESSED);
}

double sinew_cones_damp(sinew_solver *solver, double mu) {
  const sinew_problem *problem = &solver->problem;
  double most = 0.0;
  const sinew_column_group *group;
  for (int g = 0; (group = next_cone(problem, &g)) != NULL;) {
    const bool blocked[3] = {is_pressed(solver, group, 0), is_pressed(solver, group, 1), false};
    double damping[3] = {0.0, 0.0, 0.0};
    if (blocked[0] || blocked[1]) {
      sinew_cone_step_damp(&solver->cones[group->cone], blocked,
                           solver->linear.gradient + group->column, damping);
    }
    for (int i = 0; i < 3; ++i) {
      if (!blocked[i] && damping[i] > 0.0) {
        scale_column(solver, group->cone, i, group->column + i, sqrt(mu / (mu + damping[i])));
        most = sinew_max(most, damping[i]);
      }
    }
  }
  return most / (mu + most);
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
