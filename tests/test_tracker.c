// The default tracker beyond Buss's figures: fast targets, limits, local minima, reports, rates,
// and input that is refused.
#include "fixtures.h"
#include "inspect.h"
#include "scenes/scenes.h"
#include "sinew/formats.h"

#define MOST 64

// |dq_t - dq_(t-1)| over the updates of a run, prismatic joints in sizes of the model. The first
// update follows its targets at once, and motion after it begins at rest.
typedef struct changes {
  const sinew_model *model;
  double step[2 * MOST], most;
  int updates;
} changes;

static void changes_add(changes *c, const double *before, const double *after) {
  double dq[2 * MOST], sum = 0.0;
  sinew_configuration_difference(c->model, before, after, dq);
  for (int v = 0; v < sinew_model_nv(c->model); ++v) {
    dq[v] /= c->model->angular[v] ? 1.0 : sinew_model_size(c->model);
    sum += pow(dq[v] - c->step[v], 2.0);
    c->step[v] = c->updates > 0 ? dq[v] : 0.0;
  }
  c->most = c->updates++ > 0 ? fmax(c->most, sqrt(sum)) : 0.0;
}

// ----------------------------------------------------------------- any motion

// A task of any kind, some with free axes, for a link that several joints move.
static sinew_task task_number(int i, const sinew_model *model) {
  static const sinew_task_kind kinds[] = {SINEW_TASK_POSITION, SINEW_TASK_ORIENTATION,
                                          SINEW_TASK_POSE, SINEW_TASK_DIRECTION};
  sinew_task task = task_of(kinds[i % 4], sinew_model_link_count(model) - 1);
  task.free_axes =
      i % 8 >= 4 ? free_axes_of(task.kind, SINEW_FREE_Y | SINEW_FREE_ROTATION_Z) : SINEW_FREE_NONE;
  return task;
}

// Joint values at a time, in updates: each swings by up to .7 rad or .3 m.
static void swing(const sinew_model *model, const double *home, double time, double *q) {
  double v[MOST];
  for (int i = 0; i < sinew_model_nv(model); ++i) {
    v[i] = (model->angular[i] ? 0.7 : 0.3) * sin(time * (1.0 + 0.1 * (i % 5)) + i);
  }
  sinew_configuration_integrate(model, home, v, q);
}

// Chains of any joints, tasks of any kind, gains, in motions of some .2 rad a joint in an update:
// the figure is at its targets after each update. req: C8 C1
static void fast_targets_in_reach_are_met(void **state) {
  (void)state;
  random_tree_options options = random_tree_defaults();
  options.joints = 9;
  options.chain = 1.0;
  options.coupled = 0.0;
  double worst = 0.0;
  int met = 0, all = 0;
  for (int round = 0; round < 40; ++round) {
    static random_tree tree;
    sinew_model *model = NULL;
    random_tree_make(&tree, 700 + (uint64_t)round, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    sinew_task task = task_number(round, model);
    for (int l = 0; l <= options.joints; ++l) {
      task.link = tree.depth[l] == options.joints ? l : task.link;
    }
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    double gains[MOST], home[2 * MOST], q[2 * MOST], goal[2 * MOST];
    for (int v = 0; v < sinew_model_nv(model); ++v) {
      gains[v] = round % 3 == 0 ? 0.5 + 0.25 * (v % 3) : 1.0;
    }
    assert_ok(sinew_solver_set_gains(solver, gains));
    sinew_configuration_start(model, home);
    swing(model, home, 0.0, q);
    for (int update = 0; update < 60; ++update) {
      swing(model, home, 0.25 * update, goal);
      const sinew_target target = target_at(model, &task, goal);
      sinew_report report;
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      sinew_solver_evaluate(solver, &target, q);
      sinew_solver_report(solver, SINEW_OUTCOME_STEP_LIMIT, 1, -1, &report);
      const double error =
          fmax(report.position_error / sinew_model_size(model), report.orientation_error);
      met += error < 1e-3;
      worst = fmax(worst, error);
      ++all;
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  print_message("met %d of %d; the largest error is %.1e\n", met, all, worst);
  assert_true(met >= 0.985 * all);
}

// --------------------------------------------------------------------- limits

// A hand of 24 limited joints follows fingertips in and out of reach: joints brake ahead of their
// limits, and no step differs from the last by more than max_change. req: E12
static void steps_change_within_the_bound_at_limits(void **state) {
  (void)state;
  sinew_scene *scene = sinew_scene_create("hand");
  assert_non_null(scene);
  sinew_model *model = NULL;
  sinew_state *at = NULL;
  assert_ok(sinew_model_create(&scene->model, &model, NULL));
  assert_ok(sinew_state_create(model, NULL, &at, NULL));
  for (int run = 0; run < 8; ++run) {
    sinew_solver *solver = solver_with(NULL, model, scene->tasks, scene->task_count);
    changes c = {.model = model};
    double q[MOST], before[MOST];
    int at_limit = 0;
    sinew_scene_motion(scene, model, 40.0 * run, q);
    for (int update = 1; update < 3000; ++update) { // slow enough for one part each
      sinew_target targets[8];
      sinew_scene_targets(scene, at, 40.0 * run + 0.5 * scene->time_step * update, targets);
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, targets, scene->task_count, q, NULL));
      changes_add(&c, before, q);
      for (int v = 0; v < sinew_model_nv(model); ++v) {
        at_limit += q[v] == sinew_model_lower(model)[v] || q[v] == sinew_model_upper(model)[v];
      }
      assert_at_most(outside_limits(model, q), 0.0);
    }
    assert_at_most(c.most, 0.095 * (1.0 + 1e-9));
    assert_true(at_limit > 100);
    sinew_solver_destroy(solver);
  }
  sinew_state_destroy(at);
  sinew_model_destroy(model);
  sinew_scene_destroy(scene);
}

// --------------------------------------------------------------- out and back

#define OUT 400 // slow enough for one part an update
#define REST 100

static sinew_model *robot(const char *path, int *tip) {
  sinew_document *document = NULL;
  sinew_model *model = NULL;
  sinew_error error = {0};
  if (sinew_document_open(path, NULL, &document, &error) != SINEW_OK ||
      sinew_model_create(&document->model, &model, &error) != SINEW_OK) {
    fail_msg("%s: %s", path, error.message);
  }
  sinew_document_destroy(document);
  *tip = sinew_model_link_count(model) - 1;
  return model;
}

typedef struct way {
  sinew_pose home;
  double far[3];
} way;

// A reachable pose, and a point 1.5 sizes of the arm from its root.
static way way_number(const sinew_model *model, int tip, int number, double *q) {
  const sinew_task task = task_of(SINEW_TASK_POSE, tip);
  way w;
  random_stream random = random_stream_of(900 + (uint64_t)number);
  sinew_configuration_random(model, 901, (uint64_t)number, q);
  const sinew_target home = target_at(model, &task, q);
  memcpy(w.home.position, home.position, sizeof home.position);
  memcpy(w.home.rotation, home.rotation, sizeof home.rotation);
  random_unit(&random, 3, w.far);
  for (int k = 0; k < 3; ++k) {
    w.far[k] *= 1.5 * sinew_model_size(model);
  }
  return w;
}

// The target of an update: out, back, and at rest at home.
static sinew_target target_on(const way *w, int update) {
  sinew_target target = sinew_default_target();
  const double u = update < OUT ? (double)update / OUT : fmax(0.0, 2.0 - (double)update / OUT);
  const double s = u * u * (3.0 - 2.0 * u);
  for (int k = 0; k < 3; ++k) {
    target.position[k] = w->home.position[k] + s * (w->far[k] - w->home.position[k]);
  }
  memcpy(target.rotation, w->home.rotation, sizeof w->home.rotation);
  return target;
}

typedef struct tally {
  int back, lost, explained;
  double change;
} tally;

// Follows ways out and back. Counts those that end at home, and of the others those whose report
// says why.
static tally go_out_and_back(const sinew_model *model, int tip, bool escape, int ways) {
  const sinew_task task = task_of(SINEW_TASK_POSE, tip);
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.escape = escape;
  tally t = {0};
  for (int i = 0; i < ways; ++i) {
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    sinew_report report;
    changes c = {.model = model};
    double q[MOST], before[MOST], distance, angle;
    const way w = way_number(model, tip, i, q);
    sinew_target target;
    for (int update = 0; update < 2 * OUT + REST; ++update) {
      target = target_on(&w, update);
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, &target, 1, q, &report));
      changes_add(&c, before, q);
      assert_at_most(outside_limits(model, q), 0.0);
    }
    measure(model, &task, &target, q, &distance, &angle);
    const bool home = distance < 1e-3 && angle < 1e-3;
    t.back += home;
    t.lost += !home;
    if (!home && report.outcome == SINEW_OUTCOME_BLOCKED_BY_LIMITS) {
      sinew_joint joint;
      assert_ok(sinew_model_joint(model, report.limiting_joint, &joint));
      t.explained += q[joint.q_index] == sinew_model_lower(model)[joint.v_index] ||
                     q[joint.q_index] == sinew_model_upper(model)[joint.v_index];
    }
    t.explained += !home && report.outcome == SINEW_OUTCOME_STALLED;
    t.change = fmax(t.change, c.most);
    sinew_solver_destroy(solver);
  }
  return t;
}

// An arm whose target leaves reach and comes back may be in a local minimum, a joint at its limit.
// The report then says so. Where it is allowed, the arm finds back to its target, within the bound
// on change. req: F9 E12
static void arms_come_back_or_say_why_not(void **state) {
  (void)state;
  static const char *const files[] = {"models/arm6.urdf", "models/arm7.urdf"};
  for (int i = 0; i < 2; ++i) {
    int tip;
    sinew_model *model = robot(files[i], &tip);
    const tally stays = go_out_and_back(model, tip, false, 60);
    const tally escapes = go_out_and_back(model, tip, true, 60);
    print_message("%s: back %d of 60, with an escape %d; changes of at most %.4f and %.4f\n",
                  files[i], stays.back, escapes.back, stays.change, escapes.change);
    assert_true(stays.back >= 40);
    assert_int_equal(stays.explained, stays.lost);
    assert_true(escapes.back >= 59);
    assert_at_most(stays.change, 0.095 * (1.0 + 1e-9));
    assert_at_most(escapes.change, 0.095 * (1.0 + 1e-9));
    sinew_model_destroy(model);
  }
}

// Along a way that leaves reach and comes back, an arm that is not in a local minimum is within 1
// mm and 1 mrad of its target at every update in reach, from 50 updates after its return. req: C8
static void ways_in_reach_are_followed_closely(void **state) {
  (void)state;
  int tip, followed = 0;
  sinew_model *model = robot("models/arm7.urdf", &tip);
  const sinew_task task = task_of(SINEW_TASK_POSE, tip);
  for (int i = 0; i < 40; ++i) {
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    double q[MOST];
    const way w = way_number(model, tip, i, q);
    double worst = 0.0;
    for (int update = 0; update < 2 * OUT + REST; ++update) {
      const sinew_target target = target_on(&w, update);
      double distance, angle;
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      measure(model, &task, &target, q, &distance, &angle);
      if (update > 2 * OUT + 50) {
        worst = fmax(worst, fmax(distance, angle));
      }
    }
    followed += worst < 1e-3;
    sinew_solver_destroy(solver);
  }
  assert_true(followed >= 28);
  sinew_model_destroy(model);
}

// With an escape frozen joints keep their bits, whatever the caller writes there, speed limits
// hold, and the same calls after a reset give the same bits. req: F9 E8
static void escapes_keep_what_updates_keep(void **state) {
  (void)state;
  int tip;
  sinew_model *model = robot("models/arm7.urdf", &tip);
  const sinew_task task = task_of(SINEW_TASK_POSE, tip);
  const unsigned char frozen[7] = {1};
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.escape = true;
  def.tracking.time_step = 1.0 / 60.0;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  double ends[2][20][MOST];
  assert_ok(sinew_solver_set_frozen(solver, frozen));
  for (int run = 0; run < 40; ++run) {
    double q[MOST], before[MOST];
    const way w = way_number(model, tip, run % 20, q);
    sinew_solver_reset(solver);
    for (int update = 0; update < 2 * OUT + REST; ++update) {
      const sinew_target target = target_on(&w, update);
      q[0] += update % 60 == 0 ? 0.02 : 0.0;
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      assert_memory_equal(&q[0], &before[0], sizeof q[0]);
      for (int v = 0; v < 7; ++v) {
        assert_at_most(fabs(q[v] - before[v]),
                       sinew_model_velocity(model)[v] / 60.0 * (1.0 + 1e-12));
      }
    }
    memcpy(ends[run / 20][run % 20], q, sizeof q);
  }
  for (int i = 0; i < 20; ++i) {
    assert_memory_equal(ends[0][i], ends[1][i], sizeof(double[7]));
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// With an escape updates keep hard tasks: a link stays on its side of a plane, on the way to
// another configuration too. More arms come home than without. req: F9 E8
static void escapes_keep_hard_tasks(void **state) {
  (void)state;
  int tip, back[2] = {0, 0}, held = 0, left = 0, begun = 0;
  const double margin = 0.002; // at the beginning [m]
  sinew_model *model = robot("models/arm7.urdf", &tip);
  for (int escape = 0; escape < 2; ++escape) {
    random_stream random = random_stream_of(12);
    for (int i = 0; i < 40; ++i) {
      sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, tip), task_of(SINEW_TASK_PLANE, tip - 3)};
      sinew_solver_def def = sinew_default_solver_def();
      double q[MOST], distance, angle;
      const way w = way_number(model, tip, i, q);
      sinew_target targets[2] = {sinew_default_target(), target_at(model, &tasks[1], q)};
      tasks[1].hard = true;
      tasks[1].range_upper[0] = INFINITY;
      random_unit(&random, 3, targets[1].direction);
      for (int k = 0; k < 3; ++k) {
        targets[1].position[k] -= margin * targets[1].direction[k];
      }
      def.tracking.escape = escape == 1;
      def.hard_rows = 1;
      sinew_solver *solver = solver_with(&def, model, tasks, 2);
      for (int update = 0; update < 2 * OUT + 3 * REST; ++update) {
        sinew_hard_row_report row;
        targets[0] = target_on(&w, update);
        const int length = solver->escape.length, moved = solver->escape.moved;
        const double rest = solver->history.updates_at_rest;
        assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
        const bool leaves = length > 0 && solver->escape.length == 0 && moved + 1 < length;
        if (leaves) { // it counts as one update, with the targets' motion in it
          const bool moves = update <= 2 * OUT;
          assert_true(solver->history.updates_at_rest == (moves ? 0.0 : rest + 1.0));
          assert_true((solver->history.motion > 0.0) == moves);
        }
        left += leaves;
        begun += length == 0 && solver->escape.length > 0;
        sinew_task point = tasks[1];
        point.kind = SINEW_TASK_POSITION;
        const sinew_target now = target_at(model, &point, q);
        double away[3];
        for (int k = 0; k < 3; ++k) {
          away[k] = now.position[k] - targets[1].position[k];
        }
        assert_at_most(-sinew_dot(away, targets[1].direction), 1e-9);
        assert_ok(sinew_solver_hard_row(solver, 0, &row));
        held += row.side != 0;
      }
      measure(model, &tasks[0], &targets[0], q, &distance, &angle);
      back[escape] += distance < 1e-3 && angle < 1e-3;
      sinew_solver_destroy(solver);
    }
  }
  print_message("with hard tasks: back %d of 40, with an escape %d; held in %d updates\n", back[0],
                back[1], held);
  print_message("%d motions begun, %d left\n", begun, left);
  assert_true(4 * left < begun); // one that would leave the range is mostly not begun
  assert_true(back[1] >= back[0] + 5 && held > 0);
  sinew_model_destroy(model);
}

// ------------------------------------------------------------------ directions

// Directions that turn around, exactly and nearly, and of any length: joint values stay finite.
// req: C8 C5
static void directions_may_turn_around(void **state) {
  (void)state;
  static const double lengths[] = {1.0, 1e-200, 1e200, 3.0};
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_DIRECTION, ARM_FLANGE);
  for (int i = 0; i < 32; ++i) {
    sinew_solver *solver = solver_with(NULL, arm, &task, 1);
    double q[MOST];
    sinew_configuration_middle(arm, q);
    for (int update = 0; update < 60; ++update) {
      sinew_target target = sinew_default_target();
      const double sign = (update / (1 + i % 3)) % 2 == 0 ? 1.0 : -1.0;
      const double length = lengths[i / 8] * sign;
      target.direction[0] = i % 8 == 0 ? length : 0.0;
      target.direction[1] = i % 8 == 1 ? length : i % 8 > 2 ? 1e-12 * lengths[i / 8] : 0.0;
      target.direction[2] = i % 8 > 1 ? length : 0.0;
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      for (int v = 0; v < 7; ++v) {
        assert_true(isfinite(q[v]));
      }
    }
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(arm);
}

// Weights are relative: all of them times a number gives the same motion. req: C8
static void only_relative_weights_count_as_motion(void **state) {
  (void)state;
  int tip, steps[2] = {0};
  sinew_model *model = robot("models/arm7.urdf", &tip);
  for (int i = 0; i < 2; ++i) {
    sinew_task task = task_of(SINEW_TASK_POSITION, tip);
    task.position_weight = i == 0 ? 1.0 : 50.0;
    task.orientation_weight = task.position_weight;
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    double q[MOST], home[MOST], goal[MOST];
    sinew_configuration_middle(model, home);
    memcpy(q, home, sizeof q);
    for (int update = 0; update < 50; ++update) {
      sinew_report report;
      swing(model, home, 0.05 * update, goal);
      const sinew_target target = target_at(model, &task, goal);
      assert_ok(sinew_solver_update(solver, &target, 1, q, &report));
      steps[i] += report.steps;
    }
    sinew_solver_destroy(solver);
  }
  assert_true(steps[1] < 1.5 * steps[0] && steps[0] < 1.5 * steps[1]);
  sinew_model_destroy(model);
}

// -------------------------------------------------------------------- reports

// A figure at rest above its tolerance reports why, and one that moves does not. req: F9
static void stationary_points_are_reported(void **state) {
  (void)state;
  int tip;
  sinew_model *model = robot("models/arm7.urdf", &tip);
  const sinew_task task = task_of(SINEW_TASK_POSITION, tip);
  static const sinew_method methods[] = {SINEW_METHOD_DEFAULT, SINEW_METHOD_NEWTON};
  for (int i = 0; i < 2; ++i) {
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = methods[i];
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    sinew_target target = sinew_default_target();
    sinew_report report;
    double q[MOST];
    sinew_configuration_middle(model, q);
    target.position[0] = 3.0;
    assert_ok(sinew_solver_update(solver, &target, 1, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_STEP_LIMIT);
    for (int update = 0; update < 300; ++update) {
      assert_ok(sinew_solver_update(solver, &target, 1, q, &report));
    }
    assert_int_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// The errors of a task after an update are those before it, whatever the update has evaluated.
// req: F2
static void task_errors_are_those_before_the_update(void **state) {
  (void)state;
  int tip;
  sinew_model *model = robot("models/arm7.urdf", &tip);
  const sinew_task task = task_of(SINEW_TASK_POSE, tip);
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.escape = true;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  double q[MOST], goal[MOST];
  sinew_configuration_middle(model, q);
  for (int update = 0; update < 200; ++update) {
    sinew_configuration_random(model, 77, (uint64_t)(update / 40), goal);
    const sinew_target target = target_at(model, &task, goal);
    double distance, angle, position, orientation;
    measure(model, &task, &target, q, &distance, &angle);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    assert_ok(sinew_solver_task_error(solver, 0, &position, &orientation));
    assert_near(position, distance, 1e-12);
    assert_near(orientation, angle, 1e-7);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// ---------------------------------------------------------------------- rates

// The root mean square difference of joint values between two runs of the Y, in and out of reach
// [rad], one of them at some times the updates a second of the other.
static double distance_of_rates(double time_step, int times) {
  sinew_scene *scene = sinew_scene_create("y");
  sinew_model *model = NULL;
  sinew_state *at = NULL;
  double q[2][MOST] = {{0.0}}, sum = 0.0;
  assert_ok(sinew_model_create(&scene->model, &model, NULL));
  assert_ok(sinew_state_create(model, NULL, &at, NULL));
  sinew_solver *solvers[2];
  for (int i = 0; i < 2; ++i) {
    sinew_solver_def def = sinew_default_solver_def();
    def.tracking.time_step = time_step / (i == 0 ? 1 : times);
    solvers[i] = solver_with(&def, model, scene->tasks, scene->task_count);
  }
  const int frames = 1200;
  for (int frame = 1; frame <= frames; ++frame) {
    sinew_target targets[4];
    for (int i = 0; i < 2; ++i) {
      const int updates = i == 0 ? 1 : times;
      for (int u = 1; u <= updates; ++u) {
        sinew_scene_targets(scene, at, scene->time_step * (frame - 1 + (double)u / updates),
                            targets);
        assert_ok(sinew_solver_update(solvers[i], targets, scene->task_count, q[i], NULL));
      }
    }
    for (int v = 0; v < 7; ++v) {
      sum += pow(q[0][v] - q[1][v], 2.0) / 7.0;
    }
  }
  for (int i = 0; i < 2; ++i) {
    sinew_solver_destroy(solvers[i]);
  }
  sinew_state_destroy(at);
  sinew_model_destroy(model);
  sinew_scene_destroy(scene);
  return sqrt(sum / frames);
}

// With a time step, the same motion at two and four times the rate gives nearly the same joint
// values. req: F8
static void the_rate_does_not_change_the_figure(void **state) {
  (void)state;
  for (int times = 2; times <= 4; times *= 2) {
    const double known = distance_of_rates(1.0 / 60.0, times),
                 unknown = distance_of_rates(0.0, times);
    print_message("%d times the updates: %.4f rad with the time step, %.4f without\n", times, known,
                  unknown);
    assert_at_most(known, 0.76 * unknown);
    assert_at_most(known, 0.1);
  }
}

// ----------------------------------------------------------------------- jumps

#define JUMPS 40
#define BEFORE_JUMP 4
#define AFTER_JUMP 120

// A chain of nine joints of any kind, or one of the arms; returns its tip.
static sinew_model *jumping_chain(int figure, int *tip) {
  static const char *const arms[] = {"models/arm6.urdf", "models/arm7.urdf"};
  if (figure < 2) {
    return robot(arms[figure], tip);
  }
  static random_tree tree;
  sinew_model *model = NULL;
  random_tree_options options = random_tree_defaults();
  options.joints = 9;
  options.chain = 1.0;
  options.coupled = 0.0;
  random_tree_make(&tree, 900 + (uint64_t)figure, &options);
  assert_ok(sinew_model_create(&tree.def, &model, NULL));
  for (int l = 0; l <= options.joints; ++l) {
    *tip = tree.depth[l] == options.joints ? l : *tip;
  }
  return model;
}

// The error before an update, in sizes of the model and radians.
static double error_before(const sinew_model *model, const sinew_report *report) {
  return fmax(report->position_error / sinew_model_size(model), report->orientation_error);
}

// A target that jumps once and then rests, or moves on along an arc: how far the error rises above
// the smallest so far, as a share of the jump. Returns whether the figure arrived.
static bool follow_jump(sinew_solver *solver, const sinew_model *model, const sinew_task *task,
                        double speed, const double *from, const double *to, double *rise) {
  double q[2 * MOST], goal[2 * MOST], v[MOST], least = INFINITY, first = 0.0, last = 0.0;
  sinew_report report;
  memcpy(q, from, (size_t)sinew_model_nq(model) * sizeof *q);
  *rise = 0.0;
  for (int update = 0; update < BEFORE_JUMP + AFTER_JUMP; ++update) {
    const int after = update - BEFORE_JUMP;
    for (int i = 0; i < sinew_model_nv(model); ++i) {
      v[i] = speed * sin(0.05 * update + i);
    }
    sinew_configuration_integrate(model, after < 0 ? from : to, v, goal);
    const sinew_target target = target_at(model, task, goal);
    assert_ok(sinew_solver_update(solver, &target, 1, q, &report));
    if (after >= 0) {
      last = error_before(model, &report);
      first = after == 0 ? last : first;
      least = fmin(least, last);
      *rise = fmax(*rise, (last - least) / first);
    }
  }
  return last < 0.02;
}

// A jump that is not declared is spread over several updates without overshoot, for targets that
// rest after it and for targets that move on. req: C8 E12
static void jumps_are_spread_without_overshoot(void **state) {
  (void)state;
  int arrived = 0;
  double sum = 0.0, worst = 0.0;
  for (int figure = 0; figure < 10; ++figure) {
    int tip = 0;
    sinew_model *model = jumping_chain(figure, &tip);
    for (int i = 0; i < JUMPS; ++i) {
      const sinew_task task = task_of(i % 2 ? SINEW_TASK_POSE : SINEW_TASK_POSITION, tip);
      sinew_solver *solver = solver_with(NULL, model, &task, 1);
      double from[2 * MOST], to[2 * MOST], rise;
      sinew_configuration_random(model, 40, (uint64_t)(2 * i), from);
      sinew_configuration_random(model, 40, (uint64_t)(2 * i + 1), to);
      if (follow_jump(solver, model, &task, i % 4 < 2 ? 0.0 : 0.1, from, to, &rise)) {
        ++arrived;
        sum += rise;
        worst = fmax(worst, rise);
      }
      sinew_solver_destroy(solver);
    }
    sinew_model_destroy(model);
  }
  print_message("%d of %d arrive; the error rises by %.3f of the jump, at most %.2f\n", arrived,
                10 * JUMPS, sum / arrived, worst);
  assert_true(arrived > 5 * JUMPS);
  assert_at_most(sum / arrived, 0.02);
  assert_at_most(worst, 0.3);
}

// Targets of a new solver that are away from q are followed at once, as after a reset: the same
// bits. New tasks of a figure in motion are no cut: it goes to their targets by motions that differ
// by at most max_change, and does not overshoot. req: F3 C8
static void new_solvers_are_as_after_a_reset(void **state) {
  (void)state;
  int tip;
  sinew_model *model = robot("models/arm7.urdf", &tip);
  const sinew_task pose = task_of(SINEW_TASK_POSE, tip);
  const sinew_task position = task_of(SINEW_TASK_POSITION, tip);
  for (int i = 0; i < 20; ++i) {
    double from[MOST], to[MOST], q[2][MOST], before[MOST], distance, angle, rise = 0.0;
    sinew_configuration_random(model, 41, (uint64_t)i, from);
    sinew_configuration_random(model, 42, (uint64_t)i, to);
    sinew_target target = target_at(model, &position, to);
    for (int reset = 0; reset < 2; ++reset) {
      sinew_solver *solver = solver_with(NULL, model, &position, 1);
      if (reset) {
        sinew_solver_reset(solver);
      }
      memcpy(q[reset], from, sizeof from);
      assert_ok(sinew_solver_update(solver, &target, 1, q[reset], NULL));
      sinew_solver_destroy(solver);
    }
    assert_memory_equal(q[0], q[1], sizeof(double[7]));
    measure(model, &position, &target, q[0], &distance, &angle);
    sinew_solver *solver = solver_with(NULL, model, &position, 1);
    changes c = {.model = model};
    memcpy(q[0], from, sizeof from);
    double first = -1.0, least = INFINITY;
    for (int update = 0; update < 90; ++update) {
      sinew_report report;
      target = target_at(model, &pose, update < 10 ? from : to);
      if (update == 10) {
        assert_ok(sinew_solver_set_tasks(solver, &pose, 1, NULL));
      }
      memcpy(before, q[0], sizeof before);
      assert_ok(sinew_solver_update(solver, &target, 1, q[0], &report));
      changes_add(&c, before, q[0]);
      const double error = error_before(model, &report);
      first = update == 10 ? error : first;
      least = update >= 10 ? fmin(least, error) : least;
      rise = update >= 10 ? fmax(rise, (error - least) / first) : rise;
    }
    assert_at_most(c.most, 0.095 * (1.0 + 1e-9));
    assert_at_most(rise, 0.15);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// ------------------------------------------------------------------ bad input

// A target that is not a number is refused, the figure stays, and the next good target is followed
// as if the bad one had not been there. So is a target that is missing for some frames. req: F3 C5
static void bad_targets_are_refused_and_tracking_goes_on(void **state) {
  (void)state;
  int tip;
  sinew_model *model = robot("models/arm7.urdf", &tip);
  const sinew_task task = task_of(SINEW_TASK_POSE, tip);
  sinew_solver *solvers[2];
  double q[2][MOST], home[MOST], goal[MOST];
  sinew_configuration_middle(model, home);
  for (int i = 0; i < 2; ++i) {
    solvers[i] = solver_with(NULL, model, &task, 1);
    memcpy(q[i], home, sizeof home);
  }
  for (int update = 0; update < 120; ++update) {
    swing(model, home, 0.02 * update, goal);
    const sinew_target target = target_at(model, &task, goal);
    if (update % 10 == 5) {
      sinew_target bad = target;
      sinew_report report;
      double before[MOST];
      memcpy(before, q[0], sizeof before);
      bad.position[1] = NAN;
      assert_int_equal(sinew_solver_update(solvers[0], &bad, 1, q[0], &report),
                       SINEW_ERROR_NOT_FINITE);
      assert_int_equal(report.outcome, SINEW_OUTCOME_BAD_INPUT);
      assert_memory_equal(before, q[0], sizeof before);
      assert_non_null(strstr(sinew_solver_last_error(solvers[0])->message, "position"));
    }
    for (int i = 0; i < 2 && update % 17 != 3; ++i) { // a frame without a target: no update
      assert_ok(sinew_solver_update(solvers[i], &target, 1, q[i], NULL));
    }
    assert_memory_equal(q[0], q[1], sizeof q[0]);
  }
  double distance, angle;
  const sinew_target last = target_at(model, &task, goal);
  measure(model, &task, &last, q[0], &distance, &angle);
  assert_at_most(distance, 1e-4);
  for (int i = 0; i < 2; ++i) {
    sinew_solver_destroy(solvers[i]);
  }
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fast_targets_in_reach_are_met),
      cmocka_unit_test(steps_change_within_the_bound_at_limits),
      cmocka_unit_test(arms_come_back_or_say_why_not),
      cmocka_unit_test(ways_in_reach_are_followed_closely),
      cmocka_unit_test(escapes_keep_what_updates_keep),
      cmocka_unit_test(escapes_keep_hard_tasks),
      cmocka_unit_test(directions_may_turn_around),
      cmocka_unit_test(only_relative_weights_count_as_motion),
      cmocka_unit_test(stationary_points_are_reported),
      cmocka_unit_test(task_errors_are_those_before_the_update),
      cmocka_unit_test(the_rate_does_not_change_the_figure),
      cmocka_unit_test(jumps_are_spread_without_overshoot),
      cmocka_unit_test(new_solvers_are_as_after_a_reset),
      cmocka_unit_test(bad_targets_are_refused_and_tracking_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
