/// How well the possible end effectors can move at a configuration: 'sinew info --q'.
#ifndef CLI_DEXTERITY_H
#define CLI_DEXTERITY_H

#include "figure.h"
#include "json.h"

/// Whether q, as the option gives it, is a configuration.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_dexterity_check(const cli_figure *figure, const char *q);

/// Prints a line for each possible end effector: the singular values, the condition number and the
/// manipulability of its pose.
/// @param q that has been checked
void cli_dexterity_print(const cli_figure *figure, const char *q);

/// The same as members of an object, by link; numbers that are not finite are null.
void cli_dexterity_set(const cli_figure *figure, const char *q, json_t *object);

/// The singular values, the condition number and the manipulability as an object.
json_t *cli_dexterity_json(const sinew_dexterity *d);

#endif
