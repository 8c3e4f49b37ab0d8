// Messages of the program sinew, kept while a fuzz target runs: the C library's stream is replaced,
// so that what a fuzzer and the sanitizers print themselves is seen.
#include "messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *before;
static char *text;
static size_t size;

void messages_keep(void) {
  before = stderr;
  FILE *kept = open_memstream(&text, &size);
  if (!kept)
    abort();
  stderr = kept;
}

static bool is_one_line(void) {
  static const char beginning[] = "sinew: ";
  if (size <= strlen(beginning) || memcmp(text, beginning, strlen(beginning)) != 0)
    return false;
  for (size_t i = 0; i + 1 < size; ++i)
    if ((unsigned char)text[i] < ' ' || text[i] == 0x7F)
      return false;
  return text[size - 1] == '\n';
}

void messages_check(bool refused) {
  FILE *kept = stderr;
  stderr = before;
  if (fclose(kept) != 0)
    abort();
  if (refused ? !is_one_line() : size != 0) {
    fprintf(stderr, "%s, and the messages are:\n%.*s", refused ? "refused" : "not refused",
            (int)size, text);
    abort();
  }
  free(text);
}
