// The nearest pose where there is none, and proofs that there is none: bench_global nearest.
//
// Targets lie on rays from the centre of an arm's workspace, at a factor of the reach in that
// direction, which is found by searches; or in places near the centre that searches do not reach.
// A position is that point, a pose the point with a random orientation.
//
// The residual is sqrt((distance / size)^2 + angle^2), the weighted residual of a report.
#include "bench/common.h"
#include "bench/nearest.h"
#include "bench/ten_arms.h"
#include "scenes/expect.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define MOST_JOINTS 16
#define RESTARTS 1000
#define RESTART_STEPS 1000
#define CLASSES 6
#define HOLLOW 5
#define SHARE 0.01 // how much more than the reference's residual still counts as the nearest

static const double factors[CLASSES] = {1.0001, 1.01, 1.1, 1.25, 2.0, 0.0};
static const char *const class_names[CLASSES] = {"1.0001", "1.01", "1.1", "1.25", "2", "hollow"};

typedef struct arm {
  sinew_model *model;
  sinew_task task;
  sinew_solver *solver;
  int nq;
  double size;
} arm;

// --------------------------------------------------------------------- arms

static sinew_solver *create_solver(const arm *a, const sinew_solver_def *def) {
  sinew_solver *solver;
  sinew_error error;
  if (sinew_solver_create(def, a->model, &solver, &error) != SINEW_OK ||
      sinew_solver_set_tasks(solver, &a->task, 1, &error) != SINEW_OK) {
    fail(error.message);
  }
  return solver;
}

static bool open_arm(int number, sinew_task_kind kind, arm *a) {
  char path[4096];
  sinew_document *document;
  const sinew_solver_def def = sinew_default_solver_def();
  if (!ten_arms_file(number, path, sizeof path) ||
      sinew_document_open(path, NULL, &document, NULL) != SINEW_OK) {
    return false;
  }
  if (sinew_model_create(&document->model, &a->model, NULL) != SINEW_OK) {
    fail(path);
  }
  sinew_document_destroy(document);
  a->task = sinew_default_task();
  a->task.kind = kind;
  a->task.link = ten_arms_tip(path, a->model);
  a->nq = sinew_model_nq(a->model);
  a->size = sinew_model_size(a->model);
  a->solver = create_solver(a, &def);
  return true;
}

static void close_arm(arm *a) {
  sinew_solver_destroy(a->solver);
  sinew_model_destroy(a->model);
}

static double residual_of(const arm *a, const sinew_report *report) {
  return hypot(report->position_error / a->size, report->orientation_error);
}

// ------------------------------------------------------------------ targets

// A target of the reference.
typedef struct problem {
  int arm, kind, class;
  sinew_target target;
  double residual;
} problem;

static bool is_reached(const arm *a, const sinew_target *target, double *error) {
  sinew_report report;
  double q[MOST_JOINTS];
  sinew_configuration_middle(a->model, q);
  sinew_expect_ok(sinew_solver_solve(a->solver, target, 1, q, &report));
  *error = report.position_error;
  return report.outcome == SINEW_OUTCOME_CONVERGED;
}

// As many digits as are written.
static double rounded(double x) {
  char text[32];
  snprintf(text, sizeof text, "%.7g", x);
  return strtod(text, NULL);
}

static void set_on_ray(const double centre[3], const double direction[3], double distance,
                       sinew_target *target) {
  for (int i = 0; i < 3; ++i) {
    target->position[i] = rounded(centre[i] + distance * direction[i]);
  }
}

// The largest distance on a ray that searches reach, or -1.
static double find_reach(const arm *a, const double centre[3], const double direction[3],
                         double furthest) {
  sinew_target target = sinew_default_target();
  double low = furthest, high = furthest, error;
  set_on_ray(centre, direction, low, &target);
  while (!is_reached(a, &target, &error)) {
    high = low;
    low -= fmax(0.01 * furthest, 0.5 * error);
    if (low <= 0.02 * furthest) {
      return -1.0;
    }
    set_on_ray(centre, direction, low, &target);
  }
  while (high - low > 1e-6 * furthest) {
    const double middle = 0.5 * (low + high);
    set_on_ray(centre, direction, middle, &target);
    if (is_reached(a, &target, &error)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static void random_direction(uint64_t seed, uint64_t i, double v[3]) {
  const double z = 2.0 * sinew_random_uniform(seed, 2 * i) - 1.0, r = sqrt(1.0 - z * z);
  const double angle = 2.0 * PI * sinew_random_uniform(seed, 2 * i + 1);
  v[0] = r * cos(angle);
  v[1] = r * sin(angle);
  v[2] = z;
}

static void random_rotation(uint64_t seed, uint64_t i, double q[4]) {
  const double a = sqrt(sinew_random_uniform(seed, 3 * i));
  const double b = sqrt(1.0 - a * a), s = 2.0 * PI * sinew_random_uniform(seed, 3 * i + 1),
               t = 2.0 * PI * sinew_random_uniform(seed, 3 * i + 2);
  q[0] = a * cos(s);
  q[1] = a * sin(s);
  q[2] = b * cos(t);
  q[3] = b * sin(t);
}

// Where the reach is measured from, and the arm's length: from the report of a far target.
static double find_centre(const arm *a, double centre[3]) {
  sinew_target target = sinew_default_target();
  sinew_report report[4];
  const double far = 100.0 * a->size;
  for (int i = 0; i < 4; ++i) { // distances from four far places give the centre
    double q[MOST_JOINTS];
    memset(target.position, 0, sizeof target.position);
    target.position[i % 3] = i < 3 ? far : -far;
    sinew_configuration_middle(a->model, q);
    sinew_expect_ok(sinew_solver_solve_local(a->solver, &target, 1, q, &report[i]));
  }
  // |p|^2 - 2 p c + |c|^2 = d^2, for p = +- far e_0 and then for the others
  const double d0 = report[0].target_distance, d3 = report[3].target_distance;
  centre[0] = (d3 - d0) * (d3 + d0) / (4.0 * far);
  for (int i = 1; i < 3; ++i) {
    const double d = report[i].target_distance;
    centre[i] = centre[0] - (d - d0) * (d + d0) / (2.0 * far);
  }
  return report[0].reach;
}

// The place of one target of a class; false if there is none.
static bool find_place(const arm *a, int class, uint64_t seed, const double centre[3],
                       double furthest, sinew_target *target) {
  double direction[3], error;
  for (uint64_t i = 0; i < 200; ++i) {
    random_direction(seed, i, direction);
    if (class != HOLLOW) {
      const double reach = find_reach(a, centre, direction, furthest);
      if (reach > 0.0) {
        set_on_ray(centre, direction, factors[class] * reach, target);
        return true;
      }
      continue;
    }
    const double share = 0.5 * sinew_random_uniform(~seed, i);
    set_on_ray(centre, direction, share * furthest, target);
    if (!is_reached(a, target, &error)) {
      return true;
    }
  }
  return false;
}

// The least residual of local solves from random starts.
static double restart(const arm *a, sinew_solver *single, const sinew_target *target) {
  double least = INFINITY;
  for (int i = 0; i < RESTARTS; ++i) {
    double q[MOST_JOINTS];
    sinew_report report;
    sinew_configuration_random(a->model, 1234, (uint64_t)i, q);
    sinew_expect_ok(sinew_solver_solve_local(single, target, 1, q, &report));
    least = fmin(least, residual_of(a, &report));
  }
  return least;
}

static void write_problem(FILE *file, const problem *p) {
  const double *x = p->target.position, *r = p->target.rotation;
  fprintf(file, "%s,%s,%s,%.7g,%.7g,%.7g,%.6g,%.6g,%.6g,%.6g,%.5g\n", ten_arms[p->arm],
          p->kind == SINEW_TASK_POSE ? "pose" : "position", class_names[p->class], x[0], x[1], x[2],
          r[0], r[1], r[2], r[3], p->residual);
}

static void make_arm(FILE *file, int number, int count, uint64_t random_seed) {
  arm a[2];
  double centre[3];
  sinew_solver_def def = sinew_default_solver_def();
  if (!open_arm(number, SINEW_TASK_POSITION, &a[0]) || !open_arm(number, SINEW_TASK_POSE, &a[1])) {
    fail("the ten arms of the optional data are needed");
  }
  const double furthest = find_centre(&a[0], centre);
  def.budget.max_starts = 1;
  def.budget.max_steps = RESTART_STEPS;
  def.step.method = SINEW_METHOD_NEWTON;
  sinew_solver *single[2] = {create_solver(&a[0], &def), create_solver(&a[1], &def)};
  for (int k = 0; k < CLASSES * count; ++k) {
    problem p = {.arm = number, .class = k / count, .target = sinew_default_target()};
    const uint64_t seed = sinew_random_bits(random_seed, (uint64_t)(1000 * number + k));
    if (!find_place(&a[0], p.class, seed, centre, furthest, &p.target)) {
      continue;
    }
    for (int pose = 0; pose < 2; ++pose) {
      p.kind = pose ? SINEW_TASK_POSE : SINEW_TASK_POSITION;
      if (pose) {
        random_rotation(seed, 0, p.target.rotation);
      }
      p.residual = restart(&a[pose], single[pose], &p.target);
      if (p.residual > 1e-5) {
        write_problem(file, &p);
      }
    }
    fflush(file);
  }
  for (int pose = 0; pose < 2; ++pose) {
    sinew_solver_destroy(single[pose]);
    close_arm(&a[pose]);
  }
}

void bench_nearest_make(const char *path, int count, uint64_t random_seed) {
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    fail(path);
  }
  fprintf(file, "arm,task,class,x,y,z,qw,qx,qy,qz,residual\n");
  for (int number = 0; number < TEN_ARMS; ++number) {
    make_arm(file, number, count, random_seed);
  }
  fclose(file);
}

// --------------------------------------------------------------- comparison

// The results of one class and kind, or of all.
typedef struct tally {
  int count, missed, proven;
  double seconds, worst_time, worst; // ratio of residuals
} tally;

static int find_name(const char *const *names, int count, const char *name) {
  for (int i = 0; i < count; ++i) {
    if (strcmp(names[i], name) == 0) {
      return i;
    }
  }
  fail(name);
  return -1;
}

static bool read_problem(FILE *file, problem *p) {
  char line[512], name[3][32];
  p->target = sinew_default_target();
  double *x = p->target.position, *r = p->target.rotation;
  if (fgets(line, sizeof line, file) == NULL) {
    return false;
  }
  if (sscanf(line, "%31[^,],%31[^,],%31[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", name[0], name[1],
             name[2], &x[0], &x[1], &x[2], &r[0], &r[1], &r[2], &r[3], &p->residual) != 11) {
    return read_problem(file, p); // the header
  }
  p->arm = find_name(ten_arms, TEN_ARMS, name[0]);
  p->class = find_name(class_names, CLASSES, name[2]);
  p->kind = strcmp(name[1], "pose") == 0 ? SINEW_TASK_POSE : SINEW_TASK_POSITION;
  return true;
}

static void count_result(const problem *p, double residual, double seconds, bool proven, tally *t) {
  const double ratio = residual / p->residual;
  t->count += 1;
  t->missed += !(ratio <= 1.0 + SHARE);
  t->proven += proven;
  t->seconds += seconds;
  t->worst_time = fmax(t->worst_time, seconds);
  t->worst = fmax(t->worst, ratio);
}

static void print_tally(const char *name, const tally *t) {
  if (t->count > 0) {
    printf("  %-22s %5d targets, within 1 %%: %6.2f %%, worst %.3f; proven %5.1f %%; mean %.0f us, "
           "longest %.0f\n",
           name, t->count, 100.0 - 100.0 * t->missed / t->count, t->worst,
           100.0 * t->proven / t->count, 1e6 * t->seconds / t->count, 1e6 * t->worst_time);
  }
}

static void print_tallies(const char *title, tally (*t)[CLASSES][2], tally *arms) {
  tally all = {0};
  printf("%s\n", title);
  for (int class = 0; class < CLASSES; ++class) {
    for (int pose = 0; pose < 2; ++pose) {
      char name[64];
      tally *one = &(*t)[class][pose];
      snprintf(name, sizeof name, "%s, %s", class_names[class], pose ? "poses" : "positions");
      print_tally(name, one);
      all.count += one->count;
      all.missed += one->missed;
      all.proven += one->proven;
      all.seconds += one->seconds;
      all.worst = fmax(all.worst, one->worst);
      all.worst_time = fmax(all.worst_time, one->worst_time);
    }
  }
  for (int i = 0; i < TEN_ARMS; ++i) {
    print_tally(ten_arms[i], &arms[i]);
  }
  print_tally("all", &all);
}

static void solve_alone(const arm *a, const problem *p, bool random, tally *t, tally *of_arm) {
  double q[MOST_JOINTS];
  sinew_report report;
  if (random) {
    sinew_configuration_random(a->model, 4321, (uint64_t)p->class, q);
  } else {
    sinew_configuration_middle(a->model, q);
  }
  const double begin = processor_time();
  sinew_expect_ok(sinew_solver_solve(a->solver, &p->target, 1, q, &report));
  const double seconds = processor_time() - begin;
  const bool proven = report.outcome == SINEW_OUTCOME_OUT_OF_REACH;
  count_result(p, residual_of(a, &report), seconds, proven, t);
  count_result(p, residual_of(a, &report), seconds, proven, of_arm);
  if (getenv("BENCH_NEAREST_MISSES") != NULL &&
      !(residual_of(a, &report) <= (1.0 + SHARE) * p->residual)) {
    printf("    %s, %s, %s: %.6g instead of %.6g, %s, %d steps\n", ten_arms[p->arm],
           p->kind == SINEW_TASK_POSE ? "pose" : "position", class_names[p->class],
           residual_of(a, &report), p->residual, sinew_outcome_string(report.outcome),
           report.steps);
  }
}

static void solve_in_batch(const arm *a, const problem *problems, int count, tally (*t)[CLASSES][2],
                           tally *of_arm) {
  sinew_batch *batch;
  sinew_batch_worker *worker;
  sinew_batch_def def = sinew_default_batch_def();
  const int size = a->task.kind == SINEW_TASK_POSE ? 7 : 3;
  double *targets = calloc((size_t)(count * size), sizeof *targets);
  double *q = calloc((size_t)(count * a->nq), sizeof *q);
  sinew_batch_row *rows = calloc((size_t)count, sizeof *rows);
  if (targets == NULL || q == NULL || rows == NULL ||
      sinew_batch_create(&def, a->model, &a->task, 1, &batch, NULL) != SINEW_OK ||
      sinew_batch_worker_create(batch, &worker, NULL) != SINEW_OK) {
    fail("no batch");
  }
  for (int i = 0; i < count; ++i) {
    memcpy(targets + i * size, problems[i].target.position, 3 * sizeof(double));
    if (size == 7) {
      memcpy(targets + i * size + 3, problems[i].target.rotation, 4 * sizeof(double));
    }
  }
  const sinew_batch_arrays arrays = {.targets = targets, .q = q, .rows = rows};
  const double begin = processor_time();
  sinew_expect_ok(sinew_batch_solve(batch, worker, &arrays, 0, (size_t)count));
  const double seconds = (processor_time() - begin) / count;
  for (int i = 0; i < count; ++i) {
    const double residual = hypot(rows[i].position_error / a->size, rows[i].orientation_error);
    const bool proven = rows[i].outcome == SINEW_OUTCOME_OUT_OF_REACH;
    count_result(&problems[i], residual, seconds, proven,
                 &(*t)[problems[i].class][problems[i].kind == SINEW_TASK_POSE]);
    count_result(&problems[i], residual, seconds, proven, of_arm);
  }
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
  free(rows);
  free(q);
  free(targets);
}

#define MOST_PROBLEMS 20000

void bench_nearest_compare(const char *path) {
  problem *problems = calloc(MOST_PROBLEMS, sizeof *problems), *some;
  tally t[3][CLASSES][2] = {{{{0}}}}, arms[3][TEN_ARMS] = {{{0}}};
  FILE *file = fopen(path, "r");
  int count = 0;
  if (file == NULL || problems == NULL) {
    fail(path);
  }
  while (count < MOST_PROBLEMS && read_problem(file, &problems[count])) {
    ++count;
  }
  fclose(file);
  some = calloc((size_t)count, sizeof *some);
  for (int k = 0; k < 2 * TEN_ARMS && some != NULL; ++k) {
    const sinew_task_kind kind = k % 2 ? SINEW_TASK_POSE : SINEW_TASK_POSITION;
    arm a;
    int of = 0;
    if (!open_arm(k / 2, kind, &a)) {
      fail("the ten arms of the optional data are needed");
    }
    for (int i = 0; i < count; ++i) {
      if (problems[i].arm == k / 2 && problems[i].kind == (int)kind) {
        some[of++] = problems[i];
      }
    }
    for (int i = 0; i < of; ++i) {
      for (int random = 0; random < 2; ++random) {
        solve_alone(&a, &some[i], random, &t[random][some[i].class][k % 2], &arms[random][k / 2]);
      }
    }
    if (of > 0) {
      solve_in_batch(&a, some, of, &t[2], &arms[2][k / 2]);
    }
    close_arm(&a);
  }
  print_tallies("Single solves from the middle of the limits", &t[0], arms[0]);
  print_tallies("Single solves from random seeds", &t[1], arms[1]);
  print_tallies("A batch without seeds", &t[2], arms[2]);
  free(some);
  free(problems);
}
