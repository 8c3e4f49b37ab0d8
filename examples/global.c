// Joint values from any seed: the first solution found, the one nearest to the arm's configuration,
// the most manipulable one, and the number of different ones, up to 16. Usage: global [FILE LINK]
#include "cookbook/check.h"
#include <string.h>

enum { CAPACITY = 16, MOST = 64 };

int main(int argc, char **argv) {
  static const char *const names[] = {"first", "nearest", "most manipulable"};
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  sinew_bank *bank; // stored configurations, searched by the link's pose: good starts
  const sinew_solver_def settings = sinew_default_solver_def();
  const sinew_bank_def stored = sinew_default_bank_def();
  check(sinew_document_open(argc > 2 ? argv[1] : "models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  check(sinew_state_create(model, NULL, &state, &error), &error);
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  const sinew_error *refused = sinew_solver_last_error(solver);
  const int nq = sinew_model_nq(model);
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE,
  task.link = sinew_model_find_link(model, argc > 2 ? argv[2] : "flange");
  check(sinew_solver_set_tasks(solver, &task, 1, &error), &error); // refuses -1: no such link
  check(sinew_bank_create(&stored, model, &task, 1, &bank, &error), &error);
  if (nq > MOST)
    return fprintf(stderr, "more than %d joint values\n", MOST), 2;
  double seed[MOST], q[MOST], all[CAPACITY * MOST];
  sinew_target target = sinew_default_target();
  sinew_global_def def = sinew_default_global_def();
  sinew_report report;
  sinew_pose pose;
  int met = 1, found;
  sinew_configuration_random(model, 1, 0, q); // the link's target: where it is there
  sinew_configuration_random(model, 1, 1, seed);
  check(sinew_state_forward(state, q), &error);
  check(sinew_state_link_pose(state, task.link, &pose), &error);
  memcpy(target.position, pose.position, sizeof target.position);
  memcpy(target.rotation, pose.rotation, sizeof target.rotation);
  def.bank = bank;
  for (int mode = SINEW_GLOBAL_FIRST; mode <= SINEW_GLOBAL_BEST; mode++) {
    def.mode = (sinew_global_mode)mode;
    memcpy(q, seed, sizeof q);
    check(sinew_solver_search(solver, &def, &target, 1, q, &report), refused);
    printf("%-16s %-9s", names[mode], sinew_outcome_string(report.outcome));
    for (int i = 0; i < nq; i++)
      printf(" %7.4f%s", q[i], i + 1 < nq ? "" : "\n");
    met = met && report.outcome == SINEW_OUTCOME_CONVERGED;
  }
  check(sinew_solver_solve_all(solver, &def, &target, 1, seed, CAPACITY, all, &found, &report),
        refused);
  printf("%d different, of at most %d\n", found, CAPACITY);
  sinew_bank_destroy(bank), sinew_solver_destroy(solver), sinew_state_destroy(state);
  sinew_model_destroy(model), sinew_document_destroy(file);
  return met ? 0 : 1;
}
