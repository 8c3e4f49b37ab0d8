// Edits a motion-capture clip: the left hand is 10 cm higher in every frame, feet and the other
// hand stay where they were. Writes the clip as a BVH.
#include "check.h"
#include <math.h>
#include <string.h>

enum { EFFECTORS = 4 };

int main(int argc, char **argv) {
  static const char *const links[EFFECTORS] = {"LeftHand", "RightHand", "LeftFoot", "RightFoot"};
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  check(sinew_document_open("models/humanoid.bvh", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  check(sinew_state_create(model, NULL, &state, &error), &error);
  const sinew_solver_def settings = sinew_default_solver_def();
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  sinew_task tasks[EFFECTORS];
  sinew_target targets[EFFECTORS];
  for (int t = 0; t < EFFECTORS; ++t) {
    tasks[t] = sinew_default_task(), targets[t] = sinew_default_target();
    tasks[t].link = sinew_model_find_link(model, links[t]);
  }
  check(sinew_solver_set_tasks(solver, tasks, EFFECTORS, &error), &error);

  double worst = 0;
  const int nq = sinew_model_nq(model);
  for (int frame = 0; frame < file->motion.frame_count; ++frame) {
    double *q = file->motion.q + frame * nq; // the seed, and the result
    sinew_report report;
    check(sinew_state_forward(state, q), &error);
    for (int t = 0; t < EFFECTORS; ++t) {
      sinew_pose pose;
      check(sinew_state_link_pose(state, tasks[t].link, &pose), &error);
      memcpy(targets[t].position, pose.position, sizeof pose.position);
    }
    targets[0].position[1] += 10; // y is up
    check(sinew_solver_solve_local(solver, targets, EFFECTORS, q, &report),
          sinew_solver_last_error(solver));
    worst = fmax(worst, report.position_error);
  }
  char *text;
  size_t size;
  check(sinew_bvh_write(&file->model, &file->motion, NULL, &text, &size, &error), &error);
  printf("%d frames, at most %.1e cm off, %zu bytes\n", file->motion.frame_count, worst, size);
  FILE *out = argc > 1 ? fopen(argv[1], "wb") : NULL;
  if (out != NULL)
    fwrite(text, 1, size, out), fclose(out);

  free(text);
  sinew_solver_destroy(solver);
  sinew_state_destroy(state);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return worst < 1e-3 ? 0 : 1;
}
