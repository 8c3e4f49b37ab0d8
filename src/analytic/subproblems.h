// The subproblems of inverse kinematics: angles that bring points, which rotate about fixed axes
// through the origin, to points, circles, spheres and planes. Numbers only.
//
// An angle is its cosine and sine, so that no inverse function is called. R(k, a) is the rotation
// by the angle a about the unit vector k. Where an equation has no solution, the angle that comes
// nearest to solving it is returned, and the result is not exact.
//
// Sources: Paden, Kinematics and control of robot manipulators, 1985 (1 to 3); Elias and Wen,
// IK-Geo: unified robot inverse kinematics using subproblem decomposition, 2022 (4 to 6). We depart
// from the second in the solution of 5 and 6: circles.c.
#ifndef SINEW_ANALYTIC_SUBPROBLEMS_H
#define SINEW_ANALYTIC_SUBPROBLEMS_H

#include "math/vector.h"

typedef struct sinew_angle {
  double c, s; // cosine and sine
} sinew_angle;

typedef struct sinew_roots {
  int count;  // of angles, at least 1
  bool exact; // to rounding: a value beyond the last one possible by less than SINEW_ROOT_SLACK of
              // it counts as that one
  bool any;   // a continuum of angles solves it; the angle is the one that was preferred
} sinew_roots;

// As a share of the squared radius.
#define SINEW_ROOT_SLACK 1e-10
// A vector this short, or a coefficient this small, as a share of what it is computed from, is a
// rounding error.
#define SINEW_NOTHING 1e-13
// A point this near to an axis, as a share of its length, is on it: any angle will do. Angles
// around it have lost so many digits that the preferred one is as good.
#define SINEW_ON_AXIS 1e-12
// Axes with a sine below this are parallel.
#define SINEW_PARALLEL_SINE 1e-12

static inline sinew_angle sinew_angle_of(double radians) {
  return (sinew_angle){cos(radians), sin(radians)};
}

// A whole turn removed.
static inline double sinew_angle_value(sinew_angle a) {
  return atan2(a.s, a.c);
}

static inline sinew_angle sinew_angle_back(sinew_angle a) {
  return (sinew_angle){a.c, -a.s};
}

// out = R(k, a) p. out may be p.
static inline void sinew_rotate_about(const double k[3], sinew_angle a, const double p[3],
                                      double out[3]) {
  double across[3];
  sinew_cross(k, p, across);
  const double along = (1.0 - a.c) * sinew_dot(k, p);
  for (int i = 0; i < 3; ++i) {
    out[i] = a.c * p[i] + a.s * across[i] + along * k[i];
  }
}

// a c + b s = d, c and s cosine and sine of an angle.
sinew_roots sinew_circle_solve(double a, double b, double d, sinew_angle preferred,
                               sinew_angle roots[2]);

// A x + B y = d (A, B row-major 2 x 2), x and y on the unit circle: up to four pairs.
typedef struct sinew_circles {
  double A[4], B[4], d[2];
} sinew_circles;

sinew_roots sinew_circles_solve(const sinew_circles *circles, sinew_angle preferred_x,
                                sinew_angle preferred_y, sinew_angle x[4], sinew_angle y[4]);

// f0 + f1 c + f2 s + f3 cos 2t + f4 sin 2t = 0, c and s cosine and sine of t: up to four.
sinew_roots sinew_second_solve(const double f[5], sinew_angle preferred, sinew_angle roots[4]);

// 1: R(k, a) p = q; where |p| and |q| differ, the nearest.
sinew_roots sinew_subproblem1(const double k[3], const double p[3], const double q[3],
                              sinew_angle preferred, sinew_angle *a);

// 2: R(k1, a) p1 = R(k2, b) p2: up to two pairs. If any, a is preferred. |p1| = |p2|.
sinew_roots sinew_subproblem2(const double k1[3], const double p1[3], const double k2[3],
                              const double p2[3], sinew_angle preferred, sinew_angle a[2],
                              sinew_angle b[2]);

// 3: |R(k, a) p - q| = d: up to two.
sinew_roots sinew_subproblem3(const double k[3], const double p[3], const double q[3], double d,
                              sinew_angle preferred, sinew_angle a[2]);

// 4: h . R(k, a) p = d: up to two.
sinew_roots sinew_subproblem4(const double h[3], const double k[3], const double p[3], double d,
                              sinew_angle preferred, sinew_angle a[2]);

// 5: p0 + R(k1, a1) p1 = R(k2, a2) (p2 + R(k3, a3) p3): up to four triples.
typedef struct sinew_three_axes {
  double k1[3], k2[3], k3[3], p0[3], p1[3], p2[3], p3[3];
} sinew_three_axes;

// preferred: of a1, a2 and a3, where it is any of them.
sinew_roots sinew_subproblem5(const sinew_three_axes *at, const sinew_angle preferred[3],
                              sinew_angle a[4][3]);

// The same without a2.
sinew_roots sinew_subproblem5_ends(const sinew_three_axes *at, sinew_angle preferred1,
                                   sinew_angle preferred3, sinew_angle a1[4], sinew_angle a3[4]);

// 6: h_i1 . R(k1, a1) p_i1 + h_i2 . R(k2, a2) p_i2 = d_i for i = 1, 2: up to four pairs.
typedef struct sinew_two_sums {
  double k1[3], k2[3], h[2][2][3], p[2][2][3], d[2]; // h, p: of equation i, of angle j
} sinew_two_sums;

sinew_roots sinew_subproblem6(const sinew_two_sums *at, const sinew_angle preferred[2],
                              sinew_angle a1[4], sinew_angle a2[4]);

#endif
