// What several benchmarks share: time, memory, and ends with a message.
#ifndef SINEW_BENCH_COMMON_H
#define SINEW_BENCH_COMMON_H

#include "sinew/sinew.h"

#include <stdbool.h>
#include <stddef.h>

// The program's name in messages; each program defines it.
extern const char bench_program[];

double now(void);            // [s], since any time
double processor_time(void); // [s], of this process: other programs do not count
void sort_ascending(double *values, int count);

// The times of single calls [ns]: their mean, and what one in a thousand is longer than.
typedef struct call_times {
  double mean, most;
  double most_to_median;
} call_times;

// Calls of which each was timed by itself in several runs: the least time of each is the work, and
// not what else the machine did. Sorts them.
call_times summarize_calls(double *least, int count);

// Prints a text that may hold names, and ends with exit code 2.
void fail(const char *text);

// A path or a name of a file as it is printed: it may hold what moves a terminal's cursor.
#define SHOWN 4096
const char *shown(const char *text, char room[SHOWN]);

void require(sinew_result result, const sinew_error *error);
void *take(size_t count, size_t size); // zeros

// Whether q (nq) is within the limits.
bool is_within(const sinew_model *model, const double *q);

#endif
