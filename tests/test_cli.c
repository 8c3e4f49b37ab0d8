// The program sinew: usage, info, fk, CSV and files.
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli_run.h"

#define PATH_SIZE 1024

// ---- Help, version, usage ----

static void help_names_every_command(void **state) {
  (void)state;
  static const char *const commands[] = {"info", "fk", "solve"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
    result got = RUN(W(commands[i]), W("--help"));
    assert_int_equal(got.exit_code, 0);
    assert_string_equal(got.err, "");
    assert_non_null(strstr(got.out, "usage: sinew "));
    assert_non_null(strstr(got.out, commands[i]));
    assert_non_null(strstr(got.out, "examples:"));
    assert_non_null(strstr(got.out, "rad"));
    release(&got);
  }
  result got = RUN(W("--help"));
  assert_int_equal(got.exit_code, 0);
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i)
    assert_non_null(strstr(got.out, commands[i]));
  release(&got);
}

// Runs a command line in a shell in the scratch folder, with this build's sinew, models/ and
// examples/.
static void run_example(const char *line) {
  char command[4 * PATH_SIZE];
  snprintf(command, sizeof command,
           "sinew() { \"$SINEW_PROGRAM\" \"$@\"; }; cd \"$SINEW_SCRATCH_DIR\" && "
           "ln -sfn \"$SINEW_SOURCE_DIR/models\" models && "
           "ln -sfn \"$SINEW_SOURCE_DIR/examples\" examples && %s >cli-stdout",
           line);
  if (system(command) != 0)
    fail_msg("this example failed: %s", line);
}

// The examples in the help work.
static void help_examples_work(void **state) {
  (void)state;
  static const char *const commands[] = {"info", "fk", "solve", "track"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
    result got = RUN(W(commands[i]), W("--help"));
    char *line = strstr(got.out, "examples:\n");
    assert_non_null(line);
    int count = 0;
    for (line = strtok(line, "\n"); (line = strtok(NULL, "\n")); ++count) {
      // A line that ends in a backslash continues in the next one.
      char whole[PATH_SIZE];
      size_t length = strlen(line);
      char *next = line[length - 1] == '\\' ? strtok(NULL, "\n") : NULL;
      snprintf(whole, sizeof whole, "%.*s %s", (int)length - (next != NULL), line,
               next ? next : "");
      run_example(whole);
    }
    assert_true(count >= 2);
    release(&got);
  }
}

static void version_is_printed(void **state) {
  (void)state;
  result got = RUN(W("--version"));
  int major, minor, patch;
  assert_int_equal(got.exit_code, 0);
  assert_int_equal(sscanf(got.out, "sinew %d.%d.%d", &major, &minor, &patch), 3);
  release(&got);
}

static void wrong_usage_is_refused(void **state) {
  (void)state;
  const char *model = two_link_file();
  expect_refusal(run_words((char *[]){W("sinew"), NULL}), "no command given", "--help");
  expect_refusal(RUN(W("slove")), "'slove'", "did you mean 'solve'");
  expect_refusal(RUN(W("info")), "MODEL", "info --help");
  expect_refusal(RUN(W("info"), W(model), W("another")), "one MODEL", "another");
  expect_refusal(RUN(W("info"), W(model), W("--jsno")), "--jsno", "info --help");
  expect_refusal(RUN(W("fk"), W(model), W("--tip")), "--tip", "needs a value");
  expect_refusal(RUN(W("fk"), W(model), W("--q"), W("0,0,0"), W("--motion")), "--q", "--motion");
  expect_refusal(RUN(W("fk"), W(model), W("--json"), W("--motion")), "CSV", "--json");
}

static void broken_files_are_refused(void **state) {
  (void)state;
  expect_refusal(RUN(W("info"), W("no/such/file.urdf")), "no/such/file.urdf", "");
  expect_refusal(RUN(W("info"), W(write_all("words.txt", "neither\n"))), "words.txt", "");
  // The third line closes an element that is not open.
  const char *path = write_all("broken.urdf", "<robot name='a'>\n<link name='b'>\n</robot>\n");
  expect_refusal(RUN(W("info"), W(path)), "broken.urdf:3:", "");
  expect_refusal(RUN(W("fk"), W(path)), "broken.urdf:3:", "");
  expect_refusal(RUN(W("solve"), W(path), W("--tip"), W("b"), W("--position"), W("0,0,0")),
                 "broken.urdf:3:", "");
}

// ---- info ----

static const json_t *named(const json_t *array, const char *name) {
  size_t index;
  json_t *item;
  json_array_foreach(array, index, item) if (strcmp(text_of(item, "name"), name) == 0) return item;
  fail_msg("no '%s'", name);
  return NULL;
}

// req: A10
static void info_json_describes_the_model(void **state) {
  (void)state;
  result got = RUN(W("info"), W(two_link_file()), W("--json"));
  json_t *root = parse_output(&got, 0);
  assert_string_equal(text_of(root, "name"), "two link");
  // Shoulder, elbow and the left finger; the wrist is fixed, the right coupled.
  assert_int_equal(number_of(root, "dof"), 3);
  const json_t *joints = json_object_get(root, "joints");
  assert_int_equal(json_array_size(joints), 5);
  assert_int_equal(json_array_size(json_object_get(root, "links")), 6);

  const json_t *shoulder = named(joints, "shoulder");
  assert_string_equal(text_of(shoulder, "kind"), "revolute");
  assert_string_equal(text_of(shoulder, "parent"), "base");
  assert_string_equal(text_of(shoulder, "child"), "upper");
  assert_near(number_of(shoulder, "lower"), -1.5, 0);
  assert_near(number_of(shoulder, "upper"), 2.5, 0);

  const json_t *elbow = named(joints, "elbow");
  assert_string_equal(text_of(elbow, "kind"), "continuous");
  assert_true(json_is_null(json_object_get(elbow, "lower")));
  assert_true(json_is_null(json_object_get(elbow, "upper")));

  // right = -2 left + 0.01 with left from 0 to 0.04.
  const json_t *right = named(joints, "right");
  assert_int_equal(number_of(right, "dof"), 0);
  assert_string_equal(text_of(right, "driver"), "left");
  assert_near(number_of(right, "ratio"), -2, 0);
  assert_near(number_of(right, "lower"), -0.07, 1e-15);
  assert_near(number_of(right, "upper"), 0.01, 1e-15);
  json_decref(root);
  release(&got);
}

// req: A10
static void info_json_describes_a_bvh(void **state) {
  (void)state;
  result got = RUN(W("info"), W(two_bones_file()), W("--json"));
  json_t *root = parse_output(&got, 0);
  assert_int_equal(number_of(root, "dof"), 9);
  const json_t *hip = named(json_object_get(root, "joints"), "Hip");
  assert_string_equal(text_of(hip, "kind"), "channels");
  assert_int_equal(number_of(hip, "dof"), 6);
  assert_int_equal(json_array_size(json_object_get(hip, "lower")), 6);
  assert_true(json_is_null(json_array_get(json_object_get(hip, "lower"), 0)));
  const json_t *effectors = json_object_get(root, "effectors");
  assert_int_equal(json_array_size(effectors), 1);
  assert_string_equal(json_string_value(json_array_get(effectors, 0)), "Knee_end");
  json_decref(root);
  release(&got);
}

static void info_table_describes_the_model(void **state) {
  (void)state;
  result got = RUN(W("info"), W(two_link_file()));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, "3 degrees of freedom"));
  assert_non_null(strstr(got.out, "deg"));
  assert_non_null(strstr(got.out, "possible effectors: left finger right finger"));
  release(&got);
}

// An arm whose file has rounded angles is nearly of a family, and its solutions are searched.
// req: D24
static void nearly_closed_forms_are_named(void **state) {
  (void)state;
  static const char exact[] = "1.5707963267948966", rounded[] = "1.57080";
  char *text = read_all("models/arm7.urdf");
  for (char *at; (at = strstr(text, exact)) != NULL;) {
    memcpy(at, rounded, sizeof rounded - 1);
    memmove(at + sizeof rounded - 1, at + sizeof exact - 1, strlen(at + sizeof exact - 1) + 1);
  }
  char *file = W(write_all("rounded.urdf", text));
  result got = RUN(W("info"), file);
  assert_non_null(strstr(
      got.out, "\nnearly a closed form of flange: 7 joints, axes 1 to 3 meet (off by 4.4e-07)\n"));
  assert_null(strstr(got.out, "\nclosed form of"));
  release(&got);
  got = RUN(W("info"), file, W("--json"));
  json_t *root = parse_output(&got, 0);
  assert_int_equal(json_object_size(json_object_get(root, "closed_forms")), 0);
  json_t *flange = json_object_get(json_object_get(root, "nearly_closed_forms"), "flange");
  assert_string_equal(text_of(flange, "family"), "7 joints, axes 1 to 3 meet");
  assert_near(json_number_value(json_object_get(flange, "deviation")), 4.4e-7, 1e-8);
  json_decref(root);
  release(&got);
  got = RUN(W("solve"), file, W("--tip"), W("flange"), W("--pose"), W("0.4,0.2,0.4,0,1,0,0"),
            W("--all"), W("16"));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, "\nthere may be more\n"));
  release(&got);
  free(text);
}

// The family of an arm is named where it has one, and the set of its solutions is called complete.
// req: D20 D24
static void closed_forms_are_named(void **state) {
  (void)state;
  result got = RUN(W("info"), W("models/arm6.urdf"));
  assert_non_null(strstr(got.out, "\ntasks in SIMD lanes: position orientation pose direction\n"
                                  "tasks in SIMD lanes of crowds: position orientation pose "
                                  "relative_pose posture\n"));
  assert_non_null(strstr(got.out, "\nclosed form of flange: 6 joints, axes 2 to 4 parallel\n"));
  release(&got);
  got = RUN(W("info"), W(two_link_file()));
  assert_null(strstr(got.out, "closed form"));
  release(&got);
  got = RUN(W("info"), W("models/arm6.urdf"), W("--json"));
  json_t *root = parse_output(&got, 0);
  assert_string_equal(text_of(json_object_get(root, "closed_forms"), "flange"),
                      "6 joints, axes 2 to 4 parallel");
  assert_int_equal(json_object_size(json_object_get(root, "nearly_closed_forms")), 0);
  assert_string_equal(json_string_value(json_array_get(json_object_get(root, "tasks_in_lanes"), 2)),
                      "pose");
  json_decref(root);
  release(&got);
  got = RUN(W("solve"), W("models/arm6.urdf"), W("--tip"), W("flange"), W("--pose"),
            W("0.4,0.2,0.4,0,1,0,0"), W("--all"), W("16"));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, "\ncomplete: there are no others\n"));
  assert_non_null(strstr(got.out, "orientation error  branch\n"));
  assert_non_null(strstr(got.out, "  shoulder left, elbow up, wrist no flip\n"));
  release(&got);
  got = RUN(W("solve"), W("models/arm6.urdf"), W("--tip"), W("flange"), W("--pose"),
            W("0.4,0.2,0.4,0,1,0,0"), W("--all"), W("16"), W("--json"));
  json_t *answers = parse_output(&got, 0);
  for (size_t i = 0; i < json_array_size(answers); ++i)
    for (size_t j = 0; j < i; ++j)
      assert_false(json_equal(json_object_get(json_array_get(answers, i), "branch"),
                              json_object_get(json_array_get(answers, j), "branch")));
  assert_int_equal(json_object_size(json_object_get(json_array_get(answers, 0), "branch")), 3);
  json_decref(answers);
  release(&got);
  got = RUN(W("solve"), W("models/arm6.urdf"), W("--tip"), W("flange"), W("--position"),
            W("0.4,0.2,0.4"), W("--all"), W("16"));
  assert_non_null(strstr(got.out, "\nthere may be more\n"));
  release(&got);
}

// At a straight wrist two of the solutions are one of a continuum each, and at a regular pose none.
// req: D20 D24
static void continua_are_counted(void **state) {
  (void)state;
  const char *poses[2] = {"-0.442488787038306,-0.380666269874961,0.414613480596754,"
                          "0.540825097166413,0.651288474745862,-0.275360350564871,"
                          "0.455530695206086",
                          "0.4,0.2,0.4,0,1,0,0"};
  for (int i = 0; i < 2; ++i) {
    result got = RUN(W("solve"), W("models/arm6.urdf"), W("--tip"), W("flange"), W("--pose"),
                     W(poses[i]), W("--all"), W("16"));
    assert_true((strstr(got.out, "\nsingular: 2 of them are one of a continuum each\n") != NULL) ==
                (i == 0));
    assert_true((strstr(got.out, "singular") != NULL) == (i == 0));
    release(&got);
    got = RUN(W("solve"), W("models/arm6.urdf"), W("--tip"), W("flange"), W("--pose"), W(poses[i]),
              W("--all"), W("16"), W("--json"));
    json_t *answers = parse_output(&got, 0);
    const json_t *continuum = json_object_get(json_array_get(answers, 0), "continuum");
    assert_int_equal(json_integer_value(continuum), i == 0 ? 2 : 0);
    json_decref(answers);
    release(&got);
  }
}

// Of an arm whose fingers belong to no family the hand is named, once.
// req: D20
static void closed_forms_of_hands_are_named(void **state) {
  (void)state;
  char *arm = read_all("models/arm6.urdf");
  char *text = malloc(strlen(arm) + 2048);
  *strstr(arm, "</robot>") = '\0';
  sprintf(
      text,
      "%s<link name='hand'/><link name='left'/><link name='right'/><link name='lamp'/>"
      "<joint name='m' type='fixed'><parent link='flange'/><child link='hand'/></joint>"
      "<joint name='l' type='prismatic'><parent link='hand'/><child link='left'/>"
      "<limit lower='0' upper='0.04'/></joint>"
      "<joint name='r' type='prismatic'><parent link='hand'/><child link='right'/>"
      "<limit lower='0' upper='0.04'/></joint>"
      "<joint name='n' type='continuous'><parent link='base'/><child link='lamp'/></joint></robot>",
      arm);
  result got = RUN(W("info"), W(write_all("hand.urdf", text)));
  assert_non_null(strstr(got.out, "possible effectors: left right lamp"));
  assert_non_null(strstr(got.out, "\nclosed form of hand: 6 joints, axes 2 to 4 parallel\n"));
  const char *first = strstr(got.out, "closed form of ");
  assert_null(strstr(first + 1, "closed form of "));
  release(&got);
  free(text);
  free(arm);
}

// The effectors are what joints move; lines have at most 80 columns; a BVH shows its motion.
static void info_is_for_a_terminal(void **state) {
  (void)state;
  char text[8192] =
      "<robot name='r'><link name='root'/><link name='mount'/>"
      "<joint name='f' type='fixed'><parent link='root'/><child link='mount'/></joint>";
  for (int i = 0; i < 6; ++i) {
    char part[512];
    snprintf(part, sizeof part,
             "<link name='link_with_a_long_name_%d'/><link name='its_tool_%d'/>"
             "<joint name='joint_with_a_long_name_%d' type='revolute'><parent link='root'/>"
             "<child link='link_with_a_long_name_%d'/><limit lower='-1' upper='1'/></joint>"
             "<joint name='t%d' type='fixed'><parent link='link_with_a_long_name_%d'/>"
             "<child link='its_tool_%d'/></joint>",
             i, i, i, i, i, i, i);
    strcat(text, part);
  }
  strcat(text, "</robot>");
  const char *path = write_all("long.urdf", text);
  result got = RUN(W("info"), W(path));
  assert_int_equal(got.exit_code, 0);
  for (int k = 0; k < line_count(got.out); ++k)
    if (strcspn(line_of(got.out, k), "\n") > 80)
      fail_msg("line %d is longer: %s", k, got.out);
  assert_non_null(strstr(got.out, "\n      -57.296 .. 57.296 deg\n"));
  assert_non_null(strstr(got.out, "possible effectors: its_tool_0 its_tool_1 its_tool_2"));
  release(&got);
  got = RUN(W("info"), W(path), W("--json"));
  json_t *root = parse_output(&got, 0);
  assert_int_equal(json_array_size(json_object_get(root, "effectors")), 6);
  assert_string_equal(text_of(root, "file"), path);
  assert_true(number_of(root, "size") > 0.0);
  json_decref(root);
  release(&got);
}

// The size is the solver's, whose least tolerance is 1e-13 of it: of an arm, of a slide that has no
// other length, and of a joint that has none.
static void info_shows_the_size_of_the_solver(void **state) {
  (void)state;
  static const struct {
    const char *type, *place;
    double size;
  } models[] = {{"revolute", "3 0 4", 5}, {"prismatic", "0 0 0", 7}, {"revolute", "0 0 0", 1}};
  for (int i = 0; i < 3; ++i) {
    char text[1024], least[32], less[32];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='root'/><link name='a'/><link name='b'/>"
             "<joint name='j' type='%s'><parent link='root'/><child link='a'/>"
             "<axis xyz='0 0 1'/><limit lower='-1' upper='6'/></joint>"
             "<joint name='k' type='fixed'><parent link='a'/><child link='b'/>"
             "<origin xyz='%s'/></joint></robot>",
             models[i].type, models[i].place);
    const char *path = write_all("size.urdf", text);
    result got = RUN(W("info"), W(path), W("--json"));
    json_t *root = parse_output(&got, 0);
    assert_near(number_of(root, "size"), models[i].size, 1e-12);
    json_decref(root);
    release(&got);
    snprintf(least, sizeof least, "%g", 1.01e-13 * models[i].size);
    snprintf(less, sizeof less, "%g", 0.99e-13 * models[i].size);
    got = RUN(W("solve"), W(path), W("--tip"), W("b"), W("--position"), W("0,0,0"),
              W("--tolerance"), least);
    assert_true(strstr(got.err, "tolerance") == NULL);
    release(&got);
    got = RUN(W("solve"), W(path), W("--tip"), W("b"), W("--position"), W("0,0,0"),
              W("--tolerance"), less);
    assert_int_equal(got.exit_code, 2);
    assert_non_null(strstr(got.err, "--tolerance"));
    release(&got);
  }
}

static void info_shows_the_motion_of_a_bvh(void **state) {
  (void)state;
  const char *path = write_all("order.bvh", "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 6 "
                                            "Zrotation Xrotation Yrotation Xposition Yposition "
                                            "Zposition\nJOINT b\n{\nOFFSET 1 0 0\nCHANNELS 3 "
                                            "Xrotation Zrotation Yrotation\nJOINT c\n{\n"
                                            "OFFSET 1 0 0\nCHANNELS 3 Xrotation Zrotation "
                                            "Yrotation\nEnd Site\n{\nOFFSET 1 0 0\n}\n}\n}\n}\n"
                                            "MOTION\nFrames: 2\nFrame Time: 0.04\n"
                                            "0 0 0 0 0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0 0 0 0 0\n");
  result got = RUN(W("info"), W(path));
  assert_non_null(strstr(line_of(got.out, 0), "order.bvh: 12 degrees of freedom"));
  assert_memory_equal(line_of(got.out, 2),
                      "motion: 2 frames, frame time 0.04 s (25 per second), duration 0.08 s\n", 69);
  assert_non_null(strstr(got.out, "rotations): ZXYxyz of 1 joint, XZY of 2 joints\n"));
  release(&got);
  got = RUN(W("info"), W(path), W("--json"));
  json_t *root = parse_output(&got, 0);
  const json_t *motion = json_object_get(root, "motion");
  assert_true(number_of(motion, "frames") == 2.0 && number_of(motion, "frame_time") == 0.04 &&
              number_of(motion, "duration") == 0.08);
  assert_string_equal(text_of(named(json_object_get(root, "joints"), "c"), "channels"), "XZY");
  json_decref(root);
  release(&got);
}

// A name in another encoding must not break the JSON.
static void json_is_valid_for_other_encodings(void **state) {
  (void)state;
  char *text = read_all(two_bones_file());
  strstr(text, "Knee")[2] = (char)0xE4; // Latin-1
  result got = RUN(W("info"), W(write_all("latin1.bvh", text)), W("--json"));
  json_t *root = parse_output(&got, 0);
  named(json_object_get(root, "joints"), "Kn\\xe4e");
  free(text);
  json_decref(root);
  release(&got);
}

// ---- fk ----

// Closed form: x = l1 c1 + l2 c12, z = l1 s1 + l2 s12, rotated by -(q1 + q2) about y.
// req: B17
static void fk_matches_the_closed_form(void **state) {
  (void)state;
  result got = RUN(W("fk"), W(two_link_file()), W("--tip"), W("tip"), W("--q"), W("0.3,-0.8,0.02"),
                   W("--json"));
  json_t *root = parse_output(&got, 0);
  const json_t *tip = tip_of(root, "tips", "tip");
  double sum = 0.3 - 0.8;
  assert_near(element(tip, "position", 0), LENGTH1 * cos(0.3) + LENGTH2 * cos(sum), 1e-14);
  assert_near(element(tip, "position", 1), 0, 1e-14);
  assert_near(element(tip, "position", 2), LENGTH1 * sin(0.3) + LENGTH2 * sin(sum), 1e-14);
  double sign = element(tip, "rotation", 0) < 0 ? -1 : 1;
  assert_near(sign * element(tip, "rotation", 0), cos(sum / 2), 1e-14);
  assert_near(sign * element(tip, "rotation", 2), -sin(sum / 2), 1e-14);
  assert_int_equal(json_array_size(json_object_get(root, "tips")), 1);
  // The coupled finger is listed with the value that follows from its driver.
  assert_near(number_of(json_object_get(root, "q"), "right"), -2 * 0.02 + 0.01, 1e-15);
  json_decref(root);
  release(&got);
}

static void fk_without_tip_gives_all_links(void **state) {
  (void)state;
  result got = RUN(W("fk"), W(two_link_file()), W("--json"));
  json_t *root = parse_output(&got, 0);
  assert_int_equal(json_array_size(json_object_get(root, "tips")), 6);
  json_decref(root);
  release(&got);
}

static void fk_refuses_invalid_arguments(void **state) {
  (void)state;
  const char *model = two_link_file();
  expect_refusal(RUN(W("fk"), W(model), W("--q"), W("0,0")), "--q", "3 numbers");
  expect_refusal(RUN(W("fk"), W(model), W("--q"), W("0,0,inf")), "--q", "finite");
  expect_refusal(RUN(W("fk"), W(model), W("--q"), W("0,,0")), "--q", "number 2");
  expect_refusal(RUN(W("fk"), W(model), W("--q"), W("0,0x1,0")), "--q", "number 2");
  expect_refusal(RUN(W("fk"), W(model), W("--tip"), W("tpi")), "'tpi'", "did you mean 'tip'");
  expect_refusal(RUN(W("fk"), W(model), W("--tip"), W("nowhere")), "possible effectors",
                 "left finger");
  expect_refusal(RUN(W("fk"), W(model), W("--motion")), "two_link.urdf", "no motion");
}

// The k-th number of a line of comma-separated numbers.
static double field(const char *line, int k) {
  for (; k > 0; --k) {
    line = strchr(line, ',');
    assert_non_null(line);
    ++line;
  }
  return strtod(line, NULL);
}

static void assert_position(const char *line, double time, double x, double y, double z) {
  assert_near(field(line, 0), time, 1e-12);
  assert_near(field(line, 1), x, 1e-12);
  assert_near(field(line, 2), y, 1e-12);
  assert_near(field(line, 3), z, 1e-12);
}

// Frame 1 moves the hip to (1, 2, 3) and rotates all links by 90 degrees about z; frame 2 moves the
// knee alone.
static void check_bones(const result *got) {
  assert_int_equal(got->exit_code, 0);
  assert_int_equal(line_count(got->out), 4);
  static const char header[] = "time,Knee_end.x,Knee_end.y,Knee_end.z,Knee_end.qw,Knee_end.qx,"
                               "Knee_end.qy,Knee_end.qz\n";
  assert_memory_equal(got->out, header, sizeof header - 1);
  assert_position(line_of(got->out, 1), 0, 5, 0, 0);
  assert_position(line_of(got->out, 2), 0.25, 1, 7, 3);
  assert_position(line_of(got->out, 3), 0.5, 3, 2, 0);
}

// Only where no joint moves.
static void info_says_that_there_is_no_effector(void **state) {
  (void)state;
  static const char none[] = "none, as no joint moves";
  const char *still = write_all("still.urdf", "<robot name='still'><link name='a'/></robot>");
  result got = RUN(W("info"), W(still));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, none));
  release(&got);
  got = RUN(W("info"), W(two_link_file()));
  assert_non_null(strstr(got.out, "possible effectors:"));
  assert_null(strstr(got.out, none));
  release(&got);
}

static void fk_over_the_own_motion(void **state) {
  (void)state;
  const char *model = two_bones_file();
  result got = RUN(W("fk"), W(model), W("--tip"), W("Knee_end"), W("--motion"));
  check_bones(&got);
  release(&got);
  got = RUN(W("fk"), W("--motion"), W("--tip"), W("Knee_end"), W(model));
  check_bones(&got);
  release(&got);
  got = RUN(W("fk"), W("--tip"), W("Knee_end"), W("--motion"), W(model));
  check_bones(&got);
  release(&got);
}

static void fk_over_the_motion_of_another_bvh(void **state) {
  (void)state;
  const char *model = two_bones_file();
  // The same channels in a file with another order of joints.
  const char *motion =
      write_all("other.bvh", "HIERARCHY\nROOT Hip\n{\nOFFSET 9 9 9\n"
                             "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
                             "Yrotation\n"
                             "JOINT Extra\n{\nOFFSET 1 0 0\nCHANNELS 1 Zrotation\n"
                             "JOINT Knee\n{\nOFFSET 1 0 0\n"
                             "CHANNELS 3 Zrotation Xrotation Yrotation\n"
                             "End Site\n{\nOFFSET 1 0 0\n}\n}\n}\n}\n"
                             "MOTION\nFrames: 3\nFrame Time: 0.25\n"
                             "0 0 0 0 0 0 45 0 0 0\n"
                             "1 2 3 90 0 0 45 0 0 0\n"
                             "0 0 0 0 0 0 45 90 0 0\n");
  result got = RUN(W("fk"), W(model), W("--tip"), W("Knee_end"), W("--motion"), W(motion));
  check_bones(&got);
  release(&got);
  const char *other = write_all(
      "other_channels.bvh", "HIERARCHY ROOT Hip { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition "
                            "Zposition Zrotation Xrotation Yrotation JOINT Knee { OFFSET 3 0 0 "
                            "CHANNELS 3 Zrotation Yrotation Xrotation End Site { OFFSET 2 0 0 } "
                            "} } MOTION Frames: 1 Frame Time: 1\n0 0 0 0 0 0 0 0 0\n");
  expect_refusal(RUN(W("fk"), W(model), W("--tip"), W("Knee_end"), W("--motion"), W(other)), "Knee",
                 "other channels");
  expect_refusal(RUN(W("fk"), W(motion), W("--motion"), W(model)), "Extra",
                 "no joint of this name");
}

static void fk_over_a_csv(void **state) {
  (void)state;
  const char *model = two_link_file();
  // Columns in another order, CR LF, a coupled column that is not used.
  const char *motion = write_all("motion.csv", "time,elbow,right,\"shoulder\",left\r\n"
                                               "0,0,99,0,0\r\n"
                                               "0.5,1.5707963267948966,99,0,0\r\n");
  result got = RUN(W("fk"), W(model), W("--tip"), W("tip"), W("--motion"), W(motion));
  assert_int_equal(got.exit_code, 0);
  assert_int_equal(line_count(got.out), 3);
  assert_position(line_of(got.out, 1), 0, LENGTH1 + LENGTH2, 0, 0);
  assert_position(line_of(got.out, 2), 0.5, LENGTH1, 0, LENGTH2);
  release(&got);
}

static void csv_columns_of_several_values(void **state) {
  (void)state;
  const char *model = two_bones_file();
  const char *motion =
      write_all("bones.csv", "time,Hip.x,Hip.y,Hip.z,Hip.rz,Hip.rx,Hip.ry,Knee.rz,Knee.rx,Knee.ry\n"
                             "0,0,0,0,0,0,0,0,0,0\n"
                             "0.25,1,2,3,1.5707963267948966,0,0,0,0,0\n"
                             "0.5,0,0,0,0,0,0,1.5707963267948966,0,0\n");
  result got = RUN(W("fk"), W(model), W("--tip"), W("Knee_end"), W("--motion"), W(motion));
  check_bones(&got);
  release(&got);
}

// Names with commas, quotes and dots, both ways. Source: RFC 4180, section 2.
static void csv_quotes_are_read_and_written(void **state) {
  (void)state;
  const char *model =
      write_all("quotes.urdf", "<robot name='r'><link name='a'/><link name='b,\"c\".x'/>"
                               "<joint name='j,\"k\".x' type='prismatic'><parent link='a'/>"
                               "<child link='b,\"c\".x'/><axis xyz='1 0 0'/>"
                               "<limit lower='0' upper='5' effort='1' velocity='1'/></joint>"
                               "</robot>");
  const char *motion = write_all("quotes.csv", "time,\"j,\"\"k\"\".x\"\n0,2.5\n");
  result got = RUN(W("fk"), W(model), W("--tip"), W("b,\"c\".x"), W("--motion"), W(motion));
  assert_int_equal(got.exit_code, 0);
  static const char header[] = "time,\"b,\"\"c\"\".x.x\",\"b,\"\"c\"\".x.y\",";
  assert_memory_equal(got.out, header, sizeof header - 1);
  assert_position(line_of(got.out, 1), 0, 2.5, 0, 0);
  release(&got);
}

static void expect_csv_refusal(const char *text, const char *first, const char *second) {
  const char *model = two_link_file();
  const char *motion = write_all("bad.csv", text);
  expect_refusal(RUN(W("fk"), W(model), W("--motion"), W(motion)), first, second);
}

static void broken_csv_files_are_refused(void **state) {
  (void)state;
  expect_csv_refusal("", "bad.csv", "empty");
  expect_csv_refusal("time,shoulder,elbow\n", "bad.csv:1: left:", "missing");
  expect_csv_refusal("shoulder,elbow,left\n", "bad.csv:1: time:", "missing");
  expect_csv_refusal("time,shoulder,elbow,left,knee\n", "bad.csv:1: knee:", "column 5");
  expect_csv_refusal("time,shoulder,elbow,left,left\n", "bad.csv:1: left:", "twice");
  expect_csv_refusal("time,shoulder,elbow,left\n0,0,0,0\n\n0,0,x,0\n",
                     "bad.csv:4: elbow:", "column 3");
  expect_csv_refusal("time,shoulder,elbow,left\n0,0,0\n", "bad.csv:2:", "3 fields");
  expect_csv_refusal("time,shoulder,elbow,left\n0,0,nan,0\n", "bad.csv:2: elbow:", "finite");
  expect_csv_refusal("time,\"shoulder,elbow,left\n0,0,0,0\n", "bad.csv:1: column 2:", "quote");
  expect_csv_refusal("time,\"shoulder\"s,elbow,left\n", "bad.csv:1: column 2:", "quote");
  expect_csv_refusal("time,should\"er,elbow,left\n", "bad.csv:1: column 2:", "quote");
}

// ---- Output files ----

static void out_matches_standard_output(void **state) {
  (void)state;
  const char *model = two_bones_file();
  const char *out = scratch("out.csv");
  unlink(out);
  result to_file = RUN(W("fk"), W(model), W("--motion"), W("--out"), W(out));
  assert_int_equal(to_file.exit_code, 0);
  assert_string_equal(to_file.out, "");
  result to_output = RUN(W("fk"), W(model), W("--motion"));
  char *written = read_all(out);
  assert_string_equal(written, to_output.out);
  assert_int_equal(line_count(written), 4);
  struct stat status;
  mode_t mask = umask(0);
  umask(mask);
  assert_int_equal(stat(out, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
  free(written);
  release(&to_file);
  release(&to_output);
}

static void failed_outputs_are_reported(void **state) {
  (void)state;
  const char *model = two_bones_file();
  expect_refusal(RUN(W("fk"), W(model), W("--motion"), W("--out"), W("no/such/folder/out.csv")),
                 "no/such/folder/out.csv", "");
  // A refused input leaves an existing output file unchanged.
  const char *out = write_all("kept.csv", "kept");
  const char *bad = write_all("bad.csv", "time\n");
  expect_refusal(RUN(W("fk"), W(model), W("--motion"), W(bad), W("--out"), W(out)), "bad.csv", "");
  char *kept = read_all(out);
  assert_string_equal(kept, "kept");
  free(kept);
}

static void full_disks_are_reported(void **state) {
  (void)state;
  if (access("/dev/full", W_OK) != 0) {
    print_message("skipped: there is no /dev/full\n");
    skip();
  }
  const char *model = two_bones_file(), *err = scratch("stderr");
  expect_refusal(RUN(W("fk"), W(model), W("--motion"), W("--out"), W("/dev/full")), "/dev/full",
                 strerror(ENOSPC));
  char *words[][6] = {{W("sinew"), W("info"), W(model), NULL},
                      {W("sinew"), W("info"), W(model), W("--json"), NULL},
                      {W("sinew"), W("fk"), W(model), W("--motion"), NULL},
                      {W("sinew"), W("--help"), NULL}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
    assert_int_equal(run_to("/dev/full", err, words[i]), 2);
    char *message = read_all(err);
    assert_non_null(strstr(message, "standard output"));
    free(message);
  }
}

// The built-in arm and the file of the same robot have the same names, so that --tip, postures and
// columns are those of either.
static void the_builtin_arm_has_the_names_of_its_file(void **state) {
  (void)state;
  static const char *const models[] = {"arm7", "models/arm7.urdf"};
  static const char *const fields[] = {"name", "parent", "child"};
  result got[2];
  json_t *root[2];
  for (int m = 0; m < 2; ++m) {
    got[m] = RUN(W("info"), W(models[m]), W("--json"));
    root[m] = parse_output(&got[m], 0);
  }
  assert_true(json_equal(json_object_get(root[0], "links"), json_object_get(root[1], "links")));
  const json_t *joints = json_object_get(root[0], "joints"),
               *of_file = json_object_get(root[1], "joints");
  assert_int_equal(json_array_size(joints), 8);
  assert_int_equal(json_array_size(of_file), 8);
  for (size_t j = 0; j < 8; ++j)
    for (int i = 0; i < 3; ++i)
      assert_string_equal(text_of(json_array_get(joints, j), fields[i]),
                          text_of(json_array_get(of_file, j), fields[i]));
  for (int m = 0; m < 2; ++m) {
    json_decref(root[m]);
    release(&got[m]);
  }
}

// Messages name the option and what it takes, and suggest the nearest name.
static void messages_name_the_option(void **state) {
  (void)state;
  expect_refusal(RUN(W("info"), W("arm8")), "built-in model", "'arm7'");
  expect_refusal(RUN(W("info"), W("no/such/arm.urdf")), "no/such/arm.urdf", "no such file");
  expect_refusal(RUN(W("--version"), W("x")), "--version", "'x'");
  expect_refusal(RUN(W("fk"), W("y"), W("--motion"), W(two_link_file())), "two_link.urdf",
                 "neither a BVH nor a CSV");
  expect_refusal(RUN(W("solve"), W("y"), W("--tip"), W("tip0"), W("--position"), W("1,1,1"),
                     W("--tolerance"), W("-1")),
                 "--tolerance", "above 0");
  result got = RUN(W("fk"), W(two_link_file()), W("--q"), W("-1e-15,0,0"));
  assert_int_equal(got.exit_code, 0);
  assert_null(strstr(got.out, "-0.000000000"));
  release(&got);
}

// ---- The environment ----

// Decimal commas in the environment change neither what is read nor printed.
static void test_locale(void **state) {
  (void)state;
  const char *model = two_link_file();
  char *words[] = {W("sinew"),           W("fk"),     W(model), W("--q"),
                   W("0.25,-0.75,0.02"), W("--json"), NULL};
  result plain = run_words(words);
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  result german = run_words(words);
  unsetenv("LC_ALL");
  assert_int_equal(german.exit_code, 0);
  assert_string_equal(plain.out, german.out);
  release(&plain);
  release(&german);
}

// How well the hand can move: condition = largest / smallest, worst where the arm is straight.
// req: B19
static void info_prints_the_dexterity(void **state) {
  (void)state;
  double condition[2];
  for (int i = 0; i < 2; ++i) {
    result got = RUN(W("info"), W("models/arm7.urdf"), W("--q"),
                     W(i == 0 ? "0,0.5,0,-2,0,2,0.5" : "0,0,0,-0.1,0,0,0"), W("--json"));
    json_t *root = parse_output(&got, 0);
    const json_t *all = json_object_get(root, "dexterity");
    assert_int_equal(json_object_size(all), 1);
    const json_t *one = json_object_iter_value(json_object_iter((json_t *)all));
    const double least = number_of(one, "smallest"), most = number_of(one, "largest");
    condition[i] = number_of(one, "condition");
    assert_true(least > 0.0 && most > least);
    assert_near(condition[i] * least / most, 1.0, 1e-9);
    assert_true(number_of(one, "manipulability") > 0.0);
    json_decref(root);
    release(&got);
  }
  assert_true(condition[1] > 2.0 * condition[0]);
  result got = RUN(W("info"), W("models/arm7.urdf"), W("--q"), W("middle"));
  assert_non_null(strstr(got.out, ": singular values "));
  release(&got);
  expect_refusal(RUN(W("info"), W("models/arm7.urdf"), W("--q"), W("0,0")), "--q", "7");
}

// Limits of swing and twist, in degrees and in rad.
static void info_shows_swing_and_twist(void **state) {
  (void)state;
  result got = RUN(W("info"), W("humanoid-cones"));
  const char *spine = strstr(got.out, "spine       spherical");
  assert_non_null(spine);
  const char *range = strstr(spine, "twist -28.648 .. 28.648,");
  assert_true(range && range - spine < 60);
  range = strstr(spine, "swing -22.918 .. 40.107 and -22.918 .. 22.918 deg");
  assert_true(range && range - spine < 90);
  assert_non_null(strstr(got.out, "swing -17.189 .. 34.377 and -22.918 .. 22.918 deg")); // chest
  release(&got);

  got = RUN(W("info"), W("humanoid-cones"), W("--json"));
  json_t *root = parse_output(&got, 0);
  const json_t *joints = json_object_get(root, "joints");
  for (size_t j = 0; j < json_array_size(joints); ++j) {
    const json_t *joint = json_array_get(joints, j);
    const int cone = strcmp(text_of(joint, "kind"), "spherical") == 0;
    assert_int_equal(json_object_get(joint, "swing") != NULL, cone);
    if (strcmp(text_of(joint, "name"), "spine") == 0) {
      assert_near(element(joint, "twist", 0), -0.5, 0);
      assert_near(element(joint, "swing", 1), 0.7, 0);
      assert_near(element(joint, "swing", 2), -0.4, 0);
    }
  }
  json_decref(root);
  release(&got);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(help_names_every_command),
      cmocka_unit_test(help_examples_work),
      cmocka_unit_test(version_is_printed),
      cmocka_unit_test(wrong_usage_is_refused),
      cmocka_unit_test(broken_files_are_refused),
      cmocka_unit_test(info_json_describes_the_model),
      cmocka_unit_test(info_json_describes_a_bvh),
      cmocka_unit_test(info_table_describes_the_model),
      cmocka_unit_test(nearly_closed_forms_are_named),
      cmocka_unit_test(closed_forms_are_named),
      cmocka_unit_test(closed_forms_of_hands_are_named),
      cmocka_unit_test(continua_are_counted),
      cmocka_unit_test(info_is_for_a_terminal),
      cmocka_unit_test(info_shows_the_size_of_the_solver),
      cmocka_unit_test(info_shows_the_motion_of_a_bvh),
      cmocka_unit_test(json_is_valid_for_other_encodings),
      cmocka_unit_test(fk_matches_the_closed_form),
      cmocka_unit_test(fk_without_tip_gives_all_links),
      cmocka_unit_test(fk_refuses_invalid_arguments),
      cmocka_unit_test(info_says_that_there_is_no_effector),
      cmocka_unit_test(fk_over_the_own_motion),
      cmocka_unit_test(fk_over_the_motion_of_another_bvh),
      cmocka_unit_test(fk_over_a_csv),
      cmocka_unit_test(csv_columns_of_several_values),
      cmocka_unit_test(csv_quotes_are_read_and_written),
      cmocka_unit_test(broken_csv_files_are_refused),
      cmocka_unit_test(out_matches_standard_output),
      cmocka_unit_test(failed_outputs_are_reported),
      cmocka_unit_test(full_disks_are_reported),
      cmocka_unit_test(the_builtin_arm_has_the_names_of_its_file),
      cmocka_unit_test(messages_name_the_option),
      cmocka_unit_test(test_locale),
      cmocka_unit_test(info_prints_the_dexterity),
      cmocka_unit_test(info_shows_swing_and_twist),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
