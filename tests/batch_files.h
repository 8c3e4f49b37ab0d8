// Files of targets and results for tests of sinew batch.
#ifndef TESTS_BATCH_FILES_H
#define TESTS_BATCH_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli_run.h"

// A table of numbers in memory.
typedef struct table {
  size_t rows, columns;
  double *values; // free() it
} table;

// Writes an NPY file of <f8 into the scratch folder; returns its path.
const char *write_npy(const char *name, const double *values, size_t rows, size_t columns);

// Reads an NPY file of <f8.
table read_npy(const char *path);

// Writes a CSV with a header into the scratch folder, with all digits of each number.
const char *write_csv(const char *name, const char *header, const double *values, size_t rows,
                      size_t columns);

// Poses of the flange of models/arm7.urdf in random configurations, 7 values each.
const double *arm_poses(size_t rows);

// Whether two files have the same bytes.
bool same_files(const char *a, const char *b);

// Removes a scratch file, if it exists, and the files that runs write beside it.
const char *fresh(const char *name);

// Whether a file exists.
bool there(const char *path, const char *ending);

// Runs a shell command, in which $SINEW is the program; returns its output.
result shell(const char *line);

#endif
