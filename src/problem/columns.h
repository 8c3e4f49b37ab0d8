// The columns of whole points and poses in world axes, of turns and balls: what most tasks are,
// and most of a Jacobian's work.
#ifndef SINEW_PROBLEM_COLUMNS_H
#define SINEW_PROBLEM_COLUMNS_H

#include "problem/evaluation.h"

// Into rows.values, for the last residual. On the way gradient (n) += values^T residual, and
// rows.square += the values' squares. curved: into rows.second too, for all of the error.
void sinew_fill_columns(const sinew_problem *problem, const sinew_state *state, bool curved,
                        double *gradient, sinew_evaluation *out);

// Into rows.second: the columns where the targets are expected to be seen after a step that leaves
// of the errors what left says (a row each), and a share of them besides. See curvature.c.
void sinew_fill_columns_expected(const sinew_problem *problem, const sinew_state *state,
                                 const double *left, double share, sinew_evaluation *out);

// What is expected of one task: its error [m] and turn (read where it has such rows).
void sinew_expected_error(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                          const double *left, double share, double error[3], double turn[3]);

#endif
