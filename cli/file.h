/// Reading whole files, and writing files that are complete or do not exist.
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// Reads a file to its end and terminates it; free() it.
/// @return NULL after a message where it cannot be read or is too large
char *cli_file_read(const char *path, size_t *size);

/// Whether the name of a file has an ending, ".npy" for example, in upper or lower case.
bool cli_file_has_ending(const char *path, const char *ending);

/// Whether two paths lead to one file. False where one is NULL or no plain file.
bool cli_file_is_same(const char *a, const char *b);

/// A file being written. Until cli_output_close() has succeeded, nothing
/// stands at its path that did not stand there before.
typedef struct cli_output {
  FILE *file;
  const char *path;
  char *target;    ///< the path, symbolic links resolved
  char *temporary; ///< beside the target; NULL: written in place (a device)
} cli_output;

/// Whether the folder that a file is to be written to exists.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_output_check(const char *path);

/// @param path NULL or "-": standard output
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_output_open(const char *path, cli_output *output);

/// Ends the writing: every byte is accepted by the system and the file has its
/// name, or a message was printed and nothing is left behind.
/// @return CLI_EXIT_DONE or CLI_EXIT_REFUSED
int cli_output_close(cli_output *output);

/// Gives up, leaving nothing behind.
void cli_output_abandon(cli_output *output);

#endif
