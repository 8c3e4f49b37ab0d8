// The answers of a batch as bytes: outcome, errors, steps, the values of all joints, and the reach
// if it is asked for, one row per problem.
#include "answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv.h"
#include "file.h"
#include "message.h"
#include "number.h"

// The columns before the joint values.
enum { OUTCOME, POSITION_ERROR, ORIENTATION_ERROR, STEPS, BEFORE_JOINTS };

static const char *const first_columns[BEFORE_JOINTS] = {"outcome", "position_error",
                                                         "orientation_error", "steps"};

// The columns after them.
enum { REACH_TASK, REACH, TARGET_DISTANCE, AFTER_JOINTS };

static const char *const last_columns[AFTER_JOINTS] = {"reach_task", "reach", "target_distance"};

// The number of columns of joint values and those before.
static int joint_end(const cli_answers *answers) {
  return BEFORE_JOINTS + answers->columns.count;
}

static int column_count(const cli_answers *answers) {
  return joint_end(answers) + answers->after;
}

void cli_answers_open(const char *path, const cli_figure *figure, bool reach,
                      cli_answers *answers) {
  *answers = (cli_answers){.model = figure->model,
                           .columns = cli_columns_create(figure->model, &figure->document->model),
                           .is_npy = cli_file_has_ending(path, ".npy"),
                           .for_people = strcmp(path, "-") == 0 && isatty(STDOUT_FILENO),
                           .after = reach ? AFTER_JOINTS : 0};
  answers->values = cli_allocate((size_t)column_count(answers), sizeof(double));
}

void cli_answers_close(cli_answers *answers) {
  cli_columns_destroy(&answers->columns);
  free(answers->values);
  free(answers->bytes);
  *answers = (cli_answers){0};
}

void cli_answers_clear(cli_answers *answers) {
  answers->size = 0;
}

// Room for some more bytes.
static char *reserve(cli_answers *answers, size_t size) {
  if (answers->capacity - answers->size < size) {
    answers->capacity = answers->size + size + answers->capacity / 2;
    answers->bytes = cli_reallocate(answers->bytes, answers->capacity, 1);
  }
  return answers->bytes + answers->size;
}

static void add_text(cli_answers *answers, const char *text) {
  size_t length = strlen(text);
  if (length == 0)
    return;
  memcpy(reserve(answers, length), text, length);
  answers->size += length;
}

void cli_answers_add_head(cli_answers *answers, uint64_t rows) {
  if (answers->is_npy) {
    sinew_npy_write_header(rows, (uint64_t)column_count(answers),
                           reserve(answers, SINEW_NPY_HEADER_SIZE));
    answers->size += SINEW_NPY_HEADER_SIZE;
    return;
  }
  for (int i = 0; i < BEFORE_JOINTS; ++i) {
    add_text(answers, i > 0 ? "," : "");
    add_text(answers, first_columns[i]);
  }
  for (int i = 0; i < answers->columns.count; ++i) {
    char *name = cli_csv_field(answers->columns.columns[i].name, answers->for_people);
    add_text(answers, ",");
    add_text(answers, name);
    free(name);
  }
  for (int i = 0; i < answers->after; ++i) {
    add_text(answers, ",");
    add_text(answers, last_columns[i]);
  }
  add_text(answers, "\n");
}

static void add_number(cli_answers *answers, double value) {
  char *text = reserve(answers, CLI_NUMBER_SIZE + 1);
  text[0] = ',';
  cli_number_format(value, text + 1);
  answers->size += 1 + strlen(text + 1);
}

static void add_csv_row(cli_answers *answers, const sinew_batch_row *row) {
  const int count = column_count(answers), end = joint_end(answers);
  const bool invalid = row->outcome == SINEW_OUTCOME_BAD_INPUT;
  add_text(answers, sinew_outcome_string(row->outcome));
  for (int i = 1; i < count; ++i) {
    if (i < end ? invalid : row->outcome != SINEW_OUTCOME_OUT_OF_REACH)
      add_text(answers, ",");
    else
      add_number(answers, answers->values[i]);
  }
  add_text(answers, "\n");
}

void cli_answers_add(cli_answers *answers, size_t count, const double *q,
                     const sinew_batch_row *rows) {
  size_t nq = (size_t)sinew_model_nq(answers->model);
  size_t columns = (size_t)column_count(answers);
  double *values = answers->values, *last = values + joint_end(answers);
  if (answers->is_npy)
    reserve(answers, count * columns * sizeof(double));
  for (size_t i = 0; i < count; ++i) {
    const sinew_batch_row *row = &rows[i];
    values[OUTCOME] = (double)row->outcome;
    values[POSITION_ERROR] = row->position_error;
    values[ORIENTATION_ERROR] = row->orientation_error;
    values[STEPS] = (double)row->steps;
    sinew_model_joint_values(answers->model, q + i * nq, values + BEFORE_JOINTS);
    if (answers->after > 0) {
      last[REACH_TASK] = row->reach_task;
      last[REACH] = row->reach;
      last[TARGET_DISTANCE] = row->target_distance;
    }
    if (answers->is_npy) {
      sinew_npy_write_values(values, columns, answers->bytes + answers->size);
      answers->size += columns * sizeof(double);
    } else {
      add_csv_row(answers, row);
    }
  }
}
