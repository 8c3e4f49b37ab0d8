#include "solve/backward_differences.h"

#include <stdbool.h>

// With so many values known, all orders can be compared.
#define ALL_KNOWN 4

void sinew_backward_differences_layout(sinew_arena *arena, int n, sinew_backward_differences *out) {
  double **const vectors[] = {&out->value, &out->first, &out->second};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
    *vectors[i] = sinew_arena_take(arena, (size_t)n, sizeof(double));
  }
  sinew_backward_differences_reset(out);
}

void sinew_backward_differences_reset(sinew_backward_differences *self) {
  self->known = self->order = 0;
}

static double expected(const sinew_backward_differences *self, int i) {
  if (self->known == 0) {
    return 0.0;
  }
  const double linear = self->value[i] + (self->order > 0 ? self->first[i] : 0.0);
  return linear + (self->order > 1 ? self->second[i] : 0.0);
}

void sinew_backward_differences_add(const sinew_backward_differences *self, int n, double *out) {
  for (int i = 0; i < n; ++i) {
    out[i] += expected(self, i);
  }
}

// By how much the square of the error must be smaller for one order more: noise is doubled.
#define GAIN 4.0

// The order for the next value, from the squares of D1, D2 and D3.
static int choose_order(int known, double first, double second, double third) {
  const int linear = known > 2 && GAIN * second < first ? 1 : 0;
  const bool quadratic = GAIN * GAIN * third < first && GAIN * third < second;
  return known >= ALL_KNOWN && quadratic ? 2 : linear;
}

void sinew_backward_differences_take(sinew_backward_differences *self, int n, const double *error) {
  double squares[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < n; ++i) {
    const double value = expected(self, i) + error[i];
    const double first = self->known > 0 ? value - self->value[i] : 0.0;
    const double second = self->known > 1 ? first - self->first[i] : 0.0;
    const double third = self->known > 2 ? second - self->second[i] : 0.0;
    squares[0] += first * first;
    squares[1] += second * second;
    squares[2] += third * third;
    self->value[i] = value;
    self->first[i] = first;
    self->second[i] = second;
  }
  self->known += self->known < ALL_KNOWN ? 1 : 0;
  self->order = choose_order(self->known, squares[0], squares[1], squares[2]);
}
