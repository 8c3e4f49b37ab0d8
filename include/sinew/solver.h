/// @file solver.h
/// Computes joint values from tasks and targets.
///
/// Create a ::sinew_solver once from a model and a ::sinew_solver_def, set its tasks, then call
/// update or solve any number of times: these calls allocate nothing, take no lock and print
/// nothing. Use one solver for each thread.
///
/// Tasks become weighted, dimensionless rows J x = e. A solve uses damped least squares: it
/// minimises |J x - e|^2 + mu |x|^2 within the bounds of the joint limits, where mu grows with the
/// error (Chan and Lawrence 1988) and vanishes at the solution. An update uses Newton's method with
/// damping that keeps both lag and oscillation low: docs/tracking.md. Other methods can be
/// selected. See docs/conventions.md for the scaling.
#ifndef SINEW_SOLVER_H
#define SINEW_SOLVER_H

#include "sinew/kinematics.h"
#include "sinew/qp.h"
#include "sinew/task.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a solve ended. None of these is an error.
typedef enum sinew_outcome {
  SINEW_OUTCOME_CONVERGED = 0,     ///< every task within its tolerance
  SINEW_OUTCOME_OUT_OF_REACH,      ///< proven: within their limits the chains are too short, or
                                   ///< cannot fold enough, for the targets
  SINEW_OUTCOME_BLOCKED_BY_LIMITS, ///< the error would decrease if a joint could leave its limits
  SINEW_OUTCOME_STALLED,           ///< the error is at a local minimum; another seed may do better
  SINEW_OUTCOME_STEP_LIMIT,        ///< max_steps were used; also the outcome of a
                                   ///< sinew_solver_update() that begins above the tolerance, where
                                   ///< a step can lower the error
  SINEW_OUTCOME_TIME_LIMIT,        ///< time_limit was reached
  SINEW_OUTCOME_BAD_INPUT,         ///< the call, or a row of a batch, was refused: nothing was
                                   ///< solved
  SINEW_OUTCOME_NO_TASK,           ///< no task counts: there are none, or all have weight 0
  SINEW_OUTCOME_REJECTED,          ///< sinew_global_def.accept accepted none of the solutions
  SINEW_OUTCOME_COUNT
} sinew_outcome;

/// "converged", "out_of_reach", "blocked_by_limits", "stalled", "step_limit",
/// "time_limit", "bad_input", "no_task", "rejected".
SINEW_API const char *sinew_outcome_string(sinew_outcome outcome);

/// How a step is computed.
typedef enum sinew_method {
  /// sinew_solver_update() uses NEWTON with more damping in several steps, for fast targets and for
  /// targets in reach, and bounds how much steps change by max_change; sinew_solver_solve_local()
  /// uses DLS, then NEWTON if it has not converged.
  SINEW_METHOD_DEFAULT = 0,
  SINEW_METHOD_TRANSPOSE,     ///< Jacobian transpose (Buss 2009, section 3): cheap, converges
                              ///< slowly
  SINEW_METHOD_PSEUDOINVERSE, ///< (section 4): fast within reach, oscillates near the edge of
                              ///< reach and beyond
  SINEW_METHOD_DLS,           ///< damped least squares (section 5); by default the damping grows
                              ///< with the error, which is fast for a solve; updates out of reach
                              ///< need more: see damping
  SINEW_METHOD_SDLS,          ///< selectively damped least squares (Buss and Kim 2005); no joint
                              ///< turns more than gamma_max = pi / 4 in a step, or max_turn where
                              ///< that is less
  SINEW_METHOD_NEWTON,        ///< minimises a second-order model of the error, with damping that
                              ///< grows with the error. The model is
                              ///< exact for points and poses without free axes; first-order with
                              ///< more damping for orientations alone, tasks with free axes,
                              ///< directions, and joints that drive others
  // The methods from here on are references from the literature, for comparison: docs/methods.md.
  SINEW_METHOD_GRADIENT,  ///< x = J^T e without a step length: a contrast to TRANSPOSE
  SINEW_METHOD_CONJUGATE, ///< nonlinear conjugate gradients (Polak and Ribiere 1969)
  SINEW_METHOD_BFGS,      ///< quasi-Newton within limits (Zhao and Badler 1994)
  SINEW_METHOD_LBFGS,     ///< the same with a limited memory (Byrd, Lu, Nocedal, Zhu 1995)
  SINEW_METHOD_LM,        ///< projected Levenberg-Marquardt, damped by the gain ratio
  SINEW_METHOD_HALLEY,    ///< third-order step (Lloyd, Irani, Ahmadi 2022), damped as DLS
  SINEW_METHOD_NUMERIC,   ///< Newton's method for e = 0, J by finite differences, damped as DLS
  SINEW_METHOD_NUMERIC_SCALAR, ///< Newton's method for |e| = 0, its slope by finite differences
  SINEW_METHOD_CCD,        ///< cyclic coordinate descent, from the tips to the root; a step is a
                           ///< sweep over all joints
  SINEW_METHOD_CCD_ROOT,   ///< the same from the root to the tips
  SINEW_METHOD_CCD_NEWTON, ///< CCD, and NEWTON where it slows down or is near (Wang, Chen 1991)
  SINEW_METHOD_FABRIK,     ///< forward and backward reaching (Aristidou, Lasenby 2011), on trees,
                           ///< projected onto joints and limits; a step is one of both passes
  SINEW_METHOD_WEIGHTED,   ///< DLS with a full matrix of weights, sinew_solver_set_weights()
  SINEW_METHOD_COUNT
} sinew_method;

/// "default", "transpose", "pseudoinverse", "dls", "sdls", "newton"; "gradient", "conjugate",
/// "bfgs", "lbfgs", "lm", "halley", "numeric", "numeric-scalar", "ccd", "ccd-root", "ccd-newton",
/// "fabrik", "weighted".
SINEW_API const char *sinew_method_string(sinew_method method);

/// What a method is, for menus, options and tables.
typedef struct sinew_method_info {
  const char *name;          ///< as sinew_method_string() gives it: "dls"
  const char *label;         ///< for a table or menu: "damped least squares"
  const char *description;   ///< one sentence
  const char *source;        ///< author, year, section
  const char *const *fields; ///< the fields of sinew_solver_def that this method uses and some
                             ///< other methods do not, followed by NULL
} sinew_method_info;

/// The methods by number, from 0: sinew_method_info_of(SINEW_METHOD_DLS), or all of them up to
/// SINEW_METHOD_COUNT.
/// @return constant data; NULL where there is no such method
SINEW_API const sinew_method_info *sinew_method_info_of(int method);

/// Which of three equivalent forms of damped least squares is solved, for m rows
/// and n degrees of freedom. Source: Buss 2009, section 5.
typedef enum sinew_dls_form {
  SINEW_DLS_SMALLER = 0, ///< m x m or n x n, the smaller
  SINEW_DLS_ROWS,        ///< x = J^T (J J^T + mu I)^-1 e, m x m: eq. 11
  SINEW_DLS_COLUMNS,     ///< x = (J^T J + mu I)^-1 J^T e, n x n: eq. 10
  SINEW_DLS_STACKED      ///< least squares of [J; sqrt(mu) I] x = [e; 0] by
                         ///< QR: slower, and does not square the condition number
} sinew_dls_form;

/// Which law gives DLS its damping mu. lambda is step.damping over the figure's size, or 1/10 where
/// that is 0; E half the squared residual; the singular values sigma are those of the weighted,
/// dimensionless J. Laws other than ERROR are for comparison: docs/methods.md.
typedef enum sinew_damping_law {
  SINEW_DAMPING_ERROR = 0, ///< mu = c min(E, 1/2) + lambda^2 + floor, lambda 0 where damping is
  SINEW_DAMPING_CONSTANT,  ///< lambda^2: Wampler 1986
  SINEW_DAMPING_MANIPULABILITY, ///< lambda^2 (1 - w / w_0)^2 below w_0 = damping_threshold, w the
                                ///< product of the sigma: Nakamura and Hanafusa 1986
  SINEW_DAMPING_SMALLEST,       ///< lambda^2 (1 - (s / s_0)^2) where the smallest sigma s is below
                                ///< s_0 = damping_threshold: Chiaverini, Siciliano, Egeland 1994
  SINEW_DAMPING_FILTER,         ///< the same, along the direction of the smallest sigma only, which
                                ///< is estimated from step to step: Maciejewski and Klein 1988
  SINEW_DAMPING_FILTER_TWO,     ///< along the directions of the two smallest: Chiaverini 1993
  SINEW_DAMPING_OPTIMAL,        ///< the least mu with which the step is no longer than max_turn, by
                                ///< its Euclidean norm: Maciejewski, Klein 1988; Deo, Walker 1995
  SINEW_DAMPING_BOUND,         ///< E / (2 max_turn^2), which bounds the step alike without singular
                               ///< values: the role of Mayorga, Wong, Milano 1992
  SINEW_DAMPING_CHAN_LAWRENCE, ///< c E, c error_damping: Chan and Lawrence 1988
  SINEW_DAMPING_SUGIHARA,      ///< E + damping_floor: Sugihara 2011
  SINEW_DAMPING_GAIN_RATIO,    ///< Levenberg and Marquardt's, by the ratio of a step's gain to its
                               ///< predicted one: Nielsen 1999. In an update, which tries no step,
                               ///< 1e-3 of the largest diagonal entry of J^T J
  SINEW_DAMPING_COUNT
} sinew_damping_law;

/// "error", "constant", "manipulability", "smallest", "filter", "filter-two", "optimal", "bound",
/// "chan-lawrence", "sugihara", "gain-ratio".
SINEW_API const char *sinew_damping_law_string(sinew_damping_law law);

/// A task is met if the norm of its position error and its rotation angle are at most these. Below
/// 1e-13 rad, and 1e-13 times the model's size, rounding errors of forward kinematics would decide:
/// such tolerances are refused, but the defaults are accepted for any size. Near singular
/// configurations a solve may converge to no better than 1e-8: with a smaller tolerance, some of
/// 10,000 random poses of an arm may not be claimed.
typedef struct sinew_tolerances {
  double position;    ///< [m], at least 1e-13 times sinew_model_size(); default 1e-6
  double orientation; ///< [rad], at least 1e-13; default 1e-6
} sinew_tolerances;

/// Limits of the steps, starts and time of one solve. Tasks that no active joint connects are
/// solved apart; max_steps and max_starts then hold for each such part.
typedef struct sinew_budget {
  int max_steps;     ///< of one local solve, summed over its starts, >= 0; default 500.
                     ///< A solve may take as many updates again for hard tasks
  int max_starts;    ///< of one local solve: the caller's seed, then others, the same
                     ///< in every run; >= 1; default 50; 1: only the caller's seed
  double time_limit; ///< of any solve [s], > 0; default INFINITY; needs clock. A
                     ///< quarter of it is left for hard tasks, if there are any
  double (*clock)(void *context); ///< seconds since any fixed time; NULL: none
  void *clock_context;            ///< passed to clock
} sinew_budget;

/// How a step is computed. sinew_method_info_of() lists which of these a method uses.
typedef struct sinew_step_def {
  sinew_method method;  ///< default SINEW_METHOD_DEFAULT
  double damping;       ///< DLS: a constant lambda [m], mu gains (lambda / size)^2; >= 0;
                        ///< default 0. Buss's DLS is this with error_damping 0
  double error_damping; ///< DLS: c in mu = c min(E, 1/2) + floor, E half the squared residual,
                        ///< which is dimensionless; >= 0; default 0.1
  double damping_floor; ///< DLS: added to mu, >= 0; default 1e-12
  sinew_damping_law damping_law; ///< DLS: default SINEW_DAMPING_ERROR
  double damping_threshold;      ///< DLS: w_0 or s_0 of the laws that have one, > 0; default 0.05
  double damping_scale;      ///< NEWTON and DEFAULT: factor on how much the damping grows with the
                             ///< error; > 0; default 1. A larger factor reduces oscillation out of
                             ///< reach and adds lag within reach
  double error_clamp;        ///< updates by methods other than DEFAULT: D_max, the length to which
                             ///< each task's position error is clamped [m], > 0; default INFINITY.
                             ///< Buss's DLS' is DLS with it; half a typical link is usual
  bool error_clamp_adaptive; ///< D_max grows by how much the last step reduced the task's error,
                             ///< and is infinite at the first update after a reset; default true
  double max_turn;           ///< largest rotation of a joint in a step [rad], > 0; default 1;
                             ///< prismatic joints: max_turn times the figure's size (sinew_task);
                             ///< tracking.keep_base has the exception
  double singular_cut;       ///< PSEUDOINVERSE: singular values up to this share of the largest
                             ///< count as 0; in (0, 1); default 0.01
  bool target_jacobian;      ///< columns are computed at the target instead of the end effector
                             ///< (Buss 2009, section 2); not for NEWTON and DEFAULT; default false
  sinew_dls_form dls_form;   ///< default SINEW_DLS_SMALLER
} sinew_step_def;

/// How sinew_solver_update() follows targets that move.
typedef struct sinew_tracking_def {
  double time_step;  ///< between updates [s], >= 0; default 0: not known. If it is known, speed
                     ///< limits are kept, target.twist is fed forward, and the motion by DEFAULT
                     ///< hardly depends on the number of updates a second
  double error_gain; ///< K, the share of the error that an update aims to remove; in (0, 1];
                     ///< default 1
  double max_change; ///< DEFAULT: largest difference between the motion in an update and that in
                     ///< the last one, norm over all joints [rad], > 0; default 0.095. It spreads a
                     ///< jump of the targets, or between two solutions, over several updates.
                     ///< Targets that move by more than 1.6 % of the figure's size are followed in
                     ///< parts; the bound is then that of each part. With more than 25 degrees of
                     ///< freedom n it is n / 25 times as large, at most 3 times. With a time_step
                     ///< it decreases with the time of a part below 1 / 60 s. Each lower level may
                     ///< add a motion of its own, of up to 0.05 rad a joint: docs/levels.md
  bool escape;       ///< DEFAULT: at a local minimum of the error, where the targets are not proven
                     ///< out of reach, look for another solution, some steps in each update, and
                     ///< move there within max_change and limits of acceleration; default false
  bool keep_base;    ///< DEFAULT: after a reset too a floating base moves to its targets by steps,
                     ///< as in other updates, and not at once (sinew_solver_reset()); default false
} sinew_tracking_def;

/// Room for what has a lower priority than the tasks of level 0: docs/levels.md. The memory
/// [bytes] of a solver that has some grows, with r = task_capacity + hard_rows and m = 6
/// task_capacity + rows + r, by about 16 m^2 + 16 m (nv + r), and by the memory of task_capacity
/// tasks for each level and two more.
typedef struct sinew_lower_def {
  int levels;     ///< levels below 0 that tasks and objectives may have, 0 to 100; default 0: all
                  ///< are at level 0, and required
  int objectives; ///< most objectives (objective.h) at a time, 0 to 1000; default 0
  int rows; ///< most rows of theirs, 0 to 1000: a COUPLING and a POLE have one, a CALLBACK has its
            ///< rows; default 0
} sinew_lower_def;

/// The settings of a solver. Start from sinew_default_solver_def().
typedef struct sinew_solver_def {
  uint32_t cookie; ///< cookie and size: set by sinew_default_solver_def(); leave them
  uint32_t size;
  int task_capacity; ///< most tasks at a time, 0 to 5000; default 8. The solver's memory [bytes]
                     ///< grows by about 1200 + 230 nv for each; and, with DEFAULT and NEWTON, by
                     ///< 16 min(6 task_capacity, max(512, nv))^2
  sinew_tolerances tolerances;
  sinew_budget budget;
  sinew_step_def step;
  sinew_tracking_def tracking;
  sinew_lower_def lower;
  /// Room for tasks with an influence below 1: how many different influences between 0 and 1 there
  /// may be at a time, 0 to 16; default 0: all tasks have 1. Each takes the memory of a solver, and
  /// each that is in use the time of one more call.
  int influences;
  /// Room for ranges and cones of hard tasks (sinew_task.hard), 0 to 1000: one each for a range of
  /// an axis, a height, a distance and an angle, sinew_task_hard_rows() of the tasks; default 0.
  /// Updates refuse hard tasks with another method than DEFAULT. Solves by DEFAULT keep them, too:
  /// one that cannot meet all tasks moves its answer into their ranges, and then forgets the motion
  /// of updates, as sinew_solver_reset() does. With r rows the memory [bytes] grows by about 40
  /// nv^2 + 20 r nv + 150 nodes.
  int hard_rows;
  int lanes; ///< searches (global.h): attempts computed at once in SIMD lanes: 1, 2, 4 or 8; 0
             ///< (default): as many as the processor has; -1: none, which saves their memory. The
             ///< last bits of results depend on it
  sinew_allocator allocator;
} sinew_solver_def;

/// For bindings to other languages; in C and C++ use sinew_default_solver_def().
/// @param size of the caller's struct [bytes]
SINEW_API void sinew_solver_def_init(sinew_solver_def *def, size_t size);

static inline sinew_solver_def sinew_default_solver_def(void) {
  sinew_solver_def def;
  sinew_solver_def_init(&def, sizeof def);
  return def;
}

/// Whether the solutions that a call returned, or chose one from, are all there are within the
/// limits.
typedef enum sinew_completeness {
  SINEW_SOLUTIONS_SEARCHED = 0, ///< found by a search, which may miss some
  SINEW_SOLUTIONS_GRID,         ///< found on a grid: what lies between its values may be missing
  SINEW_SOLUTIONS_COMPLETE      ///< all: a closed form
} sinew_completeness;

/// "searched", "complete to a grid", "complete".
SINEW_API const char *sinew_completeness_string(sinew_completeness completeness);

/// The result of a call. Every update and solve fills it, refused ones too. Errors are those at q;
/// those of an update are at the q from which it began.
typedef struct sinew_report {
  sinew_outcome outcome;
  double position_error;    ///< largest distance of a task [m]; -1: BAD_INPUT, NO_TASK
  double orientation_error; ///< largest angle of a task [rad]; -1: BAD_INPUT, NO_TASK
  int steps;                ///< steps computed
  int limiting_joint;       ///< BLOCKED_BY_LIMITS, or OUT_OF_REACH because of limits: the joint
                            ///< whose limit blocks most of the error, then of that of reach_task;
                            ///< else -1
  int worst_task;           ///< the task furthest from its tolerance, or -1
  int counted_tasks;        ///< tasks with a weight that is not 0; others do not affect the outcome
  int reach_task;           ///< OUT_OF_REACH: a task that cannot be met, else -1
  double reach;             ///< OUT_OF_REACH: how far the chain reaches towards that task's target
                            ///< [m], at most; or, if it is more than target_distance, how near to
                            ///< its centre it folds, at least; else -1
  double target_distance;   ///< OUT_OF_REACH: the distance asked for [m], else -1. Both are from
                            ///< the centre of the workspace, on the axis of the first joint, to
                            ///< the task's point or, of a pose, to its wrist, a point on the axis
                            ///< of the last joint. Where two targets are too far apart, or too
                            ///< near, both are distances between them
  sinew_completeness completeness; ///< sinew_solver_search() and sinew_solver_solve_all()
  int continuum;                   ///< sinew_solver_solve_all(): how many of the solutions are one
                                   ///< of a continuum, as at a straight wrist: the one whose joints
                                   ///< keep the seed's values
} sinew_report;

typedef struct sinew_solver sinew_solver;

/// @param model is not copied and must outlive the solver
/// @param error may be NULL
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT (the field is named),
///   SINEW_ERROR_NOT_FINITE or SINEW_ERROR_MEMORY
SINEW_MUST_CHECK sinew_result sinew_solver_create(const sinew_solver_def *def,
                                                  const sinew_model *model, sinew_solver **solver,
                                                  sinew_error *error);
SINEW_API void sinew_solver_destroy(sinew_solver *solver);

/// Sets the tasks, replacing earlier ones, and resets the adaptive clamp. Allocates nothing.
/// @param tasks count of them, copied
/// @param error may be NULL; names the task and its field
/// @return SINEW_OK, SINEW_ERROR_CAPACITY, SINEW_ERROR_INDEX,
///   SINEW_ERROR_ARGUMENT or SINEW_ERROR_NOT_FINITE (the old tasks stay)
SINEW_MUST_CHECK sinew_result sinew_solver_set_tasks(sinew_solver *solver, const sinew_task *tasks,
                                                     int count, sinew_error *error);

/// Changes the influence of each task (sinew_task.influence) while targets are followed: the motion
/// goes on, where new tasks are followed without knowledge of their targets' motion. Allocates
/// nothing.
/// @param influences count values, 0 to 1, in the order of the tasks
/// @return SINEW_OK, SINEW_ERROR_CAPACITY (sinew_solver_def.influences) or SINEW_ERROR_ARGUMENT
///   (sinew_solver_last_error() names the task; the old influences stay)
SINEW_MUST_CHECK sinew_result sinew_solver_set_influences(sinew_solver *solver,
                                                          const double *influences, int count);

/// Freezes degrees of freedom: their values do not change at all.
/// @param frozen nv values, nonzero: frozen; NULL: none
SINEW_MUST_CHECK sinew_result sinew_solver_set_frozen(sinew_solver *solver,
                                                      const unsigned char *frozen);

/// Gains G, one for each degree of freedom: the step of DLS minimises
/// |J x - e|^2 + mu |G^-1 x|^2. That is x = G y, where y minimises |J G y - e|^2 + mu |y|^2.
/// @param gains nv values, 0 to 1e6, below 1e-12: frozen; NULL: all 1
/// @return SINEW_OK or SINEW_ERROR_ARGUMENT
SINEW_MUST_CHECK sinew_result sinew_solver_set_gains(sinew_solver *solver, const double *gains);

/// The weights of the method WEIGHTED, symmetric and positive definite: its step minimises
/// |J x - e|^2 + mu x^T W x over the degrees of freedom that a task moves, x = W^-1 J^T (J W^-1 J^T
/// + mu I)^-1 e; with gains, of J G and G^-1 x. x is in rad, or in sizes of the figure (sinew_task)
/// where a joint translates. A diagonal W is also that of gains G = W^-1/2, which every method
/// obeys.
/// @param W nv x nv, row-major, copied; its diagonal within 1e12 of each other; NULL: I
/// @return SINEW_OK or SINEW_ERROR_ARGUMENT (sinew_solver_last_error() names the joint; the old
///   weights stay)
/// Source: Whitney 1969.
SINEW_MUST_CHECK sinew_result sinew_solver_set_weights(sinew_solver *solver, const double *W);

/// Limits that replace the model's, nv values each; NULL: the model's. Values for spherical
/// rotations are ignored. The model's limits are narrowed by those of driven joints; these are used
/// as given.
/// @return SINEW_OK or SINEW_ERROR_ARGUMENT (lower above upper, NaN, or no value of magnitude up to
///   1e100 between them)
SINEW_MUST_CHECK sinew_result sinew_solver_set_limits(sinew_solver *solver, const double *lower,
                                                      const double *upper);

/// Speed limits of updates that replace the model's; for updates with a time_step.
/// @param speeds nv values [rad/s or m/s], above 0, infinite: none; NULL: the model's
/// @param scale of all, above 0 and at most 1
/// @return SINEW_OK or SINEW_ERROR_ARGUMENT: sinew_solver_last_error() names the joint, or
///   tracking.time_step where that is 0 and a speed is finite or the scale not 1
SINEW_MUST_CHECK sinew_result sinew_solver_set_speeds(sinew_solver *solver, const double *speeds,
                                                      double scale);

/// Limits of acceleration of updates with a time_step: |d_t - d_(t-1)| <= a time_step^2, where d_t
/// is the change of a value in an update, whatever has moved it, and 0 before the first update
/// after a reset, and after it if that had no such limits, since it places the figure. They may be
/// set while a figure moves: the next update keeps them. A joint brakes ahead of its limits, and of
/// still targets in reach, so that it can stop there (docs/tracking.md). Where that is impossible,
/// since limits or speeds have changed, the acceleration yields, by the least amount:
/// sinew_solver_bound(). A joint that no task or objective moves any longer brakes until it rests;
/// one that is frozen stops at once.
///
/// Of a spherical joint, also of the rotation of a free joint, d_t is the rotation vector of its
/// change in an update, q_t = q_(t-1) exp(d_t), in the joint's own frame, and each of its three
/// components has a limit. Ahead of limits of swing and twist the joint moves such that it can stop
/// within them about its present axis of rotation.
/// @param accelerations nv values [rad/s^2 or m/s^2], above 0, infinite: none; NULL: none
/// @return as sinew_solver_set_speeds()
SINEW_MUST_CHECK sinew_result sinew_solver_set_accelerations(sinew_solver *solver,
                                                             const double *accelerations);

/// Narrows the limits, the model's or those that were set, by a margin at either end, at most to
/// their middle; those of swing and twist, too, the swing at most to 0.001 rad. 0 after creation.
/// @param linear of prismatic joints [m], >= 0
/// @param angular of the others [rad], >= 0
/// @return SINEW_OK or SINEW_ERROR_ARGUMENT
SINEW_MUST_CHECK sinew_result sinew_solver_set_margins(sinew_solver *solver, double linear,
                                                       double angular);

/// An inequality of a hard task (sinew_task.hard) in the last step of the last update, or after a
/// solve at its answer. In each step of an update its quantity, a coordinate, a height, a distance
/// or an angle, goes at most half of the way to its end.
typedef struct sinew_hard_row_report {
  int task;           ///< the task's number
  int axis;           ///< POSITION, ORIENTATION, POSE: as in range_lower; else 0, as it is before
                      ///< the first update with these tasks
  sinew_qp_rank rank; ///< DISTANCE and PLANE: CLEARANCE; PLANE of the centre of mass: POLYGON; else
                      ///< INTERVAL
  int side;           ///< 1: its upper end kept the figure from where other tasks pull it, -1: its
            ///< lower end, 0: neither. After a solve: at which end the quantity is, to the
            ///< tolerance
  double yielded; ///< where it has yielded in the update, to limits of speed and position or what
                  ///< has a smaller rank: by how much its quantity is then beyond its end [m or
                  ///< rad]; > 0 above the upper end, < 0 below the lower, else 0. After a solve:
                  ///< the same, where it is more than the tolerance
} sinew_hard_row_report;

/// The number of inequalities of hard tasks, which are in the order of the tasks, and of axes.
SINEW_API int sinew_solver_hard_row_count(const sinew_solver *solver);

/// @param row 0 to sinew_solver_hard_row_count() - 1
/// @return SINEW_OK or SINEW_ERROR_INDEX
SINEW_MUST_CHECK sinew_result sinew_solver_hard_row(const sinew_solver *solver, int row,
                                                    sinew_hard_row_report *report);

/// What kept a degree of freedom from moving further in an update.
typedef enum sinew_bound {
  SINEW_BOUND_NONE = 0,    ///< nothing, or it should not move further
  SINEW_BOUND_POSITION,    ///< it is at a limit of its value
  SINEW_BOUND_SPEED,       ///< the speed limit
  SINEW_BOUND_BRAKING,     ///< it brakes ahead of a limit or a target, as its acceleration allows
  SINEW_BOUND_ACCELERATION ///< the limit of acceleration
} sinew_bound;

/// "none", "position", "speed", "braking", "acceleration".
SINEW_API const char *sinew_bound_string(sinew_bound bound);

typedef struct sinew_bound_report {
  sinew_bound bound;
  int side;       ///< 1: it should move up, -1: down, 0: no bound
  double yielded; ///< by how much the acceleration exceeds its limit, which yields to limits of
                  ///< position and speed and to hard tasks of smaller ranks, not to intervals
                  ///< [rad/s^2 or m/s^2]; else 0
} sinew_bound_report;

/// Which limit of a degree of freedom was active in the last update.
/// @param q as that update left it, nq values
/// @param v degree of freedom, 0 to nv - 1. Of a spherical joint with limits of swing and twist, in
///   the order of these in ::sinew_joint_def: the twist, then the two parts of the swing, which are
///   at its limit together. For other spherical rotations there is a report only where their
///   acceleration is limited, of the component of the rotation vector; for limits of swing and
///   twist there is none where the gains of the joint's axes differ
/// @return SINEW_OK or SINEW_ERROR_INDEX
SINEW_MUST_CHECK sinew_result sinew_solver_bound(const sinew_solver *solver, const double *q, int v,
                                                 sinew_bound_report *report);

/// Follows the targets, for one frame of an animation or one cycle of a controller: takes one step;
/// the method DEFAULT takes several for fast targets and for targets in reach.
/// Joints within their limits stay within them; active joints outside are moved in. With a time
/// step no joint exceeds its speed limit, and its limit of acceleration only where that must yield.
/// @param targets one for each task, in the tasks' order
/// @param count of targets; must be the number of tasks
/// @param q nq values, in and out
/// @param report may be NULL; its errors are those before the update; BAD_INPUT where the call is
/// refused. An update that begins where no step lowers the error reports why: OUT_OF_REACH,
/// BLOCKED_BY_LIMITS or STALLED
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT or SINEW_ERROR_NOT_FINITE (q stays)
SINEW_MUST_CHECK sinew_result sinew_solver_update(sinew_solver *solver, const sinew_target *targets,
                                                  int count, double *q, sinew_report *report);

/// Searches the whole configuration space for joint values that meet all targets:
/// sinew_solver_search() (global.h) with its defaults, which end at the first solution. Which call
/// to use when: docs/calls.md.
/// @param q nq values: the seed, and the answer
/// @param report may be NULL
/// @return as sinew_solver_update()
SINEW_MUST_CHECK sinew_result sinew_solver_solve(sinew_solver *solver, const sinew_target *targets,
                                                 int count, double *q, sinew_report *report);

/// Local solver: takes steps by the solver's method from the seed until every task is within its
/// tolerance. If the error cannot be reduced further from
/// the seed, other seeds are tried, up to budget.max_starts and max_steps. If none converges, q is
/// the best found, moved into the ranges of hard tasks; the result from the caller's seed is kept
/// unless another has less than 98 % of its squared error. Active joints end within their limits;
/// frozen joints, and those that no task can move, do not change at all. The time step and the
/// error gain are not used.
/// @param q nq values: the seed, and the answer
/// @param report may be NULL
/// @return as sinew_solver_update()
SINEW_MUST_CHECK sinew_result sinew_solver_solve_local(sinew_solver *solver,
                                                       const sinew_target *targets, int count,
                                                       double *q, sinew_report *report);

/// The error of the last call that was refused: the joint's name, or the number of the task or
/// target, with the field and its value. Belongs to the solver and is overwritten by the next
/// refused call; its code is SINEW_OK if no call was refused.
SINEW_API const sinew_error *sinew_solver_last_error(const sinew_solver *solver);

/// The number of linear systems that the last sinew_solver_update() solved, attempts with too
/// little damping included. A step takes one or two, and more where limits or speeds stop joints. A
/// measure of an update's work that does not depend on the machine. 0 before the first update;
/// after a solve it has no meaning.
SINEW_API int sinew_solver_systems(const sinew_solver *solver);

/// The largest number of them that one step has solved, steps of lower levels not counted: with
/// limits, of the active set's rounds.
SINEW_API int sinew_solver_most_systems(const sinew_solver *solver);

/// How well the tasks can be moved at a configuration: from the singular values of their weighted,
/// dimensionless Jacobian (see sinew_task), over the active degrees of freedom. There are as many
/// as the smaller of rows and dofs.
typedef struct sinew_dexterity {
  int rows, dofs;
  double smallest, largest; ///< singular values; 0 where there are none
  double condition;         ///< largest / smallest; INFINITY at a singularity
  double manipulability;    ///< their product: Yoshikawa 1985
} sinew_dexterity;

/// Fills the dexterity of the tasks of level 0 at q. Allocates nothing; the history of updates
/// stays.
/// @param targets count of them: some rows are in axes that belong to the target
/// @return as sinew_solver_update(); dexterity is then 0
/// Source: Maciejewski and Klein 1989; Yoshikawa 1985.
SINEW_MUST_CHECK sinew_result sinew_solver_dexterity(sinew_solver *solver,
                                                     const sinew_target *targets, int count,
                                                     const double *q, sinew_dexterity *dexterity);

/// Clears the history of updates: the last step, the adaptive clamp and the state of the damping.
/// Call it after a discontinuity, such as a cut in an animation or a q that is set to another
/// place: the next update by DEFAULT then follows its targets at once, without the bound on change,
/// as that of a new solver does. It may first move a floating base, by any angle and distance, to
/// where the targets of three or more positions are; docs/tracking.md tells when, and
/// tracking.keep_base prevents it. The same calls after a reset give the same bits.
SINEW_API void sinew_solver_reset(sinew_solver *solver);

/// The errors of one task: after a solve at its result, after an update before its step. Distance
/// [m] and angle [rad] along the axes that the task controls; -1 for a task that does not count.
/// Each may be NULL.
SINEW_MUST_CHECK sinew_result sinew_solver_task_error(const sinew_solver *solver, int task,
                                                      double *position_error,
                                                      double *orientation_error);

#ifdef __cplusplus
}
#endif
#endif
