// Twists: checks, and one at a time. The equations are in twist_lanes.h.
#define ROW_FLOAT 0
#include "analytic/figure_rows.h"
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"
#include "sinew/math.h"

#define MOST_SHARE 10.0

void sinew_twist_def_init(sinew_twist_def *def, size_t size) {
  sinew_twist_def defaults = {.cookie = SINEW_COOKIE_TWIST,
                              .size = sizeof defaults,
                              .axis = {1.0, 0.0, 0.0},
                              .rest = {1.0, 0.0, 0.0, 0.0},
                              .bones = 1};
  for (int i = 0; i < SINEW_TWIST_BONES; ++i) {
    defaults.shares[i] = 0.5;
  }
  sinew_definition_init(def, size, &defaults);
}

static sinew_result refuse(sinew_error *error, const char *field, const char *what) {
  return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "sinew_twist_def.%s %s", field, what);
}

static sinew_result check(const sinew_twist_def *def, sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_TWIST, sizeof *def, "sinew_twist_def",
                                              "sinew_default_twist_def()", NULL};
  if (sinew_definition_check(def, &definition, -1, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  if (def->bones < 1 || def->bones > SINEW_TWIST_BONES) {
    return refuse(error, "bones", "is not between 1 and 8");
  }
  const struct {
    const char *name;
    const double *values;
    int count;
  } fields[] = {
      {"axis", def->axis, 3}, {"rest", def->rest, 4}, {"shares", def->shares, def->bones}};
  for (size_t f = 0; f < sizeof fields / sizeof *fields; ++f) {
    bool any = fields[f].values == def->shares; // shares may be 0
    for (int i = 0; i < fields[f].count; ++i) {
      if (!sinew_is_usable(fields[f].values[i])) {
        return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL,
                               "sinew_twist_def.%s is not a number, or beyond 1e100",
                               fields[f].name);
      }
      any = any || fabs(fields[f].values[i]) > 1e-100;
    }
    if (!any) {
      return refuse(error, fields[f].name, "is 0");
    }
  }
  for (int i = 0; i < def->bones; ++i) {
    if (fabs(def->shares[i]) > MOST_SHARE) {
      return refuse(error, "shares", "has a value that is not between -10 and 10");
    }
  }
  return SINEW_OK;
}

sinew_result sinew_twist_init(sinew_twist *twist, const sinew_twist_def *def, sinew_error *error) {
  SINEW_ASSERT(twist != NULL && def != NULL);
  memset(twist, 0, sizeof *twist);
  const sinew_result result = check(def, error);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_unit(def->axis, twist->axis);
  memcpy(twist->back, def->rest, sizeof twist->back);
  sinew_quaternion_normalize(twist->back);
  for (int i = 1; i < 4; ++i) {
    twist->back[i] = -twist->back[i];
  }
  twist->bones = def->bones;
  memcpy(twist->shares, def->shares, sizeof twist->shares);
  return SINEW_OK;
}

sinew_result sinew_twist_solve(const sinew_twist *twist, const double rotation[4], double *angle,
                               double *rotations, double *swing) {
  SINEW_ASSERT(twist != NULL && rotation != NULL && rotations != NULL);
  const sinew_twist_arrays arrays = {
      .joints = rotation, .angles = angle, .rotations = rotations, .swings = swing};
  return twist_group(twist, &arrays, (row_range){0, 0}) ? SINEW_OK : SINEW_ERROR_NOT_FINITE;
}
