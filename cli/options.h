/// The option table: each option of the program is described once, here. Reading the command
/// line (parse.h) and the help texts (help.h) follow from it.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>

#include "request.h"

/// What kind of value an option takes, and with it the type of its field in cli_request.
typedef enum cli_option_kind {
  CLI_OPTION_FLAG,          ///< no value; bool
  CLI_OPTION_NUMBER,        ///< a finite number from least to most; double
  CLI_OPTION_COUNT,         ///< a whole number from least to most; int
  CLI_OPTION_CHOICE,        ///< one of some names; int
  CLI_OPTION_LIST,          ///< numbers with commas between; handed to the setter
  CLI_OPTION_OPTIONAL_LIST, ///< the same, or no value: the setter gets NULL
  CLI_OPTION_TEXT,          ///< any text but an empty one; const char *, or the setter
  CLI_OPTION_FILE,          ///< the same, for a file or a folder
  CLI_OPTION_OPTIONAL_FILE  ///< a file that may be left out; const char *
} cli_option_kind;

typedef struct cli_option cli_option;

/// The index-th name of a choice and the value that stands for it; NULL past the last.
typedef const char *cli_choice_at(int index, int *value);

/// Takes a value that goes into no single field.
/// @param text as on the command line
/// @param values of a LIST, else NULL
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
typedef int cli_option_setter(cli_request *wanted, const cli_option *option, const char *text,
                              const double *values);

struct cli_option {
  const char *name;  ///< without its dashes
  unsigned commands; ///< bits of those that take it: cli_command_id
  cli_option_kind kind;
  const char *value;        ///< how the help names the value: "N"; of a LIST its numbers: "x,y,z"
  size_t field;             ///< offset in cli_request; unused where there is a setter
  const char *solver_field; ///< as sinew_method_info names it, of a constant that not all methods
                            ///< use; else NULL
  double least, most;       ///< where least is DBL_MIN, above 0
  cli_choice_at *choice_at;
  cli_option_setter *set;   ///< NULL: the value goes into the field
  const char *unit;         ///< NULL: none
  const char *default_text; ///< where the field before parsing does not say it, or NULL
  const char *help;         ///< without the last full stop
};

/// The options of the program; NULL past the last.
const cli_option *cli_option_at(int index);

/// Whether a command takes an option.
bool cli_option_taken(const cli_option *option, const cli_command *command);

/// The index of a command's option, or -1.
/// @param name without its dashes, length letters of it
int cli_option_find(const cli_command *command, const char *name, size_t length);

/// The names of a CHOICE: "A, B, C".
void cli_option_list_choices(const cli_option *option, char *text, size_t size);

/// How many numbers a LIST has.
int cli_option_list_length(const cli_option *option);

#endif
