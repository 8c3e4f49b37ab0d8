// Files: a URDF by the events of an XML parser, a BVH by its text.
#include "module.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ATTRIBUTES 256

static sinew_read_def read_def(const char *name, int floating_base) {
  sinew_read_def def = sinew_default_read_def();
  def.name = name;
  def.floating_base = floating_base != 0;
  return def;
}

EXPORT(xml_create)
int web_xml_create(const char *name, int floating_base, sinew_xml_reader **reader) {
  const sinew_read_def def = read_def(name, floating_base);
  return sinew_xml_reader_create(SINEW_FORMAT_URDF, &def, reader, &web_error);
}

// @param words the element's name, then names and values of its attributes, each terminated
EXPORT(xml_start)
int web_xml_start(sinew_xml_reader *reader, const char *words, int attributes, int line) {
  const char *pointers[2 * MOST_ATTRIBUTES + 1];
  if (attributes < 0 || attributes > MOST_ATTRIBUTES)
    return web_fail_with(SINEW_ERROR_TOO_LARGE, "an element has more than 256 attributes");
  const char *word = words;
  for (int i = 0; i < 2 * attributes; ++i)
    pointers[i] = word += strlen(word) + 1;
  pointers[2 * attributes] = NULL;
  return sinew_xml_reader_start(reader, words, pointers, line, &web_error);
}

EXPORT(xml_end) int web_xml_end(sinew_xml_reader *reader, const char *name, int line) {
  return sinew_xml_reader_end(reader, name, line, &web_error);
}

EXPORT(xml_doctype)
int web_xml_doctype(sinew_xml_reader *reader, const char *name, int has_declarations, int line) {
  return sinew_xml_reader_doctype(reader, name, has_declarations != 0, line, &web_error);
}

EXPORT(xml_finish) int web_xml_finish(sinew_xml_reader *reader, sinew_document **document) {
  return sinew_xml_reader_finish(reader, document, &web_error);
}

EXPORT(xml_destroy) void web_xml_destroy(sinew_xml_reader *reader) {
  sinew_xml_reader_destroy(reader);
}

EXPORT(bvh_read)
int web_bvh_read(const char *text, size_t size, const char *name, sinew_document **document) {
  const sinew_read_def def = read_def(name, 0);
  return sinew_bvh_read(text, size, &def, document, &web_error);
}

EXPORT(document_destroy) void web_document_destroy(sinew_document *document) {
  sinew_document_destroy(document);
}

EXPORT(document_model) const sinew_model_def *web_document_model(const sinew_document *document) {
  return &document->model;
}

EXPORT(document_frame_count) int web_document_frame_count(const sinew_document *document) {
  return document->motion.frame_count;
}

EXPORT(document_frame_time) double web_document_frame_time(const sinew_document *document) {
  return document->motion.frame_time;
}

EXPORT(document_motion) const double *web_document_motion(const sinew_document *document) {
  return document->motion.q;
}

// The text of a warning, by error_text(); 0: there is none of this index.
EXPORT(document_warning) int web_document_warning(const sinew_document *document, int index) {
  if (index < 0 || index >= document->warning_count)
    return 0;
  web_error = document->warnings[index];
  return 1;
}
