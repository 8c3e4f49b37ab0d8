// The kernel of one instruction set. It is compiled once for each set, with SINEW_LANES and
// SINEW_LANE_SUFFIX defined by the build.
#define SINEW_CALLS
#include "kernel/kernel.h"
#include "kernel/chain.h"
#if SINEW_LANES == 1 && !defined(SINEW_SMALL)
#include "kernel/chain_one.h"
#endif
#include "kernel/dispatch.h"
#include "kernel/tree.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME_(a) #a
#define NAME(a) NAME_(a)

#if SINEW_LANES == 1 && !defined(SINEW_SMALL)

// A single problem: vectors over the joints of the figure, kept in registers between updates.
static void update_chain(const sinew_lane_plan *plan, const sinew_lane_rules *rules,
                         sinew_lane_block *block) {
  chain_one(plan, rules, false, block);
}

static void descend_chain(const sinew_lane_plan *plan, const sinew_lane_rules *rules,
                          sinew_lane_block *block) {
  chain_one(plan, rules, true, block);
}

#else

// Arms of six and seven joints have loops of known length.
static void update_chain(const sinew_lane_plan *plan, const sinew_lane_rules *rules,
                         sinew_lane_block *block) {
#ifndef SINEW_SMALL
  if (plan->node_count == 7) {
    chain_update(plan, rules, 7, block);
    return;
  }
  if (plan->node_count == 6) {
    chain_update(plan, rules, 6, block);
    return;
  }
#endif
  chain_update(plan, rules, plan->node_count, block);
}

static void descend_chain(const sinew_lane_plan *plan, const sinew_lane_rules *rules,
                          sinew_lane_block *block) {
  do {
    update_chain(plan, rules, block);
  } while ((block->converged | block->dropped) == 0 && block->active != 0);
}

#endif

static void update(const sinew_lane_plan *plan, const sinew_lane_rules *rules,
                   sinew_lane_block *block) {
  if (plan->chain) {
    update_chain(plan, rules, block);
  } else {
    tree_update(plan, rules, block);
  }
}

static void descend(const sinew_lane_plan *plan, const sinew_lane_rules *rules,
                    sinew_lane_block *block) {
  if (plan->chain) {
    descend_chain(plan, rules, block);
    return;
  }
  do {
#ifdef SINEW_SMALL
    update(plan, rules, block); // the code of a tree once
#else
    tree_update(plan, rules, block);
#endif
  } while ((block->converged | block->dropped) == 0 && block->active != 0);
}

const sinew_lane_kernel JOIN(sinew_lane_kernel_, SINEW_LANE_SUFFIX) = {
    .name = NAME(SINEW_LANE_SUFFIX), .lanes = SINEW_LANES, .update = update, .descend = descend};
