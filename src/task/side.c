// The sides of tasks where a figure is, and their second derivatives: see task.h. The sides of
// each kind are written with its residual.
#include "math/rotation.h"
#include "task/kinds.h"

#include <string.h>

static void find_tool_axes(const sinew_compiled_task *task, const sinew_state *state, double R[9]) {
  static const double same[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  sinew_frame tip;
  memcpy(R, same, sizeof same);
  if (!task->task.center_of_mass) {
    sinew_state_fixed_frame(state, task->node, &task->tip, &tip);
    sinew_frame_get(&tip, R, NULL);
  }
}

void sinew_task_find_sides(const sinew_compiled_task *task, const sinew_state *state,
                           const sinew_target *target, const sinew_task_evaluation *at,
                           sinew_task_side sides[SINEW_MOST_SIDES]) {
  double R[9];
  find_tool_axes(task, state, R);
  sinew_task_sides_at(task, state, R, target, at, sides);
}

// The step of the differences below [sizes of the figure, rad].
#define SIDE_DIFFERENCE 1e-4

// The gradient of side k after the tool has moved by h along axis i of its twist.
static void find_gradient(const sinew_compiled_task *task, const sinew_state *state,
                          const double R[9], const sinew_target *target,
                          const sinew_task_evaluation *at, int k, int i, double h, double out[6]) {
  sinew_task_side sides[SINEW_MOST_SIDES];
  sinew_task_evaluation then = *at;
  double moved[9], by[9], q[4], w[3] = {0.0, 0.0, 0.0};
  memcpy(moved, R, sizeof moved);
  if (i < 3) {
    then.s[i] += h;
  } else {
    w[i - 3] = h;
    sinew_quaternion_exp(w, q);
    sinew_quaternion_to_matrix(q, by);
    sinew_matrix_multiply(by, R, moved);
  }
  sinew_task_sides_at(task, state, moved, target, &then, sides);
  memcpy(out, sides[k].linear, sizeof sides[k].linear);
  memcpy(out + 3, sides[k].angular, sizeof sides[k].angular);
}

void sinew_task_find_side_curvature(const sinew_compiled_task *task, const sinew_state *state,
                                    const sinew_target *target, const sinew_task_evaluation *at,
                                    int k, double D[36]) {
  double R[9], half[36];
  find_tool_axes(task, state, R);
  for (int i = 0; i < 6; ++i) {
    const double h = SIDE_DIFFERENCE * (i < 3 ? task->size : 1.0);
    double after[6], before[6];
    find_gradient(task, state, R, target, at, k, i, h, after);
    find_gradient(task, state, R, target, at, k, i, -h, before);
    for (int j = 0; j < 6; ++j) {
      half[6 * i + j] = 0.25 * (after[j] - before[j]) / h;
    }
  }
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      D[6 * i + j] = half[6 * i + j] + half[6 * j + i];
    }
  }
}
