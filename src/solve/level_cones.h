// Limits of swing and twist in the steps of lower levels (lower_step.c): angular coordinates in
// which those that a step may reach are bounds, as in cones.h. Where a joint is far from its
// limits, its columns are about its own axes, as those of joints without such limits.
#ifndef SINEW_SOLVE_LEVEL_CONES_H
#define SINEW_SOLVE_LEVEL_CONES_H

#include "solve/cones.h"
#include "step/level.h"

struct sinew_levels;
struct sinew_problem;

// A spherical joint with three columns of equal scale.
typedef struct sinew_level_cone {
  int column, node;
  bool near; // whether a step may reach a limit: columns are about step.axis
  sinew_cone_step step;
} sinew_level_cone;

// The joints, after the columns have been compiled.
void sinew_level_cones_compile(const struct sinew_solver *solver, struct sinew_levels *levels);

// The coordinates at q of the rows, weights and bounds that follow.
void sinew_level_cones_begin(struct sinew_solver *solver, const double *q);

// J (count rows), from columns about the joints' own axes.
void sinew_level_cones_turn_rows(const struct sinew_levels *levels, int count, double *J);

// levels.D and g, likewise, once all rows of the level have been turned: D so that steps are no
// longer than with the whole matrix, with the curvature of limits that the level presses against.
void sinew_level_cones_turn_weights(struct sinew_solver *solver, const sinew_level_rows *rows);

// Their bounds in levels.lower_x and upper_x; x = 0 is within them. Returns whether there are any.
bool sinew_level_cones_bound(struct sinew_solver *solver);

// Whether a column is one of these.
bool sinew_level_cones_have(const struct sinew_levels *levels, int column);

// x (columns): from these coordinates to rotations about the joints' own axes.
void sinew_level_cones_to_joints(const struct sinew_levels *levels, double *x);

// Moves joints that problem's columns do not move into their limits: at once, or as far as their
// speeds allow in an update.
void sinew_level_cones_bring_inside(const struct sinew_solver *solver,
                                    const struct sinew_problem *problem, bool fast, double *q);

#endif
