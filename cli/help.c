// The help texts, from the commands' descriptions and the option table.
#include "help.h"

#include <stdio.h>
#include <string.h>

#include "experiments/text.h"
#include "options.h"

// Where the texts of options begin.
#define TEXT_COLUMN 20

// The name of a choice's value.
static const char *choice_name(const cli_option *option, int wanted) {
  int value = 0;
  const char *name = option->choice_at(0, &value);
  for (int i = 1; name && value != wanted; ++i)
    name = option->choice_at(i, &value);
  return name;
}

// The default of an option in words, or as its field has it; empty where there is none.
static void write_default(const cli_request *defaults, const cli_option *option, char *text,
                          size_t size) {
  const void *field = (const char *)defaults + option->field;
  const char *name = option->default_text;
  text[0] = '\0';
  if (!name && !option->set && option->kind == CLI_OPTION_TEXT)
    name = *(const char *const *)field;
  if (!name && option->kind == CLI_OPTION_CHOICE)
    name = choice_name(option, *(const int *)field);

  if (name)
    snprintf(text, size, " Default: %s", name);
  else if (option->kind == CLI_OPTION_NUMBER && *(const double *)field > 0)
    snprintf(text, size, " Default: %g", *(const double *)field);
  else if (option->kind == CLI_OPTION_COUNT && *(const int *)field > 0)
    snprintf(text, size, " Default: %d", *(const int *)field);
}

static void print_option(const cli_request *defaults, const cli_option *option) {
  char text[1024], fallback[128], choices[256] = "";
  write_default(defaults, option, fallback, sizeof fallback);
  if (option->choice_at)
    cli_option_list_choices(option, choices, sizeof choices);
  bool has_unit = option->unit != NULL;
  snprintf(text, sizeof text, "%s%s%s%s%s%s.%s", option->help,
           choices[0] != '\0' ? ". One of " : "", choices, has_unit ? " [" : "",
           has_unit ? option->unit : "", has_unit ? "]" : "", fallback);

  bool may_be_missing =
      option->kind == CLI_OPTION_OPTIONAL_FILE || option->kind == CLI_OPTION_OPTIONAL_LIST;
  int used = printf("  --%s", option->name);
  if (option->value)
    used += printf(may_be_missing ? " [%s]" : " %s", option->value);
  if (used + 2 > TEXT_COLUMN)
    printf("\n%*s", TEXT_COLUMN, "");
  else
    printf("%*s", TEXT_COLUMN - used, "");
  text_wrap(text, TEXT_COLUMN);
}

void cli_help_print(const cli_command *command) {
  cli_request defaults = {.command = command};
  if (command->set_defaults)
    command->set_defaults(&defaults);
  printf("usage: sinew %s %s\n\n", command->name, command->usage);
  text_wrap(command->about, 0);
  puts("\noptions:");
  const cli_option *option;
  for (int i = 0; (option = cli_option_at(i)); ++i)
    if (cli_option_taken(option, command))
      print_option(&defaults, option);
  if (command->print_more) {
    putchar('\n');
    command->print_more();
  }
  if (command->notes) {
    putchar('\n');
    text_wrap(command->notes, 0);
  }
  printf("\nexamples:\n%s", command->examples);
}
