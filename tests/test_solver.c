// The solver where targets can be reached: arms, figures, several effectors, frozen and weighted
// joints, sets of joints, moving targets. Reports where they cannot be reached: test_report.c.
// Limits: test_limits.c.
#include "fixtures.h"

#define MOST 64

// req: F2
static void defaults_are_as_documented(void **state) {
  (void)state;
  const sinew_solver_def def = sinew_default_solver_def();
  assert_int_equal(def.task_capacity, 8);
  assert_true(def.tolerances.position == 1e-6 && def.tolerances.orientation == 1e-6);
  assert_int_equal(def.budget.max_steps, 500);
  assert_int_equal(def.budget.max_starts, 50);
  assert_true(def.step.error_damping == 0.1 && def.step.damping_floor == 1e-12 &&
              def.step.max_turn == 1.0);
  assert_true(def.tracking.error_gain == 1.0 && def.tracking.time_step == 0.0);
  assert_int_equal(def.step.dls_form, SINEW_DLS_SMALLER);
}

// Each field out of range is refused by name.
static void definitions_are_checked(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(2, 1.0);
  sinew_solver_def bad[32];
  const char *fields[32];
  int count = 0;
#define BAD(field, value)                                                                          \
  do {                                                                                             \
    bad[count] = sinew_default_solver_def();                                                       \
    bad[count].field = value;                                                                      \
    fields[count++] = #field;                                                                      \
  } while (0)
  BAD(task_capacity, -1);
  BAD(tolerances.position, 0.0);
  BAD(tolerances.position, NAN);
  BAD(tolerances.position, 0.9e-13); // size 1 m
  BAD(tolerances.orientation, -1.0);
  BAD(tolerances.orientation, 0.9e-13);
  BAD(budget.max_steps, -1);
  BAD(budget.max_starts, 0);
  BAD(step.error_damping, -0.1);
  BAD(step.error_damping, INFINITY);
  BAD(step.damping_floor, NAN);
  BAD(step.max_turn, 0.0);
  BAD(tracking.error_gain, 0.0);
  BAD(tracking.error_gain, 1.1);
  BAD(tracking.time_step, -1.0);
  BAD(tracking.time_step, INFINITY);
  BAD(step.dls_form, (sinew_dls_form)4);
  BAD(step.method, (sinew_method)-1);
  BAD(step.damping_law, SINEW_DAMPING_COUNT);
  BAD(step.damping_scale, 0.0);
  BAD(step.singular_cut, 1.0);
  BAD(budget.time_limit, 1.0); // without a clock
  BAD(lower.objectives, 1);    // without levels
  BAD(lower.levels, 101);
  BAD(influences, 17);
  BAD(hard_rows, -1);
  BAD(lanes, -2);
#undef BAD
  for (int i = 0; i < count; ++i) {
    sinew_solver *solver = (sinew_solver *)&bad;
    sinew_error error = {0};
    assert_int_equal(sinew_solver_create(&bad[i], model, &solver, &error), SINEW_ERROR_ARGUMENT);
    assert_null(solver);
    assert_string_equal(error.name, fields[i]);
  }
  sinew_error error;
  sinew_solver *none = NULL;
  sinew_solver_def lone = sinew_default_solver_def();
  lone.lower.objectives = 1;
  assert_int_equal(sinew_solver_create(&lone, model, &none, &error), SINEW_ERROR_ARGUMENT);
  assert_string_equal(error.message, "needs lower.levels of at least 1");
  lone.lower.objectives = 1001;
  assert_int_equal(sinew_solver_create(&lone, model, &none, &error), SINEW_ERROR_ARGUMENT);
  assert_string_equal(error.message, "1001 is above 1000");
  const sinew_solver_def zeroed = {0}, good = sinew_default_solver_def();
  sinew_solver *solver = NULL;
  assert_int_equal(sinew_solver_create(&zeroed, model, &solver, NULL), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_create(NULL, model, &solver, NULL), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_create(&good, NULL, &solver, NULL), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_create(&good, model, NULL, NULL), SINEW_ERROR_ARGUMENT);
  sinew_solver_destroy(NULL);
  sinew_model_destroy(model);
}

// Poses of the arm in random configurations are reached from the middle of the limits, within them,
// and the reported errors are those of forward kinematics.
// req: A8 F2 F4
static void arm_reaches_its_poses(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  for (uint64_t round = 0; round < 200; ++round) {
    double q[7], distance, angle;
    sinew_report report;
    sinew_configuration_random(model, 81, round, q);
    const sinew_target target = target_at(model, &task, q);
    sinew_configuration_middle(model, q);
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    measure(model, &task, &target, q, &distance, &angle);
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_at_most(distance, 1.001e-6);
    assert_at_most(angle, 1.001e-6);
    assert_near(report.position_error, distance, 1e-12);
    assert_near(report.orientation_error, angle, 1e-12);
    assert_true(outside_limits(model, q) == 0.0);
    assert_int_equal(report.limiting_joint, -1);
    assert_in_range(report.steps, 1, 500);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// The least tolerance that is accepted is met: by random trees of up to 40 joints and links of 1 mm
// to 1 km, from within 0.01 of a solution.
// req: F2
static void the_least_tolerance_is_met(void **state) {
  (void)state;
  static random_tree tree;
  random_stream random = random_stream_of(83);
  int converged = 0, count = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    random_tree_options options = random_tree_defaults();
    options.joints = 4 + (int)(seed % 37);
    options.kinds = 1u << SINEW_JOINT_REVOLUTE | 1u << SINEW_JOINT_SPHERICAL;
    options.coupled = 0.0;
    options.chain = 0.9;
    options.link_length = pow(10.0, random_between(&random, -3.0, 3.0));
    random_tree_make(&tree, 8300 + seed, &options);
    sinew_model *model = NULL;
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    sinew_solver_def def = sinew_default_solver_def();
    def.tolerances.position = 1e-13 * sinew_model_size(model);
    def.tolerances.orientation = 1e-13;
    const sinew_task task =
        task_of(SINEW_TASK_POSE, random_below(&random, sinew_model_link_count(model)));
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    double q[4 * RANDOM_TREE_MOST_JOINTS], change[3 * RANDOM_TREE_MOST_JOINTS];
    sinew_report report;
    sinew_configuration_random(model, 84, seed, q);
    const sinew_target target = target_at(model, &task, q);
    for (int v = 0; v < sinew_model_nv(model); ++v) {
      change[v] = random_between(&random, -0.01, 0.01);
    }
    sinew_configuration_integrate(model, q, change, q);
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    converged += report.outcome == SINEW_OUTCOME_CONVERGED;
    ++count;
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  print_message("%d of %d\n", converged, count);
  assert_int_equal(converged, count);
}

// From a solution nothing moves, and from near one a few steps suffice: the seed is used.
// req: F2
static void solves_start_at_the_seed(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  for (uint64_t round = 0; round < 100; ++round) {
    double goal[7], q[7];
    sinew_report report;
    sinew_configuration_random(model, 82, round, goal);
    const sinew_target target = target_at(model, &task, goal);
    memcpy(q, goal, sizeof q);
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_int_equal(report.steps, 0);
    assert_memory_equal(q, goal, sizeof q);
    for (int v = 0; v < 7; ++v) {
      const double inward =
          goal[v] > 0.5 * (sinew_model_lower(model)[v] + sinew_model_upper(model)[v]);
      q[v] += inward > 0.0 ? -0.02 : 0.02;
    }
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    // The stretched wrist of some configurations takes longer.
    assert_at_most(report.steps, 40);
    assert_at_most(farthest(7, q, goal), 0.5);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Hands, feet and head at once: from one random posture to another.
// req: F4 B13
static void humanoid_reaches_with_all_effectors(void **state) {
  (void)state;
  for (int floats = 0; floats < 2; ++floats) {
    int links[HUMANOID_PLACES];
    sinew_model *model = fixture_humanoid(floats != 0, links);
    sinew_task tasks[6];
    static const int places[6] = {HUMANOID_LEFT_HAND,  HUMANOID_RIGHT_HAND, HUMANOID_LEFT_FOOT,
                                  HUMANOID_RIGHT_FOOT, HUMANOID_HEAD,       HUMANOID_CHEST};
    for (int t = 0; t < 6; ++t) {
      tasks[t] = task_of(t < 4 ? SINEW_TASK_POSE : SINEW_TASK_DIRECTION, links[places[t]]);
    }
    tasks[5].kind = SINEW_TASK_POSITION;
    tasks[5].orientation_weight = 0.5;
    sinew_solver *solver = solver_with(NULL, model, tasks, 6);
    int converged = 0;
    for (uint64_t round = 0; round < 30; ++round) {
      double q[MOST];
      sinew_target targets[6];
      sinew_report report;
      sinew_configuration_random(model, 83, round, q);
      for (int t = 0; t < 6; ++t) {
        targets[t] = target_at(model, &tasks[t], q);
      }
      sinew_configuration_middle(model, q);
      assert_ok(sinew_solver_solve_local(solver, targets, 6, q, &report));
      converged += report.outcome == SINEW_OUTCOME_CONVERGED;
      double most[2] = {0.0, 0.0}, position, orientation;
      for (int t = 0; t < 6; ++t) {
        double distance, angle;
        measure(model, &tasks[t], &targets[t], q, &distance, &angle);
        assert_ok(sinew_solver_task_error(solver, t, &position, &orientation));
        assert_near(position, distance, 1e-11);
        assert_near(orientation, angle, 1e-7);
        most[0] = fmax(most[0], distance);
        most[1] = fmax(most[1], angle);
      }
      assert_near(report.position_error, most[0], 1e-11);
      assert_near(report.orientation_error, most[1], 1e-7);
      assert_true(outside_limits(model, q) <= 1e-12);
      if (report.outcome == SINEW_OUTCOME_CONVERGED) {
        assert_true(most[0] <= 1.001e-6 && most[1] <= 1.001e-6);
      }
      assert_int_not_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
    }
    print_message("%d of 30 postures reached\n", converged);
    assert_true(converged >= 27);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// The two hands of the Y, which share two joints only.
// req: F4
static void two_effectors_share_a_trunk(void **state) {
  (void)state;
  sinew_model *model = fixture_y();
  const sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, Y_EFFECTOR_0),
                               task_of(SINEW_TASK_POSITION, Y_EFFECTOR_1)};
  sinew_solver *solver = solver_with(NULL, model, tasks, 2);
  for (uint64_t round = 0; round < 100; ++round) {
    double q[7];
    sinew_report report;
    sinew_configuration_random(model, 84, round, q);
    const sinew_target targets[2] = {target_at(model, &tasks[0], q),
                                     target_at(model, &tasks[1], q)};
    sinew_configuration_start(model, q);
    assert_ok(sinew_solver_solve_local(solver, targets, 2, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    for (int t = 0; t < 2; ++t) {
      double distance, angle;
      measure(model, &tasks[t], &targets[t], q, &distance, &angle);
      assert_at_most(distance, 1.001e-6);
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// The three systems of the step reach the same result.
// req: D6
static void systems_give_the_same_result(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  for (uint64_t round = 0; round < 30; ++round) {
    double goal[7], first[7];
    sinew_configuration_random(model, 85, round, goal);
    const sinew_target target = target_at(model, &task, goal);
    for (int form = 0; form < 4; ++form) {
      sinew_solver_def def = sinew_default_solver_def();
      def.step.dls_form = (sinew_dls_form)form;
      sinew_solver *solver = solver_with(&def, model, &task, 1);
      double q[7], after[7];
      sinew_configuration_middle(model, q);
      for (int step = 0; step < 3; ++step) {
        assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      }
      memcpy(after, q, sizeof after);
      memcpy(first, form == 0 ? after : first, sizeof first);
      assert_at_most(farthest(7, after, first), 1e-6);
      sinew_report report;
      sinew_configuration_middle(model, q);
      assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
      assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
      sinew_solver_destroy(solver);
    }
  }
  sinew_model_destroy(model);
}

// One joint, one angle: the step is theta / (1 + mu), mu = c theta^2 / 2 + floor, and lambda enters
// as floor = lambda^2. An error beyond one does not raise mu further.
// req: D6 D7
static void damping_is_as_documented(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_CONTINUOUS, 0.0, 0.0, 0.0);
  sinew_model *model = builder_make(&b);
  const sinew_task task = task_of(SINEW_TASK_ORIENTATION, 1);
  static const double errors[] = {1e-3, 0.1, 0.9}, c[] = {0.0, 0.1, 3.0},
                      lambda[] = {0.0, 0.2, 1.5};
  for (int i = 0; i < 27; ++i) {
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = SINEW_METHOD_DLS;
    def.step.error_damping = c[i / 3 % 3];
    def.step.damping_floor = lambda[i / 9] * lambda[i / 9];
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    const double theta = errors[i % 3];
    const double mu = def.step.error_damping * theta * theta / 2.0 + lambda[i / 9] * lambda[i / 9];
    sinew_target target = sinew_default_target();
    sinew_quaternion_exp((double[3]){0.0, 0.0, theta}, target.rotation);
    double q = 0.0;
    assert_ok(sinew_solver_update(solver, &target, 1, &q, NULL));
    assert_near(q, theta / (1.0 + mu), 1e-12);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// No joint moves by more than max_turn in a step, and all are scaled by the same factor.
// req: D12
static void steps_are_clamped(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(5, 1.0);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 5);
  sinew_target target = sinew_default_target();
  target.position[0] = -1.0;
  target.position[1] = 2.0;
  double steps[2][5];
  for (int i = 0; i < 2; ++i) {
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = SINEW_METHOD_DLS;
    def.step.max_turn = i == 0 ? 1e9 : 0.01;
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    double q[5] = {0.4, 0.1, -0.3, 0.2, 0.1}, before[5];
    memcpy(before, q, sizeof q);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    for (int v = 0; v < 5; ++v) {
      steps[i][v] = q[v] - before[v];
    }
    sinew_solver_destroy(solver);
  }
  double longest = 0.0;
  for (int v = 0; v < 5; ++v) {
    longest = fmax(longest, fabs(steps[0][v]));
  }
  assert_true(longest > 0.01);
  for (int v = 0; v < 5; ++v) {
    assert_near(steps[1][v], steps[0][v] * 0.01 / longest, 1e-14);
  }
  sinew_model_destroy(model);
}

// ------------------------------------------------------- frozen and weighted

// Frozen degrees of freedom keep every bit, whatever their values: unusual ones, outside limits, a
// quaternion that is not normalized.
// req: B14
static void frozen_joints_keep_their_bits(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(true, links);
  const int nv = sinew_model_nv(model), nq = sinew_model_nq(model);
  const sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]),
                               task_of(SINEW_TASK_POSITION, links[HUMANOID_RIGHT_FOOT])};
  sinew_solver *solver = solver_with(NULL, model, tasks, 2);
  random_stream random = random_stream_of(86);
  int kept = 0, moved = 0;
  for (uint64_t round = 0; round < 60; ++round) {
    unsigned char frozen[MOST] = {0}, frozen_q[MOST] = {0};
    double q[MOST], before[MOST];
    for (int j = 0; j < sinew_model_joint_count(model); ++j) {
      sinew_joint joint;
      assert_ok(sinew_model_joint(model, j, &joint));
      const bool ball = joint.nq > joint.nv;
      const bool whole = random_below(&random, 2) == 0;
      for (int i = 0; i < joint.nv; ++i) {
        const bool in_ball = ball && i >= joint.nv - 3;
        const bool now = in_ball ? whole : random_below(&random, 2) == 0;
        frozen[joint.v_index + i] = now ? (unsigned char)(1 + random_below(&random, 255)) : 0;
        frozen_q[joint.q_index + i] = now;
        frozen_q[joint.q_index + joint.nq - 1] |= in_ball && now;
      }
    }
    sinew_configuration_random(model, 86, round, q);
    const sinew_target targets[2] = {target_at(model, &tasks[0], q),
                                     target_at(model, &tasks[1], q)};
    sinew_configuration_random(model, 87, round, q);
    for (int i = 0; i < nq; ++i) {
      q[i] *= frozen_q[i] && round % 3 == 0 ? 1.7 : 1.0; // outside, and not of unit length
    }
    memcpy(before, q, sizeof q);
    assert_ok(sinew_solver_set_frozen(solver, frozen));
    if (round % 2 == 0) {
      assert_ok(sinew_solver_solve_local(solver, targets, 2, q, NULL));
    } else {
      assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
    }
    for (int i = 0; i < nq; ++i) {
      if (frozen_q[i]) {
        assert_memory_equal(q + i, before + i, sizeof(double));
        ++kept;
      } else {
        moved += q[i] != before[i];
      }
    }
  }
  assert_true(kept > 300 && moved > 300);
  // When they are released, all move.
  assert_ok(sinew_solver_set_frozen(solver, NULL));
  double q[MOST], before[MOST];
  sinew_configuration_random(model, 88, 0, q);
  const sinew_target targets[2] = {target_at(model, &tasks[0], q), target_at(model, &tasks[1], q)};
  sinew_configuration_random(model, 88, 1, q);
  memcpy(before, q, sizeof q);
  assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
  assert_true(nv <= MOST && q[0] != before[0] && q[7] != before[7]);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A spherical joint with one active axis rotates about that body axis, whatever starts are tried.
// req: B14
static void spherical_joint_with_one_active_axis(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
  builder_add(&b, 1, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 1.0);
  sinew_model *model = builder_make(&b);
  sinew_task task = task_of(SINEW_TASK_POSITION, 2);
  task.point_l[2] = 1.0;
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  for (int axis = 0; axis < 3; ++axis) {
    const unsigned char frozen[6] = {axis != 0, axis != 1, axis != 2, 1, 1, 1};
    double q[8], before[8], turn[4];
    sinew_configuration_random(model, 89, (uint64_t)axis, q);
    memcpy(before, q, sizeof q);
    sinew_target target = sinew_default_target();
    target.position[axis] = 0.3; // out of reach for one axis
    target.position[(axis + 1) % 3] = -1.0;
    assert_ok(sinew_solver_set_frozen(solver, frozen));
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, NULL));
    const double back[4] = {before[0], -before[1], -before[2], -before[3]};
    sinew_quaternion_multiply(back, q, turn);
    assert_near(turn[1 + (axis + 1) % 3], 0.0, 1e-12);
    assert_near(turn[1 + (axis + 2) % 3], 0.0, 1e-12);
    assert_memory_equal(q + 4, before + 4, 4 * sizeof(double));
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A gain of 0 freezes; equal gains of any size change the damping only, which is almost zero here;
// a joint with a larger gain moves more.
// req: B15
static void gains_distribute_the_motion(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(3, 1.0);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 3);
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = SINEW_METHOD_DLS;
  def.step.error_damping = 0.0;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  const double start[3] = {0.3, 0.4, 0.5};
  sinew_target target = target_at(model, &task, start);
  target.position[0] -= 0.01;
  double plain[3], alike[3], strong[3], none[3];
  memcpy(plain, start, sizeof plain);
  assert_ok(sinew_solver_update(solver, &target, 1, plain, NULL));
  memcpy(alike, start, sizeof alike);
  assert_ok(sinew_solver_set_gains(solver, (const double[3]){2.0, 2.0, 2.0}));
  assert_ok(sinew_solver_update(solver, &target, 1, alike, NULL));
  assert_at_most(farthest(3, plain, alike), 1e-9);
  memcpy(strong, start, sizeof strong);
  assert_ok(sinew_solver_set_gains(solver, (const double[3]){1.0, 10.0, 1.0}));
  assert_ok(sinew_solver_update(solver, &target, 1, strong, NULL));
  assert_true(fabs(strong[1] - start[1]) > fabs(plain[1] - start[1]));
  memcpy(none, start, sizeof none);
  assert_ok(sinew_solver_set_gains(solver, (const double[3]){1.0, 0.0, 1.0}));
  assert_ok(sinew_solver_update(solver, &target, 1, none, NULL));
  assert_true(none[1] == start[1] && none[0] != start[0]);
  // Invalid gains are refused and the old ones stay.
  const double bad[4] = {-1.0, NAN, INFINITY, 1e7};
  for (int i = 0; i < 4; ++i) {
    const double gains[3] = {1.0, 1.0, bad[i]};
    assert_int_equal(sinew_solver_set_gains(solver, gains), SINEW_ERROR_ARGUMENT);
  }
  double again[3];
  memcpy(again, start, sizeof again);
  assert_ok(sinew_solver_update(solver, &target, 1, again, NULL));
  assert_memory_equal(again, none, sizeof again);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// ----------------------------------------------------------- sets of joints

// The joints that may move.
typedef struct joint_set {
  const sinew_model *model;
  const sinew_task *tasks; // 2
  const sinew_target *targets;
  const unsigned char *frozen; // or NULL
} joint_set;

// The smallest distance that a set of joints reaches from the start. More steps never increase it.
static double reach_with(const joint_set *set) {
  static const int steps[] = {0, 1, 2, 3, 5, 8, 13, 21, 34, 500};
  double last = INFINITY;
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
    sinew_solver_def def = sinew_default_solver_def();
    def.budget.max_steps = steps[i];
    def.budget.max_starts = 1;
    sinew_solver *solver = solver_with(&def, set->model, set->tasks, 2);
    double q[MOST];
    sinew_report report;
    assert_ok(sinew_solver_set_frozen(solver, set->frozen));
    sinew_configuration_start(set->model, q);
    assert_ok(sinew_solver_solve_local(solver, set->targets, 2, q, &report));
    assert_at_most(report.position_error, last + 1e-6);
    assert_at_most(report.steps, steps[i]);
    last = report.position_error;
    sinew_solver_destroy(solver);
  }
  return last;
}

// The arm alone, the arm and the upper body, all joints above the hips: with each set the error
// never rises, and the larger set reaches farther. By frozen joints, and by chain_root.
// req: A7 G5
static void larger_joint_sets_reach_farther(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(false, links);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, links[HUMANOID_LEFT_HAND]),
                         task_of(SINEW_TASK_POSITION, links[HUMANOID_LEFT_FOOT])};
  double q[MOST];
  sinew_configuration_start(model, q);
  const sinew_target foot = target_at(model, &tasks[1], q);
  random_stream random = random_stream_of(90);
  for (int round = 0; round < 20; ++round) {
    sinew_target targets[2] = {sinew_default_target(), foot};
    // In front of the figure, from within the arm's reach to beyond the reach of all.
    const double far = 0.3 + 0.09 * round;
    targets[0].position[0] = far * 0.8;
    targets[0].position[1] = 0.2 + random_between(&random, -0.1, 0.1);
    targets[0].position[2] = 1.45 - far * 0.5;
    const int roots[3] = {links[HUMANOID_LEFT_SHOULDER], links[HUMANOID_HIPS] + 1,
                          links[HUMANOID_HIPS]};
    double errors[3], by_frozen[3];
    for (int set = 0; set < 3; ++set) {
      tasks[0].chain_root = roots[set];
      errors[set] = reach_with(&(joint_set){model, tasks, targets, NULL});
      // The same by freezing all joints that are not below that root.
      unsigned char frozen[MOST] = {0};
      for (int j = 0; j < sinew_model_joint_count(model); ++j) {
        sinew_joint joint;
        assert_ok(sinew_model_joint(model, j, &joint));
        int link = joint.child;
        while (link != roots[set] && sinew_model_link_joint(model, link) >= 0) {
          sinew_joint above;
          assert_ok(sinew_model_joint(model, sinew_model_link_joint(model, link), &above));
          link = above.parent;
        }
        const bool below = link == roots[set] && joint.child != roots[set];
        memset(frozen + joint.v_index, below ? 0 : 1, (size_t)joint.nv);
      }
      tasks[0].chain_root = -1;
      by_frozen[set] = reach_with(&(joint_set){model, tasks, targets, frozen});
    }
    for (int set = 0; set < 3; ++set) {
      assert_near(by_frozen[set], errors[set], 1e-3);
      assert_at_most(errors[set], errors[set > 0 ? set - 1 : 0] + 2e-6);
    }
    if (round == 19) {
      assert_true(errors[2] < errors[1] - 0.02 && errors[1] < errors[0] - 0.02);
    }
  }
  sinew_model_destroy(model);
}

// ------------------------------------------------------------ moving targets

// A moving target and its velocity.
static sinew_target moving_target(double time) {
  sinew_target target = sinew_default_target();
  const double velocity[3] = {0.1, -0.15, 0.05};
  for (int i = 0; i < 3; ++i) {
    target.position[i] = (double[3]){0.4, 0.1, 0.5}[i] + velocity[i] * time;
    target.twist[i] = velocity[i];
  }
  const double spin[3] = {0.2, 0.1, -0.3}, facing_down[4] = {0.0, 1.0, 0.0, 0.0};
  double turned[3], turn[4];
  for (int i = 0; i < 3; ++i) {
    turned[i] = spin[i] * time;
    target.twist[3 + i] = spin[i];
  }
  sinew_quaternion_exp(turned, turn);
  sinew_quaternion_multiply(turn, facing_down, target.rotation);
  return target;
}

// The largest distance and angle while a target is followed for a second, after a settling time.
static void follow(const sinew_solver_def *def, bool fed_forward, double *distance, double *angle) {
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *solver = solver_with(def, model, &task, 1);
  sinew_target target = moving_target(0.0);
  sinew_report report;
  double q[7];
  *distance = *angle = 0.0;
  sinew_configuration_middle(model, q);
  assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  for (int frame = 0; frame < 100; ++frame) {
    const double dt = 0.01;
    // An update's targets are for this moment; its step leads to where they will be.
    target = moving_target(frame * dt);
    if (!fed_forward) {
      memset(target.twist, 0, sizeof target.twist);
    }
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    const sinew_target next = moving_target((frame + 1) * dt);
    double d, a;
    measure(model, &task, &next, q, &d, &a);
    *distance = frame < 50 ? 0.0 : fmax(*distance, d);
    *angle = frame < 50 ? 0.0 : fmax(*angle, a);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A target with a velocity is followed without lag; one without lags by a frame. With a partial
// gain K the lag without velocity grows as 1 / K.
// req: C1
static void target_velocities_remove_the_lag(void **state) {
  (void)state;
  const double speed = sqrt(0.1 * 0.1 + 0.15 * 0.15 + 0.05 * 0.05), spin = sqrt(0.14), dt = 0.01;
  const double gains[3] = {1.0, 0.5, 0.2};
  for (int i = 0; i < 3; ++i) {
    sinew_solver_def def = sinew_default_solver_def();
    def.tracking.time_step = dt;
    def.tracking.error_gain = gains[i];
    double distance, angle;
    follow(&def, true, &distance, &angle);
    assert_at_most(distance, 0.02 * speed * dt / gains[i]);
    assert_at_most(angle, 0.02 * spin * dt / gains[i]);
    follow(&def, false, &distance, &angle);
    assert_near(distance, speed * dt / gains[i], 0.1 * speed * dt / gains[i]);
    assert_near(angle, spin * dt / gains[i], 0.1 * spin * dt / gains[i]);
  }
  // Without a time step there is no feedforward.
  sinew_solver_def def = sinew_default_solver_def();
  double fed_forward[2], without[2];
  follow(&def, true, &fed_forward[0], &fed_forward[1]);
  follow(&def, false, &without[0], &without[1]);
  assert_true(fed_forward[0] == without[0] && fed_forward[1] == without[1]);
}

// A gain K below 1 removes the fraction K of the error in an update.
// req: C1
static void partial_gain_scales_the_step(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(4, 1.0);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 4);
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.error_gain = 0.25;
  def.step.error_damping = 0.0;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  double q[4] = {0.3, 0.4, 0.5, 0.6};
  sinew_target target = target_at(model, &task, q);
  target.position[0] += 1e-4;
  double expected = 1e-4;
  for (int step = 0; step < 20; ++step) {
    sinew_report report;
    assert_ok(sinew_solver_update(solver, &target, 1, q, &report));
    assert_near(report.position_error, expected, 0.01 * expected + 1e-9);
    expected *= 0.75;
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// An update reports the errors before its step.
// req: F2
static void updates_report_errors_before_the_step(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  double q[7], goal[7], distance, angle;
  sinew_configuration_random(model, 91, 0, goal);
  const sinew_target target = target_at(model, &task, goal);
  sinew_configuration_middle(model, q);
  bool converged = false;
  for (int step = 0; step < 60 && !converged; ++step) {
    sinew_report report;
    measure(model, &task, &target, q, &distance, &angle);
    assert_ok(sinew_solver_update(solver, &target, 1, q, &report));
    assert_near(report.position_error, distance, 1e-12);
    assert_near(report.orientation_error, angle, 1e-7);
    assert_int_equal(report.worst_task, 0);
    converged = distance <= 1e-6 && angle <= 1e-6;
    assert_int_equal(report.outcome,
                     converged ? SINEW_OUTCOME_CONVERGED : SINEW_OUTCOME_STEP_LIMIT);
  }
  assert_true(converged);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// There must be as many targets as tasks.
static void arguments_are_checked(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(2, 1.0);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 2);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  const sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
  double q[2] = {0.1, 0.2};
  assert_int_equal(sinew_solver_update(solver, targets, 2, q, NULL), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_update(solver, targets, 0, q, NULL), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_solve_local(solver, NULL, 1, q, NULL), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_solve_local(solver, targets, 1, NULL, NULL), SINEW_ERROR_ARGUMENT);
  assert_true(q[0] == 0.1 && q[1] == 0.2);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_as_documented),
      cmocka_unit_test(definitions_are_checked),
      cmocka_unit_test(arm_reaches_its_poses),
      cmocka_unit_test(the_least_tolerance_is_met),
      cmocka_unit_test(solves_start_at_the_seed),
      cmocka_unit_test(humanoid_reaches_with_all_effectors),
      cmocka_unit_test(two_effectors_share_a_trunk),
      cmocka_unit_test(systems_give_the_same_result),
      cmocka_unit_test(damping_is_as_documented),
      cmocka_unit_test(steps_are_clamped),
      cmocka_unit_test(frozen_joints_keep_their_bits),
      cmocka_unit_test(spherical_joint_with_one_active_axis),
      cmocka_unit_test(gains_distribute_the_motion),
      cmocka_unit_test(larger_joint_sets_reach_farther),
      cmocka_unit_test(target_velocities_remove_the_lag),
      cmocka_unit_test(partial_gain_scales_the_step),
      cmocka_unit_test(updates_report_errors_before_the_step),
      cmocka_unit_test(arguments_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
