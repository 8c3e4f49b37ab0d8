// The active set of steps that are not minima of a quadratic: transpose, pseudoinverse, SDLS. The
// equations are in hold.h.
#include "step/hold.h"

#include <string.h>

bool sinew_hold_outward(int n, const double *lower, const double *upper, signed char *held,
                        double *x) {
  bool changed = false;
  if (lower == NULL || upper == NULL) {
    return false;
  }
  for (int j = 0; j < n; ++j) {
    const bool below = lower[j] >= 0.0 && x[j] < lower[j];
    const bool above = upper[j] <= 0.0 && x[j] > upper[j];
    if (held[j] == 0 && (below || above)) {
      held[j] = below ? -1 : 1;
      x[j] = below ? lower[j] : upper[j];
      changed = true;
    }
  }
  return changed;
}

bool sinew_hold_residual(const sinew_rows *rows, const double *e, const signed char *held,
                         double *x, double *residual) {
  bool nonzero = false;
  for (int j = 0; j < rows->dof_count; ++j) {
    x[j] = held[j] != 0 ? x[j] : 0.0;
    nonzero |= x[j] != 0.0;
  }
  memcpy(residual, e, (size_t)rows->row_count * sizeof(double));
  if (nonzero) {
    sinew_rows_subtract(rows, x, residual);
  }
  return nonzero;
}
