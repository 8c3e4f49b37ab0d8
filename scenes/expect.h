/// For calls that cannot fail with the given arguments: where one does, the program
/// has an error and stops.
#ifndef SINEW_SCENES_EXPECT_H
#define SINEW_SCENES_EXPECT_H

#include "sinew/base.h"

#ifndef SINEW_NO_STDIO
#include <stdio.h>
#endif
#include <stdlib.h>

static inline void sinew_expect_ok(sinew_result result) {
  if (result != SINEW_OK) {
#ifndef SINEW_NO_STDIO
    fprintf(stderr, "a call failed that must not fail: %s\n", sinew_result_string(result));
#endif
    abort();
  }
}

#endif
