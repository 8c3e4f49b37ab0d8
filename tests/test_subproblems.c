// Subproblems 1 to 6: the angles solve the equations, Newton's method from a grid of starts finds
// no others, and where there is no solution no angle of a fine grid comes nearer.
#include "fixtures.h"
#include "inspect.h"

static const sinew_angle none = {1.0, 0.0};
static const sinew_angle no_three[3] = {{1.0, 0.0}, {1.0, 0.0}, {1.0, 0.0}};

static void random_direction(random_stream *random, double v[3]) {
  random_vector(random, 1.0, v);
  sinew_unit(v, v);
}

static void rotated(const double k[3], double a, const double p[3], double out[3]) {
  sinew_rotate_about(k, sinew_angle_of(a), p, out);
}

static double gap(double a, double b) {
  return fabs(remainder(a - b, 2.0 * PI));
}

// ------------------------------------------------------------- Newton's method

// f of count angles; NULL context is not used.
typedef void (*equations)(const void *at, const double *a, double *f);

// A solution near a; false: none was found. Differences of 1e-6.
static bool newton(int n, equations f, const void *at, double *a) {
  double J[9], e[3], ahead[3], x[3];
  int rows[3];
  for (int step = 0; step < 40; ++step) {
    f(at, a, e);
    if (sinew_length(n, e) < 1e-13) {
      return true;
    }
    for (int j = 0; j < n; ++j) {
      const double kept = a[j], h = 1e-6;
      double back[3];
      a[j] = kept + h;
      f(at, a, ahead);
      a[j] = kept - h;
      f(at, a, back);
      a[j] = kept;
      for (int i = 0; i < n; ++i) {
        J[n * i + j] = (ahead[i] - back[i]) / (2.0 * h);
      }
    }
    if (sinew_lu_factor(n, J, rows) == 0) {
      return false;
    }
    sinew_lu_solve(n, J, rows, e, x);
    const double most = fmax(1.0, sinew_length(n, x));
    for (int j = 0; j < n; ++j) {
      a[j] -= x[j] / most;
    }
  }
  f(at, a, e);
  return sinew_length(n, e) < 1e-12;
}

// All solutions that Newton's method finds from a grid are among the roots (count rows of n).
static void expect_all(int n, equations f, const void *at, int grid, int count,
                       double (*roots)[3]) {
  const int starts = n == 2 ? grid * grid : grid * grid * grid;
  for (int s = 0; s < starts; ++s) {
    double a[3];
    for (int j = 0, left = s; j < n; ++j, left /= grid) {
      a[j] = 2.0 * PI * (left % grid) / grid;
    }
    if (!newton(n, f, at, a)) {
      continue;
    }
    double nearest = INFINITY;
    for (int i = 0; i < count; ++i) {
      double far = 0.0;
      for (int j = 0; j < n; ++j) {
        far = fmax(far, gap(a[j], roots[i][j]));
      }
      nearest = fmin(nearest, far);
    }
    assert_at_most(nearest, 1e-5); // of a double root Newton's method has half the digits
  }
}

static void expect_different(int n, int count, double (*roots)[3]) {
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < i; ++k) {
      double far = 0.0;
      for (int j = 0; j < n; ++j) {
        far = fmax(far, gap(roots[i][j], roots[k][j]));
      }
      assert_true(far > 1e-9);
    }
  }
}

// ------------------------------------------------------------------ one angle

// req: D20
static void one_angle_is_found_or_the_nearest(void **state) {
  (void)state;
  random_stream random = random_stream_of(1301);
  int without = 0;
  for (int round = 0; round < 400; ++round) {
    double k[3], p[3], q[3], h[3], v[3];
    sinew_angle a[2];
    random_direction(&random, k);
    random_vector(&random, 2.0, p);
    random_vector(&random, 2.0, q);
    random_vector(&random, 2.0, h);
    const double d = random_between(&random, 0.0, 3.0), e = random_between(&random, -4.0, 4.0);
    sinew_angle one;
    assert_int_equal(sinew_subproblem1(k, p, q, none, &one).count, 1);
    const sinew_roots third = sinew_subproblem3(k, p, q, d, none, a);
    double error[3] = {INFINITY, INFINITY, INFINITY}, least[3] = {INFINITY, INFINITY, INFINITY};
    sinew_angle b[2];
    const sinew_roots fourth = sinew_subproblem4(h, k, p, e, none, b);
#define MEASURE(turned, into)                                                                      \
  do {                                                                                             \
    double off[3];                                                                                 \
    for (int j = 0; j < 3; ++j) {                                                                  \
      off[j] = (turned)[j] - q[j];                                                                 \
    }                                                                                              \
    (into)[0] = fmin((into)[0], sinew_norm(off));                                                  \
    (into)[1] = fmin((into)[1], fabs(sinew_dot(off, off) - d * d));                                \
    (into)[2] = fmin((into)[2], fabs(sinew_dot(h, turned) - e));                                   \
  } while (0)
    for (int i = 0; i < 4000; ++i) {
      rotated(k, 2.0 * PI * i / 4000.0, p, v);
      MEASURE(v, least);
    }
    double own[3] = {INFINITY, INFINITY, INFINITY};
    sinew_rotate_about(k, one, p, v);
    MEASURE(v, own);
    error[0] = own[0];
    for (int i = 0; i < third.count; ++i) {
      own[1] = INFINITY;
      sinew_rotate_about(k, a[i], p, v);
      MEASURE(v, own);
      error[1] = i == 0 ? own[1] : fmax(error[1], own[1]);
    }
    for (int i = 0; i < fourth.count; ++i) {
      own[2] = INFINITY;
      sinew_rotate_about(k, b[i], p, v);
      MEASURE(v, own);
      error[2] = i == 0 ? own[2] : fmax(error[2], own[2]);
    }
    for (int i = 0; i < 3; ++i) {
      assert_at_most(error[i], least[i] + 1e-12); // no angle comes nearer
    }
    assert_true(!third.exact || (third.count == 2 && error[1] < 1e-12));
    assert_true(!fourth.exact || (fourth.count == 2 && error[2] < 1e-12));
    assert_true(third.exact || third.count == 1);
    assert_true(third.exact == (least[1] < 1e-2 * d) || least[1] < 0.1);
    without += !third.exact + !fourth.exact;
  }
  assert_true(without > 100 && without < 700);
}

// A point on the axis, and a plane across it, are solved by any angle.
static void any_angle_is_the_preferred_one(void **state) {
  (void)state;
  random_stream random = random_stream_of(1302);
  for (int round = 0; round < 100; ++round) {
    double k[3], p[3], q[3];
    random_direction(&random, k);
    random_vector(&random, 2.0, p);
    sinew_scale(1.7, k, q);
    const sinew_angle wanted = sinew_angle_of(random_between(&random, -PI, PI));
    sinew_angle a[2];
    sinew_roots roots = sinew_subproblem1(k, q, p, wanted, a);
    assert_true(roots.any && a[0].c == wanted.c && a[0].s == wanted.s);
    roots = sinew_subproblem4(k, k, p, sinew_dot(k, p), wanted, a);
    assert_true(roots.any && roots.exact && a[0].c == wanted.c && a[0].s == wanted.s);
    roots = sinew_subproblem4(k, k, p, sinew_dot(k, p) + 0.1, wanted, a);
    assert_true(roots.any && !roots.exact);
  }
}

// ------------------------------------------------------------------- two cones

typedef struct cones {
  double k1[3], p1[3], k2[3], p2[3];
} cones;

// req: D20
static void two_cones_meet_in_two_lines(void **state) {
  (void)state;
  random_stream random = random_stream_of(1303);
  int found = 0;
  for (int round = 0; round < 2000; ++round) {
    cones at;
    sinew_angle a[2], b[2];
    random_direction(&random, at.k1);
    random_direction(&random, at.k2);
    random_vector(&random, 2.0, at.p1);
    // Every other case by construction, the others at random
    const double angle1 = random_between(&random, -PI, PI),
                 angle2 = random_between(&random, -PI, PI);
    double v[3], w[3];
    rotated(at.k1, angle1, at.p1, v);
    rotated(at.k2, -angle2, v, at.p2);
    if (round % 2 == 1) {
      random_direction(&random, at.p2);
      sinew_scale(sinew_norm(at.p1), at.p2, at.p2);
    }
    const sinew_roots roots = sinew_subproblem2(at.k1, at.p1, at.k2, at.p2, none, a, b);
    assert_true(roots.count == 1 || roots.count == 2);
    assert_true(round % 2 == 1 || roots.exact);
    double nearest = INFINITY;
    for (int i = 0; i < roots.count; ++i) {
      sinew_rotate_about(at.k1, a[i], at.p1, v);
      sinew_rotate_about(at.k2, b[i], at.p2, w);
      assert_true(isfinite(a[i].c + a[i].s + b[i].c + b[i].s));
      if (roots.exact && roots.count == 2) {
        assert_true(farthest(3, v, w) <
                    1e-11 * sinew_norm(at.p1) / sinew_min(1.0, fabs(angle1) + 1.0));
      }
      nearest = fmin(nearest, fmax(gap(sinew_angle_value(a[i]), angle1),
                                   gap(sinew_angle_value(b[i]), angle2)));
    }
    assert_true(round % 2 == 1 || nearest < 1e-6);
    // Without a solution the cones are apart: the smallest angle between them is not 0.
    const double axes = acos(sinew_dot(at.k1, at.k2));
    const double first = acos(sinew_dot(at.k1, at.p1) / sinew_norm(at.p1));
    const double second = acos(sinew_dot(at.k2, at.p2) / sinew_norm(at.p2));
    const double inside = fmin(fmin(first + second - axes, 2.0 * PI - first - second - axes),
                               axes - fabs(first - second));
    assert_true(fabs(inside) < 1e-2 || roots.exact == (inside > 0.0));
    found += roots.exact;
  }
  assert_true(found > 1100 && found < 1900);
}

// --------------------------------------------------------------- four circles

static void two_sums(const void *context, const double *a, double *f) {
  const sinew_two_sums *at = context;
  for (int i = 0; i < 2; ++i) {
    double first[3], second[3];
    rotated(at->k1, a[0], at->p[i][0], first);
    rotated(at->k2, a[1], at->p[i][1], second);
    f[i] = sinew_dot(at->h[i][0], first) + sinew_dot(at->h[i][1], second) - at->d[i];
  }
}

// Ways: 0 general; 1, 2: the equations of one angle have rank 1 (an equation of one angle alone);
// 3: a first equation with one angle only; 4: a double root. req: D20
static void four_circles_have_up_to_four_solutions(void **state) {
  (void)state;
  random_stream random = random_stream_of(1304);
  int of_count[5] = {0};
  for (int round = 0; round < 600; ++round) {
    const int way = round % 5;
    sinew_two_sums at;
    double truth[2], f[2], roots[4][3];
    sinew_angle a[4], b[4];
    random_direction(&random, at.k1);
    random_direction(&random, at.k2);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        random_vector(&random, 1.0, at.h[i][j]);
        random_vector(&random, 1.0, at.p[i][j]);
      }
      at.d[i] = 0.0;
      truth[i] = random_between(&random, -PI, PI);
    }
    if (way == 1 || way == 2) {
      const double by = random_between(&random, -1.0, 1.0);
      sinew_scale(by, at.h[0][way - 1], at.h[1][way - 1]);
      memcpy(at.p[1][way - 1], at.p[0][way - 1], sizeof at.p[0][0]);
    } else if (way == 3) {
      memcpy(at.h[0][1], at.k2, sizeof at.k2);
    }
    two_sums(&at, truth, f);
    memcpy(at.d, f, sizeof f);
    const sinew_roots found = sinew_subproblem6(&at, no_three, a, b);
    assert_true(found.exact && !found.any);
    for (int i = 0; i < found.count; ++i) {
      roots[i][0] = sinew_angle_value(a[i]);
      roots[i][1] = sinew_angle_value(b[i]);
      two_sums(&at, roots[i], f);
      assert_at_most(sinew_length(2, f), 1e-9);
    }
    ++of_count[found.count];
    expect_different(2, found.count, roots);
    expect_all(2, two_sums, &at, 12, found.count, roots);
  }
  assert_true(of_count[2] > 200 && of_count[4] > 100);
}

// ----------------------------------------------------------------- three axes

static void three_axes(const void *context, const double *a, double *f) {
  const sinew_three_axes *at = context;
  double left[3], right[3];
  rotated(at->k1, a[0], at->p1, left);
  rotated(at->k3, a[2], at->p3, right);
  for (int i = 0; i < 3; ++i) {
    left[i] += at->p0[i];
    right[i] += at->p2[i];
  }
  rotated(at->k2, a[1], right, right);
  for (int i = 0; i < 3; ++i) {
    f[i] = left[i] - right[i];
  }
}

// Ways: 0 general; 1 k2 and k3 parallel; 2 they intersect (p2 = 0); 3 k1 and k2 intersect (p0 = 0);
// 4 k1 and k2 parallel; 5 both pairs parallel or perpendicular as in industrial arms.
// req: D20
static void three_axes_have_up_to_four_solutions(void **state) {
  (void)state;
  random_stream random = random_stream_of(1305);
  int of_count[5] = {0};
  for (int round = 0; round < 300; ++round) {
    const int way = round % 6;
    sinew_three_axes at;
    double roots[4][3], v[3], f[3];
    sinew_angle a[4][3];
    random_direction(&random, at.k1);
    random_direction(&random, at.k2);
    random_direction(&random, at.k3);
    random_vector(&random, 1.0, at.p0);
    random_vector(&random, 1.0, at.p2);
    random_vector(&random, 1.0, at.p3);
    if (way == 1 || way == 5) {
      memcpy(at.k3, at.k2, sizeof at.k2);
    }
    if (way == 5) {
      double other[3];
      sinew_basis_perpendicular(at.k2, at.k1, other);
    }
    sinew_scale(way == 2 ? 0.0 : 1.0, at.p2, at.p2);
    sinew_scale(way == 3 ? 0.0 : 1.0, at.p0, at.p0);
    if (way == 4) {
      memcpy(at.k1, at.k2, sizeof at.k2);
    }
    const double truth[3] = {random_between(&random, -PI, PI), random_between(&random, -PI, PI),
                             random_between(&random, -PI, PI)};
    sinew_zero(3, at.p1); // p1 so that the truth is a solution
    three_axes(&at, truth, f);
    sinew_scale(-1.0, f, v);
    rotated(at.k1, -truth[0], v, at.p1);
    const sinew_roots found = sinew_subproblem5(&at, no_three, a);
    assert_true(found.exact && !found.any);
    double nearest = INFINITY;
    for (int i = 0; i < found.count; ++i) {
      double far = 0.0;
      for (int j = 0; j < 3; ++j) {
        roots[i][j] = sinew_angle_value(a[i][j]);
        far = fmax(far, gap(roots[i][j], truth[j]));
      }
      nearest = fmin(nearest, far);
      three_axes(&at, roots[i], f);
      assert_at_most(sinew_norm(f), 1e-8);
    }
    assert_at_most(nearest, 1e-5);
    ++of_count[found.count];
    expect_different(3, found.count, roots);
    expect_all(3, three_axes, &at, 6, found.count, roots);
  }
  assert_true(of_count[2] > 50 && of_count[4] > 50);
}

// A double root, and roots that approach it: the errors of the equations stay at rounding.
static void double_roots_keep_their_digits(void **state) {
  (void)state;
  random_stream random = random_stream_of(1306);
  for (int round = 0; round < 2000; ++round) {
    sinew_angle roots[2], x[4], y[4];
    const double a = random_between(&random, -2.0, 2.0), b = random_between(&random, -2.0, 2.0);
    const double r = hypot(a, b), inside = round % 16 == 15 ? 0.0 : pow(10.0, -(round % 16));
    const sinew_roots found = sinew_circle_solve(a, b, r * (1.0 - inside), none, roots);
    assert_true(found.exact && found.count >= 1);
    for (int i = 0; i < found.count; ++i) {
      assert_near(a * roots[i].c + b * roots[i].s, r * (1.0 - inside), 4e-16 * r);
      assert_near(roots[i].c * roots[i].c + roots[i].s * roots[i].s, 1.0, 1e-15);
    }
    // Two circles: |d - y| = 1 at a distance of nearly 2 has y = d / 2.
    const double angle = random_between(&random, -PI, PI), far = 2.0 * (1.0 - inside);
    const sinew_circles circles = {
        {1.0, 0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 1.0}, {far * cos(angle), far * sin(angle)}};
    const sinew_roots pairs = sinew_circles_solve(&circles, none, none, x, y);
    assert_true(pairs.exact && pairs.count >= 1 && pairs.count <= 4);
    for (int i = 0; i < pairs.count; ++i) {
      assert_near(x[i].c + y[i].c, circles.d[0], 1e-14);
      assert_near(x[i].s + y[i].s, circles.d[1], 1e-14);
    }
  }
}

// f of which two lines u c + p = +-(v s - q) are the roots, u^2 + v^2 = 2, one of them tangent to
// the circle: the double root is found where the lines are nearly parallel (v or u small), too, and
// counts as exact.
// req: D20
static void tangent_lines_keep_their_root(void **state) {
  (void)state;
  random_stream random = random_stream_of(900);
  for (int i = 0; i < 4000; ++i) {
    const double w = pow(10.0, -0.002 * i), half = random_between(&random, -PI, PI);
    const double u = i % 2 == 0 ? sqrt(2.0 - w) : sqrt(w), v = i % 2 == 0 ? sqrt(w) : sqrt(2.0 - w);
    const double p = random_between(&random, -1.0, 1.0),
                 q = (i % 3 == 0 ? 1.0 : -1.0) * sqrt(2.0) - p;
    const double scale = pow(10.0, random_between(&random, -2.0, 2.0));
    // Rotated by half: f(t) of t + half
    const double c = cos(half), s = sin(half), f1 = 2.0 * u * p, f2 = 2.0 * v * q;
    const double f[5] = {scale * (0.5 * (u * u - v * v) + p * p - q * q), scale * (f1 * c - f2 * s),
                         scale * (f1 * s + f2 * c), scale * cos(2.0 * half),
                         scale * sin(2.0 * half)};
    const double at = atan2(-v * -(p + q), u * -(p + q)) + half;
    sinew_angle roots[4];
    const sinew_roots found = sinew_second_solve(f, none, roots);
    double least = INFINITY;
    assert_true(found.exact);
    for (int k = 0; k < found.count; ++k) {
      least = fmin(least, gap(sinew_angle_value(roots[k]), at));
    }
    assert_at_most(least, 1e-4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_angle_is_found_or_the_nearest),
      cmocka_unit_test(any_angle_is_the_preferred_one),
      cmocka_unit_test(two_cones_meet_in_two_lines),
      cmocka_unit_test(four_circles_have_up_to_four_solutions),
      cmocka_unit_test(three_axes_have_up_to_four_solutions),
      cmocka_unit_test(double_roots_keep_their_digits),
      cmocka_unit_test(tangent_lines_keep_their_root),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
