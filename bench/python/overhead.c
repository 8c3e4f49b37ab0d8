/// The C calls that the Python package makes, timed for measure.py, which loads this as a shared
/// library and alternates its calls with its own.
#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_NQ 64

static sinew_model *model;
static sinew_solver *solver;
static sinew_bank *bank;
static sinew_batch *batch;
static sinew_batch_worker *worker;
static sinew_target target;
static double seed[MOST_NQ], tracked[MOST_NQ];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(sinew_result result) {
  if (result != SINEW_OK) {
    fprintf(stderr, "%s\n", sinew_result_string(result));
    exit(2);
  }
}

/// Prepares a pose task of a link whose target is the pose at q.
void bench_begin(const char *path, const char *link, const double *q) {
  sinew_document *file;
  sinew_state *state;
  check(sinew_document_open(path, NULL, &file, NULL));
  check(sinew_model_create(&file->model, &model, NULL));
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(model, link);
  sinew_solver_def settings = sinew_default_solver_def();
  check(sinew_solver_create(&settings, model, &solver, NULL));
  check(sinew_solver_set_tasks(solver, &task, 1, NULL));
  sinew_bank_def bank_def = sinew_default_bank_def();
  check(sinew_bank_create(&bank_def, model, &task, 1, &bank, NULL));
  sinew_batch_def batch_def = sinew_default_batch_def();
  batch_def.bank = bank;
  check(sinew_batch_create(&batch_def, model, &task, 1, &batch, NULL));
  check(sinew_batch_worker_create(batch, &worker, NULL));
  check(sinew_state_create(model, NULL, &state, NULL));
  check(sinew_state_forward(state, q));
  sinew_pose pose;
  check(sinew_state_link_pose(state, task.link, &pose));
  target = sinew_default_target();
  memcpy(target.position, pose.position, sizeof pose.position);
  memcpy(target.rotation, pose.rotation, sizeof pose.rotation);
  memcpy(seed, q, (size_t)sinew_model_nq(model) * sizeof *q);
  memcpy(tracked, seed, sizeof seed);
}

/// Solves from the seed that is the solution. @return seconds
double bench_solve(int calls) {
  double q[MOST_NQ];
  sinew_report report;
  sinew_global_def search = sinew_default_global_def();
  search.bank = bank;
  const double began = now();
  for (int i = 0; i < calls; ++i) {
    memcpy(q, seed, sizeof q);
    check(sinew_solver_search(solver, &search, &target, 1, q, &report));
  }
  return now() - began;
}

/// Updates towards a target that moves to and fro along x by a millimetre an update. @return
/// seconds
double bench_update(int calls) {
  sinew_report report;
  sinew_target moving = target;
  const double began = now();
  for (int i = 0; i < calls; ++i) {
    moving.position[0] = target.position[0] + 1e-3 * (i % 100 < 50 ? i % 100 : 100 - i % 100);
    check(sinew_solver_update(solver, &moving, 1, tracked, &report));
  }
  return now() - began;
}

/// Solves a batch on this thread. @return seconds
double bench_batch(const double *targets, double *q, size_t count) {
  const sinew_batch_arrays arrays = {.targets = targets, .q = q};
  const double began = now();
  check(sinew_batch_solve(batch, worker, &arrays, 0, count));
  return now() - began;
}
