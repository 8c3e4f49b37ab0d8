// Secondary objectives, obstacle avoidance, resolved rate and acceleration (reference.h): against
// differences and closed forms, and what they do along paths.
#include "fixtures.h"
#include "inspect.h"
#include "sinew/reference.h"

#define MOST 80
#define STEP 1e-5

static double work[8 * MOST * MOST];

static void move(const sinew_model *model, const double *q, int v, double h, double *out) {
  double step[MOST] = {0.0};
  step[v] = h;
  sinew_configuration_integrate(model, q, step, out);
}

// A configuration well within the limits.
static void random_inside(const sinew_model *model, random_stream *random, double *q) {
  const double *lower = sinew_model_lower(model), *upper = sinew_model_upper(model);
  sinew_configuration_start(model, q);
  for (int v = 0; v < model->nv; ++v) {
    if (model->quaternion_axis[v] < 0) {
      const double l = fmax(lower[v], -2.0), u = fmin(upper[v], 2.0);
      q[model->q_of_v[v]] = l + (u - l) * random_between(random, 0.1, 0.9);
    }
  }
}

static sinew_state *state_of(const sinew_model *model) {
  sinew_state *state = NULL;
  assert_ok(sinew_state_create(model, NULL, &state, NULL));
  return state;
}

// ---------------------------------------------------------------- gradients

// Liegeois's h is 0 in the middle and its slope that of differences; joints without limits have
// none. req: E2
static void the_middle_of_limits(void **state) {
  (void)state;
  random_stream random = random_stream_of(1);
  int links[HUMANOID_PLACES];
  sinew_model *models[2] = {fixture_arm(), fixture_humanoid(true, links)};
  for (int k = 0; k < 2; ++k) {
    const sinew_model *model = models[k];
    double q[2 * MOST], next[2 * MOST], slope[MOST], value, ahead, behind;
    int moved = 0;
    sinew_configuration_middle(model, q);
    assert_ok(sinew_reference_middle(model, q, &value, NULL));
    assert_near(value, 0.0, 1e-20);
    random_inside(model, &random, q);
    assert_ok(sinew_reference_middle(model, q, &value, slope));
    assert_true(value > 0.0);
    for (int v = 0; v < model->nv; ++v) {
      move(model, q, v, STEP, next);
      assert_ok(sinew_reference_middle(model, next, &ahead, NULL));
      move(model, q, v, -STEP, next);
      assert_ok(sinew_reference_middle(model, next, &behind, NULL));
      assert_near(slope[v], (ahead - behind) / (2.0 * STEP), 1e-9);
      moved += slope[v] != 0.0;
      assert_true(model->quaternion_axis[v] < 0 || slope[v] == 0.0);
    }
    assert_true(moved >= 7);
    sinew_model_destroy(models[k]);
  }
}

// Manipulability is the root of the determinant of J J^T, by its formula for two rows; it and the
// smallest singular value have the slope of differences, for arms and random trees with a position
// or a whole pose. req: E2 B19
static void manipulability_and_smallest_singular_value(void **state) {
  (void)state;
  random_stream random = random_stream_of(2);
  int compared = 0;
  for (int round = 0; round < 60; ++round) {
    sinew_model *model;
    int link, m = round % 2 == 0 ? 3 : 6;
    if (round % 3 == 0) {
      model = fixture_arm();
      link = ARM_FLANGE;
    } else if (round % 3 == 1) {
      model = fixture_planar(4, 0.4);
      link = 4;
      m = 2;
    } else {
      random_tree tree;
      random_tree_options options = random_tree_defaults();
      options.chain = 1.0;
      random_tree_make(&tree, (uint64_t)round, &options);
      assert_ok(sinew_model_create(&tree.def, &model, NULL));
      link = random_below(&random, sinew_model_link_count(model));
    }
    const int n = model->nv;
    static double J[6 * MOST], dJ[6 * MOST * MOST];
    double q[2 * MOST], next[2 * MOST], slopes[2][MOST], values[2][3];
    const double tip[3] = {0.1, 0.2, -0.1};
    sinew_state *kinematics = state_of(model);
    random_inside(model, &random, q);
    for (int v = n; v-- > -1;) { // -1: at q, with gradients
      for (int side = 0; side < (v < 0 ? 1 : 2); ++side) {
        memcpy(next, q, sizeof q);
        if (v >= 0) {
          move(model, q, v, side == 0 ? STEP : -STEP, next);
        }
        assert_ok(sinew_state_forward(kinematics, next));
        assert_ok(sinew_state_jacobian(kinematics, link, tip, sinew_model_root(model), J));
        const sinew_reference_level rows = {m, J, NULL};
        if (v < 0) {
          assert_ok(sinew_state_hessian(kinematics, link, tip, dJ));
        }
        double *slope0 = v < 0 ? slopes[0] : NULL, *slope1 = v < 0 ? slopes[1] : NULL;
        const int at = v < 0 ? 2 : side;
        const sinew_result first =
            sinew_reference_manipulability(n, &rows, dJ, work, &values[0][at], slope0);
        assert_ok(first);
        assert_ok(
            sinew_reference_smallest_singular_value(n, &rows, dJ, work, &values[1][at], slope1));
      }
      if (v >= 0) {
        slopes[0][v] = (values[0][0] - values[0][1]) / (2.0 * STEP);
        slopes[1][v] = (values[1][0] - values[1][1]) / (2.0 * STEP);
        work[4 * MOST * MOST + v] = slopes[0][v];
        work[5 * MOST * MOST + v] = slopes[1][v];
      }
    }
    double square = 0.0;
    if (m == 2) {
      double a = 0.0, b = 0.0, c = 0.0;
      for (int j = 0; j < n; ++j) {
        a += J[j] * J[j];
        b += J[j] * J[n + j];
        c += J[n + j] * J[n + j];
      }
      square = a * c - b * b;
      assert_near(values[0][2], sqrt(square), 1e-12);
    }
    if (values[1][2] > 0.02) {
      ++compared;
      assert_at_most(farthest(n, slopes[0], work + 4 * MOST * MOST), 1e-6);
      assert_at_most(farthest(n, slopes[1], work + 5 * MOST * MOST), 1e-5);
    }
    sinew_state_destroy(kinematics);
    sinew_model_destroy(model);
  }
  assert_true(compared > 30);
}

// The motion that a position leaves raises manipulability and brings joints to their middle, and
// the hand stays. req: E2 E1
static void objectives_use_the_motion_that_is_left(void **state) {
  (void)state;
  random_stream random = random_stream_of(3);
  for (int kind = 0; kind < 3; ++kind) {
    sinew_model *arm = fixture_arm();
    sinew_state *kinematics = state_of(arm);
    static double J[42], dJ[6 * 49];
    double q[7], first = 0.0, last = 0.0, hand[3], now[3];
    random_inside(arm, &random, q);
    for (int step = 0; step < 400; ++step) {
      double slope[7], x[7], e[3];
      assert_ok(sinew_state_forward(kinematics, q));
      assert_ok(sinew_state_point(kinematics, ARM_FLANGE, NULL, now));
      memcpy(hand, step == 0 ? now : hand, sizeof hand);
      assert_ok(sinew_state_jacobian(kinematics, ARM_FLANGE, NULL, sinew_model_root(arm), J));
      assert_ok(sinew_state_hessian(kinematics, ARM_FLANGE, NULL, dJ));
      for (int i = 0; i < 3; ++i) {
        e[i] = hand[i] - now[i];
      }
      const sinew_reference_level rows = {3, J, e};
      if (kind == 0) {
        assert_ok(sinew_reference_middle(arm, q, &last, slope));
      } else if (kind == 1) {
        assert_ok(sinew_reference_manipulability(7, &rows, dJ, work, &last, slope));
      } else {
        assert_ok(sinew_reference_smallest_singular_value(7, &rows, dJ, work, &last, slope));
      }
      first = step == 0 ? last : first;
      for (int j = 0; j < 7; ++j) {
        slope[j] *= kind == 0 ? -0.5 : kind == 1 ? 0.2 : 0.02;
      }
      const sinew_reference_levels levels = {.n = 7, .count = 1, .levels = &rows, .cut = 1e-6};
      assert_ok(sinew_reference_projection(&levels, slope, work, x));
      for (int j = 0; j < 7; ++j) {
        q[j] += x[j];
      }
    }
    assert_at_most(farthest(3, hand, now), 1e-5);
    assert_true(kind == 0 ? last < 0.8 * first : last > (kind == 1 ? 1.5 : 1.001) * first);
    sinew_state_destroy(kinematics);
    sinew_model_destroy(arm);
  }
}

// ------------------------------------------------------------------ limits

// Chan and Dubey's gains: 1 in the middle and away from limits, 0 at a limit, less nearer to it;
// and the slope of their h is that of differences. req: E2
static void limit_gains_follow_their_definition(void **state) {
  (void)state;
  sinew_model *arm = fixture_planar_limited(1, 1.0, -1.0, 2.0, 1.0);
  double last = 0.0, gain = 0.0, q = 0.5;
  assert_ok(sinew_reference_limit_gains(arm, &q, &last, &gain));
  assert_near(gain, 1.0, 0.0);
  double before = 1.0;
  for (q = 0.6; q < 2.0; q += 0.1) { // towards the upper limit
    double h[2];
    for (int side = 0; side < 2; ++side) {
      const double at = q + (side == 0 ? STEP : -STEP);
      h[side] = 9.0 / (4.0 * (2.0 - at) * (at + 1.0));
    }
    assert_ok(sinew_reference_limit_gains(arm, &q, &last, &gain));
    assert_true(gain < before);
    assert_near(1.0 / (gain * gain) - 1.0, (h[0] - h[1]) / (2.0 * STEP), 1e-4 * (1.0 + last));
    before = gain;
  }
  q = 2.0;
  assert_ok(sinew_reference_limit_gains(arm, &q, &last, &gain));
  assert_true(gain == 0.0);
  for (q = 1.9; q > 0.6; q -= 0.1) { // and back
    assert_ok(sinew_reference_limit_gains(arm, &q, &last, &gain));
    assert_true(gain == 1.0);
  }
  sinew_model_destroy(arm);
}

// On random paths of a hand's position the arm keeps farther from its limits with these gains, at
// the same error. req: E2 D11
static void limit_gains_keep_joints_from_their_limits(void **state) {
  (void)state;
  random_stream random = random_stream_of(4);
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = SINEW_METHOD_DLS;
  sinew_solver *solver = solver_with(&def, arm, &task, 1);
  double nearness[2] = {0.0, 0.0};
  for (int path = 0; path < 40; ++path) {
    double start[7], goal[7];
    random_inside(arm, &random, start);
    random_inside(arm, &random, goal);
    const sinew_target from = target_at(arm, &task, start), to = target_at(arm, &task, goal);
    for (int weighted = 0; weighted < 2; ++weighted) {
      double q[7], last[7] = {0.0}, gains[7], value;
      memcpy(q, start, sizeof q);
      assert_ok(sinew_solver_set_gains(solver, NULL));
      for (int i = 1; i <= 60; ++i) {
        sinew_target target = from;
        for (int k = 0; k < 3; ++k) {
          target.position[k] += (to.position[k] - from.position[k]) * i / 60.0;
        }
        if (weighted) {
          assert_ok(sinew_reference_limit_gains(arm, q, last, gains));
          assert_ok(sinew_solver_set_gains(solver, gains));
        }
        assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      }
      assert_ok(sinew_reference_middle(arm, q, &value, NULL));
      nearness[weighted] += value;
    }
  }
  assert_true(nearness[1] < nearness[0]);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// --------------------------------------------------------------- obstacles

// An arm of six links in a plane whose links are capsules.
static sinew_model *armoured(void) {
  builder b;
  sinew_link_def links[BUILDER_MOST + 1];
  sinew_shape_def shapes[6];
  builder_start(&b);
  for (int i = 0; i < 6; ++i) {
    builder_add(&b, i, SINEW_JOINT_REVOLUTE, i == 0 ? 0.0 : 0.3, 0.0, 0.0);
    shapes[i] = sinew_default_shape_def();
    shapes[i].link = i + 1;
    shapes[i].b[0] = 0.3;
    shapes[i].radius = 0.02;
  }
  sinew_model_def def = sinew_default_model_def();
  for (int i = 0; i < 7; ++i) {
    snprintf(b.link_names[i], sizeof b.link_names[i], "link%d", i);
    snprintf(b.joint_names[i], sizeof b.joint_names[i], "joint%d", i);
    links[i] = sinew_default_link_def();
    links[i].name = b.link_names[i];
    b.joints[i].name = b.joint_names[i];
  }
  def.links = links;
  def.link_count = 7;
  def.joints = b.joints;
  def.joint_count = 6;
  def.shapes = shapes;
  def.shape_count = 6;
  sinew_model *model = NULL;
  assert_ok(sinew_model_create(&def, &model, NULL));
  return model;
}

static void random_obstacle(random_stream *random, sinew_reference_obstacle *obstacle) {
  random_vector(random, 1.5, obstacle->a);
  random_vector(random, 1.5, obstacle->b);
  obstacle->radius = random_between(random, 0.0, 0.2);
  if (random_below(random, 3) == 0) {
    memcpy(obstacle->b, obstacle->a, sizeof obstacle->b);
  }
}

// The distance is the least of many points of the segments, and its slope that of differences.
// req: E2
static void the_clearance_and_its_slope(void **state) {
  (void)state;
  random_stream random = random_stream_of(5);
  sinew_model *arm = armoured();
  sinew_state *kinematics = state_of(arm);
  int compared = 0;
  for (int round = 0; round < 100; ++round) {
    sinew_reference_obstacle obstacles[3];
    sinew_reference_clearance nearest, near;
    double q[6], next[6], slope[6], least = INFINITY;
    for (int i = 0; i < 3; ++i) {
      random_obstacle(&random, &obstacles[i]);
    }
    for (int j = 0; j < 6; ++j) {
      q[j] = random_between(&random, -1.0, 1.0);
    }
    assert_ok(sinew_state_forward(kinematics, q));
    assert_ok(sinew_reference_clearance_find(kinematics, obstacles, 3, &nearest, work, slope));
    for (int link = 1; link <= 6; ++link) {
      for (int i = 0; i <= 40; ++i) {
        const double at[3] = {0.3 * i / 40.0, 0.0, 0.0};
        double p[3];
        assert_ok(sinew_state_point(kinematics, link, at, p));
        for (int o = 0; o < 3; ++o) {
          for (int k = 0; k <= 40; ++k) {
            double square = 0.0;
            for (int c = 0; c < 3; ++c) {
              const double other =
                  obstacles[o].a[c] + (obstacles[o].b[c] - obstacles[o].a[c]) * k / 40.0;
              square += (p[c] - other) * (p[c] - other);
            }
            least = fmin(least, sqrt(square) - 0.02 - obstacles[o].radius);
          }
        }
      }
    }
    assert_true(nearest.distance <= least + 1e-12);
    assert_true(nearest.distance > least - 0.06); // the points are apart
    for (int v = 0; v < 6; ++v) {
      double d[2];
      bool same = true;
      for (int side = 0; side < 2; ++side) {
        move(arm, q, v, side == 0 ? STEP : -STEP, next);
        assert_ok(sinew_state_forward(kinematics, next));
        assert_ok(sinew_reference_clearance_find(kinematics, obstacles, 3, &near, NULL, NULL));
        d[side] = near.distance;
        same &= near.shape == nearest.shape && near.obstacle == nearest.obstacle;
      }
      compared += same;
      if (same && nearest.distance + obstacles[nearest.obstacle].radius > 1e-3) {
        assert_near(slope[v], (d[0] - d[1]) / (2.0 * STEP), 1e-6 + 1e-4 * fabs(slope[v]));
      }
    }
  }
  assert_true(compared > 500);
  sinew_reference_obstacle bad = {.radius = -1.0};
  sinew_reference_clearance nearest;
  assert_int_equal(sinew_reference_clearance_find(kinematics, &bad, 1, &nearest, NULL, NULL),
                   SINEW_ERROR_ARGUMENT);
  bad.radius = NAN;
  assert_int_equal(sinew_reference_clearance_find(kinematics, &bad, 1, &nearest, NULL, NULL),
                   SINEW_ERROR_NOT_FINITE);
  sinew_state_destroy(kinematics);
  sinew_model_destroy(arm);
}

// The tip stays while a sphere comes near the elbows: the arm gives way to it, and without
// avoidance it is hit. req: E2
static void the_arm_gives_way_to_an_obstacle(void **state) {
  (void)state;
  double least[2] = {INFINITY, INFINITY}, drift[2] = {0.0, 0.0};
  for (int avoids = 0; avoids < 2; ++avoids) {
    sinew_model *arm = armoured();
    sinew_state *kinematics = state_of(arm);
    double q[6] = {1.2, -0.5, -0.5, -0.5, -0.5, -0.4}, J[36], tip[3], now[3], e[2], x[6], slope[6];
    const double end[3] = {0.3, 0.0, 0.0};
    for (int i = 0; i < 340; ++i) {
      sinew_reference_obstacle sphere = {.a = {0.55, 1.2 - 0.002 * i, 0.0}, .radius = 0.05};
      memcpy(sphere.b, sphere.a, sizeof sphere.b);
      sinew_reference_clearance nearest;
      assert_ok(sinew_state_forward(kinematics, q));
      assert_ok(sinew_state_point(kinematics, 6, end, now));
      memcpy(tip, i == 0 ? now : tip, sizeof tip);
      e[0] = tip[0] - now[0];
      e[1] = tip[1] - now[1];
      assert_ok(sinew_state_jacobian(kinematics, 6, end, sinew_model_root(arm), J));
      const sinew_reference_level rows = {2, J, e};
      const sinew_reference_levels levels = {
          .n = 6, .count = 1, .levels = &rows, .cut = 1e-6, .lambda = 1e-3};
      assert_ok(sinew_reference_clearance_find(kinematics, &sphere, 1, &nearest, work, slope));
      const sinew_reference_avoidance avoidance = {.distance = nearest.distance,
                                                   .gradient = slope,
                                                   .start = 0.1,
                                                   .full = 0.03,
                                                   .push = 0.01};
      assert_ok(avoids ? sinew_reference_avoid(&levels, &avoidance, work, x)
                       : sinew_reference_projection(&levels, NULL, work, x));
      least[avoids] = fmin(least[avoids], nearest.distance);
      drift[avoids] = fmax(drift[avoids], hypot(e[0], e[1]));
      for (int j = 0; j < 6; ++j) {
        q[j] += x[j];
      }
    }
    sinew_state_destroy(kinematics);
    sinew_model_destroy(arm);
  }

  assert_true(least[0] < 0.0);
  assert_true(least[1] > 0.01);
  assert_at_most(drift[1], 2e-3);
}

// ------------------------------------------------- as objectives of a level

// k times the gradient at q of one of: distance from the middle of limits, manipulability, the
// smallest singular value, clearance from a sphere. Returns its value.
static double gradient_at(sinew_state *state, int link, int kind, double k, const double *q,
                          double *slope) {
  const sinew_model *model = sinew_state_model(state);
  static double J[6 * MOST], dJ[6 * MOST * MOST];
  const sinew_reference_level rows = {model->nv > 6 ? 3 : 2, J, NULL};
  const sinew_reference_obstacle sphere = {
      .a = {0.6, 0.75, 0.0}, .b = {0.6, 0.75, 0.0}, .radius = 0.05};
  sinew_reference_clearance nearest;
  double value = 0.0;
  assert_ok(sinew_state_forward(state, q));
  assert_ok(sinew_state_jacobian(state, link, NULL, sinew_model_root(model), J));
  assert_ok(sinew_state_hessian(state, link, NULL, dJ));
  if (kind == 0) {
    assert_ok(sinew_reference_middle(model, q, &value, slope));
  } else if (kind == 1) {
    assert_ok(sinew_reference_manipulability(model->nv, &rows, dJ, work, &value, slope));
  } else if (kind == 2) {
    assert_ok(sinew_reference_smallest_singular_value(model->nv, &rows, dJ, work, &value, slope));
  } else {
    assert_ok(sinew_reference_clearance_find(state, &sphere, 1, &nearest, work, slope));
    value = nearest.distance;
  }
  for (int v = 0; v < model->nv; ++v) {
    slope[v] *= k;
  }
  return value;
}

// A gradient as an objective of level 1: a posture that is the configuration moved along it. The
// solver's updates then raise (or lower) the value, and the hand on level 0 is met in every one.
// req: E2 E4
static void gradients_are_objectives_of_a_lower_level(void **state) {
  (void)state;
  static const double factor[4] = {-0.3, 1.0, 0.3, 0.02};
  for (int kind = 0; kind < 4; ++kind) {
    sinew_model *arm = kind < 3 ? fixture_arm() : armoured();
    const int link = kind < 3 ? ARM_FLANGE : 6, nv = arm->nv;
    const sinew_task task = task_of(SINEW_TASK_POSITION, link);
    sinew_solver_def def = sinew_default_solver_def();
    def.lower.levels = def.lower.objectives = 1;
    sinew_solver *solver = solver_with(&def, arm, &task, 1);
    sinew_state *kinematics = state_of(arm);
    random_stream random = random_stream_of(3);
    double q[7] = {1.2, -0.5, -0.5, -0.5, -0.5, -0.4}, slope[7], posture[7], first = 0.0;
    if (kind < 3) {
      random_inside(arm, &random, q);
    }
    const sinew_target target = target_at(arm, &task, q);
    for (int i = 0; i < 300; ++i) {
      sinew_objective objective = sinew_default_objective();
      const double value = gradient_at(kinematics, link, kind, factor[kind], q, slope);
      first = i == 0 ? value : first;
      double distance, angle;
      sinew_configuration_integrate(arm, q, slope, posture);
      objective.posture = posture;
      assert_ok(sinew_solver_set_objectives(solver, &objective, 1, NULL));
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      measure(arm, &task, &target, q, &distance, &angle);
      assert_at_most(distance, 1.1e-6);
    }
    const double last = gradient_at(kinematics, link, kind, 1.0, q, slope);
    print_message("%d: %g to %g, %d values\n", kind, first, last, nv);
    assert_true(kind == 0 ? last < 0.8 * first : last > 1.003 * first);
    assert_true(outside_limits(arm, q) <= 0.0);
    sinew_state_destroy(kinematics);
    sinew_solver_destroy(solver);
    sinew_model_destroy(arm);
  }
}

// The distance by which an obstacle is nearer than 0.1 m, as a residual.
typedef struct guard {
  sinew_state *state;
  sinew_reference_obstacle obstacle;
} guard;

static void too_near(void *context, const double *q, double *residual, double *jacobian) {
  guard *g = context;
  sinew_reference_clearance nearest;
  double slope[MOST];
  assert_ok(sinew_state_forward(g->state, q));
  assert_ok(sinew_reference_clearance_find(g->state, &g->obstacle, 1, &nearest, work, slope));
  residual[0] = fmax(0.0, 0.1 - nearest.distance);
  for (int v = 0; jacobian != NULL && v < g->state->model->nv; ++v) {
    jacobian[v] = residual[0] > 0.0 ? -slope[v] : 0.0;
  }
}

// The clearance as a residual of the caller's own on level 1: a sphere comes down on the arm, or a
// bar that goes through the arm's plane. The hand is met in every update, and the links, capsules
// too, keep their distance. req: E2 E4
static void keeps_the_distance(const double half[3]) {
  double least[2] = {INFINITY, INFINITY};
  for (int guarded = 0; guarded < 2; ++guarded) {
    sinew_model *arm = armoured();
    sinew_task task = task_of(SINEW_TASK_POSITION, 6);
    task.point_l[0] = 0.3;
    sinew_solver_def def = sinew_default_solver_def();
    def.lower.levels = def.lower.objectives = def.lower.rows = 1;
    sinew_solver *solver = solver_with(&def, arm, &task, 1);
    guard g = {.state = state_of(arm)};
    sinew_objective objective = sinew_default_objective();
    objective.kind = SINEW_OBJECTIVE_CALLBACK;
    objective.rows = 1;
    objective.function = too_near;
    objective.context = &g;
    objective.gain = 0.5;
    assert_ok(sinew_solver_set_objectives(solver, &objective, guarded, NULL));
    double q[6] = {1.2, -0.5, -0.5, -0.5, -0.5, -0.4};
    const sinew_target target = target_at(arm, &task, q);
    for (int i = 0; i < 340; ++i) {
      sinew_reference_clearance nearest;
      const double middle[3] = {0.55, 1.2 - 0.002 * i, 0.0};
      g.obstacle.radius = 0.05;
      for (int k = 0; k < 3; ++k) {
        g.obstacle.a[k] = middle[k] - half[k];
        g.obstacle.b[k] = middle[k] + half[k];
      }
      if (guarded && i % 50 == 0) {
        assert_ok(sinew_solver_check_callback(solver, 0, q, 1e-6, NULL));
      }
      double distance, angle;
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      measure(arm, &task, &target, q, &distance, &angle);
      assert_at_most(distance, 1.1e-6);
      assert_ok(sinew_state_forward(g.state, q));
      assert_ok(sinew_reference_clearance_find(g.state, &g.obstacle, 1, &nearest, NULL, NULL));
      least[guarded] = fmin(least[guarded], nearest.distance);
    }
    sinew_state_destroy(g.state);
    sinew_solver_destroy(solver);
    sinew_model_destroy(arm);
  }
  print_message("clearance %g m without, %g m with\n", least[0], least[1]);
  assert_true(least[0] < 0.0);
  assert_true(least[1] > 0.05);
}

static void a_residual_of_clearance_keeps_the_distance(void **state) {
  (void)state;
  keeps_the_distance((double[]){0.0, 0.0, 0.0});
  keeps_the_distance((double[]){0.0, 0.1, 0.4});
  keeps_the_distance((double[]){0.2, 0.0, 0.0}); // in the plane, along some links
}

// ---------------------------------------------------------- resolved motion

#define RATE 1.5 // of the path [rad/s]

// A circle of the hand in space and a slow turn of it.
static void path_at(const sinew_pose *centre, double t, sinew_reference_motion *motion) {
  const double radius = 0.08, c = cos(RATE * t), s = sin(RATE * t);
  const double turn[3] = {0.0, 0.0, 0.3 * sin(RATE * t)};
  double by[4];
  motion->pose = *centre;
  motion->pose.position[0] += radius * (c - 1.0);
  motion->pose.position[1] += radius * s;
  sinew_quaternion_exp(turn, by);
  sinew_quaternion_multiply(by, centre->rotation, motion->pose.rotation);
  memset(motion->twist, 0, sizeof motion->twist);
  memset(motion->acceleration, 0, sizeof motion->acceleration);
  motion->twist[0] = -radius * RATE * s;
  motion->twist[1] = radius * RATE * c;
  motion->twist[5] = 0.3 * RATE * c;
  motion->acceleration[0] = -radius * RATE * RATE * c;
  motion->acceleration[1] = -radius * RATE * RATE * s;
  motion->acceleration[5] = -0.3 * RATE * RATE * s;
}

// Follows the path for a time; returns the largest distance of the hand from it in the last fifth.
static double follow(bool by_acceleration, double gain, double dt, double seconds, double offset) {
  sinew_model *arm = fixture_arm();
  sinew_state *kinematics = state_of(arm);
  sinew_reference_motion motion = {
      .link = ARM_FLANGE, .gain = gain, .cut = 1e-6, .rows = {1, 1, 1, 1, 1, 1}};
  double q[7] = {0.1, -0.3, 0.2, -1.9, 0.1, 1.8, 0.5}, v[7] = {0.0}, a[7], worst = 0.0;
  sinew_pose centre, pose;
  assert_ok(sinew_state_forward(kinematics, q));
  assert_ok(sinew_state_link_pose(kinematics, ARM_FLANGE, &centre));
  path_at(&centre, 0.0, &motion);
  assert_ok(sinew_reference_rate(kinematics, &motion, NULL, work, v)); // starts on the path
  centre.position[2] += offset;
  const int count = (int)(seconds / dt + 0.5);
  for (int i = 0; i < count; ++i) {
    path_at(&centre, i * dt, &motion);
    if (by_acceleration) {
      assert_ok(sinew_reference_acceleration(kinematics, &motion, v, NULL, work, a));
      for (int j = 0; j < 7; ++j) {
        q[j] += v[j] * dt + 0.5 * a[j] * dt * dt;
        v[j] += a[j] * dt;
      }
    } else {
      assert_ok(sinew_reference_rate(kinematics, &motion, NULL, work, v));
      for (int j = 0; j < 7; ++j) {
        q[j] += v[j] * dt;
      }
    }
    assert_ok(sinew_state_forward(kinematics, q));
    assert_ok(sinew_state_link_pose(kinematics, ARM_FLANGE, &pose));
    path_at(&centre, (i + 1) * dt, &motion);
    double d[3];
    for (int k = 0; k < 3; ++k) {
      d[k] = pose.position[k] - motion.pose.position[k];
    }
    worst = i >= count * 4 / 5 ? fmax(worst, sinew_norm(d)) : worst;
  }
  sinew_state_destroy(kinematics);
  sinew_model_destroy(arm);
  return worst;
}

// By rates without feedback the error grows with time and is of the first order in the step; with
// feedback it does not grow, and a first error decays as exp(-K t). req: F7
static void rates_drift_without_feedback(void **state) {
  (void)state;
  const double turn = 2.0 * PI / RATE;
  const double one = follow(false, 0.0, 0.01, turn, 0.0),
               five = follow(false, 0.0, 0.01, 5.0 * turn, 0.0);
  const double half = follow(false, 0.0, 0.005, 5.0 * turn, 0.0);
  const double closed_one = follow(false, 5.0, 0.01, turn, 0.0);
  const double closed_five = follow(false, 5.0, 0.01, 5.0 * turn, 0.0);
  print_message("rates: %g m after 1 turn, %g after 5, %g by half steps; fed back %g, %g\n", one,
                five, half, closed_one, closed_five);
  assert_true(five > 3.0 * one);
  assert_true(half > 0.4 * five && half < 0.6 * five);
  assert_true(closed_five < 1.2 * closed_one && closed_five < 0.2 * five);
  // 0.05 m at first; after 1.25 s by K = 2 exp(-2) of it, at the start of the last fifth
  assert_near(follow(false, 2.0, 0.001, 1.25, 0.05), 0.05 * exp(-2.0), 2e-3 * 0.05 * 10.0);
}

// By accelerations likewise, with the error of a first offset. req: F7
static void accelerations_drift_without_feedback(void **state) {
  (void)state;
  const double turn = 2.0 * PI / RATE;
  const double open = follow(true, 0.0, 0.01, 5.0 * turn, 0.0);
  const double early = follow(true, 0.0, 0.01, turn, 0.0);
  const double closed_one = follow(true, 5.0, 0.01, turn, 0.0);
  const double closed = follow(true, 5.0, 0.01, 5.0 * turn, 0.0);
  print_message("accelerations: %g m after 1 turn, %g after 5; fed back %g, %g\n", early, open,
                closed_one, closed);
  assert_true(open > 3.0 * early);
  assert_true(closed < 2.0 * closed_one && closed < 0.1 * open);
  // critically damped: (1 + K t) exp(-K t)
  assert_near(follow(true, 4.0, 0.001, 1.25, 0.05), 0.05 * 5.0 * exp(-4.0), 1e-3);
}

// J v = x' and J v' + J' v = x'' exactly for the controlled components, and phi moves none of them.
// req: F7 B10
static void resolved_motions_have_the_twist_asked_for(void **state) {
  (void)state;
  random_stream random = random_stream_of(6);
  sinew_model *arm = fixture_arm();
  sinew_state *kinematics = state_of(arm);
  for (int round = 0; round < 50; ++round) {
    double q[7], v[7], a[7], phi[7], J[42], J_rate[42];
    const double tool[3] = {0.0, 0.1, 0.2};
    sinew_reference_motion motion = {.link = ARM_FLANGE, .point_l = tool, .cut = 1e-9};
    random_inside(arm, &random, q);
    for (int i = 0; i < 7; ++i) {
      phi[i] = random_between(&random, -1.0, 1.0);
    }
    for (int i = 0; i < 6; ++i) {
      motion.rows[i] = (unsigned char)(random_below(&random, 3) > 0);
      motion.twist[i] = random_between(&random, -1.0, 1.0);
      motion.acceleration[i] = random_between(&random, -1.0, 1.0);
    }
    motion.pose = sinew_pose_identity();
    assert_ok(sinew_state_forward(kinematics, q));
    assert_ok(sinew_reference_rate(kinematics, &motion, phi, work, v));
    assert_ok(sinew_reference_acceleration(kinematics, &motion, v, phi, work, a));
    assert_ok(sinew_state_jacobian(kinematics, ARM_FLANGE, tool, sinew_model_root(arm), J));
    assert_ok(sinew_state_jacobian_derivative(kinematics, ARM_FLANGE, tool, v, J_rate));
    for (int i = 0; i < 6; ++i) {
      double rate = 0.0, acceleration = 0.0;
      for (int j = 0; j < 7; ++j) {
        rate += J[7 * i + j] * v[j];
        acceleration += J[7 * i + j] * a[j] + J_rate[7 * i + j] * v[j];
      }
      if (motion.rows[i]) {
        assert_near(rate, motion.twist[i], 1e-7);
        assert_near(acceleration, motion.acceleration[i], 1e-6);
      }
    }
  }
  double v[7] = {0.0}, q[7];
  sinew_configuration_middle(arm, q);
  assert_ok(sinew_state_forward(kinematics, q));
  sinew_reference_motion motion = {.link = 99, .cut = 1e-6, .rows = {1}};
  motion.pose = sinew_pose_identity();
  assert_int_equal(sinew_reference_rate(kinematics, &motion, NULL, work, v), SINEW_ERROR_INDEX);
  motion.link = ARM_FLANGE;
  motion.gain = -1.0;
  assert_int_equal(sinew_reference_rate(kinematics, &motion, NULL, work, v), SINEW_ERROR_ARGUMENT);
  motion.gain = 1.0;
  motion.acceleration[3] = NAN;
  assert_ok(sinew_reference_rate(kinematics, &motion, NULL, work, v));
  assert_int_equal(sinew_reference_acceleration(kinematics, &motion, v, NULL, work, v),
                   SINEW_ERROR_NOT_FINITE);
  sinew_state_destroy(kinematics);
  sinew_model_destroy(arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_middle_of_limits),
      cmocka_unit_test(manipulability_and_smallest_singular_value),
      cmocka_unit_test(objectives_use_the_motion_that_is_left),
      cmocka_unit_test(limit_gains_follow_their_definition),
      cmocka_unit_test(limit_gains_keep_joints_from_their_limits),
      cmocka_unit_test(the_clearance_and_its_slope),
      cmocka_unit_test(the_arm_gives_way_to_an_obstacle),
      cmocka_unit_test(gradients_are_objectives_of_a_lower_level),
      cmocka_unit_test(a_residual_of_clearance_keeps_the_distance),
      cmocka_unit_test(rates_drift_without_feedback),
      cmocka_unit_test(accelerations_drift_without_feedback),
      cmocka_unit_test(resolved_motions_have_the_twist_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
