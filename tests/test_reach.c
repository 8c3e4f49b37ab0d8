// Proofs that a target is out of reach: never of a target that is reached within its tolerance, and
// of nearly all others.
//
// test_reach N: N times as many samples.
#include "fixtures.h"
#include "inspect.h"

#include <stdlib.h>

static uint64_t effort = 1; // factor on the number of samples

// Random chains in the plane and trees, of sizes and with tolerances and tool points over decades:
// targets at points of random configurations, moved by less than the tolerance.
typedef struct reach_case {
  sinew_model *model;
  sinew_task task;
  sinew_solver_def def;
} reach_case;

static reach_case planar_case(random_stream *random) {
  reach_case c = {.def = sinew_default_solver_def()};
  const int count = 1 + random_below(random, 5);
  const double length = pow(10.0, random_between(random, -8.0, 4.0));
  c.model = fixture_planar(count, length);
  c.task = task_of(SINEW_TASK_POSITION, count);
  random_vector(random, length * pow(10.0, random_between(random, -3.0, 7.0)), c.task.point_l);
  c.def.tolerances.position = fmax(length * pow(10.0, random_between(random, -9.0, 1.0)),
                                   1e-13 * sinew_model_size(c.model));
  return c;
}

static reach_case tree_case(random_stream *random, uint64_t round) {
  static random_tree tree;
  reach_case c = {.def = sinew_default_solver_def()};
  random_tree_options options = random_tree_defaults();
  options.limited = random_below(random, 2) * 0.7;
  random_tree_make(&tree, 41000 + round, &options);
  assert_ok(sinew_model_create(&tree.def, &c.model, NULL));
  c.task = task_of(round % 2 == 0 ? SINEW_TASK_POSITION : SINEW_TASK_POSE,
                   random_below(random, sinew_model_link_count(c.model)));
  random_vector(random, pow(10.0, random_between(random, -3.0, 6.0)), c.task.point_l);
  c.def.tolerances.position = pow(10.0, random_between(random, -9.0, 1.0));
  c.def.tolerances.orientation = pow(10.0, random_between(random, -9.0, 0.0));
  return c;
}

// The target of a random configuration, moved by up to 0.999 of the tolerances; every other one as
// far outwards as that allows.
static sinew_target moved_target(const reach_case *c, random_stream *random, int round) {
  double q[2 * BUILDER_MOST], v[3], w[3], turn[4];
  sinew_configuration_random(c->model, 440, (uint64_t)round, q);
  if (round % 4 == 0) {
    memset(q, 0, sizeof q); // planar chains are stretched
    sinew_configuration_middle(c->model, q);
  }
  sinew_target target = target_at(c->model, &c->task, q);
  random_vector(random, 1.0, v);
  if (round % 2 == 0) {
    memcpy(v, target.position, sizeof v);
  }
  const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int i = 0; i < 3; ++i) {
    target.position[i] += length > 0.0 ? 0.999 * c->def.tolerances.position * v[i] / length : 0.0;
  }
  random_vector(random, 0.5 * c->def.tolerances.orientation, w);
  sinew_quaternion_exp(w, turn);
  sinew_quaternion_multiply(turn, target.rotation, target.rotation);
  return target;
}

// req: C6 F2 D22
static void tolerance_and_rounding_are_reachable(void **state) {
  (void)state;
  random_stream random = random_stream_of(440);
  int converged = 0, tried = 0;
  for (uint64_t round = 0; round < 400 * effort; ++round) {
    reach_case c = round % 2 == 0 ? planar_case(&random) : tree_case(&random, round);
    sinew_solver *solver = solver_with(&c.def, c.model, &c.task, 1);
    for (int i = 0; i < 10; ++i, ++tried) {
      sinew_report report;
      double q[2 * BUILDER_MOST];
      const sinew_target target = moved_target(&c, &random, i);
      sinew_configuration_random(c.model, 441, (uint64_t)i, q);
      assert_ok(i % 3 == 0 ? sinew_solver_solve_local(solver, &target, 1, q, &report)
                           : sinew_solver_solve(solver, &target, 1, q, &report));
      assert_int_not_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
      converged += report.outcome == SINEW_OUTCOME_CONVERGED;
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(c.model);
  }
  print_message("%d of %d converged\n", converged, tried);
  assert_true(converged > tried / 2);
}

// Whether a solver's proof says that no configuration meets a target.
static bool is_proven(sinew_solver *solver, const sinew_target *target, const double *q) {
  return sinew_reach_prove(&solver->reach, &solver->problem, &solver->def.tolerances, target, q);
}

// A configuration with some values at their limits and some at 0.
static void extreme_configuration(const sinew_model *model, random_stream *random, uint64_t i,
                                  double *q) {
  const double *lower = sinew_model_lower(model), *upper = sinew_model_upper(model);
  sinew_configuration_random(model, 442, i, q);
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    assert_ok(sinew_model_joint(model, j, &joint));
    for (int k = 0; k < joint.nq && joint.nq == joint.nv && i % 2 == 0; ++k) {
      const double l = lower[joint.v_index + k], u = upper[joint.v_index + k];
      const double share = random_between(random, 0.0, 1.0);
      double *value = &q[joint.q_index + k];
      *value = share < 0.3 && isfinite(l) ? l : share > 0.7 && isfinite(u) ? u : *value;
      *value = share > 0.5 && share < 0.6 ? fmin(fmax(0.0, l), u) : *value;
    }
  }
}

// Random chains of all kinds of joints, most with limits, and the arm: no point or pose of a
// configuration within limits is excluded, at tolerances near rounding errors.
// req: C6 F2 D22
static void workspaces_contain_their_points(void **state) {
  (void)state;
  static random_tree tree;
  random_stream random = random_stream_of(443);
  sinew_solver_def def = sinew_default_solver_def();
  def.tolerances.orientation = 1e-12;
  for (uint64_t round = 0; round < 100 * effort; ++round) {
    sinew_model *model = NULL;
    random_tree_options options = random_tree_defaults();
    options.joints = 1 + random_below(&random, 12);
    options.chain = 1.0;
    options.limited = round % 4 == 0 ? 0.7 : 1.0;
    options.kinds = round % 2 == 0 ? 0 : 1u << SINEW_JOINT_REVOLUTE;
    options.link_length = pow(10.0, random_between(&random, -6.0, 3.0));
    def.tolerances.position = 2e-11 * fmax(1.0, options.link_length);
    random_tree_make(&tree, 43000 + round, &options);
    if (round % 5 == 0) {
      model = fixture_arm();
    } else {
      assert_ok(sinew_model_create(&tree.def, &model, NULL));
    }
    sinew_task task = task_of(round % 3 == 0 ? SINEW_TASK_POSITION : SINEW_TASK_POSE,
                              sinew_model_link_count(model) - 1);
    random_vector(&random, options.link_length, task.point_l);
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    for (uint64_t i = 0; i < 50; ++i) {
      double q[2 * BUILDER_MOST];
      extreme_configuration(model, &random, i, q);
      const sinew_target target = target_at(model, &task, q);
      assert_false(is_proven(solver, &target, q));
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// The distance of a target from all places that two links of a plane reach within limits, by a
// grid; and how far it may be wrong.
#define GRID 200
static double grid_distance(const double lower[2], const double upper[2], const double x[2],
                            double *wrong) {
  double least = INFINITY;
  for (int i = 0; i <= GRID; ++i) {
    for (int j = 0; j <= GRID; ++j) {
      const double a = lower[0] + (upper[0] - lower[0]) * i / GRID;
      const double b = a + lower[1] + (upper[1] - lower[1]) * j / GRID;
      least = fmin(least, hypot(cos(a) + 0.7 * cos(b) - x[0], sin(a) + 0.7 * sin(b) - x[1]));
    }
  }
  *wrong = (1.7 * (upper[0] - lower[0]) + 0.7 * (upper[1] - lower[1])) / GRID;
  return least;
}

// Two links with random limits against a grid of their configurations: what is proven to be out of
// reach is; nearly all targets that are clearly out of reach are proven; and the report's distance
// less its reach is no more than the real distance from the workspace.
// req: F2 D22
static void two_links_with_limits(void **state) {
  (void)state;
  random_stream random = random_stream_of(444);
  int outside = 0, proven = 0;
  for (uint64_t round = 0; round < 300 * effort; ++round) {
    builder b;
    double lower[2], upper[2], q[2], wrong;
    builder_start(&b);
    for (int j = 0; j < 2; ++j) {
      sinew_joint_def *joint = builder_add(&b, j, SINEW_JOINT_REVOLUTE, j, 0.0, 0.0);
      lower[j] = random_between(&random, -PI, PI);
      upper[j] = random_between(&random, lower[j], PI);
      q[j] = lower[j];
      builder_limit(joint, lower[j], upper[j]);
    }
    sinew_model *model = builder_make(&b);
    sinew_task task = task_of(SINEW_TASK_POSITION, 2);
    task.point_l[0] = 0.7;
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    sinew_target target = sinew_default_target();
    sinew_report report;
    target.position[0] = random_between(&random, -2.0, 2.0);
    target.position[1] = random_between(&random, -2.0, 2.0);
    const double real = grid_distance(lower, upper, target.position, &wrong);
    assert_ok(sinew_solver_solve(solver, &target, 1, q, &report));
    const bool out = report.outcome == SINEW_OUTCOME_OUT_OF_REACH;
    if (out) {
      assert_true(real > 0.0);
      assert_int_equal(report.reach_task, 0);
      assert_near(report.target_distance, hypot(target.position[0], target.position[1]), 1e-9);
      assert_true(fabs(report.target_distance - report.reach) <= real + 1e-9);
      assert_true(fabs(report.target_distance - report.reach) > 0.0);
    } else {
      assert_true(report.reach == -1.0 && report.target_distance == -1.0);
      assert_int_equal(report.reach_task, -1);
    }
    outside += real - wrong > 0.05;
    proven += real - wrong > 0.05 && out;
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  print_message("%d of %d targets outside are proven to be\n", proven, outside);
  assert_true(outside > 100);
  assert_true(proven >= outside * 99 / 100);
}

// The largest distance from the origin, on a ray, at which searches reach a position.
static double reach_on_ray(sinew_solver *solver, const sinew_model *model, const double ray[3]) {
  double low = 0.0, high = 2.0 * sinew_model_size(model), q[16];
  for (int i = 0; i < 40; ++i) {
    const double x = i < 20 ? high - 0.05 * high : 0.5 * (low + high);
    sinew_target target = sinew_default_target();
    sinew_report report;
    sinew_scale(x, ray, target.position);
    sinew_configuration_middle(model, q);
    assert_ok(sinew_solver_solve(solver, &target, 1, q, &report));
    if (report.outcome == SINEW_OUTCOME_CONVERGED) {
      low = x;
      i = i < 20 ? 20 : i;
    } else {
      high = x;
    }
  }
  return low;
}

// An arm's targets at 1.05 times the reach in that direction are proven to be out of reach.
// req: F2 D22
static void reach_of_an_arm(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  random_stream random = random_stream_of(445);
  int proven = 0;
  for (int i = 0; i < 20; ++i) {
    double ray[3], q[16];
    sinew_target target = sinew_default_target();
    random_unit(&random, 3, ray);
    const double reach = reach_on_ray(solver, model, ray);
    assert_true(reach > 0.0);
    sinew_scale(1.05 * reach, ray, target.position);
    sinew_configuration_middle(model, q);
    proven += is_proven(solver, &target, q);
  }
  print_message("%d of 20 proven\n", proven);
  assert_true(proven >= 18);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// The reach in a report does not depend on how far away the target is, but for its last digits.
static void reach_of_far_targets(void **state) {
  (void)state;
  const double length = 1.0, whole = 2.0 * length; // of the last joint
  sinew_model *model = fixture_planar_limited(3, length, -0.5, 0.5, 1.0);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 3);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  for (double far = 10.0; far < 1e60; far *= 10.0) {
    double q[3] = {0.0};
    sinew_target target = sinew_default_target();
    sinew_report report;
    target.position[0] = far;
    assert_ok(sinew_solver_solve(solver, &target, 1, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
    assert_true(report.reach >= whole - 1e-12 && report.reach <= 1.05 * whole);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A trunk and two limbs of random axes, lengths and narrow limits; link 0 carries the trunk. The
// tip of each limb is the child of its last joint.
static sinew_model *narrow_fork(random_stream *random, int joints, int tips[2]) {
  builder b;
  builder_start(&b);
  for (int limb = -1; limb < 2; ++limb) {
    int link = limb < 0 ? 0 : 1;
    for (int j = 0; j < (limb < 0 ? 1 : joints); ++j) {
      double at[3], half = random_between(random, 0.05, 0.8);
      random_vector(random, 0.5, at);
      sinew_joint_def *joint = builder_add(&b, link, SINEW_JOINT_REVOLUTE, at[0], at[1], at[2]);
      random_unit(random, 3, joint->axis);
      builder_limit(joint, -half, half);
      link = b.joint_count;
    }
    tips[limb < 0 ? 0 : limb] = link;
  }
  return builder_make(&b);
}

static bool moves(const sinew_model *model, int joint, int link) {
  sinew_joint above;
  while (link != sinew_model_root(model)) {
    const int j = sinew_model_link_joint(model, link);
    assert_ok(sinew_model_joint(model, j, &above));
    if (j == joint) {
      return true;
    }
    link = above.parent;
  }
  return false;
}

// Of two limbs on a trunk, with targets of which one or both are out of reach: the joint that a
// proof names is at a limit, and moves the task that it is about.
static void limiting_joints_move_their_task(void **state) {
  (void)state;
  random_stream random = random_stream_of(71);
  int named = 0, other = 0;
  for (int round = 0; round < (int)(200 * effort); ++round) {
    int tips[2];
    sinew_model *model = narrow_fork(&random, 2 + random_below(&random, 3), tips);
    const sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, tips[0]),
                                 task_of(SINEW_TASK_POSE, tips[1])};
    sinew_solver *solver = solver_with(NULL, model, tasks, 2);
    double q[BUILDER_MOST];
    sinew_target targets[2];
    for (int j = 0; j < sinew_model_nq(model); ++j) {
      q[j] = random_between(&random, -2.5, 2.5);
    }
    for (int t = 0; t < 2; ++t) {
      targets[t] = target_at(model, &tasks[t], q);
    }
    sinew_report report;
    sinew_configuration_middle(model, q);
    assert_ok(sinew_solver_solve(solver, targets, 2, q, &report));
    const double *lower = sinew_model_lower(model), *upper = sinew_model_upper(model);
    if (report.outcome == SINEW_OUTCOME_OUT_OF_REACH && report.limiting_joint >= 0) {
      const int j = report.limiting_joint;
      ++named;
      other += report.reach_task != report.worst_task;
      assert_true(moves(model, j, tasks[report.reach_task].link));
      assert_true(q[j] <= lower[j] + 1e-12 || q[j] >= upper[j] - 1e-12);
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(named >= (int)(100 * effort) && other >= (int)(20 * effort));
}

int main(int argc, char **argv) {
  effort = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tolerance_and_rounding_are_reachable),
      cmocka_unit_test(workspaces_contain_their_points),
      cmocka_unit_test(two_links_with_limits),
      cmocka_unit_test(reach_of_an_arm),
      cmocka_unit_test(reach_of_far_targets),
      cmocka_unit_test(limiting_joints_move_their_task),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
