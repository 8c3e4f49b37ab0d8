// The lengths of a skeleton's bones, where joints have position channels.
#ifndef EXPERIMENTS_BONES_H
#define EXPERIMENTS_BONES_H

#include "sinew/formats.h"
#include "sinew/model.h"

#include <stdbool.h>

// The distances of CHANNELS joints that other joints move: all but those of the root of a BVH.
// Where they change, bones stretch.
typedef struct bones {
  int *q_index; // count of them
  int count;
  unsigned char *frozen; // nv: 1 for these distances, for sinew_solver_set_frozen()
} bones;

// @return false where memory is out
bool bones_find(const sinew_model_def *def, const sinew_model *model, bones *out);
void bones_free(bones *self);

// Sets the distances in q to those of a motion at a time [s]: interpolated between its frames,
// before the first and after the last as in these.
void bones_follow(const bones *self, const sinew_motion *motion, double time, double *q);

#endif
