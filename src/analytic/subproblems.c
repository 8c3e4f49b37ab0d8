// Subproblems 1 to 6: see subproblems.h. Each is reduced to the circle equations of circles.c, by
//
//   h . R(k, a) p = (h . k)(k . p) + cos a (h . p - (h . k)(k . p)) + sin a h . (k x p).
#include "analytic/subproblems.h"

// The coefficients of h . R(k, a) p = constant + cosine cos a + sine sin a.
typedef struct wave {
  double constant, cosine, sine;
} wave;

static wave wave_of(const double h[3], const double k[3], const double p[3]) {
  double across[3];
  sinew_cross(k, p, across);
  const double along = sinew_dot(h, k) * sinew_dot(k, p);
  return (wave){along, sinew_dot(h, p) - along, sinew_dot(h, across)};
}

sinew_roots sinew_subproblem1(const double k[3], const double p[3], const double q[3],
                              sinew_angle preferred, sinew_angle *a) {
  double p_across[3], q_across[3];
  sinew_cross(k, p, p_across);
  sinew_cross(k, q, q_across);
  const double c = sinew_dot(p_across, q_across), s = sinew_dot(p_across, q); // k . (p x q)
  const double length = sqrt(c * c + s * s);
  const double p_least = SINEW_ON_AXIS * SINEW_ON_AXIS * sinew_dot(p, p);
  const double q_least = SINEW_ON_AXIS * SINEW_ON_AXIS * sinew_dot(q, q);
  if (!(sinew_dot(p_across, p_across) > p_least && sinew_dot(q_across, q_across) > q_least)) {
    *a = preferred;
    return (sinew_roots){1, true, true};
  }
  *a = (sinew_angle){c / length, s / length};
  return (sinew_roots){1, true, false};
}

// The angle of (c, s), of any length but 0.
static sinew_angle direction_of(double c, double s) {
  const double by = 1.0 / sqrt(c * c + s * s);
  return (sinew_angle){c * by, s * by};
}

// With v the point where both circles meet, k1 . v = m1 and k2 . v = m2 are known: v = a k1 + b k2
// + g x, x = k1 x k2. The square of g is the difference of two squares, of which |k1 x p1| is
// computed without cancellation: for perpendicular axes (a wrist) g keeps its digits where it is
// small. With r = k1 x p1 and t = k2 x p2, the angles about k1 and k2 have, up to a common factor,
//
//   cosine   b (r . x) - g (r . k2)     sine   b (r . k2) + g (r . x),
//   cosine  -a (t . x) + g (t . k1)     sine   a (t . k1) + g (t . x).
sinew_roots sinew_subproblem2(const double k1[3], const double p1[3], const double k2[3],
                              const double p2[3], sinew_angle preferred, sinew_angle a[2],
                              sinew_angle b[2]) {
  double x[3];
  sinew_cross(k1, k2, x);
  const double square = sinew_dot(x, x), length = sinew_dot(p1, p1);
  if (square <= SINEW_PARALLEL_SINE * SINEW_PARALLEL_SINE) { // both about one axis
    double v[3];
    a[0] = preferred;
    sinew_rotate_about(k1, preferred, p1, v);
    const sinew_roots found = sinew_subproblem1(k2, p2, v, preferred, &b[0]);
    const double gap = sinew_dot(k2, v) - sinew_dot(k2, p2);
    return (sinew_roots){1, gap * gap <= SINEW_ROOT_SLACK * length, found.count == 1};
  }
  const double alpha = sinew_dot(k1, k2), m1 = sinew_dot(k1, p1), m2 = sinew_dot(k2, p2);
  const double by = 1.0 / square, along = (m1 - alpha * m2) * by, other = (m2 - alpha * m1) * by;
  double r[3], t[3];
  sinew_cross(k1, p1, r);
  sinew_cross(k2, p2, t);
  const double rr = sinew_dot(r, r), tt = sinew_dot(t, t);
  const double radius = sqrt(rr), edge = fabs(other) * sqrt(square);
  const double g2 = (radius - edge) * (radius + edge) * by, gg = sinew_max(g2, 0.0);
  const double g = sqrt(gg), rx = sinew_dot(r, x), rk = sinew_dot(r, k2);
  const double tx = sinew_dot(t, x), tk = sinew_dot(t, k1);
  const int count = g > SINEW_ON_AXIS * sqrt(length) ? 2 : 1;
  // p1 and v on the first axis, p2 and v on the second
  const double v_length = along * along + other * other + 2.0 * along * other * alpha + gg * square;
  const double v_least = SINEW_ON_AXIS * SINEW_ON_AXIS * v_length,
               least = SINEW_ON_AXIS * SINEW_ON_AXIS * length;
  const bool first = !(rr > least && (other * other + gg) * square > v_least);
  const bool second = !(tt > SINEW_ON_AXIS * SINEW_ON_AXIS * sinew_dot(p2, p2) &&
                        (along * along + gg) * square > v_least);
  for (int i = 0; i < count; ++i) {
    const double side = i == 0 ? g : -g;
    a[i] = first ? preferred : direction_of(other * rx - side * rk, other * rk + side * rx);
    b[i] = second ? (sinew_angle){1.0, 0.0}
                  : direction_of(side * tk - along * tx, along * tk + side * tx);
  }
  return (sinew_roots){count, g2 >= -SINEW_ROOT_SLACK * length * by, first || second};
}

sinew_roots sinew_subproblem3(const double k[3], const double p[3], const double q[3], double d,
                              sinew_angle preferred, sinew_angle a[2]) {
  const double h = 0.5 * (sinew_dot(p, p) + sinew_dot(q, q) - d * d);
  return sinew_subproblem4(q, k, p, h, preferred, a);
}

sinew_roots sinew_subproblem4(const double h[3], const double k[3], const double p[3], double d,
                              sinew_angle preferred, sinew_angle a[2]) {
  const wave w = wave_of(h, k, p);
  const double least = SINEW_NOTHING * sqrt(sinew_dot(h, h) * sinew_dot(p, p));
  if (w.cosine * w.cosine + w.sine * w.sine <= least * least) {
    a[0] = preferred;
    return (sinew_roots){1, fabs(d - w.constant) <= SINEW_ROOT_SLACK * least / SINEW_NOTHING, true};
  }
  return sinew_circle_solve(w.cosine, w.sine, d - w.constant, preferred, a);
}

// The components along k2, and the squared lengths, of both sides are equal:
//
//   k2 . R1 p1 - k2 . R3 p3 = k2 . (p2 - p0),
//   p0 . R1 p1 - p2 . R3 p3 = (|p2|^2 + |p3|^2 - |p0|^2 - |p1|^2) / 2,
//
// two equations for a1 and a3; then a2 is subproblem 1.
sinew_roots sinew_subproblem5_ends(const sinew_three_axes *at, sinew_angle preferred1,
                                   sinew_angle preferred3, sinew_angle a1[4], sinew_angle a3[4]) {
  const double squares[4] = {sinew_dot(at->p0, at->p0), sinew_dot(at->p1, at->p1),
                             sinew_dot(at->p2, at->p2), sinew_dot(at->p3, at->p3)};
  const double size = sqrt(squares[0] + squares[1] + squares[2] + squares[3]);
  const double by = size > 0.0 ? 1.0 / size : 1.0; // lengths in sizes: both equations without unit
  const wave w1 = wave_of(at->k2, at->k1, at->p1), w3 = wave_of(at->k2, at->k3, at->p3);
  const wave l1 = wave_of(at->p0, at->k1, at->p1), l3 = wave_of(at->p2, at->k3, at->p3);
  const double along = sinew_dot(at->k2, at->p2) - sinew_dot(at->k2, at->p0);
  const double length = 0.5 * (squares[2] + squares[3] - squares[0] - squares[1]);
  const sinew_circles circles = {
      .A = {w1.cosine * by, w1.sine * by, l1.cosine * by * by, l1.sine * by * by},
      .B = {-w3.cosine * by, -w3.sine * by, -l3.cosine * by * by, -l3.sine * by * by},
      .d = {(along - w1.constant + w3.constant) * by,
            (length - l1.constant + l3.constant) * by * by}};
  return sinew_circles_solve(&circles, preferred1, preferred3, a1, a3);
}

sinew_roots sinew_subproblem5(const sinew_three_axes *at, const sinew_angle preferred[3],
                              sinew_angle a[4][3]) {
  sinew_angle a1[4], a3[4];
  sinew_roots roots = sinew_subproblem5_ends(at, preferred[0], preferred[2], a1, a3);
  for (int i = 0; i < roots.count; ++i) {
    double left[3], right[3];
    sinew_rotate_about(at->k1, a1[i], at->p1, left);
    sinew_rotate_about(at->k3, a3[i], at->p3, right);
    for (int j = 0; j < 3; ++j) {
      left[j] += at->p0[j];
      right[j] += at->p2[j];
    }
    a[i][0] = a1[i];
    a[i][2] = a3[i];
    roots.any |= sinew_subproblem1(at->k2, right, left, preferred[1], &a[i][1]).any;
  }
  return roots;
}

sinew_roots sinew_subproblem6(const sinew_two_sums *at, const sinew_angle preferred[2],
                              sinew_angle a1[4], sinew_angle a2[4]) {
  sinew_circles circles;
  for (int i = 0; i < 2; ++i) {
    const wave first = wave_of(at->h[i][0], at->k1, at->p[i][0]);
    const wave second = wave_of(at->h[i][1], at->k2, at->p[i][1]);
    circles.A[2 * i] = first.cosine;
    circles.A[2 * i + 1] = first.sine;
    circles.B[2 * i] = second.cosine;
    circles.B[2 * i + 1] = second.sine;
    circles.d[i] = at->d[i] - first.constant - second.constant;
  }
  return sinew_circles_solve(&circles, preferred[0], preferred[1], a1, a2);
}
