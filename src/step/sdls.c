// Selectively damped least squares.
//
// With J = sum_i sigma_i u_i v_i^T, l over the end effectors, u_li the rows of u_i that belong to
// end effector l, and rho_lj = |ds_l / dx_j|:
//
//   N_i = sum_l |u_li|                          path length of the end effectors for J x = u_i
//   M_i = sum_j |v_ji| sum_l rho_lj / sigma_i   its upper bound, joint by joint, for
//                                               x = v_i / sigma_i
//   gamma_i = min(1, N_i / M_i) gamma_max       bound of the step along v_i
//   phi_i = ClampMaxAbs((u_i . e) / sigma_i v_i, gamma_i)
//   x     = ClampMaxAbs(sum_i phi_i, gamma_max)
//
// Differences from the source: singular values are cut off at a share of the largest, not at an
// absolute 1e-10, which depends on the unit. The rotation of an end effector counts as another end
// effector; rows are dimensionless, and so is its rho. The authors' program scales phi_i by
// gamma_i / (gamma_i + max |phi_i|) in place of ClampMaxAbs, which gives a smoother step with a
// larger error, and its last clamp jumps from 1 to 1/2 at gamma_max; this file follows the paper.
// Source: Buss and Kim, Selectively damped least squares for inverse kinematics, 2005.
#include "step/sdls.h"
#include "math/vector.h"
#include "simd/pair.h"
#include "step/clamp.h"
#include "step/hold.h"

void sinew_sdls_layout(sinew_arena *arena, const sinew_step_size *size, void *memory) {
  sinew_sdls_scratch *scratch = memory;
  const int m = size->m, n = size->n;
  const size_t rows = (size_t)m, columns = (size_t)n;
  const int stride = sinew_pair_stride(m < n ? m : n);
  sinew_svd_layout(arena, m, n, &scratch->svd);
  scratch->reach = sinew_arena_take(arena, columns, sizeof(double));
  scratch->residual = sinew_arena_take(arena, rows, sizeof(double));
  scratch->solution = sinew_arena_take(arena, columns, sizeof(double));
  scratch->spread = sinew_arena_take(arena, 4 * (size_t)stride, sizeof(double));
  scratch->held = sinew_arena_take(arena, columns, 1);
}

// The rows of end effector part (0 position, 1 rotation) of a block: the index of the first, and
// the returned count.
static int effector_rows(const sinew_step_problem *problem, int b, int part, int *first) {
  const int all = problem->rows->blocks[b].row_count;
  const int wanted = problem->split != NULL ? problem->split[b] : 3;
  const int linear = wanted < all ? wanted : all;
  *first = part == 0 ? 0 : linear;
  return part == 0 ? linear : all - linear;
}

// reach_j = sum_l rho_lj
static void find_reach(const sinew_step_problem *problem, double *reach) {
  const sinew_rows *rows = problem->rows;
  memset(reach, 0, (size_t)rows->dof_count * sizeof(double));
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    for (int part = 0; part < 2; ++part) {
      int first;
      const int count = effector_rows(problem, b, part, &first);
      const double *column = rows->values + block->value_start + first;
      const int *path = rows->path + block->path_start;
      for (int k = 0; k < block->path_count && count > 0; ++k, column += block->row_count) {
        reach[path[k]] += count == 3 ? sinew_norm(column) : sinew_length(count, column);
      }
    }
  }
}

// N_i, all i at once.
static void find_spread(const sinew_step_problem *problem, const sinew_svd *svd, double *spread) {
  memset(spread, 0, (size_t)svd->stride * sizeof(double));
  for (int b = 0; b < problem->rows->block_count; ++b) {
    for (int part = 0; part < 2; ++part) {
      int first;
      const int count = effector_rows(problem, b, part, &first);
      const double *rows = svd->left + (problem->rows->blocks[b].row + first) * svd->stride;
      for (int c = 0; c < svd->stride && count > 0; c += 2) {
        sinew_pair sum = {0.0, 0.0};
        for (int r = 0; r < count; ++r) {
          const sinew_pair u = sinew_pair_load(rows + r * svd->stride + c);
          sum += u * u;
        }
        spread[c] += sqrt(sum[0]);
        spread[c + 1] += sqrt(sum[1]);
      }
    }
  }
}

// sigma_i M_i and max_j |v_ji|, all i at once.
static void find_motion(const sinew_svd *svd, const double *reach, double *motion, double *most) {
  const sinew_pair_bits no_sign = {0x7fffffffffffffff, 0x7fffffffffffffff};
  for (int c = 0; c < svd->stride; c += 2) {
    sinew_pair sum = {0.0, 0.0}, largest = {0.0, 0.0};
    for (int j = 0; j < svd->n; ++j) {
      const sinew_pair v = sinew_pair_load(svd->right + j * svd->stride + c);
      const sinew_pair size = (sinew_pair)((sinew_pair_bits)v & no_sign);
      const sinew_pair_bits more = size > largest;
      sum += sinew_pair_of(reach[j]) * size;
      largest = (sinew_pair)((more & (sinew_pair_bits)size) | (~more & (sinew_pair_bits)largest));
    }
    sinew_pair_store(motion + c, sum);
    sinew_pair_store(most + c, largest);
  }
}

// The coefficient of v_i in x: product / sigma = (u_i . e) / sigma_i, limited so that no entry of
// phi_i exceeds gamma_i.
static double share_of(double product, double sigma, double spread, double motion, double most,
                       double gamma_max) {
  const double ratio = spread * sigma; // N_i / M_i = spread sigma / motion
  const double gamma = ratio < motion ? gamma_max * (ratio / motion) : gamma_max;
  const double share = fabs(product) / sigma, limit = gamma / most;
  return product < 0.0 ? -sinew_min(share, limit) : sinew_min(share, limit);
}

void sinew_sdls_solve(const sinew_step_problem *problem, sinew_sdls_scratch *scratch, double *x) {
  const sinew_rows *rows = problem->rows;
  const int n = rows->dof_count;
  sinew_svd *svd = &scratch->svd;
  sinew_hold_residual(rows, problem->e, scratch->held, x, scratch->residual);
  sinew_svd_find(rows, scratch->held, svd);
  double *spread = scratch->spread, *motion = spread + svd->stride, *most = motion + svd->stride;
  double *share = most + svd->stride;
  find_reach(problem, scratch->reach);
  find_spread(problem, svd, spread);
  find_motion(svd, scratch->reach, motion, most);
  sinew_svd_project(svd, scratch->residual, share);
  for (int i = 0; i < svd->stride; ++i) {
    const double sigma = svd->sigma[i];
    share[i] = i < svd->count && sigma > problem->cut * svd->sigma[0]
                   ? share_of(share[i], sigma, spread[i], motion[i], most[i], problem->largest)
                   : 0.0;
  }
  sinew_svd_combine(svd, share, scratch->solution);
  sinew_clamp_max_abs(n, problem->largest, scratch->solution);
  for (int j = 0; j < n; ++j) {
    x[j] = scratch->held[j] == 0 ? scratch->solution[j] : x[j];
  }
}

int sinew_sdls_step(const sinew_step_problem *problem, void *memory, double *x) {
  sinew_sdls_scratch *scratch = memory;
  const int n = problem->rows->dof_count;
  int rounds = 0;
  memset(scratch->held, 0, (size_t)n);
  do {
    sinew_sdls_solve(problem, scratch, x);
    ++rounds;
  } while (sinew_hold_outward(n, problem->lower, problem->upper, scratch->held, x));
  return rounds;
}
