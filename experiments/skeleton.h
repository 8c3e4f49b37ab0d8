// Skeletons: the poses of their links, and their pictures.
#ifndef EXPERIMENTS_SKELETON_H
#define EXPERIMENTS_SKELETON_H

#include "sinew/kinematics.h"

#include <stdio.h>

// Colours of another figure, of the one that is shown, and of targets.
#define SKELETON_OTHER "#e08a1e"
#define SKELETON_OWN "#1b5aa5"
#define SKELETON_REACHED "#2a9d5c"
#define SKELETON_MISSED "#d9483b"

// The pose of each link at a configuration.
void skeleton_poses(sinew_state *state, const double *q, sinew_pose *poses);

// The place of a point in a picture, from the front, a little from the right and above; y is up.
void skeleton_project(const double p[3], double out[2]);

// A square of a picture: its middle, and half of its side.
typedef struct skeleton_view {
  double x, y, half;
} skeleton_view;

// The places that a view is to show: least and largest x and y.
typedef struct skeleton_bounds {
  double least[2], most[2];
} skeleton_bounds;

// Bounds of nothing.
skeleton_bounds skeleton_bounds_empty(void);

// Includes the place of a point.
void skeleton_include(skeleton_bounds *bounds, const double p[3]);

// Includes each link of a figure.
void skeleton_include_links(skeleton_bounds *bounds, const sinew_model *model,
                            const sinew_pose *poses);

// The square about bounds that are not empty, with a margin.
skeleton_view skeleton_view_of(const skeleton_bounds *bounds);

// A block of segments for gnuplot: from each joint to the next.
void skeleton_put(FILE *out, const char *block, const sinew_model *model, const sinew_pose *poses);

#endif
