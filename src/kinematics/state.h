// Poses of one multibody in one configuration.
#ifndef SINEW_KINEMATICS_STATE_H
#define SINEW_KINEMATICS_STATE_H

#include "model/model.h"
#include "sinew/kinematics.h"

#include <stdbool.h>

struct sinew_state {
  sinew_allocator allocator;
  const sinew_model *model;
  sinew_frame *frames;   // of each node after its motion, in the root link's frame
  double *angle;         // of each node, 0 where it does not turn
  double *sine, *cosine; // of the angles
  double *twists;        // 6 a node, scratch of sinew_state_twist()
  double *q;             // nq, scratch of the finite differences
};

// Memory of a state within a larger object's block.
void sinew_state_layout(sinew_arena *arena, sinew_state *state, const sinew_model *model);

// Whether all nq values can be used.
bool sinew_state_accepts(const sinew_model *model, const double *q);

// Places all nodes; q has been checked.
void sinew_state_place(sinew_state *state, const double *q);

// Places some nodes only: count of them, rising, with all their ancestors.
void sinew_state_place_some(sinew_state *state, const double *q, const int *nodes, int count);

// R and p of a link, as a frame.
void sinew_state_link(const sinew_state *state, int link, sinew_frame *frame);

// A frame that is fixed to a node's moved frame (-1: the root link's).
static inline void sinew_state_fixed_frame(const sinew_state *state, int node,
                                           const sinew_frame *offset, sinew_frame *frame) {
  if (node < 0) {
    *frame = *offset;
  } else {
    sinew_frame_multiply(&state->frames[node], offset, frame);
  }
}

#endif
