// See branches.h; the mathematics is that of families.c and subproblems.c, for four at once.
//
// Subproblem 2 for both solutions: with x = k1 x k2, r = k1 x p1, alpha = k1 . k2, the vectors
// v = a k1 + b k2 +- g x have k1 x v = b x +- g (alpha k1 - k2), so that the angle about k1 from p1
// to v has, up to a common factor,
//
//   cosine  b (r . x) -+ g (r . k2)       sine  b (r . k2) +- g (r . x).
//
// The angle about k2 from p2 to v, with t = k2 x p2, has
//
//   cosine  -a (t . x) +- g (t . k1)      sine  a (t . k1) +- g (t . x).
#define SINEW_LANES 4
#define SINEW_LANE_FUSED 0
#define SINEW_CALLS
#include "analytic/branches.h"
#include "analytic/families.h"
#include "simd/elementary.h"

// As in subproblems.c: a point this near to an axis is on it, and what is below this share of its
// terms is a rounding error.
#define ON_AXIS 1e-12
#define NOTHING 1e-13
#define PARALLEL 1e-12

#define TURN (2.0 * SINEW_PI)

// Cosine and sine of four angles.
typedef struct angles {
  lane c, s;
} angles;

LANE angles angles_back(angles a) {
  return (angles){a.c, -a.s};
}

// Of the directions (c, s), of any length but 0.
LANE angles angles_of(lane c, lane s) {
  const lane by = lane_of(1.0) / lane_max(lane_sqrt(c * c + s * s), lane_of(DBL_MIN));
  return (angles){c * by, s * by};
}

LANE angles angles_sum(angles a, angles b) {
  return (angles){a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
}

LANE void spread3(const double v[3], lane out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_of(v[i]);
  }
}

LANE lane dot3(const double a[3], const lane b[3]) {
  return lane_of(a[0]) * b[0] + lane_of(a[1]) * b[1] + lane_of(a[2]) * b[2];
}

LANE lane dots3(const lane a[3], const lane b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

LANE void cross3(const double a[3], const lane b[3], lane out[3]) {
  out[0] = lane_of(a[1]) * b[2] - lane_of(a[2]) * b[1];
  out[1] = lane_of(a[2]) * b[0] - lane_of(a[0]) * b[2];
  out[2] = lane_of(a[0]) * b[1] - lane_of(a[1]) * b[0];
}

// v <- R(k, a) v
LANE void turn3(const double k[3], angles a, lane v[3]) {
  lane across[3];
  cross3(k, v, across);
  const lane along = (lane_of(1.0) - a.c) * dot3(k, v);
  for (int i = 0; i < 3; ++i) {
    v[i] = a.c * v[i] + a.s * across[i] + along * lane_of(k[i]);
  }
}

// out = R(k, a) v
LANE void wave3(const sinew_arm_wave *v, angles a, lane out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_of(v->constant[i]) + a.c * lane_of(v->cosine[i]) + a.s * lane_of(v->sine[i]);
  }
}

LANE void rotate3(const double R[9], lane v[3]) {
  const lane x = dot3(R, v), y = dot3(R + 3, v), z = dot3(R + 6, v);
  v[0] = x;
  v[1] = y;
  v[2] = z;
}

// --------------------------------------------------------------- the branches

// What one solve works on. Angles are of arm's axes: [0] and [1] are the group's two solutions.
typedef struct work {
  sinew_arm_work at;
  angles a[SINEW_ARM_MOST][2];
  angles sum;          // PARALLEL: of the group's angles
  lane v[3], z[3];     // MEETING, SRS: where the group's rotation takes its last axis and y
  unsigned ways;       // bits of the ways that exist
  lane_mask exists[2]; // of them, those in which the group has solutions
  unsigned singular;   // bits of the ways that are singular
  unsigned twofold;    // bits of the axes whose angles the group's two solutions do not share
} work;

// Puts the ways side by side.
static sinew_arm_result take_ways(work *w, double swivel) {
  sinew_arm_way ways[SINEW_ARM_WAYS];
  const int n = w->at.arm->count, first = w->at.plan->first;
  const int count = sinew_arm_find_ways(&w->at, swivel, ways);
  double c[SINEW_ARM_MOST + 1][4], s[SINEW_ARM_MOST + 1][4], ends[6][4];
  bool any = false;
  int row = 0;
  for (int i = 0; i < count; ++i) {
    any |= ways[i].any;
    w->ways |= (unsigned)ways[i].exact << i;
    row = ways[i].exact ? i : row;
  }
  if (any || w->ways == 0) {
    return any ? SINEW_ARM_SINGULAR : SINEW_ARM_UNREACHABLE;
  }
  for (int k = 0; k < 4; ++k) { // those that do not exist: as one that does
    const sinew_arm_way *way = &ways[w->ways >> k & 1u ? k : row];
    for (int i = 0; i < n; ++i) {
      const bool member = i >= first && i < first + 3;
      c[i][k] = member ? 1.0 : way->a[i].c;
      s[i][k] = member ? 0.0 : way->a[i].s;
    }
    if (w->at.plan->form == SINEW_ARM_PARALLEL) {
      c[n][k] = way->sum.c;
      s[n][k] = way->sum.s;
    }
    for (int j = 0; j < 3 && w->at.plan->form == SINEW_ARM_SRS; ++j) {
      ends[j][k] = way->v[j];
      ends[3 + j][k] = way->z[j];
    }
  }
  for (int i = 0; i < n; ++i) {
    w->a[i][0] = w->a[i][1] = (angles){lane_load(c[i]), lane_load(s[i])};
  }
  if (w->at.plan->form == SINEW_ARM_PARALLEL) {
    w->sum = (angles){lane_load(c[n]), lane_load(s[n])};
  }
  for (int j = 0; j < 3 && w->at.plan->form == SINEW_ARM_SRS; ++j) {
    w->v[j] = lane_load(ends[j]);
    w->z[j] = lane_load(ends[3 + j]);
  }
  return SINEW_ARM_SOLVED;
}

// MEETING: v and z.
LANE void find_ends(work *w) {
  const sinew_arm *arm = w->at.arm;
  const int first = w->at.plan->first;
  if (first == 3) { // R_3^T R_2^T R_1^T R
    double v[3], z[3];
    sinew_rotate(w->at.R, arm->h[5], v);
    sinew_rotate(w->at.R, w->at.plan->y, z);
    spread3(v, w->v);
    spread3(z, w->z);
  } else { // R_2^T R_1^T R R_6^T
    spread3(arm->h[4], w->v);
    spread3(w->at.plan->y, w->z);
    turn3(arm->h[5], angles_back(w->a[5][0]), w->v);
    turn3(arm->h[5], angles_back(w->a[5][0]), w->z);
    rotate3(w->at.R, w->v);
    rotate3(w->at.R, w->z);
  }
  for (int i = 0; i < first; ++i) {
    turn3(arm->h[i], angles_back(w->a[i][0]), w->v);
    turn3(arm->h[i], angles_back(w->a[i][0]), w->z);
  }
}

// MEETING, SRS: the group's angles for the rotation that takes its last axis to v and y to z.
LANE void find_wrists(work *w) {
  const sinew_arm *arm = w->at.arm;
  const int first = w->at.plan->first;
  const double *k2 = arm->h[first + 1], *p2 = arm->h[first + 2], *y = w->at.plan->y;
  double k1[3], x[3], t[3], y_across[3];
  sinew_scale(-1.0, arm->h[first], k1);
  sinew_cross(k1, k2, x);
  sinew_cross(k2, p2, t);
  sinew_cross(p2, y, y_across);
  const double square = sinew_dot(x, x), alpha = sinew_dot(k1, k2), m2 = sinew_dot(k2, p2);
  const double tx = sinew_dot(t, x), tk = sinew_dot(t, k1);
  const lane by = lane_of(1.0 / square);
  lane r[3];
  cross3(k1, w->v, r);
  const lane m1 = dot3(k1, w->v), rr = dots3(r, r);
  const lane a = (m1 - lane_of(alpha * m2)) * by, b = (lane_of(m2) - lane_of(alpha) * m1) * by;
  const lane radius = lane_sqrt(rr), edge = lane_abs(b) * lane_of(sqrt(square));
  const lane g2 = (radius - edge) * (radius + edge) * by;
  const lane g = lane_sqrt(lane_max(g2, lane_of(0.0)));
  const lane_mask none = lane_less(g2, lane_of(-SINEW_ROOT_SLACK) * by);
  const lane rx = dot3(x, r), rk = dot3(k2, r);
  // On an axis: v or h_last on the first, or the common point on either
  const lane least = lane_of(ON_AXIS * ON_AXIS), gg = g * g;
  lane_mask singular = lane_less_equal(g, lane_of(ON_AXIS));
  singular = mask_or(singular, lane_less_equal(rr, least));
  singular = mask_or(singular, lane_less_equal((b * b + gg) * lane_of(square), least));
  singular = mask_or(singular, lane_less_equal((a * a + gg) * lane_of(square), least));
  const bool bad = square <= PARALLEL * PARALLEL || sinew_dot(t, t) <= ON_AXIS * ON_AXIS;
  w->singular |= bad ? ~0u : mask_bits(singular) & ~mask_bits(none);
  for (int side = 0; side < 2; ++side) {
    const lane G = side == 0 ? g : -g;
    const angles back = angles_of(b * rx - G * rk, b * rk + G * rx);
    const angles middle =
        angles_of(G * lane_of(tk) - a * lane_of(tx), a * lane_of(tk) + G * lane_of(tx));
    lane left[3] = {w->z[0], w->z[1], w->z[2]};
    turn3(k1, back, left);
    turn3(k2, angles_back(middle), left);
    w->a[first][side] = back;
    w->a[first + 1][side] = middle;
    w->a[first + 2][side] = angles_of(dot3(y, left), dot3(y_across, left));
    w->exists[side] = mask_not(none);
  }
}

// PARALLEL: joint 6, and the elbow.
LANE void find_elbows(work *w) {
  const sinew_arm *arm = w->at.arm;
  const double *n = arm->h[1];
  const angles back = angles_back(w->a[0][0]), fifth = w->a[4][0];
  lane rest[3], forearm[3], z[3];
  double against[3], tip[3], across[3];
  // R_2 (P_2 + R_3 P_3) = R_1^T x - P_1 - R_234 (P_4 + R_5 P_5)
  spread3(arm->P[5], rest);
  turn3(arm->h[4], fifth, rest);
  spread3(w->at.x, forearm);
  turn3(arm->h[0], back, forearm);
  for (int j = 0; j < 3; ++j) {
    rest[j] += lane_of(arm->P[4][j]);
  }
  turn3(n, w->sum, rest);
  for (int j = 0; j < 3; ++j) {
    rest[j] = forearm[j] - lane_of(arm->P[1][j]) - rest[j];
    against[j] = -arm->P[2][j];
  }
  // Joint 6 from what is left of the rotation
  sinew_rotate(w->at.R, w->at.plan->y_tip, tip);
  spread3(tip, z);
  turn3(arm->h[0], back, z);
  turn3(n, angles_back(w->sum), z);
  turn3(arm->h[4], angles_back(fifth), z);
  sinew_cross(arm->h[5], w->at.plan->y_tip, across);
  const angles sixth = angles_of(dot3(w->at.plan->y_tip, z), dot3(across, z));
  // Subproblem 3: |P_2 + R_3 P_3| = |rest|
  const double *k = arm->h[2], *P = arm->P[3];
  double P_across[3];
  sinew_cross(k, P, P_across);
  const double part = sinew_dot(against, k) * sinew_dot(k, P);
  const double cosine = sinew_dot(against, P) - part, sine = sinew_dot(against, P_across);
  const double square = cosine * cosine + sine * sine;
  const double sides = sinew_dot(P, P) * sinew_dot(against, against);
  const double half = 0.5 * (sinew_dot(P, P) + sinew_dot(against, against)) - part;
  const lane length = dots3(rest, rest);
  const lane d = lane_of(half) - lane_of(0.5) * length;
  const lane D = lane_of(square) - d * d, zero = lane_of(0.0);
  const lane_mask none = lane_less(D, lane_of(-SINEW_ROOT_SLACK * square));
  const bool bad = !(square > NOTHING * NOTHING * sides);
  lane_mask singular = lane_less_equal(D, zero);
  const lane by = lane_of(bad ? 0.0 : 1.0 / square);
  const lane along = d * by, beyond = lane_sqrt(lane_max(D, zero)) * by;
  lane rest_across[3];
  cross3(n, rest, rest_across);
  const lane least = lane_of(ON_AXIS * ON_AXIS) * length;
  singular = mask_or(singular, lane_less_equal(dots3(rest_across, rest_across), least));
  for (int side = 0; side < 2; ++side) {
    const lane B = side == 0 ? beyond : -beyond;
    const angles elbow = {lane_of(cosine) * along - lane_of(sine) * B,
                          lane_of(sine) * along + lane_of(cosine) * B};
    lane across_n[3];
    spread3(P, forearm);
    turn3(k, elbow, forearm);
    for (int j = 0; j < 3; ++j) {
      forearm[j] += lane_of(arm->P[2][j]);
    }
    cross3(n, forearm, across_n);
    singular = mask_or(singular, lane_less_equal(dots3(across_n, across_n), least));
    const angles second = angles_of(dots3(across_n, rest_across), dots3(across_n, rest));
    w->a[1][side] = second;
    w->a[2][side] = elbow;
    w->a[3][side] = angles_sum(w->sum, angles_back(angles_sum(second, elbow)));
    w->a[5][side] = sixth;
    w->exists[side] = mask_not(none);
  }
  w->singular |= bad ? ~0u : mask_bits(singular) & ~mask_bits(none);
}

// --------------------------------------------------------- forward kinematics

// The largest difference of the tip's last axis, of y_own across it and of p / size. own: angles of
// own's axes.
LANE lane find_error(const sinew_arm_plan *plan, const angles *own, const double R[9],
                     const double p[3]) {
  const sinew_arm *arm = &plan->own;
  const int last = arm->count - 1;
  double goal_h[3], goal_y[3];
  lane h[3], y[3], at[3];
  sinew_rotate(R, arm->h[last], goal_h);
  sinew_rotate(R, plan->y_own, goal_y);
  wave3(&plan->y_about_last, own[last], y);
  wave3(&plan->tip_about_last, own[last], at);
  wave3(&plan->last_about_next, own[last - 1], h);
  for (int i = last - 1; i >= 0; --i) { // from the tip, so that only vectors are rotated
    for (int j = 0; j < 3; ++j) {
      at[j] += lane_of(arm->P[i + 1][j]);
    }
    turn3(arm->h[i], own[i], y);
    turn3(arm->h[i], own[i], at);
    if (i < last - 1) {
      turn3(arm->h[i], own[i], h);
    }
  }
  lane most = lane_of(0.0), far = lane_of(0.0);
  for (int j = 0; j < 3; ++j) {
    most = lane_max(most, lane_abs(h[j] - lane_of(goal_h[j])));
    most = lane_max(most, lane_abs(y[j] - lane_of(goal_y[j])));
    far = lane_max(far, lane_abs(at[j] + lane_of(arm->P[0][j] - p[j])));
  }
  return lane_max(most, far * lane_of(1.0 / plan->size));
}

// The angles of own's axes, and their errors.
LANE void finish(const work *w, const double R[9], const double p[3], sinew_arm_set *set) {
  const sinew_arm_plan *plan = w->at.plan;
  const int n = plan->arm.count;
  angles own[2][SINEW_ARM_MOST];
  for (int i = 0; i < n; ++i) {
    const int to = sinew_arm_own_index(plan, i);
    lane value = lane_of(0.0);
    for (int side = 0; side < 2; ++side) {
      const angles a = own[side][to] =
          plan->opposite[i] ? angles_back(w->a[i][side]) : w->a[i][side];
      if (side == 0 || (w->twofold >> i & 1u) != 0) {
        value = lane_atan2(a.s, a.c);
      }
      lane_store(set->c[to] + 4 * side, a.c);
      lane_store(set->s[to] + 4 * side, a.s);
      lane_store(set->value[to] + 4 * side, value);
    }
  }
  for (int side = 0; side < 2; ++side) {
    lane_store(set->error + 4 * side, find_error(plan, own[side], R, p));
  }
}

sinew_arm_result sinew_arm_solve_branches(const sinew_arm_plan *plan, const double R[9],
                                          const double p[3], double swivel, sinew_arm_set *set) {
  work w;
  w.ways = w.singular = 0;
  sinew_arm_begin(&w.at, plan, R, p);
  const sinew_arm_result ways = take_ways(&w, swivel);
  if (ways != SINEW_ARM_SOLVED) {
    return ways;
  }
  w.twofold = 7u << plan->first;
  if (plan->form == SINEW_ARM_PARALLEL) {
    find_elbows(&w);
  } else {
    if (plan->form == SINEW_ARM_MEETING) {
      find_ends(&w);
    }
    find_wrists(&w);
  }
  if ((w.singular & w.ways) != 0) {
    return SINEW_ARM_SINGULAR;
  }
  set->exists = (mask_bits(w.exists[0]) & w.ways) | (mask_bits(w.exists[1]) & w.ways) << 4;
  if (set->exists == 0) {
    return SINEW_ARM_UNREACHABLE;
  }
  finish(&w, R, p, set);
  return SINEW_ARM_SOLVED;
}

// ---------------------------------------------------------------------- places

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

unsigned sinew_arm_set_place(sinew_arm_set *set, int count, const sinew_arm_range *ranges,
                             double *distance) {
  unsigned all = 0;
  for (int side = 0; side < 2; ++side) {
    lane_mask within = lane_less(lane_of(0.0), lane_of(1.0));
    lane sum = lane_of(0.0);
    for (int i = 0; i < count; ++i) {
      const sinew_arm_range *range = &ranges[i];
      lane x = lane_load(set->value[i] + 4 * side);
      const lane turns = lane_of(range->near) - x;
      const lane nearest =
          x + lane_of(TURN) * lane_floor(turns * lane_of(1.0 / TURN) + lane_of(0.5));
      x = lane_select(lane_less(lane_of(SINEW_PI), lane_abs(turns)), nearest, x);
      x = bring_within(x, range->lower, range->upper, &within);
      const lane d = x - lane_of(range->from);
      sum += lane_of(range->weight) * d * d;
      lane_store(set->value[i] + 4 * side, x);
    }
    lane_store(distance + 4 * side, sum);
    all |= mask_bits(within) << 4 * side;
  }
  return all & set->exists;
}
