// A crowd: 500 characters of one skeleton, each with a hand that follows a target of its own.
#include "check.h"
#include <math.h>
#include <sinew/formats.h>
#include <string.h>

enum { FIGURES = 500, FRAMES = 60 };

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_crowd *crowd;
  sinew_crowd_worker *worker; // one a thread
  check(sinew_document_open("models/humanoid.bvh", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  sinew_task task = sinew_default_task();
  task.link = sinew_model_find_link(model, "LeftHand");
  task.chain_root = sinew_model_find_link(model, "Hips"); // the hips stay
  sinew_crowd_def def = sinew_default_crowd_def();
  def.figures = FIGURES;
  check(sinew_crowd_create(&def, model, &task, 1, &crowd, &error), &error);
  check(sinew_crowd_worker_create(crowd, &worker, &error), &error);

  const int nq = sinew_model_nq(model);
  double *q = malloc(FIGURES * (size_t)nq * sizeof *q), *targets = malloc(FIGURES * 3 * sizeof *q);
  sinew_batch_row *rows = malloc(FIGURES * sizeof *rows);
  for (int i = 0; i < FIGURES; ++i)
    sinew_configuration_start(model, q + i * nq);
  const sinew_crowd_arrays arrays = {.targets = targets, .q = q, .rows = rows};
  for (int frame = 0; frame < FRAMES; ++frame) {
    for (int i = 0; i < FIGURES; ++i) { // in cm, as in the file; about the left shoulder
      const double angle = 0.05 * frame + 0.1 * i;
      memcpy(targets + 3 * i, (double[]){45 + 8 * cos(angle), 40 + 8 * sin(angle), 25},
             3 * sizeof *targets);
    }
    check(sinew_crowd_update(crowd, worker, &arrays, 0, FIGURES),
          sinew_crowd_worker_last_error(worker));
  }
  double worst = 0;
  for (int i = 0; i < FIGURES; ++i)
    worst = fmax(worst, rows[i].position_error);
  printf("%d figures in lanes of %d, at most %.2f cm off\n", FIGURES, sinew_crowd_lanes(crowd),
         worst);

  free(q);
  free(targets);
  free(rows);
  sinew_crowd_worker_destroy(worker);
  sinew_crowd_destroy(crowd);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return worst < 1 ? 0 : 1;
}
