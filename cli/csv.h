/// Comma-separated values (RFC 4180), read and written a record at a
/// time.
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// A text that is read record by record. Quotes are undone in place.
typedef struct cli_csv {
  const char *path; ///< for messages
  char *text;       ///< terminated; belongs to the caller and is changed
  char *place;      ///< where the next record begins
  int next_line;    ///< its line
  int line;         ///< the line of the current record
  char **fields;    ///< of the current record
  int field_count;
  int field_capacity;
} cli_csv;

/// @param text terminated; lives as long as the reader
cli_csv cli_csv_open(const char *path, char *text);
void cli_csv_close(cli_csv *csv);

typedef enum cli_csv_status {
  CLI_CSV_END,
  CLI_CSV_RECORD,
  CLI_CSV_REFUSED ///< not well formed; a message was printed
} cli_csv_status;

/// Reads the next record; empty lines are skipped.
cli_csv_status cli_csv_next(cli_csv *csv);

/// What is probably wrong with a header that has an unknown column, as the end of a message: other
/// separators than commas, or no header at all; else an empty text.
const char *cli_csv_explain_header(const cli_csv *csv);

/// A text as a field, in quotes where it needs them; free() it.
/// @param for_people with escapes: what is read on a terminal
char *cli_csv_field(const char *text, bool for_people);

/// Writes a field; the caller writes the commas and the line ends.
void cli_csv_write_text(FILE *file, const char *text);

#endif
