// Any bytes as a journal of sinew batch: refused, or what it says is the same after it has been
// written and read again, and another after a bit of it has changed is refused.
//
// Few texts have the checksum that a journal needs: each is also read with its own.
#include "cli/checksum.h"
#include "cli/journal_text.h"
#include "cli/json.h"
#include "cli/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds)
    abort();
}

static void check_mark(const cli_mark *mark) {
  require(mark->head_bytes <= mark->bytes && mark->place.line >= 0);
  require(mark->targets.from <= mark->targets.to && mark->seeds.from <= mark->seeds.to);
}

// Reads a text. Returns what it says as the program writes it, or NULL.
static char *read_text(const char *text, size_t size, cli_journal_fault *fault) {
  json_t *about = NULL;
  cli_mark mark = {0};
  bool finished = false;
  char *again = NULL;
  *fault = cli_journal_parse(text, size, &about, &mark, &finished);
  require(*fault == CLI_JOURNAL_GOOD || *fault == CLI_JOURNAL_OTHER ||
          *fault == CLI_JOURNAL_DAMAGED);
  if (*fault == CLI_JOURNAL_GOOD) {
    check_mark(&mark);
    again = cli_journal_text(about, &mark, finished);
  }
  json_decref(about);
  return again;
}

// Where one bit differs a journal is refused or says the same.
static void flip(const char *text, size_t size, const char *said) {
  char *other = cli_allocate(size, 1);
  cli_journal_fault fault;
  const uint64_t place = cli_checksum_of(text, size) % (8 * size);
  memcpy(other, text, size);
  other[place / 8] ^= (char)(1 << place % 8);
  char *says = read_text(other, size, &fault);
  require(!says || strcmp(says, said) == 0);
  free(says);
  free(other);
}

static cli_journal_fault check(const char *text, size_t size) {
  cli_journal_fault fault, fault_again;
  char *said = read_text(text, size, &fault);
  if (said) {
    char *again = read_text(said, strlen(said), &fault_again);
    require(again && strcmp(said, again) == 0);
    flip(text, size, said);
    flip(said, strlen(said), said);
    free(again);
  }
  free(said);
  return fault;
}

// The same object with the checksum that it should have; NULL: it is no object.
static char *with_checksum(const char *text, size_t size) {
  json_error_t error;
  char *whole = NULL, checksum[24];
  json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
  if (json_is_object(object)) {
    json_object_del(object, "checksum");
    char *rest = cli_json_dump(object, JSON_COMPACT);
    snprintf(checksum, sizeof checksum, "%016" PRIx64, cli_checksum_of(rest, strlen(rest)));
    json_object_set_new(object, "checksum", json_string(checksum));
    whole = cli_json_dump(object, JSON_COMPACT);
    free(rest);
  }
  json_decref(object);
  return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  const cli_journal_fault fault = check(text, size);
  char *whole = with_checksum(text, size);
  if (whole) {
    const cli_journal_fault other = check(whole, strlen(whole));
    require(other == CLI_JOURNAL_GOOD ||
            (other == CLI_JOURNAL_OTHER && fault == CLI_JOURNAL_OTHER));
  } else {
    require(fault == CLI_JOURNAL_OTHER);
  }
  free(whole);
  return 0;
}
