// Forward kinematics: one pass over the nodes, root first.
//
// A node's frame is its parent's times its placement times its own motion
// (Murray, Li, Sastry, A Mathematical Introduction to Robotic Manipulation,
// 1994, section 3.2). The motion is folded into the placement first, which
// needs no parent, so that the chain of dependent work is one product a node.
#include "kinematics/state.h"
#include "base/error.h"
#include "math/within.h"
#include "simd/four.h"
#include "simd/sincos.h"

#include <string.h>

void sinew_state_layout(sinew_arena *arena, sinew_state *state, const sinew_model *model) {
  const size_t nodes = (size_t)model->node_count, fours = (nodes + 3) / 4 * 4;
  state->model = model;
  state->wide = sinew_has_avx2();
  state->frames = sinew_arena_take_aligned(arena, nodes, sizeof *state->frames, sizeof(sinew_four));
  state->angle = sinew_arena_take_aligned(arena, 3 * fours, sizeof(double), sizeof(sinew_four));
  state->sine = state->angle != NULL ? state->angle + fours : NULL;
  state->cosine = state->angle != NULL ? state->sine + fours : NULL;
}

// All of a state, with what twists and differences need.
static void layout_whole(sinew_arena *arena, sinew_state *state, const sinew_model *model) {
  sinew_state_layout(arena, state, model);
  state->twists = sinew_arena_take(arena, 6 * (size_t)model->node_count, sizeof(double));
  state->q = sinew_arena_take(arena, (size_t)model->nq, sizeof(double));
}

sinew_result sinew_state_create(const sinew_model *model, const sinew_allocator *allocator,
                                sinew_state **state, sinew_error *error) {
  if (model == NULL || state == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "model or state is NULL");
  }
  *state = NULL;
  sinew_state head = {.allocator = sinew_allocator_complete(allocator)};
  sinew_arena arena = {NULL, 0};
  sinew_arena_take(&arena, 1, sizeof head);
  layout_whole(&arena, &head, model);
  sinew_state *made = sinew_allocate(&head.allocator, arena.used);
  if (made == NULL) {
    return sinew_error_set(error, SINEW_ERROR_MEMORY, NULL, "no memory for the state (%zu bytes)",
                           arena.used);
  }
  *made = head;
  arena = (sinew_arena){(unsigned char *)made, 0};
  sinew_arena_take(&arena, 1, sizeof head);
  layout_whole(&arena, made, model);
  sinew_configuration_start(model, made->q);
  sinew_state_place(made, made->q);
  *state = made;
  return SINEW_OK;
}

void sinew_state_destroy(sinew_state *state) {
  if (state != NULL) {
    const sinew_allocator allocator = state->allocator;
    sinew_release(&allocator, state);
  }
}

const sinew_model *sinew_state_model(const sinew_state *state) {
  SINEW_ASSERT(state != NULL);
  return state->model;
}

bool sinew_state_accepts(const sinew_model *model, const double *q) {
  return sinew_all_within(model->nq, q, SINEW_HUGE);
}

// A node whose placement moves, but does not turn, needs no product of rotations.
SINEW_ALWAYS_INLINE sinew_columns move_straight(const sinew_model *model, int n,
                                                sinew_columns parent, const double *q,
                                                double cosine, double sine) {
  const sinew_node *node = &model->nodes[n];
  const sinew_four p = sinew_columns_point(parent, sinew_four_load(model->placements[n].column[3]));
  sinew_columns moved = node->kind == SINEW_NODE_TURN ? sinew_columns_turn(parent, cosine, sine)
                                                      : sinew_ball_move(parent, q + node->q);
  moved.p = p;
  return moved;
}

static inline bool is_straight(const sinew_node *node) {
  return node->straight && (node->kind == SINEW_NODE_TURN || node->kind == SINEW_NODE_BALL);
}

// Sines and cosines of the nodes that turn, in their order.
SINEW_ALWAYS_INLINE void find_turns(const sinew_state *state, const double *q, const int *nodes,
                                    int count) {
  const sinew_node *all = state->model->nodes;
  double *angle = state->angle;
  int turns = 0;
  for (int k = 0; k < count; ++k) {
    const sinew_node *node = &all[nodes != NULL ? nodes[k] : k];
    if (sinew_node_turns(node)) {
      angle[turns++] = sinew_node_value(node, q);
    }
  }
  sinew_sincos(turns, angle, state->sine, state->cosine);
}

// nodes NULL: all of them
SINEW_ALWAYS_INLINE void place_plain(const sinew_state *state, const double *q, const int *nodes,
                                     int count) {
  const sinew_model *model = state->model;
  const sinew_node *all = model->nodes;
  const double *cosine = state->cosine, *sine = state->sine;
  sinew_frame *frames = state->frames;
  find_turns(state, q, nodes, count);
  const sinew_four none = SINEW_FOUR_OF(0.0);
  sinew_columns moved = {none, none, none, none}; // of the node before: most often the parent
  for (int k = 0, before = -1; k < count; ++k) {
    const int n = nodes != NULL ? nodes[k] : k;
    const sinew_node *node = &all[n];
    const int parent = node->parent;
    const bool turning = sinew_node_turns(node);
    const double c = turning ? *cosine++ : 1.0, s = turning ? *sine++ : 0.0;
    if (parent < 0) {
      moved = sinew_node_local(model, n, q, c, s);
    } else {
      const sinew_columns from = parent == before ? moved : sinew_frame_load(&frames[parent]);
      moved = is_straight(node) ? move_straight(model, n, from, q, c, s)
                                : sinew_columns_multiply(from, sinew_node_local(model, n, q, c, s));
    }
    sinew_frame_store(&frames[n], moved);
    before = n;
  }
}

SINEW_TWICE(place, (const sinew_state *state, const double *q, const int *nodes, int count),
            (state, q, nodes, count))

void sinew_state_place(sinew_state *state, const double *q) {
  place(state->wide, state, q, NULL, state->model->node_count);
}

void sinew_state_place_some(sinew_state *state, const double *q, const int *nodes, int count) {
  if (count == state->model->node_count) {
    sinew_state_place(state, q);
  } else {
    place(state->wide, state, q, nodes, count);
  }
}

sinew_result sinew_state_forward(sinew_state *state, const double *q) {
  SINEW_ASSERT(state != NULL && (q != NULL || state->model->nq == 0));
  if (!sinew_state_accepts(state->model, q)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  sinew_state_place(state, q);
  return SINEW_OK;
}

void sinew_state_link(const sinew_state *state, int link, sinew_frame *frame) {
  const sinew_model *model = state->model;
  sinew_state_fixed_frame(state, model->link_node[link], &model->link_offsets[link], frame);
}

static bool has_link(const sinew_state *state, int link) {
  return link >= 0 && link < state->model->link_count;
}

sinew_result sinew_state_link_frame(const sinew_state *state, int link, double *R, double *p) {
  SINEW_ASSERT(state != NULL);
  if (!has_link(state, link)) {
    return SINEW_ERROR_INDEX;
  }
  sinew_frame frame;
  sinew_state_link(state, link, &frame);
  sinew_frame_get(&frame, R, p);
  return SINEW_OK;
}

sinew_result sinew_state_link_pose(const sinew_state *state, int link, sinew_pose *pose) {
  SINEW_ASSERT(state != NULL && pose != NULL);
  if (!has_link(state, link)) {
    return SINEW_ERROR_INDEX;
  }
  sinew_frame frame;
  sinew_state_link(state, link, &frame);
  sinew_frame_to_pose(&frame, pose);
  return SINEW_OK;
}

sinew_result sinew_state_point(const sinew_state *state, int link, const double *point_l,
                               double out[3]) {
  SINEW_ASSERT(state != NULL && out != NULL);
  if (!has_link(state, link)) {
    return SINEW_ERROR_INDEX;
  }
  if (!sinew_point_accepts(point_l)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  const double origin[3] = {0.0, 0.0, 0.0};
  sinew_frame frame;
  sinew_state_link(state, link, &frame);
  sinew_frame_transform(&frame, point_l != NULL ? point_l : origin, out);
  return SINEW_OK;
}
