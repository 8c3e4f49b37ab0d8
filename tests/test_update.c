// How an update runs: one update a frame, several, to a tolerance, within a time; which state is
// carried from one frame to the next and what a reset clears; and how an update clamps its errors.
#include "counted_memory.h"
#include "figures.h"
#include "inspect.h"
#include "sample.h"
#include "scenes/scenes.h"

#define MOST 64

// ------------------------------------------------------------------------ Buss's figures

// Buss's Y or double-Y with its effectors; scene time gives the targets.
typedef struct buss_figure {
  sinew_scene *scene;
  sinew_model *model;
  sinew_state *state;
  int nq, count;
} buss_figure;

static void buss_make(buss_figure *p, const char *name) {
  p->scene = sinew_scene_create(name);
  assert_non_null(p->scene);
  assert_ok(sinew_model_create(&p->scene->model, &p->model, NULL));
  assert_ok(sinew_state_create(p->model, NULL, &p->state, NULL));
  p->nq = sinew_model_nq(p->model);
  p->count = p->scene->task_count;
}

static void buss_end(buss_figure *p) {
  sinew_state_destroy(p->state);
  sinew_model_destroy(p->model);
  sinew_scene_destroy(p->scene);
}

static void buss_targets(const buss_figure *p, int step, sinew_target *targets) {
  for (int t = 0; t < p->count; ++t) {
    targets[t] = sinew_default_target();
  }
  sinew_scene_targets(p->scene, p->state, (step + 1) * p->scene->time_step, targets);
}

typedef struct followed {
  double error;  // mean distance of an effector, in reach [m]
  double missed; // mean distance over all steps [m]
  double jitter; // mean change of a step, out of reach [rad]
} followed;

// The sum of the effectors' distances from their targets.
static double buss_error(const buss_figure *p, const sinew_target *targets, const double *q) {
  double sum = 0.0;
  for (int t = 0; t < p->count; ++t) {
    double distance, angle;
    measure(p->model, &p->scene->tasks[t], &targets[t], q, &distance, &angle);
    sum += distance;
  }
  return sum;
}

static followed buss_follow(const buss_figure *p, const sinew_solver_def *def, int updates,
                            int steps) {
  sinew_solver *solver = solver_with(def, p->model, p->scene->tasks, p->count);
  double q[MOST], before[MOST], last[MOST] = {0.0};
  followed f = {0};
  int inside = 0, outside = 0;
  sinew_configuration_start(p->model, q);
  for (int step = 0; step < steps; ++step) {
    sinew_target targets[FIGURE_TASKS];
    buss_targets(p, step, targets);
    memcpy(before, q, sizeof q);
    for (int i = 0; i < updates; ++i) {
      assert_ok(sinew_solver_update(solver, targets, p->count, q, NULL));
    }
    double change = 0.0, miss = 0.0;
    for (int i = 0; i < p->nq; ++i) {
      change += pow(q[i] - before[i] - last[i], 2.0);
      last[i] = q[i] - before[i];
    }
    for (int t = 0; t < p->count; ++t) {
      double distance, angle;
      measure(p->model, &p->scene->tasks[t], &targets[t], q, &distance, &angle);
      miss += distance / p->count;
    }
    if (step >= 100) {
      const bool in = sinew_scene_reach_at(p->scene, step, targets) == SINEW_SCENE_IN_REACH;
      f.error += in ? miss : 0.0;
      f.jitter += in ? 0.0 : sqrt(change);
      f.missed += miss;
      inside += in;
      outside += !in;
    }
  }
  f.error /= inside;
  f.jitter /= outside;
  f.missed /= inside + outside;
  sinew_solver_destroy(solver);
  return f;
}

// A definition whose step is linear in the error: no damping but a constant one [m].
static sinew_solver_def linear_dls(double damping) {
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = SINEW_METHOD_DLS;
  def.step.error_damping = 0.0;
  def.step.damping = damping;
  return def;
}

// ------------------------------------------------------------------------- modes

// More updates a frame reduce the lag: two and four lower the error by a fifth each, sixteen lower
// it further. The rest of the error is where the figure cannot follow at once.
// req: F1
static void more_updates_a_frame_reduce_the_lag(void **state) {
  (void)state;
  buss_figure p;
  buss_make(&p, "y");
  double last = INFINITY;
  for (int updates = 1; updates <= 16; updates *= updates < 4 ? 2 : 4) {
    const followed f = buss_follow(&p, NULL, updates, 1500);
    print_message("%2d updates: %.5f m in reach\n", updates, f.error);
    assert_at_most(f.error, (updates <= 4 ? 0.8 : 1.0) * last);
    last = f.error;
  }
  buss_end(&p);
}

// A solve to a tolerance, or updates until the report says converged: the effectors are there.
// req: F1 F2
static void updates_stop_at_the_tolerance(void **state) {
  (void)state;
  figure f;
  figure_make(&f, FIGURE_DOUBLE_Y, NULL);
  for (uint64_t trial = 0; trial < SAMPLE_OF(10); ++trial) {
    double goal[MOST], q[MOST], v[MOST];
    sinew_target targets[FIGURE_TASKS];
    random_stream random = random_stream_of(trial);
    for (int i = 0; i < f.nv; ++i) {
      v[i] = random_between(&random, -0.3, 0.3);
    }
    sinew_configuration_start(f.model, q);
    sinew_configuration_integrate(f.model, q, v, goal);
    figure_targets_at(&f, goal, targets);
    sinew_report report = {.outcome = SINEW_OUTCOME_STEP_LIMIT};
    sinew_solver_reset(f.solver);
    int updates = 0;
    while (report.outcome != SINEW_OUTCOME_CONVERGED && updates < 200) {
      assert_ok(sinew_solver_update(f.solver, targets, f.count, q, &report));
      assert_true(report.outcome == SINEW_OUTCOME_CONVERGED ||
                  report.outcome == SINEW_OUTCOME_STEP_LIMIT);
      ++updates;
    }
    assert_true(updates < 200);
    for (int t = 0; t < f.count; ++t) {
      double distance, angle;
      measure(f.model, &f.tasks[t], &targets[t], q, &distance, &angle);
      assert_at_most(distance, 2e-6);
    }
    sinew_configuration_start(f.model, q);
    assert_ok(sinew_solver_solve_local(f.solver, targets, f.count, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    for (int t = 0; t < f.count; ++t) {
      double distance, angle;
      measure(f.model, &f.tasks[t], &targets[t], q, &distance, &angle);
      assert_at_most(distance, 1.01e-6);
    }
  }
  figure_end(&f);
}

// A clock that advances by one second at each call.
typedef struct ticks {
  double now;
  int asked;
} ticks;

static double tick(void *context) {
  ticks *t = context;
  ++t->asked;
  return t->now += 1.0;
}

// With a time limit a solve ends when the time is over, reports it, and returns the best
// configuration found. The same limit by the same clock gives the same bits. More time never gives
// a larger error.
// req: F3
static void solves_end_at_the_time_limit(void **state) {
  (void)state;
  figure f;
  figure_make(&f, FIGURE_HUMANOID_BVH, NULL);
  sinew_target targets[FIGURE_TASKS];
  random_stream random = random_stream_of(1);
  figure_targets_beyond(&f, &random, 0.02, targets);
  double last = INFINITY, start[MOST * 2];
  sinew_configuration_start(f.model, start);
  const double seed_error = sinew_solver_evaluate(f.solver, targets, start);
  int steps = -1;
  for (int limit = 1; limit <= 32; limit *= 2) {
    double q[2][MOST * 2];
    sinew_report reports[2];
    for (int run = 0; run < 2; ++run) {
      ticks t = {100.0, 0};
      sinew_solver_def def = sinew_default_solver_def();
      def.budget.clock = tick;
      def.budget.clock_context = &t;
      def.budget.time_limit = limit;
      sinew_solver *solver = solver_with(&def, f.model, f.tasks, f.count);
      memcpy(q[run], start, sizeof start);
      assert_ok(sinew_solver_solve_local(solver, targets, f.count, q[run], &reports[run]));
      assert_true(t.asked <= limit + 1);
      sinew_solver_destroy(solver);
    }
    assert_memory_equal(q[0], q[1], (size_t)f.nq * sizeof(double));
    assert_int_equal(reports[0].steps, reports[1].steps);
    assert_int_equal(reports[0].outcome, SINEW_OUTCOME_TIME_LIMIT);
    assert_true(reports[0].steps < limit && reports[0].steps >= limit - 2);
    assert_true(reports[0].steps >= steps);
    steps = reports[0].steps;
    const double error = sinew_solver_evaluate(f.solver, targets, q[0]);
    assert_true(error <= last && error <= seed_error);
    last = error;
  }
  assert_true(last < 0.9 * seed_error);
  figure_end(&f);
}

// A target that can be reached within the limit is reached; without a limit the clock is not
// called.
// req: F3
static void clock_is_called_only_with_a_limit(void **state) {
  (void)state;
  figure f;
  figure_make(&f, FIGURE_Y, NULL);
  double q[8] = {0.2, 0.1, -0.1, 0.3, 0.2, -0.2, 0.1};
  sinew_target targets[FIGURE_TASKS];
  figure_targets_at(&f, q, targets);
  for (int limited = 0; limited < 2; ++limited) {
    ticks t = {0.0, 0};
    sinew_report report;
    sinew_solver_def def = sinew_default_solver_def();
    def.budget.clock = tick;
    def.budget.clock_context = &t;
    def.budget.time_limit = limited ? 1000.0 : INFINITY;
    sinew_solver *solver = solver_with(&def, f.model, f.tasks, f.count);
    memset(q, 0, sizeof q);
    assert_ok(sinew_solver_update(solver, targets, f.count, q, NULL));
    assert_int_equal(t.asked, 0);
    assert_ok(sinew_solver_solve_local(solver, targets, f.count, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_true(limited ? t.asked > 0 : t.asked == 0);
    sinew_solver_destroy(solver);
  }
  figure_end(&f);
}

// From the last frame's configuration a solve takes fewer steps than from a fixed one.
// req: F3
static void warm_starts_take_fewer_steps(void **state) {
  (void)state;
  figure f;
  figure_make(&f, FIGURE_ARM_LIMITED, NULL);
  int steps[2] = {0, 0};
  for (int warm = 0; warm < 2; ++warm) {
    double q[7], path[7];
    sinew_configuration_middle(f.model, q);
    for (int frame = 0; frame < 200; ++frame) {
      sinew_target target;
      sinew_report report;
      sinew_configuration_middle(f.model, path);
      for (int i = 0; i < 7; ++i) {
        path[i] += 0.6 * sin(0.02 * frame * (1.0 + 0.3 * i));
      }
      figure_targets_at(&f, path, &target);
      if (!warm) {
        sinew_configuration_middle(f.model, q);
      }
      assert_ok(sinew_solver_solve_local(f.solver, &target, 1, q, &report));
      assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
      steps[warm] += report.steps;
    }
  }
  print_message("%d steps from the middle configuration, %d from the last\n", steps[0], steps[1]);
  assert_true(2 * steps[1] < steps[0]);
  figure_end(&f);
}

// ------------------------------------------------------------- from frame to frame

// History for a solver before its reset: moving targets, then a jump or targets that stand still.
static void make_history(const buss_figure *p, sinew_solver *solver, bool jump) {
  double q[8] = {0.0};
  sinew_target targets[FIGURE_TASKS];
  for (int frame = 0; frame < 60; ++frame) {
    buss_targets(p, 40 + 3 * frame, targets);
    assert_ok(sinew_solver_update(solver, targets, p->count, q, NULL));
  }
  assert_ok(sinew_solver_solve_local(solver, targets, p->count, q, NULL));
  buss_targets(p, jump ? 900 : 50, targets);
  for (int i = 0; i < (jump ? 1 : 30); ++i) {
    assert_ok(sinew_solver_update(solver, targets, p->count, q, NULL));
  }
}

// After a reset a used solver gives the same bits as a new one: for every method, and for targets
// out of reach that stand still or move.
// req: F3
static void reset_clears_all_history(void **state) {
  (void)state;
  buss_figure p;
  buss_make(&p, "y");
  double resting[8] = {0.0};
  sinew_target targets[FIGURE_TASKS];
  sinew_solver *settled = solver_with(NULL, p.model, p.scene->tasks, p.count);
  buss_targets(&p, 50, targets); // out of reach
  for (int update = 0; update < 200; ++update) {
    assert_ok(sinew_solver_update(settled, targets, p.count, resting, NULL));
  }
  sinew_solver_destroy(settled);
  resting[0] += 1e-3;
  for (int variant = 0; variant < 4 * SINEW_METHOD_COUNT; ++variant) {
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = (sinew_method)(variant / 4);
    def.step.error_clamp = variant % 2 ? 0.2 : INFINITY;
    def.step.target_jacobian = variant % 2;
    sinew_solver *used = solver_with(&def, p.model, p.scene->tasks, p.count);
    sinew_solver *fresh = solver_with(&def, p.model, p.scene->tasks, p.count);
    double a[8], b[8];
    make_history(&p, used, variant / 2 % 2);
    sinew_solver_reset(used);
    memcpy(a, resting, sizeof a);
    memcpy(b, resting, sizeof b);
    for (int frame = 0; frame < 150; ++frame) {
      buss_targets(&p, frame < 20 ? 50 : frame + 30, targets);
      assert_ok(sinew_solver_update(used, targets, p.count, a, NULL));
      assert_ok(sinew_solver_update(fresh, targets, p.count, b, NULL));
      assert_memory_equal(a, b, (size_t)p.nq * sizeof(double));
    }
    sinew_solver_destroy(fresh);
    sinew_solver_destroy(used);
  }
  buss_end(&p);
}

static double distance_of(int n, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += pow(a[i] - b[i], 2.0);
  }
  return sqrt(sum);
}

// A jump of the targets is spread over several updates, each step differing from the last by at
// most max_change. If it is declared, the figure is at its targets after the next update. req: C8
// F3
static void declared_jumps_are_followed_at_once(void **state) {
  (void)state;
  buss_figure p;
  buss_make(&p, "y");
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.max_change = 0.03;
  for (int declared = 0; declared < 2; ++declared) {
    sinew_solver *solver = solver_with(&def, p.model, p.scene->tasks, p.count);
    double q[8] = {0.0}, before[8], step[8] = {0.0}, last[8] = {0.0};
    sinew_target targets[FIGURE_TASKS];
    for (int frame = 0; frame < 240; ++frame) {
      buss_targets(&p, frame < 200 ? frame : 600 + frame, targets);
      if (declared && frame == 200) {
        sinew_solver_reset(solver);
      }
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, targets, p.count, q, NULL));
      for (int i = 0; i < p.nq; ++i) {
        step[i] = q[i] - before[i];
      }
      const double change = distance_of(p.nq, step, last);
      const bool cut = frame == 0 || (declared && frame == 200);
      if (!cut) {
        assert_at_most(change, 0.03 * (1.0 + 1e-9));
      }
      if (frame == 200) { // far away: the limit is reached, or the step is not limited
        assert_true(change > (declared ? 0.5 : 0.03 * (1.0 - 1e-9)));
        const double left = buss_error(&p, targets, q), first = buss_error(&p, targets, before);
        assert_true(declared ? left < 0.05 * first : left > 0.8 * first);
      }
      memcpy(last, step, sizeof step);
      if (cut) { // the step over the cut is no motion to go on with
        memset(last, 0, sizeof last);
      }
    }
    sinew_solver_destroy(solver);
  }
  buss_end(&p);
}

// The number and kinds of tasks, limits, gains and targets change from frame to frame, for every
// method: nothing is allocated.
// req: F3 F4
static void changes_between_frames_do_not_allocate(void **state) {
  (void)state;
  for (int method = 0; method < SINEW_METHOD_COUNT; ++method) {
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = (sinew_method)method;
    def.step.error_clamp = 0.2;
    def.tracking.time_step = 0.01;
    figure f;
    figure_make(&f, FIGURE_HUMANOID, &def);
    double q[MOST * 2], gains[MOST];
    sinew_target targets[FIGURE_TASKS];
    random_stream random = random_stream_of(1);
    for (int i = 0; i < f.nv; ++i) {
      gains[i] = random_between(&random, 0.0, 2.0);
    }
    sinew_configuration_middle(f.model, q);
    const sinew_task_kind kinds[4] = {SINEW_TASK_POSITION, SINEW_TASK_POSE, SINEW_TASK_DIRECTION,
                                      SINEW_TASK_ORIENTATION};
    for (int frame = 0; frame < 48; ++frame) {
      const int count = frame % 5;
      sinew_task tasks[FIGURE_TASKS];
      figure_targets_beyond(&f, &random, frame % 2 == 0 ? -0.5 : 0.5, targets);
      for (int t = 0; t < count; ++t) {
        tasks[t] = f.tasks[t];
        tasks[t].kind = kinds[(frame + t) % 4];
        tasks[t].free_axes = frame % 3 == 0 ? SINEW_FREE_Z : SINEW_FREE_NONE;
        reset_unread_fields(&tasks[t]);
      }
      const long before = wrapped;
      sinew_result results = SINEW_OK;
      results |= frame % 3 == 0 ? sinew_solver_set_tasks(f.solver, tasks, count, NULL) : SINEW_OK;
      results |= sinew_solver_set_gains(f.solver, frame % 7 == 0 ? gains : NULL);
      if (frame % 11 == 0) {
        sinew_solver_reset(f.solver);
      }
      results |= sinew_solver_update(f.solver, targets, f.solver->problem.count, q, NULL);
      results |= sinew_solver_solve_local(f.solver, targets, f.solver->problem.count, q, NULL);
      assert_int_equal(results, SINEW_OK);
      assert_int_equal(wrapped, before);
    }
    figure_end(&f);
  }
}

// A humanoid whose hands and feet follow moving targets: the whole body follows, hips included.
// req: F4 F1
static void whole_body_follows_hands_and_feet(void **state) {
  (void)state;
  figure f;
  figure_make(&f, FIGURE_HUMANOID_BVH, NULL);
  double q[MOST * 2], path[MOST * 2], v[MOST], last[MOST] = {0.0}, before[MOST * 2], step[MOST];
  double worst = 0.0, change = 0.0;
  sinew_configuration_start(f.model, q);
  for (int frame = 0; frame < 300; ++frame) {
    sinew_target targets[FIGURE_TASKS];
    double start[MOST * 2], points[3 * FIGURE_TASKS];
    for (int i = 0; i < f.nv; ++i) {
      v[i] = (f.model->angular[i] ? 0.15 : 10.0) * sin(0.02 * frame * (1.0 + 0.1 * (i % 7)));
    }
    sinew_configuration_start(f.model, start);
    sinew_configuration_integrate(f.model, start, v, path);
    figure_targets_at(&f, path, targets);
    memcpy(before, q, sizeof q);
    assert_ok(sinew_solver_update(f.solver, targets, f.count, q, NULL));
    figure_points(&f, q, points);
    for (int t = 0; t < f.count; ++t) {
      worst = fmax(worst, distance_of(3, points + 3 * t, targets[t].position));
    }
    sinew_configuration_difference(f.model, before, q, step);
    for (int i = 0; i < f.nv; ++i) {
      step[i] /= f.model->angular[i] ? 1.0 : sinew_model_size(f.model);
    }
    change = fmax(change, distance_of(f.nv, step, last));
    memcpy(last, step, sizeof step);
  }
  print_message("hands and feet within %.3f cm, steps change by %.4f\n", worst, change);
  assert_at_most(worst, 0.1); // of 175: a walk's targets move half a centimetre a frame
  assert_at_most(change, 0.03);
  figure_end(&f);
}

// --------------------------------------------------------------------------- clamps

// w, or d w / |w| where |w| > d (Buss 2009, section 2, ClampMag).
static void clamp_mag(const double w[3], double d, double out[3]) {
  const double length = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  for (int i = 0; i < 3; ++i) {
    out[i] = length <= d ? w[i] : d / length * w[i];
  }
}

// The distance from a point to a target without its first axis, which is free. The difference
// (world axes) goes to across, which may be NULL.
static double controlled_distance(const sinew_target *target, const double point[3],
                                  const double goal[3], double *across) {
  double x[3], e[3], along = 0.0;
  sinew_quaternion_rotate(target->rotation, (double[3]){1.0, 0.0, 0.0}, x);
  for (int i = 0; i < 3; ++i) {
    e[i] = goal[i] - point[i];
    along += x[i] * e[i];
  }
  for (int i = 0; i < 3; ++i) {
    e[i] -= along * x[i];
  }
  if (across != NULL) {
    memcpy(across, e, sizeof e);
  }
  return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}

// Targets that give each effector's clamped error: at most D [m] from its position at q.
static void clamp_targets(const figure *f, const double *q, const double *D,
                          const sinew_target *targets, sinew_target *out) {
  double points[3 * FIGURE_TASKS];
  figure_points(f, q, points);
  for (int t = 0; t < f->count; ++t) {
    double e[3];
    for (int i = 0; i < 3; ++i) {
      e[i] = targets[t].position[i] - points[3 * t + i];
    }
    clamp_mag(e, D[t], e);
    out[t] = targets[t];
    for (int i = 0; i < 3; ++i) {
      out[t].position[i] = points[3 * t + i] + e[i];
    }
  }
}

// Errors are clamped for each effector: a far target acts like one at the clamp's distance, and the
// other effector's error stays.
// req: C3
static void errors_are_clamped_per_effector(void **state) {
  (void)state;
  sinew_solver_def def = linear_dls(0.5);
  figure plain, clamped;
  figure_make(&plain, FIGURE_Y, &def);
  def.step.error_clamp = 0.4;
  def.step.error_clamp_adaptive = false;
  figure_make(&clamped, FIGURE_Y, &def);
  for (uint64_t trial = 0; trial < SAMPLE_OF(20); ++trial) {
    random_stream random = random_stream_of(trial);
    double start[8], q[2][8] = {{0.0}};
    const double D[2] = {0.4, 0.4};
    sinew_target targets[2], nearer[2];
    for (int i = 0; i < 7; ++i) {
      start[i] = random_between(&random, -1.0, 1.0);
    }
    figure_targets_at(&plain, start, targets);
    random_vector(&random, 0.2, nearer[0].position); // at most 0.35: not clamped
    for (int i = 0; i < 3; ++i) {
      targets[0].position[i] += nearer[0].position[i];
      targets[1].position[i] += i == 0 ? 2.0 : 0.0; // clamped
    }
    clamp_targets(&plain, start, D, targets, nearer);
    memcpy(q[0], start, 7 * sizeof(double));
    memcpy(q[1], start, 7 * sizeof(double));
    assert_ok(sinew_solver_update(plain.solver, nearer, 2, q[0], NULL));
    assert_ok(sinew_solver_update(clamped.solver, targets, 2, q[1], NULL));
    assert_at_most(farthest(7, q[0], q[1]), 1e-13);
    memcpy(q[0], start, 7 * sizeof(double)); // the clamp changes the result
    assert_ok(sinew_solver_update(plain.solver, targets, 2, q[0], NULL));
    assert_true(farthest(7, q[0], q[1]) > 1e-3);
  }
  figure_end(&clamped);
  figure_end(&plain);
}

// The adaptive D_max of Buss 2009: infinite at first, then D_max plus the distance by which the
// last step brought the effector closer to that step's target, or plus 0 where it moved away.
// Computed here by hand for a solver without a clamp, and compared over some steps of Buss's Y.
// req: C4
static void adaptive_clamp_matches_buss(void **state) {
  (void)state;
  buss_figure p;
  buss_make(&p, "y");
  sinew_solver_def def = linear_dls(0.1); // so small that the figure shakes
  figure plain, clamped;
  figure_make(&plain, FIGURE_Y, &def);
  def.step.error_clamp = 0.3;
  figure_make(&clamped, FIGURE_Y, &def);
  assert_true(def.step.error_clamp_adaptive);
  double q[2][8] = {{0.0}}, before[6], after[6];
  sinew_target targets[2], last[2], nearer[2];
  int closer = 0, further = 0, clamps = 0;
  for (int frame = 0; frame < 400; ++frame) {
    double D[2] = {INFINITY, INFINITY};
    const bool first = frame == 0 || frame == 200;
    buss_targets(&p, frame, targets);
    figure_points(&plain, q[0], after);
    for (int t = 0; t < 2 && !first; ++t) {
      const double gain = distance_of(3, before + 3 * t, last[t].position) -
                          distance_of(3, after + 3 * t, last[t].position);
      D[t] = 0.3 + fmax(0.0, gain);
      closer += gain > 0.0;
      const bool beyond = distance_of(3, after + 3 * t, targets[t].position) > D[t];
      further += gain < -1e-4 && beyond;
      clamps += beyond;
    }
    if (first) {
      sinew_solver_reset(clamped.solver);
    }
    clamp_targets(&plain, q[0], D, targets, nearer);
    memcpy(before, after, sizeof after);
    memcpy(last, targets, sizeof targets);
    assert_ok(sinew_solver_update(plain.solver, nearer, 2, q[0], NULL));
    assert_ok(sinew_solver_update(clamped.solver, targets, 2, q[1], NULL));
    assert_at_most(farthest(7, q[0], q[1]), 1e-9);
    memcpy(q[1], q[0], sizeof q[0]);
  }
  print_message("%d times closer, %d times clamped, %d of them when further away\n", closer, clamps,
                further);
  assert_true(closer > 100 && further > 40 && clamps > 100);
  figure_end(&clamped);
  figure_end(&plain);
  buss_end(&p);
}

// Free axes count neither before nor after a step: the progress of a task is the decrease of the
// error without its free axes, in the target frame of that step. Each target rotates from frame to
// frame, and its first axis is free. Computed by hand, as above.
// req: C4
static void adaptive_clamp_ignores_free_axes(void **state) {
  (void)state;
  buss_figure p;
  buss_make(&p, "y");
  sinew_solver_def def = linear_dls(0.1);
  figure plain, clamped;
  figure_make(&plain, FIGURE_Y, &def);
  def.step.error_clamp = 0.3;
  figure_make(&clamped, FIGURE_Y, &def);
  sinew_task tasks[2] = {plain.tasks[0], plain.tasks[1]};
  tasks[0].free_axes = tasks[1].free_axes = SINEW_FREE_X;
  assert_ok(sinew_solver_set_tasks(plain.solver, tasks, 2, NULL));
  assert_ok(sinew_solver_set_tasks(clamped.solver, tasks, 2, NULL));
  double q[2][8] = {{0.0}}, before[6], after[6];
  sinew_target targets[2], last[2], nearer[2];
  int clamps = 0, matters = 0;
  for (int frame = 0; frame < 400; ++frame) {
    buss_targets(&p, frame, targets);
    figure_points(&plain, q[0], after);
    memcpy(nearer, targets, sizeof targets);
    for (int t = 0; t < 2; ++t) {
      double e[3], full[3], D = INFINITY, whole = INFINITY;
      const double half = 0.1 * frame + t;
      memcpy(targets[t].rotation, (double[4]){cos(half), 0.0, sin(half), 0.0},
             sizeof targets[t].rotation);
      memcpy(nearer[t].rotation, targets[t].rotation, sizeof nearer[t].rotation);
      if (frame > 0) {
        const double *goal = last[t].position;
        const double now = controlled_distance(&last[t], after + 3 * t, goal, NULL);
        D = 0.3 + fmax(0.0, controlled_distance(&last[t], before + 3 * t, goal, NULL) - now);
        whole = 0.3 + fmax(0.0, distance_of(3, before + 3 * t, goal) - now);
      }
      const double length =
          controlled_distance(&targets[t], after + 3 * t, targets[t].position, full);
      clamp_mag(full, D, e);
      for (int i = 0; i < 3; ++i) {
        nearer[t].position[i] = after[3 * t + i] + e[i];
      }
      clamps += length > D;
      matters += length > D && whole > 1.1 * D;
    }
    memcpy(before, after, sizeof after);
    memcpy(last, targets, sizeof targets);
    assert_ok(sinew_solver_update(plain.solver, nearer, 2, q[0], NULL));
    assert_ok(sinew_solver_update(clamped.solver, targets, 2, q[1], NULL));
    assert_at_most(farthest(7, q[0], q[1]), 1e-9);
    memcpy(q[1], q[0], sizeof q[0]);
  }
  print_message("%d times clamped; the free axis would have mattered %d times\n", clamps, matters);
  assert_true(clamps > 100 && matters > 50);
  figure_end(&clamped);
  figure_end(&plain);
  buss_end(&p);
}

// Neither orientation errors nor the default method's errors are clamped by a length.
// req: C3
static void orientations_and_default_are_not_clamped(void **state) {
  (void)state;
  for (int method = 0; method < 2; ++method) {
    double q[2][7];
    for (int clamped = 0; clamped < 2; ++clamped) {
      sinew_solver_def def = sinew_default_solver_def();
      def.step.method = method == 0 ? SINEW_METHOD_DLS : SINEW_METHOD_DEFAULT;
      def.step.error_clamp = clamped ? 1e-3 : INFINITY;
      def.step.error_clamp_adaptive = false;
      figure f;
      figure_make(&f, FIGURE_ARM, &def);
      sinew_task task = f.tasks[0];
      task.kind = method == 0 ? SINEW_TASK_ORIENTATION : SINEW_TASK_POSE;
      assert_ok(sinew_solver_set_tasks(f.solver, &task, 1, NULL));
      sinew_configuration_middle(f.model, q[clamped]);
      sinew_target target = target_at(f.model, &task, q[clamped]);
      target.position[0] += 0.3;
      sinew_quaternion_multiply((double[4]){0.8, 0.6, 0.0, 0.0}, target.rotation, target.rotation);
      assert_ok(sinew_solver_update(f.solver, &target, 1, q[clamped], NULL));
      figure_end(&f);
    }
    assert_memory_equal(q[0], q[1], sizeof q[0]);
  }
}

// With a constant damping, an update with gain K equals one towards a target at K of the distance.
// req: C5
static void gain_scales_the_error(void **state) {
  (void)state;
  sinew_solver_def def = linear_dls(0.4);
  figure whole, part;
  figure_make(&whole, FIGURE_Y, &def);
  def.tracking.error_gain = 0.3;
  figure_make(&part, FIGURE_Y, &def);
  double q[2][8] = {{0.1, 0.2, -0.3, 0.2, 0.4, -0.2, 0.3}, {0.1, 0.2, -0.3, 0.2, 0.4, -0.2, 0.3}};
  double points[6];
  sinew_target targets[2], shared[2];
  figure_points(&whole, q[0], points);
  for (int t = 0; t < 2; ++t) {
    targets[t] = shared[t] = sinew_default_target();
    for (int i = 0; i < 3; ++i) {
      targets[t].position[i] = points[3 * t + i] + 0.1 * (i + t + 1);
      shared[t].position[i] = points[3 * t + i] + 0.3 * 0.1 * (i + t + 1);
    }
  }
  assert_ok(sinew_solver_update(whole.solver, shared, 2, q[0], NULL));
  assert_ok(sinew_solver_update(part.solver, targets, 2, q[1], NULL));
  assert_at_most(farthest(7, q[0], q[1]), 1e-14);
  figure_end(&part);
  figure_end(&whole);
}

// With a gain K the default's error falls as (1 - K)^n in reach, and it settles out of reach too.
// req: C5 C6
static void default_error_decays_by_the_gain(void **state) {
  (void)state;
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.error_gain = 0.25;
  figure f;
  figure_make(&f, FIGURE_Y, &def);
  double q[8] = {0.3, 0.2, -0.3, 0.2, 0.4, -0.2, 0.3}, before[8];
  sinew_target targets[2];
  figure_targets_at(&f, q, targets);
  targets[0].position[1] += 1e-3;
  sinew_report report;
  assert_ok(sinew_solver_update(f.solver, targets, 2, q, &report));
  for (int update = 0; update < 10; ++update) {
    const double error = report.position_error;
    assert_ok(sinew_solver_update(f.solver, targets, 2, q, &report));
    assert_near(report.position_error, 0.75 * error, 0.02 * error);
  }
  random_stream random = random_stream_of(1);
  figure_targets_beyond(&f, &random, 0.4, targets);
  for (int update = 0; update < 300; ++update) {
    memcpy(before, q, sizeof q);
    assert_ok(sinew_solver_update(f.solver, targets, 2, q, NULL));
  }
  assert_at_most(farthest(7, before, q), 1e-9);
  figure_end(&f);
}

// Out of reach too, the distance to the settled configuration falls by the gain in each update,
// however large the second-order part of H is, once the damping has fallen. Here a rod of 1 m and a
// target 11 m away: nine tenths of H are second order.
// req: C5 C6
static void settling_out_of_reach_decays_by_the_gain(void **state) {
  (void)state;
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.error_gain = 0.25;
  sinew_model *model = fixture_planar(1, 1.0);
  sinew_task task = task_of(SINEW_TASK_POSITION, 1);
  task.point_l[0] = 1.0;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  sinew_target target = sinew_default_target();
  target.position[0] = 11.0;
  double q = 0.01;
  for (int update = 0; update < 20; ++update) {
    const double before = q;
    assert_ok(sinew_solver_update(solver, &target, 1, &q, NULL));
    if (update >= 13) {
      assert_near(q, 0.75 * before, 0.005 * before);
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// DLS' allows a smaller lambda than DLS: at lambda 0.3 its jitter on the Y out of reach is less
// than half of the jitter of DLS, and its error is less than that of DLS at lambda 0.6, which DLS
// needs for the same jitter.
// req: D9 H2
static void clamped_errors_allow_less_damping(void **state) {
  (void)state;
  buss_figure p;
  buss_make(&p, "y");
  const double turn = PI / 4.0;
  followed f[3];
  for (int i = 0; i < 3; ++i) {
    sinew_solver_def def = linear_dls(i == 0 ? 0.6 : 0.3);
    def.step.max_turn = turn;
    def.step.error_clamp = i == 2 ? 0.4 : INFINITY;
    f[i] = buss_follow(&p, &def, 1, 2400);
    print_message("%s lambda %.1f: error %.4f in reach, %.4f of all, jitter %.5f\n",
                  i == 2 ? "DLS'" : "DLS ", i == 0 ? 0.6 : 0.3, f[i].error, f[i].missed,
                  f[i].jitter);
  }
  assert_true(f[2].jitter < 0.5 * f[1].jitter);
  assert_true(f[2].error < f[0].error && f[2].missed < f[0].missed);
  buss_end(&p);
}

// ---------------------------------------------------------------- columns at the target

// The mean change of a planar chain's steps [rad] while its target moves on a circle.
static double step_change(int joints, double radius, double damping, bool at_target,
                          uint64_t trial) {
  sinew_solver_def def = linear_dls(damping);
  def.step.target_jacobian = at_target;
  def.step.max_turn = PI / 4.0;
  sinew_model *model = fixture_planar(joints, 1.0 / joints);
  sinew_task task = task_of(SINEW_TASK_POSITION, joints);
  task.point_l[0] = 1.0 / joints;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  random_stream random = random_stream_of(trial);
  double q[8], before[8], last[8] = {0.0}, sum = 0.0;
  for (int i = 0; i < joints; ++i) {
    q[i] = random_between(&random, -1.0, 1.0);
  }
  const double begin = random_between(&random, -PI, PI);
  sinew_target target = sinew_default_target();
  for (int frame = 0; frame < 200; ++frame) {
    target.position[0] = radius * cos(begin + 0.01 * frame);
    target.position[1] = radius * sin(begin + 0.01 * frame);
    memcpy(before, q, sizeof q);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    double change = 0.0;
    for (int i = 0; i < joints; ++i) {
      change += pow(q[i] - before[i] - last[i], 2.0);
      last[i] = q[i] - before[i];
    }
    sum += frame > 20 ? sqrt(change) : 0.0;
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  return sum;
}

static double mean_step_change(int joints, double radius, double damping, bool at_target) {
  double sum = 0.0;
  for (uint64_t trial = 0; trial < SAMPLE_OF(40); ++trial) {
    sum += step_change(joints, radius, damping, at_target, trial) / 40.0;
  }
  return sum;
}

// Buss 2009, section 2, on Jacobian columns taken at the target: for targets far out of reach they
// overshoot less, since longer arms damp more; where a chain folds back to a near target they jerk.
// req: B12 H4
static void target_columns_overshoot_less_far_and_jerk_near(void **state) {
  (void)state;
  const double far[2] = {
      mean_step_change(7, 5.0, 2.0, false) + mean_step_change(3, 12.0, 2.0, false),
      mean_step_change(7, 5.0, 2.0, true) + mean_step_change(3, 12.0, 2.0, true)};
  const double near[2] = {
      mean_step_change(3, 0.05, 0.125, false) + mean_step_change(3, 0.8, 0.05, false),
      mean_step_change(3, 0.05, 0.125, true) + mean_step_change(3, 0.8, 0.05, true)};
  print_message("changes of steps, at the effector and at the target: far %.3f and %.3f, near %.4f "
                "and %.4f rad\n",
                far[0], far[1], near[0], near[1]);
  assert_true(far[1] < 0.01 * far[0]);
  assert_true(near[1] > 10.0 * near[0]);
}

// Where the effector is at its target, both kinds of columns are equal. Elsewhere the columns at
// the target are those of a point of the last link that is at the target.
// req: B12
static void target_columns_are_those_of_the_target_point(void **state) {
  (void)state;
  sinew_solver_def def = linear_dls(0.2);
  figure plain, other;
  figure_make(&plain, FIGURE_DOUBLE_Y, &def);
  def.step.target_jacobian = true;
  figure_make(&other, FIGURE_DOUBLE_Y, &def);
  double q[MOST], J[6 * MOST];
  sinew_target targets[FIGURE_TASKS];
  sinew_configuration_random(plain.model, 6, 0, q);
  figure_targets_at(&plain, q, targets);
  const sinew_rows *rows = &other.solver->evaluation.rows;
  const sinew_row_block *end = &rows->blocks[3];
  const int values = end->value_start + 3 * end->path_count;
  for (int away = 0; away < 2; ++away) {
    for (int t = 0; t < 4; ++t) {
      targets[t].position[t % 3] += away ? 0.7 : 0.0;
    }
    sinew_solver_evaluate(plain.solver, targets, q);
    sinew_solver_linearize(plain.solver, q, 0.0, true);
    sinew_solver_evaluate(other.solver, targets, q);
    sinew_solver_linearize(other.solver, q, 0.0, true);
    const double apart = farthest(values, rows->values, plain.solver->evaluation.rows.values);
    assert_true(away ? apart > 0.05 : apart < 1e-15);
    assert_ok(sinew_state_forward(plain.state, q));
    for (int t = 0; t < 4; ++t) {
      sinew_pose pose, back;
      double point_l[3];
      assert_ok(sinew_state_link_pose(plain.state, plain.tasks[t].link, &pose));
      sinew_pose_invert(&pose, &back);
      sinew_pose_transform(&back, targets[t].position, point_l);
      assert_ok(sinew_state_jacobian(plain.state, plain.tasks[t].link, point_l, 0, J));
      const sinew_row_block *block = &rows->blocks[t];
      for (int k = 0; k < 3 * block->path_count; ++k) {
        const int v = other.solver->problem.dof_of_column[rows->path[block->path_start + k / 3]];
        assert_near(rows->values[block->value_start + k] * sinew_model_size(plain.model),
                    J[k % 3 * plain.nv + v], 1e-13);
      }
    }
  }
  figure_end(&other);
  figure_end(&plain);
}

// Poses that the last update has left are used again only where they are those of the caller's
// configuration, and of the nodes that the tasks need: the report has the error at q. Between
// updates the caller moves the figure, moves it elsewhere and back, places it, or changes the task.
static void updates_begin_at_the_callers_configuration(void **state) {
  (void)state;
  enum { JOINTS = 9, UPDATES = 400 };
  sinew_model *model = fixture_planar(JOINTS, 0.2);
  sinew_task task = task_of(SINEW_TASK_POSITION, JOINTS);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  random_stream random = random_stream_of(11);
  double q[JOINTS], goal[JOINTS];
  for (int i = 0; i < JOINTS; ++i) {
    q[i] = 0.3;
  }
  for (int update = 0; update < UPDATES; ++update) {
    sinew_report report;
    double distance, angle;
    switch (random_below(&random, 6)) {
    case 0: // the last joint, then the first
    case 1:
      q[update % 2 == 0 ? JOINTS - 1 : 0] += random_between(&random, -0.2, 0.2);
      break;
    case 2: // another solve, with the same solver
      memcpy(goal, q, sizeof q);
      goal[0] += 0.1;
      sinew_target elsewhere = target_at(model, &task, q);
      assert_ok(sinew_solver_solve_local(solver, &elsewhere, 1, goal, NULL));
      break;
    case 3: // fewer nodes, or more
      task.link = 3 + random_below(&random, JOINTS - 2);
      assert_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
      break;
    default:
      break;
    }
    for (int i = 0; i < JOINTS; ++i) {
      goal[i] = q[i] + random_between(&random, -0.01, 0.01);
    }
    const sinew_target target = target_at(model, &task, goal);
    measure(model, &task, &target, q, &distance, &angle);
    assert_ok(sinew_solver_update(solver, &target, 1, q, &report));
    assert_near(report.position_error, distance, 1e-14);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(more_updates_a_frame_reduce_the_lag),
      cmocka_unit_test(updates_stop_at_the_tolerance),
      cmocka_unit_test(solves_end_at_the_time_limit),
      cmocka_unit_test(clock_is_called_only_with_a_limit),
      cmocka_unit_test(warm_starts_take_fewer_steps),
      cmocka_unit_test(updates_begin_at_the_callers_configuration),
      cmocka_unit_test(reset_clears_all_history),
      cmocka_unit_test(declared_jumps_are_followed_at_once),
      cmocka_unit_test(changes_between_frames_do_not_allocate),
      cmocka_unit_test(whole_body_follows_hands_and_feet),
      cmocka_unit_test(errors_are_clamped_per_effector),
      cmocka_unit_test(adaptive_clamp_matches_buss),
      cmocka_unit_test(adaptive_clamp_ignores_free_axes),
      cmocka_unit_test(orientations_and_default_are_not_clamped),
      cmocka_unit_test(gain_scales_the_error),
      cmocka_unit_test(default_error_decays_by_the_gain),
      cmocka_unit_test(settling_out_of_reach_decays_by_the_gain),
      cmocka_unit_test(clamped_errors_allow_less_damping),
      cmocka_unit_test(target_columns_overshoot_less_far_and_jerk_near),
      cmocka_unit_test(target_columns_are_those_of_the_target_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
