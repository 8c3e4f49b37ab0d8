// Cases by name, and the numbers that each computes.
//
//   if (record_begin("update/%s/%s", scene, method)) {
//     ...
//     record_values("q", q, nq);
//     record_end();
//   }
#ifndef BENCH_FINGERPRINT_RECORD_H
#define BENCH_FINGERPRINT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

typedef enum record_mode {
  RECORD_HASHES, // a line a case: NAME HASH COUNT
  RECORD_NAMES,  // a line a case: NAME; no case is run
  RECORD_VALUES  // a line a value
} record_mode;

// patterns (count): each a glob or the first parts of a name; none: every case.
void record_choose(record_mode mode, char **patterns, int count);

// The number of cases chosen so far.
int record_count(void);

// Whether the case must be run. If so, record_end() or record_skip() must follow.
bool record_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The number of the step, pose or problem whose values follow: a part of their labels.
void record_step(int step);
void record_values(const char *label, const double *values, size_t count);
void record_value(const char *label, double value);

void record_end(void);

// This processor cannot run the case: prints NAME skipped.
void record_skip(void);

// Prints a message with the name of the case and ends the program with code 2.
_Noreturn void record_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
