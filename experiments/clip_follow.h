// A solver that follows a clip, and how well it does.
#ifndef EXPERIMENTS_CLIP_FOLLOW_H
#define EXPERIMENTS_CLIP_FOLLOW_H

#include "experiments/bones.h"
#include "experiments/clip_motion.h"
#include "sinew/solver.h"

// How a clip is followed.
typedef struct clip_course {
  double rate;          // frames a second; 0: the clip's own
  sinew_task_kind kind; // of the tasks: POSE or POSITION
  double stretch; // distances of the targets from their centroid, divided by those of the clip
  int updates;    // a frame
} clip_course;

// A run of a solver along a clip. After each clip_follower_next() the fields are those of a frame.
typedef struct clip_follower {
  const clip *clip;
  clip_course course;
  double rate; // frames a second
  sinew_solver *solver;
  sinew_task tasks[CLIP_MOST_EFFECTORS];
  sinew_target targets[CLIP_MOST_EFFECTORS];
  int frame, frame_count;
  double *q;           // the follower's configuration
  bones bones;         // whose lengths are those of the clip
  double microseconds; // of an update
  // Poses of all links, in the parents' frames and in the root's: of the clip and of the follower.
  sinew_pose *clip_relative, *clip_poses, *relative, *poses;
} clip_follower;

// @return false after a message on standard error
bool clip_follower_begin(clip_follower *self, const clip *followed, const sinew_solver_def *def,
                         const clip_course *course);
void clip_follower_end(clip_follower *self);

// Takes the next frame; false after the last.
bool clip_follower_next(clip_follower *self);

// The results of a run. NAN where there is no such value: angles of position tasks, and motions
// where a clip has too few frames at this rate.
typedef struct clip_result {
  int frames;
  double distance, distance_most; // of an effector from its target: mean, largest [mm]
  double angle, angle_most;       // likewise [rad]
  double turn, clip_turn;         // largest rotation of a joint in a frame [rad]
  // Mean acceleration of points, divided by that of the clip: of the effectors, and of all links.
  double tip_acceleration, link_acceleration;
  double microseconds, microseconds_most; // of an update: mean, largest
} clip_result;

// @return false after a message
bool clip_follow(const clip *followed, const sinew_solver_def *def, const clip_course *course,
                 clip_result *out);

#endif
