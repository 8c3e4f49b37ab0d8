// The lengths of a skeleton's bones, where joints have position channels.
#include "experiments/bones.h"
#include "scenes/expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Part of a frame: times in a CSV are rounded.
#define SAME_FRAME 1e-6

// Whether a joint above a link moves it.
static bool is_moved(const sinew_model *model, int link) {
  for (int above = sinew_model_link_joint(model, link); above >= 0;) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, above, &joint));
    if (joint.nv > 0 || joint.driver >= 0) {
      return true;
    }
    above = sinew_model_link_joint(model, joint.parent);
  }
  return false;
}

bool bones_find(const sinew_model_def *def, const sinew_model *model, bones *out) {
  *out = (bones){.q_index = calloc((size_t)sinew_model_nq(model) + 1, sizeof *out->q_index),
                 .frozen = calloc((size_t)sinew_model_nv(model) + 1, 1)};
  if (out->q_index == NULL || out->frozen == NULL) {
    bones_free(out);
    return false;
  }
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    if (def->joints[j].kind != SINEW_JOINT_CHANNELS || !is_moved(model, joint.parent)) {
      continue;
    }
    for (int i = 0; i < joint.nv; ++i) {
      if (strchr("xyz", def->joints[j].channels[i]) != NULL) {
        out->q_index[out->count++] = joint.q_index + i;
        out->frozen[joint.v_index + i] = 1;
      }
    }
  }
  return true;
}

void bones_free(bones *self) {
  free(self->q_index);
  free(self->frozen);
  *self = (bones){0};
}

void bones_follow(const bones *self, const sinew_motion *motion, double time, double *q) {
  const double last = motion->frame_count - 1;
  double place = motion->frame_time > 0 ? fmin(fmax(time / motion->frame_time, 0), last) : 0;
  place = fabs(place - round(place)) < SAME_FRAME ? round(place) : place;
  const double share = place - floor(place);
  const double *before = motion->q + (size_t)place * (size_t)motion->nq;
  const double *after = share > 0 ? before + motion->nq : before;
  for (int i = 0; i < self->count; ++i) {
    const int k = self->q_index[i];
    q[k] = before[k] + share * (after[k] - before[k]);
  }
}
