// The command sinew track, and built-in models.
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

#define FRAMES 40

// Positions and rotations of the walk at once.
#define POSE_METHOD "dls"

// The position of the two links' tip, by the closed form.
static void two_link_tip(double shoulder, double elbow, double *x, double *z) {
  *x = LENGTH1 * cos(shoulder) + LENGTH2 * cos(shoulder + elbow);
  *z = LENGTH1 * sin(shoulder) + LENGTH2 * sin(shoulder + elbow);
}

static double shoulder_at(int frame) {
  return 0.4 + 0.3 * sin(0.1 * frame);
}

static double elbow_at(int frame) {
  return 1.0 + 0.4 * cos(0.09 * frame); // faster than the shoulder
}

// Targets that the two links' tip passes through.
static const char *two_link_targets(void) {
  static char text[FRAMES * 128];
  int length = snprintf(text, sizeof text, "time,tip.x,tip.y,tip.z\n");
  for (int f = 0; f < FRAMES; ++f) {
    double x, z;
    two_link_tip(shoulder_at(f), elbow_at(f), &x, &z);
    length += snprintf(text + length, sizeof text - (size_t)length, "%.3f,%.17g,0,%.17g\n",
                       0.04 * f, x, z);
  }
  return write_all("two_link.csv", text);
}

// Frame f of a CSV with four joint values.
static void read_row(const char *text, int f, double row[5]) {
  const char *place = line_of(text, 1 + f);
  for (int i = 0; i < 5; ++i) {
    char *end;
    row[i] = strtod(place, &end);
    assert_true(end > place);
    place = end + 1;
  }
}

// ---- Following ----

// With many updates a frame each target is reached; the joint values are those that the targets
// were made from, since the elbow keeps its sign, and the tip is at the target by the closed form.
// req: F1 F3
static void track_meets_slow_targets(void **state) {
  (void)state;
  const char *out = scratch("followed.csv");
  result got =
      RUN(W("track"), W(two_link_file()), W("--targets"), W(two_link_targets()), W("--out"), W(out),
          W("--updates"), W("60"), W("--seed"), W("0.4,1.4,0"), W("--json"));
  json_t *report = parse_output(&got, 0);
  assert_int_equal(number_of(report, "frames"), FRAMES);
  assert_int_equal(number_of(report, "cuts"), 0);
  assert_true(number_of(json_object_get(report, "position_error"), "worst") < 1e-8);

  char *text = read_all(out);
  assert_memory_equal(text, "time,shoulder,elbow,left,right\n", 31);
  assert_int_equal(line_count(text), 1 + FRAMES);
  double most = 0, last = 0;
  for (int f = 0; f < FRAMES; ++f) {
    double row[5];
    read_row(text, f, row);
    assert_near(row[0], 0.04 * f, 1e-12);
    assert_near(row[1], shoulder_at(f), 1e-6);
    assert_near(row[2], elbow_at(f), 1e-6);
    assert_near(row[4], -2 * row[3] + 0.01, 1e-12);
    most = f > 0 ? fmax(most, fabs(row[2] - last)) : 0;
    last = row[2];
  }
  // The largest joint step of the report is that of the file: the elbow's.
  const json_t *turn = json_object_get(report, "turn");
  assert_near(number_of(turn, "worst"), most, 1e-9);
  assert_string_equal(json_string_value(json_object_get(turn, "joint")), "elbow");
  free(text);
  json_decref(report);
  release(&got);
}

// Every method follows a slow target; none leaves the shoulder's limits. req: F1
static void methods_follow_slow_targets(void **state) {
  (void)state;
  static const char *const methods[] = {"default", "transpose", "pseudoinverse",
                                        "dls",     "sdls",      "newton"};
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; ++i) {
    result got = RUN(W("track"), W(two_link_file()), W("--targets"), W(two_link_targets()),
                     W("--out"), W(scratch("method.csv")), W("--method"), W(methods[i]),
                     W("--updates"), W("20"), W("--json"));
    json_t *report = parse_output(&got, 0);
    double mean = number_of(json_object_get(report, "position_error"), "mean");
    if (!(mean < 2e-3))
      fail_msg("%s: a mean error of %g m", methods[i], mean);
    json_decref(report);
    release(&got);
  }
}

// The reported mean and largest errors are those of the file that is written, by sinew fk over it.
// Few updates of a method that lags, so that there is an error.
static void report_matches_the_output(void **state) {
  (void)state;
  const char *model = two_link_file(), *targets = two_link_targets(), *out = scratch("lag.csv");
  result got = RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W(out),
                   W("--seed"), W("0,0.1,0"), W("--method"), W("dls"), W("--json"));
  json_t *report = parse_output(&got, 0);
  const json_t *errors = json_object_get(report, "position_error");
  char *text = read_all(out), *wanted = read_all(targets);
  double sum = 0, worst = 0;
  int worst_frame = -1;
  for (int f = 0; f < FRAMES; ++f) {
    double row[5], time, x, y, z, tip_x, tip_z;
    read_row(text, f, row);
    assert_int_equal(sscanf(line_of(wanted, 1 + f), "%lf,%lf,%lf,%lf", &time, &x, &y, &z), 4);
    two_link_tip(row[1], row[2], &tip_x, &tip_z);
    double error = hypot(tip_x - x, tip_z - z);
    sum += error;
    worst_frame = error > worst ? f : worst_frame;
    worst = fmax(worst, error);
  }
  assert_true(worst > 1e-3); // else the test shows nothing
  assert_near(number_of(errors, "mean"), sum / FRAMES, 1e-12);
  assert_near(number_of(errors, "worst"), worst, 1e-12);
  assert_int_equal(number_of(errors, "frame"), worst_frame);
  assert_string_equal(text_of(errors, "link"), "tip");
  free(text);
  free(wanted);
  json_decref(report);
  release(&got);
}

// The first object of an array in a report that has this member.
static const json_t *part_of(const json_t *report, const char *array, const char *member,
                             const char *name) {
  size_t i;
  const json_t *each;
  json_array_foreach(json_object_get(report, array), i,
                     each) if (strcmp(text_of(each, member), name) == 0) return each;
  fail_msg("%s has no %s", array, name);
  return NULL;
}

// The same point has a required target, and one that is not required at the root's origin: each has
// its own errors, and a posture of zeros is as far as the largest angle and distance of the file
// that is written.
static void required_tasks_are_apart(void **state) {
  (void)state;
  const char *targets = two_link_targets(), *out = scratch("apart.csv");
  const char *tasks =
      write_all("apart.json",
                "{\"tasks\": [{\"kind\": \"position\", \"link\": \"tip\"}, {\"name\": \"far\", "
                "\"kind\": \"position\", \"link\": \"tip\", \"required\": false, \"level\": 1, "
                "\"target\": {\"position\": [0, 0, 0]}}], \"objectives\": [{\"kind\": \"posture\", "
                "\"level\": 2}, {\"kind\": \"damping\", \"level\": 2}]}");
  for (int as_json = 0; as_json < 2; ++as_json) {
    result got = RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--tasks"),
                     W(tasks), W("--out"), W(out), W("--updates"), W("60"), W("--seed"),
                     W("0.4,1.4,0"), W(as_json ? "--json" : "--speed-limits"));
    if (!as_json) {
      assert_int_equal(got.exit_code, 0);
      assert_non_null(strstr(got.err, "position error of required tasks: mean "));
      assert_non_null(strstr(got.err, "not required: far, level 1: position error mean "));
      assert_non_null(strstr(got.err, "objective posture, level 2: remaining angle mean "));
      assert_null(strstr(got.err, "objective damping"));
      release(&got);
      continue;
    }
    json_t *report = parse_output(&got, 0);
    char *text = read_all(out);
    double far = 0, most_far = 0, angle = 0, most_angle = 0, distance = 0;
    for (int f = 0; f < FRAMES; ++f) {
      double row[5], x, z;
      read_row(text, f, row);
      two_link_tip(row[1], row[2], &x, &z);
      const double away = hypot(x, z), turned = fmax(fabs(row[1]), fabs(row[2]));
      far += away / FRAMES;
      most_far = fmax(most_far, away);
      angle += turned / FRAMES;
      most_angle = fmax(most_angle, turned);
      distance += fabs(row[3]) / FRAMES;
    }
    const json_t *soft = part_of(report, "tasks", "name", "far"),
                 *goal = part_of(report, "tasks", "name", "tip"),
                 *posture = part_of(report, "objectives", "kind", "posture"),
                 *damping = part_of(report, "objectives", "kind", "damping");
    assert_true(number_of(json_object_get(report, "position_error"), "worst") < 1e-6);
    assert_string_equal(text_of(json_object_get(report, "position_error"), "link"), "tip");
    assert_true(json_is_true(json_object_get(goal, "required")));
    assert_true(number_of(json_object_get(goal, "position_error"), "worst") < 1e-6);
    assert_null(json_object_get(goal, "orientation_error"));
    assert_true(json_is_false(json_object_get(soft, "required")));
    assert_int_equal(number_of(soft, "level"), 1);
    assert_near(number_of(json_object_get(soft, "position_error"), "mean"), far, 1e-12);
    assert_near(number_of(json_object_get(soft, "position_error"), "worst"), most_far, 1e-12);
    assert_int_equal(number_of(posture, "level"), 2);
    assert_near(number_of(json_object_get(posture, "angle"), "mean"), angle, 1e-12);
    assert_near(number_of(json_object_get(posture, "angle"), "worst"), most_angle, 1e-12);
    assert_near(number_of(json_object_get(posture, "distance"), "mean"), distance, 1e-12);
    assert_int_equal(json_object_size(damping), 2);
    free(text);
    json_decref(report);
    release(&got);
  }
}

// The worst of a manipulability is the least.
static void the_worst_manipulability_is_the_least(void **state) {
  (void)state;
  const char *tasks = write_all(
      "supple.json", "{\"tasks\": [{\"kind\": \"position\", \"link\": \"tip\"}], \"objectives\": "
                     "[{\"kind\": \"manipulability\", \"task\": {\"kind\": \"position\", \"link\": "
                     "\"tip\"}}]}");
  result got = RUN(W("track"), W(two_link_file()), W("--targets"), W(two_link_targets()),
                   W("--tasks"), W(tasks), W("--out"), W(scratch("supple.csv")), W("--json"));
  json_t *report = parse_output(&got, 0);
  const json_t *value =
      json_object_get(part_of(report, "objectives", "kind", "manipulability"), "value");
  assert_true(number_of(value, "worst") > 0);
  assert_true(number_of(value, "worst") < number_of(value, "mean"));
  json_decref(report);
  release(&got);
}

// A jump of the target is a cut: the model reaches it in that frame. With a larger --cut it lags.
// req: C4
static void jumps_are_cuts(void **state) {
  (void)state;
  const char *targets =
      write_all("cut.csv", "time,tip.x,tip.y,tip.z\n0,1,0,0.2\n1,1,0,0.21\n2,0.2,0,0.9\n");
  result got = RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--out"),
                   W(scratch("cut-out.csv")), W("--updates"), W("30"), W("--json"));
  json_t *report = parse_output(&got, 0);
  assert_int_equal(number_of(report, "cuts"), 1);
  assert_true(number_of(json_object_get(report, "position_error"), "worst") < 1e-5);
  json_decref(report);
  release(&got);

  got = RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--out"),
            W(scratch("cut-out.csv")), W("--cut"), W("100"), W("--json"));
  report = parse_output(&got, 0);
  assert_int_equal(number_of(report, "cuts"), 0);
  assert_true(number_of(json_object_get(report, "position_error"), "worst") > 0.1);
  json_decref(report);
  release(&got);

  got = RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--out"),
            W(scratch("cut-out.csv")));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.err, "1 cut, the first at frame 2"));
  assert_non_null(strstr(got.err, "position error: mean"));
  assert_string_equal(got.out, "");
  release(&got);
}

// A clip's own tips, as sinew fk writes them, are followed from the clip's first frame into a BVH,
// and sinew fk over the BVH gives them again.
static void test_bvh(void **state) {
  (void)state;
  const char *model = two_bones_file(), *targets = scratch("tips.csv");
  const char *out = scratch("followed.bvh"), *again = scratch("again.csv");
  release(&(result[]){RUN(W("fk"), W(model), W("--tip"), W("Knee"), W("--tip"), W("Knee_end"),
                          W("--motion"), W("--out"), W(targets))}[0]);
  result got = RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W(out),
                   W("--updates"), W("200"));
  assert_int_equal(got.exit_code, 0);
  release(&got);
  got = RUN(W("fk"), W(out), W("--tip"), W("Knee"), W("--tip"), W("Knee_end"), W("--motion"),
            W("--out"), W(again));
  assert_int_equal(got.exit_code, 0);
  release(&got);

  char *wanted = read_all(targets), *found = read_all(again);
  assert_int_equal(line_count(found), 1 + 3);
  for (int f = 0; f < 3; ++f) {
    const char *a = line_of(wanted, 1 + f), *b = line_of(found, 1 + f);
    for (int i = 0; i < 15; ++i) {
      char *end_a, *end_b;
      assert_near(strtod(b, &end_b), strtod(a, &end_a), 1e-4);
      a = end_a + 1;
      b = end_b + 1;
    }
  }
  free(wanted);
  free(found);
}

// A rotation alone is a valid target, and columns may be in any order.
static void rotations_alone_are_targets(void **state) {
  (void)state;
  const char *targets =
      write_all("turned.csv", "fore.qz,fore.qw,time,fore.qx,fore.qy\n0,0.8,0,0,-0.6\n0,4,1,0,-3\n");
  const char *out = scratch("turned-out.csv");
  result got = RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--out"), W(out),
                   W("--updates"), W("50"), W("--json"));
  json_t *report = parse_output(&got, 0);
  assert_null(json_object_get(report, "position_error"));
  assert_true(number_of(json_object_get(report, "orientation_error"), "worst") < 1e-6);
  char *text = read_all(out);
  double row[5];
  read_row(text, 1, row);
  // Shoulder and elbow together: twice the half angle about -y.
  assert_near(row[1] + row[2], 2 * atan2(0.6, 0.8), 1e-6);
  free(text);
  json_decref(report);
  release(&got);
}

// Without a motion of the model the first targets are solved: one update suffices then.
static void first_targets_are_solved(void **state) {
  (void)state;
  const char *targets = write_all("still.csv", "time,tip.x,tip.y,tip.z\n0,0.4,0,0.8\n");
  result got = RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--out"), W("-"));
  assert_int_equal(got.exit_code, 0);
  double row[5], x, z;
  read_row(got.out, 0, row);
  two_link_tip(row[1], row[2], &x, &z);
  assert_near(x, 0.4, 1e-6);
  assert_near(z, 0.8, 1e-6);
  release(&got);
}

// The largest motion of a joint of 1 rad/s in a frame, with and without its speed limit; one
// frame's time is divided among its updates. req: C4
static void speed_limits_hold_per_frame(void **state) {
  (void)state;
  const char *targets =
      write_all("quick.csv", "time,tip.x,tip.y,tip.z\n0,1,0,0.4\n0.1,0.8,0,0.6\n0.2,0.6,0,0.8\n");
  const char *out = scratch("quick-out.csv");
  for (int limited = 0; limited < 2; ++limited) {
    result got = RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--out"), W(out),
                     W("--updates"), W("8"), W(limited ? "--speed-limits" : "--json"));
    assert_int_equal(got.exit_code, 0);
    release(&got);
    char *text = read_all(out);
    double rows[3][5], most = 0;
    for (int f = 0; f < 3; ++f)
      read_row(text, f, rows[f]);
    for (int f = 1; f < 3; ++f)
      most = fmax(most, fabs(rows[f][1] - rows[f - 1][1]));
    assert_true(limited ? most > 0.05 && most <= 0.1 + 1e-12 : most > 0.15);
    free(text);
  }
  targets = write_all("uneven.csv", "time,tip.x,tip.y,tip.z\n0,1,0,0.4\n1,1,0,0.4\n3,1,0,0.4\n");
  expect_refusal(RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--out"), W(out),
                     W("--speed-limits")),
                 "frame", "--speed-limits");
}

// The largest |x1 - x0| of a column of consecutive rows, and the largest difference of two of them;
// the largest value.
static void measure_column(const char *text, int rows, int column, double *speed, double *change,
                           double *value) {
  double last = 0;
  *speed = *change = *value = 0;
  for (int f = 0; f < rows; ++f) {
    double before[5], row[5];
    read_row(text, f, row);
    *value = fmax(*value, fabs(row[column]));
    if (f == 0)
      continue;
    read_row(text, f - 1, before);
    const double moved = row[column] - before[column];
    *speed = fmax(*speed, fabs(moved));
    *change = fmax(*change, fabs(moved - last));
    last = moved;
  }
}

// A share of the speed limits, limits of acceleration, and margins. req: E8
static void limits_of_motion_are_options(void **state) {
  (void)state;
  char rows[4000] = "time,tip.x,tip.y,tip.z\n";
  for (int f = 0; f < 40; ++f)
    snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%g,%g,0,%g\n", 0.1 * f,
             f < 2 ? 1.0 : 0.4, f < 2 ? 0.4 : 1.0);
  const char *targets = write_all("step.csv", rows), *out = scratch("step-out.csv");
  const char *options[4][2] = {{"--speed-limits", "--json"},
                               {"--speed", "0.3"},
                               {"--acceleration", "0.5"},
                               {"--margin", "1.9"}};
  double speed[4], change[4], value[4];
  for (int i = 0; i < 4; ++i) {
    result got = RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--out"), W(out),
                     W("--cut"), W("9"), W(options[i][0]), W(options[i][1]));
    assert_int_equal(got.exit_code, 0);
    release(&got);
    char *text = read_all(out);
    measure_column(text, 40, 1, &speed[i], &change[i], &value[i]);
    free(text);
  }
  assert_true(speed[0] <= 0.1 + 1e-12);
  assert_true(speed[0] > 0.03 + 1e-3 && change[0] > 0.005 + 1e-3);
  assert_true(speed[1] <= 0.03 + 1e-12);
  assert_true(change[2] <= 0.005 + 1e-12);
  assert_true(value[0] > 0.65 && value[3] <= 0.6 + 1e-12); // limits -1.5 and 2.5
  expect_refusal(RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--out"), W(out),
                     W("--speed"), W("1.5")),
                 "--speed", "at most 1");
  expect_refusal(RUN(W("track"), W(two_link_file()), W("--targets"),
                     W(write_all("uneven.csv", "time,tip.x,tip.y,tip.z\n0,1,0,0.4\n1,1,0,0.4\n"
                                               "3,1,0,0.4\n")),
                     W("--out"), W(out), W("--acceleration"), W("1")),
                 "frame", "--acceleration");
}

// The option is taken with 'track' alone; tests/test_tracker.c shows what it does. req: F9
static void escape_is_for_tracks(void **state) {
  (void)state;
  const char *targets = write_all("out.csv", "time,tip.x,tip.y,tip.z\n0,1,0,0.4\n0.1,1,0,0.4\n");
  const char *out = scratch("out-out.csv");
  result got = RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--out"), W(out),
                   W("--escape"));
  assert_int_equal(got.exit_code, 0);
  release(&got);
  expect_refusal(RUN(W("fk"), W(two_link_file()), W("--tip"), W("tip"), W("--escape")), "fk",
                 "--escape");
}

// Targets far from the start of the model's own motion: the first are solved, so that one update of
// any method suffices; near ones are followed from there.
static void far_starts_are_solved(void **state) {
  (void)state;
  const char *far = write_all("far.csv", "time,Knee_end.x,Knee_end.y,Knee_end.z\n0,-4,2,0\n");
  result got = RUN(W("track"), W(two_bones_file()), W("--targets"), W(far), W("--out"),
                   W(scratch("far-out.csv")), W("--method"), W("dls"), W("--json"));
  json_t *report = parse_output(&got, 0);
  assert_true(number_of(json_object_get(report, "position_error"), "worst") < 1e-5);
  json_decref(report);
  release(&got);

  got = RUN(W("track"), W(two_bones_file()), W("--targets"), W(far), W("--out"),
            W(scratch("far-out.csv")), W("--cut"), W("100"), W("--method"), W("dls"), W("--json"));
  report = parse_output(&got, 0);
  assert_true(number_of(json_object_get(report, "position_error"), "worst") > 0.1);
  json_decref(report);
  release(&got);
}

// ---- What is refused ----

static void refuse_targets(const char *text, const char *first, const char *second) {
  const char *path = write_all("bad.csv", text);
  expect_refusal(RUN(W("track"), W(two_link_file()), W("--targets"), W(path), W("--out"),
                     W(scratch("none.csv"))),
                 first, second);
  // No output file is left.
  assert_int_not_equal(access(scratch("none.csv"), F_OK), 0);
}

static void invalid_targets_are_refused(void **state) {
  (void)state;
  unlink(scratch("none.csv"));
  refuse_targets("", "bad.csv", "empty");
  refuse_targets("time,tip.x,tip.y,tip.z\n", "bad.csv:1", "no row");
  refuse_targets("tip.x,tip.y,tip.z\n1,0,0\n", "bad.csv:1", "time: the column is missing");
  refuse_targets("time\n0\n", "bad.csv:1", "no target");
  refuse_targets("time,tip.x,tip.y\n0,1,0\n", "bad.csv:1", "tip.z: the column is missing");
  refuse_targets("time,tip.qw,tip.qx,tip.qz\n0,1,0,0\n", "bad.csv:1", "tip.qy");
  refuse_targets("time,tip.x,tip.y,tip.z,tip.w\n0,1,0,0,0\n", "tip.w", "column 5");
  refuse_targets("time;tip.x;tip.y;tip.z\n0;1;0;0\n", "bad.csv:1", "separated by commas");
  refuse_targets("0,1,0,0\n1,1,0,0\n", "bad.csv:1", "the first row must name the columns");
  refuse_targets("time, tip.x, tip.y, tip.z\n0,1,0,0\n", "bad.csv:1", "begin with a blank");
  refuse_targets("time,x,tip.y,tip.z\n0,1,0,0\n", "x: column 2", ".qw");
  refuse_targets("time,tip.x,tip.y,tip.z,tpi.x\n0,1,0,0,0\n", "column 5", "'tpi'");
  refuse_targets("time,tip.x,tip.y,tip.z,tip.x\n0,1,0,0,0\n", "tip.x: column 5", "twice");
  refuse_targets("time,time,tip.x,tip.y,tip.z\n0,0,1,0,0\n", "time: column 2", "twice");
  refuse_targets("time,tip.x,tip.y,tip.z\n0,1,0,0\n1,1,none,0\n", "bad.csv:3",
                 "tip.y: column 3: 'none'");
  refuse_targets("time,tip.x,tip.y,tip.z\n0,1,0,inf\n", "bad.csv:2", "tip.z: column 4");
  refuse_targets("time,tip.x,tip.y,tip.z\n0,1,,0\n", "bad.csv:2", "tip.y: column 3");
  refuse_targets("time,tip.x,tip.y,tip.z\n0,1,0\n", "bad.csv:2", "3 fields");
  refuse_targets("time,tip.x,tip.y,tip.z\n0,1,0,0\n0,1,0,0\n", "bad.csv:3", "time");
  refuse_targets("time,tip.qw,tip.qx,tip.qy,tip.qz\n0,0,0,0,0\n", "bad.csv:2: tip", "length 0");
}

static void test_usage(void **state) {
  (void)state;
  const char *model = two_link_file(), *targets = two_link_targets();
  expect_refusal(RUN(W("track"), W(model), W("--out"), W("-")), "--targets", "track");
  expect_refusal(RUN(W("track"), W(model), W("--targets"), W(targets)), "--out", "track");
  expect_refusal(
      RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W("-"), W("--json")),
      "--json", "standard output");
  expect_refusal(RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W("-"),
                     W("--method"), W("magic")),
                 "'magic'", "pseudoinverse");
  expect_refusal(RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W("-"),
                     W("--updates"), W("1.5")),
                 "--updates", "whole");
  expect_refusal(
      RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W("-"), W("--cut"), W("0")),
      "--cut", "0");
  expect_refusal(RUN(W("track"), W(model), W("--targets"), W("no such file.csv"), W("--out"),
                     W(scratch("none.csv"))),
                 "no such file.csv", "");
  result help = RUN(W("track"), W("--help"));
  assert_int_equal(help.exit_code, 0);
  assert_non_null(strstr(help.out, "--updates"));
  release(&help);
}

// A URDF's joints cannot be written as BVH, nor can frames of unequal length; an existing file
// stays.
static void unsupported_bvh_output_is_refused(void **state) {
  (void)state;
  const char *out = write_all("kept.bvh", "as it was\n");
  expect_refusal(RUN(W("track"), W(two_link_file()), W("--targets"), W(two_link_targets()),
                     W("--out"), W(out)),
                 "write a CSV", "");
  const char *targets =
      write_all("uneven.csv", "time,Knee.x,Knee.y,Knee.z\n0,3,0,0\n1,3,0,0\n3,3,0,0\n");
  expect_refusal(
      RUN(W("track"), W(two_bones_file()), W("--targets"), W(targets), W("--out"), W(out)), "frame",
      "CSV");
  char *text = read_all(out);
  assert_string_equal(text, "as it was\n");
  free(text);
}

// ---- Built-in models ----

// A scene's name is accepted where no such file exists.
static void scenes_are_models(void **state) {
  (void)state;
  result got = RUN(W("info"), W("double-y-25"), W("--json"));
  json_t *info = parse_output(&got, 0);
  assert_int_equal(number_of(info, "dof"), 25);
  assert_int_equal(json_array_size(json_object_get(info, "effectors")), 4);
  json_decref(info);
  release(&got);

  got = RUN(W("info"), W("chain-7"), W("--json"));
  info = parse_output(&got, 0);
  assert_int_equal(number_of(info, "dof"), 21);
  json_decref(info);
  release(&got);

  // The Y's rest pose as its source gives it.
  got = RUN(W("fk"), W("y"), W("--tip"), W("tip0"), W("--json"));
  json_t *root = parse_output(&got, 0);
  const json_t *tip = tip_of(root, "tips", "tip0");
  assert_near(element(tip, "position", 0), 0.7, 1e-15);
  assert_near(element(tip, "position", 1), 2.0, 1e-15);
  json_decref(root);
  release(&got);
  expect_refusal(RUN(W("info"), W("chain-0")), "chain-0", "");
}

// ---- A real clip ----

// The clip's unit is 2.54 / 0.45 cm, as its makers state for the database's lengths; so a
// millimetre is 0.0177 of it.
#define MILLIMETRE (0.45 / 25.4)

// Of the columns that sinew fk writes, time and the positions.
static const char *positions_of(const char *path) {
  char *text = read_all(path), *out = malloc(strlen(text) + 1), *end = out;
  assert_non_null(out);
  int column = 0;
  for (const char *place = text; *place != '\0'; ++place) {
    column = *place == ',' ? column + 1 : *place == '\n' ? 0 : column;
    if (column == 0 || (column - 1) % 7 < 3)
      *end++ = *place;
  }
  *end = '\0';
  const char *written = write_all("positions.csv", out);
  free(text);
  free(out);
  return written;
}

static const char *walk_targets(const char *clip) {
  const char *targets = scratch("walk.csv");
  result got =
      RUN(W("fk"), W(clip), W("--tip"), W("LeftHand"), W("--tip"), W("RightHand"), W("--tip"),
          W("LeftFoot"), W("--tip"), W("RightFoot"), W("--motion"), W("--out"), W(targets));
  assert_int_equal(got.exit_code, 0);
  release(&got);
  return targets;
}

// One update per frame from the clip's first frame, a model at rest; the walk begins with a cut.
static void follow_walk(const char *clip, const char *targets, const char *method) {
  result got = RUN(W("track"), W(clip), W("--targets"), W(targets), W("--method"), W(method),
                   W("--out"), W(scratch("walk.bvh")), W("--json"));
  json_t *report = parse_output(&got, 0);
  const json_t *errors = json_object_get(report, "position_error");
  assert_int_equal(number_of(report, "frames"), 524);
  assert_int_equal(number_of(report, "cuts"), 1);
  double mean = number_of(errors, "mean"), worst = number_of(errors, "worst");
  if (!(mean < 1 * MILLIMETRE && worst < 5 * MILLIMETRE))
    fail_msg("%s: %g mm, at worst %g mm", method, mean / MILLIMETRE, worst / MILLIMETRE);
  // No jump: at 120 frames a second, 0.1 rad a frame is faster than any joint of a walk.
  assert_true(number_of(json_object_get(report, "turn"), "worst") < 0.1);
  json_decref(report);
  release(&got);
}

// req: F1 F3 F4
static void test_walk(void **state) {
  (void)state;
  const char *clip = shared_file("data/bvh/cmu_12_01_walk.bvh"), *targets = walk_targets(clip);
  follow_walk(clip, positions_of(targets), "default");
  follow_walk(clip, targets, "default");
  follow_walk(clip, targets, POSE_METHOD);
}

// A result never takes the place of a file that is read: targets, model or motion.
static void inputs_are_not_overwritten(void **state) {
  (void)state;
  const char *targets = two_link_targets(), *model = two_link_file();
  char *before[] = {read_all(targets), read_all(model)};
  char *text = read_all("models/humanoid.bvh");
  const char *clip = write_all("copy.bvh", text);
  expect_refusal(RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W(targets)),
                 "--out", "would overwrite a file that is read");
  expect_refusal(RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W(model)),
                 "--out", "would overwrite a file that is read");
  expect_refusal(RUN(W("fk"), W(clip), W("--motion"), W("--out"), W(clip)), "--out",
                 "would overwrite a file that is read");
  char *after[] = {read_all(targets), read_all(model), read_all(clip)};
  assert_string_equal(after[0], before[0]);
  assert_string_equal(after[1], before[1]);
  assert_string_equal(after[2], text);
  for (int i = 0; i < 3; ++i)
    free(after[i]);
  free(before[0]);
  free(before[1]);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inputs_are_not_overwritten),
      cmocka_unit_test(track_meets_slow_targets),
      cmocka_unit_test(methods_follow_slow_targets),
      cmocka_unit_test(report_matches_the_output),
      cmocka_unit_test(required_tasks_are_apart),
      cmocka_unit_test(the_worst_manipulability_is_the_least),
      cmocka_unit_test(jumps_are_cuts),
      cmocka_unit_test(test_bvh),
      cmocka_unit_test(rotations_alone_are_targets),
      cmocka_unit_test(first_targets_are_solved),
      cmocka_unit_test(speed_limits_hold_per_frame),
      cmocka_unit_test(limits_of_motion_are_options),
      cmocka_unit_test(escape_is_for_tracks),
      cmocka_unit_test(far_starts_are_solved),
      cmocka_unit_test(invalid_targets_are_refused),
      cmocka_unit_test(test_usage),
      cmocka_unit_test(unsupported_bvh_output_is_refused),
      cmocka_unit_test(scenes_are_models),
      cmocka_unit_test(test_walk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
