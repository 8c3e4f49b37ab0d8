// Attempts in the lanes of the processor: the interface between a solver and src/kernel/.
#ifndef SINEW_SOLVE_LANES_H
#define SINEW_SOLVE_LANES_H

#include "kernel/kernel.h"
#include "task/task.h"

typedef struct sinew_lanes {
  const sinew_lane_kernel *kernel; // NULL: the figure is too large, or lanes are switched off
  const sinew_lane_kernel *single; // for an attempt alone: the fastest kernel of one lane
  sinew_lane_plan plan;
  sinew_lane_rules rules;
  sinew_lane_block block;
  sinew_lane_block second; // for attempts at one problem while the block has others
  sinew_lane_block one;    // of the single kernel
  bool planned;            // usable and the plan are those of the present tasks and limits
  bool usable;             // whether lanes can run them
  double exact;            // positions further from the root need verification [m]
} sinew_lanes;

// @param wanted number of lanes: 1, 2, 4, 8; 0: as many as there are
// @return false if this processor or this build has no kernel of so many
bool sinew_lanes_choose(int wanted, sinew_lanes *lanes);

// Memory for plan and blocks. Call sinew_lanes_choose() first.
void sinew_lanes_layout(sinew_arena *arena, const sinew_model *model, int tasks,
                        sinew_lanes *lanes);

struct sinew_solver;

// Whether lanes can run the solver's problem; fills the plan if that has not been done.
bool sinew_lanes_ready(struct sinew_solver *solver);

// Whether convergence at q (nq) in lanes needs verification by the solver: a target is so far away
// that a nearer point took its place, or that rounding may decide; or an angle is so large that its
// sine has lost digits.
bool sinew_lanes_need_verification(const sinew_lanes *lanes, const sinew_target *targets,
                                   const double *q);

// Sets the targets, one for each task, of lanes first to end - 1.
void sinew_lanes_set_targets(const sinew_lane_plan *plan, const sinew_target *targets, int first,
                             int end, sinew_lane_block *block);

// Starts a new attempt at q in a lane; and reads a lane's configuration, where inactive values of q
// keep their bits.
// @param limit_factor on the limits of slow updates and of all updates
void sinew_lanes_begin(const sinew_lane_plan *plan, const double *q, int limit_factor, int lane,
                       sinew_lane_block *block);
void sinew_lanes_read(const sinew_lanes *lanes, const sinew_problem *problem,
                      const sinew_lane_block *block, int lane, double *q);

// Drops the attempt that has just started in a lane after one update if half its squared residual
// is above E.
void sinew_lanes_drop_if_far(sinew_lanes *lanes, int lane, double E);

// Callbacks that fill lanes and receive results. Each is called for one lane.
typedef struct sinew_lane_jobs {
  // Starts the next attempt in an idle lane; false: there is none.
  bool (*begin)(void *context, int lane);
  // An attempt has converged or was dropped (block->converged says which); false: stop.
  bool (*end)(void *context, int lane);
  // Whether time is up; NULL: there is no limit.
  bool (*is_late)(void *context);
  // Called for each unfinished attempt when all stops; may be NULL.
  void (*leave)(void *context, int lane);
  void *context;
} sinew_lane_jobs;

// Fills idle lanes of a block and runs all until no attempt is left. Attempts that end in the same
// update are reported in the order in which they started, so that the course of a search depends on
// nothing but the number of lanes. Lanes whose bit is set in block->active before continue their
// attempts. A job may run the other block.
void sinew_lanes_run(const sinew_lanes *lanes, const sinew_lane_rules *rules,
                     sinew_lane_block *block, const sinew_lane_jobs *jobs);

#endif
