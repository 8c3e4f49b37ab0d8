// Reading a command line by the option table.
#include "parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "names.h"
#include "number.h"
#include "tip.h"

#define MOST_LIST_VALUES 8

// A command line while it is read.
typedef struct word_list {
  const cli_command *command;
  int count, next; // words, and the one to read
  char **words;
} word_list;

// ---- Values ----

static void *field_of(cli_request *wanted, const cli_option *option) {
  return (char *)wanted + option->field;
}

static int set_choice(const cli_option *option, const char *text, int *out) {
  const char *name;
  int value = 0;
  for (int i = 0; (name = option->choice_at(i, &value)); ++i) {
    if (strcmp(name, text) == 0) {
      *out = value;
      return CLI_EXIT_DONE;
    }
  }
  char list[512] = "";
  cli_option_list_choices(option, list, sizeof list);
  return cli_refuse("--%s takes one of %s, not '%s'", option->name, list, text);
}

static int set_list(const cli_option *option, const char *text, cli_request *wanted) {
  if (!text)
    return option->set(wanted, option, NULL, NULL);
  double values[MOST_LIST_VALUES];
  char name[64];
  snprintf(name, sizeof name, "--%s", option->name);
  if (cli_option_numbers(name, text, option->value, values, cli_option_list_length(option)) !=
      CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  return option->set(wanted, option, text, values);
}

static int set_text(const cli_option *option, const char *text, cli_request *wanted) {
  if (text[0] == '\0')
    return cli_refuse("--%s takes %s, not an empty text", option->name,
                      option->kind == CLI_OPTION_TEXT ? option->value : "the name of a file");
  if (option->set)
    return option->set(wanted, option, text, NULL);
  *(const char **)field_of(wanted, option) = text;
  return CLI_EXIT_DONE;
}

// @param text NULL: without a value
static int set_value(const cli_option *option, const char *text, cli_request *wanted) {
  char name[64];
  void *field = field_of(wanted, option);
  snprintf(name, sizeof name, "--%s", option->name);
  switch (option->kind) {
  case CLI_OPTION_FLAG:
    *(bool *)field = true;
    return CLI_EXIT_DONE;
  case CLI_OPTION_NUMBER:
    return cli_option_number(name, text, option->least, option->most, option->unit, field);
  case CLI_OPTION_COUNT:
    return cli_option_count(name, text, (int)option->least, (int)option->most, field);
  case CLI_OPTION_CHOICE:
    return set_choice(option, text, field);
  case CLI_OPTION_LIST:
  case CLI_OPTION_OPTIONAL_LIST:
    return set_list(option, text, wanted);
  case CLI_OPTION_TEXT:
  case CLI_OPTION_FILE:
    return set_text(option, text, wanted);
  case CLI_OPTION_OPTIONAL_FILE:
    return text ? set_text(option, text, wanted) : CLI_EXIT_DONE;
  }
  return CLI_EXIT_REFUSED;
}

// ---- Words ----

// Names of the options that a command takes, with their dashes.
typedef struct name_list {
  char names[CLI_MOST_OPTIONS][32];
  int count;
} name_list;

static const char *option_name_at(const void *names, int index) {
  return ((const name_list *)names)->names[index];
}

static int refuse_unknown(const cli_command *command, const char *word) {
  name_list list = {.count = 0};
  const cli_option *option;
  char near[256], name[64];
  for (int i = 0; (option = cli_option_at(i)); ++i)
    if (cli_option_taken(option, command))
      snprintf(list.names[list.count++], sizeof list.names[0], "--%s", option->name);
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  cli_names_suggest(name, option_name_at, &list, list.count, near, sizeof near);
  return cli_refuse("%s: there is no option '%s'%s See 'sinew %s --help'", command->name, name,
                    near[0] != '\0' ? near : ".", command->name);
}

// Whether a word is written as an option of the command, "--json" or "--out=FILE".
static int find_option(const cli_command *command, const char *word) {
  if (strcmp(word, "-h") == 0)
    word = "--help";
  return strncmp(word, "--", 2) == 0 ? cli_option_find(command, word + 2, strcspn(word + 2, "="))
                                     : -1;
}

static int refuse_missing(const word_list *words, const cli_option *option) {
  return cli_refuse("%s: --%s needs a value: --%s %s; see 'sinew %s --help'", words->command->name,
                    option->name, option->name, option->value, words->command->name);
}

// Whether a word can be a list of numbers: its first is one.
static bool is_number_list(const char *word) {
  char first[CLI_NUMBER_SIZE] = "";
  double value;
  const size_t length = word ? strcspn(word, ",") : 0;
  if (length == 0 || length >= sizeof first)
    return false;
  memcpy(first, word, length);
  return cli_number_parse(first, &value);
}

// The value of an option: what follows "=", or the next word.
// @param value NULL: there is none, and none is needed
static int take_value(word_list *words, const cli_option *option, const char *equals,
                      const char **value) {
  const char *next = words->next < words->count ? words->words[words->next] : NULL;
  *value = NULL;
  if (option->kind == CLI_OPTION_FLAG)
    return equals ? cli_refuse("%s: --%s takes no value, but has '%s'", words->command->name,
                               option->name, equals + 1)
                  : CLI_EXIT_DONE;
  if (equals) {
    *value = equals + 1;
    return CLI_EXIT_DONE;
  }
  if (option->kind == CLI_OPTION_OPTIONAL_FILE && (!next || next[0] == '-'))
    return CLI_EXIT_DONE;
  if (option->kind == CLI_OPTION_OPTIONAL_LIST && !is_number_list(next))
    return CLI_EXIT_DONE;
  // A number may begin with a dash, but an option is no value of another.
  if (!next || find_option(words->command, next) >= 0)
    return refuse_missing(words, option);
  ++words->next;
  *value = next;
  return CLI_EXIT_DONE;
}

// Only what belongs to a --tip may be repeated, and a flag: of two values one would have no effect.
static int check_repeated(const cli_command *command, const cli_option *option, bool given) {
  const bool repeatable = option->set && option->set != cli_shard_set;
  return given && option->kind != CLI_OPTION_FLAG && !repeatable
             ? cli_refuse("%s: --%s is given twice; it takes one value: --%s %s", command->name,
                          option->name, option->name, option->value)
             : CLI_EXIT_DONE;
}

static int read_option(word_list *words, const char *word, cli_request *wanted) {
  int index = find_option(words->command, word);
  if (index < 0)
    return refuse_unknown(words->command, word);
  const cli_option *option = cli_option_at(index);
  const char *value;
  if (check_repeated(words->command, option, wanted->given[index]) != CLI_EXIT_DONE ||
      take_value(words, option, strchr(word, '='), &value) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  wanted->given[index] = true;
  return set_value(option, value, wanted);
}

static int read_word(const cli_command *command, const char *word, cli_request *wanted) {
  if (wanted->word)
    return cli_refuse("%s: one %s at a time, but there is also '%s'", command->name, command->word,
                      word);
  wanted->word = word;
  return CLI_EXIT_DONE;
}

int cli_parse(const cli_command *command, int count, char **words, cli_request *wanted) {
  word_list list = {.command = command, .count = count, .words = words};
  *wanted = (cli_request){.command = command, .tips = cli_allocate((size_t)count, sizeof(cli_tip))};
  if (command->set_defaults)
    command->set_defaults(wanted);
  bool only_words = false;
  while (list.next < count && !wanted->help) {
    const char *word = words[list.next++];
    int exit_code = CLI_EXIT_DONE;
    if (!only_words && strcmp(word, "--") == 0)
      only_words = true;
    else if (!only_words && word[0] == '-' && word[1] != '\0')
      exit_code = read_option(&list, word, wanted);
    else
      exit_code = read_word(command, word, wanted);
    if (exit_code != CLI_EXIT_DONE)
      return exit_code;
  }

  // In 'fk --motion MODEL' the only word is the model, with its own motion.
  if (!wanted->word && wanted->motion) {
    wanted->word = wanted->motion;
    wanted->motion = NULL;
  }
  if (!wanted->word && !wanted->help)
    return cli_refuse("%s: %s is missing; see 'sinew %s --help'", command->name, command->word,
                      command->name);
  return CLI_EXIT_DONE;
}

void cli_request_free(cli_request *wanted) {
  free(wanted->tips);
  *wanted = (cli_request){0};
}
