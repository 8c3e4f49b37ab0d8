// What the columns of a batch's targets are for: the header of a CSV, the width of a NPY.
#include "problem_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "command.h"
#include "message.h"
#include "names.h"
#include "target_columns.h"

#define SEED_PREFIX "seed."

// ---- Rows ----

void cli_target_row_destroy(cli_target_row *row) {
  free(row->starts);
  free(row->places);
  free(row->constants);
  *row = (cli_target_row){0};
}

// Where each value stands, once kinds are known.
static void place_values(cli_target_row *row) {
  const cli_task_list *list = row->list;
  row->starts = cli_allocate((size_t)list->count, sizeof *row->starts);
  row->places = cli_allocate((size_t)list->count * CLI_TARGET_VALUES, sizeof *row->places);
  row->size = 0;
  for (int t = 0; t < list->count; ++t) {
    row->starts[t] = row->size;
    for (int i = 0; i < CLI_TARGET_VALUES; ++i) {
      const int place = cli_target_place(&list->tasks[t], i);
      row->places[t * CLI_TARGET_VALUES + i] = place < 0 ? -1 : row->size + place;
    }
    row->size += sinew_task_target_size(&list->tasks[t]);
  }
  row->constants = cli_allocate((size_t)row->size, sizeof *row->constants);
  for (int t = 0; t < list->count; ++t)
    sinew_target_pack(&list->tasks[t], &list->targets[t], row->constants + row->starts[t]);
}

void cli_target_row_set(const cli_target_row *row, const cli_use *use, double number,
                        double *values) {
  const cli_entry *entry = &row->list->entries[use->index];
  for (int t = entry->first; t < entry->first + entry->count; ++t) {
    const int place = row->places[t * CLI_TARGET_VALUES + use->value];
    if (place >= 0)
      values[place] = number;
  }
}

#define POSITION 0x007u
#define ROTATION 0x078u

// What columns can add to an entry whose target options give: the rest of a pose.
static unsigned rest_of_pose(const cli_task_list *list, const cli_entry *entry) {
  const sinew_task_kind kind = list->tasks[entry->first].kind;
  if (entry->fixed || entry->given == 0 || entry->count != 1)
    return 0;
  return kind == SINEW_TASK_ORIENTATION ? POSITION : kind == SINEW_TASK_POSITION ? ROTATION : 0;
}

// The values of an entry that have columns in a NPY.
// @param undecided those of an entry whose kind columns decide
// @param whether columns give the rest of poses, too
static unsigned npy_values(const cli_task_list *list, const cli_entry *entry, unsigned undecided,
                           bool rest) {
  if (!entry->moving)
    return rest ? rest_of_pose(list, entry) : 0;
  return entry->by_columns ? undecided : cli_target_values(list, entry);
}

// The columns of a NPY for such values; NULL where their number is another.
static cli_use *npy_uses(cli_task_list *list, unsigned undecided, bool rest, uint64_t columns) {
  cli_use *uses = cli_allocate((size_t)list->entry_count * CLI_TARGET_VALUES, sizeof *uses);
  uint64_t count = 0;
  for (int e = 0; e < list->entry_count; ++e) {
    const unsigned values = npy_values(list, &list->entries[e], undecided, rest);
    for (int i = 0; i < CLI_TARGET_VALUES; ++i)
      if (values >> i & 1u)
        uses[count++] = (cli_use){CLI_USE_TARGET, e, i};
  }
  if (count == columns && count > 0)
    return uses;
  free(uses);
  return NULL;
}

bool cli_target_row_fit(cli_target_row *row, uint64_t columns, cli_use **uses) {
  static const unsigned undecided[] = {POSITION, ROTATION, POSITION | ROTATION};
  cli_task_list *list = row->list;
  *uses = NULL;
  for (int k = 0; k < 6 && !*uses; ++k) { // the rest of poses where nothing else fits
    const bool rest = k >= 3;
    *uses = npy_uses(list, undecided[k % 3], rest, columns);
    for (int e = 0; *uses && e < list->entry_count; ++e) {
      cli_entry *entry = &list->entries[e];
      const unsigned values = npy_values(list, entry, undecided[k % 3], rest);
      if (values != 0)
        cli_target_settle(list, entry, values);
    }
  }
  if (*uses)
    place_values(row);
  return *uses != NULL;
}

void cli_target_row_name(const cli_target_row *row, int value, char *text, size_t size) {
  const cli_task_list *list = row->list;
  int t = list->count - 1;
  while (row->starts[t] > value)
    --t;
  snprintf(text, size, "%s.%s", list->entries[list->entry_of[t]].name,
           sinew_task_target_column(&list->tasks[t], value - row->starts[t]));
}

// ---- The header of a CSV ----

// A header while it is read.
typedef struct header {
  const cli_csv *csv;
  const cli_figure *figure;
  cli_target_row *row;
  cli_columns joints;
  cli_use *uses;
} header;

static const char *joint_name_at(const void *columns, int index) {
  return ((const cli_columns *)columns)->columns[index].name;
}

static const char *entry_name_at(const void *list, int index) {
  return ((const cli_task_list *)list)->entries[index].name;
}

static int refuse(const header *head, int column, const char *fault, const char *near) {
  return cli_refuse("%s:%d: column %d, '%s': %s%s", head->csv->path, head->csv->line, column + 1,
                    head->csv->fields[column], fault, near);
}

// A seed's value; those of coupled joints are ignored.
static int parse_seed(header *head, int column) {
  const char *name = head->csv->fields[column] + strlen(SEED_PREFIX);
  for (int i = 0; i < head->joints.count; ++i) {
    const cli_column *joint = &head->joints.columns[i];
    if (strcmp(joint->name, name) == 0) {
      head->uses[column] = joint->q_index < 0
                               ? (cli_use){.kind = CLI_USE_NONE}
                               : (cli_use){.kind = CLI_USE_SEED, .index = joint->q_index};
      return CLI_EXIT_DONE;
    }
  }
  char near[1024];
  cli_figure_suggest_joint(head->figure, name, near, sizeof near);
  if (near[0] == '\0')
    cli_names_suggest(name, joint_name_at, &head->joints, head->joints.count, near, sizeof near);
  return refuse(head, column, "the model has no such joint's value", near);
}

// The only entry that columns without a name can be for; -1: there are several, or none.
static int only_entry(const cli_task_list *list) {
  int only = -1, moving = 0, any = 0;
  for (int e = 0; e < list->entry_count; ++e)
    if (!list->entries[e].fixed) {
      moving += list->entries[e].moving;
      any += 1;
      only = only < 0 || (list->entries[e].moving && moving == 1) ? e : only;
    }
  return moving == 1 || any == 1 ? only : -1;
}

// Whether some tasks are of a tasks file, so that names are not only those of --tip.
static bool has_file(const cli_task_list *list) {
  bool some = false;
  for (int e = 0; e < list->entry_count; ++e)
    some = some || strncmp(list->entries[e].where, "--tip ", strlen("--tip ")) != 0;
  return some;
}

static int refuse_entry(const header *head, int column, size_t length, int found) {
  const cli_task_list *list = head->row->list;
  char near[1024], *name = cli_allocate(length + 1, 1);
  memcpy(name, head->csv->fields[column], length);
  if (sinew_model_find_joint(head->figure->model, name) >= 0)
    cli_figure_suggest_link(head->figure, name, near, sizeof near);
  else
    cli_names_suggest(name, entry_name_at, list, list->entry_count, near, sizeof near);
  free(name);
  return found == -2 ? refuse(head, column,
                              "several tasks have this name; a tasks file can give them others", "")
         : found >= 0
             ? refuse(head, column, "this task takes no target", "")
             : refuse(head, column,
                      has_file(list) ? "no task has this name" : "its link is not one of --tip",
                      near);
}

static int parse_target(header *head, int column) {
  static const char wanted[] =
      "not x, y, z, qw, qx, qy, qz, dx, dy, dz, distance, nor one of these "
      "after LINK., nor seed.JOINT, nor time";
  const cli_task_list *list = head->row->list;
  const char *name = head->csv->fields[column];
  const char *dot = strrchr(name, '.');
  const size_t length = dot ? (size_t)(dot - name) : 0;
  const int value = cli_target_value(dot ? dot + 1 : name);
  if (value < 0)
    return refuse(head, column, wanted, cli_csv_explain_header(head->csv));
  const int entry = dot ? cli_task_list_find(list, name, length) : only_entry(list);
  if (!dot && entry < 0)
    return refuse(head, column,
                  has_file(list)
                      ? "which task is it for? For several, columns are NAME.x and so on"
                      : "which --tip is it for? For several, columns are LINK.x and so on",
                  "");
  if (entry < 0 || list->entries[entry].fixed)
    return refuse_entry(head, column, length, entry);
  head->uses[column] = (cli_use){CLI_USE_TARGET, entry, value};
  return CLI_EXIT_DONE;
}

static int check_twice(const header *head, int column) {
  const cli_use *use = &head->uses[column];
  for (int i = 0; i < column && use->kind != CLI_USE_NONE; ++i)
    if (head->uses[i].kind == use->kind && head->uses[i].index == use->index &&
        head->uses[i].value == use->value)
      return refuse(head, column, "it appears twice", "");
  return CLI_EXIT_DONE;
}

// The columns of an entry: none, where it has a target, or all.
static int settle_entry(const header *head, int index) {
  cli_task_list *list = head->row->list;
  cli_entry *entry = &list->entries[index];
  unsigned values = 0;
  for (int i = 0; i < head->csv->field_count; ++i)
    if (head->uses[i].kind == CLI_USE_TARGET && head->uses[i].index == index)
      values |= 1u << head->uses[i].value;
  if (values == 0)
    return entry->moving ? cli_refuse("%s:%d: there is no column for %s, such as %s.x, %s.y, %s.z",
                                      head->csv->path, head->csv->line, entry->where, entry->name,
                                      entry->name, entry->name)
                         : CLI_EXIT_DONE;
  const int value = cli_target_settle(list, entry, values);
  return value < 0 ? CLI_EXIT_DONE
                   : cli_refuse("%s:%d: the column %s of %s %s", head->csv->path, head->csv->line,
                                cli_target_suffix(value), entry->where,
                                cli_target_fault(entry, values, value));
}

// Kinds of tasks, and with them where each value stands in a row.
static int settle_targets(header *head) {
  int exit_code = CLI_EXIT_DONE;
  for (int e = 0; e < head->row->list->entry_count && exit_code == CLI_EXIT_DONE; ++e)
    exit_code = settle_entry(head, e);
  if (exit_code == CLI_EXIT_DONE)
    place_values(head->row);
  return exit_code;
}

// A seed is complete or absent.
static int settle_seeds(const header *head, bool *seeded) {
  *seeded = false;
  for (int i = 0; i < head->csv->field_count; ++i)
    *seeded = *seeded || head->uses[i].kind == CLI_USE_SEED;
  for (int j = 0; *seeded && j < head->joints.count; ++j) {
    const cli_column *joint = &head->joints.columns[j];
    bool found = joint->q_index < 0;
    for (int i = 0; i < head->csv->field_count; ++i)
      found =
          found || (head->uses[i].kind == CLI_USE_SEED && head->uses[i].index == joint->q_index);
    if (!found)
      return cli_refuse("%s:%d: the column seed.%s is missing: a seed needs a value for each joint "
                        "that is not coupled",
                        head->csv->path, head->csv->line, joint->name);
  }
  return CLI_EXIT_DONE;
}

static int read_columns(header *head, bool *seeded) {
  for (int i = 0; i < head->csv->field_count; ++i) {
    const char *name = head->csv->fields[i];
    int exit_code = CLI_EXIT_DONE;
    if (strncmp(name, SEED_PREFIX, strlen(SEED_PREFIX)) == 0)
      exit_code = parse_seed(head, i);
    else if (strcmp(name, "time") != 0)
      exit_code = parse_target(head, i);
    if (exit_code != CLI_EXIT_DONE || check_twice(head, i) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
  }
  int exit_code = settle_targets(head);
  return exit_code == CLI_EXIT_DONE ? settle_seeds(head, seeded) : exit_code;
}

int cli_problem_columns_read(const cli_csv *csv, const cli_figure *figure, cli_target_row *row,
                             cli_use **uses, bool *seeded) {
  header head = {.csv = csv,
                 .figure = figure,
                 .row = row,
                 .joints = cli_columns_create(figure->model, &figure->document->model),
                 .uses = cli_allocate((size_t)csv->field_count, sizeof(cli_use))};
  *uses = head.uses;
  int exit_code = read_columns(&head, seeded);
  cli_columns_destroy(&head.joints);
  return exit_code;
}
