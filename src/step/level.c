// A level in the form of its rows. With multipliers y, one a row, and F the columns without an
// active bound, the optimum is
//
//   x_F = D^-1 (g + J^T y)_F,     J_f x = e_f,     J_w x + y_w = e_w
//
// and y solves a system of as many equations as rows:
//
//   (J_F D_F^-1 J_F^T + diag(rho)) y = e - J_F D_F^-1 g_F - J_B x_B
//
// with rho = 1 for the rows of this level and, since fixed rows may be dependent, a very small rho
// for those, and soft besides: it is the penalty |J_f x - e_f|^2 / (2 rho), which keeps the problem
// strictly convex. With singular values s of J_f D^-1/2 a step z of this level moves the fixed rows
// by at most rho s / (s^2 + rho) |z|, less than sqrt(rho) |z| / 2. So nothing has to decide which
// singular values count as 0, as a null-space basis must: no direction appears or vanishes from one
// update to the next. Bounds are kept by the active set of box.c, as Baerlocher and Boulic's loop
// does.
//
// Sources: Escande, Mansard, Wieber, Hierarchical quadratic programming, 2014; Baerlocher, Boulic,
// An inverse kinematics architecture enforcing an arbitrary number of strict priority levels, 2004.
#define SINEW_CALLS
#include "step/level.h"
#include "math/ldlt.h"
#include "math/vector.h"
#include "simd/four.h"
#include "step/box.h"
#include "step/level_products.h"
#include "step/level_small.h"

#include <string.h>

// Columns of changed bounds by which the system is updated; if there are more, it is formed again.
// So it is for slacks, which are so large in it that what rounding leaves of them may exceed rho.
#define MOST_CHANGED 6

// rho where all fixed rows are 0.
#define SMALLEST 1e-30

void sinew_level_layout(sinew_arena *arena, int m, int n, sinew_level_scratch *scratch) {
  const size_t rows = (size_t)m, stride = (size_t)sinew_level_stride(n);
  scratch->scaled = sinew_arena_take(arena, rows * stride, sizeof(double));
  scratch->matrix = sinew_arena_take(arena, rows * rows, sizeof(double));
  scratch->factor = sinew_arena_take(arena, rows * rows, sizeof(double));
  scratch->used = sinew_arena_take(arena, (rows + THREE - 1) / THREE, sizeof *scratch->used);
  scratch->known = sinew_arena_take(arena, (rows + THREE - 1) / THREE, sizeof *scratch->known);
  scratch->right = sinew_arena_take(arena, rows + 4, sizeof(double)); // loaded in fours
  double **const columns[] = {&scratch->every, &scratch->inverse,       &scratch->gradient,
                              &scratch->base,  &scratch->unconstrained, &scratch->from};
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
    *columns[i] = sinew_arena_take(arena, stride, sizeof(double));
  }
  scratch->held = sinew_arena_take(arena, stride, 1);
  scratch->initial = sinew_arena_take(arena, stride, 1);
  scratch->formed = sinew_arena_take(arena, stride, 1);
}

// The squared Frobenius norm of the fixed rows of J D^-1/2, of all columns but slacks.
static double square_of_fixed(const sinew_level_rows *rows, sinew_level_scratch *scratch) {
  const int stride = sinew_level_stride(rows->n), n = rows->n - rows->slacks;
  double *scale = scratch->unconstrained; // not known yet
  sinew_four sum = SINEW_FOUR_OF(0.0);
  sinew_zero((size_t)stride, scale);
  memcpy(scale, scratch->every, (size_t)n * sizeof *scale);
  for (int r = 0; r < rows->fixed; ++r) {
    uint64_t left = scratch->used[r / THREE];
    for (int j = 0; left != 0;) {
      j = next_four(&left, j, stride);
      const sinew_four v = sinew_four_load(rows->J + r * stride + j);
      sum += v * v * sinew_four_load(scale + j);
    }
  }
  return sum_of(sum);
}

// Factors a matrix with rho on the diagonal of the first fixed rows. Where rounding errors make
// that indefinite, rho grows. diagonal <- what has been added.
static bool factor(int m, int fixed, double rho, double *matrix, double *diagonal, double *out) {
  double added = 0.0;
  bool good = false;
  for (double most = 1.0; !good && most < 1e9; most *= 100.0) {
    for (int r = 0; r < fixed; ++r) {
      matrix[r * m + r] += most * rho - added;
    }
    added = most * rho;
    good = sinew_ldlt_factor(m, matrix, 0.0, out);
  }
  *diagonal = added;
  return good;
}

// The problem for one working set.
typedef struct step {
  const sinew_level_rows *rows;
  sinew_level_scratch *scratch;
  bool formed;   // whether the system's matrix is that of the last working set
  int active;    // bounds in the working set
  bool factored; // whether its system has a solution
} step;

// Whether none of four columns has an active bound.
SINEW_ALWAYS_INLINE bool are_free(const signed char *held, int j) {
  int32_t four;
  memcpy(&four, held + j, sizeof four);
  return four == 0;
}

// The inverse of D, and x without multipliers, for the working set. What is past n is in no row.
static void take_columns(step *s, const double *x) {
  const sinew_level_rows *rows = s->rows;
  sinew_level_scratch *scratch = s->scratch;
  const int n = rows->n;
  s->active = 0;
  for (int j = 0; j < n; j += 4) {
    if (are_free(scratch->held, j)) {
      const sinew_four every = sinew_four_load(scratch->every + j);
      sinew_four_store(scratch->inverse + j, every);
      sinew_four_store(scratch->base + j, every * sinew_four_load(rows->g + j));
      continue;
    }
    for (int i = j; i < j + 4 && i < n; ++i) {
      const bool held = scratch->held[i] != 0;
      scratch->inverse[i] = held ? 0.0 : scratch->every[i];
      scratch->base[i] = held ? x[i] : scratch->every[i] * rows->g[i];
      s->active += held;
    }
  }
}

// How many columns of the working set differ from those that the system has been formed for.
static int count_changed(const step *s) {
  const sinew_level_rows *rows = s->rows;
  const sinew_level_scratch *scratch = s->scratch;
  int changed = 0;
  for (int j = 0; j < rows->n; ++j) {
    const bool slack = j >= rows->n - rows->slacks;
    changed +=
        (scratch->held[j] == 0) != (scratch->formed[j] != 0) ? (slack ? MOST_CHANGED + 1 : 1) : 0;
  }
  return changed;
}

// J D^-1, in the columns used
static void scale(const sinew_level_rows *rows, sinew_level_scratch *scratch) {
  const int stride = sinew_level_stride(rows->n), m = rows->fixed + rows->wanted;
  for (int r = 0; r < m; r += THREE) {
    const three_rows from = rows_from(r, m, stride, rows->J);
    double *to = scratch->scaled + r * stride;
    uint64_t left = scratch->used[r / THREE];
    for (int j = 0; left != 0;) {
      j = next_four(&left, j, stride);
      const sinew_four factor = sinew_four_load(scratch->inverse + j);
      for (int i = 0; i < THREE && r + i < m; ++i) {
        sinew_four_store(to + i * stride + j, sinew_four_load(from.row[i] + j) * factor);
      }
    }
  }
}

// Whether D^-1 of the working set is the same in all columns: as with a posture of one weight for
// all joints where no bound is active.
static bool is_uniform(const sinew_level_rows *rows, const sinew_level_scratch *scratch) {
  const double *inverse = scratch->inverse;
  const sinew_four first = SINEW_FOUR_OF(inverse[0]);
  sinew_four_bits differ = {0, 0, 0, 0};
  int j = 0;
  for (; j + 4 <= rows->n; j += 4) {
    differ |= sinew_four_load(inverse + j) != first;
  }
  bool uniform = !sinew_four_bits_any(differ);
  for (; j < rows->n; ++j) {
    uniform &= inverse[j] == inverse[0];
  }
  return uniform;
}

// The system's matrix without rho of fixed rows.
static void fill_matrix(const sinew_level_rows *rows, sinew_level_scratch *scratch) {
  const int m = rows->fixed + rows->wanted, stride = sinew_level_stride(rows->n);
  if (SINEW_HAS_FAST_PATHS && is_uniform(rows, scratch)) {
    outer(m, stride, scratch->inverse[0], rows->J, rows->J, scratch->used, scratch->matrix);
  } else {
    scale(rows, scratch);
    outer(m, stride, 1.0, rows->J, scratch->scaled, scratch->used, scratch->matrix);
  }
  for (int r = rows->fixed; r < m; ++r) {
    scratch->matrix[r * m + r] += 1.0;
  }
}

// matrix += J_j D_j^-1 J_j^T, or less that.
static void add_column(const sinew_level_rows *rows, sinew_level_scratch *scratch, int j) {
  const int stride = sinew_level_stride(rows->n), m = rows->fixed + rows->wanted;
  const double share = scratch->held[j] != 0 ? -scratch->every[j] : scratch->every[j];
  double *column = scratch->right;
  for (int r = 0; r < m; ++r) {
    column[r] = rows->J[r * stride + j];
  }
  for (int r = 0; r < m; ++r) {
    const double scaled = share * column[r];
    double *row = scratch->matrix + r * m;
    for (int k = 0; scaled != 0.0 && k <= r; ++k) {
      row[k] += scaled * column[k];
    }
  }
}

// The system's matrix for a working set that differs in few columns from the last one.
static void change_matrix(const sinew_level_rows *rows, sinew_level_scratch *scratch) {
  const int m = rows->fixed + rows->wanted;
  for (int r = 0; r < rows->fixed; ++r) {
    scratch->matrix[r * m + r] -= scratch->diagonal;
  }
  for (int j = 0; j < rows->n; ++j) {
    if ((scratch->held[j] == 0) != (scratch->formed[j] != 0)) {
      add_column(rows, scratch, j);
    }
  }
}

// rho, from the squared Frobenius norm of the fixed rows of J D^-1/2.
static double rho_of_square(int fixed, double square) {
  return fixed > 0 ? sinew_max(SINEW_LEVEL_FIXED * square / fixed, SMALLEST) : 0.0;
}

// rho: SINEW_LEVEL_FIXED times the mean square of the fixed rows of J D^-1/2, of all columns but
// slacks, so that it does not depend on the active bounds. Where there is none of these, the trace
// of the system that has just been formed is that square.
static double rho_of(const step *s) {
  const sinew_level_rows *rows = s->rows;
  const int m = rows->fixed + rows->wanted;
  double square = 0.0;
  if (!SINEW_HAS_FAST_PATHS || rows->slacks > 0 || s->active > 0) {
    square = square_of_fixed(rows, s->scratch);
  } else {
    for (int r = 0; r < rows->fixed; ++r) {
      square += s->scratch->matrix[r * m + r];
    }
  }
  return rho_of_square(rows->fixed, square);
}

// Forms the system for the working set.
static void form(step *s) {
  fill_matrix(s->rows, s->scratch);
  if (!s->formed) { // the first of the call
    s->scratch->rho = rho_of(s);
  }
  for (int r = 0; s->rows->soft != NULL && r < s->rows->fixed; ++r) {
    s->scratch->matrix[r * (s->rows->fixed + s->rows->wanted) + r] += s->rows->soft[r];
  }
}

// x of the columns without an active bound, and the unconstrained values of all, from D times
// these.
static void finish(const sinew_level_rows *rows, sinew_level_scratch *scratch, double *x) {
  for (int j = 0; j < rows->n; j += 4) {
    const sinew_four unconstrained =
        sinew_four_load(scratch->unconstrained + j) * sinew_four_load(scratch->every + j);
    sinew_four_store(scratch->unconstrained + j, unconstrained);
    if (are_free(scratch->held, j)) {
      sinew_four_store(x + j, unconstrained);
      continue;
    }
    for (int i = j; i < j + 4 && i < rows->n; ++i) {
      x[i] = scratch->held[i] != 0 ? x[i] : scratch->unconstrained[i];
    }
  }
}

static int solve_free(void *context, bool steady, double *x) {
  step *s = context;
  const sinew_level_rows *rows = s->rows;
  sinew_level_scratch *scratch = s->scratch;
  const int n = rows->n, m = rows->fixed + rows->wanted;
  (void)steady;
  take_columns(s, x);
  if (SINEW_HAS_FAST_PATHS && s->formed && count_changed(s) <= MOST_CHANGED) {
    change_matrix(rows, scratch);
  } else {
    form(s);
  }
  s->formed = true;
  for (int j = 0; SINEW_HAS_FAST_PATHS && j < n; ++j) {
    scratch->formed[j] = scratch->held[j] == 0;
  }
  for (int r = 0; r < m; r += THREE) {
    residual_of_three(rows, scratch->used, r, scratch->base, scratch->right + r);
  }
  s->factored = m > 0 && factor(m, rows->fixed, scratch->rho, scratch->matrix, &scratch->diagonal,
                                scratch->factor);
  if (s->factored) {
    sinew_ldlt_solve(m, scratch->factor, scratch->right);
  } else {
    sinew_zero((size_t)m, scratch->right);
  }
  add_transposed(rows, scratch->used, 0, m, scratch->right, rows->g, scratch->unconstrained);
  finish(rows, scratch, x);
  return 1;
}

// (J_f x - e_f)_r^2 / (rho + soft_r), over the fixed rows
static double penalty_of(const sinew_level_rows *rows, const sinew_level_scratch *scratch,
                         const double *x) {
  double sum = 0.0;
  if (rows->soft == NULL) {
    return rows->fixed > 0 ? sinew_level_left(rows, scratch, 0, rows->fixed, x, NULL) / scratch->rho
                           : 0.0;
  }
  for (int r = 0; r < rows->fixed; r += THREE) {
    double each[THREE] = {0.0};
    residual_of_three(rows, scratch->used, r, x, each);
    for (int i = 0; i < THREE && r + i < rows->fixed; ++i) {
      sum += each[i] * each[i] / (scratch->rho + rows->soft[r + i]);
    }
  }
  return sum;
}

// x^T D x / 2 - g^T x + |J_w x - e_w|^2 / 2 + the fixed rows' penalty / 2
static double value_of(void *context, const double *x) {
  const step *s = context;
  const sinew_level_rows *rows = s->rows;
  double value = 0.0;
  for (int j = 0; j < rows->n; ++j) {
    value += x[j] * (0.5 * rows->D[j] * x[j] - rows->g[j]);
  }
  const sinew_level_scratch *scratch = s->scratch;
  return value + 0.5 * sinew_level_left(rows, scratch, rows->fixed, rows->wanted, x, NULL) +
         0.5 * penalty_of(rows, scratch, x);
}

// A small level for the working set in scratch.held. Returns whether that is the optimum's.
SINEW_SPECIALISED bool solve_small(const sinew_level_rows *rows, int m, int fours,
                                   sinew_level_scratch *scratch, double *x) {
  sinew_level_small s;
  sinew_level_small_form(rows, m, fours, scratch, &s);
  scratch->rho = rho_of_square(
      rows->fixed, sinew_level_small_square(&s, fours, m, rows->fixed, scratch->matrix));
  if (!factor(m, rows->fixed, scratch->rho, scratch->matrix, &scratch->diagonal, scratch->factor)) {
    return false;
  }
  sinew_ldlt_solve(m, scratch->factor, scratch->right);
  return sinew_level_small_finish(&s, fours, rows, scratch, x);
}

bool sinew_level_solve_once(const sinew_level_rows *rows, sinew_level_scratch *scratch, double *x) {
  const int m = rows->fixed + rows->wanted;
  if (!sinew_level_is_small(rows)) {
    return false;
  }
  // A pose and more than four joints, as most arms have, apart from other sizes
  return rows->n <= 4                ? solve_small(rows, m, 1, scratch, x)
         : m == SINEW_LEVEL_FEW_ROWS ? solve_small(rows, SINEW_LEVEL_FEW_ROWS, 2, scratch, x)
                                     : solve_small(rows, m, 2, scratch, x);
}

// Whether x is the solution of the last system.
static bool is_solution(const step *s, const double *x) {
  const sinew_level_rows *rows = s->rows;
  const sinew_level_scratch *scratch = s->scratch;
  int active = 0, other = 0;
  for (int j = 0; j < rows->n; ++j) {
    active += scratch->held[j] != 0;
    other += (scratch->held[j] == 0) & (x[j] != scratch->unconstrained[j]);
  }
  return active == s->active && other == 0;
}

int sinew_level_solve_sets(const sinew_level_rows *rows, bool begun, sinew_level_scratch *scratch,
                           double *x) {
  step s = {.rows = rows, .scratch = scratch};
  for (int j = 0; j < rows->n; ++j) {
    scratch->every[j] = 1.0 / rows->D[j];
  }
  find_used(rows, scratch->known, scratch->used);
  if (rows->lower == NULL) {
    memset(scratch->held, 0, (size_t)rows->n);
    solve_free(&s, true, x);
    scratch->solved = s.factored;
    return 1;
  }
  if (!begun) { // else the working set does not depend on it
    add_transposed(rows, scratch->used, rows->fixed, rows->wanted, rows->e + rows->fixed, rows->g,
                   scratch->gradient);
  }
  const sinew_box box = {.n = rows->n,
                         .gradient = scratch->gradient,
                         .lower = rows->lower,
                         .upper = rows->upper,
                         .held = scratch->held,
                         .begun = begun,
                         .rounds = rows->rounds,
                         .unconstrained = scratch->unconstrained,
                         .from = scratch->from,
                         .initial = scratch->initial,
                         .solve = solve_free,
                         .value = value_of,
                         .step = &s};
  const int systems = sinew_box_solve(&box, x);
  scratch->solved = s.factored && is_solution(&s, x);
  return systems;
}

double sinew_level_left(const sinew_level_rows *rows, const sinew_level_scratch *scratch, int first,
                        int count, const double *x, double *left) {
  double square = 0.0;
  if (count == 0) {
    return square;
  }
  if (scratch->solved && first + count <= rows->fixed && rows->soft == NULL) { // rho y
    sinew_four squares = SINEW_FOUR_OF(0.0);
    for (int r = 0; r < count; r += 4) {
      const sinew_four all =
          SINEW_FOUR_OF(scratch->diagonal) * sinew_four_load(scratch->right + first + r);
      const sinew_four each = sinew_four_masked(sinew_four_inside(count - r), all);
      squares += each * each;
      if (left != NULL) {
        sinew_four_store(left + r, each);
      }
    }
    return (squares[0] + squares[1]) + (squares[2] + squares[3]);
  }
  if (first == 0 && sinew_level_is_small(rows)) {
    return rows->n <= 4 ? sinew_level_small_left(rows, count, 1, x, left)
           : count == SINEW_LEVEL_FEW_ROWS
               ? sinew_level_small_left(rows, SINEW_LEVEL_FEW_ROWS, 2, x, left)
               : sinew_level_small_left(rows, count, 2, x, left);
  }
  for (int r = first / THREE * THREE; r < first + count; r += THREE) {
    double each[THREE];
    residual_of_three(rows, scratch->used, r, x, each);
    for (int i = r < first ? first - r : 0; i < THREE && r + i < first + count; ++i) {
      square += each[i] * each[i];
      if (left != NULL) {
        left[r + i - first] = each[i];
      }
    }
  }
  return square;
}

bool sinew_level_factor_fixed(const sinew_level_rows *rows, sinew_level_scratch *scratch) {
  const int count = rows->fixed, m = rows->fixed + rows->wanted;
  for (int r = 0; r < count; ++r) { // its first rows and columns, count apart
    memmove(scratch->matrix + r * count, scratch->matrix + r * m, (size_t)(r + 1) * sizeof(double));
  }
  return sinew_ldlt_factor(count, scratch->matrix, 0.0, scratch->factor);
}

void sinew_level_correct(const sinew_level_rows *rows, sinew_level_scratch *scratch, double *r,
                         double *x) {
  sinew_ldlt_solve(rows->fixed, scratch->factor, r);
  if (sinew_level_is_small(rows)) {
    const double *row[SINEW_LEVEL_FEW_ROWS];
    sinew_level_small_rows(rows, rows->fixed, rows->n > 4 ? 2 : 1, row);
    for (int j = 0; j < rows->n; j += 4) {
      const sinew_four sum = sinew_level_small_transposed(row, rows->fixed, r, j);
      sinew_four_store(x + j, sinew_four_load(scratch->inverse + j) * sum);
    }
    return;
  }
  sinew_zero((size_t)sinew_level_stride(rows->n), scratch->unconstrained);
  add_transposed(rows, scratch->used, 0, rows->fixed, r, scratch->unconstrained,
                 scratch->unconstrained);
  for (int j = 0; j < rows->n; ++j) {
    x[j] = scratch->inverse[j] * scratch->unconstrained[j];
  }
}
