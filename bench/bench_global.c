// Global solves for which bench_arms has no other program to compare with: all solutions of an
// arm's poses, and whole bodies.
//
//   bench_global [--count N] [--attempts N] [--restarts N] [--random-seed N] [solutions URDF ...]
//   bench_global [...] bodies URDF LINK[,LINK...] [URDF LINK[,LINK...] ...]
//
// solutions: poses of an arm of six joints, away from singularities. Whether
// sinew_solver_solve_all() found the whole set is checked by as many local solves from random
// starts (--restarts). The tip is the last link.
//
// bodies: the figure has a floating base; the targets are the links' poses in a random
// configuration within the limits, the start is another one or the middle of the limits. Every
// result is checked by forward kinematics.
//
// Without either: ur5 of the optional data (folder SINEW_SHARED_DIR, else ../shared), else arm6;
// and two humanoids of that data.
#include "sinew/formats.h"
#include "sinew/sinew.h"
#include "scenes/expect.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef SINEW_MODELS_DIR
#define SINEW_MODELS_DIR "models"
#endif

#define PI 3.14159265358979323846
#define TOLERANCE 1e-6 // [m, rad]
#define MOST_TASKS 16
#define MOST_SOLUTIONS 64
#define SIX 6
#define ROUNDS 3 // a problem's time is the median of this many
// Smallest 1/|J^-1| at any solution, with J's lengths divided by the arm's: nearer to a singularity
// two solutions merge, and whether they differ depends on the threshold.
#define REGULAR 0.02

static struct {
  int count, attempts, restarts;
  uint64_t random_seed;
} options = {.count = 100, .attempts = 0, .restarts = 5000, .random_seed = 1};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *text) {
  fprintf(stderr, "bench_global: %s\n", text);
  exit(2);
}

static void require(sinew_result result, const sinew_error *error) {
  if (result != SINEW_OK) {
    char text[1024];
    sinew_error_format(error, text, sizeof text);
    fail(text);
  }
}

static void *take(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (memory == NULL) {
    fail("out of memory");
  }
  return memory;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of(double *times) {
  qsort(times, ROUNDS, sizeof *times, compare);
  return times[ROUNDS / 2];
}

// Mean, median, 99 % and longest of times, which are sorted.
static void print_times(double *seconds, int count) {
  double sum = 0.0;
  qsort(seconds, (size_t)count, sizeof *seconds, compare);
  for (int i = 0; i < count; ++i) {
    sum += seconds[i];
  }
  printf("mean %.1f us, median %.1f, 99 %% %.1f, longest %.1f", 1e6 * sum / count,
         1e6 * seconds[count / 2], 1e6 * seconds[(99 * count + 99) / 100 - 1],
         1e6 * seconds[count - 1]);
}

// --------------------------------------------------------------------- figures

// What is solved: a model, its tasks, and the poses of its links.
typedef struct figure {
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  sinew_bank *bank;
  int nq, count;
  sinew_task tasks[MOST_TASKS];
} figure;

// A figure with a floating base: a link that no joint moves, with the root on a FREE joint.
static void create_floating(const sinew_model_def *def, int root, sinew_model **model) {
  sinew_error error;
  sinew_model_def floating = *def;
  sinew_link_def *links = take((size_t)def->link_count + 1, sizeof *links);
  sinew_joint_def *joints = take((size_t)def->joint_count + 1, sizeof *joints);
  memcpy(links, def->links, (size_t)def->link_count * sizeof *links);
  memcpy(joints, def->joints, (size_t)def->joint_count * sizeof *joints);
  links[def->link_count] = sinew_default_link_def();
  links[def->link_count].name = "the_world";
  joints[def->joint_count] = sinew_default_joint_def();
  joints[def->joint_count].name = "floating";
  joints[def->joint_count].kind = SINEW_JOINT_FREE;
  joints[def->joint_count].parent = def->link_count;
  joints[def->joint_count].child = root;
  floating.links = links;
  floating.link_count = def->link_count + 1;
  floating.joints = joints;
  floating.joint_count = def->joint_count + 1;
  require(sinew_model_create(&floating, model, &error), &error);
  free(joints);
  free(links);
}

static void open_figure(figure *f, const char *path, bool floats) {
  sinew_document *document;
  sinew_error error;
  *f = (figure){0};
  require(sinew_document_open(path, NULL, &document, &error), &error);
  require(sinew_model_create(&document->model, &f->model, &error), &error);
  if (floats) {
    const int root = sinew_model_root(f->model);
    sinew_model_destroy(f->model);
    create_floating(&document->model, root, &f->model);
  }
  sinew_document_destroy(document);
  f->nq = sinew_model_nq(f->model);
  require(sinew_state_create(f->model, NULL, &f->state, &error), &error);
}

static void add_task(figure *f, const char *link) {
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(f->model, link);
  if (task.link < 0 || f->count == MOST_TASKS) {
    fail(link);
  }
  f->tasks[f->count++] = task;
}

// Creates the solver, and the bank with its time and size.
static void create_solver(figure *f) {
  sinew_error error;
  sinew_solver_def def = sinew_default_solver_def();
  const sinew_bank_def bank = sinew_default_bank_def();
  def.task_capacity = MOST_TASKS;
  def.tolerances.position = TOLERANCE;
  def.tolerances.orientation = TOLERANCE;
  require(sinew_solver_create(&def, f->model, &f->solver, &error), &error);
  require(sinew_solver_set_tasks(f->solver, f->tasks, f->count, &error), &error);
  const double begin = now();
  require(sinew_bank_create(&bank, f->model, f->tasks, f->count, &f->bank, &error), &error);
  printf("  a bank of %d postures, %.1f MiB, created in %.0f ms\n", sinew_bank_size(f->bank),
         (double)sinew_bank_bytes(f->bank) / 1048576.0, 1e3 * (now() - begin));
}

static void close_figure(figure *f) {
  sinew_bank_destroy(f->bank);
  sinew_solver_destroy(f->solver);
  sinew_state_destroy(f->state);
  sinew_model_destroy(f->model);
}

// The tasks' targets for the figure at q.
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

// Whether q reaches the targets.
static bool is_true(figure *f, const double *q, const sinew_target *targets) {
  const double bound = TOLERANCE * (1.0 + 1e-6);
  sinew_target reached[MOST_TASKS];
  set_targets_at(f, q, reached);
  for (int t = 0; t < f->count; ++t) {
    double square = 0.0, back[4], turn[4], w[3];
    const double *r = reached[t].rotation;
    for (int i = 0; i < 3; ++i) {
      square += pow(reached[t].position[i] - targets[t].position[i], 2.0);
      back[i + 1] = -r[i + 1];
    }
    back[0] = r[0];
    sinew_quaternion_multiply(back, targets[t].rotation, turn);
    sinew_quaternion_log(turn, w);
    const double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    if (!(sqrt(square) <= bound && angle <= bound)) {
      return false;
    }
  }
  return true;
}

// Joint by joint; the four values of a quaternion have no limits.
static bool is_within(const figure *f, const double *q) {
  for (int j = 0; j < sinew_model_joint_count(f->model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(f->model, j, &joint));
    for (int i = 0; joint.nq == joint.nv && i < joint.nv; ++i) {
      const double value = q[joint.q_index + i];
      if (value < sinew_model_lower(f->model)[joint.v_index + i] ||
          value > sinew_model_upper(f->model)[joint.v_index + i]) {
        return false;
      }
    }
  }
  return true;
}

// ------------------------------------------------------------------- solutions

// Joints that differ by whole turns are the same.
static bool is_same(const double *a, const double *b) {
  for (int j = 0; j < SIX; ++j) {
    if (fabs(remainder(a[j] - b[j], 2.0 * PI)) > 0.01) {
      return false;
    }
  }
  return true;
}

static bool is_among(const double *q, double (*set)[SIX], int count) {
  for (int i = 0; i < count; ++i) {
    if (is_same(q, set[i])) {
      return true;
    }
  }
  return false;
}

// 1 / |J^-1| (Frobenius) at q, by Gauss-Jordan elimination with pivoting; 0 where J has no inverse.
static double regularity(figure *f, const double *q) {
  double J[SIX * SIX], A[SIX][2 * SIX] = {{0.0}}, sum = 0.0;
  sinew_expect_ok(sinew_state_forward(f->state, q));
  sinew_expect_ok(
      sinew_state_jacobian(f->state, f->tasks[0].link, NULL, sinew_model_root(f->model), J));
  for (int i = 0; i < SIX; ++i) {
    for (int j = 0; j < SIX; ++j) {
      A[i][j] = J[SIX * i + j] / (i < 3 ? sinew_model_size(f->model) : 1.0);
    }
    A[i][SIX + i] = 1.0;
  }
  for (int k = 0; k < SIX; ++k) {
    int pivot = k;
    for (int i = k + 1; i < SIX; ++i) {
      pivot = fabs(A[i][k]) > fabs(A[pivot][k]) ? i : pivot;
    }
    if (fabs(A[pivot][k]) < 1e-12) {
      return 0.0;
    }
    double row[2 * SIX];
    memcpy(row, A[pivot], sizeof row);
    memcpy(A[pivot], A[k], sizeof row);
    for (int j = 0; j < 2 * SIX; ++j) {
      A[k][j] = row[j] / row[k];
    }
    for (int i = 0; i < SIX; ++i) {
      const double factor = i == k ? 0.0 : A[i][k];
      for (int j = 0; j < 2 * SIX; ++j) {
        A[i][j] -= factor * A[k][j];
      }
    }
  }
  for (int i = 0; i < SIX; ++i) {
    for (int j = SIX; j < 2 * SIX; ++j) {
      sum += A[i][j] * A[i][j];
    }
  }
  return 1.0 / sqrt(sum);
}

// The set that local solves from random starts find; -1 where one is nearly singular.
static int restart(figure *f, sinew_solver *single, const sinew_target *target,
                   double (*set)[SIX]) {
  int found = 0;
  for (int i = 0; i < options.restarts && found < MOST_SOLUTIONS; ++i) {
    double q[SIX];
    sinew_report report;
    sinew_configuration_random(f->model, 77, (uint64_t)i, q);
    sinew_expect_ok(sinew_solver_solve_local(single, target, 1, q, &report));
    if (report.outcome != SINEW_OUTCOME_CONVERGED || is_among(q, set, found)) {
      continue;
    }
    if (regularity(f, q) < REGULAR) {
      return -1;
    }
    memcpy(set[found++], q, sizeof q);
  }
  return found;
}

static sinew_solver *create_single(const figure *f) {
  sinew_error error;
  sinew_solver *single;
  sinew_solver_def def = sinew_default_solver_def();
  def.budget.max_starts = 1;
  def.tolerances.position = TOLERANCE;
  def.tolerances.orientation = TOLERANCE;
  require(sinew_solver_create(&def, f->model, &single, &error), &error);
  require(sinew_solver_set_tasks(single, f->tasks, f->count, &error), &error);
  return single;
}

// The results for an arm's poses.
typedef struct tally {
  int whole, missed, false_ones, more;
  long solutions;
} tally;

// One pose; false where it is nearly singular and is not counted.
static bool solve_all(figure *f, sinew_solver *single, const sinew_target *target, tally *t,
                      double *seconds) {
  double expected[MOST_SOLUTIONS][SIX], solutions[MOST_SOLUTIONS][SIX], seed[SIX];
  sinew_global_def def = sinew_default_global_def();
  int found = 0, missed = 0, more = 0;
  const int count = restart(f, single, target, expected);
  if (count < 0) {
    return false;
  }
  def.bank = f->bank;
  def.max_starts = options.attempts > 0 ? options.attempts : def.max_starts;
  sinew_configuration_middle(f->model, seed);
  double times[ROUNDS];
  for (int round = 0; round < ROUNDS; ++round) {
    const double begin = now();
    sinew_expect_ok(sinew_solver_solve_all(f->solver, &def, target, 1, seed, MOST_SOLUTIONS,
                                           solutions[0], &found, NULL));
    times[round] = now() - begin;
  }
  *seconds = median_of(times);
  for (int i = 0; i < count; ++i) {
    missed += !is_among(expected[i], solutions, found);
  }
  for (int i = 0; i < found; ++i) {
    more += !is_among(solutions[i], expected, count);
    t->false_ones += !(is_true(f, solutions[i], target) && is_within(f, solutions[i]));
  }
  t->whole += missed == 0;
  t->missed += missed;
  t->more += more;
  t->solutions += count;
  return true;
}

static void bench_solutions(const char *path) {
  figure f;
  tally t = {0};
  double *seconds = take((size_t)options.count, sizeof *seconds);
  int done = 0;
  printf("\nAll solutions: %s\n", path);
  open_figure(&f, path, false);
  if (f.nq != SIX) {
    fail("an arm of six joints is needed");
  }
  const char *tip = NULL; // the last link of a chain
  for (int link = 0; link < sinew_model_link_count(f.model); ++link) {
    tip = sinew_model_link_name(f.model, link);
  }
  add_task(&f, tip);
  create_solver(&f);
  sinew_solver *single = create_single(&f);
  for (uint64_t i = 0; done < options.count; ++i) {
    double q[SIX];
    sinew_target target;
    sinew_configuration_random(f.model, options.random_seed, i, q);
    set_targets_at(&f, q, &target);
    if (regularity(&f, q) >= REGULAR && solve_all(&f, single, &target, &t, &seconds[done])) {
      ++done;
    }
  }
  printf("  tip %s, %d poses, %.1f solutions each: the whole set in %.2f %%, %d missed, %d that "
         "%d restarts miss, %d false\n  ",
         tip, done, (double)t.solutions / done, 100.0 * t.whole / done, t.missed, t.more,
         options.restarts, t.false_ones);
  print_times(seconds, done);
  printf("\n");
  sinew_solver_destroy(single);
  close_figure(&f);
  free(seconds);
}

// ---------------------------------------------------------------------- bodies

// One problem, from the same start in every round.
static double solve_body(figure *f, const sinew_global_def *def, const sinew_target *targets,
                         const double *start, double *q, sinew_report *report) {
  double times[ROUNDS];
  for (int round = 0; round < ROUNDS; ++round) {
    memcpy(q, start, (size_t)f->nq * sizeof *q);
    const double begin = now();
    sinew_expect_ok(sinew_solver_search(f->solver, def, targets, f->count, q, report));
    times[round] = now() - begin;
  }
  return median_of(times);
}

static void bench_start(figure *f, bool random) {
  double *seconds = take((size_t)options.count, sizeof *seconds);
  double *q = take(2 * (size_t)f->nq, sizeof *q), *start = q + f->nq;
  sinew_global_def def = sinew_default_global_def();
  int solved = 0, false_ones = 0;
  double steps = 0.0;
  def.bank = f->bank;
  def.max_starts = options.attempts > 0 ? options.attempts : def.max_starts;
  sinew_configuration_middle(f->model, start);
  for (int i = 0; i < options.count; ++i) {
    sinew_target targets[MOST_TASKS];
    sinew_report report;
    sinew_configuration_random(f->model, options.random_seed, (uint64_t)i, q);
    set_targets_at(f, q, targets);
    if (random) {
      sinew_configuration_random(f->model, ~options.random_seed, (uint64_t)i, start);
    }
    seconds[i] = solve_body(f, &def, targets, start, q, &report);
    const bool good = is_true(f, q, targets) && is_within(f, q);
    solved += good && report.outcome == SINEW_OUTCOME_CONVERGED;
    false_ones += !good && report.outcome == SINEW_OUTCOME_CONVERGED;
    steps += report.steps;
  }
  printf("  start %-7s solved %.2f %%, %d false, %.1f steps, ", random ? "random" : "middle",
         100.0 * solved / options.count, false_ones, steps / options.count);
  print_times(seconds, options.count);
  printf("\n");
  free(q);
  free(seconds);
}

static void bench_body(const char *path, const char *links) {
  figure f;
  char name[128];
  printf("\nFloating: %s, %s\n", path, links);
  open_figure(&f, path, true);
  for (const char *at = links; at != NULL; at = strchr(at, ',')) {
    at += at != links; // past the comma
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
    add_task(&f, name);
  }
  create_solver(&f);
  bench_start(&f, true);
  bench_start(&f, false);
  close_figure(&f);
}

// ------------------------------------------------------------------------- main

static bool is_there(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file != NULL) {
    fclose(file);
  }
  return file != NULL;
}

static void bench_default(void) {
  static const struct {
    const char *file, *links;
  } bodies[] = {{"g1_29dof", "left_rubber_hand,right_rubber_hand,left_ankle_roll_link,"
                             "right_ankle_roll_link"},
                {"atlas_drake", "l_hand,r_hand,l_foot,r_foot"}};
  const char *folder = getenv("SINEW_SHARED_DIR");
  char path[4096];
  folder = folder != NULL ? folder : "../shared";
  snprintf(path, sizeof path, "%s/data/arms/ur5.urdf", folder);
  bench_solutions(is_there(path) ? path : SINEW_MODELS_DIR "/arm6.urdf");
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; ++i) {
    snprintf(path, sizeof path, "%s/data/urdf/%s.urdf", folder, bodies[i].file);
    if (is_there(path)) {
      bench_body(path, bodies[i].links);
    }
  }
}

static const char usage[] =
    "usage: bench_global [--count N] [--attempts N] [--restarts N] [--random-seed N]\n"
    "           [solutions URDF ... | bodies URDF LINK[,LINK...] ...]\n";

// Returns the index of the first argument that is not an option.
static int read_options(int argc, char **argv) {
  int i = 1;
  for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
    const int value = atoi(argv[i + 1]);
    if (strcmp(argv[i], "--count") == 0) {
      options.count = value;
    } else if (strcmp(argv[i], "--attempts") == 0) {
      options.attempts = value;
    } else if (strcmp(argv[i], "--restarts") == 0) {
      options.restarts = value;
    } else if (strcmp(argv[i], "--random-seed") == 0) {
      options.random_seed = (uint64_t)value;
    } else {
      break;
    }
  }
  if (options.count < 1 || (i < argc && strncmp(argv[i], "--", 2) == 0)) {
    fputs(usage, stderr);
    exit(2);
  }
  return i;
}

int main(int argc, char **argv) {
  int i = read_options(argc, argv);
  if (i == argc) {
    bench_default();
  } else if (strcmp(argv[i], "solutions") == 0 && i + 1 < argc) {
    while (++i < argc) {
      bench_solutions(argv[i]);
    }
  } else if (strcmp(argv[i], "bodies") == 0 && i + 2 < argc && (argc - i) % 2 == 1) {
    for (++i; i < argc; i += 2) {
      bench_body(argv[i], argv[i + 1]);
    }
  } else {
    fputs(usage, stderr);
    return 2;
  }
  return 0;
}
