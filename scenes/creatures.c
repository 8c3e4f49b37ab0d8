// Trees: a humanoid, a spider, and the reference tree of 30 degrees of freedom.
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

static const double x_axis[3] = {1, 0, 0}, y_axis[3] = {0, 1, 0};

static int add_spherical(sinew_scene *scene, int parent, const char *name, double x, double y,
                         double z) {
  const double offset[3] = {x, y, z};
  return sinew_scene_add(scene, parent, name, SINEW_JOINT_SPHERICAL, offset, NULL);
}

static int add_revolute(sinew_scene *scene, int parent, const char *name, double length_x,
                        double length_y, const double axis[3], double lower, double upper) {
  const double offset[3] = {length_x, length_y, 0};
  const int link = sinew_scene_add(scene, parent, name, SINEW_JOINT_REVOLUTE, offset, axis);
  sinew_scene_limit(scene, link, lower, upper);
  return link;
}

static int add_tip(sinew_scene *scene, int parent, const char *name, double x, double y, double z) {
  const double offset[3] = {x, y, z};
  const int link = sinew_scene_add(scene, parent, name, SINEW_JOINT_FIXED, offset, NULL);
  sinew_scene_effect(scene, link, SINEW_TASK_POSITION);
  return link;
}

// ------------------------------------------------------------------- humanoid

// y up, x to its left; arms stretched to the sides, legs down. Elbows and knees are revolute joints
// with one-sided limits.
static void add_arm(sinew_scene *scene, int chest, double side) {
  const bool left = side > 0;
  const int collar =
      add_spherical(scene, chest, left ? "collar_l" : "collar_r", side * 0.03, 0.20, 0);
  const int shoulder =
      add_spherical(scene, collar, left ? "shoulder_l" : "shoulder_r", side * 0.16, 0, 0);
  const int elbow = add_revolute(scene, shoulder, left ? "elbow_l" : "elbow_r", side * 0.30, 0,
                                 y_axis, left ? -2.6 : 0, left ? 0 : 2.6);
  const int wrist = add_spherical(scene, elbow, left ? "wrist_l" : "wrist_r", side * 0.26, 0, 0);
  add_tip(scene, wrist, left ? "hand_l" : "hand_r", side * 0.10, 0, 0);
}

static void add_leg(sinew_scene *scene, int pelvis, double side) {
  const bool left = side > 0;
  const int hip = add_spherical(scene, pelvis, left ? "hip_l" : "hip_r", side * 0.09, -0.05, 0);
  const int knee = add_revolute(scene, hip, left ? "knee_l" : "knee_r", 0, -0.43, x_axis, 0, 2.5);
  const int ankle = add_spherical(scene, knee, left ? "ankle_l" : "ankle_r", 0, -0.42, 0);
  add_tip(scene, ankle, left ? "foot_l" : "foot_r", 0, -0.06, 0.14);
}

sinew_scene *sinew_scene_humanoid(const char *name) {
  sinew_scene *scene = sinew_scene_begin(name, 24);
  if (scene == NULL) {
    return NULL;
  }
  const double height[3] = {0, 1.0, 0};
  const int pelvis = sinew_scene_add(scene, 0, "pelvis", SINEW_JOINT_FREE, height, NULL);
  const int spine = add_spherical(scene, pelvis, "spine", 0, 0.12, 0);
  const int chest = add_spherical(scene, spine, "chest", 0, 0.16, 0);
  add_spherical(scene, chest, "neck", 0, 0.26, 0);
  add_arm(scene, chest, 1);
  add_arm(scene, chest, -1);
  add_leg(scene, pelvis, 1);
  add_leg(scene, pelvis, -1);
  scene->title = "a humanoid on a free base, hands and feet to points";
  return scene;
}

// --------------------------------------------------------------------- spider

sinew_scene *sinew_scene_spider(const char *name) {
  static const char *const parts[] = {"coxa", "femur", "tibia", "foot"};
  const double center[3] = {0, 0, 0};
  sinew_scene *scene = sinew_scene_begin(name, 33);
  if (scene == NULL) {
    return NULL;
  }
  const int body = sinew_scene_add(scene, 0, "body", SINEW_JOINT_FREE, center, NULL);
  for (int leg = 0; leg < 8; ++leg) {
    // Four legs on each side, spread; z up.
    const double angle = (leg < 4 ? 0.0 : PI) + (leg % 4 - 1.5) * 0.6;
    const double out[3] = {cos(angle), sin(angle), 0}, across[3] = {-sin(angle), cos(angle), 0};
    const double lengths[] = {0.10, 0.06, 0.25, 0.30};
    const double up[3] = {0, 0, 1};
    int link = body;
    for (int part = 0; part < 4; ++part) {
      char label[SCENE_NAME_SIZE];
      const double offset[3] = {lengths[part] * out[0], lengths[part] * out[1], 0};
      snprintf(label, sizeof label, "%s%d", parts[part], leg + 1);
      link =
          sinew_scene_add(scene, link, label, part < 3 ? SINEW_JOINT_REVOLUTE : SINEW_JOINT_FIXED,
                          offset, part == 0 ? up : across);
    }
    sinew_scene_effect(scene, link, SINEW_TASK_POSITION);
    sinew_scene_limit(scene, link - 3, -0.8, 0.8);
    sinew_scene_limit(scene, link - 2, -1.5, 0.8);
    sinew_scene_limit(scene, link - 1, 0.0, 2.4);
  }
  scene->title = "a spider on a free base, eight feet to points";
  return scene;
}

// ------------------------------------------------------------- reference tree

// A root with 6 degrees of freedom and 8 spherical joints, 6 leaves: 30 in all. Source: S. Rabbani,
// Jacobian, figure 4; the lengths are sinew's own.
sinew_scene *sinew_scene_reference(const char *name) {
  const double origin[3] = {0, 0, 0};
  sinew_scene *scene = sinew_scene_begin(name, 15);
  if (scene == NULL) {
    return NULL;
  }
  const int root = sinew_scene_add(scene, 0, "root", SINEW_JOINT_FREE, origin, NULL);
  // A trunk of two spherical joints, two limbs of two below the root, two of one above it.
  const int trunk = add_spherical(scene, root, "trunk", 0, 0.2, 0);
  const int crown = add_spherical(scene, trunk, "crown", 0, 0.4, 0);
  add_tip(scene, crown, "leaf1", 0, 0.3, 0);
  add_tip(scene, trunk, "leaf2", 0.1, 0.2, 0.3);
  add_tip(scene, add_spherical(scene, trunk, "arm_l", 0.2, 0.3, 0), "leaf3", 0.5, 0, 0);
  add_tip(scene, add_spherical(scene, trunk, "arm_r", -0.2, 0.3, 0), "leaf4", -0.5, 0, 0);
  for (int side = 1; side >= -1; side -= 2) {
    const bool left = side > 0;
    const int upper = add_spherical(scene, root, left ? "upper_l" : "upper_r", side * 0.15, 0, 0);
    const int lower = add_spherical(scene, upper, left ? "lower_l" : "lower_r", 0, -0.45, 0);
    add_tip(scene, lower, left ? "leaf5" : "leaf6", 0, -0.45, 0);
  }
  scene->title = "Rabbani's reference tree: 30 degrees of freedom, 6 leaves";
  scene->source = "S. Rabbani, Jacobian, figure 4; lengths are sinew's own";
  return scene;
}
