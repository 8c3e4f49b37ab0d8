// Small models that tests share, and the distance of a configuration from targets and limits.
#ifndef FIXTURES_H
#define FIXTURES_H

#include "near.h"
#include "random_tree.h"
#include "sinew/sinew.h"

#include <stdbool.h>

#define PI 3.14159265358979323846

#define assert_ok(call) assert_int_equal((call), SINEW_OK)

// Each value in [-most, most].
void random_vector(random_stream *random, double most, double v[3]);

// A tree under construction. Link 0 is the root; joint i moves link i + 1.
#define BUILDER_MOST 48
typedef struct builder {
  int joint_count;
  sinew_joint_def joints[BUILDER_MOST];
  char joint_names[BUILDER_MOST][16];
  char link_names[BUILDER_MOST + 1][16];
} builder;

void builder_start(builder *b);

// A joint at (x, y, z) in its parent link, with the axis z. Returns its definition, which may be
// changed; its child is a new link.
sinew_joint_def *builder_add(builder *b, int parent, sinew_joint_kind kind, double x, double y,
                             double z);
void builder_limit(sinew_joint_def *joint, double lower, double upper); // of each value
sinew_model *builder_make(const builder *b);

// count joints about z in a row along x, length apart; the first at the root's origin. The last
// link is count, its tip at (length, 0, 0). Without limits.
sinew_model *fixture_planar(int count, double length);

// The same with limits and speed limits on every joint.
sinew_model *fixture_planar_limited(int count, double length, double lower, double upper,
                                    double speed);

// The seven joints of the Franka Emika Panda: the numbers of models/arm7.urdf. Link 8 is the
// flange.
#define ARM_FLANGE 8
sinew_model *fixture_arm(void);

// Seven joints, two effectors, without limits: the Y of Buss 2009, section 8. Its rest pose is in
// the plane z = 0.
#define Y_EFFECTOR_0 8
#define Y_EFFECTOR_1 9
sinew_model *fixture_y(void);

// A person: hips with a floating or fixed base, a spine, neck and head, arms and legs; spherical,
// Euler and revolute joints, with limits except on the spherical ones. About 1.8 m.
enum {
  HUMANOID_HIPS,
  HUMANOID_CHEST,
  HUMANOID_HEAD,
  HUMANOID_LEFT_HAND,
  HUMANOID_RIGHT_HAND,
  HUMANOID_LEFT_FOOT,
  HUMANOID_RIGHT_FOOT,
  HUMANOID_LEFT_SHOULDER, // the link above the left arm's first joint
  HUMANOID_PLACES
};
sinew_model *fixture_humanoid(bool floats, int links[HUMANOID_PLACES]);

// Stars: each has four limbs of four joints, with limits of 1 rad, on a base that floats from a
// place and axes of its own in the root link. channels: of its joint, with all six degrees of
// freedom; NULL: it is a free joint. scale: lengths are about this [m].
#define STAR_LIMBS 4
#define STAR_JOINTS 4
sinew_model *fixture_stars(random_stream *random, int count, double scale, const char *channels);
int fixture_star_tip(int limb); // its last link; the first star's limbs have the first numbers

// A task of one kind for a link.
sinew_task task_of(sinew_task_kind kind, int link);

// Free axes that leave the kind a row: without x and the rotation about it where all would be
// free; none where the kind has none.
unsigned free_axes_of(sinew_task_kind kind, unsigned axes);

// Gives fields that the task's kind does not read their defaults.
void reset_unread_fields(sinew_task *task);

// Gives a task weights and ranges of axes, a cone, an up axis, a frame link and the centre of mass
// for its point, each with probability one half and where its kind reads them.
void vary_task(random_stream *random, const sinew_model *model, sinew_task *task);

// The target that the task's effector meets exactly at q: one of those, where there are several.
sinew_target target_at(const sinew_model *model, const sinew_task *task, const double *q);

// to <- a share of the way from q to a random configuration, within limits; up to 64 values.
void configuration_towards(const sinew_model *model, const double *q, uint64_t number, double share,
                           double *to);

// The distance of q from a target, by forward kinematics and quaternions alone: distance [m] of the
// task's point and angle [rad] of its link or axis. Without free axes.
void measure(const sinew_model *model, const sinew_task *task, const sinew_target *target,
             const double *q, double *distance, double *angle);

// How far q is outside the model's limits, at most [rad or m]; 0 where it is within them.
double outside_limits(const sinew_model *model, const double *q);

// A solver with tasks set.
sinew_solver *solver_with(const sinew_solver_def *def, const sinew_model *model,
                          const sinew_task *tasks, int count);

#endif
