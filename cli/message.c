// Messages on standard error, and memory that is never NULL.
#include "message.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

int cli_refuse(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text_message("sinew: ", format, arguments);
  va_end(arguments);
  return CLI_EXIT_REFUSED;
}

void cli_warn(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text_message("sinew: warning: ", format, arguments);
  va_end(arguments);
}

int cli_refuse_error(const sinew_error *error) {
  char line[1024];
  sinew_error_format(error, line, sizeof line);
  return cli_refuse("%s", line);
}

int cli_refuse_settings(const sinew_error *error) {
  const bool tolerance = strncmp(error->name, "tolerances.", strlen("tolerances.")) == 0;
  return tolerance ? cli_refuse("--tolerance: %s", error->message) : cli_refuse_error(error);
}

void cli_warn_error(const sinew_error *warning) {
  char line[1024];
  sinew_error_format(warning, line, sizeof line);
  cli_warn("%s", line);
}

char *cli_text_escaped(const char *text, sinew_text_use use) {
  char *escaped = text_escaped(text, use);
  if (!escaped)
    exit(cli_refuse("out of memory"));
  return escaped;
}

void *cli_allocate(size_t count, size_t size) {
  void *memory = calloc(count > 0 ? count : 1, size);
  if (!memory)
    exit(cli_refuse("out of memory"));
  return memory;
}

void *cli_reallocate(void *memory, size_t count, size_t size) {
  void *grown = count > SIZE_MAX / size ? NULL : realloc(memory, count * size);
  if (!grown)
    exit(cli_refuse("out of memory"));
  return grown;
}
