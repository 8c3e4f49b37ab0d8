// Conversions of frames: see frame.h.
#include "math/frame.h"
#include "math/vector.h"

#include <stddef.h>

void sinew_frame_set(sinew_frame *f, const double R[9], const double p[3]) {
  for (int j = 0; j < 3; ++j) {
    sinew_frame_set_column(f, j, (const double[3]){R[j], R[3 + j], R[6 + j]});
  }
  sinew_frame_set_column(f, 3, p);
}

void sinew_frame_get(const sinew_frame *f, double *R, double *p) {
  for (int i = 0; R != NULL && i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      R[3 * i + j] = sinew_frame_R(f, i, j);
    }
  }
  if (p != NULL) {
    sinew_frame_column(f, 3, p);
  }
}

void sinew_frame_from_pose(const sinew_pose *pose, sinew_frame *f) {
  double R[9];
  sinew_quaternion_to_matrix(pose->rotation, R);
  sinew_frame_set(f, R, pose->position);
}

void sinew_frame_to_pose(const sinew_frame *f, sinew_pose *pose) {
  double R[9];
  sinew_frame_get(f, R, pose->position);
  sinew_quaternion_from_matrix(R, pose->rotation);
}
