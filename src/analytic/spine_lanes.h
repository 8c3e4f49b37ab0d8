// A chain of bones along a curve, for any number of lanes: include/sinew/limb.h.
//
// The curve is B(t) = (1-t)^3 c0 + 3 (1-t)^2 t c1 + 3 (1-t) t^2 c2 + t^3 c3. From a joint p at t_i
// the next is the first B(t), t > t_i, with |B(t) - p| = l: the first of 32 values of t that is
// farther away brackets it, and Newton's method within the bracket finds it. Beyond the end the
// curve is its tangent.
//
// The rotations are those of a frame carried along the bones without twist: that of each bone
// follows from the one before it by the shortest rotation. What is missing to the wanted twist of
// the last bone is an angle, of which each bone gets the share that its end has of the length.
#ifndef SINEW_ANALYTIC_SPINE_LANES_H
#define SINEW_ANALYTIC_SPINE_LANES_H

#include "analytic/twist_lanes.h"

#define SPINE_SAMPLES 32
#define SPINE_STEPS 16
// Larger control points have squares that are too large.
#define SPINE_HUGE 1e50
// Vectors below this share of the curve and the bones have no direction.
#define SPINE_NO_DIRECTION 1e-12

typedef struct spine_lanes {
  lane curve[4][3], end[4], twist; // twist: the last; changed
  lane rotations[SINEW_SPINE_BONES][4], joints[SINEW_SPINE_BONES + 1][3], miss; // out
} spine_lanes;

// B(t) - c0 in powers of t.
typedef struct spine_curve {
  lane a[3], b[3], c[3];   // t, t^2, t^3
  lane end[3], tangent[3]; // of the end, a unit vector
  lane samples[SPINE_SAMPLES + 1][3];
} spine_curve;

LANE void spine_point(const spine_curve *curve, lane t, lane out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = t * lane_fma(t, lane_fma(t, curve->c[i], curve->b[i]), curve->a[i]);
  }
}

LANE void spine_make_curve(const sinew_spine *spine, const spine_lanes *x, spine_curve *curve) {
  const lane three = lane_of(3.0), one = lane_of(1.0);
  lane v[3][3], size = lane_of(spine->lengths[0]);
  for (int i = 0; i < 3; ++i) {
    const lane from = x->curve[1][i] - x->curve[0][i], to = x->curve[2][i] - x->curve[1][i];
    const lane whole = x->curve[3][i] - x->curve[0][i];
    curve->a[i] = three * from;
    curve->b[i] = three * (to - from);
    curve->c[i] = lane_fnma(three, to, whole);
    curve->end[i] = whole;
    v[0][i] = whole;
    v[1][i] = x->curve[3][i] - x->curve[1][i];
    v[2][i] = x->curve[3][i] - x->curve[2][i];
    curve->tangent[i] = lane_of(spine->directions[0][i]);
    size = lane_max(size, lane_max(lane_abs(from), lane_max(lane_abs(to), lane_abs(whole))));
  }
  // The last control point that is not the end says where the tangent points.
  for (int k = 0; k < 3; ++k) {
    const lane length = lane_norm3(v[k]);
    const lane_mask known = lane_less(lane_of(SPINE_NO_DIRECTION) * size, length);
    const lane by = one / lane_select(known, length, one);
    for (int i = 0; i < 3; ++i) {
      curve->tangent[i] = lane_select(known, by * v[k][i], curve->tangent[i]);
    }
  }
  for (int k = 0; k <= SPINE_SAMPLES; ++k) {
    spine_point(curve, lane_of((double)k / SPINE_SAMPLES), curve->samples[k]);
  }
}

LANE lane spine_square(const lane a[3], const lane b[3]) {
  const lane d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return lane_dot3(d, d);
}

// The point at the length from p, from t on, which becomes its value.
LANE void spine_next(const spine_curve *curve, lane length, const lane p[3], lane *t, lane out[3]) {
  const lane one = lane_of(1.0), half = lane_of(0.5), square = length * length;
  lane low = *t, high = one, m[3];
  lane_mask found = lane_less(one, lane_of(0.0));
  for (int k = 1; k <= SPINE_SAMPLES; ++k) {
    const lane at = lane_of((double)k / SPINE_SAMPLES);
    const lane_mask beyond =
        mask_and(lane_less(*t, at), lane_less_equal(square, spine_square(curve->samples[k], p)));
    const lane_mask first = mask_and(beyond, mask_not(found));
    low = lane_select(first, lane_max(*t, lane_of((double)(k - 1) / SPINE_SAMPLES)), low);
    high = lane_select(first, at, high);
    found = mask_or(found, beyond);
  }
  // |B(t) - p|^2 - l^2 = 0; a value that no longer changes stays as it is
  lane at = half * (low + high);
  lane_mask open = found;
  for (int step = 0; step < SPINE_STEPS && mask_bits(open) != 0; ++step) {
    lane from[3], slope[3];
    spine_point(curve, at, from);
    for (int i = 0; i < 3; ++i) {
      from[i] = from[i] - p[i];
      slope[i] = lane_fma(at, lane_fma(lane_of(3.0) * at, curve->c[i], lane_of(2.0) * curve->b[i]),
                          curve->a[i]);
    }
    const lane g = lane_dot3(from, from) - square, by = lane_dot3(from, slope);
    const lane_mask inside = lane_less(g, lane_of(0.0));
    low = lane_select(inside, at, low);
    high = lane_select(inside, high, at);
    const lane_mask rising = lane_less(lane_of(0.0), by);
    lane next = at - half * g / lane_select(rising, by, one);
    const lane_mask usable =
        mask_and(rising, mask_and(lane_less_equal(low, next), lane_less_equal(next, high)));
    next = lane_select(usable, next, half * (low + high));
    open = mask_and(open, lane_less(lane_of(1e-16), lane_abs(next - at)));
    at = lane_select(open, next, at);
  }
  spine_point(curve, at, out);
  // Beyond the end: |end + s tangent - p| = l
  for (int i = 0; i < 3; ++i) {
    m[i] = curve->end[i] - p[i];
  }
  const lane along = lane_dot3(m, curve->tangent);
  const lane root = lane_fma(along, along, square - lane_dot3(m, m));
  const lane s = lane_sqrt(lane_max(lane_of(0.0), root)) - along;
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_select(found, out[i], lane_fma(s, curve->tangent[i], curve->end[i]));
  }
  *t = lane_select(found, at, one);
}

// Joints from the first, and the bones' directions.
LANE void spine_place(const sinew_spine *spine, spine_lanes *x, lane directions[][3]) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  spine_curve curve;
  lane t = zero, p[3] = {zero, zero, zero}, at[3];
  spine_make_curve(spine, x, &curve);
  for (int bone = 0; bone < spine->bones; ++bone) {
    const lane length = lane_of(spine->lengths[bone]);
    spine_next(&curve, length, p, &t, at);
    for (int i = 0; i < 3; ++i) {
      at[i] = at[i] - p[i];
    }
    const lane far = lane_norm3(at);
    const lane_mask known = lane_less(zero, far);
    const lane by = one / lane_select(known, far, one);
    for (int i = 0; i < 3; ++i) {
      directions[bone][i] = lane_select(known, by * at[i], curve.tangent[i]);
      x->joints[bone][i] = x->curve[0][i] + p[i];
      p[i] = lane_fma(length, directions[bone][i], p[i]);
    }
  }
  for (int i = 0; i < 3; ++i) {
    x->joints[spine->bones][i] = x->curve[0][i] + p[i];
    at[i] = p[i] - curve.end[i];
  }
  x->miss = lane_norm3(at);
}

LANE void spine_solve_lanes(const sinew_spine *spine, bool has_end, spine_lanes *x) {
  lane directions[SINEW_SPINE_BONES][3], carried[4], arc[4];
  spine_place(spine, x, directions);
  for (int i = 0; i < 4; ++i) {
    carried[i] = lane_of(i == 0 ? 1.0 : 0.0);
  }
  for (int bone = 0; bone < spine->bones; ++bone) {
    lane from[3], axis[3];
    for (int i = 0; i < 3; ++i) {
      from[i] = lane_of(spine->directions[bone][i]);
      axis[i] = lane_of(spine->normals[bone][i]);
    }
    lane_quaternion_rotate(carried, from, from);
    lane_quaternion_rotate(carried, axis, axis);
    lane_shortest_arc(from, directions[bone], axis, arc);
    lane_quaternion_multiply(arc, carried, x->rotations[bone]);
    lane_quaternion_normalize(x->rotations[bone]);
    for (int i = 0; i < 4; ++i) {
      carried[i] = x->rotations[bone][i];
    }
  }
  if (has_end) {
    const lane back[4] = {carried[0], -carried[1], -carried[2], -carried[3]};
    lane_quaternion_multiply(x->end, back, arc);
    x->twist = twist_angle(arc, directions[spine->bones - 1], x->twist);
    for (int bone = 0; bone < spine->bones; ++bone) {
      lane product[4];
      twist_about(directions[bone], lane_of(spine->shares[bone]) * x->twist, arc);
      lane_quaternion_multiply(arc, x->rotations[bone], product);
      lane_quaternion_normalize(product);
      for (int i = 0; i < 4; ++i) {
        x->rotations[bone][i] = product[i];
      }
    }
  }
}

// What a row that is not usable gets: the rest pose.
LANE void spine_refuse(const sinew_spine *spine, lane_mask usable, spine_lanes *x) {
  for (int bone = 0; bone <= spine->bones; ++bone) {
    for (int i = 0; i < 3; ++i) {
      x->joints[bone][i] = lane_select(usable, x->joints[bone][i], lane_of(spine->joints[bone][i]));
    }
    for (int i = 0; i < 4 && bone < spine->bones; ++i) {
      x->rotations[bone][i] =
          lane_select(usable, x->rotations[bone][i], lane_of(i == 0 ? 1.0 : 0.0));
    }
  }
  x->miss = lane_select(usable, x->miss, lane_of(-1.0));
}

#endif
