// How an attempt goes: whether it has met its goal, or is given up.
#ifndef SINEW_KERNEL_JUDGE_H
#define SINEW_KERNEL_JUDGE_H

#include "kernel/kernel.h"
#include "simd/lanes.h"

// Looks at the errors before an update, notes those that have ended, and returns the lanes
// that go on. An attempt that gains too little, several updates in a row, is dropped: another
// is cheaper than waiting.
LANE lane_mask lanes_judge(const sinew_lane_rules *rules, lane E, lane position, lane angle,
                           sinew_lane_block *block) {
  const lane one = lane_of(1.0);
  const lane mark = lane_load(block->mark);
  const lane_mask active = mask_of_bits(block->active);
  const lane_mask well = lane_less(E, lane_of(rules->keep) * mark);
  const lane slow = lane_select(well, lane_of(0.0), lane_load(block->slow) + one);
  const lane steps = lane_load(block->steps);
  const lane_mask met = mask_and(lane_less_equal(position, lane_of(rules->position_tolerance)),
                                 lane_less_equal(angle, lane_of(rules->orientation_tolerance)));
  const lane patience = lane_load(block->patience);
  const lane_mask tired = mask_or(lane_less(patience * lane_of(rules->slow), slow),
                                  lane_less_equal(patience * lane_of(rules->most), steps));
  const lane_mask over = mask_or(tired, lane_less(lane_of(rules->far), E));
  const lane_mask converged = mask_and(active, met);
  const lane_mask dropped = mask_and(active, mask_and(over, mask_not(met)));
  const lane_mask goes = mask_and(active, mask_not(mask_or(met, over)));
  lane_store(block->mark, lane_select(well, E, mark));
  lane_store(block->slow, slow);
  lane_store(block->steps, lane_select(goes, steps + one, steps));
  lane_store(block->E, E);
  lane_store(block->position_error, position);
  lane_store(block->orientation_error, angle);
  block->converged = mask_bits(converged);
  block->dropped = mask_bits(dropped);
  return goes;
}

// Errors beyond one size of the figure (E = 1/2) add no more damping.
LANE lane lanes_damping(const sinew_lane_rules *rules, lane E) {
  return lane_fma(lane_of(rules->damping), lane_min(E, lane_of(0.5)), lane_of(rules->floor));
}

#endif
