// All solutions of an arm's poses, against the set that restarts find.
//
// The reference of a pose: what random starts lead to, and a quarter as many again with the limits
// of the joints removed, whose results are then brought within the limits by whole turns. All
// starts are those of a batch, whose attempts end early where they gain little; a share of them,
// larger near singularities, where that is frequent, is solved once more by local solves. Each
// result is refined, so that results on the way to the same solution agree. Every fourth pose lies
// near a singularity: on the line between two random configurations, at 1e-1 to 1e-5 of its length
// from a zero of det J. References can be stored, since they take minutes.
#include "bench/solutions.h"
#include "bench/figure.h"
#include "scenes/expect.h"
#include "sinew/batch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SIX 6
#define MOST_VALUES 64    // nq of a model
#define MOST_SOLUTIONS 64 // of a pose
#define DISTINCT 0.01     // solutions that differ by less in every joint are the same [rad]
#define REFINED 1e-13     // error of refined solutions [sizes of the arm, rad]
#define REFINE_STEPS 400
#define REFINE_TURN 0.3 // largest change of a joint in a step [rad]
#define REFINE_DAMPING 1e-6
#define MOST_SEEN 4096
#define SINGULAR_STEPS 64 // of a line that is searched for a zero of det J
#define POSE_VALUES 7
#define CHUNK 500 // starts of one call of a batch

// One in so many starts is also that of a local solve.
#define LOCAL_ONE_IN 50
#define LOCAL_ONE_IN_SINGULAR 5
#define SINGULAR 0.01 // a pose whose least pivot is smaller is near a singularity

// Solves from given starts, within limits or without.
typedef struct starter {
  sinew_solver *local; // one local solve
  sinew_batch *batch;
  sinew_batch_worker *worker;
} starter;

typedef struct arm {
  figure f;
  const char *name;
  starter within, open;
  int active[SIX]; // the joint values that move the tip
} arm;

typedef struct reference {
  double goal[MOST_VALUES]; // a solution, of which the pose is taken
  double least;             // least pivot of J at it, a measure of its distance from a singularity
  int count;
  double rows[MOST_SOLUTIONS][SIX];
} reference;

// ------------------------------------------------------------------------ arms

// J (6 x 6, the active columns) at q, lengths in sizes of the arm.
static void jacobian_at(arm *a, const double *q, double A[SIX][SIX]) {
  static double J[SIX * MOST_VALUES];
  const int nv = sinew_model_nv(a->f.model);
  sinew_expect_ok(sinew_state_forward(a->f.state, q));
  sinew_expect_ok(
      sinew_state_jacobian(a->f.state, a->f.tasks[0].link, NULL, sinew_model_root(a->f.model), J));
  for (int i = 0; i < SIX; ++i) {
    for (int j = 0; j < SIX; ++j) {
      A[i][j] = J[nv * i + a->active[j]] / (i < 3 ? sinew_model_size(a->f.model) : 1.0);
    }
  }
}

// det J at q by elimination with pivoting; least (may be NULL) is the smallest pivot.
static double determinant(arm *a, const double *q, double *least) {
  double A[SIX][SIX], product = 1.0, smallest = INFINITY;
  jacobian_at(a, q, A);
  for (int k = 0; k < SIX; ++k) {
    int pivot = k;
    for (int i = k + 1; i < SIX; ++i) {
      pivot = fabs(A[i][k]) > fabs(A[pivot][k]) ? i : pivot;
    }
    product *= pivot != k ? -A[pivot][k] : A[k][k];
    smallest = fmin(smallest, fabs(A[pivot][k]));
    for (int j = 0; j < SIX; ++j) {
      const double swap = A[k][j];
      A[k][j] = A[pivot][j];
      A[pivot][j] = swap;
    }
    for (int i = k + 1; i < SIX && A[k][k] != 0.0; ++i) {
      const double factor = A[i][k] / A[k][k];
      for (int j = k; j < SIX; ++j) {
        A[i][j] -= factor * A[k][j];
      }
    }
  }
  if (least != NULL) {
    *least = smallest;
  }
  return product;
}

// x of A x = e by elimination with pivoting; false where A has no inverse.
static bool solve(double A[SIX][SIX], const double e[SIX], double x[SIX]) {
  memcpy(x, e, SIX * sizeof *x);
  for (int k = 0; k < SIX; ++k) {
    int pivot = k;
    for (int i = k + 1; i < SIX; ++i) {
      pivot = fabs(A[i][k]) > fabs(A[pivot][k]) ? i : pivot;
    }
    if (!(fabs(A[pivot][k]) > 1e-14)) {
      return false;
    }
    for (int j = 0; j < SIX; ++j) {
      const double swap = A[k][j];
      A[k][j] = A[pivot][j];
      A[pivot][j] = swap;
    }
    const double swap = x[k];
    x[k] = x[pivot];
    x[pivot] = swap;
    for (int i = k + 1; i < SIX; ++i) {
      const double factor = A[i][k] / A[k][k];
      for (int j = k; j < SIX; ++j) {
        A[i][j] -= factor * A[k][j];
      }
      x[i] -= factor * x[k];
    }
  }
  for (int k = SIX - 1; k >= 0; --k) {
    for (int j = k + 1; j < SIX; ++j) {
      x[k] -= A[k][j] * x[j];
    }
    x[k] /= A[k][k];
  }
  return true;
}

static void find_active(arm *a) {
  static double J[SIX * MOST_VALUES];
  double q[MOST_VALUES];
  const int nv = sinew_model_nv(a->f.model);
  int count = 0;
  sinew_configuration_random(a->f.model, 3, 3, q);
  sinew_expect_ok(sinew_state_forward(a->f.state, q));
  sinew_expect_ok(
      sinew_state_jacobian(a->f.state, a->f.tasks[0].link, NULL, sinew_model_root(a->f.model), J));
  for (int v = 0; v < nv; ++v) {
    double sum = 0.0;
    for (int i = 0; i < SIX; ++i) {
      sum += fabs(J[nv * i + v]);
    }
    if (sum > 0.0) {
      if (count == SIX) {
        fail("an end effector that six joints move is needed");
      }
      a->active[count++] = v;
    }
  }
  if (count != SIX) {
    fail("an end effector that six joints move is needed");
  }
}

static void create_starter(const figure *f, bool open, starter *s) {
  sinew_error error;
  sinew_solver_def def = sinew_default_solver_def();
  sinew_batch_def batch = sinew_default_batch_def();
  double lower[MOST_VALUES], upper[MOST_VALUES];
  def.budget.max_starts = 1;
  def.tolerances.position = def.tolerances.orientation = TOLERANCE;
  batch.tolerances = def.tolerances;
  require(sinew_solver_create(&def, f->model, &s->local, &error), &error);
  require(sinew_solver_set_tasks(s->local, f->tasks, f->count, &error), &error);
  for (int v = 0; v < f->nq; ++v) {
    lower[v] = -INFINITY;
    upper[v] = INFINITY;
  }
  if (open) {
    sinew_expect_ok(sinew_solver_set_limits(s->local, lower, upper));
    batch.lower = lower;
    batch.upper = upper;
  }
  require(sinew_batch_create(&batch, f->model, f->tasks, f->count, &s->batch, &error), &error);
  require(sinew_batch_worker_create(s->batch, &s->worker, &error), &error);
}

static void destroy_starter(starter *s) {
  sinew_batch_worker_destroy(s->worker);
  sinew_batch_destroy(s->batch);
  sinew_solver_destroy(s->local);
}

static void open_arm(arm *a, const char *path) {
  char file[4096];
  const char *comma = strchr(path, ','), *slash = strrchr(path, '/'), *tip = NULL;
  snprintf(file, sizeof file, "%.*s", (int)(comma != NULL ? comma - path : (long)strlen(path)),
           path);
  a->name = slash != NULL && (comma == NULL || slash < comma) ? slash + 1 : path;
  open_figure(&a->f, file, false);
  if (a->f.nq > MOST_VALUES || a->f.nq != sinew_model_nv(a->f.model)) {
    fail("too many joints, or spherical ones");
  }
  for (int link = 0; link < sinew_model_link_count(a->f.model); ++link) {
    tip = sinew_model_link_name(a->f.model, link);
  }
  add_task(&a->f, comma != NULL ? comma + 1 : tip);
  find_active(a);
  create_solver(&a->f);
  create_starter(&a->f, false, &a->within);
  create_starter(&a->f, true, &a->open);
}

static void close_arm(arm *a) {
  destroy_starter(&a->within);
  destroy_starter(&a->open);
  close_figure(&a->f);
}

// ------------------------------------------------------------------------ sets

// The largest difference of two solutions, full turns not counted.
static double difference(const double *a, const double *b) {
  double most = 0.0;
  for (int j = 0; j < SIX; ++j) {
    most = fmax(most, fabs(remainder(a[j] - b[j], 2.0 * PI)));
  }
  return most;
}

// The row of a set that is the same as q, or -1.
static int find(const double *q, double (*set)[SIX], int count, double distinct) {
  for (int i = 0; i < count; ++i) {
    if (difference(q, set[i]) < distinct) {
      return i;
    }
  }
  return -1;
}

static void read_active(const arm *a, const double *q, double row[SIX]) {
  for (int j = 0; j < SIX; ++j) {
    row[j] = q[a->active[j]];
  }
}

// Brings q within the limits by full turns; false if they cannot.
static bool bring_within(const arm *a, double *q) {
  for (int j = 0; j < SIX; ++j) {
    const int v = a->active[j];
    const double l = sinew_model_lower(a->f.model)[v], u = sinew_model_upper(a->f.model)[v];
    q[v] += q[v] < l ? 2.0 * PI * ceil((l - q[v]) / (2.0 * PI)) : 0.0;
    q[v] -= q[v] > u ? 2.0 * PI * ceil((q[v] - u) / (2.0 * PI)) : 0.0;
    if (!(q[v] >= l && q[v] <= u)) {
      return false;
    }
  }
  return true;
}

// e = the error of the tip at q: distance in sizes of the arm, angle; returns its norm.
static double error_at(arm *a, const sinew_target *target, const double *q, double e[SIX]) {
  sinew_target at;
  double back[4], turn[4], sum = 0.0;
  set_targets_at(&a->f, q, &at);
  for (int i = 0; i < 4; ++i) {
    back[i] = i == 0 ? at.rotation[i] : -at.rotation[i];
  }
  sinew_quaternion_multiply(target->rotation, back, turn);
  sinew_quaternion_log(turn, e + 3);
  for (int i = 0; i < 3; ++i) {
    e[i] = (target->position[i] - at.position[i]) / sinew_model_size(a->f.model);
  }
  for (int i = 0; i < SIX; ++i) {
    sum += e[i] * e[i];
  }
  return sqrt(sum);
}

static void add_step(const arm *a, double factor, const double x[SIX], double *q) {
  for (int j = 0; j < SIX; ++j) {
    q[a->active[j]] += factor * x[j];
  }
}

// x = J^T (J J^T + mu I)^-1 e, which hardly moves along singular directions.
static void solve_damped(double J[SIX][SIX], double e[SIX], double x[SIX]) {
  double A[SIX][SIX] = {{0.0}}, y[SIX];
  for (int i = 0; i < SIX; ++i) {
    for (int j = 0; j < SIX; ++j) {
      for (int k = 0; k < SIX; ++k) {
        A[i][j] += J[i][k] * J[j][k];
      }
    }
    A[i][i] += REFINE_DAMPING;
  }
  memset(x, 0, SIX * sizeof *x);
  if (solve(A, e, y)) {
    for (int i = 0; i < SIX; ++i) {
      for (int j = 0; j < SIX; ++j) {
        x[j] += J[i][j] * y[i];
      }
    }
  }
}

// Refines a solution by Newton's method. Near a singularity all points of a curve are within the
// tolerance; Newton's step leads along its tangent, and two damped steps lead back to it. Steps are
// halved until they reduce the error.
static void refine(arm *a, const sinew_target *target, double *q) {
  double e[SIX], x[SIX], back[SIX], J[SIX][SIX], A[SIX][SIX], next[MOST_VALUES];
  double error = error_at(a, target, q, e);
  for (int k = 0; k < REFINE_STEPS && error > REFINED; ++k) {
    jacobian_at(a, q, A);
    if (!solve(A, e, x)) {
      return;
    }
    double most = REFINE_TURN, after = INFINITY;
    for (int j = 0; j < SIX; ++j) {
      most = fmax(most, fabs(x[j]));
    }
    for (double factor = REFINE_TURN / most; factor > 1e-6 && !(after < error); factor *= 0.5) {
      memcpy(next, q, sizeof next);
      add_step(a, factor, x, next);
      after = error_at(a, target, next, e);
      for (int correction = 0; correction < 2 && !(after < 0.5 * error); ++correction) {
        jacobian_at(a, next, J);
        solve_damped(J, e, back);
        add_step(a, 1.0, back, next);
        after = error_at(a, target, next, e);
      }
    }
    if (!(after < error)) {
      return;
    }
    memcpy(q, next, sizeof next);
    error = after;
  }
}

// Results before they were refined: others this near to one of them are not refined again.
typedef struct seen {
  int count;
  double rows[MOST_SEEN][SIX];
} seen;

static void add_result(arm *a, const sinew_target *target, const double *result, seen *s,
                       reference *r) {
  double q[MOST_VALUES], row[SIX];
  memcpy(q, result, (size_t)a->f.nq * sizeof *q);
  read_active(a, q, row);
  if (find(row, r->rows, r->count, 0.1 * DISTINCT) >= 0 ||
      find(row, s->rows, s->count, 0.1 * DISTINCT) >= 0) {
    return;
  }
  if (s->count < MOST_SEEN) {
    memcpy(s->rows[s->count++], row, sizeof row);
  }
  refine(a, target, q);
  read_active(a, q, row);
  if (find(row, r->rows, r->count, DISTINCT) < 0 && bring_within(a, q) &&
      is_true(&a->f, q, target) && r->count < MOST_SOLUTIONS) {
    read_active(a, q, r->rows[r->count++]);
  }
}

// q = the i-th random start; inactive values are those of the goal.
static void go_to_start(const arm *a, uint64_t i, bool open, const reference *r, double *q) {
  sinew_configuration_random(a->f.model, 77, i, q);
  for (int v = 0; v < a->f.nq; ++v) {
    bool moves = false;
    for (int j = 0; j < SIX; ++j) {
      moves |= a->active[j] == v;
    }
    q[v] = !moves ? r->goal[v]
           : open ? 2.0 * PI * sinew_random_uniform(78, 64 * i + (uint64_t)v)
                  : q[v];
  }
}

// Adds what starts first to first + count - 1 lead to, one in one_in of them by local solves too.
static void add_starts(arm *a, const sinew_target *target, uint64_t first, int count, bool open,
                       int one_in, seen *known, reference *r) {
  static double targets[CHUNK * POSE_VALUES], starts[CHUNK * MOST_VALUES], q[CHUNK * MOST_VALUES];
  static sinew_batch_row rows[CHUNK];
  const starter *by = open ? &a->open : &a->within;
  const size_t nq = (size_t)a->f.nq;
  for (int i = 0; i < count; ++i) {
    memcpy(targets + POSE_VALUES * i, target->position, sizeof target->position);
    memcpy(targets + POSE_VALUES * i + 3, target->rotation, sizeof target->rotation);
    go_to_start(a, first + (uint64_t)i, open, r, starts + nq * (size_t)i);
  }
  const sinew_batch_arrays arrays = {.targets = targets, .seeds = starts, .q = q, .rows = rows};
  sinew_expect_ok(sinew_batch_solve(by->batch, by->worker, &arrays, 0, (size_t)count));
  for (int i = 0; i < count; ++i) {
    double *start = starts + nq * (size_t)i;
    sinew_report report;
    if (rows[i].outcome == SINEW_OUTCOME_CONVERGED) {
      add_result(a, target, q + nq * (size_t)i, known, r);
    }
    if (i % one_in == 0) {
      sinew_expect_ok(sinew_solver_solve_local(by->local, target, 1, start, &report));
      if (report.outcome == SINEW_OUTCOME_CONVERGED) {
        add_result(a, target, start, known, r);
      }
    }
  }
}

// Random starts find a set of solutions.
static void restart(arm *a, const sinew_target *target, reference *r) {
  static seen known;
  const int one_in = r->least < SINGULAR ? LOCAL_ONE_IN_SINGULAR : LOCAL_ONE_IN;
  r->count = known.count = 0;
  for (int open = 0; open <= 1; ++open) {
    const int count = options.restarts / (open ? 4 : 1);
    for (int i = 0; i < count; i += CHUNK) {
      const int size = count - i < CHUNK ? count - i : CHUNK;
      add_starts(a, target, (uint64_t)i, size, open, one_in, &known, r);
    }
  }
}

// A configuration near a zero of det J; false if the line has none.
static bool go_to_singularity(arm *a, uint64_t seed, uint64_t i, double *q) {
  double from[MOST_VALUES] = {0.0}, to[MOST_VALUES] = {0.0}, before = 0.0, low = -1.0, high = 0.0;
  sinew_configuration_random(a->f.model, seed, i, from);
  sinew_configuration_random(a->f.model, seed + 1, i, to);
#define AT(s)                                                                                      \
  for (int v = 0; v < a->f.nq; ++v) {                                                              \
    q[v] = from[v] + (s) * (to[v] - from[v]);                                                      \
  }
  for (int k = 0; k <= SINGULAR_STEPS && low < 0.0; ++k) {
    AT((double)k / SINGULAR_STEPS);
    const double d = determinant(a, q, NULL);
    if (k > 0 && d * before < 0.0) {
      low = (double)(k - 1) / SINGULAR_STEPS;
      high = (double)k / SINGULAR_STEPS;
    } else {
      before = d;
    }
  }
  if (low < 0.0) {
    return false;
  }
  for (int k = 0; k < 50; ++k) {
    const double middle = 0.5 * (low + high);
    AT(middle);
    if (determinant(a, q, NULL) * before > 0.0) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const double away = pow(10.0, -1.0 - 4.0 * sinew_random_uniform(seed + 2, i));
  const double s = low >= 0.5 ? low - away : low + away;
  AT(s);
#undef AT
  return true;
}

static void make_reference(arm *a, uint64_t i, reference *r) {
  sinew_target target;
  memset(r, 0, sizeof *r);
  if (i % 4 != 3 || !go_to_singularity(a, options.random_seed + 1000, i, r->goal)) {
    sinew_configuration_random(a->f.model, options.random_seed, i, r->goal);
  }
  determinant(a, r->goal, &r->least);
  set_targets_at(&a->f, r->goal, &target);
  restart(a, &target, r);
}

static FILE *open_store(const arm *a, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s-%d-%d-%d.ref", options.references, a->name, options.count,
           options.restarts, (int)options.random_seed);
  for (char *at = path + strlen(options.references) + 1; *at != '\0'; ++at) {
    *at = *at == '/' ? '_' : *at;
  }
  return fopen(path, mode);
}

// The references of all poses, from the store if it has them.
static reference *references_of(arm *a) {
  const size_t count = (size_t)options.count;
  reference *all = take(count, sizeof *all);
  FILE *store = options.references != NULL ? open_store(a, "rb") : NULL;
  if (store != NULL) {
    const bool whole = fread(all, sizeof *all, count, store) == count;
    fclose(store);
    if (!whole) {
      fail("a stored reference is too short");
    }
    return all;
  }
  for (size_t i = 0; i < count; ++i) {
    make_reference(a, i, &all[i]);
  }
  store = options.references != NULL ? open_store(a, "wb") : NULL;
  if (store != NULL) {
    fwrite(all, sizeof *all, count, store);
    fclose(store);
  }
  return all;
}

// --------------------------------------------------------------------- compare

// The results for an arm's poses.
typedef struct tally {
  int poses, whole, missed, twice, false_ones, more;
  long solutions, steps;
} tally;

// Two solutions are one and the same if they are once refined.
static void compare(arm *a, const sinew_target *target, reference *r, const double *solutions,
                    int found, tally *t) {
  double set[MOST_SOLUTIONS][SIX];
  int missed = 0, twice = 0;
  for (int i = 0; i < found; ++i) {
    double q[MOST_VALUES];
    memcpy(q, solutions + i * a->f.nq, (size_t)a->f.nq * sizeof *q);
    t->false_ones += !(is_true(&a->f, q, target) && is_within(a->f.model, q));
    refine(a, target, q);
    read_active(a, q, set[i]);
    twice += find(set[i], set, i, 0.5 * DISTINCT) >= 0;
    t->more += find(set[i], r->rows, r->count, DISTINCT) < 0;
  }
  for (int i = 0; i < r->count; ++i) {
    missed += find(r->rows[i], set, found, DISTINCT) < 0;
  }
  if (missed + twice > 0) {
    printf("  pose %d: %d missed, %d twice\n", t->poses, missed, twice);
  }
  ++t->poses;
  t->whole += missed == 0;
  t->missed += missed;
  t->twice += twice;
  t->solutions += r->count;
}

static void measure(arm *a, reference *all, const sinew_bank *bank) {
  static double solutions[MOST_SOLUTIONS * MOST_VALUES];
  double *seconds = take((size_t)options.count, sizeof *seconds);
  tally t = {0};
  for (int i = 0; i < options.count; ++i) {
    sinew_target target;
    sinew_report report;
    sinew_global_def def = sinew_default_global_def();
    double seed[MOST_VALUES] = {0.0}, times[ROUNDS];
    int found = 0;
    set_targets_at(&a->f, all[i].goal, &target);
    sinew_configuration_middle(a->f.model, seed);
    for (int v = 0, j = 0; v < a->f.nq; ++v) {
      const bool moves = j < SIX && a->active[j] == v;
      seed[v] = moves ? seed[v] : all[i].goal[v];
      j += moves;
    }
    def.bank = bank;
    def.max_starts = options.attempts > 0 ? options.attempts : def.max_starts;
    for (int round = 0; round < ROUNDS; ++round) {
      const double begin = now();
      sinew_expect_ok(sinew_solver_solve_all(a->f.solver, &def, &target, 1, seed, MOST_SOLUTIONS,
                                             solutions, &found, &report));
      times[round] = now() - begin;
    }
    seconds[i] = median_of(times);
    t.steps += report.steps;
    compare(a, &target, &all[i], solutions, found, &t);
  }
  printf("  %s: %.2f solutions each, %ld in all: the whole set in %.2f %%, %d missed, %d twice, %d "
         "that restarts miss, %d false\n    %.0f updates, ",
         bank != NULL ? "bank" : "none", (double)t.solutions / options.count, t.solutions,
         100.0 * t.whole / options.count, t.missed, t.twice, t.more, t.false_ones,
         (double)t.steps / options.count);
  print_times(seconds, options.count);
  printf("\n");
  free(seconds);
}

void bench_solutions(const char *path) {
  arm a;
  char room[SHOWN];
  printf("\nAll solutions: %s, %d poses, %d restarts\n", shown(path, room), options.count,
         options.restarts);
  open_arm(&a, path);
  reference *all = references_of(&a);
  measure(&a, all, a.f.bank);
  measure(&a, all, NULL);
  fflush(stdout);
  free(all);
  close_arm(&a);
}
