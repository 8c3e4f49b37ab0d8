/// Which tasks run in SIMD lanes, for a link that joints move: of 'sinew info'.
#ifndef CLI_INFO_LANES_H
#define CLI_INFO_LANES_H

#include "figure.h"
#include "json.h"

/// A line for searches and batches, and one for crowds, where a pose relative to another link, the
/// centre of mass and a posture below other tasks are named as well.
void cli_info_lanes_print(const cli_figure *figure);

/// The same as members of an object.
void cli_info_lanes_set(const cli_figure *figure, json_t *object);

#endif
