// Rigid motions as position and quaternion.
#include "math/vector.h"
#include "sinew/math.h"

sinew_pose sinew_pose_identity(void) {
  return (sinew_pose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
}

void sinew_pose_transform(const sinew_pose *a, const double point[3], double out[3]) {
  double turned[3];
  sinew_quaternion_rotate(a->rotation, point, turned);
  for (int i = 0; i < 3; ++i) {
    out[i] = turned[i] + a->position[i];
  }
}

void sinew_pose_multiply(const sinew_pose *a, const sinew_pose *b, sinew_pose *out) {
  sinew_pose product;
  sinew_pose_transform(a, b->position, product.position);
  sinew_quaternion_multiply(a->rotation, b->rotation, product.rotation);
  *out = product;
}

void sinew_pose_invert(const sinew_pose *a, sinew_pose *out) {
  sinew_pose inverse = {{0.0, 0.0, 0.0},
                        {a->rotation[0], -a->rotation[1], -a->rotation[2], -a->rotation[3]}};
  sinew_quaternion_rotate(inverse.rotation, a->position, inverse.position);
  sinew_scale(-1.0, inverse.position, inverse.position);
  *out = inverse;
}
