// Manipulability and its analytic gradient. With A = J J^T + 1e-6 I and w^2 = det A,
//
//   d ln w / dq_k = trace(A^-1 J dJ^T/dq_k) = sum over columns j of b_j . dJ_j/dq_k,   B = A^-1 J
//
// For the column J_j = (l_j; w_j) of a joint, k nearer to the root or j itself, and k beyond j,
//
//   dJ_j/dq_k = (w_k x l_j; w_k x w_j)        dJ_j/dq_k = (w_j x l_k; 0)
//
// so that, with b_j = (bl_j; ba_j), two sums along the path give all derivatives:
//
//   d ln w / dq_k = w_k . sum of (l_j x bl_j + w_j x ba_j) over j from k to the tip
//                 + l_k . sum of bl_j x w_j over j from the root to before k
//
// Coupled joints have one column, the sum of their nodes', and one derivative. Sources: Yoshikawa,
// Manipulability of robotic mechanisms, 1985; Park, Kim, 1999, for the trace; the derivatives of
// the Jacobian: Bruyninckx, De Schutter, Symbolic differentiation of the velocity mapping for a
// serial kinematic chain, 1996.
#include "kinematics/manipulability.h"
#include "kinematics/jacobian.h"
#include "math/ldlt.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

// Keeps ln w finite at singular configurations.
#define LEAST 1e-6

static double unit_of(const sinew_manipulability_query *query, const sinew_model *model, int v) {
  return model->angular[v] ? 1.0 : query->size;
}

// Adds to dimensionless columns, six values each.
static void fill_columns(const sinew_state *state, const sinew_manipulability_query *query,
                         double *J) {
  const sinew_model *model = state->model;
  for (int n = query->node; n >= 0; n = model->nodes[n].parent) {
    for (int i = 0; i < sinew_node_columns(&model->nodes[n]); ++i) {
      const int v = model->nodes[n].v + i;
      const double unit = unit_of(query, model, v);
      double linear[3], angular[3];
      sinew_node_column(state, n, i, query->s, linear, angular);
      for (int r = 0; r < 3 && query->active[v] >= 0; ++r) {
        J[6 * v + r] += query->linear ? unit / query->size * linear[r] : 0.0;
        J[6 * v + 3 + r] += query->angular ? unit * angular[r] : 0.0;
      }
    }
  }
}

// ln x of a normal number, to 1e-14, by x = m 2^k and the series of 2 artanh((m - 1) / (m + 1)) for
// m within sqrt(1/2) and sqrt(2).
static double logarithm(double x) {
  const double ln2 = 0.69314718055994530942;
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
  bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000);
  memcpy(&x, &bits, sizeof x);
  if (x > 1.4142135623730951) {
    x *= 0.5;
    ++exponent;
  }
  const double z = (x - 1.0) / (x + 1.0), square = z * z;
  double sum = 0.0;
  for (int k = 17; k >= 1; k -= 2) {
    sum = sum * square + 1.0 / k;
  }
  return exponent * ln2 + 2.0 * z * sum;
}

// The factor of A (6 x 6). Rows that do not count are those of the identity. Returns whether there
// is one.
static bool factor(const sinew_manipulability_query *query, int nv, const double *J,
                   double out[36]) {
  double A[36] = {0.0};
  for (int v = 0; v < nv; ++v) {
    for (int r = 0; r < 6; ++r) {
      for (int c = 0; c <= r; ++c) {
        A[6 * r + c] += J[6 * v + r] * J[6 * v + c];
      }
    }
  }
  for (int r = 0; r < 6; ++r) {
    A[7 * r] += (r < 3 ? query->linear : query->angular) ? LEAST : 1.0;
  }
  return sinew_ldlt_factor(6, A, 0.0, out);
}

double sinew_state_manipulability_value(const sinew_state *state,
                                        const sinew_manipulability_query *query, double *J) {
  double A[36], w = 1.0;
  sinew_zero(6 * (size_t)state->model->nv, J);
  fill_columns(state, query, J);
  if (!factor(query, state->model->nv, J, A)) {
    return 0.0;
  }
  for (int r = 0; r < 6; ++r) {
    w /= sqrt(A[7 * r]); // inverses of D
  }
  return w;
}

static void add_cross(double factor_of, const double a[3], const double b[3], double out[3]) {
  double c[3];
  sinew_cross(a, b, c);
  for (int i = 0; i < 3; ++i) {
    out[i] += factor_of * c[i];
  }
}

// The sums over the columns of a node: towards the tip, and towards the root.
static void add_node(const sinew_state *state, const sinew_manipulability_query *query, int n,
                     const double *B, double tip[3], double root[3]) {
  const sinew_model *model = state->model;
  for (int i = 0; i < sinew_node_columns(&model->nodes[n]); ++i) {
    const int v = model->nodes[n].v + i;
    const double unit = unit_of(query, model, v);
    double linear[3], angular[3];
    if (query->active[v] < 0) {
      continue;
    }
    sinew_node_column(state, n, i, query->s, linear, angular);
    if (query->linear) {
      add_cross(unit / query->size, linear, B + 6 * v, tip);
      add_cross(unit / query->size, B + 6 * v, angular, root);
    }
    if (query->angular) {
      add_cross(unit, angular, B + 6 * v + 3, tip);
    }
  }
}

double sinew_state_manipulability(const sinew_state *state, const sinew_manipulability_query *query,
                                  double *J, double *gradient) {
  const sinew_model *model = state->model;
  double A[36], tip[3] = {0.0, 0.0, 0.0}, root[3] = {0.0, 0.0, 0.0}, none[3];
  sinew_zero(6 * (size_t)model->nv, J);
  sinew_zero((size_t)model->nv, gradient);
  fill_columns(state, query, J);
  if (!factor(query, model->nv, J, A)) {
    return 0.0;
  }
  double w = 0.0;
  for (int r = 0; r < 6; ++r) {
    w -= 0.5 * logarithm(A[7 * r]); // inverses of D
  }
  for (int v = 0; v < model->nv; ++v) { // J becomes B
    sinew_ldlt_solve(6, A, J + 6 * v);
  }
  for (int n = query->node; n >= 0; n = model->nodes[n].parent) {
    sinew_zero(3, none);
    add_node(state, query, n, J, none, root);
  }
  for (int n = query->node; n >= 0; n = model->nodes[n].parent) {
    double own[3] = {0.0, 0.0, 0.0};
    add_node(state, query, n, J, tip, own);
    for (int i = 0; i < 3; ++i) {
      root[i] -= own[i];
    }
    for (int i = 0; i < sinew_node_columns(&model->nodes[n]); ++i) {
      const int v = model->nodes[n].v + i;
      double linear[3], angular[3];
      sinew_node_column(state, n, i, query->s, linear, angular);
      gradient[v] += query->active[v] < 0 ? 0.0
                                          : unit_of(query, model, v) *
                                                (sinew_dot(angular, tip) + sinew_dot(linear, root));
    }
  }
  return w;
}
