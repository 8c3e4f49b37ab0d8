// The columns e_i x a of a spherical joint in angular coordinates about the axes e_i of the frame
// of a = (x, y, z): (0, -z, y), (z, 0, -x), (-y, x, 0), side by side.
#ifndef SINEW_MATH_ROOT_FRAME_COLUMNS_H
#define SINEW_MATH_ROOT_FRAME_COLUMNS_H

#include "simd/four.h"

// Writes the columns with a stride of r values. The value after a column's third one is
// overwritten, except after the last column.
SINEW_ALWAYS_INLINE void sinew_spherical_columns_store(int r, sinew_four a, double *out) {
  const sinew_four back = -a;
  if (r == 3) {
    sinew_four_store(out, SINEW_FOUR_PICK(a, back, 3, 6, 1, 2));
    sinew_four_store(out + 4, SINEW_FOUR_PICK(a, back, 3, 4, 5, 0));
    out[8] = 0.0;
  } else {
    sinew_four_store(out, SINEW_FOUR_PICK(a, back, 3, 6, 1, 3));
    sinew_four_store(out + r, SINEW_FOUR_PICK(a, back, 2, 3, 4, 3));
    sinew_four_store3(out + 2 * r, SINEW_FOUR_PICK(a, back, 5, 0, 3, 3));
  }
}

// The components of a, from columns of three values each.
SINEW_ALWAYS_INLINE double sinew_spherical_columns_x(const double *columns) {
  return columns[7];
}
SINEW_ALWAYS_INLINE double sinew_spherical_columns_y(const double *columns) {
  return columns[2];
}
SINEW_ALWAYS_INLINE double sinew_spherical_columns_z(const double *columns) {
  return columns[3];
}

#endif
