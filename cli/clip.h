/// A motion for a model: configurations with their times.
#ifndef CLI_CLIP_H
#define CLI_CLIP_H

#include "figure.h"

typedef struct cli_clip {
  int frame_count;
  double *time; ///< frame_count values [s]
  double *q;    ///< frame_count x nq, in the model's order
} cli_clip;

/// The motion in the model's own file.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_clip_from_figure(const cli_figure *figure, const char *path, cli_clip *clip);

/// Reads a motion from a BVH, joints found by name, or from a CSV with the
/// columns time and one for each value (columns.h) in any order. Columns of
/// coupled joints may be there and are not used.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_clip_read(const char *path, const cli_figure *figure, cli_clip *clip);

void cli_clip_destroy(cli_clip *clip);

#endif
