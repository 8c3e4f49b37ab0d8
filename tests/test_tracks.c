// Recorded tracks that are followed together give what one solver gives for each of them.
#include "counted_memory.h"
#include "fixtures.h"
#include "scenes/scenes.h"

#include <pthread.h>

#define TRACKS 23 // not a multiple of any lane count
#define LONGEST 41
#define MOST_NQ 96
#define MOST_SIZE 48 // values of a frame's targets
#define MOST_TASKS 8

// The targets of a figure's random postures, one after another, in tracks of different lengths.
typedef struct library {
  sinew_scene *scene; // NULL: a tree
  sinew_model *model;
  sinew_task tasks[MOST_TASKS];
  int count, nq, size;
  uint64_t seed;
  double pace;  // [rad] of the sweep between two postures in a frame
  size_t order; // track i is number (i order) % TRACKS of the library
  double targets[TRACKS][LONGEST * MOST_SIZE];
  double seeds[TRACKS][MOST_NQ];
  size_t frames[TRACKS];
} library;

typedef struct results {
  double q[TRACKS][LONGEST * MOST_NQ];
  sinew_batch_row rows[TRACKS][LONGEST];
} results;

static void posture(const library *l, int track, int frame, double *q) {
  double from[MOST_NQ], to[MOST_NQ], way[MOST_NQ];
  const double share = 0.5 - 0.5 * cos(l->pace * (1.0 + 0.3 * (track % 4)) * frame);
  sinew_configuration_random(l->model, l->seed, (uint64_t)track, from);
  sinew_configuration_random(l->model, l->seed, (uint64_t)track + 1000, to);
  sinew_configuration_difference(l->model, from, to, way);
  for (int v = 0; v < sinew_model_nv(l->model); ++v) {
    way[v] *= 0.5 * share;
  }
  sinew_configuration_integrate(l->model, from, way, q);
}

// Some frames in the middle of every fourth track, the first three of one, all of another.
static bool is_missing(int track, size_t frame) {
  return (track % 4 == 1 && (frame % 9 == 3 || frame % 9 == 4)) || (track == 6 && frame < 3) ||
         track == 10;
}

static void fill_frame(library *l, int track, size_t frame) {
  double q[MOST_NQ], *values = &l->targets[track][frame * (size_t)l->size];
  posture(l, track, (int)frame, q);
  for (int t = 0; t < l->count; ++t) {
    const sinew_target target = target_at(l->model, &l->tasks[t], q);
    sinew_target_pack(&l->tasks[t], &target, values);
    if (is_missing(track, frame) && t == l->count - 1) {
      values[frame % 2] = frame % 3 == 0 ? INFINITY : NAN;
    }
    values += sinew_task_target_size(&l->tasks[t]);
  }
}

static void fill(library *l) {
  l->order = 1;
  l->nq = sinew_model_nq(l->model);
  l->size = 0;
  for (int t = 0; t < l->count; ++t) {
    l->size += sinew_task_target_size(&l->tasks[t]);
  }
  assert_true(l->nq <= MOST_NQ && l->size <= MOST_SIZE);
  for (int i = 0; i < TRACKS; ++i) {
    l->frames[i] = (size_t)(17 * i) % (LONGEST + 1); // none in the first
    sinew_configuration_start(l->model, l->seeds[i]);
    for (size_t f = 0; f < l->frames[i]; ++f) {
      fill_frame(l, i, f);
    }
  }
}

static library *library_of_scene(const char *name) {
  static library l;
  l = (library){.scene = sinew_scene_create(name), .seed = 11, .pace = 0.1};
  assert_non_null(l.scene);
  assert_ok(sinew_model_create(&l.scene->model, &l.model, NULL));
  l.count = l.scene->task_count;
  memcpy(l.tasks, l.scene->tasks, (size_t)l.count * sizeof l.tasks[0]);
  fill(&l);
  return &l;
}

// A pose, a position and an orientation of the deepest links of a random tree.
static library *library_of_tree(uint64_t seed) {
  static library l;
  static random_tree tree;
  static const sinew_task_kind kinds[] = {SINEW_TASK_POSE, SINEW_TASK_POSITION,
                                          SINEW_TASK_ORIENTATION};
  random_tree_options options = random_tree_defaults();
  options.joints = 4 + (int)(seed % 5);
  options.limited = seed % 2 == 0 ? 0.5 : 0.0;
  options.velocity = 3.0;
  random_tree_make(&tree, seed, &options);
  l = (library){.seed = seed, .pace = 0.05, .count = 3};
  assert_ok(sinew_model_create(&tree.def, &l.model, NULL));
  for (int t = 0; t < 3; ++t) {
    int deepest = 0;
    for (int link = 0; link <= options.joints; ++link) {
      const bool used = (t > 0 && link == l.tasks[0].link) || (t > 1 && link == l.tasks[1].link);
      deepest = !used && tree.depth[link] >= tree.depth[deepest] ? link : deepest;
    }
    l.tasks[t] = task_of(kinds[t], deepest);
  }
  fill(&l);
  return &l;
}

// Floating bases with four limbs, far from the first frame of each track, to which they are
// registered.
static library *library_of_stars(uint64_t seed, int stars) {
  static library l;
  random_stream random = random_stream_of(seed);
  l = (library){.seed = seed, .pace = 0.05, .count = stars * STAR_LIMBS};
  l.model = fixture_stars(&random, stars, 1.0, seed % 3 == 0 ? "xyzZXY" : NULL);
  for (int t = 0; t < l.count; ++t) {
    l.tasks[t] = task_of(t % 2 == 0 ? SINEW_TASK_POSE : SINEW_TASK_POSITION, fixture_star_tip(t));
  }
  fill(&l);
  return &l;
}

static void end(library *l) {
  sinew_model_destroy(l->model);
  sinew_scene_destroy(l->scene);
}

// The seed of every fifth track is the middle of the limits.
static sinew_track track_of(const library *l, results *out, int track) {
  return (sinew_track){.frames = l->frames[track],
                       .targets = l->targets[track],
                       .seed = track % 5 == 0 ? NULL : l->seeds[track],
                       .q = out->q[track],
                       .rows = out->rows[track]};
}

static void set_tracks(const library *l, results *out, sinew_track tracks[TRACKS]) {
  memset(out, 0, sizeof *out);
  for (int i = 0; i < TRACKS; ++i) {
    tracks[i] = track_of(l, out, (int)((size_t)i * l->order % TRACKS));
  }
}

// Returns NULL where this processor does not support the lane count.
static sinew_crowd *crowd_of(const library *l, const sinew_solver_def *def, int lanes) {
  sinew_crowd_def crowd_def = sinew_default_crowd_def();
  sinew_crowd *crowd;
  sinew_error error;
  crowd_def.solver = *def;
  crowd_def.lanes = lanes;
  const sinew_result result =
      sinew_crowd_create(&crowd_def, l->model, l->tasks, l->count, &crowd, &error);
  assert_true(result == SINEW_OK || strcmp(error.name, "lanes") == 0);
  return crowd;
}

// Follows all tracks in calls of at most piece of them.
static void follow(const library *l, const sinew_crowd *crowd, size_t piece, results *out) {
  static sinew_track tracks[TRACKS];
  sinew_crowd_worker *worker;
  assert_ok(sinew_crowd_worker_create(crowd, &worker, NULL));
  set_tracks(l, out, tracks);
  for (size_t first = 0; first < TRACKS; first += piece) {
    const size_t rest = TRACKS - first;
    assert_ok(sinew_crowd_follow(crowd, worker, tracks + first, rest < piece ? rest : piece));
  }
  sinew_crowd_worker_destroy(worker);
}

static bool same(const library *l, const results *a, const results *b) {
  bool equal = true;
  for (int i = 0; i < TRACKS; ++i) {
    equal &= memcmp(a->q[i], b->q[i], l->frames[i] * (size_t)l->nq * sizeof(double)) == 0;
    for (size_t f = 0; f < l->frames[i]; ++f) {
      const sinew_batch_row *x = &a->rows[i][f], *y = &b->rows[i][f];
      equal &= x->outcome == y->outcome && x->position_error == y->position_error &&
               x->orientation_error == y->orientation_error;
    }
  }
  return equal;
}

// -------------------------------------------------------------- one solver each

static sinew_outcome row_outcome(sinew_outcome outcome) {
  const bool stationary =
      outcome == SINEW_OUTCOME_OUT_OF_REACH || outcome == SINEW_OUTCOME_BLOCKED_BY_LIMITS;
  return stationary ? SINEW_OUTCOME_STALLED : outcome;
}

// One solver that is reset before each track, and keeps q where it refuses a frame.
static void follow_alone(const library *l, const sinew_solver_def *def, results *out) {
  sinew_solver *solver = solver_with(def, l->model, l->tasks, l->count);
  for (int i = 0; i < TRACKS; ++i) {
    double q[MOST_NQ];
    memcpy(q, l->seeds[i], sizeof q);
    if (i % 5 == 0) {
      sinew_configuration_middle(l->model, q);
    }
    sinew_solver_reset(solver);
    for (size_t f = 0; f < l->frames[i]; ++f) {
      sinew_target targets[MOST_TASKS];
      sinew_report report;
      const double *values = &l->targets[i][f * (size_t)l->size];
      for (int t = 0; t < l->count; ++t) {
        targets[t] = sinew_default_target();
        sinew_target_unpack(&l->tasks[t], values, &targets[t]);
        values += sinew_task_target_size(&l->tasks[t]);
      }
      assert_int_equal(sinew_solver_update(solver, targets, l->count, q, &report),
                       is_missing(i, f) ? SINEW_ERROR_NOT_FINITE : SINEW_OK);
      memcpy(&out->q[i][f * (size_t)l->nq], q, (size_t)l->nq * sizeof(double));
      out->rows[i][f] = (sinew_batch_row){.outcome = row_outcome(report.outcome),
                                          .position_error = report.position_error,
                                          .orientation_error = report.orientation_error};
    }
  }
  sinew_solver_destroy(solver);
}

static void compare_with_solvers(const library *l, const sinew_solver_def *def, double tolerance) {
  static results alone, together;
  follow_alone(l, def, &alone);
  for (int lanes = 1; lanes <= 8; lanes *= 2) {
    sinew_crowd *crowd = crowd_of(l, def, lanes);
    if (crowd == NULL) {
      continue;
    }
    follow(l, crowd, TRACKS, &together);
    for (int i = 0; i < TRACKS; ++i) {
      assert_at_most(farthest((int)l->frames[i] * l->nq, together.q[i], alone.q[i]), tolerance);
      for (size_t f = 0; f < l->frames[i]; ++f) {
        const sinew_batch_row *a = &alone.rows[i][f], *b = &together.rows[i][f];
        assert_int_equal(b->outcome, a->outcome);
        assert_near(b->position_error, a->position_error, 1e-6);
        assert_near(b->orientation_error, a->orientation_error, 1e-6);
      }
    }
    sinew_crowd_destroy(crowd);
  }
}

static sinew_solver_def def_of(sinew_method method) {
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = method;
  def.task_capacity = MOST_TASKS;
  return def;
}

// req: F1 F3 F4
static void tracks_match_single_solvers(void **unused) {
  (void)unused;
  static const char *const names[] = {"y", "double-y-25", "humanoid-poses"};
  const sinew_solver_def tracker = def_of(SINEW_METHOD_DEFAULT);
  sinew_solver_def dls = def_of(SINEW_METHOD_DLS);
  dls.step.damping = 0.2;
  dls.step.error_clamp = 0.4;
  for (size_t s = 0; s < sizeof names / sizeof names[0]; ++s) {
    library *l = library_of_scene(names[s]);
    compare_with_solvers(l, &tracker, 1e-7);
    compare_with_solvers(l, &dls, 1e-7);
    end(l);
  }
}

static void tracks_match_single_solvers_on_any_tree(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    library *l = library_of_tree(seed);
    sinew_solver_def def = def_of(SINEW_METHOD_DEFAULT);
    def.tracking.time_step = seed % 3 == 0 ? 0.02 : 0.0;
    compare_with_solvers(l, &def, 1e-6);
    end(l);
  }
}

static void tracks_of_floating_bases_match_single_solvers(void **unused) {
  (void)unused;
  const sinew_solver_def def = def_of(SINEW_METHOD_DEFAULT);
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    library *l = library_of_stars(seed, seed % 2 == 0 ? 2 : 1);
    compare_with_solvers(l, &def, 1e-7);
    end(l);
  }
}

// ---------------------------------------------------------------- any order

// The same bits together, one by one, in pieces and in another order. req: F3
static void results_do_not_depend_on_other_tracks(void **unused) {
  (void)unused;
  static results whole, parts;
  const sinew_solver_def def = def_of(SINEW_METHOD_DEFAULT);
  library *l = library_of_scene("double-y-25");
  for (int lanes = 1; lanes <= 8; lanes *= 2) {
    sinew_crowd *crowd = crowd_of(l, &def, lanes);
    if (crowd == NULL) {
      continue;
    }
    l->order = 1;
    follow(l, crowd, TRACKS, &whole);
    follow(l, crowd, 1, &parts);
    assert_true(same(l, &whole, &parts));
    follow(l, crowd, 5, &parts);
    assert_true(same(l, &whole, &parts));
    l->order = 9;
    follow(l, crowd, TRACKS, &parts);
    assert_true(same(l, &whole, &parts));
    sinew_crowd_destroy(crowd);
  }
  end(l);
}

typedef struct job {
  const sinew_crowd *crowd;
  const sinew_track *tracks;
  size_t count;
} job;

static void *run_job(void *context) {
  job *j = context;
  sinew_crowd_worker *worker;
  sinew_result result = sinew_crowd_worker_create(j->crowd, &worker, NULL);
  if (result == SINEW_OK) {
    result = sinew_crowd_follow(j->crowd, worker, j->tracks, j->count);
    sinew_crowd_worker_destroy(worker);
  }
  return result == SINEW_OK ? context : NULL;
}

// Two threads on one crowd, which is constant; under ThreadSanitizer too.
static void tracks_run_on_several_threads(void **unused) {
  (void)unused;
  static results one, two;
  static sinew_track tracks[TRACKS];
  const sinew_solver_def def = def_of(SINEW_METHOD_DEFAULT);
  library *l = library_of_scene("y");
  sinew_crowd *crowd = crowd_of(l, &def, 0);
  follow(l, crowd, TRACKS, &one);
  set_tracks(l, &two, tracks);
  job jobs[2] = {{crowd, tracks, 10}, {crowd, tracks + 10, TRACKS - 10}};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
  }
  for (int i = 0; i < 2; ++i) {
    void *done = NULL;
    assert_int_equal(pthread_join(threads[i], &done), 0);
    assert_non_null(done);
  }
  assert_true(same(l, &one, &two));
  sinew_crowd_destroy(crowd);
  end(l);
}

// ------------------------------------------------------------- what is invalid

// A figure stays where a frame is missing, before the first one at its seed; a track whose seed is
// invalid stays at the start; all others are as they are without them.
static void invalid_frames_and_seeds_stay(void **unused) {
  (void)unused;
  static results good, bad;
  static sinew_track tracks[TRACKS];
  sinew_crowd_worker *worker;
  const sinew_solver_def def = def_of(SINEW_METHOD_DEFAULT);
  library *l = library_of_scene("y");
  sinew_crowd *crowd = crowd_of(l, &def, 0);
  follow(l, crowd, TRACKS, &good);
  assert_ok(sinew_crowd_worker_create(crowd, &worker, NULL));
  l->seeds[2][4] = NAN;
  for (int i = 0; i < l->nq; ++i) {
    l->seeds[6][i] = 0.01 * i;
  }
  set_tracks(l, &bad, tracks);
  assert_ok(sinew_crowd_follow(crowd, worker, tracks, TRACKS));
  const size_t row = (size_t)l->nq;
  for (int i = 0; i < TRACKS; ++i) {
    for (size_t f = 0; f < l->frames[i]; ++f) {
      const bool refused = is_missing(i, f) || i == 2;
      const double *q = &bad.q[i][f * row];
      assert_int_equal(bad.rows[i][f].outcome == SINEW_OUTCOME_BAD_INPUT, refused);
      if (refused && f > 0) {
        assert_memory_equal(q, q - row, row * sizeof *q);
      } else if (i == 6 && f == 0) {
        assert_memory_equal(q, l->seeds[6], row * sizeof *q);
      } else if (i == 2) {
        assert_memory_equal(q, l->seeds[1], row * sizeof *q);
        assert_true(bad.rows[i][f].position_error == -1.0);
      } else if (i != 6) {
        assert_memory_equal(q, &good.q[i][f * row], row * sizeof *q);
      }
    }
  }
  sinew_crowd_worker_destroy(worker);
  sinew_crowd_destroy(crowd);
  end(l);
}

static void expect_named(const sinew_crowd *crowd, const sinew_track *tracks, sinew_result result,
                         const char *message) {
  sinew_error error;
  assert_int_equal(sinew_crowd_check(crowd, tracks, TRACKS, &error), result);
  if (strcmp(error.message, message) != 0) {
    fail_msg("%s", error.message);
  }
}

static void what_is_invalid_is_named(void **unused) {
  (void)unused;
  static results out;
  static sinew_track tracks[TRACKS];
  sinew_crowd_worker *worker, *other;
  const sinew_solver_def def = def_of(SINEW_METHOD_DEFAULT);
  library *l = library_of_scene("humanoid-poses");
  sinew_crowd *crowd = crowd_of(l, &def, 0), *second = crowd_of(l, &def, 0);
  assert_ok(sinew_crowd_worker_create(crowd, &worker, NULL));
  assert_ok(sinew_crowd_worker_create(second, &other, NULL));
  set_tracks(l, &out, tracks);
  expect_named(crowd, tracks, SINEW_ERROR_NOT_FINITE, "track 1, frame 3: target 4: y is inf");
  tracks[1].frames = 3;
  memset(&l->targets[3][2 * (size_t)l->size + 3], 0, 4 * sizeof(double));
  expect_named(crowd, tracks, SINEW_ERROR_NOT_FINITE,
               "track 3, frame 2: target 0: rotation is zero");
  l->seeds[2][1] = -INFINITY;
  expect_named(crowd, tracks, SINEW_ERROR_NOT_FINITE,
               "track 2: value 1 of the joint in the seed is -inf");

  // Arrays come first, and are refused before anything is written.
  tracks[TRACKS - 1].q_stride = 2;
  expect_named(crowd, tracks, SINEW_ERROR_ARGUMENT, "track 22: 2 is less than 75 values");
  assert_int_equal(sinew_crowd_follow(crowd, worker, tracks, TRACKS), SINEW_ERROR_ARGUMENT);
  assert_string_equal(sinew_crowd_worker_last_error(worker)->name, "q_stride");
  assert_true(out.rows[1][0].position_error == 0.0);
  tracks[TRACKS - 1].q_stride = 0;
  tracks[4].targets = NULL;
  expect_named(crowd, tracks, SINEW_ERROR_ARGUMENT, "track 4: targets or q is NULL");
  tracks[4].frames = 0;
  assert_int_equal(sinew_crowd_follow(crowd, other, tracks, TRACKS), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(sinew_crowd_worker_last_error(other)->message, "another crowd"));
  assert_int_equal(sinew_crowd_follow(crowd, worker, NULL, 1), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_crowd_follow(crowd, NULL, tracks, 1), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_crowd_check(NULL, tracks, 1, NULL), SINEW_ERROR_ARGUMENT);
  assert_ok(sinew_crowd_follow(crowd, worker, NULL, 0));
  assert_ok(sinew_crowd_follow(crowd, worker, tracks, TRACKS));
  sinew_crowd_worker_destroy(worker);
  sinew_crowd_worker_destroy(other);
  sinew_crowd_destroy(crowd);
  sinew_crowd_destroy(second);
  end(l);
}

static void tracks_do_not_allocate(void **unused) {
  (void)unused;
  static results out;
  static sinew_track tracks[TRACKS];
  sinew_crowd_worker *worker;
  const sinew_solver_def def = def_of(SINEW_METHOD_DEFAULT);
  library *l = library_of_scene("y");
  sinew_crowd *crowd = crowd_of(l, &def, 0);
  assert_ok(sinew_crowd_worker_create(crowd, &worker, NULL));
  set_tracks(l, &out, tracks);
  const long before = wrapped;
  assert_true(before > 0);
  assert_ok(sinew_crowd_follow(crowd, worker, tracks, TRACKS));
  assert_int_equal(wrapped, before);
  sinew_crowd_worker_destroy(worker);
  sinew_crowd_destroy(crowd);
  end(l);
}

// ------------------------------------------------------------------- strides

// Frames with gaps between them, and results in the same array as the targets of others.
static void gaps_are_left_alone(void **unused) {
  (void)unused;
  enum { GAP = 3 };
  static results plain;
  static double targets[LONGEST * (MOST_SIZE + GAP)], q[LONGEST * (MOST_NQ + GAP)];
  sinew_crowd_worker *worker;
  const sinew_solver_def def = def_of(SINEW_METHOD_DEFAULT);
  library *l = library_of_scene("y");
  sinew_crowd *crowd = crowd_of(l, &def, 0);
  assert_ok(sinew_crowd_worker_create(crowd, &worker, NULL));
  follow(l, crowd, TRACKS, &plain);
  sinew_track track = track_of(l, &plain, 2);
  const size_t size = (size_t)l->size, nq = (size_t)l->nq;
  for (size_t f = 0; f < track.frames; ++f) {
    memcpy(targets + f * (size + GAP), l->targets[2] + f * size, size * sizeof(double));
    q[f * (nq + GAP) + nq] = 7.0;
  }
  track.targets = targets;
  track.target_stride = size + GAP;
  track.q = q;
  track.q_stride = nq + GAP;
  track.rows = NULL;
  assert_true(track.frames > 10);
  assert_ok(sinew_crowd_follow(crowd, worker, &track, 1));
  for (size_t f = 0; f < track.frames; ++f) {
    assert_memory_equal(q + f * (nq + GAP), plain.q[2] + f * nq, nq * sizeof(double));
    assert_true(q[f * (nq + GAP) + nq] == 7.0);
  }
  sinew_crowd_worker_destroy(worker);
  sinew_crowd_destroy(crowd);
  end(l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tracks_match_single_solvers),
      cmocka_unit_test(tracks_match_single_solvers_on_any_tree),
      cmocka_unit_test(tracks_of_floating_bases_match_single_solvers),
      cmocka_unit_test(results_do_not_depend_on_other_tracks),
      cmocka_unit_test(tracks_run_on_several_threads),
      cmocka_unit_test(invalid_frames_and_seeds_stay),
      cmocka_unit_test(what_is_invalid_is_named),
      cmocka_unit_test(tracks_do_not_allocate),
      cmocka_unit_test(gaps_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
