/// An XML document as a tree of elements, built from events. Text between tags is not kept;
/// prefixes ("drake:joint") are part of the names.
///
///     text -> XML parser (xml_expat.c, or the caller's own) -> events -> tree -> build function
///
/// The events are public (sinew_xml_reader_start() and so on); the parser in this library calls the
/// same functions.
#ifndef SINEW_FORMATS_XML_H
#define SINEW_FORMATS_XML_H

#include "document.h"

/// Most elements a document may have, so that a file of "<a/>" does not need many times its size.
#define SINEW_XML_MAX_ELEMENTS 1000000

typedef struct sinew_xml_attribute {
  const char *name;
  const char *value;
} sinew_xml_attribute;

typedef struct sinew_xml_element sinew_xml_element;
struct sinew_xml_element {
  const char *name;
  const sinew_xml_attribute *attributes;
  int attribute_count;
  int line; ///< of the start tag, from 1; 0: not known
  sinew_xml_element *parent;
  sinew_xml_element *first_child, *last_child;
  sinew_xml_element *next; ///< sibling
};

/// Builds the document of a format from the tree. Sets links, joints and so on; the caller finishes
/// the builder.
/// @param scratch released when the document is finished
typedef sinew_result sinew_xml_build_function(sinew_builder *builder, sinew_pool *scratch,
                                              const sinew_xml_element *root);

struct sinew_xml_reader {
  sinew_builder builder; ///< its error is failure, below
  sinew_pool tree;       ///< this struct and the elements
  sinew_xml_build_function *build;
  sinew_xml_element *root;
  sinew_xml_element *open; ///< the innermost element without its end
  int depth, element_count;
  size_t bytes; ///< length of the shortest text with these elements
  bool finished;
  sinew_error failure; ///< the first; its code is SINEW_OK while there is none
};

/// sinew_xml_reader_create() for a given build function.
sinew_result sinew_xml_reader_begin(sinew_format format, sinew_xml_build_function *build,
                                    const sinew_read_def *def, sinew_xml_reader **reader,
                                    sinew_error *error);

/// Reads a whole text: parses it with the library's XML parser and builds the document. Arguments
/// and result as sinew_urdf_read().
sinew_result sinew_xml_read(sinew_format format, sinew_xml_build_function *build, const char *text,
                            size_t size, const sinew_read_def *def, sinew_document **document,
                            sinew_error *error);

/// The library's XML parser: passes the elements of a text to the reader. Stands in xml_expat.c, or
/// where the library is built without a parser in xml_none.c, which fails.
sinew_result sinew_xml_parse(sinew_xml_reader *reader, const char *text, size_t size);

/// The value of an attribute, or NULL.
const char *sinew_xml_attribute_find(const sinew_xml_element *element, const char *name);

/// The first child with a name (NULL: any), or NULL.
const sinew_xml_element *sinew_xml_child(const sinew_xml_element *element, const char *name);

/// The next sibling with a name (NULL: any), or NULL.
const sinew_xml_element *sinew_xml_next(const sinew_xml_element *element, const char *name);

#endif
