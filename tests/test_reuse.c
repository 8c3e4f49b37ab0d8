// What a solver has done with other tasks has no effect on later ones after a reset, nor what one
// component of a problem has left on another.
#include "fixtures.h"
#include "sample.h"

#include <string.h>

#define MOST 64
#define LIMB 5 // joints

// Two limbs of spherical joints that share their root.
static sinew_model *two_limbs(void) {
  builder b;
  builder_start(&b);
  for (int i = 0; i < 2 * LIMB; ++i) {
    builder_add(&b, i % LIMB == 0 ? 0 : i, SINEW_JOINT_SPHERICAL, i == LIMB ? -0.5 : 0.4, 0.0,
                0.1 * i);
  }
  return builder_make(&b);
}

// The poses of two limbs are components; that of the second one is relative to a link of its own.
// Where both targets have the same rotation each is met as well as with another length of one of
// the quaternions.
static void components_share_no_rotation(void **state) {
  (void)state;
  sinew_model *model = two_limbs();
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, LIMB), task_of(SINEW_TASK_POSE, 2 * LIMB)};
  tasks[1].frame_link = LIMB + 2;
  sinew_solver *solver = solver_with(NULL, model, tasks, 2);
  for (uint64_t seed = 0; seed < SAMPLE_OF(20); ++seed) {
    sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
    double q[MOST], distance, angle;
    targets[0].position[0] = 0.7;
    targets[0].position[1] = 0.3;
    targets[1].position[0] = 0.6;
    targets[1].position[1] = 0.2;
    targets[1].position[2] = 0.5;
    sinew_configuration_random(model, 5, seed, q);
    sinew_solver_reset(solver);
    for (int update = 0; update < 200; ++update) {
      assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
    }
    for (int t = 0; t < 2; ++t) {
      measure(model, &tasks[t], &targets[t], q, &distance, &angle);
      assert_at_most(distance, 1e-6);
      assert_at_most(angle, 1e-6);
    }
    sinew_report report;
    sinew_configuration_random(model, 6, seed, q);
    assert_ok(sinew_solver_solve(solver, targets, 2, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Tasks of any kind, relative to links and below chain roots, so that some paths begin far from the
// root and cross others.
static void random_tasks(random_stream *random, const sinew_model *model, int count,
                         sinew_task *tasks) {
  const int links = sinew_model_link_count(model);
  for (int t = 0; t < count; ++t) {
    tasks[t] = task_of((sinew_task_kind)random_below(random, SINEW_TASK_POSE + 1),
                       random_below(random, links - 1) + 1);
    tasks[t].level = t == 2;
    const int other = random_below(random, links);
    tasks[t].frame_link = random_below(random, 3) == 0 && other != tasks[t].link ? other : -1;
  }
}

static void follow(sinew_solver *solver, const sinew_model *model, const sinew_task *tasks,
                   int count, uint64_t seed, int updates, double *q) {
  double goal[MOST];
  sinew_target targets[3];
  sinew_configuration_random(model, 8, seed, q);
  sinew_configuration_random(model, 9, seed, goal);
  for (int t = 0; t < count; ++t) {
    targets[t] = target_at(model, &tasks[t], goal);
  }
  for (int update = 0; update < updates; ++update) {
    assert_ok(sinew_solver_update(solver, targets, count, q, NULL));
  }
  assert_ok(sinew_solver_solve(solver, targets, count, q, NULL));
}

// Random figures: a solver that has followed other tasks, with and without frozen joints, gives the
// same bits after a reset as one that has not.
static void earlier_tasks_leave_nothing(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SAMPLE_OF(400); ++seed) {
    random_tree tree;
    random_tree_options options = random_tree_defaults();
    random_stream random = random_stream_of(seed);
    options.joints = 4 + random_below(&random, 8);
    options.kinds = 1u << SINEW_JOINT_REVOLUTE | 1u << SINEW_JOINT_SPHERICAL;
    options.limited = 0.5;
    random_tree_make(&tree, seed, &options);
    sinew_model *model;
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    sinew_solver_def def = sinew_default_solver_def();
    def.task_capacity = 3;
    def.lower.levels = 1;
    sinew_solver *solvers[2];
    sinew_task before[3], tasks[3];
    double q[2][MOST], other[MOST];
    unsigned char frozen[MOST] = {0};
    random_tasks(&random, model, 3, before);
    random_tasks(&random, model, 3, tasks);
    for (int k = 0; k < 2; ++k) {
      assert_ok(sinew_solver_create(&def, model, &solvers[k], NULL));
    }
    if (sinew_solver_set_tasks(solvers[1], before, 3, NULL) == SINEW_OK) {
      follow(solvers[1], model, before, 3, seed, 5, other);
    }
    const bool taken = sinew_solver_set_tasks(solvers[0], tasks, 3, NULL) == SINEW_OK;
    if (taken) {
      assert_ok(sinew_solver_set_tasks(solvers[1], tasks, 3, NULL));
      frozen[random_below(&random, sinew_model_nv(model))] = 1;
      assert_ok(sinew_solver_set_frozen(solvers[1], frozen));
      follow(solvers[1], model, tasks, 3, seed + 1, 5, other);
      assert_ok(sinew_solver_set_frozen(solvers[1], NULL));
      sinew_solver_reset(solvers[1]);
      for (int k = 0; k < 2; ++k) {
        follow(solvers[k], model, tasks, 3, seed + 2, 10, q[k]);
      }
      assert_memory_equal(q[0], q[1], (size_t)sinew_model_nq(model) * sizeof(double));
    }
    sinew_solver_destroy(solvers[0]);
    sinew_solver_destroy(solvers[1]);
    sinew_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(components_share_no_rotation),
      cmocka_unit_test(earlier_tasks_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
