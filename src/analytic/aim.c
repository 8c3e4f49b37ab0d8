// Aimed links: checks, what is computed once, and one link at a time. The equations are in
// limb_lanes.h.
#define ROW_FLOAT 0
#define SINEW_CALLS
#include "analytic/figure_rows.h"
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"
#include "sinew/math.h"

void sinew_aim_def_init(sinew_aim_def *def, size_t size) {
  const sinew_aim_def defaults = {.cookie = SINEW_COOKIE_AIM,
                                  .size = sizeof defaults,
                                  .rest = {1.0, 0.0, 0.0, 0.0},
                                  .forward = {1.0, 0.0, 0.0},
                                  .up = {0.0, 0.0, 1.0}};
  sinew_definition_init(def, size, &defaults);
}

static sinew_result check(const sinew_aim_def *def, sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_AIM, sizeof *def, "sinew_aim_def",
                                              "sinew_default_aim_def()", NULL};
  const struct {
    const char *name;
    const double *values;
    int count;
  } fields[] = {{"joint", def->joint, 3},
                {"rest", def->rest, 4},
                {"eye", def->eye, 3},
                {"forward", def->forward, 3},
                {"up", def->up, 3}};
  if (sinew_definition_check(def, &definition, -1, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  for (size_t f = 0; f < sizeof fields / sizeof *fields; ++f) {
    bool any = f == 0 || f == 2; // a joint and an eye may be at 0
    for (int i = 0; i < fields[f].count; ++i) {
      if (!sinew_is_usable(fields[f].values[i])) {
        return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL,
                               "sinew_aim_def.%s is not a number, or beyond 1e100", fields[f].name);
      }
      any = any || fabs(fields[f].values[i]) > 1e-100;
    }
    if (!any) {
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "sinew_aim_def.%s is 0",
                             fields[f].name);
    }
  }
  return SINEW_OK;
}

sinew_result sinew_aim_init(sinew_aim *aim, const sinew_aim_def *def, sinew_error *error) {
  SINEW_ASSERT(aim != NULL && def != NULL);
  memset(aim, 0, sizeof *aim);
  const sinew_result result = check(def, error);
  if (result != SINEW_OK) {
    return result;
  }
  memcpy(aim->joint, def->joint, sizeof aim->joint);
  memcpy(aim->rest, def->rest, sizeof aim->rest);
  sinew_quaternion_normalize(aim->rest);
  sinew_unit(def->forward, aim->forward);
  sinew_unit(def->up, aim->up);
  sinew_quaternion_rotate(aim->rest, def->eye, aim->eye);
  sinew_quaternion_rotate(aim->rest, aim->forward, aim->forward);
  sinew_quaternion_rotate(aim->rest, aim->up, aim->up);
  aim->along = sinew_dot(aim->eye, aim->forward);
  aim->square = sinew_dot(aim->eye, aim->eye);
  return SINEW_OK;
}

sinew_result sinew_aim_solve(const sinew_aim *aim, const double target[3], const double *up,
                             double rotation[4], double *miss) {
  SINEW_ASSERT(aim != NULL && target != NULL && rotation != NULL);
  const sinew_aim_arrays arrays = {
      .targets = target, .ups = up, .rotations = rotation, .misses = miss};
  return aim_group(aim, &arrays, (row_range){0, 0}) ? SINEW_OK : SINEW_ERROR_NOT_FINITE;
}
