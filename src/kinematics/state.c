// States as objects: their memory, and the poses of links and points. Forward kinematics: place.c.
//
//   T_link = T_node offset,   point = R point_l + p
#include "kinematics/state.h"
#include "base/error.h"
#include "simd/four.h"
#include "simd/instruction_set.h"

#ifdef SINEW_X86_64
extern const sinew_state_functions sinew_state_functions_of_set_avx2;
#endif

const sinew_state_functions *sinew_state_functions_for(sinew_instruction_set set) {
#ifdef SINEW_X86_64
  if (set >= SINEW_INSTRUCTION_SET_AVX2) {
    return &sinew_state_functions_of_set_avx2;
  }
#endif
  (void)set;
  return &sinew_state_functions_of_set;
}

void sinew_state_layout(sinew_arena *arena, sinew_state *state, const sinew_model *model) {
  const size_t nodes = (size_t)model->node_count, fours = (nodes + 3) / 4 * 4;
  state->model = model;
  state->functions = sinew_state_functions_for(sinew_instruction_set_detect());
  state->frames = sinew_arena_take_aligned(arena, nodes, sizeof *state->frames, sizeof(sinew_four));
  state->placements = sinew_arena_take(arena, 1, sizeof *state->placements);
  if (state->placements != NULL) {
    *state->placements = 0;
  }
  state->angle = sinew_arena_take_aligned(arena, 3 * fours, sizeof(double), sizeof(sinew_four));
  state->sine = state->angle != NULL ? state->angle + fours : NULL;
  state->cosine = state->angle != NULL ? state->sine + fours : NULL;
  state->called = NULL;
  if (model->function_count > 0) {
    sinew_state_called *called = sinew_arena_take(arena, 1, sizeof *called);
    const size_t size = sizeof(sinew_function_motion);
    sinew_function_motion *now = sinew_arena_take_aligned(arena, nodes, size, sizeof(sinew_four));
    sinew_function_motion *other = sinew_arena_take_aligned(arena, nodes, size, sizeof(sinew_four));
    if (called != NULL) {
      *called = (sinew_state_called){now, other, -1};
    }
    state->called = called;
  }
}

// All of a state, with the arrays of twists and finite differences.
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

sinew_result sinew_state_forward(sinew_state *state, const double *q) {
  SINEW_ASSERT(state != NULL && (q != NULL || state->model->nq == 0));
  return state->functions->forward(state, q);
}

sinew_result sinew_state_jacobian_body(sinew_state *state, const double *q, int link,
                                       const double *point_l, double *J, sinew_pose *pose) {
  SINEW_ASSERT(state != NULL && (J != NULL || state->model->nv == 0));
  SINEW_ASSERT(q != NULL || state->model->nq == 0);
  return state->functions->jacobian_body(state, q, link, point_l, J, pose);
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
