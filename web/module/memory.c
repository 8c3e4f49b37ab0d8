// Memory and errors.
#include "module.h"

#include <stdlib.h>
#include <string.h>

sinew_error web_error;
static char text[1024];

sinew_result web_fail(const sinew_error *error) {
  if (error != &web_error)
    web_error = *error;
  return web_error.code;
}

sinew_result web_fail_with(sinew_result code, const char *message) {
  memset(&web_error, 0, sizeof web_error);
  web_error.code = code;
  strncpy(web_error.message, message, sizeof web_error.message - 1);
  return code;
}

EXPORT(version) const char *web_version(void) {
  return sinew_version();
}

// 0 bytes are taken as 1, so that NULL means that there is no memory.
EXPORT(memory_take) void *web_memory_take(size_t size) {
  return malloc(size > 0 ? size : 1);
}

EXPORT(memory_release) void web_memory_release(void *memory) {
  free(memory);
}

EXPORT(error_line) int web_error_line(void) {
  return web_error.line;
}

EXPORT(error_name) const char *web_error_name(void) {
  return web_error.name;
}

EXPORT(error_message) const char *web_error_message(void) {
  return web_error.message;
}

EXPORT(error_text) const char *web_error_text(void) {
  sinew_error_format(&web_error, text, sizeof text);
  return text;
}

EXPORT(result_name) const char *web_result_name(int result) {
  return sinew_result_string((sinew_result)result);
}
