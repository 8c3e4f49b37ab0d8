// The manipulability of a point of a link and its gradient.
#ifndef SINEW_KINEMATICS_MANIPULABILITY_H
#define SINEW_KINEMATICS_MANIPULABILITY_H

#include "kinematics/state.h"

#include <stdbool.h>

// A point whose state has been placed.
typedef struct sinew_manipulability_query {
  int node;             // that moves it
  double s[3];          // the point, world axes
  bool linear, angular; // which of its rows count
  double size;          // of the figure [m]
  const int *active;    // nv: >= 0 where a degree of freedom may move
} sinew_manipulability_query;

// ln w, w^2 = det(J J^T + 1e-6 I), where J is dimensionless: positions and prismatic joints in
// sizes.
// @param J        6 nv, scratch
// @param gradient nv: its derivative by each degree of freedom [1 / rad, 1 / sizes]; 0 where one is
//                 not active or does not move the point
double sinew_state_manipulability(const sinew_state *state, const sinew_manipulability_query *query,
                                  double *J, double *gradient);

// w itself.
double sinew_state_manipulability_value(const sinew_state *state,
                                        const sinew_manipulability_query *query, double *J);

#endif
