// Limits of swing and twist in tasks files: that solve, track and batch keep them, and what is
// refused.
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
#include "sample.h"
#include "sinew/math.h"

// A chain of balls, which has no limits of its own, and its values.
#define CHAIN "chain-3"
enum { BALLS = 3, VALUES = 4 * BALLS };

// Rounding of what is written and read again, and what updates may exceed limits by [rad].
#define EXACT 1e-9

typedef struct range {
  double axis[3], axis2[3];
  double lower[3], upper[3]; // of the twist, and of the swing about axis2 and axis x axis2
} range;

static double between(uint64_t seed, uint64_t index, double low, double high) {
  return low + (high - low) * sinew_random_uniform(seed, index);
}

// Asymmetric ellipses, from narrow ones to more than a right angle, and ranges of twist, about any
// axes.
static range random_limits(uint64_t seed) {
  range out;
  for (int i = 0; i < 3; ++i) {
    out.axis[i] = between(seed, (uint64_t)i, -1, 1);
    out.axis2[i] = between(seed, (uint64_t)(3 + i), -1, 1);
    out.lower[i] = -between(seed, (uint64_t)(6 + i), 0.1, i == 0 ? 1.0 : 2.5);
    out.upper[i] = between(seed, (uint64_t)(9 + i), 0.1, i == 0 ? 1.0 : 2.5);
  }
  return out;
}

// ---- Swing and twist of a rotation, written out ----

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The axes as docs/conventions.md has them: the second without its part along the first.
static void axes_of(const range *of, double x[3], double y[3], double z[3]) {
  const double length = sqrt(dot(of->axis, of->axis));
  for (int i = 0; i < 3; ++i)
    x[i] = of->axis[i] / length;
  const double along = dot(of->axis2, x);
  for (int i = 0; i < 3; ++i)
    y[i] = of->axis2[i] - along * x[i];
  const double across = sqrt(dot(y, y));
  for (int i = 0; i < 3; ++i)
    y[i] /= across;
  for (int i = 0; i < 3; ++i)
    z[i] = x[(i + 1) % 3] * y[(i + 2) % 3] - x[(i + 2) % 3] * y[(i + 1) % 3];
}

// By how much a rotation q = q_swing q_twist is outside [rad]: the swing in its direction, or the
// twist.
static double excess_of(const range *of, const double q[4]) {
  double x[3], y[3], z[3];
  axes_of(of, x, y, z);
  // The twist has the part of q's vector along x: tan(phi / 2) = v . x / w, phi in (-pi, pi]
  double phi = 2 * atan2(dot(q + 1, x), q[0]);
  phi -= 2 * acos(-1) * round(phi / (2 * acos(-1)));
  const double c = cos(phi / 2), s = sin(phi / 2);
  // q_swing = q q_twist^-1; its vector v c - w s x - s v x x (cross), scalar w c + s v . x
  double w = q[0] * c + s * dot(q + 1, x), v[3];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    v[i] = q[1 + i] * c - q[0] * s * x[i] - s * (q[1 + j] * x[k] - q[1 + k] * x[j]);
  }
  const double sine = sqrt(dot(v, v)), angle = 2 * atan2(sine, fabs(w)), sign = w < 0 ? -1 : 1;
  const double scale = sine > 0 ? sign * angle / sine : 0;
  const double s1 = scale * dot(v, y), s2 = scale * dot(v, z);
  assert_true(fabs(dot(v, x)) < 1e-12); // it is a swing
  const double level = hypot(s1 / (s1 > 0 ? of->upper[1] : of->lower[1]),
                             s2 / (s2 > 0 ? of->upper[2] : of->lower[2]));
  const double swing = level > 1 ? hypot(s1, s2) * (1 - 1 / level) : 0;
  return fmax(swing, fmax(phi - of->upper[0], of->lower[0] - phi));
}

static double worst_of(const range of[BALLS], const double q[VALUES]) {
  double worst = 0;
  for (int b = 0; b < BALLS; ++b)
    worst = fmax(worst, excess_of(&of[b], q + 4 * b));
  return worst;
}

// ---- Running ----

static void print_three(char *text, size_t size, const char *name, const double values[3]) {
  const size_t length = strlen(text);
  snprintf(text + length, size - length, "\"%s\": [%.17g, %.17g, %.17g], ", name, values[0],
           values[1], values[2]);
}

// A file with a task whose target is in columns, or the target p, and the limits of each ball;
// limits NULL: none.
static const char *write_tasks(const double *p, const range *of) {
  char text[4096] = "{\"tasks\": [{\"name\": \"tip\", \"kind\": \"position\", \"link\": \"tip\"";
  if (p)
    snprintf(text + strlen(text), sizeof text - strlen(text),
             ", \"target\": {\"position\": [%.17g, %.17g, %.17g]}", p[0], p[1], p[2]);
  strcat(text, "}], \"limits\": {\"swing_twist\": {");
  for (int b = 0; of && b < BALLS; ++b) {
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"ball%d\": {", b > 0 ? ", " : "",
             b + 1);
    print_three(text, sizeof text, "axis", of[b].axis);
    print_three(text, sizeof text, "axis2", of[b].axis2);
    print_three(text, sizeof text, "lower", of[b].lower);
    print_three(text, sizeof text, "upper", of[b].upper);
    *strrchr(text, ',') = '}';
  }
  strcat(text, "}}}");
  return write_all("limits.json", text);
}

// The values of the balls at the end of a row of a CSV.
static void read_row(const char *line, int skip, double q[VALUES]) {
  for (; skip > 0; --skip)
    line = strchr(line, ',') + 1;
  for (int i = 0; i < VALUES; ++i) {
    q[i] = strtod(line, (char **)&line);
    ++line;
  }
}

enum { TRIALS = 16, ROWS = 6 };

static void random_point(uint64_t seed, int row, double p[3]) {
  for (int i = 0; i < 3; ++i)
    p[i] = between(seed + 1000, (uint64_t)(3 * row + i), -0.5, 0.5);
}

// ---- What is kept ----

// Joint values of solve, of every row of a batch and of every frame of a motion are within the
// limits of the file, and without it most are not.
typedef struct outcome {
  int within, outside;
} outcome;

static void note(outcome *out, const range of[BALLS], const double q[VALUES]) {
  const double worst = worst_of(of, q);
  out->within += worst <= EXACT;
  out->outside += worst > 0.01;
}

static void run_solve(const double p[3], const range *of, bool limited, outcome *out) {
  double q[VALUES];
  result got =
      RUN(W("solve"), W(CHAIN), W("--tasks"), W(write_tasks(p, limited ? of : NULL)), W("--json"));
  assert_true(got.exit_code == 0 || got.exit_code == 1);
  json_t *root = parse_output(&got, got.exit_code);
  const char *const names[] = {"ball1", "ball2", "ball3"};
  for (int i = 0; i < VALUES; ++i)
    q[i] = element(json_object_get(root, "q"), names[i / 4], (size_t)(i % 4));
  note(out, of, q);
  json_decref(root);
  release(&got);
}

static void run_rows(const char *command, uint64_t seed, const range *of, bool limited,
                     outcome *out) {
  const bool track = strcmp(command, "track") == 0;
  char text[1024] = "";
  strcat(text, track ? "time,tip.x,tip.y,tip.z\n" : "x,y,z\n");
  for (int row = 0; row < ROWS; ++row) {
    double p[3];
    random_point(seed, track ? 0 : row, p);
    p[0] += track ? 0.02 * row : 0;
    if (track)
      snprintf(text + strlen(text), sizeof text - strlen(text), "%d,", row);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%.17g,%.17g,%.17g\n", p[0], p[1],
             p[2]);
  }
  const char *targets = write_all("targets.csv", text);
  result got = RUN(W(command), W(CHAIN), W("--tasks"), W(write_tasks(NULL, limited ? of : NULL)),
                   W("--targets"), W(targets), W("--out"), W("-"));
  assert_int_equal(got.exit_code, 0);
  for (int row = 0; row < ROWS; ++row) {
    double q[VALUES];
    read_row(line_of(got.out, row + 1), track ? 1 : 4, q);
    note(out, of, q);
  }
  release(&got);
}

// req: E8
static void limits_of_swing_and_twist_are_kept(void **state) {
  (void)state;
  for (int limited = 0; limited < 2; ++limited) {
    outcome solve = {0, 0}, track = {0, 0}, batch = {0, 0};
    int trials = 0;
    for (int t = 0; t < SAMPLE_OF(TRIALS); ++t, ++trials) {
      range of[BALLS];
      double p[3];
      for (int b = 0; b < BALLS; ++b)
        of[b] = random_limits((uint64_t)(BALLS * t + b));
      random_point((uint64_t)t, 0, p);
      run_solve(p, of, limited, &solve);
      run_rows("track", (uint64_t)t, of, limited, &track);
      run_rows("batch", (uint64_t)t, of, limited, &batch);
    }
    if (limited) {
      assert_int_equal(solve.within, trials);
      assert_int_equal(track.within, ROWS * trials);
      assert_int_equal(batch.within, ROWS * trials);
    } else { // they would be seen
      assert_true(4 * solve.outside > trials);
      assert_true(4 * track.outside > ROWS * trials && 4 * batch.outside > ROWS * trials);
    }
  }
}

// ---- What a file may leave out ----

#define HANDS                                                                                      \
  "{\"tasks\": [{\"kind\": \"position\", \"link\": \"hand_l\",\n"                                  \
  "\"target\": {\"position\": [0.3, 0.3, 1.2]}}],\n\"limits\": {\"swing_twist\": %s}}"

static result run_hands(const char *command, const char *limits) {
  char text[1024];
  snprintf(text, sizeof text, HANDS, limits);
  return RUN(W(command), W("humanoid-cones"), W("--tasks"), W(write_all("hands.json", text)),
             W("--json"));
}

static const json_t *joint_of(const json_t *root, const char *name) {
  const json_t *joints = json_object_get(root, "joints");
  for (size_t j = 0; j < json_array_size(joints); ++j)
    if (strcmp(text_of(json_array_get(joints, j), "name"), name) == 0)
      return json_array_get(joints, j);
  fail();
  return NULL;
}

// What a joint's object does not name is the model's, as are the limits of joints that are not
// named; null takes them away. sinew info prints what is in force.
static void others_are_those_of_the_model(void **state) {
  (void)state;
  result got[] = {run_hands("info", "{}"),
                  run_hands("info", "{\"neck\": {\"upper\": [0.5, 0.4, null]},\n"
                                    "\"shoulder_l\": null}"),
                  run_hands("info", "{\"neck\": {\"upper\": [0.5, 0.4, 0.3]},\n"
                                    "\"shoulder_l\": null}")};
  json_t *plain = parse_output(&got[0], 0), *other = parse_output(&got[2], 0);
  expect_refusal(got[1], "hands.json:3: limits.swing_twist.neck: ", "all of swing is");
  const json_t *before = joint_of(plain, "neck"), *after = joint_of(other, "neck");
  for (size_t i = 0; i < 4; i += 2) // lower ones
    assert_near(element(after, "swing", i), element(before, "swing", i), 0);
  assert_near(element(after, "twist", 0), element(before, "twist", 0), 0);
  assert_near(element(after, "twist", 1), 0.5, 0);
  assert_near(element(after, "swing", 1), 0.4, 0);
  assert_near(element(after, "swing", 3), 0.3, 0);
  assert_non_null(json_object_get(joint_of(plain, "shoulder_l"), "swing"));
  assert_null(json_object_get(joint_of(other, "shoulder_l"), "swing"));
  assert_true(
      json_equal((json_t *)joint_of(plain, "wrist_l"), (json_t *)joint_of(other, "wrist_l")));
  json_decref(plain);
  json_decref(other);
  release(&got[0]);
  release(&got[2]);
}

// The start is in the middle of the file's limits, or the nearest to it in them: a ball about whose
// axis the twist is from .4 to .8 starts at .6.
static void starts_are_within_them(void **state) {
  (void)state;
  static const double twists[][2] = {{0.6, 0}, {0.4, 1}};
  for (int i = 0; i < 2; ++i) {
    result got =
        RUN(W("solve"), W("chain-1"), W("--tasks"),
            W(write_all("start.json", "{\"tasks\": [{\"kind\": \"position\", \"link\": \"tip\", "
                                      "\"required\": false, \"level\": 1, \"influence\": 0,\n"
                                      "\"target\": {\"position\": [0, 0, 1]}}],\n"
                                      "\"limits\": {\"swing_twist\": {\"ball1\": {"
                                      "\"lower\": [0.4, -1, -1], \"upper\": [0.8, 1, 1]}}}}")),
            W("--seed"), W(twists[i][1] > 0 ? "zero" : "middle"), W("--json"));
    json_t *root = parse_output(&got, 1);
    const json_t *q = json_object_get(root, "q");
    assert_near(2 * atan2(element(q, "ball1", 1), element(q, "ball1", 0)), twists[i][0], 1e-12);
    json_decref(root);
    release(&got);
  }
}

// A rotation by 2 about the axis of a twist up to 1, or about one across it whose swing ends at .5:
// in --seed and in a posture.
static void rotations_outside_are_told(void **state) {
  (void)state;
  static const struct {
    const char *q, *said;
  } cases[] = {{"0.5403,0.8415,0,0", "ball1 is 1 rad outside its limits of swing and twist"},
               {"0.5403,0,0.8415,0", "ball1 is 1.5 rad outside its limits of swing and twist"},
               {"0.5403,0,-0.8415,0", NULL},
               {"0.8776,0.4794,0,0", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    for (int posture = 0; posture < 2; ++posture) {
      char text[1024];
      snprintf(
          text, sizeof text,
          "{\"tasks\": [{\"kind\": \"position\", \"link\": \"tip\", \"target\": {\"position\": [0, "
          "0, "
          "1]}}], \"limits\": {\"swing_twist\": {\"ball1\": {\"lower\": [-1, -2.5, -1], \"upper\": "
          "[1, 0.5, 1]}}}, \"objectives\": [{\"kind\": \"posture\", \"posture\": {\"ball1\": "
          "[%s]}}]}",
          posture ? cases[i].q : "1, 0, 0, 0");
      result got = RUN(W("solve"), W("chain-1"), W("--tasks"), W(write_all("outside.json", text)),
                       W("--seed"), W(posture ? "zero" : cases[i].q));
      assert_true(got.exit_code < 2);
      if (cases[i].said) {
        assert_non_null(strstr(got.err, cases[i].said));
        assert_non_null(strstr(got.err, posture ? "objectives[0].posture: " : "--seed: "));
      } else {
        assert_null(strstr(got.err, "outside"));
      }
      release(&got);
    }
}

// ---- What is refused ----

static void refusals_name_joint_and_line(void **state) {
  (void)state;
#define AT "hands.json:3: limits.swing_twist"
  static const char *const cases[][3] = {
      {"[]", AT ": ", "from joints to their limits"},
      {"{\"nek\": null}", AT ".nek: ", "there is no joint 'nek'; did you mean 'neck'?"},
      {"{\"elbow_l\": {}}", AT ".elbow_l: ", "only spherical joints"},
      {"{\"pelvis\": {\"lower\": [-1, -1, -1]}}", AT ".pelvis: ", "only spherical joints"},
      {"{\"neck\": 0.5}", AT ".neck: ", "it takes an object, not a number"},
      {"{\"neck\": {\"twist\": [0, 1]}}", AT ".neck.twist: ", "there is no such field"},
      {"{\"neck\": {\"lower\": [-1, -1]}}", AT ".neck.lower: ", "an array of 3 numbers, not of 2"},
      {"{\"neck\": {\"axis\": [0, 0, 0]}}", AT ".neck.axis: ", "all its values are 0"},
      {"{\"neck\": {\"axis\": [2, 0, 0], \"axis2\": [-1, 0, 0]}}", AT ".neck: ", "parallel"},
      {"{\"neck\": {\"lower\": [1, -1, -1], \"upper\": [0.9, 1, 1]}}",
       AT ".neck: ", "lower limit 1 is above the upper limit 0.9"},
      {"{\"neck\": {\"lower\": [-1, 1, -1], \"upper\": [1, -1, 1]}}",
       AT ".neck: ", "lower limit 1 is above the upper limit -1"},
      {"{\"neck\": {\"lower\": [-1, 0, -1]}}", AT ".neck: ", "do not have 0 between them"},
      {"{\"neck\": {\"upper\": [1, 1, 3.1]}}", AT ".neck: ", "are wider than"},
      {"{\"neck\": {\"lower\": [-9, -1, -1], \"upper\": [-4, 1, 1]}}",
       AT ".neck: ", "of twist are beyond +-pi"},
      {"{\"wrist_l\": null,\n\"neck\": {\"lower\": [-1, 0, -1]}}",
       "hands.json:4: limits.swing_twist.neck: ", "do not have 0 between them"},
  };
  static const char *const commands[] = {"solve", "info"};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    for (int k = 0; k < 2; ++k)
      expect_refusal(run_hands(commands[k], cases[i][0]), cases[i][1], cases[i][2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_of_swing_and_twist_are_kept),
      cmocka_unit_test(others_are_those_of_the_model),
      cmocka_unit_test(starts_are_within_them),
      cmocka_unit_test(rotations_outside_are_told),
      cmocka_unit_test(refusals_name_joint_and_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
