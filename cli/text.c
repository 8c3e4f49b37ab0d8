// Names as a person reads them: control characters escaped.
// Source: The Unicode Standard, section 3.9, table 3-7 (well-formed UTF-8).
#include "text.h"

#include <stdbool.h>
#include <string.h>

// Room for one letter, escaped or not: "\u009b".
#define LETTER_SIZE 8

// The first bytes of letters with continuations, and the range of the second byte.
typedef struct lead {
  unsigned char first, last;
  unsigned char low, high;
  int size;
} lead;

static const lead leads[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
                             {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
                             {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                             {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};

// Bytes of the letter that a text begins with; 0 where it is not UTF-8.
static size_t letter_size(const unsigned char *text) {
  if (text[0] < 0x80)
    return 1;
  for (size_t i = 0; i < sizeof leads / sizeof leads[0]; ++i) {
    const lead *kind = &leads[i];
    if (text[0] < kind->first || text[0] > kind->last)
      continue;
    if (text[1] < kind->low || text[1] > kind->high)
      return 0;
    // The terminator is no continuation: nothing beyond it is read.
    for (int k = 2; k < kind->size; ++k)
      if ((text[k] & 0xC0) != 0x80)
        return 0;
    return (size_t)kind->size;
  }
  return 0;
}

// Writes the letter that a text begins with, escaped where it is a control character.
// @param columns receives how wide it is
// @return the bytes of text that it takes
static size_t escape_letter(const char *text, char out[LETTER_SIZE], int *columns) {
  const unsigned char *bytes = (const unsigned char *)text;
  size_t size = letter_size(bytes);
  bool c0 = bytes[0] < 0x20 || bytes[0] == 0x7F;
  bool c1 = size == 2 && bytes[0] == 0xC2 && bytes[1] < 0xA0;
  if (size == 0 || c0) {
    *columns = snprintf(out, LETTER_SIZE, "\\x%02x", bytes[0]);
    return 1;
  }
  if (c1) {
    *columns = snprintf(out, LETTER_SIZE, "\\u%04x", bytes[1]);
    return size;
  }
  memcpy(out, text, size);
  out[size] = '\0';
  *columns = 1;
  return size;
}

void cli_text_print(FILE *file, const char *text, int width) {
  char letter[LETTER_SIZE];
  int used = 0, columns = 0;
  for (; *text != '\0'; used += columns) {
    text += escape_letter(text, letter, &columns);
    fputs(letter, file);
  }
  fprintf(file, "%*s", width > used ? width - used : 0, "");
}

int cli_text_wider(int width, const char *text) {
  char letter[LETTER_SIZE];
  int used = 0, columns = 0;
  for (; *text != '\0'; used += columns)
    text += escape_letter(text, letter, &columns);
  return used > width ? used : width;
}
