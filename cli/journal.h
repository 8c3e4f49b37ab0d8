/// A long output that an interruption does not destroy.
///
/// Bytes go to FILE.partial. After each chunk of rows, when its bytes are on the disk,
/// FILE.journal says what is finished; it is replaced by renaming, so that it is whole at
/// any moment. A run that resumes truncates FILE.partial to what the journal says, and
/// continues there. At the end FILE.partial is renamed to FILE, and the journal removed.
///
/// The journal also names what the results depend on; a run that would resume with anything
/// else is refused. It has checksums of the finished rows, of the targets and seeds that they were
/// computed from, and of itself: a run that would resume with a damaged file is refused too.
///
/// None of these files is written through a symbolic link.
#ifndef CLI_JOURNAL_H
#define CLI_JOURNAL_H

#include <jansson.h>

#include "journal_text.h"

typedef struct cli_journal {
  const char *path; ///< FILE, for messages
  char *target;     ///< FILE, symbolic links resolved; NULL: a pipe or device, no journal
  char *partial, *journal, *renewed;
  int file;
  json_t *identity;
  cli_mark mark;    ///< what is finished
  uint64_t written; ///< bytes, finished or not
  char *head;       ///< what stands before the first row
  size_t head_size;
  cli_checksum rows; ///< of what is written after it
  bool has_mark;     ///< whether there is a journal on the disk
  uint64_t kept;     ///< the row before which all is finished by it
  bool finished;     ///< an earlier run had finished
} cli_journal;

/// Begins or resumes an output.
/// @param path "-" is standard output
/// @param identity an object of texts, taken over: what the results depend on
/// @param resume continues where there is a journal; without it, what an interrupted run left
///   is not touched, and the new run is refused
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message; abandon it then
int cli_journal_open(const char *path, json_t *identity, bool resume, cli_journal *journal);

/// Writes what stands before the first row.
/// @param row the first, for the message
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_journal_write_head(cli_journal *journal, const void *bytes, size_t size, uint64_t row);

/// Adds bytes of rows.
/// @param row that they begin with, for the message
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_journal_write(cli_journal *journal, const void *bytes, size_t size, uint64_t row);

/// A chunk is finished: all that was written counts.
/// @param mark its place, parts and outcomes; the rest is filled in
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_journal_mark(cli_journal *journal, const cli_mark *mark);

/// All is written: writes the header again, if there is one, and renames the output.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_journal_finish(cli_journal *journal, const cli_mark *mark, const void *head,
                       size_t head_size);

/// Gives up. Finished rows stay, for a run that resumes; where there are none, nothing stays.
void cli_journal_abandon(cli_journal *journal);

#endif
