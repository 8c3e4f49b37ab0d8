// A model's values one by one, each with a name.
#include "columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "scenes/expect.h"

typedef struct value_name {
  const char *suffix;
  cli_unit unit;
} value_name;

static const value_name quaternion_names[] = {
    {"qw", CLI_UNIT_NONE}, {"qx", CLI_UNIT_NONE}, {"qy", CLI_UNIT_NONE}, {"qz", CLI_UNIT_NONE}};
static const value_name planar_names[] = {
    {"x", CLI_UNIT_LENGTH}, {"y", CLI_UNIT_LENGTH}, {"angle", CLI_UNIT_ANGLE}};
static const value_name cylindrical_names[] = {{"angle", CLI_UNIT_ANGLE},
                                               {"distance", CLI_UNIT_LENGTH}};
static const value_name universal_names[] = {{"angle", CLI_UNIT_ANGLE}, {"angle2", CLI_UNIT_ANGLE}};
static const value_name angle_name = {"angle", CLI_UNIT_ANGLE};
static const value_name distance_name = {"distance", CLI_UNIT_LENGTH};
static const value_name free_names[] = {
    {"x", CLI_UNIT_LENGTH}, {"y", CLI_UNIT_LENGTH}, {"z", CLI_UNIT_LENGTH}, {"qw", CLI_UNIT_NONE},
    {"qx", CLI_UNIT_NONE},  {"qy", CLI_UNIT_NONE},  {"qz", CLI_UNIT_NONE}};
// Of one letter each of X, Y, Z, x, y, z; the first three also a second time,
// as in the Euler angles ZXZ.
static const char letters[] = "XYZxyz";
static const value_name letter_names[] = {{"rx", CLI_UNIT_ANGLE}, {"ry", CLI_UNIT_ANGLE},
                                          {"rz", CLI_UNIT_ANGLE}, {"x", CLI_UNIT_LENGTH},
                                          {"y", CLI_UNIT_LENGTH}, {"z", CLI_UNIT_LENGTH}};
static const value_name repeated_names[] = {{"rx2", CLI_UNIT_ANGLE}, {"ry2", CLI_UNIT_ANGLE},
                                            {"rz2", CLI_UNIT_ANGLE}, {"rx3", CLI_UNIT_ANGLE},
                                            {"ry3", CLI_UNIT_ANGLE}, {"rz3", CLI_UNIT_ANGLE}};

static const value_name function_names[2][SINEW_JOINT_MAX_NV] = {{{"0", CLI_UNIT_ANGLE},
                                                                  {"1", CLI_UNIT_ANGLE},
                                                                  {"2", CLI_UNIT_ANGLE},
                                                                  {"3", CLI_UNIT_ANGLE},
                                                                  {"4", CLI_UNIT_ANGLE},
                                                                  {"5", CLI_UNIT_ANGLE}},
                                                                 {{"0", CLI_UNIT_LENGTH},
                                                                  {"1", CLI_UNIT_LENGTH},
                                                                  {"2", CLI_UNIT_LENGTH},
                                                                  {"3", CLI_UNIT_LENGTH},
                                                                  {"4", CLI_UNIT_LENGTH},
                                                                  {"5", CLI_UNIT_LENGTH}}};

#define PICK(names, index)                                                                         \
  ((index) < (int)(sizeof(names) / sizeof((names)[0])) ? &(names)[index] : NULL)

// The name of a channel, which depends on the letters up to it.
static const value_name *channel_name(const char *channels, int index) {
  if (index >= (int)strlen(channels))
    return NULL;
  const char *place = strchr(letters, channels[index]);
  if (!place)
    return NULL;

  int before = 0;
  for (int i = 0; i < index; ++i)
    before += channels[i] == channels[index];
  int letter = (int)(place - letters);
  if (before == 0)
    return &letter_names[letter];
  return letter < 3 && before < 3 ? &repeated_names[letter + 3 * (before - 1)] : NULL;
}

static const value_name *name_of_value(const sinew_joint_def *joint, int index) {
  switch (joint->kind) {
  case SINEW_JOINT_FIXED:
    return NULL;
  case SINEW_JOINT_REVOLUTE:
  case SINEW_JOINT_CONTINUOUS:
  case SINEW_JOINT_SCREW:
    return index == 0 ? &angle_name : NULL;
  case SINEW_JOINT_PRISMATIC:
    return index == 0 ? &distance_name : NULL;
  case SINEW_JOINT_SPHERICAL:
    return PICK(quaternion_names, index);
  case SINEW_JOINT_UNIVERSAL:
    return PICK(universal_names, index);
  case SINEW_JOINT_CYLINDRICAL:
    return PICK(cylindrical_names, index);
  case SINEW_JOINT_PLANAR:
    return PICK(planar_names, index);
  case SINEW_JOINT_FREE:
    return PICK(free_names, index);
  case SINEW_JOINT_EULER:
  case SINEW_JOINT_CHANNELS:
    return channel_name(joint->channels, index);
  case SINEW_JOINT_FUNCTION:
    return index < (int)strlen(joint->channels)
               ? &function_names[joint->channels[index] == 'm'][index]
               : NULL;
  }
  return NULL;
}

const char *cli_column_suffix(const sinew_joint_def *joint, int index, cli_unit *unit) {
  const value_name *name = name_of_value(joint, index);
  if (name && unit)
    *unit = name->unit;
  return name ? name->suffix : NULL;
}

int cli_joint_value_count(const sinew_joint *joint) {
  return joint->driver >= 0 ? 1 : joint->nq;
}

// A joint's name, and its suffix after a dot where the joint has several values.
static char *join_name(const char *joint, const char *suffix) {
  size_t size = strlen(joint) + strlen(suffix) + 2;
  char *name = cli_allocate(size, 1);
  snprintf(name, size, "%s%s%s", joint, suffix[0] != '\0' ? "." : "", suffix);
  return name;
}

cli_columns cli_columns_create(const sinew_model *model, const sinew_model_def *def) {
  int capacity = sinew_model_nq(model) + sinew_model_joint_count(model);
  cli_columns out = {cli_allocate((size_t)capacity, sizeof(cli_column)), 0};
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    int values = cli_joint_value_count(&joint);
    for (int i = 0; i < values; ++i) {
      cli_column *column = &out.columns[out.count];
      const char *suffix = cli_column_suffix(&def->joints[j], i, &column->unit);
      column->name = join_name(joint.name, values > 1 && suffix ? suffix : "");
      column->joint = j;
      column->q_index = joint.driver >= 0 ? -1 : joint.q_index + i;
      column->value_index = out.count++;
    }
  }
  return out;
}

void cli_columns_destroy(cli_columns *columns) {
  for (int i = 0; i < columns->count; ++i)
    free(columns->columns[i].name);
  free(columns->columns);
  *columns = (cli_columns){0};
}
