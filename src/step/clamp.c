// ClampMaxAbs and ClampMag: see clamp.h.
#include "step/clamp.h"
#include "math/vector.h"

void sinew_clamp_max_abs(int n, double largest, double *x) {
  const double most = sinew_largest(n, x);
  if (most > largest) {
    for (int j = 0; j < n; ++j) {
      x[j] *= largest / most;
    }
  }
}

// Squares of w / most cannot overflow.
static void clamp_extreme(int n, double largest, double *w) {
  const double most = sinew_largest(n, w);
  double sum = 0.0;
  for (int i = 0; i < n && most > 0.0; ++i) {
    sum += w[i] / most * (w[i] / most);
  }
  const double share = sqrt(sum); // the length is most * share
  if (most * share > largest) {
    for (int i = 0; i < n; ++i) {
      w[i] *= largest / most / share;
    }
  }
}

void sinew_clamp_magnitude(int n, double largest, double *w) {
  const double sum = sinew_square_sum(n, w);
  if (!(sum > 1e-200 && sum < 1e200)) {
    clamp_extreme(n, largest, w);
    return;
  }
  const double length = sqrt(sum);
  if (length > largest) {
    for (int i = 0; i < n; ++i) {
      w[i] *= largest / length;
    }
  }
}
