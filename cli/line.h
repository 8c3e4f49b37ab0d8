/// Lines of at most 80 columns out of texts that are not broken, names for example.
#ifndef CLI_LINE_H
#define CLI_LINE_H

#include <stdio.h>

typedef struct cli_line {
  FILE *file;
  int indent;  ///< columns before a line that continues another
  int used;    ///< columns of the current line
  int pending; ///< blanks that are printed only if something follows
} cli_line;

/// A line that is empty so far.
cli_line cli_line_begin(FILE *file, int indent);

/// Adds a text after some blanks, with its control characters escaped; on a new line where it does
/// not fit.
/// @param width columns that it fills at least
void cli_line_put(cli_line *line, int blanks, const char *text, int width);

void cli_line_end(cli_line *line);

#endif
