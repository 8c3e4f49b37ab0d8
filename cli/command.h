/// What the commands of the program share: how they are called, how they end.
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

/// The program's exit codes.
enum {
  CLI_EXIT_DONE = 0,
  CLI_EXIT_UNSOLVED = 1, ///< the solve ended, but not converged
  CLI_EXIT_REFUSED = 2   ///< bad usage, bad input, or output that failed
};

/// Each command gets its own name as argv[0] and returns an exit code.
int cli_command_info(int argc, char **argv);
int cli_command_fk(int argc, char **argv);
int cli_command_solve(int argc, char **argv);
int cli_command_track(int argc, char **argv);
int cli_command_batch(int argc, char **argv);
int cli_command_experiment(int argc, char **argv);

#endif
