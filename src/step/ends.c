// Twisted factorization: (H + mu I) x = g is eliminated from both ends of the chain.
//
// H_jk = u_j . v_k for k nearer the root than j. Elimination from the tip changes H_kk' by
// -v_k . P v_k' (newton.c), elimination from the root changes H_jj' by -u_j . Q u_j', where Q and
// z' follow from the equations of P and z with u and v exchanged. The outer half is eliminated with
// P and z, the inner half with Q and z'. The two halves are independent until they join. Let alpha
// be the sum of v_k x_k over the inner half and beta the sum of u_j x_j over the outer half. Then
//
//   beta = z - P alpha,  alpha = z' - Q beta:  (I - Q P) alpha = z' - Q z.
//
// Each half is then substituted from the middle, the outer one from r = alpha towards the tip, the
// inner one from r = beta towards the root.
//
// H + mu I is positive definite if both halves are and if the eigenvalues of I - Q P, which are
// real, are positive, that is, if its trace, the sum of its principal minors and its determinant
// are. Near a minimum these can be as small as mu; computed from I - Q P itself they keep their
// digits.
//
// Source: Babuska, Numerical stability in problems of linear algebra, 1972, for tridiagonal
// matrices; here the matrix is semiseparable.
#define SINEW_CALLS
#include "step/ends.h"
#include "step/root_frame.h"

// P v
SINEW_ALWAYS_INLINE sinew_four multiply(const sinew_root_frame_sums *p, sinew_four v) {
  return p->X * SINEW_FOUR_SPREAD(v, 0) +
         (p->Y * SINEW_FOUR_SPREAD(v, 1) + p->Z * SINEW_FOUR_SPREAD(v, 2));
}

// Solves (I - Q P) alpha = rhs by cofactors. Returns false where an eigenvalue is not positive.
SINEW_ALWAYS_INLINE bool join(const sinew_root_frame_sums *P, const sinew_root_frame_sums *Q,
                              sinew_four rhs, sinew_four *alpha) {
  const sinew_four x = multiply(Q, P->X), y = multiply(Q, P->Y), z = multiply(Q, P->Z);
  const sinew_four one_x = (sinew_four){1.0, 0.0, 0.0, 0.0} - x,
                   one_y = (sinew_four){0.0, 1.0, 0.0, 0.0} - y,
                   one_z = (sinew_four){0.0, 0.0, 1.0, 0.0} - z;
  const sinew_four a = sinew_four_cross(one_y, one_z), b = sinew_four_cross(one_z, one_x),
                   c = sinew_four_cross(one_x, one_y);
  const double determinant = sinew_four_sum3(one_x * a);
  *alpha =
      (sinew_four){sinew_four_sum3(a * rhs) / determinant, sinew_four_sum3(b * rhs) / determinant,
                   sinew_four_sum3(c * rhs) / determinant, 0.0};
  const double trace = (one_x[0] + one_y[1]) + one_z[2], minors = (a[0] + b[1]) + c[2];
  return determinant > 0.0 && minors > 0.0 && trace > 0.0;
}

bool sinew_ends_solve(const sinew_segment *s, double *x) {
  const int joints = s->count / 3, inner = joints / 2;
  const sinew_four none = SINEW_FOUR_OF(0.0);
  sinew_segment reversed = *s;
  sinew_root_frame_sums P = {none, none, none, none}, Q = P;
  int from_tip = 3 * (joints - 1), from_root = 0, bad = -1;
  reversed.u = s->v;
  reversed.v = s->u;
  if (joints % 2 != 0) {
    P = sinew_root_frame_eliminate(s, from_tip, &P, &bad);
    from_tip -= 3;
  }
  for (; bad < 0 && from_root < 3 * inner; from_root += 3, from_tip -= 3) {
    const sinew_root_frame_reduced outer_joint = sinew_root_frame_reduce(s, from_tip, &P),
                                   inner_joint = sinew_root_frame_reduce(&reversed, from_root, &Q);
    const sinew_three_factor outer_factor = sinew_three_factor_of(outer_joint.D, s->mu),
                             inner_factor = sinew_three_factor_of(inner_joint.D, s->mu);
    bad = outer_factor.bad >= 0 ? outer_factor.bad : inner_factor.bad;
    P = sinew_root_frame_update(s, from_tip, &outer_joint, &outer_factor, &P);
    Q = sinew_root_frame_update(&reversed, from_root, &inner_joint, &inner_factor, &Q);
  }
  sinew_four alpha = none;
  if (bad >= 0 || !join(&P, &Q, Q.sum - multiply(&Q, P.sum), &alpha)) {
    return false;
  }
  const sinew_four beta = P.sum - multiply(&P, alpha);
  sinew_root_frame_partial outward = {alpha[0], alpha[1], alpha[2]},
                           inward = {beta[0], beta[1], beta[2]};
  for (from_root -= 3, from_tip += 3; from_root >= 0; from_root -= 3, from_tip += 3) {
    outward = sinew_root_frame_substitute(s, from_tip, NULL, outward, x);
    inward = sinew_root_frame_substitute(&reversed, from_root, NULL, inward, x);
  }
  if (from_tip < s->count) {
    sinew_root_frame_substitute(s, from_tip, NULL, outward, x);
  }
  return true;
}
