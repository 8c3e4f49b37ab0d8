// Limits of acceleration of spherical joints. Random chains of such joints, with and without limits
// of swing and twist, some on a floating base, follow targets that jump. Each component of a
// joint's angular velocity, in its own frame, changes by at most what is allowed, no joint leaves
// its limits, and the figures come to their targets and rest there.
#include "fixtures.h"
#include "sample.h"

#include <string.h>

#define MOST 40
#define ROUNDING 1e-9 // of an angular velocity [rad/s], and of limits of swing and twist [rad]

enum { NO_CONES, ROUND_CONES, OBLIQUE_CONES, CONES };

typedef struct figure {
  sinew_model *model;
  sinew_task task;
  sinew_solver *solver;
  double time_step, accelerations[MOST], speeds[MOST];
  int task_count, nv;
  double q[MOST], motion[MOST], change[MOST]; // in the last update, and its change
} figure;

// What varies beside the model.
typedef struct figure_options {
  sinew_method method;
  bool posture, escape;
} figure_options;

// ---------------------------------------------------------------------- figures

static void limit_joint(sinew_joint_def *joint, int cones, random_stream *r) {
  const double swing = random_between(r, 0.4, 1.3);
  if (cones == NO_CONES) {
    return;
  }
  joint->lower[0] = -random_between(r, 0.2, 1.5);
  joint->upper[0] = random_between(r, 0.2, 1.5);
  for (int i = 1; i < 3; ++i) {
    joint->lower[i] = cones == ROUND_CONES ? -swing : -random_between(r, 0.15, 2.4);
    joint->upper[i] = cones == ROUND_CONES ? swing : random_between(r, 0.15, 2.4);
  }
  random_unit(r, 3, joint->axis);
  random_unit(r, 3, joint->axis2);
}

// One to four spherical joints, revolute ones between them; every fourth on a floating base.
static sinew_model *make_model(int seed, int cones, random_stream *r) {
  builder b;
  builder_start(&b);
  int link = 0;
  if (seed % 4 == 3) {
    builder_add(&b, link, SINEW_JOINT_FREE, 0.0, 0.0, 0.0);
    link = b.joint_count;
  }
  const int count = 1 + random_below(r, 4);
  for (int j = 0; j < count; ++j) {
    const double x = j == 0 ? 0.0 : random_between(r, 0.2, 0.5);
    limit_joint(builder_add(&b, link, SINEW_JOINT_SPHERICAL, x, 0.0, 0.0), cones, r);
    link = b.joint_count;
    if (random_below(r, 4) == 0) {
      builder_add(&b, link, SINEW_JOINT_REVOLUTE, 0.2, 0.0, 0.0);
      link = b.joint_count;
    }
  }
  return builder_make(&b);
}

static figure make_figure(int seed, int cones, const figure_options *options) {
  random_stream r = random_stream_of(3000 + 17 * (uint64_t)seed);
  figure f = {.model = make_model(seed, cones, &r), .task_count = 1};
  const double acceleration = pow(10.0, random_between(&r, 0.0, 1.7));
  sinew_solver_def def = sinew_default_solver_def();
  f.nv = sinew_model_nv(f.model);
  assert_true(sinew_model_nq(f.model) <= MOST);
  f.time_step = def.tracking.time_step = pow(10.0, random_between(&r, -2.7, -1.4));
  f.task = task_of(seed % 2 == 0 ? SINEW_TASK_POSITION : SINEW_TASK_POSE,
                   sinew_model_link_count(f.model) - 1);
  f.task.point_l[0] = 0.3;
  for (int v = 0; v < f.nv; ++v) {
    f.accelerations[v] = acceleration * random_between(&r, 0.5, 1.0);
    f.speeds[v] = INFINITY;
  }
  def.step.method = options->method;
  def.tracking.escape = options->escape;
  def.lower.levels = def.lower.objectives = options->posture ? 1 : 0;
  f.solver = solver_with(&def, f.model, &f.task, 1);
  if (options->posture) {
    sinew_objective posture = sinew_default_objective();
    posture.kind = SINEW_OBJECTIVE_POSTURE;
    assert_ok(sinew_solver_set_objectives(f.solver, &posture, 1, NULL));
  }
  sinew_configuration_random(f.model, 31, (uint64_t)seed, f.q);
  return f;
}

static void end_figure(const figure *f) {
  sinew_solver_destroy(f->solver);
  sinew_model_destroy(f->model);
}

static void update(figure *f, const sinew_target *target) {
  double before[MOST], motion[MOST];
  memcpy(before, f->q, sizeof before);
  assert_ok(sinew_solver_update(f->solver, target, f->task_count, f->q, NULL));
  sinew_configuration_difference(f->model, before, f->q, motion);
  for (int v = 0; v < f->nv; ++v) {
    f->change[v] = motion[v] - f->motion[v];
    f->motion[v] = motion[v];
  }
}

static double fastest(const figure *f) {
  double speed = 0.0;
  for (int v = 0; v < f->nv; ++v) {
    speed = fmax(speed, fabs(f->motion[v]) / f->time_step);
  }
  return speed;
}

static double error_of(const figure *f, const sinew_target *target) {
  double distance, angle;
  measure(f->model, &f->task, target, f->q, &distance, &angle);
  return distance + (f->task.kind == SINEW_TASK_POSE ? 0.3 * angle : 0.0);
}

// A target that the figure meets at a share of the way to a random configuration.
static sinew_target target_towards(const figure *f, uint64_t number, double share) {
  double to[MOST];
  configuration_towards(f->model, f->q, number, share, to);
  return target_at(f->model, &f->task, to);
}

// ----------------------------------------------------------------------- checks

typedef struct tally {
  int updates, yields, bounded, targets, reached, resting;
} tally;

// Each motion changes by no more than its acceleration allows, and what yields.
static void check_update(const figure *f, tally *sum) {
  const double dt = f->time_step;
  ++sum->updates;
  for (int v = 0; v < f->nv; ++v) {
    sinew_bound_report report;
    assert_ok(sinew_solver_bound(f->solver, f->q, v, &report));
    const double most = (f->accelerations[v] + report.yielded) * dt;
    assert_at_most(fabs(f->change[v]) / dt, most + ROUNDING);
    assert_at_most(fabs(f->motion[v]) / dt, f->speeds[v] * (1.0 + 1e-9));
    sum->yields += report.yielded > 0.0;
    sum->bounded += fabs(f->change[v]) / dt > 0.99 * f->accelerations[v] * dt;
  }
}

static void check_limits(const figure *f) {
  assert_at_most(outside_limits(f->model, f->q), ROUNDING);
}

// Two targets that jump before the figure is there, then one after so many updates that it rests,
// and the same again. longer: a factor on these.
static void follow_jumps(figure *f, int seed, double longer, tally *sum) {
  random_stream r = random_stream_of(91 + (uint64_t)seed);
  double least = INFINITY;
  for (int v = 0; v < f->nv; ++v) {
    least = fmin(least, f->accelerations[v]);
  }
  for (int number = 0; number < 6; ++number) {
    const bool last = number % 3 == 2;
    const double time = 8.0 * sqrt(2.0 / least) * (last ? longer : random_between(&r, 0.05, 0.3));
    const int updates = (int)(time / f->time_step) + (last ? 60 : 1);
    const sinew_target target =
        target_towards(f, (uint64_t)(10 * seed + number), random_between(&r, 0.2, 0.8));
    for (int i = 0; i < updates; ++i) {
      update(f, &target);
      check_update(f, sum);
      check_limits(f);
    }
    sum->targets += last;
    sum->reached += last && error_of(f, &target) < 1e-4;
    sum->resting += last && fastest(f) < 1e-3;
  }
}

static tally follow_all(int count, int cones, const figure_options *options) {
  tally sum = {0};
  for (int seed = 0; seed < SAMPLE_OF(count); ++seed) {
    figure f = make_figure(seed, cones, options);
    assert_ok(sinew_solver_set_accelerations(f.solver, f.accelerations));
    follow_jumps(&f, seed, options->posture ? 3.0 : 1.0, &sum);
    end_figure(&f);
  }
  print_message("%d updates, %d motions at their bound, %d yield; %d of %d targets reached, %d at "
                "rest\n",
                sum.updates, sum.bounded, sum.yields, sum.reached, sum.targets, sum.resting);
  assert_true(sum.bounded > sum.updates / 50);
  assert_int_equal(sum.yields, 0);
  return sum;
}

// req: E8
static void targets_that_jump_are_reached(void **unused) {
  (void)unused;
  const figure_options options = {.method = SINEW_METHOD_DEFAULT};
  for (int cones = 0; cones < CONES; ++cones) {
    const tally sum = follow_all(32, cones, &options);
    assert_true(50 * sum.reached >= 49 * sum.targets);
    assert_true(50 * sum.resting >= 49 * sum.targets);
  }
}

// Other methods, an escape, and a posture below the target. req: E8
static void all_kinds_of_updates_are_bounded(void **unused) {
  (void)unused;
  static const figure_options options[] = {
      {.method = SINEW_METHOD_DLS},
      {.method = SINEW_METHOD_NEWTON},
      {.method = SINEW_METHOD_DEFAULT, .escape = true},
      {.method = SINEW_METHOD_DEFAULT, .posture = true},
  };
  for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i) {
    for (int cones = 0; cones < CONES; ++cones) {
      const tally sum = follow_all(options[i].posture ? 9 : 10, cones, &options[i]);
      if (options[i].posture) {
        assert_true(4 * sum.resting >= 3 * sum.targets);
      }
    }
  }
}

// ------------------------------------------------------------- along a limit

// One joint of 1 m with a cone, whose target is beyond it, and then goes by an angle around its
// middle. The time until the joint stays where it ends, over the fastest for that way. ratio: of
// the two semi-axes.
static double time_along_limit(double cone, double ratio, double acceleration, double time_step,
                               double angle) {
  builder b;
  builder_start(&b);
  sinew_joint_def *joint = builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
  for (int i = 0; i < 3; ++i) {
    joint->lower[i] = i == 0 ? -1.0 : i == 1 ? -cone : -ratio * cone;
    joint->upper[i] = -joint->lower[i];
  }
  figure f = {
      .model = builder_make(&b), .time_step = time_step, .task_count = 1, .nv = 3, .q = {1}};
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = time_step;
  f.task = task_of(SINEW_TASK_POSITION, 1);
  f.task.point_l[0] = 1.0;
  f.solver = solver_with(&def, f.model, &f.task, 1);
  for (int v = 0; v < 3; ++v) {
    f.accelerations[v] = acceleration;
    f.speeds[v] = INFINITY;
  }
  assert_ok(sinew_solver_set_accelerations(f.solver, f.accelerations));
  const double beyond = fmin(1.5 * cone, 2.8);
  double way[3], begin[4], last[3] = {0.0, 0.0, 0.0}, arrived = 0.0;
  tally sum = {0};
  const int updates = (int)(12.0 * sqrt(4.0 / acceleration) / time_step);
  for (int phase = 0; phase < 2; ++phase) {
    sinew_target target = sinew_default_target();
    target.position[0] = cos(beyond);
    target.position[1] = sin(beyond) * cos(phase * angle);
    target.position[2] = sin(beyond) * sin(phase * angle);
    memcpy(begin, f.q, sizeof begin);
    for (int i = 0; i < updates; ++i) {
      update(&f, &target);
      check_update(&f, &sum);
      check_limits(&f);
      sinew_configuration_difference(f.model, begin, f.q, way);
      const double moved =
          fmax(fabs(way[0] - last[0]), fmax(fabs(way[1] - last[1]), fabs(way[2] - last[2])));
      if (moved > 1e-3 * time_step) { // faster than 1e-3 rad/s
        arrived = (i + 1) * time_step;
      }
      memcpy(last, way, sizeof last);
    }
  }
  assert_int_equal(sum.yields, 0);
  end_figure(&f);
  const double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
  return arrived / (2.0 * sqrt(length / acceleration) + time_step);
}

// A joint that slides along its limits keeps the distance from them in which it can stop, and is as
// fast as that allows: without tilting its motions away from them it creeps, and takes 100 times
// the fastest motion. req: E8
static void joints_slide_along_their_limits(void **unused) {
  (void)unused;
  static const double cones[] = {0.3, 0.8, 1.4, 2.2}, steps[] = {0.02, 0.005, 0.001};
  double sum = 0.0, most = 0.0;
  int count = 0;
  for (int c = 0; c < 4; ++c) {
    for (int s = 0; s < 3; ++s) {
      for (double acceleration = 2.0; acceleration < 50.0; acceleration *= 10.0) {
        for (double angle = 0.5; angle < 3.0; angle *= 2.0) {
          const double ratio = time_along_limit(cones[c], 1.0, acceleration, steps[s], angle);
          sum += ratio;
          most = fmax(most, ratio);
          ++count;
        }
      }
    }
  }
  print_message("%d ways, time %.2f of the fastest, at most %.2f\n", count, sum / count, most);
  assert_at_most(sum / count, 3.0);
  assert_at_most(most, 10.0);
}

// At the narrow end of an ellipse, of which the curvature of the limit is up to 600 / rad, a joint
// comes to rest, too: a motion with which it brakes is not carried on. req: E8
static void joints_rest_at_narrow_limits(void **unused) {
  (void)unused;
  static const double ratios[] = {0.1, 0.2, 0.4}, steps[] = {0.02, 0.002};
  double most = 0.0;
  for (int r = 0; r < 3; ++r) {
    for (int s = 0; s < 2; ++s) {
      for (double acceleration = 1.0; acceleration < 200.0; acceleration *= 10.0) {
        for (double angle = 1.0; angle < 4.0; angle += 2.0) {
          most = fmax(most, time_along_limit(2.5, ratios[r], acceleration, steps[s], angle));
        }
      }
    }
  }
  print_message("time at most %.2f of the fastest\n", most);
  assert_at_most(most, 12.0); // 34.8 where a motion goes on
}

// -------------------------------------------------------- changes on the way

// A figure on its way, without limits of acceleration at first.
static figure moving_figure(int seed, int cones, sinew_target *target) {
  const figure_options options = {.method = SINEW_METHOD_DEFAULT};
  random_stream r = random_stream_of(190 + (uint64_t)seed);
  figure f = make_figure(seed, cones, &options);
  *target = target_towards(&f, (uint64_t)(20 * seed + 1), random_between(&r, 0.2, 0.8));
  update(&f, target);
  *target = target_towards(&f, (uint64_t)(20 * seed + 2), random_between(&r, 0.2, 0.8));
  const int updates = 2 + random_below(&r, 8);
  for (int i = 0; i < updates; ++i) {
    update(&f, target);
  }
  return f;
}

// Limits that are set while a figure moves count from its last motion; off and on again, too.
// Joints that cannot stop ahead of their limits do not leave them: the acceleration yields. Without
// limits nothing yields. req: E8
static void limits_are_set_on_the_way(void **unused) {
  (void)unused;
  for (int cones = 0; cones < CONES; ++cones) {
    tally sum = {0};
    for (int seed = 0; seed < SAMPLE_OF(100); ++seed) {
      sinew_target target;
      figure f = moving_figure(seed, cones, &target);
      for (int times = 0; times < 2; ++times) {
        assert_ok(sinew_solver_set_accelerations(f.solver, f.accelerations));
        for (int i = 0; i < 20; ++i) {
          update(&f, &target);
          check_update(&f, &sum);
          check_limits(&f);
        }
        assert_ok(sinew_solver_set_accelerations(f.solver, NULL));
        update(&f, &target);
        update(&f, &target);
      }
      end_figure(&f);
    }
    print_message("%d updates, %d yield, %d at their bound\n", sum.updates, sum.yields,
                  sum.bounded);
    assert_true(sum.bounded > sum.updates / 50);
    assert_true((sum.yields > 0) == (cones != NO_CONES));
  }
}

// Limits of speed do not yield: where they are lowered the acceleration does, and where those of
// swing and twist are narrowed. req: E8
static void speeds_do_not_yield(void **unused) {
  (void)unused;
  for (int cones = 0; cones < CONES; ++cones) {
    tally sum = {0};
    for (int seed = 0; seed < SAMPLE_OF(50); ++seed) {
      const figure_options options = {.method = SINEW_METHOD_DEFAULT};
      figure f = make_figure(seed, cones, &options);
      assert_ok(sinew_solver_set_accelerations(f.solver, f.accelerations));
      const sinew_target target = target_towards(&f, (uint64_t)seed, 0.7);
      for (int i = 0; i < 60; ++i) {
        if (i == 20 || i == 40) {
          const double most = fmax(fastest(&f), 1e-3) * (i == 20 ? 0.9 : 0.3);
          for (int v = 0; v < f.nv; ++v) {
            f.speeds[v] = most;
          }
          assert_ok(sinew_solver_set_speeds(f.solver, f.speeds, 1.0));
        } else if (i == 30) {
          assert_ok(sinew_solver_set_margins(f.solver, 0.0, 0.1));
        }
        update(&f, &target);
        check_update(&f, &sum);
        check_limits(&f);
      }
      end_figure(&f);
    }
    print_message("%d updates, %d yield\n", sum.updates, sum.yields);
    assert_true(sum.yields > 0);
  }
}

// A figure that nothing moves any longer brakes about its present axes until it rests, within its
// limits; one that is frozen stops at once. req: E8
static void joints_that_nothing_moves_brake(void **unused) {
  (void)unused;
  for (int cones = 0; cones < CONES; ++cones) {
    tally sum = {0};
    for (int seed = 0; seed < SAMPLE_OF(50); ++seed) {
      unsigned char frozen[MOST];
      double before[MOST];
      sinew_target target;
      figure f = moving_figure(seed, cones, &target);
      memset(frozen, 1, sizeof frozen);
      assert_ok(sinew_solver_set_accelerations(f.solver, f.accelerations));
      update(&f, &target);
      assert_ok(sinew_solver_set_tasks(f.solver, NULL, 0, NULL));
      f.task_count = 0;
      double least = INFINITY;
      for (int v = 0; v < f.nv; ++v) {
        least = fmin(least, f.accelerations[v]);
      }
      const double longest = fastest(&f) / (least * f.time_step);
      for (int i = 0; i < fmin(3.0 * longest, 3000.0) + 2; ++i) {
        update(&f, NULL);
        check_update(&f, &sum);
        check_limits(&f);
      }
      if (3.0 * longest < 3000.0) {
        assert_at_most(fastest(&f), 1e-12);
      }
      f.task_count = 1;
      assert_ok(sinew_solver_set_tasks(f.solver, &f.task, 1, NULL));
      update(&f, &target);
      update(&f, &target);
      assert_ok(sinew_solver_set_frozen(f.solver, frozen));
      memcpy(before, f.q, sizeof before);
      update(&f, &target);
      assert_memory_equal(before, f.q, (size_t)sinew_model_nq(f.model) * sizeof *before);
      end_figure(&f);
    }
    print_message("%d updates, %d yield, %d at their bound\n", sum.updates, sum.yields,
                  sum.bounded);
    assert_true(sum.bounded > sum.updates / 50);
  }
}

// After a reset a figure is at rest; and after the first update that follows it, which places it,
// where limits are set only then.
static void a_reset_is_at_rest(void **unused) {
  (void)unused;
  for (int seed = 0; seed < SAMPLE_OF(60); ++seed) {
    tally sum = {0};
    sinew_target target;
    figure f = moving_figure(seed, seed % CONES, &target);
    assert_ok(sinew_solver_set_accelerations(f.solver, f.accelerations));
    for (int i = 0; i < 10; ++i) {
      update(&f, &target);
    }
    sinew_solver_reset(f.solver);
    if (seed % 2 == 0) {
      assert_ok(sinew_solver_set_accelerations(f.solver, NULL));
      target = target_towards(&f, (uint64_t)(20 * seed + 3), 0.8);
      update(&f, &target);
      assert_ok(sinew_solver_set_accelerations(f.solver, f.accelerations));
      target = target_towards(&f, (uint64_t)(20 * seed + 4), 0.8);
    }
    memset(f.motion, 0, sizeof f.motion);
    for (int i = 0; i < 3; ++i) {
      update(&f, &target);
      check_update(&f, &sum);
    }
    assert_int_equal(sum.yields, 0);
    end_figure(&f);
  }
}

// ------------------------------------------------------------------- hard tasks

// A chain whose tip is to stay above a plane or, as an interval of its position, a height; its
// targets jump, every second below that.
static void hop_at_plane(int seed, int cones, bool plane, tally *sum) {
  random_stream r = random_stream_of(77 + (uint64_t)seed);
  figure f = {.model = make_model(seed % 2, cones, &r), .task_count = 2};
  sinew_solver_def def = sinew_default_solver_def();
  f.time_step = def.tracking.time_step = pow(10.0, random_between(&r, -2.7, -1.4));
  f.nv = sinew_model_nv(f.model);
  def.hard_rows = 1;
  const int tip = sinew_model_link_count(f.model) - 1;
  sinew_task tasks[2] = {task_of(plane ? SINEW_TASK_PLANE : SINEW_TASK_POSITION, tip),
                         task_of(SINEW_TASK_POSITION, tip)};
  tasks[0].hard = true;
  tasks[0].weight_axes = SINEW_AXES_FRAME;
  for (int i = 0; i < 6; ++i) {
    tasks[0].range_lower[i] = i == (plane ? 0 : 2) ? 0.0 : -INFINITY;
    tasks[0].range_upper[i] = INFINITY;
  }
  reset_unread_fields(&tasks[0]);
  tasks[0].point_l[0] = tasks[1].point_l[0] = 0.3;
  f.task = tasks[1];
  f.solver = solver_with(&def, f.model, tasks, 2);
  const double acceleration = pow(10.0, random_between(&r, 0.0, 1.7));
  for (int v = 0; v < f.nv; ++v) {
    f.accelerations[v] = acceleration;
    f.speeds[v] = INFINITY;
  }
  assert_ok(sinew_solver_set_accelerations(f.solver, f.accelerations));
  sinew_configuration_random(f.model, 31, (uint64_t)seed, f.q);
  const double height = target_at(f.model, &f.task, f.q).position[2] - 0.1;
  sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
  targets[0].position[2] = height;
  targets[0].direction[2] = 1.0;
  for (int number = 0; number < 4; ++number) {
    targets[1] = target_towards(&f, (uint64_t)(100 * seed + number), 0.6);
    if (number % 2 != 0) {
      targets[1].position[2] = height - 0.2;
    }
    for (int i = 0; i < 3.0 * sqrt(4.0 / acceleration) / f.time_step; ++i) {
      update(&f, targets);
      check_update(&f, sum);
      check_limits(&f);
      if (plane) {
        assert_true(target_at(f.model, &f.task, f.q).position[2] > height - 5e-9);
      }
    }
  }
  end_figure(&f);
}

// Accelerations and braking yield to a clearance, and no further than reported; limits of swing and
// twist hold. req: E8 E11
static void accelerations_yield_to_clearances(void **unused) {
  (void)unused;
  for (int plane = 0; plane < 2; ++plane) {
    for (int cones = 0; cones < CONES; ++cones) {
      tally sum = {0};
      for (int seed = 0; seed < SAMPLE_OF(24); ++seed) {
        hop_at_plane(seed, cones, plane != 0, &sum);
      }
      print_message("%d updates, %d yield\n", sum.updates, sum.yields);
      assert_true(plane == 0 || sum.yields > 0);
    }
  }
}

// ---------------------------------------------------------------------- report

// The bounds that stop a joint on its way to a target, in their order.
static void the_bound_is_named(void **unused) {
  (void)unused;
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
  sinew_model *model = builder_make(&b);
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = 0.01;
  sinew_task task = task_of(SINEW_TASK_POSITION, 1);
  task.point_l[0] = 1.0;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  const double accelerations[3] = {4.0, 4.0, 4.0};
  assert_ok(sinew_solver_set_accelerations(solver, accelerations));
  sinew_target target = sinew_default_target();
  target.position[0] = cos(1.0);
  target.position[1] = sin(1.0);
  double q[4] = {1.0, 0.0, 0.0, 0.0}, w[3];
  int order[8], count = 0;
  for (int i = 0; i < 200; ++i) {
    sinew_bound_report report;
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    assert_ok(sinew_solver_bound(solver, q, 2, &report));
    sinew_quaternion_log(q, w);
    assert_at_most(w[2], 1.0 + 1e-9);
    assert_true(report.yielded == 0.0);
    if (w[2] < 1.0 - 1e-3 && (count == 0 || order[count - 1] != (int)report.bound)) {
      assert_true(count < 8);
      order[count++] = (int)report.bound;
    }
  }
  const int expected[] = {SINEW_BOUND_ACCELERATION, SINEW_BOUND_BRAKING};
  assert_int_equal(count, 2);
  assert_memory_equal(order, expected, sizeof expected);
  assert_near(w[2], 1.0, 1e-9);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(targets_that_jump_are_reached),
      cmocka_unit_test(all_kinds_of_updates_are_bounded),
      cmocka_unit_test(joints_slide_along_their_limits),
      cmocka_unit_test(joints_rest_at_narrow_limits),
      cmocka_unit_test(limits_are_set_on_the_way),
      cmocka_unit_test(speeds_do_not_yield),
      cmocka_unit_test(joints_that_nothing_moves_brake),
      cmocka_unit_test(a_reset_is_at_rest),
      cmocka_unit_test(accelerations_yield_to_clearances),
      cmocka_unit_test(the_bound_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
