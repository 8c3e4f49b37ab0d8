// Configurations q and velocities or steps v: the only code that depends on how the two relate.
//
//   q_i <- q_i + v_i              a revolute, prismatic or screw degree of freedom
//   Q   <- Q exp(v) / |Q exp(v)|  a spherical joint, quaternion Q, v in the moved joint's axes
#include "math/rotation.h"
#include "math/vector.h"
#include "model/model.h"

#include <string.h>

// How many of a joint's values come before its quaternion: all of them if it has none.
static int plain_count(const sinew_joint *joint) {
  return joint->nv - (joint->nq > joint->nv ? 3 : 0);
}

// +-pi, or +-size of the model.
static double reach_of(const sinew_model *model, int v) {
  return model->angular[v] ? SINEW_PI : model->size;
}

// Whether limits are too far apart for values to be spread between them.
static bool is_wide(const sinew_model *model, int v) {
  const double most = model->angular[v] ? SINEW_WIDE_TURN : SINEW_WIDE_SLIDE * model->size;
  return !(model->upper[v] - model->lower[v] <= most);
}

static double start_value(const sinew_model *model, int v) {
  return sinew_clamp(0.0, model->lower[v], model->upper[v]);
}

// Of wide limits, a value near 0 that is not at a limit.
static double middle_value(const sinew_model *model, int v) {
  const double lower = model->lower[v], upper = model->upper[v];
  if (!sinew_is_usable(lower) || !sinew_is_usable(upper)) {
    return start_value(model, v);
  }
  const double reach = reach_of(model, v);
  return is_wide(model, v) ? sinew_clamp(0.0, lower + reach, upper - reach)
                           : 0.5 * lower + 0.5 * upper;
}

// Sets each value by a rule, and spherical joints to the identity; those with limits of swing and
// twist by a rule of their own.
static void configure(const sinew_model *model, double *q,
                      double (*rule)(const sinew_model *model, int v),
                      void (*of_cone)(const sinew_cone *cone, double q[4])) {
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    const int plain = plain_count(joint);
    for (int i = 0; i < plain; ++i) {
      q[joint->q_index + i] = rule(model, joint->v_index + i);
    }
    if (plain < joint->nv) {
      const double identity[4] = {1.0, 0.0, 0.0, 0.0};
      memcpy(q + joint->q_index + plain, identity, sizeof identity);
      const int cone = model->cone_of_v[joint->v_index + plain];
      if (cone >= 0) {
        of_cone(&model->cones[cone], q + joint->q_index + plain);
      }
    }
  }
}

static void move_inside(const sinew_cone *cone, double q[4]) {
  sinew_cone_hold(cone, NULL, q);
}

void sinew_configuration_start(const sinew_model *model, double *q) {
  SINEW_ASSERT(model != NULL && (q != NULL || model->nq == 0));
  configure(model, q, start_value, move_inside);
}

void sinew_configuration_middle(const sinew_model *model, double *q) {
  SINEW_ASSERT(model != NULL && (q != NULL || model->nq == 0));
  configure(model, q, middle_value, sinew_cone_middle);
}

static double random_value(const sinew_model *model, int v, double u) {
  const double reach = reach_of(model, v);
  double lower = model->lower[v], upper = model->upper[v];
  const bool below = sinew_is_usable(lower), above = sinew_is_usable(upper);
  if (below && above && is_wide(model, v)) {
    lower = sinew_clamp(-reach, lower, upper - 2.0 * reach);
    upper = lower + 2.0 * reach;
  } else {
    lower = below ? lower : above ? upper - 2.0 * reach : -reach;
    upper = above ? upper : below ? lower + 2.0 * reach : reach;
  }
  // Within the range that forward kinematics accepts, also if limits or the size are huge.
  return sinew_clamp(sinew_min(lower + u * (upper - lower), upper), -SINEW_HUGE, SINEW_HUGE);
}

// A joint's values in q, from as many uniform numbers as it has in v.
static void random_joint(const sinew_model *model, const sinew_joint *joint, const double *u,
                         double *q) {
  const int plain = plain_count(joint);
  for (int i = 0; i < plain; ++i) {
    q[joint->q_index + i] = random_value(model, joint->v_index + i, u[i]);
  }
  if (plain < joint->nv) {
    const int cone = model->cone_of_v[joint->v_index + plain];
    double *rotation = q + joint->q_index + plain;
    if (cone >= 0) {
      sinew_cone_of_uniform(&model->cones[cone], u + plain, rotation);
    } else {
      sinew_quaternion_of_uniform(u + plain, rotation);
    }
  }
}

void sinew_configuration_of_uniform(const sinew_model *model, const double *u, double *q) {
  for (int j = 0; j < model->joint_count; ++j) {
    random_joint(model, &model->joints[j], u + model->joints[j].v_index, q);
  }
}

void sinew_configuration_random(const sinew_model *model, uint64_t seed, uint64_t counter,
                                double *q) {
  SINEW_ASSERT(model != NULL && (q != NULL || model->nq == 0));
  const uint64_t stream = sinew_random_bits(seed, counter);
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    double u[SINEW_JOINT_MAX_NV];
    for (int i = 0; i < joint->nv; ++i) {
      u[i] = sinew_random_uniform(stream, (uint64_t)(joint->v_index + i));
    }
    random_joint(model, joint, u, q);
  }
}

void sinew_configuration_integrate(const sinew_model *model, const double *q, const double *v,
                                   double *out) {
  SINEW_ASSERT(model != NULL && ((q != NULL && v != NULL && out != NULL) || model->nv == 0));
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    const int plain = plain_count(joint);
    for (int i = 0; i < plain; ++i) {
      out[joint->q_index + i] = q[joint->q_index + i] + v[joint->v_index + i];
    }
    if (plain < joint->nv) {
      const double *rotation = q + joint->q_index + plain;
      double change[4], rotated[4];
      sinew_quaternion_exp(v + joint->v_index + plain, change);
      sinew_quaternion_multiply(rotation, change, rotated);
      sinew_quaternion_normalize(rotated);
      memcpy(out + joint->q_index + plain, rotated, sizeof rotated);
    }
  }
}

void sinew_configuration_difference(const sinew_model *model, const double *q0, const double *q1,
                                    double *v) {
  SINEW_ASSERT(model != NULL && ((q0 != NULL && q1 != NULL && v != NULL) || model->nv == 0));
  if (model->nq == model->nv) { // no quaternions
    for (int i = 0; i < model->nv; ++i) {
      v[i] = q1[i] - q0[i];
    }
    return;
  }
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    const double *from = q0 + joint->q_index, *to = q1 + joint->q_index;
    double *out = v + joint->v_index;
    if (joint->nq == 1) { // most joints
      *out = *to - *from;
      continue;
    }
    const int plain = plain_count(joint);
    for (int i = 0; i < plain; ++i) {
      out[i] = to[i] - from[i];
    }
    if (plain < joint->nv) {
      sinew_quaternion_difference(from + plain, to + plain, out + plain);
    }
  }
}

void sinew_configuration_normalize(const sinew_model *model, double *q) {
  SINEW_ASSERT(model != NULL && (q != NULL || model->nq == 0));
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    if (joint->nq > joint->nv) {
      sinew_quaternion_normalize(q + joint->q_index + plain_count(joint));
    }
  }
}

void sinew_configuration_clamp(const sinew_model *model, double *q) {
  SINEW_ASSERT(model != NULL && (q != NULL || model->nq == 0));
  sinew_configuration_normalize(model, q);
  for (int v = 0; v < model->nv; ++v) {
    const int at = model->q_of_v[v], cone = model->cone_of_v[v];
    if (model->quaternion_axis[v] < 0) {
      q[at] = sinew_clamp(q[at], model->lower[v], model->upper[v]);
    } else if (model->quaternion_axis[v] == 0 && cone >= 0) {
      sinew_cone_hold(&model->cones[cone], NULL, q + at);
    }
  }
}

double sinew_configuration_excess(const sinew_model *model, const double *q, int *joint) {
  SINEW_ASSERT(model != NULL && (q != NULL || model->nq == 0));
  double most = 0.0;
  int worst = -1;
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *of = &model->joints[j];
    for (int i = 0; of->driver < 0 && i < of->nv; ++i) {
      const int v = of->v_index + i, at = model->q_of_v[v], cone = model->cone_of_v[v];
      double excess = 0.0;
      if (model->quaternion_axis[v] < 0) {
        excess = sinew_max(model->lower[v] - q[at], q[at] - model->upper[v]);
      } else if (model->quaternion_axis[v] == 0 && cone >= 0) {
        excess = sinew_cone_excess(&model->cones[cone], q + at);
      }
      worst = excess > most ? j : worst;
      most = sinew_max(most, excess);
    }
  }
  if (joint != NULL) {
    *joint = worst;
  }
  return most;
}

int sinew_model_joint_values(const sinew_model *model, const double *q, double *values) {
  SINEW_ASSERT(model != NULL && (q != NULL || model->nq == 0));
  int count = 0;
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    if (joint->driver >= 0) {
      if (values != NULL) {
        values[count] = joint->ratio * q[joint->q_index] + joint->offset;
      }
      ++count;
      continue;
    }
    if (values != NULL) {
      memcpy(values + count, q + joint->q_index, (size_t)joint->nq * sizeof(double));
    }
    count += joint->nq;
  }
  return count;
}
