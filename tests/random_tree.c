// Random multibodies: see random_tree.h.
#include "random_tree.h"
#include "link.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define KINDS ((int)SINEW_JOINT_FREE + 1)

// xorshift64* (Vigna, An experimental exploration of Marsaglia's xorshift
// generators, scrambled, 2016). The multiplication spreads small seeds.
random_stream random_stream_of(uint64_t seed) {
  random_stream stream = {(seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1};
  for (int i = 0; i < 8; ++i) {
    random_bits(&stream);
  }
  return stream;
}

uint64_t random_bits(random_stream *stream) {
  uint64_t x = stream->state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  stream->state = x;
  return x * UINT64_C(0x2545f4914f6cdd1d);
}

int random_below(random_stream *stream, int count) {
  return (int)((random_bits(stream) >> 33) % (uint64_t)count);
}

double random_between(random_stream *stream, double lower, double upper) {
  return lower + (upper - lower) * ((double)(random_bits(stream) >> 11) * 0x1p-53);
}

static bool chance(random_stream *stream, double share) {
  return random_between(stream, 0.0, 1.0) < share;
}

void random_unit(random_stream *stream, int count, double *v) {
  double sum;
  do { // points of the cube that are within the unit ball
    sum = 0.0;
    for (int i = 0; i < count; ++i) {
      v[i] = random_between(stream, -1.0, 1.0);
      sum += v[i] * v[i];
    }
  } while (sum > 1.0 || sum < 0.01);
  for (int i = 0; i < count; ++i) {
    v[i] /= sqrt(sum);
  }
}

random_tree_options random_tree_defaults(void) {
  return (random_tree_options){.joints = 8, .chain = 0.5, .coupled = 0.25, .link_length = 0.3};
}

// A third along a coordinate axis; of any length.
static void make_axis(random_stream *stream, double axis[3]) {
  random_unit(stream, 3, axis);
  if (chance(stream, 0.33)) {
    memset(axis, 0, 3 * sizeof(double));
    axis[random_below(stream, 3)] = chance(stream, 0.5) ? 1.0 : -1.0;
  }
  if (chance(stream, 0.33)) {
    const double length = pow(10.0, random_between(stream, -3.0, 3.0));
    for (int i = 0; i < 3; ++i) {
      axis[i] *= length;
    }
  }
}

static void make_placement(random_stream *stream, double length, sinew_pose *placement) {
  for (int i = 0; i < 3; ++i) {
    placement->position[i] = random_between(stream, -length, length);
  }
  if (chance(stream, 0.1)) { // a link of length zero
    memset(placement->position, 0, sizeof placement->position);
  }
  if (chance(stream, 0.8)) {
    random_unit(stream, 4, placement->rotation);
  }
  const double scale = chance(stream, 0.2) ? 3.0 : 1.0; // need not be of unit length
  for (int i = 0; i < 4; ++i) {
    placement->rotation[i] *= scale;
  }
}

// Up to three angles, neighbours different, and for CHANNELS up to three distances at random places
// among them.
static void make_channels(random_stream *stream, sinew_joint_def *joint) {
  const bool slides = joint->kind == SINEW_JOINT_CHANNELS;
  int turns = random_below(stream, slides ? 4 : 3) + (slides ? 0 : 1), count = 0;
  bool used[3] = {!slides, !slides, !slides};
  int left = slides ? random_below(stream, 4) : 0, last = -1;
  if (turns + left == 0) {
    turns = 1;
  }
  while (turns + left > 0) {
    const int axis = random_below(stream, 3);
    if (turns > 0 && (left == 0 || chance(stream, 0.5))) {
      if (axis != last) {
        joint->channels[count++] = (char)('X' + axis);
        last = axis;
        --turns;
      }
    } else if (!used[axis]) {
      joint->channels[count++] = (char)('x' + axis);
      used[axis] = true;
      --left;
    }
  }
  joint->channels[count] = '\0';
}

// The number of values in v of a joint, and how many of the last belong to a quaternion.
static int value_count(const sinew_joint_def *joint, int *ball) {
  static const int counts[KINDS] = {
      [SINEW_JOINT_REVOLUTE] = 1,    [SINEW_JOINT_CONTINUOUS] = 1, [SINEW_JOINT_PRISMATIC] = 1,
      [SINEW_JOINT_SCREW] = 1,       [SINEW_JOINT_SPHERICAL] = 3,  [SINEW_JOINT_UNIVERSAL] = 2,
      [SINEW_JOINT_CYLINDRICAL] = 2, [SINEW_JOINT_PLANAR] = 3,     [SINEW_JOINT_FREE] = 6};
  *ball = joint->kind == SINEW_JOINT_SPHERICAL || joint->kind == SINEW_JOINT_FREE ? 3 : 0;
  return joint->channels[0] != '\0' ? (int)strlen(joint->channels) : counts[joint->kind];
}

// Each side of swing from 0.3 rad to nearly pi, beyond 90 degrees too; half of them with twist.
static void make_cone(random_stream *stream, sinew_joint_def *joint) {
  for (int i = 1; i < 3; ++i) {
    joint->lower[i] = random_between(stream, -3.0, -0.3);
    joint->upper[i] = random_between(stream, 0.3, 3.0);
  }
  if (chance(stream, 0.5)) {
    joint->lower[0] = random_between(stream, -3.0, 0.2);
    joint->upper[0] = joint->lower[0] + random_between(stream, 0.0, 2.0);
  }
  random_unit(stream, 3, joint->axis);
  random_unit(stream, 3, joint->axis2);
}

static void make_limits(random_stream *stream, const random_tree_options *options,
                        sinew_joint_def *joint) {
  int ball;
  const int plain = value_count(joint, &ball) - ball;
  if (joint->kind == SINEW_JOINT_SPHERICAL && options->cones > 0.0 &&
      chance(stream, options->cones)) {
    make_cone(stream, joint);
  }
  for (int i = 0; i < plain + ball; ++i) {
    joint->velocity[i] = options->velocity;
    if (joint->kind == SINEW_JOINT_CONTINUOUS || i >= plain || !chance(stream, options->limited)) {
      continue;
    }
    joint->lower[i] = random_between(stream, -2.0, 0.2);
    joint->upper[i] = joint->lower[i] + random_between(stream, 0.5, 3.0);
    if (chance(stream, 0.1)) {
      joint->lower[i] = -INFINITY;
    } else if (chance(stream, 0.1)) {
      joint->upper[i] = INFINITY;
    }
  }
}

static void make_joint(random_stream *stream, const random_tree_options *options,
                       sinew_joint_def *joint) {
  *joint = sinew_default_joint_def();
  do {
    joint->kind = (sinew_joint_kind)random_below(stream, KINDS);
  } while (options->kinds != 0 && (options->kinds >> joint->kind & 1u) == 0);
  make_placement(stream, options->link_length, &joint->placement);
  make_axis(stream, joint->axis);
  do { // clearly not parallel
    make_axis(stream, joint->axis2);
  } while (fabs(joint->axis[0] * joint->axis2[0] + joint->axis[1] * joint->axis2[1] +
                joint->axis[2] * joint->axis2[2]) >
           0.9 * sqrt((joint->axis[0] * joint->axis[0] + joint->axis[1] * joint->axis[1] +
                       joint->axis[2] * joint->axis[2]) *
                      (joint->axis2[0] * joint->axis2[0] + joint->axis2[1] * joint->axis2[1] +
                       joint->axis2[2] * joint->axis2[2])));
  joint->pitch = random_between(stream, -0.2, 0.2);
  if (joint->kind == SINEW_JOINT_EULER || joint->kind == SINEW_JOINT_CHANNELS) {
    make_channels(stream, joint);
  }
  make_limits(stream, options, joint);
}

static bool is_single(const sinew_joint_def *joint) {
  int ball;
  return value_count(joint, &ball) == 1;
}

// Some joints of one value follow an earlier joint, so that there is no loop; that one may itself
// be coupled.
static void make_coupling(random_stream *stream, double share, const int *made, int joints,
                          sinew_joint_def *all) {
  for (int k = 1; k < joints; ++k) {
    const sinew_joint_def *driver = &all[made[random_below(stream, k)]];
    sinew_joint_def *joint = &all[made[k]];
    if (is_single(joint) && is_single(driver) && chance(stream, share)) {
      joint->driver = (int)(driver - all);
      joint->ratio = random_between(stream, -2.0, 2.0);
      joint->offset = random_between(stream, -0.5, 0.5);
    }
  }
}

static void shuffle(random_stream *stream, int count, int *order) {
  for (int i = 0; i < count; ++i) {
    const int j = random_below(stream, i + 1);
    order[i] = order[j];
    order[j] = i;
  }
}

void random_tree_make(random_tree *tree, uint64_t seed, const random_tree_options *options) {
  random_stream stream = random_stream_of(seed);
  const int joints = options->joints;
  int link_of[RANDOM_TREE_MOST_JOINTS + 1], joint_of[RANDOM_TREE_MOST_JOINTS];
  shuffle(&stream, joints + 1, link_of);
  shuffle(&stream, joints, joint_of);
  memset(tree, 0, sizeof *tree);
  for (int k = 0; k < joints; ++k) { // joint k moves the link made as number k + 1
    sinew_joint_def *joint = &tree->joints[joint_of[k]];
    make_joint(&stream, options, joint);
    joint->parent = link_of[chance(&stream, options->chain) ? k : random_below(&stream, k + 1)];
    joint->child = link_of[k + 1];
    tree->depth[joint->child] = tree->depth[joint->parent] + 1;
  }
  make_coupling(&stream, options->coupled, joint_of, joints, tree->joints);
  for (int i = 0; i <= joints; ++i) {
    snprintf(tree->link_names[i], sizeof tree->link_names[i], "l%d", i);
    tree->links[i] = (sinew_link_def)LINK(tree->link_names[i]);
  }
  for (int j = 0; j < joints; ++j) {
    snprintf(tree->joint_names[j], sizeof tree->joint_names[j], "j%d", j);
    tree->joints[j].name = tree->joint_names[j];
  }
  tree->def = sinew_default_model_def();
  tree->def.name = "random";
  tree->def.links = tree->links;
  tree->def.link_count = joints + 1;
  tree->def.joints = tree->joints;
  tree->def.joint_count = joints;
}
