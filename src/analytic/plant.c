// Planted legs: checks, what is computed once, and one figure at a time. The equations are in
// plant_lanes.h.
#define ROW_FLOAT 0
#include "analytic/figure_rows.h"
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"

#define MOST_SHARE 2.0

void sinew_plant_def_init(sinew_plant_def *def, size_t size) {
  const sinew_plant_def defaults = {.cookie = SINEW_COOKIE_PLANT,
                                    .size = sizeof defaults,
                                    .legs = 2,
                                    .up = {0.0, 0.0, 1.0},
                                    .max_drop = 0.3,
                                    .max_rise = 0.3,
                                    .max_tilt = SINEW_PI / 4.0};
  sinew_definition_init(def, size, &defaults);
}

static sinew_result refuse(sinew_error *error, const char *field, const char *what) {
  return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "sinew_plant_def.%s %s", field, what);
}

static sinew_result check(const sinew_plant_def *def, sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_PLANT, sizeof *def, "sinew_plant_def",
                                              "sinew_default_plant_def()", NULL};
  const struct {
    const char *name;
    const double *values;
    int count;
    double most;
    const char *message;
  } fields[] = {{"up", def->up, 3, SINEW_HUGE, NULL},
                {"sole", &def->sole, 1, SINEW_HUGE, "is negative"},
                {"max_drop", &def->max_drop, 1, MOST_SHARE, "is not between 0 and 2"},
                {"max_rise", &def->max_rise, 1, MOST_SHARE, "is not between 0 and 2"},
                {"max_tilt", &def->max_tilt, 1, SINEW_PI / 2.0, "is not between 0 and pi/2"}};
  if (sinew_definition_check(def, &definition, -1, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  for (size_t f = 0; f < sizeof fields / sizeof *fields; ++f) {
    for (int i = 0; i < fields[f].count; ++i) {
      if (!sinew_is_usable(fields[f].values[i])) {
        return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL,
                               "sinew_plant_def.%s is not a number, or beyond 1e100",
                               fields[f].name);
      }
    }
    const double value = fields[f].values[0];
    if (fields[f].message != NULL && !(value >= 0.0 && value <= fields[f].most)) {
      return refuse(error, fields[f].name, fields[f].message);
    }
  }
  if (!(sinew_norm_safe(def->up) > 1e-100)) {
    return refuse(error, "up", "is 0");
  }
  return def->legs < 1 || def->legs > SINEW_PLANT_LEGS
             ? refuse(error, "legs", "is not between 1 and 8")
             : SINEW_OK;
}

sinew_result sinew_plant_init(sinew_plant *plant, const sinew_plant_def *def,
                              const sinew_limb *limbs, sinew_error *error) {
  SINEW_ASSERT(plant != NULL && def != NULL && limbs != NULL);
  memset(plant, 0, sizeof *plant);
  const sinew_result result = check(def, error);
  if (result != SINEW_OK) {
    return result;
  }
  double side[3], shortest = INFINITY;
  for (int leg = 0; leg < def->legs; ++leg) {
    const sinew_limb *limb = &limbs[leg];
    memcpy(plant->hips[leg], limb->shoulder, sizeof limb->shoulder);
    plant->nearest[leg] = fabs(limb->length[0] - limb->length[1]);
    plant->farthest[leg] =
        sinew_max(limb->length[0] + limb->length[1] - limb->zone, plant->nearest[leg]);
    shortest = sinew_min(shortest, plant->farthest[leg]);
  }
  sinew_unit(def->up, plant->up);
  sinew_basis_perpendicular(plant->up, plant->other, side);
  plant->legs = def->legs;
  plant->sole = def->sole;
  plant->max_drop = def->max_drop * shortest;
  plant->max_rise = def->max_rise * shortest;
  plant->tilt[0] = cos(def->max_tilt);
  plant->tilt[1] = sin(def->max_tilt);
  return SINEW_OK;
}

sinew_result sinew_plant_solve(const sinew_plant *plant, const sinew_plant_goal *goal,
                               sinew_plant_pose *pose) {
  SINEW_ASSERT(plant != NULL && goal != NULL && goal->contacts != NULL && pose != NULL);
  const sinew_plant_arrays arrays = {.contacts = goal->contacts,
                                     .normals = goal->normals,
                                     .planted = goal->planted,
                                     .heights = &pose->height,
                                     .ankles = pose->ankles[0],
                                     .tilts = pose->tilts[0],
                                     .misses = pose->misses};
  return plant_group(plant, &arrays, (row_range){0, 0}) ? SINEW_OK : SINEW_ERROR_NOT_FINITE;
}
