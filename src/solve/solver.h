// The solver from inside: what it owns, and the parts of a step.
#ifndef SINEW_SOLVE_SOLVER_H
#define SINEW_SOLVE_SOLVER_H

#include "sinew/solver.h"
#include "solve/lanes.h"
#include "solve/scratch.h"
#include "step/box.h"
#include "step/dls.h"
#include "step/newton.h"
#include "step/pseudoinverse.h"
#include "step/sdls.h"
#include "step/transpose.h"
#include "task/task.h"

// What the adaptive clamp remembers of a task's last update.
typedef struct sinew_before {
  double target[3]; // where it should go
  double error;     // how far from it the task was
} sinew_before;

struct sinew_solver {
  sinew_allocator allocator;
  const sinew_model *model;
  sinew_solver_def def;
  sinew_state state;
  sinew_task_set set;
  sinew_dls_scratch dls;
  double *lower, *upper;         // nv, in force
  double *gains;                 // nv, 0 where frozen
  double *strength;              // nv, as set, not looking at frozen ones
  unsigned char *frozen;         // nv
  bool has_limits, has_speeds;   // whether some slot has
  double *box_lower, *box_upper; // a slot each, scaled
  bool open;                     // whether the box is infinite on all sides
  double *e;                     // a row each: the error that steps aim at
  sinew_newton_scratch newton;   // these as far as the method wants them
  sinew_transpose_scratch transpose;
  sinew_pseudoinverse_scratch pseudoinverse;
  sinew_sdls_scratch sdls;
  int *split;           // a task each: its rows of position
  double latest_E;      // half the squared residual of the last evaluation
  double E;             // and where it was linearized last
  double calm_gradient; // what the default's damping remembers of |g|, 0 while targets move
  sinew_target *shown;  // a task each: the targets of the last update, as far as read
  int still;            // for how many updates they have stood still; -1 after a reset
  double *expected;     // a row each: what a step is expected to leave of e
  double *last;         // nv: x of the last update, 0 after a reset
  sinew_before *before; // a task each
  bool has_before;      // whether an update has filled it
  double *x;            // a slot each: the step, in turns once found
  double *gradient;     // a slot each
  double *q;            // nq, the trial
  double *best;         // nq
  sinew_global_scratch global;
  sinew_lanes lanes;
};

// Whether a call's arguments can be used.
sinew_result sinew_solver_check(const sinew_solver *solver, const sinew_target *targets, int count,
                                const double *q);

// Poses and residual at q; returns E, half the squared residual.
double sinew_solver_evaluate(sinew_solver *solver, const sinew_target *targets, const double *q);

// Whether every task was within its tolerance at the last evaluation.
bool sinew_solver_converged(const sinew_solver *solver);

// Jacobian, error, gradient and box at q, where the state was evaluated last.
// @param dt time step of speed limits [s]; 0: none
// @param curved whether Newton's step will need the curvature at the error as it is
void sinew_solver_linearize(sinew_solver *solver, const double *q, double dt, bool curved);

// x, the step for the error e, within the box and clamped; in units of turns, those of a ball
// about its own axes. The state is where it was linearized.
// @param harder factor on the damping, >= 1
void sinew_solver_find_step(sinew_solver *solver, sinew_method method, double harder);

// x, the damped least squares step for a given mu, as above, and no turn over 1 rad.
void sinew_solver_find_damped_step(sinew_solver *solver, double mu);

// The default's step of one update: no further from the last than max_change.
void sinew_solver_find_calm_step(sinew_solver *solver);

// out = q moved by x; out may be q. Degrees of freedom that are not in use keep their bits;
// rounding takes none out of limits that it was within.
void sinew_solver_apply_step(const sinew_solver *solver, const double *q, double *out);

// Fills a report (may be NULL) from the last evaluation.
void sinew_solver_report(const sinew_solver *solver, sinew_outcome outcome, int steps,
                         int limiting_joint, sinew_report *report);

#endif
