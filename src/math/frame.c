// Rigid motions as 3 x 4 rows: conversions. See frame.h.
#include "math/frame.h"
#include "math/vector.h"

#include <stddef.h>

void sinew_frame_set(sinew_frame *f, const double R[9], const double p[3]) {
  for (int i = 0; i < 3; ++i) {
    f->row[i][0] = (sinew_pair){R[3 * i], R[3 * i + 1]};
    f->row[i][1] = (sinew_pair){R[3 * i + 2], p[i]};
  }
}

void sinew_frame_get(const sinew_frame *f, double *R, double *p) {
  for (int i = 0; i < 3; ++i) {
    if (R != NULL) {
      R[3 * i] = f->row[i][0][0];
      R[3 * i + 1] = f->row[i][0][1];
      R[3 * i + 2] = f->row[i][1][0];
    }
    if (p != NULL) {
      p[i] = f->row[i][1][1];
    }
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

void sinew_frame_transform(const sinew_frame *f, const double v[3], double out[3]) {
  const double x = v[0], y = v[1], z = v[2];
  for (int i = 0; i < 3; ++i) {
    out[i] = f->row[i][0][0] * x + f->row[i][0][1] * y + f->row[i][1][0] * z + f->row[i][1][1];
  }
}
