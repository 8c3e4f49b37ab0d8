// The extended Jacobian: as many rows as degrees of freedom, by the condition that an objective h
// has its minimum among the configurations that meet the task.
//
// At such a minimum G = N^T g = 0, g the gradient of h and the columns of N (n x r) a basis of the
// null space of J. Where q changes, N must stay a basis. Let N' = -J^+ J' N, which keeps J N = 0
// and makes N change by no motion within the null space; then
//
//   dG/dq_k = N^T d^2h/(dq dq_k) + N'^T g = N^T h_k - N^T (dJ/dq_k)^T (J^+)^T g
//
// and x solves [J; dG] x = [e; -gain G]. (J^+)^T g = sum of u (v . g) / s are the multipliers of
// the task, so that dG is N^T times the Hessian of the Lagrangian.
//
// Source: Baillieul, Kinematic programming alternatives for redundant manipulators, 1985, for r = 1
// with the null vector by minors; any r, and the derivative, are ours.
#include "base/error.h"
#include "kinematics/reference/decomposition.h"
#include "kinematics/reference/redundancy.h"
#include "math/vector.h"

typedef struct parts {
  double *A;       // (m + n) x n: J, then dG
  double *b;       // m + n
  double *P;       // n x n: the projector on the null space
  double *y;       // m: multipliers
  double *x;       // n
  double *basis;   // r x n: N^T
  double *scratch; // a decomposition
} parts;

static parts parts_of(int m, int n, double *work) {
  parts p = {.A = work, .b = work + (m + n) * n};
  p.P = p.b + m + n;
  p.y = p.P + n * n;
  p.x = p.y + m;
  p.basis = p.x + n;
  p.scratch = p.basis + n * n;
  return p;
}

// The multipliers, and N^T. Returns r.
static int decompose(const sinew_reference_extended *input, const parts *p) {
  const int n = input->n, m = input->task.m;
  sinew_decomposition d;
  sinew_decomposition_find(m, n, input->task.J, p->scratch, &d);
  const double bound = input->cut * d.largest * d.scale;
  sinew_zero((size_t)m, p->y);
  for (int i = 0; i < m; ++i) {
    double slope = 0.0;
    for (int j = 0; j < n; ++j) {
      slope += d.W[i * n + j] * input->gradient[j];
    }
    for (int r = 0; sinew_decomposition_counts(&d, i, bound) && r < m; ++r) {
      p->y[r] += d.U[i * m + r] * slope / (d.square[i] * d.scale);
    }
  }
  sinew_reference_identity(n, p->P);
  const int r = n - sinew_decomposition_project(&d, bound, p->P);
  // The singular values of a projector are 1, r of them, and 0.
  sinew_decomposition_find(n, n, p->P, p->scratch, &d);
  int count = 0;
  for (int i = 0; i < n && count < r; ++i) {
    for (int j = 0; sinew_decomposition_counts(&d, i, 0.5) && j < n; ++j) {
      p->basis[count * n + j] = d.W[i * n + j] / sqrt(d.square[i]);
    }
    count += sinew_decomposition_counts(&d, i, 0.5);
  }
  return count;
}

// Row dG of the null vector v.
static void fill_row(const sinew_reference_extended *input, const double *v, const double *y,
                     double *row) {
  const int n = input->n;
  sinew_zero((size_t)n, row);
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) {
      row[k] += v[j] * input->curvature[j * n + k];
    }
    for (int i = 0; i < input->task.m; ++i) {
      for (int k = 0; k < n; ++k) {
        row[k] -= y[i] * v[j] * input->J_change[(i * n + j) * n + k];
      }
    }
  }
}

sinew_result sinew_reference_extended_jacobian(const sinew_reference_extended *input, double *work,
                                               double *x, double *slope) {
  SINEW_ASSERT(input != NULL && work != NULL && x != NULL);
  const int n = input->n, m = input->task.m;
  sinew_result result = sinew_reference_check(n, &input->task, input->cut, input->lambda);
  if (result != SINEW_OK) {
    return result;
  }
  if (!sinew_is_usable(input->gain) || !sinew_reference_usable(n, input->gradient) ||
      !sinew_reference_usable(n * n, input->curvature) ||
      !sinew_reference_usable(m * n * n, input->J_change)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  const parts p = parts_of(m, n, work);
  const int r = decompose(input, &p);
  if (m > 0) {
    memcpy(p.A, input->task.J, (size_t)(m * n) * sizeof(double));
    memcpy(p.b, input->task.e, (size_t)m * sizeof(double));
  }
  double square = 0.0;
  for (int i = 0; i < r; ++i) {
    const double *v = p.basis + i * n;
    double G = 0.0;
    for (int j = 0; j < n; ++j) {
      G += v[j] * input->gradient[j];
    }
    fill_row(input, v, p.y, p.A + (m + i) * n);
    p.b[m + i] = -input->gain * G;
    square += G * G;
  }
  sinew_decomposition d;
  sinew_decomposition_find(m + r, n, p.A, p.scratch, &d);
  sinew_zero((size_t)n, p.x);
  sinew_decomposition_solve(&d, input->cut * d.largest * d.scale, input->lambda, p.b, p.x);
  result = sinew_reference_finish(n, p.x, x);
  if (result == SINEW_OK && slope != NULL) {
    *slope = sqrt(square);
  }
  return result;
}
