// Reads a robot, takes a reachable pose of its last link, and solves for it from another
// configuration.
// Usage: read_urdf FILE.urdf
#include "cookbook/check.h"
#include <string.h>

// Prints a text of a file: no name in it moves the terminal's cursor.
static void print_text(FILE *out, const char *text) {
  char line[4096];
  sinew_text_escape(text, SINEW_TEXT_PRINTED, line, sizeof line);
  fputs(line, out);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return fprintf(stderr, "usage: read_urdf FILE.urdf\n"), 2;
  sinew_error error = {0};
  sinew_document *document;
  check(sinew_document_open(argv[1], NULL, &document, &error), &error);

  sinew_model *model;
  check(sinew_model_create(&document->model, &model, &error), &error);
  sinew_document_destroy(document); // the model has its own copy

  // A target that is certainly in reach: the last link's pose at a random configuration.
  int tip = sinew_model_link_count(model) - 1;
  double *q = calloc((size_t)sinew_model_nq(model), sizeof *q);
  sinew_state *state;
  check(sinew_state_create(model, NULL, &state, &error), &error);
  sinew_configuration_random(model, 1, 0, q);
  sinew_pose pose;
  check(sinew_state_forward(state, q), &error);
  check(sinew_state_link_pose(state, tip, &pose), &error);

  sinew_solver_def settings = sinew_default_solver_def();
  sinew_solver *solver;
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE, task.link = tip;
  check(sinew_solver_set_tasks(solver, &task, 1, &error), &error);

  sinew_target target = sinew_default_target();
  memcpy(target.position, pose.position, sizeof target.position);
  memcpy(target.rotation, pose.rotation, sizeof target.rotation);
  sinew_report report;
  sinew_configuration_middle(model, q);
  check(sinew_solver_solve_local(solver, &target, 1, q, &report), sinew_solver_last_error(solver));
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
