/// What all commands do alike with their command line.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <getopt.h>

/// What getopt_long() returns for the options of one command: beyond any
/// letter, so that no short option is taken by accident.
enum {
  CLI_OPTION_FLOATING_BASE = 256, ///< how a MODEL is opened: cli_figure_open()
  CLI_OPTION_FIRST                ///< of a command's own
};

/// The entry of --floating-base among the options of a command with a MODEL.
#define CLI_OPTION_FLOATING_BASE_ENTRY                                                             \
  { "floating-base", no_argument, NULL, CLI_OPTION_FLOATING_BASE }

/// The next option, as getopt_long() returns it; '?' after a message where it
/// is unknown or lacks its value.
int cli_option_next(int argc, char **argv, const struct option *options);

/// The value of an option that may stand without: what follows "=", or the next
/// word where that is no option; NULL where there is none.
const char *cli_option_optional(int argc, char **argv);

/// The one word that is no option: the MODEL.
/// @return NULL after a message where there is none, or more than one
const char *cli_option_model(int argc, char **argv);

#endif
