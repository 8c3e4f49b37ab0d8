// A CSV of any length: blocks are read, cut after their last whole record, and the rest is
// kept for the next block.
#include "csv_stream.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "message.h"

#define BLOCK ((size_t)1 << 18)

// A longer record is taken for a quote that is not closed.
#define LONGEST_RECORD ((size_t)1 << 22)

void cli_csv_stream_open(cli_source *source, cli_csv_stream *stream) {
  *stream = (cli_csv_stream){.source = source, .capacity = BLOCK};
  stream->text = cli_allocate(BLOCK + 1, 1);
  stream->rest = cli_allocate(BLOCK, 1);
  stream->csv = cli_csv_open(source->path, stream->text);
}

void cli_csv_stream_close(cli_csv_stream *stream) {
  if (stream->source)
    cli_csv_close(&stream->csv);
  free(stream->text);
  free(stream->rest);
  *stream = (cli_csv_stream){0};
}

// Length of the whole records at the beginning of a text: up to the last line end that is
// not within quotes. A quote within quotes is two, which changes nothing here.
static size_t whole_records(const char *text, size_t size, bool *open) {
  size_t whole = 0;
  *open = false;
  for (size_t i = 0; i < size; ++i) {
    if (text[i] == '"')
      *open = !*open;
    else if (text[i] == '\n' && !*open)
      whole = i + 1;
  }
  return whole;
}

static cli_csv_status refuse(const cli_csv_stream *stream, const char *fault) {
  cli_refuse("%s:%d: %s", stream->source->path, stream->csv.next_line, fault);
  return CLI_CSV_REFUSED;
}

static void grow(cli_csv_stream *stream) {
  stream->capacity *= 2;
  stream->text = cli_reallocate(stream->text, stream->capacity + 1, 1);
  stream->rest = cli_reallocate(stream->rest, stream->capacity, 1);
}

// Reads on until text holds a whole record, or the file's end.
static cli_csv_status fill(cli_csv_stream *stream) {
  int line = stream->csv.next_line;
  stream->begin = stream->source->place - stream->rest_size;
  bool first = stream->begin == 0;
  size_t size = stream->rest_size, whole = 0;
  if (size > 0)
    memcpy(stream->text, stream->rest, size);
  for (bool open = false, enough = false; !enough;) {
    if (size == stream->capacity)
      grow(stream);
    size_t got = 0, wanted = stream->capacity - size;
    if (cli_source_read(stream->source, stream->text + size, wanted, &got) != CLI_EXIT_DONE)
      return CLI_CSV_REFUSED;
    if (memchr(stream->text + size, '\0', got))
      return refuse(stream, "not a CSV: a zero byte follows");
    size += got;
    stream->ended = got < wanted;
    whole = whole_records(stream->text, size, &open);
    bool endless = whole == 0 && size > LONGEST_RECORD;
    if (endless && !open)
      return refuse(stream, "a line of more than 4 MiB");
    // The reader of the record reports what is wrong with a quote.
    if (stream->ended || endless)
      whole = size;
    enough = whole > 0 || stream->ended;
  }

  stream->rest_size = size - whole;
  memcpy(stream->rest, stream->text + whole, stream->rest_size);
  stream->text[whole] = '\0';
  // Only a file's beginning has a byte order mark to pass over.
  cli_csv next = cli_csv_open(stream->source->path, stream->text);
  stream->csv.text = next.text;
  stream->csv.place = first ? next.place : stream->text;
  stream->csv.next_line = line;
  return CLI_CSV_RECORD;
}

cli_csv_status cli_csv_stream_next(cli_csv_stream *stream) {
  for (;;) {
    char *place = stream->csv.place;
    int line = stream->csv.next_line;
    cli_csv_status status = cli_csv_next(&stream->csv);
    if (status == CLI_CSV_REFUSED) {
      stream->csv.place = place;
      stream->csv.next_line = line;
    }
    if (status != CLI_CSV_END || stream->ended)
      return status;
    if (fill(stream) != CLI_CSV_RECORD)
      return CLI_CSV_REFUSED;
  }
}

uint64_t cli_csv_stream_place(const cli_csv_stream *stream) {
  return stream->begin + (uint64_t)(stream->csv.place - stream->text);
}

int cli_csv_stream_seek(cli_csv_stream *stream, uint64_t place, int line) {
  stream->text[0] = '\0';
  stream->csv.place = stream->text;
  stream->csv.next_line = line;
  stream->begin = place;
  stream->rest_size = 0;
  stream->ended = false;
  return cli_source_seek(stream->source, place);
}
