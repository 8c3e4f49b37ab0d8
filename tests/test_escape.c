// sinew_text_escape(): what it writes, and what it writes where there is less room.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/formats.h"

static void expect(const char *text, sinew_text_use use, const char *wanted) {
  char out[256];
  assert_int_equal(sinew_text_escape(text, use, out, sizeof out), strlen(wanted));
  assert_string_equal(out, wanted);
}

// req: D22
static void letters_are_escaped_by_use(void **state) {
  (void)state;
  expect("arm \xC3\xA9\\n", SINEW_TEXT_PRINTED, "arm \xC3\xA9\\n");
  expect("\x1b[2J\n\x7f", SINEW_TEXT_PRINTED, "\\x1b[2J\\x0a\\x7f");
  expect("\xC2\x9B\xE2\x80\xAE", SINEW_TEXT_PRINTED, "\\u009b\\u202e");
  expect("\x9b\xC3", SINEW_TEXT_PRINTED, "\\x9b\\xc3");
  expect("\\x1b", SINEW_TEXT_PRINTED, "\\x5cx1b");
  expect("\x1b\x9b", SINEW_TEXT_NAME, "\x1b\\x9b");
  expect("\n\x7f", SINEW_TEXT_JSON, "\n\\u007f");
  expect("", SINEW_TEXT_PRINTED, "");
}

// Nothing beyond size is written, whole letters only, and always an end.
static void little_room_cuts_between_letters(void **state) {
  (void)state;
  static const char text[] = "a\x1b"
                             "b\xC3\xA9";
  static const char whole[] = "a\\x1bb\xC3\xA9";
  static const size_t ends[] = {0, 1, 5, 6, 8}; // of the letters in whole
  assert_int_equal(sinew_text_escape(text, SINEW_TEXT_PRINTED, NULL, 0), 8);
  for (size_t size = 1; size <= sizeof whole + 1; ++size) {
    char out[16];
    size_t wanted = 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i)
      if (ends[i] < size)
        wanted = ends[i];
    memset(out, '#', sizeof out);
    assert_int_equal(sinew_text_escape(text, SINEW_TEXT_PRINTED, out, size), 8);
    assert_int_equal(strlen(out), wanted);
    assert_memory_equal(out, whole, wanted);
    assert_int_equal(out[size], '#');
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(letters_are_escaped_by_use),
      cmocka_unit_test(little_room_cuts_between_letters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
