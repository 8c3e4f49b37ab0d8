// Inequalities of hard tasks in reports of sinew solve and track.
#include "hard_rows.h"

#include <math.h>
#include <stdio.h>

#include "experiments/text.h"
#include "json.h"
#include "scenes/expect.h"

// An inequality with what names it.
typedef struct hard_row {
  sinew_hard_row_report report;
  const char *name; // of its task's entry
  const char *axis; // of a position or an orientation; or NULL
  int part;         // the number of its task within the entry; -1: the entry has one
  bool angle;
} hard_row;

static hard_row row_of(const cli_task_list *list, const sinew_solver *solver, int i) {
  static const char *const axes[] = {"x", "y", "z", "rx", "ry", "rz"};
  hard_row row = {.part = -1};
  sinew_expect_ok(sinew_solver_hard_row(solver, i, &row.report));
  const int t = row.report.task;
  const sinew_task_kind kind = list->tasks[t].kind;
  const cli_entry *entry = &list->entries[list->entry_of[t]];
  const bool has_axes =
      kind == SINEW_TASK_POSITION || kind == SINEW_TASK_ORIENTATION || kind == SINEW_TASK_POSE;
  row.name = entry->name;
  row.axis = has_axes ? axes[row.report.axis] : NULL;
  row.part = entry->count > 1 ? t - entry->first : -1;
  row.angle = has_axes ? row.report.axis >= 3 : cli_task_has_angle(&list->tasks[t]);
  return row;
}

// "hand z", or "feet, part 2".
static void print_name(FILE *file, const hard_row *row) {
  text_print(file, row->name, 0);
  if (row->axis)
    fprintf(file, " %s", row->axis);
  if (row->part >= 0)
    fprintf(file, ", part %d", row->part);
}

static json_t *row_json(const hard_row *row) {
  json_t *object = json_object();
  cli_json_set(object, "name", cli_json_text(row->name));
  if (row->axis)
    cli_json_set(object, "axis", json_string(row->axis));
  if (row->part >= 0)
    cli_json_set(object, "part", json_integer(row->part));
  cli_json_set(object, "rank", json_string(sinew_qp_rank_string(row->report.rank)));
  return object;
}

// ---- After a solve ----

json_t *cli_hard_rows_json(const cli_task_list *list, const sinew_solver *solver) {
  json_t *rows = json_array();
  for (int i = 0; i < sinew_solver_hard_row_count(solver); ++i) {
    const hard_row row = row_of(list, solver, i);
    json_t *object = row_json(&row);
    cli_json_set(object, "side", json_integer(row.report.side));
    cli_json_set(object, "yielded", cli_json_number(row.report.yielded));
    json_array_append_new(rows, object);
  }
  return rows;
}

void cli_hard_rows_print(const cli_task_list *list, const sinew_solver *solver,
                         const char *length_unit) {
  const int count = sinew_solver_hard_row_count(solver);
  int shown = 0;
  for (int i = 0; i < count; ++i) {
    const hard_row row = row_of(list, solver, i);
    if (row.report.side == 0 && row.report.yielded == 0)
      continue;
    if (shown++ == 0)
      puts("\n  hard tasks at an end of their range");
    fputs("  ", stdout);
    print_name(stdout, &row);
    printf(" (%s): at its %s end", sinew_qp_rank_string(row.report.rank),
           row.report.side < 0 ? "lower" : "upper");
    if (row.report.yielded != 0)
      printf(", beyond it by %.3g %s", fabs(row.report.yielded), row.angle ? "rad" : length_unit);
    putchar('\n');
  }
  if (count > 0 && shown == 0)
    puts("\n  no hard task is at an end of its range");
}

// ---- Over frames ----

void cli_hard_rows_count(const sinew_solver *solver, int frame, cli_hard_count *counts) {
  for (int i = 0; i < sinew_solver_hard_row_count(solver); ++i) {
    sinew_hard_row_report report;
    cli_hard_count *count = &counts[i];
    sinew_expect_ok(sinew_solver_hard_row(solver, i, &report));
    count->at_lower += report.side < 0;
    count->at_upper += report.side > 0;
    count->yielding += report.yielded != 0;
    if (fabs(report.yielded) > fabs(count->worst)) {
      count->worst = report.yielded;
      count->frame = frame;
    }
  }
}

json_t *cli_hard_counts_json(const cli_task_list *list, const sinew_solver *solver,
                             const cli_hard_count *counts) {
  json_t *rows = json_array();
  for (int i = 0; i < sinew_solver_hard_row_count(solver); ++i) {
    const hard_row row = row_of(list, solver, i);
    json_t *object = row_json(&row);
    cli_json_set(object, "at_lower", json_integer(counts[i].at_lower));
    cli_json_set(object, "at_upper", json_integer(counts[i].at_upper));
    cli_json_set(object, "yielding", json_integer(counts[i].yielding));
    if (counts[i].worst != 0) {
      cli_json_set(object, "worst", cli_json_number(counts[i].worst));
      cli_json_set(object, "frame", json_integer(counts[i].frame));
    }
    json_array_append_new(rows, object);
  }
  return rows;
}

void cli_hard_counts_print(const cli_task_list *list, const sinew_solver *solver,
                           const char *length_unit, const cli_hard_count *counts) {
  for (int i = 0; i < sinew_solver_hard_row_count(solver); ++i) {
    const hard_row row = row_of(list, solver, i);
    const cli_hard_count *count = &counts[i];
    if (count->at_lower + count->at_upper == 0 && count->worst == 0)
      continue;
    fputs("hard task ", stderr);
    print_name(stderr, &row);
    fprintf(stderr, " (%s):", sinew_qp_rank_string(row.report.rank));
    if (count->at_lower > 0)
      fprintf(stderr, " updates held by its lower end %d", count->at_lower);
    if (count->at_upper > 0)
      fprintf(stderr, "%s by its upper end %d", count->at_lower > 0 ? "," : " updates held",
              count->at_upper);
    if (count->worst != 0)
      fprintf(stderr, "%s yielded in %d, by at most %.3g %s (frame %d)",
              count->at_lower + count->at_upper > 0 ? ";" : "", count->yielding, fabs(count->worst),
              row.angle ? "rad" : length_unit, count->frame);
    fputc('\n', stderr);
  }
}
