// Bounds of the workspace of a point on a chain of joints with limits: how near to a place the
// point can be.
#ifndef SINEW_SOLVE_WORKSPACE_H
#define SINEW_SOLVE_WORKSPACE_H

#include "model/model.h"

// Joints next to the root that have bounds of their own; those after them count as one shell.
#define SINEW_WORKSPACE_JOINTS 8

// Shells around each joint.
#define SINEW_WORKSPACE_SHELLS 3

// How often the interval of a joint can be divided.
#define SINEW_WORKSPACE_DEPTH 13

// All places x of the point are within nearest <= |x - centre| <= furthest.
typedef struct sinew_shell {
  double centre[3];
  double nearest, furthest;
} sinew_shell;

// An active joint. Its frame is that of its node before the motion.
typedef struct sinew_workspace_joint {
  sinew_node_kind kind;
  double to[9], from[3]; // x = to (x' - from), x' in the moved frame of the joint before it
  double middle, half;   // the interval of its motion [rad or m]
  double pitch;          // of a screw [m/rad]
  bool divides;          // whether its interval can be divided
} sinew_workspace_joint;

// The chain as it is given. Padding is 0, so that two can be compared as bytes.
typedef struct sinew_workspace_chain {
  int count; // of joints, from the root
  sinew_workspace_joint joints[SINEW_WORKSPACE_JOINTS];
  sinew_shell tip;  // in the moved frame of the last joint, or in the root link's
  double magnitude; // of all coordinates from the point to the root
} sinew_workspace_chain;

typedef struct sinew_workspace {
  sinew_workspace_chain chain;
  bool filled; // whether the following is computed
  sinew_shell shells[SINEW_WORKSPACE_JOINTS][SINEW_WORKSPACE_SHELLS]; // in each joint's frame
  // arms[j][i][l]: the largest distance of the centre of shells[j][i] from the axis of joint l < j;
  // of the tip's centre at j = count, i = 0.
  double arms[SINEW_WORKSPACE_JOINTS + 1][SINEW_WORKSPACE_SHELLS][SINEW_WORKSPACE_JOINTS];
  // Cosine and sine of half an interval divided d times.
  double turns[SINEW_WORKSPACE_JOINTS][SINEW_WORKSPACE_DEPTH + 1][2];
} sinew_workspace;

// Sets the chain; what is computed stays where it is the same.
void sinew_workspace_set(sinew_workspace *workspace, const sinew_workspace_chain *chain);

// Whether the point is further than a distance from a place (root link's frame), for all joint
// values: proven with at most that many boxes of joint values. False proves nothing.
bool sinew_workspace_excludes(sinew_workspace *workspace, const double place[3], double distance,
                              int boxes);

// A lower bound of the point's distance from a place, by at most that many boxes.
double sinew_workspace_bound(sinew_workspace *workspace, const double place[3], int boxes);

// The centre of the workspace's outermost shell (root link's frame): where the reach is measured
// from.
void sinew_workspace_centre(sinew_workspace *workspace, double centre[3]);

// How far the point is from that centre at most.
double sinew_workspace_radius(sinew_workspace *workspace);

#endif
