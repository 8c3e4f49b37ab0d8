// The library sinew-threads: the same bits for any number of threads. ThreadSanitizer does not
// support OpenMP; test_batch.c and test_tracks.c use it with threads of their own.
#include "fixtures.h"
#include "sinew/threads.h"

#define PROBLEMS 700
#define NQ 7

typedef struct answers {
  double q[PROBLEMS * NQ];
  sinew_batch_row rows[PROBLEMS];
} answers;

typedef struct work {
  sinew_model *model;
  sinew_batch *batch;
  double targets[PROBLEMS * 7];
} work;

static work *begin(const sinew_batch_def *def) {
  static work w;
  w.model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  assert_ok(sinew_batch_create(def, w.model, &task, 1, &w.batch, NULL));
  for (int i = 0; i < PROBLEMS; ++i) {
    double q[NQ];
    sinew_configuration_random(w.model, 91, (uint64_t)i, q);
    const sinew_target target = target_at(w.model, &task, q);
    memcpy(w.targets + 7 * i, target.position, sizeof target.position);
    memcpy(w.targets + 7 * i + 3, target.rotation, sizeof target.rotation);
  }
  w.targets[7 * 5] = NAN;
  w.targets[7 * 650] = 40.0;
  return &w;
}

static void end(work *w) {
  sinew_batch_destroy(w->batch);
  sinew_model_destroy(w->model);
}

static bool same(const answers *a, const answers *b) {
  bool equal = memcmp(a->q, b->q, sizeof a->q) == 0;
  for (int i = 0; i < PROBLEMS; ++i) {
    equal &= a->rows[i].outcome == b->rows[i].outcome && a->rows[i].steps == b->rows[i].steps &&
             a->rows[i].position_error == b->rows[i].position_error &&
             a->rows[i].orientation_error == b->rows[i].orientation_error;
  }
  return equal;
}

// req: F3
static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  static const int threads[] = {1, 2, 7, 0, 64};
  static answers alone, together;
  const sinew_batch_def def = sinew_default_batch_def();
  work *w = begin(&def);
  sinew_batch_worker *worker = NULL;
  assert_ok(sinew_batch_worker_create(w->batch, &worker, NULL));
  sinew_batch_arrays arrays = {.targets = w->targets, .q = alone.q, .rows = alone.rows};
  assert_ok(sinew_batch_solve(w->batch, worker, &arrays, 0, PROBLEMS));
  assert_int_equal(alone.rows[4].outcome, SINEW_OUTCOME_CONVERGED);
  assert_int_equal(alone.rows[5].outcome, SINEW_OUTCOME_BAD_INPUT);
  assert_int_equal(alone.rows[650].outcome, SINEW_OUTCOME_OUT_OF_REACH);
  arrays.q = together.q;
  arrays.rows = together.rows;
  for (size_t i = 0; i < sizeof threads / sizeof threads[0]; ++i) {
    memset(&together, 0xa5, sizeof together);
    assert_ok(sinew_batch_solve_threads(w->batch, &arrays, 0, PROBLEMS, threads[i], NULL));
    assert_true(same(&alone, &together));
  }
  sinew_batch_worker_destroy(worker);
  end(w);
}

// Rows outside the range are not changed.
static void ranges_change_their_rows_only(void **state) {
  (void)state;
  enum { FIRST = 101, COUNT = 333 };
  static answers a;
  const sinew_batch_def def = sinew_default_batch_def();
  work *w = begin(&def);
  for (int i = 0; i < PROBLEMS; ++i) {
    a.rows[i].steps = -7;
  }
  const sinew_batch_arrays arrays = {.targets = w->targets, .q = a.q, .rows = a.rows};
  assert_ok(sinew_batch_solve_threads(w->batch, &arrays, FIRST, COUNT, 2, NULL));
  for (int i = 0; i < PROBLEMS; ++i) {
    assert_true((a.rows[i].steps == -7) == (i < FIRST || i >= FIRST + COUNT));
  }
  assert_ok(sinew_batch_solve_threads(w->batch, &arrays, 0, 0, 2, NULL));
  assert_int_equal(a.rows[0].steps, -7);
  end(w);
}

// A slide that gives no number beyond 0.5.
static void fails_beyond(void *context, const double *values, sinew_pose *motion, double *twists) {
  (void)context;
  motion->position[0] = values[0] > 0.5 ? (double)NAN : values[0];
  twists[0] = 1.0;
}

// The error names the first of all problems in which a joint's function fails, with any number of
// threads; the call succeeds. req: A12
static void the_first_joint_that_fails_is_named(void **state) {
  (void)state;
  static const int threads[] = {1, 2, 5, 0};
  static double targets[3 * PROBLEMS], q[PROBLEMS];
  static sinew_batch_row rows[PROBLEMS];
  builder b;
  builder_start(&b);
  sinew_joint_def *joint = builder_add(&b, 0, SINEW_JOINT_FUNCTION, 0.0, 0.0, 0.0);
  memcpy(joint->channels, "m", 2);
  joint->function = fails_beyond;
  builder_limit(joint, -1.0, 1.0);
  sinew_model *model = builder_make(&b);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 1);
  const sinew_batch_def def = sinew_default_batch_def();
  sinew_batch *batch;
  assert_ok(sinew_batch_create(&def, model, &task, 1, &batch, NULL));
  for (int i = 0; i < PROBLEMS; ++i) {
    targets[3 * i] = i == 333 || i == 334 || i == 690 ? 0.9 : 0.4 * sin(i);
  }
  for (size_t k = 0; k < sizeof threads / sizeof *threads; ++k) {
    const sinew_batch_arrays arrays = {.targets = targets, .q = q, .rows = rows};
    sinew_error error = {.code = SINEW_ERROR_MEMORY};
    assert_ok(sinew_batch_solve_threads(batch, &arrays, 0, PROBLEMS, threads[k], &error));
    assert_int_equal(error.code, SINEW_ERROR_NOT_FINITE);
    assert_string_equal(error.name, "joint0");
    assert_non_null(strstr(error.message, "problem 333: "));
    assert_ok(sinew_batch_solve_threads(batch, &arrays, 0, 333, threads[k], &error));
    assert_int_equal(error.code, SINEW_OK);
    assert_int_equal(rows[332].outcome, SINEW_OUTCOME_CONVERGED);
  }
  sinew_batch_destroy(batch);
  sinew_model_destroy(model);
}

static void invalid_arguments_are_refused(void **state) {
  (void)state;
  static answers a;
  const sinew_batch_def def = sinew_default_batch_def();
  work *w = begin(&def);
  const sinew_batch_arrays arrays = {.targets = w->targets, .q = a.q}, none = {.q = a.q};
  assert_int_equal(sinew_batch_solve_threads(w->batch, &arrays, 0, 1, -1, NULL),
                   SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_batch_solve_threads(NULL, &arrays, 0, 1, 1, NULL), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_batch_solve_threads(w->batch, NULL, 0, 1, 1, NULL), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_batch_solve_threads(w->batch, &none, 0, PROBLEMS, 2, NULL),
                   SINEW_ERROR_ARGUMENT);
  assert_true(sinew_threads_default() >= 1);
  end(w);
}

// An allocator that fails from one call on.
typedef struct counter {
  int calls, live, last;
} counter;

static void *allocate(void *context, size_t size) {
  counter *c = context;
  void *memory = c->calls++ < c->last ? malloc(size) : NULL;
  c->live += memory != NULL;
  return memory;
}

static void release(void *context, void *memory) {
  counter *c = context;
  c->live -= memory != NULL;
  free(memory);
}

static void worker_allocation_failures_are_reported(void **state) {
  (void)state;
  static answers a;
  counter c = {0, 0, 1000};
  sinew_batch_def def = sinew_default_batch_def();
  def.allocator = (sinew_allocator){allocate, release, &c};
  work *w = begin(&def);
  const sinew_batch_arrays arrays = {.targets = w->targets, .q = a.q, .rows = a.rows};
  const int kept = c.live;
  a.rows[0].steps = -7;
  // The batch and the first worker are made, the second worker is not.
  c.last = c.calls + 3;
  assert_int_equal(sinew_batch_solve_threads(w->batch, &arrays, 0, PROBLEMS, 3, NULL),
                   SINEW_ERROR_MEMORY);
  assert_int_equal(a.rows[0].steps, -7);
  assert_int_equal(c.live, kept);
  end(w);
  assert_int_equal(c.live, 0);
}

// ----------------------------------------------------------------------- tracks

// The problems' targets as frames of tracks, the longest of 30, and the first of none.
#define TRACKS 47

static size_t set_tracks(const work *w, answers *out, sinew_track tracks[TRACKS]) {
  size_t used = 0;
  memset(out, 0, sizeof *out);
  for (size_t i = 0; i < TRACKS; ++i) {
    tracks[i] = (sinew_track){.frames = 11 * i % 31,
                              .targets = w->targets + 7 * used,
                              .q = out->q + NQ * used,
                              .rows = out->rows + used};
    used += tracks[i].frames;
  }
  assert_true(used <= PROBLEMS);
  return used;
}

// req: F3
static void tracks_have_the_same_bits_on_any_number_of_threads(void **state) {
  (void)state;
  static const int threads[] = {1, 2, 7, 0, 64};
  static answers alone, together;
  static sinew_track tracks[TRACKS];
  const sinew_batch_def batch_def = sinew_default_batch_def();
  work *w = begin(&batch_def);
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const sinew_crowd_def def = sinew_default_crowd_def();
  sinew_crowd *crowd = NULL;
  sinew_crowd_worker *worker = NULL;
  sinew_error error;
  assert_ok(sinew_crowd_create(&def, w->model, &task, 1, &crowd, NULL));
  assert_ok(sinew_crowd_worker_create(crowd, &worker, NULL));
  set_tracks(w, &alone, tracks);
  assert_ok(sinew_crowd_follow(crowd, worker, tracks, TRACKS));
  assert_int_equal(alone.rows[5].outcome, SINEW_OUTCOME_BAD_INPUT);
  for (size_t i = 0; i < sizeof threads / sizeof threads[0]; ++i) {
    set_tracks(w, &together, tracks);
    assert_ok(sinew_crowd_follow_threads(crowd, tracks, TRACKS, threads[i], NULL));
    assert_true(same(&alone, &together));
  }
  assert_ok(sinew_crowd_follow_threads(crowd, NULL, 0, 3, NULL));
  assert_int_equal(sinew_crowd_follow_threads(crowd, tracks, 1, -1, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_crowd_follow_threads(NULL, tracks, 1, 1, &error), SINEW_ERROR_ARGUMENT);
  set_tracks(w, &together, tracks);
  tracks[TRACKS - 1].q = NULL;
  assert_int_equal(sinew_crowd_follow_threads(crowd, tracks, TRACKS, 2, &error),
                   SINEW_ERROR_ARGUMENT);
  assert_string_equal(error.message, "track 46: targets or q is NULL");
  assert_true(together.q[0] == 0.0 && together.rows[0].steps == 0);
  sinew_crowd_worker_destroy(worker);
  sinew_crowd_destroy(crowd);
  end(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(ranges_change_their_rows_only),
      cmocka_unit_test(the_first_joint_that_fails_is_named),
      cmocka_unit_test(invalid_arguments_are_refused),
      cmocka_unit_test(tracks_have_the_same_bits_on_any_number_of_threads),
      cmocka_unit_test(worker_allocation_failures_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
