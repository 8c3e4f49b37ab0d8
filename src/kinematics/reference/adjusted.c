// The Jacobian by one 6 x 6 adjoint for each joint, adjusted to the joint's axes.
//
// With g = (R_a, t) the moved link's frame relative to the effector's point, the columns of Ad(g)
// are translations along and rotations about the moved link's axes. Rates of Euler angles are about
// other axes, since each axis is rotated only by those before it in the order. With R the joint's
// rotation and R' = [a_1 a_2 a_3] its present axes, both in the parent's frame (the first axis
// unmoved, the second rotated by the first, and so on), R* = R^T R' are these axes in the moved
// link's frame, and the block becomes
//   [R_a S*, t^(R_a R*); 0, R_a R*].
// The axes are in the order of the joint's values, so that orders with an axis named twice work as
// well. Translations come before all rotations or are along the axis of a rotation: S* = R^T S'
// likewise. The axes of a spherical joint are those of the moved link: R* = I.
//
// For a joint with a single rotation the used column of R* is the axis itself, which that rotation
// leaves unchanged; this holds for no other column, and R* is not I.
//
// The component of a joint's angular velocity along a direction d is w . d. (An
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
  return node->kind == SINEW_NODE_PRISMATIC || node->kind == SINEW_NODE_SCREW;
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
    for (int i = 0; model->nodes[n].kind == SINEW_NODE_SPHERICAL && i < 3; ++i) {
      set_axis(frame, i, parent_R, turn++, turns);
    }
    if (sinew_node_is_rotational(&model->nodes[n])) {
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

// Adds the columns of the joint's values: translations are the first three columns of the block,
// rotations the last three.
static void add_columns(const sinew_model *model, int joint, const double block[36], double *J) {
  const int last = model->link_node[model->joints[joint].child];
  int turn = 3, slide = 0;
  for (int n = model->joint_node[joint]; n >= 0 && n <= last; ++n) {
    const sinew_node *node = &model->nodes[n];
    const bool screw = node->kind == SINEW_NODE_SCREW;
    for (int i = 0; i < sinew_node_columns(node); ++i) {
      const int along = node_slides(node) ? slide++ : -1;
      const int column = node->kind == SINEW_NODE_PRISMATIC ? along : turn++;
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
  if (model->function_count > 0) {
    return SINEW_ERROR_UNSUPPORTED;
  }
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
    // The moved link's frame relative to the point, in the axes asked for.
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
