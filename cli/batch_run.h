/// The work of sinew batch: problems in, answers out, block by block.
#ifndef CLI_BATCH_RUN_H
#define CLI_BATCH_RUN_H

#include "answers.h"
#include "journal.h"

/// What a run uses, and how.
typedef struct cli_batch_rules {
  const sinew_batch *batch;
  uint64_t first; ///< the first row of the whole run
  uint64_t end;   ///< the row to stop at; UINT64_MAX: the last
  uint64_t chunk; ///< rows after which the journal is renewed; 0: after half a second
  int threads;
} cli_batch_rules;

/// Runs from where the journal and the problems stand to the end.
/// @param mark what is finished then
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_batch_run(const cli_batch_rules *rules, cli_problems *problems, cli_answers *answers,
                  cli_journal *journal, cli_mark *mark);

#endif
