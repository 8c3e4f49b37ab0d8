// Memory: every object comes from the allocator given and is released to it, each allocation may
// fail, and nothing is allocated after creation, neither there nor by malloc().
#include "counted_memory.h"
#include "counting_allocator.h"
#include "fixtures.h"

#define MOST 64
#define CROWD 3

// A definition of every kind of joint, with shapes and names.
static random_tree *tree_with(counter *c) {
  static random_tree tree;
  random_tree_options options = random_tree_defaults();
  options.joints = 20;
  options.limited = 0.5;
  options.velocity = 1.0;
  random_tree_make(&tree, 130, &options);
  tree.def.allocator = allocator_of(c);
  return &tree;
}

// Model, state and solver, each from its own allocator.
typedef struct creation {
  counter model, state, solver;
} creation;

static sinew_result create_all(creation *c, sinew_model **model, sinew_state **state,
                               sinew_solver **solver, sinew_error *error) {
  *model = NULL;
  *state = NULL;
  *solver = NULL;
  sinew_result result = sinew_model_create(&tree_with(&c->model)->def, model, error);
  if (result == SINEW_OK) {
    const sinew_allocator allocator = allocator_of(&c->state);
    result = sinew_state_create(*model, &allocator, state, error);
  }
  if (result == SINEW_OK) {
    sinew_solver_def def = sinew_default_solver_def();
    def.allocator = allocator_of(&c->solver);
    result = sinew_solver_create(&def, *model, solver, error);
  }
  return result;
}

static void destroy_all(const creation *c, sinew_model *model, sinew_state *state,
                        sinew_solver *solver) {
  sinew_solver_destroy(solver);
  sinew_state_destroy(state);
  sinew_model_destroy(model);
  assert_int_equal(c->model.live + c->state.live + c->solver.live, 0);
}

// Each allocation fails in turn: the error says so, nothing is made, no memory stays allocated.
static void each_allocation_may_fail(void **state_) {
  (void)state_;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  creation all = {{.fail_at = -1}, {.fail_at = -1}, {.fail_at = -1}};
  assert_ok(create_all(&all, &model, &state, &solver, NULL));
  destroy_all(&all, model, state, solver);
  assert_true(all.model.calls > 0 && all.state.calls > 0 && all.solver.calls > 0);
  const int counts[3] = {all.model.calls, all.state.calls, all.solver.calls};
  for (int which = 0; which < 3; ++which) {
    for (int fail = 0; fail < counts[which]; ++fail) {
      creation one = {{.fail_at = -1}, {.fail_at = -1}, {.fail_at = -1}};
      counter *failing = which == 0 ? &one.model : which == 1 ? &one.state : &one.solver;
      failing->fail_at = fail;
      sinew_error error = {0};
      assert_int_equal(create_all(&one, &model, &state, &solver, &error), SINEW_ERROR_MEMORY);
      assert_int_equal(error.code, SINEW_ERROR_MEMORY);
      assert_true(error.message[0] != '\0');
      assert_true((which == 0   ? (void *)model
                   : which == 1 ? (void *)state
                                : (void *)solver) == NULL);
      destroy_all(&one, model, state, solver);
    }
  }
}

// A caller's allocator is the only source: malloc() is called by it alone.
static void only_the_given_allocator_is_called(void **state_) {
  (void)state_;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  creation all = {{.fail_at = -1}, {.fail_at = -1}, {.fail_at = -1}};
  const long before = wrapped;
  assert_ok(create_all(&all, &model, &state, &solver, NULL));
  assert_int_equal(wrapped - before, all.model.calls + all.state.calls + all.solver.calls);
  destroy_all(&all, model, state, solver);
}

// After creation, forward kinematics, Jacobians, tasks, gains, limits, updates, local and global
// solves of every system, converged or not, allocate nothing.
static void nothing_is_allocated_afterwards(void **state_) {
  (void)state_;
  for (int form = 0; form < 4; ++form) {
    int links[HUMANOID_PLACES];
    sinew_model *model = fixture_humanoid(true, links);
    const int nv = sinew_model_nv(model);
    sinew_task tasks[3] = {task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]),
                           task_of(SINEW_TASK_POSITION, links[HUMANOID_RIGHT_FOOT]),
                           task_of(SINEW_TASK_DIRECTION, links[HUMANOID_HEAD])};
    sinew_solver_def def = sinew_default_solver_def();
    def.step.dls_form = (sinew_dls_form)form;
    sinew_solver *solver = solver_with(&def, model, tasks, 3);
    sinew_state *state = NULL;
    assert_ok(sinew_state_create(model, NULL, &state, NULL));
    double q[MOST], J[6 * MOST], gains[MOST], v[MOST] = {0.0}, twist[6], rows[4][MOST];
    sinew_global_def global = sinew_default_global_def(), all = global;
    global.mode = (sinew_global_mode)(form % 3);
    global.max_starts = all.max_starts = 20;
    all.images = true;
    int found;
    unsigned char frozen[MOST] = {0, 1};
    assert_true(nv <= MOST);
    for (int i = 0; i < nv; ++i) {
      gains[i] = 1.0 + 0.1 * i;
    }
    for (uint64_t round = 0; round < 10; ++round) {
      sinew_target targets[3];
      sinew_configuration_random(model, 131, round, q);
      for (int t = 0; t < 3; ++t) {
        targets[t] = target_at(model, &tasks[t], q);
        targets[t].position[0] += round % 3 == 2 ? 10.0 : 0.0;
      }
      sinew_configuration_middle(model, q);
      sinew_report report;
      const long before = wrapped;
      sinew_result results = SINEW_OK;
      results |= sinew_state_forward(state, q);
      results |= sinew_state_jacobian(state, links[HUMANOID_HEAD], NULL, 0, J);
      results |= sinew_state_twist(state, links[HUMANOID_HEAD], NULL, v, twist);
      results |= sinew_solver_set_tasks(solver, tasks, 3, NULL);
      results |= sinew_solver_set_gains(solver, round % 2 ? gains : NULL);
      results |= sinew_solver_set_frozen(solver, round % 4 == 3 ? frozen : NULL);
      results |= sinew_solver_set_limits(solver, NULL, NULL);
      results |= sinew_solver_update(solver, targets, 3, q, &report);
      results |= sinew_solver_solve_local(solver, targets, 3, q, &report);
      results |= sinew_solver_search(solver, &global, targets, 3, q, &report);
      results |= sinew_solver_solve_all(solver, &all, targets, 3, q, 4, rows[0], &found, &report);
      assert_int_equal(results, SINEW_OK);
      assert_int_equal(wrapped, before);
    }
    sinew_state_destroy(state);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// Global solves with every lane count, with a bank, in every mode, converged or not, and batches of
// them allocate nothing.
static void nothing_is_allocated_in_lanes(void **state_) {
  (void)state_;
  enum { PROBLEMS = 24, NQ = 7 };
  static const int widths[] = {1, 2, 4, 8, -1};
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_bank_def bank_def = sinew_default_bank_def();
  sinew_bank *bank = NULL;
  bank_def.postures = 300;
  assert_ok(sinew_bank_create(&bank_def, arm, &task, 1, &bank, NULL));
  double rows[PROBLEMS * 7], answers[PROBLEMS * NQ], all[4 * NQ], q[NQ];
  sinew_target targets[PROBLEMS];
  for (int i = 0; i < PROBLEMS; ++i) {
    sinew_configuration_random(arm, 132, (uint64_t)i, q);
    targets[i] = target_at(arm, &task, q);
    targets[i].position[2] += i % 4 == 3 ? 5.0 : i % 4 == 2 ? 0.3 : 0.0;
    memcpy(rows + 7 * i, targets[i].position, sizeof targets[i].position);
    memcpy(rows + 7 * i + 3, targets[i].rotation, sizeof targets[i].rotation);
  }
  int tried = 0;
  for (int w = 0; w < 5; ++w) {
    sinew_solver_def def = sinew_default_solver_def();
    sinew_batch_def batch_def = sinew_default_batch_def();
    sinew_global_def global = sinew_default_global_def();
    sinew_solver *solver = NULL;
    sinew_batch *batch = NULL;
    sinew_batch_worker *worker = NULL;
    def.lanes = widths[w];
    batch_def.lanes = widths[w] < 0 ? 0 : widths[w];
    batch_def.bank = global.bank = w % 2 == 0 ? bank : NULL;
    batch_def.max_starts = global.max_starts = 30;
    if (sinew_solver_create(&def, arm, &solver, NULL) != SINEW_OK) {
      continue; // this processor does not support the lane count
    }
    ++tried;
    assert_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
    assert_ok(sinew_batch_create(&batch_def, arm, &task, 1, &batch, NULL));
    assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
    const sinew_batch_arrays arrays = {.targets = rows, .q = answers};
    const long before = wrapped;
    for (int i = 0; i < PROBLEMS; ++i) {
      int found;
      global.mode = (sinew_global_mode)(i % 3);
      sinew_configuration_middle(arm, q);
      assert_ok(sinew_solver_search(solver, &global, &targets[i], 1, q, NULL));
      assert_ok(sinew_solver_solve_all(solver, &global, &targets[i], 1, q, 4, all, &found, NULL));
    }
    assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, PROBLEMS));
    assert_int_equal(wrapped, before);
    sinew_batch_worker_destroy(worker);
    sinew_batch_destroy(batch);
    sinew_solver_destroy(solver);
  }
  assert_true(tried >= 3);
  sinew_bank_destroy(bank);
  sinew_model_destroy(arm);
}

// A crowd of persons with a posture; timed: its figures are updated one after another, with a hard
// task. Each allocation may fail.
static sinew_result create_crowd(const sinew_model *model, const sinew_task *tasks, bool timed,
                                 counter *c, sinew_crowd **crowd, sinew_crowd_worker **worker) {
  sinew_crowd_def def = sinew_default_crowd_def();
  const sinew_objective posture = sinew_default_objective();
  *crowd = NULL;
  *worker = NULL;
  def.figures = CROWD;
  def.posture = &posture;
  def.solver.allocator = allocator_of(c);
  def.solver.tracking.time_step = timed ? 0.02 : 0.0;
  const sinew_result result = sinew_crowd_create(&def, model, tasks, timed ? 2 : 1, crowd, NULL);
  return result != SINEW_OK ? result : sinew_crowd_worker_create(*crowd, worker, NULL);
}

// Crowds with a posture, in lanes and without, allocate nothing in updates, for tracks and in
// resets. Each allocation before may fail.
static void nothing_is_allocated_in_crowds(void **state_) {
  (void)state_;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(true, links);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]),
                         task_of(SINEW_TASK_PLANE, links[HUMANOID_RIGHT_HAND])};
  tasks[1].hard = true;
  tasks[1].range_upper[0] = INFINITY;
  for (int timed = 0; timed < 2; ++timed) {
    sinew_crowd *crowd;
    sinew_crowd_worker *worker;
    counter all = {.fail_at = -1};
    double q[CROWD][MOST], targets[CROWD][14], goal[MOST];
    assert_ok(create_crowd(model, tasks, timed == 1, &all, &crowd, &worker));
    assert_int_equal(sinew_crowd_in_lanes(crowd), timed == 0);
    const int calls = all.calls;
    for (int update = 0; update < 12; ++update) {
      for (int f = 0; f < CROWD; ++f) {
        if (update == 0) {
          sinew_configuration_middle(model, q[f]);
        }
        sinew_configuration_random(model, 133, (uint64_t)(update / 4 * CROWD + f), goal);
        const sinew_target hand = target_at(model, &tasks[0], goal);
        const sinew_target floor = target_at(model, &tasks[1], goal);
        sinew_target_pack(&tasks[0], &hand, targets[f]);
        sinew_target_pack(&tasks[1], &floor, targets[f] + 7);
      }
      const long made = wrapped; // by what finds targets
      const sinew_crowd_arrays arrays = {
          .targets = targets[0], .target_stride = 14, .q = q[0], .q_stride = MOST};
      const sinew_track track = {
          .frames = CROWD, .targets = targets[0], .target_stride = 14, .q = q[0], .q_stride = MOST};
      assert_ok(sinew_crowd_update(crowd, worker, &arrays, 0, CROWD));
      assert_ok(sinew_crowd_follow(crowd, worker, &track, 1));
      sinew_crowd_reset(crowd, 0, 1);
      assert_int_equal(wrapped, made);
    }
    assert_int_equal(all.calls, calls);
    sinew_crowd_worker_destroy(worker);
    sinew_crowd_destroy(crowd);
    assert_int_equal(all.live, 0);
    for (int fail = 0; fail < calls; ++fail) {
      counter one = {.fail_at = fail};
      assert_int_equal(create_crowd(model, tasks, timed == 1, &one, &crowd, &worker),
                       SINEW_ERROR_MEMORY);
      assert_null(worker);
      sinew_crowd_destroy(crowd);
      assert_int_equal(one.live, 0);
    }
  }
  sinew_model_destroy(model);
}

// An arm's model, state and solver for one task are small.
static void arms_need_little_memory(void **state_) {
  (void)state_;
  const size_t before = wrapped_bytes;
  sinew_model *arm = fixture_arm();
  sinew_state *state = NULL;
  sinew_solver *solver = NULL;
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = 1;
  assert_ok(sinew_state_create(arm, NULL, &state, NULL));
  assert_ok(sinew_solver_create(&def, arm, &solver, NULL));
  print_message("%zu bytes\n", wrapped_bytes - before);
  assert_true(wrapped_bytes - before < 54 * 1024);
  sinew_solver_destroy(solver);
  sinew_state_destroy(state);
  sinew_model_destroy(arm);
}

// Memory grows in proportion to task_capacity, with each method and form of damped least squares
// but those of a user who asks for a matrix of all rows.
static void memory_grows_with_the_tasks(void **state_) {
  (void)state_;
  sinew_model *arm = fixture_arm();
  for (int method = 0; method < SINEW_METHOD_COUNT; ++method) {
    size_t bytes[2];
    for (int i = 0; i < 2; ++i) {
      sinew_solver *solver = NULL;
      sinew_solver_def def = sinew_default_solver_def();
      const size_t before = wrapped_bytes;
      def.step.method = (sinew_method)method;
      def.task_capacity = i == 0 ? 1000 : 5000;
      assert_ok(sinew_solver_create(&def, arm, &solver, NULL));
      bytes[i] = wrapped_bytes - before;
      sinew_solver_destroy(solver);
    }
    print_message("method %d: %zu and %zu bytes\n", method, bytes[0], bytes[1]);
    assert_true(bytes[1] < 5 * bytes[0]);
    assert_true(bytes[1] < 36u << 20);
  }
  sinew_model_destroy(arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_allocation_may_fail),
      cmocka_unit_test(only_the_given_allocator_is_called),
      cmocka_unit_test(nothing_is_allocated_afterwards),
      cmocka_unit_test(nothing_is_allocated_in_lanes),
      cmocka_unit_test(nothing_is_allocated_in_crowds),
      cmocka_unit_test(arms_need_little_memory),
      cmocka_unit_test(memory_grows_with_the_tasks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
