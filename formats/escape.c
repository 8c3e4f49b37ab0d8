// Texts out of files as people and programs read them.
// Source: The Unicode Standard, section 3.9, table 3-7 (well-formed UTF-8).
#include "sinew/formats.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Room for one letter, escaped or not: "\u202e".
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

// The number of a letter of that size.
static unsigned code_point(const unsigned char *text, size_t size) {
  static const unsigned char first_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  unsigned code = text[0] & first_bits[size];
  for (size_t k = 1; k < size; ++k)
    code = code << 6 | (text[k] & 0x3Fu);
  return code;
}

// Control characters, the ends of lines and paragraphs, and what changes the direction of letters.
static bool is_control(unsigned code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// Whether a letter is followed by this many hexadecimal digits.
static bool is_escape(const char *text, char letter, int digits) {
  int found = 0;
  if (text[1] != letter)
    return false;
  while (found < digits && isxdigit((unsigned char)text[2 + found]))
    ++found;
  return found == digits;
}

// Whether a backslash of the text itself would read as an escape.
static bool is_misleading(const char *text, sinew_text_use use) {
  return text[0] == '\\' && (use == SINEW_TEXT_PRINTED || use == SINEW_TEXT_NAME) &&
         (is_escape(text, 'x', 2) || (use == SINEW_TEXT_PRINTED && is_escape(text, 'u', 4)));
}

// Writes the letter that a text begins with, escaped where its use needs that.
// @param written receives the bytes written
// @return the bytes of text that it takes
static size_t escape_letter(const char *text, sinew_text_use use, char out[LETTER_SIZE],
                            size_t *written) {
  const unsigned char *bytes = (const unsigned char *)text;
  const size_t size = letter_size(bytes);
  const unsigned code = size > 0 ? code_point(bytes, size) : 0;
  // In the text of a JSON value, what is below DEL is a blank between members or escaped already.
  const bool control = size > 0 && is_control(code) &&
                       (use == SINEW_TEXT_PRINTED || (use == SINEW_TEXT_JSON && code >= 0x7F));
  if (size == 0 || (control && size == 1 && use == SINEW_TEXT_PRINTED) ||
      is_misleading(text, use)) {
    *written = (size_t)snprintf(out, LETTER_SIZE, "\\x%02x", bytes[0]);
    return 1;
  }
  if (control) {
    *written = (size_t)snprintf(out, LETTER_SIZE, "\\u%04x", code & 0xFFFFu);
    return size;
  }
  memcpy(out, text, size);
  *written = size;
  return size;
}

size_t sinew_text_escape(const char *text, sinew_text_use use, char *out, size_t size) {
  size_t length = 0, used = 0;
  char letter[LETTER_SIZE];
  while (*text != '\0') {
    size_t written;
    text += escape_letter(text, use, letter, &written);
    // A letter that has no room ends what is written; the length is that of the whole text.
    if (used == length && length + written < size) {
      memcpy(out + used, letter, written);
      used += written;
    }
    length += written;
  }
  if (size > 0)
    out[used] = '\0';
  return length;
}
