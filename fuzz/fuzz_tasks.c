// Any bytes as a tasks file: refused with one line, or tasks with finite targets, which a solver
// takes or refuses with one line.
#include "cli/command.h"
#include "cli/message.h"
#include "cli/task_file.h"
#include "messages.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// One of the built-in models, with joints of several degrees of freedom.
#define MODEL "humanoid"

// A solver of more would take long to make.
#define MOST_TASKS 50

// The fewest bytes of a quaternion, [1,0,0,0]; one that is scaled to norm 1 has a warning.
#define QUATERNION_BYTES 9

static void require(bool holds) {
  if (!holds)
    abort();
}

static void check_list(const cli_task_list *list) {
  int count = 0;
  for (int e = 0; e < list->entry_count; ++e) {
    const cli_entry *entry = &list->entries[e];
    require(entry->name && entry->name[0] != '\0' && entry->where);
    require(entry->first == count && entry->count >= 0);
    count += entry->count;
  }
  require(count == list->count);
  for (int t = 0; t < list->count; ++t) {
    double rotation = 0, direction = 0;
    for (int i = 0; i < 3; ++i) {
      require(isfinite(list->targets[t].position[i]));
      direction += fabs(list->targets[t].direction[i]);
    }
    for (int i = 0; i < 4; ++i)
      rotation += fabs(list->targets[t].rotation[i]);
    require(rotation > 0 && direction > 0 && isfinite(rotation + direction));
  }
}

// As the commands do.
static void set_solver(const cli_figure *figure, const cli_task_list *list) {
  const sinew_model *model = figure->model;
  double *start = cli_allocate((size_t)sinew_model_nq(model), sizeof(double));
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver = NULL;
  sinew_error error = {0};
  sinew_configuration_middle(model, start);
  cli_task_list_size(list, &def);
  def.lanes = -1;
  def.tracking.time_step = 1; // for limits of speed and acceleration
  int exit_code = sinew_solver_create(&def, model, &solver, &error) == SINEW_OK
                      ? CLI_EXIT_DONE
                      : cli_refuse_settings(&error);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_task_list_set_tasks(list, figure, NULL, true, solver);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_task_list_set_objectives(list, start, solver);
  require(messages_check(exit_code != CLI_EXIT_DONE) == 0);
  sinew_solver_destroy(solver);
  free(start);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[64];
  const int file = memfd_create("fuzz.json", MFD_CLOEXEC);
  require(file >= 0 && write(file, data, size) == (ssize_t)size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  cli_task_list list = {0};
  cli_figure figure; // of each input its own: limits of swing and twist change the model
  require(cli_figure_open(MODEL, false, &figure) == CLI_EXIT_DONE);
  messages_keep();
  const int exit_code = cli_task_file_read(path, &figure, &list);
  require(messages_check(exit_code != CLI_EXIT_DONE) <= (int)(size / QUATERNION_BYTES));
  if (exit_code == CLI_EXIT_DONE)
    check_list(&list);
  if (exit_code == CLI_EXIT_DONE && list.count <= MOST_TASKS) {
    messages_keep();
    set_solver(&figure, &list);
  }
  cli_task_list_destroy(&list);
  cli_figure_close(&figure);
  close(file);
  return 0;
}
