/// Models written as URDF.
#ifndef CLI_URDF_H
#define CLI_URDF_H

#include <stdio.h>

#include "figure.h"

/// Writes links with their masses, and joints with placements, axes, limits, speeds and couplings,
/// so that the reader makes the same model of them. Collision shapes are left out.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message that names the joint that URDF does
///   not have; nothing is written then
int cli_urdf_write(const cli_figure *figure, FILE *file);

#endif
