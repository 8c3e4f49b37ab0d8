// The scalar code is compiled for each instruction set (cmake/scalar.cmake): AVX2 gives the same
// bits as the baseline.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "figures.h"
#include "inspect.h"
#include "random_tree.h"

static void skip_without_avx2(void) {
  if (sinew_instruction_set_detect() < SINEW_INSTRUCTION_SET_AVX2) {
    print_message("this processor has no AVX2\n");
    skip();
  }
}

static void use_base(sinew_solver *solver) {
  const sinew_solver_functions *before = solver->functions;
  solver->functions = sinew_solver_functions_for(SINEW_INSTRUCTION_SET_BASE);
  solver->state.functions = sinew_state_functions_for(SINEW_INSTRUCTION_SET_BASE);
  assert_true(solver->functions != before && solver->functions->update != before->update);
}

// The body Jacobian of the last link, and its pose.
static void assert_same_jacobians(sinew_state *a, sinew_state *b, const double *q) {
  static double J[2][6 * 400];
  const sinew_model *model = sinew_state_model(a);
  const int link = sinew_model_link_count(model) - 1, nv = sinew_model_nv(model);
  sinew_pose pose[2];
  assert_int_equal(sinew_state_jacobian_body(a, q, link, NULL, J[0], &pose[0]), SINEW_OK);
  assert_int_equal(sinew_state_jacobian_body(b, q, link, NULL, J[1], &pose[1]), SINEW_OK);
  assert_memory_equal(J[0], J[1], 6 * (size_t)nv * sizeof(double));
  assert_memory_equal(&pose[0], &pose[1], sizeof pose[0]);
}

// Joints of every kind, with coupled ones: every frame.
// req: B1
static void avx2_gives_the_same_poses_and_jacobians(void **unused) {
  (void)unused;
  skip_without_avx2();
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    random_tree_options options = random_tree_defaults();
    random_tree tree;
    sinew_model *model;
    sinew_state *avx2, *base;
    double q[400];
    options.joints = 30;
    random_tree_make(&tree, seed, &options);
    assert_int_equal(sinew_model_create(&tree.def, &model, NULL), SINEW_OK);
    assert_int_equal(sinew_state_create(model, NULL, &avx2, NULL), SINEW_OK);
    assert_int_equal(sinew_state_create(model, NULL, &base, NULL), SINEW_OK);
    base->functions = sinew_state_functions_for(SINEW_INSTRUCTION_SET_BASE);
    assert_true(sinew_model_nq(model) <= 400 && avx2->functions != base->functions);
    assert_true(avx2->functions->forward != base->functions->forward);
    sinew_configuration_random(model, seed, 0, q);
    assert_int_equal(sinew_state_forward(avx2, q), SINEW_OK);
    assert_int_equal(sinew_state_forward(base, q), SINEW_OK);
    assert_memory_equal(avx2->frames, base->frames,
                        (size_t)model->node_count * sizeof *avx2->frames);
    assert_same_jacobians(avx2, base, q);
    sinew_state_destroy(avx2);
    sinew_state_destroy(base);
    sinew_model_destroy(model);
  }
}

// Updates of every method, in reach and out of it.
// req: F1
static void avx2_gives_the_same_updates(void **unused) {
  (void)unused;
  static const sinew_method methods[] = {SINEW_METHOD_TRANSPOSE, SINEW_METHOD_PSEUDOINVERSE,
                                         SINEW_METHOD_DLS,       SINEW_METHOD_SDLS,
                                         SINEW_METHOD_NEWTON,    SINEW_METHOD_DEFAULT};
  skip_without_avx2();
  for (int kind = 0; kind < FIGURE_CHAIN_30; ++kind) {
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
      sinew_solver_def def = sinew_default_solver_def();
      random_stream random = random_stream_of(7);
      sinew_target targets[FIGURE_TASKS];
      double q[2][FIGURE_NV + FIGURE_NV / 3], goal[FIGURE_NV + FIGURE_NV / 3];
      figure f[2];
      def.step.method = methods[m];
      for (int i = 0; i < 2; ++i) {
        figure_make(&f[i], (figure_kind)kind, &def);
        sinew_configuration_random(f[i].model, 3, 0, q[i]);
      }
      use_base(f[1].solver);
      for (int step = 0; step < 40; ++step) {
        if (step % 20 == 0) {
          sinew_configuration_random(f[0].model, 4, (uint64_t)step, goal);
          figure_targets_at(&f[0], goal, targets);
        } else if (step % 20 == 10) {
          figure_targets_beyond(&f[0], &random, 0.3, targets);
        }
        for (int i = 0; i < 2; ++i) {
          assert_int_equal(sinew_solver_update(f[i].solver, targets, f[i].count, q[i], NULL),
                           SINEW_OK);
        }
        assert_memory_equal(q[0], q[1], (size_t)f[0].nq * sizeof(double));
      }
      figure_end(&f[0]);
      figure_end(&f[1]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(avx2_gives_the_same_poses_and_jacobians),
      cmocka_unit_test(avx2_gives_the_same_updates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
