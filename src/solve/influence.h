// Tasks with an influence below 1: their goals, between where they would be without them and their
// targets. Equations: influence.c; the goals of one task: task/blend.c.
#ifndef SINEW_SOLVE_INFLUENCE_H
#define SINEW_SOLVE_INFLUENCE_H

#include "base/memory.h"
#include "model/model.h"
#include "sinew/global.h"
#include "task/task.h"

struct sinew_solver;

typedef struct sinew_influence {
  int most;          // room for so many different influences between 0 and 1; 0: nothing has memory
  bool used;         // whether some task has an influence below 1
  int count;         // tasks, as the caller numbers them
  sinew_task *tasks; // with the influences in force
  int active;        // tasks with an influence above 0, which are all that the solver itself has
  int *number;       // the caller's number of each
  int stages;        // different influences between 0 and 1
  double *values;    // stages: these, falling
  sinew_solver **solvers; // most: solvers of their own, for what is without some tasks
  unsigned char *parts;   // (1 + most) x capacity: whether a task takes part in the solver itself,
                          // and in each stage
  double time_limit;      // of the whole call, while it runs
  int systems;            // solved by the stages of a call

  // Scratch
  sinew_task *chosen;
  sinew_target *targets, *goals, *own; // of active tasks; of those of a stage
  sinew_task_offset *offsets;          // of active tasks
  double *q;                           // nq
} sinew_influence;

// What is called for each stage.
typedef enum sinew_influence_call {
  SINEW_INFLUENCE_UPDATE,
  SINEW_INFLUENCE_LOCAL,
  SINEW_INFLUENCE_SEARCH
} sinew_influence_call;

void sinew_influence_layout(sinew_arena *arena, const sinew_solver_def *def,
                            const sinew_model *model, sinew_influence *influence);

// Creates the solvers of stages.
sinew_result sinew_influence_create(sinew_solver *solver, sinew_error *error);
void sinew_influence_destroy(sinew_solver *solver);

// Whether the solver has room for the influences of checked tasks, or of others in their place.
sinew_result sinew_influence_check(sinew_solver *solver, const sinew_task *tasks, int count,
                                   const double *influences);

// Takes checked tasks; the solver itself, those with an influence above 0.
void sinew_influence_set_tasks(sinew_solver *solver, const sinew_task *tasks, int count);

// Begins a call with targets of all tasks: they become the goals of the solver's own. If they are
// refused the report is filled. def: of a search, checked, or NULL.
sinew_result sinew_influence_begin(sinew_solver *solver, sinew_influence_call call,
                                   const sinew_global_def *def, const sinew_target **targets,
                                   int *count, const double *q, sinew_report *report);

// Ends it: the report's tasks are then those of the caller. Returns result.
sinew_result sinew_influence_end(sinew_solver *solver, sinew_result result, sinew_report *report);

// Keeps only the targets of the solver's own tasks, without goals.
sinew_result sinew_influence_take(sinew_solver *solver, const sinew_target **targets, int *count,
                                  const double *q, sinew_report *report);

// The caller's number of a solver's task, by its place among those of all levels, and the influence
// that it has.
int sinew_influence_task(const struct sinew_solver *solver, int place);
double sinew_influence_of(const struct sinew_solver *solver, int place);

// The solver's number of a task of the caller, -1: its influence is 0.
int sinew_influence_find(const sinew_influence *influence, int task);

#endif
