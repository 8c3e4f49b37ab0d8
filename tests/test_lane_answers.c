// The results of solves in lanes, for each lane count: real arms reach their poses, checked by
// forward kinematics and within limits; unreachable targets are reported as such and do not change
// other problems; no result is NaN or infinite.
#include "fixtures.h"
#include "shared_data.h"
#include "sinew/formats.h"

#define MOST_NQ 32
#define PROBLEMS 60
#define ROW 7 // values in a pose

// A test's state is its lane count; the test skips where this processor does not support it.
static int lanes_of_state(void **state) {
  const int lanes = (int)(uintptr_t)*state;
  sinew_model *model = fixture_planar(1, 1.0);
  sinew_batch_def def = sinew_default_batch_def();
  sinew_batch *batch = NULL;
  def.lanes = lanes;
  const sinew_task task = task_of(SINEW_TASK_POSITION, 1);
  const bool has = sinew_batch_create(&def, model, &task, 1, &batch, NULL) == SINEW_OK;
  assert_true(!has || sinew_batch_lanes(batch) == lanes);
  sinew_batch_destroy(batch);
  sinew_model_destroy(model);
  if (!has) {
    print_message("this processor has not %d lanes\n", lanes);
    skip();
  }
  return lanes;
}

// ---------------------------------------------------------------- a set of problems

typedef struct set {
  sinew_model *model;
  sinew_task task;
  int lanes, nq, attempts;
  double rows[PROBLEMS * ROW], seeds[PROBLEMS * MOST_NQ];
  double q[PROBLEMS * MOST_NQ];
  sinew_batch_row reports[PROBLEMS];
} set;

static void write_target(const sinew_target *target, double row[ROW]) {
  memcpy(row, target->position, 3 * sizeof(double));
  memcpy(row + 3, target->rotation, 4 * sizeof(double));
}

static sinew_target read_target(const double row[ROW]) {
  sinew_target target = sinew_default_target();
  memcpy(target.position, row, 3 * sizeof(double));
  memcpy(target.rotation, row + 3, 4 * sizeof(double));
  return target;
}

// Poses of a link in random configurations, and seeds in other random configurations.
static void set_begin(set *s, sinew_model *model, int link, int lanes) {
  s->model = model;
  s->task = task_of(SINEW_TASK_POSE, link);
  s->lanes = lanes;
  s->attempts = 1000;
  s->nq = sinew_model_nq(model);
  assert_true(s->nq <= MOST_NQ);
  for (int i = 0; i < PROBLEMS; ++i) {
    double q[MOST_NQ];
    sinew_configuration_random(model, 501, (uint64_t)i, q);
    const sinew_target target = target_at(model, &s->task, q);
    write_target(&target, s->rows + i * ROW);
    sinew_configuration_random(model, 502, (uint64_t)i, s->seeds + i * s->nq);
  }
}

// Solves all problems in ranges with these ends, the last range first.
static void solve_ranges(set *s, const int *ends, int count) {
  sinew_batch_def def = sinew_default_batch_def();
  sinew_batch *batch = NULL;
  sinew_batch_worker *worker = NULL;
  def.lanes = s->lanes;
  def.max_starts = s->attempts;
  memset(s->q, 0xa5, sizeof s->q);
  memset(s->reports, 0xa5, sizeof s->reports);
  assert_ok(sinew_batch_create(&def, s->model, &s->task, 1, &batch, NULL));
  assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
  const sinew_batch_arrays arrays = {
      .targets = s->rows, .seeds = s->seeds, .q = s->q, .rows = s->reports};
  for (int k = count; k-- > 0;) {
    const int first = k > 0 ? ends[k - 1] : 0;
    assert_ok(sinew_batch_solve(batch, worker, &arrays, (size_t)first, (size_t)(ends[k] - first)));
  }
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
}

static void solve_set(set *s) {
  static const int all[1] = {PROBLEMS};
  solve_ranges(s, all, 1);
}

// Checks the report by forward kinematics, the limits, and that all numbers are finite.
static void check_answer(const set *s, const double *row, const double *q, sinew_outcome outcome,
                         double position, double orientation) {
  double distance, angle;
  const sinew_target target = read_target(row);
  for (int i = 0; i < s->nq; ++i) {
    assert_true(isfinite(q[i]));
  }
  measure(s->model, &s->task, &target, q, &distance, &angle);
  assert_true(outside_limits(s->model, q) == 0.0);
  assert_near(position, distance, 1e-9 + 1e-12 * distance);
  assert_near(orientation, angle, 3e-8);
  const bool met = distance <= 1.000001e-6 && angle <= 1e-6 + 3e-8;
  assert_int_equal(met, outcome == SINEW_OUTCOME_CONVERGED);
}

static void check_row(const set *s, int i) {
  check_answer(s, s->rows + i * ROW, s->q + i * s->nq, s->reports[i].outcome,
               s->reports[i].position_error, s->reports[i].orientation_error);
}

// ------------------------------------------------------------------------ arms

static sinew_model *read_arm(const char *path, int *tip) {
  sinew_document *document = NULL;
  sinew_model *model = NULL;
  sinew_error error = {0};
  char line[512] = "", name[128] = "flange";
  if (sinew_document_open(path, NULL, &document, &error) != SINEW_OK ||
      sinew_model_create(&document->model, &model, &error) != SINEW_OK) {
    fail_msg("%s: %s: %s", path, error.name, error.message);
  }
  sinew_document_destroy(document);
  FILE *text = fopen(path, "rb");
  while (fgets(line, sizeof line, text) != NULL) { // the first comment names the tip link
    const char *found = strstr(line, "tip=");
    if (found != NULL && sscanf(found + 4, "%127[^; ]", name) == 1) {
      break;
    }
  }
  fclose(text);
  *tip = sinew_model_find_link(model, name);
  assert_true(*tip >= 0);
  return model;
}

// Batches and global solves reach every reachable pose.
static void try_arm(const char *path, int lanes) {
  static set s;
  int tip;
  sinew_model *model = read_arm(path, &tip);
  set_begin(&s, model, tip, lanes);
  solve_set(&s);
  for (int i = 0; i < PROBLEMS; ++i) {
    check_row(&s, i);
    assert_int_equal(s.reports[i].outcome, SINEW_OUTCOME_CONVERGED);
  }
  sinew_solver_def def = sinew_default_solver_def();
  def.lanes = lanes;
  sinew_solver *solver = solver_with(&def, model, &s.task, 1);
  for (int i = 0; i < PROBLEMS; ++i) {
    double q[MOST_NQ];
    sinew_report report;
    const sinew_target target = read_target(s.rows + i * ROW);
    memcpy(q, s.seeds + i * s.nq, sizeof(double) * (size_t)s.nq);
    assert_ok(sinew_solver_solve(solver, &target, 1, q, &report));
    check_answer(&s, s.rows + i * ROW, q, report.outcome, report.position_error,
                 report.orientation_error);
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// req: A8 F2 F3
static void project_arms_reach_their_poses(void **state) {
  const int lanes = lanes_of_state(state);
  try_arm("models/arm7.urdf", lanes);
  try_arm("models/arm6.urdf", lanes);
}

// req: A8 F2 F3
static void ten_arms_reach_their_poses(void **state) {
  static const char *const arms[] = {"baxter", "fetch7", "fetch8", "gen3",   "iiwa14",
                                     "jaco2",  "panda",  "pr2",    "tiago8", "ur5"};
  const int lanes = lanes_of_state(state);
  for (int a = 0; a < 10; ++a) {
    char path[4400];
    snprintf(path, sizeof path, "%s/data/arms/%s.urdf", shared_folder(), arms[a]);
    try_arm(path, lanes);
  }
}

// ------------------------------------------------------------------ the same bits

static bool same(const set *a, int i, const set *b, int k) {
  const sinew_batch_row *x = &a->reports[i], *y = &b->reports[k];
  return memcmp(a->q + i * a->nq, b->q + k * b->nq, (size_t)a->nq * sizeof(double)) == 0 &&
         x->outcome == y->outcome && x->steps == y->steps &&
         memcmp(&x->position_error, &y->position_error, sizeof(double)) == 0 &&
         memcmp(&x->orientation_error, &y->orientation_error, sizeof(double)) == 0;
}

// Ranges of any length, with invalid and unreachable problems in them: the same bits. req: F3
static void unreachable_problems_do_not_change_others(void **state) {
  static set alone, mixed;
  static const int ends[] = {1, 2, 9, 17, 40, 41, PROBLEMS};
  const int lanes = lanes_of_state(state);
  sinew_model *arm = fixture_arm();
  set_begin(&alone, arm, ARM_FLANGE, lanes);
  solve_set(&alone);
  mixed = alone;
  solve_ranges(&mixed, ends, 7);
  for (int i = 0; i < PROBLEMS; ++i) {
    assert_true(same(&alone, i, &mixed, i));
  }
  for (int i = 0; i < PROBLEMS; i += 3) {
    double *row = mixed.rows + i * ROW;
    const double bad[4] = {1e9, NAN, 40.0, row[0] + 1.2};
    row[i % 2] = bad[i / 3 % 4];
  }
  solve_set(&mixed);
  for (int i = 0; i < PROBLEMS; ++i) {
    if (i % 3 != 0) {
      assert_true(same(&alone, i, &mixed, i));
    } else if (i / 3 % 4 == 1) {
      assert_int_equal(mixed.reports[i].outcome, SINEW_OUTCOME_BAD_INPUT);
    } else {
      check_row(&mixed, i);
      assert_true(i / 3 % 4 == 3 || mixed.reports[i].outcome == SINEW_OUTCOME_OUT_OF_REACH);
    }
  }
  sinew_model_destroy(arm);
}

// --------------------------------------------------------------------- no answer

// The outcome of a problem by a batch and by a global solve, where both must be true.
static sinew_outcome outcome_of(const sinew_model *model, const sinew_task *task,
                                const sinew_target *target, int lanes, int attempts,
                                const double *seed) {
  static set s;
  s = (set){.task = *task, .lanes = lanes, .nq = sinew_model_nq(model)};
  sinew_batch_def def = sinew_default_batch_def();
  sinew_batch *batch = NULL;
  sinew_batch_worker *worker = NULL;
  def.lanes = lanes;
  def.max_starts = attempts;
  assert_ok(sinew_batch_create(&def, model, task, 1, &batch, NULL));
  assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
  double row[ROW], position = 0.0, orientation = 0.0, distance, angle;
  write_target(target, row);
  if (task->kind == SINEW_TASK_ORIENTATION) {
    memcpy(row, target->rotation, sizeof target->rotation);
  }
  const sinew_batch_arrays arrays = {.targets = row, .seeds = seed, .q = s.q, .rows = s.reports};
  assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, 1));
  measure(model, task, target, s.q, &distance, &angle);
  position = s.reports[0].position_error;
  orientation = s.reports[0].orientation_error;
  assert_near(position, distance, 1e-9 * (1.0 + distance));
  assert_near(orientation, angle, 3e-8);
  const double rounding = 1e-15 * fabs(target->position[2]);
  const bool met = distance <= 1.000001e-6 + rounding && angle <= 1e-6 + 3e-8;
  assert_int_equal(met, s.reports[0].outcome == SINEW_OUTCOME_CONVERGED);
  assert_at_most(outside_limits(model, s.q), 0.0);
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);

  sinew_solver_def solver_def = sinew_default_solver_def();
  sinew_global_def global = sinew_default_global_def();
  sinew_report report;
  double q[MOST_NQ];
  solver_def.lanes = lanes;
  global.max_starts = attempts;
  sinew_configuration_middle(model, q);
  if (seed != NULL) {
    memcpy(q, seed, (size_t)s.nq * sizeof(double));
  }
  sinew_solver *solver = solver_with(&solver_def, model, task, 1);
  assert_ok(sinew_solver_search(solver, &global, target, 1, q, &report));
  measure(model, task, target, q, &distance, &angle);
  assert_near(report.position_error, distance, 1e-9 * (1.0 + distance));
  assert_int_equal(report.outcome, s.reports[0].outcome);
  sinew_solver_destroy(solver);
  return s.reports[0].outcome;
}

// Out of reach, blocked by limits, and stalled. req: A8 C6 F2
static void outcomes_are_reported(void **state) {
  const int lanes = lanes_of_state(state);
  sinew_model *model = fixture_planar_limited(2, 1.0, -0.5, 0.5, INFINITY);
  sinew_task task = task_of(SINEW_TASK_POSITION, 2);
  task.point_l[0] = 1.0;
  sinew_target target = sinew_default_target();
  target.position[0] = 1.95;
  assert_int_equal(outcome_of(model, &task, &target, lanes, 50, NULL), SINEW_OUTCOME_CONVERGED);
  target.position[0] = -1.5;
  target.position[1] = 0.2;
  assert_int_equal(outcome_of(model, &task, &target, lanes, 50, NULL), SINEW_OUTCOME_OUT_OF_REACH);
  target.position[0] = 2.5;
  assert_int_equal(outcome_of(model, &task, &target, lanes, 50, NULL), SINEW_OUTCOME_OUT_OF_REACH);
  target.position[0] = 1e9;
  assert_int_equal(outcome_of(model, &task, &target, lanes, 50, NULL), SINEW_OUTCOME_OUT_OF_REACH);
  task = task_of(SINEW_TASK_ORIENTATION, 2);
  sinew_quaternion_from_rpy((double[3]){0.0, 0.0, 2.0}, target.rotation);
  assert_int_equal(outcome_of(model, &task, &target, lanes, 50, NULL),
                   SINEW_OUTCOME_BLOCKED_BY_LIMITS);
  sinew_model_destroy(model);
  model = fixture_planar(2, 1.0);
  task = task_of(SINEW_TASK_ORIENTATION, 2);
  sinew_quaternion_from_rpy((double[3]){0.4, 0.0, 0.0}, target.rotation);
  assert_int_equal(outcome_of(model, &task, &target, lanes, 50, NULL), SINEW_OUTCOME_STALLED);
  sinew_model_destroy(model);
}

// The number of solutions that a search for one finds.
static int count_all(const sinew_model *model, const sinew_task *task, const sinew_target *target,
                     int lanes, const double *seed) {
  sinew_solver_def def = sinew_default_solver_def();
  sinew_global_def global = sinew_default_global_def();
  double q[MOST_NQ], distance = 0.0, angle;
  int found = -1;
  def.lanes = lanes;
  global.max_starts = 20;
  sinew_solver *solver = solver_with(&def, model, task, 1);
  assert_ok(sinew_solver_solve_all(solver, &global, target, 1, seed, 1, q, &found, NULL));
  if (found > 0) {
    measure(model, task, target, q, &distance, &angle);
  }
  assert_at_most(distance, 1.000001e-6 + 1e-15 * fabs(target->position[2]));
  sinew_solver_destroy(solver);
  return found;
}

// Targets thousands of sizes away, where a base without limits can go. req: C6
static void very_far_targets_converge(void **state) {
  const int lanes = lanes_of_state(state);
  static const sinew_joint_kind kinds[] = {SINEW_JOINT_FREE, SINEW_JOINT_PRISMATIC};
  for (int k = 0; k < 2; ++k) {
    builder b;
    builder_start(&b);
    builder_add(&b, 0, kinds[k], 0.1, 0.0, 0.0);
    builder_add(&b, 1, SINEW_JOINT_CONTINUOUS, 0.5, 0.0, 0.3);
    sinew_model *model = builder_make(&b);
    const sinew_task task = task_of(SINEW_TASK_POSITION, 2);
    const double far[] = {8.0, 5e3, 1e7};
    for (int i = 0; i < 3; ++i) {
      sinew_target target = sinew_default_target();
      target.position[0] = 0.6;
      target.position[2] = far[i];
      // From near there, and from a thousand sizes away.
      for (int near = 0; near < 2; ++near) {
        double seed[MOST_NQ], most = 1000.0 * sinew_model_size(model);
        sinew_configuration_middle(model, seed);
        seed[k == 0 ? 2 : 0] = near != 0 ? far[i] : fmin(far[i], most);
        assert_int_equal(outcome_of(model, &task, &target, lanes, 20, seed),
                         SINEW_OUTCOME_CONVERGED);
        assert_int_equal(count_all(model, &task, &target, lanes, seed), 1);
      }
    }
    sinew_model_destroy(model);
  }
}

// Seeds as large as doubles allow, very small and very large figures: the results are finite, and
// the same bits when solved again after another problem. req: F3
static void extreme_numbers_give_finite_results(void **state) {
  const int lanes = lanes_of_state(state);
  static const double scales[] = {1e-90, 1e-30, 1.0, 1e30, 1e90};
  for (int k = 0; k < 5; ++k) {
    static set s, again;
    builder b;
    builder_start(&b);
    builder_add(&b, 0, SINEW_JOINT_PRISMATIC, 0.0, 0.0, scales[k]);
    builder_add(&b, 1, SINEW_JOINT_CONTINUOUS, scales[k], 0.0, 0.0);
    builder_add(&b, 2, SINEW_JOINT_SPHERICAL, 0.0, scales[k], 0.0);
    sinew_model *model = builder_make(&b);
    set_begin(&s, model, 3, lanes);
    s.attempts = 20; // a tolerance of a micrometre is never met in figures of 1e90 m
    for (int i = 0; i < PROBLEMS; i += 2) {
      s.seeds[i * s.nq + i / 2 % 2] = i % 4 == 0 ? 1e100 : -1e99;
    }
    solve_set(&s);
    again = s;
    solve_set(&again);
    for (int i = 0; i < PROBLEMS; ++i) {
      assert_true(same(&s, i, &again, i));
      assert_true(isfinite(s.reports[i].position_error));
      assert_true(isfinite(s.reports[i].orientation_error));
      for (int n = 0; n < s.nq; ++n) {
        assert_true(isfinite(s.q[i * s.nq + n]));
      }
    }
    // A single problem has the result that it has after others in a batch.
    static const int ends[] = {1, 2, 3, 4, 5, 6, 7, PROBLEMS};
    solve_ranges(&again, ends, 8);
    for (int i = 0; i < PROBLEMS; ++i) {
      assert_true(same(&s, i, &again, i));
    }
    sinew_model_destroy(model);
  }
}

#define ON_EACH_WIDTH(test)                                                                        \
  {#test " 1", test, NULL, NULL, (void *)1}, {#test " 2", test, NULL, NULL, (void *)2},            \
      {#test " 4", test, NULL, NULL, (void *)4}, {                                                 \
#test " 8", test, NULL, NULL, (void *)8                                                        \
  }

int main(void) {
  const struct CMUnitTest tests[] = {
      ON_EACH_WIDTH(project_arms_reach_their_poses),
      ON_EACH_WIDTH(ten_arms_reach_their_poses),
      ON_EACH_WIDTH(unreachable_problems_do_not_change_others),
      ON_EACH_WIDTH(outcomes_are_reported),
      ON_EACH_WIDTH(very_far_targets_converge),
      ON_EACH_WIDTH(extreme_numbers_give_finite_results),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
