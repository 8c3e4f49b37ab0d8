// What shapes a motion: the order of joints, straight targets, strengths, keys, and postures of a
// clip.
#ifndef EXPERIMENTS_MOTION_H
#define EXPERIMENTS_MOTION_H

#include <stdbool.h>

typedef struct motion_facts {
  double tip_share_ccd, tip_share_inverse; // of the motion, by the last of ten joints
  double root_share_ccd;                   // by the first
  double bow_straight, bow_joints; // largest distance of the hand from a straight line, over its
                                   // length: targets along the line; joints interpolated
  double share_weak, share_strong; // of an arm's motion, by its first joint: gain 0.3 and 3
  double bow_keys[2];              // the same with 3 and 9 solved keys, interpolated
  double natural_plain, natural_synergy; // |q - clip|, mean: from the mean posture; from it moved
                                         // along the first principal components of the clip
  double natural_foreign;                // along those of another clip
  double natural_rest;                   // the clip's distance from what its components span
} motion_facts;

// @return false after a message
bool motion_measure(bool brief, motion_facts *out);

#endif
