// Rotations: quaternions, rotation vectors, matrices, roll-pitch-yaw, sines and cosines; against
// long double and closed forms.
#include "near.h"
#include "random_tree.h"
#include "sinew/math.h"

#include "inspect.h"

#include <float.h>
#include <stdbool.h>

typedef long double real;

static const real PI = 3.14159265358979323846264338327950288L;

#define ROUNDING 1e-15 // a few units in the last place of numbers of size 1

// ------------------------------------------------------ references, long double

// Rodrigues: R = I + sin(t) u^ + (1 - cos(t)) u^ u^, with 1 - cos = 2 sin^2(t/2).
static void rodrigues(const double u[3], real angle, double R[9]) {
  const real length = sqrtl((real)u[0] * u[0] + (real)u[1] * u[1] + (real)u[2] * u[2]);
  const real a[3] = {u[0] / length, u[1] / length, u[2] / length};
  const real s = sinl(angle), c = 2 * sinl(angle / 2) * sinl(angle / 2);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const int k = 3 - i - j;
      const real hat = i == j ? 0 : ((j + 1) % 3 == i ? a[k] : -a[k]); // u^ = [0 -z y; z ...]
      R[3 * i + j] = (double)((i == j ? 1 - c : 0) + c * a[i] * a[j] + s * hat);
    }
  }
}

static void half_angle(const double u[3], real angle, double q[4]) {
  const real length = sqrtl((real)u[0] * u[0] + (real)u[1] * u[1] + (real)u[2] * u[2]);
  q[0] = (double)cosl(angle / 2);
  for (int i = 0; i < 3; ++i) {
    q[i + 1] = (double)(sinl(angle / 2) * u[i] / length);
  }
}

// From 1e-300 up to pi and beyond, dense near 0 and near pi.
enum { ANGLES = 60 };
static real angle_of(int i) {
  if (i < 25) {
    return i == 0 ? 0 : powl(10, -i * i / 4.0L); // 0, 0.56, 0.1, ... 1e-144
  }
  if (i < 50) {
    return PI - powl(10, -(i - 25) * 0.75L); // close to pi
  }
  return PI * (i - 49) / 10.5L;
}

static void random_axis(random_stream *stream, double u[3]) {
  random_unit(stream, 3, u);
  if (random_below(stream, 4) == 0) { // a coordinate axis, or in a coordinate plane
    u[random_below(stream, 3)] = 0.0;
    if (u[0] == 0.0 && u[1] == 0.0 && u[2] == 0.0) {
      u[2] = -1.0;
    }
  }
}

// ------------------------------------------------------------------ exponential

static void exp_of_rotation_vectors(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(1);
  for (int trial = 0; trial < 20 * ANGLES; ++trial) {
    const real angle = angle_of(trial % ANGLES);
    double u[3], q[4], expected[4];
    random_axis(&stream, u);
    const real length = sqrtl((real)u[0] * u[0] + (real)u[1] * u[1] + (real)u[2] * u[2]);
    const double w[3] = {(double)(angle * u[0] / length), (double)(angle * u[1] / length),
                         (double)(angle * u[2] / length)};
    sinew_quaternion_exp(w, q);
    half_angle(u, angle, expected);
    for (int i = 0; i < 4; ++i) { // relative where it is small
      assert_near(q[i], expected[i], ROUNDING * (i == 0 ? 1.0 : fabs(expected[i])) + DBL_MIN);
    }
  }
}

// Where |w| or its square would overflow, the result is still a unit quaternion.
static void exp_is_always_finite(void **unused) {
  (void)unused;
  const double sizes[] = {1e10, 1e160, 1e300, 1e308, DBL_MIN, 5e-324, 0.0};
  for (int i = 0; i < 7; ++i) {
    const double w[3] = {sizes[i], -sizes[i], sizes[i]};
    double q[4];
    sinew_quaternion_exp(w, q);
    assert_near(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), 1.0, 1e-14);
  }
}

// ------------------------------------------------------------------- logarithm

// The rotation vector's angle is accurate to the last places, also near 0 and near pi; and for -q,
// which is the same rotation.
static void log_of_quaternions(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(2);
  for (int trial = 0; trial < 20 * ANGLES; ++trial) {
    const real angle = angle_of(trial % ANGLES);
    double u[3], q[4], w[3], of_minus[3];
    random_axis(&stream, u);
    half_angle(u, angle, q);
    const double minus[4] = {-q[0], -q[1], -q[2], -q[3]};
    sinew_quaternion_log(q, w);
    sinew_quaternion_log(minus, of_minus);
    const real length = sqrtl((real)u[0] * u[0] + (real)u[1] * u[1] + (real)u[2] * u[2]);
    const double scale = (double)(angle / length);
    for (int i = 0; i < 3; ++i) {
      assert_near(w[i], scale * u[i], 2 * ROUNDING * fabs(scale * u[i]) + DBL_MIN);
      assert_near(of_minus[i], w[i], 0.0);
    }
  }
}

// The same from the matrix. Entries are rounded to 1e-16, so the absolute error of the angle cannot
// be smaller.
static void log_of_matrices(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(3);
  for (int trial = 0; trial < 20 * ANGLES; ++trial) {
    const real angle = angle_of(trial % ANGLES);
    double u[3], R[9], w[3];
    random_axis(&stream, u);
    rodrigues(u, angle, R);
    sinew_rotation_log(R, w);
    const real length = sqrtl((real)u[0] * u[0] + (real)u[1] * u[1] + (real)u[2] * u[2]);
    double sign = 1.0;
    if (PI - angle < 1e-15L && w[0] * u[0] + w[1] * u[1] + w[2] * u[2] < 0.0) {
      sign = -1.0; // rounding of R decides on which side of pi it is
    }
    for (int i = 0; i < 3; ++i) {
      assert_near(w[i], sign * (double)(angle * u[i] / length), 3 * ROUNDING);
    }
    assert_at_most(sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), (double)PI + ROUNDING);
  }
}

// Small angles are summed as a series. It ends where t is 1/10: the tangent of an angle for
// matrices, of half of it for quaternions. On either side logarithms are as accurate.
static void log_on_both_sides_of_the_series_end(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(9);
  for (int trial = 0; trial < 4000; ++trial) {
    const real angle = random_between(&stream, 0.05, 0.25);
    double u[3], q[4], R[9], w[3], of_matrix[3];
    random_axis(&stream, u);
    half_angle(u, angle, q);
    rodrigues(u, angle, R);
    sinew_quaternion_log(q, w);
    sinew_rotation_log(R, of_matrix);
    const real length = sqrtl((real)u[0] * u[0] + (real)u[1] * u[1] + (real)u[2] * u[2]);
    for (int i = 0; i < 3; ++i) {
      const double expected = (double)(angle * u[i] / length);
      assert_near(w[i], expected, 2 * ROUNDING * fabs(expected) + DBL_MIN);
      assert_near(of_matrix[i], expected, ROUNDING);
    }
  }
}

// Near 0 the skew part of the matrix holds the rotation vector to full precision.
static void log_of_matrices_near_identity_is_relative(void **unused) {
  (void)unused;
  for (int i = 1; i < 100; ++i) {
    const double angle = pow(10.0, -3.0 * i);
    const double R[9] = {1, -3 * angle, 2 * angle, 3 * angle, 1, -angle, -2 * angle, angle, 1};
    double w[3];
    sinew_rotation_log(R, w);
    for (int k = 0; k < 3; ++k) {
      // R is a rotation to first order: the remainder is 4.7 angle^2 of it
      assert_near(w[k], (k + 1) * angle, (5 * angle * angle + ROUNDING) * (k + 1) * angle);
    }
  }
}

// At exactly half a turn the first component that is not zero is positive.
static void half_turns_have_one_sign(void **unused) {
  (void)unused;
  const double axes[][3] = {{1, 0, 0},      {0, 1, 0},      {0, 0, 1},    {0.6, 0.8, 0},
                            {0.6, -0.8, 0}, {0, 0.6, -0.8}, {0.6, 0, 0.8}};
  for (int i = 0; i < 7; ++i) {
    for (int sign = -1; sign < 2; sign += 2) {
      const double *u = axes[i];
      const double q[4] = {0.0, sign * u[0], sign * u[1], sign * u[2]};
      double R[9], w[3], w_R[3];
      for (int k = 0; k < 9; ++k) { // 2 u u^T - I
        R[k] = 2 * u[k / 3] * u[k % 3] - (k % 4 == 0 ? 1.0 : 0.0);
      }
      sinew_quaternion_log(q, w);
      sinew_rotation_log(R, w_R);
      for (int k = 0; k < 3; ++k) {
        assert_near(w[k], (double)PI * u[k], ROUNDING * 4);
        assert_near(w_R[k], (double)PI * u[k], ROUNDING * 4);
      }
    }
  }
}

// Quaternions of any length, and zero: the rotation of the normalized one, no NaN and no infinity.
static void log_of_any_length(void **unused) {
  (void)unused;
  const double lengths[] = {1e-5, 1e-200, 1e-320, 0.3, 7.0, 1e200, 1e308};
  for (int i = 0; i < 7; ++i) {
    const double half_turn[4] = {0.0, lengths[i], 0.0, 0.0}; // w = 0, and s as small as possible
    const double quarter[4] = {lengths[i], 0.0, -lengths[i], 0.0};
    const double expected[3] = {(double)PI, 0.0, 0.0}, turned[3] = {0.0, (double)PI / -2, 0.0};
    double w[3];
    sinew_quaternion_log(half_turn, w);
    assert_at_most(farthest(3, w, expected), 4 * ROUNDING);
    sinew_quaternion_log(quarter, w);
    assert_at_most(farthest(3, w, turned), 4 * ROUNDING);
  }
  const double none[3] = {0.0, 0.0, 0.0}, zero[4] = {0.0, 0.0, 0.0, 0.0};
  double w[3] = {1.0, 1.0, 1.0};
  sinew_quaternion_log(zero, w);
  assert_at_most(farthest(3, w, none), 0.0);
}

// The inverse of the left Jacobian: its product with the left Jacobian, summed as the
// series of w^ powers over (k+1)!, is the identity; to pi and beyond.
static void left_jacobian_inverse(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(4);
  for (int trial = 0; trial < 400; ++trial) {
    double u[3], w[3], inverse[9];
    random_unit(&stream, 3, u);
    const double angle = trial < 200 ? pow(10.0, -trial / 12.0) : 4.5 * (trial - 199) / 200;
    real hat[9], power[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, J[9] = {0};
    for (int i = 0; i < 3; ++i) {
      w[i] = angle * u[i];
    }
    const real filled[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    memcpy(hat, filled, sizeof hat);
    real factorial = 1;
    for (int k = 0; k < 60; ++k) {
      factorial *= k + 1;
      real next[9] = {0};
      for (int i = 0; i < 9; ++i) {
        J[i] += power[i] / factorial;
        for (int m = 0; m < 3; ++m) {
          next[i] += power[i / 3 * 3 + m] * hat[3 * m + i % 3];
        }
      }
      memcpy(power, next, sizeof power);
    }
    sinew_rotation_left_jacobian_inverse(w, inverse);
    for (int i = 0; i < 9; ++i) {
      real sum = 0;
      for (int m = 0; m < 3; ++m) {
        sum += inverse[i / 3 * 3 + m] * J[3 * m + i % 3];
      }
      assert_near((double)sum, i % 4 == 0 ? 1.0 : 0.0, 10 * ROUNDING);
    }
  }
}

// ------------------------------------------------------ quaternions and matrices

static void matrices_of_quaternions(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(5);
  for (int trial = 0; trial < 10 * ANGLES; ++trial) {
    double u[3], q[4], R[9], expected[9], v[3], turned[3];
    random_axis(&stream, u);
    half_angle(u, angle_of(trial % ANGLES), q);
    rodrigues(u, angle_of(trial % ANGLES), expected);
    sinew_quaternion_to_matrix(q, R);
    assert_at_most(farthest(9, R, expected), ROUNDING);
    random_unit(&stream, 3, v);
    sinew_quaternion_rotate(q, v, turned);
    for (int i = 0; i < 3; ++i) {
      assert_near(turned[i], R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2],
                  2 * ROUNDING);
    }
  }
}

// From a matrix: each of the four branches, and the boundaries between them, where two of |w|, |x|,
// |y|, |z| are equal. The scalar part is not negative.
static void quaternions_of_matrices(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(6);
  int largest_seen[4] = {0};
  for (int trial = 0; trial < 4000; ++trial) {
    double q[4], R[9], back[4];
    random_unit(&stream, 4, q);
    if (trial % 4 == 1) { // on a boundary
      const double half[4] = {0.5, trial % 8 < 4 ? 0.5 : -0.5, 0.5, -0.5};
      memcpy(q, half, sizeof q);
    } else if (trial % 4 == 2) { // all but one nearly zero
      const double size = pow(10.0, -trial / 200.0);
      for (int i = 0; i < 4; ++i) {
        q[i] = i == trial / 4 % 4 ? 1.0 : size * q[i];
      }
    }
    real sum = 0;
    int k = 0;
    for (int i = 0; i < 4; ++i) {
      sum += (real)q[i] * q[i];
      k = fabs(q[i]) > fabs(q[k]) ? i : k;
    }
    ++largest_seen[k];
    const real w = q[0] / sqrtl(sum), x = q[1] / sqrtl(sum), y = q[2] / sqrtl(sum),
               z = q[3] / sqrtl(sum);
    const real exact[9] = {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),
                           2 * (x * z + w * y),           2 * (x * y + w * z),
                           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                           2 * (x * z - w * y),           2 * (y * z + w * x),
                           w * w - x * x - y * y + z * z};
    for (int i = 0; i < 9; ++i) {
      R[i] = (double)exact[i];
    }
    sinew_quaternion_from_matrix(R, back);
    assert_true(back[0] >= 0.0);
    const real expected[4] = {w, x, y, z};
    real dot = 0;
    for (int i = 0; i < 4; ++i) {
      dot += expected[i] * back[i];
    }
    for (int i = 0; i < 4; ++i) {
      assert_near(back[i], (double)(dot < 0 ? -expected[i] : expected[i]), ROUNDING);
    }
  }
  for (int i = 0; i < 4; ++i) {
    assert_true(largest_seen[i] > 100);
  }
}

// Hamilton's rules, which fix order and sign: i j = k, j i = -k, i i = -1.
static void quaternion_product(void **unused) {
  (void)unused;
  double out[4];
  for (int a = 1; a < 4; ++a) {
    for (int b = 1; b < 4; ++b) {
      double x[4] = {0}, y[4] = {0}, expected[4] = {0};
      x[a] = y[b] = 1.0;
      expected[a == b ? 0 : 6 - a - b] = a == b || a % 3 + 1 != b ? -1.0 : 1.0;
      sinew_quaternion_multiply(x, y, out);
      assert_at_most(farthest(4, out, expected), 0.0);
    }
  }
  // out may be a or b
  const double p[4] = {0.1, 0.2, 0.3, 0.4}, q[4] = {0.9, -0.7, 0.5, -0.3};
  double expected[4], a[4], b[4];
  sinew_quaternion_multiply(p, q, expected);
  memcpy(a, p, sizeof a);
  memcpy(b, q, sizeof b);
  sinew_quaternion_multiply(a, q, a);
  sinew_quaternion_multiply(p, b, b);
  assert_memory_equal(a, expected, sizeof a);
  assert_memory_equal(b, expected, sizeof b);
}

// Any finite length, however small or large; the identity for 0, NaN and infinity.
static void normalizing_is_always_finite(void **unused) {
  (void)unused;
  const double lengths[] = {1.0, 3.0, 1e-100, 1e100, 1e-200, 1e200, 1e-320, 1e308, 1e-160};
  for (int i = 0; i < 9; ++i) {
    double q[4] = {0.5 * lengths[i], -0.5 * lengths[i], 0.5 * lengths[i], 0.5 * lengths[i]};
    const double expected[4] = {0.5, -0.5, 0.5, 0.5};
    sinew_quaternion_normalize(q);
    assert_at_most(farthest(4, q, expected), ROUNDING);
  }
  const double identity[4] = {1, 0, 0, 0}, bad[] = {0.0, NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 4; ++k) {
      double q[4] = {0.5, 0.5, 0.5, 0.5};
      if (i == 0) {
        memset(q, 0, sizeof q);
      }
      q[k] = bad[i];
      sinew_quaternion_normalize(q);
      assert_memory_equal(q, identity, sizeof q);
    }
  }
}

// R = Rz(yaw) Ry(pitch) Rx(roll), entry by entry, also at the poles.
// req: A10
static void roll_pitch_yaw(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(7);
  for (int trial = 0; trial < 500; ++trial) {
    double rpy[3], q[4], R[9];
    for (int i = 0; i < 3; ++i) {
      rpy[i] = trial % 5 == 0 ? 1.57079632679489661923 * (random_below(&stream, 9) - 4)
                              : random_between(&stream, -7, 7);
    }
    const real cr = cosl(rpy[0]), sr = sinl(rpy[0]), cp = cosl(rpy[1]), sp = sinl(rpy[1]),
               cy = cosl(rpy[2]), sy = sinl(rpy[2]);
    const real exact[9] = {cy * cp,
                           cy * sp * sr - sy * cr,
                           cy * sp * cr + sy * sr,
                           sy * cp,
                           sy * sp * sr + cy * cr,
                           sy * sp * cr - cy * sr,
                           -sp,
                           cp * sr,
                           cp * cr};
    sinew_quaternion_from_rpy(rpy, q);
    sinew_quaternion_to_matrix(q, R);
    for (int i = 0; i < 9; ++i) {
      assert_near(R[i], (double)exact[i], 2 * ROUNDING);
    }
  }
}

// The shortest rotation from z: it maps z to the axis, is a rotation, and its angle is the one
// between z and the axis. To the last places near -z.
static void rotation_from_z(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(8);
  for (int trial = 0; trial < 2000; ++trial) {
    double a[3], R[9], product[9];
    random_unit(&stream, 3, a);
    if (trial % 2 == 0) { // near z or -z
      const double hair = pow(10.0, -trial / 100.0);
      a[0] *= hair;
      a[1] *= hair;
      a[2] = copysign(sqrt(1.0 - a[0] * a[0] - a[1] * a[1]), a[2]);
    }
    sinew_rotation_z_to(a, R);
    sinew_matrix_multiply_transposed(R, R, product);
    for (int i = 0; i < 9; ++i) {
      assert_near(product[i], i % 4 == 0 ? 1.0 : 0.0, 2 * ROUNDING);
    }
    for (int i = 0; i < 3; ++i) {
      assert_near(R[3 * i + 2], a[i], ROUNDING);
    }
    // det = 1, and trace = 1 + 2 cos
    const double determinant = R[0] * (R[4] * R[8] - R[5] * R[7]) -
                               R[1] * (R[3] * R[8] - R[5] * R[6]) +
                               R[2] * (R[3] * R[7] - R[4] * R[6]);
    assert_near(determinant, 1.0, 2 * ROUNDING);
    assert_near(R[0] + R[4] + R[8], 1.0 + 2.0 * a[2], 2 * ROUNDING);
  }
  const double axes[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  for (int i = 0; i < 6; ++i) { // exact: a planar model stays planar
    double R[9];
    sinew_rotation_z_to(axes[i], R);
    for (int k = 0; k < 9; ++k) {
      assert_true(R[k] == 0.0 || R[k] == 1.0 || R[k] == -1.0);
    }
  }
}

// ------------------------------------------------------------ sines and cosines

static double units_off(double value, real exact) {
  int exponent;
  frexp((double)exact, &exponent);
  return (double)(fabsl((real)value - exact) / ldexpl(1.0L, exponent - 53));
}

// The rounding of the reference itself: valgrind computes long double as double.
static double reference_rounding(void) {
  volatile real one = 1, least = LDBL_EPSILON;
  return one + least > one ? (double)LDBL_EPSILON : DBL_EPSILON;
}

static void assert_sine(double value, real exact, bool first_turn, bool small) {
  const double allowed = reference_rounding();
  assert_at_most((double)fabsl((real)value - exact), 1.7e-16 + allowed);
  if (small || (first_turn && fabsl(exact) > 0.01L)) {
    assert_at_most(units_off(value, exact), 1.5 + allowed / DBL_EPSILON);
  }
}

static void find_base(int count, double *angle, double *sine, double *cosine) {
  sinew_sincos(count, angle, sine, cosine);
}

#ifdef SINEW_X86_64
__attribute__((target("avx2"))) static void find_avx2(int count, double *angle, double *sine,
                                                      double *cosine) {
  sinew_sincos(count, angle, sine, cosine);
}
#else
#define find_avx2 find_base
#endif

static bool has_avx2(void) {
  return sinew_instruction_set_detect() >= SINEW_INSTRUCTION_SET_AVX2;
}

static void find(bool avx2, int count, double *angle, double *sine, double *cosine) {
  if (avx2) {
    find_avx2(count, angle, sine, cosine);
  } else {
    find_base(count, angle, sine, cosine);
  }
}

// One angle, padded to an array of four.
static void one_sincos(bool avx2, double angle, double *sine, double *cosine) {
  double a[4] = {angle}, s[4], c[4];
  find(avx2, 1, a, s, c);
  *sine = s[0];
  *cosine = c[0];
}

// Accurate to the last places in every quadrant, at its edges, for tiny angles and large ones; an
// array gives the same bits as one angle alone, with AVX2 and without.
static void sines_and_cosines(void **unused) {
  (void)unused;
  enum { COUNT = 20001, ROOM = (COUNT + 3) / 4 * 4 };
  static double angle[ROOM], sine[ROOM], cosine[ROOM];
  random_stream stream = random_stream_of(9);
  for (int i = 0; i < COUNT; ++i) {
    const double near_edge = (double)(PI / 4 * random_below(&stream, 17)) - (double)(2 * PI);
    const double values[4] = {random_between(&stream, -7.0, 7.0),
                              near_edge * (1.0 + 1e-15 * random_between(&stream, -3, 3)),
                              pow(10.0, random_between(&stream, -300, 0)),
                              random_between(&stream, -1e6, 1e6)};
    angle[i] = values[i % 4];
  }
  angle[0] = 0.0;
  angle[1] = -0.0;
  find(false, COUNT, angle, sine, cosine);
  for (int i = 0; i < COUNT; ++i) {
    const bool first_turn = fabs(angle[i]) < 6.3, small = fabs(angle[i]) < 0.78;
    assert_sine(sine[i], sinl(angle[i]), first_turn, small);
    assert_sine(cosine[i], cosl(angle[i]), first_turn, small);
    for (int avx2 = 0; avx2 <= has_avx2(); ++avx2) {
      double s, c;
      one_sincos(avx2, angle[i], &s, &c);
      assert_true(s == sine[i] && c == cosine[i]);
    }
  }
  assert_true(sine[0] == 0.0 && cosine[0] == 1.0 && sine[1] == 0.0 && cosine[1] == 1.0);
}

// Also beyond a million rad, where the C library is called, alone or beside others.
static void sines_and_cosines_of_large_angles(void **unused) {
  (void)unused;
  const double large[7] = {0.5, 999999.75, 1000000.25, -3e6, 1e15, -1e100, 0.25};
  double angle[8], sine[8], cosine[8];
  for (int count = 1; count <= 7; ++count) {
    memcpy(angle, large, sizeof large);
    find(has_avx2(), count, angle, sine, cosine);
    for (int i = 0; i < count; ++i) {
      assert_near(sine[i], sin(angle[i]), ROUNDING);
      assert_near(cosine[i], cos(angle[i]), ROUNDING);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exp_of_rotation_vectors),
      cmocka_unit_test(exp_is_always_finite),
      cmocka_unit_test(log_of_quaternions),
      cmocka_unit_test(log_of_matrices),
      cmocka_unit_test(log_on_both_sides_of_the_series_end),
      cmocka_unit_test(log_of_any_length),
      cmocka_unit_test(log_of_matrices_near_identity_is_relative),
      cmocka_unit_test(half_turns_have_one_sign),
      cmocka_unit_test(left_jacobian_inverse),
      cmocka_unit_test(matrices_of_quaternions),
      cmocka_unit_test(quaternions_of_matrices),
      cmocka_unit_test(quaternion_product),
      cmocka_unit_test(normalizing_is_always_finite),
      cmocka_unit_test(roll_pitch_yaw),
      cmocka_unit_test(rotation_from_z),
      cmocka_unit_test(sines_and_cosines),
      cmocka_unit_test(sines_and_cosines_of_large_angles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
