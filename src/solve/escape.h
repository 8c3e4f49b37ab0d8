// Leaving a local minimum while targets are followed.
//
// Where the error has stopped falling and the targets are not proven out of reach, a second
// configuration, the candidate, takes a few steps of damped least squares in each update, from one
// start after another. When it has met the targets for some updates it becomes the tracked
// configuration. The figure then moves from where it is to the tracked configuration: it is that
// configuration plus an offset, which falls from its value and rate at the beginning to 0 as a
// cubic polynomial of time, so slowly that no step differs from the last by more than max_change.
// With limits of acceleration it moves as it does ahead of targets, as fast as it can stop there.
// Where that way leaves the range of a hard task the candidate is dropped, and where it turns out
// to on the way, as targets move, the figure is followed from where it is.
#ifndef SINEW_SOLVE_ESCAPE_H
#define SINEW_SOLVE_ESCAPE_H

#include "base/memory.h"
#include "model/model.h"
#include "solve/attempt.h"
#include "sinew/solver.h"

typedef struct sinew_escape {
  sinew_attempt candidate; // q: nq, later the tracked configuration; NULL: not allowed
  double *shown;    // nq: the figure after the last update, while it moves; its active values
  double *offset;   // nv: at the beginning of the motion
  double *velocity; // nv: its change in an update then
  double *last; // nv: the candidate's motion in the last update; while the figure moves, its own
  double E;     // of the figure in the last update
  int stuck;    // updates in which E has not fallen
  bool begun;   // whether there is a candidate
  int met;      // updates since it has met the targets
  int tried;    // candidates so far
  int moved;    // updates of the motion so far
  int length;   // and in all; 0: it does not move
  bool brakes;  // whether it has limits of acceleration: then without a time
} sinew_escape;

void sinew_escape_layout(sinew_arena *arena, const sinew_model *model, sinew_escape *escape);

// Forgets the candidate, the motion, and which starts have been tried.
void sinew_escape_reset(sinew_escape *escape);

// sinew_solver_track() (solver.h) with an escape.
void sinew_escape_update(sinew_solver *solver, const sinew_target *targets, double *q,
                         sinew_report *report);

#endif
