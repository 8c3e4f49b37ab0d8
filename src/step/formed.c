// Newton's matrix as a dense one: (H + mu I) x = g by L^T D L.
//
// H is formed once for all working sets of a step, its lower triangle:
//
//   H_jk = sum over blocks u_j . v_k,   k <= j
//
// The system is that of the columns without an active bound, F, for the others' values x_A:
//
//   (H_FF + mu I) x_F = g_F - H_FA x_A
//
// The pivots are those of the elimination in newton.c: from the last column, at the tips, to the
// first. Row k becomes y_k = d_k l_k, and the right-hand side y:
//
//   y_kj = h_kj - sum_{i>k} l_ik y_ij,   d_k = y_kk + mu,   l_kj = y_kj / d_k,   j <= k
//
// Then, from the first row to the last, x_k = (y_k - sum_{j<k} y_kj x_j) / d_k. The model's
// negative gradient at an active bound is g_A - H_A x - mu x_A, also after a step along negative
// curvature.
//
// The work is f^3 / 6 products, and once r p^2 / 2 to form H for a block of r rows and a path of p
// columns. That is less than the elimination's where columns touch many rows each: n r^2.
// Source: Golub and Van Loan, Matrix Computations, 2013, section 4.1.
#include "step/formed.h"
#include "math/vector.h"
#include "simd/four.h"
#include "step/root_frame.h"

#include <string.h>

// Rows of a block that are multiplied at a time: those of a pose.
#define MOST_ROWS 6

void sinew_formed_layout(sinew_arena *arena, int m, int n, sinew_formed *formed) {
  const bool several = m > 6; // rows of more than one block
  const int most = n < SINEW_ROWS_FORMED || m > SINEW_ROWS_ELIMINATED ? n : SINEW_ROWS_FORMED;
  const size_t order = several ? (size_t)most : 0;
  const size_t stride = several ? (size_t)sinew_formed_stride(most) : 0;
  const size_t spread = several ? MOST_ROWS : 0, rows = stride > spread ? stride : spread;
  const size_t past = several ? 4 : 0; // whole fours are copied
  formed->most = (int)order;
  formed->matrix =
      sinew_arena_take_aligned(arena, order * stride + past, sizeof(double), sizeof(sinew_four));
  formed->factor =
      sinew_arena_take_aligned(arena, rows * stride + past, sizeof(double), sizeof(sinew_four));
  formed->inverse = sinew_arena_take(arena, stride, sizeof(double));
  formed->right = sinew_arena_take(arena, stride, sizeof(double));
  formed->solution = sinew_arena_take(arena, stride, sizeof(double));
  formed->fours = sinew_arena_take(arena, stride / 4, sizeof(int));
  formed->column = sinew_arena_take(arena, order, sizeof(int));
  formed->kept = sinew_arena_take(arena, 1, sizeof *formed->kept);
  formed->piece = sinew_arena_take(arena, order + 1, sizeof *formed->piece);
}

// ------------------------------------------------------------------------ H

// What is added: all of H, or H less J^T J.
typedef enum part { PART_WHOLE, PART_SECOND } part;

// Some rows of a block: count of them, from one on.
typedef struct some_rows {
  const sinew_rows *rows;
  const sinew_row_block *block;
  int first;
} some_rows;

// Entries that are multiplied with those of values, in fours: of a column from entry at on.
SINEW_ALWAYS_INLINE sinew_four load_entries(part which, const sinew_rows *rows, int at) {
  const sinew_four v = sinew_four_load(rows->second + at);
  return which == PART_WHOLE ? v : v - sinew_four_load(rows->values + at);
}

SINEW_ALWAYS_INLINE double load_entry(part which, const sinew_rows *rows, int at) {
  const double v = rows->second[at];
  return which == PART_WHOLE ? v : v - rows->values[at];
}

// Four columns of a pose or a point, row by row.
SINEW_ALWAYS_INLINE void spread_four(part which, int count, const sinew_rows *rows, int at,
                                     double *to) {
  sinew_four m[4], out[4];
  if (count == 3) {
    for (int i = 0; i < 3; ++i) {
      m[i] = load_entries(which, rows, at + 4 * i);
    }
    sinew_four_split3(m, out);
    for (int i = 0; i < 3; ++i) {
      sinew_four_store(to + 4 * i, out[i]);
    }
    return;
  }
  for (int first = 0; first <= 2; first += 2) { // the first four rows, then the last four
    for (int i = 0; i < 4; ++i) {
      m[i] = load_entries(which, rows, at + 6 * i + first);
    }
    sinew_four_transpose(m, out);
    for (int i = 0; i < 4; ++i) {
      sinew_four_store(to + 4 * (first + i), out[i]);
    }
  }
}

// The columns of some rows in fours, of each row by row: in formed.factor. fours <- where these
// begin; column <- up to how many of them each column of the path goes.
SINEW_SPECIALISED void spread(part which, int count, const some_rows *some, sinew_formed *formed) {
  const sinew_row_block *block = some->block;
  const int *path = some->rows->path + block->path_start, r = block->row_count;
  int at = block->value_start + some->first, used = 0, last = -1;
  double *four = formed->factor - 4 * count;
  for (int k = 0; k < block->path_count; ++k, at += r) {
    if (path[k] / 4 != last) {
      last = path[k] / 4;
      formed->fours[used++] = 4 * last;
      four += 4 * count;
      if (SINEW_HAS_FAST_PATHS && (count == 3 || count == 6) && r == count && path[k] == 4 * last &&
          k + 4 <= block->path_count && path[k + 3] == path[k] + 3) {
        spread_four(which, count, some->rows, at, four);
        for (int i = 0; i < 4; ++i) {
          formed->column[k + i] = used;
        }
        k += 3;
        at += 3 * r;
        continue;
      }
      for (int i = 0; i < count; ++i) {
        sinew_four_store(four + 4 * i, SINEW_FOUR_OF(0.0));
      }
    }
    for (int i = 0; i < count; ++i) {
      four[4 * i + path[k] - 4 * last] = load_entry(which, some->rows, at + i);
    }
    formed->column[k] = used;
  }
}

// H += u_j . v_k, or less that of J^T J.
SINEW_SPECIALISED void add_rows(part which, int count, const some_rows *some,
                                sinew_formed *formed) {
  const sinew_row_block *block = some->block;
  const int *path = some->rows->path + block->path_start;
  const int stride = sinew_formed_stride(some->rows->dof_count);
  const double *u = some->rows->values + block->value_start + some->first;
  spread(which, count, some, formed);
  for (int k = 0; k < block->path_count; ++k, u += block->row_count) {
    double *row = formed->matrix + path[k] * stride;
    const double *V = formed->factor;
    const int *four = formed->fours, *end = four + formed->column[k];
    sinew_four all[MOST_ROWS];
    for (int i = 0; i < count; ++i) {
      all[i] = SINEW_FOUR_OF(u[i]);
    }
    for (; four < end; ++four, V += 4 * count) {
      sinew_four sum = sinew_four_load(row + *four);
      for (int i = 0; i < count; ++i) {
        sum += all[i] * sinew_four_load(V + 4 * i);
      }
      sinew_four_store(row + *four, sum);
    }
  }
}

SINEW_SPECIALISED void add_block(part which, const sinew_rows *rows, const sinew_row_block *block,
                                 sinew_formed *formed) {
  some_rows some = {rows, block, 0};
  if (SINEW_HAS_FAST_PATHS && block->row_count == 6) {
    add_rows(which, 6, &some, formed);
    return;
  }
  if (SINEW_HAS_FAST_PATHS && block->row_count == 3) {
    add_rows(which, 3, &some, formed);
    return;
  }
  for (; some.first < block->row_count; some.first += MOST_ROWS) {
    const int left = block->row_count - some.first;
    add_rows(which, left < MOST_ROWS ? left : MOST_ROWS, &some, formed);
  }
}

// (u_k . v_j - u_j . v_k) / 2
static double mean_less(const sinew_rows *rows, int j, int k) {
  double more = 0.0;
  for (int t = rows->incidence_start[j]; t < rows->incidence_start[j + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
    const int r = block->row_count, at = block->value_start + rows->incidences[t].k * r;
    const int to = at + (k - j) * r; // columns of a spherical joint are consecutive
    for (int i = 0; i < r; ++i) {
      more += 0.5 * (rows->values[to + i] * rows->second[at + i] -
                     rows->values[at + i] * rows->second[to + i]);
    }
  }
  return more;
}

// H is symmetric in the three columns of a spherical joint.
static void average_spherical(const sinew_rows *rows, int stride, const sinew_formed *formed) {
  for (int j = 0; j < rows->dof_count; j += rows->spherical[j] != 0 ? 3 : 1) {
    for (int a = 1; rows->spherical[j] != 0 && a < 3; ++a) {
      for (int b = 0; b < a; ++b) {
        formed->matrix[(j + a) * stride + j + b] += mean_less(rows, j + a, j + b);
      }
    }
  }
}

// H <- 0, whole fours of each row.
static void clear(int n, double *matrix) {
  const int stride = sinew_formed_stride(n);
  for (int j = 0; j < n; ++j, matrix += stride) {
    for (int k = 0; k <= j; k += 4) {
      sinew_four_store(matrix + k, SINEW_FOUR_OF(0.0));
    }
  }
}

void sinew_formed_form(const sinew_rows *rows, sinew_formed *formed) {
  const bool first = rows->second == rows->values;
  const sinew_formed_state goal = first ? SINEW_FORMED_FIRST : SINEW_FORMED_SECOND;
  const bool adds = SINEW_HAS_FAST_PATHS && !first && formed->state == SINEW_FORMED_FIRST;
  if (formed->state == goal) {
    return;
  }
  formed->kept->values = NULL;
  formed->n = rows->dof_count;
  if (!adds) {
    clear(formed->n, formed->matrix);
  }
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    if (!adds) {
      add_block(PART_WHOLE, rows, block, formed);
    } else if (!block->first_order) {
      add_block(PART_SECOND, rows, block, formed);
    }
  }
  if (!first && rows->spherical != NULL) {
    average_spherical(rows, sinew_formed_stride(formed->n), formed);
  }
  formed->state = goal;
}

void sinew_formed_matrix(const sinew_rows *rows, sinew_formed *formed, double *H) {
  const int n = rows->dof_count, stride = sinew_formed_stride(n);
  formed->state = SINEW_FORMED_NONE;
  sinew_formed_form(rows, formed);
  for (int j = 0; j < n; ++j) {
    memcpy(H + j * n, formed->matrix + j * stride, (size_t)(j + 1) * sizeof(double));
  }
}

// ------------------------------------------------------------------ the system

// The columns without an active bound, and pieces of up to four consecutive ones: piece.
static void choose_columns(const signed char *active, sinew_formed *formed) {
  sinew_formed_piece *piece = formed->piece;
  int f = 0, next = -1, left = 0; // the column that the piece goes on with, and room for more
  for (int j = 0; j < formed->n; ++j) {
    if (active == NULL || active[j] == 0) {
      if (j != next || left == 0) {
        *piece++ = (sinew_formed_piece){f, j};
        left = 4;
      }
      next = j + 1;
      --left;
      formed->column[f++] = j;
    }
  }
  formed->count = f;
  *piece = (sinew_formed_piece){f, 0};
}

// The rows of the system, and as many of zeros that these are whole fours. What is after a row's
// diagonal is not read: whole fours are copied, each over what the one before has left there.
static void gather(sinew_formed *formed) {
  const int f = formed->count, from = sinew_formed_stride(formed->n), to = sinew_formed_stride(f);
  double *out = formed->factor;
  for (int a = 0; a < f; ++a, out += to) {
    const double *row = formed->matrix + formed->column[a] * from;
    for (const sinew_formed_piece *piece = formed->piece; piece->place <= a; ++piece) {
      sinew_four_store(out + piece->place, sinew_four_load(row + piece->column));
    }
  }
  sinew_zero((size_t)((to - f) * to), out);
}

// The right-hand side, less what the columns of active bounds add.
static void fill_right(const double *right, const double *x, sinew_formed *formed) {
  const int f = formed->count, stride = sinew_formed_stride(formed->n);
  const int *column = formed->column;
  sinew_zero((size_t)sinew_formed_stride(f), formed->right);
  for (int a = 0; a < f; ++a) {
    formed->right[a] = right[column[a]];
  }
  for (int below = 0, j = 0; f < formed->n && below <= f; ++below) {
    for (const int next = below < f ? column[below] : formed->n; j < next; ++j) {
      const double *row = formed->matrix + j * stride;
      for (int a = 0; x[j] != 0.0 && a < below; ++a) {
        formed->right[a] -= row[column[a]] * x[j];
      }
      for (int a = below; x[j] != 0.0 && a < f; ++a) {
        formed->right[a] -= formed->matrix[column[a] * stride + j] * x[j];
      }
    }
    j = below < f ? column[below] + 1 : formed->n;
  }
}

// ------------------------------------------------------------------- factors

#ifdef SINEW_SMALL // one row after the other

static int factor(double mu, const sinew_formed *formed) {
  const int count = formed->count, stride = sinew_formed_stride(count);
  const double *y = formed->factor, *inverse = formed->inverse;
  double *share = formed->solution; // those that are not 0: others are of another branch of a tree
  for (int i = count - 1; i >= 0; --i) {
    double *row = formed->factor + i * stride;
    int used = 0;
    for (int k = count - 1; k > i; --k) {
      share[used] = y[k * stride + i] * inverse[k];
      formed->right[i] -= share[used] * formed->right[k];
      formed->piece[used].place = k * stride;
      used += share[used] != 0.0;
    }
    for (int j = 0; j <= i; j += 4) {
      sinew_four sum = sinew_four_load(row + j);
      for (int k = 0; k < used; ++k) {
        sum -= SINEW_FOUR_OF(share[k]) * sinew_four_load(y + formed->piece[k].place + j);
      }
      sinew_four_store(row + j, sum);
    }
    formed->inverse[i] = 1.0 / (row[i] + mu);
    if (!(row[i] + mu > 0.5 * mu)) {
      return i;
    }
  }
  return -1;
}

#else

// The shares of four pivots in four rows.
typedef struct shares {
  double of[4][4];
} shares;

// The shares of the pivots from row pivots on in the four rows from one on. Returns whether one of
// them is not 0: else the rows are another branch of a tree.
SINEW_SPECIALISED bool find_shares(int stride, const double *pivots, const double *inverse,
                                   int rows, shares *l) {
  sinew_four_bits some = {0, 0, 0, 0};
  for (int p = 0; p < 4; ++p) {
    const sinew_four share =
        sinew_four_load(pivots + p * stride + rows) * SINEW_FOUR_OF(inverse[p]);
    some |= share != SINEW_FOUR_OF(0.0);
    sinew_four_store(l->of[p], share);
  }
  return ((some[0] | some[1]) | (some[2] | some[3])) != 0;
}

// Two rows, less the shares of four pivots, up to the columns before end.
SINEW_SPECIALISED void subtract_pivots(int stride, const double *pivots, const shares *l, int r,
                                       int end, double *to) {
  const sinew_four a0 = SINEW_FOUR_OF(l->of[0][r]), a1 = SINEW_FOUR_OF(l->of[1][r]),
                   a2 = SINEW_FOUR_OF(l->of[2][r]), a3 = SINEW_FOUR_OF(l->of[3][r]);
  const sinew_four b0 = SINEW_FOUR_OF(l->of[0][r + 1]), b1 = SINEW_FOUR_OF(l->of[1][r + 1]),
                   b2 = SINEW_FOUR_OF(l->of[2][r + 1]), b3 = SINEW_FOUR_OF(l->of[3][r + 1]);
  double *next = to + stride;
  for (int j = 0; j < end; j += 4) {
    const sinew_four y0 = sinew_four_load(pivots + j), y1 = sinew_four_load(pivots + stride + j),
                     y2 = sinew_four_load(pivots + 2 * stride + j),
                     y3 = sinew_four_load(pivots + 3 * stride + j);
    sinew_four_store(to + j, sinew_four_load(to + j) - ((a0 * y0 + a1 * y1) + (a2 * y2 + a3 * y3)));
    sinew_four_store(next + j,
                     sinew_four_load(next + j) - ((b0 * y0 + b1 * y1) + (b2 * y2 + b3 * y3)));
  }
}

// The factors of four rows among each other: lip of the pivot p in the row i < p.
typedef struct corner {
  double l01, l02, l03, l12, l13, l23;
} corner;

// The inverse of a pivot, 0 of a row of zeros. Returns false where the pivot is not positive.
SINEW_SPECIALISED bool invert(double d, double mu, bool zeros, double *inverse) {
  *inverse = zeros ? 0.0 : 1.0 / (d + mu);
  return zeros || d + mu > 0.5 * mu;
}

// Factors four rows within their own columns, the last ones; count of them are not zeros. r0: the
// first row from its diagonal on; inverse, y: of the four. Returns the first row whose pivot is not
// positive, or -1.
SINEW_SPECIALISED int factor_corner(int count, int stride, double mu, double *inverse, double *y,
                                    double *r0, corner *c) {
  double *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride;
  if (!invert(r3[3], mu, count < 4, &inverse[3])) {
    return 3;
  }
  c->l23 = r3[2] * inverse[3];
  r2[2] -= c->l23 * r3[2];
  r2[1] -= c->l23 * r3[1];
  r2[0] -= c->l23 * r3[0];
  y[2] -= c->l23 * y[3];
  if (!invert(r2[2], mu, count < 3, &inverse[2])) {
    return 2;
  }
  c->l13 = r3[1] * inverse[3];
  c->l12 = r2[1] * inverse[2];
  r1[1] -= c->l13 * r3[1] + c->l12 * r2[1];
  r1[0] -= c->l13 * r3[0] + c->l12 * r2[0];
  y[1] -= c->l13 * y[3] + c->l12 * y[2];
  if (!invert(r1[1], mu, count < 2, &inverse[1])) {
    return 1;
  }
  c->l03 = r3[0] * inverse[3];
  c->l02 = r2[0] * inverse[2];
  c->l01 = r1[0] * inverse[1];
  r0[0] -= (c->l03 * r3[0] + c->l02 * r2[0]) + c->l01 * r1[0];
  y[0] -= (c->l03 * y[3] + c->l02 * y[2]) + c->l01 * y[1];
  return invert(r0[0], mu, count < 1, &inverse[0]) ? -1 : 0;
}

// The other columns of four rows, which are before k.
SINEW_SPECIALISED void factor_rows(int stride, int k, const corner *c, double *rows) {
  const sinew_four l01 = SINEW_FOUR_OF(c->l01), l02 = SINEW_FOUR_OF(c->l02),
                   l03 = SINEW_FOUR_OF(c->l03), l12 = SINEW_FOUR_OF(c->l12),
                   l13 = SINEW_FOUR_OF(c->l13), l23 = SINEW_FOUR_OF(c->l23);
  for (int j = 0; j < k; j += 4, rows += 4) {
    const sinew_four y3 = sinew_four_load(rows + 3 * stride);
    const sinew_four y2 = sinew_four_load(rows + 2 * stride) - l23 * y3;
    const sinew_four y1 = sinew_four_load(rows + stride) - l13 * y3 - l12 * y2;
    const sinew_four y0 = sinew_four_load(rows) - l03 * y3 - l02 * y2 - l01 * y1;
    sinew_four_store(rows + 2 * stride, y2);
    sinew_four_store(rows + stride, y1);
    sinew_four_store(rows, y0);
  }
}

// Factors count rows in place, and takes the right-hand side with them. Returns the place of the
// first pivot that is not positive, or -1.
static int factor(double mu, const sinew_formed *formed) {
  const int count = formed->count, stride = sinew_formed_stride(count);
  double *inverse = formed->inverse, *right = formed->right, *matrix = formed->factor;
  for (int k = (count - 1) / 4 * 4; k >= 0; k -= 4) {
    double *pivots = matrix + k * stride;
    corner c;
    const int bad = factor_corner(count - k, stride, mu, inverse + k, right + k, pivots + k, &c);
    if (bad >= 0) {
      return k + bad;
    }
    factor_rows(stride, k, &c, pivots);
    for (int i = k - 4; i >= 0; i -= 4) {
      shares l;
      if (find_shares(stride, pivots, inverse + k, i, &l)) {
        sinew_four y = sinew_four_load(right + i);
        for (int p = 0; p < 4; ++p) {
          y -= sinew_four_load(l.of[p]) * SINEW_FOUR_OF(right[k + p]);
        }
        sinew_four_store(right + i, y);
        subtract_pivots(stride, pivots, &l, 0, i + 4, matrix + i * stride);
        subtract_pivots(stride, pivots, &l, 2, i + 4, matrix + (i + 2) * stride);
      }
    }
  }
  return -1;
}

#endif

int sinew_formed_factor(const double *right, const signed char *active, const double *x, double mu,
                        sinew_formed *formed, double *pivot) {
  formed->kept->values = NULL;
  choose_columns(active, formed);
  gather(formed);
  fill_right(right, x, formed);
  const int bad = factor(mu, formed);
  if (bad < 0) {
    return -1;
  }
  *pivot = formed->inverse[bad];
  return formed->column[bad];
}

// ---------------------------------------------------------------- substitution

#ifdef SINEW_SMALL

void sinew_formed_solve(sinew_formed *formed, int bad, double least, double *x) {
  const int f = formed->count, stride = sinew_formed_stride(f);
  for (int k = 0; k < f; ++k) {
    const int column = formed->column[k];
    const double *row = formed->factor + k * stride;
    double rest = formed->right[k];
    sinew_four sum = SINEW_FOUR_OF(0.0);
    int j = 0;
    for (; j + 4 <= k; j += 4) {
      sum += sinew_four_load(row + j) * sinew_four_load(formed->solution + j);
    }
    for (; j < k; ++j) {
      rest -= row[j] * formed->solution[j];
    }
    rest -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
    x[column] = formed->solution[k] =
        sinew_segment_at_least(rest * formed->inverse[k], column == bad ? least : 0.0);
  }
}

#else

void sinew_formed_copy(const sinew_formed *from, sinew_formed *to) {
  if (to->state == SINEW_FORMED_NONE) {
    const int n = from->n, stride = sinew_formed_stride(n);
    to->kept->values = NULL;
    to->n = n;
    memcpy(to->matrix, from->matrix, (size_t)(n * stride) * sizeof *to->matrix);
    to->state = from->state;
  }
}

// Row k of the factor is y_k, so that the right-hand sides of the rows before it lose y_kj / d_k
// times its own.
void sinew_formed_substitute(const double *right, const double *x, sinew_formed *formed) {
  const int f = formed->count, stride = sinew_formed_stride(f);
  double *y = formed->right;
  fill_right(right, x, formed);
  for (int k = stride - 4; k >= 0; k -= 4) {
    const double *rows = formed->factor + k * stride;
    sinew_four share[4];
    for (int p = 3; p >= 0; --p) {
      const double s = y[k + p] * formed->inverse[k + p];
      for (int j = 0; j < p; ++j) {
        y[k + j] -= s * rows[p * stride + k + j];
      }
      share[p] = SINEW_FOUR_OF(s);
    }
    for (int j = 0; j < k; j += 4) {
      const sinew_four a = sinew_four_load(rows + j) * share[0] +
                           sinew_four_load(rows + stride + j) * share[1],
                       b = sinew_four_load(rows + 2 * stride + j) * share[2] +
                           sinew_four_load(rows + 3 * stride + j) * share[3];
      sinew_four_store(y + j, sinew_four_load(y + j) - (a + b));
    }
  }
}

// right - sum over the columns before k, of four rows from k on.
SINEW_SPECIALISED void rest_of_four(int k, const sinew_formed *formed, double rest[4]) {
  const int stride = sinew_formed_stride(formed->count);
  const double *rows = formed->factor + k * stride;
  sinew_four sum[4] = {SINEW_FOUR_OF(0.0), SINEW_FOUR_OF(0.0), SINEW_FOUR_OF(0.0),
                       SINEW_FOUR_OF(0.0)};
  for (int j = 0; j < k; j += 4) {
    const sinew_four x = sinew_four_load(formed->solution + j);
    for (int r = 0; r < 4; ++r) {
      sum[r] += sinew_four_load(rows + r * stride + j) * x;
    }
  }
  for (int r = 0; r < 4; ++r) {
    rest[r] = formed->right[k + r] - ((sum[r][0] + sum[r][1]) + (sum[r][2] + sum[r][3]));
  }
}

void sinew_formed_solve(sinew_formed *formed, int bad, double least, double *x) {
  const int f = formed->count, stride = sinew_formed_stride(f);
  for (int k = 0; k < f; k += 4) {
    double rest[4];
    sinew_four solved = SINEW_FOUR_OF(0.0);
    rest_of_four(k, formed, rest);
    for (int r = 0; r < 4 && k + r < f; ++r) {
      const double *row = formed->factor + (k + r) * stride + k;
      const int column = formed->column[k + r];
      for (int j = 0; j < r; ++j) {
        rest[r] -= row[j] * solved[j];
      }
      solved[r] =
          sinew_segment_at_least(rest[r] * formed->inverse[k + r], column == bad ? least : 0.0);
      x[column] = solved[r];
    }
    sinew_four_store(formed->solution + k, solved);
  }
}

#endif

// Row j stands in column j from the diagonal on.
double sinew_formed_times_row(const sinew_formed *formed, int j, const double *x) {
  const int n = formed->n, stride = sinew_formed_stride(n);
  const double *row = formed->matrix + j * stride, *entry = row + j;
  sinew_four sum = SINEW_FOUR_OF(0.0);
  double rest = 0.0;
  int k = 0;
  for (; SINEW_HAS_FAST_PATHS && k + 4 <= j; k += 4) {
    sum += sinew_four_load(row + k) * sinew_four_load(x + k);
  }
  for (; k < j; ++k) {
    rest += row[k] * x[k];
  }
  for (; k < n; ++k, entry += stride) {
    rest += *entry * x[k];
  }
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

void sinew_formed_unconstrained(const sinew_formed *formed, const double *gradient,
                                const signed char *active, double mu, const double *x,
                                double *unconstrained) {
  for (int j = 0; j < formed->n; ++j) {
    unconstrained[j] = x[j];
    if (active[j] != 0) {
      unconstrained[j] += gradient[j] - sinew_formed_times_row(formed, j, x) - mu * x[j];
    }
  }
}
