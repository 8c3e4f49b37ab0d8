/// The text of a journal: what is finished, what it depends on, and a checksum of the text itself.
#ifndef CLI_JOURNAL_TEXT_H
#define CLI_JOURNAL_TEXT_H

#include <jansson.h>

#include "problems.h"

/// A part of a file, and its checksum.
typedef struct cli_mark_part {
  uint64_t from, to, checksum;
} cli_mark_part;

/// What is finished.
typedef struct cli_mark {
  uint64_t bytes;        ///< of FILE.partial
  uint64_t head_bytes;   ///< of these, before the first row
  uint64_t checksum;     ///< of these: the rows, then what stands before them
  cli_place place;       ///< in the targets
  cli_mark_part targets; ///< what the rows were computed from
  cli_mark_part seeds;
  uint64_t outcomes[SINEW_OUTCOME_COUNT];
} cli_mark;

/// What is wrong with a journal.
typedef enum cli_journal_fault {
  CLI_JOURNAL_GOOD,
  CLI_JOURNAL_OTHER,  ///< no journal, or that of another version
  CLI_JOURNAL_DAMAGED ///< its checksum does not agree
} cli_journal_fault;

/// @param about an object of texts: what the results depend on
/// @return free() it
char *cli_journal_text(json_t *about, const cli_mark *mark, bool finished);

/// Reads what cli_journal_text() wrote, or anything else.
/// @param about receives the object, or NULL; json_decref() it
cli_journal_fault cli_journal_parse(const char *text, size_t size, json_t **about, cli_mark *mark,
                                    bool *finished);

#endif
