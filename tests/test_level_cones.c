// Limits of swing and twist in the steps of lower levels: what only they move is kept within its
// limits, comes to rest at the best place within them, and costs higher levels nothing.
#include "fixtures.h"
#include "inspect.h"

#include <stdlib.h>
#include <string.h>

#define MOST 64
#define HELD 1e-9

static int run_count = 60;

// A chain of spherical joints with limits, and its last link.
typedef struct chain {
  random_tree tree;
  sinew_model *model;
  int links[MOST]; // by depth
} chain;

static void make_chain(chain *made, uint64_t seed, int joints) {
  random_tree_options options = random_tree_defaults();
  options.joints = joints;
  options.kinds = 1u << SINEW_JOINT_SPHERICAL;
  options.chain = 1.0;
  options.cones = 1.0;
  random_tree_make(&made->tree, seed, &options);
  assert_ok(sinew_model_create(&made->tree.def, &made->model, NULL));
  for (int l = 0; l <= joints; ++l) {
    made->links[made->tree.depth[l]] = l;
  }
}

static sinew_solver *leveled_solver(const sinew_model *model, const sinew_task *tasks, int count) {
  sinew_solver_def def = sinew_default_solver_def();
  def.lower.levels = 2;
  def.lower.objectives = 1;
  return solver_with(&def, model, tasks, count);
}

static void random_pose(const sinew_model *model, random_stream *random, double most, double *q) {
  double v[MOST];
  sinew_configuration_middle(model, q);
  for (int k = 0; k < sinew_model_nv(model); ++k) {
    v[k] = random_between(random, -most, most);
  }
  sinew_configuration_integrate(model, q, v, q);
}

// Half the squared residual of one task.
static double cost_at(sinew_solver *plain, const sinew_target *target, const double *q) {
  return plain->functions->evaluate(plain, target, q);
}

// How fast the cost falls along the best of random directions within the limits.
static double steepest(sinew_solver *plain, const sinew_target *target, random_stream *random,
                       const double *q) {
  const int nv = sinew_model_nv(plain->model);
  const double h = 1e-4, cost = cost_at(plain, target, q);
  double most = 0.0;
  for (int i = 0; i < 200; ++i) {
    double w[MOST], moved[MOST];
    random_unit(random, nv, w);
    for (int k = 0; k < nv; ++k) {
      w[k] *= h;
    }
    sinew_configuration_integrate(plain->model, q, w, moved);
    sinew_configuration_clamp(plain->model, moved);
    most = fmax(most, (cost - cost_at(plain, target, moved)) / h);
  }
  return most;
}

// A task of level 1 alone, most of whose targets the limits keep it from: it comes to rest, within
// the limits, where no motion within them reduces its error; so it does not where a step is clamped
// to them afterwards. req: E8
static void a_lower_level_ends_at_its_best(void **state) {
  (void)state;
  int moving = 0, blocked = 0, better = 0;
  for (uint64_t seed = 0; seed < (uint64_t)run_count; ++seed) {
    chain made;
    make_chain(&made, seed, 1 + (int)(seed % 4));
    const int nv = sinew_model_nv(made.model);
    random_stream random = random_stream_of(seed);
    sinew_task task =
        task_of(seed % 2 ? SINEW_TASK_POSE : SINEW_TASK_POSITION, made.links[1 + (int)(seed % 4)]);
    random_vector(&random, 0.3, task.point_l);
    double q[MOST], far[MOST], before[MOST], v[MOST], last[MOST] = {0.0}, change = 0.0;
    random_pose(made.model, &random, 2.0, far);
    sinew_configuration_random(made.model, 3, seed, q);
    const sinew_target target = target_at(made.model, &task, far);
    sinew_solver *plain = solver_with(NULL, made.model, &task, 1);
    task.level = 1;
    sinew_solver *solver = leveled_solver(made.model, &task, 1);
    for (int i = 0; i < 600; ++i) {
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      assert_at_most(sinew_configuration_excess(made.model, q, NULL), HELD);
      sinew_configuration_difference(made.model, before, q, v);
      for (int k = 0; k < nv; ++k) {
        change = i >= 500 ? fmax(change, fabs(v[k] - last[k])) : 0.0;
        last[k] = v[k];
      }
    }
    moving += change > HELD;
    blocked += cost_at(plain, &target, q) > 1e-6;
    better += steepest(plain, &target, &random, q) > 2e-3;
    sinew_solver_destroy(plain);
    sinew_solver_destroy(solver);
    sinew_model_destroy(made.model);
  }
  print_message("%d runs, %d blocked: %d still move, %d could be better\n", run_count, blocked,
                moving, better);
  assert_true(4 * blocked >= run_count);
  assert_true(50 * moving <= run_count);
  assert_true(10 * better <= run_count); // one in two with limits clamped after the step
}

// The distance of a task's point from its target.
static double distance_at(const sinew_model *model, const sinew_task *task, const double *q,
                          const sinew_target *target) {
  const sinew_target at = target_at(model, task, q);
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) {
    sum += (at.position[k] - target->position[k]) * (at.position[k] - target->position[k]);
  }
  return sqrt(sum);
}

// Two levels and a posture below them: each update leaves the first at most a tenth of the
// tolerance further off than an update without the others does from the same configuration; one
// that it does not meet, in 999 of 1,000. All limits are kept. req: E8 E4 E10
static void higher_levels_are_kept(void **state) {
  (void)state;
  int met = 0, worse = 0, count = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    chain made;
    make_chain(&made, 100 + seed, 5);
    random_stream random = random_stream_of(seed);
    const double tolerance = sinew_default_solver_def().tolerances.position;
    sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, made.links[5]),
                           task_of(SINEW_TASK_POSE, made.links[3])};
    random_vector(&random, 0.2, tasks[0].point_l);
    sinew_solver *plain = solver_with(NULL, made.model, tasks, 1);
    tasks[1].level = 1;
    sinew_solver *solver = leveled_solver(made.model, tasks, 2);
    double posture[MOST], q[MOST], alone[MOST], from[MOST], to[MOST], far[MOST], v[MOST];
    sinew_objective objective = sinew_default_objective();
    sinew_configuration_middle(made.model, posture);
    objective.posture = posture;
    objective.level = 2;
    assert_ok(sinew_solver_set_objectives(solver, &objective, 1, NULL));
    sinew_configuration_random(made.model, 5, seed, from);
    sinew_configuration_random(made.model, 6, seed, to);
    random_pose(made.model, &random, 2.0, far);
    memcpy(q, from, sizeof q);
    sinew_target targets[2] = {target_at(made.model, &tasks[0], q),
                               target_at(made.model, &tasks[1], far)};
    sinew_configuration_difference(made.model, from, to, v);
    memcpy(alone, q, sizeof q);
    for (int i = 0; i < 120; ++i) {
      double step[MOST], goal[MOST];
      for (int k = 0; k < sinew_model_nv(made.model); ++k) {
        step[k] = 0.15 * (1.0 - cos(0.05 * i)) * v[k];
      }
      sinew_configuration_integrate(made.model, from, step, goal);
      sinew_configuration_clamp(made.model, goal);
      targets[0] = target_at(made.model, &tasks[0], goal);
      memcpy(alone, q, sizeof q);
      assert_ok(sinew_solver_update(plain, targets, 1, alone, NULL));
      assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
      assert_at_most(sinew_configuration_excess(made.model, q, NULL), HELD);
      const double without = distance_at(made.model, &tasks[0], alone, &targets[0]);
      const double with = distance_at(made.model, &tasks[0], q, &targets[0]);
      if (without <= tolerance) {
        assert_at_most(with, without + 0.1 * tolerance);
      }
      met += without <= tolerance;
      count += 1;
      worse += with > without + 0.1 * tolerance;
    }
    sinew_solver_destroy(plain);
    sinew_solver_destroy(solver);
    sinew_model_destroy(made.model);
  }
  print_message(
      "%d of %d updates meet the first level without the others, %d of all less with them\n", met,
      count, worse);
  assert_true(2 * met > count);
  assert_true(1000 * worse <= count);
}

// The largest of a joint's values.
static double largest(int count, const double *v) {
  double most = 0.0;
  for (int k = 0; k < count; ++k) {
    most = fmax(most, fabs(v[k]));
  }
  return most;
}

// Joints that start outside their limits and that only a lower level moves are brought inside: at
// once, or at the speed that they have. req: E8
static void joints_outside_are_brought_inside(void **state) {
  (void)state;
  int slow = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    chain made;
    make_chain(&made, 200 + seed, 2);
    const int nv = sinew_model_nv(made.model);
    random_stream random = random_stream_of(seed);
    sinew_task task = task_of(SINEW_TASK_POSITION, made.links[2]);
    random_vector(&random, 0.3, task.point_l);
    task.level = 1;
    double q[MOST], start[MOST], before[MOST], v[MOST], speeds[MOST];
    random_pose(made.model, &random, 2.5, start);
    const sinew_target target = target_at(made.model, &task, start);
    sinew_solver_def def = sinew_default_solver_def();
    def.lower.levels = 1;
    sinew_solver *solver = solver_with(&def, made.model, &task, 1);
    memcpy(q, start, sizeof q);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    assert_at_most(sinew_configuration_excess(made.model, q, NULL), HELD);
    sinew_solver_destroy(solver);
    def.tracking.time_step = 0.01;
    solver = solver_with(&def, made.model, &task, 1);
    for (int k = 0; k < nv; ++k) {
      speeds[k] = 2.0;
    }
    assert_ok(sinew_solver_set_speeds(solver, speeds, 1.0));
    memcpy(q, start, sizeof q);
    slow += sinew_configuration_excess(made.model, q, NULL) > 0.1;
    for (int i = 0; i < 400; ++i) {
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      sinew_configuration_difference(made.model, before, q, v);
      assert_at_most(largest(nv, v), 0.02 * (1.0 + 1e-9));
    }
    assert_at_most(sinew_configuration_excess(made.model, q, NULL), HELD);
    sinew_solver_destroy(solver);
    sinew_model_destroy(made.model);
  }
  assert_true(slow >= 10);
}

int main(int argc, char **argv) {
  run_count = argc > 1 ? atoi(argv[1]) : run_count;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_lower_level_ends_at_its_best),
      cmocka_unit_test(higher_levels_are_kept),
      cmocka_unit_test(joints_outside_are_brought_inside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
