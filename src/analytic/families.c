// The closed forms of arms: see arm.h.
//
// Group of three axes that meet in a point C, last (joints 4 to 6) or last but one (3 to 5). The
// place of C follows from the three other joints, by subproblem 5:
//
//   R_1^T x = P_1 + R_2 (P_2 + R_3 P_3),           x = p - P_0 - R P_6: C from axis 1,
//   x - R R_6^T P_5 = R_1 (P_1 + R_2 P_2),
//
// and the group's rotation is what they leave of R.
//
// Group of three parallel axes n (joints 2 to 4). Along n, and for the direction of axis 6,
//
//   n . R_1^T x - n . R_5 P_5 = n . (P_1 + P_2 + P_3 + P_4),
//   n . R_1^T R h_6 - n . R_5 h_6 = 0,
//
// which is subproblem 6. The sum of the three angles and joint 6 follow from the rotation, and the
// elbow from the triangle P_2, P_3.
//
// Seven joints, three meeting axes at both ends: joint 4 from the distance between their points
// (subproblem 3), the rotation of the first three from the angle about the line through both.
//
// Sources: Pieper, The kinematics of manipulators under computer control, 1968; Hawkins, Analytic
// inverse kinematics for the Universal Robots UR-5/UR-10 arms, 2013; Shimizu et al., Analytical
// inverse kinematic computation for 7-DOF redundant manipulators with joint limits, 2008; Elias and
// Wen, IK-Geo, 2022.
#include "analytic/families.h"

// A vector this short, as a share of the arm's size, is none.
#define NO_VECTOR 1e-12

// One way in which the joints besides the group place its point or its direction.
typedef struct sinew_arm_way {
  sinew_angle a[SINEW_ARM_MOST]; // of arm's axes, besides the group's
  sinew_angle sum;               // PARALLEL: of the group's angles
  double v[3], z[3];             // SRS: where the group's rotation takes its last axis h and y
  unsigned branch;
  bool exact, any;
} sinew_arm_way;

#define SINEW_ARM_WAYS 4

static void copy3(const double a[3], double out[3]) {
  memcpy(out, a, 3 * sizeof *a);
}

// ------------------------------------------------------------ meeting axes

void sinew_arm_three_axes(const sinew_arm_work *w, sinew_three_axes *at) {
  const sinew_arm *arm = w->arm;
  const int k = w->plan->first == 3 ? 1 : 0; // of the second of the three axes
  if (k == 1) {
    sinew_scale(-1.0, arm->h[0], at->k1);
    copy3(w->x, at->p1);
    sinew_scale(-1.0, arm->P[1], at->p0);
  } else {
    sinew_rotate(w->R, arm->h[5], at->k1);
    sinew_scale(-1.0, at->k1, at->k1);
    sinew_rotate(w->R, arm->P[5], at->p1);
    sinew_scale(-1.0, at->p1, at->p1);
    copy3(w->x, at->p0);
  }
  copy3(arm->h[k], at->k2);
  copy3(arm->h[k + 1], at->k3);
  copy3(arm->P[k + 1], at->p2);
  copy3(arm->P[k + 2], at->p3);
}

// The joints of the three axes, in the order of the subproblem.
const int *sinew_arm_three_joints(const sinew_arm_plan *plan) {
  static const int last[3] = {0, 1, 2}, middle[3] = {5, 0, 1};
  return plan->first == 3 ? last : middle;
}

static int place_three(const sinew_arm_work *w, sinew_arm_way *ways) {
  const int *joint = sinew_arm_three_joints(w->plan);
  sinew_three_axes at;
  sinew_angle found[4][3], preferred[3];
  for (int i = 0; i < 3; ++i) {
    preferred[i] = w->preferred[joint[i]];
  }
  sinew_arm_three_axes(w, &at);
  const sinew_roots roots = sinew_subproblem5(&at, preferred, found);
  for (int i = 0; i < roots.count; ++i) {
    for (int j = 0; j < 3; ++j) {
      ways[i].a[joint[j]] = found[i][j];
    }
    ways[i].branch = (unsigned)i;
    ways[i].exact = roots.exact;
    ways[i].any = roots.any;
  }
  return roots.count;
}

// ----------------------------------------------------------- parallel axes

bool sinew_arm_is_apart(const sinew_arm_plan *plan) {
  const double *P = plan->arm.P[5];
  return sinew_dot(P, P) <= NO_VECTOR * NO_VECTOR * plan->size * plan->size;
}

sinew_roots sinew_arm_place_first(const sinew_arm_work *w, sinew_angle first[2]) {
  const sinew_arm *arm = w->arm;
  const double *n = arm->h[1];
  double root[3], d = 0.0;
  sinew_scale(-1.0, arm->h[0], root);
  for (int i = 1; i <= 4; ++i) {
    d += sinew_dot(n, arm->P[i]);
  }
  return sinew_subproblem4(n, root, w->x, d, w->preferred[0], first);
}

// Axes 5 and 6 meet: joint 1 by itself, then 5 and the sum by subproblem 2, which keeps the digits
// of joint 5 where it is small.
static int place_parallel_apart(const sinew_arm_work *w, sinew_arm_way *ways) {
  const sinew_arm *arm = w->arm;
  double back[3], direction[3], v[3];
  sinew_angle first[2], sum[2], fifth[2];
  int count = 0;
  sinew_scale(-1.0, arm->h[1], back);
  sinew_rotate(w->R, arm->h[5], direction);
  const sinew_roots roots = sinew_arm_place_first(w, first);
  for (int i = 0; i < roots.count; ++i) {
    sinew_rotate_about(arm->h[0], sinew_angle_back(first[i]), direction, v);
    const sinew_roots wrists = sinew_subproblem2(back, v, arm->h[4], arm->h[5], w->sum, sum, fifth);
    for (int j = 0; j < wrists.count; ++j, ++count) {
      ways[count].a[0] = first[i];
      ways[count].a[4] = fifth[j];
      ways[count].sum = sum[j];
      ways[count].branch = 2 * (unsigned)i + (unsigned)j;
      ways[count].exact = roots.exact && wrists.exact;
      ways[count].any = roots.any || wrists.any;
    }
  }
  return count;
}

sinew_roots sinew_arm_place_outer(const sinew_arm_work *w, sinew_angle first[4],
                                  sinew_angle fifth[4]) {
  const sinew_arm *arm = w->arm;
  const double *n = arm->h[1];
  const double by = 1.0 / w->plan->size;
  const sinew_angle preferred[2] = {w->preferred[0], w->preferred[4]};
  sinew_two_sums at = {.d = {0.0, 0.0}};
  sinew_scale(-1.0, arm->h[0], at.k1);
  copy3(arm->h[4], at.k2);
  for (int i = 1; i <= 4; ++i) {
    at.d[0] += by * sinew_dot(n, arm->P[i]);
  }
  for (int i = 0; i < 2; ++i) {
    copy3(n, at.h[i][0]);
    sinew_scale(-1.0, n, at.h[i][1]);
  }
  sinew_scale(by, w->x, at.p[0][0]);
  sinew_scale(by, arm->P[5], at.p[0][1]);
  sinew_rotate(w->R, arm->h[5], at.p[1][0]);
  copy3(arm->h[5], at.p[1][1]);
  return sinew_subproblem6(&at, preferred, first, fifth);
}

static int place_parallel_together(const sinew_arm_work *w, sinew_arm_way *ways) {
  const sinew_arm *arm = w->arm;
  sinew_angle first[4], fifth[4];
  double tip[3];
  const sinew_roots roots = sinew_arm_place_outer(w, first, fifth);
  sinew_rotate(w->R, arm->h[5], tip);
  for (int i = 0; i < roots.count; ++i) {
    double from[3], to[3];
    sinew_rotate_about(arm->h[0], sinew_angle_back(first[i]), tip, to);
    sinew_rotate_about(arm->h[4], fifth[i], arm->h[5], from);
    ways[i].any = sinew_subproblem1(arm->h[1], from, to, w->sum, &ways[i].sum).any || roots.any;
    ways[i].exact = roots.exact;
    ways[i].a[0] = first[i];
    ways[i].a[4] = fifth[i];
    ways[i].branch = (unsigned)i;
  }
  return roots.count;
}

// ------------------------------------------------------------------- SRS

// out = the orthonormal rows: u / |u|, b without its part along u, and their cross product. Any
// vector across u where b is along it.
static void frame_of(const double u[3], const double b[3], double out[3][3]) {
  const double length = sinew_norm(u);
  sinew_scale(length > 0.0 ? 1.0 / length : 0.0, u, out[0]);
  const double along = sinew_dot(out[0], b);
  for (int i = 0; i < 3; ++i) {
    out[1][i] = b[i] - along * out[0][i];
  }
  const double across = sinew_norm(out[1]);
  if (across > NO_VECTOR) {
    sinew_scale(1.0 / across, out[1], out[1]);
  } else {
    sinew_basis_perpendicular(out[0], out[1], out[2]);
  }
  sinew_cross(out[0], out[1], out[2]);
}

// out = the vector in one frame that v is in another.
static void carry(double (*from)[3], double (*to)[3], const double v[3], double out[3]) {
  const double c[3] = {sinew_dot(from[0], v), sinew_dot(from[1], v), sinew_dot(from[2], v)};
  for (int i = 0; i < 3; ++i) {
    out[i] = c[0] * to[0][i] + c[1] * to[1][i] + c[2] * to[2][i];
  }
}

// now: the frame of the line from shoulder to wrist and of the elbow's direction, as they are.
static int place_elbow(const sinew_arm_work *w, double (*now)[3], sinew_angle elbow, bool exact,
                       unsigned branch, sinew_arm_way *ways) {
  const sinew_arm *arm = w->arm;
  const double *y = w->plan->y_shoulder;
  double forearm[3], u[3], side[3], rest[3][3], v[3], z[3];
  sinew_rotate_about(arm->h[3], elbow, arm->P[4], forearm);
  for (int i = 0; i < 3; ++i) {
    u[i] = arm->P[3][i] + forearm[i];
  }
  sinew_cross(arm->P[3], forearm, side);
  sinew_scale(sinew_dot(side, arm->h[3]) < 0.0 ? -1.0 : 1.0, arm->h[3], side);
  frame_of(u, side, rest);
  // The first three joints
  sinew_angle shoulder[2][3];
  carry(rest, now, arm->h[2], v);
  carry(rest, now, y, z);
  const sinew_roots roots = sinew_wrist_solve(arm, 0, y, v, z, w->preferred[0], shoulder);
  // The last three: the same rotation for both shoulders
  sinew_rotate(w->R, arm->h[6], v);
  sinew_rotate(w->R, w->plan->y, z);
  carry(now, rest, v, v);
  carry(now, rest, z, z);
  sinew_rotate_about(arm->h[3], sinew_angle_back(elbow), v, v);
  sinew_rotate_about(arm->h[3], sinew_angle_back(elbow), z, z);
  for (int i = 0; i < roots.count; ++i) {
    memcpy(ways[i].a, shoulder[i], sizeof shoulder[i]);
    ways[i].a[3] = elbow;
    ways[i].branch = branch + (unsigned)i;
    copy3(v, ways[i].v);
    copy3(z, ways[i].z);
    ways[i].exact = exact && roots.exact;
    ways[i].any = roots.any;
  }
  return roots.count;
}

bool sinew_arm_line_frame(const sinew_arm_work *w, double swivel, double frame[3][3]) {
  double normal[3];
  sinew_cross(w->arm->h[0], w->x, normal);
  frame_of(w->x, normal, frame);
  sinew_rotate_about(frame[0], sinew_angle_of(swivel), frame[1], frame[1]);
  sinew_cross(frame[0], frame[1], frame[2]);
  const double least = NO_VECTOR * NO_VECTOR * sinew_dot(w->x, w->x);
  return sinew_dot(normal, normal) > least;
}

static int place_srs(const sinew_arm_work *w, double swivel, sinew_arm_way *ways) {
  const sinew_arm *arm = w->arm;
  sinew_angle elbow[2];
  double against[3], now[3][3];
  int count = 0;
  sinew_scale(-1.0, arm->P[3], against);
  const sinew_roots roots =
      sinew_subproblem3(arm->h[3], arm->P[4], against, sinew_norm(w->x), w->preferred[3], elbow);
  const bool on_axis = !sinew_arm_line_frame(w, swivel, now);
  for (int i = 0; i < roots.count; ++i) {
    count += place_elbow(w, now, elbow[i], roots.exact, 2 * (unsigned)i, ways + count);
  }
  for (int i = 0; i < count; ++i) {
    ways[i].any |= on_axis;
  }
  return count;
}

// ---------------------------------------------------------- all of the above

void sinew_arm_begin(sinew_arm_work *w, const sinew_arm_plan *plan, const double R[9],
                     const double p[3]) {
  double at[3];
  w->plan = plan;
  w->arm = &plan->arm;
  memcpy(w->R, R, sizeof w->R);
  memcpy(at, p, sizeof at);
  if (plan->reversed) {
    sinew_arm_reverse_target(R, p, w->R, at);
  }
  sinew_rotate(w->R, plan->arm.P[plan->arm.count], w->x);
  for (int i = 0; i < 3; ++i) {
    w->x[i] = at[i] - plan->arm.P[0][i] - w->x[i];
  }
  for (int i = 0; i < plan->arm.count; ++i) {
    w->preferred[i] = (sinew_angle){1.0, 0.0};
  }
  w->sum = (sinew_angle){1.0, 0.0};
}

// All ways, in the order of their branches. swivel: of SRS, else unused. Returns how many.
static int find_ways(const sinew_arm_work *w, double swivel, sinew_arm_way ways[SINEW_ARM_WAYS]) {
  const sinew_arm_plan *plan = w->plan;
  switch (plan->form) {
  case SINEW_ARM_SRS:
    return place_srs(w, swivel, ways);
  case SINEW_ARM_PARALLEL:
    return sinew_arm_is_apart(plan) ? place_parallel_apart(w, ways)
                                    : place_parallel_together(w, ways);
  default:
    return place_three(w, ways);
  }
}

// ------------------------------------------- the group, one way after another

// What a solve adds to.
typedef struct solutions {
  const sinew_arm_work *w;
  sinew_arm_solution *out;
  int count;
  bool exact, any;
} solutions;

// Adds a solution; exact ones replace others.
static sinew_arm_solution *add(solutions *all, bool exact) {
  if (all->count > 0 && !exact && all->exact) {
    return NULL;
  }
  all->count = exact && !all->exact ? 0 : all->count;
  all->exact = exact;
  return all->count < SINEW_ARM_SOLUTIONS ? &all->out[all->count++] : NULL;
}

// MEETING: v, z = where the group's rotation takes its last axis and y.
static void find_ends(const sinew_arm_work *w, sinew_arm_way *way) {
  const sinew_arm *arm = w->arm;
  const bool last = w->plan->first == 3;
  double *const ends[2] = {way->v, way->z};
  copy3(arm->h[last ? 5 : 4], way->v);
  copy3(w->plan->y, way->z);
  for (int e = 0; e < 2; ++e) { // R_3^T R_2^T R_1^T R, or R_2^T R_1^T R R_6^T
    if (!last) {
      sinew_rotate_about(arm->h[5], sinew_angle_back(way->a[5]), ends[e], ends[e]);
    }
    sinew_rotate(w->R, ends[e], ends[e]);
    for (int i = 0; i < w->plan->first; ++i) {
      sinew_rotate_about(arm->h[i], sinew_angle_back(way->a[i]), ends[e], ends[e]);
    }
  }
}

// The group's angles for the rotation that takes h_last to v and y to z.
static void add_wrists(solutions *all, const sinew_arm_way *way) {
  const sinew_arm_work *w = all->w;
  const int first = w->plan->first;
  sinew_angle wrist[2][3];
  const sinew_roots roots =
      sinew_wrist_solve(w->arm, first, w->plan->y, way->v, way->z, w->preferred[first], wrist);
  all->any |= roots.any;
  for (int i = 0; i < roots.count; ++i) {
    sinew_arm_solution *s = add(all, way->exact && roots.exact);
    if (s != NULL) {
      memcpy(s->a, way->a, sizeof way->a);
      memcpy(s->a + first, wrist[i], 3 * sizeof wrist[i][0]);
      s->branch = way->branch << 1 | (unsigned)i;
      s->any = way->any || roots.any;
    }
  }
}

// Where joint 5 is straight the sum of the parallel joints is any. The preferred one is kept if the
// elbow can reach then; else it is one at which the elbow is half way between what the triangle of
// w - R(n, sum) u, P_2 and P_3 allows.
static void choose_sum(const sinew_arm_work *w, const double from[3], const double hand[3],
                       sinew_angle *sum) {
  const sinew_arm *arm = w->arm;
  const double *n = arm->h[1];
  double wrist[3], u[3], upper[3], lower[3], rest[3];
  sinew_across(n, from, wrist);
  sinew_across(n, hand, u);
  sinew_across(n, arm->P[2], upper);
  sinew_across(n, arm->P[3], lower);
  const double l2 = sinew_norm(upper), l3 = sinew_norm(lower), a = sinew_norm(wrist);
  const double b = sinew_norm(u);
  const double least = sinew_max(fabs(l2 - l3), fabs(a - b)), most = sinew_min(l2 + l3, a + b);
  sinew_rotate_about(n, *sum, u, rest);
  for (int i = 0; i < 3; ++i) {
    rest[i] = wrist[i] - rest[i];
  }
  const double length = sinew_norm(rest);
  if (!(length >= least && length <= most) && least <= most) {
    sinew_angle both[2];
    sinew_subproblem3(n, u, wrist, 0.5 * (least + most), *sum, both);
    *sum = both[0];
  }
}

// Joints 1 and 5 are known, and the sum of 2 to 4: the elbow, and joint 6.
static void add_elbows(solutions *all, const sinew_arm_way *way) {
  const sinew_arm_work *w = all->w;
  const sinew_arm *arm = w->arm;
  const sinew_angle first = way->a[0], fifth = way->a[4];
  sinew_angle sum = way->sum;
  const sinew_angle back = sinew_angle_back(first);
  double z[3], rest[3], forearm[3], against[3];
  // R_2 (P_2 + R_3 P_3) = R_1^T x - P_1 - R_234 (P_4 + R_5 P_5)
  sinew_rotate_about(arm->h[4], fifth, arm->P[5], rest);
  sinew_rotate_about(arm->h[0], back, w->x, forearm);
  for (int j = 0; j < 3; ++j) {
    rest[j] += arm->P[4][j];
    forearm[j] -= arm->P[1][j];
    against[j] = -arm->P[2][j];
  }
  if (way->any) {
    choose_sum(w, forearm, rest, &sum);
  }
  sinew_rotate_about(arm->h[1], sum, rest, rest);
  for (int j = 0; j < 3; ++j) {
    rest[j] = forearm[j] - rest[j];
  }
  // Joint 6 from what is left of the rotation
  sinew_rotate(w->R, w->plan->y_tip, z);
  sinew_rotate_about(arm->h[0], back, z, z);
  sinew_rotate_about(arm->h[1], sinew_angle_back(sum), z, z);
  sinew_rotate_about(arm->h[4], sinew_angle_back(fifth), z, z);
  const sinew_angle sixth = sinew_angle_between(arm->h[5], w->plan->y_tip, z);
  sinew_angle elbow[2];
  const sinew_roots roots =
      sinew_subproblem3(arm->h[2], arm->P[3], against, sinew_norm(rest), w->preferred[2], elbow);
  all->any |= roots.any;
  for (int i = 0; i < roots.count; ++i) {
    sinew_arm_solution *s = add(all, way->exact && roots.exact);
    if (s == NULL) {
      continue;
    }
    sinew_rotate_about(arm->h[2], elbow[i], arm->P[3], forearm);
    for (int j = 0; j < 3; ++j) {
      forearm[j] += arm->P[2][j];
    }
    sinew_angle second;
    const bool folded = sinew_subproblem1(arm->h[1], forearm, rest, w->preferred[1], &second).any;
    const double c = second.c * elbow[i].c - second.s * elbow[i].s;
    const double sn = second.s * elbow[i].c + second.c * elbow[i].s;
    all->any |= folded;
    s->a[0] = first;
    s->a[1] = second;
    s->a[2] = elbow[i];
    s->a[3] = (sinew_angle){sum.c * c + sum.s * sn, sum.s * c - sum.c * sn};
    s->a[4] = fifth;
    s->a[5] = sixth;
    s->branch = way->branch << 1 | (unsigned)i;
    s->any = way->any || folded || roots.any;
  }
}

// ------------------------------------------------------------------ solve

static void prefer(sinew_arm_work *w, const double *seed) {
  double sum = 0.0;
  for (int i = 0; i < w->arm->count; ++i) {
    const double value = seed[sinew_arm_own_index(w->plan, i)];
    w->preferred[i] = sinew_angle_of(w->plan->opposite[i] ? -value : value);
    sum += i >= 1 && i <= 3 ? (w->plan->opposite[i] ? -value : value) : 0.0;
  }
  w->sum = sinew_angle_of(sum);
}

// From arm's angles to those of own.
static void finish(const solutions *all, const double R[9], const double p[3]) {
  const sinew_arm_plan *plan = all->w->plan;
  const int n = plan->arm.count;
  for (int s = 0; s < all->count; ++s) {
    sinew_angle a[SINEW_ARM_MOST];
    for (int i = 0; i < n; ++i) {
      const sinew_angle own = all->out[s].a[i];
      a[sinew_arm_own_index(plan, i)] = plan->opposite[i] ? sinew_angle_back(own) : own;
    }
    memcpy(all->out[s].a, a, (size_t)n * sizeof *a);
    all->out[s].error = sinew_arm_error(&plan->own, plan->size, a, R, p);
  }
}

static solutions solve_once(const sinew_arm_work *w, double swivel, sinew_arm_solution *out) {
  solutions all = {.w = w, .out = out, .exact = true};
  sinew_arm_way ways[SINEW_ARM_WAYS] = {{.any = false}};
  const int count = find_ways(w, swivel, ways);
  for (int i = 0; i < count; ++i) {
    all.any |= ways[i].any;
    if (w->plan->form == SINEW_ARM_PARALLEL) {
      add_elbows(&all, &ways[i]);
      continue;
    }
    if (w->plan->form == SINEW_ARM_MEETING) {
      find_ends(w, &ways[i]);
    }
    add_wrists(&all, &ways[i]);
  }
  return all;
}

int sinew_arm_solve_srs(const sinew_arm_plan *plan, const double R[9], const double p[3],
                        double swivel, const double *seed, sinew_arm_solution *out) {
  sinew_arm_work w;
  sinew_arm_begin(&w, plan, R, p);
  solutions all = solve_once(&w, swivel, out);
  if (all.any) {
    prefer(&w, seed);
    all = solve_once(&w, swivel, out);
  }
  finish(&all, R, p);
  return all.count;
}

int sinew_arm_solve(const sinew_arm_plan *plan, const double R[9], const double p[3],
                    const double *seed, sinew_arm_solution *out) {
  return sinew_arm_solve_srs(plan, R, p, 0.0, seed, out);
}
