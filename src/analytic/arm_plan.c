// The groups of axes of an arm, and its plan: see arm.h.
#include "analytic/arm.h"

// Axes with a sine below this are parallel: where they meet is unknown.
#define NOT_ACROSS 1e-3
// Axes 5 and 6 this near, as a share of the size, meet.
#define MEET 1e-9
// The sine of an angle between axes that is a rounding error.
#define SAME_DIRECTION 1e-15
// Sides of a triangle below this share of the size are none.
#define NO_SIDE 1e-4

double sinew_arm_size(const sinew_arm *arm) {
  double size = 0.0;
  for (int i = 0; i <= arm->count; ++i) {
    size += sinew_norm(arm->P[i]);
  }
  return size > 0.0 ? size : 1.0;
}

// out = a point of axis i.
static void origin_of(const sinew_arm *arm, int i, double out[3]) {
  sinew_zero(3, out);
  for (int k = 0; k <= i; ++k) {
    for (int j = 0; j < 3; ++j) {
      out[j] += arm->P[k][j];
    }
  }
}

// The point with the least sum of squared distances from the axes: the sum of (I - h h^T) (c - o)
// is 0.
static bool find_point(const sinew_arm *arm, int first, int count, double point[3]) {
  double A[9] = {0.0}, b[3] = {0.0};
  for (int k = first; k < first + count; ++k) {
    double o[3];
    const double *h = arm->h[k];
    origin_of(arm, k, o);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const double entry = (i == j ? 1.0 : 0.0) - h[i] * h[j];
        A[3 * i + j] += entry;
        b[i] += entry * o[j];
      }
    }
  }
  double rows[3][3];
  for (int i = 0; i < 3; ++i) {
    sinew_cross(A + 3 * ((i + 1) % 3), A + 3 * ((i + 2) % 3), rows[i]);
  }
  const double det = sinew_dot(A, rows[0]);
  if (!(fabs(det) > NOT_ACROSS * NOT_ACROSS)) {
    return false;
  }
  for (int i = 0; i < 3; ++i) { // A is symmetric, and so is its inverse
    point[i] = (rows[0][i] * b[0] + rows[1][i] * b[1] + rows[2][i] * b[2]) / det;
  }
  return true;
}

double sinew_arm_meeting(const sinew_arm *arm, double size, int first, int count, double point[3]) {
  double most = 0.0;
  for (int k = first; k + 1 < first + count; ++k) {
    double across[3];
    sinew_cross(arm->h[k], arm->h[k + 1], across);
    if (!(sinew_norm(across) > NOT_ACROSS)) {
      return INFINITY;
    }
  }
  if (!find_point(arm, first, count, point)) {
    return INFINITY;
  }
  for (int k = first; k < first + count; ++k) {
    double o[3], across[3];
    origin_of(arm, k, o);
    for (int j = 0; j < 3; ++j) {
      o[j] = point[j] - o[j];
    }
    sinew_cross(arm->h[k], o, across);
    most = sinew_max(most, sinew_norm(across) / size);
  }
  return most;
}

double sinew_arm_parallel(const sinew_arm *arm, int first) {
  double most = 0.0;
  for (int i = 0; i < 3; ++i) {
    double across[3];
    sinew_cross(arm->h[first + i], arm->h[first + (i + 1) % 3], across);
    most = sinew_max(most, sinew_norm(across));
  }
  return most;
}

// A triangle: the parallel axes are apart, the point is apart from the second, and the first axis
// of the arm is not parallel to them.
double sinew_arm_pair(const sinew_arm *arm, double size, bool reversed) {
  const int a = reversed ? 3 : 1, b = a + 1, end = reversed ? 5 : 0;
  double across[3], from[3], to[3], point[3];
  sinew_cross(arm->h[a], arm->h[b], across);
  const double parallel = sinew_norm(across);
  const double meeting = sinew_arm_meeting(arm, size, reversed ? 1 : 3, 2, point);
  sinew_cross(arm->h[a], arm->P[b], across);
  const double upper = sinew_norm(across);
  origin_of(arm, reversed ? a : b, from);
  for (int j = 0; j < 3; ++j) {
    to[j] = point[j] - from[j];
  }
  if (!(meeting < INFINITY)) {
    return INFINITY;
  }
  sinew_cross(arm->h[a], to, across);
  const double lower = sinew_norm(across);
  sinew_cross(arm->h[a], arm->h[end], across);
  const bool triangle = upper > NO_SIDE * size && lower > NO_SIDE * size;
  return triangle && sinew_norm(across) > NOT_ACROSS ? sinew_max(parallel, meeting) : INFINITY;
}

// Moves the points of count axes from first on to a point.
static void move_points(sinew_arm *arm, int first, int count, const double point[3]) {
  double before[3], after[3];
  origin_of(arm, first, before);
  origin_of(arm, first + count, after); // of the axis after them, or the tip
  for (int j = 0; j < 3; ++j) {
    arm->P[first][j] += point[j] - before[j];
    arm->P[first + count][j] = after[j] - point[j];
  }
  for (int k = first + 1; k < first + count; ++k) {
    sinew_zero(3, arm->P[k]);
  }
}

static void make_meeting(sinew_arm_plan *plan, int first, int count) {
  double point[3];
  if (sinew_arm_meeting(&plan->arm, plan->size, first, count, point) < INFINITY) {
    move_points(&plan->arm, first, count, point);
  }
}

// The mean direction of count parallel axes from 1 on; those in the opposite one are turned round.
static void make_parallel(sinew_arm_plan *plan, int count) {
  sinew_arm *arm = &plan->arm;
  double sum[3] = {0.0};
  for (int i = 1; i <= count; ++i) {
    plan->opposite[i] = sinew_dot(arm->h[i], arm->h[1]) < 0.0;
    for (int j = 0; j < 3; ++j) {
      sum[j] += plan->opposite[i] ? -arm->h[i][j] : arm->h[i][j];
    }
  }
  sinew_unit(sum, sum);
  for (int i = 1; i <= count; ++i) {
    memcpy(arm->h[i], sum, sizeof sum);
  }
}

static void make_parallel_three(sinew_arm_plan *plan) {
  sinew_arm *arm = &plan->arm;
  double point[3];
  make_parallel(plan, 3);
  if (sinew_arm_meeting(arm, plan->size, 4, 2, point) < MEET) {
    move_points(arm, 4, 2, point);
  }
}

static void find_crossing(const double k1[3], const double k2[3], const double p2[3],
                          sinew_arm_crossing *out) {
  double t[3];
  memcpy(out->k1, k1, sizeof out->k1);
  memcpy(out->k2, k2, sizeof out->k2);
  sinew_cross(k1, k2, out->x);
  sinew_cross(k2, p2, t);
  const double square = sinew_dot(out->x, out->x);
  out->none = square <= SINEW_PARALLEL_SINE * SINEW_PARALLEL_SINE ||
              sinew_dot(t, t) <= SINEW_ON_AXIS * SINEW_ON_AXIS;
  out->by = out->none ? 0.0 : 1.0 / square;
  out->length = sqrt(square);
  out->alpha = sinew_dot(k1, k2);
  out->m2 = sinew_dot(k2, p2);
  out->across = sinew_dot(t, out->x);
  out->tip = sinew_dot(t, k1);
}

static void find_triangle(const double P[3], const double k[3], const double Q[3],
                          sinew_arm_triangle *out) {
  double across[3];
  sinew_cross(k, Q, across);
  const double part = sinew_dot(P, k) * sinew_dot(k, Q);
  const double sides = sinew_dot(P, P) * sinew_dot(Q, Q);
  out->cosine = part - sinew_dot(P, Q);
  out->sine = -sinew_dot(P, across);
  out->square = out->cosine * out->cosine + out->sine * out->sine;
  out->half = 0.5 * (sinew_dot(P, P) + sinew_dot(Q, Q)) + part;
  out->none = !(out->square > SINEW_NOTHING * SINEW_NOTHING * sides);
}

// The frame of an axis has z along it, and x along the common normal to the next axis.
static void find_frames(const sinew_arm *arm, sinew_arm_frames *out) {
  double x[3], y[3], before[3], other[3];
  for (int i = 0; i < arm->count; ++i) {
    const double *h = arm->h[i];
    if (i + 1 < arm->count) {
      sinew_cross(h, arm->h[i + 1], x);
      const double across = sinew_norm(x), cosine = sinew_dot(h, arm->h[i + 1]);
      const bool parallel = across <= SAME_DIRECTION;
      if (parallel) {
        sinew_basis_perpendicular(h, x, other);
      } else { // the common normal's part along h is a rounding error
        const double along = sinew_dot(x, h);
        for (int j = 0; j < 3; ++j) {
          x[j] -= along * h[j];
        }
        sinew_unit(x, x);
      }
      out->twist[i] =
          (sinew_angle){parallel ? copysign(1.0, cosine) : cosine, parallel ? 0.0 : across};
    }
    sinew_cross(h, x, y);
    if (i == 0) {
      memcpy(out->root, x, sizeof x);
      memcpy(out->root + 3, y, sizeof y);
      memcpy(out->root + 6, h, sizeof x);
      out->offset[0] = (sinew_angle){1.0, 0.0};
    } else { // from the x axis before it
      sinew_cross(h, before, other);
      out->offset[i] = (sinew_angle){sinew_dot(x, before), sinew_dot(x, other)};
    }
    memcpy(before, x, sizeof x);
    out->step[i][0] = sinew_dot(x, arm->P[i + 1]);
    out->step[i][1] = sinew_dot(y, arm->P[i + 1]);
    out->step[i][2] = sinew_dot(h, arm->P[i + 1]);
  }
  memcpy(out->y, x, sizeof x);
}

// What does not depend on the target.
static void find_constants(sinew_arm_plan *plan) {
  const sinew_arm *arm = &plan->arm;
  const int first = plan->first;
  double back[3];
  if (plan->form == SINEW_ARM_PARALLEL) {
    sinew_scale(-1.0, arm->h[1], back);
    find_crossing(back, arm->h[4], arm->h[5], &plan->crossing);
    find_triangle(arm->P[2], arm->h[2], arm->P[3], &plan->triangle);
  } else {
    sinew_scale(-1.0, arm->h[first], back);
    find_crossing(back, arm->h[first + 1], arm->h[first + 2], &plan->crossing);
  }
  if (plan->form == SINEW_ARM_SRS) {
    sinew_scale(-1.0, arm->h[0], back);
    find_crossing(back, arm->h[1], arm->h[2], &plan->shoulder);
    find_triangle(arm->P[3], arm->h[3], arm->P[4], &plan->triangle);
  }
  find_frames(&plan->own, &plan->frames);
}

void sinew_arm_prepare(const sinew_arm *own, sinew_arm_form form, int first, sinew_arm_plan *plan) {
  const int last = own->count - 1, members = 3;
  double other[3];
  *plan = (sinew_arm_plan){.own = *own, .arm = *own, .form = form, .first = first};
  plan->size = sinew_arm_size(own);
  // Towards the tip are the last or the last but one three, and of parallel ones joints 2 to 4.
  const int after = last - (first + members - 1);
  if (form != SINEW_ARM_SRS && form != SINEW_ARM_PAIR &&
      (form == SINEW_ARM_PARALLEL ? after < first : after > first)) {
    plan->reversed = true;
    plan->first = after;
    sinew_arm_reverse(own, &plan->arm);
  }
  if (form == SINEW_ARM_PARALLEL) {
    make_parallel_three(plan);
  } else if (form == SINEW_ARM_PAIR) {
    plan->first = 3;
    plan->reversed = first == 3;
    if (plan->reversed) {
      sinew_arm_reverse(own, &plan->arm);
    }
    make_parallel(plan, 2);
    make_meeting(plan, 3, 2);
  } else {
    make_meeting(plan, plan->first, members);
    if (form == SINEW_ARM_SRS) {
      make_meeting(plan, 0, 3);
    }
  }
  const int end = form == SINEW_ARM_PAIR ? 4 : plan->first + members - 1;
  sinew_basis_perpendicular(plan->arm.h[end], plan->y, other);
  sinew_basis_perpendicular(plan->arm.h[plan->arm.count - 1], plan->y_tip, other);
  sinew_basis_perpendicular(plan->arm.h[2], plan->y_shoulder, other);
  if (form != SINEW_ARM_PAIR) {
    find_constants(plan);
  }
}
