// Poses of one multibody in one configuration.
#ifndef SINEW_KINEMATICS_STATE_H
#define SINEW_KINEMATICS_STATE_H

#include "math/vector.h"
#include "model/model.h"
#include "simd/instruction_set.h"
#include "sinew/kinematics.h"

#include <stdbool.h>

// The functions of a state that are compiled for each instruction set (cmake/scalar.cmake), for
// calls from other code. The results of all sets are the same in every bit.
typedef struct sinew_state_functions {
  void (*place)(sinew_state *state, const double *q);
  void (*place_some)(sinew_state *state, const double *q, const int *nodes, int count);
  sinew_result (*forward)(sinew_state *state, const double *q);
  sinew_result (*jacobian_body)(sinew_state *state, const double *q, int link,
                                const double *point_l, double *J, sinew_pose *pose);
} sinew_state_functions;

// What the functions of joints gave, where a model has some. Copies of a state share it, so that a
// failure is seen by the caller.
typedef struct sinew_state_called {
  sinew_function_motion *now;   // of the poses; one for each node
  sinew_function_motion *other; // scratch
  int failed; // a joint whose function has failed since sinew_state_begin_functions(), or -1
} sinew_state_called;

struct sinew_state {
  sinew_allocator allocator;
  const sinew_model *model;
  const sinew_state_functions *functions; // for this processor
  sinew_frame *frames;                    // of each node after its motion, in the root link's frame
  uint64_t *placements;  // how often frames has been filled; copies of a state share both
  double *angle;         // angles of rotational nodes, collected before their sines are computed
  double *sine, *cosine; // of the angles
  double *twists;        // 6 for each node, scratch of sinew_state_twist()
  double *q;             // nq, scratch of the finite differences
  sinew_state_called *called;
};

// Memory of a state within a larger object's block: enough for forward kinematics, without twists
// and q.
void sinew_state_layout(sinew_arena *arena, sinew_state *state, const sinew_model *model);

// The functions for a processor with an instruction set.
const sinew_state_functions *sinew_state_functions_for(sinew_instruction_set set);

// ---- Compiled for each instruction set. A call by name from other code calls the baseline
// version, which is for code that is not called often.

extern const sinew_state_functions sinew_state_functions_of_set;

// Whether all nq values are usable.
bool sinew_state_accepts(const sinew_model *model, const double *q);

// Whether a point on a link is usable; NULL is the link's origin.
static inline bool sinew_point_accepts(const double *point_l) {
  return point_l == NULL || sinew_is_usable3(point_l);
}

// Forward kinematics of all nodes; q has been checked.
void sinew_state_place(sinew_state *state, const double *q);

// Forward kinematics of some nodes only: count indices in rising order, all ancestors included.
void sinew_state_place_some(sinew_state *state, const double *q, const int *nodes, int count);

// sinew_state_forward() and sinew_state_jacobian_body() without their assertions.
sinew_result sinew_state_check_and_place(sinew_state *state, const double *q);
sinew_result sinew_state_find_jacobian_body(sinew_state *state, const double *q, int link,
                                            const double *point_l, double *J, sinew_pose *pose);

// ---- Compiled once.

// R and p of a link, as a frame.
void sinew_state_link(const sinew_state *state, int link, sinew_frame *frame);

// Fills the twists of all nodes' frames, (linear velocity of the origin; angular), world axes, for
// joint velocities v.
void sinew_state_place_twists(sinew_state *state, const double *v);

// Forgets failures of joints' functions.
static inline void sinew_state_begin_functions(sinew_state *state) {
  if (SINEW_UNLIKELY(state->called != NULL)) {
    state->called->failed = -1;
  }
}

// A joint whose function has failed since then, or -1.
static inline int sinew_state_failed_joint(const sinew_state *state) {
  return state->called != NULL ? state->called->failed : -1;
}

// Calls the functions of joints, for poses.
static inline void sinew_state_call_functions(sinew_state *state, const double *q) {
  if (SINEW_UNLIKELY(state->called != NULL)) {
    const int failed = sinew_model_call_functions(state->model, q, state->called->now);
    state->called->failed = state->called->failed < 0 ? failed : state->called->failed;
  }
}

// Calls the functions of joints for poses that follow, and returns whether all gave usable results;
// else the state stays as it was.
static inline bool sinew_state_functions_accept(sinew_state *state, const double *q) {
  sinew_state_called *called = state->called;
  if (called == NULL) {
    return true;
  }
  if (sinew_model_call_functions(state->model, q, called->other) >= 0) {
    return false;
  }
  sinew_function_motion *const now = called->now;
  called->now = called->other;
  called->other = now;
  return true;
}

// What they gave; NULL where the model has none.
static inline const sinew_function_motion *sinew_state_motions(const sinew_state *state) {
  return state->called != NULL ? state->called->now : NULL;
}

// Whether a node rotates about its z.
static inline bool sinew_node_is_rotational(const sinew_node *node) {
  return node->kind == SINEW_NODE_REVOLUTE || node->kind == SINEW_NODE_SCREW;
}

// The value of a node: its angle [rad] or its translation.
static inline double sinew_node_value(const sinew_node *node, const double *q) {
  return node->ratio * q[node->q] + node->offset;
}

// The angle of a node [rad], 0 if it does not rotate about its z.
static inline double sinew_node_angle(const sinew_node *node, const double *q) {
  return sinew_node_is_rotational(node) ? sinew_node_value(node, q) : 0.0;
}

// frame * motion of a spherical joint, whose quaternion q need not be of length 1.
SINEW_ALWAYS_INLINE sinew_columns sinew_spherical_move(sinew_columns frame, const double q[4]) {
  const double sum = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
  double unit[4];
  if (!(sum > 1e-200 && sum < 1e200)) {
    memcpy(unit, q, sizeof unit);
    sinew_quaternion_normalize(unit);
    q = unit;
  }
  return sinew_columns_rotate_quaternion(frame, q);
}

// placement * motion of any node, in the parent's moved frame, given the cosine and
// sine of its angle.
// @param motions of FUNCTION nodes; may be NULL where there are none
SINEW_ALWAYS_INLINE sinew_columns sinew_node_local(const sinew_model *model, int n, const double *q,
                                                   const sinew_function_motion *motions,
                                                   double cosine, double sine) {
  const sinew_node *node = &model->nodes[n];
  const sinew_columns placement = sinew_frame_load(&model->placements[n]);
  switch (node->kind) {
  case SINEW_NODE_REVOLUTE:
    return sinew_columns_rotate_z(placement, cosine, sine);
  case SINEW_NODE_SPHERICAL:
    return sinew_spherical_move(placement, q + node->q);
  case SINEW_NODE_SCREW:
    return sinew_columns_translate_z(sinew_columns_rotate_z(placement, cosine, sine),
                                     node->pitch * sinew_node_value(node, q));
  case SINEW_NODE_FUNCTION:
    return sinew_columns_multiply(placement, sinew_frame_load(&motions[n].motion));
  default:
    return sinew_columns_translate_z(placement, sinew_node_value(node, q));
  }
}

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
