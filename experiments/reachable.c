// Finds the steps of a scene's curves that are in reach by a search with restarts; scenes/ has the
// resulting run lengths. It takes minutes.
#include "experiments/experiments.h"
#include "experiments/output.h"

#include "scenes/scenes.h"
#include "sinew/solver.h"
#include "scenes/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENE "double-y-16"
#define STEPS 25533

// In reach: every effector within this distance of its target at once.
#define NEAR 1e-3
#define STARTS 60

typedef struct search {
  sinew_scene *scene;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  sinew_target *targets;
  double *q;
} search;

static void search_end(search *s) {
  sinew_solver_destroy(s->solver);
  sinew_state_destroy(s->state);
  sinew_model_destroy(s->model);
  if (s->scene != NULL) {
    sinew_scene_destroy(s->scene);
  }
  free(s->targets);
  free(s->q);
}

static bool search_begin(search *s, sinew_error *error) {
  *s = (search){.scene = sinew_scene_create(SCENE)};
  sinew_solver_def def = sinew_default_solver_def();
  if (s->scene == NULL || sinew_model_create(&s->scene->model, &s->model, error) != SINEW_OK ||
      sinew_state_create(s->model, NULL, &s->state, error) != SINEW_OK) {
    return false;
  }
  def.task_capacity = s->scene->task_count;
  def.position_tolerance = NEAR;
  def.max_attempts = STARTS;
  def.max_steps = 60 * STARTS;
  s->targets = calloc((size_t)s->scene->task_count, sizeof *s->targets);
  s->q = calloc((size_t)sinew_model_nq(s->model), sizeof *s->q);
  return s->targets != NULL && s->q != NULL &&
         sinew_solver_create(&def, s->model, &s->solver, error) == SINEW_OK &&
         sinew_solver_set_tasks(s->solver, s->scene->tasks, s->scene->task_count, error) ==
             SINEW_OK;
}

// From the result of the step before first, then from other starts.
static bool is_reached(search *s, int step) {
  sinew_report report;
  sinew_scene_targets(s->scene, s->state, s->scene->time_step * (step + 1), s->targets);
  sinew_expect_ok(sinew_solver_solve(s->solver, s->targets, s->scene->task_count, s->q, &report));
  return report.outcome == SINEW_OUTCOME_CONVERGED;
}

bool sinew_experiment_reachable(const sinew_experiment_options *options) {
  search s;
  sinew_error error = {0};
  const int steps = options->brief ? 500 : STEPS;
  if (!search_begin(&s, &error)) {
    fprintf(stderr, "sinew: " SCENE ": %s\n", error.message);
    search_end(&s);
    return false;
  }
  puts(SCENE ": lengths of runs of steps, out of reach first, then in reach, in turn");
  int length = 0, inside = 0, all_inside = 0;
  for (int step = 0; step < steps; ++step, ++length) {
    const int reached = is_reached(&s, step);
    if (reached != inside) {
      printf("%d, ", length);
      inside = reached;
      length = 0;
    }
    all_inside += reached;
    options->progress((double)step / steps);
  }
  options->progress(1.0);
  printf("%d\n%d of %d steps in reach\n", length, all_inside, steps);
  search_end(&s);
  return true;
}
