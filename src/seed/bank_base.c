// The pose of a floating base for which a posture's effectors are nearest to their targets, by the
// distance by which postures are found: math/fit.h.
#include "math/fit.h"
#include "math/vector.h"
#include "seed/bank.h"
#include "task/task.h"

#include <string.h>

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

static void add_task(const sinew_task *task, const sinew_pose *effector, const sinew_target *target,
                     double weight, sinew_fit *fit) {
  double from[3], to[3], q[4], S[9], T[9], turn[9];
  if (sinew_bank_has_point(task)) {
    sinew_fit_point(fit, weight, effector->position, target->position);
  }
  if (sinew_bank_has_axis(task)) {
    sinew_task_axis_of_tool(task, from);
    sinew_quaternion_rotate(effector->rotation, from, from);
    sinew_task_axis_of_target(task, target, to);
    sinew_fit_axis(fit, 1.0, from, to);
  }
  if (sinew_bank_has_orientation(task)) {
    memcpy(q, target->rotation, sizeof q);
    sinew_quaternion_normalize(q);
    sinew_quaternion_to_matrix(q, T);
    sinew_quaternion_to_matrix(effector->rotation, S);
    sinew_matrix_multiply_transposed(T, S, turn);
    sinew_fit_orientation(fit, 1.0, turn);
  }
}

void sinew_bank_base_fit(const sinew_bank *bank, int index, const sinew_target *targets,
                         double *q) {
  sinew_fit fit = {.weight = 0.0};
  const double weight = SINEW_FIT_POINTS / (bank->length * bank->length);
  sinew_pose effector, motion;
  for (int t = 0; t < bank->task_count; ++t) {
    if (sinew_bank_has_point(&bank->tasks[t])) {
      effector_of(bank, index, t, &effector);
      sinew_fit_mean(&fit, 1.0, effector.position, targets[t].position);
    }
  }
  for (int t = 0; t < bank->task_count; ++t) {
    effector_of(bank, index, t, &effector);
    add_task(&bank->tasks[t], &effector, &targets[t], weight, &fit);
  }
  sinew_fit_motion(&fit, &motion, NULL);
  sinew_floating_base_set(&bank->base, &motion, q);
}
