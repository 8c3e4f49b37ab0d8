// The text of a journal.
#include "journal_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "json.h"

// A number that may need all 64 bits is a text.
static void set_checksum(json_t *object, const char *name, uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%016" PRIx64, value);
  json_object_set_new(object, name, json_string(text));
}

static bool get_checksum(const json_t *object, const char *name, uint64_t *value) {
  const char *text = json_string_value(json_object_get(object, name));
  char *end = NULL;
  if (!text || strlen(text) != 16)
    return false;
  *value = strtoull(text, &end, 16);
  return *end == '\0';
}

static void set_count(json_t *object, const char *name, uint64_t value) {
  json_object_set_new(object, name, json_integer((json_int_t)value));
}

static json_t *part_object(const cli_mark_part *part) {
  json_t *object = json_object();
  set_count(object, "from", part->from);
  set_count(object, "to", part->to);
  set_checksum(object, "checksum", part->checksum);
  return object;
}

static json_t *mark_object(const cli_mark *mark) {
  json_t *object = json_object(), *outcomes = json_array();
  set_count(object, "bytes", mark->bytes);
  set_count(object, "head_bytes", mark->head_bytes);
  set_checksum(object, "checksum", mark->checksum);
  set_count(object, "row", mark->place.row);
  set_count(object, "targets_byte", mark->place.byte);
  set_count(object, "targets_line", (uint64_t)mark->place.line);
  set_count(object, "seeds_byte", mark->place.seed_byte);
  json_object_set_new(object, "targets", part_object(&mark->targets));
  json_object_set_new(object, "seeds", part_object(&mark->seeds));
  for (int i = 0; i < SINEW_OUTCOME_COUNT; ++i)
    json_array_append_new(outcomes, json_integer((json_int_t)mark->outcomes[i]));
  json_object_set_new(object, "outcomes", outcomes);
  return object;
}

static bool get_count(const json_t *object, const char *name, uint64_t *value) {
  const json_t *number = json_object_get(object, name);
  *value = (uint64_t)json_integer_value(number);
  return json_is_integer(number) && json_integer_value(number) >= 0;
}

static bool read_part(const json_t *object, cli_mark_part *part) {
  return get_count(object, "from", &part->from) && get_count(object, "to", &part->to) &&
         get_checksum(object, "checksum", &part->checksum) && part->from <= part->to;
}

static bool read_mark(const json_t *object, cli_mark *mark) {
  uint64_t line = 0;
  const json_t *outcomes = json_object_get(object, "outcomes");
  bool good = get_count(object, "bytes", &mark->bytes) &&
              get_count(object, "head_bytes", &mark->head_bytes) &&
              mark->head_bytes <= mark->bytes &&
              get_checksum(object, "checksum", &mark->checksum) &&
              get_count(object, "row", &mark->place.row) &&
              get_count(object, "targets_byte", &mark->place.byte) &&
              get_count(object, "targets_line", &line) && line <= INT32_MAX &&
              get_count(object, "seeds_byte", &mark->place.seed_byte) &&
              read_part(json_object_get(object, "targets"), &mark->targets) &&
              read_part(json_object_get(object, "seeds"), &mark->seeds) &&
              json_array_size(outcomes) == SINEW_OUTCOME_COUNT;
  mark->place.line = (int)line;
  for (size_t i = 0; good && i < SINEW_OUTCOME_COUNT; ++i)
    mark->outcomes[i] = (uint64_t)json_integer_value(json_array_get(outcomes, i));
  return good;
}

// Of all members but itself.
static uint64_t journal_checksum(json_t *object) {
  json_object_del(object, "checksum");
  char *text = cli_json_dump(object, JSON_COMPACT);
  const uint64_t checksum = cli_checksum_of(text, strlen(text));
  free(text);
  return checksum;
}

char *cli_journal_text(json_t *about, const cli_mark *mark, bool finished) {
  json_t *object = json_object();
  json_object_set(object, "about", about);
  json_object_set_new(object, "finished", json_boolean(finished));
  json_object_set_new(object, "mark", mark_object(mark));
  set_checksum(object, "checksum", journal_checksum(object));
  char *text = cli_json_dump(object, JSON_INDENT(2));
  json_decref(object);
  return text;
}

static cli_journal_fault parse(json_t *object, cli_mark *mark) {
  uint64_t checksum = 0;
  if (!get_checksum(object, "checksum", &checksum) ||
      !read_mark(json_object_get(object, "mark"), mark))
    return CLI_JOURNAL_OTHER;
  return journal_checksum(object) == checksum ? CLI_JOURNAL_GOOD : CLI_JOURNAL_DAMAGED;
}

cli_journal_fault cli_journal_parse(const char *text, size_t size, json_t **about, cli_mark *mark,
                                    bool *finished) {
  json_error_t error;
  json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
  const cli_journal_fault fault = parse(object, mark);
  *finished = json_is_true(json_object_get(object, "finished"));
  *about = json_incref(json_object_get(object, "about"));
  json_decref(object);
  return fault;
}
