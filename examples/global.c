// Joint values from any seed: the first solution found, the one nearest to the arm's configuration,
// the most manipulable one, and the number of different ones, up to 16.
// Usage: global [FILE LINK]
#include "sinew/formats.h"
#include "sinew/sinew.h"
#include <stdio.h>
#include <string.h>

enum { CAPACITY = 16, SHOWN = 4, MOST = 64 };

static double seed[MOST], q[MOST], solutions[CAPACITY * MOST];

typedef struct arm {
  sinew_document *file;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  sinew_bank *bank; // stored configurations, searched by the link's pose: good starts
  sinew_task task;
} arm;

static sinew_result fail(sinew_error *error, sinew_result code, const char *name,
                         const char *message) {
  *error = (sinew_error){.code = code};
  snprintf(error->name, sizeof error->name, "%s", name);
  snprintf(error->message, sizeof error->message, "%s", message);
  return code;
}

static sinew_result make(arm *a, const char *path, const char *link, sinew_error *error) {
  const sinew_solver_def settings = sinew_default_solver_def();
  const sinew_bank_def stored = sinew_default_bank_def();
  sinew_result result;
  if ((result = sinew_document_open(path, NULL, &a->file, error)) != SINEW_OK ||
      (result = sinew_model_create(&a->file->model, &a->model, error)) != SINEW_OK ||
      (result = sinew_state_create(a->model, NULL, &a->state, error)) != SINEW_OK ||
      (result = sinew_solver_create(&settings, a->model, &a->solver, error)) != SINEW_OK)
    return result;
  if (sinew_model_nq(a->model) > MOST)
    return fail(error, SINEW_ERROR_TOO_LARGE, path, "has more than 64 joint values");
  a->task = sinew_default_task();
  a->task.kind = SINEW_TASK_POSE;
  a->task.link = sinew_model_find_link(a->model, link);
  if (a->task.link < 0)
    return fail(error, SINEW_ERROR_INDEX, link, "there is no such link");
  if ((result = sinew_solver_set_tasks(a->solver, &a->task, 1, error)) != SINEW_OK)
    return result;
  return sinew_bank_create(&stored, a->model, &a->task, 1, &a->bank, error);
}

static void print(const arm *a, const char *what, const char *outcome, const double *values) {
  printf("%-16s %-9s", what, outcome);
  for (int i = 0; i < sinew_model_nq(a->model); i++)
    printf(" %7.4f", values[i]);
  putchar('\n');
}

// Solves in each mode from a seed far from the configuration of the target; *met: all of them
// converged.
static sinew_result solve(const arm *a, bool *met) {
  static const char *const names[] = {"first", "nearest", "most manipulable"};
  sinew_target target = sinew_default_target();
  sinew_pose pose;
  sinew_report report;
  sinew_result result;
  sinew_configuration_random(a->model, 1, 0, q);
  sinew_configuration_random(a->model, 1, 1, seed);
  if ((result = sinew_state_forward(a->state, q)) != SINEW_OK ||
      (result = sinew_state_link_pose(a->state, a->task.link, &pose)) != SINEW_OK)
    return result;
  memcpy(target.position, pose.position, sizeof target.position);
  memcpy(target.rotation, pose.rotation, sizeof target.rotation);

  sinew_global_def def = sinew_default_global_def();
  def.bank = a->bank;
  *met = true;
  print(a, "seed", "", seed);
  for (int mode = SINEW_GLOBAL_FIRST; mode <= SINEW_GLOBAL_BEST; mode++) {
    def.mode = (sinew_global_mode)mode;
    memcpy(q, seed, sizeof q);
    result = sinew_solver_search(a->solver, &def, &target, 1, q, &report);
    if (result != SINEW_OK)
      return result;
    print(a, names[mode], sinew_outcome_string(report.outcome), q);
    *met = *met && report.outcome == SINEW_OUTCOME_CONVERGED;
  }
  int found;
  result = sinew_solver_solve_all(a->solver, &def, &target, 1, seed, CAPACITY, solutions, &found,
                                  &report);
  if (result != SINEW_OK)
    return result;
  printf("%d different, of at most %d; the nearest of them\n", found, CAPACITY);
  for (int i = 0; i < found && i < SHOWN; i++)
    print(a, "", "", solutions + i * sinew_model_nq(a->model));
  return SINEW_OK;
}

int main(int argc, char **argv) {
  if (argc != 1 && argc != 3)
    return fprintf(stderr, "usage: global [FILE LINK]\n"), 2;
  const char *path = argc == 3 ? argv[1] : "models/arm7.urdf";
  const char *link = argc == 3 ? argv[2] : "flange";
  arm a = {0};
  bool met = false;
  sinew_error error;
  sinew_result result = make(&a, path, link, &error);
  if (result == SINEW_OK && (result = solve(&a, &met)) != SINEW_OK)
    fail(&error, result, path, sinew_result_string(result));
  if (result != SINEW_OK) {
    char text[1024], line[4096];
    sinew_error_format(&error, text, sizeof text);
    sinew_text_escape(text, SINEW_TEXT_PRINTED, line, sizeof line);
    fprintf(stderr, "%s\n", line);
  }
  sinew_bank_destroy(a.bank);
  sinew_solver_destroy(a.solver);
  sinew_state_destroy(a.state);
  sinew_model_destroy(a.model);
  sinew_document_destroy(a.file);
  return result != SINEW_OK ? 2 : met ? 0 : 1;
}
