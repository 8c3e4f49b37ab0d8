/// A CSV of any length, read record by record with little memory.
#ifndef CLI_CSV_STREAM_H
#define CLI_CSV_STREAM_H

#include "csv.h"
#include "source.h"

typedef struct cli_csv_stream {
  cli_source *source;
  cli_csv csv; ///< the current record: fields, field_count, line
  char *text;  ///< whole records, terminated
  size_t capacity;
  uint64_t begin; ///< where text begins in the file
  char *rest;     ///< the beginning of the record after them
  size_t rest_size;
  bool ended; ///< text holds the file's end
} cli_csv_stream;

/// @param source lives as long as the stream
void cli_csv_stream_open(cli_source *source, cli_csv_stream *stream);
void cli_csv_stream_close(cli_csv_stream *stream);

/// Reads the next record into stream->csv, as cli_csv_next(). One that is refused stays the
/// next.
cli_csv_status cli_csv_stream_next(cli_csv_stream *stream);

/// Where the next record begins in the file.
uint64_t cli_csv_stream_place(const cli_csv_stream *stream);

/// Goes to a record of a regular file, by its place and line.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_csv_stream_seek(cli_csv_stream *stream, uint64_t place, int line);

#endif
