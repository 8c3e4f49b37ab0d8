// The names of methods in options.
#include "method.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "message.h"

int cli_option_method(const char *text, sinew_method *method) {
  char list[256] = "";
  size_t length = 0;
  for (int i = 0; i < SINEW_METHOD_COUNT; ++i) {
    const char *name = sinew_method_string((sinew_method)i);
    if (strcmp(text, name) == 0) {
      *method = (sinew_method)i;
      return CLI_EXIT_DONE;
    }
    length += (size_t)snprintf(list + length, sizeof list - length, " %s", name);
  }
  return cli_refuse("there is no method '%s'; there are:%s", text, list);
}
