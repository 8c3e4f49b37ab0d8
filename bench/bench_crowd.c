// Crowds: times of one update of one figure.
//
//   bench_crowd [--scene NAME] [--figures N] [--updates N] [--lanes W] [--method NAME]
//
// Each figure of a built-in scene follows its targets, each at another moment of the motion. The
// methods have the settings of experiment buss. A time is the median of many calls for a range of
// the crowd, for each method and each lane count that the processor supports, and for one figure
// with sinew_solver_update() for comparison. --lanes and --method select some of them, and with
// --lanes there is no single figure: for a profiler.
#include "bench/common.h"
#include "scenes/scenes.h"
#include "sinew/crowd.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"
#include "scenes/expect.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 7
#define RANGE 1000 // figures a call: short enough that other programs seldom interrupt it
#define STEPS 512  // of the motion, forward and back: no jump of the targets
#define PI 3.14159265358979323846

const char bench_program[] = "bench_crowd";

static struct {
  const char *scene, *method;  // method: NULL for all
  int figures, updates, lanes; // lanes: 0 for all
} options = {.scene = "double-y-25", .figures = 10000, .updates = 10};

// Shared by all runs: the figure, and a row of targets for each step of its motion.
typedef struct walk {
  sinew_scene *scene;
  sinew_model *model;
  int row;      // values in one figure's targets
  double *rows; // figures + (RUNS + 1) updates rows: figure i is at row i + update
  double *q;    // figures x nq
} walk;

static int row_of(const sinew_scene *scene) {
  int row = 0;
  for (int t = 0; t < scene->task_count; ++t) {
    if (scene->tasks[t].kind != SINEW_TASK_POSITION && scene->tasks[t].kind != SINEW_TASK_POSE) {
      fprintf(stderr, "bench_crowd: %s: crowds do not support this task\n", scene->name);
      exit(2);
    }
    row += scene->tasks[t].kind == SINEW_TASK_POSE ? 7 : 3;
  }
  return row;
}

static int step_of(int moment) {
  const int there = moment % (2 * STEPS);
  return there < STEPS ? there : 2 * STEPS - 1 - there;
}

// One row from a step's targets.
static void write_row(const sinew_scene *scene, const sinew_target *targets, double *row) {
  for (int t = 0; t < scene->task_count; ++t) {
    memcpy(row, targets[t].position, sizeof targets[t].position);
    row += 3;
    if (scene->tasks[t].kind == SINEW_TASK_POSE) {
      memcpy(row, targets[t].rotation, sizeof targets[t].rotation);
      row += 4;
    }
  }
}

static sinew_target *targets_of(const walk *w) {
  sinew_error error;
  sinew_state *state;
  const size_t count = (size_t)w->scene->task_count;
  sinew_target *targets = take(STEPS * count, sizeof *targets);
  require(sinew_state_create(w->model, NULL, &state, &error), &error);
  for (int i = 0; i < STEPS; ++i) {
    sinew_scene_targets(w->scene, state, (i + 1) * w->scene->time_step,
                        targets + (size_t)i * count);
  }
  sinew_state_destroy(state);
  return targets;
}

static void walk_create(walk *w, sinew_target **targets) {
  sinew_error error;
  *w = (walk){.scene = sinew_scene_create(options.scene)};
  if (w->scene == NULL) {
    char text[1024];
    snprintf(text, sizeof text, "there is no scene %s", options.scene);
    fail(text);
  }
  require(sinew_model_create(&w->scene->model, &w->model, &error), &error);
  w->row = row_of(w->scene);
  *targets = targets_of(w);
  const int moments = options.figures + (RUNS + 1) * options.updates;
  w->rows = take((size_t)moments * (size_t)w->row, sizeof *w->rows);
  for (int i = 0; i < moments; ++i) {
    write_row(w->scene, *targets + (size_t)step_of(i) * (size_t)w->scene->task_count,
              w->rows + (size_t)i * (size_t)w->row);
  }
  w->q = take((size_t)options.figures * (size_t)sinew_model_nq(w->model), sizeof *w->q);
}

static void walk_destroy(walk *w) {
  free(w->q);
  free(w->rows);
  sinew_model_destroy(w->model);
  sinew_scene_destroy(w->scene);
}

// ---------------------------------------------------------------------- crowds

static void update_range(const walk *w, sinew_crowd *crowd, sinew_crowd_worker *worker, int moment,
                         int first, int count) {
  const sinew_crowd_arrays arrays = {.targets = w->rows + (size_t)moment * (size_t)w->row,
                                     .q = w->q};
  if (sinew_crowd_update(crowd, worker, &arrays, (size_t)first, (size_t)count) != SINEW_OK) {
    fputs("bench_crowd: an update was refused\n", stderr);
    exit(2);
  }
}

// The first updates fill history and caches and are not counted.
static double time_crowd(const walk *w, sinew_crowd *crowd, sinew_crowd_worker *worker) {
  const size_t nq = (size_t)sinew_model_nq(w->model);
  const int segments = (options.figures + RANGE - 1) / RANGE;
  double *ns = take((size_t)(RUNS * options.updates * segments), sizeof *ns);
  int taken = 0;
  for (int i = 0; i < options.figures; ++i) {
    sinew_configuration_start(w->model, w->q + (size_t)i * nq);
  }
  for (int moment = 0; moment < (RUNS + 1) * options.updates; ++moment) {
    for (int first = 0; first < options.figures; first += RANGE) {
      const int rest = options.figures - first, count = rest < RANGE ? rest : RANGE;
      const double begin = now();
      update_range(w, crowd, worker, moment, first, count);
      if (moment >= options.updates) {
        ns[taken++] = 1e9 * (now() - begin) / count;
      }
    }
  }
  sort_ascending(ns, taken);
  const double median = ns[taken / 2];
  free(ns);
  return median;
}

static void bench_crowd(const walk *w, const char *name, const sinew_solver_def *solver,
                        int lanes) {
  sinew_crowd_def def = sinew_default_crowd_def();
  sinew_crowd *crowd;
  sinew_crowd_worker *worker;
  sinew_error error;
  def.solver = *solver;
  def.figures = (size_t)options.figures;
  def.lanes = lanes;
  if (sinew_crowd_create(&def, w->model, w->scene->tasks, w->scene->task_count, &crowd, &error) !=
      SINEW_OK) {
    printf("%-28s %12s  %s\n", name, "-", error.message);
    return;
  }
  if (sinew_crowd_worker_create(crowd, &worker, NULL) != SINEW_OK) {
    fputs("bench_crowd: out of memory\n", stderr);
    exit(2);
  }
  printf("%-28s %12.1f ns\n", name, time_crowd(w, crowd, worker));
  sinew_crowd_worker_destroy(worker);
  sinew_crowd_destroy(crowd);
}

// ------------------------------------------------------------------ one figure

static void bench_single(const walk *w, const char *name, const sinew_solver_def *def,
                         const sinew_target *targets) {
  double ns[RUNS];
  const int calls = 4 * STEPS, count = w->scene->task_count;
  sinew_solver *solver;
  sinew_error error;
  require(sinew_solver_create(def, w->model, &solver, &error), &error);
  require(sinew_solver_set_tasks(solver, w->scene->tasks, count, &error), &error);
  sinew_configuration_start(w->model, w->q);
  for (int run = 0; run < RUNS; ++run) {
    const double begin = now();
    for (int i = 0; i < calls; ++i) {
      sinew_expect_ok(sinew_solver_update(solver, targets + (size_t)step_of(i) * (size_t)count,
                                          count, w->q, NULL));
    }
    ns[run] = 1e9 * (now() - begin) / calls;
  }
  sort_ascending(ns, RUNS);
  printf("%-28s %12.1f ns\n", name, ns[RUNS / 2]);
  sinew_solver_destroy(solver);
}

// ------------------------------------------------------------------------- main

static void read_options(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--scene") == 0 && i + 1 < argc) {
      options.scene = argv[++i];
    } else if (strcmp(argv[i], "--figures") == 0 && i + 1 < argc) {
      options.figures = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--updates") == 0 && i + 1 < argc) {
      options.updates = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--lanes") == 0 && i + 1 < argc) {
      options.lanes = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--method") == 0 && i + 1 < argc) {
      options.method = argv[++i];
    } else {
      fputs("usage: bench_crowd [--scene NAME] [--figures N] [--updates N] [--lanes W] "
            "[--method NAME]\n",
            stderr);
      exit(2);
    }
  }
  if (options.figures < 1 || options.updates < 1) {
    fputs("bench_crowd: there is nothing to measure\n", stderr);
    exit(2);
  }
}

int main(int argc, char **argv) {
  static const char *const methods[] = {"dls", "default"};
  walk w;
  sinew_target *targets;
  read_options(argc, argv);
  walk_create(&w, &targets);
  printf("%s, %d figures; time of one update of one figure\n", options.scene, options.figures);
  for (int m = 0; m < 2; ++m) {
    char name[64];
    sinew_solver_def def = sinew_default_solver_def();
    def.task_capacity = w.scene->task_count;
    if (m == 0) { // Buss's damped least squares
      def.step.method = SINEW_METHOD_DLS;
      def.step.damping = 1.1;
      def.step.error_damping = 0.0;
      def.step.max_turn = 45.0 * PI / 180.0;
    }
    if (options.method != NULL && strcmp(options.method, methods[m]) != 0) {
      continue;
    }
    if (options.lanes == 0) {
      snprintf(name, sizeof name, "single/%s", methods[m]);
      bench_single(&w, name, &def, targets);
    }
    for (int lanes = 1; lanes <= 8; lanes *= 2) {
      if (options.lanes != 0 && options.lanes != lanes) {
        continue;
      }
      snprintf(name, sizeof name, "crowd/%s/%d-lanes", methods[m], lanes);
      bench_crowd(&w, name, &def, lanes);
    }
  }
  free(targets);
  walk_destroy(&w);
  return 0;
}
