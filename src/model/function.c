// Joints of a user's function: the calls, checks of what they return, and the comparison of their
// derivative with differences.
//
// With M = (R, p) the motion and (v; w) the twist of a value in the joint's axes, dp/dq = v and
// dR/dq = [w] R, the twist is kept in the moved frame's axes, (R^T v; R^T w): in these every node
// above it moves it as a rigid body.
// Source: Buss 2009, section 2.
#include "base/error.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "math/within.h"
#include "model/model.h"

#include <string.h>

// Motions and twists beyond this [m, rad] are refused: products of them stay finite.
#define MOST 1e50

// What a function gives at values: its motion and twists in the joint's axes. Whether all of it is
// usable.
static bool call(const sinew_model_function *of, const double *values, sinew_pose *motion,
                 double *twists) {
  *motion = sinew_pose_identity();
  sinew_zero(6 * (size_t)of->count, twists);
  of->function(of->context, values, motion, twists);
  if (!sinew_all_within(3, motion->position, MOST) ||
      !sinew_all_within(4, motion->rotation, MOST) ||
      !sinew_all_within(6 * of->count, twists, MOST)) {
    return false;
  }
  const double *r = motion->rotation;
  const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3];
  sinew_quaternion_normalize(motion->rotation);
  return square > 1e-100;
}

// The same in the form that kinematics use: one entry for each of the joint's nodes.
static bool fill(const sinew_model_function *of, const double *values, sinew_function_motion *out) {
  double twists[6 * SINEW_JOINT_MAX_NV], R[9];
  sinew_pose motion;
  const sinew_pose identity = sinew_pose_identity();
  const bool usable = call(of, values, &motion, twists);
  if (!usable) {
    motion = identity;
    sinew_zero(6 * (size_t)of->count, twists);
  }
  for (int i = 0; i < of->count; ++i) {
    sinew_frame_from_pose(i == 0 ? &motion : &identity, &out[i].motion);
  }
  sinew_frame_get(&out[0].motion, R, NULL);
  for (int i = 0; i < of->count; ++i) {
    sinew_rotate_back(R, twists + 6 * i, out[i].linear);
    sinew_rotate_back(R, twists + 6 * i + 3, out[i].angular);
    out[i].linear[3] = out[i].angular[3] = 0.0;
  }
  return usable;
}

int sinew_model_call_functions(const sinew_model *model, const double *q,
                               sinew_function_motion *out) {
  int failed = -1;
  for (int k = 0; k < model->function_count; ++k) {
    const sinew_model_function *of = &model->functions[k];
    double values[SINEW_JOINT_MAX_NV];
    for (int i = 0; i < of->count; ++i) {
      const sinew_node *node = &model->nodes[of->first + i];
      values[i] = node->ratio * q[node->q] + node->offset;
    }
    if (!fill(of, values, out + of->first) && failed < 0) {
      failed = of->joint;
    }
  }
  return failed;
}

sinew_result sinew_model_explain_function(const sinew_model *model, int joint, sinew_error *error) {
  return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, model->joints[joint].name,
                         "the joint's function gave a motion or a derivative that is not finite, "
                         "is beyond 1e50, or has no rotation");
}

sinew_result sinew_model_check_start(const sinew_model *model, sinew_error *error) {
  for (int k = 0; k < model->function_count; ++k) {
    const sinew_model_function *of = &model->functions[k];
    double values[SINEW_JOINT_MAX_NV], twists[6 * SINEW_JOINT_MAX_NV];
    sinew_pose motion;
    for (int i = 0; i < of->count; ++i) {
      const sinew_node *node = &model->nodes[of->first + i];
      values[i] = node->ratio * sinew_clamp(0.0, model->lower[node->v], model->upper[node->v]) +
                  node->offset;
    }
    if (!call(of, values, &motion, twists)) {
      return sinew_model_explain_function(model, of->joint, error);
    }
  }
  return SINEW_OK;
}

// ------------------------------------------------------------- differences

// The entry that is furthest from its difference.
typedef struct worst_entry {
  int value, row;
  double given, difference, excess;
} worst_entry;

// How far from a value differences are taken.
static double spacing(double value) {
  return 1e-6 * sinew_max(1.0, fabs(value));
}

// Values of which the differences are within limits.
static void move_inside(const sinew_model *model, const sinew_model_function *of,
                        const double *values, double *inside) {
  const int first = model->nodes[of->first].v;
  for (int i = 0; i < of->count; ++i) {
    const double h = 2.0 * spacing(values[i]);
    const double lower = model->lower[first + i] + h, upper = model->upper[first + i] - h;
    inside[i] = lower <= upper ? sinew_clamp(values[i], lower, upper) : values[i];
  }
}

// Differences of the motion by one value: (p+ - p-; log(R+ R-^T)) / 2h. distance: the larger of
// |p+| and |p-|. False if the function gives what is not usable.
static bool differences(const sinew_model_function *of, const double *values, int i, double out[6],
                        double *distance) {
  double moved[SINEW_JOINT_MAX_NV], twists[6 * SINEW_JOINT_MAX_NV], back[4], turn[4];
  sinew_pose before, after;
  memcpy(moved, values, (size_t)of->count * sizeof *moved);
  moved[i] = values[i] - spacing(values[i]);
  const double least = moved[i];
  const bool first = call(of, moved, &before, twists);
  moved[i] = values[i] + spacing(values[i]);
  const double width = moved[i] - least;
  if (!call(of, moved, &after, twists) || !first) {
    return false;
  }
  back[0] = before.rotation[0];
  for (int k = 0; k < 3; ++k) {
    back[1 + k] = -before.rotation[1 + k];
    out[k] = (after.position[k] - before.position[k]) / width;
  }
  sinew_quaternion_multiply(after.rotation, back, turn);
  sinew_quaternion_log(turn, out + 3);
  sinew_scale(1.0 / width, out + 3, out + 3);
  *distance = sinew_max(sinew_norm_safe(before.position), sinew_norm_safe(after.position));
  return true;
}

static const sinew_model_function *function_of(const sinew_model *model, int joint) {
  for (int k = 0; k < model->function_count; ++k) {
    if (model->functions[k].joint == joint) {
      return &model->functions[k];
    }
  }
  return NULL;
}

sinew_result sinew_model_check_function(const sinew_model *model, int joint, const double *values,
                                        double tolerance, sinew_error *error) {
  static const char *const rows[6] = {"velocity x",         "velocity y",
                                      "velocity z",         "angular velocity x",
                                      "angular velocity y", "angular velocity z"};
  SINEW_ASSERT(model != NULL && values != NULL);
  if (joint < 0 || joint >= model->joint_count) {
    return sinew_error_set(error, SINEW_ERROR_INDEX, NULL, "joint %d does not exist", joint);
  }
  const sinew_model_function *of = function_of(model, joint);
  if (of == NULL || !(tolerance > 0.0)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, model->joints[joint].name,
                           of == NULL ? "the joint has no function" : "tolerance is not > 0");
  }
  if (!sinew_all_within(of->count, values, SINEW_HUGE)) {
    return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, model->joints[joint].name,
                           "a value is not a finite number of size below 1e100");
  }
  double at[SINEW_JOINT_MAX_NV], twists[6 * SINEW_JOINT_MAX_NV], difference[6], distance;
  sinew_pose motion;
  worst_entry worst = {.excess = tolerance};
  move_inside(model, of, values, at);
  if (!call(of, at, &motion, twists)) {
    return sinew_model_explain_function(model, joint, error);
  }
  for (int i = 0; i < of->count; ++i) {
    if (!differences(of, at, i, difference, &distance)) {
      return sinew_model_explain_function(model, joint, error);
    }
    for (int r = 0; r < 6; ++r) {
      const double given = twists[6 * i + r];
      const double size = sinew_max(sinew_max(1.0, distance), fabs(difference[r]));
      const double excess = fabs(given - difference[r]) / size;
      if (excess > worst.excess) {
        worst = (worst_entry){i, r, given, difference[r], excess};
      }
    }
  }
  return worst.excess > tolerance
             ? sinew_error_set(error, SINEW_ERROR_ARGUMENT, model->joints[joint].name,
                               "%s by value %d is %g, differences give %g", rows[worst.row],
                               worst.value, worst.given, worst.difference)
             : SINEW_OK;
}
