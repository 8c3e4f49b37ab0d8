#include "solve/backward_differences.h"
#include "simd/four.h"

// By how much the mean square of the error must be smaller for one order more.
#define GAIN 2.0
// The share of the last mean in the next one: squares of single values would change the order from
// update to update.
#define FADE 0.7

void sinew_backward_differences_layout(sinew_arena *arena, int n, sinew_backward_differences *out) {
  for (int j = 0; j <= SINEW_BACKWARD_DIFFERENCES; ++j) {
    out->D[j] = sinew_arena_take_fours(arena, (size_t)n, 0.0);
  }
  sinew_backward_differences_reset(out);
}

void sinew_backward_differences_reset(sinew_backward_differences *self) {
  self->known = self->order = 0;
}

void sinew_backward_differences_add(const sinew_backward_differences *self, int n, double *out) {
  const int order = self->known > 0 ? self->order : -1;
  for (int i = 0; i < n; i += 4) { // differences past n are 0
    sinew_four sum = sinew_four_load(out + i);
    for (int j = order; j >= 0; --j) {
      sum += sinew_four_load(self->D[j] + i);
    }
    sinew_four_store(out + i, sum);
  }
}

// D <- error, which becomes the next difference. Returns its square.
static double take_difference(int n, double *D, double *error) {
  sinew_four squares = SINEW_FOUR_OF(0.0);
  for (int i = 0; i < n; i += 4) {
    const sinew_four now = sinew_four_load(error + i), next = now - sinew_four_load(D + i);
    sinew_four_store(D + i, now);
    sinew_four_store(error + i, next);
    squares += next * next;
  }
  return (squares[0] + squares[1]) + (squares[2] + squares[3]);
}

// The order for the next value, from the squares of D1, D2, ... of this one: each is the error of
// an order, and has a mean from the first value on of which enough others are known.
static int choose_order(sinew_backward_differences *self, const double *squares) {
  int order = 0;
  for (int j = 0; j <= SINEW_BACKWARD_DIFFERENCES && j + 2 <= self->known; ++j) {
    self->squares[j] = SINEW_LIKELY(self->known > j + 2)
                           ? FADE * self->squares[j] + (1.0 - FADE) * squares[j]
                           : squares[j];
  }
  while (order < SINEW_BACKWARD_DIFFERENCES && self->known > order + 2 &&
         GAIN * self->squares[order + 1] < self->squares[order]) {
    ++order;
  }
  return order;
}

// The differences of up to eight values, as a pose has them: squares <- theirs.
SINEW_ALWAYS_INLINE void take_few(const sinew_backward_differences *self, int fours,
                                  const double *error, double *squares) {
  const sinew_four zero = SINEW_FOUR_OF(0.0);
  const int order = self->known > 0 ? self->order : -1;
  sinew_four now[2] = {zero, zero};
  for (int g = 0; g < fours; ++g) {
    now[g] = sinew_four_load(error + 4 * g);
    for (int j = order; j >= 0; --j) {
      now[g] += sinew_four_load(self->D[j] + 4 * g);
    }
  }
  for (int j = 0; j <= SINEW_BACKWARD_DIFFERENCES && j <= self->known; ++j) {
    sinew_four sum = zero;
    for (int g = 0; g < fours; ++g) {
      double *D = self->D[j] + 4 * g;
      const sinew_four next = now[g] - sinew_four_load(D);
      sinew_four_store(D, now[g]);
      now[g] = next;
      sum += next * next;
    }
    squares[j] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

void sinew_backward_differences_take(sinew_backward_differences *self, int n, double *error) {
  double squares[SINEW_BACKWARD_DIFFERENCES + 1] = {0.0};
  for (; n % 4 != 0; ++n) { // with differences that are 0
    error[n] = 0.0;
  }
  if (SINEW_HAS_FAST_PATHS && (n == 4 || n == 8)) {
    n == 4 ? take_few(self, 1, error, squares) : take_few(self, 2, error, squares);
    n = 0;
  }
  sinew_backward_differences_add(self, n, error);
  for (int j = 0; n > 0 && j <= SINEW_BACKWARD_DIFFERENCES && j <= self->known; ++j) {
    squares[j] = take_difference(n, self->D[j], error);
  }
  self->known += self->known < SINEW_BACKWARD_DIFFERENCES + 3 ? 1 : 0;
  self->order = choose_order(self, squares);
}
