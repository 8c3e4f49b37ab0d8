// The targets of effectors.
//
// Where a scene has no curves of its own, its joints move smoothly, each value the sum of two
// sines, and targets are the effectors' positions: reachable together, as that configuration shows.
// For a part of each cycle the targets are moved away from the figure's middle, to STRETCH times
// their distance; where two of them, or one and the root, are then farther apart than the joints
// between can stretch, they are proven to be out of reach.
#include "scenes/scene.h"
#include "scenes/expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// In reach for the first part of a cycle, then moved away, kept there, moved back.
#define CYCLE 12.0
#define NEAR_UNTIL 4.5
#define FAR_FROM 6.0
#define FAR_UNTIL 10.5
#define STRETCH 2.2

// Frequencies of the two sines [Hz], and the amplitude of a joint that is alone [rad].
#define SLOW 0.05
#define FAST 0.15
#define SWING 0.7

// Separates the random numbers of different quantities.
#define SEED 19

// ------------------------------------------------------------ a figure in motion

// The number of degrees of freedom above and at the joint that moves a link.
static int path_length(const sinew_scene *scene, int link) {
  int count = 0;
  while (link != 0) {
    const sinew_joint_def *joint = &scene->model.joints[link - 1];
    count += joint->kind != SINEW_JOINT_FIXED;
    link = joint->parent;
  }
  return count;
}

// A smooth value within -1 and 1.
static double swing(int dof, double time) {
  double sum = 0.0;
  for (int k = 0; k < 2; ++k) {
    const uint64_t at = 4 * (uint64_t)dof + 2 * (uint64_t)k;
    const double frequency = SLOW + (FAST - SLOW) * sinew_random_uniform(SEED, at);
    const double phase = 2 * PI * sinew_random_uniform(SEED, at + 1);
    sum += (k == 0 ? 0.6 : 0.4) * sin(2 * PI * frequency * time + phase);
  }
  return sum;
}

static int longest_path(const sinew_scene *scene) {
  int longest = 0;
  for (int t = 0; t < scene->task_count; ++t) {
    const int length = path_length(scene, scene->tasks[t].link);
    longest = length > longest ? length : longest;
  }
  return longest;
}

static void move_spherical(int v, double amplitude, double time, double *q) {
  double w[3];
  for (int k = 0; k < 3; ++k) {
    w[k] = amplitude * swing(v + k, time);
  }
  sinew_quaternion_exp(w, q);
}

// Swing and twist within half of their limits, which is within the ellipse.
static void move_cone(const sinew_joint_def *joint, const double *lower, const double *upper, int v,
                      double amplitude, double time, double *q) {
  const double *x = joint->axis, *y = joint->axis2;
  const double z[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                       x[0] * y[1] - x[1] * y[0]};
  double at[3], s[3], t[3], swung[4], twisted[4];
  for (int k = 0; k < 3; ++k) {
    const double u = swing(v + k, time), end = 0.5 * (u > 0.0 ? upper[k] : -lower[k]);
    at[k] = u * fmin(amplitude, end);
  }
  for (int k = 0; k < 3; ++k) {
    s[k] = at[1] * y[k] + at[2] * z[k];
    t[k] = at[0] * x[k];
  }
  sinew_quaternion_exp(s, swung);
  sinew_quaternion_exp(t, twisted);
  sinew_quaternion_multiply(swung, twisted, q);
}

void sinew_scene_motion(const sinew_scene *scene, const sinew_model *model, double time,
                        double *q) {
  const double *lower = sinew_model_lower(model), *upper = sinew_model_upper(model);
  // In long chains each joint moves less, so that they neither curl up nor whip.
  const double amplitude = SWING / sqrt(1.0 + longest_path(scene) / 6.0);
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    double *at = q + joint.q_index;
    int v = joint.v_index;
    double low[3], high[3];
    if (sinew_model_swing_twist(model, j, low, high)) {
      move_cone(&scene->model.joints[j], low, high, v, amplitude, time, at);
    } else if (joint.kind == SINEW_JOINT_SPHERICAL) {
      move_spherical(v, amplitude, time, at);
    } else if (joint.kind == SINEW_JOINT_FREE) {
      for (int k = 0; k < 3; ++k) {
        at[k] = 0.2 * sinew_model_size(model) * swing(v + k, time);
      }
      move_spherical(v + 3, 0.5 * amplitude, time, at + 3);
    } else if (joint.nq > 0) {
      const double home = scene->storage->home[joint.child];
      const double room = 0.7 * fmin(upper[v] - home, home - lower[v]);
      at[0] = home + fmin(amplitude, room) * swing(v, time);
    }
  }
}

// ----------------------------------------------------------------------- targets

// 0 while the targets are at the figure's effectors, 1 while they are moved away.
static double offset_at(double time) {
  const double t = fmod(time, CYCLE);
  double u = 0.0;
  if (t > FAR_UNTIL) {
    u = (CYCLE - t) / (CYCLE - FAR_UNTIL);
  } else if (t > NEAR_UNTIL) {
    u = fmin(1.0, (t - NEAR_UNTIL) / (FAR_FROM - NEAR_UNTIL));
  }
  return u * u * (3.0 - 2.0 * u);
}

// The figure's root joint, from which its targets are moved away.
static int first_moving(const sinew_scene *scene) {
  for (int j = 0; j < scene->model.joint_count; ++j) {
    if (scene->model.joints[j].kind != SINEW_JOINT_FIXED) {
      return scene->model.joints[j].child;
    }
  }
  return 0;
}

static void follow_motion(const sinew_scene *scene, sinew_state *state, double time,
                          sinew_target *targets) {
  const sinew_model *model = sinew_state_model(state);
  double center[3];
  sinew_scene_motion(scene, model, time, scene->storage->q);
  sinew_expect_ok(sinew_state_forward(state, scene->storage->q));
  sinew_expect_ok(sinew_state_point(state, first_moving(scene), NULL, center));
  const double stretch = 1.0 + (STRETCH - 1.0) * offset_at(time);
  for (int t = 0; t < scene->task_count; ++t) {
    sinew_pose pose;
    sinew_expect_ok(sinew_state_link_pose(state, scene->tasks[t].link, &pose));
    for (int k = 0; k < 3; ++k) {
      targets[t].position[k] = center[k] + stretch * (pose.position[k] - center[k]);
    }
    memcpy(targets[t].rotation, pose.rotation, sizeof pose.rotation);
  }
}

void sinew_scene_targets(const sinew_scene *scene, sinew_state *state, double time,
                         sinew_target *targets) {
  for (int t = 0; t < scene->task_count; ++t) {
    targets[t] = sinew_default_target();
    for (int k = 0; scene->waves != NULL && k < 3; ++k) {
      const sinew_scene_wave *wave = &scene->waves[t][k];
      targets[t].position[k] = wave->middle + wave->amplitude * sin(wave->frequency * time);
    }
  }
  if (scene->waves == NULL) {
    follow_motion(scene, state, time, targets);
  }
}

// ------------------------------------------------------------------------- reach

static double length_of(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static int depth_of(const sinew_scene *scene, int link) {
  int depth = 0;
  for (; link != 0; link = scene->model.joints[link - 1].parent) {
    ++depth;
  }
  return depth;
}

// The largest distance that the joints between can stretch to: the lengths from link a and from
// link b up to their common ancestor, without those of the two joints there, which are in the same
// link and count by their distance. All joints are revolute or spherical, except a free base.
static double span(const sinew_scene *scene, int a, int b) {
  const sinew_joint_def *joints = scene->model.joints;
  double sum = 0.0;
  int da = depth_of(scene, a), db = depth_of(scene, b);
  const double *last_a = NULL, *last_b = NULL;
  while (a != b) {
    int *deeper = da >= db ? &a : &b;
    const double **last = da >= db ? &last_a : &last_b;
    int *depth = da >= db ? &da : &db;
    const sinew_joint_def *joint = &joints[*deeper - 1];
    sum += *last != NULL ? length_of(*last) : 0.0;
    *last = joint->placement.position;
    sum += joint->kind == SINEW_JOINT_FREE ? INFINITY : 0.0;
    *deeper = joint->parent;
    --*depth;
  }
  double apart[3];
  for (int k = 0; k < 3; ++k) {
    apart[k] = (last_a != NULL ? last_a[k] : 0.0) - (last_b != NULL ? last_b[k] : 0.0);
  }
  return sum + length_of(apart);
}

static bool is_apart(const double p[3], const double q[3], double most) {
  const double apart[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
  return length_of(apart) > most;
}

// Some target is farther from the first joint, which does not translate, or from another target,
// than the joints between can stretch.
static bool proven_out(const sinew_scene *scene, const sinew_target *targets) {
  const int first = first_moving(scene);
  const sinew_joint_def *root = &scene->model.joints[first - 1];
  const bool fixed = root->kind != SINEW_JOINT_FREE && root->parent == 0;
  for (int t = 0; t < scene->task_count; ++t) {
    const int link = scene->tasks[t].link;
    if (fixed &&
        is_apart(targets[t].position, root->placement.position, span(scene, link, first))) {
      return true;
    }
    for (int other = 0; other < t; ++other) {
      if (is_apart(targets[t].position, targets[other].position,
                   span(scene, link, scene->tasks[other].link))) {
        return true;
      }
    }
  }
  return false;
}

static sinew_scene_reach reach_of_run(const sinew_scene *scene, int step) {
  for (int run = 0; run < scene->run_count; ++run) {
    if (step < scene->runs[run]) {
      return run % 2 == 0 ? SINEW_SCENE_OUT_OF_REACH : SINEW_SCENE_IN_REACH;
    }
    step -= scene->runs[run];
  }
  return SINEW_SCENE_UNKNOWN;
}

sinew_scene_reach sinew_scene_reach_at(const sinew_scene *scene, int step,
                                       const sinew_target *targets) {
  if (scene->runs != NULL) {
    return reach_of_run(scene, step);
  }
  if (proven_out(scene, targets)) {
    return SINEW_SCENE_OUT_OF_REACH;
  }
  const double time = scene->time_step * (step + 1);
  return scene->waves == NULL && offset_at(time) == 0.0 ? SINEW_SCENE_IN_REACH
                                                        : SINEW_SCENE_UNKNOWN;
}
