// Updates of a pose with a posture below it by their vectors: whole poses against their position
// and orientation, motions of targets against rotation vectors, and figures whose columns are
// values of q against the same figures where they are not.
#include "fixtures.h"
#include "inspect.h"

#include <stdlib.h>
#include <string.h>

#define MOST 64

// -------------------------------------------------------------------- residuals

static void random_quaternion(random_stream *random, double length, double q[4]) {
  random_unit(random, 4, q);
  for (int i = 0; i < 4; ++i) {
    q[i] *= length;
  }
}

// A pose whose distance and angle from that of a link's tool are random over decades.
static sinew_target target_beside(random_stream *random, const sinew_pose *tool) {
  sinew_target target = sinew_default_target();
  const double far = pow(10.0, random_between(random, -13.0, 1.0));
  const double angle = random_below(random, 2) ? random_between(random, 0.0, 3.1)
                                               : pow(10.0, random_between(random, -13.0, 0.0));
  double away[3], axis[3], turn[4];
  random_unit(random, 3, away);
  random_unit(random, 3, axis);
  for (int i = 0; i < 3; ++i) {
    target.position[i] = tool->position[i] + far * away[i];
    axis[i] *= angle;
  }
  sinew_quaternion_exp(axis, turn);
  sinew_quaternion_multiply(turn, tool->rotation, target.rotation);
  return target;
}

// req: B2
static void poses_have_the_rows_of_their_parts(void **state) {
  (void)state;
  random_stream random = random_stream_of(11);
  for (int seed = 0; seed < 200; ++seed) {
    random_tree tree;
    random_tree_options options = random_tree_defaults();
    sinew_model *model;
    sinew_state *poses;
    double q[4 * MOST];
    options.joints = 1 + seed % 10;
    options.chain = 1.0;
    random_tree_make(&tree, (uint64_t)seed, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    assert_ok(sinew_state_create(model, NULL, &poses, NULL));
    sinew_task tasks[3] = {sinew_default_task(), sinew_default_task(), sinew_default_task()};
    tasks[0].kind = SINEW_TASK_POSE;
    for (int i = 0; i < options.joints; ++i) {
      tasks[0].link = tree.depth[i + 1] == options.joints ? i + 1 : tasks[0].link;
    }
    random_vector(&random, 0.2, tasks[0].point_l);
    random_quaternion(&random, 1.0, tasks[0].rotation_l);
    tasks[0].position_weight = random_between(&random, 0.3, 2.0);
    tasks[0].orientation_weight = random_between(&random, 0.3, 2.0);
    tasks[1] = tasks[2] = tasks[0];
    tasks[1].kind = SINEW_TASK_POSITION;
    tasks[2].kind = SINEW_TASK_ORIENTATION;
    const sinew_solver_def def = sinew_default_solver_def();
    sinew_solver *whole = solver_with(&def, model, tasks, 1);
    sinew_solver *parts = solver_with(&def, model, tasks + 1, 2);
    for (int k = 0; k < 20; ++k) {
      sinew_pose tool;
      sinew_configuration_random(model, (uint64_t)seed, (uint64_t)k, q);
      assert_ok(sinew_state_forward(poses, q));
      assert_ok(sinew_state_link_pose(poses, tasks[0].link, &tool));
      const sinew_pose own = {{tasks[0].point_l[0], tasks[0].point_l[1], tasks[0].point_l[2]},
                              {tasks[0].rotation_l[0], tasks[0].rotation_l[1],
                               tasks[0].rotation_l[2], tasks[0].rotation_l[3]}};
      sinew_pose_multiply(&tool, &own, &tool);
      const sinew_target one = target_beside(&random, &tool), both[2] = {one, one};
      whole->functions->evaluate(whole, &one, q);
      parts->functions->evaluate(parts, both, q);
      const double *a = whole->evaluation.rows.residual, *b = parts->evaluation.rows.residual;
      double most = 1.0;
      for (int i = 0; i < 6; ++i) {
        most = fmax(most, fabs(b[i]));
      }
      assert_at_most(farthest(3, a, b) / most, 1e-14);
      assert_at_most(farthest(3, a + 3, b + 3) / most, 4e-14);
      assert_near(whole->evaluation.tasks[0].orientation_error,
                  parts->evaluation.tasks[1].orientation_error, 4e-14);
    }
    sinew_solver_destroy(whole);
    sinew_solver_destroy(parts);
    sinew_state_destroy(poses);
    sinew_model_destroy(model);
  }
}

// A target's motion is the angle of the rotation from its last orientation, of any length.
static void motions_have_the_angle_of_rotations(void **state) {
  (void)state;
  random_stream random = random_stream_of(12);
  for (int round = 0; round < 4000; ++round) {
    sinew_compiled_task task = {.fields = SINEW_TARGET_ROTATION, .task = sinew_default_task()};
    sinew_target from = sinew_default_target(), to = from;
    double w[3], turn[4], linear, angular;
    const double most = round % 2 ? 3.14 : pow(10.0, random_between(&random, -8.0, 0.0));
    const double angle = random_between(&random, 0.0, most);
    random_quaternion(&random, 1.0, from.rotation);
    random_unit(&random, 3, w);
    for (int i = 0; i < 3; ++i) {
      w[i] *= angle;
    }
    sinew_quaternion_exp(w, turn);
    sinew_quaternion_multiply(turn, from.rotation, to.rotation);
    const double length = round % 3 ? random_between(&random, 0.6, 1.9) : 1e-60;
    for (int i = 0; i < 4; ++i) {
      to.rotation[i] *= round % 5 ? length : -1.0;
    }
    task.task.orientation_weight = 1.5;
    sinew_target_motion(&task, &from, &to, &linear, &angular);
    assert_near(angular, 1.5 * angle, 1e-14);
    assert_near(linear, 0.0, 0.0);
  }
}

// -------------------------------------------------------------------- columns

// A chain of revolute and prismatic joints with limits. apart: below a spherical joint on a branch
// of its own comes first, so that no column is a value of q.
static sinew_model *random_arm(uint64_t seed, int joints, bool apart) {
  random_stream random = random_stream_of(seed);
  builder b;
  builder_start(&b);
  if (apart) {
    builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
  }
  for (int j = 0, link = 0; j < joints; ++j) {
    const bool slides = random_below(&random, 5) == 0;
    const double x = random_between(&random, -0.3, 0.3), y = random_between(&random, -0.3, 0.3),
                 z = random_between(&random, 0.1, 0.3), most = random_between(&random, 0.5, 2.5);
    double axis[3];
    random_unit(&random, 3, axis);
    sinew_joint_def *joint =
        builder_add(&b, link, slides ? SINEW_JOINT_PRISMATIC : SINEW_JOINT_REVOLUTE, x, y, z);
    memcpy(joint->axis, axis, sizeof axis);
    builder_limit(joint, slides ? -0.2 * most : -most, slides ? 0.2 * most : most);
    link = b.joint_count;
  }
  return builder_make(&b);
}

// A solver for a pose of the last link, and a posture below it at the middle of the limits.
static sinew_solver *arm_solver(const sinew_model *model, int joints) {
  sinew_solver_def def = sinew_default_solver_def();
  sinew_objective objective = sinew_default_objective();
  sinew_task task = sinew_default_task();
  const int nv = sinew_model_nv(model);
  double middle[MOST], weights[MOST];
  def.lower.levels = def.lower.objectives = 1;
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_link_count(model) - 1;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  sinew_configuration_middle(model, middle);
  for (int v = 0; v < nv; ++v) {
    weights[v] = v < nv - joints ? 0.0 : 1.0 + 0.2 * (nv - v);
  }
  objective.posture = middle;
  objective.weights = weights;
  assert_ok(sinew_solver_set_objectives(solver, &objective, 1, NULL));
  return solver;
}

// req: E4
static void columns_in_order_move_as_others(void **state) {
  (void)state;
  int at_limits = 0, same = 0, all = 0;
  for (int seed = 0; seed < 120; ++seed) {
    const int joints = 4 + seed % 8, extra = 4;
    sinew_model *model = random_arm((uint64_t)seed, joints, false);
    sinew_model *other = random_arm((uint64_t)seed, joints, true);
    sinew_solver *a = arm_solver(model, joints), *b = arm_solver(other, joints);
    sinew_state *poses;
    double q[MOST], p[MOST], path[MOST], most = 0.0;
    assert_ok(sinew_state_create(model, NULL, &poses, NULL));
    assert_true(a->problem.values && !b->problem.values);
    sinew_configuration_middle(model, q);
    sinew_configuration_middle(other, p);
    for (int i = 0; i < 60; ++i) {
      sinew_target target = sinew_default_target();
      sinew_pose pose;
      for (int j = 0; j < joints; ++j) {
        path[j] = (seed % 3 ? 0.4 : 2.0) * model->upper[j] * sin(0.03 * i * (1 + j % 3));
        at_limits += fabs(q[j]) > 0.999 * model->upper[j];
      }
      assert_ok(sinew_state_forward(poses, path));
      assert_ok(sinew_state_link_pose(poses, sinew_model_link_count(model) - 1, &pose));
      memcpy(target.position, pose.position, sizeof target.position);
      memcpy(target.rotation, pose.rotation, sizeof target.rotation);
      assert_ok(sinew_solver_update(a, &target, 1, q, NULL));
      assert_ok(sinew_solver_update(b, &target, 1, p, NULL));
      most = fmax(most, farthest(joints, q, p + extra));
    }
    same += most < 1e-7;
    ++all;
    sinew_solver_destroy(a);
    sinew_solver_destroy(b);
    sinew_state_destroy(poses);
    sinew_model_destroy(model);
    sinew_model_destroy(other);
  }
  print_message("%d joints at limits; %d of %d arms move the same\n", at_limits, same, all);
  assert_true(at_limits > 500);
  assert_true(same >= 0.95 * all); // in others rounding errors grow, at singular configurations
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poses_have_the_rows_of_their_parts),
      cmocka_unit_test(motions_have_the_angle_of_rotations),
      cmocka_unit_test(columns_in_order_move_as_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
