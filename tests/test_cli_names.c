// Names as the program sinew prints them: no control character of a file or of the command line
// reaches the terminal.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_escaped),
      cmocka_unit_test(reports_are_escaped),
      cmocka_unit_test(letters_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
