// Where the branches of a set are: their angles brought into ranges by whole turns, their order by
// distance, and whether two may be the same. See branches.h.
#define SINEW_LANES 4
#define SINEW_LANE_FUSED 0
#define SINEW_CALLS
#include "analytic/branches.h"
#include "simd/elementary.h"

#define TURN (2.0 * SINEW_PI)

// The largest whole number up to a, |a| < 2^51 or infinite.
LANE lane lane_floor(lane a) {
  const lane magic = lane_of(SINEW_ROUND_SHIFT), n = (a + magic) - magic;
  return n - lane_keep(lane_less(a, n), lane_of(1.0));
}

// See sinew_whole_turns_within(): x where it is within the range, brought in where whole turns can.
LANE lane bring_within(lane x, double lower, double upper, lane_mask *within) {
  const lane turn = lane_of(TURN), one = lane_of(1.0);
  const lane low = lane_of(lower), high = lane_of(upper);
  const lane_mask inside = mask_and(lane_less_equal(low, x), lane_less_equal(x, high));
  if (mask_bits(inside) == 15u) {
    return x;
  }
  lane least = -lane_floor((x - low) * lane_of(1.0 / TURN));
  lane most = lane_floor((high - x) * lane_of(1.0 / TURN));
  // Rounding must not take a value out of its limits.
  least += lane_keep(lane_less(x + least * turn, low), one);
  most -= lane_keep(lane_less(high, x + most * turn), one);
  const lane_mask possible = lane_less_equal(least, most);
  const lane turns = lane_min(lane_max(lane_of(0.0), least), most);
  *within = mask_and(*within, mask_or(inside, possible));
  return lane_select(mask_and(possible, mask_not(inside)), x + turns * turn, x);
}

// Numbers of the rows, the first four once more after the last, so that lane k of those from i + r
// on is row i + r + k, modulo 8.
typedef struct round_rows {
  double of[SINEW_ARM_BRANCHES + 4];
} round_rows;

LANE void store_round(round_rows *rows, int side, lane v) {
  lane_store(rows->of + 4 * side, v);
  if (side == 0) {
    lane_store(rows->of + SINEW_ARM_BRANCHES, v);
  }
}

// Whether all angles of two rows that are not infinitely far differ by less than distinct, or by
// more than a turn less that. Rows k and k + r, r from 1 to 4, are all pairs.
static bool are_alike(const round_rows *values, int count, double distinct,
                      const round_rows *distance) {
  const lane most = lane_of(distinct), least = lane_of(TURN - distinct);
  for (int r = 1; r <= 4; ++r) {
    lane_mask same[2];
    for (int side = 0; side < 2; ++side) {
      const double *d = distance->of + 4 * side;
      same[side] = lane_less(lane_load(d) + lane_load(d + r), lane_of(INFINITY));
    }
    for (int i = count - 1; i >= 0 && mask_bits(mask_or(same[0], same[1])) != 0; --i) {
      for (int side = 0; side < 2; ++side) {
        const double *x = values[i].of + 4 * side;
        const lane apart = lane_abs(lane_load(x) - lane_load(x + r));
        same[side] =
            mask_and(same[side], mask_or(lane_less(apart, most), lane_less_equal(least, apart)));
      }
    }
    if (mask_bits(mask_or(same[0], same[1])) != 0) {
      return true;
    }
  }
  return false;
}

// The rows from the least distance on, and in their order where that is the same: a row's place is
// the number of rows before it.
static void sort_rows(const double *distance, int *order) {
  static const double numbers[SINEW_ARM_BRANCHES] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
  double places[SINEW_ARM_BRANCHES];
  const lane one = lane_of(1.0);
  for (int side = 0; side < 2; ++side) {
    const lane own = lane_load(distance + 4 * side), number = lane_load(numbers + 4 * side);
    lane before = lane_of(0.0);
    for (int k = 0; k < SINEW_ARM_BRANCHES; ++k) {
      const lane other = lane_of(distance[k]);
      const lane_mask less = lane_less(other, own);
      const lane_mask tie = mask_and(lane_less_equal(other, own), lane_less(lane_of(k), number));
      before += lane_keep(mask_or(less, tie), one);
    }
    lane_store(places + 4 * side, before);
  }
  for (int row = 0; row < SINEW_ARM_BRANCHES; ++row) {
    order[(int)places[row]] = row;
  }
}

void sinew_arm_set_place(sinew_arm_set *set, int count, const sinew_arm_range *ranges,
                         double distinct, sinew_arm_placed *out) {
  round_rows values[SINEW_ARM_MOST], distance;
  out->within = 0;
  for (int side = 0; side < 2; ++side) {
    lane_mask within = mask_of_bits(set->exists >> 4 * side & 15u);
    lane sum = lane_of(0.0);
    for (int i = 0; i < count; ++i) {
      const sinew_arm_range *range = &ranges[i];
      lane x = lane_load(set->value[i] + 4 * side);
      const lane turns = lane_of(range->near) - x;
      const lane_mask far = lane_less(lane_of(SINEW_PI), lane_abs(turns));
      if (mask_bits(far) != 0) {
        const lane nearest = lane_floor(turns * lane_of(1.0 / TURN) + lane_of(0.5));
        x = lane_select(far, x + lane_of(TURN) * nearest, x);
      }
      x = bring_within(x, range->lower, range->upper, &within);
      const lane d = x - lane_of(range->from);
      sum += lane_of(range->weight) * d * d;
      lane_store(set->value[i] + 4 * side, x);
      store_round(&values[i], side, x);
    }
    sum = lane_select(within, sum, lane_of(INFINITY));
    store_round(&distance, side, sum);
    lane_store(out->distance + 4 * side, sum);
    out->within |= mask_bits(within) << 4 * side;
  }
  out->alike = are_alike(values, count, distinct, &distance);
  sort_rows(out->distance, out->order);
}
