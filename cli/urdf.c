// sinew info --urdf: a model as URDF, with MuJoCo's type spherical, of which PyBullet reads limits
// of swing and twist, and Drake's type screw.
#include "urdf.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "number.h"

typedef struct urdf_type {
  sinew_joint_kind kind;
  const char *name;
  bool has_axis;
} urdf_type;

static const urdf_type types[] = {
    {SINEW_JOINT_FIXED, "fixed", false},          {SINEW_JOINT_REVOLUTE, "revolute", true},
    {SINEW_JOINT_CONTINUOUS, "continuous", true}, {SINEW_JOINT_PRISMATIC, "prismatic", true},
    {SINEW_JOINT_SCREW, "screw", true},           {SINEW_JOINT_SPHERICAL, "spherical", false},
    {SINEW_JOINT_PLANAR, "planar", true},         {SINEW_JOINT_FREE, "floating", false}};

static const urdf_type *type_of(const sinew_joint_def *joint) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
    if (types[i].kind == joint->kind)
      return &types[i];
  return NULL;
}

static bool is_bounded(const sinew_joint_def *joint, int v) {
  return joint->lower[v] > -DBL_MAX || joint->upper[v] < DBL_MAX;
}

// Whether limits of swing and twist are those that PyBullet reads: half ranges of the twist about z
// and of the swing about x and y.
static bool has_half_ranges(const sinew_joint_def *joint) {
  bool half = joint->axis[0] == 0 && joint->axis[1] == 0 && joint->axis[2] > 0 &&
              joint->axis2[0] > 0 && joint->axis2[1] == 0 && joint->axis2[2] == 0;
  for (int i = 0; i < 3; ++i)
    half = half && joint->upper[i] < DBL_MAX && joint->upper[i] > 0 &&
           joint->lower[i] == -joint->upper[i];
  return half;
}

// Whether limits are those that URDF has: both, of revolute and prismatic joints, and half ranges
// of spherical ones.
static bool has_limits_of_urdf(const sinew_joint_def *joint) {
  if (joint->kind == SINEW_JOINT_SPHERICAL && has_half_ranges(joint))
    return true;
  if (joint->kind == SINEW_JOINT_REVOLUTE || joint->kind == SINEW_JOINT_PRISMATIC)
    return !is_bounded(joint, 0) || (joint->lower[0] > -DBL_MAX && joint->upper[0] < DBL_MAX);
  for (int v = 0; v < SINEW_JOINT_MAX_NV; ++v)
    if (is_bounded(joint, v))
      return false;
  return true;
}

static int check(const sinew_model_def *def) {
  for (int j = 0; j < def->joint_count; ++j) {
    const sinew_joint_def *joint = &def->joints[j];
    if (!type_of(joint))
      return cli_refuse("info: --urdf: %s: URDF has no joint of its kind", joint->name);
    if (!has_limits_of_urdf(joint))
      return cli_refuse("info: --urdf: %s: URDF has no such limits", joint->name);
  }
  return CLI_EXIT_DONE;
}

static void put_text(FILE *file, const char *text) {
  for (; *text != '\0'; ++text) {
    const char *const entity = *text == '&'   ? "&amp;"
                               : *text == '<' ? "&lt;"
                               : *text == '>' ? "&gt;"
                               : *text == '"' ? "&quot;"
                                              : NULL;
    if (entity)
      fputs(entity, file);
    else
      fputc(*text, file);
  }
}

// NAME="TEXT" after a blank.
static void put_name(FILE *file, const char *name, const char *text) {
  fprintf(file, " %s=\"", name);
  put_text(file, text);
  fputc('"', file);
}

static void put_numbers(FILE *file, const char *name, const double *values, int count) {
  fprintf(file, " %s=\"", name);
  for (int i = 0; i < count; ++i) {
    if (i > 0)
      fputc(' ', file);
    cli_number_write(file, values[i] == 0 ? 0 : values[i]); // not -0
  }
  fputc('"', file);
}

// Angles of R = Rz(yaw) Ry(pitch) Rx(roll).
static void angles_of(const double quaternion[4], double rpy[3]) {
  double R[9];
  sinew_quaternion_to_matrix(quaternion, R);
  const double cosine = sqrt(R[0] * R[0] + R[3] * R[3]);
  rpy[1] = atan2(-R[6], cosine);
  rpy[0] = cosine > 1e-12 ? atan2(R[7], R[8]) : atan2(-R[5], R[4]);
  rpy[2] = cosine > 1e-12 ? atan2(R[3], R[0]) : 0;
}

static void put_link(FILE *file, const sinew_link_def *link) {
  static const double none = 0;
  fputs("  <link", file);
  put_name(file, "name", link->name);
  if (link->mass == 0) {
    fputs("/>\n", file);
    return;
  }
  fputs(">\n    <inertial>\n      <origin", file);
  put_numbers(file, "xyz", link->center_of_mass, 3);
  fputs("/>\n      <mass", file);
  put_numbers(file, "value", &link->mass, 1);
  fputs("/>\n      <inertia", file); // which a model does not have
  static const char *const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  for (int i = 0; i < 6; ++i)
    put_numbers(file, names[i], &none, 1);
  fputs("/>\n    </inertial>\n  </link>\n", file);
}

static void put_half_ranges(FILE *file, const sinew_joint_def *joint) {
  fputs("    <limit effort=\"0\"", file);
  put_numbers(file, "lower", &joint->upper[1], 1);
  put_numbers(file, "upper", &joint->upper[2], 1);
  put_numbers(file, "twist", &joint->upper[0], 1);
  fputs("/>\n", file);
}

static void put_limit(FILE *file, const sinew_joint_def *joint) {
  const bool bounded = is_bounded(joint, 0);
  const bool fast = joint->velocity[0] > 0 && joint->velocity[0] < DBL_MAX;
  if (!bounded && !fast)
    return;
  fputs("    <limit effort=\"0\"", file);
  if (bounded) {
    put_numbers(file, "lower", &joint->lower[0], 1);
    put_numbers(file, "upper", &joint->upper[0], 1);
  }
  if (fast)
    put_numbers(file, "velocity", &joint->velocity[0], 1);
  fputs("/>\n", file);
}

static void put_joint(FILE *file, const sinew_model_def *def, const sinew_joint_def *joint) {
  const urdf_type *type = type_of(joint);
  const bool unlimited = joint->kind == SINEW_JOINT_REVOLUTE && !is_bounded(joint, 0);
  const char *tag = joint->kind == SINEW_JOINT_SCREW ? "drake:joint" : "joint";
  double rpy[3];
  angles_of(joint->placement.rotation, rpy);
  fprintf(file, "  <%s", tag);
  put_name(file, "name", joint->name);
  put_name(file, "type", unlimited ? "continuous" : type->name);
  fputs(">\n    <parent", file);
  put_name(file, "link", def->links[joint->parent].name);
  fputs("/>\n    <child", file);
  put_name(file, "link", def->links[joint->child].name);
  fputs("/>\n    <origin", file);
  put_numbers(file, "xyz", joint->placement.position, 3);
  put_numbers(file, "rpy", rpy, 3);
  fputs("/>\n", file);
  if (type->has_axis) {
    fputs("    <axis", file);
    put_numbers(file, "xyz", joint->axis, 3);
    fputs("/>\n", file);
    put_limit(file, joint);
  }
  if (joint->kind == SINEW_JOINT_SPHERICAL && has_half_ranges(joint))
    put_half_ranges(file, joint);
  if (joint->kind == SINEW_JOINT_SCREW) { // Drake's is a length per turn
    const double pitch = 2 * 3.14159265358979323846 * joint->pitch;
    fputs("    <drake:screw_thread_pitch", file);
    put_numbers(file, "value", &pitch, 1);
    fputs("/>\n", file);
  }
  if (joint->driver >= 0) {
    fputs("    <mimic", file);
    put_name(file, "joint", def->joints[joint->driver].name);
    put_numbers(file, "multiplier", &joint->ratio, 1);
    put_numbers(file, "offset", &joint->offset, 1);
    fputs("/>\n", file);
  }
  fprintf(file, "  </%s>\n", tag);
}

int cli_urdf_write(const cli_figure *figure, FILE *file) {
  const sinew_model_def *def = figure->scene ? &figure->scene->model : &figure->document->model;
  const int exit_code = check(def);
  if (exit_code != CLI_EXIT_DONE)
    return exit_code;
  fputs("<?xml version=\"1.0\"?>\n<robot", file);
  put_name(file, "name", figure->scene ? figure->scene->name : sinew_model_name(figure->model));
  fputs(" xmlns:drake=\"https://drake.mit.edu\">\n"
        "  <!-- Inertia tensors and efforts are 0: they are not read. Fill them in before a "
        "simulation. -->\n",
        file);
  for (int l = 0; l < def->link_count; ++l)
    put_link(file, &def->links[l]);
  for (int j = 0; j < def->joint_count; ++j)
    put_joint(file, def, &def->joints[j]);
  fputs("</robot>\n", file);
  return CLI_EXIT_DONE;
}
