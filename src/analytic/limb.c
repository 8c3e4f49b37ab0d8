// Limbs: checks, what is computed once, and one limb at a time. The equations are in limb_lanes.h.
#define ROW_FLOAT 0
#include "analytic/figure_rows.h"
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"

#define PI 3.14159265358979323846
// A limb whose elbow is nearer to the line from shoulder to wrist, as a share of its length, is
// straight.
#define STRAIGHT 1e-6
#define MOST_SOFT 0.5

void sinew_limb_def_init(sinew_limb_def *def, size_t size) {
  const sinew_limb_def defaults = {.cookie = SINEW_COOKIE_LIMB,
                                   .size = sizeof defaults,
                                   .elbow = {0.0, 0.0, -1.0},
                                   .wrist = {0.0, 0.0, -2.0},
                                   .bend = SINEW_LIMB_BEND_REST,
                                   .max_rate = 0.1};
  sinew_definition_init(def, size, &defaults);
}

static sinew_result refuse(sinew_error *error, const char *field, const char *what) {
  return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "sinew_limb_def.%s %s", field, what);
}

static sinew_result check(const sinew_limb_def *def, sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_LIMB, sizeof *def, "sinew_limb_def",
                                              "sinew_default_limb_def()", NULL};
  const struct {
    const char *name;
    const double *values;
    int count;
  } fields[] = {{"shoulder", def->shoulder, 3},  {"elbow", def->elbow, 3},
                {"wrist", def->wrist, 3},        {"bend_axis", def->bend_axis, 3},
                {"max_rate", &def->max_rate, 1}, {"soft", &def->soft, 1},
                {"stretch", &def->stretch, 1}};
  if (sinew_definition_check(def, &definition, -1, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  for (size_t f = 0; f < sizeof fields / sizeof *fields; ++f) {
    for (int i = 0; i < fields[f].count; ++i) {
      if (!sinew_is_usable(fields[f].values[i])) {
        return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL,
                               "sinew_limb_def.%s is not a number, or beyond 1e100",
                               fields[f].name);
      }
    }
  }
  if (def->bend < SINEW_LIMB_BEND_REST || def->bend > SINEW_LIMB_BEND_MEMORY) {
    return refuse(error, "bend", "is not a rule of sinew_limb_bend");
  }
  if (def->max_rate < 0.0 || def->max_rate > PI) {
    return refuse(error, "max_rate", "is not between 0 and pi");
  }
  if (def->soft < 0.0 || def->soft > MOST_SOFT) {
    return refuse(error, "soft", "is not between 0 and 0.5");
  }
  return def->stretch < 0.0 || def->stretch > 1.0
             ? refuse(error, "stretch", "is not between 0 and 1")
             : SINEW_OK;
}

// The bend axis at rest, a unit vector normal to the direction. False if nothing says where it is.
static bool find_bend_axis(const sinew_limb_def *def, sinew_limb *limb, bool *other_side) {
  const double length = limb->length[0] + limb->length[1];
  const double *given = def->bend_axis;
  double axis[3];
  sinew_cross(limb->direction, limb->upper, axis);
  *other_side = false;
  if (sinew_norm_safe(axis) > STRAIGHT * length) {
    *other_side = sinew_dot(axis, given) < 0.0;
    sinew_scale(*other_side ? -1.0 : 1.0, axis, axis);
  } else {
    const double size = sinew_norm_safe(given);
    const double along = sinew_dot(given, limb->direction);
    for (int i = 0; i < 3; ++i) {
      axis[i] = given[i] - along * limb->direction[i];
    }
    if (!(sinew_norm_safe(axis) > STRAIGHT * size)) {
      return false;
    }
  }
  // Normal to the direction beyond the rounding of the cross product
  sinew_unit(axis, limb->bend_axis);
  const double along = sinew_dot(limb->bend_axis, limb->direction);
  for (int i = 0; i < 3; ++i) {
    limb->bend_axis[i] -= along * limb->direction[i];
  }
  sinew_unit(limb->bend_axis, limb->bend_axis);
  return true;
}

// Cosine and sine of half the angle between two directions, times a sign.
static void half_angle(const double a[3], const double b[3], double sign, double out[2]) {
  double across[3];
  sinew_cross(a, b, across);
  lane_half_angle(lane_of(sinew_dot(a, b)), lane_of(sign * sinew_norm_safe(across)), &out[0],
                  &out[1]);
}

sinew_result sinew_limb_init(sinew_limb *limb, const sinew_limb_def *def, sinew_error *error) {
  SINEW_ASSERT(limb != NULL && def != NULL);
  memset(limb, 0, sizeof *limb);
  const sinew_result result = check(def, error);
  if (result != SINEW_OK) {
    return result;
  }
  double lower[3], whole[3];
  sinew_subtract(def->elbow, def->shoulder, limb->upper);
  sinew_subtract(def->wrist, def->elbow, lower);
  sinew_subtract(def->wrist, def->shoulder, whole);
  limb->length[0] = sinew_norm_safe(limb->upper);
  limb->length[1] = sinew_norm_safe(lower);
  limb->distance = sinew_norm_safe(whole);
  const double length = limb->length[0] + limb->length[1];
  const double least = STRAIGHT * length;
  if (!(limb->length[0] > least && limb->length[1] > least)) {
    return refuse(error, limb->length[0] > least ? "wrist" : "elbow",
                  "is at the joint before it: that segment has no length");
  }
  if (!(limb->distance > least)) {
    return refuse(error, "wrist", "is at the shoulder: the limb has no direction at rest");
  }
  bool other_side;
  sinew_unit(whole, limb->direction);
  if (!find_bend_axis(def, limb, &other_side)) {
    return refuse(
        error, "bend_axis",
        "is 0 or along the limb: a limb that is straight at rest needs an axis across it");
  }
  memcpy(limb->shoulder, def->shoulder, sizeof limb->shoulder);
  sinew_cross(limb->direction, limb->bend_axis, limb->side);
  sinew_unit(limb->side, limb->side);
  limb->length_sum = length;
  limb->per_length = 1.0 / length;
  limb->zone = def->soft * length;
  limb->per_zone = limb->zone > 0.0 ? 1.0 / limb->zone : 0.0;
  limb->stretch = def->stretch;
  limb->max_rate = def->max_rate;
  limb->bend = def->bend;

  // From the vectors, since a straight limb's angles are lost in its distance.
  const double sign = other_side ? -1.0 : 1.0;
  half_angle(limb->direction, limb->upper, sign, limb->rest);
  half_angle(limb->direction, lower, sign, limb->rest + 2);
  return SINEW_OK;
}

sinew_result sinew_limb_solve(const sinew_limb *limb, const sinew_limb_goal *goal,
                              sinew_limb_memory *memory, sinew_limb_pose *pose) {
  SINEW_ASSERT(limb != NULL && goal != NULL && pose != NULL);
  if ((limb->bend == SINEW_LIMB_BEND_POLE && goal->pole == NULL) ||
      (limb->bend == SINEW_LIMB_BEND_MEMORY && memory == NULL)) {
    return SINEW_ERROR_ARGUMENT;
  }
  const sinew_limb_arrays arrays = {.targets = goal->target,
                                    .poles = goal->pole,
                                    .swivels = goal->swivel != 0.0 ? &goal->swivel : NULL,
                                    .memories = memory,
                                    .upper = pose->upper,
                                    .lower = pose->lower,
                                    .elbows = pose->elbow,
                                    .wrists = pose->wrist,
                                    .scales = &pose->scale,
                                    .misses = &pose->miss};
  return limb_group(limb, &arrays, (row_range){0, 0}) ? SINEW_OK : SINEW_ERROR_NOT_FINITE;
}
