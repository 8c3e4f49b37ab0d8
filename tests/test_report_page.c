// The page and the pictures of the example report, with names that would be markup, commands of
// gnuplot or control sequences if they were copied.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "examples/report/page.h"
#include "examples/report/picture.h"

// Markup, an attribute's end, both quotes, a command for gnuplot, ESC, and U+009B of two bytes.
#define HOSTILE                                                                                    \
  "</td><script>alert(1)</script>\"'`touch x`\n&amp;\x1b[31m\xC2\x9B"                              \
  "1m"
#define ESCAPED                                                                                    \
  "&#60;/td&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;`touch x`&#xFFFD;&#38;amp;"     \
  "&#xFFFD;[31m&#xFFFD;1m"

_Noreturn void report_fail(const char *what, const char *why) {
  fail_msg("%s: %s", what, why);
  abort();
}

static const char *path_of(const char *name) {
  static char path[1200];
  snprintf(path, sizeof path, "%s/%s", getenv("SINEW_SCRATCH_DIR"), name);
  return path;
}

static char *read_file(const char *name) {
  FILE *file = fopen(path_of(name), "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  return text;
}

static void write_file(const char *name, const char *text) {
  FILE *file = fopen(path_of(name), "wb");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static int count_of(const char *text, const char *part) {
  int count = 0;
  while ((text = strstr(text, part)) != NULL) {
    ++count;
    ++text;
  }
  return count;
}

// A scene of one link whose texts are all hostile. The picture's name is part of a path.
static report_scene hostile_scene(void) {
  return (report_scene){.name = "hostile\"><b>",
                        .title = HOSTILE,
                        .text = HOSTILE,
                        .file = HOSTILE,
                        .goals = {{.link = HOSTILE, .kind = SINEW_TASK_POSE}},
                        .goal_count = 1};
}

static report_result result_of(const report_scene *scene) {
  static double before[1][3] = {{0, 0, 0}}, after[1][3] = {{1, 1, 1}};
  sinew_link_def link = sinew_default_link_def();
  sinew_model_def def = sinew_default_model_def();
  report_result result = {.scene = scene,
                          .length_unit = "m",
                          .link_count = 1,
                          .before = before,
                          .after = after,
                          .start = {{.position = 1}},
                          .end = {{.position = 1}}};
  link.name = HOSTILE;
  def.links = &link;
  def.link_count = 1;
  assert_int_equal(sinew_model_create(&def, &result.model, NULL), SINEW_OK);
  result.targets[0] = sinew_default_target();
  return result;
}

static void test_names_in_the_page_are_text(void **state) {
  (void)state;
  const report_scene scene = hostile_scene();
  report_result result = result_of(&scene);
  char folder[1100];
  snprintf(folder, sizeof folder, "%s", path_of("page"));
  mkdir(folder, 0777);
  write_file("page/hostile\"><b>.svg", "<svg></svg>\n");
  report_write_page(folder, &result, 1);
  char *page = read_file("page/report.html");
  // Twice the title, the text, the file and the link.
  assert_int_equal(count_of(page, ESCAPED), 5);
  assert_int_equal(count_of(page, "hostile&#34;&#62;&#60;b&#62;"), 2);
  assert_int_equal(count_of(page, "<script"), 0);
  assert_int_equal(count_of(page, "<b>"), 0);
  assert_int_equal(count_of(page, "\x1b"), 0);
  assert_int_equal(count_of(page, "\xC2\x9B"), 0);
  free(page);
  sinew_model_destroy(result.model);
}

// A program in gnuplot's place keeps what it is given.
static void test_names_in_pictures_are_text(void **state) {
  (void)state;
  const report_scene scene = hostile_scene();
  report_result result = result_of(&scene);
  char folder[1100], path[8192];
  snprintf(folder, sizeof folder, "%s", path_of("bin"));
  mkdir(folder, 0777);
  write_file("bin/gnuplot", "#!/bin/sh\ncat >\"$SINEW_SCRATCH_DIR/gnuplot-input\"\n");
  assert_int_equal(chmod(path_of("bin/gnuplot"), 0755), 0);
  snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
  assert_int_equal(setenv("PATH", path, 1), 0);
  const report_panel panels[] = {{&result, false, HOSTILE}, {&result, true, HOSTILE}};
  report_draw("picture.svg", panels, 2);
  char *input = read_file("gnuplot-input");
  // In single quotes, which gnuplot does not search for commands; a quote in them is doubled.
  const char *quoted = " '</td><script>alert(1)</script>\"''`touch x`?&amp;?[31m\xC2\x9B"
                       "1m' ";
  assert_true(count_of(input, quoted) == count_of(input, "`touch x`"));
  assert_true(count_of(input, quoted) >= 3);
  free(input);
  sinew_model_destroy(result.model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_in_the_page_are_text),
      cmocka_unit_test(test_names_in_pictures_are_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
