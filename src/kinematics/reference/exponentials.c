// Jacobians from the product of exponentials
//   g(q) = exp(x_1 theta_1) ... exp(x_n theta_n) g(0),
// x_j the twists of the joints in the zero pose. This is a reference: slower than the columns by
// cross products, and independent of them except for the model's placements.
//
// A column in the spatial frame is x_j transformed by the factors up to its own, and in the body
// frame by the inverse of its own and those after it:
//   spatial  Ad(exp(x_1 theta_1) ... exp(x_j theta_j)) x_j
//   body     Ad(exp(x_j theta_j) ... exp(x_n theta_n) g(0))^-1 x_j
// (its own factor has no effect: Ad(exp(x theta)) x = x). A spherical joint is one factor
// exp(x_a r_a + x_b r_b + x_c r_c), r the rotation vector of its quaternion. Its velocity is in its
// moved axes, as if it were followed by three revolute joints at angle 0: so the spatial columns
// include its own factor, and the body columns only the factors after it.
//
// Source: Murray, Li, Sastry 1994, sections 3.2 and 3.4.
#include "kinematics/jacobian.h"
#include "sinew/reference.h"

#include <string.h>

// ------------------------------------------------------------- the zero pose

int sinew_model_exponential_count(const sinew_model *model) {
  SINEW_ASSERT(model != NULL);
  int count = 0;
  for (int n = 0; n < model->node_count; ++n) {
    count += sinew_node_columns(&model->nodes[n]);
  }
  return count;
}

// The twist of a motion along or about axis i of a frame, in the root's frame.
static void set_twist(const sinew_node *node, const sinew_pose *zero, int i, double twist[6]) {
  const double unit[3] = {i == 0, i == 1, i == 2};
  double axis[3];
  sinew_quaternion_rotate(zero->rotation, unit, axis);
  memset(twist, 0, 6 * sizeof(double));
  if (node->kind == SINEW_NODE_PRISMATIC) {
    memcpy(twist, axis, sizeof axis);
    return;
  }
  memcpy(twist + 3, axis, sizeof axis);
  sinew_cross(zero->position, axis, twist); // -axis x p
  for (int r = 0; node->kind == SINEW_NODE_SCREW && r < 3; ++r) {
    twist[r] += node->pitch * axis[r];
  }
}

// The factors of one node, whose frame in the zero pose is given.
static void set_factors(const sinew_node *node, const sinew_pose *zero,
                        sinew_exponential *factors) {
  const bool spherical = node->kind == SINEW_NODE_SPHERICAL;
  for (int i = 0; i < sinew_node_columns(node); ++i) {
    factors[i] = (sinew_exponential){.q_index = node->q,
                                     .v_index = node->v + i,
                                     .quaternion_axis = spherical ? i : -1,
                                     .ratio = node->ratio,
                                     .offset = node->offset};
    set_twist(node, zero, spherical ? i : 2, factors[i].twist);
  }
}

// From the zero pose of a frame that is fixed to a node by offset to that of the node's frame.
static void undo(const sinew_frame *offset, sinew_pose *zero) {
  sinew_pose back;
  sinew_frame_to_pose(offset, &back);
  sinew_pose_invert(&back, &back);
  sinew_pose_multiply(zero, &back, zero);
}

sinew_result sinew_model_exponentials(const sinew_model *model, int link, const double *point_l,
                                      sinew_exponentials *product) {
  SINEW_ASSERT(model != NULL && product != NULL);
  if (model->function_count > 0) {
    return SINEW_ERROR_UNSUPPORTED;
  }
  if (link < 0 || link >= model->link_count) {
    return SINEW_ERROR_INDEX;
  }
  if (!sinew_point_accepts(point_l)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  // g(0): the product of all placements on the path, without motions.
  sinew_pose zero;
  int count = 0;
  sinew_frame_to_pose(&model->link_offsets[link], &zero);
  for (int n = model->link_node[link]; n >= 0; n = model->nodes[n].parent) {
    sinew_pose placement;
    sinew_frame_to_pose(&model->placements[n], &placement);
    sinew_pose_multiply(&placement, &zero, &zero);
    count += sinew_node_columns(&model->nodes[n]);
  }
  product->zero = zero;
  if (point_l != NULL) {
    sinew_pose_transform(&zero, point_l, product->zero.position);
  }
  product->count = count;
  product->nv = model->nv;
  // The nodes' frames, from the link inward.
  const sinew_frame *offset = &model->link_offsets[link];
  for (int n = model->link_node[link]; n >= 0; n = model->nodes[n].parent) {
    undo(offset, &zero);
    offset = &model->placements[n];
    count -= sinew_node_columns(&model->nodes[n]);
    set_factors(&model->nodes[n], &zero, product->factors + count);
  }
  return SINEW_OK;
}

// --------------------------------------------------------------- the product

// How many factors make one motion: three for a spherical joint, else one.
static int group_size(const sinew_exponential *factor) {
  return factor->quaternion_axis < 0 ? 1 : 3;
}

// exp of the motion that begins with a factor.
static void motion(const sinew_exponential *factor, const double *q, sinew_pose *out) {
  double theta[3] = {factor->ratio * q[factor->q_index] + factor->offset}, twist[6] = {0.0};
  if (factor->quaternion_axis >= 0) {
    double unit[4];
    memcpy(unit, q + factor->q_index, sizeof unit);
    sinew_quaternion_normalize(unit);
    sinew_quaternion_log(unit, theta);
  }
  for (int i = 0; i < group_size(factor); ++i) {
    for (int r = 0; r < 6; ++r) {
      twist[r] += theta[i] * factor[i].twist[r];
    }
  }
  sinew_pose_exp(twist, out);
}

// Whether the values that the factors take can be used.
static bool accepts(const sinew_exponentials *product, const double *q) {
  for (int i = 0; i < product->count; ++i) {
    const sinew_exponential *factor = &product->factors[i];
    for (int k = 0; k < (factor->quaternion_axis < 0 ? 1 : 4); ++k) {
      if (!sinew_is_usable(q[factor->q_index + k])) {
        return false;
      }
    }
  }
  return true;
}

static void add_column(const sinew_exponential *factor, const double twist[6], int nv, double *J) {
  for (int r = 0; r < 6; ++r) {
    J[r * nv + factor->v_index] += factor->ratio * twist[r];
  }
}

sinew_result sinew_exponentials_pose(const sinew_exponentials *product, const double *q,
                                     sinew_pose *pose) {
  SINEW_ASSERT(product != NULL && pose != NULL);
  SINEW_ASSERT(q != NULL || product->count == 0);
  if (!accepts(product, q)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  sinew_pose g = sinew_pose_identity(), factor;
  for (int i = 0; i < product->count; i += group_size(&product->factors[i])) {
    motion(&product->factors[i], q, &factor);
    sinew_pose_multiply(&g, &factor, &g);
  }
  sinew_pose_multiply(&g, &product->zero, pose);
  return SINEW_OK;
}

sinew_result sinew_exponentials_jacobian_spatial(const sinew_exponentials *product, const double *q,
                                                 double *J) {
  SINEW_ASSERT(product != NULL && (J != NULL || product->nv == 0));
  SINEW_ASSERT(q != NULL || product->count == 0);
  if (!accepts(product, q)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  sinew_zero(6 * (size_t)product->nv, J);
  sinew_pose g = sinew_pose_identity(), factor;
  for (int i = 0, size; i < product->count; i += size) {
    const sinew_exponential *group = &product->factors[i];
    size = group_size(group);
    motion(group, q, &factor);
    sinew_pose_multiply(&g, &factor, &g);
    for (int k = 0; k < size; ++k) {
      double twist[6];
      sinew_pose_transform_twist(&g, group[k].twist, twist);
      add_column(&group[k], twist, product->nv, J);
    }
  }
  return SINEW_OK;
}

sinew_result sinew_exponentials_jacobian_body(const sinew_exponentials *product, const double *q,
                                              double *J) {
  SINEW_ASSERT(product != NULL && (J != NULL || product->nv == 0));
  SINEW_ASSERT(q != NULL || product->count == 0);
  if (!accepts(product, q)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  sinew_zero(6 * (size_t)product->nv, J);
  sinew_pose g = product->zero, factor; // the factors after the one at hand, and g(0)
  for (int i = product->count, size; i > 0; i -= size) {
    size = group_size(&product->factors[i - 1]);
    const sinew_exponential *group = &product->factors[i - size];
    for (int k = 0; k < size; ++k) {
      double twist[6];
      sinew_pose_transform_twist_back(&g, group[k].twist, twist);
      add_column(&group[k], twist, product->nv, J);
    }
    motion(group, q, &factor);
    sinew_pose_multiply(&factor, &g, &g);
  }
  return SINEW_OK;
}
