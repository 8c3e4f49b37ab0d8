// Limits that held joints, in the report of sinew track: the counts are those of the joint values
// that it writes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli_run.h"

#define FRAMES 60
#define STEP 0.1 // of a frame [s]
#define SHOULDER 0.2
#define ELBOW 1.0
#define SEED "0.2,1.0,0"

// What a track writes: shoulder and elbow of each frame, after those of the seed.
typedef struct written {
  double q[FRAMES + 1][2];
} written;

static written read_written(const char *path) {
  written w = {.q = {{SHOULDER, ELBOW}}};
  char *text = read_all(path);
  assert_int_equal(line_count(text), 1 + FRAMES);
  for (int f = 0; f < FRAMES; ++f) {
    double time;
    assert_int_equal(
        sscanf(line_of(text, 1 + f), "%lf,%lf,%lf", &time, &w.q[f + 1][0], &w.q[f + 1][1]), 3);
  }
  free(text);
  return w;
}

// The change of a joint in a frame; 0 before the first.
static double change_of(const written *w, int f, int joint) {
  return f < 0 ? 0.0 : w->q[f + 1][joint] - w->q[f][joint];
}

// How much a joint's change differs from that of the frame before.
static double bend_of(const written *w, int f, int joint) {
  return fabs(change_of(w, f, joint) - change_of(w, f - 1, joint));
}

static int count_of(const json_t *report, const char *joint, const char *what) {
  const json_t *limits = json_object_get(report, "limits"), *item;
  size_t index;
  assert_true(json_is_array(limits));
  json_array_foreach(limits, index, item) {
    if (strcmp(text_of(item, "joint"), joint) == 0) {
      return (int)number_of(item, what);
    }
  }
  return 0;
}

// The tip's target: 0.2 m behind the base, as high as its tip can be with the shoulder beyond its
// limit of 2.5 rad.
static const char *targets_behind(void) {
  static char text[FRAMES * 64];
  int length = snprintf(text, sizeof text, "time,tip.x,tip.y,tip.z\n");
  for (int f = 0; f < FRAMES; ++f) {
    length +=
        snprintf(text + length, sizeof text - (size_t)length, "%.17g,-1.15,0,-0.1\n", STEP * f);
  }
  return write_all("behind.csv", text);
}

static result track(const char *targets, const char *out, const char *option, const char *value,
                    const char *last) {
  return RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--out"), W(out),
             W("--seed"), W(SEED), W("--cut"), W("9"), W(option), W(value), W(last));
}

// The shoulder, of 1 rad/s, moves at its limit of speed and then stays at that of its value. The
// elbow has no limits. req: E8
static void speeds_and_positions_are_counted(void **state) {
  (void)state;
  const char *targets = targets_behind(), *out = scratch("behind-out.csv");
  result got = track(targets, out, "--updates", "1", "--speed-limits");
  assert_int_equal(got.exit_code, 0);
  const written w = read_written(out);
  int fast = 0, at_end = 0;
  for (int f = 0; f < FRAMES; ++f) {
    const double change = change_of(&w, f, 0);
    assert_true(fabs(change) <= STEP + 1e-12);
    at_end += w.q[f + 1][0] == 2.5;
    fast += w.q[f + 1][0] != 2.5 && fabs(change) > STEP - 1e-12;
  }
  assert_true(fast >= 10 && at_end >= 10); // else the test shows nothing
  char line[200];
  snprintf(line, sizeof line,
           "updates in which limits of position held joints: %d, most often shoulder (%d)\n"
           "updates in which limits of speed held joints: %d, most often shoulder (%d)\n",
           at_end, at_end, fast, fast);
  assert_non_null(strstr(got.err, line));
  assert_null(strstr(got.err, "braking"));
  release(&got);
  got = RUN(W("track"), W(two_link_file()), W("--targets"), W(targets), W("--out"), W(out),
            W("--seed"), W(SEED), W("--cut"), W("9"), W("--speed-limits"), W("--json"));
  json_t *report = parse_output(&got, 0);
  assert_int_equal(json_array_size(json_object_get(report, "limits")), 1);
  assert_int_equal(count_of(report, "shoulder", "at_upper"), at_end);
  assert_int_equal(count_of(report, "shoulder", "at_lower"), 0);
  assert_int_equal(count_of(report, "shoulder", "speed"), fast);
  assert_int_equal(count_of(report, "shoulder", "braking"), 0);
  assert_int_equal(count_of(report, "shoulder", "acceleration"), 0);
  assert_int_equal(count_of(report, "shoulder", "yielding"), 0);
  json_decref(report);
  release(&got);
}

// Where limits of acceleration hold a joint, its change differs by that much from the last one;
// where it brakes, by at most that. req: E11
static void accelerations_are_counted(void **state) {
  (void)state;
  const char *out = scratch("behind-out.csv");
  result got = track(targets_behind(), out, "--acceleration", "0.5", "--json");
  json_t *report = parse_output(&got, 0);
  const written w = read_written(out);
  static const char *const joints[] = {"shoulder", "elbow"};
  for (int j = 0; j < 2; ++j) {
    int most = 0;
    for (int f = 0; f < FRAMES; ++f) {
      assert_true(bend_of(&w, f, j) <= 0.5 * STEP * STEP + 1e-12);
      most += bend_of(&w, f, j) > 0.5 * STEP * STEP - 1e-12;
    }
    const int held = count_of(report, joints[j], "acceleration");
    const int braking = count_of(report, joints[j], "braking");
    assert_true(held > 0 && held <= most && most <= held + braking);
    assert_int_equal(count_of(report, joints[j], "yielding"), 0);
  }
  json_decref(report);
  release(&got);
}

// A floor that rises faster than joints may accelerate: their limits yield, by what the written
// values exceed them. req: E11
static void accelerations_that_yield_are_reported(void **state) {
  (void)state;
  char text[FRAMES * 96];
  int length =
      snprintf(text, sizeof text, "time,floor.x,floor.y,floor.z,floor.dx,floor.dy,floor.dz\n");
  for (int f = 0; f < FRAMES; ++f) {
    length +=
        snprintf(text + length, sizeof text - (size_t)length, "%.17g,0,0,%.17g,0,0,1\n", STEP * f,
                 f < 20   ? 0.3
                 : f < 40 ? 0.3 + 0.03 * (f - 20)
                          : 0.9);
  }
  const char *targets = write_all("floor.csv", text), *out = scratch("floor-out.csv");
  const char *tasks = write_all(
      "floor.json",
      "{\"tasks\": [{\"name\": \"hand\", \"kind\": \"position\", \"link\": \"tip\", \"target\": "
      "{\"position\": [0.8, 0, 0.2]}}, {\"name\": \"floor\", \"kind\": \"plane\", \"link\": "
      "\"tip\", \"hard\": true, \"range_upper\": null, \"target\": {\"position\": [0, 0, 0.3], "
      "\"direction\": [0, 0, 1]}}]}");
  for (int json = 0; json < 2; ++json) {
    result got = RUN(W("track"), W(two_link_file()), W("--tasks"), W(tasks), W("--targets"),
                     W(targets), W("--out"), W(out), W("--seed"), W(SEED), W("--acceleration"),
                     W("0.2"), W(json ? "--json" : "--speed-limits"));
    const written w = read_written(out);
    double worst = 0;
    int frame = -1, joint = 0;
    for (int f = 0; f < FRAMES; ++f) {
      for (int j = 0; j < 2; ++j) {
        const double above = bend_of(&w, f, j) / (STEP * STEP) - 0.2;
        frame = above > worst ? f : frame;
        joint = above > worst ? j : joint;
        worst = fmax(worst, above);
      }
    }
    assert_true(worst > 0.1); // else the test shows nothing
    const char *name = joint == 0 ? "shoulder" : "elbow";
    if (json) {
      json_t *report = parse_output(&got, 0);
      const json_t *limits = json_object_get(report, "limits");
      assert_true(count_of(report, name, "yielding") > 0);
      assert_int_equal(count_of(report, name, "frame"), frame);
      assert_near(number_of(json_array_get(limits, (size_t)joint), "worst"), worst, 1e-6);
      json_decref(report);
    } else {
      char line[200];
      snprintf(line, sizeof line,
               "limits of acceleration yielded by at most %.3g rad/s^2 (%s, "
               "frame %d)\n",
               worst, name, frame);
      assert_int_equal(got.exit_code, 0);
      assert_non_null(strstr(got.err, line));
    }
    release(&got);
  }
}

// A floor that lifts a body with a free base faster than it may accelerate: distances and angles
// have a line each, with the joint's part and the unit, which are those of --json.
static void units_are_those_of_what_yields(void **state) {
  (void)state;
  char text[FRAMES * 96];
  int length =
      snprintf(text, sizeof text, "time,floor.x,floor.y,floor.z,floor.dx,floor.dy,floor.dz\n");
  for (int f = 0; f < FRAMES; ++f)
    length +=
        snprintf(text + length, sizeof text - (size_t)length, "%.17g,0,0,%.17g,0,0,1\n", STEP * f,
                 f < 20   ? 0.0
                 : f < 40 ? 0.05 * (f - 20)
                          : 1.0);
  const char *targets = write_all("lift.csv", text);
  const char *tasks = write_all(
      "lift.json",
      "{\"tasks\": [{\"name\": \"hand\", \"kind\": \"position\", \"link\": \"left\", \"target\": "
      "{\"position\": [0.4, 0.2, 0.3]}}, {\"name\": \"floor\", \"kind\": \"plane\", \"link\": "
      "\"left\", \"hard\": true, \"range_upper\": null, \"target\": {\"position\": [0, 0, 0], "
      "\"direction\": [0, 0, 1]}}]}");
  const char *body = write_all(
      "body.urdf",
      "<robot name='body'><link name='trunk'/><link name='a'/><link name='left'/>"
      "<joint name='j1' type='revolute'><parent link='trunk'/><child link='a'/>"
      "<origin xyz='0 0.2 0.3'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' "
      "velocity='1'/></joint><joint name='j2' type='revolute'><parent link='a'/>"
      "<child link='left'/><origin xyz='0.4 0 0'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' "
      "effort='1' velocity='1'/></joint></robot>");
  result got[2];
  for (int json = 0; json < 2; ++json)
    got[json] =
        RUN(W("track"), W(body), W("--floating-base"), W("--tasks"), W(tasks), W("--targets"),
            W(targets), W("--out"), W(scratch("lift-out.csv")), W("--seed"), W("zero"),
            W("--acceleration"), W("0.2"), W(json ? "--json" : "--speed-limits"));
  json_t *report = parse_output(&got[1], 0);
  static const char *const units[] = {"rad/s^2", "m/s^2"};
  for (int u = 0; u < 2; ++u) {
    const json_t *each, *worst = NULL;
    size_t i;
    json_array_foreach(json_object_get(report, "limits"), i, each) {
      const json_t *unit = json_object_get(each, "unit");
      assert_int_equal(unit != NULL, number_of(each, "yielding") > 0);
      if (unit && strcmp(json_string_value(unit), units[u]) == 0 &&
          (!worst || number_of(each, "worst") > number_of(worst, "worst")))
        worst = each;
    }
    assert_non_null(worst); // else the test shows nothing
    const bool of_base = strcmp(text_of(worst, "joint"), "floating_base") == 0;
    char part[32] = "", line[200];
    if (of_base) {
      assert_int_equal(number_of(worst, "part") < 3, u == 1);
      snprintf(part, sizeof part, ", part %d", (int)number_of(worst, "part"));
    }
    snprintf(line, sizeof line,
             "limits of acceleration yielded by at most %.3g %s (%s%s, frame %d)\n",
             number_of(worst, "worst"), units[u], text_of(worst, "joint"), part,
             (int)number_of(worst, "frame"));
    assert_non_null(strstr(got[0].err, line));
  }
  json_decref(report);
  release(&got[0]);
  release(&got[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(speeds_and_positions_are_counted),
      cmocka_unit_test(accelerations_are_counted),
      cmocka_unit_test(accelerations_that_yield_are_reported),
      cmocka_unit_test(units_are_those_of_what_yields),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
