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

// How often a joint moves to, fro and to in three updates that follow each other, while the
// position moves past the edge of its reach, and the direction stays.
static int alternations_of(const sinew_model *model, uint64_t seed) {
  random_stream random = random_stream_of(seed);
  double q[MOST], before[MOST], motion[3][MOST] = {{0.0}}, way[3], home[3];
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
    double *now = motion[update % 3], *last = motion[(update + 2) % 3];
    move_target(home, way, sinew_model_size(model), update, targets[0].position);
    memcpy(before, q, sizeof q);
    assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
    sinew_configuration_difference(model, before, q, now);
    count += count_alternating(sinew_model_nv(model), motion[(update + 1) % 3], last, now);
  }
  sinew_solver_destroy(solver);
  return count;
}

// A direction of level 1 and a posture of level 2 do not make joints alternate where a position of
// level 0 comes to the edge of its reach. req: E4 E10
static void steps_do_not_alternate_at_the_edge_of_reach(void **state) {
  (void)state;
  int count = 0;
  for (int round = 0; round < SAMPLE_OF(BODIES); ++round) {
    sinew_model *model = random_body(round);
    count += alternations_of(model, (uint64_t)round);
    sinew_model_destroy(model);
  }
  print_message("joints alternate %d times in %d updates\n", count, UPDATES * SAMPLE_OF(BODIES));
  assert_true(10 * count <= 7 * SAMPLE_OF(BODIES)); // 194 of 200 where no step takes its best share
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_do_not_alternate_at_the_edge_of_reach),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
