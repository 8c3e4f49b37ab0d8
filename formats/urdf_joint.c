/// The joints of a URDF: kinds, placements, axes, limits, coupling.
#include "urdf.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/// Which element a joint type must be in. Drake refuses its own types in a <joint> and those of
/// URDF in a <drake:joint>; no other reader accepts them, so sinew refuses them too.
typedef enum sinew_urdf_tag { TAG_JOINT, TAG_DRAKE_JOINT, TAG_EITHER } sinew_urdf_tag;

typedef struct sinew_urdf_joint_type {
  const char *name;
  sinew_joint_kind kind;
  sinew_urdf_tag tag;
  int has_axis;
  int has_limits;
} sinew_urdf_joint_type;

static const sinew_urdf_joint_type joint_types[] = {
    {"revolute", SINEW_JOINT_REVOLUTE, TAG_JOINT, 1, 1},
    {"continuous", SINEW_JOINT_CONTINUOUS, TAG_JOINT, 1, 0},
    {"prismatic", SINEW_JOINT_PRISMATIC, TAG_JOINT, 1, 1},
    {"fixed", SINEW_JOINT_FIXED, TAG_JOINT, 0, 0},
    {"floating", SINEW_JOINT_FREE, TAG_JOINT, 0, 0},
    {"planar", SINEW_JOINT_PLANAR, TAG_EITHER, 1, 0},
    {"spherical", SINEW_JOINT_SPHERICAL, TAG_JOINT, 0, 0}, // MuJoCo
    {"ball", SINEW_JOINT_SPHERICAL, TAG_DRAKE_JOINT, 0, 0},
    {"screw", SINEW_JOINT_SCREW, TAG_DRAKE_JOINT, 1, 0},
    // Drake's rotates about x, then y, and ignores <axis>.
    {"universal", SINEW_JOINT_UNIVERSAL, TAG_DRAKE_JOINT, 0, 0},
    // Moves along a curve; sinew has no such joint and fixes it at the start.
    {"curvilinear", SINEW_JOINT_FIXED, TAG_DRAKE_JOINT, 0, 0},
};

/// Reads the link that <parent> or <child> names. Both must exist.
static sinew_result read_link_name(sinew_urdf *urdf, const sinew_xml_element *element,
                                   const char *joint, const char *which, const char **name) {
  const sinew_xml_element *child = sinew_xml_child(element, which);
  if (child == NULL) {
    return sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, element->line, joint,
                              "the joint has no <%s>", which);
  }
  *name = sinew_xml_attribute_find(child, "link");
  if (*name == NULL || (*name)[0] == '\0') {
    return sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, child->line, joint,
                              "the joint's <%s> has no attribute link", which);
  }
  return SINEW_OK;
}

/// Finds the links that a joint connects. A parent that is not declared is what the robot is
/// mounted on, often "world": it is added as a link.
static sinew_result read_links(sinew_urdf *urdf, const sinew_xml_element *element,
                               sinew_joint_def *joint) {
  sinew_builder *builder = urdf->builder;
  const char *parent = NULL;
  const char *child = NULL;
  sinew_result result = read_link_name(urdf, element, joint->name, "parent", &parent);
  if (result == SINEW_OK) {
    result = read_link_name(urdf, element, joint->name, "child", &child);
  }
  if (result != SINEW_OK) {
    return result;
  }
  joint->child = sinew_names_find(&builder->link_names, child);
  if (joint->child < 0) {
    return sinew_builder_fail(builder, SINEW_ERROR_MODEL, element->line, joint->name,
                              "its child link \"%s\" does not exist", child);
  }
  joint->parent = sinew_names_find(&builder->link_names, parent);
  if (joint->parent >= 0) {
    return SINEW_OK;
  }
  result =
      sinew_builder_warn(builder, element->line, joint->name,
                         "its parent link \"%s\" is not declared and is used as the root", parent);
  if (result == SINEW_OK) {
    result = sinew_builder_add_link(builder, parent, element->line, &joint->parent);
  }
  return result;
}

static sinew_result find_type(sinew_urdf *urdf, const sinew_xml_element *element, const char *joint,
                              const sinew_urdf_joint_type **type) {
  const char *name = sinew_xml_attribute_find(element, "type");
  if (name == NULL) {
    return sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, element->line, joint,
                              "the joint has no attribute type");
  }
  for (size_t i = 0; i < sizeof joint_types / sizeof joint_types[0]; ++i) {
    if (strcmp(joint_types[i].name, name) == 0) {
      *type = &joint_types[i];
      sinew_urdf_tag tag = strcmp(element->name, "drake:joint") == 0 ? TAG_DRAKE_JOINT : TAG_JOINT;
      if ((*type)->tag == TAG_EITHER || (*type)->tag == tag) {
        return SINEW_OK;
      }
      return sinew_builder_fail(urdf->builder, SINEW_ERROR_MODEL, element->line, joint,
                                "a joint of type %s must be a <%s>", name,
                                tag == TAG_JOINT ? "drake:joint" : "joint");
    }
  }
  return sinew_builder_fail(urdf->builder, SINEW_ERROR_UNSUPPORTED, element->line, joint,
                            "the joint type \"%s\" is unknown", name);
}

/// Reads <axis> and normalizes it; the default is x.
static sinew_result read_axis(sinew_urdf *urdf, const sinew_xml_element *element,
                              sinew_joint_def *joint) {
  const sinew_xml_element *axis = sinew_xml_child(element, "axis");
  sinew_result result = sinew_urdf_numbers(urdf, axis, "xyz", joint->name, 3, joint->axis, NULL);
  if (result != SINEW_OK) {
    return result;
  }
  // Divide by the largest component first, so that squares neither overflow nor underflow.
  double largest = fmax(fabs(joint->axis[0]), fmax(fabs(joint->axis[1]), fabs(joint->axis[2])));
  if (largest < 1e-8) {
    return sinew_builder_fail(urdf->builder, SINEW_ERROR_MODEL, axis->line, joint->name,
                              "the joint's axis is zero");
  }
  double length = 0.0;
  for (int i = 0; i < 3; ++i) {
    joint->axis[i] /= largest;
    length += joint->axis[i] * joint->axis[i];
  }
  length = sqrt(length);
  for (int i = 0; i < 3; ++i) {
    joint->axis[i] /= length;
  }
  return SINEW_OK;
}

/// Reads the limits of revolute and prismatic joints. If one of lower and upper is missing it is 0,
/// as in the specification. If both are missing there is no limit: by the specification both would
/// be 0 and the joint could not move, which is never intended.
static sinew_result read_range(sinew_urdf *urdf, const sinew_xml_element *limit,
                               const sinew_xml_element *element, sinew_joint_def *joint) {
  double lower = 0.0;
  double upper = 0.0;
  int has_lower = 0;
  int has_upper = 0;
  sinew_result result =
      sinew_urdf_numbers(urdf, limit, "lower", joint->name, 1, &lower, &has_lower);
  if (result == SINEW_OK) {
    result = sinew_urdf_numbers(urdf, limit, "upper", joint->name, 1, &upper, &has_upper);
  }
  if (result != SINEW_OK) {
    return result;
  }
  if (!has_lower && !has_upper) {
    return sinew_builder_warn(urdf->builder, element->line, joint->name,
                              "the joint has no limits; its range is unlimited");
  }
  if (lower > upper) {
    return sinew_builder_fail(urdf->builder, SINEW_ERROR_MODEL, limit->line, joint->name,
                              "the lower limit is above the upper limit");
  }
  joint->lower[0] = lower;
  joint->upper[0] = upper;
  return SINEW_OK;
}

/// The widest half of a swing that a joint can have: sinew_joint_def.
static const double most_swing = 3.14159265358979323846 - 0.1;

/// Reads what PyBullet adds for spherical joints: half the range of the twist about z, and half
/// those of the swing about x and y. Where one of them is not above 0 there is no limit. Source:
/// bulletphysics/bullet3, pull request 4151, 2022.
static sinew_result read_swing_twist(sinew_urdf *urdf, const sinew_xml_element *limit,
                                     sinew_joint_def *joint) {
  static const char *const names[3] = {"twist", "lower", "upper"};
  double half[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < 3; ++i) {
    const sinew_result result =
        sinew_urdf_numbers(urdf, limit, names[i], joint->name, 1, &half[i], NULL);
    if (result != SINEW_OK) {
      return result;
    }
  }
  if (half[0] > 0.0 && half[1] > 0.0 && half[2] > 0.0) {
    for (int i = 0; i < 3; ++i) {
      joint->upper[i] = i == 0 ? half[i] : fmin(half[i], most_swing);
      joint->lower[i] = -joint->upper[i];
    }
    joint->axis[0] = joint->axis2[1] = 0.0;
    joint->axis[2] = joint->axis2[0] = 1.0;
  }
  return SINEW_OK;
}

/// Reads <limit>: range and speed. The effort is not used.
static sinew_result read_limit(sinew_urdf *urdf, const sinew_xml_element *element,
                               const sinew_urdf_joint_type *type, sinew_joint_def *joint) {
  const sinew_xml_element *limit = sinew_xml_child(element, "limit");
  sinew_result result = SINEW_OK;
  if (type->has_limits) {
    result = read_range(urdf, limit, element, joint);
  } else if (type->kind == SINEW_JOINT_SPHERICAL && type->tag == TAG_JOINT && limit != NULL &&
             sinew_xml_attribute_find(limit, "twist") != NULL) {
    result = read_swing_twist(urdf, limit, joint);
  } else if (limit != NULL && type->kind != SINEW_JOINT_FIXED &&
             (sinew_xml_attribute_find(limit, "lower") != NULL ||
              sinew_xml_attribute_find(limit, "upper") != NULL)) {
    result = sinew_builder_warn(urdf->builder, limit->line, joint->name,
                                "a joint of type %s has no limits; lower and upper are ignored",
                                type->name);
  }
  // Other joints have several values of different units, for which one speed limit has no meaning.
  int has_speed =
      type->has_limits || type->kind == SINEW_JOINT_CONTINUOUS || type->kind == SINEW_JOINT_SCREW;
  if (result == SINEW_OK && has_speed) {
    result = sinew_urdf_numbers(urdf, limit, "velocity", joint->name, 1, joint->velocity, NULL);
    // Exporters write 0 or -1 for an unknown speed limit.
    if (result == SINEW_OK && joint->velocity[0] <= 0.0) {
      joint->velocity[0] = INFINITY;
    }
  }
  return result;
}

/// Drake's pitch is in metres per revolution, sinew's in metres per radian.
static sinew_result read_pitch(sinew_urdf *urdf, const sinew_xml_element *element,
                               sinew_joint_def *joint) {
  const sinew_xml_element *pitch = sinew_xml_child(element, "drake:screw_thread_pitch");
  int found = 0;
  sinew_result result =
      sinew_urdf_numbers(urdf, pitch, "value", joint->name, 1, &joint->pitch, &found);
  if (result == SINEW_OK && !found) {
    result = sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX,
                                pitch != NULL ? pitch->line : element->line, joint->name,
                                "the screw joint has no <drake:screw_thread_pitch> with a value");
  }
  joint->pitch /= 2.0 * pi;
  return result;
}

/// Reads what only one type of joint has.
static sinew_result read_particulars(sinew_urdf *urdf, const sinew_xml_element *element,
                                     const sinew_urdf_joint_type *type, sinew_joint_def *joint) {
  const sinew_xml_element *dynamics = sinew_xml_child(element, "dynamics");
  sinew_result result = SINEW_OK;
  if (dynamics != NULL && sinew_xml_attribute_find(dynamics, "coulomb_window") != NULL) {
    result = sinew_builder_warn(urdf->builder, dynamics->line, joint->name,
                                "coulomb_window is obsolete and is ignored");
  }
  if (result == SINEW_OK && type->kind == SINEW_JOINT_SCREW) {
    result = read_pitch(urdf, element, joint);
  }
  if (result == SINEW_OK && strcmp(type->name, "curvilinear") == 0) {
    result = sinew_urdf_read_curve(urdf, element, joint->name, &joint->placement);
  }
  return result;
}

sinew_result sinew_urdf_read_joint(sinew_urdf *urdf, const sinew_xml_element *element) {
  sinew_joint_def joint = sinew_default_joint_def();
  joint.name = sinew_xml_attribute_find(element, "name");
  if (joint.name == NULL || joint.name[0] == '\0') {
    return sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, element->line, element->name,
                              "the <%s> has no name", element->name);
  }
  const sinew_urdf_joint_type *type = NULL;
  sinew_result result = find_type(urdf, element, joint.name, &type);
  if (result == SINEW_OK) {
    joint.kind = type->kind;
    result =
        sinew_urdf_pose(urdf, sinew_xml_child(element, "origin"), joint.name, &joint.placement);
  }
  if (result == SINEW_OK && type->has_axis) {
    result = read_axis(urdf, element, &joint);
  }
  if (result == SINEW_OK) {
    result = read_limit(urdf, element, type, &joint);
  }
  if (result == SINEW_OK) {
    result = read_particulars(urdf, element, type, &joint);
  }
  if (result == SINEW_OK) {
    result = read_links(urdf, element, &joint);
  }
  if (result == SINEW_OK) {
    result = sinew_builder_add_joint(urdf->builder, &joint, element->line, NULL);
  }
  return result;
}

static int has_one_value(sinew_joint_kind kind) {
  return kind == SINEW_JOINT_REVOLUTE || kind == SINEW_JOINT_CONTINUOUS ||
         kind == SINEW_JOINT_PRISMATIC || kind == SINEW_JOINT_SCREW;
}

/// Finds the joint that a <mimic> names, the driver.
static sinew_result find_driver(sinew_urdf *urdf, const sinew_xml_element *mimic,
                                const char *follower, int *driver) {
  sinew_builder *builder = urdf->builder;
  const char *name = sinew_xml_attribute_find(mimic, "joint");
  if (name == NULL) {
    return sinew_builder_fail(builder, SINEW_ERROR_SYNTAX, mimic->line, follower,
                              "its <mimic> has no attribute joint");
  }
  *driver = sinew_names_find(&builder->joint_names, name);
  if (*driver < 0) {
    return sinew_builder_fail(builder, SINEW_ERROR_MODEL, mimic->line, follower,
                              "its <mimic> names joint \"%s\", which does not exist", name);
  }
  if (strcmp(name, follower) == 0) {
    return sinew_builder_fail(builder, SINEW_ERROR_MODEL, mimic->line, follower,
                              "its <mimic> names the joint itself");
  }
  return SINEW_OK;
}

sinew_result sinew_urdf_read_mimic(sinew_urdf *urdf, const sinew_xml_element *element) {
  sinew_builder *builder = urdf->builder;
  const sinew_xml_element *mimic = sinew_xml_child(element, "mimic");
  if (mimic == NULL) {
    return SINEW_OK;
  }
  const char *name = sinew_xml_attribute_find(element, "name");
  sinew_joint_def *follower = &builder->joints[sinew_names_find(&builder->joint_names, name)];
  int driver = -1;
  sinew_result result = find_driver(urdf, mimic, name, &driver);
  if (result == SINEW_OK) {
    result = sinew_urdf_numbers(urdf, mimic, "multiplier", name, 1, &follower->ratio, NULL);
  }
  if (result == SINEW_OK) {
    result = sinew_urdf_numbers(urdf, mimic, "offset", name, 1, &follower->offset, NULL);
  }
  if (result != SINEW_OK) {
    return result;
  }
  if (!has_one_value(follower->kind)) {
    follower->ratio = 1.0;
    follower->offset = 0.0;
    return sinew_builder_warn(
        builder, mimic->line, name,
        "only joints with one degree of freedom can mimic; its <mimic> is ignored");
  }
  if (!has_one_value(builder->joints[driver].kind)) {
    return sinew_builder_fail(builder, SINEW_ERROR_MODEL, mimic->line, name,
                              "its <mimic> names joint \"%s\", which does not have one degree of "
                              "freedom",
                              builder->joints[driver].name);
  }
  follower->driver = driver;
  return SINEW_OK;
}
