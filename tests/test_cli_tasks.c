// Tasks files of the program sinew: what they do, what is refused and how, and that their schema
// describes the fields that are read.
#include <float.h>
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

#include "cli/task_file.h"
#include "cli_run.h"
#include "shared_data.h"

#define ARM "models/arm7.urdf"
#define PERSON "models/humanoid.bvh"
#define PATH_SIZE 1024

static result solve(const char *model, const char *text) {
  return RUN(W("solve"), W(model), W("--tasks"), W(write_all("tasks.json", text)), W("--json"));
}

// ---- What a file says, by info ----

static const json_t *task_at(const json_t *root, int t) {
  return json_array_get(json_object_get(root, "tasks"), (size_t)t);
}

static bool has_joint(const json_t *task, const char *name) {
  const json_t *joints = json_object_get(task, "joints");
  bool found = false;
  for (size_t j = 0; j < json_array_size(joints); ++j)
    found = found || strcmp(json_string_value(json_array_get(joints, j)), name) == 0;
  return found;
}

// Rows and joints of each task, which the tree and the kinds give by hand: joints above both of two
// links do not move one relative to the other.
static void info_describes_tasks(void **state) {
  (void)state;
  static const int rows[] = {3, 6, 3, 3, 1}, joints[] = {7, 8, 4, 4, 5};
  result got = RUN(W("info"), W(PERSON), W("--tasks"), W("examples/tasks/carry.json"), W("--json"));
  json_t *root = parse_output(&got, 0);
  assert_int_equal(json_array_size(json_object_get(root, "tasks")), 5);
  for (int t = 0; t < 5; ++t) {
    const json_t *task = task_at(root, t);
    assert_int_equal(number_of(task, "rows"), rows[t]);
    assert_int_equal(json_array_size(json_object_get(task, "joints")), joints[t]);
    assert_int_equal(number_of(task, "level"), t == 4);
    assert_int_equal(json_is_true(json_object_get(task, "required")), t < 4);
    assert_int_equal(json_is_true(json_object_get(task, "in_lanes")), t != 1 && t != 4);
    assert_int_equal(json_is_true(json_object_get(task, "crowd_in_lanes")), t != 4);
    assert_int_equal(has_joint(task, "Hips"), t != 1);
  }
  assert_string_equal(text_of(task_at(root, 0), "name"), "box");
  assert_string_equal(text_of(task_at(root, 1), "frame_link"), "LeftHand");
  assert_true(has_joint(task_at(root, 1), "LeftArm") && has_joint(task_at(root, 1), "RightArm"));
  const json_t *objectives = json_object_get(root, "objectives"),
               *all = json_object_get(root, "level_0");
  assert_int_equal(json_array_size(objectives), 1);
  assert_string_equal(text_of(json_array_get(objectives, 0), "kind"), "posture");
  assert_near(number_of(json_array_get(objectives, 0), "weight"), 0.01, 0);
  assert_true(json_is_true(json_object_get(json_array_get(objectives, 0), "crowd_in_lanes")));
  assert_int_equal(number_of(all, "rows"), 15);
  assert_true(json_is_false(json_object_get(all, "in_lanes")));
  assert_true(json_is_false(json_object_get(all, "crowd_in_lanes")));
  assert_null(json_object_get(all, "smallest"));
  json_decref(root);
  release(&got);
}

// A hard task, one below level 0, and one that is not required: info takes what solves take.
static void info_takes_any_task(void **state) {
  (void)state;
  result got =
      RUN(W("info"), W(ARM), W("--json"), W("--tasks"),
          W(write_all("any.json",
                      "{\"tasks\": [{\"kind\": \"plane\", \"link\": \"flange\", \"hard\": true, "
                      "\"range_upper\": null, \"target\": {\"position\": [0, 0, 2], "
                      "\"direction\": [0, 0, 1]}}, {\"kind\": \"direction\", \"link\": "
                      "\"flange\", \"cone_angle\": 0.1, \"level\": 3, \"influence\": 0.5, "
                      "\"target\": {\"direction\": [0, 0, 1]}}, {\"kind\": \"position\", "
                      "\"link\": \"flange\", \"required\": false, \"influence\": 0, "
                      "\"target\": {\"position\": [0.4, 0, 0.5]}}]}")));
  json_t *root = parse_output(&got, 0);
  static const int levels[] = {0, 3, 0}, rows[] = {1, 1, 3};
  for (int t = 0; t < 3; ++t) {
    assert_int_equal(number_of(task_at(root, t), "level"), levels[t]);
    assert_int_equal(number_of(task_at(root, t), "rows"), rows[t]);
    assert_int_equal(json_is_true(json_object_get(task_at(root, t), "required")), t == 0);
  }
  json_decref(root);
  release(&got);
}

// The singular values of a pose are those that info --q has for the end effector; frozen joints and
// those above a chain root have no part.
static void info_measures_tasks(void **state) {
  (void)state;
  const char *file = write_all(
      "one.json",
      "{\"tasks\": [{\"kind\": \"pose\", \"link\": \"flange\", \"target\": {\"position\": "
      "[0.4, 0, 0.5], \"rotation\": [0, 1, 0, 0]}}, {\"kind\": \"position\", \"link\": "
      "\"flange\", \"chain_root\": \"link2\", \"level\": 1, \"target\": {\"position\": "
      "[0.4, 0, 0.5]}}]}");
  result got =
      RUN(W("info"), W(ARM), W("--tasks"), W(file), W("--q"), W("0,0.5,0,-2,0,2,0.5"), W("--json"));
  json_t *root = parse_output(&got, 0);
  const json_t *all = json_object_get(root, "level_0"),
               *arm = json_object_get(json_object_get(root, "dexterity"), "flange");
  static const char *const names[] = {"smallest", "largest", "condition", "manipulability"};
  for (int i = 0; i < 4; ++i)
    assert_near(number_of(all, names[i]), number_of(arm, names[i]), 1e-12);
  assert_int_equal(number_of(task_at(root, 0), "dof"), 7);
  assert_int_equal(number_of(task_at(root, 1), "dof"), 5);
  assert_false(has_joint(task_at(root, 1), "joint2"));
  assert_true(has_joint(task_at(root, 1), "joint3"));
  json_decref(root);
  release(&got);

  got = RUN(W("info"), W(ARM), W("--tasks"), W(file), W("--q"), W("middle"));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, "level 0: 6 rows, 7 degrees of freedom"));
  assert_non_null(strstr(got.out, "at --q: singular values "));
  assert_non_null(strstr(got.out, "\ncrowds do not take them together\n"));
  release(&got);
  expect_refusal(RUN(W("info"), W(ARM), W("--tasks"), W("examples/tasks/carry.json")), "carry.json",
                 "LeftHand");
  expect_refusal(RUN(W("info"), W(ARM), W("--tasks"), W(file), W("--urdf")), "--urdf", "--tasks");
}

// The edges of a polygon are tasks of their own; the joints that move them all are printed once.
static void info_prints_joints_of_a_polygon_once(void **state) {
  (void)state;
  char model[1024];
  snprintf(model, sizeof model, "%s",
           write_all("mass.urdf",
                     "<robot name='m'><link name='a'/><link name='b'><inertial><mass value='1'/>"
                     "<origin xyz='0 0 1'/></inertial></link><joint name='lean' type='revolute'>"
                     "<parent link='a'/><child link='b'/><axis xyz='1 0 0'/><limit lower='-1' "
                     "upper='1' effort='1' velocity='1'/></joint></robot>"));
  result got =
      RUN(W("info"), W(model), W("--tasks"),
          W(write_all("polygon.json",
                      "{\"tasks\": [{\"kind\": \"support_polygon\", \"contacts\": [[-1, -1, 0],"
                      "[1, -1, 0], [1, 1, 0], [-1, 1, 0]]}]}")));
  int edges = 0, joints = 0;
  assert_int_equal(got.exit_code, 0);
  for (const char *at = got.out; (at = strstr(at, "support_polygon  plane")); ++at)
    ++edges;
  for (const char *at = got.out; (at = strstr(at, "joints: lean\n")); ++at)
    ++joints;
  assert_int_equal(edges, 4);
  assert_int_equal(joints, 1);
  release(&got);
}

// ---- What a file does ----

// The options of sinew solve and a file make the same tasks, and so the same bits.
static void file_is_as_options(void **state) {
  (void)state;
  result options =
      RUN(W("solve"), W(ARM), W("--tip"), W("flange"), W("--pose"), W("0.4,0.1,0.5,0,1,0,0"),
          W("--tool"), W("0,0,0.1,1,0,0,0.5"), W("--root"), W("link1"), W("--json"));
  result file = solve(ARM, "{\"tasks\": [{\"kind\": \"pose\", \"link\": \"flange\",\n"
                           "  \"point_l\": [0, 0, 0.1], \"rotation_l\": [1, 0, 0, 0.5],\n"
                           "  \"chain_root\": \"link1\",\n"
                           "  \"target\": {\"position\": [0.4, 0.1, 0.5],\n"
                           "               \"rotation\": [0, 1, 0, 0]}}]}");
  json_t *one = parse_output(&options, 0), *other = parse_output(&file, 0);
  json_object_del(one, "microseconds");
  json_object_del(other, "microseconds");
  assert_true(json_equal(one, other));
  json_decref(one);
  json_decref(other);
  release(&options);
  release(&file);
}

// The joint values of an answer, as --q takes them.
static void write_q(const json_t *q, char *text, size_t size) {
  const char *name;
  json_t *value;
  size_t length = 0;
  json_object_foreach((json_t *)q, name, value) {
    const size_t count = json_is_array(value) ? json_array_size(value) : 1;
    for (size_t i = 0; i < count && length < size; ++i) {
      const json_t *number = json_is_array(value) ? json_array_get(value, i) : value;
      length += (size_t)snprintf(text + length, size - length, "%s%.17g", length > 0 ? "," : "",
                                 json_number_value(number));
    }
  }
}

// A point of a link, by sinew fk.
static void point_of(const json_t *poses, const char *link, const double l[3], double p[3]) {
  const json_t *tip = tip_of(poses, "tips", link);
  double q[4], t[3];
  for (int i = 0; i < 4; ++i)
    q[i] = element(tip, "rotation", (size_t)i);
  // l + 2 v x (v x l + w l)
  const double *v = q + 1;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    t[i] = v[j] * l[k] - v[k] * l[j] + q[0] * l[i];
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    p[i] = element(tip, "position", (size_t)i) + l[i] + 2 * (v[j] * t[k] - v[k] * t[j]);
  }
}

static void expect_point(const double p[3], double x, double y, double z, double tolerance) {
  assert_near(p[0], x, tolerance);
  assert_near(p[1], y, tolerance);
  assert_near(p[2], z, tolerance);
}

// examples/tasks/carry.json: the hands hold the box between them, where it should be; the head
// turns to it as well as its level allows.
static void two_hands_carry_a_box(void **state) {
  (void)state;
  const double half[3] = {30, 0, 0}, whole[3] = {60, 0, 0}, none[3] = {0, 0, 0};
  char q[4096];
  double p[3], other[3];
  result got =
      RUN(W("solve"), W(PERSON), W("--tasks"), W("examples/tasks/carry.json"), W("--json"));
  json_t *root = parse_output(&got, 0);
  write_q(json_object_get(root, "q"), q, sizeof q);
  result poses = RUN(W("fk"), W(PERSON), W("--q"), W(q), W("--json"));
  json_t *links = parse_output(&poses, 0);
  point_of(links, "LeftHand", half, p);
  expect_point(p, 0, 90, 40, 1e-5);
  point_of(links, "LeftHand", whole, p);
  point_of(links, "RightHand", none, other);
  expect_point(p, other[0], other[1], other[2], 1e-5);
  point_of(links, "LeftFoot", none, p);
  expect_point(p, 9, 8, 0, 1e-5);
  const json_t *head = tip_of(root, "effectors", "Head");
  assert_true(number_of(head, "orientation_error") < 0.05);
  json_decref(links);
  json_decref(root);
  release(&poses);
  release(&got);
}

// examples/tasks/inspect.json: the flange is 25 to 35 cm from the part and above it, and its z axis
// points there.
static void camera_inspects_a_part(void **state) {
  (void)state;
  const double none[3] = {0, 0, 0}, ahead[3] = {0, 0, 1}, part[3] = {0.5, 0.1, 0.1};
  char q[1024];
  double p[3], z[3], d[3];
  result got = RUN(W("solve"), W(ARM), W("--tasks"), W("examples/tasks/inspect.json"), W("--json"));
  json_t *root = parse_output(&got, 0);
  write_q(json_object_get(root, "q"), q, sizeof q);
  result poses = RUN(W("fk"), W(ARM), W("--q"), W(q), W("--json"));
  json_t *links = parse_output(&poses, 0);
  point_of(links, "flange", none, p);
  point_of(links, "flange", ahead, z);
  for (int i = 0; i < 3; ++i)
    d[i] = part[i] - p[i];
  const double distance = hypot(hypot(d[0], d[1]), d[2]);
  assert_true(distance >= 0.25 - 1e-6 && distance <= 0.35 + 1e-6 && p[2] >= 0.25 - 1e-6);
  for (int i = 0; i < 3; ++i)
    assert_near(z[i] - p[i], d[i] / distance, 1e-5);
  json_decref(links);
  json_decref(root);
  release(&poses);
  release(&got);
}

// examples/tasks/stand.json, where the optional data is there: all that is required is met.
static void robot_stands(void **state) {
  (void)state;
  const char *model = shared_file("data/urdf/g1_29dof.urdf");
  char q[4096];
  const double none[3] = {0, 0, 0};
  double p[3];
  result got = RUN(W("solve"), W(model), W("--floating-base"), W("--tasks"),
                   W("examples/tasks/stand.json"), W("--json"));
  json_t *root = parse_output(&got, 0);
  write_q(json_object_get(root, "q"), q, sizeof q);
  result poses = RUN(W("fk"), W(model), W("--floating-base"), W("--q"), W(q), W("--json"));
  json_t *links = parse_output(&poses, 0);
  point_of(links, "left_ankle_roll_link", none, p);
  expect_point(p, 0, 0.12, 0.03, 1e-6);
  assert_int_equal(json_array_size(json_object_get(root, "effectors")), 5);
  json_decref(links);
  json_decref(root);
  release(&poses);
  release(&got);
}

// The value of a joint after a solve of a file.
static double solved_value(const char *text, const char *joint) {
  result got = solve(ARM, text);
  json_t *root = parse_output(&got, 0);
  const double value = number_of(json_object_get(root, "q"), joint);
  json_decref(root);
  release(&got);
  return value;
}

#define POINT                                                                                      \
  "\"tasks\": [{\"kind\": \"position\", \"link\": \"flange\", \"target\": {\"position\": [0.4, "   \
  "0.1, 0.5]}}]"

// A posture, a frozen joint, limits and a margin each move one joint to where they say. The middle
// of the limits, the seed, is 0 for joint1.
static void postures_and_limits_are_obeyed(void **state) {
  (void)state;
  const double free = solved_value("{" POINT "}", "joint3");
  assert_true(fabs(free) < 0.5);
  const double posture = solved_value(
      "{" POINT ", \"objectives\": [{\"kind\": \"posture\", \"posture\": {\"joint3\": 1},"
      " \"weights\": {\"joint1\": 0, \"joint2\": 0, \"joint4\": 0}}]}",
      "joint3");
  assert_near(posture, 1, 1e-2);
  assert_near(solved_value("{" POINT ", \"frozen\": [\"joint1\"]}", "joint1"), 0, 0);
  assert_near(solved_value("{" POINT ", \"gains\": {\"joint1\": 0}}", "joint1"), 0, 0);
  const double coupled = solved_value("{" POINT ", \"objectives\": [{\"kind\": \"coupling\","
                                      " \"coefficients\": {\"joint5\": 2}, \"value\": 1.2}]}",
                                      "joint5");
  assert_near(coupled, 0.6, 1e-2);
  solved_value("{" POINT ", \"objectives\": [{\"kind\": \"limits\"}, {\"kind\": "
               "\"manipulability\", \"task\": {\"kind\": \"pose\", \"link\": \"flange\"}}]}",
               "joint5");
  const double lower =
      solved_value("{" POINT ", \"limits\": {\"lower\": {\"joint3\": 0.9}}}", "joint3");
  assert_true(lower >= 0.9);
  const double margin = solved_value(
      "{" POINT ", \"limits\": {\"lower\": {\"joint3\": 0.9}, \"margin\": 0.2}}", "joint3");
  assert_true(margin >= 1.1);
}

// A task of influence 0 leaves every joint where it is without it, beside a task of influence 1 or
// of 0.5; that of 0.5 turns a joint half of the way.
static void influences_are_obeyed(void **state) {
  (void)state;
#define TIP "\"link\": \"tip\", \"axis_l\": [1, 0, 0], \"target\": {\"direction\": [0, 0, 1]}"
#define UP(influence) "{\"kind\": \"direction\", " TIP ", \"influence\": " influence "}"
#define NONE "{\"kind\": \"direction\", " TIP ", \"cone_angle\": 1, \"influence\": 0}"
#define FROZEN ", \"frozen\": [\"elbow\"]}"
  static const char *const texts[2][2] = {
      {"{\"tasks\": [" UP("1") "]" FROZEN, "{\"tasks\": [" UP("1") ", " NONE "]" FROZEN},
      {"{\"tasks\": [" UP("0.5") "]" FROZEN, "{\"tasks\": [" UP("0.5") ", " NONE "]" FROZEN}};
  for (int i = 0; i < 2; ++i) {
    result one = RUN(W("solve"), W(two_link_file()), W("--tasks"),
                     W(write_all("one.json", texts[i][0])), W("--seed"), W("zero"), W("--json"));
    result other = RUN(W("solve"), W(two_link_file()), W("--tasks"),
                       W(write_all("two.json", texts[i][1])), W("--seed"), W("zero"), W("--json"));
    json_t *without = parse_output(&one, 0), *with = parse_output(&other, 0);
    assert_true(json_equal(json_object_get(without, "q"), json_object_get(with, "q")));
    assert_near(fabs(number_of(json_object_get(with, "q"), "shoulder")), acos(0) / (1 + i), 1e-6);
    json_decref(without);
    json_decref(with);
    release(&one);
    release(&other);
  }
}

static void expect_converged(result got, bool converged) {
  json_t *root = parse_output(&got, converged ? 0 : 1);
  assert_int_equal(strcmp(text_of(root, "outcome"), "converged") == 0, converged);
  json_decref(root);
  release(&got);
}

// A gaze that cannot be met beside a goal is level 1 unless a level is given, in options and files
// alike; alone it is the goal.
static void gazes_yield_to_goals(void **state) {
  (void)state;
#define GOAL                                                                                       \
  "{\"kind\": \"pose\", \"link\": \"flange\", \"target\": {\"position\": [0.4, 0.1, 0.5], "        \
  "\"rotation\": [0, 1, 0, 0]}}"
#define GAZE(more)                                                                                 \
  "{\"kind\": \"look_at\", \"link\": \"link4\", \"target\": {\"position\": [1, 0, 0]}" more "}"
#define GOAL_BY_OPTIONS W(ARM), W("--tip"), W("flange"), W("--pose"), W("0.4,0.1,0.5,0,1,0,0")
#define GAZE_BY_OPTIONS W("--tip"), W("link4"), W("--look-at"), W("1,0,0")
#define SHORT W("--max-starts"), W("3"), W("--json")
  expect_converged(RUN(W("solve"), GOAL_BY_OPTIONS, GAZE_BY_OPTIONS, SHORT), true);
  expect_converged(RUN(W("solve"), GOAL_BY_OPTIONS, GAZE_BY_OPTIONS, W("--level"), W("0"), SHORT),
                   false);
  static const char *const more[] = {"", ", \"level\": 1", ", \"required\": false"};
  for (int i = 0; i < 3; ++i) {
    char text[512];
    snprintf(text, sizeof text,
             "{\"tasks\": [%s, {\"kind\": \"look_at\", \"link\": \"link4\", "
             "\"target\": {\"position\": [1, 0, 0]}%s}]}",
             GOAL, more[i]);
    expect_converged(RUN(W("solve"), W(ARM), W("--tasks"), W(write_all("gaze.json", text)), SHORT),
                     true);
  }
  expect_converged(
      RUN(W("solve"), W(ARM), W("--tasks"),
          W(write_all("gaze.json", "{\"tasks\": [" GOAL ", " GAZE(", \"level\": 0") "]}")), SHORT),
      false);
  expect_converged(RUN(W("solve"), W(ARM), W("--tasks"),
                       W(write_all("gaze.json", "{\"tasks\": [" GAZE("") "]}")), SHORT),
                   true);
  expect_refusal(RUN(W("solve"), GOAL_BY_OPTIONS, W("--level"), W("x")), "--level", "0 to 100");
}

// A task of a lower level costs one of level 0 nothing, and alone decides no outcome.
static void levels_are_obeyed(void **state) {
  (void)state;
  result got = solve(ARM, "{\"tasks\": [{\"kind\": \"position\", \"link\": \"flange\",\n"
                          "  \"target\": {\"position\": [0.4, 0.1, 0.5]}},\n"
                          " {\"name\": \"elbow\", \"kind\": \"position\", \"link\": \"link4\",\n"
                          "  \"level\": 1, \"target\": {\"position\": [0, 5, 0.5]}}]}");
  json_t *root = parse_output(&got, 0);
  assert_string_equal(text_of(root, "outcome"), "converged");
  const json_t *elbow = tip_of(root, "effectors", "link4");
  assert_string_equal(text_of(elbow, "name"), "elbow");
  assert_true(number_of(elbow, "position_error") > 4);
  assert_true(number_of(tip_of(root, "effectors", "flange"), "position_error") <= 1e-6);
  json_decref(root);
  release(&got);
}

// ---- Moving targets ----

#define FRAMES 20

// A file's task by its name, and a link's columns, give the same motion to the last bit.
static void track_is_as_columns_of_links(void **state) {
  (void)state;
  char rows[FRAMES * 64] = "", text[FRAMES * 64 + 64];
  for (int f = 0; f < FRAMES; ++f)
    snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%d,%.3f,0,0.6\n", f, 0.5 + 0.01 * f);
  snprintf(text, sizeof text, "time,tip.x,tip.y,tip.z\n%s", rows);
  const char *links = write_all("links.csv", text);
  snprintf(text, sizeof text, "time,hand.x,hand.y,hand.z\n%s", rows);
  const char *names = write_all("names.csv", text);
  const char *tasks = write_all("track.json", "{\"tasks\": [{\"name\": \"hand\", \"kind\": "
                                              "\"position\", \"link\": \"tip\"}]}");
  result one = RUN(W("track"), W(two_link_file()), W("--targets"), W(links), W("--out"), W("-"));
  result other = RUN(W("track"), W(two_link_file()), W("--tasks"), W(tasks), W("--targets"),
                     W(names), W("--out"), W("-"));
  assert_int_equal(one.exit_code, 0);
  assert_string_equal(other.out, one.out);
  assert_non_null(strstr(other.err, "(hand, frame"));
  release(&one);
  release(&other);
}

// The left hand follows columns, and the right hand keeps its place relative to it, which the file
// says: 60 along its x axis.
static void track_keeps_what_the_file_says(void **state) {
  (void)state;
  char text[FRAMES * 64] = "time,box.x,box.y,box.z\n";
  const char *out = scratch("carried.csv");
  const double none[3] = {0, 0, 0}, whole[3] = {60, 0, 0};
  for (int f = 0; f < FRAMES; ++f)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%.2f,%d,90,40\n", f / 30.0, f);
  result got = RUN(W("track"), W(PERSON), W("--tasks"), W("examples/tasks/carry.json"),
                   W("--targets"), W(write_all("box.csv", text)), W("--out"), W(out), W("--json"));
  json_t *report = parse_output(&got, 0);
  assert_true(number_of(report, "frames") == FRAMES);
  // The last frame, where the box has moved by 19
  char *motion = read_all(out), *row = NULL;
  for (char *line = strtok(motion, "\n"); line; line = strtok(NULL, "\n"))
    row = line;
  result poses = RUN(W("fk"), W(PERSON), W("--q"), W(strchr(row, ',') + 1), W("--json"));
  json_t *links = parse_output(&poses, 0);
  const double half[3] = {30, 0, 0};
  double p[3], other[3];
  point_of(links, "LeftHand", half, p);
  expect_point(p, FRAMES - 1, 90, 40, 0.01);
  point_of(links, "LeftHand", whole, p);
  point_of(links, "RightHand", none, other);
  expect_point(p, other[0], other[1], other[2], 0.01);
  free(motion);
  json_decref(links);
  json_decref(report);
  release(&poses);
  release(&got);
}

// ---- Hard tasks ----

// A hand that should be at z = 0.5, a table at 0.55 and a ceiling below it, which contradicts it.
#define HARD_PLANE(name, z, up) "{" HARD_PLANE_FIELDS(name, z, up)
#define HARD_PLANE_FIELDS(name, z, up)                                                             \
  "\"name\": \"" name "\", \"kind\": \"plane\", \"link\": \"flange\", \"hard\": true,"             \
  " \"range_upper\": null, \"target\": {\"position\": [0, 0, " z "], \"direction\": [0, 0, " up    \
  "]}}"
#define HARD_HAND "{\"name\": \"hand\", \"kind\": \"position\", \"link\": \"flange\""
#define HARD_FLOOR HARD_PLANE("table", "0.55", "1")
#define HARD_FLOOR_FIELDS HARD_PLANE_FIELDS("table", "0.55", "1")

static const json_t *hard_row(const json_t *root, int i, const char *name) {
  const json_t *row = json_array_get(json_object_get(root, "hard_rows"), (size_t)i);
  assert_string_equal(text_of(row, "name"), name);
  return row;
}

// The answer of a solve is at a table above its goal; by a method that does not keep the table it
// is between them, and the report says by how much the table yields. Where all tasks are met none
// does, and the range of an axis is named.
static void solve_reports_hard_tasks(void **state) {
  (void)state;
  const char *below =
      "{\"tasks\": [" HARD_HAND ", \"target\": {\"position\": [0.4, 0.1, 0.5]}}, " HARD_FLOOR "]}";
  result got = solve(ARM, below);
  json_t *root = parse_output(&got, 1);
  assert_int_equal(json_array_size(json_object_get(root, "hard_rows")), 1);
  const json_t *row = hard_row(root, 0, "table");
  assert_string_equal(text_of(row, "rank"), "clearance");
  assert_null(json_object_get(row, "axis"));
  assert_int_equal(number_of(row, "side"), -1);
  assert_near(number_of(row, "yielded"), 0, 0);
  json_decref(root);
  release(&got);
  got = RUN(W("solve"), W(ARM), W("--tasks"), W(write_all("tasks.json", below)));
  assert_non_null(strstr(got.out, "  table (clearance): at its lower end\n"));
  release(&got);
  got = RUN(W("solve"), W(ARM), W("--tasks"), W(write_all("tasks.json", below)), W("--method"),
            W("dls")); // which does not keep it
  assert_non_null(strstr(got.out, "  table (clearance): at its lower end, beyond it by 0.025 m\n"));
  release(&got);
  got = solve(ARM,
              "{\"tasks\": [" HARD_HAND ", \"hard\": true, \"range_upper\": [0, 0, 0.1, 0, 0, 0],"
              " \"target\": {\"position\": [0.4, 0.1, 0.5]}}]}");
  root = parse_output(&got, 0);
  row = hard_row(root, 0, "hand");
  assert_string_equal(text_of(row, "axis"), "z");
  assert_string_equal(text_of(row, "rank"), "interval");
  assert_near(number_of(row, "yielded"), 0, 0);
  json_decref(root);
  release(&got);
  got =
      solve(ARM, "{\"tasks\": [" HARD_HAND
                 ", \"level\": 1, \"target\": {\"position\": [0.4, 0.1, 0.5]}}, " HARD_FLOOR "]}");
  root = parse_output(&got, 0);
  row = hard_row(root, 0, "table");
  assert_int_equal(number_of(row, "side"), -1);
  assert_near(number_of(row, "yielded"), 0, 0);
  json_decref(root);
  release(&got);
}

// Rows of a batch keep hard tasks: a hand above the table arrives, one below it is held at the
// table.
static void batch_takes_hard_tasks(void **state) {
  (void)state;
  const char *tasks = write_all("hard.json", "{\"tasks\": [" HARD_HAND "}, " HARD_FLOOR "]}");
  const char *targets = write_all("hands.csv", "hand.x,hand.y,hand.z\n0.4,0.1,0.6\n0.4,0.1,0.5\n");
  result got = RUN(W("batch"), W(ARM), W("--tasks"), W(tasks), W("--targets"), W(targets),
                   W("--out"), W("-"));
  assert_int_equal(got.exit_code, 0);
  assert_int_equal(strncmp(line_of(got.out, 1), "converged,", 10), 0);
  assert_int_equal(strncmp(line_of(got.out, 2), "stalled,", 8), 0);
  assert_near(strtod(line_of(got.out, 2) + 8, NULL), 0.05, 1e-9);
  release(&got);
}

// In a motion the table holds the hand, and the ceiling yields to it by what is between them.
static void track_reports_hard_tasks(void **state) {
  (void)state;
  char text[FRAMES * 64] = "time,hand.x,hand.y,hand.z\n";
  for (int f = 0; f < FRAMES; ++f)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%d,0.4,0.1,0.5\n", f);
  const char *targets = write_all("hand.csv", text);
  const char *tasks = write_all("hard.json", "{\"tasks\": [" HARD_HAND "}, " HARD_FLOOR
                                             ", " HARD_PLANE("ceiling", "0.53", "-1") "]}");
  result got = RUN(W("track"), W(ARM), W("--tasks"), W(tasks), W("--targets"), W(targets),
                   W("--out"), W(scratch("held.csv")), W("--updates"), W("5"), W("--json"));
  json_t *root = parse_output(&got, 0);
  const json_t *row = hard_row(root, 0, "table");
  assert_true(number_of(row, "at_lower") > 4.0 * FRAMES && number_of(row, "at_upper") == 0);
  assert_true(number_of(row, "yielding") == 0 && json_object_get(row, "worst") == NULL);
  row = hard_row(root, 1, "ceiling");
  assert_true(number_of(row, "yielding") > 4.0 * FRAMES);
  assert_true(number_of(row, "worst") <= -0.02 + 1e-9 && number_of(row, "frame") < FRAMES);
  json_decref(root);
  release(&got);
  got = RUN(W("track"), W(ARM), W("--tasks"), W(tasks), W("--targets"), W(targets), W("--out"),
            W("-"));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.err, "hard task table (clearance): updates held by its lower end "));
  assert_non_null(strstr(got.err, "ceiling (clearance): yielded in "));
  release(&got);
  // Crowds keep them one figure after another; a table of influence .5 holds half way.
  got = RUN(W("info"), W(ARM), W("--tasks"), W(tasks));
  assert_non_null(strstr(got.out, "\ncrowds run one figure after another\n"));
  release(&got);
  const char *half = "{\"tasks\": [" HARD_HAND "}, {\"influence\": 0.5, " HARD_FLOOR_FIELDS "]}";
  const char *poses = scratch("half.csv");
  got = RUN(W("track"), W(ARM), W("--tasks"), W(write_all("half.json", half)), W("--targets"),
            W(targets), W("--out"), W(poses), W("--updates"), W("5"), W("--json"));
  root = parse_output(&got, 0);
  row = hard_row(root, 0, "table");
  assert_true(number_of(row, "at_lower") > 4.0 * FRAMES && number_of(row, "yielding") == 0);
  json_decref(root);
  release(&got);
  // The table holds a hand of a lower level too.
  const char *levels = "{\"tasks\": [" HARD_HAND ", \"level\": 1}, " HARD_FLOOR "]}";
  got = RUN(W("track"), W(ARM), W("--tasks"), W(write_all("levels.json", levels)), W("--targets"),
            W(targets), W("--out"), W(scratch("held.csv")), W("--updates"), W("5"), W("--json"));
  root = parse_output(&got, 0);
  row = hard_row(root, 0, "table");
  assert_true(number_of(row, "at_lower") > 4.0 * FRAMES && number_of(row, "at_upper") == 0);
  json_decref(root);
  release(&got);
}

// The joint values of row k of a batch's CSV, as --q takes them.
static char *batch_q(const char *text, int k) {
  static char row[1024];
  const char *line = line_of(text, k + 1);
  for (int comma = 0; comma < 4; ++comma)
    line = strchr(line, ',') + 1;
  snprintf(row, sizeof row, "%.*s", (int)strcspn(line, "\n"), line);
  return row;
}

// Each row is a point at which the flange looks from a place that stays.
static void batch_looks_at_columns(void **state) {
  (void)state;
  const double none[3] = {0, 0, 0}, ahead[3] = {0, 0, 1};
  const double points[][3] = {{0.8, 0.1, 0.1}, {0.8, -0.1, 0.2}};
  const char *targets = write_all("points.csv", "x,y,z\n0.8,0.1,0.1\n0.8,-0.1,0.2\n");
  result got =
      RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--look-at"), W("--tip"), W("link7"),
          W("--position"), W("0.4,0,0.5"), W("--targets"), W(targets), W("--out"), W("-"));
  assert_int_equal(got.exit_code, 0);
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(strncmp(line_of(got.out, k + 1), "converged,", 10), 0);
    result poses = RUN(W("fk"), W(ARM), W("--q"), W(batch_q(got.out, k)), W("--json"));
    json_t *links = parse_output(&poses, 0);
    double p[3], z[3], d[3];
    point_of(links, "link7", none, p);
    expect_point(p, 0.4, 0, 0.5, 1e-5);
    point_of(links, "flange", none, p);
    point_of(links, "flange", ahead, z);
    for (int i = 0; i < 3; ++i)
      d[i] = points[k][i] - p[i];
    const double distance = hypot(hypot(d[0], d[1]), d[2]);
    for (int i = 0; i < 3; ++i)
      assert_near(z[i] - p[i], d[i] / distance, 1e-5);
    json_decref(links);
    release(&poses);
  }
  release(&got);
}

// A tool, a frozen joint, limits with a margin, and a task of a lower level, in a batch.
static void batch_obeys(bool option) {
  const double tool[3] = {0, 0, 0.1};
  const char *tasks =
      write_all("batch.json", "{\"tasks\": [{\"name\": \"tcp\", \"kind\": \"position\","
                              " \"link\": \"flange\", \"point_l\": [0, 0, 0.1]},"
                              " {\"kind\": \"direction\", \"link\": \"flange\", \"level\": 1,"
                              "  \"target\": {\"direction\": [0, 0, -1]}}],"
                              " \"frozen\": [\"joint1\"],"
                              " \"limits\": {\"lower\": {\"joint5\": 0.5}, \"margin\": 0.1}}");
  const char *targets = write_all("tcp.csv", "x,y,z\n0.4,0.1,0.4\n0.5,-0.1,0.3\n");
  result got = option ? RUN(W("batch"), W(ARM), W("--tasks"), W(tasks), W("--targets"), W(targets),
                            W("--out"), W("-"), W("--margin"), W("0.3"))
                      : RUN(W("batch"), W(ARM), W("--tasks"), W(tasks), W("--targets"), W(targets),
                            W("--out"), W("-"));
  assert_int_equal(got.exit_code, 0);
  for (int k = 0; k < 2; ++k) {
    double q[7], p[3];
    assert_int_equal(strncmp(line_of(got.out, k + 1), "converged,", 10), 0);
    char *values = batch_q(got.out, k);
    result poses = RUN(W("fk"), W(ARM), W("--q"), W(values), W("--json"));
    json_t *links = parse_output(&poses, 0);
    for (int i = 0; i < 7; ++i) {
      q[i] = strtod(values, &values);
      ++values;
    }
    assert_true(q[0] == 0 && q[4] >= (option ? 0.8 : 0.6));
    point_of(links, "flange", tool, p);
    expect_point(p, k == 0 ? 0.4 : 0.5, k == 0 ? 0.1 : -0.1, k == 0 ? 0.4 : 0.3, 1e-5);
    json_decref(links);
    release(&poses);
  }
  release(&got);
}

// --margin replaces that of the file.
static void batch_obeys_the_file(void **state) {
  (void)state;
  batch_obeys(false);
  batch_obeys(true);
}

// A NPY has the columns of the tasks without a target alone.
static void batch_counts_npy_columns(void **state) {
  (void)state;
  const char *tasks =
      write_all("npy.json", "{\"tasks\": [{\"kind\": \"distance\", \"link\": \"flange\"},"
                            " {\"kind\": \"direction\", \"link\": \"flange\","
                            "  \"target\": {\"direction\": [0, 0, -1]}}]}");
  char *words[] = {W("sinew"),
                   W("batch"),
                   W(ARM),
                   W("--tasks"),
                   W(tasks),
                   W("--targets"),
                   W(scratch("table.npy")),
                   W("--out"),
                   W("-"),
                   NULL};
  static const char head[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 4), }";
  for (int columns = 4; columns <= 5; ++columns) {
    FILE *file = fopen(scratch("table.npy"), "wb");
    const double row[5] = {0.4, 0, 0, 0.5, 0};
    char text[128];
    snprintf(text, sizeof text, "%-117s", head);
    *strchr(text, '4') = (char)('0' + columns);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fwrite(text, 1, 117, file);
    fputc('\n', file);
    fwrite(row, sizeof(double), (size_t)columns, file);
    fclose(file);
    result got = run_words(words);
    if (columns == 5) {
      expect_refusal(got, "it has 5 columns", "the tasks without a target need 4");
      continue;
    }
    assert_int_equal(got.exit_code, 0);
    assert_int_equal(strncmp(line_of(got.out, 1), "converged,", 10), 0);
    release(&got);
  }
}

// A batch computes postures for the tasks that are searched; what it refuses of these is named by
// its place among all.
static void batch_names_the_task(void **state) {
  (void)state;
  const char *tasks =
      "{\"tasks\": [{\"name\": \"aim\", \"kind\": \"position\", \"link\": \"link4\", "
      "\"level\": 1, \"target\": {\"position\": [0, 0, 1]}},\n"
      "{\"kind\": \"position\", \"link\": \"flange\",\n\"hard\": true}]}";
  static const char *const banks[] = {"16", "0"};
  for (int i = 0; i < 2; ++i)
    expect_refusal(RUN(W("batch"), W(ARM), W("--tasks"), W(write_all("place.json", tasks)),
                       W("--targets"), W(write_all("place.csv", "x,y,z\n0.4,0.1,0.5\n")),
                       W("--out"), W("-"), W("--bank"), W(banks[i])),
                   "place.json:3: tasks[1].hard: ", "it has no range");
}

typedef struct columns_refusal {
  const char *tasks, *columns, *first, *second;
} columns_refusal;

#define MOVING "{\"name\": \"hand\", \"kind\": \"plane\", \"link\": \"flange\"}"

static const columns_refusal columns_refusals[] = {
    {"{\"tasks\": [" MOVING "]}", "time,link7.x,link7.y,link7.z\n0,1,0,0\n", "tasks[0]", "hand.x"},
    {"{\"tasks\": [" MOVING "]}", "time,hand.x,hand.y,hand.z\n0,1,0,0\n", "hand.dx", "missing"},
    {"{\"tasks\": [" MOVING "]}",
     "time,hand.x,hand.y,hand.z,hand.dx,hand.dy,hand.dz,hand.distance\n0,1,0,0,0,0,1,1\n",
     "hand.distance", "of no use"},
    {"{\"tasks\": [" MOVING "]}",
     "time,hand.x,hand.y,hand.z,hand.dx,hand.dy,hand.dz\n0,1,0,0,0,0,0\n", "hand",
     "a direction of length 0"},
    {"{\"tasks\": [" MOVING "," MOVING "]}", "time,hand.x\n0,1\n", "column 2",
     "several tasks have the name 'hand'"},
    {"{\"tasks\": [" MOVING "]}", "time,hnd.x\n0,1\n", "column 2",
     "no task or link 'hnd'; did you mean 'hand'?"},
};

static void columns_are_checked(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof columns_refusals / sizeof columns_refusals[0]; ++i) {
    const columns_refusal *refusal = &columns_refusals[i];
    result got = RUN(W("track"), W(ARM), W("--tasks"), W(write_all("c.json", refusal->tasks)),
                     W("--targets"), W(write_all("c.csv", refusal->columns)), W("--out"), W("-"));
    expect_refusal(got, refusal->first, refusal->second);
  }
}

// ---- Options ----

// Roll, pitch and yaw about the fixed axes x, y, z in this order: by the product of the half
// angles' quaternions, written out.
static void rpy_is_an_orientation(void **state) {
  (void)state;
  const double r = 0.7, p = -0.4, y = 1.1;
  const double cr = cos(r / 2), sr = sin(r / 2), cp = cos(p / 2), sp = sin(p / 2);
  const double cy = cos(y / 2), sy = sin(y / 2);
  const double q[4] = {cy * cp * cr + sy * sp * sr, cy * cp * sr - sy * sp * cr,
                       cy * sp * cr + sy * cp * sr, sy * cp * cr - cy * sp * sr};
  char values[1024];
  result got =
      RUN(W("solve"), W(ARM), W("--tip"), W("flange"), W("--rpy"), W("0.7,-0.4,1.1"), W("--json"));
  json_t *root = parse_output(&got, 0);
  write_q(json_object_get(root, "q"), values, sizeof values);
  result poses = RUN(W("fk"), W(ARM), W("--tip"), W("flange"), W("--q"), W(values), W("--json"));
  json_t *links = parse_output(&poses, 0);
  const json_t *tip = tip_of(links, "tips", "flange");
  const double sign = element(tip, "rotation", 0) * q[0] < 0 ? -1 : 1;
  for (int i = 0; i < 4; ++i)
    assert_near(sign * element(tip, "rotation", (size_t)i), q[i], 1e-6);
  json_decref(links);
  json_decref(root);
  release(&poses);
  release(&got);
  expect_refusal(RUN(W("solve"), W(ARM), W("--tip"), W("flange"), W("--rpy"), W("0,0,0"),
                     W("--orientation"), W("1,0,0,0")),
                 "--orientation", "a target already");
}

// A file of numbers without names, <f8; returns its path.
static const char *write_table(const char *name, const double *row, int columns) {
  const char *path = scratch(name);
  FILE *file = fopen(path, "wb");
  char text[128], head[128];
  snprintf(head, sizeof head, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, %d), }",
           columns);
  snprintf(text, sizeof text, "%-117s", head);
  fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
  fwrite(text, 1, 117, file);
  fputc('\n', file);
  fwrite(row, sizeof(double), (size_t)columns, file);
  fclose(file);
  return path;
}

// The same of a NPY: its 3 columns are the position beside an --rpy or --orientation, 4 the
// rotation beside a --position; other numbers are refused.
static void options_and_a_npy_make_a_pose(void **state) {
  (void)state;
  static const double pose[7] = {0.4, 0, 0.5, 0, 1, 0, 0};
  static const char *const gives[][2] = {{"--orientation", "0,1,0,0"}, {"--position", "0.4,0,0.5"}};
  const char *whole = write_table("whole.npy", pose, 7);
  result wanted = RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(whole),
                      W("--out"), W("-"));
  assert_int_equal(wanted.exit_code, 0);
  for (int i = 0; i < 2; ++i) {
    const char *part = write_table("part.npy", pose + 3 * i, 3 + i);
    result got = RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W(gives[i][0]), W(gives[i][1]),
                     W("--targets"), W(part), W("--out"), W("-"));
    assert_int_equal(got.exit_code, 0);
    assert_string_equal(got.out, wanted.out);
    release(&got);
    const char *other = write_table("other.npy", pose, 4 - i);
    expect_refusal(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W(gives[i][0]), W(gives[i][1]),
                       W("--targets"), W(other), W("--out"), W("-")),
                   "other.npy", "every task has a target");
  }
  const char *points = write_table("points.npy", pose, 3);
  result got = RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--rpy"), W("3.14,0,0"),
                   W("--targets"), W(points), W("--out"), W("-"));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, "\nconverged,"));
  release(&got);
  expect_refusal(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--direction"), W("0,0,1"),
                     W("--targets"), W(points), W("--out"), W("-")),
                 "points.npy", "every task has a target");
  release(&wanted);
}

// A link keeps the part of its pose that an option gives, and takes the rest from columns: to the
// last bit what columns of both do.
static void options_and_columns_make_a_pose(void **state) {
  (void)state;
  static char *const commands[] = {W("track"), W("batch")};
  static const char *const gives[][2] = {{"--orientation", "0,1,0,0"}, {"--position", "0.4,0,0.5"}};
  static const char *const rest[] = {
      "time,flange.x,flange.y,flange.z\n0,0.4,0,0.5\n1,0.4,0,0.5\n",
      "time,flange.qw,flange.qx,flange.qy,flange.qz\n0,0,1,0,0\n1,0,1,0,0\n"};
  const char *whole = write_all("w.csv", "time,flange.x,flange.y,flange.z,flange.qw,flange.qx,"
                                         "flange.qy,flange.qz\n0,0.4,0,0.5,0,1,0,0\n"
                                         "1,0.4,0,0.5,0,1,0,0\n");
  for (int i = 0; i < 4; ++i) {
    char *command = commands[i / 2];
    const char *part = write_all("r.csv", rest[i % 2]);
    result one =
        RUN(command, W(ARM), W("--tip"), W("flange"), W("--targets"), W(whole), W("--out"), W("-"));
    result other = RUN(command, W(ARM), W("--tip"), W("flange"), W(gives[i % 2][0]),
                       W(gives[i % 2][1]), W("--targets"), W(part), W("--out"), W("-"));
    assert_int_equal(one.exit_code, 0);
    assert_string_equal(one.out, other.out);
    release(&one);
    release(&other);

    // What both give is refused, and what a kind does not read.
    expect_refusal(RUN(command, W(ARM), W("--tip"), W("flange"), W(gives[1 - i % 2][0]),
                       W(gives[1 - i % 2][1]), W("--targets"), W(part), W("--out"), W("-")),
                   "r.csv:1: ", "an option gives the value already");
    expect_refusal(RUN(command, W(ARM), W("--tip"), W("flange"), W("--direction"), W("0,0,1"),
                       W("--targets"), W(part), W("--out"), W("-")),
                   "r.csv:1: ", "of no use to this task; a tasks file can name");
  }
  const char *points = write_all("r.csv", rest[0]);
  expect_refusal(RUN(W("track"), W(ARM), W("--tip"), W("flange"), W("--tip"), W("flange"),
                     W("--targets"), W(points), W("--out"), W("-")),
                 "several tasks", "a tasks file can give them other names");
  expect_refusal(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--tip"), W("flange"),
                     W("--targets"), W(points), W("--out"), W("-")),
                 "given twice", "a tasks file can give its tasks names");
  expect_refusal(RUN(W("track"), W(ARM), W("--tip"), W("flange"), W("--look-at"), W("1,0,0"),
                     W("--targets"), W(points), W("--out"), W("-")),
                 "r.csv:1: flange.x: ", "an option gives the value already");
}

// A file without a task is refused; one whose tasks are all of lower levels says what was done.
static void no_task_is_told(void **state) {
  (void)state;
  static const char *const none[] = {"{}", "{\"tasks\": []}",
                                     "{\"objectives\": [{\"kind\": \"posture\"}]}"};
  const char *points = write_all("t.csv", "x,y,z\n0.4,0.1,0.5\n");
  for (int i = 0; i < 3; ++i) {
    expect_refusal(solve(ARM, none[i]), "tasks.json: ", "there is no task");
    expect_refusal(RUN(W("batch"), W(ARM), W("--tasks"), W(write_all("tasks.json", none[i])),
                       W("--targets"), W(points), W("--out"), W("-")),
                   "batch: ", "there is no task");
  }
  const char *low = write_all("low.json", "{\"tasks\": [{\"kind\": \"position\", \"level\": 1,\n"
                                          "\"link\": \"flange\",\n"
                                          "\"target\": {\"position\": [0.4, 0.1, 0.5]}}]}");
  result got = RUN(W("solve"), W(ARM), W("--tasks"), W(low));
  assert_int_equal(got.exit_code, 1);
  assert_non_null(strstr(got.out, "no_task after "));
  assert_non_null(strstr(got.out, "no task of level 0 is required, lower levels were served\n"));
  release(&got);
}

// --posture, --damping and --freeze are what the file has of the same names, to the last bit, in
// each of the three commands.
static void options_are_as_the_file(void **state) {
  (void)state;
  const char *tasks = write_all(
      "same.json", "{\"objectives\": [{\"kind\": \"posture\", \"posture\": {\"joint1\": 0.5,"
                   " \"joint3\": 0.25, \"joint4\": -1}},\n {\"kind\": \"damping\", "
                   "\"weight\": 0.5}], \"frozen\": [\"joint5\", \"joint6\"]}");
  const char *posture =
      write_all("posture.csv", "time,joint1,joint2,joint3,joint4,joint5,joint6,joint7\n"
                               "0,0.5,0,0.25,-1,0,0,0\n1,9,9,9,9,9,9,9\n");
  const char *targets =
      write_all("hand.csv", "time,flange.x,flange.y,flange.z\n0,0.4,0.1,0.5\n0.1,0.42,0.1,0.5\n");
  const char *const commands[] = {"solve", "track", "batch"};
  for (int c = 0; c < 3; ++c) {
    char *words[2][24] = {{NULL}, {NULL}};
    result got[2];
    for (int k = 0; k < 2; ++k) {
      int n = 0;
      words[k][n++] = W("sinew"), words[k][n++] = W(commands[c]), words[k][n++] = W(ARM);
      words[k][n++] = W("--tip"), words[k][n++] = W("flange");
      if (c == 0)
        words[k][n++] = W("--position"), words[k][n++] = W("0.4,0.1,0.5"),
        words[k][n++] = W("--json");
      else
        words[k][n++] = W("--targets"), words[k][n++] = W(targets), words[k][n++] = W("--out"),
        words[k][n++] = W("-");
      if (k == 0)
        words[k][n++] = W("--tasks"), words[k][n++] = W(tasks);
      else
        words[k][n++] = W("--posture"), words[k][n++] = W(posture), words[k][n++] = W("--damping"),
        words[k][n++] = W("0.5"), words[k][n++] = W("--freeze"), words[k][n++] = W("joint5,joint6");
      got[k] = run_words(words[k]);
      assert_int_equal(got[k].exit_code, 0);
      char *time = strstr(got[k].out, "\"microseconds\"");
      if (time)
        memmove(time, time + strcspn(time, ",}"), strlen(time + strcspn(time, ",}")) + 1);
    }
    assert_string_equal(got[0].out, got[1].out);
    release(&got[0]);
    release(&got[1]);
  }
}

// The posture 'start' is the seed: a pose of seven joints leaves one free, and keeps it nearer
// there than the posture 'zero' does.
static void posture_may_be_the_start(void **state) {
  (void)state;
  const char *const postures[] = {"start", "zero"};
  double value[2];
  for (int k = 0; k < 2; ++k) {
    result got = RUN(W("solve"), W(ARM), W("--tip"), W("flange"), W("--pose"),
                     W("0.4,0.1,0.5,0,1,0,0"), W("--seed"), W("1,-0.5,-1,-2.3,0,1.9,0.2"),
                     W("--posture"), W(postures[k]), W("--json"));
    json_t *root = parse_output(&got, 0);
    value[k] = number_of(json_object_get(root, "q"), "joint3");
    json_decref(root);
    release(&got);
  }
  assert_true(value[0] < -0.5 && value[1] > value[0] + 0.2);
}

// --posture takes joint values, and 'middle', whose values these are: the same answer as from a
// file with them, to the last bit. A tasks file takes 'middle' too.
static void postures_are_values_too(void **state) {
  (void)state;
  result info = RUN(W("info"), W(ARM), W("--json"));
  json_t *root = parse_output(&info, 0);
  const json_t *each;
  size_t i, length = 0;
  char values[512] = "", names[256] = "time", file[1024];
  json_array_foreach(json_object_get(root, "joints"), i, each) {
    if (number_of(each, "dof") == 0)
      continue;
    const double middle = 0.5 * (number_of(each, "lower") + number_of(each, "upper"));
    length += (size_t)snprintf(values + length, sizeof values - length, "%s%.17g",
                               length > 0 ? "," : "", middle);
    snprintf(names + strlen(names), sizeof names - strlen(names), ",%s", text_of(each, "name"));
  }
  snprintf(file, sizeof file, "%s\n0,%s\n", names, values);
  const char *postures[] = {write_all("middle.csv", file), values, "middle"};
  double q[3];
  for (int k = 0; k < 3; ++k) {
    result got = RUN(W("solve"), W(ARM), W("--tip"), W("flange"), W("--position"), W("0.4,0.1,0.5"),
                     W("--posture"), W(postures[k]), W("--json"));
    json_t *answer = parse_output(&got, 0);
    q[k] = number_of(json_object_get(answer, "q"), "joint3");
    json_decref(answer);
    release(&got);
  }
  assert_true(q[0] == q[1]);
  assert_near(q[2], q[0], 1e-9); // 'middle' is rounded another way
  assert_true(q[2] == solved_value("{" POINT ", \"objectives\": [{\"kind\": \"posture\", "
                                   "\"posture\": \"middle\"}]}",
                                   "joint3"));
  // Without a posture the answer is another one.
  assert_true(fabs(q[2] - solved_value("{" POINT "}", "joint3")) > 1e-4);
  json_decref(root);
  release(&info);
}

// Messages name what the user wrote: tasks of a file, and --method.
static void messages_name_tasks_and_options(void **state) {
  (void)state;
  const char *tasks = write_all(
      "two.json", "{\"tasks\": [{\"name\": \"hand\", \"kind\": \"position\", \"link\": \"flange\"},"
                  "{\"name\": \"floor\", \"kind\": \"plane\", \"link\": \"link4\", \"hard\": true, "
                  "\"range_upper\": null}]}");
  const char *targets = write_all("t.csv", "hnad.x,hnad.y,hnad.z\n0.4,0.1,0.5\n");
  expect_refusal(RUN(W("batch"), W(ARM), W("--tasks"), W(tasks), W("--targets"), W(targets),
                     W("--out"), W("-")),
                 "column 1, 'hnad.x': no task has this name; did you mean 'hand'", "");
  targets = write_all("t.csv", "x,y,z\n0.4,0.1,0.5\n");
  expect_refusal(RUN(W("batch"), W(ARM), W("--tasks"), W(tasks), W("--targets"), W(targets),
                     W("--out"), W("-")),
                 "column 1, 'x': which task is it for?", "NAME.x");
  targets = write_all("t.csv", "time,hand.x,hand.y,hand.z,floor.x,floor.y,floor.z,floor.dx,"
                               "floor.dy,floor.dz\n0,0.4,0.1,0.5,0,0,0,0,0,1\n");
  expect_refusal(RUN(W("track"), W(ARM), W("--tasks"), W(tasks), W("--targets"), W(targets),
                     W("--out"), W("-"), W("--method"), W("dls")),
                 "track: hard tasks need --method default, not dls", "");
}

static void options_are_checked(void **state) {
  (void)state;
#define TO_POINT W("solve"), W(ARM), W("--tip"), W("flange"), W("--position"), W("0.4,0.1,0.5")
  expect_refusal(RUN(TO_POINT, W("--freeze"), W("joint1,jiont2")),
                 "--freeze: ", "no joint 'jiont2'; did you mean 'joint2'");
  expect_refusal(RUN(TO_POINT, W("--freeze"), W("flange_joint")), "--freeze: ", "it is fixed");
  expect_refusal(RUN(TO_POINT, W("--posture"), W("none.csv")), "none.csv", "No such file");
  expect_refusal(RUN(TO_POINT, W("--posture"), W("zero"), W("--all"), W("3")), "--all", "postures");
  const char *targets = write_all("t.csv", "x,y,z\n0.4,0.1,0.5\n");
  expect_refusal(RUN(W("batch"), W(ARM), W("--tip"), W("flange"), W("--targets"), W(targets),
                     W("--out"), W("-"), W("--posture"), W("start")),
                 "--posture: ", "starts of their own");
}

// ---- What is refused ----

typedef struct refusal {
  const char *text, *first, *second;
} refusal;

#define TASK(fields) "{\n\"tasks\": [\n{" fields "}]}"
#define HAND "\"kind\": \"position\", \"link\": \"flange\", \"target\": {\"position\": [1, 0, 0]}"
#define BACK                                                                                       \
  "\"kind\": \"orientation\", \"link\": \"link3\", \"frame_link\": \"flange\", \"target\": "       \
  "{\"rotation\": [1, 0, 0, 0]}"
#define AIM "\"kind\": \"direction\", \"link\": \"flange\", \"target\": {\"direction\": [1, 0, 0]}"

static const refusal refusals[] = {
    {"{\n\"objectives\": [{\"kind\": \"posture\",\n\"posture\": {\"flange_joint\": 0}}]}",
     "tasks.json:3: objectives[0].posture.flange_joint: ", "no value of its own"},
    {"{\"tasks\": [}", "tasks.json:1: ", "near '}'"},
    {"{\n\"tasks\": [],\n\"tasks\": []}", "tasks.json:3: ", "duplicate"},
    {"[]", "tasks.json:1: ", "an object, not an array"},
    {"{\"tusks\": []}", "tasks.json:1: tusks: ", "did you mean 'tasks'?"},
    {"{\"tasks\": {}}", "tasks.json:1: tasks: ", "an array, not an object"},
    {TASK("\"link\": \"flange\""), "tasks.json:3: tasks[0]: ", "'kind' is missing"},
    {TASK("\"kind\": \"pos\""), "tasks.json:3: tasks[0].kind: ", "did you mean 'position', 'pose'"},
    {TASK("\"kind\": \"pose\""), "tasks.json:3: tasks[0]: ", "'link' is missing"},
    {TASK("\"kind\": \"pose\", \"link\": \"flang\""),
     "tasks.json:3: tasks[0].link: ", "no link 'flang'; did you mean 'flange'?"},
    {TASK("\"kind\": \"pose\", \"link\": \"flange\""),
     "tasks.json:3: tasks[0]: ", "'target' is missing"},
    {TASK("\"kind\": \"pose\", \"link\": \"flange\",\n\"target\": {\"position\": [1, 0, 0]}"),
     "tasks.json:4: tasks[0].target: ", "'rotation' is missing"},
    {TASK("\"kind\": \"orientation\", \"link\": \"flange\",\n"
          "\"target\": {\"rotation\":\n[0, 0, 0, 0]}"),
     "tasks.json:4: tasks[0].target.rotation: ", "all its values are 0"},
    {TASK(HAND ",\n\"axis_weight\": [1, 1, 1, 1, 1, 1]"),
     "tasks.json:4: tasks[0].axis_weight: ", "did you mean 'axis_weights'?"},
    {TASK(HAND ",\n\"axis_weights\": [1, 1, 1]"),
     "tasks.json:4: tasks[0].axis_weights: ", "an array of 6 numbers, not of 3"},
    {TASK(HAND ",\n\"axis_weights\": [1, 1, 1,\n -1, 1, 1]"),
     "tasks.json:5: tasks[0].axis_weights[3]: ", "a number from 0 to 1000000, not -1"},
    {TASK(HAND ",\n\"cone_angle\": 0.1"),
     "tasks.json:4: tasks[0].cone_angle: ", "the kind position has no such field"},
    {TASK(AIM ", \"cone_angle\": -0.1"), "tasks[0].cone_angle: ", "from 0 to 3.14159265, not -0.1"},
    {TASK(AIM ", \"cone_angle\": 3.2"), "tasks[0].cone_angle: ", "from 0 to 3.14159265, not 3.2"},
    {TASK(HAND ",\n\"range_lower\": [1, 0, 0, 0, 0, 0]"),
     "tasks.json:4: tasks[0].range_lower is above range_upper", ""},
    {TASK(HAND ",\n\"range_upper\": [0, 0, 0.1, null, 0, 0.1]"),
     "tasks.json:4: tasks[0].range_upper has a value for rz, ", "kind position does not control"},
    {TASK(HAND ",\n\"influence\": 0.5, \"level\": 1,\n\"hard\": true"),
     "tasks.json:5: tasks[0].hard: ", "it has no range"},
    {TASK(HAND ",\n\"excluded_joints\": [\"joint3\", \"joint\"]"),
     "tasks.json:4: tasks[0].excluded_joints[1]: ", "no joint 'joint'"},
    {TASK(HAND ",\n\"excluded_joints\": [\"flange_joint\"]"),
     "tasks.json:4: tasks[0].excluded_joints", "fixed joint"},
    {TASK(HAND ",\n\"gain\": 0"),
     "tasks.json:4: tasks[0].gain: ", "a number above 0, at most 1, not 0"},
    {TASK(HAND ", \"free_axes\": [\"x\", \"w\"]"), "tasks[0].free_axes[1]: ", "not 'w'"},
    {TASK(HAND ", \"free_axes\": [\"x\",\n\"rx\"]"),
     "tasks.json:4: tasks[0].free_axes[1]: ", "the kind position has the axes x, y, z, not 'rx'"},
    {TASK("\"kind\": \"orientation\", \"link\": \"flange\", \"free_axes\": [\"z\", \"rz\"]"),
     "tasks[0].free_axes[0]: ", "the kind orientation has the axes rx, ry, rz, not 'z'"},
    {TASK("\"kind\": \"position\", \"center_of_mass\": true, \"free_axes\": [\"ry\"]"),
     "tasks[0].free_axes[0]: ", "of the centre of mass has the axes x, y, z, not 'ry'"},
    {TASK(AIM ", \"free_axes\": [\"rx\"]"),
     "tasks[0].free_axes: ", "the kind direction has no such field"},
    {TASK(HAND ", \"weight_axes\": \"link\""), "tasks[0].weight_axes: ", "target, tool, frame"},
    {TASK(HAND ", \"level\": 1.5"), "tasks[0].level: ", "a whole number, not 1.5"},
    {TASK(HAND ", \"level\": 101"), "tasks[0].level: ", "from 0 to 100, not 101"},
    {TASK(HAND ", \"required\": 1"), "tasks[0].required: ", "true or false, not a number"},
    {TASK(HAND ",\n\n\"frame_link\": \"flange\""),
     "tasks.json:5: tasks[0].frame_link is the link itself", ""},
    {TASK(HAND ", \"chain_root\": 3"), "tasks[0].chain_root: ", "the name of a link, not a number"},
    {TASK("\"kind\": \"position\",\n\"center_of_mass\": true, \"target\": {\"position\": [0, 0, "
          "0]}"),
     "tasks.json:4: tasks[0].center_of_mass: ", "the figure has no mass"},
    {TASK("\"kind\": \"support_polygon\",\n\"contacts\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]"),
     "tasks.json:3: tasks[0]: center_of_mass: ", "the figure has no mass"},
    {TASK(HAND ",\n\"center_of_mass\": true"),
     "tasks.json:3: tasks[0].link: ", "the kind position of the centre of mass has no such field"},
    {TASK("\"kind\": \"plane\",\n\"point_l\": [0, 0, 1], \"center_of_mass\": true"),
     "tasks.json:4: tasks[0].point_l: ", "the kind plane of the centre of mass has no such field"},
    {TASK("\"kind\": \"pose\",\n\"center_of_mass\": true, \"link\": \"flange\""),
     "tasks.json:4: tasks[0].center_of_mass: ", "the kind pose has no such field"},
    {TASK(HAND ",\n\"influence\": 1.5"),
     "tasks.json:4: tasks[0].influence: ", "a number from 0 to 1, not 1.5"},
    {TASK(HAND ", \"frame_link\": \"link3\"},\n{\"name\": \"back\",\n" BACK),
     "tasks.json:5: tasks[1].frame_link: ",
     "'link3' is relative to 'flange', and that again to 'link3', in a cycle"},
    {TASK("\"kind\": \"support_polygon\",\n\"contacts\": [[0, 0, 0],\n[1, 0, 0]]"),
     "tasks.json:4: tasks[0].contacts: ", "2 contacts have 2 corners"},
    {TASK("\"kind\": \"support_polygon\",\n\"contacts\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],\n"
          "\"margin\": 0.3"),
     "tasks.json:5: tasks[0].margin: ", "leaves nothing of the support polygon"},
    {TASK("\"kind\": \"support_polygon\",\n\"contacts\": [[0, 0, 0],\n[1, 0], [1, 1, 0]]"),
     "tasks.json:5: tasks[0].contacts[1]: ", "an array of 3 numbers, not of 2"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"postur\"}]}",
     "tasks.json:2: objectives[0].kind: ", "did you mean 'posture'?"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"damping\", \"gain\": 1}]}",
     "tasks.json:2: objectives[0].gain: ", "the kind damping has no such field"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"posture\", \"gain\": 0}]}",
     "tasks.json:2: objectives[0].gain: ", "above 0, at most 1, not 0"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"posture\", \"level\": 0}]}",
     "tasks.json:2: objectives[0].level: ", "from 1 to 100, not 0"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"posture\", \"posture\": \"rest\"}]}",
     "tasks.json:2: objectives[0].posture: ", "'zero', 'middle', 'start'"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"posture\", \"posture\": {\"joint9\": 1}}]}",
     "tasks.json:2: objectives[0].posture.joint9: ", "no joint 'joint9'; did you mean 'joint1'"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"damping\", \"weights\": {\"joint1\": [1]}}]}",
     "tasks.json:2: objectives[0].weights.joint1: ", "a number from 0 to 1000000, not an array"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"callback\"}]}",
     "objectives[0].kind: ", "not 'callback'"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"pole\"}]}",
     "tasks.json:2: objectives[0]: ", "'links' is missing"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"pole\", \"links\": [\"link1\"]}]}",
     "tasks.json:2: objectives[0].links: ", "an array of three links"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"pole\", \"links\": [\"link1\",\n\"link9\",\n3]}]}",
     "tasks.json:3: objectives[0].links[1]: ", "no link 'link9'; did you mean 'link0', 'link1'"},
    {"{" POINT
     ",\n\"objectives\": [{\"kind\": \"pole\",\n\"links\": [\"link1\", \"link1\", \"flange\"]}]}",
     "tasks.json:3: objectives[0].links ", "one above the other"},
    {"{" POINT
     ",\n\"objectives\": [{\"kind\": \"pole\",\n\"links\": [\"link1\", \"link2\", \"flange\"]}]}",
     "tasks.json:3: objectives[0].links: link1 and link2 ", "always at the same place"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"damping\", \"pole\": [0, 0, 1]}]}",
     "tasks.json:2: objectives[0].pole: ", "the kind damping has no such field"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"coupling\"}]}",
     "tasks.json:2: objectives[0]: ", "'coefficients' is missing"},
    {"{" POINT ",\n\"objectives\": [{\"kind\": \"coupling\",\n\"coefficients\": {}}]}",
     "tasks.json:3: objectives[0].coefficients are all 0", ""},
    {"{" POINT
     ",\n\"objectives\": [{\"kind\": \"manipulability\", \"task\": {\"kind\": \"line\"}}]}",
     "tasks.json:2: objectives[0].task.kind: ", "position, orientation, pose, not 'line'"},
    {"{" POINT ",\n\"frozen\": [\"joint1\",\n\"base\"]}",
     "tasks.json:3: frozen[1]: ", "there is no joint 'base'"},
    {"{" POINT ",\n\"frozen\": [\"flange_joint\"]}", "tasks.json:2: frozen[0]: ", "it is fixed"},
    {"{" POINT ",\n\"limits\": {\"margin\": -1}}",
     "tasks.json:2: limits.margin: ", "at least 0, not -1"},
    {"{" POINT ",\n\"limits\": {\"lower\": {\"joint1\": 1}, \"upper\": {\"joint1\": 0}}}",
     "tasks.json:2: limits.upper.joint1: ", "its lower limit 1 is above its upper limit 0"},
    {"{" POINT
     ",\n\"limits\": {\"speed_scale\": 0.5,\n\"lower\": {\"joint2\": 0,\n\"joint1\": 3}}}",
     "tasks.json:4: limits.lower.joint1: ", "its lower limit 3 is above its upper limit"},
    {"{" POINT ",\n\"limits\": {\"speeds\": {\"joint1\": 0}}}",
     "tasks.json:2: limits.speeds.joint1", "above 0, not 0"},
};

// Limits of rotations of spherical joints, which the solver would not keep, are refused; those of
// the slides of a free joint are not, nor are speeds and accelerations.
static void limits_of_spherical_joints_are_refused(void **state) {
  (void)state;
#define LIMITED(field, joint, values)                                                              \
  "{\"tasks\": [{\"kind\": \"position\", \"link\": \"hand_l\",\n"                                  \
  "\"target\": {\"position\": [0.3, 0.3, 1.2]}}],\n\"limits\": {\"" field "\": {\"" joint          \
  "\": " values "}}}"
  static const struct {
    const char *text, *place;
  } cases[] = {
      {LIMITED("lower", "neck", "[null, null, -0.5]"),
       "tasks.json:3: limits.lower: joint 'neck': there are none of spherical rotations, but those "
       "of 'swing_twist'"},
      {LIMITED("upper", "neck", "[0.5, 0.5, 0.5]"), "tasks.json:3: limits.upper: joint 'neck': "},
      {LIMITED("lower", "pelvis", "[-5, -5, -5, null, null, null]"), NULL},
      {LIMITED("accelerations", "pelvis", "[1, 1, 1, 2, 2, 2]"), NULL},
      {LIMITED("speeds", "neck", "[1, 1, 1]"), NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    result got = solve("humanoid-cones", cases[i].text);
    assert_int_equal(got.exit_code, cases[i].place ? 2 : 0);
    if (cases[i].place)
      assert_non_null(strstr(got.err, cases[i].place));
    release(&got);
  }
}

// A pole bends the arm to its side; the hand stays at its target.
static void elbow_turns_to_the_pole(void **state) {
  (void)state;
  static const double sides[2] = {1, -1};
  const double none[3] = {0, 0, 0};
  for (int i = 0; i < 2; ++i) {
    char text[1024], q[4096];
    double elbow[3], hand[3];
    snprintf(text, sizeof text,
             "{\"tasks\": [{\"kind\": \"position\", \"link\": \"LeftHand\",\n"
             "  \"chain_root\": \"LeftShoulder\", \"target\": {\"position\": [45, 55, 10]}}],\n"
             " \"objectives\": [{\"kind\": \"pole\", \"links\": [\"LeftArm\", \"LeftForeArm\",\n"
             "  \"LeftHand\"], \"pole\": [0, %g, 0], \"pole_is_direction\": true}]}",
             sides[i]);
    result got = solve(PERSON, text);
    json_t *root = parse_output(&got, 0);
    write_q(json_object_get(root, "q"), q, sizeof q);
    result poses = RUN(W("fk"), W(PERSON), W("--q"), W(q), W("--json"));
    json_t *links = parse_output(&poses, 0);
    point_of(links, "LeftHand", none, hand);
    expect_point(hand, 45, 55, 10, 1e-5);
    point_of(links, "LeftForeArm", none, elbow);
    // The shoulder and the hand are at heights of about 50 and 55.
    assert_true(sides[i] * (elbow[1] - 52) > 10);
    json_decref(links);
    json_decref(root);
    release(&poses);
    release(&got);
  }
}

// The axes that a kind has are read: each free one is a row less.
static void free_axes_are_read(void **state) {
  (void)state;
  static const int rows[] = {1, 2, 4};
  const char *file = write_all(
      "tasks.json", "{\"tasks\": ["
                    "{\"kind\": \"position\", \"link\": \"flange\", \"free_axes\": [\"x\", \"z\"]},"
                    "{\"kind\": \"orientation\", \"link\": \"flange\", \"free_axes\": [\"ry\"]},"
                    "{\"kind\": \"pose\", \"link\": \"flange\", \"free_axes\": [\"y\", \"rz\"]}]}");
  result got = RUN(W("info"), W(ARM), W("--tasks"), W(file), W("--json"));
  json_t *root = parse_output(&got, 0);
  for (int t = 0; t < 3; ++t)
    assert_int_equal(number_of(task_at(root, t), "rows"), rows[t]);
  json_decref(root);
  release(&got);
}

// What was probably meant: a word of the options or of other programs, a field or a kind of another
// object; else all fields that there are.
static const refusal hints[] = {
    {TASK(HAND ", \"position\": [1, 0, 0]"), "tasks[0].position: ", "a field of 'target'"},
    {TASK(HAND ", \"tool\": [0, 0, 1]"), "tasks[0].tool: ", "'point_l' and 'rotation_l'"},
    {TASK(HAND ", \"priority\": 1"), "tasks[0].priority: ", "'level' is the priority"},
    {TASK(HAND ", \"colour\": 1"), "tasks[0].colour: there is no such field; there are kind, ",
     ", link, frame_link, "},
    {TASK("\"kind\": \"orientation\", \"link\": \"flange\", \"target\": {\"quaternion\": [1, 0, 0, "
          "0]}"),
     "tasks[0].target.quaternion: ", "'rotation' takes a quaternion w, x, y, z"},
    {TASK("\"kind\": \"damping\""), "tasks[0].kind: ", "it is a kind of 'objectives'"},
    {TASK("\"kind\": \"com\""), "tasks[0].kind: ", "a 'position' takes \"center_of_mass\": true"},
    {"{\"objectives\": [{\"kind\": \"look_at\"}]}", "objectives[0].kind: ", "a kind of 'tasks'"},
    {"{\"freeze\": [\"joint1\"]}", "tasks.json:1: freeze: ", "'frozen'"},
    {"{\"posture\": \"zero\"}", "tasks.json:1: posture: ", "a kind of 'objectives'"},
    {"{\"margin\": 0.1}", "tasks.json:1: margin: ", "a field of 'limits'"},
    {"{\"limits\": {\"velocity\": {}}}", "limits.velocity: ", "'speeds' are the limits of speed"},
    {"{\"limits\": {\"joint1\": [0, 1]}}",
     "limits.joint1: ", "there are swing_twist, margin, lower"},
    {"{\"frozen\": [\"floating_base\"]}", "frozen[0]: ", "--floating-base adds it"},
};

// Each is one line with the file, the line and the field; nothing else happens.
static void refusals_name_line_and_field(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
    result got = solve(ARM, refusals[i].text);
    if (got.exit_code != 2 || line_count(got.err) != 1)
      fail_msg("case %zu: %s", i, got.err);
    expect_refusal(got, refusals[i].first, refusals[i].second);
  }
  for (size_t i = 0; i < sizeof hints / sizeof hints[0]; ++i)
    expect_refusal(solve(ARM, hints[i].text), hints[i].first, hints[i].second);
}

// A posture may have the value of a coupled joint, as q of 'solve --json' has it, but no other: it
// has no effect. In weights it has no place.
static void coupled_joints_follow_their_drivers(void **state) {
  (void)state;
#define POSTURE(fields)                                                                            \
  "{\"objectives\": [{\"kind\": \"posture\", " fields                                              \
  "}], \"tasks\": [{\"kind\": \"position\", \"link\": \"tip\", \"free_axes\": [\"y\"], "           \
  "\"target\": "                                                                                   \
  "{\"position\": [0.6, 0, 0.5]}}]}"
  result got = solve(two_link_file(), POSTURE("\"posture\": {\"right\": -0.03, \"left\": 0.02}"));
  assert_int_equal(got.exit_code, 0);
  release(&got);
  expect_refusal(solve(two_link_file(), POSTURE("\"posture\": {\"right\": 0.02, \"left\": 0.02}")),
                 "objectives[0].posture.right: it is coupled to left",
                 "at whose value 0.02 it is at -0.03, not 0.02");
  expect_refusal(solve(two_link_file(), POSTURE("\"posture\": {\"right\": 0.02}")),
                 "objectives[0].posture.right: it is coupled to left",
                 "at whose value 0 it is at 0.01, not 0.02");
  expect_refusal(solve(two_link_file(), POSTURE("\"weights\": {\"right\": 1}")),
                 "objectives[0].weights.right: ", "it is coupled to left");
}

// What was written before stays, byte for byte, and nothing is left beside it.
static void refused_files_change_no_output(void **state) {
  (void)state;
  static const char *const refused[] = {
      "{\"tasks\": [{\"kind\": \"position\", \"link\": \"flange\", \"influence\": 2}]}",
      "{\"tasks\": [{\"kind\": \"position\", \"link\": \"flange\", \"frame_link\": \"flange\"}]}",
      "{\"tasks\": [{\"kind\": \"support_polygon\", \"contacts\": [[0, 0, 0], [1, 0, 0]]}]}"};
  static const char *const commands[] = {"track", "batch"};
  const char *targets = write_all("stay.csv", "time,flange.x,flange.y,flange.z\n0,0.4,0.1,0.5\n");
  const char *out = write_all("stay-out.csv", "before\n");
  for (int k = 0; k < 2; ++k)
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
      expect_refusal(RUN(W(commands[k]), W(ARM), W("--tasks"), W(write_all("no.json", refused[i])),
                         W("--targets"), W(targets), W("--out"), W(out)),
                     "no.json:1: tasks[0]", "");
      char *text = read_all(out);
      assert_string_equal(text, "before\n");
      free(text);
      assert_int_equal(access(scratch("stay-out.csv.partial"), F_OK), -1);
      assert_int_equal(access(scratch("stay-out.csv.journal"), F_OK), -1);
    }
}

// Keys and names with brackets, quotes and line breaks in them do not confuse the lines.
static void lines_survive_odd_texts(void **state) {
  (void)state;
  result got = solve(ARM, "{\r\n\"description\": \"a \\\" [{ \\\\\", \"frozen\": [],\n"
                          "\"objectives\": [ ]  ,\n\n"
                          "\"limits\": {\"lower\": {\"joint1\": -1.5e+0 , \"joint2\"\n:\n true}}}");
  expect_refusal(got, "tasks.json:5: limits.lower.joint2: ", "not true");
}

// ---- The schema ----

static json_t *load_schema(void) {
  json_error_t error;
  json_t *schema = json_load_file("docs/task_files.schema.json", 0, &error);
  if (!schema)
    fail_msg("%d: %s", error.line, error.text);
  return schema;
}

static const json_t *properties_of(const json_t *schema, const char *object) {
  const json_t *at =
      object[0] == '\0' ? schema : json_object_get(json_object_get(schema, "$defs"), object);
  assert_true(json_is_false(json_object_get(at, "additionalProperties")));
  return json_object_get(at, "properties");
}

// Names of choices, in order.
static void expect_names(const cli_field *field, const json_t *names) {
  size_t count = 0;
  for (const char *name; (name = field->names(NULL, (int)count)); ++count)
    assert_string_equal(name, json_string_value(json_array_get(names, count)));
  assert_int_equal(count, json_array_size(names));
}

// The schema of one number of a field: of an object from joints to values, that of these; of an
// array, its items'; of one or an array, the first's.
static const json_t *number_schema(const json_t *schema) {
  const json_t *of_joint = json_object_get(schema, "additionalProperties");
  const json_t *inner = json_is_object(of_joint) ? of_joint : json_object_get(schema, "items");
  const json_t *either = json_object_get(inner ? inner : schema, "oneOf");
  inner = either ? json_array_get(either, 0) : inner ? inner : schema;
  return json_object_get(inner, "items") ? json_object_get(inner, "items") : inner;
}

static void expect_range(const cli_field *field, const json_t *schema) {
  const json_t *number = number_schema(schema);
  const bool above = field->least == DBL_MIN;
  assert_near(number_of(number, above ? "exclusiveMinimum" : "minimum"), above ? 0 : field->least,
              0);
  assert_near(number_of(number, "maximum"), field->most, 1e-15);
  const json_t *type = json_object_get(number, "type");
  assert_int_equal(json_is_array(type), field->none != 0);
}

// Each field is in the schema, with its range, length and names.
static void schema_has_every_field(void **state) {
  (void)state;
  json_t *schema = load_schema();
  const cli_task_file_object *object;
  for (int i = 0; (object = cli_task_file_object_at(i)); ++i) {
    const json_t *properties = properties_of(schema, object->name);
    for (int k = 0; k < object->table->count; ++k) {
      const cli_field *field = &object->table->fields[k];
      const json_t *part = json_object_get(properties, field->name);
      if (!part)
        fail_msg("%s.%s is not in the schema", object->name, field->name);
      if (field->names)
        expect_names(field, json_object_get(part, "enum")
                                ? json_object_get(part, "enum")
                                : json_object_get(json_object_get(part, "items"), "enum"));
      if (field->most > field->least && json_is_object(part) && !json_object_get(part, "$ref") &&
          strcmp(field->name, "posture") != 0 && strcmp(field->name, "contacts") != 0)
        expect_range(field, part);
    }
  }
  json_decref(schema);
}

// The page of tasks files names each field.
static void page_names_every_field(void **state) {
  (void)state;
  char *page = read_all("docs/task_files.md");
  const cli_task_file_object *object;
  for (int i = 0; (object = cli_task_file_object_at(i)); ++i)
    for (int k = 0; k < object->table->count; ++k) {
      char name[64];
      snprintf(name, sizeof name, "`%s`", object->table->fields[k].name);
      if (!strstr(page, name))
        fail_msg("docs/task_files.md does not have %s of %s", name, object->name);
    }
  free(page);
}

// And each property of the schema is a field.
static void schema_has_no_other_field(void **state) {
  (void)state;
  json_t *schema = load_schema();
  const cli_task_file_object *object;
  for (int i = 0; (object = cli_task_file_object_at(i)); ++i) {
    const char *name;
    json_t *part;
    json_object_foreach((json_t *)properties_of(schema, object->name), name, part) {
      bool found = false;
      for (int k = 0; k < object->table->count; ++k)
        found = found || strcmp(object->table->fields[k].name, name) == 0;
      if (!found)
        fail_msg("%s.%s is not read", object->name, name);
    }
  }
  json_decref(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(info_describes_tasks),
      cmocka_unit_test(info_takes_any_task),
      cmocka_unit_test(info_measures_tasks),
      cmocka_unit_test(info_prints_joints_of_a_polygon_once),
      cmocka_unit_test(file_is_as_options),
      cmocka_unit_test(two_hands_carry_a_box),
      cmocka_unit_test(camera_inspects_a_part),
      cmocka_unit_test(robot_stands),
      cmocka_unit_test(postures_and_limits_are_obeyed),
      cmocka_unit_test(influences_are_obeyed),
      cmocka_unit_test(levels_are_obeyed),
      cmocka_unit_test(gazes_yield_to_goals),
      cmocka_unit_test(track_is_as_columns_of_links),
      cmocka_unit_test(track_keeps_what_the_file_says),
      cmocka_unit_test(solve_reports_hard_tasks),
      cmocka_unit_test(track_reports_hard_tasks),
      cmocka_unit_test(batch_takes_hard_tasks),
      cmocka_unit_test(batch_looks_at_columns),
      cmocka_unit_test(batch_obeys_the_file),
      cmocka_unit_test(batch_counts_npy_columns),
      cmocka_unit_test(batch_names_the_task),
      cmocka_unit_test(columns_are_checked),
      cmocka_unit_test(rpy_is_an_orientation),
      cmocka_unit_test(options_and_columns_make_a_pose),
      cmocka_unit_test(options_and_a_npy_make_a_pose),
      cmocka_unit_test(no_task_is_told),
      cmocka_unit_test(options_are_as_the_file),
      cmocka_unit_test(posture_may_be_the_start),
      cmocka_unit_test(postures_are_values_too),
      cmocka_unit_test(messages_name_tasks_and_options),
      cmocka_unit_test(options_are_checked),
      cmocka_unit_test(limits_of_spherical_joints_are_refused),
      cmocka_unit_test(elbow_turns_to_the_pole),
      cmocka_unit_test(free_axes_are_read),
      cmocka_unit_test(refusals_name_line_and_field),
      cmocka_unit_test(coupled_joints_follow_their_drivers),
      cmocka_unit_test(refused_files_change_no_output),
      cmocka_unit_test(lines_survive_odd_texts),
      cmocka_unit_test(schema_has_every_field),
      cmocka_unit_test(page_names_every_field),
      cmocka_unit_test(schema_has_no_other_field),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
