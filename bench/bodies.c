// Updates of whole bodies with several tasks: see bodies.h.
//
// Targets follow a smooth motion of the figure. Every update is timed by itself, in several runs
// from the same start.
#include "bench/bodies.h"
#include "scenes/expect.h"
#include "scenes/optional_data.h"
#include "scenes/scenes.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UPDATES 2000
#define WARM 50 // at first, not counted
#define RUNS 7
#define CROWD_RUNS 3
#define MOST_TASKS 12
#define MOST_VALUES 96
#define PI 3.14159265358979323846

typedef struct body {
  sinew_model *model;
  sinew_state *state;
  sinew_task tasks[MOST_TASKS];
  int count;
  sinew_target (*targets)[MOST_TASKS]; // of each update
  double start[MOST_VALUES];
} body;

static void follow(const body *b, sinew_solver *solver, bool first, double *least) {
  double q[MOST_VALUES];
  memcpy(q, b->start, sizeof q);
  sinew_solver_reset(solver);
  for (int i = 0; i < UPDATES; ++i) {
    const double begin = now();
    sinew_expect_ok(sinew_solver_update(solver, b->targets[i], b->count, q, NULL));
    const double spent = 1e9 * (now() - begin);
    least[i] = first || spent < least[i] ? spent : least[i];
  }
}

static void measure(const body *b, const char *name, sinew_solver *solver, bench_print *print) {
  static double least[UPDATES];
  for (int run = 0; run < RUNS; ++run) {
    follow(b, solver, run == 0, least);
  }
  print(name, summarize_calls(least + WARM, UPDATES - WARM));
}

static sinew_solver *solver_of(const body *b, const sinew_objective *posture) {
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver;
  def.lower.levels = posture != NULL ? 2 : 0;
  def.lower.objectives = posture != NULL ? 1 : 0;
  def.task_capacity = b->count > def.task_capacity ? b->count : def.task_capacity;
  def.hard_rows = sinew_task_hard_rows(b->tasks, b->count);
  sinew_expect_ok(sinew_solver_create(&def, b->model, &solver, NULL));
  sinew_expect_ok(sinew_solver_set_tasks(solver, b->tasks, b->count, NULL));
  if (posture != NULL) {
    sinew_expect_ok(sinew_solver_set_objectives(solver, posture, 1, NULL));
  }
  return solver;
}

static void release(body *b) {
  sinew_state_destroy(b->state);
  sinew_model_destroy(b->model);
  free(b->targets);
}

// ------------------------------------------------------------------- humanoid

// The targets of an update as a crowd's row.
static void write_row(const body *b, int i, double *row) {
  for (int t = 0; t < b->count; ++t) {
    const sinew_target *target = &b->targets[i > 0 ? i : 0][t];
    sinew_target_pack(&b->tasks[t], target, row);
    row += sinew_task_target_size(&b->tasks[t]);
  }
}

// One update of FIGURES figures that follow the same targets, each later than the one before: the
// time of one figure, the least of some runs.
static void bench_crowd(const body *b, const char *name, bench_print *print) {
  enum { FIGURES = 16, LATER = 3 };
  static double q[FIGURES][MOST_VALUES], rows[FIGURES][7 * MOST_TASKS], least[UPDATES];
  sinew_crowd_def def = sinew_default_crowd_def();
  sinew_crowd *crowd;
  sinew_crowd_worker *worker;
  def.figures = FIGURES;
  sinew_expect_ok(sinew_crowd_create(&def, b->model, b->tasks, b->count, &crowd, NULL));
  sinew_expect_ok(sinew_crowd_worker_create(crowd, &worker, NULL));
  const sinew_crowd_arrays arrays = {
      .targets = rows[0], .target_stride = 7 * MOST_TASKS, .q = q[0], .q_stride = MOST_VALUES};
  for (int run = 0; run < CROWD_RUNS; ++run) {
    sinew_crowd_reset(crowd, 0, FIGURES);
    for (int f = 0; f < FIGURES; ++f) {
      memcpy(q[f], b->start, sizeof q[f]);
    }
    for (int i = 0; i < UPDATES; ++i) {
      for (int f = 0; f < FIGURES; ++f) {
        write_row(b, i - LATER * f, rows[f]);
      }
      const double begin = now();
      sinew_expect_ok(sinew_crowd_update(crowd, worker, &arrays, 0, FIGURES));
      const double spent = 1e9 * (now() - begin) / FIGURES;
      least[i] = run == 0 || spent < least[i] ? spent : least[i];
    }
  }
  print(name, summarize_calls(least + WARM, UPDATES - WARM));
  sinew_crowd_worker_destroy(worker);
  sinew_crowd_destroy(crowd);
}

static void bench_cones(bench_print *print) {
  sinew_scene *scene = sinew_scene_create("humanoid-cones");
  body b = {.count = scene != NULL ? scene->task_count : 0,
            .targets = malloc(UPDATES * sizeof *b.targets)};
  if (scene == NULL || b.targets == NULL) {
    fputs("bench_core: no memory\n", stderr);
    exit(2);
  }
  sinew_expect_ok(sinew_model_create(&scene->model, &b.model, NULL));
  sinew_expect_ok(sinew_state_create(b.model, NULL, &b.state, NULL));
  memcpy(b.tasks, scene->tasks, (size_t)b.count * sizeof b.tasks[0]);
  for (int i = 0; i < UPDATES; ++i) {
    sinew_scene_targets(scene, b.state, i * scene->time_step, b.targets[i]);
  }
  sinew_scene_motion(scene, b.model, 0.0, b.start);
  sinew_solver *solver = solver_of(&b, NULL);
  measure(&b, "update/humanoid/cones", solver, print);
  sinew_solver_destroy(solver);
  bench_crowd(&b, "crowd/humanoid/cones", print);
  release(&b);
  sinew_scene_destroy(scene);
}

// ------------------------------------------------------------------------- G1

static const char *const frames[] = {"left_ankle_roll_link", "right_ankle_roll_link",
                                     "left_rubber_hand", "right_rubber_hand", "torso_link"};

enum { FRAMES = sizeof frames / sizeof frames[0], TASKS = FRAMES + 1, BOUND = 8 };

static bool open_g1(body *b) {
  char path[4096];
  sinew_document *document;
  if (!optional_robot("urdf", "g1_29dof", path, sizeof path)) {
    return false;
  }
  sinew_read_def def = sinew_default_read_def();
  def.floating_base = true;
  sinew_expect_ok(sinew_document_open(path, &def, &document, NULL));
  sinew_expect_ok(sinew_model_create(&document->model, &b->model, NULL));
  sinew_document_destroy(document);
  sinew_expect_ok(sinew_state_create(b->model, NULL, &b->state, NULL));
  b->count = TASKS;
  b->targets = malloc(UPDATES * sizeof *b->targets);
  for (int t = 0; t < TASKS; ++t) {
    b->tasks[t] = sinew_default_task();
    b->tasks[t].kind = t < FRAMES ? SINEW_TASK_POSE : SINEW_TASK_POSITION;
    b->tasks[t].link =
        t < FRAMES ? sinew_model_find_link(b->model, frames[t]) : sinew_model_root(b->model);
    b->tasks[t].center_of_mass = t == FRAMES;
  }
  return b->targets != NULL;
}

// The figure's motion: every joint in the middle half of its range.
static void move(const body *b, int update, double *q) {
  double v[MOST_VALUES];
  sinew_configuration_middle(b->model, q);
  const double *lower = sinew_model_lower(b->model), *upper = sinew_model_upper(b->model);
  for (int i = 0; i < sinew_model_nv(b->model); ++i) {
    const double range = upper[i] - lower[i], most = range < INFINITY ? 0.15 * range : 0.1;
    v[i] = fmin(most, 0.3) * sin(2 * PI * update * (1 + i % 3) / UPDATES + i);
  }
  sinew_configuration_integrate(b->model, q, v, q);
}

// The centre of mass.
static void find_center(const body *b, double center[3]) {
  double sum = 0.0, total[3] = {0.0, 0.0, 0.0};
  for (int l = 0; l < sinew_model_link_count(b->model); ++l) {
    double local[3], world[3];
    sinew_pose pose;
    const double mass = sinew_model_link_mass(b->model, l, local);
    sinew_expect_ok(sinew_state_link_pose(b->state, l, &pose));
    sinew_quaternion_rotate(pose.rotation, local, world);
    for (int k = 0; k < 3; ++k) {
      total[k] += mass * (pose.position[k] + world[k]);
    }
    sum += mass;
  }
  for (int k = 0; k < 3; ++k) {
    center[k] = total[k] / sum;
  }
}

static void find_targets(body *b) {
  double q[MOST_VALUES];
  for (int i = UPDATES; i-- > 0;) {
    move(b, i, q);
    sinew_expect_ok(sinew_state_forward(b->state, q));
    for (int t = 0; t < TASKS; ++t) {
      sinew_target *target = &b->targets[i][t];
      sinew_pose pose = sinew_pose_identity();
      *target = sinew_default_target();
      if (t < FRAMES) {
        sinew_expect_ok(sinew_state_link_pose(b->state, b->tasks[t].link, &pose));
      } else {
        find_center(b, pose.position);
      }
      memcpy(target->position, pose.position, sizeof pose.position);
      memcpy(target->rotation, pose.rotation, sizeof pose.rotation);
    }
  }
  memcpy(b->start, q, sizeof q);
}

// Limits that leave some joints almost no room, whichever way the targets ask them to move.
static void bind(const body *b, sinew_solver *solver) {
  double lower[MOST_VALUES], upper[MOST_VALUES];
  const int nv = sinew_model_nv(b->model);
  memcpy(lower, sinew_model_lower(b->model), (size_t)nv * sizeof lower[0]);
  memcpy(upper, sinew_model_upper(b->model), (size_t)nv * sizeof upper[0]);
  for (int k = 0; k < BOUND; ++k) {
    const int v = 6 + k * (nv - 6) / BOUND;
    lower[v] = b->start[v + 1] - 1e-3; // q has one value more than v from the base on
    upper[v] = b->start[v + 1] + 1e-3;
  }
  sinew_expect_ok(sinew_solver_set_limits(solver, lower, upper));
}

// The right hand's target in the frame of the left hand.
static void relate_hands(body *b) {
  b->tasks[3].frame_link = b->tasks[2].link;
  for (int i = 0; i < UPDATES; ++i) {
    sinew_target *left = &b->targets[i][2], *right = &b->targets[i][3];
    sinew_pose frame = sinew_pose_identity(), pose = frame, back;
    memcpy(frame.position, left->position, sizeof frame.position);
    memcpy(frame.rotation, left->rotation, sizeof frame.rotation);
    memcpy(pose.position, right->position, sizeof pose.position);
    memcpy(pose.rotation, right->rotation, sizeof pose.rotation);
    sinew_pose_invert(&frame, &back);
    sinew_pose_multiply(&back, &pose, &frame);
    memcpy(right->position, frame.position, sizeof right->position);
    memcpy(right->rotation, frame.rotation, sizeof right->rotation);
  }
}

// Feet, hands on one box, torso and centre of mass, without a posture: one figure and a crowd.
static void bench_g1_box(bench_print *print) {
  body b = {.count = 0};
  if (!open_g1(&b)) {
    return;
  }
  find_targets(&b);
  relate_hands(&b);
  sinew_solver *solver = solver_of(&b, NULL);
  measure(&b, "update/g1/box", solver, print);
  sinew_solver_destroy(solver);
  bench_crowd(&b, "crowd/g1/box", print);
  release(&b);
}

static void bench_g1(bench_print *print) {
  body b = {.count = 0};
  if (!open_g1(&b)) {
    return;
  }
  find_targets(&b);
  sinew_objective posture = sinew_default_objective();
  double middle[MOST_VALUES];
  sinew_configuration_middle(b.model, middle);
  posture.posture = middle;
  sinew_solver *solver = solver_of(&b, &posture);
  measure(&b, "update/g1/tasks", solver, print);
  bind(&b, solver);
  measure(&b, "update/g1/tasks/bounds", solver, print);
  sinew_solver_destroy(solver);
  for (int t = 2; t < FRAMES; ++t) { // hands and torso below feet and centre of mass
    b.tasks[t].level = 1;
  }
  posture.level = 2;
  solver = solver_of(&b, &posture);
  measure(&b, "update/g1/priorities", solver, print);
  sinew_solver_destroy(solver);
  for (int t = 2; t < FRAMES; ++t) {
    b.tasks[t].level = 0;
  }
  for (int i = 0; i < UPDATES; ++i) {
    b.targets[i][3].position[0] += 1.0; // the right hand's
  }
  posture.level = 1;
  solver = solver_of(&b, &posture);
  measure(&b, "update/g1/tasks/far", solver, print);
  sinew_solver_destroy(solver);
  release(&b);
}

// The centre of mass above a square, hard, about where it is at first.
static int stand(body *b, double half) {
  double center[3], contacts[12];
  sinew_support_def support = sinew_default_support_def();
  sinew_target targets[4];
  int edges = 0;
  sinew_expect_ok(sinew_state_forward(b->state, b->start));
  find_center(b, center);
  for (int i = 0; i < 4; ++i) {
    contacts[3 * i] = center[0] + ((i & 1) != 0 ? half : -half);
    contacts[3 * i + 1] = center[1] + ((i & 2) != 0 ? half : -half);
    contacts[3 * i + 2] = 0.0;
  }
  support.contacts = contacts;
  support.count = 4;
  support.task.hard = true;
  sinew_expect_ok(sinew_support_polygon(&support, b->tasks + b->count, targets, &edges, NULL));
  for (int i = 0; i < UPDATES; ++i) {
    memcpy(b->targets[i] + b->count, targets, (size_t)edges * sizeof targets[0]);
  }
  return edges;
}

// Feet that stand, the centre of mass above a square between them; below them the hands, which
// reach further than that allows, and a posture.
static void bench_g1_balance(bench_print *print) {
  body b = {.count = 0};
  if (!open_g1(&b)) {
    return;
  }
  find_targets(&b);
  b.count = 4;
  for (int i = UPDATES; i-- > 0;) {
    for (int t = 0; t < b.count; ++t) {
      b.targets[i][t] = b.targets[0][t];
      b.tasks[t].level = t < 2 ? 0 : 1;
    }
    for (int t = 2; t < b.count; ++t) {
      b.targets[i][t].position[0] += 0.3 * sin(2 * PI * i / UPDATES);
      b.targets[i][t].position[2] += 0.2 * sin(6 * PI * i / UPDATES);
    }
  }
  b.count += stand(&b, 0.03);
  double middle[MOST_VALUES];
  sinew_objective posture = sinew_default_objective();
  sinew_configuration_middle(b.model, middle);
  posture.posture = middle;
  posture.level = 2;
  sinew_solver *solver = solver_of(&b, &posture);
  measure(&b, "update/g1/balance", solver, print);
  sinew_solver_destroy(solver);
  release(&b);
}

void bench_bodies(int (*wanted)(const char *name), bench_print *print) {
  if (wanted("update/humanoid/cones") || wanted("crowd/humanoid/cones")) {
    bench_cones(print);
  }
  if (wanted("update/g1/tasks") || wanted("update/g1/tasks/bounds") ||
      wanted("update/g1/tasks/far") || wanted("update/g1/priorities")) {
    bench_g1(print);
  }
  if (wanted("update/g1/balance")) {
    bench_g1_balance(print);
  }
  if (wanted("update/g1/box") || wanted("crowd/g1/box")) {
    bench_g1_box(print);
  }
}
