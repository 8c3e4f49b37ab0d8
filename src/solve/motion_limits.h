// Limits of motion of a solver's updates: speeds, accelerations, and margins of limits. An update's
// motion of a degree of freedom is its change of q [rad or m].
#ifndef SINEW_SOLVE_MOTION_LIMITS_H
#define SINEW_SOLVE_MOTION_LIMITS_H

#include "base/memory.h"
#include "sinew/solver.h"

#include <stdbool.h>

// The share of an acceleration with which figures brake ahead of targets, which are not known
// exactly: the rest leaves room to brake harder.
#define SINEW_BRAKING_RESERVE 0.7

typedef struct sinew_motion_limits {
  double *speed;        // nv: in force [rad/s or m/s], infinite where there is none
  double *acceleration; // nv: in force [rad/s^2 or m/s^2], infinite where there is none
  bool has_speeds;      // whether speeds have been set that differ from the model's
  bool has_accelerations;
  double margin[2];              // of linear and of angular degrees of freedom [m, rad]
  double *own_lower, *own_upper; // nv: limits without the margins
  double *before;                // nq: q before the last update
  double *after;                 // nq: q after it, of a model with spherical joints
  // nv: the motion of the last update; of spherical rotations where their acceleration is limited,
  // else 0
  double *last;
  bool has_spherical; // whether the acceleration of a spherical joint is limited
  bool begun;         // whether an update has followed the last reset
  bool placed;        // whether the last update was the first one and has placed the figure
  const double *q;    // of the update with bounds as below, while it runs; else NULL

  // With accelerations, of the last update
  double *lower, *upper; // nv: bounds of its motion
  double *yielded;       // nv: by how much the acceleration exceeds its limit
  double *stop;          // nv: of spherical joints, with which they brake
  // Of level 0: so that it can stop at the targets (motion_aim.c)
  double *aim_lower, *aim_upper; // nv: within lower and upper
  double *aim;                   // nq: where the targets are met
  double *way;                   // nv: from q to there
  double left;                   // the share of E that is left there
  double *shift;                 // nv: by how much the motion of the targets has moved that
  bool aimed;                    // whether shift is that of the last update
} sinew_motion_limits;

// A joint as seen from a limit of its value, towards which motions are positive.
typedef struct sinew_approach {
  double distance; // to the limit, < 0 outside
  double most;     // r
  double change;   // c
  double last;     // p
} sinew_approach;

// The least change, at least c, after which the joint can stop within the limit.
double sinew_approach_least_change(const sinew_approach *of);

void sinew_motion_limits_layout(sinew_arena *arena, const sinew_model *model,
                                sinew_motion_limits *motion);

// The model's speeds, no accelerations, no margins.
void sinew_motion_limits_begin(sinew_solver *solver);

// At rest.
void sinew_motion_limits_reset(sinew_solver *solver);

// The largest motion of degree of freedom v in an update; without a time step none.
double sinew_motion_limits_most(const sinew_solver *solver, int v);

// Whether the acceleration of degree of freedom v is limited.
bool sinew_motion_limits_accelerates(const sinew_solver *solver, int v);

// Before an update, if there are accelerations. Moves joints that nothing moves any longer, so that
// they come to rest. q is the caller's.
void sinew_motion_limits_begin_update(sinew_solver *solver, double *q);

// After an update with a time step: within the accelerations, and known to the next one.
void sinew_motion_limits_end_update(sinew_solver *solver, double *q);

// The bounds with which figures brake ahead of targets, in an update with accelerations, before its
// evaluation. The state is left at another configuration.
void sinew_motion_aim(sinew_solver *solver, const sinew_target *targets, const double *q);

#endif
