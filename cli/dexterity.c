// How well the possible end effectors can move at a configuration.
#include "dexterity.h"

#include <stdio.h>
#include <stdlib.h>

#include "experiments/text.h"
#include "message.h"
#include "scenes/expect.h"
#include "sinew/solver.h"

// The dexterity of a link's pose.
static sinew_dexterity dexterity_of(sinew_solver *solver, int link, const double *q) {
  const sinew_target target = sinew_default_target();
  sinew_dexterity found;
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = link;
  sinew_expect_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
  sinew_expect_ok(sinew_solver_dexterity(solver, &target, 1, q, &found));
  return found;
}

json_t *cli_dexterity_json(const sinew_dexterity *d) {
  json_t *object = json_object();
  cli_json_set(object, "smallest", cli_json_number(d->smallest));
  cli_json_set(object, "largest", cli_json_number(d->largest));
  cli_json_set(object, "condition", cli_json_number(d->condition));
  cli_json_set(object, "manipulability", cli_json_number(d->manipulability));
  return object;
}

int cli_dexterity_check(const cli_figure *figure, const char *q) {
  double *values = cli_allocate((size_t)sinew_model_nq(figure->model) + 1, sizeof *values);
  const int exit_code = cli_figure_configuration(figure, "--q", q, values);
  free(values);
  return exit_code;
}

static void print(const sinew_model *model, int link, const sinew_dexterity *d) {
  fputs("pose of ", stdout);
  text_print(stdout, sinew_model_link_name(model, link), 0);
  printf(": singular values %.4g to %.4g, condition %.4g, manipulability %.4g\n", d->smallest,
         d->largest, d->condition, d->manipulability);
}

// Prints a line for each effector, or puts it into an object.
static void for_each(const cli_figure *figure, const char *text, json_t *object) {
  const sinew_model *model = figure->model;
  double *q = cli_allocate((size_t)sinew_model_nq(model) + 1, sizeof *q);
  bool *effector = cli_figure_effectors(figure);
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver;
  def.task_capacity = 1;
  def.lanes = -1;
  sinew_expect_ok(sinew_solver_create(&def, model, &solver, NULL));
  cli_figure_configuration(figure, "--q", text, q);
  for (int i = 0; i < sinew_model_link_count(model); ++i) {
    const sinew_dexterity d =
        effector[i] ? dexterity_of(solver, i, q) : (sinew_dexterity){.rows = 0};
    if (effector[i] && object)
      cli_json_set(object, sinew_model_link_name(model, i), cli_dexterity_json(&d));
    else if (effector[i])
      print(model, i, &d);
  }
  sinew_solver_destroy(solver);
  free(effector);
  free(q);
}

void cli_dexterity_print(const cli_figure *figure, const char *q) {
  for_each(figure, q, NULL);
}

void cli_dexterity_set(const cli_figure *figure, const char *q, json_t *object) {
  for_each(figure, q, object);
}
