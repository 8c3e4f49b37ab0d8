// Gains of tasks: the share of its error that an update removes.
#include "fixtures.h"
#include "sample.h"

#include <stdlib.h>
#include <string.h>

#define MOST 128
#define SMALL 0.004 // of a joint's value: an error whose second order is small [rad]

// The distance and the angle of a task alone at q, by a solver that has no gain.
static void errors_at(const sinew_model *model, const sinew_task *task, const sinew_target *target,
                      const double *q, double errors[2]) {
  double at[MOST];
  sinew_task whole = *task;
  whole.gain = whole.influence = 1.0;
  whole.level = 0;
  sinew_solver *solver = solver_with(NULL, model, &whole, 1);
  memcpy(at, q, (size_t)sinew_model_nq(model) * sizeof *at);
  assert_ok(sinew_solver_update(solver, target, 1, at, NULL)); // errors before the update
  assert_ok(sinew_solver_task_error(solver, 0, &errors[0], &errors[1]));
  sinew_solver_destroy(solver);
}

// q within the limits, and another one near it.
static void choose_places(const sinew_model *model, uint64_t number, double size, double *q,
                          double *near) {
  double v[MOST];
  random_stream random = random_stream_of(number);
  sinew_configuration_random(model, 11, number, q);
  for (int i = 0; i < sinew_model_nv(model); ++i) {
    v[i] = random_between(&random, -size, size);
  }
  sinew_configuration_integrate(model, q, v, near);
}

// A task of a kind with all that varies, without ranges, in which the share of the error is not
// that of the way.
static sinew_task some_task(random_stream *random, const sinew_model *model, sinew_task_kind kind,
                            int link) {
  sinew_task task = task_of(kind, link);
  random_unit(random, 3, task.axis_l);
  random_unit(random, 4, task.rotation_l);
  vary_task(random, model, &task);
  for (int i = 0; i < 6; ++i) {
    task.axis_weights[i] = 1.0;
    task.range_lower[i] = task.range_upper[i] = 0.0;
  }
  task.cone_angle = 0.0;
  return task;
}

// After n updates (1 - gain)^n of the error of a task alone is left, of every kind, at level 0 and
// at level 1, and what each update reports is the error of the target. With an influence as well it
// is (1 - influence * gain)^n.
static void each_update_removes_its_share(void **state) {
  (void)state;
  random_stream random = random_stream_of(3);
  const int kinds = sinew_task_kind_count();
  int links[HUMANOID_PLACES], judged[16] = {0};
  sinew_model *model = fixture_humanoid(true, links);
  sinew_solver_def def = sinew_default_solver_def();
  def.lower.levels = 1;
  def.influences = 1;
  for (int round = 0; round < 24 * kinds; ++round) {
    const sinew_task_kind kind = (sinew_task_kind)(round % kinds);
    const bool lower = round / kinds % 2 == 1;
    double q[MOST], wanted[MOST], before[2];
    sinew_task tasks[2] = {some_task(&random, model, kind, links[HUMANOID_LEFT_HAND]),
                           task_of(SINEW_TASK_POSITION, links[HUMANOID_RIGHT_FOOT])};
    tasks[0].gain = random_between(&random, 0.1, 0.7);
    tasks[0].level = lower ? 1 : 0;
    tasks[0].influence = round / kinds % 3 == 2 ? random_between(&random, 0.2, 0.9) : 1.0;
    choose_places(model, (uint64_t)round, SMALL, q, wanted);
    const sinew_target targets[2] = {target_at(model, &tasks[0], wanted),
                                     target_at(model, &tasks[1], q)};
    errors_at(model, &tasks[0], &targets[0], q, before);
    sinew_solver *solver = solver_with(&def, model, tasks, 2);
    double share = 1.0;
    for (int n = 0; n < 4; ++n) {
      double at[2], known[2];
      errors_at(model, &tasks[0], &targets[0], q, known);
      assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
      assert_ok(sinew_solver_task_error(solver, 0, &at[0], &at[1]));
      for (int i = 0; i < 2; ++i) {
        if (before[i] < 1e-4) {
          continue;
        }
        assert_true(tasks[0].influence < 1.0 || fabs(at[i] - known[i]) < 1e-12);
        if (!(fabs(known[i] - share * before[i]) < 0.05 * before[i])) {
          printf("kind %d, level %d, gain %g, update %d: %g of %g, expected %g\n", (int)kind, lower,
                 tasks[0].gain, n, known[i], before[i], share * before[i]);
        }
        assert_true(fabs(known[i] - share * before[i]) < 0.05 * before[i]);
        ++judged[kind];
      }
      share *= 1.0 - tasks[0].influence * tasks[0].gain;
    }
    sinew_solver_destroy(solver);
  }
  for (int kind = 0; kind < kinds; ++kind) {
    assert_true(judged[kind] >= 20);
  }
  sinew_model_destroy(model);
}

// Targets at a distance, in and out of reach: in reach they are met, and out of reach the figure
// comes to rest. A task without a gain beside it goes all of its way at once.
static void targets_are_met_in_the_end(void **state) {
  (void)state;
  int links[HUMANOID_PLACES], met = 0;
  sinew_model *model = fixture_humanoid(false, links);
  for (int round = 0; round < SAMPLE_OF(40); ++round) {
    double q[MOST], wanted[MOST], last[MOST];
    sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]),
                           task_of(SINEW_TASK_POSITION, links[HUMANOID_RIGHT_FOOT])};
    tasks[0].gain = round % 2 == 0 ? 0.3 : 0.05;
    choose_places(model, (uint64_t)(100 + round), 0.2, q, wanted);
    sinew_target targets[2] = {target_at(model, &tasks[0], wanted),
                               target_at(model, &tasks[1], wanted)};
    const bool far = round % 4 >= 2;
    targets[0].position[0] += far ? 20.0 : 0.0;
    sinew_solver *solver = solver_with(NULL, model, tasks, 2);
    sinew_report report;
    for (int n = 0; n < 600; ++n) {
      memcpy(last, q, sizeof last);
      assert_ok(sinew_solver_update(solver, targets, 2, q, &report));
    }
    double moved = 0.0;
    for (int i = 0; i < sinew_model_nq(model); ++i) {
      moved = fmax(moved, fabs(q[i] - last[i]));
    }
    assert_true(moved < 1e-8);
    assert_true(!far || report.outcome == SINEW_OUTCOME_OUT_OF_REACH);
    met += report.outcome == SINEW_OUTCOME_CONVERGED;
    sinew_solver_destroy(solver);
  }
  assert_true(met >= SAMPLE_OF(40) * 2 / 5); // of half of them; some are beyond limits
  sinew_model_destroy(model);
}

// A moving target whose velocity is fed forward is followed without a lag, whatever the gain.
static void velocities_are_fed_forward_in_full(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(false, links);
  double q[MOST], errors[2];
  sinew_task task = task_of(SINEW_TASK_POSITION, links[HUMANOID_LEFT_HAND]);
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = 0.01;
  task.gain = 0.2;
  sinew_configuration_middle(model, q);
  sinew_target target = target_at(model, &task, q);
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  target.twist[2] = 0.1;
  for (int n = 0; n < 100; ++n) {
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    target.position[2] += 0.001;
  }
  errors_at(model, &task, &target, q, errors);
  assert_true(errors[0] < 1e-4); // without: .004, four updates of the target's motion
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Solves do not read gains.
static void solves_go_all_the_way(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(false, links);
  double seed[MOST], wanted[MOST], plain[MOST], eased[MOST];
  sinew_task task = task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]);
  choose_places(model, 5, 0.3, seed, wanted);
  const sinew_target target = target_at(model, &task, wanted);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  memcpy(plain, seed, sizeof plain);
  memcpy(eased, seed, sizeof eased);
  assert_ok(sinew_solver_solve_local(solver, &target, 1, plain, NULL));
  task.gain = 0.1;
  assert_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
  assert_ok(sinew_solver_solve_local(solver, &target, 1, eased, NULL));
  assert_memory_equal(plain, eased, (size_t)sinew_model_nq(model) * sizeof *plain);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

static void wrong_gains_are_refused(void **state) {
  (void)state;
  static const double wrong[] = {0.0, -0.5, 1.5, NAN, INFINITY};
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(false, links);
  sinew_task task = task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_error error;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    task.gain = wrong[i];
    assert_int_equal(sinew_solver_set_tasks(solver, &task, 1, &error), SINEW_ERROR_ARGUMENT);
    assert_string_equal(error.message, "task 0: gain is not above 0 and at most 1");
  }
  sinew_solver_destroy(solver);
  task.gain = 0.5;
  sinew_crowd_def def = sinew_default_crowd_def();
  sinew_crowd *crowd;
  assert_int_equal(sinew_crowd_create(&def, model, &task, 1, &crowd, &error), SINEW_ERROR_ARGUMENT);
  assert_string_equal(error.message, "task 0: gain 0.5, a crowd takes 1 alone");
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_update_removes_its_share),
      cmocka_unit_test(targets_are_met_in_the_end),
      cmocka_unit_test(velocities_are_fed_forward_in_full),
      cmocka_unit_test(solves_go_all_the_way),
      cmocka_unit_test(wrong_gains_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
