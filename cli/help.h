/// The help texts, from the commands' descriptions and the option table.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"

/// 'sinew COMMAND --help'
void cli_help_print(const cli_command *command);

#endif
