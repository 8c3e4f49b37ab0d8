/// What all readers share: a document that is built piece by piece, with its errors and warnings.
///
///     sinew_builder builder;
///     sinew_result result = sinew_builder_begin(&builder, SINEW_FORMAT_URDF, def, error);
///     ... sinew_builder_add_link(), _add_joint(), ...: each may fail
///     return sinew_builder_finish(&builder, result, document);
///
/// A function that fails fills the error. Its caller returns the result to sinew_builder_finish(),
/// which releases everything.
#ifndef SINEW_FORMATS_DOCUMENT_H
#define SINEW_FORMATS_DOCUMENT_H

#include "sinew/formats.h"
#include "pool.h"
#include "names.h"

/// Most warnings of a document, so that the warnings cannot be many times as large as the file. The
/// last one says that others were omitted.
#define SINEW_DOCUMENT_MAX_WARNINGS 1000

typedef struct sinew_builder {
  sinew_pool pool; ///< the document and all that it points to
  sinew_document *document;
  sinew_read_def def; ///< with def.name set
  sinew_error *error; ///< the caller's, may be NULL

  sinew_link_def *links; ///< may be changed until finish
  int *link_lines;
  int link_count;
  sinew_joint_def *joints; ///< may be changed until finish
  int *joint_lines;
  int joint_count;
  sinew_shape_def *shapes;
  int shape_count;
  sinew_error *warnings;
  int warning_count;
  const char **meshes;
  int mesh_count;

  sinew_names link_names, joint_names, mesh_names; ///< what has been added

  size_t link_capacity, link_line_capacity, joint_capacity, joint_line_capacity, shape_capacity,
      warning_capacity, mesh_capacity;
} sinew_builder;

/// Starts a document. Call sinew_builder_finish() even if this fails.
/// @param def may be NULL: the defaults. Its cookie is checked.
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT or SINEW_ERROR_MEMORY
sinew_result sinew_builder_begin(sinew_builder *builder, sinew_format format,
                                 const sinew_read_def *def, sinew_error *error);

/// Checks a text for NULL and its size against max_bytes.
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT or SINEW_ERROR_TOO_LARGE
sinew_result sinew_builder_check_text(sinew_builder *builder, const char *text, size_t size);

/// Adds a link.
/// @param name terminated, not empty; copied
/// @param index may be NULL
/// @return SINEW_OK; SINEW_ERROR_MODEL where a link has the name already;
///   SINEW_ERROR_MEMORY
sinew_result sinew_builder_add_link(sinew_builder *builder, const char *name, int line, int *index);

/// Adds a joint: joint->name is copied, the other members are used as they are.
/// @return as sinew_builder_add_link()
sinew_result sinew_builder_add_joint(sinew_builder *builder, const sinew_joint_def *joint, int line,
                                     int *index);

sinew_result sinew_builder_add_shape(sinew_builder *builder, const sinew_shape_def *shape);

/// Adds the name of a mesh file, once.
/// @param name terminated; copied
sinew_result sinew_builder_add_mesh(sinew_builder *builder, const char *name);

/// The name of the root link that a robot is fixed to.
#define SINEW_WORLD "world"

/// Adds a free joint above the root link, or replaces the joint that fixes the robot to the world
/// by one: sinew_read_def's floating_base. All links and joints must have been added and form a
/// tree with this root.
/// @return SINEW_OK; SINEW_ERROR_MODEL where there is no base to float; SINEW_ERROR_MEMORY
sinew_result sinew_builder_float_base(sinew_builder *builder, int root);

/// Adds a warning. message is a format of printf(); it must not print a double, which would depend
/// on the locale.
/// @param name the joint, link or element; may be NULL
__attribute__((format(printf, 4, 5))) sinew_result
sinew_builder_warn(sinew_builder *builder, int line, const char *name, const char *message, ...);

/// Fills the error and returns code. Arguments as sinew_builder_warn().
__attribute__((format(printf, 5, 6))) sinew_result sinew_builder_fail(sinew_builder *builder,
                                                                      sinew_result code, int line,
                                                                      const char *name,
                                                                      const char *message, ...);

/// Fills an error (may be NULL) where there is no builder, and returns code.
sinew_result sinew_fail(sinew_error *error, const char *file, sinew_result code,
                        const char *message);

/// SINEW_ERROR_MEMORY with its message.
sinew_result sinew_builder_fail_memory(sinew_builder *builder);

/// Ends the building: validates the model with sinew_model_create() and returns the document; where
/// result or the validation is a failure, releases everything. An error of the validation gets the
/// line of the joint or link that it names; the model's warnings become the document's.
/// Before, set document->motion and document->model.name if the file has them.
/// @param result of the building so far
sinew_result sinew_builder_finish(sinew_builder *builder, sinew_result result,
                                  sinew_document **document);

#endif
