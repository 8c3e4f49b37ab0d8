// How a scene is built.
#ifndef SCENES_SCENE_H
#define SCENES_SCENE_H

#include "scenes/scenes.h"

#include <stdbool.h>

#define SCENE_NAME_SIZE 32

typedef struct sinew_scene_storage {
  char name[SCENE_NAME_SIZE];
  sinew_link_def *links;
  sinew_joint_def *joints; // joint i moves link i + 1
  char (*names)[SCENE_NAME_SIZE];
  sinew_task *tasks;
  double *home; // for each link: the value about which its joint oscillates, if it has one value
  double *q;    // scratch of sinew_scene_targets()
  int capacity;
} sinew_scene_storage;

// One joint of a figure that is given by a table; a FIXED one is an effector.
typedef struct sinew_scene_node {
  int parent; // in the table; -1: the root
  double position[3];
  double axis[3]; // 0, 0, 0: an effector
} sinew_scene_node;

// A scene with only a root link and room for count joints; NULL: out of memory.
sinew_scene *sinew_scene_begin(const char *name, int count);

// Adds a joint and its link, both with that name. axis may be NULL where the kind has none. Returns
// the link.
int sinew_scene_add(sinew_scene *scene, int parent, const char *name, sinew_joint_kind kind,
                    const double offset[3], const double axis[3]);
void sinew_scene_limit(sinew_scene *scene, int link, double lower, double upper);

// Limits of twist and swing of a spherical joint: unit axes, across each other (model.h).
void sinew_scene_limit_swing(sinew_scene *scene, int link, const double axis[3],
                             const double axis2[3], const double lower[3], const double upper[3]);

// The value about which a joint oscillates; by default the middle of its limits, or 0.
void sinew_scene_home(sinew_scene *scene, int link, double value);
void sinew_scene_effect(sinew_scene *scene, int link, sinew_task_kind kind);

// A scene of revolute joints and effectors from a table of positions in the world.
sinew_scene *sinew_scene_from_table(const char *name, const sinew_scene_node *nodes, int count);

// The double-Y's four targets, for both versions of it.
extern const sinew_scene_wave sinew_scene_double_y_waves[4][3];

// The builders: NULL where memory is out.
sinew_scene *sinew_scene_two_link(const char *name);
sinew_scene *sinew_scene_y(const char *name);
sinew_scene *sinew_scene_double_y_25(const char *name);
sinew_scene *sinew_scene_double_y_16(const char *name);
sinew_scene *sinew_scene_reference(const char *name);
sinew_scene *sinew_scene_arm6(const char *name);
sinew_scene *sinew_scene_arm7(const char *name);
sinew_scene *sinew_scene_planar(const char *name);
sinew_scene *sinew_scene_spider(const char *name);
sinew_scene *sinew_scene_humanoid(const char *name);
sinew_scene *sinew_scene_humanoid_poses(const char *name);
sinew_scene *sinew_scene_humanoid_cones(const char *name);
sinew_scene *sinew_scene_hand(const char *name);
sinew_scene *sinew_scene_snake(const char *name);
sinew_scene *sinew_scene_chain(const char *name, int count);

#endif
