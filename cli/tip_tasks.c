// The tasks of --tip and of the options that follow it.
#include "tip_tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clip.h"
#include "command.h"
#include "message.h"
#include "names.h"
#include "target_columns.h"
#include "task_file.h"

// Kinds with a position and an orientation put together into a pose, which is one task.
static unsigned merged(unsigned kinds) {
  const unsigned parts = 1u << SINEW_TASK_POSITION | 1u << SINEW_TASK_ORIENTATION;
  return (kinds & parts) == parts ? (kinds & ~parts) | 1u << SINEW_TASK_POSE : kinds;
}

// A task of a --tip, but for its kind.
static int make_task(const cli_figure *figure, const cli_tip *tip, sinew_task *task) {
  *task = sinew_default_task();
  if ((task->link = cli_figure_find_link(figure, "--tip", tip->name)) < 0 ||
      (tip->frame &&
       (task->frame_link = cli_figure_find_link(figure, "--frame", tip->frame)) < 0) ||
      (tip->root && (task->chain_root = cli_figure_find_link(figure, "--root", tip->root)) < 0))
    return CLI_EXIT_REFUSED;
  task->level = tip->level > 0 ? tip->level : 0;
  if (tip->has_tool) {
    memcpy(task->point_l, tip->tool.position, sizeof task->point_l);
    memcpy(task->rotation_l, tip->tool.rotation, sizeof task->rotation_l);
  }
  return CLI_EXIT_DONE;
}

// The options that stand for fields.
static const cli_entry_field *fields_of(const cli_tip *tip, cli_task_list *list) {
  static const cli_entry_field options[] = {{"frame_link", "--frame"},
                                            {"chain_root", "--root"},
                                            {"axis_l", "--axis"},
                                            {"point_l", "--tool"},
                                            {"rotation_l", "--tool"},
                                            {"level", "--level"},
                                            {NULL, NULL}};
  const size_t count = sizeof options / sizeof options[0];
  cli_entry_field *fields = cli_task_list_allocate(list, count, sizeof *fields);
  for (size_t i = 0; options[i].name; ++i)
    fields[i] = (cli_entry_field){
        options[i].name, cli_task_list_text(list, "--tip %s: %s", tip->name, options[i].where)};
  return fields;
}

// The axis is for directions, beside which the tip may have a position.
static void add_kind(const cli_tip *tip, sinew_task task, sinew_task_kind kind,
                     cli_task_list *list) {
  task.kind = kind;
  if (sinew_task_kind_reads(kind, "axis_l"))
    memcpy(task.axis_l, tip->axis_l, sizeof task.axis_l);
  cli_task_list_add_task(list, &task, &tip->target);
}

static int add_tip(const cli_figure *figure, const cli_tip *tip, cli_task_list *list) {
  const unsigned kinds = merged(tip->kinds);
  sinew_task task;
  if (make_task(figure, tip, &task) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  cli_task_list_add_entry(list,
                          (cli_entry){.name = tip->name,
                                      .where = cli_task_list_text(list, "--tip %s", tip->name),
                                      .fields = fields_of(tip, list),
                                      .has_level = tip->level >= 0,
                                      .moving = kinds == 0 || tip->moving,
                                      .by_columns = kinds == 0});
  for (int kind = 0; kind < sinew_task_kind_count(); ++kind)
    if (kinds & 1u << kind)
      add_kind(tip, task, (sinew_task_kind)kind, list);
  if (kinds == 0) { // columns say which
    memcpy(task.axis_l, tip->axis_l, sizeof task.axis_l);
    cli_task_list_add_task(list, &task, &tip->target);
  }
  cli_entry *entry = &list->entries[list->entry_count - 1];
  entry->given = entry->moving ? 0 : cli_target_values(list, entry);
  return CLI_EXIT_DONE;
}

// --margin, --speed and --acceleration replace what a file says.
static void set_limits(const cli_request *wanted, const cli_figure *figure, cli_task_list *list) {
  cli_motion_limits *limits = &list->limits;
  if (cli_request_given(wanted, "margin"))
    limits->margin = wanted->margin;
  if (wanted->speed > 0)
    limits->speed_scale = wanted->speed;
  if (!(wanted->acceleration > 0))
    return;
  const int nv = sinew_model_nv(figure->model);
  limits->accelerations = cli_task_list_allocate(list, (size_t)nv, sizeof(double));
  for (int v = 0; v < nv; ++v)
    limits->accelerations[v] = wanted->acceleration;
}

// ---- --freeze, --posture, --damping ----

static int freeze(const cli_figure *figure, const char *names, cli_task_list *list) {
  char *name = cli_allocate(strlen(names) + 1, 1), near[1024];
  int exit_code = CLI_EXIT_DONE;
  for (const char *rest = names; rest && exit_code == CLI_EXIT_DONE;) {
    const size_t length = strcspn(rest, ",");
    snprintf(name, strlen(names) + 1, "%.*s", (int)length, rest);
    int joint = sinew_model_find_joint(figure->model, name);
    if (joint < 0) { // a blank after a comma
      memmove(name, name + strspn(name, " "), strlen(name + strspn(name, " ")) + 1);
      joint = sinew_model_find_joint(figure->model, name);
    }
    const char *fault = joint >= 0 ? cli_task_list_freeze(list, figure, joint) : NULL;
    if (joint < 0) {
      cli_figure_suggest_joint_name(figure, name, near, sizeof near);
      exit_code = cli_refuse("--freeze: there is no joint '%s'%s", name, near);
    } else if (fault) {
      exit_code = cli_refuse("--freeze: joint '%s': %s", name, fault);
    }
    rest = rest[length] == ',' ? rest + length + 1 : NULL;
  }
  free(name);
  return exit_code;
}

static const char *posture_word_at(const void *names, int index) {
  (void)names;
  static const char *const words[] = {"zero", "middle", "start"};
  return words[index];
}

// A posture's values: 'middle', numbers, or the first of a file. NULL after a message.
static double *read_posture(const cli_figure *figure, const char *posture, cli_task_list *list) {
  const size_t nq = (size_t)sinew_model_nq(figure->model);
  double *q = cli_task_list_allocate(list, nq, sizeof(double));
  const bool numbers = posture[strspn(posture, "0123456789+-.eE, ")] == '\0';
  cli_clip clip;
  if (access(posture, F_OK) != 0 && (numbers || strcmp(posture, "middle") == 0))
    return cli_figure_configuration(figure, "--posture", posture, q) == CLI_EXIT_DONE ? q : NULL;
  if (access(posture, F_OK) != 0) {
    const int reason = errno;
    char near[256];
    cli_names_suggest(posture, posture_word_at, NULL, 3, near, sizeof near);
    cli_refuse("--posture: %s: %s; it takes a file, 'zero', 'middle', 'start', or joint values%s",
               posture, strerror(reason), near);
    return NULL;
  }
  if (cli_clip_read(posture, figure, &clip) != CLI_EXIT_DONE)
    return NULL;
  memcpy(q, clip.q, nq * sizeof(double));
  cli_clip_destroy(&clip);
  return q;
}

static int add_posture(const cli_figure *figure, const char *posture, cli_task_list *list) {
  sinew_objective objective = sinew_default_objective();
  const bool start = strcmp(posture, "start") == 0;
  objective.kind = SINEW_OBJECTIVE_POSTURE;
  if (!start && strcmp(posture, "zero") != 0 &&
      (objective.posture = read_posture(figure, posture, list)) == NULL)
    return CLI_EXIT_REFUSED;
  cli_task_list_add_objective(list, &objective, (cli_entry){.where = "--posture"}, start);
  return CLI_EXIT_DONE;
}

static int add_objectives(const cli_request *wanted, const cli_figure *figure,
                          cli_task_list *list) {
  if (wanted->freeze && freeze(figure, wanted->freeze, list) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (wanted->posture && add_posture(figure, wanted->posture, list) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (wanted->damping > 0) {
    sinew_objective objective = sinew_default_objective();
    objective.kind = SINEW_OBJECTIVE_DAMPING;
    objective.weight = wanted->damping;
    cli_task_list_add_objective(list, &objective, (cli_entry){.where = "--damping"}, false);
  }
  return CLI_EXIT_DONE;
}

int cli_tip_tasks_add(const cli_request *wanted, cli_figure *figure, cli_task_list *list) {
  for (int i = 0; i < wanted->tip_count; ++i)
    if (add_tip(figure, &wanted->tips[i], list) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
  if (wanted->tasks && cli_task_file_read(wanted->tasks, figure, list) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (add_objectives(wanted, figure, list) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  set_limits(wanted, figure, list);
  cli_task_list_lower_gazes(list);
  cli_task_list_warn(list, figure);
  return CLI_EXIT_DONE;
}
