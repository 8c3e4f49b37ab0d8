// A chain of free balls, solved from both of its ends at once.
//
// From the tip on, one column after the other waits for P (newton.c). The same can be had from the
// root on: H_jk = u_j . v_k for k nearer the root than j, so that what has been eliminated nearer
// the root changes H_jj' by -u_j . Q u_j', Q being to v what P is to u. So the outer half is
// eliminated with P and z, the inner one with Q and z', v and u having changed places, and neither
// waits for the other. They meet in the middle: with alpha = sum of v_k x_k over the inner half
// and beta = sum of u_j x_j over the outer one,
//
//   beta = z - P alpha,  alpha = z' - Q beta:  (I - Q P) alpha = z' - Q z,
//
// and from there each half is substituted outward, from r = alpha and r = beta.
//
// The whole is positive definite where both halves are and the eigenvalues of I - Q P, which are
// real, are positive: where its trace, the sum of its minors and its determinant are. At rest these
// are as small as mu; taken from I - Q P itself they keep their digits.
//
// Source: elimination from both ends is the twisted factorization of tridiagonal matrices
// (Babuska, Numerical stability in problems of linear algebra, 1972); here it is one of
// semiseparable ones.
#include "step/ends.h"
#include "step/free_ball.h"

// P v
SINEW_ALWAYS_INLINE sinew_four multiply(const sinew_ball_point *p, sinew_four v) {
  return p->X * SINEW_FOUR_SPREAD(v, 0) +
         (p->Y * SINEW_FOUR_SPREAD(v, 1) + p->Z * SINEW_FOUR_SPREAD(v, 2));
}

// alpha of (I - Q P) alpha = rest, by cofactors. False where not all is positive.
SINEW_ALWAYS_INLINE bool meet(const sinew_ball_point *P, const sinew_ball_point *Q, sinew_four rest,
                              sinew_four *alpha) {
  const sinew_four x = multiply(Q, P->X), y = multiply(Q, P->Y), z = multiply(Q, P->Z);
  const sinew_four one_x = (sinew_four){1.0, 0.0, 0.0, 0.0} - x,
                   one_y = (sinew_four){0.0, 1.0, 0.0, 0.0} - y,
                   one_z = (sinew_four){0.0, 0.0, 1.0, 0.0} - z;
  const sinew_four a = sinew_four_cross(one_y, one_z), b = sinew_four_cross(one_z, one_x),
                   c = sinew_four_cross(one_x, one_y);
  const double whole = sinew_four_sum3(one_x * a);
  *alpha = (sinew_four){sinew_four_sum3(a * rest) / whole, sinew_four_sum3(b * rest) / whole,
                        sinew_four_sum3(c * rest) / whole, 0.0};
  const double trace = (one_x[0] + one_y[1]) + one_z[2], minors = (a[0] + b[1]) + c[2];
  return whole > 0.0 && minors > 0.0 && trace > 0.0;
}

bool sinew_ends_solve(const sinew_stretch *s, double *x) {
  const int balls = s->count / 3, inner = balls / 2;
  const sinew_four none = SINEW_FOUR_OF(0.0);
  sinew_stretch turned = *s;
  sinew_ball_point P = {none, none, none, none}, Q = P;
  int from_tip = 3 * (balls - 1), from_root = 0, bad = -1;
  turned.u = s->v;
  turned.v = s->u;
  if (balls % 2 != 0) {
    P = sinew_ball_eliminate(s, from_tip, &P, &bad);
    from_tip -= 3;
  }
  for (; bad < 0 && from_root < 3 * inner; from_root += 3, from_tip -= 3) {
    const sinew_ball_reduced outer_ball = sinew_ball_reduce(s, from_tip, &P),
                             inner_ball = sinew_ball_reduce(&turned, from_root, &Q);
    const sinew_three_factor outer_factor = sinew_three_factor_of(outer_ball.D, s->mu),
                             inner_factor = sinew_three_factor_of(inner_ball.D, s->mu);
    bad = outer_factor.bad >= 0 ? outer_factor.bad : inner_factor.bad;
    P = sinew_ball_take(s, from_tip, &outer_ball, &outer_factor, &P);
    Q = sinew_ball_take(&turned, from_root, &inner_ball, &inner_factor, &Q);
  }
  sinew_four alpha = none;
  if (bad >= 0 || !meet(&P, &Q, Q.sum - multiply(&Q, P.sum), &alpha)) {
    return false;
  }
  const sinew_four beta = P.sum - multiply(&P, alpha);
  sinew_ball_rest outward = {alpha[0], alpha[1], alpha[2]}, inward = {beta[0], beta[1], beta[2]};
  for (from_root -= 3, from_tip += 3; from_root >= 0; from_root -= 3, from_tip += 3) {
    outward = sinew_ball_substitute(s, from_tip, NULL, outward, x);
    inward = sinew_ball_substitute(&turned, from_root, NULL, inward, x);
  }
  if (from_tip < s->count) {
    sinew_ball_substitute(s, from_tip, NULL, outward, x);
  }
  return true;
}
