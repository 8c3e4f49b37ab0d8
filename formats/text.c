/// Words at a place in a text that need not be terminated.
#include "text.h"

#include <string.h>

size_t sinew_text_begin(const char *text, size_t size) {
  size_t at = sinew_text_has(text, size, 0, "\xEF\xBB\xBF") ? 3 : 0; // byte order mark
  return sinew_text_skip_white_space(text, size, at);
}

size_t sinew_text_skip_white_space(const char *text, size_t size, size_t at) {
  while (at < size &&
         (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) {
    ++at;
  }
  return at;
}

size_t sinew_text_skip_through(const char *text, size_t size, size_t at, const char *end) {
  while (at < size && !sinew_text_has(text, size, at, end)) {
    ++at;
  }
  return at < size ? at + strlen(end) : size;
}

bool sinew_text_has(const char *text, size_t size, size_t at, const char *characters) {
  size_t length = strlen(characters);
  return size - at >= length && memcmp(text + at, characters, length) == 0;
}

bool sinew_text_has_word(const char *text, size_t size, size_t at, const char *word) {
  size_t end = at + strlen(word);
  return sinew_text_has(text, size, at, word) &&
         (end >= size || strchr(" \t\r\n/>", text[end]) != NULL);
}
