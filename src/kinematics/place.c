// Forward kinematics: one pass over the nodes, root first. Compiled for each instruction set.
//
//   T_n = T_parent (P_n M_n(q))
//
// T the frame of a node, P its placement in the frame of its parent, M the motion of its joint. P M
// does not depend on the parent, so that the chain of dependent operations is one product for each
// node. Source: Murray, Li, Sastry, A Mathematical Introduction to Robotic Manipulation, 1994,
// section 3.2.
#include "kinematics/state.h"
#include "math/within.h"
#include "simd/four.h"
#include "simd/sincos.h"

#include <string.h>

bool sinew_state_accepts(const sinew_model *model, const double *q) {
  return sinew_all_within(model->nq, q, SINEW_HUGE);
}

// A node whose placement is a pure translation needs no product of rotations.
SINEW_ALWAYS_INLINE sinew_columns place_translated(const sinew_model *model, int n,
                                                   sinew_columns parent, const double *q,
                                                   double cosine, double sine) {
  const sinew_node *node = &model->nodes[n];
  const sinew_four p = sinew_columns_point(parent, sinew_four_load(model->placements[n].column[3]));
  sinew_columns moved = node->kind == SINEW_NODE_REVOLUTE
                            ? sinew_columns_rotate_z(parent, cosine, sine)
                            : sinew_spherical_move(parent, q + node->q);
  moved.p = p;
  return moved;
}

static inline bool is_translated(const sinew_node *node) {
  return node->straight &&
         (node->kind == SINEW_NODE_REVOLUTE || node->kind == SINEW_NODE_SPHERICAL);
}

// Sines and cosines of the rotational nodes, in order of the nodes.
SINEW_ALWAYS_INLINE void find_sines(const sinew_state *state, const double *q, const int *nodes,
                                    int count) {
  const sinew_node *all = state->model->nodes;
  double *angle = state->angle;
  int angles = 0;
  for (int k = 0; k < count; ++k) {
    const sinew_node *node = &all[nodes != NULL ? nodes[k] : k];
    if (sinew_node_is_rotational(node)) {
      angle[angles++] = sinew_node_value(node, q);
    }
  }
  sinew_sincos(angles, angle, state->sine, state->cosine);
}

// nodes NULL: all of them
static void place(const sinew_state *state, const double *q, const int *nodes, int count) {
  const sinew_function_motion *motions = sinew_state_motions(state);
  const sinew_model *model = state->model;
  const sinew_node *all = model->nodes;
  const double *cosine = state->cosine, *sine = state->sine;
  sinew_frame *frames = state->frames;
  ++*state->placements;
  find_sines(state, q, nodes, count);
  const sinew_four none = SINEW_FOUR_OF(0.0);
  sinew_columns moved = {none, none, none,
                         none}; // of the last node, which is the parent in most cases
  for (int k = 0, last = -1; k < count; ++k) {
    const int n = nodes != NULL ? nodes[k] : k;
    const sinew_node *node = &all[n];
    const int parent = node->parent;
    const bool rotational = sinew_node_is_rotational(node);
    const double c = rotational ? *cosine++ : 1.0, s = rotational ? *sine++ : 0.0;
    if (parent < 0) {
      moved = sinew_node_local(model, n, q, motions, c, s);
    } else {
      const sinew_columns from = parent == last ? moved : sinew_frame_load(&frames[parent]);
      moved = is_translated(node)
                  ? place_translated(model, n, from, q, c, s)
                  : sinew_columns_multiply(from, sinew_node_local(model, n, q, motions, c, s));
    }
    sinew_frame_store(&frames[n], moved);
    last = n;
  }
}

void sinew_state_place(sinew_state *state, const double *q) {
  sinew_state_call_functions(state, q);
  place(state, q, NULL, state->model->node_count);
}

void sinew_state_place_some(sinew_state *state, const double *q, const int *nodes, int count) {
  if (count == state->model->node_count) {
    sinew_state_place(state, q);
  } else {
    sinew_state_call_functions(state, q);
    place(state, q, nodes, count);
  }
}

sinew_result sinew_state_check_and_place(sinew_state *state, const double *q) {
  if (!sinew_state_accepts(state->model, q) || !sinew_state_functions_accept(state, q)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  place(state, q, NULL, state->model->node_count);
  return SINEW_OK;
}

const sinew_state_functions sinew_state_functions_of_set = {
    .place = sinew_state_place,
    .place_some = sinew_state_place_some,
    .forward = sinew_state_check_and_place,
    .jacobian_body = sinew_state_find_jacobian_body,
};
