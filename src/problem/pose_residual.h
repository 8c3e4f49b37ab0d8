// The residual of a whole pose of usual size, with its columns in registers. With the tool's axes R
// and the target's R_d, columns R_j and D_j,
//
//   e = t - s,   sum over j of R_j x D_j = 2 sin(theta) u,   sum over j of R_j . D_j = 1 + 2
//   cos(theta) r = theta u
//
// theta / (2 sin theta) is a polynomial of 4 sin^2(theta / 2) = 2 - 2 cos(theta), which small
// rotations lose no digits by: simd/elementary.h. All other poses are evaluated by task/pose.c.
#ifndef SINEW_PROBLEM_POSE_RESIDUAL_H
#define SINEW_PROBLEM_POSE_RESIDUAL_H

#include "kinematics/state.h"
#include "simd/elementary.h"
#include "task/task.h"

// Whether the squared distances of a target from the origin and from the point are of usual size,
// neither over- nor underflowed.
SINEW_ALWAYS_INLINE bool sinew_is_usual_distance(const sinew_compiled_task *task, double far,
                                                 double square) {
  return far < task->farthest * task->farthest && square > 1e-200 && square < 1e200;
}

// Whether a task is one that is evaluated here.
static inline bool sinew_task_is_whole_pose(const sinew_compiled_task *task) {
  return SINEW_HAS_FAST_PATHS && task->whole && task->row_count == 6 && task->node >= 0;
}

// a.x . b.x + a.y . b.y + a.z . b.z
SINEW_ALWAYS_INLINE double sinew_pose_trace(sinew_columns a, sinew_columns b) {
  return sinew_four_sum3((a.x * b.x + a.y * b.y) + a.z * b.z);
}

// a.x x b.x + a.y x b.y + a.z x b.z
SINEW_ALWAYS_INLINE sinew_four sinew_pose_crosses(sinew_columns a, sinew_columns b) {
  const sinew_four plus =
      (a.x * sinew_four_next(b.x) + a.y * sinew_four_next(b.y)) + a.z * sinew_four_next(b.z);
  const sinew_four minus =
      (sinew_four_next(a.x) * b.x + sinew_four_next(a.y) * b.y) + sinew_four_next(a.z) * b.z;
  return sinew_four_next(plus - minus);
}

// Fills what sinew_task_residual() fills, for a whole pose whose target's axes are known. Returns
// false, and then nothing of it is valid, where its numbers are of unusual size or the rotation is
// large.
SINEW_ALWAYS_INLINE bool sinew_pose_residual_near(const sinew_compiled_task *task,
                                                  const sinew_frame *node, const double position[3],
                                                  sinew_task_evaluation *at, double *row) {
  const double *D = at->target_R;
  const sinew_columns tip =
      sinew_columns_multiply(sinew_frame_load(node), sinew_frame_load(&task->tip));
  // Any fourth entries do: those of the tool's axes are 0.
  const sinew_columns axes = {{D[0], D[3], D[6], D[6]},
                              {D[1], D[4], D[7], D[7]},
                              {D[2], D[5], D[8], D[8]},
                              sinew_four_load3(position)};
  const sinew_four error = axes.p - tip.p, crosses = sinew_pose_crosses(tip, axes);
  const double far = sinew_four_sum3(axes.p * axes.p), square = sinew_four_sum3(error * error);
  const double rotation = 3.0 - sinew_pose_trace(tip, axes);
  const double scale = lane_log_scale(rotation);
  const sinew_four turn = SINEW_FOUR_OF(scale) * crosses;
  sinew_four_store3(at->s, tip.p);
  sinew_four_store3(at->error, error);
  sinew_four_store3(at->turn, turn);
  sinew_four_store(row, SINEW_FOUR_OF(task->scale) * error); // the fourth is overwritten next
  sinew_four_store3(row + 3, SINEW_FOUR_OF(task->task.orientation_weight) * turn);
  at->position_error = sqrt(square);
  at->orientation_error = sqrt(sinew_four_sum3(turn * turn));
  return rotation <= LANE_LOG_SCALE_MOST && sinew_is_usual_distance(task, far, square);
}

#endif
