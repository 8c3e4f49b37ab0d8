// A floating base: its pose for which a posture's effectors are nearest to their targets.
//
// The rigid motion X = (R, x) that moves points s_k to t_k, axes a_k to b_k and orientations S_k to
// T_k as well as possible minimizes
//   sum w |t - R s - x|^2 + sum |b - R a|^2 / 4 + sum |T - R S|^2 / 8,
// the distance by which postures are found. The optimal x maps the mean s0 of the points to the
// mean t0 of their targets, x = t0 - R s0. Then R maximizes tr(R^T B), with
//   B = sum w (t - t0)(s - s0)^T + sum b a^T / 4 + sum T S^T / 8.
// This is a quadratic form in the quaternion of R, maximal at the eigenvector of the largest
// eigenvalue. If the effectors do not determine R, the smallest rotation is taken.
// Sources: Davenport's q-method; Horn, Closed-form solution of absolute orientation using
// unit quaternions, 1987.
#include "math/eigen.h"
#include "math/vector.h"
#include "seed/bank.h"
#include "task/task.h"

#include <string.h>

// The weight w of points, for lengths in sizes of the model: typical for the points of a limb.
#define POINT_WEIGHT 4.0

// The weight of the identity, relative to that of effectors, which decides if they do not.
#define STAY 1e-9

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
static void describe(const sinew_model *model, int j, sinew_bank_base *base) {
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

void sinew_bank_base_find(const sinew_model *model, const sinew_task *tasks, int count,
                          sinew_bank_base *base) {
  *base = (sinew_bank_base){.quaternion_q = -1};
  for (int j = 0; j < model->joint_count && !base->floats; ++j) {
    if (is_floating(model, j) && count > 0 && carries_all(model, j, tasks, count)) {
      base->floats = true;
      base->v = model->joints[j].v_index;
      base->nv = model->joints[j].nv;
      describe(model, j, base);
    }
  }
}

// ------------------------------------------------------------------- fitting

// The sums of a fit.
typedef struct fit {
  double B[9];
  double from[3], to[3]; // the means s0 and t0
  int points;
} fit;

static void add_product(double weight, const double to[3], const double from[3], double B[9]) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      B[3 * i + j] += weight * to[i] * from[j];
    }
  }
}

// An effector's pose with the base's values at 0.
static void effector_of(const sinew_bank *bank, int index, int t, sinew_pose *effector) {
  const float *seven = bank->effectors + 7 * ((size_t)index * (size_t)bank->task_count + (size_t)t);
  for (int i = 0; i < 3; ++i) {
    effector->position[i] = seven[i];
  }
  for (int i = 0; i < 4; ++i) {
    effector->rotation[i] = seven[3 + i];
  }
}

static void add_means(const sinew_bank *bank, int index, const sinew_target *targets, fit *f) {
  sinew_pose effector;
  for (int t = 0; t < bank->task_count; ++t) {
    if (sinew_bank_has_point(&bank->tasks[t])) {
      effector_of(bank, index, t, &effector);
      ++f->points;
      for (int i = 0; i < 3; ++i) {
        f->from[i] += (effector.position[i] - f->from[i]) / f->points;
        f->to[i] += (targets[t].position[i] - f->to[i]) / f->points;
      }
    }
  }
}

static void add_task(const sinew_task *task, const sinew_pose *effector, const sinew_target *target,
                     double weight, fit *f) {
  double from[3], to[3], q[4], S[9], T[9];
  if (sinew_bank_has_point(task)) {
    for (int i = 0; i < 3; ++i) {
      from[i] = effector->position[i] - f->from[i];
      to[i] = target->position[i] - f->to[i];
    }
    add_product(weight, to, from, f->B);
  }
  if (sinew_bank_has_axis(task)) {
    sinew_task_axis_of_tool(task, from);
    sinew_quaternion_rotate(effector->rotation, from, from);
    sinew_task_axis_of_target(task, target, to);
    add_product(0.25, to, from, f->B);
  }
  if (sinew_bank_has_orientation(task)) {
    memcpy(q, target->rotation, sizeof q);
    sinew_quaternion_normalize(q);
    sinew_quaternion_to_matrix(q, T);
    sinew_quaternion_to_matrix(effector->rotation, S);
    double product[9];
    sinew_matrix_multiply_transposed(T, S, product);
    for (int i = 0; i < 9; ++i) {
      f->B[i] += 0.125 * product[i];
    }
  }
}

// The quaternion of the R that maximizes tr(R^T B).
static void best_rotation(const double B[9], double q[4]) {
  const double trace = B[0] + B[4] + B[8];
  const double v[3] = {B[7] - B[5], B[2] - B[6], B[3] - B[1]};
  double K[16] = {trace, v[0], v[1], v[2]}, values[4], Z[16], work[8];
  for (int i = 0; i < 3; ++i) {
    K[4 * (i + 1)] = v[i];
    for (int j = 0; j < 3; ++j) {
      K[4 * (i + 1) + j + 1] = B[3 * i + j] + B[3 * j + i] - (i == j ? trace : 0.0);
    }
  }
  sinew_eigen_symmetric(4, K, values, Z, work);
  int most = 0;
  for (int i = 1; i < 4; ++i) {
    most = values[i] > values[most] ? i : most;
  }
  memcpy(q, Z + 4 * most, 4 * sizeof(double));
  sinew_quaternion_normalize(q);
}

// The rigid motion that brings the effectors near their targets.
static void best_motion(const sinew_bank *bank, int index, const sinew_target *targets,
                        sinew_pose *motion) {
  fit f = {.B = {0.0}};
  const double size = bank->length, weight = POINT_WEIGHT / (size * size);
  sinew_pose effector;
  add_means(bank, index, targets, &f);
  for (int t = 0; t < bank->task_count; ++t) {
    effector_of(bank, index, t, &effector);
    add_task(&bank->tasks[t], &effector, &targets[t], weight, &f);
  }
  const double stay = STAY * (1.0 + sinew_largest(9, f.B));
  for (int i = 0; i < 3; ++i) {
    f.B[4 * i] += stay;
  }
  best_rotation(f.B, motion->rotation);
  sinew_quaternion_rotate(motion->rotation, f.from, f.from);
  for (int i = 0; i < 3; ++i) {
    motion->position[i] = f.points > 0 ? f.to[i] - f.from[i] : 0.0;
  }
}

// -------------------------------------------------------------------- setting

void sinew_bank_base_zero(const sinew_bank_base *base, double *q) {
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

void sinew_bank_base_set(const sinew_bank_base *base, const sinew_pose *motion, double *q) {
  sinew_pose own, placement, back;
  // The joint's own motion M from motion placement = placement M.
  sinew_frame_to_pose(&base->placement, &placement);
  sinew_pose_invert(&placement, &back);
  sinew_pose_multiply(motion, &placement, &own);
  sinew_pose_multiply(&back, &own, &own);
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

void sinew_bank_base_fit(const sinew_bank *bank, int index, const sinew_target *targets,
                         double *q) {
  sinew_pose motion;
  best_motion(bank, index, targets, &motion);
  sinew_bank_base_set(&bank->base, &motion, q);
}
