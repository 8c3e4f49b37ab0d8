// Hard tasks in solves: where not all tasks can be met, the answer is as that of updates.
//
//   test_hard_solve [FIGURES]    default 120
#include "barriers.h"
#include "fixtures.h"
#include "random_tree.h"
#include "sample.h"

#include <stdlib.h>
#include <string.h>

#define MOST 128
#define KEPT 1e-9 // the most by which an answer is outside [sizes of the figure, rad]

static int figure_count = SAMPLE_OF(120);

static sinew_solver *hard_solver(const sinew_model *model, const sinew_task *tasks, int count) {
  sinew_solver_def def = sinew_default_solver_def();
  def.hard_rows = sinew_task_hard_rows(tasks, count);
  def.lower.levels = 1;
  def.lower.objectives = 1;
  return solver_with(&def, model, tasks, count);
}

static bool accepts_none(void *context, const double *q) {
  (void)context;
  (void)q;
  return false;
}

// A clock that goes on by one second a call.
static double tick(void *context) {
  double *ticks = context;
  return *ticks += 1.0;
}

static sinew_model *make_figure(uint64_t seed, random_tree *tree) {
  random_tree_options options = random_tree_defaults();
  options.chain = 0.8;
  options.limited = seed % 3 == 0 ? 0.5 : 0.0;
  options.cones = seed % 3 == 0 ? 0.5 : 0.0;
  sinew_model *model = NULL;
  random_tree_make(tree, 4000 + seed, &options);
  assert_ok(sinew_model_create(&tree->def, &model, NULL));
  return model;
}

// How far an answer is beyond the hard task [sizes of the figure, rad].
static double outside(const sinew_model *model, const barrier *b, const double *q) {
  const double size = b->tasks[0].kind == SINEW_TASK_DIRECTION ? 1.0 : sinew_model_size(model);
  const double y = barrier_quantity(model, &b->tasks[0], &b->targets[0], q);
  return barrier_outside(&b->tasks[0], y) / size;
}

// What is left of the goal beyond it: distance and angle.
static double left_of(const sinew_model *model, const barrier *b, const double *q) {
  double distance, angle;
  measure(model, &b->tasks[1], &b->targets[1], q, &distance, &angle);
  return b->tasks[1].kind == SINEW_TASK_POSE ? distance + angle : distance;
}

// Random figures whose goal is beyond a hard task. Both solves keep it, and updates from there take
// the goal no nearer; those from the start end no nearer, either. The report is of the answer, to a
// hard task that is not required as well.
static void solves_keep_hard_tasks(void **unused) {
  (void)unused;
  static random_tree tree;
  random_stream r = random_stream_of(31);
  int farther = 0, nearer = 0;
  for (uint64_t seed = 0; seed < (uint64_t)figure_count; ++seed) {
    sinew_model *model = make_figure(seed, &tree);
    const size_t bytes = (size_t)sinew_model_nq(model) * sizeof(double);
    double start[2 * MOST], q[2 * MOST], updated[2 * MOST];
    barrier b;
    sinew_configuration_random(model, 6, seed, start);
    barrier_make(&r, model, start, (int)(seed % BARRIER_KINDS), &b);
    b.tasks[0].required = seed % 3 == 2 ? SINEW_NOT_REQUIRED : SINEW_REQUIRED;
    sinew_solver *solver = hard_solver(model, b.tasks, 2);
    memcpy(updated, start, bytes);
    for (int update = 0; update < 500; ++update) {
      assert_ok(sinew_solver_update(solver, b.targets, 2, updated, NULL));
    }
    for (int local = 0; local < 2; ++local) {
      sinew_report report;
      double distance, angle;
      memcpy(q, start, bytes);
      assert_ok(local ? sinew_solver_solve_local(solver, b.targets, 2, q, &report)
                      : sinew_solver_solve(solver, b.targets, 2, q, &report));
      assert_int_not_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
      assert_at_most(outside(model, &b, q), KEPT);
      assert_at_most(outside_limits(model, q), 1e-9);
      measure(model, &b.tasks[1], &b.targets[1], q, &distance, &angle);
      assert_near(report.position_error, distance, 1e-9);
      const double left = left_of(model, &b, q);
      farther += left > left_of(model, &b, updated) + 1e-6;
      nearer += left < left_of(model, &b, updated) - 1e-6;
      for (int update = 0; update < 200; ++update) {
        assert_ok(sinew_solver_update(solver, b.targets, 2, q, NULL));
      }
      assert_near(left_of(model, &b, q), left, 1e-6);
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  print_message("of %d answers %d are farther from their goals than updates, %d nearer\n",
                2 * figure_count, farther, nearer);
  assert_at_most(farther, 2 * figure_count / 500);
}

// A task of another link and a posture at level 1 beside them: the hard task is kept, and the goal
// is as near as without these.
static void lower_levels_cost_them_nothing(void **unused) {
  (void)unused;
  static random_tree tree;
  random_stream r = random_stream_of(32);
  int farther = 0;
  for (uint64_t seed = 0; seed < (uint64_t)figure_count; ++seed) {
    sinew_model *model = make_figure(seed, &tree);
    double alone[2 * MOST], q[2 * MOST], other[2 * MOST];
    barrier b;
    sinew_configuration_random(model, 6, seed, q);
    sinew_configuration_random(model, 7, seed, other);
    memcpy(alone, q, sizeof q);
    barrier_make(&r, model, q, (int)(seed % BARRIER_KINDS), &b);
    sinew_task tasks[3] = {b.tasks[0], b.tasks[1], task_of(SINEW_TASK_POSITION, 3)};
    sinew_target targets[3] = {b.targets[0], b.targets[1], target_at(model, &tasks[2], other)};
    sinew_objective posture = sinew_default_objective();
    tasks[2].level = 1;
    posture.kind = SINEW_OBJECTIVE_POSTURE;
    sinew_solver *two = hard_solver(model, tasks, 2), *solver = hard_solver(model, tasks, 3);
    assert_ok(sinew_solver_set_objectives(solver, &posture, 1, NULL));
    assert_ok(sinew_solver_solve_local(two, targets, 2, alone, NULL));
    assert_ok(sinew_solver_solve_local(solver, targets, 3, q, NULL));
    assert_at_most(outside(model, &b, q), KEPT);
    farther += left_of(model, &b, q) > left_of(model, &b, alone) + 1e-4;
    sinew_solver_destroy(two);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_at_most(farther, figure_count / 500);
}

// Limits of speed, acceleration and change, gains and the motion so far are of updates: a solve
// does not read them, and the updates after it have these settings again, as if the figure had
// rested there.
static void settings_are_those_of_updates(void **unused) {
  (void)unused;
  const double accelerations[7] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  random_stream r = random_stream_of(33);
  sinew_model *model = fixture_arm();
  for (int round = 0; round < 8; ++round) {
    double start[7], plain[7], q[7], again[7];
    barrier b;
    sinew_configuration_random(model, 6, (uint64_t)round, start);
    barrier_make(&r, model, start, round % BARRIER_KINDS, &b);
    sinew_task tasks[3] = {b.tasks[0], b.tasks[1], task_of(SINEW_TASK_POSITION, 4)};
    sinew_target targets[3] = {b.targets[0], b.targets[1], target_at(model, &tasks[2], start)};
    sinew_solver_def def = sinew_default_solver_def();
    def.hard_rows = sinew_task_hard_rows(tasks, 3);
    sinew_solver *solver = solver_with(&def, model, tasks, 3);
    memcpy(plain, start, sizeof start);
    assert_ok(sinew_solver_solve_local(solver, targets, 3, plain, NULL));
    assert_true(outside(model, &b, plain) > -1e-9);
    sinew_solver_destroy(solver);
    def.tracking.time_step = 0.01;
    def.tracking.error_gain = 0.2;
    def.tracking.max_change = 1e-6;
    tasks[1].gain = 0.3; // of two goals that are not met together
    solver = solver_with(&def, model, tasks, 3);
    sinew_solver *fresh = solver_with(&def, model, tasks, 3);
    assert_ok(sinew_solver_set_accelerations(solver, accelerations));
    assert_ok(sinew_solver_set_accelerations(fresh, accelerations));
    memcpy(q, start, sizeof start);
    for (int update = 0; update < 5; ++update) {
      assert_ok(sinew_solver_update(solver, targets, 3, q, NULL));
    }
    memcpy(q, start, sizeof start);
    assert_ok(sinew_solver_solve_local(solver, targets, 3, q, NULL));
    for (int i = 0; i < 7; ++i) {
      assert_near(q[i], plain[i], 1e-7);
    }
    memcpy(again, start, sizeof start);
    assert_ok(sinew_solver_solve_local(fresh, targets, 3, again, NULL));
    assert_memory_equal(q, again, sizeof q);
    sinew_solver_reset(fresh);
    targets[1].position[2] += 0.02;
    for (int update = 0; update < 20; ++update) {
      assert_ok(sinew_solver_update(solver, targets, 3, q, NULL));
      assert_ok(sinew_solver_update(fresh, targets, 3, again, NULL));
      assert_memory_equal(q, again, sizeof q);
    }
    sinew_solver_destroy(fresh);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// Far from targets that are in reach, by one start: the answers of solvers with an escape are those
// without, and where none is accepted none has converged.
static void answers_are_of_one_start(void **unused) {
  (void)unused;
  random_stream r = random_stream_of(35);
  sinew_model *model = fixture_arm();
  int met = 0;
  for (uint64_t seed = 0; seed < (uint64_t)(3 * figure_count); ++seed) {
    double start[7], q[2][7];
    barrier b;
    sinew_report report;
    sinew_configuration_random(model, 6, seed, start);
    barrier_make(&r, model, start, (int)(seed % BARRIER_KINDS), &b);
    b.tasks[1].kind = SINEW_TASK_POSE;
    b.targets[1] = target_at(model, &b.tasks[1], start);
    sinew_configuration_random(model, 7, seed, start);
    for (int escape = 0; escape < 2; ++escape) {
      sinew_solver_def def = sinew_default_solver_def();
      def.hard_rows = sinew_task_hard_rows(b.tasks, 2);
      def.budget.max_starts = 1;
      def.tracking.escape = escape != 0;
      sinew_solver *solver = solver_with(&def, model, b.tasks, 2);
      memcpy(q[escape], start, sizeof start);
      assert_ok(sinew_solver_solve_local(solver, b.targets, 2, q[escape], &report));
      met += report.outcome == SINEW_OUTCOME_CONVERGED;
      sinew_solver_destroy(solver);
    }
    assert_memory_equal(q[0], q[1], sizeof start);
    sinew_solver *solver = hard_solver(model, b.tasks, 2);
    sinew_global_def def = sinew_default_global_def();
    def.accept = accepts_none;
    def.max_starts = 1;
    memcpy(q[0], start, sizeof start);
    assert_ok(sinew_solver_search(solver, &def, b.targets, 2, q[0], &report));
    assert_int_not_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    sinew_solver_destroy(solver);
  }
  assert_true(met > 2 * figure_count);
  sinew_model_destroy(model);
}

// Without steps the answer is not moved, and time that runs out is told.
static void budgets_are_kept(void **unused) {
  (void)unused;
  random_stream r = random_stream_of(36);
  sinew_model *model = fixture_arm();
  double start[7], q[7], ticks = 0.0;
  barrier b;
  sinew_report report;
  sinew_configuration_random(model, 6, 1, start);
  barrier_make(&r, model, start, 0, &b);
  for (uint64_t seed = 2; outside(model, &b, start) < 0.01; ++seed) {
    sinew_configuration_random(model, 6, seed, start);
  }
  sinew_solver_def def = sinew_default_solver_def();
  def.hard_rows = 1;
  def.budget.max_steps = 0;
  sinew_solver *solver = solver_with(&def, model, b.tasks, 2);
  memcpy(q, start, sizeof start);
  assert_ok(sinew_solver_solve_local(solver, b.targets, 2, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_STEP_LIMIT);
  assert_int_equal(report.steps, 0);
  sinew_solver_destroy(solver);
  def = sinew_default_solver_def();
  def.hard_rows = 1;
  def.budget.clock = tick;
  def.budget.clock_context = &ticks;
  int late = 0;
  for (int limit = 10; limit < 2000; limit += 40) {
    def.budget.time_limit = limit;
    ticks = 0.0;
    solver = solver_with(&def, model, b.tasks, 2);
    memcpy(q, start, sizeof start);
    assert_ok(sinew_solver_solve(solver, b.targets, 2, q, &report));
    assert_true(report.outcome == SINEW_OUTCOME_TIME_LIMIT || outside(model, &b, q) < KEPT);
    late += report.outcome == SINEW_OUTCOME_TIME_LIMIT;
    sinew_solver_destroy(solver);
  }
  assert_true(late > 5);
  sinew_model_destroy(model);
}

// A batch has the answers of the solver, in any order of its problems.
static void batches_keep_them(void **unused) {
  (void)unused;
  enum { COUNT = 6 };
  sinew_model *model = fixture_arm();
  random_stream r = random_stream_of(34);
  barrier b;
  double seeds[COUNT * 7], rows[COUNT * 16], q[COUNT * 7], one[7];
  sinew_configuration_random(model, 6, 1, seeds);
  barrier_make(&r, model, seeds, 0, &b);
  const sinew_batch_def def = sinew_default_batch_def();
  sinew_batch *batch = NULL;
  sinew_batch_worker *worker = NULL;
  assert_ok(sinew_batch_create(&def, model, b.tasks, 2, &batch, NULL));
  assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
  const int size = sinew_batch_target_size(batch), first = sinew_task_target_size(&b.tasks[0]);
  assert_true(size <= 16);
  for (int i = 0; i < COUNT; ++i) {
    sinew_configuration_random(model, 6, 1, seeds + 7 * i);
    sinew_target beyond = b.targets[1];
    beyond.position[0] += 0.01 * i;
    sinew_target_pack(&b.tasks[0], &b.targets[0], rows + size * i);
    sinew_target_pack(&b.tasks[1], &beyond, rows + size * i + first);
  }
  const sinew_batch_arrays arrays = {.targets = rows, .seeds = seeds, .q = q};
  assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, COUNT));
  int kept = 0;
  for (int i = COUNT - 1; i >= 0; --i) {
    const sinew_batch_arrays alone = {.targets = rows + size * i, .seeds = seeds + 7 * i, .q = one};
    assert_ok(sinew_batch_solve(batch, worker, &alone, 0, 1));
    assert_memory_equal(one, q + 7 * i, sizeof one);
    const double at_end = outside(model, &b, one);
    assert_at_most(at_end, KEPT);
    kept += at_end > -1e-6;
  }
  assert_true(kept > COUNT / 2);
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
  sinew_model_destroy(model);
}

int main(int argc, char **argv) {
  figure_count = argc > 1 ? atoi(argv[1]) : figure_count;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solves_keep_hard_tasks),
      cmocka_unit_test(lower_levels_cost_them_nothing),
      cmocka_unit_test(settings_are_those_of_updates),
      cmocka_unit_test(answers_are_of_one_start),
      cmocka_unit_test(budgets_are_kept),
      cmocka_unit_test(batches_keep_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
