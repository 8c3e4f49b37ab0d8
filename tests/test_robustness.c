// The solver never returns NaN or infinity: targets where rows vanish, numbers at both ends of the
// range, figures of size zero, without joints, without degrees of freedom. And the same calls give
// the same bits.
#include "fixtures.h"

#include <float.h>

#define MOST 160

static void assert_finite_values(int count, const double *values) {
  for (int i = 0; i < count; ++i) {
    assert_true(isfinite(values[i]));
  }
}

static void assert_report_finite(const sinew_report *report) {
  if (report->outcome == SINEW_OUTCOME_NO_TASK || report->outcome == SINEW_OUTCOME_BAD_INPUT) {
    assert_true(report->position_error == -1.0 && report->orientation_error == -1.0);
    assert_int_equal(report->counted_tasks, 0);
    return;
  }
  assert_true(report->counted_tasks > 0);
  assert_true(isfinite(report->position_error) && report->position_error >= 0.0);
  assert_true(isfinite(report->orientation_error) && report->orientation_error >= 0.0);
  assert_true(report->orientation_error < 6.0); // three components of at most pi
  assert_in_range(report->outcome, 0, SINEW_OUTCOME_COUNT - 1);
}

// The same for global solves in every mode.
static void run_global(sinew_solver *solver, const sinew_model *model, const sinew_target *targets,
                       int count, const double *seed) {
  const int nq = sinew_model_nq(model);
  const bool inside = outside_limits(model, seed) <= 0.0;
  sinew_global_def def = sinew_default_global_def();
  sinew_report report;
  def.max_starts = 12;
  def.images = true;
  for (int mode = 0; mode < 3; ++mode) {
    double q[MOST], rows[3 * MOST];
    int found;
    memcpy(q, seed, (size_t)nq * sizeof *q);
    def.mode = (sinew_global_mode)mode;
    assert_ok(sinew_solver_search(solver, &def, targets, count, q, &report));
    assert_finite_values(nq, q);
    assert_report_finite(&report);
    assert_ok(sinew_solver_solve_all(solver, &def, targets, count, seed, 3, rows, &found, &report));
    assert_in_range(found, 0, 3);
    assert_true((found > 0) == (report.outcome == SINEW_OUTCOME_CONVERGED));
    assert_finite_values(found * nq, rows);
    assert_report_finite(&report);
    for (int i = 0; inside && i <= found; ++i) {
      assert_at_most(outside_limits(model, i == 0 ? q : rows + (size_t)(i - 1) * (size_t)nq),
                     1e-12);
    }
  }
}

// Updates and a solve from q: all results are finite, and within limits where q was.
static sinew_report run(sinew_solver *solver, const sinew_model *model, const sinew_target *targets,
                        int count, double *q) {
  const int nq = sinew_model_nq(model);
  const bool inside = outside_limits(model, q) <= 0.0;
  sinew_report report;
  for (int step = 0; step < 3; ++step) {
    assert_ok(sinew_solver_update(solver, targets, count, q, &report));
    assert_finite_values(nq, q);
    assert_report_finite(&report);
  }
  if (inside) {
    assert_at_most(outside_limits(model, q), 1e-12);
  }
  run_global(solver, model, targets, count, q);
  assert_ok(sinew_solver_solve_local(solver, targets, count, q, &report));
  assert_finite_values(nq, q);
  assert_report_finite(&report);
  for (int t = 0; t < count; ++t) {
    double errors[2];
    assert_ok(sinew_solver_task_error(solver, t, &errors[0], &errors[1]));
    assert_finite_values(2, errors);
  }
  return report;
}

static sinew_model *any_tree(uint64_t seed, double limited) {
  static random_tree tree;
  random_tree_options options = random_tree_defaults();
  options.limited = limited;
  options.velocity = seed % 2 == 0 ? 1.0 : 0.0;
  random_tree_make(&tree, seed, &options);
  sinew_model *model = NULL;
  assert_ok(sinew_model_create(&tree.def, &model, NULL));
  assert_true(sinew_model_nq(model) <= MOST);
  return model;
}

// The target is where the effector is: nothing moves.
// req: D1 F2
static void targets_at_the_effector(void **state) {
  (void)state;
  for (uint64_t round = 0; round < 100; ++round) {
    sinew_model *model = any_tree(200 + round, 0.5);
    double q[MOST], before[MOST];
    sinew_task tasks[4];
    sinew_target targets[4];
    sinew_configuration_random(model, 141, round, q);
    for (int t = 0; t < 4; ++t) {
      tasks[t] = task_of((sinew_task_kind)t, sinew_model_link_count(model) - 1 - t);
      targets[t] = target_at(model, &tasks[t], q);
    }
    sinew_solver *solver = solver_with(NULL, model, tasks, 4);
    memcpy(before, q, sizeof q);
    sinew_report report;
    assert_ok(sinew_solver_solve_local(solver, targets, 4, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_int_equal(report.steps, 0);
    assert_at_most(farthest(sinew_model_nq(model), q, before), 1e-12);
    run(solver, model, targets, 4, q);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// Whether targets are refused as too far for a figure that can go there: nothing changes.
static bool is_too_far(sinew_solver *solver, const sinew_target *targets, int count, int nq,
                       double *q) {
  double before[MOST];
  sinew_report report;
  memcpy(before, q, (size_t)nq * sizeof *q);
  const sinew_result result = sinew_solver_update(solver, targets, count, q, &report);
  if (result == SINEW_OK) {
    return false;
  }
  assert_int_equal(result, SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(sinew_solver_last_error(solver)->message, "position["));
  assert_int_equal(report.outcome, SINEW_OUTCOME_BAD_INPUT);
  assert_memory_equal(q, before, (size_t)nq * sizeof *q);
  return true;
}

// Positions from denormal numbers to the largest double.
// req: C5 C6
static void targets_of_any_size(void **state) {
  (void)state;
  int refused = 0, solved = 0;
  static const double sizes[] = {5e-324, 1e-310, 1e-150, 1e100, 1e150, 1e300, DBL_MAX};
  random_stream random = random_stream_of(142);
  for (uint64_t round = 0; round < 140; ++round) {
    sinew_model *model = any_tree(400 + round, 0.5);
    const double size = sizes[round % 7];
    double q[MOST];
    sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, sinew_model_link_count(model) - 1),
                           task_of(SINEW_TASK_POSITION, random_below(&random, 5))};
    tasks[0].free_axes =
        round % 3 == 0 ? free_axes_of(SINEW_TASK_POSE, (unsigned)random_below(&random, 64)) : 0;
    sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
    for (int t = 0; t < 2; ++t) {
      for (int i = 0; i < 3; ++i) {
        targets[t].position[i] = random_below(&random, 3) == 0   ? 0.0
                                 : random_below(&random, 2) == 0 ? size
                                                                 : -size;
        targets[t].twist[i] = targets[t].position[i];
        targets[t].twist[3 + i] = -targets[t].position[i];
      }
      random_unit(&random, 4, targets[t].rotation);
    }
    for (int timed = 0; timed < 2; ++timed) {
      sinew_solver_def def = sinew_default_solver_def();
      def.tracking.time_step = timed ? 0.01 : 0.0;
      def.budget.max_steps = 60;
      sinew_solver *solver = solver_with(&def, model, tasks, 2);
      sinew_configuration_random(model, 142, round, q);
      if (is_too_far(solver, targets, 2, sinew_model_nq(model), q)) {
        ++refused;
        assert_true(size >= 1e100);
      } else {
        ++solved;
        run(solver, model, targets, 2, q);
      }
      sinew_solver_destroy(solver);
    }
    sinew_model_destroy(model);
  }
  assert_true(refused > 20 && solved > 100);
}

// Arms with limits of up to 1e12 on one side or both, in the model or the solver's own, from the
// middle: solutions within a few turns are found as without limits. req: A10 F2
static void huge_limits_do_not_hide_solutions(void **state) {
  (void)state;
  random_stream random = random_stream_of(149);
  const sinew_task task = task_of(SINEW_TASK_POSE, 7);
  for (int round = 0; round < 120; ++round) {
    builder b;
    builder_start(&b);
    double lower[7], upper[7], goal[7], q[7], d, a;
    for (int i = 0; i < 7; ++i) {
      const double far = pow(10.0, random_between(&random, 5.0, 12.0));
      const double near = random_between(&random, -10.0, 10.0);
      const int side = random_below(&random, 3);
      lower[i] = side == 1 ? -far : side == 0 ? near : -far;
      upper[i] = side == 1 ? near : far;
      sinew_joint_def *joint = builder_add(&b, i, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.2);
      joint->axis[2] = i % 2 == 0 ? 1.0 : 0.0;
      joint->axis[1] = i % 2 == 0 ? 0.0 : 1.0;
      if (round % 2 == 0) {
        builder_limit(joint, lower[i], upper[i]);
      }
    }
    sinew_model *model = builder_make(&b);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    if (round % 2 == 1) {
      assert_ok(sinew_solver_set_limits(solver, lower, upper));
    }
    sinew_configuration_random(model, 8, (uint64_t)round, goal);
    const sinew_target target = target_at(model, &task, goal);
    for (int local = 0; local < 2; ++local) {
      sinew_report report;
      sinew_configuration_middle(model, q);
      assert_ok(local == 1 ? sinew_solver_solve_local(solver, &target, 1, q, &report)
                           : sinew_solver_solve(solver, &target, 1, q, &report));
      assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
      measure(model, &task, &target, q, &d, &a);
      assert_true(d <= 1.000001e-6 && a <= 1.1e-6);
      for (int i = 0; i < 7; ++i) {
        assert_true(q[i] >= lower[i] && q[i] <= upper[i]);
        assert_at_most(fabs(q[i]), 40.0);
      }
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// Quaternions and directions of any length but 0 are accepted, and equal to the normalized ones.
// req: A8
static void rotations_of_any_length(void **state) {
  (void)state;
  static const double lengths[] = {1e-300, 1e-160, 1e-20, 1.0, 1e20, 1e160, 1e300};
  sinew_model *arm = fixture_arm();
  const sinew_task tasks[2] = {task_of(SINEW_TASK_ORIENTATION, ARM_FLANGE),
                               task_of(SINEW_TASK_DIRECTION, ARM_FLANGE)};
  double goal[7];
  sinew_configuration_random(arm, 143, 0, goal);
  for (int t = 0; t < 2; ++t) {
    sinew_solver *solver = solver_with(NULL, arm, &tasks[t], 1);
    for (int i = 0; i < 7; ++i) {
      sinew_target target = target_at(arm, &tasks[t], goal);
      for (int k = 0; k < 4; ++k) {
        target.rotation[k] *= lengths[i];
      }
      for (int k = 0; k < 3; ++k) {
        target.direction[k] *= lengths[i];
      }
      double q[7];
      sinew_configuration_middle(arm, q);
      const sinew_report report = run(solver, arm, &target, 1, q);
      assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
      double distance, angle;
      const sinew_target unit = target_at(arm, &tasks[t], goal);
      measure(arm, &tasks[t], &unit, q, &distance, &angle);
      assert_at_most(angle, 1.001e-6);
    }
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(arm);
}

// A figure whose joints are all at one point: its size is zero.
// req: C6
static void links_of_length_zero(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  for (int i = 0; i < 6; ++i) {
    sinew_joint_def *joint =
        builder_add(&b, i, i == 2 ? SINEW_JOINT_SPHERICAL : SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
    joint->axis[i % 3] = 1.0 + i;
  }
  sinew_model *model = builder_make(&b);
  static const double places[][3] = {
      {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {1e-300, 0.0, 0.0}, {1e150, 1e150, -1e150}};
  for (int kind = 0; kind < 4; ++kind) {
    const sinew_task task = task_of((sinew_task_kind)kind, 6);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    for (int i = 0; i < 4; ++i) {
      sinew_target target = sinew_default_target();
      memcpy(target.position, places[i], sizeof target.position);
      sinew_quaternion_from_rpy((double[3]){1.0, 2.0, 3.0}, target.rotation);
      double q[9];
      sinew_configuration_random(model, 144, (uint64_t)i, q);
      const sinew_report report = run(solver, model, &target, 1, q);
      if (kind == SINEW_TASK_POSITION) {
        assert_int_equal(report.outcome,
                         i == 0 || i == 2 ? SINEW_OUTCOME_CONVERGED : SINEW_OUTCOME_OUT_OF_REACH);
      }
      if (kind == SINEW_TASK_ORIENTATION) {
        assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
      }
    }
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// Nothing can move: all frozen, gains of zero, limits of zero width. No target counts: no tasks,
// zero weights. q keeps its bits.
// req: B14 B15 E6 F2
static void no_degrees_of_freedom_and_no_tasks(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_target target = sinew_default_target();
  target.position[0] = 0.5;
  double q[7], before[7];
  sinew_configuration_middle(arm, q);
  memcpy(before, q, sizeof q);
  for (int way = 0; way < 5; ++way) {
    task.position_weight = task.orientation_weight = way == 4 ? 0.0 : 1.0;
    sinew_solver *solver = solver_with(NULL, arm, &task, way == 3 ? 0 : 1);
    const unsigned char frozen[7] = {1, 1, 1, 1, 1, 1, 1};
    const double gains[7] = {0.0};
    if (way == 0) {
      assert_ok(sinew_solver_set_frozen(solver, frozen));
    } else if (way == 1) {
      assert_ok(sinew_solver_set_gains(solver, gains));
    } else if (way == 2) {
      assert_ok(sinew_solver_set_limits(solver, before, before));
    }
    const sinew_report report = run(solver, arm, &target, way == 3 ? 0 : 1, q);
    assert_memory_equal(q, before, sizeof q);
    assert_true((report.outcome == SINEW_OUTCOME_NO_TASK) == (way >= 3));
    assert_int_not_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_int_equal(report.worst_task, way >= 3 ? -1 : 0);
    sinew_solver_destroy(solver);
  }
  // A solver with room for no task.
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = 0;
  sinew_solver *solver = solver_with(&def, arm, NULL, 0);
  run(solver, arm, NULL, 0, q);
  assert_memory_equal(q, before, sizeof q);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// Weights down to the smallest double, for an arm larger than a metre: those whose square is zero
// act as 0, and nothing is divided by that square.
// req: A8 F1
static void weights_of_any_size(void **state) {
  (void)state;
  static const double weights[] = {5e-324, 1e-320, 1e-300, 1e-160, 1e-13, 1e-11, 1e6};
  sinew_model *chain = fixture_planar(4, 1.0);
  assert_true(sinew_model_size(chain) > 2.0);
  for (size_t i = 0; i < sizeof weights / sizeof weights[0]; ++i) {
    for (int way = 0; way < 2; ++way) {
      double q[2][4] = {{0.3, -0.2, 0.5, 0.1}, {0.3, -0.2, 0.5, 0.1}};
      for (int twin = 0; twin < 2; ++twin) {
        sinew_task task = task_of(SINEW_TASK_POSE, 4);
        *(way == 0 ? &task.position_weight : &task.orientation_weight) = twin ? 0.0 : weights[i];
        sinew_solver *solver = solver_with(NULL, chain, &task, 1);
        sinew_target target = sinew_default_target();
        target.position[0] = 1.5;
        target.position[1] = 2.0;
        for (int step = 0; step < 5; ++step) {
          sinew_report report;
          assert_ok(sinew_solver_update(solver, &target, 1, q[twin], &report));
          assert_finite_values(4, q[twin]);
          assert_report_finite(&report);
        }
        sinew_solver_destroy(solver);
      }
      assert_int_equal(memcmp(q[0], q[1], sizeof q[0]) == 0, weights[i] < 1e-12);
    }
  }
  sinew_model_destroy(chain);
}

// One link and no joint.
// req: A1 F2
static void models_without_joints(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  sinew_model *model = builder_make(&b);
  double q[1] = {0.0};
  for (int kind = 0; kind < 4; ++kind) {
    const sinew_task task = task_of((sinew_task_kind)kind, 0);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    sinew_target target = sinew_default_target();
    assert_int_equal(run(solver, model, &target, 1, q).outcome, SINEW_OUTCOME_CONVERGED);
    target.position[1] = 1.0;
    sinew_quaternion_from_rpy((double[3]){1.0, 0.0, 0.0}, target.rotation);
    target.direction[0] = 1.0;
    assert_int_not_equal(run(solver, model, &target, 1, q).outcome, SINEW_OUTCOME_CONVERGED);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// An invalid q is refused and keeps its bits.
// req: F2
static void invalid_configurations_are_refused(void **state) {
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY, 1e200, -DBL_MAX};
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(true, links);
  const int nq = sinew_model_nq(model);
  const sinew_task task = task_of(SINEW_TASK_POSE, links[HUMANOID_HEAD]);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  const sinew_target target = sinew_default_target();
  for (int i = 0; i < nq; ++i) {
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
      double q[MOST], before[MOST];
      sinew_configuration_middle(model, q);
      q[i] = bad[k];
      memcpy(before, q, (size_t)nq * sizeof q[0]);
      assert_int_equal(sinew_solver_update(solver, &target, 1, q, NULL), SINEW_ERROR_NOT_FINITE);
      assert_int_equal(sinew_solver_solve_local(solver, &target, 1, q, NULL),
                       SINEW_ERROR_NOT_FINITE);
      assert_memory_equal(q, before, (size_t)nq * sizeof q[0]);
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A zero quaternion, and quaternions near zero.
// req: F2
static void zero_quaternions(void **state) {
  (void)state;
  static const double lengths[] = {0.0, 5e-324, 1e-200, 1e-8, 1e8, 1e90};
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
  builder_add(&b, 1, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 1.0);
  sinew_model *model = builder_make(&b);
  sinew_task task = task_of(SINEW_TASK_POSE, 2);
  task.point_l[2] = 1.0;
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_target target = sinew_default_target();
  target.position[0] = 1.0;
  for (int i = 0; i < 6; ++i) {
    double q[8] = {lengths[i], 0.0, 0.0, 0.0, 0.5 * lengths[i], lengths[i], 0.0, 0.0}, before[8];
    memcpy(before, q, sizeof q);
    const sinew_result result = sinew_solver_update(solver, &target, 1, q, NULL);
    if (result == SINEW_OK) {
      run(solver, model, &target, 1, q);
      assert_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, 1e-12);
    } else {
      assert_true(result == SINEW_ERROR_NOT_FINITE || result == SINEW_ERROR_ARGUMENT);
      assert_memory_equal(q, before, sizeof q);
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// ------------------------------------------------------------------ random inputs

// Mostly a common number, sometimes one at an end of the range.
static double extreme_number(random_stream *random, double usual) {
  static const double odd[] = {0.0, -0.0, 5e-324, 1e-310, 1e-30, 1e-9,
                               1e9, 1e30, 1e99,   1e150,  1e300};
  if (random_below(random, 4) != 0) {
    return random_between(random, -usual, usual);
  }
  const double sign = random_below(random, 2) == 0 ? 1.0 : -1.0;
  return sign * odd[random_below(random, 11)];
}

static sinew_task extreme_task(random_stream *random, int links) {
  sinew_task task = task_of((sinew_task_kind)random_below(random, 4), random_below(random, links));
  task.free_axes = random_below(random, 3) == 0
                       ? free_axes_of(task.kind, (unsigned)random_below(random, 64))
                       : 0;
  for (int i = 0; i < 3; ++i) {
    task.point_l[i] = extreme_number(random, 1.0);
    task.axis_l[i] = extreme_number(random, 1.0);
  }
  task.position_weight = fabs(extreme_number(random, 2.0));
  task.orientation_weight = fabs(extreme_number(random, 2.0));
  task.chain_root = random_below(random, 4) == 0 ? random_below(random, links) : -1;
  return task;
}

static sinew_target extreme_target(random_stream *random) {
  sinew_target target = sinew_default_target();
  for (int i = 0; i < 3; ++i) {
    target.position[i] = extreme_number(random, 1.0);
    target.direction[i] = extreme_number(random, 1.0);
    target.twist[i] = extreme_number(random, 1.0);
    target.twist[3 + i] = extreme_number(random, 1.0);
  }
  for (int i = 0; i < 4; ++i) {
    target.rotation[i] = extreme_number(random, 1.0);
  }
  return target;
}

static sinew_solver *extreme_solver(random_stream *random, const sinew_model *model) {
  static const double damping[] = {0.0, 1e-300, 1e-12, 0.1, 1e6, 1e99};
  static const double turns[] = {1e-300, 1e-3, 1.0, 1e10, INFINITY};
  static const double times[] = {0.0, 0.0, 5e-324, 0.01, 1e99};
  sinew_solver_def def = sinew_default_solver_def();
  def.budget.max_steps = random_below(random, 40);
  def.budget.max_starts = 1 + random_below(random, 4);
  def.step.error_damping = damping[random_below(random, 6)];
  def.step.damping_floor = damping[random_below(random, 6)];
  def.step.max_turn = turns[random_below(random, 5)];
  def.tracking.time_step = times[random_below(random, 5)];
  def.tracking.error_gain = random_below(random, 3) == 0 ? 1e-300 : 1.0;
  def.step.dls_form = (sinew_dls_form)random_below(random, 4);
  sinew_solver *solver = NULL;
  assert_ok(sinew_solver_create(&def, model, &solver, NULL));
  const int nv = sinew_model_nv(model);
  double gains[MOST], lower[MOST], upper[MOST];
  unsigned char frozen[MOST];
  for (int v = 0; v < nv; ++v) {
    gains[v] = fabs(extreme_number(random, 2.0));
    frozen[v] = random_below(random, 5) == 0;
    const double a = extreme_number(random, 3.0), b = extreme_number(random, 3.0);
    lower[v] = random_below(random, 3) == 0 ? -INFINITY : fmin(a, b);
    upper[v] = random_below(random, 3) == 0 ? INFINITY : fmax(a, b);
  }
  if (random_below(random, 2) == 0) {
    const sinew_result result = sinew_solver_set_gains(solver, gains);
    assert_true(result == SINEW_OK || result == SINEW_ERROR_ARGUMENT);
  }
  if (random_below(random, 2) == 0) {
    assert_ok(sinew_solver_set_frozen(solver, frozen));
  }
  if (random_below(random, 3) == 0) {
    const sinew_result result = sinew_solver_set_limits(solver, lower, upper);
    assert_true(result == SINEW_OK || result == SINEW_ERROR_ARGUMENT);
  }
  return solver;
}

// One round with extreme numbers everywhere; the results are in q and report.
static void extreme_round(uint64_t round, double *q, sinew_report *report) {
  random_stream random = random_stream_of(15000 + round);
  sinew_model *model = any_tree(20000 + round / 4, 0.5);
  sinew_solver *solver = extreme_solver(&random, model);
  sinew_task tasks[4];
  sinew_target targets[4];
  const int wanted = random_below(&random, 5), nq = sinew_model_nq(model);
  int count = 0;
  for (int t = 0; t < wanted; ++t) {
    tasks[count] = extreme_task(&random, sinew_model_link_count(model));
    targets[count] = extreme_target(&random);
    count += sinew_solver_set_tasks(solver, &tasks[count], 1, NULL) == SINEW_OK;
  }
  assert_ok(sinew_solver_set_tasks(solver, tasks, count, NULL));
  sinew_configuration_random(model, 145, round, q);
  for (int i = 0; i < nq; ++i) {
    const double odd = extreme_number(&random, 3.0);
    q[i] = random_below(&random, 20) == 0 ? odd : q[i];
  }
  double before[MOST];
  for (int call = 0; call < 4; ++call) {
    memcpy(before, q, (size_t)nq * sizeof(double));
    const sinew_result result = call == 3
                                    ? sinew_solver_solve_local(solver, targets, count, q, report)
                                    : sinew_solver_update(solver, targets, count, q, report);
    if (result != SINEW_OK) {
      assert_true(result == SINEW_ERROR_NOT_FINITE || result == SINEW_ERROR_ARGUMENT);
      assert_memory_equal(q, before, (size_t)nq * sizeof(double));
      assert_int_equal(report->outcome, SINEW_OUTCOME_BAD_INPUT);
    }
    assert_finite_values(nq, q);
    assert_report_finite(report);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// req: F2 C5
static void extreme_numbers_give_finite_results(void **state) {
  (void)state;
  for (uint64_t round = 0; round < 1500; ++round) {
    double q[MOST] = {0.0};
    sinew_report report = {0};
    extreme_round(round, q, &report);
  }
}

// ------------------------------------------------------------------ crowds

#define FIGURES 9

// A crowd with extreme numbers everywhere, and a solver of the same problem; NULL where crowds do
// not take it.
typedef struct extreme_crowd {
  sinew_model *model;
  sinew_crowd *crowd;
  sinew_crowd_worker *worker;
  sinew_solver *solver;
  sinew_task tasks[3];
  sinew_target targets[FIGURES][3];
  int count, nq;
  double q[FIGURES][MOST], before[FIGURES][MOST], values[FIGURES][21];
} extreme_crowd;

static void set_limits(random_stream *random, int nv, double *lower, double *upper) {
  static const double far[] = {1e3, 1e12, 1e62, 1e100, 1e300, INFINITY};
  for (int v = 0; v < nv; ++v) {
    const double a = extreme_number(random, 3.0), b = extreme_number(random, 3.0);
    lower[v] = random_below(random, 3) == 0 ? -far[random_below(random, 6)] : fmin(a, b);
    upper[v] = random_below(random, 3) == 0 ? far[random_below(random, 6)] : fmax(a, b);
    lower[v] = fmin(lower[v], upper[v]);
  }
}

static void create_crowd(extreme_crowd *c, random_stream *random, int lanes) {
  static const double damping[] = {0.0, 1e-12, 0.1, 1e6};
  double gains[MOST], lower[MOST], upper[MOST];
  const int nv = sinew_model_nv(c->model);
  sinew_crowd_def def = sinew_default_crowd_def();
  def.figures = FIGURES;
  def.lanes = lanes;
  def.solver.step.method = random_below(random, 2) == 0 ? SINEW_METHOD_DEFAULT : SINEW_METHOD_DLS;
  def.solver.step.error_damping = damping[random_below(random, 4)];
  def.solver.step.damping_floor = damping[random_below(random, 4)];
  def.solver.tracking.time_step = random_below(random, 2) == 0 ? 0.0 : 0.01;
  def.solver.task_capacity = 3;
  for (int v = 0; v < nv; ++v) {
    gains[v] = random_below(random, 3) == 0 ? 1.0 : random_between(random, 1e-9, 10.0);
  }
  set_limits(random, nv, lower, upper);
  const bool limited = random_below(random, 2) == 0, gained = random_below(random, 2) == 0;
  def.gains = gained ? gains : NULL;
  def.lower = limited ? lower : NULL;
  def.upper = limited ? upper : NULL;
  if (sinew_crowd_create(&def, c->model, c->tasks, c->count, &c->crowd, NULL) != SINEW_OK) {
    return;
  }
  assert_ok(sinew_crowd_worker_create(c->crowd, &c->worker, NULL));
  assert_ok(sinew_solver_create(&def.solver, c->model, &c->solver, NULL));
  assert_ok(sinew_solver_set_tasks(c->solver, c->tasks, c->count, NULL));
  if (gained) {
    assert_ok(sinew_solver_set_gains(c->solver, gains));
  }
  if (limited) {
    assert_ok(sinew_solver_set_limits(c->solver, lower, upper));
  }
}

static void extreme_tasks(extreme_crowd *c, random_stream *random) {
  static const double points[] = {1e9, 1e30, 1e62, 1e99};
  sinew_solver *check = NULL;
  const sinew_solver_def def = sinew_default_solver_def();
  assert_ok(sinew_solver_create(&def, c->model, &check, NULL));
  for (int t = 1 + random_below(random, 3); t > 0; --t) {
    sinew_task *task = &c->tasks[c->count];
    *task = extreme_task(random, sinew_model_link_count(c->model));
    task->kind = (sinew_task_kind)random_below(random, 3);
    task->free_axes = 0;
    task->chain_root = -1;
    for (int i = 0; random_below(random, 2) == 0 && i < 3; ++i) {
      task->point_l[i] *= points[random_below(random, 4)];
    }
    c->count += sinew_solver_set_tasks(check, task, 1, NULL) == SINEW_OK;
  }
  sinew_solver_destroy(check);
}

static void extreme_figures(extreme_crowd *c, random_stream *random) {
  c->nq = sinew_model_nq(c->model);
  for (int f = 0; f < FIGURES; ++f) {
    sinew_configuration_random(c->model, 146, (uint64_t)f, c->q[f]);
    for (int i = 0; i < c->nq; ++i) {
      const double odd = extreme_number(random, 3.0);
      c->q[f][i] = random_below(random, 20) == 0 ? odd : c->q[f][i];
    }
    double *values = c->values[f];
    for (int t = 0; t < c->count; ++t) {
      c->targets[f][t] = extreme_target(random);
      sinew_target_pack(&c->tasks[t], &c->targets[f][t], values);
      values += sinew_task_target_size(&c->tasks[t]);
    }
  }
}

// Whether a figure's update is refused: by the solver, beyond 1e100 since its numbers are in rows,
// and where it overflows, which others count. Joint values are kept.
static bool figure_is_refused(extreme_crowd *c, int f, const sinew_batch_row *row, int *others) {
  double q[MOST];
  memcpy(q, c->before[f], (size_t)c->nq * sizeof *q);
  bool refused = sinew_solver_update(c->solver, c->targets[f], c->count, q, NULL) != SINEW_OK;
  for (int i = 0; i < 21; ++i) {
    refused |= fabs(c->values[f][i]) > 1e100;
  }
  assert_true(!refused || row->outcome == SINEW_OUTCOME_BAD_INPUT);
  *others += !refused && row->outcome == SINEW_OUTCOME_BAD_INPUT;
  refused = row->outcome == SINEW_OUTCOME_BAD_INPUT;
  if (refused) {
    assert_memory_equal(c->q[f], c->before[f], (size_t)c->nq * sizeof *q);
    return true;
  }
  assert_finite_values(c->nq, c->q[f]);
  assert_true(row->outcome == SINEW_OUTCOME_NO_TASK ||
              (isfinite(row->position_error) && isfinite(row->orientation_error)));
  return false;
}

// What the solver refuses, crowds refuse; all other results are finite.
// req: F2 C5
static void extreme_crowds_give_finite_results(void **state) {
  (void)state;
  static extreme_crowd c;
  static const int lanes[] = {1, 2, 4, 8};
  int updated = 0, refused = 0, others = 0;
  for (uint64_t round = 0; round < 1200; ++round) {
    random_stream random = random_stream_of(18000 + round);
    sinew_batch_row rows[FIGURES];
    memset(&c, 0, sizeof c);
    c.model = any_tree(30000 + round / 2, 0.5);
    extreme_tasks(&c, &random);
    create_crowd(&c, &random, lanes[round % 4]);
    extreme_figures(&c, &random);
    for (int update = 0; c.crowd != NULL && update < 3; ++update) {
      memcpy(c.before, c.q, sizeof c.q);
      const sinew_crowd_arrays arrays = {
          .targets = c.values[0], .target_stride = 21, .q = c.q[0], .q_stride = MOST, .rows = rows};
      assert_ok(sinew_crowd_update(c.crowd, c.worker, &arrays, 0, FIGURES));
      for (int f = 0; f < FIGURES; ++f) {
        const bool is_refused = figure_is_refused(&c, f, &rows[f], &others);
        refused += is_refused;
        updated += !is_refused;
      }
    }
    sinew_crowd_worker_destroy(c.worker);
    sinew_crowd_destroy(c.crowd);
    sinew_solver_destroy(c.solver);
    sinew_model_destroy(c.model);
  }
  print_message("%d updated, %d refused, %d of them by crowds only\n", updated, refused, others);
  assert_true(updated > 1000 && refused > 100 && others < updated / 50);
}

// The same calls give the same bits.
// req: F3
static void same_calls_give_the_same_bits(void **state) {
  (void)state;
  for (uint64_t round = 0; round < 150; ++round) {
    double q[2][MOST] = {{0.0}};
    sinew_report reports[2] = {{0}};
    extreme_round(round, q[0], &reports[0]);
    extreme_round(round, q[1], &reports[1]);
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    assert_int_equal(reports[0].outcome, reports[1].outcome);
    assert_int_equal(reports[0].steps, reports[1].steps);
    assert_true(reports[0].position_error == reports[1].position_error);
  }
}

// A solver's earlier calls do not change its results.
// req: F3
static void earlier_calls_do_not_change_results(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task pose = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *fresh = solver_with(NULL, arm, &pose, 1), *used = solver_with(NULL, arm, &pose, 1);
  for (uint64_t round = 0; round < 30; ++round) {
    double goal[7], other[7], q[2][7];
    sinew_report reports[2];
    sinew_configuration_random(arm, 146, round, goal);
    const sinew_target target = target_at(arm, &pose, goal);
    sinew_configuration_random(arm, 147, round, other);
    const sinew_target far = target_at(arm, &pose, other);
    assert_ok(sinew_solver_solve_local(used, &far, 1, other, NULL));
    sinew_configuration_middle(arm, q[0]);
    sinew_configuration_middle(arm, q[1]);
    assert_ok(sinew_solver_solve_local(fresh, &target, 1, q[0], &reports[0]));
    assert_ok(sinew_solver_solve_local(used, &target, 1, q[1], &reports[1]));
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    assert_int_equal(reports[0].steps, reports[1].steps);
    sinew_solver_destroy(fresh);
    fresh = solver_with(NULL, arm, &pose, 1);
  }
  sinew_solver_destroy(fresh);
  sinew_solver_destroy(used);
  sinew_model_destroy(arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(targets_at_the_effector),
      cmocka_unit_test(targets_of_any_size),
      cmocka_unit_test(huge_limits_do_not_hide_solutions),
      cmocka_unit_test(rotations_of_any_length),
      cmocka_unit_test(links_of_length_zero),
      cmocka_unit_test(no_degrees_of_freedom_and_no_tasks),
      cmocka_unit_test(weights_of_any_size),
      cmocka_unit_test(models_without_joints),
      cmocka_unit_test(invalid_configurations_are_refused),
      cmocka_unit_test(zero_quaternions),
      cmocka_unit_test(extreme_numbers_give_finite_results),
      cmocka_unit_test(extreme_crowds_give_finite_results),
      cmocka_unit_test(same_calls_give_the_same_bits),
      cmocka_unit_test(earlier_calls_do_not_change_results),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
