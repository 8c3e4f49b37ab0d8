// A hand fades in to a target that follows its own way and out again, over 60 frames, while an
// animation plays on the arm: sinew_task.influence.
#include "../cookbook/check.h"
#include <math.h>
#include <sinew/formats.h>

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_solver *solver;
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  sinew_solver_def settings = sinew_default_solver_def();
  settings.influences = 1;
  check(sinew_solver_create(&settings, model, &solver, &error), &error);

  sinew_task task = sinew_default_task();
  task.link = sinew_model_find_link(model, "flange");
  check(sinew_solver_set_tasks(solver, &task, 1, &error), &error);
  sinew_target target = sinew_default_target();
  double farthest = 0.0, rest[7], q[7], last[7];
  sinew_configuration_middle(model, rest);
  for (int frame = 0; frame <= 60; ++frame) {
    const double wave = sin(3.14159265358979 * frame / 60.0), influence = wave * wave;
    for (int i = 0; i < 7; ++i)
      q[i] = rest[i] + 0.2 * sin(0.05 * frame + i); // the animation's pose
    target.position[0] = 0.5, target.position[1] = 0.01 * frame - 0.3, target.position[2] = 0.5;
    check(sinew_solver_set_influences(solver, &influence, 1), sinew_solver_last_error(solver));
    check(sinew_solver_solve_local(solver, &target, 1, q, NULL), sinew_solver_last_error(solver));
    for (int i = 0; i < 7; ++i) {
      farthest = frame > 0 ? fmax(farthest, fabs(q[i] - last[i])) : 0.0;
      last[i] = q[i];
    }
  }
  printf("no joint moves by more than %.3f rad in a frame\n", farthest);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return farthest < 0.3 ? 0 : 1;
}
