// How a joint with limits of swing and twist moves by a step, for lanes of any width.
//
// The step's y (solve/cones.h) is clamped to its bounds, and the joint then held within its limits,
// since they are curved. Both may change its motion by more than all joints together may from one
// part of an update to the next, most: where a joint slides along the narrow end of an ellipse it
// turns, the sharper the faster it is. So a joint moves only as fast as it can stop:
//
//   stops    its motion shortened by STOP_SHARE most from part to part, and held within the limits,
//            at that of its swing where it moves along it, changes by at most STOP_CHANGE most each
//            time until it is shorter than that
//   smooth   its motion changes by at most CHANGE most, and it stops
//
// A motion that is not smooth is replaced by one between it and the last one shortened in that way,
// which is smooth since the joint could stop then, but for a bend to the limit; found by bisection.
//
// A motion that is changed by more than BENT_SHARE of itself where the joint is held is halved
// until it is not: the limit then bends so much within the step that where the joint would end has
// nothing to do with what the step has been found for.
//
// A motion that is too fast for limits of speed is shortened, and held again: held may be longer
// than shortened, since the limits are curved.
#ifndef SINEW_MATH_CONE_MOTION_H
#define SINEW_MATH_CONE_MOTION_H

#include "math/cone_step.h"

#define CONE_CHANGE 0.95
#define CONE_STOP_CHANGE 0.7
#define CONE_STOP_SHARE 0.4
#define CONE_STOP_PARTS 4
#define CONE_STOP_ROUNDS 32
// Of figures with narrow limits changes of motion of more than .2 rad are as rare with this share
// as with .1, and with 1 twice as frequent.
#define CONE_SLIDE_SHARE 0.4
// Joints that are pressed against a limit of swing leave it for a time down to .996 of it where
// they should not, with .5 down to .985, with 1 down to .963 (tests/test_cone_paths.c).
#define CONE_BENT_SHARE 0.25
#define CONE_BENT_ROUNDS 8
// The most rounds in which a held motion that is too fast is shortened. Of 156,000 motions of up to
// .27 rad along random limits 98.6 % need one, 9 three, and 1 finds none.
#define CONE_SLOWER_ROUNDS 4

// As sinew_cone_motion, whose comments hold.
#if SINEW_LANES == 1
typedef sinew_cone_motion lane_cone_motion;
#else
typedef struct lane_cone_motion {
  const lane_cone *cone;
  const lane_cone_step *step;
  lane q[4];
  lane lower[3], upper[3];
  lane moved[3], last[3], most;
} lane_cone_motion;
#endif

LANE lane lane_distance3(const lane a[3], const lane b[3]) {
  const lane way[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return lane_norm3(way);
}

// to <- q exp(w), a unit quaternion.
LANE void cone_rotate(const lane q[4], const lane w[3], lane to[4]) {
  lane change[4];
  lane_quaternion_exp_long(w, change);
  lane_quaternion_multiply(q, change, to);
  lane_quaternion_normalize(to);
}

// w <- the rotation vector from q to another rotation.
LANE void cone_rotation_between(const lane q[4], const lane to[4], lane w[3]) {
  const lane inverse[4] = {q[0], -q[1], -q[2], -q[3]};
  lane change[4];
  lane_quaternion_multiply(inverse, to, change);
  lane_quaternion_log(change, w);
}

// Where a motion w may lead to a limit, or the joint may come to one before it has stopped.
LANE lane_mask cone_may_reach(const lane_cone_motion *of, const lane w[3]) {
  const lane_cone_step *step = of->step;
  const lane total[3] = {of->moved[0] + w[0], of->moved[1] + w[1], of->moved[2] + w[2]};
  const lane speed = lane_norm3(total), rounding = lane_of(CONE_ROUNDING);
  const lane far = speed * (lane_of(2.0) + speed / of->most);
  lane_mask reaches = mask_or(lane_cone_is_near(step, 0, far), lane_cone_is_near(step, 1, far));
  for (int i = 0; i < 3; ++i) {
    const lane y = lane_dot3(step->row[i], w);
    reaches = mask_or(reaches, mask_or(lane_less(y, of->lower[i] - rounding),
                                       lane_less(of->upper[i] + rounding, y)));
  }
  return reaches;
}

// w <- the motion that it is after the joint has been held. One that leads to the limit of swing,
// or along it, ends there: by the limit's curvature it might end inside, and come back in the next
// step. So does one that is made of a step along the limit and the last motion, where that changes
// it by at most SLIDE_SHARE most.
LANE_APART void cone_hold_motion(const lane_cone_motion *of, lane w[3]) {
  const lane_mask leads = cone_ends_at_limit(of->step, w);
  const lane_mask ends = mask_or(leads, lane_less(lane_of(0.0), of->step->slides));
  lane moved[4];
  cone_rotate(of->q, w, moved);
  lane_cone_hold(of->cone, of->q, moved);
  cone_rotation_between(of->q, moved, w);
  if (mask_bits(ends) != 0) {
    lane at_limit[3];
    lane_cone_reach(of->cone, ends, moved);
    cone_rotation_between(of->q, moved, at_limit);
    const lane near = lane_of(CONE_SLIDE_SHARE) * of->most;
    const lane_mask short_way = lane_less(lane_distance3(at_limit, w), near);
    cone_put(mask_or(leads, mask_and(ends, short_way)), at_limit, w);
  }
}

// Where a joint is at the limit of its swing before a step, and at a rotation after it.
LANE_APART lane_mask cone_stays_at_limit(const lane_cone_motion *of, const lane at[4]) {
  const lane near = lane_of(CONE_REACHED);
  lane_swing_twist there;
  lane_swing_twist_of(of->cone, at, &there);
  return mask_and(lane_less_equal(lane_abs(of->step->most), near),
                  lane_less(lane_of(1.0) - near, lane_cone_level(of->cone, there.swing)));
}

// Where a joint stops that has moved by v in the part, by x in its last step.
LANE_APART lane_mask cone_stops(const lane_cone_motion *of, const lane x[3], lane v[3]) {
  const lane most = lane_of(CONE_STOP_CHANGE) * of->most;
  lane_mask stops = lane_less_equal(lane_norm3(v), most), turns = mask_of_bits(0);
  lane at[4], next[4], w[3];
  if (mask_bits(mask_not(stops)) == 0) {
    return mask_not(turns);
  }
  cone_rotate(of->q, x, at);
  const lane_mask along = cone_stays_at_limit(of, at);
  for (int i = 0; i < CONE_STOP_PARTS && mask_bits(mask_not(mask_or(stops, turns))) != 0; ++i) {
    const lane speed = lane_norm3(v), rest = speed - lane_of(CONE_STOP_SHARE) * of->most;
    lanes_copy(3, v, w);
    cone_scale(lane_max(rest, lane_of(0.0)) / cone_divisor(speed), w);
    cone_rotate(at, w, next);
    lane_cone_hold(of->cone, at, next);
    lane_cone_reach(of->cone, along, next);
    cone_rotation_between(at, next, w);
    turns = mask_or(turns, mask_and(mask_not(stops), lane_less(most, lane_distance3(w, v))));
    stops = mask_or(stops, lane_less_equal(lane_norm3(w), most));
    lanes_copy(4, next, at);
    lanes_copy(3, w, v);
  }
  return mask_not(turns);
}

LANE lane_mask cone_is_smooth(const lane_cone_motion *of, const lane x[3]) {
  lane v[3] = {of->moved[0] + x[0], of->moved[1] + x[1], of->moved[2] + x[2]};
  const lane_mask changes = lane_less(lane_of(CONE_CHANGE) * of->most, lane_distance3(v, of->last));
  return mask_and(mask_not(changes), cone_stops(of, x, v));
}

// Between x and the last motion, shortened: see above. Where so.
LANE_APART void cone_slow_down(const lane_cone_motion *of, lane_mask where, lane x[3]) {
  const lane zero = lane_of(0.0), half = lane_of(0.5), speed = lane_norm3(of->last);
  const lane rest = lane_max(speed - lane_of(CONE_STOP_SHARE) * of->most, zero);
  lane slower[3], trial[3], good = zero, bad = lane_of(1.0);
  for (int i = 0; i < 3; ++i) {
    slower[i] = rest / cone_divisor(speed) * of->last[i] - of->moved[i];
  }
  cone_hold_motion(of, slower);
  for (int round = 0; round <= CONE_STOP_ROUNDS; ++round) {
    const lane share = round < CONE_STOP_ROUNDS ? half * (good + bad) : good;
    for (int i = 0; i < 3; ++i) {
      trial[i] = lane_fma(share, x[i] - slower[i], slower[i]);
    }
    cone_hold_motion(of, trial);
    if (round < CONE_STOP_ROUNDS) {
      const lane_mask smooth = cone_is_smooth(of, trial);
      good = lane_select(smooth, share, good);
      bad = lane_select(smooth, bad, share);
    }
  }
  cone_put(where, trial, x);
}

// Holds a motion, halved where that changes it by too much. Where so.
LANE_APART void cone_hold_short(const lane_cone_motion *of, lane_mask where, lane w[3]) {
  const lane share = lane_of(CONE_BENT_SHARE), half = lane_of(0.5), one = lane_of(1.0);
  lane held[3];
  for (int round = 0;; ++round) {
    lanes_copy(3, w, held);
    cone_hold_motion(of, held);
    const lane near = lane_fma(share, lane_norm3(w), lane_of(CONE_REACHED));
    const lane_mask far = mask_and(where, lane_less(near, lane_distance3(held, w)));
    if (mask_bits(far) == 0 || round == CONE_BENT_ROUNDS) {
      break;
    }
    cone_scale(lane_select(far, half, one), w);
  }
  lanes_copy(3, held, w);
}

// A step x of the joint becomes the motion that it makes. Where so.
LANE_APART void lane_cone_limit_motion(const lane_cone_motion *of, lane_mask where, lane x[3]) {
  lane y[3], w[3];
  const lane_mask reaches = mask_and(where, cone_may_reach(of, x));
  if (mask_bits(reaches) == 0) {
    return;
  }
  for (int i = 0; i < 3; ++i) {
    y[i] = lane_min(lane_max(lane_dot3(of->step->row[i], x), of->lower[i]), of->upper[i]);
  }
  lane_cone_step_combine(of->step, y, w);
  cone_hold_short(of, reaches, w);
  const lane_mask rough = mask_and(reaches, mask_not(cone_is_smooth(of, w)));
  if (mask_bits(rough) != 0) {
    cone_slow_down(of, rough, w);
  }
  cone_put(reaches, w, x);
}

// to <- from exp(a w), held within the limits, a <= 1 so that no component of the motion is beyond
// most; of w none is. Where one is, a is multiplied by the square of the ratio of the two: nearly
// always the next motion is slow enough, and where the first one is just too fast, nearly the same.
// Returns where one was found; elsewhere to is the last one.
LANE_APART lane_mask lane_cone_move_within(const lane_cone *cone, const lane from[4],
                                           const lane w[3], const lane most[3], lane to[4]) {
  const lane one = lane_of(1.0), enough = lane_of(1.0 - CONE_ROUNDING);
  lane share = one, part[3], moved[4];
  lane_mask fast = mask_not(mask_of_bits(0));
  for (int round = 0; round < CONE_SLOWER_ROUNDS && mask_bits(fast) != 0; ++round) {
    lane ratio = one;
    lanes_copy(3, w, part);
    cone_scale(share, part);
    cone_rotate(from, part, moved);
    const lane_mask held = lane_cone_hold(cone, from, moved);
    cone_rotation_between(from, moved, part);
    for (int i = 0; i < 3; ++i) {
      const lane size = lane_abs(part[i]);
      const lane_mask beyond = lane_less(most[i], size);
      ratio = lane_min(ratio, lane_select(beyond, most[i] / lane_select(beyond, size, one), one));
    }
    for (int i = 0; i < 4; ++i) {
      to[i] = lane_select(fast, moved[i], to[i]);
    }
    fast = mask_and(fast, mask_and(held, lane_less(ratio, enough)));
    share = share * ratio * ratio;
  }
  return mask_not(fast);
}

#endif
