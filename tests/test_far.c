// Targets far from the root of figures that can go there: floating and mobile bases, long rails,
// gantries, in maps' coordinates. Solves, updates, batches and crowds reach them at 1 to 1e7 m.
//
// test_far COUNT prints how many of so many problems each call solves, by figure and distance.
#include "counting_allocator.h"
#include "fixtures.h"

#define MOST_NQ 64
#define TOLERANCE 1e-6
#define DECADES 8

static int problems = 12; // of each figure at each distance

// ----------------------------------------------------------------- figures

typedef enum family_kind {
  FLOATING = 0, // a free joint, then an arm
  CHANNELS,     // a BVH's root, then an arm
  MOBILE,       // unbounded x, y, yaw, then an arm
  RAIL,         // one slide along x, then an arm
  GANTRY,       // three slides, then a wrist
  TREE,         // a free joint, then random links, two end effectors
  FAMILIES
} family_kind;

static const char *const family_names[FAMILIES] = {"floating", "channels", "mobile",
                                                   "rail",     "gantry",   "tree"};

// A figure of about half a metre. Its first values are translations along axes of the root.
typedef struct family {
  sinew_model *model;
  sinew_task tasks[2];
  int count, nq;
  int translations, axis[3]; // how many, and along which
} family;

static int add_arm(builder *b, int parent, int count) {
  static const double axes[3][3] = {{0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}};
  for (int i = 0; i < count; ++i) {
    sinew_joint_def *joint = builder_add(b, parent, SINEW_JOINT_REVOLUTE, 0.02 * (i % 2), 0.01,
                                         i == 0 ? 0.05 : 0.42 / (double)count);
    memcpy(joint->axis, axes[i % 2 + (i == 3)], sizeof joint->axis);
    builder_limit(joint, -2.8, 2.8);
    parent = joint->child;
  }
  return parent;
}

static void slide_along(builder *b, int parent, int axis, double offset, double lower,
                        double upper) {
  sinew_joint_def *joint = builder_add(b, parent, SINEW_JOINT_PRISMATIC, offset, 0.0, 0.0);
  joint->axis[2] = 0.0;
  joint->axis[axis] = 1.0;
  builder_limit(joint, lower, upper);
}

// A free joint before random revolute, spherical and short prismatic joints.
static int add_branch(builder *b, random_stream *random, int parent, int count) {
  static const sinew_joint_kind kinds[] = {SINEW_JOINT_CONTINUOUS, SINEW_JOINT_REVOLUTE,
                                           SINEW_JOINT_SPHERICAL, SINEW_JOINT_PRISMATIC};
  for (int i = 0; i < count; ++i) {
    const sinew_joint_kind kind = kinds[random_below(random, 4)];
    double at[3];
    random_vector(random, 0.15, at);
    sinew_joint_def *joint = builder_add(b, parent, kind, at[0], at[1], at[2]);
    random_unit(random, 3, joint->axis);
    if (kind == SINEW_JOINT_REVOLUTE || kind == SINEW_JOINT_PRISMATIC) {
      builder_limit(joint, kind == SINEW_JOINT_REVOLUTE ? -2.0 : 0.0,
                    kind == SINEW_JOINT_REVOLUTE ? 2.0 : 0.2);
    }
    parent = joint->child;
  }
  return parent;
}

// distance: how far its slides must reach where they have limits.
static void family_make(family *f, family_kind kind, int number, double distance) {
  builder b;
  builder_start(&b);
  random_stream random = random_stream_of((uint64_t)number + 77);
  *f = (family){.count = 1, .translations = 3, .axis = {0, 1, 2}};
  int tip[2] = {0};
  switch (kind) {
  case FLOATING:
    builder_add(&b, 0, SINEW_JOINT_FREE, 0.0, 0.0, 0.0);
    tip[0] = add_arm(&b, 1, 6);
    break;
  case CHANNELS:
    strcpy(builder_add(&b, 0, SINEW_JOINT_CHANNELS, 0.0, 0.1, 0.0)->channels, "xyzZXY");
    tip[0] = add_arm(&b, 1, 5);
    break;
  case MOBILE:
    builder_add(&b, 0, SINEW_JOINT_PLANAR, 0.0, 0.0, 0.0);
    tip[0] = add_arm(&b, 1, 6);
    f->translations = 2;
    break;
  case RAIL:
    slide_along(&b, 0, 0, 0.0, -1.0, distance + 1.0);
    tip[0] = add_arm(&b, 1, 6);
    f->translations = 1;
    break;
  case GANTRY:
    slide_along(&b, 0, 0, 0.0, -1.0, distance + 1.0);
    slide_along(&b, 1, 1, 1e-3, -1.0, distance + 1.0);
    slide_along(&b, 2, 2, 1e-3, -1.0, distance + 1.0);
    builder_add(&b, 3, SINEW_JOINT_SPHERICAL, 0.1, 0.0, 0.0);
    tip[0] = builder_add(&b, 4, SINEW_JOINT_CONTINUOUS, 0.2, 0.0, 0.0)->child;
    break;
  default:
    builder_add(&b, 0, SINEW_JOINT_FREE, 0.0, 0.0, 0.0);
    tip[0] = add_branch(&b, &random, 1, 3 + number % 4);
    tip[1] = add_branch(&b, &random, 1, 2 + number % 3);
    f->count = 2;
    break;
  }
  f->model = builder_make(&b);
  f->nq = sinew_model_nq(f->model);
  assert_true(f->nq <= MOST_NQ);
  for (int t = 0; t < f->count; ++t) {
    f->tasks[t] = task_of(SINEW_TASK_POSE, tip[t]);
  }
}

// Targets that a random posture with its base at a distance meets.
static void family_targets(const family *f, int number, double distance, sinew_target *targets) {
  random_stream random = random_stream_of((uint64_t)number * 31 + 5);
  double q[MOST_NQ], direction[3] = {1.0};
  sinew_configuration_random(f->model, 11, (uint64_t)number, q);
  if (f->translations > 1) {
    random_unit(&random, f->translations, direction);
  }
  for (int i = 0; i < f->translations; ++i) { // limits are on one side only
    q[i] = distance * fabs(direction[i]);
  }
  for (int t = 0; t < f->count; ++t) {
    targets[t] = target_at(f->model, &f->tasks[t], q);
  }
}

// The largest distance [m] and angle [rad] from the targets. Base and targets are first moved to
// the origin by whole metres, which is exact, so that no digits are lost at the distance.
static void family_measure(const family *f, const sinew_target *targets, const double *q,
                           double *distance, double *angle) {
  double near[MOST_NQ], moved[3] = {0.0};
  memcpy(near, q, (size_t)f->nq * sizeof *q);
  for (int i = 0; i < f->translations; ++i) {
    moved[f->axis[i]] = floor(q[i]);
    near[i] -= moved[f->axis[i]];
  }
  *distance = *angle = 0.0;
  for (int t = 0; t < f->count; ++t) {
    double d, a;
    sinew_target target = targets[t];
    for (int i = 0; i < 3; ++i) {
      target.position[i] -= moved[i];
    }
    measure(f->model, &f->tasks[t], &target, near, &d, &a);
    *distance = fmax(*distance, d);
    *angle = fmax(*angle, a);
  }
}

// Whether q meets the targets: within the tolerance, and the rounding of some ten sums at the
// distance, of 2e-16 of it each.
static bool family_met(const family *f, const sinew_target *targets, const double *q,
                       double distance) {
  double d, a;
  family_measure(f, targets, q, &d, &a);
  return d <= 1.000001 * TOLERANCE + 2e-15 * distance && a <= 1.1 * TOLERANCE;
}

// ------------------------------------------------------------------ calls

typedef enum call_kind {
  SOLVE = 0,
  SOLVE_LOCAL,
  BATCH,
  UPDATE,
  FIRST_UPDATE,
  CROWD,
  CALLS
} call_kind;

static const char *const call_names[CALLS] = {"solve",  "local",        "batch",
                                              "update", "first update", "crowd"};

#define UPDATES 160

static void write_row(const family *f, const sinew_target *targets, double *row) {
  for (int t = 0; t < f->count; ++t) {
    sinew_target_pack(&f->tasks[t], &targets[t], row);
    row += sinew_task_target_size(&f->tasks[t]);
  }
}

static bool run_batch(const family *f, const sinew_target *targets, double *q) {
  sinew_batch *batch;
  sinew_batch_worker *worker;
  sinew_batch_row row;
  double values[14];
  const sinew_batch_def def = sinew_default_batch_def();
  write_row(f, targets, values);
  assert_ok(sinew_batch_create(&def, f->model, f->tasks, f->count, &batch, NULL));
  assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
  const sinew_batch_arrays arrays = {.targets = values, .q = q, .rows = &row};
  assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, 1));
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
  return row.outcome == SINEW_OUTCOME_CONVERGED;
}

static bool run_crowd(const family *f, const sinew_target *targets, double *q) {
  sinew_crowd *crowd;
  sinew_crowd_worker *worker;
  sinew_batch_row row;
  double values[14];
  const sinew_crowd_def def = sinew_default_crowd_def();
  write_row(f, targets, values);
  assert_ok(sinew_crowd_create(&def, f->model, f->tasks, f->count, &crowd, NULL));
  assert_ok(sinew_crowd_worker_create(crowd, &worker, NULL));
  const sinew_crowd_arrays arrays = {.targets = values, .q = q, .rows = &row};
  for (int i = 0; i < UPDATES; ++i) {
    assert_ok(sinew_crowd_update(crowd, worker, &arrays, 0, 1));
  }
  sinew_crowd_worker_destroy(worker);
  sinew_crowd_destroy(crowd);
  return true;
}

static bool run_call(const family *f, call_kind call, const sinew_target *targets, double *q) {
  if (call == BATCH || call == CROWD) {
    return (call == BATCH ? run_batch : run_crowd)(f, targets, q);
  }
  sinew_solver_def def = sinew_default_solver_def();
  def.lanes = call == SOLVE ? 0 : -1;
  sinew_solver *solver = solver_with(&def, f->model, f->tasks, f->count);
  sinew_report report = {.outcome = SINEW_OUTCOME_CONVERGED};
  if (call == SOLVE) {
    assert_ok(sinew_solver_solve(solver, targets, f->count, q, &report));
  } else if (call == SOLVE_LOCAL) {
    assert_ok(sinew_solver_solve_local(solver, targets, f->count, q, &report));
  }
  if (call == FIRST_UPDATE) {
    sinew_solver_reset(solver);
  }
  for (int i = 0; (call == UPDATE && i < UPDATES) || (call == FIRST_UPDATE && i < 1); ++i) {
    assert_ok(sinew_solver_update(solver, targets, f->count, q, NULL));
  }
  sinew_solver_destroy(solver);
  return report.outcome == SINEW_OUTCOME_CONVERGED;
}

// Of some problems at a distance: how many a call solves; and the largest distance that remains.
static int count_met(family_kind kind, call_kind call, double distance, double *worst) {
  int met = 0;
  *worst = 0.0;
  for (int i = 0; i < problems; ++i) {
    family f;
    sinew_target targets[2];
    double q[MOST_NQ], d, a;
    family_make(&f, kind, i, distance);
    family_targets(&f, i, distance, targets);
    sinew_configuration_start(f.model, q);
    const bool claimed = run_call(&f, call, targets, q);
    const bool is_met = family_met(&f, targets, q, distance);
    assert_true(is_met || !claimed || call >= UPDATE);
    assert_true(outside_limits(f.model, q) == 0.0);
    family_measure(&f, targets, q, &d, &a);
    *worst = fmax(*worst, d);
    met += is_met && claimed;
    sinew_model_destroy(f.model);
  }
  return met;
}

// Whether as many are met as the call solves: all, or of updates, which may end in a local minimum,
// as many as at 1 m, and none of those left is further away than two figures.
static void check_call(call_kind call) {
  for (int k = 0; k < FAMILIES; ++k) {
    double worst;
    const int near = count_met((family_kind)k, call, 1.0, &worst);
    const int least = call < UPDATE ? problems : near - 2;
    for (int decade = 0; decade < DECADES; ++decade) {
      const int met = count_met((family_kind)k, call, pow(10.0, decade), &worst);
      if (met < least || worst > 1.0) {
        fail_msg("%s by %s at 1e%d m: %d of %d, %g m away", family_names[k], call_names[call],
                 decade, met, problems, worst);
      }
    }
  }
}

// req: A5 F2
static void solves_reach_far_targets(void **unused) {
  (void)unused;
  check_call(SOLVE);
  check_call(SOLVE_LOCAL);
}

// req: A5 F2
static void batches_reach_far_targets(void **unused) {
  (void)unused;
  check_call(BATCH);
}

// req: A5 F1
static void updates_reach_far_targets(void **unused) {
  (void)unused;
  check_call(UPDATE);
  check_call(FIRST_UPDATE);
}

// req: A5 F1
static void crowds_reach_far_targets(void **unused) {
  (void)unused;
  check_call(CROWD);
}

// ------------------------------------------------------------------ motion

// Moves the base of a figure, and with it targets, by a vector along axes of the root.
static void family_move(const family *f, const double by[3], double *q, sinew_target *targets) {
  for (int i = 0; i < f->translations; ++i) {
    q[i] += by[i];
    for (int t = 0; t < f->count; ++t) {
      targets[t].position[f->axis[i]] += by[i];
    }
  }
}

// One update towards targets by one figure and by another far away, which moves the same but for
// the rounding there, about 1e-9 m at 1e7 m. The base's motion is in its differences.
typedef struct pair {
  family f;
  double at[3]; // of the second figure, whole metres
  double q[2][MOST_NQ];
  sinew_solver *solver[2];
  sinew_crowd *crowd[2];
  sinew_crowd_worker *worker[2];
} pair;

static void pair_update(pair *p, const sinew_target *targets, bool crowds) {
  for (int far = 0; far < 2; ++far) {
    double unused[MOST_NQ] = {0.0}, values[14];
    sinew_target moved[2] = {targets[0], targets[1]};
    if (far == 1) {
      family_move(&p->f, p->at, unused, moved);
    }
    if (crowds) {
      write_row(&p->f, moved, values);
      const sinew_crowd_arrays arrays = {.targets = values, .q = p->q[far]};
      assert_ok(sinew_crowd_update(p->crowd[far], p->worker[far], &arrays, 0, 1));
    } else {
      assert_ok(sinew_solver_update(p->solver[far], moved, p->f.count, p->q[far], NULL));
    }
  }
}

static double pair_difference(const pair *p) {
  double most = 0.0;
  for (int i = 0; i < p->f.nq; ++i) {
    const double by = i < p->f.translations ? p->at[i] : 0.0;
    most = fmax(most, fabs(p->q[1][i] - by - p->q[0][i]));
  }
  return most;
}

static double motion_difference(family_kind kind, bool crowds, int number) {
  pair p;
  sinew_target targets[2], none[2];
  double middle[MOST_NQ], v[MOST_NQ], goal[MOST_NQ], most = 0.0;
  memset(&p, 0, sizeof p);
  family_make(&p.f, kind, number, 1e7);
  const sinew_crowd_def def = sinew_default_crowd_def();
  random_stream random = random_stream_of((uint64_t)number + 900);
  sinew_configuration_start(p.f.model, middle);
  for (int i = 0; i < sinew_model_nv(p.f.model); ++i) {
    v[i] = random_between(&random, -0.5, 0.5);
  }
  for (int far = 0; far < 2; ++far) {
    p.solver[far] = solver_with(NULL, p.f.model, p.f.tasks, p.f.count);
    assert_ok(sinew_crowd_create(&def, p.f.model, p.f.tasks, p.f.count, &p.crowd[far], NULL));
    assert_ok(sinew_crowd_worker_create(p.crowd[far], &p.worker[far], NULL));
    sinew_configuration_start(p.f.model, p.q[far]);
  }
  for (int i = 0; i < p.f.translations; ++i) {
    p.at[i] = 9e6 / (i + 1);
  }
  family_move(&p.f, p.at, p.q[1], none);
  for (int update = 0; update < 120; ++update) {
    double moved[MOST_NQ];
    for (int i = 0; i < sinew_model_nv(p.f.model); ++i) {
      moved[i] = v[i] * sin(0.05 * update);
    }
    sinew_configuration_integrate(p.f.model, middle, moved, goal);
    for (int t = 0; t < p.f.count; ++t) {
      targets[t] = target_at(p.f.model, &p.f.tasks[t], goal);
    }
    pair_update(&p, targets, crowds);
    most = fmax(most, pair_difference(&p));
  }
  for (int far = 0; far < 2; ++far) {
    sinew_solver_destroy(p.solver[far]);
    sinew_crowd_worker_destroy(p.worker[far]);
    sinew_crowd_destroy(p.crowd[far]);
  }
  sinew_model_destroy(p.f.model);
  return most;
}

// At 1e7 m a figure moves as it does at the origin. req: A5 F3
static void motion_does_not_depend_on_the_place(void **unused) {
  (void)unused;
  for (int k = 0; k < FAMILIES; ++k) {
    for (int crowds = 0; crowds < 2; ++crowds) {
      double most = 0.0;
      for (int i = 0; i < 3; ++i) {
        most = fmax(most, motion_difference((family_kind)k, crowds == 1, i));
      }
      print_message("%s by %s: %.1e apart\n", family_names[k], crowds ? "crowds" : "updates", most);
      assert_at_most(most, 1e-6);
    }
  }
}

// ------------------------------------------------------- beyond what doubles resolve

static void expect_refusal(const sinew_error *error) {
  assert_int_equal(error->code, SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error->message, "target 0: position[1]"));
}

static void refused_by_solver(const family *f, const sinew_target *targets) {
  double q[MOST_NQ], before[MOST_NQ];
  sinew_report report;
  sinew_solver *solver = solver_with(NULL, f->model, f->tasks, f->count);
  sinew_configuration_start(f->model, q);
  memcpy(before, q, sizeof q);
  for (int call = 0; call < 3; ++call) {
    const sinew_result result =
        call == 0   ? sinew_solver_solve(solver, targets, f->count, q, &report)
        : call == 1 ? sinew_solver_solve_local(solver, targets, f->count, q, &report)
                    : sinew_solver_update(solver, targets, f->count, q, &report);
    assert_int_equal(result, SINEW_ERROR_ARGUMENT);
    assert_int_equal(report.outcome, SINEW_OUTCOME_BAD_INPUT);
    assert_memory_equal(q, before, (size_t)f->nq * sizeof *q);
    expect_refusal(sinew_solver_last_error(solver));
  }
  sinew_solver_destroy(solver);
}

static void refused_by_many(const family *f, const sinew_target *targets) {
  sinew_batch *batch;
  sinew_batch_worker *worker;
  sinew_crowd *crowd;
  sinew_crowd_worker *crowd_worker;
  sinew_batch_row row;
  double q[MOST_NQ], values[14];
  const sinew_batch_def def = sinew_default_batch_def();
  const sinew_crowd_def crowd_def = sinew_default_crowd_def();
  sinew_configuration_start(f->model, q);
  write_row(f, targets, values);
  assert_ok(sinew_batch_create(&def, f->model, f->tasks, f->count, &batch, NULL));
  assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
  const sinew_batch_arrays arrays = {.targets = values, .q = q, .rows = &row};
  assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, 1));
  assert_int_equal(row.outcome, SINEW_OUTCOME_BAD_INPUT);
  assert_ok(sinew_crowd_create(&crowd_def, f->model, f->tasks, f->count, &crowd, NULL));
  assert_ok(sinew_crowd_worker_create(crowd, &crowd_worker, NULL));
  const sinew_crowd_arrays crowd_arrays = {.targets = values, .q = q, .rows = &row};
  row.outcome = SINEW_OUTCOME_CONVERGED;
  assert_ok(sinew_crowd_update(crowd, crowd_worker, &crowd_arrays, 0, 1));
  assert_int_equal(row.outcome, SINEW_OUTCOME_BAD_INPUT);
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
  sinew_crowd_worker_destroy(crowd_worker);
  sinew_crowd_destroy(crowd);
}

// A figure that can go there has targets refused where doubles are further apart than an eighth of
// the tolerance; a figure that cannot is solved, and nothing is drawn inward that it could reach.
// req: A5 F2
static void beyond_doubles_is_refused_by_name(void **unused) {
  (void)unused;
  const double limit = TOLERANCE / (8.0 * 2.220446049250313e-16);
  for (int k = 0; k < FAMILIES; ++k) {
    const double at[] = {limit * 1.0001, 1e12, 1e100, 1e300};
    for (int i = 0; i < 4; ++i) {
      family f;
      sinew_target targets[2];
      family_make(&f, (family_kind)k, 1, INFINITY);
      family_targets(&f, 1, 1.0, targets);
      targets[0].position[1] = at[i];
      refused_by_solver(&f, targets);
      refused_by_many(&f, targets);
      sinew_model_destroy(f.model);
    }
  }
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, arm, &task, 1);
  for (int i = 4; i < 300; i += 5) {
    double q[7];
    sinew_report report;
    sinew_target target = sinew_default_target();
    target.position[1] = pow(10.0, i);
    sinew_configuration_start(arm, q);
    assert_ok(sinew_solver_solve(solver, &target, 1, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// ------------------------------------------------------------------ sizes

// Solves from the start to targets of random postures; how many of 20 converge.
static int count_solved(const sinew_model *model, const sinew_task *task, bool local) {
  int solved = 0;
  sinew_solver *solver = solver_with(NULL, model, task, 1);
  for (uint64_t i = 0; i < 20; ++i) {
    double q[MOST_NQ], d, a;
    sinew_report report;
    sinew_configuration_random(model, 5, i, q);
    const sinew_target target = target_at(model, task, q);
    sinew_configuration_start(model, q);
    assert_ok(local ? sinew_solver_solve_local(solver, &target, 1, q, &report)
                    : sinew_solver_solve(solver, &target, 1, q, &report));
    measure(model, task, &target, q, &d, &a);
    solved += report.outcome == SINEW_OUTCOME_CONVERGED && d <= 1.000001 * TOLERANCE;
    assert_int_equal(report.outcome == SINEW_OUTCOME_CONVERGED, d <= 1.000001 * TOLERANCE);
  }
  sinew_solver_destroy(solver);
  return solved;
}

// Three slides of 1 cm to 50 m with offsets of 1 um to 10 cm, and with a wrist or without.
// req: A2 F2
static void gantries_of_any_proportion(void **unused) {
  (void)unused;
  for (int wrist = 0; wrist < 2; ++wrist) {
    for (int range = -2; range <= 2; ++range) {
      for (int offset = -6; offset <= -1; ++offset) {
        builder b;
        builder_start(&b);
        for (int i = 0; i < 3; ++i) {
          slide_along(&b, i, i, pow(10.0, offset), 0.0, 0.5 * pow(10.0, range));
        }
        if (wrist == 1) {
          builder_add(&b, 3, SINEW_JOINT_SPHERICAL, pow(10.0, offset), 0.0, 0.0);
        }
        sinew_model *model = builder_make(&b);
        const sinew_task task =
            task_of(wrist == 1 ? SINEW_TASK_POSE : SINEW_TASK_POSITION, wrist == 1 ? 4 : 3);
        for (int local = 0; local < 2; ++local) {
          assert_int_equal(count_solved(model, &task, local == 1), 20);
        }
        sinew_model_destroy(model);
      }
    }
  }
}

// Pan and tilt with a tool point of 1 cm to 100 m and an axis offset of 1 um to 1 m.
// req: A1 F2
static void tool_points_of_any_length(void **unused) {
  (void)unused;
  for (int length = -2; length <= 2; ++length) {
    for (int offset = -6; offset <= 0; ++offset) {
      builder b;
      builder_start(&b);
      builder_limit(builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0), -3.0, 3.0);
      sinew_joint_def *tilt = builder_add(&b, 1, SINEW_JOINT_REVOLUTE, pow(10.0, offset), 0.0, 0.0);
      tilt->axis[1] = 1.0;
      tilt->axis[2] = 0.0;
      builder_limit(tilt, -1.5, 1.5);
      sinew_model *model = builder_make(&b);
      sinew_task task = task_of(SINEW_TASK_POSITION, 2);
      task.point_l[0] = 1.5 * pow(10.0, length);
      for (int local = 0; local < 2; ++local) {
        assert_int_equal(count_solved(model, &task, local == 1), 20);
      }
      sinew_model_destroy(model);
    }
  }
}

static void print_table(void) {
  for (int call = 0; call < CALLS; ++call) {
    for (int k = 0; k < FAMILIES; ++k) {
      printf("%-12s %-9s", call_names[call], family_names[k]);
      for (int decade = 0; decade < DECADES; ++decade) {
        double worst;
        const int met = count_met((family_kind)k, (call_kind)call, pow(10.0, decade), &worst);
        printf("  %d (%.1e)", met, worst);
      }
      printf("\n");
      fflush(stdout);
    }
  }
}

int main(int argc, char **argv) {
  if (argc > 1) {
    problems = atoi(argv[1]);
    print_table();
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solves_reach_far_targets),
      cmocka_unit_test(batches_reach_far_targets),
      cmocka_unit_test(updates_reach_far_targets),
      cmocka_unit_test(crowds_reach_far_targets),
      cmocka_unit_test(motion_does_not_depend_on_the_place),
      cmocka_unit_test(beyond_doubles_is_refused_by_name),
      cmocka_unit_test(gantries_of_any_proportion),
      cmocka_unit_test(tool_points_of_any_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
