// What all commands do alike with their command line.
#include "options.h"

#include <stddef.h>

#include "message.h"

int cli_option_next(int argc, char **argv, const struct option *options) {
  opterr = 0;
  int option = getopt_long(argc, argv, ":", options, NULL);
  if (option == ':')
    cli_refuse("%s: %s lacks its value; see 'sinew %s --help'", argv[0], argv[optind - 1], argv[0]);
  else if (option == '?')
    cli_refuse("%s: %s is unknown or has a value too many; see 'sinew %s --help'", argv[0],
               argv[optind - 1], argv[0]);
  return option == ':' ? '?' : option;
}

const char *cli_option_optional(int argc, char **argv) {
  if (optarg)
    return optarg;
  return optind < argc && argv[optind][0] != '-' ? argv[optind++] : NULL;
}

const char *cli_option_model(int argc, char **argv) {
  if (optind + 1 == argc)
    return argv[optind];
  if (optind >= argc)
    cli_refuse("%s: which MODEL? See 'sinew %s --help'", argv[0], argv[0]);
  else
    cli_refuse("%s: one MODEL at a time, but there is also '%s'", argv[0], argv[optind + 1]);
  return NULL;
}
