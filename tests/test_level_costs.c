// What a posture costs the hand in an update: arms whose joints meet their limits, with and without
// a posture from the same configuration and after the same one.
#include "robots.h"
#include "sample.h"

#define MOST 64 // values of a figure
#define UPDATES 100
#define ALLOWED 0.1e-6 // a tenth of the tolerance [m, rad]

// A smooth motion of joints through the whole of their range, clamped to their limits.
typedef struct path {
  const sinew_model *model;
  double home[MOST], size[MOST], rate[MOST], phase[MOST];
} path;

static path path_of(const sinew_model *model, random_stream *random) {
  path p = {.model = model};
  for (int i = 0; i < sinew_model_nq(model); ++i) {
    const double lower = fmax(sinew_model_lower(model)[i], -PI);
    const double upper = fmin(sinew_model_upper(model)[i], PI);
    p.home[i] = random_between(random, lower, upper);
    p.size[i] = random_between(random, 0.2, 1.0);
    p.rate[i] = random_between(random, 0.015, 0.075);
    p.phase[i] = random_between(random, 0.0, 2.0 * PI);
  }
  return p;
}

static void path_at(const path *p, int update, double *q) {
  for (int i = 0; i < sinew_model_nq(p->model); ++i) {
    const double turn = sin(p->rate[i] * update + p->phase[i]) - sin(p->phase[i]);
    q[i] = fmin(fmax(p->home[i] + p->size[i] * turn, sinew_model_lower(p->model)[i]),
                sinew_model_upper(p->model)[i]);
  }
}

// An arm with a task, without and with a posture.
typedef struct pair {
  const sinew_model *model;
  sinew_task task;
  sinew_solver *plain, *full;
} pair;

static pair pair_of(const sinew_model *model, int tip, sinew_task_kind kind) {
  pair p = {.model = model, .task = task_of(kind, tip)};
  sinew_solver_def def = sinew_default_solver_def();
  sinew_objective posture = sinew_default_objective();
  double middle[MOST];
  def.lower.levels = def.lower.objectives = 1;
  sinew_configuration_middle(model, middle);
  posture.posture = middle;
  posture.weight = 0.3;
  p.plain = solver_with(NULL, model, &p.task, 1);
  p.full = solver_with(&def, model, &p.task, 1);
  assert_ok(sinew_solver_set_objectives(p.full, &posture, 1, NULL));
  return p;
}

static void pair_end(pair *p) {
  sinew_solver_destroy(p->plain);
  sinew_solver_destroy(p->full);
}

// Updates both from q, which becomes that with the posture. Returns by how much that leaves the
// hand further off, in metres or radians.
static double cost_of(const pair *p, const sinew_target *target, double *q) {
  double without[MOST], distance[2], angle[2] = {0.0, 0.0};
  memcpy(without, q, (size_t)sinew_model_nq(p->model) * sizeof *q);
  assert_ok(sinew_solver_update(p->plain, target, 1, without, NULL));
  assert_ok(sinew_solver_update(p->full, target, 1, q, NULL));
  measure(p->model, &p->task, target, without, &distance[0], &angle[0]);
  measure(p->model, &p->task, target, q, &distance[1], &angle[1]);
  const bool turns = p->task.kind == SINEW_TASK_POSE;
  return fmax(distance[1] - distance[0], turns ? angle[1] - angle[0] : 0.0);
}

// Updates in which the posture costs more than allowed.
typedef struct costs {
  int updates, dearer;
  double most;
} costs;

static void count(costs *sum, double cost) {
  ++sum->updates;
  sum->dearer += cost > ALLOWED;
  sum->most = fmax(sum->most, cost);
}

// Of so many updates of each path, from a reset on. fast: of targets that move up to four times as
// fast.
static costs costs_of(const pair *p, int paths, int updates, bool fast, uint64_t seed) {
  random_stream random = random_stream_of(seed);
  costs sum = {0};
  for (int k = 0; k < paths; ++k) {
    const path way = path_of(p->model, &random);
    double q[MOST], goal[MOST];
    sinew_solver_reset(p->plain);
    sinew_solver_reset(p->full);
    path_at(&way, 0, q);
    for (int update = 0; update < updates; ++update) {
      path_at(&way, update * (fast ? 1 + k % 4 : 1), goal);
      const sinew_target target = target_at(p->model, &p->task, goal);
      count(&sum, cost_of(p, &target, q));
    }
  }
  return sum;
}

static void add(costs *sum, const costs *part) {
  sum->updates += part->updates;
  sum->dearer += part->dearer;
  sum->most = fmax(sum->most, part->most);
}

// The costs of an arm with poses and with positions. In the second update after a reset both
// solvers have the same history: none costs more than allowed. Later the one without a posture
// knows other last motions than the figure's.
static void try_arm(const char *file, int paths, costs *sum) {
  int tip;
  sinew_model *model = robot_open(file, &tip);
  for (int kind = 0; kind < 2; ++kind) {
    pair p = pair_of(model, tip, kind == 0 ? SINEW_TASK_POSE : SINEW_TASK_POSITION);
    const costs second = costs_of(&p, 10 * paths, 2, true, 26);
    const costs part = costs_of(&p, paths, UPDATES, false, 28);
    print_message("%s: %d of %d, at most %g; second updates: %d, at most %g\n", file, part.dearer,
                  part.updates, part.most, second.dearer, second.most);
    assert_int_equal(second.dearer, 0);
    add(sum, &part);
    pair_end(&p);
  }
  sinew_model_destroy(model);
}

// Of 200,000 updates none costs the hand more than a tenth of the tolerance: 371 do, at most 28 mm,
// where steps that were left to the posture's level are never made up for, begin with the motion of
// part of an update, or are one fewer; 5 where those of the last update alone are made up for, or
// those before an update that has met its targets never. req: E10
static void postures_cost_nothing_at_limits(void **state) {
  (void)state;
  costs sum = {0};
  for (int arm = 0; arm < ROBOT_OWN_ARMS; ++arm) {
    try_arm(robot_own_arms[arm], SAMPLE_OF(500), &sum);
  }
  print_message("%d of %d updates, at most %g\n", sum.dearer, sum.updates, sum.most);
  assert_int_equal(sum.dearer, 0);
}

// Nor of 200,000 updates of ten arms; 513 and 0.56 rad without that, and where straight limbs are
// bent for targets that need no bend; 7 as above. req: E10
static void postures_of_shared_arms_cost_nothing_at_limits(void **state) {
  (void)state;
  char file[4096];
  costs sum = {0};
  const char *folder = shared_folder();
  for (int arm = 0; arm < ROBOT_SHARED_ARMS; ++arm) {
    snprintf(file, sizeof file, "%s/data/arms/%s.urdf", folder, robot_shared_arms[arm]);
    try_arm(file, SAMPLE_OF(100), &sum);
  }
  print_message("%d of %d updates, at most %g\n", sum.dearer, sum.updates, sum.most);
  assert_int_equal(sum.dearer, 0);
}

// A limb that is straight, with its target out of reach, is not bent where that leads the hand
// further off in the same update: of 60,000 updates 1 costs 1.4 mm otherwise. Later ones take
// updates again without the bend: else 1 costs 0.036 mm. req: E10
static void bends_cost_nothing_at_limits(void **state) {
  (void)state;
  char file[4096];
  int tip;
  snprintf(file, sizeof file, "%s/data/arms/pr2.urdf", shared_folder());
  sinew_model *model = robot_open(file, &tip);
  pair p = pair_of(model, tip, SINEW_TASK_POSITION);
  const costs sum = costs_of(&p, SAMPLE_OF(600), UPDATES, false, 101);
  print_message("%d of %d updates, at most %g\n", sum.dearer, sum.updates, sum.most);
  assert_int_equal(sum.dearer, 0);
  pair_end(&p);
  sinew_model_destroy(model);
}

// The motion with a posture may differ by many times what it may change in an update from the one
// without. Of 300,000 updates of an arm that follows positions 8 cost more, at most 8 mm, where no
// more than the last three updates are ever taken again. req: E10
static void postures_that_move_far_cost_nothing(void **state) {
  (void)state;
  int tip;
  sinew_model *model = robot_open("models/arm6.urdf", &tip);
  pair p = pair_of(model, tip, SINEW_TASK_POSITION);
  const costs sum = costs_of(&p, SAMPLE_OF(3000), UPDATES, false, 101);
  print_message("%d of %d updates, at most %g\n", sum.dearer, sum.updates, sum.most);
  assert_int_equal(sum.dearer, 0);
  pair_end(&p);
  sinew_model_destroy(model);
}

// A person whose hand is to be where none of its paths leads: joints of the spine and the arm meet
// their limits. req: E10
static void postures_of_a_person_cost_nothing_at_limits(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(false, links);
  pair p = pair_of(model, links[HUMANOID_LEFT_HAND], SINEW_TASK_POSITION);
  random_stream random = random_stream_of(29);
  costs sum = {0};
  for (int k = 0; k < SAMPLE_OF(200); ++k) {
    double q[MOST], goal[MOST], v[MOST], way[MOST];
    sinew_solver_reset(p.plain);
    sinew_solver_reset(p.full);
    sinew_configuration_random(model, 29, (uint64_t)k, q);
    for (int i = 0; i < sinew_model_nv(model); ++i) {
      v[i] = random_between(&random, -1.5, 1.5);
    }
    for (int update = 0; update < UPDATES; ++update) {
      for (int i = 0; i < sinew_model_nv(model); ++i) {
        way[i] = v[i] * sin(0.04 * update);
      }
      sinew_configuration_random(model, 29, (uint64_t)k, goal);
      sinew_configuration_integrate(model, goal, way, goal);
      sinew_configuration_clamp(model, goal);
      const sinew_target target = target_at(model, &p.task, goal);
      count(&sum, cost_of(&p, &target, q));
    }
  }
  print_message("%d of %d updates, at most %g\n", sum.dearer, sum.updates, sum.most);
  assert_int_equal(sum.dearer, 0);
  pair_end(&p);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(postures_cost_nothing_at_limits),
      cmocka_unit_test(postures_of_shared_arms_cost_nothing_at_limits),
      cmocka_unit_test(bends_cost_nothing_at_limits),
      cmocka_unit_test(postures_that_move_far_cost_nothing),
      cmocka_unit_test(postures_of_a_person_cost_nothing_at_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
