// Ranges of tasks, hard or not, that tasks and objectives of lower levels press against.
//
//   test_level_ranges [FIGURES]    how many figures are pressed against ranges, default 200
#include "barriers.h"
#include "fixtures.h"
#include "sample.h"

#include <stdlib.h>
#include <string.h>

#define MOST 64
#define KEPT 1e-9 // the most by which an update may leave a hard task's range [m, rad]
#define MET 1e-7  // a tenth of the tolerance
#define UPDATES 500

static int figure_count = 200;

// A figure holds a link where it is; below a barrier its last link has a goal beyond that, and
// below the goal it has a posture.
typedef struct pressed {
  barrier barrier;
  sinew_task tasks[3];
  sinew_target targets[3];
  double posture[2 * MOST];
  sinew_objective objective;
} pressed;

static void press(random_stream *r, const sinew_model *model, const double *q, uint64_t seed,
                  pressed *p) {
  barrier_make(r, model, q, (int)(seed % BARRIER_KINDS), &p->barrier);
  p->tasks[0] = p->barrier.tasks[0];
  p->targets[0] = p->barrier.targets[0];
  p->tasks[1] = task_of(SINEW_TASK_POSITION, sinew_model_link_count(model) / 2);
  p->targets[1] = target_at(model, &p->tasks[1], q);
  p->tasks[2] = p->barrier.tasks[1];
  p->targets[2] = p->barrier.targets[1];
  sinew_configuration_random(model, 16, seed, p->posture);
  p->objective = sinew_default_objective();
  p->objective.weight = 0.1;
  p->objective.posture = p->posture;
}

// How a range is asked for.
typedef enum range_way { SOFT, HARD, NOT_REQUIRED } range_way;

// level: that of the barrier.
static sinew_solver *solver_of(const sinew_model *model, const pressed *p, range_way way,
                               int level) {
  sinew_solver_def def = sinew_default_solver_def();
  sinew_objective objective = p->objective;
  sinew_task tasks[3];
  memcpy(tasks, p->tasks, sizeof tasks);
  tasks[0].hard = way == HARD;
  tasks[0].required = way == NOT_REQUIRED ? SINEW_NOT_REQUIRED : tasks[0].required;
  tasks[0].level = level;
  tasks[2].level = level + 1;
  objective.level = level + 2;
  def.hard_rows = way == HARD ? 1 : 0;
  def.lower.levels = level + 2;
  def.lower.objectives = 1;
  sinew_solver *solver = solver_with(&def, model, tasks, 3);
  assert_ok(sinew_solver_set_objectives(solver, &objective, 1, NULL));
  return solver;
}

typedef struct outcome {
  double left;   // the furthest beyond the range [m, rad]
  double second; // the last change of the motion
  double held;   // the largest error of the task of level 0 [m]
  double goal;   // the last error of the goal
  int side;
} outcome;

static outcome follow(const sinew_model *model, const pressed *p, range_way way, int level,
                      const double *home) {
  outcome o = {.left = -INFINITY};
  double change[MOST] = {0.0}, last[2 * MOST], delta[MOST];
  double q[2 * MOST];
  sinew_solver *solver = solver_of(model, p, way, level);
  memcpy(q, home, sizeof q);
  const int nv = sinew_model_nv(model);
  const sinew_task *task = &p->tasks[0];
  for (int update = 0; update < UPDATES; ++update) {
    memcpy(last, q, (size_t)sinew_model_nq(model) * sizeof *q);
    assert_ok(sinew_solver_update(solver, p->targets, 3, q, NULL));
    const double y = barrier_quantity(model, task, &p->targets[0], q);
    o.left = fmax(o.left, barrier_outside(task, y));
    const sinew_target at = target_at(model, &p->tasks[1], q);
    o.held = fmax(o.held, farthest(3, at.position, p->targets[1].position));
    sinew_configuration_difference(model, last, q, delta);
    o.second = 0.0;
    for (int v = 0; v < nv; ++v) {
      o.second = fmax(o.second, fabs(delta[v] - change[v]));
      change[v] = delta[v];
    }
  }
  if (way == HARD) {
    sinew_hard_row_report report;
    assert_ok(sinew_solver_hard_row(solver, 0, &report));
    o.side = report.side;
  }
  const sinew_target at = target_at(model, &p->tasks[2], q);
  o.goal = farthest(3, at.position, p->targets[2].position);
  sinew_solver_destroy(solver);
  return o;
}

static sinew_model *any_model(random_tree *tree, uint64_t seed) {
  random_tree_options options = random_tree_defaults();
  sinew_model *model = NULL;
  options.chain = 0.8;
  options.limited = seed % 3 == 0 ? 0.5 : 0.0;
  options.cones = seed % 3 == 0 ? 0.5 : 0.0;
  random_tree_make(tree, 500 + seed, &options);
  assert_ok(sinew_model_create(&tree->def, &model, NULL));
  return model;
}

// Ranges of level 0 and 1 hold against lower levels, those of a hard task within rounding errors
// and of others within the tolerance, and figures come to rest, though their goal cannot be met and
// the posture below it can. All end at the same goal. req: E8 E10
static void lower_levels_do_not_leave_ranges(void **unused) {
  (void)unused;
  static random_tree tree;
  random_stream r = random_stream_of(21);
  int all = 0, held = 0, moving = 0, apart = 0;
  double second = 0.0;
  for (uint64_t seed = 0; seed < (uint64_t)figure_count; ++seed) {
    if (!is_sampled((int)seed)) {
      continue;
    }
    ++all;
    sinew_model *model = any_model(&tree, seed);
    double home[2 * MOST];
    pressed p;
    sinew_configuration_random(model, 6, seed, home);
    press(&r, model, home, seed, &p);
    const outcome hard = follow(model, &p, HARD, 0, home);
    assert_at_most(hard.left, KEPT);
    assert_at_most(hard.held, MET);
    held += hard.side != 0;
    moving += hard.second > 1e-6;
    second = fmax(second, hard.second);
    for (int level = 0; level < 2; ++level) {
      const outcome soft = follow(model, &p, SOFT, level, home);
      assert_at_most(soft.left, MET);
      assert_at_most(soft.held, MET);
      apart += fabs(hard.goal - soft.goal) > 1e-4;
      second = fmax(second, soft.second);
    }
    sinew_model_destroy(model);
  }
  print_message("%d of %d held, %d move by more than 1e-6, the most is %.1e; %d end apart\n", held,
                all, moving, second, apart);
  assert_true(2 * held > all);
  assert_true(200 * moving <= figure_count); // 2 of 200 where weights grow at most tenfold
  assert_at_most(second, figure_count > 200 ? 5e-4 : 1e-6); // some leave a saddle only then
  assert_true(40 * apart <= figure_count);
}

// A solve ends where updates come to rest: the descent after a search follows a range of the level
// above instead of ending at it. req: E8 E10
static void solves_end_where_updates_do(void **unused) {
  (void)unused;
  static random_tree tree;
  random_stream r = random_stream_of(23);
  int behind = 0;
  for (uint64_t seed = 0; seed < (uint64_t)figure_count; ++seed) {
    if (!is_sampled((int)seed)) {
      continue;
    }
    sinew_model *model = any_model(&tree, seed);
    double home[2 * MOST], q[2 * MOST];
    pressed p;
    sinew_configuration_random(model, 6, seed, home);
    press(&r, model, home, seed, &p);
    const range_way way = (range_way)(seed / 3 % 3);
    const outcome updates = follow(model, &p, way, 0, home);
    sinew_solver *solver = solver_of(model, &p, way, 0);
    memcpy(q, home, sizeof q);
    assert_ok(sinew_solver_solve(solver, p.targets, 3, q, NULL));
    const double y = barrier_quantity(model, &p.tasks[0], &p.targets[0], q);
    assert_at_most(barrier_outside(&p.tasks[0], y), 1e-6);
    const sinew_target at = target_at(model, &p.tasks[1], q);
    assert_at_most(farthest(3, at.position, p.targets[1].position), 1e-6);
    const sinew_target end = target_at(model, &p.tasks[2], q);
    const double goal = farthest(3, end.position, p.targets[2].position);
    behind += goal > 1.01 * updates.goal + 1e-5;
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  print_message("%d of %d are further from their goals\n", behind, figure_count);
  assert_true(40 * behind <= figure_count); // 28 of 200 where descents do not know the ranges
}

// What is far away, on level 1, does not pull the centre of mass off its support polygon, whose
// tasks are hard or not; figures are pulled to its edge, but for some whose last link cannot go
// there. req: E8 E10
static void reaching_does_not_leave_the_polygon(void **unused) {
  (void)unused;
  static random_tree tree;
  random_stream r = random_stream_of(22);
  int at_edge[2] = {0, 0};
  for (uint64_t seed = 0; seed < 24; ++seed) {
    const random_tree_options options = {.joints = 8, .link_length = 0.3};
    sinew_model *model = barrier_figure(&tree, &r, seed, &options);
    sinew_solver_def def = sinew_default_solver_def();
    sinew_task tasks[5];
    sinew_target targets[5];
    double home[2 * MOST];
    sinew_configuration_random(model, 8, seed, home);
    def.lower.levels = 1;
    def.hard_rows = 4;
    for (int hard = 0; hard < 2; ++hard) {
      barrier_stand(model, home, hard != 0, tasks, targets);
      tasks[4].level = 1;
      sinew_solver *solver = solver_with(&def, model, tasks, 5);
      const double most = barrier_reach(model, solver, targets, home, 600);
      at_edge[hard] += most > -1e-6;
      assert_at_most(most, hard != 0 ? KEPT : MET);
      sinew_solver_destroy(solver);
    }
    sinew_model_destroy(model);
  }
  print_message("%d of 24 reach the edge, %d with hard tasks\n", at_edge[0], at_edge[1]);
  assert_true(at_edge[0] >= 16 && at_edge[1] >= 16);
}

// A posture beyond the limits moves joints to them. In each update a joint may go half of the way
// that is left, so that it does not stop at once: level 0 would have to make up for that, within
// max_change. 623 abrupt motions of 200 arms without it.
static void joints_come_to_limits_slowly(void **unused) {
  (void)unused;
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  sinew_objective posture = sinew_default_objective();
  sinew_solver_def def = sinew_default_solver_def();
  double q[7], before[7], last[7] = {0.0}, beyond[7], middle[7];
  int arrived = 0, abrupt = 0;
  def.lower.levels = def.lower.objectives = 1;
  sinew_solver *solver = solver_with(&def, arm, &task, 1);
  posture.posture = beyond;
  sinew_configuration_middle(arm, middle);
  for (uint64_t seed = 0; seed < SAMPLE_OF(200); ++seed) {
    sinew_configuration_random(arm, 21, seed, q);
    sinew_configuration_random(arm, 22, seed, beyond);
    for (int i = 0; i < 7; ++i) {
      beyond[i] = middle[i] + (beyond[i] > middle[i] ? 3.0 : -3.0);
    }
    const sinew_target target = target_at(arm, &task, q);
    assert_ok(sinew_solver_set_objectives(solver, &posture, 1, NULL));
    sinew_solver_reset(solver);
    for (int update = 0; update < 300; ++update) {
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      for (int i = 0; i < 7; ++i) {
        abrupt += update > 1 && fabs(q[i] - before[i] - last[i]) > 0.03;
        last[i] = q[i] - before[i];
      }
    }
    for (int i = 0; i < 7; ++i) {
      const double lower = sinew_model_lower(arm)[i], upper = sinew_model_upper(arm)[i];
      arrived += fmin(q[i] - lower, upper - q[i]) < 1e-3;
    }
  }
  print_message("%d joints arrive at limits, %d abrupt motions\n", arrived, abrupt);
  assert_true(arrived > SAMPLE_OF(400));
  assert_true(4 * abrupt <= 3 * SAMPLE_OF(200));
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

int main(int argc, char **argv) {
  figure_count = argc > 1 ? atoi(argv[1]) : figure_count;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lower_levels_do_not_leave_ranges),
      cmocka_unit_test(solves_end_where_updates_do),
      cmocka_unit_test(reaching_does_not_leave_the_polygon),
      cmocka_unit_test(joints_come_to_limits_slowly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
