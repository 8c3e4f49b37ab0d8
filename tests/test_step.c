// The step: damped least squares in three forms against LAPACK, and the active set for a box
// against the conditions of optimality and against all active sets.
#include "fixtures.h"
#include "inspect.h"

#include <float.h>
#include <lapacke.h>

#define MOST_BLOCKS 4
#define MOST_M (6 * MOST_BLOCKS)
#define MOST_N 40

// A stack of rows, both sparse as the step takes it and dense for LAPACK.
typedef struct problem {
  int m, n;
  sinew_row_block blocks[MOST_BLOCKS];
  int path[MOST_BLOCKS * MOST_N];
  double values[MOST_M * MOST_N];
  double residual[MOST_M];
  sinew_rows rows;
  double J[MOST_M * MOST_N];
  double gradient[MOST_N];
  double lower[MOST_N], upper[MOST_N];
  sinew_step_problem dls;
} problem;

// The gradient J^T e by the dense matrix.
static void find_gradient(problem *p) {
  for (int j = 0; j < p->n; ++j) {
    p->gradient[j] = 0.0;
    for (int i = 0; i < p->m; ++i) {
      p->gradient[j] += p->J[i * p->n + j] * p->residual[i];
    }
  }
}

// Random rows in some blocks, each over a random subset of n degrees of freedom. Two neighbours of
// n may be nearly parallel, as joints of a stretched arm are.
static void problem_make(problem *p, random_stream *random, int block_count, int n, bool parallel) {
  memset(p, 0, sizeof *p);
  p->n = n;
  int path_start = 0, value_start = 0;
  for (int b = 0; b < block_count; ++b) {
    sinew_row_block *block = &p->blocks[b];
    *block = (sinew_row_block){.row = p->m,
                               .row_count =
                                   random_below(random, 8) == 0 ? 0 : 1 + random_below(random, 6),
                               .path_start = path_start,
                               .value_start = value_start};
    if (random_below(random, 3) == 0) {
      block->row_count = 6; // a whole pose, which has its own code
    }
    for (int j = 0; j < n; ++j) {
      if (random_below(random, 4) == 0 && block_count > 1) {
        continue;
      }
      const int k = block->path_count++;
      p->path[path_start + k] = j;
      for (int i = 0; i < block->row_count; ++i) {
        double value = random_between(random, -1.0, 1.0);
        if (parallel && k > 0) {
          value = p->values[value_start + (k - 1) * block->row_count + i] + 1e-3 * value;
        }
        p->values[value_start + k * block->row_count + i] = value;
        p->J[(p->m + i) * n + j] = value;
      }
    }
    p->m += block->row_count;
    path_start += block->path_count;
    value_start += block->path_count * block->row_count;
  }
  for (int i = 0; i < p->m; ++i) {
    p->residual[i] = random_between(random, -2.0, 2.0);
  }
  for (int j = 0; j < n; ++j) {
    p->lower[j] = -INFINITY;
    p->upper[j] = INFINITY;
  }
  find_gradient(p);
  p->rows = (sinew_rows){.row_count = p->m,
                         .dof_count = n,
                         .block_count = block_count,
                         .blocks = p->blocks,
                         .path = p->path,
                         .values = p->values,
                         .residual = p->residual};
  p->dls = (sinew_step_problem){.rows = &p->rows,
                                .e = p->residual,
                                .gradient = p->gradient,
                                .lower = p->lower,
                                .upper = p->upper,
                                .mu = 1e-3};
}

// Scratch for one form.
typedef struct scratch {
  sinew_dls_scratch dls;
  void *memory;
} scratch;

static void scratch_make(scratch *s, int m, int n, sinew_dls_system form) {
  sinew_arena arena = {NULL, 0};
  sinew_dls_layout(&arena, &(sinew_step_size){.m = m, .n = n, .form = form}, &s->dls);
  s->memory = calloc(1, arena.used + 64);
  assert_non_null(s->memory);
  arena = (sinew_arena){s->memory, 0};
  sinew_dls_layout(&arena, &(sinew_step_size){.m = m, .n = n, .form = form}, &s->dls);
}

// The least squares of [J; sqrt(mu) I] x = [e; 0] by LAPACK's singular values.
static void lapack_stacked(const problem *p, double mu, double *x) {
  static double A[(MOST_M + MOST_N) * MOST_N], b[MOST_M + MOST_N], sigma[MOST_N];
  const int rows = p->m + p->n;
  lapack_int rank;
  memset(A, 0, sizeof A);
  memset(b, 0, sizeof b);
  memcpy(A, p->J, (size_t)(p->m * p->n) * sizeof(double));
  memcpy(b, p->residual, (size_t)p->m * sizeof(double));
  for (int j = 0; j < p->n; ++j) {
    A[(p->m + j) * p->n + j] = sqrt(mu);
  }
  assert_int_equal(
      LAPACKE_dgelsd(LAPACK_ROW_MAJOR, rows, p->n, 1, A, p->n, b, 1, sigma, 0.0, &rank), 0);
  memcpy(x, b, (size_t)p->n * sizeof(double));
}

// Singular values of J in decreasing order: min(m, n) of them.
static void singular_values(const problem *p, double *sigma) {
  static double A[MOST_M * MOST_N], work[MOST_N];
  memcpy(A, p->J, sizeof A);
  if (p->m == 0) {
    return;
  }
  assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', p->m, p->n, A, p->n, sigma, NULL,
                                  p->m, NULL, p->n, work),
                   0);
}

static double length(int n, const double *x) {
  double sum = 0.0;
  for (int j = 0; j < n; ++j) {
    sum += x[j] * x[j];
  }
  return sqrt(sum);
}

// The error bound of a form: rounding times the condition of the system that it solves, m x m or n
// x n, squared, with its damping; the stacked form does not square it.
static double allowed(const problem *p, sinew_dls_system form, double mu, const double *x) {
  double sigma[MOST_N] = {0.0};
  singular_values(p, sigma);
  const int least = p->m < p->n ? p->m : p->n;
  const bool by_rows =
      form == SINEW_SYSTEM_ROWS || (form == SINEW_SYSTEM_SMALLER && !(p->n < p->m));
  const int size = by_rows ? p->m : p->n;
  const double small = size > least || least == 0 ? 0.0 : sigma[least - 1];
  const double square = (sigma[0] * sigma[0] + mu) / (small * small + mu);
  const double condition = form == SINEW_SYSTEM_STACKED ? sqrt(square) : square;
  return 200.0 * DBL_EPSILON * condition * (length(p->n, x) + length(p->m, p->residual));
}

static const sinew_dls_system forms[] = {SINEW_SYSTEM_SMALLER, SINEW_SYSTEM_ROWS,
                                         SINEW_SYSTEM_COLUMNS, SINEW_SYSTEM_STACKED};

// More and fewer rows than degrees of freedom, one block and several, small and large damping.
// req: D6 B13
static void forms_agree_with_lapack(void **state) {
  (void)state;
  static const double dampings[] = {1e-8, 1e-5, 1e-2, 1.0, 1e3, 1e9};
  random_stream random = random_stream_of(61);
  int more_rows = 0, fewer_rows = 0;
  for (int f = 0; f < 4; ++f) {
    scratch s;
    scratch_make(&s, MOST_M, MOST_N, forms[f]);
    for (int round = 0; round < 600; ++round) {
      problem p;
      problem_make(&p, &random, 1 + random_below(&random, MOST_BLOCKS),
                   1 + random_below(&random, 20), round % 3 == 0);
      more_rows += p.m > p.n;
      fewer_rows += p.m < p.n;
      p.dls.form = forms[f];
      p.dls.mu = dampings[round % 6];
      double x[MOST_N], expected[MOST_N];
      memset(s.dls.held, 0, MOST_N);
      sinew_dls_solve(&p.dls, &s.dls, x);
      lapack_stacked(&p, p.dls.mu, expected);
      assert_at_most(farthest(p.n, x, expected), allowed(&p, forms[f], p.dls.mu, expected));
    }
    free(s.memory);
  }
  assert_true(more_rows > 300 && fewer_rows > 300);
}

// With almost no damping and independent rows, the result is that of the pseudoinverse: exact, and
// of minimum norm.
// req: D6
static void light_damping_approaches_the_pseudoinverse(void **state) {
  (void)state;
  random_stream random = random_stream_of(62);
  scratch s;
  scratch_make(&s, 6, MOST_N, SINEW_SYSTEM_SMALLER);
  int tried = 0;
  for (int round = 0; round < 300; ++round) {
    problem p;
    double sigma[MOST_N], x[MOST_N], A[MOST_M * MOST_N], b[MOST_N] = {0.0};
    problem_make(&p, &random, 1, 7 + random_below(&random, 20), false);
    if (p.m == 0) {
      continue;
    }
    singular_values(&p, sigma);
    if (sigma[p.m - 1] < 0.1) {
      continue;
    }
    ++tried;
    p.dls.mu = 1e-12;
    memset(s.dls.held, 0, MOST_N);
    sinew_dls_solve(&p.dls, &s.dls, x);
    memcpy(A, p.J, sizeof A);
    memcpy(b, p.residual, (size_t)p.m * sizeof(double));
    lapack_int rank;
    assert_int_equal(
        LAPACKE_dgelsd(LAPACK_ROW_MAJOR, p.m, p.n, 1, A, p.n, b, 1, sigma, 1e-12, &rank), 0);
    assert_at_most(farthest(p.n, x, b), 1e-9 * (1.0 + length(p.n, b)));
  }
  assert_true(tried > 200);
  free(s.memory);
}

// Repeated rows, and degrees of freedom that are in no row: the system without damping is singular.
// req: D6
static void forms_agree_where_rank_is_lost(void **state) {
  (void)state;
  random_stream random = random_stream_of(63);
  for (int f = 0; f < 4; ++f) {
    scratch s;
    scratch_make(&s, MOST_M, MOST_N, forms[f]);
    for (int round = 0; round < 200; ++round) {
      problem p;
      problem_make(&p, &random, 2, 2 + random_below(&random, 12), false);
      // The first column is zero, the last is the one before it; the second row is the first.
      for (int b = 0; b < 2; ++b) {
        const sinew_row_block *block = &p.blocks[b];
        for (int k = 0; k < block->path_count; ++k) {
          const int j = p.path[block->path_start + k];
          for (int i = 0; i < block->row_count; ++i) {
            double *value = &p.values[block->value_start + k * block->row_count + i];
            *value = j == 0 ? 0.0 : i == 1 ? value[-1] : *value;
            p.J[(block->row + i) * p.n + j] = *value;
          }
        }
      }
      find_gradient(&p);
      p.dls.form = forms[f];
      p.dls.mu = 1e-4;
      double x[MOST_N], expected[MOST_N];
      memset(s.dls.held, 0, MOST_N);
      sinew_dls_solve(&p.dls, &s.dls, x);
      lapack_stacked(&p, p.dls.mu, expected);
      assert_at_most(farthest(p.n, x, expected), 1e-9 * (1.0 + length(p.n, expected)));
      assert_near(x[0], 0.0, 1e-12);
    }
    free(s.memory);
  }
}

// With active bounds: the other columns are solved for the rest, and each bounded one gets its
// multiplier.
// req: D6 E5
static void bounded_columns_are_subtracted(void **state) {
  (void)state;
  random_stream random = random_stream_of(64);
  for (int f = 0; f < 4; ++f) {
    scratch s;
    scratch_make(&s, MOST_M, MOST_N, forms[f]);
    for (int round = 0; round < 300; ++round) {
      problem p, reduced;
      problem_make(&p, &random, 1 + random_below(&random, 3), 2 + random_below(&random, 10), false);
      p.dls.form = forms[f];
      p.dls.mu = 0.01;
      double x[MOST_N], expected[MOST_N];
      reduced = p;
      for (int j = 0; j < p.n; ++j) {
        s.dls.held[j] = (signed char)(random_below(&random, 3) - 1);
        x[j] = s.dls.held[j] != 0 ? random_between(&random, -1.0, 1.0) : 77.0;
        for (int i = 0; i < p.m && s.dls.held[j] != 0; ++i) {
          reduced.residual[i] -= p.J[i * p.n + j] * x[j];
          reduced.J[i * p.n + j] = 0.0;
        }
      }
      double before[MOST_N];
      memcpy(before, x, sizeof before);
      sinew_dls_solve(&p.dls, &s.dls, x);
      lapack_stacked(&reduced, p.dls.mu, expected);
      bool some = false;
      for (int j = 0; j < p.n; ++j) {
        some |= s.dls.held[j] != 0;
        if (s.dls.held[j] != 0) {
          assert_true(x[j] == before[j]);
        } else {
          assert_near(x[j], expected[j], 1e-10 * (1.0 + length(p.n, expected)));
        }
      }
      for (int j = 0; j < p.n && some; ++j) {
        double multiplier = 0.0;
        for (int i = 0; i < p.m; ++i) {
          double r = p.residual[i];
          for (int k = 0; k < p.n; ++k) {
            r -= p.J[i * p.n + k] * x[k];
          }
          multiplier += p.J[i * p.n + j] * r / p.dls.mu;
        }
        if (s.dls.held[j] != 0) {
          assert_near(s.dls.unconstrained[j], multiplier, 1e-8 * (1.0 + fabs(multiplier)));
        }
      }
    }
    free(s.memory);
  }
}

// One row with the single entry sigma and damping mu = lambda squared: the gain is sigma / (sigma^2
// + lambda^2), at most 1 / (2 lambda), where sigma = lambda.
// req: D7
static void mu_is_lambda_squared(void **state) {
  (void)state;
  const double lambda = 0.3;
  for (int f = 0; f < 4; ++f) {
    scratch s;
    scratch_make(&s, 6, MOST_N, forms[f]);
    double peak = 0.0;
    for (double sigma = 0.01; sigma < 2.0; sigma += 0.01) {
      problem p;
      random_stream random = random_stream_of(65);
      do {
        problem_make(&p, &random, 1, 1, false);
      } while (p.m != 1);
      p.values[0] = p.J[0] = sigma;
      p.residual[0] = 1.0;
      find_gradient(&p);
      p.dls.mu = lambda * lambda;
      p.dls.form = forms[f];
      double x = 0.0;
      s.dls.held[0] = 0;
      sinew_dls_solve(&p.dls, &s.dls, &x);
      assert_near(x, sigma / (sigma * sigma + lambda * lambda), 1e-14);
      peak = fmax(peak, x);
    }
    assert_near(peak, 1.0 / (2.0 * lambda), 1e-12);
    free(s.memory);
  }
}

// ---------------------------------------------------------------- the box

// A random box; with or without 0 in it, of zero width, unbounded.
static void box_make(problem *p, random_stream *random, int kind) {
  for (int j = 0; j < p->n; ++j) {
    const double a = random_between(random, -0.5, 0.5), b = random_between(random, -0.5, 0.5);
    const int now = kind == 4 ? random_below(random, 4) : kind;
    p->lower[j] = now == 0 ? -fabs(a) : fmin(a, b);
    p->upper[j] = now == 0 ? fabs(b) : fmax(a, b);
    if (now == 2) { // of zero width, at 0 or elsewhere
      p->lower[j] = p->upper[j] = random_below(random, 2) == 0 ? 0.0 : a;
    } else if (now == 3) { // unbounded on one side or both
      p->lower[j] = random_below(random, 2) == 0 ? -INFINITY : p->lower[j];
      p->upper[j] = random_below(random, 2) == 0 ? INFINITY : p->upper[j];
    }
  }
}

// J^T (e - J x) - mu x: 0 for an inactive bound, directed out of the box for an active one.
static double optimality_gap(const problem *p, const double *x) {
  double worst = 0.0, r[MOST_M];
  for (int i = 0; i < p->m; ++i) {
    r[i] = p->residual[i];
    for (int j = 0; j < p->n; ++j) {
      r[i] -= p->J[i * p->n + j] * x[j];
    }
  }
  for (int j = 0; j < p->n; ++j) {
    double push = -p->dls.mu * x[j];
    for (int i = 0; i < p->m; ++i) {
      push += p->J[i * p->n + j] * r[i];
    }
    const double up = x[j] < p->upper[j] ? fmax(push, 0.0) : 0.0;
    const double down = x[j] > p->lower[j] ? fmax(-push, 0.0) : 0.0;
    worst = fmax(worst, fmax(up, down));
  }
  return worst;
}

// The problem is strictly convex: a point in the box that satisfies these conditions is the only
// minimum.
// req: E5 E6
static void box_meets_the_conditions_of_optimality(void **state) {
  (void)state;
  random_stream random = random_stream_of(66);
  int resting = 0, inside = 0;
  for (int f = 0; f < 4; ++f) {
    scratch s;
    scratch_make(&s, MOST_M, MOST_N, forms[f]);
    for (int round = 0; round < 1500; ++round) {
      problem p;
      problem_make(&p, &random, 1 + random_below(&random, MOST_BLOCKS),
                   1 + random_below(&random, round % 10 == 0 ? MOST_N : 14), round % 4 == 0);
      box_make(&p, &random, round % 5);
      p.dls.form = forms[f];
      p.dls.mu = pow(10.0, random_between(&random, -5.0, 1.0));
      double x[MOST_N];
      sinew_dls_step(&p.dls, &s.dls, x);
      for (int j = 0; j < p.n; ++j) {
        assert_true(p.lower[j] <= x[j] && x[j] <= p.upper[j]);
        resting += p.lower[j] < p.upper[j] && (x[j] == p.lower[j] || x[j] == p.upper[j]);
        inside += p.lower[j] < x[j] && x[j] < p.upper[j];
      }
      // Rounding of the m x m form is that of y = (e - J x) / mu.
      assert_at_most(optimality_gap(&p, x), 1e-12 * (1.0 + 1.0 / p.dls.mu) * (1.0 + p.n));
    }
    free(s.memory);
  }
  assert_true(resting > 1000 && inside > 1000);
}

// Working sets that differ in few bounds have different numbers: no combination of three weights
// with factors up to 2 is 0.
static void working_sets_have_different_numbers(void **state) {
  (void)state;
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < i; ++j) {
      for (int k = 0; k < j; ++k) {
        const int64_t u = (int64_t)sinew_box_weight(i), v = (int64_t)sinew_box_weight(j);
        const int64_t w = (int64_t)sinew_box_weight(k);
        for (int a = 0; a < 125; ++a) {
          assert_true(a == 62 || (a % 5 - 2) * u + (a / 5 % 5 - 2) * v + (a / 25 - 2) * w != 0);
        }
      }
    }
  }
}

static double objective(const problem *p, const double *x) {
  double sum = 0.0;
  for (int i = 0; i < p->m; ++i) {
    double r = p->residual[i];
    for (int j = 0; j < p->n; ++j) {
      r -= p->J[i * p->n + j] * x[j];
    }
    sum += r * r;
  }
  for (int j = 0; j < p->n; ++j) {
    sum += p->dls.mu * x[j] * x[j];
  }
  return sum;
}

// Solves for the inactive columns of a working set by LAPACK's Cholesky; false where the set is
// invalid.
static bool solve_working_set(const problem *p, const int *guess, double *x) {
  double H[36], b[6];
  int place[6], f = 0;
  for (int j = 0; j < p->n; ++j) {
    x[j] = guess[j] < 0 ? p->lower[j] : guess[j] > 0 ? p->upper[j] : 0.0;
    place[j] = guess[j] == 0 ? f++ : -1;
    if (isinf(x[j])) {
      return false;
    }
  }
  memset(H, 0, sizeof H);
  memset(b, 0, sizeof b);
  for (int i = 0; i < p->m; ++i) {
    double r = p->residual[i];
    for (int j = 0; j < p->n; ++j) {
      r -= p->J[i * p->n + j] * x[j];
    }
    for (int j = 0; j < p->n; ++j) {
      for (int k = 0; k < p->n && place[j] >= 0; ++k) {
        if (place[k] >= 0) {
          H[place[j] * f + place[k]] += p->J[i * p->n + j] * p->J[i * p->n + k];
        }
      }
      if (place[j] >= 0) {
        b[place[j]] += p->J[i * p->n + j] * r;
      }
    }
  }
  for (int i = 0; i < f; ++i) {
    H[i * f + i] += p->dls.mu;
  }
  if (f > 0) {
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', f, 1, H, f, b, 1), 0);
  }
  for (int j = 0; j < p->n; ++j) {
    x[j] = place[j] >= 0 ? b[place[j]] : x[j];
    if (x[j] < p->lower[j] - 1e-12 || x[j] > p->upper[j] + 1e-12) {
      return false;
    }
  }
  return true;
}

// The minimum over all working sets.
static void try_every_working_set(const problem *p, double *best) {
  int guess[6], guesses = 1;
  for (int j = 0; j < p->n; ++j) {
    guesses *= 3;
  }
  double least = INFINITY;
  for (int g = 0; g < guesses; ++g) {
    for (int j = 0, digits = g; j < p->n; ++j, digits /= 3) {
      guess[j] = digits % 3 - 1;
    }
    double x[6];
    if (solve_working_set(p, guess, x) && objective(p, x) < least) {
      least = objective(p, x);
      memcpy(best, x, sizeof x);
    }
  }
  assert_true(isfinite(least));
}

// req: E5 E6
static void box_matches_the_best_working_set(void **state) {
  (void)state;
  random_stream random = random_stream_of(67);
  scratch s;
  scratch_make(&s, MOST_M, 6, SINEW_SYSTEM_SMALLER);
  for (int round = 0; round < 600; ++round) {
    problem p;
    problem_make(&p, &random, 1 + random_below(&random, 3), 1 + random_below(&random, 5),
                 round % 4 == 0);
    box_make(&p, &random, round % 5);
    p.dls.mu = pow(10.0, random_between(&random, -3.0, 0.0));
    double x[6], expected[6];
    sinew_dls_step(&p.dls, &s.dls, x);
    try_every_working_set(&p, expected);
    assert_at_most(farthest(p.n, x, expected), 1e-8);
  }
  free(s.memory);
}

// From no call before, from the active bounds of another problem and from arbitrary ones, with many
// columns, half of the time nearly parallel: where bounds are updated all at once, many more of
// them become active than are at the minimum.
// req: E5 E6
static void wrong_working_sets_take_few_rounds(void **state) {
  (void)state;
  random_stream random = random_stream_of(70);
  const int count = 20000;
  int most = 0;
  long sum = 0;
  scratch s;
  scratch_make(&s, MOST_M, MOST_N, SINEW_SYSTEM_SMALLER);
  for (int round = 0; round < count; ++round) {
    problem p;
    double x[MOST_N];
    problem_make(&p, &random, 1 + random_below(&random, MOST_BLOCKS),
                 20 + random_below(&random, MOST_N - 20), round % 2 == 0);
    box_make(&p, &random, round % 5);
    p.dls.mu = pow(10.0, random_between(&random, -6.0, 0.0));
    p.dls.begun = round % 3 != 0;
    for (int j = 0; j < p.n && round % 3 == 2; ++j) {
      s.dls.held[j] = (signed char)(random_below(&random, 3) - 1);
    }
    const int rounds = sinew_dls_step(&p.dls, &s.dls, x);
    for (int j = 0; j < p.n; ++j) {
      assert_true(p.lower[j] <= x[j] && x[j] <= p.upper[j]);
    }
    most = rounds > most ? rounds : most;
    sum += rounds;
  }
  print_message("rounds of %d boxes: mean %.2f, worst %d\n", count, (double)sum / count, most);
  assert_true(sum <= 8L * count && most <= 2 * MOST_N);
  free(s.memory);
}

// All bounds at 0, all equal, no bounds.
// req: E6
static void boxes_of_zero_width_and_without_bounds(void **state) {
  (void)state;
  random_stream random = random_stream_of(68);
  scratch s;
  scratch_make(&s, MOST_M, MOST_N, SINEW_SYSTEM_SMALLER);
  for (int round = 0; round < 100; ++round) {
    problem p;
    double x[MOST_N], expected[MOST_N];
    problem_make(&p, &random, 2, 1 + random_below(&random, 10), false);
    sinew_dls_step(&p.dls, &s.dls, x);
    lapack_stacked(&p, p.dls.mu, expected);
    assert_at_most(farthest(p.n, x, expected), 1e-8 * (1.0 + length(p.n, expected)));
    for (int j = 0; j < p.n; ++j) {
      p.lower[j] = p.upper[j] = 0.0;
    }
    sinew_dls_step(&p.dls, &s.dls, x);
    for (int j = 0; j < p.n; ++j) {
      assert_true(x[j] == 0.0);
      p.lower[j] = p.upper[j] = 0.1 * (j % 5 - 2);
    }
    sinew_dls_step(&p.dls, &s.dls, x);
    for (int j = 0; j < p.n; ++j) {
      assert_true(x[j] == 0.1 * (j % 5 - 2));
    }
  }
  free(s.memory);
}

// No rows, or no degrees of freedom.
static void problems_without_rows_or_columns(void **state) {
  (void)state;
  random_stream random = random_stream_of(69);
  for (int f = 0; f < 4; ++f) {
    scratch s;
    scratch_make(&s, MOST_M, MOST_N, forms[f]);
    problem p;
    double x[MOST_N];
    problem_make(&p, &random, 0, 5, false);
    p.dls.form = forms[f];
    sinew_dls_step(&p.dls, &s.dls, x);
    for (int j = 0; j < 5; ++j) {
      assert_true(x[j] == 0.0);
    }
    problem_make(&p, &random, 2, 0, false);
    p.dls.form = forms[f];
    sinew_dls_step(&p.dls, &s.dls, x);
    free(s.memory);
  }
}

// The largest entry sets the scale, whatever its sign; a step that is short enough keeps its bits.
// req: D12
static void clamping_keeps_the_direction(void **state) {
  (void)state;
  double x[4] = {0.5, -2.0, 1.0, 0.0};
  sinew_clamp_max_abs(4, 0.5, x);
  assert_near(x[0], 0.125, 1e-16);
  assert_near(x[1], -0.5, 1e-16);
  assert_near(x[2], 0.25, 1e-16);
  assert_true(x[3] == 0.0);
  double y[3] = {0.1, -0.3, 0.25}, same[3] = {0.1, -0.3, 0.25};
  sinew_clamp_max_abs(3, 0.3, y);
  assert_memory_equal(y, same, sizeof y);
  double none[1] = {3.0};
  sinew_clamp_max_abs(0, 1.0, none);
  assert_true(none[0] == 3.0);
  double zero[2] = {0.0, 0.0};
  sinew_clamp_max_abs(2, 1.0, zero);
  assert_true(zero[0] == 0.0 && zero[1] == 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_agree_with_lapack),
      cmocka_unit_test(light_damping_approaches_the_pseudoinverse),
      cmocka_unit_test(forms_agree_where_rank_is_lost),
      cmocka_unit_test(bounded_columns_are_subtracted),
      cmocka_unit_test(mu_is_lambda_squared),
      cmocka_unit_test(box_meets_the_conditions_of_optimality),
      cmocka_unit_test(working_sets_have_different_numbers),
      cmocka_unit_test(box_matches_the_best_working_set),
      cmocka_unit_test(wrong_working_sets_take_few_rounds),
      cmocka_unit_test(boxes_of_zero_width_and_without_bounds),
      cmocka_unit_test(problems_without_rows_or_columns),
      cmocka_unit_test(clamping_keeps_the_direction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
