// The references of redundancy and priorities (reference.h): against LAPACK, by their defining
// properties, and against the levels of the solver.
#include "fixtures.h"
#include "inspect.h"
#include "sinew/reference.h"

#include <lapacke.h>

#define MOST 24
#define WORK (16 * MOST * MOST)

static double work[WORK];

// A matrix of a rank, m x n, of a size over twelve decades; its largest entry is about that size.
static void random_matrix(random_stream *random, int m, int n, int rank, double size, double *J) {
  double left[MOST * MOST], right[MOST * MOST];
  for (int i = 0; i < MOST * MOST; ++i) {
    left[i] = random_between(random, -1.0, 1.0);
    right[i] = random_between(random, -1.0, 1.0);
  }
  for (int i = 0; i < m * n; ++i) {
    J[i] = 0.0;
    for (int k = 0; k < rank; ++k) {
      J[i] += size * left[i / n * rank + k] * right[k * n + i % n];
    }
  }
}

static void random_values(random_stream *random, int count, double size, double *values) {
  for (int i = 0; i < count; ++i) {
    values[i] = random_between(random, -size, size);
  }
}

static void multiply(int m, int n, const double *A, const double *x, double *out) {
  for (int r = 0; r < m; ++r) {
    out[r] = 0.0;
    for (int j = 0; j < n; ++j) {
      out[r] += A[r * n + j] * x[j];
    }
  }
}

static double distance(int m, int n, const double *J, const double *x, const double *e) {
  double reached[MOST];
  multiply(m, n, J, x, reached);
  double sum = 0.0;
  for (int r = 0; r < m; ++r) {
    sum += (reached[r] - e[r]) * (reached[r] - e[r]);
  }
  return sqrt(sum);
}

// The smallest singular value of a matrix, by LAPACK.
static double smallest_singular_value(int n, int m, const double *J) {
  double copy[MOST * MOST], sigma[MOST], nothing[1];
  memcpy(copy, J, (size_t)(m * n) * sizeof(double));
  assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', m, n, copy, n, sigma, nothing, 1,
                                  nothing, 1, work),
                   0);
  return sigma[(m < n ? m : n) - 1];
}

// ----------------------------------------------------------- pseudoinverse

// The pseudoinverse of any shape and rank is LAPACK's, and its rank; J J^+ and I - J^+ J applied to
// a unit vector twice are what they are once; J (I - J^+ J) phi is 0. req: E1 D3
static void projectors_are_idempotent(void **state) {
  (void)state;
  random_stream random = random_stream_of(1);
  for (int round = 0; round < 400; ++round) {
    const int m = 1 + random_below(&random, 9), n = 1 + random_below(&random, 9);
    const int least = m < n ? m : n, rank = 1 + random_below(&random, least);
    const double size = pow(10.0, random_between(&random, -6.0, 6.0));
    double J[MOST * MOST], P[MOST * MOST], copy[MOST * MOST], sigma[MOST], b[MOST] = {0}, x[MOST];
    random_matrix(&random, m, n, rank, size, J);
    const sinew_reference_level rows = {m, J, NULL};
    int found = -1;
    assert_ok(sinew_reference_pseudoinverse(n, &rows, 1e-9, work, P, &found));
    assert_int_equal(found, rank);
    random_values(&random, m, size, b);
    memcpy(copy, J, sizeof J);
    multiply(n, m, P, b, x);
    double solution[MOST] = {0.0};
    memcpy(solution, b, sizeof b);
    lapack_int count;
    assert_int_equal(
        LAPACKE_dgelsd(LAPACK_ROW_MAJOR, m, n, 1, copy, n, solution, 1, sigma, 1e-9, &count), 0);
    // errors grow with the square of the condition number where J e is not 0
    const double condition = sigma[0] / sigma[rank - 1];
    const double tolerance = 1e-14 * condition * condition;
    assert_at_most(farthest(n, x, solution), tolerance);
    for (int unit = 0; unit < m; ++unit) {
      double e[MOST] = {0.0}, y[MOST], once[MOST], twice[MOST];
      e[unit] = 1.0;
      multiply(n, m, P, e, y);
      multiply(m, n, J, y, once);
      multiply(n, m, P, once, y);
      multiply(m, n, J, y, twice);
      assert_at_most(farthest(m, once, twice), 1e-14 * condition);
    }
    for (int unit = 0; unit < n; ++unit) {
      double phi[MOST] = {0.0}, once[MOST], twice[MOST], e[MOST] = {0.0}, zero[MOST] = {0.0};
      const sinew_reference_level still = {m, J, zero};
      const sinew_reference_levels levels = {.n = n, .count = 1, .levels = &still, .cut = 1e-9};
      phi[unit] = 1.0;
      assert_ok(sinew_reference_projection(&levels, phi, work, once));
      assert_ok(sinew_reference_projection(&levels, once, work, twice));
      assert_at_most(farthest(n, once, twice), 1e-14 * condition);
      multiply(m, n, J, once, e);
      assert_at_most(farthest(m, e, zero), 1e-14 * size * condition);
    }
  }
}

// x = J^+ e + (I - J^+ J) phi: of all x with J x = J J^+ e the nearest to phi. req: E1
static void the_projection_is_the_nearest_to_what_is_wanted(void **state) {
  (void)state;
  random_stream random = random_stream_of(2);
  for (int round = 0; round < 200; ++round) {
    const int n = 2 + random_below(&random, 8), m = 1 + random_below(&random, n - 1);
    double J[MOST * MOST], e[MOST], phi[MOST], x[MOST], A[MOST * MOST] = {0.0}, b[MOST];
    random_matrix(&random, m, n, m, 1.0, J);
    random_values(&random, m, 1.0, e);
    random_values(&random, n, 1.0, phi);
    const sinew_reference_level rows = {m, J, e};
    const sinew_reference_levels levels = {.n = n, .count = 1, .levels = &rows, .cut = 1e-12};
    assert_ok(sinew_reference_projection(&levels, phi, work, x));
    for (int j = 0; j < n; ++j) {
      A[j * n + j] = 1.0;
      b[j] = phi[j];
    }
    double nearest[MOST], B[MOST * MOST], d[MOST];
    memcpy(B, J, sizeof B);
    memcpy(d, e, sizeof d);
    assert_int_equal(LAPACKE_dgglse(LAPACK_ROW_MAJOR, n, n, m, A, n, B, n, b, d, nearest), 0);
    assert_at_most(farthest(n, x, nearest), 1e-12 / pow(smallest_singular_value(n, m, J), 2.0));
  }
}

// ------------------------------------------------------------------ levels

typedef struct stack {
  int n, count;
  double J[4][MOST * MOST], e[4][MOST], lower[MOST], upper[MOST];
  sinew_reference_level rows[4];
  sinew_reference_levels levels;
} stack;

// Levels of few rows each; the last are more than are left. Some repeat a row of a higher level.
static void random_levels(random_stream *random, stack *s, double cut) {
  memset(s, 0, sizeof *s);
  s->n = 4 + random_below(random, 5);
  s->count = 2 + random_below(random, 3);
  for (int k = 0; k < s->count; ++k) {
    const int m = 1 + random_below(random, 3);
    random_values(random, m * s->n, 1.0, s->J[k]);
    random_values(random, m, 1.0, s->e[k]);
    if (k > 0 && random_below(random, 3) == 0) {
      memcpy(s->J[k], s->J[k - 1], (size_t)s->n * sizeof(double));
    }
    s->rows[k] = (sinew_reference_level){m, s->J[k], s->e[k]};
  }
  s->levels = (sinew_reference_levels){.n = s->n, .count = s->count, .levels = s->rows, .cut = cut};
}

// Two levels are x = J0^+ e0 + (J1 N)^+ (e1 - J1 J0^+ e0), N = I - J0^+ J0, with pseudoinverses by
// LAPACK. req: E1 E4
static void two_levels_are_the_published_formula(void **state) {
  (void)state;
  random_stream random = random_stream_of(3);
  for (int round = 0; round < 300; ++round) {
    stack s;
    random_levels(&random, &s, 1e-6);
    s.levels.count = 2;
    const int n = s.n, m0 = s.rows[0].m, m1 = s.rows[1].m;
    double x[MOST], J0[MOST * MOST], sigma[MOST], expected[MOST] = {0.0}, unit[MOST * MOST] = {0.0};
    assert_ok(sinew_reference_recursive(&s.levels, work, x));
    // columns of [e0, J0] give J0^+ e0 and J0^+ J0
    double right[MOST * MOST] = {0.0}, J1N[MOST * MOST], rest[MOST] = {0.0};
    memcpy(J0, s.J[0], sizeof J0);
    for (int r = 0; r < m0; ++r) {
      right[r * (n + 1)] = s.e[0][r];
      memcpy(right + r * (n + 1) + 1, s.J[0] + r * n, (size_t)n * sizeof(double));
    }
    lapack_int rank;
    assert_int_equal(
        LAPACKE_dgelsd(LAPACK_ROW_MAJOR, m0, n, n + 1, J0, n, right, n + 1, sigma, 1e-6, &rank), 0);
    for (int i = 0; i < n; ++i) {
      expected[i] = right[i * (n + 1)];
      for (int j = 0; j < n; ++j) {
        unit[i * n + j] = (i == j) - right[i * (n + 1) + 1 + j];
      }
    }
    for (int r = 0; r < m1; ++r) {
      rest[r] = s.e[1][r];
      for (int j = 0; j < n; ++j) {
        rest[r] -= s.J[1][r * n + j] * expected[j];
        J1N[r * n + j] = 0.0;
        for (int i = 0; i < n; ++i) {
          J1N[r * n + j] += s.J[1][r * n + i] * unit[i * n + j];
        }
      }
    }
    assert_int_equal(
        LAPACKE_dgelsd(LAPACK_ROW_MAJOR, m1, n, 1, J1N, n, rest, 1, sigma, 1e-6, &rank), 0);
    if (rank > 0 &&
        sigma[rank - 1] > 1e-4) { // else LAPACK's cut, a share of J1 N, decides otherwise
      for (int i = 0; i < n; ++i) {
        assert_near(x[i], expected[i] + rest[i], 1e-12 / pow(sigma[rank - 1], 2.0));
      }
    }
  }
}

// What level k reaches does not depend on the levels below it, and is the best that the levels
// above it leave: LAPACK's least squares with linear constraints. req: E4
static void lower_levels_do_not_disturb_higher_ones(void **state) {
  (void)state;
  random_stream random = random_stream_of(4);
  int compared = 0;
  for (int round = 0; round < 400; ++round) {
    stack s;
    double x[MOST], above[MOST];
    random_levels(&random, &s, 1e-9);
    assert_ok(sinew_reference_recursive(&s.levels, work, x));
    sinew_reference_levels few = s.levels;
    int rows = 0;
    double B[MOST * MOST], d[MOST];
    for (int k = 0; k < s.count; ++k) {
      const sinew_reference_level *level = &s.rows[k];
      few.count = k + 1;
      assert_ok(sinew_reference_recursive(&few, work, above));
      const double with = distance(level->m, s.n, level->J, x, level->e);
      const double without = distance(level->m, s.n, level->J, above, level->e);
      assert_near(with, without, 1e-12 * (1.0 + sinew_length(s.n, x)) * 10.0);
      // regular constraints only
      memcpy(B + rows * s.n, level->J, (size_t)(level->m * s.n) * sizeof(double));
      if (rows > 0 && rows + level->m >= s.n && rows < s.n &&
          smallest_singular_value(s.n, rows, B) > 0.05 &&
          smallest_singular_value(s.n, rows + level->m, B) > 0.05) {
        double A[MOST * MOST], C[MOST * MOST], b[MOST], right[MOST], best[MOST];
        memcpy(A, level->J, sizeof A);
        memcpy(C, B, sizeof C);
        memcpy(b, level->e, sizeof b);
        memcpy(right, d, sizeof right);
        assert_int_equal(
            LAPACKE_dgglse(LAPACK_ROW_MAJOR, level->m, s.n, rows, A, s.n, C, s.n, b, right, best),
            0);
        const double least = distance(level->m, s.n, level->J, best, level->e);
        assert_true(without >= least - 1e-9);
        compared += fabs(without - least) < 1e-9; // else the cut removed a direction
      }
      multiply(level->m, s.n, level->J, x, d + rows);
      rows += level->m;
      if (rows > s.n) {
        break;
      }
    }
  }
  assert_true(compared > 30);
}

// Where two levels ask for nearly the same the recursive step grows without bound, and the robust
// one does not; both meet level 0. With lambda the recursive one stays bounded too. req: E1 E4
static void the_robust_step_is_bounded_at_algorithmic_singularities(void **state) {
  (void)state;
  for (double angle = 1e-1; angle > 1e-7; angle *= 0.1) {
    const double J0[3] = {1.0, 0.0, 0.0}, J1[3] = {cos(angle), sin(angle), 0.0}, e0 = 0.3,
                 e1 = -0.4;
    const sinew_reference_level rows[2] = {{1, J0, &e0}, {1, J1, &e1}};
    sinew_reference_levels levels = {.n = 3, .count = 2, .levels = rows, .cut = 1e-9};
    double recursive[3], robust[3], damped[3];
    assert_ok(sinew_reference_recursive(&levels, work, recursive));
    assert_ok(sinew_reference_robust(&levels, work, robust));
    levels.lambda = 0.05;
    assert_ok(sinew_reference_recursive(&levels, work, damped));
    assert_near(recursive[0], 0.3, 1e-12);
    assert_near(robust[0], 0.3, 1e-12);
    assert_near(recursive[1], (-0.4 - 0.3 * cos(angle)) / sin(angle), 1e-6 / angle);
    assert_near(robust[1], -0.4 * sin(angle), 1e-12); // P J1^+ e1
    assert_at_most(fabs(damped[1]), 0.7 / (2.0 * 0.05));
  }
}

// -------------------------------------------------------- the solver's levels

// One level of the solver's step: its rows, and those of higher levels as fixed ones.
static void solver_level(const stack *s, int k, double lambda, const double *reached, bool bounds,
                         double *x) {
  enum { M = 12, STRIDE = 12 };
  static unsigned char memory[1 << 16];
  const int n = s->n, stride = sinew_level_stride(n);
  double J[M * STRIDE] = {0.0}, e[M], D[STRIDE] = {0.0}, g[STRIDE] = {0.0}, lower[STRIDE],
               upper[STRIDE];
  sinew_level_scratch scratch;
  sinew_arena arena = {memory, 0};
  sinew_level_layout(&arena, M, STRIDE, &scratch);
  assert_true(arena.used <= sizeof memory);
  memset(memory, 0, sizeof memory);
  int rows = 0, fixed = 0;
  for (int i = 0; i <= k; ++i) {
    fixed = rows;
    for (int r = 0; r < s->rows[i].m; ++r, ++rows) {
      memcpy(J + rows * stride, s->J[i] + r * n, (size_t)n * sizeof(double));
      double moved = 0.0;
      for (int j = 0; j < n; ++j) {
        moved += s->J[i][r * n + j] * reached[j];
      }
      e[rows] = i < k ? 0.0 : s->e[i][r] - moved;
    }
  }
  for (int j = 0; j < n; ++j) {
    D[j] = lambda * lambda;
    lower[j] = s->lower[j] - reached[j];
    upper[j] = s->upper[j] - reached[j];
  }
  const sinew_level_rows level = {.n = n,
                                  .fixed = fixed,
                                  .wanted = rows - fixed,
                                  .J = J,
                                  .e = e,
                                  .D = D,
                                  .g = g,
                                  .lower = bounds ? lower : NULL,
                                  .upper = bounds ? upper : NULL};
  assert_true(sinew_level_solve(&level, false, &scratch, x) > 0);
}

// The step of the solver's levels (step/level.c), level after level, is the recursive one with the
// same damping. req: E4
static void levels_of_the_solver_take_the_recursive_step(void **state) {
  (void)state;
  random_stream random = random_stream_of(5);
  for (int round = 0; round < 400; ++round) {
    stack s;
    double x[MOST], sum[MOST] = {0.0}, part[MOST];
    random_levels(&random, &s, 1e-3);
    s.count = s.levels.count = 2;
    s.levels.lambda = 0.1;
    assert_ok(sinew_reference_recursive(&s.levels, work, x));
    for (int k = 0; k < s.count; ++k) {
      solver_level(&s, k, s.levels.lambda, sum, false, part);
      for (int j = 0; j < s.n; ++j) {
        sum[j] += part[j];
      }
    }
    assert_at_most(farthest(s.n, x, sum), 1e-8);
  }
}

// An update of the solver whose first task is met moves by the recursive step of its second one,
// but for its damping, which is of the order of the squared error. req: E4
static void an_update_takes_the_recursive_step(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, ARM_FLANGE), task_of(SINEW_TASK_POSITION, 4)};
  tasks[1].level = 1;
  sinew_solver_def def = sinew_default_solver_def();
  def.lower.levels = 1;
  sinew_solver *solver = solver_with(&def, arm, tasks, 2);
  sinew_state *kinematics = NULL;
  assert_ok(sinew_state_create(arm, NULL, &kinematics, NULL));
  random_stream random = random_stream_of(6);
  const double size = sinew_model_size(arm);
  for (int round = 0; round < 50; ++round) {
    double q[7], before[7], J[2][42], x[7];
    sinew_configuration_middle(arm, q);
    for (int v = 0; v < 7; ++v) {
      q[v] += random_between(&random, -0.4, 0.4);
    }
    memcpy(before, q, sizeof q);
    sinew_target targets[2] = {target_at(arm, &tasks[0], q), target_at(arm, &tasks[1], q)};
    double e[2][3] = {{0.0}};
    random_vector(&random, 1e-4, e[1]);
    assert_ok(sinew_state_forward(kinematics, q));
    for (int k = 0; k < 2; ++k) {
      assert_ok(sinew_state_jacobian(kinematics, k == 0 ? ARM_FLANGE : 4, NULL,
                                     sinew_model_root(arm), J[k]));
      for (int i = 0; i < 21; ++i) {
        J[k][i] /= size;
      }
      for (int i = 0; i < 3; ++i) {
        targets[k].position[i] += e[k][i];
        e[k][i] /= size;
      }
    }
    const sinew_reference_level rows[2] = {{3, J[0], e[0]}, {3, J[1], e[1]}};
    const sinew_reference_levels levels = {
        .n = 7, .count = 2, .levels = rows, .cut = 1e-9, .lambda = 1e-3};
    assert_ok(sinew_reference_recursive(&levels, work, x));
    sinew_solver_reset(solver);
    assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
    double length = 0.0;
    for (int v = 0; v < 7; ++v) {
      length = fmax(length, fabs(x[v]));
    }
    assert_true(length > 1e-5);
    for (int v = 0; v < 7; ++v) {
      assert_near(q[v] - before[v], x[v], 0.02 * length);
    }
  }
  sinew_state_destroy(kinematics);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// ------------------------------------------------------------------ bounds

static void random_bounds(random_stream *random, stack *s) {
  for (int j = 0; j < s->n; ++j) {
    const int kind = random_below(random, 6);
    s->lower[j] = kind == 0 ? 0.0 : (kind == 1 ? -INFINITY : -random_between(random, 0.0, 0.6));
    s->upper[j] = kind == 2 ? 0.0 : (kind == 1 ? INFINITY : random_between(random, 0.0, 0.6));
  }
  s->levels.lower = s->lower;
  s->levels.upper = s->upper;
}

// Baerlocher and Boulic's loop keeps bounds; without any that matters it is the recursive step; and
// its errors, level after level, are those of the solver's levels within the same bounds, whose
// active set is exact. req: E7
static void bounds_with_priorities(void **state) {
  (void)state;
  random_stream random = random_stream_of(7);
  int active = 0, equal = 0;
  const int rounds = 600;
  for (int round = 0; round < rounds; ++round) {
    stack s;
    double x[MOST], plain[MOST], sum[MOST] = {0.0}, part[MOST];
    signed char held[MOST];
    random_levels(&random, &s, 1e-6);
    s.count = s.levels.count = 2;
    assert_ok(sinew_reference_recursive(&s.levels, work, plain));
    random_bounds(&random, &s);
    assert_ok(sinew_reference_limited(&s.levels, work, held, x));
    bool any = false, outside = false;
    for (int j = 0; j < s.n; ++j) {
      assert_true(x[j] >= s.lower[j] - 1e-12 && x[j] <= s.upper[j] + 1e-12);
      assert_true(held[j] == 0 || x[j] == (held[j] < 0 ? s.lower[j] : s.upper[j]));
      any |= held[j] != 0;
      outside |= plain[j] < s.lower[j] || plain[j] > s.upper[j];
    }
    assert_true(any || !outside);
    if (!outside) {
      assert_int_equal(memcmp(x, plain, (size_t)s.n * sizeof(double)), 0);
      continue;
    }
    if (sinew_length(s.n, x) > 2.0) { // where large multipliers move the solver's fixed rows
      continue;
    }
    ++active;
    for (int k = 0; k < 2; ++k) {
      solver_level(&s, k, 1e-3, sum, true, part);
      for (int j = 0; j < s.n; ++j) {
        sum[j] += part[j];
      }
    }
    const double best0 = distance(s.rows[0].m, s.n, s.J[0], sum, s.e[0]);
    const double best1 = distance(s.rows[1].m, s.n, s.J[1], sum, s.e[1]);
    const double first = distance(s.rows[0].m, s.n, s.J[0], x, s.e[0]);
    const double second = distance(s.rows[1].m, s.n, s.J[1], x, s.e[1]);
    assert_true(first > best0 - 1e-4); // the solver's is the optimum
    equal += first < best0 + 1e-4 && fabs(second - best1) < 1e-4;
  }
  assert_true(active > rounds / 2);
  assert_true(equal > active * 9 / 10);
}

// How an arm of a plane gets to a target within its limits by steps that treat these in a way.
typedef enum limit_way { CLAMPED, ROWS, LIMITED, WAYS } limit_way;

// Steps until the tip is within 1e-4 of the target and no joint is more than 1e-4 outside; -1:
// never.
static int steps_to(const sinew_model *arm, sinew_state *kinematics, limit_way way,
                    const double target[3], double *q) {
  const double *least = sinew_model_lower(arm), *most = sinew_model_upper(arm);
  const double tip[3] = {0.3, 0.0, 0.0};
  const int n = arm->nv;
  for (int step = 0; step < 300; ++step) {
    double J[6 * MOST], e[2], at[3], lower[MOST], upper[MOST], x[MOST];
    assert_ok(sinew_state_forward(kinematics, q));
    assert_ok(sinew_state_point(kinematics, n, tip, at));
    assert_ok(sinew_state_jacobian(kinematics, n, tip, sinew_model_root(arm), J));
    e[0] = target[0] - at[0];
    e[1] = target[1] - at[1];
    if (hypot(e[0], e[1]) < 1e-4 && outside_limits(arm, q) < 1e-4) {
      return step;
    }
    for (int j = 0; j < n; ++j) {
      lower[j] = least[j] - q[j];
      upper[j] = most[j] - q[j];
    }
    const sinew_reference_level rows = {2, J, e};
    sinew_reference_levels levels = {
        .n = n, .count = 1, .levels = &rows, .cut = 1e-6, .lambda = 0.1};
    if (way == CLAMPED) {
      assert_ok(sinew_reference_recursive(&levels, work, x));
      for (int j = 0; j < n; ++j) {
        x[j] = fmin(fmax(x[j], lower[j]), upper[j]);
      }
    } else {
      levels.lower = lower;
      levels.upper = upper;
      assert_ok(way == ROWS ? sinew_reference_limit_rows(&levels, 10.0, work, x)
                            : sinew_reference_limited(&levels, work, NULL, x));
    }
    for (int j = 0; j < n; ++j) {
      q[j] += x[j];
    }
  }
  return -1;
}

// Rabbani's rows, naive clamping and the bounds within the step, on targets in reach: the arm whose
// step is clamped afterwards stops at its limits where both others arrive. Rows leave limits on
// their way; bounds never do. req: E5
static void limit_rows_arrive_where_clamping_stalls(void **state) {
  (void)state;
  sinew_model *arm = fixture_planar_limited(4, 0.3, -0.9, 0.9, 100.0);
  sinew_state *kinematics = NULL;
  assert_ok(sinew_state_create(arm, NULL, &kinematics, NULL));
  random_stream random = random_stream_of(8);
  int arrived[WAYS] = {0}, steps[WAYS] = {0};
  const int rounds = 300;
  for (int round = 0; round < rounds; ++round) {
    double goal[4], target[3];
    const double tip[3] = {0.3, 0.0, 0.0};
    for (int j = 0; j < 4; ++j) {
      goal[j] = random_below(&random, 2) == 0 ? random_between(&random, -0.9, 0.9)
                                              : (random_below(&random, 2) == 0 ? -0.9 : 0.9);
    }
    assert_ok(sinew_state_forward(kinematics, goal));
    assert_ok(sinew_state_point(kinematics, 4, tip, target));
    for (limit_way way = CLAMPED; way < WAYS; ++way) {
      double q[4] = {0.1, 0.1, 0.1, 0.1};
      const int taken = steps_to(arm, kinematics, way, target, q);
      arrived[way] += taken >= 0;
      steps[way] += taken >= 0 ? taken : 0;
      if (way != ROWS) {
        assert_at_most(outside_limits(arm, q), 1e-12);
      }
    }
  }
  for (int way = 0; way < WAYS; ++way) {
    print_message("%s: %d of %d, %.1f steps\n",
                  (const char *const[]){"clamped", "rows", "bounds"}[way], arrived[way], rounds,
                  steps[way] / (double)arrived[way]);
  }
  assert_true(arrived[ROWS] > arrived[CLAMPED]);
  assert_true(arrived[LIMITED] > arrived[CLAMPED]);
  sinew_state_destroy(kinematics);
  sinew_model_destroy(arm);
}

// ------------------------------------------------------- extended Jacobian

// An arm with a task, and h = sum of w_i (q_i - rest_i)^2 / 2.
typedef struct extended {
  sinew_model *model;
  sinew_state *state;
  int link, m, n;
  double rest[MOST], weights[MOST];
  double J[6 * MOST], dJ[6 * MOST * MOST], gradient[MOST], curvature[MOST * MOST], e[6];
  sinew_reference_extended input;
} extended;

static void extended_at(extended *x, const double *q) {
  assert_ok(sinew_state_forward(x->state, q));
  assert_ok(sinew_state_jacobian(x->state, x->link, NULL, sinew_model_root(x->model), x->J));
  assert_ok(sinew_state_hessian(x->state, x->link, NULL, x->dJ));
  memset(x->curvature, 0, sizeof x->curvature);
  for (int j = 0; j < x->n; ++j) {
    x->gradient[j] = x->weights[j] * (q[j] - x->rest[j]);
    x->curvature[j * x->n + j] = x->weights[j];
  }
  x->input = (sinew_reference_extended){.n = x->n,
                                        .task = {x->m, x->J, x->e},
                                        .J_change = x->dJ,
                                        .gradient = x->gradient,
                                        .curvature = x->curvature,
                                        .gain = 1.0,
                                        .cut = 1e-9};
}

static void extended_open(extended *x, sinew_model *model, int link, int m, uint64_t seed) {
  random_stream random = random_stream_of(seed);
  memset(x, 0, sizeof *x);
  x->model = model;
  x->link = link;
  x->m = m;
  x->n = sinew_model_nv(model);
  assert_ok(sinew_state_create(model, NULL, &x->state, NULL));
  for (int j = 0; j < x->n; ++j) {
    x->rest[j] = random_between(&random, -0.5, 0.5);
    x->weights[j] = random_between(&random, 0.5, 2.0);
  }
}

static void extended_close(extended *x) {
  sinew_state_destroy(x->state);
  sinew_model_destroy(x->model);
}

// Newton's iteration by the extended Jacobian, to a target.
static void extended_solve(extended *x, const sinew_pose *target, int steps, double *q,
                           double *slope) {
  for (int step = 0; step < steps; ++step) {
    sinew_pose pose, back, error;
    double twist[6], move[MOST];
    extended_at(x, q);
    assert_ok(sinew_state_link_pose(x->state, x->link, &pose));
    sinew_pose_invert(&pose, &back);
    sinew_pose_multiply(target, &back, &error);
    sinew_quaternion_log(error.rotation, twist + 3);
    for (int i = 0; i < 3; ++i) {
      twist[i] = target->position[i] - pose.position[i];
    }
    memcpy(x->e, twist, sizeof x->e);
    assert_ok(sinew_reference_extended_jacobian(&x->input, work, move, slope));
    for (int j = 0; j < x->n; ++j) {
      q[j] += move[j];
    }
  }
}

// The objective's slope within the task falls quadratically, as only the exact derivative of G
// does; at its end no motion that keeps the task lowers the objective: LAPACK's multipliers leave
// no gradient. Any redundancy. req: E3
static void the_extended_jacobian_finds_the_minimum(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    extended x;
    const bool arm = seed % 2 == 0;
    extended_open(&x, arm ? fixture_arm() : fixture_planar(6, 0.3), arm ? ARM_FLANGE : 6,
                  arm ? 6 : 2, seed);
    random_stream random = random_stream_of(100 + seed);
    double q[MOST], slopes[3], before = INFINITY;
    sinew_configuration_middle(x.model, q);
    for (int j = 0; j < x.n; ++j) {
      q[j] += arm ? random_between(&random, -0.2, 0.2) : 0.3 + random_between(&random, 0.0, 0.3);
      x.rest[j] = q[j] + random_between(&random, -0.2, 0.2);
    }
    sinew_pose target;
    assert_ok(sinew_state_forward(x.state, q));
    assert_ok(sinew_state_link_pose(x.state, x.link, &target));
    extended_solve(&x, &target, 5, q, &slopes[0]);
    for (int i = 0; i < 3; ++i) {
      extended_solve(&x, &target, 1, q, &slopes[i]);
      assert_true(slopes[i] <= fmax(100.0 * before * before, 1e-12));
      before = slopes[i];
    }
    assert_at_most(slopes[2], 1e-10);
    extended_at(&x, q);
    sinew_pose reached;
    assert_ok(sinew_state_link_pose(x.state, x.link, &reached));
    assert_at_most(farthest(3, reached.position, target.position), 1e-9);
    double A[6 * MOST], b[MOST], sigma[6]; // J^T y = gradient
    lapack_int rank;
    for (int j = 0; j < x.n; ++j) {
      b[j] = x.gradient[j];
      for (int r = 0; r < x.m; ++r) {
        A[j * x.m + r] = x.J[r * x.n + j];
      }
    }
    assert_int_equal(
        LAPACKE_dgelsd(LAPACK_ROW_MAJOR, x.n, x.m, 1, A, x.m, b, 1, sigma, 1e-9, &rank), 0);
    for (int j = 0; j < x.n; ++j) {
      double left = x.gradient[j];
      for (int r = 0; r < x.m; ++r) {
        left -= x.J[r * x.n + j] * b[r];
      }
      assert_near(left, 0.0, 1e-8);
    }
    extended_close(&x);
  }
}

// Along a closed path of the hand the arm comes back to where it was, since it stays at the
// minimum; by the pseudoinverse it does not. req: E3 E1
static void the_extended_jacobian_is_cyclic(void **state) {
  (void)state;
  for (int extend = 0; extend < 2; ++extend) {
    extended x;
    extended_open(&x, fixture_planar(5, 0.3), 5, 2, 3);
    double q[MOST] = {0.3, 0.5, 0.4, 0.6, 0.3}, start[MOST], slope = 0.0;
    memcpy(x.rest, q, sizeof x.rest);
    sinew_pose centre, target;
    assert_ok(sinew_state_forward(x.state, q));
    assert_ok(sinew_state_link_pose(x.state, x.link, &centre));
    target = centre;
    memcpy(start, q, sizeof q);
    for (int i = 0; i <= 400; ++i) {
      const double angle = 2.0 * PI * i / 400.0;
      target.position[0] = centre.position[0] + 0.2 * (cos(angle) - 1.0);
      target.position[1] = centre.position[1] + 0.2 * sin(angle);
      if (extend) {
        extended_solve(&x, &target, 1, q, &slope);
        assert_at_most(slope, 1e-2);
        continue;
      }
      sinew_pose pose;
      double move[MOST];
      extended_at(&x, q);
      assert_ok(sinew_state_link_pose(x.state, x.link, &pose));
      for (int r = 0; r < 2; ++r) {
        x.e[r] = target.position[r] - pose.position[r];
      }
      const sinew_reference_levels levels = {
          .n = 5, .count = 1, .levels = &x.input.task, .cut = 1e-9};
      assert_ok(sinew_reference_projection(&levels, NULL, work, move));
      for (int j = 0; j < 5; ++j) {
        q[j] += move[j];
      }
    }
    extended_solve(&x, &target, extend ? 2 : 0, q, &slope);
    assert_true(extend ? farthest(5, q, start) < 1e-6 : farthest(5, q, start) > 1e-3);
    extended_close(&x);
  }
}

// ------------------------------------------------------------------ bad input

#define GUARD 1e300

// work has as many values as sinew_reference_work() says; as many behind it are not to change.
static void the_work_is_enough(void **state) {
  (void)state;
  random_stream random = random_stream_of(31);
  const int columns[] = {1, 7, 20, 40}, rows[] = {0, 1, 3, 6};
  for (int round = 0; round < 16; ++round) {
    const int n = columns[round / 4], m = rows[round % 4];
    const size_t count = sinew_reference_work(n, m), cells = (size_t)n * (size_t)n;
    double *values = test_malloc(2 * count * sizeof *values);
    double *J = test_calloc(6 * cells + 1, sizeof *J), *C = test_calloc(cells, sizeof *C);
    double *P = test_calloc(6 * cells, sizeof *P);
    double e[6], low[40], high[40], g[40], x[40];
    signed char held[40];
    for (int i = 0; i < m * n; ++i) {
      J[i] = random_between(&random, -1.0, 1.0);
    }
    for (int i = 0; i < n; ++i) {
      C[i * n + i] = 1.0;
      g[i] = random_between(&random, -1.0, 1.0);
      low[i] = -0.1;
      high[i] = 0.01;
    }
    for (int i = 0; i < 6; ++i) {
      e[i] = random_between(&random, -1.0, 1.0);
    }
    for (size_t i = 0; i < count; ++i) {
      values[count + i] = GUARD;
    }
    const sinew_reference_level level = {m, J, e};
    const sinew_reference_levels levels = {
        .n = n, .count = 1, .levels = &level, .cut = 1e-3, .lower = low, .upper = high};
    double *J_change = test_calloc((size_t)m * cells + 1, sizeof *J_change);
    const sinew_reference_extended input = {.n = n,
                                            .task = level,
                                            .J_change = J_change,
                                            .gradient = g,
                                            .curvature = C,
                                            .gain = 1.0,
                                            .cut = 1e-3};
    assert_ok(sinew_reference_pseudoinverse(n, &level, 1e-3, values, P, NULL));
    assert_ok(sinew_reference_recursive(&levels, values, x));
    assert_ok(sinew_reference_robust(&levels, values, x));
    assert_ok(sinew_reference_projection(&levels, g, values, x));
    assert_ok(sinew_reference_limited(&levels, values, held, x));
    assert_ok(sinew_reference_limit_rows(&levels, 10.0, values, x));
    assert_ok(sinew_reference_extended_jacobian(&input, values, x, NULL));
    for (size_t i = 0; i < count; ++i) {
      assert_true(values[count + i] == GUARD);
    }
    test_free(J_change);
    test_free(P);
    test_free(C);
    test_free(J);
    test_free(values);
  }
}

static void bad_input_is_refused(void **state) {
  (void)state;
  const double J[2] = {1.0, 0.5}, e = 0.1, nan = NAN, phi[2] = {NAN, 0.0};
  double x[2] = {7.0, 7.0}, lower[2] = {0.0, 0.0}, upper[2] = {1.0, -1.0}, P[2];
  const sinew_reference_level good = {1, J, &e}, bad = {1, J, &nan}, negative = {-1, J, &e};
  const sinew_reference_levels fine = {.n = 2, .count = 1, .levels = &good, .cut = 1e-3};
  sinew_reference_levels levels = fine;
  levels.cut = 0.0;
  assert_int_equal(sinew_reference_recursive(&levels, work, x), SINEW_ERROR_ARGUMENT);
  levels = fine;
  levels.lambda = -1.0;
  assert_int_equal(sinew_reference_robust(&levels, work, x), SINEW_ERROR_ARGUMENT);
  levels = fine;
  levels.levels = &negative;
  assert_int_equal(sinew_reference_recursive(&levels, work, x), SINEW_ERROR_ARGUMENT);
  levels.levels = &bad;
  assert_int_equal(sinew_reference_recursive(&levels, work, x), SINEW_ERROR_NOT_FINITE);
  assert_int_equal(sinew_reference_projection(&levels, NULL, work, x), SINEW_ERROR_NOT_FINITE);
  levels = fine;
  levels.lower = lower;
  assert_int_equal(sinew_reference_limited(&levels, work, NULL, x), SINEW_ERROR_ARGUMENT);
  levels.upper = upper;
  assert_int_equal(sinew_reference_limited(&levels, work, NULL, x), SINEW_ERROR_ARGUMENT);
  upper[1] = NAN;
  assert_int_equal(sinew_reference_limited(&levels, work, NULL, x), SINEW_ERROR_NOT_FINITE);
  assert_int_equal(sinew_reference_projection(&fine, phi, work, x), SINEW_ERROR_NOT_FINITE);
  assert_int_equal(sinew_reference_pseudoinverse(0, &good, 1e-3, work, P, NULL),
                   SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_reference_limit_rows(&fine, 0.0, work, x), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_reference_limit_rows(&fine, INFINITY, work, x), SINEW_ERROR_NOT_FINITE);
  assert_true(x[0] == 7.0 && x[1] == 7.0);
  assert_ok(sinew_reference_limited(&fine, work, NULL, x)); // no bounds
  assert_near(x[0], 0.08, 1e-15);
  // an error beyond all numbers
  const double tiny[2] = {1e-300, 0.0}, lot = 1e100;
  const sinew_reference_level over = {1, tiny, &lot};
  levels = fine;
  levels.levels = &over;
  x[0] = 7.0;
  assert_int_equal(sinew_reference_recursive(&levels, work, x), SINEW_ERROR_NOT_FINITE);
  assert_true(x[0] == 7.0);
  assert_int_equal(sinew_reference_work(-1, 4), sinew_reference_work(0, 4));
  // all 0: no motion
  const double zero[2] = {0.0, 0.0};
  const sinew_reference_level none = {1, zero, &e};
  levels.levels = &none;
  assert_ok(sinew_reference_recursive(&levels, work, x));
  assert_true(x[0] == 0.0 && x[1] == 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(projectors_are_idempotent),
      cmocka_unit_test(the_projection_is_the_nearest_to_what_is_wanted),
      cmocka_unit_test(two_levels_are_the_published_formula),
      cmocka_unit_test(lower_levels_do_not_disturb_higher_ones),
      cmocka_unit_test(the_robust_step_is_bounded_at_algorithmic_singularities),
      cmocka_unit_test(levels_of_the_solver_take_the_recursive_step),
      cmocka_unit_test(an_update_takes_the_recursive_step),
      cmocka_unit_test(bounds_with_priorities),
      cmocka_unit_test(limit_rows_arrive_where_clamping_stalls),
      cmocka_unit_test(the_extended_jacobian_finds_the_minimum),
      cmocka_unit_test(the_extended_jacobian_is_cyclic),
      cmocka_unit_test(the_work_is_enough),
      cmocka_unit_test(bad_input_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
