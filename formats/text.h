/// Words at a place in a text that need not be terminated, for the detection of formats.
#ifndef SINEW_FORMATS_TEXT_H
#define SINEW_FORMATS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/// Where the text's first word begins: after a byte order mark and white space.
size_t sinew_text_begin(const char *text, size_t size);

/// The next place from at on that is not white space, or size.
size_t sinew_text_skip_white_space(const char *text, size_t size, size_t at);

/// The place after the next occurrence of end, or size.
size_t sinew_text_skip_through(const char *text, size_t size, size_t at, const char *end);

/// Whether the text continues at a place with these characters.
bool sinew_text_has(const char *text, size_t size, size_t at, const char *characters);

/// Whether the text has a whole word at a place: white space, '/', '>' or the text's end follows.
bool sinew_text_has_word(const char *text, size_t size, size_t at, const char *word);

#endif
