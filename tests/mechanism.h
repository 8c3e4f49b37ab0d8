// Mechanisms with closed loops: the tree is cut, and tasks hold the two sides together.
#ifndef MECHANISM_H
#define MECHANISM_H

#include "fixtures.h"

// The tasks of a mechanism: those that close its loops, then the one that drives it.
typedef struct mechanism {
  sinew_model *model;
  sinew_task tasks[8];
  sinew_target targets[8];
  int count;
  sinew_solver *solver;
} mechanism;

// The solver, of tolerances of 1e-10; and what belongs to the mechanism.
void mechanism_start(mechanism *m);
void mechanism_end(mechanism *m);

// The largest distance or angle that tasks first .. end - 1 leave at q [m, rad], by forward
// kinematics.
double gap_of(const mechanism *m, int first, int end, const double *q);

// A point of a link relative to a frame link: where the two are pinned together.
sinew_task pin(int link, double x, double y, int frame);

// What a random mechanism is made of.
typedef struct loop_options {
  bool planar;
  double limit; // of its joints [rad, m], 0: none
  double speed; // [rad/s, m/s]
  int level;    // of its driver
  bool hard;    // whether a hard task keeps the driver from half of its path
  double reach; // a factor on that path's radius
} loop_options;

// A chain, closed by one or two others, at a random configuration q. Its driver moves a link within
// the chain. Returns the radius of its path, which leaves reach in many of them.
double random_loops(uint64_t seed, const loop_options *options, mechanism *m, double *q);

#endif
