// Writes humanoid.bvh: a figure of 175 cm that walks two strides at 30 frames a second; and
// walk.bvh: the same figure in three strides at 120 frames a second, with a look to the side.
//
//     make_humanoid > models/humanoid.bvh
//     make_humanoid walk > models/walk.bvh
//
// Lengths are fractions of the body's height from Drillis and Contini, Body Segment Parameters,
// 1966, as given in Winter, Biomechanics and Motor Control of Human Movement, 4th edition, 2009,
// figure 4.1; lengths that the figure does not give (hip joints, spine, parts of the foot) are
// marked below.
//
// The walk is computed, not captured: each foot stands, rolls over its ball and swings along smooth
// curves in time, the pelvis shifts, rotates and tilts with the step, and each leg follows from the
// poses of its foot and its hip, as a chain of two links. Arms and trunk swing against the legs.
//
// Centimetres, y up; the figure walks along z, its left is along x. At rest it is upright with its
// arms stretched to the sides and its hips at the origin: every reader of BVH interprets a ROOT's
// OFFSET of 0 in the same way.
#include "sinew/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An output file.
typedef struct clip {
  int frames, frames_a_stride;
  double frame_time; // [s]
  double decimals;   // 10 to the power of their number
  double look; // the angle by which the trunk and the head look aside in the second stride [rad]
} clip;

static const clip humanoid = {64, 32, 1.0 / 30, 1e4, 0};
static const clip walk = {384, 128, 1.0 / 120, 1e3, 0.7};

#define MOST_FRAMES 384

static const double pi = 3.14159265358979323846;
static const double height = 175; // of the body [cm]

// Fractions of the height.
#define HIP_HEIGHT 0.530
#define KNEE_HEIGHT 0.285
#define ANKLE_HEIGHT 0.039
#define SHOULDER_HEIGHT 0.818
#define CHIN_HEIGHT 0.870
#define SHOULDER_HALF 0.129
#define UPPER_ARM 0.186
#define FOREARM 0.146
#define HAND 0.108
#define FOOT 0.152
#define HIP_HALF 0.048     // half of the hips' half breadth 0.191: the joints are inside
#define HEEL_BEHIND 0.039  // of the ankle: a quarter of the foot
#define BALL_AHEAD 0.073   // of the ankle: so that the toes are a quarter too
#define BALL_HEIGHT 0.010  // half the foot's thickness there
#define CLAVICLE_HALF 0.02 // the inner ends of the collar bones

typedef struct figure_joint {
  const char *name;
  int parent;           // in this table; -1: the root
  double offset[3];     // in the parent [of the height]
  const char *channels; // NULL: an end
} figure_joint;

enum {
  HIPS,
  SPINE,
  CHEST,
  NECK,
  HEAD,
  HEAD_END,
  LEFT_SHOULDER,
  LEFT_ARM,
  LEFT_FOREARM,
  LEFT_HAND,
  LEFT_HAND_END,
  RIGHT_SHOULDER,
  RIGHT_ARM,
  RIGHT_FOREARM,
  RIGHT_HAND,
  RIGHT_HAND_END,
  LEFT_UP_LEG,
  LEFT_LEG,
  LEFT_FOOT,
  LEFT_TOES,
  LEFT_TOES_END,
  RIGHT_UP_LEG,
  RIGHT_LEG,
  RIGHT_FOOT,
  RIGHT_TOES,
  RIGHT_TOES_END,
  JOINTS
};

#define ARM_ACROSS (SHOULDER_HALF - CLAVICLE_HALF)
#define CHEST_HEIGHT 0.680
#define NECK_HEIGHT 0.830
#define COLLAR_HEIGHT 0.805

static const figure_joint figure[JOINTS] = {
    [HIPS] = {"Hips", -1, {0, 0, 0}, "xyzYZX"},
    [SPINE] = {"Spine", HIPS, {0, 0.04, 0}, "YZX"},
    [CHEST] = {"Chest", SPINE, {0, CHEST_HEIGHT - HIP_HEIGHT - 0.04, 0}, "YZX"},
    [NECK] = {"Neck", CHEST, {0, NECK_HEIGHT - CHEST_HEIGHT, 0}, "YZX"},
    [HEAD] = {"Head", NECK, {0, CHIN_HEIGHT - NECK_HEIGHT, 0}, "YZX"},
    [HEAD_END] = {"Head_end", HEAD, {0, 1 - CHIN_HEIGHT, 0}, NULL},
    [LEFT_SHOULDER] = {"LeftShoulder",
                       CHEST,
                       {CLAVICLE_HALF, COLLAR_HEIGHT - CHEST_HEIGHT, 0},
                       "ZY"},
    [LEFT_ARM] = {"LeftArm",
                  LEFT_SHOULDER,
                  {ARM_ACROSS, SHOULDER_HEIGHT - COLLAR_HEIGHT, 0},
                  "XZY"},
    [LEFT_FOREARM] = {"LeftForeArm", LEFT_ARM, {UPPER_ARM, 0, 0}, "YX"},
    [LEFT_HAND] = {"LeftHand", LEFT_FOREARM, {FOREARM, 0, 0}, "ZY"},
    [LEFT_HAND_END] = {"LeftHand_end", LEFT_HAND, {HAND, 0, 0}, NULL},
    [RIGHT_SHOULDER] = {"RightShoulder",
                        CHEST,
                        {-CLAVICLE_HALF, COLLAR_HEIGHT - CHEST_HEIGHT, 0},
                        "ZY"},
    [RIGHT_ARM] = {"RightArm",
                   RIGHT_SHOULDER,
                   {-ARM_ACROSS, SHOULDER_HEIGHT - COLLAR_HEIGHT, 0},
                   "XZY"},
    [RIGHT_FOREARM] = {"RightForeArm", RIGHT_ARM, {-UPPER_ARM, 0, 0}, "YX"},
    [RIGHT_HAND] = {"RightHand", RIGHT_FOREARM, {-FOREARM, 0, 0}, "ZY"},
    [RIGHT_HAND_END] = {"RightHand_end", RIGHT_HAND, {-HAND, 0, 0}, NULL},
    [LEFT_UP_LEG] = {"LeftUpLeg", HIPS, {HIP_HALF, 0, 0}, "ZXY"},
    [LEFT_LEG] = {"LeftLeg", LEFT_UP_LEG, {0, KNEE_HEIGHT - HIP_HEIGHT, 0}, "X"},
    [LEFT_FOOT] = {"LeftFoot", LEFT_LEG, {0, ANKLE_HEIGHT - KNEE_HEIGHT, 0}, "XZ"},
    [LEFT_TOES] = {"LeftToes", LEFT_FOOT, {0, BALL_HEIGHT - ANKLE_HEIGHT, BALL_AHEAD}, "X"},
    [LEFT_TOES_END] = {"LeftToes_end", LEFT_TOES, {0, 0, FOOT - HEEL_BEHIND - BALL_AHEAD}, NULL},
    [RIGHT_UP_LEG] = {"RightUpLeg", HIPS, {-HIP_HALF, 0, 0}, "ZXY"},
    [RIGHT_LEG] = {"RightLeg", RIGHT_UP_LEG, {0, KNEE_HEIGHT - HIP_HEIGHT, 0}, "X"},
    [RIGHT_FOOT] = {"RightFoot", RIGHT_LEG, {0, ANKLE_HEIGHT - KNEE_HEIGHT, 0}, "XZ"},
    [RIGHT_TOES] = {"RightToes", RIGHT_FOOT, {0, BALL_HEIGHT - ANKLE_HEIGHT, BALL_AHEAD}, "X"},
    [RIGHT_TOES_END] = {"RightToes_end", RIGHT_TOES, {0, 0, FOOT - HEEL_BEHIND - BALL_AHEAD}, NULL},
};

// ---- the gait; phase is the share of a stride since a foot's heel struck ----

static const double stride = 128;  // both steps [cm]
static const double stance = 0.6;  // fraction of the stride during which a foot stands
static const double strike = 0.30; // toes up at heel strike [rad]
static const double flat = 0.09;   // the foot comes down until here
static const double rise = 0.34;   // the heel rises from here
static const double push = 0.90;   // heel up at toe off [rad]
static const double lift = 4; // of the ankle in mid swing, above the line between its ends [cm]

// 0 before a, 1 after b, smooth between.
static double smooth(double x, double a, double b) {
  double t = fmin(1, fmax(0, (x - a) / (b - a)));
  return t * t * (3 - 2 * t);
}

// The foot's rotation about x, positive with the heel up [rad].
static double foot_pitch(double phase) {
  if (phase < stance) {
    return push * smooth(phase, rise, stance) - strike * (1 - smooth(phase, 0, flat));
  }
  double swing = (phase - stance) / (1 - stance);
  return push - (push + strike) * smooth(swing, 0, 0.85);
}

// The ankle of a foot that stands flat at z = 0: rotated about the ball where the heel is up, else
// about the heel. Only y and z.
static void planted_ankle(double pitch, double *y, double *z) {
  double pivot_y = pitch > 0 ? BALL_HEIGHT * height : 0;
  double pivot_z = (pitch > 0 ? BALL_AHEAD : -HEEL_BEHIND) * height;
  double dy = ANKLE_HEIGHT * height - pivot_y, dz = -pivot_z;
  *y = pivot_y + cos(pitch) * dy - sin(pitch) * dz;
  *z = pivot_z + sin(pitch) * dy + cos(pitch) * dz;
}

// The ankle above the ground; z from this stride's heel strike.
static void ankle_place(double phase, double *y, double *z) {
  if (phase < stance) {
    planted_ankle(foot_pitch(phase), y, z);
    return;
  }
  double from_y, from_z, to_y, to_z;
  planted_ankle(push, &from_y, &from_z);
  planted_ankle(-strike, &to_y, &to_z);
  double swing = (phase - stance) / (1 - stance);
  // The ankle moves at toe off, and is at rest at heel strike.
  double s = smooth(swing, 0, 1) + 0.8 * swing * (1 - swing) * (1 - swing);
  double bump = sin(pi * swing);
  *y = from_y + (to_y - from_y) * s + lift * bump * bump;
  *z = from_z + (to_z + stride - from_z) * s;
}

// ---- rotations, row-major ----

static void turn(char axis, double angle, double R[9]) {
  int i = (axis - 'X' + 1) % 3, j = (axis - 'X' + 2) % 3, k = axis - 'X';
  memset(R, 0, 9 * sizeof *R);
  R[4 * k] = 1;
  R[4 * i] = R[4 * j] = cos(angle);
  R[3 * i + j] = -sin(angle);
  R[3 * j + i] = sin(angle);
}

static void multiply(const double A[9], const double B[9], double out[9]) {
  double C[9];
  for (int i = 0; i < 9; i++) {
    C[i] =
        A[i - i % 3] * B[i % 3] + A[i - i % 3 + 1] * B[3 + i % 3] + A[i - i % 3 + 2] * B[6 + i % 3];
  }
  memcpy(out, C, sizeof C);
}

static void append_rotation(char axis, double angle, double R[9]) {
  double T[9];
  turn(axis, angle, T);
  multiply(R, T, R);
}

// ---- a pose ----

// Angles by joint and letter, the root's position by x, y, z.
typedef struct pose {
  double value[JOINTS][128];
} pose;

// The angle between -pi and pi.
static double wrapped(double angle) {
  return remainder(angle, 2 * pi);
}

// The leg from its hip to an ankle at d in the pelvis' axes. The knee angle follows from the law of
// cosines; twist about the thigh rotates the plane of the knee; the hip then rotates about X and Z
// so that the ankle is at d: R = Rz Rx Ry.
static void reach_ankle(pose *p, int up_leg, const double d[3], double twist) {
  double thigh = (HIP_HEIGHT - KNEE_HEIGHT) * height;
  double shank = (KNEE_HEIGHT - ANKLE_HEIGHT) * height;
  double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  double cosine = (square - thigh * thigh - shank * shank) / (2 * thigh * shank);
  double knee = acos(fmin(1, fmax(-1, cosine)));
  // the ankle with the hip at zero, except for the twist
  double back = -shank * sin(knee);
  double v[3] = {back * sin(twist), -thigh - shank * cos(knee), back * cos(twist)};
  double down = -sqrt(fmax(0, d[0] * d[0] + d[1] * d[1] - v[0] * v[0]));
  p->value[up_leg]['X'] = wrapped(atan2(d[2], down) - atan2(v[2], v[1]));
  p->value[up_leg]['Z'] = wrapped(atan2(d[1], d[0]) - atan2(down, v[0]));
  p->value[up_leg]['Y'] = twist;
  p->value[up_leg + 1]['X'] = knee;
}

// The ankle rotates so that the foot is at its pitch; toes stay along the ground.
static void set_foot(pose *p, int up_leg, const double pelvis[9], double pitch) {
  double R[9], F[9], back[9];
  memcpy(R, pelvis, sizeof R);
  append_rotation('Z', p->value[up_leg]['Z'], R);
  append_rotation('X', p->value[up_leg]['X'], R);
  append_rotation('Y', p->value[up_leg]['Y'], R);
  append_rotation('X', p->value[up_leg + 1]['X'], R);
  for (int i = 0; i < 9; i++) {
    back[i] = R[3 * (i % 3) + i / 3];
  }
  turn('X', pitch, F);
  multiply(back, F, F); // = Rx Rz, without the rotation that the ankle does not have
  p->value[up_leg + 2]['X'] = atan2(-F[5], F[8]);
  p->value[up_leg + 2]['Z'] = atan2(-F[1], F[0]);
  p->value[up_leg + 3]['X'] = -fmax(0, pitch);
}

static void set_leg(pose *p, int up_leg, double side, double time, double shift) {
  double phase = time + shift - floor(time + shift);
  double started = (floor(time + shift) - shift) * stride;
  double ankle_y, ankle_z;
  ankle_place(phase, &ankle_y, &ankle_z);

  double pelvis[9];
  turn('Y', p->value[HIPS]['Y'], pelvis);
  append_rotation('Z', p->value[HIPS]['Z'], pelvis);
  append_rotation('X', p->value[HIPS]['X'], pelvis);
  double world[3] = {side * 0.8 * HIP_HALF * height - p->value[HIPS]['x'],
                     ankle_y - p->value[HIPS]['y'], started + ankle_z - p->value[HIPS]['z']};
  double d[3];
  for (int i = 0; i < 3; i++) {
    d[i] = pelvis[i] * world[0] + pelvis[3 + i] * world[1] + pelvis[6 + i] * world[2];
  }
  d[0] -= side * HIP_HALF * height;
  reach_ankle(p, up_leg, d, -p->value[HIPS]['Y']);
  set_foot(p, up_leg, pelvis, foot_pitch(phase));
}

// Swing is positive where the arm is behind.
static void set_arm(pose *p, int shoulder, double side, double swing) {
  p->value[shoulder + 1]['X'] = 0.35 * swing;
  p->value[shoulder + 1]['Z'] = -side * 1.38; // down from the side, 11 degrees off the body
  p->value[shoulder + 2]['Y'] = -side * (0.32 - 0.14 * swing);
  p->value[shoulder + 3]['Y'] = -side * 0.10;
}

// A look to the left in the second stride and back: spine, chest, neck and head share the angle.
static void look_aside(pose *p, double time, double angle) {
  double share = angle * smooth(time, 0.7, 1.5) * (1 - smooth(time, 1.7, 2.6));
  p->value[SPINE]['Y'] += 0.15 * share;
  p->value[CHEST]['Y'] += 0.25 * share;
  p->value[NECK]['Y'] += 0.3 * share;
  p->value[HEAD]['Y'] += 0.3 * share;
}

// time counts strides; the left heel strikes at whole numbers.
static void make_pose(pose *p, double time) {
  memset(p, 0, sizeof *p);
  double once = 2 * pi * time, twice = 2 * once;
  // The body is midway between the feet and lowest at heel strike, and above the standing foot and
  // highest a quarter of a stride later.
  p->value[HIPS]['x'] = 2.0 * sin(once);
  p->value[HIPS]['y'] = HIP_HEIGHT * height - 2.8 - 1.5 * cos(twice - 0.3);
  p->value[HIPS]['z'] = stride * time - 0.23 * stride + 1.0 * sin(twice);
  p->value[HIPS]['Y'] = -0.10 * cos(once); // the left side ahead with the left foot
  p->value[HIPS]['Z'] = 0.05 * sin(once);  // the side of the swinging leg is lower
  p->value[HIPS]['X'] = 0.03;
  p->value[SPINE]['Y'] = 0.08 * cos(once);
  p->value[SPINE]['Z'] = -0.03 * sin(once);
  p->value[CHEST]['Y'] = 0.12 * cos(once);
  p->value[CHEST]['Z'] = -0.02 * sin(once);
  p->value[NECK]['Y'] = -0.06 * cos(once);
  p->value[HEAD]['Y'] = -0.04 * cos(once); // it looks straight ahead
  p->value[HEAD]['X'] = -0.03;
  set_arm(p, LEFT_SHOULDER, 1, cos(once - 0.2));
  set_arm(p, RIGHT_SHOULDER, -1, -cos(once - 0.2));
  set_leg(p, LEFT_UP_LEG, 1, time, 0);
  set_leg(p, RIGHT_UP_LEG, -1, time, 0.5);
}

// ---- the file ----

// Rounded to the file's decimals of a degree or a centimetre.
static double rounded(double value, double unit, double decimals) {
  return round(value / unit * decimals) / decimals * unit + 0.0; // + 0.0: no -0
}

static int put_pose(const pose *p, double decimals, double *q) {
  int count = 0;
  for (int i = 0; i < JOINTS; i++) {
    for (const char *c = figure[i].channels; c != NULL && *c != '\0'; c++) {
      q[count++] = rounded(p->value[i][(int)*c], *c >= 'x' ? 1 : pi / 180, decimals);
    }
  }
  return count;
}

static sinew_model_def make_model(sinew_link_def *links, sinew_joint_def *joints) {
  links[0] = sinew_default_link_def();
  links[0].name = SINEW_BVH_WORLD;
  for (int i = 0; i < JOINTS; i++) {
    links[i + 1] = sinew_default_link_def();
    links[i + 1].name = figure[i].name;
    joints[i] = sinew_default_joint_def();
    joints[i].name = figure[i].name;
    joints[i].kind = figure[i].channels != NULL ? SINEW_JOINT_CHANNELS : SINEW_JOINT_FIXED;
    joints[i].parent = figure[i].parent + 1;
    joints[i].child = i + 1;
    for (int k = 0; k < 3; k++) {
      joints[i].placement.position[k] = rounded(figure[i].offset[k] * height, 1, 1e4);
    }
    if (figure[i].channels != NULL) {
      strcpy(joints[i].channels, figure[i].channels);
    }
  }
  sinew_model_def def = sinew_default_model_def();
  def.links = links;
  def.link_count = JOINTS + 1;
  def.joints = joints;
  def.joint_count = JOINTS;
  return def;
}

int main(int count, char **arguments) {
  static sinew_link_def links[JOINTS + 1];
  static sinew_joint_def joints[JOINTS];
  static double q[MOST_FRAMES * JOINTS * SINEW_JOINT_MAX_NV];
  static pose p;
  sinew_model_def model = make_model(links, joints);
  const clip *made = count > 1 && strcmp(arguments[1], "walk") == 0 ? &walk : &humanoid;
  sinew_motion motion = {.frame_count = made->frames, .frame_time = made->frame_time, .q = q};
  for (int frame = 0; frame < made->frames; frame++) {
    const double time = (double)frame / made->frames_a_stride;
    make_pose(&p, time);
    look_aside(&p, time, made->look);
    motion.nq = put_pose(&p, made->decimals, q + frame * motion.nq);
  }
  char *text = NULL;
  size_t size = 0;
  sinew_error error = {0};
  if (sinew_bvh_write(&model, &motion, NULL, &text, &size, &error) != SINEW_OK) {
    fprintf(stderr, "%s: %s\n", error.name, error.message);
    return 1;
  }
  int written = fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0;
  free(text);
  return written ? 0 : 1;
}
