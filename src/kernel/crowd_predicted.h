// The predicted residual of a crowd's step, and the prediction that several steps share:
// solve/track_predicted.c in lanes.
#ifndef SINEW_KERNEL_CROWD_PREDICTED_H
#define SINEW_KERNEL_CROWD_PREDICTED_H

#include "kernel/crowd_bounds.h"
#include "kernel/crowd_dls.h"

// The figures whose step keeps the last prediction.
LANE lane_mask crowd_keeps(const crowd *self, const crowd_track *now) {
  const sinew_crowd_history *history = &self->plan->history;
  const lane keeps = history_load(self, history->keeps), zero = lane_of(0.0);
  const lane *e = crowd_of(self, SINEW_CROWD_E);
  const lane_mask last = mask_and(self->moving, lane_less(zero, keeps));
  const lane_mask may = mask_and(last, mask_and(tracking_moves(now->rest), mask_not(now->cut)));
  lane square = zero, change = zero, after = zero;
  if (self->further || mask_bits(may) == 0) {
    return mask_of_bits(0);
  }
  for (int i = 0; i < self->plan->lanes.row_count; ++i) {
    const lane changed = e[i] - history_load(self, history->kept_error + i);
    const lane left = e[i] - history_load(self, history->removed + i);
    square = lane_fma(e[i], e[i], square);
    change = lane_fma(changed, changed, change);
    after = lane_fma(left, left, after);
  }
  return mask_and(may, tracking_keeps_prediction(keeps, square, change, after));
}

// e' = e - d of some figures, whose step begins with the active bounds of the last one.
LANE void keep_prediction(const crowd *self, lane_mask where, bool bounded) {
  const sinew_crowd_history *history = &self->plan->history;
  const lane *e = crowd_of(self, SINEW_CROWD_E);
  const lane keeps = history_load(self, history->keeps);
  lane *left = crowd_of(self, SINEW_CROWD_PREDICTED);
  for (int i = 0; i < self->plan->lanes.row_count; ++i) {
    left[i] = lane_select(where, e[i] - history_load(self, history->removed + i), left[i]);
  }
  history_store(self, history->keeps, lane_select(where, keeps - lane_of(1.0), keeps));
  if (bounded) {
    box_recall_some(self, where);
  }
}

// Records the predictions of some figures.
LANE void record_prediction(const crowd *self, lane_mask where) {
  const sinew_crowd_history *history = &self->plan->history;
  const lane *e = crowd_of(self, SINEW_CROWD_E), *left = crowd_of(self, SINEW_CROWD_PREDICTED);
  lane square = lane_of(0.0), after = square, drift = square;
  for (int i = 0; i < self->plan->lanes.row_count; ++i) {
    const lane last = history_load(self, history->removed + i), removed = e[i] - left[i];
    const lane error = history_load(self, history->kept_error + i), changed = removed - last;
    square = lane_fma(e[i], e[i], square);
    after = lane_fma(left[i], left[i], after);
    drift = lane_fma(changed, changed, drift);
    history_store(self, history->removed + i, lane_select(where, removed, last));
    history_store(self, history->kept_error + i, lane_select(where, e[i], error));
  }
  const lane keeps = history_load(self, history->keeps);
  const lane next = self->plan->relative ? lane_of(0.0) : tracking_keeps(square, after, drift);
  history_store(self, history->keeps, lane_select(where, next, keeps));
}

// Fills the predicted residual, and the working set that the step begins with; mu: the predictor's.
LANE void crowd_predict(crowd *self, const crowd_track *now, lane mu, bool bounded) {
  const lane_mask moving = self->moving, kept = crowd_keeps(self, now);
  const lane_mask others = mask_and(moving, mask_not(kept));
  if (mask_bits(others) != 0) {
    self->moving = others;
    crowd_predict_residual(self, mu, bounded);
    self->moving = moving;
    record_prediction(self, others);
  }
  if (mask_bits(kept) != 0) {
    keep_prediction(self, kept, bounded);
  }
}

#endif
