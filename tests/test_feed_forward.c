// The motion of targets, fed forward for tasks of all levels.
#include "fixtures.h"
#include "inspect.h"
#include "sample.h"

#include <string.h>

#define MOST 64
#define STEP 0.02      // [s]
#define UPDATES 80     // of a path
#define FIRST 30       // from which on errors count
#define TASKS 3        // one of each level
#define TOLERANCE 1e-6 // of positions [m] and, times ten, of angles [rad]

// Joint values on a smooth path.
typedef struct path {
  const sinew_model *model;
  double home[2 * MOST], rate[MOST], size[MOST];
} path;

static void path_random(path *p, const sinew_model *model, uint64_t seed) {
  random_stream random = random_stream_of(seed);
  p->model = model;
  sinew_configuration_random(model, 3, seed, p->home);
  for (int v = 0; v < sinew_model_nv(model); ++v) {
    p->rate[v] = random_between(&random, 0.3, 1.0);
    p->size[v] = random_between(&random, 0.1, 0.4);
  }
}

static void path_at(const path *p, double time, double *q) {
  double v[MOST];
  for (int i = 0; i < sinew_model_nv(p->model); ++i) {
    v[i] = p->size[i] * sin(p->rate[i] * time + i);
  }
  sinew_configuration_integrate(p->model, p->home, v, q);
}

// The target that a task meets on the path, and its velocity by differences.
static sinew_target moving_target(const path *p, const sinew_task *task, double time, bool moves) {
  const double h = 1e-4;
  sinew_task pose = *task;
  double q[2 * MOST], inverse[4], turn[4], w[3];
  sinew_target ends[2];
  pose.kind = SINEW_TASK_POSE;
  for (int side = 0; side < 2; ++side) {
    path_at(p, time + (side == 0 ? -h : h), q);
    ends[side] = target_at(p->model, &pose, q);
  }
  path_at(p, time, q);
  sinew_target target = target_at(p->model, task, q);
  for (int i = 0; i < 4; ++i) {
    inverse[i] = (i == 0 ? 1.0 : -1.0) * ends[0].rotation[i];
  }
  sinew_quaternion_multiply(ends[1].rotation, inverse, turn);
  sinew_quaternion_log(turn, w);
  for (int i = 0; moves && i < 3; ++i) {
    target.twist[i] = (ends[1].position[i] - ends[0].position[i]) / (2.0 * h);
    target.twist[3 + i] = w[i] / (2.0 * h);
  }
  return target;
}

// A figure whose tasks, one of each level, can all be met on the path.
typedef struct company {
  sinew_model *model;
  sinew_task tasks[TASKS];
  path way;
} company;

static void company_make(random_tree *tree, uint64_t seed, company *c) {
  const sinew_task_kind kinds[] = {SINEW_TASK_POSITION, SINEW_TASK_ORIENTATION,
                                   SINEW_TASK_DIRECTION, SINEW_TASK_POSE};
  random_tree_options options = random_tree_defaults();
  options.joints = 10;
  options.chain = seed % 2 == 0 ? 1.0 : 0.7;
  options.kinds = 1u << SINEW_JOINT_REVOLUTE | 1u << SINEW_JOINT_SPHERICAL |
                  (seed % 4 == 3 ? 1u << SINEW_JOINT_FREE : 0u);
  random_tree_make(tree, 900 + seed, &options);
  assert_ok(sinew_model_create(&tree->def, &c->model, NULL));
  for (int t = 0, link = 0; t < TASKS; ++t) { // links of about these depths
    const int deepest = t == 0 ? 10 : t == 1 ? 6 : 3;
    for (int i = 0; i <= 10; ++i) {
      link = tree->depth[i] > tree->depth[link] && tree->depth[i] <= deepest ? i : link;
    }
    c->tasks[t] = task_of(t == 0 ? SINEW_TASK_POSITION : kinds[(seed + (uint64_t)t) % 4], link);
    c->tasks[t].level = t;
    link = 0;
  }
  path_random(&c->way, c->model, seed);
}

// How far the tasks are off the targets of the next update, over the tolerance, in the mean: what
// they lag behind.
static void follow(const company *c, int count, unsigned moves, double *lags) {
  sinew_solver_def def = sinew_default_solver_def();
  sinew_objective posture = sinew_default_objective();
  double q[2 * MOST];
  def.tracking.time_step = STEP;
  def.lower.levels = TASKS;
  def.lower.objectives = 1;
  posture.level = TASKS;
  posture.weight = 0.1;
  posture.posture = c->way.home;
  sinew_solver *solver = solver_with(&def, c->model, c->tasks, count);
  assert_ok(sinew_solver_set_objectives(solver, &posture, 1, NULL));
  memset(lags, 0, TASKS * sizeof *lags);
  path_at(&c->way, 0.0, q);
  for (int update = 1; update <= UPDATES; ++update) {
    sinew_target targets[TASKS];
    for (int t = 0; t < count; ++t) {
      targets[t] = moving_target(&c->way, &c->tasks[t], update * STEP, (moves >> t & 1) != 0);
    }
    assert_ok(sinew_solver_update(solver, targets, count, q, NULL));
    for (int t = 0; update >= FIRST && t < count; ++t) {
      const sinew_target next = moving_target(&c->way, &c->tasks[t], (update + 1) * STEP, false);
      double distance, angle;
      measure(c->model, &c->tasks[t], &next, q, &distance, &angle);
      const sinew_task_kind kind = c->tasks[t].kind;
      distance = kind == SINEW_TASK_POSITION || kind == SINEW_TASK_POSE ? distance : 0.0;
      angle = kind == SINEW_TASK_POSITION ? 0.0 : angle;
      lags[t] += fmax(distance, 0.1 * angle) / TOLERANCE / (UPDATES - FIRST + 1);
    }
  }
  sinew_solver_destroy(solver);
}

// With the velocity of their targets tasks of lower levels lag behind by a small part of what they
// do without, as those of level 0 do, and nothing of higher levels is lost. req: C1 E4
static void lower_levels_do_not_lag(void **state) {
  (void)state;
  static random_tree tree;
  int near[TASKS] = {0}, met = 0, all = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    if (!is_sampled((int)seed)) {
      continue;
    }
    company c;
    double fed[TASKS], lower[TASKS], plain[TASKS];
    company_make(&tree, seed, &c);
    follow(&c, TASKS, 7, fed);
    follow(&c, TASKS, 6, lower);
    follow(&c, TASKS, 0, plain);
    for (int t = 0; t < TASKS; ++t) {
      near[t] += fed[t] <= 0.1 * plain[t];
    }
    // what level 0 does does not depend on what is fed forward below it
    assert_near(lower[0], plain[0], 0.1 + 1e-4 * plain[0]);
    met += lower[1] <= 0.1 * plain[1] || c.tasks[1].link == c.tasks[0].link;
    ++all;
    sinew_model_destroy(c.model);
  }
  assert_int_equal(near[0], all);
  assert_true(near[1] >= 9 * all / 10 && near[2] >= 8 * all / 10 && met >= 8 * all / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lower_levels_do_not_lag),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
