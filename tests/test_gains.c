// The effect of gains on a step, against LAPACK's least squares.
#include "fixtures.h"

#include <lapacke.h>

// A solver's step with gains G and almost no damping: J x = e, with the x of least |G^-1 x|, G (J
// G)^+ e by LAPACK. J is that of the state, the error small, lengths divided by the model's size.
// req: B15 D6
static void gains_weight_the_pseudoinverse(void **state_) {
  (void)state_;
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const double size = sinew_model_size(arm);
  sinew_solver_def def = sinew_default_solver_def();
  def.method = SINEW_METHOD_DLS;
  def.error_damping = 0.0;
  def.max_turn = 100.0;
  sinew_solver *solver = solver_with(&def, arm, &task, 1);
  sinew_state *state = NULL;
  assert_ok(sinew_state_create(arm, NULL, &state, NULL));
  random_stream random = random_stream_of(70);
  for (uint64_t round = 0; round < 100; ++round) {
    double q[7], before[7], gains[7], J[42], JG[42], e[7], w[3], sigma[7], x[7];
    sinew_configuration_middle(arm, q);
    for (int v = 0; v < 7; ++v) {
      q[v] += random_between(&random, -0.5, 0.5);
      gains[v] = random_between(&random, 0.1, 3.0);
    }
    memcpy(before, q, sizeof q);
    sinew_target target = target_at(arm, &task, q);
    random_vector(&random, 1e-3, e);
    random_vector(&random, 1e-3, w);
    double turn[4];
    sinew_quaternion_exp(w, turn);
    sinew_quaternion_multiply(turn, target.rotation, target.rotation);
    for (int i = 0; i < 3; ++i) {
      target.position[i] += e[i];
      e[i] /= size;
      e[3 + i] = w[i];
    }
    assert_ok(sinew_state_forward(state, q));
    assert_ok(sinew_state_jacobian(state, ARM_FLANGE, NULL, sinew_model_root(arm), J));
    for (int i = 0; i < 42; ++i) {
      J[i] /= i < 21 ? size : 1.0;
      JG[i] = J[i] * gains[i % 7];
    }
    assert_ok(sinew_solver_set_gains(solver, gains));
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    e[6] = 0.0;
    memcpy(x, e, sizeof x);
    lapack_int rank;
    assert_int_equal(LAPACKE_dgelsd(LAPACK_ROW_MAJOR, 6, 7, 1, JG, 7, x, 1, sigma, 1e-12, &rank),
                     0);
    assert_int_equal(rank, 6);
    for (int i = 0; i < 6; ++i) {
      double reached = 0.0;
      for (int v = 0; v < 7; ++v) {
        reached += J[7 * i + v] * (q[v] - before[v]);
      }
      assert_near(reached, e[i], 1e-9);
    }
    for (int v = 0; v < 7; ++v) {
      assert_near(q[v] - before[v], gains[v] * x[v], 1e-7);
    }
  }
  sinew_state_destroy(state);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gains_weight_the_pseudoinverse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
