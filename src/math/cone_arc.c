// Arcs of rotations within limits of swing and twist: see cone_arc.h.
//
// Three values h_i(s) are at most 0 inside: f - 1, and the twist beyond its upper and its lower
// end. With their slopes (cone_lanes.h) one that is at most 0 at the two ends of a part of the arc
// exceeds 0 between them only where it rises at the first and falls at the second, unless it has
// three extrema there; its maximum is then found by bisection of the slope. Parts are as long as
// the largest slopes allow without leaving the limits, or `sample` where that is more.
#include "math/cone_arc.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "sinew/math.h"

#include <string.h>

// sample, a share of the smallest semi-axis, and its ends [rad].
#define SAMPLE_SHARE 0.25
#define LEAST_SAMPLE 0.005
#define MOST_SAMPLE 0.1
// Bisections of a maximum and of an exit.
#define ROUNDS 40
// A rotation that exceeds its limits by less is inside: the room does not grow by rounding [rad].
#define OUTSIDE 1e-9

enum { SWING, ABOVE, BELOW, LIMITS };

typedef struct place {
  double s, value[LIMITS], slope[LIMITS];
  sinew_cone_rows rows;
} place;

// n: NULL for q itself, without slopes.
static place place_at(const sinew_cone_room *room, const double *n, double s) {
  place out = {.s = s};
  double q[4];
  sinew_cone_rows *rows = &out.rows;
  memcpy(q, room->q, sizeof q);
  if (n != NULL) {
    const double w[3] = {s * n[0], s * n[1], s * n[2]};
    sinew_quaternion_apply(q, w);
  }
  sinew_cone_linearize(room->cone, q, rows);
  out.value[SWING] = rows->level - 1.0 - room->over[SWING];
  out.value[ABOVE] = -rows->up * rows->twist_unit - room->over[ABOVE];
  out.value[BELOW] = rows->down * rows->twist_unit - room->over[BELOW];
  if (n != NULL) {
    out.slope[SWING] = rows->swing_unit * sinew_dot(rows->swing, n);
    out.slope[ABOVE] = rows->twist_unit * sinew_dot(rows->twist, n);
    out.slope[BELOW] = -out.slope[ABOVE];
  }
  return out;
}

void sinew_cone_room_set(sinew_cone_room *room, const sinew_cone *cone, const double q[4]) {
  double least = INFINITY, most = 0.0;
  *room = (sinew_cone_room){.cone = cone};
  memcpy(room->q, q, sizeof room->q);
  const place here = place_at(room, NULL, 0.0);
  for (int i = 0; i < LIMITS; ++i) {
    room->over[i] = here.value[i] > OUTSIDE ? here.value[i] : 0.0;
  }
  for (int i = 1; i < 3; ++i) {
    least = sinew_min(least, sinew_min(cone->upper[i], -cone->lower[i]));
    most = sinew_max(most, sinew_max(cone->upper[i], -cone->lower[i]));
  }
  // f = |D s|, |s'| <= theta / sin(theta); the twist's derivative is at most 1 / cos(theta / 2).
  const double swing = sinew_min(most * (1.0 + room->over[SWING]), SINEW_CONE_MOST);
  room->rate[0] = swing / sin(swing) / least;
  room->rate[1] = 1.0 / cos(0.5 * swing);
  room->sample = sinew_clamp(SAMPLE_SHARE * least, LEAST_SAMPLE, MOST_SAMPLE);
}

// The limit that a place is outside of; LIMITS: none.
static int limit_left(const place *at, double slack) {
  int limit = 0;
  while (limit < LIMITS && !(at->value[limit] > slack)) {
    ++limit;
  }
  return limit;
}

static double rate_of(const sinew_cone_room *room, int limit) {
  return room->rate[limit == SWING ? 0 : 1];
}

// How far the arc goes on inside for certain.
static double certain(const sinew_cone_room *room, const place *at) {
  double least = INFINITY;
  for (int i = 0; i < LIMITS; ++i) {
    least = sinew_min(least, -at->value[i] / rate_of(room, i));
  }
  return least;
}

// The maximum of a limit's value that rises at the first place and falls at the second.
static place maximum_between(const sinew_cone_room *room, const double n[3], int limit,
                             const place *first, const place *second) {
  double from = first->s, to = second->s;
  place at = *first;
  for (int round = 0; round < ROUNDS; ++round) {
    at = place_at(room, n, 0.5 * (from + to));
    if (at.slope[limit] > 0.0) {
      from = at.s;
    } else {
      to = at.s;
    }
  }
  return at;
}

// Between two places that are inside, whether a limit is exceeded: at is then such a place.
static bool exceeds_between(const sinew_cone_room *room, const sinew_cone_arc *arc,
                            const place *first, const place *second, place *at) {
  for (int i = 0; i < LIMITS; ++i) {
    const double way = second->s - first->s;
    const bool may = first->slope[i] > 0.0 && second->slope[i] < 0.0 &&
                     first->value[i] + rate_of(room, i) * way > arc->slack;
    if (may) {
      *at = maximum_between(room, arc->n, i, first, second);
      if (at->value[i] > arc->slack) {
        return true;
      }
    }
  }
  return false;
}

// Between a place that is inside and one that is not; of the first, from itself.
static void fill_exit(const sinew_cone_room *room, const sinew_cone_arc *arc, double from,
                      const place *outside, sinew_cone_exit *exit) {
  place out = *outside;
  double turn[4], v[3];
  for (int round = 0; round < ROUNDS; ++round) {
    const place at = place_at(room, arc->n, 0.5 * (from + out.s));
    if (limit_left(&at, arc->slack) < LIMITS) {
      out = at;
    } else {
      from = at.s;
    }
  }
  const int limit = limit_left(&out, arc->slack);
  const double *row = limit == SWING ? out.rows.swing : out.rows.twist;
  const double half[3] = {0.5 * out.s * arc->n[0], 0.5 * out.s * arc->n[1],
                          0.5 * out.s * arc->n[2]};
  sinew_quaternion_exp(half, turn);
  sinew_quaternion_rotate(turn, row, v);
  sinew_scale(limit == BELOW ? -1.0 : 1.0, v, exit->normal);
  exit->at = from;
}

bool sinew_cone_room_has(const sinew_cone_room *room, const sinew_cone_arc *arc,
                         sinew_cone_exit *exit) {
  const double end = sinew_min(arc->to, arc->from + 2.0 * SINEW_PI);
  place at = place_at(room, arc->n, arc->from), next = at;
  bool inside = limit_left(&at, arc->slack) == LIMITS;
  while (inside && at.s < end) {
    const double sure = certain(room, &at);
    if (sure >= end - at.s) {
      return true;
    }
    next = place_at(room, arc->n, sinew_min(end, at.s + sinew_max(sure, room->sample)));
    place beyond = next;
    inside =
        limit_left(&next, arc->slack) == LIMITS && !exceeds_between(room, arc, &at, &next, &beyond);
    at = inside ? next : at;
    next = beyond;
  }
  if (!inside && exit != NULL) {
    fill_exit(room, arc, at.s, &next, exit);
  }
  return inside;
}
