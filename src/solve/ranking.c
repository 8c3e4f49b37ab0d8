// The choice among the solutions of a search: their costs, by which the best one is known.
#include "math/ldlt.h"
#include "math/vector.h"
#include "solve/search.h"

#include <string.h>

// A solution counts as new if it is nearer, or better, by this share.
#define NEW_SHARE 0.01

// Costs that differ by this share are the same, and those of a lower level that differ by
// TIE_COST, in squares of sizes.
#define TIE 1e-3
#define TIE_COST 1e-9

// A start between the best solution and the seed follows as long as each gains this share. If
// solutions form lines or surfaces, it converges to the nearest one.
#define NEARER_GAIN 0.001

// w = sqrt(det(J J^T)), or sqrt(det(J^T J)) if that matrix is smaller, at the last evaluation. The
// scratch of steps is large enough for either. Source: Yoshikawa, Manipulability of robotic
// mechanisms, 1985.
static double manipulability(sinew_solver *solver, const double *q) {
  const sinew_rows *rows = &solver->evaluation.rows;
  const sinew_dls_scratch *scratch = &solver->step.dls;
  const int m = rows->row_count, n = rows->dof_count, size = m < n ? m : n;
  solver->functions->linearize(solver, q, 0.0, false);
  if (m < n) {
    sinew_rows_outer(rows, NULL, scratch->matrix);
  } else {
    for (int i = 0; i < n; ++i) {
      scratch->index[i] = i;
    }
    sinew_rows_inner(rows, scratch->index, n, scratch->matrix);
  }
  if (!sinew_ldlt_factor(size, scratch->matrix, 0.0, scratch->factor)) {
    return 0.0;
  }
  double product = 1.0;
  for (int i = 0; i < size; ++i) {
    product /= sqrt(scratch->factor[i * size + i]); // the inverse of D
  }
  return product;
}

// The cost of a solution: 0 if the first is wanted, else its distance, or its score times -1.
static double cost_of(sinew_search *s, const double *q) {
  if (s->def->mode == SINEW_GLOBAL_FIRST) {
    return 0.0;
  }
  if (s->def->mode == SINEW_GLOBAL_NEAREST) {
    return sinew_search_distance(s, q);
  }
  const double score = s->def->score != NULL ? s->def->score(s->def->score_context, q)
                                             : manipulability(s->solver, q);
  return isnan(score) ? INFINITY : -score;
}

double sinew_search_cost(sinew_search *s, const double *q) {
  if (s->def->mode != SINEW_GLOBAL_BEST) {
    return sinew_search_distance(s, q);
  }
  s->solver->functions->evaluate(s->solver, s->targets, q);
  return cost_of(s, q);
}

// Whether the best solution is the one whose lower levels have the least costs, not a score.
static bool ranks_levels(const sinew_search *s) {
  return s->def->mode == SINEW_GLOBAL_BEST && s->def->score == NULL && s->each;
}

// What a solution is compared with the answer by: the costs of its lower levels, highest first, or
// its one cost.
typedef struct solution_costs {
  int count;
  const double *costs; // of the solution
  double *least;       // of the answer
} solution_costs;

// Whether a cost is smaller by more than a share.
static bool gains(double cost, double least, double share) {
  return !(cost >= least - share * fabs(least));
}

// Whether two costs count as the same: those of solutions that have descended are not exact.
static bool is_tie(const sinew_search *s, double cost, double least) {
  const double tie = TIE * fabs(least) + (ranks_levels(s) ? TIE_COST : 0.0);
  return s->each && least < INFINITY && fabs(cost - least) <= tie;
}

// Whether a solution is better than the answer: by the first costs that differ, or where none does
// by the distance. is_new: by so much that it counts as new.
static bool is_better(const sinew_search *s, const solution_costs *of, const double *q,
                      bool *is_new) {
  for (int k = 0; k < of->count; ++k) {
    const double cost = of->costs[k], least = of->least[k];
    if (!is_tie(s, cost, least)) {
      *is_new = gains(cost, least, NEW_SHARE);
      return cost < least;
    }
  }
  *is_new = false;
  return sinew_search_distance(s, q) < sinew_search_distance(s, s->solver->search.answer);
}

bool sinew_search_improves(sinew_search *s, const double *q, bool *is_new) {
  const sinew_levels *levels = ranks_levels(s) ? s->whole->levels : NULL;
  const double cost = levels == NULL ? cost_of(s, q) : 0.0;
  solution_costs of = {.count = 1, .costs = &cost, .least = &s->least};
  if (levels != NULL) {
    of = (solution_costs){
        .count = levels->depth, .costs = levels->costs, .least = levels->least_costs};
  }
  *is_new = true;
  if (s->answered && !is_better(s, &of, q, is_new)) {
    return false;
  }
  if (s->def->mode == SINEW_GLOBAL_NEAREST &&
      (!s->answered || gains(cost, s->least, NEARER_GAIN))) {
    s->seeds->nearer = s->solver->search.answer;
  }
  memcpy(of.least, of.costs, (size_t)of.count * sizeof(double));
  return true;
}
