// Hard tasks that hold somewhere and goals beyond them, for tests; what a hard task keeps is found
// by forward kinematics.
#ifndef BARRIERS_H
#define BARRIERS_H

#include "fixtures.h"

#define BARRIER_BEYOND 0.01 // of a goal [m, rad]

// What a hard task keeps: a coordinate along x, a height, a distance or an angle.
double barrier_quantity(const sinew_model *model, const sinew_task *task,
                        const sinew_target *target, const double *q);

// How far such a value is beyond the task's ends; < 0 inside.
double barrier_outside(const sinew_task *task, double y);

// A task that holds at q, with 5 cm or 0.3 rad to its end, and a goal beyond by BARRIER_BEYOND.
typedef struct barrier {
  sinew_task tasks[2];
  sinew_target targets[2];
} barrier;

// kind: 0 PLANE, 1 DISTANCE, 2 POSITION with a range, 3 DIRECTION with a cone_angle; of the model's
// last link.
#define BARRIER_KINDS 4
void barrier_make(random_stream *r, const sinew_model *model, const double *q, int kind,
                  barrier *b);

// ---- Support polygons: the centre of mass above a square about where it is at home.

#define BARRIER_HALF 0.05 // of the square's edge [m]

// A random figure with masses.
sinew_model *barrier_figure(random_tree *tree, random_stream *r, uint64_t seed,
                            const random_tree_options *options);

// The tasks of the square's four edges, and a goal for the last link that is far away.
void barrier_stand(const sinew_model *model, const double *home, bool hard, sinew_task tasks[5],
                   sinew_target targets[5]);

// How far beyond the square the centre of mass is at most in updates from home, along one axis.
double barrier_reach(const sinew_model *model, sinew_solver *solver, const sinew_target *targets,
                     const double *home, int updates);

#endif
