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

static bool begins(const char *line, const char *with) {
  return strncmp(line, with, strlen(with)) == 0;
}

// The number of warnings, or -1 where a line is none or has control characters.
// @param refused whether another message follows them
static int count_warnings(bool refused) {
  int count = 0;
  const char *line = text, *end;
  for (; (end = strchr(line, '\n')); line = end + 1) {
    for (const char *letter = line; letter < end; ++letter)
      if ((unsigned char)*letter < ' ' || *letter == 0x7F)
        return -1;
    if (!begins(line, "sinew: warning: "))
      return refused && begins(line, "sinew: ") && end + 1 == text + size ? count : -1;
    ++count;
  }
  return refused || line != text + size ? -1 : count;
}

int messages_check(bool refused) {
  FILE *kept = stderr;
  stderr = before;
  if (fclose(kept) != 0)
    abort();
  const int warnings = count_warnings(refused);
  if (warnings < 0) {
    fprintf(stderr, "%s, and the messages are:\n%s", refused ? "refused" : "not refused", text);
    abort();
  }
  free(text);
  return warnings;
}
