/// Files: into memory, and to the reader of their format.
#include "document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static size_t skip_white_space(const char *text, size_t size, size_t at) {
  while (at < size &&
         (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) {
    ++at;
  }
  return at;
}

static int stands_at(const char *text, size_t size, size_t at, const char *word) {
  size_t length = strlen(word);
  return size - at >= length && memcmp(text + at, word, length) == 0;
}

/// Whether the word at a place ends where it should.
static int ends_at(const char *text, size_t size, size_t at) {
  return at >= size || strchr(" \t\r\n/>", text[at]) != NULL;
}

/// The place behind the next end, or size.
static size_t skip_through(const char *text, size_t size, size_t at, const char *end) {
  while (at < size && !stands_at(text, size, at, end)) {
    ++at;
  }
  return at < size ? at + strlen(end) : size;
}

sinew_format sinew_format_detect(const char *text, size_t size) {
  if (text == NULL) {
    return SINEW_FORMAT_UNKNOWN;
  }
  size_t at = stands_at(text, size, 0, "\xEF\xBB\xBF") ? 3 : 0; // byte order mark
  at = skip_white_space(text, size, at);
  if (stands_at(text, size, at, "HIERARCHY") && ends_at(text, size, at + 9)) {
    return SINEW_FORMAT_BVH;
  }
  // What may stand before an XML text's first element: comments,
  // instructions and declarations.
  while (stands_at(text, size, at, "<!") || stands_at(text, size, at, "<?")) {
    const char *end = stands_at(text, size, at, "<!--") ? "-->"
                      : stands_at(text, size, at, "<?") ? "?>"
                                                        : ">";
    at = skip_white_space(text, size, skip_through(text, size, at, end));
  }
  if (stands_at(text, size, at, "<robot") && ends_at(text, size, at + 6)) {
    return SINEW_FORMAT_URDF;
  }
  return SINEW_FORMAT_UNKNOWN;
}

static sinew_result fail(sinew_error *error, const char *path, sinew_result code,
                         const char *message) {
  // A builder that was never begun serves for its error alone.
  sinew_builder builder;
  memset(&builder, 0, sizeof builder);
  builder.def.name = path;
  builder.error = error;
  return sinew_builder_fail(&builder, code, 0, NULL, "%s", message);
}

/// Doubles a buffer; the first half keeps its bytes.
static int widen(const sinew_allocator *allocator, char **text, size_t *capacity) {
  size_t wider = *capacity == 0 ? (size_t)64 * 1024 : *capacity * 2;
  char *moved = wider > *capacity ? sinew_allocator_take(allocator, wider) : NULL;
  if (moved == NULL) {
    return 0;
  }
  if (*capacity > 0) {
    memcpy(moved, *text, *capacity);
  }
  sinew_allocator_give(allocator, *text);
  *text = moved;
  *capacity = wider;
  return 1;
}

/// Reads all of a file, one byte more than max_bytes at most. The size is not
/// asked for beforehand: a pipe has none.
static sinew_result read_file(const char *path, FILE *file, const sinew_read_def *def, char **text,
                              size_t *size, sinew_error *error) {
  size_t capacity = 0;
  while (*size <= def->max_bytes) {
    if (*size == capacity && !widen(&def->allocator, text, &capacity)) {
      return fail(error, path, SINEW_ERROR_MEMORY, "out of memory");
    }
    errno = 0;
    size_t count = fread(*text + *size, 1, capacity - *size, file);
    *size += count;
    if (ferror(file)) {
      return fail(error, path, SINEW_ERROR_FILE,
                  errno == EISDIR ? "is a folder" : "cannot be read");
    }
    if (count == 0) {
      return SINEW_OK;
    }
  }
  return fail(error, path, SINEW_ERROR_TOO_LARGE, "is larger than what is read (max_bytes)");
}

static sinew_result read_text(const char *path, const char *text, size_t size,
                              const sinew_read_def *def, sinew_document **document,
                              sinew_error *error) {
  switch (sinew_format_detect(text, size)) {
  case SINEW_FORMAT_URDF:
    return sinew_urdf_read(text, size, def, document, error);
  case SINEW_FORMAT_BVH:
    return sinew_bvh_read(text, size, def, document, error);
  case SINEW_FORMAT_UNKNOWN:
    break;
  }
  return fail(error, path, SINEW_ERROR_UNSUPPORTED,
              "is neither a URDF (first element <robot>) nor a BVH (first word HIERARCHY)");
}

sinew_result sinew_document_open(const char *path, const sinew_read_def *def,
                                 sinew_document **document, sinew_error *error) {
  if (document != NULL) {
    *document = NULL;
  }
  if (path == NULL || document == NULL) {
    return fail(error, "", SINEW_ERROR_ARGUMENT, "path and document must not be NULL");
  }
  sinew_read_def named = def != NULL ? *def : sinew_default_read_def();
  named.name = path;
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return fail(error, path, SINEW_ERROR_FILE,
                errno == ENOENT ? "does not exist" : "cannot be opened");
  }
  char *text = NULL;
  size_t size = 0;
  sinew_result result = read_file(path, file, &named, &text, &size, error);
  (void)fclose(file);
  if (result == SINEW_OK) {
    result = read_text(path, text, size, &named, document, error);
  }
  sinew_allocator_give(&named.allocator, text);
  return result;
}
