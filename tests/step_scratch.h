// Scratch for the transpose and the pseudoinverse, and one step of each, for their tests.
#ifndef STEP_SCRATCH_H
#define STEP_SCRATCH_H

#include "stack.h"

#include "inspect.h"

enum { M = STACK_MOST_M, N = STACK_MOST_N };

typedef struct scratches {
  sinew_transpose_scratch transpose;
  sinew_pseudoinverse_scratch pseudo;
  void *memory[2];
} scratches;

static inline void scratches_make(scratches *s, int m, int n) {
  STACK_SCRATCH(s->memory[0],
                sinew_transpose_layout(&arena, &(sinew_step_size){.m = m, .n = n}, &s->transpose));
  STACK_SCRATCH(s->memory[1],
                sinew_pseudoinverse_layout(&arena, &(sinew_step_size){.m = m, .n = n}, &s->pseudo));
}

static inline void scratches_free(scratches *s) {
  free(s->memory[0]);
  free(s->memory[1]);
}

static inline void transpose_step(scratches *w, const stack *s, const double *gains, double *x) {
  const sinew_step_problem problem = {
      .rows = &s->rows, .e = s->e, .gradient = s->gradient, .gains = gains};
  assert_int_equal(sinew_transpose_step(&problem, &w->transpose, x), 1);
}

static inline void pseudoinverse_step(scratches *w, const stack *s, double cut, bool spectral,
                                      double *x) {
  const sinew_step_problem problem = {
      .rows = &s->rows, .e = s->e, .cut = cut, .singular_values = spectral};
  assert_int_equal(sinew_pseudoinverse_step(&problem, &w->pseudo, x), 1);
}

// A planar chain of links of length 1, joints about z: J (3 x n) of its tip.
static inline void planar_chain(stack *s, int n, const double *angles) {
  double x[N + 1] = {0.0}, y[N + 1] = {0.0}, sum = 0.0;
  s->m = 3;
  s->n = n;
  for (int j = 0; j < n; ++j) {
    sum += angles[j];
    x[j + 1] = x[j] + cos(sum);
    y[j + 1] = y[j] + sin(sum);
  }
  for (int j = 0; j < n; ++j) {
    s->J[j] = -(y[n] - y[j]);
    s->J[n + j] = x[n] - x[j];
    s->J[2 * n + j] = 0.0;
  }
}

static inline double dot(int count, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

#endif
