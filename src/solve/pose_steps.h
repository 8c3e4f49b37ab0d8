// Steps that evaluate other configurations than the present one: searches over whole poses, and
// finite differences. Each fills linear.x from the configuration solver->at, in rad or sizes, as a
// step rule does; find_step.c limits it, and restores the evaluation.
#ifndef SINEW_SOLVE_POSE_STEPS_H
#define SINEW_SOLVE_POSE_STEPS_H

#include "base/memory.h"
#include "model/model.h"
#include "sinew/solver.h"

// Where a step starts. The pointers are the caller's.
typedef struct sinew_step_start {
  const sinew_target *targets;
  const double *q;
} sinew_step_start;

// A moving point of the figure: fabrik.c.
typedef struct sinew_centre {
  int node, parent;    // the centre nearer the root, or -1
  double place[3];     // wanted
  double candidate[3]; // the sum of what those below want
  double weight;       // of that sum
  double distance;     // to the parent
  bool movable;        // a prismatic joint moves it
} sinew_centre;

// Scratch of these steps.
typedef struct sinew_pose_scratch {
  double *q;             // nq: the configuration under construction
  double *moved;         // nv: its change
  double *values;        // rows' values: a Jacobian
  double *residual;      // rows
  double *gradient;      // nv
  sinew_target *targets; // tasks: fed forward
  sinew_centre *centres; // nv
  int *centre_of_node;   // nodes
} sinew_pose_scratch;

void sinew_pose_layout(sinew_arena *arena, const sinew_model *model, int capacity,
                       sinew_pose_scratch *scratch);

// The targets of the step: those of solver->at, moved by their twists where there is a time step.
const sinew_target *sinew_pose_targets(const sinew_solver *solver);

// linear.x <- the change from solver->at.q to pose.q, times the error gain.
void sinew_pose_take(sinew_solver *solver);

void sinew_ccd_step(sinew_solver *solver);        // joints from the tips to the root
void sinew_ccd_root_step(sinew_solver *solver);   // from the root to the tips
void sinew_ccd_newton_step(sinew_solver *solver); // and Newton's step near the end
void sinew_fabrik_step(sinew_solver *solver);
void sinew_halley_step(sinew_solver *solver);
void sinew_numeric_step(sinew_solver *solver);        // Newton's step on the vector e
void sinew_numeric_scalar_step(sinew_solver *solver); // and on the scalar |e|

#endif
