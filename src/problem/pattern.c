// The pattern of a problem's rows: which blocks touch each degree of freedom, and the segments of
// degrees of freedom that the same blocks touch (math/rows.h).
#include "problem/problem.h"
#include "simd/pair.h"

#include <string.h>

// Products in the time that a formed column takes besides its products.
#define COLUMN_WORK 100.0

// The paths read the other way: which blocks touch each column.
static void fill_touches(sinew_rows *rows) {
  int *start = rows->incidence_start;
  memset(start, 0, ((size_t)rows->dof_count + 1) * sizeof(int));
  for (int b = 0; b < rows->block_count; ++b) {
    for (int k = 0; k < rows->blocks[b].path_count; ++k) {
      ++start[rows->path[rows->blocks[b].path_start + k] + 1];
    }
  }
  for (int column = 0; column < rows->dof_count; ++column) {
    start[column + 1] += start[column];
  }
  // Filled from the last block, so that start ends up where each column begins.
  for (int b = rows->block_count; b-- > 0;) {
    for (int k = 0; k < rows->blocks[b].path_count; ++k) {
      const int column = rows->path[rows->blocks[b].path_start + k];
      rows->incidences[--start[column + 1]] = (sinew_row_incidence){b, k};
    }
  }
  for (int column = 0; column < rows->dof_count; ++column) {
    start[column] = start[column + 1];
  }
  int total = 0;
  for (int b = 0; b < rows->block_count; ++b) {
    total += rows->blocks[b].path_count;
  }
  start[rows->dof_count] = total;
}

static bool is_touched_alike(const sinew_rows *rows, int a, int b) {
  const sinew_row_incidence *ta = rows->incidences + rows->incidence_start[a];
  const sinew_row_incidence *tb = rows->incidences + rows->incidence_start[b];
  const int count = rows->incidence_start[a + 1] - rows->incidence_start[a];
  bool alike = rows->incidence_start[b + 1] - rows->incidence_start[b] == count;
  for (int t = 0; alike && t < count; ++t) {
    alike = ta[t].block == tb[t].block;
  }
  return alike;
}

static sinew_row_segment stretch_from(const sinew_rows *rows, int first) {
  sinew_row_segment stretch = {
      .first = first, .count = 1, .row = -1, .value_start = -1, .top = true};
  for (int t = rows->incidence_start[first]; t < rows->incidence_start[first + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
    if (stretch.row_count == 0) {
      stretch.row = block->row;
    } else if (stretch.row + stretch.row_count != block->row) {
      stretch.row = -1;
    }
    stretch.row_count += block->row_count;
    stretch.top &= rows->incidences[t].k == 0;
  }
  while (first + stretch.count < rows->dof_count &&
         is_touched_alike(rows, first, first + stretch.count)) {
    ++stretch.count;
  }
  if (rows->incidence_start[first + 1] == rows->incidence_start[first] + 1) {
    const sinew_row_incidence *touch = &rows->incidences[rows->incidence_start[first]];
    const sinew_row_block *block = &rows->blocks[touch->block];
    stretch.value_start = block->value_start + touch->k * block->row_count;
    stretch.point = block->point;
  }
  stretch.tip = true;
  for (int t = rows->incidence_start[first]; t < rows->incidence_start[first + 1]; ++t) {
    const sinew_row_incidence *touch = &rows->incidences[t];
    stretch.tip &= touch->k + stretch.count == rows->blocks[touch->block].path_count;
  }
  return stretch;
}

static bool is_chain(const sinew_rows *rows) {
  bool chain = rows->segment_count == 1 && rows->block_count == 1 && rows->blocks[0].point &&
               rows->spherical != NULL;
  for (int j = 0; chain && j < rows->dof_count; ++j) {
    chain = rows->spherical[j] == SINEW_SPHERICAL_ROOT_FRAME;
  }
  return chain;
}

static void fill_stretches(sinew_rows *rows) {
  int start = 0;
  rows->segment_count = 0;
  for (int j = 0; j < rows->dof_count;) {
    sinew_row_segment *stretch = &rows->segments[rows->segment_count++];
    *stretch = stretch_from(rows, j);
    stretch->start = start;
    start += stretch->count * stretch->row_count;
    j += stretch->count;
  }
  rows->chain = is_chain(rows);
}

// Union-find over blocks.
static int first_of(int *parent, int block) {
  while (parent[block] != block) {
    parent[block] = parent[parent[block]];
    block = parent[block];
  }
  return block;
}

// The blocks that a column touches, or comes to touch while the columns are eliminated from the
// last one on: each unites the blocks that it touches, and touches all of their set. Returns one of
// them, or -1.
static int unite_blocks(const sinew_rows *rows, int column, int *parent) {
  const int end = rows->incidence_start[column + 1];
  int t = rows->incidence_start[column];
  const int first = t < end ? first_of(parent, rows->incidences[t].block) : -1;
  for (; t < end; ++t) {
    parent[first_of(parent, rows->incidences[t].block)] = first;
  }
  return first;
}

static void separate_blocks(const sinew_rows *rows, int *parent) {
  for (int b = 0; b < rows->block_count; ++b) {
    parent[b] = b;
  }
}

// count <- the lengths of the closed paths; returns whether some path is longer than before.
static bool count_closed(const sinew_rows *rows, int *parent, int *count) {
  bool longer = false;
  memset(count, 0, (size_t)rows->block_count * sizeof *count);
  separate_blocks(rows, parent);
  for (int column = rows->dof_count; column-- > 0;) {
    const int set = unite_blocks(rows, column, parent);
    for (int b = 0; b < rows->block_count; ++b) {
      count[b] += first_of(parent, b) == set;
    }
  }
  for (int b = 0; b < rows->block_count; ++b) {
    longer |= count[b] > rows->blocks[b].path_count;
  }
  return longer;
}

// Products of the elimination: twice the square of the rows that a column touches in the end.
static double elimination_work(const sinew_rows *rows, int *parent) {
  double work = 0.0;
  separate_blocks(rows, parent);
  for (int column = rows->dof_count; column-- > 0;) {
    const int set = unite_blocks(rows, column, parent);
    int count = 0;
    for (int b = 0; b < rows->block_count; ++b) {
      count += first_of(parent, b) == set ? rows->blocks[b].row_count : 0;
    }
    work += 2.0 * count * count;
  }
  return work;
}

// Products to form and factor H, and what is spent on each of its columns besides.
static double forming_work(const sinew_rows *rows) {
  const double n = rows->dof_count;
  double work = n * n * n / 6.0 + COLUMN_WORK * n;
  for (int b = 0; b < rows->block_count; ++b) {
    const double path = rows->blocks[b].path_count;
    work += 0.5 * rows->blocks[b].row_count * path * path;
  }
  return work;
}

// The lanes of a crowd have no other way than the elimination.
static bool is_formed(const sinew_problem *problem, int *parent) {
  const sinew_rows *rows = &problem->pattern;
  const int n = rows->dof_count, m = rows->row_count;
  if (problem->eliminated) {
    return false;
  }
  if (m > SINEW_ROWS_ELIMINATED && m > n) {
    return true;
  }
  return rows->block_count > 1 && n <= SINEW_ROWS_FORMED &&
         elimination_work(rows, parent) > 2.0 * forming_work(rows);
}

bool sinew_problem_close_pattern(sinew_problem *problem) {
  sinew_rows *rows = &problem->pattern;
  int *parent = problem->closing, *left = problem->closing + problem->capacity, used = 0;
  fill_touches(rows);
  rows->formed = is_formed(problem, parent);
  if (rows->formed || rows->block_count < 2 || !count_closed(rows, parent, left)) {
    return false;
  }
  for (int b = 0; b < rows->block_count; ++b) {
    rows->blocks[b].path_start = used;
    rows->blocks[b].path_count = left[b];
    used += left[b];
  }
  separate_blocks(rows, parent);
  for (int column = rows->dof_count; column-- > 0;) {
    const int set = unite_blocks(rows, column, parent);
    for (int b = 0; b < rows->block_count; ++b) {
      if (first_of(parent, b) == set) {
        rows->path[rows->blocks[b].path_start + --left[b]] = column;
      }
    }
  }
  fill_touches(rows);
  return true;
}

// Products of the elimination of the columns of several blocks, and of their system (step/trunk.c).
static double trunk_work(const sinew_rows *rows, double columns, bool together) {
  double work = together ? columns * columns * columns / 6.0 + COLUMN_WORK * columns : 0.0;
  for (int i = 0; i < rows->segment_count; ++i) {
    const sinew_row_segment *stretch = &rows->segments[i];
    const double r = stretch->row_count, count = stretch->count;
    const int blocks =
        rows->incidence_start[stretch->first + 1] - rows->incidence_start[stretch->first];
    if (blocks > 1) {
      work += together ? count * r * (r / blocks + 0.5 * columns) : 2.0 * count * r * r;
    }
  }
  return work;
}

// The columns of several blocks, where it is less work to solve for them together.
static int count_trunk(const sinew_problem *problem) {
  const sinew_rows *rows = &problem->pattern;
  int count = 0;
  for (int b = 0; b < rows->block_count; ++b) {
    if (rows->blocks[b].row_count != 3 && rows->blocks[b].row_count != 6) {
      return 0;
    }
  }
  for (int i = 0; i < rows->segment_count; ++i) {
    count += rows->segments[i].value_start < 0 ? rows->segments[i].count : 0;
  }
  const bool fits = count <= SINEW_ROWS_TRUNK && !rows->formed;
  return fits && trunk_work(rows, count, true) < trunk_work(rows, count, false) ? count : 0;
}

void sinew_problem_fill_pattern(sinew_problem *problem) {
  fill_stretches(&problem->pattern);
  problem->pattern.trunk = SINEW_HAS_FAST_PATHS ? count_trunk(problem) : 0;
}
