// Jacobians of the coordinates of an orientation: rates of angles, quaternions and
// rotation vectors instead of the angular velocity w (world axes).
//   roll, pitch, yaw  R = Rz(y) Ry(p) Rx(r): r' = (w_x cos y + w_y sin y) / cos p,
//                     p' = w_y cos y - w_x sin y,  y' = w_z + r' sin p
//   quaternion        Q' = (0, w) Q / 2
//   rotation vector   x' = J_l(x)^-1 w
// Source: Siciliano et al., Robotics: Modelling, Planning and Control, 2009,
// section 3.6 (the analytical Jacobian); Barfoot 2017, section 7.1.
#include "kinematics/jacobian.h"
#include "base/error.h"
#include "math/rotation.h"

#include <string.h>

// rates = E w; E is count x 3.
typedef struct rate_map {
  int count;
  double E[12];
} rate_map;

// False if the pitch is +-pi/2, where roll and yaw have the same axis.
static bool rpy_map(const double R[9], rate_map *map) {
  const double cos_pitch = sqrt(R[0] * R[0] + R[3] * R[3]);
  if (cos_pitch < 1e-12) {
    return false;
  }
  const double c = R[0] / cos_pitch, s = R[3] / cos_pitch; // of yaw
  const double tan_pitch = -R[6] / cos_pitch;
  *map = (rate_map){3,
                    {c / cos_pitch, s / cos_pitch, 0.0, //
                     -s, c, 0.0,                        //
                     c * tan_pitch, s * tan_pitch, 1.0}};
  return true;
}

static void quaternion_map(const double q[4], rate_map *map) {
  const double w = 0.5 * q[0], x = 0.5 * q[1], y = 0.5 * q[2], z = 0.5 * q[3];
  *map = (rate_map){4,
                    {-x, -y, -z, //
                     w, z, -y,   //
                     -z, w, x,   //
                     y, -x, w}};
}

static void vector_map(const double R[9], rate_map *map) {
  double x[3];
  sinew_rotation_log(R, x);
  map->count = 3;
  sinew_rotation_left_jacobian_inverse(x, map->E);
}

sinew_result sinew_state_jacobian_rates(const sinew_state *state, int link, const double *point_l,
                                        sinew_orientation orientation, double *J) {
  SINEW_ASSERT(state != NULL && (J != NULL || state->model->nv == 0));
  const sinew_model *model = state->model;
  rate_map map;
  double s[3], R[9], q[4];
  const sinew_result result = sinew_state_point(state, link, point_l, s);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_expect_ok(sinew_state_link_frame(state, link, R, NULL));
  switch (orientation) {
  case SINEW_ORIENTATION_RPY:
    if (!rpy_map(R, &map)) {
      return SINEW_ERROR_NOT_FINITE;
    }
    break;
  case SINEW_ORIENTATION_QUATERNION:
    sinew_quaternion_from_matrix(R, q);
    quaternion_map(q, &map);
    break;
  case SINEW_ORIENTATION_VECTOR:
    vector_map(R, &map);
    break;
  default:
    return SINEW_ERROR_ARGUMENT;
  }
  sinew_state_columns(state, model->link_node[link], s, J);
  const int nv = model->nv;
  for (int v = 0; v < nv; ++v) {
    const double w[3] = {J[3 * nv + v], J[4 * nv + v], J[5 * nv + v]};
    for (int r = 0; r < map.count; ++r) {
      J[(r + 3) * nv + v] = sinew_dot(map.E + 3 * r, w);
    }
  }
  return SINEW_OK;
}
