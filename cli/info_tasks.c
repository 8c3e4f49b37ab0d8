// What the tasks of a file are for a model: 'sinew info --tasks'.
//
// Each task is asked alone in a solver of its own: its rows and, with all joints but one frozen,
// whether that joint moves it. So what is printed is what solves use.
#include "info_tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "dexterity.h"
#include "experiments/text.h"
#include "line.h"
#include "message.h"
#include "scenes/expect.h"
#include "task_file.h"

#define WORDS 128

typedef enum crowd_way { CROWD_REFUSED, CROWD_IN_TURN, CROWD_IN_LANES } crowd_way;

typedef struct one_task {
  int rows, dofs;
  bool in_lanes, crowd_in_lanes;
  bool *joints; // of the model: whether it moves the task
} one_task;

struct cli_info_tasks {
  const cli_figure *figure;
  const char *path;
  cli_task_list list;
  double *q;
  bool at_q; // whether q was asked for
  one_task *tasks;
  sinew_dexterity all; // of level 0
  bool in_lanes;
  crowd_way crowd;
};

// How a crowd with these tasks updates its figures; posture: an objective below them, or NULL.
static crowd_way crowd_runs(const cli_info_tasks *s, const sinew_task *tasks, int count,
                            const sinew_objective *posture) {
  sinew_crowd_def def = sinew_default_crowd_def();
  sinew_crowd *crowd = NULL;
  def.frozen = s->list.limits.frozen;
  def.posture = posture;
  const bool made =
      sinew_crowd_create(&def, s->figure->model, tasks, count, &crowd, NULL) == SINEW_OK;
  const bool in_lanes = made && sinew_crowd_in_lanes(crowd);
  sinew_crowd_destroy(crowd);
  return in_lanes ? CROWD_IN_LANES : made ? CROWD_IN_TURN : CROWD_REFUSED;
}

static const char *link_of(const cli_info_tasks *s, int t) {
  const sinew_task *task = &s->list.tasks[t];
  return task->center_of_mass ? "centre of mass"
                              : sinew_model_link_name(s->figure->model, task->link);
}

// ---- One task alone ----

static void find_joints(cli_info_tasks *s, sinew_solver *solver, int t) {
  const sinew_model *model = s->figure->model;
  const int nv = sinew_model_nv(model);
  unsigned char *others = cli_allocate((size_t)nv + 1, 1);
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_dexterity found;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    if (joint.nv == 0)
      continue;
    for (int v = 0; v < nv; ++v)
      others[v] = v < joint.v_index || v >= joint.v_index + joint.nv ||
                  (s->list.limits.frozen && s->list.limits.frozen[v]);
    sinew_expect_ok(sinew_solver_set_frozen(solver, others));
    sinew_expect_ok(sinew_solver_dexterity(solver, &s->list.targets[t], 1, s->q, &found));
    s->tasks[t].joints[j] = found.dofs > 0;
  }
  free(others);
}

// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
static int ask_alone(cli_info_tasks *s, int t) {
  const sinew_model *model = s->figure->model;
  sinew_task task = s->list.tasks[t];
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver;
  sinew_dexterity found;
  sinew_error error = {0};
  def.task_capacity = 1;
  def.hard_rows = sinew_task_hard_rows(&task, 1);
  task.level = 0;
  task.influence = 1;
  task.required = SINEW_REQUIRED_BY_LEVEL;
  s->tasks[t].joints = cli_allocate((size_t)sinew_model_joint_count(model) + 1, sizeof(bool));
  if (sinew_solver_create(&def, model, &solver, &error) != SINEW_OK) {
    return cli_refuse_settings(&error);
  }
  sinew_result result = sinew_solver_set_tasks(solver, &task, 1, &error);
  if (result == SINEW_OK) {
    sinew_expect_ok(sinew_solver_set_frozen(solver, s->list.limits.frozen));
    result = sinew_solver_dexterity(solver, &s->list.targets[t], 1, s->q, &found);
    error = *sinew_solver_last_error(solver);
  }
  if (result == SINEW_OK) {
    s->tasks[t].rows = found.rows;
    s->tasks[t].dofs = found.dofs;
    s->tasks[t].in_lanes = sinew_solver_in_lanes(solver);
    s->tasks[t].crowd_in_lanes = crowd_runs(s, &task, 1, NULL) == CROWD_IN_LANES;
    find_joints(s, solver, t);
  }
  sinew_solver_destroy(solver);
  return result == SINEW_OK ? CLI_EXIT_DONE : cli_task_list_refuse_some(&s->list, &t, &error);
}

// ---- All of them ----

static int ask_all(cli_info_tasks *s) {
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver;
  sinew_error error = {0};
  cli_task_list_size(&s->list, &def);
  if (cli_task_list_is_timed(&s->list))
    def.tracking.time_step = 1; // limits of speed need one; nothing here moves
  if (sinew_solver_create(&def, s->figure->model, &solver, &error) != SINEW_OK)
    return cli_refuse_settings(&error);
  int exit_code = cli_task_list_set_tasks(&s->list, s->figure, NULL, true, solver);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_task_list_set_objectives(&s->list, s->q, solver);
  if (exit_code == CLI_EXIT_DONE &&
      sinew_solver_dexterity(solver, s->list.targets, s->list.count, s->q, &s->all) != SINEW_OK)
    exit_code = cli_task_list_refuse(&s->list, sinew_solver_last_error(solver));
  if (exit_code == CLI_EXIT_DONE)
    s->in_lanes = sinew_solver_in_lanes(solver);
  const int objectives = s->list.objective_count;
  if (objectives <= 1)
    s->crowd =
        crowd_runs(s, s->list.tasks, s->list.count, objectives > 0 ? s->list.objectives : NULL);
  sinew_solver_destroy(solver);
  for (int t = 0; t < s->list.count && exit_code == CLI_EXIT_DONE; ++t)
    exit_code = ask_alone(s, t);
  return exit_code;
}

// ---- Printing ----

// Whether the next task is of the same element, an edge of the same polygon, and is moved by the
// same joints: they are printed once, after the last such task.
static bool is_repeated(const cli_info_tasks *s, int t) {
  const size_t joints = (size_t)sinew_model_joint_count(s->figure->model);
  return t + 1 < s->list.count && s->list.entry_of[t] == s->list.entry_of[t + 1] &&
         memcmp(s->tasks[t].joints, s->tasks[t + 1].joints, joints * sizeof(bool)) == 0;
}

static void print_task(const cli_info_tasks *s, int t, int names, int links) {
  const sinew_task *task = &s->list.tasks[t];
  const one_task *one = &s->tasks[t];
  char text[WORDS];
  cli_line line = cli_line_begin(stdout, 6);
  cli_line_put(&line, 2, s->list.entries[s->list.entry_of[t]].name, names);
  snprintf(text, sizeof text, "%-11s", sinew_task_kind_name(task->kind));
  cli_line_put(&line, 2, text, 0);
  cli_line_put(&line, 2, link_of(s, t), links);
  snprintf(text, sizeof text, "%5d  %4d%s", task->level, one->rows,
           one->in_lanes         ? one->crowd_in_lanes ? "  in lanes, of crowds too" : "  in lanes"
           : one->crowd_in_lanes ? "  in lanes of crowds"
                                 : "");
  cli_line_put(&line, 2, text, 0);
  cli_line_end(&line);
  if (is_repeated(s, t))
    return;
  line = cli_line_begin(stdout, 6);
  cli_line_put(&line, 6, "joints:", 0);
  bool any = false;
  for (int j = 0; j < sinew_model_joint_count(s->figure->model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(s->figure->model, j, &joint));
    if (one->joints[j])
      cli_line_put(&line, 1, joint.name, 0);
    any |= one->joints[j];
  }
  if (!any)
    cli_line_put(&line, 1, "none", 0);
  cli_line_end(&line);
}

void cli_info_tasks_print(const cli_info_tasks *s) {
  int names = 4, links = 4;
  for (int t = 0; t < s->list.count; ++t) {
    names = text_wider(names, s->list.entries[s->list.entry_of[t]].name);
    links = text_wider(links, link_of(s, t));
  }
  fputs("\ntasks of ", stdout);
  text_print(stdout, s->path, 0);
  puts(":");
  cli_line line = cli_line_begin(stdout, 6);
  cli_line_put(&line, 2, "task", names);
  cli_line_put(&line, 2, "kind       ", 0);
  cli_line_put(&line, 2, "link", links);
  cli_line_put(&line, 2, "level  rows", 0);
  cli_line_end(&line);
  for (int t = 0; t < s->list.count; ++t)
    print_task(s, t, names, links);
  for (int i = 0; i < s->list.objective_count; ++i)
    printf("objective: %s, level %d, weight %g%s\n",
           sinew_objective_kind_name(s->list.objectives[i].kind), s->list.objectives[i].level,
           s->list.objectives[i].weight,
           crowd_runs(s, NULL, 0, &s->list.objectives[i]) == CROWD_IN_LANES ? ", in lanes of crowds"
                                                                            : "");
  printf("level 0: %d rows, %d degrees of freedom; searches run %s\n", s->all.rows, s->all.dofs,
         s->in_lanes ? "in SIMD lanes" : "one after the other");
  puts(s->crowd == CROWD_IN_LANES  ? "crowds run in SIMD lanes"
       : s->crowd == CROWD_IN_TURN ? "crowds run one figure after another"
                                   : "crowds do not take them together");
  if (s->at_q)
    printf("at --q: singular values %.4g to %.4g, condition %.4g, manipulability %.4g\n",
           s->all.smallest, s->all.largest, s->all.condition, s->all.manipulability);
}

static json_t *json_task(const cli_info_tasks *s, int t) {
  const sinew_task *task = &s->list.tasks[t];
  const sinew_model *model = s->figure->model;
  json_t *object = json_object(), *joints = json_array();
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    if (s->tasks[t].joints[j])
      json_array_append_new(joints, cli_json_text(joint.name));
  }
  cli_json_set(object, "name", cli_json_text(s->list.entries[s->list.entry_of[t]].name));
  cli_json_set(object, "kind", json_string(sinew_task_kind_name(task->kind)));
  cli_json_set(object, "link",
               task->center_of_mass ? json_null()
                                    : cli_json_text(sinew_model_link_name(model, task->link)));
  if (task->frame_link >= 0)
    cli_json_set(object, "frame_link",
                 cli_json_text(sinew_model_link_name(model, task->frame_link)));
  cli_json_set(object, "level", json_integer(task->level));
  cli_json_set(object, "required", json_boolean(cli_task_is_required(task)));
  cli_json_set(object, "rows", json_integer(s->tasks[t].rows));
  cli_json_set(object, "dof", json_integer(s->tasks[t].dofs));
  cli_json_set(object, "in_lanes", json_boolean(s->tasks[t].in_lanes));
  cli_json_set(object, "crowd_in_lanes", json_boolean(s->tasks[t].crowd_in_lanes));
  cli_json_set(object, "joints", joints);
  return object;
}

void cli_info_tasks_set(const cli_info_tasks *s, json_t *object) {
  json_t *tasks = json_array(), *objectives = json_array();
  json_t *all = s->at_q ? cli_dexterity_json(&s->all) : json_object();
  for (int t = 0; t < s->list.count; ++t)
    json_array_append_new(tasks, json_task(s, t));
  for (int i = 0; i < s->list.objective_count; ++i) {
    json_t *one = json_object();
    cli_json_set(one, "kind", json_string(sinew_objective_kind_name(s->list.objectives[i].kind)));
    cli_json_set(one, "level", json_integer(s->list.objectives[i].level));
    cli_json_set(one, "weight", cli_json_number(s->list.objectives[i].weight));
    cli_json_set(one, "crowd_in_lanes",
                 json_boolean(crowd_runs(s, NULL, 0, &s->list.objectives[i]) == CROWD_IN_LANES));
    json_array_append_new(objectives, one);
  }
  cli_json_set(all, "rows", json_integer(s->all.rows));
  cli_json_set(all, "dof", json_integer(s->all.dofs));
  cli_json_set(all, "in_lanes", json_boolean(s->in_lanes));
  cli_json_set(all, "crowd_in_lanes", json_boolean(s->crowd == CROWD_IN_LANES));
  cli_json_set(object, "tasks", tasks);
  cli_json_set(object, "objectives", objectives);
  cli_json_set(object, "level_0", all);
}

// ---- Reading ----

cli_info_tasks *cli_info_tasks_read(cli_figure *figure, const char *path, const char *q) {
  cli_info_tasks *s = cli_allocate(1, sizeof *s);
  s->figure = figure;
  s->path = path;
  s->at_q = q != NULL;
  s->q = cli_allocate((size_t)sinew_model_nq(figure->model) + 1, sizeof(double));
  int exit_code = cli_task_file_read(path, figure, &s->list);
  sinew_configuration_start(figure->model, s->q);
  if (exit_code == CLI_EXIT_DONE && q)
    exit_code = cli_figure_configuration(figure, "--q", q, s->q);
  if (exit_code == CLI_EXIT_DONE) {
    s->tasks = cli_allocate((size_t)s->list.count + 1, sizeof *s->tasks);
    exit_code = ask_all(s);
  }
  if (exit_code == CLI_EXIT_DONE)
    return s;
  cli_info_tasks_destroy(s);
  return NULL;
}

void cli_info_tasks_destroy(cli_info_tasks *s) {
  if (!s)
    return;
  for (int t = 0; s->tasks && t < s->list.count; ++t)
    free(s->tasks[t].joints);
  free(s->tasks);
  cli_task_list_destroy(&s->list);
  free(s->q);
  free(s);
}
