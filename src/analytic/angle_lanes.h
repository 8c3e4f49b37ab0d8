// Angles by cosine and sine, and rotations of vectors about axes that all lanes share: for the
// closed forms whose branches are side by side. Sums of products are not fused.
#ifndef SINEW_ANALYTIC_ANGLE_LANES_H
#define SINEW_ANALYTIC_ANGLE_LANES_H

#include "analytic/subproblems.h"
#include "simd/elementary.h"

// Cosine and sine.
typedef struct angles {
  lane c, s;
} angles;

LANE angles angles_back(angles a) {
  return (angles){a.c, -a.s};
}

// Of directions whose length is 1 up to errors whose square is rounding.
LANE angles angles_near(lane c, lane s) {
  const lane by = lane_of(1.5) - lane_of(0.5) * (c * c + s * s);
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

// out = R(k, a) v of one vector
LANE void turned3(const double k[3], angles a, const double v[3], lane out[3]) {
  double across[3];
  sinew_cross(k, v, across);
  const lane along = (lane_of(1.0) - a.c) * lane_of(sinew_dot(k, v));
  for (int i = 0; i < 3; ++i) {
    out[i] = a.c * lane_of(v[i]) + a.s * lane_of(across[i]) + along * lane_of(k[i]);
  }
}

LANE void rotate3(const double R[9], lane v[3]) {
  const lane x = dot3(R, v), y = dot3(R + 3, v), z = dot3(R + 6, v);
  v[0] = x;
  v[1] = y;
  v[2] = z;
}

#endif
