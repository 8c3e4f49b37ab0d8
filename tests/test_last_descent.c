// What only the last descent of a search finds: no attempt has met the targets, and the descent
// from the best of them does.
#include "fixtures.h"
#include "sinew/global.h"

#define JOINTS 12
#define MOST 4

// Chains of joints about all axes, with limits of a third of a turn.
static sinew_model *chain_of(random_stream *random) {
  builder b;
  builder_start(&b);
  for (int i = 0; i < JOINTS; ++i) {
    sinew_joint_def *joint = builder_add(&b, i, SINEW_JOINT_REVOLUTE, i == 0 ? 0.0 : 0.1, 0.0, 0.0);
    random_vector(random, 1.0, joint->axis);
    builder_limit(joint, -2.0, 2.0);
  }
  return builder_make(&b);
}

// With few starts all solutions are none, or what the report says of the first.
static void solutions_of_the_last_descent_are_returned(void **state) {
  (void)state;
  random_stream random = random_stream_of(1101);
  int solved = 0, missed = 0;
  for (uint64_t round = 0; round < 400; ++round) {
    sinew_model *model = chain_of(&random);
    const sinew_task task = task_of(SINEW_TASK_POSE, JOINTS);
    double goal[JOINTS], seed[JOINTS], rows[MOST][JOINTS];
    sinew_configuration_random(model, 1102, 2 * round, goal);
    sinew_configuration_random(model, 1102, 2 * round + 1, seed);
    const sinew_target target = target_at(model, &task, goal);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    sinew_global_def def = sinew_default_global_def();
    def.max_starts = 1;
    sinew_report report;
    int found = -1;
    assert_ok(
        sinew_solver_solve_all(solver, &def, &target, 1, seed, MOST, &rows[0][0], &found, &report));
    assert_int_equal(found > 0, report.outcome == SINEW_OUTCOME_CONVERGED);
    for (int i = 0; i < found; ++i) {
      double distance, angle;
      measure(model, &task, &target, rows[i], &distance, &angle);
      assert_at_most(distance, 1.000001e-6);
      assert_at_most(angle, 1.000001e-6);
      assert_true(outside_limits(model, rows[i]) == 0.0);
    }
    solved += found > 0;
    missed += found == 0;
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(solved >= 100 && missed >= 10); // both happen
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_of_the_last_descent_are_returned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
