// Solutions in order of their distance, and their images: q_j + 2 pi k for joints whose limits
// allow several values k.
#include "solve/solutions.h"
#include "math/vector.h"

#include <string.h>

#define TURN (2.0 * SINEW_PI)

// Inserts the last of count rows among those before it, which are sorted. Rows at the same distance
// keep their order.
static void sort_in(sinew_solver *solver, const double *weights, const double *to, int count,
                    double *rows) {
  const size_t nq = (size_t)solver->model->nq;
  double *row = solver->search.spare;
  int place = count - 1;
  const double distance =
      sinew_problem_distance(&solver->problem, weights, to, rows + (size_t)place * nq);
  while (place > 0 && sinew_problem_distance(&solver->problem, weights, to,
                                             rows + (size_t)(place - 1) * nq) > distance) {
    --place;
  }
  memcpy(row, rows + (size_t)(count - 1) * nq, nq * sizeof(double));
  memmove(rows + (size_t)(place + 1) * nq, rows + (size_t)place * nq,
          (size_t)(count - 1 - place) * nq * sizeof(double));
  memcpy(rows + (size_t)place * nq, row, nq * sizeof(double));
}

void sinew_solutions_sort(sinew_solver *solver, const double *weights, const double *to, int count,
                          double *rows) {
  for (int i = 2; i <= count; ++i) {
    sort_in(solver, weights, to, i, rows);
  }
}

// ------------------------------------------------------------------ images

// The list of rows to which images are added.
typedef struct images {
  sinew_solver *solver;
  const double *weights, *to;
  int count, capacity;
  double *rows;
} images;

static bool is_listed(const images *all, const double *image) {
  const sinew_model *model = all->solver->model;
  const sinew_problem *problem = &all->solver->problem;
  for (int i = 0; i < all->count; ++i) {
    const double *row = all->rows + (size_t)i * (size_t)model->nq;
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
static bool add_image(images *all, const double *image) {
  const size_t nq = (size_t)all->solver->model->nq;
  if (is_listed(all, image)) {
    return true;
  }
  if (all->count == all->capacity) {
    const double *last = all->rows + (size_t)(all->count - 1) * nq;
    if (sinew_problem_distance(&all->solver->problem, all->weights, all->to, image) >=
        sinew_problem_distance(&all->solver->problem, all->weights, all->to, last)) {
      return false;
    }
    --all->count;
  }
  memcpy(all->rows + (size_t)all->count * nq, image, nq * sizeof(double));
  sort_in(all->solver, all->weights, all->to, ++all->count, all->rows);
  return true;
}

// The images of row i by whole turns of one joint in one direction, nearest first.
static void add_turns(images *all, int i, int v, double direction) {
  const sinew_solver *solver = all->solver;
  const size_t nq = (size_t)solver->model->nq;
  const int at = solver->model->q_of_v[v];
  double *image = solver->search.attempt;
  memcpy(image, all->rows + (size_t)i * nq, nq * sizeof(double));
  const double x = image[at];
  double least, most;
  sinew_whole_turns_within(x, solver->problem.lower[v], solver->problem.upper[v], &least, &most);
  for (double k = 1.0; k <= (direction > 0.0 ? most : -least); k += 1.0) {
    image[at] = x + direction * k * TURN;
    if (!add_image(all, image)) {
      return;
    }
  }
}

// Whether a value is the nearest of its images to another value. It is if they differ by at most
// half a turn.
static bool is_nearest(double x, double to, double lower, double upper) {
  double least, most;
  if (fabs(to - x) <= SINEW_PI) {
    return true;
  }
  sinew_whole_turns_within(x, lower, upper, &least, &most);
  return sinew_clamp(floor((to - x) / TURN + 0.5), least, most) == 0.0;
}

// For each joint, adds the images of each row whose value is the nearest of its images. Images are
// further away than their row and so come after it. If a full list drops a row, its images would
// not have been kept either.
int sinew_solutions_add_images(sinew_solver *solver, const double *weights, const double *to,
                               int count, int capacity, double *rows) {
  const sinew_model *model = solver->model;
  images all = {solver, weights, to, count, capacity, rows};
  for (int column = 0; column < solver->evaluation.rows.dof_count; ++column) {
    const int v = solver->problem.dof_of_column[column], at = model->q_of_v[v];
    if (!solver->problem.whole_turn[v] || !sinew_is_usable(solver->problem.lower[v]) ||
        !sinew_is_usable(solver->problem.upper[v])) {
      continue;
    }
    for (int i = 0; i < all.count; ++i) {
      const double x = rows[(size_t)i * (size_t)model->nq + (size_t)at];
      if (is_nearest(x, to[at], solver->problem.lower[v], solver->problem.upper[v])) {
        add_turns(&all, i, v, 1.0);
        add_turns(&all, i, v, -1.0);
      }
    }
  }
  return all.count;
}
