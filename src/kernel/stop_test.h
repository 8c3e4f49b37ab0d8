// The convergence and stall test of attempts in lanes (policy/stall.h), and their damping.
#ifndef SINEW_KERNEL_STOP_TEST_H
#define SINEW_KERNEL_STOP_TEST_H

#include "kernel/kernel.h"
#include "policy/damping.h"
#include "policy/stall.h"

// Tests the errors before an update, records the attempts that have ended, and returns the lanes
// that continue. An attempt with several consecutive slow updates is dropped, since another start
// costs less than continuing.
LANE lane_mask lanes_test(const sinew_lane_rules *rules, lane E, lane position, lane angle,
                          sinew_lane_block *block) {
  const lane mark = lane_load(block->mark), steps = lane_load(block->steps);
  const lane longer = lane_load(block->limit_factor);
  const lane_mask active = mask_of_bits(block->active);
  const lane_mask gains = stall_gains(rules->keep, E, mark);
  const lane slow = stall_count(gains, lane_load(block->slow));
  const lane_mask met = mask_and(lane_less_equal(position, lane_of(rules->position_tolerance)),
                                 lane_less_equal(angle, lane_of(rules->orientation_tolerance)));
  const lane_mask over = stall_is_dropped(
      longer * lane_of(rules->slow), longer * lane_of(rules->most), rules->far, slow, steps, E);
  const lane_mask converged = mask_and(active, met);
  const lane_mask dropped = mask_and(active, mask_and(over, mask_not(met)));
  const lane_mask goes = mask_and(active, mask_not(mask_or(met, over)));
  lane_store(block->mark, lane_select(gains, E, mark));
  lane_store(block->slow, slow);
  lane_store(block->steps, lane_select(goes, steps + lane_of(1.0), steps));
  lane_store(block->E, E);
  lane_store(block->position_error, position);
  lane_store(block->orientation_error, angle);
  block->converged = mask_bits(converged);
  block->dropped = mask_bits(dropped);
  return goes;
}

LANE lane lanes_damping(const sinew_lane_rules *rules, lane E) {
  return damping_of_error(rules->damping, rules->floor, E);
}

#endif
