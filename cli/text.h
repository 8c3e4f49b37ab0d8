/// Names as a person reads them: control characters escaped, so that a name out of a file can
/// neither move the cursor nor fake a line of output.
///
/// ESC is shown as \x1b, a newline as \x0a, the control character U+009B as \u009b, and a byte
/// that is no part of UTF-8 as \xNN. All other letters stay as they are.
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdio.h>

/// Prints a text with its control characters escaped, and blanks after it up to a width.
/// @param width columns; 0: no blanks
void cli_text_print(FILE *file, const char *text, int width);

/// The columns that cli_text_print() needs for a text, or a width where that is more.
int cli_text_wider(int width, const char *text);

#endif
