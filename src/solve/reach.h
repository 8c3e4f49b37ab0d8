// Proofs that targets cannot be reached.
#ifndef SINEW_SOLVE_REACH_H
#define SINEW_SOLVE_REACH_H

#include "task/task.h"

// Whether some position target, or the distance between two of them, is beyond
// what the lengths of the chains allow, however joints turn. Slides keep within
// the given limits (nv each); degrees of freedom that are not in use, frozen or
// above a chain's root say, stay as they are in q. False proves nothing.
bool sinew_reach_excludes(const sinew_task_set *set, const sinew_model *model,
                          const sinew_target *targets, const double *lower, const double *upper,
                          const double *q);

#endif
