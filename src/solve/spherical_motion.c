// See spherical_motion.h.
//
// A step that leads too near to a limit is first tilted: w - t n, within the box, n the outward
// normal of the limit where its arc would leave it, with the least t with which the joint can stop.
// So a joint slides along a limit at the distance that it needs to stop. Where no t is enough, w is
// one between it and the motion with which the joint brakes.
#include "solve/spherical_motion.h"
#include "math/cone_arc.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "policy/tracking.h"
#include "solve/solver.h"

#include <string.h>

// Bisections of a motion, and the share of it at which they end.
#define ROUNDS 40
// Limits, one after the other, that a motion is tilted away from.
#define TILTS 4
// By how much f and the twist of a motion, and of the braking that follows an earlier one, may be
// beyond their limits, for rounding errors.
#define SLACK 1e-12
#define PLANNED_SLACK 1e-11
// A change of motion that is larger than its limit by less is a rounding error [rad].
#define YIELDED 1e-14
// A joint's limits have no effect on a step if they are further than this times the way on which
// it could stop after it, and this angle [rad].
#define FAR 1.5
#define FAR_ANGLE 0.02

// A spherical joint in an update.
typedef struct joint_motion {
  int v, q;
  const sinew_cone *cone; // NULL: without limits
  double change[3];       // c
  double most[3];         // r
} joint_motion;

static joint_motion motion_of(const sinew_solver *solver, int v) {
  const sinew_model *model = solver->model;
  const double time = solver->def.tracking.time_step;
  joint_motion of = {.v = v, .q = model->q_of_v[v]};
  of.cone = model->cone_of_v[v] >= 0 ? &model->cones[model->cone_of_v[v]] : NULL;
  for (int i = 0; i < 3; ++i) {
    of.change[i] =
        sinew_max(solver->motion.acceleration[v + i] * time * time, TRACKING_LEAST_CHANGE);
    of.most[i] = sinew_motion_limits_most(solver, v + i);
  }
  return of;
}

bool sinew_spherical_is_limited(const sinew_solver *solver, int v) {
  const double *acceleration = solver->motion.acceleration + v;
  return acceleration[0] < INFINITY || acceleration[1] < INFINITY || acceleration[2] < INFINITY;
}

// The longest multiple of n within the box |x_i| <= most_i.
static double longest_along(const double n[3], const double most[3]) {
  double longest = INFINITY;
  for (int i = 0; i < 3; ++i) {
    longest = n[i] != 0.0 ? sinew_min(longest, most[i] / fabs(n[i])) : longest;
  }
  return longest;
}

// (v - c) + (v - 2 c) + ..
static double stopping_way(double v, double c) {
  const double steps = c < v ? floor(v / c) : 0.0;
  return steps > 0.0 ? steps * v - 0.5 * c * steps * (steps + 1.0) : 0.0;
}

// n <- w / |w|. Returns |w|.
static double direction_of(const double w[3], double n[3]) {
  const double length = sinew_norm_safe(w);
  sinew_scale(length > 0.0 ? 1.0 / length : 0.0, w, n);
  return length;
}

// ---------------------------------------------------------------------- before

// The distance in which the joint that moves by p is to stop: to where it leaves its limits.
static double distance_ahead(const joint_motion *of, const double *q, const double n[3],
                             double speed, double change) {
  const double next = sinew_max(speed - change, 0.0);
  if (of->cone == NULL || !(next > 0.0)) {
    return INFINITY;
  }
  sinew_cone_room room;
  sinew_cone_exit exit;
  sinew_cone_arc arc = {{n[0], n[1], n[2]}, 0.0, next + stopping_way(next, change), PLANNED_SLACK};
  sinew_cone_room_set(&room, of->cone, q + of->q);
  return sinew_cone_room_has(&room, &arc, &exit) ? INFINITY : exit.at;
}

static bool may_move(const sinew_solver *solver, int v) {
  return solver->problem.gains[v] > 0.0;
}

void sinew_spherical_begin(sinew_solver *solver, int v, bool active, double *q) {
  sinew_motion_limits *motion = &solver->motion;
  const joint_motion of = motion_of(solver, v);
  const double time = solver->def.tracking.time_step, *p = motion->last + v;
  double n[3], *stop = motion->stop + v;
  const double speed = direction_of(p, n), change = longest_along(n, of.change);
  const sinew_approach ahead = {distance_ahead(&of, q, n, speed, change), longest_along(n, of.most),
                                change, speed};
  const double needed = speed > 0.0 ? sinew_approach_least_change(&ahead) : 0.0;
  const double factor = needed > change ? needed / change : 1.0;
  sinew_scale(needed < speed ? 1.0 - needed / speed : 0.0, p, stop);
  for (int i = 0; i < 3; ++i) {
    const double most = of.most[i], step = factor * of.change[i];
    motion->lower[v + i] = sinew_clamp(p[i] - step, -most, most);
    motion->upper[v + i] = sinew_clamp(p[i] + step, -most, most);
    motion->yielded[v + i] =
        factor > 1.0 + 1e-6 ? (factor - 1.0) * of.change[i] / (time * time) : 0.0;
    stop[i] = may_move(solver, v + i) ? stop[i] : 0.0;
  }
  if (!active && sinew_norm_safe(stop) > 0.0) {
    sinew_quaternion_apply(q + of.q, stop);
  }
}

// ----------------------------------------------------------------------- after

static bool can_stop(const joint_motion *of, const sinew_cone_room *room, const double w[3],
                     sinew_cone_exit *exit) {
  sinew_cone_arc arc = {.slack = SLACK};
  arc.from = direction_of(w, arc.n);
  arc.to = arc.from + stopping_way(arc.from, longest_along(arc.n, of->change));
  return sinew_cone_room_has(room, &arc, exit);
}

// out <- (1 - share) a + share b
static void between(const double a[3], const double b[3], double share, double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = a[i] + share * (b[i] - a[i]);
  }
}

// w <- the motion nearest to it, on the way from one with which the joint can stop.
static void shorten(const joint_motion *of, const sinew_cone_room *room, const double from[3],
                    double w[3]) {
  double good = 0.0, bad = 1.0, trial[3];
  for (int round = 0; round < ROUNDS; ++round) {
    const double share = 0.5 * (good + bad);
    between(from, w, share, trial);
    if (can_stop(of, room, trial, NULL)) {
      good = share;
    } else {
      bad = share;
    }
  }
  between(from, w, good, trial);
  memcpy(w, trial, sizeof trial);
}

static void clamp_motion(const sinew_solver *solver, int v, double w[3]) {
  for (int i = 0; i < 3; ++i) {
    w[i] = may_move(solver, v + i)
               ? sinew_clamp(w[i], solver->motion.lower[v + i], solver->motion.upper[v + i])
               : w[i];
  }
}

// tilted <- w moved away from limits, as far as the box allows. n: the sum of their normals.
static void tilt(const sinew_solver *solver, int v, const double n[3], const double w[3],
                 double tilted[3]) {
  const double *lower = solver->motion.lower + v, *upper = solver->motion.upper + v;
  double most = 0.0;
  for (int i = 0; i < 3; ++i) {
    most = sinew_max(most, upper[i] - lower[i]);
  }
  for (int i = 0; i < 3; ++i) {
    tilted[i] = w[i] - (most < INFINITY && may_move(solver, v + i) ? most * n[i] : 0.0);
  }
  clamp_motion(solver, v, tilted);
}

// w within the box and the limits of swing and twist.
static void keep_limits(const sinew_solver *solver, const joint_motion *of, double w[3]) {
  sinew_cone_room room;
  sinew_cone_exit exit;
  double tilted[3], n[3] = {0.0, 0.0, 0.0};
  sinew_cone_room_set(&room, of->cone, solver->motion.before + of->q);
  bool stops = can_stop(of, &room, w, &exit);
  if (stops) {
    return;
  }
  for (int round = 0; round < TILTS && !stops; ++round) {
    for (int i = 0; i < 3; ++i) {
      n[i] += exit.normal[i];
    }
    tilt(solver, of->v, n, w, tilted);
    stops = can_stop(of, &room, tilted, &exit);
  }
  shorten(of, &room, stops ? tilted : solver->motion.stop + of->v, w);
}

// At the end of a hard task the acceleration, with its braking, yields to where the joint is.
static void yield(sinew_solver *solver, int v, const double w[3]) {
  sinew_motion_limits *motion = &solver->motion;
  const double time = solver->def.tracking.time_step;
  for (int i = 0; i < 3; ++i) {
    const double over = sinew_max(w[i] - motion->upper[v + i], motion->lower[v + i] - w[i]);
    motion->yielded[v + i] += over > YIELDED ? over / (time * time) : 0.0;
  }
}

bool sinew_spherical_end(sinew_solver *solver, int v, bool active, double *q) {
  const sinew_motion_limits *motion = &solver->motion;
  const joint_motion of = motion_of(solver, v);
  double w[3], kept[3];
  bool changed = false;
  sinew_quaternion_difference(motion->before + of.q, q + of.q, w);
  memcpy(kept, w, sizeof kept);
  if (motion->q != NULL && active && solver->hard.held_back) {
    yield(solver, v, w);
  } else if (motion->q != NULL && active) {
    clamp_motion(solver, v, kept);
    if (of.cone != NULL) {
      keep_limits(solver, &of, kept);
    }
    changed = memcmp(kept, w, sizeof w) != 0;
    if (changed) {
      memcpy(q + of.q, motion->before + of.q, 4 * sizeof *q);
      sinew_quaternion_apply(q + of.q, kept);
    }
  }
  memcpy(motion->last + v, kept, sizeof kept);
  return changed;
}

// ------------------------------------------------------------ bounds of a step

static int dof_of(const sinew_solver *solver, const sinew_column_group *group) {
  return solver->problem.dof_of_column[group->column];
}

void sinew_spherical_take_own_axes(const sinew_solver *solver, const sinew_column_group *group,
                                   sinew_cone_step *step) {
  const int v = dof_of(solver, group);
  const sinew_motion_limits *motion = &solver->motion;
  if (motion->q == NULL || !sinew_spherical_is_limited(solver, v)) {
    return;
  }
  const joint_motion of = motion_of(solver, v);
  double fastest[3];
  for (int i = 0; i < 3; ++i) {
    fastest[i] = sinew_max(fabs(motion->lower[v + i]), fabs(motion->upper[v + i]));
  }
  const double speed = sinew_norm_safe(fastest);
  const double least = sinew_min(of.change[0], sinew_min(of.change[1], of.change[2]));
  const double far = FAR * (speed + stopping_way(speed, least)) + FAR_ANGLE;
  if (!(step->most > far && step->up > far && step->down < -far)) {
    return;
  }
  *step = (sinew_cone_step){.most = INFINITY, .up = INFINITY, .down = -INFINITY};
  for (int i = 0; i < 3; ++i) {
    step->row[i][i] = step->axis[i][i] = 1.0;
  }
}

void sinew_spherical_range(const double r[3], const double low[3], const double high[3],
                           double *lower, double *upper) {
  *lower = *upper = 0.0;
  for (int i = 0; i < 3; ++i) {
    if (r[i] != 0.0) {
      *lower += r[i] * (r[i] > 0.0 ? low[i] : high[i]);
      *upper += r[i] * (r[i] > 0.0 ? high[i] : low[i]);
    }
  }
}

// What braking ahead of a limit at a distance leaves of the motion along r, of which the update has
// taken `taken` and the part `moved`.
static double braked(const joint_motion *of, const double r[3], double distance, double taken,
                     double moved, double share) {
  const double change = SINEW_BRAKING_RESERVE * longest_along(r, of->change);
  return distance < INFINITY ? share * tracking_brake(distance + taken, change) - moved : INFINITY;
}

// The bounds of one y, within what limits of swing, twist and speed leave.
static void narrow_bound(sinew_solver *solver, int column, double lower, double upper) {
  const double inverse = solver->problem.inverse_scale[column];
  double *low = &solver->linear.lower[column], *high = &solver->linear.upper[column];
  const double least = *low, most = *high;
  *low = sinew_clamp(lower * inverse, least, most);
  *high = sinew_clamp(upper * inverse, least, most);
}

static void narrow_joint(sinew_solver *solver, const sinew_column_group *group, const double *q,
                         const double *moved, double share) {
  static const double nothing[3] = {0.0, 0.0, 0.0};
  const int v = dof_of(solver, group);
  const sinew_motion_limits *motion = &solver->motion;
  const sinew_cone_step *step = &solver->cones[group->cone];
  const joint_motion of = motion_of(solver, v);
  const double *done = moved != NULL ? moved + group->column : nothing;
  const double above[3] = {step->most, step->up, INFINITY},
               below[3] = {INFINITY, -step->down, INFINITY};
  double low[3], high[3], taken[3];
  sinew_quaternion_difference(motion->before + of.q, q + of.q, taken);
  for (int i = 0; i < 3; ++i) {
    low[i] = share * motion->aim_lower[v + i] - done[i];
    high[i] = share * motion->aim_upper[v + i] - done[i];
  }
  for (int i = 0; i < 3; ++i) {
    const double *r = step->row[i], along = sinew_dot(r, taken), before = sinew_dot(r, done);
    double lower, upper;
    sinew_spherical_range(r, low, high, &lower, &upper);
    const double most = braked(&of, r, above[i], along, before, share),
                 least = -braked(&of, r, below[i], -along, -before, share);
    const double top = sinew_max(sinew_min(upper, most), lower);
    narrow_bound(solver, group->column + i, sinew_min(sinew_max(lower, least), top), top);
  }
}

void sinew_spherical_narrow(sinew_solver *solver, const double *q, const double *moved,
                            double share) {
  const sinew_problem *problem = &solver->problem;
  for (int g = 0; problem->cone_count > 0 && g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    if (group->cone >= 0 && sinew_spherical_is_limited(solver, dof_of(solver, group))) {
      narrow_joint(solver, group, q, moved, share);
    }
  }
}

bool sinew_spherical_bound(const sinew_solver *solver, int column, double *lower, double *upper) {
  const int v = solver->problem.dof_of_column[column];
  const sinew_motion_limits *motion = &solver->motion;
  const bool bounded = motion->q != NULL && solver->model->cone_of_v[v] >= 0 &&
                       sinew_motion_limits_accelerates(solver, v);
  if (bounded) {
    const double share = 1.0 / solver->track.now.parts, moved = solver->track.moved[column];
    *lower = share * motion->lower[v] - moved;
    *upper = share * motion->upper[v] - moved;
  }
  return bounded;
}

// The joint's step x from q such that its motion in the update keeps limits of swing and twist.
static void keep_limits_in_step(const sinew_solver *solver, int v, const double *q, double x[3]) {
  const joint_motion of = motion_of(solver, v);
  double next[4], kept[3], w[3];
  memcpy(next, q + of.q, sizeof next);
  sinew_quaternion_apply(next, x);
  sinew_quaternion_difference(solver->motion.before + of.q, next, w);
  memcpy(kept, w, sizeof kept);
  keep_limits(solver, &of, kept);
  if (memcmp(kept, w, sizeof w) != 0) {
    memcpy(next, solver->motion.before + of.q, sizeof next);
    sinew_quaternion_apply(next, kept);
    sinew_quaternion_difference(q + of.q, next, x);
  }
}

void sinew_spherical_clamp(sinew_solver *solver, const double *q) {
  const sinew_problem *problem = &solver->problem;
  for (int g = 0; g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    double *x = solver->linear.x + group->column;
    if (group->cone < 0 || !sinew_spherical_is_limited(solver, dof_of(solver, group))) {
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      double lower = -INFINITY, upper = INFINITY;
      sinew_spherical_bound(solver, group->column + i, &lower, &upper);
      x[i] = sinew_clamp(x[i], lower, upper);
    }
    if (solver->hard.count > 0) { // which may take it further, below; else at the end of the update
      keep_limits_in_step(solver, dof_of(solver, group), q, x);
    }
  }
}
