// Limits of motion. With the time step dt, the limits l and u of a joint's value, v of its speed
// and a of its acceleration, p its motion in the last update, r = v dt and c = a dt^2, an update
// may move it by
//
//   upper = min(r, brake(u - q, c), p + c)        lower = max(-r, -brake(q - l, c), p - c)
//
// brake(D, c) is the longest motion after which the joint can stop within the distance D, if each
// motion is shorter than the one before by at most c (policy/tracking.h). A motion within these
// bounds leaves a next one within its own: with D the distance before it, brake(D - p, c) >= p - c,
// since the motions p, p - c, p - 2 c, ... stop within D.
//
// If limits or speeds have changed while it moved, the bounds may have nothing in common. The
// acceleration yields, by the least amount: c grows to the least c' with p - c' <= brake(D, c') and
// p - c' <= r.
//
// Spherical joints: spherical_motion.h.
//
// A joint outside its limits moves in at the speed and the acceleration allowed, and not further
// out. One that no task or objective moves any longer moves on by p less c, or c', until it rests.
#include "solve/motion_limits.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "policy/tracking.h"
#include "solve/solver.h"

#include <string.h>

// A swing or twist this near to its limit is at it [rad; share of the swing].
#define AT_CONE 1e-3

void sinew_motion_limits_layout(sinew_arena *arena, const sinew_model *model,
                                sinew_motion_limits *motion) {
  double **const of_each[] = {&motion->speed,     &motion->acceleration, &motion->own_lower,
                              &motion->own_upper, &motion->lower,        &motion->upper,
                              &motion->last,      &motion->yielded,      &motion->shift,
                              &motion->aim_lower, &motion->aim_upper,    &motion->stop,
                              &motion->way};
  for (size_t i = 0; i < sizeof of_each / sizeof of_each[0]; ++i) {
    *of_each[i] = sinew_arena_take(arena, (size_t)model->nv, sizeof(double));
  }
  motion->aim = sinew_arena_take(arena, (size_t)model->nq, sizeof(double));
  motion->before = sinew_arena_take(arena, (size_t)model->nq, sizeof(double));
  motion->after = sinew_arena_take(arena, (size_t)model->nq, sizeof(double));
}

void sinew_motion_limits_begin(sinew_solver *solver) {
  const size_t size = (size_t)solver->model->nv * sizeof(double);
  sinew_motion_limits *motion = &solver->motion;
  memcpy(motion->speed, solver->model->velocity, size);
  memcpy(motion->own_lower, solver->model->lower, size);
  memcpy(motion->own_upper, solver->model->upper, size);
  for (int v = 0; v < solver->model->nv; ++v) {
    motion->acceleration[v] = INFINITY;
  }
}

void sinew_motion_limits_reset(sinew_solver *solver) {
  const size_t size = (size_t)solver->model->nv * sizeof(double);
  memset(solver->motion.last, 0, size);
  memset(solver->motion.shift, 0, size);
  solver->motion.begun = solver->motion.placed = false;
}

double sinew_motion_limits_most(const sinew_solver *solver, int v) {
  const double time = solver->def.tracking.time_step;
  return time > 0.0 ? solver->motion.speed[v] * time : INFINITY;
}

// ------------------------------------------------------------------ an update

static double brake(double distance, double change) {
  return distance < INFINITY ? tracking_brake(distance, change) : INFINITY;
}

// Whether a motion p - c can be followed by a stop within the limit.
static bool can_stop(const sinew_approach *of, double change) {
  return of->last - change <= sinew_min(of->most, brake(of->distance, change));
}

// c', the least change that keeps limit and speed.
double sinew_approach_least_change(const sinew_approach *of) {
  double low = of->change, high = sinew_max(of->last, low); // a motion of 0 keeps both
  if (can_stop(of, low)) {
    return low;
  }
  for (int round = 0; round < 60 && high - low > 1e-15 * high; ++round) {
    const double middle = 0.5 * (low + high);
    if (can_stop(of, middle)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

// The longest motion; change: c or c'.
static double longest(const sinew_approach *of, double change) {
  if (of->distance < 0.0) { // outside
    return sinew_max(sinew_max(-of->most, of->distance), sinew_min(of->last - change, 0.0));
  }
  return sinew_min(of->most, brake(of->distance, change));
}

// Returns c or c'.
static double bound_motion(sinew_solver *solver, int v, double at) {
  sinew_motion_limits *motion = &solver->motion;
  const double time = solver->def.tracking.time_step, most = sinew_motion_limits_most(solver, v);
  const double change = sinew_max(motion->acceleration[v] * time * time, TRACKING_LEAST_CHANGE);
  const sinew_approach up = {solver->problem.upper[v] - at, most, change, motion->last[v]};
  const sinew_approach down = {at - solver->problem.lower[v], most, change, -motion->last[v]};
  const double needed =
      sinew_max(sinew_approach_least_change(&up), sinew_approach_least_change(&down));
  const double rounding = 1e-6 * change + 1e-14 * (1.0 + fabs(at));
  double upper = sinew_min(longest(&up, needed), up.last + needed);
  double lower = sinew_max(-longest(&down, needed), up.last - needed);
  if (lower > upper) { // by rounding errors, or outside one limit on the way to the other
    lower = upper = sinew_clamp(up.distance < 0.0 ? upper : lower, -most, most);
  }
  motion->upper[v] = upper;
  motion->lower[v] = lower;
  motion->yielded[v] = needed - change > rounding ? (needed - change) / (time * time) : 0.0;
  return needed;
}

bool sinew_motion_limits_accelerates(const sinew_solver *solver, int v) {
  return solver->motion.acceleration[v] < INFINITY;
}

// Whether tasks or objectives of any level move it.
static bool is_active(const sinew_solver *solver, int v) {
  return solver->problem.column_of_dof[v] >= 0 ||
         (solver->levels->used && solver->levels->column_of_dof[v] >= 0);
}

// Whether v is the first degree of freedom of a spherical joint whose acceleration is limited.
static bool is_limited_spherical(const sinew_solver *solver, int v) {
  return solver->model->quaternion_axis[v] == 0 && sinew_spherical_is_limited(solver, v);
}

static bool is_active_spherical(const sinew_solver *solver, int v) {
  return is_active(solver, v) || is_active(solver, v + 1) || is_active(solver, v + 2);
}

// The value of a joint that nothing moves any longer, after a motion shorter than its last one by
// change, if it is not frozen. Rounding does not move it out of its limits.
static double slowed(const sinew_solver *solver, int v, double change, double at) {
  const double last = solver->motion.last[v], moved = last - sinew_clamp(last, -change, change);
  return solver->problem.gains[v] > 0.0
             ? sinew_clamp(at + moved, sinew_min(solver->problem.lower[v], at),
                           sinew_max(solver->problem.upper[v], at))
             : at;
}

void sinew_motion_limits_begin_update(sinew_solver *solver, double *q) {
  sinew_motion_limits *motion = &solver->motion;
  if (!(solver->def.tracking.time_step > 0.0)) {
    return;
  }
  for (int v = 0; v < solver->model->nv; ++v) {
    double *at = &q[solver->model->q_of_v[v]];
    motion->lower[v] = -INFINITY;
    motion->upper[v] = INFINITY;
    motion->yielded[v] = 0.0;
    if (solver->model->quaternion_axis[v] < 0 && sinew_motion_limits_accelerates(solver, v)) {
      const double change = bound_motion(solver, v, *at);
      *at = is_active(solver, v) ? *at : slowed(solver, v, change, *at);
    }
  }
  solver->hard.held_back = false;
  solver->hard.targets = NULL;
  for (int v = 0; motion->has_spherical && v < solver->model->nv; ++v) {
    if (is_limited_spherical(solver, v)) {
      sinew_spherical_begin(solver, v, is_active_spherical(solver, v), q);
    }
  }
  motion->q = q;
}

// A limit of acceleration that has yielded in steps yields by no more than the whole motion exceeds
// it.
static void note_yielded(sinew_solver *solver, int v, double moved) {
  sinew_motion_limits *motion = &solver->motion;
  const double time = solver->def.tracking.time_step;
  if (motion->yielded[v] > 0.0) {
    const double over = fabs(moved - motion->last[v]) / (time * time) - motion->acceleration[v];
    motion->yielded[v] = sinew_clamp(over, 0.0, motion->yielded[v]);
  }
}

// The motion of values in an update without limits of acceleration. placed: it is not one.
static void note_values(sinew_solver *solver, bool placed, const double *q) {
  sinew_motion_limits *motion = &solver->motion;
  const sinew_model *model = solver->model;
  for (int v = 0; v < model->nv; ++v) {
    const int i = model->q_of_v[v];
    motion->last[v] = model->quaternion_axis[v] < 0 && !placed ? q[i] - motion->before[i] : 0.0;
  }
}

// The same of values with such limits. Returns whether a value has been moved into them.
static bool limit_values(sinew_solver *solver, double *q) {
  sinew_motion_limits *motion = &solver->motion;
  const sinew_model *model = solver->model;
  bool changed = false;
  for (int v = 0; v < model->nv; ++v) {
    double *at = &q[model->q_of_v[v]];
    const double from = motion->before[model->q_of_v[v]];
    double moved = *at - from;
    if (model->quaternion_axis[v] >= 0) {
      motion->last[v] = 0.0;
      continue;
    }
    if (is_active(solver, v) && sinew_motion_limits_accelerates(solver, v)) {
      moved = sinew_clamp(moved, motion->lower[v], motion->upper[v]);
      if (moved != *at - from) { // by what is no step: slides that are far, another solution
        *at = from + moved;
        changed = true;
      }
    }
    note_yielded(solver, v, moved);
    motion->last[v] = moved;
  }
  return changed;
}

// The same of rotations, also without such limits.
static bool limit_rotations(sinew_solver *solver, double *q) {
  bool changed = false;
  for (int v = 0; solver->motion.has_spherical && v < solver->model->nv; ++v) {
    if (is_limited_spherical(solver, v)) {
      changed |= sinew_spherical_end(solver, v, is_active_spherical(solver, v), q);
    }
  }
  return changed;
}

// Moves q into the limits of acceleration. Where that breaks a hard task to which these yield, they
// yield as those of joints do that such a task holds back.
static void limit_motion(sinew_solver *solver, double *q) {
  const size_t bytes = (size_t)solver->model->nq * sizeof *q;
  double *ended = solver->motion.after;
  memcpy(ended, q, bytes);
  const bool values = limit_values(solver, q), rotations = limit_rotations(solver, q);
  if ((values || rotations) && sinew_hard_measure_end(solver, q) && rotations) {
    memcpy(q, ended, bytes);
    solver->hard.held_back = true;
    limit_values(solver, q);
    limit_rotations(solver, q);
    sinew_hard_measure_end(solver, q);
  }
}

void sinew_motion_limits_end_update(sinew_solver *solver, double *q) {
  sinew_motion_limits *motion = &solver->motion;
  const sinew_model *model = solver->model;
  const bool placed = motion->q == NULL && !motion->begun; // at the targets, wherever it was before
  if (motion->q != NULL) {
    limit_motion(solver, q);
  } else {
    note_values(solver, placed, q);
    if (!placed) {
      limit_rotations(solver, q);
    }
  }
  if (model->nq != model->nv) {
    memcpy(motion->after, q, (size_t)model->nq * sizeof *q);
  }
  motion->placed = placed;
  motion->begun = true;
  motion->aimed = motion->q != NULL;
  motion->q = NULL;
}

// ------------------------------------------------------------------- settings

// Refuses a number of degree of freedom v.
static sinew_result refuse(sinew_solver *solver, int v, const char *what, double value,
                           const char *range) {
  const sinew_model *model = solver->model;
  int j = 0;
  while (j + 1 < model->joint_count && model->joints[j + 1].v_index <= v) {
    ++j;
  }
  return sinew_error_set(&solver->error, SINEW_ERROR_ARGUMENT, model->joints[j].name,
                         "%s %g of degree of freedom %d is not %s", what, value,
                         v - model->joints[j].v_index, range);
}

// Without the time between updates limits (nv; NULL: none) would have no effect.
static sinew_result check_time_step(sinew_solver *solver, const double *values, double scale,
                                    const char *what) {
  bool limited = scale != 1.0;
  for (int v = 0; values != NULL && v < solver->model->nv; ++v) {
    limited |= values[v] < INFINITY;
  }
  return solver->def.tracking.time_step > 0.0 || !limited
             ? SINEW_OK
             : sinew_error_set(&solver->error, SINEW_ERROR_ARGUMENT, NULL,
                               "%s need tracking.time_step, which is 0", what);
}

sinew_result sinew_solver_set_speeds(sinew_solver *solver, const double *speeds, double scale) {
  SINEW_ASSERT(solver != NULL);
  sinew_motion_limits *motion = &solver->motion;
  const sinew_model *model = solver->model;
  if (!(scale > 0.0 && scale <= 1.0)) {
    return sinew_error_set(&solver->error, SINEW_ERROR_ARGUMENT, NULL,
                           "the scale %g of speed limits is not above 0 and at most 1", scale);
  }
  for (int v = 0; speeds != NULL && v < model->nv; ++v) {
    if (!(speeds[v] > 0.0)) {
      return refuse(solver, v, "speed limit", speeds[v], "above 0");
    }
  }
  if (check_time_step(solver, speeds, scale, "speed limits") != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  motion->has_speeds = speeds != NULL || scale != 1.0;
  for (int v = 0; v < model->nv; ++v) {
    motion->speed[v] = scale * (speeds != NULL ? speeds[v] : model->velocity[v]);
  }
  solver->linear.open = false;
  sinew_escape_reset(&solver->escape);
  sinew_levels_refresh(solver);
  sinew_result result = SINEW_OK;
  for (int s = 0; s < solver->influence.most && result == SINEW_OK; ++s) {
    result = sinew_solver_set_speeds(solver->influence.solvers[s], speeds, scale);
  }
  return result;
}

// Spherical joints, whose last motion is not known while their accelerations are not limited.
static void take_spherical(sinew_solver *solver) {
  sinew_motion_limits *motion = &solver->motion;
  const sinew_model *model = solver->model;
  const bool moved = motion->begun && !motion->placed;
  unsigned char *own_axes = solver->problem.own_axes;
  bool changed = false;
  motion->has_spherical = false;
  for (int v = 0; v < model->nv; ++v) {
    if (model->quaternion_axis[v] != 0) {
      continue;
    }
    const bool limited = sinew_spherical_is_limited(solver, v);
    const int at = model->q_of_v[v];
    if (moved && limited && !own_axes[v]) {
      sinew_quaternion_difference(motion->before + at, motion->after + at, motion->last + v);
    }
    changed |= limited != (own_axes[v] != 0);
    motion->has_spherical |= limited;
    memset(own_axes + v, limited, 3);
  }
  if (changed) {
    sinew_solver_compile(solver);
  }
}

sinew_result sinew_solver_set_accelerations(sinew_solver *solver, const double *accelerations) {
  SINEW_ASSERT(solver != NULL);
  sinew_motion_limits *motion = &solver->motion;
  const int nv = solver->model->nv;
  for (int v = 0; accelerations != NULL && v < nv; ++v) {
    if (!(accelerations[v] > 0.0)) {
      return refuse(solver, v, "acceleration limit", accelerations[v], "above 0");
    }
  }
  if (check_time_step(solver, accelerations, 1.0, "acceleration limits") != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  for (int v = 0; v < nv; ++v) {
    motion->acceleration[v] = accelerations != NULL ? accelerations[v] : INFINITY;
  }
  motion->has_accelerations = false;
  for (int v = 0; v < nv; ++v) {
    motion->has_accelerations |= sinew_motion_limits_accelerates(solver, v);
  }
  take_spherical(solver);
  solver->linear.open = false;
  sinew_levels_refresh(solver);
  sinew_result result = SINEW_OK;
  for (int s = 0; s < solver->influence.most && result == SINEW_OK; ++s) {
    result = sinew_solver_set_accelerations(solver->influence.solvers[s], accelerations);
  }
  return result;
}

// The limits less the margins: at most to the middle.
static sinew_result narrow_limits(sinew_solver *solver) {
  const sinew_motion_limits *motion = &solver->motion;
  double *lower = solver->linear.lower, *upper = solver->linear.upper; // scratch
  for (int v = 0; v < solver->model->nv; ++v) {
    const double margin = motion->margin[solver->model->angular[v] ? 1 : 0];
    const double least = motion->own_lower[v], most = motion->own_upper[v];
    const double half = 0.5 * most - 0.5 * least;
    lower[v] = half < margin ? least + half : least + margin;
    upper[v] = half < margin ? sinew_max(lower[v], most - half) : most - margin;
  }
  return sinew_problem_set_limits(&solver->problem, lower, upper, &solver->error);
}

// Limits of swing and twist less the angular margin: the twist at most to its middle, the swing at
// most to the least that limits may have.
static void narrow_cones(sinew_solver *solver) {
  const double margin = solver->motion.margin[1];
  for (int c = 0; c < solver->model->cone_count; ++c) {
    const sinew_cone *from = &solver->given_model->cones[c];
    const double half = 0.5 * (from->upper[0] - from->lower[0]), less = sinew_min(margin, half);
    double lower[3] = {from->lower[0]}, upper[3] = {from->upper[0]};
    if (half < SINEW_PI) { // else there are no limits of twist
      lower[0] += less;
      upper[0] = sinew_max(upper[0] - less, lower[0]);
    }
    for (int i = 1; i < 3; ++i) {
      lower[i] = sinew_min(from->lower[i] + margin, -SINEW_CONE_LEAST);
      upper[i] = sinew_max(from->upper[i] - margin, SINEW_CONE_LEAST);
    }
    if (margin > 0.0) {
      sinew_cone_set(&solver->model->cones[c], from->axes[0], from->axes[1], lower, upper);
    } else {
      solver->model->cones[c] = *from;
    }
  }
}

static void take_limits(sinew_solver *solver) {
  solver->lanes.planned = solver->components.ready = false;
  solver->linear.open = false;
  sinew_escape_reset(&solver->escape);
}

sinew_result sinew_solver_set_limits(sinew_solver *solver, const double *lower,
                                     const double *upper) {
  SINEW_ASSERT(solver != NULL);
  sinew_motion_limits *motion = &solver->motion;
  const size_t size = (size_t)solver->model->nv * sizeof(double);
  sinew_result result = sinew_problem_set_limits(&solver->problem, lower, upper, &solver->error);
  if (result == SINEW_OK) {
    memcpy(motion->own_lower, lower != NULL ? lower : solver->model->lower, size);
    memcpy(motion->own_upper, upper != NULL ? upper : solver->model->upper, size);
    take_limits(solver);
    if (motion->margin[0] > 0.0 || motion->margin[1] > 0.0) {
      result = narrow_limits(solver);
    }
    sinew_levels_refresh(solver);
  }
  for (int s = 0; s < solver->influence.most && result == SINEW_OK; ++s) {
    result = sinew_solver_set_limits(solver->influence.solvers[s], lower, upper);
  }
  return result;
}

sinew_result sinew_solver_set_margins(sinew_solver *solver, double linear, double angular) {
  SINEW_ASSERT(solver != NULL);
  if (!(linear >= 0.0 && linear <= SINEW_HUGE && angular >= 0.0 && angular <= SINEW_HUGE)) {
    return sinew_error_set(&solver->error, SINEW_ERROR_ARGUMENT, NULL,
                           "margins of %g m and %g rad are not within 0 and 1e100", linear,
                           angular);
  }
  solver->motion.margin[0] = linear;
  solver->motion.margin[1] = angular;
  take_limits(solver);
  sinew_result result = narrow_limits(solver);
  narrow_cones(solver);
  sinew_levels_refresh(solver);
  for (int s = 0; s < solver->influence.most && result == SINEW_OK; ++s) {
    result = sinew_solver_set_margins(solver->influence.solvers[s], linear, angular);
  }
  return result;
}

// -------------------------------------------------------------------- queries

// Which bound keeps an update's motion from being longer towards one side; 0: none does.
static sinew_bound bound_of(const sinew_solver *solver, int v, double moved, double at, int side) {
  if (side == 0) {
    return SINEW_BOUND_NONE;
  }
  const sinew_motion_limits *motion = &solver->motion;
  const double limit = side > 0 ? solver->problem.upper[v] : solver->problem.lower[v];
  const double most = sinew_motion_limits_most(solver, v), slack = 1e-9 * fabs(moved) + 1e-15;
  if (solver->model->quaternion_axis[v] < 0 && side * (limit - at) <= slack) {
    return SINEW_BOUND_POSITION;
  }
  if (side * moved >= most - slack) {
    return SINEW_BOUND_SPEED;
  }
  if (!motion->has_accelerations || !sinew_motion_limits_accelerates(solver, v)) {
    return SINEW_BOUND_NONE;
  }
  const double end = side > 0 ? motion->upper[v] : -motion->lower[v];
  const double aim = side > 0 ? motion->aim_upper[v] : -motion->aim_lower[v];
  if (aim < end && fabs(side * moved - aim) <= slack) {
    return SINEW_BOUND_BRAKING;
  }
  if (side * moved < end - slack) {
    return SINEW_BOUND_NONE;
  }
  const double time = solver->def.tracking.time_step;
  const double distance = side * (limit - at) + side * moved; // before the update
  const double change = (motion->acceleration[v] + motion->yielded[v]) * time * time;
  return brake(distance, change) <= end + slack ? SINEW_BOUND_BRAKING : SINEW_BOUND_ACCELERATION;
}

static int sign_of(double value) {
  return (value > 0.0) - (value < 0.0);
}

// The side to which the tasks of level 0 would move a joint, that of the gradient; 0: not known.
// Where components are updated apart the gradient is that of the last one, and of limits of swing
// and twist it is along their axes.
static int side_of_gradient(const sinew_solver *solver, int v) {
  const int column = solver->model->cone_of_v[v] < 0 ? solver->problem.column_of_dof[v] : -1;
  return column >= 0 && !solver->components.tracked ? sign_of(solver->linear.gradient[column]) : 0;
}

// The side to which it has moved, or of the limit that it is at.
static int side_of_motion(const sinew_solver *solver, int v, double moved, double at) {
  const double upper = solver->problem.upper[v], lower = solver->problem.lower[v];
  return moved != 0.0 ? sign_of(moved) : (at >= upper) - (at <= lower);
}

// Whether the columns from this one on are those of a joint's limits of swing and twist.
static bool is_cone(const sinew_problem *problem, int column) {
  bool cone = false;
  for (int g = 0; column >= 0 && g < problem->group_count; ++g) {
    cone |= problem->groups[g].column == column && problem->groups[g].cone >= 0;
  }
  return cone;
}

// Of a spherical joint: whether its twist, or for the other two its swing, is at a limit that the
// gradient presses it against. The first of its columns is along the normal of the swing's limit,
// the second along the twist.
static void report_cone(const sinew_solver *solver, const double *q, int v,
                        sinew_bound_report *report) {
  const sinew_model *model = solver->model;
  const int axis = model->quaternion_axis[v], first = solver->problem.column_of_dof[v - axis];
  const sinew_cone *cone = &model->cones[model->cone_of_v[v]];
  sinew_swing_twist at;
  if (!solver->evaluation.in_cones || solver->components.tracked ||
      !is_cone(&solver->problem, first)) {
    return;
  }
  sinew_swing_twist_of(cone, q + model->q_of_v[v], &at);
  const double *gradient = solver->linear.gradient + first;
  if (axis == 0) {
    const int side = (gradient[1] > 0.0) - (gradient[1] < 0.0);
    const double room = side > 0 ? cone->upper[0] - at.twist : at.twist - cone->lower[0];
    report->side = side != 0 && room < AT_CONE ? side : 0;
  } else if (gradient[0] > 0.0 && sinew_cone_level(cone, at.swing) > 1.0 - AT_CONE) {
    report->side = (at.swing[axis - 1] > 0.0) - (at.swing[axis - 1] < 0.0);
  }
  report->bound = report->side != 0 ? SINEW_BOUND_POSITION : SINEW_BOUND_NONE;
}

sinew_result sinew_solver_bound(const sinew_solver *solver, const double *q, int v,
                                sinew_bound_report *report) {
  SINEW_ASSERT(solver != NULL && q != NULL && report != NULL);
  const sinew_model *model = solver->model;
  if (v < 0 || v >= model->nv) {
    return SINEW_ERROR_INDEX;
  }
  *report = (sinew_bound_report){.bound = SINEW_BOUND_NONE};
  if (model->cone_of_v[v] >= 0) {
    report_cone(solver, q, v, report);
  }
  const bool spherical = model->quaternion_axis[v] >= 0;
  if (spherical && !sinew_motion_limits_accelerates(solver, v)) {
    return SINEW_OK;
  }
  report->yielded = solver->motion.has_accelerations ? solver->motion.yielded[v] : 0.0;
  if (!is_active(solver, v) || report->bound != SINEW_BOUND_NONE) {
    return SINEW_OK;
  }
  // A component of a rotation has no value, and no limits of its own.
  const double at = spherical ? 0.0 : q[model->q_of_v[v]];
  const double moved =
      spherical ? solver->motion.last[v] : at - solver->motion.before[model->q_of_v[v]];
  // Lower levels may move a joint to where level 0 would not: then its motion decides first.
  const bool levels = solver->levels->used;
  const int sides[2] = {side_of_gradient(solver, v), side_of_motion(solver, v, moved, at)};
  int side = sides[levels || sides[0] == 0];
  report->bound = bound_of(solver, v, moved, at, side);
  if (levels && report->bound == SINEW_BOUND_NONE) {
    side = sides[0];
    report->bound = bound_of(solver, v, moved, at, side);
  }
  report->side = report->bound != SINEW_BOUND_NONE ? side : 0;
  return SINEW_OK;
}

static const char *const bound_names[] = {"none", "position", "speed", "braking", "acceleration"};

const char *sinew_bound_string(sinew_bound bound) {
  const int i = (int)bound;
  return i >= 0 && i < (int)(sizeof bound_names / sizeof bound_names[0]) ? bound_names[i]
                                                                         : "unknown";
}
