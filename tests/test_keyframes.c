// Motions through key configurations, the typical link length, and the dexterity of tasks.
#include "fixtures.h"
#include "inspect.h"

#include <lapacke.h>

enum { MOST = 128, KEYS = 6 };

static void keys_of(const sinew_model *model, uint64_t seed, double *times, double *keys) {
  const int nq = sinew_model_nq(model);
  double time = 0.0;
  for (int k = 0; k < KEYS; ++k) {
    times[k] = time;
    time += 0.3 + sinew_random_uniform(seed, (uint64_t)k);
    sinew_configuration_random(model, seed, (uint64_t)k, keys + k * nq);
  }
}

// The keys are met; between them the motion is continuous with its velocity, unit quaternions stay
// unit, and limits are kept. On random trees of all joints.
// req: F6
static void keys_are_met_smoothly(void **state) {
  (void)state;
  for (uint64_t round = 0; round < 60; ++round) {
    random_tree tree;
    random_tree_options options = random_tree_defaults();
    sinew_model *model = NULL;
    double times[KEYS], keys[KEYS * MOST], q[MOST], a[MOST], b[MOST], v[2][MOST];
    options.joints = 8;
    random_tree_make(&tree, 6000 + round, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    const int nq = sinew_model_nq(model), nv = sinew_model_nv(model);
    assert_true(nq <= MOST);
    keys_of(model, 600 + round, times, keys);
    for (int k = 0; k < KEYS; ++k) {
      assert_ok(sinew_configuration_keyframes(model, times, keys, KEYS, times[k], q));
      sinew_configuration_difference(model, keys + k * nq, q, v[0]);
      for (int i = 0; i < nv; ++i) {
        assert_near(v[0][i], 0.0, 1e-9);
      }
      const double h = 1e-5; // velocities before and after the key, to first order in h
      assert_ok(sinew_configuration_keyframes(model, times, keys, KEYS, times[k] - h, b));
      assert_ok(sinew_configuration_keyframes(model, times, keys, KEYS, times[k] + h, a));
      sinew_configuration_difference(model, b, q, v[0]);
      sinew_configuration_difference(model, q, a, v[1]);
      for (int i = 0; i < nv && k > 0 && k < KEYS - 1; ++i) {
        const double value = q[model->q_of_v[i]], lower = sinew_model_lower(model)[i];
        const bool free = model->quaternion_axis[i] >= 0 ||
                          (value - lower > 1e-3 && sinew_model_upper(model)[i] - value > 1e-3);
        if (free) {
          assert_near(v[0][i] / h, v[1][i] / h, 3e-3 * (1.0 + fabs(v[0][i] / h)));
        }
      }
      for (int i = 0; i < nv && (k == 0 || k == KEYS - 1); ++i) { // at rest at both ends
        assert_near(v[k == 0][i] / h, 0.0, 1e-2);
      }
    }
    for (int i = 0; i <= 200; ++i) {
      const double time = times[KEYS - 1] * i / 200.0;
      assert_ok(sinew_configuration_keyframes(model, times, keys, KEYS, time, q));
      assert_at_most(outside_limits(model, q), 1e-12);
      memcpy(a, q, sizeof a);
      sinew_configuration_normalize(model, a);
      assert_at_most(farthest(nq, a, q), 1e-12);
    }
    sinew_model_destroy(model);
  }
}

// Against the closed form: with keys on a parabola, the inner segments are that parabola.
// req: F6
static void a_parabola_is_met_between_keys(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(1, 1.0);
  const double times[5] = {0.0, 0.5, 1.5, 2.0, 3.0};
  double keys[5], q;
  for (int k = 0; k < 5; ++k) {
    keys[k] = 0.2 + 0.7 * times[k] - 0.3 * times[k] * times[k];
  }
  for (int i = 0; i <= 50; ++i) {
    const double t = 0.5 + 1.5 * i / 50.0;
    assert_ok(sinew_configuration_keyframes(model, times, keys, 5, t, &q));
    assert_near(q, 0.2 + 0.7 * t - 0.3 * t * t, 1e-14);
  }
  sinew_model_destroy(model);
}

// req: F6
static void keys_are_checked(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(1, 1.0);
  const double times[3] = {0.0, 1.0, 1.0}, keys[3] = {0.1, 0.2, NAN};
  double q = 7.0;
  assert_int_equal(sinew_configuration_keyframes(model, times, keys, 0, 0.0, &q),
                   SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_configuration_keyframes(model, times, keys, 3, 0.0, &q),
                   SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_configuration_keyframes(model, times, keys + 1, 2, 0.0, &q),
                   SINEW_ERROR_NOT_FINITE);
  assert_int_equal(sinew_configuration_keyframes(model, times, keys, 2, NAN, &q),
                   SINEW_ERROR_ARGUMENT);
  const double tiny[3] = {0.0, 1e-310, 1.0}, usable[3] = {0.1, 0.2, 0.3}; // slopes would overflow
  assert_int_equal(sinew_configuration_keyframes(model, tiny, usable, 3, 0.5, &q),
                   SINEW_ERROR_ARGUMENT);
  assert_near(q, 7.0, 0.0);
  assert_ok(sinew_configuration_keyframes(model, times, keys, 1, 5.0, &q));
  assert_near(q, 0.1, 0.0);
  assert_ok(sinew_configuration_keyframes(model, times, keys, 2, -5.0, &q));
  assert_near(q, 0.1, 0.0);
  assert_ok(sinew_configuration_keyframes(model, times, keys, 2, 9.0, &q));
  assert_near(q, 0.2, 1e-15);
  sinew_model_destroy(model);
}

// req: C7
static void the_typical_link_is_their_mean(void **state) {
  (void)state;
  builder b;
  sinew_model *planar = fixture_planar(5, 0.3);
  assert_near(sinew_model_link_length(planar), 0.3, 1e-15);
  sinew_model_destroy(planar);
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 5.0, 0.0, 0.0); // from the root: no link that moves
  builder_add(&b, 1, SINEW_JOINT_REVOLUTE, 0.1, 0.0, 0.0);
  builder_add(&b, 2, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0); // at the same place
  builder_add(&b, 3, SINEW_JOINT_SPHERICAL, 0.0, 0.4, 0.3);
  builder_add(&b, 1, SINEW_JOINT_PRISMATIC, 0.0, 0.0, 0.3);
  sinew_model *model = builder_make(&b);
  assert_near(sinew_model_link_length(model), (0.1 + 0.5 + 0.3) / 3.0, 1e-15);
  sinew_model_destroy(model);
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 5.0, 0.0, 0.0);
  model = builder_make(&b);
  assert_near(sinew_model_link_length(model), sinew_model_size(model), 0.0);
  sinew_model_destroy(model);
}

// The singular values of the tasks' rows, by LAPACK, from the public Jacobian.
// req: B19
static void dexterity_is_that_of_the_rows(void **state) {
  (void)state;
  enum { ROWS = 12, DOFS = 64 };
  int compared = 0, wide = 0;
  for (uint64_t round = 0; round < 200; ++round) {
    random_stream random = random_stream_of(7000 + round);
    random_tree tree;
    random_tree_options options = random_tree_defaults();
    sinew_model *model = NULL;
    sinew_state *poses = NULL;
    sinew_task tasks[2];
    sinew_target targets[2];
    double q[MOST], J[6 * DOFS], A[ROWS * DOFS], sigma[ROWS], work[ROWS + DOFS];
    options.joints = 1 + random_below(&random, 9);
    options.coupled = 0.0;
    random_tree_make(&tree, 7000 + round, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    assert_ok(sinew_state_create(model, NULL, &poses, NULL));
    const int nv = sinew_model_nv(model);
    assert_true(nv <= DOFS && sinew_model_nq(model) <= MOST);
    sinew_configuration_random(model, 7, round, q);
    assert_ok(sinew_state_forward(poses, q));
    int m = 0;
    double size = sinew_model_size(model);
    for (int t = 0; t < 2; ++t) {
      tasks[t] = task_of(t == 0 ? SINEW_TASK_POSE : SINEW_TASK_POSITION,
                         1 + random_below(&random, options.joints));
      tasks[t].position_weight = random_between(&random, 0.5, 2.0);
      targets[t] = sinew_default_target();
    }
    sinew_solver *solver = solver_with(NULL, model, tasks, 2);
    for (int t = 0; t < 2; ++t) {
      assert_ok(sinew_state_jacobian(poses, tasks[t].link, NULL, sinew_model_root(model), J));
      for (int r = 0; r < (t == 0 ? 6 : 3); ++r, ++m) {
        for (int j = 0; j < nv; ++j) { // lengths in sizes: rows and the steps of prismatic joints
          const double column = model->angular[j] ? 1.0 : size;
          A[m * nv + j] = J[r * nv + j] * column * (r < 3 ? tasks[t].position_weight / size : 1.0);
        }
      }
    }
    if (nv == 0) {
      sigma[0] = 0.0;
    }
    const int p = m < nv ? m : nv;
    assert_int_equal(p == 0 ? 0
                            : LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', m, nv, A, nv, sigma, NULL,
                                             1, NULL, 1, work),
                     0);
    sinew_dexterity got;
    assert_ok(sinew_solver_dexterity(solver, targets, 2, q, &got));
    double product = 1.0;
    for (int i = 0; i < got.dofs && i < got.rows; ++i) { // joints that move no task are not counted
      product *= i < p ? sigma[i] : 0.0;
    }
    const int count = got.rows < got.dofs ? got.rows : got.dofs;
    assert_int_equal(got.rows, m);
    assert_near(got.largest, sigma[0], 1e-12 * sigma[0]);
    assert_near(got.smallest, count > 0 ? sigma[count - 1] : 0.0, 1e-12 * sigma[0]);
    assert_near(got.manipulability, count > 0 ? product : 0.0, 1e-11 * pow(sigma[0], count));
    if (count > 0 && sigma[count - 1] > 1e-6) {
      assert_near(got.condition * sigma[count - 1] / sigma[0], 1.0, 1e-7);
      ++compared;
    }
    wide += nv > m;
    sinew_solver_destroy(solver);
    sinew_state_destroy(poses);
    sinew_model_destroy(model);
  }
  assert_true(compared > 50 && wide > 20);
}

// A stretched arm is singular; the call changes no later update.
// req: B19
static void a_stretched_arm_is_singular(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(2, 0.5);
  sinew_task task = task_of(SINEW_TASK_POSITION, 2);
  task.point_l[0] = 0.5;
  task.free_axes = SINEW_FREE_Z;
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_target target = sinew_default_target();
  sinew_dexterity got;
  const double straight[2] = {0.4, 0.0}, bent[2] = {0.4, 1.2};
  assert_ok(sinew_solver_dexterity(solver, &target, 1, straight, &got));
  assert_at_most(got.smallest, 1e-15);
  assert_at_most(got.manipulability, 1e-15);
  assert_true(got.condition > 1e12);
  assert_ok(sinew_solver_dexterity(solver, &target, 1, bent, &got));
  const double size = solver->problem.size;
  assert_near(got.manipulability, 0.5 * 0.5 * sin(1.2) / (size * size), 1e-14); // l1 l2 sin q2
  const double bad[2] = {NAN, 0.0};
  assert_int_equal(sinew_solver_dexterity(solver, &target, 1, bad, &got), SINEW_ERROR_NOT_FINITE);
  assert_near(got.largest, 0.0, 0.0);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_are_met_smoothly),
      cmocka_unit_test(a_parabola_is_met_between_keys),
      cmocka_unit_test(keys_are_checked),
      cmocka_unit_test(the_typical_link_is_their_mean),
      cmocka_unit_test(dexterity_is_that_of_the_rows),
      cmocka_unit_test(a_stretched_arm_is_singular),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
