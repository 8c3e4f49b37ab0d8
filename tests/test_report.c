// The report of a solve whose target is not met, and whether it is true: out of reach, blocked by
// limits, stalled, step limit. And targets that are reachable but hard.
#include "fixtures.h"

#define MOST 64

// One solve from q with all other fields at their defaults.
static sinew_report solve(const sinew_model *model, const sinew_task *tasks,
                          const sinew_target *targets, int count, double *q) {
  sinew_solver *solver = solver_with(NULL, model, tasks, count);
  sinew_report report;
  assert_ok(sinew_solver_solve_local(solver, targets, count, q, &report));
  sinew_solver_destroy(solver);
  for (int i = 0; i < sinew_model_nq(model); ++i) {
    assert_true(isfinite(q[i]));
  }
  return report;
}

static sinew_target at(double x, double y, double z) {
  sinew_target target = sinew_default_target();
  target.position[0] = x;
  target.position[1] = y;
  target.position[2] = z;
  return target;
}

// A planar chain of count links of one length; its tip is the end of the last.
static sinew_task flat_tip(int count, double length) {
  sinew_task task = task_of(SINEW_TASK_POSITION, count);
  task.point_l[0] = length;
  return task;
}

static void outcome_strings(void **state) {
  (void)state;
  static const char *const words[] = {"converged", "out_of_reach", "blocked_by_limits",
                                      "stalled",   "step_limit",   "time_limit",
                                      "bad_input", "no_task",      "rejected"};
  for (int i = 0; i < SINEW_OUTCOME_COUNT; ++i) {
    assert_string_equal(sinew_outcome_string((sinew_outcome)i), words[i]);
  }
  assert_non_null(sinew_outcome_string((sinew_outcome)99));
  assert_non_null(sinew_outcome_string((sinew_outcome)-1));
}

// Too far: the stretched chain points at the target, and its error is the missing distance.
// req: C6 F2
static void far_targets_stretch_the_chain(void **state) {
  (void)state;
  random_stream random = random_stream_of(91);
  for (int count = 1; count <= 8; ++count) {
    sinew_model *model = fixture_planar(count, 0.5);
    const sinew_task task = flat_tip(count, 0.5);
    for (int round = 0; round < 20; ++round) {
      const double length = 0.5 * count, angle = random_between(&random, -PI, PI);
      const double far = length * (1.0 + pow(10.0, random_between(&random, -3.0, 4.0)));
      const sinew_target target = at(far * cos(angle), far * sin(angle), 0.0);
      double q[8], distance, unused;
      sinew_configuration_random(model, 91, (uint64_t)round, q);
      const sinew_report report = solve(model, &task, &target, 1, q);
      assert_int_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
      assert_int_equal(report.limiting_joint, -1);
      assert_int_equal(report.worst_task, 0);
      measure(model, &task, &target, q, &distance, &unused);
      assert_near(report.position_error, distance, 1e-9 * far);
      assert_near(distance, far - length, 2e-3 * length);
    }
    sinew_model_destroy(model);
  }
}

// Two links of 1 m and 0.3 m reach nothing nearer than 0.7 m. The error is the missing distance.
// req: C6 F2
static void too_near_targets_are_out_of_reach(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(2, 1.0);
  sinew_task task = flat_tip(2, 0.3);
  for (int i = 0; i < 8; ++i) {
    const double near = 0.08 * i, angle = 0.7 * i;
    const sinew_target target = at(near * cos(angle), near * sin(angle), 0.0);
    double q[2] = {0.3, 0.4};
    const sinew_report report = solve(model, &task, &target, 1, q);
    assert_int_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
    assert_near(report.position_error, 0.7 - near, 2e-3);
  }
  // Targets at the inner boundary and beyond are reached.
  for (int i = 0; i < 10; ++i) {
    const double near = 0.71 + 0.05 * i;
    const sinew_target target = at(near * cos(0.7 * i), near * sin(0.7 * i), 0.0);
    double q[2] = {0.3, 0.4};
    assert_int_equal(solve(model, &task, &target, 1, q).outcome, SINEW_OUTCOME_CONVERGED);
  }
  sinew_model_destroy(model);
}

// Joints that are frozen or above a chain's root do not move: a target within reach of all joints
// is out of reach of the last two.
// req: A7 B14 F2
static void frozen_joints_shorten_the_reach(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(4, 0.5);
  sinew_task task = flat_tip(4, 0.5);
  const sinew_target target = at(0.0, 1.8, 0.0);
  for (int way = 0; way < 3; ++way) {
    const unsigned char frozen[4] = {1, 1, 0, 0};
    double q[4] = {0.1, 0.2, 0.3, 0.4};
    sinew_report report;
    task.chain_root = way == 1 ? 2 : -1;
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    assert_ok(sinew_solver_set_frozen(solver, way == 2 ? frozen : NULL));
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    assert_int_equal(report.outcome,
                     way == 0 ? SINEW_OUTCOME_CONVERGED : SINEW_OUTCOME_OUT_OF_REACH);
    // The last two joints reach 1 m from the third joint.
    const double x = 0.5 * (cos(0.1) + cos(0.3)), y = 0.5 * (sin(0.1) + sin(0.3));
    if (way > 0) {
      assert_near(report.position_error, hypot(x, 1.8 - y) - 1.0, 1e-3);
    }
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// Two hands of the Y, each target within its own reach, but farther apart than the tree allows.
// req: C6 F2 F4
static void hands_too_far_apart_are_out_of_reach(void **state) {
  (void)state;
  sinew_model *model = fixture_y();
  const sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, Y_EFFECTOR_0),
                               task_of(SINEW_TASK_POSITION, Y_EFFECTOR_1)};
  // The trunk is 0.9 long, the arms 0.781+0.361+0.7 and 0.781+0.583+0.412.
  const double arm0 = hypot(0.5, 0.6) + hypot(0.2, 0.3) + 0.7;
  const double arm1 = hypot(0.5, 0.6) + hypot(0.3, 0.5) + 0.4;
  const double reach = 0.9 + fmin(arm0, arm1);
  const sinew_target apart[2] = {at(0.99 * reach, -0.5, 0.0), at(-0.99 * reach, -0.5, 0.0)};
  assert_true(2.0 * 0.99 * reach > arm0 + arm1);
  double q[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
  assert_int_equal(solve(model, tasks, apart, 2, q).outcome, SINEW_OUTCOME_OUT_OF_REACH);
  // Each alone is reached, or nearly: it is not out of reach by itself.
  for (int t = 0; t < 2; ++t) {
    double alone[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
    const sinew_report report = solve(model, &tasks[t], &apart[t], 1, alone);
    assert_int_not_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
  }
  sinew_model_destroy(model);
}

// A reachable target is never reported out of reach: random trees of every kind of joint, with
// limits, frozen joints and chain roots; targets taken from random configurations.
// req: F2 C6
static void reachable_targets_are_never_out_of_reach(void **state) {
  (void)state;
  random_stream random = random_stream_of(92);
  int counts[SINEW_OUTCOME_COUNT] = {0};
  for (uint64_t round = 0; round < 400; ++round) {
    static random_tree tree;
    random_tree_options options = random_tree_defaults();
    options.limited = round % 2 == 0 ? 0.7 : 0.0;
    random_tree_make(&tree, 9000 + round, &options);
    sinew_model *model = NULL;
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    sinew_task tasks[3];
    sinew_target targets[3];
    double q[2 * MOST], goal[2 * MOST];
    unsigned char frozen[MOST];
    sinew_configuration_random(model, 92, round, goal);
    for (int t = 0; t < 3; ++t) {
      tasks[t] = task_of(t == 1 ? SINEW_TASK_POSE : SINEW_TASK_POSITION,
                         random_below(&random, sinew_model_link_count(model)));
      random_vector(&random, 0.3, tasks[t].point_l);
      targets[t] = target_at(model, &tasks[t], goal);
    }
    sinew_configuration_random(model, 93, round, q);
    sinew_solver *solver = solver_with(NULL, model, tasks, 3);
    if (round % 4 == 3) { // some frozen, at the target configuration's values
      double v[MOST];
      sinew_configuration_difference(model, goal, q, v);
      for (int j = 0; j < sinew_model_joint_count(model); ++j) {
        sinew_joint joint;
        assert_ok(sinew_model_joint(model, j, &joint));
        const int now = random_below(&random, 2);
        memset(frozen + joint.v_index, now, (size_t)joint.nv);
        for (int i = 0; i < joint.nv; ++i) {
          v[joint.v_index + i] *= now ? 0.0 : 1.0;
        }
      }
      sinew_configuration_integrate(model, goal, v, q);
      assert_ok(sinew_solver_set_frozen(solver, frozen));
    }
    sinew_report report;
    assert_ok(sinew_solver_solve_local(solver, targets, 3, q, &report));
    assert_int_not_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
    ++counts[report.outcome];
    double most = 0.0;
    for (int t = 0; t < 3; ++t) {
      double distance, angle;
      measure(model, &tasks[t], &targets[t], q, &distance, &angle);
      most = fmax(most, distance);
    }
    assert_near(report.position_error, most, 1e-11);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  print_message("converged %d, blocked %d, stalled %d, out of steps %d\n", counts[0], counts[2],
                counts[3], counts[4]);
  assert_true(counts[SINEW_OUTCOME_CONVERGED] >= 380);
}

// A joint reported as blocking is at its limit, and with wider limits the error falls.
// req: F2 E6
static void blocking_joints_are_reported(void **state) {
  (void)state;
  random_stream random = random_stream_of(94);
  int blocked = 0, proven = 0;
  for (int round = 0; round < 200; ++round) {
    sinew_model *model = fixture_planar_limited(3, 0.5, -0.6, 0.9, INFINITY);
    const sinew_task task = flat_tip(3, 0.5);
    const double angle = random_between(&random, -PI, PI), far = random_between(&random, 0.2, 1.4);
    const sinew_target target = at(far * cos(angle), far * sin(angle), 0.0);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    double q[3] = {0.1, 0.1, 0.1};
    sinew_report report;
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    assert_true(outside_limits(model, q) == 0.0);
    proven += report.outcome == SINEW_OUTCOME_OUT_OF_REACH;
    if (report.outcome == SINEW_OUTCOME_BLOCKED_BY_LIMITS ||
        report.outcome == SINEW_OUTCOME_OUT_OF_REACH) {
      ++blocked;
      sinew_joint joint;
      assert_ok(sinew_model_joint(model, report.limiting_joint, &joint));
      const int v = joint.v_index;
      assert_true(q[v] == -0.6 || q[v] == 0.9);
      double lower[3] = {-0.6, -0.6, -0.6}, upper[3] = {0.9, 0.9, 0.9};
      lower[v] = -0.7;
      upper[v] = 1.0;
      assert_ok(sinew_solver_set_limits(solver, lower, upper));
      const double before = report.position_error;
      assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
      assert_true(report.position_error < before - 1e-4);
      assert_true(q[v] >= -0.7 && q[v] <= 1.0);
    } else {
      assert_int_equal(report.limiting_joint, -1);
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  print_message("%d blocked, %d of them proven to be out of reach\n", blocked, proven);
  assert_true(blocked > 40);
  assert_true(proven > blocked / 2);
}

// Two hands pull one prismatic joint apart: no limit, no proof, no solution.
// req: F2
static void local_minima_are_stalls(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_CONTINUOUS, 0.0, 0.0, 0.0);
  builder_add(&b, 1, SINEW_JOINT_FIXED, 1.0, 0.0, 0.0);
  sinew_model *model = builder_make(&b);
  const sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 2), task_of(SINEW_TASK_POSITION, 2)};
  // Both are on the circle; the minimum is between them.
  const sinew_target targets[2] = {at(cos(0.5), sin(0.5), 0.0), at(cos(1.5), sin(1.5), 0.0)};
  double q = 0.1;
  const sinew_report report = solve(model, tasks, targets, 2, &q);
  assert_near(q, 1.0, 1e-3);
  assert_near(report.position_error, 2.0 * sin(0.25), 1e-3);
  // The distance between two targets of one point is greater than 0.
  assert_true(report.outcome == SINEW_OUTCOME_STALLED ||
              report.outcome == SINEW_OUTCOME_OUT_OF_REACH);
  // An orientation that a joint cannot reach: there are no lengths for a proof.
  const sinew_task turn = task_of(SINEW_TASK_ORIENTATION, 2);
  sinew_target tilted = sinew_default_target();
  sinew_quaternion_from_rpy((double[3]){0.8, 0.0, 0.0}, tilted.rotation);
  q = 0.3;
  const sinew_report tilt = solve(model, &turn, &tilted, 1, &q);
  assert_int_equal(tilt.outcome, SINEW_OUTCOME_STALLED);
  assert_near(tilt.orientation_error, 0.8, 1e-3);
  sinew_model_destroy(model);
}

// Too few steps are reported as such, and never exceeded; the result is no worse than the start.
// req: F2
static void step_limit_is_kept_and_reported(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  double goal[7], q[7], distance[2], angle;
  sinew_configuration_random(model, 95, 0, goal);
  const sinew_target target = target_at(model, &task, goal);
  for (int most = 0; most < 4; ++most) {
    sinew_solver_def def = sinew_default_solver_def();
    def.budget.max_steps = most;
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    sinew_report report;
    sinew_configuration_middle(model, q);
    measure(model, &task, &target, q, &distance[0], &angle);
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    measure(model, &task, &target, q, &distance[1], &angle);
    assert_int_equal(report.outcome, SINEW_OUTCOME_STEP_LIMIT);
    assert_int_equal(report.steps, most);
    assert_near(report.position_error, distance[1], 1e-12);
    assert_near(report.orientation_error, angle, 1e-7);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// A straight chain whose target is on its own line: inside, at the base, behind it. No row points
// there.
// req: C6 F2
static void straight_chains_leave_the_line(void **state) {
  (void)state;
  for (int count = 2; count <= 7; ++count) {
    sinew_model *model = fixture_planar(count, 0.5);
    const sinew_task task = flat_tip(count, 0.5);
    const double length = 0.5 * count;
    const double places[] = {0.9, 0.5, 0.2, -0.3, -0.8, -0.999};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
      const sinew_target target = at(places[i] * length, 0.0, 0.0);
      double q[8] = {0.0};
      assert_int_equal(solve(model, &task, &target, 1, q).outcome, SINEW_OUTCOME_CONVERGED);
    }
    sinew_model_destroy(model);
  }
}

// Targets up to full extension: reached, or missed by a small distance and reported as missed.
// req: C6
static void full_extension_is_reached(void **state) {
  (void)state;
  random_stream random = random_stream_of(96);
  for (int round = 0; round < 60; ++round) {
    const int count = 2 + round % 5;
    sinew_model *model = fixture_planar(count, 0.5);
    const sinew_task task = flat_tip(count, 0.5);
    const double length = 0.5 * count, angle = random_between(&random, -PI, PI);
    const sinew_target target = at(length * cos(angle), length * sin(angle), 0.0);
    double q[6];
    sinew_configuration_random(model, 96, (uint64_t)round, q);
    const sinew_report report = solve(model, &task, &target, 1, q);
    assert_int_not_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
    assert_at_most(report.position_error, 1e-3 * length);
    for (int v = 1; v < count; ++v) {
      assert_at_most(fabs(remainder(q[v], 2.0 * PI)), 0.2);
    }
    sinew_model_destroy(model);
  }
}

// The largest and smallest distance over the last updates of many, and the longest step in them.
typedef struct rest {
  double least, most, longest;
} rest;

static rest track_to_rest(const sinew_model *model, const sinew_task *task,
                          const sinew_target *target, double *q) {
  rest r = {INFINITY, 0.0, 0.0};
  sinew_solver *solver = solver_with(NULL, model, task, 1);
  for (int step = 0; step < 300; ++step) {
    double before[MOST], distance, angle;
    const int nq = sinew_model_nq(model);
    memcpy(before, q, (size_t)nq * sizeof(double));
    assert_ok(sinew_solver_update(solver, target, 1, q, NULL));
    if (step >= 250) {
      measure(model, task, target, q, &distance, &angle);
      r.least = fmin(r.least, distance);
      r.most = fmax(r.most, distance);
      r.longest = fmax(r.longest, farthest(nq, q, before));
    }
  }
  sinew_solver_destroy(solver);
  return r;
}

// Updates towards a target out of reach, near and far, and at full extension, settle near the
// smallest error.
// req: C6 C5
static void updates_settle(void **state) {
  (void)state;
  sinew_model *flat = fixture_planar(5, 0.5), *arm = fixture_arm();
  const sinew_task tip = flat_tip(5, 0.5), hand = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  const double factors[] = {1.0, 1.001, 1.01, 1.1, 1.5, 3.0, 100.0};
  for (size_t i = 0; i < sizeof factors / sizeof factors[0]; ++i) {
    const double far = 2.5 * factors[i];
    const sinew_target target = at(far * 0.6, far * 0.8, 0.0);
    double q[5] = {0.5, 0.6, -0.5, 0.4, 0.3};
    const rest r = track_to_rest(flat, &tip, &target, q);
    assert_near(r.least, far - 2.5, 0.01);
    assert_at_most(r.most - r.least, 1e-3);
    assert_at_most(r.longest, 0.01);
    // The arm reaches about 0.85 m from its shoulder, which is 0.333 m above its base.
    const sinew_target ahead = at(0.7 * factors[i] * 1.3, 0.1, 0.4);
    double p[7];
    sinew_configuration_middle(arm, p);
    const rest s = track_to_rest(arm, &hand, &ahead, p);
    assert_at_most(s.most - s.least, 1e-3);
    assert_at_most(s.longest, 0.01);
    assert_true(outside_limits(arm, p) == 0.0);
  }
  sinew_model_destroy(flat);
  sinew_model_destroy(arm);
}

// Out of reach, tasks that Newton's step treats to first order settle too: free axes, a direction
// beside a position, and coupled joints in the chain. Without the damping that replaces their
// second-order part most of these oscillate by a tenth of a radian for ever.
// req: C6
static void first_order_tasks_settle(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  for (int i = 0; i < 5; ++i) {
    sinew_joint_def *joint = builder_add(&b, i, SINEW_JOINT_CONTINUOUS, i > 0 ? 0.3 : 0.0, 0, 0);
    joint->axis[i % 2 + 1] = 1.0;
    joint->axis[2 - i % 2] = 0.0;
    joint->axis[0] = 0.0;
  }
  b.joints[3].driver = 1;
  sinew_model *model = builder_make(&b);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 5), task_of(SINEW_TASK_DIRECTION, 5)};
  tasks[0].point_l[0] = 0.3;
  random_stream random = random_stream_of(211);
  int shaking = 0;
  for (uint64_t round = 0; round < 90; ++round) {
    tasks[0].free_axes = round % 3 == 0 ? SINEW_FREE_Z : SINEW_FREE_NONE;
    sinew_solver *solver = solver_with(NULL, model, tasks, round % 3 == 1 ? 2 : 1);
    sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
    random_vector(&random, 1.0, targets[0].position);
    random_vector(&random, 1.0, targets[1].direction);
    for (int i = 0; i < 3; ++i) {
      targets[0].position[i] += targets[0].position[i] > 0.0 ? 1.5 : -1.5;
    }
    double q[8], before[8], v[8], most = 0.0;
    sinew_configuration_random(model, 211, round, q);
    for (int step = 0; step < 600; ++step) {
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, targets, round % 3 == 1 ? 2 : 1, q, NULL));
    }
    sinew_configuration_difference(model, before, q, v);
    for (int i = 0; i < sinew_model_nv(model); ++i) {
      most = fmax(most, fabs(v[i]));
    }
    shaking += most > 0.01;
    sinew_solver_destroy(solver);
  }
  assert_int_equal(shaking, 0);
  sinew_model_destroy(model);
}

// A joint that was frozen has no last step: at its target nothing moves.
// req: B14
static void released_joints_have_no_last_step(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  double q[7] = {0.3, 0.4, -0.2, -1.5, 0.5, 1.6, 0.7}, start[7];
  sinew_target target = target_at(model, &task, q);
  target.position[2] += 0.3;
  for (int step = 0; step < 3; ++step) { // still moving
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
  }
  const unsigned char all[7] = {1, 1, 1, 1, 1, 1, 1};
  assert_ok(sinew_solver_set_frozen(solver, all));
  target = target_at(model, &task, q);
  assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
  assert_ok(sinew_solver_set_frozen(solver, NULL));
  memcpy(start, q, sizeof q);
  assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
  for (int i = 0; i < 7; ++i) {
    assert_at_most(fabs(q[i] - start[i]), 1e-9);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outcome_strings),
      cmocka_unit_test(far_targets_stretch_the_chain),
      cmocka_unit_test(too_near_targets_are_out_of_reach),
      cmocka_unit_test(frozen_joints_shorten_the_reach),
      cmocka_unit_test(hands_too_far_apart_are_out_of_reach),
      cmocka_unit_test(reachable_targets_are_never_out_of_reach),
      cmocka_unit_test(blocking_joints_are_reported),
      cmocka_unit_test(local_minima_are_stalls),
      cmocka_unit_test(step_limit_is_kept_and_reported),
      cmocka_unit_test(straight_chains_leave_the_line),
      cmocka_unit_test(full_extension_is_reached),
      cmocka_unit_test(updates_settle),
      cmocka_unit_test(first_order_tasks_settle),
      cmocka_unit_test(released_joints_have_no_last_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
