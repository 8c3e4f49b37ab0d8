// The methods: description, update rule, damping and limits of steps of each.
#ifndef SINEW_SOLVE_METHODS_H
#define SINEW_SOLVE_METHODS_H

#include "solve/solver.h"

// How a step with an entry above max_turn is limited.
typedef enum sinew_step_limit {
  SINEW_LIMIT_SCALE = 0, // the whole step is scaled
  SINEW_LIMIT_DAMP       // the step is computed again with more damping
} sinew_step_limit;

typedef struct sinew_method_row {
  sinew_method_info info;
  sinew_step_rule rule;
  size_t scratch; // where the rule's scratch is in sinew_step_scratch
  // Fills the damping mu, if the rule has one, and the rule's constants.
  void (*fill)(const sinew_solver *solver, sinew_step_problem *problem);
  sinew_step_limit limit;
  // Fills linear.x in place of rule.solve, whose scratch it may use: pose_steps.h.
  void (*pose_step)(sinew_solver *solver);
  bool remembers;    // the rule reads moved
  bool by_law;       // its damping is that of the law selected
  bool shortened;    // the rule has no damping: its steps are shortened instead
  bool second_order; // rows carry the curvature at the error
  // The rule depends on the joints' axes: spherical joints are in body-frame coordinates.
  bool body_frame_only;
} sinew_method_row;

// DEFAULT has the rule of DLS, with which it solves; its updates are sinew_solver_track().
const sinew_method_row *sinew_method_row_of(sinew_method method);

// Whether a method uses a field of sinew_solver_def.
bool sinew_method_obeys(sinew_method method, const char *field);

// |g| over the degrees of freedom that no bound blocks: policy/gradient.h.
double sinew_solver_free_gradient(const sinew_solver *solver);

// The norm of the rows of e, an error or a residual, of tasks whose curvature is not part of H.
double sinew_solver_first_order(const sinew_solver *solver, const double *e);

#endif
