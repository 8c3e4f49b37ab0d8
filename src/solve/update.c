// One update: evaluation, linearisation, a step, and its application. Compiled for each instruction
// set.
//
//   e = residual(q),  J = -de/dx,  E = |e|^2 / 2,  g = J^T e
//   x = step(J, e, bounds)                       solve/find_step.c
//   q <- q + x, clamped to the limits            revolute, prismatic and screw joints
//   R <- R exp(x)                                spherical joints, as quaternions
//
// Source of the linearisation: Buss, Introduction to inverse kinematics with Jacobian transpose,
// pseudoinverse and damped least squares methods, 2004. The default method's own steps are those of
// policy/tracking.h and step/newton.h.
#include "math/rotation.h"
#include "math/vector.h"
#include "policy/rules.h"
#include "policy/tracking.h"
#include "solve/components.h"
#include "solve/methods.h"
#include "solve/registration.h"
#include "solve/slides.h"
#include "solve/stationary.h"
#include "solve/value_columns.h"
#include "step/clamp.h"

#include <string.h>

sinew_result sinew_solver_check(sinew_solver *solver, const sinew_target *targets, int count,
                                const double *q, sinew_report *report) {
  SINEW_ASSERT(solver != NULL);
  if (count == solver->problem.count && (count == 0 || targets != NULL) && q != NULL &&
      sinew_state_accepts(solver->model, q) && sinew_problem_accepts(&solver->problem, targets)) {
    return SINEW_OK;
  }
  sinew_solver_explain(solver, targets, count, q);
  return sinew_solver_refuse(solver, report);
}

double sinew_solver_evaluate(sinew_solver *solver, const sinew_target *targets, const double *q) {
  sinew_state_place_some(&solver->state, q, solver->problem.nodes, solver->problem.node_count);
  return sinew_evaluate_residual(&solver->problem, &solver->state, targets, &solver->evaluation);
}

// The larger of position and orientation error over its tolerance: at most 1 if both are met.
static double task_distance(const sinew_solver *solver, const sinew_task_evaluation *task) {
  return sinew_max(task->position_error / solver->def.tolerances.position,
                   task->orientation_error / solver->def.tolerances.orientation);
}

bool sinew_solver_converged(const sinew_solver *solver) {
  for (int t = 0; t < solver->problem.count; ++t) {
    if (!(task_distance(solver, &solver->evaluation.tasks[t]) <= 1.0)) {
      return false;
    }
  }
  return true;
}

void sinew_solver_report(const sinew_solver *solver, sinew_outcome outcome, int steps,
                         int limiting_joint, sinew_report *report) {
  if (report == NULL) {
    return;
  }
  *report = (sinew_report){.outcome = outcome,
                           .steps = steps,
                           .limiting_joint = limiting_joint,
                           .worst_task = -1,
                           .reach_task = -1,
                           .reach = -1.0,
                           .target_distance = -1.0,
                           .counted_tasks = solver->problem.counted};
  if (report->counted_tasks == 0) { // without a task none is met
    report->outcome = SINEW_OUTCOME_NO_TASK;
    report->position_error = report->orientation_error = -1.0;
    return;
  }
  if (outcome == SINEW_OUTCOME_OUT_OF_REACH) {
    report->reach_task = solver->reach.proof.task;
    report->reach = solver->reach.proof.reach;
    report->target_distance = solver->reach.proof.distance;
  }
  double worst = -1.0;
  for (int t = 0; t < solver->problem.count; ++t) {
    if (solver->problem.tasks[t].row_count == 0) {
      continue;
    }
    const sinew_task_evaluation *task = &solver->evaluation.tasks[t];
    const double far = task_distance(solver, task);
    report->position_error = sinew_max(report->position_error, task->position_error);
    report->orientation_error = sinew_max(report->orientation_error, task->orientation_error);
    report->worst_task = far > worst ? t : report->worst_task;
    worst = sinew_max(worst, far);
  }
}

// The box of x from limits l, u and, where there is a time step, from speeds. With r = speed dt,
//
//   lower = min(r, max(l - q, -r)),   upper = max(-r, min(u - q, r))
//
// so that a joint outside its limits returns at the speed allowed. Without limits and speeds the
// box is unbounded.
void sinew_solver_bound_step(sinew_solver *solver, const double *q, double dt) {
  const sinew_motion_limits *motion = &solver->motion;
  const bool moves_freely = !solver->problem.has_speeds && !motion->has_speeds;
  const bool open = !solver->problem.has_limits && solver->problem.cone_count == 0 &&
                    !(dt > 0.0 && (!moves_freely || motion->has_accelerations));
  if (open && solver->linear.open) {
    return; // filled before
  }
  solver->linear.open = open;
  const sinew_problem *problem = &solver->problem;
  if (!(dt > 0.0) && sinew_has_value_columns(problem)) {
    sinew_value_columns_bound(solver, q);
    return;
  }
  const sinew_model *model = solver->model;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    double lower = -INFINITY, upper = INFINITY;
    if (model->quaternion_axis[v] < 0) {
      lower = solver->problem.lower[v] - q[model->q_of_v[v]];
      upper = solver->problem.upper[v] - q[model->q_of_v[v]];
    }
    if (dt > 0.0) {
      const double most = motion->speed[v] * dt;
      lower = sinew_min(most, sinew_max(lower, -most));
      upper = sinew_max(-most, sinew_min(upper, most));
    }
    solver->linear.lower[column] = lower * problem->inverse_scale[column];
    solver->linear.upper[column] = upper * problem->inverse_scale[column];
  }
  if (problem->cone_count > 0) {
    sinew_cones_bound(solver, dt);
  }
}

// Applies the rotation vector to a spherical joint, some of whose axes may be inactive, within its
// limits of swing and twist.
SINEW_ALWAYS_INLINE void rotate_spherical(const sinew_solver *solver,
                                          const sinew_column_group *group, double q[4]) {
  const double *x = solver->linear.x + group->column;
  const int cone = solver->model->nodes[group->node].cone;
  if (group->count == 3 && cone < 0) {
    if (!SINEW_HAS_FAST_PATHS || !sinew_quaternion_apply_small(q, x)) {
      sinew_quaternion_apply(q, x);
    }
    return;
  }
  double w[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < group->count; ++i) {
    w[solver->model->quaternion_axis[solver->problem.dof_of_column[group->column + i]]] = x[i];
  }
  if (cone >= 0) {
    sinew_cone_move(&solver->model->cones[cone], group->count == 3, w, q);
    return;
  }
  sinew_quaternion_apply(q, w);
}

// Clamps to the limits, so that rounding does not move a value out of them; a value outside may
// remain there.
static double within_limits(const sinew_solver *solver, int v, double from, double moved) {
  return sinew_clamp(moved, sinew_min(solver->problem.lower[v], from),
                     sinew_max(solver->problem.upper[v], from));
}

SINEW_ALWAYS_INLINE void move_value(const sinew_solver *solver, const sinew_column_group *group,
                                    const double *q, double *out) {
  const sinew_problem *problem = &solver->problem;
  const int column = group->column;
  const double from = q[group->q], moved = from + solver->linear.x[column] * problem->unit[column];
  out[group->q] = problem->has_limits
                      ? within_limits(solver, problem->dof_of_column[column], from, moved)
                      : moved;
}

void sinew_solver_apply_step(const sinew_solver *solver, const double *q, double *out) {
  const sinew_problem *problem = &solver->problem;
  const sinew_column_group *group = problem->groups, *end = group + problem->group_count;
  if (out != q) {
    memcpy(out, q, (size_t)solver->model->nq * sizeof(double));
  }
  if (sinew_has_value_columns(problem)) {
    sinew_value_columns_apply(solver, q, out);
    return;
  }
  if (!problem->has_spherical) {
    for (; group < end; ++group) {
      move_value(solver, group, q, out);
    }
    return;
  }
  if (problem->cone_count > 0) {
    sinew_cones_move(solver, out);
  }
  for (; group < end; ++group) {
    if (group->spherical && group->cone < 0) {
      rotate_spherical(solver, group, out + group->q);
    } else if (!group->spherical) {
      move_value(solver, group, q, out);
    }
  }
}

// Of joints with limits of swing and twist: sinew_spherical_narrow().
static bool has_cone_axes(const sinew_solver *solver, const sinew_column_group *group) {
  return group->cone >= 0 && solver->evaluation.in_cones;
}

void sinew_solver_narrow_motion(sinew_solver *solver, const double *moved, int parts) {
  const sinew_problem *problem = &solver->problem;
  const sinew_motion_limits *motion = &solver->motion;
  const double share = 1.0 / parts;
  for (int g = 0; g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    const int end = has_cone_axes(solver, group) ? group->column : group->column + group->count;
    for (int column = group->column; column < end; ++column) {
      const int v = problem->dof_of_column[column];
      const double done = moved != NULL ? moved[column] * problem->unit[column] : 0.0;
      const double inverse = problem->inverse_scale[column];
      const double least = (share * motion->aim_lower[v] - done) * inverse;
      const double most = (share * motion->aim_upper[v] - done) * inverse;
      solver->linear.lower[column] = sinew_clamp(solver->linear.lower[column], least, most);
      solver->linear.upper[column] = sinew_clamp(solver->linear.upper[column], least, most);
    }
  }
}

void sinew_solver_linearize(sinew_solver *solver, const double *q, double dt, bool curved) {
  const sinew_rows *rows = &solver->evaluation.rows;
  solver->linear.E = solver->evaluation.E;
  if (solver->problem.cone_count > 0) {
    sinew_cones_begin(solver, q, dt);
  }
  sinew_evaluate_jacobian(&solver->problem, &solver->state, curved && rows->second != NULL,
                          solver->linear.gradient, &solver->evaluation);
  memcpy(solver->linear.e, rows->residual, (size_t)rows->row_count * sizeof(double));
  sinew_solver_bound_step(solver, q, dt);
  if (solver->model->cone_count > 0) {
    sinew_cones_open(solver);
  }
}

// The length of a vector without the free axes of a task, in the axes of its last target.
static double length_then(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                          const sinew_last_update *before, const double v[3]) {
  if (!task->target_axes) { // no axes of the target are read
    return sinew_task_length(task, at, v);
  }
  sinew_task_evaluation then = *at;
  memcpy(then.target_R, before->target_R, sizeof then.target_R);
  return sinew_task_length(task, &then, v);
}

// Clamps each task's position error to D_max; where that adapts, to D_max + d with
//
//   d = max(0, |t - s_before| - |t - s|)
//
// t the target of the last update, s_before and s the point before and after its step, both lengths
// without the free axes of the task in that target's frame. So the clamp does not slow the pursuit
// of a moving target within reach. Source: Buss 2009, section 2.
static void clamp_errors(sinew_solver *solver, const sinew_target *targets) {
  const double most = solver->def.step.error_clamp;
  for (int t = 0; t < solver->problem.count; ++t) {
    const sinew_compiled_task *task = &solver->problem.tasks[t];
    const sinew_task_evaluation *at = &solver->evaluation.tasks[t];
    sinew_last_update *before = &solver->history.before[t];
    double now[3], closer = 0.0;
    if (task->linear_rows == 0) {
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      now[i] = before->target[i] - (task->relative ? targets[t].position[i] : at->s[i]);
    }
    if (task->relative) { // the old target in the frame as it is now, less the point
      sinew_rotate(at->frame_R, now, now);
      for (int i = 0; i < 3; ++i) {
        now[i] += at->error[i];
      }
    }
    if (solver->def.step.error_clamp_adaptive) {
      closer = solver->history.has_before
                   ? sinew_max(0.0, before->error - length_then(task, at, before, now))
                   : INFINITY;
    }
    memcpy(before->target, targets[t].position, sizeof before->target);
    memcpy(before->target_R, at->target_R, sizeof before->target_R);
    before->error = sinew_task_length(task, at, at->error);
    sinew_clamp_magnitude(task->linear_rows, (most + closer) * task->scale,
                          solver->evaluation.rows.residual + solver->evaluation.rows.blocks[t].row);
  }
  solver->history.has_before = true;
}

// The default method evaluates further configurations in an update; the errors that it reports are
// those before.
static void keep_errors(sinew_solver *solver) {
  for (int t = 0; t < solver->problem.count; ++t) {
    solver->track.errors[2 * t] = solver->evaluation.tasks[t].position_error;
    solver->track.errors[2 * t + 1] = solver->evaluation.tasks[t].orientation_error;
  }
}

static void restore_errors(sinew_solver *solver) {
  for (int t = 0; t < solver->problem.count; ++t) {
    sinew_task_evaluation *at = &solver->evaluation.tasks[t];
    const double position = at->position_error, orientation = at->orientation_error;
    at->position_error = solver->track.errors[2 * t];
    at->orientation_error = solver->track.errors[2 * t + 1];
    solver->track.errors[2 * t] = position;
    solver->track.errors[2 * t + 1] = orientation;
  }
}

// Where the targets are very far, long prismatic joints first bring the figure near them, unless
// hard tasks may be in the way. The evaluation is then that of the new q.
static inline void follow_by_slides(sinew_solver *solver, const sinew_target *targets, double *q) {
  if (!solver->problem.has_long_slides || solver->hard.total > 0) {
    return;
  }
  const bool cut = solver->def.step.method == SINEW_METHOD_DEFAULT && solver->history.cut &&
                   !solver->def.tracking.keep_base;
  if (sinew_slides_are_far(solver, cut ? SLIDE_FAR : SLIDE_UPDATE)) {
    sinew_slides_bring_near(solver, targets, solver->def.tracking.time_step, q);
    sinew_solver_evaluate(solver, targets, q);
  }
}

// The first update after a reset: a floating base is first moved near all targets. The evaluation
// is then that of the new q. Lower levels and objectives may want the base where it is, and the
// figure is continuous in the influences of tasks.
static bool register_base(sinew_solver *solver, const sinew_target *targets, double *q) {
  sinew_floating_base base;
  const bool moved = !solver->levels->used && !solver->influence.used && !solver->gains.used &&
                     sinew_registration_find(&solver->problem, &solver->def, &base) &&
                     sinew_registration_move(&solver->problem, &base, &solver->def.tolerances,
                                             &solver->state, targets, q);
  if (moved) {
    sinew_solver_evaluate(solver, targets, q);
  }
  solver->track.registered = moved;
  return moved;
}

// Whether the last update has left the nodes placed as q places them.
static bool is_placed(const sinew_solver *solver, const double *q) {
  const sinew_model *model = solver->model;
  return solver->track.placement != 0 && solver->track.placement == *solver->state.placements &&
         model->function_count == 0 &&
         memcmp(q, solver->track.q, (size_t)model->nq * sizeof *q) == 0;
}

static void keep_placed(sinew_solver *solver, const double *q) {
  const bool placed = solver->track.evaluated && !solver->levels->used; // levels keep their own
  solver->track.placement = placed ? *solver->state.placements : 0;
  if (placed) {
    memcpy(solver->track.q, q, (size_t)solver->model->nq * sizeof *q);
  }
}

// The residual before an update, at nodes that may be placed as they should be.
static inline void evaluate_begin(sinew_solver *solver, const sinew_target *targets,
                                  const double *q) {
  if ((solver->levels->placed && solver->motion.q == NULL) || is_placed(solver, q)) {
    sinew_evaluate_residual(&solver->problem, &solver->state, targets, &solver->evaluation);
  } else {
    sinew_solver_evaluate(solver, targets, q);
  }
}

// The goals of tasks whose gain is below 1, in place of targets. The evaluation is then theirs.
static const sinew_target *follow_goals(sinew_solver *solver, const sinew_target *targets,
                                        const double *q) {
  const sinew_target *goals = sinew_task_gains_aim(solver, targets, q);
  if (solver->motion.q != NULL) {
    sinew_motion_aim(solver, goals, q);
  }
  sinew_solver_evaluate(solver, goals, q);
  return goals;
}

// An update of all tasks together. Inlined except in small builds: of small figures, calls take a
// per cent of the time.
SINEW_SPECIALISED void take_update(sinew_solver *solver, const sinew_target *targets, double *q,
                                   sinew_report *report) {
  const sinew_solver_def *def = &solver->def;
  solver->step.systems = 0;
  solver->step.most_systems = 0;
  solver->track.evaluated = false;
  sinew_task_gains_begin(solver);
  if (solver->motion.q != NULL && !solver->gains.used) {
    sinew_motion_aim(solver, targets, q);
  }
  evaluate_begin(solver, targets, q);
  if (report != NULL) {
    const bool converged = sinew_solver_converged(solver);
    sinew_solver_report(solver, converged ? SINEW_OUTCOME_CONVERGED : SINEW_OUTCOME_STEP_LIMIT, 1,
                        -1, report);
  }
  keep_errors(solver);
  if (solver->gains.used) {
    targets = follow_goals(solver, targets, q);
  }
  if (def->step.method == SINEW_METHOD_DEFAULT) {
    // What is stationary before that is not of interest, and afterwards may be met.
    const bool cut = solver->history.cut;
    const bool registered = cut && register_base(solver, targets, q);
    follow_by_slides(solver, targets, q);
    if (SINEW_UNLIKELY(solver->escape.candidate.q != NULL)) {
      sinew_escape_update(solver, targets, q, registered ? NULL : report);
      solver->track.evaluated = false;
    } else {
      sinew_solver_track(solver, targets, q, registered ? NULL : report);
    }
    if (registered && report != NULL) {
      report->steps = solver->track.steps;
    }
    if (solver->loops.count > 0 && !solver->levels->used) {
      sinew_loops_close(solver, targets, cut, q);
      sinew_solver_record_place(solver, q);
    }
    keep_placed(solver, q);
    restore_errors(solver);
    return;
  }
  follow_by_slides(solver, targets, q);
  if (def->step.error_clamp < INFINITY) {
    clamp_errors(solver, targets);
  }
  if (def->tracking.error_gain != 1.0 || def->tracking.time_step > 0.0) {
    sinew_evaluation_feed_forward(&solver->problem, targets, def->tracking.error_gain,
                                  def->tracking.time_step, &solver->evaluation);
  }
  sinew_solver_linearize(solver, q, def->tracking.time_step,
                         sinew_method_row_of(def->step.method)->second_order);
  solver->at = (sinew_step_start){targets, q};
  solver->feeds_forward = true;
  if (solver->motion.q != NULL) {
    sinew_solver_narrow_motion(solver, NULL, 1);
    if (solver->evaluation.in_cones && solver->motion.has_spherical) {
      sinew_spherical_narrow(solver, q, NULL, 1.0);
    }
  }
  sinew_stationary_report(solver, targets, q, report);
  sinew_solver_find_step(solver, def->step.method, 1.0);
  sinew_solver_apply_step(solver, q, q);
  // Steps in root-frame axes, and those that limits of swing have changed.
  const bool cones = solver->problem.has_speeds && solver->model->cone_count > 0;
  if (def->tracking.time_step > 0.0 && (solver->motion.has_speeds || cones)) {
    sinew_solver_keep_speeds(solver, def->tracking.time_step, solver->motion.before, q);
  }
  if (solver->gains.used) {
    restore_errors(solver);
  }
}

// ------------------------------------------------------------------ components

// The errors of a solver's tasks before the update; of: the tasks' numbers among all, or NULL: the
// same.
static void read_errors(const sinew_solver *solver, const int *of, double *errors) {
  for (int i = 0; i < solver->problem.count; ++i) {
    const int t = of != NULL ? of[i] : i;
    errors[2 * t] = solver->evaluation.tasks[i].position_error;
    errors[2 * t + 1] = solver->evaluation.tasks[i].orientation_error;
  }
}

// Of outcomes of updates, one that has not ended is that of all; else the highest.
static int rank_of(sinew_outcome outcome) {
  return outcome == SINEW_OUTCOME_STEP_LIMIT ? 100 : sinew_outcome_rank(outcome);
}

// Adds a component's report to that of all.
static void add_report(const sinew_solver *solver, int component, const sinew_report *part,
                       sinew_report *sum) {
  const int steps = sum->steps + part->steps;
  if (rank_of(part->outcome) > rank_of(sum->outcome)) {
    *sum = *part;
    sum->reach_task =
        part->reach_task >= 0 ? sinew_component_task(solver, component, part->reach_task) : -1;
  }
  sum->steps = steps;
}

// Updates components one after another.
static void update_components(sinew_solver *solver, int count, const sinew_target *targets,
                              double *q, sinew_report *report) {
  const sinew_problem *problem = &solver->problem;
  sinew_components *all = &solver->components;
  sinew_report sum = {.outcome = SINEW_OUTCOME_CONVERGED,
                      .limiting_joint = -1,
                      .reach_task = -1,
                      .reach = -1.0,
                      .target_distance = -1.0};
  int systems = 0, most_systems = 0;
  sinew_components_track(solver);
  if (problem->component_start[count] < problem->count) { // tasks that do not count
    sinew_solver_evaluate(solver, targets, q);
    read_errors(solver, NULL, all->errors);
  }
  for (int k = 0; k < count; ++k) {
    sinew_solver *part = sinew_component_solver(solver, k);
    sinew_report one = {.outcome = SINEW_OUTCOME_CONVERGED};
    part->motion = solver->motion;
    take_update(part, sinew_component_targets(solver, k, targets, all->targets), q,
                report != NULL ? &one : NULL);
    read_errors(part, problem->component_tasks + problem->component_start[k], all->errors);
    add_report(solver, k, &one, &sum);
    systems += part->step.systems;
    most_systems = part->step.most_systems > most_systems ? part->step.most_systems : most_systems;
  }
  for (int t = 0; t < problem->count; ++t) {
    solver->evaluation.tasks[t].position_error = all->errors[2 * t];
    solver->evaluation.tasks[t].orientation_error = all->errors[2 * t + 1];
  }
  solver->step.systems = systems;
  solver->step.most_systems = most_systems;
  solver->linear.open = false; // components share its memory
  sinew_solver_report(solver, sum.outcome, sum.steps, sum.limiting_joint, report);
  if (report != NULL) {
    report->reach_task = sum.reach_task;
    report->reach = sum.reach;
    report->target_distance = sum.target_distance;
  }
}

sinew_result sinew_solver_take_update(sinew_solver *solver, const sinew_target *targets, int count,
                                      double *q, sinew_report *report) {
  const sinew_result result = solver->levels->used // then sinew_levels_update() has checked them
                                  ? SINEW_OK
                                  : sinew_solver_check(solver, targets, count, q, report);
  if (result != SINEW_OK) {
    return result;
  }
  // Methods of the literature take one step for all tasks, as their sources do. An escape moves the
  // whole figure to another configuration; limits of acceleration, hard tasks and levels of
  // priority are those of the whole.
  const bool whole = solver->levels->used || solver->def.step.method != SINEW_METHOD_DEFAULT ||
                     !sinew_problem_updates_apart(&solver->problem) ||
                     solver->escape.candidate.q != NULL || solver->motion.has_accelerations ||
                     solver->hard.total > 0 || solver->problem.has_task_gains;
  const int components = whole ? 0 : sinew_components_count(solver);
  memcpy(solver->motion.before, q, (size_t)solver->model->nq * sizeof *q);
  if (SINEW_UNLIKELY(solver->motion.has_accelerations)) {
    sinew_motion_limits_begin_update(solver, q);
  }
  if (components > 0) {
    update_components(solver, components, targets, q, report);
  } else {
    solver->components.tracked = false;
    take_update(solver, targets, q, report);
  }
  return SINEW_OK;
}

const sinew_solver_functions sinew_solver_functions_of_set = {
    .update = sinew_solver_take_update,
    .evaluate = sinew_solver_evaluate,
    .track = sinew_solver_track,
    .linearize = sinew_solver_linearize,
    .find_step = sinew_solver_find_step,
    .find_damped_step = sinew_solver_find_damped_step,
    .apply_step = sinew_solver_apply_step,
    .lower = sinew_solver_lower,
    .descend_lower = sinew_solver_descend_lower,
    .solve_branches = sinew_arm_solve_branches,
    .place_branches = sinew_arm_set_place,
    .solve_pair = sinew_arm_solve_pair,
};
