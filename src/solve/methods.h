// The methods: what each is, its update rule, and how its steps are damped and limited.
#ifndef SINEW_SOLVE_METHODS_H
#define SINEW_SOLVE_METHODS_H

#include "solve/solver.h"

// How a step that turns a joint beyond max_turn is limited.
typedef enum sinew_step_limit {
  SINEW_LIMIT_SCALE = 0, // all of it is scaled
  SINEW_LIMIT_DAMP       // it is computed again with more damping
} sinew_step_limit;

typedef struct sinew_method_row {
  sinew_method_info info;
  sinew_step_rule rule;
  size_t scratch; // where the rule's scratch is in sinew_step_scratch
  // Fills the damping mu, where the rule has one, and its constants.
  void (*fill)(const sinew_solver *solver, sinew_step_problem *problem);
  sinew_step_limit limit;
  bool shortened; // the rule has no damping: its steps are shortened where others are damped more
  bool second_order; // rows carry the curvature at the error
  bool own_axes;     // rows of an effector are in its own axes: the rule clamps them
} sinew_method_row;

// DEFAULT's is that of DLS, by which it solves; its updates are sinew_solver_find_tracking_step().
const sinew_method_row *sinew_method_row_of(sinew_method method);

// Whether a field of sinew_solver_def is among those that a method obeys.
bool sinew_method_obeys(sinew_method method, const char *field);

// |g| over what is free to follow it: policy/gradient.h.
double sinew_solver_free_gradient(const sinew_solver *solver);

// The length of the part of e, an error or what is left of it, that tasks have whose curvature H
// lacks.
double sinew_solver_first_order(const sinew_solver *solver, const double *e);

#endif
