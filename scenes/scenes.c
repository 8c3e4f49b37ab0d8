// The scenes by name, and how one is built.
#include "scenes/scenes.h"
#include "scenes/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define CHAIN "chain-"
#define MOST_BALLS 100000

typedef struct entry {
  const char *name;
  sinew_scene *(*build)(const char *name);
} entry;

static const entry entries[] = {{"two-link", sinew_scene_two_link},
                                {"y", sinew_scene_y},
                                {"double-y-25", sinew_scene_double_y_25},
                                {"double-y-16", sinew_scene_double_y_16},
                                {"reference", sinew_scene_reference},
                                {"arm6", sinew_scene_arm6},
                                {"arm7", sinew_scene_arm7},
                                {"planar", sinew_scene_planar},
                                {"spider", sinew_scene_spider},
                                {"humanoid", sinew_scene_humanoid},
                                {"humanoid-poses", sinew_scene_humanoid_poses},
                                {"humanoid-cones", sinew_scene_humanoid_cones},
                                {"hand", sinew_scene_hand},
                                {"snake", sinew_scene_snake}};

enum { ENTRY_COUNT = sizeof entries / sizeof entries[0] };

const char *sinew_scene_name(int index) {
  if (index == ENTRY_COUNT) {
    return CHAIN "N";
  }
  return index >= 0 && index < ENTRY_COUNT ? entries[index].name : NULL;
}

// The N of "chain-N"; 0 for any other name.
static int chain_length(const char *name) {
  const char *digits = name + strlen(CHAIN);
  int count = 0;
  if (strncmp(name, CHAIN, strlen(CHAIN)) != 0 || digits[0] == '0') {
    return 0;
  }
  for (; *digits != '\0'; ++digits) {
    if (*digits < '0' || *digits > '9') {
      return 0;
    }
    count = 10 * count + (*digits - '0');
    if (count > MOST_BALLS) {
      return 0;
    }
  }
  return count;
}

sinew_scene *sinew_scene_create(const char *name) {
  for (int i = 0; i < ENTRY_COUNT; ++i) {
    if (strcmp(name, entries[i].name) == 0) {
      return entries[i].build(name);
    }
  }
  const int balls = chain_length(name);
  return balls > 0 ? sinew_scene_chain(name, balls) : NULL;
}

void sinew_scene_destroy(sinew_scene *scene) {
  if (scene == NULL) {
    return;
  }
  sinew_scene_storage *storage = scene->storage;
  if (storage != NULL) {
    free(storage->links);
    free(storage->joints);
    free(storage->names);
    free(storage->tasks);
    free(storage->home);
    free(storage->q);
    free(storage);
  }
  free(scene);
}

// ------------------------------------------------------------------- building

static sinew_scene *allocate(int count) {
  const size_t n = (size_t)count;
  sinew_scene *scene = calloc(1, sizeof *scene);
  sinew_scene_storage *storage = calloc(1, sizeof *storage);
  if (scene == NULL || storage == NULL) {
    free(scene);
    free(storage);
    return NULL;
  }
  scene->storage = storage;
  storage->capacity = count;
  storage->links = calloc(n + 1, sizeof *storage->links);
  storage->joints = calloc(n, sizeof *storage->joints);
  storage->names = calloc(n, sizeof *storage->names);
  storage->tasks = calloc(n, sizeof *storage->tasks);
  storage->home = calloc(n + 1, sizeof *storage->home);
  storage->q = calloc(n * SINEW_JOINT_MAX_NQ, sizeof *storage->q);
  if (storage->links == NULL || storage->joints == NULL || storage->names == NULL ||
      storage->tasks == NULL || storage->home == NULL || storage->q == NULL) {
    sinew_scene_destroy(scene);
    return NULL;
  }
  return scene;
}

sinew_scene *sinew_scene_begin(const char *name, int count) {
  sinew_scene *scene = allocate(count);
  if (scene == NULL) {
    return NULL;
  }
  sinew_scene_storage *storage = scene->storage;
  snprintf(storage->name, sizeof storage->name, "%s", name);
  storage->links[0] = sinew_default_link_def();
  storage->links[0].name = "base";
  scene->name = storage->name;
  scene->source = "sinew's own";
  scene->time_step = 1.0 / 60.0;
  scene->tasks = storage->tasks;
  scene->model = sinew_default_model_def();
  scene->model.name = storage->name;
  scene->model.links = storage->links;
  scene->model.link_count = 1;
  scene->model.joints = storage->joints;
  return scene;
}

int sinew_scene_add(sinew_scene *scene, int parent, const char *name, sinew_joint_kind kind,
                    const double offset[3], const double axis[3]) {
  sinew_scene_storage *storage = scene->storage;
  const int index = scene->model.joint_count, link = index + 1;
  snprintf(storage->names[index], SCENE_NAME_SIZE, "%s", name);
  sinew_joint_def joint = sinew_default_joint_def();
  joint.name = storage->names[index];
  joint.kind = kind;
  joint.parent = parent;
  joint.child = link;
  memcpy(joint.placement.position, offset, sizeof joint.placement.position);
  if (axis != NULL) {
    memcpy(joint.axis, axis, sizeof joint.axis);
  }
  storage->joints[index] = joint;
  storage->links[link] = sinew_default_link_def();
  storage->links[link].name = storage->names[index];
  scene->model.joint_count = index + 1;
  scene->model.link_count = link + 1;
  return link;
}

void sinew_scene_limit(sinew_scene *scene, int link, double lower, double upper) {
  sinew_joint_def *joint = &scene->storage->joints[link - 1];
  joint->lower[0] = lower;
  joint->upper[0] = upper;
  scene->storage->home[link] = lower > -PI && upper < PI ? 0.5 * (lower + upper) : 0.0;
}

void sinew_scene_limit_swing(sinew_scene *scene, int link, const double axis[3],
                             const double axis2[3], const double lower[3], const double upper[3]) {
  sinew_joint_def *joint = &scene->storage->joints[link - 1];
  memcpy(joint->axis, axis, sizeof joint->axis);
  memcpy(joint->axis2, axis2, sizeof joint->axis2);
  memcpy(joint->lower, lower, 3 * sizeof *lower);
  memcpy(joint->upper, upper, 3 * sizeof *upper);
}

void sinew_scene_home(sinew_scene *scene, int link, double value) {
  scene->storage->home[link] = value;
}

void sinew_scene_effect(sinew_scene *scene, int link, sinew_task_kind kind) {
  sinew_task task = sinew_default_task();
  task.link = link;
  task.kind = kind;
  scene->storage->tasks[scene->task_count++] = task;
}

sinew_scene *sinew_scene_from_table(const char *name, const sinew_scene_node *nodes, int count) {
  sinew_scene *scene = sinew_scene_begin(name, count);
  for (int i = 0, joints = 0; scene != NULL && i < count; ++i) {
    const sinew_scene_node *node = &nodes[i];
    const double *axis = node->axis;
    const bool moves = axis[0] != 0.0 || axis[1] != 0.0 || axis[2] != 0.0;
    char part[SCENE_NAME_SIZE];
    double offset[3];
    for (int k = 0; k < 3; ++k) {
      offset[k] = node->position[k] - (node->parent < 0 ? 0.0 : nodes[node->parent].position[k]);
    }
    snprintf(part, sizeof part, moves ? "joint%d" : "tip%d", moves ? joints : scene->task_count);
    const int link =
        sinew_scene_add(scene, node->parent + 1, part,
                        moves ? SINEW_JOINT_REVOLUTE : SINEW_JOINT_FIXED, offset, axis);
    joints += moves;
    if (!moves) {
      sinew_scene_effect(scene, link, SINEW_TASK_POSITION);
      // A fixed joint does not use its axis, but a zero axis is refused.
      scene->storage->joints[link - 1].axis[0] = 1.0;
    }
  }
  return scene;
}
