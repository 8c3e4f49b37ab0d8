// Arms and chains.
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

static const double y_axis[3] = {0, 1, 0}, z_axis[3] = {0, 0, 1};

// One row of Denavit-Hartenberg parameters after Craig: a rotation alpha about x, then a along x,
// then d along z; the joint rotates about z.
typedef struct craig_row {
  double a, d, alpha;
  double lower, upper;
} craig_row;

static sinew_scene *from_rows(const char *name, const craig_row *rows, int count, double flange) {
  sinew_scene *scene = sinew_scene_begin(name, count + 1);
  int link = 0;
  for (int i = 0; scene != NULL && i < count; ++i) {
    const craig_row *row = &rows[i];
    const double offset[3] = {row->a, -row->d * sin(row->alpha), row->d * cos(row->alpha)};
    char part[SCENE_NAME_SIZE];
    snprintf(part, sizeof part, "joint%d", i + 1);
    link = sinew_scene_add(scene, link, part, SINEW_JOINT_REVOLUTE, offset, z_axis);
    sinew_scene_limit(scene, link, row->lower, row->upper);
    double *rotation = scene->storage->joints[link - 1].placement.rotation;
    rotation[0] = cos(row->alpha / 2);
    rotation[1] = sin(row->alpha / 2);
  }
  if (scene != NULL) {
    const double offset[3] = {0, 0, flange};
    link = sinew_scene_add(scene, link, "flange", SINEW_JOINT_FIXED, offset, NULL);
    sinew_scene_effect(scene, link, SINEW_TASK_POSE);
  }
  return scene;
}

// Lengths: Universal Robots, "DH parameters for calculations of kinematics and dynamics", UR5; the
// rows there are after Paul, here after Craig.
sinew_scene *sinew_scene_arm6(const char *name) {
  static const craig_row rows[] = {{0, 0.089159, 0, -2 * PI, 2 * PI},
                                   {0, 0, PI / 2, -2 * PI, 2 * PI},
                                   {-0.425, 0, 0, -PI, PI},
                                   {-0.39225, 0.10915, 0, -2 * PI, 2 * PI},
                                   {0, 0.09465, PI / 2, -2 * PI, 2 * PI},
                                   {0, 0, -PI / 2, -2 * PI, 2 * PI}};
  sinew_scene *scene = from_rows(name, rows, 6, 0.0823);
  static const double home[] = {0, -1.2, 1.5, -1.2, -1.6, 0};
  for (int i = 0; scene != NULL && i < 6; ++i) {
    sinew_scene_home(scene, i + 1, home[i]);
  }
  if (scene != NULL) {
    scene->title = "an arm of 6 joints, its flange to a pose";
    scene->source = "Universal Robots, Denavit-Hartenberg parameters of the UR5";
  }
  return scene;
}

// As models/arm7.urdf, with its names.
sinew_scene *sinew_scene_arm7(const char *name) {
  static const char *const links[] = {"link0", "link1", "link2", "link3", "link4",
                                      "link5", "link6", "link7", "flange"};
  static const craig_row rows[] = {{0, 0.333, 0, -2.8973, 2.8973},
                                   {0, 0, -PI / 2, -1.7628, 1.7628},
                                   {0, 0.316, PI / 2, -2.8973, 2.8973},
                                   {0.0825, 0, PI / 2, -3.0718, -0.0698},
                                   {-0.0825, 0.384, -PI / 2, -2.8973, 2.8973},
                                   {0, 0, PI / 2, -0.0175, 3.7525},
                                   {0.088, 0, PI / 2, -2.8973, 2.8973}};
  sinew_scene *scene = from_rows(name, rows, 7, 0.107);
  for (int l = 0; scene != NULL && l < scene->model.link_count; ++l) {
    scene->storage->links[l].name = links[l];
  }
  if (scene != NULL) {
    scene->storage->joints[7].name = "flange_joint";
    scene->title = "an arm of 7 joints, its flange to a pose";
    scene->source = "Franka Control Interface, robot and interface specifications";
  }
  return scene;
}

// Segments along x, joints about y.
static sinew_scene *from_lengths(const char *name, const double *lengths, int count) {
  sinew_scene *scene = sinew_scene_begin(name, count + 1);
  double offset[3] = {0, 0, 0};
  int link = 0;
  for (int i = 0; scene != NULL && i <= count; ++i) {
    char part[SCENE_NAME_SIZE] = "tip";
    if (i < count) {
      snprintf(part, sizeof part, "joint%d", i + 1);
    }
    link = sinew_scene_add(scene, link, part, i < count ? SINEW_JOINT_REVOLUTE : SINEW_JOINT_FIXED,
                           offset, y_axis);
    sinew_scene_home(scene, link, 2.0 / count);
    offset[0] = i < count ? lengths[i] : 0.0;
  }
  if (scene != NULL) {
    sinew_scene_effect(scene, link, SINEW_TASK_POSITION);
  }
  return scene;
}

sinew_scene *sinew_scene_two_link(const char *name) {
  static const double lengths[] = {0.6, 0.4};
  sinew_scene *scene = from_lengths(name, lengths, 2);
  if (scene != NULL) {
    scene->title = "two links in a plane";
  }
  return scene;
}

sinew_scene *sinew_scene_planar(const char *name) {
  static const double lengths[] = {0.2, 0.18, 0.16, 0.14, 0.12, 0.1, 0.08, 0.06, 0.05, 0.04};
  sinew_scene *scene = from_lengths(name, lengths, 10);
  if (scene != NULL) {
    scene->title = "a chain of 10 joints in a plane, tapering";
  }
  return scene;
}

// A rope of length 1, with a spherical joint at the upper end of each piece.
sinew_scene *sinew_scene_chain(const char *name, int count) {
  sinew_scene *scene = sinew_scene_begin(name, count + 1);
  double offset[3] = {0, 0, 0};
  int link = 0;
  for (int i = 0; scene != NULL && i <= count; ++i) {
    char part[SCENE_NAME_SIZE] = "tip";
    if (i < count) {
      snprintf(part, sizeof part, "ball%d", i + 1);
    }
    link = sinew_scene_add(scene, link, part, i < count ? SINEW_JOINT_SPHERICAL : SINEW_JOINT_FIXED,
                           offset, NULL);
    offset[0] = 1.0 / count;
  }
  if (scene != NULL) {
    scene->title = "a chain of spherical joints, 1 m long";
    sinew_scene_effect(scene, link, SINEW_TASK_POSITION);
  }
  return scene;
}
