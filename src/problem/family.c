// The family of a chain: see family.h.
#include "problem/family.h"
#include "kinematics/state.h"
#include "math/rotation.h"

#include <string.h>

// The one whole pose that the problem asks for, or NULL.
static const sinew_compiled_task *pose_of(const sinew_problem *problem) {
  const sinew_compiled_task *task = &problem->tasks[0];
  const bool pose = problem->count == 1 && problem->counted == 1 && task->row_count == 6 &&
                    task->whole && task->node >= 0;
  return pose && task->task.kind == SINEW_TASK_POSE ? task : NULL;
}

static bool is_active(const sinew_problem *problem, const sinew_node *node) {
  bool active = false;
  for (int v = node->v; v < node->v + (node->kind == SINEW_NODE_SPHERICAL ? 3 : 1); ++v) {
    active |= problem->column_of_dof[v] >= 0;
  }
  return active;
}

// Notes an inactive joint's value; where there are too many the family is not kept.
static void note_inactive(const sinew_node *node, const double *q, sinew_family *family) {
  const int values = node->kind == SINEW_NODE_SPHERICAL ? 4 : 1;
  for (int i = 0; i < values; ++i, ++family->inactive_count) {
    if (family->inactive_count < SINEW_FAMILY_INACTIVE) {
      family->inactive_at[family->inactive_count] = node->q + i;
      family->inactive[family->inactive_count] = q[node->q + i];
    }
  }
}

// Whether a node may be the next axis: a revolute joint with a value of its own on this path.
static bool is_own_revolute(const sinew_family *family, const sinew_node *node) {
  bool own = node->kind == SINEW_NODE_REVOLUTE && node->ratio == 1.0 && node->offset == 0.0 &&
             family->arm.count < SINEW_ARM_MOST;
  for (int i = 0; i < family->arm.count; ++i) {
    own &= family->at[i] != node->q;
  }
  return own;
}

// The axes of the active joints, from the root, where these are at 0; false if some is not a
// revolute joint by itself, or if there are too many.
static bool read_axes(const sinew_problem *problem, const sinew_compiled_task *task,
                      const double *q, sinew_family *family) {
  const sinew_model *model = problem->model;
  sinew_frame frame, tip;
  double last[3] = {0.0}, at[3];
  sinew_arm *arm = &family->arm;
  frame = (sinew_frame){{{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}}};
  for (int k = 0; k < problem->node_count; ++k) {
    const int n = problem->nodes[k];
    const sinew_node *node = &model->nodes[n];
    const bool active = is_active(problem, node);
    if (node->parent != (k > 0 ? problem->nodes[k - 1] : -1) || node->kind == SINEW_NODE_FUNCTION) {
      return false;
    }
    double angle = 0.0;
    if (!active) {
      note_inactive(node, q, family);
      angle = sinew_node_angle(node, q);
    }
    const sinew_columns local = sinew_node_local(model, n, q, NULL, cos(angle), sin(angle));
    sinew_frame_store(&frame, sinew_columns_multiply(sinew_frame_load(&frame), local));
    if (!active) {
      continue;
    }
    if (!is_own_revolute(family, node)) {
      return false;
    }
    const int i = arm->count++;
    family->at[i] = node->q;
    sinew_frame_column(&frame, 2, arm->h[i]);
    sinew_frame_column(&frame, 3, at);
    for (int j = 0; j < 3; ++j) {
      arm->P[i][j] = at[j] - last[j];
      last[j] = at[j];
    }
  }
  sinew_frame_multiply(&frame, &task->tip, &tip);
  sinew_frame_get(&tip, family->tip, at);
  for (int j = 0; j < 3; ++j) {
    arm->P[arm->count][j] = at[j] - last[j];
  }
  return true;
}

// A group of axes, the nearest to exact so far.
typedef struct group {
  sinew_arm_form form;
  int first, given;
  double deviation;
  double most; // up to which another is taken
} group;

static void offer(group *best, sinew_arm_form form, int first, int given, double deviation) {
  // One that is exact is as good as another; the first is taken.
  if (deviation <= best->most && best->deviation > SINEW_FAMILY_EXACT &&
      deviation < best->deviation) {
    *best = (group){form, first, given, deviation, best->most};
  }
}

// Where one has been found, only exact ones are better from here on.
static void prefer_found(group *best) {
  best->most = best->form != SINEW_ARM_NONE ? SINEW_FAMILY_EXACT : best->most;
}

static void find_six(const sinew_arm *arm, double size, group *best) {
  double point[3];
  for (int first = 3; first >= 0; --first) {
    offer(best, SINEW_ARM_MEETING, first, -1, sinew_arm_meeting(arm, size, first, 3, point));
  }
  for (int first = 1; first <= 2; ++first) {
    offer(best, SINEW_ARM_PARALLEL, first, -1, sinew_arm_parallel(arm, first));
  }
  prefer_found(best); // the solutions of three axes take less time
  for (int first = 1; first <= 3; first += 2) {
    offer(best, SINEW_ARM_PAIR, first, -1, sinew_arm_pair(arm, size, first == 3));
  }
}

// Three axes that meet at both ends, or anywhere: then the given joint is the last beyond them, or
// of those beside them the nearest to the middle.
static void find_seven(const sinew_arm *arm, double size, group *best) {
  double point[3];
  const double shoulder = sinew_arm_meeting(arm, size, 0, 3, point);
  const double wrist = sinew_arm_meeting(arm, size, 4, 3, point);
  offer(best, SINEW_ARM_SRS, 4, -1, sinew_max(shoulder, wrist));
  prefer_found(best); // it has a swivel
  offer(best, SINEW_ARM_MEETING, 3, 2, wrist);
  offer(best, SINEW_ARM_MEETING, 0, 6, shoulder);
  for (int first = 3; first > 0; --first) {
    const int given = first == 1 ? 6 : 0;
    offer(best, SINEW_ARM_MEETING, first - (given == 0), given,
          sinew_arm_meeting(arm, size, first, 3, point));
  }
}

// The plan of seven joints without the given one, which is the first or the last: six axes that do
// not depend on its value.
static void prepare_six(sinew_family *family) {
  const sinew_arm *arm = &family->arm;
  const int from = family->given == 0 ? 1 : 0;
  sinew_arm six = {.count = 6};
  memcpy(six.h, arm->h[from], sizeof arm->h[0] * 6);
  memcpy(six.P, arm->P[from], sizeof arm->P[0] * 7);
  if (family->given == 0 || family->given == SINEW_ARM_MOST - 1) {
    sinew_arm_prepare(&six, family->form, family->first, &family->plan);
  }
}

// With the last joint given, R_1 .. R_6 = R R_7^T, and the point of axis 7 is at p - R P_7. With
// the first, R_2 .. R_7 = R_1^T R, and the tip is at R_1^T (p - P_0). A joint between the others is
// folded into their vectors.
const sinew_arm_plan *sinew_family_plan_at(const sinew_family *family, sinew_angle given,
                                           const double R[9], const double p[3], double R_six[9],
                                           double p_six[3], sinew_arm_plan *scratch) {
  const sinew_arm *arm = &family->arm;
  const int k = family->given;
  if (k == 0) {
    const sinew_angle back = sinew_angle_back(given);
    double column[3];
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) {
        column[i] = R[3 * i + j];
      }
      sinew_rotate_about(arm->h[0], back, column, column);
      for (int i = 0; i < 3; ++i) {
        R_six[3 * i + j] = column[i];
      }
      p_six[j] = p[j] - arm->P[0][j];
    }
    sinew_rotate_about(arm->h[0], back, p_six, p_six);
    return &family->plan;
  }
  sinew_arm_fold_target(arm, k, given, R, R_six);
  if (k == arm->count - 1) {
    sinew_rotate(R, arm->P[arm->count], p_six);
    for (int j = 0; j < 3; ++j) {
      p_six[j] = p[j] - p_six[j];
    }
    return &family->plan;
  }
  sinew_arm six;
  memcpy(p_six, p, 3 * sizeof *p);
  sinew_arm_fold(arm, k, given, &six);
  sinew_arm_prepare(&six, family->form, family->first, scratch);
  return scratch;
}

void sinew_family_find(const sinew_problem *problem, const double *q, sinew_family *family) {
  const sinew_compiled_task *task = pose_of(problem);
  group best = {.deviation = INFINITY, .given = -1, .most = SINEW_FAMILY_NEAR};
  *family = (sinew_family){.kind = SINEW_FAMILY_NONE, .given = -1};
  const bool usable = task != NULL && read_axes(problem, task, q, family);
  const sinew_arm *arm = &family->arm;
  if (!usable || arm->count < 6) {
    return;
  }
  const double size = sinew_arm_size(arm);
  if (arm->count == 6) {
    find_six(arm, size, &best);
  } else {
    find_seven(arm, size, &best);
  }
  family->deviation = best.deviation;
  family->given = best.given;
  family->form = best.form;
  family->first = best.first;
  if (best.form != SINEW_ARM_NONE) {
    family->kind = arm->count == 6              ? SINEW_FAMILY_SIX
                   : best.form == SINEW_ARM_SRS ? SINEW_FAMILY_SRS
                                                : SINEW_FAMILY_SEVEN;
  }
  if (family->kind == SINEW_FAMILY_SEVEN) {
    prepare_six(family);
  } else if (family->kind != SINEW_FAMILY_NONE) {
    sinew_arm_prepare(arm, best.form, best.first, &family->plan);
  }
}

bool sinew_family_holds(const sinew_family *family, const double *q) {
  bool same = family->inactive_count <= SINEW_FAMILY_INACTIVE;
  for (int i = 0; same && i < family->inactive_count; ++i) {
    same = q[family->inactive_at[i]] == family->inactive[i];
  }
  return same;
}

const char *sinew_family_string(const sinew_family *family) {
  static const char *const meeting[4] = {"6 joints, axes 1 to 3 meet", "6 joints, axes 2 to 4 meet",
                                         "6 joints, axes 3 to 5 meet",
                                         "6 joints, axes 4 to 6 meet"};
  static const char *const seven[5] = {"7 joints, axes 1 to 3 meet", "7 joints, axes 2 to 4 meet",
                                       "7 joints, axes 3 to 5 meet", "7 joints, axes 4 to 6 meet",
                                       "7 joints, axes 5 to 7 meet"};
  switch (family->kind) {
  case SINEW_FAMILY_SIX:
    if (family->form == SINEW_ARM_PAIR) {
      return family->first == 1 ? "6 joints, axes 2 and 3 parallel, 4 and 5 meet"
                                : "6 joints, axes 2 and 3 meet, 4 and 5 parallel";
    }
    return family->form == SINEW_ARM_MEETING ? meeting[family->first]
           : family->first == 1              ? "6 joints, axes 2 to 4 parallel"
                                             : "6 joints, axes 3 to 5 parallel";
  case SINEW_FAMILY_SEVEN:
    return seven[family->first + (family->given <= family->first)];
  case SINEW_FAMILY_SRS:
    return "7 joints, axes 1 to 3 and 5 to 7 meet";
  default:
    return "none";
  }
}

void sinew_family_rotation(const sinew_family *family, const sinew_target *target, double R[9]) {
  double at[9], unit[4];
  memcpy(unit, target->rotation, sizeof unit);
  sinew_quaternion_normalize(unit);
  sinew_quaternion_to_matrix(unit, at);
  sinew_matrix_multiply_transposed(at, family->tip, R);
}
