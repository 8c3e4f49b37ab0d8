/// The names of methods in options.
#ifndef CLI_METHOD_H
#define CLI_METHOD_H

#include "sinew/solver.h"

/// Reads the value of --method.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message that lists the methods
int cli_option_method(const char *text, sinew_method *method);

#endif
