// One equation in the cosine and sine of an angle, and two in those of two: see subproblems.h.
//
// Circle. With r^2 = a^2 + b^2 and D = r^2 - d^2, a c + b s = d has the roots
//
//   (c, s) = (a d -+ b sqrt(D), b d +- a sqrt(D)) / r^2,
//
// one where D = 0, and the nearest is (a, b) sign(d) / r where D < 0.
//
// Two circles. If B has rank 1, a combination of the two rows is without y: a circle for x, after
// which the other row is one for y; and the same with A. This is so wherever two axes are parallel
// or intersect. Otherwise x = A^-1 (d - B y), and |x|^2 = 1 is an equation in the angle t of y,
//
//   f(t) = f0 + f1 c + f2 s + f3 cos 2t + f4 sin 2t = 0.
//
// After a rotation of y by half the angle of (f3, f4), f4 = 0 and m = f3 >= 0. To f, a quadratic
// form of c and s, add l (c^2 + s^2 - 1) = 0:
//
//   (m + l) (c + f1 / 2(m + l))^2 - (m - l) (s - f2 / 2(m - l))^2 + g(l) = 0,
//   g(l) = f0 - l - f1^2 / 4(m + l) + f2^2 / 4(m - l).
//
// g rises from -infinity at l = -m to +infinity at l = m, so it has a root in between, and there
// the form is a product: two lines
//
//   u c + f1 / 2u = +-(v s - f2 / 2v),   u^2 = m + l,  v^2 = m - l,
//
// each of which is a circle equation. No root is lost in a complex pair, and a double root of f is
// one of a line. (Elias and Wen solve a quartic polynomial instead.)
#include "analytic/subproblems.h"

// A 2 x 2 matrix has rank 1 if its determinant is below this share of its squared norm.
#define SINGULAR 1e-12
// Below this share of the first harmonic the second is left out.
#define NO_SECOND 1e-9
#define BRACKET_STEPS 100
#define POLISH_STEPS 3
#define PAIR_STEPS 8

sinew_roots sinew_circle_solve(double a, double b, double d, sinew_angle preferred,
                               sinew_angle roots[2]) {
  const double square = a * a + b * b, D = square - d * d;
  if (!(square > 0.0)) {
    roots[0] = preferred;
    return (sinew_roots){1, fabs(d) <= SINEW_NOTHING, true};
  }
  if (D <= 0.0) {
    const double by = (d < 0.0 ? -1.0 : 1.0) / sqrt(square);
    roots[0] = (sinew_angle){a * by, b * by};
    return (sinew_roots){1, D >= -SINEW_ROOT_SLACK * square, false};
  }
  const double by = 1.0 / square, along = d * by, across = sqrt(D) * by;
  roots[0] = (sinew_angle){a * along - b * across, b * along + a * across};
  roots[1] = (sinew_angle){a * along + b * across, b * along - a * across};
  return (sinew_roots){2, true, false};
}

// -------------------------------------------------------------- two circles

static double norm_of(const double A[4]) {
  return sqrt(A[0] * A[0] + A[1] * A[1] + A[2] * A[2] + A[3] * A[3]);
}

static double determinant(const double A[4]) {
  return A[0] * A[3] - A[1] * A[2];
}

// n, with n . A = 0 for the matrix A of rank 1, and m across it.
static void split_rows(const double A[4], double n[2], double m[2]) {
  const double first = A[0] * A[0] + A[1] * A[1], second = A[2] * A[2] + A[3] * A[3];
  // The columns are multiples of m = (|row 1|, +-|row 2|).
  const double sign = A[0] * A[2] + A[1] * A[3] < 0.0 ? -1.0 : 1.0;
  const double by = 1.0 / sqrt(first + second);
  m[0] = sqrt(first) * by;
  m[1] = sign * sqrt(second) * by;
  n[0] = -m[1];
  n[1] = m[0];
}

static double row_of(const double n[2], const double A[4], int column) {
  return n[0] * A[column] + n[1] * A[2 + column];
}

// The pairs where B has rank 1 or is 0. scale: of A and B.
static sinew_roots solve_apart(const double A[4], const double B[4], const double d[2],
                               double scale, sinew_angle preferred_x, sinew_angle preferred_y,
                               sinew_angle x[4], sinew_angle y[4]) {
  const double least = SINEW_NOTHING * scale;
  double n[2] = {-A[2], A[0]}, m[2] = {A[0], A[2]};
  sinew_angle first[2], second[2];
  sinew_roots roots = {.exact = true}, inner = {.count = 1};
  if (norm_of(B) > least) {
    split_rows(B, n, m);
  } else { // y is not in the equations: the longer column of A's row space
    split_rows(A, n, m);
    const double t[2] = {n[0], n[1]};
    memcpy(n, m, sizeof t);
    memcpy(m, t, sizeof t);
  }
  const double a = row_of(n, A, 0), b = row_of(n, A, 1);
  if (sqrt(a * a + b * b) > least) {
    inner = sinew_circle_solve(a, b, n[0] * d[0] + n[1] * d[1], preferred_x, first);
  } else { // one equation for two angles
    first[0] = preferred_x;
    inner.exact = fabs(n[0] * d[0] + n[1] * d[1]) <= SINEW_ROOT_SLACK * scale;
    inner.any = true;
  }
  for (int i = 0; i < inner.count; ++i) {
    const double e[2] = {d[0] - A[0] * first[i].c - A[1] * first[i].s,
                         d[1] - A[2] * first[i].c - A[3] * first[i].s};
    const double p = row_of(m, B, 0), q = row_of(m, B, 1), r = m[0] * e[0] + m[1] * e[1];
    sinew_roots last = {.count = 1, .any = true, .exact = fabs(r) <= SINEW_ROOT_SLACK * scale};
    second[0] = preferred_y;
    if (sqrt(p * p + q * q) > least) {
      last = sinew_circle_solve(p, q, r, preferred_y, second);
    }
    // Exact ones replace those that are not.
    const bool exact = inner.exact && last.exact;
    if (roots.count > 0 && !exact && roots.exact) {
      continue;
    }
    roots.count = exact && !roots.exact ? 0 : roots.count;
    roots.exact = exact;
    roots.any |= inner.any || last.any;
    for (int j = 0; j < last.count; ++j) {
      x[roots.count] = first[i];
      y[roots.count++] = second[j];
    }
  }
  return roots;
}

// f of the angle t: f0 + f1 c + f2 s + f3 cos 2t + f4 sin 2t.
static double value_of(const double f[5], sinew_angle t) {
  return f[0] + f[1] * t.c + f[2] * t.s + f[3] * (t.c * t.c - t.s * t.s) + f[4] * 2.0 * t.c * t.s;
}

static double slope_of(const double f[5], sinew_angle t) {
  return f[2] * t.c - f[1] * t.s + 2.0 * f[4] * (t.c * t.c - t.s * t.s) - 4.0 * f[3] * t.c * t.s;
}

// A root of g between -1 and 1 for m = 1: u^2 = 1 + l and v^2 = 1 - l. The smaller of them is the
// unknown w, so that it keeps its digits where l is near 1 or -1. g has different signs at the ends
// of the bracket.
static void find_product(double f0, double f1, double f2, double *u2, double *v2) {
  const double p = 0.25 * f1 * f1, q = 0.25 * f2 * f2;
  const bool v_is_small = f0 - p + q < 0.0;            // g at l = 0
  double low = 0.0, high = 1.0, w = 1.0, before = 2.0; // the last change
  for (int step = 0; step < BRACKET_STEPS; ++step) {
    const double far = 2.0 - w;
    const double g = v_is_small ? f0 - 1.0 + w - p / far + q / w : f0 + 1.0 - w - p / w + q / far;
    const double slope =
        v_is_small ? 1.0 - p / (far * far) - q / (w * w) : p / (w * w) + q / (far * far) - 1.0;
    if ((g < 0.0) == v_is_small) {
      high = w;
    } else {
      low = w;
    }
    double next = w - g / slope;
    if (!(next > low && next < high && fabs(next - w) <= 0.5 * before)) {
      next = 0.5 * (low + high);
    }
    before = fabs(next - w);
    if (before <= 1e-16 * w) {
      break;
    }
    w = next;
  }
  *u2 = v_is_small ? 2.0 - w : w;
  *v2 = v_is_small ? w : 2.0 - w;
}

// t moved by a small angle: by 2 atan(change / 2).
static sinew_angle moved(sinew_angle t, double change) {
  const double half = 0.5 * change, by = 1.0 / (1.0 + half * half);
  const double c = (1.0 - half * half) * by, s = 2.0 * half * by;
  return (sinew_angle){t.c * c - t.s * s, t.s * c + t.c * s};
}

static void polish(const double f[5], sinew_angle *t) {
  double value = value_of(f, *t);
  for (int step = 0; step < POLISH_STEPS; ++step) {
    const double slope = slope_of(f, *t);
    const double change = -value / slope;
    if (!(fabs(change) < 0.1)) {
      return;
    }
    const sinew_angle next = moved(*t, change);
    const double after = value_of(f, next);
    if (!(fabs(after) < fabs(value))) {
      return;
    }
    *t = next;
    value = after;
  }
}

// The roots of f, up to four; nearest ones if there are none.
sinew_roots sinew_second_solve(const double f[5], sinew_angle preferred, sinew_angle roots[4]) {
  const double m = sqrt(f[3] * f[3] + f[4] * f[4]), first = sqrt(f[1] * f[1] + f[2] * f[2]);
  if (m <= NO_SECOND * first) {
    const sinew_roots found = sinew_circle_solve(f[1], f[2], -f[0], preferred, roots);
    for (int i = 0; i < found.count && !found.any; ++i) {
      polish(f, &roots[i]);
    }
    return found;
  }
  if (m == 0.0) {
    roots[0] = preferred;
    return (sinew_roots){1, fabs(f[0]) <= SINEW_ROOT_SLACK, true};
  }
  // Half the angle of (f3, f4)
  const double by = 1.0 / m, cosine = f[3] * by;
  sinew_angle half = {sqrt(0.5 * (1.0 + sinew_clamp(cosine, -1.0, 1.0))), 0.0};
  if (cosine > 0.0) {
    half.s = 0.5 * f[4] * by / half.c;
  } else {
    half.s = sqrt(0.5 * (1.0 - sinew_clamp(cosine, -1.0, 1.0)));
    half.c = 0.5 * f[4] * by / half.s;
  }
  const double f1 = (f[1] * half.c + f[2] * half.s) * by, f2 = (f[2] * half.c - f[1] * half.s) * by;
  double u2, v2;
  find_product(f[0] * by, f1, f2, &u2, &v2);
  const double u = sqrt(u2), v = sqrt(v2), l = 0.5 * (u2 - v2);
  // f1 / 2u and f2 / 2v; where u or v is 0 they follow from g = 0.
  double p = u > 1e-4 ? 0.5 * f1 / u : 0.0, q = v > 1e-4 ? 0.5 * f2 / v : 0.0;
  if (u <= 1e-4) {
    p = sqrt(sinew_max(f[0] * by - l + q * q, 0.0));
    p = f1 < 0.0 ? -p : p;
  } else if (v <= 1e-4) {
    q = sqrt(sinew_max(p * p + l - f[0] * by, 0.0));
    q = f2 < 0.0 ? -q : q;
  }
  sinew_roots all = {.exact = false};
  for (int side = 0; side < 2; ++side) {
    const double sign = side == 0 ? 1.0 : -1.0;
    sinew_angle found[2];
    const sinew_roots line = sinew_circle_solve(u, -sign * v, -p - sign * q, preferred, found);
    if (all.count > 0 && !line.exact && all.exact) {
      continue;
    }
    all.count = line.exact && !all.exact ? 0 : all.count;
    all.exact = line.exact;
    for (int i = 0; i < line.count; ++i) { // rotated back
      sinew_angle t = {found[i].c * half.c - found[i].s * half.s,
                       found[i].s * half.c + found[i].c * half.s};
      if (line.exact) {
        polish(f, &t);
      }
      roots[all.count++] = t;
    }
  }
  return all;
}

static void residual_of(const double A[4], const double B[4], const double d[2], sinew_angle x,
                        sinew_angle y, double e[2]) {
  for (int i = 0; i < 2; ++i) {
    e[i] = d[i] - A[2 * i] * x.c - A[2 * i + 1] * x.s - B[2 * i] * y.c - B[2 * i + 1] * y.s;
  }
}

// Newton's method on both equations: where A and B are both nearly singular, f has lost digits.
static void polish_pair(const double A[4], const double B[4], const double d[2], sinew_angle *x,
                        sinew_angle *y) {
  double e[2], after[2];
  residual_of(A, B, d, *x, *y, e);
  for (int step = 0; step < PAIR_STEPS; ++step) {
    const double J[4] = {A[1] * x->c - A[0] * x->s, B[1] * y->c - B[0] * y->s,
                         A[3] * x->c - A[2] * x->s, B[3] * y->c - B[2] * y->s};
    const double by = 1.0 / determinant(J);
    const double to_x = (J[3] * e[0] - J[1] * e[1]) * by;
    const double to_y = (J[0] * e[1] - J[2] * e[0]) * by;
    if (!(fabs(to_x) < 0.1 && fabs(to_y) < 0.1)) {
      return;
    }
    const sinew_angle next_x = moved(*x, to_x), next_y = moved(*y, to_y);
    residual_of(A, B, d, next_x, next_y, after);
    if (!(after[0] * after[0] + after[1] * after[1] < e[0] * e[0] + e[1] * e[1])) {
      return;
    }
    *x = next_x;
    *y = next_y;
    memcpy(e, after, sizeof e);
  }
}

// x = A^-1 (d - B y) for each y with |x| = 1.
static sinew_roots solve_together(const double A[4], const double B[4], const double d[2],
                                  sinew_angle preferred_y, sinew_angle x[4], sinew_angle y[4]) {
  const double by = 1.0 / determinant(A);
  const double back[4] = {A[3] * by, -A[1] * by, -A[2] * by, A[0] * by};
  double G[4], e[2];
  for (int i = 0; i < 2; ++i) {
    e[i] = back[2 * i] * d[0] + back[2 * i + 1] * d[1];
    for (int j = 0; j < 2; ++j) {
      G[2 * i + j] = back[2 * i] * B[j] + back[2 * i + 1] * B[2 + j];
    }
  }
  const double cc = G[0] * G[0] + G[2] * G[2], ss = G[1] * G[1] + G[3] * G[3];
  const double f[5] = {e[0] * e[0] + e[1] * e[1] - 1.0 + 0.5 * (cc + ss),
                       -2.0 * (e[0] * G[0] + e[1] * G[2]), -2.0 * (e[0] * G[1] + e[1] * G[3]),
                       0.5 * (cc - ss), G[0] * G[1] + G[2] * G[3]};
  const sinew_roots roots = sinew_second_solve(f, preferred_y, y);
  for (int i = 0; i < roots.count; ++i) {
    const double c = e[0] - G[0] * y[i].c - G[1] * y[i].s;
    const double s = e[1] - G[2] * y[i].c - G[3] * y[i].s;
    const double length = sqrt(c * c + s * s);
    x[i] = length > 0.0 ? (sinew_angle){c / length, s / length} : (sinew_angle){1.0, 0.0};
    if (roots.exact) {
      polish_pair(A, B, d, &x[i], &y[i]);
    }
  }
  return roots;
}

sinew_roots sinew_circles_solve(const sinew_circles *at, sinew_angle preferred_x,
                                sinew_angle preferred_y, sinew_angle x[4], sinew_angle y[4]) {
  const double a = norm_of(at->A), b = norm_of(at->B);
  const double scale = sinew_max(a, b), det_a = determinant(at->A), det_b = determinant(at->B);
  if (!(scale > 0.0)) {
    x[0] = preferred_x;
    y[0] = preferred_y;
    return (sinew_roots){1, fabs(at->d[0]) + fabs(at->d[1]) <= SINEW_NOTHING, true};
  }
  const bool apart_b = fabs(det_b) <= SINGULAR * b * b || b <= SINEW_NOTHING * scale;
  const bool apart_a = fabs(det_a) <= SINGULAR * a * a || a <= SINEW_NOTHING * scale;
  if (apart_b) {
    return solve_apart(at->A, at->B, at->d, scale, preferred_x, preferred_y, x, y);
  }
  if (apart_a) {
    return solve_apart(at->B, at->A, at->d, scale, preferred_y, preferred_x, y, x);
  }
  return fabs(det_a) * b * b >= fabs(det_b) * a * a
             ? solve_together(at->A, at->B, at->d, preferred_y, x, y)
             : solve_together(at->B, at->A, at->d, preferred_x, y, x);
}
