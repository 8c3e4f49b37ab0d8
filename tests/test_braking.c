// Limits of acceleration ahead of targets: arms come to still targets as fast as the limits nearly
// allow and rest there, and follow moving ones without lag; the report names the braking.
#include "robots.h"

#include <stdlib.h>

#define MOST 64
#define RUNS 20

// An arm at rest, whose target jumps to the pose of another configuration.
typedef struct approach {
  const sinew_model *model;
  sinew_task task;
  sinew_target target;
  double time_step, acceleration;
  double speeds[MOST], q[MOST];
  sinew_solver *solver;
} approach;

static double distance_of(const approach *a, const double *q) {
  double distance, angle;
  measure(a->model, &a->task, &a->target, q, &distance, &angle);
  return distance + (a->task.kind == SINEW_TASK_POSE ? 0.3 * angle : 0.0);
}

// Time steps, accelerations, with and without limits of speed, near and far, poses and positions.
static approach approach_number(const sinew_model *model, int tip, int arm, int number,
                                bool posture) {
  static const double time_steps[] = {1.0 / 25, 1.0 / 60, 1.0 / 120, 1.0 / 250, 1.0 / 1000};
  static const double accelerations[] = {0.5, 2.0, 10.0, 50.0};
  random_stream r = random_stream_of(7000 + 100 * (uint64_t)arm + (uint64_t)number);
  approach a = {.model = model,
                .task = task_of(number % 4 == 3 ? SINEW_TASK_POSITION : SINEW_TASK_POSE, tip),
                .time_step = time_steps[number % 5],
                .acceleration = accelerations[(number / 5 + arm) % 4]};
  const double far = number % 3 == 0 ? 0.8 : 0.3;
  double to[MOST], limits[MOST];
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = a.time_step;
  def.lower.levels = def.lower.objectives = posture ? 1 : 0;
  a.solver = solver_with(&def, model, &a.task, 1);
  if (posture) {
    sinew_objective below = sinew_default_objective();
    below.kind = SINEW_OBJECTIVE_POSTURE;
    assert_ok(sinew_solver_set_objectives(a.solver, &below, 1, NULL));
  }
  for (int v = 0; v < sinew_model_nv(model); ++v) {
    const double lower = fmax(sinew_model_lower(model)[v], -3.0);
    const double upper = fmin(sinew_model_upper(model)[v], 3.0), half = 0.5 * (upper - lower);
    limits[v] = a.acceleration;
    a.speeds[v] = number / 2 % 2 == 0 ? 1e6 : fmin(sinew_model_velocity(model)[v], 3.0);
    a.q[v] = lower + 2.0 * half * random_between(&r, 0.2, 0.8);
    to[v] = a.q[v] + far * fmin(half, 1.0) * random_between(&r, -1.0, 1.0);
    to[v] = fmin(fmax(to[v], lower), upper);
  }
  assert_ok(sinew_solver_set_accelerations(a.solver, limits));
  assert_ok(sinew_solver_set_speeds(a.solver, a.speeds, 1.0));
  const sinew_target begin = target_at(model, &a.task, a.q);
  assert_ok(sinew_solver_update(a.solver, &begin, 1, a.q, NULL));
  a.target = target_at(model, &a.task, to);
  return a;
}

// The shortest time in which a joint at rest comes to rest at a distance: a trapezoid of speeds.
static double fastest(double distance, double acceleration, double speed) {
  return speed * speed / acceleration >= distance ? 2.0 * sqrt(distance / acceleration)
                                                  : distance / speed + speed / acceleration;
}

// Time until the hand is and stays within 1 mm, or 1 % of its way, over that of the slowest joint's
// fastest motion between the same configurations; rise <- by how much the hand's distance rises on
// the way, a share of the way. In the end the hand is within a distance.
static double follow(approach *a, double within, double *rise) {
  const double time = 12.0 * (2.0 * sqrt(2.0 / a->acceleration) + 1.0);
  const double way = distance_of(a, a->q), near = fmax(0.01 * way, 1e-3);
  double begin[MOST], least = way, slowest = a->time_step, arrived = 0.0;
  const int updates = (int)(time / a->time_step);
  memcpy(begin, a->q, sizeof begin);
  *rise = 0.0;
  for (int i = 1; i <= updates; ++i) {
    assert_ok(sinew_solver_update(a->solver, &a->target, 1, a->q, NULL));
    const double distance = distance_of(a, a->q);
    least = fmin(least, distance);
    *rise = fmax(*rise, (distance - least) / way);
    arrived = distance > near ? (i + 1) * a->time_step : arrived;
  }
  assert_at_most(distance_of(a, a->q), within);
  for (int v = 0; v < sinew_model_nv(a->model); ++v) {
    slowest = fmax(slowest, fastest(fabs(a->q[v] - begin[v]), a->acceleration, a->speeds[v]));
  }
  return arrived / slowest;
}

typedef struct tally {
  int count, far; // far: further than 1e-5 m in the end
  double ratio, rise, most_ratio, most_rise;
} tally;

static void follow_all(const char *path, int arm, bool posture, tally *sum) {
  int tip;
  sinew_model *model = robot_open(path, &tip);
  for (int number = 0; number < RUNS; ++number) {
    double rise;
    approach a = approach_number(model, tip, arm, number, posture);
    const double ratio = follow(&a, posture ? 1e-4 : 1e-5, &rise);
    sum->far += distance_of(&a, a.q) > 1e-5;
    ++sum->count;
    sum->ratio += ratio;
    sum->rise += rise;
    sum->most_ratio = fmax(sum->most_ratio, ratio);
    sum->most_rise = fmax(sum->most_rise, rise);
    sinew_solver_destroy(a.solver);
  }
  sinew_model_destroy(model);
}

static void check(const tally *sum) {
  print_message("%d targets: time %.2f of the fastest, at most %.2f; rises %.4f, at most %.3f\n",
                sum->count, sum->ratio / sum->count, sum->most_ratio, sum->rise / sum->count,
                sum->most_rise);
  assert_at_most(sum->ratio / sum->count, 1.25);
  assert_at_most(sum->most_ratio, 2.2);
  assert_at_most(sum->rise / sum->count, 5e-3);
  assert_at_most(sum->most_rise, 0.1);
}

// Without braking ahead of targets the two arms take 7 times the fastest motion in the mean, and
// many are not at rest in the end. req: E8
static void arms_rest_at_still_targets(void **unused) {
  (void)unused;
  tally sum = {0};
  for (int arm = 0; arm < 2; ++arm) {
    follow_all(robot_own_arms[arm], arm, false, &sum);
  }
  check(&sum);
}

// req: E8
static void robots_rest_at_still_targets(void **unused) {
  (void)unused;
  tally sum = {0};
  const char *folder = shared_folder();
  for (int arm = 0; arm < 10; ++arm) {
    char path[4096];
    snprintf(path, sizeof path, "%s/data/arms/%s.urdf", folder, robot_shared_arms[arm]);
    follow_all(path, 2 + arm, false, &sum);
  }
  check(&sum);
}

// A target beyond reach, by 5 to 100 % of the arm, in a direction about that of the hand.
static void move_beyond_reach(approach *a, random_stream *r) {
  double way[3], *p = a->target.position;
  const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  const double far = sinew_model_size(a->model) * random_between(r, 1.05, 2.0);
  random_unit(r, 3, way);
  for (int i = 0; i < 3; ++i) {
    p[i] = far * (0.7 * p[i] / fmax(length, 1e-9) + 0.3 * way[i]);
  }
}

typedef struct stretch {
  int count, resting;
  double ratio, most_ratio; // as of follow(), until each joint stays where it ends
  double sides, most_sides; // how often a joint has turned around, faster than 1e-3 rad/s
} stretch;

static void add_stretch(approach *a, stretch *sum) {
  const int nv = sinew_model_nv(a->model);
  const int updates = (int)(12.0 * (2.0 * sqrt(2.0 / a->acceleration) + 1.0) / a->time_step);
  double(*path)[MOST] = malloc((size_t)(updates + 1) * sizeof *path);
  double last[MOST] = {0.0}, way = 0.0, slowest = a->time_step, arrived = 0.0, sides = 0.0;
  memcpy(path[0], a->q, sizeof *path);
  for (int i = 1; i <= updates; ++i) {
    assert_ok(sinew_solver_update(a->solver, &a->target, 1, a->q, NULL));
    memcpy(path[i], a->q, sizeof *path);
    for (int v = 0; v < nv; ++v) {
      const double moved = a->q[v] - path[i - 1][v];
      sides += moved * last[v] < 0.0 && fabs(moved) > 1e-3 * a->time_step;
      last[v] = moved;
    }
  }
  for (int v = 0; v < nv; ++v) {
    const double far = fabs(a->q[v] - path[0][v]);
    way = fmax(way, far);
    slowest = fmax(slowest, fastest(far, a->acceleration, a->speeds[v]));
  }
  for (int i = 0; i <= updates; ++i) {
    const bool there = farthest(nv, path[i], a->q) <= fmax(0.01 * way, 1e-3);
    arrived = there ? arrived : (i + 1) * a->time_step;
  }
  const double zero[MOST] = {0.0}, speed = farthest(nv, last, zero) / a->time_step;
  free(path);
  ++sum->count;
  sum->resting += speed < 1e-4;
  sum->sides += sides;
  sum->most_sides = fmax(sum->most_sides, sides);
  sum->ratio += speed < 1e-4 ? arrived / slowest : 0.0;
  sum->most_ratio = speed < 1e-4 ? fmax(sum->most_ratio, arrived / slowest) : sum->most_ratio;
}

static void stretch_all(const char *path, int arm, stretch *sum) {
  int tip;
  sinew_model *model = robot_open(path, &tip);
  for (int number = 0; number < RUNS; ++number) {
    random_stream r = random_stream_of(17000 + 100 * (uint64_t)arm + (uint64_t)number);
    approach a = approach_number(model, tip, arm, number, false);
    move_beyond_reach(&a, &r);
    add_stretch(&a, sum);
    sinew_solver_destroy(a.solver);
  }
  sinew_model_destroy(model);
}

static void check_stretch(const stretch *sum) {
  print_message(
      "%d of %d rest, time %.2f of the fastest, at most %.2f; %.1f changes of side, at most "
      "%.0f\n",
      sum->resting, sum->count, sum->ratio / sum->resting, sum->most_ratio, sum->sides / sum->count,
      sum->most_sides);
  assert_at_most(sum->ratio / sum->resting, 2.0);
  assert_at_most(sum->most_ratio, 5.0);
  assert_at_most(sum->sides / sum->count, 12.0);
}

// Beyond reach, too, arms come to rest without swinging: with q* by steps without curvature arm7
// takes 2.2 times the fastest motion in the mean, and its joints turn around 43 times. req: E8
static void arms_rest_beyond_reach(void **unused) {
  (void)unused;
  for (int arm = 0; arm < 2; ++arm) {
    stretch sum = {0};
    stretch_all(robot_own_arms[arm], arm, &sum);
    check_stretch(&sum);
    assert_int_equal(sum.resting, sum.count);
  }
}

// The same for robots, but for the iiwa14, some of whose joints creep without limits of
// acceleration, too. req: E8
static void robots_rest_beyond_reach(void **unused) {
  (void)unused;
  stretch sum = {0};
  const char *folder = shared_folder();
  for (int arm = 0; arm < 10; ++arm) {
    char path[4096];
    snprintf(path, sizeof path, "%s/data/arms/%s.urdf", folder, robot_shared_arms[arm]);
    stretch_all(path, 2 + arm, &sum);
  }
  check_stretch(&sum);
  assert_true(10 * sum.resting >= 9 * sum.count);
}

// With a posture below the target, that the arm turns to on the way and after it, it rests, too:
// without braking of lower levels it swings in the null space. req: E8 E10
static void arms_with_a_posture_rest(void **unused) {
  (void)unused;
  tally sum = {0};
  for (int arm = 0; arm < 2; ++arm) {
    follow_all(robot_own_arms[arm], arm, true, &sum);
  }
  print_message("%d targets with a posture: time %.2f of the fastest, at most %.2f; rises %.4f\n",
                sum.count, sum.ratio / sum.count, sum.most_ratio, sum.rise / sum.count);
  assert_at_most(sum.ratio / sum.count, 4.0);
  assert_true(sum.far <= 2); // of 600 such targets 9 to 12 are, none further than 1e-4 m
}

// A target whose joints move at a constant speed, from rest: how far the hand is from it at most
// after that. every: it moves in each such update only; twist: it has its own.
static double lag_of(const char *path, int every, bool twist) {
  int tip;
  sinew_model *model = robot_open(path, &tip);
  const double dt = 0.01, speed = 0.25, acceleration = 1.0;
  const int nv = sinew_model_nv(model);
  double q[MOST], to[MOST], limits[MOST], worst = 0.0;
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = dt;
  const sinew_task task = task_of(SINEW_TASK_POSITION, tip);
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  for (int v = 0; v < nv; ++v) {
    const double lower = fmax(sinew_model_lower(model)[v], -1.5);
    const double upper = fmin(sinew_model_upper(model)[v], 1.5);
    q[v] = to[v] = 0.5 * (lower + upper) + (v % 2 == 0 ? -0.3 : 0.3);
    limits[v] = acceleration;
  }
  assert_ok(sinew_solver_set_accelerations(solver, limits));
  sinew_target target = target_at(model, &task, to);
  for (int i = 0; i < 300; ++i) {
    for (int v = 0; v < nv; ++v) {
      to[v] += speed * dt * (v % 2 == 0 ? 1.0 : -1.0);
    }
    const sinew_target next = target_at(model, &task, to);
    for (int j = 0; twist && j < 3; ++j) {
      target.twist[j] = (next.position[j] - target.position[j]) / dt;
    }
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    if (twist) { // it is to be where the target is at the end of the time step
      memcpy(target.position, next.position, sizeof target.position);
    }
    double distance, angle;
    measure(model, &task, &target, q, &distance, &angle);
    worst = i > 150 ? fmax(worst, distance) : worst;
    if (i % every == 0) {
      target = next;
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  return worst;
}

// Braking ahead of where a target is, not of where it is going, would leave the hand speed^2 / 2 a
// behind in each joint.
static void moving_targets_are_followed_without_lag(void **unused) {
  (void)unused;
  for (int arm = 0; arm < 2; ++arm) {
    const double each = lag_of(robot_own_arms[arm], 1, false),
                 second = lag_of(robot_own_arms[arm], 2, false);
    const double twist = lag_of(robot_own_arms[arm], 1, true);
    print_message("%s: %.6f m behind, %.6f in every second update, %.6f with a twist\n",
                  robot_own_arms[arm], each, second, twist);
    assert_at_most(each, 5e-4);
    assert_at_most(twist, 5e-4);
    assert_at_most(second, 1e-2); // it moves in steps, the hand evenly
  }
}

// One joint of 1 m: it accelerates, brakes and rests at the target, with no update beyond it, and
// the report says so.
static void braking_is_named(void **unused) {
  (void)unused;
  const double dt = 0.01, acceleration = 4.0;
  sinew_model *model = fixture_planar_limited(1, 1.0, -3.0, 3.0, 100.0);
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = dt;
  sinew_task task = task_of(SINEW_TASK_POSITION, 1);
  task.point_l[0] = 1.0;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  assert_ok(sinew_solver_set_accelerations(solver, &acceleration));
  const double to = 1.0;
  const sinew_target target = target_at(model, &task, &to);
  int order[8], count = 0;
  double q = 0.0;
  for (int i = 0; i < 200; ++i) {
    sinew_bound_report report;
    assert_ok(sinew_solver_update(solver, &target, 1, &q, NULL));
    assert_ok(sinew_solver_bound(solver, &q, 0, &report));
    assert_at_most(q, to + 1e-9);
    assert_true(report.yielded == 0.0);
    if (q < to - 1e-3 && (count == 0 || order[count - 1] != (int)report.bound)) {
      assert_true(count < 8);
      order[count++] = (int)report.bound;
    }
  }
  const int expected[] = {SINEW_BOUND_ACCELERATION, SINEW_BOUND_BRAKING};
  assert_int_equal(count, 2);
  assert_memory_equal(order, expected, sizeof expected);
  assert_near(q, to, 1e-9);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A straight arm of three joints whose target is on its line, a saddle of the error: the number of
// the update after which it is within 1 mm.
static int updates_from_saddle(double acceleration, double time_step) {
  sinew_model *model = fixture_planar(3, 0.4);
  sinew_task task = task_of(SINEW_TASK_POSITION, 3);
  task.point_l[0] = 0.4;
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = time_step;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  const double all[3] = {acceleration, acceleration, acceleration};
  assert_ok(sinew_solver_set_accelerations(solver, all));
  double q[3] = {0.0, 0.0, 0.0};
  sinew_target target = sinew_default_target();
  target.position[0] = 0.6;
  sinew_report report = {.position_error = 1.0};
  int updates = 0;
  for (; updates < 5000 && report.position_error > 1e-3; ++updates) {
    assert_ok(sinew_solver_update(solver, &target, 1, q, &report));
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  return updates;
}

// Figures leave a saddle, whatever the accelerations. req: E8
static void straight_arms_leave_saddles(void **unused) {
  (void)unused;
  static const double steps[] = {0.002, 0.01, 0.04};
  for (int i = 0; i < 3; ++i) {
    for (double acceleration = 2.0; acceleration < 600.0; acceleration *= 3.0) {
      assert_at_most(updates_from_saddle(acceleration, steps[i]), 4000);
    }
  }
}

// Two arms from the root that have nothing in common; the right hand's target is far or has no
// weight. By how much the left hand is off after some updates.
static double left_error(bool right) {
  enum { UPDATES = 60 };
  builder b;
  builder_start(&b);
  sinew_task tasks[2];
  for (int arm = 0; arm < 2; ++arm) {
    int link = 0;
    for (int j = 0; j < 2; ++j) {
      builder_add(&b, link, SINEW_JOINT_REVOLUTE, j == 0 ? 0.0 : 0.5, arm, 0.0);
      link = b.joint_count;
    }
    tasks[arm] = task_of(SINEW_TASK_POSITION, link);
    tasks[arm].point_l[0] = 0.5;
  }
  tasks[1].position_weight = right ? 1.0 : 0.0;
  sinew_model *model = builder_make(&b);
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = 0.01;
  sinew_solver *solver = solver_with(&def, model, tasks, 2);
  const double accelerations[4] = {10.0, 10.0, 0.5, 0.5}, goal[4] = {0.3, 0.8, -1.5, 1.4};
  assert_ok(sinew_solver_set_accelerations(solver, accelerations));
  double q[4] = {0.2, 0.5, 0.2, 0.5}, error = 0.0;
  const sinew_target targets[2] = {target_at(model, &tasks[0], goal),
                                   target_at(model, &tasks[1], goal)};
  for (int update = 0; update < UPDATES; ++update) {
    assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
  }
  assert_ok(sinew_solver_task_error(solver, 0, &error, NULL));
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  return error;
}

// Limbs that no task connects do not wait for each other. req: E8
static void limbs_brake_apart(void **unused) {
  (void)unused;
  assert_at_most(left_error(false), 1e-3);
  assert_at_most(left_error(true), 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arms_rest_at_still_targets),
      cmocka_unit_test(robots_rest_at_still_targets),
      cmocka_unit_test(arms_rest_beyond_reach),
      cmocka_unit_test(robots_rest_beyond_reach),
      cmocka_unit_test(arms_with_a_posture_rest),
      cmocka_unit_test(moving_targets_are_followed_without_lag),
      cmocka_unit_test(braking_is_named),
      cmocka_unit_test(straight_arms_leave_saddles),
      cmocka_unit_test(limbs_brake_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
