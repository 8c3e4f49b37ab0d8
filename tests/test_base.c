// Version, strings of result codes, error reports, and incomplete allocators.
#include "near.h"
#include "sinew/sinew.h"
#include "link.h"

#include <stdbool.h>

static void version_is_that_of_the_header(void **unused) {
  (void)unused;
  int major = -1, minor = -1, patch = -1;
  assert_int_equal(sscanf(sinew_version(), "%d.%d.%d", &major, &minor, &patch), 3);
  assert_int_equal(major, SINEW_VERSION_MAJOR);
  assert_int_equal(minor, SINEW_VERSION_MINOR);
  assert_int_equal(patch, SINEW_VERSION_PATCH);
}

// Each code has its own string, and an invalid one has one too.
static void every_result_has_a_string(void **unused) {
  (void)unused;
  for (int a = SINEW_OK; a <= SINEW_ERROR_TOO_LARGE; ++a) {
    assert_true(strlen(sinew_result_string((sinew_result)a)) > 0);
    for (int b = SINEW_OK; b < a; ++b) {
      assert_string_not_equal(sinew_result_string((sinew_result)a),
                              sinew_result_string((sinew_result)b));
    }
  }
  assert_non_null(sinew_result_string((sinew_result)(SINEW_ERROR_TOO_LARGE + 1)));
}

static sinew_error error_of(const char *file, int line, const char *name, const char *message) {
  sinew_error error = {.code = SINEW_ERROR_MODEL, .line = line};
  snprintf(error.file, sizeof error.file, "%s", file);
  snprintf(error.name, sizeof error.name, "%s", name);
  snprintf(error.message, sizeof error.message, "%s", message);
  return error;
}

// FILE:LINE: NAME: MESSAGE, without the parts that are unknown.
static void errors_are_one_line(void **unused) {
  (void)unused;
  const struct {
    const char *file;
    int line;
    const char *name, *message, *text;
  } cases[] = {
      {"arm.urdf", 12, "elbow", "axis is zero", "arm.urdf:12: elbow: axis is zero"},
      {"arm.urdf", 0, "elbow", "axis is zero", "arm.urdf: elbow: axis is zero"},
      {"arm.urdf", 12, "", "not well formed", "arm.urdf:12: not well formed"},
      {"", 0, "elbow", "axis is zero", "elbow: axis is zero"},
      {"", 0, "", "axis is zero", "axis is zero"},
      {"", 0, "", "", "invalid model definition"},
      {"100%.urdf", 3, "%s%n", "%d", "100%.urdf:3: %s%n: %d"},
  };
  for (int i = 0; i < 7; ++i) {
    const sinew_error error =
        error_of(cases[i].file, cases[i].line, cases[i].name, cases[i].message);
    char text[256];
    assert_int_equal(sinew_error_format(&error, text, sizeof text), strlen(cases[i].text));
    assert_string_equal(text, cases[i].text);
  }
}

// A text that does not fit is truncated and terminated; the length is that of the whole.
static void errors_are_truncated_to_fit(void **unused) {
  (void)unused;
  const sinew_error error = error_of("arm.urdf", 12, "elbow", "axis is zero");
  const char whole[] = "arm.urdf:12: elbow: axis is zero";
  for (size_t size = 0; size < sizeof whole + 2; ++size) {
    char text[sizeof whole + 2];
    memset(text, '#', sizeof text);
    assert_int_equal(sinew_error_format(&error, text, size), strlen(whole));
    const size_t fits = size > strlen(whole) ? strlen(whole) : size - 1;
    if (size > 0) {
      assert_memory_equal(text, whole, fits);
      assert_int_equal(text[fits], '\0');
    }
    for (size_t i = size > 0 ? fits + 1 : 0; i < sizeof text; ++i) {
      assert_int_equal(text[i], '#');
    }
  }
}

static void *never_called(void *context, size_t size) {
  (void)size;
  *(bool *)context = true;
  return NULL;
}

static void *refuse(void *context, size_t size) {
  (void)context;
  (void)size;
  return NULL;
}

static void release_nothing(void *context, void *memory) {
  (void)context;
  (void)memory;
}

// An allocator with one function is ignored: malloc() and free() are used. A complete one that
// refuses is obeyed.
static void incomplete_allocators_are_ignored(void **unused) {
  (void)unused;
  const sinew_link_def link = LINK("alone");
  bool called = false;
  sinew_model_def def = sinew_default_model_def();
  sinew_model *model = NULL;
  def.links = &link;
  def.link_count = 1;
  def.allocator = (sinew_allocator){never_called, NULL, &called};
  assert_int_equal(sinew_model_create(&def, &model, NULL), SINEW_OK);
  sinew_model_destroy(model);
  assert_false(called);
  def.allocator = (sinew_allocator){refuse, release_nothing, NULL};
  assert_int_equal(sinew_model_create(&def, &model, NULL), SINEW_ERROR_MEMORY);
  assert_null(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(version_is_that_of_the_header),
      cmocka_unit_test(every_result_has_a_string),
      cmocka_unit_test(errors_are_one_line),
      cmocka_unit_test(errors_are_truncated_to_fit),
      cmocka_unit_test(incomplete_allocators_are_ignored),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
