// An update of the default method (policy/tracking.h): the targets' motion since the last update is
// followed in parts, one step each; the last part may have further steps. Compiled for each
// instruction set.
//
// Where the step of a level below 0 meets all tasks anyway it is the only one (leaves_all(),
// lower.c). Else
//
//   for part p = 1 .. S
//     targets at the share p / S of their motion
//     step:  evaluate, linearize, narrow the bounds, find x, limit its change, apply
//     p = S: evaluate; another step while that is of use
#include "math/rotation.h"
#include "math/vector.h"
#include "policy/levels.h"
#include "policy/tracking.h"
#include "simd/four.h"
#include "solve/level_ranges.h"
#include "solve/lower_step.h"
#include "solve/methods.h"
#include "solve/stationary.h"
#include "solve/steps.h"
#include "solve/value_columns.h"

#include <string.h>

// A part of an update.
typedef struct part {
  const sinew_target *targets;
  int most_steps;
  bool last;
  bool evaluated; // whether the residual at its targets is up to date
} part;

static void keep_as_last(sinew_solver *solver, bool cut) {
  const int *dof = solver->problem.dof_of_column, n = solver->evaluation.rows.dof_count;
  if (solver->problem.in_order && !cut) {
    memcpy(solver->history.step, solver->track.moved, (size_t)n * sizeof(double));
    return;
  }
  for (int column = 0; column < n; ++column) {
    solver->history.step[dof[column]] = cut ? 0.0 : solver->track.moved[column];
  }
}

// ------------------------------------------------------------------------ step

static double free_gradient(const sinew_solver *solver) {
  const double gradient = solver->hard.count > 0 ? sinew_hard_free_gradient(solver)
                                                 : sinew_solver_free_gradient(solver);
  return solver->evaluation.in_cones ? sinew_cones_free_gradient(solver, gradient) : gradient;
}

// The damping for the error, the gradient and the number of updates with targets at rest.
static double find_damping(sinew_solver *solver, double rate) {
  sinew_history *history = &solver->history;
  const double rest = history->updates_at_rest, gradient = rest > 0.0 ? free_gradient(solver) : 0.0;
  history->gradient = tracking_gradient(rest, gradient, history->gradient);
  return tracking_damping(solver->def.step.damping_scale * rate, solver->evaluation.rows.dof_count,
                          solver->linear.E, rest, history->gradient);
}

// |expected| / |e|, at most 1.
SINEW_ALWAYS_INLINE double predicted_ratio(const sinew_solver *solver) {
  const int m = solver->evaluation.rows.row_count;
  const double before = sinew_length(m, solver->linear.e);
  return before > 0.0 ? sinew_min(sinew_length(m, solver->step.expected) / before, 1.0) : 0.0;
}

// expected <- e - J x for the last x of damped least squares; held: what solve_first_order() has
// returned.
static void subtract_step(sinew_solver *solver, const signed char *held) {
  const sinew_rows *rows = &solver->evaluation.rows;
  const sinew_dls_scratch *dls = &solver->step.dls;
  if (held == dls->held && dls->left && solver->hard.count == 0) {
    memcpy(solver->step.expected, dls->residual, (size_t)rows->row_count * sizeof(double));
    return;
  }
  memcpy(solver->step.expected, solver->linear.e, (size_t)rows->row_count * sizeof(double));
  sinew_rows_subtract(rows, solver->linear.x, solver->step.expected);
}

// The active bounds of the last step, with which the next one begins: of the first of a part with
// those of such a step, of further ones, whose corrections press joints against other limits, with
// theirs. x does not depend on that, but for the damping that curvature needs and rounding errors.
static void recall_active(const sinew_solver *solver, signed char *held) {
  const signed char *active = sinew_solver_last_active(solver);
  if (solver->problem.in_order) {
    memcpy(held, active, (size_t)solver->problem.pattern.dof_count);
    return;
  }
  for (int column = 0; column < solver->problem.pattern.dof_count; ++column) {
    held[column] = active[solver->problem.dof_of_column[column]];
  }
}

static void keep_active(sinew_solver *solver, const signed char *held) {
  signed char *active = sinew_solver_last_active(solver);
  if (solver->linear.open) {
    return;
  }
  if (solver->problem.in_order) {
    memcpy(active, held, (size_t)solver->problem.pattern.dof_count);
    return;
  }
  for (int column = 0; column < solver->problem.pattern.dof_count; ++column) {
    active[solver->problem.dof_of_column[column]] = held[column];
  }
}

// Damped least squares, within bounds if there are any, from the active ones of the last step on.
// Where steps with curvature form their matrix H, and bounds may need several systems, J^T J is
// formed likewise: H without second derivatives, to which these are then added. Returns the active
// bounds.
static signed char *solve_first_order(sinew_solver *solver, const sinew_step_problem *problem) {
  const bool formed = SINEW_HAS_FAST_PATHS && (problem->rows->formed || problem->rows->trunk > 0) &&
                      !solver->linear.open && problem->form == SINEW_SYSTEM_SMALLER;
  signed char *held = formed ? solver->step.newton.held : solver->step.dls.held;
  recall_active(solver, held);
  if (formed) {
    sinew_rows rows = *problem->rows;
    sinew_step_problem first = *problem;
    rows.second = rows.values;
    first.rows = &rows;
    solver->step.systems += sinew_newton_step(&first, &solver->step.newton, solver->linear.x);
  } else {
    solver->step.systems += sinew_dls_step(problem, &solver->step.dls, solver->linear.x);
  }
  if (solver->hard.count > 0) {
    sinew_hard_step(solver, problem, false);
  }
  return held;
}

// The same for a step that is not needed itself.
static void predict_residual(sinew_solver *solver, sinew_step_problem *problem) {
  if (solver->linear.open && solver->hard.count == 0) {
    sinew_dls_predict_residual(problem, &solver->step.dls, solver->step.expected);
    ++solver->step.systems;
    return;
  }
  const signed char *held = solve_first_order(solver, problem);
  subtract_step(solver, held); // first: the two rules have the same memory
  if (held != solver->step.newton.held) {
    memcpy(solver->step.newton.held, held, (size_t)problem->rows->dof_count);
  } else {
    problem->known = solver->hard.count == 0;
  }
}

// The length of a step along negative curvature: with limits of acceleration half of the least that
// a joint may move, so that bounds leave it its direction.
static double negative_curvature_step(const sinew_solver *solver) {
  double step = TRACKING_NEGATIVE_CURVATURE_STEP;
  for (int c = 0; solver->motion.q != NULL && c < solver->problem.pattern.dof_count; ++c) {
    const double room = sinew_min(solver->linear.upper[c], -solver->linear.lower[c]);
    step = room > 0.0 ? sinew_min(step, 0.5 * room) : step;
  }
  return step;
}

// Predictor or the last one's prediction, curvature at its residual, step. Returns r.
static double find_step(sinew_solver *solver, double mu, double curvature_share,
                        double error_gain) {
  sinew_step_problem problem = sinew_solver_step_problem(solver);
  problem.mu = TRACKING_PREDICTOR_DAMPING_FACTOR * mu;
  problem.begun = !solver->linear.open;
  problem.again = sinew_track_is_steady(solver);
  if (sinew_track_keep_prediction(solver)) {
    recall_active(solver, solver->step.newton.held);
  } else {
    predict_residual(solver, &problem);
    sinew_track_record_prediction(solver);
  }
  const double predicted = predicted_ratio(solver);
  sinew_evaluate_curvature(&solver->problem, &solver->state, solver->step.expected,
                           1.0 - error_gain, &solver->evaluation);
  problem.mu =
      tracking_step_damping(mu, predicted, sinew_solver_first_order(solver, solver->step.expected));
  problem.curvature_share = curvature_share;
  problem.negative_curvature_step = negative_curvature_step(solver);
  sinew_solver_solve_damped(solver, sinew_method_row_of(SINEW_METHOD_NEWTON), &problem);
  keep_active(solver, solver->step.newton.held);
  return predicted;
}

// A step without curvature, for targets in reach. Returns r.
static double find_step_in_reach(sinew_solver *solver, double mu) {
  sinew_step_problem problem = sinew_solver_step_problem(solver);
  problem.mu = TRACKING_MIN_DAMPING_SHARE * mu;
  problem.begun = !solver->linear.open;
  const signed char *held = solve_first_order(solver, &problem);
  keep_active(solver, held);
  subtract_step(solver, held);
  sinew_solver_finish_step(solver);
  return predicted_ratio(solver);
}

// x; first: whether it is the first of the last part.
static void choose_step(sinew_solver *solver, const sinew_track_update *now, bool first) {
  const int before = solver->step.systems;
  double *predicted = &solver->history.predicted;
  const double mu = find_damping(solver, now->rate) * solver->history.caution;
  const double curvature_share = solver->evaluation.in_cones ? sinew_cones_damp(solver, mu) : 0.0;
  const bool cones = solver->problem.cone_count > 0;
  const bool in_reach = mask_bits(tracking_is_in_reach(*predicted, first, cones)) != 0;
  if (in_reach) {
    *predicted = find_step_in_reach(solver, mu);
  }
  if (!in_reach || mask_bits(tracking_leaves_reach(*predicted, first)) != 0) {
    *predicted = find_step(solver, mu, curvature_share, now->error_gain);
  }
  const int systems = solver->step.systems - before;
  solver->step.most_systems =
      systems > solver->step.most_systems ? systems : solver->step.most_systems;
}

// ----------------------------------------------------------------------- parts

static void linearize(sinew_solver *solver, const sinew_track_update *now, const part *at,
                      const double *q) {
  const double time_step = solver->def.tracking.time_step;
  if (now->error_gain != 1.0 || time_step > 0.0) {
    sinew_evaluation_feed_forward(&solver->problem, at->targets, now->error_gain, time_step,
                                  &solver->evaluation);
  }
  sinew_solver_linearize(solver, q, now->time, false);
  if (solver->hard.total > 0) {
    sinew_hard_begin(solver, at->targets);
  }
  sinew_track_narrow_bounds(solver, now, q);
}

// Whether lower levels, whose step removes what is left of level 0 anyway, save further steps. Not
// where motion is limited, of which the steps know how much is left.
static bool postpones(const sinew_solver *solver, const sinew_track_update *now, double E,
                      bool all) {
  return solver->levels->used && !solver->levels->bent && !now->cut && !now->bounded &&
         !now->speeds && solver->escape.candidate.q == NULL &&
         sinew_solver_lower_meets(solver, E, all);
}

// Whether another step follows; evaluates the residual after the last one where that decides.
static bool continues(sinew_solver *solver, const sinew_track_update *now, const part *at,
                      const double *q) {
  const double predicted = solver->history.predicted, before = solver->linear.E;
  if (!now->cut && mask_bits(tracking_may_continue(predicted, before)) == 0) {
    return false;
  }
  const double after = sinew_solver_evaluate(solver, at->targets, q);
  lane_mask more = now->cut ? tracking_cut_continues(before, after)
                            : tracking_continues(predicted, before, after);
  if (now->cut && solver->track.registered) {
    more = mask_or(more, tracking_registered_continues(solver->track.steps, after));
  } else if (now->cut && solver->levels->straight) { // has reduced the error little at first
    more = mask_or(more, lane_less(after, before));
  }
  solver->track.evaluated = true;
  solver->track.postponed =
      mask_bits(more) != 0 && predicted <= LEVELS_SURE && postpones(solver, now, after, false);
  return mask_bits(more) != 0 && !solver->track.postponed;
}

// The steps of a part from one of them on. The residual has been evaluated.
static void take_steps(sinew_solver *solver, const sinew_track_update *now, const part *at,
                       int first, double *q) {
  for (int step = first;; ++step) {
    linearize(solver, now, at, q);
    if (at->evaluated && step == 1) {
      sinew_stationary_report(solver, at->targets, q, now->report);
    }
    solver->track.further = step > 1;
    choose_step(solver, now, at->last && step == 1);
    if (solver->evaluation.in_cones) {
      sinew_cones_note(solver);
    }
    // A motion that accelerations bound may be one that brakes.
    if (solver->track.settles && step == 1 && !now->bounded) {
      sinew_track_carry_motion(solver);
    }
    sinew_track_limit_change(solver, q, now->max_change);
    sinew_solver_apply_step(solver, q, q);
    solver->track.evaluated = false;
    ++solver->track.steps;
    solver->track.part_steps = step;
    if (step >= at->most_steps || !continues(solver, now, at, q)) {
      break;
    }
  }
  if (!solver->track.postponed) { // else further steps may be part of this motion
    keep_as_last(solver, now->cut);
  }
}

static void follow_part(sinew_solver *solver, const sinew_track_update *now, const part *at,
                        double *q) {
  memset(solver->track.moved, 0, (size_t)solver->problem.pattern.dof_count * sizeof(double));
  if (!at->evaluated) {
    sinew_solver_evaluate(solver, at->targets, q);
  }
  take_steps(solver, now, at, 1, q);
}

// ------------------------------------------- updates left to lower levels

// Whether the bounds of the step leave every joint where it is: none is to be moved into its
// limits.
static bool may_rest(const sinew_solver *solver) {
  const double *lower = solver->linear.lower, *upper = solver->linear.upper;
  const int n = solver->linear.open ? 0 : solver->problem.pattern.dof_count;
  const sinew_four zero = SINEW_FOUR_OF(0.0);
  sinew_four_bits beyond = {0, 0, 0, 0}; // whether a bound is beyond 0
  for (int c = 0; c < n; c += 4) {
    beyond |= sinew_four_inside(n - c) &
              ((sinew_four_load(lower + c) > zero) | (sinew_four_load(upper + c) < zero));
  }
  return !sinew_four_bits_any(beyond);
}

// Whether the step of the first lower level, which removes the residual of level 0 anyway, is to be
// the update's only one: in reach, where neither damping nor curvature matters. Leaves the bounds
// of that step in linear.
static bool leaves_all(sinew_solver *solver, const sinew_track_update *now, const double *q) {
  const sinew_history *history = &solver->history;
  if (now->jump || history->spread > 0.0 || now->error_gain != 1.0 ||
      mask_bits(tracking_is_in_reach(history->predicted, false, false)) == 0 ||
      solver->influence.stages > 0 || solver->model->cone_count > 0 ||
      !postpones(solver, now, solver->evaluation.E, true) ||
      (solver->hard.total > 0 && !sinew_level_ranges_may_be_left(solver))) {
    return false;
  }
  sinew_solver_bound_step(solver, q, now->time);
  sinew_four_zero(solver->problem.pattern.dof_count, solver->track.moved);
  sinew_track_narrow_bounds(solver, now, q);
  return may_rest(solver);
}

// m; 0 where it is not known.
static double motion_of(const sinew_solver *solver, const sinew_target *targets) {
  double most = 0.0;
  const bool known = solver->history.updates_at_rest >= 0.0;
  for (int t = 0; known && t < solver->problem.count; ++t) {
    if (solver->problem.tasks[t].row_count == 0) {
      continue;
    }
    double linear, angular;
    sinew_target_motion(&solver->problem.tasks[t], &solver->history.targets[t], &targets[t],
                        &linear, &angular);
    linear *= solver->problem.per_weight;
    angular *= solver->problem.per_weight;
    most = sinew_max(most, tracking_square_motion(linear * linear, angular * angular));
  }
  return tracking_motion(most);
}

static void place_targets(sinew_solver *solver, const sinew_target *targets, double share) {
  for (int t = 0; t < solver->problem.count; ++t) {
    sinew_target_between(&solver->history.targets[t], &targets[t], share,
                         solver->problem.tasks[t].fields, &solver->track.targets[t]);
  }
}

void sinew_solver_record_targets(sinew_solver *solver, const sinew_target *targets) {
  for (int t = 0; t < solver->problem.count; ++t) {
    sinew_target_record(&targets[t], solver->problem.tasks[t].fields, &solver->history.targets[t]);
  }
}

// Updates what the history knows of the targets' motion; returns the number of parts.
static int watch_targets(sinew_solver *solver, const sinew_target *targets, bool *jump) {
  sinew_history *history = &solver->history;
  const bool known = history->updates_at_rest >= 0.0;
  const double motion = motion_of(solver, targets);
  const double mean = tracking_mean_motion(motion, history->motion);
  const double least = tracking_least_parts(solver->def.tracking.time_step);
  *jump = mask_bits(tracking_is_jump(motion, history->recent)) != 0;
  const bool moved = solver->gains.used ? solver->gains.moved : motion > 0.0;
  history->updates_at_rest = tracking_rest(mask_of_bits(!known || moved), history->updates_at_rest);
  history->recent = known ? tracking_recent(motion, history->recent) : history->recent;
  history->motion = known && !*jump ? motion : -1.0;
  history->spread = *jump ? TRACKING_SPREAD_PARTS : history->spread;
  return known ? (int)tracking_parts(*jump ? 0.0 : mean, least) : 1;
}

// A sum by which a configuration that the caller has changed is told from the last one.
static double place_of(const sinew_problem *problem, const double *q) {
  const sinew_model *model = problem->model;
  double sum = 0.0;
  for (int c = 0; c < problem->pattern.dof_count; ++c) {
    const int v = problem->dof_of_column[c];
    sum += (c + 1) * q[model->q_of_v[v] + model->quaternion_axis[v] + 1];
  }
  return sum;
}

// Whether it is watched that a figure comes to rest: its limits or hard tasks may be curved.
static bool is_watched(const sinew_solver *solver) {
  return solver->problem.cone_count > 0 || solver->hard.total > 0;
}

void sinew_solver_record_place(sinew_solver *solver, const double *q) {
  solver->history.place = is_watched(solver) ? place_of(&solver->problem, q) : 0.0;
}

// The damping's factor while no target moves: larger after an update that has raised E, and smaller
// after one that has lowered it. Where the caller has moved the figure it is 1 again.
static void watch_error(sinew_solver *solver, const double *q) {
  sinew_history *history = &solver->history;
  const double E = solver->evaluation.E;
  if (!is_watched(solver) || !(history->updates_at_rest > 0.0) ||
      place_of(&solver->problem, q) != history->place) {
    history->caution = 1.0;
    history->slide = 0.0;
  } else {
    history->caution = tracking_caution(history->caution, history->E, E);
  }
  history->E = E;
}

// Rotations of a spherical joint about several axes do not add up exactly: where its speed is
// limited and the update has several steps, its whole rotation is scaled to the limit. It is then
// held within limits of swing and twist: at such a limit it may lead out at once, and if only
// shortened it would be 0 in this and all further updates.
void sinew_solver_keep_speeds(const sinew_solver *solver, double time, const double *before,
                              double *q) {
  const sinew_problem *problem = &solver->problem;
  for (int g = 0; g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    double w[3], most[3], share = 1.0;
    if (!group->spherical) {
      continue;
    }
    const double *from = before + group->q;
    sinew_quaternion_difference(from, q + group->q, w);
    for (int i = 0; i < group->count; ++i) {
      const int v = problem->dof_of_column[group->column + i];
      const int axis = solver->model->quaternion_axis[v];
      most[axis] = solver->motion.speed[v] * time;
      share = fabs(w[axis]) > most[axis] ? sinew_min(share, most[axis] / fabs(w[axis])) : share;
    }
    if (share < 1.0) {
      const int cone = solver->model->nodes[group->node].cone;
      sinew_scale(share, w, w);
      memcpy(q + group->q, from, 4 * sizeof *from);
      if (cone < 0) {
        sinew_quaternion_apply(q + group->q, w);
      } else if (group->count == 3) {
        sinew_cone_move_within(&solver->model->cones[cone], most, w, q + group->q);
      } else {
        sinew_cone_move(&solver->model->cones[cone], false, w, q + group->q);
      }
    }
  }
}

static void follow_parts(sinew_solver *solver, const sinew_target *targets, double *q) {
  sinew_track_update *now = &solver->track.now;
  if (solver->levels->used) {
    sinew_left_out_save(solver, q);
  }
  for (int p = 1; p < now->parts; ++p) {
    const bool same = now->jump || solver->history.updates_at_rest > 0.0;
    if (!same) {
      place_targets(solver, targets, (double)p / now->parts);
    }
    const part passing = {.targets = same ? targets : solver->track.targets,
                          .most_steps = 1,
                          .evaluated = same && p == 1};
    follow_part(solver, now, &passing, q);
  }
  solver->track.settles =
      is_watched(solver) && solver->history.updates_at_rest > TRACKING_CONES_SETTLE;
  const part last = {.targets = targets,
                     .most_steps = now->error_gain < 1.0 ? 1
                                   : now->cut            ? (int)TRACKING_MOST_PARTS
                                                         : TRACKING_MOST_STEPS,
                     .last = true,
                     .evaluated = now->parts == 1};
  follow_part(solver, now, &last, q);
  solver->track.settles = false;
  if (SINEW_UNLIKELY(now->speeds)) {
    sinew_solver_keep_speeds(solver, solver->def.tracking.time_step, solver->q, q);
    solver->track.evaluated = false;
  }
}

static void report_steps(const sinew_solver *solver) {
  if (solver->track.now.report != NULL) {
    solver->track.now.report->steps = solver->track.steps;
  }
}

static inline void end_update(sinew_solver *solver, const sinew_target *targets, const double *q) {
  solver->hard.count = 0;
  solver->history.cut = false;
  solver->history.parts = solver->track.now.parts;
  sinew_solver_record_place(solver, q);
  report_steps(solver);
  if (!solver->track.tentative) {
    sinew_solver_record_targets(solver, targets);
  }
}

void sinew_solver_track(sinew_solver *solver, const sinew_target *targets, double *q,
                        sinew_report *report) {
  const sinew_tracking_def *def = &solver->def.tracking;
  bool jump;
  solver->track.steps = 0;
  solver->track.postponed = solver->track.held_back = solver->track.held = false;
  const int parts = watch_targets(solver, targets, &jump);
  if (SINEW_UNLIKELY(solver->problem.cone_count > 0)) {
    sinew_track_scale_last(solver, parts);
  }
  watch_error(solver, q);
  const double rate = tracking_rate(parts, def->time_step);
  sinew_track_update *now = &solver->track.now;
  *now = (sinew_track_update){
      .time = def->time_step / parts,
      .speed = solver->track.share,
      .rate = rate,
      .max_change = solver->history.cut
                        ? INFINITY
                        : tracking_max_change(solver->track.share * def->max_change,
                                              solver->problem.pattern.dof_count, rate),
      .error_gain = tracking_part_gain(def->error_gain, parts),
      .parts = parts,
      .bounded = q == solver->motion.q,
      .cut = solver->history.cut,
      .jump = jump,
      .speeds = def->time_step > 0.0 && (solver->problem.has_speeds || solver->motion.has_speeds),
      .report = report};
  if (SINEW_UNLIKELY(now->speeds)) {
    memcpy(solver->q, q, (size_t)solver->model->nq * sizeof *q);
  }
  if (leaves_all(solver, now, q)) {
    solver->track.postponed = solver->track.evaluated = true;
  } else {
    follow_parts(solver, targets, q);
    end_update(solver, targets, q);
  }
}

// The share of max_change by which the first update that is left to lower levels may differ from
// the one before, where tasks of lower levels may have lagged behind: it would catch up at once.
#define ENTERING_CHANGE 0.1

bool sinew_solver_end_alone(sinew_solver *solver, const double *q) {
  const sinew_problem *problem = &solver->problem;
  const sinew_levels *levels = solver->levels;
  const sinew_track_update *now = &solver->track.now;
  const bool lag = levels->alone > 1 && !levels->was_alone; // tasks of lower levels may
  const double most = now->max_change * (lag ? ENTERING_CHANGE : 1.0);
  const int last_parts = solver->history.parts > 0 ? solver->history.parts : 1;
  const double share = 1.0 / now->parts, last_share = 1.0 / last_parts;
  double *motion = levels->aim, square = 0.0;
  const bool all_values = sinew_levels_have_all_values(solver);
  sinew_lower_measure_motion(solver, q, motion);
  if (all_values) {
    square = sinew_value_columns_compare_motion(levels->n, share, motion, last_share, levels->last,
                                                solver->track.moved);
  }
  for (int c = 0; !all_values && c < levels->n; ++c) {
    const int v = levels->dof_of_column[c];
    const double change = share * motion[v] - last_share * levels->last[v];
    square += change * change;
  }
  if (SINEW_UNLIKELY(mask_bits(tracking_exceeds(most, square)) != 0)) {
    return false;
  }
  for (int c = 0; !all_values && c < problem->pattern.dof_count; ++c) {
    solver->track.moved[c] = share * motion[problem->dof_of_column[c]];
  }
  sinew_four_copy(solver->model->nv, motion, levels->last);
  sinew_left_out_note(solver, true);
  keep_as_last(solver, false);
  solver->track.steps = 1;
  end_update(solver, levels->targets, q);
  return true;
}

void sinew_solver_end_postponed(sinew_solver *solver) {
  solver->track.postponed = false;
  sinew_left_out_note(solver, false);
  keep_as_last(solver, false);
}

void sinew_solver_track_on(sinew_solver *solver, const sinew_target *targets, double *q) {
  const part last = {.targets = targets, .most_steps = TRACKING_MOST_STEPS, .last = true};
  sinew_track_update *now = &solver->track.now;
  solver->track.postponed = false;
  sinew_solver_evaluate(solver, targets, q);
  if (solver->track.steps == 0) {
    follow_parts(solver, targets, q);
    end_update(solver, targets, q);
    return;
  }
  take_steps(solver, now, &last, solver->track.part_steps + 1, q);
  solver->hard.count = 0;
  report_steps(solver);
}
