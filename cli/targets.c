// Targets of end effectors, frame by frame: a CSV.
#include "targets.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "csv.h"
#include "file.h"
#include "message.h"
#include "mistakes.h"
#include "number.h"
#include "target_columns.h"

enum { COLUMN_TIME = -1 };

// What a column is for: a task and one of its values, or the time.
typedef struct column {
  int task; // COLUMN_TIME: the time
  int value;
} column;

typedef struct header {
  column *columns;
  char **names;
  int count;
} header;

void cli_targets_destroy(cli_targets *targets) {
  free(targets->tasks);
  free(targets->time);
  free(targets->targets);
  *targets = (cli_targets){0};
}

// ---- The header ----

static int refuse_link(const cli_csv *csv, int index, const cli_figure *figure) {
  const char *name = csv->fields[index];
  char near[1024];
  cli_figure_suggest_link(figure, name, near, sizeof near);
  return cli_refuse("%s:%d: column %d: there is no link '%s'%s%s", csv->path, csv->line, index + 1,
                    name, near, cli_csv_explain_header(csv));
}

// The task of a link; a new one where it has none yet.
static int find_task(cli_targets *targets, int link) {
  for (int t = 0; t < targets->task_count; ++t)
    if (targets->tasks[t].link == link)
      return t;
  targets->tasks[targets->task_count] = sinew_default_task();
  targets->tasks[targets->task_count].link = link;
  return targets->task_count++;
}

static int parse_column(const cli_csv *csv, int index, const cli_figure *figure,
                        cli_targets *targets, column *out) {
  const char *name = csv->fields[index];
  if (strcmp(name, "time") == 0) {
    *out = (column){COLUMN_TIME, 0};
    return CLI_EXIT_DONE;
  }

  // A link's name may hold dots.
  char *dot = strrchr(csv->fields[index], '.');
  int value = dot ? cli_target_value(dot + 1) : -1;
  if (value < 0)
    return cli_refuse("%s:%d: %s: column %d is neither 'time' nor LINK.x, .y, .z, .qw, .qx, .qy "
                      "or .qz%s",
                      csv->path, csv->line, name, index + 1, cli_csv_explain_header(csv));

  *dot = '\0';
  int link = sinew_model_find_link(figure->model, name);
  if (link < 0)
    return refuse_link(csv, index, figure);
  *dot = '.';
  *out = (column){find_task(targets, link), value};
  return CLI_EXIT_DONE;
}

static int check_twice(const cli_csv *csv, const header *head, int index) {
  const column *last = &head->columns[index];
  for (int i = 0; i < index; ++i)
    if (head->columns[i].task == last->task && head->columns[i].value == last->value)
      return cli_refuse("%s:%d: %s: column %d appears twice", csv->path, csv->line,
                        csv->fields[index], index + 1);
  return CLI_EXIT_DONE;
}

// Which values a task has columns for, as bits.
static unsigned values_of(const header *head, int task) {
  unsigned values = 0;
  for (int i = 0; i < head->count; ++i)
    if (head->columns[i].task == task)
      values |= 1u << head->columns[i].value;
  return values;
}

// Sets the task's kind by its columns.
static int set_kind(const cli_csv *csv, const header *head, const cli_figure *figure, int index,
                    sinew_task *task) {
  int missing = cli_target_kind(values_of(head, index), &task->kind);
  if (missing >= 0)
    return cli_refuse("%s:%d: %s.%s: the column is missing", csv->path, csv->line,
                      sinew_model_link_name(figure->model, task->link), cli_target_suffix(missing));
  return CLI_EXIT_DONE;
}

static int read_header(const cli_csv *csv, const cli_figure *figure, cli_targets *targets,
                       header *head) {
  head->count = csv->field_count;
  head->columns = cli_allocate((size_t)head->count, sizeof *head->columns);
  head->names = cli_allocate((size_t)head->count, sizeof *head->names);
  targets->tasks = cli_allocate((size_t)head->count, sizeof *targets->tasks);
  bool timed = false;
  for (int i = 0; i < head->count; ++i) {
    if (parse_column(csv, i, figure, targets, &head->columns[i]) != CLI_EXIT_DONE ||
        check_twice(csv, head, i) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
    head->names[i] = csv->fields[i];
    timed = timed || head->columns[i].task == COLUMN_TIME;
  }

  if (!timed)
    return cli_refuse("%s:%d: time: the column is missing", csv->path, csv->line);
  if (targets->task_count == 0)
    return cli_refuse("%s:%d: it has no target: columns LINK.x, LINK.y, LINK.z", csv->path,
                      csv->line);
  for (int t = 0; t < targets->task_count; ++t)
    if (set_kind(csv, head, figure, t, &targets->tasks[t]) != CLI_EXIT_DONE)
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
  targets->targets = cli_reallocate(targets->targets, frames * (size_t)targets->task_count,
                                    sizeof *targets->targets);
}

static int check_frame(const cli_csv *csv, const cli_figure *figure, const cli_targets *targets,
                       const sinew_target *frame) {
  int f = targets->frame_count;
  if (f > 0 && targets->time[f] <= targets->time[f - 1])
    return cli_refuse("%s:%d: time: it must increase from row to row", csv->path, csv->line);
  for (int t = 0; t < targets->task_count; ++t) {
    const double *r = frame[t].rotation;
    if (r[0] == 0 && r[1] == 0 && r[2] == 0 && r[3] == 0)
      return cli_refuse("%s:%d: %s: a quaternion of length 0", csv->path, csv->line,
                        sinew_model_link_name(figure->model, targets->tasks[t].link));
  }
  return CLI_EXIT_DONE;
}

static void warn_of_mistakes(const cli_csv *csv, cli_mistakes *mistakes, const cli_targets *targets,
                             const sinew_target *frame) {
  char text[512];
  for (int t = 0; t < targets->task_count; ++t)
    while (cli_mistakes_in_target(mistakes, &targets->tasks[t], &frame[t], text, sizeof text))
      cli_warn("%s:%d: %s: %s", csv->path, csv->line,
               sinew_model_link_name(mistakes->figure->model, targets->tasks[t].link), text);
}

// Reads the current record as the next frame.
static int read_frame(const cli_csv *csv, cli_mistakes *mistakes, const header *head,
                      cli_targets *targets) {
  sinew_target *frame =
      targets->targets + (size_t)targets->frame_count * (size_t)targets->task_count;
  for (int t = 0; t < targets->task_count; ++t)
    frame[t] = sinew_default_target();
  for (int i = 0; i < head->count; ++i) {
    double value;
    if (!cli_number_parse(csv->fields[i], &value))
      return cli_refuse("%s:%d: %s: column %d: '%s' is not a finite number", csv->path, csv->line,
                        head->names[i], i + 1, csv->fields[i]);
    const column *use = &head->columns[i];
    if (use->task == COLUMN_TIME)
      targets->time[targets->frame_count] = value;
    else if (use->value < 3)
      frame[use->task].position[use->value] = value;
    else
      frame[use->task].rotation[use->value - 3] = value;
  }
  warn_of_mistakes(csv, mistakes, targets, frame);
  return check_frame(csv, mistakes->figure, targets, frame);
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

int cli_targets_read(const char *path, const cli_figure *figure, cli_targets *out) {
  *out = (cli_targets){0};
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
