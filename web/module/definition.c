// Model definitions: from JavaScript, from a file, of a scene; and models made from them.
#include "module.h"

#include <stdlib.h>
#include <string.h>

// A row of a joint: kind, parent, child, placement (position, rotation w x y z), axis (3),
// axis2 (3), pitch, lower (6), upper (6), velocity (6), driver, ratio, offset.
#define JOINT_VALUES 38

// A row of a shape: link, a (3), b (3), radius.
#define SHAPE_VALUES 8

typedef struct definition {
  sinew_model_def model;
  sinew_link_def *links;
  sinew_joint_def *joints;
} definition;

static char *copy_text(const char *text) {
  const size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  return copy != NULL ? memcpy(copy, text, size) : NULL;
}

EXPORT(definition_destroy) void web_definition_destroy(definition *d) {
  if (d == NULL)
    return;
  for (int i = 0; d->links != NULL && i < d->model.link_count; ++i)
    free((char *)d->links[i].name);
  for (int i = 0; d->joints != NULL && i < d->model.joint_count; ++i)
    free((char *)d->joints[i].name);
  free((char *)d->model.name);
  free(d->links);
  free(d->joints);
  free(d);
}

// NULL: there is no memory.
EXPORT(definition_create)
definition *web_definition_create(const char *name, int link_count, int joint_count) {
  definition *d = calloc(1, sizeof *d);
  if (d == NULL)
    return NULL;
  d->model = sinew_default_model_def();
  d->model.link_count = link_count;
  d->model.joint_count = joint_count;
  d->model.name = copy_text(name);
  d->model.links = d->links = calloc((size_t)link_count + 1, sizeof *d->links);
  d->model.joints = d->joints = calloc((size_t)joint_count + 1, sizeof *d->joints);
  if (d->model.name == NULL || d->links == NULL || d->joints == NULL) {
    web_definition_destroy(d);
    return NULL;
  }
  for (int i = 0; i < link_count; ++i)
    d->links[i] = sinew_default_link_def();
  for (int i = 0; i < joint_count; ++i)
    d->joints[i] = sinew_default_joint_def();
  return d;
}

EXPORT(definition_link) void web_definition_link(definition *d, int link, const char *name) {
  d->links[link].name = copy_text(name);
}

static void take(double *to, const double **row, int count) {
  memcpy(to, *row, (size_t)count * sizeof *to);
  *row += count;
}

EXPORT(definition_joint)
void web_definition_joint(definition *d, int joint, const char *name, const char *channels,
                          const double *row) {
  sinew_joint_def *def = &d->joints[joint];
  def->name = copy_text(name);
  strncpy(def->channels, channels, sizeof def->channels - 1);
  def->kind = (sinew_joint_kind)*row++;
  def->parent = (int)*row++;
  def->child = (int)*row++;
  take(def->placement.position, &row, 3);
  take(def->placement.rotation, &row, 4);
  take(def->axis, &row, 3);
  take(def->axis2, &row, 3);
  take(&def->pitch, &row, 1);
  take(def->lower, &row, SINEW_JOINT_MAX_NV);
  take(def->upper, &row, SINEW_JOINT_MAX_NV);
  take(def->velocity, &row, SINEW_JOINT_MAX_NV);
  def->driver = (int)*row++;
  def->ratio = *row++;
  def->offset = *row++;
}

EXPORT(definition_model) const sinew_model_def *web_definition_model(const definition *d) {
  return &d->model;
}

// ---- What a definition says ----

static void put(double **row, const double *from, int count) {
  memcpy(*row, from, (size_t)count * sizeof *from);
  *row += count;
}

EXPORT(model_def_joint)
void web_model_def_joint(const sinew_model_def *model, int joint, double row[JOINT_VALUES]) {
  const sinew_joint_def *def = &model->joints[joint];
  *row++ = def->kind;
  *row++ = def->parent;
  *row++ = def->child;
  put(&row, def->placement.position, 3);
  put(&row, def->placement.rotation, 4);
  put(&row, def->axis, 3);
  put(&row, def->axis2, 3);
  put(&row, &def->pitch, 1);
  put(&row, def->lower, SINEW_JOINT_MAX_NV);
  put(&row, def->upper, SINEW_JOINT_MAX_NV);
  put(&row, def->velocity, SINEW_JOINT_MAX_NV);
  *row++ = def->driver;
  *row++ = def->ratio;
  *row++ = def->offset;
}

EXPORT(model_def_channels)
const char *web_model_def_channels(const sinew_model_def *model, int joint) {
  return model->joints[joint].channels;
}

EXPORT(model_def_shape_count) int web_model_def_shape_count(const sinew_model_def *model) {
  return model->shape_count;
}

EXPORT(model_def_shape)
void web_model_def_shape(const sinew_model_def *model, int shape, double row[SHAPE_VALUES]) {
  const sinew_shape_def *def = &model->shapes[shape];
  *row++ = def->link;
  put(&row, def->a, 3);
  put(&row, def->b, 3);
  *row++ = def->radius;
}

EXPORT(model_create) int web_model_create(const sinew_model_def *def, sinew_model **model) {
  const sinew_result result = sinew_model_create(def, model, &web_error);
  return result == SINEW_OK ? result : web_fail(&web_error);
}
