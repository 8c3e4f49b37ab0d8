// Adjoints, exponentials and logarithms of rigid motions, against their definitions, power series
// in long double (naive.h) and differences.
#include "naive.h"
#include "near.h"
#include "random_tree.h"
#include "sinew/sinew.h"

#include <float.h>

// A few products of numbers of size 1 to 10.
#define ROUNDING 1e-14
// A power series with terms up to 10, where long double is no longer than double.
#define SERIES 5e-14
#define PI 3.14159265358979323846

static sinew_pose random_pose(random_stream *stream) {
  sinew_pose pose;
  for (int i = 0; i < 3; ++i) {
    pose.position[i] = random_between(stream, -2.0, 2.0);
  }
  random_unit(stream, 4, pose.rotation);
  return pose;
}

// A twist with a given angle.
static void random_twist(random_stream *stream, double angle, double twist[6]) {
  random_unit(stream, 3, twist + 3);
  for (int i = 0; i < 3; ++i) {
    twist[i] = random_between(stream, -2.0, 2.0);
    twist[i + 3] *= angle;
  }
}

static void multiply(const double *A, const double *B, double *out) {
  double product[36];
  for (int i = 0; i < 36; ++i) {
    product[i] = 0.0;
    for (int k = 0; k < 6; ++k) {
      product[i] += A[i / 6 * 6 + k] * B[6 * k + i % 6];
    }
  }
  memcpy(out, product, sizeof product);
}

static const double IDENTITY[36] = {[0] = 1, [7] = 1, [14] = 1, [21] = 1, [28] = 1, [35] = 1};

// The rotation matrix and position of two poses are the same.
static void assert_same_pose(const sinew_pose *a, const sinew_pose *b, double tolerance) {
  double Ra[9], Rb[9];
  sinew_quaternion_to_matrix(a->rotation, Ra);
  sinew_quaternion_to_matrix(b->rotation, Rb);
  assert_at_most(farthest(9, Ra, Rb), tolerance);
  assert_at_most(farthest(3, a->position, b->position), tolerance);
}

// ------------------------------------------------------------------ adjoints

// 90 degrees about z, then one metre along x, two along y: by hand.
// req: B3
static void adjoint_of_a_quarter_turn(void **unused) {
  (void)unused;
  const double h = sqrt(0.5);
  const sinew_pose pose = {{1.0, 2.0, 0.0}, {h, 0.0, 0.0, h}};
  const double expected[36] = {0, -1, 0, 0, 0,  2,  //
                               1, 0,  0, 0, 0,  -1, //
                               0, 0,  1, 1, 2,  0,  //
                               0, 0,  0, 0, -1, 0,  //
                               0, 0,  0, 1, 0,  0,  //
                               0, 0,  0, 0, 0,  1};
  double Ad[36];
  sinew_pose_adjoint(&pose, Ad);
  assert_at_most(farthest(36, Ad, expected), ROUNDING);
}

// Ad(AB) = Ad(A) Ad(B), Ad(A^-1) = Ad(A)^-1.
// req: B3
static void adjoints_multiply_and_invert_as_poses_do(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(1);
  for (int i = 0; i < 1000; ++i) {
    const sinew_pose A = random_pose(&stream), B = random_pose(&stream);
    sinew_pose AB, inverse;
    double AdA[36], AdB[36], AdAB[36], product[36], AdInverse[36], inverted[36];
    sinew_pose_multiply(&A, &B, &AB);
    sinew_pose_adjoint(&A, AdA);
    sinew_pose_adjoint(&B, AdB);
    sinew_pose_adjoint(&AB, AdAB);
    multiply(AdA, AdB, product);
    assert_at_most(farthest(36, AdAB, product), 3 * ROUNDING);

    sinew_pose_invert(&A, &inverse);
    sinew_pose_adjoint(&inverse, AdInverse);
    sinew_pose_adjoint_inverse(&A, inverted);
    assert_at_most(farthest(36, AdInverse, inverted), ROUNDING);
    multiply(AdA, inverted, product);
    assert_at_most(farthest(36, product, IDENTITY), 3 * ROUNDING);
  }
}

// exp(Ad(g) x) = g exp(x) g^-1: the definition of the adjoint.
// req: B3
static void adjoint_conjugates_a_motion(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(2);
  for (int i = 0; i < 500; ++i) {
    const sinew_pose g = random_pose(&stream);
    sinew_pose inverse, motion, moved, expected;
    double x[6], y[6];
    random_twist(&stream, random_between(&stream, 0.0, 3.0), x);
    sinew_pose_transform_twist(&g, x, y);
    sinew_pose_exp(y, &moved);
    sinew_pose_exp(x, &motion);
    sinew_pose_invert(&g, &inverse);
    sinew_pose_multiply(&g, &motion, &expected);
    sinew_pose_multiply(&expected, &inverse, &expected);
    assert_same_pose(&moved, &expected, 3 * ROUNDING);
  }
}

// A twist, or all columns of a Jacobian, are transformed as by the matrix, also in place; and back
// again.
// req: B3 B16
static void twists_are_transformed_as_by_the_matrix(void **unused) {
  (void)unused;
  enum { COUNT = 7 };
  random_stream stream = random_stream_of(3);
  for (int i = 0; i < 200; ++i) {
    const sinew_pose g = random_pose(&stream);
    double Ad[36], twists[6 * COUNT], moved[6 * COUNT];
    sinew_pose_adjoint(&g, Ad);
    for (int k = 0; k < 6 * COUNT; ++k) {
      twists[k] = random_between(&stream, -1.0, 1.0);
    }
    sinew_twists_transform(Ad, COUNT, twists, moved);
    for (int c = 0; c < COUNT; ++c) {
      double twist[6], out[6], back[6];
      for (int r = 0; r < 6; ++r) {
        twist[r] = twists[r * COUNT + c];
      }
      sinew_pose_transform_twist(&g, twist, out);
      sinew_pose_transform_twist_back(&g, out, back);
      assert_at_most(farthest(6, back, twist), ROUNDING);
      for (int r = 0; r < 6; ++r) {
        double sum = 0.0;
        for (int k = 0; k < 6; ++k) {
          sum += Ad[6 * r + k] * twist[k];
        }
        assert_near(out[r], sum, ROUNDING);
        assert_near(moved[r * COUNT + c], sum, ROUNDING);
      }
      sinew_pose_transform_twist(&g, twist, twist);
      assert_memory_equal(twist, out, sizeof out);
      sinew_pose_transform_twist_back(&g, twist, twist);
      assert_memory_equal(twist, back, sizeof back);
    }
    sinew_twists_transform(Ad, COUNT, twists, twists);
    assert_memory_equal(twists, moved, sizeof moved);
  }
}

// The derivative of an adjoint: v of its twist is t' - w x t and not t'.
// Central differences at h = 1e-5: h^2 of truncation and 1e-16 / h of rounding.
// req: B10
static void adjoint_derivative_against_differences(void **unused) {
  (void)unused;
  const double h = 1e-5;
  random_stream stream = random_stream_of(4);
  for (int i = 0; i < 200; ++i) {
    const sinew_pose g = random_pose(&stream);
    double twist[6], step[6], derivative[36], difference[36], ends[2][36];
    sinew_pose moved[2];
    random_twist(&stream, random_between(&stream, 0.5, 2.0), twist);
    for (int side = 0; side < 2; ++side) {
      for (int r = 0; r < 6; ++r) {
        step[r] = (side == 0 ? -h : h) * twist[r];
      }
      sinew_pose_exp(step, &moved[side]);
      sinew_pose_multiply(&moved[side], &g, &moved[side]);
      sinew_pose_adjoint(&moved[side], ends[side]);
    }
    for (int k = 0; k < 36; ++k) {
      difference[k] = (ends[1][k] - ends[0][k]) / (2.0 * h);
    }
    sinew_pose_adjoint_derivative(&g, twist, derivative);
    assert_at_most(farthest(36, derivative, difference), 1e-8);

    // with t' for v the same formula is wrong
    double speed[6];
    memcpy(speed, twist, sizeof speed);
    for (int r = 0; r < 3; ++r) {
      speed[r] = (moved[1].position[r] - moved[0].position[r]) / (2.0 * h);
    }
    sinew_pose_adjoint_derivative(&g, speed, derivative);
    assert_true(farthest(36, derivative, difference) > 1e-3);
  }
}

// -------------------------------------------------------- exponential, logarithm

static const double ANGLES[] = {0.0, 1e-300, 1e-12, 1e-7, 1e-4, 0.01, 0.1,
                                0.3, 0.999,  1.0,   1.5,  2.5,  3.0,  3.1};
enum { ANGLE_COUNT = sizeof ANGLES / sizeof ANGLES[0] };

// req: B2
static void exp_is_the_power_series(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(5);
  for (int i = 0; i < 20 * ANGLE_COUNT; ++i) {
    double twist[6], R[9];
    long double exact[6], T[16];
    sinew_pose pose;
    random_twist(&stream, ANGLES[i % ANGLE_COUNT], twist);
    for (int r = 0; r < 6; ++r) {
      exact[r] = twist[r];
    }
    naive_exp(exact, 1.0L, T);
    sinew_pose_exp(twist, &pose);
    sinew_quaternion_to_matrix(pose.rotation, R);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        assert_near(R[3 * r + c], (double)T[4 * r + c], SERIES);
      }
      assert_near(pose.position[r], (double)T[4 * r + 3], SERIES);
    }
  }
}

// req: B2
static void log_inverts_exp(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(6);
  for (int i = 0; i < 20 * ANGLE_COUNT; ++i) {
    double twist[6], back[6];
    sinew_pose pose, again;
    random_twist(&stream, ANGLES[i % ANGLE_COUNT], twist);
    sinew_pose_exp(twist, &pose);
    sinew_pose_log(&pose, back);
    assert_at_most(farthest(6, twist, back), ROUNDING);

    random_twist(&stream, PI, twist); // either of two, and the same motion
    sinew_pose_exp(twist, &pose);
    sinew_pose_log(&pose, back);
    sinew_pose_exp(back, &again);
    assert_same_pose(&pose, &again, ROUNDING);
  }
}

// The left Jacobian as its power series: sum of ad^k / (k + 1)!, with ad = [w^, v^;
// 0, w^]; its inverse times itself is the identity.
// req: B18
static void left_jacobian_is_the_power_series(void **unused) {
  (void)unused;
  random_stream stream = random_stream_of(7);
  for (int i = 0; i < 20 * ANGLE_COUNT; ++i) {
    double x[6], J[36], inverse[36], product[36], series[36];
    long double ad[36] = {0}, term[36] = {0}, sum[36], next[36];
    random_twist(&stream, ANGLES[i % ANGLE_COUNT], x);
    for (int b = 0; b < 3; ++b) { // [x_b^ at the three blocks that are not zero]
      const double *u = b == 1 ? x : x + 3;
      const int at = b == 0 ? 0 : (b == 1 ? 3 : 21);
      const double hat[9] = {0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0};
      for (int k = 0; k < 9; ++k) {
        ad[at + k / 3 * 6 + k % 3] = hat[k];
      }
    }
    for (int k = 0; k < 6; ++k) {
      term[7 * k] = 1.0L;
    }
    memcpy(sum, term, sizeof sum);
    for (int n = 1; n < 60; ++n) {
      for (int k = 0; k < 36; ++k) {
        next[k] = 0.0L;
        for (int l = 0; l < 6; ++l) {
          next[k] += term[k / 6 * 6 + l] * ad[6 * l + k % 6] / (n + 1);
        }
      }
      memcpy(term, next, sizeof term);
      for (int k = 0; k < 36; ++k) {
        sum[k] += term[k];
      }
    }
    for (int k = 0; k < 36; ++k) {
      series[k] = (double)sum[k];
    }
    sinew_pose_left_jacobian(x, J);
    assert_at_most(farthest(36, J, series), SERIES);
    sinew_pose_left_jacobian_inverse(x, inverse);
    multiply(inverse, J, product);
    assert_at_most(farthest(36, product, IDENTITY), 3 * ROUNDING);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(adjoint_of_a_quarter_turn),
      cmocka_unit_test(adjoints_multiply_and_invert_as_poses_do),
      cmocka_unit_test(adjoint_conjugates_a_motion),
      cmocka_unit_test(twists_are_transformed_as_by_the_matrix),
      cmocka_unit_test(adjoint_derivative_against_differences),
      cmocka_unit_test(exp_is_the_power_series),
      cmocka_unit_test(log_inverts_exp),
      cmocka_unit_test(left_jacobian_is_the_power_series),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
