// Attempts in the lanes of the processor: what stands between a solver and src/kernel/.
#ifndef SINEW_SOLVE_LANES_H
#define SINEW_SOLVE_LANES_H

#include "kernel/kernel.h"
#include "task/task.h"

typedef struct sinew_lanes {
  const sinew_lane_kernel *kernel; // NULL: the figure is too large, or lanes are not wanted
  const sinew_lane_kernel *single; // the quickest of one lane
  sinew_lane_plan plan;
  sinew_lane_rules rules;
  sinew_lane_block block;
  sinew_lane_block one; // of the single kernel
  bool planned;         // the plan is that of the tasks and limits in force
  bool usable;          // and the lanes can do those tasks
} sinew_lanes;

// @param wanted number of lanes: 1, 2, 4, 8; 0: as many as there are
// @return false where this processor, or this build, has not so many
bool sinew_lanes_choose(int wanted, sinew_lanes *lanes);

// Room for plan and block. Call sinew_lanes_choose() first.
void sinew_lanes_layout(sinew_arena *arena, const sinew_model *model, int tasks,
                        sinew_lanes *lanes);

struct sinew_solver;

// Whether lanes can run the solver's problem; plans it if that has not been done.
bool sinew_lanes_ready(struct sinew_solver *solver);

// Whether the lanes' word that an answer q (nq) meets its targets is in doubt, and the solver
// is to be asked: a target is so far away that it was looked for nearer by, or a joint has
// turned so often that its sine has lost digits.
bool sinew_lanes_in_doubt(const sinew_lane_plan *plan, const sinew_target *targets,
                          const double *q);

// The targets, one a task, of lanes first to end - 1.
void sinew_lanes_aim(const sinew_lane_plan *plan, const sinew_target *targets, int first, int end,
                     sinew_lane_block *block);

// Where a lane's new attempt begins; and back: what is not in use keeps its bits in q.
// @param limit_factor on the limits of slow updates and of all
void sinew_lanes_place(const sinew_lane_plan *plan, const double *q, int limit_factor, int lane,
                       sinew_lane_block *block);
void sinew_lanes_read(const struct sinew_solver *solver, const sinew_lane_block *block, int lane,
                      double *q);

// What lanes are filled with, and who is told. Each is called for one lane.
typedef struct sinew_lane_jobs {
  // Places the next attempt in an idle lane; false: there is none for it.
  bool (*begin)(void *context, int lane);
  // Told an attempt that has converged or is dropped (block->converged says which); false: stop.
  bool (*end)(void *context, int lane);
  // Whether time is up; NULL: there is no limit.
  bool (*is_late)(void *context);
  // Told each attempt that is still under way when all stops; NULL: nobody asks.
  void (*leave)(void *context, int lane);
  void *context;
} sinew_lane_jobs;

// Fills idle lanes and runs all until nothing is left to do. What ends at the same update is told
// in the order in which it began, so that the course of a search depends on the number of lanes and
// on nothing else. Lanes whose bit is set in block.active before go on with what they hold.
void sinew_lanes_run(sinew_lanes *lanes, const sinew_lane_jobs *jobs);

#endif
