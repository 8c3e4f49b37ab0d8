/// What the commands of the program share: how they are described, called and how they end.
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

struct cli_request;

/// The program's exit codes.
enum {
  CLI_EXIT_DONE = 0,
  CLI_EXIT_UNSOLVED = 1, ///< the solve ended, but not converged
  CLI_EXIT_REFUSED = 2   ///< bad usage, bad input, or output that failed
};

/// One command each, as a bit, so that an option can name those that take it.
typedef enum cli_command_id {
  CLI_INFO = 1,
  CLI_FK = 2,
  CLI_SOLVE = 4,
  CLI_TRACK = 8,
  CLI_BATCH = 16,
  CLI_EXPERIMENT = 32,
  CLI_VIEW = 64
} cli_command_id;

/// A command: its part of the help, and what it does. Its options are in options.c.
typedef struct cli_command {
  cli_command_id id;
  const char *name;
  const char *word;    ///< what its one word that is no option stands for: "MODEL"
  const char *summary; ///< one line for 'sinew --help'
  const char *usage;   ///< what follows "sinew NAME"
  const char *about;   ///< paragraphs before the options
  /// Prints a paragraph after the options, where it depends on the library; or NULL.
  void (*print_more)(void);
  const char *notes;    ///< paragraphs after these, or NULL
  const char *examples; ///< a line each
  /// Sets the defaults of the options; the help shows them.
  void (*set_defaults)(struct cli_request *wanted);
  /// @return an exit code
  int (*run)(struct cli_request *wanted);
} cli_command;

extern const cli_command cli_command_info;
extern const cli_command cli_command_fk;
extern const cli_command cli_command_solve;
extern const cli_command cli_command_track;
extern const cli_command cli_command_batch;
extern const cli_command cli_command_experiment;
extern const cli_command cli_command_view;

#endif
