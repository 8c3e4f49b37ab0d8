// Limits of acceleration that are set while figures move, and joints that nothing moves any longer:
// motion goes on from what it was, whatever has moved the joint.
#include "fixtures.h"
#include "inspect.h"
#include "sample.h"

#include <string.h>

#define MOST 64

// A random tree that follows a hand and another point, on one level or two, with a posture below
// them or without.
typedef struct walker {
  sinew_model *model;
  sinew_solver *solver;
  double time_step;
  sinew_task tasks[2];
  sinew_target targets[2];
  double way[2][3]; // the targets' motion in an update [m]
  int count;        // of tasks
  bool levels;      // whether there are objectives
  int nv;
  int place[MOST]; // of each degree of freedom in q, or -1 for those of joints with a quaternion

  double q[2 * MOST], last[MOST],
      changed[MOST]; // of each: its motion, and by how much that changed
} walker;

static void find_places(walker *w) {
  for (int j = 0; j < sinew_model_joint_count(w->model); ++j) {
    sinew_joint joint;
    assert_ok(sinew_model_joint(w->model, j, &joint));
    for (int i = 0; i < joint.nv; ++i) {
      w->place[joint.v_index + i] = joint.nq == joint.nv ? joint.q_index + i : -1;
    }
  }
}

static const sinew_method methods[] = {SINEW_METHOD_DEFAULT, SINEW_METHOD_DLS, SINEW_METHOD_DEFAULT,
                                       SINEW_METHOD_NEWTON};

static walker walker_number(int seed, random_stream *r) {
  static random_tree tree;
  random_tree_options options = random_tree_defaults();
  walker w = {.count = 2, .time_step = pow(10.0, random_between(r, -2.5, -1.0))};
  options.joints = 9;
  options.limited = seed % 2 == 0 ? 0.4 : 0.0;
  options.coupled = 0.1;
  random_tree_make(&tree, 900 + (uint64_t)seed, &options);
  assert_ok(sinew_model_create(&tree.def, &w.model, NULL));
  w.nv = sinew_model_nv(w.model);
  find_places(&w);
  sinew_solver_def def = sinew_default_solver_def();
  const bool levels = w.levels = seed % 3 > 0;
  def.step.method = levels ? SINEW_METHOD_DEFAULT : methods[seed / 3 % 4];
  def.tracking.time_step = w.time_step;
  def.tracking.escape = def.step.method == SINEW_METHOD_DEFAULT && seed % 5 == 0;
  def.lower.levels = levels ? 2 : 0;
  def.lower.objectives = levels ? 1 : 0;
  def.influences = 2;
  sinew_configuration_random(w.model, 900, (uint64_t)seed, w.q);
  for (int t = 0; t < 2; ++t) {
    w.tasks[t] =
        task_of(SINEW_TASK_POSITION, 1 + random_below(r, sinew_model_link_count(w.model) - 1));
    w.tasks[t].level = levels && seed % 3 == 2 ? t : 0;
    w.targets[t] = target_at(w.model, &w.tasks[t], w.q);
    random_unit(r, 3, w.way[t]);
    for (int i = 0; i < 3; ++i) {
      w.way[t][i] *= random_between(r, 0.2, 1.0) * w.time_step;
    }
  }
  w.solver = solver_with(&def, w.model, w.tasks, 2);
  if (levels) {
    sinew_objective posture = sinew_default_objective();
    posture.level = 2;
    assert_ok(sinew_solver_set_objectives(w.solver, &posture, 1, NULL));
  }
  return w;
}

static void end_walker(const walker *w) {
  sinew_solver_destroy(w->solver);
  sinew_model_destroy(w->model);
}

static void update(walker *w, bool moving) {
  double before[2 * MOST];
  memcpy(before, w->q, sizeof before);
  for (int t = 0; moving && t < 2; ++t) {
    for (int i = 0; i < 3; ++i) {
      w->targets[t].position[i] += w->way[t][i];
    }
  }
  assert_ok(sinew_solver_update(w->solver, w->targets, w->count, w->q, NULL));
  for (int v = 0; v < w->nv; ++v) {
    const int at = w->place[v];
    const double moved = at >= 0 ? w->q[at] - before[at] : 0.0;
    w->changed[v] = moved - w->last[v];
    w->last[v] = moved;
  }
}

static double rounding_of(const walker *w, int v) {
  return 1e-13 * (1.0 + fabs(w->q[w->place[v]]));
}

// By how much an acceleration yields to limits, in an update of change 1.
static double yielded_of(const walker *w, int v) {
  sinew_bound_report report;
  assert_ok(sinew_solver_bound(w->solver, w->q, v, &report));
  return report.yielded * w->time_step * w->time_step;
}

// Each motion changes by no more than its acceleration allows, and what yields.
static void check_changes(const walker *w, const double *accelerations) {
  for (int v = 0; v < w->nv; ++v) {
    const double most = accelerations[v] * w->time_step * w->time_step + yielded_of(w, v);
    if (w->place[v] >= 0) {
      assert_at_most(fabs(w->changed[v]), most * (1.0 + 1e-9) + rounding_of(w, v));
    }
  }
}

// The bounds of the last step of a lower level, from what accelerations leave after the steps
// above, have 0 between them: the solution of a level begins there.
static void check_lower_bounds(const walker *w) {
  const sinew_levels *levels = w->solver->levels;
  for (int c = 0; levels->used && c < levels->n; ++c) {
    assert_true(levels->lower_x[c] <= 0.0 && levels->upper_x[c] >= 0.0);
  }
}

static void random_accelerations(const walker *w, random_stream *r, double *accelerations) {
  for (int v = 0; v < w->nv; ++v) {
    accelerations[v] = pow(10.0, random_between(r, -1.0, 1.0));
  }
}

// What has moved a joint does not matter: any method, the tasks of any level, a posture.
// req: E8
static void accelerations_count_from_the_last_motion(void **unused) {
  (void)unused;
  int bounded = 0, yields = 0;
  for (int seed = 0; seed < SAMPLE_OF(300); ++seed) {
    random_stream r = random_stream_of(900 + (uint64_t)seed);
    double accelerations[MOST];
    walker w = walker_number(seed, &r);
    random_accelerations(&w, &r, accelerations);
    const int updates = 3 + random_below(&r, 40);
    for (int i = 0; i < updates; ++i) {
      update(&w, true);
    }
    for (int times = 0; times < 2; ++times) { // with them, without and with them again
      assert_ok(sinew_solver_set_accelerations(w.solver, accelerations));
      for (int i = 0; i < 5; ++i) {
        update(&w, true);
        check_changes(&w, accelerations);
        check_lower_bounds(&w);
        for (int v = 0; v < w.nv; ++v) {
          const double change = accelerations[v] * w.time_step * w.time_step;
          bounded += w.place[v] >= 0 && fabs(w.changed[v]) > 0.99 * change;
          yields += w.place[v] >= 0 && yielded_of(&w, v) > 0.0;
        }
      }
      assert_ok(sinew_solver_set_accelerations(w.solver, NULL));
      update(&w, true);
      update(&w, true);
    }
    end_walker(&w);
  }
  print_message("%d motions at their bound, %d yield\n", bounded, yields);
  assert_true(bounded > SAMPLE_OF(2000));
  assert_true(10 * yields < bounded); // to limits
}

// The first update of a solver, or after a reset, places the figure at its targets, however far
// they are. That is no motion: where accelerations are set after it the figure is at rest. req: E8
static void a_figure_that_was_placed_is_at_rest(void **unused) {
  (void)unused;
  int far = 0;
  for (int seed = 0; seed < SAMPLE_OF(300); ++seed) {
    random_stream r = random_stream_of(2900 + (uint64_t)seed);
    double accelerations[MOST], q[2 * MOST];
    walker w = walker_number(seed, &r);
    random_accelerations(&w, &r, accelerations);
    for (int again = 0; again < 2; ++again) {
      sinew_configuration_random(w.model, 2901, (uint64_t)(2 * seed + again), q);
      for (int t = 0; t < 2; ++t) {
        w.targets[t] = target_at(w.model, &w.tasks[t], q);
      }
      update(&w, false);
      for (int v = 0; v < w.nv; ++v) {
        far += fabs(w.last[v]) > 0.1;
        w.last[v] = 0.0;
      }
      assert_ok(sinew_solver_set_accelerations(w.solver, accelerations));
      update(&w, false);
      check_changes(&w, accelerations);
      assert_ok(sinew_solver_set_accelerations(w.solver, NULL));
      sinew_solver_reset(w.solver);
    }
    end_walker(&w);
  }
  assert_true(far > SAMPLE_OF(300));
}

// Takes away what moves the figure, or some of it.
static void take_away(walker *w, int way) {
  static const double influences[2] = {1.0, 0.0};
  if (way == 0) {
    assert_ok(sinew_solver_set_tasks(w->solver, w->tasks, 1, NULL));
    w->count = 1;
  } else if (way == 1) {
    assert_ok(sinew_solver_set_influences(w->solver, influences, 2));
  } else {
    assert_ok(sinew_solver_set_tasks(w->solver, w->tasks, 0, NULL));
    w->count = 0;
  }
}

// Limits of which every second joint is outside.
static void set_limits_apart(const walker *w) {
  double lower[MOST], upper[MOST];
  for (int v = 0; v < w->nv; ++v) {
    const double at = w->place[v] >= 0 ? w->q[w->place[v]] : 0.0;
    lower[v] = v % 2 == 0 ? at + 0.1 : at - 10.0;
    upper[v] = at + 10.0;
  }
  assert_ok(sinew_solver_set_limits(w->solver, lower, upper));
}

// Joints that no task moves any longer brake at their limits, until they rest; frozen ones stop at
// once. They do not move into limits that they are outside of. req: E8
static void joints_that_nothing_moves_brake(void **unused) {
  (void)unused;
  int braking = 0;
  for (int seed = 0; seed < SAMPLE_OF(300); ++seed) {
    random_stream r = random_stream_of(1900 + (uint64_t)seed);
    double accelerations[MOST], least = INFINITY, fastest = 0.0;
    unsigned char frozen[MOST] = {0};
    walker w = walker_number(seed, &r);
    random_accelerations(&w, &r, accelerations);
    if (seed % 2 == 0) {
      assert_ok(sinew_solver_set_accelerations(w.solver, accelerations));
    }
    for (int i = 0; i < 30; ++i) {
      update(&w, true);
    }
    assert_ok(sinew_solver_set_accelerations(w.solver, accelerations));
    if (w.levels) {
      assert_ok(sinew_solver_set_objectives(w.solver, NULL, 0, NULL));
    }
    take_away(&w, seed / 2 % 3);
    if (seed / 6 % 2 == 0) {
      set_limits_apart(&w);
    }
    for (int v = 0; v < w.nv; ++v) {
      least = fmin(least, accelerations[v]);
      fastest = fmax(fastest, fabs(w.last[v]));
    }
    const bool empty = seed / 2 % 3 == 2;
    const int updates = 2 + (int)(fastest / (least * w.time_step * w.time_step));
    for (int i = 0; i < (updates < 3000 ? updates : 3000); ++i) {
      double last[MOST];
      memcpy(last, w.last, sizeof last);
      update(&w, false);
      check_changes(&w, accelerations);
      for (int v = 0; empty && v < w.nv; ++v) { // as fast as it may
        const double change = accelerations[v] * w.time_step * w.time_step;
        if (w.place[v] >= 0) {
          assert_at_most(fabs(w.last[v]), fmax(fabs(last[v]) - change, 0.0) + rounding_of(&w, v));
        }
        braking += w.last[v] != 0.0;
      }
    }
    for (int v = 0; v < w.nv && empty && updates < 3000; ++v) {
      assert_at_most(fabs(w.last[v]), 1e-15);
    }
    for (int v = 0; v < w.nv; ++v) {
      frozen[v] = 1;
    }
    assert_ok(sinew_solver_set_frozen(w.solver, frozen));
    update(&w, true);
    for (int v = 0; v < w.nv; ++v) {
      assert_true(w.last[v] == 0.0);
    }
    end_walker(&w);
  }
  print_message("%d motions of joints that nothing moves\n", braking);
  assert_true(braking > SAMPLE_OF(2000));
}

// What the accelerations of an earlier time have left has no effect: limits that were too wide to
// bound anything, and off again, are as if they had never been. req: E8
static void earlier_limits_have_no_effect(void **unused) {
  (void)unused;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  for (int seed = 0; seed < 20; ++seed) {
    random_stream r = random_stream_of(70 + (uint64_t)seed);
    double q[2][8], begin[8], way[3], wide[8], narrow[8], second[3];
    sinew_configuration_random(model, 70, (uint64_t)seed, begin);
    random_unit(&r, 3, way);
    random_unit(&r, 3, second);
    for (int v = 0; v < 8; ++v) {
      wide[v] = 1e9;
      narrow[v] = random_between(&r, 1.0, 20.0);
    }
    for (int k = 0; k < 2; ++k) {
      sinew_solver_def def = sinew_default_solver_def();
      def.tracking.time_step = 0.01;
      sinew_solver *solver = solver_with(&def, model, &task, 1);
      sinew_target target = target_at(model, &task, begin);
      memcpy(q[k], begin, sizeof begin);
      for (int i = 0; i < 60; ++i) {
        if (i == 0 || i == 10) {
          assert_ok(sinew_solver_set_accelerations(solver, i == 0 && k == 1 ? wide : NULL));
        }
        for (int j = 0; j < 3; ++j) {
          target.position[j] += i < 10 ? 0.01 * way[j] : i < 40 ? 0.002 * second[j] : 0.0;
        }
        if (i == 20) {
          assert_ok(sinew_solver_set_accelerations(solver, narrow));
        }
        assert_ok(sinew_solver_update(solver, &target, 1, q[k], NULL));
      }
      sinew_solver_destroy(solver);
    }
    assert_at_most(farthest(7, q[0], q[1]), 1e-12); // rounding errors of the first updates
  }
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accelerations_count_from_the_last_motion),
      cmocka_unit_test(a_figure_that_was_placed_is_at_rest),
      cmocka_unit_test(joints_that_nothing_moves_brake),
      cmocka_unit_test(earlier_limits_have_no_effect),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
