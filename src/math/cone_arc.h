// How far a joint with limits of swing and twist may rotate about one axis until it leaves them.
#ifndef SINEW_MATH_CONE_ARC_H
#define SINEW_MATH_CONE_ARC_H

#include "math/cone.h"

// The limits of a joint at a rotation q: those of the cone, or where q is outside, as far out as q.
typedef struct sinew_cone_room {
  const sinew_cone *cone;
  double q[4];
  double over[3]; // by how much q exceeds f = 1, and the upper and lower end of the twist
  double rate[2]; // the largest derivatives of f and of the twist along an arc
  double sample;  // the longest part of an arc without an evaluation in it [rad]
} sinew_cone_room;

void sinew_cone_room_set(sinew_cone_room *room, const sinew_cone *cone, const double q[4]);

// The rotations q exp(s n), from <= s <= to.
typedef struct sinew_cone_arc {
  double n[3]; // unit
  double from, to;
  double slack; // by how much f and the twist may exceed the room
} sinew_cone_arc;

// Where an arc leaves the room.
typedef struct sinew_cone_exit {
  double at;        // s [rad]
  double normal[3]; // of the limit there, unit, outward, in the moved axes at s / 2
} sinew_cone_exit;

// Whether an arc is in the room; if not, exit is filled (may be NULL). More than a full turn counts
// as one.
bool sinew_cone_room_has(const sinew_cone_room *room, const sinew_cone_arc *arc,
                         sinew_cone_exit *exit);

#endif
