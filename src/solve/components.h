// The components of a solver's problem, each as a solver of its own: what searches and updates
// solve apart.
#ifndef SINEW_SOLVE_COMPONENTS_H
#define SINEW_SOLVE_COMPONENTS_H

#include "base/memory.h"
#include "model/model.h"
#include "sinew/solver.h"

#include <stdbool.h>

struct sinew_solver;

typedef struct sinew_components {
  int most;                     // there is room for so many
  int count;                    // 0: the problem is solved as a whole
  bool ready;                   // whether they are those of the present problem
  struct sinew_solver *solvers; // scratch memory, settings and state are the whole solver's
  sinew_target *targets;        // tasks: scratch for those of one component
  double *q;                    // nq: scratch of solve_all
  double *errors;               // tasks: scratch of an update, distance and angle before it
  bool tracked;                 // whether their histories are those of the updates so far
  unsigned char *memory;        // of their problems and plans
  size_t bytes;
} sinew_components;

// Call it after the rest of the solver has been laid out.
void sinew_components_layout(sinew_arena *arena, struct sinew_solver *solver,
                             const sinew_model *model);

// The number of components that a solve solves one after another; 0: the problem is solved as a
// whole. Compiles them, if that has not been done. A component's solver has the component's tasks,
// and a history of its own.
int sinew_components_count(struct sinew_solver *solver);

// Prepares the components' histories for an update: they begin as the whole solver's, with targets
// that are not known.
void sinew_components_track(struct sinew_solver *solver);

// A component's solver, to be used until that of another.
struct sinew_solver *sinew_component_solver(struct sinew_solver *solver, int component);

// Copies the targets of a component's tasks from those of all tasks. Returns out.
const sinew_target *sinew_component_targets(const struct sinew_solver *solver, int component,
                                            const sinew_target *targets, sinew_target *out);

// The number, among all tasks, of a component's task.
int sinew_component_task(const struct sinew_solver *solver, int component, int task);

// Outcomes in the order in which one of several components' is that of all: the highest.
static inline int sinew_outcome_rank(sinew_outcome outcome) {
  switch (outcome) {
  case SINEW_OUTCOME_CONVERGED:
    return 0;
  case SINEW_OUTCOME_STALLED:
    return 1;
  case SINEW_OUTCOME_BLOCKED_BY_LIMITS:
    return 2;
  case SINEW_OUTCOME_STEP_LIMIT:
    return 3;
  case SINEW_OUTCOME_TIME_LIMIT:
    return 4;
  default:
    return 5;
  }
}

#endif
