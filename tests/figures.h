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
  int nq, nv, count; // count: of tasks
  bool floats;       // its first three degrees of freedom move all of it
  sinew_task tasks[FIGURE_TASKS];
} figure;

// Which figures there are. Two arms: one without limits. Two humanoids: one stands and has limits,
// one is a clip's, whose hips float. Both are led by their hands and feet.
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

// A figure with a solver of this definition, NULL: the default.
void figure_make(figure *f, figure_kind kind, const sinew_solver_def *def);
void figure_end(figure *f);

// A model with one effector or more, as a figure: takes the model.
void figure_of(figure *f, const char *name, sinew_model *model, const sinew_task *tasks, int count,
               const sinew_solver_def *def);

// count balls in a row along x, together 1 m long. The last link is count, its point (1 / count, 0,
// 0).
sinew_model *figure_ball_chain(int count);

// Where the effectors are at q: 3 values each.
void figure_points(const figure *f, const double *q, double *points);

// How far the effectors are between q0 and q1 at most, by position and, where the figure's tasks
// are poses, by angle times the model's size [m].
double figure_moved(const figure *f, const double *q0, const double *q1);

// Targets where the effectors are at q.
void figure_targets_at(const figure *f, const double *q, sinew_target *targets);

// A target for each effector, outward of the figure's reach by a share of it: in a random
// direction from the root. Rotations are random.
void figure_targets_beyond(const figure *f, random_stream *random, double share,
                           sinew_target *targets);

// The matrix H of half the squared residual by differences of its gradient, n x n over the degrees
// of freedom in use, in the solver's units (turns, sizes). Returns n. A ball all of whose axes are
// in use turns by one rotation vector, about its own axes or the root link's.
int figure_curvature(sinew_solver *solver, const sinew_target *targets, const double *q, double *H);

#endif
