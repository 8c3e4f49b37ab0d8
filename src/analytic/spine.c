// Spines: checks, what is computed once, and one at a time. The equations are in spine_lanes.h.
#define ROW_FLOAT 0
#include "analytic/figure_rows.h"
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"

void sinew_spine_def_init(sinew_spine_def *def, size_t size) {
  sinew_spine_def defaults = {.cookie = SINEW_COOKIE_SPINE, .size = sizeof defaults, .bones = 3};
  for (int i = 0; i <= SINEW_SPINE_BONES; ++i) {
    defaults.joints[i][2] = i;
  }
  sinew_definition_init(def, size, &defaults);
}

static sinew_result check(const sinew_spine_def *def, sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_SPINE, sizeof *def, "sinew_spine_def",
                                              "sinew_default_spine_def()", NULL};
  if (sinew_definition_check(def, &definition, -1, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  if (def->bones < 1 || def->bones > SINEW_SPINE_BONES) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                           "sinew_spine_def.bones is not between 1 and 16");
  }
  for (int i = 0; i <= def->bones; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (!(fabs(def->joints[i][j]) <= SPINE_HUGE)) {
        return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL,
                               "sinew_spine_def.joints[%d] is not a number, or beyond 1e50", i);
      }
    }
  }
  return SINEW_OK;
}

sinew_result sinew_spine_init(sinew_spine *spine, const sinew_spine_def *def, sinew_error *error) {
  SINEW_ASSERT(spine != NULL && def != NULL);
  memset(spine, 0, sizeof *spine);
  const sinew_result result = check(def, error);
  if (result != SINEW_OK) {
    return result;
  }
  double length = 0.0;
  for (int i = 0; i < def->bones; ++i) {
    double bone[3], side[3];
    for (int j = 0; j < 3; ++j) {
      bone[j] = def->joints[i + 1][j] - def->joints[i][j];
    }
    spine->lengths[i] = sinew_norm_safe(bone);
    if (!(spine->lengths[i] > 1e-50)) {
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                             "sinew_spine_def.joints[%d] is at the joint before it: that bone has "
                             "no length",
                             i + 1);
    }
    length += spine->lengths[i];
    spine->shares[i] = length;
    sinew_unit(bone, spine->directions[i]);
    sinew_basis_perpendicular(spine->directions[i], spine->normals[i], side);
  }
  for (int i = 0; i < def->bones; ++i) {
    spine->shares[i] /= length;
  }
  spine->bones = def->bones;
  memcpy(spine->joints, def->joints, sizeof spine->joints);
  return SINEW_OK;
}

sinew_result sinew_spine_solve(const sinew_spine *spine, const double *curve, const double *end,
                               double *twist, sinew_spine_pose *pose) {
  SINEW_ASSERT(spine != NULL && curve != NULL && pose != NULL);
  const sinew_spine_arrays arrays = {.curves = curve,
                                     .ends = end,
                                     .twists = twist,
                                     .rotations = pose->rotations[0],
                                     .joints = pose->joints[0],
                                     .misses = &pose->miss};
  return spine_group(spine, &arrays, (row_range){0, 0}) ? SINEW_OK : SINEW_ERROR_NOT_FINITE;
}
