// The methods of the literature: the searches over whole poses, quasi-Newton steps, conjugate
// gradients, Halley's step and finite differences. Each by its definition or against another
// program, all by the same promises.
#include "experiments/solved.h"
#include "fixtures.h"
#include "inspect.h"
#include "sample.h"

enum { FIRST = SINEW_METHOD_GRADIENT, MOST = 64 };

static sinew_solver_def def_of(int method) {
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = (sinew_method)method;
  return def;
}

// ---------------------------------------------------------------- the table

// Of the first reachable targets on each figure of `sinew experiment methods`, how many each method
// solves for from the middle of the limits, and with restarts, in 500 steps in all.
static const int targets_of[SOLVED_FIGURES] = {20, 20, 20, 20, 10, 10, 10, 10, 20};
static const int table[SINEW_METHOD_COUNT][SOLVED_FIGURES][2] = {
    [SINEW_METHOD_DEFAULT] =
        {{18, 20}, {18, 20}, {19, 20}, {20, 20}, {9, 10}, {10, 10}, {9, 10}, {9, 9}, {20, 20}},
    [SINEW_METHOD_TRANSPOSE] =
        {{2, 2}, {1, 1}, {15, 13}, {20, 20}, {0, 0}, {10, 10}, {0, 0}, {2, 1}, {9, 9}},
    [SINEW_METHOD_PSEUDOINVERSE] =
        {{14, 16}, {15, 20}, {18, 20}, {20, 20}, {6, 10}, {10, 10}, {7, 10}, {9, 10}, {20, 20}},
    [SINEW_METHOD_DLS] =
        {{19, 20}, {18, 20}, {19, 20}, {20, 20}, {9, 10}, {10, 10}, {9, 10}, {9, 9}, {20, 20}},
    [SINEW_METHOD_SDLS] =
        {{18, 20}, {19, 20}, {19, 20}, {20, 20}, {10, 10}, {10, 10}, {9, 10}, {10, 10}, {20, 20}},
    [SINEW_METHOD_NEWTON] =
        {{18, 20}, {20, 20}, {18, 20}, {20, 20}, {10, 10}, {10, 10}, {10, 10}, {10, 10}, {20, 20}},
    [SINEW_METHOD_GRADIENT] =
        {{0, 0}, {0, 0}, {0, 0}, {20, 20}, {0, 0}, {10, 10}, {0, 0}, {0, 0}, {2, 2}},
    [SINEW_METHOD_CONJUGATE] =
        {{18, 17}, {19, 20}, {18, 20}, {20, 20}, {8, 8}, {10, 10}, {10, 9}, {10, 10}, {20, 20}},
    [SINEW_METHOD_BFGS] =
        {{19, 20}, {20, 20}, {19, 20}, {20, 20}, {10, 8}, {10, 10}, {10, 10}, {10, 10}, {20, 20}},
    [SINEW_METHOD_LBFGS] =
        {{19, 20}, {20, 20}, {19, 20}, {20, 20}, {10, 8}, {10, 10}, {10, 10}, {10, 10}, {20, 20}},
    [SINEW_METHOD_LM] =
        {{20, 20}, {19, 20}, {19, 20}, {20, 20}, {10, 10}, {10, 10}, {10, 10}, {9, 10}, {20, 20}},
    [SINEW_METHOD_HALLEY] =
        {{17, 20}, {17, 20}, {19, 20}, {20, 20}, {9, 10}, {10, 10}, {9, 10}, {9, 10}, {20, 20}},
    [SINEW_METHOD_NUMERIC] =
        {{19, 20}, {18, 20}, {19, 20}, {20, 20}, {9, 10}, {10, 10}, {9, 10}, {9, 9}, {20, 20}},
    [SINEW_METHOD_NUMERIC_SCALAR] =
        {{3, 3}, {0, 0}, {12, 13}, {20, 20}, {0, 0}, {10, 10}, {0, 0}, {1, 1}, {13, 12}},
    [SINEW_METHOD_CCD] =
        {{1, 5}, {8, 8}, {1, 17}, {19, 20}, {7, 9}, {10, 10}, {3, 5}, {2, 2}, {20, 20}},
    [SINEW_METHOD_CCD_ROOT] =
        {{1, 6}, {4, 6}, {0, 17}, {15, 20}, {8, 8}, {10, 10}, {6, 7}, {3, 3}, {20, 20}},
    [SINEW_METHOD_CCD_NEWTON] =
        {{18, 20}, {19, 20}, {18, 20}, {20, 20}, {8, 10}, {10, 10}, {8, 10}, {7, 8}, {20, 20}},
    [SINEW_METHOD_FABRIK] =
        {{2, 13}, {6, 9}, {5, 17}, {10, 20}, {3, 6}, {10, 10}, {5, 7}, {0, 0}, {20, 20}},
    [SINEW_METHOD_WEIGHTED] =
        {{19, 20}, {18, 20}, {19, 20}, {20, 20}, {9, 10}, {10, 10}, {9, 10}, {9, 9}, {20, 20}},
};

// Rounding errors, which differ among compilers and changes of the code, decide about one figure in
// some places. req: D14 D15 D16
static void shares_are_those_of_the_table(void **state) {
  (void)state;
  int wrong = 0, apart = 0;
  for (int m = 0; m < SINEW_METHOD_COUNT; ++m) {
    const sinew_solver_def def = def_of(m);
    print_message("    [SINEW_METHOD_%s] = {", sinew_method_info_of(m)->name);
    for (int f = 0; f < SOLVED_FIGURES; ++f) {
      solved got;
      if (!is_sampled(m * SOLVED_FIGURES + f)) {
        continue;
      }
      assert_true(solved_measure(solved_figure(f), &def, targets_of[f], &got));
      assert_int_equal(got.false_claims, 0);
      print_message("{%d, %d}%s", got.first, got.restarted, f < SOLVED_FIGURES - 1 ? ", " : "},\n");
      const int first = abs(got.first - table[m][f][0]);
      const int restarted = abs(got.restarted - table[m][f][1]);
      wrong += (first > 1) + (restarted > 1);
      apart += first + restarted;
    }
  }
  assert_int_equal(wrong, 0);
  assert_at_most(apart, 10);
}

// ---------------------------------------------------------------- one joint at a time

// The closed form of one joint, against many values of the angle.
// req: D14
static void a_joint_moves_to_the_best_angle(void **state) {
  (void)state;
  random_stream random = random_stream_of(1401);
  for (int round = 0; round < 300; ++round) {
    sinew_model *model =
        round % 2 == 0 ? fixture_planar(1, 1.0) : fixture_planar_limited(1, 1.0, -0.6, 0.9, 1.0);
    const sinew_task task = task_of(round % 3 == 0 ? SINEW_TASK_POSE : SINEW_TASK_POSITION, 1);
    sinew_task moved = task;
    sinew_solver_def def = def_of(SINEW_METHOD_CCD);
    def.step.max_turn = 10.0;
    random_vector(&random, 1.0, moved.point_l);
    sinew_solver *solver = solver_with(&def, model, &moved, 1);
    sinew_target target = sinew_default_target();
    random_vector(&random, 2.0, target.position);
    double q[1] = {0.0}, best = INFINITY, at_best = 0.0;
    random_unit(&random, 4, target.rotation);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    // the sum of squares that the pairs stand for: three axes in place of the rotation's angle
    sinew_state *poses = NULL;
    assert_ok(sinew_state_create(model, NULL, &poses, NULL));
    const double size = solver->problem.size;
    double value_at_q = 0.0;
    for (int i = -1; i < 4000; ++i) {
      const double angle = i < 0 ? q[0] : -PI + 2.0 * PI * i / 4000.0;
      double p[3], R[9], Rd[9], sum = 0.0;
      sinew_pose pose;
      if (i >= 0 && round % 2 == 1 && (angle < -0.6 || angle > 0.9)) {
        continue;
      }
      assert_ok(sinew_state_forward(poses, &angle));
      assert_ok(sinew_state_point(poses, 1, moved.point_l, p));
      assert_ok(sinew_state_link_pose(poses, 1, &pose));
      sinew_quaternion_to_matrix(pose.rotation, R);
      sinew_quaternion_to_matrix(target.rotation, Rd);
      for (int k = 0; k < 3; ++k) {
        sum += pow((p[k] - target.position[k]) / size, 2.0);
      }
      for (int k = 0; k < 9 && moved.kind == SINEW_TASK_POSE; ++k) {
        sum += 0.5 * pow(R[k] - Rd[k], 2.0);
      }
      if (i < 0) {
        value_at_q = sum;
      } else if (sum < best) {
        best = sum;
        at_best = angle;
      }
    }
    if (value_at_q > best + 1e-9) {
      fail_msg("round %d: %g at %g, %g at %g", round, value_at_q, q[0], best, at_best);
    }
    sinew_state_destroy(poses);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// A spherical joint takes the rotation that aligns all pairs: of pairs that were rotated by R, R.
// req: D14
static void a_spherical_joint_aligns_all_pairs(void **state) {
  (void)state;
  random_stream random = random_stream_of(1402);
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
  sinew_model *model = builder_make(&b);
  for (int round = 0; round < 200; ++round) {
    sinew_task tasks[3];
    sinew_target targets[3];
    double there[4], q[4] = {1.0, 0.0, 0.0, 0.0};
    const int count = 1 + round % 3;
    sinew_solver_def def = def_of(round % 2 == 0 ? SINEW_METHOD_CCD : SINEW_METHOD_FABRIK);
    def.step.max_turn = 4.0;
    random_unit(&random, 4, there);
    for (int t = 0; t < count; ++t) {
      tasks[t] = task_of(SINEW_TASK_POSITION, 1);
      random_vector(&random, 1.0, tasks[t].point_l);
      targets[t] = target_at(model, &tasks[t], there);
    }
    sinew_solver *solver = solver_with(&def, model, tasks, count);
    sinew_report report;
    assert_ok(sinew_solver_update(solver, targets, count, q, NULL));
    assert_ok(sinew_solver_update(solver, targets, count, q, &report));
    assert_at_most(report.position_error, 1e-7);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// A prismatic joint goes to where the point is nearest, and to its limit.
// req: D14
static void a_slide_moves_to_the_nearest_place(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  sinew_joint_def *joint = builder_add(&b, 0, SINEW_JOINT_PRISMATIC, 0.0, 0.0, 0.0);
  builder_limit(joint, -1.0, 0.5);
  sinew_model *model = builder_make(&b);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 1);
  for (int i = 0; i < 2; ++i) {
    const sinew_solver_def def = def_of(i == 0 ? SINEW_METHOD_CCD : SINEW_METHOD_CCD_ROOT);
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    sinew_target target = sinew_default_target();
    double q[1] = {0.0};
    target.position[0] = 0.3;
    target.position[2] = -0.4;
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    assert_near(q[0], -0.4, 1e-12);
    target.position[2] = 3.0;
    for (int k = 0; k < 3; ++k) { // max_turn bounds each step
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    }
    assert_near(q[0], 0.5, 0.0);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// The share of a step's motion in each joint of a chain of four.
static void shares_of(int method, double *shares) {
  sinew_model *model = fixture_planar(4, 0.25);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 4);
  sinew_task tip = task;
  tip.point_l[0] = 0.25;
  const sinew_solver_def def = def_of(method);
  sinew_solver *solver = solver_with(&def, model, &tip, 1);
  double sum = 0.0;
  for (int j = 0; j < 4; ++j) {
    shares[j] = 0.0;
  }
  for (int i = 0; i < 200; ++i) {
    double q[4], before[4];
    sinew_configuration_random(model, 1901, (uint64_t)i, before);
    sinew_configuration_random(model, 1902, (uint64_t)i, q);
    const sinew_target target = target_at(model, &tip, q);
    memcpy(q, before, sizeof q);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    for (int j = 0; j < 4; ++j) {
      shares[j] += fabs(q[j] - before[j]);
      sum += fabs(q[j] - before[j]);
    }
  }
  for (int j = 0; j < 4; ++j) {
    shares[j] /= sum;
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// CCD from the tip moves the joints near the tip most, from the root those near the root; the
// pseudoinverse moves all.
// req: D19
static void ccd_moves_the_joints_that_it_begins_with(void **state) {
  (void)state;
  double tip[4], root[4], all[4];
  shares_of(SINEW_METHOD_CCD, tip);
  shares_of(SINEW_METHOD_CCD_ROOT, root);
  shares_of(SINEW_METHOD_PSEUDOINVERSE, all);
  print_message("tip %.2f %.2f %.2f %.2f\nroot %.2f %.2f %.2f %.2f\nall %.2f %.2f %.2f %.2f\n",
                tip[0], tip[1], tip[2], tip[3], root[0], root[1], root[2], root[3], all[0], all[1],
                all[2], all[3]);
  assert_true(tip[3] > 1.2 * tip[0] && root[0] > 1.2 * root[3]);
  for (int j = 0; j < 4; ++j) {
    assert_true(all[j] > 0.1);
  }
}

// ------------------------------------------------------------------ lengths of chains

// FABRIK keeps the lengths, since a step ends at joint values; on a chain of spherical joints it
// reaches what is in reach, and lies straight towards what is not.
// req: D14
static void fabrik_reaches_or_lies_straight(void **state) {
  (void)state;
  random_stream random = random_stream_of(1403);
  builder b;
  builder_start(&b);
  for (int i = 0; i < 6; ++i) {
    builder_add(&b, i, SINEW_JOINT_SPHERICAL, i == 0 ? 0.0 : 0.3, 0.0, 0.0);
  }
  sinew_model *model = builder_make(&b);
  sinew_task task = task_of(SINEW_TASK_POSITION, 6);
  task.point_l[0] = 0.3;
  const sinew_solver_def def = def_of(SINEW_METHOD_FABRIK);
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  for (int round = 0; round < 60; ++round) {
    double q[6 * 4], direction[3], distance, angle;
    const bool far = round % 2 == 1;
    const double length =
        far ? random_between(&random, 2.0, 4.0) : random_between(&random, 0.3, 1.7);
    sinew_target target = sinew_default_target();
    sinew_report report;
    random_unit(&random, 3, direction);
    for (int i = 0; i < 3; ++i) {
      target.position[i] = length * direction[i];
    }
    sinew_configuration_random(model, 1403, (uint64_t)round, q);
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    measure(model, &task, &target, q, &distance, &angle);
    assert_int_equal(report.outcome, far ? SINEW_OUTCOME_OUT_OF_REACH : SINEW_OUTCOME_CONVERGED);
    assert_at_most(distance, far ? length - 1.8 + 1e-3 : 1.01e-6);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// ------------------------------------------------------------------ convergence

// |e| after each step from a start nearby.
static int errors_of(int method, const sinew_model *model, const sinew_task *task,
                     const sinew_target *target, const double *start, double *errors, int most) {
  sinew_solver_def def = def_of(method);
  def.step.error_damping = 0.0;
  def.step.damping_floor = 0.0;
  def.step.max_turn = 10.0;
  sinew_solver *solver = solver_with(&def, model, task, 1);
  double q[MOST];
  int count = 0;
  memcpy(q, start, (size_t)sinew_model_nq(model) * sizeof(double));
  for (; count < most; ++count) {
    sinew_report report;
    assert_ok(sinew_solver_update(solver, target, 1, q, &report));
    errors[count] = report.position_error + report.orientation_error;
    if (errors[count] < 1e-13) {
      break;
    }
  }
  sinew_solver_destroy(solver);
  return count;
}

// Halley's step converges cubically where Newton's converges quadratically: with e_k the error
// before step k, e_2 / e_1^3 is bounded, and smaller than what e_1^2 gives.
// req: D16
static void halley_converges_cubically(void **state) {
  (void)state;
  random_stream random = random_stream_of(1601);
  double orders[2] = {0.0, 0.0};
  int counted[2] = {0, 0};
  for (int round = 0; round < 60; ++round) {
    sinew_model *model = fixture_arm();
    const sinew_task task =
        task_of(round % 2 == 0 ? SINEW_TASK_POSITION : SINEW_TASK_POSE, ARM_FLANGE);
    double there[MOST], start[MOST];
    sinew_configuration_random(model, 1601, (uint64_t)round, there);
    for (int j = 0; j < sinew_model_nq(model); ++j) {
      const double l = sinew_model_lower(model)[j], u = sinew_model_upper(model)[j];
      there[j] = fmin(fmax(there[j], l + 0.4), u - 0.4);
      start[j] = there[j] + random_between(&random, -0.1, 0.1);
    }
    const sinew_target target = target_at(model, &task, there);
    for (int k = 0; k < 2; ++k) {
      double e[12];
      const int count = errors_of(k == 0 ? SINEW_METHOD_DLS : SINEW_METHOD_HALLEY, model, &task,
                                  &target, start, e, 12);
      // the step that begins below 0.1 and ends above rounding
      for (int i = 0; i + 1 < count; ++i) {
        if (e[i] < 0.1 && e[i + 1] > 1e-11) {
          orders[k] += log(e[i + 1]) / log(e[i]);
          ++counted[k];
        }
      }
    }
    sinew_model_destroy(model);
  }
  print_message("order: Newton %.2f of %d, Halley %.2f of %d\n", orders[0] / counted[0], counted[0],
                orders[1] / counted[1], counted[1]);
  assert_true(counted[0] > 30 && counted[1] > 20);
  assert_true(orders[1] / counted[1] > orders[0] / counted[0] + 0.5);
}

// The finite differences of the vector are Newton's step to their accuracy: they converge as the
// analytic Jacobian does; those of the scalar need only |e|.
// req: D16
static void finite_differences_converge(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(true, links);
  const sinew_task_kind kinds[] = {SINEW_TASK_POSITION, SINEW_TASK_POSE, SINEW_TASK_ORIENTATION,
                                   SINEW_TASK_DIRECTION};
  int scalar = 0;
  for (int i = 0; i < 40; ++i) {
    const sinew_task task = task_of(kinds[i % 4], links[HUMANOID_LEFT_HAND]);
    double start[2 * MOST], q[2 * MOST];
    sinew_configuration_random(model, 1602, (uint64_t)i, q);
    const sinew_target target = target_at(model, &task, q);
    sinew_configuration_middle(model, start);
    for (int m = SINEW_METHOD_NUMERIC; m <= SINEW_METHOD_NUMERIC_SCALAR; ++m) {
      sinew_report report;
      const sinew_solver_def def = def_of(m);
      sinew_solver *solver = solver_with(&def, model, &task, 1);
      memcpy(q, start, sizeof q);
      assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
      scalar += m == SINEW_METHOD_NUMERIC_SCALAR && report.outcome == SINEW_OUTCOME_CONVERGED;
      assert_true(m == SINEW_METHOD_NUMERIC_SCALAR || report.outcome == SINEW_OUTCOME_CONVERGED);
      sinew_solver_destroy(solver);
    }
  }
  print_message("on the scalar: %d of 40\n", scalar);
  assert_true(scalar >= 20);
  sinew_model_destroy(model);
}

// ------------------------------------------------------------------ contrasts

// The plain gradient is J^T e: far from the targets it is too long or too short, where the
// transpose takes the best length.
// req: D21
static void the_plain_gradient_has_no_length(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(3, 0.5);
  sinew_task task = task_of(SINEW_TASK_POSITION, 3);
  task.point_l[0] = 0.5;
  const sinew_solver_def def = def_of(SINEW_METHOD_GRADIENT);
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  for (int i = 0; i < 100; ++i) {
    double q[3], there[3], before[3];
    sinew_configuration_random(model, 2101, (uint64_t)i, there);
    sinew_configuration_random(model, 2102, (uint64_t)i, q);
    const sinew_target target = target_at(model, &task, there);
    memcpy(before, q, sizeof q);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    // J^T e of a planar chain: column j is z x (s - p_j)
    double p[4][2] = {{0.0, 0.0}}, angle = 0.0, most = 0.0, x[3];
    for (int j = 0; j < 3; ++j) {
      angle += before[j];
      p[j + 1][0] = p[j][0] + 0.5 * cos(angle);
      p[j + 1][1] = p[j][1] + 0.5 * sin(angle);
    }
    const double size = solver->problem.size;
    for (int j = 0; j < 3; ++j) {
      x[j] = (-(p[3][1] - p[j][1]) * (target.position[0] - p[3][0]) +
              (p[3][0] - p[j][0]) * (target.position[1] - p[3][1])) /
             (size * size);
      most = fmax(most, fabs(x[j]));
    }
    for (int j = 0; j < 3; ++j) {
      assert_near(q[j] - before[j], x[j] * fmin(1.0, 1.0 / most), 1e-12);
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// ------------------------------------------------------------------ promises

// Each method on random trees of all joint kinds with limits, every kind of task and free axes:
// outcomes are true, limits are kept, frozen joints do not change, the same bits again.
// req: D14 D15 D16
static void every_method_keeps_the_promises(void **state) {
  (void)state;
  random_stream random = random_stream_of(1404);
  int converged = 0;
  for (int round = 0; round < 12 * (SINEW_METHOD_COUNT - FIRST); ++round) {
    random_tree tree;
    random_tree_options options = random_tree_defaults();
    sinew_model *model = NULL;
    options.joints = 2 + random_below(&random, 8);
    options.coupled = 0.2;
    random_tree_make(&tree, random_bits(&random), &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    const int nq = sinew_model_nq(model), nv = sinew_model_nv(model);
    sinew_solver_def def = def_of(FIRST + round % (SINEW_METHOD_COUNT - FIRST));
    def.budget.max_steps = 60;
    sinew_task tasks[2];
    sinew_target targets[2];
    double there[4 * MOST], q[4 * MOST], again[4 * MOST], start[4 * MOST];
    unsigned char frozen[2 * MOST] = {0};
    assert_true(nq <= 4 * MOST && nv <= 2 * MOST);
    sinew_configuration_random(model, 1404, (uint64_t)round, there);
    for (int t = 0; t < 2; ++t) {
      const sinew_task_kind kind = (sinew_task_kind)random_below(&random, 4);
      tasks[t] = task_of(kind, 1 + random_below(&random, options.joints));
      tasks[t].free_axes =
          round % 3 == 0 ? free_axes_of(kind, (unsigned)random_below(&random, 64)) : 0;
      targets[t] = target_at(model, &tasks[t], there);
    }
    for (int v = 0; v < nv; ++v) {
      frozen[v] = random_below(&random, 6) == 0;
    }
    sinew_solver *solver = solver_with(&def, model, tasks, 2);
    assert_ok(sinew_solver_set_frozen(solver, frozen));
    sinew_configuration_middle(model, start);
    memcpy(q, start, sizeof q);
    memcpy(again, start, sizeof q);
    sinew_report report;
    assert_ok(sinew_solver_solve_local(solver, targets, 2, q, &report));
    assert_at_most(outside_limits(model, q), 1e-12);
    bool met = true;
    for (int t = 0; t < 2 && tasks[t].free_axes == 0; ++t) {
      double distance, angle;
      measure(model, &tasks[t], &targets[t], q, &distance, &angle);
      met &= tasks[t].kind == SINEW_TASK_ORIENTATION || tasks[t].kind == SINEW_TASK_DIRECTION
                 ? angle <= 2e-6
                 : distance <= 2e-6 && (tasks[t].kind == SINEW_TASK_POSITION || angle <= 2e-6);
    }
    converged += report.outcome == SINEW_OUTCOME_CONVERGED;
    assert_true(met || report.outcome != SINEW_OUTCOME_CONVERGED || tasks[1].free_axes != 0 ||
                tasks[0].free_axes != 0);
    double change[2 * MOST];
    sinew_configuration_difference(model, start, q, change);
    for (int v = 0; v < nv; ++v) {
      // axes of a spherical joint do not commute: only a whole one can be compared
      assert_true(isfinite(change[v]));
      assert_true(!frozen[v] || model->quaternion_axis[v] >= 0 || change[v] == 0.0);
    }
    sinew_solver_reset(solver);
    assert_ok(sinew_solver_solve_local(solver, targets, 2, again, NULL));
    assert_memory_equal(q, again, (size_t)nq * sizeof(double));
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  print_message("%d converged\n", converged);
  assert_true(converged > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_are_those_of_the_table),
      cmocka_unit_test(a_joint_moves_to_the_best_angle),
      cmocka_unit_test(a_spherical_joint_aligns_all_pairs),
      cmocka_unit_test(a_slide_moves_to_the_nearest_place),
      cmocka_unit_test(ccd_moves_the_joints_that_it_begins_with),
      cmocka_unit_test(fabrik_reaches_or_lies_straight),
      cmocka_unit_test(halley_converges_cubically),
      cmocka_unit_test(finite_differences_converge),
      cmocka_unit_test(the_plain_gradient_has_no_length),
      cmocka_unit_test(every_method_keeps_the_promises),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
