// Where a value of a JSON file stands: its line and its name, for messages.
#include "json_place.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "file.h"

static int line_of(const char *text, const char *at) {
  int line = 1;
  for (; text < at; ++text)
    line += *text == '\n';
  return line;
}

int cli_json_place_open(const char *path, cli_json_place *place) {
  *place = (cli_json_place){.path = path};
  size_t size = 0;
  json_error_t fault;
  place->text = cli_file_read(path, &size);
  if (!place->text)
    return CLI_EXIT_REFUSED;
  const char *zero = memchr(place->text, '\0', size);
  if (zero) // jansson skips one that follows a number
    return cli_refuse("%s:%d: there is a zero byte", path, line_of(place->text, zero));
  if (strncmp(place->text, "\xef\xbb\xbf", 3) == 0) // some editors begin UTF-8 with it
    memset(place->text, ' ', 3);
  place->root = json_loadb(place->text, size, JSON_REJECT_DUPLICATES, &fault);
  return place->root ? CLI_EXIT_DONE : cli_refuse("%s:%d: %s", path, fault.line, fault.text);
}

void cli_json_place_close(cli_json_place *place) {
  json_decref(place->root);
  free(place->text);
  *place = (cli_json_place){0};
}

// ---- Going down and up ----

static void enter(cli_json_place *place, int number) {
  place->lengths[place->depth] = strlen(place->name);
  place->numbers[place->depth++] = number;
}

void cli_json_place_enter_member(cli_json_place *place, int number, const char *key) {
  enter(place, number);
  const size_t length = strlen(place->name);
  snprintf(place->name + length, sizeof place->name - length, "%s%s", length > 0 ? "." : "", key);
}

void cli_json_place_enter_element(cli_json_place *place, int number) {
  enter(place, number);
  const size_t length = strlen(place->name);
  snprintf(place->name + length, sizeof place->name - length, "[%d]", number);
}

void cli_json_place_leave(cli_json_place *place) {
  place->name[place->lengths[--place->depth]] = '\0';
}

bool cli_json_place_enter_name(cli_json_place *place, const json_t *object, const char *name) {
  const char *key;
  json_t *value;
  int number = 0;
  json_object_foreach((json_t *)object, key, value) {
    if (strcmp(key, name) == 0) {
      cli_json_place_enter_member(place, number, key);
      return true;
    }
    ++number;
  }
  return false;
}

// ---- Lines ----
//
// The text has been read without an error, so that it need not be checked again.

static const char *skip_blanks(const char *text) {
  return text + strspn(text, " \t\r\n");
}

// @param text at its quote
static const char *skip_string(const char *text) {
  for (++text; *text != '"'; ++text)
    text += *text == '\\';
  return text + 1;
}

static const char *skip_value(const char *text) {
  int depth = 0;
  do {
    if (*text == '"') {
      text = skip_string(text);
      continue;
    }
    depth += *text == '{' || *text == '[';
    depth -= *text == '}' || *text == ']';
    ++text;
  } while (depth > 0 || (*text != '\0' && !strchr(",]} \t\r\n", *text)));
  return text;
}

// From a key to its value.
static const char *skip_key(const char *text) {
  return skip_blanks(skip_blanks(skip_string(text)) + 1);
}

// Past a member or an element and the comma after it.
static const char *skip_part(const char *text, bool member) {
  text = skip_blanks(skip_value(member ? skip_key(text) : text));
  return *text == ',' ? skip_blanks(text + 1) : text;
}

// Where it stands in the text: of a member its key.
static const char *find(const cli_json_place *place) {
  const char *text = skip_blanks(place->text);
  for (int level = 0; level < place->depth; ++level) {
    // A key, since the member of an object was the last to be entered
    text = *text == '"' ? skip_key(text) : text;
    const bool object = *text == '{';
    text = skip_blanks(text + 1);
    for (int i = 0; i < place->numbers[level]; ++i)
      text = skip_part(text, object);
  }
  return text;
}

int cli_json_place_line(const cli_json_place *place) {
  return line_of(place->text, find(place));
}

int cli_json_place_member_lines(const cli_json_place *place, int *lines) {
  const char *text = find(place), *last = text;
  const int start = line_of(place->text, text);
  int line = start;
  text = skip_blanks((*text == '"' ? skip_key(text) : text) + 1);
  for (int i = 0; *text != '}'; ++i) {
    line += line_of(last, text) - 1;
    lines[i] = line;
    last = text;
    text = skip_part(text, true);
  }
  return start;
}

int cli_json_place_refuse(const cli_json_place *place, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const int line = cli_json_place_line(place);
  return place->name[0] != '\0' ? cli_refuse("%s:%d: %s: %s", place->path, line, place->name, text)
                                : cli_refuse("%s:%d: %s", place->path, line, text);
}

int cli_json_place_refuse_name(cli_json_place *place, const json_t *object, const char *name,
                               const char *message) {
  if (!cli_json_place_enter_name(place, object, name))
    return cli_json_place_refuse(place, "%s%s%s", name, name[0] != '\0' ? ": " : "", message);
  const int exit_code = cli_json_place_refuse(place, "%s", message);
  cli_json_place_leave(place);
  return exit_code;
}
