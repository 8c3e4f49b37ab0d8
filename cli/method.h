/// --method, and the options that set constants of methods.
#ifndef CLI_METHOD_H
#define CLI_METHOD_H

#include "options.h"

/// The values of --method and --damping-law, as the library names them, and of --dls-form.
cli_choice_at cli_method_at;
cli_choice_at cli_damping_law_at;
cli_choice_at cli_dls_form_at;

/// Refuses a constant that the method does not use.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_method_check(const cli_request *wanted);

/// Whether a constant of a method is given.
bool cli_method_has_constant(const cli_request *wanted);

/// The default definition with the method and the constants that were given.
sinew_solver_def cli_method_solver(const cli_request *wanted);

#endif
