// Code that is compiled twice (simd/four.h): the AVX2 version gives the same bits as the baseline.
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

static void skip_without_wide(void) {
  if (!sinew_has_avx2()) {
    print_message("this processor has no AVX2\n");
    skip();
  }
}

static void keep_plain(sinew_solver *solver) {
  solver->state.wide = false;
  solver->evaluation.rows.wide = false;
}

// Joints of every kind, with coupled ones: every frame.
// req: B1
static void avx2_gives_the_same_poses(void **unused) {
  (void)unused;
  skip_without_wide();
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    random_tree_options options = random_tree_defaults();
    random_tree tree;
    sinew_model *model;
    sinew_state *wide, *plain;
    double q[400];
    options.joints = 30;
    random_tree_make(&tree, seed, &options);
    assert_int_equal(sinew_model_create(&tree.def, &model, NULL), SINEW_OK);
    assert_int_equal(sinew_state_create(model, NULL, &wide, NULL), SINEW_OK);
    assert_int_equal(sinew_state_create(model, NULL, &plain, NULL), SINEW_OK);
    assert_true(sinew_model_nq(model) <= 400 && wide->wide);
    plain->wide = false;
    sinew_configuration_random(model, seed, 0, q);
    assert_int_equal(sinew_state_forward(wide, q), SINEW_OK);
    assert_int_equal(sinew_state_forward(plain, q), SINEW_OK);
    assert_memory_equal(wide->frames, plain->frames,
                        (size_t)model->node_count * sizeof *wide->frames);
    sinew_state_destroy(wide);
    sinew_state_destroy(plain);
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
  skip_without_wide();
  for (int kind = 0; kind < FIGURE_CHAIN_30; ++kind) {
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
      sinew_solver_def def = sinew_default_solver_def();
      random_stream random = random_stream_of(7);
      sinew_target targets[FIGURE_TASKS];
      double q[2][FIGURE_NV + FIGURE_NV / 3], goal[FIGURE_NV + FIGURE_NV / 3];
      figure f[2];
      def.method = methods[m];
      for (int i = 0; i < 2; ++i) {
        figure_make(&f[i], (figure_kind)kind, &def);
        sinew_configuration_random(f[i].model, 3, 0, q[i]);
      }
      keep_plain(f[1].solver);
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
      cmocka_unit_test(avx2_gives_the_same_poses),
      cmocka_unit_test(avx2_gives_the_same_updates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
