// Pose: the position and the orientation of one link, the rows of position.c before those of
// orientation.c:
//
//   (e; r) = (t - s; log(R_d R^T))
#include "task/kinds.h"

void sinew_pose_residual(const sinew_compiled_task *task, const double target[3], const double R[9],
                         sinew_task_evaluation *at, double *row) {
  row = sinew_position_residual(task, target, at, row);
  sinew_orientation_residual(task, R, at, row);
}

unsigned sinew_pose_features(const sinew_task *task) {
  return sinew_position_features(task) | sinew_orientation_features(task);
}
