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

// The angle between two orientations.
static double angle_between(const double a[4], const double b[4]) {
  double back[4] = {a[0], -a[1], -a[2], -a[3]}, turn[4], w[3];
  sinew_quaternion_multiply(back, b, turn);
  sinew_quaternion_log(turn, w);
  return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

// Whether q meets the targets, by forward kinematics: positions, orientations and poses.
static bool is_met(bench *b, const sinew_solver_def *def) {
  bool met = true;
  sinew_expect_ok(sinew_state_forward(b->state, b->q));
  for (int t = 0; t < b->scene->task_count; ++t) {
    const sinew_task *task = &b->scene->tasks[t];
    sinew_pose pose;
    double p[3], square = 0.0;
    sinew_expect_ok(sinew_state_link_pose(b->state, task->link, &pose));
    sinew_expect_ok(sinew_state_point(b->state, task->link, task->point_l, p));
    for (int i = 0; i < 3; ++i) {
      square += (p[i] - b->targets[t].position[i]) * (p[i] - b->targets[t].position[i]);
    }
    met &=
        task->kind == SINEW_TASK_ORIENTATION || sqrt(square) <= ROUNDING * def->tolerances.position;
    met &=
        task->kind == SINEW_TASK_POSITION || angle_between(pose.rotation, b->targets[t].rotation) <=
                                                 ROUNDING * def->tolerances.orientation;
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
    const bool met = is_met(&b, def);
    out->first += met;
    out->false_claims += met != (one.outcome == SINEW_OUTCOME_CONVERGED);
    const double start = clock_microseconds();
    const sinew_report many = solve(&b, 1);
    out->microseconds += clock_microseconds() - start;
    const bool met_again = is_met(&b, def);
    out->restarted += met_again;
    out->false_claims += met_again != (many.outcome == SINEW_OUTCOME_CONVERGED);
    out->steps += many.steps;
  }
  bench_end(&b);
  return good;
}

// ------------------------------------------------------------------ one's own method

// The steps of an attempt from a start.
#define OWN_STEPS 100

// Steps until the targets are met, at most so many.
static bool attempt(bench *b, const own_method *own, const sinew_solver_def *def, int most,
                    long *steps) {
  bool met = is_met(b, def);
  own->begin(own->context, b->model);
  for (int i = 0; i < most && !met; ++i) {
    own->step(own->context, b->model, b->scene->tasks, b->scene->task_count, b->targets, b->q);
    ++*steps;
    met = is_met(b, def);
  }
  return met;
}

// Attempts from the middle of the limits and from random starts, as many steps in all as a solver.
static bool restart(bench *b, const own_method *own, const sinew_solver_def *def, long *steps) {
  const int most = def->budget.max_steps;
  long used = 0;
  bool met = false;
  for (uint64_t start = 0; !met && used < most; ++start) {
    if (start == 0) {
      sinew_configuration_middle(b->model, b->q);
    } else {
      sinew_configuration_random(b->model, RANDOM_SEED + 1, start, b->q);
    }
    const int rest = most - (int)used;
    met = attempt(b, own, def, rest < OWN_STEPS ? rest : OWN_STEPS, &used);
  }
  *steps += used;
  return met;
}

bool solved_measure_own(const char *figure, const own_method *own, int count, solved *out) {
  sinew_error error = {0};
  const sinew_solver_def def = sinew_default_solver_def();
  bench b;
  *out = (solved){.count = count};
  const bool good = bench_begin(&b, figure, &def, &error);
  if (!good) {
    fprintf(stderr, "sinew: %s: %s\n", figure, error.message);
  }
  for (int i = 0; good && i < count; ++i) {
    long first = 0;
    fill_targets(&b, i);
    sinew_configuration_middle(b.model, b.q);
    out->first += attempt(&b, own, &def, def.budget.max_steps, &first);
    const double start = clock_microseconds();
    out->restarted += restart(&b, own, &def, &out->steps);
    out->microseconds += clock_microseconds() - start;
  }
  bench_end(&b);
  return good;
}
