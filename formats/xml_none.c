/// In place of xml_expat.c where the library is built without an XML parser (SINEW_XML=none).
#include "xml.h"

sinew_result sinew_xml_parse(sinew_xml_reader *reader, const char *text, size_t size) {
  (void)text;
  (void)size;
  return sinew_builder_fail(&reader->builder, SINEW_ERROR_UNSUPPORTED, 0, NULL,
                            "this build has no XML parser: parse the file with another one and "
                            "pass its elements to sinew_xml_reader_start() and "
                            "sinew_xml_reader_end()");
}
