// Rigid motions as 3 x 4 rows [R | p], the form that forward kinematics
// multiplies. Rows are two pairs of doubles, so that a product is 18 paired
// multiplications with no lane idle.
#ifndef SINEW_MATH_FRAME_H
#define SINEW_MATH_FRAME_H

#include "math/pair.h"
#include "sinew/math.h"

// row[i] = {R[i][0], R[i][1]}, {R[i][2], p[i]}
typedef struct sinew_frame {
  sinew_pair row[3][2];
} sinew_frame;

static inline double sinew_frame_R(const sinew_frame *f, int i, int j) {
  return f->row[i][j / 2][j % 2];
}

// Column j of R; column 3 is the origin p.
static inline void sinew_frame_column(const sinew_frame *f, int j, double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = f->row[i][j / 2][j % 2];
  }
}

// out = a * b. out must be neither.
static inline void sinew_frame_multiply(const sinew_frame *a, const sinew_frame *b,
                                        sinew_frame *out) {
  for (int i = 0; i < 3; ++i) {
    const double x = a->row[i][0][0], y = a->row[i][0][1], z = a->row[i][1][0];
    const sinew_pair xx = {x, x}, yy = {y, y}, zz = {z, z}, p = {0.0, a->row[i][1][1]};
    out->row[i][0] = xx * b->row[0][0] + yy * b->row[1][0] + zz * b->row[2][0];
    out->row[i][1] = xx * b->row[0][1] + yy * b->row[1][1] + zz * b->row[2][1] + p;
  }
}

// out = f * rotation about z, given its cosine and sine. out may be f.
static inline void sinew_frame_turn(const sinew_frame *f, double c, double s, sinew_frame *out) {
  const sinew_pair cc = {c, c}, ss = {s, -s};
  for (int i = 0; i < 3; ++i) {
    const sinew_pair xy = f->row[i][0], yx = {xy[1], xy[0]};
    out->row[i][0] = xy * cc + yx * ss;
    out->row[i][1] = f->row[i][1];
  }
}

// R of a quaternion of any usual length, at the origin p.
static inline void sinew_frame_from_quaternion(const double q[4], const double p[3],
                                               sinew_frame *f) {
  const double two = 2.0 / ((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
  const double w = two * q[0], x = two * q[1], y = two * q[2], z = two * q[3];
  const double xx = x * q[1], yy = y * q[2], zz = z * q[3], xy = x * q[2], xz = x * q[3],
               yz = y * q[3], wx = w * q[1], wy = w * q[2], wz = w * q[3];
  f->row[0][0] = (sinew_pair){1.0 - (yy + zz), xy - wz};
  f->row[0][1] = (sinew_pair){xz + wy, p[0]};
  f->row[1][0] = (sinew_pair){xy + wz, 1.0 - (xx + zz)};
  f->row[1][1] = (sinew_pair){yz - wx, p[1]};
  f->row[2][0] = (sinew_pair){xz - wy, yz + wx};
  f->row[2][1] = (sinew_pair){1.0 - (xx + yy), p[2]};
}

// Moves f along its own z.
static inline void sinew_frame_slide(sinew_frame *f, double distance) {
  for (int i = 0; i < 3; ++i) {
    f->row[i][1][1] += f->row[i][1][0] * distance;
  }
}

// out = a * a motion by p and a rotation about z after it. out must not be a.
static inline void sinew_frame_move_turn(const sinew_frame *a, const double p[3], double c,
                                         double s, sinew_frame *out) {
  const sinew_pair cc = {c, c}, ss = {s, -s};
  for (int i = 0; i < 3; ++i) {
    const sinew_pair xy = a->row[i][0], yx = {xy[1], xy[0]}, zp = a->row[i][1];
    out->row[i][0] = xy * cc + yx * ss;
    out->row[i][1] = (sinew_pair){zp[0], (xy[0] * p[0] + xy[1] * p[1]) + (zp[0] * p[2] + zp[1])};
  }
}

// R (9) and p (3), as rows of a frame and back. Each may be NULL in get.
void sinew_frame_set(sinew_frame *f, const double R[9], const double p[3]);
void sinew_frame_get(const sinew_frame *f, double *R, double *p);
void sinew_frame_from_pose(const sinew_pose *pose, sinew_frame *f);
void sinew_frame_to_pose(const sinew_frame *f, sinew_pose *pose);

// out = R v + p. out may be v.
void sinew_frame_transform(const sinew_frame *f, const double v[3], double out[3]);

#endif
