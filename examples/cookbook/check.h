// What every program of the cookbook does with an error: prints it and ends.
#ifndef COOKBOOK_CHECK_H
#define COOKBOOK_CHECK_H

#include <sinew/formats.h>
#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>

static inline void check(sinew_result result, const sinew_error *error) {
  if (result != SINEW_OK) {
    char text[1024], line[4096]; // names of a file may hold what moves a terminal's cursor
    sinew_error_format(error, text, sizeof text);
    sinew_text_escape(text, SINEW_TEXT_PRINTED, line, sizeof line);
    fprintf(stderr, "%s\n", line);
    exit(2);
  }
}

#endif
