// The pole of a limb: the elbow turns towards it, the hand pays nothing, and a straight limb bends
// to the side of the pole or of the rest.
#include "fixtures.h"
#include "inspect.h"

#define MOST 96

enum { SPHERICAL, THREE_AXES, PLANAR, BACKWARD, FAMILIES };

// An arm along x on a body of two joints; the shoulder by family, the elbow about z, a wrist.
typedef struct arm {
  sinew_model *model;
  sinew_task task;
  sinew_objective pole;
  double length, upper; // of the straight limb, and of its upper part
  int elbow;            // its degree of freedom
} arm;

static arm arm_make(int family, random_stream *random) {
  builder b;
  arm a = {.elbow = 0};
  const double upper = random_between(random, 0.1, 0.5), lower = random_between(random, 0.1, 0.5);
  builder_start(&b);
  int link = 0;
  if (family == SPHERICAL) {
    builder_add(&b, link++, SINEW_JOINT_SPHERICAL, 0.1, 0.2, 0.3);
  } else if (family == THREE_AXES) {
    builder_add(&b, link++, SINEW_JOINT_REVOLUTE, 0.1, 0.2, 0.3);
    sinew_joint_def *y = builder_add(&b, link++, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
    memcpy(y->axis, (double[]){0.0, 1.0, 0.0}, 3 * sizeof(double));
    sinew_joint_def *x = builder_add(&b, link++, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
    memcpy(x->axis, (double[]){1.0, 0.0, 0.0}, 3 * sizeof(double));
  } else {
    builder_add(&b, link++, SINEW_JOINT_REVOLUTE, 0.1, 0.2, 0.3);
  }
  for (int j = 0; j < b.joint_count; ++j) {
    if (b.joints[j].kind == SINEW_JOINT_REVOLUTE) {
      builder_limit(&b.joints[j], -3.1, 3.1);
    }
  }
  const int shoulder = link;
  builder_limit(builder_add(&b, link++, SINEW_JOINT_REVOLUTE, upper, 0.0, 0.0),
                family == BACKWARD || family == PLANAR ? -2.6 : 0.0,
                family == BACKWARD ? 0.0 : 2.6);
  builder_limit(builder_add(&b, link++, SINEW_JOINT_REVOLUTE, lower, 0.0, 0.0), -1.0, 1.0);
  a.model = builder_make(&b);
  a.elbow = a.model->joints[shoulder].v_index;
  a.task = task_of(SINEW_TASK_POSITION, link);
  a.pole = sinew_default_objective();
  a.pole.kind = SINEW_OBJECTIVE_POLE;
  a.pole.links[0] = shoulder;
  a.pole.links[1] = shoulder + 1;
  a.pole.links[2] = link;
  a.length = upper + lower;
  a.upper = upper;
  return a;
}

// From the shoulder to the wrist with the elbow at an angle.
static double distance_at(const arm *a, double angle) {
  const double upper = a->upper, lower = a->length - a->upper;
  return sqrt(upper * upper + lower * lower + 2.0 * upper * lower * cos(angle));
}

static sinew_solver *solver_of(const arm *a, bool hint) {
  sinew_solver_def def = sinew_default_solver_def();
  def.lower.levels = def.lower.objectives = def.lower.rows = 1;
  sinew_solver *solver = solver_with(&def, a->model, &a->task, 1);
  sinew_error error;
  if (sinew_solver_set_objectives(solver, &a->pole, hint ? 1 : 0, &error) != SINEW_OK) {
    fail_msg("%s", error.message);
  }
  return solver;
}

static void origin_of(const arm *a, int link, const double *q, double p[3]) {
  const sinew_task task = task_of(SINEW_TASK_POSITION, link);
  memcpy(p, target_at(a->model, &task, q).position, 3 * sizeof(double));
}

// The cosine of the angle at which the elbow is from the pole, about the line to the hand.
static double cosine_to_pole(const arm *a, const double *q) {
  double s[3], m[3], h[3], u[3], d[3], p[3], length = 0.0, along_u = 0.0, along_p = 0.0;
  origin_of(a, a->pole.links[0], q, s);
  origin_of(a, a->pole.links[1], q, m);
  origin_of(a, a->pole.links[2], q, h);
  for (int i = 0; i < 3; ++i) {
    u[i] = m[i] - s[i];
    d[i] = h[i] - s[i];
    p[i] = a->pole.pole[i] - (a->pole.pole_is_direction ? 0.0 : s[i]);
    length += d[i] * d[i];
    along_u += u[i] * d[i];
    along_p += p[i] * d[i];
  }
  double dot = 0.0, uu = 0.0, pp = 0.0;
  for (int i = 0; i < 3; ++i) {
    u[i] -= along_u / length * d[i];
    p[i] -= along_p / length * d[i];
    dot += u[i] * p[i];
    uu += u[i] * u[i];
    pp += p[i] * p[i];
  }
  return dot / sqrt(uu * pp);
}

// The row is the derivative of its angle, with all that moves the limb, where its weight is 1.
static void the_row_is_the_derivative_of_the_angle(void **state_) {
  (void)state_;
  random_stream random = random_stream_of(1);
  int compared = 0;
  for (int round = 0; round < 200; ++round) {
    arm a = arm_make(round % FAMILIES, &random);
    sinew_state *state = NULL;
    double q[MOST], at[MOST], v[MOST], rates[MOST], none[MOST];
    sinew_configuration_random(a.model, 2, (uint64_t)round, q);
    random_vector(&random, 1.0, a.pole.pole);
    a.pole.pole_is_direction = round % 2 == 0;
    assert_ok(sinew_state_create(a.model, NULL, &state, NULL));
    assert_ok(sinew_state_forward(state, q));
    const double angle = sinew_pole_row(state, &a.pole, rates);
    const bool near = fabs(fabs(angle) - acos(cosine_to_pole(&a, q))) < 1e-6; // weight 1
    for (int i = 0; near && fabs(angle) < 3.0 && i < a.model->nv; ++i) {
      double side[2];
      for (int k = 0; k < 2; ++k) {
        memset(v, 0, sizeof v);
        v[i] = k == 0 ? -1e-6 : 1e-6;
        sinew_configuration_integrate(a.model, q, v, at);
        assert_ok(sinew_state_forward(state, at));
        side[k] = sinew_pole_row(state, &a.pole, none);
      }
      const double difference = (side[1] - side[0]) / 2e-6;
      assert_near(rates[i], difference, 1e-6 * (1.0 + fabs(difference)));
      ++compared;
    }
    sinew_state_destroy(state);
    sinew_model_destroy(a.model);
  }
  assert_true(compared > 300);
}

// A straight arm leaves full extension to the side of the hint, in solves and in updates, for each
// family: 100 of 100. Where the shoulder can turn the elbow it ends at the pole.
static void a_straight_arm_bends_to_the_hint(void **state) {
  (void)state;
  for (int family = 0; family < FAMILIES; ++family) {
    random_stream random = random_stream_of((uint64_t)family);
    for (int call = 0; call < 2; ++call) {
      int right = 0;
      for (int round = 0; round < 100; ++round) {
        arm a = arm_make(family, &random);
        double q[MOST], s[3], distance, none;
        sinew_report report;
        sinew_configuration_start(a.model, q); // straight
        origin_of(&a, a.pole.links[0], q, s);
        sinew_target target = target_at(a.model, &a.task, q);
        target.position[0] = s[0] + distance_at(&a, random_between(&random, 0.4, 2.4));
        if (round % 2 == 0) { // not exactly along the arm
          target.position[1] += 0.01 * a.length;
        }
        random_unit(&random, 3, a.pole.pole);
        a.pole.pole[0] *= 0.3;
        if (family >= PLANAR) {
          a.pole.pole[2] *= 0.1;
        }
        if (family == BACKWARD) { // the only side that there is
          a.pole.pole[1] = fabs(a.pole.pole[1]);
        }
        a.pole.pole_is_direction = round % 3 > 0;
        for (int i = 0; !a.pole.pole_is_direction && i < 3; ++i) {
          a.pole.pole[i] += s[i];
        }
        sinew_solver *solver = solver_of(&a, true);
        if (call == 0) {
          assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
        }
        for (int update = 0; call == 1 && update < 300; ++update) {
          assert_ok(sinew_solver_update(solver, &target, 1, q, &report));
        }
        measure(a.model, &a.task, &target, q, &distance, &none);
        const double cosine = cosine_to_pole(&a, q);
        // at the pole, or as near as a shoulder's limit lets it
        const bool at_limit = fmax(fabs(q[0]), fabs(q[2])) > 3.0999;
        const bool blocked = family == THREE_AXES && at_limit && cosine > 0.0;
        right += distance <= 1e-6 && (blocked || cosine > (family < PLANAR ? 0.999 : 0.0));
        sinew_solver_destroy(solver);
        sinew_model_destroy(a.model);
      }
      if (right != 100) {
        print_message("family %d, call %d: %d of 100\n", family, call, right);
      }
      assert_int_equal(right, 100);
    }
  }
}

// A limb that the caller makes straight while the figure moves bends in the next update.
static void an_arm_in_motion_bends_at_once(void **state) {
  (void)state;
  int bent = 0;
  for (int round = 0; round < 40; ++round) {
    random_stream random = random_stream_of((uint64_t)round);
    arm a = arm_make(THREE_AXES, &random);
    double straight[MOST], q[MOST], s[3];
    sinew_configuration_start(a.model, straight);
    origin_of(&a, a.pole.links[0], straight, s);
    a.pole.pole[0] = 0.0;
    a.pole.pole[1] = 1.0;
    a.pole.pole[2] = 0.2;
    a.pole.pole_is_direction = true;
    sinew_target target = target_at(a.model, &a.task, straight);
    target.position[0] = s[0] + distance_at(&a, random_between(&random, 0.4, 2.4));
    sinew_solver *solver = solver_of(&a, true);
    memcpy(q, straight, sizeof q);
    for (int update = 0; update < 3; ++update) { // bends, and moves
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    }
    memcpy(q, straight, sizeof q);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    bent += memcmp(q, straight, (size_t)sinew_model_nq(a.model) * sizeof *q) != 0;
    sinew_solver_destroy(solver);
    sinew_model_destroy(a.model);
  }
  assert_true(bent >= 35); // 37; 3 if only figures at rest did
}

// Without a hint, to the side of the rest: the elbow's sign is that of the posture.
static void a_straight_arm_bends_to_its_rest(void **state) {
  (void)state;
  for (int call = 0; call < 2; ++call) {
    random_stream random = random_stream_of(9);
    for (int round = 0; round < 100; ++round) {
      arm a = arm_make(PLANAR, &random);
      double q[MOST], rest[MOST], s[3];
      sinew_configuration_start(a.model, q);
      memcpy(rest, q, sizeof rest);
      rest[a.elbow] = round % 2 == 0 ? 0.7 : -0.7;
      a.pole.posture = rest;
      origin_of(&a, a.pole.links[0], q, s);
      sinew_target target = target_at(a.model, &a.task, q);
      target.position[0] = s[0] + distance_at(&a, random_between(&random, 0.4, 2.4));
      a.pole.pole_is_direction = true; // of length 0
      sinew_solver *solver = solver_of(&a, true);
      if (call == 0) {
        assert_ok(sinew_solver_solve_local(solver, &target, 1, q, NULL));
      }
      for (int update = 0; call == 1 && update < 300; ++update) {
        assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      }
      assert_true(q[a.elbow] * rest[a.elbow] > 1e-3);
      sinew_solver_destroy(solver);
      sinew_model_destroy(a.model);
    }
  }
}

// On a path of the hand, with a pole that moves, every update leaves it where an update without the
// pole would, up to a tenth of the tolerance; and the elbow follows.
static void the_hand_pays_nothing(void **state) {
  (void)state;
  random_stream random = random_stream_of(4);
  for (int round = 0; round < 20; ++round) {
    arm a = arm_make(round % 2, &random);
    double q[MOST], p[MOST], start[MOST], v[MOST] = {0.0}, s[3], without, with, none;
    sinew_configuration_start(a.model, q);
    v[a.elbow] = 1.2;
    sinew_configuration_integrate(a.model, q, v, start);
    memcpy(q, start, sizeof q);
    origin_of(&a, a.pole.links[0], q, s);
    sinew_target target = target_at(a.model, &a.task, q);
    const sinew_target home = target;
    sinew_solver *plain = solver_of(&a, false), *solver = solver_of(&a, true);
    for (int update = 0; update < 200; ++update) {
      const double t = 0.02 * update;
      a.pole.pole[0] = s[0];
      a.pole.pole[1] = s[1] + sin(0.5 * t);
      a.pole.pole[2] = s[2] + cos(0.5 * t);
      assert_ok(sinew_solver_set_objectives(solver, &a.pole, 1, NULL));
      for (int i = 0; i < 3; ++i) {
        target.position[i] =
            home.position[i] + 0.05 * a.length * sin(t + i) - 0.05 * a.length * sin(i);
      }
      memcpy(p, q, sizeof p);
      sinew_solver_reset(plain);
      assert_ok(sinew_solver_update(plain, &target, 1, p, NULL));
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      measure(a.model, &a.task, &target, p, &without, &none);
      measure(a.model, &a.task, &target, q, &with, &none);
      assert_true(update == 0 || with <= 1e-7 + fmax(without, 1e-6));
    }
    assert_true(cosine_to_pole(&a, q) > 0.9);
    sinew_solver_destroy(plain);
    sinew_solver_destroy(solver);
    sinew_model_destroy(a.model);
  }
}

// With a time step the bend is within the limits of speed, as all else.
static void a_bend_keeps_speed_limits(void **state) {
  (void)state;
  random_stream random = random_stream_of(14);
  for (int round = 0; round < 20; ++round) {
    arm a = arm_make(PLANAR, &random);
    sinew_solver_def def = sinew_default_solver_def();
    double q[MOST], before[MOST], s[3], speeds[MOST];
    def.lower.levels = def.lower.objectives = def.lower.rows = 1;
    def.tracking.time_step = 0.01;
    sinew_solver *solver = solver_with(&def, a.model, &a.task, 1);
    a.pole.pole_is_direction = true;
    a.pole.pole[1] = round % 2 == 0 ? 1.0 : -1.0;
    for (int v = 0; v < a.model->nv; ++v) {
      speeds[v] = 0.05;
    }
    assert_ok(sinew_solver_set_speeds(solver, speeds, 1.0));
    assert_ok(sinew_solver_set_objectives(solver, &a.pole, 1, NULL));
    sinew_configuration_start(a.model, q);
    origin_of(&a, a.pole.links[0], q, s);
    sinew_target target = target_at(a.model, &a.task, q);
    target.position[0] = s[0] + distance_at(&a, 0.3);
    for (int update = 0; update < 1500; ++update) {
      memcpy(before, q, sizeof before);
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      for (int v = 0; v < a.model->nv; ++v) {
        assert_at_most(fabs(q[v] - before[v]), 0.0005 * (1.0 + 1e-12));
      }
    }
    assert_true(q[a.elbow] * a.pole.pole[1] < -0.25);
    sinew_solver_destroy(solver);
    sinew_model_destroy(a.model);
  }
}

// A straight arm along x whose elbow is spherical and swings only about one axis, to one side; on a
// frozen spherical joint.
static arm ball_arm(void) {
  builder b;
  arm a = {.length = 0.6, .upper = 0.3};
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.1, 0.2, 0.3);
  builder_add(&b, 1, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
  sinew_joint_def *elbow = builder_add(&b, 2, SINEW_JOINT_SPHERICAL, 0.3, 0.0, 0.0);
  builder_add(&b, 3, SINEW_JOINT_SPHERICAL, 0.3, 0.0, 0.0);
  memcpy(elbow->axis, (double[]){1.0, 0.0, 0.0}, 3 * sizeof(double));
  memcpy(elbow->axis2, (double[]){0.0, 1.0, 0.0}, 3 * sizeof(double));
  memcpy(elbow->lower, (double[]){-0.5, -0.001, -0.001}, 3 * sizeof(double));
  memcpy(elbow->upper, (double[]){0.5, 2.0, 0.001}, 3 * sizeof(double));
  a.model = builder_make(&b);
  a.task = task_of(SINEW_TASK_POSITION, 4);
  a.pole = sinew_default_objective();
  a.pole.kind = SINEW_OBJECTIVE_POLE;
  a.pole.pole_is_direction = true;
  for (int i = 0; i < 3; ++i) {
    a.pole.links[i] = 2 + i;
  }
  return a;
}

// A bend stays within limits of swing and twist on either side, and leaves the bits of what is
// frozen.
static void a_bend_keeps_swings_and_what_is_frozen(void **state) {
  (void)state;
  for (int side = -1; side <= 1; side += 2) {
    arm a = ball_arm();
    const unsigned char frozen[12] = {1, 1, 1};
    const double still[4] = {0.5 * (1.0 + 1e-9), 0.5, 0.5, 0.5};
    double q[MOST], s[3];
    a.pole.pole[0] = side; // along the z axis of the arm at the start
    sinew_solver *solver = solver_of(&a, true);
    assert_ok(sinew_solver_set_frozen(solver, frozen));
    sinew_configuration_start(a.model, q);
    memcpy(q, still, sizeof still);
    origin_of(&a, a.pole.links[0], q, s);
    sinew_target target = target_at(a.model, &a.task, q);
    target.position[1] = s[1] + 0.45; // aside of the arm, which is along y: a bend of 0.05 rad
    target.position[2] = s[2] + 0.1;
    double bent = 0.0;
    for (int update = 0; update < 50; ++update) {
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      assert_memory_equal(q, still, sizeof still);
      assert_at_most(sinew_configuration_excess(a.model, q, NULL), 1e-9);
      bent = sinew_max(bent, fabs(q[8 + 2]));
    }
    assert_true(side < 0 || bent > 0.1); // the pole of the other side is against the limits
    sinew_solver_destroy(solver);
    sinew_model_destroy(a.model);
  }
}

static void mistakes_are_refused_by_name(void **state) {
  (void)state;
  random_stream random = random_stream_of(4);
  arm a = arm_make(SPHERICAL, &random);
  sinew_solver *solver = solver_of(&a, false);
  const int links[][3] = {{1, 2, 9}, {-1, 2, 3}, {2, 1, 3}, {1, 3, 2}, {1, 1, 3}};
  sinew_error error;
  for (size_t i = 0; i < sizeof links / sizeof links[0]; ++i) {
    sinew_objective objective = a.pole;
    memcpy(objective.links, links[i], sizeof links[i]);
    assert_int_equal(sinew_solver_set_objectives(solver, &objective, 1, &error),
                     i < 2 ? SINEW_ERROR_INDEX : SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "objective 0: links"));
  }
  sinew_objective objective = a.pole;
  objective.pole[1] = NAN;
  assert_int_equal(sinew_solver_set_objectives(solver, &objective, 1, &error),
                   SINEW_ERROR_NOT_FINITE);
  assert_non_null(strstr(error.message, "pole"));
  sinew_solver_destroy(solver);
  sinew_model_destroy(a.model);
}

// Of a limb whose root and middle, middle and end, or root and end are at the same place whatever
// its joints do, no angle is defined. Where a joint moves one of them away there is one.
static void limbs_without_length_are_refused(void **state) {
  (void)state;
  enum { REVOLUTE_BETWEEN, SPHERICAL_BETWEEN, ON_THE_AXIS, OFF_THE_AXIS, SLIDE, BACK_AGAIN, CASES };
  for (int i = 0; i < CASES; ++i) {
    for (int pair = 0; pair < 2; ++pair) {
      builder b;
      builder_start(&b);
      int link = 0;
      builder_add(&b, link++, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.1);
      if (pair == 1) {
        builder_add(&b, link++, SINEW_JOINT_REVOLUTE, 0.4, 0.0, 0.0);
      }
      const int above = link;
      if (i == SLIDE) {
        builder_add(&b, link++, SINEW_JOINT_PRISMATIC, 0.0, 0.0, 0.0);
      } else if (i == ON_THE_AXIS || i == OFF_THE_AXIS || i == BACK_AGAIN) {
        // A joint whose axis is along z, and 0.2 m along or across it another link; back again.
        builder_add(&b, link++, SINEW_JOINT_REVOLUTE, 0.0, 0.0, i == ON_THE_AXIS ? -0.2 : 0.0);
        builder_add(&b, link++, SINEW_JOINT_FIXED, i == OFF_THE_AXIS ? 0.2 : 0.0, 0.0,
                    i == ON_THE_AXIS ? 0.2 : 0.0);
        if (i == BACK_AGAIN) {
          builder_add(&b, link++, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.3);
          builder_add(&b, link++, SINEW_JOINT_FIXED, 0.0, 0.0, 0.2);
          builder_add(&b, link++, SINEW_JOINT_FIXED, 0.0, 0.0, -0.2);
          builder_add(&b, link++, SINEW_JOINT_REVOLUTE, 0.0, 0.0, -0.3);
        }
      } else {
        builder_add(&b, link++,
                    i == SPHERICAL_BETWEEN ? SINEW_JOINT_SPHERICAL : SINEW_JOINT_REVOLUTE, 0.0, 0.0,
                    0.0);
      }
      const int below = link;
      builder_add(&b, link++, SINEW_JOINT_REVOLUTE, 0.3, 0.0, 0.0);
      sinew_model *model = builder_make(&b);
      sinew_solver_def def = sinew_default_solver_def();
      sinew_objective pole = sinew_default_objective();
      sinew_error error = {0};
      def.lower.levels = def.lower.objectives = def.lower.rows = 1;
      pole.kind = SINEW_OBJECTIVE_POLE;
      memcpy(pole.links, pair == 0 ? (int[]){above, below, link} : (int[]){1, above, below},
             sizeof pole.links);
      sinew_solver *solver = solver_with(&def, model, NULL, 0);
      const bool together = i != OFF_THE_AXIS && i != SLIDE && i != BACK_AGAIN;
      assert_int_equal(sinew_solver_set_objectives(solver, &pole, 1, &error),
                       together ? SINEW_ERROR_ARGUMENT : SINEW_OK);
      if (together && (strstr(error.message, "objective 0: links: ") == NULL ||
                       strstr(error.message, "always at the same place") == NULL)) {
        fail_msg("%s", error.message);
      }
      sinew_solver_destroy(solver);
      sinew_model_destroy(model);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_row_is_the_derivative_of_the_angle),
      cmocka_unit_test(a_straight_arm_bends_to_the_hint),
      cmocka_unit_test(an_arm_in_motion_bends_at_once),
      cmocka_unit_test(a_straight_arm_bends_to_its_rest),
      cmocka_unit_test(the_hand_pays_nothing),
      cmocka_unit_test(a_bend_keeps_speed_limits),
      cmocka_unit_test(a_bend_keeps_swings_and_what_is_frozen),
      cmocka_unit_test(mistakes_are_refused_by_name),
      cmocka_unit_test(limbs_without_length_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
