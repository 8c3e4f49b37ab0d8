#include "solve/backward_differences.h"

// By how much the square of the error must be smaller for one order more: noise is doubled.
#define GAIN 4.0

void sinew_backward_differences_layout(sinew_arena *arena, int n, sinew_backward_differences *out) {
  for (int j = 0; j <= SINEW_BACKWARD_DIFFERENCES; ++j) {
    out->D[j] = sinew_arena_take(arena, (size_t)n, sizeof(double));
  }
  sinew_backward_differences_reset(out);
}

void sinew_backward_differences_reset(sinew_backward_differences *self) {
  self->known = self->order = 0;
}

void sinew_backward_differences_add(const sinew_backward_differences *self, int n, double *out) {
  for (int j = self->known > 0 ? self->order : -1; j >= 0; --j) {
    const double *D = self->D[j];
    for (int i = 0; i < n; ++i) {
      out[i] += D[i];
    }
  }
}

// The order for the next value, from the squares of D1, D2, ...
static int choose_order(int known, const double *squares) {
  int order = 0;
  while (order < SINEW_BACKWARD_DIFFERENCES && known > order + 2 &&
         GAIN * squares[order + 1] < squares[order]) {
    ++order;
  }
  return order;
}

void sinew_backward_differences_take(sinew_backward_differences *self, int n, double *error) {
  double squares[SINEW_BACKWARD_DIFFERENCES + 1] = {0.0};
  sinew_backward_differences_add(self, n, error);
  for (int j = 0; j <= SINEW_BACKWARD_DIFFERENCES && j <= self->known; ++j) {
    double *D = self->D[j], sum = 0.0;
    for (int i = 0; i < n; ++i) { // error becomes the next difference
      const double now = error[i];
      error[i] -= D[i];
      D[i] = now;
      sum += error[i] * error[i];
    }
    squares[j] = sum;
  }
  self->known += self->known < SINEW_BACKWARD_DIFFERENCES + 2 ? 1 : 0;
  self->order = choose_order(self->known, squares);
}
