/// Files of any format: read into memory, detected, and given to the reader of their format.
#include "document.h"
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/// Doubles the capacity of a buffer and keeps its bytes.
static int grow(const sinew_allocator *allocator, char **text, size_t *capacity) {
  size_t larger = *capacity == 0 ? (size_t)64 * 1024 : *capacity * 2;
  char *moved = larger > *capacity ? sinew_allocator_allocate(allocator, larger) : NULL;
  if (moved == NULL) {
    return 0;
  }
  if (*capacity > 0) {
    memcpy(moved, *text, *capacity);
  }
  sinew_allocator_release(allocator, *text);
  *text = moved;
  *capacity = larger;
  return 1;
}

/// Reads a whole file, at most one byte more than max_bytes. The size is not determined first: a
/// pipe has none.
static sinew_result read_file(const char *path, FILE *file, const sinew_read_def *def, char **text,
                              size_t *size, sinew_error *error) {
  size_t capacity = 0;
  while (*size <= def->max_bytes) {
    if (*size == capacity && !grow(&def->allocator, text, &capacity)) {
      return sinew_fail(error, path, SINEW_ERROR_MEMORY, "out of memory");
    }
    errno = 0;
    size_t count = fread(*text + *size, 1, capacity - *size, file);
    *size += count;
    if (ferror(file)) {
      return sinew_fail(error, path, SINEW_ERROR_FILE,
                        errno == EISDIR ? "is a folder" : "cannot be read");
    }
    if (count == 0) {
      return SINEW_OK;
    }
  }
  return sinew_fail(error, path, SINEW_ERROR_TOO_LARGE, "is larger than the limit (max_bytes)");
}

/// "URDF (first element <robot>), BVH (first word HIERARCHY)": all that can be read.
static void list_formats(char *list, size_t size) {
  const sinew_format_info *info = NULL;
  size_t used = 0;
  list[0] = '\0';
  for (int f = 1; (info = sinew_format_describe((sinew_format)f)) != NULL && used < size; ++f) {
    used += (size_t)snprintf(list + used, size - used, "%s%s (%s)", f > 1 ? ", " : "", info->name,
                             info->content);
  }
}

sinew_result sinew_document_read(const char *text, size_t size, const sinew_read_def *def,
                                 sinew_document **document, sinew_error *error) {
  const sinew_reader *reader = sinew_reader_find(sinew_format_detect(text, size));
  const char *name = def != NULL && def->name != NULL ? def->name : "input";
  if (document != NULL) {
    *document = NULL;
  }
  if (text == NULL || document == NULL) {
    return sinew_fail(error, name, SINEW_ERROR_ARGUMENT, "text and document must not be NULL");
  }
  if (reader == NULL) {
    char list[256], message[320];
    list_formats(list, sizeof list);
    snprintf(message, sizeof message, "unknown format; sinew reads %s", list);
    return sinew_fail(error, name, SINEW_ERROR_UNSUPPORTED, message);
  }
  return reader->read(text, size, def, document, error);
}

sinew_result sinew_document_open(const char *path, const sinew_read_def *def,
                                 sinew_document **document, sinew_error *error) {
  if (document != NULL) {
    *document = NULL;
  }
  if (path == NULL || document == NULL) {
    return sinew_fail(error, "", SINEW_ERROR_ARGUMENT, "path and document must not be NULL");
  }
  sinew_read_def named = def != NULL ? *def : sinew_default_read_def();
  named.name = path;
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return sinew_fail(error, path, SINEW_ERROR_FILE,
                      errno == ENOENT ? "does not exist" : "cannot be opened");
  }
  char *text = NULL;
  size_t size = 0;
  sinew_result result = read_file(path, file, &named, &text, &size, error);
  (void)fclose(file);
  if (result == SINEW_OK) {
    result = sinew_document_read(text, size, &named, document, error);
  }
  sinew_allocator_release(&named.allocator, text);
  return result;
}
