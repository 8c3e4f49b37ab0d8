// The lengths of a skeleton's bones, where joints have position channels.
#include "bones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "scenes/expect.h"

// Part of a frame: times in a CSV are rounded.
#define SAME_FRAME 1e-6

cli_bones cli_bones_find(const cli_figure *figure, bool stretch) {
  const sinew_model *model = figure->model;
  cli_bones bones = {.count = 0};
  if (stretch)
    return bones;
  bones.q_index = cli_allocate((size_t)sinew_model_nq(model), sizeof *bones.q_index);
  bones.frozen = cli_allocate((size_t)sinew_model_nv(model), 1);
  bool *moved = cli_figure_moved_links(figure);
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    const sinew_joint_def *def = &figure->document->model.joints[j];
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    for (int i = 0; i < joint.nv; ++i)
      if (def->kind == SINEW_JOINT_CHANNELS && moved[joint.parent] &&
          strchr("xyz", def->channels[i])) {
        bones.q_index[bones.count++] = joint.q_index + i;
        bones.frozen[joint.v_index + i] = 1;
      }
  }
  free(moved);
  return bones;
}

void cli_bones_free(cli_bones *bones) {
  free(bones->q_index);
  free(bones->frozen);
  *bones = (cli_bones){0};
}

void cli_bones_follow(const cli_bones *bones, const sinew_motion *motion, double time, double *q) {
  const double last = motion->frame_count - 1;
  double place = motion->frame_time > 0 ? fmin(fmax(time / motion->frame_time, 0), last) : 0;
  place = fabs(place - round(place)) < SAME_FRAME ? round(place) : place;
  const double share = place - floor(place);
  const double *before = motion->q + (size_t)place * (size_t)motion->nq;
  const double *after = share > 0 ? before + motion->nq : before;
  for (int i = 0; i < bones->count; ++i) {
    const int k = bones->q_index[i];
    q[k] = before[k] + share * (after[k] - before[k]);
  }
}
