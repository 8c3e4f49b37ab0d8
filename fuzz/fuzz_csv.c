// Any bytes as a CSV: the reader of a whole text and the reader of a file in blocks give the
// records, lines and refusals that a plain reader of RFC 4180 gives, also from any record on.
// Records are the same after they have been written and read again.
#include "cli/command.h"
#include "cli/csv_stream.h"
#include "cli/message.h"
#include "cli/number.h"
#include "messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Blocks of csv_stream.c, and how often an input is put where one ends: this costs time.
#define BLOCK ((size_t)1 << 18)
#define SELDOM 64

static void require(bool holds) {
  if (!holds)
    abort();
}

// Any number that depends on all bytes.
static size_t hash_of(const uint8_t *data, size_t size) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ data[i]) * 1099511628211u;
  return (size_t)(hash >> 16);
}

// What a reader says, as a text: each record with its line and the length and bytes of its fields,
// and how it ended.
typedef struct transcript {
  char *text;
  size_t size;
  size_t records; // that are whole
  FILE *file;
} transcript;

static transcript *transcript_open(void) {
  transcript *t = cli_allocate(1, sizeof *t);
  t->file = open_memstream(&t->text, &t->size);
  require(t->file);
  return t;
}

static void add_field(transcript *t, const char *field, size_t size) {
  fprintf(t->file, " %zu:", size);
  fwrite(field, 1, size, t->file);
}

static void transcript_end(transcript *t, bool refused) {
  fprintf(t->file, "%s\n", refused ? "refused" : "end");
  require(fclose(t->file) == 0);
}

static void transcript_close(transcript *t) {
  free(t->text);
  free(t);
}

static bool same(const transcript *a, const transcript *b) {
  return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

static void add_record(transcript *t, const cli_csv *csv) {
  fprintf(t->file, "line %d", csv->line);
  for (int i = 0; i < csv->field_count; ++i)
    add_field(t, csv->fields[i], strlen(csv->fields[i]));
  fputc('\n', t->file);
  ++t->records;
}

// ---- the plain reader ----

// The length of the line end at a place.
static size_t line_end(const char *text, size_t size, size_t at) {
  if (at < size && text[at] == '\n')
    return 1;
  return at + 1 < size && text[at] == '\r' && text[at + 1] == '\n' ? 2 : 0;
}

// A field in quotes that begins at *at. Returns whether it is well formed.
static bool plain_quoted(const char *text, size_t size, size_t *at, int *line, transcript *t) {
  char *field = cli_allocate(size + 1, 1);
  size_t used = 0, i = *at + 1;
  bool closed = false;
  for (; i < size && !closed; ++i) {
    const bool doubled = text[i] == '"' && i + 1 < size && text[i + 1] == '"';
    closed = text[i] == '"' && !doubled;
    i += doubled;
    *line += text[i] == '\n';
    if (!closed)
      field[used++] = text[i];
  }
  add_field(t, field, used);
  free(field);
  *at = i;
  return closed && (i == size || text[i] == ',' || line_end(text, size, i) > 0);
}

static bool plain_bare(const char *text, size_t size, size_t *at, transcript *t) {
  const size_t begin = *at;
  while (*at < size && text[*at] != ',' && line_end(text, size, *at) == 0)
    ++*at;
  add_field(t, text + begin, *at - begin);
  return memchr(text + begin, '"', *at - begin) == NULL;
}

// A record that begins at *at. Returns whether it is well formed.
static bool plain_record(const char *text, size_t size, size_t *at, int *line, transcript *t) {
  for (;;) {
    if (!(*at < size && text[*at] == '"' ? plain_quoted(text, size, at, line, t)
                                         : plain_bare(text, size, at, t)))
      return false;
    if (*at == size || text[*at] != ',')
      break;
    ++*at;
  }
  const size_t end = line_end(text, size, *at);
  *line += end > 0;
  *at += end;
  return true;
}

static transcript *read_plain(const char *text, size_t size) {
  transcript *t = transcript_open();
  size_t at = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  int line = 1;
  bool refused = false;
  while (!refused) {
    for (size_t skip; (skip = line_end(text, size, at)) > 0; at += skip)
      ++line;
    if (at == size)
      break;
    // Fields of a record that is refused are not shown.
    transcript *record = transcript_open();
    fprintf(record->file, "line %d", line);
    refused = !plain_record(text, size, &at, &line, record);
    fputc('\n', record->file);
    require(fclose(record->file) == 0);
    if (!refused)
      fwrite(record->text, 1, record->size, t->file);
    transcript_close(record);
  }
  transcript_end(t, refused);
  return t;
}

// ---- the readers of the program ----

// A number is finite, the C library's, and the same after it has been written and read again.
static void check_number(const char *field) {
  double value, again;
  char text[CLI_NUMBER_SIZE];
  if (!cli_number_parse(field, &value))
    return;
  require(isfinite(value) && value == strtod(field, NULL));
  cli_number_format(value, text);
  require(cli_number_parse(text, &again) && memcmp(&value, &again, sizeof value) == 0);
}

// Writes the record and reads it again. A line end at the beginning, since a byte order mark there
// would be passed over; a record of one empty field would be an empty line.
static void check_record(const cli_csv *csv) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  require(file);
  fputc('\n', file);
  for (int i = 0; i < csv->field_count; ++i) {
    char *field = cli_csv_field(csv->fields[i], false);
    fprintf(file, "%s%s", i > 0 ? "," : "", field);
    free(field);
    check_number(csv->fields[i]);
  }
  fputc('\n', file);
  require(fclose(file) == 0);
  cli_csv again = cli_csv_open("again.csv", text);
  if (csv->field_count > 1 || csv->fields[0][0] != '\0') {
    require(cli_csv_next(&again) == CLI_CSV_RECORD && again.field_count == csv->field_count);
    for (int i = 0; i < csv->field_count; ++i)
      require(strcmp(again.fields[i], csv->fields[i]) == 0);
  }
  require(cli_csv_next(&again) == CLI_CSV_END);
  cli_csv_close(&again);
  free(text);
}

static transcript *read_whole(const char *text, size_t size) {
  transcript *t = transcript_open();
  char *copy = cli_allocate(size + 1, 1);
  memcpy(copy, text, size);
  cli_csv csv = cli_csv_open("fuzz.csv", copy);
  cli_csv_status status;
  messages_keep();
  while ((status = cli_csv_next(&csv)) == CLI_CSV_RECORD) {
    add_record(t, &csv);
    check_record(&csv);
  }
  require(messages_check(status == CLI_CSV_REFUSED) == 0);
  transcript_end(t, status == CLI_CSV_REFUSED);
  cli_csv_close(&csv);
  free(copy);
  return t;
}

static cli_csv_status read_records(cli_csv_stream *stream, transcript *t) {
  cli_csv_status status;
  messages_keep();
  while ((status = cli_csv_stream_next(stream)) == CLI_CSV_RECORD)
    add_record(t, &stream->csv);
  require(messages_check(status == CLI_CSV_REFUSED) == 0);
  transcript_end(t, status == CLI_CSV_REFUSED);
  return status;
}

// After so many records the place and the line are as they are noted, and the rest is read from
// there by another stream.
static void resume(cli_source *source, size_t records, const transcript *all) {
  cli_csv_stream stream;
  transcript *t = transcript_open();
  size_t skipped = 0;
  require(cli_source_seek(source, 0) == CLI_EXIT_DONE);
  cli_csv_stream_open(source, &stream);
  while (skipped < records) {
    require(cli_csv_stream_next(&stream) == CLI_CSV_RECORD);
    ++skipped;
    add_record(t, &stream.csv);
  }
  const uint64_t place = cli_csv_stream_place(&stream);
  const int line = stream.csv.next_line;
  cli_csv_stream_close(&stream);
  cli_csv_stream_open(source, &stream);
  require(cli_csv_stream_seek(&stream, place, line) == CLI_EXIT_DONE);
  read_records(&stream, t);
  require(same(t, all));
  cli_csv_stream_close(&stream);
  transcript_close(t);
}

// Reads the bytes as a file, and again from one of its records on.
// @param plain what a plain reader says; with a zero byte among them, the beginning of it
static void check_file(const char *text, size_t size, size_t any, const transcript *plain) {
  const int file = memfd_create("fuzz.csv", MFD_CLOEXEC);
  require(file >= 0 && write(file, text, size) == (ssize_t)size && lseek(file, 0, SEEK_SET) == 0);
  cli_source source = {.path = "fuzz.csv", .file = file, .regular = true, .size = size};
  cli_csv_stream stream;
  transcript *t = transcript_open();
  cli_csv_stream_open(&source, &stream);
  const cli_csv_status status = read_records(&stream, t);
  cli_csv_stream_close(&stream);
  if (memchr(text, '\0', size)) {
    require(status == CLI_CSV_REFUSED);
    const size_t before = t->size - strlen("refused\n");
    require(before <= plain->size && memcmp(t->text, plain->text, before) == 0);
  } else {
    require(same(t, plain));
    resume(&source, any % (t->records + 1), t);
  }
  transcript_close(t);
  cli_source_close(&source);
}

static void check(const char *text, size_t size, size_t any) {
  const char *zero = memchr(text, '\0', size);
  const size_t before_zero = zero ? (size_t)(zero - text) : size;
  transcript *plain = read_plain(text, before_zero), *whole = read_whole(text, before_zero);
  require(same(plain, whole));
  check_file(text, size, any, plain);
  transcript_close(whole);
  transcript_close(plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const size_t any = hash_of(data, size);
  char *text = cli_allocate(BLOCK + size, 1);
  if (size > 0)
    memcpy(text, data, size);
  check(text, size, any / SELDOM);
  if (any % SELDOM == 0 && size < BLOCK) {
    // Empty lines before it, so that a block ends at any of its bytes.
    const size_t shift = BLOCK - any / SELDOM % (size + 1);
    memset(text, '\n', shift);
    if (size > 0)
      memcpy(text + shift, data, size);
    check(text, shift + size, any / SELDOM);
  }
  free(text);
  return 0;
}
