// --method, and the options that set constants of methods.
#include "method.h"

#include <stdio.h>
#include <string.h>

#include "message.h"

const char *cli_method_at(int index, int *value) {
  const sinew_method_info *method = sinew_method_info_of(index);
  *value = index;
  return method != NULL ? method->name : NULL;
}

const char *cli_dls_form_at(int index, int *value) {
  static const char *const names[] = {[SINEW_DLS_SMALLER] = "smaller",
                                      [SINEW_DLS_ROWS] = "rows",
                                      [SINEW_DLS_COLUMNS] = "columns",
                                      [SINEW_DLS_STACKED] = "stacked"};
  *value = index;
  return index < (int)(sizeof names / sizeof names[0]) ? names[index] : NULL;
}

const char *cli_damping_law_at(int index, int *value) {
  *value = index;
  return index < SINEW_DAMPING_COUNT ? sinew_damping_law_string((sinew_damping_law)index) : NULL;
}

static bool uses(int method, const char *field) {
  const char *const *used = sinew_method_info_of(method)->fields;
  while (*used && strcmp(*used, field) != 0)
    ++used;
  return *used != NULL;
}

// The methods that use a field: "A, B, C".
static void list_users(const char *field, char *text, size_t size) {
  size_t length = 0;
  text[0] = '\0';
  for (int m = 0; m < SINEW_METHOD_COUNT && length < size; ++m)
    if (uses(m, field))
      length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "",
                                 sinew_method_info_of(m)->name);
}

int cli_method_check(const cli_request *wanted) {
  const cli_option *option;
  char users[256];
  for (int i = 0; (option = cli_option_at(i)); ++i) {
    if (!wanted->given[i] || !option->solver_field || uses(wanted->method, option->solver_field))
      continue;
    list_users(option->solver_field, users, sizeof users);
    return cli_refuse("%s: --method %s does not use --%s; these do: %s", wanted->command->name,
                      sinew_method_info_of(wanted->method)->name, option->name, users);
  }
  if (wanted->constant_clamp && !cli_request_given(wanted, "error-clamp"))
    return cli_refuse("%s: --constant-clamp needs --error-clamp", wanted->command->name);
  return CLI_EXIT_DONE;
}

bool cli_method_has_constant(const cli_request *wanted) {
  const cli_option *option;
  bool found = cli_request_given(wanted, "max-turn");
  for (int i = 0; (option = cli_option_at(i)); ++i)
    found = found || (wanted->given[i] && option->solver_field);
  return found;
}

sinew_solver_def cli_method_solver(const cli_request *wanted) {
  sinew_solver_def def = wanted->solver;
  def.step.method = (sinew_method)wanted->method;
  def.step.error_clamp_adaptive = !wanted->constant_clamp;
  return def;
}
