// The damping laws of DLS against their equations, with the singular values of LAPACK; and through
// the solver.
#include "fixtures.h"
#include "inspect.h"
#include "stack.h"

#include <lapacke.h>

enum { M = STACK_MOST_M, N = STACK_MOST_N };

// A stack with random singular values over six decades, some of them 0, and their directions.
typedef struct trial {
  stack s;
  int p; // the smaller of m and n
  double sigma[M], U[M * M], VT[M * N];
  double E;
  sinew_step_problem problem;
  sinew_damping *damping;
  void *memory;
} trial;

static void trial_make(trial *t, random_stream *random, sinew_damping_law law, double decades) {
  const int m = 1 + random_below(random, 12), n = 1 + random_below(random, 20);
  double sigma[M];
  const int p = m < n ? m : n;
  for (int i = 0; i < p; ++i) {
    sigma[i] = pow(10.0, random_between(random, -decades, 0.3));
    sigma[i] *= decades > 4.0 && random_below(random, 12) == 0 ? 0.0 : 1.0;
  }
  stack_of_singular_values(&t->s, random, m, n, m, sigma);
  const double scale = pow(10.0, random_between(random, -4.0, 1.0));
  for (int i = 0; i < m; ++i) {
    t->s.e[i] = scale * random_between(random, -1.0, 1.0);
  }
  stack_cut(&t->s, m);
  t->p = p;
  stack_lapack_svd(&t->s, t->sigma, t->U, t->VT);
  const double length = stack_length(m, t->s.e);
  t->E = 0.5 * length * length;
  const sinew_step_size size = {m, n, SINEW_SYSTEM_ROWS};
  STACK_SCRATCH(t->memory, sinew_damping_layout(&arena, &size, law, &t->damping));
  sinew_damping_reset(t->damping);
  t->problem = (sinew_step_problem){.rows = &t->s.rows, .e = t->s.e, .gradient = t->s.gradient};
}

static double component(const trial *t, int i) { // u_i . e
  double sum = 0.0;
  for (int r = 0; r < t->s.m; ++r) {
    sum += t->U[r * t->p + i] * t->s.e[r];
  }
  return sum;
}

// |x| of damped least squares.
static double step_length(const trial *t, double mu) {
  double sum = 0.0;
  for (int i = 0; i < t->p; ++i) {
    const double s = t->sigma[i], x = s > 1e-14 ? s / (s * s + mu) * component(t, i) : 0.0;
    sum += x * x;
  }
  return sqrt(sum);
}

static sinew_damping_constants constants_of(random_stream *random, sinew_damping_law law) {
  return (sinew_damping_constants){.law = law,
                                   .lambda = pow(10.0, random_between(random, -3.0, 0.0)),
                                   .threshold = pow(10.0, random_between(random, -2.0, 0.5)),
                                   .error_damping = random_between(random, 0.0, 0.5),
                                   .floor = pow(10.0, random_between(random, -12.0, -2.0)),
                                   .longest = pow(10.0, random_between(random, -2.0, 1.0))};
}

// mu by the equations of the sources.
static double expected(const trial *t, const sinew_damping_constants *c) {
  double w = 1.0, most = 0.0;
  for (int i = 0; i < t->p; ++i) {
    w *= t->sigma[i];
  }
  for (int j = 0; j < t->s.n; ++j) {
    double sum = 0.0;
    for (int i = 0; i < t->s.m; ++i) {
      sum += pow(t->s.J[i * t->s.n + j], 2.0);
    }
    most = fmax(most, sum);
  }
  const double least = t->sigma[t->p - 1], l2 = c->lambda * c->lambda;
  switch (c->law) {
  case SINEW_DAMPING_CONSTANT:
    return l2;
  case SINEW_DAMPING_MANIPULABILITY:
    return w < c->threshold ? l2 * pow(1.0 - w / c->threshold, 2.0) : 0.0;
  case SINEW_DAMPING_SMALLEST:
    return least < c->threshold ? l2 * (1.0 - pow(least / c->threshold, 2.0)) : 0.0;
  case SINEW_DAMPING_BOUND: // lambda = |e| / (2 D)
    return pow(stack_length(t->s.m, t->s.e) / (2.0 * c->longest), 2.0);
  case SINEW_DAMPING_CHAN_LAWRENCE:
    return c->error_damping * t->E;
  case SINEW_DAMPING_SUGIHARA:
    return t->E + c->floor;
  default:
    return 1e-3 * most; // GAIN_RATIO, at first
  }
}

// req: D13
static void laws_follow_their_equations(void **state) {
  (void)state;
  static const sinew_damping_law laws[] = {
      SINEW_DAMPING_CONSTANT,  SINEW_DAMPING_MANIPULABILITY, SINEW_DAMPING_SMALLEST,
      SINEW_DAMPING_BOUND,     SINEW_DAMPING_CHAN_LAWRENCE,  SINEW_DAMPING_SUGIHARA,
      SINEW_DAMPING_GAIN_RATIO};
  random_stream random = random_stream_of(1301);
  int damped[SINEW_DAMPING_COUNT] = {0}, undamped[SINEW_DAMPING_COUNT] = {0};
  for (int round = 0; round < 1400; ++round) {
    static trial t;
    const sinew_damping_law law = laws[round % 7];
    trial_make(&t, &random, law, round % 2 == 0 ? 3.0 : 0.3);
    const sinew_damping_constants c = constants_of(&random, law);
    sinew_damping_fill(&c, t.E, t.damping, &t.problem);
    const double mu = expected(&t, &c);
    assert_near(t.problem.mu, mu, 1e-11 * (mu + c.lambda * c.lambda));
    ++*(mu > 0.0 ? &damped[law] : &undamped[law]);
    free(t.memory);
  }
  for (int i = 0; i < 7; ++i) {
    const bool may_vanish = i == 1 || i == 2;
    assert_true(damped[laws[i]] > 30 && (undamped[laws[i]] > 10) == may_vanish);
  }
}

// The step is at most D long, and with any less damping it is longer. The simple bound keeps the
// same promise with more damping.
// req: D13
static void the_optimal_damping_is_the_least(void **state) {
  (void)state;
  random_stream random = random_stream_of(1302);
  int damped = 0, rounds = 1000;
  for (int round = 0; round < rounds; ++round) {
    static trial t;
    trial_make(&t, &random, SINEW_DAMPING_OPTIMAL, round % 2 == 0 ? 6.0 : 1.0);
    sinew_damping_constants c = constants_of(&random, SINEW_DAMPING_OPTIMAL);
    sinew_damping_fill(&c, t.E, t.damping, &t.problem);
    const double mu = t.problem.mu;
    assert_true(mu >= 0.0);
    assert_at_most(step_length(&t, mu), c.longest * (1.0 + 1e-6));
    if (mu > 0.0) {
      assert_true(step_length(&t, 0.99 * mu) > c.longest);
      ++damped;
    }
    c.law = SINEW_DAMPING_BOUND;
    sinew_damping_fill(&c, t.E, t.damping, &t.problem);
    assert_at_most(step_length(&t, t.problem.mu), c.longest * (1.0 + 1e-12));
    assert_at_most(mu, t.problem.mu * (1.0 + 1e-9));
    free(t.memory);
  }
  assert_true(damped > 200 && damped < rounds - 100);
}

// The estimates of the smallest singular values and their directions, of a J that stays; then of
// one that moves until the smallest two have changed places.
// req: D13
static void filters_estimate_the_smallest(void **state) {
  (void)state;
  random_stream random = random_stream_of(1303);
  for (int round = 0; round < 200; ++round) {
    static trial t;
    trial_make(&t, &random, SINEW_DAMPING_FILTER_TWO, 1.0);
    const int m = t.s.m, n = t.s.n;
    double sigma[M];
    for (int i = 0; i < t.p; ++i) {
      sigma[i] = 0.4 + 0.1 * i;
    }
    sigma[0] = 0.02;
    sigma[t.p > 1 ? 1 : 0] = t.p > 1 ? 0.1 : 0.02;
    stack_of_singular_values(&t.s, &random, m, n, m, sigma);
    static double U[M * M], VT[M * N];
    stack_lapack_svd(&t.s, t.sigma, U, VT);
    for (int step = 0; step <= 40; ++step) { // the smallest two cross at step 20
      const double moved[2] = {0.02 + 0.002 * step, 0.1 - 0.002 * step};
      for (int i = 0; i < m * n; ++i) {
        t.s.J[i] = 0.0;
      }
      for (int i = 0; i < t.p; ++i) {
        const int back = t.p - 1 - i;
        const double s = back == 0 ? moved[0] : back == 1 && t.p > 1 ? moved[1] : t.sigma[i];
        for (int r = 0; r < m; ++r) {
          for (int k = 0; k < n; ++k) {
            t.s.J[r * n + k] += s * U[r * t.p + i] * VT[i * n + k];
          }
        }
      }
      stack_cut(&t.s, m);
      for (int i = 0; i < (step == 0 ? 10 : 1); ++i) {
        sinew_filter_estimate(&t.s.rows, 2, 1e-6, &t.damping->filter);
      }
      const bool square = m <= n; // else J J^T is singular along m - n directions
      const double least = t.p > 1 ? fmin(moved[0], moved[1]) : moved[0];
      if (square && (step < 12 || step > 34)) {
        assert_near(t.damping->filter.sigma[0], least, 0.1 * least);
      }
      if (square && t.p > 1 && (step < 12 || step > 34)) {
        const double second = fmax(moved[0], moved[1]);
        assert_near(t.damping->filter.sigma[1], second, 0.15 * second);
      }
      if (!square) {
        assert_at_most(t.damping->filter.sigma[0], 1e-3);
      }
    }
    free(t.memory);
  }
}

// A filtered step solves (J J^T + sum lambda_k^2 u_k u_k^T + beta^2 I) y = e, x = J^T y, and damps
// the other directions by beta = lambda / 100 only.
// req: D13
static void filters_damp_single_directions(void **state) {
  (void)state;
  random_stream random = random_stream_of(1304);
  int filtered = 0;
  for (int round = 0; round < 300; ++round) {
    static trial t;
    static double A[M * M];
    const sinew_damping_law law = round % 2 == 0 ? SINEW_DAMPING_FILTER : SINEW_DAMPING_FILTER_TWO;
    double y[M], x[N], expected_x[N];
    trial_make(&t, &random, law, 2.0);
    const sinew_damping_constants c = constants_of(&random, law);
    const int m = t.s.m, n = t.s.n;
    sinew_damping_fill(&c, t.E, t.damping, &t.problem);
    const double beta = 0.01 * c.lambda;
    assert_near(t.problem.mu, beta * beta, 1e-15);
    assert_int_equal(t.problem.filter_count, law == SINEW_DAMPING_FILTER || m == 1 ? 1 : 2);
    for (int i = 0; i < m; ++i) {
      y[i] = t.s.e[i];
      for (int j = 0; j < m; ++j) {
        double sum = i == j ? beta * beta : 0.0;
        for (int k = 0; k < n; ++k) {
          sum += t.s.J[i * n + k] * t.s.J[j * n + k];
        }
        for (int k = 0; k < t.problem.filter_count; ++k) {
          const double s = t.damping->filter.sigma[k], share = s / c.threshold;
          const double l2 = s < c.threshold ? c.lambda * c.lambda * (1.0 - share * share) : 0.0;
          filtered += l2 > 0.0;
          sum += l2 * t.damping->filter.u[k][i] * t.damping->filter.u[k][j];
        }
        A[i * m + j] = sum;
      }
    }
    if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', m, 1, A, m, y, 1) == 0) {
      sinew_dls_scratch scratch;
      void *memory;
      const sinew_step_size size = {m, n, SINEW_SYSTEM_ROWS};
      STACK_SCRATCH(memory, sinew_dls_layout(&arena, &size, &scratch));
      t.problem.form = SINEW_SYSTEM_ROWS;
      sinew_dls_step(&t.problem, &scratch, x);
      for (int k = 0; k < n; ++k) {
        expected_x[k] = 0.0;
        for (int i = 0; i < m; ++i) {
          expected_x[k] += t.s.J[i * n + k] * y[i];
        }
        assert_near(x[k], expected_x[k], 1e-6 * (1.0 + stack_length(m, y)));
      }
      free(memory);
    }
    free(t.memory);
  }
  assert_true(filtered > 1000);
}

// Nielsen's rule at ratios below, at and above its turning points.
// req: D13
static void the_gain_ratio_moves_the_damping(void **state) {
  (void)state;
  static const double ratios[] = {-1.0, 0.0, 0.1, 0.25, 0.5, 0.75, 0.937, 1.0, 1.4, 3.0};
  law_ratio last = law_ratio_first(4.0);
  assert_near(last.mu, 4e-3, 1e-18);
  double mu = last.mu, nu = 2.0;
  for (int round = 0; round < 30; ++round) {
    const double rho = ratios[round % 10], predicted = 0.3, E = 2.0;
    last = law_ratio_next(last, E, E - rho * predicted, predicted);
    if (rho > 0.0) {
      mu *= fmax(1.0 / 3.0, 1.0 - pow(2.0 * fmin(rho, 2.0) - 1.0, 3.0));
      nu = 2.0;
    } else {
      mu *= nu;
      nu *= 2.0;
    }
    assert_near(last.mu / mu, 1.0, 1e-9);
    assert_near(last.nu, nu, 0.0);
  }
}

// More rows than joints: with the identity as its weights the weighted pseudoinverse takes the
// steps of damped least squares, by every law.
static void weighted_steps_are_damped_alike(void **state) {
  (void)state;
  enum { TASKS = 10, UPDATES = 5 };
  sinew_model *model = fixture_arm();
  const int nq = sinew_model_nq(model), links = sinew_model_link_count(model);
  for (int law = 0; law < SINEW_DAMPING_COUNT; ++law) {
    static const sinew_method methods[2] = {SINEW_METHOD_DLS, SINEW_METHOD_WEIGHTED};
    double q[2][16], wanted[16];
    sinew_task tasks[TASKS];
    sinew_target targets[TASKS];
    sinew_configuration_random(model, 4, 1, wanted);
    for (int t = 0; t < TASKS; ++t) {
      tasks[t] = task_of(SINEW_TASK_POSE, links - 1 - t % 3);
      targets[t] = target_at(model, &tasks[t], wanted);
    }
    for (int k = 0; k < 2; ++k) {
      sinew_solver_def def = sinew_default_solver_def();
      def.step.method = methods[k];
      def.step.damping_law = (sinew_damping_law)law;
      def.task_capacity = TASKS;
      sinew_solver *solver = solver_with(&def, model, tasks, TASKS);
      sinew_configuration_middle(model, q[k]);
      for (int n = 0; n < UPDATES; ++n) {
        assert_ok(sinew_solver_update(solver, targets, TASKS, q[k], NULL));
      }
      sinew_solver_destroy(solver);
    }
    for (int i = 0; i < nq; ++i) {
      assert_near(q[1][i], q[0][i], 1e-6);
    }
  }
  sinew_model_destroy(model);
}

// Every law solves for reachable targets of an arm, claims nothing that is not so, keeps limits,
// and gives the same bits after a reset.
// req: D13
static void every_law_solves(void **state) {
  (void)state;
  enum { TARGETS = 60 };
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const int nq = sinew_model_nq(model);
  for (int law = 0; law < SINEW_DAMPING_COUNT; ++law) {
    int solved = 0, steps = 0;
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = SINEW_METHOD_DLS;
    def.step.damping_law = (sinew_damping_law)law;
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    for (int i = 0; i < TARGETS; ++i) {
      double q[16], again[16], distance, angle;
      sinew_report report;
      sinew_configuration_random(model, 1305, (uint64_t)i, q);
      const sinew_target target = target_at(model, &task, q);
      sinew_configuration_middle(model, q);
      memcpy(again, q, sizeof q);
      assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
      measure(model, &task, &target, q, &distance, &angle);
      const bool met = distance <= 1.01e-6 && angle <= 1.01e-6;
      assert_true((report.outcome == SINEW_OUTCOME_CONVERGED) == met);
      assert_at_most(outside_limits(model, q), 0.0);
      solved += met;
      steps += report.steps;
      if (i < 3) {
        sinew_solver_reset(solver);
        assert_ok(sinew_solver_solve_local(solver, &target, 1, again, NULL));
        assert_memory_equal(q, again, (size_t)nq * sizeof(double));
      }
    }
    print_message("%-15s solved %d of %d, %d steps\n", sinew_damping_law_string(law), solved,
                  TARGETS, steps);
    assert_true(solved >= TARGETS * 3 / 4);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// Updates by each law towards targets that leave the workspace: finite, the same after a reset.
// req: D13
static void every_law_updates(void **state) {
  (void)state;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(false, links);
  const sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, links[HUMANOID_LEFT_HAND]),
                               task_of(SINEW_TASK_POSE, links[HUMANOID_RIGHT_HAND])};
  double start[128], ends[2][128];
  for (int law = 0; law < SINEW_DAMPING_COUNT; ++law) {
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = SINEW_METHOD_DLS;
    def.step.damping_law = (sinew_damping_law)law;
    sinew_solver *solver = solver_with(&def, model, tasks, 2);
    for (int run = 0; run < 2; ++run) {
      double *q = ends[run];
      sinew_configuration_start(model, start);
      memcpy(q, start, sizeof start);
      sinew_solver_reset(solver);
      for (int i = 0; i < 60; ++i) {
        sinew_target targets[2] = {target_at(model, &tasks[0], start),
                                   target_at(model, &tasks[1], start)};
        targets[0].position[0] += 0.05 * i;
        targets[1].position[2] += 0.03 * i;
        assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
      }
      for (int i = 0; i < sinew_model_nq(model); ++i) {
        assert_true(isfinite(q[i]));
      }
    }
    assert_memory_equal(ends[0], ends[1], (size_t)sinew_model_nq(model) * sizeof(double));
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_follow_their_equations),
      cmocka_unit_test(the_optimal_damping_is_the_least),
      cmocka_unit_test(filters_estimate_the_smallest),
      cmocka_unit_test(filters_damp_single_directions),
      cmocka_unit_test(the_gain_ratio_moves_the_damping),
      cmocka_unit_test(weighted_steps_are_damped_alike),
      cmocka_unit_test(every_law_solves),
      cmocka_unit_test(every_law_updates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
