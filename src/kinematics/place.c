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

// The nodes to be placed: count indices in rising order, NULL: all.
typedef struct node_list {
  const int *nodes;
  int count;
} node_list;

SINEW_ALWAYS_INLINE int node_at(const node_list *list, int k) {
  return list->nodes != NULL ? list->nodes[k] : k;
}

// How many nodes of the list, from its k-th on, are a run of revolute nodes.
SINEW_ALWAYS_INLINE int run_at(const sinew_model *model, const node_list *list, int k) {
  const int n = node_at(list, k), left = list->count - k;
  int run = SINEW_HAS_FAST_PATHS ? model->nodes[n].run : 0;
  run = run < left ? run : left;
  while (run > 1 && node_at(list, k + run - 1) != n + run - 1) {
    --run;
  }
  return run;
}

// Sines and cosines of the rotational nodes, in order of the nodes.
SINEW_ALWAYS_INLINE void find_sines(const sinew_state *state, const double *q,
                                    const node_list *list) {
  const sinew_model *model = state->model;
  double *angle = state->angle;
  int angles = 0;
  for (int k = 0; k < list->count; ++k) {
    const sinew_node *node = &model->nodes[node_at(list, k)];
    const int run = run_at(model, list, k);
    if (run > 0) {
      memcpy(angle + angles, q + node->q, (size_t)run * sizeof *q);
      angles += run;
      k += run - 1;
    } else if (sinew_node_is_rotational(node)) {
      angle[angles++] = sinew_node_value(node, q);
    }
  }
  sinew_sincos(angles, angle, state->sine, state->cosine);
}

// The rotation of a revolute node whose placement turns axes onto axes: parent (P M) with columns
// of the parent in place of its products with P.
SINEW_ALWAYS_INLINE void turn_axes(const sinew_frame *parent, const sinew_frame *placement,
                                   const signed char axis[3], double cosine, double sine,
                                   sinew_columns *moved) {
  const double x = placement->column[0][axis[0]], y = placement->column[1][axis[1]];
  const sinew_four X = sinew_four_load(parent->column[axis[0]]),
                   Y = sinew_four_load(parent->column[axis[1]]),
                   Z = sinew_four_load(parent->column[axis[2]]);
  moved->x = X * SINEW_FOUR_OF(x * cosine) + Y * SINEW_FOUR_OF(y * sine);
  moved->y = Y * SINEW_FOUR_OF(y * cosine) - X * SINEW_FOUR_OF(x * sine);
  moved->z = Z * SINEW_FOUR_OF(placement->column[2][axis[2]]);
}

// A run of revolute nodes.
SINEW_ALWAYS_INLINE void place_run(const sinew_state *state, int first, int count,
                                   const double *cosine, const double *sine) {
  static const sinew_frame root = {{{1.0}, {0.0, 1.0}, {0.0, 0.0, 1.0}, {0.0}}};
  const sinew_node *node = &state->model->nodes[first];
  const sinew_frame *placement = &state->model->placements[first];
  const sinew_frame *parent = node->parent < 0 ? &root : &state->frames[node->parent];
  sinew_frame *frame = &state->frames[first];
  for (int i = 0; i < count; ++i, ++node, ++placement) {
    const sinew_columns from = sinew_frame_load(parent);
    sinew_columns moved;
    if (node->quarters) {
      turn_axes(parent, placement, node->axis, cosine[i], sine[i], &moved);
      moved.p = sinew_columns_point(from, sinew_four_load(placement->column[3]));
    } else {
      const sinew_columns local =
          sinew_columns_rotate_z(sinew_frame_load(placement), cosine[i], sine[i]);
      moved = sinew_columns_multiply(from, local);
    }
    sinew_frame_store(frame, moved);
    parent = frame++;
  }
}

// A node of any kind, after its parent; c, s: the cosine and sine of its angle.
SINEW_ALWAYS_INLINE void place_node(const sinew_state *state, const double *q, int n, double c,
                                    double s) {
  const sinew_function_motion *motions = sinew_state_motions(state);
  const sinew_model *model = state->model;
  const sinew_node *node = &model->nodes[n];
  sinew_columns moved;
  if (node->parent < 0) {
    moved = sinew_node_local(model, n, q, motions, c, s);
  } else {
    const sinew_columns from = sinew_frame_load(&state->frames[node->parent]);
    moved = is_translated(node)
                ? place_translated(model, n, from, q, c, s)
                : sinew_columns_multiply(from, sinew_node_local(model, n, q, motions, c, s));
  }
  sinew_frame_store(&state->frames[n], moved);
}

// nodes NULL: all of them
static void place(const sinew_state *state, const double *q, const int *nodes, int count) {
  const sinew_model *model = state->model;
  const double *cosine = state->cosine, *sine = state->sine;
  const node_list list = {nodes, count};
  ++*state->placements;
  find_sines(state, q, &list);
  for (int k = 0; k < count;) {
    const int n = node_at(&list, k), run = run_at(model, &list, k);
    if (run > 0) {
      place_run(state, n, run, cosine, sine);
      cosine += run;
      sine += run;
      k += run;
      continue;
    }
    const bool rotational = sinew_node_is_rotational(&model->nodes[n]);
    place_node(state, q, n, rotational ? *cosine++ : 1.0, rotational ? *sine++ : 0.0);
    ++k;
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
