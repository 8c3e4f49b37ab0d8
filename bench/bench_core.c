// Times and sizes of the core, one thread.
//
//   bench_core [--json] [--only TEXT] [--models DIR]
//
// A figure is the median of several runs, each with so many calls that it takes some milliseconds.
// Inputs change from call to call, so that branch prediction and caches cannot adapt to one. Times
// vary from run to run and machine to machine; sizes and counts do not.
#include "bench/common.h"
#include "bench/bodies.h"
#include "bench/closed.h"
#include "scenes/scenes.h"
#include "sinew/formats.h"
#include "sinew/reference.h"
#include "sinew/sinew.h"
#include "scenes/expect.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SINEW_MODELS_DIR
#define SINEW_MODELS_DIR "models"
#endif

#define RUNS 15
#define RUN_SECONDS 0.02

const char bench_program[] = "bench_core";

static struct {
  bool json;
  const char *only;
  const char *models;
} options = {.models = SINEW_MODELS_DIR};

// ------------------------------------------------------------------ printing

static void print_figure(const char *name, const char *unit, double value, double least,
                         double most) {
  if (options.json) {
    printf("{\"name\": \"%s\", \"%s\": %.6g, \"min\": %.6g, \"max\": %.6g}\n", name, unit, value,
           least, most);
  } else {
    printf("%-28s %12.1f %-6s %10.1f .. %.1f\n", name, value, unit, least, most);
  }
}

static bool wanted(const char *name) {
  return options.only == NULL || strstr(name, options.only) != NULL;
}

static int wants(const char *name) {
  return wanted(name);
}

// Of single calls: their mean, and the 99.9th percentile.
static void print_calls(const char *name, call_times times) {
  if (options.json) {
    printf("{\"name\": \"%s\", \"ns\": %.6g, \"p999\": %.6g, \"p999_to_median\": %.3g}\n", name,
           times.mean, times.most, times.most_to_median);
  } else {
    printf("%-28s %12.1f ns     99.9 %%: %.1f, %.2f of the median\n", name, times.mean, times.most,
           times.most_to_median);
  }
}

// Times work(context, i), i counting up, and prints nanoseconds for each of the rows of a call.
static void measure_rows(const char *name, int rows, void (*work)(void *context, int i),
                         void *context) {
  double ns[RUNS];
  int calls = 1, next = 0;
  if (!wanted(name)) {
    return;
  }
  for (double spent = 0.0; spent < 0.25 * RUN_SECONDS; calls *= 2) {
    const double begin = now();
    for (int i = 0; i < calls; ++i) {
      work(context, next++);
    }
    spent = now() - begin;
  }
  for (int run = 0; run < RUNS; ++run) {
    const double begin = now();
    for (int i = 0; i < calls; ++i) {
      work(context, next++);
    }
    ns[run] = 1e9 * (now() - begin) / calls / rows;
  }
  sort_ascending(ns, RUNS);
  print_figure(name, "ns", ns[RUNS / 2], ns[0], ns[RUNS - 1]);
}

static void measure(const char *name, void (*work)(void *context, int i), void *context) {
  measure_rows(name, 1, work, context);
}

// Times each of CALLS calls by itself, from the first on.
static void measure_calls(const char *name, void (*work)(void *context, int i), void *context) {
  enum { CALLS = 2000, WARM = 50 };
  static double least[CALLS];
  if (!wanted(name)) {
    return;
  }
  for (int run = 0; run < RUNS; ++run) {
    for (int i = -WARM; i < CALLS; ++i) {
      const double begin = now();
      work(context, WARM + i);
      const double spent = 1e9 * (now() - begin);
      if (i >= 0) {
        least[i] = run == 0 || spent < least[i] ? spent : least[i];
      }
    }
  }
  print_calls(name, summarize_calls(least, CALLS));
}

// ------------------------------------------------------------------- the arm

#define CONFIGURATIONS 256

typedef struct arm {
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  int tip, nq;
  double q[CONFIGURATIONS][8];
  sinew_target targets[CONFIGURATIONS];
  double current[8]; // the current configuration of the updates
  double J[6 * 8];
  double blocks[36 * 8], H[6 * 8 * 8];
  sinew_exponential factors[8];
  sinew_exponentials product;
  double sum; // of results, so that no call is removed
} arm;

// Allocation that counts.
static size_t allocated;

static void *count_allocate(void *context, size_t size) {
  (void)context;
  allocated += size;
  return malloc(size);
}

static void count_release(void *context, void *memory) {
  (void)context;
  free(memory);
}

static sinew_model *read_model(const char *file, const sinew_allocator *allocator) {
  char path[4096];
  sinew_document *document;
  sinew_model *model;
  sinew_error error;
  snprintf(path, sizeof path, "%s/%s", options.models, file);
  require(sinew_document_open(path, NULL, &document, &error), &error);
  sinew_model_def def = document->model;
  def.allocator = *allocator;
  require(sinew_model_create(&def, &model, &error), &error);
  sinew_document_destroy(document);
  return model;
}

// The link with the most joints above it.
static int deepest_link(const sinew_model *model) {
  int deepest = 0, most = -1;
  for (int link = 0; link < sinew_model_link_count(model); ++link) {
    int depth = 0;
    sinew_joint joint;
    for (int l = link; sinew_model_link_joint(model, l) >= 0; l = joint.parent) {
      sinew_expect_ok(sinew_model_joint(model, sinew_model_link_joint(model, l), &joint));
      ++depth;
    }
    if (depth > most) {
      most = depth;
      deepest = link;
    }
  }
  return deepest;
}

static void arm_create(arm *a) {
  const sinew_allocator counting = {count_allocate, count_release, NULL};
  sinew_error error;
  allocated = 0;
  a->model = read_model("arm7.urdf", &counting);
  a->tip = deepest_link(a->model);
  a->nq = sinew_model_nq(a->model);
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = 1;
  def.step.method = SINEW_METHOD_DLS;
  def.allocator = counting;
  require(sinew_state_create(a->model, &counting, &a->state, &error), &error);
  require(sinew_solver_create(&def, a->model, &a->solver, &error), &error);
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = a->tip;
  require(sinew_solver_set_tasks(a->solver, &task, 1, &error), &error);
  for (int i = 0; i < CONFIGURATIONS; ++i) {
    sinew_pose pose;
    sinew_configuration_random(a->model, 1, (uint64_t)i, a->q[i]);
    sinew_expect_ok(sinew_state_forward(a->state, a->q[i]));
    sinew_expect_ok(sinew_state_link_pose(a->state, a->tip, &pose));
    a->targets[i] = sinew_default_target();
    memcpy(a->targets[i].position, pose.position, sizeof pose.position);
    memcpy(a->targets[i].rotation, pose.rotation, sizeof pose.rotation);
  }
}

static void arm_destroy(arm *a) {
  sinew_solver_destroy(a->solver);
  sinew_state_destroy(a->state);
  sinew_model_destroy(a->model);
}

static void forward(void *context, int i) {
  arm *a = context;
  sinew_expect_ok(sinew_state_forward(a->state, a->q[i % CONFIGURATIONS]));
}

static void kinematics(void *context, int i) {
  arm *a = context;
  sinew_expect_ok(sinew_state_forward(a->state, a->q[i % CONFIGURATIONS]));
  sinew_expect_ok(sinew_state_jacobian(a->state, a->tip, NULL, sinew_model_root(a->model), a->J));
  a->sum += a->J[3];
}

// ------------------------------------------- the Jacobian by each construction

// From joint values to pose and Jacobian: columns by cross products, world axes.
static void jacobian_world(void *context, int i) {
  arm *a = context;
  sinew_pose pose;
  sinew_expect_ok(sinew_state_forward(a->state, a->q[i % CONFIGURATIONS]));
  sinew_expect_ok(sinew_state_jacobian(a->state, a->tip, NULL, sinew_model_root(a->model), a->J));
  sinew_expect_ok(sinew_state_link_pose(a->state, a->tip, &pose));
  a->sum += a->J[3] + pose.position[0];
}

// The same in body axes, by one pass towards the root.
static void jacobian_body(void *context, int i) {
  arm *a = context;
  sinew_pose pose;
  sinew_expect_ok(
      sinew_state_jacobian_body(a->state, a->q[i % CONFIGURATIONS], a->tip, NULL, a->J, &pose));
  a->sum += a->J[3] + pose.position[0];
}

static void jacobian_exponentials(void *context, int i) {
  arm *a = context;
  sinew_expect_ok(sinew_exponentials_jacobian_body(&a->product, a->q[i % CONFIGURATIONS], a->J));
  a->sum += a->J[3];
}

static void jacobian_blocks(void *context, int i) {
  arm *a = context;
  const int root = sinew_model_root(a->model);
  sinew_expect_ok(sinew_state_forward(a->state, a->q[i % CONFIGURATIONS]));
  sinew_expect_ok(sinew_state_jacobian_blocks(a->state, a->tip, NULL, root, a->blocks));
  sinew_model_trim_blocks(a->model, NULL, a->blocks, a->J);
  a->sum += a->J[3];
}

static void jacobian_adjusted(void *context, int i) {
  arm *a = context;
  const int root = sinew_model_root(a->model);
  sinew_expect_ok(sinew_state_forward(a->state, a->q[i % CONFIGURATIONS]));
  sinew_expect_ok(sinew_state_jacobian_adjusted(a->state, a->tip, NULL, root, a->J));
  a->sum += a->J[3];
}

static void jacobian_differences(void *context, int i) {
  arm *a = context;
  sinew_expect_ok(sinew_state_jacobian_differences(a->state, a->q[i % CONFIGURATIONS], a->tip, NULL,
                                                   SINEW_DIFFERENCE_CENTRAL, 6e-6, a->J));
  a->sum += a->J[3];
}

static void jacobian_derivative(void *context, int i) {
  arm *a = context;
  sinew_expect_ok(
      sinew_state_jacobian_derivative(a->state, a->tip, NULL, a->q[i % CONFIGURATIONS], a->J));
  a->sum += a->J[3];
}

static void jacobian_hessian(void *context, int i) {
  arm *a = context;
  (void)i;
  sinew_expect_ok(sinew_state_hessian(a->state, a->tip, NULL, a->H));
  a->sum += a->H[3];
}

static void bench_jacobians(arm *a) {
  a->product.factors = a->factors;
  sinew_expect_ok(sinew_model_exponentials(a->model, a->tip, NULL, &a->product));
  measure("jacobian/arm7/world", jacobian_world, a);
  measure("jacobian/arm7/body", jacobian_body, a);
  measure("jacobian/arm7/exponentials", jacobian_exponentials, a);
  measure("jacobian/arm7/blocks", jacobian_blocks, a);
  measure("jacobian/arm7/adjusted", jacobian_adjusted, a);
  measure("jacobian/arm7/differences", jacobian_differences, a);
  measure("jacobian/arm7/derivative", jacobian_derivative, a); // after forward kinematics
  measure("jacobian/arm7/hessian", jacobian_hessian, a);       // also after forward kinematics
}

// As in a solve: ten updates from a random configuration towards the pose of another, the first of
// which meet limits in every step.
static void update(void *context, int i) {
  arm *a = context;
  const int problem = i / 10 % CONFIGURATIONS;
  if (i % 10 == 0) {
    memcpy(a->current, a->q[problem], sizeof a->current);
  }
  sinew_expect_ok(sinew_solver_update(a->solver, &a->targets[(problem + 1) % CONFIGURATIONS], 1,
                                      a->current, NULL));
}

// A solve by the search or by the local solver.
typedef sinew_result solve_call(sinew_solver *solver, const sinew_target *targets, int count,
                                double *q, sinew_report *report);

static void solve(arm *a, solve_call *call, int i) {
  double q[8];
  memcpy(q, a->q[i % CONFIGURATIONS], sizeof q);
  sinew_expect_ok(call(a->solver, &a->targets[(i + 1) % CONFIGURATIONS], 1, q, NULL));
  a->sum += q[0];
}

// From a seed some hundredths of a radian away.
static void solve_near(arm *a, solve_call *call, int i) {
  double q[8];
  for (int j = 0; j < a->nq; ++j) {
    q[j] =
        a->q[i % CONFIGURATIONS][j] + 0.1 * (sinew_random_uniform(2, (uint64_t)(8 * i + j)) - 0.5);
  }
  sinew_expect_ok(call(a->solver, &a->targets[i % CONFIGURATIONS], 1, q, NULL));
  a->sum += q[0];
}

static void search_random(void *context, int i) {
  solve(context, sinew_solver_solve, i);
}

static void search_near(void *context, int i) {
  solve_near(context, sinew_solver_solve, i);
}

static void local_random(void *context, int i) {
  solve(context, sinew_solver_solve_local, i);
}

static void local_near(void *context, int i) {
  solve_near(context, sinew_solver_solve_local, i);
}

static void bench_arm(void) {
  static arm a;
  arm_create(&a);
  const double bytes = (double)allocated;
  measure("forward/arm7", forward, &a);
  measure("kinematics/arm7", kinematics, &a);
  bench_jacobians(&a);
  measure("update/arm7/dls", update, &a);
  measure("solve/arm7/random", search_random, &a);
  measure("solve/arm7/near", search_near, &a);
  measure("local/arm7/random", local_random, &a);
  measure("local/arm7/near", local_near, &a);
  if (wanted("memory/arm7")) {
    print_figure("memory/arm7", "bytes", bytes, bytes, bytes);
  }
  arm_destroy(&a);
}

// ------------------------------------------------------------ lower levels

// The arm of arm7.urdf, whose flange has a pose on a closed path; below it a link's direction and a
// posture.
typedef struct company {
  sinew_model *model;
  sinew_state *state;
  sinew_solver *alone, *posture, *soft;
  double q[3][8];
  sinew_target path[CONFIGURATIONS];
  sinew_target random[CONFIGURATIONS][2];
} company;

static sinew_solver *company_solver(const company *c, const sinew_task *tasks, int count,
                                    bool posture) {
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver;
  sinew_error error;
  def.lower.levels = def.lower.objectives = 1;
  sinew_objective objective = sinew_default_objective();
  double middle[8];
  sinew_configuration_middle(c->model, middle);
  objective.posture = middle;
  require(sinew_solver_create(&def, c->model, &solver, &error), &error);
  require(sinew_solver_set_tasks(solver, tasks, count, &error), &error);
  require(sinew_solver_set_objectives(solver, &objective, posture ? 1 : 0, &error), &error);
  return solver;
}

static sinew_target company_target(const company *c, int link, const double *q) {
  sinew_target target = sinew_default_target();
  sinew_pose pose;
  sinew_expect_ok(sinew_state_forward(c->state, q));
  sinew_expect_ok(sinew_state_link_pose(c->state, link, &pose));
  memcpy(target.position, pose.position, sizeof target.position);
  memcpy(target.rotation, pose.rotation, sizeof target.rotation);
  return target;
}

static void company_create(company *c) {
  const sinew_allocator none = {0};
  sinew_task tasks[2] = {sinew_default_task(), sinew_default_task()};
  sinew_error error;
  c->model = read_model("arm7.urdf", &none);
  require(sinew_state_create(c->model, NULL, &c->state, &error), &error);
  tasks[0].kind = SINEW_TASK_POSE;
  tasks[0].link = deepest_link(c->model);
  tasks[1].kind = SINEW_TASK_DIRECTION;
  tasks[1].link = tasks[0].link - 3;
  tasks[1].level = 1;
  c->alone = company_solver(c, tasks, 1, false);
  c->posture = company_solver(c, tasks, 1, true);
  c->soft = company_solver(c, tasks, 2, true);
  const int nq = sinew_model_nq(c->model);
  for (int i = 0; i < CONFIGURATIONS; ++i) {
    double q[8];
    sinew_configuration_middle(c->model, q);
    for (int j = 0; j < nq; ++j) {
      q[j] += 0.3 * sin(6.283185307179586 * i / CONFIGURATIONS * (1 + j % 3) + j);
      c->q[0][j] = c->q[1][j] = i == 0 ? q[j] : c->q[0][j];
    }
    c->path[i] = company_target(c, tasks[0].link, q);
    sinew_configuration_random(c->model, 7, (uint64_t)i, q);
    c->random[i][0] = company_target(c, tasks[0].link, q);
    c->random[i][1] = sinew_default_target();
    for (int k = 0; k < 3; ++k) {
      c->random[i][1].direction[k] = sinew_random_uniform(8, (uint64_t)(3 * i + k)) - 0.5;
    }
  }
}

static void company_alone(void *context, int i) {
  company *c = context;
  sinew_expect_ok(sinew_solver_update(c->alone, &c->path[i % CONFIGURATIONS], 1, c->q[0], NULL));
}

static void company_posture(void *context, int i) {
  company *c = context;
  sinew_expect_ok(sinew_solver_update(c->posture, &c->path[i % CONFIGURATIONS], 1, c->q[1], NULL));
}

static void company_soft(void *context, int i) {
  company *c = context;
  sinew_configuration_random(c->model, 9, (uint64_t)(i % CONFIGURATIONS), c->q[2]);
  sinew_expect_ok(sinew_solver_solve(c->soft, c->random[i % CONFIGURATIONS], 2, c->q[2], NULL));
}

static void bench_levels(void) {
  static company c;
  if (!wanted("update/panda") && !wanted("update/panda/posture") && !wanted("solve/panda/soft")) {
    return;
  }
  company_create(&c);
  measure("update/panda", company_alone, &c);
  measure_calls("update/panda/posture", company_posture, &c);
  measure("solve/panda/soft", company_soft, &c);
  sinew_solver_destroy(c.alone);
  sinew_solver_destroy(c.posture);
  sinew_solver_destroy(c.soft);
  sinew_state_destroy(c.state);
  sinew_model_destroy(c.model);
}

// ---------------------------------------------------------- following targets

// Steps of a scene, forward and back, so that targets never jump.
#define STEPS 512

typedef struct follower {
  sinew_scene *scene;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  double *q;
  sinew_target *targets;
} follower;

static void follower_create(follower *f, const char *name) {
  sinew_error error;
  *f = (follower){.scene = sinew_scene_create(name)};
  if (f->scene == NULL || sinew_model_create(&f->scene->model, &f->model, &error) != SINEW_OK ||
      sinew_state_create(f->model, NULL, &f->state, &error) != SINEW_OK) {
    fprintf(stderr, "bench_core: no scene %s\n", name);
    exit(2);
  }
  const size_t count = (size_t)f->scene->task_count;
  f->q = calloc((size_t)sinew_model_nq(f->model), sizeof *f->q);
  f->targets = calloc(STEPS * count, sizeof *f->targets);
  if (f->q == NULL || f->targets == NULL) {
    exit(2);
  }
  for (int i = 0; i < STEPS; ++i) {
    sinew_scene_targets(f->scene, f->state, (i + 1) * f->scene->time_step,
                        f->targets + (size_t)i * count);
  }
}

static void follower_destroy(follower *f) {
  free(f->targets);
  free(f->q);
  sinew_state_destroy(f->state);
  sinew_model_destroy(f->model);
  sinew_scene_destroy(f->scene);
}

static void follow(void *context, int i) {
  const follower *f = context;
  const int there = i % (2 * STEPS), step = there < STEPS ? there : 2 * STEPS - 1 - there;
  const int count = f->scene->task_count;
  sinew_expect_ok(
      sinew_solver_update(f->solver, f->targets + (size_t)step * (size_t)count, count, f->q, NULL));
}

// A method as in the experiments: its max_turn [degrees], Buss's constant damping and his clamp of
// the error, where it has them [m].
typedef struct follow_method {
  const char *variant; // of the method, after its name
  sinew_method method;
  double max_turn, damping, error_clamp;
} follow_method;

static void bench_follow(const char *figure, const char *scene, const follow_method *method) {
  char name[64];
  follower f;
  sinew_error error;
  snprintf(name, sizeof name, "%s/%s%s", figure, sinew_method_info_of((int)method->method)->name,
           method->variant);
  if (!wanted(name)) {
    return;
  }
  follower_create(&f, scene);
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = f.scene->task_count;
  def.step.method = method->method;
  if (method->max_turn > 0.0) {
    def.step.max_turn = method->max_turn * 3.14159265358979323846 / 180.0;
  }
  if (method->damping > 0.0) {
    def.step.damping = method->damping;
    def.step.error_damping = 0.0;
  }
  if (method->error_clamp > 0.0) {
    def.step.error_clamp = method->error_clamp;
  }
  require(sinew_solver_create(&def, f.model, &f.solver, &error), &error);
  require(sinew_solver_set_tasks(f.solver, f.scene->tasks, f.scene->task_count, &error), &error);
  sinew_configuration_start(f.model, f.q);
  measure(name, follow, &f);
  sinew_solver_destroy(f.solver);
  follower_destroy(&f);
}

static void bench_followers(void) {
  static const follow_method y[] = {
      {"", SINEW_METHOD_TRANSPOSE, 30.0, 0.0, 0.0}, {"", SINEW_METHOD_PSEUDOINVERSE, 5.0, 0.0, 0.0},
      {"", SINEW_METHOD_DLS, 45.0, 0.6, 0.0},       {"-clamped", SINEW_METHOD_DLS, 45.0, 0.4, 0.4},
      {"", SINEW_METHOD_SDLS, 45.0, 0.0, 0.4},      {"", SINEW_METHOD_NEWTON, 0.0, 0.0, 0.0},
      {"", SINEW_METHOD_DEFAULT, 0.0, 0.0, 0.0}};
  static const follow_method chain[] = {{"", SINEW_METHOD_DLS, 0.0, 0.0, 0.0},
                                        {"", SINEW_METHOD_DEFAULT, 0.0, 0.0, 0.0}};
  for (size_t m = 0; m < sizeof y / sizeof y[0]; ++m) {
    bench_follow("update/y", "y", &y[m]);
  }
  for (size_t m = 0; m < sizeof y / sizeof y[0]; ++m) {
    follow_method wider = y[m]; // a figure twice as large as the Y
    wider.damping = wider.damping == 0.6 ? 1.1 : wider.damping == 0.4 ? 0.7 : 0.0;
    bench_follow("update/double-y-25", "double-y-25", &wider);
  }
  static const int balls[] = {10, 30, 100, 300, 1000};
  for (int i = 0; i < 5; ++i) {
    char scene[32], figure[32];
    snprintf(scene, sizeof scene, "chain-%d", balls[i]);
    snprintf(figure, sizeof figure, "chain/%d", balls[i]);
    for (int m = 0; m < 2; ++m) {
      bench_follow(figure, scene, &chain[m]);
    }
  }
}

// ------------------------------------------------------- motion capture, slow frames

#define WALK_EVERY 5 // of 120 frames a second: 24
#define WALK_EFFECTORS 5

typedef struct walk {
  sinew_document *document;
  sinew_model *model;
  sinew_solver *solver;
  sinew_task tasks[WALK_EFFECTORS];
  int frames;
  double *q;
  sinew_target *targets; // frames x WALK_EFFECTORS
} walk;

static void walk_targets(walk *w) {
  sinew_state *state = NULL;
  sinew_error error;
  require(sinew_state_create(w->model, NULL, &state, &error), &error);
  for (int i = 0; i < w->frames * WALK_EFFECTORS; ++i) {
    const int frame = i / WALK_EFFECTORS * WALK_EVERY;
    sinew_pose pose;
    sinew_expect_ok(sinew_state_forward(state, w->document->motion.q +
                                                   (size_t)frame * (size_t)w->document->motion.nq));
    sinew_expect_ok(sinew_state_link_pose(state, w->tasks[i % WALK_EFFECTORS].link, &pose));
    w->targets[i] = sinew_default_target();
    memcpy(w->targets[i].position, pose.position, sizeof pose.position);
    memcpy(w->targets[i].rotation, pose.rotation, sizeof pose.rotation);
  }
  sinew_state_destroy(state);
}

static void walk_create(walk *w, sinew_task_kind kind) {
  static const char *const effectors[WALK_EFFECTORS] = {"LeftHand", "RightHand", "LeftFoot",
                                                        "RightFoot", "Head"};
  char path[1024];
  sinew_error error;
  snprintf(path, sizeof path, "%s/walk.bvh", options.models);
  require(sinew_document_open(path, NULL, &w->document, &error), &error);
  require(sinew_model_create(&w->document->model, &w->model, &error), &error);
  for (int i = 0; i < WALK_EFFECTORS; ++i) {
    w->tasks[i] = sinew_default_task();
    w->tasks[i].kind = kind;
    w->tasks[i].link = sinew_model_find_link(w->model, effectors[i]);
  }
  const size_t nq = (size_t)w->document->motion.nq;
  w->frames = w->document->motion.frame_count / WALK_EVERY;
  w->q = calloc(nq, sizeof *w->q);
  w->targets = calloc((size_t)w->frames * WALK_EFFECTORS, sizeof *w->targets);
  if (w->q == NULL || w->targets == NULL) {
    exit(2);
  }
  memcpy(w->q, w->document->motion.q, nq * sizeof *w->q);
  walk_targets(w);
  const sinew_solver_def def = sinew_default_solver_def();
  require(sinew_solver_create(&def, w->model, &w->solver, &error), &error);
  require(sinew_solver_set_tasks(w->solver, w->tasks, WALK_EFFECTORS, &error), &error);
}

// Forward and back, so that the targets do not jump.
static void walk_update(void *context, int i) {
  const walk *w = context;
  const int there = i % (2 * w->frames),
            frame = there < w->frames ? there : 2 * w->frames - 1 - there;
  sinew_expect_ok(sinew_solver_update(w->solver, w->targets + (size_t)(frame * WALK_EFFECTORS),
                                      WALK_EFFECTORS, w->q, NULL));
}

// A frame of a walk at 24 frames a second.
static void bench_walk(const char *name, sinew_task_kind kind) {
  walk w = {0};
  if (!wanted(name)) {
    return;
  }
  walk_create(&w, kind);
  measure(name, walk_update, &w);
  sinew_solver_destroy(w.solver);
  free(w.targets);
  free(w.q);
  sinew_model_destroy(w.model);
  sinew_document_destroy(w.document);
}

// -------------------------------------------------------------- a large tree

#define TREE_JOINTS 10000

typedef struct tree {
  sinew_link_def links[TREE_JOINTS + 1];
  sinew_joint_def joints[TREE_JOINTS];
  char names[TREE_JOINTS + 1][16];
  sinew_model_def def;
} tree;

// Each joint's parent is a random earlier link.
static void tree_fill(tree *t) {
  for (int i = 0; i <= TREE_JOINTS; ++i) {
    snprintf(t->names[i], sizeof t->names[i], "part%d", i);
    t->links[i] = sinew_default_link_def();
    t->links[i].name = t->names[i];
  }
  for (int j = 0; j < TREE_JOINTS; ++j) {
    sinew_joint_def joint = sinew_default_joint_def();
    joint.name = t->names[j + 1];
    joint.kind = SINEW_JOINT_REVOLUTE;
    joint.parent = (int)(sinew_random_bits(3, (uint64_t)j) % (uint64_t)(j + 1));
    joint.child = j + 1;
    joint.placement.position[2] = 0.1;
    joint.axis[1] = sinew_random_uniform(4, (uint64_t)j);
    t->joints[j] = joint;
  }
  t->def = sinew_default_model_def();
  t->def.links = t->links;
  t->def.link_count = TREE_JOINTS + 1;
  t->def.joints = t->joints;
  t->def.joint_count = TREE_JOINTS;
}

static void tree_build(void *context, int i) {
  const tree *t = context;
  sinew_model *model;
  sinew_error error;
  (void)i;
  require(sinew_model_create(&t->def, &model, &error), &error);
  sinew_model_destroy(model);
}

static void bench_tree(void) {
  static tree t;
  tree_fill(&t);
  measure("model/tree10000", tree_build, &t);
}

// ----------------------------------------------------------------------- main

static const char usage[] =
    "usage: bench_core [--json] [--only TEXT] [--models DIR]\n"
    "Times and sizes of the core: medians, then the smallest and largest of the runs.\n"
    "  --json         one object a line\n"
    "  --only TEXT    figures whose name contains TEXT\n"
    "  --models DIR   where arm7.urdf is (default " SINEW_MODELS_DIR ")\n";

// ------------------------------------------------------------ solves of a tree

// The joint values of a scene's motion, and seeds near them.
#define NEAR_SEEDS 64
#define NEAR 0.2 // [rad] on either side

typedef struct near_solves {
  follower f;
  double *seeds; // NEAR_SEEDS x nq
} near_solves;

static void near_solves_create(near_solves *n, const char *name) {
  sinew_error error;
  follower_create(&n->f, name);
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = n->f.scene->task_count;
  require(sinew_solver_create(&def, n->f.model, &n->f.solver, &error), &error);
  require(sinew_solver_set_tasks(n->f.solver, n->f.scene->tasks, n->f.scene->task_count, &error),
          &error);
  const int nq = sinew_model_nq(n->f.model), nv = sinew_model_nv(n->f.model);
  const size_t count = (size_t)n->f.scene->task_count;
  double *v = calloc((size_t)nv, sizeof *v);
  n->seeds = calloc(NEAR_SEEDS * (size_t)nq, sizeof *n->seeds);
  if (v == NULL || n->seeds == NULL) {
    exit(2);
  }
  for (int i = 0; i < NEAR_SEEDS; ++i) {
    sinew_scene_motion(n->f.scene, n->f.model, 0.5 * i, n->f.q);
    sinew_expect_ok(sinew_state_forward(n->f.state, n->f.q));
    for (size_t t = 0; t < count; ++t) {
      sinew_target *target = &n->f.targets[(size_t)i * count + t];
      sinew_pose pose;
      sinew_expect_ok(sinew_state_link_pose(n->f.state, n->f.scene->tasks[t].link, &pose));
      *target = sinew_default_target();
      memcpy(target->position, pose.position, sizeof pose.position);
      memcpy(target->rotation, pose.rotation, sizeof pose.rotation);
    }
    for (int j = 0; j < nv; ++j) {
      v[j] = 2.0 * NEAR * (sinew_random_uniform(3, (uint64_t)(i * nv + j)) - 0.5);
    }
    sinew_configuration_integrate(n->f.model, n->f.q, v, n->seeds + (size_t)i * (size_t)nq);
  }
  free(v);
}

static void near_solve(const near_solves *n, solve_call *call, int i) {
  const size_t nq = (size_t)sinew_model_nq(n->f.model), k = (size_t)(i % NEAR_SEEDS);
  const int count = n->f.scene->task_count;
  memcpy(n->f.q, n->seeds + k * nq, nq * sizeof(double));
  sinew_expect_ok(call(n->f.solver, n->f.targets + k * (size_t)count, count, n->f.q, NULL));
}

static void near_search(void *context, int i) {
  near_solve(context, sinew_solver_solve, i);
}

static void near_local(void *context, int i) {
  near_solve(context, sinew_solver_solve_local, i);
}

static void bench_near_solves(void) {
  near_solves n;
  near_solves_create(&n, "humanoid");
  measure("solve/humanoid/near", near_search, &n);
  measure("local/humanoid/near", near_local, &n);
  free(n.seeds);
  sinew_solver_destroy(n.f.solver);
  follower_destroy(&n.f);
}

// ------------------------------------------------------------- closed forms

#define LIMBS 256
#define ROLL_BONES 3
#define SPINE_BONES 5
#define LEGS 2

// In double, and the same in float.
typedef struct closed_forms {
  sinew_limb limb;
  sinew_aim aim;
  sinew_twist twist;
  sinew_spine spine;
  sinew_plant plant;
  double targets[LIMBS][3], poles[LIMBS][3], ups[LIMBS][3];
  double joints[LIMBS][4], curves[LIMBS][12], contacts[LIMBS][LEGS * 3];
  double upper[LIMBS][4], lower[LIMBS][4], bones[LIMBS][SPINE_BONES * 4], heights[LIMBS];
  float targets_f[LIMBS][3], poles_f[LIMBS][3], ups_f[LIMBS][3];
  float joints_f[LIMBS][4], curves_f[LIMBS][12], contacts_f[LIMBS][LEGS * 3];
  float upper_f[LIMBS][4], lower_f[LIMBS][4], bones_f[LIMBS][SPINE_BONES * 4], heights_f[LIMBS];
} closed_forms;

static void one_limb(void *context, int i) {
  closed_forms *c = context;
  const int k = i % LIMBS;
  sinew_limb_goal goal = {.pole = c->poles[k]};
  sinew_limb_pose pose;
  memcpy(goal.target, c->targets[k], sizeof goal.target);
  sinew_expect_ok(sinew_limb_solve(&c->limb, &goal, NULL, &pose));
  memcpy(c->upper[k], pose.upper, sizeof pose.upper);
  memcpy(c->lower[k], pose.lower, sizeof pose.lower);
}

static void many_limbs(void *context, int i) {
  closed_forms *c = context;
  const sinew_limb_arrays arrays = {
      .targets = c->targets[0], .poles = c->poles[0], .upper = c->upper[0], .lower = c->lower[0]};
  (void)i;
  sinew_expect_ok(sinew_limbs_solve(&c->limb, LIMBS, &arrays));
}

static void one_aim(void *context, int i) {
  closed_forms *c = context;
  const int k = i % LIMBS;
  sinew_expect_ok(sinew_aim_solve(&c->aim, c->targets[k], c->ups[k], c->upper[k], NULL));
}

static void many_aims(void *context, int i) {
  closed_forms *c = context;
  const sinew_aim_arrays arrays = {
      .targets = c->targets[0], .ups = c->ups[0], .rotations = c->upper[0]};
  (void)i;
  sinew_expect_ok(sinew_aims_solve(&c->aim, LIMBS, &arrays));
}

static void one_twist(void *context, int i) {
  closed_forms *c = context;
  const int k = i % LIMBS;
  sinew_expect_ok(sinew_twist_solve(&c->twist, c->joints[k], NULL, c->bones[k], c->upper[k]));
}

static void many_twists(void *context, int i) {
  closed_forms *c = context;
  const sinew_twist_arrays arrays = {
      .joints = c->joints[0], .rotations = c->bones[0], .swings = c->upper[0]};
  (void)i;
  sinew_expect_ok(sinew_twists_solve(&c->twist, LIMBS, &arrays));
}

static void one_spine(void *context, int i) {
  closed_forms *c = context;
  const int k = i % LIMBS;
  sinew_spine_pose pose;
  sinew_expect_ok(sinew_spine_solve(&c->spine, c->curves[k], c->joints[k], NULL, &pose));
  memcpy(c->bones[k], pose.rotations, sizeof c->bones[k]);
}

static void many_spines(void *context, int i) {
  closed_forms *c = context;
  const sinew_spine_arrays arrays = {
      .curves = c->curves[0], .ends = c->joints[0], .rotations = c->bones[0]};
  (void)i;
  sinew_expect_ok(sinew_spines_solve(&c->spine, LIMBS, &arrays));
}

static void one_plant(void *context, int i) {
  closed_forms *c = context;
  const int k = i % LIMBS;
  const sinew_plant_goal goal = {.contacts = c->contacts[k]};
  sinew_plant_pose pose;
  sinew_expect_ok(sinew_plant_solve(&c->plant, &goal, &pose));
  c->heights[k] = pose.height;
}

static void many_plants(void *context, int i) {
  closed_forms *c = context;
  const sinew_plant_arrays arrays = {
      .contacts = c->contacts[0], .heights = c->heights, .ankles = c->bones[0]};
  (void)i;
  sinew_expect_ok(sinew_plants_solve(&c->plant, LIMBS, &arrays));
}

static void many_limbs_float(void *context, int i) {
  closed_forms *c = context;
  const sinew_limb_arrays_float arrays = {.targets = c->targets_f[0],
                                          .poles = c->poles_f[0],
                                          .upper = c->upper_f[0],
                                          .lower = c->lower_f[0]};
  (void)i;
  sinew_expect_ok(sinew_limbs_solve_float(&c->limb, LIMBS, &arrays));
}

static void many_aims_float(void *context, int i) {
  closed_forms *c = context;
  const sinew_aim_arrays_float arrays = {
      .targets = c->targets_f[0], .ups = c->ups_f[0], .rotations = c->upper_f[0]};
  (void)i;
  sinew_expect_ok(sinew_aims_solve_float(&c->aim, LIMBS, &arrays));
}

static void many_twists_float(void *context, int i) {
  closed_forms *c = context;
  const sinew_twist_arrays_float arrays = {
      .joints = c->joints_f[0], .rotations = c->bones_f[0], .swings = c->upper_f[0]};
  (void)i;
  sinew_expect_ok(sinew_twists_solve_float(&c->twist, LIMBS, &arrays));
}

static void many_spines_float(void *context, int i) {
  closed_forms *c = context;
  const sinew_spine_arrays_float arrays = {
      .curves = c->curves_f[0], .ends = c->joints_f[0], .rotations = c->bones_f[0]};
  (void)i;
  sinew_expect_ok(sinew_spines_solve_float(&c->spine, LIMBS, &arrays));
}

static void many_plants_float(void *context, int i) {
  closed_forms *c = context;
  const sinew_plant_arrays_float arrays = {
      .contacts = c->contacts_f[0], .heights = c->heights_f, .ankles = c->bones_f[0]};
  (void)i;
  sinew_expect_ok(sinew_plants_solve_float(&c->plant, LIMBS, &arrays));
}

// size numbers of row i from middle - width / 2 to middle + width / 2, in double and in float.
static void fill_row(uint64_t stream, int i, int size, double middle, double width, double *row,
                     float *row_f) {
  for (int k = 0; k < size; ++k) {
    const double share = sinew_random_uniform(stream, (uint64_t)(size * i + k));
    row[k] = middle + width * (share - 0.5);
    row_f[k] = (float)row[k];
  }
}

static void fill_closed_forms(closed_forms *c) {
  for (int i = 0; i < LIMBS; ++i) { // in reach, in the soft zone and out of reach
    fill_row(5, i, 3, 0.0, 3.0, c->targets[i], c->targets_f[i]);
    fill_row(6, i, 3, 0.0, 4.0, c->poles[i], c->poles_f[i]);
    fill_row(7, i, 3, 0.0, 1.0, c->ups[i], c->ups_f[i]);
    fill_row(8, i, 4, 0.0, 2.0, c->joints[i], c->joints_f[i]);
    fill_row(9, i, 12, 0.0, 2.0, c->curves[i], c->curves_f[i]);
    fill_row(10, i, LEGS * 3, 0.0, 0.6, c->contacts[i], c->contacts_f[i]);
    for (int k = 0; k < 4; ++k) { // upwards; a curve may be shorter than the spine
      c->curves[i][3 * k + 2] += 1.5 * k;
      c->curves_f[i][3 * k + 2] = (float)c->curves[i][3 * k + 2];
    }
    for (int leg = 0; leg < LEGS; ++leg) {
      c->contacts[i][3 * leg + 2] -= 1.8;
      c->contacts_f[i][3 * leg + 2] = (float)c->contacts[i][3 * leg + 2];
    }
  }
}

// A limb with soft reach and a pole, a link with its eye off the joint and an up vector, a twist
// for three roll bones, a spine of five bones with its end's twist, and two legs on the ground.
static void bench_closed_forms(void) {
  static closed_forms c;
  sinew_error error;
  sinew_limb_def limb = sinew_default_limb_def();
  sinew_aim_def aim = sinew_default_aim_def();
  sinew_twist_def twist = sinew_default_twist_def();
  sinew_spine_def spine = sinew_default_spine_def();
  const sinew_plant_def plant = sinew_default_plant_def();
  limb.elbow[1] = 0.1;
  limb.bend = SINEW_LIMB_BEND_POLE;
  limb.soft = 0.05;
  aim.eye[0] = aim.eye[2] = 0.1;
  twist.bones = ROLL_BONES;
  spine.bones = SPINE_BONES;
  for (int i = 0; i < ROLL_BONES; ++i) {
    twist.shares[i] = 0.25 * (i + 1);
  }
  require(sinew_limb_init(&c.limb, &limb, &error), &error);
  require(sinew_aim_init(&c.aim, &aim, &error), &error);
  require(sinew_twist_init(&c.twist, &twist, &error), &error);
  require(sinew_spine_init(&c.spine, &spine, &error), &error);
  sinew_limb legs[LEGS] = {c.limb, c.limb};
  require(sinew_plant_init(&c.plant, &plant, legs, &error), &error);
  fill_closed_forms(&c);
  measure("limb", one_limb, &c);
  measure("aim", one_aim, &c);
  measure("twist", one_twist, &c);
  measure("spine", one_spine, &c);
  measure("plant", one_plant, &c);
  measure_rows("limb/lanes", LIMBS, many_limbs, &c);
  measure_rows("aim/lanes", LIMBS, many_aims, &c);
  measure_rows("twist/lanes", LIMBS, many_twists, &c);
  measure_rows("spine/lanes", LIMBS, many_spines, &c);
  measure_rows("plant/lanes", LIMBS, many_plants, &c);
  measure_rows("limb/float", LIMBS, many_limbs_float, &c);
  measure_rows("aim/float", LIMBS, many_aims_float, &c);
  measure_rows("twist/float", LIMBS, many_twists_float, &c);
  measure_rows("spine/float", LIMBS, many_spines_float, &c);
  measure_rows("plant/float", LIMBS, many_plants_float, &c);
}

// ------------------------------------------------- all solutions in closed form

#define ALL_SOLUTIONS 1024

typedef struct all_poses {
  sinew_model *model;
  sinew_solver *solver;
  sinew_global_def def;
  sinew_target targets[CONFIGURATIONS];
  double seed[8], swivel;
  double rows[ALL_SOLUTIONS * 8];
  long found;
} all_poses;

static void all_solutions(void *context, int i) {
  all_poses *c = context;
  int found;
  sinew_expect_ok(sinew_solver_solve_all(c->solver, &c->def, &c->targets[i % CONFIGURATIONS], 1,
                                         c->seed, ALL_SOLUTIONS, c->rows, &found, NULL));
  c->found += found;
}

// Poses of random configurations, which differ from the seed's in frozen joints only if none is.
static void bench_all(const char *name, sinew_model *model, int frozen, bool at_swivel) {
  static all_poses c;
  const int tip = deepest_link(model), nq = sinew_model_nq(model);
  const sinew_solver_def def = sinew_default_solver_def();
  sinew_task task = sinew_default_task();
  sinew_state *state;
  sinew_error error;
  unsigned char mask[8] = {0};
  double q[8];
  task.kind = SINEW_TASK_POSE;
  task.link = tip;
  c = (all_poses){.model = model, .def = sinew_default_global_def(), .swivel = 0.4};
  c.def.swivel = at_swivel ? &c.swivel : NULL;
  sinew_configuration_middle(model, c.seed);
  require(sinew_solver_create(&def, model, &c.solver, &error), &error);
  require(sinew_solver_set_tasks(c.solver, &task, 1, &error), &error);
  require(sinew_state_create(model, NULL, &state, &error), &error);
  if (frozen >= 0) {
    mask[frozen] = 1;
    sinew_expect_ok(sinew_solver_set_frozen(c.solver, mask));
  }
  for (int i = 0; i < CONFIGURATIONS; ++i) {
    sinew_pose pose;
    sinew_configuration_random(model, 9, (uint64_t)i, q);
    for (int k = 0; k < nq; ++k) {
      q[k] = k == frozen ? c.seed[k] : q[k];
    }
    sinew_expect_ok(sinew_state_forward(state, q));
    sinew_expect_ok(sinew_state_link_pose(state, tip, &pose));
    c.targets[i] = sinew_default_target();
    memcpy(c.targets[i].position, pose.position, sizeof pose.position);
    memcpy(c.targets[i].rotation, pose.rotation, sizeof pose.rotation);
  }
  measure(name, all_solutions, &c);
  sinew_state_destroy(state);
  sinew_solver_destroy(c.solver);
  sinew_model_destroy(model);
}

static void bench_all_solutions(void) {
  const sinew_allocator own = {NULL, NULL, NULL};
  bench_all("all/ur5", read_model("arm6.urdf", &own), -1, false);
  bench_all("all/6r", bench_wrist_arm(), -1, false);
  bench_all("all/jaco", bench_curved_arm(), -1, false);
  bench_all("all/7r", bench_spherical_arm(), -1, true);
  bench_all("all/panda-q7", read_model("arm7.urdf", &own), 6, false);
  bench_all("all/panda", read_model("arm7.urdf", &own), -1, false);
}

// -------------------------------------------------------------------- programs

// Quadratic programs like those of bench/python/qp.py; each has two g, of which the second
// differs by up to 2 %.
#define PROGRAMS 16
#define PROGRAM_ROWS 60
#define PROGRAM_N 35

typedef struct programs {
  int n, rows;
  double strength; // of g
  sinew_qp *program[PROGRAMS];
  double H[PROGRAMS][PROGRAM_N * PROGRAM_N], A[PROGRAMS][PROGRAM_ROWS * PROGRAM_N];
  double g[PROGRAMS][2][PROGRAM_N];
  double lower[PROGRAMS][PROGRAM_N + PROGRAM_ROWS], upper[PROGRAMS][PROGRAM_N + PROGRAM_ROWS];
} programs;

static double number(int problem, int *next) {
  return 2.0 * sinew_random_uniform(8, (uint64_t)problem * 65536 + (uint64_t)(*next)++) - 1.0;
}

static void make_program(programs *all, int i) {
  static double M[PROGRAM_N * PROGRAM_N];
  const int n = all->n, rows = all->rows;
  int next = 0;
  for (int k = 0; k < n * n; ++k) {
    M[k] = number(i, &next);
  }
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      double sum = a == b ? 0.1 : 0.0;
      for (int k = 0; k < n; ++k) {
        sum += 3.0 / n * M[k * n + a] * M[k * n + b];
      }
      all->H[i][a * n + b] = sum;
    }
  }
  for (int k = 0; k < rows * n; ++k) {
    all->A[i][k] = number(i, &next);
  }
  for (int k = 0; k < n + rows; ++k) {
    const double size = k < n ? 1.0 : 5.0;
    all->lower[i][k] = -size * (0.5 + 0.5 * number(i, &next));
    all->upper[i][k] = size * (0.5 + 0.5 * number(i, &next));
  }
  for (int k = 0; k < n; ++k) {
    all->g[i][0][k] = all->strength * number(i, &next);
    all->g[i][1][k] = all->g[i][0][k] * (1.0 + 0.02 * number(i, &next));
  }
  sinew_error error;
  require(sinew_qp_create(n, rows, NULL, &all->program[i], &error), &error);
  require(sinew_qp_set_matrices(all->program[i], all->H[i], all->A[i], &error), &error);
}

static void solve_program(programs *all, int i, int g) {
  const sinew_qp_vectors vectors = {.g = all->g[i][g],
                                    .lower = all->lower[i],
                                    .upper = all->upper[i],
                                    .row_lower = all->lower[i] + all->n,
                                    .row_upper = all->upper[i] + all->n};
  double x[PROGRAM_N];
  sinew_expect_ok(sinew_qp_solve(all->program[i], &vectors, x, NULL, NULL));
}

// With the factorization of H, from an empty list.
static void program_cold(void *context, int i) {
  programs *all = context;
  const int at = i % PROGRAMS;
  sinew_qp_reset(all->program[at]);
  sinew_expect_ok(sinew_qp_set_matrices(all->program[at], all->H[at], all->A[at], NULL));
  solve_program(all, at, 0);
}

// The other g, from the last list.
static void program_warm(void *context, int i) {
  solve_program(context, i % PROGRAMS, i / PROGRAMS % 2);
}

// The same with the factorization of H.
static void program_warm_matrices(void *context, int i) {
  programs *all = context;
  const int at = i % PROGRAMS;
  sinew_expect_ok(sinew_qp_set_matrices(all->program[at], all->H[at], all->A[at], NULL));
  solve_program(all, at, i / PROGRAMS % 2);
}

static void bench_programs(int n, int rows, double strength, const char *suffix) {
  static programs all;
  char name[64];
  all = (programs){.n = n, .rows = rows, .strength = strength};
  for (int i = 0; i < PROGRAMS; ++i) {
    make_program(&all, i);
  }
  snprintf(name, sizeof name, "qp/cold%s", suffix);
  measure_calls(name, program_cold, &all);
  snprintf(name, sizeof name, "qp/warm%s", suffix);
  measure_calls(name, program_warm, &all);
  snprintf(name, sizeof name, "qp/warm%s/matrices", suffix);
  measure(name, program_warm_matrices, &all);
  for (int i = 0; i < PROGRAMS; ++i) {
    sinew_qp_destroy(all.program[i]);
  }
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--json") == 0) {
      options.json = true;
    } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
      options.only = argv[++i];
    } else if (strcmp(argv[i], "--models") == 0 && i + 1 < argc) {
      options.models = argv[++i];
    } else {
      const bool help = strcmp(argv[i], "--help") == 0;
      fputs(usage, help ? stdout : stderr);
      return help ? 0 : 2;
    }
  }
  bench_arm();
  bench_levels();
  bench_bodies(wants, print_calls);
  bench_followers();
  bench_walk("update/walk/poses", SINEW_TASK_POSE);
  bench_walk("update/walk/positions", SINEW_TASK_POSITION);
  bench_near_solves();
  bench_closed_forms();
  bench_all_solutions();
  bench_programs(PROGRAM_N, PROGRAM_ROWS, 0.5, "");
  bench_programs(7, 0, 0.5, "/bounds");
  bench_tree();
  return 0;
}
