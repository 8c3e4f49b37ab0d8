/// A document that is built piece by piece, with its errors and warnings.
#include "document.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SINEW_READ_DEF_COOKIE 0x52656164u

/// What document->storage points to: what is needed to release the document.
typedef struct sinew_document_storage {
  sinew_pool pool;
} sinew_document_storage;

void sinew_read_def_init(sinew_read_def *def, size_t size) {
  memset(def, 0, size);
  if (size >= 2 * sizeof(uint32_t)) {
    def->cookie = SINEW_READ_DEF_COOKIE;
    def->size = (uint32_t)size;
  }
  if (size == sizeof *def) {
    def->max_bytes = (size_t)256 * 1024 * 1024;
    def->max_depth = 1024;
  }
}

/// Whether a definition comes from its default function, and from headers of this version.
static sinew_result check_def(sinew_builder *builder, const sinew_read_def *def) {
  if (def->cookie != SINEW_READ_DEF_COOKIE) {
    return sinew_builder_fail(builder, SINEW_ERROR_ARGUMENT, 0, NULL,
                              "sinew_read_def does not come from sinew_default_read_def()");
  }
  if (def->size != sizeof *def) {
    return sinew_builder_fail(builder, SINEW_ERROR_ARGUMENT, 0, NULL,
                              "sinew_read_def has %zu bytes here and %zu in the program: they were "
                              "built against different headers",
                              sizeof *def, (size_t)def->size);
  }
  return SINEW_OK;
}

/// Removes an incomplete UTF-8 character from the end of a text that was cut.
static void trim_text(char *text) {
  size_t end = strlen(text);
  size_t start = end;
  while (start > 0 && ((unsigned char)text[start - 1] & 0xC0u) == 0x80u) {
    --start;
  }
  // text[start - 1] is the last character's first byte, which determines its length.
  unsigned char lead = start > 0 ? (unsigned char)text[start - 1] : 0;
  size_t length = lead >= 0xF0u ? 4 : lead >= 0xE0u ? 3 : lead >= 0xC0u ? 2 : 1;
  if (start > 0 && length != end - start + 1) {
    text[start - 1] = '\0';
  }
}

/// Copies what fits.
static void copy_text(char *to, size_t size, const char *from) {
  size_t length = strlen(from);
  int fits = length < size;
  if (!fits) {
    length = size - 1;
  }
  memcpy(to, from, length);
  to[length] = '\0';
  if (!fits) {
    trim_text(to);
  }
}

__attribute__((format(printf, 6, 0))) static void
fill_error(sinew_error *error, const sinew_builder *builder, sinew_result code, int line,
           const char *name, const char *message, va_list arguments) {
  memset(error, 0, sizeof *error);
  error->code = code;
  error->line = line;
  copy_text(error->file, sizeof error->file, builder->def.name);
  copy_text(error->name, sizeof error->name, name != NULL ? name : "");
  int length = vsnprintf(error->message, sizeof error->message, message, arguments);
  if (length >= (int)sizeof error->message) {
    trim_text(error->message);
  }
}

sinew_result sinew_builder_fail(sinew_builder *builder, sinew_result code, int line,
                                const char *name, const char *message, ...) {
  if (builder->error != NULL) {
    va_list arguments;
    va_start(arguments, message);
    fill_error(builder->error, builder, code, line, name, message, arguments);
    va_end(arguments);
  }
  return code;
}

sinew_result sinew_builder_fail_memory(sinew_builder *builder) {
  return sinew_builder_fail(builder, SINEW_ERROR_MEMORY, 0, NULL, "out of memory");
}

sinew_result sinew_fail(sinew_error *error, const char *file, sinew_result code,
                        const char *message) {
  // A builder without a document, of which only the error is used.
  sinew_builder builder;
  memset(&builder, 0, sizeof builder);
  builder.def.name = file;
  builder.error = error;
  return sinew_builder_fail(&builder, code, 0, NULL, "%s", message);
}

sinew_result sinew_builder_begin(sinew_builder *builder, sinew_format format,
                                 const sinew_read_def *def, sinew_error *error) {
  memset(builder, 0, sizeof *builder);
  builder->error = error;
  builder->def = sinew_default_read_def();
  builder->def.name = "input";
  sinew_pool_init(&builder->pool, &builder->def.allocator);
  if (def != NULL && check_def(builder, def) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  if (def != NULL) {
    builder->def = *def;
    builder->def.name = def->name != NULL ? def->name : "input";
    sinew_pool_init(&builder->pool, &builder->def.allocator);
  }
  if (builder->def.max_depth < 1) {
    return sinew_builder_fail(builder, SINEW_ERROR_ARGUMENT, 0, "max_depth", "must be at least 1");
  }
  builder->document = sinew_pool_allocate(&builder->pool, 1, sizeof *builder->document);
  if (builder->document == NULL) {
    return sinew_builder_fail_memory(builder);
  }
  builder->document->format = format;
  builder->document->model = sinew_default_model_def();
  builder->document->model.allocator = builder->def.allocator;
  return SINEW_OK;
}

sinew_result sinew_builder_check_text(sinew_builder *builder, const char *text, size_t size) {
  if (text == NULL) {
    return sinew_builder_fail(builder, SINEW_ERROR_ARGUMENT, 0, "text", "must not be NULL");
  }
  if (size > builder->def.max_bytes) {
    return sinew_builder_fail(builder, SINEW_ERROR_TOO_LARGE, 0, NULL,
                              "has %zu bytes; the limit is %zu (max_bytes)", size,
                              builder->def.max_bytes);
  }
  return SINEW_OK;
}

/// Room for one value more in an array and in the array of its lines.
static int grow_with_lines(sinew_pool *pool, void **array, size_t *capacity, size_t size,
                           int **lines, size_t *line_capacity, int count) {
  void *line_array = *lines;
  int grown = count < INT_MAX && sinew_pool_grow(pool, array, (size_t)count, capacity, size) &&
              sinew_pool_grow(pool, &line_array, (size_t)count, line_capacity, sizeof(int));
  *lines = line_array;
  return grown;
}

sinew_result sinew_builder_add_link(sinew_builder *builder, const char *name, int line,
                                    int *index) {
  int at = builder->link_count;
  int other = sinew_names_find(&builder->link_names, name);
  if (other >= 0) {
    return sinew_builder_fail(builder, SINEW_ERROR_MODEL, line, name,
                              "two links have this name; the other one is in line %d",
                              builder->link_lines[other]);
  }
  void *links = builder->links;
  const char *copy = sinew_pool_copy(&builder->pool, name, strlen(name));
  if (copy == NULL ||
      !grow_with_lines(&builder->pool, &links, &builder->link_capacity, sizeof(sinew_link_def),
                       &builder->link_lines, &builder->link_line_capacity, at) ||
      !sinew_names_add(&builder->link_names, &builder->pool, copy, at)) {
    return sinew_builder_fail_memory(builder);
  }
  builder->links = links;
  builder->links[at] = sinew_default_link_def();
  builder->links[at].name = copy;
  builder->link_lines[at] = line;
  builder->link_count = at + 1;
  if (index != NULL) {
    *index = at;
  }
  return SINEW_OK;
}

sinew_result sinew_builder_add_joint(sinew_builder *builder, const sinew_joint_def *joint, int line,
                                     int *index) {
  int at = builder->joint_count;
  int other = sinew_names_find(&builder->joint_names, joint->name);
  if (other >= 0) {
    return sinew_builder_fail(builder, SINEW_ERROR_MODEL, line, joint->name,
                              "two joints have this name; the other one is in line %d",
                              builder->joint_lines[other]);
  }
  void *joints = builder->joints;
  const char *copy = sinew_pool_copy(&builder->pool, joint->name, strlen(joint->name));
  if (copy == NULL ||
      !grow_with_lines(&builder->pool, &joints, &builder->joint_capacity, sizeof(sinew_joint_def),
                       &builder->joint_lines, &builder->joint_line_capacity, at) ||
      !sinew_names_add(&builder->joint_names, &builder->pool, copy, at)) {
    return sinew_builder_fail_memory(builder);
  }
  builder->joints = joints;
  builder->joints[at] = *joint;
  builder->joints[at].name = copy;
  builder->joint_lines[at] = line;
  builder->joint_count = at + 1;
  if (index != NULL) {
    *index = at;
  }
  return SINEW_OK;
}

sinew_result sinew_builder_add_shape(sinew_builder *builder, const sinew_shape_def *shape) {
  void *shapes = builder->shapes;
  if (builder->shape_count == INT_MAX ||
      !sinew_pool_grow(&builder->pool, &shapes, (size_t)builder->shape_count,
                       &builder->shape_capacity, sizeof *shape)) {
    return sinew_builder_fail_memory(builder);
  }
  builder->shapes = shapes;
  builder->shapes[builder->shape_count] = *shape;
  builder->shape_count += 1;
  return SINEW_OK;
}

sinew_result sinew_builder_add_mesh(sinew_builder *builder, const char *name) {
  if (sinew_names_find(&builder->mesh_names, name) >= 0) {
    return SINEW_OK;
  }
  int at = builder->mesh_count;
  void *meshes = builder->meshes;
  const char *copy = sinew_pool_copy(&builder->pool, name, strlen(name));
  if (copy == NULL || at == INT_MAX ||
      !sinew_pool_grow(&builder->pool, &meshes, (size_t)at, &builder->mesh_capacity, sizeof copy) ||
      !sinew_names_add(&builder->mesh_names, &builder->pool, copy, at)) {
    return sinew_builder_fail_memory(builder);
  }
  builder->meshes = meshes;
  builder->meshes[at] = copy;
  builder->mesh_count = at + 1;
  return SINEW_OK;
}

sinew_result sinew_builder_warn(sinew_builder *builder, int line, const char *name,
                                const char *message, ...) {
  if (builder->warning_count == SINEW_DOCUMENT_MAX_WARNINGS) {
    return SINEW_OK;
  }
  void *warnings = builder->warnings;
  if (!sinew_pool_grow(&builder->pool, &warnings, (size_t)builder->warning_count,
                       &builder->warning_capacity, sizeof(sinew_error))) {
    return sinew_builder_fail_memory(builder);
  }
  builder->warnings = warnings;
  sinew_error *warning = &builder->warnings[builder->warning_count];
  builder->warning_count += 1;
  if (builder->warning_count == SINEW_DOCUMENT_MAX_WARNINGS) {
    line = 0;
    name = NULL;
    message = "more warnings are omitted";
  }
  va_list arguments;
  va_start(arguments, message);
  fill_error(warning, builder, SINEW_OK, line, name, message, arguments);
  va_end(arguments);
  return SINEW_OK;
}

/// The line of a joint, or of a link where no joint has the name; 0: neither.
static int line_of_name(const sinew_builder *builder, const char *name) {
  int joint = sinew_names_find(&builder->joint_names, name);
  if (joint >= 0) {
    return builder->joint_lines[joint];
  }
  int link = sinew_names_find(&builder->link_names, name);
  return link >= 0 ? builder->link_lines[link] : 0;
}

/// Creates the model once, to validate it and to get its warnings.
static sinew_result validate(sinew_builder *builder) {
  sinew_model *model = NULL;
  sinew_error fault;
  memset(&fault, 0, sizeof fault);
  sinew_result result = sinew_model_create(&builder->document->model, &model, &fault);
  if (result != SINEW_OK) {
    return sinew_builder_fail(builder, result, line_of_name(builder, fault.name), fault.name, "%s",
                              fault.message);
  }
  for (int i = 0; result == SINEW_OK && sinew_model_warning(model, i) != NULL; ++i) {
    result = sinew_builder_warn(builder, 0, NULL, "%s", sinew_model_warning(model, i));
  }
  sinew_model_destroy(model);
  return result;
}

/// Points the document to what was built.
static void connect(sinew_builder *builder) {
  sinew_document *document = builder->document;
  document->model.links = builder->links;
  document->model.link_count = builder->link_count;
  document->model.joints = builder->joints;
  document->model.joint_count = builder->joint_count;
  document->model.shapes = builder->shapes;
  document->model.shape_count = builder->shape_count;
  document->link_lines = builder->link_lines;
  document->joint_lines = builder->joint_lines;
  document->warnings = builder->warnings;
  document->warning_count = builder->warning_count;
  document->meshes = builder->meshes;
  document->mesh_count = builder->mesh_count;
}

sinew_result sinew_builder_finish(sinew_builder *builder, sinew_result result,
                                  sinew_document **document) {
  sinew_document_storage *storage = NULL;
  if (result == SINEW_OK) {
    connect(builder);
    result = validate(builder);
    connect(builder);
  }
  if (result == SINEW_OK) {
    storage = sinew_pool_allocate(&builder->pool, 1, sizeof *storage);
    if (storage == NULL) {
      result = sinew_builder_fail_memory(builder);
    }
  }
  if (result != SINEW_OK) {
    sinew_pool_release(&builder->pool);
    return result;
  }
  storage->pool = builder->pool;
  sinew_pool_init(&builder->pool, NULL);
  builder->document->storage = storage;
  *document = builder->document;
  return SINEW_OK;
}

void sinew_document_destroy(sinew_document *document) {
  if (document == NULL) {
    return;
  }
  // The pool's record is stored in the pool itself: copy it first.
  sinew_pool pool = ((sinew_document_storage *)document->storage)->pool;
  sinew_pool_release(&pool);
}
