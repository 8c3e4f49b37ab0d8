/// Files that are read piece by piece, however long they are; pipes too.
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checksum.h"

typedef struct cli_source {
  const char *path; ///< for messages
  int file;
  bool regular;   ///< a file of known size that can be read anywhere, and no pipe
  uint64_t size;  ///< where regular [bytes]
  uint64_t place; ///< of the next byte
  char *ahead;    ///< bytes that were peeked at and not yet read
  size_t ahead_begin, ahead_end;
} cli_source;

/// @param path "-": standard input
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message; close it in either case
int cli_source_open(const char *path, cli_source *source);
void cli_source_close(cli_source *source);

/// Peeks at the next bytes without reading them: most of them, or fewer where the file ends.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_source_peek(cli_source *source, size_t most, const char **bytes, size_t *size);

/// Reads up to size bytes; *got is less only at the end.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_source_read(cli_source *source, void *bytes, size_t size, size_t *got);

/// Goes to a place of a regular file.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_source_seek(cli_source *source, uint64_t place);

/// The state of a file as text, to detect a change: its size and a checksum of its beginning.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_source_identify(const cli_source *source, char *text, size_t size);

/// The part of a file that was used, with its checksum.
typedef struct cli_part {
  uint64_t from, to; ///< the first byte and the one after the last
  cli_checksum checksum;
} cli_part;

/// Extends a part of a regular file to a place after it, by reading the file there again.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_source_extend(const cli_source *source, cli_part *part, uint64_t to);

#endif
