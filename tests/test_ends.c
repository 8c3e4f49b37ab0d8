// A chain of spherical joints in root-frame coordinates, factored from both of its ends: solutions
// against LAPACK's Cholesky for the dense matrix, refusals against its eigenvalues.
//
// Joint k rotates about o_k and brings the point p to its target t: with a = p - o_k and b = t -
// o_k its columns are u_i = e_i x a, v_i = e_i x b, and
//
//   (e_i x a) . (e_l x b) = (a . b) [i = l] - b_i a_l,
//
// so that the dense matrix consists of a and b alone.
#include "fixtures.h"
#include "inspect.h"

#include <float.h>
#include <lapacke.h>

#define MOST_BALLS 30
#define MOST_N (3 * MOST_BALLS)
#define SEEDS 20

typedef struct chain {
  int balls, n;
  double a[MOST_BALLS][3], b[MOST_BALLS][3];
  double u[3 * MOST_N], v[3 * MOST_N], right[MOST_N];
  double w[3 * MOST_N], pivot[MOST_N], y[MOST_N], off_diagonal[MOST_N];
  unsigned char kinds[MOST_N];
  double H[MOST_N * MOST_N]; // its lower half
  double least, most;        // eigenvalues of H
} chain;

// An even number of joints has two equal halves, an odd one has one more joint in the outer half.
static const int sizes[] = {6, 7, 10, 30};
#define SIZES (sizeof sizes / sizeof sizes[0])

// The angle between successive segments: small, medium, all directions [about rad].
static const double bends[] = {0.05, 0.5, 4.0};
#define BENDS (sizeof bends / sizeof bends[0])

static double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// e_i x a, side by side
static void write_columns(const double a[3], double *out) {
  const double columns[9] = {0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0};
  memcpy(out, columns, sizeof columns);
}

// Row i of joint j, column l of joint k, k no farther from the root.
static double entry(const chain *c, int j, int i, int k, int l) {
  const double *a = c->a[j], *b = c->b[k];
  const double same = i == l ? dot3(a, b) : 0.0;
  return j == k ? same - 0.5 * (b[i] * a[l] + b[l] * a[i]) : same - b[i] * a[l];
}

static void fill_dense(chain *c) {
  static double A[MOST_N * MOST_N];
  double values[MOST_N];
  memset(c->H, 0, sizeof c->H);
  for (int row = 0; row < c->n; ++row) {
    for (int column = 0; column <= row; ++column) {
      c->H[row * c->n + column] = entry(c, row / 3, row % 3, column / 3, column % 3);
    }
  }
  memcpy(A, c->H, sizeof A);
  assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', c->n, A, c->n, values), 0);
  c->least = values[0];
  c->most = values[c->n - 1];
}

// Segments of 1 / balls m, bent at random; the target is off the point by away in each coordinate.
static void chain_make(chain *c, int balls, double bend, const double away[3],
                       random_stream *random) {
  double direction[3] = {1.0, 0.0, 0.0}, o[MOST_BALLS + 1][3] = {{0.0}};
  memset(c, 0, sizeof *c);
  c->balls = balls;
  c->n = 3 * balls;
  for (int k = 0; k < balls; ++k) {
    double turn[3];
    random_vector(random, bend, turn);
    for (int i = 0; i < 3; ++i) {
      direction[i] += turn[i];
    }
    const double length = sqrt(dot3(direction, direction));
    for (int i = 0; i < 3; ++i) {
      direction[i] /= length;
      o[k + 1][i] = o[k][i] + direction[i] / balls;
    }
  }
  for (int k = 0; k < balls; ++k) {
    for (int i = 0; i < 3; ++i) {
      c->a[k][i] = o[balls][i] - o[k][i];
      c->b[k][i] = c->a[k][i] + away[i];
    }
    write_columns(c->a[k], c->u + 9 * k);
    write_columns(c->b[k], c->v + 9 * k);
  }
  for (int j = 0; j < c->n; ++j) {
    c->right[j] = random_between(random, -1.0, 1.0);
    c->kinds[j] = SINEW_SPHERICAL_ROOT_FRAME;
  }
  fill_dense(c);
}

#ifdef SINEW_X86_64
bool sinew_ends_solve_avx2(const sinew_segment *s, double *x); // simd/avx2_names.h
#endif

static sinew_segment segment_of(chain *c, double mu) {
  return (sinew_segment){.r = 3,
                         .count = c->n,
                         .u = c->u,
                         .v = c->v,
                         .w = c->w,
                         .top = true,
                         .tip = true,
                         .mu = mu,
                         .right = c->right,
                         .spherical = c->kinds,
                         .point = true,
                         .pivot = c->pivot,
                         .y = c->y,
                         .off_diagonal = c->off_diagonal};
}

static bool solve(chain *c, double mu, double *x) {
  const sinew_segment s = segment_of(c, mu);
  return sinew_ends_solve(&s, x);
}

// H + mu I
static void fill_damped(const chain *c, double mu, double *A) {
  memcpy(A, c->H, sizeof c->H);
  for (int j = 0; j < c->n; ++j) {
    A[j * c->n + j] += mu;
  }
}

// By Cholesky. False where the matrix is not positive definite.
static bool solve_dense(const chain *c, double mu, double *x) {
  static double A[MOST_N * MOST_N];
  fill_damped(c, mu, A);
  memcpy(x, c->right, sizeof c->right);
  return LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', c->n, 1, A, c->n, x, 1) == 0;
}

// Whether both halves, each by itself, are positive definite: then only their common part shows
// that the whole is not.
static bool halves_are_definite(const chain *c, double mu) {
  static double A[MOST_N * MOST_N];
  const int inner = 3 * (c->balls / 2);
  fill_damped(c, mu, A);
  return LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', inner, A, c->n) == 0 &&
         LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', c->n - inner, A + inner * c->n + inner, c->n) == 0;
}

// How many eigenvalues of H + mu I are negative.
static int negative_count(const chain *c, double mu) {
  static double A[MOST_N * MOST_N];
  double values[MOST_N];
  int count = 0;
  fill_damped(c, mu, A);
  assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', c->n, A, c->n, values), 0);
  while (count < c->n && values[count] < 0.0) {
    ++count;
  }
  return count;
}

// The distance of x from LAPACK's, in roundings times the condition, relative to the largest entry.
// The bound is the number of unknowns; an error of the method is much larger.
static double error_of(const chain *c, double mu, const double *x, const double *expected) {
  double largest = 0.0;
  for (int j = 0; j < c->n; ++j) {
    largest = fmax(largest, fabs(expected[j]));
  }
  const double norm = fmax(c->most, -c->least) + mu;
  return farthest(c->n, x, expected) / (largest * norm / (c->least + mu) * DBL_EPSILON);
}

// Solved as LAPACK does. Returns the distance from it.
static double assert_solved(chain *c, double mu) {
  double x[MOST_N], expected[MOST_N];
  assert_true(solve(c, mu, x));
  assert_true(solve_dense(c, mu, expected));
  const double error = error_of(c, mu, x, expected);
  assert_at_most(error, c->n);
  return error;
}

// -------------------------------------------------------------------------------------------------

// Targets at the point, near it, in reach and out of it, with damping that makes the whole matrix
// positive definite.
// req: B18
static void steps_match_lapack(void **state) {
  (void)state;
  static const double damping[] = {1e-6, 1e-3, 0.1, 10.0}, distances[] = {0.0, 1e-3, 0.3, 2.0};
  static chain c;
  double worst = 0.0;
  random_stream random = random_stream_of(1);
  for (size_t i = 0; i < SIZES * BENDS * 4 * SEEDS; ++i) {
    double away[3];
    random_vector(&random, distances[i / (SIZES * BENDS) % 4], away);
    chain_make(&c, sizes[i % SIZES], bends[i / SIZES % BENDS], away, &random);
    for (int k = 0; k < 4; ++k) {
      // Pivots are at least the least eigenvalue of H + mu I, here more than mu / 2.
      const double mu = damping[k] + 2.0 * fmax(0.0, -c.least);
      worst = fmax(worst, assert_solved(&c, mu));
    }
  }
  print_message("furthest from LAPACK: condition times %.1f roundings\n", worst);
}

// Targets far away, behind and beyond: H is indefinite. Too little damping is refused, and x is
// unchanged. Pivots up to mu / 2 may be refused too, when the least eigenvalue of H + mu I is no
// larger; never above.
// req: B18
static void indefinite_matrices_are_refused(void **state) {
  (void)state;
  static const double shares[] = {0.01, 0.1,   0.2,   0.3, 0.45, 0.6,  0.75, 0.9,
                                  0.99, 0.999, 1.001, 1.3, 1.9,  2.01, 4.0};
  static chain c;
  int refused = 0, accepted = 0, edge = 0, met[MOST_N + 1] = {0}; // met: by negative eigenvalues
  double worst = 0.0;
  random_stream random = random_stream_of(2);
  for (size_t i = 0; i < SIZES * BENDS * SEEDS; ++i) {
    double away[3], x[MOST_N], before[MOST_N], expected[MOST_N];
    random_vector(&random, 2.0, away);
    chain_make(&c, sizes[i % SIZES], bends[i / SIZES % BENDS], away, &random);
    for (size_t k = 0; k < sizeof shares / sizeof shares[0] && c.least < -1e-6; ++k) {
      const double mu = shares[k] * -c.least;
      for (int j = 0; j < c.n; ++j) {
        x[j] = before[j] = random_between(&random, -1.0, 1.0);
      }
      const bool good = solve(&c, mu, x), definite = solve_dense(&c, mu, expected);
      assert_true(definite == (shares[k] > 1.0));
      if (good) {
        assert_true(definite);
        const double error = error_of(&c, mu, x, expected);
        assert_at_most(error, c.n);
        worst = fmax(worst, error);
        ++accepted;
      } else {
        assert_true(c.least + mu <= 0.5 * mu);
        assert_memory_equal(x, before, (size_t)c.n * sizeof(double));
        refused += !definite;
        edge += definite;
        met[!definite && halves_are_definite(&c, mu) ? negative_count(&c, mu) : 0] += 1;
      }
    }
  }
  print_message("%d refused, of them by the common part %d with one negative eigenvalue and %d "
                "with two; %d accepted; %d at the edge refused; condition times %.1f roundings\n",
                refused, met[1], met[2], accepted, edge, worst);
  // With two negative eigenvalues the determinant is positive.
  assert_true(refused >= 1000 && accepted >= 500 && met[1] >= 200 && met[2] >= 10);
}

// v = u, which holds for a target at the point: H = J^T J, and any damping suffices.
// req: B18
static void semidefinite_matrices_are_never_refused(void **state) {
  (void)state;
  static const double none[3] = {0.0, 0.0, 0.0};
  static chain c;
  double worst = 0.0;
  random_stream random = random_stream_of(3);
  for (size_t i = 0; i < SIZES * BENDS * SEEDS; ++i) {
    chain_make(&c, sizes[i % SIZES], bends[i / SIZES % BENDS], none, &random);
    for (double mu = 1e-1; mu > 0.9e-6; mu *= 0.1) {
      worst = fmax(worst, assert_solved(&c, mu));
    }
  }
  print_message("furthest from LAPACK: condition times %.1f roundings\n", worst);
}

// Compiled twice (simd/four.h): the same bits, and the same is refused.
// req: B18
static void instruction_sets_give_the_same_bits(void **state) {
  (void)state;
  if (sinew_instruction_set_detect() < SINEW_INSTRUCTION_SET_AVX2) {
    print_message("this processor has no AVX2\n");
    skip();
  }
#ifdef SINEW_X86_64
  static chain c;
  int refused = 0, accepted = 0;
  random_stream random = random_stream_of(4);
  for (size_t i = 0; i < SIZES * BENDS * SEEDS; ++i) {
    double away[3], base[MOST_N] = {0.0}, avx2[MOST_N] = {0.0};
    random_vector(&random, 0.5, away);
    chain_make(&c, sizes[i % SIZES], bends[i / SIZES % BENDS], away, &random);
    for (double mu = 10.0; mu > 1e-6; mu *= 0.1) {
      const sinew_segment s = segment_of(&c, mu);
      const bool good = sinew_ends_solve(&s, base);
      assert_true(sinew_ends_solve_avx2(&s, avx2) == good);
      assert_memory_equal(base, avx2, sizeof base);
      accepted += good;
      refused += !good;
    }
  }
  print_message("%d refused, %d accepted\n", refused, accepted);
  assert_true(refused >= 100 && accepted >= 100);
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_match_lapack),
      cmocka_unit_test(indefinite_matrices_are_refused),
      cmocka_unit_test(semidefinite_matrices_are_never_refused),
      cmocka_unit_test(instruction_sets_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
