// How many steps methods need from the same starts: the median and the mean, and head to head, how
// often each of two needs fewer. The comparison of DLS and SDLS of Buss and Kim, Selectively damped
// least squares for inverse kinematics, 2005, with every method of the library.
#include "experiments/experiments.h"
#include "experiments/output.h"
#include "scenes/expect.h"
#include "scenes/scenes.h"
#include "sinew/solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A step that has not brought the targets within 1 % of the size by then counts as never.
#define MOST_STEPS 400
#define SHARE 0.01

#define TRIALS 200
#define TRIALS_BRIEF 40

static const char *const figures[] = {"y", "double-y-25", "arm7", "chain-10"};

enum { FIGURES = sizeof figures / sizeof figures[0] };

typedef struct trials {
  sinew_scene *scene;
  sinew_model *model;
  sinew_state *state;
  sinew_target *targets;
  double *q;
  int count;
  int (*steps)[SINEW_METHOD_COUNT]; // count
} trials;

static void trials_end(trials *t) {
  sinew_state_destroy(t->state);
  sinew_model_destroy(t->model);
  if (t->scene != NULL) {
    sinew_scene_destroy(t->scene);
  }
  free(t->targets);
  free(t->q);
  free(t->steps);
}

static bool trials_begin(trials *t, const char *figure, int count) {
  sinew_error error = {0};
  *t = (trials){.scene = sinew_scene_create(figure), .count = count};
  if (t->scene == NULL || sinew_model_create(&t->scene->model, &t->model, &error) != SINEW_OK ||
      sinew_state_create(t->model, NULL, &t->state, &error) != SINEW_OK) {
    fprintf(stderr, "sinew: %s: %s\n", figure, error.message);
    return false;
  }
  t->targets = calloc((size_t)t->scene->task_count, sizeof *t->targets);
  t->q = calloc((size_t)sinew_model_nq(t->model), sizeof *t->q);
  t->steps = calloc((size_t)count, sizeof *t->steps);
  return t->targets != NULL && t->q != NULL && t->steps != NULL;
}

// Targets that a random configuration meets.
static void fill_targets(trials *t, int number) {
  sinew_configuration_random(t->model, 2005, (uint64_t)number, t->q);
  sinew_expect_ok(sinew_state_forward(t->state, t->q));
  for (int k = 0; k < t->scene->task_count; ++k) {
    sinew_pose pose;
    t->targets[k] = sinew_default_target();
    sinew_expect_ok(sinew_state_link_pose(t->state, t->scene->tasks[k].link, &pose));
    memcpy(t->targets[k].position, pose.position, sizeof pose.position);
    memcpy(t->targets[k].rotation, pose.rotation, sizeof pose.rotation);
  }
}

static int steps_of(trials *t, sinew_solver *solver, int number) {
  sinew_report report;
  int step = 0;
  fill_targets(t, number);
  sinew_configuration_random(t->model, 2006, (uint64_t)number, t->q);
  sinew_solver_reset(solver);
  for (; step < MOST_STEPS; ++step) {
    sinew_expect_ok(sinew_solver_update(solver, t->targets, t->scene->task_count, t->q, &report));
    if (report.position_error < SHARE * sinew_model_size(t->model) &&
        report.orientation_error < SHARE) {
      break;
    }
  }
  return step;
}

static bool run_method(trials *t, int m, sinew_error *error) {
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = NULL;
  def.step.method = (sinew_method)m;
  def.task_capacity = t->scene->task_count;
  def.tracking.max_change = 1e9; // of the default: from a start that is declared
  const bool good =
      sinew_solver_create(&def, t->model, &solver, error) == SINEW_OK &&
      sinew_solver_set_tasks(solver, t->scene->tasks, t->scene->task_count, error) == SINEW_OK;
  for (int i = 0; good && i < t->count; ++i) {
    t->steps[i][m] = steps_of(t, solver, i);
  }
  sinew_solver_destroy(solver);
  return good;
}

static int compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static int median_of(const trials *t, int m, int *met) {
  int sorted[TRIALS];
  *met = 0;
  for (int i = 0; i < t->count; ++i) {
    sorted[i] = t->steps[i][m];
    *met += sorted[i] < MOST_STEPS;
  }
  qsort(sorted, (size_t)t->count, sizeof sorted[0], compare);
  return sorted[t->count / 2];
}

static int wins_of(const trials *t, int a, int b) {
  int wins = 0;
  for (int i = 0; i < t->count; ++i) {
    wins += t->steps[i][a] < t->steps[i][b];
  }
  return wins;
}

static void print_figure(const trials *t, const char *figure, FILE *csv) {
  printf("\n%s, %d starts: median steps to 1 %%, targets met in %d steps, and how often the method "
         "needs\nfewer steps than DLS, and more\n",
         figure, t->count, MOST_STEPS);
  for (int m = 0; m < SINEW_METHOD_COUNT; ++m) {
    int met;
    const int median = median_of(t, m, &met);
    const int wins = wins_of(t, m, SINEW_METHOD_DLS), losses = wins_of(t, SINEW_METHOD_DLS, m);
    const char *name = sinew_method_string((sinew_method)m);
    printf("  %-15s %5d %5d %%   %4d : %d\n", name, median, 100 * met / t->count, wins, losses);
    if (csv != NULL) {
      fprintf(csv, "%s,%s,%d,%d,%d,%d,%d\n", figure, name, t->count, median, met, wins, losses);
    }
  }
}

bool sinew_experiment_convergence(const sinew_experiment_options *options) {
  static const char name[] = "convergence.csv";
  FILE *csv = options->folder != NULL ? output_open(options->folder, name) : NULL;
  bool good = options->folder == NULL || csv != NULL;
  if (csv != NULL) {
    fputs("figure,method,starts,median_steps,met,fewer_than_dls,more_than_dls\n", csv);
  }
  for (int f = 0; good && f < FIGURES; ++f) {
    trials t;
    sinew_error error = {0};
    good = trials_begin(&t, figures[f], options->brief ? TRIALS_BRIEF : TRIALS);
    for (int m = 0; good && m < SINEW_METHOD_COUNT; ++m) {
      good = run_method(&t, m, &error);
    }
    if (good) {
      print_figure(&t, figures[f], csv);
    }
    trials_end(&t);
    options->progress((f + 1.0) / FIGURES);
  }
  return (csv == NULL || output_close(csv, name)) && good;
}
