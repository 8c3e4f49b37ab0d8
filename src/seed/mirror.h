// From one solution to others: the elbow up or down, the wrist one way round or the other.
#ifndef SINEW_SEED_MIRROR_H
#define SINEW_SEED_MIRROR_H

#include "model/model.h"

// Three joints in a row, all of them turns of a value of their own, the middle one of which can be
// mirrored: mirror.c.
typedef struct sinew_mirror {
  int node;        // the last of them
  double twice;    // the middle one's values before and after the mirror add up to this [rad]
  bool first_axis; // what is mirrored about is the first's axis, else its place
  bool last_axis;  // what is mirrored is the last's axis, else its place
} sinew_mirror;

// Finds the mirrors of a model; room for a node each. Returns how many.
int sinew_mirrors_find(const sinew_model *model, sinew_mirror *mirrors);

// The three degrees of freedom that a mirror moves.
void sinew_mirror_dofs(const sinew_model *model, const sinew_mirror *mirror, int v[3]);

// Moves three values of q: out (nq) is q else. Limits are not looked at.
void sinew_mirror_apply(const sinew_model *model, const sinew_mirror *mirror, const double *q,
                        double *out);

#endif
