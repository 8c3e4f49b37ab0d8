/// expat as the library's XML parser, without its namespace processing: many robots use prefixes
/// that they never declare.
#include "xml_expat.h"

#include <limits.h>
#include <string.h>

/// Bytes that are passed to expat in one call: its lengths are int. Pieces are as large as possible
/// because a token that is cut is scanned again from its start.
#define SINEW_XML_PIECE ((size_t)INT_MAX / 2)

typedef struct expat_source {
  sinew_xml_reader *reader;
  XML_Parser parser;
} expat_source;

static int current_line(const expat_source *source) {
  XML_Size line = XML_GetCurrentLineNumber(source->parser);
  return line > INT_MAX ? INT_MAX : (int)line;
}

static void stop_if_failed(const expat_source *source, sinew_result result) {
  if (result != SINEW_OK) {
    (void)XML_StopParser(source->parser, XML_FALSE);
  }
}

static void XMLCALL on_start(void *context, const XML_Char *name,
                             const XML_Char **names_and_values) {
  const expat_source *source = context;
  stop_if_failed(source, sinew_xml_reader_start(source->reader, name, names_and_values,
                                                current_line(source), NULL));
}

static void XMLCALL on_end(void *context, const XML_Char *name) {
  const expat_source *source = context;
  stop_if_failed(source, sinew_xml_reader_end(source->reader, name, current_line(source), NULL));
}

static void XMLCALL on_doctype(void *context, const XML_Char *name, const XML_Char *system_id,
                               const XML_Char *public_id, int has_internal_subset) {
  const expat_source *source = context;
  (void)system_id;
  (void)public_id;
  stop_if_failed(source, sinew_xml_reader_doctype(source->reader, name, has_internal_subset != 0,
                                                  current_line(source), NULL));
}

/// Returns the failure of an event, or fills the error from what expat found.
static sinew_result fail_from_parser(const expat_source *source) {
  sinew_xml_reader *reader = source->reader;
  if (reader->failure.code != SINEW_OK) {
    return reader->failure.code;
  }
  enum XML_Error code = XML_GetErrorCode(source->parser);
  if (code == XML_ERROR_NO_MEMORY) {
    return sinew_builder_fail_memory(&reader->builder);
  }
  return sinew_builder_fail(&reader->builder, SINEW_ERROR_SYNTAX, current_line(source),
                            reader->open != NULL ? reader->open->name : NULL,
                            "not well-formed XML: %s", XML_ErrorString(code));
}

static sinew_result feed(const expat_source *source, const char *text, size_t size, int is_last) {
  do {
    size_t piece = size < SINEW_XML_PIECE ? size : SINEW_XML_PIECE;
    int is_final = is_last && piece == size;
    if (XML_Parse(source->parser, text, (int)piece, is_final) != XML_STATUS_OK) {
      return fail_from_parser(source);
    }
    text += piece;
    size -= piece;
  } while (size > 0);
  return SINEW_OK;
}

/// Passes as many blanks and line ends as the text has, so that all that follows keeps its line.
static sinew_result feed_blanks(const expat_source *source, const char *text, size_t size) {
  sinew_result result = SINEW_OK;
  for (size_t i = 0; i < size && result == SINEW_OK; ++i) {
    result = feed(source, text[i] == '\n' || text[i] == '\r' ? &text[i] : " ", 1, 0);
  }
  return result;
}

static int starts_with(const char *text, size_t size, const char *prefix) {
  size_t length = strlen(prefix);
  return size >= length && memcmp(text, prefix, length) == 0;
}

/// The length of text up to and including the first occurrence of end; 0 if there is none.
static size_t length_through(const char *text, size_t size, const char *end) {
  size_t length = strlen(end);
  for (size_t i = 0; i + length <= size; ++i) {
    if (memcmp(text + i, end, length) == 0) {
      return i + length;
    }
  }
  return 0;
}

static size_t white_space_length(const char *text, size_t size) {
  size_t i = 0;
  while (i < size && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r')) {
    ++i;
  }
  return i;
}

/// The length of the white space, comment, instruction or declaration at the start of text; 0 if it
/// starts with something else.
static size_t prolog_item_length(const char *text, size_t size) {
  size_t length = white_space_length(text, size);
  if (length > 0) {
    return length;
  }
  if (starts_with(text, size, "<!--")) {
    return length_through(text, size, "-->");
  }
  if (starts_with(text, size, "<?")) {
    return length_through(text, size, "?>");
  }
  return 0;
}

static int is_declaration(const char *text, size_t size) {
  return starts_with(text, size, "<?xml") && size > 5 &&
         (white_space_length(text + 5, size - 5) > 0 || text[5] == '?');
}

static int line_at(const char *text, size_t at) {
  int line = 1;
  for (size_t i = 0; i < at && line < INT_MAX; ++i) {
    line += text[i] == '\n';
  }
  return line;
}

/// Passes what stands before the first element, item by item, with blanks in place of a declaration
/// that expat would refuse.
/// @param consumed receives its length
static sinew_result feed_prolog(const expat_source *source, const char *text, size_t size,
                                size_t *consumed) {
  sinew_result result = SINEW_OK;
  size_t start = starts_with(text, size, "\xEF\xBB\xBF") ? 3 : 0; // byte order mark
  size_t at = start;
  if (start > 0) {
    result = feed(source, text, start, 0);
  }
  size_t length;
  while (result == SINEW_OK && (length = prolog_item_length(text + at, size - at)) > 0) {
    const char *item = text + at;
    if (!is_declaration(item, length) ||
        (at == start && length_through(item, length, "version") > 0)) {
      result = feed(source, item, length, 0);
    } else {
      result = sinew_builder_warn(&source->reader->builder, line_at(text, at), "?xml",
                                  "the XML declaration is not at the very start, or has no "
                                  "version; it is ignored");
      if (result == SINEW_OK) {
        result = feed_blanks(source, item, length);
      }
    }
    at += length;
  }
  *consumed = at;
  return result;
}

sinew_result sinew_xml_expat_parse(sinew_xml_reader *reader, const char *text, size_t size,
                                   const XML_Memory_Handling_Suite *memory) {
  expat_source source = {reader, XML_ParserCreate_MM(NULL, memory, NULL)};
  if (source.parser == NULL) {
    return sinew_builder_fail_memory(&reader->builder);
  }
  XML_SetUserData(source.parser, &source);
  XML_SetElementHandler(source.parser, on_start, on_end);
  XML_SetStartDoctypeDeclHandler(source.parser, on_doctype);

  while (size > 0 && text[size - 1] == '\0') {
    --size;
  }
  size_t consumed = 0;
  sinew_result result = feed_prolog(&source, text, size, &consumed);
  if (result == SINEW_OK) {
    result = feed(&source, text + consumed, size - consumed, 1);
  }
  XML_ParserFree(source.parser);
  return result;
}

sinew_result sinew_xml_parse(sinew_xml_reader *reader, const char *text, size_t size) {
  return sinew_xml_expat_parse(reader, text, size, NULL);
}
