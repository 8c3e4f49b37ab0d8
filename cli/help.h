/// The help texts, from the commands' descriptions and the option table.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"

/// 'sinew COMMAND --help'
void cli_help_print(const cli_command *command);

/// Prints a text in lines of at most 80 columns.
/// @param column where the text begins in its first line, and the others are indented to
void cli_help_wrap(const char *text, int column);

#endif
