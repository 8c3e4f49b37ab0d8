// What a solver should do: tasks with their targets, objectives for joints, and limits of motion.
#include "task_list.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "mistakes.h"
#include "scenes/expect.h"

void cli_task_list_destroy(cli_task_list *list) {
  free(list->tasks);
  free(list->targets);
  free(list->entry_of);
  free(list->entries);
  free(list->objectives);
  free(list->objective_entries);
  free(list->from_start);
  for (int i = 0; i < list->kept_count; ++i)
    free(list->kept[i]);
  free(list->kept);
  *list = (cli_task_list){0};
}

// ---- Filling ----

static void *keep(cli_task_list *list, void *memory) {
  list->kept = cli_reallocate(list->kept, (size_t)list->kept_count + 1, sizeof *list->kept);
  return list->kept[list->kept_count++] = memory;
}

void *cli_task_list_allocate(cli_task_list *list, size_t count, size_t size) {
  return keep(list, cli_allocate(count, size));
}

const char *cli_task_list_text(cli_task_list *list, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
  char *text = cli_task_list_allocate(list, size, 1);
  vsnprintf(text, size, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

void cli_task_list_add_entry(cli_task_list *list, cli_entry entry) {
  const size_t count = (size_t)list->entry_count + 1;
  list->entries = cli_reallocate(list->entries, count, sizeof *list->entries);
  entry.first = list->count;
  entry.count = 0;
  list->entries[list->entry_count++] = entry;
}

void cli_task_list_add_task(cli_task_list *list, const sinew_task *task,
                            const sinew_target *target) {
  const size_t count = (size_t)list->count + 1;
  list->tasks = cli_reallocate(list->tasks, count, sizeof *list->tasks);
  list->targets = cli_reallocate(list->targets, count, sizeof *list->targets);
  list->entry_of = cli_reallocate(list->entry_of, count, sizeof *list->entry_of);
  list->tasks[list->count] = *task;
  list->targets[list->count] = *target;
  list->entry_of[list->count++] = list->entry_count - 1;
  ++list->entries[list->entry_count - 1].count;
}

void cli_task_list_add_objective(cli_task_list *list, const sinew_objective *objective,
                                 cli_entry entry, bool from_start) {
  const size_t count = (size_t)list->objective_count + 1;
  list->objectives = cli_reallocate(list->objectives, count, sizeof *list->objectives);
  list->objective_entries =
      cli_reallocate(list->objective_entries, count, sizeof *list->objective_entries);
  list->from_start = cli_reallocate(list->from_start, count, sizeof *list->from_start);
  list->objectives[list->objective_count] = *objective;
  entry.name = sinew_objective_kind_name(objective->kind);
  list->objective_entries[list->objective_count] = entry;
  list->from_start[list->objective_count++] = from_start;
}

int cli_task_list_find(const cli_task_list *list, const char *name, size_t length) {
  int found = -1;
  for (int e = 0; e < list->entry_count; ++e) {
    const char *other = list->entries[e].name;
    if (strncmp(other, name, length) == 0 && other[length] == '\0')
      found = found == -1 ? e : -2;
  }
  return found;
}

const char *cli_task_list_freeze(cli_task_list *list, const cli_figure *figure, int index) {
  sinew_joint joint;
  sinew_expect_ok(sinew_model_joint(figure->model, index, &joint));
  if (joint.driver >= 0)
    return "it is coupled to another joint, which can be frozen instead";
  if (joint.nv == 0)
    return "it is fixed";
  unsigned char **frozen = &list->limits.frozen;
  if (!*frozen)
    *frozen = cli_task_list_allocate(list, (size_t)sinew_model_nv(figure->model), 1);
  memset(*frozen + joint.v_index, 1, (size_t)joint.nv);
  return NULL;
}

void cli_task_list_lower_gazes(cli_task_list *list) {
  bool has_goal = false;
  for (int t = 0; t < list->count; ++t) {
    const sinew_task *task = &list->tasks[t];
    const bool goal = task->kind == SINEW_TASK_POSITION || task->kind == SINEW_TASK_ORIENTATION ||
                      task->kind == SINEW_TASK_POSE;
    has_goal = has_goal || (goal && task->level == 0 && task->required != SINEW_NOT_REQUIRED &&
                            task->influence > 0);
  }
  for (int t = 0; t < list->count; ++t) {
    sinew_task *task = &list->tasks[t];
    if (has_goal && task->kind == SINEW_TASK_LOOK_AT && !list->entries[list->entry_of[t]].has_level)
      task->level = 1;
  }
}

// ---- Setting a solver ----

static int larger(int a, int b) {
  return a > b ? a : b;
}

// How many different influences there are between 0 and 1; where there are none, but some below 1,
// one.
static int count_influences(const cli_task_list *list) {
  int different = 0;
  bool below = false;
  for (int t = 0; t < list->count; ++t) {
    const double influence = list->tasks[t].influence;
    below = below || influence < 1;
    bool is_new = influence > 0 && influence < 1;
    for (int before = 0; is_new && before < t; ++before)
      is_new = list->tasks[before].influence != influence;
    different += is_new;
  }
  return larger(different, below ? 1 : 0);
}

void cli_task_list_size(const cli_task_list *list, sinew_solver_def *def) {
  def->task_capacity = list->count;
  def->influences = count_influences(list);
  def->hard_rows = sinew_task_hard_rows(list->tasks, list->count);
  def->lower.objectives = list->objective_count;
  def->lower.levels = def->lower.rows = 0;
  for (int t = 0; t < list->count; ++t) {
    const sinew_task *task = &list->tasks[t];
    const bool soft = task->level > 0 || task->required == SINEW_NOT_REQUIRED;
    def->lower.levels = larger(def->lower.levels, soft ? larger(task->level, 1) : 0);
  }
  for (int i = 0; i < list->objective_count; ++i) {
    def->lower.levels = larger(def->lower.levels, list->objectives[i].level);
    def->lower.rows += list->objectives[i].kind == SINEW_OBJECTIVE_COUPLING ||
                       list->objectives[i].kind == SINEW_OBJECTIVE_POLE;
  }
}

unsigned char *cli_task_list_frozen(const cli_task_list *list, const unsigned char *also, int nv) {
  unsigned char *frozen = cli_allocate((size_t)nv, 1);
  for (int v = 0; v < nv; ++v)
    frozen[v] = (list->limits.frozen && list->limits.frozen[v]) || (also && also[v]);
  return frozen;
}

cli_limits_in_force cli_motion_limits_in_force(const cli_motion_limits *limits,
                                               const sinew_model *model) {
  return (cli_limits_in_force){.lower = limits->lower ? limits->lower : sinew_model_lower(model),
                               .upper = limits->upper ? limits->upper : sinew_model_upper(model),
                               .speeds =
                                   limits->speeds ? limits->speeds : sinew_model_velocity(model)};
}

static sinew_result set_limits(const cli_motion_limits *limits, bool timed, sinew_solver *solver) {
  sinew_result result = sinew_solver_set_gains(solver, limits->gains);
  if (result == SINEW_OK)
    result = sinew_solver_set_limits(solver, limits->lower, limits->upper);
  if (result == SINEW_OK && limits->margin > 0)
    result = sinew_solver_set_margins(solver, limits->margin, limits->margin);
  if (result == SINEW_OK && timed && (limits->speeds || limits->speed_scale > 0))
    result = sinew_solver_set_speeds(solver, limits->speeds,
                                     limits->speed_scale > 0 ? limits->speed_scale : 1);
  if (result == SINEW_OK && timed && limits->accelerations)
    result = sinew_solver_set_accelerations(solver, limits->accelerations);
  return result;
}

int cli_task_list_set_tasks(const cli_task_list *list, const cli_figure *figure,
                            const unsigned char *also, bool timed, sinew_solver *solver) {
  unsigned char *frozen = cli_task_list_frozen(list, also, sinew_model_nv(figure->model));
  sinew_error error = {0};
  sinew_result result = sinew_solver_set_frozen(solver, frozen);
  free(frozen);
  if (result == SINEW_OK)
    result = set_limits(&list->limits, timed, solver);
  if (result != SINEW_OK)
    return cli_refuse_error(sinew_solver_last_error(solver));
  return sinew_solver_set_tasks(solver, list->tasks, list->count, &error) == SINEW_OK
             ? CLI_EXIT_DONE
             : cli_task_list_refuse(list, &error);
}

bool cli_task_list_is_timed(const cli_task_list *list) {
  const cli_motion_limits *limits = &list->limits;
  return limits->speeds || limits->speed_scale > 0 || limits->accelerations;
}

int cli_task_list_set_objectives(const cli_task_list *list, const double *start,
                                 sinew_solver *solver) {
  sinew_error error = {0};
  for (int i = 0; i < list->objective_count; ++i)
    if (list->from_start[i])
      list->objectives[i].posture = start;
  return sinew_solver_set_objectives(solver, list->objectives, list->objective_count, &error) ==
                 SINEW_OK
             ? CLI_EXIT_DONE
             : cli_task_list_refuse(list, &error);
}

// ---- Messages ----

// The field with whose name a fault begins; NULL: none.
static const cli_entry_field *find_field(const cli_entry *entry, const char *fault) {
  const size_t length = strcspn(fault, " :");
  for (const cli_entry_field *field = entry->fields; field && field->name; ++field)
    if (strlen(field->name) == length && strncmp(field->name, fault, length) == 0)
      return field;
  return NULL;
}

int cli_task_list_refuse(const cli_task_list *list, const sinew_error *error) {
  // "task 3: its fault"
  int index = 0, begin = 0;
  const cli_entry *entry = NULL;
  if (sscanf(error->message, "task %d: %n", &index, &begin) == 1 && begin > 0 && index >= 0 &&
      index < list->count)
    entry = &list->entries[list->entry_of[index]];
  else if (sscanf(error->message, "objective %d: %n", &index, &begin) == 1 && begin > 0 &&
           index >= 0 && index < list->objective_count)
    entry = &list->objective_entries[index];
  const char *fault = error->message + begin;
  const cli_entry_field *field = entry ? find_field(entry, fault) : NULL;
  return field   ? cli_refuse("%s%s", field->where, fault + strlen(field->name))
         : entry ? cli_refuse("%s: %s", entry->where, fault)
                 : cli_refuse_settings(error);
}

int cli_task_list_refuse_some(const cli_task_list *list, const int *numbers,
                              const sinew_error *error) {
  sinew_error of_all = *error;
  int index = 0, begin = 0;
  if (sscanf(error->message, "task %d: %n", &index, &begin) == 1 && begin > 0)
    snprintf(of_all.message, sizeof of_all.message, "task %d: %s", numbers[index],
             error->message + begin);
  return cli_task_list_refuse(list, &of_all);
}

void cli_task_list_warn(const cli_task_list *list, const cli_figure *figure) {
  char text[512];
  for (int e = 0; e < list->entry_count; ++e) {
    const cli_entry *entry = &list->entries[e];
    cli_mistakes mistakes = cli_mistakes_begin(figure);
    for (int t = entry->first; t < entry->first + entry->count && !entry->moving; ++t)
      while (
          cli_mistakes_in_target(&mistakes, &list->tasks[t], &list->targets[t], text, sizeof text))
        cli_warn("%s: %s: %s", entry->where, sinew_task_kind_name(list->tasks[t].kind), text);
    if (entry->count > 0)
      cli_mistakes_warn_tool(figure, &list->tasks[entry->first], entry->where);
    cli_mistakes_end(&mistakes);
  }
}

bool cli_task_has_angle(const sinew_task *task) {
  return task->kind == SINEW_TASK_ORIENTATION || task->kind == SINEW_TASK_POSE ||
         task->kind == SINEW_TASK_DIRECTION || task->kind == SINEW_TASK_LOOK_AT ||
         task->kind == SINEW_TASK_YAW;
}

bool cli_task_has_distance(const sinew_task *task) {
  return task->kind == SINEW_TASK_POSE || !cli_task_has_angle(task);
}

bool cli_task_is_required(const sinew_task *task) {
  return task->required == SINEW_REQUIRED ||
         (task->required == SINEW_REQUIRED_BY_LEVEL && task->level == 0);
}
