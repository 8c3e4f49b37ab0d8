// Reads a robot, takes a reachable pose of its last link, and solves for it from another
// configuration.
// Usage: read_urdf FILE.urdf
#include "sinew/formats.h"
#include "sinew/sinew.h"
#include <stdio.h>
#include <stdlib.h>

// Prints a text of a file: no name in it moves the terminal's cursor.
static void print_text(FILE *out, const char *text) {
  char line[4096];
  sinew_text_escape(text, SINEW_TEXT_PRINTED, line, sizeof line);
  fputs(line, out);
}

// Prints the error with file, line and element, and exits.
static void require(sinew_result result, const sinew_error *error) {
  if (result == SINEW_OK)
    return;
  char line[1024];
  sinew_error_format(error, line, sizeof line);
  print_text(stderr, line);
  fputc('\n', stderr);
  exit(2);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: read_urdf FILE.urdf\n");
    return 2;
  }
  sinew_error error;
  sinew_document *document;
  require(sinew_document_open(argv[1], NULL, &document, &error), &error);

  sinew_model *model;
  require(sinew_model_create(&document->model, &model, &error), &error);
  sinew_document_destroy(document); // the model has its own copy

  // A target that is certainly in reach: the last link's pose at a random configuration.
  int tip = sinew_model_link_count(model) - 1;
  double *q = calloc((size_t)sinew_model_nq(model), sizeof *q);
  sinew_state *state;
  require(sinew_state_create(model, NULL, &state, &error), &error);
  sinew_configuration_random(model, 1, 0, q);
  sinew_pose pose;
  if (sinew_state_forward(state, q) != SINEW_OK ||
      sinew_state_link_pose(state, tip, &pose) != SINEW_OK) {
    return 2;
  }

  sinew_solver_def settings = sinew_default_solver_def();
  sinew_solver *solver;
  require(sinew_solver_create(&settings, model, &solver, &error), &error);
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = tip;
  require(sinew_solver_set_tasks(solver, &task, 1, &error), &error);

  sinew_target target = sinew_default_target();
  for (int i = 0; i < 3; i++)
    target.position[i] = pose.position[i];
  for (int i = 0; i < 4; i++)
    target.rotation[i] = pose.rotation[i];
  sinew_report report;
  sinew_configuration_middle(model, q);
  require(sinew_solver_solve_local(solver, &target, 1, q, &report),
          sinew_solver_last_error(solver));
  print_text(stdout, sinew_model_name(model));
  fputs(": ", stdout);
  print_text(stdout, sinew_model_link_name(model, tip));
  printf(" %s, %.1e m and %.1e rad off after %d steps\n", sinew_outcome_string(report.outcome),
         report.position_error, report.orientation_error, report.steps);

  free(q);
  sinew_solver_destroy(solver);
  sinew_state_destroy(state);
  sinew_model_destroy(model);
  return report.outcome == SINEW_OUTCOME_CONVERGED ? 0 : 1;
}
