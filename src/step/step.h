// The one signature of all update rules: from rows, error, bounds and constants to a step x.
#ifndef SINEW_STEP_STEP_H
#define SINEW_STEP_STEP_H

#include "base/memory.h"
#include "math/rows.h"

#include <stdbool.h>

// The forms of damped least squares, with the values of sinew_dls_form (solver.h), which is not
// included here.
typedef enum sinew_dls_system {
  SINEW_SYSTEM_SMALLER = 0,
  SINEW_SYSTEM_ROWS,
  SINEW_SYSTEM_COLUMNS,
  SINEW_SYSTEM_STACKED
} sinew_dls_system;

// The input of a step. The header of a rule says which of the fields it reads.
typedef struct sinew_step_problem {
  const sinew_rows *rows;
  const double *e;             // m: what J x should be
  const double *gradient;      // n: J^T e
  const double *lower, *upper; // n: bounds of x, infinite where there is none; or NULL: none
  bool begun;                  // damped least squares, Newton: whether the scratch's held has the
                               // active bounds to begin with
  bool known;                  // Newton: whether the last call was for the same values of rows, and
                               // for second, or values in its place
  bool again;                  // Newton: whether H has changed little since the last call, whose
                               // factor may then serve (kept_factor.h)
  double mu;                   // damping, > 0
  double *mu_used;             // out, may be NULL: the damping used, >= mu
  const double *moved;         // n: the change of x since the last gradient; NULL: none is known
  const double *filters; // damped least squares by rows: filter_count vectors f_k of m values;
                         // sum_k f_k f_k^T is damping as mu I is
  int filter_count;
  const double *weights; // weighted least squares: W, rows weight_stride apart; entry j, k of x's W
  const int *weight_index; // is that of the row and column weight_index[j], weight_index[k]
  int weight_stride;

  // Constants of rules
  const double *gains;            // transpose: n, K's diagonal, >= 0; NULL: all 1
  double cut;                     // singular values up to this share of the largest count as 0; > 0
  bool singular_values;           // pseudoinverse: always use these, never a factor
  sinew_dls_system form;          // damped least squares
  const int *split;               // SDLS, for each block: how many of its first rows are one end
                                  // effector (a position); the rest are another (a rotation). NULL:
                                  // 3
  double largest;                 // SDLS: gamma_max, > 0: the largest |x_j| allowed
  double curvature_share;         // Newton: the largest share of a column's damping that is in fact
                                  // curvature of what H leaves out, in [0, 1)
  double negative_curvature_step; // Newton, >= 0: the least length of the step where H has a
                                  // direction of negative curvature and g is small along it
} sinew_step_problem;

// Whether x has bounds.
static inline bool sinew_step_is_bounded(const sinew_step_problem *problem) {
  return problem->lower != NULL && problem->upper != NULL;
}

// The largest numbers of rows and degrees of freedom that a scratch is for, and the form.
typedef struct sinew_step_size {
  int m, n;
  sinew_dls_system form;
} sinew_step_size;

// An update rule.
typedef struct sinew_step_rule {
  // Fills the pointers of the rule's own scratch struct.
  void (*layout)(sinew_arena *arena, const sinew_step_size *size, void *scratch);
  // Fills x (n), within its bounds as far as the rule keeps them. Returns the number of systems
  // solved.
  int (*solve)(const sinew_step_problem *problem, void *scratch, double *x);
} sinew_step_rule;

#endif
