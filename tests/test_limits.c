// Limits of joints and of their speeds: never violated, re-entered at the allowed speed, and part
// of the step, where clamping afterwards would stall.
#include "fixtures.h"

#define MOST 128

// A random tree with limits everywhere, coupled joints among them.
static sinew_model *limited_tree(uint64_t seed, int joints, double velocity) {
  static random_tree tree;
  random_tree_options options = random_tree_defaults();
  options.joints = joints;
  options.limited = 0.8;
  options.coupled = 0.4;
  options.velocity = velocity;
  random_tree_make(&tree, seed, &options);
  sinew_model *model = NULL;
  assert_ok(sinew_model_create(&tree.def, &model, NULL));
  return model;
}

// The last link that many joints move.
static int far_link(const sinew_model *model, random_stream *random) {
  return 1 + random_below(random, sinew_model_link_count(model) - 1);
}

static sinew_task any_task(random_stream *random, const sinew_model *model) {
  sinew_task task = task_of((sinew_task_kind)random_below(random, 4), far_link(model, random));
  random_vector(random, 0.3, task.point_l);
  return task;
}

static sinew_target any_target(random_stream *random) {
  sinew_target target = sinew_default_target();
  random_vector(random, 3.0, target.position);
  random_unit(random, 4, target.rotation);
  random_unit(random, 3, target.direction);
  return target;
}

// The violation of each coupled joint's own limits: they narrow the driver's limits.
static double coupled_outside(const random_tree *tree, const sinew_model *model, const double *q) {
  double values[4 * MOST], most = 0.0;
  sinew_model_joint_values(model, q, values);
  int at = 0;
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    const sinew_joint_def *def = &tree->def.joints[j];
    assert_ok(sinew_model_joint(model, j, &joint));
    const bool coupled = def->driver >= 0;
    if (coupled) {
      most = fmax(most, fmax(def->lower[0] - values[at], values[at] - def->upper[0]));
    }
    at += coupled ? 1 : joint.nq;
  }
  return most;
}

// From inside, a result and a step stay inside, in thousands of trials.
// req: E5 E6 B14
static void limits_are_never_violated(void **state) {
  (void)state;
  random_stream random = random_stream_of(101);
  for (uint64_t round = 0; round < 1500; ++round) {
    sinew_model *model = limited_tree(100 + round, 8, 0.0);
    const sinew_task tasks[2] = {any_task(&random, model), any_task(&random, model)};
    const sinew_target targets[2] = {any_target(&random), any_target(&random)};
    sinew_solver_def def = sinew_default_solver_def();
    def.budget.max_starts = 3;
    def.budget.max_steps = 60;
    sinew_solver *solver = solver_with(&def, model, tasks, 2);
    double q[2 * MOST];
    sinew_configuration_random(model, 101, round, q);
    assert_true(outside_limits(model, q) <= 0.0);
    for (int step = 0; step < 10; ++step) {
      assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
      assert_at_most(outside_limits(model, q), 1e-12);
    }
    sinew_report report;
    assert_ok(sinew_solver_solve_local(solver, targets, 2, q, &report));
    assert_at_most(outside_limits(model, q), 1e-12);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// A gripper with a driver and a finger coupled to it by -2: the finger's own limits bound the
// driver.
// req: E6 A10
static void coupled_limits_bound_their_driver(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  sinew_joint_def *driver = builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
  builder_limit(driver, -1.0, 1.0);
  sinew_joint_def *finger = builder_add(&b, 1, SINEW_JOINT_REVOLUTE, 1.0, 0.0, 0.0);
  finger->driver = 0;
  finger->ratio = -2.0;
  finger->offset = 0.1;
  builder_limit(finger, -0.5, 1.5);
  sinew_model *model = builder_make(&b);
  sinew_task task = task_of(SINEW_TASK_POSITION, 2);
  task.point_l[0] = 1.0;
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  for (int i = 0; i < 24; ++i) {
    sinew_target target = sinew_default_target();
    target.position[0] = 1.5 * cos(i * PI / 12.0);
    target.position[1] = 1.5 * sin(i * PI / 12.0);
    double q = 0.0, values[2];
    assert_ok(sinew_solver_solve_local(solver, &target, 1, &q, NULL));
    assert_int_equal(sinew_model_joint_values(model, &q, values), 2);
    assert_true(values[0] >= -1.0 && values[0] <= 1.0);
    assert_true(values[1] >= -0.5 - 1e-12 && values[1] <= 1.5 + 1e-12);
    assert_near(values[1], -2.0 * q + 0.1, 1e-15);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// The same over random trees: coupled joints stay within their own limits, unless the model has
// dropped them with a warning. req: E6 A10
static void coupled_joints_stay_within_limits(void **state) {
  (void)state;
  static random_tree tree;
  random_stream random = random_stream_of(102);
  int checked = 0;
  for (uint64_t round = 0; round < 300; ++round) {
    random_tree_options options = random_tree_defaults();
    options.limited = 0.6;
    options.coupled = 0.6;
    options.kinds =
        1u << SINEW_JOINT_REVOLUTE | 1u << SINEW_JOINT_PRISMATIC | 1u << SINEW_JOINT_SCREW;
    random_tree_make(&tree, 7000 + round, &options);
    sinew_model *model = NULL;
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    if (sinew_model_warning(model, 0) == NULL) {
      const sinew_task task = any_task(&random, model);
      const sinew_target target = any_target(&random);
      sinew_solver *solver = solver_with(NULL, model, &task, 1);
      double q[MOST];
      sinew_configuration_middle(model, q);
      assert_ok(sinew_solver_solve_local(solver, &target, 1, q, NULL));
      assert_at_most(coupled_outside(&tree, model, q), 1e-12);
      sinew_solver_destroy(solver);
      ++checked;
    }
    sinew_model_destroy(model);
  }
  assert_true(checked > 100);
}

// With a time step no degree of freedom changes by more than speed times time, from any start, with
// any method. req: E6 E8
static void speed_limits_are_kept(void **state) {
  (void)state;
  random_stream random = random_stream_of(103);
  int at_speed = 0;
  for (uint64_t round = 0; round < 400; ++round) {
    sinew_model *model = limited_tree(3000 + round, 8, 0.5);
    const int nv = sinew_model_nv(model);
    const sinew_task task = any_task(&random, model);
    const sinew_target target = any_target(&random);
    sinew_solver_def def = sinew_default_solver_def();
    def.tracking.time_step = 0.02;
    def.step.method = (sinew_method)(round % SINEW_METHOD_COUNT);
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    double q[2 * MOST], before[2 * MOST], v[2 * MOST];
    sinew_configuration_random(model, 103, round, q);
    for (int step = 0; step < 20; ++step) {
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      sinew_configuration_difference(model, before, q, v);
      for (int i = 0; i < nv; ++i) {
        const double most = sinew_model_velocity(model)[i] * def.tracking.time_step;
        assert_at_most(fabs(v[i]), most + 1e-12);
        at_speed += fabs(v[i]) > 0.999 * most;
      }
      assert_at_most(outside_limits(model, q), 1e-12);
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(at_speed > 1000);
}

// From outside: in at the allowed speed, at once where there is no speed limit or no time step.
// req: E5 E6
static void joints_outside_limits_return_at_the_allowed_speed(void **state) {
  (void)state;
  sinew_model *model = fixture_planar_limited(3, 1.0, -0.5, 0.5, 2.0);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 3);
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = 0.05; // 0.1 rad a step
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  double q[3] = {0.95, 0.0, -1.52};
  sinew_target target = target_at(model, &task, (const double[3]){3.0, 0.0, -3.0});
  double expected[2] = {0.95, -1.52};
  for (int step = 0; step < 12; ++step) {
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    expected[0] = fmax(expected[0] - 0.1, 0.5);
    expected[1] = fmin(expected[1] + 0.1, -0.5);
    // Once inside it may move farther in.
    if (expected[0] > 0.5) {
      assert_near(q[0], expected[0], 1e-12);
    }
    if (expected[1] < -0.5) {
      assert_near(q[2], expected[1], 1e-12);
    }
  }
  assert_true(outside_limits(model, q) == 0.0);
  sinew_solver_destroy(solver);
  // No time step: at once, as far as the longest step allows.
  solver = solver_with(NULL, model, &task, 1);
  double p[3] = {0.95, 0.0, -1.0};
  assert_ok(sinew_solver_update(solver, &target, 1, p, NULL));
  assert_at_most(outside_limits(model, p), 1e-12);
  // A solve is within limits whatever the seed.
  double far[3] = {50.0, -70.0, 9.0};
  assert_ok(sinew_solver_solve_local(solver, &target, 1, far, NULL));
  assert_true(outside_limits(model, far) == 0.0);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// The caller's limits, and back to the model's.
// req: E6
static void limits_can_be_replaced(void **state) {
  (void)state;
  sinew_model *model = fixture_planar_limited(3, 1.0, -2.0, 2.0, INFINITY);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 3);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  const sinew_target target = target_at(model, &task, (const double[3]){1.0, -1.5, 0.0});
  const double lower[3] = {0.1, -0.2, -0.3}, upper[3] = {0.1, 0.2, INFINITY};
  double q[3] = {0.0, 0.0, 0.0};
  sinew_report report;
  assert_ok(sinew_solver_set_limits(solver, lower, upper));
  assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH); // within these limits
  assert_true(q[0] == 0.1 && q[1] >= -0.2 && q[1] <= 0.2);
  const double bad[3][2] = {{1.0, 0.9}, {NAN, 1.0}, {INFINITY, INFINITY}};
  for (int i = 0; i < 3; ++i) {
    const double l[3] = {-1.0, bad[i][0], -1.0}, u[3] = {1.0, bad[i][1], 1.0};
    assert_int_equal(sinew_solver_set_limits(solver, l, u), SINEW_ERROR_ARGUMENT);
  }
  double p[3] = {0.0, 0.0, 0.0};
  assert_ok(sinew_solver_solve_local(solver, &target, 1, p, NULL));
  assert_memory_equal(p, q, sizeof p); // the earlier limits stay in force
  assert_ok(sinew_solver_set_limits(solver, NULL, NULL));
  assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// ------------------------------------------------ clamping afterwards, as a contrast

// The damped step of a planar chain of three without any limits, by Gaussian elimination of the two
// rows (J J^T + mu I) y = e, and then clamped into the limits: for comparison, not the solver's
// way.
static void naive_step(const sinew_model *model, const sinew_task *task, const sinew_target *target,
                       double mu, double lower, double upper, double *q) {
  const sinew_target tip = target_at(model, task, q);
  double J[2][3], a = 0.0, x = 0.0, y = 0.0;
  for (int j = 2; j >= 0; --j) { // from the tip inward: the vector from each joint to the tip
    a = 0.0;
    for (int k = 0; k <= j; ++k) {
      a += q[k];
    }
    x += 0.5 * cos(a);
    y += 0.5 * sin(a);
    J[0][j] = -y;
    J[1][j] = x;
  }
  const double e[2] = {target->position[0] - tip.position[0],
                       target->position[1] - tip.position[1]};
  double A[3] = {mu, 0.0, mu};
  for (int j = 0; j < 3; ++j) {
    A[0] += J[0][j] * J[0][j];
    A[1] += J[0][j] * J[1][j];
    A[2] += J[1][j] * J[1][j];
  }
  const double det = A[0] * A[2] - A[1] * A[1];
  const double w[2] = {(A[2] * e[0] - A[1] * e[1]) / det, (A[0] * e[1] - A[1] * e[0]) / det};
  for (int j = 0; j < 3; ++j) {
    q[j] = fmin(fmax(q[j] + J[0][j] * w[0] + J[1][j] * w[1], lower), upper);
  }
}

// Targets that can be reached within tight limits, from the middle. A step that is clamped
// afterwards keeps moving a joint at its limit against it, and stalls short of the target in some
// cases; the active set gives the motion to the other joints. req: E5
static void active_set_reaches_more_than_clamping(void **state) {
  (void)state;
  const double lower = -0.4, upper = 1.2;
  sinew_model *model = fixture_planar_limited(3, 0.5, lower, upper, INFINITY);
  sinew_task task = task_of(SINEW_TASK_POSITION, 3);
  task.point_l[0] = 0.5;
  sinew_solver_def def = sinew_default_solver_def();
  def.budget.max_starts = 1;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  int stalled = 0, short_of_goal = 0, converged = 0;
  for (uint64_t round = 0; round < 400; ++round) {
    double q[3], naive[3], distance, angle;
    sinew_configuration_random(model, 104, round, q);
    q[round % 3] = round % 2 == 0 ? lower : upper; // reached with a joint at its limit
    const sinew_target target = target_at(model, &task, q);
    sinew_configuration_middle(model, naive);
    for (int step = 0; step < 200; ++step) {
      naive_step(model, &task, &target, 1e-3, lower, upper, naive);
    }
    measure(model, &task, &target, naive, &distance, &angle);
    sinew_configuration_middle(model, q);
    sinew_report report;
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    stalled += distance > 1e-3;
    converged += report.outcome == SINEW_OUTCOME_CONVERGED;
    short_of_goal += distance > 1e-3 && report.outcome == SINEW_OUTCOME_CONVERGED;
  }
  print_message(
      "of 400: clamped afterwards %d short of the target, %d of those reached; %d in all\n",
      stalled, short_of_goal, converged);
  assert_true(short_of_goal >= 10);
  assert_true(400 - converged < stalled);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A joint does not move outward beyond its limit however long the target pulls.
// req: E6
static void joints_at_limits_do_not_move_outward(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_ORIENTATION, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  double q[7];
  sinew_configuration_middle(model, q);
  sinew_target target = target_at(model, &task, q);
  for (int step = 0; step < 500; ++step) { // the target of a screwdriver that keeps turning
    const double turn[4] = {cos(0.02), 0.0, 0.0, sin(0.02)};
    sinew_quaternion_multiply(turn, target.rotation, target.rotation);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    assert_true(outside_limits(model, q) == 0.0);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Far targets for several links stop many joints at their limits, and make H indefinite where they
// do; where bounds are updated all at once, the working set then cycles. An update solves few
// systems all the same.
// req: E5
static void stopped_joints_take_few_systems(void **state) {
  (void)state;
  random_stream random = random_stream_of(77);
  int counts[2000] = {0}, updates = 0, most = 0, step = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    sinew_model *model = limited_tree(7700 + seed, 8 + (int)(seed % 3) * 12, 0.0);
    sinew_solver_def def = sinew_default_solver_def();
    sinew_solver *solver = NULL;
    sinew_task tasks[4];
    sinew_target targets[4];
    double q[4 * MOST];
    def.task_capacity = 4;
    assert_ok(sinew_solver_create(&def, model, &solver, NULL));
    for (int t = 0; t < 4; ++t) {
      tasks[t] =
          task_of(t % 2 == 0 ? SINEW_TASK_POSE : SINEW_TASK_POSITION, far_link(model, &random));
    }
    assert_ok(sinew_solver_set_tasks(solver, tasks, 4, NULL));
    sinew_configuration_middle(model, q);
    for (int u = 0; u < 100; ++u) {
      for (int t = 0; t < 4 && u % 50 == 0; ++t) {
        targets[t] = any_target(&random);
        for (int i = 0; i < 3; ++i) {
          targets[t].position[i] *= u == 0 ? 1.0 : 30.0;
        }
      }
      sinew_report report;
      assert_ok(sinew_solver_update(solver, targets, 4, q, &report));
      const int systems = sinew_solver_systems(solver);
      assert_true(systems >= 1 && systems < 2000);
      if (u > 0) { // the first update follows its targets at once, in up to 24 steps
        ++counts[systems];
        ++updates;
        most = systems > most ? systems : most;
        step = sinew_solver_most_systems(solver) > step ? sinew_solver_most_systems(solver) : step;
      }
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  int median = 0, rare = 0;
  for (int below = 0; 2 * (below += counts[median]) < updates; ++median) {
  }
  for (int below = 0; 1000LL * (below += counts[rare]) < 999LL * updates; ++rare) {
  }
  print_message("systems of %d updates: median %d, 99.9 %% %d, worst %d, of a step %d\n", updates,
                median, rare, most, step);
  assert_true(median <= 3 && rare <= 20); // of all components together
  assert_true(most <= 20 && step <= 16);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_are_never_violated),
      cmocka_unit_test(coupled_limits_bound_their_driver),
      cmocka_unit_test(coupled_joints_stay_within_limits),
      cmocka_unit_test(speed_limits_are_kept),
      cmocka_unit_test(joints_outside_limits_return_at_the_allowed_speed),
      cmocka_unit_test(limits_can_be_replaced),
      cmocka_unit_test(active_set_reaches_more_than_clamping),
      cmocka_unit_test(joints_at_limits_do_not_move_outward),
      cmocka_unit_test(stopped_joints_take_few_systems),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
