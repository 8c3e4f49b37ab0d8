/// @file formats.h
/// The second library, sinew-formats: files to model definitions, motions and tables,
/// and back. Readers take memory; sinew_document_open() wraps them.
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
  int nq;            ///< values a frame
  double frame_time; ///< [s]
  double *q;         ///< frame_count x nq, row-major, in the model's order [rad or
                     ///< m; of a BVH its unit of length]
} sinew_motion;

typedef enum sinew_format {
  SINEW_FORMAT_UNKNOWN = 0,
  SINEW_FORMAT_URDF,
  SINEW_FORMAT_BVH
} sinew_format;

/// What is known of a format.
typedef struct sinew_format_info {
  sinew_format format;
  const char *name;         ///< "URDF"
  const char *content;      ///< what it is detected by: "first element <robot>"
  const char *length_unit;  ///< "m"; NULL: each file has its own unit
  bool has_motion;          ///< documents may have frames
  bool takes_floating_base; ///< sinew_read_def's floating_base has an effect
} sinew_format_info;

/// The formats are numbered from 1 without gaps.
/// @return NULL for SINEW_FORMAT_UNKNOWN and beyond the last format
SINEW_API const sinew_format_info *sinew_format_describe(sinew_format format);

/// A file that was read. Everything it points to belongs to it and lives until
/// sinew_document_destroy().
typedef struct sinew_document {
  sinew_format format;
  sinew_model_def model;       ///< ready for sinew_model_create()
  const int *link_lines;       ///< the line of each link, for messages
  const int *joint_lines;      ///< the line of each joint
  sinew_motion motion;         ///< BVH; frame_count 0 elsewhere
  const sinew_error *warnings; ///< what was read past
  int warning_count;
  void *storage; ///< private
} sinew_document;

/// Bounds on what a reader accepts, and where its memory comes from. Start
/// from sinew_default_read_def().
typedef struct sinew_read_def {
  uint32_t cookie;  ///< set by sinew_default_read_def(); leave it alone
  const char *name; ///< the file's name for messages; NULL: "input"
  size_t max_bytes; ///< default 256 MiB
  int max_depth;    ///< of nested elements or joints; default 1024
  /// URDF: the root link hangs by a FREE joint "floating_base", the model's first, on a new
  /// root link "world" ("floating_base_2" and so on where the file has the name). Not so
  /// where the file's root is called world, to which a robot is bolted, with a warning; nor
  /// where its only joint is a floating one already. A BVH's channels say what floats.
  /// Default false
  bool floating_base;
  sinew_allocator allocator;
} sinew_read_def;

SINEW_API sinew_read_def sinew_default_read_def(void);

/// Which format a text is of, by its content: URDF where its first element is
/// robot, BVH where its first word is HIERARCHY.
SINEW_API sinew_format sinew_format_detect(const char *text, size_t size);

/// Reads a URDF (ROS's XML robot description; also Drake's and MuJoCo's
/// additional joint types). The document's model has been validated.
///
/// A parent link that is declared nowhere becomes the root; a revolute or
/// prismatic joint without limits has none; Drake's joints along a curve are
/// held at its start: each with a warning. Of collision shapes, spheres and
/// capsules are kept, and cylinders and boxes as a sphere or capsule that
/// encloses them; meshes are never looked for. Visual shapes, inertia tensors,
/// efforts, materials and sensors have no use here.
///
/// The XML parser's own memory comes from malloc(): it cannot be told of an
/// allocator.
/// @param text need not be terminated
/// @param def may be NULL: the defaults
/// @param error may be NULL; names file, line and element
/// @return SINEW_OK, SINEW_ERROR_SYNTAX, SINEW_ERROR_MODEL,
///   SINEW_ERROR_NOT_FINITE (beyond what sinew_model_create() takes),
///   SINEW_ERROR_UNSUPPORTED, SINEW_ERROR_TOO_LARGE, SINEW_ERROR_MEMORY or
///   SINEW_ERROR_ARGUMENT; the document is NULL then
SINEW_API sinew_result sinew_urdf_read(const char *text, size_t size, const sinew_read_def *def,
                                       sinew_document **document, sinew_error *error);

/// Reads an XML format from the events of an XML parser: the readers of this library with another
/// parser than its own, Python's or a browser's say. Neither this library nor the caller has to
/// link expat then.
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
SINEW_API sinew_result sinew_xml_reader_create(sinew_format format, const sinew_read_def *def,
                                               sinew_xml_reader **reader, sinew_error *error);

/// A start tag.
/// @param attributes names and values in turn, NULL after the last; NULL: no attributes. Copied
/// @param line of the start tag in the file, from 1; 0: not known
/// @return SINEW_OK; SINEW_ERROR_SYNTAX after the end of the outermost element;
///   SINEW_ERROR_TOO_LARGE; SINEW_ERROR_ARGUMENT; SINEW_ERROR_MEMORY
SINEW_API sinew_result sinew_xml_reader_start(sinew_xml_reader *reader, const char *name,
                                              const char *const *attributes, int line,
                                              sinew_error *error);

/// An end tag.
/// @return SINEW_OK; SINEW_ERROR_SYNTAX if it is not the end of the innermost open element;
///   SINEW_ERROR_ARGUMENT
SINEW_API sinew_result sinew_xml_reader_end(sinew_xml_reader *reader, const char *name, int line,
                                            sinew_error *error);

/// A document type, <!DOCTYPE name ...>. A parser must not expand the entities that it declares:
/// pass this event before them.
/// @param name may be NULL
/// @param has_declarations whether it has an internal subset, [...]
/// @return SINEW_OK; SINEW_ERROR_UNSUPPORTED if it has declarations; SINEW_ERROR_ARGUMENT
SINEW_API sinew_result sinew_xml_reader_doctype(sinew_xml_reader *reader, const char *name,
                                                bool has_declarations, int line,
                                                sinew_error *error);

/// The end of the file: reads the elements and validates the model. No event may follow.
/// @param document receives the document, NULL where this fails; independent of the reader
/// @return SINEW_OK; SINEW_ERROR_SYNTAX if an element is open or there is none; otherwise as
///   sinew_urdf_read()
SINEW_API sinew_result sinew_xml_reader_finish(sinew_xml_reader *reader, sinew_document **document,
                                               sinew_error *error);

/// At any time; may be NULL.
SINEW_API void sinew_xml_reader_destroy(sinew_xml_reader *reader);

/// The name of the root link of a model read from a BVH; world_2, say, where a
/// joint of the file has it.
#define SINEW_BVH_WORLD "world"

/// Reads a BVH: a skeleton of CHANNELS joints and its motion. Angles become
/// radians; lengths keep the file's unit.
///
/// A joint keeps its name and the order of its channels, its link has the
/// joint's name; a joint without channels is FIXED; an End Site is a FIXED joint
/// and a link PARENT_end. ROOTs hang below the link SINEW_BVH_WORLD. Of joints
/// with one name the later are renamed, with a warning.
///
/// OFFSET is the joint's placement, and q = 0 the skeleton at rest. A position
/// channel is the joint's whole place in its parent in a BVH, its OFFSET not
/// added: q holds the channel less the OFFSET along its axis.
///
/// A row a line, and as many rows as Frames says, else it is refused. Without
/// MOTION there are no frames, with a warning.
/// @param text need not be terminated
/// @param def may be NULL: the defaults
/// @param error may be NULL; names file, line and joint
/// @return as sinew_urdf_read(), or SINEW_ERROR_NOT_FINITE
SINEW_API sinew_result sinew_bvh_read(const char *text, size_t size, const sinew_read_def *def,
                                      sinew_document **document, sinew_error *error);

/// Writes a BVH that sinew_bvh_read() reads back: what it read, or any tree of
/// CHANNELS, EULER and FIXED joints whose placements do not rotate. A joint is
/// written under its own name; a FIXED one without children that is called
/// PARENT_end becomes an End Site. The root link itself is not written.
/// @param motion may be NULL: no frames. Its q is as the reader gives it.
/// @param allocator may be NULL: malloc() and free()
/// @param text receives a terminated string, to be given back to the allocator
/// @param size receives its length without the terminator
/// @param error may be NULL; names the joint that cannot be written
/// @return SINEW_OK; SINEW_ERROR_UNSUPPORTED (no such tree);
///   SINEW_ERROR_ARGUMENT; SINEW_ERROR_NOT_FINITE; SINEW_ERROR_MEMORY; or what
///   sinew_model_create() returns for model
SINEW_API sinew_result sinew_bvh_write(const sinew_model_def *model, const sinew_motion *motion,
                                       const sinew_allocator *allocator, char **text, size_t *size,
                                       sinew_error *error);

/// What stands at the beginning of a NPY file (numpy's format, versions 1.0 to 3.0): a table
/// of numbers row by row ("C order"), little-endian.
typedef struct sinew_npy {
  size_t data;    ///< where the numbers begin [bytes from the file's beginning]
  int value_size; ///< 4 ("<f4") or 8 ("<f8") bytes
  uint64_t rows;  ///< data + rows x columns x value_size fits into 63 bits
  uint64_t columns;
} sinew_npy;

/// As much of a file's beginning as sinew_npy_read_head() may want to see; longer heads are
/// refused.
#define SINEW_NPY_HEAD_MOST 65536

/// Reads the head of a NPY file. Data that is no table of "<f4" or "<f8" in C order is
/// refused, and by what it is.
/// @param data the first size bytes of the file: all of it, or SINEW_NPY_HEAD_MOST
/// @param name for messages; NULL: "input"
/// @param error may be NULL
/// @return SINEW_OK; SINEW_ERROR_SYNTAX (no NPY, or cut off); SINEW_ERROR_UNSUPPORTED (another
///   type, order, number of dimensions or version); SINEW_ERROR_TOO_LARGE;
///   SINEW_ERROR_ARGUMENT
SINEW_API sinew_result sinew_npy_read_head(const void *data, size_t size, const char *name,
                                           sinew_npy *npy, sinew_error *error);

/// values = count numbers of a NPY's data, whatever the byte order of the processor. data
/// may be values where they are of 8 bytes.
SINEW_API void sinew_npy_read_values(const sinew_npy *npy, const void *data, size_t count,
                                     double *values);

/// The length of every head that sinew_npy_write_head() writes [bytes].
#define SINEW_NPY_HEAD 128

/// Writes the head of a table of "<f8", version 1.0; of one length whatever the numbers, so
/// that it can be written anew when the rows are known.
SINEW_API void sinew_npy_write_head(uint64_t rows, uint64_t columns, char head[SINEW_NPY_HEAD]);

/// data (8 count bytes) = count numbers as "<f8". data may be values.
SINEW_API void sinew_npy_write_values(const double *values, size_t count, void *data);

/// Reads a text; its format is detected from its content.
/// @param text need not be terminated
/// @param def may be NULL: the defaults
/// @param error may be NULL
/// @return as the reader of the format; SINEW_ERROR_UNSUPPORTED if the format is unknown
SINEW_API sinew_result sinew_document_read(const char *text, size_t size, const sinew_read_def *def,
                                           sinew_document **document, sinew_error *error);

/// Reads a file with sinew_document_read().
/// @param def may be NULL; its name is replaced by path
/// @return as sinew_document_read(), or SINEW_ERROR_FILE
SINEW_API sinew_result sinew_document_open(const char *path, const sinew_read_def *def,
                                           sinew_document **document, sinew_error *error);

/// May be NULL.
SINEW_API void sinew_document_destroy(sinew_document *document);

#ifdef __cplusplus
}
#endif
#endif
