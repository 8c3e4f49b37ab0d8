// Global solves: one solution of the kind asked for, from any seed; the outcome where there is
// none; and the values that a solve does not change. All solutions: test_solutions.c.
#include "fixtures.h"
#include "inspect.h"
#include "sinew/global.h"

#define MOST 64

static sinew_task flat_tip(int count, double length) {
  sinew_task task = task_of(SINEW_TASK_POSITION, count);
  task.point_l[0] = length;
  return task;
}

static sinew_target at(double x, double y) {
  sinew_target target = sinew_default_target();
  target.position[0] = x;
  target.position[1] = y;
  return target;
}

static double squared(int n, const double *weights, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += (weights != NULL ? weights[i] : 1.0) * (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sum;
}

// A solve that must end with this outcome; its report is checked against forward kinematics.
static sinew_report solve(sinew_solver *solver, const sinew_global_def *def,
                          const sinew_model *model, const sinew_task *tasks,
                          const sinew_target *targets, int count, double *q) {
  sinew_report report;
  double most[2] = {0.0, 0.0};
  assert_ok(sinew_solver_search(solver, def, targets, count, q, &report));
  for (int t = 0; t < count; ++t) {
    double distance, angle, position, orientation;
    measure(model, &tasks[t], &targets[t], q, &distance, &angle);
    assert_ok(sinew_solver_task_error(solver, t, &position, &orientation));
    assert_near(position, distance, 1e-11);
    assert_near(orientation, angle, 1e-7);
    most[0] = fmax(most[0], distance);
    most[1] = fmax(most[1], angle);
  }
  assert_near(report.position_error, most[0], 1e-11);
  assert_near(report.orientation_error, most[1], 1e-7);
  const bool met = most[0] <= 1.000001e-6 && most[1] <= 1.000001e-6;
  assert_true(met == (report.outcome == SINEW_OUTCOME_CONVERGED));
  assert_true(outside_limits(model, q) == 0.0);
  return report;
}

// ------------------------------------------------------------------- calls

static void defaults_are_as_documented(void **state) {
  (void)state;
  const sinew_global_def def = sinew_default_global_def();
  assert_int_equal(def.mode, SINEW_GLOBAL_FIRST);
  assert_int_equal(def.max_starts, 1000);
  assert_true(def.bank == NULL && def.distances == NULL && def.score == NULL);
  assert_true(def.distinct == 0.01 && !def.images);
}

// Invalid definitions and problems are refused, and q keeps its values.
static void definitions_and_problems_are_checked(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(2, 1.0);
  const sinew_task task = flat_tip(2, 1.0);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  const sinew_global_def good = sinew_default_global_def();
  const double negative[2] = {1.0, -1.0}, no_number[2] = {NAN, 1.0}, endless[2] = {INFINITY, 1.0};
  sinew_global_def bad[9];
  for (int i = 0; i < 9; ++i) {
    bad[i] = good;
  }
  bad[0].cookie = 0;
  bad[1].mode = (sinew_global_mode)3;
  bad[2].mode = (sinew_global_mode)-1;
  bad[3].max_starts = 0;
  bad[4].distances = negative;
  bad[5].distances = no_number;
  bad[6].distances = endless;
  bad[7].distinct = 0.0;
  bad[8].distinct = NAN;
  const sinew_target target = at(1.0, 0.5), nowhere = at(NAN, 0.0);
  const double seed[2] = {0.1, 0.2};
  double q[2] = {0.1, 0.2}, rows[2][2], broken[2] = {NAN, 0.0};
  int found = 5;
  for (int i = 0; i < 9; ++i) {
    assert_int_equal(sinew_solver_search(solver, &bad[i], &target, 1, q, NULL),
                     SINEW_ERROR_ARGUMENT);
    assert_int_equal(
        sinew_solver_solve_all(solver, &bad[i], &target, 1, seed, 2, rows[0], &found, NULL),
        SINEW_ERROR_ARGUMENT);
  }
  assert_int_equal(sinew_solver_search(solver, &good, &target, 2, q, NULL), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_search(solver, &good, NULL, 1, q, NULL), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_search(solver, &good, &target, 1, NULL, NULL),
                   SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_search(solver, &good, &nowhere, 1, q, NULL),
                   SINEW_ERROR_NOT_FINITE);
  assert_int_equal(sinew_solver_search(solver, &good, &target, 1, broken, NULL),
                   SINEW_ERROR_NOT_FINITE);
  assert_int_equal(sinew_solver_solve_all(solver, NULL, &target, 1, seed, 0, rows[0], &found, NULL),
                   SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_solve_all(solver, NULL, &target, 1, seed, 2, NULL, &found, NULL),
                   SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_solve_all(solver, NULL, &target, 1, seed, 2, rows[0], NULL, NULL),
                   SINEW_ERROR_ARGUMENT);
  assert_int_equal(
      sinew_solver_solve_all(solver, NULL, &target, 1, broken, 2, rows[0], &found, NULL),
      SINEW_ERROR_NOT_FINITE);
  assert_true(q[0] == 0.1 && q[1] == 0.2 && found == 0);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A bank of another model, or of other tasks, is refused; one of the same model and tasks is not.
static void banks_of_other_models_or_tasks_are_refused(void **state) {
  (void)state;
  sinew_model *model = fixture_arm(), *other = fixture_arm();
  const sinew_task pose = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const sinew_task place = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  const sinew_task link = task_of(SINEW_TASK_POSE, ARM_FLANGE - 1);
  sinew_bank_def size = sinew_default_bank_def();
  size.postures = 100;
  sinew_bank *banks[4] = {NULL};
  assert_ok(sinew_bank_create(&size, model, &pose, 1, &banks[0], NULL));
  assert_ok(sinew_bank_create(&size, other, &pose, 1, &banks[1], NULL));
  assert_ok(sinew_bank_create(&size, model, &place, 1, &banks[2], NULL));
  assert_ok(sinew_bank_create(&size, model, &link, 1, &banks[3], NULL));
  sinew_solver *solver = solver_with(NULL, model, &pose, 1);
  double goal[7], q[7];
  sinew_configuration_random(model, 420, 0, goal);
  const sinew_target target = target_at(model, &pose, goal);
  for (int i = 0; i < 4; ++i) {
    sinew_global_def def = sinew_default_global_def();
    def.bank = banks[i];
    sinew_configuration_middle(model, q);
    assert_int_equal(sinew_solver_search(solver, &def, &target, 1, q, NULL),
                     i == 0 ? SINEW_OK : SINEW_ERROR_ARGUMENT);
  }
  for (int i = 0; i < 4; ++i) {
    sinew_bank_destroy(banks[i]);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(other);
  sinew_model_destroy(model);
}

// ------------------------------------------------------------ what is found

// Every pose of the arm, from any seed, with a bank and without.
// req: A8 F2 F4
static void arm_reaches_all_its_poses(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_bank_def size = sinew_default_bank_def();
  size.postures = 4096;
  sinew_bank *bank = NULL;
  assert_ok(sinew_bank_create(&size, model, &task, 1, &bank, NULL));
  int steps[2] = {0, 0};
  for (int banked = 0; banked < 2; ++banked) {
    sinew_global_def def = sinew_default_global_def();
    def.bank = banked ? bank : NULL;
    for (uint64_t round = 0; round < 1000; ++round) {
      double goal[7], q[7];
      sinew_configuration_random(model, 421, round, goal);
      const sinew_target target = target_at(model, &task, goal);
      sinew_configuration_random(model, 422, round, q);
      const sinew_report report = solve(solver, &def, model, &task, &target, 1, q);
      assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
      steps[banked] += report.steps;
    }
  }
  print_message("%.1f updates a pose, %.1f with a bank\n", 1e-3 * steps[0], 1e-3 * steps[1]);
  assert_true(steps[1] < steps[0]);
  sinew_bank_destroy(bank);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// From a solution nothing moves; from near one, that one is found.
// req: F2
static void seeds_near_a_solution_lead_to_it(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  for (uint64_t round = 0; round < 100; ++round) {
    double goal[7], q[7];
    sinew_configuration_random(model, 423, round, goal);
    const sinew_target target = target_at(model, &task, goal);
    memcpy(q, goal, sizeof q);
    assert_int_equal(solve(solver, NULL, model, &task, &target, 1, q).outcome,
                     SINEW_OUTCOME_CONVERGED);
    assert_true(farthest(7, q, goal) < 1e-9);
    for (int v = 0; v < 7; ++v) {
      const double middle = 0.5 * (sinew_model_lower(model)[v] + sinew_model_upper(model)[v]);
      q[v] += goal[v] > middle ? -0.02 : 0.02;
    }
    assert_int_equal(solve(solver, NULL, model, &task, &target, 1, q).outcome,
                     SINEW_OUTCOME_CONVERGED);
    assert_at_most(farthest(7, q, goal), 0.5);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Hands, feet, head and chest of a figure at once; and the same with frozen joints and with gains,
// where the frozen joints keep their bits.
// req: F4 B13 B14
static void humanoid_reaches_with_all_effectors(void **state) {
  (void)state;
  for (int floats = 0; floats < 2; ++floats) {
    int links[HUMANOID_PLACES];
    sinew_model *model = fixture_humanoid(floats != 0, links);
    static const int places[6] = {HUMANOID_LEFT_HAND,  HUMANOID_RIGHT_HAND, HUMANOID_LEFT_FOOT,
                                  HUMANOID_RIGHT_FOOT, HUMANOID_HEAD,       HUMANOID_CHEST};
    const int nv = sinew_model_nv(model), nq = sinew_model_nq(model);
    sinew_task tasks[6];
    unsigned char frozen[MOST] = {0};
    double gains[MOST];
    for (int t = 0; t < 6; ++t) {
      tasks[t] = task_of(t < 4 ? SINEW_TASK_POSE : SINEW_TASK_DIRECTION, links[places[t]]);
    }
    tasks[5].kind = SINEW_TASK_POSITION;
    assert_true(nq <= MOST);
    for (int v = 0; v < nv; ++v) {
      frozen[v] = v >= nv - 8 && v < nv - 5; // in a leg
      gains[v] = 1.0 + 0.05 * v;
    }
    for (int way = 0; way < 3; ++way) {
      sinew_solver *solver = solver_with(NULL, model, tasks, 6);
      int converged = 0;
      assert_ok(sinew_solver_set_frozen(solver, way == 1 ? frozen : NULL));
      assert_ok(sinew_solver_set_gains(solver, way == 2 ? gains : NULL));
      for (uint64_t round = 0; round < 30; ++round) {
        double goal[MOST], q[MOST], before[MOST];
        sinew_target targets[6];
        sinew_configuration_random(model, 424, round, goal);
        sinew_configuration_middle(model, q);
        for (int j = 0; way == 1 && j < sinew_model_joint_count(model); ++j) {
          sinew_joint joint;
          assert_ok(sinew_model_joint(model, j, &joint));
          for (int i = 0; joint.nq == joint.nv && i < joint.nv; ++i) {
            if (frozen[joint.v_index + i]) {
              q[joint.q_index + i] = goal[joint.q_index + i];
            }
          }
        }
        for (int t = 0; t < 6; ++t) {
          targets[t] = target_at(model, &tasks[t], goal);
        }
        memcpy(before, q, sizeof q);
        converged +=
            solve(solver, NULL, model, tasks, targets, 6, q).outcome == SINEW_OUTCOME_CONVERGED;
        for (int j = 0; way == 1 && j < sinew_model_joint_count(model); ++j) {
          sinew_joint joint;
          assert_ok(sinew_model_joint(model, j, &joint));
          for (int i = 0; joint.nq == joint.nv && i < joint.nv; ++i) {
            assert_true(!frozen[joint.v_index + i] ||
                        q[joint.q_index + i] == before[joint.q_index + i]);
          }
        }
      }
      print_message("%d of 30 postures reached\n", converged);
      assert_true(converged >= 29);
      sinew_solver_destroy(solver);
    }
    sinew_model_destroy(model);
  }
}

// A figure with a floating base reaches targets 60 m away; so does an arm on a long rail.
// req: F2 F4
static void far_targets_of_sliding_bases_are_reached(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(true, links);
  const sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]),
                               task_of(SINEW_TASK_POSE, links[HUMANOID_RIGHT_FOOT])};
  sinew_solver *solver = solver_with(NULL, model, tasks, 2);
  for (uint64_t round = 0; round < 20; ++round) {
    double goal[MOST], q[MOST];
    sinew_target targets[2];
    sinew_configuration_random(model, 439, round, goal);
    sinew_configuration_middle(model, q);
    for (int t = 0; t < 2; ++t) {
      targets[t] = target_at(model, &tasks[t], goal);
      targets[t].position[round % 3] += round % 2 ? 60.0 : -60.0;
    }
    const sinew_report report = solve(solver, NULL, model, tasks, targets, 2, q);
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_true(report.steps < 3000);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);

  builder b;
  builder_start(&b);
  builder_limit(builder_add(&b, 0, SINEW_JOINT_PRISMATIC, 0.0, 0.0, 0.0), -200.0, 200.0);
  builder_limit(builder_add(&b, 1, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0), -1.5, 1.5);
  builder_limit(builder_add(&b, 2, SINEW_JOINT_REVOLUTE, 1.0, 0.0, 0.0), -1.5, 1.5);
  model = builder_make(&b);
  const sinew_task task = flat_tip(3, 1.0);
  solver = solver_with(NULL, model, &task, 1);
  for (uint64_t round = 0; round < 20; ++round) {
    double goal[3], q[3] = {0.0, 0.1, 0.2};
    sinew_configuration_random(model, 440, round, goal);
    const sinew_target target = target_at(model, &task, goal);
    const sinew_report report = solve(solver, NULL, model, &task, &target, 1, q);
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_true(report.steps < 1000);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Joints that no task can move keep their bits, whatever their values are.
// req: B14
static void joints_without_tasks_are_unchanged(void **state) {
  (void)state;
  sinew_model *model = fixture_y();
  const sinew_task task = task_of(SINEW_TASK_POSITION, Y_EFFECTOR_0);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  for (uint64_t round = 0; round < 50; ++round) {
    double goal[7], q[7], before[7];
    sinew_configuration_random(model, 425, round, goal);
    sinew_configuration_random(model, 426, round, q);
    memcpy(before, q, sizeof q);
    const sinew_target target = target_at(model, &task, goal);
    assert_int_equal(solve(solver, NULL, model, &task, &target, 1, q).outcome,
                     SINEW_OUTCOME_CONVERGED);
    int kept = 0;
    for (int v = 0; v < 7; ++v) {
      kept += q[v] == before[v];
    }
    assert_int_equal(kept, 3); // the other hand's own joints
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// The same calls give the same bits, whatever was solved before.
// req: F2
static void same_calls_give_the_same_bits(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *one = solver_with(NULL, model, &task, 1), *two = solver_with(NULL, model, &task, 1);
  for (int mode = 0; mode < 3; ++mode) {
    sinew_global_def def = sinew_default_global_def();
    def.mode = (sinew_global_mode)mode;
    for (uint64_t round = 0; round < 20; ++round) {
      double goal[7], a[7], b[7], rows[2][5][7];
      int found[2];
      sinew_report first, second;
      sinew_configuration_random(model, 427, round, goal);
      sinew_target target = target_at(model, &task, goal);
      sinew_configuration_random(model, 428, round, a);
      memcpy(b, a, sizeof b);
      assert_ok(sinew_solver_search(one, &def, &target, 1, a, &first));
      target.position[2] += 5.0; // another solve in between
      sinew_configuration_middle(model, goal);
      assert_ok(sinew_solver_search(two, &def, &target, 1, goal, &second));
      target.position[2] -= 5.0;
      sinew_configuration_random(model, 427, round, goal);
      target = target_at(model, &task, goal);
      assert_ok(sinew_solver_search(two, &def, &target, 1, b, &second));
      assert_memory_equal(a, b, sizeof a);
      assert_int_equal(first.steps, second.steps);
      assert_true(first.position_error == second.position_error);
      for (int i = 0; i < 2; ++i) {
        assert_ok(sinew_solver_solve_all(i ? two : one, &def, &target, 1, goal, 5, rows[i][0],
                                         &found[i], NULL));
      }
      assert_int_equal(found[0], found[1]);
      assert_memory_equal(rows[0], rows[1], (size_t)found[0] * sizeof a);
    }
  }
  sinew_solver_destroy(one);
  sinew_solver_destroy(two);
  sinew_model_destroy(model);
}

// ------------------------------------------------------------------ nearest

// Both elbows of two links of 1 m with all whole turns within limits, by the law of cosines: the
// distance of the nearest one, with weights.
static double nearest_of_all(const double *weights, double x, double y, double most,
                             const double seed[2]) {
  const double bend = acos((x * x + y * y - 2.0) / 2.0);
  double least = INFINITY;
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int i = -4; i <= 4; ++i) {
      for (int j = -4; j <= 4; ++j) {
        const double q[2] = {atan2(y, x) - 0.5 * sign * bend + 2.0 * PI * i,
                             sign * bend + 2.0 * PI * j};
        if (fabs(q[0]) <= most && fabs(q[1]) <= most) {
          least = fmin(least, squared(2, weights, q, seed));
        }
      }
    }
  }
  return least;
}

// req: F2 E6
static void nearest_solution_matches_closed_form(void **state) {
  (void)state;
  const double most = 3.5 * PI;
  sinew_model *model = fixture_planar_limited(2, 1.0, -most, most, INFINITY);
  const sinew_task task = flat_tip(2, 1.0);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  static const double weighings[3][2] = {{1.0, 1.0}, {20.0, 0.1}, {0.0, 1.0}};
  sinew_global_def def = sinew_default_global_def();
  def.mode = SINEW_GLOBAL_NEAREST;
  random_stream random = random_stream_of(430);
  for (int round = 0; round < 200; ++round) {
    const double *weights = weighings[round % 3];
    const double r = random_between(&random, 0.2, 1.9), a = random_between(&random, -PI, PI);
    const sinew_target target = at(r * cos(a), r * sin(a));
    const double seed[2] = {random_between(&random, -most, most),
                            random_between(&random, -most, most)};
    double q[2] = {seed[0], seed[1]};
    def.distances = round % 3 == 0 ? NULL : weights;
    assert_int_equal(solve(solver, &def, model, &task, &target, 1, q).outcome,
                     SINEW_OUTCOME_CONVERGED);
    assert_near(squared(2, weights, q, seed),
                nearest_of_all(weights, target.position[0], target.position[1], most, seed), 1e-3);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Where the solutions form a continuum, no other start finds one that is much nearer.
// req: F2
static void nearest_solution_of_a_continuum(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver_def local = sinew_default_solver_def();
  local.budget.max_starts = 1;
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_solver *alone = solver_with(&local, model, &task, 1);
  sinew_global_def def = sinew_default_global_def();
  def.mode = SINEW_GLOBAL_NEAREST;
  double share = 0.0;
  for (uint64_t round = 0; round < 20; ++round) {
    double goal[7], seed[7], q[7], least = INFINITY;
    sinew_report report;
    sinew_configuration_random(model, 431, round, goal);
    sinew_configuration_random(model, 432, round, seed);
    const sinew_target target = target_at(model, &task, goal);
    for (uint64_t other = 0; other < 500; ++other) {
      sinew_configuration_random(model, 433, other, q);
      assert_ok(sinew_solver_solve_local(alone, &target, 1, q, &report));
      least = report.outcome == SINEW_OUTCOME_CONVERGED ? fmin(least, squared(7, NULL, q, seed))
                                                        : least;
    }
    memcpy(q, seed, sizeof q);
    assert_int_equal(solve(solver, &def, model, &task, &target, 1, q).outcome,
                     SINEW_OUTCOME_CONVERGED);
    share += sqrt(squared(7, NULL, q, seed) / least) / 20.0;
  }
  print_message("%.3f of the distance of the nearest of 500 starts\n", share);
  assert_true(share < 1.02);
  sinew_solver_destroy(alone);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A figure of spherical, revolute and Euler joints: the nearest solution found for its hands is no
// farther than the first one found, and mostly nearer.
// req: F2 F4
static void nearest_solution_of_a_humanoid(void **state) {
  (void)state;
  int links[HUMANOID_PLACES], nearer = 0;
  sinew_model *model = fixture_humanoid(true, links);
  const int nq = sinew_model_nq(model), nv = sinew_model_nv(model);
  const sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]),
                               task_of(SINEW_TASK_POSITION, links[HUMANOID_RIGHT_HAND])};
  sinew_solver *solver = solver_with(NULL, model, tasks, 2);
  sinew_global_def def = sinew_default_global_def();
  assert_true(nq <= MOST);
  for (uint64_t round = 0; round < 30; ++round) {
    double goal[MOST], seed[MOST], q[2][MOST], v[MOST], distance[2];
    sinew_target targets[2];
    sinew_configuration_random(model, 429, round, goal);
    sinew_configuration_middle(model, seed);
    for (int t = 0; t < 2; ++t) {
      targets[t] = target_at(model, &tasks[t], goal);
    }
    for (int mode = 0; mode < 2; ++mode) {
      memcpy(q[mode], seed, sizeof seed);
      def.mode = mode == 0 ? SINEW_GLOBAL_FIRST : SINEW_GLOBAL_NEAREST;
      assert_int_equal(solve(solver, &def, model, tasks, targets, 2, q[mode]).outcome,
                       SINEW_OUTCOME_CONVERGED);
      sinew_configuration_difference(model, seed, q[mode], v);
      double zeros[MOST] = {0.0};
      distance[mode] = squared(nv, NULL, v, zeros);
    }
    assert_true(distance[1] <= distance[0] + 1e-9);
    nearer += distance[1] < 0.95 * distance[0];
  }
  print_message("nearer than the first: %d of 30\n", nearer);
  assert_true(nearer >= 10);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// --------------------------------------------------------------------- best

static double by_second(void *context, const double *q) {
  return *(double *)context * q[1];
}

static double nan_below(void *context, const double *q) {
  (void)context;
  return q[1] < 0.0 ? NAN : -q[1];
}

// The solution with the higher score; with a NaN score, the other one.
// req: F2 E6
static void best_solution_has_the_highest_score(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(2, 1.0);
  const sinew_task task = flat_tip(2, 1.0);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_global_def def = sinew_default_global_def();
  def.mode = SINEW_GLOBAL_BEST;
  for (int round = 0; round < 60; ++round) {
    const sinew_target target = at(1.2 * cos(round), 1.2 * sin(round));
    double q[2] = {0.1 * round, round % 2 ? 0.5 : -0.5}, sign = round % 4 < 2 ? 1.0 : -1.0;
    def.score = round < 40 ? by_second : nan_below;
    def.score_context = &sign;
    assert_int_equal(solve(solver, &def, model, &task, &target, 1, q).outcome,
                     SINEW_OUTCOME_CONVERGED);
    assert_near(q[1], (round < 40 ? sign : 1.0) * acos(-0.28), 1e-4);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// The solutions that a search scored, in order.
typedef struct scored {
  int count;
  double q[1000][7];
} scored;

static double keep_scored(void *context, const double *q) {
  scored *all = context;
  if (all->count < 1000) {
    memcpy(all->q[all->count++], q, sizeof all->q[0]);
  }
  return q[1];
}

static bool was_scored(const scored *all, const double *q) {
  for (int i = 0; i < all->count; ++i) {
    double most = 0.0;
    for (int j = 0; j < 7; ++j) {
      most = fmax(most, fabs(remainder(all->q[i][j] - q[j], 2.0 * SINEW_PI)));
    }
    if (most < 0.01) {
      return true;
    }
  }
  return false;
}

// A better solution replaces the one whose mirrors are starts, and its own follow: each mirror of
// the best that is within the limits and at the same pose has been a solution.
// req: B6
static void mirrors_of_the_best_solution_are_tried(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  scored *all = malloc(sizeof *all);
  sinew_global_def def = sinew_default_global_def();
  def.mode = SINEW_GLOBAL_BEST;
  def.score = keep_scored;
  def.score_context = all;
  sinew_mirror mirrors[8];
  const int mirror_count = sinew_mirrors_find(model, mirrors);
  int expected = 0, tried = 0;
  assert_in_range(mirror_count, 1, 8);
  for (int i = 0; i < 50; ++i) {
    double q[7], mirrored[7], distance, angle;
    sinew_configuration_random(model, 431, (uint64_t)i, q);
    const sinew_target target = target_at(model, &task, q);
    sinew_configuration_random(model, 432, (uint64_t)i, q);
    all->count = 0;
    solve(solver, &def, model, &task, &target, 1, q);
    for (int k = 0; k < mirror_count; ++k) {
      sinew_mirror_apply(model, &mirrors[k], q, mirrored);
      for (int j = 0; j < 7; ++j) {
        mirrored[j] = remainder(mirrored[j], 2.0 * SINEW_PI);
      }
      measure(model, &task, &target, mirrored, &distance, &angle);
      if (outside_limits(model, mirrored) == 0.0 && distance < 1e-5 && angle < 1e-5) {
        ++expected;
        tried += was_scored(all, mirrored);
      }
    }
  }
  printf("%d of %d mirrors were tried\n", tried, expected);
  assert_true(expected > 10 && tried == expected);
  free(all);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// sqrt(det(J J^T)) of the position's rows, in sizes of the model, of three planar joints.
static double manipulability(const sinew_model *model, const sinew_task *task, const double *q) {
  sinew_state *state = NULL;
  double J[18], A[3] = {0.0};
  assert_ok(sinew_state_create(model, NULL, &state, NULL));
  assert_ok(sinew_state_forward(state, q));
  assert_ok(sinew_state_jacobian(state, task->link, task->point_l, 0, J));
  sinew_state_destroy(state);
  for (int v = 0; v < 3; ++v) {
    A[0] += J[v] * J[v];
    A[1] += J[v] * J[3 + v];
    A[2] += J[3 + v] * J[3 + v];
  }
  const double size = sinew_model_size(model);
  return sqrt(A[0] * A[2] - A[1] * A[1]) / (size * size);
}

// Of all configurations of three joints that reach a point in the plane, no other start finds one
// with much greater manipulability.
// req: F2
static void best_solution_maximizes_manipulability(void **state) {
  (void)state;
  sinew_model *model = fixture_planar_limited(3, 1.0, -2.0, 2.0, INFINITY);
  sinew_task task = flat_tip(3, 1.0);
  task.free_axes = SINEW_FREE_Z;
  sinew_solver_def local = sinew_default_solver_def();
  local.budget.max_starts = 1;
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_solver *alone = solver_with(&local, model, &task, 1);
  sinew_global_def def = sinew_default_global_def();
  def.mode = SINEW_GLOBAL_BEST;
  for (uint64_t round = 0; round < 20; ++round) {
    double goal[3], q[3], most = 0.0;
    sinew_configuration_random(model, 434, round, goal);
    const sinew_target target = target_at(model, &task, goal);
    for (uint64_t other = 0; other < 300; ++other) {
      sinew_report report;
      sinew_configuration_random(model, 435, other, q);
      assert_ok(sinew_solver_solve_local(alone, &target, 1, q, &report));
      most = report.outcome == SINEW_OUTCOME_CONVERGED ? fmax(most, manipulability(model, &task, q))
                                                       : most;
    }
    sinew_configuration_middle(model, q);
    assert_ok(sinew_solver_search(solver, &def, &target, 1, q, NULL));
    assert_true(manipulability(model, &task, q) > 0.97 * most);
  }
  sinew_solver_destroy(alone);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// ----------------------------------------------------------------- no answer

// Too far: proven unreachable, and the chain points at the target.
// req: C6 F2
static void out_of_reach_is_proven(void **state) {
  (void)state;
  for (int mode = 0; mode < 3; ++mode) {
    sinew_global_def def = sinew_default_global_def();
    def.mode = (sinew_global_mode)mode;
    sinew_model *model = fixture_planar(3, 0.5);
    const sinew_task task = flat_tip(3, 0.5);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    for (uint64_t round = 0; round < 20; ++round) {
      const sinew_target target = at(2.0 * cos((double)round), 2.0 * sin((double)round));
      double q[3], rows[2][3];
      int found = -1;
      sinew_report report;
      sinew_configuration_random(model, 436, round, q);
      assert_ok(sinew_solver_solve_all(solver, &def, &target, 1, q, 2, rows[0], &found, &report));
      assert_int_equal(found, 0);
      assert_int_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
      report = solve(solver, &def, model, &task, &target, 1, q);
      assert_int_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
      assert_int_equal(report.worst_task, 0);
      assert_near(report.position_error, 0.5, 1e-6);
      assert_true(report.steps < 2500); // three attempts, and the search for the nearest
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// Two links whose limits keep them from bending enough, and an axis that no joint rotates about.
// req: A8 F2
static void limits_and_stalls_are_reported(void **state) {
  (void)state;
  sinew_model *model = fixture_planar_limited(2, 1.0, -0.5, 0.5, INFINITY);
  sinew_task task = flat_tip(2, 1.0);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_target target = at(-1.5, 0.2);
  double q[2] = {0.1, 0.1};
  sinew_report report = solve(solver, NULL, model, &task, &target, 1, q);
  assert_int_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH); // within the limits
  assert_in_range(report.limiting_joint, 0, 1);
  assert_true(fabs(q[report.limiting_joint]) == 0.5);
  // No configuration is nearer.
  for (int i = 0; i <= 100; ++i) {
    for (int j = 0; j <= 100; ++j) {
      const double other[2] = {-0.5 + 0.01 * i, -0.5 + 0.01 * j};
      double distance, angle;
      measure(model, &task, &target, other, &distance, &angle);
      assert_true(distance >= report.position_error - 1e-9);
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);

  model = fixture_planar(2, 1.0);
  task = task_of(SINEW_TASK_ORIENTATION, 2);
  solver = solver_with(NULL, model, &task, 1);
  sinew_quaternion_from_rpy((double[3]){0.4, 0.0, 0.0}, target.rotation);
  report = solve(solver, NULL, model, &task, &target, 1, q);
  assert_int_equal(report.outcome, SINEW_OUTCOME_STALLED);
  assert_near(report.orientation_error, 0.4, 1e-4);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

static double ticks(void *context) {
  return (*(double *)context += 1.0);
}

// A clock that advances at each call ends a solve that would continue: the outcome is the time
// limit, and q is the best configuration so far.
// req: F2
static void time_limit_ends_a_solve(void **state) {
  (void)state;
  double now = 0.0;
  sinew_model *model = fixture_planar_limited(2, 1.0, -0.5, 0.5, INFINITY);
  const sinew_task task = flat_tip(2, 1.0);
  const sinew_target target = at(-1.5, 0.2), within = at(1.95, 0.1);
  sinew_solver_def def = sinew_default_solver_def();
  def.budget.clock = ticks;
  def.budget.clock_context = &now;
  def.budget.time_limit = 20.0;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  double q[2] = {0.1, 0.1}, seed[2] = {0.1, 0.1}, rows[4][2];
  int found = -1;
  sinew_report report = solve(solver, NULL, model, &task, &target, 1, q);
  assert_int_equal(report.outcome, SINEW_OUTCOME_TIME_LIMIT);
  assert_true(now < 30.0 * 8);
  assert_ok(sinew_solver_solve_all(solver, NULL, &target, 1, seed, 4, rows[0], &found, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_TIME_LIMIT);
  assert_int_equal(found, 0);
  // A solution found in time counts.
  assert_int_equal(solve(solver, NULL, model, &task, &within, 1, q).outcome,
                   SINEW_OUTCOME_CONVERGED);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A time limit that has passed before the first step leaves a start of this solve, none of the
// last.
// req: F2
static void time_limit_before_the_first_step(void **state) {
  (void)state;
  double now = 0.0;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const unsigned char frozen[7] = {0, 0, 1, 0, 0, 0, 0};
  sinew_solver_def def = sinew_default_solver_def();
  def.budget.clock = ticks;
  def.budget.clock_context = &now;
  def.budget.time_limit = 0.5;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  assert_ok(sinew_solver_set_frozen(solver, frozen));
  for (uint64_t round = 0; round < 4; ++round) {
    double goal[7], seed[7], q[7];
    sinew_configuration_random(model, 451, round, goal);
    sinew_configuration_random(model, 452, round, seed);
    memcpy(q, seed, sizeof q);
    const sinew_target target = target_at(model, &task, goal);
    sinew_report report;
    assert_ok(sinew_solver_solve(solver, &target, 1, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_TIME_LIMIT);
    assert_at_most(outside_limits(model, q), 0.0);
    assert_true(q[2] == seed[2]);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A frozen spherical joint keeps its quaternion bit for bit, of any length; every result called a
// solution is one.
// req: F2
static void frozen_spherical_joints_keep_any_quaternion(void **state) {
  (void)state;
  enum { WANTED = 4 };
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(true, links);
  const sinew_task task = task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]);
  const int nq = sinew_model_nq(model);
  assert_true(nq <= MOST && sinew_model_nv(model) <= MOST);
  const unsigned char frozen[MOST] = {1, 1, 1, 1, 1, 1};
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  assert_ok(sinew_solver_set_frozen(solver, frozen));
  for (uint64_t round = 0; round < 5; ++round) {
    double goal[MOST], seed[MOST], q[MOST], rows[WANTED * MOST], distance, angle;
    int found = 0;
    sinew_configuration_random(model, 453, round, goal);
    sinew_configuration_random(model, 454, round, seed);
    memcpy(seed, goal, 7 * sizeof(double));
    for (int k = 3; k < 7; ++k) {
      seed[k] *= 1.5;
    }
    const sinew_target target = target_at(model, &task, goal);
    memcpy(q, seed, sizeof q);
    assert_ok(sinew_solver_solve(solver, &target, 1, q, NULL));
    assert_memory_equal(q, seed, 7 * sizeof(double));
    assert_ok(sinew_solver_solve_all(solver, NULL, &target, 1, seed, WANTED, rows, &found, NULL));
    assert_int_equal(found, WANTED);
    for (int i = 0; i <= found; ++i) {
      measure(model, &task, &target, i < found ? rows + i * nq : q, &distance, &angle);
      assert_at_most(distance, 1e-6 + 1e-9);
      assert_at_most(angle, 1e-6 + 1e-9);
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// One attempt is one local solve; more attempts never end with a larger error.
// req: F2
static void attempts_are_counted(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  static const int budgets[4] = {1, 2, 8, 1000};
  int solved[4] = {0};
  for (int b = 0; b < 4; ++b) {
    sinew_global_def def = sinew_default_global_def();
    def.max_starts = budgets[b];
    for (uint64_t round = 0; round < 200; ++round) {
      double goal[7], q[7];
      sinew_configuration_random(model, 437, round, goal);
      sinew_configuration_random(model, 438, round, q);
      const sinew_target target = target_at(model, &task, goal);
      solved[b] +=
          solve(solver, &def, model, &task, &target, 1, q).outcome == SINEW_OUTCOME_CONVERGED;
    }
  }
  print_message("solved of 200 by 1, 2, 8, 1000 attempts: %d %d %d %d\n", solved[0], solved[1],
                solved[2], solved[3]);
  assert_true(solved[0] > 50 && solved[0] < 180);
  assert_true(solved[1] > solved[0] && solved[2] > solved[1] && solved[3] == 200);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Without tasks, and where no joint can move, the solve returns at once.
static void solves_without_tasks_or_joints(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(2, 1.0);
  const sinew_task task = flat_tip(2, 1.0);
  const unsigned char frozen[2] = {1, 1};
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  double q[2] = {0.3, 0.4}, rows[3][2];
  const double seed[2] = {0.3, 0.4};
  int found = -1;
  sinew_report report;
  assert_ok(sinew_solver_set_tasks(solver, NULL, 0, NULL));
  assert_ok(sinew_solver_solve(solver, NULL, 0, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_NO_TASK);
  assert_int_equal(report.worst_task, -1);
  assert_ok(sinew_solver_solve_all(solver, NULL, NULL, 0, seed, 3, rows[0], &found, &report));
  assert_int_equal(found, 0);
  assert_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
  assert_ok(sinew_solver_set_frozen(solver, frozen));
  const sinew_target target = at(1.0, 1.0);
  assert_ok(sinew_solver_solve(solver, &target, 1, q, &report));
  assert_int_not_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  assert_true(q[0] == 0.3 && q[1] == 0.4);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Distances are measured from the seed as given, also outside its limits; the result is inside.
// req: A8
static void seeds_outside_limits_give_results_inside(void **state) {
  (void)state;
  sinew_model *model = fixture_planar_limited(2, 1.0, -3.0, 3.0, INFINITY);
  const sinew_task task = flat_tip(2, 1.0);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  for (int mode = 0; mode < 3; ++mode) {
    sinew_global_def def = sinew_default_global_def();
    def.mode = (sinew_global_mode)mode;
    for (int i = 0; i < 20; ++i) {
      double q[2] = {0.3 * i + 3.2, -40.0 * i - 3.1};
      const sinew_target target = at(cos(i), 0.7);
      assert_int_equal(solve(solver, &def, model, &task, &target, 1, q).outcome,
                       SINEW_OUTCOME_CONVERGED);
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_as_documented),
      cmocka_unit_test(definitions_and_problems_are_checked),
      cmocka_unit_test(banks_of_other_models_or_tasks_are_refused),
      cmocka_unit_test(arm_reaches_all_its_poses),
      cmocka_unit_test(seeds_near_a_solution_lead_to_it),
      cmocka_unit_test(humanoid_reaches_with_all_effectors),
      cmocka_unit_test(far_targets_of_sliding_bases_are_reached),
      cmocka_unit_test(joints_without_tasks_are_unchanged),
      cmocka_unit_test(same_calls_give_the_same_bits),
      cmocka_unit_test(nearest_solution_matches_closed_form),
      cmocka_unit_test(nearest_solution_of_a_continuum),
      cmocka_unit_test(nearest_solution_of_a_humanoid),
      cmocka_unit_test(best_solution_has_the_highest_score),
      cmocka_unit_test(mirrors_of_the_best_solution_are_tried),
      cmocka_unit_test(best_solution_maximizes_manipulability),
      cmocka_unit_test(out_of_reach_is_proven),
      cmocka_unit_test(limits_and_stalls_are_reported),
      cmocka_unit_test(time_limit_ends_a_solve),
      cmocka_unit_test(time_limit_before_the_first_step),
      cmocka_unit_test(frozen_spherical_joints_keep_any_quaternion),
      cmocka_unit_test(attempts_are_counted),
      cmocka_unit_test(solves_without_tasks_or_joints),
      cmocka_unit_test(seeds_outside_limits_give_results_inside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
