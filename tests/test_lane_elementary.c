// Sines, arc tangents, logarithms, exponentials and rotations of the lanes, on every instruction
// set that this processor has, against the C library's in long double.
#include "each_set.h"
#include "inspect.h"
#include "lane_functions.h"
#include "near.h"
#include "sinew/math.h"

#include <float.h>

enum { COUNT = 4096 };

static double uniform(uint64_t stream, int i) {
  return sinew_random_uniform(stream, (uint64_t)i);
}

// The distance of a value from the exact one in units of its last place, or of least.
static double units(double value, long double exact, double least) {
  const double near = fabs((double)exact);
  const double unit = sinew_max(nextafter(near, INFINITY) - near, least);
  const double error = (double)(fabsl((long double)value - exact) / unit);
  return isnan(error) ? INFINITY : error;
}

static double ulps(double value, long double exact) {
  return units(value, exact, DBL_MIN);
}

// The error bound in ulp: where long double is no longer than double, as under valgrind, the
// reference is itself wrong by up to one.
static double within(double most) {
  volatile long double one = 1.0L, next = 1.0L + LDBL_EPSILON;
  return one + (long double)DBL_EPSILON / 4.0L > one && next > one ? most : most + 1.5;
}

// Prints what was measured, if the environment asks for it.
static void measured(const lane_functions *set, const char *what, double worst) {
  if (getenv("SINEW_TEST_VERBOSE") != NULL) {
    print_message("%-7s %-12s %.3g\n", set->name, what, worst);
  }
}

static const lane_functions *const sets[SINEW_LANE_SET_COUNT] = {
    [SINEW_LANE_SET_BASE] = &lane_functions_base,     [SINEW_LANE_SET_PAIR] = &lane_functions_pair,
#ifdef __x86_64__
    [SINEW_LANE_SET_FMA] = &lane_functions_fma,       [SINEW_LANE_SET_AVX2] = &lane_functions_avx2,
    [SINEW_LANE_SET_AVX512] = &lane_functions_avx512,
#endif
};

static const lane_functions *set_of(void **state) {
  return sets[set_of_state(state)];
}

// ------------------------------------------------------------ sine and cosine

typedef void (*sincos_function)(int count, const double *x, double *sine, double *cosine);

static double sincos_worst(sincos_function sincos_of, double range) {
  static double x[COUNT], s[COUNT], c[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    x[i] = range * (2.0 * uniform(1, i) - 1.0);
  }
  // Near multiples of pi / 2, where one of the two is close to zero
  for (int i = 0; i < 64 && range > 1.0; ++i) {
    const double quarters = floor(range / 1.6 * uniform(2, i));
    x[i] = quarters * 1.57079632679489655800e+00;
  }
  sincos_of(COUNT, x, s, c);
  double worst = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    worst = sinew_max(worst, units(s[i], sinl((long double)x[i]), 1e-27));
    worst = sinew_max(worst, units(c[i], cosl((long double)x[i]), 1e-27));
  }
  return worst;
}

static void sincos_is_accurate(void **state) {
  const lane_functions *set = set_of(state);
  const double ranges[] = {1e-3, 0.785, 10.0, 1e5};
  for (int i = 0; i < 4; ++i) {
    const double worst = sincos_worst(set->sincos, ranges[i]);
    const double across = sincos_worst(set->sincos_across, ranges[i]);
    measured(set, "sincos", worst);
    measured(set, "across", across);
    assert_at_most(sinew_max(worst, across), within(ranges[i] <= 10.0 ? 1.6 : 2.4));
  }
}

static void sincos_at_special_angles(void **state) {
  const lane_functions *set = set_of(state);
  const double x[8] = {0.0, -0.0, DBL_MIN, 1e-300, 1e7, -1e10, 1e15, -1e15};
  double s[8], c[8];
  for (int across = 0; across < 2; ++across) {
    (across ? set->sincos_across : set->sincos)(8, x, s, c);
    for (int i = 0; i < 4; ++i) {
      assert_true(s[i] == x[i] && c[i] == 1.0);
    }
    for (int i = 4; i < 8; ++i) { // out of range: finite at least
      assert_at_most(fabs(s[i]), 2.0);
      assert_at_most(fabs(c[i]), 2.0);
    }
  }
}

// ---------------------------------------------------------------- arc tangent

static void atan2_is_accurate(void **state) {
  const lane_functions *set = set_of(state);
  static double x[COUNT], y[COUNT], out[COUNT], half[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    const double length = pow(10.0, 200.0 * uniform(3, i) - 100.0);
    const double angle = SINEW_PI * (2.0 * uniform(4, i) - 1.0);
    // Every eighth near an axis
    x[i] = length * cos(angle) * (i % 8 == 0 ? pow(10.0, -20.0 * uniform(5, i)) : 1.0);
    y[i] = length * sin(angle) * (i % 8 == 1 ? pow(10.0, -20.0 * uniform(5, i)) : 1.0);
  }
  set->atan2(COUNT, y, x, out);
  double worst = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    worst = sinew_max(worst, ulps(out[i], atan2l((long double)y[i], (long double)x[i])));
    y[i] = fabs(y[i]);
    out[i] = fabs(out[i]);
  }
  measured(set, "atan2", worst);
  assert_at_most(worst, within(2.6));
  set->angle(COUNT, y, x, half);
  assert_memory_equal(half, out, sizeof half);
}

static void atan2_at_special_points(void **state) {
  const lane_functions *set = set_of(state);
  const double y[16] = {0.0, -0.0, 0.0,  -0.0, 1.0,  -1.0,   1.0,   -1.0,
                        1.0, 0.0,  -0.0, 0.0,  -0.0, 5e-324, 1e300, -1e-300};
  const double x[16] = {1.0,  1.0, -1.0, -1.0,   0.0,    0.0,    1.0,   -1.0,
                        -1.0, 0.0, 0.0,  1e-300, -1e300, -1e300, 1e300, 1e-300};
  double out[16];
  set->atan2(16, y, x, out);
  for (int i = 0; i < 16; ++i) {
    assert_near(out[i], atan2(y[i], x[i]), 1e-15);
    assert_int_equal(signbit(out[i]), signbit(y[i]));
  }
  assert_true(out[0] == 0.0 && out[2] == SINEW_PI && out[3] == -SINEW_PI);
  assert_true(out[4] == 0.5 * SINEW_PI && out[5] == -0.5 * SINEW_PI);
}

// -------------------------------------------------------------- inverse square root

static void inverse_sqrt_is_accurate(void **state) {
  const lane_functions *set = set_of(state);
  static double x[COUNT], out[COUNT];
  const double special[8] = {1.0, 2.0, 4.0 - 4.0 * DBL_EPSILON, DBL_MIN, DBL_MAX, 3.0, 1e-300, 0.5};
  for (int i = 0; i < COUNT; ++i) {
    const double range = i % 2 == 0 ? 307.0 : 1.0;
    x[i] = pow(10.0, range * (2.0 * uniform(9, i) - 1.0));
  }
  memcpy(x, special, sizeof special);
  set->inverse_sqrt(COUNT, x, out);
  double worst = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    worst = sinew_max(worst, ulps(out[i], 1.0L / sqrtl((long double)x[i])));
  }
  measured(set, "inverse sqrt", worst);
  assert_at_most(worst, 2.0);
}

// ------------------------------------------------------------------ logarithm

static void log_is_accurate(void **state) {
  const lane_functions *set = set_of(state);
  static double x[COUNT], out[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    const double range = i % 3 == 0 ? 307.0 : i % 3 == 1 ? 1.0 : 1e-4;
    x[i] = pow(10.0, range * (2.0 * uniform(6, i) - 1.0));
  }
  const double special[8] = {1.0,
                             2.0,
                             0.5,
                             1.0 + DBL_EPSILON,
                             1.0 - DBL_EPSILON / 2,
                             DBL_MIN,
                             DBL_MAX,
                             0.70710678118654752440};
  memcpy(x, special, sizeof special);
  set->log(COUNT, x, out);
  double worst = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    worst = sinew_max(worst, ulps(out[i], logl((long double)x[i])));
  }
  measured(set, "log", worst);
  assert_at_most(worst, within(1.0));
  assert_true(out[0] == 0.0);
}

static void log_of_zero_is_finite(void **state) {
  const lane_functions *set = set_of(state);
  const double x[8] = {0.0};
  double out[8];
  set->log(8, x, out);
  assert_true(out[0] < -708.0 && out[0] > -1e4);
}

static void exp_is_accurate(void **state) {
  const lane_functions *set = set_of(state);
  static double x[COUNT], out[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    const double range = i % 3 == 0 ? 700.0 : i % 3 == 1 ? 1.0 : 1e-6;
    x[i] = -range * uniform(7, i);
  }
  set->exp(COUNT, x, out);
  double worst = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    worst = sinew_max(worst, ulps(out[i], expl((long double)x[i])));
  }
  measured(set, "exp", worst);
  assert_at_most(worst, within(1.0));
}

static void exp_at_special_points(void **state) {
  const lane_functions *set = set_of(state);
  const double x[8] = {0.0, -0.0, -1e-300, -700.0, -701.0, -1e5, -DBL_MAX, -INFINITY};
  double out[8];
  set->exp(8, x, out);
  for (int i = 0; i < 8; ++i) {
    assert_true(out[i] == (i < 3 ? 1.0 : out[3]));
  }
  assert_true(out[3] > 0.9e-304 && out[3] < 1e-303);
}

// ------------------------------------------------------------------ rotations

static void random_axis(int i, double axis[3]) {
  const double z = 2.0 * uniform(7, i) - 1.0, a = 2.0 * SINEW_PI * uniform(8, i);
  const double r = sqrt(1.0 - z * z);
  axis[0] = r * cos(a);
  axis[1] = r * sin(a);
  axis[2] = z;
}

// Rodrigues' formula in long double, rounded once.
static void exact_matrix(const double axis[3], double angle, double R[9]) {
  const long double x = axis[0], y = axis[1], z = axis[2];
  const long double length = sqrtl(x * x + y * y + z * z);
  const long double u[3] = {x / length, y / length, z / length};
  const long double s = sinl((long double)angle), half = sinl(0.5L * (long double)angle);
  const long double v = 2.0L * half * half;
  const long double hat[9] = {0.0L, -u[2], u[1], u[2], 0.0L, -u[0], -u[1], u[0], 0.0L};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      R[3 * i + j] = (double)((i == j ? 1.0L - v : 0.0L) + v * u[i] * u[j] + s * hat[3 * i + j]);
    }
  }
}

// Angles over [0, pi], many of them close to its ends.
static double random_angle(int i) {
  const double small = pow(10.0, -16.0 * uniform(9, i));
  return i % 3 == 0 ? small : i % 3 == 1 ? SINEW_PI - small : SINEW_PI * uniform(10, i);
}

// theta / (2 sin theta) of w = 4 sin^2(theta / 2), over the range in which it is used.
static void log_scale_is_accurate(void **state) {
  const lane_functions *set = set_of(state);
  static double w[COUNT], out[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    w[i] = i % 4 == 0 ? pow(10.0, -16.0 * uniform(14, i)) * 0.6 : 0.6 * uniform(14, i);
  }
  w[0] = 0.6;
  set->log_scale(COUNT, w, out);
  double worst = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    const long double half = asinl(0.5L * sqrtl((long double)w[i]));
    worst = sinew_max(worst, ulps(out[i], half / sinl(2.0L * half)));
  }
  measured(set, "log scale", worst);
  assert_at_most(worst, 2.0);
}

static void rotation_log_is_accurate(void **state) {
  const lane_functions *set = set_of(state);
  static double R[9 * COUNT], r[3 * COUNT], angles[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    double axis[3], one[9];
    random_axis(i, axis);
    exact_matrix(axis, random_angle(i), one);
    for (int k = 0; k < 9; ++k) {
      R[k * COUNT + i] = one[k];
    }
  }
  set->rotation_log(COUNT, R, r, angles);
  double worst = 0.0, worst_length = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    double axis[3];
    random_axis(i, axis);
    const double angle = random_angle(i), got[3] = {r[i], r[COUNT + i], r[2 * COUNT + i]};
    const double same = sinew_dot(axis, got) < 0.0 ? -1.0 : 1.0;
    // Within rounding of pi the sign of the axis is arbitrary.
    assert_true(same > 0.0 || angle > SINEW_PI - 1e-14 || angle < 1e-15);
    for (int k = 0; k < 3; ++k) {
      worst = sinew_max(worst, fabs(got[k] - same * angle * axis[k]));
    }
    worst_length = sinew_max(worst_length, fabs(sinew_norm(got) - angles[i]));
  }
  measured(set, "rotation log", worst);
  assert_at_most(worst, 1e-12);
  assert_at_most(worst_length, 2e-15);
}

// Half turns about the axes, the identity, and matrices that are rotations up to rounding only.
static void rotation_log_at_special_rotations(void **state) {
  const lane_functions *set = set_of(state);
  const double axes[8][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0},
                             {0, 1, 1}, {1, 0, 1}, {1, 1, 1}, {1, 1, 1}};
  double R[72], r[24], angle[8];
  for (int i = 0; i < 8; ++i) {
    const double square = sinew_dot(axes[i], axes[i]);
    for (int k = 0; k < 9; ++k) { // 2 u u^T - I
      R[8 * k + i] = 2.0 * axes[i][k / 3] * axes[i][k % 3] / square - (k % 4 == 0 ? 1.0 : 0.0);
      if (i == 7) {
        R[8 * k + i] = k % 4 == 0 ? 1.0 : 0.0;
      }
    }
  }
  set->rotation_log(8, R, r, angle);
  for (int i = 0; i < 7; ++i) {
    const double got[3] = {r[i], r[8 + i], r[16 + i]};
    assert_near(angle[i], SINEW_PI, 1e-15);
    assert_near(sinew_norm(got), SINEW_PI, 2e-15);
    assert_near(fabs(sinew_dot(got, axes[i])), SINEW_PI * sinew_norm(axes[i]), 1e-14);
  }
  assert_true(angle[7] == 0.0 && r[7] == 0.0 && r[15] == 0.0 && r[23] == 0.0);
}

static void random_rotation_vectors(double most, double *w) {
  for (int i = 0; i < COUNT; ++i) {
    double axis[3];
    random_axis(i, axis);
    const double angle = i % 4 == 0 ? pow(10.0, -16.0 * uniform(11, i)) : most * uniform(11, i);
    for (int k = 0; k < 3; ++k) {
      w[k * COUNT + i] = angle * axis[k];
    }
  }
}

static void quaternion_exp_is_accurate(void **state) {
  const lane_functions *set = set_of(state);
  static double w[3 * COUNT], q[4 * COUNT];
  random_rotation_vectors(SINEW_PI, w);
  set->quaternion_exp(COUNT, w, q);
  double worst = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    const long double x = w[i], y = w[COUNT + i], z = w[2 * COUNT + i];
    const long double angle = sqrtl(x * x + y * y + z * z);
    const long double share = angle > 0.0L ? sinl(0.5L * angle) / angle : 0.5L;
    const long double exact[4] = {cosl(0.5L * angle), share * x, share * y, share * z};
    for (int k = 0; k < 4; ++k) {
      worst = sinew_max(worst, fabs((double)((long double)q[k * COUNT + i] - exact[k])));
    }
  }
  measured(set, "exp", worst);
  assert_at_most(worst, 5e-16);
}

// A thousand rotations against the library's own exp, product and normalization; and their norms.
static void quaternion_products_stay_unit(void **state) {
  const lane_functions *set = set_of(state);
  static double w[3 * COUNT], q[4 * COUNT], expected[4 * COUNT];
  random_rotation_vectors(1.0, w);
  for (int i = 0; i < 4 * COUNT; ++i) {
    q[i] = 2.0 * uniform(12, i) - 1.0;
  }
  set->quaternion_normalize(COUNT, q);
  memcpy(expected, q, sizeof expected);
  for (int round = 0; round < 100; ++round) {
    set->quaternion_turn(COUNT, w, q);
  }
  for (int i = 0; i < COUNT; ++i) {
    const double by[3] = {w[i], w[COUNT + i], w[2 * COUNT + i]};
    double turn[4], now[4], next[4], sum = 0.0;
    sinew_quaternion_exp(by, turn);
    for (int k = 0; k < 4; ++k) {
      now[k] = expected[k * COUNT + i];
      sum += q[k * COUNT + i] * q[k * COUNT + i];
    }
    assert_near(sum, 1.0, 1e-15);
    for (int round = 0; round < 100; ++round) {
      sinew_quaternion_multiply(now, turn, next);
      sinew_quaternion_normalize(next);
      memcpy(now, next, sizeof now);
    }
    for (int k = 0; k < 4; ++k) {
      assert_near(q[k * COUNT + i], now[k], 1e-13);
    }
  }
}

static void quaternion_matrix_is_that_of_the_library(void **state) {
  const lane_functions *set = set_of(state);
  static double q[4 * COUNT], R[9 * COUNT];
  for (int i = 0; i < 4 * COUNT; ++i) {
    q[i] = 2.0 * uniform(13, i) - 1.0;
  }
  set->quaternion_normalize(COUNT, q);
  set->quaternion_matrix(COUNT, q, R);
  for (int i = 0; i < COUNT; ++i) {
    const double one[4] = {q[i], q[COUNT + i], q[2 * COUNT + i], q[3 * COUNT + i]};
    double expected[9];
    sinew_quaternion_to_matrix(one, expected);
    for (int k = 0; k < 9; ++k) {
      assert_near(R[k * COUNT + i], expected[k], 1e-15);
    }
  }
}

// ------------------------------------------------------------------ place

// A lane's result does not depend on its index or its neighbours: near pi the logarithm of a
// rotation is computed for all lanes at once.
static void results_do_not_depend_on_neighbours(void **state) {
  const lane_functions *set = set_of(state);
  double R[72], r[24], angle[8], alone_R[72], alone_r[24], alone_angle[8];
  for (int i = 0; i < 8; ++i) {
    double axis[3], one[9];
    random_axis(i, axis);
    exact_matrix(axis, i % 2 == 0 ? SINEW_PI - 1e-5 : 0.3 * i, one);
    for (int k = 0; k < 9; ++k) {
      R[8 * k + i] = one[k];
    }
  }
  set->rotation_log(8, R, r, angle);
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 72; ++k) {
      alone_R[k] = k % 8 == 7 - i ? R[k / 8 * 8 + i] : (k / 8 % 4 == 0 ? 1.0 : 0.0);
    }
    set->rotation_log(8, alone_R, alone_r, alone_angle);
    for (int k = 0; k < 3; ++k) {
      assert_true(alone_r[8 * k + 7 - i] == r[8 * k + i]);
    }
    assert_true(alone_angle[7 - i] == angle[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ON_EACH_SET(sincos_is_accurate),
      ON_EACH_SET(sincos_at_special_angles),
      ON_EACH_SET(atan2_is_accurate),
      ON_EACH_SET(atan2_at_special_points),
      ON_EACH_SET(inverse_sqrt_is_accurate),
      ON_EACH_SET(log_is_accurate),
      ON_EACH_SET(log_of_zero_is_finite),
      ON_EACH_SET(exp_is_accurate),
      ON_EACH_SET(exp_at_special_points),
      ON_EACH_SET(log_scale_is_accurate),
      ON_EACH_SET(rotation_log_is_accurate),
      ON_EACH_SET(rotation_log_at_special_rotations),
      ON_EACH_SET(quaternion_exp_is_accurate),
      ON_EACH_SET(quaternion_products_stay_unit),
      ON_EACH_SET(quaternion_matrix_is_that_of_the_library),
      ON_EACH_SET(results_do_not_depend_on_neighbours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
