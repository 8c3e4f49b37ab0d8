// Secondary objectives of redundant figures: distance from limits, manipulability, the smallest
// singular value.
//
// With J = sum of s_i u_i v_i^T the derivative of a function f of the singular values is
//
//   df/dq_k = sum_i df/ds_i u_i^T (dJ/dq_k) v_i
//
// manipulability w = product of the s_i: df/ds_i = w / s_i.
//
// Sources: Liegeois 1977; Chan, Dubey, A weighted least-norm solution based scheme for avoiding
// joint limits for redundant joint manipulators, 1995; Yoshikawa 1985.
#include "base/error.h"
#include "kinematics/reference/decomposition.h"
#include "kinematics/reference/redundancy.h"
#include "kinematics/state.h"
#include "math/vector.h"

// ------------------------------------------------------------------- limits

// Whether a degree of freedom has two limits; and its value and limits.
static bool limits_of(const sinew_model *model, int v, const double *q, double at[3]) {
  const double range = model->upper[v] - model->lower[v];
  if (model->quaternion_axis[v] >= 0 || !(range > 0.0 && range < SINEW_HUGE)) {
    return false;
  }
  at[0] = q[model->q_of_v[v]];
  at[1] = model->lower[v];
  at[2] = model->upper[v];
  return true;
}

sinew_result sinew_reference_middle(const sinew_model *model, const double *q, double *value,
                                    double *gradient) {
  SINEW_ASSERT(model != NULL && (q != NULL || model->nq == 0));
  if (!sinew_reference_usable(model->nq, q)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  double sum = 0.0, at[3];
  int count = 0;
  for (int v = 0; v < model->nv; ++v) {
    count += limits_of(model, v, q, at);
  }
  for (int v = 0; v < model->nv; ++v) {
    double slope = 0.0;
    if (limits_of(model, v, q, at)) {
      const double range = at[2] - at[1], part = (at[0] - 0.5 * (at[1] + at[2])) / range;
      sum += part * part / count;
      slope = 2.0 * part / (range * count);
    }
    if (gradient != NULL) {
      gradient[v] = slope;
    }
  }
  if (value != NULL) {
    *value = sum;
  }
  return SINEW_OK;
}

sinew_result sinew_reference_limit_gains(const sinew_model *model, const double *q, double *last,
                                         double *gains) {
  SINEW_ASSERT(model != NULL && last != NULL && gains != NULL);
  if (!sinew_reference_usable(model->nq, q)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  for (int v = 0; v < model->nv; ++v) {
    double at[3], h = 0.0;
    if (limits_of(model, v, q, at)) {
      const double below = at[0] - at[1], above = at[2] - at[0], range = at[2] - at[1];
      const double product = 2.0 * above * below / (range * range); // at most 1/2
      h = above > 0.0 && below > 0.0 ? fabs(below - above) / (range * range * product * product)
                                     : INFINITY;
    }
    gains[v] = h > last[v] ? 1.0 / sqrt(1.0 + h) : 1.0;
    last[v] = h;
  }
  return SINEW_OK;
}

// ---------------------------------------------------------- singular values

// gradient (n) += factor u_i^T (dJ/dq_k) v_i.
static void add_slope(const sinew_decomposition *d, int i, double factor, const double *J_change,
                      double *gradient) {
  const double length = sqrt(d->square[i]);
  for (int r = 0; r < d->m; ++r) {
    for (int j = 0; j < d->n; ++j) {
      const double share = factor * d->U[i * d->m + r] * d->W[i * d->n + j] / length;
      for (int k = 0; k < d->n; ++k) {
        gradient[k] += share * J_change[(r * d->n + j) * d->n + k];
      }
    }
  }
}

// The product of the singular values, or the smallest of them, and its gradient.
static sinew_result measure(int n, const sinew_reference_level *rows, const double *J_change,
                            bool smallest, double *work, double *value, double *gradient) {
  SINEW_ASSERT(rows != NULL && work != NULL);
  const int m = rows->m;
  const sinew_reference_level J = {m, rows->J, rows->J}; // e is not used
  sinew_result result = sinew_reference_check(n, &J, 0.5, 0.0);
  if (result != SINEW_OK || m < 1) {
    return result != SINEW_OK ? result : SINEW_ERROR_ARGUMENT;
  }
  if (gradient != NULL && !sinew_reference_usable(m * n * n, J_change)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  sinew_decomposition d;
  double *slope = work, product = 1.0;
  sinew_decomposition_find(m, n, rows->J, work + n, &d);
  sinew_zero((size_t)n, slope);
  int least = -1, count = 0;
  for (int i = 0; i < m; ++i) {
    if (sinew_decomposition_counts(&d, i, 1e-14 * d.largest * d.scale)) {
      least = least < 0 || d.square[i] < d.square[least] ? i : least;
      product *= d.scale * sqrt(d.square[i]);
      ++count;
    }
  }
  const bool regular = count == (m < n ? m : n) && (smallest || m <= n);
  const double found = !regular ? 0.0 : smallest ? d.scale * sqrt(d.square[least]) : product;
  for (int i = 0; i < m && regular && gradient != NULL; ++i) {
    if (sinew_decomposition_counts(&d, i, 1e-14 * d.largest * d.scale) &&
        (!smallest || i == least)) {
      add_slope(&d, i, smallest ? 1.0 : product / (d.scale * sqrt(d.square[i])), J_change, slope);
    }
  }
  if (!isfinite(found)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  result = gradient != NULL ? sinew_reference_finish(n, slope, gradient) : SINEW_OK;
  if (result == SINEW_OK && value != NULL) {
    *value = found;
  }
  return result;
}

sinew_result sinew_reference_manipulability(int n, const sinew_reference_level *rows,
                                            const double *J_change, double *work, double *value,
                                            double *gradient) {
  return measure(n, rows, J_change, false, work, value, gradient);
}

sinew_result sinew_reference_smallest_singular_value(int n, const sinew_reference_level *rows,
                                                     const double *J_change, double *work,
                                                     double *value, double *gradient) {
  return measure(n, rows, J_change, true, work, value, gradient);
}
