// Proofs that a target is out of reach: never of a target that is reached within its tolerance.
#include "fixtures.h"

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
  for (uint64_t round = 0; round < 400; ++round) {
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tolerance_and_rounding_are_reachable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
