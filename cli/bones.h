/// The lengths of a skeleton's bones, where joints have position channels.
#ifndef CLI_BONES_H
#define CLI_BONES_H

#include "figure.h"

/// The distances of CHANNELS joints that other joints move: all but those of the root of a BVH.
/// Where they change, bones stretch.
typedef struct cli_bones {
  int *q_index; ///< count of them
  int count;
  unsigned char *frozen; ///< nv: 1 for these distances, for sinew_solver_set_frozen()
} cli_bones;

/// @param stretch whether bones may stretch: then there are no such distances, and frozen is NULL
cli_bones cli_bones_find(const cli_figure *figure, bool stretch);
void cli_bones_free(cli_bones *bones);

/// Sets the distances in q to those of a motion at a time [s]: interpolated between its frames,
/// before the first and after the last as in these.
void cli_bones_follow(const cli_bones *bones, const sinew_motion *motion, double time, double *q);

#endif
