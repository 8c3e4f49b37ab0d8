// Lower levels where level 0 comes to the edge of its reach, and leaves them a curved set.
#include "fixtures.h"
#include "inspect.h"
#include "sample.h"

enum { MOST = 160, UPDATES = 200, BODIES = 200 };

// A motion below this does not count as one to and fro [rad].
#define STILL 0.01

// A tree of 12 to 24 revolute joints.
static sinew_model *random_body(int round) {
  static random_tree tree;
  random_tree_options options = random_tree_defaults();
  sinew_model *model = NULL;
  options.joints = 12 + round % 13;
  options.kinds = 1u << SINEW_JOINT_REVOLUTE;
  options.chain = 0.7;
  options.coupled = 0.0;
  random_tree_make(&tree, (uint64_t)round, &options);
  assert_ok(sinew_model_create(&tree.def, &model, NULL));
  return model;
}

static sinew_solver *solver_of(const sinew_model *model, random_stream *random, sinew_task *tasks) {
  sinew_solver_def def = sinew_default_solver_def();
  const int links = sinew_model_link_count(model);
  sinew_objective posture = sinew_default_objective();
  posture.level = 2;
  def.lower.levels = 2;
  def.lower.objectives = 1;
  tasks[0] = task_of(SINEW_TASK_POSITION, links - 1);
  tasks[1] = task_of(SINEW_TASK_DIRECTION, links / 4 + random_below(random, links / 2));
  tasks[1].level = 1;
  sinew_solver *solver = solver_with(&def, model, tasks, 2);
  assert_ok(sinew_solver_set_objectives(solver, &posture, 1, NULL));
  return solver;
}

// The position of a point that leaves home towards way, up to the size of the figure from there.
static void move_target(const double *home, const double *way, double size, int update,
                        double *position) {
  const double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
  const double distance = 0.5 * size * (1.0 - cos(0.015 * update));
  for (int i = 0; i < 3; ++i) {
    position[i] = home[i] + distance / length * way[i];
  }
}

static int count_alternating(int nv, const double *first, const double *last, const double *now) {
  int count = 0;
  for (int v = 0; v < nv; ++v) {
    const double least = fmin(fmin(fabs(now[v]), fabs(last[v])), fabs(first[v]));
    count += least > STILL && now[v] * last[v] < 0.0 && last[v] * first[v] < 0.0;
  }
  return count;
}

// What a figure does in an update, beside the two before.
typedef struct record {
  double before[MOST], motion[3][MOST];
  int update;
} record;

static void begin_update(record *of, const sinew_model *model, const double *q) {
  memcpy(of->before, q, (size_t)sinew_model_nq(model) * sizeof *q);
}

// How many joints have moved to, fro and to in the last three updates.
static int end_update(record *of, const sinew_model *model, const double *q) {
  double *now = of->motion[of->update % 3];
  sinew_configuration_difference(model, of->before, q, now);
  const int last = (of->update + 2) % 3, first = (of->update + 1) % 3;
  ++of->update;
  return of->update < 3
             ? 0
             : count_alternating(sinew_model_nv(model), of->motion[first], of->motion[last], now);
}

// How often joints alternate while the position moves past the edge of its reach, and the direction
// stays. *bent += the mean of the sum of squares of all joints' values.
static int alternations_of(const sinew_model *model, uint64_t seed, double *bent) {
  random_stream random = random_stream_of(seed);
  record of = {.update = 0};
  double q[MOST], way[3], home[3];
  sinew_task tasks[2];
  sinew_target targets[2];
  int count = 0;
  sinew_solver *solver = solver_of(model, &random, tasks);
  sinew_configuration_random(model, 1, seed, q);
  for (int t = 0; t < 2; ++t) {
    targets[t] = target_at(model, &tasks[t], q);
  }
  memcpy(home, targets[0].position, sizeof home);
  for (int i = 0; i < 3; ++i) {
    way[i] = random_between(&random, -1.0, 1.0);
  }
  for (int update = 0; update < UPDATES; ++update) {
    move_target(home, way, sinew_model_size(model), update, targets[0].position);
    begin_update(&of, model, q);
    assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
    count += end_update(&of, model, q);
    for (int i = 0; i < sinew_model_nq(model); ++i) {
      *bent += q[i] * q[i] / UPDATES;
    }
  }
  sinew_solver_destroy(solver);
  return count;
}

// A direction of level 1 and a posture of level 2 do not make joints alternate where a position of
// level 0 comes to the edge of its reach, and still bring them near the posture. req: E4 E10
static void steps_do_not_alternate_at_the_edge_of_reach(void **state) {
  (void)state;
  int count = 0;
  double bent = 0.0;
  for (int round = 0; round < SAMPLE_OF(BODIES); ++round) {
    sinew_model *model = random_body(round);
    count += alternations_of(model, (uint64_t)round, &bent);
    sinew_model_destroy(model);
  }
  bent /= SAMPLE_OF(BODIES);
  print_message("joints alternate %d times in %d updates, %.2f from the posture\n", count,
                UPDATES * SAMPLE_OF(BODIES), bent);
  assert_true(10 * count <= 7 * SAMPLE_OF(BODIES)); // 178 of 200 without the best share
  assert_at_most(bent, 26.5); // 27.5 where first-order terms count as curvature
}

// A position of level 1 that is out of reach and at rest does not make joints alternate, whatever
// levels 2 and 3 ask for. req: E4 E10
static void steps_below_an_unmet_level_do_not_alternate(void **state) {
  (void)state;
  int count = 0;
  for (int round = 0; round < SAMPLE_OF(BODIES); ++round) {
    random_stream random = random_stream_of((uint64_t)round);
    sinew_model *model = random_body(round);
    const int links = sinew_model_link_count(model);
    record of = {.update = 0};
    double q[MOST];
    sinew_target targets[3];
    sinew_task tasks[3] = {task_of(SINEW_TASK_POSITION, links / 2),
                           task_of(SINEW_TASK_POSITION, links - 1),
                           task_of(SINEW_TASK_DIRECTION, random_below(&random, links))};
    sinew_solver_def def = sinew_default_solver_def();
    sinew_objective posture = sinew_default_objective();
    def.lower.levels = posture.level = 3;
    def.lower.objectives = 1;
    tasks[1].level = 1;
    tasks[2].level = 2;
    sinew_solver *solver = solver_with(&def, model, tasks, 3);
    assert_ok(sinew_solver_set_objectives(solver, &posture, 1, NULL));
    sinew_configuration_random(model, 2, (uint64_t)round, q);
    for (int t = 0; t < 3; ++t) {
      targets[t] = target_at(model, &tasks[t], q);
    }
    targets[1].position[0] += 2.0 * sinew_model_size(model);
    sinew_configuration_random(model, 3, (uint64_t)round, q);
    targets[2] = target_at(model, &tasks[2], q);
    for (int update = 0; update < UPDATES; ++update) {
      begin_update(&of, model, q);
      assert_ok(sinew_solver_update(solver, targets, 3, q, NULL));
      count += end_update(&of, model, q);
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  print_message("joints alternate %d times in %d updates\n", count, UPDATES * SAMPLE_OF(BODIES));
  // 428 of 200 where rows of level 1 are not soft
  assert_true(2 * count <= 3 * SAMPLE_OF(BODIES) + 50);
}

// A limb whose target is a little beyond its reach does not keep the posture of level 2 from moving
// another. req: E4 E10
static void free_limbs_move_beside_one_out_of_reach(void **state) {
  (void)state;
  enum { JOINTS = 3 };
  for (int round = 0; round < 3; ++round) {
    builder b;
    builder_start(&b);
    for (int i = 0; i < 2 * JOINTS; ++i) {
      const int parent = i % JOINTS == 0 ? 0 : i;
      builder_add(&b, parent, SINEW_JOINT_REVOLUTE, parent > 0 ? 0.3 : 0.0, 0.0, 0.0);
    }
    sinew_model *model = builder_make(&b);
    random_stream unused = random_stream_of(1);
    sinew_task tasks[2];
    sinew_solver *solver = solver_of(model, &unused, tasks);
    tasks[0] = task_of(SINEW_TASK_POSITION, JOINTS);
    tasks[0].point_l[0] = 0.3;
    tasks[1] = task_of(SINEW_TASK_DIRECTION, JOINTS);
    tasks[1].level = 1;
    assert_ok(sinew_solver_set_tasks(solver, tasks, 2, NULL));
    double q[2 * JOINTS] = {0.3, 0.8, 0.5, 2.5, 2.5, 2.5};
    sinew_target targets[2];
    for (int t = 0; t < 2; ++t) {
      targets[t] = target_at(model, &tasks[t], q);
    }
    const double reach = JOINTS * 0.3 + (round == 0 ? 0.0005 : round == 1 ? 0.003 : 0.006);
    for (int update = 0; update < 300; ++update) {
      const double angle = 0.5 + 0.3 * sin(0.01 * update);
      targets[0].position[0] = reach * cos(angle);
      targets[0].position[1] = reach * sin(angle);
      assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
    }
    for (int i = JOINTS; i < 2 * JOINTS; ++i) {
      assert_at_most(fabs(q[i]), 1.5); // 2.5, where they begin, if the steps fail
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// With limits of acceleration a position of level 1 whose target moves fast does not take level 0
// from its target, which stays. req: E4 E8 E10
static void accelerations_do_not_cost_level_0(void **state) {
  (void)state;
  double worst = 0.0;
  int off = 0;
  for (int round = 0; round < SAMPLE_OF(BODIES); ++round) {
    random_stream random = random_stream_of((uint64_t)round);
    sinew_model *model = random_body(round);
    const int links = sinew_model_link_count(model), nv = sinew_model_nv(model);
    const double size = sinew_model_size(model);
    double q[MOST], accelerations[MOST], way[3], home[3], most = 0.0;
    sinew_target targets[2];
    sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, links / 2),
                           task_of(SINEW_TASK_POSITION, links - 1)};
    sinew_solver_def def = sinew_default_solver_def();
    def.tracking.time_step = 0.02;
    def.lower.levels = 1;
    tasks[1].level = 1;
    sinew_solver *solver = solver_with(&def, model, tasks, 2);
    for (int v = 0; v < nv; ++v) {
      accelerations[v] = 10.0;
    }
    assert_ok(sinew_solver_set_accelerations(solver, accelerations));
    sinew_configuration_random(model, 4, (uint64_t)round, q);
    for (int t = 0; t < 2; ++t) {
      targets[t] = target_at(model, &tasks[t], q);
    }
    memcpy(home, targets[1].position, sizeof home);
    for (int i = 0; i < 3; ++i) {
      way[i] = random_between(&random, -1.0, 1.0);
    }
    for (int update = 0; update < UPDATES; ++update) {
      move_target(home, way, 0.3 * size, 2 * update, targets[1].position);
      assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
      const sinew_target at = target_at(model, &tasks[0], q);
      most = fmax(most, farthest(3, at.position, targets[0].position) / size);
    }
    worst = fmax(worst, most);
    off += most > 1e-3;
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  print_message("level 0 is off by .001 of the size in %d of %d, at most by %.4f\n", off,
                SAMPLE_OF(BODIES), worst);
  assert_at_most(worst, 0.2); // 0.31 where accelerations alone bound level 1
  assert_true(off <= SAMPLE_OF(BODIES) / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_do_not_alternate_at_the_edge_of_reach),
      cmocka_unit_test(steps_below_an_unmet_level_do_not_alternate),
      cmocka_unit_test(free_limbs_move_beside_one_out_of_reach),
      cmocka_unit_test(accelerations_do_not_cost_level_0),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
