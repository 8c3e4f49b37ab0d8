// Access to a model's properties.
#include "math/vector.h"
#include "model/model.h"

#include <string.h>

const char *sinew_model_name(const sinew_model *model) {
  SINEW_ASSERT(model != NULL);
  return model->name;
}
int sinew_model_link_count(const sinew_model *model) {
  SINEW_ASSERT(model != NULL);
  return model->link_count;
}
int sinew_model_joint_count(const sinew_model *model) {
  SINEW_ASSERT(model != NULL);
  return model->joint_count;
}
int sinew_model_nq(const sinew_model *model) {
  SINEW_ASSERT(model != NULL);
  return model->nq;
}
int sinew_model_nv(const sinew_model *model) {
  SINEW_ASSERT(model != NULL);
  return model->nv;
}
int sinew_model_root(const sinew_model *model) {
  SINEW_ASSERT(model != NULL);
  return model->root;
}
double sinew_model_size(const sinew_model *model) {
  SINEW_ASSERT(model != NULL);
  return model->size;
}
// Joints closer than this share of the size are at one place.
#define APART 1e-9

double sinew_model_link_length(const sinew_model *model) {
  SINEW_ASSERT(model != NULL);
  double sum = 0.0;
  int count = 0;
  for (int n = 0; n < model->node_count; ++n) {
    const double length = sinew_norm_safe(model->placements[n].column[3]);
    if (model->nodes[n].parent >= 0 && length > APART * model->size) {
      sum += length;
      ++count;
    }
  }
  return count > 0 ? sum / count : model->size;
}
const double *sinew_model_lower(const sinew_model *model) {
  SINEW_ASSERT(model != NULL);
  return model->lower;
}
const double *sinew_model_upper(const sinew_model *model) {
  SINEW_ASSERT(model != NULL);
  return model->upper;
}
const double *sinew_model_velocity(const sinew_model *model) {
  SINEW_ASSERT(model != NULL);
  return model->velocity;
}

const char *sinew_model_warning(const sinew_model *model, int index) {
  SINEW_ASSERT(model != NULL);
  return index >= 0 && index < model->warning_count ? model->warnings[index] : NULL;
}

static bool is_link(const sinew_model *model, int link) {
  return link >= 0 && link < model->link_count;
}

const char *sinew_model_link_name(const sinew_model *model, int link) {
  SINEW_ASSERT(model != NULL);
  return is_link(model, link) ? model->link_names[link] : NULL;
}

int sinew_model_link_joint(const sinew_model *model, int link) {
  SINEW_ASSERT(model != NULL);
  return is_link(model, link) ? model->link_joint[link] : -1;
}

double sinew_model_link_mass(const sinew_model *model, int link, double center_of_mass[3]) {
  SINEW_ASSERT(model != NULL);
  const double none[4] = {0.0};
  const double *mass = is_link(model, link) ? model->masses + 4 * link : none;
  if (center_of_mass != NULL) {
    memcpy(center_of_mass, mass + 1, 3 * sizeof(double));
  }
  return mass[0];
}

static const char *link_name(const void *names, int index) {
  return ((char *const *)names)[index];
}

static const char *joint_name(const void *joints, int index) {
  return ((const sinew_joint *)joints)[index].name;
}

int sinew_model_find_link(const sinew_model *model, const char *name) {
  SINEW_ASSERT(model != NULL);
  return name == NULL
             ? -1
             : *sinew_name_table_find(&model->link_table, name, link_name, model->link_names);
}

int sinew_model_find_joint(const sinew_model *model, const char *name) {
  SINEW_ASSERT(model != NULL);
  return name == NULL
             ? -1
             : *sinew_name_table_find(&model->joint_table, name, joint_name, model->joints);
}

sinew_result sinew_model_joint(const sinew_model *model, int joint, sinew_joint *out) {
  SINEW_ASSERT(model != NULL && out != NULL);
  if (joint < 0 || joint >= model->joint_count) {
    return SINEW_ERROR_INDEX;
  }
  *out = model->joints[joint];
  return SINEW_OK;
}

bool sinew_model_swing_twist(const sinew_model *model, int joint, double lower[3],
                             double upper[3]) {
  SINEW_ASSERT(model != NULL);
  if (joint < 0 || joint >= model->joint_count ||
      model->joints[joint].kind != SINEW_JOINT_SPHERICAL) {
    return false;
  }
  const int of = model->cone_of_v[model->joints[joint].v_index];
  if (of < 0) {
    return false;
  }
  for (int i = 0; i < 3; ++i) {
    if (lower != NULL) {
      lower[i] = model->cones[of].lower[i];
    }
    if (upper != NULL) {
      upper[i] = model->cones[of].upper[i];
    }
  }
  return true;
}

int sinew_model_shapes(const sinew_model *model, const sinew_shape_def **shapes) {
  SINEW_ASSERT(model != NULL && shapes != NULL);
  *shapes = model->shapes;
  return model->shape_count;
}

int sinew_model_ignored_pairs(const sinew_model *model, const sinew_link_pair **pairs) {
  SINEW_ASSERT(model != NULL && pairs != NULL);
  *pairs = model->pairs;
  return model->pair_count;
}
