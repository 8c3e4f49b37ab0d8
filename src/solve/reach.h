// Proofs that targets cannot be reached, and how far the chains reach.
#ifndef SINEW_SOLVE_REACH_H
#define SINEW_SOLVE_REACH_H

#include "problem/problem.h"
#include "sinew/solver.h"
#include "solve/workspace.h"

// Only the first tasks have workspaces of their own.
#define SINEW_REACH_TASKS 4

// Boxes for one proof, and for a bound of the reach. On ten arms a proof for targets at 1.05 times
// the reach takes 2.5 us on average, 17 us on the slowest arm; one that fails takes up to 100 us.
#define SINEW_REACH_BOXES 500
#define SINEW_REACH_BOUND_BOXES 161

// What was proven, of one task.
typedef struct sinew_reach_proof {
  int task;
  double distance; // of its target from the centre of its workspace [m]; of a pair: from the other
  double reach;    // the bound of that distance
  // Of a proof by workspace: which one, the place that it excludes, and by how much at least.
  sinew_workspace *space;
  double place[3], slack;
  bool wrist; // the place is that of the wrist, offset from the task's point in the link's axes
  double offset[3];
} sinew_reach_proof;

typedef struct sinew_reach {
  int count;               // of tasks with workspaces
  sinew_workspace *spaces; // of each: of its point and of its wrist
  sinew_reach_proof proof; // the last
} sinew_reach;

void sinew_reach_layout(sinew_arena *arena, int capacity, sinew_reach *reach);
void sinew_reach_begin(sinew_reach *reach);

// Whether some position target, or the distance between two of them, is impossible for the lengths
// of the chains, for any joint angles and by more than the tolerances. Prismatic joints are within
// their limits; inactive degrees of freedom, for example frozen ones or those above a chain's root,
// are constant as in q. False proves nothing. Takes some 100 ns for an arm.
// @param proof filled if so; may be NULL
bool sinew_reach_excludes(const sinew_problem *problem, const sinew_tolerances *tolerances,
                          const sinew_target *targets, const double *q, sinew_reach_proof *proof);

// The same with the limits of all joints, and with the wrists of poses; takes up to 0.1 ms for each
// point and wrist, and some 0.2 ms more when the chain is new. If so the proof is filled, but for
// its reach and distance.
bool sinew_reach_prove(sinew_reach *reach, const sinew_problem *problem,
                       const sinew_tolerances *tolerances, const sinew_target *targets,
                       const double *q);

// Fills the distance of the last proof, and its reach by a bound of the distance from the
// workspace.
// @param reached the place of the point or the wrist at the best configuration
void sinew_reach_measure(sinew_reach *reach, const double reached[3]);

#endif
