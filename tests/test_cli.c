// The program sinew, run as a user runs it: exit codes, messages, JSON, CSV.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#define PATH_SIZE 1024
#define MOST_WORDS 40

// ---- Running the program ----

typedef struct result {
  int exit_code;
  char *out;
  char *err;
} result;

// The path of a file to write; stays as it is while the program runs.
static const char *scratch(const char *name) {
  static char paths[32][PATH_SIZE];
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/cli-%s", getenv("SINEW_SCRATCH_DIR"), name);
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
    if (paths[i][0] == '\0')
      memcpy(paths[i], path, sizeof path);
    if (strcmp(paths[i], path) == 0)
      return paths[i];
  }
  fail_msg("too many files");
  return NULL;
}

static char *read_all(const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t capacity = 1 << 16, length = 0, piece;
  char *text = malloc(capacity);
  while ((piece = fread(text + length, 1, capacity - 1 - length, file)) > 0) {
    length += piece;
    if (length + 1 == capacity)
      text = realloc(text, capacity *= 2);
  }
  text[length] = '\0';
  fclose(file);
  return text;
}

static const char *write_all(const char *name, const char *text) {
  const char *path = scratch(name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  return path;
}

static void redirect(const char *path, int descriptor) {
  int opened = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (opened < 0 || dup2(opened, descriptor) < 0)
    _exit(99);
}

// Runs the program with words up to NULL; standard output goes to a path.
static int run_to(const char *out, const char *err, char *const *words) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    redirect(out, STDOUT_FILENO);
    redirect(err, STDERR_FILENO);
    execv(getenv("SINEW_PROGRAM"), words);
    _exit(98);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static result run_words(char *const *words) {
  const char *out = scratch("stdout"), *err = scratch("stderr");
  result got = {.exit_code = run_to(out, err, words)};
  got.out = read_all(out);
  got.err = read_all(err);
  return got;
}

static void release(result *got) {
  free(got->out);
  free(got->err);
}

// The words of a call, NULL behind the last.
#define RUN(...) run_words((char *[]){(char *)"sinew", __VA_ARGS__, NULL})
#define W(text) (char *)(text)

// Expects a refusal: exit code 2, nothing on standard output, and a message on
// standard error that begins with "sinew: " and holds each of the words.
static void expect_refusal(result got, const char *first, const char *second) {
  if (got.exit_code != 2 || strncmp(got.err, "sinew: ", 7) != 0 || !strstr(got.err, first) ||
      !strstr(got.err, second) || got.out[0] != '\0')
    fail_msg("exit %d, out '%.200s', err '%s', wanted '%s' and '%s'", got.exit_code, got.out,
             got.err, first, second);
  release(&got);
}

static json_t *parse_output(const result *got, int exit_code) {
  json_error_t error;
  json_t *root = json_loads(got->out, JSON_REJECT_DUPLICATES, &error);
  if (!root || got->exit_code != exit_code)
    fail_msg("exit %d, JSON '%s': %s; err '%s'", got->exit_code, root ? "good" : error.text,
             got->out, got->err);
  return root;
}

static double number_of(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  if (!json_is_number(value))
    fail_msg("no number '%s'", name);
  return json_number_value(value);
}

static const char *text_of(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  if (!json_is_string(value))
    fail_msg("no text '%s'", name);
  return json_string_value(value);
}

static void assert_near(double value, double wanted, double tolerance) {
  if (!(fabs(value - wanted) <= tolerance))
    fail_msg("%.17g is not within %g of %.17g", value, tolerance, wanted);
}

// ---- Models ----

#define LENGTH1 0.7
#define LENGTH2 0.5

// Two links in the x-z plane as in textbooks, lengths 0.7 and 0.5 m: the axis
// -y turns x towards z. A gripper of two coupled fingers at the tip.
static const char two_link[] =
    "<robot name='two link'>\n"
    "  <link name='base'/><link name='upper'/><link name='fore'/><link name='tip'/>\n"
    "  <link name='left finger'/><link name='right finger'/>\n"
    "  <joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/>\n"
    "    <axis xyz='0 -1 0'/><limit lower='-1.5' upper='2.5' effort='1' velocity='1'/></joint>\n"
    "  <joint name='elbow' type='continuous'><parent link='upper'/><child link='fore'/>\n"
    "    <origin xyz='0.7 0 0'/><axis xyz='0 -1 0'/></joint>\n"
    "  <joint name='wrist' type='fixed'><parent link='fore'/><child link='tip'/>\n"
    "    <origin xyz='0.5 0 0'/></joint>\n"
    "  <joint name='left' type='prismatic'><parent link='tip'/><child link='left finger'/>\n"
    "    <axis xyz='0 1 0'/><limit lower='0' upper='0.04' effort='1' velocity='1'/></joint>\n"
    "  <joint name='right' type='prismatic'><parent link='tip'/><child link='right finger'/>\n"
    "    <axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/>\n"
    "    <mimic joint='left' multiplier='-2' offset='0.01'/></joint>\n"
    "</robot>\n";

// Two bones of lengths 3 and 2 along x and three frames.
static const char two_bones[] = "HIERARCHY\n"
                                "ROOT Hip\n"
                                "{\n"
                                "  OFFSET 0 0 0\n"
                                "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
                                "Yrotation\n"
                                "  JOINT Knee\n"
                                "  {\n"
                                "    OFFSET 3 0 0\n"
                                "    CHANNELS 3 Zrotation Xrotation Yrotation\n"
                                "    End Site\n"
                                "    {\n"
                                "      OFFSET 2 0 0\n"
                                "    }\n"
                                "  }\n"
                                "}\n"
                                "MOTION\n"
                                "Frames: 3\n"
                                "Frame Time: 0.25\n"
                                "0 0 0 0 0 0 0 0 0\n"
                                "1 2 3 90 0 0 0 0 0\n"
                                "0 0 0 0 0 0 90 0 0\n";

static const char *two_link_file(void) {
  return write_all("two_link.urdf", two_link);
}

static const char *two_bones_file(void) {
  return write_all("two_bones.bvh", two_bones);
}

// ---- Help, version, usage ----

static void test_help(void **state) {
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

// Runs a command line of the shell in the scratch folder, sinew and models/
// being ours.
static void run_example(const char *line) {
  char command[4 * PATH_SIZE];
  snprintf(command, sizeof command,
           "sinew() { \"$SINEW_PROGRAM\" \"$@\"; }; cd \"$SINEW_SCRATCH_DIR\" && "
           "ln -sfn \"$SINEW_SOURCE_DIR/models\" models && %s >cli-stdout",
           line);
  if (system(command) != 0)
    fail_msg("this example failed: %s", line);
}

// What the help proposes works.
static void test_help_examples(void **state) {
  (void)state;
  static const char *const commands[] = {"info", "fk", "solve"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
    result got = RUN(W(commands[i]), W("--help"));
    char *line = strstr(got.out, "examples:\n");
    assert_non_null(line);
    int count = 0;
    for (line = strtok(line, "\n"); (line = strtok(NULL, "\n")); ++count) {
      // A line that goes on below ends in a backslash.
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

static void test_version(void **state) {
  (void)state;
  result got = RUN(W("--version"));
  int major, minor, patch;
  assert_int_equal(got.exit_code, 0);
  assert_int_equal(sscanf(got.out, "sinew %d.%d.%d", &major, &minor, &patch), 3);
  release(&got);
}

static void test_bad_usage(void **state) {
  (void)state;
  const char *model = two_link_file();
  expect_refusal(run_words((char *[]){W("sinew"), NULL}), "which command", "--help");
  expect_refusal(RUN(W("slove")), "'slove'", "did you mean 'solve'");
  expect_refusal(RUN(W("info")), "MODEL", "info --help");
  expect_refusal(RUN(W("info"), W(model), W("another")), "one MODEL", "another");
  expect_refusal(RUN(W("info"), W(model), W("--jsno")), "--jsno", "info --help");
  expect_refusal(RUN(W("fk"), W(model), W("--tip")), "--tip", "lacks its value");
  expect_refusal(RUN(W("fk"), W(model), W("--q"), W("0,0,0"), W("--motion")), "--q", "--motion");
  expect_refusal(RUN(W("fk"), W(model), W("--json"), W("--motion")), "CSV", "--json");
}

static void test_bad_files(void **state) {
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
static void test_info_json(void **state) {
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
static void test_info_json_of_bvh(void **state) {
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

static void test_info_table(void **state) {
  (void)state;
  result got = RUN(W("info"), W(two_link_file()));
  assert_int_equal(got.exit_code, 0);
  assert_non_null(strstr(got.out, "3 degrees of freedom"));
  assert_non_null(strstr(got.out, "deg"));
  assert_non_null(strstr(got.out, "possible effectors: left finger right finger"));
  release(&got);
}

// A name in another encoding must not break the JSON.
static void test_json_of_odd_bytes(void **state) {
  (void)state;
  char text[sizeof two_bones + 8];
  snprintf(text, sizeof text, "%s", two_bones);
  char *knee = strstr(text, "Knee");
  memcpy(knee,
         "Kn\xE4"
         "e",
         4);
  result got = RUN(W("info"), W(write_all("latin1.bvh", text)), W("--json"));
  json_t *root = parse_output(&got, 0);
  named(json_object_get(root, "joints"), "Kn\xEF\xBF\xBD"
                                         "e");
  json_decref(root);
  release(&got);
}

// ---- fk ----

static const json_t *tip_of(const json_t *root, const char *array, const char *link) {
  size_t index;
  json_t *item;
  json_array_foreach(json_object_get(root, array), index,
                     item) if (strcmp(text_of(item, "link"), link) == 0) return item;
  fail_msg("no tip '%s'", link);
  return NULL;
}

static double element(const json_t *object, const char *name, size_t index) {
  const json_t *value = json_array_get(json_object_get(object, name), index);
  if (!json_is_number(value))
    fail_msg("no number %zu of '%s'", index, name);
  return json_number_value(value);
}

// Closed form: x = l1 c1 + l2 c12, z = l1 s1 + l2 s12, turned by -(q1 + q2)
// about y.
// req: B17
static void test_fk_of_two_links(void **state) {
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
  // The coupled finger is listed with what follows from its driver.
  assert_near(number_of(json_object_get(root, "q"), "right"), -2 * 0.02 + 0.01, 1e-15);
  json_decref(root);
  release(&got);
}

static void test_fk_without_tip_gives_all_links(void **state) {
  (void)state;
  result got = RUN(W("fk"), W(two_link_file()), W("--json"));
  json_t *root = parse_output(&got, 0);
  assert_int_equal(json_array_size(json_object_get(root, "tips")), 6);
  json_decref(root);
  release(&got);
}

static void test_fk_refusals(void **state) {
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

static const char *line_of(const char *text, int k) {
  for (; k > 0; --k) {
    text = strchr(text, '\n');
    assert_non_null(text);
    ++text;
  }
  return text;
}

static int line_count(const char *text) {
  int count = 0;
  for (; *text != '\0'; ++text)
    count += *text == '\n';
  return count;
}

static void assert_position(const char *line, double time, double x, double y, double z) {
  assert_near(field(line, 0), time, 1e-12);
  assert_near(field(line, 1), x, 1e-12);
  assert_near(field(line, 2), y, 1e-12);
  assert_near(field(line, 3), z, 1e-12);
}

// Frame 1 moves the hip to (1, 2, 3) and turns all by 90 degrees about z; frame
// 2 turns the knee alone.
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

static void test_fk_over_own_motion(void **state) {
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

static void test_fk_over_motion_of_another_bvh(void **state) {
  (void)state;
  const char *model = two_bones_file();
  // The same channels in a file where the joints stand in another order.
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
  expect_refusal(RUN(W("fk"), W(motion), W("--motion"), W(model)), "Extra", "no such joint");
}

static void test_fk_over_csv(void **state) {
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

static void test_csv_of_several_values(void **state) {
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
static void test_csv_quotes(void **state) {
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

static void test_bad_csv(void **state) {
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

static void test_out_is_what_standard_output_gets(void **state) {
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

static void test_failed_output(void **state) {
  (void)state;
  const char *model = two_bones_file();
  expect_refusal(RUN(W("fk"), W(model), W("--motion"), W("--out"), W("no/such/folder/out.csv")),
                 "no/such/folder/out.csv", "");
  // A refused input leaves the file that was there as it was.
  const char *out = write_all("kept.csv", "kept");
  const char *bad = write_all("bad.csv", "time\n");
  expect_refusal(RUN(W("fk"), W(model), W("--motion"), W(bad), W("--out"), W(out)), "bad.csv", "");
  char *kept = read_all(out);
  assert_string_equal(kept, "kept");
  free(kept);
}

static void test_full_disk(void **state) {
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

// ---- solve ----

// The distance of the two links' tip, by the closed form, from a target.
static double two_link_distance(const json_t *q, double x, double z) {
  double q1 = number_of(q, "shoulder"), q12 = q1 + number_of(q, "elbow");
  return hypot(LENGTH1 * cos(q1) + LENGTH2 * cos(q12) - x,
               LENGTH1 * sin(q1) + LENGTH2 * sin(q12) - z);
}

// req: A8 C1
static void test_solve_reaches(void **state) {
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

// A tolerance of 10 cm is met early, and not bettered without need.
static void test_solve_tolerance(void **state) {
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

// The seed is where it starts: seeded with an answer, no step is needed.
static void test_solve_seed(void **state) {
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
static void test_solve_out_of_reach(void **state) {
  (void)state;
  result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                   W("3,0,4"), W("--json"));
  json_t *root = parse_output(&got, 1);
  assert_string_equal(text_of(root, "outcome"), "out_of_reach");
  // 5 m away, 1.2 m long: no pose comes nearer than 3.8 m, and the best does.
  double distance = two_link_distance(json_object_get(root, "q"), 3, 4);
  assert_near(number_of(root, "position_error"), distance, 1e-9);
  assert_near(distance, 3.8, 1e-3);
  json_decref(root);
  release(&got);
}

static void test_solve_step_limit(void **state) {
  (void)state;
  result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("tip"), W("--position"),
                   W("0.4,0,0.8"), W("--max-steps"), W("0"), W("--json"));
  json_t *root = parse_output(&got, 1);
  assert_string_equal(text_of(root, "outcome"), "step_limit");
  assert_int_equal(number_of(root, "steps"), 0);
  json_decref(root);
  release(&got);
}

// The arm must turn below its shoulder's limit of -1.5 rad to point to -z at
// full length.
static void test_solve_names_the_limit(void **state) {
  (void)state;
  result got = RUN(W("solve"), W(two_link_file()), W("--tip"), W("upper"), W("--direction"),
                   W("-1,0,-1"), W("--axis"), W("1,0,0"), W("--seed"), W("-1,0,0"), W("--json"));
  json_t *root = parse_output(&got, 1);
  assert_string_equal(text_of(root, "outcome"), "blocked_by_limits");
  assert_string_equal(text_of(root, "limiting_joint"), "shoulder");
  assert_near(number_of(json_object_get(root, "q"), "shoulder"), -1.5, 1e-9);
  // From -1.5 rad to the wanted -3/4 pi.
  assert_near(number_of(root, "orientation_error"), 0.75 * acos(-1) - 1.5, 1e-6);
  json_decref(root);
  release(&got);
}

// Two arms on one base: each target belongs to the tip before it.
// req: A1 B13
static void test_solve_several_tips(void **state) {
  (void)state;
  const char *model = write_all(
      "y.urdf", "<robot name='y'><link name='base'/><link name='a'/><link name='b'/>"
                "<joint name='ja' type='continuous'><parent link='base'/><child link='a'/>"
                "<axis xyz='0 0 1'/></joint>"
                "<joint name='jb' type='continuous'><parent link='base'/><child link='b'/>"
                "<axis xyz='0 0 1'/></joint></robot>");
  // Quaternions of +0.6 and -0.8 rad about z; that of b is not of unit length.
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
static void test_solve_bvh(void **state) {
  (void)state;
  result got = RUN(W("solve"), W(two_bones_file()), W("--tip"), W("Knee_end"), W("--position"),
                   W("4,5,6"), W("--tip"), W("Hip"), W("--pose"), W("4,5,6,1,0,0,0"), W("--json"));
  // The hip is asked to stand where the end of the leg shall be: both cannot be.
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

static void test_solve_table(void **state) {
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

static void test_solve_refusals(void **state) {
  (void)state;
  const char *model = two_link_file();
  expect_refusal(RUN(W("solve"), W(model)), "--tip", "");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip")), "--tip tip", "no target");
  expect_refusal(RUN(W("solve"), W(model), W("--position"), W("0,0,0"), W("--tip"), W("tip")),
                 "--position", "behind the --tip");
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
                 "--tolerance", "from");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"),
                     W("--max-steps"), W("1.5")),
                 "--max-steps", "whole");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"),
                     W("--max-starts"), W("0")),
                 "--max-starts", "from 1");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"),
                     W("--method"), W("magic")),
                 "'magic'", "dls");
  expect_refusal(RUN(W("solve"), W(model), W("--tip"), W("tip"), W("--position"), W("0,0,0"),
                     W("--seed"), W("high")),
                 "--seed", "middle");
}

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

// ---- Real robots and clips, where the optional data is there ----

static const char *shared(const char *file) {
  static char path[PATH_SIZE];
  const char *folder = getenv("SINEW_SHARED_DIR");
  snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared", file);
  if (access(path, R_OK) != 0) {
    print_message("skipped: there is no %s\n", path);
    skip();
  }
  return path;
}

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
  const char *model = shared("data/arms/panda.urdf");
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

// A pose as --pose wants it, out of what fk --json says.
static void pose_text(const json_t *fk, const char *link, char *text, size_t size) {
  const json_t *tip = tip_of(fk, "tips", link);
  snprintf(text, size, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", element(tip, "position", 0),
           element(tip, "position", 1), element(tip, "position", 2), element(tip, "rotation", 0),
           element(tip, "rotation", 1), element(tip, "rotation", 2), element(tip, "rotation", 3));
}

// A posture 30 % up each joint's range; infinite ranges stay at 0.
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
  const char *model = shared("data/urdf/nao.urdf");
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

// The clip's hands and feet: their columns are there, and every frame.
static void test_walk(void **state) {
  (void)state;
  result got = RUN(W("fk"), W(shared("data/bvh/cmu_12_01_walk.bvh")), W("--motion"));
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
  if (!getenv("SINEW_PROGRAM") || !getenv("SINEW_SCRATCH_DIR")) {
    fprintf(stderr, "SINEW_PROGRAM and SINEW_SCRATCH_DIR must be set; run ctest\n");
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_help),
      cmocka_unit_test(test_help_examples),
      cmocka_unit_test(test_version),
      cmocka_unit_test(test_bad_usage),
      cmocka_unit_test(test_bad_files),
      cmocka_unit_test(test_info_json),
      cmocka_unit_test(test_info_json_of_bvh),
      cmocka_unit_test(test_info_table),
      cmocka_unit_test(test_json_of_odd_bytes),
      cmocka_unit_test(test_fk_of_two_links),
      cmocka_unit_test(test_fk_without_tip_gives_all_links),
      cmocka_unit_test(test_fk_refusals),
      cmocka_unit_test(test_fk_over_own_motion),
      cmocka_unit_test(test_fk_over_motion_of_another_bvh),
      cmocka_unit_test(test_fk_over_csv),
      cmocka_unit_test(test_csv_of_several_values),
      cmocka_unit_test(test_csv_quotes),
      cmocka_unit_test(test_bad_csv),
      cmocka_unit_test(test_out_is_what_standard_output_gets),
      cmocka_unit_test(test_failed_output),
      cmocka_unit_test(test_full_disk),
      cmocka_unit_test(test_solve_reaches),
      cmocka_unit_test(test_solve_tolerance),
      cmocka_unit_test(test_solve_seed),
      cmocka_unit_test(test_solve_out_of_reach),
      cmocka_unit_test(test_solve_step_limit),
      cmocka_unit_test(test_solve_names_the_limit),
      cmocka_unit_test(test_solve_several_tips),
      cmocka_unit_test(test_solve_bvh),
      cmocka_unit_test(test_solve_table),
      cmocka_unit_test(test_solve_refusals),
      cmocka_unit_test(test_locale),
      cmocka_unit_test(test_panda),
      cmocka_unit_test(test_nao),
      cmocka_unit_test(test_walk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
