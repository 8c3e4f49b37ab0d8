// How many reachable targets a method solves for on a figure.
#ifndef EXPERIMENTS_SOLVED_H
#define EXPERIMENTS_SOLVED_H

#include "experiments/study.h"

#include <stdbool.h>

// Of count targets, each the pose of the effectors in a random configuration, solved for from the
// middle of the limits.
typedef struct solved {
  int count;
  int first;           // solved from that start alone, in at most max_steps
  int restarted;       // solved with restarts, in as many steps in all
  long steps;          // of the solves with restarts
  double microseconds; // of them
  int false_claims;    // reported as converged beyond the tolerance, or the reverse: none
} solved;

#define SOLVED_FIGURES 9

// The figures of the table, scenes by name; NULL past the last.
const char *solved_figure(int index);

// @return false after a message
bool solved_measure(const char *figure, const sinew_solver_def *def, int count, solved *out);

// The same by a method of one's own, with random restarts after 100 steps each.
bool solved_measure_own(const char *figure, const own_method *own, int count, solved *out);

#endif
