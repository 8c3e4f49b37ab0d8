// Crowds whose figures are updated one after another: what kernels cannot run gives the results of
// single solvers.
#include "barriers.h"
#include "fixtures.h"
#include "inspect.h"
#include "sample.h"

#include <string.h>

#define FIGURES 5 // not a multiple of most lane counts
#define MOST 128
#define MOST_TASKS 3
#define MOST_TARGET 11
#define UPDATES 60
#define RESET 30 // before this update the figures from SECOND on are reset
#define SECOND 3
#define MOVING 45      // updates in which targets move
#define SAME 1e-11     // quaternions are normalised when they are read [m, rad]
#define TIME_STEP 0.02 // [s]

typedef enum subject {
  BARRIERS,       // hard tasks, and goals beyond them
  POSED_BARRIERS, // with a posture below
  OTHER_TASKS,    // directions, gazes and free axes
  TIMED_POSTURE,  // with limits of speed
  UNEVEN_POSTURE, // weights that differ among the axes of spherical joints
  CONES_IN_PART,  // spherical joints with limits and gains that differ, and a posture
  SUBJECTS
} subject;

typedef struct scene {
  sinew_model *model;
  sinew_task tasks[MOST_TASKS];
  int count;
  bool posed;
  double weights[MOST], gains[MOST], time_step;
  sinew_objective posture;
  double home[FIGURES][MOST], size[FIGURES][MOST];
  barrier barrier; // of all figures, which begin alike
} scene;

static void pose_at(const scene *s, int figure, int update, double *q) {
  double v[MOST];
  for (int i = 0; i < sinew_model_nv(s->model); ++i) {
    v[i] = s->size[figure][i] * sin(0.05 * update + i);
  }
  sinew_configuration_integrate(s->model, s->home[figure], v, q);
}

static void scene_make(random_stream *r, subject of, uint64_t seed, scene *s) {
  static random_tree tree;
  random_tree_options options = random_tree_defaults();
  const bool cones = of == CONES_IN_PART, hard = of <= POSED_BARRIERS;
  options.kinds = 1u << SINEW_JOINT_REVOLUTE | 1u << SINEW_JOINT_SPHERICAL;
  options.chain = 0.8;
  options.coupled = 0.0;
  options.limited = hard ? 0.0 : 0.3;
  options.cones = cones ? 1.0 : 0.0;
  options.velocity = of == TIMED_POSTURE ? 2.0 : 0.0;
  random_tree_make(&tree, 300 + seed, &options);
  memset(s, 0, sizeof *s);
  assert_ok(sinew_model_create(&tree.def, &s->model, NULL));
  const int last = sinew_model_link_count(s->model) - 1;
  for (int f = 0; f < FIGURES; ++f) {
    sinew_configuration_random(s->model, 6, hard ? seed : FIGURES * seed + (uint64_t)f, s->home[f]);
    for (int v = 0; v < sinew_model_nv(s->model); ++v) {
      s->size[f][v] = random_between(r, -0.2, 0.2);
    }
  }
  for (int v = 0; v < MOST; ++v) {
    s->gains[v] = cones && v % 3 == 0 ? 0.5 : 1.0;
    s->weights[v] = random_between(r, 0.2, 1.0);
  }
  s->count = 2;
  if (hard) {
    barrier_make(r, s->model, s->home[0], (int)(seed % BARRIER_KINDS), &s->barrier);
    memcpy(s->tasks, s->barrier.tasks, sizeof s->barrier.tasks);
  } else {
    const bool other = of == OTHER_TASKS;
    s->tasks[0] = task_of(other ? SINEW_TASK_DIRECTION : SINEW_TASK_POSITION, last);
    s->tasks[1] = task_of(other ? SINEW_TASK_LOOK_AT : SINEW_TASK_POSITION, last / 2);
    s->tasks[2] = task_of(SINEW_TASK_POSE, last);
    s->tasks[2].free_axes = 5;
    s->count = other ? 3 : 2;
  }
  s->time_step = of == TIMED_POSTURE ? TIME_STEP : 0.0;
  s->posed = of != BARRIERS && of != OTHER_TASKS;
  s->posture = sinew_default_objective();
  s->posture.weights = of == UNEVEN_POSTURE ? s->weights : NULL;
  s->posture.weight = 0.3;
}

// A goal presses a figure against its barrier while it moves to and fro, and then rests.
static void targets_at(const scene *s, int figure, int update, sinew_target *targets) {
  double q[MOST];
  update = update < MOVING ? update : MOVING;
  pose_at(s, figure, update, q);
  for (int t = 0; t < s->count; ++t) {
    targets[t] = target_at(s->model, &s->tasks[t], q);
    if (s->tasks[0].hard) {
      targets[t] = s->barrier.targets[t];
    }
  }
  for (int i = 0; s->tasks[0].hard && i < 3; ++i) {
    targets[1].position[i] += 0.1 * sin(0.1 * update + i + figure);
    targets[0].distance = s->barrier.targets[0].distance - 0.01 * (1.0 - cos(0.2 * update));
  }
}

static sinew_solver *single(const scene *s) {
  sinew_solver_def def = sinew_default_solver_def();
  def.hard_rows = sinew_task_hard_rows(s->tasks, s->count);
  def.lower.levels = def.lower.objectives = s->posed;
  def.tracking.time_step = s->time_step;
  sinew_solver *solver = solver_with(&def, s->model, s->tasks, s->count);
  assert_ok(sinew_solver_set_gains(solver, s->gains));
  assert_ok(sinew_solver_set_objectives(solver, &s->posture, s->posed, NULL));
  return solver;
}

typedef struct group {
  sinew_crowd *crowd;
  sinew_crowd_worker *worker;
  double q[FIGURES][MOST], targets[FIGURES][MOST_TASKS * MOST_TARGET];
  sinew_batch_row rows[FIGURES];
} group;

static void begin_group(group *g, const scene *s, int lanes) {
  sinew_crowd_def def = sinew_default_crowd_def();
  sinew_error error = {0};
  def.figures = FIGURES;
  def.lanes = lanes;
  def.gains = s->gains;
  def.solver.tracking.time_step = s->time_step;
  def.posture = s->posed ? &s->posture : NULL;
  sinew_result result = sinew_crowd_create(&def, s->model, s->tasks, s->count, &g->crowd, &error);
  if (result != SINEW_OK && strcmp(error.name, "lanes") == 0) { // not on this processor
    def.lanes = 0;
    result = sinew_crowd_create(&def, s->model, s->tasks, s->count, &g->crowd, &error);
  }
  if (result != SINEW_OK) {
    fail_msg("%s %s", error.name, error.message);
  }
  assert_ok(sinew_crowd_worker_create(g->crowd, &g->worker, NULL));
}

static void end_group(group *g) {
  sinew_crowd_worker_destroy(g->worker);
  sinew_crowd_destroy(g->crowd);
}

static void put_targets(const scene *s, int figure, int update, double *row) {
  sinew_target targets[MOST_TASKS];
  targets_at(s, figure, update, targets);
  for (int t = 0; t < s->count; ++t) {
    sinew_target_pack(&s->tasks[t], &targets[t], row);
    row += sinew_task_target_size(&s->tasks[t]);
  }
}

// All figures at once, or in two calls, the second first.
static void update_group(group *g, const scene *s, int update) {
  for (int f = 0; f < FIGURES; ++f) {
    put_targets(s, f, update, g->targets[f]);
  }
  const sinew_crowd_arrays arrays = {.targets = g->targets[0],
                                     .target_stride = MOST_TASKS * MOST_TARGET,
                                     .q = g->q[0],
                                     .q_stride = MOST,
                                     .rows = g->rows};
  const size_t first = update % 2 == 0 ? 0 : 2;
  assert_ok(sinew_crowd_update(g->crowd, g->worker, &arrays, first, FIGURES - first));
  assert_ok(sinew_crowd_update(g->crowd, g->worker, &arrays, 0, first));
}

// Each figure of a crowd has what its own solver gives, with its errors and outcome, and after a
// reset. req: F1 F4 E8 E10
static void figures_are_as_single_ones(void **state) {
  (void)state;
  static const int widths[] = {1, 2, 4, 8};
  random_stream r = random_stream_of(41);
  int plain = 0;
  for (int round = 0; round < SAMPLE_OF(SUBJECTS * 12); ++round) {
    static scene s;
    static group g;
    sinew_solver *solvers[FIGURES];
    double q[FIGURES][MOST];
    scene_make(&r, (subject)(round % SUBJECTS), (uint64_t)round / SUBJECTS, &s);
    begin_group(&g, &s, widths[round / SUBJECTS % 4]);
    if (sinew_crowd_in_lanes(g.crowd)) { // no joint is moved that makes it one of them
      end_group(&g);
      sinew_model_destroy(s.model);
      continue;
    }
    ++plain;
    for (int f = 0; f < FIGURES; ++f) {
      solvers[f] = single(&s);
      memcpy(g.q[f], s.home[f], sizeof g.q[f]);
      memcpy(q[f], s.home[f], sizeof q[f]);
    }
    for (int update = 0; update < UPDATES; ++update) {
      if (update == RESET) {
        sinew_crowd_reset(g.crowd, SECOND, FIGURES);
      }
      update_group(&g, &s, update);
      for (int f = 0; f < FIGURES; ++f) {
        sinew_target targets[MOST_TASKS];
        sinew_report report;
        if (update == RESET && f >= SECOND) {
          sinew_solver_reset(solvers[f]);
        }
        targets_at(&s, f, update, targets);
        assert_ok(sinew_solver_update(solvers[f], targets, s.count, q[f], &report));
        double v[MOST];
        sinew_configuration_difference(s.model, q[f], g.q[f], v);
        const double far = farthest(sinew_model_nv(s.model), v, (double[MOST]){0});
        assert_at_most(far, SAME);
        assert_near(g.rows[f].position_error, fmax(report.position_error, 0.0), SAME);
        assert_int_equal(g.rows[f].outcome == SINEW_OUTCOME_CONVERGED,
                         report.outcome == SINEW_OUTCOME_CONVERGED);
      }
    }
    for (int f = 0; f < FIGURES; ++f) {
      sinew_solver_destroy(solvers[f]);
    }
    end_group(&g);
    sinew_model_destroy(s.model);
  }
  assert_true(plain >= 9 * SAMPLE_OF(SUBJECTS * 12) / 10);
}

// Tracks are followed as a solver follows them after a reset, more of them than there are lanes.
static void tracks_are_as_single_ones(void **state) {
  (void)state;
  random_stream r = random_stream_of(42);
  for (int round = 0; round < SAMPLE_OF(SUBJECTS * 2); ++round) {
    static scene s;
    static group g;
    static double rows[FIGURES][UPDATES][MOST_TASKS * MOST_TARGET], out[FIGURES][UPDATES][MOST];
    sinew_track tracks[FIGURES];
    scene_make(&r, (subject)(round % SUBJECTS), (uint64_t)(20 + round / SUBJECTS), &s);
    begin_group(&g, &s, 2);
    for (int f = 0; f < FIGURES; ++f) {
      for (int update = 0; update < UPDATES; ++update) {
        put_targets(&s, f, update, rows[f][update]);
      }
      tracks[f] = (sinew_track){.frames = (size_t)(UPDATES - 7 * f),
                                .targets = rows[f][0],
                                .target_stride = MOST_TASKS * MOST_TARGET,
                                .seed = s.home[f],
                                .q = out[f][0],
                                .q_stride = MOST};
    }
    assert_ok(sinew_crowd_follow(g.crowd, g.worker, tracks, FIGURES));
    for (int f = 0; f < FIGURES; ++f) {
      sinew_solver *solver = single(&s);
      double q[MOST], v[MOST];
      memcpy(q, s.home[f], sizeof q);
      for (int update = 0; update < (int)tracks[f].frames; ++update) {
        sinew_target targets[MOST_TASKS];
        targets_at(&s, f, update, targets);
        assert_ok(sinew_solver_update(solver, targets, s.count, q, NULL));
        sinew_configuration_difference(s.model, q, out[f][update], v);
        assert_at_most(farthest(sinew_model_nv(s.model), v, (double[MOST]){0}),
                       sinew_crowd_in_lanes(g.crowd) ? 1e-6 : SAME);
      }
      sinew_solver_destroy(solver);
    }
    end_group(&g);
    sinew_model_destroy(s.model);
  }
}

// A direction of length 0 is refused for its figure alone, which stays as it is, and so does what
// the crowd knows of it.
static void bad_directions_are_of_one_figure(void **state) {
  (void)state;
  random_stream r = random_stream_of(43);
  static scene s;
  static group g, other;
  scene_make(&r, OTHER_TASKS, 3, &s);
  begin_group(&g, &s, 2);
  begin_group(&other, &s, 2);
  memcpy(g.q, s.home, sizeof g.q);
  memcpy(other.q, s.home, sizeof other.q);
  for (int update = 0; update < 20; ++update) {
    update_group(&g, &s, update);
    update_group(&other, &s, update);
    const sinew_crowd_arrays arrays = {.targets = g.targets[0],
                                       .target_stride = MOST_TASKS * MOST_TARGET,
                                       .q = g.q[0],
                                       .q_stride = MOST,
                                       .rows = g.rows};
    memset(g.targets[2], 0, 3 * sizeof(double)); // the first task's
    assert_ok(sinew_crowd_update(g.crowd, g.worker, &arrays, 2, 1));
    assert_int_equal(g.rows[2].outcome, SINEW_OUTCOME_BAD_INPUT);
    assert_memory_equal(g.q, other.q, sizeof g.q);
  }
  end_group(&g);
  end_group(&other);
  sinew_model_destroy(s.model);
}

// Hard tasks need the default method, and updates keep them.
static void hard_tasks_are_kept(void **state) {
  (void)state;
  random_stream r = random_stream_of(44);
  for (uint64_t seed = 0; seed < 8; ++seed) {
    static scene s;
    static group g;
    sinew_crowd_def def = sinew_default_crowd_def();
    sinew_crowd *crowd = NULL;
    sinew_error error = {0};
    double beyond = 0.0;
    scene_make(&r, seed < 4 ? BARRIERS : POSED_BARRIERS, seed, &s);
    def.solver.step.method = SINEW_METHOD_DLS;
    assert_int_equal(sinew_crowd_create(&def, s.model, s.tasks, s.count, &crowd, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "task 0: hard"));
    begin_group(&g, &s, 2);
    for (int f = 0; f < FIGURES; ++f) {
      memcpy(g.q[f], s.home[0], sizeof g.q[f]);
    }
    for (int update = 0; update < UPDATES; ++update) {
      update_group(&g, &s, update);
      for (int f = 0; f < FIGURES; ++f) {
        const barrier *b = &s.barrier;
        const double y = barrier_quantity(s.model, &b->tasks[0], &b->targets[0], g.q[f]);
        beyond = fmax(beyond, barrier_outside(&b->tasks[0], y));
      }
    }
    assert_at_most(beyond, 1e-9);
    end_group(&g);
    sinew_model_destroy(s.model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figures_are_as_single_ones),
      cmocka_unit_test(tracks_are_as_single_ones),
      cmocka_unit_test(bad_directions_are_of_one_figure),
      cmocka_unit_test(hard_tasks_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
