// Limbs, aimed links and the two-link arm: the quaternions, applied to the rest pose, give what was
// asked for. One at a time and in lanes.
#include "each_set.h"
#include "fixtures.h"
#include "inspect.h"
#include "sinew/limb.h"

enum { CASES = 2000 };

static double uniform(uint64_t stream, int i) {
  return sinew_random_uniform(stream, (uint64_t)i);
}

static void random_direction(uint64_t stream, int i, double out[3]) {
  const double z = 2.0 * uniform(stream, 2 * i) - 1.0;
  const double angle = 2.0 * PI * uniform(stream, 2 * i + 1);
  out[0] = sqrt(1.0 - z * z) * cos(angle);
  out[1] = sqrt(1.0 - z * z) * sin(angle);
  out[2] = z;
}

// a + by * v
static void point_at(const double a[3], double by, const double v[3], double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = a[i] + by * v[i];
  }
}

static void between(const double a[3], const double b[3], double out[3]) {
  point_at(b, -1.0, a, out);
}

static double distance(const double a[3], const double b[3]) {
  double v[3];
  between(a, b, v);
  return sinew_norm_safe(v);
}

// -------------------------------------------------------------------- limbs

// A limb of random lengths (1 mm to 10 m), place and direction, bent at rest by 0.1 to 3 rad, or
// straight with a bend axis.
static sinew_limb_def random_limb(int i) {
  sinew_limb_def def = sinew_default_limb_def();
  const double size = pow(10.0, 4.0 * uniform(10, i) - 3.0);
  double first[3], axis[3], second[3], side[3];
  random_direction(11, i, first);
  random_direction(12, i, side);
  sinew_cross(first, side, axis);
  sinew_unit(axis, axis);
  const double angle = i % 5 == 0 ? 0.0 : 0.1 + 2.9 * uniform(13, i);
  const double half[3] = {angle * axis[0], angle * axis[1], angle * axis[2]};
  double q[4];
  sinew_quaternion_exp(half, q);
  sinew_quaternion_rotate(q, first, second);
  for (int k = 0; k < 3; ++k) {
    def.shoulder[k] = size * (2.0 * uniform(14, 3 * i + k) - 1.0);
  }
  point_at(def.shoulder, size * (0.3 + uniform(15, i)), first, def.elbow);
  point_at(def.elbow, size * (0.3 + uniform(16, i)), second, def.wrist);
  if (i % 5 == 0) {
    memcpy(def.bend_axis, side, sizeof side); // any that is not along the limb
  } else if (i % 5 == 1) {
    point_at((double[3]){0.0, 0.0, 0.0}, 1.0, axis, def.bend_axis); // bent to the wrong side
  }
  return def;
}

static double length_of(const sinew_limb_def *def, double lengths[2]) {
  lengths[0] = distance(def->shoulder, def->elbow);
  lengths[1] = distance(def->elbow, def->wrist);
  return lengths[0] + lengths[1];
}

// A target at 0 to 2 lengths; every tenth at the shoulder or as far as the limb reaches.
static void random_target(const sinew_limb_def *def, int i, double target[3]) {
  double direction[3], lengths[2];
  const double length = length_of(def, lengths);
  random_direction(20, i, direction);
  const double far = i % 10 == 0   ? 0.0
                     : i % 10 == 1 ? length
                     : i % 10 == 2 ? 1e6 * length
                                   : 2.0 * length * uniform(21, i);
  point_at(def->shoulder, far, direction, target);
}

// The rest pose, moved by a result: elbow and wrist by the quaternions alone.
static void move_rest_pose(const sinew_limb_def *def, const sinew_limb_pose *pose, double elbow[3],
                           double wrist[3]) {
  double upper[3], lower[3];
  between(def->shoulder, def->elbow, upper);
  between(def->elbow, def->wrist, lower);
  sinew_quaternion_rotate(pose->upper, upper, upper);
  sinew_quaternion_rotate(pose->lower, lower, lower);
  point_at(def->shoulder, pose->scale, upper, elbow);
  point_at(elbow, pose->scale, lower, wrist);
}

static double quaternion_norm(const double q[4]) {
  return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

// What holds for all results: unit quaternions, the stated elbow and wrist are those of the moved
// rest pose, and the elbow rotates about the bend axis only.
static void check_pose(const sinew_limb_def *def, const double target[3],
                       const sinew_limb_pose *pose) {
  double elbow[3], wrist[3], lengths[2], back[4], elbow_turn[4], axis[3], upper[3], lower[3];
  const double length = length_of(def, lengths);
  const double rounding = 1e-13 * (length * pose->scale + sinew_norm_safe(def->shoulder));
  move_rest_pose(def, pose, elbow, wrist);
  assert_near(quaternion_norm(pose->upper), 1.0, 1e-14);
  assert_near(quaternion_norm(pose->lower), 1.0, 1e-14);
  assert_at_most(distance(elbow, pose->elbow), rounding);
  assert_at_most(distance(wrist, pose->wrist), rounding);
  assert_near(distance(pose->wrist, target), pose->miss,
              rounding + 1e-14 * distance(target, def->shoulder));
  for (int i = 0; i < 4; ++i) {
    back[i] = i == 0 ? pose->upper[0] : -pose->upper[i];
  }
  sinew_quaternion_multiply(back, pose->lower, elbow_turn);
  between(def->shoulder, def->elbow, upper);
  between(def->elbow, def->wrist, lower);
  sinew_cross(upper, lower, axis);
  if (sinew_norm_safe(axis) > 1e-3 * lengths[0] * lengths[1]) { // no axis in a straight limb
    double across[3];
    sinew_unit(axis, axis);
    sinew_cross(axis, elbow_turn + 1, across);
    assert_at_most(sinew_norm_safe(across), 1e-12);
  }
}

static void meets_targets(void **state) {
  (void)state;
  for (int i = 0; i < CASES; ++i) {
    sinew_limb_def def = random_limb(i);
    sinew_limb limb;
    double lengths[2], pole[3], direction[3];
    def.bend = i % 3;
    const double length = length_of(&def, lengths);
    random_direction(22, i, direction);
    point_at(def.shoulder, 3.0 * length * uniform(23, i), direction, pole);
    assert_ok(sinew_limb_init(&limb, &def, NULL));
    sinew_limb_memory memory = {{0}, {0}};
    sinew_limb_goal goal = {.pole = pole, .swivel = i % 4 == 0 ? 6.0 * uniform(24, i) - 3.0 : 0.0};
    random_target(&def, i, goal.target);
    sinew_limb_pose pose;
    assert_ok(sinew_limb_solve(&limb, &goal, &memory, &pose));
    check_pose(&def, goal.target, &pose);
    const double d = distance(goal.target, def.shoulder);
    const double least = fabs(lengths[0] - lengths[1]);
    const double miss = d > length ? d - length : d < least ? least - d : 0.0;
    assert_near(pose.miss, miss,
                2e-12 * length + 1e-14 * d + 1e-15 * sinew_norm_safe(def.shoulder));
    assert_true(pose.scale == 1.0);
  }
}

// Targets exactly opposite to the direction at rest, and off it by less than rounding.
static void turns_round(void **state) {
  (void)state;
  for (int i = 0; i < 180; ++i) {
    const int along = i % 3, across = (along + 1) % 3;
    const double sign = i / 3 % 2 ? -1.0 : 1.0, pole[3] = {0.3, 0.7, -0.4};
    const double off = i / 6 % 3 == 0 ? 0.0 : pow(10.0, -18.0 - 8.0 * uniform(25, i));
    sinew_limb_def def = sinew_default_limb_def();
    sinew_limb limb;
    sinew_limb_pose pose;
    sinew_limb_memory memory = {{0}, {0}};
    sinew_limb_goal goal = {.pole = pole};
    sinew_zero(3, def.elbow);
    sinew_zero(3, def.wrist);
    def.wrist[along] = sign * 1.9;
    def.elbow[along] = sign;
    def.elbow[across] = 0.4;
    def.bend = i / 18 % 3;
    goal.target[along] = -sign * (0.7 + uniform(26, i));
    goal.target[across] = off;
    assert_ok(sinew_limb_init(&limb, &def, NULL));
    assert_ok(sinew_limb_solve(&limb, &goal, &memory, &pose));
    check_pose(&def, goal.target, &pose);
    assert_near(pose.miss, 0.0, 1e-12);
  }
}

// At the rest pose's own wrist nothing moves, however the limb is bent there.
static void rest_pose_stays(void **state) {
  (void)state;
  for (int i = 0; i < CASES; ++i) {
    if (i % 5 == 1) {
      continue; // bent to the wrong side: it changes sides
    }
    const sinew_limb_def def = random_limb(i);
    sinew_limb limb;
    assert_ok(sinew_limb_init(&limb, &def, NULL));
    sinew_limb_goal goal = {.pole = NULL};
    memcpy(goal.target, def.wrist, sizeof goal.target);
    sinew_limb_pose pose;
    assert_ok(sinew_limb_solve(&limb, &goal, NULL, &pose));
    // The angle at a straight elbow is the root of the rounding of the distance.
    assert_near(fabs(pose.upper[0]), 1.0, 1e-12);
    assert_near(fabs(pose.lower[0]), 1.0, 1e-12);
  }
}

// The elbow is on the side bend_axis x (wrist - shoulder), also where it is on the other at rest.
static void bends_to_its_side(void **state) {
  (void)state;
  for (int i = 0; i < 500; ++i) {
    sinew_limb_def def = random_limb(5 * i + 1);
    double whole[3], side[3], upper[3];
    sinew_limb limb;
    between(def.shoulder, def.wrist, whole);
    assert_ok(sinew_limb_init(&limb, &def, NULL));
    sinew_limb_goal goal = {.pole = NULL};
    memcpy(goal.target, def.wrist, sizeof goal.target);
    sinew_limb_pose pose;
    assert_ok(sinew_limb_solve(&limb, &goal, NULL, &pose));
    sinew_cross(def.bend_axis, whole, side);
    between(def.shoulder, pose.elbow, upper);
    assert_true(sinew_dot(side, upper) > 0.0);
    between(def.shoulder, def.elbow, upper);
    assert_true(sinew_dot(side, upper) < 0.0); // that case is tested
    check_pose(&def, goal.target, &pose);
  }
}

// No rotation about the line to the target brings the elbow nearer to the pole.
static void pole_attracts_the_elbow(void **state) {
  (void)state;
  for (int i = 0; i < 300; ++i) {
    sinew_limb_def def = random_limb(i);
    sinew_limb limb;
    double lengths[2], direction[3], pole[3];
    def.bend = SINEW_LIMB_BEND_POLE;
    const double length = length_of(&def, lengths);
    assert_ok(sinew_limb_init(&limb, &def, NULL));
    random_direction(25, i, direction);
    point_at(def.shoulder, 2.0 * length, direction, pole);
    sinew_limb_goal goal = {.pole = pole};
    random_target(&def, i, goal.target);
    sinew_limb_pose pose;
    assert_ok(sinew_limb_solve(&limb, &goal, NULL, &pose));
    const double best = distance(pose.elbow, pole);
    for (int k = -50; k <= 50; ++k) {
      sinew_limb_pose other;
      goal.swivel = PI * k / 50.0;
      assert_ok(sinew_limb_solve(&limb, &goal, NULL, &other));
      assert_true(distance(other.elbow, pole) >= best - 1e-13 * length - 1e-14 * best);
      assert_at_most(distance(other.wrist, pose.wrist),
                     1e-13 * (length + sinew_norm_safe(def.shoulder)));
    }
  }
}

// The direction of the bend axis for a target in direction u, at 0.7 of the limb's length.
static void bend_axis_at(const sinew_limb *limb, const sinew_limb_def *def, const double *pole,
                         const double u[3], double n[3]) {
  double lengths[2], upper[3], v[3];
  const double length = length_of(def, lengths);
  sinew_limb_goal goal = {.pole = pole};
  sinew_limb_pose pose;
  sinew_unit(u, v);
  point_at(def->shoulder, 0.7 * length, v, goal.target);
  assert_ok(sinew_limb_solve(limb, &goal, NULL, &pose));
  between(def->shoulder, pose.elbow, upper);
  sinew_cross(v, upper, n);
  sinew_unit(n, n);
}

static sinew_limb_def equal_segments(sinew_limb_bend bend) {
  sinew_limb_def def = sinew_default_limb_def();
  const double elbow[3] = {0.3, 0.1, -0.9}, wrist[3] = {0.1, 0.2, -1.8};
  memcpy(def.elbow, elbow, sizeof elbow);
  memcpy(def.wrist, wrist, sizeof wrist);
  def.bend = bend;
  return def;
}

// How fast the bend axis changes with the target's direction, against 3 over the angle between that
// and the nearest bad direction: bad directions are the only ones near which it changes fast. And
// at a bad one it changes by much between directions that are close to each other.
static void check_bad_directions(const sinew_limb_def *def, const double *pole, int count,
                                 const double bad[][3]) {
  sinew_limb limb;
  assert_ok(sinew_limb_init(&limb, def, NULL));
  const double step = 1e-7;
  for (int i = 0; i < 20000; ++i) {
    double u[3], near[3], n[3], m[3], side[3];
    random_direction(30, i, u);
    random_direction(31, i, side);
    if (i % 2 == 0) { // near a bad direction or its opposite, at 1 to 1e-4 rad
      const double sign = i % 4 == 0 ? 1.0 : -1.0, far = pow(10.0, -4.0 * uniform(32, i));
      for (int k = 0; k < 3; ++k) {
        u[k] = sign * bad[0][k] + far * u[k];
      }
      sinew_unit(u, u);
    }
    double least = PI;
    for (int b = 0; b < count; ++b) {
      least = sinew_min(least, acos(sinew_clamp(sinew_dot(u, bad[b]), -1.0, 1.0)));
    }
    if (least < 1e-4) {
      continue;
    }
    point_at(u, step, side, near);
    bend_axis_at(&limb, def, pole, u, n);
    bend_axis_at(&limb, def, pole, near, m);
    assert_at_most(distance(n, m), 3.0 * step / sin(sinew_min(least, 1.5)) + 1e-13);
  }
  for (int b = 0; b < count; ++b) {
    double side[3], first[3], second[3], n[3], m[3];
    sinew_cross(bad[b], (double[3]){0.3, -0.5, 0.8}, side);
    sinew_unit(side, side);
    point_at(bad[b], 1e-8, side, first);
    point_at(bad[b], -1e-8, side, second);
    bend_axis_at(&limb, def, pole, first, n);
    bend_axis_at(&limb, def, pole, second, m);
    sinew_cross(bad[b], side, side);
    point_at(bad[b], 1e-8, side, first);
    double k[3];
    bend_axis_at(&limb, def, pole, first, k);
    assert_true(sinew_max(distance(n, m), distance(n, k)) > 1.0);
  }
}

static void rest_rule_has_one_bad_direction(void **state) {
  (void)state;
  const sinew_limb_def def = equal_segments(SINEW_LIMB_BEND_REST);
  double bad[1][3];
  between(def.wrist, def.shoulder, bad[0]);
  sinew_unit(bad[0], bad[0]);
  check_bad_directions(&def, NULL, 1, (const double(*)[3])bad);
}

static void pole_rule_has_two_bad_directions(void **state) {
  (void)state;
  const sinew_limb_def def = equal_segments(SINEW_LIMB_BEND_POLE);
  const double pole[3] = {0.5, 2.0, 1.0};
  double bad[2][3];
  sinew_unit(pole, bad[0]);
  point_at((double[3]){0.0, 0.0, 0.0}, -1.0, bad[0], bad[1]);
  check_bad_directions(&def, pole, 2, (const double(*)[3])bad);
}

// Along random paths, through the pole, opposite to it and through the direction opposite to that
// at rest, the bend axis turns by no more than the target's direction and max_rate. Then the target
// stays, and the bend axis ends at that of the rule without memory.
static void memory_never_flips(void **state) {
  (void)state;
  const double pole[3] = {0.5, 2.0, 1.0};
  for (int run = 0; run < 40; ++run) {
    sinew_limb_def def = equal_segments(SINEW_LIMB_BEND_MEMORY);
    sinew_limb limb;
    sinew_limb_memory memory = {{0}, {0}};
    const bool has_pole = run % 2 == 0;
    double u[3], last[3], n[3] = {0.0, 0.0, 0.0}, to[3], rest[3];
    def.max_rate = 0.05;
    assert_ok(sinew_limb_init(&limb, &def, NULL));
    random_direction(40, run, u);
    between(def.shoulder, def.wrist, rest);
    sinew_limb_goal goal = {.pole = has_pole ? pole : NULL};
    sinew_limb_pose pose;
    double settled = 0.0;
    for (int k = 0; k < 4000; ++k) {
      // Every 100 steps another place to go to; some are the bad directions
      const int leg = k < 600 ? k / 100 : 6;
      random_direction(41, 10 * run + leg, to);
      const double *at = leg % 3 == 0 ? pole : rest;
      if (leg % 2 == 0 && leg < 6) {
        point_at((double[3]){0.0, 0.0, 0.0}, leg % 4 == 0 ? -1.0 : 1.0, at, to);
      }
      memcpy(last, u, sizeof last);
      if (leg < 6) {
        sinew_unit(to, to);
        point_at(u, 0.05, to, u);
        if (k % 100 == 99) {
          memcpy(u, to, sizeof u); // exactly there
        }
        sinew_unit(u, u);
      }
      point_at(def.shoulder, 1.2, u, goal.target);
      assert_ok(sinew_limb_solve(&limb, &goal, &memory, &pose));
      check_pose(&def, goal.target, &pose);
      const double turned = distance(memory.bend_axis, n);
      if (k > 0) {
        assert_at_most(turned, 1.001 * distance(u, last) + def.max_rate + 1e-12);
      }
      settled = turned;
      memcpy(n, memory.bend_axis, sizeof n);
    }
    assert_at_most(settled, 1e-9);
    def.bend = has_pole ? SINEW_LIMB_BEND_POLE : SINEW_LIMB_BEND_REST;
    assert_ok(sinew_limb_init(&limb, &def, NULL));
    double without[3];
    bend_axis_at(&limb, &def, goal.pole, u, without);
    assert_at_most(distance(n, without), 1e-7);
  }
}

// d' = L - z exp(-(d - (L - z)) / z) beyond L - z, and the elbow never stops suddenly.
static void soft_reach(void **state) {
  (void)state;
  const double softs[] = {0.01, 0.1, 0.5};
  for (int k = 0; k < 3; ++k) {
    sinew_limb_def def = equal_segments(SINEW_LIMB_BEND_REST);
    sinew_limb limb;
    double lengths[2], u[3], last = 0.0;
    def.soft = softs[k];
    const double length = length_of(&def, lengths), zone = def.soft * length;
    assert_ok(sinew_limb_init(&limb, &def, NULL));
    random_direction(50, k, u);
    for (int i = 1; i <= 3000; ++i) {
      const double d = 1.5 * length * i / 3000.0;
      sinew_limb_goal goal = {.pole = NULL};
      sinew_limb_pose pose;
      point_at(def.shoulder, d, u, goal.target);
      assert_ok(sinew_limb_solve(&limb, &goal, NULL, &pose));
      check_pose(&def, goal.target, &pose);
      const double beyond = d - (length - zone);
      const double reach = distance(pose.wrist, def.shoulder);
      const double least = fabs(lengths[0] - lengths[1]);
      const double wanted =
          beyond > 0.0 ? length - zone * exp(-beyond / zone) : sinew_max(d, least);
      assert_near(reach, wanted, 1e-13);
      assert_true(reach <= length + 1e-15 && reach >= last - 1e-14);
      last = reach;
    }
  }
}

static void stretch(void **state) {
  (void)state;
  for (int i = 0; i < 500; ++i) {
    sinew_limb_def def = random_limb(i);
    sinew_limb limb;
    double lengths[2], u[3];
    def.stretch = i % 3 == 0 ? 1.0 : uniform(51, i);
    def.soft = i % 2 == 0 ? 0.0 : 0.2;
    const double length = length_of(&def, lengths), d = 3.0 * length * uniform(53, i);
    assert_ok(sinew_limb_init(&limb, &def, NULL));
    random_direction(52, i, u);
    sinew_limb_goal goal = {.pole = NULL};
    sinew_limb_pose pose, plain;
    point_at(def.shoulder, d, u, goal.target);
    assert_ok(sinew_limb_solve(&limb, &goal, NULL, &pose));
    check_pose(&def, goal.target, &pose);
    def.stretch = 0.0;
    assert_ok(sinew_limb_init(&limb, &def, NULL));
    assert_ok(sinew_limb_solve(&limb, &goal, NULL, &plain));
    def.stretch = i % 3 == 0 ? 1.0 : uniform(51, i);
    const bool beyond = d > distance(plain.wrist, def.shoulder);
    const double left = beyond ? (1.0 - def.stretch) * plain.miss : plain.miss;
    assert_near(pose.miss, left, 1e-12 * (length + d) + 1e-14 * sinew_norm_safe(def.shoulder));
    assert_true(pose.scale >= 1.0 && (beyond || pose.scale == 1.0));
  }
}

// -------------------------------------------------------------- lanes, one by one

enum { ROWS = 67 };

typedef struct rows {
  double targets[ROWS][3], poles[ROWS][3], swivels[ROWS];
  double upper[ROWS][4], lower[ROWS][4], elbows[ROWS][3], wrists[ROWS][3];
  double scales[ROWS], misses[ROWS];
  sinew_limb_memory memories[ROWS];
} rows;

static sinew_limb_arrays arrays_of(rows *r) {
  return (sinew_limb_arrays){.targets = r->targets[0],
                             .poles = r->poles[0],
                             .swivels = r->swivels,
                             .memories = r->memories,
                             .upper = r->upper[0],
                             .lower = r->lower[0],
                             .elbows = r->elbows[0],
                             .wrists = r->wrists[0],
                             .scales = r->scales,
                             .misses = r->misses};
}

static void fill_rows(const sinew_limb_def *def, int seed, rows *r) {
  memset(r, 0, sizeof *r);
  for (int i = 0; i < ROWS; ++i) {
    random_target(def, seed + i, r->targets[i]);
    random_direction(60, seed + i, r->poles[i]);
    r->swivels[i] = uniform(61, seed + i) - 0.5;
    random_direction(62, seed + i, r->memories[i].direction);
    sinew_cross(r->memories[i].direction, r->poles[i], r->memories[i].bend_axis);
    sinew_unit(r->memories[i].bend_axis, r->memories[i].bend_axis);
  }
}

static sinew_limb_pose pose_of(const rows *r, int i) {
  sinew_limb_pose pose = {.scale = r->scales[i], .miss = r->misses[i]};
  memcpy(pose.upper, r->upper[i], sizeof pose.upper);
  memcpy(pose.lower, r->lower[i], sizeof pose.lower);
  memcpy(pose.elbow, r->elbows[i], sizeof pose.elbow);
  memcpy(pose.wrist, r->wrists[i], sizeof pose.wrist);
  return pose;
}

static void lanes_agree_with_one(void **state) {
  const sinew_limb_kernel *kernel = sinew_limb_kernel_of(set_of_state(state));
  for (int run = 0; run < 60; ++run) {
    static rows all, one;
    sinew_limb_def def = random_limb(run);
    sinew_limb limb;
    double lengths[2];
    def.bend = run % 3;
    def.soft = run % 2 == 0 ? 0.0 : 0.1;
    def.stretch = run % 4 == 0 ? 0.5 : 0.0;
    assert_ok(sinew_limb_init(&limb, &def, NULL));
    const double length = length_of(&def, lengths) + sinew_norm_safe(def.shoulder);
    const size_t count = (size_t)(1 + run);
    fill_rows(&def, run, &all);
    memcpy(&one, &all, sizeof one);
    const sinew_limb_arrays arrays = arrays_of(&all);
    assert_true(kernel->limbs(&limb, count, &arrays));
    for (size_t i = 0; i < count; ++i) {
      sinew_limb_goal goal = {.pole = one.poles[i], .swivel = one.swivels[i]};
      sinew_limb_pose pose;
      memcpy(goal.target, one.targets[i], sizeof goal.target);
      assert_ok(sinew_limb_solve(&limb, &goal, &one.memories[i], &pose));
      const sinew_limb_pose lane = pose_of(&all, (int)i);
      // Where the elbow is straight, its angle is the root of the distance's rounding.
      assert_at_most(farthest(4, lane.upper, pose.upper), 1e-7);
      assert_at_most(farthest(4, lane.lower, pose.lower), 1e-7);
      assert_at_most(farthest(3, lane.elbow, pose.elbow), 1e-7 * length);
      assert_at_most(farthest(3, lane.wrist, pose.wrist), 1e-12 * (length + pose.miss));
      assert_near(lane.scale, pose.scale, 1e-12 * pose.scale);
      assert_near(lane.miss, pose.miss, 1e-12 * (length + pose.miss));
      assert_at_most(farthest(6, all.memories[i].direction, one.memories[i].direction), 1e-12);
      check_pose(&def, goal.target, &lane);
    }
    // Rows after the last are not written.
    for (size_t i = count; i < ROWS; ++i) {
      assert_true(all.upper[i][0] == 0.0 && all.misses[i] == 0.0);
      assert_memory_equal(&all.memories[i], &one.memories[i], sizeof all.memories[i]);
    }
  }
}

// Targets and poles of all sizes, in any direction and opposite to the limb: the rotations have
// length 1, and the elbow is on the side of the pole.
static void sizes_of_targets_and_poles(void **state) {
  static const double sizes[] = {1e-58, 1e-30, 1e-11, 1e-7, 1e-3, 1.0, 1e3, 1e7, 9e11, 1e50, 9e99};
  enum { SIZES = sizeof sizes / sizeof *sizes, WAYS = 3 };
  const sinew_limb_kernel *kernel = sinew_limb_kernel_of(set_of_state(state));
  sinew_limb_def def = sinew_default_limb_def();
  sinew_limb limb;
  def.elbow[1] = 0.1;
  def.bend = SINEW_LIMB_BEND_POLE;
  assert_ok(sinew_limb_init(&limb, &def, NULL));
  for (int i = 0; i < SIZES * SIZES * WAYS; ++i) {
    double target[3], pole[3], upper[4], lower[4], elbow[3], u[3], side[3];
    const double far = sizes[i % SIZES], pole_far = sizes[i / SIZES % SIZES];
    const int way = i / (SIZES * SIZES); // any direction, opposite, nearly opposite
    random_direction(70, i, u);
    for (int k = 0; k < 3; ++k) { // at rest it points to -z
      target[k] = far * (way == 0 ? u[k] : k == 2 ? 1.0 : way == 1 ? 0.0 : 1e-9 * u[k]);
    }
    random_direction(71, i, side);
    sinew_scale(pole_far, side, pole);
    const sinew_limb_arrays arrays = {
        .targets = target, .poles = pole, .upper = upper, .lower = lower, .elbows = elbow};
    sinew_limb_goal goal = {.target = {target[0], target[1], target[2]}, .pole = pole};
    sinew_limb_pose pose;
    assert_ok(sinew_limb_solve(&limb, &goal, NULL, &pose));
    assert_true(kernel->limbs(&limb, 1, &arrays));
    assert_near(quaternion_norm(pose.upper), 1.0, 1e-14);
    assert_near(quaternion_norm(pose.lower), 1.0, 1e-14);
    assert_near(quaternion_norm(upper), 1.0, 1e-14);
    assert_near(quaternion_norm(lower), 1.0, 1e-14);
    if (far <= 1e-11 || far > 1.0) { // of these the elbow is folded or straight
      continue;
    }
    // What the elbow and the pole have across the line to the target are one direction.
    sinew_unit(target, u);
    const double along = sinew_dot(u, side);
    const double height = sinew_dot(u, pose.elbow), height_lane = sinew_dot(u, elbow);
    double *const elbows[2] = {pose.elbow, elbow};
    for (int k = 0; k < 3; ++k) {
      side[k] -= along * u[k];
      pose.elbow[k] -= height * u[k];
      elbow[k] -= height_lane * u[k];
    }
    for (int e = 0; e < 2; ++e) {
      assert_true(sinew_dot(side, elbows[e]) >=
                  (1.0 - 1e-9) * sinew_norm_safe(side) * sinew_norm_safe(elbows[e]));
    }
  }
}

// A row with a number that cannot be used gets the rest pose and keeps its memory; no other row
// changes by a bit.
static void refused_rows(void **state) {
  const sinew_limb_kernel *kernel = sinew_limb_kernel_of(set_of_state(state));
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e101, 1e300};
  static rows good, all;
  for (int run = 0; run < 45; ++run) {
    sinew_limb_def def = random_limb(run);
    sinew_limb limb;
    def.bend = run % 3;
    assert_ok(sinew_limb_init(&limb, &def, NULL));
    fill_rows(&def, run, &good);
    memcpy(&all, &good, sizeof all);
    const int row = run % ROWS, field = run / 3 % 4;
    const double value = bad[run % 5];
    const bool used = field == 0 || field == 1 || (field == 2 ? def.bend != 0 : def.bend == 2);
    double *const fields[] = {&all.targets[row][run % 3], &all.swivels[row],
                              &all.poles[row][run % 3], &all.memories[row].bend_axis[run % 3]};
    *fields[field] = value;
    sinew_limb_arrays arrays = arrays_of(&good);
    assert_true(kernel->limbs(&limb, ROWS, &arrays));
    arrays = arrays_of(&all);
    const sinew_limb_memory memory = all.memories[row];
    assert_int_equal(kernel->limbs(&limb, ROWS, &arrays), !used);
    for (int i = 0; i < ROWS; ++i) {
      const sinew_limb_pose a = pose_of(&good, i), b = pose_of(&all, i);
      if (i != row || !used) {
        assert_memory_equal(&a, &b, sizeof a);
        continue;
      }
      assert_true(b.miss == -1.0 && b.scale == 1.0 && b.upper[0] == 1.0 && b.lower[0] == 1.0);
      assert_at_most(distance(b.wrist, def.wrist),
                     1e-13 * (sinew_norm_safe(def.wrist) + sinew_norm_safe(def.shoulder)));
      assert_memory_equal(&memory, &all.memories[i], sizeof memory);
    }
  }
}

// ------------------------------------------------------------------- bad input

static void expect_refusal(const sinew_limb_def *def, sinew_result result, const char *field) {
  sinew_limb limb;
  sinew_error error;
  assert_int_equal(sinew_limb_init(&limb, def, &error), result);
  assert_non_null(strstr(error.message, field));
}

static void definitions_are_refused_by_name(void **state) {
  (void)state;
  sinew_limb_def def = sinew_default_limb_def();
  expect_refusal(&def, SINEW_ERROR_ARGUMENT, "bend_axis"); // straight, and no axis
  def.bend_axis[2] = 1.0;                                  // along the limb
  expect_refusal(&def, SINEW_ERROR_ARGUMENT, "bend_axis");
  def.bend_axis[0] = 1.0;
  sinew_limb limb;
  assert_ok(sinew_limb_init(&limb, &def, NULL));
  const sinew_limb_def good = def;
  def.wrist[1] = NAN;
  expect_refusal(&def, SINEW_ERROR_NOT_FINITE, "wrist");
  def = good;
  memcpy(def.elbow, def.shoulder, sizeof def.elbow);
  expect_refusal(&def, SINEW_ERROR_ARGUMENT, "elbow");
  def = good;
  memcpy(def.wrist, def.elbow, sizeof def.wrist);
  expect_refusal(&def, SINEW_ERROR_ARGUMENT, "wrist");
  def = good;
  memcpy(def.wrist, def.shoulder, sizeof def.wrist);
  expect_refusal(&def, SINEW_ERROR_ARGUMENT, "wrist");
  def = good;
  def.soft = 0.6;
  expect_refusal(&def, SINEW_ERROR_ARGUMENT, "soft");
  def = good;
  def.stretch = -0.1;
  expect_refusal(&def, SINEW_ERROR_ARGUMENT, "stretch");
  def = good;
  def.max_rate = -1.0;
  expect_refusal(&def, SINEW_ERROR_ARGUMENT, "max_rate");
  def = good;
  def.bend = (sinew_limb_bend)7;
  expect_refusal(&def, SINEW_ERROR_ARGUMENT, "bend");
  def = good;
  def.cookie = 0;
  expect_refusal(&def, SINEW_ERROR_ARGUMENT, "sinew_default_limb_def");
}

static void calls_are_refused(void **state) {
  (void)state;
  sinew_limb_def def = equal_segments(SINEW_LIMB_BEND_POLE);
  sinew_limb limb;
  sinew_limb_goal goal = {.target = {0.5, 0.5, 0.5}};
  sinew_limb_pose pose;
  assert_ok(sinew_limb_init(&limb, &def, NULL));
  assert_int_equal(sinew_limb_solve(&limb, &goal, NULL, &pose), SINEW_ERROR_ARGUMENT);
  def.bend = SINEW_LIMB_BEND_MEMORY;
  assert_ok(sinew_limb_init(&limb, &def, NULL));
  assert_int_equal(sinew_limb_solve(&limb, &goal, NULL, &pose), SINEW_ERROR_ARGUMENT);
  sinew_limb_memory memory = {{0}, {0}};
  goal.target[1] = NAN;
  assert_int_equal(sinew_limb_solve(&limb, &goal, &memory, &pose), SINEW_ERROR_NOT_FINITE);
  assert_true(pose.miss == -1.0 && memory.direction[0] == 0.0);
  assert_ok(sinew_limbs_solve(&limb, 0, &(sinew_limb_arrays){0}));
  assert_int_equal(sinew_limbs_solve(&limb, 1, &(sinew_limb_arrays){0}), SINEW_ERROR_ARGUMENT);
}

// --------------------------------------------------------------------- aims

static sinew_aim_def random_aim(int i) {
  sinew_aim_def def = sinew_default_aim_def();
  for (int k = 0; k < 4; ++k) {
    def.rest[k] = uniform(70, 4 * i + k) - 0.5;
  }
  for (int k = 0; k < 3; ++k) {
    def.joint[k] = 2.0 * uniform(71, 3 * i + k) - 1.0;
    def.eye[k] = i % 3 == 0 ? 0.0 : 0.4 * uniform(72, 3 * i + k) - 0.2;
  }
  random_direction(73, i, def.forward);
  random_direction(74, i, def.up);
  return def;
}

// The distance from a point to the ray of an aimed link.
static double distance_to_ray(const sinew_aim_def *def, const double rotation[4],
                              const double target[3]) {
  double eye[3], forward[3], to[3], across[3];
  sinew_quaternion_rotate(rotation, def->eye, eye);
  sinew_quaternion_rotate(rotation, def->forward, forward);
  point_at(def->joint, 1.0, eye, eye);
  between(eye, target, to);
  sinew_unit(forward, forward);
  sinew_cross(forward, to, across);
  return sinew_dot(forward, to) > 0.0 ? sinew_norm_safe(across) : sinew_norm_safe(to);
}

static void ray_goes_through_the_target(void **state) {
  (void)state;
  for (int i = 0; i < CASES; ++i) {
    const sinew_aim_def def = random_aim(i);
    sinew_aim aim;
    double u[3], target[3], up[3], q[4], miss;
    assert_ok(sinew_aim_init(&aim, &def, NULL));
    random_direction(75, i, u);
    random_direction(76, i, up);
    const double far = pow(10.0, 6.0 * uniform(77, i) - 1.0);
    point_at(def.joint, far, u, target);
    assert_ok(sinew_aim_solve(&aim, target, i % 2 == 0 ? up : NULL, q, &miss));
    assert_near(quaternion_norm(q), 1.0, 1e-14);
    assert_near(distance_to_ray(&def, q, target), miss, 1e-14 * (1.0 + far));
    const double eye = sinew_norm_safe(def.eye);
    assert_at_most(miss, far > eye ? 1e-14 * (1.0 + far) : eye + far);
  }
}

// Targets opposite to the ray's point at their distance, exactly and nearly: any normal is the
// axis of a rotation there, but nothing else is.
static void ray_turns_round(void **state) {
  (void)state;
  for (int i = 0; i < CASES; ++i) {
    sinew_aim_def def = random_aim(i);
    sinew_aim aim;
    double target[3], u[3], up[3], q[4], miss;
    sinew_zero(3, def.joint);
    if (i % 3 == 0) {
      sinew_zero(3, def.eye);
    }
    assert_ok(sinew_aim_init(&aim, &def, NULL));
    random_direction(78, i, u);
    random_direction(79, i, up);
    const double off = i % 2 == 0 ? 0.0 : pow(10.0, -20.0 * uniform(80, i));
    for (int k = 0; k < 3; ++k) {
      target[k] = -(aim.eye[k] + 2.0 * aim.forward[k]) + off * u[k];
    }
    assert_ok(sinew_aim_solve(&aim, target, i % 4 < 2 ? up : NULL, q, &miss));
    assert_near(quaternion_norm(q), 1.0, 1e-14);
    assert_near(distance_to_ray(&def, q, target), miss, 1e-13);
  }
}

// About the line from the joint to the target nothing is better.
static void up_is_as_near_as_can_be(void **state) {
  (void)state;
  for (int i = 0; i < 500; ++i) {
    const sinew_aim_def def = random_aim(i);
    sinew_aim aim;
    double u[3], target[3], up[3], q[4], a[3];
    assert_ok(sinew_aim_init(&aim, &def, NULL));
    random_direction(75, i, u);
    random_direction(76, i, up);
    point_at(def.joint, 3.0, u, target);
    assert_ok(sinew_aim_solve(&aim, target, up, q, NULL));
    sinew_quaternion_rotate(q, def.up, a);
    const double best = sinew_dot(a, up);
    for (int k = 1; k < 40; ++k) {
      const double angle = 2.0 * PI * k / 40.0;
      const double w[3] = {angle * u[0], angle * u[1], angle * u[2]};
      double turn[4], b[3];
      sinew_quaternion_exp(w, turn);
      sinew_quaternion_rotate(turn, a, b);
      assert_at_most(sinew_dot(b, up), best + 1e-14);
    }
  }
}

// Without an up vector, and with the eye in the joint, the angle from rest is that between the ray
// at rest and the target.
static void aim_is_the_shortest_rotation(void **state) {
  (void)state;
  for (int i = 0; i < 1500; i += 3) {
    const sinew_aim_def def = random_aim(i);
    sinew_aim aim;
    double u[3], target[3], q[4], rest[4], forward[3], w[3];
    assert_ok(sinew_aim_init(&aim, &def, NULL));
    random_direction(75, i, u);
    point_at(def.joint, 3.0, u, target);
    assert_ok(sinew_aim_solve(&aim, target, NULL, q, NULL));
    memcpy(rest, def.rest, sizeof rest);
    sinew_quaternion_normalize(rest);
    sinew_quaternion_rotate(rest, def.forward, forward);
    for (int k = 1; k < 4; ++k) {
      rest[k] = -rest[k];
    }
    sinew_quaternion_multiply(q, rest, q);
    sinew_quaternion_log(q, w);
    double across[3];
    sinew_cross(forward, u, across);
    assert_near(sinew_norm_safe(w), atan2(sinew_norm_safe(across), sinew_dot(forward, u)), 1e-12);
  }
}

static void aim_lanes_agree_with_one(void **state) {
  const sinew_limb_kernel *kernel = sinew_limb_kernel_of(set_of_state(state));
  for (int run = 0; run < 60; ++run) {
    const sinew_aim_def def = random_aim(run);
    static double targets[ROWS][3], ups[ROWS][3], q[ROWS][4], misses[ROWS];
    sinew_aim aim;
    assert_ok(sinew_aim_init(&aim, &def, NULL));
    for (int i = 0; i < ROWS; ++i) {
      random_direction(80, 100 * run + i, targets[i]);
      random_direction(81, 100 * run + i, ups[i]);
      point_at(def.joint, 0.2 + i, targets[i], targets[i]);
    }
    const int bad = run % 4 == 0 ? run : ROWS;
    if (bad < ROWS) {
      targets[bad][run % 3] = run % 8 == 0 ? NAN : INFINITY;
    }
    const sinew_aim_arrays arrays = {
        .targets = targets[0], .ups = run % 2 ? ups[0] : NULL, .rotations = q[0], .misses = misses};
    assert_int_equal(kernel->aims(&aim, ROWS, &arrays), bad == ROWS);
    for (int i = 0; i < ROWS; ++i) {
      double one[4], miss;
      const sinew_result result =
          sinew_aim_solve(&aim, targets[i], run % 2 ? ups[i] : NULL, one, &miss);
      assert_int_equal(result, i == bad ? SINEW_ERROR_NOT_FINITE : SINEW_OK);
      assert_at_most(farthest(4, one, q[i]), 1e-12);
      assert_near(misses[i], miss, 1e-12 * (1.0 + i));
      assert_true((miss == -1.0) == (i == bad));
    }
  }
}

static void aims_are_refused_by_name(void **state) {
  (void)state;
  sinew_aim aim;
  sinew_error error;
  sinew_aim_def def = sinew_default_aim_def();
  assert_ok(sinew_aim_init(&aim, &def, NULL));
  def.forward[0] = 0.0;
  assert_int_equal(sinew_aim_init(&aim, &def, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "forward"));
  def = sinew_default_aim_def();
  def.eye[1] = NAN;
  assert_int_equal(sinew_aim_init(&aim, &def, &error), SINEW_ERROR_NOT_FINITE);
  assert_non_null(strstr(error.message, "eye"));
  assert_int_equal(sinew_aims_solve(&aim, 1, &(sinew_aim_arrays){0}), SINEW_ERROR_ARGUMENT);
}

// Finite for hostile targets: at the joint, opposite to the ray, near zero and huge.
static void aims_are_always_finite(void **state) {
  (void)state;
  const double sizes[] = {0.0, 1e-320, 1e-160, 1e-12, 1.0, 1e99};
  for (int i = 0; i < 600; ++i) {
    const sinew_aim_def def = random_aim(i);
    sinew_aim aim;
    double target[3], forward[3], rest[4], up[3], q[4], miss;
    assert_ok(sinew_aim_init(&aim, &def, NULL));
    memcpy(rest, def.rest, sizeof rest);
    sinew_quaternion_normalize(rest);
    sinew_quaternion_rotate(rest, def.forward, forward);
    point_at(def.joint, (i % 2 ? -1.0 : 1.0) * sizes[i % 6], forward, target);
    point_at((double[3]){0.0, 0.0, 0.0}, sizes[i / 6 % 6], forward, up);
    assert_ok(sinew_aim_solve(&aim, target, up, q, &miss));
    assert_near(quaternion_norm(q), 1.0, 1e-14);
    assert_true(isfinite(miss));
  }
}

// ------------------------------------------------------------ two links in a plane

// req: D17
static void two_links(void **state) {
  (void)state;
  for (int i = 0; i < CASES; ++i) {
    const double lengths[2] = {0.1 + uniform(90, i),
                               i % 4 == 0 ? 0.1 + uniform(90, i) : 0.1 + uniform(91, i)};
    const double sum = lengths[0] + lengths[1], least = fabs(lengths[0] - lengths[1]);
    const double far = i % 5 == 0 ? sum : i % 5 == 1 ? least : 1.5 * sum * uniform(92, i);
    const double angle = 2.0 * PI * uniform(93, i);
    const double target[2] = {far * cos(angle), far * sin(angle)};
    double q[4], miss;
    const int count = sinew_two_link_solve(lengths, target, q, &miss);
    const double expected = far > sum ? far - sum : far < least ? least - far : 0.0;
    assert_near(miss, expected, 1e-15 * sum);
    assert_true(q[1] >= 0.0 && q[3] <= 0.0);
    if (i % 5 > 1) {
      assert_int_equal(count, far > sum || far < least ? 1 : 2);
    }
    for (int k = 0; k < 2; ++k) {
      const double a = q[2 * k], b = a + q[2 * k + 1];
      const double x = lengths[0] * cos(a) + lengths[1] * cos(b);
      const double y = lengths[0] * sin(a) + lengths[1] * sin(b);
      assert_near(hypot(x - target[0], y - target[1]), expected, 4e-15 * (sum + far));
      assert_at_most(fabs(a), PI);
    }
  }
}

static void two_links_bad_input(void **state) {
  (void)state;
  double q[4], miss;
  const double good[2] = {1.0, 1.0}, origin[2] = {0.0, 0.0};
  assert_int_equal(sinew_two_link_solve(good, origin, q, &miss), 1);
  assert_near(fabs(q[1]), PI, 1e-15);
  assert_true(q[0] == 0.0 || fabs(q[0]) <= PI);
  const double bad[][2] = {{0.0, 1.0}, {1.0, -1.0}, {NAN, 1.0}, {1.0, INFINITY}};
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(sinew_two_link_solve(bad[i], origin, q, &miss), 0);
    assert_true(miss == -1.0 && q[0] == 0.0 && q[3] == 0.0);
  }
  assert_int_equal(sinew_two_link_solve(good, bad[2], q, NULL), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meets_targets),
      cmocka_unit_test(turns_round),
      cmocka_unit_test(rest_pose_stays),
      cmocka_unit_test(bends_to_its_side),
      cmocka_unit_test(pole_attracts_the_elbow),
      cmocka_unit_test(rest_rule_has_one_bad_direction),
      cmocka_unit_test(pole_rule_has_two_bad_directions),
      cmocka_unit_test(memory_never_flips),
      cmocka_unit_test(soft_reach),
      cmocka_unit_test(stretch),
      ON_EACH_SET(lanes_agree_with_one),
      ON_EACH_SET(sizes_of_targets_and_poles),
      ON_EACH_SET(refused_rows),
      cmocka_unit_test(definitions_are_refused_by_name),
      cmocka_unit_test(calls_are_refused),
      cmocka_unit_test(ray_goes_through_the_target),
      cmocka_unit_test(ray_turns_round),
      cmocka_unit_test(up_is_as_near_as_can_be),
      cmocka_unit_test(aim_is_the_shortest_rotation),
      ON_EACH_SET(aim_lanes_agree_with_one),
      cmocka_unit_test(aims_are_refused_by_name),
      cmocka_unit_test(aims_are_always_finite),
      cmocka_unit_test(two_links),
      cmocka_unit_test(two_links_bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
