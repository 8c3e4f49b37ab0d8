// The columns of whole points and poses in world axes, of turns and balls: what most tasks are,
// and most of a Jacobian's work.
#ifndef SINEW_TASK_COLUMNS_H
#define SINEW_TASK_COLUMNS_H

#include "task/task.h"

// Into rows.values, for the last residual. On the way gradient (n) += values^T residual, and
// rows.square += the values' squares. curved: into rows.second too, for all of the error.
void sinew_task_columns(sinew_task_set *set, const sinew_state *state, bool curved,
                        double *gradient);

// Into rows.second: the columns where the targets are expected to be seen after a step that leaves
// of the errors what left says (a row each), and a share of them besides. See expect.c.
void sinew_task_columns_expected(sinew_task_set *set, const sinew_state *state, const double *left,
                                 double share);

// What is expected of one task: its error [m] and turn (read where it has such rows).
void sinew_task_expected_error(const sinew_task_plan *plan, const double *left, double share,
                               double error[3], double turn[3]);

#endif
