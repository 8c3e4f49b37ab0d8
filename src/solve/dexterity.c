// Singular values of the tasks' Jacobian, in the scratch of steps.
//
//   R = 0;  for each row or column c of J, the shorter ones: R <- the factor of R^T R + c c^T
//           (rotations of Givens: R has the singular values of J, which are not squared)
//   rows of R are rotated in pairs until they are orthogonal; their lengths are the singular values
//
// Sources: Yoshikawa, Manipulability of robotic mechanisms, 1985; Hestenes, Inversion of matrices
// by biorthogonalization and related results, 1958; Golub and Van Loan, Matrix Computations, 2013,
// sections 6.5 and 8.6.
#include "math/vector.h"
#include "solve/solver.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_SWEEPS 40

// Rotates c into the upper triangle R (p x p): afterwards R^T R has grown by c c^T.
static void take_vector(int p, double *R, double *c) {
  for (int i = 0; i < p; ++i) {
    const double a = R[i * p + i], b = c[i], r = sqrt(a * a + b * b);
    if (!(r > 0.0)) {
      continue;
    }
    const double cosine = a / r, sine = b / r;
    for (int j = i; j < p; ++j) {
      const double up = R[i * p + j], low = c[j];
      R[i * p + j] = cosine * up + sine * low;
      c[j] = cosine * low - sine * up;
    }
  }
}

// One rotation of Jacobi's for two rows. Returns whether they were not orthogonal.
static bool rotate_rows(int p, double *a, double *b) {
  double aa = 0.0, bb = 0.0, ab = 0.0;
  for (int j = 0; j < p; ++j) {
    aa += a[j] * a[j];
    bb += b[j] * b[j];
    ab += a[j] * b[j];
  }
  if (!(fabs(ab) > 4.0 * DBL_EPSILON * sqrt(aa * bb)) || !(ab * ab > 0.0)) {
    return false;
  }
  const double zeta = (bb - aa) / (2.0 * ab);
  const double t = (zeta >= 0.0 ? 1.0 : -1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
  const double cosine = 1.0 / sqrt(1.0 + t * t), sine = cosine * t;
  for (int j = 0; j < p; ++j) {
    const double x = a[j], y = b[j];
    a[j] = cosine * x - sine * y;
    b[j] = sine * x + cosine * y;
  }
  return true;
}

static void orthogonalize(int p, double *R) {
  bool more = true;
  for (int sweep = 0; more && sweep < MOST_SWEEPS; ++sweep) {
    more = false;
    for (int i = 0; i < p; ++i) {
      for (int k = i + 1; k < p; ++k) {
        more |= rotate_rows(p, R + i * p, R + k * p);
      }
    }
  }
}

// c (m) = column j of J.
static void gather_column(const sinew_rows *rows, int j, double *c) {
  memset(c, 0, (size_t)rows->row_count * sizeof(double));
  for (int i = rows->incidence_start[j]; i < rows->incidence_start[j + 1]; ++i) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[i].block];
    memcpy(c + block->row,
           rows->values + block->value_start + rows->incidences[i].k * block->row_count,
           (size_t)block->row_count * sizeof(double));
  }
}

// c (n) = a row of J.
static void gather_row(const sinew_rows *rows, const sinew_row_block *block, int row, double *c) {
  memset(c, 0, (size_t)rows->dof_count * sizeof(double));
  for (int k = 0; k < block->path_count; ++k) {
    c[rows->path[block->path_start + k]] =
        rows->values[block->value_start + k * block->row_count + row];
  }
}

static void triangulate(const sinew_rows *rows, int p, double *R, double *c) {
  memset(R, 0, (size_t)p * (size_t)p * sizeof(double));
  if (p == rows->row_count) {
    for (int j = 0; j < rows->dof_count; ++j) {
      gather_column(rows, j, c);
      take_vector(p, R, c);
    }
    return;
  }
  for (int b = 0; b < rows->block_count; ++b) {
    for (int row = 0; row < rows->blocks[b].row_count; ++row) {
      gather_row(rows, &rows->blocks[b], row, c);
      take_vector(p, R, c);
    }
  }
}

static sinew_result find_dexterity(sinew_solver *solver, const sinew_target *targets, int count,
                                   const double *q, sinew_dexterity *dexterity) {
  const bool leveled = solver->levels->used;
  const sinew_result taken = sinew_influence_take(solver, &targets, &count, q, NULL);
  if (taken != SINEW_OK) {
    return taken;
  }
  const sinew_result result = leveled ? sinew_levels_take_targets(solver, targets, count, q, NULL)
                                      : sinew_solver_check(solver, targets, count, q, NULL);
  if (result != SINEW_OK) {
    return result;
  }
  targets = leveled ? solver->levels->targets : targets;
  const sinew_rows *rows = &solver->evaluation.rows;
  double *R = solver->step.dls.matrix, product = 1.0;
  solver->functions->evaluate(solver, targets, q);
  solver->functions->linearize(solver, q, 0.0, false);
  if (solver->evaluation.in_cones) { // columns about orthogonal axes
    solver->evaluation.in_cones = false;
    sinew_evaluate_jacobian(&solver->problem, &solver->state, false, solver->linear.gradient,
                            &solver->evaluation);
  }
  const int p = rows->row_count < rows->dof_count ? rows->row_count : rows->dof_count;
  dexterity->rows = rows->row_count;
  dexterity->dofs = rows->dof_count;
  if (p == 0) {
    return SINEW_OK;
  }
  triangulate(rows, p, R, solver->step.dls.right);
  orthogonalize(p, R);
  dexterity->smallest = INFINITY;
  for (int i = 0; i < p; ++i) {
    const double sigma = sinew_length(p, R + i * p);
    dexterity->largest = sinew_max(dexterity->largest, sigma);
    dexterity->smallest = sinew_min(dexterity->smallest, sigma);
    product *= sigma;
  }
  dexterity->manipulability = product;
  dexterity->condition = dexterity->largest < SINEW_HUGE * dexterity->smallest
                             ? dexterity->largest / dexterity->smallest
                             : INFINITY;
  return SINEW_OK;
}

sinew_result sinew_solver_dexterity(sinew_solver *solver, const sinew_target *targets, int count,
                                    const double *q, sinew_dexterity *dexterity) {
  SINEW_ASSERT(solver != NULL && dexterity != NULL);
  *dexterity = (sinew_dexterity){0};
  sinew_solver_begin_call(solver, NULL);
  const sinew_result found = find_dexterity(solver, targets, count, q, dexterity);
  const sinew_result result = sinew_solver_end_call(solver, found, NULL, NULL);
  if (result != SINEW_OK) {
    *dexterity = (sinew_dexterity){0};
  }
  return result;
}
