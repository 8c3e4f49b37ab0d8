// Learned inverse kinematics: a net that maps a target to a configuration, and one that has the
// configuration before as well.
#ifndef EXPERIMENTS_LEARNED_H
#define EXPERIMENTS_LEARNED_H

#include <stdbool.h>

#define LEARNED_ELBOWS 500

// Mean distances of the hand from targets that were not trained on, over the figure's size.
typedef struct learned {
  double target_only; // f(target)
  double with_before; // f(target, q0)
  double before;      // q0 itself, without a net
  // Of the first targets the second joint's value: there, by f(target), and by f(target, q0).
  double elbows[LEARNED_ELBOWS][3];
} learned;

// Trains both nets on a scene of one arm, and measures them.
// @return false after a message
bool learned_measure(const char *figure, int steps, learned *out);

#endif
