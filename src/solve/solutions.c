// Solutions in order of their distance, and their images: q_j + 2 pi k for joints whose limits
// allow several values k.
#include "solve/solutions.h"
#include "math/vector.h"
#include "solve/descent.h"

#include <string.h>

#define TURN (2.0 * SINEW_PI)

static double *row_of(const sinew_solutions *all, int i) {
  return all->rows + (size_t)i * (size_t)all->solver->model->nq;
}

static double distance_of(const sinew_solutions *all, const double *q) {
  return sinew_problem_distance(&all->solver->problem, all->weights, all->to, q);
}

// Inserts the last of count rows among those before it, which are sorted. Rows at the same distance
// keep their order.
static void sort_in(sinew_solutions *all, int count) {
  const size_t bytes = (size_t)all->solver->model->nq * sizeof(double);
  double *row = all->solver->search.spare;
  int place = count - 1;
  const double distance = distance_of(all, row_of(all, place));
  while (place > 0 && distance_of(all, row_of(all, place - 1)) > distance) {
    --place;
  }
  memcpy(row, row_of(all, count - 1), bytes);
  memmove(row_of(all, place + 1), row_of(all, place), (size_t)(count - 1 - place) * bytes);
  memcpy(row_of(all, place), row, bytes);
}

void sinew_solutions_sort(sinew_solutions *all) {
  for (int count = 2; count <= all->count; ++count) {
    sort_in(all, count);
  }
}

// ------------------------------------------------------------------ images

static bool is_listed(const sinew_solutions *all, const double *image) {
  const sinew_model *model = all->solver->model;
  const sinew_problem *problem = &all->solver->problem;
  for (int i = 0; i < all->count; ++i) {
    const double *row = row_of(all, i);
    int column = 0;
    while (column < problem->pattern.dof_count) {
      const int at = model->q_of_v[problem->dof_of_column[column]];
      if (!(fabs(row[at] - image[at]) < 1e-6)) {
        break;
      }
      ++column;
    }
    if (column == problem->pattern.dof_count) {
      return true;
    }
  }
  return false;
}

// Inserts an image. Returns false if the list is full and the image is further away than all rows.
static bool add_image(sinew_solutions *all, const double *image) {
  if (is_listed(all, image)) {
    return true;
  }
  if (all->count == all->capacity) {
    if (distance_of(all, image) >= distance_of(all, row_of(all, all->count - 1))) {
      return false;
    }
    --all->count;
  }
  memcpy(row_of(all, all->count), image, (size_t)all->solver->model->nq * sizeof(double));
  sort_in(all, ++all->count);
  return true;
}

// The whole turns of degree of freedom v at x that limits allow and that keep the digits of x.
static void find_turns(const sinew_problem *problem, int v, double x, double *least, double *most) {
  sinew_whole_turns_within(x, sinew_max(problem->lower[v], -SINEW_FAR_TURNED),
                           sinew_min(problem->upper[v], SINEW_FAR_TURNED), least, most);
}

static bool is_late(sinew_solutions *all) {
  all->late = all->late || sinew_solver_is_late(all->solver, all->deadline);
  return all->late;
}

// The images of row i by whole turns of one joint in one direction, nearest first.
static void add_turns(sinew_solutions *all, int i, int v, double direction) {
  const sinew_solver *solver = all->solver;
  const int at = solver->model->q_of_v[v];
  double *image = solver->search.attempt;
  memcpy(image, row_of(all, i), (size_t)solver->model->nq * sizeof(double));
  const double x = image[at];
  double least, most;
  find_turns(&solver->problem, v, x, &least, &most);
  const double turns = direction > 0.0 ? most : -least;
  for (double k = 1.0; k <= turns && !is_late(all); k += 1.0) {
    image[at] = x + direction * k * TURN;
    if (!add_image(all, image)) {
      return;
    }
  }
}

// Whether the value x of a degree of freedom is the nearest of its images to another value. It is
// if they differ by at most half a turn.
static bool is_nearest(const sinew_problem *problem, int v, double x, double to) {
  double least, most;
  if (fabs(to - x) <= SINEW_PI) {
    return true;
  }
  find_turns(problem, v, x, &least, &most);
  return sinew_clamp(floor((to - x) / TURN + 0.5), least, most) == 0.0;
}

// For each joint, adds the images of each row whose value is the nearest of its images. Images are
// further away than their row and so come after it. If a full list drops a row, its images would
// not have been kept either.
void sinew_solutions_add_images(sinew_solutions *all) {
  const sinew_model *model = all->solver->model;
  const sinew_problem *problem = &all->solver->problem;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column], at = model->q_of_v[v];
    if (!problem->whole_turn[v] || !sinew_is_usable(problem->lower[v]) ||
        !sinew_is_usable(problem->upper[v])) {
      continue;
    }
    for (int i = 0; i < all->count && !all->late; ++i) {
      const double x = row_of(all, i)[at];
      if (fabs(x) <= SINEW_FAR_TURNED && is_nearest(problem, v, x, all->to[at])) {
        add_turns(all, i, v, 1.0);
        add_turns(all, i, v, -1.0);
      }
    }
  }
}
