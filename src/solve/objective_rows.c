// What objectives add to the step of a level: docs/levels.md has the equations. Compiled for each
// instruction set.
#include "math/vector.h"
#include "solve/lower_step.h"
#include "solve/objective_values.h"
#include "solve/pole.h"
#include "solve/value_columns.h"

#include <string.h>

// ln w of dimensionless rows is below this, so that the cost of a manipulability is positive.
#define MOST_MANIPULABILITY 20.0

// Adds w (x_v - aim_v), in the unit of objectives, to D and g.
static void add_objective(sinew_solver *solver, const double *weights, double share,
                          const double *aim) {
  sinew_levels *levels = solver->levels;
  const double *gains = solver->problem.gains;
  const int *dof = levels->dof_of_column, n = levels->n;
  double *D = levels->D, *g = levels->g, square = 0.0;
  if (sinew_levels_have_all_values(solver)) {
    levels->cost += 0.5 * sinew_value_columns_add_objective(solver, weights, share, aim);
    return;
  }
  for (int c = 0; c < n; ++c) {
    const int v = dof[c];
    const double w = weights[v] * gains[v], e = weights[v] * share * aim[v];
    D[c] += w * w;
    g[c] += w * e;
    square += e * e;
  }
  levels->cost += 0.5 * square;
}

// The way to the middle of the limits in halves of the range, of joints that have both; weights per
// radian or size.
static void find_middle(const sinew_solver *solver, const sinew_objective *objective,
                        const double *q, double *weights, double *aim) {
  const sinew_model *model = solver->model;
  for (int v = 0; v < model->nv; ++v) {
    const double unit = model->angular[v] ? 1.0 : solver->problem.size;
    const double half = sinew_objective_half_range(solver, v);
    weights[v] = half > 0.0 ? objective->weights[v] / half : 0.0;
    aim[v] = half > 0.0 ? sinew_objective_way_to_middle(solver, q, v) / unit : 0.0;
  }
}

// D_v += w^2 (1 + |a|^2), g_v += w^2 k a_v, a the gradient of ln w: a step of at most half a
// radian.
static void add_manipulability(sinew_solver *solver, int i, double share) {
  sinew_levels *levels = solver->levels;
  const sinew_objective *objective = &levels->objectives[i];
  const sinew_task *task = &levels->measured[i];
  const double square = objective->weight * objective->weight;
  const double *gains = solver->problem.gains;
  const sinew_manipulability_query query = sinew_objective_query(solver, task);
  const double w = sinew_state_manipulability(&solver->state, &query, levels->rates, levels->aim);
  double sum = 1.0;
  for (int v = 0; v < solver->model->nv; ++v) {
    sum += levels->aim[v] * levels->aim[v];
  }
  for (int c = 0; c < levels->n; ++c) {
    const int v = levels->dof_of_column[c];
    if (objective->weights[v] > 0.0) {
      levels->D[c] += square * gains[v] * gains[v] * sum;
      levels->g[c] += square * gains[v] * share * levels->aim[v];
    }
  }
  levels->cost += square * share * (MOST_MANIPULABILITY - w);
}

// A row of the level, from its derivative by each degree of freedom [rad, m].
static void put_row(sinew_levels *levels, int row, double weight, const double *rates, double e) {
  double *J = levels->J + row * sinew_levels_stride(levels);
  sinew_zero((size_t)sinew_levels_stride(levels), J);
  for (int c = 0; c < levels->n; ++c) {
    J[c] = weight * rates[levels->dof_of_column[c]] * levels->scale[c];
  }
  levels->e[row] = weight * e;
}

// sum of c_v x_v = k (d - sum of c_v q_v)
static int add_coupling(sinew_solver *solver, const sinew_objective *objective, const double *q,
                        double share, int row) {
  sinew_levels *levels = solver->levels;
  const double e = share * sinew_objective_coupling_error(solver, objective, q);
  levels->cost += 0.5 * (objective->weight * e) * (objective->weight * e);
  if (row >= 0) {
    put_row(levels, row, objective->weight, objective->coefficients, e);
  }
  return 1;
}

static bool all_usable(const double *values, int count) {
  bool usable = true;
  for (int i = 0; i < count; ++i) {
    usable &= sinew_is_usable(values[i]);
  }
  return usable;
}

// The caller's J x = -k r. Values that are not finite give no row.
static int add_callback(sinew_solver *solver, const sinew_objective *objective, const double *q,
                        double share, int row) {
  sinew_levels *levels = solver->levels;
  const int rows = objective->rows, nv = solver->model->nv;
  double *residual = levels->rates, *rates = residual + rows;
  objective->function(objective->context, q, residual, row >= 0 ? rates : NULL);
  const bool usable = all_usable(residual, rows) && (row < 0 || all_usable(rates, rows * nv));
  if (!usable && row >= 0) {
    sinew_zero((size_t)(rows * nv), rates);
  }
  for (int r = 0; r < rows; ++r) {
    const double e = usable ? -share * residual[r] : 0.0;
    levels->cost += 0.5 * (objective->weight * e) * (objective->weight * e);
    if (row >= 0) {
      put_row(levels, row + r, usable ? objective->weight : 0.0, rates + r * nv, e);
    }
  }
  return rows;
}

static int add_pole(sinew_solver *solver, const sinew_objective *objective, double share, int row) {
  sinew_levels *levels = solver->levels;
  const double weight = objective->weight;
  const double e = share * sinew_pole_row(&solver->state, objective, levels->rates);
  for (int v = 0; v < solver->model->nv; ++v) { // of what the row is to reach
    levels->rates[v] = -levels->rates[v];
  }
  levels->cost += 0.5 * (weight * e) * (weight * e);
  if (row >= 0) {
    put_row(levels, row, weight, levels->rates, e);
  }
  return 1;
}

// The objectives of the kinds that have rows of their own.
static int add_rows(sinew_solver *solver, const sinew_objective *objective, const double *q,
                    double share, int row) {
  switch (objective->kind) {
  case SINEW_OBJECTIVE_COUPLING:
    return add_coupling(solver, objective, q, share, row);
  case SINEW_OBJECTIVE_CALLBACK:
    return add_callback(solver, objective, q, share, row);
  case SINEW_OBJECTIVE_POLE:
    return add_pole(solver, objective, share, row);
  default:
    return 0;
  }
}

// Those of one joint each: D and g.
static void add_diagonal(sinew_solver *solver, const sinew_objective *objective, const double *q,
                         double share) {
  sinew_levels *levels = solver->levels;
  const sinew_model *model = solver->model;
  const double *weights = objective->weights;
  double *aim = levels->aim;
  switch (objective->kind) {
  case SINEW_OBJECTIVE_POSTURE:
    sinew_lower_find_way(solver, q, objective->posture, aim);
    break;
  case SINEW_OBJECTIVE_LIMITS:
    find_middle(solver, objective, q, levels->rates, aim);
    weights = levels->rates;
    break;
  case SINEW_OBJECTIVE_LOW_CHANGE:
    for (int v = 0; v < model->nv; ++v) {
      aim[v] = levels->last[v] - levels->moved[v];
    }
    share = 1.0;
    break;
  default: // DAMPING
    for (int v = 0; v < model->nv; ++v) {
      aim[v] = -levels->moved[v];
    }
    share = 1.0;
  }
  add_objective(solver, weights, share, aim);
}

int sinew_levels_add_objectives(sinew_solver *solver, int k, const double *q, int row) {
  sinew_levels *levels = solver->levels;
  const bool solve = levels->list == levels->descent;
  const int number = levels->list[k].number;
  int rows = 0;
  for (int i = 0; i < levels->objective_count; ++i) {
    const sinew_objective *objective = &levels->objectives[i];
    const double share = solve ? 1.0 : objective->gain;
    if (objective->level != number || !(objective->weight > 0.0) ||
        (solve && objective->kind == SINEW_OBJECTIVE_LOW_CHANGE)) {
      continue;
    }
    if (objective->kind == SINEW_OBJECTIVE_MANIPULABILITY) {
      add_manipulability(solver, i, share);
    } else if (sinew_objective_rows(objective) > 0) {
      rows += add_rows(solver, objective, q, share, row < 0 ? row : row + rows);
    } else {
      add_diagonal(solver, objective, q, share);
    }
  }
  return rows;
}
