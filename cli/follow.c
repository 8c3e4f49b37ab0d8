// A model that follows targets frame by frame, and what is measured of it.
#include "follow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "progress.h"
#include "scenes/expect.h"

// Share of the model's size: a target that moves farther in one frame has jumped.
#define CUT 0.25

static void note(cli_peak *most, double value, int frame, int index) {
  if (value > most->value || most->frame < 0)
    *most = (cli_peak){value, frame, index};
}

static const cli_score no_score = {.worst.frame = -1};

static void note_error(cli_score *errors, double value, int frame, int task) {
  errors->sum += value;
  ++errors->count;
  note(&errors->worst, value, frame, task);
}

// One that there is: not below 0.
static void note_some(cli_score *errors, double value, int frame, int task) {
  if (value >= 0)
    note_error(errors, value, frame, task);
}

static double distance(const double a[3], const double b[3]) {
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static bool has_position(const sinew_task *task) {
  return (sinew_task_target_fields(task) & SINEW_TARGET_POSITION) != 0;
}

static const sinew_target *frame_targets(const cli_tracking *work, int frame) {
  return work->targets->targets + (size_t)frame * (size_t)work->targets->list->count;
}

// The errors of a frame's targets at its configuration, by a solver that takes no steps.
static int evaluate(cli_tracking *work, int frame) {
  const size_t nq = (size_t)sinew_model_nq(work->figure->model);
  memcpy(work->at, work->q + (size_t)frame * nq, nq * sizeof(double));
  const sinew_result result = sinew_solver_solve_local(work->judge, frame_targets(work, frame),
                                                       work->targets->list->count, work->at, NULL);
  return result == SINEW_OK
             ? CLI_EXIT_DONE
             : cli_refuse("track: frame %d is invalid: %s", frame, sinew_result_string(result));
}

// The errors of a task, -1 where it has none.
static void task_errors(const cli_tracking *work, int t, double *length, double *turn) {
  const sinew_task *task = &work->targets->list->tasks[t];
  sinew_expect_ok(sinew_solver_task_error(work->judge, t, length, turn));
  *length = cli_task_has_distance(task) ? *length : -1;
  *turn = cli_task_has_angle(task) ? *turn : -1;
}

static int measure_errors(cli_tracking *work, int frame) {
  const cli_task_list *list = work->targets->list;
  if (evaluate(work, frame) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  for (int e = 0; e < list->entry_count; ++e) {
    double most_length = -1, most_turn = -1;
    for (int t = list->entries[e].first; t < list->entries[e].first + list->entries[e].count; ++t) {
      double length, turn;
      task_errors(work, t, &length, &turn);
      most_length = fmax(most_length, length);
      most_turn = fmax(most_turn, turn);
      if (cli_task_is_required(&list->tasks[t])) {
        note_some(&work->position, length, frame, e);
        note_some(&work->rotation, turn, frame, e);
      }
    }
    note_some(&work->entries[e].position, most_length, frame, e);
    note_some(&work->entries[e].rotation, most_turn, frame, e);
  }
  return CLI_EXIT_DONE;
}

static void measure_objective(cli_tracking *work, int i) {
  const bool more_is_better =
      work->targets->list->objectives[i].kind == SINEW_OBJECTIVE_MANIPULABILITY;
  cli_objective_score *score = &work->objectives[i];
  for (int f = 0; f < work->targets->frame_count; ++f) {
    const double *q = work->q + (size_t)f * (size_t)sinew_model_nq(work->figure->model);
    const cli_peak before = score->value.worst;
    sinew_objective_report report;
    sinew_expect_ok(sinew_solver_objective(work->solver, i, q, &report));
    note_some(&score->angle, report.angle, f, i);
    note_some(&score->distance, report.distance, f, i);
    note_some(&score->value, report.value, f, i);
    if (more_is_better)
      score->value.worst =
          f > 0 && before.value <= report.value ? before : (cli_peak){report.value, f, i};
  }
}

static void measure_changes(cli_tracking *work, int frame) {
  const sinew_model *model = work->figure->model;
  const double *q = work->q + (size_t)frame * sinew_model_nq(model);
  sinew_configuration_difference(model, q - sinew_model_nq(model), q, work->dv);
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    for (int i = 0; i < joint.nv && joint.driver < 0; ++i) {
      bool slid = cli_figure_slides(work->figure, j, i);
      note(slid ? &work->slide : &work->turn, fabs(work->dv[joint.v_index + i]), frame, j);
    }
  }
}

static int solve_frame(cli_tracking *work, int frame) {
  double *q = work->q + (size_t)frame * sinew_model_nq(work->figure->model);
  sinew_result result = sinew_solver_solve_local(work->solver, frame_targets(work, frame),
                                                 work->targets->list->count, q, NULL);
  sinew_solver_reset(work->solver);
  return result == SINEW_OK
             ? CLI_EXIT_DONE
             : cli_refuse("track: frame %d is invalid: %s", frame, sinew_result_string(result));
}

// How far a target may move in one frame, or the model be from its first targets.
static double longest_move(const cli_follow_rules *rules, const cli_tracking *work) {
  return rules->cut > 0 ? rules->cut : CUT * sinew_model_size(work->figure->model);
}

// Whether a target has jumped since the frame before.
static bool is_cut(const cli_follow_rules *rules, const cli_tracking *work, int frame) {
  const cli_task_list *list = work->targets->list;
  const double most = longest_move(rules, work);
  const sinew_target *now = frame_targets(work, frame);
  for (int t = 0; frame > 0 && t < list->count; ++t)
    if (has_position(&list->tasks[t]) &&
        distance(now[t].position, now[t - list->count].position) > most)
      return true;
  return false;
}

// Whether the start is farther from the first targets than a target may move in one frame.
static int check_far(const cli_follow_rules *rules, cli_tracking *work, bool *far) {
  const cli_task_list *list = work->targets->list;
  const double most = longest_move(rules, work);
  if (evaluate(work, 0) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  *far = false;
  for (int t = 0; t < list->count; ++t) {
    double length = 0;
    sinew_expect_ok(sinew_solver_task_error(work->judge, t, &length, NULL));
    *far = *far || (cli_task_has_distance(&list->tasks[t]) && length > most);
  }
  return CLI_EXIT_DONE;
}

// The lengths of bones in a frame.
static void place_bones(const cli_follow_rules *rules, cli_tracking *work, int frame) {
  const sinew_motion *motion = &work->figure->document->motion;
  if (work->bones.count > 0 && !rules->seed && motion->frame_count > 0)
    bones_follow(&work->bones, motion, work->targets->time[frame],
                 work->q + (size_t)frame * (size_t)sinew_model_nq(work->figure->model));
}

// Where to start: as given, or the first frame of the motion, or the middle of the limits.
static int take_start(const cli_follow_rules *rules, cli_tracking *work) {
  const sinew_motion *motion = &work->figure->document->motion;
  if (rules->seed)
    return cli_figure_configuration(work->figure, "--seed", rules->seed, work->q);
  if (motion->frame_count > 0) {
    memcpy(work->q, motion->q, (size_t)motion->nq * sizeof(double));
    place_bones(rules, work, 0);
  } else {
    sinew_configuration_middle(work->figure->model, work->q);
  }
  return CLI_EXIT_DONE;
}

// The start, or a solution for the first targets.
static int find_start(const cli_follow_rules *rules, cli_tracking *work) {
  bool far = work->figure->document->motion.frame_count == 0;
  if (take_start(rules, work) != CLI_EXIT_DONE ||
      cli_task_list_set_objectives(work->targets->list, work->q, work->solver) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (rules->seed)
    return CLI_EXIT_DONE;
  if (!far && check_far(rules, work, &far) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  return far ? solve_frame(work, 0) : CLI_EXIT_DONE;
}

static int follow_frame(const cli_follow_rules *rules, cli_tracking *work, int f) {
  size_t nq = (size_t)sinew_model_nq(work->figure->model);
  double *q = work->q + (size_t)f * nq;
  bool cut = is_cut(rules, work, f);
  if (f > 0)
    memcpy(q, q - nq, nq * sizeof(double));
  place_bones(rules, work, f);
  if (cut) {
    work->first_cut = work->cuts++ == 0 ? f : work->first_cut;
    if (solve_frame(work, f) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
  }
  for (int i = 0; i < rules->updates; ++i) {
    sinew_result result = sinew_solver_update(work->solver, frame_targets(work, f),
                                              work->targets->list->count, q, NULL);
    if (result == SINEW_ERROR_ARGUMENT) // what updates do not keep hard tasks with
      return cli_refuse("track: %s", sinew_solver_last_error(work->solver)->message);
    if (result != SINEW_OK)
      return cli_refuse("track: frame %d is invalid: %s", f, sinew_result_string(result));
    cli_hard_rows_count(work->solver, f, work->hard);
    cli_bounds_count(work->figure->model, work->solver, q, f, &work->bounds);
  }
  // An escape moves towards a configuration of an earlier frame.
  place_bones(rules, work, f);
  if (measure_errors(work, f) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (f > 0 && !cut)
    measure_changes(work, f);
  return CLI_EXIT_DONE;
}

int cli_follow(const cli_follow_rules *rules, cli_tracking *work) {
  int count = work->targets->frame_count;
  int exit_code = find_start(rules, work);
  for (int f = 0; exit_code == CLI_EXIT_DONE && f < count; ++f) {
    exit_code = follow_frame(rules, work, f);
    cli_progress((double)f / count);
  }
  cli_progress(1);
  for (int i = 0; exit_code == CLI_EXIT_DONE && i < work->targets->list->objective_count; ++i)
    measure_objective(work, i);
  return exit_code;
}

// ---- Beginning and end ----

// Without limits, so that no joint is moved into them.
static sinew_result open_limits(const sinew_model *model, sinew_solver *solver) {
  const size_t nv = (size_t)sinew_model_nv(model);
  double *limits = cli_allocate(2 * nv, sizeof(double));
  for (size_t v = 0; v < nv; ++v) {
    limits[v] = -INFINITY;
    limits[nv + v] = INFINITY;
  }
  const sinew_result result = sinew_solver_set_limits(solver, limits, limits + nv);
  free(limits);
  return result;
}

// The solver that measures: the same tasks, all at level 0, and no steps.
static int create_judge(const cli_figure *figure, const cli_task_list *list, cli_tracking *work) {
  sinew_error error = {0};
  sinew_solver_def def = sinew_default_solver_def();
  const size_t count = (size_t)list->count;
  sinew_task *tasks = cli_allocate(count, sizeof *tasks);
  memcpy(tasks, list->tasks, count * sizeof *tasks);
  for (size_t t = 0; t < count; ++t) {
    tasks[t].level = 0;
    tasks[t].required = SINEW_REQUIRED;
    tasks[t].influence = 1;
    tasks[t].hard = false;
  }
  def.task_capacity = list->count;
  def.budget.max_steps = 0;
  def.budget.max_starts = 1;
  def.lanes = -1;
  sinew_result result = sinew_solver_create(&def, figure->model, &work->judge, &error);
  if (result == SINEW_OK)
    result = open_limits(figure->model, work->judge);
  if (result == SINEW_OK)
    result = sinew_solver_set_tasks(work->judge, tasks, list->count, &error);
  free(tasks);
  return result == SINEW_OK ? CLI_EXIT_DONE : cli_task_list_refuse(list, &error);
}

static void create_scores(cli_tracking *work) {
  const cli_task_list *list = work->targets->list;
  work->position = work->rotation = no_score;
  work->entries = cli_allocate((size_t)list->entry_count, sizeof *work->entries);
  for (int e = 0; e < list->entry_count; ++e)
    work->entries[e] = (cli_entry_score){no_score, no_score};
  work->objectives = cli_allocate((size_t)list->objective_count, sizeof *work->objectives);
  for (int i = 0; i < list->objective_count; ++i)
    work->objectives[i] = (cli_objective_score){no_score, no_score, no_score};
}

int cli_follow_begin(const cli_follow_rules *rules, const cli_figure *figure,
                     const cli_targets *targets, cli_tracking *work) {
  const sinew_model *model = figure->model;
  const size_t nq = (size_t)sinew_model_nq(model);
  sinew_solver_def def = rules->solver;
  cli_task_list_size(targets->list, &def);
  *work = (cli_tracking){.figure = figure, .targets = targets};
  work->q = cli_allocate((size_t)targets->frame_count * nq, sizeof(double));
  work->at = cli_allocate(nq, sizeof(double));
  work->dv = cli_allocate((size_t)sinew_model_nv(model), sizeof(double));
  work->bones = cli_bones_find(figure, rules->stretch);
  work->bounds = cli_bounds_create(model);
  create_scores(work);
  work->turn.frame = work->slide.frame = -1;
  sinew_error error = {0};
  if (sinew_solver_create(&def, model, &work->solver, &error) != SINEW_OK)
    return cli_refuse_error(&error);
  work->hard = cli_allocate((size_t)def.hard_rows, sizeof *work->hard);
  return cli_task_list_set_tasks(targets->list, figure, work->bones.frozen,
                                 def.tracking.time_step > 0, work->solver) == CLI_EXIT_DONE
             ? create_judge(figure, targets->list, work)
             : CLI_EXIT_REFUSED;
}

void cli_follow_end(cli_tracking *work) {
  sinew_solver_destroy(work->solver);
  sinew_solver_destroy(work->judge);
  free(work->q);
  free(work->at);
  free(work->dv);
  free(work->entries);
  free(work->objectives);
  free(work->hard);
  cli_bounds_destroy(&work->bounds);
  bones_free(&work->bones);
}
