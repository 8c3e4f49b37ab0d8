// The Jacobian by one 6 x 6 adjoint a joint, adjusted to the joint's axes.
//
// With g = (R_a, t) the moved link's frame as the effector's point sees it, Ad(g)
// holds slides and turns along the moved link's axes. The rates of Euler angles are
// not those: an axis is turned only by those before it in the order. With R the
// joint's rotation, seen from the parent, and R' = [a_1 a_2 a_3] its axes as they
// stand, seen from the parent too (first axis unmoved; second turned by the first;
// and so on), R* = R^T R' tells them in the moved link's axes, and the block becomes
//   [R_a S*, t^(R_a R*); 0, R_a R*].
// The axes are in the order of the joint's values, so that orders which name an axis
// twice are served as well. Slides come before all turns or along a turn's own axis:
// S* = R^T S' likewise. A ball's axes are those of the moved link: R* = I.
//
// For a joint of one turn the used column of R* is the axis itself, which its own
// turn leaves alone; but that holds for no other column, and R* is not I.
//
// A joint's angular velocity has along a direction d the component w . d. (An
// article on two-axis joints writes the cross product w x (0, 0, 1) for its z.)
//
// Source: Rabbani, Jacobian, "Adjusted method".
#include "kinematics/reference/adjusted.h"
#include "base/error.h"
#include "kinematics/jacobian.h"
#include "math/adjoint.h"
#include "sinew/reference.h"

#include <string.h>

static bool node_slides(const sinew_node *node) {
  return node->kind == SINEW_NODE_SLIDE || node->kind == SINEW_NODE_SCREW;
}

// Writes axis i of a node into column k of a matrix, in the axes of R.
static void set_axis(const sinew_frame *frame, int i, const double R[9], int k, double out[9]) {
  double axis[3];
  sinew_frame_column(frame, i, axis);
  sinew_rotate_back(R, axis, axis);
  for (int r = 0; r < 3; ++r) {
    out[3 * r + k] = axis[r];
  }
}

void sinew_state_joint_axes(const sinew_state *state, int joint, sinew_joint_axes *axes) {
  const sinew_model *model = state->model;
  const int parent = model->joints[joint].parent, child = model->joints[joint].child;
  double parent_R[9], child_R[9], R[9], turns[9] = {0.0}, slides[9] = {0.0};
  sinew_expect_ok(sinew_state_link_frame(state, parent, parent_R, NULL));
  sinew_expect_ok(sinew_state_link_frame(state, child, child_R, NULL));
  sinew_matrix_transposed_multiply(parent_R, child_R, R);
  int turn = 0, slide = 0;
  for (int n = model->joint_node[joint]; n >= 0 && n <= model->link_node[child]; ++n) {
    const sinew_frame *frame = &state->frames[n];
    for (int i = 0; model->nodes[n].kind == SINEW_NODE_BALL && i < 3; ++i) {
      set_axis(frame, i, parent_R, turn++, turns);
    }
    if (sinew_node_turns(&model->nodes[n])) {
      set_axis(frame, 2, parent_R, turn++, turns);
    }
    if (node_slides(&model->nodes[n])) {
      set_axis(frame, 2, parent_R, slide++, slides);
    }
  }
  sinew_matrix_transposed_multiply(R, turns, axes->turns);
  sinew_matrix_transposed_multiply(R, slides, axes->slides);
}

// The adjusted block of a joint: g = (Ra, t).
static void adjusted_block(const sinew_joint_axes *axes, const double Ra[9], const double t[3],
                           double block[36]) {
  double turns[9], slides[9];
  sinew_matrix_multiply(Ra, axes->turns, turns);
  sinew_matrix_multiply(Ra, axes->slides, slides);
  sinew_adjoint_set(turns, t, block);
  for (int r = 0; r < 3; ++r) {
    memcpy(block + 6 * r, slides + 3 * r, 3 * sizeof(double));
  }
}

// Keeps the columns of the joint's values: slides are the first three of the block,
// turns the last.
static void add_columns(const sinew_model *model, int joint, const double block[36], double *J) {
  const int last = model->link_node[model->joints[joint].child];
  int turn = 3, slide = 0;
  for (int n = model->joint_node[joint]; n >= 0 && n <= last; ++n) {
    const sinew_node *node = &model->nodes[n];
    const bool screw = node->kind == SINEW_NODE_SCREW;
    for (int i = 0; i < sinew_node_columns(node); ++i) {
      const int along = node_slides(node) ? slide++ : -1;
      const int column = node->kind == SINEW_NODE_SLIDE ? along : turn++;
      for (int r = 0; r < 6; ++r) {
        const double entry =
            block[6 * r + column] + (screw ? node->pitch * block[6 * r + along] : 0.0);
        J[r * model->nv + node->v + i] += node->ratio * entry;
      }
    }
  }
}

sinew_result sinew_state_jacobian_adjusted(const sinew_state *state, int link,
                                           const double *point_l, int axes_link, double *J) {
  SINEW_ASSERT(state != NULL && (J != NULL || state->model->nv == 0));
  const sinew_model *model = state->model;
  double s[3], wanted[9];
  if (sinew_state_link_frame(state, axes_link, wanted, NULL) != SINEW_OK) {
    return SINEW_ERROR_INDEX;
  }
  const sinew_result result = sinew_state_point(state, link, point_l, s);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_zero(6 * (size_t)model->nv, J);
  while (link != model->root) {
    const int joint = model->link_joint[link];
    double R[9], Ra[9], t[3], block[36];
    sinew_joint_axes axes;
    // The moved link's frame from the point, in the axes wanted.
    sinew_expect_ok(sinew_state_link_frame(state, link, R, t));
    for (int r = 0; r < 3; ++r) {
      t[r] -= s[r];
    }
    sinew_matrix_transposed_multiply(wanted, R, Ra);
    sinew_rotate_back(wanted, t, t);
    sinew_state_joint_axes(state, joint, &axes);
    adjusted_block(&axes, Ra, t, block);
    add_columns(model, joint, block, J);
    link = model->joints[joint].parent;
  }
  return SINEW_OK;
}
