// Lines of at most 80 columns out of texts that are not broken.
#include "line.h"

#include "experiments/text.h"

#define COLUMNS 80

cli_line cli_line_begin(FILE *file, int indent) {
  return (cli_line){.file = file, .indent = indent};
}

void cli_line_put(cli_line *line, int blanks, const char *text, int width) {
  const int length = text_wider(0, text);
  blanks += line->pending;
  if (line->used > line->indent && line->used + blanks + length > COLUMNS) {
    fputc('\n', line->file);
    blanks = line->indent;
    line->used = 0;
  }
  fprintf(line->file, "%*s", blanks, "");
  text_print(line->file, text, 0);
  line->used += blanks + length;
  line->pending = width > length ? width - length : 0;
}

void cli_line_end(cli_line *line) {
  fputc('\n', line->file);
}
