// Whole bodies that are led to fixed targets by sinew_solver_update().
//
//   bench_updates [--count N] [--updates N] [--random-seed N] [URDF LINK[,LINK...] ...]
//
// systems: how many linear systems an update solves. The targets are poses of a random
// configuration within the limits, each moved by 0, 1, 10 or 100 sizes of the figure in a direction
// of its own; the start is where the last problem has ended. --updates for each of --count
// problems, without the first update of all: after a reset it takes up to 24 steps. The last line
// is of all updates of all figures.
//
// arrival: how many updates it takes to come within 1e-5 [m, rad] of poses of a random
// configuration, and in how many problems that happens within 300 updates: from a start near that
// configuration, and from the middle of the limits; with the solver as it is after creation, and
// after sinew_solver_reset(), and then also with tracking.escape. Steps are those of all updates.
//
// Every figure is taken with a fixed and with a floating base. Without any: the scene humanoid, and
// the humanoids of the optional data (folder SINEW_SHARED_DIR, else ../shared).
#include "bench/common.h"
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

#define MOST_TASKS 8
#define ARRIVAL_UPDATES 300
#define ARRIVED 1e-5 // [m, rad]
#define NEAR 0.1     // largest change of a value in a near start [rad, m]

static struct {
  int count, updates;
  uint64_t random_seed;
} options = {.count = 300, .updates = 40, .random_seed = 1};

const char bench_program[] = "bench_updates";

static double uniform(uint64_t stream, int problem, int index) {
  return 2.0 * sinew_random_uniform(options.random_seed + stream,
                                    (uint64_t)problem * 1024 + (uint64_t)index) -
         1.0;
}

// --------------------------------------------------------------------- figures

typedef struct figure {
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver, *escaping; // without and with tracking.escape
  sinew_task tasks[MOST_TASKS];
  int count, nq;
} figure;

static void create_solvers(figure *f) {
  sinew_error error;
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = MOST_TASKS;
  f->nq = sinew_model_nq(f->model);
  require(sinew_state_create(f->model, NULL, &f->state, &error), &error);
  require(sinew_solver_create(&def, f->model, &f->solver, &error), &error);
  require(sinew_solver_set_tasks(f->solver, f->tasks, f->count, &error), &error);
  def.tracking.escape = true;
  require(sinew_solver_create(&def, f->model, &f->escaping, &error), &error);
}

static void open_scene(figure *f, const char *name) {
  sinew_error error;
  sinew_scene *scene = sinew_scene_create(name);
  if (scene == NULL || scene->task_count > MOST_TASKS) {
    fail(name);
  }
  *f = (figure){.count = scene->task_count};
  require(sinew_model_create(&scene->model, &f->model, &error), &error);
  memcpy(f->tasks, scene->tasks, (size_t)f->count * sizeof *f->tasks);
  sinew_scene_destroy(scene);
  create_solvers(f);
}

// links: names with commas between them, which are tracked as poses.
static void open_file(figure *f, const char *path, const char *links, bool floats) {
  sinew_document *document;
  sinew_error error;
  sinew_read_def def = sinew_default_read_def();
  char name[128];
  def.floating_base = floats;
  *f = (figure){0};
  require(sinew_document_open(path, &def, &document, &error), &error);
  require(sinew_model_create(&document->model, &f->model, &error), &error);
  sinew_document_destroy(document);
  for (const char *at = links; at != NULL; at = strchr(at, ',')) {
    at += at != links; // past the comma
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
    sinew_task task = sinew_default_task();
    task.kind = SINEW_TASK_POSE;
    task.link = sinew_model_find_link(f->model, name);
    if (task.link < 0 || f->count == MOST_TASKS) {
      fail(name);
    }
    f->tasks[f->count++] = task;
  }
  create_solvers(f);
}

static void close_figure(figure *f) {
  sinew_solver_destroy(f->solver);
  sinew_solver_destroy(f->escaping);
  sinew_state_destroy(f->state);
  sinew_model_destroy(f->model);
}

static void set_targets_at(figure *f, const double *q, sinew_target *targets) {
  sinew_expect_ok(sinew_state_forward(f->state, q));
  for (int t = 0; t < f->count; ++t) {
    sinew_pose pose;
    sinew_expect_ok(sinew_state_link_pose(f->state, f->tasks[t].link, &pose));
    targets[t] = sinew_default_target();
    memcpy(targets[t].position, pose.position, sizeof pose.position);
    memcpy(targets[t].rotation, pose.rotation, sizeof pose.rotation);
  }
}

static void move_targets(const figure *f, int problem, double distance, sinew_target *targets) {
  for (int t = 0; t < f->count; ++t) {
    double way[3], length = 0.0;
    for (int i = 0; i < 3; ++i) {
      way[i] = uniform(2, problem, 3 * t + i);
      length += way[i] * way[i];
    }
    for (int i = 0; i < 3; ++i) {
      targets[t].position[i] += distance * way[i] / sqrt(length);
    }
  }
}

// --------------------------------------------------------------------- systems

// How many updates have solved so many systems.
#define MOST_SYSTEMS 4096

typedef struct tally {
  long long updates[MOST_SYSTEMS], count, sum;
  int worst, step; // the most systems of an update, and of one of its steps
} tally;

static tally all_updates;

static int compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static void count_update(tally *t, const sinew_solver *solver) {
  const int systems = sinew_solver_systems(solver), step = sinew_solver_most_systems(solver);
  ++t->updates[systems < MOST_SYSTEMS ? systems : MOST_SYSTEMS - 1];
  ++t->count;
  t->sum += systems;
  t->worst = systems > t->worst ? systems : t->worst;
  t->step = step > t->step ? step : t->step;
}

// The least number of systems that this share of updates does not exceed.
static int percentile(const tally *t, double share) {
  long long below = 0;
  for (int i = 0; i < MOST_SYSTEMS; ++i) {
    below += t->updates[i];
    if ((double)below >= share * (double)t->count) {
      return i;
    }
  }
  return MOST_SYSTEMS;
}

static void print_tally(const tally *t) {
  const int median = percentile(t, 0.5), rare = percentile(t, 0.999);
  printf("%lld updates, systems: mean %.2f, median %d, 99.9 %% %d (%.1f times the median), worst "
         "%d, of a step %d\n",
         t->count, (double)t->sum / (double)t->count, median, rare, (double)rare / median, t->worst,
         t->step);
}

// distance: in sizes.
static void bench_systems(figure *f, double distance) {
  static tally counted;
  double *q = take(2 * (size_t)f->nq, sizeof *q), *at = q + f->nq;
  counted = (tally){.count = 0};
  sinew_solver_reset(f->solver);
  sinew_configuration_middle(f->model, q);
  for (int i = 0; i < options.count; ++i) {
    sinew_target targets[MOST_TASKS];
    sinew_configuration_random(f->model, options.random_seed, (uint64_t)i, at);
    set_targets_at(f, at, targets);
    move_targets(f, i, distance * sinew_model_size(f->model), targets);
    for (int u = 0; u < options.updates; ++u) {
      sinew_report report;
      sinew_expect_ok(sinew_solver_update(f->solver, targets, f->count, q, &report));
      if (i > 0 || u > 0) {
        count_update(&counted, f->solver);
        count_update(&all_updates, f->solver);
      }
    }
  }
  printf("  %5g sizes away: ", distance);
  print_tally(&counted);
  free(q);
}

// --------------------------------------------------------------------- arrival

// Into the limits; the four values of a quaternion have none.
static void clamp(const sinew_model *model, double *q) {
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    for (int i = 0; joint.nq == joint.nv && i < joint.nv; ++i) {
      q[joint.q_index + i] =
          fmax(sinew_model_lower(model)[joint.v_index + i],
               fmin(q[joint.q_index + i], sinew_model_upper(model)[joint.v_index + i]));
    }
  }
}

static void start_near(const figure *f, int problem, const double *at, double *q) {
  const int nv = sinew_model_nv(f->model);
  double *change = take((size_t)nv, sizeof *change);
  for (int v = 0; v < nv; ++v) {
    change[v] = NEAR * uniform(3, problem, v);
  }
  sinew_configuration_integrate(f->model, at, change, q);
  clamp(f->model, q);
  free(change);
}

// Updates until all errors are within ARRIVED, or ARRIVAL_UPDATES + 1; adds the steps.
static int updates_to_arrive(sinew_solver *solver, const sinew_target *targets, int count,
                             double *q, double *steps) {
  sinew_report report;
  for (int u = 0; u <= ARRIVAL_UPDATES; ++u) {
    sinew_expect_ok(sinew_solver_update(solver, targets, count, q, &report));
    if (report.position_error <= ARRIVED && report.orientation_error <= ARRIVED) {
      return u; // the errors are those before the update
    }
    *steps += report.steps;
  }
  return ARRIVAL_UPDATES + 1;
}

static void bench_arrival(figure *f, bool near, bool reset, bool escape) {
  sinew_solver *solver = escape ? f->escaping : f->solver;
  int *updates = take((size_t)options.count, sizeof *updates), arrived = 0;
  double *q = take(2 * (size_t)f->nq, sizeof *q), *at = q + f->nq, sum = 0.0, steps = 0.0;
  sinew_error error;
  for (int i = 0; i < options.count; ++i) {
    sinew_target targets[MOST_TASKS];
    double taken = 0.0;
    sinew_configuration_random(f->model, options.random_seed, (uint64_t)i, at);
    set_targets_at(f, at, targets);
    sinew_configuration_middle(f->model, q);
    if (near) {
      start_near(f, i, at, q);
    }
    require(sinew_solver_set_tasks(solver, f->tasks, f->count, &error), &error);
    if (reset) {
      sinew_solver_reset(solver);
    }
    const int needed = updates_to_arrive(solver, targets, f->count, q, &taken);
    if (needed <= ARRIVAL_UPDATES) {
      updates[arrived++] = needed;
      sum += needed;
      steps += taken;
    }
  }
  qsort(updates, (size_t)arrived, sizeof *updates, compare);
  printf(
      "  from %s%s%s: %.1f %% of %d arrive, updates: mean %.1f, median %d, worst %d; steps: mean "
      "%.1f\n",
      near ? "near" : "the middle", reset ? " after a reset" : "",
      escape ? " with tracking.escape" : "", 100.0 * arrived / options.count, options.count,
      sum / (arrived > 0 ? arrived : 1), arrived > 0 ? updates[arrived / 2] : 0,
      arrived > 0 ? updates[arrived - 1] : 0, steps / (arrived > 0 ? arrived : 1));
  free(q);
  free(updates);
}

static void bench_figure(figure *f, const char *name, const char *base) {
  static const double distances[] = {0.0, 1.0, 10.0, 100.0};
  char room[SHOWN];
  printf("%s, %s base, %d degrees of freedom, %d tasks\n", shown(name, room), base,
         sinew_model_nv(f->model), f->count);
  for (size_t d = 0; d < sizeof distances / sizeof distances[0]; ++d) {
    bench_systems(f, distances[d]);
  }
  for (int i = 0; i < 4; ++i) {
    bench_arrival(f, i < 2, i % 2 == 1, false);
  }
  bench_arrival(f, false, true, true);
  close_figure(f);
}

// ------------------------------------------------------------------------ main

static void bench_file(const char *path, const char *links) {
  for (int floats = 0; floats < 2; ++floats) {
    figure f;
    open_file(&f, path, links, floats != 0);
    bench_figure(&f, path, floats != 0 ? "floating" : "fixed");
  }
}

static void bench_default(void) {
  static const struct {
    const char *file, *links;
  } bodies[] = {{"g1_29dof", "left_rubber_hand,right_rubber_hand,left_ankle_roll_link,"
                             "right_ankle_roll_link"},
                {"h1", "left_elbow_link,right_elbow_link,left_ankle_link,right_ankle_link"},
                {"atlas_drake", "l_hand,r_hand,l_foot,r_foot"},
                {"nao", "l_wrist,r_wrist,l_sole,r_sole"},
                {"romeo", "l_wrist,r_wrist,l_sole,r_sole"},
                {"simple_humanoid", "l_wrist,r_wrist,l_ankle,r_ankle"}};
  figure f;
  open_scene(&f, "humanoid");
  bench_figure(&f, "scene humanoid", "floating");
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; ++i) {
    char path[4096];
    if (optional_robot("urdf", bodies[i].file, path, sizeof path)) {
      bench_file(path, bodies[i].links);
    }
  }
}

static const char usage[] = "usage: bench_updates [--count N] [--updates N] [--random-seed N]\n"
                            "           [URDF LINK[,LINK...] ...]\n";

// Returns the index of the first argument that is not an option.
static int read_options(int argc, char **argv) {
  int i = 1;
  for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
    const int value = atoi(argv[i + 1]);
    if (strcmp(argv[i], "--count") == 0) {
      options.count = value;
    } else if (strcmp(argv[i], "--updates") == 0) {
      options.updates = value;
    } else if (strcmp(argv[i], "--random-seed") == 0) {
      options.random_seed = (uint64_t)value;
    } else {
      break;
    }
  }
  if (options.count < 1 || options.updates < 2 || (argc - i) % 2 == 1 ||
      (i < argc && strncmp(argv[i], "--", 2) == 0)) {
    fputs(usage, stderr);
    exit(2);
  }
  return i;
}

int main(int argc, char **argv) {
  int i = read_options(argc, argv);
  if (i == argc) {
    bench_default();
  }
  for (; i < argc; i += 2) {
    bench_file(argv[i], argv[i + 1]);
  }
  printf("all figures: ");
  print_tally(&all_updates);
  return 0;
}
