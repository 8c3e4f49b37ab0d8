// Newton's step on a tree with limbs: columns of one block, the limbs, are eliminated as in
// newton.c; those of several, the trunk, form a dense system.
//
// After the elimination of the limbs P consists of a block P_b for the rows of each block b. With
// w_jb = u_jb - P_b v_jb of the trunk's columns j, and k at or nearer the root than j:
//
//   S_jk = sum over blocks b of w_jb . v_kb      y_j = g_j - sum over blocks b of v_jb . z_b
//   (S + mu I) x_T = y
//
// S is the Schur complement of the limbs in H + mu I, less mu I. It is factored as in formed.c, and
// x of the limbs substituted with r_b = sum over the trunk's columns of x_k v_kb. The elimination
// would go on column by column, with P of all rows that a column touches: for a trunk of t columns
// and m rows t m^2 products, where this takes t sum r_b^2 + t^2 m / 2 + t^3 / 6.
//
// A working set of bounds often differs from the one before in a joint or two: limbs with the same
// damping and the same active bounds are not eliminated again.
#include "step/trunk.h"

#ifndef SINEW_SMALL

#include "math/vector.h"
#include "simd/four.h"
#include "step/newton.h"
#include "step/newton_segment.h"
#include "step/segment.h"

#include <string.h>

void sinew_trunk_layout(sinew_arena *arena, int m, int n, sinew_trunk *trunk) {
  const bool several = m > 6; // rows of more than one block
  const size_t rows = several ? (size_t)m : 0, columns = several ? (size_t)n : 0;
  const size_t blocks = rows / 3, most = several ? SINEW_ROWS_TRUNK : 0;
  trunk->P = sinew_arena_take(arena, 6 * rows, sizeof(double));
  trunk->z = sinew_arena_take(arena, rows, sizeof(double));
  trunk->right = sinew_arena_take(arena, most, sizeof(double));
  trunk->x = sinew_arena_take(arena, most, sizeof(double));
  trunk->rest = sinew_arena_take(arena, most, sizeof(double));
  trunk->limb_x = sinew_arena_take(arena, columns, sizeof(double));
  trunk->column = sinew_arena_take(arena, most, sizeof(int));
  trunk->rows.path = sinew_arena_take(arena, blocks * most, sizeof(int));
  trunk->rows.blocks = sinew_arena_take(arena, blocks, sizeof *trunk->rows.blocks);
  trunk->limb_active = sinew_arena_take(arena, columns, 1);
  trunk->active = sinew_arena_take(arena, most, 1);
  trunk->changed = sinew_arena_take(arena, blocks, sizeof(bool));
}

// Whether a segment is of a limb.
SINEW_ALWAYS_INLINE bool is_limb(const sinew_row_segment *of) {
  return of->value_start >= 0;
}

SINEW_ALWAYS_INLINE int block_of(const sinew_rows *rows, const sinew_row_segment *of) {
  return rows->incidences[rows->incidence_start[of->first]].block;
}

void sinew_trunk_begin(const sinew_rows *rows, sinew_newton_scratch *scratch) {
  sinew_trunk *trunk = &scratch->trunk;
  trunk->begun = false;
  if (!sinew_trunk_is_used(rows)) {
    return;
  }
  sinew_rows *own = &trunk->rows;
  int count = 0;
  own->dof_count = rows->trunk;
  own->block_count = rows->block_count;
  own->values = scratch->v;
  own->second = rows->second;
  for (int b = 0; b < rows->block_count; ++b) {
    own->blocks[b] = rows->blocks[b];
    own->blocks[b].path_start = b * SINEW_ROWS_TRUNK;
    own->blocks[b].path_count = 0;
    own->blocks[b].first_order = false;
  }
  for (int i = 0; i < rows->segment_count; ++i) {
    const sinew_row_segment *of = &rows->segments[i];
    for (int j = of->first; !is_limb(of) && j < of->first + of->count; ++j) {
      for (int t = rows->incidence_start[j]; t < rows->incidence_start[j + 1]; ++t) {
        sinew_row_block *block = &own->blocks[rows->incidences[t].block];
        own->path[block->path_start + block->path_count++] = count;
      }
      trunk->column[count++] = j;
    }
  }
}

// --------------------------------------------------------------------- limbs

// changed <- the blocks whose limbs have not been eliminated with this damping and these bounds.
// Returns whether there is one.
static bool find_changed(const sinew_rows *rows, const signed char *active, const double *x,
                         double mu, sinew_trunk *trunk) {
  const bool all = !trunk->begun || trunk->mu != mu;
  bool some = all;
  for (int b = 0; b < rows->block_count; ++b) {
    trunk->changed[b] = all;
  }
  for (int i = 0; !all && i < rows->segment_count; ++i) {
    const sinew_row_segment *of = &rows->segments[i];
    for (int j = of->first; is_limb(of) && j < of->first + of->count; ++j) {
      const signed char state = (signed char)(active != NULL ? active[j] : 0);
      if (state != trunk->limb_active[j] || (state != 0 && x[j] != trunk->limb_x[j])) {
        some = trunk->changed[block_of(rows, of)] = true;
      }
    }
  }
  return some;
}

static void keep_limbs(int n, const signed char *active, const double *x, double mu,
                       sinew_trunk *trunk) {
  trunk->begun = true;
  trunk->mu = mu;
  if (active == NULL) {
    memset(trunk->limb_active, 0, (size_t)n);
    return;
  }
  memcpy(trunk->limb_active, active, (size_t)n);
  memcpy(trunk->limb_x, x, (size_t)n * sizeof *x);
}

// A limb's segment with its P_b and z_b.
SINEW_ALWAYS_INLINE void fill_limb(const sinew_rows *rows, const sinew_row_segment *of,
                                   const signed char *active, const double *x,
                                   const sinew_newton_scratch *scratch, sinew_segment *s) {
  sinew_newton_fill_segment(rows, of, active, x, scratch, s);
  s->P = scratch->trunk.P + 6 * of->row;
  s->z = scratch->trunk.z + of->row;
  s->stride = s->r;
}

// Eliminates the limbs that have changed. Returns the column whose pivot is not positive, or -1.
static int eliminate_limbs(const sinew_rows *rows, const double *right, const signed char *active,
                           const double *x, sinew_newton_scratch *scratch) {
  const sinew_trunk *trunk = &scratch->trunk;
  for (int b = 0; b < rows->block_count; ++b) {
    const int row = rows->blocks[b].row, r = rows->blocks[b].row_count;
    if (trunk->changed[b]) {
      memset(trunk->P + 6 * row, 0, (size_t)(r * r) * sizeof(double));
      memset(trunk->z + row, 0, (size_t)r * sizeof(double));
    }
  }
  for (int i = rows->segment_count; i-- > 0;) {
    const sinew_row_segment *of = &rows->segments[i];
    if (!is_limb(of) || !trunk->changed[block_of(rows, of)]) {
      continue;
    }
    sinew_segment s;
    fill_limb(rows, of, active, x, scratch, &s);
    s.right = right + of->first;
    const int bad = sinew_segment_eliminate(&s);
    if (bad >= 0) {
      return of->first + bad;
    }
  }
  return -1;
}

// --------------------------------------------------------------------- trunk

// w = u - P v of count columns of six entries: P stays in registers.
static void reduce_six(int count, const double *P, const double *u, const double *v, double *w) {
  for (int k = 0; k < count; ++k, u += 6, v += 6, w += 6) {
    sinew_four first = sinew_four_load(u);
    sinew_pair last = sinew_pair_load(u + 4);
    for (int i = 0; i < 6; ++i) {
      first -= sinew_four_load(P + 6 * i) * SINEW_FOUR_OF(v[i]);
      last -= sinew_pair_load(P + 6 * i + 4) * sinew_pair_of(v[i]);
    }
    sinew_four_store(w, first);
    sinew_pair_store(w + 4, last);
  }
}

static void reduce_three(int count, const double *P, const double *u, const double *v, double *w) {
  for (int k = 0; k < count; ++k, u += 3, v += 3, w += 3) {
    for (int i = 0; i < 3; ++i) {
      w[i] = u[i] - ((P[i] * v[0] + P[3 + i] * v[1]) + P[6 + i] * v[2]);
    }
  }
}

// S_jk <- (w_j . v_k + w_k . v_j) / 2 of spherical joints.
static void average_spherical(const sinew_rows *rows, const sinew_newton_scratch *scratch) {
  const sinew_rows *own = &scratch->trunk.rows;
  const int stride = sinew_formed_stride(own->dof_count);
  for (int b = 0; b < own->block_count; ++b) {
    const sinew_row_block *block = &own->blocks[b];
    const int *path = own->path + block->path_start, r = block->row_count;
    for (int k = 0; k < block->path_count; ++k) {
      const double *w = own->values + block->value_start + k * r;
      const double *v = own->second + block->value_start + k * r;
      if (rows->spherical[scratch->trunk.column[path[k]]] == SINEW_SPHERICAL_NONE) {
        continue;
      }
      for (int j = 1; j < 3; ++j) {
        for (int i = 0; i < j; ++i) {
          double more = 0.0;
          for (int a = 0; a < r; ++a) {
            more += w[i * r + a] * v[j * r + a] - w[j * r + a] * v[i * r + a];
          }
          scratch->formed.matrix[(path[k] + j) * stride + path[k] + i] += 0.5 * more;
        }
      }
      k += 2;
    }
  }
}

// w of the blocks whose limbs have changed, then S.
static void form(const sinew_rows *rows, sinew_newton_scratch *scratch) {
  sinew_trunk *trunk = &scratch->trunk;
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &trunk->rows.blocks[b];
    const double *P = trunk->P + 6 * block->row, *u = rows->values + block->value_start,
                 *v = rows->second + block->value_start;
    double *w = trunk->rows.values + block->value_start;
    if (trunk->changed[b]) {
      (block->row_count == 6 ? reduce_six : reduce_three)(block->path_count, P, u, v, w);
    }
  }
  scratch->formed.state = SINEW_FORMED_NONE;
  sinew_formed_form(&trunk->rows, &scratch->formed);
  scratch->formed.state = SINEW_FORMED_NONE;
  if (rows->spherical != NULL && rows->second != rows->values) {
    average_spherical(rows, scratch);
  }
}

// The trunk's columns of second.
static sinew_rows second_of(const sinew_trunk *trunk) {
  sinew_rows rows = trunk->rows;
  rows.values = rows.second;
  return rows;
}

// y
static void fill_right(const double *right, sinew_trunk *trunk) {
  const sinew_rows second = second_of(trunk);
  sinew_rows_gradient(&second, trunk->z, trunk->rest);
  for (int k = 0; k < second.dof_count; ++k) {
    trunk->right[k] = right[trunk->column[k]] - trunk->rest[k];
  }
}

int sinew_trunk_factor(const sinew_rows *rows, const double *right, const signed char *active,
                       const double *x, sinew_newton_scratch *scratch) {
  sinew_trunk *trunk = &scratch->trunk;
  const int t = rows->trunk;
  double pivot;
  if (find_changed(rows, active, x, scratch->mu, trunk)) {
    trunk->begun = false;
    const int bad = eliminate_limbs(rows, right, active, x, scratch);
    if (bad >= 0) {
      return bad;
    }
    keep_limbs(rows->dof_count, active, x, scratch->mu, trunk);
    form(rows, scratch);
    fill_right(right, trunk);
  }
  for (int k = 0; active != NULL && k < t; ++k) {
    trunk->active[k] = active[trunk->column[k]];
    trunk->x[k] = x[trunk->column[k]];
  }
  const int bad = sinew_formed_factor(trunk->right, active != NULL ? trunk->active : NULL, trunk->x,
                                      scratch->mu, &scratch->formed, &pivot);
  if (bad < 0) {
    return -1;
  }
  scratch->pivot[trunk->column[bad]] = pivot;
  return trunk->column[bad];
}

// -------------------------------------------------------------- substitution

static void solve_trunk(const sinew_rows *rows, const signed char *active, double least,
                        sinew_newton_scratch *scratch, double *x) {
  sinew_trunk *trunk = &scratch->trunk;
  int bad = -1;
  for (int k = 0; scratch->negative_pivot >= 0 && k < rows->trunk; ++k) {
    bad = trunk->column[k] == scratch->negative_pivot ? k : bad;
  }
  sinew_formed_solve(&scratch->formed, bad, least, trunk->x);
  for (int k = 0; k < rows->trunk; ++k) {
    x[trunk->column[k]] = trunk->x[k];
  }
  if (active == NULL) {
    return;
  }
  sinew_formed_unconstrained(&scratch->formed, trunk->right, trunk->active, scratch->mu, trunk->x,
                             trunk->rest);
  for (int k = 0; k < rows->trunk; ++k) {
    scratch->unconstrained[trunk->column[k]] = trunk->rest[k] - trunk->x[k];
  }
}

// r <- sum over the trunk's columns of x v
static void add_trunk(sinew_trunk *trunk, int m, double *r) {
  const sinew_rows second = second_of(trunk);
  for (int k = 0; k < second.dof_count; ++k) {
    trunk->rest[k] = -trunk->x[k];
  }
  memset(r, 0, (size_t)m * sizeof *r);
  sinew_rows_subtract(&second, trunk->rest, r);
}

void sinew_trunk_solve(const sinew_rows *rows, const signed char *active, double least,
                       sinew_newton_scratch *scratch, double *x) {
  solve_trunk(rows, active, least, scratch, x);
  add_trunk(&scratch->trunk, rows->row_count, scratch->r);
  for (int i = 0; i < rows->segment_count; ++i) {
    const sinew_row_segment *of = &rows->segments[i];
    if (is_limb(of)) {
      sinew_segment s;
      fill_limb(rows, of, active, x, scratch, &s);
      sinew_segment_substitute(&s, scratch->negative_pivot - of->first, least, scratch->r + of->row,
                               x + of->first);
    }
  }
}

#endif
