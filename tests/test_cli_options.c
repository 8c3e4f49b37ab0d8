// The options of the program sinew: help, manual page, wrong values and names, for every option
// of every command.
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

#define MOST_OPTIONS 128
#define COLUMNS 80

static const char *const commands[] = {"info",  "fk",   "solve",     "track",
                                       "batch", "view", "experiment"};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

// An option as a help text shows it.
typedef struct option {
  char name[32];  // with its dashes
  char value[32]; // "" for a flag, "[FILE]" where it is optional
} option;

typedef struct option_list {
  option options[MOST_OPTIONS];
  int count;
} option_list;

static const option *find_option(const option_list *list, const char *name) {
  for (int i = 0; i < list->count; ++i)
    if (strcmp(list->options[i].name, name) == 0)
      return &list->options[i];
  return NULL;
}

static void add_option(option_list *list, const char *name, const char *value) {
  assert_true(list->count < MOST_OPTIONS);
  option *added = &list->options[list->count++];
  snprintf(added->name, sizeof added->name, "%s", name);
  snprintf(added->value, sizeof added->value, "%s", value);
}

// The options that a command's help describes: lines of two blanks and a name, between "options:"
// and the next empty line.
static option_list options_of(const char *command) {
  option_list list = {.count = 0};
  result got = RUN(W(command), W("--help"));
  assert_int_equal(got.exit_code, 0);
  assert_string_equal(got.err, "");
  const char *line = strstr(got.out, "\noptions:\n");
  assert_non_null(line);
  for (line += strlen("\noptions:\n"); *line != '\n'; line = strchr(line, '\n') + 1) {
    char name[32] = "", value[32] = "";
    if (strncmp(line, "  --", 4) != 0)
      continue;
    // A value follows the name after one blank, the text after at least two.
    int fields = sscanf(line, "  %31[a-z-]%*1[ ]%31[^ \n]", name, value);
    if (find_option(&list, name))
      fail_msg("%s --help describes %s twice", command, name);
    add_option(&list, name, fields == 2 ? value : "");
  }
  release(&got);
  assert_true(list.count > 0);
  return list;
}

// ---- Help ----

static void expect_narrow(const char *text) {
  for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
    if (strchr(line, '\n') - line > COLUMNS)
      fail_msg("a line of more than %d columns: %.100s", COLUMNS, line);
}

// 'sinew --help' names every command.
static void main_help_names_every_command(void **state) {
  (void)state;
  result got = RUN(W("--help"));
  assert_int_equal(got.exit_code, 0);
  assert_string_equal(got.err, "");
  expect_narrow(got.out);
  for (int c = 0; c < COMMAND_COUNT; ++c) {
    char line[64];
    snprintf(line, sizeof line, "\n  sinew %-10s ", commands[c]);
    assert_non_null(strstr(got.out, line));
  }
  release(&got);
}

static void every_help_describes_its_options(void **state) {
  (void)state;
  for (int c = 0; c < COMMAND_COUNT; ++c) {
    result got = RUN(W(commands[c]), W("--help")), brief = RUN(W(commands[c]), W("-h"));
    char usage[64];
    snprintf(usage, sizeof usage, "usage: sinew %s ", commands[c]);
    assert_int_equal(strncmp(got.out, usage, strlen(usage)), 0);
    assert_non_null(strstr(got.out, "\nexamples:\n  sinew "));
    assert_string_equal(brief.out, got.out);
    expect_narrow(got.out);
    const option_list list = options_of(commands[c]);
    assert_non_null(find_option(&list, "--help"));
    release(&got);
    release(&brief);
  }
}

// --help is answered whatever else is missing, and nothing after it is read.
static void help_comes_first(void **state) {
  (void)state;
  result got = RUN(W("solve"), W("no such model"), W("--help"), W("--no-such-option"));
  assert_int_equal(got.exit_code, 0);
  assert_string_equal(got.err, "");
  release(&got);
}

// The defaults are those of the library, or in words.
static void defaults_are_shown(void **state) {
  (void)state;
  static const char *const shown[][2] = {{"fk", "Default: zero\n"},
                                         {"solve", "Default: middle\n"},
                                         {"solve", "1e-06\n"},
                                         {"solve", "weighted. Default: default\n"},
                                         {"track", "a quarter of the model's size\n"},
                                         {"track", "per frame. Default: 1\n"},
                                         {"batch", "every half\n"}};
  for (size_t i = 0; i < sizeof shown / sizeof shown[0]; ++i) {
    result got = RUN(W(shown[i][0]), W("--help"));
    if (!strstr(got.out, shown[i][1]))
      fail_msg("%s --help has no '%s'", shown[i][0], shown[i][1]);
    release(&got);
  }
}

// ---- The manual page ----

// Adds the options of a line of the manual page: "Fl -name".
static void add_flags(option_list *list, const char *line, size_t length) {
  char text[512], name[32];
  assert_true(length < sizeof text);
  memcpy(text, line, length);
  text[length] = '\0';
  for (const char *place = text; (place = strstr(place, "Fl -")); ++place)
    if (sscanf(place, "Fl -%30[a-z-]", name + 1) == 1) {
      name[0] = '-';
      char dashed[40];
      snprintf(dashed, sizeof dashed, "-%s", name);
      if (!find_option(list, dashed))
        add_option(list, dashed, "");
    }
}

// The options that the manual page names in lines with a given beginning, from one line to the next
// that begins with one of two words.
static option_list man_options(const char *page, const char *from, const char *until,
                               const char *only) {
  option_list list = {.count = 0};
  const char *line = strstr(page, from);
  if (!line)
    fail_msg("the manual page has no line '%s'", from + 1);
  for (line = strchr(line + 1, '\n') + 1; *line != '\0' && strncmp(line, until, strlen(until)) != 0;
       line = strchr(line, '\n') + 1) {
    if (strncmp(line, ".Sh ", 4) == 0 || strncmp(line, ".Ss ", 4) == 0)
      break;
    if (strncmp(line, only, strlen(only)) == 0)
      add_flags(&list, line, strcspn(line, "\n"));
  }
  return list;
}

static void expect_all(const option_list *some, const option_list *all, const option_list *more,
                       const char *command, const char *where) {
  for (int i = 0; i < some->count; ++i)
    if (!find_option(all, some->options[i].name) &&
        !(more && find_option(more, some->options[i].name)))
      fail_msg("sinew %s: %s is not %s", command, some->options[i].name, where);
}

static void manual_page_has_every_option(void **state) {
  (void)state;
  char path[1024], from[64];
  snprintf(path, sizeof path, "%s/docs/man/sinew.1", getenv("SINEW_SOURCE_DIR"));
  char *page = read_all(path);
  const option_list common = man_options(page, "\n.Ss Common options\n", ".Ss", ".It ");
  option_list all = {.count = 0};
  for (int c = 0; c < COMMAND_COUNT; ++c) {
    const option_list program = options_of(commands[c]);
    for (int i = 0; i < program.count; ++i)
      if (!find_option(&all, program.options[i].name))
        add_option(&all, program.options[i].name, "");

    snprintf(from, sizeof from, "\n.Ss %s\n", commands[c]);
    const option_list described = man_options(page, from, ".Ss", ".It ");
    expect_all(&described, &program, NULL, commands[c], "an option of the program");
    expect_all(&program, &described, &common, commands[c], "described in the manual page");

    snprintf(from, sizeof from, "\n.Cm %s\n", commands[c]);
    const option_list listed = man_options(page, from, ".Nm", ".");
    option_list help = {.count = 0};
    add_option(&help, "--help", "");
    expect_all(&listed, &program, NULL, commands[c], "an option of the program");
    expect_all(&program, &listed, &help, commands[c], "in the manual page's synopsis");
  }
  expect_all(&common, &all, NULL, "COMMAND", "an option of the program");
  free(page);
}

// ---- Values ----

// A value that an option refuses before any file is read.
static const char *wrong_value(const char *name) {
  static const char *const wrong[][2] = {{"--tip", ""},
                                         {"--pose", "1,2,3"},
                                         {"--position", "1,2"},
                                         {"--orientation", "1"},
                                         {"--direction", "1,2,north"},
                                         {"--axis", "0,0,1,0"},
                                         {"--look-at", "1,2"},
                                         {"--tool", "0,0,0,1"},
                                         {"--frame", ""},
                                         {"--root", ""},
                                         {"--level", "101"},
                                         {"--tasks", ""},
                                         {"--q", ""},
                                         {"--targets", ""},
                                         {"--seeds", ""},
                                         {"--out", ""},
                                         {"--seed", ""},
                                         {"--all", "0"},
                                         {"--tolerance", "abc"},
                                         {"--max-starts", "1.5"},
                                         {"--time-limit", "-1"},
                                         {"--method", "magic"},
                                         {"--max-steps", "-1"},
                                         {"--damping", "-1"},
                                         {"--constant-damping", "-1"},
                                         {"--rpy", "0,1"},
                                         {"--posture", ""},
                                         {"--freeze", ""},
                                         {"--error-damping", "-1e-9"},
                                         {"--damping-floor", "none"},
                                         {"--dls-form", "largest"},
                                         {"--damping-law", "best"},
                                         {"--damping-threshold", "0"},
                                         {"--damping-scale", "0"},
                                         {"--singular-cut", "1"},
                                         {"--error-clamp", "0"},
                                         {"--max-turn", "-0.1"},
                                         {"--max-change", "inf"},
                                         {"--error-gain", "1.01"},
                                         {"--speed", "1.01"},
                                         {"--acceleration", "0"},
                                         {"--margin", "-1"},
                                         {"--updates", "0"},
                                         {"--cut", "0"},
                                         {"--network", ""},
                                         {"--bank", "many"},
                                         {"--lanes", "3"},
                                         {"--threads", "0"},
                                         {"--shard", "5"},
                                         {"--chunk", "1e99"},
                                         {"--motion", ""},
                                         {"--clips", ""}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    if (strcmp(wrong[i][0], name) == 0)
      return wrong[i][1];
  fail_msg("this test has no wrong value for %s", name);
  return NULL;
}

static bool is_target(const char *name) {
  static const char *const names[] = {"--pose", "--position", "--orientation", "--direction",
                                      "--axis", "--look-at",  "--tool",        "--frame",
                                      "--root", "--level"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

static void expect_wrong_value(const char *command, const option *wanted) {
  char joined[128];
  const char *value = wrong_value(wanted->name);
  snprintf(joined, sizeof joined, "%s=%s", wanted->name, value);
  if (is_target(wanted->name)) {
    expect_refusal(RUN(W(command), W("m"), W("--tip"), W("t"), W(wanted->name), W(value)),
                   wanted->name, "takes");
    return;
  }
  expect_refusal(RUN(W(command), W("m"), W(wanted->name), W(value)), wanted->name, "takes");
  expect_refusal(RUN(W(command), W("m"), W(joined)), wanted->name, "takes");
}

static void wrong_values_are_refused(void **state) {
  (void)state;
  int number = 0;
  for (int c = 0; c < COMMAND_COUNT; ++c) {
    const option_list list = options_of(commands[c]);
    for (int i = 0; i < list.count; ++i) {
      const option *wanted = &list.options[i];
      if (!is_sampled(number++))
        continue;
      if (wanted->value[0] != '\0') {
        expect_wrong_value(commands[c], wanted);
        continue;
      }
      char joined[64];
      snprintf(joined, sizeof joined, "%s=1", wanted->name);
      expect_refusal(RUN(W(commands[c]), W("m"), W(joined)), wanted->name, "takes no value");
    }
  }
}

// A value that is missing: at the end of the line, or where another option follows.
static void missing_values_are_refused(void **state) {
  (void)state;
  int number = 0;
  for (int c = 0; c < COMMAND_COUNT; ++c) {
    const option_list list = options_of(commands[c]);
    for (int i = 0; i < list.count; ++i) {
      const option *wanted = &list.options[i];
      if (wanted->value[0] == '\0' || wanted->value[0] == '[' || !is_sampled(number++))
        continue;
      expect_refusal(RUN(W(commands[c]), W("m"), W(wanted->name)), wanted->name, "needs a value");
      expect_refusal(RUN(W(commands[c]), W("m"), W(wanted->name), W("--help")), wanted->name,
                     "needs a value");
    }
  }
}

// Ranges are in the messages.
static void ranges_are_in_the_messages(void **state) {
  (void)state;
  static const char *const cases[][4] = {
      {"solve", "--tolerance", "0", "takes a number above 0 [m and rad], not '0'"},
      {"solve", "--tolerance", "inf", "takes a number above 0 [m and rad], not 'inf'"},
      {"solve", "--max-starts", "99999999999", "takes a whole number of at least 1, not"},
      {"solve", "--all", "1000001", "takes a whole number from 1 to 1000000, not"},
      {"track", "--updates", "1000001", "takes a whole number from 1 to 1000000, not"},
      {"experiment", "--updates", "1001", "takes a whole number from 1 to 1000, not"},
      {"batch", "--threads", "1025", "takes a whole number from 1 to 1024, not"},
      {"track", "--singular-cut", "0", "takes a number above 0 and below 1, not '0'"},
      {"track", "--error-gain", "2", "takes a number above 0, at most 1, not '2'"},
      {"batch", "--lanes", "16", "takes one of 1, 2, 4, 8, not '16'"},
      {"track", "--method", "", "takes one of default, transpose, pseudoinverse, dls, sdls"},
      {"fk", "--out", "", "takes the name of a file"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    expect_refusal(RUN(W(cases[i][0]), W("m"), W(cases[i][1]), W(cases[i][2])), cases[i][1],
                   cases[i][3]);
}

// Of two values of an option one would have no effect. Flags may be repeated.
static void options_given_twice_are_refused(void **state) {
  (void)state;
  static const char *const cases[][3] = {
      {"solve", "--freeze", "joint1"},    {"solve", "--posture", "rest.json"},
      {"solve", "--margin", "0.1"},       {"solve", "--seed", "0"},
      {"solve", "--tasks", "tasks.json"}, {"track", "--method", "dls"},
      {"batch", "--threads", "1"},        {"batch", "--shard", "1/2"},
      {"fk", "--out", "out.csv"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char expected[64];
    snprintf(expected, sizeof expected, "%s is given twice; it takes one value", cases[i][1]);
    expect_refusal(
        RUN(W(cases[i][0]), W("m"), W(cases[i][1]), W(cases[i][2]), W(cases[i][1]), W(cases[i][2])),
        cases[i][0], expected);
  }
  expect_refusal(RUN(W("solve"), W("m"), W("--json"), W("--json"), W("--tolerance"), W("x")),
                 "--tolerance", "not 'x'");
}

// ---- Names ----

// Every name with its last letter doubled, and its first letter alone.
static void unknown_options_are_refused(void **state) {
  (void)state;
  int number = 0;
  for (int c = 0; c < COMMAND_COUNT; ++c) {
    const option_list list = options_of(commands[c]);
    for (int i = 0; i < list.count; ++i) {
      const char *name = list.options[i].name;
      char wrong[64], quoted[64];
      if (!is_sampled(number++))
        continue;
      snprintf(wrong, sizeof wrong, "%s%c=1", name, name[strlen(name) - 1]);
      snprintf(quoted, sizeof quoted, "did you mean '%s'", name);
      expect_refusal(RUN(W(commands[c]), W("m"), W(wrong)), "there is no option", quoted);
      snprintf(quoted, sizeof quoted, "'%s'", name);
      expect_refusal(RUN(W(commands[c]), W("m"), W(name + 1)), "there is no option", quoted);
    }
  }
  expect_refusal(RUN(W("solve"), W("m"), W("--toler"), W("1")),
                 "'--toler'; did you mean '--tolerance'", "See 'sinew solve --help'");
  expect_refusal(RUN(W("info"), W("m"), W("--quite-another")), "'--quite-another'. See", "info");
  // An option of another command is unknown to this one.
  expect_refusal(RUN(W("info"), W("m"), W("--tolerance"), W("1")), "no option '--tolerance'", "");
}

// ---- Words and values ----

static void two_dashes_end_the_options(void **state) {
  (void)state;
  expect_refusal(RUN(W("info"), W("--"), W("--json")), "--json: there is no such file", "");
  result got = RUN(W("info"), W("--"), W(two_link_file()));
  assert_int_equal(got.exit_code, 0);
  release(&got);
}

// A value may begin with a dash, and may be joined by "=".
static void values_may_begin_with_a_dash(void **state) {
  (void)state;
  result apart = RUN(W("fk"), W(two_link_file()), W("--q"), W("-0.5,0,0"), W("--json"));
  result joined = RUN(W("fk"), W("--json"), W("--q=-0.5,0,0"), W(two_link_file()));
  assert_int_equal(apart.exit_code, 0);
  assert_string_equal(apart.out, joined.out);
  release(&apart);
  release(&joined);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(main_help_names_every_command),
      cmocka_unit_test(every_help_describes_its_options),
      cmocka_unit_test(help_comes_first),
      cmocka_unit_test(defaults_are_shown),
      cmocka_unit_test(manual_page_has_every_option),
      cmocka_unit_test(wrong_values_are_refused),
      cmocka_unit_test(missing_values_are_refused),
      cmocka_unit_test(ranges_are_in_the_messages),
      cmocka_unit_test(options_given_twice_are_refused),
      cmocka_unit_test(unknown_options_are_refused),
      cmocka_unit_test(two_dashes_end_the_options),
      cmocka_unit_test(values_may_begin_with_a_dash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
