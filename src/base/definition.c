// Default values and checks of definitions: see definition.h.
#include "base/definition.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

void sinew_definition_init(void *def, size_t size, const void *defaults) {
  sinew_definition_head head;
  memcpy(&head, defaults, sizeof head);
  if (size == head.size) {
    memcpy(def, defaults, size);
    return;
  }
  memset(def, 0, size);
  if (size >= sizeof head) {
    head.size = (uint32_t)size;
    memcpy(def, &head, sizeof head);
  }
}

sinew_result sinew_definition_check(const void *def, const sinew_definition *kind, int index,
                                    sinew_error *error) {
  sinew_definition_head head = {0, 0};
  if (def != NULL) {
    memcpy(&head, def, sizeof head);
  }
  if (head.cookie == kind->cookie && head.size == kind->size) {
    return SINEW_OK;
  }
  char number[48] = "";
  if (index >= 0) {
    snprintf(number, sizeof number, "%s %d: ", kind->noun, index);
  }
  return head.cookie == kind->cookie
             ? sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                               "%s%s has %zu bytes here and %zu in the program: they were built "
                               "against different headers",
                               number, kind->type, kind->size, (size_t)head.size)
             : sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "%s%s does not come from %s",
                               number, kind->type, kind->function);
}
