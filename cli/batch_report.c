// The report of sinew batch: how many rows had which outcome, and how long it took.
#include "batch.h"

#include <inttypes.h>
#include <stdio.h>

#include "json.h"

uint64_t cli_batch_row_count(const cli_mark *mark) {
  uint64_t rows = 0;
  for (int i = 0; i < SINEW_OUTCOME_COUNT; ++i)
    rows += mark->outcomes[i];
  return rows;
}

// Whether a row may have an outcome: none is rejected, which needs a function that accepts.
static bool is_possible(int outcome) {
  return outcome != SINEW_OUTCOME_REJECTED;
}

static void print_json(const cli_mark *mark, uint64_t rows, double seconds) {
  json_t *object = json_object(), *outcomes = json_object();
  for (int i = 0; i < SINEW_OUTCOME_COUNT; ++i) {
    if (is_possible(i))
      cli_json_set(outcomes, sinew_outcome_string((sinew_outcome)i),
                   json_integer((json_int_t)mark->outcomes[i]));
  }
  cli_json_set(object, "rows", json_integer((json_int_t)cli_batch_row_count(mark)));
  cli_json_set(object, "outcomes", outcomes);
  cli_json_set(object, "solved_now", json_integer((json_int_t)rows));
  cli_json_set(object, "seconds", cli_json_number(seconds));
  cli_json_print(object);
}

static void print_report(const cli_mark *mark, uint64_t rows, double seconds) {
  uint64_t all = cli_batch_row_count(mark);
  fprintf(stderr, "%" PRIu64 " row%s%s", all, all == 1 ? "" : "s", all > 0 ? ":" : "");
  const char *comma = "";
  for (int i = 0; i < SINEW_OUTCOME_COUNT; ++i) {
    if (mark->outcomes[i] > 0) {
      fprintf(stderr, "%s %" PRIu64 " %s", comma, mark->outcomes[i],
              sinew_outcome_string((sinew_outcome)i));
      comma = ",";
    }
  }
  if (rows < all)
    fprintf(stderr, "; %" PRIu64 " of them before", all - rows);
  fprintf(stderr, "; %.3g s", seconds);
  if (seconds > 0 && rows > 0)
    fprintf(stderr, ", %.0f rows/s", (double)rows / seconds);
  fputc('\n', stderr);
}

void cli_batch_report(const cli_request *wanted, const cli_mark *mark, uint64_t rows,
                      double seconds) {
  if (wanted->as_json)
    print_json(mark, rows, seconds);
  else
    print_report(mark, rows, seconds);
}
