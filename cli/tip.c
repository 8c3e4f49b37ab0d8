// Options that say more than one value: --tip with the targets that follow it, and --shard.
#include "tip.h"

#include <string.h>

#include "message.h"
#include "number.h"

#define MOST_SHARDS 1000000

// ---- --tip and its targets ----

int cli_tip_add(cli_request *wanted, const cli_option *option, const char *text,
                const double *values) {
  (void)option, (void)values;
  cli_tip *tip = &wanted->tips[wanted->tip_count++];
  *tip = (cli_tip){.name = text, .target = sinew_default_target(), .axis_l = {0, 0, 1}};
  return CLI_EXIT_DONE;
}

// What one of the target options says of a tip.
typedef struct target_kind {
  const char *name;
  unsigned part;       // of cli_tip.parts
  unsigned excludes;   // parts that the tip may not have yet
  const char *nonzero; // what may not have length 0, or NULL
  int first;           // its first value
} target_kind;

static const target_kind kinds[] = {
    {"pose", CLI_TIP_POSE, CLI_TIP_POSE | CLI_TIP_POSITION | CLI_TIP_ORIENTATION, "quaternion", 3},
    {"position", CLI_TIP_POSITION, CLI_TIP_POSE | CLI_TIP_POSITION, NULL, 0},
    {"orientation", CLI_TIP_ORIENTATION, CLI_TIP_POSE | CLI_TIP_ORIENTATION, "quaternion", 0},
    {"direction", CLI_TIP_DIRECTION, CLI_TIP_DIRECTION, "vector", 0},
    {"axis", CLI_TIP_AXIS, CLI_TIP_AXIS, "vector", 0},
};

static const target_kind *find_kind(const char *name) {
  const target_kind *kind = kinds;
  while (strcmp(kind->name, name) != 0)
    ++kind;
  return kind;
}

static bool is_zero(const double *values, int count) {
  for (int i = 0; i < count; ++i)
    if (values[i] != 0)
      return false;
  return true;
}

static void store(cli_tip *tip, unsigned part, const double *values) {
  sinew_target *target = &tip->target;
  tip->parts |= part;
  if (part & (CLI_TIP_POSE | CLI_TIP_POSITION))
    memcpy(target->position, values, sizeof target->position);
  if (part & (CLI_TIP_POSE | CLI_TIP_ORIENTATION))
    memcpy(target->rotation, values + (part == CLI_TIP_POSE ? 3 : 0), sizeof target->rotation);
  if (part == CLI_TIP_DIRECTION)
    memcpy(target->direction, values, sizeof target->direction);
  if (part == CLI_TIP_AXIS)
    memcpy(tip->axis_l, values, sizeof tip->axis_l);
}

int cli_tip_set_target(cli_request *wanted, const cli_option *option, const char *text,
                       const double *values) {
  (void)text;
  const target_kind *kind = find_kind(option->name);
  if (wanted->tip_count == 0)
    return cli_refuse("solve: --%s must follow the --tip it applies to", kind->name);

  cli_tip *tip = &wanted->tips[wanted->tip_count - 1];
  int count = cli_option_list_length(option) - kind->first;
  if (kind->nonzero && is_zero(values + kind->first, count))
    return cli_refuse("--%s: the %s has length 0", kind->name, kind->nonzero);
  if (tip->parts & kind->excludes)
    return cli_refuse("solve: --%s: --tip %s has such a target already", kind->name, tip->name);
  store(tip, kind->part, values);
  return CLI_EXIT_DONE;
}

// ---- --shard ----

// "2/5": part 2 of 5.
int cli_shard_set(cli_request *wanted, const cli_option *option, const char *text,
                  const double *values) {
  (void)option, (void)values;
  char part[16] = "";
  const char *slash = strchr(text, '/');
  if (!slash || slash == text || (size_t)(slash - text) >= sizeof part)
    return cli_refuse("--shard takes I/N, part I of N parts, 1/4 for example, not '%s'", text);
  memcpy(part, text, (size_t)(slash - text));
  if (cli_option_count("--shard: N", slash + 1, 1, MOST_SHARDS, &wanted->shard.n) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  return cli_option_count("--shard: I", part, 1, wanted->shard.n, &wanted->shard.i);
}
