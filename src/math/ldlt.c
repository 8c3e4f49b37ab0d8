// A + mu I = L D L^T, L with a unit diagonal:
//
//   d_k = a_kk - sum_{j<k} l_kj^2 d_j,   l_ik = (a_ik - sum_{j<k} l_ij d_j l_kj) / d_k
//
// Points and poses have multiples of three rows, which are factored in blocks of three, except in
// small builds; sizes 3 and 6 have functions of their own. Source: Golub and Van Loan, Matrix
// Computations, 2013, section 4.1.
#define SINEW_CALLS
#include "math/ldlt.h"
#include "simd/four.h"

#include <string.h>

// Below this, products of four entries do not overflow.
#define LARGEST_ENTRY 1e60

// Three columns of L, rows n apart, from the lower triangle a of a 3 x 3 block: one pivot after the
// other.
static bool factor_corner_by_pivots(const double a[6], int n, double *L) {
  const double d0 = a[0], inverse0 = 1.0 / d0;
  const double l10 = a[1] * inverse0, l20 = a[3] * inverse0;
  const double d1 = a[2] - l10 * a[1], inverse1 = 1.0 / d1;
  const double y21 = a[4] - l20 * a[1], l21 = y21 * inverse1;
  const double d2 = a[5] - l20 * a[3] - l21 * y21;
  L[0] = inverse0;
  L[n] = l10;
  L[n + 1] = inverse1;
  L[2 * n] = l20;
  L[2 * n + 1] = l21;
  L[2 * n + 2] = 1.0 / d2;
  return d0 > 0.0 && d1 > 0.0 && d2 > 0.0;
}

// The same for entries that are not extremely large. With
//
//   M = a00 a11 - a10^2,  C = a00 a21 - a10 a20,  N = (a00 a22 - a20^2) M - C^2
//
// the pivots are a00, M / a00 and N / (a00 M), so that no division depends on another. M and N
// lose as many digits to cancellation as the pivots computed one after the other.
SINEW_ALWAYS_INLINE bool factor_corner(const double a[6], int n, double *L) {
  if (!(a[0] < LARGEST_ENTRY && a[2] < LARGEST_ENTRY && a[5] < LARGEST_ENTRY)) {
    return factor_corner_by_pivots(a, n, L);
  }
  const double M = a[0] * a[2] - a[1] * a[1], C = a[0] * a[4] - a[1] * a[3],
               N = (a[0] * a[5] - a[3] * a[3]) * M - C * C;
  const double inverse = 1.0 / a[0], inverse_M = 1.0 / M;
  L[0] = inverse;
  L[n] = a[1] * inverse;
  L[n + 1] = a[0] * inverse_M;
  L[2 * n] = a[3] * inverse;
  L[2 * n + 1] = C * inverse_M;
  L[2 * n + 2] = a[0] * M / N;
  return a[0] > 0.0 && M > 0.0 && N > 0.0;
}

static bool factor3(const double *A, double mu, double *L) {
  const double a[6] = {A[0] + mu, A[3], A[4] + mu, A[6], A[7], A[8] + mu};
  return factor_corner(a, 3, L);
}

// Two blocks on the diagonal. The rows l of L below the first satisfy l D L^T = rows of A; the
// second is the Schur complement, the lower right block of A less l D l^T.
static bool factor6(const double *A, double mu, double *L) {
  const double first[6] = {A[0] + mu, A[6], A[7] + mu, A[12], A[13], A[14] + mu};
  const bool good = factor_corner(first, 6, L);
  double y[3][3], rest[6];
  for (int i = 0, at = 0; i < 3; ++i) {
    const double *row = A + 6 * (3 + i);
    double *l = L + 6 * (3 + i);
    y[i][0] = row[0];
    y[i][1] = row[1] - y[i][0] * L[6];
    y[i][2] = row[2] - y[i][0] * L[12] - y[i][1] * L[13];
    l[0] = y[i][0] * L[0];
    l[1] = y[i][1] * L[7];
    l[2] = y[i][2] * L[14];
    for (int j = 0; j <= i; ++j, ++at) {
      rest[at] =
          row[3 + j] + (i == j ? mu : 0.0) - (l[0] * y[j][0] + l[1] * y[j][1] + l[2] * y[j][2]);
    }
  }
  return factor_corner(rest, 6, L + 21) && good;
}

// Entries first to n - 1 of x less z times those of a row.
SINEW_ALWAYS_INLINE void subtract_row(int n, int first, double z, const double *row, double *x) {
  int j = first;
  for (; j < n && (n - j) % 4 != 0; ++j) {
    x[j] -= z * row[j];
  }
  for (; j < n; j += 4) {
    sinew_four_store(x + j, sinew_four_load(x + j) - SINEW_FOUR_OF(z) * sinew_four_load(row + j));
  }
}

// Three unknowns at a time: x in registers.
SINEW_ALWAYS_INLINE void lower3(const double *L, int n, double x[3]) {
  x[1] -= L[n] * x[0];
  x[2] -= L[2 * n] * x[0] + L[2 * n + 1] * x[1];
}

SINEW_ALWAYS_INLINE void upper3(const double *L, int n, double x[3]) {
  x[1] -= L[2 * n + 1] * x[2];
  x[0] -= L[2 * n] * x[2] + L[n] * x[1];
}

static void solve3(const double *L, double *b) {
  double x[3] = {b[0], b[1], b[2]};
  lower3(L, 3, x);
  for (int i = 0; i < 3; ++i) {
    x[i] *= L[4 * i];
  }
  upper3(L, 3, x);
  for (int i = 0; i < 3; ++i) {
    b[i] = x[i];
  }
}

static void solve6(const double *L, double *b) {
  double x[3] = {b[0], b[1], b[2]}, y[3];
  lower3(L, 6, x);
  for (int i = 0; i < 3; ++i) {
    const double *row = L + 18 + 6 * i;
    y[i] = b[3 + i] - ((row[0] * x[0] + row[1] * x[1]) + row[2] * x[2]);
  }
  lower3(L + 21, 6, y);
  for (int i = 0; i < 3; ++i) {
    x[i] *= L[7 * i];
    y[i] *= L[21 + 7 * i];
  }
  upper3(L + 21, 6, y);
  for (int i = 0; i < 3; ++i) {
    const double *column = L + 18 + i;
    x[i] -= (column[0] * y[0] + column[6] * y[1]) + column[12] * y[2];
  }
  upper3(L, 6, x);
  for (int i = 0; i < 3; ++i) {
    b[i] = x[i];
    b[3 + i] = y[i];
  }
}

// The first count columns, one by one, of what is above the diagonal.
static bool factor_first(int n, int count, double *L) {
  bool good = true;
  for (int k = 0; k < count; ++k) {
    double *above = L + k * n;
    const double inverse = 1.0 / above[k];
    good = above[k] > 0.0 && good;
    above[k] = inverse;
    for (int i = k + 1; i < n; ++i) {
      L[i * n + k] = above[i] * inverse;
      subtract_row(n, i, L[i * n + k], above, L + i * n);
    }
  }
  return good;
}

#ifdef SINEW_SMALL // all other sizes column by column

static bool factor_other(int n, const double *A, double mu, double *L) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      L[j * n + i] = A[i * n + j];
    }
    L[i * n + i] += mu;
  }
  return factor_first(n, n, L);
}

static void solve_other(int n, const double *L, double *x) {
  for (int k = 0; k < n; ++k) { // L D z = b
    x[k] *= L[k * n + k];
    subtract_row(n, k + 1, x[k], L + k * n, x);
  }
  for (int k = n - 1; k > 0; --k) { // L^T x = z
    subtract_row(k, 0, x[k], L + k * n, x);
  }
}

#else

// Column by column (right-looking): the updates by one pivot are independent of each other, so that
// only the pivots form a chain of dependent operations.
static bool factor(int n, const double *A, double mu, double *L) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      L[i * n + j] = A[i * n + j];
    }
    L[i * n + i] = A[i * n + i] + mu;
  }
  for (int k = 0; k < n; ++k) {
    if (!(L[k * n + k] > 0.0)) {
      return false;
    }
    const double inverse = 1.0 / L[k * n + k];
    for (int i = k + 1; i < n; ++i) {
      const double l = L[i * n + k] * inverse;
      // Column i below its diagonal: a_ji -= l_ik a_jk. Rows j >= i of column k still contain a_jk;
      // rows above contain l already.
      for (int j = i; j < n; ++j) {
        L[j * n + i] -= l * L[j * n + k];
      }
      L[i * n + k] = l;
    }
    L[k * n + k] = inverse;
  }
  return true;
}

// Matrices of other sizes than multiples of three are factored in threes from this size on.
#define LEAST_IN_THREES 7

// The last place at or before j, 3 or more, from which fours end at n.
SINEW_ALWAYS_INLINE int four_before(int n, int j) {
  return n - ((n - j + 3) & ~3);
}

// Above the diagonal the lower triangle of A + mu I, transposed. What is below is overwritten.
static void transpose(int n, const double *A, double mu, double *U) {
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int j = 0; j <= i; j += 4) { // what is above the diagonal goes below it
      const double *from = A + i * n + j;
      double *to = U + j * n + i;
      const sinew_four a = sinew_four_load(from), b = sinew_four_load(from + n),
                       c = sinew_four_load(from + 2 * n), d = sinew_four_load(from + 3 * n);
      const sinew_four e = SINEW_FOUR_PICK(a, b, 0, 4, 2, 6), f = SINEW_FOUR_PICK(a, b, 1, 5, 3, 7),
                       g = SINEW_FOUR_PICK(c, d, 0, 4, 2, 6), h = SINEW_FOUR_PICK(c, d, 1, 5, 3, 7);
      sinew_four_store(to, SINEW_FOUR_PICK(e, g, 0, 1, 4, 5));
      sinew_four_store(to + n, SINEW_FOUR_PICK(f, h, 0, 1, 4, 5));
      sinew_four_store(to + 2 * n, SINEW_FOUR_PICK(e, g, 2, 3, 6, 7));
      sinew_four_store(to + 3 * n, SINEW_FOUR_PICK(f, h, 2, 3, 6, 7));
    }
  }
  for (; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      U[j * n + i] = A[i * n + j];
    }
  }
  for (i = 0; i < n; ++i) {
    U[i * n + i] += mu;
  }
}

// Rows k to k + 2 above the diagonal become those of D L^T, of which the corner is factored: each
// less what those before it contribute. In fours that end at n, the first of which may begin in the
// corner.
SINEW_ALWAYS_INLINE void reduce_rows(int n, int k, const double corner[9], double *L) {
  const sinew_four l10 = SINEW_FOUR_OF(corner[3]), l20 = SINEW_FOUR_OF(corner[6]),
                   l21 = SINEW_FOUR_OF(corner[7]);
  double *row = L + k * n;
  for (int j = four_before(n, k + 3); j < n; j += 4) {
    const sinew_four y0 = sinew_four_load(row + j), y1 = sinew_four_load(row + n + j) - y0 * l10;
    sinew_four_store(row + n + j, y1);
    sinew_four_store(row + 2 * n + j, (sinew_four_load(row + 2 * n + j) - y0 * l20) - y1 * l21);
  }
}

// Three rows of fours from to on, n apart, less l y for the columns of L before them: l those of
// the three rows, y the rows above. In registers, so that each number is stored once.
SINEW_ALWAYS_INLINE void subtract_columns(int n, int begin, int end, int fours, const double *l,
                                          const double *y, double *to) {
  sinew_four sum[3][2];
  for (int r = 0; r < 3; ++r) {
    for (int f = 0; f < fours; ++f) {
      sum[r][f] = sinew_four_load(to + r * n + 4 * f);
    }
  }
  for (int k = begin; k < end; ++k) {
    for (int f = 0; f < fours; ++f) {
      const sinew_four row = sinew_four_load(y + k * n + 4 * f);
      for (int r = 0; r < 3; ++r) {
        sum[r][f] -= SINEW_FOUR_OF(l[r * n + k]) * row;
      }
    }
  }
  for (int r = 0; r < 3; ++r) {
    for (int f = 0; f < fours; ++f) {
      sinew_four_store(to + r * n + 4 * f, sum[r][f]);
    }
  }
}

// Rows i to i + 2 above the diagonal, less what rows begin to i - 1 contribute. The first four may
// begin before the diagonal, in columns of L, which are kept; it is the last one.
static void subtract_before(int n, int begin, int i, double *L) {
  double *row = L + i * n, kept[3][3];
  const int first = four_before(n, i);
  int j = n;
  for (int r = 0; r < 3; ++r) {
    memcpy(kept[r], row + r * n + i - 3, sizeof kept[r]);
  }
  for (; SINEW_HAS_FAST_PATHS && j - 8 >= first; j -= 8) {
    subtract_columns(n, begin, i, 2, row, L + j - 8, row + j - 8);
  }
  for (; j > first; j -= 4) {
    subtract_columns(n, begin, i, 1, row, L + j - 4, row + j - 4);
  }
  for (int r = 0; r < 3; ++r) {
    memcpy(row + r * n + i - 3, kept[r], sizeof kept[r]);
  }
}

// The entries of L in columns k to k + 2, from rows k to k + 2 of D L^T above the diagonal.
static void write_columns(int n, int k, double *L) {
  const double *y = L + k * n;
  const double d[3] = {y[k], y[n + k + 1], y[2 * n + k + 2]};
  for (int j = k + 3; j < n; ++j) {
    for (int c = 0; c < 3; ++c) {
      L[j * n + k + c] = y[c * n + j] * d[c];
    }
  }
}

// Several points: three rows of D L^T at a time, above the diagonal, where the values for
// consecutive rows of L are adjacent.
static bool factor_threes(int n, const double *A, double mu, double *L) {
  transpose(n, A, mu, L);
  bool good = factor_first(n, n % 3, L);
  for (int k = n % 3; k < n; k += 3) {
    double *row = L + k * n + k, corner[9];
    if (k > n % 3) {
      subtract_before(n, n % 3, k, L);
    }
    const double a[6] = {row[0], row[1], row[n + 1], row[2], row[n + 2], row[2 * n + 2]};
    good = factor_corner(a, 3, corner) && good;
    reduce_rows(n, k, corner, L);
    for (int r = 0; r < 3; ++r) {
      memcpy(row + r * n, corner + 3 * r, (size_t)(r + 1) * sizeof(double));
    }
    write_columns(n, k, L);
  }
  return good;
}

// Column by column, as factor() above.
static void solve(int n, const double *L, double *x) {
  for (int j = 0; j < n; ++j) { // L y = b
    for (int i = j + 1; i < n; ++i) {
      x[i] -= L[i * n + j] * x[j];
    }
  }
  for (int i = 0; i < n; ++i) { // D z = y
    x[i] *= L[i * n + i];
  }
  for (int j = n - 1; j > 0; --j) { // L^T x = z
    for (int i = 0; i < j; ++i) {
      x[i] -= L[j * n + i] * x[j];
    }
  }
}

// x less z times three rows, n apart, in fours from first on until last or past it.
SINEW_ALWAYS_INLINE void subtract_rows(int n, int first, int last, const double z[3],
                                       const double *rows, double *x) {
  const sinew_four z0 = SINEW_FOUR_OF(z[0]), z1 = SINEW_FOUR_OF(z[1]), z2 = SINEW_FOUR_OF(z[2]);
  for (int j = first; j < last; j += 4) {
    const sinew_four sum = (sinew_four_load(rows + j) * z0 + sinew_four_load(rows + n + j) * z1) +
                           sinew_four_load(rows + 2 * n + j) * z2;
    sinew_four_store(x + j, sinew_four_load(x + j) - sum);
  }
}

// A factor of factor_threes() has D L^T above its diagonal, so that both substitutions subtract
// rows. Fours are in the same places for all of them, since a vector that is read across two that
// have just been written has to wait: counted from the end in the first substitution, from the
// begin in the second. Both change some of the three unknowns themselves, which are stored last.
static void solve_threes(int n, const double *L, double *x) {
  const int begin = n % 3;
  for (int k = 0; k < begin; ++k) { // L D z = b
    x[k] *= L[k * n + k];
    subtract_row(n, k + 1, x[k], L + k * n, x);
  }
  for (int k = begin; k < n; k += 3) {
    const double *corner = L + k * n + k;
    double z[3] = {x[k], x[k + 1], x[k + 2]};
    lower3(corner, n, z);
    for (int i = 0; i < 3; ++i) {
      z[i] *= corner[i * n + i];
    }
    subtract_rows(n, four_before(n, k + 3), n, z, L + k * n, x);
    memcpy(x + k, z, sizeof z);
  }
  for (int k = n - 3; k >= begin; k -= 3) { // L^T x = z
    double z[3] = {x[k], x[k + 1], x[k + 2]};
    upper3(L + k * n + k, n, z);
    subtract_rows(n, 0, k, z, L + k * n, x);
    memcpy(x + k, z, sizeof z);
  }
  if (begin == 2) {
    x[0] -= L[n] * x[1];
  }
}

static bool is_in_threes(int n) {
  return n % 3 == 0 || n >= LEAST_IN_THREES;
}

static bool factor_other(int n, const double *A, double mu, double *L) {
  return is_in_threes(n) ? factor_threes(n, A, mu, L) : factor(n, A, mu, L);
}

static void solve_other(int n, const double *L, double *x) {
  if (is_in_threes(n)) {
    solve_threes(n, L, x);
  } else {
    solve(n, L, x);
  }
}

#endif

bool sinew_ldlt_factor(int n, const double *A, double mu, double *L) {
  switch (n) {
  case 3:
    return factor3(A, mu, L);
  case 6:
    return factor6(A, mu, L);
  default:
    return factor_other(n, A, mu, L);
  }
}

void sinew_ldlt_solve(int n, const double *L, double *b) {
  switch (n) {
  case 3:
    solve3(L, b);
    break;
  case 6:
    solve6(L, b);
    break;
  default:
    solve_other(n, L, b);
  }
}
