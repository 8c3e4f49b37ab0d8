/// The names of methods in options.
#ifndef CLI_METHOD_H
#define CLI_METHOD_H

#include "options.h"

/// The values of --method, as the library names them.
cli_choice_at cli_method_at;

#endif
