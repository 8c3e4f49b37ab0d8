// Spherical joints in root-frame angular coordinates move as those in body-frame ones. A speed
// limit that is never reached, or one axis with a slightly different gain, makes a joint use
// body-frame coordinates.
#include "fixtures.h"
#include "inspect.h"

#define MOST_NQ 128
#define TASKS 4
#define FAR_SPEED 1e30

// A random figure twice: spherical joints in root-frame and in body-frame coordinates.
typedef struct twins {
  random_tree tree;
  sinew_model *model[2];
  sinew_solver *solver[2];
  sinew_task tasks[TASKS];
  sinew_target targets[TASKS];
  double q[2][MOST_NQ];
  int nq;
} twins;

static int count_free_spherical(const sinew_solver *solver) {
  int count = 0;
  for (int g = 0; g < solver->problem.group_count; ++g) {
    count += solver->problem.groups[g].root_frame;
  }
  return count;
}

static void twins_start(twins *t, uint64_t seed, const random_tree_options *options,
                        sinew_method method) {
  static const sinew_task_kind kinds[TASKS] = {SINEW_TASK_POSITION, SINEW_TASK_POSE,
                                               SINEW_TASK_POSITION, SINEW_TASK_ORIENTATION};
  random_stream random = random_stream_of(seed);
  double goal[MOST_NQ], step[MOST_NQ];
  random_tree_make(&t->tree, seed, options);
  assert_ok(sinew_model_create(&t->tree.def, &t->model[0], NULL));
  for (int j = 0; j < t->tree.def.joint_count; ++j) {
    for (int i = 0; i < 6; ++i) {
      t->tree.joints[j].velocity[i] = FAR_SPEED;
    }
  }
  assert_ok(sinew_model_create(&t->tree.def, &t->model[1], NULL));
  t->nq = sinew_model_nq(t->model[0]);
  sinew_configuration_random(t->model[0], seed, 0, t->q[0]);
  sinew_configuration_random(t->model[0], seed, 1, goal);
  memcpy(t->q[1], t->q[0], sizeof t->q[0]);
  sinew_configuration_difference(t->model[0], t->q[0], goal, step);
  for (int v = 0; v < sinew_model_nv(t->model[0]); ++v) {
    step[v] *= 0.2;
  }
  sinew_configuration_integrate(t->model[0], t->q[0], step, goal);
  for (int i = 0; i < TASKS; ++i) {
    t->tasks[i] = task_of(kinds[i], random_below(&random, sinew_model_link_count(t->model[0])));
    random_vector(&random, 0.3, t->tasks[i].point_l);
    t->tasks[i].position_weight = random_between(&random, 0.5, 2.0);
    t->tasks[i].free_axes = i == 2 ? 1u + (unsigned)random_below(&random, 6) : 0u;
    t->targets[i] = target_at(t->model[0], &t->tasks[i], goal);
    t->targets[i].position[i % 3] += seed % 3 == 0 ? 1.0 : 0.0; // also past limits
  }
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = method;
  def.step.max_turn =
      10.0; // no step is clamped, since clamping is by the largest entry along an axis
  def.task_capacity = TASKS;
  for (int k = 0; k < 2; ++k) {
    t->solver[k] = solver_with(&def, t->model[k], t->tasks, 1 + (int)(seed % TASKS));
  }
}

static void twins_end(twins *t) {
  for (int k = 0; k < 2; ++k) {
    sinew_solver_destroy(t->solver[k]);
    sinew_model_destroy(t->model[k]);
  }
}

// False where only one has raised Newton's damping, which depends on pivots, and those on the axes.
static bool twins_update(twins *t) {
  for (int k = 0; k < 2; ++k) {
    assert_ok(
        sinew_solver_update(t->solver[k], t->targets, t->solver[k]->problem.count, t->q[k], NULL));
  }
  const double mu[2] = {t->solver[0]->step.newton.mu, t->solver[1]->step.newton.mu};
  return fabs(mu[0] - mu[1]) <= 1e-6 * mu[0];
}

// The number of active bounds.
static int count_held(const sinew_solver *solver) {
  const bool newton = solver->def.step.method == SINEW_METHOD_NEWTON ||
                      solver->def.step.method == SINEW_METHOD_DEFAULT;
  const signed char *active = newton ? solver->step.newton.held : solver->step.dls.held;
  int count = 0;
  for (int j = 0; j < solver->evaluation.rows.dof_count; ++j) {
    count += active[j] != 0;
  }
  return count;
}

// With revolute and prismatic joints, floating bases, limits that are active or not, and one to
// four effectors. In steps of a figure far from its targets rounding differences grow: a first
// update of the default method takes several.
static void coordinates_give_the_same_motion(void **state) {
  (void)state;
  static const sinew_method methods[] = {SINEW_METHOD_DLS, SINEW_METHOD_NEWTON,
                                         SINEW_METHOD_DEFAULT, SINEW_METHOD_TRANSPOSE,
                                         SINEW_METHOD_PSEUDOINVERSE};
  static twins t;
  int spherical = 0, active = 0, diverged = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    random_tree_options options = random_tree_defaults();
    options.joints = 3 + (int)(seed % 7);
    options.limited = seed % 3 == 0 ? 0.6 : 0.0;
    options.chain = 0.7;
    if (seed % 2 == 0) {
      options.kinds = 1u << SINEW_JOINT_SPHERICAL | 1u << SINEW_JOINT_FREE |
                      1u << SINEW_JOINT_REVOLUTE | 1u << SINEW_JOINT_PRISMATIC;
    }
    twins_start(&t, seed, &options, methods[seed % 5]);
    assert_int_equal(count_free_spherical(t.solver[1]), 0);
    spherical += count_free_spherical(t.solver[0]);
    for (int update = 0; update < 6; ++update) {
      if (!twins_update(&t)) {
        ++diverged;
        break;
      }
      assert_at_most(farthest(t.nq, t.q[0], t.q[1]), 1e-9);
      active += count_held(t.solver[0]);
    }
    twins_end(&t);
  }
  print_message("%d joints in root-frame coordinates, %d active bounds, %d figures diverge\n",
                spherical, active, diverged);
  assert_true(spherical > 100 && active > 50 && diverged < 12);
}

// To a tolerance, where steps that raise the error are undone: the same steps to the same
// configuration.
static void coordinates_converge_alike(void **state) {
  (void)state;
  static twins t;
  int alike = 0, solved = 0, steps = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    random_tree_options options = random_tree_defaults();
    options.kinds = 1u << SINEW_JOINT_SPHERICAL | 1u << SINEW_JOINT_REVOLUTE;
    options.joints = 4 + (int)(seed % 3);
    options.chain = 1.0;
    twins_start(&t, 4 * seed, &options, SINEW_METHOD_DLS);
    if (count_free_spherical(t.solver[0]) > 0) {
      sinew_report reports[2];
      for (int k = 0; k < 2; ++k) {
        assert_ok(sinew_solver_solve_local(t.solver[k], t.targets, 1, t.q[k], &reports[k]));
      }
      alike += reports[0].steps == reports[1].steps && farthest(t.nq, t.q[0], t.q[1]) < 1e-6;
      steps += reports[0].steps;
      ++solved;
    }
    twins_end(&t);
  }
  print_message("%d of %d alike, %d steps\n", alike, solved, steps);
  assert_true(solved > 20 && alike >= solved - 2 && steps > 5 * solved);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(coordinates_give_the_same_motion),
                                     cmocka_unit_test(coordinates_converge_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
