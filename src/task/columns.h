// The columns of whole points and poses in world axes: what most tasks are, and most of a
// Jacobian's work.
#ifndef SINEW_TASK_COLUMNS_H
#define SINEW_TASK_COLUMNS_H

#include "task/task.h"

// values (a task's own) = its columns, positions taken at a point. Those of spans of other kinds
// are added to what is there. On the way gradient (n) += values^T residual, and square += the
// values' squares. False where there are other kinds, whose share of the sums is wanting.
bool sinew_task_columns(const sinew_task_set *set, const sinew_state *state,
                        const sinew_task_plan *plan, const double at[3], double *values,
                        double *gradient, double *square);

// second (a task's own) = the columns where an error, or what is left of it, will have been met:
// positions taken at the point and error from it [m], turns brought over by the matrix inverse (9;
// read where the task has rows of turns). After sinew_task_set_jacobian(). See expect.c.
void sinew_task_columns_bent(const sinew_task_set *set, const sinew_state *state,
                             const sinew_task_plan *plan, const double error[3],
                             const double inverse[9], double *second);

#endif
