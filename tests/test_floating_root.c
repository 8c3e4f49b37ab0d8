// Figures that float move alike wherever the joint that lets them float is placed: its offset is no
// length of the figure, so that no weight, bound or damping may depend on it.
#include "fixtures.h"

#include <string.h>

#define MOST_NQ 128
#define TASKS 3

// A random figure that floats by its first joint, which is placed at the origin and elsewhere.
typedef struct pair {
  random_tree tree;
  sinew_model *model[2];
  sinew_solver *solver[2];
  sinew_task tasks[TASKS];
  sinew_target targets[TASKS];
  double q[2][MOST_NQ], offset[3];
  int root; // where the distances of the first joint are in q
} pair;

static sinew_joint_def *root_joint(random_tree *tree) {
  for (int j = 0; j < tree->def.joint_count; ++j) {
    if (tree->depth[tree->joints[j].child] == 1) {
      return &tree->joints[j];
    }
  }
  return NULL;
}

static void pair_start(pair *p, uint64_t seed, sinew_method method) {
  static const sinew_task_kind kinds[TASKS] = {SINEW_TASK_POSITION, SINEW_TASK_POSE,
                                               SINEW_TASK_ORIENTATION};
  random_tree_options options = random_tree_defaults();
  random_stream random = random_stream_of(seed);
  options.joints = 3 + (int)(seed % 6);
  options.kinds = 1u << SINEW_JOINT_REVOLUTE | 1u << SINEW_JOINT_SPHERICAL;
  options.chain = 1.0;
  options.coupled = 0.0;
  random_tree_make(&p->tree, seed, &options);
  sinew_joint_def *joint = root_joint(&p->tree);
  joint->kind = seed % 2 == 0 ? SINEW_JOINT_FREE : SINEW_JOINT_CHANNELS;
  strcpy(joint->channels, seed % 2 == 0 ? "" : "xyzZXY");
  joint->placement = (sinew_pose){.rotation = {1, 0, 0, 0}};
  assert_ok(sinew_model_create(&p->tree.def, &p->model[0], NULL));
  random_vector(&random, 30.0, p->offset);
  memcpy(joint->placement.position, p->offset, sizeof p->offset);
  assert_ok(sinew_model_create(&p->tree.def, &p->model[1], NULL));
  p->root = -1;
  for (int j = 0; j < sinew_model_joint_count(p->model[0]); ++j) {
    sinew_joint found;
    assert_ok(sinew_model_joint(p->model[0], j, &found));
    p->root = strcmp(found.name, joint->name) == 0 ? found.q_index : p->root;
  }
  double goal[MOST_NQ];
  sinew_configuration_random(p->model[0], seed, 0, p->q[0]);
  sinew_configuration_random(p->model[0], seed, 1, goal);
  memcpy(p->q[1], p->q[0], sizeof p->q[0]);
  for (int i = 0; i < 3; ++i) {
    p->q[1][p->root + i] -= p->offset[i];
  }
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = method;
  const int links = sinew_model_link_count(p->model[0]);
  for (int t = 0; t < TASKS; ++t) {
    p->tasks[t] = task_of(kinds[t], random_below(&random, links));
    p->targets[t] = target_at(p->model[0], &p->tasks[t], goal);
  }
  for (int k = 0; k < 2; ++k) {
    assert_ok(sinew_solver_create(&def, p->model[k], &p->solver[k], NULL));
    assert_ok(sinew_solver_set_tasks(p->solver[k], p->tasks, TASKS, NULL));
  }
}

static void pair_end(pair *p) {
  for (int k = 0; k < 2; ++k) {
    sinew_solver_destroy(p->solver[k]);
    sinew_model_destroy(p->model[k]);
  }
}

// The largest difference of the two configurations, the offset aside.
static double difference(const pair *p) {
  double most = 0.0;
  for (int i = 0; i < sinew_model_nq(p->model[0]); ++i) {
    const int axis = i - p->root;
    const double shift = axis >= 0 && axis < 3 ? p->offset[axis] : 0.0;
    most = fmax(most, fabs(p->q[1][i] + shift - p->q[0][i]));
  }
  return most;
}

// Not SDLS: a base that floats has equal singular values, and its step depends on which basis of
// their directions rounding selects.
static void offsets_do_not_change_the_motion(void **state) {
  (void)state;
  static const sinew_method methods[] = {SINEW_METHOD_DEFAULT, SINEW_METHOD_TRANSPOSE,
                                         SINEW_METHOD_PSEUDOINVERSE, SINEW_METHOD_DLS,
                                         SINEW_METHOD_NEWTON};
  static pair p;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    pair_start(&p, seed, methods[seed % 5]);
    for (int update = 0; update < 4; ++update) {
      for (int k = 0; k < 2; ++k) {
        assert_ok(sinew_solver_update(p.solver[k], p.targets, TASKS, p.q[k], NULL));
      }
      // Coordinates of 30 m are rounded to 4e-15 m; steps of figures far from their targets
      // amplify that.
      assert_at_most(difference(&p), 1e-9);
    }
    pair_end(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(offsets_do_not_change_the_motion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
