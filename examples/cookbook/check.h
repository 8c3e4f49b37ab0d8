// What every program of the cookbook does with an error: prints it and ends.
#ifndef COOKBOOK_CHECK_H
#define COOKBOOK_CHECK_H

#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>

static inline void check(sinew_result result, const sinew_error *error) {
  if (result != SINEW_OK) {
    char text[1024];
    sinew_error_format(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(2);
  }
}

#endif
