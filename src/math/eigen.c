// Symmetric eigenvalues: Householder reflections to tridiagonal form, then implicit QL with
// Wilkinson's shift.
//
//   T = H_last ... H_0 A H_0 ... H_last,   H_k = I - beta_k v_k v_k^T,   T tridiagonal
//   T - shift I = Q L,   T <- L Q + shift I,   repeated until T is diagonal; Z accumulates H and Q
//
// Sources: Golub and Van Loan, Matrix Computations, 2013, sections 8.3.1 and 8.3.3;
// Dubrulle, Martin, Wilkinson, The implicit QL algorithm, 1968; without square roots (Pal, Walker,
// Kahan) in Parlett, The Symmetric Eigenvalue Problem, 1980. Off-diagonal values
// count as 0 below the rounding of the whole matrix, not of their neighbours, so that no iterations
// go to the zero eigenvalues of a singular matrix.
#define SINEW_CALLS
#include "math/eigen.h"
#include "math/vector.h"
#include "simd/pair.h"

#include <float.h>
#include <stdbool.h>

// QL takes two or three iterations for each eigenvalue. The limit only guarantees an end.
#define MOST_ITERATIONS 60

// a . b from index first on; first and stride are even.
SINEW_ALWAYS_INLINE double dot(int first, int stride, const double *a, const double *b) {
  sinew_pair sum = {0.0, 0.0};
  for (int j = first; j < stride; j += 2) {
    sum += sinew_pair_load(a + j) * sinew_pair_load(b + j);
  }
  return sum[0] + sum[1];
}

// a += s b
SINEW_ALWAYS_INLINE void add(int first, int stride, double s, const double *b, double *a) {
  const sinew_pair factor = sinew_pair_of(s);
  for (int j = first; j < stride; j += 2) {
    sinew_pair_store(a + j, sinew_pair_load(a + j) + factor * sinew_pair_load(b + j));
  }
}

// The reflection I - beta v v^T that maps x, from index head on, to a multiple of the first axis,
// reflected. v replaces x. Returns beta, 0 if x is such a multiple already.
SINEW_ALWAYS_INLINE double reflector(int n, int head, double *x, double *reflected) {
  double below = 0.0;
  for (int j = head + 1; j < n; ++j) {
    below += x[j] * x[j];
  }
  *reflected = x[head];
  if (!(below > 0.0)) {
    return 0.0;
  }
  const double length = sqrt(x[head] * x[head] + below);
  *reflected = x[head] > 0.0 ? -length : length; // opposite sign: no cancellation
  const double beta = 1.0 / (length * (length + fabs(x[head])));
  x[head] -= *reflected;
  return beta;
}

// A <- H A H below row k, H = I - beta v v^T: with p = beta A v and
// w = p - (beta / 2) (p . v) v, A - v w^T - w v^T.
SINEW_ALWAYS_INLINE void reflect_both_sides(int n, int stride, int k, double beta, double *A,
                                            double *w) {
  const double *v = A + k * stride;
  const int first = (k + 1) / 2 * 2;
  w[first] = w[stride - 1] = 0.0;
  for (int i = k + 1; i < n; ++i) {
    w[i] = beta * dot(first, stride, A + i * stride, v);
  }
  add(first, stride, -0.5 * beta * dot(first, stride, w, v), v, w);
  for (int i = k + 1; i < n; ++i) {
    double *row = A + i * stride;
    const sinew_pair vi = sinew_pair_of(v[i]), wi = sinew_pair_of(w[i]);
    for (int j = first; j < stride; j += 2) {
      sinew_pair_store(row + j, sinew_pair_load(row + j) - vi * sinew_pair_load(w + j) -
                                    wi * sinew_pair_load(v + j));
    }
  }
}

// A = Z^T T Z with T of diagonal d, and e beside it: e_i between i and i + 1.
SINEW_ALWAYS_INLINE void tridiagonalize(int n, double *A, double *d, double *Z, double *e,
                                        double *w) {
  const int stride = sinew_pair_stride(n);
  for (int k = 0; k < n; ++k) {
    double *row = A + k * stride;
    d[k] = row[k];
    row[k] = 0.0; // v begins after it, but may be read in pairs from here
    e[k] = 0.0;
    if (k < n - 1) {
      const double beta = reflector(n, k + 1, row, &e[k]);
      if (beta > 0.0) {
        reflect_both_sides(n, stride, k, beta, A, w);
      }
      Z[k] = beta; // stored in Z's first row, which is computed last
    }
  }
  // Z = H_last ... H_0, from the last on: each affects only the rows and columns from its own on.
  for (int k = n - 1; k >= 0; --k) {
    double *row = Z + k * stride;
    const double beta = k > 0 ? Z[k - 1] : 0.0;
    if (k > 0) {
      memset(row, 0, (size_t)stride * sizeof(double));
    } else {
      memset(row + 1, 0, (size_t)(stride - 1) * sizeof(double));
    }
    row[k] = 1.0;
    if (beta > 0.0) {
      const double *v = A + (k - 1) * stride;
      for (int i = k; i < n; ++i) {
        double *z = Z + i * stride;
        add(k / 2 * 2, stride, -beta * dot(k / 2 * 2, stride, z, v), v, z);
      }
    }
  }
}

// Rows a and b <- c a - s b and s a + c b.
SINEW_ALWAYS_INLINE void rotate(int stride, double c, double s, double *a, double *b) {
  const sinew_pair cc = sinew_pair_of(c), ss = sinew_pair_of(s);
  for (int j = 0; j < stride; j += 2) {
    const sinew_pair x = sinew_pair_load(a + j), y = sinew_pair_load(b + j);
    sinew_pair_store(a + j, cc * x - ss * y);
    sinew_pair_store(b + j, ss * x + cc * y);
  }
}

// T: its diagonal, and the squares and signs of its off-diagonal values.
typedef struct diagonals {
  double *d, *square, *sign;
  double negligible; // squares up to this are below the rounding of T
} diagonals;

// A 2 x 2 block in closed form: the rotation that makes [d0 e; e d1] diagonal, its tangent the
// smaller root of t^2 + 2 theta t - 1 = 0, theta = (d1 - d0) / (2 e).
SINEW_ALWAYS_INLINE void finish_two(int stride, const diagonals *T, int first, double *Z) {
  double *d = T->d + first;
  const double e = T->sign[first] * sqrt(T->square[first]);
  const double theta = (d[1] - d[0]) / (2.0 * e);
  const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
  const double c = 1.0 / sqrt(t * t + 1.0);
  rotate(stride, c, c * t, Z + first * stride, Z + (first + 1) * stride);
  d[0] -= t * e;
  d[1] += t * e;
  T->square[first] = 0.0;
}

// Wilkinson's shift: the eigenvalue of the block's first 2 x 2 corner that is nearer to d_0.
SINEW_ALWAYS_INLINE double wilkinson_shift(const double *d, double square) {
  const double half = 0.5 * (d[1] - d[0]);
  const double root = sqrt(half * half + square);
  return d[0] - square / (half + (half < 0.0 ? -root : root));
}

// One QL iteration on rows first .. last. With p the square of the value that the rotation combines
// with e_i, and gamma that value times the last cosine,
//   c^2 = p / (p + e_i^2)     s^2 = e_i^2 / (p + e_i^2)
//   gamma' = c^2 (d_i - shift) - s^2 gamma     p' = gamma'^2 / c^2
// needs one division from rotation to rotation; the square roots for the vectors are outside of
// that chain of dependent operations.
SINEW_ALWAYS_INLINE void iterate_ql(int stride, const diagonals *T, int first, int last,
                                    double *Z) {
  double *d = T->d, *square = T->square;
  const double shift = wilkinson_shift(d + first, square[first]);
  double gamma = d[last] - shift, p = gamma * gamma;
  double cc = 1.0, ss = 0.0, side = 1.0;
  for (int i = last - 1; i >= first; --i) {
    const double ee = square[i], least = DBL_EPSILON * DBL_EPSILON * ee;
    if (!(p > least)) { // nearly 0: raised to the rounding of e_i, so that it divides
      p = least;
      gamma = gamma < 0.0 ? -sqrt(cc * p) : sqrt(cc * p);
    }
    const double sum = p + ee, inverse = sum / p;
    square[i + 1] = ss * sum;
    cc = p / sum;
    ss = ee / sum;
    side = gamma < 0.0 ? -side : side;
    const double next = cc * (d[i] - shift) - ss * gamma;
    d[i + 1] = gamma + (d[i] - next);
    gamma = next;
    p = gamma * gamma * inverse;
    rotate(stride, side * sqrt(cc), T->sign[i] * sqrt(ss), Z + i * stride, Z + (i + 1) * stride);
  }
  d[first] = shift + gamma;
  square[first] = ss * p;
  square[last] = 0.0;
  T->sign[first] *= gamma < 0.0 ? -side : side;
}

SINEW_ALWAYS_INLINE void diagonalize(int n, const diagonals *T, double *Z) {
  const int stride = sinew_pair_stride(n);
  for (int first = 0; first < n; ++first) {
    for (int iteration = 0; iteration < MOST_ITERATIONS; ++iteration) {
      int last = first;
      while (last < n - 1 && T->square[last] > T->negligible) {
        ++last;
      }
      if (last == first) {
        break;
      }
      if (last == first + 1) {
        finish_two(stride, T, first, Z);
        break;
      }
      iterate_ql(stride, T, first, last, Z);
    }
  }
}

SINEW_ALWAYS_INLINE void solve(int n, double *A, double *values, double *Z, double *work) {
  const int stride = sinew_pair_stride(n);
  diagonals T = {.d = values, .square = work, .sign = work + stride};
  double *e = T.square, largest = 0.0;
  tridiagonalize(n, A, values, Z, e, T.sign);
  for (int i = 0; i < n; ++i) {
    largest = sinew_max(largest, fabs(values[i]) + fabs(e[i]));
    T.sign[i] = e[i] < 0.0 ? -1.0 : 1.0;
    T.square[i] = e[i] * e[i];
  }
  T.negligible = DBL_EPSILON * largest * (DBL_EPSILON * largest);
  diagonalize(n, &T, Z);
}

void sinew_eigen_symmetric(int n, double *A, double *values, double *Z, double *work) {
  switch (n) { // known sizes for a point and a pose, so that the loops unroll
  case 3:
    solve(3, A, values, Z, work);
    break;
  case 6:
    solve(6, A, values, Z, work);
    break;
  default:
    solve(n, A, values, Z, work);
  }
}
