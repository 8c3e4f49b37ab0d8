// Combinations of solutions of separate components: see product.h.
#include "solve/product.h"
#include "math/vector.h"
#include "solve/components.h"
#include "solve/scratch.h"

#include <string.h>

static double *row_of(const sinew_solutions *all, int i) {
  return all->rows + (size_t)i * (size_t)all->solver->model->nq;
}

static const sinew_problem *problem_of(const sinew_solutions *all, int component) {
  return &all->solver->components.solvers[component].problem;
}

// The distance of a row by the values of components first to end - 1. Distances add up.
static double distance_of(const sinew_solutions *all, int first, int end, const double *row) {
  double sum = 0.0;
  for (int k = first; k < end; ++k) {
    sum += sinew_problem_distance(problem_of(all, k), all->weights, all->to, row);
  }
  return sum;
}

void sinew_component_copy(const sinew_problem *part, const double *from, double *to) {
  for (int i = 0; i < part->group_count; ++i) {
    const sinew_column_group *group = &part->groups[i];
    memcpy(to + group->q, from + group->q, (group->spherical ? 4 : 1) * sizeof *to);
  }
}

// The pairs (i, j) of the nearest combinations: of row j of the list those with rows 0 ..
// taken[j] - 1.
typedef struct pairs {
  int taken[SINEW_KNOWN_ALL];
  double distance[SINEW_KNOWN_ALL]; // of row j
  double next[SINEW_KNOWN_ALL];     // distance of the next, or of the last, pair with row j
} pairs;

// Takes pairs, the nearest first, as far as there is room. Returns how many.
static int take_nearest(const sinew_solutions *all, int component, int count, pairs *p) {
  int sum = 0;
  for (int j = 0; j < count; ++j) {
    p->next[j] = distance_of(all, 0, component, row_of(all, 0)) + p->distance[j];
    p->taken[j] = 0;
  }
  for (; sum < all->capacity; ++sum) {
    int best = -1;
    for (int j = 0; j < count; ++j) {
      if (p->taken[j] < all->count && (best < 0 || p->next[j] < p->next[best])) {
        best = j;
      }
    }
    if (best < 0) {
      break;
    }
    const int i = ++p->taken[best];
    if (i < all->count) {
      p->next[best] = distance_of(all, 0, component, row_of(all, i)) + p->distance[best];
    }
  }
  return sum;
}

static double last_of(const sinew_solutions *all, int component, const pairs *p, int j) {
  return p->taken[j] == 0
             ? -INFINITY
             : distance_of(all, 0, component, row_of(all, p->taken[j] - 1)) + p->distance[j];
}

// Pairs are written from the last one on, in place: of those with row j that are left, (i, j) is
// the last of i + 1, so that it is written to a row at or after i.
void sinew_solutions_multiply(sinew_solutions *all, int component, const double *list, int count) {
  const size_t nq = (size_t)all->solver->model->nq;
  pairs p;
  for (int j = 0; j < count; ++j) {
    p.distance[j] = distance_of(all, component, component + 1, list + (size_t)j * nq);
  }
  const int sum = take_nearest(all, component, count, &p);
  for (int j = 0; j < count; ++j) {
    p.next[j] = last_of(all, component, &p, j);
  }
  for (int row = sum - 1; row >= 0; --row) {
    int last = 0;
    for (int j = 1; j < count; ++j) {
      last = p.next[j] >= p.next[last] ? j : last;
    }
    const int i = --p.taken[last];
    if (i != row) {
      memcpy(row_of(all, row), row_of(all, i), nq * sizeof(double));
    }
    sinew_component_copy(problem_of(all, component), list + (size_t)last * nq, row_of(all, row));
    p.next[last] = last_of(all, component, &p, last);
  }
  all->count = sum;
}
