// The damping of DLS by the law that the solver's definition selects: policy/laws.h, and for the
// law ERROR, policy/damping.h.
#ifndef SINEW_SOLVE_DAMPING_H
#define SINEW_SOLVE_DAMPING_H

#include "math/svd.h"
#include "policy/laws.h"
#include "sinew/solver.h"
#include "step/filter.h"
#include "step/step.h"

// What laws other than ERROR need, for up to m rows and n columns.
typedef struct sinew_damping {
  sinew_svd svd;
  sinew_filter filter;
  double *y;        // U^T e
  double *filters;  // 2 m: lambda_k u_k
  double *residual; // m: e - J x
  double *squares;  // n
  law_ratio ratio;  // of GAIN_RATIO
  bool has_ratio;   // whether it has begun
  double predicted; // the gain of the last step in the linear model
} sinew_damping;

// NULL, without memory, for the law ERROR.
void sinew_damping_layout(sinew_arena *arena, const sinew_step_size *size, sinew_damping_law law,
                          sinew_damping **damping);

// Forgets what earlier steps told: at a reset, and where a descent begins. May be NULL.
void sinew_damping_reset(sinew_damping *damping);

// Whether the law solves the m x m system only.
bool sinew_damping_needs_rows(sinew_damping_law law);

// What a law reads of a definition: lambda in sizes of the figure.
typedef struct sinew_damping_constants {
  sinew_damping_law law;
  double lambda, threshold, error_damping, floor, longest;
} sinew_damping_constants;

sinew_damping_constants sinew_damping_constants_of(const sinew_step_def *def, double size);

// Fills mu of the problem, and filter and filter_count of the laws that have them. E: half the
// squared residual.
void sinew_damping_fill(const sinew_damping_constants *constants, double E, sinew_damping *damping,
                        sinew_step_problem *problem);

// Records the gain that the linear model predicts for a step x.
void sinew_damping_predict(const sinew_step_problem *problem, const double *x,
                           sinew_damping *damping);

// The outcome of the step: E before and after it. Returns whether the law adapts to it by itself.
bool sinew_damping_adapt(sinew_damping_law law, double E, double E_new, sinew_damping *damping);

// mu of a step that is computed again: factor is above 1 after rejected ones.
double sinew_damping_again(double mu, double factor);

#endif
