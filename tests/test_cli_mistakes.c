// Inputs that are valid but probably not meant, which the program warns of in one line: degrees,
// millimetres, quaternions far from unit length, values outside limits, names of joints for links.
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
#include "sinew/math.h"

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (; (text = strstr(text, part)); ++text)
    ++count;
  return count;
}

// One warning in one line, with these words; the exit code is not 2.
static void expect_warning(result got, const char *first, const char *second) {
  if (got.exit_code == 2 || count_of(got.err, "sinew: warning: ") != 1 ||
      !strstr(got.err, "sinew: warning: ") || !strstr(got.err, first) || !strstr(got.err, second))
    fail_msg("exit %d, not one warning of '%s' and '%s': %s", got.exit_code, first, second,
             got.err);
  const char *warning = strstr(got.err, "sinew: warning: "), *end = strchr(warning, '\n');
  assert_non_null(end);
  assert_true(strstr(warning, first) < end && strstr(warning, second) < end);
  release(&got);
}

static void expect_no_warning(result got) {
  if (got.exit_code == 2 || strstr(got.err, "warning"))
    fail_msg("exit %d: %s", got.exit_code, got.err);
  release(&got);
}

static result solve(const char *option, const char *value, const char *seed) {
  return RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W(option), W(value), W("--seed"),
             W(seed));
}

#define PLACE "--position", "0.6,0,0.6"

// ---- Values ----

static void values_outside_limits_are_told(void **state) {
  (void)state;
  expect_no_warning(solve(PLACE, "2.4,6.2,0.03"));
  // Limits are copied with few digits.
  expect_no_warning(solve(PLACE, "2.502,0,0.04"));
  expect_warning(solve(PLACE, "2.6,0,0"), "--seed: shoulder is 2.6 rad", "upper limit of 2.5\n");
  expect_warning(solve(PLACE, "-1.6,0,0"), "shoulder is -1.6 rad", "lower limit of -1.5\n");
  expect_warning(solve(PLACE, "0,0,0.05"), "left is 0.05 m", "upper limit of 0.04\n");
  // Only the first is named.
  expect_warning(solve(PLACE, "-1.6,0,0.05"), "shoulder", "lower");
  const char *model = two_link_file();
  expect_warning(RUN(W("fk"), W(model), W("--q"), W("3,0,0")), "--q: shoulder is 3 rad", "limit");
  const char *targets = write_all("t.csv", "time,tip.x,tip.y,tip.z\n0,0.6,0,0.6\n");
  expect_warning(RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W("-"),
                     W("--seed"), W("3,0,0")),
                 "--seed: shoulder is 3 rad", "limit");
  const char *rows =
      write_all("s.csv", "x,y,z,seed.shoulder,seed.elbow,seed.left\n.6,0,.6,0,0,0\n.6,0,.6,0,0,1\n"
                         ".6,0,.6,9,0,0\n");
  expect_warning(RUN(W("batch"), W(model), W("--tip"), W("tip"), W("--targets"), W(rows),
                     W("--out"), W("-"), W("--bank"), W("0")),
                 "s.csv:3: row 1 (from 0): seed: left is 1 m", "upper limit");
  const char *motion =
      write_all("m.csv", "time,shoulder,elbow,left\n0,1,1,0\n1,1,40,0\n2,1,1,0\n3,-2,1,0\n");
  expect_warning(RUN(W("fk"), W(model), W("--motion"), W(motion)), "m.csv:5: shoulder is -2 rad",
                 "lower limit");
}

// Postures and seeds are checked against the limits in force: those of a tasks file, wider or
// narrower, replace those of the model.
static void values_are_checked_against_limits_in_force(void **state) {
  (void)state;
  static const struct {
    const char *upper, *value, *said;
  } cases[] = {{"3.1", "3", NULL},
               {"3.1", "3.2", "upper limit of 3.1\n"},
               {"null", "3", NULL},
               {"1", "2", "upper limit of 1\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[256], values[64], words[64], rows[128];
    const char *value = cases[i].value, *model = two_link_file();
#define UPPER "{\"limits\": {\"upper\": {\"shoulder\": %s}}"
    snprintf(text, sizeof text, UPPER "}", cases[i].upper);
    const char *limits = write_all("limits.json", text);
    snprintf(text, sizeof text,
             UPPER ", \"objectives\": [{\"kind\": \"posture\", \"posture\": {\"shoulder\": %s}}]}",
             cases[i].upper, value);
    snprintf(values, sizeof values, "%s,0,0", value);
    snprintf(words, sizeof words, "shoulder is %s rad", value);
    snprintf(rows, sizeof rows, "x,y,z,seed.shoulder,seed.elbow,seed.left\n.6,0,.6,%s\n", values);
    const char *targets = write_all("t.csv", "time,tip.x,tip.y,tip.z\n0,0.6,0,0.6\n");
#define TO_PLACE(path)                                                                             \
  W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0.6,0,0.6"), W("--tasks"), W(path)
    result got[] = {RUN(TO_PLACE(write_all("posture.json", text))),
                    RUN(TO_PLACE(limits), W("--seed"), W(values)),
                    RUN(W("track"), W(model), W("--tip"), W("tip"), W("--tasks"), W(limits),
                        W("--targets"), W(targets), W("--out"), W("-"), W("--seed"), W(values)),
                    RUN(W("batch"), W(model), W("--tip"), W("tip"), W("--tasks"), W(limits),
                        W("--targets"), W(write_all("s.csv", rows)), W("--out"), W("-"))};
    for (size_t k = 0; k < sizeof got / sizeof got[0]; ++k)
      if (cases[i].said)
        expect_warning(got[k], words, cases[i].said);
      else
        expect_no_warning(got[k]);
  }
}

// Angles in degrees, for a joint with limits and for one without; distances in millimetres.
static void degrees_are_told(void **state) {
  (void)state;
  expect_warning(solve(PLACE, "90,0,0"), "shoulder is 90 rad", "are these degrees?");
  expect_warning(solve(PLACE, "0,-45,0"), "elbow is -45 rad", "are these degrees?");
  expect_warning(solve(PLACE, "0,0,30"), "left is 30 m", "are these millimetres?");
  expect_no_warning(solve(PLACE, "0,-6.2,0"));
  // 170 degrees are outside the shoulder's limits too.
  expect_warning(solve(PLACE, "170,0,0"), "shoulder", "upper limit of 2.5\n");
  // Limits of several turns are meant.
  const char *turns = write_all(
      "turns.urdf", "<robot name='r'><link name='a'/><link name='b'/><joint name='j' "
                    "type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/><limit "
                    "lower='-10' upper='10' effort='1' velocity='1'/></joint></robot>");
  expect_no_warning(RUN(W("fk"), W(turns), W("--q"), W("-9")));
  expect_warning(RUN(W("fk"), W(turns), W("--q"), W("-90")), "j is -90 rad", "degrees?");
  result got = RUN(W("fk"), W(two_bones_file()), W("--q"), W("0,0,0,30,0,0,0,0,0"));
  expect_warning(got, "Hip.rz is 30 rad", "are these degrees?");
}

static result solve_file(const char *text) {
  return RUN(W("solve"), W(two_link_file()), W("--tasks"), W(write_all("t.json", text)));
}

#define REACH                                                                                      \
  "{\"tasks\": [{\"kind\": \"position\", \"link\": \"tip\",\n"                                     \
  "\"target\": {\"position\": [0.6, 0, 0.6]}%s}]%s}"

// In the angles of --rpy, and in postures, limits and tools of a file or of options.
static void other_units_are_told_everywhere(void **state) {
  (void)state;
  expect_warning(solve("--rpy", "180,0,0", "zero"), "--rpy: 180 rad", "are these degrees?");
  expect_no_warning(solve("--rpy", "3.2,-6.2,0", "zero"));
  expect_warning(RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                     W("0.6,0,0.6"), W("--tool"), W("0,0,100,1,0,0,0")),
                 "--tip tip: the tool is 100 m", "are these millimetres?");
  expect_no_warning(RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                        W("0.6,0,0.6"), W("--tool"), W("0,0,0.1,1,0,0,0")));
  static const struct {
    const char *of_task, *of_file, *first, *second;
  } cases[] = {
      {"", ",\n\"objectives\": [{\"kind\": \"posture\", \"posture\": {\"shoulder\": 90}}]",
       "t.json:3: objectives[0].posture: shoulder is 90 rad", "are these degrees?"},
      {"", ", \"limits\": {\"upper\": {\"shoulder\": 90}}",
       "t.json:2: limits.upper.shoulder: it is 90 rad, above the model's upper limit of 2.5",
       ": are these degrees?\n"},
      {"", ", \"limits\": {\"lower\": {\n\"shoulder\": -80}}",
       "t.json:3: limits.lower.shoulder: it is -80 rad, below the model's lower limit of -1.5",
       ": are these degrees?\n"},
      {", \"point_l\": [0, 0, 100]", "", "tasks[0]: the tool is 100 m", "are these millimetres?"},
      {", \"point_l\": [0, 0, 0.1]", "", NULL, NULL},
      {"", ", \"limits\": {\"upper\": {\"shoulder\": 1.6, \"elbow\": null}}", NULL, NULL},
      {"", ", \"objectives\": [{\"kind\": \"posture\", \"posture\": {\"shoulder\": 0.3}}]", NULL,
       NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[512];
    snprintf(text, sizeof text, REACH, cases[i].of_task, cases[i].of_file);
    if (cases[i].first)
      expect_warning(solve_file(text), cases[i].first, cases[i].second);
    else
      expect_no_warning(solve_file(text));
  }
}

// ---- Words ----

// What was probably meant is named in the words of the options and fields that were used.
static void messages_name_what_was_used(void **state) {
  (void)state;
  char text[512];
#define ARM_TO W("models/arm7.urdf"), W("--tip"), W("flange"), W("--position"), W("0.4,0.1,0.5")
  expect_refusal(RUN(W("solve"), ARM_TO, W("--root"), W("flange"), W("--frame"), W("flange")),
                 "--tip flange: --", " is ");
  expect_refusal(RUN(W("solve"), ARM_TO, W("--frame"), W("flange")),
                 "--tip flange: --frame is the link itself", "");
  expect_refusal(RUN(W("solve"), ARM_TO, W("--frame"), W("link2"), W("--tip"), W("link2"),
                     W("--frame"), W("flange"), W("--rpy"), W("0,0,0")),
                 "--tip link2: --frame: 'link2' is relative to 'flange'", "in a cycle");
  expect_refusal(RUN(W("solve"), ARM_TO, W("--frame"), W("lnk2")),
                 "--frame: there is no link 'lnk2'; did you mean 'link2'", "");
  expect_refusal(RUN(W("solve"), ARM_TO, W("--root"), W("joint2")),
                 "--root: there is no link 'joint2'; 'joint2' is a joint", "");
  expect_refusal(RUN(W("solve"), W("models/humanoid.bvh"), W("--tip"), W("LeftHand"),
                     W("--position"), W("40,50,20"), W("--root"), W("LeftToes")),
                 "--tip LeftHand: --root is not above the link", "");
  expect_refusal(RUN(W("solve"), ARM_TO, W("--posture"), W("rest")), "--posture: rest: ",
                 "it takes a file, 'zero', 'middle', 'start', or joint values\n");
  expect_refusal(RUN(W("solve"), ARM_TO, W("--posture"), W("midle")),
                 "--posture: midle: ", "or joint values; did you mean 'middle'?\n");
  expect_refusal(RUN(W("solve"), ARM_TO, W("--posture"), W("zero,1")),
                 "--posture: zero,1: ", "; did you mean 'zero'?\n");
  expect_refusal(RUN(W("solve"), ARM_TO, W("--posture"), W("0,0,1")), "--posture takes 7 numbers",
                 "not 3");
  expect_refusal(RUN(W("batch"), ARM_TO, W("--look-at")), "batch: --look-at and", "two points");
  expect_refusal(RUN(W("info"), W("chain-N")), "chain-N: ", "a number stands in place of N");
  expect_no_warning(RUN(W("solve"), ARM_TO, W("--freeze"), W("joint1, joint2")));
  snprintf(text, sizeof text, REACH, ", \"weight\": 2", "");
  expect_refusal(solve_file(text),
                 "tasks[0].weight: ", "did you mean 'position_weight' or 'orientation_weight'?");
  expect_refusal(solve_file("{\"tasks\": [{\"kind\": \"orientation\", \"link\": \"tip\",\n"
                            "\"target\": {\"rpy\": [0, 0, 0]}}]}"),
                 "t.json:2: tasks[0].target.rpy: ", "'rotation' takes a quaternion w, x, y, z");
  expect_refusal(RUN(W("solve"), W("no/such.urdf"), W("--tip"), W("flange")),
                 "no/such.urdf: ", "no such file");
  snprintf(text, sizeof text, "\xef\xbb\xbf" REACH, "", "");
  expect_no_warning(solve_file(text));
  const char *aims =
      write_all("a.json", "{\"tasks\": [{\"kind\": \"position\", \"name\": \"aim\",\n"
                          "\"link\": \"flange\"}]}");
  const char *targets = write_all("a.csv", "time,aim.x,aim.y,am.z\n0,1,1,1\n");
  expect_refusal(RUN(W("track"), W("models/arm7.urdf"), W("--tasks"), W(aims), W("--targets"),
                     W(targets), W("--out"), W("-")),
                 "no task or link 'am'; did you mean 'aim'?", "");
}

// ---- Quaternions ----

static void quaternions_far_from_unit_length_are_told(void **state) {
  (void)state;
  static const double norms[] = {0.02, 0.5, 0.98, 0.995, 1, 1.005, 1.02, 5, 1e3};
  const char *model = two_link_file(), *out = scratch("norm.csv");
  for (size_t i = 0; i < sizeof norms / sizeof norms[0]; ++i) {
    const double n = norms[i], w = 0.6 * n, y = -0.8 * n;
    char value[128], pose[160], text[512], said[64];
    snprintf(value, sizeof value, "%.17g,0,%.17g,0", w, y);
    snprintf(pose, sizeof pose, "0.6,0,0.6,%s", value);
    snprintf(said, sizeof said, "the norm %g and is scaled to 1", n);
    result got[4] = {solve("--orientation", value, "zero"), solve("--pose", pose, "zero")};
    snprintf(text, sizeof text, "time,tip.qw,tip.qx,tip.qy,tip.qz\n0,%s\n1,%s\n", value, value);
    const char *targets = write_all("turns.csv", text);
    got[2] = RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W(out));
    snprintf(text, sizeof text, "qw,qx,qy,qz\n1,0,0,0\n%s\n%s\n", value, value);
    const char *rows = write_all("rows.csv", text);
    got[3] = RUN(W("batch"), W(model), W("--tip"), W("tip"), W("--targets"), W(rows), W("--out"),
                 W("-"), W("--bank"), W("0"));
    const char *const places[] = {"--tip tip: orientation: ", "--tip tip: pose: ",
                                  "turns.csv:2: tip: ", "rows.csv:3: row 1 (from 0): tip: "};
    for (int k = 0; k < 4; ++k) {
      if (fabs(n - 1) < 0.01) {
        expect_no_warning(got[k]);
        continue;
      }
      assert_non_null(strstr(got[k].err, "its order is w,x,y,z"));
      expect_warning(got[k], said, places[k]);
    }
  }
  // In joint values too.
  expect_warning(RUN(W("fk"), W("chain-2"), W("--q"), W("1,0,0,0,0,3,0,4")), "--q", "the norm 5");
  expect_no_warning(RUN(W("fk"), W("chain-2"), W("--q"), W("1,0,0,0,0,0.6,0,0.8")));
}

// ---- Targets in another unit ----

static result solve_at(const char *model, const char *tip, double x, double y, double z) {
  char text[128];
  snprintf(text, sizeof text, "%.17g,%.17g,%.17g", x, y, z);
  return RUN(W("solve"), W(model), W("--tip"), W(tip), W("--position"), W(text), W("--max-starts"),
             W("2"));
}

// Targets up to twice the size away are told in millimetres, and most in centimetres; in metres
// none is, in reach or out of it.
static void targets_in_other_units_are_told(void **state) {
  (void)state;
  static const char *const models[][2] = {{"models/arm7.urdf", "flange"}, {"arm6", "flange"}};
  for (size_t m = 0; m < sizeof models / sizeof models[0]; ++m) {
    result info = RUN(W("info"), W(models[m][0]), W("--json"));
    json_t *root = parse_output(&info, 0);
    const double size = number_of(root, "size");
    const char *tip = json_string_value(json_array_get(json_object_get(root, "effectors"), 0));
    for (uint64_t i = 0; i < 12; ++i) {
      const double distance = size * (0.25 + 1.75 * sinew_random_uniform(i, 0));
      const double angle = 6.28 * sinew_random_uniform(i, 1);
      const double x = distance * cos(angle), z = distance * sin(angle);
      expect_no_warning(solve_at(models[m][0], tip, x, 0, z));
      expect_warning(solve_at(models[m][0], tip, 1e3 * x, 0, 1e3 * z),
                     "position: ", "are these millimetres?");
      if (distance < 0.9 * size)
        expect_warning(solve_at(models[m][0], tip, 100 * x, 0, 100 * z), "from the root link",
                       "are these centimetres?");
    }
    json_decref(root);
    release(&info);
  }
  // In files, once.
  const char *model = two_link_file();
  const char *targets =
      write_all("far.csv", "time,tip.x,tip.y,tip.z\n0,1,0,0\n1,600,0,0\n2,610,0,0\n");
  expect_warning(RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W("-")),
                 "far.csv:3: tip: the target is 600 m", "500 times the size");
  const char *rows = write_all("far.csv", "x,y,z\n1,0,0\n600,0,0\n610,0,0\n");
  expect_warning(RUN(W("batch"), W(model), W("--tip"), W("tip"), W("--targets"), W(rows),
                     W("--out"), W("-"), W("--bank"), W("0")),
                 "far.csv:3: row 1 (from 0): tip: the target is 600 m", "millimetres?");
}

// What can go there is not warned of: a floating base, the root of a BVH, a long slide.
static void far_targets_in_reach_are_not_told(void **state) {
  (void)state;
  expect_no_warning(RUN(W("solve"), W(two_link_file()), W("--floating-base"), W("--tip"), W("tip"),
                        W("--position"), W("400,200,300")));
  expect_no_warning(solve_at(two_bones_file(), "Knee_end", 4000, 2000, 100));
  const char *rail = write_all(
      "rail.urdf", "<robot name='rail'><link name='a'/><link name='b'/><link name='c'/>"
                   "<joint name='slide' type='prismatic'><parent link='a'/><child link='b'/>"
                   "<limit lower='0' upper='900' effort='1' velocity='1'/></joint>"
                   "<joint name='turn' type='continuous'><parent link='b'/><child link='c'/>"
                   "<origin xyz='0 0 0.5'/></joint></robot>");
  expect_no_warning(solve_at(rail, "c", 800, 0, 0.5));
}

// ---- Names ----

static void names_of_joints_are_recognized(void **state) {
  (void)state;
  const char *model = two_link_file();
  static const char said[] = "'elbow' is a joint, and moves the link 'fore'\n";
  result got = RUN(W("fk"), W(model), W("--tip"), W("elbow"));
  assert_int_equal(line_count(got.err), 1);
  expect_refusal(got, "there is no link 'elbow'; ", said);
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("elbow"), W("--position"), W("1,0,0")),
                 "there is no link 'elbow'; ", said);
  expect_refusal(
      RUN(W("batch"), W(model), W("--tip"), W("elbow"), W("--targets"), W("t"), W("--out"), W("o")),
      "there is no link 'elbow'; ", said);
  const char *targets = write_all("joint.csv", "time,elbow.x,elbow.y,elbow.z\n0,1,0,0\n");
  expect_refusal(RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W("-")),
                 "joint.csv:1: column 2: there is no link 'elbow'; ", said);
  const char *rows = write_all("joint.csv", "elbow.x,elbow.y,elbow.z\n1,0,0\n");
  expect_refusal(
      RUN(W("batch"), W(model), W("--tip"), W("fore"), W("--targets"), W(rows), W("--out"), W("-")),
      "column 1, 'elbow.x': its link is not one of --tip; ", said);
}

static void names_of_links_are_recognized(void **state) {
  (void)state;
  const char *model = two_link_file();
  static const char said[] = "'fore' is a link, which the joint 'elbow' moves\n";
  const char *rows = write_all("link.csv", "x,y,z,seed.fore\n1,0,0,0\n");
  expect_refusal(
      RUN(W("batch"), W(model), W("--tip"), W("tip"), W("--targets"), W(rows), W("--out"), W("-")),
      "column 4, 'seed.fore': ", said);
  const char *motion = write_all("link.csv", "time,fore\n0,0\n");
  expect_refusal(RUN(W("fk"), W(model), W("--motion"), W(motion)),
                 "column 2 is not the value of a joint; ", said);
}

// ---- Options ----

// A message speaks of options, with the unit of their values; and nothing is computed for a file in
// a folder that does not exist.
static void messages_name_options_and_units(void **state) {
  (void)state;
  const char *model = two_link_file(), *nowhere = scratch("no-such-folder/out.csv");
  const char *targets = write_all("still.csv", "time,tip.x,tip.y,tip.z\n0,1,0,0.4\n1,1,0,0.4\n");
  static const char *const cases[][3] = {
      {"--tolerance", "1e-20", "below"},
      {"--time-limit", "-1", "above 0 [s], not '-1'"},
      {"--max-starts", "0", "a whole number of at least 1, not '0'"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0.6,0,0.6"),
                       W(cases[i][0]), W(cases[i][1])),
                   cases[i][0], cases[i][2]);
  expect_refusal(RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W(nowhere)),
                 "no-such-folder/out.csv", "the folder to write to does not exist");
  expect_refusal(RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"),
                     W(scratch("escape.csv")), W("--escape"), W("--method"), W("dls")),
                 "track: --escape", "is for --method default");
}

// What both the reader and the model find is told once.
static void warnings_are_told_once(void **state) {
  (void)state;
  const char *model = write_all(
      "gripper.urdf",
      "<robot name='g'><link name='a'/><link name='b'/><link name='c'/>"
      "<joint name='left' type='revolute'><parent link='a'/><child link='b'/>"
      "<limit lower='0' upper='0.8' velocity='1' effort='1'/></joint>"
      "<joint name='right' type='revolute'><parent link='a'/><child link='c'/>"
      "<limit lower='-0.8' upper='0' velocity='1' effort='1'/><mimic joint='left'/></joint>"
      "</robot>");
  result got = RUN(W("info"), W(model));
  assert_int_equal(got.exit_code, 0);
  assert_int_equal(count_of(got.err, "sinew: warning: "), 1);
  assert_non_null(strstr(got.err, "\"right\": its limits leave its driver \"left\" no room"));
  release(&got);
}

static result track(const char *model, const char *option, const char *value, const char *out) {
  const char *targets =
      write_all("moving.csv", "time,tip.x,tip.y,tip.z\n0,0.6,0,0.6\n0.1,0.61,0,0.6\n");
  return RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W(scratch(out)),
             W(option), W(value));
}

// A margin that leaves a joint no range, degrees or not; one that does not is not told.
static void margins_are_told(void **state) {
  (void)state;
  expect_no_warning(solve(PLACE, "0,0,0"));
  expect_no_warning(RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                        W("0.6,0,0.6"), W("--margin"), W("0.01")));
  expect_warning(RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                     W("0.6,0,0.6"), W("--margin"), W("5")),
                 "a margin of 5 leaves shoulder no range", "4 rad apart: are these degrees?");
  expect_warning(track(two_link_file(), "--margin", "500", "margin.csv"),
                 "a margin of 500 leaves shoulder no range", "4 rad apart\n");
}

static result batch(const char *file) {
  const char *targets = write_all("place.csv", "x,y,z\n0.6,0,0.6\n");
  return RUN(W("batch"), W(two_link_file()), W("--tip"), W("tip"), W("--tasks"), W(file),
             W("--targets"), W(targets), W("--out"), W(scratch("place-out.csv")), W("--bank"),
             W("0"));
}

// A margin of a tasks file as well, by the limits that are in force. A joint that has no range
// without the margin is not told: such limits hold it in place.
static void margins_of_files_are_told(void **state) {
  (void)state;
  static const struct {
    const char *limits, *said;
  } cases[] = {
      {"\"margin\": 0.01", NULL},
      {"\"margin\": 5", "a margin of 5 leaves shoulder no range: its limits are 4 rad apart: are "},
      {"\"margin\": 0.4, \"lower\": {\"shoulder\": -0.2}, \"upper\": {\"shoulder\": 0.4}",
       "a margin of 0.4 leaves shoulder no range: its limits are 0.6 rad apart"},
      {"\"margin\": 0.2, \"lower\": {\"shoulder\": -0.2}, \"upper\": {\"shoulder\": 0.4}", NULL},
      {"\"margin\": 3, \"upper\": {\"shoulder\": null}", NULL},
      {"\"margin\": 0.1, \"lower\": {\"shoulder\": 0}, \"upper\": {\"shoulder\": 0}", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[256];
    snprintf(text, sizeof text, "{\"limits\": {%s}}", cases[i].limits);
    const char *file = write_all("margin.json", text);
    result got[] = {RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                        W("0.6,0,0.6"), W("--tasks"), W(file)),
                    batch(file), track(two_link_file(), "--tasks", file, "file.csv")};
    for (int k = 0; k < 3; ++k)
      if (cases[i].said)
        expect_warning(got[k], cases[i].said, "rad apart");
      else
        expect_no_warning(got[k]);
  }
}

// One of a model without limits has no effect, unless the file has limits.
static void margins_without_limits_are_told(void **state) {
  (void)state;
  static const char *const files[] = {
      "{}", "{\"limits\": {\"swing_twist\": {\"ball1\": {\"lower\": [-1, -1, -1], "
            "\"upper\": [1, 1, 1]}}}}"};
  for (int i = 0; i < 2; ++i) {
    result got =
        RUN(W("solve"), W("chain-2"), W("--tip"), W("tip"), W("--position"), W("0.5,0,0.6"),
            W("--tasks"), W(write_all("none.json", files[i])), W("--margin"), W("0.1"));
    if (i == 0)
      expect_warning(got, "a margin of limits has no effect", "no joint has limits");
    else // it narrows those of swing and twist
      expect_no_warning(got);
  }
  const char *turns = write_all(
      "any.urdf", "<robot name='r'><link name='a'/><link name='b'/><joint name='j' "
                  "type='continuous'><parent link='a'/><child link='b'/></joint></robot>");
  const char *limited = write_all("some.json", "{\"limits\": {\"margin\": 0.1, \"upper\": "
                                               "{\"j\": 1}}}");
  expect_no_warning(RUN(W("solve"), W(turns), W("--tip"), W("b"), W("--rpy"), W("0.5,0,0"),
                        W("--tasks"), W(limited)));
}

// An option replaces the file's margin, and is judged by the file's limits.
static void margins_of_options_replace_those_of_files(void **state) {
  (void)state;
  const char *file = write_all("margin.json", "{\"limits\": {\"margin\": 5, \"upper\": "
                                              "{\"shoulder\": -0.5}}}");
  static const char *const margins[] = {"0.4", "0.6"};
  for (int i = 0; i < 2; ++i) {
    result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                     W("0.6,0,0.6"), W("--tasks"), W(file), W("--margin"), W(margins[i]));
    if (i == 0)
      expect_no_warning(got);
    else
      expect_warning(got, "a margin of 0.6 leaves shoulder no range", "1 rad apart");
  }
}

static void speeds_without_limits_are_told(void **state) {
  (void)state;
  static const char model[] =
      "<robot name='r'><link name='root'/><link name='tip'/><joint name='j' type='revolute'>"
      "<parent link='root'/><child link='tip'/><axis xyz='0 0 1'/>"
      "<limit lower='-1' upper='1' effort='1' velocity='%s'/></joint></robot>";
  char text[512];
  for (int limited = 0; limited < 2; ++limited) {
    snprintf(text, sizeof text, model, limited ? "2" : "0");
    result got =
        track(write_all(limited ? "fast.urdf" : "any.urdf", text), "--speed", "0.5", "speed.csv");
    if (limited)
      expect_no_warning(got);
    else
      expect_warning(got, "a scale of speed limits has no effect", "no speed limits");
    static const char *const scales[] = {"{\"limits\": {\"speed_scale\": 0.5}}",
                                         "{\"limits\": {\"speed_scale\": 0.5, \"speeds\": "
                                         "{\"j\": 1}}}"};
    for (int own = 0; own < 2; ++own) {
      got = track(write_all("robot.urdf", text), "--tasks", write_all("speed.json", scales[own]),
                  "speed.csv");
      if (limited || own)
        expect_no_warning(got);
      else
        expect_warning(got, "a scale of speed limits has no effect", "no speed limits");
    }
  }
}

// A link that no joint moves, once for all of its targets.
static void links_that_no_joint_moves_are_told(void **state) {
  (void)state;
  expect_warning(RUN(W("solve"), W(two_link_file()), W("--tip"), W("base"), W("--position"),
                     W("0.6,0,0.6"), W("--tip"), W("base"), W("--orientation"), W("1,0,0,0")),
                 "no joint moves base", "stays where it is\n");
  const char *targets = write_all("still.csv", "x,y,z\n0,0,0\n0.1,0,0\n");
  expect_warning(RUN(W("batch"), W(two_link_file()), W("--tip"), W("base"), W("--targets"),
                     W(targets), W("--out"), W(scratch("still-out.csv"))),
                 "batch: no joint moves base", "stays");
  // Seen from a link that moves it does.
  expect_no_warning(RUN(W("solve"), W(two_link_file()), W("--tip"), W("base"), W("--frame"),
                        W("tip"), W("--position"), W("0.1,0,0.4")));
}

// Two tasks of one point on one level are told, unless they ask for the same or for different axes.
static void two_tasks_of_one_point_are_told(void **state) {
  (void)state;
#define FIXED "\"kind\": \"position\", \"link\": \"tip\", \"target\": {\"position\": [0.6, 0, 0.6]}"
#define MOVED "\"kind\": \"position\", \"link\": \"tip\", \"target\": {\"position\": [0.5, 0, 0.6]}"
  static const struct {
    const char *other, *warning; // NULL: none
  } cases[] = {
      {MOVED, "'other' (%s:2: tasks[1]) give one point two positions"},
      {FIXED, NULL},
      {MOVED ", \"level\": 1", NULL},
      {MOVED ", \"level\": 1, \"required\": true", NULL},
      {MOVED ", \"point_l\": [0.1, 0, 0]", NULL},
      {MOVED ", \"frame_link\": \"base\"", NULL},
      {MOVED ", \"free_axes\": [\"x\"]", NULL},
      {MOVED ", \"influence\": 0.5", NULL},
      {MOVED ", \"required\": false", NULL},
      {MOVED ", \"position_weight\": 0", NULL},
      {"\"kind\": \"orientation\", \"link\": \"tip\", \"target\": {\"rotation\": [1, 0, 0, 0]}",
       NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[1024], second[1024];
    snprintf(text, sizeof text,
             "{\"tasks\": [{\"name\": \"hand\", " FIXED "},\n{\"name\": \"other\", %s}]}",
             cases[i].other);
    const char *tasks = write_all("twice.json", text);
    const result got = RUN(W("solve"), W(two_link_file()), W("--tasks"), W(tasks));
    if (cases[i].warning == NULL) {
      expect_no_warning(got);
    } else {
      snprintf(second, sizeof second, cases[i].warning, tasks);
      expect_warning(got, "solve: 'hand' (", second);
    }
  }
  const char *tasks = write_all("hand.json", "{\"tasks\": [{\"name\": \"hand\", " FIXED "}]}");
  const char *of_link = write_all("link.csv", "time,tip.x,tip.y,tip.z\n0,0.5,0,0.6\n");
  expect_warning(RUN(W("track"), W(two_link_file()), W("--tasks"), W(tasks), W("--targets"),
                     W(of_link), W("--out"), W(scratch("twice-out.csv"))),
                 "'hand' (", "the columns of link 'tip' give one point two positions");
  const char *of_task = write_all("task.csv", "time,hand.x,hand.y,hand.z\n0,0.5,0,0.6\n");
  expect_no_warning(RUN(W("track"), W(two_link_file()), W("--tasks"), W(tasks), W("--targets"),
                        W(of_task), W("--out"), W(scratch("twice-out.csv"))));
#undef FIXED
#undef MOVED
}

// What cannot be done is refused with what to do instead.
static void refusals_name_the_way(void **state) {
  (void)state;
  result got = track(two_link_file(), "--updates", "1", "robot.bvh");
  assert_int_equal(got.exit_code, 2);
  assert_non_null(strstr(got.err, "write a CSV, --out FILE.csv"));
  release(&got);
  for (int first = 0; first < 2; ++first) {
    static const char *const options[] = {"--position", "--look-at"};
    got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W(options[first]),
              W("0.6,0,0.6"), W(options[1 - first]), W("1,0,0"));
    assert_int_equal(got.exit_code, 2);
    assert_non_null(strstr(got.err, "two points: repeat --tip tip before"));
    assert_non_null(strstr(got.err, options[1 - first]));
    release(&got);
  }
  got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"), W("0.6,0,0.6"),
            W("--position"), W("0.6,0,0.6"));
  assert_int_equal(got.exit_code, 2);
  assert_non_null(strstr(got.err, "has a target already"));
  release(&got);
  got = RUN(W("experiment"), W("list"));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, "trackers"));
  release(&got);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_outside_limits_are_told),
      cmocka_unit_test(values_are_checked_against_limits_in_force),
      cmocka_unit_test(degrees_are_told),
      cmocka_unit_test(quaternions_far_from_unit_length_are_told),
      cmocka_unit_test(targets_in_other_units_are_told),
      cmocka_unit_test(far_targets_in_reach_are_not_told),
      cmocka_unit_test(names_of_joints_are_recognized),
      cmocka_unit_test(names_of_links_are_recognized),
      cmocka_unit_test(messages_name_options_and_units),
      cmocka_unit_test(warnings_are_told_once),
      cmocka_unit_test(margins_are_told),
      cmocka_unit_test(margins_of_files_are_told),
      cmocka_unit_test(margins_without_limits_are_told),
      cmocka_unit_test(margins_of_options_replace_those_of_files),
      cmocka_unit_test(speeds_without_limits_are_told),
      cmocka_unit_test(links_that_no_joint_moves_are_told),
      cmocka_unit_test(two_tasks_of_one_point_are_told),
      cmocka_unit_test(refusals_name_the_way),
      cmocka_unit_test(other_units_are_told_everywhere),
      cmocka_unit_test(messages_name_what_was_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
