// Texts out of files and command lines, as they are shown: no name can move the cursor, fake a line
// of output or reverse the letters around it.
#ifndef EXPERIMENTS_TEXT_H
#define EXPERIMENTS_TEXT_H

#include "sinew/formats.h"

#include <stdarg.h>
#include <stdio.h>

// sinew_text_escape() into a new text; free() it. NULL where memory is out.
char *text_escaped(const char *text, sinew_text_use use);

// Prints a text for people, and blanks after it up to a width.
// @param width columns; 0: no blanks
void text_print(FILE *file, const char *text, int width);

// The columns that text_print() needs for a text, or a width where that is more.
int text_wider(int width, const char *text);

// Prints a text in lines of at most 80 columns, as far as its words are not longer.
// @param column where the text begins in its first line, and the others are indented to
void text_wrap(const char *text, int column);

// Prints a message for people as one line on standard error: a beginning, then a format of printf()
// with its arguments, escaped.
__attribute__((__format__(__printf__, 2, 0))) void
text_message(const char *beginning, const char *format, va_list arguments);

#endif
