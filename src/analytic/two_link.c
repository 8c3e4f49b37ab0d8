// The two-link arm in a plane. With r the distance of the target, clamped to what both links reach,
// a the angle between the first link and the direction of the target, and b the angle from the
// first link to the second,
//
//   tan^2(a/2) = (l1 + l2 - r) (r + l2 - l1) / ((r + l1 - l2) (l1 + l2 + r))
//   tan^2(b/2) = (l1 + l2 - r) (l1 + l2 + r) / ((r + l1 - l2) (r + l2 - l1)),
//
// which loses no digits where the arm is straight or folded, as an inverse cosine would.
#include "math/vector.h"
#include "sinew/limb.h"

#define PI 3.14159265358979323846

static double wrapped(double angle) {
  return angle > PI ? angle - 2.0 * PI : (angle < -PI ? angle + 2.0 * PI : angle);
}

int sinew_two_link_solve(const double lengths[2], const double target[2], double q[4],
                         double *miss) {
  const double l1 = lengths[0], l2 = lengths[1];
  const bool usable = l1 > 0.0 && l2 > 0.0 && sinew_is_usable(l1) && sinew_is_usable(l2) &&
                      sinew_is_usable(target[0]) && sinew_is_usable(target[1]);
  const double d = usable ? sinew_norm_safe((double[3]){target[0], target[1], 0.0}) : 0.0;
  const double r = sinew_clamp(d, fabs(l1 - l2), l1 + l2);
  if (miss != NULL) {
    *miss = usable ? fabs(d - r) : -1.0;
  }
  if (!usable) {
    sinew_zero(4, q);
    return 0;
  }
  const double sum = l1 + l2 + r, straight = l1 + l2 - r, far = r + (l2 - l1), near = r + (l1 - l2);
  const double a = 2.0 * atan2(sqrt(straight) * sqrt(far), sqrt(near) * sqrt(sum));
  const double b = 2.0 * atan2(sqrt(straight) * sqrt(sum), sqrt(near) * sqrt(far));
  const double direction = d > 0.0 ? atan2(target[1], target[0]) : 0.0;
  q[0] = wrapped(direction - a);
  q[1] = b;
  q[2] = wrapped(direction + a);
  q[3] = -b;
  return straight > 0.0 && far > 0.0 && near > 0.0 ? 2 : 1;
}
