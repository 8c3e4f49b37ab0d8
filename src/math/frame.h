// Rigid motions as four columns [x y z | p], the form that forward kinematics multiplies. A column
// is four doubles, the last of which is 0. So a rotation about z takes a few products of whole
// columns, and axes and origins can be read without a conversion.
#ifndef SINEW_MATH_FRAME_H
#define SINEW_MATH_FRAME_H

#include "simd/four.h"
#include "sinew/math.h"

// Columns 0 to 2 are those of R, column 3 is the origin p.
typedef struct sinew_frame {
  _Alignas(16) double column[4][4];
} sinew_frame;

static inline double sinew_frame_R(const sinew_frame *f, int i, int j) {
  return f->column[j][i];
}

// Column j of R; column 3 is the origin p.
static inline void sinew_frame_column(const sinew_frame *f, int j, double out[3]) {
  out[0] = f->column[j][0];
  out[1] = f->column[j][1];
  out[2] = f->column[j][2];
}

static inline void sinew_frame_set_column(sinew_frame *f, int j, const double v[3]) {
  memcpy(f->column[j], v, 3 * sizeof(double));
  f->column[j][3] = 0.0;
}

// out = s - p, from the origin to a point.
static inline void sinew_frame_arm(const sinew_frame *f, const double s[3], double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = s[i] - f->column[3][i];
  }
}

// A frame in registers.
typedef struct sinew_columns {
  sinew_four x, y, z, p;
} sinew_columns;

SINEW_ALWAYS_INLINE sinew_columns sinew_frame_load(const sinew_frame *f) {
  return (sinew_columns){sinew_four_load(f->column[0]), sinew_four_load(f->column[1]),
                         sinew_four_load(f->column[2]), sinew_four_load(f->column[3])};
}

SINEW_ALWAYS_INLINE void sinew_frame_store(sinew_frame *f, sinew_columns a) {
  sinew_four_store(f->column[0], a.x);
  sinew_four_store(f->column[1], a.y);
  sinew_four_store(f->column[2], a.z);
  sinew_four_store(f->column[3], a.p);
}

// R v
SINEW_ALWAYS_INLINE sinew_four sinew_columns_rotate(sinew_columns a, sinew_four v) {
  return a.x * SINEW_FOUR_SPREAD(v, 0) + a.y * SINEW_FOUR_SPREAD(v, 1) +
         a.z * SINEW_FOUR_SPREAD(v, 2);
}

// R v + p
SINEW_ALWAYS_INLINE sinew_four sinew_columns_point(sinew_columns a, sinew_four v) {
  return (a.x * SINEW_FOUR_SPREAD(v, 0) + a.y * SINEW_FOUR_SPREAD(v, 1)) +
         (a.z * SINEW_FOUR_SPREAD(v, 2) + a.p);
}

// a * b
SINEW_ALWAYS_INLINE sinew_columns sinew_columns_multiply(sinew_columns a, sinew_columns b) {
  return (sinew_columns){sinew_columns_rotate(a, b.x), sinew_columns_rotate(a, b.y),
                         sinew_columns_rotate(a, b.z), sinew_columns_rotate(a, b.p) + a.p};
}

// a * rotation about z, given its cosine and sine.
SINEW_ALWAYS_INLINE sinew_columns sinew_columns_rotate_z(sinew_columns a, double c, double s) {
  const sinew_four cc = SINEW_FOUR_OF(c), ss = SINEW_FOUR_OF(s);
  return (sinew_columns){a.x * cc + a.y * ss, a.y * cc - a.x * ss, a.z, a.p};
}

// a * a motion by distance along z.
SINEW_ALWAYS_INLINE sinew_columns sinew_columns_translate_z(sinew_columns a, double distance) {
  return (sinew_columns){a.x, a.y, a.z, a.p + a.z * SINEW_FOUR_OF(distance)};
}

// a * rotation of a quaternion, whose squared length must be within 1e-200 and 1e200.
SINEW_ALWAYS_INLINE sinew_columns sinew_columns_rotate_quaternion(sinew_columns a,
                                                                  const double q[4]) {
  const double two = 2.0 / ((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
  const double w = two * q[0], x = two * q[1], y = two * q[2], z = two * q[3];
  const double xx = x * q[1], yy = y * q[2], zz = z * q[3], xy = x * q[2], xz = x * q[3],
               yz = y * q[3], wx = w * q[1], wy = w * q[2], wz = w * q[3];
  return (sinew_columns){a.x * SINEW_FOUR_OF(1.0 - (yy + zz)) + a.y * SINEW_FOUR_OF(xy + wz) +
                             a.z * SINEW_FOUR_OF(xz - wy),
                         a.x * SINEW_FOUR_OF(xy - wz) + a.y * SINEW_FOUR_OF(1.0 - (xx + zz)) +
                             a.z * SINEW_FOUR_OF(yz + wx),
                         a.x * SINEW_FOUR_OF(xz + wy) + a.y * SINEW_FOUR_OF(yz - wx) +
                             a.z * SINEW_FOUR_OF(1.0 - (xx + yy)),
                         a.p};
}

// out = a * b. out may be either.
static inline void sinew_frame_multiply(const sinew_frame *a, const sinew_frame *b,
                                        sinew_frame *out) {
  sinew_frame_store(out, sinew_columns_multiply(sinew_frame_load(a), sinew_frame_load(b)));
}

// out = R v + p. out may be v.
static inline void sinew_frame_transform(const sinew_frame *f, const double v[3], double out[3]) {
  sinew_four_store3(out, sinew_columns_point(sinew_frame_load(f), sinew_four_load3(v)));
}

// From R (9) and p (3) to a frame, and back. R and p may each be NULL in get.
void sinew_frame_set(sinew_frame *f, const double R[9], const double p[3]);
void sinew_frame_get(const sinew_frame *f, double *R, double *p);
void sinew_frame_from_pose(const sinew_pose *pose, sinew_frame *f);
void sinew_frame_to_pose(const sinew_frame *f, sinew_pose *pose);

#endif
