// The command sinew solve, and all commands on real robots and clips.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli_run.h"
#include "shared_data.h"

#define PATH_SIZE 1024
#define MOST_WORDS 40

// ---- solve ----

// The distance of the two links' tip, by the closed form, from a target.
static double two_link_distance(const json_t *q, double x, double z) {
  double q1 = number_of(q, "shoulder"), q12 = q1 + number_of(q, "elbow");
  return hypot(LENGTH1 * cos(q1) + LENGTH2 * cos(q12) - x,
               LENGTH1 * sin(q1) + LENGTH2 * sin(q12) - z);
}

// req: A8 C1
static void solve_reaches(void **state) {
  (void)state;
  result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                   W("0.4,0,0.8"), W("--json"));
  json_t *root = parse_output(&got, 0);
  assert_string_equal(text_of(root, "outcome"), "converged");
  const json_t *q = json_object_get(root, "q");
  double distance = two_link_distance(q, 0.4, 0.8);
  assert_true(distance <= 1e-6);
  assert_near(number_of(root, "position_error"), distance, 1e-12);
  assert_true(number_of(q, "shoulder") >= -1.5 && number_of(q, "shoulder") <= 2.5);
  assert_near(number_of(q, "right"), -2 * number_of(q, "left") + 0.01, 1e-15);
  assert_int_equal(json_object_size(q), 4);
  assert_true(json_is_integer(json_object_get(root, "steps")));
  assert_true(number_of(root, "steps") >= 1);
  assert_true(number_of(root, "microseconds") > 0);
  assert_near(number_of(tip_of(root, "effectors", "tip"), "position_error"), distance, 1e-12);
  json_decref(root);
  release(&got);
}

// A tolerance of 10 cm is reached early, and the solve stops there.
static void solve_stops_at_the_tolerance(void **state) {
  (void)state;
  const char *model = two_link_file();
  result loose = RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0.4,0,0.8"),
                     W("--tolerance"), W("0.1"), W("--json"));
  result tight = RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0.4,0,0.8"),
                     W("--tolerance"), W("1e-9"), W("--json"));
  json_t *few = parse_output(&loose, 0), *many = parse_output(&tight, 0);
  assert_true(number_of(few, "steps") < number_of(many, "steps"));
  assert_true(two_link_distance(json_object_get(few, "q"), 0.4, 0.8) <= 0.1);
  assert_true(two_link_distance(json_object_get(many, "q"), 0.4, 0.8) <= 1e-9);
  json_decref(few);
  json_decref(many);
  release(&loose);
  release(&tight);
}

// The solve starts at the seed: seeded with a solution, it needs no step.
static void solve_starts_at_the_seed(void **state) {
  (void)state;
  // x = l1 c1 + l2 c12 and z = l1 s1 + l2 s12 at 0.5, 0.9.
  char position[128];
  snprintf(position, sizeof position, "%.17g,0,%.17g", LENGTH1 * cos(0.5) + LENGTH2 * cos(1.4),
           LENGTH1 * sin(0.5) + LENGTH2 * sin(1.4));
  result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                   W(position), W("--seed"), W("0.5,0.9,0.03"), W("--json"));
  json_t *root = parse_output(&got, 0);
  const json_t *q = json_object_get(root, "q");
  assert_near(number_of(q, "shoulder"), 0.5, 1e-9);
  assert_near(number_of(q, "elbow"), 0.9, 1e-9);
  assert_near(number_of(q, "left"), 0.03, 0);
  assert_int_equal(number_of(root, "steps"), 0);
  json_decref(root);
  release(&got);
}

// req: C6
static void solve_reports_out_of_reach(void **state) {
  (void)state;
  result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                   W("3,0,4"), W("--json"));
  json_t *root = parse_output(&got, 1);
  assert_string_equal(text_of(root, "outcome"), "out_of_reach");
  // 5 m away, 1.2 m long: the smallest distance is 3.8 m, and the result reaches it.
  double distance = two_link_distance(json_object_get(root, "q"), 3, 4);
  assert_near(number_of(root, "position_error"), distance, 1e-9);
  assert_near(distance, 3.8, 1e-3);
  json_decref(root);
  release(&got);
}

static void solve_reports_the_step_limit(void **state) {
  (void)state;
  result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                   W("0.4,0,0.8"), W("--max-steps"), W("0"), W("--json"));
  json_t *root = parse_output(&got, 1);
  assert_string_equal(text_of(root, "outcome"), "step_limit");
  assert_int_equal(number_of(root, "steps"), 0);
  json_decref(root);
  release(&got);
}

// A nanosecond has passed before the first step.
// req: F2
static void solve_reports_the_time_limit(void **state) {
  (void)state;
  result got =
      RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"), W("0.4,0,0.8"),
          W("--method"), W("dls"), W("--time-limit"), W("1e-9"), W("--json"));
  json_t *root = parse_output(&got, 1);
  assert_string_equal(text_of(root, "outcome"), "time_limit");
  assert_int_equal(number_of(root, "steps"), 0);
  json_decref(root);
  release(&got);
}

// The arm would have to move below its shoulder's limit of -1.5 rad to point to -z at full length.
static void solve_names_the_blocking_limit(void **state) {
  (void)state;
  result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("upper"), W("--direction"),
                   W("-1,0,-1"), W("--axis"), W("1,0,0"), W("--seed"), W("-1,0,0"), W("--json"));
  json_t *root = parse_output(&got, 1);
  assert_string_equal(text_of(root, "outcome"), "blocked_by_limits");
  assert_string_equal(text_of(root, "limiting_joint"), "shoulder");
  assert_near(number_of(json_object_get(root, "q"), "shoulder"), -1.5, 1e-9);
  // The angle from -1.5 rad to -3/4 pi.
  assert_near(number_of(root, "orientation_error"), 0.75 * acos(-1) - 1.5, 1e-6);
  json_decref(root);
  release(&got);
}

// Two arms on one base: each target belongs to the tip before it.
// req: A1 B13
static void solve_reaches_with_several_tips(void **state) {
  (void)state;
  const char *model = write_all(
      "y.urdf", "<robot name='y'><link name='base'/><link name='a'/><link name='b'/>"
                "<joint name='ja' type='continuous'><parent link='base'/><child link='a'/>"
                "<axis xyz='0 0 1'/></joint>"
                "<joint name='jb' type='continuous'><parent link='base'/><child link='b'/>"
                "<axis xyz='0 0 1'/></joint></robot>");
  // Quaternions of +0.6 and -0.8 rad about z; that of b is not normalized.
  char turn_a[96], turn_b[96];
  snprintf(turn_a, sizeof turn_a, "%.17g,0,0,%.17g", cos(0.3), sin(0.3));
  snprintf(turn_b, sizeof turn_b, "%.17g,0,0,%.17g", 3 * cos(-0.4), 3 * sin(-0.4));
  result got =
      RUN(W("solve"), W(model), W("--tip"), W("b"), W("--orientation"), W(turn_b), W("--tip"),
          W("a"), W("--position"), W("0,0,0"), W("--orientation"), W(turn_a), W("--json"));
  json_t *root = parse_output(&got, 0);
  assert_near(number_of(json_object_get(root, "q"), "ja"), 0.6, 1e-6);
  assert_near(number_of(json_object_get(root, "q"), "jb"), -0.8, 1e-6);
  assert_int_equal(json_array_size(json_object_get(root, "effectors")), 2);
  assert_string_equal(text_of(json_array_get(json_object_get(root, "effectors"), 0), "link"), "b");
  json_decref(root);
  release(&got);
}

// A joint of several values is an array, in the order of its channels.
static void solve_prints_arrays_for_bvh_joints(void **state) {
  (void)state;
  result got = RUN(W("solve"), W(two_bones_file()), W("--tip"), W("Knee_end"), W("--position"),
                   W("4,5,6"), W("--tip"), W("Hip"), W("--pose"), W("4,5,6,1,0,0,0"), W("--json"));
  // The hip and the end of the leg have the same target: both cannot reach it.
  json_t *root = parse_output(&got, 1);
  assert_int_equal(json_array_size(json_object_get(json_object_get(root, "q"), "Hip")), 6);
  assert_int_equal(json_array_size(json_object_get(json_object_get(root, "q"), "Knee")), 3);
  json_decref(root);
  release(&got);

  got = RUN(W("solve"), W(two_bones_file()), W("--tip"), W("Hip"), W("--pose"), W("4,5,6,1,0,0,0"),
            W("--json"));
  root = parse_output(&got, 0);
  const json_t *q = json_object_get(root, "q");
  for (size_t i = 0; i < 3; ++i)
    assert_near(element(q, "Hip", i), 4 + (double)i, 1e-6);
  json_decref(root);
  release(&got);
}

// Both elbows of two links, the nearest to the seed first, each with its own errors; with one asked
// for, the nearest; with whole turns that the shoulder's limits do not allow, no more.
// req: E6 F2
static void solve_all_gives_both_elbows(void **state) {
  (void)state;
  const char *model = two_link_file();
  char *words[] = {
      W("sinew"),     W("solve"),  W(model),       W("--tip"),  W("tip"),   W("--position"),
      W("0.4,0,0.8"), W("--seed"), W("0.2,1.0,0"), W("--json"), W("--all"), W("5"),
      W("--images"),  NULL};
  for (int way = 0; way < 3; ++way) {
    words[11] = way == 1 ? W("1") : W("5");
    words[12] = way == 2 ? W("--images") : NULL;
    result got = run_words(words);
    json_t *root = parse_output(&got, 0);
    assert_true(json_is_array(root));
    assert_int_equal(json_array_size(root), way == 1 ? 1 : 2);
    double before = 0.0;
    for (size_t i = 0; i < json_array_size(root); ++i) {
      const json_t *answer = json_array_get(root, i), *q = json_object_get(answer, "q");
      const double bend =
          acos((0.8 - LENGTH1 * LENGTH1 - LENGTH2 * LENGTH2) / 2 / LENGTH1 / LENGTH2);
      const double distance = two_link_distance(q, 0.4, 0.8);
      assert_string_equal(text_of(answer, "outcome"), "converged");
      assert_true(distance <= 1e-6);
      assert_near(number_of(answer, "position_error"), distance, 1e-12);
      assert_near(number_of(q, "elbow"), i == 0 ? bend : -bend, 1e-5);
      const double far = hypot(number_of(q, "shoulder") - 0.2, number_of(q, "elbow") - 1.0);
      assert_true(far >= before);
      before = far;
    }
    json_decref(root);
    release(&got);
  }
}

// Without a solution: one object with the outcome, and exit code 1; without --json as for a single
// solve.
// req: C6
static void solve_all_reports_out_of_reach(void **state) {
  (void)state;
  result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                   W("3,0,4"), W("--all"), W("3"), W("--json"));
  json_t *root = parse_output(&got, 1);
  assert_int_equal(json_array_size(root), 1);
  const json_t *answer = json_array_get(root, 0);
  assert_string_equal(text_of(answer, "outcome"), "out_of_reach");
  assert_near(two_link_distance(json_object_get(answer, "q"), 3, 4), 3.8, 1e-3);
  json_decref(root);
  release(&got);
  got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"), W("3,0,4"),
            W("--all"), W("3"));
  assert_int_equal(got.exit_code, 1);
  assert_int_equal(strncmp(got.out, "out_of_reach", 12), 0);
  release(&got);
}

// The nearest has the seed's elbow, for either seed; the best is as good as either.
// req: E6
static void solve_nearest_and_best(void **state) {
  (void)state;
  const char *model = two_link_file();
  for (int way = 0; way < 3; ++way) {
    result got = RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0.4,0,0.8"),
                     W("--seed"), way == 0 ? W("0.2,1,0") : W("1.5,-1,0"),
                     way == 2 ? W("--best") : W("--nearest"), W("--json"));
    json_t *root = parse_output(&got, 0);
    const json_t *q = json_object_get(root, "q");
    assert_true(two_link_distance(q, 0.4, 0.8) <= 1e-6);
    assert_true(way == 2 || (number_of(q, "elbow") > 0) == (way == 0));
    json_decref(root);
    release(&got);
  }
}

static void solve_all_prints_a_table(void **state) {
  (void)state;
  result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                   W("0.4,0,0.8"), W("--all"), W("5"));
  assert_int_equal(got.exit_code, 0);
  assert_int_equal(strncmp(got.out, "2 solutions", 11), 0);
  assert_int_equal(line_count(got.out), 6);
  assert_int_equal(strncmp(line_of(got.out, 1), "searched", 8), 0);
  assert_non_null(strstr(line_of(got.out, 3), "elbow"));
  assert_int_equal(strncmp(line_of(got.out, 5), "     2 ", 7), 0);
  release(&got);
}

static void solve_prints_a_table(void **state) {
  (void)state;
  result got =
      RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"), W("0.4,0,0.8"));
  assert_int_equal(got.exit_code, 0);
  assert_int_equal(strncmp(got.out, "converged", 9), 0);
  assert_non_null(strstr(got.out, "shoulder"));
  assert_non_null(strstr(got.out, " deg"));
  assert_non_null(strstr(got.out, "position error"));
  release(&got);
}

// Of each effector the errors that its targets define, in units of length, radians and degrees. The
// stretched arm is nearest to each of these.
static void solve_prints_the_errors_of_effectors(void **state) {
  (void)state;
  static const struct {
    const char *option, *value, *line;
  } cases[] = {{"--position", "4.2,0,0", "\n  tip                3 m      -\n"},
               {"--orientation", "1,1,0,0", "\n  tip                      -  1.57 rad (90 deg)\n"},
               {"--pose", "4.2,0,0,1,1,0,0", "\n  tip                3 m      1.57 rad (90 deg)\n"},
               {"--direction", "0,1,0", "\n  tip                      -  1.57 rad (90 deg)\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W(cases[i].option),
                     W(cases[i].value));
    if (!strstr(got.out, cases[i].line))
      fail_msg("%s %s prints no line \"%s\":\n%s", cases[i].option, cases[i].value, cases[i].line,
               got.out);
    release(&got);
  }
}

// The last link points at a point, a tool reaches where the link itself does not, a target is
// relative to a link, and the joints above a root stay where they are.
static void solve_takes_tools_frames_and_roots(void **state) {
  (void)state;
  const double right = acos(-1) / 2;
  const struct {
    const char *words[6];
    double shoulder, elbow; // NAN: any
  } cases[] = {{{"--look-at", "0.2,0,3", "--axis", "1,0,0", "--seed", "0,0,0"}, NAN, NAN},
               {{"--position", "4,0,0", "--tool", "3,0,0,1,0,0,0", "--seed", "0,0,0"}, NAN, NAN},
               {{"--position", "0.7,0,0.5", "--frame", "upper", "--seed", "0,0,0"}, NAN, right},
               {{"--direction", "0,0,1", "--axis", "1,0,0", "--root", "upper"}, 0.5, right - 0.5},
               {{"--position", "0.6143077933232609,0,0.8355978770229421", "--direction", "0,0,1",
                 "--axis", "1,0,0"},
                NAN,
                NAN}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const char *const *c = cases[i].words;
    result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W(c[0]), W(c[1]),
                     W(c[2]), W(c[3]), W(c[4]), W(c[5]), W("--json"));
    json_t *root = parse_output(&got, 0);
    const json_t *q = json_object_get(root, "q");
    assert_string_equal(text_of(root, "outcome"), "converged");
    if (!isnan(cases[i].shoulder))
      assert_near(number_of(q, "shoulder"), cases[i].shoulder, 1e-12);
    if (!isnan(cases[i].elbow))
      assert_near(number_of(q, "elbow"), cases[i].elbow, 1e-5);
    json_decref(root);
    release(&got);
  }
}

static void solve_refuses_invalid_arguments(void **state) {
  (void)state;
  const char *model = two_link_file();
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--look-at"), W("0,0,9"),
                     W("--frame"), W("uper")),
                 "'uper'", "did you mean 'upper'");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--look-at"), W("0,0,9"),
                     W("--tool"), W("0,0,0,0,0,0,0")),
                 "--tool", "length 0");
  expect_refusal(RUN(W("solve"), W(model), W("--root"), W("upper"), W("--tip"), W("tip")), "--root",
                 "must follow the --tip");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--look-at"), W("0,0,9"),
                     W("--frame"), W("tip")),
                 "--frame", "the link itself");
  expect_refusal(RUN(W("solve"), W(model)), "--tip", "");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip")), "--tip tip", "no target");
  expect_refusal(RUN(W("solve"), W(model), W("--position"), W("0,0,0"), W("--tip"), W("tip")),
                 "--position", "must follow the --tip");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0")),
                 "--position", "3 numbers");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,1e999")),
                 "--position", "finite");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--pose"), W("0,0,0,0,0,0,0")),
                 "--pose", "length 0");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--direction"), W("0,0,0")),
                 "--direction", "length 0");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--pose"), W("0,0,0,1,0,0,0"),
                     W("--position"), W("0,0,0")),
                 "--position", "already");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--axis"), W("0,0,1"),
                     W("--position"), W("0,0,0")),
                 "--axis", "--direction");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tpi"), W("--position"), W("0,0,0")),
                 "'tpi'", "did you mean 'tip'");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"),
                     W("--tolerance"), W("0")),
                 "--tolerance", "above 0");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"),
                     W("--max-steps"), W("1.5")),
                 "--max-steps", "whole");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"),
                     W("--max-starts"), W("0")),
                 "--max-starts", "at least 1");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"),
                     W("--time-limit"), W("0")),
                 "--time-limit", "above 0");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"),
                     W("--method"), W("magic")),
                 "'magic'", "dls");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"),
                     W("--seed"), W("high")),
                 "--seed", "middle");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"),
                     W("--all"), W("0")),
                 "--all", "from 1");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"),
                     W("--all"), W("2"), W("--best")),
                 "--nearest", "one of");
  expect_refusal(RUN(W("solve"), W("models/arm7.urdf"), W("--tip"), W("flange"), W("--position"),
                     W("0.4,0.1,0.5"), W("--posture"), W("zero"), W("--nearest")),
                 "solve: --nearest", "--best --posture start");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"),
                     W("--nearest"), W("--method"), W("dls")),
                 "--method", "whole configuration space");
  expect_refusal(
      RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"), W("--images")),
      "--images", "--all");
}

// ---- Real robots and clips, where the optional data is there ----

static void assert_within_limits(const json_t *info, const json_t *q) {
  size_t index;
  json_t *joint;
  json_array_foreach(json_object_get(info, "joints"), index, joint) {
    const json_t *value = json_object_get(q, text_of(joint, "name"));
    if (!json_is_number(value))
      continue;
    const json_t *lower = json_object_get(joint, "lower"), *upper = json_object_get(joint, "upper");
    if (json_is_number(lower))
      assert_true(json_number_value(value) >= json_number_value(lower) - 1e-12);
    if (json_is_number(upper))
      assert_true(json_number_value(value) <= json_number_value(upper) + 1e-12);
  }
}

// req: A10
static void test_panda(void **state) {
  (void)state;
  const char *model = shared_file("data/arms/panda.urdf");
  result got = RUN(W("solve"), W(model), W("--tip"), W("panda_link8"), W("--pose"),
                   W("0.4,0.1,0.5,0,1,0,0"), W("--json"));
  result about = RUN(W("info"), W(model), W("--json"));
  json_t *root = parse_output(&got, 0), *info = parse_output(&about, 0);
  assert_string_equal(text_of(root, "outcome"), "converged");
  assert_within_limits(info, json_object_get(root, "q"));
  json_decref(root);
  json_decref(info);
  release(&got);
  release(&about);
}

// A pose as --pose takes it, from the output of fk --json.
static void pose_text(const json_t *fk, const char *link, char *text, size_t size) {
  const json_t *tip = tip_of(fk, "tips", link);
  snprintf(text, size, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", element(tip, "position", 0),
           element(tip, "position", 1), element(tip, "position", 2), element(tip, "rotation", 0),
           element(tip, "rotation", 1), element(tip, "rotation", 2), element(tip, "rotation", 3));
}

// A configuration 30 % up each joint's range; joints without limits are at 0.
static void posture_text(const json_t *info, char *text, size_t size) {
  size_t length = 0, index;
  json_t *joint;
  json_array_foreach(json_object_get(info, "joints"), index, joint) {
    if (number_of(joint, "dof") == 0)
      continue;
    const json_t *lower = json_object_get(joint, "lower"), *upper = json_object_get(joint, "upper");
    double low = json_is_number(lower) ? json_number_value(lower) : 0;
    double high = json_is_number(upper) ? json_number_value(upper) : 0;
    length += (size_t)snprintf(text + length, size - length, "%s%.17g", length > 0 ? "," : "",
                               low + 0.3 * (high - low));
    assert_true(length < size);
  }
}

// Hands and feet of a humanoid at once.
// req: A1 B13
static void test_nao(void **state) {
  (void)state;
  static const char *const tips[] = {"l_gripper", "r_gripper", "l_sole", "r_sole"};
  const char *model = shared_file("data/urdf/nao.urdf");
  result about = RUN(W("info"), W(model), W("--json"));
  json_t *info = parse_output(&about, 0);
  char posture[4096], poses[4][256];
  posture_text(info, posture, sizeof posture);

  result forward = RUN(W("fk"), W(model), W("--q"), W(posture), W("--json"));
  json_t *fk = parse_output(&forward, 0);
  char *words[MOST_WORDS] = {W("sinew"), W("solve"), W(model), W("--json")};
  for (int i = 0, next = 4; i < 4; ++i) {
    pose_text(fk, tips[i], poses[i], sizeof poses[i]);
    words[next++] = W("--tip");
    words[next++] = W(tips[i]);
    words[next++] = W("--pose");
    words[next++] = poses[i];
  }
  result got = run_words(words);
  json_t *root = parse_output(&got, 0);
  assert_string_equal(text_of(root, "outcome"), "converged");
  assert_true(number_of(root, "position_error") <= 1e-6);
  assert_true(number_of(root, "orientation_error") <= 1e-6);
  assert_within_limits(info, json_object_get(root, "q"));
  json_decref(root);
  json_decref(fk);
  json_decref(info);
  release(&got);
  release(&forward);
  release(&about);
}

// The clip's hands and feet: their columns and every frame are in the output.
static void test_walk(void **state) {
  (void)state;
  result got = RUN(W("fk"), W(shared_file("data/bvh/cmu_12_01_walk.bvh")), W("--motion"));
  assert_int_equal(got.exit_code, 0);
  assert_int_equal(line_count(got.out), 1 + 524);
  static const char *const columns[] = {"LeftHand.x",        "RightHand.qw",
                                        "LeftFoot.y",        "RightFoot.z",
                                        "LeftToeBase_end.x", "RightHandIndex1_end.x"};
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
    char between[64];
    snprintf(between, sizeof between, ",%s,", columns[i]);
    const char *found = strstr(got.out, between);
    if (!found || found > line_of(got.out, 1))
      fail_msg("no column %s", columns[i]);
  }
  release(&got);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solve_reaches),
      cmocka_unit_test(solve_stops_at_the_tolerance),
      cmocka_unit_test(solve_starts_at_the_seed),
      cmocka_unit_test(solve_reports_out_of_reach),
      cmocka_unit_test(solve_reports_the_step_limit),
      cmocka_unit_test(solve_reports_the_time_limit),
      cmocka_unit_test(solve_names_the_blocking_limit),
      cmocka_unit_test(solve_reaches_with_several_tips),
      cmocka_unit_test(solve_prints_arrays_for_bvh_joints),
      cmocka_unit_test(solve_all_gives_both_elbows),
      cmocka_unit_test(solve_all_reports_out_of_reach),
      cmocka_unit_test(solve_nearest_and_best),
      cmocka_unit_test(solve_all_prints_a_table),
      cmocka_unit_test(solve_prints_a_table),
      cmocka_unit_test(solve_prints_the_errors_of_effectors),
      cmocka_unit_test(solve_takes_tools_frames_and_roots),
      cmocka_unit_test(solve_refuses_invalid_arguments),
      cmocka_unit_test(test_panda),
      cmocka_unit_test(test_nao),
      cmocka_unit_test(test_walk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
