// The names of methods in options.
#include "method.h"

#include "sinew/solver.h"

const char *cli_method_at(int index, int *value) {
  const sinew_method_info *method = sinew_method_info_of(index);
  *value = index;
  return method != NULL ? method->name : NULL;
}
