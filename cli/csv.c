// Comma-separated values, read and written a record at a time.
// Source: RFC 4180; besides, a line may end in LF alone, and empty lines and a
// byte order mark are skipped.
#include "csv.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "number.h"

cli_csv cli_csv_open(const char *path, char *text) {
  static const char byte_order_mark[] = "\xEF\xBB\xBF";
  if (strncmp(text, byte_order_mark, 3) == 0)
    text += 3;
  return (cli_csv){.path = path, .text = text, .place = text, .next_line = 1};
}

void cli_csv_close(cli_csv *csv) {
  free(csv->fields);
  *csv = (cli_csv){0};
}

// The next line. The count stops at INT_MAX: it is for messages, places are counted in bytes.
static void count_line(cli_csv *csv) {
  csv->next_line += csv->next_line < INT_MAX;
}

// The length of the line end at a place: 0 where there is none.
static int line_end(const char *place) {
  if (place[0] == '\r' && place[1] == '\n')
    return 2;
  return place[0] == '\n';
}

static void add_field(cli_csv *csv, char *field) {
  if (csv->field_count == csv->field_capacity) {
    csv->field_capacity = 2 * csv->field_capacity + 16;
    csv->fields = cli_reallocate(csv->fields, (size_t)csv->field_capacity, sizeof(char *));
  }
  csv->fields[csv->field_count++] = field;
}

// Undoes the quotes of a field that begins at csv->place. The text moves
// towards its beginning by the quotes left out; *end is after its last letter.
static char *read_quoted(cli_csv *csv, char **end) {
  char *field = csv->place + 1, *out = field, *in = field;
  for (; *in != '\0'; ++in) {
    if (in[0] == '"' && in[1] == '"')
      ++in;
    else if (in[0] == '"')
      break;
    if (*in == '\n')
      count_line(csv);
    *out++ = *in;
  }

  if (*in == '\0') {
    cli_refuse("%s:%d: column %d: a quote is not closed", csv->path, csv->line,
               csv->field_count + 1);
    return NULL;
  }
  csv->place = in + 1;
  *end = out;
  return field;
}

static char *read_bare(cli_csv *csv, char **end) {
  char *field = csv->place;
  while (*csv->place != '\0' && *csv->place != ',' && line_end(csv->place) == 0)
    ++csv->place;
  *end = csv->place;
  if (memchr(field, '"', (size_t)(*end - field))) {
    cli_refuse("%s:%d: column %d: a quote inside a field that is not quoted", csv->path, csv->line,
               csv->field_count + 1);
    return NULL;
  }
  return field;
}

cli_csv_status cli_csv_next(cli_csv *csv) {
  for (int skip = 0; (skip = line_end(csv->place)) > 0; csv->place += skip)
    count_line(csv);
  if (*csv->place == '\0')
    return CLI_CSV_END;

  csv->line = csv->next_line;
  csv->field_count = 0;
  for (;;) {
    char *end = NULL;
    char *field = *csv->place == '"' ? read_quoted(csv, &end) : read_bare(csv, &end);
    if (!field)
      return CLI_CSV_REFUSED;
    add_field(csv, field);

    // The terminator may overwrite the separator: read it before.
    char separator = *csv->place;
    int skip = line_end(csv->place);
    if (separator != ',' && separator != '\0' && skip == 0) {
      cli_refuse("%s:%d: column %d: characters after a closing quote", csv->path, csv->line,
                 csv->field_count);
      return CLI_CSV_REFUSED;
    }
    csv->place += separator == ',' ? 1 : skip;
    if (skip > 0)
      count_line(csv);
    *end = '\0';
    if (separator != ',')
      return CLI_CSV_RECORD;
  }
}

const char *cli_csv_explain_header(const cli_csv *csv) {
  bool separated = false, blanks = false, numbers = true;
  double value;
  for (int i = 0; i < csv->field_count; ++i) {
    separated = separated || strpbrk(csv->fields[i], ";\t");
    blanks = blanks || csv->fields[i][0] == ' ';
    numbers = numbers && cli_number_parse(csv->fields[i], &value);
  }
  return separated ? "; columns are separated by commas"
         : blanks  ? "; names must not begin with a blank"
         : numbers ? "; the first row must name the columns"
                   : "";
}

char *cli_csv_field(const char *text, bool for_people) {
  char *name = for_people ? cli_text_escaped(text, SINEW_TEXT_PRINTED)
                          : strcpy(cli_allocate(strlen(text) + 1, 1), text);
  if (name[strcspn(name, ",\"\r\n")] == '\0')
    return name;
  char *field = cli_allocate(2 * strlen(name) + 3, 1), *out = field;
  *out++ = '"';
  for (const char *in = name; *in != '\0'; ++in) {
    if (*in == '"')
      *out++ = '"';
    *out++ = *in;
  }
  *out = '"';
  free(name);
  return field;
}

void cli_csv_write_text(FILE *file, const char *text) {
  char *field = cli_csv_field(text, isatty(fileno(file)));
  fputs(field, file);
  free(field);
}
