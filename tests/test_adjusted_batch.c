// Batches with frozen joints, gains and limits: they solve the problems that a solver with the same
// settings solves, and every result obeys those settings.
#include "fixtures.h"
#include "inspect.h"

#define PROBLEMS 12
#define MOST_NQ 96

typedef struct problems {
  sinew_model *model;
  sinew_task task;
  int nq, nv;
  unsigned char frozen[MOST_NQ];
  double gains[MOST_NQ], lower[MOST_NQ], upper[MOST_NQ];
  double seeds[PROBLEMS * MOST_NQ];
  sinew_target targets[PROBLEMS];
  double rows[PROBLEMS * 7];
} problems;

static double share(random_stream *random) {
  return random_between(random, 0.0, 1.0);
}

// A fifth of the degrees of freedom frozen, gains of 0.3 to 2, limits on most.
static void adjust(problems *p, random_stream *random) {
  for (int v = 0; v < p->nv; ++v) {
    const bool open = share(random) < 0.2;
    p->frozen[v] = share(random) < 0.2;
    p->gains[v] = random_between(random, 0.3, 2.0);
    p->lower[v] = open ? -INFINITY : -random_between(random, 0.3, 2.0);
    p->upper[v] = open ? INFINITY : random_between(random, 0.3, 2.0);
  }
}

// A configuration within limits; joints that are frozen, spherical ones also in part, as in from.
static void any_within(const problems *p, random_stream *random, const double *from, double *q) {
  sinew_configuration_random(p->model, random_bits(random), 0, q);
  for (int v = 0; v < p->nv; ++v) {
    const int at = p->model->q_of_v[v], axis = p->model->quaternion_axis[v];
    if (axis < 0) {
      q[at] = p->frozen[v] && from != NULL
                  ? from[at]
                  : random_between(random, fmax(p->lower[v], -2.0), fmin(p->upper[v], 2.0));
    } else if (p->frozen[v] && from != NULL) {
      memcpy(q + at, from + at, 4 * sizeof(double));
    }
  }
}

static void problems_of(problems *p, uint64_t seed) {
  static random_tree tree;
  random_stream random = random_stream_of(seed);
  random_tree_options options = random_tree_defaults();
  *p = (problems){.task = task_of(SINEW_TASK_POSE, 0)};
  options.joints = 7 + (int)(seed % 6);
  options.chain = 0.9;
  random_tree_make(&tree, seed, &options);
  assert_ok(sinew_model_create(&tree.def, &p->model, NULL));
  p->nq = sinew_model_nq(p->model);
  p->nv = sinew_model_nv(p->model);
  assert_true(p->nq <= MOST_NQ);
  for (int l = 0; l <= options.joints; ++l) {
    p->task.link = tree.depth[l] > tree.depth[p->task.link] ? l : p->task.link;
  }
  adjust(p, &random);
  for (int i = 0; i < PROBLEMS; ++i) {
    double q[MOST_NQ], *seed_q = p->seeds + i * p->nq, *row = p->rows + 7 * i;
    any_within(p, &random, NULL, seed_q);
    any_within(p, &random, seed_q, q);
    p->targets[i] = target_at(p->model, &p->task, q);
    memcpy(row, p->targets[i].position, 3 * sizeof(double));
    memcpy(row + 3, p->targets[i].rotation, 4 * sizeof(double));
  }
}

static sinew_batch_def def_of(const problems *p) {
  sinew_batch_def def = sinew_default_batch_def();
  def.frozen = p->frozen;
  def.gains = p->gains;
  def.lower = p->lower;
  def.upper = p->upper;
  return def;
}

static bool solver_solves(const problems *p, int i) {
  const sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = solver_with(&def, p->model, &p->task, 1);
  double q[MOST_NQ];
  sinew_report report;
  const sinew_global_def global = sinew_default_global_def();
  memcpy(q, p->seeds + i * p->nq, (size_t)p->nq * sizeof(double));
  assert_ok(sinew_solver_set_frozen(solver, p->frozen));
  assert_ok(sinew_solver_set_gains(solver, p->gains));
  assert_ok(sinew_solver_set_limits(solver, p->lower, p->upper));
  assert_ok(sinew_solver_search(solver, &global, &p->targets[i], 1, q, &report));
  sinew_solver_destroy(solver);
  return report.outcome == SINEW_OUTCOME_CONVERGED;
}

// Frozen joints have kept their bits, all others are within limits.
static void check_answer(const problems *p, int i, const double *q) {
  const double *seed = p->seeds + i * p->nq;
  for (int v = 0; v < p->nv; ++v) {
    const int at = p->model->q_of_v[v];
    if (p->model->quaternion_axis[v] < 0) {
      assert_true(!p->frozen[v] || memcmp(&q[at], &seed[at], sizeof q[at]) == 0);
      assert_true(p->frozen[v] || (p->lower[v] <= q[at] && q[at] <= p->upper[v]));
    }
  }
}

static void settings_are_obeyed(void **unused) {
  (void)unused;
  int solved = 0;
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    static problems p;
    static double q[PROBLEMS * MOST_NQ];
    sinew_batch_row rows[PROBLEMS];
    sinew_batch *batch;
    sinew_batch_worker *worker;
    problems_of(&p, seed);
    sinew_batch_def def = def_of(&p);
    def.lanes = seed % 2 == 0 ? 0 : 1;
    assert_ok(sinew_batch_create(&def, p.model, &p.task, 1, &batch, NULL));
    assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
    const sinew_batch_arrays arrays = {.targets = p.rows, .seeds = p.seeds, .q = q, .rows = rows};
    assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, PROBLEMS));
    for (int i = 0; i < PROBLEMS; ++i) {
      double distance, angle;
      const bool met = rows[i].outcome == SINEW_OUTCOME_CONVERGED;
      check_answer(&p, i, q + i * p.nq);
      measure(p.model, &p.task, &p.targets[i], q + i * p.nq, &distance, &angle);
      assert_true(!met || (distance <= 1e-6 + 1e-9 && angle <= 1e-6 + 2e-8));
      assert_true(met || !solver_solves(&p, i));
      solved += met;
    }
    sinew_batch_worker_destroy(worker);
    sinew_batch_destroy(batch);
    sinew_model_destroy(p.model);
  }
  assert_true(solved >= 16 * PROBLEMS * 9 / 10); // all are reachable
}

// Ranges of hard tasks are those of others in a batch, as in every solve.
static void hard_tasks_are_as_others(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    static problems p;
    static double q[2][PROBLEMS * MOST_NQ];
    sinew_batch_row rows[2][PROBLEMS];
    problems_of(&p, seed);
    for (int i = 0; i < 2; ++i) {
      p.task.range_lower[i] = -0.05;
      p.task.range_upper[i] = i == 0 ? 0.1 : INFINITY;
    }
    for (int hard = 0; hard < 2; ++hard) {
      sinew_batch *batch;
      sinew_batch_worker *worker;
      const sinew_batch_def def = def_of(&p);
      p.task.hard = hard == 1;
      assert_ok(sinew_batch_create(&def, p.model, &p.task, 1, &batch, NULL));
      assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
      const sinew_batch_arrays arrays = {
          .targets = p.rows, .seeds = p.seeds, .q = q[hard], .rows = rows[hard]};
      assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, PROBLEMS));
      sinew_batch_worker_destroy(worker);
      sinew_batch_destroy(batch);
    }
    for (int i = 0; i < PROBLEMS; ++i)
      assert_int_equal(rows[0][i].outcome, rows[1][i].outcome);
    assert_memory_equal(q[0], q[1], (size_t)(PROBLEMS * p.nq) * sizeof(double));
    sinew_model_destroy(p.model);
  }
}

// Arrays are copied when the batch is created: a worker created later uses the copies.
static void settings_are_copied(void **unused) {
  (void)unused;
  static problems p;
  double q[PROBLEMS * MOST_NQ];
  sinew_batch *batch;
  sinew_batch_worker *worker;
  problems_of(&p, 3);
  memset(p.frozen, 1, sizeof p.frozen);
  const sinew_batch_def def = def_of(&p);
  assert_ok(sinew_batch_create(&def, p.model, &p.task, 1, &batch, NULL));
  memset(p.frozen, 0, sizeof p.frozen);
  memset(p.lower, 0xff, sizeof p.lower);
  assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
  const sinew_batch_arrays arrays = {.targets = p.rows, .seeds = p.seeds, .q = q};
  assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, PROBLEMS));
  assert_memory_equal(q, p.seeds, (size_t)(PROBLEMS * p.nq) * sizeof(double));
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
  sinew_model_destroy(p.model);
}

static void invalid_settings_are_named(void **unused) {
  (void)unused;
  static problems p;
  sinew_error error;
  sinew_batch *batch;
  problems_of(&p, 4);
  sinew_batch_def def = def_of(&p);
  p.gains[1] = 2e6;
  assert_int_equal(sinew_batch_create(&def, p.model, &p.task, 1, &batch, &error),
                   SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "gain 2e+06 "));
  p.gains[1] = 1.0;
  p.lower[2] = 3.0;
  p.upper[2] = 2.0;
  assert_int_equal(sinew_batch_create(&def, p.model, &p.task, 1, &batch, &error),
                   SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "limits 3 and 2 "));
  def.lower = NULL;
  p.upper[2] = NAN;
  assert_int_equal(sinew_batch_create(&def, p.model, &p.task, 1, &batch, &error),
                   SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, " and nan "));
  def = def_of(&p);
  def.margin_angular = -0.1;
  assert_int_equal(sinew_batch_create(&def, p.model, &p.task, 1, &batch, &error),
                   SINEW_ERROR_ARGUMENT);
  assert_string_equal(error.name, "margin_angular");
  def.margin_angular = 0.0;
  def.margin_linear = NAN;
  assert_int_equal(sinew_batch_create(&def, p.model, &p.task, 1, &batch, &error),
                   SINEW_ERROR_ARGUMENT);
  assert_string_equal(error.name, "margin_linear");
  assert_null(batch);
  sinew_model_destroy(p.model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(settings_are_obeyed),
      cmocka_unit_test(hard_tasks_are_as_others),
      cmocka_unit_test(settings_are_copied),
      cmocka_unit_test(invalid_settings_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
