// Options that say more than one value: --tip with the targets that follow it, and --shard.
#include "tip.h"

#include <string.h>

#include "message.h"
#include "mistakes.h"
#include "number.h"
#include "sinew/math.h"

#define MOST_SHARDS 1000000

// ---- --tip and its targets ----

int cli_tip_add(cli_request *wanted, const cli_option *option, const char *text,
                const double *values) {
  (void)option, (void)values;
  cli_tip *tip = &wanted->tips[wanted->tip_count++];
  *tip =
      (cli_tip){.name = text, .target = sinew_default_target(), .axis_l = {0, 0, 1}, .level = -1};
  return CLI_EXIT_DONE;
}

static bool is_zero(const double *values, int count) {
  for (int i = 0; i < count; ++i)
    if (values[i] != 0)
      return false;
  return true;
}

// The tip that an option belongs to; NULL after a message.
static cli_tip *last_tip(cli_request *wanted, const char *option) {
  if (wanted->tip_count > 0)
    return &wanted->tips[wanted->tip_count - 1];
  cli_refuse("%s: --%s must follow the --tip it applies to", wanted->command->name, option);
  return NULL;
}

static int refuse_twice(const cli_tip *tip, const char *option) {
  return cli_refuse(
      "--%s: --tip %s has a target already that excludes it; repeat the --tip for another", option,
      tip->name);
}

// Whether an option has the name of a kind: with - for _.
static bool is_named(const char *option, const char *kind) {
  while (*kind != '\0' && *option == (*kind == '_' ? '-' : *kind))
    ++option, ++kind;
  return *kind == '\0' && *option == '\0';
}

// Options of targets have the names of kinds of tasks.
static sinew_task find_kind(const char *name) {
  sinew_task task = sinew_default_task();
  while (!is_named(name, sinew_task_kind_name(task.kind)))
    ++task.kind;
  return task;
}

unsigned cli_tip_fields(const cli_tip *tip) {
  unsigned fields = 0;
  for (int kind = 0; kind < sinew_task_kind_count(); ++kind) {
    sinew_task task = sinew_default_task();
    task.kind = (sinew_task_kind)kind;
    fields |= (tip->kinds >> kind & 1u) != 0 ? sinew_task_target_fields(&task) : 0;
  }
  return fields;
}

int cli_tip_set_target(cli_request *wanted, const cli_option *option, const char *text,
                       const double *values) {
  (void)text;
  const sinew_task task = find_kind(option->name);
  cli_tip *tip = last_tip(wanted, option->name);
  if (!tip)
    return CLI_EXIT_REFUSED;
  sinew_target target = tip->target;
  if (values)
    sinew_target_unpack(&task, values, &target);
  tip->moving = !values;
  if (is_zero(target.rotation, 4))
    return cli_refuse("--%s: the quaternion has length 0", option->name);
  if (is_zero(target.direction, 3))
    return cli_refuse("--%s: the vector has length 0", option->name);
  const unsigned look_at = 1u << SINEW_TASK_LOOK_AT;
  if (tip->kinds != 0 && (tip->kinds == look_at) != (1u << task.kind == look_at) &&
      cli_tip_fields(tip) & sinew_task_target_fields(&task))
    return cli_refuse("%s: --look-at and a position are two points: repeat --tip %s before --%s",
                      wanted->command->name, tip->name, option->name);
  if (cli_tip_fields(tip) & sinew_task_target_fields(&task))
    return refuse_twice(tip, option->name);
  tip->target = target;
  tip->kinds |= 1u << task.kind;
  return CLI_EXIT_DONE;
}

int cli_tip_set_rpy(cli_request *wanted, const cli_option *option, const char *text,
                    const double *values) {
  static const char orientation[] = "orientation";
  cli_option as_orientation = *option;
  double q[4];
  as_orientation.name = orientation;
  cli_mistakes_warn_turns(values, 3, "--rpy");
  sinew_quaternion_from_rpy(values, q);
  return cli_tip_set_target(wanted, &as_orientation, text, q);
}

int cli_tip_set_axis(cli_request *wanted, const cli_option *option, const char *text,
                     const double *values) {
  (void)text;
  cli_tip *tip = last_tip(wanted, option->name);
  if (!tip)
    return CLI_EXIT_REFUSED;
  if (is_zero(values, 3))
    return cli_refuse("--%s: the vector has length 0", option->name);
  if (tip->has_axis)
    return refuse_twice(tip, option->name);
  tip->has_axis = true;
  memcpy(tip->axis_l, values, sizeof tip->axis_l);
  return CLI_EXIT_DONE;
}

int cli_tip_set_tool(cli_request *wanted, const cli_option *option, const char *text,
                     const double *values) {
  (void)text;
  cli_tip *tip = last_tip(wanted, option->name);
  if (!tip)
    return CLI_EXIT_REFUSED;
  if (is_zero(values + 3, 4))
    return cli_refuse("--%s: the quaternion has length 0", option->name);
  if (tip->has_tool)
    return cli_refuse("--%s: --tip %s has one already", option->name, tip->name);
  tip->has_tool = true;
  memcpy(tip->tool.position, values, sizeof tip->tool.position);
  memcpy(tip->tool.rotation, values + 3, sizeof tip->tool.rotation);
  return CLI_EXIT_DONE;
}

static int set_link(const cli_tip *tip, const cli_option *option, const char *text,
                    const char **link) {
  if (*link)
    return cli_refuse("--%s: --tip %s has one already", option->name, tip->name);
  *link = text;
  return CLI_EXIT_DONE;
}

int cli_tip_set_frame(cli_request *wanted, const cli_option *option, const char *text,
                      const double *values) {
  (void)values;
  cli_tip *tip = last_tip(wanted, option->name);
  return tip ? set_link(tip, option, text, &tip->frame) : CLI_EXIT_REFUSED;
}

int cli_tip_set_root(cli_request *wanted, const cli_option *option, const char *text,
                     const double *values) {
  (void)values;
  cli_tip *tip = last_tip(wanted, option->name);
  return tip ? set_link(tip, option, text, &tip->root) : CLI_EXIT_REFUSED;
}

int cli_tip_set_level(cli_request *wanted, const cli_option *option, const char *text,
                      const double *values) {
  (void)values;
  cli_tip *tip = last_tip(wanted, option->name);
  if (!tip)
    return CLI_EXIT_REFUSED;
  if (tip->level >= 0)
    return cli_refuse("--%s: --tip %s has one already", option->name, tip->name);
  return cli_option_count("--level", text, 0, CLI_MOST_LEVEL, &tip->level);
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
