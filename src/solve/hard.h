// Ranges and cones of hard tasks, as inequality rows of an update's steps.
//
// With y a side of a task (task/task.h), y_lower and y_upper its ends, and a its gradient over the
// columns, each step x obeys
//
//   b (y_lower - y) <= a . x <= b (y_upper - y),   b = 1 - (1 - BARRIER) h
//
// BARRIER = SINEW_HARD_BARRIER, h the task's influence, so that y comes to its end within some
// steps, and never beyond it but for its curvature. From outside it moves in by the same share, at
// most RETURN in a step. Rows that contradict each other or the limits yield: ranks in
// include/sinew/qp.h.
//
// A step whose curvature takes a row further out is corrected, then shortened: within the limits of
// acceleration, unless a row that comes before these is further out. What is left of the others
// they yield by. So an interval never costs an acceleration.
//
// With an influence below 1 the ends are those of the task's goal (solve/influence.h): y_upper is
// h of the way from where y would be without the task, if that is beyond the end, to the end. With
// h near 0 a step goes all the way there, as it does without the task.
//
// The step's program has the curvature of the active rows, their second derivatives times the
// multipliers of the predictor's step. Without it a figure that is pressed against a row which
// curves towards it oscillates along the row.
#ifndef SINEW_SOLVE_HARD_H
#define SINEW_SOLVE_HARD_H

#include "math/vector.h"
#include "problem/evaluation.h"
#include "sinew/solver.h"
#include "step/constrained.h"
#include "task/task.h"

struct sinew_solver;

// The share of the way to its end that a side goes in a step, and how much further out it may end
// [sizes of the figure, rad].
#define SINEW_HARD_BARRIER 0.5
#define SINEW_HARD_KEPT 1e-10

typedef struct sinew_hard {
  int capacity, total;                 // rows that there is room for, and of the tasks that are set
  int count;                           // of the step: total within an update, else 0
  double *q, *before;                  // nq, scratch
  const sinew_target *targets;         // of the step
  sinew_task_side *sides;              // capacity: at the last linearization
  sinew_task_side *ended;              // capacity: after a trial
  int *task;                           // capacity
  double *entries;                     // rows of a, count x columns
  double *lower, *upper;               // capacity: of a . x
  double *most_return;                 // capacity: the most that each moves in from outside
  double *barrier;                     // capacity: b
  double *outer_lower, *outer_upper;   // nv: bounds of x that rows yield to
  double *joint_lower, *joint_upper;   // nv: bounds of changes of q
  double *narrow_lower, *narrow_upper; // nv: the same of accelerations and braking
  double *best;                        // nv: the step that has left rows least further out
  unsigned char *rank;                 // 2 nv + capacity
  double *curvature;                   // nv x nv
  double *twists;                      // 6 a column of a task: of its point
  int *column, *node;                  // of each of these
  signed char *reached;                // capacity: -1 or 1 at the lower or upper end
  bool held_back; // whether rows to which limits of acceleration yield have changed a step of the
                  // update, or are at an end after it
  // Of the last step
  double *multiplier; // capacity
  signed char *at; // capacity: the end that the quantity is at after a solve, or that has held back
                   // lower levels in an update
  double *yielded; // capacity: the row [m or rad]
  // Of the update
  bool *has_yielded; // capacity
  double *beyond;    // capacity: by how much the quantity of one that has is beyond its end
  sinew_constrained_scratch scratch;
} sinew_hard;

void sinew_hard_layout(sinew_arena *arena, const sinew_solver_def *def, const sinew_model *model,
                       sinew_hard *hard);

// Refuses updates of hard tasks with what these do not go with: solver.error says what.
sinew_result sinew_hard_check_update(struct sinew_solver *solver);

// Whether there is room for the rows of checked tasks.
sinew_result sinew_hard_check_tasks(const struct sinew_solver *solver, const sinew_task *tasks,
                                    int count, sinew_error *error);

// Takes the tasks of a compiled problem.
void sinew_hard_set_tasks(struct sinew_solver *solver);

// The rank of its rows.
sinew_qp_rank sinew_hard_rank(const sinew_task *task);

// hard.rank of the rows at the last linearization.
void sinew_hard_fill_ranks(struct sinew_solver *solver);

// Forgets the last step.
void sinew_hard_reset(struct sinew_solver *solver);

// What the rows are at q, the answer of a solve.
void sinew_hard_measure(struct sinew_solver *solver, const sinew_target *targets, const double *q);

// A row that ends further out than before the step has yielded: whether it does. ended: its side
// there.
bool sinew_hard_note_further(struct sinew_solver *solver, int row);

// hard.beyond of an update whose figure has been moved to q after its last step. Returns whether a
// row to which limits of acceleration yield is further out than before that step.
bool sinew_hard_measure_end(struct sinew_solver *solver, const double *q);

// How a solve's answer moves into the ranges of hard tasks.
typedef struct sinew_hard_way {
  bool met;        // whether the answer meets what the search is for: ranges then have a tolerance
  int most;        // updates
  double deadline; // of the solver's clock, or INFINITY
  int updates;     // that it took; 0: q is unchanged
  bool late, limited; // whether it ended by the deadline, or by most, before it was at rest
} sinew_hard_way;

// Moves q, the answer of a solve, into the ranges of hard tasks where it is outside and the method
// is the default: hard_answer.c. targets: all of the call, as the solver has the tasks. Updates
// forget the motion so far if it takes some.
void sinew_hard_bring_inside(struct sinew_solver *solver, const sinew_target *targets, int count,
                             sinew_hard_way *way, double *q);

// |g| over what neither bounds nor rows block.
double sinew_hard_free_gradient(const struct sinew_solver *solver);

// A column of the step has been multiplied by s.
void sinew_hard_scale_column(sinew_hard *hard, int n, int column, double s);

// ---- Sides.

// What a side's row is divided by.
static inline double sinew_hard_unit(const sinew_task_side *side, double size) {
  return side->angle ? 1.0 : size;
}

// b of a task: the share of the way to its end that a side goes in a step.
static inline double sinew_hard_barrier(double influence) {
  return 1.0 - (1.0 - SINEW_HARD_BARRIER) * influence;
}

// How far a side is outside.
static inline double sinew_hard_outside(const sinew_task_side *side, double unit) {
  return sinew_max(sinew_max(side->lower, -side->upper), 0.0) / unit;
}

// By how much the quantity has moved from one side to the other: the nearer end has more digits.
static inline double sinew_hard_moved(const sinew_task_side *was, const sinew_task_side *ended) {
  const bool upper = fabs(was->upper) < fabs(was->lower);
  return upper ? was->upper - ended->upper : was->lower - ended->lower;
}

// By how much the quantity is beyond its upper end, or less 0 beyond its lower one.
static inline double sinew_hard_beyond(const sinew_task_side *side) {
  return sinew_max(-side->upper, 0.0) - sinew_max(side->lower, 0.0);
}

// Whether no hard task is further out at a configuration than at another.
bool sinew_hard_is_kept(struct sinew_solver *solver, const sinew_target *targets,
                        const double *before, const double *after);

// ---- Compiled for each instruction set.

// The sides of all hard tasks at the configuration last evaluated.
void sinew_hard_find_sides(const struct sinew_solver *solver, const sinew_target *targets,
                           sinew_task_side *sides);

// Whether two tasks of a problem have the same columns at the configuration last evaluated: those
// of one polygon's edges differ in their directions alone.
bool sinew_hard_have_same_columns(const sinew_problem *problem, const sinew_evaluation *evaluation,
                                  int a, int b);

// The rows of count sides of a problem's task t, and of others with the same columns, over the
// problem's columns, stride apart, at the configuration last evaluated.
void sinew_hard_write_rows(const sinew_problem *problem, const sinew_state *state,
                           const sinew_evaluation *evaluation, int t, int count,
                           const sinew_task_side *sides, int stride, double *entries);

// The rows at the last linearization, and the outer bounds, which are those of the step so far.
void sinew_hard_begin(struct sinew_solver *solver, const sinew_target *targets);

// Narrows an outer bound by what speeds allow.
static inline void sinew_hard_bound(sinew_hard *hard, int column, double low, double high) {
  const double lower = hard->outer_lower[column], upper = hard->outer_upper[column];
  hard->outer_lower[column] = lower < low ? low : lower > high ? high : lower;
  hard->outer_upper[column] = upper < low ? low : upper > high ? high : upper;
}

// The sum over rows of their multipliers times their second derivatives over x: n x n, lower
// triangle; NULL: it is 0.
const double *sinew_hard_find_curvature(struct sinew_solver *solver);

// linear.x <- the step of the same problem within the rows, where it is not. second: of Newton's
// matrix.
void sinew_hard_step(struct sinew_solver *solver, const sinew_step_problem *problem, bool second);

// v, changes of q, <- less what it changes of rows near to their ends; before sinew_hard_keep().
void sinew_hard_remove_normals(struct sinew_solver *solver, double *v);

// linear.x, in changes of q, into the rows, where what has limited its change has moved it out, or
// their second-order part. The rows are then those of changes of q, and the evaluation is that of
// another configuration.
void sinew_hard_keep(struct sinew_solver *solver, const double *q);

#endif
