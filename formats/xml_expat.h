/// expat as the library's XML parser. Only xml_expat.c and tests include this.
#ifndef SINEW_FORMATS_XML_EXPAT_H
#define SINEW_FORMATS_XML_EXPAT_H

#include "xml.h"

#include <expat.h>

/// Passes the elements of a text to the reader.
///
/// Accepted with a warning: an XML declaration that is not at the very start or has no version; its
/// encoding is then ignored and UTF-8 assumed. Accepted: zero bytes at the end, undeclared
/// prefixes.
/// @param memory of the parser itself; NULL: malloc(), realloc() and free() (expat passes its
///   memory functions no context, so a sinew_allocator cannot be used)
/// @return SINEW_OK, SINEW_ERROR_SYNTAX, SINEW_ERROR_UNSUPPORTED, SINEW_ERROR_TOO_LARGE or
///   SINEW_ERROR_MEMORY
sinew_result sinew_xml_expat_parse(sinew_xml_reader *reader, const char *text, size_t size,
                                   const XML_Memory_Handling_Suite *memory);

#endif
