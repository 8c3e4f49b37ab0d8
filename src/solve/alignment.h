// The joint value that aligns points and axes with where they should be: for one joint at a time,
// in closed form. CCD and FABRIK share it.
#ifndef SINEW_SOLVE_ALIGNMENT_H
#define SINEW_SOLVE_ALIGNMENT_H

#include "solve/solver.h"

// Weighted pairs around a pivot: P_e is at the figure, P_d where it should be.
typedef struct sinew_alignment {
  double pivot[3];
  double B[9];     // sum of w P_d P_e^T, row-major
  double shift[3]; // sum of w (P_d - P_e), of points
  double weight;   // sum of w, of points
  int count;
  double d[3], e[3]; // the last pair
} sinew_alignment;

sinew_alignment sinew_alignment_at(const double pivot[3]);

// A point at e that should be at d; and a unit axis.
void sinew_alignment_add_point(sinew_alignment *a, double weight, const double e[3],
                               const double d[3]);
void sinew_alignment_add_axis(sinew_alignment *a, double weight, const double e[3],
                              const double d[3]);

// The pairs of a task at the last evaluation: its point, its axes. False where its rows are others.
bool sinew_alignment_add_task(sinew_alignment *a, const sinew_solver *solver,
                              const sinew_target *targets, int task, bool points);

// Moves one group of columns of q so that the pairs align best, within limits, speeds and max_turn.
void sinew_alignment_move(const sinew_solver *solver, const sinew_alignment *a,
                          const sinew_column_group *group, double *q);

// One column of a group, to the least of the linearised error along it: for columns that move
// several joints, screws, and tasks with other rows. q is evaluated.
void sinew_alignment_move_linear(sinew_solver *solver, const sinew_target *targets, int column,
                                 const sinew_column_group *group, double *q);

#endif
