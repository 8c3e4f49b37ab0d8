// All solutions of figures with several limbs that share no joint: each combination of the limbs'
// own solutions, the nearest where there are more than the caller has room for.
#include "fixtures.h"
#include "inspect.h"
#include "scenes/scenes.h"
#include "sinew/global.h"

#include <stdlib.h>

#define MOST_LIMBS 6
#define MOST_NQ 24
#define MOST 300

// ------------------------------------------------------- limbs of two links in a plane

typedef struct spider {
  sinew_model *model;
  sinew_solver *solver;
  sinew_task tasks[MOST_LIMBS + 1];
  sinew_target targets[MOST_LIMBS + 1];
  int limbs, joints;              // joints of each limb
  double elbow[MOST_LIMBS][2][2]; // the closed form: of each limb two solutions
} spider;

// Limb i begins at (i, 0, 0) and has so many joints about z, links of length 1 and 0.7.
static sinew_model *spider_model(int limbs, int joints) {
  builder b;
  builder_start(&b);
  for (int i = 0; i < limbs; ++i) {
    int link = 0;
    for (int j = 0; j < joints; ++j) {
      builder_add(&b, link, SINEW_JOINT_REVOLUTE, j == 0 ? (double)i : 1.0, 0.0, 0.0);
      link = b.joint_count;
    }
    builder_add(&b, link, SINEW_JOINT_FIXED, 0.7, 0.0, 0.0);
  }
  return builder_make(&b);
}

static spider spider_make(int limbs, int joints, random_stream *random) {
  spider s = {.model = spider_model(limbs, joints), .limbs = limbs, .joints = joints};
  for (int i = 0; i < limbs; ++i) {
    const double at = random_between(random, -3.0, 3.0), r = random_between(random, 0.5, 1.6);
    s.tasks[i] = task_of(SINEW_TASK_POSITION, (joints + 1) * (i + 1));
    s.targets[i] = sinew_default_target();
    s.targets[i].position[0] = i + r * cos(at);
    s.targets[i].position[1] = r * sin(at);
    const double bend = acos((r * r - 1.0 - 0.49) / 1.4);
    for (int k = 0; k < 2; ++k) {
      const double second = k == 0 ? bend : -bend;
      s.elbow[i][k][0] = at - atan2(0.7 * sin(second), 1.0 + 0.7 * cos(second));
      s.elbow[i][k][1] = second;
    }
  }
  s.solver = solver_with(NULL, s.model, s.tasks, limbs);
  return s;
}

static void spider_destroy(spider *s) {
  sinew_solver_destroy(s->solver);
  sinew_model_destroy(s->model);
}

// The distance of an angle from another, by at most half a turn.
static double nearest_turn(double angle) {
  return remainder(angle, 2.0 * SINEW_PI);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double distance_of(int nq, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < nq; ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sum;
}

// The distances from the seed of all combinations of elbows, by their closed form, in order.
static int combine_elbows(const spider *s, const double *seed, double *distances) {
  const int count = 1 << s->limbs;
  for (int c = 0; c < count; ++c) {
    distances[c] = 0.0;
    for (int i = 0; i < s->limbs; ++i) {
      for (int j = 0; j < 2; ++j) {
        const double d = nearest_turn(s->elbow[i][c >> i & 1][j] - seed[2 * i + j]);
        distances[c] += d * d;
      }
    }
  }
  qsort(distances, (size_t)count, sizeof *distances, by_value);
  return count;
}

static void expect_different(int nq, int count, const double *rows) {
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < i; ++j) {
      assert_true(distance_of(nq, rows + i * nq, rows + j * nq) > 1e-4);
    }
  }
}

// Two to the number of limbs, none twice, the nearest first, for any capacity.
// req: D23
static void elbows_of_all_limbs(void **state) {
  (void)state;
  random_stream random = random_stream_of(5);
  static const int capacities[] = {1, 2, 3, 7, 16, 17, 64, MOST};
  static double rows[(MOST + 1) * MOST_NQ], distances[1 << MOST_LIMBS];
  for (int limbs = 2; limbs <= MOST_LIMBS; ++limbs) {
    spider s = spider_make(limbs, 2, &random);
    const int nq = 2 * limbs;
    double seed[MOST_NQ];
    for (int i = 0; i < nq; ++i) {
      seed[i] = random_between(&random, -3.0, 3.0);
    }
    const int all = combine_elbows(&s, seed, distances);
    for (int k = 0; k < (int)(sizeof capacities / sizeof *capacities); ++k) {
      const int capacity = capacities[k], wanted = all < capacity ? all : capacity;
      int found;
      sinew_report report;
      memset(rows, 0x55, sizeof rows);
      assert_ok(sinew_solver_solve_all(s.solver, NULL, s.targets, limbs, seed, capacity, rows,
                                       &found, &report));
      assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
      assert_int_equal(found, wanted);
      expect_different(nq, found, rows);
      for (int i = 0; i < found; ++i) {
        assert_near(distance_of(nq, rows + i * nq, seed), distances[i], 1e-4);
        for (int t = 0; t < limbs; ++t) {
          double d, angle;
          measure(s.model, &s.tasks[t], &s.targets[t], rows + i * nq, &d, &angle);
          assert_at_most(d, 1.000001e-6);
        }
      }
      for (int i = 0; i < nq; ++i) { // no row after the capacity is written
        double untouched;
        memset(&untouched, 0x55, sizeof untouched);
        assert_memory_equal(&rows[capacity * nq + i], &untouched, sizeof untouched);
      }
    }
    spider_destroy(&s);
  }
}

// One limb that is out of reach leaves no solution, and is named.
static void one_limb_out_of_reach(void **state) {
  (void)state;
  random_stream random = random_stream_of(6);
  for (int limbs = 2; limbs <= MOST_LIMBS; ++limbs) {
    for (int far = 0; far < limbs; ++far) {
      spider s = spider_make(limbs, 2, &random);
      double seed[MOST_NQ] = {0.0};
      static double rows[MOST * MOST_NQ];
      int found;
      sinew_report report;
      s.targets[far].position[1] += 5.0;
      assert_ok(sinew_solver_solve_all(s.solver, NULL, s.targets, limbs, seed, MOST, rows, &found,
                                       &report));
      assert_int_equal(found, 0);
      assert_int_equal(report.outcome, SINEW_OUTCOME_OUT_OF_REACH);
      assert_int_equal(report.reach_task, far);
      assert_int_equal(report.worst_task, far);
      assert_near(report.reach, 1.7, 1e-9);
      // The nearest of that limb, with the others solved.
      const double away = hypot(s.targets[far].position[0] - far, s.targets[far].position[1]);
      assert_near(report.position_error, away - 1.7, 1e-6);
      spider_destroy(&s);
    }
  }
}

// Limbs with one joint more than their target needs have infinitely many solutions: the capacity is
// filled with different ones.
static void redundant_limbs_fill_the_capacity(void **state) {
  (void)state;
  random_stream random = random_stream_of(7);
  static const int capacities[] = {1, 5, 16, 40, MOST};
  static double rows[MOST * MOST_NQ];
  spider s = spider_make(3, 3, &random);
  for (int k = 0; k < (int)(sizeof capacities / sizeof *capacities); ++k) {
    double seed[9] = {0.3, 0.4, 0.5, -0.3, 0.4, 0.5, 0.3, -0.4, 0.5};
    int found;
    sinew_report report;
    assert_ok(sinew_solver_solve_all(s.solver, NULL, s.targets, 3, seed, capacities[k], rows,
                                     &found, &report));
    assert_int_equal(found, capacities[k]);
    expect_different(9, found, rows);
    for (int i = 0; i < found; ++i) {
      assert_true(i == 0 ||
                  distance_of(9, rows + 9 * i, seed) >= distance_of(9, rows + 9 * i - 9, seed));
      for (int t = 0; t < 3; ++t) {
        double d, angle;
        measure(s.model, &s.tasks[t], &s.targets[t], rows + 9 * i, &d, &angle);
        assert_at_most(d, 1.000001e-6);
      }
    }
  }
  spider_destroy(&s);
}

// A target of a link that no joint moves: met it changes nothing, not met there is no solution.
static void links_that_do_not_move(void **state) {
  (void)state;
  random_stream random = random_stream_of(8);
  for (int met = 0; met < 2; ++met) {
    spider s = spider_make(2, 2, &random);
    double seed[4] = {0.0};
    static double rows[MOST * 4];
    int found;
    sinew_report report;
    s.tasks[2] = task_of(SINEW_TASK_POSITION, 0);
    s.targets[2] = sinew_default_target();
    s.targets[2].position[2] = met == 1 ? 0.0 : 0.1;
    assert_ok(sinew_solver_set_tasks(s.solver, s.tasks, 3, NULL));
    assert_ok(
        sinew_solver_solve_all(s.solver, NULL, s.targets, 3, seed, MOST, rows, &found, &report));
    assert_int_equal(found, met == 1 ? 4 : 0);
    assert_int_equal(report.outcome,
                     met == 1 ? SINEW_OUTCOME_CONVERGED : SINEW_OUTCOME_OUT_OF_REACH);
    assert_int_equal(report.reach_task, met == 1 ? -1 : 2);
    spider_destroy(&s);
  }
}

// Whole turns of the joints of both limbs: with limits of 1.5 turns each way every value but those
// near 0 has two images.
static void images_of_combinations(void **state) {
  (void)state;
  random_stream random = random_stream_of(9);
  spider s = spider_make(2, 2, &random);
  double lower[4], upper[4], seed[4] = {0.0};
  static double rows[MOST * 4];
  int found, wanted = 0;
  for (int v = 0; v < 4; ++v) {
    lower[v] = -3.0 * SINEW_PI;
    upper[v] = 3.0 * SINEW_PI;
  }
  assert_ok(sinew_solver_set_limits(s.solver, lower, upper));
  for (int c = 0; c < 4; ++c) {
    int images = 1;
    for (int v = 0; v < 4; ++v) {
      const double x = nearest_turn(s.elbow[v / 2][c >> v / 2 & 1][v % 2]);
      int count = 0;
      for (int k = -3; k <= 3; ++k) {
        count += fabs(x + 2.0 * k * SINEW_PI) <= 3.0 * SINEW_PI;
      }
      images *= count;
    }
    wanted += images;
  }
  sinew_global_def def = sinew_default_global_def();
  def.images = true;
  assert_ok(sinew_solver_solve_all(s.solver, &def, s.targets, 2, seed, MOST, rows, &found, NULL));
  assert_int_equal(found, wanted < MOST ? wanted : MOST);
  expect_different(4, found, rows);
  spider_destroy(&s);
}

// ---------------------------------------------------------------- arms of six joints

// The combinations of what each limb's own solver finds, and its steps.
static void limbs_of_stars(void **state) {
  (void)state;
  static double own[3][16 * 6], rows[MOST * 18];
  int most = 0;
  for (uint64_t round = 0; round < 12; ++round) {
    const int limbs = 2 + (int)(round % 2);
    const sinew_scene_star_def def = {limbs, 6, 0, 3 + round};
    sinew_scene *scene = sinew_scene_star(&def);
    sinew_model *model;
    double q[18], seed[18];
    sinew_target targets[3];
    int all = 1, steps = 0, found, count[3];
    sinew_report report;
    assert_non_null(scene);
    assert_ok(sinew_model_create(&scene->model, &model, NULL));
    sinew_configuration_random(model, 61, round, q);
    sinew_configuration_random(model, 62, round, seed);
    for (int i = 0; i < limbs; ++i) {
      sinew_solver *limb = solver_with(NULL, model, &scene->tasks[i], 1);
      static double full[16 * 18];
      targets[i] = target_at(model, &scene->tasks[i], q);
      assert_ok(
          sinew_solver_solve_all(limb, NULL, &targets[i], 1, seed, 16, full, &count[i], &report));
      for (int k = 0; k < count[i]; ++k) {
        memcpy(own[i] + 6 * k, full + k * 6 * limbs + 6 * i, 6 * sizeof(double));
      }
      all *= count[i];
      steps += report.steps;
      sinew_solver_destroy(limb);
    }
    sinew_solver *solver = solver_with(NULL, model, scene->tasks, limbs);
    assert_ok(
        sinew_solver_solve_all(solver, NULL, targets, limbs, seed, MOST, rows, &found, &report));
    assert_int_equal(found, all < MOST ? all : MOST);
    assert_int_equal(report.steps, steps);
    most = found > most ? found : most;
    expect_different(6 * limbs, found, rows);
    for (int r = 0; r < found; ++r) { // each part is one of the limb's own
      for (int i = 0; i < limbs; ++i) {
        int k = 0;
        while (k < count[i] &&
               memcmp(rows + (r * limbs + i) * 6, own[i] + 6 * k, 6 * sizeof(double)) != 0) {
          ++k;
        }
        assert_true(k < count[i]);
      }
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
    sinew_scene_destroy(scene);
  }
  print_message("up to %d combinations\n", most);
  assert_true(most >= 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elbows_of_all_limbs),
      cmocka_unit_test(one_limb_out_of_reach),
      cmocka_unit_test(redundant_limbs_fill_the_capacity),
      cmocka_unit_test(links_that_do_not_move),
      cmocka_unit_test(images_of_combinations),
      cmocka_unit_test(limbs_of_stars),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
