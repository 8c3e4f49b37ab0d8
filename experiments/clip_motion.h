// A motion-capture clip: its skeleton, the frames that are used, and its poses at any time.
#ifndef EXPERIMENTS_CLIP_MOTION_H
#define EXPERIMENTS_CLIP_MOTION_H

#include "sinew/formats.h"
#include "sinew/kinematics.h"

// The effectors of a clip that has all of them.
enum {
  CLIP_LEFT_HAND,
  CLIP_RIGHT_HAND,
  CLIP_LEFT_FOOT,
  CLIP_RIGHT_FOOT,
  CLIP_HEAD,
  CLIP_MOST_EFFECTORS
};

// The fewest frames that are followed.
#define CLIP_LEAST_FRAMES 10

typedef struct clip {
  char *name; // of the file, without ".bvh"
  sinew_document *document;
  sinew_model *model;
  sinew_state *state; // its configuration changes
  int link_count;
  int *parents;                       // of each link; -1: the root
  int effectors[CLIP_MOST_EFFECTORS]; // links: hands, feet, head
  int effector_count;
  double millimetres;   // in the clip's unit of length, of a figure that is 1.75 m tall
  double frame_time;    // [s]
  int first;            // the first frame that is used
  int frame_count;      // of those that are used
  sinew_pose *relative; // frame_count x link_count: poses of links in their parents' frames
} clip;

// Opens a BVH and finds its longest part without a jump.
// @param problem why the clip cannot be used, if it cannot
bool clip_open(clip *self, const char *path, char *problem, size_t size);
void clip_close(clip *self);

// The clip's own frames a second.
double clip_rate(const clip *self);

// How many frames the used part has at a rate [1/s].
int clip_frames_at(const clip *self, double rate);

// The pose of each link in its parent's frame: between two frames positions are interpolated
// linearly, rotations along the shortest arc.
// @param time since the first used frame [s]
void clip_sample(const clip *self, double time, sinew_pose *relative);

// From poses in the frames of the parents to poses in the root's frame, and back.
void clip_compose(const clip *self, const sinew_pose *relative, sinew_pose *poses);
void clip_decompose(const clip *self, const sinew_pose *poses, sinew_pose *relative);

// The angle between two rotations [rad].
double clip_angle(const double from[4], const double to[4]);

// The distance between two points.
double clip_distance(const double a[3], const double b[3]);

#endif
