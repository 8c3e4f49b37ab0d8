/// An XML text as a tree of elements, by expat without its namespace
/// processing: many robots use prefixes that they never declare.
#include "xml.h"

#include <limits.h>
#include <string.h>

/// Bytes that are handed to expat in one call: its lengths are int. As much as
/// possible at a time, for a token that is cut is scanned again from its start.
#define SINEW_XML_PIECE ((size_t)INT_MAX / 2)

typedef struct sinew_xml_reader {
  sinew_builder *builder;
  sinew_pool *pool;
  XML_Parser parser;
  sinew_xml_element *root, *open; ///< open: the innermost that is not closed
  int depth, element_count;
  sinew_result result; ///< of the handlers
} sinew_xml_reader;

static int current_line(const sinew_xml_reader *reader) {
  XML_Size line = XML_GetCurrentLineNumber(reader->parser);
  return line > INT_MAX ? INT_MAX : (int)line;
}

static void stop(sinew_xml_reader *reader, sinew_result result) {
  reader->result = result;
  (void)XML_StopParser(reader->parser, XML_FALSE);
}

static int copy_attributes(sinew_xml_reader *reader, sinew_xml_element *element,
                           const XML_Char **names_and_values) {
  int count = 0;
  while (names_and_values[2 * count] != NULL) {
    ++count;
  }
  if (count == 0) {
    return 1;
  }
  sinew_xml_attribute *attributes =
      sinew_pool_allocate(reader->pool, (size_t)count, sizeof *attributes);
  if (attributes == NULL) {
    return 0;
  }
  for (int i = 0; i < count; ++i) {
    const char *name = names_and_values[2 * i];
    const char *value = names_and_values[2 * i + 1];
    attributes[i].name = sinew_pool_copy(reader->pool, name, strlen(name));
    attributes[i].value = sinew_pool_copy(reader->pool, value, strlen(value));
    if (attributes[i].name == NULL || attributes[i].value == NULL) {
      return 0;
    }
  }
  element->attributes = attributes;
  element->attribute_count = count;
  return 1;
}

static void hang_into_tree(sinew_xml_reader *reader, sinew_xml_element *element) {
  element->parent = reader->open;
  if (reader->open == NULL) {
    reader->root = element;
  } else if (reader->open->last_child == NULL) {
    reader->open->first_child = element;
    reader->open->last_child = element;
  } else {
    reader->open->last_child->next = element;
    reader->open->last_child = element;
  }
  reader->open = element;
}

static void XMLCALL on_start(void *context, const XML_Char *name,
                             const XML_Char **names_and_values) {
  sinew_xml_reader *reader = context;
  if (reader->result != SINEW_OK) {
    return;
  }
  int line = current_line(reader);
  int max_depth = reader->builder->def.max_depth;
  if (reader->depth >= max_depth) {
    stop(reader, sinew_builder_fail(reader->builder, SINEW_ERROR_TOO_LARGE, line, name,
                                    "elements are nested deeper than %d", max_depth));
    return;
  }
  if (reader->element_count >= SINEW_XML_MAX_ELEMENTS) {
    stop(reader, sinew_builder_fail(reader->builder, SINEW_ERROR_TOO_LARGE, line, name,
                                    "there are more than %d elements", SINEW_XML_MAX_ELEMENTS));
    return;
  }
  sinew_xml_element *element = sinew_pool_allocate(reader->pool, 1, sizeof *element);
  if (element != NULL) {
    element->name = sinew_pool_copy(reader->pool, name, strlen(name));
    element->line = line;
  }
  if (element == NULL || element->name == NULL ||
      !copy_attributes(reader, element, names_and_values)) {
    stop(reader, sinew_builder_fail_memory(reader->builder));
    return;
  }
  hang_into_tree(reader, element);
  reader->depth += 1;
  reader->element_count += 1;
}

static void XMLCALL on_end(void *context, const XML_Char *name) {
  sinew_xml_reader *reader = context;
  (void)name;
  if (reader->result == SINEW_OK) {
    reader->open = reader->open->parent;
    reader->depth -= 1;
  }
}

/// An internal subset can declare entities that grow without bound when they
/// are used, and default attributes that do so too.
static void XMLCALL on_doctype(void *context, const XML_Char *name, const XML_Char *system_id,
                               const XML_Char *public_id, int has_internal_subset) {
  sinew_xml_reader *reader = context;
  (void)system_id;
  (void)public_id;
  if (has_internal_subset && reader->result == SINEW_OK) {
    stop(reader,
         sinew_builder_fail(reader->builder, SINEW_ERROR_UNSUPPORTED, current_line(reader), name,
                            "declarations within a document type (DOCTYPE) are not read"));
  }
}

/// Fills the error from what expat, or a handler, found wrong.
static sinew_result fail_from_parser(sinew_xml_reader *reader) {
  if (reader->result != SINEW_OK) {
    return reader->result;
  }
  enum XML_Error code = XML_GetErrorCode(reader->parser);
  if (code == XML_ERROR_NO_MEMORY) {
    return sinew_builder_fail_memory(reader->builder);
  }
  return sinew_builder_fail(reader->builder, SINEW_ERROR_SYNTAX, current_line(reader),
                            reader->open != NULL ? reader->open->name : NULL,
                            "not well-formed XML: %s", XML_ErrorString(code));
}

static sinew_result feed(sinew_xml_reader *reader, const char *text, size_t size, int is_last) {
  do {
    size_t piece = size < SINEW_XML_PIECE ? size : SINEW_XML_PIECE;
    int is_final = is_last && piece == size;
    if (XML_Parse(reader->parser, text, (int)piece, is_final) != XML_STATUS_OK) {
      return fail_from_parser(reader);
    }
    text += piece;
    size -= piece;
  } while (size > 0);
  return SINEW_OK;
}

/// Hands over as many blanks and line ends as the text has, so that all that
/// follows keeps its line.
static sinew_result feed_blanks(sinew_xml_reader *reader, const char *text, size_t size) {
  sinew_result result = SINEW_OK;
  for (size_t i = 0; i < size && result == SINEW_OK; ++i) {
    result = feed(reader, text[i] == '\n' || text[i] == '\r' ? &text[i] : " ", 1, 0);
  }
  return result;
}

static int starts_with(const char *text, size_t size, const char *prefix) {
  size_t length = strlen(prefix);
  return size >= length && memcmp(text, prefix, length) == 0;
}

/// The bytes up to and with the first end in text; 0: not there.
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

/// The length of the white space, comment, instruction or declaration that
/// text starts with; 0: it starts with something else.
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

/// Hands over what stands before the first element, item by item, blanks in
/// place of a declaration that expat would refuse.
/// @param consumed receives the length of it
static sinew_result feed_prolog(sinew_xml_reader *reader, const char *text, size_t size,
                                size_t *consumed) {
  sinew_result result = SINEW_OK;
  size_t start = starts_with(text, size, "\xEF\xBB\xBF") ? 3 : 0; // byte order mark
  size_t at = start;
  if (start > 0) {
    result = feed(reader, text, start, 0);
  }
  size_t length;
  while (result == SINEW_OK && (length = prolog_item_length(text + at, size - at)) > 0) {
    const char *item = text + at;
    if (!is_declaration(item, length) ||
        (at == start && length_through(item, length, "version") > 0)) {
      result = feed(reader, item, length, 0);
    } else {
      result = sinew_builder_warn(reader->builder, line_at(text, at), "?xml",
                                  "the XML declaration is not at the very start, or has no "
                                  "version; it is read past");
      if (result == SINEW_OK) {
        result = feed_blanks(reader, item, length);
      }
    }
    at += length;
  }
  *consumed = at;
  return result;
}

sinew_result sinew_xml_read(sinew_builder *builder, sinew_pool *pool, const char *text, size_t size,
                            const XML_Memory_Handling_Suite *memory, sinew_xml_element **root) {
  sinew_xml_reader reader;
  memset(&reader, 0, sizeof reader);
  reader.builder = builder;
  reader.pool = pool;
  reader.parser = XML_ParserCreate_MM(NULL, memory, NULL);
  if (reader.parser == NULL) {
    return sinew_builder_fail_memory(builder);
  }
  XML_SetUserData(reader.parser, &reader);
  XML_SetElementHandler(reader.parser, on_start, on_end);
  XML_SetStartDoctypeDeclHandler(reader.parser, on_doctype);

  while (size > 0 && text[size - 1] == '\0') {
    --size;
  }
  size_t consumed = 0;
  sinew_result result = feed_prolog(&reader, text, size, &consumed);
  if (result == SINEW_OK) {
    result = feed(&reader, text + consumed, size - consumed, 1);
  }
  XML_ParserFree(reader.parser);
  *root = reader.root;
  return result;
}

const char *sinew_xml_attribute_find(const sinew_xml_element *element, const char *name) {
  for (int i = 0; i < element->attribute_count; ++i) {
    if (strcmp(element->attributes[i].name, name) == 0) {
      return element->attributes[i].value;
    }
  }
  return NULL;
}

/// The first of the siblings from element on with a name (NULL: any).
static const sinew_xml_element *first_named(const sinew_xml_element *element, const char *name) {
  while (element != NULL && name != NULL && strcmp(element->name, name) != 0) {
    element = element->next;
  }
  return element;
}

const sinew_xml_element *sinew_xml_child(const sinew_xml_element *element, const char *name) {
  return first_named(element->first_child, name);
}

const sinew_xml_element *sinew_xml_next(const sinew_xml_element *element, const char *name) {
  return first_named(element->next, name);
}
