// Tasks that share no active joint are solved apart: the components of a problem, solves and
// batches of figures with several limbs, and limbs that fail.
#include "fixtures.h"
#include "inspect.h"
#include "scenes/scenes.h"
#include "sinew/batch.h"
#include "sinew/global.h"

#define MOST 64
#define MOST_LIMBS 8
#define LIMBS 5
#define TREE_TASKS 6

// A star with a solver of all its limbs and one of each.
typedef struct star {
  sinew_scene *scene;
  sinew_model *model;
  sinew_solver *whole, *limb[MOST_LIMBS];
  int count, joints, nq;
} star;

static star star_on_trunk(int limbs, int joints, int trunk, uint64_t random_seed) {
  const sinew_scene_star_def def = {limbs, joints, trunk, random_seed};
  star s = {.scene = sinew_scene_star(&def), .count = limbs, .joints = joints};
  assert_non_null(s.scene);
  assert_ok(sinew_model_create(&s.scene->model, &s.model, NULL));
  s.nq = sinew_model_nq(s.model);
  s.whole = solver_with(NULL, s.model, s.scene->tasks, limbs);
  for (int i = 0; i < limbs; ++i) {
    s.limb[i] = solver_with(NULL, s.model, &s.scene->tasks[i], 1);
  }
  return s;
}

static star star_make(int limbs, int joints, uint64_t random_seed) {
  return star_on_trunk(limbs, joints, 0, random_seed);
}

static void star_destroy(star *s) {
  for (int i = 0; i < s->count; ++i) {
    sinew_solver_destroy(s->limb[i]);
  }
  sinew_solver_destroy(s->whole);
  sinew_model_destroy(s->model);
  sinew_scene_destroy(s->scene);
}

// Poses of a random configuration, and another one as the seed.
static void star_problem(const star *s, uint64_t number, sinew_target *targets, double *seed) {
  double q[MOST];
  sinew_configuration_random(s->model, 901, number, q);
  sinew_configuration_random(s->model, 902, number, seed);
  for (int i = 0; i < s->count; ++i) {
    targets[i] = target_at(s->model, &s->scene->tasks[i], q);
  }
}

// A limb's values.
static const double *limb_of(const star *s, int i, const double *q) {
  return q + i * s->joints;
}

static void assert_limb_equal(const star *s, int i, const double *a, const double *b) {
  assert_memory_equal(limb_of(s, i, a), limb_of(s, i, b), (size_t)s->joints * sizeof *a);
}

static bool is_met(const star *s, int i, const sinew_target *target, const double *q) {
  double distance, angle;
  measure(s->model, &s->scene->tasks[i], target, q, &distance, &angle);
  return distance <= 1.000001e-6 && angle <= 1.000001e-6;
}

// ------------------------------------------------------------------- updates

// Poses on a way between two random configurations; that of the first limb jumps at times, and is
// out of reach at others.
static void star_on_way(const star *s, uint64_t number, int update, sinew_target *targets) {
  double from[MOST], to[MOST];
  const double share = 0.2 - 0.2 * cos(0.03 * update);
  sinew_configuration_random(s->model, 911, number, from);
  sinew_configuration_random(s->model, 912, number, to);
  for (int v = 0; v < s->nq; ++v) {
    from[v] += share * (to[v] - from[v]);
  }
  for (int i = 0; i < s->count; ++i) {
    targets[i] = target_at(s->model, &s->scene->tasks[i], from);
  }
  targets[0].position[2] += update % 60 >= 40 ? 0.8 : update % 90 >= 60 ? 9.0 : 0.0;
}

// Each limb of a star follows its target as if it were alone, to the last bit, whatever the others
// do: their errors, damping, jumps and bounds on change are not its own. req: D22 F3
static void limbs_are_updated_as_if_alone(void **state) {
  (void)state;
  for (uint64_t round = 0; round < 8; ++round) {
    star s = star_make(2 + (int)round % 4, 4 + (int)round % 3, 50 + round);
    double q[MOST], alone[MOST];
    sinew_configuration_random(s.model, 911, round, q);
    memcpy(alone, q, sizeof q);
    for (int update = 0; update < 150; ++update) {
      sinew_target targets[MOST_LIMBS];
      sinew_report report;
      star_on_way(&s, round, update, targets);
      if (update == 70) {
        sinew_solver_reset(s.whole);
      }
      assert_ok(sinew_solver_update(s.whole, targets, s.count, q, &report));
      double worst = 0.0;
      for (int i = 0; i < s.count; ++i) {
        sinew_report one;
        double distance, angle;
        if (update == 70) {
          sinew_solver_reset(s.limb[i]);
        }
        assert_ok(sinew_solver_update(s.limb[i], &targets[i], 1, alone, &one));
        assert_limb_equal(&s, i, q, alone);
        assert_ok(sinew_solver_task_error(s.whole, i, &distance, &angle));
        assert_true(distance == one.position_error && angle == one.orientation_error);
        worst = fmax(worst, one.position_error);
      }
      assert_true(report.position_error == worst);
    }
    star_destroy(&s);
  }
}

// ---------------------------------------------------------------- the partition

// Whether a value of q moves a link, by forward kinematics at a random configuration.
static bool moves(const sinew_model *model, int at, int link, uint64_t number) {
  double q[MOST], changed[MOST];
  sinew_pose before, after;
  sinew_state *state;
  assert_ok(sinew_state_create(model, NULL, &state, NULL));
  sinew_configuration_random(model, 903, number, q);
  memcpy(changed, q, sizeof q);
  changed[at] += 0.1;
  assert_ok(sinew_state_forward(state, q));
  assert_ok(sinew_state_link_pose(state, link, &before));
  assert_ok(sinew_state_forward(state, changed));
  assert_ok(sinew_state_link_pose(state, link, &after));
  sinew_state_destroy(state);
  double far = 0.0;
  for (int i = 0; i < 3; ++i) {
    far += fabs(before.position[i] - after.position[i]);
  }
  for (int i = 0; i < 4; ++i) {
    far += fabs(before.rotation[i] - after.rotation[i]);
  }
  return far > 1e-9;
}

// Whether two tasks are connected by values that both links depend on, in some steps.
static void connect(bool connected[TREE_TASKS][TREE_TASKS]) {
  for (int via = 0; via < TREE_TASKS; ++via) {
    for (int a = 0; a < TREE_TASKS; ++a) {
      for (int b = 0; b < TREE_TASKS; ++b) {
        connected[a][b] |= connected[a][via] && connected[via][b];
      }
    }
  }
}

// The components are those of the graph that forward kinematics gives: random bushes with frozen
// joints, chain roots and coupled joints.
// req: D23
static void components_are_the_connected_parts(void **state) {
  (void)state;
  int separable = 0, whole = 0;
  for (uint64_t round = 0; round < 60; ++round) {
    random_tree tree;
    random_tree_options options = random_tree_defaults();
    random_stream random = random_stream_of(904 + round);
    options.joints = 14;
    options.chain = 0.55;
    options.kinds = 1u << SINEW_JOINT_REVOLUTE | 1u << SINEW_JOINT_PRISMATIC |
                    1u << SINEW_JOINT_UNIVERSAL | 1u << SINEW_JOINT_CYLINDRICAL;
    random_tree_make(&tree, 904 + round, &options);
    sinew_model *model;
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    const int nv = sinew_model_nv(model);
    sinew_task tasks[TREE_TASKS];
    unsigned char frozen[MOST];
    for (int t = 0; t < TREE_TASKS; ++t) {
      tasks[t] = task_of(SINEW_TASK_POSITION, random_below(&random, 15));
      tasks[t].position_weight = random_below(&random, 6) == 0 ? 0.0 : 1.0;
    }
    for (int v = 0; v < nv; ++v) {
      frozen[v] = random_below(&random, 3) == 0;
    }
    sinew_solver *solver = solver_with(NULL, model, tasks, TREE_TASKS);
    assert_ok(sinew_solver_set_frozen(solver, frozen));
    const sinew_problem *problem = &solver->problem;
    bool connected[TREE_TASKS][TREE_TASKS] = {{false}};
    for (int v = 0; v < nv; ++v) {
      bool moved[TREE_TASKS];
      for (int t = 0; t < TREE_TASKS; ++t) {
        moved[t] = problem->column_of_dof[v] >= 0 && tasks[t].position_weight > 0.0 &&
                   moves(model, v, tasks[t].link, round);
      }
      for (int a = 0; a < TREE_TASKS; ++a) {
        for (int b = 0; b < TREE_TASKS; ++b) {
          connected[a][b] |= moved[a] && moved[b];
        }
      }
    }
    connect(connected);
    int seen = 0;
    for (int t = 0; t < TREE_TASKS; ++t) {
      bool first = connected[t][t];
      for (int other = 0; other < TREE_TASKS; ++other) {
        const int k = problem->component_of_task[t];
        assert_true(connected[t][other] == (k >= 0 && k == problem->component_of_task[other]));
        first &= other >= t || !connected[t][other];
      }
      seen += first;
    }
    assert_int_equal(problem->component_count, seen);
    assert_true(problem->component_count <= sinew_problem_most_components(model, TREE_TASKS));
    separable += seen > 1;
    whole += seen == 1;
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(separable >= 10 && whole >= 10);
}

// A joint above a task's chain root has no column for it, but moves its link: whoever else may move
// that joint is not apart from it.
// req: D23
static void joints_above_a_chain_root_connect(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(4, 1.0);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 2), task_of(SINEW_TASK_POSITION, 4)};
  tasks[1].chain_root = 2;
  sinew_solver *solver = solver_with(NULL, model, tasks, 2);
  assert_int_equal(solver->problem.component_count, 1);
  assert_false(solver->problem.separable);
  const unsigned char frozen[4] = {1, 1, 0, 0};
  assert_ok(sinew_solver_set_frozen(solver, frozen));
  assert_int_equal(solver->problem.component_count, 1);
  assert_true(solver->problem.separable); // from the first task, which no joint moves now
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// ---------------------------------------------------------------------- solves

// Each limb gets the bits that its own solver gives, whatever is wanted; the report sums.
// req: D23
static void limbs_are_solved_as_if_alone(void **state) {
  (void)state;
  static const sinew_global_mode modes[] = {SINEW_GLOBAL_FIRST, SINEW_GLOBAL_NEAREST,
                                            SINEW_GLOBAL_BEST};
  for (int round = 0; round < 12; ++round) {
    star s = star_make(2 + round % 4, 4 + round % 4, 905 + (uint64_t)round);
    sinew_global_def def = sinew_default_global_def();
    def.mode = modes[round % 3];
    for (uint64_t i = 0; i < 3; ++i) {
      sinew_target targets[MOST_LIMBS];
      double seed[MOST], q[MOST], alone[MOST], far[2] = {0.0, 0.0};
      int steps = 0;
      sinew_report report, own;
      star_problem(&s, i, targets, seed);
      memcpy(q, seed, sizeof q);
      assert_ok(sinew_solver_search(s.whole, &def, targets, s.count, q, &report));
      for (int limb = 0; limb < s.count; ++limb) {
        memcpy(alone, seed, sizeof alone);
        assert_ok(sinew_solver_search(s.limb[limb], &def, &targets[limb], 1, alone, &own));
        assert_limb_equal(&s, limb, q, alone);
        steps += own.steps;
        far[0] = fmax(far[0], own.position_error);
        far[1] = fmax(far[1], own.orientation_error);
        assert_int_equal(own.outcome, SINEW_OUTCOME_CONVERGED);
      }
      assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
      assert_int_equal(report.steps, steps);
      assert_int_equal(report.counted_tasks, s.count);
      assert_true(report.position_error == far[0] && report.orientation_error == far[1]);
    }
    star_destroy(&s);
  }
}

static void star_batch(const star *s, const double *numbers, double *q, sinew_batch_row *rows,
                       int count) {
  const sinew_batch_def def = sinew_default_batch_def();
  const sinew_batch_arrays arrays = {.targets = numbers, .seeds = q, .q = q, .rows = rows};
  sinew_batch *batch;
  sinew_batch_worker *worker;
  assert_ok(sinew_batch_create(&def, s->model, s->scene->tasks, s->count, &batch, NULL));
  assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
  assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, (size_t)count));
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
}

// Sets of poses, reachable since they are those of random configurations; more with a flag:
// bench_global stars.
// req: D23
static void all_limbs_of_stars_reach_their_poses(void **state) {
  (void)state;
  enum { SETS = 8 };
  for (int kind = 0; kind < 28; ++kind) {
    star s = star_make(2 + kind / 4, 4 + kind % 4, 920 + (uint64_t)kind);
    static double numbers[SETS * MOST_LIMBS * 7], q[SETS * MOST], copy[MOST];
    sinew_target targets[SETS][MOST_LIMBS];
    sinew_batch_row rows[SETS];
    for (int i = 0; i < SETS; ++i) {
      sinew_report report;
      star_problem(&s, (uint64_t)i, targets[i], copy);
      memcpy(q + i * s.nq, copy, (size_t)s.nq * sizeof *q);
      for (int limb = 0; limb < s.count; ++limb) {
        sinew_target_pack(&s.scene->tasks[limb], &targets[i][limb],
                          numbers + 7 * (i * s.count + limb));
      }
      assert_ok(sinew_solver_solve(s.whole, targets[i], s.count, copy, &report));
      assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
      for (int limb = 0; limb < s.count; ++limb) {
        assert_true(is_met(&s, limb, &targets[i][limb], copy));
      }
      assert_true(outside_limits(s.model, copy) == 0.0);
    }
    star_batch(&s, numbers, q, rows, SETS);
    for (int i = 0; i < SETS; ++i) {
      assert_int_equal(rows[i].outcome, SINEW_OUTCOME_CONVERGED);
      for (int limb = 0; limb < s.count; ++limb) {
        assert_true(is_met(&s, limb, &targets[i][limb], q + i * s.nq));
      }
      assert_true(outside_limits(s.model, q + i * s.nq) == 0.0);
    }
    star_destroy(&s);
  }
}

// Limbs on a trunk are one component: restarts keep the trunk and the limbs with small errors. Of
// such problems a batch that does not misses about half.
// req: D23
static void limbs_on_a_trunk_reach_their_poses(void **state) {
  (void)state;
  enum { SETS = 10, TRUNK_LIMBS = 7 };
  static double numbers[SETS * TRUNK_LIMBS * 7], q[SETS * MOST], copy[MOST];
  sinew_target targets[SETS][TRUNK_LIMBS];
  sinew_batch_row rows[SETS];
  star s = star_on_trunk(TRUNK_LIMBS, 6, 1, 970);
  assert_int_equal(s.whole->problem.component_count, 1);
  for (int i = 0; i < SETS; ++i) {
    sinew_report report;
    star_problem(&s, (uint64_t)i, targets[i], copy);
    memcpy(q + i * s.nq, copy, (size_t)s.nq * sizeof *q);
    for (int limb = 0; limb < s.count; ++limb) {
      sinew_target_pack(&s.scene->tasks[limb], &targets[i][limb],
                        numbers + 7 * (i * s.count + limb));
    }
    assert_ok(sinew_solver_solve(s.whole, targets[i], s.count, copy, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    for (int limb = 0; limb < s.count; ++limb) {
      assert_true(is_met(&s, limb, &targets[i][limb], copy));
    }
  }
  star_batch(&s, numbers, q, rows, SETS);
  for (int i = 0; i < SETS; ++i) {
    assert_int_equal(rows[i].outcome, SINEW_OUTCOME_CONVERGED);
    for (int limb = 0; limb < s.count; ++limb) {
      assert_true(is_met(&s, limb, &targets[i][limb], q + i * s.nq));
    }
  }
  star_destroy(&s);
}

// ------------------------------------------------------------------------ failures

// One limb's target is far away: the others have the solutions that they have without it, and the
// report is that of the one. The local solve and a batch too.
// req: D23
static void a_failed_limb_costs_no_other(void **state) {
  (void)state;
  star s = star_make(LIMBS, 6, 960);
  for (int bad = 0; bad < LIMBS; ++bad) {
    sinew_target targets[LIMBS];
    double seed[MOST], q[MOST], alone[MOST], numbers[7 * LIMBS], position, orientation;
    sinew_report report, own;
    sinew_batch_row row;
    star_problem(&s, (uint64_t)bad, targets, seed);
    targets[bad].position[0] += 50.0;
    for (int way = 0; way < 3; ++way) {
      memcpy(q, seed, sizeof q);
      for (int i = 0; i < LIMBS; ++i) {
        sinew_target_pack(&s.scene->tasks[i], &targets[i], numbers + 7 * i);
      }
      if (way == 0) {
        assert_ok(sinew_solver_solve(s.whole, targets, LIMBS, q, &report));
      } else if (way == 1) {
        assert_ok(sinew_solver_solve_local(s.whole, targets, LIMBS, q, &report));
      } else {
        star_batch(&s, numbers, q, &row, 1);
        report.outcome = row.outcome;
        report.position_error = row.position_error;
        report.worst_task = bad;
      }
      assert_int_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
      assert_int_equal(report.worst_task, bad);
      for (int i = 0; i < LIMBS; ++i) {
        const bool met = is_met(&s, i, &targets[i], q);
        assert_true(way == 1 ? i != bad || !met : met == (i != bad));
        if (way < 2) {
          memcpy(alone, seed, sizeof alone);
          assert_ok((way == 0 ? sinew_solver_solve
                              : sinew_solver_solve_local)(s.limb[i], &targets[i], 1, alone, &own));
          assert_limb_equal(&s, i, q, alone);
          assert_true(met == (own.outcome == SINEW_OUTCOME_CONVERGED));
          assert_ok(sinew_solver_task_error(s.whole, i, &position, &orientation));
          assert_true(position == own.position_error && orientation == own.orientation_error);
          assert_true(i != bad || report.position_error == own.position_error);
        }
      }
    }
  }
  star_destroy(&s);
}

// A joint's limit blocks one limb: the report names it, as its own solver does.
// req: D23
static void the_outcome_is_that_of_the_failed_limb(void **state) {
  (void)state;
  star s = star_make(3, 5, 961);
  int blocked = 0;
  for (uint64_t i = 0; i < 30; ++i) {
    sinew_target targets[3];
    double seed[MOST], q[MOST], alone[MOST];
    sinew_report report, own;
    star_problem(&s, i, targets, seed);
    targets[1].rotation[0] += 0.6; // five joints reach few poses
    targets[1].position[2] += 0.01;
    memcpy(q, seed, sizeof q);
    memcpy(alone, seed, sizeof alone);
    sinew_global_def def = sinew_default_global_def();
    def.max_starts = 20;
    assert_ok(sinew_solver_search(s.whole, &def, targets, 3, q, &report));
    assert_ok(sinew_solver_search(s.limb[1], &def, &targets[1], 1, alone, &own));
    assert_int_equal(report.outcome, own.outcome);
    assert_int_equal(report.limiting_joint, own.limiting_joint);
    assert_true(own.outcome == SINEW_OUTCOME_CONVERGED || report.worst_task == 1);
    assert_limb_equal(&s, 1, q, alone);
    blocked += own.outcome == SINEW_OUTCOME_BLOCKED_BY_LIMITS;
  }
  assert_true(blocked > 0);
  star_destroy(&s);
}

// A task of a link that no joint moves cannot be met: the others are.
// req: D23
static void a_task_of_the_base_costs_no_other(void **state) {
  (void)state;
  star s = star_make(2, 6, 962);
  const sinew_task tasks[3] = {task_of(SINEW_TASK_POSE, 0), s.scene->tasks[0], s.scene->tasks[1]};
  for (int count = 2; count <= 3; ++count) {
    for (int far = 0; far < 2; ++far) {
      sinew_solver *solver = solver_with(NULL, s.model, tasks, count);
      sinew_target targets[3] = {sinew_default_target()};
      double seed[MOST], numbers[21];
      sinew_report report;
      sinew_batch_row row;
      sinew_batch *batch;
      sinew_batch_worker *worker;
      const sinew_batch_def def = sinew_default_batch_def();
      star_problem(&s, 0, targets + 1, seed);
      targets[0].position[1] = far;
      for (int i = 0; i < count; ++i) {
        sinew_target_pack(&tasks[i], &targets[i], numbers + 7 * i);
      }
      double q[MOST];
      memcpy(q, seed, sizeof q);
      assert_ok(sinew_solver_solve(solver, targets, count, q, &report));
      const sinew_outcome expected = far ? SINEW_OUTCOME_OUT_OF_REACH : SINEW_OUTCOME_CONVERGED;
      assert_int_equal(report.outcome, expected);
      for (int i = 1; i < count; ++i) {
        assert_true(is_met(&s, i - 1, &targets[i], q));
      }
      memcpy(q, seed, sizeof q);
      const sinew_batch_arrays arrays = {.targets = numbers, .seeds = seed, .q = q, .rows = &row};
      assert_ok(sinew_batch_create(&def, s.model, tasks, count, &batch, NULL));
      assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
      assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, 1));
      assert_int_equal(row.outcome, expected);
      for (int i = 1; i < count; ++i) {
        assert_true(is_met(&s, i - 1, &targets[i], q));
      }
      sinew_batch_worker_destroy(worker);
      sinew_batch_destroy(batch);
      sinew_solver_destroy(solver);
    }
  }
  star_destroy(&s);
}

// A clock that advances by a step with each call.
static double ticking(void *context) {
  double *time = context;
  return *time += 1.0;
}

// Each limb has its share of the time, also after one that uses all of its own.
// req: D23
static void a_failed_limb_leaves_time_to_others(void **state) {
  (void)state;
  star s = star_make(3, 5, 963);
  double time = 0.0, seed[MOST], q[MOST];
  sinew_solver_def def = sinew_default_solver_def();
  sinew_target targets[3];
  sinew_report report;
  def.budget.time_limit = 240.0;
  def.budget.clock = ticking;
  def.budget.clock_context = &time;
  sinew_solver *solver = solver_with(&def, s.model, s.scene->tasks, 3);
  star_problem(&s, 0, targets, seed);
  targets[0].rotation[0] += 0.6; // not reachable, and not proven to be
  memcpy(q, seed, sizeof q);
  assert_ok(sinew_solver_solve(solver, targets, 3, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_TIME_LIMIT);
  assert_true(time > 75.0 && time <= 260.0);
  assert_true(is_met(&s, 1, &targets[1], q) && is_met(&s, 2, &targets[2], q));
  sinew_solver_destroy(solver);
  star_destroy(&s);
}

// ---------------------------------------------------------------------- choices

typedef struct scored {
  const star *s;
  const sinew_target *targets;
  int calls;
} scored;

// A sum over joints; it must be asked of solutions only.
static double score(void *context, const double *q) {
  scored *c = context;
  double sum = 0.0;
  ++c->calls;
  for (int i = 0; i < c->s->count; ++i) {
    assert_true(is_met(c->s, i, &c->targets[i], q));
  }
  for (int i = 0; i < c->s->nq; ++i) {
    sum += sin(3.0 * q[i]);
  }
  return sum;
}

// A caller's score is taken of whole solutions, and of those with a limb exchanged the answer's is
// the highest.
// req: D23
static void a_score_is_of_whole_solutions(void **state) {
  (void)state;
  star s = star_make(3, 6, 964);
  int exchanged = 0;
  for (uint64_t i = 0; i < 4; ++i) {
    sinew_target targets[3];
    double seed[MOST], q[MOST];
    sinew_report report;
    star_problem(&s, i, targets, seed);
    scored context = {&s, targets, 0};
    sinew_global_def def = sinew_default_global_def();
    def.mode = SINEW_GLOBAL_BEST;
    def.score = score;
    def.score_context = &context;
    memcpy(q, seed, sizeof q);
    assert_ok(sinew_solver_search(s.whole, &def, targets, 3, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_true(context.calls >= 3);
    const double best = score(&context, q);
    for (int limb = 0; limb < 3; ++limb) {
      double rows[16][MOST], mixed[MOST];
      int found;
      assert_ok(sinew_solver_solve_all(s.limb[limb], NULL, &targets[limb], 1, seed, 16, &rows[0][0],
                                       &found, NULL));
      for (int r = 0; r < found; ++r) {
        memcpy(mixed, q, sizeof mixed);
        memcpy(mixed + limb * s.joints, &rows[0][0] + r * s.nq + limb * s.joints,
               (size_t)s.joints * sizeof *mixed);
        assert_true(score(&context, mixed) <= best + 1e-3);
        exchanged += score(&context, mixed) < best - 1e-3;
      }
    }
  }
  assert_true(exchanged > 0);
  star_destroy(&s);
}

// Settings that change between solves reach every limb: limits, frozen joints, other tasks.
// req: D23
static void settings_reach_every_limb(void **state) {
  (void)state;
  star s = star_make(3, 7, 965);
  sinew_target targets[3];
  double seed[MOST], q[MOST], lower[MOST], upper[MOST];
  sinew_report report;
  star_problem(&s, 0, targets, seed);
  for (int round = 0; round < 4; ++round) {
    unsigned char frozen[MOST] = {0};
    for (int v = 0; v < s.nq; ++v) {
      lower[v] = sinew_model_lower(s.model)[v] * (round == 1 ? 0.5 : 1.0);
      upper[v] = sinew_model_upper(s.model)[v] * (round == 1 ? 0.5 : 1.0);
    }
    frozen[9] = round == 2; // of the second limb
    assert_ok(sinew_solver_set_limits(s.whole, lower, upper));
    assert_ok(sinew_solver_set_frozen(s.whole, frozen));
    memcpy(q, seed, sizeof q);
    assert_ok(sinew_solver_solve(s.whole, targets, 3, q, &report));
    for (int v = 0; v < s.nq; ++v) {
      assert_true(q[v] >= lower[v] && q[v] <= upper[v]);
    }
    assert_true(round != 2 || q[9] == seed[9]);
    assert_true(round == 1 || round == 2 || report.outcome == SINEW_OUTCOME_CONVERGED);
  }
  assert_ok(sinew_solver_set_tasks(s.whole, s.scene->tasks + 1, 2, NULL));
  memcpy(q, seed, sizeof q);
  assert_ok(sinew_solver_solve(s.whole, targets + 1, 2, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  assert_limb_equal(&s, 0, q, seed);
  star_destroy(&s);
}

// Rows that cannot be used, in place: they are refused, and nothing of them is solved.
// req: D23
static void refused_rows_stay_refused(void **state) {
  (void)state;
  enum { SETS = 5 };
  star s = star_make(3, 6, 966);
  double numbers[SETS * 21], q[SETS * MOST], start[MOST], seed[MOST];
  sinew_batch_row rows[SETS];
  sinew_target targets[3];
  sinew_configuration_start(s.model, start);
  for (int with_rows = 0; with_rows < 2; ++with_rows) {
    for (int i = 0; i < SETS; ++i) {
      star_problem(&s, (uint64_t)i, targets, seed);
      memcpy(q + i * s.nq, seed, (size_t)s.nq * sizeof *q);
      for (int limb = 0; limb < 3; ++limb) {
        sinew_target_pack(&s.scene->tasks[limb], &targets[limb], numbers + 7 * (3 * i + limb));
      }
    }
    q[1 * s.nq + 17] = NAN;
    numbers[21 * 3 + 8] = INFINITY;
    star_batch(&s, numbers, q, with_rows ? rows : NULL, SETS);
    for (int i = 0; i < SETS; ++i) {
      const bool refused = i == 1 || i == 3;
      assert_true(memcmp(q + i * s.nq, start, (size_t)s.nq * sizeof *q) == 0 ? refused : !refused);
      if (with_rows) {
        assert_int_equal(rows[i].outcome,
                         refused ? SINEW_OUTCOME_BAD_INPUT : SINEW_OUTCOME_CONVERGED);
        assert_true(!refused || rows[i].position_error == -1.0);
      }
    }
  }
  star_destroy(&s);
}

// What is out of reach by lengths alone names no joint, though a limit blocks another component.
static void lengths_name_no_joint(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  builder_limit(builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0), -0.5, 0.5);
  builder_add(&b, 0, SINEW_JOINT_FIXED, 1.0, 0.0, 0.0);
  sinew_model *model = builder_make(&b);
  const sinew_task tasks[2] = {task_of(SINEW_TASK_ORIENTATION, 1), task_of(SINEW_TASK_POSITION, 2)};
  sinew_solver *solver = solver_with(NULL, model, tasks, 2);
  sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
  targets[0].rotation[0] = cos(0.5); // 1 rad about z, beyond the limit
  targets[0].rotation[3] = sin(0.5);
  targets[1].position[0] = 3.0;
  double q[1] = {0.0};
  sinew_report report;
  assert_ok(sinew_solver_solve(solver, targets, 2, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
  assert_int_equal(report.reach_task, 1);
  assert_int_equal(report.limiting_joint, -1);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Targets relative to other links divide a chain into more components than its tree has leaves.
static void relative_tasks_divide_a_chain(void **state) {
  (void)state;
  enum { JOINTS = 12, TASKS = 3 };
  sinew_model *chain = fixture_planar(JOINTS, 0.2);
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = TASKS;
  sinew_task tasks[TASKS];
  sinew_target targets[TASKS];
  for (int t = 0; t < TASKS; ++t) {
    tasks[t] = task_of(SINEW_TASK_POSITION, 4 * (t + 1));
    tasks[t].frame_link = t > 0 ? 4 * t : -1;
    targets[t] = sinew_default_target();
    targets[t].position[0] = 0.5;
    targets[t].position[1] = 0.1 * t;
  }
  sinew_solver *solver = solver_with(&def, chain, tasks, TASKS);
  double q[JOINTS], tracked[JOINTS];
  for (int i = 0; i < JOINTS; ++i) {
    q[i] = tracked[i] = 0.2;
  }
  sinew_report report;
  assert_int_equal(solver->problem.component_count, TASKS);
  assert_ok(sinew_solver_solve(solver, targets, TASKS, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  for (int update = 0; update < 60; ++update) {
    assert_ok(sinew_solver_update(solver, targets, TASKS, tracked, &report));
  }
  assert_at_most(report.position_error, 1e-6);
  sinew_solver_destroy(solver);
  sinew_model_destroy(chain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_name_no_joint),
      cmocka_unit_test(components_are_the_connected_parts),
      cmocka_unit_test(joints_above_a_chain_root_connect),
      cmocka_unit_test(limbs_are_solved_as_if_alone),
      cmocka_unit_test(all_limbs_of_stars_reach_their_poses),
      cmocka_unit_test(limbs_on_a_trunk_reach_their_poses),
      cmocka_unit_test(a_failed_limb_costs_no_other),
      cmocka_unit_test(the_outcome_is_that_of_the_failed_limb),
      cmocka_unit_test(a_task_of_the_base_costs_no_other),
      cmocka_unit_test(a_failed_limb_leaves_time_to_others),
      cmocka_unit_test(a_score_is_of_whole_solutions),
      cmocka_unit_test(limbs_are_updated_as_if_alone),
      cmocka_unit_test(settings_reach_every_limb),
      cmocka_unit_test(refused_rows_stay_refused),
      cmocka_unit_test(relative_tasks_divide_a_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
