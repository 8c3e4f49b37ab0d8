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

// ---- Tips ----

int cli_tips_create(const cli_figure *figure, const cli_tip *wanted, int count, cli_tips *tips) {
  size_t room = (size_t)count;
  *tips = (cli_tips){.names = cli_allocate(room, sizeof *tips->names),
                     .tasks = cli_allocate(room, sizeof *tips->tasks),
                     .starts = cli_allocate(room, sizeof *tips->starts),
                     .count = count};
  for (int t = 0; t < count; ++t) {
    int link = cli_figure_find_link(figure, wanted[t].name);
    if (link < 0)
      return CLI_EXIT_REFUSED;
    for (int before = 0; before < t; ++before)
      if (tips->tasks[before].link == link)
        return cli_refuse("batch: --tip %s is given twice", wanted[t].name);
    tips->names[t] = wanted[t].name;
    tips->tasks[t] = sinew_default_task();
    tips->tasks[t].link = link;
  }
  return CLI_EXIT_DONE;
}

void cli_tips_destroy(cli_tips *tips) {
  free(tips->names);
  free(tips->tasks);
  free(tips->starts);
  *tips = (cli_tips){0};
}

static void place_values(cli_tips *tips) {
  tips->size = 0;
  for (int t = 0; t < tips->count; ++t) {
    tips->starts[t] = tips->size;
    tips->size += sinew_task_target_size(&tips->tasks[t]);
  }
}

bool cli_tips_fit(cli_tips *tips, uint64_t columns) {
  sinew_task task = sinew_default_task();
  for (int k = SINEW_TASK_POSITION; k <= SINEW_TASK_POSE; ++k) {
    task.kind = (sinew_task_kind)k;
    if (columns == (uint64_t)tips->count * (uint64_t)sinew_task_target_size(&task)) {
      for (int t = 0; t < tips->count; ++t)
        tips->tasks[t].kind = task.kind;
      place_values(tips);
      return true;
    }
  }
  return false;
}

void cli_tips_value_name(const cli_tips *tips, int value, char *text, size_t size) {
  int t = tips->count - 1;
  while (tips->starts[t] > value)
    --t;
  snprintf(text, size, "%s.%s", tips->names[t],
           sinew_task_target_column(&tips->tasks[t], value - tips->starts[t]));
}

// ---- The header of a CSV ----

// A header while it is read: for each column its tip and which of the seven values it is.
typedef struct header {
  const cli_csv *csv;
  const cli_figure *figure;
  cli_tips *tips;
  cli_columns joints;
  cli_use *uses; // of a target's column the index is the tip until kinds are known
  int *values;
} header;

static const char *joint_name_at(const void *columns, int index) {
  return ((const cli_columns *)columns)->columns[index].name;
}

static const char *tip_name_at(const void *tips, int index) {
  return ((const cli_tips *)tips)->names[index];
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
      head->uses[column] =
          joint->q_index < 0 ? (cli_use){CLI_USE_NONE, 0} : (cli_use){CLI_USE_SEED, joint->q_index};
      return CLI_EXIT_DONE;
    }
  }
  char near[1024];
  cli_figure_suggest_joint(head->figure, name, near, sizeof near);
  if (near[0] == '\0')
    cli_names_suggest(name, joint_name_at, &head->joints, head->joints.count, near, sizeof near);
  return refuse(head, column, "the model has no such joint's value", near);
}

static int parse_target(header *head, int column) {
  static const char wanted[] = "not x, y, z, qw, qx, qy, qz, nor one of these after LINK., nor "
                               "seed.JOINT, nor time";
  const char *name = head->csv->fields[column];
  const char *dot = strrchr(name, '.');
  int value = cli_target_value(dot ? dot + 1 : name), tip = 0;
  if (value < 0)
    return refuse(head, column, wanted, cli_csv_explain_header(head->csv));
  if (!dot && head->tips->count > 1)
    return refuse(head, column, "which --tip is it for? For several, columns are LINK.x and so on",
                  "");
  if (dot) {
    size_t length = (size_t)(dot - name);
    while (tip < head->tips->count && (strlen(head->tips->names[tip]) != length ||
                                       memcmp(head->tips->names[tip], name, length) != 0))
      ++tip;
    if (tip == head->tips->count) {
      char near[1024], *link = cli_allocate(length + 1, 1);
      memcpy(link, name, length);
      if (sinew_model_find_joint(head->figure->model, link) >= 0)
        cli_figure_suggest_link(head->figure, link, near, sizeof near);
      else
        cli_names_suggest(link, tip_name_at, head->tips, head->tips->count, near, sizeof near);
      free(link);
      return refuse(head, column, "its link is not one of --tip", near);
    }
  }
  head->uses[column] = (cli_use){CLI_USE_TARGET, tip};
  head->values[column] = value;
  return CLI_EXIT_DONE;
}

static int check_twice(const header *head, int column) {
  const cli_use *use = &head->uses[column];
  for (int i = 0; i < column && use->kind != CLI_USE_NONE; ++i)
    if (head->uses[i].kind == use->kind && head->uses[i].index == use->index &&
        head->values[i] == head->values[column])
      return refuse(head, column, "it appears twice", "");
  return CLI_EXIT_DONE;
}

// Kinds of tasks, and with them where each value stands in a row.
static int settle_targets(header *head) {
  cli_tips *tips = head->tips;
  for (int t = 0; t < tips->count; ++t) {
    unsigned values = 0;
    for (int i = 0; i < head->csv->field_count; ++i)
      if (head->uses[i].kind == CLI_USE_TARGET && head->uses[i].index == t)
        values |= 1u << head->values[i];
    int missing = cli_target_kind(values, &tips->tasks[t].kind);
    if (values == 0)
      return cli_refuse("%s:%d: there is no column for --tip %s, such as %s.x, %s.y, %s.z",
                        head->csv->path, head->csv->line, tips->names[t], tips->names[t],
                        tips->names[t], tips->names[t]);
    if (missing >= 0)
      return cli_refuse("%s:%d: the column %s of --tip %s is missing", head->csv->path,
                        head->csv->line, cli_target_suffix(missing), tips->names[t]);
  }
  place_values(tips);
  for (int i = 0; i < head->csv->field_count; ++i) {
    cli_use *use = &head->uses[i];
    if (use->kind == CLI_USE_TARGET)
      use->index =
          tips->starts[use->index] + cli_target_place(&tips->tasks[use->index], head->values[i]);
  }
  return CLI_EXIT_DONE;
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

int cli_problem_columns_read(const cli_csv *csv, const cli_figure *figure, cli_tips *tips,
                             cli_use **uses, bool *seeded) {
  size_t count = (size_t)csv->field_count;
  header head = {.csv = csv,
                 .figure = figure,
                 .tips = tips,
                 .joints = cli_columns_create(figure->model, &figure->document->model),
                 .uses = cli_allocate(count, sizeof(cli_use)),
                 .values = cli_allocate(count, sizeof(int))};
  *uses = head.uses;
  int exit_code = read_columns(&head, seeded);
  free(head.values);
  cli_columns_destroy(&head.joints);
  return exit_code;
}
