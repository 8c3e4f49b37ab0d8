// ClampMaxAbs(x, L) = x min(1, L / max_j |x_j|), ClampMag(w, L) = w min(1, L / |w|).
//
// Source: Buss 2009, sections 2 and 4.
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

// For entries whose squares would over- or underflow: |w| = most sqrt(sum of (w_i / most)^2).
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
