// Rows of arrays of double or of float, as many as there are lanes: limbs, aimed links, twists,
// spines and planted legs. Included once for each kind of number, with ROW_FLOAT defined as 0 or 1.
// Numbers are computed in double in both.
#include "analytic/limb_lanes.h"
#include "analytic/plant_lanes.h"
#include "analytic/spine_lanes.h"
#include "simd/rows.h"

#if ROW_FLOAT
#define ROW_NAME(name) name##_float
#define ROW_READ rows_read_float
#define ROW_WRITE rows_write_float
#define ROW_HUGE 1e37
#else
#define ROW_NAME(name) name
#define ROW_READ rows_read
#define ROW_WRITE rows_write
#define ROW_HUGE 1e100
#endif

LANE lane_mask ROW_NAME(row_usable3)(const lane v[3]) {
  return lane_within3(v, ROW_HUGE);
}

// Whether two vectors are usable. Nearly always their sum is, which takes one comparison.
LANE lane_mask ROW_NAME(row_usable6)(const lane a[3], const lane b[3]) {
  const lane sum = (lane_abs(a[0]) + lane_abs(a[1])) + (lane_abs(a[2]) + lane_abs(b[0])) +
                   (lane_abs(b[1]) + lane_abs(b[2]));
  const lane_mask usable = lane_less_equal(sum, lane_of(ROW_HUGE));
  return mask_bits(mask_not(usable)) == 0
             ? usable
             : mask_and(ROW_NAME(row_usable3)(a), ROW_NAME(row_usable3)(b));
}

// Some rows. Whether all were usable.
LANE bool ROW_NAME(limb_group)(const sinew_limb *limb, const ROW_NAME(sinew_limb_arrays) * arrays,
                               row_range rows) {
  const bool has_pole = arrays->poles != NULL && limb->bend != SINEW_LIMB_BEND_REST;
  const bool remembers = limb->bend == SINEW_LIMB_BEND_MEMORY;
  const double zeros[3] = {0.0, 0.0, 0.0};
  double *memory = remembers ? arrays->memories->direction : NULL;
  limb_lanes x;
  ROW_READ(arrays->targets, 3, 3, rows, x.target);
  x.swivel = lane_of(0.0);
  for (int i = 0; i < 3; ++i) {
    x.pole[i] = x.direction[i] = x.bend_axis[i] = x.elbow[i] = lane_of(0.0);
  }
  if (has_pole) {
    ROW_READ(arrays->poles, 3, 3, rows, x.pole);
  }
  lane_mask usable = ROW_NAME(row_usable6)(x.target, x.pole);
  if (arrays->swivels != NULL) {
    ROW_READ(arrays->swivels, 1, 1, rows, &x.swivel);
    usable = mask_and(usable, lane_less_equal(lane_abs(x.swivel), lane_of(LIMB_MOST_SWIVEL)));
    x.swivel = lane_keep(usable, x.swivel);
  }
  if (remembers) {
    rows_read(memory, 3, 6, rows, x.direction);
    rows_read(memory + 3, 3, 6, rows, x.bend_axis);
    usable = mask_and(
        usable, mask_and(ROW_NAME(row_usable3)(x.direction), ROW_NAME(row_usable3)(x.bend_axis)));
  }
  const lane before[6] = {x.direction[0], x.direction[1], x.direction[2],
                          x.bend_axis[0], x.bend_axis[1], x.bend_axis[2]};
  const bool all = mask_bits(mask_not(usable)) == 0;
  if (!all) {
    limb_select3(usable, limb->shoulder, x.target);
    limb_select3(usable, limb->shoulder, x.pole);
    limb_select3(usable, zeros, x.direction);
    limb_select3(usable, zeros, x.bend_axis);
  }
  limb_shift3(limb->shoulder, -1.0, x.target);
  if (has_pole) {
    limb_shift3(limb->shoulder, -1.0, x.pole);
  }

  limb_solve_lanes(limb, has_pole, arrays->swivels != NULL, &x);
  if (arrays->elbows != NULL) {
    limb_find_elbow(limb, &x);
  }
  if (!all) {
    limb_refuse(limb, usable, &x);
  }

  ROW_WRITE(x.upper, 4, 4, rows, arrays->upper);
  ROW_WRITE(x.lower, 4, 4, rows, arrays->lower);
  if (arrays->elbows != NULL) {
    limb_shift3(limb->shoulder, 1.0, x.elbow);
    ROW_WRITE(x.elbow, 3, 3, rows, arrays->elbows);
  }
  if (arrays->wrists != NULL) {
    limb_shift3(limb->shoulder, 1.0, x.wrist);
    ROW_WRITE(x.wrist, 3, 3, rows, arrays->wrists);
  }
  if (arrays->scales != NULL) {
    ROW_WRITE(&x.scale, 1, 1, rows, arrays->scales);
  }
  if (arrays->misses != NULL) {
    ROW_WRITE(&x.miss, 1, 1, rows, arrays->misses);
  }
  if (remembers) {
    for (int i = 0; i < 3; ++i) {
      x.direction[i] = lane_select(usable, x.direction[i], before[i]);
      x.bend_axis[i] = lane_select(usable, x.bend_axis[i], before[3 + i]);
    }
    rows_write(x.direction, 3, 6, rows, memory);
    rows_write(x.bend_axis, 3, 6, rows, memory + 3);
  }
  return all;
}

LANE bool ROW_NAME(aim_group)(const sinew_aim *aim, const ROW_NAME(sinew_aim_arrays) * arrays,
                              row_range rows) {
  aim_lanes x;
  for (int i = 0; i < 3; ++i) {
    x.up[i] = lane_of(0.0);
  }
  ROW_READ(arrays->targets, 3, 3, rows, x.target);
  if (arrays->ups != NULL) {
    ROW_READ(arrays->ups, 3, 3, rows, x.up);
  }
  const lane_mask usable = ROW_NAME(row_usable6)(x.target, x.up);
  const bool all = mask_bits(mask_not(usable)) == 0;
  if (!all) {
    limb_select3(usable, aim->joint, x.target);
    limb_select3(usable, aim->up, x.up);
  }
  limb_shift3(aim->joint, -1.0, x.target);

  aim_solve_lanes(aim, arrays->ups != NULL, &x);

  if (!all) {
    for (int i = 0; i < 4; ++i) {
      x.rotation[i] = lane_select(usable, x.rotation[i], lane_of(aim->rest[i]));
    }
    x.miss = lane_select(usable, x.miss, lane_of(-1.0));
  }
  ROW_WRITE(x.rotation, 4, 4, rows, arrays->rotations);
  if (arrays->misses != NULL) {
    ROW_WRITE(&x.miss, 1, 1, rows, arrays->misses);
  }
  return all;
}

LANE bool ROW_NAME(twist_group)(const sinew_twist *twist,
                                const ROW_NAME(sinew_twist_arrays) * arrays, row_range rows) {
  lane q[4], a[3], back[4], D[4], angle = lane_of(0.0), one[4];
  const size_t stride = 4 * (size_t)twist->bones;
  ROW_READ(arrays->joints, 4, 4, rows, q);
  lane_mask usable = twist_take_rotation(ROW_HUGE, q);
  if (arrays->angles != NULL) {
    ROW_READ(arrays->angles, 1, 1, rows, &angle);
    usable = mask_and(usable, lane_less_equal(lane_abs(angle), lane_of(TWIST_MOST_ANGLE)));
  }
  const lane before = angle, last = lane_keep(usable, angle);
  for (int i = 0; i < 4; ++i) {
    back[i] = lane_of(twist->back[i]);
    a[i % 3] = lane_of(twist->axis[i % 3]);
  }
  lane_quaternion_multiply(q, back, D);
  for (int i = 0; i < 4; ++i) {
    D[i] = lane_select(usable, D[i], lane_of(i == 0 ? 1.0 : 0.0));
  }
  angle = lane_keep(usable, twist_angle(D, a, last));
  for (int bone = 0; bone < twist->bones; ++bone) {
    twist_about(a, lane_of(twist->shares[bone]) * angle, one);
    ROW_WRITE(one, 4, stride, rows, arrays->rotations + 4 * bone);
  }
  if (arrays->swings != NULL) {
    twist_about(a, -angle, one);
    lane_quaternion_multiply(D, one, q);
    lane_quaternion_normalize(q);
    ROW_WRITE(q, 4, 4, rows, arrays->swings);
  }
  if (arrays->angles != NULL) {
    angle = lane_select(usable, angle, before);
    ROW_WRITE(&angle, 1, 1, rows, arrays->angles);
  }
  return mask_bits(mask_not(usable)) == 0;
}

LANE bool ROW_NAME(spine_group)(const sinew_spine *spine,
                                const ROW_NAME(sinew_spine_arrays) * arrays, row_range rows) {
  const size_t bones = (size_t)spine->bones;
  spine_lanes x;
  lane_mask usable = lane_less(lane_of(-1.0), lane_of(0.0));
  for (int k = 0; k < 4; ++k) {
    ROW_READ(arrays->curves + 3 * k, 3, 12, rows, x.curve[k]);
    usable = mask_and(usable, lane_within3(x.curve[k], ROW_FLOAT ? ROW_HUGE : SPINE_HUGE));
  }
  if (arrays->ends != NULL) {
    ROW_READ(arrays->ends, 4, 4, rows, x.end);
    usable = mask_and(usable, twist_take_rotation(ROW_HUGE, x.end));
  }
  x.twist = lane_of(0.0);
  if (arrays->twists != NULL) {
    ROW_READ(arrays->twists, 1, 1, rows, &x.twist);
    usable = mask_and(usable, lane_less_equal(lane_abs(x.twist), lane_of(TWIST_MOST_ANGLE)));
  }
  const lane before = x.twist;
  x.twist = lane_keep(usable, x.twist);
  for (int k = 0; k < 12; ++k) {
    x.curve[k / 3][k % 3] = lane_keep(usable, x.curve[k / 3][k % 3]);
  }
  spine_solve_lanes(spine, arrays->ends != NULL, &x);
  spine_refuse(spine, usable, &x);

  for (size_t bone = 0; bone < bones; ++bone) {
    ROW_WRITE(x.rotations[bone], 4, 4 * bones, rows, arrays->rotations + 4 * bone);
  }
  for (size_t bone = 0; bone <= bones && arrays->joints != NULL; ++bone) {
    ROW_WRITE(x.joints[bone], 3, 3 * (bones + 1), rows, arrays->joints + 3 * bone);
  }
  if (arrays->misses != NULL) {
    ROW_WRITE(&x.miss, 1, 1, rows, arrays->misses);
  }
  if (arrays->twists != NULL) {
    x.twist = lane_select(usable, x.twist, before);
    ROW_WRITE(&x.twist, 1, 1, rows, arrays->twists);
  }
  return mask_bits(mask_not(usable)) == 0;
}

LANE bool ROW_NAME(plant_group)(const sinew_plant *plant,
                                const ROW_NAME(sinew_plant_arrays) * arrays, row_range rows) {
  const size_t legs = (size_t)plant->legs;
  const bool has_normals = arrays->normals != NULL;
  lane_mask usable = lane_less(lane_of(-1.0), lane_of(0.0));
  plant_lanes x;
  for (size_t leg = 0; leg < legs; ++leg) {
    const unsigned char *planted = arrays->planted != NULL ? arrays->planted + leg : NULL;
    x.planted[leg] = plant_read_planted(planted, legs, rows);
    ROW_READ(arrays->contacts + 3 * leg, 3, 3 * legs, rows, x.contact[leg]);
    usable = mask_and(usable, ROW_NAME(row_usable3)(x.contact[leg]));
    if (has_normals) {
      ROW_READ(arrays->normals + 3 * leg, 3, 3 * legs, rows, x.normal[leg]);
      usable = mask_and(usable, ROW_NAME(row_usable3)(x.normal[leg]));
    }
  }
  for (size_t leg = 0; leg < legs; ++leg) {
    for (int i = 0; i < 3; ++i) {
      x.contact[leg][i] = lane_keep(usable, x.contact[leg][i]);
      x.normal[leg][i] = has_normals ? lane_keep(usable, x.normal[leg][i]) : lane_of(0.0);
    }
  }
  plant_solve_lanes(plant, has_normals, &x);
  plant_refuse(plant, usable, &x);

  ROW_WRITE(&x.height, 1, 1, rows, arrays->heights);
  for (size_t leg = 0; leg < legs; ++leg) {
    ROW_WRITE(x.ankle[leg], 3, 3 * legs, rows, arrays->ankles + 3 * leg);
    if (arrays->tilts != NULL) {
      ROW_WRITE(x.tilt[leg], 4, 4 * legs, rows, arrays->tilts + 4 * leg);
    }
    if (arrays->misses != NULL) {
      ROW_WRITE(&x.miss[leg], 1, legs, rows, arrays->misses + leg);
    }
  }
  return mask_bits(mask_not(usable)) == 0;
}

#undef ROW_NAME
#undef ROW_READ
#undef ROW_WRITE
#undef ROW_HUGE
#undef ROW_FLOAT
