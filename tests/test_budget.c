// Budgets: whatever numbers a caller sets, the time limit ends a call, within a step or an image.
#include "fixtures.h"
#include "sinew/global.h"

#include <limits.h>

#define LIMIT 40.0
#define LATE 3.0 // readings of the clock after time is up: one in each loop that ends
#define CAPACITY 5000
#define MOST_NQ 8

static double ticks(void *context) {
  return (*(double *)context += 1.0);
}

// A solver that could go on for years, and a clock that advances by 1 at each reading.
static sinew_solver *endless(const sinew_model *model, const sinew_task *tasks, int count,
                             int lanes, double *now) {
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = count;
  def.lanes = lanes;
  def.budget.max_steps = def.budget.max_starts = INT_MAX;
  def.budget.clock = ticks;
  def.budget.clock_context = now;
  def.budget.time_limit = LIMIT;
  return solver_with(&def, model, tasks, count);
}

static void expect_in_time(const char *call, double readings) {
  if (readings > LIMIT + LATE) {
    fail_msg("%s read the clock %g times", call, readings);
  }
}

// All calls for one target; the seed is the middle of the limits.
static void try_calls(const sinew_model *model, const sinew_task *task, const sinew_target *target,
                      int lanes, const sinew_bank *bank) {
  static double rows[CAPACITY * MOST_NQ];
  static const char *const modes[] = {"first", "nearest", "best"};
  const int nq = sinew_model_nq(model);
  double now = 0.0, seed[MOST_NQ], q[MOST_NQ];
  sinew_solver *solver = endless(model, task, 1, lanes, &now);
  sinew_global_def def = sinew_default_global_def();
  int found;
  def.max_starts = INT_MAX;
  def.bank = bank;
  sinew_configuration_middle(model, seed);
  memcpy(q, seed, (size_t)nq * sizeof *q);
  assert_ok(sinew_solver_solve_local(solver, target, 1, q, NULL));
  expect_in_time("solve_local", now);
  for (int mode = 0; mode < 3; ++mode) {
    def.mode = (sinew_global_mode)mode;
    memcpy(q, seed, (size_t)nq * sizeof *q);
    now = 0.0;
    assert_ok(sinew_solver_search(solver, &def, target, 1, q, NULL));
    expect_in_time(modes[mode], now);
  }
  for (int images = 0; images < 2; ++images) {
    def.images = images == 1;
    now = 0.0;
    assert_ok(sinew_solver_solve_all(solver, &def, target, 1, seed, CAPACITY, rows, &found, NULL));
    expect_in_time(images == 1 ? "solve_all, images" : "solve_all", now);
  }
  sinew_solver_destroy(solver);
}

// A redundant arm and one of two links, with limits of many turns: targets in reach, blocked by
// limits, and out of reach; in lanes and by scalar steps, with a bank and without.
// req: F2
static void time_limit_ends_every_call(void **state) {
  (void)state;
  sinew_model *models[2] = {fixture_arm(), fixture_planar_limited(2, 1.0, -1e9, 1e9, INFINITY)};
  const sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, ARM_FLANGE),
                               task_of(SINEW_TASK_POSITION, 2)};
  for (int i = 0; i < 2; ++i) {
    const sinew_bank_def bank_def = sinew_default_bank_def();
    sinew_bank *bank = NULL;
    double goal[MOST_NQ] = {0.0};
    assert_ok(sinew_bank_create(&bank_def, models[i], &tasks[i], 1, &bank, NULL));
    sinew_configuration_random(models[i], 5, 1, goal);
    goal[0] = i == 1 ? 0.4 : goal[0];
    goal[1] = i == 1 ? 0.9 : goal[1];
    for (int far = 0; far < 3; ++far) {
      sinew_target target = target_at(models[i], &tasks[i], goal);
      target.position[0] += far == 1 ? 0.3 * sinew_model_size(models[i]) : far == 2 ? 50.0 : 0.0;
      for (int lanes = 0; lanes < 2; ++lanes) {
        try_calls(models[i], &tasks[i], &target, lanes, NULL);
        try_calls(models[i], &tasks[i], &target, lanes, bank);
      }
    }
    sinew_bank_destroy(bank);
    sinew_model_destroy(models[i]);
  }
}

#define JOINTS 2000
#define EFFECTORS 20

// Joints about z in the plane, 1 cm apart.
static sinew_model *long_chain(void) {
  static char names[2 * JOINTS + 1][16];
  static sinew_link_def links[JOINTS + 1];
  static sinew_joint_def joints[JOINTS];
  sinew_model_def def = sinew_default_model_def();
  sinew_model *model = NULL;
  for (int i = 0; i <= JOINTS; ++i) {
    snprintf(names[i], sizeof names[i], "link%d", i);
    links[i] = sinew_default_link_def();
    links[i].name = names[i];
  }
  for (int j = 0; j < JOINTS; ++j) {
    snprintf(names[JOINTS + 1 + j], sizeof names[0], "joint%d", j);
    joints[j] = sinew_default_joint_def();
    joints[j].name = names[JOINTS + 1 + j];
    joints[j].kind = SINEW_JOINT_REVOLUTE;
    joints[j].parent = j;
    joints[j].child = j + 1;
    joints[j].placement.position[0] = 0.01;
    joints[j].lower[0] = -3.0;
    joints[j].upper[0] = 3.0;
  }
  def.links = links;
  def.link_count = JOINTS + 1;
  def.joints = joints;
  def.joint_count = JOINTS;
  assert_ok(sinew_model_create(&def, &model, NULL));
  return model;
}

// A long chain with an end effector on every hundredth link, all targets out of reach: the time
// limit holds where each step takes long.
// req: F2
static void time_limit_ends_a_long_chain(void **state) {
  (void)state;
  static double q[JOINTS];
  sinew_target targets[EFFECTORS];
  sinew_task tasks[EFFECTORS];
  double now = 0.0;
  sinew_report report;
  sinew_model *model = long_chain();
  for (int t = 0; t < EFFECTORS; ++t) {
    tasks[t] = task_of(SINEW_TASK_POSITION, JOINTS / EFFECTORS * (t + 1));
    targets[t] = sinew_default_target();
    targets[t].position[0] = 100.0;
    targets[t].position[1] = t;
  }
  sinew_solver *solver = endless(model, tasks, EFFECTORS, 0, &now);
  assert_ok(sinew_solver_solve(solver, targets, EFFECTORS, q, &report));
  expect_in_time("solve", now);
  assert_true(report.outcome == SINEW_OUTCOME_TIME_LIMIT ||
              report.outcome == SINEW_OUTCOME_OUT_OF_REACH);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(time_limit_ends_every_call),
      cmocka_unit_test(time_limit_ends_a_long_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
