// Runs the program sinew as a user does, and reads its output.
#include "cli_run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PATH_SIZE 1024

// ---- Running the program ----

// The path of a file to write; valid while the program runs.
const char *scratch(const char *name) {
  static char paths[96][PATH_SIZE];
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s-%s", getenv("SINEW_SCRATCH_DIR"),
           program_invocation_short_name, name);
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
    if (paths[i][0] == '\0')
      memcpy(paths[i], path, sizeof path);
    if (strcmp(paths[i], path) == 0)
      return paths[i];
  }
  fail_msg("too many files");
  return NULL;
}

char *read_all(const char *path) {
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

const char *write_all(const char *name, const char *text) {
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
int run_to(const char *out, const char *err, char *const *words) {
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

result run_words(char *const *words) {
  const char *out = scratch("stdout"), *err = scratch("stderr");
  result got = {.exit_code = run_to(out, err, words)};
  got.out = read_all(out);
  got.err = read_all(err);
  return got;
}

void release(result *got) {
  free(got->out);
  free(got->err);
}

// Expects a refusal: exit code 2, nothing on standard output, and a message on
// standard error that begins with "sinew: " and holds each of the words.
void expect_refusal(result got, const char *first, const char *second) {
  if (got.exit_code != 2 || strncmp(got.err, "sinew: ", 7) != 0 || !strstr(got.err, first) ||
      !strstr(got.err, second) || got.out[0] != '\0')
    fail_msg("exit %d, out '%.200s', err '%s', wanted '%s' and '%s'", got.exit_code, got.out,
             got.err, first, second);
  release(&got);
}

json_t *parse_output(const result *got, int exit_code) {
  json_error_t error;
  json_t *root = json_loads(got->out, JSON_REJECT_DUPLICATES, &error);
  if (!root || got->exit_code != exit_code)
    fail_msg("exit %d, JSON '%s': %s; err '%s'", got->exit_code, root ? "good" : error.text,
             got->out, got->err);
  return root;
}

double number_of(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  if (!json_is_number(value))
    fail_msg("no number '%s'", name);
  return json_number_value(value);
}

const char *text_of(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  if (!json_is_string(value))
    fail_msg("no text '%s'", name);
  return json_string_value(value);
}

void assert_near(double value, double wanted, double tolerance) {
  if (!(fabs(value - wanted) <= tolerance))
    fail_msg("%.17g is not within %g of %.17g", value, tolerance, wanted);
}

// ---- Models ----

// Two links in the x-z plane as in textbooks, lengths 0.7 and 0.5 m: the axis -y rotates x towards
// z. A gripper of two coupled fingers at the tip.
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

const char *two_link_file(void) {
  return write_all("two_link.urdf", two_link);
}

const char *two_bones_file(void) {
  return write_all("two_bones.bvh", two_bones);
}

const json_t *tip_of(const json_t *root, const char *array, const char *link) {
  size_t index;
  json_t *item;
  json_array_foreach(json_object_get(root, array), index,
                     item) if (strcmp(text_of(item, "link"), link) == 0) return item;
  fail_msg("no tip '%s'", link);
  return NULL;
}

double element(const json_t *object, const char *name, size_t index) {
  const json_t *value = json_array_get(json_object_get(object, name), index);
  if (!json_is_number(value))
    fail_msg("no number %zu of '%s'", index, name);
  return json_number_value(value);
}

const char *line_of(const char *text, int k) {
  for (; k > 0; --k) {
    text = strchr(text, '\n');
    assert_non_null(text);
    ++text;
  }
  return text;
}

int line_count(const char *text) {
  int count = 0;
  for (; *text != '\0'; ++text)
    count += *text == '\n';
  return count;
}
