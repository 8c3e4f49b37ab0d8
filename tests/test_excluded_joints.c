// Joints that a task does not move, while other tasks may.
#include "fixtures.h"
#include "inspect.h"
#include "random_tree.h"
#include "sample.h"

#include <stdlib.h>
#include <string.h>

#define MOST 256
#define MOST_ROWS 24
#define FIGURES 8

// Rows x nv: the derivative of the residual of a solver's tasks at q, zero where there is no
// column.
static void rows_at(sinew_solver *solver, const sinew_target *target, const double *q, double *J) {
  const sinew_problem *problem = &solver->problem;
  const sinew_rows *rows = &solver->evaluation.rows;
  const int nv = solver->model->nv;
  sinew_solver_evaluate(solver, target, q);
  sinew_solver_linearize(solver, q, 0.0, false);
  memset(J, 0, MOST_ROWS * MOST * sizeof *J);
  for (int k = 0; k < rows->blocks[0].path_count; ++k) {
    const int column = rows->path[rows->blocks[0].path_start + k];
    for (int i = 0; i < rows->blocks[0].row_count; ++i) {
      J[i * nv + problem->dof_of_column[column]] =
          rows->values[rows->blocks[0].value_start + k * rows->blocks[0].row_count + i] /
          problem->scale[column];
    }
  }
}

// Some joints of a model that move and are not coupled.
static void exclude_some(random_stream *random, const sinew_model *model, sinew_task *task,
                         unsigned char *excluded) {
  memset(excluded, 0, (size_t)sinew_model_nv(model));
  for (int i = 0; i < 6; ++i) {
    sinew_joint joint;
    const int j = random_below(random, sinew_model_joint_count(model));
    assert_ok(sinew_model_joint(model, j, &joint));
    if (joint.driver < 0 && joint.nv > 0) {
      task->excluded_joints[i] = j;
      memset(excluded + joint.v_index, 1, (size_t)joint.nv);
    }
  }
}

// Of random trees with joints of every kind: a task has no column of what it excludes, and the
// columns that it has without.
static void others_have_the_same_columns(void **state) {
  (void)state;
  static random_tree tree;
  static double all[MOST_ROWS * MOST], some[MOST_ROWS * MOST];
  random_stream random = random_stream_of(9);
  int gone = 0, left = 0;
  for (int round = 0; round < SAMPLE_OF(270); ++round) {
    random_tree_options options = random_tree_defaults();
    sinew_model *model;
    double q[MOST];
    unsigned char excluded[MOST];
    options.chain = 0.8;
    random_tree_make(&tree, (uint64_t)round, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    const int nv = sinew_model_nv(model);
    assert_true(nv <= MOST);
    sinew_task task = task_of((sinew_task_kind)(round % sinew_task_kind_count()),
                              sinew_model_link_count(model) - 1);
    sinew_configuration_random(model, 3, (uint64_t)round, q);
    sinew_target target = target_at(model, &task, q);
    random_vector(&random, 1.0, target.position);
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = SINEW_METHOD_DLS; // columns of spherical joints about the joints' own axes
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    rows_at(solver, &target, q, all);
    exclude_some(&random, model, &task, excluded);
    assert_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
    rows_at(solver, &target, q, some);
    for (int i = 0; i < MOST_ROWS && i < solver->evaluation.rows.row_count; ++i) {
      for (int v = 0; v < nv; ++v) {
        assert_true(excluded[v] ? some[i * nv + v] == 0.0
                                : fabs(some[i * nv + v] - all[i * nv + v]) < 1e-12);
        gone += excluded[v] && all[i * nv + v] != 0.0;
        left += some[i * nv + v] != 0.0;
      }
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(gone > SAMPLE_OF(270) && left > SAMPLE_OF(270));
}

// Whether a joint has the same values in two configurations.
static bool is_still(const sinew_model *model, int j, const double *q, const double *p) {
  sinew_joint joint;
  assert_ok(sinew_model_joint(model, j, &joint));
  return memcmp(q + joint.q_index, p + joint.q_index, (size_t)joint.nq * sizeof *q) == 0;
}

// The joint above a link, with the fixed ones left out.
static int joint_above(const sinew_model *model, int link) {
  sinew_joint joint;
  int j;
  do {
    j = sinew_model_link_joint(model, link);
    assert_ok(sinew_model_joint(model, j, &joint));
    link = joint.parent;
  } while (joint.nv == 0);
  return j;
}

// A hand that excludes the joint of the chest: updates, solves and searches leave it where it is,
// at level 0 and at level 1; with a task of the head that may move it, it moves, and both are met.
static void joints_move_for_others_alone(void **state) {
  (void)state;
  int links[HUMANOID_PLACES], met = 0, together = 0;
  sinew_model *model = fixture_humanoid(false, links);
  const int chest = joint_above(model, links[HUMANOID_CHEST]);
  sinew_solver_def def = sinew_default_solver_def();
  def.lower.levels = 1;
  for (int round = 0; round < SAMPLE_OF(40); ++round) {
    double q[MOST], start[MOST], wanted[MOST], v[MOST];
    random_stream random = random_stream_of((uint64_t)(70 + round));
    sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, links[HUMANOID_LEFT_HAND]),
                           task_of(SINEW_TASK_POSITION, links[HUMANOID_HEAD])};
    sinew_joint joint;
    tasks[0].excluded_joints[3] = chest;
    tasks[0].level = round % 2;
    sinew_configuration_middle(model, start);
    assert_ok(sinew_model_joint(model, chest, &joint));
    for (int i = 0; i < sinew_model_nv(model); ++i) {
      const bool still = i >= joint.v_index && i < joint.v_index + joint.nv;
      v[i] = still ? 0.0 : random_between(&random, -0.2, 0.2);
    }
    sinew_configuration_integrate(model, start, v, wanted);
    sinew_target targets[2] = {target_at(model, &tasks[0], wanted),
                               target_at(model, &tasks[1], wanted)};
    sinew_solver *solver = solver_with(&def, model, tasks, 1);
    sinew_report report;
    for (int call = 0; call < 3; ++call) {
      memcpy(q, start, sizeof q);
      if (call == 0) {
        for (int n = 0; n < 30; ++n) {
          assert_ok(sinew_solver_update(solver, targets, 1, q, &report));
        }
      } else if (call == 1) {
        assert_ok(sinew_solver_solve_local(solver, targets, 1, q, &report));
      } else {
        assert_ok(sinew_solver_solve(solver, targets, 1, q, &report));
      }
      assert_true(is_still(model, chest, q, start));
      double distance;
      assert_ok(sinew_solver_task_error(solver, 0, &distance, NULL));
      met += distance < 1e-5;
    }
    for (int i = joint.v_index; i < joint.v_index + joint.nv; ++i) {
      v[i] = 0.2;
    }
    sinew_configuration_integrate(model, start, v, wanted);
    targets[0] = target_at(model, &tasks[0], wanted);
    targets[1] = target_at(model, &tasks[1], wanted);
    assert_ok(sinew_solver_set_tasks(solver, tasks, 2, NULL));
    memcpy(q, start, sizeof q);
    for (int n = 0; n < 60; ++n) {
      assert_ok(sinew_solver_update(solver, targets, 2, q, &report));
    }
    double of_hand, of_head;
    assert_ok(sinew_solver_task_error(solver, 0, &of_hand, NULL));
    assert_ok(sinew_solver_task_error(solver, 1, &of_head, NULL));
    together += !is_still(model, chest, q, start) && of_hand < 1e-5 && of_head < 1e-5;
    sinew_solver_destroy(solver);
  }
  print_message("met %d of %d, together %d of %d\n", met, 3 * SAMPLE_OF(40), together,
                SAMPLE_OF(40));
  assert_true(met >= 3 * SAMPLE_OF(40) - SAMPLE_OF(40) / 5);
  assert_true(together >= SAMPLE_OF(40) * 4 / 5);
  sinew_model_destroy(model);
}

// Figures of a crowd, in lanes, move as one alone does.
static void crowds_leave_them_out(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(false, links);
  const int nq = sinew_model_nq(model), chest = joint_above(model, links[HUMANOID_CHEST]);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]),
                         task_of(SINEW_TASK_POSITION, links[HUMANOID_RIGHT_FOOT])};
  tasks[0].excluded_joints[0] = chest;
  sinew_crowd_def def = sinew_default_crowd_def();
  sinew_crowd *crowd;
  sinew_crowd_worker *worker;
  def.figures = FIGURES;
  assert_ok(sinew_crowd_create(&def, model, tasks, 2, &crowd, NULL));
  assert_ok(sinew_crowd_worker_create(crowd, &worker, NULL));
  assert_true(sinew_crowd_in_lanes(crowd));
  assert_int_equal(sinew_crowd_target_size(crowd), 10);
  double start[MOST], wanted[MOST], all[FIGURES * MOST], packed[FIGURES * 10];
  sinew_target targets[FIGURES][2];
  sinew_configuration_middle(model, start);
  for (int f = 0; f < FIGURES; ++f) {
    sinew_configuration_random(model, 5, (uint64_t)f, wanted);
    memcpy(all + f * nq, start, (size_t)nq * sizeof *start);
    for (int t = 0; t < 2; ++t) {
      targets[f][t] = target_at(model, &tasks[t], wanted);
      memcpy(packed + 10 * f + 7 * t, targets[f][t].position, 3 * sizeof *packed);
    }
    memcpy(packed + 10 * f + 3, targets[f][0].rotation, 4 * sizeof *packed);
  }
  const sinew_crowd_arrays arrays = {
      .targets = packed, .target_stride = 10, .q = all, .q_stride = (size_t)nq};
  for (int n = 0; n < 5; ++n) {
    assert_ok(sinew_crowd_update(crowd, worker, &arrays, 0, FIGURES));
  }
  for (int f = 0; f < FIGURES; ++f) {
    double q[MOST];
    sinew_solver *solver = solver_with(NULL, model, tasks, 2);
    memcpy(q, start, sizeof q);
    for (int n = 0; n < 5; ++n) {
      assert_ok(sinew_solver_update(solver, targets[f], 2, q, NULL));
    }
    assert_true(is_still(model, chest, all + f * nq, start));
    for (int i = 0; i < nq; ++i) {
      assert_true(fabs(all[f * nq + i] - q[i]) < 1e-9);
    }
    sinew_solver_destroy(solver);
  }
  sinew_crowd_worker_destroy(worker);
  sinew_crowd_destroy(crowd);
  sinew_model_destroy(model);
}

static void wrong_joints_are_refused(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(false, links);
  sinew_task task = task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_error error;
  const int wrong[] = {-2, sinew_model_joint_count(model)};
  for (int i = 0; i < 2; ++i) {
    task.excluded_joints[15] = wrong[i];
    assert_int_equal(sinew_solver_set_tasks(solver, &task, 1, &error), SINEW_ERROR_ARGUMENT);
    assert_string_equal(error.message, "task 0: excluded_joints has an index out of range");
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Fixed and coupled joints of random trees.
static void joints_that_do_not_move_are_refused(void **state) {
  (void)state;
  static random_tree tree;
  int coupled = 0, fixed = 0;
  for (int round = 0; round < 60; ++round) {
    random_tree_options options = random_tree_defaults();
    sinew_model *model;
    sinew_error error;
    random_tree_make(&tree, (uint64_t)round, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    sinew_task task = task_of(SINEW_TASK_POSE, sinew_model_link_count(model) - 1);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    for (int j = 0; j < sinew_model_joint_count(model); ++j) {
      sinew_joint joint;
      assert_ok(sinew_model_joint(model, j, &joint));
      task.excluded_joints[15] = j;
      const sinew_result result = sinew_solver_set_tasks(solver, &task, 1, &error);
      assert_int_equal(result == SINEW_OK, joint.nv > 0 && joint.driver < 0);
      assert_true(joint.driver < 0 || strstr(error.message, "coupled") != NULL);
      coupled += joint.driver >= 0;
      fixed += joint.driver < 0 && joint.nv == 0;
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(coupled > 10 && fixed > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(others_have_the_same_columns),
      cmocka_unit_test(joints_move_for_others_alone),
      cmocka_unit_test(crowds_leave_them_out),
      cmocka_unit_test(wrong_joints_are_refused),
      cmocka_unit_test(joints_that_do_not_move_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
