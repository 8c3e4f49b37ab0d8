// The columns of whole points and poses in world axes, of revolute and spherical joints: what most
// tasks are, and most of a Jacobian's work.
#ifndef SINEW_PROBLEM_COLUMNS_H
#define SINEW_PROBLEM_COLUMNS_H

#include "problem/evaluation.h"

// Into rows.values, for the last residual. On the way gradient (n) += values^T residual, and
// rows.square += the values' squares.
void sinew_fill_columns(const sinew_problem *problem, const sinew_state *state, double *gradient,
                        sinew_evaluation *out);

// The same, and into rows.second, for all of the error.
void sinew_fill_columns_curved(const sinew_problem *problem, const sinew_state *state,
                               double *gradient, sinew_evaluation *out);

// Into rows.second: the columns at the predicted error: what a step leaves of it, left (a row
// each), and a share of it besides. See curvature.c.
void sinew_fill_columns_predicted(const sinew_problem *problem, const sinew_state *state,
                                  const double *left, double share, sinew_evaluation *out);

// The predicted error of one task: error [m] and turn [rad], which is filled where the task has
// such rows.
void sinew_predicted_error(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                           const double *left, double share, double error[3], double turn[3]);

#endif
