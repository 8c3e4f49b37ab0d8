// For tests of the optional data: they are skipped where it is absent.
#ifndef TESTS_SHARED_DATA_H
#define TESTS_SHARED_DATA_H

#include "scenes/optional_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

// The path of a file of the data; skips the test where there is none. Valid until the next call.
static inline const char *shared_file(const char *file) {
  static char path[4096];
  if (!optional_data_file(file, path, sizeof path)) {
    print_message("skipped: there is no %s\n", path);
    skip();
  }
  return path;
}

// The folder of the data; skips the test where it is absent.
static inline const char *shared_folder(void) {
  shared_file("data/MANIFEST.csv");
  return optional_data_folder();
}

#endif
