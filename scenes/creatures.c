// Trees: two humanoids, a spider, a hand, a snake, and the reference tree of 30 degrees of freedom.
#include "scenes/scene.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

static const double x_axis[3] = {1, 0, 0}, y_axis[3] = {0, 1, 0}, z_axis[3] = {0, 0, 1};

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

static void add_effector(sinew_scene *scene, int parent, const char *name, double x, double y,
                         double z, sinew_task_kind kind) {
  const double offset[3] = {x, y, z};
  const int link = sinew_scene_add(scene, parent, name, SINEW_JOINT_FIXED, offset, NULL);
  sinew_scene_effect(scene, link, kind);
}

static void add_tip(sinew_scene *scene, int parent, const char *name, double x, double y,
                    double z) {
  add_effector(scene, parent, name, x, y, z, SINEW_TASK_POSITION);
}

// ------------------------------------------------------------------- humanoid

// y up, x to its left; arms stretched to the sides, legs down. With position tasks, elbows and
// knees are revolute joints with one-sided limits; with pose tasks every joint is spherical, and
// the head has a task too.
static void add_arm(sinew_scene *scene, int chest, double side, sinew_task_kind kind) {
  const bool left = side > 0;
  const char *elbow_name = left ? "elbow_l" : "elbow_r";
  const int collar =
      add_spherical(scene, chest, left ? "collar_l" : "collar_r", side * 0.03, 0.20, 0);
  const int shoulder =
      add_spherical(scene, collar, left ? "shoulder_l" : "shoulder_r", side * 0.16, 0, 0);
  const int elbow = kind == SINEW_TASK_POSE
                        ? add_spherical(scene, shoulder, elbow_name, side * 0.30, 0, 0)
                        : add_revolute(scene, shoulder, elbow_name, side * 0.30, 0, y_axis,
                                       left ? -2.6 : 0, left ? 0 : 2.6);
  const int wrist = add_spherical(scene, elbow, left ? "wrist_l" : "wrist_r", side * 0.26, 0, 0);
  add_effector(scene, wrist, left ? "hand_l" : "hand_r", side * 0.10, 0, 0, kind);
}

static void add_leg(sinew_scene *scene, int pelvis, double side, sinew_task_kind kind) {
  const bool left = side > 0;
  const char *knee_name = left ? "knee_l" : "knee_r";
  const int hip = add_spherical(scene, pelvis, left ? "hip_l" : "hip_r", side * 0.09, -0.05, 0);
  const int knee = kind == SINEW_TASK_POSE
                       ? add_spherical(scene, hip, knee_name, 0, -0.43, 0)
                       : add_revolute(scene, hip, knee_name, 0, -0.43, x_axis, 0, 2.5);
  const int ankle = add_spherical(scene, knee, left ? "ankle_l" : "ankle_r", 0, -0.42, 0);
  add_effector(scene, ankle, left ? "foot_l" : "foot_r", 0, -0.06, 0.14, kind);
}

static sinew_scene *build_humanoid(const char *name, sinew_task_kind kind) {
  sinew_scene *scene = sinew_scene_begin(name, 24);
  if (scene == NULL) {
    return NULL;
  }
  const double height[3] = {0, 1.0, 0};
  const int pelvis = sinew_scene_add(scene, 0, "pelvis", SINEW_JOINT_FREE, height, NULL);
  const int spine = add_spherical(scene, pelvis, "spine", 0, 0.12, 0);
  const int chest = add_spherical(scene, spine, "chest", 0, 0.16, 0);
  const int neck = add_spherical(scene, chest, "neck", 0, 0.26, 0);
  if (kind == SINEW_TASK_POSE) {
    add_effector(scene, neck, "head", 0, 0.12, 0, kind);
  }
  add_arm(scene, chest, 1, kind);
  add_arm(scene, chest, -1, kind);
  add_leg(scene, pelvis, 1, kind);
  add_leg(scene, pelvis, -1, kind);
  return scene;
}

sinew_scene *sinew_scene_humanoid(const char *name) {
  sinew_scene *scene = build_humanoid(name, SINEW_TASK_POSITION);
  if (scene != NULL) {
    scene->title = "a humanoid on a free base, hands and feet to points";
  }
  return scene;
}

sinew_scene *sinew_scene_humanoid_poses(const char *name) {
  sinew_scene *scene = build_humanoid(name, SINEW_TASK_POSE);
  if (scene != NULL) {
    scene->title = "a humanoid of spherical joints on a free base, hands, feet and head to poses";
  }
  return scene;
}

// Limits of swing and twist [rad], rounded from those of adults: of the twist about the bone, of
// the swing about the axis across it, and about the third axis. For the right side those marked so
// change their ends.
typedef struct range {
  const char *joint;          // without _l and _r
  const double *axis, *axis2; // along the bone, across it
  double lower[3], upper[3];
  bool mirrored[3];
} range;

// A leg swings forward about x by a negative angle; a left arm does so about y, and falls about z.
static const range ranges[] = {
    {"spine", y_axis, x_axis, {-0.5, -0.4, -0.4}, {0.5, 0.7, 0.4}, {false, false, false}},
    {"chest", y_axis, x_axis, {-0.5, -0.3, -0.4}, {0.5, 0.6, 0.4}, {false, false, false}},
    {"neck", y_axis, x_axis, {-1.2, -0.8, -0.6}, {1.2, 0.8, 0.6}, {false, false, false}},
    {"collar", x_axis, y_axis, {-0.3, -0.4, -0.2}, {0.3, 0.4, 0.6}, {false, true, true}},
    {"shoulder", x_axis, y_axis, {-1.5, -2.2, -1.7}, {1.5, 0.7, 1.6}, {false, true, true}},
    {"wrist", x_axis, y_axis, {-1.3, -0.5, -1.2}, {1.3, 0.4, 1.2}, {false, true, true}},
    {"hip", y_axis, x_axis, {-0.7, -2.1, -0.8}, {0.8, 0.5, 0.4}, {true, false, true}},
    {"ankle", y_axis, x_axis, {-0.4, -0.5, -0.35}, {0.4, 0.9, 0.35}, {true, false, true}}};

enum { RANGE_COUNT = sizeof ranges / sizeof ranges[0] };

static void limit_swing(sinew_scene *scene, int link, const range *of, bool right) {
  double lower[3], upper[3];
  for (int i = 0; i < 3; ++i) {
    const bool mirror = right && of->mirrored[i];
    lower[i] = mirror ? -of->upper[i] : of->lower[i];
    upper[i] = mirror ? -of->lower[i] : of->upper[i];
  }
  sinew_scene_limit_swing(scene, link, of->axis, of->axis2, lower, upper);
}

// Every spherical joint has limits of swing and twist, elbows and knees bend one way.
sinew_scene *sinew_scene_humanoid_cones(const char *name) {
  sinew_scene *scene = build_humanoid(name, SINEW_TASK_POSITION);
  if (scene == NULL) {
    return NULL;
  }
  int neck = 0;
  for (int link = 1; link < scene->model.link_count; ++link) {
    const char *joint = scene->model.joints[link - 1].name;
    neck = strcmp(joint, "neck") == 0 ? link : neck;
    for (int i = 0; i < RANGE_COUNT; ++i) {
      const size_t length = strlen(ranges[i].joint);
      if (strncmp(joint, ranges[i].joint, length) == 0) {
        limit_swing(scene, link, &ranges[i], strcmp(joint + length, "_r") == 0);
      }
    }
  }
  add_effector(scene, neck, "head", 0, 0.12, 0, SINEW_TASK_POSE);
  for (int t = 0; t < scene->task_count; ++t) {
    scene->storage->tasks[t].kind = SINEW_TASK_POSE;
  }
  scene->title = "a humanoid with limits of swing and twist, hands, feet and head to poses";
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

// ----------------------------------------------------------------------- hand

// x along the forearm and the fingers, y towards the thumb, z out of the back of the hand. Lengths
// [m] and ranges [rad] of an adult's right hand, rounded.
typedef struct finger {
  const char *name;
  double knuckle[2]; // x, y from the wrist
  double angle;      // of the stretched finger about z
  double lengths[3]; // of its three bones
} finger;

static const finger fingers[] = {{"thumb", {0.025, 0.025}, 0.8, {0.045, 0.032, 0.027}},
                                 {"index", {0.090, 0.025}, 0.0, {0.045, 0.026, 0.020}},
                                 {"middle", {0.092, 0.004}, 0.0, {0.049, 0.030, 0.021}},
                                 {"ring", {0.086, -0.016}, 0.0, {0.045, 0.028, 0.021}},
                                 {"little", {0.078, -0.034}, 0.0, {0.036, 0.021, 0.019}}};

enum { FINGER_COUNT = sizeof fingers / sizeof fingers[0] };

// The knuckle sideways and bent, then two joints that only bend. A positive bend is towards the
// palm.
static void add_finger(sinew_scene *scene, int palm, const finger *f) {
  static const char *const parts[] = {"side", "bend1", "bend2", "bend3"};
  static const double lower[] = {-0.35, -0.3, 0.0, -0.1}, upper[] = {0.35, 1.6, 1.9, 1.4};
  const double along[2] = {cos(f->angle), sin(f->angle)};
  const double bend_axis[3] = {-along[1], along[0], 0};
  int link = palm;
  for (int part = 0; part < 4; ++part) {
    char label[SCENE_NAME_SIZE];
    const double length = part > 1 ? f->lengths[part - 2] : 0.0;
    const double x = part == 0 ? f->knuckle[0] : length * along[0];
    const double y = part == 0 ? f->knuckle[1] : length * along[1];
    snprintf(label, sizeof label, "%s_%s", f->name, parts[part]);
    link = add_revolute(scene, link, label, x, y, part == 0 ? z_axis : bend_axis, lower[part],
                        upper[part]);
  }
  add_tip(scene, link, f->name, f->lengths[2] * along[0], f->lengths[2] * along[1], 0);
}

// The elbow bends, the forearm rotates, the wrist moves in two directions.
sinew_scene *sinew_scene_hand(const char *name) {
  sinew_scene *scene = sinew_scene_begin(name, 4 + 5 * FINGER_COUNT);
  if (scene == NULL) {
    return NULL;
  }
  const int elbow = add_revolute(scene, 0, "elbow", 0, 0, y_axis, -2.4, 0.0);
  const int forearm = add_revolute(scene, elbow, "forearm", 0, 0, x_axis, -1.4, 1.4);
  const int wrist = add_revolute(scene, forearm, "wrist_bend", 0.26, 0, y_axis, -1.1, 1.2);
  const int palm = add_revolute(scene, wrist, "wrist_side", 0, 0, z_axis, -0.5, 0.35);
  for (int i = 0; i < FINGER_COUNT; ++i) {
    add_finger(scene, palm, &fingers[i]);
  }
  scene->title = "a hand on its forearm, 24 limited joints, five fingertips to points";
  return scene;
}

// ---------------------------------------------------------------------- snake

#define SNAKE_JOINTS 40
#define SNAKE_BONE 0.05

// The axes alternate, as in robots of equal modules.
sinew_scene *sinew_scene_snake(const char *name) {
  sinew_scene *scene = sinew_scene_begin(name, SNAKE_JOINTS + 3);
  if (scene == NULL) {
    return NULL;
  }
  int effectors = 0;
  for (int i = 0, link = 0; i < SNAKE_JOINTS; ++i) {
    char label[SCENE_NAME_SIZE];
    snprintf(label, sizeof label, "joint%d", i + 1);
    link = add_revolute(scene, link, label, i > 0 ? SNAKE_BONE : 0.0, 0,
                        i % 2 == 0 ? z_axis : y_axis, -1.5, 1.5);
    // At one third, two thirds and the end.
    if (i + 1 == (effectors + 1) * SNAKE_JOINTS / 3) {
      snprintf(label, sizeof label, "tip%d", ++effectors);
      add_tip(scene, link, label, SNAKE_BONE, 0, 0);
    }
  }
  scene->title = "a snake of 40 joints with alternating axes, three points of it to points";
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
