// Shared by the tests of the URDF reader: the optional data, and reading texts.
#ifndef URDF_SHARED_H
#define URDF_SHARED_H

#include "shared_data.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline sinew_result read_text(const char *text, sinew_document **document,
                                     sinew_error *error) {
  return sinew_urdf_read(text, strlen(text), NULL, document, error);
}

// Reads a text that must load; prints the error where it does not.
static inline sinew_document *load(const char *text) {
  sinew_document *document = NULL;
  sinew_error error;
  if (read_text(text, &document, &error) != SINEW_OK) {
    fail_msg("refused: line %d: %s: %s", error.line, error.name, error.message);
  }
  return document;
}

// cmocka compares in single precision.
#define assert_near(value, expected, tolerance)                                                    \
  do {                                                                                             \
    const double value_ = (value), expected_ = (expected);                                         \
    if (!(fabs(value_ - expected_) <= (tolerance))) {                                              \
      fail_msg("%.17g is not %.17g", value_, expected_);                                           \
    }                                                                                              \
  } while (0)

static inline int has_warning(const sinew_document *document, const char *words) {
  for (int i = 0; i < document->warning_count; ++i) {
    if (strstr(document->warnings[i].message, words) != NULL) {
      return 1;
    }
  }
  return 0;
}

// The independent degrees of freedom of a document's model.
static inline int model_nv(const sinew_document *document) {
  sinew_model *model = NULL;
  assert_int_equal(sinew_model_create(&document->model, &model, NULL), SINEW_OK);
  int nv = sinew_model_nv(model);
  sinew_model_destroy(model);
  return nv;
}

#endif
