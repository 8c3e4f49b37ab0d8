// Limits of swing and twist of a spherical joint.
//
// A rotation q is a twist about an axis x that is fixed to the moved body, followed by a swing
// about an axis across x: q = q_s q_t. The twist is an angle phi within (-pi, pi], the swing a
// rotation vector s of two values, |s| <= pi, about axes 1 and 2 (x is axis 0). Limits are
//
//   lower_0 <= phi <= upper_0,     f(s) <= 1
//
//   f(s) = sqrt((s_1 / a_1)^2 + (s_2 / a_2)^2),   a_i = upper_i where s_i > 0, else -lower_i
//
// so that s is within four quarters of ellipses. f is convex and has a continuous gradient.
#ifndef SINEW_MATH_CONE_H
#define SINEW_MATH_CONE_H

#include <stdbool.h>

// The least and the largest semi-axis of swing [rad]. At a swing of pi the twist is not defined.
#define SINEW_CONE_LEAST 1e-3
#define SINEW_CONE_MOST (3.14159265358979323846 - 0.1)

// A joint that the gradient presses against a limit so near [rad] counts as being at it, since a
// step along other limits may leave it a little inside.
#define SINEW_CONE_PRESSED 1e-3

typedef struct sinew_cone {
  double axes[3][3];         // unit, orthogonal, in the joint's frame: x, then the two of swing
  double lower[3], upper[3]; // [rad], of the twist and of the swing about each axis
  // Of these, for cheap tests: 1 / lower and 1 / upper of the swing, tan(lower / 2) and tan(upper /
  // 2) of the twist.
  double inverse_lower[2], inverse_upper[2], tan_lower, tan_upper;
} sinew_cone;

typedef struct sinew_swing_twist {
  double twist;    // phi
  double swing[2]; // s_1, s_2
} sinew_swing_twist;

// Axes from two that need be neither unit nor orthogonal, but are not parallel.
void sinew_cone_set(sinew_cone *cone, const double axis[3], const double axis2[3],
                    const double lower[3], const double upper[3]);

// A rotation q, a unit quaternion, into swing and twist, and back.
void sinew_swing_twist_of(const sinew_cone *cone, const double q[4], sinew_swing_twist *out);
void sinew_swing_twist_to(const sinew_cone *cone, const sinew_swing_twist *of, double q[4]);

// f(s)
double sinew_cone_level(const sinew_cone *cone, const double swing[2]);

// By how much a rotation is outside its limits [rad]: the larger of what the swing exceeds them by
// in its direction, and the twist. 0 inside.
double sinew_cone_excess(const sinew_cone *cone, const double q[4]);

// Moves q into the limits, the swing along its direction; from: a rotation before a step, than
// which q may be no further out; NULL: q is moved inside. Returns whether q was changed.
bool sinew_cone_hold(const sinew_cone *cone, const double *from, double q[4]);

// Moves q to the border of its swing, along the normal of its level; q is not at swing 0.
void sinew_cone_reach(const sinew_cone *cone, double q[4]);

// q <- q exp(w), held as above at the rotation before it. whole: if not, the joint cannot rotate
// about all its axes, and w is shortened instead.
void sinew_cone_move(const sinew_cone *cone, bool whole, const double w[3], double q[4]);

// The same of a joint that rotates about all its axes, where no component of its motion may be
// beyond most; of w none is. w is shortened where the joint, once held, would have moved further.
void sinew_cone_move_within(const sinew_cone *cone, const double most[3], const double w[3],
                            double q[4]);

// A rotation within the limits from three numbers in [0, 1): the swing uniform in its ellipse, the
// twist in its range. The rotation in the middle of the limits.
void sinew_cone_of_uniform(const sinew_cone *cone, const double u[3], double q[4]);
void sinew_cone_middle(const sinew_cone *cone, double q[4]);

// The limits to first order, for a rotation q exp(w), w in the moved joint's axes:
//
//   swing . w <= most         along the outward normal of the ellipse that is on a level with s
//   down <= twist . w <= up
typedef struct sinew_cone_rows {
  double swing[3], twist[3];     // unit
  double level, angle;           // f and phi at q
  double swing_unit, twist_unit; // the derivatives of f and phi along them
  double most, down, up;         // [rad], infinite where there is none
} sinew_cone_rows;

void sinew_cone_linearize(const sinew_cone *cone, const double q[4], sinew_cone_rows *rows);

// The same in the coordinates of a step: solve/cones.h.
typedef struct sinew_cone_step {
  double row[3][3];  // r_i
  double axis[3][3]; // a_i
  double most, down, up;
  double value[2], unit[2]; // f and phi, and their derivatives along r_1 and r_2
  // Of limit i, 0 or 1, that is reached: its second derivatives in units of its slope, along a_2 or
  // a_1, along a_3, and along both; else 0.
  double curvature[2][3];
  double slides; // 1 where the joint is at its limit of swing, and its step along it; else 0
} sinew_cone_step;

// The axes and limits at a rotation q. Limits further than far [rad] may be left out: where only
// one is nearer, the axes are orthogonal, and those along it such that its mixed derivative is 0.
void sinew_cone_step_set(sinew_cone_step *step, const sinew_cone *cone, const double q[4],
                         double far);

// Adds to damping (3) what the limits that a joint is blocked by, 0 or 1, with their multipliers
// add to the diagonal of Newton's matrix along the other axes, and the most that they may add
// beside it.
void sinew_cone_step_damp(const sinew_cone_step *step, const bool blocked[2],
                          const double multiplier[2], double damping[3]);

// A joint's motion in a part of an update, in its axes.
typedef struct sinew_cone_motion {
  const sinew_cone *cone;
  const sinew_cone_step *step;
  double q[4];               // its rotation before the step, a unit quaternion
  double lower[3], upper[3]; // the bounds of y
  double moved[3];           // in the part, before the step
  double last[3];            // in the last part
  double most;               // the largest change from part to part
} sinew_cone_motion;

// A step x of the joint becomes the motion that it makes: math/cone_motion.h.
void sinew_cone_limit_motion(const sinew_cone_motion *of, double x[3]);

#endif
