// Poses: the algebra of rigid motions.
#include "near.h"
#include "sinew/math.h"

#define ROUNDING 1e-15

static const sinew_pose A = {{1.0, -2.0, 0.5}, {0.5, -0.5, 0.5, 0.5}};
static const sinew_pose B = {{0.25, 4.0, -1.0}, {0.8, 0.0, 0.0, -0.6}};
static const double POINT[3] = {3.0, -1.0, 2.0};

static void assert_same(const sinew_pose *a, const sinew_pose *b) {
  assert_at_most(farthest(3, a->position, b->position), 10 * ROUNDING);
  assert_at_most(farthest(4, a->rotation, b->rotation), ROUNDING);
}

// 90 degrees about z at (1, 2, 3): x_w = R x_l + p.
static void transforms_by_its_rotation_then_its_position(void **unused) {
  (void)unused;
  const sinew_pose pose = {{1, 2, 3}, {sqrt(0.5), 0, 0, sqrt(0.5)}};
  const double expected[3] = {1 + 1, 2 + 3, 3 + 2};
  double out[3];
  sinew_pose_transform(&pose, POINT, out);
  assert_at_most(farthest(3, out, expected), 4 * ROUNDING);
}

// a * b: first b, then a.
static void multiplies_from_right_to_left(void **unused) {
  (void)unused;
  double step[3], expected[3], out[3];
  sinew_pose product, other;
  sinew_pose_multiply(&A, &B, &product);
  sinew_pose_transform(&B, POINT, step);
  sinew_pose_transform(&A, step, expected);
  sinew_pose_transform(&product, POINT, out);
  assert_at_most(farthest(3, out, expected), 10 * ROUNDING);
  sinew_pose_multiply(&B, &A, &other);
  assert_true(farthest(3, other.position, product.position) > 0.1);
}

static void inverse_gives_the_identity(void **unused) {
  (void)unused;
  sinew_pose inverse, product;
  const sinew_pose identity = sinew_pose_identity();
  sinew_pose_invert(&A, &inverse);
  sinew_pose_multiply(&A, &inverse, &product);
  assert_same(&product, &identity);
  sinew_pose_multiply(&inverse, &A, &product);
  assert_same(&product, &identity);
  // (a b)^-1 = b^-1 a^-1
  sinew_pose ab, other, b_inverse;
  sinew_pose_multiply(&A, &B, &ab);
  sinew_pose_invert(&ab, &ab);
  sinew_pose_invert(&B, &b_inverse);
  sinew_pose_multiply(&b_inverse, &inverse, &other);
  assert_same(&ab, &other);
}

static void identity_changes_nothing(void **unused) {
  (void)unused;
  const sinew_pose identity = sinew_pose_identity();
  sinew_pose out;
  double point[3];
  sinew_pose_multiply(&identity, &A, &out);
  assert_same(&out, &A);
  sinew_pose_multiply(&A, &identity, &out);
  assert_same(&out, &A);
  sinew_pose_transform(&identity, POINT, point);
  assert_memory_equal(point, POINT, sizeof point);
}

// The output may be an input.
static void works_in_place(void **unused) {
  (void)unused;
  sinew_pose expected, a = A, b = B;
  sinew_pose_multiply(&A, &B, &expected);
  sinew_pose_multiply(&a, &B, &a);
  sinew_pose_multiply(&A, &b, &b);
  assert_memory_equal(&a, &expected, sizeof a);
  assert_memory_equal(&b, &expected, sizeof b);
  sinew_pose_invert(&A, &expected);
  a = A;
  sinew_pose_invert(&a, &a);
  assert_memory_equal(&a, &expected, sizeof a);
  double point[3], out[3];
  memcpy(point, POINT, sizeof point);
  sinew_pose_transform(&A, POINT, out);
  sinew_pose_transform(&A, point, point);
  assert_memory_equal(point, out, sizeof point);
  memcpy(point, POINT, sizeof point);
  sinew_quaternion_rotate(A.rotation, POINT, out);
  sinew_quaternion_rotate(A.rotation, point, point);
  assert_memory_equal(point, out, sizeof point);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transforms_by_its_rotation_then_its_position),
      cmocka_unit_test(multiplies_from_right_to_left),
      cmocka_unit_test(inverse_gives_the_identity),
      cmocka_unit_test(identity_changes_nothing),
      cmocka_unit_test(works_in_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
