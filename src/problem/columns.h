// The columns of revolute and spherical joints for whole points and poses in world axes: most of
// the work of a Jacobian in most problems.
#ifndef SINEW_PROBLEM_COLUMNS_H
#define SINEW_PROBLEM_COLUMNS_H

#include "problem/evaluation.h"

// Fills rows.values for the last residual; gradient (n) += values^T residual, rows.square += the
// squares of the values.
void sinew_fill_columns(const sinew_problem *problem, const sinew_state *state, double *gradient,
                        sinew_evaluation *out);

// The same columns, of a problem over revolute nodes only, as rows of J, which are stride apart: a
// degree of freedom's at its column in column_of_dof.
void sinew_fill_rows(const sinew_problem *problem, const sinew_state *state,
                     const sinew_evaluation *evaluation, const int *column_of_dof, int stride,
                     double *J);

// The same as sinew_fill_columns(), and rows.second for the whole error.
void sinew_fill_columns_curved(const sinew_problem *problem, const sinew_state *state,
                               double *gradient, sinew_evaluation *out);

// Fills rows.second with the columns at the predicted error: the residual after a step, left (a
// value for each row), plus a share of the error. See curvature.c.
void sinew_fill_columns_predicted(const sinew_problem *problem, const sinew_state *state,
                                  const double *left, double share, sinew_evaluation *out);

// The predicted error of one task: error [m] and turn, a rotation vector [rad], which is filled if
// the task has six rows.
void sinew_predicted_error(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                           const double *left, double share, double error[3], double turn[3]);

#endif
