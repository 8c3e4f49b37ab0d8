// --floating-base: a robot whose base may be anywhere, in every command that takes a MODEL.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli_run.h"
#include "shared_data.h"

#define FLOATS W("--floating-base")

// A body with two arms of two joints each.
static const char *body_file(void) {
  return write_all(
      "body.urdf",
      "<robot name='body'><link name='trunk'/><link name='a'/><link name='left'/><link name='b'/>"
      "<link name='right'/>"
      "<joint name='j1' type='revolute'><parent link='trunk'/><child link='a'/>"
      "<origin xyz='0 0.2 0.3'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' "
      "velocity='1'/></joint>"
      "<joint name='j2' type='revolute'><parent link='a'/><child link='left'/>"
      "<origin xyz='0.4 0 0'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' "
      "velocity='1'/></joint>"
      "<joint name='j3' type='revolute'><parent link='trunk'/><child link='b'/>"
      "<origin xyz='0 -0.2 0.3'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' "
      "velocity='1'/></joint>"
      "<joint name='j4' type='revolute'><parent link='b'/><child link='right'/>"
      "<origin xyz='0.4 0 0'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' "
      "velocity='1'/></joint></robot>");
}

// 7 metres away, rotated by 120 degrees about (1, 1, 1); the arms bent.
#define POSTURE "5,-4,3,0.5,0.5,0.5,0.5,0.3,-0.2,0.5,0.4"

static void pose_text(const json_t *fk, const char *link, char *text, size_t size) {
  const json_t *tip = tip_of(fk, "tips", link);
  snprintf(text, size, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", element(tip, "position", 0),
           element(tip, "position", 1), element(tip, "position", 2), element(tip, "rotation", 0),
           element(tip, "rotation", 1), element(tip, "rotation", 2), element(tip, "rotation", 3));
}

// The values of a result as --q takes them; the base's come first.
static void q_text(const json_t *q, char *text, size_t size) {
  const char *name;
  json_t *value;
  size_t length = 0;
  for (size_t i = 0; i < 7; ++i)
    length += (size_t)snprintf(text + length, size - length, "%s%.17g", i > 0 ? "," : "",
                               element(q, "floating_base", i));
  json_object_foreach((json_t *)q, name, value) {
    if (json_is_number(value))
      length += (size_t)snprintf(text + length, size - length, ",%.17g", json_number_value(value));
    assert_true(length < size);
  }
}

static void test_info(void **state) {
  (void)state;
  result got = RUN(W("info"), W(body_file()), FLOATS, W("--json"));
  json_t *root = parse_output(&got, 0);
  assert_near(number_of(root, "dof"), 10, 0);
  const json_t *base = json_array_get(json_object_get(root, "joints"), 0);
  assert_string_equal(text_of(base, "name"), "floating_base");
  assert_string_equal(text_of(base, "kind"), "free");
  assert_string_equal(text_of(base, "parent"), "world");
  assert_string_equal(text_of(base, "child"), "trunk");
  json_decref(root);
  release(&got);
  got = RUN(W("info"), W(body_file()), FLOATS);
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, "root link: world"));
  release(&got);
}

// solve finds the pose that fk gives for a configuration far away, and fk confirms it.
// req: A5 B13
static void fk_and_solve_agree(void **state) {
  (void)state;
  const char *model = body_file();
  char left[256], right[256], q[512];
  result forward = RUN(W("fk"), W(model), FLOATS, W("--q"), W(POSTURE), W("--json"));
  json_t *fk = parse_output(&forward, 0);
  assert_near(element(tip_of(fk, "tips", "trunk"), "position", 0), 5.0, 1e-15);
  pose_text(fk, "left", left, sizeof left);
  pose_text(fk, "right", right, sizeof right);
  result got = RUN(W("solve"), W(model), FLOATS, W("--tip"), W("left"), W("--pose"), W(left),
                   W("--tip"), W("right"), W("--pose"), W(right), W("--json"));
  json_t *root = parse_output(&got, 0);
  assert_string_equal(text_of(root, "outcome"), "converged");
  q_text(json_object_get(root, "q"), q, sizeof q);
  result again = RUN(W("fk"), W(model), FLOATS, W("--q"), W(q), W("--json"));
  json_t *there = parse_output(&again, 0);
  static const char *const tips[] = {"left", "right"};
  for (int t = 0; t < 2; ++t)
    for (size_t i = 0; i < 3; ++i)
      assert_near(element(tip_of(there, "tips", tips[t]), "position", i),
                  element(tip_of(fk, "tips", tips[t]), "position", i), 1.001e-6);
  json_decref(there);
  json_decref(root);
  json_decref(fk);
  release(&again);
  release(&got);
  release(&forward);
}

// Without the option the same targets are out of reach.
static void fixed_base_cannot_reach(void **state) {
  (void)state;
  result got = RUN(W("solve"), W(body_file()), W("--tip"), W("left"), W("--position"), W("5,-4,3"),
                   W("--json"));
  json_t *root = parse_output(&got, 1);
  assert_string_equal(text_of(root, "outcome"), "out_of_reach");
  json_decref(root);
  release(&got);
}

// req: A5
static void track_and_batch_float(void **state) {
  (void)state;
  const char *model = body_file();
  const char *targets = write_all("floating.csv", "time,left.x,left.y,left.z,right.x,right.y,"
                                                  "right.z\n0,3.4,0.2,2,3.4,-0.2,2\n"
                                                  "0.1,3.42,0.2,2,3.42,-0.2,2\n");
  result got = RUN(W("track"), W(model), FLOATS, W("--targets"), W(targets), W("--out"), W("-"));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, "time,floating_base.x,floating_base.y,floating_base.z,"
                                  "floating_base.qw,floating_base.qx,floating_base.qy,"
                                  "floating_base.qz,j1,j2,j3,j4"));
  assert_int_equal(line_count(got.out), 3);
  release(&got);
  // Not to a file: one that a failed run has left would be in the way.
  got = RUN(W("batch"), W(model), FLOATS, W("--tip"), W("left"), W("--tip"), W("right"),
            W("--targets"), W(targets), W("--out"), W("-"));
  assert_int_equal(got.exit_code, 0);
  for (int row = 1; row <= 2; ++row)
    assert_memory_equal(line_of(got.out, row), "converged,", 10);
  assert_non_null(strstr(line_of(got.out, 0), ",floating_base.x,"));
  release(&got);
}

// Models without a base that can float, and runs that began without the option.
static void test_refusals(void **state) {
  (void)state;
  expect_refusal(RUN(W("info"), W(two_bones_file()), FLOATS), "--floating-base", "BVH");
  expect_refusal(RUN(W("info"), W("arm7"), FLOATS), "--floating-base", "built-in");
  expect_refusal(RUN(W("info"), W(body_file()), W("--floating-base=1")), "--floating-base",
                 "takes no value");
  const char *bolted =
      write_all("bolted.urdf", "<robot name='r'><link name='world'/><link name='a'/>"
                               "<joint name='j' type='continuous'><parent link='world'/>"
                               "<child link='a'/><axis xyz='0 0 1'/></joint></robot>");
  expect_refusal(RUN(W("info"), W(bolted), FLOATS), "bolted.urdf:1: j:", "its base cannot float");
}

// Hands of a humanoid of the optional data.
// req: A1 A5 B13
static void test_humanoid(void **state) {
  (void)state;
  const char *model = shared_file("data/urdf/g1_29dof.urdf");
  char poses[2][256];
  result forward = RUN(W("fk"), W(model), FLOATS, W("--q"), W("middle"), W("--json"));
  json_t *fk = parse_output(&forward, 0);
  pose_text(fk, "left_rubber_hand", poses[0], sizeof poses[0]);
  pose_text(fk, "right_rubber_hand", poses[1], sizeof poses[1]);
  result got = RUN(W("solve"), W(model), FLOATS, W("--seed"), W("zero"), W("--tip"),
                   W("left_rubber_hand"), W("--pose"), W(poses[0]), W("--tip"),
                   W("right_rubber_hand"), W("--pose"), W(poses[1]), W("--json"));
  json_t *root = parse_output(&got, 0);
  assert_string_equal(text_of(root, "outcome"), "converged");
  assert_true(number_of(root, "position_error") <= 1e-6);
  assert_true(number_of(root, "orientation_error") <= 1e-6);
  json_decref(root);
  json_decref(fk);
  release(&got);
  release(&forward);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_info),
      cmocka_unit_test(fk_and_solve_agree),
      cmocka_unit_test(fixed_base_cannot_reach),
      cmocka_unit_test(track_and_batch_float),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_humanoid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
