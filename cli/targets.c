// Targets of end effectors, frame by frame: a CSV.
#include "targets.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "csv.h"
#include "file.h"
#include "message.h"
#include "mistakes.h"
#include "names.h"
#include "number.h"
#include "target_columns.h"

enum { COLUMN_TIME = -1 };

// What a column is for: an entry and one of its target's values, or the time.
typedef struct column {
  int entry; // COLUMN_TIME: the time
  int value;
} column;

typedef struct header {
  column *columns;
  char **names;
  int count;
} header;

void cli_targets_destroy(cli_targets *targets) {
  free(targets->time);
  free(targets->targets);
  *targets = (cli_targets){0};
}

// ---- The header ----

static const char *entry_name_at(const void *list, int index) {
  return ((const cli_task_list *)list)->entries[index].name;
}

static int refuse_link(const cli_csv *csv, int index, const cli_figure *figure,
                       const cli_task_list *list) {
  const char *name = csv->fields[index];
  char near[1024] = "";
  if (list->entry_count > 0)
    cli_names_suggest(name, entry_name_at, list, list->entry_count, near, sizeof near);
  if (near[0] == '\0')
    cli_figure_suggest_link(figure, name, near, sizeof near);
  return cli_refuse("%s:%d: column %d: there is no %slink '%s'%s%s", csv->path, csv->line,
                    index + 1, list->entry_count > 0 ? "task or " : "", name, near,
                    cli_csv_explain_header(csv));
}

// A new entry for a link that the list does not have, by its columns.
static int add_link(const cli_figure *figure, int link, cli_task_list *list) {
  const char *name = sinew_model_link_name(figure->model, link);
  const sinew_target target = sinew_default_target();
  sinew_task task = sinew_default_task();
  task.link = link;
  cli_task_list_add_entry(
      list, (cli_entry){.name = name, .where = name, .moving = true, .by_columns = true});
  cli_task_list_add_task(list, &task, &target);
  return list->entry_count - 1;
}

// The entry that a column is for; -1 after a message.
// @param name without the suffix
static int find_entry(const cli_csv *csv, int index, const cli_figure *figure,
                      cli_task_list *list) {
  const char *name = csv->fields[index];
  const int entry = cli_task_list_find(list, name, strlen(name));
  if (entry == -2)
    return cli_refuse("%s:%d: column %d: several tasks have the name '%s'; a tasks file can give "
                      "them other names",
                      csv->path, csv->line, index + 1, name),
           -1;
  if (entry >= 0 && list->entries[entry].fixed)
    return cli_refuse("%s:%d: column %d: %s takes no target", csv->path, csv->line, index + 1,
                      list->entries[entry].where),
           -1;
  if (entry >= 0)
    return entry;
  const int link = sinew_model_find_link(figure->model, name);
  return link < 0 ? (refuse_link(csv, index, figure, list), -1) : add_link(figure, link, list);
}

static int parse_column(const cli_csv *csv, int index, const cli_figure *figure,
                        cli_targets *targets, column *out) {
  const char *name = csv->fields[index];
  if (strcmp(name, "time") == 0) {
    *out = (column){COLUMN_TIME, 0};
    return CLI_EXIT_DONE;
  }

  // A name may hold dots.
  char *dot = strrchr(csv->fields[index], '.');
  int value = dot ? cli_target_value(dot + 1) : -1;
  if (value < 0)
    return cli_refuse("%s:%d: %s: column %d is neither 'time' nor LINK.x, .y, .z, .qw, .qx, .qy, "
                      ".qz, .dx, .dy, .dz or .distance%s",
                      csv->path, csv->line, name, index + 1, cli_csv_explain_header(csv));

  *dot = '\0';
  const int entry = find_entry(csv, index, figure, targets->list);
  if (entry < 0)
    return CLI_EXIT_REFUSED;
  *dot = '.';
  *out = (column){entry, value};
  return CLI_EXIT_DONE;
}

static int check_twice(const cli_csv *csv, const header *head, int index) {
  const column *last = &head->columns[index];
  for (int i = 0; i < index; ++i)
    if (head->columns[i].entry == last->entry && head->columns[i].value == last->value)
      return cli_refuse("%s:%d: %s: column %d appears twice", csv->path, csv->line,
                        csv->fields[index], index + 1);
  return CLI_EXIT_DONE;
}

// Which values an entry has columns for, as bits.
static unsigned values_of(const header *head, int entry) {
  unsigned values = 0;
  for (int i = 0; i < head->count; ++i)
    if (head->columns[i].entry == entry)
      values |= 1u << head->columns[i].value;
  return values;
}

// An entry without columns keeps its target; one with columns has all that its tasks read.
static int settle(const cli_csv *csv, const header *head, int index, cli_task_list *list) {
  cli_entry *entry = &list->entries[index];
  const unsigned values = values_of(head, index);
  if (values == 0 && entry->moving)
    return cli_refuse("%s:%d: %s has neither a target nor columns %s.x and so on", csv->path,
                      csv->line, entry->where, entry->name);
  const int value = values != 0 ? cli_target_settle(list, entry, values) : -1;
  if (value >= 0)
    return cli_refuse("%s:%d: %s.%s: the column %s", csv->path, csv->line, entry->name,
                      cli_target_suffix(value), cli_target_fault(entry, values, value));
  return CLI_EXIT_DONE;
}

static int read_header(const cli_csv *csv, const cli_figure *figure, cli_targets *targets,
                       header *head) {
  head->count = csv->field_count;
  head->columns = cli_allocate((size_t)head->count, sizeof *head->columns);
  head->names = cli_allocate((size_t)head->count, sizeof *head->names);
  bool timed = false;
  for (int i = 0; i < head->count; ++i) {
    if (parse_column(csv, i, figure, targets, &head->columns[i]) != CLI_EXIT_DONE ||
        check_twice(csv, head, i) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
    head->names[i] = csv->fields[i];
    timed = timed || head->columns[i].entry == COLUMN_TIME;
  }

  if (!timed)
    return cli_refuse("%s:%d: time: the column is missing", csv->path, csv->line);
  if (targets->list->count == 0)
    return cli_refuse("%s:%d: it has no target: columns LINK.x, LINK.y, LINK.z", csv->path,
                      csv->line);
  for (int e = 0; e < targets->list->entry_count; ++e)
    if (settle(csv, head, e, targets->list) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
  return CLI_EXIT_DONE;
}

// ---- The rows ----

static void make_room(cli_targets *targets, int *capacity) {
  if (targets->frame_count < *capacity)
    return;
  *capacity = 2 * *capacity + 64;
  size_t frames = (size_t)*capacity;
  targets->time = cli_reallocate(targets->time, frames, sizeof *targets->time);
  targets->targets = cli_reallocate(targets->targets, frames * (size_t)targets->list->count,
                                    sizeof *targets->targets);
}

static bool is_zero(const double *values, int count) {
  for (int i = 0; i < count; ++i)
    if (values[i] != 0)
      return false;
  return true;
}

static const char *name_of(const cli_task_list *list, int task) {
  return list->entries[list->entry_of[task]].name;
}

static int check_frame(const cli_csv *csv, const cli_targets *targets, const sinew_target *frame) {
  const cli_task_list *list = targets->list;
  int f = targets->frame_count;
  if (f > 0 && targets->time[f] <= targets->time[f - 1])
    return cli_refuse("%s:%d: time: it must increase from row to row", csv->path, csv->line);
  for (int t = 0; t < list->count; ++t) {
    if (is_zero(frame[t].rotation, 4))
      return cli_refuse("%s:%d: %s: a quaternion of length 0", csv->path, csv->line,
                        name_of(list, t));
    if (is_zero(frame[t].direction, 3))
      return cli_refuse("%s:%d: %s: a direction of length 0", csv->path, csv->line,
                        name_of(list, t));
  }
  return CLI_EXIT_DONE;
}

static void warn_of_mistakes(const cli_csv *csv, cli_mistakes *mistakes, const cli_targets *targets,
                             const sinew_target *frame) {
  const cli_task_list *list = targets->list;
  char text[512];
  for (int t = 0; t < list->count; ++t)
    while (cli_mistakes_in_target(mistakes, &list->tasks[t], &frame[t], text, sizeof text))
      cli_warn("%s:%d: %s: %s", csv->path, csv->line, name_of(list, t), text);
}

// Reads the current record as the next frame.
static int read_frame(const cli_csv *csv, cli_mistakes *mistakes, const header *head,
                      cli_targets *targets) {
  const cli_task_list *list = targets->list;
  sinew_target *frame = targets->targets + (size_t)targets->frame_count * (size_t)list->count;
  memcpy(frame, list->targets, (size_t)list->count * sizeof *frame);
  for (int i = 0; i < head->count; ++i) {
    double value;
    if (!cli_number_parse(csv->fields[i], &value))
      return cli_refuse("%s:%d: %s: column %d: '%s' is not a finite number", csv->path, csv->line,
                        head->names[i], i + 1, csv->fields[i]);
    const column *use = &head->columns[i];
    if (use->entry == COLUMN_TIME) {
      targets->time[targets->frame_count] = value;
      continue;
    }
    const cli_entry *entry = &list->entries[use->entry];
    for (int t = entry->first; t < entry->first + entry->count; ++t)
      *cli_target_at(&frame[t], use->value) = value;
  }
  warn_of_mistakes(csv, mistakes, targets, frame);
  return check_frame(csv, targets, frame);
}

static int read_frames(cli_csv *csv, cli_mistakes *mistakes, const header *head,
                       cli_targets *targets) {
  int capacity = 0;
  cli_csv_status status;
  while ((status = cli_csv_next(csv)) == CLI_CSV_RECORD) {
    if (csv->field_count != head->count)
      return cli_refuse("%s:%d: %d fields, but the header has %d", csv->path, csv->line,
                        csv->field_count, head->count);
    make_room(targets, &capacity);
    if (read_frame(csv, mistakes, head, targets) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
    ++targets->frame_count;
  }
  if (status == CLI_CSV_END && targets->frame_count == 0)
    return cli_refuse("%s:%d: no row follows the header", csv->path, csv->line);
  return status == CLI_CSV_END ? CLI_EXIT_DONE : CLI_EXIT_REFUSED;
}

static int read_csv(const char *path, char *text, const cli_figure *figure, cli_targets *targets) {
  cli_csv csv = cli_csv_open(path, text);
  header head = {0};
  int exit_code = CLI_EXIT_REFUSED;
  cli_csv_status status = cli_csv_next(&csv);
  if (status == CLI_CSV_END)
    cli_refuse("%s: the file is empty: a CSV with a header is needed", path);
  else if (status == CLI_CSV_RECORD)
    exit_code = read_header(&csv, figure, targets, &head);
  if (exit_code == CLI_EXIT_DONE) {
    cli_mistakes mistakes = cli_mistakes_begin(figure);
    exit_code = read_frames(&csv, &mistakes, &head, targets);
    cli_mistakes_end(&mistakes);
  }
  free(head.columns);
  free(head.names);
  cli_csv_close(&csv);
  return exit_code;
}

int cli_targets_read(const char *path, const cli_figure *figure, cli_task_list *list,
                     cli_targets *out) {
  *out = (cli_targets){.list = list};
  size_t size = 0;
  char *text = cli_file_read(path, &size);
  if (!text)
    return CLI_EXIT_REFUSED;

  int exit_code = CLI_EXIT_REFUSED;
  if (memchr(text, '\0', size))
    cli_refuse("%s: not a CSV: it contains a zero byte", path);
  else
    exit_code = read_csv(path, text, figure, out);
  free(text);
  if (exit_code != CLI_EXIT_DONE)
    cli_targets_destroy(out);
  return exit_code;
}
