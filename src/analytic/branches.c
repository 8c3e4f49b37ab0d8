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
#include "analytic/forward_lanes.h"

// Squares of lengths are at least this.
#define SHORTEST 1e-60

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

// Subproblem 2 of unit vectors: both solutions, with +g and -g, whose directions have the same
// lengths.
typedef struct crossing {
  lane a, b, rx, rk, g;
  lane by_first, by_second; // 1 / the lengths
  lane_mask none, singular;
} crossing;

LANE crossing cross_axes(const sinew_arm_crossing *at, const lane v[3]) {
  crossing out;
  lane r[3];
  const lane by = lane_of(at->by), length = lane_of(at->length), square = length * length;
  cross3(at->k1, v, r);
  const lane m1 = dot3(at->k1, v), rr = dots3(r, r);
  out.a = (m1 - lane_of(at->alpha * at->m2)) * by;
  out.b = (lane_of(at->m2) - lane_of(at->alpha) * m1) * by;
  const lane radius = lane_sqrt(rr), edge = lane_abs(out.b) * length;
  const lane g2 = (radius - edge) * (radius + edge) * by;
  out.g = lane_sqrt(lane_max(g2, lane_of(0.0)));
  out.none = lane_less(g2, lane_of(-SINEW_ROOT_SLACK * at->by));
  out.rx = dot3(at->x, r);
  out.rk = dot3(at->k2, r);
  // On an axis: v or p2 on the first, or the common point on either
  const lane least = lane_of(SINEW_ON_AXIS * SINEW_ON_AXIS), gg = out.g * out.g;
  const lane nearer = lane_min(out.a * out.a, out.b * out.b) + gg;
  out.singular = lane_less_equal(out.g, lane_of(SINEW_ON_AXIS));
  out.singular = mask_or(out.singular, lane_less_equal(rr, least));
  out.singular = mask_or(out.singular, lane_less_equal(nearer * square, least));
  const lane shortest = lane_of(SHORTEST);
  const lane first =
      lane_sqrt(lane_max((out.b * out.b + gg) * (out.rx * out.rx + out.rk * out.rk), shortest));
  const lane second = lane_sqrt(lane_max(
      (out.a * out.a + gg) * lane_of(at->across * at->across + at->tip * at->tip), shortest));
  const lane both = lane_of(1.0) / (first * second);
  out.by_first = both * second;
  out.by_second = both * first;
  return out;
}

// Its angles about k1 and k2 for one sign of g.
LANE void crossing_angles(const sinew_arm_crossing *at, const crossing *c, lane g, angles *first,
                          angles *second) {
  first->c = (c->b * c->rx - g * c->rk) * c->by_first;
  first->s = (c->b * c->rk + g * c->rx) * c->by_first;
  second->c = (g * lane_of(at->tip) - c->a * lane_of(at->across)) * c->by_second;
  second->s = (c->a * lane_of(at->tip) + g * lane_of(at->across)) * c->by_second;
}

// Those that are not singular where they exist.
LANE unsigned bad_ways(lane_mask none, lane_mask singular) {
  return mask_bits(singular) & ~mask_bits(none);
}

// The angle about k from p to q, which are equally far from it. singular: where one of them is on
// the axis
LANE angles angle_about(const double k[3], const lane p[3], const lane q[3], lane_mask *singular) {
  lane p_across[3], q_across[3];
  cross3(k, p, p_across);
  cross3(k, q, q_across);
  const lane least = lane_of(SINEW_ON_AXIS * SINEW_ON_AXIS);
  *singular = mask_or(lane_less_equal(dots3(p_across, p_across), least * dots3(p, p)),
                      lane_less_equal(dots3(q_across, q_across), least * dots3(q, q)));
  const lane by = lane_of(1.0) / lane_max(dots3(q_across, q_across), lane_of(SHORTEST));
  return angles_near(dots3(p_across, q_across) * by, dots3(p_across, q) * by);
}

// --------------------------------------------------- the joints besides the group

// Up to four roots side by side: those that do not exist are the first.
static angles load_angles(const sinew_angle *roots, int count) {
  double c[4], s[4];
  for (int k = 0; k < 4; ++k) {
    c[k] = roots[k < count ? k : 0].c;
    s[k] = roots[k < count ? k : 0].s;
  }
  return (angles){lane_load(c), lane_load(s)};
}

// Two roots, each twice.
LANE angles load_pair(const sinew_angle roots[2]) {
  const double c[4] = {roots[0].c, roots[0].c, roots[1].c, roots[1].c};
  const double s[4] = {roots[0].s, roots[0].s, roots[1].s, roots[1].s};
  return (angles){lane_load(c), lane_load(s)};
}

// g and -g, twice
LANE lane both_signs(lane g) {
  static const double signs[4] = {1.0, -1.0, 1.0, -1.0};
  return g * lane_load(signs);
}

// Member by member: a whole struct is copied in halves of a vector, and vectors read from it then
// wait for these stores.
LANE void put_angle(angles *to, angles a) {
  to->c = a.c;
  to->s = a.s;
}

LANE void set_angle(work *w, int i, angles a) {
  put_angle(&w->a[i][0], a);
  put_angle(&w->a[i][1], a);
}

static sinew_arm_result result_of(work *w, sinew_roots roots) {
  w->ways = (1u << roots.count) - 1u;
  return roots.any ? SINEW_ARM_SINGULAR : roots.exact ? SINEW_ARM_SOLVED : SINEW_ARM_UNREACHABLE;
}

static sinew_arm_result place_three(work *w) {
  const int *joint = sinew_arm_three_joints(w->at.plan);
  sinew_three_axes at;
  sinew_angle first[4], third[4];
  const sinew_angle zero = {1.0, 0.0};
  sinew_arm_three_axes(&w->at, &at);
  const sinew_roots roots = sinew_subproblem5_ends(&at, zero, zero, first, third);
  const sinew_arm_result result = result_of(w, roots);
  if (result != SINEW_ARM_SOLVED) {
    return result;
  }
  const angles a1 = load_angles(first, roots.count), a3 = load_angles(third, roots.count);
  lane left[3], right[3];
  lane_mask singular;
  turned3(at.k1, a1, at.p1, left);
  turned3(at.k3, a3, at.p3, right);
  for (int j = 0; j < 3; ++j) {
    left[j] += lane_of(at.p0[j]);
    right[j] += lane_of(at.p2[j]);
  }
  set_angle(w, joint[0], a1);
  set_angle(w, joint[1], angle_about(at.k2, right, left, &singular));
  set_angle(w, joint[2], a3);
  return mask_bits(singular) != 0 ? SINEW_ARM_SINGULAR : SINEW_ARM_SOLVED;
}

static sinew_arm_result place_outer(work *w) {
  const sinew_arm *arm = w->at.arm;
  sinew_angle first[4], fifth[4];
  lane from[3], to[3];
  lane_mask singular;
  double tip[3];
  const sinew_roots roots = sinew_arm_place_outer(&w->at, first, fifth);
  const sinew_arm_result result = result_of(w, roots);
  if (result != SINEW_ARM_SOLVED) {
    return result;
  }
  const angles a1 = load_angles(first, roots.count), a5 = load_angles(fifth, roots.count);
  sinew_rotate(w->at.R, arm->h[5], tip);
  turned3(arm->h[0], angles_back(a1), tip, to);
  turned3(arm->h[4], a5, arm->h[5], from);
  set_angle(w, 0, a1);
  set_angle(w, 4, a5);
  w->sum = angle_about(arm->h[1], from, to, &singular);
  return mask_bits(singular) != 0 ? SINEW_ARM_SINGULAR : SINEW_ARM_SOLVED;
}

// Axes 5 and 6 meet.
static sinew_arm_result place_outer_apart(work *w) {
  const sinew_arm *arm = w->at.arm;
  const sinew_arm_crossing *at = &w->at.plan->crossing;
  sinew_angle first[2];
  angles fifth;
  lane to[3];
  double tip[3];
  const sinew_roots roots = sinew_arm_place_first(&w->at, first);
  if (roots.any || roots.count < 2 || at->none) {
    return roots.exact || at->none ? SINEW_ARM_SINGULAR : SINEW_ARM_UNREACHABLE;
  }
  const angles a1 = load_pair(first);
  sinew_rotate(w->at.R, arm->h[5], tip);
  turned3(arm->h[0], angles_back(a1), tip, to);
  const crossing c = cross_axes(at, to);
  crossing_angles(at, &c, both_signs(c.g), &w->sum, &fifth);
  set_angle(w, 0, a1);
  set_angle(w, 4, fifth);
  w->ways = ~mask_bits(c.none) & 15u;
  return bad_ways(c.none, c.singular) != 0 ? SINEW_ARM_SINGULAR
         : w->ways == 0                    ? SINEW_ARM_UNREACHABLE
                                           : SINEW_ARM_SOLVED;
}

// a_i v_i + .. as a vector in the axes of a frame's rows
LANE void sum_rows(const double (*rows)[3], const lane c[3], lane out[3]) {
  for (int j = 0; j < 3; ++j) {
    out[j] = c[0] * lane_of(rows[0][j]) + c[1] * lane_of(rows[1][j]) + c[2] * lane_of(rows[2][j]);
  }
}

// out = the vector of the arm at rest, where the elbow's frame is rest, that v is now
LANE void rest_of(const double (*now)[3], lane (*rest)[3], const double v[3], lane out[3]) {
  const lane c[3] = {lane_of(sinew_dot(now[0], v)), lane_of(sinew_dot(now[1], v)),
                     lane_of(sinew_dot(now[2], v))};
  for (int j = 0; j < 3; ++j) {
    out[j] = c[0] * rest[0][j] + c[1] * rest[1][j] + c[2] * rest[2][j];
  }
}

// v times a number that makes its length 1 up to errors whose square is rounding.
LANE void unit_near(lane by, lane v[3]) {
  for (int j = 0; j < 3; ++j) {
    v[j] = by * v[j];
  }
  const lane rest = lane_of(1.5) - lane_of(0.5) * dots3(v, v);
  for (int j = 0; j < 3; ++j) {
    v[j] = rest * v[j];
  }
}

// Rows: the line from shoulder to wrist, the elbow's axis across it, and their cross product, where
// the first three angles are 0. by: 1 / the line's length; across: the length of the axis's part
// across it
LANE void elbow_frame(const sinew_arm *arm, angles elbow, double by, double across,
                      lane (*rest)[3]) {
  const double *h = arm->h[3];
  double normal[3];
  lane *u = rest[0], *side = rest[1];
  turned3(h, elbow, arm->P[4], u);
  sinew_cross(h, arm->P[3], normal); // (P_3 x forearm) . h
  const lane sign = lane_with_sign(lane_of(1.0), dot3(normal, u) + lane_of(0.0));
  for (int j = 0; j < 3; ++j) {
    u[j] += lane_of(arm->P[3][j]);
  }
  unit_near(lane_of(by), u);
  const lane along = dot3(h, u);
  for (int j = 0; j < 3; ++j) {
    side[j] = lane_of(h[j]) - along * u[j];
  }
  unit_near(sign * lane_of(1.0 / across), side);
  for (int j = 0; j < 3; ++j) {
    const int k = (j + 1) % 3, l = (j + 2) % 3;
    rest[2][j] = u[k] * side[l] - u[l] * side[k];
  }
}

static sinew_arm_result place_shoulder(work *w, double swivel) {
  const sinew_arm_plan *plan = w->at.plan;
  const sinew_arm *arm = w->at.arm;
  const sinew_arm_triangle *triangle = &plan->triangle;
  const sinew_arm_crossing *at = &plan->shoulder;
  // The elbow
  const double L = sinew_dot(w->at.x, w->at.x), d = triangle->half - 0.5 * L;
  const double D = triangle->square - d * d;
  if (triangle->none || at->none || D <= 0.0) {
    return D < -SINEW_ROOT_SLACK * triangle->square && !triangle->none ? SINEW_ARM_UNREACHABLE
                                                                       : SINEW_ARM_SINGULAR;
  }
  const double by = 1.0 / triangle->square, c = d * by, s = sqrt(D) * by;
  // The axis's part along the line is the same for both elbows.
  const double by_line = 1.0 / sqrt(sinew_max(L, SHORTEST));
  const double along =
      by_line * (sinew_dot(arm->h[3], arm->P[3]) + sinew_dot(arm->h[3], arm->P[4]));
  const double beyond = 1.0 - along * along;
  if (!(beyond > SINEW_ON_AXIS)) {
    return SINEW_ARM_SINGULAR;
  }
  const sinew_angle both[2] = {
      {triangle->cosine * c - triangle->sine * s, triangle->sine * c + triangle->cosine * s},
      {triangle->cosine * c + triangle->sine * s, triangle->sine * c - triangle->cosine * s}};
  const angles elbow = load_pair(both), unbent = angles_back(elbow);
  double now[3][3], columns[3][3], v[3], z[3];
  lane rest[3][3], to[3], left[3], in[3];
  if (!sinew_arm_line_frame(&w->at, swivel, now)) {
    return SINEW_ARM_SINGULAR;
  }
  elbow_frame(arm, elbow, by_line, sqrt(beyond), rest);
  // The first three joints: their rotation takes rest to now
  for (int j = 0; j < 3; ++j) {
    in[j] = dot3(arm->h[2], rest[j]);
  }
  sum_rows((const double(*)[3])now, in, to);
  for (int j = 0; j < 3; ++j) {
    in[j] = dot3(plan->y_shoulder, rest[j]);
  }
  sum_rows((const double(*)[3])now, in, left);
  const crossing cross = cross_axes(at, to);
  angles first, second;
  crossing_angles(at, &cross, both_signs(cross.g), &first, &second);
  turn3(at->k1, first, left);
  turn3(at->k2, angles_back(second), left);
  sinew_cross(arm->h[2], plan->y_shoulder, columns[0]);
  set_angle(w, 0, first);
  set_angle(w, 1, second);
  set_angle(w, 2, angles_near(dot3(plan->y_shoulder, left), dot3(columns[0], left)));
  set_angle(w, 3, elbow);
  // The last three
  sinew_rotate(w->at.R, arm->h[6], v);
  sinew_rotate(w->at.R, plan->y, z);
  rest_of((const double(*)[3])now, rest, v, w->v);
  rest_of((const double(*)[3])now, rest, z, w->z);
  turn3(arm->h[3], unbent, w->v);
  turn3(arm->h[3], unbent, w->z);
  w->ways = ~mask_bits(cross.none) & 15u;
  return bad_ways(cross.none, cross.singular) != 0 ? SINEW_ARM_SINGULAR
         : w->ways == 0                            ? SINEW_ARM_UNREACHABLE
                                                   : SINEW_ARM_SOLVED;
}

static sinew_arm_result place_ways(work *w, double swivel) {
  const sinew_arm_plan *plan = w->at.plan;
  return plan->form == SINEW_ARM_SRS        ? place_shoulder(w, swivel)
         : plan->form != SINEW_ARM_PARALLEL ? place_three(w)
         : sinew_arm_is_apart(plan)         ? place_outer_apart(w)
                                            : place_outer(w);
}

// MEETING: v and z.
LANE void find_ends(work *w) {
  const sinew_arm *arm = w->at.arm;
  const int first = w->at.plan->first;
  if (first == 3) { // R_3^T R_2^T R_1^T R
    double v[3], z[3];
    sinew_rotate(w->at.R, arm->h[5], v);
    sinew_rotate(w->at.R, w->at.plan->y, z);
    turned3(arm->h[0], angles_back(w->a[0][0]), v, w->v);
    turned3(arm->h[0], angles_back(w->a[0][0]), z, w->z);
  } else { // R_2^T R_1^T R R_6^T
    turned3(arm->h[5], angles_back(w->a[5][0]), arm->h[4], w->v);
    turned3(arm->h[5], angles_back(w->a[5][0]), w->at.plan->y, w->z);
    rotate3(w->at.R, w->v);
    rotate3(w->at.R, w->z);
  }
  for (int i = first == 3 ? 1 : 0; i < first; ++i) {
    turn3(arm->h[i], angles_back(w->a[i][0]), w->v);
    turn3(arm->h[i], angles_back(w->a[i][0]), w->z);
  }
}

// ---------------------------------------------------------------- the group

// MEETING, SRS: the group's angles for the rotation that takes its last axis to v and y to z.
LANE void find_wrists(work *w) {
  const int first = w->at.plan->first;
  const sinew_arm_crossing *at = &w->at.plan->crossing;
  const double *y = w->at.plan->y;
  double y_across[3];
  sinew_cross(w->at.arm->h[first + 2], y, y_across);
  const crossing c = cross_axes(at, w->v);
  for (int side = 0; side < 2; ++side) {
    angles back, middle;
    lane left[3] = {w->z[0], w->z[1], w->z[2]};
    crossing_angles(at, &c, side == 0 ? c.g : -c.g, &back, &middle);
    turn3(at->k1, back, left);
    turn3(at->k2, angles_back(middle), left);
    w->a[first][side] = back;
    w->a[first + 1][side] = middle;
    w->a[first + 2][side] = angles_near(dot3(y, left), dot3(y_across, left));
    w->exists[side] = mask_not(c.none);
  }
  w->singular |= at->none ? ~0u : bad_ways(c.none, c.singular);
}

// PARALLEL: joint 6, and the elbow.
LANE void find_elbows(work *w) {
  const sinew_arm *arm = w->at.arm;
  const double *n = arm->h[1];
  const angles back = angles_back(w->a[0][0]), fifth = w->a[4][0];
  lane rest[3], forearm[3], z[3];
  double tip[3], across[3];
  // R_2 (P_2 + R_3 P_3) = R_1^T x - P_1 - R_234 (P_4 + R_5 P_5)
  turned3(arm->h[4], fifth, arm->P[5], rest);
  turned3(arm->h[0], back, w->at.x, forearm);
  for (int j = 0; j < 3; ++j) {
    rest[j] += lane_of(arm->P[4][j]);
  }
  turn3(n, w->sum, rest);
  for (int j = 0; j < 3; ++j) {
    rest[j] = forearm[j] - lane_of(arm->P[1][j]) - rest[j];
  }
  // Joint 6 from what is left of the rotation
  sinew_rotate(w->at.R, w->at.plan->y_tip, tip);
  turned3(arm->h[0], back, tip, z);
  turn3(n, angles_back(w->sum), z);
  turn3(arm->h[4], angles_back(fifth), z);
  sinew_cross(arm->h[5], w->at.plan->y_tip, across);
  const angles sixth = angles_near(dot3(w->at.plan->y_tip, z), dot3(across, z));
  // |P_2 + R_3 P_3| = |rest|
  const sinew_arm_triangle *triangle = &w->at.plan->triangle;
  const double *k = arm->h[2], cosine = triangle->cosine, sine = triangle->sine;
  const lane length = dots3(rest, rest);
  const lane d = lane_of(triangle->half) - lane_of(0.5) * length;
  const lane D = lane_of(triangle->square) - d * d, zero = lane_of(0.0);
  const lane_mask none = lane_less(D, lane_of(-SINEW_ROOT_SLACK * triangle->square));
  const bool bad = triangle->none;
  lane_mask singular = lane_less_equal(D, zero);
  const lane by = lane_of(bad ? 0.0 : 1.0 / triangle->square);
  const lane along = d * by, beyond = lane_sqrt(lane_max(D, zero)) * by;
  lane rest_across[3];
  cross3(n, rest, rest_across);
  const lane least = lane_of(SINEW_ON_AXIS * SINEW_ON_AXIS) * length;
  const lane across_square = dots3(rest_across, rest_across);
  singular = mask_or(singular, lane_less_equal(across_square, least));
  const lane by_across = lane_of(1.0) / lane_max(across_square, lane_of(SHORTEST));
  for (int side = 0; side < 2; ++side) {
    const lane B = side == 0 ? beyond : -beyond;
    const angles elbow = {lane_of(cosine) * along - lane_of(sine) * B,
                          lane_of(sine) * along + lane_of(cosine) * B};
    lane across_n[3];
    turned3(k, elbow, arm->P[3], forearm);
    for (int j = 0; j < 3; ++j) {
      forearm[j] += lane_of(arm->P[2][j]);
    }
    cross3(n, forearm, across_n);
    singular = mask_or(singular, lane_less_equal(dots3(across_n, across_n), least));
    // Both are equally far from n.
    const angles second =
        angles_near(dots3(across_n, rest_across) * by_across, dots3(across_n, rest) * by_across);
    w->a[1][side] = second;
    w->a[2][side] = elbow;
    w->a[3][side] = angles_sum(w->sum, angles_back(angles_sum(second, elbow)));
    w->a[5][side] = sixth;
    w->exists[side] = mask_not(none);
  }
  w->singular |= bad ? ~0u : bad_ways(none, singular);
}

// --------------------------------------------------------- forward kinematics

// The errors of both solutions. own: angles of own's axes.
LANE void find_errors(const sinew_arm_plan *plan, angles (*own)[SINEW_ARM_MOST], const double R[9],
                      const double p[3], sinew_arm_set *set) {
  const sinew_arm_frames *frames = &plan->frames;
  const int last = plan->own.count - 1;
  const int first = plan->reversed ? last - 2 - plan->first : plan->first, end = first + 2;
  const bool shared = end < last - 1; // the last two axes are after the group
  tip_lanes target, hand = {0}, tip;
  set->exact = 0;
  forward_target(plan, R, p, &target);
  for (int i = 0; i < first; ++i) {
    back_by(frames, i, own[0], &target);
  }
  if (shared) {
    forward_begin(frames, last, own[0], &hand);
    for (int i = last - 2; i > end; --i) {
      forward_by(frames, i, own[0], &hand);
    }
  }
  for (int side = 0; side < 2; ++side) {
    lane turn, gap;
    if (shared) {
      tip = hand;
    } else {
      forward_begin(frames, last, own[side], &tip);
    }
    for (int i = shared ? end : last - 2; i >= first; --i) {
      forward_by(frames, i, own[side], &tip);
    }
    forward_compare(&tip, &target, &turn, &gap);
    lane_store(set->turn + 4 * side, turn);
    lane_store(set->gap + 4 * side, gap);
    const double most = SINEW_ARM_EXACT * plan->size;
    const lane_mask exact =
        mask_and(lane_less_equal(turn, lane_of(SINEW_ARM_EXACT * SINEW_ARM_EXACT)),
                 lane_less_equal(gap, lane_of(most * most)));
    set->exact |= mask_bits(exact) << 4 * side;
  }
}

// The angles of own's axes, and their errors.
LANE void finish(const work *w, const double R[9], const double p[3], sinew_arm_set *set) {
  const sinew_arm_plan *plan = w->at.plan;
  const int n = plan->arm.count;
  angles own[2][SINEW_ARM_MOST];
  for (int i = 0; i < n; ++i) {
    const int to = sinew_arm_own_index(plan, i);
    const lane sign = lane_of(plan->opposite[i] ? -1.0 : 1.0);
    lane value = lane_of(0.0);
    for (int side = 0; side < 2; ++side) {
      const lane c = w->a[i][side].c, s = w->a[i][side].s * sign;
      if (side == 0 || (w->twofold >> i & 1u) != 0) {
        value = lane_atan2(s, c);
      }
      put_angle(&own[side][to], (angles){c, s});
      lane_store(set->c[to] + 4 * side, c);
      lane_store(set->s[to] + 4 * side, s);
      lane_store(set->value[to] + 4 * side, value);
    }
  }
  find_errors(plan, own, R, p, set);
}

sinew_arm_result sinew_arm_solve_branches(const sinew_arm_plan *plan, const double R[9],
                                          const double p[3], double swivel, sinew_arm_set *set) {
  work w;
  w.ways = w.singular = 0;
  sinew_arm_begin(&w.at, plan, R, p);
  const sinew_arm_result ways = place_ways(&w, swivel);
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
