// Soft tasks in searches: what they do with a solution, and that they cost none. req: E10
#include "fixtures.h"
#include "inspect.h"
#include "scenes/scenes.h"

#define MOST 64

static const double rest[7] = {0.0, -0.3, 0.0, -1.8, 0.0, 1.6, 0.5};

// An arm's pose, the direction of a link at level 1, and a posture.
typedef struct soft_arm {
  sinew_model *model;
  sinew_task tasks[2];
  sinew_objective posture;
  sinew_solver *plain, *soft;
} soft_arm;

static soft_arm soft_arm_make(void) {
  soft_arm a = {.model = fixture_arm()};
  sinew_solver_def def = sinew_default_solver_def();
  a.tasks[0] = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  a.tasks[1] = task_of(SINEW_TASK_DIRECTION, 5);
  a.tasks[1].level = 1;
  a.posture = sinew_default_objective();
  a.posture.posture = rest;
  a.posture.weight = 0.3;
  a.plain = solver_with(&def, a.model, a.tasks, 1);
  def.lower.levels = def.lower.objectives = 1;
  a.soft = solver_with(&def, a.model, a.tasks, 2);
  assert_ok(sinew_solver_set_objectives(a.soft, &a.posture, 1, NULL));
  return a;
}

static void soft_arm_destroy(soft_arm *a) {
  sinew_solver_destroy(a->plain);
  sinew_solver_destroy(a->soft);
  sinew_model_destroy(a->model);
}

// Problem i: a pose in reach, or, for every tenth, one that is not; a direction; a seed.
static void problem_of(const soft_arm *a, int i, sinew_target targets[2], double *seed) {
  double goal[7];
  random_stream random = random_stream_of((uint64_t)i);
  sinew_configuration_random(a->model, 1, (uint64_t)i, goal);
  sinew_configuration_random(a->model, 2, (uint64_t)i, seed);
  targets[0] = target_at(a->model, &a->tasks[0], goal);
  targets[0].position[0] += i % 10 == 9 ? 0.3 : 0.0;
  targets[1] = sinew_default_target();
  random_unit(&random, 3, targets[1].direction);
}

// Half the squared error of soft tasks at q.
static double cost_of(const soft_arm *a, const sinew_target *target, const double *q) {
  double distance, angle, sum;
  measure(a->model, &a->tasks[1], target, q, &distance, &angle);
  sum = angle * angle;
  for (int i = 0; i < 7; ++i) {
    sum += a->posture.weight * a->posture.weight * (q[i] - rest[i]) * (q[i] - rest[i]);
  }
  return 0.5 * sum;
}

// With soft tasks exactly the poses are solved that are solved without, to the same tolerance, and
// the soft error is never larger. req: E10
static void soft_tasks_cost_no_solution(void **state) {
  (void)state;
  soft_arm a = soft_arm_make();
  double before = 0.0, after = 0.0;
  for (int i = 0; i < 1000; ++i) {
    sinew_target targets[2];
    sinew_report plain, soft;
    double q[7], without[7], distance, angle;
    problem_of(&a, i, targets, q);
    memcpy(without, q, sizeof q);
    assert_ok(sinew_solver_solve(a.plain, targets, 1, without, &plain));
    assert_ok(sinew_solver_solve(a.soft, targets, 2, q, &soft));
    assert_int_equal(soft.outcome, plain.outcome);
    assert_true(outside_limits(a.model, q) <= 0.0);
    if (plain.outcome == SINEW_OUTCOME_CONVERGED) {
      measure(a.model, &a.tasks[0], &targets[0], q, &distance, &angle);
      assert_at_most(distance, 1e-6);
      assert_at_most(angle, 1e-6);
      assert_at_most(cost_of(&a, &targets[1], q), cost_of(&a, &targets[1], without) + 1e-4);
      before += cost_of(&a, &targets[1], without);
      after += cost_of(&a, &targets[1], q);
    }
  }
  assert_true(after < 0.9 * before);
  soft_arm_destroy(&a);
}

// A descent uses what its last step has done: systems of linear equations of a solve, all descents
// and corrections, where the pose leaves one joint free, and where a position leaves four.
static void descents_take_few_systems(void **state) {
  (void)state;
  static const sinew_task_kind kinds[2] = {SINEW_TASK_POSE, SINEW_TASK_POSITION};
  enum { COUNT = 500 };
  double mean[2];
  soft_arm a = soft_arm_make();
  for (int kind = 0; kind < 2; ++kind) {
    a.tasks[0].kind = kinds[kind];
    assert_ok(sinew_solver_set_tasks(a.soft, a.tasks, 2, NULL));
    int systems = 0;
    for (int i = 0; i < COUNT; ++i) {
      sinew_target targets[2];
      double q[7];
      problem_of(&a, i, targets, q);
      a.soft->step.systems = 0;
      assert_ok(sinew_solver_solve(a.soft, targets, 2, q, NULL));
      systems += a.soft->step.systems;
    }
    mean[kind] = (double)systems / COUNT;
  }
  print_message("systems of a solve: %.1f for a pose, %.1f for a position\n", mean[0], mean[1]);
  // 6.9 and 33.5 where each step has a t of 1, 15.4 and 55.2 with corrections after each step too.
  assert_at_most(mean[0], 6.5);
  assert_at_most(mean[1], 32.0);
  soft_arm_destroy(&a);
}

// Of several solutions BEST is the one with the smallest soft error.
static void the_best_has_the_least_error(void **state) {
  (void)state;
  soft_arm a = soft_arm_make();
  sinew_global_def def = sinew_default_global_def();
  double first = 0.0, best = 0.0;
  def.mode = SINEW_GLOBAL_BEST;
  for (int i = 0; i < 12; ++i) {
    sinew_target targets[2];
    sinew_report report;
    double q[7], seed[7];
    problem_of(&a, i, targets, seed);
    memcpy(q, seed, sizeof q);
    assert_ok(sinew_solver_solve(a.soft, targets, 2, q, &report));
    first += cost_of(&a, &targets[1], q);
    memcpy(q, seed, sizeof q);
    assert_ok(sinew_solver_search(a.soft, &def, targets, 2, q, &report));
    best += cost_of(&a, &targets[1], q);
  }
  assert_true(best < 0.9 * first);
  soft_arm_destroy(&a);
}

// Solutions are compared level by level: BEST gives up nothing of level 1 for levels 2 and 3, which
// are far from their targets here, whose costs are the larger ones.
static void the_best_ranks_levels_in_order(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  sinew_task tasks[3] = {task_of(SINEW_TASK_POSITION, ARM_FLANGE),
                         task_of(SINEW_TASK_POSITION, ARM_FLANGE - 3),
                         task_of(SINEW_TASK_DIRECTION, ARM_FLANGE)};
  sinew_solver_def solver_def = sinew_default_solver_def();
  sinew_global_def def = sinew_default_global_def();
  sinew_objective posture = sinew_default_objective();
  double worst = 0.0;
  int better = 0;
  def.mode = SINEW_GLOBAL_BEST;
  solver_def.lower.levels = 3;
  solver_def.lower.objectives = 1;
  tasks[1].level = 1;
  tasks[2].level = 2;
  posture.posture = rest;
  posture.level = 3;
  sinew_solver *solver = solver_with(&solver_def, model, tasks, 3);
  assert_ok(sinew_solver_set_objectives(solver, &posture, 1, NULL));
  for (uint64_t i = 0; i < 30; ++i) {
    sinew_target targets[3];
    double q[2][7], error[2], angle;
    random_stream random = random_stream_of(i);
    for (int t = 0; t < 2; ++t) {
      sinew_configuration_random(model, 3 + (uint64_t)t, i, q[0]);
      targets[t] = target_at(model, &tasks[t], q[0]);
    }
    targets[2] = sinew_default_target();
    random_unit(&random, 3, targets[2].direction);
    for (int best = 0; best < 2; ++best) {
      sinew_configuration_random(model, 5, i, q[best]);
      assert_ok(best ? sinew_solver_search(solver, &def, targets, 3, q[best], NULL)
                     : sinew_solver_solve(solver, targets, 3, q[best], NULL));
      measure(model, &tasks[1], &targets[1], q[best], &error[best], &angle);
    }
    worst = fmax(worst, error[1] - error[0]);
    better += error[1] < 0.99 * error[0];
  }
  print_message("level 1 of the best: at most %.1e m further, nearer in %d of 30\n", worst, better);
  assert_at_most(worst, 1e-3);
  assert_true(better >= 1);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A search is no motion: limits of speed and acceleration, which updates keep, do not bound the
// descent of lower levels. Random trees with limits of swing and twist, a pose and a posture.
static void a_search_has_no_speed(void **state) {
  (void)state;
  int moved = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    random_tree tree;
    random_tree_options options = random_tree_defaults();
    sinew_model *model;
    sinew_solver *solvers[2];
    double q[2][MOST], posture[MOST], goal[MOST], slow[MOST];
    options.joints = 5;
    options.kinds = 1u << SINEW_JOINT_SPHERICAL | 1u << SINEW_JOINT_REVOLUTE;
    options.chain = 1.0;
    options.cones = 0.5;
    options.limited = 1.0;
    random_tree_make(&tree, seed, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    assert_true(sinew_model_nq(model) <= MOST);
    sinew_configuration_random(model, 1, seed, posture);
    sinew_configuration_random(model, 2, seed, goal);
    for (int v = 0; v < sinew_model_nv(model); ++v) {
      slow[v] = 1.0;
    }
    const sinew_task task = task_of(SINEW_TASK_POSITION, sinew_model_link_count(model) - 1);
    const sinew_target target = target_at(model, &task, goal);
    sinew_objective objective = sinew_default_objective();
    objective.posture = posture;
    for (int timed = 0; timed < 2; ++timed) {
      sinew_solver_def def = sinew_default_solver_def();
      def.lower.levels = def.lower.objectives = 1;
      def.tracking.time_step = timed ? 1e-3 : 0.0;
      solvers[timed] = solver_with(&def, model, &task, 1);
      assert_ok(sinew_solver_set_objectives(solvers[timed], &objective, 1, NULL));
      if (timed) {
        assert_ok(sinew_solver_set_speeds(solvers[timed], slow, 1.0));
        assert_ok(sinew_solver_set_accelerations(solvers[timed], slow));
      }
      sinew_configuration_random(model, 3, seed, q[timed]);
      assert_ok(sinew_solver_solve(solvers[timed], &target, 1, q[timed], NULL));
      sinew_solver_destroy(solvers[timed]);
    }
    assert_at_most(farthest(sinew_model_nq(model), q[0], q[1]), 1e-9);
    sinew_configuration_random(model, 3, seed, goal);
    moved += farthest(sinew_model_nq(model), goal, q[0]) > 0.1;
    sinew_model_destroy(model);
  }
  assert_true(moved >= 15);
}

// Of bodies, too, the descent ends at a minimum: from its answer another one gains nothing. A
// humanoid whose hands, of level 1, are out of reach while all else has its targets.
static void descents_of_bodies_end_at_minima(void **state) {
  (void)state;
  sinew_scene *scene = sinew_scene_create("humanoid");
  sinew_model *model;
  sinew_state *kinematics;
  sinew_solver_def def = sinew_default_solver_def();
  int gained = 0;
  double most = 0.0;
  assert_non_null(scene);
  assert_ok(sinew_model_create(&scene->model, &model, NULL));
  assert_ok(sinew_state_create(model, NULL, &kinematics, NULL));
  const int count = scene->task_count;
  assert_true(count <= MOST && sinew_model_nq(model) <= MOST);
  sinew_task tasks[MOST];
  sinew_target targets[MOST];
  memcpy(tasks, scene->tasks, (size_t)count * sizeof tasks[0]);
  tasks[count - 2].level = tasks[count - 1].level = 1;
  def.lower.levels = 1;
  def.task_capacity = count;
  sinew_solver *solver = solver_with(&def, model, tasks, count);
  for (int i = 0; i < 40; ++i) {
    double q[MOST], error[2];
    random_stream random = random_stream_of((uint64_t)i);
    sinew_scene_targets(scene, kinematics, 0.37 * i, targets);
    for (int t = count - 2; t < count; ++t) {
      double away[3];
      random_unit(&random, 3, away);
      for (int k = 0; k < 3; ++k) {
        targets[t].position[k] += 0.7 * sinew_model_size(model) * away[k];
      }
    }
    sinew_scene_motion(scene, model, 0.0, q);
    for (int again = 0; again < 2; ++again) {
      error[again] = 0.0;
      assert_ok(sinew_solver_solve(solver, targets, count, q, NULL));
      for (int t = count - 2; t < count; ++t) {
        double distance, angle;
        measure(model, &tasks[t], &targets[t], q, &distance, &angle);
        error[again] += distance * distance;
      }
    }
    gained += error[1] < 0.99 * error[0];
    most = fmax(most, 1.0 - error[1] / error[0]);
  }
  print_message("%d of 40 gain more than 1 %%, at most %.1f %%\n", gained, 100.0 * most);
  assert_true(gained <= 2);
  sinew_solver_destroy(solver);
  sinew_state_destroy(kinematics);
  sinew_model_destroy(model);
  sinew_scene_destroy(scene);
}

// ------------------------------------------------------------------- accept

static bool turned_left(void *context, const double *q) {
  ++*(int *)context;
  return q[0] > 0.5;
}

static bool nothing(void *context, const double *q) {
  (void)context;
  (void)q;
  return false;
}

// A callback rejects solutions, and the search goes on until it accepts one; where it accepts none
// the outcome says so. With and without lower levels, with and without lanes.
static void a_callback_accepts_solutions(void **state) {
  (void)state;
  soft_arm a = soft_arm_make();
  sinew_global_def def = sinew_default_global_def();
  int asked = 0, turned = 0;
  def.accept_context = &asked;
  for (int i = 0; i < 40; ++i) {
    sinew_solver *solver = i % 2 ? a.plain : a.soft;
    const int count = i % 2 ? 1 : 2;
    sinew_target targets[2];
    sinew_report report;
    double q[7], goal[7];
    problem_of(&a, i, targets, q);
    sinew_configuration_random(a.model, 1, (uint64_t)i, goal);
    goal[0] = 1.0; // so that there is a solution that is turned left
    targets[0] = target_at(a.model, &a.tasks[0], goal);
    def.accept = turned_left;
    def.mode = i % 4 < 2 ? SINEW_GLOBAL_FIRST : SINEW_GLOBAL_NEAREST;
    assert_ok(sinew_solver_search(solver, &def, targets, count, q, &report));
    turned += report.outcome == SINEW_OUTCOME_CONVERGED;
    if (report.outcome == SINEW_OUTCOME_CONVERGED) {
      assert_true(q[0] > 0.5);
    }
    def.accept = nothing;
    def.max_starts = 40;
    assert_ok(sinew_solver_search(solver, &def, targets, count, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_REJECTED);
    assert_at_most(report.position_error, 1e-6); // of the last solution, which q is
    def.max_starts = 1000;
  }
  assert_true(turned >= 39 && asked > 60);
  soft_arm_destroy(&a);
}

// ---------------------------------------------------------------- level 0

// A task at level 0 that is not required costs a search nothing and is met as well as the others
// allow; in an update it is weighed against them. req: E10
static void what_is_not_required_is_soft_in_a_search(void **state) {
  (void)state;
  sinew_model *arm = fixture_planar(4, 0.5);
  sinew_solver_def def = sinew_default_solver_def();
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 3), task_of(SINEW_TASK_POSITION, 4)};
  sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
  double q[4] = {0.2, 0.3, 0.4, 0.1}, error;
  sinew_report report;
  tasks[0].required = SINEW_NOT_REQUIRED; // the first in the caller's order
  targets[0].position[1] = 5.0;           // never
  targets[1].position[0] = 0.9;
  def.lower.levels = 1;
  sinew_solver *solver = solver_with(&def, arm, tasks, 2);
  assert_ok(sinew_solver_solve(solver, targets, 2, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  assert_int_equal(report.worst_task, 1);
  assert_ok(sinew_solver_task_error(solver, 1, &error, NULL));
  assert_at_most(error, 1e-6);
  assert_ok(sinew_solver_task_error(solver, 0, &error, NULL));
  assert_true(error > 3.0 && error < 4.6); // the third link's joint leans towards it
  for (int update = 0; update < 300; ++update) {
    assert_ok(sinew_solver_update(solver, targets, 2, q, &report));
  }
  assert_true(report.outcome != SINEW_OUTCOME_CONVERGED);
  assert_ok(sinew_solver_task_error(solver, 1, &error, NULL));
  assert_true(error > 0.1); // a compromise
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// Where there are only objectives a solve finds their optimum.
static void objectives_alone_are_solved(void **state) {
  (void)state;
  soft_arm a = soft_arm_make();
  double q[7] = {0.3, 0.3, 0.3, -0.3, 0.3, 0.3, 0.3};
  sinew_report report;
  assert_ok(sinew_solver_set_tasks(a.soft, NULL, 0, NULL));
  assert_ok(sinew_solver_solve(a.soft, NULL, 0, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_NO_TASK);
  assert_at_most(farthest(7, q, rest), 1e-6);
  soft_arm_destroy(&a);
}

// Limbs that are solved apart descend together.
static void limbs_are_solved_apart(void **state) {
  (void)state;
  sinew_scene *scene =
      sinew_scene_star(&(sinew_scene_star_def){.limbs = 3, .joints = 7, .random_seed = 1});
  sinew_model *model = NULL;
  assert_ok(sinew_model_create(&scene->model, &model, NULL));
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *plain = solver_with(&def, model, scene->tasks, scene->task_count);
  sinew_objective posture = sinew_default_objective();
  double middle[MOST], v[MOST];
  double sum[2] = {0.0, 0.0};
  sinew_configuration_middle(model, middle);
  posture.posture = middle;
  def.lower.levels = def.lower.objectives = 1;
  sinew_solver *soft = solver_with(&def, model, scene->tasks, scene->task_count);
  assert_ok(sinew_solver_set_objectives(soft, &posture, 1, NULL));
  for (int i = 0; i < 20; ++i) {
    sinew_target targets[8];
    double goal[MOST], q[2][MOST];
    sinew_report report[2];
    sinew_configuration_random(model, 5, (uint64_t)i, goal);
    for (int t = 0; t < scene->task_count; ++t) {
      targets[t] = target_at(model, &scene->tasks[t], goal);
    }
    for (int k = 0; k < 2; ++k) {
      sinew_configuration_random(model, 6, (uint64_t)i, q[k]);
      assert_ok(
          sinew_solver_solve(k == 0 ? plain : soft, targets, scene->task_count, q[k], &report[k]));
      sinew_configuration_difference(model, q[k], middle, v);
      for (int j = 0; j < sinew_model_nv(model); ++j) {
        sum[k] += v[j] * v[j];
      }
    }
    assert_int_equal(report[0].outcome, report[1].outcome);
  }
  assert_true(sum[1] < 0.95 * sum[0]); // 0.89 to 0.91 by the width of the lanes
  sinew_solver_destroy(plain);
  sinew_solver_destroy(soft);
  sinew_model_destroy(model);
  sinew_scene_destroy(scene);
}

// -------------------------------------------------------------------- batch

// A batch with soft tasks gives what searches one by one give, in each bit.
static void a_batch_takes_soft_tasks(void **state) {
  (void)state;
  enum { COUNT = 60 };
  soft_arm a = soft_arm_make();
  sinew_batch_def def = sinew_default_batch_def();
  sinew_batch *batch = NULL;
  sinew_batch_worker *worker = NULL;
  sinew_objective *moved = malloc(sizeof *moved); // the batch has copies
  double *posture = malloc(sizeof rest), values[COUNT][10], seeds[COUNT][7], q[COUNT][7];
  sinew_batch_row rows[COUNT];
  assert_non_null(moved);
  assert_non_null(posture);
  memcpy(posture, rest, sizeof rest);
  *moved = a.posture;
  moved->posture = posture;
  def.objectives = moved;
  def.objective_count = 1;
  assert_ok(sinew_batch_create(&def, a.model, a.tasks, 2, &batch, NULL));
  free(posture);
  free(moved);
  assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
  for (int i = 0; i < COUNT; ++i) {
    sinew_target targets[2];
    problem_of(&a, i, targets, seeds[i]);
    sinew_target_pack(&a.tasks[0], &targets[0], values[i]);
    sinew_target_pack(&a.tasks[1], &targets[1], values[i] + 7);
  }
  const sinew_batch_arrays arrays = {
      .targets = values[0], .seeds = seeds[0], .q = q[0], .rows = rows};
  assert_int_equal(sinew_batch_target_size(batch), 10);
  assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, COUNT));
  for (int i = 0; i < COUNT; ++i) {
    sinew_target targets[2];
    sinew_report report;
    double one[7];
    problem_of(&a, i, targets, one);
    assert_ok(sinew_solver_solve(a.soft, targets, 2, one, &report));
    assert_int_equal(rows[i].outcome, report.outcome);
    assert_memory_equal(one, q[i], sizeof one);
  }
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
  soft_arm_destroy(&a);
}

// A bank is of the tasks that are searched for.
static void a_bank_is_of_the_required_tasks(void **state) {
  (void)state;
  soft_arm a = soft_arm_make();
  sinew_bank_def bank_def = sinew_default_bank_def();
  sinew_global_def def = sinew_default_global_def();
  sinew_bank *bank = NULL;
  bank_def.postures = 1024;
  assert_ok(sinew_bank_create(&bank_def, a.model, a.tasks, 1, &bank, NULL));
  def.bank = bank;
  int solved = 0;
  for (int i = 0; i < 50; ++i) {
    sinew_target targets[2];
    sinew_report report;
    double q[7];
    problem_of(&a, i, targets, q);
    assert_ok(sinew_solver_search(a.soft, &def, targets, 2, q, &report));
    solved += report.outcome == SINEW_OUTCOME_CONVERGED;
  }
  assert_true(solved >= 45);
  sinew_bank_destroy(bank);
  soft_arm_destroy(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(soft_tasks_cost_no_solution),
      cmocka_unit_test(descents_take_few_systems),
      cmocka_unit_test(the_best_has_the_least_error),
      cmocka_unit_test(the_best_ranks_levels_in_order),
      cmocka_unit_test(a_search_has_no_speed),
      cmocka_unit_test(descents_of_bodies_end_at_minima),
      cmocka_unit_test(a_callback_accepts_solutions),
      cmocka_unit_test(what_is_not_required_is_soft_in_a_search),
      cmocka_unit_test(objectives_alone_are_solved),
      cmocka_unit_test(limbs_are_solved_apart),
      cmocka_unit_test(a_batch_takes_soft_tasks),
      cmocka_unit_test(a_bank_is_of_the_required_tasks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
