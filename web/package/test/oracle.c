// What the C library answers, for the tests of the browser package. Prints one row of numbers a
// line.
//
//   oracle updates SCENE STEPS           joint values after each update of a built-in scene
//   oracle clip FILE.bvh STRIDE TIP...   the same for a clip, followed by position targets
//   oracle solve FILE.urdf TIP COUNT     outcome and joint values of global solves in two lanes:
//                                        target i is the pose at random (1, i), seed random (2, i)
//   oracle all FILE.urdf TIP COUNT       the number of solutions of each such target
//   oracle fk FILE.urdf TIP              poses of TIP at the rows of joint values on standard input
#include "scenes/scenes.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TASKS 16
#define MOST_SOLUTIONS 64

typedef struct figure {
  sinew_document *document;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  double *q;
  int nq;
} figure;

static void require(sinew_result result, const sinew_error *error) {
  if (result == SINEW_OK)
    return;
  fprintf(stderr, "oracle: %s\n", error != NULL ? error->message : sinew_result_string(result));
  exit(2);
}

static void print_row(const double *values, int count) {
  for (int i = 0; i < count; ++i)
    printf(i + 1 < count ? "%.17g " : "%.17g\n", values[i]);
}

static void make(const sinew_model_def *def, figure *f) {
  sinew_error error;
  require(sinew_model_create(def, &f->model, &error), &error);
  require(sinew_state_create(f->model, NULL, &f->state, &error), &error);
  f->nq = sinew_model_nq(f->model);
  f->q = calloc((size_t)f->nq + 1, sizeof *f->q);
  sinew_configuration_middle(f->model, f->q);
}

static figure open_file(const char *path) {
  figure f = {0};
  sinew_error error;
  require(sinew_document_open(path, NULL, &f.document, &error), &error);
  make(&f.document->model, &f);
  return f;
}

static void prepare(figure *f, const sinew_task *tasks, int count, int lanes, double tolerance) {
  sinew_error error;
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = count;
  def.lanes = lanes;
  def.tolerances.position = def.tolerances.orientation = tolerance;
  require(sinew_solver_create(&def, f->model, &f->solver, &error), &error);
  require(sinew_solver_set_tasks(f->solver, tasks, count, &error), &error);
}

static void update(figure *f, const sinew_target *targets, int count) {
  require(sinew_solver_update(f->solver, targets, count, f->q, NULL),
          sinew_solver_last_error(f->solver));
  print_row(f->q, f->nq);
}

static int run_updates(const char *name, int steps) {
  figure f = {0};
  sinew_scene *scene = sinew_scene_create(name);
  sinew_target targets[MOST_TASKS];
  if (scene == NULL || scene->task_count > MOST_TASKS)
    return 2;
  for (int i = 0; i < MOST_TASKS; ++i)
    targets[i] = sinew_default_target();
  make(&scene->model, &f);
  prepare(&f, scene->tasks, scene->task_count, 0, 1e-6);
  for (int step = 0; step < steps; ++step) {
    sinew_scene_targets(scene, f.state, (step + 1) * scene->time_step, targets);
    update(&f, targets, scene->task_count);
  }
  return 0;
}

static int run_clip(const char *path, int stride, char **tips, int count) {
  figure f = open_file(path);
  sinew_task tasks[MOST_TASKS];
  sinew_target targets[MOST_TASKS];
  if (count > MOST_TASKS)
    return 2;
  for (int i = 0; i < count; ++i) {
    tasks[i] = sinew_default_task();
    tasks[i].link = sinew_model_find_link(f.model, tips[i]);
    targets[i] = sinew_default_target();
  }
  prepare(&f, tasks, count, 0, 1e-6);
  const sinew_motion *motion = &f.document->motion;
  memcpy(f.q, motion->q, (size_t)f.nq * sizeof *f.q);
  for (int frame = 0; frame < motion->frame_count; frame += stride) {
    require(sinew_state_forward(f.state, motion->q + (size_t)frame * (size_t)f.nq), NULL);
    for (int i = 0; i < count; ++i)
      require(sinew_state_point(f.state, tasks[i].link, NULL, targets[i].position), NULL);
    update(&f, targets, count);
  }
  return 0;
}

static sinew_target target_at(figure *f, int link, int number) {
  sinew_target target = sinew_default_target();
  sinew_pose pose;
  sinew_configuration_random(f->model, 1, (uint64_t)number, f->q);
  require(sinew_state_forward(f->state, f->q), NULL);
  require(sinew_state_link_pose(f->state, link, &pose), NULL);
  memcpy(target.position, pose.position, sizeof target.position);
  memcpy(target.rotation, pose.rotation, sizeof target.rotation);
  sinew_configuration_random(f->model, 2, (uint64_t)number, f->q);
  return target;
}

static int run_solves(const char *path, const char *tip, int count, bool all) {
  figure f = open_file(path);
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(f.model, tip);
  prepare(&f, &task, 1, 2, 1e-6);
  double *solutions = calloc((size_t)f.nq * MOST_SOLUTIONS, sizeof *solutions);
  for (int i = 0; i < count; ++i) {
    const sinew_target target = target_at(&f, task.link, i);
    sinew_report report;
    if (all) {
      int found;
      require(sinew_solver_solve_all(f.solver, NULL, &target, 1, f.q, MOST_SOLUTIONS, solutions,
                                     &found, &report),
              sinew_solver_last_error(f.solver));
      printf("%d\n", found);
      continue;
    }
    require(sinew_solver_solve(f.solver, &target, 1, f.q, &report),
            sinew_solver_last_error(f.solver));
    printf("%d ", (int)report.outcome);
    print_row(f.q, f.nq);
  }
  free(solutions);
  return 0;
}

static int run_fk(const char *path, const char *tip) {
  figure f = open_file(path);
  const int link = sinew_model_find_link(f.model, tip);
  for (;;) {
    for (int i = 0; i < f.nq; ++i)
      if (scanf("%lf", &f.q[i]) != 1)
        return 0;
    sinew_pose pose;
    require(sinew_state_forward(f.state, f.q), NULL);
    require(sinew_state_link_pose(f.state, link, &pose), NULL);
    const double row[7] = {pose.position[0], pose.position[1], pose.position[2], pose.rotation[0],
                           pose.rotation[1], pose.rotation[2], pose.rotation[3]};
    print_row(row, 7);
  }
}

int main(int argc, char **argv) {
  const char *what = argc > 3 ? argv[1] : "";
  if (strcmp(what, "updates") == 0)
    return run_updates(argv[2], atoi(argv[3]));
  if (strcmp(what, "clip") == 0)
    return run_clip(argv[2], atoi(argv[3]), argv + 4, argc - 4);
  if (strcmp(what, "solve") == 0 && argc == 5)
    return run_solves(argv[2], argv[3], atoi(argv[4]), false);
  if (strcmp(what, "all") == 0 && argc == 5)
    return run_solves(argv[2], argv[3], atoi(argv[4]), true);
  if (strcmp(what, "fk") == 0)
    return run_fk(argv[2], argv[3]);
  fputs("usage: see oracle.c\n", stderr);
  return 2;
}
