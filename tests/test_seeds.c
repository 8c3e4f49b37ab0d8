// The starts of attempts, and the distance between solutions, by internal functions.
#include "fixtures.h"
#include "inspect.h"

#define MOST 64

// A figure with a floating base, whose hands have tasks.
typedef struct figure {
  sinew_model *model;
  sinew_task tasks[2];
  sinew_solver *solver;
  int nq, nv;
} figure;

static figure figure_make(void) {
  figure f;
  int links[HUMANOID_PLACES];
  f.model = fixture_humanoid(true, links);
  f.tasks[0] = task_of(SINEW_TASK_POSE, links[HUMANOID_LEFT_HAND]);
  f.tasks[1] = task_of(SINEW_TASK_POSITION, links[HUMANOID_RIGHT_HAND]);
  f.solver = solver_with(NULL, f.model, f.tasks, 2);
  f.nq = sinew_model_nq(f.model);
  f.nv = sinew_model_nv(f.model);
  assert_true(f.nq <= MOST);
  return f;
}

static void figure_destroy(figure *f) {
  sinew_solver_destroy(f->solver);
  sinew_model_destroy(f->model);
}

// The largest difference between two configurations; spherical joints by their rotation vector.
static double difference_of(const figure *f, const double *a, const double *b) {
  double v[MOST], zeros[MOST] = {0.0};
  sinew_configuration_difference(f->model, a, b, v);
  return farthest(f->nv, v, zeros);
}

// Inactive joints are unchanged, bit for bit.
static void assert_inactive_stays(const figure *f, const double *q, const double *before) {
  for (int j = 0; j < sinew_model_joint_count(f->model); ++j) {
    sinew_joint joint;
    assert_ok(sinew_model_joint(f->model, j, &joint));
    bool used = false;
    for (int i = 0; i < joint.nv; ++i) {
      used |= f->solver->problem.column_of_dof[joint.v_index + i] >= 0;
    }
    if (!used && joint.nq > 0) {
      assert_memory_equal(q + joint.q_index, before + joint.q_index, (size_t)joint.nq * sizeof *q);
    }
  }
}

// Start n, for the caller's configuration in q.
static void go_to_start(const sinew_solver *solver, uint64_t n, double *q) {
  double caller[MOST];
  memcpy(caller, q, (size_t)solver->model->nq * sizeof *q);
  sinew_search_scratch *scratch = (sinew_search_scratch *)(uintptr_t)&solver->search;
  sinew_seeds seeds = {.problem = &solver->problem,
                       .scratch = &scratch->seeds,
                       .caller = caller,
                       .caller_number = -1,
                       .place = n};
  assert_int_equal(sinew_seeds_next(&seeds, 0, q), SINEW_SEED_OTHER);
}

// Starts are within limits, do not change inactive joints, and differ from each other. They do not
// depend on the configuration before, except where a joint has no limits.
// req: B14
static void starts_are_valid_and_distinct(void **state) {
  (void)state;
  figure f = figure_make();
  double last[MOST] = {0.0};
  for (uint64_t n = 0; n < 50; ++n) {
    double q[MOST], other[MOST], before[MOST];
    sinew_configuration_random(f.model, 441, n, before);
    memcpy(q, before, sizeof q);
    go_to_start(f.solver, n, q);
    assert_true(outside_limits(f.model, q) == 0.0);
    assert_inactive_stays(&f, q, before);
    assert_true(n == 0 || difference_of(&f, q, last) > 0.1);
    sinew_configuration_random(f.model, 442, n, other);
    memcpy(other, before, 3 * sizeof *other); // the floating base has no limits
    go_to_start(f.solver, n, other);
    for (int column = 0; column < f.solver->evaluation.rows.dof_count; ++column) {
      // Active joints are the same.
      const int v = f.solver->problem.dof_of_column[column];
      double d[MOST];
      sinew_configuration_difference(f.model, q, other, d);
      assert_at_most(fabs(d[v]), 1e-6);
    }
    memcpy(last, q, sizeof last);
  }
  figure_destroy(&f);
}

// The middle half of each range gets half of the starts, in any two hundred of them.
static void starts_are_evenly_distributed(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  const double *lower = sinew_model_lower(model), *upper = sinew_model_upper(model);
  for (uint64_t from = 0; from < 1000; from += 200) {
    int inner[7] = {0};
    for (uint64_t n = from; n < from + 200; ++n) {
      double q[7] = {0.0};
      go_to_start(solver, n, q);
      for (int v = 0; v < 7; ++v) {
        inner[v] += fabs((q[v] - lower[v]) / (upper[v] - lower[v]) - 0.5) < 0.25;
      }
    }
    for (int v = 0; v < 7; ++v) {
      assert_in_range(inner[v], 90, 110); // of random ones one in six would be outside
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Between a solution and the caller's configuration: half the way, along the shortest rotation of a
// spherical joint.
static void starts_half_way_to_a_solution(void **state) {
  (void)state;
  figure f = figure_make();
  for (uint64_t round = 0; round < 50; ++round) {
    double from[MOST], to[MOST], q[MOST], v[MOST], half[MOST];
    sinew_configuration_random(f.model, 443, round, from);
    sinew_configuration_random(f.model, 444, round, to);
    sinew_seeds seeds = {.problem = &f.solver->problem,
                         .scratch = &f.solver->search.seeds,
                         .caller = to,
                         .nearer = from};
    assert_true(sinew_seeds_follow(&seeds, q));
    assert_false(seeds.nearer != NULL);
    assert_inactive_stays(&f, q, from);
    sinew_configuration_difference(f.model, from, to, v);
    sinew_configuration_difference(f.model, from, q, half);
    for (int column = 0; column < f.solver->evaluation.rows.dof_count; ++column) {
      const int dof = f.solver->problem.dof_of_column[column];
      assert_near(half[dof], 0.5 * v[dof], 1e-9);
    }
  }
  figure_destroy(&f);
}

// Distances are weighted norms of the difference of configurations, over active joints.
static void distances_are_weighted_norms(void **state) {
  (void)state;
  figure f = figure_make();
  double weights[MOST];
  for (int v = 0; v < f.nv; ++v) {
    weights[v] = 0.3 + 0.7 * v;
  }
  for (uint64_t round = 0; round < 50; ++round) {
    double a[MOST], b[MOST], v[MOST], plain = 0.0, weighted = 0.0;
    sinew_configuration_random(f.model, 445, round, a);
    sinew_configuration_random(f.model, 446, round, b);
    sinew_configuration_difference(f.model, a, b, v);
    for (int column = 0; column < f.solver->evaluation.rows.dof_count; ++column) {
      const int dof = f.solver->problem.dof_of_column[column];
      plain += v[dof] * v[dof];
      weighted += weights[dof] * v[dof] * v[dof];
    }
    assert_near(sinew_problem_distance(&f.solver->problem, NULL, a, b), plain, 1e-9 * plain);
    assert_near(sinew_problem_distance(&f.solver->problem, weights, a, b), weighted,
                1e-9 * weighted);
  }
  figure_destroy(&f);
}

// Half a turn away in either direction, to the last bit: each image once.
static void images_of_half_turns(void **state) {
  (void)state;
  sinew_model *model = fixture_planar_limited(1, 1.0, -3.0 * PI - 0.1, 3.0 * PI + 0.1, INFINITY);
  const sinew_task task = task_of(SINEW_TASK_ORIENTATION, 1);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  for (int side = -1; side <= 1; side += 2) {
    const double seed = 0.0;
    double rows[8] = {side * PI};
    sinew_solutions all = {solver, NULL, &seed, INFINITY, 1, 8, rows, false};
    sinew_solutions_add_images(&all);
    assert_int_equal(all.count, 4);
    for (int i = 0; i < 4; ++i) {
      assert_near(fabs(rows[i]), i < 2 ? PI : 3.0 * PI, 1e-12);
    }
    assert_true(rows[0] * rows[1] < 0.0 && rows[2] * rows[3] < 0.0);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starts_are_valid_and_distinct),
      cmocka_unit_test(starts_are_evenly_distributed),
      cmocka_unit_test(starts_half_way_to_a_solution),
      cmocka_unit_test(distances_are_weighted_norms),
      cmocka_unit_test(images_of_half_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
