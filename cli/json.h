/// JSON as the commands print it, by jansson.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>

#include "sinew/kinematics.h"

/// A string of any bytes, since a BVH may hold any: SINEW_TEXT_NAME of sinew/formats.h.
json_t *cli_json_text(const char *text);

/// A number, null where it is infinite.
json_t *cli_json_number(double value);

/// An array of numbers.
json_t *cli_json_numbers(const double *values, int count);

/// Values as an object from joint name to a number, or to an array where a
/// joint has several; coupled joints too.
json_t *cli_json_configuration(const sinew_model *model, const double *q);

/// Sets a member under a name of any bytes, taking the value.
void cli_json_set(json_t *object, const char *name, json_t *value);

/// The text of a value, without control characters; free() it.
/// @param flags as json_dumps() takes them
char *cli_json_dump(const json_t *value, size_t flags);

/// Prints one line and frees the value.
void cli_json_print(json_t *value);

#endif
