/// Reading a command line by the option table.
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "options.h"

/// Reads the words after a command's name into a request that has the command's defaults.
///
/// A word after an option is its value, after "=" too; after "--" no word is an option.
/// Reading ends at --help.
/// @param words count of them; the request points to them
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message; free it in either case
int cli_parse(const cli_command *command, int count, char **words, cli_request *wanted);
void cli_request_free(cli_request *wanted);

#endif
