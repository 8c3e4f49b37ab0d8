// Names as the program sinew prints them: no control character of a file or of the command line
// reaches the terminal.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli_run.h"

// U+009B begins a control sequence, as ESC [ does; as UTF-8, and as the byte of Latin-1.
#define CSI "\xC2\x9B"

static void expect_no_control(const char *text) {
  for (const unsigned char *byte = (const unsigned char *)text; *byte != '\0'; ++byte) {
    bool c0 = (*byte < 0x20 && *byte != '\n') || *byte == 0x7F;
    bool c1 = byte[0] == 0xC2 && byte[1] >= 0x80 && byte[1] < 0xA0;
    if (c0 || c1)
      fail_msg("byte %02x in '%s'", *byte, text);
  }
}

// @param escape that stands for a control character somewhere in the output
static void expect_escapes(result got, int exit_code, const char *escape) {
  expect_no_control(got.out);
  expect_no_control(got.err);
  if (got.exit_code != exit_code || (!strstr(got.out, escape) && !strstr(got.err, escape)))
    fail_msg("exit %d, no '%s' in '%s' '%s'", got.exit_code, escape, got.out, got.err);
  release(&got);
}

static const char *odd_file(void) {
  return write_all("odd.urdf",
                   "<robot name='a&#10;b'><link name='root" CSI "'/><link name='x&#10;" CSI "2J'/>"
                   "<joint name='j" CSI "31m&#10;' type='revolute'><parent link='root" CSI "'/>"
                   "<child link='x&#10;" CSI "2J'/><axis xyz='0 0 1'/>"
                   "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
                   "</robot>");
}

#define ODD_LINK "x\n" CSI "2J"

static void names_are_escaped(void **state) {
  (void)state;
  const char *model = odd_file();
  expect_escapes(RUN(W("info"), W(model)), 0, "a\\x0ab: 1 degree");
  expect_escapes(RUN(W("info"), W(model)), 0, "possible effectors: x\\x0a\\u009b2J");
  expect_escapes(RUN(W("fk"), W(model)), 0, "x\\x0a\\u009b2J");
  expect_escapes(
      RUN(W("solve"), W(model), W("--tip"), W(ODD_LINK), W("--orientation"), W("0,0,0,1")), 1,
      "most by j\\u009b31m\\x0a");
  expect_escapes(RUN(W("solve"), W(model), W("--tip"), W(ODD_LINK), W("--orientation"),
                     W("1,0,0,0"), W("--all"), W("2")),
                 0, "j\\u009b31m\\x0a");
  expect_escapes(RUN(W("fk"), W(model), W("--tip"), W("\x1b[31m")), 2, "'\\x1b[31m'");
  expect_escapes(RUN(W("fk"), W(model), W("--tip"), W("nowhere")), 2,
                 "possible effectors: x\\x0a\\u009b2J");
  expect_escapes(RUN(W("info"), W("\x1b]0;title\x07")), 2, "\\x1b]0;title\\x07");
  expect_escapes(RUN(W("info"), W("m"), W("--\x1b[1m")), 2, "--\\x1b[1m");
  expect_escapes(RUN(W("\x9bm")), 2, "'\\x9bm'");
}

static void reports_are_escaped(void **state) {
  (void)state;
  const char *model = odd_file();
  const char *targets = write_all("odd.csv", "time,\"" ODD_LINK ".qw\",\"" ODD_LINK
                                             ".qx\",\"" ODD_LINK ".qy\",\"" ODD_LINK ".qz\"\n"
                                             "0,1,0,0,0\n1,1,0,0,0.2\n");
  expect_escapes(
      RUN(W("track"), W(model), W("--targets"), W(targets), W("--out"), W(scratch("odd-out.csv"))),
      0, "rad (x\\x0a\\u009b2J, frame");
  const char *rows = write_all("rows.csv", "\"" ODD_LINK ".qw\",\"" ODD_LINK ".qx\",\"" ODD_LINK
                                           ".qy\",\"" ODD_LINK ".qz\"\n1,0,\x1b[2J,0\n");
  remove(scratch("rows-out.csv"));
  expect_escapes(RUN(W("batch"), W(model), W("--tip"), W(ODD_LINK), W("--targets"), W(rows),
                     W("--out"), W(scratch("rows-out.csv")), W("--bank"), W("0")),
                 0, "x\\x0a\\u009b2J.qy is not a finite number");
  const char *header = write_all("header.csv", "time,\x1b[2J\n0,0\n");
  expect_escapes(
      RUN(W("track"), W(model), W("--targets"), W(header), W("--out"), W(scratch("odd-out.csv"))),
      2, "\\x1b[2J");
}

// Letters that are not control characters are printed as they are, and tables stay aligned.
static void letters_are_kept(void **state) {
  (void)state;
  const char *model =
      write_all("letters.urdf", "<robot name='r'><link name='a'/><link name='Hüfte'/>"
                                "<joint name='längs' type='fixed'><parent link='a'/>"
                                "<child link='Hüfte'/></joint></robot>");
  result got = RUN(W("fk"), W(model));
  assert_int_equal(got.exit_code, 0);
  // Names of one and of five letters, padded to the same column.
  assert_int_equal(strncmp(line_of(got.out, 1), "a        ", 7), 0);
  assert_int_equal(strncmp(line_of(got.out, 2), "Hüfte ", strlen("Hüfte ")), 0);
  const char *a = strstr(line_of(got.out, 1), "0.000"), *b = strstr(line_of(got.out, 2), "0.000");
  // The two bytes of a letter occupy one column.
  assert_int_equal(a - line_of(got.out, 1) + 1, b - line_of(got.out, 2));
  release(&got);
}

// ---- JSON ----

// Members of an object that are named after joints of a BVH, whose names may hold any bytes.
static const char *byte_names_file(void) {
  return write_all("bytes.bvh", "HIERARCHY\nROOT a\x9b\n{\nOFFSET 0 0 0\n"
                                "CHANNELS 1 Zrotation\n"
                                "JOINT a\x9c\n{\nOFFSET 1 0 0\nCHANNELS 1 Zrotation\n"
                                "JOINT a\\x9c\n{\nOFFSET 1 0 0\nCHANNELS 1 Zrotation\n"
                                "JOINT C:\\dir\n{\nOFFSET 1 0 0\nCHANNELS 1 Zrotation\n"
                                "End Site\n{\nOFFSET 1 0 0\n}\n}\n}\n}\n}\n"
                                "MOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 4\n");
}

// Names that differ in bytes that are no UTF-8 only are different members; a name that spells an
// escape is another one still, and a name without such bytes stays as it is.
static void names_of_other_bytes_are_other_members(void **state) {
  (void)state;
  result got = RUN(W("fk"), W(byte_names_file()), W("--q"), W("1,2,3,4"), W("--json"));
  json_t *root = parse_output(&got, 0), *q = json_object_get(root, "q");
  assert_int_equal(json_object_size(q), 4);
  assert_true(number_of(q, "a\\x9b") == 1.0 && number_of(q, "a\\x9c") == 2.0 &&
              number_of(q, "a\\x5cx9c") == 3.0 && number_of(q, "C:\\dir") == 4.0);
  json_decref(root);
  release(&got);
}

// JSON on a terminal: its control characters are escaped, and it says the same.
static void json_is_escaped(void **state) {
  (void)state;
  expect_escapes(RUN(W("info"), W(odd_file()), W("--json")), 0, "\"j\\u009b31m\\n\"");
  const char *model =
      write_all("delete.urdf", "<robot name='r'><link name='a&#x7f;&#x202e;b&#x9b;'/></robot>");
  result got = RUN(W("info"), W(model), W("--json"));
  expect_no_control(got.out);
  assert_non_null(strstr(got.out, "\"a\\u007f\\u202eb\\u009b\""));
  json_t *root = parse_output(&got, 0);
  assert_string_equal(json_string_value(json_array_get(json_object_get(root, "links"), 0)),
                      "a\x7f\xE2\x80\xAE"
                      "b" CSI);
  json_decref(root);
  release(&got);
}

// ---- Letters that mislead ----

// What changes the direction of letters, and a name that spells the escape of another.
static void misleading_names_are_escaped(void **state) {
  (void)state;
  const char *model = write_all("bidi.urdf", "<robot name='r'><link name='a&#x202e;b&#x2028;c'/>"
                                             "</robot>");
  result got = RUN(W("fk"), W(model));
  assert_non_null(strstr(got.out, "\na\\u202eb\\u2028c  "));
  release(&got);
  got = RUN(W("fk"), W(byte_names_file()));
  assert_non_null(strstr(got.out, "\na\\x9c "));
  assert_non_null(strstr(got.out, "\na\\x5cx9c "));
  assert_non_null(strstr(got.out, "\nC:\\dir "));
  release(&got);
}

// ---- CSV on a terminal ----

// Runs the program with standard output on a terminal of its own; returns what it shows.
static void run_on_terminal(char *const *words, char *shown, size_t size) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  const char *path = ptsname(terminal);
  const int held = open(path, O_RDWR | O_NOCTTY);
  assert_true(held >= 0);
  assert_int_equal(run_to(path, scratch("terminal-err"), words), 0);
  const ssize_t length = read(terminal, shown, size - 1);
  assert_true(length > 0);
  shown[length] = '\0';
  close(held);
  close(terminal);
}

// Into a file a name goes as it is; on a terminal a person reads it.
static void tables_are_escaped_on_terminals(void **state) {
  (void)state;
  const char *model = odd_file(), *targets = write_all("t.csv", "qw,qx,qy,qz\n1,0,0,0\n");
  char shown[4096];
  run_on_terminal((char *[]){W("sinew"), W("fk"), W(model), W("--out"), W("-"), NULL}, shown,
                  sizeof shown);
  assert_non_null(strstr(shown, "x\\x0a\\u009b2J.qz"));
  assert_null(strstr(shown, CSI));
  run_on_terminal((char *[]){W("sinew"), W("batch"), W(model), W("--tip"), W(ODD_LINK),
                             W("--targets"), W(targets), W("--out"), W("-"), W("--bank"), W("0"),
                             NULL},
                  shown, sizeof shown);
  assert_non_null(strstr(shown, "steps,j\\u009b31m\\x0a"));
  assert_null(strstr(shown, CSI));
  result got = RUN(W("fk"), W(model), W("--out"), W("-"));
  assert_non_null(strstr(got.out, ODD_LINK ".qz"));
  release(&got);
}

// ---- The files of an experiment ----

static void names_of_clips_are_escaped(void **state) {
  (void)state;
  char folder[1100], path[1200];
  snprintf(folder, sizeof folder, "%s", scratch("clips"));
  snprintf(path, sizeof path, "%s/a" CSI "31m.bvh", folder);
  assert_true(mkdir(folder, 0777) == 0 || errno == EEXIST);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("HIERARCHY\n", file);
  assert_int_equal(fclose(file), 0);
  expect_escapes(RUN(W("experiment"), W("trackers"), W("--brief"), W("--clips"), W(folder)), 2,
                 "a\\u009b31m.bvh: skipped");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_escaped),
      cmocka_unit_test(reports_are_escaped),
      cmocka_unit_test(letters_are_kept),
      cmocka_unit_test(names_of_other_bytes_are_other_members),
      cmocka_unit_test(json_is_escaped),
      cmocka_unit_test(misleading_names_are_escaped),
      cmocka_unit_test(tables_are_escaped_on_terminals),
      cmocka_unit_test(names_of_clips_are_escaped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
