// Which tasks run in SIMD lanes.
#include "info_lanes.h"

#include <stdio.h>
#include <stdlib.h>

#include "line.h"
#include "message.h"
#include "scenes/expect.h"

// What may run in lanes: the kinds of tasks, and three more for crowds.
enum { RELATIVE_POSE, CENTER_OF_MASS, POSTURE, MORE };
static const char *const more_names[MORE] = {"relative_pose", "center_of_mass", "posture"};

static const char *lane_name(int i) {
  const int kinds = sinew_task_kind_count();
  return i < kinds ? sinew_task_kind_name((sinew_task_kind)i) : more_names[i - kinds];
}

static bool crowd_runs(const cli_figure *figure, const sinew_task *task, int more) {
  sinew_crowd_def def = sinew_default_crowd_def();
  sinew_objective posture = sinew_default_objective();
  sinew_crowd *crowd = NULL;
  posture.kind = SINEW_OBJECTIVE_POSTURE;
  def.posture = more == POSTURE ? &posture : NULL;
  const bool runs = sinew_crowd_create(&def, figure->model, task, 1, &crowd, NULL) == SINEW_OK &&
                    sinew_crowd_in_lanes(crowd);
  sinew_crowd_destroy(crowd);
  return runs;
}

// Whether searches and batches, or crowds, run each of them for a link that joints move in SIMD
// lanes; free() it. Without such a link none does.
static bool *what_runs(const cli_figure *figure, bool crowds) {
  const int kinds = sinew_task_kind_count();
  bool *runs = cli_allocate((size_t)(kinds + MORE), sizeof(bool));
  bool *effector = cli_figure_effectors(figure);
  int link = sinew_model_link_count(figure->model) - 1;
  while (link >= 0 && !effector[link])
    --link;
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver;
  def.task_capacity = 1;
  sinew_expect_ok(sinew_solver_create(&def, figure->model, &solver, NULL));
  for (int i = 0; link >= 0 && i < kinds + (crowds ? MORE : 0); ++i) {
    sinew_task task = sinew_default_task();
    const int more = i - kinds;
    task.kind = more < 0 ? (sinew_task_kind)i : SINEW_TASK_POSE;
    task.link = link;
    if (more == RELATIVE_POSE) {
      sinew_joint joint;
      sinew_expect_ok(
          sinew_model_joint(figure->model, sinew_model_link_joint(figure->model, link), &joint));
      task.frame_link = joint.parent;
    } else if (more == CENTER_OF_MASS) {
      task.kind = SINEW_TASK_POSITION;
      task.center_of_mass = true;
    }
    runs[i] = crowds ? crowd_runs(figure, &task, more)
                     : sinew_solver_set_tasks(solver, &task, 1, NULL) == SINEW_OK &&
                           sinew_solver_in_lanes(solver);
  }
  sinew_solver_destroy(solver);
  free(effector);
  return runs;
}

static json_t *json_lanes(const cli_figure *figure, bool crowds) {
  json_t *array = json_array();
  bool *runs = what_runs(figure, crowds);
  for (int i = 0; i < sinew_task_kind_count() + MORE; ++i)
    if (runs[i])
      json_array_append_new(array, json_string(lane_name(i)));
  free(runs);
  return array;
}

static void print_lanes(const cli_figure *figure, bool crowds) {
  bool *runs = what_runs(figure, crowds);
  cli_line line = cli_line_begin(stdout, 2);
  bool any = false;
  cli_line_put(&line, 0, crowds ? "tasks in SIMD lanes of crowds:" : "tasks in SIMD lanes:", 0);
  for (int i = 0; i < sinew_task_kind_count() + MORE; ++i)
    if (runs[i]) {
      cli_line_put(&line, 1, lane_name(i), 0);
      any = true;
    }
  if (!any)
    cli_line_put(&line, 1, "none", 0);
  cli_line_end(&line);
  free(runs);
}

void cli_info_lanes_print(const cli_figure *figure) {
  print_lanes(figure, false);
  print_lanes(figure, true);
}

void cli_info_lanes_set(const cli_figure *figure, json_t *object) {
  cli_json_set(object, "tasks_in_lanes", json_lanes(figure, false));
  cli_json_set(object, "tasks_in_crowd_lanes", json_lanes(figure, true));
}
