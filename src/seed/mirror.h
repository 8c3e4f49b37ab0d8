// From one solution to others: elbow up or down, wrist flipped or not.
#ifndef SINEW_SEED_MIRROR_H
#define SINEW_SEED_MIRROR_H

#include "model/model.h"

// Three consecutive revolute joints, none of them coupled, the middle one of which can be mirrored:
// mirror.c.
typedef struct sinew_mirror {
  int node;        // the last of them
  double twice;    // the sum of the middle one's values before and after the mirror [rad]
  bool first_axis; // mirrored about the first joint's axis; false: about its origin
  bool last_axis;  // mirrored is the last joint's axis; false: its origin
} sinew_mirror;

// Finds the mirrors of a model, at most one for each node. Returns their number.
int sinew_mirrors_find(const sinew_model *model, sinew_mirror *mirrors);

// The three degrees of freedom that a mirror moves.
void sinew_mirror_dofs(const sinew_model *model, const sinew_mirror *mirror, int v[3]);

// out (nq) = q with three values changed; out may be q. Limits are not checked.
void sinew_mirror_apply(const sinew_model *model, const sinew_mirror *mirror, const double *q,
                        double *out);

#endif
