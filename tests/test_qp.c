// Quadratic programs: the conditions of a minimum on random families, the active set by trying all
// of them, the amounts by which contradicting rows yield by trying all vertices, warm starts,
// sparse rows, other factors, and what is refused.
#include "counted_memory.h"
#include "counting_allocator.h"
#include "inspect.h"
#include "near.h"
#include "random_tree.h"
#include "sinew/qp.h"

#include <stdbool.h>

#define MOST_N 40
#define MOST_M 60
#define MOST (MOST_N + MOST_M)

typedef struct problem {
  int n, m;
  double H[MOST_N * MOST_N], A[MOST_M * MOST_N], g[MOST_N];
  double lower[MOST], upper[MOST]; // bounds, then rows
  unsigned char rank[MOST];
  double size; // of the ends
} problem;

static sinew_qp_vectors vectors_of(const problem *p) {
  return (sinew_qp_vectors){.g = p->g,
                            .lower = p->lower,
                            .upper = p->upper,
                            .row_lower = p->lower + p->n,
                            .row_upper = p->upper + p->n,
                            .rank = p->rank};
}

static sinew_qp *create(const problem *p) {
  sinew_qp *program;
  sinew_error error;
  if (sinew_qp_create(p->n, p->m, NULL, &program, &error) != SINEW_OK ||
      sinew_qp_set_matrices(program, p->H, p->A, &error) != SINEW_OK) {
    fail_msg("%s", error.message);
  }
  return program;
}

static sinew_qp_report solve(sinew_qp *program, const problem *p, double *x) {
  const sinew_qp_vectors vectors = vectors_of(p);
  sinew_qp_report report;
  sinew_error error;
  if (sinew_qp_solve(program, &vectors, x, &report, &error) != SINEW_OK) {
    fail_msg("%s", error.message);
  }
  assert_true(report.finished);
  return report;
}

// What a random program may be.
typedef struct family {
  double least_eigenvalue; // H = M^T M / n + that
  double H_scale, x_scale; // of H, of the ends
  double equalities;       // the share of rows and bounds whose ends are equal
  double copies;           // the share of rows that are a multiple of another
  double vertex;           // the share of rows with an end at one common point
  double open;             // the share of ends that are infinite
  bool feasible;           // whether x = 0 is within the ends
} family;

static void make_row(problem *p, const family *f, random_stream *r, int row) {
  double *a = p->A + row * p->n;
  const double scale = pow(10.0, random_between(r, -2.0, 2.0));
  for (int j = 0; j < p->n; ++j) {
    a[j] = random_between(r, 0.0, 1.0) < 0.3 ? 0.0 : scale * random_between(r, -1.0, 1.0);
  }
  if (row > 0 && random_between(r, 0.0, 1.0) < f->copies) {
    const double *other = p->A + random_below(r, row) * p->n;
    const double factor = random_below(r, 2) == 0 ? -2.0 : 3.0; // exact
    for (int j = 0; j < p->n; ++j) {
      a[j] = factor * other[j];
    }
  }
}

static void make_ends(problem *p, const family *f, random_stream *r, int i, const double *point) {
  double norm = 1.0, at = i < p->n ? point[i] : 0.0;
  if (i >= p->n) {
    const double *a = p->A + (i - p->n) * p->n;
    norm = 0.0;
    for (int j = 0; j < p->n; ++j) {
      norm += a[j] * a[j];
      at += a[j] * point[j];
    }
    norm = sqrt(norm);
  }
  const double middle = f->feasible ? 0.0 : 2.0 * norm * f->x_scale * random_between(r, -1.0, 1.0);
  double lower = middle - norm * f->x_scale * random_between(r, 0.0, 1.0);
  double upper = middle + norm * f->x_scale * random_between(r, 0.0, 1.0);
  if (random_between(r, 0.0, 1.0) < f->equalities) {
    lower = upper = f->feasible ? 0.0 : upper;
  } else if (random_between(r, 0.0, 1.0) < f->vertex) {
    lower = at < 0.0 ? at : lower;
    upper = at >= 0.0 ? at : upper;
  }
  if (lower < upper) {
    lower = random_between(r, 0.0, 1.0) < f->open ? -INFINITY : lower;
    upper = random_between(r, 0.0, 1.0) < f->open ? INFINITY : upper;
  }
  p->lower[i] = lower;
  p->upper[i] = upper;
  p->rank[i] = (unsigned char)(i < p->n ? random_below(r, 2) : random_below(r, 4));
}

static void make(problem *p, const family *f, random_stream *r, int n, int m) {
  double M[MOST_N * MOST_N], point[MOST_N];
  p->n = n;
  p->m = m;
  p->size = f->x_scale;
  for (int i = 0; i < n * n; ++i) {
    M[i] = random_between(r, -1.7, 1.7);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = i == j ? f->least_eigenvalue : 0.0;
      for (int k = 0; k < n; ++k) {
        sum += M[k * n + i] * M[k * n + j] / n;
      }
      p->H[i * n + j] = f->H_scale * sum;
    }
    p->g[i] = f->H_scale * f->x_scale * random_between(r, -3.0, 3.0);
    point[i] = f->x_scale * random_between(r, -0.5, 0.5);
  }
  for (int row = 0; row < m; ++row) {
    make_row(p, f, r, row);
  }
  for (int i = 0; i < n + m; ++i) {
    make_ends(p, f, r, i, point);
  }
}

static double row_value(const problem *p, int i, const double *x) {
  double sum = i < p->n ? x[i] : 0.0;
  for (int j = 0; i >= p->n && j < p->n; ++j) {
    sum += p->A[(i - p->n) * p->n + j] * x[j];
  }
  return sum;
}

static double row_norm(const problem *p, int i) {
  double sum = i < p->n ? 1.0 : 0.0;
  for (int j = 0; i >= p->n && j < p->n; ++j) {
    sum += p->A[(i - p->n) * p->n + j] * p->A[(i - p->n) * p->n + j];
  }
  return sum > 0.0 ? sqrt(sum) : 1.0;
}

// The conditions of Karush, Kuhn and Tucker, relative to the sizes of x and of H x, which
// determine the minimum of a strictly convex program: the gradient is a sum of active rows, whose
// multipliers have their signs, and no row is beyond its ends, moved by what it yields.
static void check_minimum(const problem *p, const double *x, const sinew_qp_report *report,
                          double tolerance) {
  double X = p->size, G = 0.0;
  for (int j = 0; j < p->n; ++j) {
    double Hx = 0.0, gradient = -p->g[j];
    for (int k = 0; k < p->n; ++k) {
      Hx += p->H[j * p->n + k] * x[k];
    }
    gradient += Hx + report->multiplier[j];
    double size = fmax(fabs(Hx), fabs(p->g[j]));
    for (int row = 0; row < p->m; ++row) {
      const double pull = report->multiplier[p->n + row] * p->A[row * p->n + j];
      gradient += pull;
      size = fmax(size, fabs(pull));
    }
    G = fmax(G, size);
    X = fmax(X, fabs(x[j]));
    assert_at_most(fabs(gradient), tolerance * G + 1e-300);
  }
  for (int i = 0; i < p->n + p->m; ++i) {
    const double value = row_value(p, i, x), slack = tolerance * row_norm(p, i) * X + 1e-300;
    const double lower = p->lower[i] + fmin(report->yielded[i], 0.0);
    const double upper = p->upper[i] + fmax(report->yielded[i], 0.0);
    assert_at_most(lower - value, slack);
    assert_at_most(value - upper, slack);
    const double mu = report->multiplier[i];
    if (report->active[i] == 0) {
      assert_true(mu == 0.0);
    } else {
      assert_at_most(fabs(value - (report->active[i] < 0 ? lower : upper)), slack);
    }
    if (lower < upper) { // in units of the gradient
      assert_at_most(-report->active[i] * mu * row_norm(p, i), tolerance * G);
    }
  }
}

static const family families[] = {
    {.least_eigenvalue = 1.0, .H_scale = 1.0, .x_scale = 1.0, .feasible = true},
    {.least_eigenvalue = 1e-3, .H_scale = 1e6, .x_scale = 1e-3, .open = 0.3, .feasible = true},
    {.least_eigenvalue = 1e-1, .H_scale = 1e-9, .x_scale = 1e6, .open = 0.5, .feasible = true},
    {.least_eigenvalue = 1e-1, .H_scale = 1.0, .x_scale = 1e-9, .vertex = 0.7, .feasible = true},
    {.least_eigenvalue = 1e-1,
     .H_scale = 1.0,
     .x_scale = 1.0,
     .equalities = 0.1,
     .copies = 0.4,
     .vertex = 0.7,
     .feasible = true},
};
#define FAMILIES ((int)(sizeof families / sizeof families[0]))

// Cold, from the last list after a small change of g, from any list, and after a reset.
// req: E8
static void random_programs_are_minimised(void **unused) {
  (void)unused;
  static problem p;
  for (int seed = 0; seed < 600; ++seed) {
    random_stream r = random_stream_of((uint64_t)seed);
    make(&p, &families[seed % FAMILIES], &r, 1 + random_below(&r, MOST_N),
         random_below(&r, MOST_M));
    double x[MOST_N], again[MOST_N];
    sinew_qp *program = create(&p);
    sinew_qp_report report = solve(program, &p, x);
    check_minimum(&p, x, &report, 1e-10);
    assert_int_equal(report.yielded_count, 0);
    for (int j = 0; j < p.n; ++j) {
      p.g[j] *= random_between(&r, 0.98, 1.02);
    }
    report = solve(program, &p, x);
    check_minimum(&p, x, &report, 1e-10);
    assert_int_equal(sinew_qp_set_matrices(program, p.H, p.A, NULL), SINEW_OK);
    report = solve(program, &p, again); // from the solution's own list
    check_minimum(&p, again, &report, 1e-10);
    assert_at_most(report.changes, 2.0); // rows that rounding errors decide
    for (int j = 0; j < p.n; ++j) {
      p.g[j] *= random_between(&r, -1.0, 1.0);
    }
    report = solve(program, &p, x); // from a list that has little to do with it
    check_minimum(&p, x, &report, 1e-10);
    sinew_qp_reset(program);
    report = solve(program, &p, again);
    check_minimum(&p, again, &report, 1e-10);
    sinew_qp_destroy(program);
  }
}

// ---------------------------------------------------------- all active sets

#define SMALL 3

// The minimum with the rows of a pattern at an end each: digit i of the pattern is 0 where row i is
// not active, 1 at the lower end, 2 at the upper end. False if it is none of the program.
static bool try_pattern(const problem *p, int pattern, double *x) {
  int rows[2 * SMALL], count = 0;
  double K[3 * SMALL][3 * SMALL + 1] = {{0.0}};
  for (int i = 0, rest = pattern; i < p->n + p->m; ++i, rest /= 3) {
    const double end = rest % 3 == 1 ? p->lower[i] : p->upper[i];
    if (rest % 3 != 0 && (count == p->n || isinf(end))) {
      return false;
    }
    if (rest % 3 != 0) {
      rows[count++] = i;
    }
  }
  // [H A^T; A 0] (x, mu) = (g, b), by elimination with pivots
  const int size = p->n + count;
  for (int i = 0; i < p->n; ++i) {
    for (int j = 0; j < p->n; ++j) {
      K[i][j] = p->H[i * p->n + j];
    }
    K[i][size] = p->g[i];
  }
  for (int k = 0, rest = pattern, i = 0; k < count; rest /= 3, ++i) {
    if (rest % 3 == 0) {
      continue;
    }
    for (int j = 0; j < p->n; ++j) {
      const double a = i < p->n ? (double)(i == j) : p->A[(i - p->n) * p->n + j];
      K[p->n + k][j] = K[j][p->n + k] = a;
    }
    K[p->n + k][size] = rest % 3 == 1 ? p->lower[i] : p->upper[i];
    ++k;
  }
  for (int c = 0; c < size; ++c) {
    int pivot = c;
    for (int i = c; i < size; ++i) {
      pivot = fabs(K[i][c]) > fabs(K[pivot][c]) ? i : pivot;
    }
    if (fabs(K[pivot][c]) < 1e-9) {
      return false;
    }
    for (int j = 0; j <= size; ++j) {
      const double swap = K[c][j];
      K[c][j] = K[pivot][j];
      K[pivot][j] = swap;
    }
    for (int i = 0; i < size; ++i) {
      const double factor = i != c ? K[i][c] / K[c][c] : 0.0;
      for (int j = c; j <= size; ++j) {
        K[i][j] -= factor * K[c][j];
      }
    }
  }
  for (int j = 0; j < p->n; ++j) {
    x[j] = K[j][size] / K[j][j];
  }
  for (int k = 0, rest = pattern; k < count; ++k, rest /= 3) {
    for (; rest % 3 == 0; rest /= 3) {
    }
    const double mu = K[p->n + k][size] / K[p->n + k][p->n + k];
    if (p->lower[rows[k]] < p->upper[rows[k]] && (rest % 3 == 1 ? mu > 1e-9 : mu < -1e-9)) {
      return false;
    }
  }
  for (int i = 0; i < p->n + p->m; ++i) {
    const double value = row_value(p, i, x), slack = 1e-9 * row_norm(p, i);
    if (value > p->upper[i] + slack || value < p->lower[i] - slack) {
      return false;
    }
  }
  return true;
}

// req: E8
static void small_programs_agree_with_all_active_sets(void **unused) {
  (void)unused;
  static problem p;
  int some_active = 0;
  for (int seed = 0; seed < 400; ++seed) {
    random_stream r = random_stream_of(1000 + (uint64_t)seed);
    family f = families[seed % 2 == 0 ? 0 : FAMILIES - 1];
    make(&p, &f, &r, 1 + random_below(&r, SMALL), random_below(&r, SMALL + 1));
    int patterns = 1;
    for (int i = 0; i < p.n + p.m; ++i) {
      patterns *= 3;
    }
    double x[MOST_N], expected[SMALL];
    int pattern = 0;
    while (pattern < patterns && !try_pattern(&p, pattern, expected)) {
      ++pattern;
    }
    assert_true(pattern < patterns);
    sinew_qp *program = create(&p);
    solve(program, &p, x);
    assert_at_most(farthest(p.n, x, expected), 1e-8);
    some_active += pattern > 0;
    sinew_qp_destroy(program);
  }
  assert_true(some_active > 200);
}

// -------------------------------------------------------------- contradictions

// Rows that have been placed, and their ends.
typedef struct region {
  const problem *p;
  int count, rows[2 * SMALL + 2];
  double lower[MOST], upper[MOST];
} region;

static void row_entries(const problem *p, int i, double *a) {
  for (int j = 0; j < p->n; ++j) {
    a[j] = i < p->n ? (double)(i == j) : p->A[(i - p->n) * p->n + j];
  }
}

static bool is_inside(const region *in, const double *x) {
  for (int k = 0; k < in->count; ++k) {
    const int i = in->rows[k];
    const double value = row_value(in->p, i, x), slack = 1e-9 * row_norm(in->p, i);
    if (value > in->upper[i] + slack || value < in->lower[i] - slack) {
      return false;
    }
  }
  return true;
}

// x of SMALL rows at ends. False where they are nearly dependent.
static bool find_vertex(const region *in, const int *rows, int sides, double *x) {
  const problem *p = in->p;
  double a[SMALL][SMALL], b[SMALL];
  for (int k = 0; k < SMALL; ++k) {
    row_entries(p, rows[k], a[k]);
    b[k] = (sides >> k & 1) != 0 ? in->upper[rows[k]] : in->lower[rows[k]];
  }
  double cross[3];
  sinew_cross(a[1], a[2], cross);
  const double volume = sinew_dot(a[0], cross);
  if (fabs(volume) < 1e-7 * row_norm(p, rows[0]) * row_norm(p, rows[1]) * row_norm(p, rows[2])) {
    return false;
  }
  for (int j = 0; j < SMALL; ++j) {
    x[j] = 0.0;
  }
  for (int k = 0; k < SMALL; ++k) {
    sinew_cross(a[(k + 1) % 3], a[(k + 2) % 3], cross);
    for (int j = 0; j < SMALL; ++j) {
      x[j] += b[k] / volume * cross[j];
    }
  }
  return true;
}

// The least and largest value of row i within the region, over its vertices; the bounds of x belong
// to it, so that it has some.
static void range_of(const region *in, int i, double *least, double *most) {
  *least = INFINITY;
  *most = -INFINITY;
  for (int a = 0; a < in->count; ++a) {
    for (int b = a + 1; b < in->count; ++b) {
      for (int c = b + 1; c < in->count; ++c) {
        const int rows[SMALL] = {in->rows[a], in->rows[b], in->rows[c]};
        for (int sides = 0; sides < 8; ++sides) {
          double x[SMALL];
          if (find_vertex(in, rows, sides, x) && is_inside(in, x)) {
            *least = fmin(*least, row_value(in->p, i, x));
            *most = fmax(*most, row_value(in->p, i, x));
          }
        }
      }
    }
  }
  assert_true(*least <= *most);
}

// One row after the other, in the order in which they yield, the last to yield first: by how much
// its ends must move to leave a point of the region. The region then obeys it.
static void expect_yields(const problem *p, double *yielded) {
  region in = {.p = p};
  memset(yielded, 0, (size_t)(p->n + p->m) * sizeof *yielded);
  for (int rank = 0; rank < 256; ++rank) {
    for (int i = 0; i < p->n + p->m; ++i) {
      if (p->rank[i] != rank) {
        continue;
      }
      if (i >= p->n) { // the bounds agree with each other
        double least, most;
        range_of(&in, i, &least, &most);
        yielded[i] = fmax(least - p->upper[i], 0.0) + fmin(most - p->lower[i], 0.0);
        yielded[i] = fabs(yielded[i]) < 1e-8 * row_norm(p, i) ? 0.0 : yielded[i];
      }
      in.rows[in.count++] = i;
      in.lower[i] = p->lower[i] + fmin(yielded[i], 0.0);
      in.upper[i] = p->upper[i] + fmax(yielded[i], 0.0);
    }
  }
}

// req: E11
static void contradicting_rows_yield_in_order_by_the_least(void **unused) {
  (void)unused;
  static problem p;
  int contradictions = 0, several = 0;
  for (int seed = 0; seed < 400; ++seed) {
    random_stream r = random_stream_of(5000 + (uint64_t)seed);
    const family f = {
        .least_eigenvalue = 1.0, .H_scale = 1.0, .x_scale = 1.0, .equalities = 0.15, .copies = 0.3};
    make(&p, &f, &r, SMALL, 1 + random_below(&r, SMALL + 2));
    for (int i = 0; i < p.n; ++i) {
      p.rank[i] = 0;
    }
    for (int i = p.n; i < p.n + p.m; ++i) {
      ++p.rank[i];
    }
    double x[MOST_N], expected[MOST];
    expect_yields(&p, expected);
    sinew_qp *program = create(&p);
    for (int again = 0; again < 2; ++again) { // and from its own list
      const sinew_qp_report report = solve(program, &p, x);
      int count = 0;
      for (int i = 0; i < p.n + p.m; ++i) {
        assert_near(report.yielded[i], expected[i], 1e-7 * row_norm(&p, i));
        count += expected[i] != 0.0;
      }
      check_minimum(&p, x, &report, 1e-8);
      assert_true(report.yielded_count >= count);
      contradictions += count > 0;
      several += count > 1;
    }
    sinew_qp_destroy(program);
  }
  assert_true(contradictions > 200 && several > 50);
}

// Large ones: still the minimum for the ends that have moved, and rows of rank 0, which agree, keep
// theirs.
// req: E11
static void large_contradictions_end(void **unused) {
  (void)unused;
  static problem p;
  int yields = 0;
  for (int seed = 0; seed < 200; ++seed) {
    random_stream r = random_stream_of(9000 + (uint64_t)seed);
    const family f = {.least_eigenvalue = 0.1,
                      .H_scale = 1.0,
                      .x_scale = 1.0,
                      .equalities = 0.1,
                      .copies = 0.3,
                      .open = 0.2};
    const int rows = random_below(&r, MOST_M), columns = 1 + random_below(&r, MOST_N);
    make(&p, &f, &r, columns, rows);
    double x[MOST_N];
    for (int i = 0; i < p.n + p.m; ++i) {
      p.rank[i] = (unsigned char)(i < p.n ? 0 : 1 + random_below(&r, 3));
    }
    sinew_qp *program = create(&p);
    const sinew_qp_report report = solve(program, &p, x);
    check_minimum(&p, x, &report, 1e-7);
    for (int j = 0; j < p.n; ++j) {
      assert_true(report.yielded[j] == 0.0);
      assert_true(x[j] >= p.lower[j] && x[j] <= p.upper[j]);
    }
    yields += report.yielded_count;
    sinew_qp_destroy(program);
  }
  assert_true(yields > 500);
}

// Narrow bounds as rows, and last in the order rows whose entries have sizes over decades, or are
// 0, as those of a hard task over joints with limits of acceleration: in active sets that are
// nearly dependent rounding errors let a row in that is a sum of others, and x left the bounds by
// far. req: E11
static void narrow_bounds_do_not_yield_to_rows_of_a_larger_rank(void **unused) {
  (void)unused;
  static problem p;
  int yields = 0;
  for (int seed = 0; seed < 4000; ++seed) {
    random_stream r = random_stream_of(13000 + (uint64_t)seed);
    const family f = {.least_eigenvalue = 1.0, .H_scale = 1.0, .x_scale = 1.0, .open = 0.3};
    const int columns = 2 + random_below(&r, 10), rows = 1 + random_below(&r, 6);
    double x[MOST_N];
    make(&p, &f, &r, columns, columns + rows);
    const double width = pow(10.0, random_between(&r, -5.0, -2.0));
    for (int j = 0; j < p.n; ++j) {
      const double middle = 10.0 * width * random_between(&r, -1.0, 1.0);
      for (int k = 0; k < p.n; ++k) {
        p.H[j * p.n + k] = p.A[j * p.n + k] = j == k ? 1.0 : 0.0;
      }
      p.lower[j] = -1.0;
      p.upper[j] = 1.0;
      p.lower[p.n + j] = middle - width * random_between(&r, 0.0, 1.0);
      p.upper[p.n + j] = middle + width * random_between(&r, 0.0, 1.0);
      p.rank[j] = 0;
      p.rank[p.n + j] = 1;
    }
    for (int i = p.n; i < p.m; ++i) {
      for (int j = 0; j < p.n; ++j) {
        p.A[i * p.n + j] *= pow(10.0, random_between(&r, -3.0, 0.0));
      }
      p.lower[p.n + i] = random_between(&r, -0.1, 0.0);
      p.upper[p.n + i] = random_below(&r, 2) == 0 ? -0.02 : INFINITY;
      p.lower[p.n + i] = fmin(p.lower[p.n + i], p.upper[p.n + i]);
      p.rank[p.n + i] = 2;
    }
    for (int j = 0; j < p.n; ++j) {
      p.g[j] = 0.5 * (p.lower[p.n + j] + p.upper[p.n + j]);
    }
    sinew_qp *program = create(&p);
    for (int again = 0; again < 2; ++again) {
      const sinew_qp_report report = solve(program, &p, x);
      check_minimum(&p, x, &report, 1e-9);
      for (int i = 0; i < 2 * p.n; ++i) {
        assert_true(report.yielded[i] == 0.0);
      }
      yields += report.yielded_count;
    }
    sinew_qp_destroy(program);
  }
  assert_true(yields > 500);
}

// ------------------------------------------------------------ rows and factors

// H = I + s s^T by the formula of Sherman and Morrison, rows by index lists: the same x as dense.
typedef struct rank_one {
  int n;
  const double *s;
} rank_one;

static void solve_rank_one(const void *factor, int first, double *b) {
  const rank_one *self = factor;
  double sb = 0.0, ss = 0.0;
  for (int j = 0; j < self->n; ++j) {
    assert_true(j >= first || b[j] == 0.0);
    sb += self->s[j] * b[j];
    ss += self->s[j] * self->s[j];
  }
  for (int j = 0; j < self->n; ++j) {
    b[j] -= self->s[j] * sb / (1.0 + ss);
  }
}

static void sparse_rows_and_other_factors_agree_with_dense(void **unused) {
  (void)unused;
  static problem p;
  for (int seed = 0; seed < 100; ++seed) {
    random_stream r = random_stream_of(7000 + (uint64_t)seed);
    make(&p, &families[0], &r, 1 + random_below(&r, MOST_N), random_below(&r, MOST_M));
    double s[MOST_N], x[MOST_N], expected[MOST_N], entries[MOST_M * MOST_N];
    int index[MOST_M * MOST_N], start[MOST_M + 1] = {0}, count = 0;
    for (int i = 0; i < p.n; ++i) {
      s[i] = random_between(&r, -1.0, 1.0);
    }
    for (int i = 0; i < p.n * p.n; ++i) {
      p.H[i] = s[i / p.n] * s[i % p.n] + (double)(i / p.n == i % p.n);
    }
    for (int row = 0; row < p.m; ++row) {
      for (int j = 0; j < p.n; ++j) {
        if (p.A[row * p.n + j] != 0.0) {
          index[count] = j;
          entries[count++] = p.A[row * p.n + j];
        }
      }
      start[row + 1] = count;
    }
    sinew_qp *program = create(&p);
    solve(program, &p, expected);
    sinew_qp_destroy(program);

    sinew_qp_workspace work;
    sinew_arena arena = {NULL, 0};
    sinew_qp_workspace_layout(&arena, p.n, p.m, &work);
    void *memory = calloc(1, arena.used);
    arena = (sinew_arena){memory, 0};
    sinew_qp_workspace_layout(&arena, p.n, p.m, &work);
    const rank_one factor = {p.n, s};
    const sinew_qp_data data = {.n = p.n,
                                .row_count = p.m,
                                .H = {solve_rank_one, &factor},
                                .g = p.g,
                                .lower = p.lower,
                                .upper = p.upper,
                                .rows = entries,
                                .index = index,
                                .start = start,
                                .row_lower = p.lower + p.n,
                                .row_upper = p.upper + p.n};
    sinew_qp_minimise(&data, &work, x);
    assert_true(work.finished);
    assert_at_most(farthest(p.n, x, expected), 1e-11);
    free(memory);
  }
}

// Without bounds and rows: H^-1 g.
static void open_programs_have_the_unconstrained_minimum(void **unused) {
  (void)unused;
  static problem p;
  random_stream r = random_stream_of(3);
  make(&p, &families[0], &r, 12, 0);
  const sinew_qp_vectors vectors = {.g = p.g};
  sinew_qp *program = create(&p);
  double x[MOST_N];
  assert_int_equal(sinew_qp_solve(program, &vectors, x, NULL, NULL), SINEW_OK);
  for (int i = 0; i < p.n; ++i) {
    double sum = 0.0;
    for (int j = 0; j < p.n; ++j) {
      sum += p.H[i * p.n + j] * x[j];
    }
    assert_near(sum, p.g[i], 1e-12);
  }
  sinew_qp_destroy(program);
}

// A row of zeros that must not be 0 yields by itself, and changes nothing else.
static void empty_rows_yield_alone(void **unused) {
  (void)unused;
  problem p = {.n = 2,
               .m = 1,
               .H = {1.0, 0.0, 0.0, 1.0},
               .g = {2.0, 0.5},
               .lower = {-1.0, -1.0, 3.0},
               .upper = {1.0, 1.0, 4.0}};
  sinew_qp *program = create(&p);
  double x[2];
  const sinew_qp_report report = solve(program, &p, x);
  assert_true(x[0] == 1.0 && x[1] == 0.5);
  assert_near(report.yielded[2], -3.0, 1e-11);
  assert_int_equal(report.yielded_count, 1);
  assert_int_equal(report.active[0], 1);
  assert_near(report.multiplier[0], 1.0, 1e-15);
  sinew_qp_destroy(program);
}

// A row with a short normal that yields by far does not keep others from being met.
static void short_rows_do_not_loosen_others(void **unused) {
  (void)unused;
  for (double length = 1e-3; length > 1e-14; length *= 0.1) {
    problem p = {.n = 2,
                 .m = 2,
                 .H = {1.0, 0.0, 0.0, 1.0},
                 .A = {length, 0.0, 0.0, 1.0},
                 .lower = {-1.0, -1.0, 1.0, 0.5},
                 .upper = {1.0, 1.0, INFINITY, INFINITY}};
    sinew_qp *program = create(&p);
    double x[2];
    const sinew_qp_report report = solve(program, &p, x);
    assert_near(x[1], 0.5, 1e-11);
    assert_near(report.yielded[2], length - 1.0, 1e-9);
    assert_near(report.yielded[3], 0.0, 0.0);
    sinew_qp_destroy(program);
  }
}

// -------------------------------------------------------------- bad input, memory

static void bad_input_is_refused_by_name(void **unused) {
  (void)unused;
  problem p = {.n = 2,
               .m = 1,
               .H = {1.0, 0.0, 0.0, 1.0},
               .A = {1.0, 1.0},
               .lower = {-1.0, -1.0, -1.0},
               .upper = {1.0, 1.0, 1.0}};
  sinew_qp *program;
  sinew_error error;
  double x[2] = {7.0, 7.0};
  assert_int_equal(sinew_qp_create(0, 0, NULL, &program, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_qp_create(1, -1, NULL, &program, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_qp_create(2, 1, NULL, &program, &error), SINEW_OK);
  sinew_qp_vectors vectors = vectors_of(&p);
  assert_int_equal(sinew_qp_solve(program, &vectors, x, NULL, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "no matrices"));
  p.H[3] = -1.0;
  assert_int_equal(sinew_qp_set_matrices(program, p.H, p.A, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "not positive definite"));
  p.H[2] = NAN;
  assert_int_equal(sinew_qp_set_matrices(program, p.H, p.A, &error), SINEW_ERROR_NOT_FINITE);
  assert_non_null(strstr(error.message, "row 1 of H"));
  p.H[2] = 0.0;
  p.H[3] = 1.0;
  p.A[1] = INFINITY;
  assert_int_equal(sinew_qp_set_matrices(program, p.H, p.A, &error), SINEW_ERROR_NOT_FINITE);
  p.A[1] = 1.0;
  assert_int_equal(sinew_qp_set_matrices(program, p.H, p.A, &error), SINEW_OK);
  p.g[1] = NAN;
  assert_int_equal(sinew_qp_solve(program, &vectors, x, NULL, &error), SINEW_ERROR_NOT_FINITE);
  p.g[1] = 0.0;
  p.lower[2] = 2.0;
  assert_int_equal(sinew_qp_solve(program, &vectors, x, NULL, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "row 2 has no value between 2 and 1"));
  p.lower[2] = NAN;
  assert_int_equal(sinew_qp_solve(program, &vectors, x, NULL, &error), SINEW_ERROR_NOT_FINITE);
  p.lower[2] = -1.0;
  vectors.upper = NULL;
  assert_int_equal(sinew_qp_solve(program, &vectors, x, NULL, &error), SINEW_ERROR_ARGUMENT);
  assert_true(x[0] == 7.0 && x[1] == 7.0);
  sinew_qp_destroy(program);
  sinew_qp_destroy(NULL);
}

// Numbers from 1e-300 to 1e300: a finite answer, or an error.
static void no_number_leaves_that_is_not_finite(void **unused) {
  (void)unused;
  static problem p;
  int solved = 0;
  for (int seed = 0; seed < 500; ++seed) {
    random_stream r = random_stream_of(11000 + (uint64_t)seed);
    make(&p, &families[seed % FAMILIES], &r, 1 + random_below(&r, 6), random_below(&r, 6));
    for (int i = 0; i < p.n; ++i) {
      p.g[i] *= pow(10.0, random_between(&r, -300.0, 300.0));
    }
    for (int i = 0; i < p.n * p.m; ++i) {
      p.A[i] *= pow(10.0, random_between(&r, -300.0, 300.0));
    }
    sinew_qp *program;
    sinew_qp_report report;
    double x[MOST_N];
    assert_int_equal(sinew_qp_create(p.n, p.m, NULL, &program, NULL), SINEW_OK);
    assert_int_equal(sinew_qp_set_matrices(program, p.H, p.A, NULL), SINEW_OK);
    const sinew_qp_vectors vectors = vectors_of(&p);
    if (sinew_qp_solve(program, &vectors, x, &report, NULL) == SINEW_OK) {
      ++solved;
      for (int i = 0; i < p.n; ++i) {
        assert_true(isfinite(x[i]));
      }
      for (int i = 0; i < p.n + p.m; ++i) {
        assert_true(isfinite(report.multiplier[i]) && isfinite(report.yielded[i]));
      }
    }
    sinew_qp_destroy(program);
  }
  assert_true(solved > 100);
}

static void memory_is_that_of_creation(void **unused) {
  (void)unused;
  static problem p;
  random_stream r = random_stream_of(4);
  make(&p, &families[0], &r, 20, 30);
  counter c = {.fail_at = 0};
  sinew_allocator allocator = allocator_of(&c);
  sinew_qp *program;
  assert_int_equal(sinew_qp_create(p.n, p.m, &allocator, &program, NULL), SINEW_ERROR_MEMORY);
  assert_null(program);
  c = (counter){.fail_at = -1};
  assert_int_equal(sinew_qp_create(p.n, p.m, &allocator, &program, NULL), SINEW_OK);
  const int before = c.calls;
  const long before_all = wrapped;
  double x[MOST_N];
  assert_int_equal(sinew_qp_set_matrices(program, p.H, p.A, NULL), SINEW_OK);
  solve(program, &p, x);
  assert_int_equal(c.calls, before);
  assert_true(wrapped == before_all);
  sinew_qp_destroy(program);
  assert_int_equal(c.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_programs_are_minimised),
      cmocka_unit_test(small_programs_agree_with_all_active_sets),
      cmocka_unit_test(contradicting_rows_yield_in_order_by_the_least),
      cmocka_unit_test(large_contradictions_end),
      cmocka_unit_test(narrow_bounds_do_not_yield_to_rows_of_a_larger_rank),
      cmocka_unit_test(sparse_rows_and_other_factors_agree_with_dense),
      cmocka_unit_test(open_programs_have_the_unconstrained_minimum),
      cmocka_unit_test(empty_rows_yield_alone),
      cmocka_unit_test(short_rows_do_not_loosen_others),
      cmocka_unit_test(bad_input_is_refused_by_name),
      cmocka_unit_test(no_number_leaves_that_is_not_finite),
      cmocka_unit_test(memory_is_that_of_creation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
