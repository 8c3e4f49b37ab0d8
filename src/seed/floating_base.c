// Floating bases: see floating_base.h.
#include "seed/floating_base.h"
#include "math/vector.h"

#include <string.h>

// ------------------------------------------------------------------- finding

// Whether a joint has all six degrees of freedom, without limits, and is at the root.
static bool is_floating(const sinew_model *model, int j) {
  const sinew_joint *joint = &model->joints[j];
  if (joint->kind != SINEW_JOINT_FREE && (joint->kind != SINEW_JOINT_CHANNELS || joint->nv != 6)) {
    return false;
  }
  int turns = 0;
  for (int v = joint->v_index; v < joint->v_index + 6; ++v) {
    turns += model->angular[v];
    if (sinew_is_usable(model->lower[v]) || sinew_is_usable(model->upper[v])) {
      return false;
    }
  }
  return turns == 3 && model->link_node[joint->parent] < 0;
}

// Whether a joint may move a task: it is on the path from its link to its chain's root. Relative
// tasks and centres of mass are no hindrance: no feature has them.
static bool carries(const sinew_model *model, int j, const sinew_task *task) {
  int link = task->link;
  if (task->frame_link >= 0 || task->center_of_mass) {
    return true;
  }
  while (link != task->chain_root && model->link_joint[link] >= 0) {
    if (model->link_joint[link] == j) {
      return true;
    }
    link = model->joints[model->link_joint[link]].parent;
  }
  return false;
}

static bool carries_all(const sinew_model *model, int j, const sinew_task *tasks, int count) {
  bool all = true;
  for (int t = 0; t < count; ++t) {
    all &= carries(model, j, &tasks[t]);
  }
  return all;
}

// Fills the joint's frame and the roles of its values, from the direction of each node's z in the
// joint's axes with all values at 0.
static void describe(const sinew_model *model, int j, sinew_floating_base *base) {
  const sinew_joint *joint = &model->joints[j];
  const int first = model->joint_node[j], nodes = joint->kind == SINEW_JOINT_FREE ? 4 : 6;
  sinew_frame at[6];
  at[0] = model->placements[first];
  for (int k = 1; k < nodes; ++k) {
    sinew_frame_multiply(&at[k - 1], &model->placements[first + k], &at[k]);
  }
  sinew_frame_multiply(&at[nodes - 1], &model->link_offsets[joint->child], &base->placement);
  double P[9], z[3];
  sinew_frame_get(&base->placement, P, NULL);
  int turns = 0;
  for (int k = 0; k < nodes; ++k) {
    const sinew_node *node = &model->nodes[first + k];
    sinew_frame_column(&at[k], 2, z);
    sinew_rotate_back(P, z, z);
    const int axis = fabs(z[0]) > 0.5 ? 0 : fabs(z[1]) > 0.5 ? 1 : 2;
    if (node->kind == SINEW_NODE_PRISMATIC) {
      base->translation_q[axis] = node->q;
    } else if (node->kind == SINEW_NODE_SPHERICAL) {
      base->quaternion_q = node->q;
    } else {
      base->angle_q[turns] = node->q;
      base->angle_axis[turns++] = axis;
    }
  }
}

bool sinew_floating_base_of(const sinew_model *model, int j, sinew_floating_base *base) {
  *base = (sinew_floating_base){.floats = is_floating(model, j), .quaternion_q = -1};
  if (base->floats) {
    base->v = model->joints[j].v_index;
    base->nv = model->joints[j].nv;
    base->link = model->joints[j].child;
    describe(model, j, base);
  }
  return base->floats;
}

void sinew_floating_base_find(const sinew_model *model, const sinew_task *tasks, int count,
                              sinew_floating_base *base) {
  *base = (sinew_floating_base){.quaternion_q = -1};
  for (int j = 0; j < model->joint_count && !base->floats; ++j) {
    if (count > 0 && carries_all(model, j, tasks, count)) {
      sinew_floating_base_of(model, j, base);
    }
  }
}

// -------------------------------------------------------------------- setting

void sinew_floating_base_zero(const sinew_floating_base *base, double *q) {
  for (int i = 0; i < 3; ++i) {
    q[base->translation_q[i]] = 0.0;
  }
  if (base->quaternion_q >= 0) {
    const double identity[4] = {1.0, 0.0, 0.0, 0.0};
    memcpy(q + base->quaternion_q, identity, sizeof identity);
    return;
  }
  for (int i = 0; i < 3; ++i) {
    q[base->angle_q[i]] = 0.0;
  }
}

// The angles of R = R_i(a) R_j(b) R_k(c) about axes i, j, k, each rotated by those before it; s is
// 1 if i, j are in cyclic order (x y, y z, z x), else -1. At a singularity of the angles c is 0.
static void angles_of(const double R[9], const int axis[3], double angle[3]) {
  const int i = axis[0], j = axis[1], k = 3 - i - j; // k: the third of all axes
  const double s = (i + 1) % 3 == j ? 1.0 : -1.0;
  const bool same = axis[2] == i; // z x z, say
  const double sine =
      same ? sqrt(R[3 * j + i] * R[3 * j + i] + R[3 * k + i] * R[3 * k + i]) : s * R[3 * i + k];
  const double cosine = same ? R[4 * i] : sqrt(R[4 * i] * R[4 * i] + R[3 * i + j] * R[3 * i + j]);
  angle[1] = atan2(sine, cosine);
  if ((same ? sine : cosine) < 1e-9) {
    angle[0] = atan2(s * R[3 * k + j], R[4 * j]);
    angle[2] = 0.0;
  } else if (same) {
    angle[0] = atan2(R[3 * j + i], -s * R[3 * k + i]);
    angle[2] = atan2(R[3 * i + j], s * R[3 * i + k]);
  } else {
    angle[0] = atan2(-s * R[3 * j + k], R[4 * k]);
    angle[2] = atan2(-s * R[3 * i + j], R[4 * i]);
  }
}

void sinew_floating_base_place(const sinew_floating_base *base, const sinew_pose *link, double *q) {
  sinew_pose own, placement, back;
  sinew_frame_to_pose(&base->placement, &placement);
  sinew_pose_invert(&placement, &back);
  sinew_pose_multiply(&back, link, &own); // the joint's motion, since link = placement own
  for (int i = 0; i < 3; ++i) {
    q[base->translation_q[i]] = sinew_clamp(own.position[i], -SINEW_HUGE, SINEW_HUGE);
  }
  if (base->quaternion_q >= 0) {
    memcpy(q + base->quaternion_q, own.rotation, sizeof own.rotation);
    return;
  }
  double R[9], angle[3];
  sinew_quaternion_to_matrix(own.rotation, R);
  angles_of(R, base->angle_axis, angle);
  for (int i = 0; i < 3; ++i) {
    q[base->angle_q[i]] = angle[i];
  }
}

void sinew_floating_base_set(const sinew_floating_base *base, const sinew_pose *motion, double *q) {
  sinew_pose placement, link;
  sinew_frame_to_pose(&base->placement, &placement);
  sinew_pose_multiply(motion, &placement, &link);
  sinew_floating_base_place(base, &link, q);
}
