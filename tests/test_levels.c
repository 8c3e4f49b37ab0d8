// Levels and objectives: what lower levels do, and that they cost higher ones nothing.
#include "counted_memory.h"
#include "fixtures.h"
#include "inspect.h"
#include "sample.h"

#define MOST 160

static sinew_solver *lower_solver(const sinew_model *model, int levels, int objectives) {
  sinew_solver_def def = sinew_default_solver_def();
  def.hard_rows = 1;
  def.lower.levels = levels;
  def.lower.objectives = objectives;
  return solver_with(&def, model, NULL, 0);
}

static void take(sinew_solver *solver, const sinew_task *tasks, int count,
                 const sinew_objective *objectives, int objective_count) {
  assert_ok(sinew_solver_set_tasks(solver, tasks, count, NULL));
  assert_ok(sinew_solver_set_objectives(solver, objectives, objective_count, NULL));
}

static sinew_objective objective_of(sinew_objective_kind kind, int level) {
  sinew_objective objective = sinew_default_objective();
  objective.kind = kind;
  objective.level = level;
  return objective;
}

// ------------------------------------------------------------- the step alone

// The optimum of random levels within random bounds satisfies the conditions of Karush, Kuhn and
// Tucker, with fixed rows that are dependent, bounds that leave few columns, rows that are 0 in
// most columns, and many columns. From any working set it is the same; from its own it takes one
// system. req: E4 E7
static void a_level_is_optimal(void **state) {
  (void)state;
  random_stream random = random_stream_of(1);
  enum { M = 16, N = 300, STRIDE = 300 };
  static unsigned char memory[1 << 17];
  for (int round = 0; round < SAMPLE_OF(400); ++round) {
    const int n = round % 40 < 2 ? N : 2 + random_below(&random, 13);
    const int fixed = random_below(&random, n < 6 ? n : 6);
    const int wanted = random_below(&random, 6), stride = sinew_level_stride(n);
    static double J[M * STRIDE];
    double e[M], D[STRIDE] = {0.0}, g[STRIDE] = {0.0}, lower[N], upper[N], x[N], y[M], again[N];
    memset(J, 0, sizeof J);
    sinew_level_scratch scratch;
    sinew_arena arena = {memory, 0};
    sinew_level_layout(&arena, M, N, &scratch);
    assert_true(arena.used <= sizeof memory);
    memset(memory, 0, sizeof memory);
    for (int r = 0; r < fixed + wanted; ++r) {
      for (int j = 0; j < n; ++j) {
        const bool repeated = r == 1 && fixed > 1; // the first row twice
        J[r * stride + j] = repeated ? J[j] : random_between(&random, -1.0, 1.0);
        if (round % 4 >= 2 && !repeated && (r / 2 + j / 4) % 3 != 0) {
          J[r * stride + j] = 0.0;
        }
      }
      e[r] = r < fixed ? 0.0 : random_between(&random, -1.0, 1.0);
    }
    for (int j = 0; j < n; ++j) {
      D[j] = random_between(&random, 0.01, 1.0);
      g[j] = random_between(&random, -1.0, 1.0);
      lower[j] = random_below(&random, 3) == 0 ? 0.0 : -random_between(&random, 0.0, 0.6);
      upper[j] = random_below(&random, 3) == 0 ? INFINITY : random_between(&random, 0.0, 0.6);
    }
    const sinew_level_rows rows = {.n = n,
                                   .fixed = fixed,
                                   .wanted = wanted,
                                   .J = J,
                                   .e = e,
                                   .D = D,
                                   .g = g,
                                   .lower = round % 2 ? lower : NULL,
                                   .upper = round % 2 ? upper : NULL};
    assert_true(sinew_level_solve(&rows, false, &scratch, x) > 0);
    // y = multipliers of fixed rows, residual of wanted ones; feasibility
    for (int r = 0; r < fixed + wanted; ++r) {
      double sum = 0.0;
      for (int j = 0; j < n; ++j) {
        sum += J[r * stride + j] * x[j];
      }
      y[r] = r < fixed ? scratch.right[r] : e[r] - sum;
      if (r < fixed) {
        assert_near(sum, 0.0, 1e-9);
      }
    }
    for (int j = 0; j < n; ++j) {
      double slope = g[j] - D[j] * x[j]; // minus the gradient of the Lagrangian
      for (int r = 0; r < fixed + wanted; ++r) {
        slope += J[r * stride + j] * y[r];
      }
      const bool at_lower = round % 2 && x[j] <= lower[j], at_upper = round % 2 && x[j] >= upper[j];
      if (round % 2) {
        assert_true(x[j] >= lower[j] && x[j] <= upper[j]);
      }
      assert_true(at_lower || slope > -1e-6);
      assert_true(at_upper || slope < 1e-6);
    }
    assert_int_equal(sinew_level_solve(&rows, true, &scratch, again), 1);
    for (int j = 0; j < n; ++j) {
      assert_near(again[j], x[j], 1e-12);
      scratch.held[j] = (signed char)(random_below(&random, 3) - 1);
    }
    assert_true(sinew_level_solve(&rows, true, &scratch, again) > 0);
    for (int j = 0; j < n; ++j) {
      assert_near(again[j], x[j], 1e-8);
    }
  }
}

// ----------------------------------------------------------------- guarantee

// Joint values on a smooth path, within limits.
typedef struct path {
  const sinew_model *model;
  double home[MOST], rate[MOST], size[MOST];
} path;

static void path_random(path *p, const sinew_model *model, random_stream *random) {
  const double *lower = sinew_model_lower(model), *upper = sinew_model_upper(model);
  p->model = model;
  sinew_configuration_middle(model, p->home);
  for (int i = 0; sinew_model_nq(model) == sinew_model_nv(model) && i < sinew_model_nq(model);
       ++i) {
    const double range = fmin(upper[i] - lower[i], 6.0);
    p->home[i] += 0.3 * random_between(random, -range, range);
  }
  for (int v = 0; v < sinew_model_nv(model); ++v) {
    p->rate[v] = random_between(random, 0.3, 1.5);
    p->size[v] = random_between(random, 0.0, 0.5);
  }
}

static void path_at(const path *p, double time, double *q) {
  const double *lower = sinew_model_lower(p->model), *upper = sinew_model_upper(p->model);
  double v[MOST];
  for (int i = 0; i < sinew_model_nv(p->model); ++i) {
    v[i] = p->size[i] * sin(p->rate[i] * time + i);
  }
  sinew_configuration_integrate(p->model, p->home, v, q);
  for (int i = 0; sinew_model_nq(p->model) == sinew_model_nv(p->model) && i < p->model->nq; ++i) {
    const double margin = 0.05 * fmin(upper[i] - lower[i], 6.0);
    q[i] = fmin(fmax(q[i], lower[i] + margin), upper[i] - margin);
  }
}

// A figure with tasks at several levels, and a posture below all of them.
typedef struct company {
  sinew_model *model;
  sinew_task tasks[8];
  int count, top, levels; // those of level 0 come first
} company;

// Runs the same paths with and without lower levels. Returns the sum of squared distances from the
// posture without them less that with them.
static double follow(const company *c, int paths, int updates, uint64_t seed) {
  random_stream random = random_stream_of(seed);
  sinew_solver *plain = solver_with(NULL, c->model, c->tasks, c->top);
  sinew_solver *full = lower_solver(c->model, c->levels, 1);
  sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, c->levels);
  double rest[MOST], gained = 0.0;
  int steps = 0; // less those of the solver without lower levels
  sinew_configuration_middle(c->model, rest);
  posture.posture = rest;
  posture.weight = 0.3;
  take(full, c->tasks, c->count, &posture, 1);
  for (int p = 0; p < paths; ++p) {
    path way;
    double q[MOST], without[MOST], goal[MOST], v[MOST];
    path_random(&way, c->model, &random);
    path_at(&way, 0.0, q);
    memcpy(without, q, sizeof q);
    sinew_solver_reset(plain);
    sinew_solver_reset(full);
    for (int update = 0; update < updates; ++update) {
      sinew_target targets[8];
      sinew_report alone, all;
      path_at(&way, 0.02 * update, goal);
      for (int t = 0; t < c->count; ++t) {
        targets[t] = target_at(c->model, &c->tasks[t], goal);
        targets[t].position[0] += t >= c->top ? 0.1 : 0.0; // lower ones cannot be met
      }
      assert_ok(sinew_solver_update(plain, targets, c->top, without, &alone));
      assert_ok(sinew_solver_update(full, targets, c->count, q, &all));
      steps += all.steps - alone.steps;
      for (int t = 0; t < c->top; ++t) {
        double distance, angle, distance_without, angle_without;
        measure(c->model, &c->tasks[t], &targets[t], q, &distance, &angle);
        measure(c->model, &c->tasks[t], &targets[t], without, &distance_without, &angle_without);
        assert_at_most(distance, distance_without + 0.1e-6);
        if (c->tasks[t].kind == SINEW_TASK_POSE) {
          assert_at_most(angle, angle_without + 0.1e-6);
        }
      }
      assert_true(outside_limits(c->model, q) <= 0.0);
    }
    for (int side = 0; side < 2; ++side) {
      sinew_configuration_difference(c->model, side == 0 ? without : q, rest, v);
      for (int i = 0; i < sinew_model_nv(c->model); ++i) {
        gained += (side == 0 ? 1.0 : -1.0) * v[i] * v[i];
      }
    }
  }
  assert_true(steps < 0); // the step of level 1 replaces further steps of level 0
  sinew_solver_destroy(plain);
  sinew_solver_destroy(full);
  return gained;
}

// Along 1,000 paths the error of level 0 with lower levels is at most that without, plus a tenth of
// the tolerance, in every update; and the posture is nearer. req: E10 E4 E2
static void lower_levels_cost_nothing(void **state) {
  (void)state;
  company arm = {.model = fixture_arm(), .count = 1, .top = 1, .levels = 1};
  arm.tasks[0] = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  assert_true(follow(&arm, 600, 40, 1) > 0.0);
  arm.tasks[0].kind = SINEW_TASK_POSITION;
  arm.tasks[1] = task_of(SINEW_TASK_POSITION, 4); // the elbow
  arm.tasks[1].level = 1;
  arm.count = arm.levels = 2;
  follow(&arm, 300, 40, 2);
  int links[HUMANOID_PLACES];
  company person = {.model = fixture_humanoid(true, links), .count = 5, .top = 2, .levels = 2};
  for (int t = 0; t < 5; ++t) {
    const int at[] = {HUMANOID_LEFT_HAND, HUMANOID_RIGHT_HAND, HUMANOID_LEFT_FOOT,
                      HUMANOID_RIGHT_FOOT, HUMANOID_HEAD};
    person.tasks[t] = task_of(t < 4 ? SINEW_TASK_POSE : SINEW_TASK_POSITION, links[at[t]]);
    person.tasks[t].level = t >= 2;
  }
  assert_true(follow(&person, 100, 30, 3) > 0.0);
  sinew_model_destroy(arm.model);
  sinew_model_destroy(person.model);
}

// Where the target is out of reach, each update leaves level 0 at most a tenth of the tolerance
// further off than its own step does, from the same configuration. req: E10
static void lower_levels_cost_nothing_out_of_reach(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  const sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, 1);
  sinew_target target = sinew_default_target();
  double q[8], before = INFINITY;
  sinew_solver *solver = lower_solver(arm, 1, 1);
  take(solver, &task, 1, &posture, 1);
  sinew_configuration_middle(arm, q);
  target.position[0] = 1.5;
  for (int update = 0; update < 300; ++update) {
    sinew_report report;
    assert_ok(sinew_solver_update(solver, &target, 1, q, &report));
    if (update > 100) {
      assert_at_most(report.position_error, before + 0.1e-6);
    }
    before = report.position_error;
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// The same while targets beyond reach move, compared with the update without lower levels from the
// same configuration and after the same one. req: E10
static void lower_levels_cost_nothing_beyond_reach(void **state) {
  (void)state;
  random_stream random = random_stream_of(6);
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  const sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, 1);
  double rest[8], gained = 0.0;
  sinew_configuration_middle(arm, rest);
  for (int problem = 0; problem < 20; ++problem) {
    sinew_solver *plain = solver_with(NULL, arm, &task, 1), *full = lower_solver(arm, 1, 1);
    double q[8], without[8], way[3];
    take(full, &task, 1, &posture, 1);
    sinew_configuration_random(arm, 61, (uint64_t)problem, q);
    random_unit(&random, 3, way);
    for (int update = 0; update < 60; ++update) {
      sinew_target target = sinew_default_target();
      double distance, distance_without, angle;
      for (int i = 0; i < 3; ++i) {
        target.position[i] = (1.5 + 0.3 * sin(0.1 * update + 2.0 * i)) * way[i];
      }
      memcpy(without, q, sizeof q);
      assert_ok(sinew_solver_update(plain, &target, 1, without, NULL));
      assert_ok(sinew_solver_update(full, &target, 1, q, NULL));
      measure(arm, &task, &target, q, &distance, &angle);
      measure(arm, &task, &target, without, &distance_without, &angle);
      assert_at_most(distance, distance_without + 0.1e-6);
      for (int i = 0; i < 7; ++i) {
        gained += fabs(without[i] - rest[i]) - fabs(q[i] - rest[i]);
      }
    }
    sinew_solver_destroy(plain);
    sinew_solver_destroy(full);
  }
  assert_true(gained > 50.0); // rad of all joints and updates; 38 where corrections aim elsewhere
  sinew_model_destroy(arm);
}

// Where joints meet limits, each update leaves level 0 at most a tenth of the tolerance further off
// than the update without lower levels, from the same configuration and after the same one. req:
// E10
static void lower_levels_cost_nothing_at_limits(void **state) {
  (void)state;
  random_stream random = random_stream_of(5);
  sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, 1);
  for (int problem = 0; problem < 40; ++problem) {
    const double room = random_between(&random, 0.02, 0.4);
    sinew_model *arm = fixture_planar_limited(4, 0.3, 0.5 - room, 0.5 + room, INFINITY);
    const sinew_task task = task_of(SINEW_TASK_POSITION, 4);
    sinew_solver *plain = solver_with(NULL, arm, &task, 1), *full = lower_solver(arm, 1, 1);
    double q[4], without[4], goal[4];
    take(full, &task, 1, &posture, 1);
    sinew_configuration_middle(arm, q);
    for (int update = 0; update < 100; ++update) {
      sinew_target target;
      double distance, distance_without, angle;
      for (int i = 0; i < 4; ++i) {
        goal[i] = 0.5 + 1.2 * room * sin(0.05 * update * (1 + i) + i);
      }
      target = target_at(arm, &task, goal);
      memcpy(without, q, sizeof q);
      assert_ok(sinew_solver_update(plain, &target, 1, without, NULL));
      assert_ok(sinew_solver_update(full, &target, 1, q, NULL));
      measure(arm, &task, &target, q, &distance, &angle);
      measure(arm, &task, &target, without, &distance_without, &angle);
      assert_at_most(distance, distance_without + 0.1e-6);
    }
    sinew_solver_destroy(plain);
    sinew_solver_destroy(full);
    sinew_model_destroy(arm);
  }
}

// ------------------------------------------------------------------- shaking

// A smooth motion of a figure, far from the middle of its joints.
static void swing(const sinew_model *model, const double *phase, int update, double *q) {
  double v[MOST];
  for (int i = 0; i < sinew_model_nv(model); ++i) {
    v[i] = 0.5 * sin(0.012 * update * (1 + i % 3) + phase[i]);
  }
  sinew_configuration_middle(model, q);
  sinew_configuration_integrate(model, q, v, q);
  sinew_configuration_clamp(model, q);
}

// Updates in which the motion of all joints together changes by more than 0.1 rad, while a pose and
// two positions follow a smooth motion above a posture; beyond: how far the pose is from that. Adds
// the systems of its updates to *systems.
static int abrupt_updates(const sinew_model *model, uint64_t seed, int levels, double beyond,
                          int *systems) {
  enum { UPDATES = 400, FIRST = 60 };
  random_stream random = random_stream_of(seed);
  const int links = sinew_model_link_count(model), nv = sinew_model_nv(model);
  const sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, levels);
  sinew_solver *solver = lower_solver(model, levels, 1);
  sinew_task tasks[3];
  double q[MOST], goal[MOST], before[MOST], phase[MOST], motion[2][MOST] = {{0.0}};
  int abrupt = 0;
  for (int t = 0; t < 3; ++t) {
    tasks[t] = t == 0 ? task_of(SINEW_TASK_POSE, links - 1)
                      : task_of(SINEW_TASK_POSITION, random_below(&random, links));
    tasks[t].level = t > 0 && levels > 1 ? 1 : 0;
  }
  take(solver, tasks, 3, &posture, 1);
  for (int i = 0; i < nv; ++i) {
    phase[i] = random_between(&random, -3.0, 3.0);
  }
  swing(model, phase, 0, q);
  for (int update = 0; update < UPDATES; ++update) {
    double *now = motion[update % 2], *last = motion[1 - update % 2], square = 0.0;
    sinew_target targets[3];
    swing(model, phase, update, goal);
    for (int t = 0; t < 3; ++t) {
      targets[t] = target_at(model, &tasks[t], goal);
    }
    targets[0].position[0] += beyond;
    memcpy(before, q, sizeof q);
    assert_ok(sinew_solver_update(solver, targets, 3, q, NULL));
    *systems += update >= FIRST ? solver->step.systems : 0;
    sinew_configuration_difference(model, before, q, now);
    for (int i = 0; i < nv; ++i) {
      square += (now[i] - last[i]) * (now[i] - last[i]);
    }
    abrupt += update >= FIRST && square > 0.1 * 0.1;
  }
  sinew_solver_destroy(solver);
  return abrupt;
}

// A tree of 12 to 24 joints.
static sinew_model *random_body(int round, uint64_t seed, unsigned kinds) {
  static random_tree tree;
  random_tree_options options = random_tree_defaults();
  sinew_model *model = NULL;
  options.joints = 12 + round % 13;
  options.kinds = kinds;
  options.chain = 0.7;
  options.coupled = 0.0;
  random_tree_make(&tree, seed, &options);
  assert_ok(sinew_model_create(&tree.def, &model, NULL));
  return model;
}

// Where higher levels leave a curved set, a posture's step may overshoot: random figures do not
// shake by that, with the posture below one level of tasks and below two. req: E4 E10
static void postures_do_not_shake(void **state) {
  (void)state;
  int abrupt = 0, systems = 0;
  for (int round = 0; round < SAMPLE_OF(200); ++round) {
    const unsigned spherical = round % 2 ? 1u << SINEW_JOINT_SPHERICAL : 0;
    sinew_model *model =
        random_body(round, (uint64_t)round, 1u << SINEW_JOINT_REVOLUTE | spherical);
    abrupt += abrupt_updates(model, (uint64_t)round, 1 + round % 2, 0.0, &systems);
    sinew_model_destroy(model);
  }
  print_message("%d of %d updates are abrupt\n", abrupt, 340 * SAMPLE_OF(200));
  assert_true(5 * abrupt <= 1 * SAMPLE_OF(200)); // 189 of 68000 where steps may overshoot
}

// The same with the pose out of reach, where a posture often has nothing to move, and takes few
// systems then. req: E4 E10
static void postures_do_not_shake_out_of_reach(void **state) {
  (void)state;
  int abrupt = 0, systems = 0;
  for (int round = 0; round < SAMPLE_OF(200); ++round) {
    sinew_model *model = random_body(round, (uint64_t)round, 1u << SINEW_JOINT_REVOLUTE);
    abrupt += abrupt_updates(model, (uint64_t)round, 1, 0.1 * (1 + round % 20), &systems);
    sinew_model_destroy(model);
  }
  print_message("%d of %d updates are abrupt, %.2f systems\n", abrupt, 340 * SAMPLE_OF(200),
                systems / (340.0 * SAMPLE_OF(200)));
  // 726 where a step that its corrections do not keep is corrected further instead of shortened,
  // 229 where the shortest one is
  assert_true(abrupt <= 1 * SAMPLE_OF(200));
  assert_true(systems <= 2.75 * 340 * SAMPLE_OF(200)); // 3.04 where no step is left out
}

// A posture that has had nothing to move out of reach moves as soon as targets are in reach: as
// where it is not left out. req: E10
static void postures_move_again_in_reach(void **state) {
  (void)state;
  int idle = 0, alike = 0;
  for (int round = 0; round < 80; ++round) {
    sinew_model *model = random_body(round, (uint64_t)round, 1u << SINEW_JOINT_REVOLUTE);
    random_stream random = random_stream_of((uint64_t)round);
    const int links = sinew_model_link_count(model);
    const sinew_task tasks[3] = {task_of(SINEW_TASK_POSE, links - 1),
                                 task_of(SINEW_TASK_POSITION, random_below(&random, links)),
                                 task_of(SINEW_TASK_POSITION, random_below(&random, links))};
    sinew_target targets[3];
    const sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, 1);
    sinew_solver *one = lower_solver(model, 1, 1), *other = lower_solver(model, 1, 1);
    double q[MOST], p[MOST], goal[MOST], v[MOST], phase[MOST], most = 0.0;
    take(one, tasks, 3, &posture, 1);
    take(other, tasks, 3, &posture, 1);
    for (int i = 0; i < sinew_model_nv(model); ++i) {
      phase[i] = random_between(&random, -3.0, 3.0);
    }
    swing(model, phase, 0, q);
    memcpy(p, q, sizeof p);
    for (int update = 0; update < 250; ++update) {
      swing(model, phase, update, goal);
      for (int t = 0; t < 3; ++t) {
        targets[t] = target_at(model, &tasks[t], goal);
      }
      targets[0].position[0] += 0.2 * (1 + round % 5);
      assert_ok(sinew_solver_update(one, targets, 3, q, NULL));
      assert_ok(sinew_solver_update(other, targets, 3, p, NULL));
    }
    const bool left_out = one->levels->idle > 0;
    idle += left_out;
    other->levels->idle = 0;
    targets[0] = target_at(model, &tasks[0], goal);
    for (int update = 0; update < 8; ++update) {
      assert_ok(sinew_solver_update(one, targets, 3, q, NULL));
      assert_ok(sinew_solver_update(other, targets, 3, p, NULL));
    }
    sinew_configuration_difference(model, p, q, v);
    for (int i = 0; i < sinew_model_nv(model); ++i) {
      most = fmax(most, fabs(v[i]));
    }
    alike += left_out && most < 1e-4; // .28 where the posture waits for eight updates
    sinew_solver_destroy(one);
    sinew_solver_destroy(other);
    sinew_model_destroy(model);
  }
  print_message("%d have been left out, %d are alike\n", idle, alike);
  assert_true(idle >= 30 && alike == idle);
}

// What the steps of lower levels of updates out of reach take: of those after updates without one,
// how many take more than so many systems, and how many there are at all.
typedef struct lower_steps {
  int taken, after, long_ones;
  double cost; // half the squared distance to the posture at the end
} lower_steps;

// always: no update is left out, as where the last one has moved much.
static lower_steps count_lower_steps(int round, bool always) {
  enum { UPDATES = 400, FEW = 3, LATE = 100 };
  sinew_model *model = random_body(round, (uint64_t)round, 1u << SINEW_JOINT_REVOLUTE);
  random_stream random = random_stream_of((uint64_t)round);
  const int links = sinew_model_link_count(model), nv = sinew_model_nv(model);
  const sinew_task tasks[3] = {task_of(SINEW_TASK_POSE, links - 1),
                               task_of(SINEW_TASK_POSE, random_below(&random, links)),
                               task_of(SINEW_TASK_POSITION, random_below(&random, links))};
  sinew_target targets[3];
  const sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, 1);
  sinew_solver *solver = lower_solver(model, 1, 1);
  double q[MOST], goal[MOST], lower[MOST], upper[MOST], v[MOST], phase[MOST] = {0.0};
  lower_steps steps = {0};
  take(solver, tasks, 3, &posture, 1);
  for (int i = 0; i < nv; ++i) {
    phase[i] = random_between(&random, -3.0, 3.0);
  }
  swing(model, phase, 0, q);
  for (int i = 0; i < nv; ++i) { // a third of all joints can hardly move
    const bool bound = random_below(&random, 3) == 0;
    lower[i] = bound ? q[i] - 1e-3 : sinew_model_lower(model)[i];
    upper[i] = bound ? q[i] + 1e-3 : sinew_model_upper(model)[i];
  }
  assert_ok(sinew_solver_set_limits(solver, lower, upper));
  for (int update = 0; update < UPDATES; ++update) {
    const bool after = solver->levels->waited > 0 && solver->levels->idle == 0;
    swing(model, phase, update, goal);
    for (int t = 0; t < 3; ++t) {
      targets[t] = target_at(model, &tasks[t], goal);
    }
    targets[0].position[0] += 0.2 * (1 + round % 5);
    if (always) {
      solver->levels->idle = 0;
      solver->levels->waited = 0;
    }
    assert_ok(sinew_solver_update(solver, targets, 3, q, NULL));
    const int systems = solver->step.systems - solver->step.most_systems;
    const bool counts = update >= LATE && solver->track.steps == 1 && systems > 0;
    steps.taken += counts;
    steps.after += counts && after;
    steps.long_ones += counts && after && systems > FEW;
  }
  double middle[MOST];
  sinew_configuration_middle(model, middle);
  sinew_configuration_difference(model, q, middle, v);
  for (int i = 0; i < nv; ++i) {
    steps.cost += 0.5 * v[i] * v[i];
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  return steps;
}

// With targets out of reach and joints at limits, where a posture often has nothing to move, few
// updates have a step for it, and after others hardly one takes many systems. The figure comes as
// near to its posture as where no update is left out. req: E4 E10
static void steps_with_nothing_to_move_are_few_and_short(void **state) {
  (void)state;
  int taken = 0, all = 0, after = 0, long_ones = 0, alike = 0;
  const int rounds = SAMPLE_OF(60);
  for (int round = 0; round < rounds; ++round) {
    const lower_steps one = count_lower_steps(round, false), other = count_lower_steps(round, true);
    taken += one.taken;
    all += other.taken;
    after += one.after;
    long_ones += one.long_ones;
    alike += fabs(one.cost - other.cost) <= 0.01 * other.cost + 1e-6;
  }
  print_message("%d of %d steps, %d after updates without, %d of them long; %d of %d alike\n",
                taken, all, after, long_ones, alike, rounds);
  assert_true(after <= 12 * rounds); // 24 a round where updates are always left out for 8
  assert_int_equal(long_ones, 0);    // 33 where steps end at their minimum
  assert_true(20 * alike >= 19 * rounds);
  assert_true(100 * taken <= 22 * all || SINEW_TEST_SAMPLE > 1); // few rounds differ too much
}

// Where the tasks of all levels can be met, an update is the step of one level alone, one system
// and few corrections: of random figures that is most updates, and all tasks are met then. req: E4
// E10
static void tasks_that_can_be_met_take_one_step(void **state) {
  (void)state;
  enum { UPDATES = 150, FIRST = 50 };
  int alone = 0, all = 0;
  for (int round = 0; round < SAMPLE_OF(40); ++round) {
    sinew_model *model = random_body(round, 1000 + (uint64_t)round, 1u << SINEW_JOINT_REVOLUTE);
    const int links = sinew_model_link_count(model), levels = 1 + round % 2;
    const sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, levels);
    sinew_solver *solver = lower_solver(model, levels, 1);
    sinew_task tasks[3] = {task_of(SINEW_TASK_POSE, links - 1),
                           task_of(SINEW_TASK_POSITION, links / 2),
                           task_of(SINEW_TASK_PLANE, links - 1)};
    sinew_target targets[3];
    double q[MOST], goal[MOST], phase[MOST];
    const int count = round % 4 == 3 ? 3 : 2; // with a height, hard, that is almost reached
    tasks[1].level = levels - 1;
    tasks[2].range_upper[0] = INFINITY;
    tasks[2].hard = true;
    take(solver, tasks, count, &posture, 1);
    for (int i = 0; i < sinew_model_nv(model); ++i) {
      phase[i] = (double)i;
    }
    targets[2] = sinew_default_target();
    targets[2].direction[2] = 1.0;
    targets[2].position[2] = INFINITY;
    for (int update = 0; update < UPDATES; ++update) {
      swing(model, phase, update, goal);
      const double height = target_at(model, &tasks[0], goal).position[2];
      targets[2].position[2] = fmin(targets[2].position[2], height - 1e-3);
    }
    swing(model, phase, 0, q);
    for (int update = 0; update < UPDATES; ++update) {
      sinew_report report;
      swing(model, phase, update, goal);
      for (int t = 0; t < 2; ++t) {
        targets[t] = target_at(model, &tasks[t], goal);
      }
      assert_ok(sinew_solver_update(solver, targets, count, q, &report));
      all += update >= FIRST;
      if (update < FIRST || !solver->levels->was_alone) {
        continue;
      }
      ++alone;
      assert_int_equal(report.steps, 1);
      assert_at_most(solver->step.systems, 3);
      for (int t = 0; t < 2; ++t) {
        double distance, angle;
        measure(model, &tasks[t], &targets[t], q, &distance, &angle);
        assert_at_most(distance, 0.05e-6);
        assert_at_most(angle, 0.05e-6);
      }
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  print_message("%d of %d updates take one step\n", alone, all);
  assert_true(20 * alone >= 19 * all);
}

// ------------------------------------------------------------------ levels

// A planar arm's tip, elbow and posture: each level is met as well as those above it allow, and as
// well as without those below. req: E4 E10
static void levels_are_met_in_order(void **state) {
  (void)state;
  sinew_model *arm = fixture_planar(6, 0.3);
  sinew_task tasks[3] = {task_of(SINEW_TASK_POSITION, 6), task_of(SINEW_TASK_POSITION, 4),
                         task_of(SINEW_TASK_POSITION, 2)};
  tasks[0].point_l[0] = 0.3;
  sinew_target targets[3] = {sinew_default_target(), sinew_default_target(),
                             sinew_default_target()};
  const double wanted[3][2] = {{0.5, 0.5}, {0.7, -0.2}, {-0.5, 0.4}};
  double errors[4][3] = {{0}};
  for (int levels = 1; levels <= 3; ++levels) { // only so many of the tasks
    sinew_solver *solver = lower_solver(arm, 2, 0);
    double q[6] = {0.3, 0.4, 0.2, 0.5, 0.1, 0.3};
    for (int t = 0; t < 3; ++t) {
      tasks[t].level = t;
      memcpy(targets[t].position, wanted[t], sizeof wanted[t]);
    }
    take(solver, tasks, levels, NULL, 0);
    for (int update = 0; update < 600; ++update) {
      assert_ok(sinew_solver_update(solver, targets, levels, q, NULL));
    }
    for (int t = 0; t < levels; ++t) {
      assert_ok(sinew_solver_task_error(solver, t, &errors[levels][t], NULL));
    }
    sinew_solver_destroy(solver);
  }
  assert_at_most(errors[1][0], 1e-6);
  assert_at_most(errors[2][0], 1e-6);
  assert_at_most(errors[3][0], 1e-6);
  assert_at_most(errors[2][1], 1e-5); // four joints for two points
  assert_at_most(errors[3][1], 1e-5);
  assert_true(errors[3][2] > 0.05); // two joints for a third one that is too far
  sinew_model_destroy(arm);
}

// At rest the posture is the best that the task allows: the distance from it has no slope along the
// arm's null space. req: E2
static void a_posture_is_the_best_of_the_null_space(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, 1);
  double rest[7] = {0.1, -0.3, 0.2, -1.6, 0.1, 1.5, 0.3}, weights[7] = {1, 2, 1, 0.5, 1, 3, 1};
  double q[7] = {0.5, 0.2, -0.6, -1.2, 0.4, 1.9, 0.0}, J[42], v[7];
  posture.posture = rest;
  posture.weights = weights;
  sinew_solver *solver = lower_solver(arm, 1, 1);
  take(solver, &task, 1, &posture, 1);
  const sinew_target target = target_at(arm, &task, q);
  for (int update = 0; update < 400; ++update) {
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
  }
  // the null vector of J by the determinants of its minors, Gram-Schmidt: project slope on rows
  sinew_state *kinematics = NULL;
  assert_ok(sinew_state_create(arm, NULL, &kinematics, NULL));
  assert_ok(sinew_state_forward(kinematics, q));
  assert_ok(sinew_state_jacobian(kinematics, ARM_FLANGE, NULL, sinew_model_root(arm), J));
  double slope = 0.0, length = 0.0, null[7] = {0.3, -0.5, 0.7, 0.2, -0.4, 0.6, 0.1};
  for (int r = 0; r < 6; ++r) { // orthonormal rows
    for (int pass = 0; pass < 2; ++pass) {
      for (int s = 0; s < r; ++s) {
        double sum = 0.0;
        for (int j = 0; j < 7; ++j) {
          sum += J[7 * r + j] * J[7 * s + j];
        }
        for (int j = 0; j < 7; ++j) {
          J[7 * r + j] -= sum * J[7 * s + j];
        }
      }
      double norm = 0.0;
      for (int j = 0; j < 7; ++j) {
        norm += J[7 * r + j] * J[7 * r + j];
      }
      for (int j = 0; j < 7; ++j) {
        J[7 * r + j] /= sqrt(norm);
      }
    }
  }
  for (int r = 0; r < 6; ++r) {
    double sum = 0.0;
    for (int j = 0; j < 7; ++j) {
      sum += null[j] * J[7 * r + j];
    }
    for (int j = 0; j < 7; ++j) {
      null[j] -= sum * J[7 * r + j];
    }
  }
  for (int j = 0; j < 7; ++j) {
    slope += null[j] * weights[j] * weights[j] * (rest[j] - q[j]);
    length += null[j] * null[j];
    v[j] = rest[j] - q[j];
  }
  assert_true(farthest(7, v, (double[7]){0}) > 0.1); // the pose does not allow the posture itself
  assert_near(slope / sqrt(length), 0.0, 1e-6);
  sinew_state_destroy(kinematics);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// Alone, a posture is reached, of spherical joints by their rotation and of prismatic ones in
// metres; frozen joints stay. req: E2 B14
static void a_posture_alone_is_reached(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    static random_tree tree;
    random_tree_options options = random_tree_defaults();
    sinew_model *model = NULL;
    random_tree_make(&tree, seed, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, 1);
    unsigned char frozen[MOST] = {1};
    double rest[MOST], q[MOST], first[MOST], v[MOST];
    sinew_configuration_random(model, seed, 0, rest);
    sinew_configuration_random(model, seed, 1, q);
    memcpy(first, q, sizeof q);
    posture.posture = rest;
    sinew_solver *solver = lower_solver(model, 1, 1);
    take(solver, NULL, 0, &posture, 1);
    assert_ok(sinew_solver_set_frozen(solver, frozen));
    for (int update = 0; update < 400; ++update) {
      sinew_report report;
      assert_ok(sinew_solver_update(solver, NULL, 0, q, &report));
      assert_int_equal(report.outcome, SINEW_OUTCOME_NO_TASK);
    }
    sinew_configuration_difference(model, q, rest, v);
    for (int i = 1; i < sinew_model_nv(model); ++i) {
      assert_near(v[i], 0.0, 1e-6);
    }
    sinew_configuration_difference(model, q, first, v);
    assert_true(v[0] == 0.0);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// Damping halves a posture's step where their weights are equal; low change repeats half the last
// motion.
static void objectives_are_weighed(void **state) {
  (void)state;
  sinew_model *arm = fixture_planar(3, 0.5);
  sinew_objective objectives[2] = {objective_of(SINEW_OBJECTIVE_POSTURE, 1),
                                   objective_of(SINEW_OBJECTIVE_DAMPING, 1)};
  const double rest[3] = {0.04, 0.02, -0.04};
  objectives[0].posture = rest;
  objectives[0].gain = 0.5;
  sinew_solver *solver = lower_solver(arm, 1, 2);
  double q[3] = {0.0, 0.0, 0.0};
  take(solver, NULL, 0, objectives, 2);
  assert_ok(sinew_solver_update(solver, NULL, 0, q, NULL));
  assert_near(q[0], 0.01, 1e-12); // half of the gain's half
  objectives[1].kind = SINEW_OBJECTIVE_LOW_CHANGE;
  take(solver, NULL, 0, objectives, 2);
  sinew_solver_reset(solver);
  memset(q, 0, sizeof q);
  assert_ok(sinew_solver_update(solver, NULL, 0, q, NULL));
  assert_near(q[0], 0.01, 1e-12);
  assert_ok(sinew_solver_update(solver, NULL, 0, q, NULL));
  assert_near(q[0], 0.01 + 0.5 * (0.5 * 0.03 + 0.01), 1e-12);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// Where level 0 goes only a share of its way (error_gain), no faster than max_change, or ahead of
// its targets (target.twist), a posture leaves it where it goes: the target's errors are those
// without levels, to a tenth and 0.1 mm. req: E10
static void lower_levels_leave_gain_change_and_feed_forward(void **state) {
  (void)state;
  enum { UPDATES = 60, FIRST = 20 };
  sinew_model *arm = fixture_planar(4, 0.3);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 4);
  const sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, 1);
  for (int kind = 0; kind < 3; ++kind) {
    double errors[2][UPDATES], change[2] = {0.0, 0.0};
    for (int side = 0; side < 2; ++side) {
      sinew_solver_def def = sinew_default_solver_def();
      double q[4] = {0.5, 0.6, 0.4, 0.3}, before[4], motion[4] = {0.0};
      def.lower.levels = def.lower.objectives = side;
      def.tracking.error_gain = kind == 0 ? 0.2 : 1.0;
      def.tracking.max_change = kind == 1 ? 0.001 : def.tracking.max_change;
      def.tracking.time_step = kind == 2 ? 0.01 : 0.0;
      sinew_solver *solver = solver_with(&def, arm, &task, 1);
      assert_ok(sinew_solver_set_objectives(solver, &posture, side, NULL));
      sinew_target target = target_at(arm, &task, q);
      const double speed = kind == 2 ? 0.1 : 0.0; // [m/s]
      target.twist[0] = -speed;
      for (int update = 0; update < UPDATES; ++update) {
        target.position[0] -= update == FIRST && kind < 2 ? 0.006 : 0.01 * speed;
        memcpy(before, q, sizeof q);
        assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
        assert_ok(sinew_solver_task_error(solver, 0, &errors[side][update], NULL));
        double square = 0.0;
        for (int i = 0; i < 4; ++i) {
          const double moved = q[i] - before[i];
          square += update >= FIRST ? (moved - motion[i]) * (moved - motion[i]) : 0.0;
          motion[i] = moved;
        }
        change[side] = fmax(change[side], sqrt(square));
      }
      sinew_solver_destroy(solver);
    }
    for (int update = FIRST; update < UPDATES; ++update) {
      assert_near(errors[1][update], errors[0][update], 0.1 * errors[0][update] + 1e-4);
    }
    assert_true(kind != 1 || change[0] <= 0.001 + 1e-9);
    assert_true(kind != 1 || change[1] <= 0.0015); // with that of the posture
  }
  sinew_model_destroy(arm);
}

// Objectives of weight 0 have no effect, on results and on steps: alone the same bits as without
// levels, and above tasks of a lower level not on the one step for all. req: E4
static void objectives_of_weight_0_are_none(void **state) {
  (void)state;
  sinew_model *arm = fixture_planar(6, 0.3);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 6), task_of(SINEW_TASK_POSITION, 3)};
  sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, 1);
  int alone = 0;
  posture.weight = 0.0;
  tasks[1].level = 2;
  for (int count = 1; count <= 2; ++count) {
    sinew_solver *plain = solver_with(NULL, arm, tasks, 1), *full = lower_solver(arm, 2, 1);
    double q[6] = {0.5, 0.6, 0.4, 0.3, 0.4, 0.2}, goal[6], without[6];
    memcpy(goal, q, sizeof q);
    memcpy(without, q, sizeof q);
    take(full, tasks, count, &posture, 1);
    for (int update = 0; update < 60; ++update) {
      sinew_report a, b;
      sinew_target targets[2];
      goal[1] += 0.005;
      goal[4] -= 0.005;
      targets[0] = target_at(arm, &tasks[0], goal);
      targets[1] = target_at(arm, &tasks[1], goal);
      assert_ok(sinew_solver_update(plain, targets, 1, without, &a));
      assert_ok(sinew_solver_update(full, targets, count, q, &b));
      if (count == 1) {
        assert_memory_equal(q, without, sizeof q);
        assert_int_equal(a.steps, b.steps);
      } else {
        alone += full->levels->was_alone;
      }
    }
    sinew_solver_destroy(plain);
    sinew_solver_destroy(full);
  }
  assert_true(alone >= 40);
  sinew_model_destroy(arm);
}

// With a time step no joint exceeds its speed limit, and none its limits. req: E8
static void lower_levels_keep_speeds_and_limits(void **state) {
  (void)state;
  sinew_model *arm = fixture_planar_limited(5, 0.3, -1.0, 0.9, 0.5);
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = 0.02;
  def.lower.levels = def.lower.objectives = 1;
  const sinew_task task = task_of(SINEW_TASK_POSITION, 5);
  sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, 1);
  const double rest[5] = {2.0, -2.0, 2.0, -2.0, 2.0}; // beyond the limits
  posture.posture = rest;
  sinew_solver *solver = solver_with(&def, arm, &task, 1);
  take(solver, &task, 1, &posture, 1);
  double q[5] = {0.1, 0.2, 0.3, -0.2, 0.1}, before[5];
  sinew_target target = target_at(arm, &task, q);
  for (int update = 0; update < 300; ++update) {
    memcpy(before, q, sizeof q);
    target.position[1] += 0.001 * sin(0.05 * update);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    assert_at_most(farthest(5, q, before), 0.5 * 0.02 * (1.0 + 1e-12));
    assert_true(outside_limits(arm, q) <= 0.0);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// ------------------------------------------------------------------ reports

// What is required decides the outcome, and errors are those of the caller's tasks by number.
static void the_outcome_counts_what_is_required(void **state) {
  (void)state;
  sinew_model *arm = fixture_planar(3, 0.5);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 1), task_of(SINEW_TASK_POSITION, 3)};
  tasks[0].level = 1; // the lower level first
  sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
  targets[0].position[0] = 3.0; // never
  sinew_solver *solver = lower_solver(arm, 1, 0);
  for (int required = 0; required < 3; ++required) {
    double q[3] = {0.2, 0.3, 0.4}, error;
    sinew_report report;
    tasks[0].required = (sinew_requirement)required;
    take(solver, tasks, 2, NULL, 0);
    targets[1] = target_at(arm, &tasks[1], q);
    assert_ok(sinew_solver_update(solver, targets, 2, q, &report));
    const bool counts = required == SINEW_REQUIRED;
    assert_int_equal(report.outcome, counts ? SINEW_OUTCOME_STEP_LIMIT : SINEW_OUTCOME_CONVERGED);
    assert_int_equal(report.counted_tasks, counts ? 2 : 1);
    assert_int_equal(report.worst_task, counts ? 0 : 1);
    assert_ok(sinew_solver_task_error(solver, 0, &error, NULL));
    assert_true(error > 2.0);
    assert_ok(sinew_solver_task_error(solver, 1, &error, NULL));
    assert_near(error, 0.0, 1e-12);
    assert_int_equal(sinew_solver_task_error(solver, 2, &error, NULL), SINEW_ERROR_INDEX);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// Joints that only a lower level moves are brought into their limits, and stay there.
static void joints_of_lower_levels_enter_their_limits(void **state) {
  (void)state;
  enum { JOINTS = 6 };
  sinew_model *arm = fixture_planar_limited(JOINTS, 0.3, -0.5, 0.5, INFINITY);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 3), task_of(SINEW_TASK_POSITION, JOINTS)};
  sinew_solver *solver = lower_solver(arm, 1, 0);
  for (int level = 0; level < 2; ++level) { // at level 0 not required
    const double there[JOINTS] = {0.2, 0.3, 0.1, 0.2, 1.2, 1.2};
    double found[JOINTS], tracked[JOINTS];
    tasks[1].level = level;
    tasks[1].required = SINEW_NOT_REQUIRED;
    take(solver, tasks, 2, NULL, 0);
    sinew_target targets[2] = {target_at(arm, &tasks[0], there), target_at(arm, &tasks[1], there)};
    sinew_report report;
    memcpy(found, there, sizeof found);
    memcpy(tracked, there, sizeof tracked);
    assert_ok(sinew_solver_search(solver, NULL, targets, 2, found, &report));
    assert_at_most(outside_limits(arm, found), 0.0);
    for (int update = 0; update < 20; ++update) {
      assert_ok(sinew_solver_update(solver, targets, 2, tracked, NULL));
    }
    assert_at_most(outside_limits(arm, tracked), 0.0);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// Reports and errors are by the caller's numbers, also where no solution is found.
static void failures_are_told_by_number(void **state) {
  (void)state;
  sinew_model *arm = fixture_planar(3, 0.5);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 1), task_of(SINEW_TASK_POSITION, 3)};
  tasks[0].level = 1;
  sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
  targets[0].position[0] = 0.5;
  targets[1].position[0] = 5.0; // never
  sinew_solver *solver = lower_solver(arm, 1, 0);
  take(solver, tasks, 2, NULL, 0);
  const double seed[3] = {0.2, 0.3, 0.4};
  double solutions[3 * 4], error;
  int found = -1;
  sinew_report report;
  assert_ok(sinew_solver_solve_all(solver, NULL, targets, 2, seed, 4, solutions, &found, &report));
  assert_int_equal(found, 0);
  assert_int_equal(report.worst_task, 1);
  assert_int_equal(report.reach_task, 1);
  assert_ok(sinew_solver_task_error(solver, 1, &error, NULL));
  assert_true(error > 3.0);
  sinew_dexterity got; // of level 0, by the caller's targets
  assert_ok(sinew_solver_dexterity(solver, targets, 2, seed, &got));
  assert_int_equal(got.rows, 3);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

static void refused(sinew_result code, sinew_result expected, const sinew_error *error,
                    const char *words) {
  assert_int_equal(code, expected);
  if (strstr(error->message, words) == NULL) {
    fail_msg("\"%s\" does not contain \"%s\"", error->message, words);
  }
}

// Bad input is refused by name, and nothing is half set.
static void bad_input_is_refused(void **state) {
  (void)state;
  sinew_model *arm = fixture_planar(3, 0.5);
  sinew_error error;
  sinew_task task = task_of(SINEW_TASK_POSITION, 3);
  sinew_solver *solver = lower_solver(arm, 1, 1), *plain = solver_with(NULL, arm, &task, 1);
  task.level = -1;
  refused(sinew_solver_set_tasks(solver, &task, 1, &error), SINEW_ERROR_ARGUMENT, &error, "level");
  task.level = 2;
  refused(sinew_solver_set_tasks(solver, &task, 1, &error), SINEW_ERROR_CAPACITY, &error,
          "lower.levels, 1");
  task.level = 0;
  task.required = SINEW_NOT_REQUIRED;
  refused(sinew_solver_set_tasks(plain, &task, 1, &error), SINEW_ERROR_CAPACITY, &error,
          "lower.levels");
  task.required = (sinew_requirement)7;
  refused(sinew_solver_set_tasks(solver, &task, 1, &error), SINEW_ERROR_ARGUMENT, &error,
          "required");
  sinew_objective objective = sinew_default_objective();
  refused(sinew_solver_set_objectives(plain, &objective, 1, &error), SINEW_ERROR_CAPACITY, &error,
          "lower.objectives, 0");
  const double weights[3] = {1.0, -1.0, 1.0}, rest[3] = {0.0, NAN, 0.0};
  const sinew_objective good = objective;
  const struct {
    size_t offset;
    double value;
    const char *words;
  } numbers[] = {{offsetof(sinew_objective, weight), -1.0, "objective 0: weight"},
                 {offsetof(sinew_objective, weight), NAN, "weight"},
                 {offsetof(sinew_objective, gain), 0.0, "gain"},
                 {offsetof(sinew_objective, gain), 1.5, "gain"}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    objective = good;
    memcpy((char *)&objective + numbers[i].offset, &numbers[i].value, sizeof(double));
    refused(sinew_solver_set_objectives(solver, &objective, 1, &error), SINEW_ERROR_ARGUMENT,
            &error, numbers[i].words);
  }
  objective = good;
  objective.level = 0;
  refused(sinew_solver_set_objectives(solver, &objective, 1, &error), SINEW_ERROR_ARGUMENT, &error,
          "level");
  objective.level = 2;
  refused(sinew_solver_set_objectives(solver, &objective, 1, &error), SINEW_ERROR_CAPACITY, &error,
          "lower.levels, 1");
  objective = good;
  objective.kind = SINEW_OBJECTIVE_COUNT;
  refused(sinew_solver_set_objectives(solver, &objective, 1, &error), SINEW_ERROR_ARGUMENT, &error,
          "kind");
  objective = good;
  objective.weights = weights;
  refused(sinew_solver_set_objectives(solver, &objective, 1, &error), SINEW_ERROR_ARGUMENT, &error,
          "weights[1], -1");
  objective = good;
  objective.posture = rest;
  refused(sinew_solver_set_objectives(solver, &objective, 1, &error), SINEW_ERROR_NOT_FINITE,
          &error, "posture[1]");
  objective = good;
  objective.cookie = 0;
  refused(sinew_solver_set_objectives(solver, &objective, 1, &error), SINEW_ERROR_ARGUMENT, &error,
          "sinew_default_objective()");
  assert_string_equal(sinew_objective_kind_name(SINEW_OBJECTIVE_POSTURE), "posture");
  assert_null(sinew_objective_kind_name(SINEW_OBJECTIVE_COUNT));
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *none = NULL;
  def.lower.levels = -1;
  assert_int_equal(sinew_solver_create(&def, arm, &none, &error), SINEW_ERROR_ARGUMENT);
  assert_string_equal(error.name, "lower.levels");
  def.lower.levels = 0;
  def.lower.objectives = 1;
  assert_int_equal(sinew_solver_create(&def, arm, &none, &error), SINEW_ERROR_ARGUMENT);
  assert_string_equal(error.name, "lower.objectives");
  // where levels are not built
  sinew_bank_def bank_def = sinew_default_bank_def();
  sinew_crowd_def crowd_def = sinew_default_crowd_def();
  sinew_bank *bank = NULL;
  sinew_crowd *crowd = NULL;
  task.required = SINEW_REQUIRED_BY_LEVEL;
  task.level = 1;
  refused(sinew_bank_create(&bank_def, arm, &task, 1, &bank, &error), SINEW_ERROR_ARGUMENT, &error,
          "task 0: a bank is made for the required tasks of level 0");
  refused(sinew_crowd_create(&crowd_def, arm, &task, 1, &crowd, &error), SINEW_ERROR_ARGUMENT,
          &error, "task 0: a crowd takes tasks of level 0");
  // targets by the caller's number
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 1), task_of(SINEW_TASK_POSITION, 3)};
  sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
  double q[3] = {0.1, 0.2, 0.3};
  tasks[0].level = 1;
  take(solver, tasks, 2, &good, 1);
  targets[0].position[1] = NAN;
  assert_int_equal(sinew_solver_update(solver, targets, 2, q, NULL), SINEW_ERROR_NOT_FINITE);
  assert_non_null(strstr(sinew_solver_last_error(solver)->message, "target 0"));
  assert_int_equal(sinew_solver_update(solver, targets, 1, q, NULL), SINEW_ERROR_ARGUMENT);
  targets[0].position[1] = 0.0;
  q[1] = NAN;
  assert_int_equal(sinew_solver_solve(solver, targets, 2, q, NULL), SINEW_ERROR_NOT_FINITE);
  sinew_solver_destroy(plain);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// ----------------------------------------------------- memory, determinism

// No update allocates, and a solver without levels pays nothing for them.
static void memory_is_taken_once(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *person = fixture_humanoid(true, links);
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *plain = NULL, *lower = NULL;
  size_t bytes = wrapped_bytes;
  assert_ok(sinew_solver_create(&def, person, &plain, NULL));
  const size_t without = wrapped_bytes - bytes;
  def.lower.levels = 2;
  def.lower.objectives = 2;
  bytes = wrapped_bytes;
  assert_ok(sinew_solver_create(&def, person, &lower, NULL));
  const size_t with = wrapped_bytes - bytes;
  const double m = 6.0 * def.task_capacity, nv = sinew_model_nv(person);
  assert_true(with > without);
  assert_true((double)(with - without) < 1.2 * (16.0 * m * m + 16.0 * m * nv) +
                                             4.0 * def.task_capacity * (1200.0 + 230.0 * nv) + 2e4);
  const sinew_task tasks[1] = {task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND])};
  const sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, 1);
  double q[MOST];
  sinew_configuration_middle(person, q);
  const sinew_target target = target_at(person, &tasks[0], q);
  const long calls = wrapped;
  take(lower, tasks, 1, &posture, 1);
  assert_ok(sinew_solver_update(lower, &target, 1, q, NULL));
  assert_ok(sinew_solver_solve(lower, &target, 1, q, NULL));
  assert_int_equal(wrapped, calls);
  sinew_solver_destroy(plain);
  sinew_solver_destroy(lower);
  sinew_model_destroy(person);
}

// What an update keeps of the one before is that of q: it reports the errors at the q it is given,
// whether the caller has moved the figure in between or the solver has been used for another one.
static void updates_begin_where_the_figure_is(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, ARM_FLANGE),
                               task_of(SINEW_TASK_POSITION, 4)};
  const sinew_objective posture = objective_of(SINEW_OBJECTIVE_POSTURE, 2);
  random_stream random = random_stream_of(8);
  sinew_solver *solver = lower_solver(arm, 2, 1);
  double q[7], other[7];
  int alone = 0;
  path way;
  path_random(&way, arm, &random);
  for (int update = 0; update < 600; ++update) {
    const int count = update < 300 ? 1 : 2; // with an elbow, below the hand
    sinew_target targets[2];
    sinew_report report;
    double goal[7], distance, angle;
    if (update % 300 == 0) {
      take(solver, tasks, count, &posture, 1);
      path_at(&way, 0.002 * update, q);
    }
    path_at(&way, 0.002 * update, goal);
    for (int t = 0; t < count; ++t) {
      targets[t] = target_at(arm, &tasks[t], goal);
    }
    q[update % 7] += update % 5 == 1 ? 1e-3 : 0.0;
    if (update % 5 == 3) {
      path_at(&way, 0.002 * update + 1.0, other);
      targets[0].position[0] += 10.0; // out of reach, so that nothing below is moved
      assert_ok(sinew_solver_solve_local(solver, targets, count, other, NULL));
      targets[0].position[0] -= 10.0;
    }
    measure(arm, &tasks[0], &targets[0], q, &distance, &angle);
    assert_ok(sinew_solver_update(solver, targets, count, q, &report));
    assert_at_most(fabs(report.position_error - distance), 1e-14);
    assert_at_most(fabs(report.orientation_error - angle), 1e-14);
    alone += solver->levels->was_alone;
  }
  assert_true(alone > 300);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// The same calls after a reset give the same bits, and both instruction sets do.
static void the_same_calls_give_the_same_bits(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const sinew_objective objectives[2] = {objective_of(SINEW_OBJECTIVE_POSTURE, 1),
                                         objective_of(SINEW_OBJECTIVE_LOW_CHANGE, 1)};
  random_stream random = random_stream_of(5);
  sinew_solver *solver = lower_solver(arm, 1, 2);
  double q[3][7];
  path way;
  take(solver, &task, 1, objectives, 2);
  path_random(&way, arm, &random);
  for (int run = 0; run < 3; ++run) {
    const sinew_instruction_set set =
        run < 2 ? SINEW_INSTRUCTION_SET_BASE : sinew_instruction_set_detect();
    solver->functions = sinew_solver_functions_for(set);
    sinew_solver_reset(solver);
    path_at(&way, 0.0, q[run]);
    for (int update = 0; update < 100; ++update) {
      double goal[7];
      path_at(&way, 0.02 * update, goal);
      const sinew_target target = target_at(arm, &task, goal);
      assert_ok(sinew_solver_update(solver, &target, 1, q[run], NULL));
    }
    assert_memory_equal(q[run], q[0], sizeof q[0]);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_level_is_optimal),
      cmocka_unit_test(lower_levels_cost_nothing),
      cmocka_unit_test(lower_levels_cost_nothing_out_of_reach),
      cmocka_unit_test(lower_levels_cost_nothing_beyond_reach),
      cmocka_unit_test(lower_levels_cost_nothing_at_limits),
      cmocka_unit_test(postures_do_not_shake),
      cmocka_unit_test(postures_do_not_shake_out_of_reach),
      cmocka_unit_test(postures_move_again_in_reach),
      cmocka_unit_test(steps_with_nothing_to_move_are_few_and_short),
      cmocka_unit_test(tasks_that_can_be_met_take_one_step),
      cmocka_unit_test(levels_are_met_in_order),
      cmocka_unit_test(a_posture_is_the_best_of_the_null_space),
      cmocka_unit_test(a_posture_alone_is_reached),
      cmocka_unit_test(objectives_are_weighed),
      cmocka_unit_test(lower_levels_leave_gain_change_and_feed_forward),
      cmocka_unit_test(objectives_of_weight_0_are_none),
      cmocka_unit_test(lower_levels_keep_speeds_and_limits),
      cmocka_unit_test(the_outcome_counts_what_is_required),
      cmocka_unit_test(joints_of_lower_levels_enter_their_limits),
      cmocka_unit_test(failures_are_told_by_number),
      cmocka_unit_test(bad_input_is_refused),
      cmocka_unit_test(memory_is_taken_once),
      cmocka_unit_test(updates_begin_where_the_figure_is),
      cmocka_unit_test(the_same_calls_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
