// Stationary points: where no small step lowers the error, and why.
#ifndef SINEW_SOLVE_STATIONARY_H
#define SINEW_SOLVE_STATIONARY_H

#include "solve/solver.h"

// cos^2 of policy/stall.h at the last linearization: how much of the error a small step within the
// bounds can still remove.
double sinew_stationary_cosine(const sinew_solver *solver);

// Why a point is stationary, where reaching is not excluded: SINEW_OUTCOME_BLOCKED_BY_LIMITS, with
// the joint at a limit whose column has the largest cosine with the error, or
// SINEW_OUTCOME_STALLED, with -1.
sinew_outcome sinew_stationary_outcome(const sinew_solver *solver, int *limiting_joint);

// That joint, or -1; of one task: by its error alone.
// @param task -1: of all
int sinew_stationary_limiting_joint(const sinew_solver *solver, int task);

// Replaces SINEW_OUTCOME_STEP_LIMIT in the report (may be NULL) of an update that begins at a
// stationary point, q, at which it has been linearized.
void sinew_stationary_report(const sinew_solver *solver, const sinew_target *targets,
                             const double *q, sinew_report *report);

#endif
