// The share of reachable targets that a method solves for on a figure.
#include "experiments/solved.h"
#include "experiments/clock.h"
#include "scenes/expect.h"
#include "scenes/scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_SEED 1400

// Errors measured again by forward kinematics may differ by rounding.
#define ROUNDING 1.001

typedef struct bench {
  sinew_scene *scene;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solvers[2]; // with one start, with restarts
  sinew_target *targets;
  double *q;
} bench;

const char *solved_figure(int index) {
  static const char *const figures[SOLVED_FIGURES] = {
      "arm6", "arm7", "y", "planar", "hand", "chain-10", "spider", "snake", "humanoid"};
  return index >= 0 && index < SOLVED_FIGURES ? figures[index] : NULL;
}

static void bench_end(bench *b) {
  sinew_solver_destroy(b->solvers[0]);
  sinew_solver_destroy(b->solvers[1]);
  sinew_state_destroy(b->state);
  sinew_model_destroy(b->model);
  if (b->scene != NULL) {
    sinew_scene_destroy(b->scene);
  }
  free(b->targets);
  free(b->q);
}

static bool bench_begin(bench *b, const char *figure, const sinew_solver_def *def,
                        sinew_error *error) {
  *b = (bench){.scene = sinew_scene_create(figure)};
  if (b->scene == NULL || sinew_model_create(&b->scene->model, &b->model, error) != SINEW_OK ||
      sinew_state_create(b->model, NULL, &b->state, error) != SINEW_OK) {
    return false;
  }
  b->targets = calloc((size_t)b->scene->task_count, sizeof *b->targets);
  b->q = calloc((size_t)sinew_model_nq(b->model), sizeof *b->q);
  bool good = b->targets != NULL && b->q != NULL;
  for (int i = 0; good && i < 2; ++i) {
    sinew_solver_def one = *def;
    one.task_capacity = b->scene->task_count;
    one.budget.max_starts = i == 0 ? 1 : def->budget.max_starts;
    good = sinew_solver_create(&one, b->model, &b->solvers[i], error) == SINEW_OK &&
           sinew_solver_set_tasks(b->solvers[i], b->scene->tasks, b->scene->task_count, error) ==
               SINEW_OK;
  }
  return good;
}

static void fill_targets(bench *b, int number) {
  sinew_configuration_random(b->model, RANDOM_SEED, (uint64_t)number, b->q);
  sinew_expect_ok(sinew_state_forward(b->state, b->q));
  for (int t = 0; t < b->scene->task_count; ++t) {
    const sinew_task *task = &b->scene->tasks[t];
    sinew_pose pose;
    b->targets[t] = sinew_default_target();
    sinew_expect_ok(sinew_state_link_pose(b->state, task->link, &pose));
    sinew_expect_ok(sinew_state_point(b->state, task->link, task->point_l, b->targets[t].position));
    memcpy(b->targets[t].rotation, pose.rotation, sizeof pose.rotation);
  }
}

// Whether q meets the targets' positions, by forward kinematics; rotations as the solver says.
static bool is_met(bench *b, const sinew_solver_def *def, const sinew_report *report) {
  sinew_expect_ok(sinew_state_forward(b->state, b->q));
  bool met = report->orientation_error <= def->tolerances.orientation;
  for (int t = 0; t < b->scene->task_count; ++t) {
    const sinew_task *task = &b->scene->tasks[t];
    double p[3], square = 0.0;
    if (task->kind != SINEW_TASK_POSITION && task->kind != SINEW_TASK_POSE) {
      continue;
    }
    sinew_expect_ok(sinew_state_point(b->state, task->link, task->point_l, p));
    for (int i = 0; i < 3; ++i) {
      square += (p[i] - b->targets[t].position[i]) * (p[i] - b->targets[t].position[i]);
    }
    met &= sqrt(square) <= ROUNDING * def->tolerances.position;
  }
  return met;
}

static sinew_report solve(bench *b, int which) {
  sinew_report report;
  sinew_configuration_middle(b->model, b->q);
  sinew_expect_ok(
      sinew_solver_solve_local(b->solvers[which], b->targets, b->scene->task_count, b->q, &report));
  return report;
}

bool solved_measure(const char *figure, const sinew_solver_def *def, int count, solved *out) {
  sinew_error error = {0};
  bench b;
  *out = (solved){.count = count};
  const bool good = bench_begin(&b, figure, def, &error);
  if (!good) {
    fprintf(stderr, "sinew: %s: %s\n", figure, error.message);
  }
  for (int i = 0; good && i < count; ++i) {
    fill_targets(&b, i);
    const sinew_report one = solve(&b, 0);
    const bool met = is_met(&b, def, &one);
    out->first += met;
    out->false_claims += met != (one.outcome == SINEW_OUTCOME_CONVERGED);
    const double start = clock_microseconds();
    const sinew_report many = solve(&b, 1);
    out->microseconds += clock_microseconds() - start;
    const bool met_again = is_met(&b, def, &many);
    out->restarted += met_again;
    out->false_claims += met_again != (many.outcome == SINEW_OUTCOME_CONVERGED);
    out->steps += many.steps;
  }
  bench_end(&b);
  return good;
}
