/// @file formats.h
/// The library sinew-formats: reads model definitions, motions and tables from files, and writes
/// them. Readers take a text in memory; sinew_document_open() reads a file.
#ifndef SINEW_FORMATS_H
#define SINEW_FORMATS_H

#include "sinew/model.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Configurations over time.
typedef struct sinew_motion {
  int frame_count;
  int nq;            ///< values per frame
  double frame_time; ///< [s]
  double *q;         ///< frame_count x nq, row-major, in the model's order [rad or
                     ///< m; of a BVH its unit of length]
} sinew_motion;

typedef enum sinew_format {
  SINEW_FORMAT_UNKNOWN = 0,
  SINEW_FORMAT_URDF,
  SINEW_FORMAT_BVH
} sinew_format;

/// Properties of a format.
typedef struct sinew_format_info {
  sinew_format format;
  const char *name;         ///< "URDF"
  const char *content;      ///< how it is detected: "first element <robot>"
  const char *length_unit;  ///< "m"; NULL: each file has its own unit
  bool has_motion;          ///< documents may have frames
  bool takes_floating_base; ///< sinew_read_def's floating_base has an effect
} sinew_format_info;

/// The formats are numbered from 1 without gaps.
/// @return NULL for SINEW_FORMAT_UNKNOWN and beyond the last format
SINEW_API const sinew_format_info *sinew_format_describe(sinew_format format);

/// A file that was read. It owns everything it points to, until sinew_document_destroy().
typedef struct sinew_document {
  sinew_format format;
  sinew_model_def model;       ///< ready for sinew_model_create()
  const int *link_lines;       ///< line of each link in the file
  const int *joint_lines;      ///< line of each joint in the file
  sinew_motion motion;         ///< of a BVH; otherwise frame_count is 0
  const sinew_error *warnings; ///< what was ignored or assumed
  int warning_count;
  const char *const *meshes; ///< mesh files of the links' looks as the file names them, each once,
                             ///< in its order; none was opened
  int mesh_count;
  void *storage; ///< private
} sinew_document;

/// Options of a reader: bounds on what it accepts, and its allocator. Start from
/// sinew_default_read_def().
typedef struct sinew_read_def {
  uint32_t cookie; ///< cookie and size: set by sinew_default_read_def(); leave them
  uint32_t size;
  const char *name; ///< the file's name for messages; NULL: "input"
  size_t max_bytes; ///< default 256 MiB
  int max_depth;    ///< of nested elements or joints; default 1024
  /// URDF only: adds a FREE joint "floating_base", the model's first, between the root link and a
  /// new root link "world" ("floating_base_2" and so on if the file has the name). If the root link
  /// is named world and a single fixed joint holds the robot there, the FREE joint replaces it,
  /// with a warning; other robots on a link world are refused. Nothing is added if the root link's
  /// only joint is a floating joint. The channels of a BVH state what floats. Default false
  bool floating_base;
  sinew_allocator allocator;
} sinew_read_def;

/// For bindings to other languages; in C and C++ use sinew_default_read_def().
/// @param size of the caller's struct [bytes]
SINEW_API void sinew_read_def_init(sinew_read_def *def, size_t size);

static inline sinew_read_def sinew_default_read_def(void) {
  sinew_read_def def;
  sinew_read_def_init(&def, sizeof def);
  return def;
}

/// Detects the format of a text from its content: URDF if its first element is "robot", BVH if its
/// first word is HIERARCHY.
/// @param text need not be terminated; may be NULL
SINEW_API sinew_format sinew_format_detect(const char *text, size_t size);

/// Reads a URDF (the XML robot description of ROS, with the joint types that Drake and MuJoCo add).
/// The document's model has been validated.
///
/// With a warning: a parent link that is not declared is added as the root; a revolute or prismatic
/// joint without limits is unlimited; Drake's joints along a curve are fixed at its start.
/// Collision shapes: spheres and capsules are read; a cylinder or box becomes an enclosing sphere
/// or capsule; mesh files are never opened. Of visual shapes the document has the names of mesh
/// files; the rest of them, inertia tensors, efforts, materials and sensors are ignored.
///
/// The XML parser itself uses malloc(), not def's allocator.
/// @param text need not be terminated
/// @param def may be NULL: the defaults
/// @param error may be NULL; names file, line and element
/// @return SINEW_OK, SINEW_ERROR_SYNTAX, SINEW_ERROR_MODEL,
///   SINEW_ERROR_NOT_FINITE (a number too large for sinew_model_create()),
///   SINEW_ERROR_UNSUPPORTED (also if the library was built without an XML parser),
///   SINEW_ERROR_TOO_LARGE, SINEW_ERROR_MEMORY or SINEW_ERROR_ARGUMENT; on failure the document is
///   NULL
SINEW_MUST_CHECK sinew_result sinew_urdf_read(const char *text, size_t size,
                                              const sinew_read_def *def, sinew_document **document,
                                              sinew_error *error);

/// Reads an XML format from the events of an XML parser. So the readers of this library can be used
/// with another parser than its own, for example that of Python or of a browser; neither this
/// library nor the caller has to link expat then.
///
///     sinew_xml_reader *reader = NULL;
///     sinew_xml_reader_create(SINEW_FORMAT_URDF, NULL, &reader, &error);
///     sinew_xml_reader_start(reader, "robot", attributes, 1, &error); // for each start tag
///     sinew_xml_reader_end(reader, "robot", 9, &error);               // for each end tag
///     sinew_xml_reader_finish(reader, &document, &error);
///     sinew_xml_reader_destroy(reader);
///
/// Names and values are UTF-8, with entities replaced; names are as in the file, with their prefix
/// ("drake:joint"), so namespace processing must be off. An element without content has a start and
/// an end. Text, comments and instructions have no events.
///
/// Any of these functions can fail. The first failure stays: each later call with the reader
/// returns it again, so that a caller may check the last call only.
typedef struct sinew_xml_reader sinew_xml_reader;

/// @param format one whose files are XML: SINEW_FORMAT_URDF
/// @param def may be NULL: the defaults. max_bytes bounds the length of the shortest text that has
///   these elements, max_depth their nesting. The name is copied
/// @param reader receives the reader, NULL where this fails
/// @param error may be NULL, here and below
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT or SINEW_ERROR_MEMORY
SINEW_MUST_CHECK sinew_result sinew_xml_reader_create(sinew_format format,
                                                      const sinew_read_def *def,
                                                      sinew_xml_reader **reader,
                                                      sinew_error *error);

/// A start tag.
/// @param attributes alternating names and values, NULL after the last; NULL: no attributes. Copied
/// @param line of the start tag in the file, from 1; 0: not known
/// @return SINEW_OK; SINEW_ERROR_SYNTAX after the end of the outermost element;
///   SINEW_ERROR_TOO_LARGE; SINEW_ERROR_ARGUMENT; SINEW_ERROR_MEMORY
SINEW_MUST_CHECK sinew_result sinew_xml_reader_start(sinew_xml_reader *reader, const char *name,
                                                     const char *const *attributes, int line,
                                                     sinew_error *error);

/// An end tag.
/// @return SINEW_OK; SINEW_ERROR_SYNTAX if it is not the end of the innermost open element;
///   SINEW_ERROR_ARGUMENT
SINEW_MUST_CHECK sinew_result sinew_xml_reader_end(sinew_xml_reader *reader, const char *name,
                                                   int line, sinew_error *error);

/// A document type, <!DOCTYPE name ...>. A parser must not expand the entities that it declares:
/// pass this event before them.
/// @param name may be NULL
/// @param has_declarations whether it has an internal subset, [...]
/// @return SINEW_OK; SINEW_ERROR_UNSUPPORTED if it has declarations; SINEW_ERROR_ARGUMENT
SINEW_MUST_CHECK sinew_result sinew_xml_reader_doctype(sinew_xml_reader *reader, const char *name,
                                                       bool has_declarations, int line,
                                                       sinew_error *error);

/// The end of the file: reads the elements and validates the model. No event may follow.
/// @param document receives the document, NULL where this fails; independent of the reader
/// @return SINEW_OK; SINEW_ERROR_SYNTAX if an element is open or there is none; otherwise as
///   sinew_urdf_read()
SINEW_MUST_CHECK sinew_result sinew_xml_reader_finish(sinew_xml_reader *reader,
                                                      sinew_document **document,
                                                      sinew_error *error);

/// At any time; may be NULL.
SINEW_API void sinew_xml_reader_destroy(sinew_xml_reader *reader);

/// The name of the root link of a model read from a BVH; world_2 and so on if a joint of the file
/// has this name.
#define SINEW_BVH_WORLD "world"

/// Reads a BVH: a skeleton of CHANNELS joints and its motion. Angles are converted to radians;
/// lengths keep the file's unit.
///
/// A joint keeps its name and the order of its channels; its link has the joint's name. A joint
/// without channels is FIXED; an End Site is a FIXED joint and a link PARENT_end. The parent of
/// each ROOT is the link SINEW_BVH_WORLD. If several joints have the same name, all but the first
/// are renamed, with a warning.
///
/// OFFSET is the joint's placement; q = 0 is the rest pose. In a BVH a position channel is the
/// joint's position in its parent's frame, to which OFFSET is not added, so
///   q = channel - OFFSET along the channel's axis.
///
/// Each row must be one line, and there must be as many rows as Frames states. If there is one more
/// or one less, all rows are read, with a warning. A file without MOTION has no frames, with a
/// warning.
/// @param text need not be terminated
/// @param def may be NULL: the defaults
/// @param error may be NULL; names file, line and joint
/// @return as sinew_urdf_read(), or SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_bvh_read(const char *text, size_t size,
                                             const sinew_read_def *def, sinew_document **document,
                                             sinew_error *error);

/// Writes a BVH that sinew_bvh_read() can read: a model that it has read, or any tree of CHANNELS,
/// EULER and FIXED joints whose placements have no rotation. Joints keep their names; a FIXED joint
/// without children that is named PARENT_end becomes an End Site. The root link is not written.
/// @param motion may be NULL: no frames. q as sinew_bvh_read() returns it
/// @param allocator may be NULL: malloc() and free()
/// @param text receives a terminated string; release it with the allocator
/// @param size receives its length without the terminator
/// @param error may be NULL; names the joint that cannot be written
/// @return SINEW_OK; SINEW_ERROR_UNSUPPORTED (another kind of tree); SINEW_ERROR_ARGUMENT;
///   SINEW_ERROR_NOT_FINITE; SINEW_ERROR_MEMORY; or what sinew_model_create() returns for model
SINEW_MUST_CHECK sinew_result sinew_bvh_write(const sinew_model_def *model,
                                              const sinew_motion *motion,
                                              const sinew_allocator *allocator, char **text,
                                              size_t *size, sinew_error *error);

/// The header of an NPY file (numpy's format, versions 1.0 to 3.0) that holds a table of numbers,
/// stored by rows ("C order"), little-endian.
typedef struct sinew_npy {
  size_t data;    ///< offset of the numbers from the start of the file [bytes]
  int value_size; ///< 4 ("<f4") or 8 ("<f8") bytes
  uint64_t rows;  ///< data + rows x columns x value_size is below 2^63
  uint64_t columns;
} sinew_npy;

/// The longest header that sinew_npy_read_header() accepts [bytes].
#define SINEW_NPY_MAX_HEADER 65536

/// Reads the header of an NPY file. Data other than a table of "<f4" or "<f8" in C order is
/// refused; the message says what it is.
/// @param data the first size bytes of the file: the whole file, or SINEW_NPY_MAX_HEADER bytes
/// @param name the file's name for messages; NULL: "input"
/// @param error may be NULL
/// @return SINEW_OK; SINEW_ERROR_SYNTAX (not an NPY, or cut off); SINEW_ERROR_UNSUPPORTED (another
///   type, order, number of dimensions or version); SINEW_ERROR_TOO_LARGE; SINEW_ERROR_ARGUMENT
SINEW_MUST_CHECK sinew_result sinew_npy_read_header(const void *data, size_t size, const char *name,
                                                    sinew_npy *npy, sinew_error *error);

/// Reads numbers of an NPY file: values = count numbers of data, on processors of any byte order.
/// data may be values if value_size is 8.
SINEW_API void sinew_npy_read_values(const sinew_npy *npy, const void *data, size_t count,
                                     double *values);

/// The length of each header that sinew_npy_write_header() writes [bytes].
#define SINEW_NPY_HEADER_SIZE 128

/// Writes the header of a table of "<f8", version 1.0. Its length does not depend on the numbers,
/// so that it can be overwritten once the number of rows is known.
SINEW_API void sinew_npy_write_header(uint64_t rows, uint64_t columns,
                                      char header[SINEW_NPY_HEADER_SIZE]);

/// Writes numbers as "<f8": data (8 count bytes) = count values. data may be values.
SINEW_API void sinew_npy_write_values(const double *values, size_t count, void *data);

/// Reads a text whose format is detected from its content.
/// @param text need not be terminated
/// @param def may be NULL: the defaults
/// @param error may be NULL
/// @return as the reader of the format; SINEW_ERROR_UNSUPPORTED if the format is unknown
SINEW_MUST_CHECK sinew_result sinew_document_read(const char *text, size_t size,
                                                  const sinew_read_def *def,
                                                  sinew_document **document, sinew_error *error);

/// Reads a file with sinew_document_read().
/// @param def may be NULL; its name is replaced by path
/// @return as sinew_document_read(), or SINEW_ERROR_FILE
SINEW_MUST_CHECK sinew_result sinew_document_open(const char *path, const sinew_read_def *def,
                                                  sinew_document **document, sinew_error *error);

/// What a text is escaped for: sinew_text_escape().
typedef enum sinew_text_use {
  /// For people. ESC becomes `\x1b`, a newline `\x0a`, the control character U+009B `\u009b`, the
  /// right-to-left override `\u202e`, a byte that is no part of UTF-8 `\xNN`. A backslash that
  /// would read as such an escape becomes `\x5c`, so that different names stay different.
  SINEW_TEXT_PRINTED,
  /// For programs, as UTF-8: only bytes that are no part of UTF-8 become `\xNN`, and a backslash
  /// that would read as that `\x5c`. Different names stay different.
  SINEW_TEXT_NAME,
  /// The text of a JSON value, which people read too: DEL and the control characters beyond ASCII
  /// become `\uNNNN`, which JSON reads as the same letter.
  SINEW_TEXT_JSON
} sinew_text_use;

/// Writes a text of a file, such as a name or a line of sinew_error_format(), so that it cannot
/// move a terminal's cursor, fake a line of output or reverse the letters around it.
/// @param out receives the escaped text, terminated; what has no room is left out by whole letters
/// @param size of out in bytes; nothing is written where it is 0, and out may be NULL
/// @return the length of the whole escaped text without its terminator
SINEW_API size_t sinew_text_escape(const char *text, sinew_text_use use, char *out, size_t size);

/// May be NULL.
SINEW_API void sinew_document_destroy(sinew_document *document);

#ifdef __cplusplus
}
#endif
#endif
