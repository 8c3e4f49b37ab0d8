// The names of methods in options.
#include "method.h"

#include "sinew/solver.h"

const char *cli_method_at(int index, int *value) {
  *value = index;
  return index < SINEW_METHOD_COUNT ? sinew_method_string((sinew_method)index) : NULL;
}
