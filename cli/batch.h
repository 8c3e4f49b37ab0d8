/// What the parts of sinew batch share.
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "journal.h"
#include "request.h"

/// Notes what the results depend on: the options, the files, the version, the number of lanes.
/// @param identity an object of texts
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_batch_identify(const cli_request *wanted, const cli_problems *problems,
                       const sinew_batch *batch, json_t *identity);

/// All rows that are finished.
uint64_t cli_batch_row_count(const cli_mark *mark);

/// Prints the report: a line on standard error, or with --json an object on standard output.
/// @param rows those that this run has solved itself
void cli_batch_report(const cli_request *wanted, const cli_mark *mark, uint64_t rows,
                      double seconds);

#endif
