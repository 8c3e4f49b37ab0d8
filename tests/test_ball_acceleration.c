// Limits of acceleration of spherical joints: random figures of such joints, with and without limits
// of swing and twist, and with floating bases, follow targets that jump. Each component of a joint's
// angular velocity, in its own frame, changes by at most what is allowed, no joint leaves its limits,
// and the figures come to their targets and rest there.
#include "fixtures.h"
#include "sample.h"

#include <stdlib.h>
#include <string.h>

#define MOST 32

enum { NO_CONES, ROUND_CONES, OBLIQUE_CONES, CONES };

// A chain of spherical joints, whose tip follows a target.
typedef struct figure {
  sinew_model *model;
  sinew_task tasks[2];
  int task_count;
  double time_step, accelerations[MOST];
  sinew_solver *solver;
  int nv, nq;
  double q[MOST], last[MOST], change[MOST]; // the last motion, and by how much it has changed
} figure;

static void limit_joint(sinew_joint_def *joint, int cones, random_stream *r) {
  if (cones == NO_CONES) {
    return;
  }
  const bool round = cones == ROUND_CONES;
  const double most = round ? 1.3 : 2.4, swing = random_between(r, 0.4, most);
  joint->lower[0] = -random_between(r, 0.2, 1.5);
  joint->upper[0] = random_between(r, 0.2, 1.5);
  for (int i = 1; i < 3; ++i) {
    joint->lower[i] = round ? -swing : -random_between(r, 0.15, most);
    joint->upper[i] = round ? swing : random_between(r, 0.15, most);
  }
  random_unit(r, 3, joint->axis);
  random_unit(r, 3, joint->axis2);
}

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
    sinew_joint_def *joint = builder_add(&b, link, SINEW_JOINT_SPHERICAL,
                                         j == 0 ? 0.0 : random_between(r, 0.2, 0.5), 0.0, 0.0);
    limit_joint(joint, cones, r);
    link = b.joint_count;
    if (random_below(r, 4) == 0) {
      builder_add(&b, link, SINEW_JOINT_REVOLUTE, 0.2, 0.0, 0.0);
      link = b.joint_count;
    }
  }
  return builder_make(&b);
}

static figure make_figure(int seed, int cones, bool limited) {
  random_stream r = random_stream_of(3000 + 17 * (uint64_t)seed);
  figure f = {.model = make_model(seed, cones, &r), .task_count = 1};
  const int tip = sinew_model_link_count(f.model) - 1;
  f.nv = sinew_model_nv(f.model);
  f.nq = sinew_model_nq(f.model);
  assert_true(f.nq <= MOST);
  f.time_step = pow(10.0, random_between(&r, -2.7, -1.4));
  const double acceleration = pow(10.0, random_between(&r, 0.0, 1.7));
  for (int v = 0; v < f.nv; ++v) {
    f.accelerations[v] = acceleration * random_between(&r, 0.5, 1.0);
  }
  f.tasks[0] = task_of(seed % 2 == 0 ? SINEW_TASK_POSITION : SINEW_TASK_POSE, tip);
  f.tasks[0].point_l[0] = 0.3;
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = f.time_step;
  f.solver = solver_with(&def, f.model, f.tasks, f.task_count);
  if (limited) {
    assert_ok(sinew_solver_set_accelerations(f.solver, f.accelerations));
  }
  sinew_configuration_random(f.model, 31, (uint64_t)seed, f.q);
  return f;
}

static void end_figure(const figure *f) {
  sinew_solver_destroy(f->solver);
  sinew_model_destroy(f->model);
}

static void update(figure *f, const sinew_target *targets) {
  double before[MOST], motion[MOST];
  memcpy(before, f->q, sizeof before);
  assert_ok(sinew_solver_update(f->solver, targets, f->task_count, f->q, NULL));
  sinew_configuration_difference(f->model, before, f->q, motion);
  for (int v = 0; v < f->nv; ++v) {
    f->change[v] = motion[v] - f->last[v];
    f->last[v] = motion[v];
  }
}

static double yielded_of(const figure *f, int v) {
  sinew_bound_report report;
  assert_ok(sinew_solver_bound(f->solver, f->q, v, &report));
  return report.yielded;
}

typedef struct tally {
  int updates, yields, bounded, hops, reached, resting;
  double over, outside;
} tally;

static void check_update(const figure *f, tally *sum) {
  const double dt = f->time_step;
  ++sum->updates;
  for (int v = 0; v < f->nv; ++v) {
    const double yielded = yielded_of(f, v), most = f->accelerations[v] * dt * dt;
    sum->yields += yielded > 0.0;
    sum->bounded += fabs(f->change[v]) > 0.99 * most;
    sum->over = fmax(sum->over, fabs(f->change[v]) / dt - (f->accelerations[v] + yielded) * dt);
  }
  sum->outside = fmax(sum->outside, outside_limits(f->model, f->q));
}

// Targets jump between configurations within the limits: after some updates, and at the end after
// so many that the figure is at rest.
static void hop(figure *f, int seed, int number, tally *sum) {
  double to[MOST], away[MOST], v[MOST], distance, angle, speed = 0.0, least = INFINITY;
  random_stream r = random_stream_of(91 + 100 * (uint64_t)seed + (uint64_t)number);
  sinew_configuration_random(f->model, 32, (uint64_t)(10 * seed + number), away);
  sinew_configuration_difference(f->model, f->q, away, v);
  const double share = random_between(&r, 0.2, 0.8);
  for (int i = 0; i < f->nv; ++i) {
    v[i] *= share;
    least = fmin(least, f->accelerations[i]);
  }
  sinew_configuration_integrate(f->model, f->q, v, to);
  sinew_configuration_clamp(f->model, to);
  const sinew_target target = target_at(f->model, &f->tasks[0], to);
  const double time = 8.0 * sqrt(2.0 / least) * (number % 3 == 2 ? 1.0 : random_between(&r, 0.05, 0.3)) + (number % 3 == 2 ? 60 * f->time_step : 0);
  for (int i = 0; i < time / f->time_step; ++i) {
    update(f, &target);
    check_update(f, sum);
  }
  if (number % 3 == 2) {
    for (int i = 0; i < f->nv; ++i) {
      speed = fmax(speed, fabs(f->last[i]) / f->time_step);
    }
    measure(f->model, &f->tasks[0], &target, f->q, &distance, &angle);
    const double error = distance + (f->tasks[0].kind == SINEW_TASK_POSE ? 0.3 * angle : 0.0);
    ++sum->hops;
    sum->reached += error < 1e-4;
    sum->resting += speed < 1e-3;
  }
}

static tally follow(int cones, bool limited) {
  tally sum = {.over = -INFINITY};
  for (int seed = 0; seed < SAMPLE_OF(120); ++seed) {
    figure f = make_figure(seed, cones, limited);
    const double over = sum.over;
    for (int number = 0; number < 6; ++number) {
      hop(&f, seed, number, &sum);
    }
    if (getenv("VERBOSE") && limited && sum.over > over && sum.over > 1e-9) printf("seed %d over %g\n", seed, sum.over);
    end_figure(&f);
  }
  print_message("cones %d limited %d: %d updates, %d bounded, %d yield, %d of %d reached, %d rest; over by %g, outside by %g\n",
                cones, limited, sum.updates, sum.bounded, sum.yields, sum.reached, sum.hops,
                sum.resting, sum.over, sum.outside);
  return sum;
}

static void changes_are_bounded(void **unused) {
  (void)unused;
  for (int cones = 0; cones < CONES; ++cones) {
    follow(cones, false);
    follow(cones, true);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_are_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
