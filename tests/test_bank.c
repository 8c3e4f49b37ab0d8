// The bank of postures: its postures, the nearest it finds against a full search, and the arguments
// it refuses.
#include "counted_memory.h"
#include "counting_allocator.h"
#include "fixtures.h"
#include "inspect.h"

#define MOST_SIZE 4096
#define MOST_NQ 128

static sinew_bank *bank_of(const sinew_model *model, const sinew_task *tasks, int count, int size) {
  sinew_bank_def def = sinew_default_bank_def();
  def.postures = size;
  sinew_bank *bank = NULL;
  sinew_error error;
  if (sinew_bank_create(&def, model, tasks, count, &bank, &error) != SINEW_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(sinew_bank_size(bank), size);
  return bank;
}

static sinew_model *tree_of(uint64_t seed, int joints, unsigned kinds) {
  static random_tree tree;
  random_tree_options options = random_tree_defaults();
  options.joints = joints;
  options.kinds = kinds;
  options.limited = 0.5;
  random_tree_make(&tree, seed, &options);
  sinew_model *model = NULL;
  assert_ok(sinew_model_create(&tree.def, &model, NULL));
  assert_true(sinew_model_nq(model) <= MOST_NQ);
  return model;
}

// ----------------------------------------------------------------- distances

// The distance that the header defines, by public functions and in double precision: the pose of
// each task's effector in each posture of a bank.
typedef struct table {
  int size, count;
  const sinew_task *tasks;
  sinew_target *places; // size x count
  double scale[4];      // of points [1/m]
} table;

static table table_of(const sinew_model *model, const sinew_bank *bank, const sinew_task *tasks,
                      int count) {
  table t = {.size = sinew_bank_size(bank), .count = count, .tasks = tasks};
  const sinew_target none[4] = {sinew_default_target(), sinew_default_target(),
                                sinew_default_target(), sinew_default_target()};
  double q[MOST_NQ];
  t.places = test_malloc((size_t)(t.size * count) * sizeof *t.places);
  for (int i = 0; i < t.size; ++i) {
    sinew_bank_posture(bank, i, none, q);
    for (int k = 0; k < count; ++k) {
      t.places[i * count + k] = target_at(model, &tasks[k], q);
    }
  }
  for (int k = 0; k < count; ++k) {
    double sum[3] = {0.0, 0.0, 0.0}, squares = 0.0;
    for (int i = 0; i < t.size; ++i) {
      for (int a = 0; a < 3; ++a) {
        const double x = t.places[i * count + k].position[a];
        sum[a] += x / t.size;
        squares += x * x / t.size;
      }
    }
    const double mean = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
    t.scale[k] = 0.8 / sqrt(squares - mean);
  }
  return t;
}

// The squared distance for one task without free axes.
static double squared_distance(const sinew_task *task, double scale, const sinew_target *a,
                               const sinew_target *b) {
  double sum = 0.0;
  if (task->kind == SINEW_TASK_POSITION || task->kind == SINEW_TASK_POSE) {
    for (int i = 0; i < 3; ++i) {
      const double d = scale * (a->position[i] - b->position[i]);
      sum += d * d;
    }
  }
  if (task->kind == SINEW_TASK_ORIENTATION || task->kind == SINEW_TASK_POSE) {
    const double back[4] = {a->rotation[0], -a->rotation[1], -a->rotation[2], -a->rotation[3]};
    double turn[4], w[3];
    sinew_quaternion_multiply(back, b->rotation, turn);
    sinew_quaternion_log(turn, w);
    const double s = sin(0.5 * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    sum += s * s;
  }
  if (task->kind == SINEW_TASK_DIRECTION) {
    double c = 0.0;
    for (int i = 0; i < 3; ++i) {
      c += a->direction[i] * b->direction[i];
    }
    const double s = sin(0.5 * acos(fmin(1.0, fmax(-1.0, c))));
    sum += s * s;
  }
  return sum;
}

static double distance_to(const table *t, int posture, const sinew_target *targets) {
  double sum = 0.0;
  for (int k = 0; k < t->count; ++k) {
    sum += squared_distance(&t->tasks[k], t->scale[k], &t->places[posture * t->count + k],
                            &targets[k]);
  }
  return sqrt(sum);
}

static bool all_different(const int *indices, int count, int size) {
  unsigned char seen[MOST_SIZE] = {0};
  for (int i = 0; i < count; ++i) {
    if (indices[i] < 0 || indices[i] >= size || seen[indices[i]]++) {
      return false;
    }
  }
  return true;
}

// The mean ratio of the distances found to those of the nearest postures; checks that the indices
// are valid and distinct and that the distances increase.
static double ratio_of_nearest(const sinew_model *model, const sinew_task *tasks, int count,
                               int size, int want) {
  sinew_bank *bank = bank_of(model, tasks, count, size);
  table t = table_of(model, bank, tasks, count);
  double q[MOST_NQ], ratios = 0.0;
  const int rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    sinew_target targets[4];
    int found[64];
    sinew_configuration_random(model, 17, (uint64_t)round, q);
    for (int k = 0; k < count; ++k) {
      targets[k] = target_at(model, &tasks[k], q);
    }
    assert_int_equal(sinew_bank_find(bank, targets, want, found), want);
    assert_true(all_different(found, want, size));
    for (int i = 1; i < want; ++i) {
      assert_at_most(distance_to(&t, found[i - 1], targets),
                     distance_to(&t, found[i], targets) + 1e-3);
    }
    double least = INFINITY;
    for (int i = 0; i < size; ++i) {
      least = fmin(least, distance_to(&t, i, targets));
    }
    ratios += distance_to(&t, found[0], targets) / least / rounds;
  }
  print_message("%d of %d: %.3f of the nearest distance\n", want, size, ratios);
  test_free(t.places);
  sinew_bank_destroy(bank);
  return ratios;
}

// The postures found for a pose of an arm are nearly as near as the nearest.
static void found_postures_are_near(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task pose = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  assert_at_most(ratio_of_nearest(arm, &pose, 1, MOST_SIZE, 1), 1.35);
  assert_at_most(ratio_of_nearest(arm, &pose, 1, MOST_SIZE, 8), 1.35);
  assert_at_most(ratio_of_nearest(arm, &pose, 1, 1000, 32), 1.35);
  assert_at_most(ratio_of_nearest(arm, &pose, 1, 1000, 50), 1.35);
  sinew_model_destroy(arm);
}

// The same for every kind of task, and for several at once. req: A8
static void found_postures_are_near_for_every_task_kind(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  for (int kind = SINEW_TASK_POSITION; kind <= SINEW_TASK_DIRECTION; ++kind) {
    sinew_task task = task_of((sinew_task_kind)kind, ARM_FLANGE);
    assert_at_most(ratio_of_nearest(arm, &task, 1, 2000, 8), 1.35);
    memcpy(task.rotation_l, (double[]){0.6, 0.0, 1.6, 0.8}, sizeof task.rotation_l);
    assert_at_most(ratio_of_nearest(arm, &task, 1, 2000, 8), 1.35);
  }
  sinew_model_destroy(arm);
  sinew_model *y = fixture_y();
  const sinew_task two[2] = {task_of(SINEW_TASK_POSE, Y_EFFECTOR_0),
                             task_of(SINEW_TASK_POSITION, Y_EFFECTOR_1)};
  assert_at_most(ratio_of_nearest(y, two, 2, MOST_SIZE, 8), 1.35);
  sinew_model_destroy(y);
  int links[HUMANOID_PLACES];
  sinew_model *person = fixture_humanoid(false, links);
  const sinew_task four[4] = {task_of(SINEW_TASK_POSITION, links[HUMANOID_LEFT_HAND]),
                              task_of(SINEW_TASK_POSE, links[HUMANOID_RIGHT_HAND]),
                              task_of(SINEW_TASK_DIRECTION, links[HUMANOID_HEAD]),
                              task_of(SINEW_TASK_ORIENTATION, links[HUMANOID_CHEST])};
  assert_at_most(ratio_of_nearest(person, four, 4, MOST_SIZE, 8), 1.35);
  sinew_model_destroy(person);
}

// Small banks, and queries for no posture, some, and more than there are.
static void queries_return_the_number_asked_for(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task pose = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const int sizes[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 64, 100, 257};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    const int size = sizes[s];
    sinew_bank *bank = bank_of(arm, &pose, 1, size);
    table t = table_of(arm, bank, &pose, 1);
    for (uint64_t round = 0; round < 5; ++round) {
      double q[7];
      sinew_configuration_random(arm, 3, round, q);
      const sinew_target target = target_at(arm, &pose, q);
      for (int want = 0; want <= size + 3; want += want < 40 ? 1 : 37) {
        int found[320];
        found[want] = -7;
        const int count = sinew_bank_find(bank, &target, want, found);
        assert_int_equal(count, want < size ? want : size);
        assert_true(all_different(found, count, size));
        assert_int_equal(found[want], -7);
        for (int i = 1; i < count; ++i) {
          assert_at_most(distance_to(&t, found[i - 1], &target),
                         distance_to(&t, found[i], &target) + 1e-3);
        }
      }
    }
    test_free(t.places);
    sinew_bank_destroy(bank);
  }
  sinew_model_destroy(arm);
}

// A query for several problems at once gives each problem's own result.
static void joint_queries_match_single_queries(void **state) {
  (void)state;
  enum { PROBLEMS = 21 };
  sinew_model *y = fixture_y();
  const sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, Y_EFFECTOR_0),
                               task_of(SINEW_TASK_POSITION, Y_EFFECTOR_1)};
  for (int count = 0; count <= 2; ++count) {
    sinew_bank *bank = bank_of(y, tasks, count, 1500);
    sinew_target targets[2 * PROBLEMS];
    int each[PROBLEMS + 1], alone;
    for (int k = 0; k < PROBLEMS; ++k) {
      double q[MOST_NQ];
      sinew_configuration_random(y, 30, (uint64_t)k, q);
      for (int t = 0; t < count; ++t) {
        targets[k * count + t] = target_at(y, &tasks[t], q);
      }
    }
    for (int problems = 0; problems <= PROBLEMS; ++problems) {
      each[problems] = -7;
      sinew_bank_find_each(bank, targets, problems, each);
      assert_int_equal(each[problems], -7);
      for (int k = 0; k < problems; ++k) {
        assert_int_equal(sinew_bank_find(bank, targets + k * count, 1, &alone), 1);
        assert_int_equal(each[k], alone);
      }
    }
    sinew_bank_destroy(bank);
  }
  sinew_model_destroy(y);
}

// ------------------------------------------------------------------ postures

// All kinds of joints, some limited on one side: postures are within limits, with unit quaternions,
// and distinct. req: E6
static void postures_are_within_limits(void **state) {
  (void)state;
  const sinew_target target = sinew_default_target();
  for (uint64_t seed = 0; seed < 12; ++seed) {
    sinew_model *model = tree_of(seed, 12, 0);
    const int nq = sinew_model_nq(model);
    const sinew_task pose = task_of(SINEW_TASK_POSE, sinew_model_link_count(model) - 1);
    sinew_bank *bank = bank_of(model, &pose, 1, 500);
    double before[MOST_NQ] = {0.0}, q[MOST_NQ], unit[MOST_NQ];
    for (int i = 0; i < 500; ++i) {
      sinew_bank_posture(bank, i, &target, q);
      assert_true(outside_limits(model, q) == 0.0);
      memcpy(unit, q, sizeof unit);
      sinew_configuration_normalize(model, unit);
      assert_at_most(farthest(nq, q, unit), 1e-15);
      assert_true(nq == 0 || memcmp(before, q, (size_t)nq * sizeof *q) != 0);
      memcpy(before, q, sizeof before);
    }
    sinew_bank_destroy(bank);
    sinew_model_destroy(model);
  }
}

// Each joint of an arm is spread evenly over its range without 4 % at either end; over the middle
// revolution where its range is larger than one.
static void postures_fill_the_range_evenly(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task pose = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const sinew_target target = sinew_default_target();
  const double *lower = sinew_model_lower(arm), *upper = sinew_model_upper(arm);
  sinew_bank *bank = bank_of(arm, &pose, 1, 1000);
  int counts[7][10] = {{0}};
  for (int i = 0; i < 1000; ++i) {
    double q[7];
    sinew_bank_posture(bank, i, &target, q);
    for (int v = 0; v < 7; ++v) {
      const double share = ((q[v] - lower[v]) / (upper[v] - lower[v]) - 0.04) / 0.92;
      assert_true(share > -1e-6 && share < 1.0 + 1e-6);
      ++counts[v][(int)fmin(9.0, fmax(0.0, 10.0 * share))];
    }
  }
  for (int v = 0; v < 7; ++v) {
    for (int bin = 0; bin < 10; ++bin) {
      assert_in_range(counts[v][bin], 90, 110);
    }
  }
  sinew_bank_destroy(bank);
  sinew_model_destroy(arm);

  sinew_model *wide = fixture_planar_limited(2, 1.0, -5.0, 9.0, INFINITY);
  const sinew_task tip = task_of(SINEW_TASK_POSITION, 2);
  bank = bank_of(wide, &tip, 1, 200);
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < 200; ++i) {
    double q[2];
    sinew_bank_posture(bank, i, &target, q);
    least = fmin(least, q[0]);
    most = fmax(most, q[0]);
  }
  assert_near(least, 2.0 - PI, 0.1);
  assert_near(most, 2.0 + PI, 0.1);
  sinew_bank_destroy(bank);
  sinew_model_destroy(wide);
}

// The same definition gives the same bits, another random seed other postures. req: F3
static void same_definition_gives_the_same_bits(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task pose = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_bank_def def = sinew_default_bank_def();
  def.postures = 700;
  sinew_bank *a = NULL, *b = NULL, *other = NULL;
  assert_ok(sinew_bank_create(&def, arm, &pose, 1, &a, NULL));
  assert_ok(sinew_bank_create(&def, arm, &pose, 1, &b, NULL));
  def.random_seed = 2;
  assert_ok(sinew_bank_create(&def, arm, &pose, 1, &other, NULL));
  int equal = 0;
  for (int i = 0; i < 700; ++i) {
    double q[3][7];
    int found[3][8];
    sinew_configuration_random(arm, 8, (uint64_t)i, q[0]);
    const sinew_target target = target_at(arm, &pose, q[0]);
    sinew_bank *banks[3] = {a, b, other};
    for (int k = 0; k < 3; ++k) {
      assert_int_equal(sinew_bank_find(banks[k], &target, 8, found[k]), 8);
      sinew_bank_posture(banks[k], i, &target, q[k]);
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    equal += memcmp(q[0], q[2], sizeof q[0]) == 0;
  }
  assert_int_equal(equal, 0);
  sinew_bank_destroy(a);
  sinew_bank_destroy(b);
  sinew_bank_destroy(other);
  sinew_model_destroy(arm);
}

// How many of 400 poses one attempt of 15 steps solves, from the posture found or from a random
// one.
static int solved_from(sinew_solver *solver, const sinew_model *arm, const sinew_bank *bank) {
  const sinew_task pose = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  int solved = 0;
  for (uint64_t round = 0; round < 400; ++round) {
    double q[7];
    int nearest;
    sinew_report report;
    sinew_configuration_random(arm, 21, round, q);
    const sinew_target target = target_at(arm, &pose, q);
    if (bank != NULL) {
      sinew_bank_find(bank, &target, 1, &nearest);
      sinew_bank_posture(bank, nearest, &target, q);
    } else {
      sinew_configuration_random(arm, 22, round, q);
    }
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    solved += report.outcome == SINEW_OUTCOME_CONVERGED;
  }
  return solved;
}

// More solves converge in one attempt from the posture found than from a random one.
static void found_postures_are_good_seeds(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task pose = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver_def def = sinew_default_solver_def();
  def.budget.max_starts = 1;
  def.budget.max_steps = 15;
  sinew_solver *solver = solver_with(&def, arm, &pose, 1);
  sinew_bank *bank = bank_of(arm, &pose, 1, MOST_SIZE);
  const int found = solved_from(solver, arm, bank), any = solved_from(solver, arm, NULL);
  print_message("of 400 in 15 steps: %d from the posture found, %d from a random one\n", found,
                any);
  assert_true(found > any + 80);
  sinew_bank_destroy(bank);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// ---------------------------------------------------------------- free axes

// A task's free axes do not change what is found.
static void free_axes_do_not_count(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  random_stream random = random_stream_of(5);
  static const unsigned free_axes[] = {SINEW_FREE_ROTATION_Z, SINEW_FREE_ROTATION_X,
                                       SINEW_FREE_ROTATION_X | SINEW_FREE_ROTATION_Y};
  static const int axis[] = {2, 0, -1};
  for (int k = 0; k < 3; ++k) {
    sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
    task.free_axes = free_axes[k];
    sinew_bank *bank = bank_of(arm, &task, 1, 2000);
    for (uint64_t round = 0; round < 50; ++round) {
      double q[7], w[3], turn[4];
      int found[8], again[8];
      sinew_configuration_random(arm, 4, round, q);
      sinew_target target = target_at(arm, &task, q);
      assert_int_equal(sinew_bank_find(bank, &target, 8, found), 8);
      // Rotated about the target's free axis, or in any way where two are free.
      random_vector(&random, 3.0, w);
      for (int i = 0; i < 3; ++i) {
        w[i] = axis[k] < 0 || i == axis[k] ? w[i] : 0.0;
      }
      sinew_quaternion_exp(w, turn);
      sinew_quaternion_multiply(target.rotation, turn, target.rotation);
      assert_int_equal(sinew_bank_find(bank, &target, 8, again), 8);
      assert_memory_equal(found, again, sizeof found);
      // The position still counts.
      target.position[0] += 0.5;
      sinew_bank_find(bank, &target, 8, again);
      assert_memory_not_equal(found, again, sizeof found);
    }
    sinew_bank_destroy(bank);
  }
  sinew_model_destroy(arm);
}

// Where no row counts, any postures are found, each once.
static void tasks_without_rows_find_any_postures(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  sinew_task tasks[3] = {task_of(SINEW_TASK_POSITION, ARM_FLANGE),
                         task_of(SINEW_TASK_POSE, ARM_FLANGE), task_of(SINEW_TASK_POSE, 0)};
  tasks[0].free_axes = SINEW_FREE_X;
  tasks[1].position_weight = tasks[1].orientation_weight = 0.0;
  const sinew_target targets[3] = {sinew_default_target(), sinew_default_target(),
                                   sinew_default_target()};
  for (int count = 0; count <= 3; ++count) {
    sinew_bank *bank = bank_of(arm, tasks, count, 100);
    int found[100];
    assert_int_equal(sinew_bank_find(bank, targets, 8, found), 8);
    assert_true(all_different(found, 8, 100));
    assert_int_equal(sinew_bank_find(bank, targets, 100, found), 100);
    assert_true(all_different(found, 100, 100));
    sinew_bank_destroy(bank);
  }
  sinew_model_destroy(arm);
}

// Any tree, coupled joints, chain roots, more tasks than the bank uses, targets far away: all
// indices are valid. req: A10
static void any_tree_finds_valid_postures(void **state) {
  (void)state;
  enum { TASKS = 60 };
  for (uint64_t seed = 20; seed < 30; ++seed) {
    sinew_model *model = tree_of(seed, 20, 0);
    random_stream random = random_stream_of(seed);
    sinew_task tasks[TASKS];
    sinew_target targets[TASKS];
    double q[MOST_NQ];
    for (int t = 0; t < TASKS; ++t) {
      tasks[t] = task_of((sinew_task_kind)random_below(&random, sinew_task_kind_count()),
                         random_below(&random, sinew_model_link_count(model)));
      tasks[t].chain_root = t % 3 == 0 ? sinew_model_root(model) : -1;
      targets[t] = sinew_default_target();
      random_vector(&random, t % 2 ? 1.0 : 1e30, targets[t].position);
      random_unit(&random, 4, targets[t].rotation);
      random_unit(&random, 3, targets[t].direction);
    }
    for (int count = 1; count <= TASKS; count += count < 4 ? 1 : 28) {
      sinew_bank *bank = bank_of(model, tasks, count, 300);
      int found[300];
      for (int want = 1; want <= 300; want += 23) {
        assert_int_equal(sinew_bank_find(bank, targets, want, found), want);
        assert_true(all_different(found, want, 300));
      }
      sinew_bank_posture(bank, found[0], targets, q);
      assert_true(outside_limits(model, q) == 0.0);
      sinew_bank_destroy(bank);
    }
    sinew_model_destroy(model);
  }
}

// ------------------------------------------------------------ a floating base

// A body on a base of a given joint kind, with two arms of three joints; the base's frame is
// rotated and displaced.
static sinew_model *two_arms(sinew_joint_kind kind, const char *channels, double limit) {
  builder b;
  builder_start(&b);
  sinew_joint_def *base = builder_add(&b, 0, kind, 0.3, -0.2, 0.1);
  sinew_quaternion_from_rpy((double[3]){0.4, -0.7, 1.1}, base->placement.rotation);
  snprintf(base->channels, sizeof base->channels, "%s", channels);
  if (limit < INFINITY) {
    builder_limit(base, -limit, limit);
  }
  for (int side = 0; side < 2; ++side) {
    int link = 1;
    for (int k = 0; k < 3; ++k) {
      sinew_joint_def *joint = builder_add(&b, link, SINEW_JOINT_REVOLUTE, k == 0 ? 0.0 : 0.3,
                                           k == 0 ? 0.2 - 0.4 * side : 0.0, 0.05);
      memcpy(joint->axis, (double[3][3]){{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}[k], sizeof joint->axis);
      builder_limit(joint, -2.0, 2.0);
      link = joint->child;
    }
  }
  return builder_make(&b);
}

#define LEFT_HAND 4
#define RIGHT_HAND 7

// Targets of a posture in the bank, with the base elsewhere: the posture is found, with the base
// placed so that the effectors meet the targets. Returns how often it is found first.
static int found_again(const sinew_model *model, const sinew_task *tasks, int count, int rounds) {
  sinew_bank *bank = bank_of(model, tasks, count, 1000);
  sinew_target targets[4] = {sinew_default_target(), sinew_default_target(), sinew_default_target(),
                             sinew_default_target()};
  random_stream random = random_stream_of(9);
  int again = 0;
  for (int round = 0; round < rounds; ++round) {
    double q[MOST_NQ], distance, angle;
    sinew_pose moved;
    int found;
    const int posture = random_below(&random, 1000);
    random_vector(&random, 2.0, moved.position);
    random_unit(&random, 4, moved.rotation);
    sinew_bank_posture(bank, posture, targets, q);
    for (int k = 0; k < count; ++k) {
      targets[k] = target_at(model, &tasks[k], q);
      sinew_pose_transform(&moved, targets[k].position, targets[k].position);
      sinew_quaternion_multiply(moved.rotation, targets[k].rotation, targets[k].rotation);
      sinew_quaternion_rotate(moved.rotation, targets[k].direction, targets[k].direction);
    }
    assert_int_equal(sinew_bank_find(bank, targets, 1, &found), 1);
    again += found == posture;
    sinew_bank_posture(bank, posture, targets, q);
    for (int k = 0; k < count; ++k) {
      measure(model, &tasks[k], &targets[k], q, &distance, &angle);
      assert_at_most(distance, 1e-5);
      assert_at_most(angle, 1e-5);
    }
  }
  sinew_bank_destroy(bank);
  return again;
}

// Free bases, and six-channel bases in every order of angles. req: A3 A5
static void floating_bases_are_placed(void **state) {
  (void)state;
  static const char *const orders[] = {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX",
                                       "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ"};
  const sinew_task both[2] = {task_of(SINEW_TASK_POSE, LEFT_HAND),
                              task_of(SINEW_TASK_POSE, RIGHT_HAND)};
  sinew_model *model = two_arms(SINEW_JOINT_FREE, "", INFINITY);
  assert_true(found_again(model, both, 2, 100) > 90);
  sinew_model_destroy(model);
  for (size_t k = 0; k < sizeof orders / sizeof *orders; ++k) {
    char channels[8];
    snprintf(channels, sizeof channels, k % 2 ? "zxy%.2s%s" : "%.2sx%szy", orders[k],
             orders[k] + 2);
    model = two_arms(SINEW_JOINT_CHANNELS, channels, INFINITY);
    assert_true(found_again(model, both, 2, 50) > 45);
    sinew_model_destroy(model);
  }
}

// Any tasks that fix the effectors' relative pose: points alone, an orientation and points, axes.
static void floating_bases_are_placed_for_every_task_kind(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *person = fixture_humanoid(true, links);
  const int four[4] = {links[HUMANOID_LEFT_HAND], links[HUMANOID_RIGHT_HAND],
                       links[HUMANOID_LEFT_FOOT], links[HUMANOID_RIGHT_FOOT]};
  const sinew_task_kind P = SINEW_TASK_POSITION, O = SINEW_TASK_ORIENTATION, F = SINEW_TASK_POSE,
                        D = SINEW_TASK_DIRECTION;
  const sinew_task_kind kinds[][4] = {{P, P, P, P}, {P, P, O, P}, {F, F, F, F},
                                      {P, F, D, O}, {D, O, P, P}, {O, O, O, O}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    sinew_task tasks[4];
    for (int t = 0; t < 4; ++t) {
      tasks[t] = task_of(kinds[k][t], four[t]);
    }
    assert_true(found_again(person, tasks, 4, 100) > 90);
  }
  // One effector fixes no posture: the base alone brings it to its target in every posture.
  const sinew_task one = task_of(F, four[0]);
  found_again(person, &one, 1, 20);
  sinew_model_destroy(person);
}

// The sum of squares that the best placement of the base minimizes.
static double misfit(const sinew_model *model, const sinew_task *tasks, int count,
                     const sinew_target *targets, const double *q) {
  const double weight = 2.0 / sinew_model_size(model);
  double sum = 0.0;
  for (int t = 0; t < count; ++t) {
    const sinew_target at = target_at(model, &tasks[t], q);
    sum += squared_distance(&tasks[t], weight, &at, &targets[t]);
  }
  return sum;
}

// Where no posture meets the targets, no other placement of the base is better.
static void base_placement_is_optimal(void **state) {
  (void)state;
  sinew_model *model = two_arms(SINEW_JOINT_FREE, "", INFINITY);
  const sinew_task tasks[3] = {task_of(SINEW_TASK_POSE, LEFT_HAND),
                               task_of(SINEW_TASK_POSE, RIGHT_HAND),
                               task_of(SINEW_TASK_DIRECTION, 1)};
  sinew_bank *bank = bank_of(model, tasks, 3, 100);
  random_stream random = random_stream_of(12);
  for (int round = 0; round < 100; ++round) {
    sinew_target targets[3];
    double q[MOST_NQ], other[MOST_NQ], v[MOST_NQ] = {0.0};
    for (int t = 0; t < 3; ++t) {
      targets[t] = sinew_default_target();
      random_vector(&random, 1.0, targets[t].position);
      random_unit(&random, 4, targets[t].rotation);
      random_unit(&random, 3, targets[t].direction);
    }
    sinew_bank_posture(bank, round, targets, q);
    const double least = misfit(model, tasks, 3, targets, q);
    for (int trial = 0; trial < 40; ++trial) {
      // Nearby placements and random ones, since a stationary rotation may be a maximum.
      random_vector(&random, trial % 2 ? 1e-3 : 2.0, v);
      random_vector(&random, trial % 2 ? 1e-3 : 3.0, v + 3);
      sinew_configuration_integrate(model, q, v, other);
      assert_true(misfit(model, tasks, 3, targets, other) > least - 1e-9);
    }
  }
  sinew_bank_destroy(bank);
  sinew_model_destroy(model);
}

// A base with limits, or outside a task's chain, keeps its stored values. req: E6
static void limited_bases_keep_their_values(void **state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    sinew_model *model = two_arms(SINEW_JOINT_CHANNELS, "xyzXYZ", k == 0 ? 1.0 : INFINITY);
    sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, LEFT_HAND),
                           task_of(SINEW_TASK_POSE, RIGHT_HAND)};
    tasks[1].chain_root = k == 0 ? -1 : 1;
    sinew_bank *bank = bank_of(model, tasks, 2, 50);
    sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
    double q[MOST_NQ], again[MOST_NQ];
    for (int i = 0; i < 50; ++i) {
      sinew_bank_posture(bank, i, targets, q);
      targets[0].position[0] = i;
      sinew_bank_posture(bank, i, targets, again);
      assert_memory_equal(q, again, (size_t)sinew_model_nq(model) * sizeof *q);
      assert_true(outside_limits(model, q) == 0.0);
    }
    sinew_bank_destroy(bank);
    sinew_model_destroy(model);
  }
}

// -------------------------------------------------------------------- refused

static void invalid_arguments_are_refused(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  sinew_task pose = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_bank_def def = sinew_default_bank_def();
  sinew_bank *bank = NULL;
  sinew_error error;
  assert_int_equal(def.postures, 16384);
  assert_int_equal(def.random_seed, 1);
  const int sizes[] = {0, -1, (1 << 24) + 1};
  for (int i = 0; i < 3; ++i) {
    def.postures = sizes[i];
    bank = (sinew_bank *)1;
    assert_int_equal(sinew_bank_create(&def, arm, &pose, 1, &bank, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "postures"));
    assert_null(bank);
  }
  def.postures = 10;
  assert_int_equal(sinew_bank_create(NULL, arm, &pose, 1, &bank, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_bank_create(&def, NULL, &pose, 1, &bank, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_bank_create(&def, arm, NULL, 1, &bank, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_bank_create(&def, arm, &pose, -1, &bank, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_bank_create(&def, arm, &pose, 1, NULL, &error), SINEW_ERROR_ARGUMENT);
  const sinew_bank_def zeroed = {.postures = 10};
  assert_int_equal(sinew_bank_create(&zeroed, arm, &pose, 1, &bank, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "sinew_default_bank_def()"));
  pose.link = 99;
  assert_int_equal(sinew_bank_create(&def, arm, &pose, 1, &bank, &error), SINEW_ERROR_INDEX);
  pose.link = ARM_FLANGE;
  pose.point_l[1] = NAN;
  assert_int_equal(sinew_bank_create(&def, arm, &pose, 1, &bank, NULL), SINEW_ERROR_NOT_FINITE);
  assert_null(bank);
  sinew_bank_destroy(NULL);
  sinew_model_destroy(arm);
}

// Each allocation fails in turn: the error says so, no bank is made, no
// memory stays allocated. The bank's stated size is what it allocates; a
// query allocates nothing.
static void memory_is_counted_and_released(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task pose = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const sinew_target target = sinew_default_target();
  counter c = {.fail_at = -1};
  sinew_bank_def def = sinew_default_bank_def();
  def.postures = 1000;
  def.allocator = allocator_of(&c);
  sinew_bank *bank = NULL;
  long before = wrapped;
  assert_ok(sinew_bank_create(&def, arm, &pose, 1, &bank, NULL));
  const int calls = c.calls;
  assert_true(calls > 0);
  assert_int_equal(wrapped - before, calls); // only from the allocator
  assert_int_equal(c.bytes, sinew_bank_bytes(bank));
  int found[40];
  double q[7];
  before = wrapped;
  for (int want = 1; want <= 40; ++want) {
    sinew_bank_find(bank, &target, want, found);
    sinew_bank_posture(bank, found[0], &target, q);
  }
  assert_int_equal(wrapped, before);
  sinew_bank_destroy(bank);
  assert_int_equal(c.live, 0);
  for (int fail = 0; fail < calls; ++fail) {
    sinew_error error = {0};
    c = (counter){.fail_at = fail};
    bank = (sinew_bank *)1;
    assert_int_equal(sinew_bank_create(&def, arm, &pose, 1, &bank, &error), SINEW_ERROR_MEMORY);
    assert_int_equal(error.code, SINEW_ERROR_MEMORY);
    assert_true(error.message[0] != '\0');
    assert_null(bank);
    assert_int_equal(c.live, 0);
  }
  // The default's bank is small.
  c = (counter){.fail_at = -1};
  def.postures = 16384;
  assert_ok(sinew_bank_create(&def, arm, &pose, 1, &bank, NULL));
  print_message("%zu bytes\n", sinew_bank_bytes(bank));
  assert_true(sinew_bank_bytes(bank) < 520000);
  sinew_bank_destroy(bank);
  sinew_model_destroy(arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(found_postures_are_near),
      cmocka_unit_test(found_postures_are_near_for_every_task_kind),
      cmocka_unit_test(queries_return_the_number_asked_for),
      cmocka_unit_test(joint_queries_match_single_queries),
      cmocka_unit_test(postures_are_within_limits),
      cmocka_unit_test(postures_fill_the_range_evenly),
      cmocka_unit_test(same_definition_gives_the_same_bits),
      cmocka_unit_test(found_postures_are_good_seeds),
      cmocka_unit_test(free_axes_do_not_count),
      cmocka_unit_test(tasks_without_rows_find_any_postures),
      cmocka_unit_test(any_tree_finds_valid_postures),
      cmocka_unit_test(floating_bases_are_placed),
      cmocka_unit_test(floating_bases_are_placed_for_every_task_kind),
      cmocka_unit_test(base_placement_is_optimal),
      cmocka_unit_test(limited_bases_keep_their_values),
      cmocka_unit_test(invalid_arguments_are_refused),
      cmocka_unit_test(memory_is_counted_and_released),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
