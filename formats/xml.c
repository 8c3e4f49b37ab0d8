/// Events of an XML parser to a tree of elements.
///
/// The checks here hold for any parser: nesting, one outermost element, the bounds on depth, number
/// and size, no declarations in a DOCTYPE. The first failure stays: each later call returns it.
#include "xml.h"

#include <string.h>

static sinew_result report(const sinew_xml_reader *reader, sinew_error *error) {
  if (reader->failure.code != SINEW_OK && error != NULL) {
    *error = reader->failure;
  }
  return reader->failure.code;
}

static sinew_result refuse_null_reader(sinew_error *error) {
  return sinew_fail(error, "input", SINEW_ERROR_ARGUMENT, "the reader must not be NULL");
}

sinew_result sinew_xml_reader_begin(sinew_format format, sinew_xml_build_function *build,
                                    const sinew_read_def *def, sinew_xml_reader **reader,
                                    sinew_error *error) {
  sinew_builder builder;
  sinew_pool tree;
  sinew_xml_reader *made = NULL;
  sinew_result result = sinew_builder_begin(&builder, format, def, error);
  sinew_pool_init(&tree, &builder.def.allocator);
  if (result == SINEW_OK) {
    made = sinew_pool_allocate(&tree, 1, sizeof *made);
    // The caller's string may not live until the last event.
    builder.def.name = sinew_pool_copy(&tree, builder.def.name, strlen(builder.def.name));
    if (made == NULL || builder.def.name == NULL) {
      builder.def.name = "input";
      result = sinew_builder_fail_memory(&builder);
    }
  }
  if (result != SINEW_OK) {
    sinew_pool_release(&builder.pool);
    sinew_pool_release(&tree);
    return result;
  }
  made->builder = builder;
  made->builder.error = &made->failure;
  made->tree = tree;
  made->build = build;
  *reader = made;
  return SINEW_OK;
}

void sinew_xml_reader_destroy(sinew_xml_reader *reader) {
  if (reader == NULL) {
    return;
  }
  // The reader is stored in its own pool: copy the pool's record first.
  sinew_pool tree = reader->tree;
  sinew_pool_release(&reader->builder.pool);
  sinew_pool_release(&tree);
}

/// Whether an event can be taken; if not, a failure is set.
static bool is_ready(sinew_xml_reader *reader, int line) {
  if (reader->failure.code == SINEW_OK && reader->finished) {
    sinew_builder_fail(&reader->builder, SINEW_ERROR_ARGUMENT, line, NULL,
                       "the document has been finished: no event may follow");
  }
  return reader->failure.code == SINEW_OK;
}

/// The number of pairs, or -1 where a name or value is missing.
static int count_attributes(const char *const *names_and_values) {
  int count = 0;
  while (names_and_values != NULL && names_and_values[2 * count] != NULL) {
    if (names_and_values[2 * count + 1] == NULL) {
      return -1;
    }
    ++count;
  }
  return count;
}

/// Counts the bytes that an element takes in a text at least: <name/>, and name="value" with a
/// blank before it for each attribute.
static size_t element_bytes(const char *name, const char *const *names_and_values, int count) {
  size_t bytes = strlen(name) + 3;
  for (int i = 0; i < count; ++i) {
    bytes += strlen(names_and_values[2 * i]) + strlen(names_and_values[2 * i + 1]) + 4;
  }
  return bytes;
}

/// Checks a start event against the bounds and the nesting.
static sinew_result check_start(sinew_xml_reader *reader, const char *name,
                                const char *const *names_and_values, int count, int line) {
  sinew_builder *builder = &reader->builder;
  if (name == NULL || name[0] == '\0') {
    return sinew_builder_fail(builder, SINEW_ERROR_ARGUMENT, line, NULL,
                              "an element must have a name");
  }
  if (count < 0) {
    return sinew_builder_fail(builder, SINEW_ERROR_ARGUMENT, line, name,
                              "an attribute of <%s> has no value", name);
  }
  if (reader->root != NULL && reader->open == NULL) {
    return sinew_builder_fail(builder, SINEW_ERROR_SYNTAX, line, name,
                              "<%s> follows the end of the outermost element <%s>", name,
                              reader->root->name);
  }
  if (reader->depth >= builder->def.max_depth) {
    return sinew_builder_fail(builder, SINEW_ERROR_TOO_LARGE, line, name,
                              "elements are nested deeper than %d", builder->def.max_depth);
  }
  if (reader->element_count >= SINEW_XML_MAX_ELEMENTS) {
    return sinew_builder_fail(builder, SINEW_ERROR_TOO_LARGE, line, name,
                              "there are more than %d elements", SINEW_XML_MAX_ELEMENTS);
  }
  reader->bytes += element_bytes(name, names_and_values, count);
  if (reader->bytes > builder->def.max_bytes) {
    return sinew_builder_fail(builder, SINEW_ERROR_TOO_LARGE, line, name,
                              "the elements have more than %zu bytes", builder->def.max_bytes);
  }
  return SINEW_OK;
}

static bool copy_attributes(sinew_xml_reader *reader, sinew_xml_element *element,
                            const char *const *names_and_values, int count) {
  if (count == 0) {
    return true;
  }
  sinew_xml_attribute *attributes =
      sinew_pool_allocate(&reader->tree, (size_t)count, sizeof *attributes);
  if (attributes == NULL) {
    return false;
  }
  for (int i = 0; i < count; ++i) {
    const char *name = names_and_values[2 * i];
    const char *value = names_and_values[2 * i + 1];
    attributes[i].name = sinew_pool_copy(&reader->tree, name, strlen(name));
    attributes[i].value = sinew_pool_copy(&reader->tree, value, strlen(value));
    if (attributes[i].name == NULL || attributes[i].value == NULL) {
      return false;
    }
  }
  element->attributes = attributes;
  element->attribute_count = count;
  return true;
}

static void append_element(sinew_xml_reader *reader, sinew_xml_element *element) {
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
  reader->depth += 1;
  reader->element_count += 1;
}

sinew_result sinew_xml_reader_start(sinew_xml_reader *reader, const char *name,
                                    const char *const *attributes, int line, sinew_error *error) {
  if (reader == NULL) {
    return refuse_null_reader(error);
  }
  const int count = count_attributes(attributes);
  if (!is_ready(reader, line) || check_start(reader, name, attributes, count, line) != SINEW_OK) {
    return report(reader, error);
  }
  sinew_xml_element *element = sinew_pool_allocate(&reader->tree, 1, sizeof *element);
  if (element != NULL) {
    element->name = sinew_pool_copy(&reader->tree, name, strlen(name));
    element->line = line;
  }
  if (element == NULL || element->name == NULL ||
      !copy_attributes(reader, element, attributes, count)) {
    sinew_builder_fail_memory(&reader->builder);
    return report(reader, error);
  }
  append_element(reader, element);
  return SINEW_OK;
}

sinew_result sinew_xml_reader_end(sinew_xml_reader *reader, const char *name, int line,
                                  sinew_error *error) {
  if (reader == NULL) {
    return refuse_null_reader(error);
  }
  if (!is_ready(reader, line)) {
    return report(reader, error);
  }
  const sinew_xml_element *open = reader->open;
  if (name == NULL) {
    sinew_builder_fail(&reader->builder, SINEW_ERROR_ARGUMENT, line, NULL,
                       "an element must have a name");
  } else if (open == NULL) {
    sinew_builder_fail(&reader->builder, SINEW_ERROR_SYNTAX, line, name,
                       "</%s> ends an element that did not start", name);
  } else if (strcmp(open->name, name) != 0) {
    sinew_builder_fail(&reader->builder, SINEW_ERROR_SYNTAX, line, open->name,
                       "expected </%s>, the end of the element of line %d, found </%s>", open->name,
                       open->line, name);
  } else {
    reader->open = reader->open->parent;
    reader->depth -= 1;
  }
  return report(reader, error);
}

sinew_result sinew_xml_reader_doctype(sinew_xml_reader *reader, const char *name,
                                      bool has_declarations, int line, sinew_error *error) {
  if (reader == NULL) {
    return refuse_null_reader(error);
  }
  // Declarations can define entities and default attributes that expand without bound.
  if (is_ready(reader, line) && has_declarations) {
    sinew_builder_fail(&reader->builder, SINEW_ERROR_UNSUPPORTED, line, name,
                       "declarations in the document type (DOCTYPE) are not supported");
  }
  return report(reader, error);
}

sinew_result sinew_xml_reader_finish(sinew_xml_reader *reader, sinew_document **document,
                                     sinew_error *error) {
  if (document != NULL) {
    *document = NULL;
  }
  if (reader == NULL) {
    return refuse_null_reader(error);
  }
  sinew_builder *builder = &reader->builder;
  if (!is_ready(reader, 0)) {
    return report(reader, error);
  }
  sinew_result result = SINEW_OK;
  if (document == NULL) {
    result = sinew_builder_fail(builder, SINEW_ERROR_ARGUMENT, 0, "document", "must not be NULL");
  } else if (reader->root == NULL) {
    result = sinew_builder_fail(builder, SINEW_ERROR_SYNTAX, 0, NULL, "there is no element");
  } else if (reader->open != NULL) {
    result = sinew_builder_fail(builder, SINEW_ERROR_SYNTAX, reader->open->line, reader->open->name,
                                "the document ends before </%s>", reader->open->name);
  } else {
    result = reader->build(builder, &reader->tree, reader->root);
  }
  result = sinew_builder_finish(builder, result, document);
  reader->finished = true;
  return report(reader, error);
}

sinew_result sinew_xml_read(sinew_format format, sinew_xml_build_function *build, const char *text,
                            size_t size, const sinew_read_def *def, sinew_document **document,
                            sinew_error *error) {
  if (document != NULL) {
    *document = NULL;
  }
  sinew_xml_reader *reader = NULL;
  sinew_result result = sinew_xml_reader_begin(format, build, def, &reader, error);
  if (result != SINEW_OK) {
    return result;
  }
  result = sinew_builder_check_text(&reader->builder, text, size);
  if (result == SINEW_OK) {
    result = sinew_xml_parse(reader, text, size);
  }
  result =
      result == SINEW_OK ? sinew_xml_reader_finish(reader, document, error) : report(reader, error);
  sinew_xml_reader_destroy(reader);
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
