// What the parts of bench_global share: options, figures with their tasks, checks of a result.
#ifndef SINEW_BENCH_FIGURE_H
#define SINEW_BENCH_FIGURE_H

#include "bench/common.h"

#include <stdint.h>

#define TOLERANCE 1e-6 // [m, rad]
#define MOST_TASKS 16
#define ROUNDS 3 // a problem's time is the median of this many

typedef struct bench_options {
  int count, attempts, restarts;
  uint64_t random_seed;
  const char *references; // folder of stored references, or NULL
} bench_options;

extern bench_options options;

// What is solved: a model, its tasks, and the poses of its links.
typedef struct figure {
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  sinew_bank *bank;
  int nq, count;
  sinew_task tasks[MOST_TASKS];
} figure;

double median_of(double *times);

// Mean, median, 99 % and longest of times, which are sorted.
void print_times(double *seconds, int count);

// floats: with the root on a FREE joint of a link that no joint moves.
void open_figure(figure *f, const char *path, bool floats);
void add_task(figure *f, const char *link);
void close_figure(figure *f);

// Creates the solver, and the bank with its time and size.
void create_solver(figure *f);

// The tasks' targets for the figure at q.
void set_targets_at(figure *f, const double *q, sinew_target *targets);

// Whether q reaches the targets.
bool is_true(figure *f, const double *q, const sinew_target *targets);

#endif
