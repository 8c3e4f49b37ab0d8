// The effect of gains and of a matrix of weights on a step, against LAPACK's least squares.
#include "fixtures.h"
#include "inspect.h"
#include "sinew/qp.h"

#include <lapacke.h>

// A solver's step with gains G and almost no damping: J x = e, with the x of least |G^-1 x|, G (J
// G)^+ e by LAPACK. J is that of the state, the error small, lengths divided by the model's size.
// req: B15 D6
static void gains_weight_the_pseudoinverse(void **state_) {
  (void)state_;
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const double size = sinew_model_size(arm);
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = SINEW_METHOD_DLS;
  def.step.error_damping = 0.0;
  def.step.max_turn = 100.0;
  sinew_solver *solver = solver_with(&def, arm, &task, 1);
  sinew_state *state = NULL;
  assert_ok(sinew_state_create(arm, NULL, &state, NULL));
  random_stream random = random_stream_of(70);
  for (uint64_t round = 0; round < 100; ++round) {
    double q[7], before[7], gains[7], J[42], JG[42], e[7], w[3], sigma[7], x[7];
    sinew_configuration_middle(arm, q);
    for (int v = 0; v < 7; ++v) {
      q[v] += random_between(&random, -0.5, 0.5);
      gains[v] = random_between(&random, 0.1, 3.0);
    }
    memcpy(before, q, sizeof q);
    sinew_target target = target_at(arm, &task, q);
    random_vector(&random, 1e-3, e);
    random_vector(&random, 1e-3, w);
    double turn[4];
    sinew_quaternion_exp(w, turn);
    sinew_quaternion_multiply(turn, target.rotation, target.rotation);
    for (int i = 0; i < 3; ++i) {
      target.position[i] += e[i];
      e[i] /= size;
      e[3 + i] = w[i];
    }
    assert_ok(sinew_state_forward(state, q));
    assert_ok(sinew_state_jacobian(state, ARM_FLANGE, NULL, sinew_model_root(arm), J));
    for (int i = 0; i < 42; ++i) {
      J[i] /= i < 21 ? size : 1.0;
      JG[i] = J[i] * gains[i % 7];
    }
    assert_ok(sinew_solver_set_gains(solver, gains));
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    e[6] = 0.0;
    memcpy(x, e, sizeof x);
    lapack_int rank;
    assert_int_equal(LAPACKE_dgelsd(LAPACK_ROW_MAJOR, 6, 7, 1, JG, 7, x, 1, sigma, 1e-12, &rank),
                     0);
    assert_int_equal(rank, 6);
    for (int i = 0; i < 6; ++i) {
      double reached = 0.0;
      for (int v = 0; v < 7; ++v) {
        reached += J[7 * i + v] * (q[v] - before[v]);
      }
      assert_near(reached, e[i], 1e-9);
    }
    for (int v = 0; v < 7; ++v) {
      assert_near(q[v] - before[v], gains[v] * x[v], 1e-7);
    }
  }
  sinew_state_destroy(state);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// ------------------------------------------------------------------ weights

#define MOST 80

// A symmetric positive definite matrix A A^T + 0.1 I.
static void random_weights(random_stream *random, int n, double *W) {
  static double A[MOST * MOST];
  for (int i = 0; i < n * n; ++i) {
    A[i] = random_between(random, -1.0, 1.0);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = i == j ? 0.1 : 0.0;
      for (int k = 0; k < n; ++k) {
        sum += A[i * n + k] * A[j * n + k];
      }
      W[i * n + j] = W[j * n + i] = sum;
    }
  }
}

typedef struct problem {
  sinew_model *model;
  sinew_state *state;
  int n, m;
  sinew_task tasks[5];
  sinew_target targets[5];
  double J[30 * MOST], e[30]; // dimensionless
  double q[2 * MOST], before[2 * MOST];
} problem;

// Small errors of pose tasks on links, lengths divided by the model's size.
static void problem_make(problem *p, sinew_model *model, const int *links, int count,
                         random_stream *random) {
  double v[MOST];
  *p = (problem){.model = model, .n = sinew_model_nv(model), .m = 6 * count};
  const double size = sinew_model_size(model);
  assert_ok(sinew_state_create(model, NULL, &p->state, NULL));
  sinew_configuration_middle(model, p->q);
  for (int i = 0; i < p->n; ++i) {
    v[i] = random_between(random, -0.3, 0.3);
  }
  sinew_configuration_integrate(model, p->q, v, p->q);
  memcpy(p->before, p->q, sizeof p->q);
  assert_ok(sinew_state_forward(p->state, p->q));
  for (int t = 0; t < count; ++t) {
    double e[6], turn[4], *J = p->J + 6 * t * p->n;
    p->tasks[t] = task_of(SINEW_TASK_POSE, links[t]);
    p->targets[t] = target_at(model, &p->tasks[t], p->q);
    random_vector(random, 1e-4, e);
    random_vector(random, 1e-4, e + 3);
    sinew_quaternion_exp(e + 3, turn);
    sinew_quaternion_multiply(turn, p->targets[t].rotation, p->targets[t].rotation);
    assert_ok(sinew_state_jacobian(p->state, links[t], NULL, sinew_model_root(model), J));
    for (int i = 0; i < 6; ++i) {
      p->targets[t].position[i % 3] += i < 3 ? e[i] : 0.0;
      p->e[6 * t + i] = i < 3 ? e[i] / size : e[i];
      for (int j = 0; j < p->n; ++j) { // columns of translations [sizes]
        J[i * p->n + j] *= (i < 3 ? 1.0 / size : 1.0) * (model->angular[j] ? 1.0 : size);
      }
    }
  }
}

static void problem_end(problem *p) {
  sinew_state_destroy(p->state);
  sinew_model_destroy(p->model);
}

static sinew_solver *weighted_solver(const problem *p, sinew_method method, double lambda) {
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = method;
  def.step.error_damping = 0.0;
  def.step.damping = lambda * sinew_model_size(p->model);
  def.step.max_turn = 100.0;
  sinew_solver *solver = solver_with(&def, p->model, p->tasks, p->m / 6);
  double lower[MOST], upper[MOST];
  for (int j = 0; j < p->n; ++j) {
    lower[j] = -INFINITY;
    upper[j] = INFINITY;
  }
  assert_ok(sinew_solver_set_limits(solver, lower, upper));
  return solver;
}

// The step that an update takes [rad or sizes].
static void step_of(problem *p, sinew_solver *solver, double *x) {
  memcpy(p->q, p->before, sizeof p->q);
  assert_ok(sinew_solver_update(solver, p->targets, p->m / 6, p->q, NULL));
  sinew_configuration_difference(p->model, p->before, p->q, x);
  for (int j = 0; j < p->n; ++j) {
    x[j] /= p->model->angular[j] ? 1.0 : sinew_model_size(p->model);
  }
}

// A full W: the least x^T W x with J x = e, by LAPACK's least squares with constraints, of the arm
// and of a person whose base floats and whose joints include spherical ones; and with damping the
// least |J x - e|^2 + mu x^T W x. req: D11 B15
static void a_matrix_weights_the_pseudoinverse(void **state) {
  (void)state;
  random_stream random = random_stream_of(71);
  static double W[MOST * MOST], R[MOST * MOST], B[30 * MOST], A[(30 + MOST) * MOST];
  for (int round = 0; round < 40; ++round) {
    problem p;
    int links[HUMANOID_PLACES] = {0};
    double x[MOST], expected[MOST], zero[MOST] = {0.0}, e[30], b[30 + MOST] = {0.0};
    const bool person = round % 4 == 0, damped = round % 2 == 1;
    sinew_model *model = person ? fixture_humanoid(true, links) : fixture_arm();
    const int arm[1] = {ARM_FLANGE};
    const int tips[5] = {links[HUMANOID_LEFT_HAND], links[HUMANOID_RIGHT_HAND],
                         links[HUMANOID_LEFT_FOOT], links[HUMANOID_RIGHT_FOOT],
                         links[HUMANOID_HEAD]}; // which all joints move
    problem_make(&p, model, person ? tips : arm, person ? 5 : 1, &random);
    random_weights(&random, p.n, W);
    sinew_solver *solver = weighted_solver(&p, SINEW_METHOD_WEIGHTED, damped ? 0.1 : 0.0);
    assert_ok(sinew_solver_set_weights(solver, W));
    step_of(&p, solver, x);
    memcpy(R, W, sizeof R); // W = R^T R
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', p.n, R, p.n), 0);
    for (int i = 0; i < p.n * p.n; ++i) {
      R[i] = i / p.n > i % p.n ? 0.0 : R[i];
    }
    memcpy(e, p.e, sizeof e);
    if (damped) {
      memcpy(A, p.J, (size_t)(p.m * p.n) * sizeof(double));
      for (int i = 0; i < p.n * p.n; ++i) {
        A[p.m * p.n + i] = 0.1 * R[i];
      }
      memcpy(b, e, (size_t)p.m * sizeof(double));
      assert_int_equal(LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', p.m + p.n, p.n, 1, A, p.n, b, 1), 0);
      memcpy(expected, b, sizeof expected);
    } else {
      memcpy(B, p.J, sizeof B);
      assert_int_equal(
          LAPACKE_dgglse(LAPACK_ROW_MAJOR, p.n, p.n, p.m, R, p.n, B, p.n, zero, e, expected), 0);
    }
    // the error is of the second order in the targets' distance
    double largest = 0.0;
    for (int j = 0; j < p.n; ++j) {
      largest = fmax(largest, fabs(expected[j]));
    }
    assert_true(largest > 1e-6);
    assert_at_most(farthest(p.n, x, expected), 1e-3 * largest);
    sinew_solver_destroy(solver);
    problem_end(&p);
  }
}

// A diagonal W is that of gains W^-1/2, and I that of none: the steps of DLS. req: D11 B15
static void a_diagonal_matrix_is_that_of_gains(void **state) {
  (void)state;
  random_stream random = random_stream_of(72);
  for (int round = 0; round < 30; ++round) {
    problem p;
    double x[MOST], expected[MOST], gains[MOST], W[49] = {0.0};
    const int arm[1] = {ARM_FLANGE};
    problem_make(&p, fixture_arm(), arm, 1, &random);
    for (int j = 0; j < 7; ++j) {
      gains[j] = round % 3 == 0 ? 1.0 : pow(10.0, random_between(&random, -2.0, 2.0));
      W[8 * j] = 1.0 / (gains[j] * gains[j]);
    }
    sinew_solver *weighted = weighted_solver(&p, SINEW_METHOD_WEIGHTED, 0.01);
    sinew_solver *plain = weighted_solver(&p, SINEW_METHOD_DLS, 0.01);
    assert_ok(sinew_solver_set_weights(weighted, round % 3 == 0 ? NULL : W));
    assert_ok(sinew_solver_set_gains(plain, gains));
    step_of(&p, weighted, x);
    step_of(&p, plain, expected);
    assert_at_most(farthest(7, x, expected), 1e-10);
    sinew_solver_destroy(weighted);
    sinew_solver_destroy(plain);
    problem_end(&p);
  }
}

// Within limits the step is the optimum of the quadratic program, and joints with larger weights
// move less where the matrix couples none. req: D11 E5
static void weights_within_limits(void **state) {
  (void)state;
  random_stream random = random_stream_of(73);
  int active = 0;
  for (int round = 0; round < 60; ++round) {
    problem p;
    static double W[MOST * MOST], H[MOST * MOST];
    double x[MOST], expected[MOST], lower[MOST], upper[MOST], g[MOST], least[MOST], most[MOST];
    const int arm[1] = {ARM_FLANGE};
    problem_make(&p, fixture_arm(), arm, 1, &random);
    random_weights(&random, p.n, W);
    sinew_solver *solver = weighted_solver(&p, SINEW_METHOD_WEIGHTED, 0.05);
    assert_ok(sinew_solver_set_weights(solver, W));
    for (int j = 0; j < p.n; ++j) {
      lower[j] = -random_between(&random, 0.0, 1e-4);
      upper[j] = random_between(&random, 0.0, 1e-4);
      least[j] = p.before[j] + lower[j];
      most[j] = p.before[j] + upper[j];
      g[j] = 0.0;
      for (int r = 0; r < p.m; ++r) {
        g[j] += p.J[r * p.n + j] * p.e[r];
      }
      for (int k = 0; k < p.n; ++k) {
        H[j * p.n + k] = 0.0025 * W[j * p.n + k];
        for (int r = 0; r < p.m; ++r) {
          H[j * p.n + k] += p.J[r * p.n + j] * p.J[r * p.n + k];
        }
      }
    }
    assert_ok(sinew_solver_set_limits(solver, least, most));
    step_of(&p, solver, x);
    sinew_qp *program = NULL;
    assert_ok(sinew_qp_create(p.n, 0, NULL, &program, NULL));
    assert_ok(sinew_qp_set_matrices(program, H, NULL, NULL));
    const sinew_qp_vectors vectors = {.g = g, .lower = lower, .upper = upper};
    assert_ok(sinew_qp_solve(program, &vectors, expected, NULL, NULL));
    assert_at_most(farthest(p.n, x, expected), 1e-7);
    for (int j = 0; j < p.n; ++j) {
      active += expected[j] <= lower[j] || expected[j] >= upper[j];
    }
    sinew_qp_destroy(program);
    sinew_solver_destroy(solver);
    problem_end(&p);
  }
  assert_true(active > 100);
}

// More rows than degrees of freedom, and a solve with weights, which converges as DLS does.
// req: D11
static void weights_in_solves(void **state) {
  (void)state;
  random_stream random = random_stream_of(74);
  sinew_model *arm = fixture_arm();
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, ARM_FLANGE), task_of(SINEW_TASK_POSE, 5)};
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = SINEW_METHOD_WEIGHTED;
  sinew_solver *solver = solver_with(&def, arm, tasks, 2);
  double W[49];
  for (int round = 0; round < 20; ++round) {
    double goal[7], q[7];
    random_weights(&random, 7, W);
    assert_ok(sinew_solver_set_weights(solver, W));
    sinew_configuration_middle(arm, q);
    for (int j = 0; j < 7; ++j) {
      goal[j] = q[j] + random_between(&random, -0.3, 0.3);
    }
    const sinew_target targets[2] = {target_at(arm, &tasks[0], goal),
                                     target_at(arm, &tasks[1], goal)};
    sinew_report report;
    assert_ok(sinew_solver_solve_local(solver, targets, 2, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_true(outside_limits(arm, q) <= 0.0);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

static void bad_weights_are_refused(void **state) {
  (void)state;
  sinew_model *arm = fixture_planar(2, 0.5);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 2);
  sinew_solver_def def = sinew_default_solver_def();
  const double good[4] = {2.0, 0.5, 0.5, 1.0};
  const double bad[][4] = {{0.0, 0.0, 0.0, 1.0},    {1.0, 0.0, 0.0, -1.0},   {1.0, 0.5, 0.4, 1.0},
                           {1.0, 1.0, 1.0, 1.0},    {NAN, 0.0, 0.0, 1.0},    {1.0, NAN, 0.0, 1.0},
                           {1.0, 0.0, NAN, 1.0},    {1.0, 2.0, 2.0, 1.0},    {1e-13, 0.0, 0.0, 1.0},
                           {INFINITY, 0, 0.0, 1.0}, {1e101, 0.0, 0.0, 1e101}};
  sinew_solver *solver = solver_with(&def, arm, &task, 1);
  assert_int_equal(sinew_solver_set_weights(solver, good), SINEW_ERROR_ARGUMENT);
  assert_ok(sinew_solver_set_weights(solver, NULL));
  assert_non_null(strstr(sinew_solver_last_error(solver)->message, "weighted"));
  sinew_solver_destroy(solver);
  def.step.method = SINEW_METHOD_WEIGHTED;
  solver = solver_with(&def, arm, &task, 1);
  assert_ok(sinew_solver_set_weights(solver, good));
  double q[2] = {0.3, 0.4}, after[2] = {0.3, 0.4};
  sinew_target target = sinew_default_target();
  target.position[0] = target.position[1] = 0.4;
  assert_ok(sinew_solver_update(solver, &target, 1, after, NULL));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    assert_int_equal(sinew_solver_set_weights(solver, bad[i]), SINEW_ERROR_ARGUMENT);
  }
  assert_int_equal(sinew_solver_set_weights(solver, bad[1]), SINEW_ERROR_ARGUMENT);
  assert_string_equal(sinew_solver_last_error(solver)->name, arm->joints[1].name);
  assert_ok(sinew_solver_update(solver, &target, 1, q, NULL)); // the old weights
  assert_int_equal(memcmp(q, after, sizeof q), 0);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gains_weight_the_pseudoinverse),
      cmocka_unit_test(a_matrix_weights_the_pseudoinverse),
      cmocka_unit_test(a_diagonal_matrix_is_that_of_gains),
      cmocka_unit_test(weights_within_limits),
      cmocka_unit_test(weights_in_solves),
      cmocka_unit_test(bad_weights_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
