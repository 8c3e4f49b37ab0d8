// Figures with several limbs: see limbs.h. Every result is checked by forward kinematics.
#include "bench/limbs.h"
#include "bench/common.h"
#include "scenes/expect.h"
#include "scenes/scenes.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TOLERANCE 1e-6 // [m, rad]
#define MOST 16        // tasks
#define STAR_KINDS 28  // 2 to 8 limbs of 4 to 7 joints

typedef struct figure {
  sinew_model *model;
  sinew_state *state;
  sinew_solver *whole, *limb[MOST]; // of all tasks, and of each alone
  sinew_batch *batch;
  sinew_batch_worker *worker;
  int nq, count;
  sinew_task tasks[MOST];
  sinew_target targets[MOST];
  double *q, *start, *limb_q;
} figure;

// What some sets of poses came to.
typedef struct totals {
  int sets, solved, limbs_solved, batch_solved, nearest_solved, false_ones;
  double steps, seconds, limb_seconds, longest, batch_seconds;
} totals;

// Of this thread: other programs would interrupt long runs.
static double thread_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static sinew_solver *solver_of(const figure *f, const sinew_task *tasks, int count) {
  sinew_error error;
  sinew_solver *solver;
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = count;
  require(sinew_solver_create(&def, f->model, &solver, &error), &error);
  require(sinew_solver_set_tasks(solver, tasks, count, &error), &error);
  return solver;
}

static void open_figure(figure *f, const sinew_model_def *def) {
  sinew_error error;
  require(sinew_model_create(def, &f->model, &error), &error);
  require(sinew_state_create(f->model, NULL, &f->state, &error), &error);
  f->nq = sinew_model_nq(f->model);
  f->q = calloc(3 * (size_t)f->nq, sizeof *f->q);
  f->start = f->q + f->nq;
  f->limb_q = f->start + f->nq;
}

static void create_solvers(figure *f) {
  sinew_error error;
  const sinew_batch_def batch = sinew_default_batch_def();
  f->whole = solver_of(f, f->tasks, f->count);
  for (int t = 0; t < f->count; ++t) {
    f->limb[t] = solver_of(f, &f->tasks[t], 1);
  }
  require(sinew_batch_create(&batch, f->model, f->tasks, f->count, &f->batch, &error), &error);
  require(sinew_batch_worker_create(f->batch, &f->worker, &error), &error);
}

static void close_figure(figure *f) {
  sinew_batch_worker_destroy(f->worker);
  sinew_batch_destroy(f->batch);
  sinew_solver_destroy(f->whole);
  for (int t = 0; t < f->count; ++t) {
    sinew_solver_destroy(f->limb[t]);
  }
  sinew_state_destroy(f->state);
  sinew_model_destroy(f->model);
  free(f->q);
}

static void set_targets(figure *f) {
  sinew_expect_ok(sinew_state_forward(f->state, f->q));
  for (int t = 0; t < f->count; ++t) {
    sinew_pose pose;
    sinew_expect_ok(sinew_state_link_pose(f->state, f->tasks[t].link, &pose));
    f->targets[t] = sinew_default_target();
    memcpy(f->targets[t].position, pose.position, sizeof pose.position);
    memcpy(f->targets[t].rotation, pose.rotation, sizeof pose.rotation);
  }
}

// Whether q reaches a target.
static bool is_met(const figure *f, int t) {
  const double bound = TOLERANCE * (1.0 + 1e-6);
  const sinew_target *target = &f->targets[t];
  sinew_pose pose;
  double square = 0.0, back[4], turn[4], w[3];
  sinew_expect_ok(sinew_state_link_pose(f->state, f->tasks[t].link, &pose));
  back[0] = pose.rotation[0];
  for (int i = 0; i < 3; ++i) {
    square += pow(pose.position[i] - target->position[i], 2.0);
    back[i + 1] = -pose.rotation[i + 1];
  }
  sinew_quaternion_multiply(back, target->rotation, turn);
  sinew_quaternion_log(turn, w);
  return sqrt(square) <= bound && sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) <= bound;
}

// The number of targets that q reaches, -1 where it is outside the limits.
static int count_met(figure *f, const double *q) {
  int met = 0;
  sinew_expect_ok(sinew_state_forward(f->state, q));
  for (int t = 0; t < f->count; ++t) {
    met += is_met(f, t);
  }
  return is_within(f->model, q) ? met : -1;
}

static void solve_set(figure *f, bool limbs, totals *sum) {
  const size_t bytes = (size_t)f->nq * sizeof *f->q;
  sinew_report report;
  memcpy(f->q, f->start, bytes);
  const double begin = thread_time();
  sinew_expect_ok(sinew_solver_solve(f->whole, f->targets, f->count, f->q, &report));
  const double seconds = thread_time() - begin;
  const int met = count_met(f, f->q);
  sum->seconds += seconds;
  sum->longest = fmax(sum->longest, seconds);
  sum->steps += report.steps;
  sum->solved += met == f->count && report.outcome == SINEW_OUTCOME_CONVERGED;
  sum->false_ones += met != f->count && report.outcome == SINEW_OUTCOME_CONVERGED;
  for (int t = 0; limbs && t < f->count; ++t) {
    memcpy(f->limb_q, f->start, bytes);
    const double from = thread_time();
    sinew_expect_ok(sinew_solver_solve(f->limb[t], &f->targets[t], 1, f->limb_q, &report));
    sum->limb_seconds += thread_time() - from;
    sum->limbs_solved += report.outcome == SINEW_OUTCOME_CONVERGED;
  }
  sum->sets += 1;
}

// All sets once more, as a batch.
static void solve_batch(figure *f, int count, const double *targets, const double *seeds,
                        totals *sum) {
  sinew_batch_row *rows = calloc((size_t)count, sizeof *rows);
  double *q = calloc((size_t)count * (size_t)f->nq, sizeof *q);
  const sinew_batch_arrays arrays = {.targets = targets, .seeds = seeds, .q = q, .rows = rows};
  const double begin = thread_time();
  sinew_expect_ok(sinew_batch_solve(f->batch, f->worker, &arrays, 0, (size_t)count));
  sum->batch_seconds += thread_time() - begin;
  for (int i = 0; i < count; ++i) {
    for (int t = 0; t < f->count; ++t) {
      const double *pose = targets + 7 * (i * f->count + t);
      memcpy(f->targets[t].position, pose, 3 * sizeof *pose);
      memcpy(f->targets[t].rotation, pose + 3, 4 * sizeof *pose);
    }
    const int met = count_met(f, q + (size_t)i * (size_t)f->nq);
    sum->batch_solved += met == f->count && rows[i].outcome == SINEW_OUTCOME_CONVERGED;
    sum->false_ones += met != f->count && rows[i].outcome == SINEW_OUTCOME_CONVERGED;
  }
  free(q);
  free(rows);
}

// Targets and starts are two random configurations.
static void solve_sets(figure *f, int count, uint64_t random_seed, bool limbs, totals *sum) {
  const size_t bytes = (size_t)f->nq * sizeof *f->q;
  double *targets = calloc(7 * (size_t)f->count * (size_t)count, sizeof *targets);
  double *seeds = calloc((size_t)f->nq * (size_t)count, sizeof *seeds);
  for (int i = 0; i < count; ++i) {
    sinew_configuration_random(f->model, random_seed, (uint64_t)i, f->q);
    sinew_configuration_random(f->model, ~random_seed, (uint64_t)i, f->start);
    set_targets(f);
    memcpy(seeds + i * f->nq, f->start, bytes);
    for (int t = 0; t < f->count; ++t) {
      sinew_target_pack(&f->tasks[t], &f->targets[t], targets + 7 * (i * f->count + t));
    }
    solve_set(f, limbs, sum);
  }
  solve_batch(f, count, targets, seeds, sum);
  free(seeds);
  free(targets);
}

static void print(const char *name, const totals *sum) {
  const double sets = sum->sets;
  printf(
      "  %-28s solved %.3f %% (missed %d), batch %.3f %% (%d), %d false, %.1f steps, mean %.1f us, "
      "longest %.0f us, batch %.1f us",
      name, 100.0 * sum->solved / sets, sum->sets - sum->solved, 100.0 * sum->batch_solved / sets,
      sum->sets - sum->batch_solved, sum->false_ones, sum->steps / sets, 1e6 * sum->seconds / sets,
      1e6 * sum->longest, 1e6 * sum->batch_seconds / sets);
  if (sum->limb_seconds > 0.0) {
    printf(", %.2f of its limbs' time", sum->seconds / sum->limb_seconds);
  }
  printf("\n");
  fflush(stdout);
}

static void add(const totals *from, totals *to) {
  to->sets += from->sets;
  to->solved += from->solved;
  to->batch_solved += from->batch_solved;
  to->false_ones += from->false_ones;
  to->steps += from->steps;
  to->seconds += from->seconds;
  to->limb_seconds += from->limb_seconds;
  to->batch_seconds += from->batch_seconds;
  to->longest = fmax(to->longest, from->longest);
}

// At most 20 stars of each kind.
void bench_stars(int trunk, int count, uint64_t random_seed) {
  const int each = count / STAR_KINDS > 0 ? count / STAR_KINDS : 1;
  const int stars = each > 20 ? 20 : each;
  totals all = {0};
  if (trunk > 0) {
    printf("\nStars of 2 to 8 limbs on a trunk of %d joints, random starts\n", trunk);
  } else {
    printf("\nStars of 2 to 8 limbs, fixed base, random starts\n");
  }
  for (int kind = 0; kind < STAR_KINDS; ++kind) {
    totals sum = {0};
    char name[64];
    for (int star = 0; star < stars; ++star) {
      const sinew_scene_star_def def = {2 + kind / 4, 4 + kind % 4, trunk,
                                        random_seed * 1000 + (uint64_t)(star * STAR_KINDS + kind)};
      sinew_scene *scene = sinew_scene_star(&def);
      figure f = {.count = def.limbs};
      if (scene == NULL) {
        exit(2);
      }
      memcpy(f.tasks, scene->tasks, (size_t)f.count * sizeof *f.tasks);
      open_figure(&f, &scene->model);
      create_solvers(&f);
      solve_sets(&f, each / stars, def.random_seed, trunk == 0, &sum);
      close_figure(&f);
      sinew_scene_destroy(scene);
    }
    snprintf(name, sizeof name, "%d limbs of %d joints", 2 + kind / 4, 4 + kind % 4);
    print(name, &sum);
    add(&sum, &all);
  }
  print("all", &all);
}

void bench_limbs(const char *path, const char *links, int floats, int count, uint64_t random_seed) {
  sinew_document *document;
  sinew_error error;
  sinew_read_def def = sinew_default_read_def();
  figure f = {0};
  totals sum = {0};
  char name[128];
  def.floating_base = floats != 0;
  require(sinew_document_open(path, &def, &document, &error), &error);
  open_figure(&f, &document->model);
  for (const char *at = links; at != NULL && f.count < MOST; at = strchr(at, ',')) {
    at += at != links; // past the comma
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
    sinew_task task = sinew_default_task();
    task.kind = SINEW_TASK_POSE;
    task.link = sinew_model_find_link(f.model, name);
    if (task.link < 0) {
      char text[SHOWN];
      snprintf(text, sizeof text, "%s has no link %s", path, name);
      fail(text);
    }
    f.tasks[f.count++] = task;
  }
  create_solvers(&f);
  solve_sets(&f, count, random_seed, false, &sum);
  const char *base = strrchr(path, '/');
  char room[SHOWN];
  snprintf(name, sizeof name, "%.200s, %s", shown(base != NULL ? base + 1 : path, room),
           floats ? "floating" : "fixed");
  print(name, &sum);
  close_figure(&f);
  sinew_document_destroy(document);
}
