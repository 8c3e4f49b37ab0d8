// See arm_signs.h. With h_i and o_i directions and points of the axes as they are, and C the point
// in which the axes of the group meet:
//
//   group, axes i to k:           h_j . (h_i x h_k)
//   x, y parallel along n; z:     n . ((o_y - o_x) x (C - o_y)),   n . (h_z x (C - o_z))
//   x, y meet in Q, r = C - Q; z: r . (h_x x h_y),                 r . (h_z x (C - o_z))
//   any x, y, z:                  det [h_i x (C - o_i)]
//
// For axes 1, 2 and 3 of which 2 and 3 are parallel these are the shoulder and the elbow of Lee and
// Ziegler (Geometric approach in solving the inverse kinematics of PUMA robots, 1984): the shoulder
// is right where a rotation about axis 2 moves C along axis 1, and the elbow is up where it is
// beyond the line to C in the direction of axis 1.
#include "analytic/arm_signs.h"

// Axes are parallel [rad], or meet, as a share of the size.
#define EXACT 1e-9

// An arm as it is now.
typedef struct posture {
  sinew_arm arm;
  double origin[SINEW_ARM_MOST][3];
  double size;
} posture;

static void take_posture(const sinew_arm_plan *plan, const sinew_angle *a, posture *now) {
  const sinew_arm *own = &plan->own;
  now->arm.count = own->count;
  now->size = plan->size;
  sinew_arm_axes(own, a, now->arm.h, now->origin);
  memcpy(now->arm.P[0], now->origin[0], sizeof now->arm.P[0]);
  for (int i = 1; i < own->count; ++i) {
    for (int j = 0; j < 3; ++j) {
      now->arm.P[i][j] = now->origin[i][j] - now->origin[i - 1][j];
    }
  }
  sinew_zero(3, now->arm.P[own->count]);
}

// from and to as shares of the size.
static void between(const posture *now, const double from[3], const double to[3], double out[3]) {
  for (int j = 0; j < 3; ++j) {
    out[j] = (to[j] - from[j]) / now->size;
  }
}

static double triple(const double a[3], const double b[3], const double c[3]) {
  double across[3];
  sinew_cross(b, c, across);
  return sinew_dot(a, across);
}

static void add_sign(sinew_arm_signs *out, double value, int first, sinew_arm_words words) {
  out->signs[out->count++] = (sinew_arm_sign){.value = value, .first = first, .words = words};
}

// Three consecutive axes that meet.
static void add_group(const posture *now, int first, sinew_arm_signs *out) {
  const double(*h)[3] = now->arm.h;
  const bool last = first + 3 == now->arm.count;
  add_sign(out, triple(h[first + 1], h[first], h[first + 2]), first,
           last ? SINEW_ARM_WORDS_ROTATION : SINEW_ARM_WORDS_SIGN);
}

static double parallel_by(const posture *now, int first) {
  double across[3];
  sinew_cross(now->arm.h[first], now->arm.h[first + 1], across);
  return sinew_norm(across);
}

// How the rotation about an axis moves C along a direction.
static double motion_along(const posture *now, const double direction[3], int axis,
                           const double C[3]) {
  double lever[3];
  between(now, now->origin[axis], C, lever);
  return triple(direction, now->arm.h[axis], lever);
}

// The joints x and x + 1, and z, move C. False: the axes of the first two are not parallel and do
// not meet.
static bool add_pair(const posture *now, int x, int z, const double C[3], sinew_arm_signs *out) {
  double Q[3], first[3], second[3];
  if (parallel_by(now, x) <= EXACT) {
    const double *n = now->arm.h[x];
    between(now, now->origin[x], now->origin[x + 1], first);
    between(now, now->origin[x + 1], C, second);
    const double triangle = triple(n, first, second), motion = motion_along(now, n, z, C);
    const bool standing = z == 0 && x == 1; // axis 1 carries upper arm and forearm
    add_sign(out, motion, z, standing ? SINEW_ARM_WORDS_SIDE : SINEW_ARM_WORDS_SIGN);
    add_sign(out, standing && motion < 0.0 ? -triangle : triangle, x,
             standing ? SINEW_ARM_WORDS_HEIGHT : SINEW_ARM_WORDS_SIGN);
    return true;
  }
  if (!(sinew_arm_meeting(&now->arm, now->size, x, 2, Q) <= EXACT)) {
    return false;
  }
  between(now, Q, C, first);
  add_sign(out, motion_along(now, first, z, C), z, SINEW_ARM_WORDS_SIGN);
  add_sign(out, triple(first, now->arm.h[x], now->arm.h[x + 1]), x, SINEW_ARM_WORDS_SIGN);
  return true;
}

// A group of axes that meet, and three others.
static void find_meeting(const posture *now, int first, sinew_arm_signs *out) {
  // The others, and the first axes of the consecutive ones among them
  static const int others[4][3] = {{3, 4, 5}, {0, 4, 5}, {0, 1, 5}, {0, 1, 2}};
  const int *x = others[first];
  double C[3], lever[3], moved[3][3];
  sinew_arm_meeting(&now->arm, now->size, first, 3, C);
  add_group(now, first, out);
  out->distinct = (x[1] == x[0] + 1 && add_pair(now, x[0], x[2], C, out)) ||
                  (x[2] == x[1] + 1 && add_pair(now, x[1], x[0], C, out));
  if (!out->distinct) {
    for (int i = 0; i < 3; ++i) {
      between(now, now->origin[x[i]], C, lever);
      sinew_cross(now->arm.h[x[i]], lever, moved[i]);
    }
    add_sign(out, triple(moved[0], moved[1], moved[2]), x[0], SINEW_ARM_WORDS_SIGN);
    out->signs[1].whole = true;
  }
}

// Joints 2 to 4 are parallel, or from the tip: the triangle of their axes, and where the last two
// axes meet, the first joint and these two. Otherwise joints 1 and 5 have one determinant.
static void find_parallel(const posture *now, bool reversed, sinew_arm_signs *out) {
  const double(*h)[3] = now->arm.h;
  const int outer = reversed ? 5 : 0, second = reversed ? 3 : 2;
  const int fifth = reversed ? 1 : 4, sixth = reversed ? 0 : 5, end = sixth < fifth ? 0 : 4;
  const double *n = h[second];
  double first[3], last[3], Q[3], across[3], lever[3];
  between(now, now->origin[second - 1], now->origin[second], first);
  between(now, now->origin[second], now->origin[second + 1], last);
  const double triangle = triple(n, first, last);
  out->distinct = sinew_arm_meeting(&now->arm, now->size, end, 2, Q) <= EXACT;
  if (out->distinct) {
    const double motion = motion_along(now, n, outer, Q);
    const bool standing = !reversed;
    add_sign(out, motion, outer, standing ? SINEW_ARM_WORDS_SIDE : SINEW_ARM_WORDS_SIGN);
    add_sign(out, standing && motion < 0.0 ? -triangle : triangle, second - 1,
             standing ? SINEW_ARM_WORDS_HEIGHT : SINEW_ARM_WORDS_SIGN);
    add_sign(out, triple(h[end == 4 ? 4 : 1], n, h[sixth]), end,
             standing ? SINEW_ARM_WORDS_ROTATION : SINEW_ARM_WORDS_SIGN);
    return;
  }
  // n . (o_6 - o_1) and n . h_6 by joints 1 and 5
  sinew_cross(h[outer], n, across);
  between(now, now->origin[outer], now->origin[sixth], lever);
  const double by_outer[2] = {sinew_dot(across, lever), sinew_dot(across, h[sixth])};
  between(now, now->origin[fifth], now->origin[sixth], lever);
  const double by_fifth[2] = {triple(n, h[fifth], lever), triple(n, h[fifth], h[sixth])};
  add_sign(out, triangle, second - 1, SINEW_ARM_WORDS_SIGN);
  add_sign(out, by_outer[0] * by_fifth[1] - by_outer[1] * by_fifth[0], outer, SINEW_ARM_WORDS_SIGN);
  out->signs[1].whole = true;
}

// Axes 2 and 3 parallel, 4 and 5 meet, or from the tip: the side and the elbow; solutions that
// differ in the last joint have no sign of their own.
static void find_pair(const posture *now, bool reversed, sinew_arm_signs *out) {
  double C[3];
  sinew_arm_meeting(&now->arm, now->size, reversed ? 1 : 3, 2, C);
  add_pair(now, reversed ? 3 : 1, reversed ? 5 : 0, C, out);
}

static void find_srs(const posture *now, sinew_arm_signs *out) {
  double S[3], C[3], line[3];
  sinew_arm_meeting(&now->arm, now->size, 0, 3, S);
  sinew_arm_meeting(&now->arm, now->size, 4, 3, C);
  between(now, S, C, line);
  add_group(now, 0, out);
  add_sign(out, motion_along(now, line, 3, C), 3, SINEW_ARM_WORDS_SIGN);
  add_group(now, 4, out);
  out->distinct = true;
}

void sinew_arm_find_signs(const sinew_arm_plan *plan, const sinew_angle *a, sinew_arm_signs *out) {
  posture now;
  take_posture(plan, a, &now);
  *out = (sinew_arm_signs){.count = 0};
  switch (plan->form) {
  case SINEW_ARM_MEETING:
    find_meeting(&now, plan->reversed ? 3 - plan->first : plan->first, out);
    break;
  case SINEW_ARM_PARALLEL:
    find_parallel(&now, plan->reversed, out);
    break;
  case SINEW_ARM_PAIR:
    find_pair(&now, plan->reversed, out);
    break;
  case SINEW_ARM_SRS:
    find_srs(&now, out);
    break;
  case SINEW_ARM_NONE:
    break;
  }
  for (int i = 1; i < out->count; ++i) { // from the root
    for (int k = i; k > 0 && out->signs[k - 1].first > out->signs[k].first; --k) {
      const sinew_arm_sign kept = out->signs[k];
      out->signs[k] = out->signs[k - 1];
      out->signs[k - 1] = kept;
    }
  }
}
