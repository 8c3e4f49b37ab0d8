// The methods that are compared, with their settings.
#ifndef EXPERIMENTS_METHODS_H
#define EXPERIMENTS_METHODS_H

#include "sinew/solver.h"

#include <stdbool.h>

typedef struct method {
  const char *name;  // of a column
  const char *label; // of a line in a table or a picture
  sinew_method method;
  double max_turn; // largest joint motion in a step [degrees]
  bool damped;     // with a constant lambda, which is chosen for each figure
  bool clamped;    // errors are clamped by an adaptive D_max
  bool target_jacobian;
  const char *color; // in pictures
} method;

extern const method methods[];
extern const int method_count;

// lambda and D_max of a method on a figure; not read where the method has none.
typedef struct method_setting {
  double lambda; // [m]
  double clamp;  // [m]
} method_setting;

sinew_solver_def method_def(const method *which, method_setting setting);

// By its name; NULL for an unknown name.
const method *method_find(const char *name);

#endif
