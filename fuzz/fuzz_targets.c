// Any bytes as the targets of sinew track and of sinew batch: refused with one line, or finite
// frames in the order of their times; and problems that are the same however many are read at
// once, from any row on, and as many as are counted.
#include "cli/command.h"
#include "cli/message.h"
#include "cli/problems.h"
#include "cli/targets.h"
#include "messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// One of the built-in models, and one of its links.
#define MODEL "two-link"
#define LINK "tip"

static void require(bool holds) {
  if (!holds)
    abort();
}

static const cli_figure *the_figure(void) {
  static cli_figure figure;
  if (!figure.model)
    require(cli_figure_open(MODEL, false, &figure) == CLI_EXIT_DONE);
  return &figure;
}

// ---- sinew track ----

static void check_frames(const cli_targets *targets) {
  const size_t count = (size_t)targets->frame_count * (size_t)targets->list->count;
  require(targets->frame_count > 0 && targets->list->count > 0);
  for (int f = 0; f < targets->frame_count; ++f)
    require(isfinite(targets->time[f]) && (f == 0 || targets->time[f] > targets->time[f - 1]));
  for (size_t i = 0; i < count; ++i) {
    const sinew_target *target = &targets->targets[i];
    double rotation = 0;
    for (int k = 0; k < 3; ++k)
      require(isfinite(target->position[k]));
    for (int k = 0; k < 4; ++k)
      rotation = fmax(rotation, fabs(target->rotation[k]));
    require(rotation > 0 && rotation < INFINITY);
  }
}

static void read_frames(const char *path) {
  cli_targets targets;
  cli_task_list list = {0};
  messages_keep();
  const int exit_code = cli_targets_read(path, the_figure(), &list, &targets);
  // One warning for each kind of probable mistake: a position or a quaternion that is too long
  require(messages_check(exit_code != CLI_EXIT_DONE) <= 2);
  if (exit_code == CLI_EXIT_DONE)
    check_frames(&targets);
  cli_targets_destroy(&targets);
  cli_task_list_destroy(&list);
}

// ---- sinew batch ----

// What was read: numbers and notes, so many of each a row.
typedef struct table {
  double *targets, *seeds;
  cli_row_note *notes;
  size_t rows, capacity;
  size_t size, nq;
} table;

static void table_close(table *t) {
  free(t->targets);
  free(t->seeds);
  free(t->notes);
}

// One task of the link, by the columns, as --tip makes it.
static void make_list(cli_task_list *list) {
  const sinew_target target = sinew_default_target();
  sinew_task task = sinew_default_task();
  task.link = sinew_model_find_link(the_figure()->model, LINK);
  *list = (cli_task_list){0};
  cli_task_list_add_entry(
      list, (cli_entry){.name = LINK, .where = LINK, .moving = true, .by_columns = true});
  cli_task_list_add_task(list, &task, &target);
}

static int open_problems(const char *path, cli_task_list *list, cli_problems *problems) {
  make_list(list);
  return cli_problems_open(path, NULL, the_figure(), list, problems);
}

static void close_problems(cli_task_list *list, cli_problems *problems) {
  cli_problems_close(problems);
  cli_task_list_destroy(list);
}

// Reads all that follows, block by block.
static int read_blocks(cli_problems *problems, size_t block, table *t) {
  int exit_code = CLI_EXIT_DONE;
  *t = (table){.size = (size_t)problems->row.size,
               .nq = (size_t)sinew_model_nq(problems->figure->model)};
  for (size_t count = 1; count > 0 && exit_code == CLI_EXIT_DONE; t->rows += count) {
    if (t->capacity < t->rows + block) {
      t->capacity = 2 * t->capacity + block;
      t->targets = cli_reallocate(t->targets, t->capacity * t->size, sizeof(double));
      t->seeds = cli_reallocate(t->seeds, t->capacity * t->nq, sizeof(double));
      t->notes = cli_reallocate(t->notes, t->capacity, sizeof *t->notes);
    }
    exit_code = cli_problems_read(problems, block, t->targets + t->rows * t->size,
                                  t->seeds + t->rows * t->nq, t->notes + t->rows, &count);
    require(count <= block);
  }
  return exit_code;
}

static bool same_values(const double *a, const double *b, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (isnan(a[i]) ? !isnan(b[i]) : a[i] != b[i])
      return false;
  return true;
}

// Whether a table has the rows of another from a row on.
static bool is_rest(const table *rest, const table *all, size_t from, bool seeded) {
  if (rest->rows != all->rows - from)
    return false;
  for (size_t i = 0; i < rest->rows; ++i)
    if (rest->notes[i].line != all->notes[from + i].line ||
        rest->notes[i].fields != all->notes[from + i].fields)
      return false;
  return same_values(rest->targets, all->targets + from * all->size, rest->rows * all->size) &&
         (!seeded || same_values(rest->seeds, all->seeds + from * all->nq, rest->rows * all->nq));
}

static void warn_of_rows(const cli_problems *problems, const table *t) {
  messages_keep();
  for (size_t i = 0; i < t->rows; ++i)
    cli_problems_warn(problems, i, t->targets + i * t->size,
                      problems->seeded ? t->seeds + i * t->nq : NULL, &t->notes[i]);
  require(messages_check(false) == (int)t->rows);
}

// Reads some rows, then goes to their end in another run and reads on.
static void resume(const char *path, size_t from, const table *all) {
  cli_problems problems;
  cli_task_list list;
  table t = {0};
  require(open_problems(path, &list, &problems) == CLI_EXIT_DONE);
  const bool seeded = problems.seeded;
  require(cli_problems_skip_to(&problems, from) == CLI_EXIT_DONE);
  const cli_place place = cli_problems_place(&problems);
  require(place.row == from);
  close_problems(&list, &problems);
  require(open_problems(path, &list, &problems) == CLI_EXIT_DONE);
  require(cli_problems_seek(&problems, place) == CLI_EXIT_DONE);
  messages_keep();
  const int exit_code = read_blocks(&problems, 3, &t);
  require(messages_check(exit_code != CLI_EXIT_DONE) == 0);
  require(is_rest(&t, all, from, seeded));
  table_close(&t);
  close_problems(&list, &problems);
}

static void read_problems(const char *path, size_t any) {
  cli_problems problems;
  cli_task_list list;
  messages_keep();
  int exit_code = open_problems(path, &list, &problems);
  require(messages_check(exit_code != CLI_EXIT_DONE) == 0);
  if (exit_code == CLI_EXIT_DONE) {
    table all;
    messages_keep();
    const int counted = cli_problems_count(&problems);
    require(messages_check(counted != CLI_EXIT_DONE) == 0);
    const uint64_t rows = problems.rows;
    // After a fault a run does not go on.
    if (counted != CLI_EXIT_DONE) {
      close_problems(&list, &problems);
      require(open_problems(path, &list, &problems) == CLI_EXIT_DONE);
    }
    messages_keep();
    exit_code = read_blocks(&problems, 1 + any % 7, &all);
    require(messages_check(exit_code != CLI_EXIT_DONE) == 0);
    require(exit_code == counted && (counted != CLI_EXIT_DONE || rows == all.rows));
    warn_of_rows(&problems, &all);
    resume(path, any % (all.rows + 1), &all);
    table_close(&all);
  }
  close_problems(&list, &problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[64];
  size_t any = size;
  for (size_t i = 0; i < size; ++i)
    any = any * 31 + data[i];
  // A NPY is the subject of another target.
  if (size > 0 && data[0] == 0x93)
    return 0;
  const int file = memfd_create("fuzz.csv", MFD_CLOEXEC);
  require(file >= 0 && write(file, data, size) == (ssize_t)size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  read_frames(path);
  read_problems(path, any);
  close(file);
  return 0;
}
