// Numerical filtering: the smallest singular values of J and their vectors, estimated from step to
// step.
#ifndef SINEW_STEP_FILTER_H
#define SINEW_STEP_FILTER_H

#include "base/memory.h"
#include "math/rows.h"

// The estimates of up to m rows.
typedef struct sinew_filter {
  double *u[2];    // m each: of the smallest and of the second smallest, of unit length
  double sigma[2]; // the estimates
  double *matrix;  // m x m: J J^T
  double *factor;  // m x m
  bool started;    // whether u is that of an earlier step
} sinew_filter;

void sinew_filter_layout(sinew_arena *arena, int m, sinew_filter *filter);

// Brings count (1 or 2) estimates up to date with the rows: a step of inverse iteration each, or
// several where none has been made. shift: beta^2 > 0, which keeps J J^T + shift I invertible.
// Returns how many estimates there are: at most as many as rows.
int sinew_filter_estimate(const sinew_rows *rows, int count, double shift, sinew_filter *filter);

#endif
