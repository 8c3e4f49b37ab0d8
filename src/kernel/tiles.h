// A y = e for any multiple of three rows: A = L D L^T in tiles of 3 x 3, without pivoting.
//
//   C_ij = A_ij - sum_{k<j} L_ik C_jk^T,   L_ij = C_ij L_jj^-T D_j^-1
//
// The inner product of tiles does nine products for six numbers read, so that arithmetic and
// memory access are balanced.
#ifndef SINEW_KERNEL_TILES_H
#define SINEW_KERNEL_TILES_H

#include "simd/lanes.h"

typedef struct lane_tile {
  lane a[3][3];
} lane_tile;

// The index of tile (i, j), j <= i, of a lower triangle.
LANE int tile_at(int i, int j) {
  return i * (i + 1) / 2 + j;
}

// Copies number by number: compilers copy a structure of this size with a string instruction, which
// takes longer than the arithmetic.
LANE void tile_copy(const lane_tile *from, lane_tile *to) {
  for (int r = 0; r < 3; ++r) {
    to->a[r][0] = from->a[r][0];
    to->a[r][1] = from->a[r][1];
    to->a[r][2] = from->a[r][2];
  }
}

LANE void tile_subtract_product(const lane_tile *l, const lane_tile *c, lane_tile *out) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) {
        out->a[i][j] = lane_fnma(l->a[i][k], c->a[j][k], out->a[i][j]);
      }
    }
  }
}

// The factor of a diagonal tile: L in its lower triangle, 1 / D on the diagonal.
LANE void tile_factor(lane_tile *tile) {
  const lane one = lane_of(1.0);
  lane(*a)[3] = tile->a;
  const lane r0 = one / a[0][0];
  const lane l10 = a[1][0] * r0, l20 = a[2][0] * r0;
  const lane r1 = one / lane_fnma(l10, a[1][0], a[1][1]);
  const lane c21 = lane_fnma(l20, a[1][0], a[2][1]), l21 = c21 * r1;
  const lane r2 = one / lane_fnma(l21, c21, lane_fnma(l20, a[2][0], a[2][2]));
  a[0][0] = r0;
  a[1][0] = l10;
  a[1][1] = r1;
  a[2][0] = l20;
  a[2][1] = l21;
  a[2][2] = r2;
}

// C = X L^-T and L = C / D for a tile X below the diagonal one.
LANE void tile_reduce(const lane_tile *diagonal, lane_tile *C, lane_tile *L) {
  for (int i = 0; i < 3; ++i) {
    lane *c = C->a[i];
    c[1] = lane_fnma(c[0], diagonal->a[1][0], c[1]);
    c[2] = lane_fnma(c[1], diagonal->a[2][1], lane_fnma(c[0], diagonal->a[2][0], c[2]));
    for (int k = 0; k < 3; ++k) {
      L->a[i][k] = c[k] * diagonal->a[k][k];
    }
  }
}

// A (lower tiles, mu added) becomes L and 1 / D; C, of the same size, is L D below the diagonal.
LANE void tiles_factor(int count, lane_tile *A, lane_tile *C) {
  lane_tile *Aj = A, *Cj = C; // row j
  for (int j = 0; j < count; Aj += j + 1, Cj += j + 1, ++j) {
    lane_tile *Ai = Aj, *Ci = Cj;
    for (int i = j; i < count; Ai += i + 1, Ci += i + 1, ++i) {
      lane_tile sum;
      tile_copy(&Ai[j], &sum);
      for (int k = 0; k < j; ++k) {
        tile_subtract_product(&Ai[k], &Cj[k], &sum);
      }
      if (i == j) {
        tile_factor(&sum);
        tile_copy(&sum, &Ai[j]);
      } else {
        tile_reduce(&Aj[j], &sum, &Ai[j]);
        tile_copy(&sum, &Ci[j]);
      }
    }
  }
}

// y <- L^-1 y, y <- D^-1 y and y <- L^-T y for a diagonal tile.
LANE void tile_forward(const lane_tile *tile, lane *y) {
  y[1] = lane_fnma(tile->a[1][0], y[0], y[1]);
  y[2] = lane_fnma(tile->a[2][1], y[1], lane_fnma(tile->a[2][0], y[0], y[2]));
}

LANE void tile_scale(const lane_tile *tile, lane *y) {
  for (int r = 0; r < 3; ++r) {
    y[r] = y[r] * tile->a[r][r];
  }
}

LANE void tile_backward(const lane_tile *tile, lane *y) {
  y[1] = lane_fnma(tile->a[2][1], y[2], y[1]);
  y[0] = lane_fnma(tile->a[2][0], y[2], lane_fnma(tile->a[1][0], y[1], y[0]));
}

// y <- y - T x and y <- y - T^T x for a tile T.
LANE void tile_subtract(const lane_tile *tile, const lane *x, lane *y) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      y[r] = lane_fnma(tile->a[r][c], x[c], y[r]);
    }
  }
}

LANE void tile_subtract_transposed(const lane_tile *tile, const lane *x, lane *y) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      y[r] = lane_fnma(tile->a[c][r], x[c], y[r]);
    }
  }
}

// y <- A^-1 y, of 3 count values.
LANE void tiles_solve(int count, const lane_tile *A, lane *y) {
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < i; ++k) {
      tile_subtract(&A[tile_at(i, k)], y + 3 * k, y + 3 * i);
    }
    tile_forward(&A[tile_at(i, i)], y + 3 * i);
  }
  for (int i = count; i-- > 0;) {
    tile_scale(&A[tile_at(i, i)], y + 3 * i);
    for (int k = i + 1; k < count; ++k) {
      tile_subtract_transposed(&A[tile_at(k, i)], y + 3 * k, y + 3 * i);
    }
    tile_backward(&A[tile_at(i, i)], y + 3 * i);
  }
}

// tiles_factor() and tiles_solve() of two tiles, a pose or two points: in registers.
LANE void tiles_solve_two(const lane_tile *A, lane *y) {
  lane_tile first, C, L, second;
  lane a[3] = {y[0], y[1], y[2]}, b[3] = {y[3], y[4], y[5]};
  tile_copy(&A[0], &first);
  tile_copy(&A[1], &C);
  tile_copy(&A[2], &second);
  tile_factor(&first);
  tile_reduce(&first, &C, &L);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c <= r; ++c) {
      for (int k = 0; k < 3; ++k) {
        second.a[r][c] = lane_fnma(L.a[r][k], C.a[c][k], second.a[r][c]);
      }
    }
  }
  tile_factor(&second);
  tile_forward(&first, a);
  tile_subtract(&L, a, b);
  tile_forward(&second, b);
  tile_scale(&second, b);
  tile_backward(&second, b);
  tile_scale(&first, a);
  tile_subtract_transposed(&L, b, a);
  tile_backward(&first, a);
  for (int r = 0; r < 3; ++r) {
    y[r] = a[r];
    y[3 + r] = b[r];
  }
}

#endif
