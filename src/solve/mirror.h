// From one solution to others: the elbow up or down, the wrist one way round or the other.
#ifndef SINEW_SOLVE_MIRROR_H
#define SINEW_SOLVE_MIRROR_H

#include "solve/scratch.h"

// Finds the mirrors of a model; room for a node each. Returns how many.
int sinew_mirrors_find(const sinew_model *model, sinew_mirror *mirrors);

// The three degrees of freedom that a mirror moves.
void sinew_mirror_dofs(const sinew_model *model, const sinew_mirror *mirror, int v[3]);

// Moves three values of q: out (nq) is q else. Limits are not looked at.
void sinew_mirror_apply(const sinew_model *model, const sinew_mirror *mirror, const double *q,
                        double *out);

#endif
