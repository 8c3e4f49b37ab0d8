// Laws of damping, selected. Compiled for each instruction set, with the decompositions of that
// set.
//
// Laws by singular values use those of all columns: joints at limits are not left out.
#include "solve/damping.h"
#include "math/vector.h"

#include <string.h>

// lambda where the definition has none, in sizes of the figure.
#define LAMBDA 0.1

// beta / lambda of numerical filtering: the damping of directions that are not near-singular.
#define FILTER_SHARE 0.01

// The least damping that is multiplied where a step is rejected: laws may give almost none.
#define LEAST_AGAIN 1e-4

void sinew_damping_layout(sinew_arena *arena, const sinew_step_size *size, sinew_damping_law law,
                          sinew_damping **damping) {
  if (law == SINEW_DAMPING_ERROR) {
    *damping = NULL;
    return;
  }
  const size_t m = (size_t)size->m;
  sinew_damping local;
  *damping = sinew_arena_take(arena, 1, sizeof **damping);
  sinew_damping *d = *damping != NULL ? *damping : &local;
  sinew_svd_layout(arena, size->m, size->n, &d->svd);
  sinew_filter_layout(arena, sinew_damping_needs_rows(law) ? size->m : 0, &d->filter);
  d->y = sinew_arena_take(arena, m + 2, sizeof(double));
  d->filters = sinew_arena_take(arena, 2 * m, sizeof(double));
  d->residual = sinew_arena_take(arena, m, sizeof(double));
  d->squares = sinew_arena_take(arena, (size_t)size->n, sizeof(double));
}

void sinew_damping_reset(sinew_damping *damping) {
  if (damping != NULL) {
    damping->filter.started = damping->has_ratio = false;
    damping->predicted = 0.0;
  }
}

bool sinew_damping_needs_rows(sinew_damping_law law) {
  return law == SINEW_DAMPING_FILTER || law == SINEW_DAMPING_FILTER_TWO;
}

sinew_damping_constants sinew_damping_constants_of(const sinew_step_def *def, double size) {
  return (sinew_damping_constants){.law = def->damping_law,
                                   .lambda = def->damping > 0.0 ? def->damping / size : LAMBDA,
                                   .threshold = def->damping_threshold,
                                   .error_damping = def->error_damping,
                                   .floor = def->damping_floor,
                                   .longest = def->max_turn};
}

static double manipulability_of(const sinew_svd *svd) {
  double w = 1.0;
  for (int i = 0; i < svd->count; ++i) {
    w *= svd->sigma[i];
  }
  return w;
}

static double by_singular_values(const sinew_damping_constants *c, sinew_damping *d,
                                 const sinew_step_problem *problem) {
  sinew_svd_find(problem->rows, NULL, &d->svd);
  const int count = d->svd.count;
  if (c->law == SINEW_DAMPING_MANIPULABILITY) {
    return law_manipulability(c->lambda, c->threshold, manipulability_of(&d->svd));
  }
  if (c->law == SINEW_DAMPING_SMALLEST) {
    return law_smallest(c->lambda, c->threshold, count > 0 ? d->svd.sigma[count - 1] : 0.0);
  }
  sinew_svd_project(&d->svd, problem->e, d->y);
  return law_optimal(count, d->svd.sigma, d->y, c->longest);
}

// A + sum_k lambda_k^2 u_k u_k^T + beta^2 I
static double by_filter(const sinew_damping_constants *c, sinew_damping *d,
                        sinew_step_problem *problem) {
  const int m = problem->rows->row_count;
  const double beta = FILTER_SHARE * c->lambda, mu = beta * beta;
  const int found = sinew_filter_estimate(problem->rows, c->law == SINEW_DAMPING_FILTER_TWO ? 2 : 1,
                                          mu, &d->filter);
  for (int k = 0; k < found; ++k) {
    const double lambda = sqrt(law_smallest(c->lambda, c->threshold, d->filter.sigma[k]));
    for (int i = 0; i < m; ++i) {
      d->filters[k * m + i] = lambda * d->filter.u[k][i];
    }
  }
  problem->filters = d->filters;
  problem->filter_count = found;
  return mu;
}

// The largest entry of the diagonal of J^T J.
static double largest_diagonal(const sinew_rows *rows, double *sums) {
  double most = 0.0;
  memset(sums, 0, (size_t)rows->dof_count * sizeof(double));
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    for (int k = 0; k < block->path_count; ++k) {
      const double *column = rows->values + block->value_start + k * block->row_count;
      double *sum = sums + rows->path[block->path_start + k];
      for (int i = 0; i < block->row_count; ++i) {
        *sum += column[i] * column[i];
      }
      most = sinew_max(most, *sum);
    }
  }
  return most;
}

static double by_ratio(sinew_damping *d, const sinew_step_problem *problem) {
  if (!d->has_ratio) {
    d->ratio = law_ratio_first(largest_diagonal(problem->rows, d->squares));
    d->has_ratio = true;
  }
  return d->ratio.mu;
}

void sinew_damping_fill(const sinew_damping_constants *c, double E, sinew_damping *damping,
                        sinew_step_problem *problem) {
  switch (c->law) {
  case SINEW_DAMPING_CONSTANT:
    problem->mu = law_constant(c->lambda);
    break;
  case SINEW_DAMPING_BOUND:
    problem->mu = law_bound(c->longest, E);
    break;
  case SINEW_DAMPING_CHAN_LAWRENCE:
    problem->mu = law_error(c->error_damping, E);
    break;
  case SINEW_DAMPING_SUGIHARA:
    problem->mu = law_sugihara(c->floor, E);
    break;
  case SINEW_DAMPING_GAIN_RATIO:
    problem->mu = by_ratio(damping, problem);
    break;
  case SINEW_DAMPING_FILTER:
  case SINEW_DAMPING_FILTER_TWO:
    problem->mu = by_filter(c, damping, problem);
    break;
  default:
    problem->mu = by_singular_values(c, damping, problem);
  }
}

void sinew_damping_predict(const sinew_step_problem *problem, const double *x,
                           sinew_damping *damping) {
  const int m = problem->rows->row_count;
  double before = 0.0, after = 0.0;
  memcpy(damping->residual, problem->e, (size_t)m * sizeof(double));
  sinew_rows_subtract(problem->rows, x, damping->residual);
  for (int i = 0; i < m; ++i) {
    before += problem->e[i] * problem->e[i];
    after += damping->residual[i] * damping->residual[i];
  }
  damping->predicted = 0.5 * (before - after);
}

bool sinew_damping_adapt(sinew_damping_law law, double E, double E_new, sinew_damping *damping) {
  if (law != SINEW_DAMPING_GAIN_RATIO || !damping->has_ratio) {
    return false;
  }
  damping->ratio = law_ratio_next(damping->ratio, E, E_new, damping->predicted);
  return true;
}

double sinew_damping_again(double mu, double factor) {
  return factor > 1.0 ? factor * sinew_max(mu, LEAST_AGAIN) : mu;
}
