// The levels of a solver below level 0: their tasks, compiled as problems of their own, objectives,
// and the memory of the step that they take in the null space of higher levels (lower_step.c).
#ifndef SINEW_SOLVE_LEVELS_H
#define SINEW_SOLVE_LEVELS_H

#include "problem/evaluation.h"
#include "sinew/objective.h"
#include "solve/backward_differences.h"
#include "solve/level_cones.h"
#include "solve/overshoot.h"
#include "step/level.h"
#include "task/task.h"

struct sinew_left_out;
struct sinew_solver;

// Columns that objectives determine: those of this level, and those that therefore stay for the
// levels below.
enum { SINEW_LEVEL_SETTLED_HERE = 1, SINEW_LEVEL_SETTLED = 2 };

// The tasks of one level, compiled.
typedef struct sinew_lower_level {
  sinew_problem problem; // its settings are those of the solver's problem
  sinew_evaluation evaluation;
  sinew_overshoot overshoot;
  double share; // of its last step: by its length
  double kept;  // and what was kept of that
  bool longer;  // whether the trials of its next step may begin with more
  int keeps;    // how many steps from the next one on leave level 0 where it is
  double left;  // of the residual of its tasks, squared, by its last step
} sinew_lower_level;

// A range of a task that the levels below keep: level_ranges.h
typedef struct sinew_level_range {
  int level, task;            // its level of updates, and its task's number there
  int hard_row;               // its row of hard tasks (solve/hard.h), or -1
  signed char reached;        // 1, -1: its upper or lower end has held the last step back
  sinew_task_side was, ended; // at levels.top, and after a trial
} sinew_level_range;

// A task as the caller numbers it.
typedef struct sinew_leveled_task {
  int level, index; // its level, and its number there
  bool required;
  double position_error, orientation_error; // before the update, or after the solve
} sinew_leveled_task;

// A level of a call.
typedef struct sinew_level {
  const sinew_problem *problem;
  sinew_evaluation *evaluation;
  int first;  // of its targets in sinew_levels.targets
  int number; // of its objectives; 0: it has none
} sinew_level;

// What the zeros in the rows of higher levels are for.
typedef struct sinew_level_zeros {
  const sinew_level *list; // NULL: there are none
  int k, stride;
} sinew_level_zeros;

typedef struct sinew_levels {
  int most;  // room for so many levels below 0; 0: nothing here has memory
  bool used; // whether a task or an objective is below level 0, or a task is not required
  int count; // the lowest level in use
  sinew_lower_level *lower; // level k is lower[k - 1]

  // A search is for the required tasks of level 0. If there are others at level 0 they are soft
  // then, a level of their own.
  bool apart;
  int hard_count;
  sinew_lower_level *hard, *soft;
  struct sinew_solver *search; // for the tasks of hard; scratch memory is the whole solver's
  int *split;                  // tasks: its step.split

  // The levels of a call: of updates, and of what follows a search.
  sinew_level *update, *descent; // most + 2
  const sinew_level *list;       // one of them
  int depth;                     // its last level
  double met, longest;           // its MET_SHARE and LONGEST: lower.c
  double *costs, *least_costs; // of the levels 1 .. depth of a descent; those of a search's answer

  // An update by the step of one level alone, where all tasks above are met: lower.c
  int alone;                         // that level
  int failed;                        // the number of updates until it is tried again
  sinew_backward_differences beyond; // rows of the levels above: what x leaves in second order
  bool expects;   // whether that of the last update is known, and close to that of the next
  bool was_alone; // whether the last update was one
  struct sinew_left_out *left_out; // steps of level 0 that such updates leave out: solver.h
  bool known;  // whether the levels below 0 have been evaluated at q before the update
  bool placed; // whether the nodes of level 0 are still placed there, and where tasks below are
               // known those of all levels
  uint64_t placement; // state.placements after a step that has ended at levels.next with the first
  int placed_nodes;   // of these placed: all, those of level 0, or 0
  bool straight;      // whether a straight limb has been moved at the begin of the update
  bool bent;          // and may move no further in it: no level below 0 takes a step then

  int task_count; // of all levels
  sinew_leveled_task *tasks;
  int *order;             // tasks by level, those that are required first
  sinew_target *targets;  // in that order
  sinew_target *recorded; // those of the last update, of levels below 0: the fields that are read
  double rest;            // for how many updates none of these has moved; -1: they are not known

  int objective_count;
  sinew_objective *objectives;
  double *weights,
      *postures; // nv and nq, in whole fours, for each objective; a coupling's coefficients too
  sinew_task *measured; // of each objective, its task
  double *rates;        // scratch of objectives: their derivatives
  bool poses;           // whether some objective reads poses
  bool poles;           // whether some objective is a pole
  bool moves;           // whether some objective reads the motion of an update
  bool speeds;          // whether some column has a limit of speed or acceleration

  // Updates without steps of lower levels, which have nothing to move: lower.c
  int idle;       // how many follow
  int waited;     // how many there have been since the last step, if this may still be one
  bool quick;     // whether a step may take few working sets only
  int bounds;     // the active bounds of level 0 when that was found
  double largest; // the largest motion of a joint in their steps of this update
  bool calls;     // whether an objective is a callback, which may change at any time

  // The columns of a step: all degrees of freedom that a task or an objective moves. Angular
  // coordinates of spherical joints are about the joint's own axes, but for level_cones.h.
  int n;
  int *dof_of_column, *column_of_dof; // column: or -1
  double *scale, *inverse_scale;      // columns: as sinew_problem's
  bool even;                          // every gain of a column is 1
  bool values, all_values;            // value_columns.h: column c is value c of q; and there are no
                                      // other values
  int *nodes;                         // whose poses the tasks of all levels need, rising
  int node_count;
  unsigned char *mark; // nodes or nv, scratch of compiling
  int cone_count;
  sinew_level_cone *cones; // spherical joints with limits of swing and twist

  // A step.
  sinew_level_scratch scratch;
  double *J, *e;              // rows of all levels
  double *slackness;          // rows of higher levels: as in step/level.h
  sinew_level_zeros zeros;    // in J
  double *D, *g;              // columns
  double *lower_x, *upper_x;  // columns: bounds
  double *x, *part;           // columns: the step, that of one level
  double x_most;              // its largest entry
  double limited;             // what is left of it after its length was limited, a share
  bool measures;              // whether the next trial of it is to find its best share
  double best_share;          // of x: lower_curvature.c; INFINITY where it is not known
  double share;               // of x: what its bounds allow at most
  double *kept, *residual;    // rows of higher levels: what their residual should be, the excess
  int above;                  // how many these are
  double *left;               // rows of higher levels: e - J x of the step
  int evaluated;              // levels evaluated at the level's q; 0: nor are nodes placed
  int wanted;                 // rows of the level, with those of its objectives
  double *errors;             // tasks, level by level: distance and angle at q
  unsigned char *settled;     // columns that an objective of a higher level determines
  signed char *active;        // levels below x marks: bounds active in the last update
  double *aim;                // nv: what an objective aims at
  double *q;                  // nq: that of the call, from its begin to its end
  double *before;             // nq: q before a descent
  double *start, *top, *next; // nq: q before the update, after higher levels, and a trial
  double *moved, *last;       // nv: motion of the update, and of the last one [rad; sizes]
  int range_count;            // of all levels, by level, those of hard tasks first
  int ranged;                 // those of levels above this one count
  sinew_level_range *ranges;  // room for sinew_levels_range_room()
  double *range_rows;         // theirs, nv apart
  int slacks;                 // columns after the n, of ranges that a step may reach
  int *slack_range;           // the range of each
  bool loose;                 // whether level 0 need not be within the tolerance yet
  double cost;                // of the level: half its squared residual, objectives included
  double *multiplier;         // rows of higher levels, of a step of a descent
  double factor;              // t, on what a step of a descent is to reach: lower_descent.c
  bool warm;                  // whether the descent has taken a step, whose active bounds are known
  bool factored;              // whether corrections by the rows of the step have begun
} sinew_levels;

// The most ranges: those of hard tasks, and on average one of each other task.
static inline int sinew_levels_range_room(const sinew_solver_def *def) {
  return def->hard_rows + def->task_capacity;
}

// Marks of one level in levels.active: of columns in whole fours, and of ranges.
static inline int sinew_levels_marks(const sinew_solver_def *def, const sinew_model *model) {
  return sinew_level_stride(model->nv) + sinew_levels_range_room(def);
}

// From one row of levels.J to the next.
static inline int sinew_levels_stride(const sinew_levels *levels) {
  return sinew_level_stride(levels->n + levels->slacks);
}

// Whether an objective fits a model and so many levels; error names its number i and the field.
sinew_result sinew_objective_check(const sinew_objective *objective, const sinew_model *model,
                                   int levels, int i, sinew_error *error);

// The rows that an objective has: 0 where it is a term of single joints.
int sinew_objective_rows(const sinew_objective *objective);

// Those of a solver without room for any.
sinew_levels *sinew_levels_none(void);

// Memory; none where the solver's definition has no levels.
void sinew_levels_layout(sinew_arena *arena, struct sinew_solver *solver, const sinew_model *model);

// After the solver's problem has begun.
void sinew_levels_begin(struct sinew_solver *solver);

// Whether the solver has room for the levels of checked tasks.
sinew_result sinew_levels_check_tasks(const struct sinew_solver *solver, const sinew_task *tasks,
                                      int count, sinew_error *error);

// Takes the tasks of all levels; the solver's problem receives those of level 0.
void sinew_levels_set_tasks(struct sinew_solver *solver, const sinew_task *tasks, int count);

// A task by its number.
const sinew_compiled_task *sinew_levels_task(const struct sinew_solver *solver, int t);

// Compiles what follows from tasks and objectives together, after either has changed.
void sinew_levels_take(struct sinew_solver *solver);

// After limits, gains or frozen joints have changed.
void sinew_levels_refresh(struct sinew_solver *solver);

void sinew_levels_reset(struct sinew_solver *solver);

// Adds the objectives of level k of the call at q, levels.moved from the start: to levels.D and g,
// their own rows to J and e from a row on (-1: not wanted), and what they cost to levels.cost. The
// state is that of q, where some objective reads poses. Returns the number of rows. Compiled for
// each instruction set.
int sinew_levels_add_objectives(struct sinew_solver *solver, int k, const double *q, int row);

// sinew_solver_update() where levels are used.
sinew_result sinew_levels_update(struct sinew_solver *solver, const sinew_target *targets,
                                 int count, double *q, sinew_report *report);

// Checks the arguments of a call and sorts its targets by level into levels.targets, those of level
// 0 first. If they are refused the report is filled.
sinew_result sinew_levels_take_targets(struct sinew_solver *solver, const sinew_target *targets,
                                       int count, const double *q, sinew_report *report);

// The solver that searches: for the required tasks of level 0, the first of levels.targets.
struct sinew_solver *sinew_levels_search_solver(struct sinew_solver *solver);

// Moves joints into their limits that only lower levels move, if there are any: not those of
// problem's columns. fast: at once, else as far as their speeds allow in an update.
void sinew_levels_bring_others(const struct sinew_solver *solver, const sinew_problem *problem,
                               bool fast, double *q);

// The errors of tasks of lower levels at q. evaluated: whether they have been evaluated there.
void sinew_levels_measure(struct sinew_solver *solver, const double *q, bool evaluated);

// A report (may be NULL) on the tasks of level 0 becomes one on all tasks that are required;
// local: whether the outcome where only tasks of lower levels are not met is that of a solve.
void sinew_levels_report(struct sinew_solver *solver, bool local, sinew_report *report);

#endif
