// Internals of the solver: its members, and the parts of a step.
#ifndef SINEW_SOLVE_SOLVER_H
#define SINEW_SOLVE_SOLVER_H

#include "analytic/branches.h"
#include "problem/configuration.h"
#include "problem/evaluation.h"
#include "simd/instruction_set.h"
#include "sinew/solver.h"
#include "solve/closed.h"
#include "solve/cones.h"
#include "solve/components.h"
#include "solve/damping.h"
#include "solve/escape.h"
#include "solve/hard.h"
#include "solve/influence.h"
#include "solve/task_gains.h"
#include "solve/lanes.h"
#include "solve/motion_limits.h"
#include "solve/pose_steps.h"
#include "solve/levels.h"
#include "solve/loops.h"
#include "solve/reach.h"
#include "solve/scratch.h"
#include "solve/spherical_motion.h"
#include "step/box.h"
#include "step/dls.h"
#include "step/newton.h"
#include "step/plain.h"
#include "step/projected.h"
#include "step/pseudoinverse.h"
#include "step/quasi.h"
#include "step/sdls.h"
#include "step/transpose.h"
#include "step/weighted.h"

// A task's last update, for the adaptive clamp.
typedef struct sinew_last_update {
  double target[3];   // the target's position
  double target_R[9]; // and its axes
  double error;       // the distance to it before the step, along the axes that the task controls
} sinew_last_update;

// The input of a step at a configuration: error, gradient, and the bounds of x.
typedef struct sinew_linearization {
  double E;              // half the squared residual
  double *e;             // rows: the error that steps are to remove
  double *gradient;      // columns: J^T e
  double *lower, *upper; // columns: bounds of x, scaled
  bool open;             // whether all bounds are infinite
  double *least, *most;  // columns: the bounds of x once found, infinite where they are those of a
                         // cone; else lower and upper themselves
  double *x;             // columns: the step; once found, in rad or sizes of the model
} sinew_linearization;

// Scratch of the update rules that the method uses.
typedef struct sinew_step_scratch {
  sinew_dls_scratch dls;
  sinew_newton_scratch newton;
  sinew_transpose_scratch transpose;
  sinew_pseudoinverse_scratch pseudoinverse;
  sinew_sdls_scratch sdls;
  sinew_plain_scratch plain;
  sinew_quasi_scratch quasi;
  sinew_weighted_scratch weighted;
  int *split;       // tasks: the number of position rows
  int systems;      // linear systems solved since the update or descent began
  int most_systems; // of them, the most in one step of level 0
  double *expected; // rows: the predicted residual
} sinew_step_scratch;

// The history of updates, until a reset.
typedef struct sinew_history {
  sinew_target *targets;  // tasks: targets of the last update, the fields that are read
  double updates_at_rest; // for how many updates no target has moved; -1: targets not known
  double recent;          // recent motion of the targets; -1: not known
  double motion;          // of the last update, -1: not known
  double predicted;       // r of the last step
  double keeps;           // in how many more steps the last predictor's d may be kept
  bool steady;            // whether that was more than 0 after it
  double *kept_error;     // rows: e of the last step with a predictor
  double *removed;        // rows: d = J x' of its predictor
  double gradient;        // the damping's decaying maximum of |g|, 0 while targets move
  double E;               // before the last update
  double caution;         // factor on the damping while no target moves
  double place;           // of the configuration that the last update returned: place_of()
  double slide;           // the length of the last step that has carried a motion on, else 0
  double *step;           // nv: X of the last part, 0 after a reset
  // 2 nv: bounds active in the last first step of a part, and in the last further one; 0 after a
  // reset.
  signed char *active;
  double spread;             // over how many more parts a jump of the targets may be spread
  int parts;                 // of the last update
  bool cut;                  // no update has followed a reset
  sinew_last_update *before; // tasks
  bool has_before;           // whether an update has filled it
} sinew_history;

// What the steps of an update of the default method have in common; symbols: policy/tracking.h.
typedef struct sinew_track_update {
  double time;       // of a part [s], 0 where it is not known
  double speed;      // the share of speed limits that may be used
  double rate;       // rho
  double max_change; // b
  double error_gain; // of a part
  int parts;
  bool bounded; // whether accelerations bound the motion
  bool cut;     // the first update after a reset
  bool jump;    // the targets have jumped
  bool speeds;  // whether speed limits bound rotations of spherical joints
  sinew_report *report;
} sinew_track_update;

// An update, as level 0 can take it again: left_out.c.
typedef struct sinew_past_update {
  double *q;                   // nq: where it began; of the last one, that was left to one level
                               // alone, levels.before until the next one begins
  double *step;                // nv: history.step before it
  sinew_target *targets;       // tasks: history.targets before it
  double rest, recent, motion; // history's before it
  int parts;
  bool alone;            // it was left to one level alone, which changes nothing else of history
  sinew_history history; // else: before it, with memory of its own but for targets
} sinew_past_update;

// Updates whose steps of level 0 have been left to lower levels, and how many are taken again at
// most: more change nothing, since what each depends on of the one before it is lost in turn.
// A power of 2, less 1.
#define LEFT_OUT_UPDATES 15

// The last updates, since one has left out steps of level 0.
typedef struct sinew_left_out {
  bool some;              // whether this update has left any
  bool saved;             // whether the history before this one has been recorded as a whole
  bool usable;            // whether it may be taken again
  int count;              // of past ones, before this update
  int whole;              // how many of the last of these have left none
  int next;               // the number of this update in past
  sinew_past_update *now; // and its place there
  sinew_past_update past[LEFT_OUT_UPDATES + 1];
} sinew_left_out;

// Scratch of an update of the default method.
typedef struct sinew_track_scratch {
  sinew_target *targets; // tasks: targets of a part
  double *moved;         // columns: X, the sum of the part's steps
  double *last;          // columns: X of the last part less that, where there are cones
  double *errors;        // tasks: distance and angle before the update; after it those at the end,
                         // where that has been evaluated
  double *q;             // nq: where the last update has left the nodes of the problem placed,
  uint64_t placement;    // and state.placements then; 0: not known
  double share;          // of max_change and of speed limits that the update may use
  int steps;             // of the update
  int part_steps;        // of its last part
  bool evaluated;        // whether the residual is that at the end of the update
  bool registered;       // in the first update after a reset: whether its base is registered
  bool postponed;        // whether further steps are left to lower levels
  bool held_back;        // whether max_change has shortened the last step
  bool held;             // and some step of the update
  bool further;          // whether the step is not the first of its part
  bool tentative;        // the update may be taken again: its targets are not recorded yet
  sinew_track_update now;
  bool settles; // during an update: no target has moved for some time
} sinew_track_scratch;

// The functions of a solver that are compiled for each instruction set (cmake/scalar.cmake), as
// those outside of that code call them; below, by their names, what each does. All sets give the
// same bits.
typedef struct sinew_solver_functions {
  sinew_result (*update)(sinew_solver *solver, const sinew_target *targets, int count, double *q,
                         sinew_report *report);
  double (*evaluate)(sinew_solver *solver, const sinew_target *targets, const double *q);
  void (*track)(sinew_solver *solver, const sinew_target *targets, double *q, sinew_report *report);
  void (*linearize)(sinew_solver *solver, const double *q, double dt, bool curved);
  void (*find_step)(sinew_solver *solver, sinew_method method, double factor);
  void (*find_damped_step)(sinew_solver *solver, double mu);
  void (*apply_step)(const sinew_solver *solver, const double *q, double *out);
  void (*lower)(sinew_solver *solver, double *q);
  void (*descend_lower)(sinew_solver *solver, double *q, bool evaluated);
  sinew_arm_result (*solve_branches)(const sinew_arm_plan *plan, const double R[9],
                                     const double p[3], double swivel, sinew_arm_set *set);
  void (*place_branches)(sinew_arm_set *set, int count, const sinew_arm_range *ranges,
                         double distinct, sinew_arm_placed *out);
  int (*solve_pair)(const sinew_arm_plan *plan, const double R[9], const double p[3],
                    sinew_arm_solution *out);
} sinew_solver_functions;

struct sinew_solver {
  sinew_allocator allocator;
  const sinew_solver_functions *functions; // for this processor
  const sinew_model *model; // with limits of swing and twist a copy, whose margins may narrow them
  const sinew_model *given_model; // the caller's
  sinew_solver_def def;
  sinew_problem problem;
  sinew_state state;
  sinew_evaluation evaluation; // of the last configuration evaluated
  sinew_cone_step *cones;      // limits of swing and twist at the last linearization
  sinew_hard hard;             // rows of hard tasks
  sinew_linearization linear;
  sinew_step_scratch step;
  sinew_damping *damping;  // of laws other than ERROR, else NULL
  sinew_step_start at;     // of a pose step
  sinew_pose_scratch pose; // of pose steps
  bool feeds_forward;      // a pose step is an update's
  double *moved;           // columns: the last change of x, of methods that remember it
  bool has_moved;
  double *weights; // nv x nv: W of the method WEIGHTED, else NULL
  sinew_history history;
  sinew_track_scratch track;
  sinew_escape escape;
  sinew_motion_limits motion;
  double *q;     // nq, scratch: the configuration after a trial step
  double *given; // nq: where a call began, of a model whose joints have functions
  sinew_search_scratch search;
  sinew_lanes lanes;
  sinew_reach reach;
  sinew_components components;
  sinew_closed closed;
  sinew_error error;    // of the last call that was refused
  sinew_levels *levels; // without room for any: sinew_levels_none()
  sinew_influence influence;
  sinew_task_gains gains;
  sinew_loops loops;
};

// Checks that a definition's fields are within their ranges; error names one that is not.
sinew_result sinew_solver_def_check(const sinew_solver_def *def, const sinew_model *model,
                                    sinew_error *error);

// Takes checked tasks. moving: updates follow others so far, whose motion goes on.
void sinew_solver_take_tasks(sinew_solver *solver, const sinew_task *tasks, int count, bool moving);

// Compiles the same tasks again, with other coordinates of spherical joints.
void sinew_solver_compile(sinew_solver *solver);

// Refuses tolerances that rounding errors would decide.
sinew_result sinew_tolerances_check(const sinew_tolerances *tolerances, const sinew_model *model,
                                    sinew_error *error);

// The functions for a processor with an instruction set.
const sinew_solver_functions *sinew_solver_functions_for(sinew_instruction_set set);

// Fills the report (may be NULL) of a call that was refused. Returns the last error's code.
sinew_result sinew_solver_refuse(const sinew_solver *solver, sinew_report *report);

// What the next two do where joints have functions, and where the function of one has failed.
void sinew_solver_begin_functions(sinew_solver *solver, const double *q);
sinew_result sinew_solver_end_failed(sinew_solver *solver, int joint, double *q,
                                     sinew_report *report);

// Each public call that places the figure stands between these two. If a joint's function failed in
// it, the second puts q (nq, NULL: none) back, resets the solver and refuses the call; else it
// returns the call's result.
static inline void sinew_solver_begin_call(sinew_solver *solver, const double *q) {
  if (SINEW_UNLIKELY(solver->model->function_count > 0)) {
    sinew_solver_begin_functions(solver, q);
  }
}

static inline sinew_result sinew_solver_end_call(sinew_solver *solver, sinew_result result,
                                                 double *q, sinew_report *report) {
  const int failed = sinew_state_failed_joint(&solver->state);
  return SINEW_LIKELY(failed < 0) ? result : sinew_solver_end_failed(solver, failed, q, report);
}

// The error for the first value of q that is not usable, with the name of its joint.
sinew_result sinew_configuration_explain(const sinew_model *model, const double *q,
                                         sinew_error *error);

// The solver's last error: why sinew_solver_check() refuses a call's arguments.
void sinew_solver_explain(sinew_solver *solver, const sinew_target *targets, int count,
                          const double *q);

// ---- Compiled for each instruction set. Called by name from outside of that code they are the
// baseline's, for what is not called often.

extern const sinew_solver_functions sinew_solver_functions_of_set;

// Checks a call's arguments. If they are refused the solver's last error says why, and the report
// (may be NULL) is filled by sinew_solver_refuse().
sinew_result sinew_solver_check(sinew_solver *solver, const sinew_target *targets, int count,
                                const double *q, sinew_report *report);

// sinew_solver_update()
sinew_result sinew_solver_take_update(sinew_solver *solver, const sinew_target *targets, int count,
                                      double *q, sinew_report *report);

// Poses and residual at q; returns E, half the squared residual.
double sinew_solver_evaluate(sinew_solver *solver, const sinew_target *targets, const double *q);

// Whether every task was within its tolerance at the last evaluation. Tasks of weight 0 are
// ignored; if there are no others, sinew_solver_report() says so.
bool sinew_solver_converged(const sinew_solver *solver);

// Jacobian, error, gradient and bounds at q, at which the state was evaluated last.
// @param dt time step of speed limits [s]; 0: none
// @param curved whether to add the curvature at the present error, for Newton's step
void sinew_solver_linearize(sinew_solver *solver, const double *q, double dt, bool curved);

// Narrows the bounds of x to those of the update's motion, divided by the number of parts; moved:
// what the part has moved already, columns; NULL: nothing.
void sinew_solver_narrow_motion(sinew_solver *solver, const double *moved, int parts);

// Scales rotations of spherical joints since q was before to their speed limits.
void sinew_solver_keep_speeds(const sinew_solver *solver, double time, const double *before,
                              double *q);

// x, the step for the error e, within its bounds and limited by max_turn; rotational components in
// rad, those of a spherical joint in its body frame. The state must be that of the linearization.
// @param factor on the damping, >= 1
void sinew_solver_find_step(sinew_solver *solver, sinew_method method, double factor);

// x, the damped least squares step for a given mu, as above, with no component above 1 rad.
void sinew_solver_find_damped_step(sinew_solver *solver, double mu);

// The default method's update: track.c. The residual at q must have been evaluated.
void sinew_solver_track(sinew_solver *solver, const sinew_target *targets, double *q,
                        sinew_report *report);

// The targets become those of the last update, which was tentative.
void sinew_solver_record_targets(sinew_solver *solver, const sinew_target *targets);

// The configuration that the update returns: history.place.
void sinew_solver_record_place(sinew_solver *solver, const double *q);

// Ends an update whose further steps were left to lower levels, which have succeeded.
void sinew_solver_end_postponed(sinew_solver *solver);

// The steps of the last part that were left to lower levels, which did not succeed.
void sinew_solver_track_on(sinew_solver *solver, const sinew_target *targets, double *q);

// Ends an update that was left to lower levels as a whole, with q after it, unless it changes the
// figure's motion by more than max_change: returns false then.
bool sinew_solver_end_alone(sinew_solver *solver, const double *q);

// The bounds active in the last step of the same kind, first or further, of a part: nv.
static inline signed char *sinew_solver_last_active(const sinew_solver *solver) {
  return solver->history.active + (solver->track.further ? solver->model->nv : 0);
}

// Narrows the bounds of a step of a part, which are those of limits and speeds from q, by what the
// part has moved already and by braking ahead of limits.
void sinew_track_narrow_bounds(sinew_solver *solver, const sinew_track_update *now,
                               const double *q);

// Fills step.expected by the last predictor's d, where a step of an update may keep it; else
// returns false.
bool sinew_track_keep_prediction(sinew_solver *solver);

// Whether the last predictors have agreed, and the step is like the last one.
bool sinew_track_is_steady(const sinew_solver *solver);

// The last motion becomes that of one of so many parts of an update, in figures with limits of
// swing and twist: a spherical joint's motion may change by little from update to update
// (math/cone_motion.h).
void sinew_track_scale_last(sinew_solver *solver, int parts);

// Records the prediction of a predictor, step.expected.
void sinew_track_record_prediction(sinew_solver *solver);

// Of a figure with limits of swing and twist that comes to rest, a share of the last motion goes
// on.
void sinew_track_carry_motion(sinew_solver *solver);

// Limits the change from the last part's motion, within the bounds; adds the step to the part's
// motion.
void sinew_track_limit_change(sinew_solver *solver, const double *q, double max_change);

// The bounds of a step from q, from limits and, where dt > 0, from speeds.
void sinew_solver_bound_step(sinew_solver *solver, const double *q, double dt);

// out = q moved by x; out may be q. Inactive degrees of freedom keep their bits. No value within
// its limits leaves them by rounding.
void sinew_solver_apply_step(const sinew_solver *solver, const double *q, double *out);

// Forgets what steps told the damping and the methods that remember: the next one is a first one.
void sinew_solver_forget(sinew_solver *solver);

// Moves joints into their limits that only lower levels move, if there are any: levels.h.
static inline void sinew_levels_bring_into_limits(const sinew_solver *solver,
                                                  const sinew_problem *problem, bool fast,
                                                  double *q) {
  const bool all = solver->levels->n == problem->pattern.dof_count; // columns are the problem's
  if (SINEW_UNLIKELY(!all)) {
    sinew_levels_bring_others(solver, problem, fast, q);
  }
}

// The step of lower levels (levels.h), after the update of level 0 has moved q: lower.c.
void sinew_solver_lower(sinew_solver *solver, double *q);

// Whether the step of level 1 is to bring level 0 to its targets from half a squared residual E,
// instead of further steps of level 0; all: of all of them.
bool sinew_solver_lower_meets(const sinew_solver *solver, double E, bool all);

// Moves a solution q of the search to a local minimum of the cost of lower levels, one after the
// other, while the tasks of the search stay met: lower_descent.c. Damping counts from levels.start.
// evaluated: whether the evaluation of level 0 is that of q; levels.evaluated > 0 afterwards: those
// of all its levels are. Fills levels.costs.
void sinew_solver_descend_lower(sinew_solver *solver, double *q, bool evaluated);

// Records the history of an update before level 0 takes a step from q.
void sinew_left_out_save(sinew_solver *solver, const double *q);

// An update leaves the remaining steps of level 0 to lower levels: before the motion of level 0 is
// recorded as the last one. alone: it has left all of them.
void sinew_left_out_note(sinew_solver *solver, bool alone);

// After lower levels, of an update that has left out nothing while past ones may have: where q is
// further from the targets of level 0 than a tenth of the tolerance, takes the last updates of
// level 0 again, as they are without lower levels, and this one after them. Returns whether q is
// now where that ends.
bool sinew_left_out_take(sinew_solver *solver, double *q);

// Whether bending straight limbs from q to bent is of no use to level 0: it meets its targets from
// q in this update by itself, or ends nearer to them. Leaves the history as it is.
bool sinew_level_0_arrives(sinew_solver *solver, const double *q, const double *bent);

// Fills a report (may be NULL) from the last evaluation.
void sinew_solver_report(const sinew_solver *solver, sinew_outcome outcome, int steps,
                         int limiting_joint, sinew_report *report);

// One update of the tasks of all levels.
static inline sinew_result sinew_solver_update_tasks(sinew_solver *solver,
                                                     const sinew_target *targets, int count,
                                                     double *q, sinew_report *report) {
  return solver->levels->used ? sinew_levels_update(solver, targets, count, q, report)
                              : solver->functions->update(solver, targets, count, q, report);
}

#endif
