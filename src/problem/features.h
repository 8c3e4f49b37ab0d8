// The features that a problem needs, as flags. A kernel declares those that it supports; the driver
// compares, and uses the general code where one is not supported. Their words in docs/global.md are
// in tests/test_features.c.
#ifndef SINEW_PROBLEM_FEATURES_H
#define SINEW_PROBLEM_FEATURES_H

#include "problem/problem.h"

typedef enum sinew_feature {
  // Joints between the root and an end effector.
  SINEW_FEATURE_PRISMATIC = 1u << 0,
  SINEW_FEATURE_SCREW = 1u << 1,
  SINEW_FEATURE_SPHERICAL = 1u << 2,
  SINEW_FEATURE_COUPLED = 1u << 3,  // several joints have one value, or one has a multiple of it
  SINEW_FEATURE_INACTIVE = 1u << 4, // some do not move: frozen, or above chain_root
  // Gains and bounds.
  SINEW_FEATURE_GAINS = 1u << 5, // some gain is not 1
  SINEW_FEATURE_LIMITS = 1u << 6,
  SINEW_FEATURE_SPEED_LIMITS = 1u << 7,
  // Tasks.
  SINEW_FEATURE_SEVERAL_TASKS = 1u << 8,
  SINEW_FEATURE_PART_OF_POSE = 1u << 9, // one has fewer rows than a pose
  SINEW_FEATURE_WEIGHTS = 1u << 10,     // some weight is not 1
  SINEW_FEATURE_FREE_AXES = 1u << 11,
  SINEW_FEATURE_DIRECTION = 1u << 12,
  SINEW_FEATURE_FIXED_LINK = 1u << 13,   // one is of a link that no joint moves
  SINEW_FEATURE_GENERAL_ROWS = 1u << 14, // one has rows of no point, frame or direction: task.h
  SINEW_FEATURE_CONES = 1u << 15,        // some spherical joint has limits of swing and twist
  SINEW_FEATURE_FUNCTION = 1u << 16,     // some joint has a function of the user's
  // Positions, orientations and poses, all rows of them with the same weight, with targets that are
  // relative to a link, or of the centre of mass. Others of these have GENERAL_ROWS.
  SINEW_FEATURE_RELATIVE = 1u << 17,
  SINEW_FEATURE_CENTER_OF_MASS = 1u << 18,
  SINEW_FEATURE_CONES_IN_PART = 1u << 19 // some of these joints do not move about all axes alike
} sinew_feature;

#define SINEW_FEATURE_COUNT 20

// What sets a task's rows apart from those of a whole point, orientation or pose of one link.
#define SINEW_FEATURES_NOT_WHOLE                                                                   \
  (SINEW_FEATURE_FREE_AXES | SINEW_FEATURE_DIRECTION | SINEW_FEATURE_GENERAL_ROWS |                \
   SINEW_FEATURE_RELATIVE | SINEW_FEATURE_CENTER_OF_MASS)

// All features of a problem, as it is compiled.
unsigned sinew_problem_features(const sinew_problem *problem);

// The features that a task needs by itself.
unsigned sinew_task_features(const sinew_compiled_task *task);

#endif
