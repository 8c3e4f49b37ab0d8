// Files of targets and answers for tests of sinew batch.
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

// Writes a NPY of <f8 into a scratch file; returns its path.
const char *write_npy(const char *name, const double *values, size_t rows, size_t columns);

// Reads a NPY of <f8.
table read_npy(const char *path);

// Writes a CSV with a header into a scratch file, all digits of each number.
const char *write_csv(const char *name, const char *header, const double *values, size_t rows,
                      size_t columns);

// Poses that the flange of models/arm7.urdf takes at random postures, 7 values each.
const double *arm_poses(size_t rows);

// Whether two files hold the same bytes.
bool same_files(const char *a, const char *b);

// Removes a scratch file that may be there, and what runs may have left beside it.
const char *fresh(const char *name);

// Whether a file is there.
bool there(const char *path, const char *ending);

// Runs a line of the shell, in which $SINEW is the program; returns what it printed.
result shell(const char *line);

#endif
