/// Limits of joints in the report of sinew track: which of them held joints back, and when.
#ifndef CLI_BOUNDS_H
#define CLI_BOUNDS_H

#include <jansson.h>

#include "figure.h"

/// ::sinew_bound has values below this.
#define CLI_BOUND_KINDS (SINEW_BOUND_ACCELERATION + 1)

/// What is counted of one degree of freedom over the frames of sinew track.
typedef struct cli_bound_count {
  int held[CLI_BOUND_KINDS]; ///< updates in which a limit of this kind held it
  int at_lower, at_upper;    ///< those by a limit of its value: at which end
  int yielding;              ///< updates in which its limit of acceleration yielded
  double worst;              ///< the most that it yielded by [rad/s^2 or m/s^2]
  int frame;                 ///< where that was
} cli_bound_count;

typedef struct cli_bounds {
  cli_bound_count *counts;   ///< one for each degree of freedom
  int held[CLI_BOUND_KINDS]; ///< updates in which a limit of this kind held any
} cli_bounds;

cli_bounds cli_bounds_create(const sinew_model *model);
void cli_bounds_destroy(cli_bounds *bounds);

/// Counts the limits after an update.
/// @param q as the update left it
void cli_bounds_count(const sinew_model *model, const sinew_solver *solver, const double *q,
                      int frame, cli_bounds *bounds);

/// The degrees of freedom that a limit held, or whose limit yielded: an array of objects with
/// joint, part where the joint has several, at_lower, at_upper, speed, braking, acceleration,
/// yielding, and where it yielded worst, its unit, and frame.
json_t *cli_bounds_json(const cli_figure *figure, const cli_bounds *bounds);

/// A line on standard error for each kind of limit that held a joint: in how many updates, and the
/// joint that it held most often; one for limits of acceleration that yielded, of angles and of
/// distances.
void cli_bounds_print(const cli_figure *figure, const cli_bounds *bounds);

#endif
