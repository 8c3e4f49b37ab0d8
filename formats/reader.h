/// The table of file readers.
#ifndef SINEW_FORMATS_READER_H
#define SINEW_FORMATS_READER_H

#include "xml.h"

/// Reads a text into a document: sinew_urdf_read() and its like.
typedef sinew_result sinew_read_function(const char *text, size_t size, const sinew_read_def *def,
                                         sinew_document **document, sinew_error *error);

typedef struct sinew_reader {
  sinew_format_info info;
  bool (*detect)(const char *text, size_t size); ///< whether a text is of the format; text not NULL
  sinew_read_function *read;
  sinew_xml_build_function *build; ///< of XML formats; NULL: another format
} sinew_reader;

/// The reader of a format; NULL for SINEW_FORMAT_UNKNOWN and for a number that is no format.
const sinew_reader *sinew_reader_find(sinew_format format);

#endif
