/// The table of file readers, and what is found by searching it. A new format is a row here, a
/// value of sinew_format, and the files of its reader.
#include "reader.h"

#include "bvh_scan.h"
#include "urdf.h"

// In the order of sinew_format.
static const sinew_reader readers[] = {
    {.info = {.format = SINEW_FORMAT_URDF,
              .name = "URDF",
              .content = "first element <robot>",
              .length_unit = "m",
              .takes_floating_base = true},
     .detect = sinew_urdf_detect,
     .read = sinew_urdf_read,
     .build = sinew_urdf_build},
    {.info = {.format = SINEW_FORMAT_BVH,
              .name = "BVH",
              .content = "first word HIERARCHY",
              .has_motion = true},
     .detect = sinew_bvh_detect,
     .read = sinew_bvh_read},
};

#define READER_COUNT ((int)(sizeof readers / sizeof readers[0]))

const sinew_reader *sinew_reader_find(sinew_format format) {
  const int index = (int)format - 1;
  return index >= 0 && index < READER_COUNT ? &readers[index] : NULL;
}

const sinew_format_info *sinew_format_describe(sinew_format format) {
  const sinew_reader *reader = sinew_reader_find(format);
  return reader != NULL ? &reader->info : NULL;
}

sinew_format sinew_format_detect(const char *text, size_t size) {
  for (int i = 0; text != NULL && i < READER_COUNT; ++i) {
    if (readers[i].detect(text, size)) {
      return readers[i].info.format;
    }
  }
  return SINEW_FORMAT_UNKNOWN;
}

sinew_result sinew_xml_reader_create(sinew_format format, const sinew_read_def *def,
                                     sinew_xml_reader **reader, sinew_error *error) {
  if (reader == NULL) {
    return sinew_fail(error, "input", SINEW_ERROR_ARGUMENT, "the reader must not be NULL");
  }
  *reader = NULL;
  const sinew_reader *found = sinew_reader_find(format);
  if (found == NULL || found->build == NULL) {
    return sinew_fail(error, "input", SINEW_ERROR_ARGUMENT, "the format is not an XML format");
  }
  return sinew_xml_reader_begin(format, found->build, def, reader, error);
}
