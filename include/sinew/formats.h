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
  uint32_t cookie; ///< cookie and size: set by sinew_default_read_def(); leave them
  uint32_t size;
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

/// For other languages, whose structs have size bytes; C and C++ have sinew_default_read_def().
SINEW_API void sinew_read_def_init(sinew_read_def *def, size_t size);

static inline sinew_read_def sinew_default_read_def(void) {
  sinew_read_def def;
  sinew_read_def_init(&def, sizeof def);
  return def;
}

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
SINEW_MUST_CHECK sinew_result sinew_urdf_read(const char *text, size_t size,
                                              const sinew_read_def *def, sinew_document **document,
                                              sinew_error *error);

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
SINEW_MUST_CHECK sinew_result sinew_bvh_read(const char *text, size_t size,
                                             const sinew_read_def *def, sinew_document **document,
                                             sinew_error *error);

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
SINEW_MUST_CHECK sinew_result sinew_bvh_write(const sinew_model_def *model,
                                              const sinew_motion *motion,
                                              const sinew_allocator *allocator, char **text,
                                              size_t *size, sinew_error *error);

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
SINEW_MUST_CHECK sinew_result sinew_npy_read_head(const void *data, size_t size, const char *name,
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

/// Reads a file of a format told by its content.
/// @param def may be NULL; its name is replaced by path
/// @return as the readers, or SINEW_ERROR_FILE
SINEW_MUST_CHECK sinew_result sinew_document_open(const char *path, const sinew_read_def *def,
                                                  sinew_document **document, sinew_error *error);

/// May be NULL.
SINEW_API void sinew_document_destroy(sinew_document *document);

#ifdef __cplusplus
}
#endif
#endif
