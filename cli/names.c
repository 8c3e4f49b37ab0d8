// Similar names: the least number of insertions, deletions
// and replacements of a letter that makes one word of another.
// Source: Wagner, Fischer, The string-to-string correction problem, 1974.
#include "names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SUGGESTIONS 3
// Longer names are compared by their beginnings.
#define LONGEST 64

static int least(int a, int b) {
  return a < b ? a : b;
}

static int letter(char c) {
  return tolower((unsigned char)c);
}

// Edit distance of two words, upper and lower case taken as one.
static int edit_distance(const char *a, const char *b) {
  int rows = (int)strnlen(a, LONGEST), columns = (int)strnlen(b, LONGEST);
  // row[j]: distance of a's first i letters to b's first j.
  int row[LONGEST + 1];
  for (int j = 0; j <= columns; ++j)
    row[j] = j;

  for (int i = 1; i <= rows; ++i) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= columns; ++j) {
      int replaced = diagonal + (letter(a[i - 1]) != letter(b[j - 1]));
      diagonal = row[j];
      row[j] = least(replaced, 1 + least(row[j], row[j - 1]));
    }
  }
  return row[columns];
}

// How far a word may be from what was meant: a third of its letters or two, but not all of them.
static int tolerated(const char *word) {
  int length = (int)strnlen(word, LONGEST);
  return least(length - 1, length / 3 > 2 ? length / 3 : 2);
}

void cli_names_suggest(const char *word, cli_name_at *name_at, const void *names, int count,
                       char *text, size_t size) {
  const char *best[SUGGESTIONS];
  int distances[SUGGESTIONS], found = 0;
  for (int index = 0; index < count; ++index) {
    const char *name = name_at(names, index);
    int distance = edit_distance(word, name);
    // The beginning of a longer name is as good as one wrong letter.
    size_t length = strlen(word);
    if (length >= 3 && strncasecmp(word, name, length) == 0)
      distance = least(distance, 1);
    if (distance > tolerated(word) || (found == SUGGESTIONS && distance >= distances[found - 1]))
      continue;

    // Insertion into the short sorted list; the last falls out.
    int place = found < SUGGESTIONS ? found++ : found - 1;
    for (; place > 0 && distances[place - 1] > distance; --place) {
      best[place] = best[place - 1];
      distances[place] = distances[place - 1];
    }
    best[place] = name;
    distances[place] = distance;
  }

  size_t length = 0;
  text[0] = '\0';
  for (int i = 0; i < found && length < size; ++i)
    length +=
        (size_t)snprintf(text + length, size - length, "%s'%s'%s",
                         i == 0 ? "; did you mean " : ", ", best[i], i + 1 == found ? "?" : "");
}
