// Ten million poses of an arm, on all processors: here 20,000, the number is an argument.
#include "check.h"
#include <sinew/formats.h>
#include <sinew/threads.h>
#include <string.h>

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 20000;
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_state *state;
  sinew_bank *bank; // postures, nearest first: good starts
  sinew_batch *batch;
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  check(sinew_state_create(model, NULL, &state, &error), &error);
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(model, "flange");
  const sinew_bank_def stored = sinew_default_bank_def();
  check(sinew_bank_create(&stored, model, &task, 1, &bank, &error), &error);
  sinew_batch_def def = sinew_default_batch_def();
  def.bank = bank;
  check(sinew_batch_create(&def, model, &task, 1, &batch, &error), &error);

  double *targets = malloc((size_t)count * 7 * sizeof *targets);
  double *q = malloc((size_t)count * 7 * sizeof *q);
  sinew_batch_row *rows = malloc((size_t)count * sizeof *rows);
  for (int i = 0; i < count; ++i) { // x, y, z, then the quaternion w, x, y, z
    sinew_pose pose;
    sinew_configuration_random(model, 1, (uint64_t)i, q);
    check(sinew_state_forward(state, q), &error);
    check(sinew_state_link_pose(state, task.link, &pose), &error);
    memcpy(targets + 7 * i, pose.position, sizeof pose.position);
    memcpy(targets + 7 * i + 3, pose.rotation, sizeof pose.rotation);
  }
  const sinew_batch_arrays arrays = {.targets = targets, .q = q, .rows = rows};
  check(sinew_batch_solve_threads(batch, &arrays, 0, (size_t)count, 0, &error), &error);
  int solved = 0;
  for (int i = 0; i < count; ++i)
    solved += rows[i].outcome == SINEW_OUTCOME_CONVERGED;
  printf("%d of %d solved\n", solved, count);

  free(targets);
  free(q);
  free(rows);
  sinew_batch_destroy(batch);
  sinew_bank_destroy(bank);
  sinew_state_destroy(state);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return solved == count ? 0 : 1;
}
