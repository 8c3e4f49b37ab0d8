// The Jacobian as 6 x 6 blocks, one for each elementary joint, then trimmed.
//
// Each elementary joint is first given all six degrees of freedom: translations along and rotations
// about the x, y and z of its moved frame. With g = (R, t) that frame relative to the link's point,
// the block is Ad(g) = [R, t^R; 0, R]. Columns of motions that the joint does not have are then
// removed, and so are rows that no task controls:
//                 translations  rotations
//   position           R           t^R
//   orientation        0            R
// The frames are placed so that a single axis is z. So each remaining value has one column, except
// that of a screw, which is the sum of two.
//
// Source: Rabbani, Jacobian, "Block-wise" (procedure 2). It gives the size of the
// whole as 6 x m; before trimming it is 6 x 6m.
#include "kinematics/jacobian.h"
#include "math/adjoint.h"
#include "sinew/reference.h"

#include <string.h>

int sinew_model_block_count(const sinew_model *model) {
  SINEW_ASSERT(model != NULL);
  return model->node_count;
}

// The joint of a node; the nodes of a joint are consecutive.
static int joint_of_node(const sinew_model *model, int node) {
  int joint = -1, first = -1;
  for (int j = 0; j < model->joint_count; ++j) {
    if (model->joint_node[j] >= 0 && model->joint_node[j] <= node && model->joint_node[j] > first) {
      joint = j;
      first = model->joint_node[j];
    }
  }
  return joint;
}

sinew_result sinew_model_block(const sinew_model *model, int block, sinew_block *out) {
  SINEW_ASSERT(model != NULL && out != NULL);
  if (model->function_count > 0) {
    return SINEW_ERROR_UNSUPPORTED;
  }
  if (block < 0 || block >= model->node_count) {
    return SINEW_ERROR_INDEX;
  }
  const sinew_node *node = &model->nodes[block];
  *out = (sinew_block){.joint = joint_of_node(model, block),
                       .v_index = node->v,
                       .ratio = node->ratio,
                       .pitch = node->kind == SINEW_NODE_SCREW ? node->pitch : 0.0};
  switch (node->kind) {
  case SINEW_NODE_REVOLUTE:
    out->freedom[5] = 1;
    break;
  case SINEW_NODE_PRISMATIC:
    out->freedom[2] = 1;
    break;
  case SINEW_NODE_SCREW:
    out->freedom[2] = out->freedom[5] = 1;
    break;
  case SINEW_NODE_SPHERICAL:
    out->freedom[3] = out->freedom[4] = out->freedom[5] = 1;
    break;
  case SINEW_NODE_FUNCTION: // refused above
    break;
  }
  return SINEW_OK;
}

sinew_result sinew_state_jacobian_blocks(const sinew_state *state, int link, const double *point_l,
                                         int axes_link, double *blocks) {
  SINEW_ASSERT(state != NULL && (blocks != NULL || state->model->nv == 0));
  const sinew_model *model = state->model;
  if (model->function_count > 0) {
    return SINEW_ERROR_UNSUPPORTED;
  }
  double s[3], axes[9];
  if (sinew_state_link_frame(state, axes_link, axes, NULL) != SINEW_OK) {
    return SINEW_ERROR_INDEX;
  }
  const sinew_result result = sinew_state_point(state, link, point_l, s);
  if (result != SINEW_OK) {
    return result;
  }
  const size_t width = 6 * (size_t)model->node_count;
  sinew_zero(6 * width, blocks);
  for (int n = model->link_node[link]; n >= 0; n = model->nodes[n].parent) {
    // The node's frame relative to the point, in the axes asked for.
    double R[9], p[3], Ra[9], Ad[36];
    sinew_frame_get(&state->frames[n], R, p);
    for (int r = 0; r < 3; ++r) {
      p[r] -= s[r];
    }
    sinew_matrix_transposed_multiply(axes, R, Ra);
    sinew_rotate_back(axes, p, p);
    sinew_adjoint_set(Ra, p, Ad);
    for (size_t r = 0; r < 6; ++r) {
      memcpy(blocks + r * width + 6 * (size_t)n, Ad + 6 * r, 6 * sizeof(double));
    }
  }
  return SINEW_OK;
}

// Adds the columns of one node to a row of J; row is its part of the block's row.
static void add_columns(const sinew_node *node, const double row[6], double *J) {
  switch (node->kind) {
  case SINEW_NODE_REVOLUTE:
    J[node->v] += node->ratio * row[5];
    break;
  case SINEW_NODE_PRISMATIC:
    J[node->v] += node->ratio * row[2];
    break;
  case SINEW_NODE_SCREW:
    J[node->v] += node->ratio * (row[5] + node->pitch * row[2]);
    break;
  case SINEW_NODE_SPHERICAL:
    for (int i = 0; i < 3; ++i) {
      J[node->v + i] += row[3 + i];
    }
    break;
  case SINEW_NODE_FUNCTION: // has no blocks
    break;
  }
}

int sinew_model_trim_blocks(const sinew_model *model, const unsigned char *rows,
                            const double *blocks, double *J) {
  SINEW_ASSERT(model != NULL && ((blocks != NULL && J != NULL) || model->nv == 0));
  const size_t width = 6 * (size_t)model->node_count, nv = (size_t)model->nv;
  int kept = 0;
  for (size_t r = 0; r < 6; ++r) {
    if (rows != NULL && !rows[r]) {
      continue;
    }
    double *row = J + (size_t)kept * nv;
    sinew_zero(nv, row);
    for (int n = 0; n < model->node_count; ++n) {
      add_columns(&model->nodes[n], blocks + r * width + 6 * (size_t)n, row);
    }
    ++kept;
  }
  return kept;
}
