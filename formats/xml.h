/// An XML text as a tree of elements with their attributes and lines. Text
/// between tags is not kept; prefixes ("drake:joint") are part of the names.
#ifndef SINEW_FORMATS_XML_H
#define SINEW_FORMATS_XML_H

#include "document.h"

#include <expat.h>

/// Most elements a text may have, so that a file of "<a/>" cannot take many
/// times its own size.
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
  int line; ///< where its start tag begins, from 1
  sinew_xml_element *parent;
  sinew_xml_element *first_child, *last_child;
  sinew_xml_element *next; ///< sibling
};

/// Reads a text into a tree.
///
/// What is read past, with a warning: an XML declaration that is not at the
/// very start or has no version (UTF-8 is taken then). What is read past: zero
/// bytes at the end, undeclared prefixes. Refused: a document type declaration
/// that declares anything, so that no entity can grow.
/// @param builder for errors, warnings and bounds
/// @param pool receives the tree
/// @param memory of the parser itself; NULL: malloc() and its kin (expat hands
///   its memory functions no context, so that an allocator cannot serve it)
/// @return SINEW_OK, SINEW_ERROR_SYNTAX, SINEW_ERROR_UNSUPPORTED,
///   SINEW_ERROR_TOO_LARGE or SINEW_ERROR_MEMORY
sinew_result sinew_xml_read(sinew_builder *builder, sinew_pool *pool, const char *text, size_t size,
                            const XML_Memory_Handling_Suite *memory, sinew_xml_element **root);

/// The value of an attribute, or NULL.
const char *sinew_xml_attribute_find(const sinew_xml_element *element, const char *name);

/// The first child with a name (NULL: any), or NULL.
const sinew_xml_element *sinew_xml_child(const sinew_xml_element *element, const char *name);

/// The next sibling with a name (NULL: any), or NULL.
const sinew_xml_element *sinew_xml_next(const sinew_xml_element *element, const char *name);

#endif
