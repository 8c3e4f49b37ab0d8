// The ten arms of the optional data.
#ifndef SINEW_BENCH_TEN_ARMS_H
#define SINEW_BENCH_TEN_ARMS_H

#include "sinew/sinew.h"

#include <stdbool.h>
#include <stddef.h>

#define TEN_ARMS 10

extern const char *const ten_arms[TEN_ARMS];

// The path of the file of one of them; false where there is none.
bool ten_arms_file(int number, char *path, size_t size);

// The tip link, which is named in the first comment of the file; -1: none is.
int ten_arms_tip(const char *path, const sinew_model *model);

#endif
