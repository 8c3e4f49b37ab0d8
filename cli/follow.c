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

static void note_error(cli_score *errors, double value, int frame, int task) {
  errors->sum += value;
  ++errors->count;
  note(&errors->worst, value, frame, task);
}

static double distance(const double a[3], const double b[3]) {
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static double angle(const double from[4], const double to[4]) {
  double inverse[4] = {from[0], -from[1], -from[2], -from[3]}, turn[4], w[3];
  sinew_quaternion_multiply(inverse, to, turn);
  sinew_quaternion_log(turn, w);
  return hypot(hypot(w[0], w[1]), w[2]);
}

static bool has_position(const sinew_task *task) {
  return (sinew_task_target_fields(task) & SINEW_TARGET_POSITION) != 0;
}

// By the forward kinematics alone.
static void measure_errors(cli_tracking *work, int frame) {
  const cli_targets *targets = work->targets;
  sinew_expect_ok(sinew_state_forward(
      work->state, work->q + (size_t)frame * sinew_model_nq(work->figure->model)));
  for (int t = 0; t < targets->task_count; ++t) {
    const sinew_task *task = &targets->tasks[t];
    sinew_target target = targets->targets[(size_t)frame * (size_t)targets->task_count + t];
    sinew_pose pose;
    sinew_expect_ok(sinew_state_link_pose(work->state, task->link, &pose));
    sinew_quaternion_normalize(target.rotation);
    if (has_position(task))
      note_error(&work->position, distance(pose.position, target.position), frame, t);
    if (sinew_task_target_fields(task) & SINEW_TARGET_ROTATION)
      note_error(&work->rotation, angle(pose.rotation, target.rotation), frame, t);
  }
}

// Whether degree of freedom i of a joint is a distance.
static bool slides(const sinew_joint_def *joint, int i) {
  switch (joint->kind) {
  case SINEW_JOINT_PRISMATIC:
    return true;
  case SINEW_JOINT_CYLINDRICAL:
    return i == 1;
  case SINEW_JOINT_PLANAR:
    return i < 2;
  case SINEW_JOINT_FREE:
    return i < 3;
  case SINEW_JOINT_CHANNELS:
    return strchr("xyz", joint->channels[i]) != NULL;
  default:
    return false;
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
      bool slid = slides(&work->figure->document->model.joints[j], i);
      note(slid ? &work->slide : &work->turn, fabs(work->dv[joint.v_index + i]), frame, j);
    }
  }
}

static int solve_frame(cli_tracking *work, int frame) {
  const cli_targets *targets = work->targets;
  double *q = work->q + (size_t)frame * sinew_model_nq(work->figure->model);
  sinew_result result = sinew_solver_solve_local(
      work->solver, targets->targets + (size_t)frame * (size_t)targets->task_count,
      targets->task_count, q, NULL);
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
  const cli_targets *targets = work->targets;
  const double most = longest_move(rules, work);
  const sinew_target *now = targets->targets + (size_t)frame * (size_t)targets->task_count;
  for (int t = 0; frame > 0 && t < targets->task_count; ++t)
    if (has_position(&targets->tasks[t]) &&
        distance(now[t].position, now[t - targets->task_count].position) > most)
      return true;
  return false;
}

// Whether the start is farther from the first targets than a target may move in one frame.
static bool is_far(const cli_follow_rules *rules, cli_tracking *work) {
  const cli_targets *targets = work->targets;
  const double most = longest_move(rules, work);
  sinew_expect_ok(sinew_state_forward(work->state, work->q));
  for (int t = 0; t < targets->task_count; ++t) {
    sinew_pose pose;
    sinew_expect_ok(sinew_state_link_pose(work->state, targets->tasks[t].link, &pose));
    if (has_position(&targets->tasks[t]) &&
        distance(pose.position, targets->targets[t].position) > most)
      return true;
  }
  return false;
}

// The lengths of bones in a frame.
static void place_bones(const cli_follow_rules *rules, cli_tracking *work, int frame) {
  const sinew_motion *motion = &work->figure->document->motion;
  if (work->bones.count > 0 && !rules->seed && motion->frame_count > 0)
    cli_bones_follow(&work->bones, motion, work->targets->time[frame],
                     work->q + (size_t)frame * (size_t)sinew_model_nq(work->figure->model));
}

// Where to start: as given, or the first frame of the motion, or a solution for the first targets.
static int find_start(const cli_follow_rules *rules, cli_tracking *work) {
  const sinew_motion *motion = &work->figure->document->motion;
  if (rules->seed)
    return cli_figure_configuration(work->figure, "--seed", rules->seed, work->q);
  if (motion->frame_count > 0) {
    memcpy(work->q, motion->q, (size_t)motion->nq * sizeof(double));
    place_bones(rules, work, 0);
    return is_far(rules, work) ? solve_frame(work, 0) : CLI_EXIT_DONE;
  }
  sinew_configuration_middle(work->figure->model, work->q);
  return solve_frame(work, 0);
}

static int follow_frame(const cli_follow_rules *rules, cli_tracking *work, int f) {
  const cli_targets *targets = work->targets;
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
    sinew_result result = sinew_solver_update(
        work->solver, targets->targets + (size_t)f * (size_t)targets->task_count,
        targets->task_count, q, NULL);
    if (result != SINEW_OK)
      return cli_refuse("track: frame %d is invalid: %s", f, sinew_result_string(result));
  }
  // An escape moves towards a configuration of an earlier frame.
  place_bones(rules, work, f);
  measure_errors(work, f);
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
  return exit_code;
}

// ---- Beginning and end ----

// Margins, and limits of speed and acceleration.
static void set_limits(const cli_follow_rules *rules, const sinew_model *model,
                       sinew_solver *solver) {
  if (rules->margin > 0)
    sinew_expect_ok(sinew_solver_set_margins(solver, rules->margin, rules->margin));
  if (rules->speed > 0)
    sinew_expect_ok(sinew_solver_set_speeds(solver, NULL, rules->speed));
  if (rules->acceleration > 0) {
    double *accelerations = cli_allocate((size_t)sinew_model_nv(model), sizeof(double));
    for (int v = 0; v < sinew_model_nv(model); ++v)
      accelerations[v] = rules->acceleration;
    sinew_expect_ok(sinew_solver_set_accelerations(solver, accelerations));
    free(accelerations);
  }
}

int cli_follow_begin(const cli_follow_rules *rules, const cli_figure *figure,
                     const cli_targets *targets, cli_tracking *work) {
  const sinew_model *model = figure->model;
  sinew_solver_def def = rules->solver;
  def.task_capacity = targets->task_count;
  *work = (cli_tracking){.figure = figure, .targets = targets};
  work->q =
      cli_allocate((size_t)targets->frame_count * (size_t)sinew_model_nq(model), sizeof(double));
  work->dv = cli_allocate((size_t)sinew_model_nv(model), sizeof(double));
  work->bones = cli_bones_find(figure, rules->stretch);
  work->position.worst.frame = work->rotation.worst.frame = -1;
  work->turn.frame = work->slide.frame = -1;
  sinew_error error = {0};
  if (sinew_solver_create(&def, model, &work->solver, &error) != SINEW_OK ||
      sinew_solver_set_tasks(work->solver, targets->tasks, targets->task_count, &error) !=
          SINEW_OK ||
      sinew_state_create(model, NULL, &work->state, &error) != SINEW_OK)
    return cli_refuse_error(&error);
  if (work->bones.count > 0)
    sinew_expect_ok(sinew_solver_set_frozen(work->solver, work->bones.frozen));
  set_limits(rules, model, work->solver);
  return CLI_EXIT_DONE;
}

void cli_follow_end(cli_tracking *work) {
  sinew_state_destroy(work->state);
  sinew_solver_destroy(work->solver);
  free(work->q);
  free(work->dv);
  cli_bones_free(&work->bones);
}
