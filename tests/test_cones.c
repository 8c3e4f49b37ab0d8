// Limits of swing and twist of spherical joints: what they mean, and that updates, solves and
// configurations keep them.
#include "fixtures.h"
#include "inspect.h"
#include "sample.h"

#include <string.h>

#define MOST 64 // values of a tree
#define HELD 1e-9
#define SPEED 0.09 // the most that a component of a motion may be [rad]

// An asymmetric cone with any axes; half of them with limits of twist.
static sinew_cone any_cone(random_stream *random) {
  double axis[3], axis2[3], lower[3] = {-INFINITY}, upper[3] = {INFINITY};
  random_unit(random, 3, axis);
  random_unit(random, 3, axis2);
  for (int i = 1; i < 3; ++i) {
    lower[i] = random_between(random, -3.0, -0.2);
    upper[i] = random_between(random, 0.2, 3.0);
  }
  if (random_below(random, 2) == 0) {
    lower[0] = random_between(random, -3.0, 0.5);
    upper[0] = random_between(random, lower[0], 3.0);
  }
  sinew_cone cone;
  sinew_cone_set(&cone, axis, axis2, lower, upper);
  return cone;
}

// Swing and twist from what they are: the swing is the shortest rotation that brings the axis x to
// where q brings it, the twist what remains. req: E8
static void swing_and_twist_are_what_they_say(void **state) {
  (void)state;
  random_stream random = random_stream_of(1);
  for (int round = 0; round < 2000; ++round) {
    const sinew_cone cone = any_cone(&random);
    double q[4], moved[3], axis[3], back[4];
    random_unit(&random, 4, q);
    sinew_swing_twist of;
    sinew_swing_twist_of(&cone, q, &of);
    sinew_quaternion_rotate(q, cone.axes[0], moved);
    sinew_cross(cone.axes[0], moved, axis);
    const double angle = atan2(sinew_norm(axis), sinew_dot(cone.axes[0], moved));
    for (int i = 0; i < 2; ++i) {
      assert_near(of.swing[i], angle * sinew_dot(axis, cone.axes[1 + i]) / sinew_norm(axis), 1e-9);
    }
    assert_at_most(fabs(of.twist), PI + 1e-15);
    sinew_swing_twist_to(&cone, &of, back);
    double w[3];
    sinew_quaternion_difference(q, back, w);
    assert_at_most(sinew_norm(w), 1e-9);
  }
}

// The level and the twist after a short step, by differences and by the rows.
static void rows_are_derivatives(void **state) {
  (void)state;
  random_stream random = random_stream_of(2);
  const double h = 1e-6;
  for (int round = 0; round < 2000; ++round) {
    const sinew_cone cone = any_cone(&random);
    double q[4], u[3];
    for (int i = 0; i < 3; ++i) {
      u[i] = random_between(&random, 0.01, 0.99);
    }
    sinew_cone_of_uniform(&cone, u, q);
    sinew_cone_rows rows;
    sinew_cone_linearize(&cone, q, &rows);
    for (int i = 0; i < 3; ++i) {
      sinew_swing_twist at[2];
      for (int side = 0; side < 2; ++side) {
        double w[3] = {0.0, 0.0, 0.0}, moved[4];
        w[i] = side == 0 ? -h : h;
        memcpy(moved, q, sizeof moved);
        sinew_quaternion_apply(moved, w);
        sinew_swing_twist_of(&cone, moved, &at[side]);
      }
      const double level =
          (sinew_cone_level(&cone, at[1].swing) - sinew_cone_level(&cone, at[0].swing)) / (2 * h);
      const double twist = remainder(at[1].twist - at[0].twist, 2 * PI) / (2 * h);
      const double size = rows.swing_unit + rows.twist_unit;
      assert_near(rows.swing[i] * rows.swing_unit, level, 1e-6 * size * size);
      assert_near(rows.twist[i] * rows.twist_unit, twist, 1e-6 * size * size);
    }
    sinew_swing_twist of;
    sinew_swing_twist_of(&cone, q, &of);
    assert_near(rows.most * rows.swing_unit, 1.0 - sinew_cone_level(&cone, of.swing), 1e-12);
    if (cone.upper[0] - cone.lower[0] < 6.2) {
      assert_near(rows.up * rows.twist_unit, cone.upper[0] - of.twist, 1e-9);
      assert_near(rows.down * rows.twist_unit, cone.lower[0] - of.twist, 1e-9);
    }
  }
}

// Near half a turn, where the rates are infinite at last, they are those at a swing of pi - 0.02 in
// the same direction. Their rounding errors are those of a tangent of 100. req: E8
static void rates_end_near_half_a_turn(void **state) {
  (void)state;
  random_stream random = random_stream_of(4);
  for (int round = 0; round < 300; ++round) {
    const sinew_cone cone = any_cone(&random);
    const double angle = random_between(&random, -PI, PI);
    const double twist = random_between(&random, -3.0, 3.0);
    sinew_cone_rows rows[2];
    for (int side = 0; side < 2; ++side) {
      const double swing = PI - (side == 0 ? 0.02 : random_between(&random, 1e-6, 0.02));
      const sinew_swing_twist at = {twist, {swing * cos(angle), swing * sin(angle)}};
      double q[4];
      sinew_swing_twist_to(&cone, &at, q);
      sinew_cone_linearize(&cone, q, &rows[side]);
    }
    const double size = rows[0].swing_unit + rows[0].twist_unit;
    assert_near(rows[1].swing_unit, rows[0].swing_unit, 1e-9 * size);
    assert_near(rows[1].twist_unit, rows[0].twist_unit, 1e-9 * size);
    for (int i = 0; i < 3; ++i) {
      assert_near(rows[1].swing[i], rows[0].swing[i], 1e-9);
      assert_near(rows[1].twist[i], rows[0].twist[i], 1e-9);
    }
  }
}

// f after a rotation by h (y_1 a_1 + y_2 a_2 + y_3 a_3).
static double level_after(const sinew_cone *cone, const sinew_cone_step *step, const double q[4],
                          const double y[3], double h) {
  double w[3] = {h * y[0], h * y[1], h * y[2]}, moved[4];
  sinew_swing_twist at;
  sinew_cone_step_combine(step, w);
  memcpy(moved, q, sizeof moved);
  sinew_quaternion_apply(moved, w);
  sinew_swing_twist_of(cone, moved, &at);
  return sinew_cone_level(cone, at.swing);
}

// The second derivatives of the limit of swing, in units of its slope, by differences: along a_2,
// a_3 and both.
static void differentiate_twice(const sinew_cone *cone, const sinew_cone_step *step,
                                const double q[4], double form[3]) {
  const double along[3][3] = {{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 1.0, 1.0}}, h = 1e-4;
  for (int i = 0; i < 3; ++i) {
    form[i] = (level_after(cone, step, q, along[i], h) + level_after(cone, step, q, along[i], -h) -
               2.0 * level_after(cone, step, q, along[i], 0.0)) /
              (h * h * step->unit[0]);
  }
  form[2] = 0.5 * (form[2] - form[0] - form[1]);
}

// A rotation at its limit of swing whose twist is near its limit; whether it is neither near the
// axes of the ellipse, across which second derivatives jump, nor near pi.
static bool at_both_limits(random_stream *random, sinew_cone *cone, double q[4]) {
  *cone = any_cone(random);
  cone->lower[0] = -0.6;
  cone->upper[0] = 0.6;
  const double angle = random_between(random, 0.0, 2.0 * PI);
  sinew_swing_twist at = {.twist = random_between(random, 0.45, 0.55),
                          .swing = {0.1 * cos(angle), 0.1 * sin(angle)}};
  const double level = sinew_cone_level(cone, at.swing);
  at.swing[0] /= level;
  at.swing[1] /= level;
  sinew_swing_twist_to(cone, &at, q);
  return fmin(fabs(at.swing[0]), fabs(at.swing[1])) > 0.02 && hypot(at.swing[0], at.swing[1]) < 2.5;
}

// At a limit of swing near one of twist: the axes are dual to the rows, and what the limit adds to
// the damping along them, with the multiplier 1, is at least its second derivative by differences.
// It is just that where the axes can be chosen so that there is no mixed derivative, in more than a
// third of all; in 1 % without that choice. req: E8
static void limits_damp_by_their_curvature(void **state) {
  (void)state;
  random_stream random = random_stream_of(3);
  int exact = 0, count = 0;
  for (int round = 0; round < 2000; ++round) {
    sinew_cone cone;
    sinew_cone_step step;
    double q[4], k[3], damping[3] = {0.0, 0.0, 0.0};
    const bool smooth = at_both_limits(&random, &cone, q);
    sinew_cone_step_set(&step, &cone, q, INFINITY);
    for (int i = 0; i < 9; ++i) {
      assert_near(sinew_dot(step.row[i / 3], step.axis[i % 3]), i / 3 == i % 3, 1e-12);
    }
    if (smooth) {
      differentiate_twice(&cone, &step, q, k);
      sinew_cone_step_damp(&step, (bool[2]){true, false}, (double[2]){1.0, 0.0}, damping);
      const double rest[2] = {damping[1] - fmax(k[0], 0.0), damping[2] - fmax(k[1], 0.0)};
      const double error = 1e-3 * (fabs(k[0]) + fabs(k[1]) + 1.0);
      assert_true(fmin(rest[0], rest[1]) > -error);
      exact += fmax(rest[0], rest[1]) < error && fabs(k[2]) < error;
      ++count;
    }
  }
  print_message("%d of %d limits damp by their curvature\n", exact, count);
  assert_true(count > 1000);
  assert_true(exact > count / 3);
}

// Rotations anywhere are moved to the border, along their swing; rotations within the limits are
// not moved at all; a step from outside ends no further out.
static void rotations_are_held(void **state) {
  (void)state;
  random_stream random = random_stream_of(3);
  int inside = 0;
  for (int round = 0; round < 5000; ++round) {
    const sinew_cone cone = any_cone(&random);
    double q[4], held[4], from[4];
    random_unit(&random, 4, q);
    memcpy(held, q, sizeof q);
    sinew_swing_twist before, after;
    sinew_swing_twist_of(&cone, q, &before);
    const double f = sinew_cone_level(&cone, before.swing);
    if (!sinew_cone_hold(&cone, NULL, held)) {
      assert_memory_equal(held, q, sizeof q);
      assert_true(f <= 1.0 && before.twist >= cone.lower[0] && before.twist <= cone.upper[0]);
      ++inside;
      continue;
    }
    sinew_swing_twist_of(&cone, held, &after);
    assert_at_most(sinew_cone_excess(&cone, held), 1e-11);
    const double g = sinew_cone_level(&cone, after.swing);
    assert_near(g, f < 1.0 ? f : 1.0, 1e-9);
    assert_near(after.swing[0] * before.swing[1], after.swing[1] * before.swing[0], 1e-9);
    random_unit(&random, 4, from);
    const double most = sinew_max(1.0, f);
    memcpy(held, from, sizeof q);
    sinew_cone_hold(&cone, q, held);
    sinew_swing_twist_of(&cone, held, &after);
    assert_at_most(sinew_cone_level(&cone, after.swing), most * (1 + 1e-9));
  }
  assert_in_range(inside, 500, 4500);
}

// A rotation that starts outside its limits of twist by out and is rotated about the axis of twist
// by more: it ends no further out, and one rotated by less is not changed; also where the widened
// range goes beyond pi.
static void twists_are_held_from_outside(void **state) {
  (void)state;
  random_stream random = random_stream_of(31);
  int beyond = 0;
  for (int round = 0; round < 3000; ++round) {
    sinew_cone cone = any_cone(&random);
    const bool above = random_below(&random, 2) == 0;
    const double end = random_between(&random, 1.5, 3.1), range = random_between(&random, 0.5, 2.5);
    cone.lower[0] = above ? end - range : -end;
    cone.upper[0] = above ? end : range - end;
    sinew_cone_set(&cone, cone.axes[0], cone.axes[1], cone.lower, cone.upper);
    const double room = 0.5 * (2.0 * PI - range), sign = above ? 1.0 : -1.0;
    const double out = random_between(&random, 0.01, 0.8 * room);
    const double more = random_between(&random, -1.0, 0.1) * fmin(out, room - out);
    sinew_swing_twist at = {remainder(sign * (end + out), 2.0 * PI), {0.0, 0.0}};
    double from[4], q[4], w[3];
    sinew_swing_twist_to(&cone, &at, from);
    assert_near(sinew_cone_excess(&cone, from), out, 1e-12);
    memcpy(q, from, sizeof q);
    sinew_scale(sign * more, cone.axes[0], w);
    sinew_quaternion_apply(q, w);
    const bool held = sinew_cone_hold(&cone, from, q);
    assert_true(held == (more > 0.0));
    assert_near(sinew_cone_excess(&cone, q), out + fmin(more, 0.0), 1e-12);
    assert_near(sinew_dot(q, q) + q[3] * q[3], 1.0, 1e-12);
    beyond += end + out > PI;
  }
  assert_true(beyond > 500);
}

// Swings fill an asymmetric ellipse evenly: each quarter gets its share of the area, and the mean
// distance from an axis is that of quarters of ellipses, 4 a / (3 pi).
static void swings_are_uniform(void **state) {
  (void)state;
  enum { COUNT = 4000 };
  random_stream random = random_stream_of(4);
  for (int round = 0; round < 40; ++round) {
    const sinew_cone cone = any_cone(&random);
    double sum[2] = {0.0, 0.0}, squares = 0.0;
    int positive[2] = {0, 0}, both = 0;
    for (int k = 0; k < COUNT; ++k) {
      double u[3], q[4];
      sinew_swing_twist of;
      for (int i = 0; i < 3; ++i) {
        u[i] = random_between(&random, 0.0, 1.0);
      }
      sinew_cone_of_uniform(&cone, u, q);
      sinew_swing_twist_of(&cone, q, &of);
      for (int i = 0; i < 2; ++i) {
        positive[i] += of.swing[i] > 0.0;
        sum[i] += fabs(of.swing[i]);
      }
      both += of.swing[0] > 0.0 && of.swing[1] > 0.0;
      const double f = sinew_cone_level(&cone, of.swing);
      squares += f * f;
    }
    const double close = 5.0 * 0.5 / sqrt(COUNT); // five standard deviations
    double share[2];
    for (int i = 0; i < 2; ++i) {
      const double up = cone.upper[1 + i], low = -cone.lower[1 + i];
      share[i] = up / (up + low);
      assert_near((double)positive[i] / COUNT, share[i], close);
      assert_near(sum[i] / COUNT, 4.0 / (3.0 * PI) * (up * up + low * low) / (up + low),
                  close * sinew_max(up, low));
    }
    assert_near((double)both / COUNT, share[0] * share[1], close);
    assert_near(squares / COUNT, 0.5, close);
  }
}

// A tree of spherical joints with cones, revolute joints among them.
static sinew_model *coned_tree(uint64_t seed, double velocity, double cones) {
  static random_tree tree;
  random_tree_options options = random_tree_defaults();
  options.kinds = 1u << SINEW_JOINT_SPHERICAL | 1u << SINEW_JOINT_REVOLUTE;
  options.limited = 0.5;
  options.coupled = 0.0;
  options.cones = cones;
  options.velocity = velocity;
  random_tree_make(&tree, seed, &options);
  sinew_model *model = NULL;
  assert_ok(sinew_model_create(&tree.def, &model, NULL));
  return model;
}

// Start, middle and random configurations are within the limits, and fill them.
static void configurations_are_within(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    sinew_model *model = coned_tree(seed, 0.0, 1.0);
    double q[MOST];
    int joint = 0;
    sinew_configuration_start(model, q);
    assert_at_most(sinew_configuration_excess(model, q, NULL), 1e-12);
    sinew_configuration_middle(model, q);
    assert_at_most(sinew_configuration_excess(model, q, NULL), 1e-12);
    for (uint64_t i = 0; i < 50; ++i) {
      sinew_configuration_random(model, seed, i, q);
      assert_at_most(sinew_configuration_excess(model, q, NULL), 1e-12);
    }
    random_stream random = random_stream_of(seed);
    for (int i = 0; i < sinew_model_nq(model); ++i) {
      q[i] = random_between(&random, -9.0, 9.0);
    }
    sinew_configuration_normalize(model, q);
    const double excess = sinew_configuration_excess(model, q, &joint);
    assert_int_equal(joint >= 0, excess > 0.0);
    sinew_configuration_clamp(model, q);
    assert_at_most(sinew_configuration_excess(model, q, NULL), 1e-11);
    sinew_model_destroy(model);
  }
}

// The gradient of the cost at x that limits at the border do not hold back, over that at 0. The
// limits that x stays at hold it back by multipliers >= 0, found by least squares: those of the
// swing and of the twist, n their outward normals in the joint's three columns.
static double unbalanced(int n, const double *gradient, const double *x, int limits,
                         double normal[2][3], double size) {
  double left[MOST], multiplier[2] = {0.0, 0.0}, most = 0.0;
  memcpy(left, gradient, (size_t)n * sizeof *left);
  for (int round = 0; round < 200; ++round) { // of two multipliers, one after the other
    for (int k = 0; k < limits; ++k) {
      const double square = sinew_dot(normal[k], normal[k]);
      const bool stays = sinew_dot(normal[k], x) > -1e-3 * sqrt(square) * sinew_norm(x);
      const double part = fmax(sinew_dot(normal[k], left) / square, -multiplier[k]);
      for (int i = 0; i < 3 && stays; ++i) {
        left[i] -= part * normal[k][i];
      }
      multiplier[k] += stays ? part : 0.0;
    }
  }
  for (int v = 0; v < n; ++v) {
    most = fmax(most, fabs(left[v]));
  }
  return most / size;
}

// The outward normals, by differences, of the limits that a rotation is at.
static int find_normals(const sinew_cone *cone, const double q[4], double normal[2][3]) {
  const double h = 1e-6;
  sinew_swing_twist at, side[2];
  int count = 0;
  sinew_swing_twist_of(cone, q, &at);
  const bool swing = sinew_cone_level(cone, at.swing) > 1.0 - 1e-9;
  const bool up = at.twist > cone->upper[0] - 1e-9, down = at.twist < cone->lower[0] + 1e-9;
  for (int kind = 0; kind < 2; ++kind) {
    if (kind == 0 ? !swing : !up && !down) {
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 2; ++k) {
        double w[3] = {0.0, 0.0, 0.0}, moved[4];
        w[i] = k == 0 ? -h : h;
        memcpy(moved, q, sizeof moved);
        sinew_quaternion_apply(moved, w);
        sinew_swing_twist_of(cone, moved, &side[k]);
      }
      const double level =
          sinew_cone_level(cone, side[1].swing) - sinew_cone_level(cone, side[0].swing);
      const double twist = (up ? 1.0 : -1.0) * (side[1].twist - side[0].twist);
      normal[count][i] = (kind == 0 ? level : twist) / (2.0 * h);
    }
    ++count;
  }
  return count;
}

// A spherical joint with limits of swing and, if wanted, of twist; below it two revolute joints.
static sinew_model *ball_and_two(random_stream *random, bool twists) {
  builder b;
  builder_start(&b);
  sinew_joint_def *ball = builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
  for (int i = 0; i < 3; ++i) {
    const bool limited = i > 0 || twists;
    ball->lower[i] = limited ? random_between(random, -1.5, -0.3) : -INFINITY;
    ball->upper[i] = limited ? random_between(random, 0.3, 1.5) : INFINITY;
  }
  for (int j = 1; j < 3; ++j) {
    random_unit(random, 3, builder_add(&b, j, SINEW_JOINT_REVOLUTE, 0.5, 0.1, 0.0)->axis);
  }
  return builder_make(&b);
}

// How far q is outside limits of swing and twist that are narrower by a margin [rad].
static double outside_margins(const sinew_model *model, double margin, const double *q) {
  double most = 0.0;
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    double lower[3], upper[3];
    assert_ok(sinew_model_joint(model, j, &joint));
    if (!sinew_model_swing_twist(model, j, lower, upper)) {
      continue;
    }
    sinew_cone narrow = model->cones[model->cone_of_v[joint.v_index]];
    for (int i = 0; i < 3; ++i) {
      const double half = 0.5 * (upper[i] - lower[i]), less = half < PI ? fmin(margin, half) : 0.0;
      lower[i] = i == 0 ? lower[i] + less : fmin(lower[i] + margin, -1e-3);
      upper[i] = i == 0 ? upper[i] - less : fmax(upper[i] - margin, 1e-3);
    }
    sinew_cone_set(&narrow, narrow.axes[0], narrow.axes[1], lower, upper);
    most = fmax(most, sinew_cone_excess(&narrow, q + joint.q_index));
  }
  return most;
}

// An angular margin narrows limits of swing and twist in updates, solves and searches, at most to
// the middle; 0 restores them, to the bit. The model keeps its own.
static void margins_narrow_the_limits(void **unused) {
  (void)unused;
  int beyond = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    random_stream random = random_stream_of(seed);
    sinew_model *model = ball_and_two(&random, seed % 2 == 1);
    const double margin = seed % 3 == 0 ? 2.0 : 0.1;
    const sinew_task task = task_of(seed % 2 ? SINEW_TASK_POSE : SINEW_TASK_POSITION, 3);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    sinew_solver *plain = solver_with(NULL, model, &task, 1);
    double q[6], p[6], goal[6];
    assert_ok(sinew_solver_set_margins(solver, 0.0, margin));
    sinew_configuration_middle(model, q);
    memcpy(p, q, sizeof q);
    for (uint64_t i = 0; i < 10; ++i) {
      sinew_configuration_random(model, seed, i, goal);
      const sinew_target target = target_at(model, &task, goal);
      for (int update = 0; update < 30; ++update) {
        assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
        assert_ok(sinew_solver_update(plain, &target, 1, p, NULL));
      }
      assert_at_most(outside_margins(model, margin, q), 1e-9);
      beyond += outside_margins(model, margin, p) > 1e-3;
      memcpy(goal, q, sizeof q);
      assert_ok(sinew_solver_solve(solver, &target, 1, goal, NULL));
      assert_at_most(outside_margins(model, margin, goal), 1e-9);
    }
    assert_ok(sinew_solver_set_margins(solver, 0.0, 0.0));
    sinew_solver_reset(solver);
    sinew_solver_reset(plain);
    memcpy(q, p, sizeof q);
    const sinew_target target = target_at(model, &task, goal);
    for (int update = 0; update < 30; ++update) {
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      assert_ok(sinew_solver_update(plain, &target, 1, p, NULL));
    }
    assert_memory_equal(q, p, sizeof q);
    sinew_solver_destroy(solver);
    sinew_solver_destroy(plain);
    sinew_model_destroy(model);
  }
  assert_true(beyond > 100);
}

// So does a batch's, in lanes and one by one, and it solves what a solver with the margin solves.
static void margins_of_batches_narrow_the_limits(void **unused) {
  (void)unused;
  enum { GOALS = 12 };
  int beyond = 0, solved = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    random_stream random = random_stream_of(seed);
    sinew_model *model = ball_and_two(&random, seed % 2 == 1);
    const sinew_task task = task_of(seed % 2 ? SINEW_TASK_POSE : SINEW_TASK_POSITION, 3);
    const int size = sinew_task_target_size(&task);
    sinew_batch_def def = sinew_default_batch_def();
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    double packed[7 * GOALS], goal[6], q[6], answers[6 * GOALS];
    sinew_target targets[GOALS];
    sinew_batch_row rows[GOALS];
    sinew_batch *batch = NULL;
    sinew_batch_worker *worker = NULL;
    def.margin_angular = seed % 3 == 0 ? 2.0 : 0.1;
    def.lanes = seed % 4 == 0 ? 1 : 0;
    for (int i = 0; i < GOALS; ++i) {
      sinew_configuration_random(model, seed, (uint64_t)i, goal);
      beyond += outside_margins(model, def.margin_angular, goal) > 1e-3;
      targets[i] = target_at(model, &task, goal);
      sinew_target_pack(&task, &targets[i], packed + i * size);
    }
    assert_ok(sinew_batch_create(&def, model, &task, 1, &batch, NULL));
    assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
    const sinew_batch_arrays arrays = {.targets = packed, .q = answers, .rows = rows};
    assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, GOALS));
    assert_ok(sinew_solver_set_margins(solver, 0.0, def.margin_angular));
    for (int i = 0; i < GOALS; ++i) {
      sinew_report report;
      assert_at_most(outside_margins(model, def.margin_angular, answers + 6 * i), 1e-9);
      sinew_configuration_middle(model, q);
      assert_ok(sinew_solver_solve(solver, &targets[i], 1, q, &report));
      solved += report.outcome == SINEW_OUTCOME_CONVERGED;
      assert_int_equal(rows[i].outcome == SINEW_OUTCOME_CONVERGED,
                       report.outcome == SINEW_OUTCOME_CONVERGED);
    }
    sinew_batch_worker_destroy(worker);
    sinew_batch_destroy(batch);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(beyond > 30 && solved > 30);
}

// J^T (e - J x) - lambda^2 x, of five columns and the rows of a pose, lengths divided by size.
static void find_gradient(const double *J, const double e[6], double size, double lambda,
                          const double x[5], double gradient[5]) {
  for (int v = 0; v < 5; ++v) {
    gradient[v] = -lambda * lambda * x[v];
    for (int i = 0; i < 6; ++i) {
      double residual = e[i];
      for (int k = 0; k < 5; ++k) {
        residual -= J[5 * i + k] * x[k];
      }
      gradient[v] += J[5 * i + v] * residual / (i < 3 ? size * size : 1.0);
    }
  }
}

// A target e beside the pose at q.
static sinew_target target_beside(const sinew_model *model, const sinew_task *task, const double *q,
                                  const double e[6]) {
  sinew_target target = target_at(model, task, q);
  double turn[4];
  sinew_quaternion_exp(e + 3, turn);
  sinew_quaternion_multiply(turn, target.rotation, target.rotation);
  for (int i = 0; i < 3; ++i) {
    target.position[i] += e[i];
  }
  return target;
}

// At limits of swing, of twist or of both a step of damped least squares is the best within the
// limits, by the conditions of Karush, Kuhn and Tucker with the Jacobian of the state: others do
// what limits keep a spherical joint from. Where the motion is clamped afterwards they do not.
// req: E8 E5
static void steps_at_limits_are_the_best_within(void **unused) {
  (void)unused;
  const double lambda = 0.01, still[5] = {0.0};
  random_stream random = random_stream_of(12);
  int held[2] = {0, 0};
  for (uint64_t round = 0; round < 600; ++round) {
    sinew_model *model = ball_and_two(&random, round % 2 == 1);
    sinew_task task = task_of(SINEW_TASK_POSE, 3);
    random_vector(&random, 0.5, task.point_l);
    const double size = fmax(sinew_model_size(model), sinew_norm(task.point_l));
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = SINEW_METHOD_DLS;
    def.step.error_damping = 0.0;
    def.step.damping = lambda * size;
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    sinew_state *state = NULL;
    double q[6], before[6], e[6], J[30], x[5], normal[2][3], gradient[5], first = 0.0;
    sinew_configuration_random(model, 12, round, q);
    do {
      random_unit(&random, 4, q);
    } while (!sinew_cone_hold(&model->cones[0], NULL, q));
    memcpy(before, q, sizeof q);
    random_vector(&random, 1e-6, e);
    random_vector(&random, 1e-6, e + 3);
    const sinew_target target = target_beside(model, &task, q, e);
    assert_ok(sinew_state_create(model, NULL, &state, NULL));
    assert_ok(sinew_state_forward(state, q));
    assert_ok(sinew_state_jacobian(state, 3, task.point_l, sinew_model_root(model), J));
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    sinew_configuration_difference(model, before, q, x);
    find_gradient(J, e, size, lambda, still, gradient);
    for (int v = 0; v < 5; ++v) {
      first = fmax(first, fabs(gradient[v]));
    }
    find_gradient(J, e, size, lambda, x, gradient);
    const int limits = find_normals(&model->cones[0], before, normal);
    bool pressed = false;
    for (int k = 0; k < limits; ++k) {
      const double length = sinew_norm(normal[k]);
      assert_at_most(sinew_dot(normal[k], x), 1e-9 * length);
      pressed |= sinew_dot(normal[k], gradient) > 1e-2 * length * first;
    }
    // the solver damps motions along the limits, whose directions are not quite orthogonal
    assert_at_most(unbalanced(5, gradient, x, limits, normal, first), 5e-3);
    held[round % 2] += pressed;
    sinew_state_destroy(state);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(held[0] > 80 && held[1] > 80);
}

static sinew_target any_target(random_stream *random) {
  sinew_target target = sinew_default_target();
  random_vector(random, 1.5, target.position);
  random_unit(random, 4, target.rotation);
  random_unit(random, 3, target.direction);
  return target;
}

static sinew_task any_task(random_stream *random, const sinew_model *model) {
  return task_of((sinew_task_kind)random_below(random, 4),
                 1 + random_below(random, sinew_model_link_count(model) - 1));
}

// From within the limits no update by any method leaves them, with speed limits or without, some
// axes of joints frozen, or of other gains. req: E6 E8
static void updates_keep_the_limits(void **state) {
  (void)state;
  random_stream random = random_stream_of(4);
  for (uint64_t seed = 0; seed < 240; ++seed) {
    const double speed = seed % 3 == 0 ? 2.0 : 0.0;
    sinew_model *model = coned_tree(seed, speed, 0.8);
    const sinew_task tasks[2] = {any_task(&random, model), any_task(&random, model)};
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = (sinew_method)(seed % SINEW_METHOD_COUNT);
    def.tracking.time_step = speed > 0.0 ? 0.02 : 0.0;
    sinew_solver *solver = solver_with(&def, model, tasks, 2);
    unsigned char frozen[MOST] = {0};
    for (int v = 0; seed % 2 == 0 && v < sinew_model_nv(model); ++v) {
      frozen[v] = random_below(&random, 4) == 0;
    }
    assert_ok(sinew_solver_set_frozen(solver, frozen));
    double q[MOST], before[MOST], v[MOST], gains[MOST];
    for (int i = 0; i < MOST; ++i) {
      gains[i] = pow(10.0, random_between(&random, -2.0, 0.0));
    }
    assert_ok(sinew_solver_set_gains(solver, seed / 6 % 2 == 0 ? NULL : gains));
    sinew_configuration_random(model, 4, seed, q);
    for (int target = 0; target < 3; ++target) {
      const sinew_target targets[2] = {any_target(&random), any_target(&random)};
      for (int update = 0; update < 12; ++update) {
        memcpy(before, q, sizeof q);
        assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
        assert_at_most(sinew_configuration_excess(model, q, NULL), HELD);
        sinew_configuration_difference(model, before, q, v);
        for (int i = 0; i < sinew_model_nv(model); ++i) {
          assert_true(speed == 0.0 || fabs(v[i]) <= speed * 0.02 * (1 + 1e-9) + 1e-12);
        }
      }
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// A joint at its limit of swing moves along it as fast as limits of speed allow: a motion that ends
// at the limit leaves it in between if it is scaled. Of 2000 such motions 4 are then less than half
// as long, 41 where they are shortened instead until they are within the limits. req: E8
static void motions_along_limits_keep_speeds(void **state) {
  (void)state;
  random_stream random = random_stream_of(6);
  int slow[2] = {0, 0}, count = 0;
  while (count < 2000) {
    const sinew_cone cone = any_cone(&random);
    const double u[3] = {random_between(&random, 0.0, 1.0), 1.0, random_between(&random, 0.0, 1.0)};
    double q[4], moved[4], w[3], largest = 0.0;
    sinew_cone_of_uniform(&cone, u, q);
    sinew_cone_rows rows;
    sinew_cone_linearize(&cone, q, &rows);
    random_unit(&random, 3, w);
    const double out = sinew_dot(rows.swing, w);
    for (int i = 0; i < 3; ++i) {
      w[i] = 0.2 * (w[i] - out * rows.swing[i]);
    }
    memcpy(moved, q, sizeof q);
    sinew_cone_move(&cone, true, w, moved);
    sinew_quaternion_difference(q, moved, w);
    for (int i = 0; i < 3; ++i) {
      largest = fmax(largest, fabs(w[i]));
    }
    if (largest < SPEED) {
      continue;
    }
    sinew_scale(SPEED / largest, w, w);
    const double most[3] = {SPEED, SPEED, SPEED}, length = sinew_norm(w);
    for (int side = 0; side < 2; ++side) {
      double v[3];
      memcpy(moved, q, sizeof q);
      if (side == 0) {
        sinew_cone_move_within(&cone, most, w, moved);
      } else {
        sinew_cone_move(&cone, false, w, moved);
      }
      assert_at_most(sinew_cone_excess(&cone, moved), HELD);
      sinew_quaternion_difference(q, moved, v);
      for (int i = 0; i < 3; ++i) {
        assert_at_most(fabs(v[i]), SPEED * (1.0 + 1e-12));
      }
      slow[side] += sinew_norm(v) < 0.5 * length;
    }
    ++count;
  }
  print_message("%d and %d of %d are less than half as long\n", slow[0], slow[1], count);
  assert_true(5 * slow[0] < slow[1]);
}

// Targets that forward kinematics reached within the limits are found again, within the limits, by
// the local solve and by the search, from starts outside of them too. req: E6 E8
static void solves_keep_the_limits(void **state) {
  (void)state;
  int found = 0, count = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    sinew_model *model = coned_tree(seed, 0.0, 1.0);
    random_stream random = random_stream_of(seed);
    const sinew_task task = any_task(&random, model);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    double goal[MOST], q[MOST];
    sinew_configuration_random(model, 7, seed, goal);
    const sinew_target target = target_at(model, &task, goal);
    for (int global = 0; global < 2; ++global) {
      for (int i = 0; i < sinew_model_nq(model); ++i) {
        q[i] = random_between(&random, -2.0, 2.0);
      }
      sinew_configuration_normalize(model, q);
      sinew_report report;
      assert_ok(global ? sinew_solver_solve(solver, &target, 1, q, &report)
                       : sinew_solver_solve_local(solver, &target, 1, q, &report));
      found += report.outcome == SINEW_OUTCOME_CONVERGED;
      ++count;
      if (report.outcome == SINEW_OUTCOME_CONVERGED && task.kind != SINEW_TASK_DIRECTION) {
        double distance, angle;
        measure(model, &task, &target, q, &distance, &angle);
        assert_at_most(distance, 1.1e-6);
        assert_at_most(angle, 1.1e-6);
      }
      // joints that the task does not move stay, outside too: those that it moves are inside
      double clamped[MOST];
      memcpy(clamped, q, sizeof q);
      sinew_configuration_clamp(model, clamped);
      const sinew_target at = target_at(model, &task, q);
      double distance, angle;
      measure(model, &task, &at, clamped, &distance, &angle);
      assert_at_most(distance, 1e-8);
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  print_message("%d of %d\n", found, count);
  assert_true(found >= count * 97 / 100);
}

// So are the nearest solution, the best one and all that are found: starts between two of them may
// be outside the limits, which are ellipses of swings. req: E8
static void chosen_solutions_keep_the_limits(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SAMPLE_OF(4000); ++seed) {
    sinew_model *model = coned_tree(seed, 0.0, 1.0);
    random_stream random = random_stream_of(seed);
    sinew_task task = any_task(&random, model);
    task.cone_angle = 0.5; // of which starts between two solutions are often within
    for (int i = 0; i < 6; ++i) {
      task.range_lower[i] = -0.2;
      task.range_upper[i] = 0.2;
    }
    reset_unread_fields(&task);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    sinew_global_def def = sinew_default_global_def();
    def.max_starts = 30;
    double goal[MOST], q[MOST], all[4 * MOST];
    sinew_configuration_random(model, 7, seed, goal);
    const sinew_target target = target_at(model, &task, goal);
    for (int mode = SINEW_GLOBAL_NEAREST; mode <= SINEW_GLOBAL_BEST; ++mode) {
      def.mode = (sinew_global_mode)mode;
      sinew_configuration_random(model, 8, seed, q);
      assert_ok(sinew_solver_search(solver, &def, &target, 1, q, NULL));
      assert_at_most(sinew_configuration_excess(model, q, NULL), HELD);
    }
    int count = 0;
    assert_ok(sinew_solver_solve_all(solver, &def, &target, 1, q, 4, all, &count, NULL));
    for (int i = 0; i < count; ++i) {
      assert_at_most(sinew_configuration_excess(model, all + i * sinew_model_nq(model), NULL),
                     HELD);
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// Gains that differ are of the joint's own axes: far from its limits an update is that of a joint
// without limits, of every method.
static void gains_are_of_the_joints_axes(void **state) {
  (void)state;
  random_stream random = random_stream_of(41);
  for (int round = 0; round < 20 * SINEW_METHOD_COUNT; ++round) {
    const sinew_method method = (sinew_method)(round % SINEW_METHOD_COUNT);
    double gains[3], w[3], axis[3], axis2[3], ends[2][4];
    random_unit(&random, 3, axis);
    random_unit(&random, 3, axis2);
    random_vector(&random, 0.1, w);
    for (int i = 0; i < 3; ++i) {
      gains[i] = i == round % 3 ? 0.01 : 1.0;
    }
    for (int limited = 0; limited < 2; ++limited) {
      builder b;
      builder_start(&b);
      sinew_joint_def *ball = builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
      memcpy(ball->axis, axis, sizeof axis);
      memcpy(ball->axis2, axis2, sizeof axis2);
      for (int i = 0; limited == 1 && i < 3; ++i) {
        ball->lower[i] = -2.8;
        ball->upper[i] = 2.8;
      }
      sinew_model *model = builder_make(&b);
      const sinew_task task = task_of(SINEW_TASK_ORIENTATION, 1);
      sinew_solver_def def = sinew_default_solver_def();
      def.step.method = method;
      sinew_solver *solver = solver_with(&def, model, &task, 1);
      sinew_target target = sinew_default_target();
      sinew_quaternion_exp(w, target.rotation);
      sinew_configuration_start(model, ends[limited]);
      if (round % 2 == 0) { // gains in place of others
        double q[4];
        memcpy(q, ends[limited], sizeof q);
        assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
        sinew_solver_reset(solver);
      }
      assert_ok(sinew_solver_set_gains(solver, gains));
      assert_ok(sinew_solver_update(solver, &target, 1, ends[limited], NULL));
      sinew_solver_destroy(solver);
      sinew_model_destroy(model);
    }
    for (int i = 0; i < 4; ++i) {
      assert_near(ends[1][i], ends[0][i], 1e-9);
    }
  }
}

// Two arms of two spherical joints each, from the root: updates of one do not concern the other.
static sinew_model *two_arms(sinew_task tasks[2]) {
  builder b;
  builder_start(&b);
  for (int arm = 0; arm < 2; ++arm) {
    int link = 0;
    for (int j = 0; j < 2; ++j) {
      sinew_joint_def *ball =
          builder_add(&b, link, SINEW_JOINT_SPHERICAL, j, j == 0 ? 2.0 * arm : 0.0, 0.0);
      for (int i = 0; i < 3; ++i) {
        ball->lower[i] = -0.6 - 0.2 * i;
        ball->upper[i] = 0.4 + 0.3 * i;
      }
      link = b.joint_count;
    }
    tasks[arm] = task_of(SINEW_TASK_POSE, link);
    tasks[arm].point_l[0] = 1.0;
  }
  return builder_make(&b);
}

// Figures of a crowd do what a solver does for each, whatever the range of a call, the lanes and
// the reset of one of them; also where components are updated by themselves. req: E8
static void crowd_is_as_solvers(sinew_method method) {
  enum { FIGURES = 5 };
  // Damped least squares oscillates with targets out of reach, and multiplies rounding errors.
  const double rounding = method == SINEW_METHOD_DLS ? 1e-7 : 1e-9;
  const int updates = method == SINEW_METHOD_DLS ? 120 : 160; // the last 80 with targets at rest
  sinew_task tasks[2];
  sinew_model *model = two_arms(tasks);
  const int nq = sinew_model_nq(model), nv = sinew_model_nv(model);
  sinew_crowd *crowd;
  sinew_crowd_worker *workers[2];
  sinew_crowd_def def = sinew_default_crowd_def();
  def.solver.step.method = method;
  def.solver.step.error_clamp = 0.1; // adaptive, with DLS
  def.figures = FIGURES;
  def.lanes = 2;
  assert_ok(sinew_crowd_create(&def, model, tasks, 2, &crowd, NULL));
  assert_int_equal(sinew_crowd_target_size(crowd), 14);
  assert_true(sinew_crowd_in_lanes(crowd));
  double q[FIGURES][MOST], alone[FIGURES][MOST], rows[FIGURES][14];
  sinew_solver *solvers[FIGURES];
  sinew_batch_row results[FIGURES];
  for (int f = 0; f < FIGURES; ++f) {
    sinew_configuration_random(model, 1, (uint64_t)f, q[f]);
    memcpy(alone[f], q[f], sizeof q[f]);
    solvers[f] = solver_with(&def.solver, model, tasks, 2);
  }
  for (int w = 0; w < 2; ++w) {
    assert_ok(sinew_crowd_worker_create(crowd, &workers[w], NULL));
  }
  for (int i = 0; i < updates; ++i) {
    for (int f = 0; f < FIGURES; ++f) {
      double v[MOST], goal[MOST];
      for (int k = 0; k < nv; ++k) {
        v[k] = 1.2 * sin(0.05 * (i < 80 ? i : 80) + f + k);
      }
      sinew_configuration_middle(model, goal);
      sinew_configuration_integrate(model, goal, v, goal);
      sinew_target targets[2];
      sinew_report report;
      for (int t = 0; t < 2; ++t) {
        targets[t] = target_at(model, &tasks[t], goal);
        memcpy(rows[f] + 7 * t, targets[t].position, 3 * sizeof(double));
        memcpy(rows[f] + 7 * t + 3, targets[t].rotation, 4 * sizeof(double));
      }
      if (i == 50 && f == 3) {
        sinew_solver_reset(solvers[f]);
        sinew_crowd_reset(crowd, 3, 1);
      }
      assert_ok(sinew_solver_update(solvers[f], targets, 2, alone[f], &report));
      results[f].position_error = -1.0;
    }
    const sinew_crowd_arrays arrays = {
        .targets = rows[0], .target_stride = 14, .q = q[0], .q_stride = MOST, .rows = results};
    const size_t cut = (size_t)(i % FIGURES); // two workers, each with its part of the figures
    assert_ok(sinew_crowd_update(crowd, workers[i % 2], &arrays, 0, cut));
    assert_ok(sinew_crowd_update(crowd, workers[(i / 2) % 2], &arrays, cut, FIGURES - cut));
    for (int f = 0; f < FIGURES; ++f) {
      assert_at_most(sinew_configuration_excess(model, q[f], NULL), HELD);
      assert_true(results[f].position_error >= 0.0);
      for (int k = 0; k < nq; ++k) {
        assert_near(q[f][k], alone[f][k], rounding);
      }
    }
  }
  for (int f = 0; f < FIGURES; ++f) {
    sinew_solver_destroy(solvers[f]);
  }
  for (int w = 0; w < 2; ++w) {
    sinew_crowd_worker_destroy(workers[w]);
  }
  sinew_crowd_destroy(crowd);
  sinew_model_destroy(model);
}

static void crowds_are_as_solvers(void **state) {
  (void)state;
  crowd_is_as_solvers(SINEW_METHOD_DEFAULT);
  crowd_is_as_solvers(SINEW_METHOD_DLS);
}

// A caller who sets q in each frame, so that the error rises and falls with it while the target
// rests, does not make the figure slow.
static void moved_figures_keep_their_damping(void **state) {
  (void)state;
  int arrived = 0, of = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    sinew_model *model = coned_tree(seed, 0.0, 0.8);
    const sinew_task task = task_of(SINEW_TASK_POSITION, sinew_model_link_count(model) - 1);
    double poses[2][MOST], there[MOST], q[MOST], error[2], none;
    sinew_configuration_random(model, 9, 3 * seed, poses[0]);
    sinew_configuration_random(model, 9, 3 * seed + 1, poses[1]);
    sinew_configuration_random(model, 9, 3 * seed + 2, there);
    const sinew_target target = target_at(model, &task, there);
    for (int moved = 0; moved < 2; ++moved) {
      sinew_solver_def def = sinew_default_solver_def();
      sinew_solver *solver = solver_with(&def, model, &task, 1);
      for (int frame = 0; moved && frame < 40; ++frame) {
        memcpy(q, poses[frame % 2], sizeof q);
        assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      }
      memcpy(q, poses[0], sizeof q);
      for (int update = 0; update < 300; ++update) {
        assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      }
      measure(model, &task, &target, q, &error[moved], &none);
      sinew_solver_destroy(solver);
    }
    of += error[0] < 1e-5;
    arrived += error[0] < 1e-5 && error[1] < 1e-5;
    sinew_model_destroy(model);
  }
  assert_true(of > 30);
  assert_true(arrived >= of - of / 20);
}

#define ARM 6
#define JUMPS 5
#define ARM_UPDATES 30

// An arm with joint limits, and beside it a spherical joint that the arm's task does not move.
static sinew_model *arm_and_ball(uint64_t seed, bool limited, sinew_task *task) {
  random_stream random = random_stream_of(seed);
  builder b;
  builder_start(&b);
  for (int j = 0; j < ARM; ++j) {
    sinew_joint_def *joint = builder_add(&b, j, SINEW_JOINT_REVOLUTE, 0.4, 0.0, 0.1);
    random_unit(&random, 3, joint->axis);
    builder_limit(joint, -2.0, 2.0);
  }
  *task = task_of(SINEW_TASK_POSITION, b.joint_count);
  sinew_joint_def *ball = builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 1.0, 0.0, 0.0);
  for (int i = 0; i < 3 && limited; ++i) {
    ball->lower[i] = -0.5;
    ball->upper[i] = 0.7;
  }
  return builder_make(&b);
}

// Where the arm is after each update, while its target jumps now and then.
static void follow_jumps(uint64_t seed, bool limited, double *ends) {
  sinew_task task;
  sinew_model *model = arm_and_ball(seed, limited, &task);
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  random_stream random = random_stream_of(~seed);
  double q[ARM + 4], goal[ARM + 4];
  sinew_configuration_start(model, q);
  for (int jump = 0; jump < JUMPS; ++jump) {
    sinew_configuration_start(model, goal);
    for (int j = 0; j < ARM; ++j) {
      goal[j] = random_between(&random, -1.8, 1.8);
    }
    const sinew_target target = target_at(model, &task, goal);
    for (int update = 0; update < ARM_UPDATES; ++update, ends += ARM) {
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      memcpy(ends, q, ARM * sizeof *ends);
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Limits of swing and twist of joints that no task moves have no effect on updates. req: E8
static void limits_elsewhere_have_no_effect(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    double ends[2][JUMPS * ARM_UPDATES * ARM];
    follow_jumps(seed, false, ends[0]);
    follow_jumps(seed, true, ends[1]);
    assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(swing_and_twist_are_what_they_say),
      cmocka_unit_test(rows_are_derivatives),
      cmocka_unit_test(rates_end_near_half_a_turn),
      cmocka_unit_test(limits_damp_by_their_curvature),
      cmocka_unit_test(rotations_are_held),
      cmocka_unit_test(twists_are_held_from_outside),
      cmocka_unit_test(swings_are_uniform),
      cmocka_unit_test(configurations_are_within),
      cmocka_unit_test(margins_narrow_the_limits),
      cmocka_unit_test(margins_of_batches_narrow_the_limits),
      cmocka_unit_test(steps_at_limits_are_the_best_within),
      cmocka_unit_test(updates_keep_the_limits),
      cmocka_unit_test(motions_along_limits_keep_speeds),
      cmocka_unit_test(solves_keep_the_limits),
      cmocka_unit_test(chosen_solutions_keep_the_limits),
      cmocka_unit_test(gains_are_of_the_joints_axes),
      cmocka_unit_test(crowds_are_as_solvers),
      cmocka_unit_test(moved_figures_keep_their_damping),
      cmocka_unit_test(limits_elsewhere_have_no_effect),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
