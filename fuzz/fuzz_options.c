// Any words as a command line: refused with one line, or all values that were given are in the
// ranges of their options.
//
// A line is a word; the first names the command.
#include "cli/message.h"
#include "cli/parse.h"
#include "messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const cli_command *const commands[] = {&cli_command_info,  &cli_command_fk,
                                              &cli_command_solve, &cli_command_track,
                                              &cli_command_batch, &cli_command_experiment};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void require(bool holds) {
  if (!holds)
    abort();
}

// The command that a word names; any for another word.
static const cli_command *find_command(const char *word) {
  for (int i = 0; i < COMMAND_COUNT; ++i)
    if (strcmp(commands[i]->name, word) == 0)
      return commands[i];
  return commands[(unsigned char)word[0] % COMMAND_COUNT];
}

// Splits a terminated text into words. Returns their number.
static int split(char *text, size_t size, char **words) {
  int count = 0;
  for (size_t i = 0, begin = 0; i <= size; ++i) {
    if (text[i] != '\n' && text[i] != '\0')
      continue;
    text[i] = '\0';
    words[count++] = text + begin;
    begin = i + 1;
  }
  return count;
}

static bool is_choice(const cli_option *option, int chosen) {
  int value = 0;
  for (int i = 0; option->choice_at(i, &value); ++i)
    if (value == chosen)
      return true;
  return false;
}

// The field of an option that was given.
static void check_field(const cli_request *wanted, const cli_option *option) {
  const void *field = (const char *)wanted + option->field;
  switch (option->kind) {
  case CLI_OPTION_FLAG:
    require(*(const bool *)field);
    return;
  case CLI_OPTION_NUMBER: {
    const double value = *(const double *)field;
    require(isfinite(value) && value >= option->least && value <= option->most);
    return;
  }
  case CLI_OPTION_COUNT: {
    const int value = *(const int *)field;
    require(value >= option->least && value <= option->most);
    return;
  }
  case CLI_OPTION_CHOICE:
    require(is_choice(option, *(const int *)field));
    return;
  case CLI_OPTION_TEXT:
  case CLI_OPTION_FILE:
    require(*(const char *const *)field && **(const char *const *)field != '\0');
    return;
  case CLI_OPTION_LIST:
  case CLI_OPTION_OPTIONAL_LIST:
  case CLI_OPTION_OPTIONAL_FILE: // may be the model
    return;
  }
}

static void check_tip(const cli_tip *tip) {
  double rotation = 0, axis = 0;
  for (int i = 0; i < 4; ++i)
    rotation += fabs(tip->target.rotation[i]);
  for (int i = 0; i < 3; ++i) {
    axis += fabs(tip->axis_l[i]);
    require(isfinite(tip->target.position[i]) && isfinite(tip->target.direction[i]));
  }
  require(tip->name[0] != '\0' && rotation > 0 && axis > 0);
}

static void check_request(const cli_request *wanted, int words) {
  const cli_option *option;
  for (int i = 0; (option = cli_option_at(i)); ++i) {
    const bool given = wanted->given[i];
    require(!given || cli_option_taken(option, wanted->command));
    require(!given || cli_request_given(wanted, option->name));
    if (given && !option->set)
      check_field(wanted, option);
  }
  require(wanted->word || wanted->help);
  require(wanted->tip_count >= 0 && wanted->tip_count <= words);
  for (int i = 0; i < wanted->tip_count; ++i)
    check_tip(&wanted->tips[i]);
  if (cli_request_given(wanted, "shard"))
    require(wanted->shard.i >= 1 && wanted->shard.i <= wanted->shard.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = cli_allocate(size + 1, 1);
  char **words = cli_allocate(size + 1, sizeof *words);
  if (size > 0)
    memcpy(text, data, size);
  const int count = split(text, size, words) - 1;
  cli_request wanted;
  messages_keep();
  const int exit_code = cli_parse(find_command(words[0]), count, words + 1, &wanted);
  require(messages_check(exit_code != CLI_EXIT_DONE) == 0);
  if (exit_code == CLI_EXIT_DONE)
    check_request(&wanted, count);
  else
    require(exit_code == CLI_EXIT_REFUSED);
  cli_request_free(&wanted);
  free(words);
  free(text);
  return 0;
}
