// Texts of the result codes, and error reports.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SINEW_QUOTE(x) #x
#define SINEW_VERSION_STRING(a, b, c) SINEW_QUOTE(a) "." SINEW_QUOTE(b) "." SINEW_QUOTE(c)

const char *sinew_version(void) {
  return SINEW_VERSION_STRING(SINEW_VERSION_MAJOR, SINEW_VERSION_MINOR, SINEW_VERSION_PATCH);
}

const char *sinew_result_string(sinew_result result) {
  switch (result) {
  case SINEW_OK:
    return "success";
  case SINEW_ERROR_ARGUMENT:
    return "invalid argument";
  case SINEW_ERROR_INDEX:
    return "index out of range";
  case SINEW_ERROR_NOT_FINITE:
    return "not a finite number";
  case SINEW_ERROR_CAPACITY:
    return "capacity exceeded";
  case SINEW_ERROR_MEMORY:
    return "out of memory";
  case SINEW_ERROR_MODEL:
    return "invalid model definition";
  case SINEW_ERROR_FILE:
    return "file cannot be used";
  case SINEW_ERROR_SYNTAX:
    return "file is not well formed";
  case SINEW_ERROR_UNSUPPORTED:
    return "not supported";
  case SINEW_ERROR_TOO_LARGE:
    return "too large";
  }
  return "unknown result";
}

void sinew_error_copy(char *field, size_t size, const char *text) {
  size_t length = text != NULL ? strlen(text) : 0;
  if (length >= size) {
    length = size - 1;
  }
  if (length > 0) {
    memcpy(field, text, length);
  }
  field[length] = '\0';
}

sinew_result sinew_error_set(sinew_error *error, sinew_result code, const char *name,
                             const char *format, ...) {
  if (error == NULL) {
    return code;
  }
  error->code = code;
  error->line = 0;
  error->file[0] = '\0';
  sinew_error_copy(error->name, sizeof error->name, name);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return code;
}

size_t sinew_error_format(const sinew_error *error, char *text, size_t size) {
  char line[16] = "";
  if (error->line > 0) {
    snprintf(line, sizeof line, "%d: ", error->line);
  }
  const char *message =
      error->message[0] != '\0' ? error->message : sinew_result_string(error->code);
  const int length = snprintf(text, size, "%s%s%s%s%s%s", error->file,
                              error->file[0] == '\0' ? "" : (line[0] != '\0' ? ":" : ": "), line,
                              error->name, error->name[0] != '\0' ? ": " : "", message);
  return length > 0 ? (size_t)length : 0;
}
