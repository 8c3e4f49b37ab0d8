// Texts out of files and command lines, as they are shown: no name can move the cursor, fake a line
// of output or reverse the letters around it.
#ifndef EXPERIMENTS_TEXT_H
#define EXPERIMENTS_TEXT_H

#include <stdarg.h>
#include <stdio.h>

// Where a text goes, and with it what is escaped.
typedef enum text_use {
  // Into a file that programs read: no letter is escaped.
  TEXT_RAW,
  // For people. ESC becomes \x1b, a newline \x0a, the control character U+009B \u009b, the
  // right-to-left override \u202e, a byte that is no part of UTF-8 \xNN. A backslash that would
  // read as such an escape becomes \x5c, so that different names stay different.
  TEXT_PRINTED,
  // For programs, as UTF-8: only bytes that are no part of UTF-8 become \xNN, and a backslash that
  // would read as that \x5c. Different names stay different.
  TEXT_NAME,
  // The text of a JSON value, which people read too: DEL and the control characters beyond ASCII
  // become \uNNNN, which JSON reads as the same letter.
  TEXT_JSON
} text_use;

// A copy with its letters escaped; free() it. NULL where memory is out.
char *text_escaped(const char *text, text_use use);

// Prints a text for people, and blanks after it up to a width.
// @param width columns; 0: no blanks
void text_print(FILE *file, const char *text, int width);

// The columns that text_print() needs for a text, or a width where that is more.
int text_wider(int width, const char *text);

// Prints a message for people as one line on standard error: a beginning, then a format of printf()
// with its arguments, escaped.
__attribute__((__format__(__printf__, 2, 0))) void
text_message(const char *beginning, const char *format, va_list arguments);

#endif
