// Models, configurations and forward kinematics.
#include "module.h"

EXPORT(model_destroy) void web_model_destroy(sinew_model *model) {
  sinew_model_destroy(model);
}

EXPORT(model_name) const char *web_model_name(const sinew_model *model) {
  return sinew_model_name(model);
}

// Links, joints, nq, nv, root.
EXPORT(model_counts) void web_model_counts(const sinew_model *model, int counts[5]) {
  counts[0] = sinew_model_link_count(model);
  counts[1] = sinew_model_joint_count(model);
  counts[2] = sinew_model_nq(model);
  counts[3] = sinew_model_nv(model);
  counts[4] = sinew_model_root(model);
}

EXPORT(model_size) double web_model_size(const sinew_model *model) {
  return sinew_model_size(model);
}

EXPORT(model_warning) const char *web_model_warning(const sinew_model *model, int index) {
  return sinew_model_warning(model, index);
}

EXPORT(model_link_name) const char *web_model_link_name(const sinew_model *model, int link) {
  return sinew_model_link_name(model, link);
}

// Kind, parent, child, q index, nq, v index, nv, driver; ratio and offset.
EXPORT(model_joint)
const char *web_model_joint(const sinew_model *model, int joint, int numbers[8],
                            double coupling[2]) {
  sinew_joint j;
  if (sinew_model_joint(model, joint, &j) != SINEW_OK)
    return NULL;
  const int values[8] = {(int)j.kind, j.parent,  j.child, j.q_index,
                         j.nq,        j.v_index, j.nv,    j.driver};
  for (int i = 0; i < 8; ++i)
    numbers[i] = values[i];
  coupling[0] = j.ratio;
  coupling[1] = j.offset;
  return j.name;
}

EXPORT(model_lower) const double *web_model_lower(const sinew_model *model) {
  return sinew_model_lower(model);
}

EXPORT(model_upper) const double *web_model_upper(const sinew_model *model) {
  return sinew_model_upper(model);
}

EXPORT(model_velocity) const double *web_model_velocity(const sinew_model *model) {
  return sinew_model_velocity(model);
}

// The mass of a link [kg], and its centre of mass in the link's frame.
EXPORT(model_link_mass) double web_model_link_mass(const sinew_model *model, int link, double *at) {
  return sinew_model_link_mass(model, link, at);
}

EXPORT(configuration_start) void web_configuration_start(const sinew_model *model, double *q) {
  sinew_configuration_start(model, q);
}

EXPORT(configuration_middle) void web_configuration_middle(const sinew_model *model, double *q) {
  sinew_configuration_middle(model, q);
}

EXPORT(configuration_random)
void web_configuration_random(const sinew_model *model, double seed, double counter, double *q) {
  sinew_configuration_random(model, (uint64_t)seed, (uint64_t)counter, q);
}

EXPORT(configuration_integrate)
void web_configuration_integrate(const sinew_model *model, const double *q, const double *v,
                                 double *out) {
  sinew_configuration_integrate(model, q, v, out);
}

EXPORT(configuration_difference)
void web_configuration_difference(const sinew_model *model, const double *q0, const double *q1,
                                  double *v) {
  sinew_configuration_difference(model, q0, q1, v);
}

EXPORT(model_joint_values)
int web_model_joint_values(const sinew_model *model, const double *q, double *values) {
  return sinew_model_joint_values(model, q, values);
}

EXPORT(state_create) int web_state_create(const sinew_model *model, sinew_state **state) {
  return sinew_state_create(model, NULL, state, &web_error);
}

EXPORT(state_destroy) void web_state_destroy(sinew_state *state) {
  sinew_state_destroy(state);
}

// The poses of all links at q: position x, y, z, rotation w, x, y, z.
EXPORT(state_poses) int web_state_poses(sinew_state *state, const double *q, double *poses) {
  const sinew_result result = sinew_state_forward(state, q);
  if (result != SINEW_OK)
    return web_fail_with(result, "a value of q is not a finite number");
  const int links = sinew_model_link_count(sinew_state_model(state));
  for (int link = 0; link < links; ++link) {
    sinew_pose pose;
    if (sinew_state_link_pose(state, link, &pose) != SINEW_OK)
      break;
    for (int i = 0; i < 3; ++i)
      *poses++ = pose.position[i];
    for (int i = 0; i < 4; ++i)
      *poses++ = pose.rotation[i];
  }
  return SINEW_OK;
}

// J (6 x nv) of a point of a link, in the root link's axes, at the last q of state_poses().
EXPORT(state_jacobian)
int web_state_jacobian(sinew_state *state, int link, const double *point, double *J) {
  const sinew_result result =
      sinew_state_jacobian(state, link, point, sinew_model_root(sinew_state_model(state)), J);
  return result == SINEW_OK ? result : web_fail_with(result, "the point is not finite");
}
