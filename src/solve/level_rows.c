// Rows over the columns of lower levels: see level_rows.h.
#include "solve/level_rows.h"
#include "math/vector.h"
#include "simd/pair.h"

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

// The columns of one block, of r rows.
SINEW_SPECIALISED void write_block(const sinew_levels *levels, const sinew_problem *problem, int r,
                                   const sinew_rows *rows, const sinew_row_block *block,
                                   double *J) {
  const int stride = sinew_levels_stride(levels);
  const double *values = rows->values + block->value_start;
  for (int k = 0; k < block->path_count; ++k, values += r) {
    const int v = problem->dof_of_column[rows->path[block->path_start + k]];
    double *to = J + levels->column_of_dof[v];
    for (int i = 0; i < r; ++i) {
      to[i * stride] = values[i];
    }
  }
}

void sinew_level_write_rows(const sinew_solver *solver, const sinew_problem *problem,
                            const sinew_rows *rows, double *J) {
  const sinew_levels *levels = solver->levels;
  const int stride = sinew_levels_stride(levels);
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    double *to = J + block->row * stride;
    switch (block->row_count) {
    case 3:
      write_block(levels, problem, 3, rows, block, to);
      break;
    case 6:
      write_block(levels, problem, 6, rows, block, to);
      break;
    default:
      write_block(levels, problem, block->row_count, rows, block, to);
    }
  }
  sinew_level_turn_rows(solver, problem, rows->row_count, J);
}
