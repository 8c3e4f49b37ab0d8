// Any events of an XML parser, as a URDF: the reader refuses them with a message, which later calls
// repeat, or returns a document whose model can be created.
//
// A line is an event: "<name|attribute|value|..." a start, ">name" an end, "!name" a document type,
// "?name" one with declarations; other lines are the end of the input.
#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_FIELDS 64

static void require(int holds) {
  if (!holds) {
    abort();
  }
}

// Splits a terminated line at its bars; the fields end with NULL.
static void split(char *line, const char *fields[MOST_FIELDS + 1]) {
  int count = 0;
  for (char *at = line; at != NULL && count < MOST_FIELDS; ++count) {
    fields[count] = at;
    at = strchr(at, '|');
    if (at != NULL) {
      *at++ = '\0';
    }
  }
  fields[count] = NULL;
}

static sinew_result pass(sinew_xml_reader *reader, char *line, int number, sinew_error *error) {
  const char *fields[MOST_FIELDS + 1];
  split(line + 1, fields);
  switch (line[0]) {
  case '<':
    return sinew_xml_reader_start(reader, fields[0], &fields[1], number, error);
  case '>':
    return sinew_xml_reader_end(reader, fields[0], number, error);
  default:
    return sinew_xml_reader_doctype(reader, fields[0], line[0] == '?', number, error);
  }
}

static void check_document(const sinew_document *document) {
  sinew_model *model = NULL;
  require(document->format == SINEW_FORMAT_URDF);
  require(sinew_model_create(&document->model, &model, NULL) == SINEW_OK);
  sinew_model_destroy(model);
}

// Passes all lines; text is terminated and is changed.
static void pass_all(sinew_xml_reader *reader, char *text) {
  sinew_document *document = NULL;
  sinew_error error, first;
  sinew_result result = SINEW_OK;
  memset(&error, 0, sizeof error);
  memset(&first, 0, sizeof first);
  int number = 0;
  for (char *line = text; line != NULL && *line != '\0' && strchr("<>!?", *line) != NULL;) {
    char *next = strchr(line, '\n');
    if (next != NULL) {
      *next++ = '\0';
    }
    const sinew_result now = pass(reader, line, ++number, &error);
    require(result == SINEW_OK || now == result);
    if (now != SINEW_OK && result == SINEW_OK) {
      require(error.code == now && error.line == number && error.message[0] != '\0');
      first = error;
    }
    result = now;
    line = next;
  }
  const sinew_result end = sinew_xml_reader_finish(reader, &document, &error);
  require(result == SINEW_OK || (end == result && strcmp(error.message, first.message) == 0));
  require((end == SINEW_OK) == (document != NULL));
  if (document != NULL) {
    check_document(document);
  }
  sinew_document_destroy(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  sinew_xml_reader *reader = NULL;
  sinew_read_def def = sinew_default_read_def();
  def.max_depth = 32;
  def.max_bytes = 65536;
  require(text != NULL);
  if (size > 0) {
    memcpy(text, data, size);
  }
  text[size] = '\0';
  require(sinew_xml_reader_create(SINEW_FORMAT_URDF, &def, &reader, NULL) == SINEW_OK);
  pass_all(reader, text);
  sinew_xml_reader_destroy(reader);
  free(text);
  return 0;
}
