// The problems of a batch, read piece by piece from a CSV or a NPY.
#include "problems.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "command.h"
#include "file.h"
#include "message.h"
#include "number.h"
#include "progress.h"
#include "target_columns.h"

// ---- Opening ----

// By its content; by its name where the content does not say, so that messages about a broken
// file name the format that it should have.
static int detect_format(const char *path, cli_problems *problems) {
  const char *bytes = NULL;
  size_t size = 0;
  if (cli_source_peek(&problems->targets, SINEW_NPY_MAX_HEADER, &bytes, &size) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  problems->is_csv = !(size > 0 && bytes[0] == '\x93') && !cli_file_has_ending(path, ".npy");
  return CLI_EXIT_DONE;
}

static int open_csv(cli_problems *problems) {
  cli_csv_stream *stream = &problems->stream;
  cli_csv_stream_open(&problems->targets, stream);
  cli_csv_status status = cli_csv_stream_next(stream);
  if (status == CLI_CSV_END)
    return cli_refuse("%s: the file is empty: a CSV with a header is needed",
                      problems->targets.path);
  if (status == CLI_CSV_REFUSED)
    return CLI_EXIT_REFUSED;
  problems->use_count = stream->csv.field_count;
  return cli_problem_columns_read(&stream->csv, problems->figure, &problems->row, &problems->uses,
                                  &problems->seeded);
}

static int refuse_columns(const cli_problems *problems, uint64_t columns) {
  const cli_task_list *list = problems->row.list;
  int undecided = 0, others = 0;
  for (int e = 0; e < list->entry_count; ++e) {
    unsigned values = cli_target_values(list, &list->entries[e]);
    undecided += list->entries[e].moving && list->entries[e].by_columns;
    for (; list->entries[e].moving && !list->entries[e].by_columns && values; values &= values - 1)
      ++others;
  }
  if (undecided == 0 && others == 0)
    return cli_refuse("%s: it has %" PRIu64 " columns, and every task has a target: columns can "
                      "only be those of positions where options give orientations, or the other "
                      "way round",
                      problems->targets.path, columns);
  if (undecided == 0)
    return cli_refuse("%s: it has %" PRIu64 " columns; the tasks without a target need %d",
                      problems->targets.path, columns, others);
  return cli_refuse("%s: it has %" PRIu64 " columns; %d tip%s need%s %d (x,y,z), %d "
                    "(qw,qx,qy,qz) or %d (both)",
                    problems->targets.path, columns, undecided, undecided == 1 ? "" : "s",
                    undecided == 1 ? "s" : "", 3 * undecided + others, 4 * undecided + others,
                    7 * undecided + others);
}

static int open_npy(cli_problems *problems) {
  cli_npy_table *table = &problems->target_table;
  if (cli_npy_table_open(&problems->targets, table) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  problems->use_count = (int)table->head.columns;
  if (!cli_target_row_fit(&problems->row, table->head.columns, &problems->uses))
    return refuse_columns(problems, table->head.columns);
  problems->rows = table->head.rows;
  problems->counted = true;
  return CLI_EXIT_DONE;
}

static int open_seeds(const char *path, cli_problems *problems) {
  if (problems->is_csv)
    return cli_refuse(
        "batch: --seeds needs targets in a NPY; in a CSV they are columns seed.JOINT");
  if (cli_source_open(path, &problems->seeds) != CLI_EXIT_DONE ||
      cli_npy_table_open(&problems->seeds, &problems->seed_table) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  const sinew_npy *head = &problems->seed_table.head;
  int nq = sinew_model_nq(problems->figure->model);
  if (head->columns != (uint64_t)nq)
    return cli_refuse("%s: a seed has %" PRIu64 " values, but the model needs %d, one for each "
                      "joint that is not coupled, in the order of 'sinew info'",
                      path, head->columns, nq);
  if (head->rows != problems->rows)
    return cli_refuse("%s: there are %" PRIu64 " seeds, but %" PRIu64 " targets", path, head->rows,
                      problems->rows);
  problems->seeded = true;
  return CLI_EXIT_DONE;
}

int cli_problems_open(const char *path, const char *seeds, const cli_figure *figure,
                      cli_task_list *list, cli_problems *problems) {
  *problems = (cli_problems){.figure = figure, .row.list = list};
  if (cli_source_open(path, &problems->targets) != CLI_EXIT_DONE ||
      detect_format(path, problems) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  int exit_code = problems->is_csv ? open_csv(problems) : open_npy(problems);
  if (exit_code == CLI_EXIT_DONE && seeds)
    exit_code = open_seeds(seeds, problems);
  return exit_code;
}

void cli_problems_close(cli_problems *problems) {
  cli_csv_stream_close(&problems->stream);
  cli_npy_table_close(&problems->target_table);
  cli_npy_table_close(&problems->seed_table);
  cli_source_close(&problems->targets);
  cli_source_close(&problems->seeds);
  cli_target_row_destroy(&problems->row);
  free(problems->uses);
  free(problems->cells);
  *problems = (cli_problems){0};
}

// ---- Moving to a row ----

static int seek_npy(cli_problems *problems, uint64_t row) {
  int exit_code = cli_npy_table_seek(&problems->target_table, row);
  if (exit_code == CLI_EXIT_DONE && problems->seeded)
    exit_code = cli_npy_table_seek(&problems->seed_table, row);
  problems->next = row;
  return exit_code;
}

int cli_problems_skip_to(cli_problems *problems, uint64_t row) {
  if (!problems->is_csv)
    return row == problems->next ? CLI_EXIT_DONE : seek_npy(problems, row);
  for (; problems->next < row; ++problems->next) {
    cli_csv_status status = cli_csv_stream_next(&problems->stream);
    if (status == CLI_CSV_END)
      return cli_refuse("%s: the file has become shorter", problems->targets.path);
    if (status == CLI_CSV_REFUSED)
      return CLI_EXIT_REFUSED;
  }
  return CLI_EXIT_DONE;
}

cli_place cli_problems_place(const cli_problems *problems) {
  cli_place place = {.row = problems->next};
  if (problems->is_csv) {
    place.byte = cli_csv_stream_place(&problems->stream);
    place.line = problems->stream.csv.next_line;
  } else {
    place.byte = cli_npy_table_place(&problems->target_table);
    place.seed_byte = problems->seeded ? cli_npy_table_place(&problems->seed_table) : 0;
  }
  return place;
}

void cli_problems_use_from(cli_problems *problems, cli_place place) {
  problems->used_targets = (cli_part){.from = place.byte, .to = place.byte};
  problems->used_seeds = (cli_part){.from = place.seed_byte, .to = place.seed_byte};
}

int cli_problems_use_to(cli_problems *problems, cli_place place) {
  int exit_code = CLI_EXIT_DONE;
  if (problems->targets.regular)
    exit_code = cli_source_extend(&problems->targets, &problems->used_targets, place.byte);
  if (exit_code == CLI_EXIT_DONE && problems->seeds.path && problems->seeds.regular)
    exit_code = cli_source_extend(&problems->seeds, &problems->used_seeds, place.seed_byte);
  return exit_code;
}

int cli_problems_seek(cli_problems *problems, cli_place place) {
  if (!problems->is_csv)
    return seek_npy(problems, place.row);
  problems->next = place.row;
  return cli_csv_stream_seek(&problems->stream, place.byte, place.line);
}

int cli_problems_count(cli_problems *problems) {
  if (problems->counted)
    return CLI_EXIT_DONE;
  cli_place start = cli_problems_place(problems);
  cli_csv_status status;
  uint64_t rows = 0;
  while ((status = cli_csv_stream_next(&problems->stream)) == CLI_CSV_RECORD)
    ++rows;
  if (status != CLI_CSV_END)
    return CLI_EXIT_REFUSED;
  problems->rows = rows;
  problems->counted = true;
  return cli_problems_seek(problems, start);
}

double cli_problems_share(const cli_problems *problems) {
  if (problems->targets.size == 0)
    return 0;
  return (double)cli_csv_stream_place(&problems->stream) / (double)problems->targets.size;
}

// ---- Reading ----

static void fill_nan(double *values, int count) {
  for (int i = 0; i < count; ++i)
    values[i] = NAN;
}

// Takes the current record.
static void take_record(const cli_problems *problems, double *targets, double *seed,
                        cli_row_note *note) {
  const cli_csv *csv = &problems->stream.csv;
  const cli_target_row *row = &problems->row;
  bool whole = csv->field_count == problems->use_count;
  *note = (cli_row_note){csv->line, whole ? -1 : csv->field_count};
  memcpy(targets, row->constants, (size_t)row->size * sizeof *targets);
  if (!whole) {
    fill_nan(targets, row->size);
    fill_nan(seed, problems->seeded ? sinew_model_nq(problems->figure->model) : 0);
  }
  for (int i = 0; whole && i < csv->field_count; ++i) {
    const cli_use *use = &problems->uses[i];
    double value;
    if (use->kind == CLI_USE_NONE)
      continue;
    if (!cli_number_parse(csv->fields[i], &value))
      value = NAN;
    if (use->kind == CLI_USE_TARGET)
      cli_target_row_set(row, use, value, targets);
    else
      seed[use->index] = value;
  }
}

static int read_csv(cli_problems *problems, size_t most, double *targets, double *seeds,
                    cli_row_note *notes, size_t *count) {
  size_t size = (size_t)problems->row.size, nq = (size_t)sinew_model_nq(problems->figure->model);
  cli_csv_status status = CLI_CSV_RECORD;
  for (*count = 0; *count < most; ++*count) {
    status = cli_csv_stream_next(&problems->stream);
    if (status != CLI_CSV_RECORD)
      break;
    take_record(problems, targets + *count * size, problems->seeded ? seeds + *count * nq : NULL,
                &notes[*count]);
  }
  problems->next += *count;
  return status == CLI_CSV_REFUSED ? CLI_EXIT_REFUSED : CLI_EXIT_DONE;
}

// Rows of a NPY, with the values that are the same in all of them.
static int read_cells(cli_problems *problems, size_t rows, double *targets) {
  const cli_target_row *row = &problems->row;
  const size_t columns = (size_t)problems->use_count, size = (size_t)row->size;
  if (rows > problems->cell_rows) {
    problems->cells = cli_reallocate(problems->cells, rows * columns, sizeof *problems->cells);
    problems->cell_rows = rows;
  }
  if (cli_npy_table_read(&problems->target_table, rows, problems->cells) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  for (size_t r = 0; r < rows; ++r) {
    memcpy(targets + r * size, row->constants, size * sizeof *targets);
    for (size_t i = 0; i < columns; ++i)
      cli_target_row_set(row, &problems->uses[i], problems->cells[r * columns + i],
                         targets + r * size);
  }
  return CLI_EXIT_DONE;
}

static int read_npy(cli_problems *problems, size_t most, double *targets, double *seeds,
                    cli_row_note *notes, size_t *count) {
  uint64_t left = problems->rows - problems->next;
  size_t wanted = left < most ? (size_t)left : most;
  *count = 0;
  if (read_cells(problems, wanted, targets) != CLI_EXIT_DONE ||
      (problems->seeded &&
       cli_npy_table_read(&problems->seed_table, wanted, seeds) != CLI_EXIT_DONE))
    return CLI_EXIT_REFUSED;
  for (size_t i = 0; i < wanted; ++i)
    notes[i] = (cli_row_note){0, -1};
  *count = wanted;
  problems->next += wanted;
  return CLI_EXIT_DONE;
}

int cli_problems_read(cli_problems *problems, size_t most, double *targets, double *seeds,
                      cli_row_note *notes, size_t *count) {
  return problems->is_csv ? read_csv(problems, most, targets, seeds, notes, count)
                          : read_npy(problems, most, targets, seeds, notes, count);
}

// ---- Invalid rows ----

// As in the library: larger numbers are invalid.
#define LARGEST 1e100

static int first_bad(const double *values, int count) {
  for (int i = 0; i < count; ++i)
    if (!(fabs(values[i]) <= LARGEST))
      return i;
  return -1;
}

static void name_seed(const cli_problems *problems, int value, char *text, size_t size) {
  const cli_figure *figure = problems->figure;
  cli_columns columns = cli_columns_create(figure->model, &figure->document->model);
  for (int i = 0; i < columns.count; ++i)
    if (columns.columns[i].q_index == value)
      snprintf(text, size, "seed.%s", columns.columns[i].name);
  cli_columns_destroy(&columns);
}

// Why a row is invalid; its numbers are checked as the library does.
static void explain(const cli_problems *problems, const double *targets, const double *seed,
                    const cli_row_note *note, char *text, size_t size) {
  char name[256] = "";
  if (note->fields >= 0) {
    snprintf(text, size, "%d fields, but the header has %d", note->fields, problems->use_count);
    return;
  }
  const double *values = targets;
  int bad = first_bad(targets, problems->row.size);
  if (bad >= 0) {
    cli_target_row_name(&problems->row, bad, name, sizeof name);
  } else if (seed && (bad = first_bad(seed, sinew_model_nq(problems->figure->model))) >= 0) {
    values = seed;
    name_seed(problems, bad, name, sizeof name);
  }
  if (bad >= 0 && isfinite(values[bad]))
    snprintf(text, size, "%s is %g, and may be %g at most", name, values[bad], LARGEST);
  else if (bad >= 0)
    snprintf(text, size, "%s is not a finite number", name);
  else
    snprintf(text, size, "a quaternion of length 0");
}

static void warn(const cli_problems *problems, uint64_t row, const cli_row_note *note,
                 const char *what) {
  if (note->line > 0)
    cli_warn("%s:%d: row %" PRIu64 " (from 0): %s", problems->targets.path, note->line, row, what);
  else
    cli_warn("%s: row %" PRIu64 " (from 0): %s", problems->targets.path, row, what);
}

void cli_problems_warn(const cli_problems *problems, uint64_t row, const double *targets,
                       const double *seed, const cli_row_note *note) {
  char why[512], what[600];
  explain(problems, targets, seed, note, why, sizeof why);
  snprintf(what, sizeof what, "%s: bad_input", why);
  warn(problems, row, note, what);
}

// ---- Rows that are valid but probably not meant ----

static void warn_of_mistake(const cli_problems *problems, uint64_t row, const cli_row_note *note,
                            const char *name, const char *text) {
  char what[1024];
  snprintf(what, sizeof what, "%s: %s", name, text);
  cli_progress_wipe();
  warn(problems, row, note, what);
}

void cli_problems_check(const cli_problems *problems, cli_mistakes *mistakes, uint64_t row,
                        const double *targets, const double *seed, const cli_row_note *note) {
  const cli_target_row *targets_row = &problems->row;
  const cli_task_list *list = targets_row->list;
  char text[512];
  if (note->fields >= 0 || first_bad(targets, targets_row->size) >= 0)
    return;
  for (int t = 0; t < list->count; ++t) {
    sinew_target target = sinew_default_target();
    sinew_target_unpack(&list->tasks[t], targets + targets_row->starts[t], &target);
    while (cli_mistakes_in_target(mistakes, &list->tasks[t], &target, text, sizeof text))
      warn_of_mistake(problems, row, note, list->entries[list->entry_of[t]].name, text);
  }
  while (seed && cli_mistakes_in_values(mistakes, seed, false, text, sizeof text))
    warn_of_mistake(problems, row, note, "seed", text);
}
