// Where can an arm bring its hand, pointing down? Tries a grid of positions on all processors and
// prints a map of a slice: # reachable, . not reachable.
#include "sinew/formats.h"
#include "sinew/sinew.h"
#include "sinew/threads.h"
#include <stdio.h>

enum { COLUMNS = 64, LINES = 24 };

static double targets[LINES * COLUMNS][7]; // x, y, z, then a quaternion w, x, y, z
static double q[LINES * COLUMNS][16];
static sinew_batch_row rows[LINES * COLUMNS];

int main(int argc, char **argv) {
  sinew_document *file = NULL;
  sinew_model *model = NULL;
  sinew_batch *batch = NULL;
  sinew_error error;
  const char *path = argc > 1 ? argv[1] : "models/arm7.urdf";
  if (sinew_document_open(path, NULL, &file, &error) != SINEW_OK ||
      sinew_model_create(&file->model, &model, &error) != SINEW_OK) {
    char text[1024], line[4096];
    sinew_error_format(&error, text, sizeof text);
    sinew_text_escape(text, SINEW_TEXT_PRINTED, line, sizeof line);
    fprintf(stderr, "%s\n", line);
    return 2;
  }

  for (int i = 0; i < LINES * COLUMNS; i++) {
    targets[i][0] = -1.0 + 2.0 * (i % COLUMNS) / (COLUMNS - 1);      // x: 2 m wide
    targets[i][2] = 1.2 - 1.5 * (double)(i / COLUMNS) / (LINES - 1); // z: 1.2 down to -0.3 m
    targets[i][4] = 1.0;                                             // half a turn about x
  }

  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_link_count(model) - 1;
  sinew_batch_def def = sinew_default_batch_def();
  def.max_starts = 100;
  sinew_batch_arrays arrays = {.targets = targets[0], .q = q[0], .q_stride = 16, .rows = rows};
  if (sinew_model_nq(model) > 16 ||
      sinew_batch_create(&def, model, &task, 1, &batch, &error) != SINEW_OK ||
      sinew_batch_solve_threads(batch, &arrays, 0, LINES * COLUMNS, 0, NULL) != SINEW_OK)
    return 2;

  for (int i = 0; i < LINES * COLUMNS; i++) {
    putchar(rows[i].outcome == SINEW_OUTCOME_CONVERGED ? '#' : '.');
    if (i % COLUMNS == COLUMNS - 1)
      putchar('\n');
  }
  sinew_batch_destroy(batch);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return 0;
}
