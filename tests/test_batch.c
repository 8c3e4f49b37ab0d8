// Batches: each problem's result is right and depends on that problem only. Also runs under
// ThreadSanitizer.
#include "counted_memory.h"
#include "counting_allocator.h"
#include "fixtures.h"

#include <pthread.h>

#define PROBLEMS 96
#define MOST_NQ 64
#define MOST_SIZE 32 // values in a row of targets

// ------------------------------------------------------------------ a set of problems

// Targets taken from random configurations, as rows of numbers.
typedef struct problems {
  sinew_model *model;
  sinew_task tasks[4];
  int count; // number of tasks
  sinew_batch *batch;
  int nq, size;
  double targets[PROBLEMS * MOST_SIZE];
  double seeds[PROBLEMS * MOST_NQ];
} problems;

typedef struct answers {
  double q[PROBLEMS * MOST_NQ];
  sinew_batch_row rows[PROBLEMS];
} answers;

static void write_row(const sinew_task *task, const sinew_target *target, double **row) {
  if (task->kind == SINEW_TASK_POSITION || task->kind == SINEW_TASK_POSE) {
    memcpy(*row, target->position, sizeof target->position);
    *row += 3;
  }
  if (task->kind == SINEW_TASK_ORIENTATION || task->kind == SINEW_TASK_POSE ||
      (task->kind == SINEW_TASK_POSITION && task->free_axes != 0)) {
    memcpy(*row, target->rotation, sizeof target->rotation);
    *row += 4;
  }
  if (task->kind == SINEW_TASK_DIRECTION) {
    memcpy(*row, target->direction, sizeof target->direction);
    *row += 3;
  }
}

// A problem's target: the effector's pose in a random configuration.
static sinew_target target_of(const problems *p, int problem, int task) {
  double q[MOST_NQ];
  sinew_configuration_random(p->model, 77, (uint64_t)problem, q);
  return target_at(p->model, &p->tasks[task], q);
}

static void fill(problems *p) {
  const sinew_batch_def def = sinew_default_batch_def();
  sinew_error error = {0};
  p->nq = sinew_model_nq(p->model);
  assert_true(p->nq <= MOST_NQ);
  if (sinew_batch_create(&def, p->model, p->tasks, p->count, &p->batch, &error) != SINEW_OK) {
    fail_msg("%s: %s", error.name, error.message);
  }
  p->size = sinew_batch_target_size(p->batch);
  assert_true(p->size <= MOST_SIZE);
  for (int i = 0; i < PROBLEMS; ++i) {
    double *row = p->targets + i * p->size;
    for (int t = 0; t < p->count; ++t) {
      const sinew_target target = target_of(p, i, t);
      write_row(&p->tasks[t], &target, &row);
    }
    assert_ptr_equal(row, p->targets + (i + 1) * p->size);
    sinew_configuration_random(p->model, 78, (uint64_t)i, p->seeds + i * p->nq);
  }
}

static problems *arm_problems(void) {
  static problems p;
  p = (problems){.model = fixture_arm(), .count = 1};
  p.tasks[0] = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  fill(&p);
  return &p;
}

// A row with every kind of target.
static problems *humanoid_problems(void) {
  static problems p;
  int links[HUMANOID_PLACES];
  p = (problems){.model = fixture_humanoid(true, links), .count = 4};
  p.tasks[0] = task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]);
  p.tasks[1] = task_of(SINEW_TASK_POSITION, links[HUMANOID_RIGHT_HAND]);
  p.tasks[2] = task_of(SINEW_TASK_DIRECTION, links[HUMANOID_HEAD]);
  p.tasks[3] = task_of(SINEW_TASK_ORIENTATION, links[HUMANOID_LEFT_FOOT]);
  fill(&p);
  return &p;
}

static void destroy(problems *p) {
  sinew_batch_destroy(p->batch);
  sinew_model_destroy(p->model);
}

static sinew_batch_arrays arrays_of(const problems *p, bool seeded, answers *a) {
  return (sinew_batch_arrays){
      .targets = p->targets, .seeds = seeded ? p->seeds : NULL, .q = a->q, .rows = a->rows};
}

static sinew_batch_worker *worker_of(const problems *p) {
  sinew_batch_worker *worker = NULL;
  assert_ok(sinew_batch_worker_create(p->batch, &worker, NULL));
  return worker;
}

static answers *solve_all(const problems *p, bool seeded) {
  static answers all;
  memset(&all, 0xa5, sizeof all);
  sinew_batch_worker *worker = worker_of(p);
  const sinew_batch_arrays arrays = arrays_of(p, seeded, &all);
  assert_ok(sinew_batch_solve(p->batch, worker, &arrays, 0, PROBLEMS));
  sinew_batch_worker_destroy(worker);
  return &all;
}

static bool same_row(const sinew_batch_row *a, const sinew_batch_row *b) {
  return a->outcome == b->outcome && a->steps == b->steps &&
         memcmp(&a->position_error, &b->position_error, sizeof(double)) == 0 &&
         memcmp(&a->orientation_error, &b->orientation_error, sizeof(double)) == 0;
}

// Whether the results of the problems from first to last have the same bits.
static bool same(const problems *p, const answers *a, const answers *b, int first, int last) {
  bool equal = memcmp(a->q + first * p->nq, b->q + first * p->nq,
                      (size_t)((last - first) * p->nq) * sizeof(double)) == 0;
  for (int i = first; i < last; ++i) {
    equal &= same_row(&a->rows[i], &b->rows[i]);
  }
  return equal;
}

// ------------------------------------------------------------------------ answers

// By forward kinematics of the results, every reachable problem is solved within its tolerance and
// the limits, and the reported errors are those of the result.
static void expect_solved(const problems *p, const answers *a) {
  for (int i = 0; i < PROBLEMS; ++i) {
    double position = 0.0, orientation = 0.0;
    assert_int_equal(a->rows[i].outcome, SINEW_OUTCOME_CONVERGED);
    assert_at_most(outside_limits(p->model, a->q + i * p->nq), 0.0);
    for (int t = 0; t < p->count; ++t) {
      double distance, angle;
      const sinew_target target = target_of(p, i, t);
      measure(p->model, &p->tasks[t], &target, a->q + i * p->nq, &distance, &angle);
      position = fmax(position, distance);
      orientation = fmax(orientation, angle);
    }
    // 1e-9: rounding, and small angles computed as arc cosines near 1.
    assert_at_most(position, 1e-6 + 1e-9);
    assert_at_most(orientation, 1e-6 + 1e-9);
    assert_near(a->rows[i].position_error, position, 1e-9);
    assert_near(a->rows[i].orientation_error, orientation, 2e-8);
  }
}

// req: F2
static void arm_reaches_poses(void **state) {
  (void)state;
  problems *p = arm_problems();
  assert_int_equal(p->size, 7);
  expect_solved(p, solve_all(p, false));
  expect_solved(p, solve_all(p, true));
  destroy(p);
}

// A hand of a figure with a floating base.
static problems *hand_problems(bool base_moves) {
  static problems p;
  int links[HUMANOID_PLACES];
  p = (problems){.model = fixture_humanoid(true, links), .count = 1};
  p.tasks[0] = task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]);
  p.tasks[0].chain_root = base_moves ? -1 : links[HUMANOID_HIPS];
  fill(&p);
  return &p;
}

// Where joint angles are so many revolutions that sines lose digits, what is reported as converged
// still is.
static void angles_of_many_revolutions_converge_truly(void **state) {
  (void)state;
  enum { N = 64 };
  sinew_model *model = fixture_planar(3, 1.0);
  sinew_state *where = NULL;
  sinew_task task = sinew_default_task();
  task.link = 3;
  assert_ok(sinew_state_create(model, NULL, &where, NULL));
  for (int lanes = 1; lanes <= 2; ++lanes) {
    double targets[3 * N], seeds[3 * N], q[3 * N];
    sinew_batch_row rows[N];
    sinew_batch *batch = NULL;
    sinew_batch_worker *worker = NULL;
    sinew_batch_def def = sinew_default_batch_def();
    def.lanes = lanes;
    assert_ok(sinew_batch_create(&def, model, &task, 1, &batch, NULL));
    assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
    for (int i = 0; i < 3 * N; ++i) {
      targets[i] = i % 3 == 2 ? 0.0 : 1.2 * sinew_random_uniform(5, (uint64_t)i) - 0.6;
      seeds[i] = (2.0 * sinew_random_uniform(6, (uint64_t)i) - 1.0) * (i / 3 % 2 == 0 ? 1e9 : 1e11);
    }
    const sinew_batch_arrays arrays = {.targets = targets, .seeds = seeds, .q = q, .rows = rows};
    assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, N));
    for (int i = 0; i < N; ++i) {
      sinew_pose tip;
      assert_int_equal(sinew_state_forward(where, q + 3 * i), SINEW_OK);
      assert_ok(sinew_state_link_pose(where, task.link, &tip));
      const double error = farthest(3, tip.position, targets + 3 * i);
      assert_true(rows[i].outcome != SINEW_OUTCOME_CONVERGED || error <= 1.01e-6);
    }
    sinew_batch_worker_destroy(worker);
    sinew_batch_destroy(batch);
  }
  sinew_state_destroy(where);
  sinew_model_destroy(model);
}

// A base that no task moves keeps its seed's quaternion bit for bit, of any length; it is used as
// the rotation that it represents.
// req: F2
static void unused_spherical_joints_keep_any_quaternion(void **state) {
  (void)state;
  problems *p = hand_problems(false);
  for (int i = 0; i < PROBLEMS; ++i) {
    double goal[MOST_NQ], *seed = p->seeds + i * p->nq;
    sinew_configuration_random(p->model, 77, (uint64_t)i, goal);
    memcpy(seed, goal, 7 * sizeof(double));
    for (int k = 3; k < 7; ++k) {
      seed[k] *= i % 2 == 0 ? 1.5 : 1e-3;
    }
  }
  const answers *a = solve_all(p, true);
  expect_solved(p, a);
  for (int i = 0; i < PROBLEMS; ++i) {
    assert_memory_equal(a->q + i * p->nq, p->seeds + i * p->nq, 7 * sizeof(double));
  }
  destroy(p);
}

// No step of a local solve is longer than the figure: without a bank, starts are brought near the
// target.
// req: F2
static void far_floating_bases_are_reached(void **state) {
  (void)state;
  problems *p = hand_problems(true);
  for (int i = 0; i < PROBLEMS; ++i) {
    p->targets[i * p->size] += 500.0;
  }
  for (int seeded = 0; seeded < 2; ++seeded) {
    const answers *a = solve_all(p, seeded == 1);
    for (int i = 0; i < PROBLEMS; ++i) {
      double distance, angle;
      sinew_target target = target_of(p, i, 0);
      target.position[0] += 500.0;
      measure(p->model, &p->tasks[0], &target, a->q + i * p->nq, &distance, &angle);
      assert_int_equal(a->rows[i].outcome, SINEW_OUTCOME_CONVERGED);
      assert_at_most(distance, 1e-6 + 1e-9);
      assert_at_most(angle, 1e-6 + 1e-9);
    }
  }
  destroy(p);
}

// req: F2 F4 A8
static void humanoid_reaches_targets_of_every_kind(void **state) {
  (void)state;
  problems *p = humanoid_problems();
  assert_int_equal(p->size, 7 + 3 + 3 + 4);
  expect_solved(p, solve_all(p, false));
  expect_solved(p, solve_all(p, true));
  destroy(p);
}

// A position target with free axes in its frame has that frame in its row.
static void free_axes_use_the_frame_in_the_row(void **state) {
  (void)state;
  problems p = {.model = fixture_planar(3, 1.0), .count = 1};
  p.tasks[0] = task_of(SINEW_TASK_POSITION, 3);
  p.tasks[0].free_axes = SINEW_FREE_X;
  const sinew_batch_def def = sinew_default_batch_def();
  assert_ok(sinew_batch_create(&def, p.model, p.tasks, 1, &p.batch, NULL));
  assert_int_equal(sinew_batch_target_size(p.batch), 7);
  // The frame is rotated by 90 degrees about z: its x axis is y, so only x = 1 is constrained.
  const double row[7] = {1.0, 55.0, 0.0, sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
  const double seed[3] = {0.3, 0.4, 0.5};
  double q[3];
  sinew_batch_row report;
  sinew_batch_worker *worker = worker_of(&p);
  const sinew_batch_arrays arrays = {.targets = row, .seeds = seed, .q = q, .rows = &report};
  assert_ok(sinew_batch_solve(p.batch, worker, &arrays, 0, 1));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  assert_near(cos(q[0]) + cos(q[0] + q[1]), 1.0, 1e-6 + 1e-12);
  sinew_batch_worker_destroy(worker);
  destroy(&p);
}

// req: F2
static void unreachable_targets_are_reported(void **state) {
  (void)state;
  problems *p = arm_problems();
  p->targets[0] += 100.0;
  const answers *a = solve_all(p, false);
  assert_int_equal(a->rows[0].outcome, SINEW_OUTCOME_OUT_OF_REACH);
  assert_true(a->rows[0].position_error > 90.0);
  assert_int_equal(a->rows[1].outcome, SINEW_OUTCOME_CONVERGED);
  destroy(p);
}

// ------------------------------------------------------------------ the same bits

// Ranges of any length in any order, by workers that have solved other problems before.
// req: F3
static void results_do_not_depend_on_ranges(void **state) {
  (void)state;
  problems *sets[2] = {arm_problems(), humanoid_problems()};
  for (int s = 0; s < 2; ++s) {
    problems *p = sets[s];
    static answers parts;
    const answers *whole = solve_all(p, s == 0);
    const sinew_batch_arrays arrays = arrays_of(p, s == 0, &parts);
    sinew_batch_worker *workers[2] = {worker_of(p), worker_of(p)};
    static const int ends[] = {0, 1, 3, 20, 21, 64, 90, PROBLEMS};
    for (int k = 6; k >= 0; --k) {
      assert_ok(sinew_batch_solve(p->batch, workers[k % 2], &arrays, (size_t)ends[k],
                                  (size_t)(ends[k + 1] - ends[k])));
    }
    assert_true(same(p, whole, &parts, 0, PROBLEMS));
    sinew_batch_worker_destroy(workers[0]);
    sinew_batch_worker_destroy(workers[1]);
    destroy(p);
  }
}

// At any index among any other problems, invalid ones too.
// req: F3
static void results_do_not_depend_on_neighbours(void **state) {
  (void)state;
  problems *p = arm_problems();
  const answers whole = *solve_all(p, true);
  static problems moved;
  moved = *p;
  for (int i = 0; i < PROBLEMS; ++i) {
    const int from = (i * 35) % PROBLEMS; // 35 and 96 have no common factor
    memcpy(moved.targets + i * p->size, p->targets + from * p->size,
           (size_t)p->size * sizeof(double));
    memcpy(moved.seeds + i * p->nq, p->seeds + from * p->nq, (size_t)p->nq * sizeof(double));
    if (i % 5 == 0) {
      moved.targets[i * p->size] = i % 2 == 0 ? NAN : 1e6;
    }
  }
  const answers *a = solve_all(&moved, true);
  for (int i = 0; i < PROBLEMS; ++i) {
    const int from = (i * 35) % PROBLEMS;
    if (i % 5 != 0) {
      assert_memory_equal(a->q + i * p->nq, whole.q + from * p->nq, (size_t)p->nq * sizeof(double));
      assert_true(same_row(&a->rows[i], &whole.rows[from]));
    }
  }
  destroy(p);
}

// Strides may leave gaps between problems; the gaps are neither read nor written.
static void gaps_between_strides_are_unchanged(void **state) {
  (void)state;
  problems *p = arm_problems();
  const answers *whole = solve_all(p, true);
  enum { TARGET = 9, SEED = 8, Q = 11 };
  static double targets[PROBLEMS * TARGET], seeds[PROBLEMS * SEED], q[PROBLEMS * Q];
  for (int i = 0; i < PROBLEMS * TARGET; ++i) {
    targets[i] = i % TARGET < 7 ? p->targets[i / TARGET * 7 + i % TARGET] : NAN;
  }
  for (int i = 0; i < PROBLEMS * SEED; ++i) {
    seeds[i] = i % SEED < 7 ? p->seeds[i / SEED * 7 + i % SEED] : NAN;
  }
  for (int i = 0; i < PROBLEMS * Q; ++i) {
    q[i] = -55.0;
  }
  const sinew_batch_arrays arrays = {.targets = targets,
                                     .target_stride = TARGET,
                                     .seeds = seeds,
                                     .seed_stride = SEED,
                                     .q = q,
                                     .q_stride = Q};
  sinew_batch_worker *worker = worker_of(p);
  assert_ok(sinew_batch_solve(p->batch, worker, &arrays, 0, PROBLEMS));
  for (int i = 0; i < PROBLEMS; ++i) {
    assert_memory_equal(q + i * Q, whole->q + i * 7, 7 * sizeof(double));
    for (int k = 7; k < Q; ++k) {
      assert_true(q[i * Q + k] == -55.0);
    }
  }
  sinew_batch_worker_destroy(worker);
  destroy(p);
}

// Without a seed the middle of the limits is the seed.
static void default_seed_is_the_middle_of_the_limits(void **state) {
  (void)state;
  problems *p = arm_problems();
  const answers without = *solve_all(p, false);
  for (int i = 0; i < PROBLEMS; ++i) {
    sinew_configuration_middle(p->model, p->seeds + i * p->nq);
  }
  assert_true(same(p, &without, solve_all(p, true), 0, PROBLEMS));
  destroy(p);
}

// Problems whose goals are within 1 rad of the middle of the limits, and whose seeds are within
// 0.2 rad of the goals; the third joint's is the goal's.
static void bring_near(problems *p) {
  double middle[MOST_NQ];
  sinew_configuration_middle(p->model, middle);
  for (int i = 0; i < PROBLEMS; ++i) {
    double goal[MOST_NQ], *row = p->targets + i * p->size;
    for (int j = 0; j < p->nq; ++j) {
      const uint64_t number = (uint64_t)(i * p->nq + j);
      goal[j] = middle[j] + 2.0 * sinew_random_uniform(79, number) - 1.0;
      p->seeds[i * p->nq + j] =
          goal[j] + (j == 2 ? 0.0 : 0.4 * sinew_random_uniform(80, number) - 0.2);
    }
    const sinew_target target = target_at(p->model, &p->tasks[0], goal);
    write_row(&p->tasks[0], &target, &row);
  }
}

// Replaces the batch of the problems. Returns false if the processor lacks the lanes.
static bool use_batch(problems *p, const sinew_batch_def *def) {
  sinew_batch_destroy(p->batch);
  p->batch = NULL;
  return sinew_batch_create(def, p->model, p->tasks, p->count, &p->batch, NULL) == SINEW_OK;
}

// In how many problems a joint moves by less than 0.01 rad; all must be solved.
static int count_still(const problems *p, const answers *a, int joint) {
  int count = 0;
  for (int i = 0; i < PROBLEMS; ++i) {
    assert_int_equal(a->rows[i].outcome, SINEW_OUTCOME_CONVERGED);
    count += fabs(a->q[i * p->nq + joint] - p->seeds[i * p->nq + joint]) < 0.01;
  }
  return count;
}

// In lanes of every width a frozen joint keeps its value, all others stay within the batch's
// limits, which exclude many goals, and a joint with a small gain hardly moves where others can.
// req: B14 B15 E6
static void frozen_joints_limits_and_gains_are_obeyed(void **state) {
  (void)state;
  problems *p = arm_problems();
  double middle[MOST_NQ], lower[MOST_NQ], upper[MOST_NQ], gains[MOST_NQ];
  unsigned char frozen[MOST_NQ] = {0};
  int widths = 0;
  bring_near(p);
  sinew_configuration_middle(p->model, middle);
  for (int j = 0; j < p->nq; ++j) {
    lower[j] = j == 2 ? -3.0 : middle[j] - 0.9;
    upper[j] = j == 2 ? 3.0 : middle[j] + 0.9;
    gains[j] = j == 4 ? 0.01 : 1.0;
  }
  frozen[2] = 1;
  for (int lanes = 1; lanes <= 8; lanes *= 2) {
    sinew_batch_def def = sinew_default_batch_def();
    def.lanes = lanes;
    if (!use_batch(p, &def)) {
      continue;
    }
    const int still = count_still(p, solve_all(p, true), 4);
    def.gains = gains;
    assert_true(use_batch(p, &def));
    const int still_with_gain = count_still(p, solve_all(p, true), 4);
    printf("%d lanes: still in %d problems, with a gain of 0.01 in %d\n", lanes, still,
           still_with_gain);
    assert_true(still < PROBLEMS / 4 && still_with_gain > PROBLEMS * 3 / 4);

    def.gains = NULL;
    def.frozen = frozen;
    def.lower = lower;
    def.upper = upper;
    assert_true(use_batch(p, &def));
    const answers *a = solve_all(p, true);
    int converged = 0;
    for (int i = 0; i < PROBLEMS; ++i) {
      converged += a->rows[i].outcome == SINEW_OUTCOME_CONVERGED;
      assert_true(a->q[i * p->nq + 2] == p->seeds[i * p->nq + 2]);
      for (int j = 0; j < p->nq; ++j) {
        const double value = a->q[i * p->nq + j];
        assert_true(value >= lower[j] && value <= upper[j]);
      }
    }
    printf("within limits that exclude many goals: %d converged\n", converged);
    assert_in_range(converged, PROBLEMS / 4, PROBLEMS - 1);
    ++widths;
  }
  assert_true(widths > 0);
  destroy(p);
}

typedef struct job {
  const problems *p;
  sinew_batch_arrays arrays;
  size_t first, count;
  sinew_result result;
} job;

// No assertions here: cmocka leaves a test by longjmp(), which must not leave a thread.
static void *work(void *context) {
  job *j = context;
  sinew_batch_worker *worker = NULL;
  j->result = sinew_batch_worker_create(j->p->batch, &worker, NULL);
  if (j->result == SINEW_OK) {
    j->result = sinew_batch_solve(j->p->batch, worker, &j->arrays, j->first, j->count);
  }
  sinew_batch_worker_destroy(worker);
  return NULL;
}

// The caller's threads, each with its own range of the same arrays.
// req: F3
static void ranges_run_on_several_threads(void **state) {
  (void)state;
  enum { THREADS = 3 };
  problems *p = arm_problems();
  const answers *whole = solve_all(p, false);
  static answers parts;
  job jobs[THREADS];
  pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; ++t) {
    jobs[t] = (job){p, arrays_of(p, false, &parts), t * PROBLEMS / THREADS,
                    (t + 1) * PROBLEMS / THREADS - t * PROBLEMS / THREADS, SINEW_OK};
    assert_int_equal(pthread_create(&threads[t], NULL, work, &jobs[t]), 0);
  }
  for (int t = 0; t < THREADS; ++t) {
    assert_int_equal(pthread_join(threads[t], NULL), 0);
  }
  for (int t = 0; t < THREADS; ++t) {
    assert_int_equal(jobs[t].result, SINEW_OK);
  }
  assert_true(same(p, whole, &parts, 0, PROBLEMS));
  destroy(p);
}

// ------------------------------------------------------------------------ bad input

static void expect_bad(const problems *p, const answers *a, const answers *before, int i) {
  double start[MOST_NQ];
  sinew_configuration_start(p->model, start);
  assert_int_equal(a->rows[i].outcome, SINEW_OUTCOME_BAD_INPUT);
  assert_int_equal(a->rows[i].steps, 0);
  assert_true(a->rows[i].position_error == -1.0);
  assert_true(a->rows[i].orientation_error == -1.0);
  assert_memory_equal(a->q + i * p->nq, start, (size_t)p->nq * sizeof(double));
  assert_true(same(p, a, before, 0, i));
  assert_true(same(p, a, before, i + 1, PROBLEMS));
}

// Each value of a row in turn is NaN, infinite or too large; the other problems are solved.
static void invalid_numbers_are_bad_input(void **state) {
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY, 1e200};
  problems *p = humanoid_problems();
  const answers before = *solve_all(p, true);
  for (int k = 0; k < p->size; ++k) {
    const int i = (5 + 7 * k) % PROBLEMS;
    const double good = p->targets[i * p->size + k];
    p->targets[i * p->size + k] = bad[k % 4];
    expect_bad(p, solve_all(p, true), &before, i);
    p->targets[i * p->size + k] = good;
  }
  for (int k = 0; k < p->nq; k += 5) {
    const int i = (3 + 11 * k) % PROBLEMS;
    const double good = p->seeds[i * p->nq + k];
    p->seeds[i * p->nq + k] = bad[k % 4];
    expect_bad(p, solve_all(p, true), &before, i);
    p->seeds[i * p->nq + k] = good;
  }
  destroy(p);
}

// Values that must not be zero: the pose's quaternion, the direction, the orientation, and the
// quaternion of a spherical joint in a seed.
static void zero_lengths_are_bad_input(void **state) {
  (void)state;
  static const int places[3][2] = {{3, 4}, {10, 3}, {13, 4}};
  problems *p = humanoid_problems();
  const answers before = *solve_all(p, true);
  for (int k = 0; k < 3; ++k) {
    double *values = p->targets + 17 * p->size + places[k][0], good[4];
    const size_t bytes = (size_t)places[k][1] * sizeof(double);
    memcpy(good, values, bytes);
    memset(values, 0, bytes);
    expect_bad(p, solve_all(p, true), &before, 17);
    memcpy(values, good, bytes);
  }
  for (int j = 0; j < sinew_model_joint_count(p->model); ++j) {
    sinew_joint joint;
    assert_ok(sinew_model_joint(p->model, j, &joint));
    if (joint.nq > joint.nv) {
      double *values = p->seeds + 19 * p->nq + joint.q_index + joint.nq - 4, good[4];
      memcpy(good, values, sizeof good);
      memset(values, 0, sizeof good);
      expect_bad(p, solve_all(p, true), &before, 19);
      memcpy(values, good, sizeof good);
    }
  }
  destroy(p);
}

// ---------------------------------------------------------------- use and memory

static void expect_field(const sinew_batch_def *def, const sinew_model *model, const char *field) {
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_batch *batch = (sinew_batch *)&task; // is set to NULL
  sinew_error error = {0};
  assert_int_equal(sinew_batch_create(def, model, &task, 1, &batch, &error), SINEW_ERROR_ARGUMENT);
  assert_null(batch);
  assert_string_equal(error.name, field);
  assert_true(error.message[0] != '\0');
}

static void definitions_are_checked(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_batch_def good = sinew_default_batch_def();
  sinew_batch_def def = {0};
  expect_field(&def, model, "");
  expect_field(NULL, model, "");
  static const double tolerances[] = {0.0, -1e-6, NAN};
  for (int i = 0; i < 3; ++i) {
    def = good;
    def.tolerances.position = tolerances[i];
    expect_field(&def, model, "tolerances.position");
    def = good;
    def.tolerances.orientation = tolerances[i];
    expect_field(&def, model, "tolerances.orientation");
  }
  def = good;
  def.tolerances.position = 1e-14;
  expect_field(&def, model, "tolerances.position");
  def = good;
  def.tolerances.orientation = 1e-14;
  expect_field(&def, model, "tolerances.orientation");
  def = good;
  def.max_starts = 0;
  expect_field(&def, model, "max_starts");
  static const int lanes[] = {-1, 3, 16};
  for (int i = 0; i < 3; ++i) {
    def = good;
    def.lanes = lanes[i];
    expect_field(&def, model, "lanes");
  }
  sinew_batch *batch = NULL;
  const sinew_task task = task_of(SINEW_TASK_POSE, 99);
  assert_int_equal(sinew_batch_create(&good, model, &task, 1, &batch, NULL), SINEW_ERROR_INDEX);
  assert_int_equal(sinew_batch_create(&good, model, NULL, 1, &batch, NULL), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_batch_create(&good, NULL, &task, 1, &batch, NULL), SINEW_ERROR_ARGUMENT);
  sinew_model_destroy(model);
}

// A bank must have the batch's model and tasks.
static void banks_are_checked(void **state) {
  (void)state;
  const sinew_task pose = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const sinew_task place = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  const sinew_task both[2] = {pose, pose};
  sinew_model *model = fixture_arm(), *other = fixture_arm();
  sinew_bank_def size = sinew_default_bank_def();
  sinew_bank *banks[4];
  size.postures = 10;
  assert_ok(sinew_bank_create(&size, model, &pose, 1, &banks[0], NULL));
  assert_ok(sinew_bank_create(&size, other, &pose, 1, &banks[1], NULL));
  assert_ok(sinew_bank_create(&size, model, &place, 1, &banks[2], NULL));
  assert_ok(sinew_bank_create(&size, model, both, 2, &banks[3], NULL));
  sinew_batch_def def = sinew_default_batch_def();
  for (int i = 1; i < 4; ++i) {
    def.bank = banks[i];
    expect_field(&def, model, "bank");
  }
  sinew_batch *batch = NULL;
  def.bank = banks[0];
  assert_ok(sinew_batch_create(&def, model, &pose, 1, &batch, NULL));
  sinew_batch_destroy(batch);
  for (int i = 0; i < 4; ++i) {
    sinew_bank_destroy(banks[i]);
  }
  sinew_model_destroy(other);
  sinew_model_destroy(model);
}

static int steps_of(const problems *p) {
  const answers *a = solve_all(p, true);
  int steps = 0;
  expect_solved(p, a);
  for (int i = 0; i < PROBLEMS; ++i) {
    steps += a->rows[i].steps;
  }
  return steps;
}

// Seeds within 0.1 and 0.3 rad of a solution take as many steps with a bank as without, within 5 %
// for the few that are far.
// req: F1
static void banks_do_not_replace_near_seeds(void **state) {
  (void)state;
  random_stream random = random_stream_of(91);
  problems *p = arm_problems();
  sinew_bank *bank = NULL;
  const sinew_bank_def size = sinew_default_bank_def();
  sinew_batch_def def = sinew_default_batch_def();
  assert_ok(sinew_bank_create(&size, p->model, p->tasks, 1, &bank, NULL));
  for (int far = 0; far < 2; ++far) {
    for (int i = 0; i < PROBLEMS; ++i) {
      double *seed = p->seeds + i * p->nq;
      sinew_configuration_random(p->model, 77, (uint64_t)i, seed); // as target_of()
      for (int j = 0; j < p->nq; ++j) {
        seed[j] += (far == 0 ? 0.1 : 0.3) * random_between(&random, -1.0, 1.0);
      }
    }
    int steps[2];
    for (int banked = 0; banked < 2; ++banked) {
      def.bank = banked == 0 ? NULL : bank;
      sinew_batch_destroy(p->batch);
      assert_ok(sinew_batch_create(&def, p->model, p->tasks, 1, &p->batch, NULL));
      steps[banked] = steps_of(p);
    }
    print_message("%d steps, with a bank %d\n", steps[0], steps[1]);
    assert_true(20 * steps[1] <= 21 * steps[0]);
  }
  destroy(p);
  sinew_bank_destroy(bank);
}

static void arrays_are_checked(void **state) {
  (void)state;
  problems *p = arm_problems();
  static answers a;
  sinew_batch_worker *worker = worker_of(p);
  const sinew_batch_arrays good = arrays_of(p, true, &a);
  sinew_batch_arrays bad[5] = {good, good, good, good, good};
  bad[0].targets = NULL;
  bad[1].q = NULL;
  bad[2].target_stride = 6;
  bad[3].seed_stride = 6;
  bad[4].q_stride = 6;
  for (int i = 0; i < 5; ++i) {
    assert_int_equal(sinew_batch_solve(p->batch, worker, &bad[i], 0, 1), SINEW_ERROR_ARGUMENT);
  }
  assert_int_equal(sinew_batch_solve(p->batch, worker, NULL, 0, 1), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_batch_solve(NULL, worker, &good, 0, 1), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_batch_solve(p->batch, NULL, &good, 0, 1), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_batch_solve(p->batch, worker, &good, 2, SIZE_MAX), SINEW_ERROR_ARGUMENT);
  assert_ok(sinew_batch_solve(p->batch, worker, &good, 0, 0));
  // A worker belongs to its batch.
  const sinew_batch_def def = sinew_default_batch_def();
  sinew_batch *other = NULL;
  assert_ok(sinew_batch_create(&def, p->model, p->tasks, 1, &other, NULL));
  assert_int_equal(sinew_batch_solve(other, worker, &good, 0, 1), SINEW_ERROR_ARGUMENT);
  sinew_batch_destroy(other);
  sinew_batch_worker_destroy(worker);
  destroy(p);
}

static void lane_count_is_reported(void **state) {
  (void)state;
  problems *p = arm_problems();
  const int lanes = sinew_batch_lanes(p->batch);
  assert_true(lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8);
  // One lane is supported on every machine.
  sinew_batch_def def = sinew_default_batch_def();
  sinew_batch *one = NULL;
  def.lanes = 1;
  assert_ok(sinew_batch_create(&def, p->model, p->tasks, 1, &one, NULL));
  assert_int_equal(sinew_batch_lanes(one), 1);
  sinew_batch_destroy(one);
  destroy(p);
}

static sinew_result create_both(counter *c, const problems *p, sinew_batch **batch,
                                sinew_batch_worker **worker) {
  sinew_batch_def def = sinew_default_batch_def();
  def.allocator = allocator_of(c);
  *worker = NULL;
  sinew_result result = sinew_batch_create(&def, p->model, p->tasks, p->count, batch, NULL);
  return result == SINEW_OK ? sinew_batch_worker_create(*batch, worker, NULL) : result;
}

// Each allocation may fail; all memory is released.
static void allocation_failures_are_reported(void **state) {
  (void)state;
  problems *p = arm_problems();
  sinew_batch *batch;
  sinew_batch_worker *worker;
  counter all = {.fail_at = -1};
  assert_ok(create_both(&all, p, &batch, &worker));
  static answers a;
  const sinew_batch_arrays arrays = arrays_of(p, false, &a);
  assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, 4));
  assert_int_equal(a.rows[3].outcome, SINEW_OUTCOME_CONVERGED);
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
  assert_int_equal(all.live, 0);
  assert_true(all.calls >= 2);
  for (int i = 0; i < all.calls; ++i) {
    counter one = {.fail_at = i};
    assert_int_equal(create_both(&one, p, &batch, &worker), SINEW_ERROR_MEMORY);
    assert_null(worker);
    sinew_batch_destroy(batch);
    assert_int_equal(one.live, 0);
  }
  sinew_batch_destroy(NULL);
  sinew_batch_worker_destroy(NULL);
  destroy(p);
}

static void solving_does_not_allocate(void **state) {
  (void)state;
  problems *p = humanoid_problems();
  static answers a;
  sinew_batch_worker *worker = worker_of(p);
  const sinew_batch_arrays arrays = arrays_of(p, true, &a);
  p->targets[0] = NAN;
  const long before = wrapped;
  assert_ok(sinew_batch_solve(p->batch, worker, &arrays, 0, PROBLEMS));
  assert_int_equal(wrapped, before);
  sinew_batch_worker_destroy(worker);
  destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arm_reaches_poses),
      cmocka_unit_test(humanoid_reaches_targets_of_every_kind),
      cmocka_unit_test(angles_of_many_revolutions_converge_truly),
      cmocka_unit_test(unused_spherical_joints_keep_any_quaternion),
      cmocka_unit_test(far_floating_bases_are_reached),
      cmocka_unit_test(free_axes_use_the_frame_in_the_row),
      cmocka_unit_test(unreachable_targets_are_reported),
      cmocka_unit_test(results_do_not_depend_on_ranges),
      cmocka_unit_test(results_do_not_depend_on_neighbours),
      cmocka_unit_test(gaps_between_strides_are_unchanged),
      cmocka_unit_test(default_seed_is_the_middle_of_the_limits),
      cmocka_unit_test(frozen_joints_limits_and_gains_are_obeyed),
      cmocka_unit_test(ranges_run_on_several_threads),
      cmocka_unit_test(invalid_numbers_are_bad_input),
      cmocka_unit_test(zero_lengths_are_bad_input),
      cmocka_unit_test(definitions_are_checked),
      cmocka_unit_test(banks_are_checked),
      cmocka_unit_test(banks_do_not_replace_near_seeds),
      cmocka_unit_test(arrays_are_checked),
      cmocka_unit_test(lane_count_is_reported),
      cmocka_unit_test(allocation_failures_are_reported),
      cmocka_unit_test(solving_does_not_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
