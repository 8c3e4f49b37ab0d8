// Rows over the columns of lower levels, and motions along these: see level_rows.h.
#include "solve/level_rows.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "problem/columns.h"
#include "solve/value_columns.h"

// Root-frame columns of spherical joints become columns about the joint's own axes.
static void to_body_frames(const sinew_solver *solver, const sinew_problem *problem, int count,
                           double *J) {
  const sinew_levels *levels = solver->levels;
  const int stride = sinew_levels_stride(levels);
  for (int g = 0; g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    if (!group->root_frame) {
      continue;
    }
    const sinew_frame *frame = &solver->state.frames[group->node];
    const double(*R)[4] = frame->column;
    double *at = J + levels->column_of_dof[problem->dof_of_column[group->column]];
    for (int r = 0; r < count; ++r, at += stride) {
      const double a = at[0], b = at[1], c = at[2];
      for (int i = 0; i < 3; ++i) {
        at[i] = (R[i][0] * a + R[i][1] * b) + R[i][2] * c;
      }
    }
  }
}

void sinew_level_turn_rows(const sinew_solver *solver, const sinew_problem *problem, int count,
                           double *J) {
  if (problem->has_root_frame_joints) {
    to_body_frames(solver, problem, count, J);
  }
  sinew_level_cones_turn_rows(solver->levels, count, J);
}

// The columns of a block of so many rows.
SINEW_SPECIALISED void write_block(int count, const sinew_levels *levels, const int *dof,
                                   const sinew_rows *rows, const sinew_row_block *block,
                                   double *J) {
  const int stride = sinew_levels_stride(levels);
  const int *path = rows->path + block->path_start, *end = path + block->path_count;
  const double *values = rows->values + block->value_start;
  double *first = J + block->row * stride;
  for (; path < end; ++path, values += count) {
    double *to = first + levels->column_of_dof[dof[*path]];
    for (int r = 0; r < count; ++r) {
      to[r * stride] = values[r];
    }
  }
}

static void write_blocks(const sinew_levels *levels, const int *dof, const sinew_rows *rows,
                         double *J) {
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    if (SINEW_HAS_FAST_PATHS && block->row_count == 6) {
      write_block(6, levels, dof, rows, block, J);
    } else if (SINEW_HAS_FAST_PATHS && block->row_count == 3) {
      write_block(3, levels, dof, rows, block, J);
    } else {
      write_block(block->row_count, levels, dof, rows, block, J);
    }
  }
}

void sinew_level_write_rows(const sinew_solver *solver, const sinew_problem *problem,
                            sinew_evaluation *evaluation, double *J) {
  const sinew_levels *levels = solver->levels;
  if (SINEW_HAS_FAST_PATHS && problem->revolute) {
    const bool same = problem->in_order && problem->pattern.dof_count == levels->n;
    sinew_fill_rows(problem, &solver->state, evaluation, same ? NULL : levels->column_of_dof,
                    sinew_levels_stride(levels), J);
    return;
  }
  sinew_evaluate_rows(problem, &solver->state, NULL, evaluation);
  write_blocks(levels, problem->dof_of_column, &evaluation->rows, J);
  sinew_level_turn_rows(solver, problem, evaluation->rows.row_count, J);
}

// The columns of a level's rows, from a row on.
static void know_columns(const sinew_solver *solver, const sinew_level *at, int row) {
  sinew_levels *levels = solver->levels;
  const sinew_rows *rows = &at->evaluation->rows;
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    const int *path = rows->path + block->path_start;
    for (int k = 0; k < block->path_count; ++k) {
      const int column = levels->column_of_dof[at->problem->dof_of_column[path[k]]];
      sinew_level_know_column(&levels->scratch, row + block->row, block->row_count, column);
    }
    if (sinew_task_side_count(&at->problem->tasks[b].task) > 0) { // rows of ranges come and go
      sinew_level_forget_columns(&levels->scratch, row + block->row, block->row_count);
    }
  }
}

// Those of all levels that have a level below them.
static void know_all_columns(const sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  for (int j = 0, row = 0; j < levels->depth; ++j) {
    const int count = levels->list[j].problem->pattern.row_count;
    sinew_level_know_none(&solver->levels->scratch, row, count);
    know_columns(solver, &levels->list[j], row);
    row += count;
  }
}

void sinew_level_zero_rows(sinew_solver *solver, sinew_level_zeros zeros) {
  sinew_levels *levels = solver->levels;
  int rows = 0;
  if (zeros.list != levels->zeros.list) {
    know_all_columns(solver);
  }
  for (int j = 0; j < zeros.k; ++j) {
    rows += levels->list[j].problem->pattern.row_count;
  }
  sinew_zero((size_t)(rows * zeros.stride), levels->J);
  levels->zeros = zeros;
}

void sinew_level_move(const sinew_solver *solver, const double *from, const double *x, double share,
                      double *q) {
  const sinew_levels *levels = solver->levels;
  const sinew_model *model = solver->model;
  if (sinew_levels_have_all_values(solver)) {
    sinew_value_columns_move(solver, from, x, share, q);
    return;
  }
  memmove(q, from, (size_t)model->nq * sizeof *q);
  if (sinew_levels_have_value_columns(solver)) {
    sinew_value_columns_move(solver, q, x, share, q);
    return;
  }
  for (int c = 0; c < levels->n;) {
    const int v = levels->dof_of_column[c], at = model->q_of_v[v];
    if (model->quaternion_axis[v] < 0) {
      q[at] = sinew_clamp(q[at] + share * x[c] * levels->scale[c],
                          sinew_min(solver->problem.lower[v], q[at]),
                          sinew_max(solver->problem.upper[v], q[at]));
      ++c;
      continue;
    }
    double w[3] = {0.0, 0.0, 0.0};
    const int first = c, cone = model->cone_of_v[v];
    for (; c < levels->n; ++c) {
      const int u = levels->dof_of_column[c];
      if (model->quaternion_axis[u] < 0 || model->q_of_v[u] != at) {
        break;
      }
      w[model->quaternion_axis[u]] = share * x[c] * levels->scale[c];
    }
    if (cone >= 0) {
      sinew_cone_move(&model->cones[cone], c - first == 3, w, q + at);
    } else if (!SINEW_HAS_FAST_PATHS || !sinew_quaternion_apply_small(q + at, w)) {
      sinew_quaternion_apply(q + at, w);
    }
  }
}
