// The lengths of bones, as --stretch says.
#include "bones.h"

#include <stdlib.h>

#include "message.h"

bones cli_bones_find(const cli_figure *figure, bool stretch) {
  bones found = {.count = 0};
  if (!stretch && !bones_find(&figure->document->model, figure->model, &found))
    exit(cli_refuse("out of memory"));
  return found;
}
