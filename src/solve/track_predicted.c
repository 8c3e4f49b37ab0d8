// The prediction of the default method's updates that several steps share: symbols as in
// policy/tracking.h. Compiled for each instruction set.
//
//   e' = e - d,   d = J x' of the last predictor
#include "math/vector.h"
#include "policy/tracking.h"
#include "simd/pair.h"
#include "solve/solver.h"

#include <string.h>

// Whether a step is one that follows targets in motion.
static bool follows(const sinew_solver *solver) {
  return !solver->track.further && !solver->track.now.cut &&
         !(solver->history.updates_at_rest > 0.0) && solver->hard.total == 0;
}

bool sinew_track_is_steady(const sinew_solver *solver) {
  return solver->history.steady && follows(solver);
}

bool sinew_track_keep_prediction(sinew_solver *solver) {
  sinew_history *history = &solver->history;
  const int m = solver->evaluation.rows.row_count;
  const double *e = solver->linear.e;
  double square = 0.0, change = 0.0, after = 0.0;
  if (!(history->keeps > 0.0) || !follows(solver)) {
    return false;
  }
  for (int i = 0; i < m; ++i) {
    const double changed = e[i] - history->kept_error[i], left = e[i] - history->removed[i];
    square += e[i] * e[i];
    change += changed * changed;
    after += left * left;
    solver->step.expected[i] = left;
  }
  if (mask_bits(tracking_keeps_prediction(history->keeps, square, change, after)) == 0) {
    return false;
  }
  history->keeps -= 1.0;
  return true;
}

// Whether some rows are along axes that move: e and d are not compared in these.
static bool axes_move(const sinew_problem *problem) {
  bool moving = false;
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    const bool general = task->rows == SINEW_ROWS_GENERAL && !task->complete;
    moving |= task->row_count > 0 && (task->relative || task->target_axes || general ||
                                      task->rows == SINEW_ROWS_DIRECTION);
  }
  return moving;
}

void sinew_track_record_prediction(sinew_solver *solver) {
  sinew_history *history = &solver->history;
  const int m = solver->evaluation.rows.row_count;
  const double *e = solver->linear.e;
  double square = 0.0, after = 0.0, drift = 0.0;
  for (int i = 0; i < m; ++i) {
    const double left = solver->step.expected[i];
    const double removed = e[i] - left, changed = removed - history->removed[i];
    square += e[i] * e[i];
    after += left * left;
    drift += changed * changed;
    history->removed[i] = removed;
  }
  memcpy(history->kept_error, e, (size_t)m * sizeof(double));
  history->keeps = axes_move(&solver->problem) ? 0.0 : tracking_keeps(square, after, drift);
  history->steady = history->keeps > 0.0;
}
