// Figures that follow targets: models with their effectors, for tests of the tracker.
#ifndef FIGURES_H
#define FIGURES_H

#include "fixtures.h"

#define FIGURE_TASKS 4
#define FIGURE_NV 400

typedef struct figure {
  char name[32];
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  int nq, nv, count; // number of tasks
  bool floats;       // the first three degrees of freedom move the whole figure
  sinew_task tasks[FIGURE_TASKS];
} figure;

// The figures. Two arms: one without limits. Two humanoids: one has a fixed base and limits, the
// other comes from a clip and has a floating base. Both are moved by targets for hands and feet.
typedef enum figure_kind {
  FIGURE_Y = 0,
  FIGURE_DOUBLE_Y,
  FIGURE_ARM,
  FIGURE_ARM_LIMITED,
  FIGURE_HUMANOID,
  FIGURE_HUMANOID_BVH,
  FIGURE_CHAIN_3,
  FIGURE_CHAIN_10,
  FIGURE_CHAIN_30,
  FIGURE_CHAIN_100,
  FIGURE_COUNT
} figure_kind;

// Makes a figure with a solver of this definition (NULL: the default).
void figure_make(figure *f, figure_kind kind, const sinew_solver_def *def);
void figure_end(figure *f);

// Makes a figure from a model with one or more effectors; takes ownership of the model.
void figure_of(figure *f, const char *name, sinew_model *model, const sinew_task *tasks, int count,
               const sinew_solver_def *def);

// count spherical joints in a row along x, 1 m long in all. The last link is count; its end point
// is (1 / count, 0, 0).
sinew_model *figure_spherical_chain(int count);

// The effectors' positions at q: 3 values each.
void figure_points(const figure *f, const double *q, double *points);

// The largest motion of an effector between q0 and q1: its distance or, for pose tasks, its angle
// times the model's size [m].
double figure_moved(const figure *f, const double *q0, const double *q1);

// Targets at the effectors' poses at q.
void figure_targets_at(const figure *f, const double *q, sinew_target *targets);

// A target for each effector, beyond the figure's reach by a fraction of it: in a random direction
// from the root. Rotations are random.
void figure_targets_beyond(const figure *f, random_stream *random, double share,
                           sinew_target *targets);

// The Hessian H of half the squared residual by differences of its gradient, n x n over the active
// columns, in the solver's units (rad, model sizes). Returns n. A spherical joint with three active
// axes moves by one rotation vector, in body axes or in the root link's.
int figure_curvature(sinew_solver *solver, const sinew_target *targets, const double *q, double *H);

#endif
