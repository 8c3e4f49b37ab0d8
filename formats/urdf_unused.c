/// Elements of a URDF that sinew does not use. They are checked because what Drake's reader refuses
/// is most likely a mistake, and the file's author should be told.
///
/// Source: what Drake's URDF reader refuses. Nothing is stored.
#include "urdf.h"

#include "number.h"

#include <math.h>
#include <string.h>

/// What a child element must have.
typedef enum sinew_urdf_need {
  NEED_LINK,   ///< attribute name: a link
  NEED_FRAME,  ///< attribute name: a link or a <frame>
  NEED_NUMBER, ///< attribute value: a number >= 0
  NEED_VECTOR  ///< attribute value: three numbers
} sinew_urdf_need;

typedef struct sinew_urdf_required {
  const char *child;
  sinew_urdf_need need;
} sinew_urdf_required;

static const sinew_urdf_required bushing[] = {
    {"drake:bushing_frameA", NEED_FRAME},
    {"drake:bushing_frameC", NEED_FRAME},
    {"drake:bushing_torque_stiffness", NEED_VECTOR},
    {"drake:bushing_torque_damping", NEED_VECTOR},
    {"drake:bushing_force_stiffness", NEED_VECTOR},
    {"drake:bushing_force_damping", NEED_VECTOR},
    {NULL, NEED_LINK},
};

static const sinew_urdf_required spring[] = {
    {"drake:linear_spring_damper_body_A", NEED_LINK},
    {"drake:linear_spring_damper_p_AP", NEED_VECTOR},
    {"drake:linear_spring_damper_body_B", NEED_LINK},
    {"drake:linear_spring_damper_p_BQ", NEED_VECTOR},
    {"drake:linear_spring_damper_free_length", NEED_NUMBER},
    {"drake:linear_spring_damper_stiffness", NEED_NUMBER},
    {"drake:linear_spring_damper_damping", NEED_NUMBER},
    {NULL, NEED_LINK},
};

static int is_link(const sinew_urdf *urdf, const char *name) {
  return strcmp(name, "world") == 0 || sinew_names_find(&urdf->builder->link_names, name) >= 0;
}

static sinew_result check_value(sinew_urdf *urdf, const sinew_xml_element *element, int count) {
  double values[3] = {0.0, 0.0, 0.0};
  int found = 0;
  sinew_result result =
      sinew_urdf_numbers(urdf, element, "value", element->name, count, values, &found);
  if (result == SINEW_OK && !found) {
    result = sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, element->line, element->name,
                                "the element has no attribute value");
  }
  if (result == SINEW_OK && count == 1 && values[0] < 0.0) {
    result = sinew_builder_fail(urdf->builder, SINEW_ERROR_MODEL, element->line, element->name,
                                "the value is negative");
  }
  return result;
}

static sinew_result check_required(sinew_urdf *urdf, const sinew_xml_element *element,
                                   const sinew_urdf_required *required) {
  sinew_builder *builder = urdf->builder;
  const sinew_xml_element *child = sinew_xml_child(element, required->child);
  if (child == NULL) {
    return sinew_builder_fail(builder, SINEW_ERROR_SYNTAX, element->line, element->name,
                              "the element has no <%s>", required->child);
  }
  if (required->need == NEED_NUMBER || required->need == NEED_VECTOR) {
    return check_value(urdf, child, required->need == NEED_VECTOR ? 3 : 1);
  }
  const char *name = sinew_xml_attribute_find(child, "name");
  if (name == NULL) {
    return sinew_builder_fail(builder, SINEW_ERROR_SYNTAX, child->line, child->name,
                              "the element has no attribute name");
  }
  if (is_link(urdf, name) ||
      (required->need == NEED_FRAME && sinew_names_find(&urdf->frames, name) >= 0)) {
    return SINEW_OK;
  }
  return sinew_builder_fail(builder, SINEW_ERROR_MODEL, child->line, child->name,
                            "the %s \"%s\" does not exist",
                            required->need == NEED_FRAME ? "frame" : "link", name);
}

/// Checks that all elements with a name have the required children.
static sinew_result check_all(sinew_urdf *urdf, const char *name,
                              const sinew_urdf_required *required) {
  sinew_result result = SINEW_OK;
  const sinew_xml_element *element = sinew_xml_child(urdf->robot, name);
  for (; element != NULL && result == SINEW_OK; element = sinew_xml_next(element, name)) {
    for (int i = 0; required[i].child != NULL && result == SINEW_OK; ++i) {
      result = check_required(urdf, element, &required[i]);
    }
  }
  return result;
}

/// Checks that a child exists and has a name.
static sinew_result check_named_child(sinew_urdf *urdf, const sinew_xml_element *transmission,
                                      const char *which, const char **name) {
  const sinew_xml_element *child = sinew_xml_child(transmission, which);
  if (child == NULL) {
    return sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, transmission->line, "transmission",
                              "the transmission has no <%s>", which);
  }
  *name = sinew_xml_attribute_find(child, "name");
  if (*name == NULL) {
    return sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, child->line, "transmission",
                              "the transmission's <%s> has no name", which);
  }
  return SINEW_OK;
}

/// Checks a simple transmission whose type is an attribute. The text of a <type> element is not
/// available.
static sinew_result check_transmission(sinew_urdf *urdf, const sinew_xml_element *element) {
  const char *type = sinew_xml_attribute_find(element, "type");
  if (type == NULL) {
    return sinew_xml_child(element, "type") != NULL
               ? SINEW_OK
               : sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, element->line,
                                    "transmission", "the transmission has no type");
  }
  if (strstr(type, "SimpleTransmission") == NULL) {
    return sinew_builder_warn(urdf->builder, element->line, "transmission",
                              "a transmission of type \"%s\" is ignored", type);
  }
  const char *actuator = NULL;
  const char *joint = NULL;
  sinew_result result = check_named_child(urdf, element, "actuator", &actuator);
  if (result == SINEW_OK) {
    result = check_named_child(urdf, element, "joint", &joint);
  }
  if (result == SINEW_OK && sinew_names_find(&urdf->builder->joint_names, joint) < 0) {
    result = sinew_builder_fail(urdf->builder, SINEW_ERROR_MODEL, element->line, "transmission",
                                "the transmission names joint \"%s\", which does not exist", joint);
  }
  return result;
}

static sinew_result check_frame(sinew_urdf *urdf, const sinew_xml_element *frame) {
  sinew_builder *builder = urdf->builder;
  const char *name = sinew_xml_attribute_find(frame, "name");
  const char *link = sinew_xml_attribute_find(frame, "link");
  if (name == NULL) {
    return sinew_builder_fail(builder, SINEW_ERROR_SYNTAX, frame->line, "frame",
                              "the <frame> has no name");
  }
  if (link == NULL) {
    return sinew_builder_fail(builder, SINEW_ERROR_SYNTAX, frame->line, name,
                              "the frame has no attribute link");
  }
  if (!is_link(urdf, link)) {
    return sinew_builder_fail(builder, SINEW_ERROR_MODEL, frame->line, name,
                              "the frame's link \"%s\" does not exist", link);
  }
  if (!sinew_names_add(&urdf->frames, urdf->tree, name, 0)) {
    return sinew_builder_fail_memory(builder);
  }
  sinew_pose pose;
  return sinew_urdf_pose(urdf, frame, name, &pose);
}

static sinew_result check_filter_attribute(sinew_urdf *urdf, const sinew_xml_element *element,
                                           const char *attribute) {
  if (sinew_xml_attribute_find(element, attribute) != NULL) {
    return SINEW_OK;
  }
  return sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, element->line, element->name,
                            "the element has no attribute %s", attribute);
}

/// A group has a name; its members name links or other groups.
static sinew_result check_filter_group(sinew_urdf *urdf, const sinew_xml_element *group) {
  sinew_result result = check_filter_attribute(urdf, group, "name");
  const sinew_xml_element *child = sinew_xml_child(group, NULL);
  for (; child != NULL && result == SINEW_OK; child = sinew_xml_next(child, NULL)) {
    if (strcmp(child->name, "drake:member") == 0) {
      result = check_filter_attribute(urdf, child, "link");
    } else if (strcmp(child->name, "drake:member_group") == 0 ||
               strcmp(child->name, "drake:ignored_collision_filter_group") == 0) {
      result = check_filter_attribute(urdf, child, "name");
    }
  }
  return result;
}

sinew_result sinew_urdf_check_unused(sinew_urdf *urdf) {
  sinew_result result = SINEW_OK;
  const sinew_xml_element *element = sinew_xml_child(urdf->robot, NULL);
  for (; element != NULL && result == SINEW_OK; element = sinew_xml_next(element, NULL)) {
    if (strcmp(element->name, "transmission") == 0) {
      result = check_transmission(urdf, element);
    } else if (strcmp(element->name, "frame") == 0) {
      result = check_frame(urdf, element);
    } else if (strcmp(element->name, "drake:collision_filter_group") == 0) {
      result = check_filter_group(urdf, element);
    } else if (strcmp(element->name, "loop_joint") == 0) {
      result = sinew_builder_fail(urdf->builder, SINEW_ERROR_UNSUPPORTED, element->line,
                                  sinew_xml_attribute_find(element, "name"),
                                  "<loop_joint> is not supported: a model is a tree");
    }
  }
  if (result == SINEW_OK) {
    result = check_all(urdf, "drake:linear_bushing_rpy", bushing);
  }
  if (result == SINEW_OK) {
    result = check_all(urdf, "drake:linear_spring_damper", spring);
  }
  return result;
}

/// Checks one piece of a curvilinear joint's path.
static sinew_result check_curve_piece(sinew_urdf *urdf, const sinew_xml_element *piece,
                                      const char *owner) {
  static const char *const line_attributes[] = {"length", NULL};
  static const char *const arc_attributes[] = {"radius", "angle", NULL};
  const char *const *attributes = NULL;
  if (strcmp(piece->name, "drake:line_segment") == 0) {
    attributes = line_attributes;
  } else if (strcmp(piece->name, "drake:circular_arc") == 0) {
    attributes = arc_attributes;
  } else {
    return sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, piece->line, owner,
                              "<%s> is not a piece of a curve", piece->name);
  }
  for (int i = 0; attributes[i] != NULL; ++i) {
    double value = 0.0;
    int found = 0;
    sinew_result result = sinew_urdf_numbers(urdf, piece, attributes[i], owner, 1, &value, &found);
    if (result != SINEW_OK) {
      return result;
    }
    // An angle may be negative, a length may not.
    if (!found || (value <= 0.0 && i == 0)) {
      return sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, piece->line, owner,
                                "a <%s> of the joint's curve has no%s %s", piece->name,
                                found ? " positive" : "", attributes[i]);
    }
  }
  return SINEW_OK;
}

/// Rotates a placement so that x is along the curve and z is normal to its plane.
static sinew_result rotate_to_curve(sinew_urdf *urdf, const sinew_xml_element *element,
                                    const char *owner, sinew_pose *placement) {
  double x[3] = {1.0, 0.0, 0.0};
  double z[3] = {0.0, 0.0, 1.0};
  sinew_result result = sinew_urdf_numbers(urdf, sinew_xml_child(element, "drake:initial_tangent"),
                                           "xyz", owner, 3, x, NULL);
  if (result == SINEW_OK) {
    result = sinew_urdf_numbers(urdf, sinew_xml_child(element, "drake:plane_normal"), "xyz", owner,
                                3, z, NULL);
  }
  double x_length = sinew_vector_length(x, 3);
  double z_length = sinew_vector_length(z, 3);
  if (result == SINEW_OK &&
      !(x_length > 1e-8 && x_length < 1e100 && z_length > 1e-8 && z_length < 1e100 &&
        fabs(x[0] * z[0] + x[1] * z[1] + x[2] * z[2]) <= 1e-6 * x_length * z_length)) {
    result = sinew_builder_fail(urdf->builder, SINEW_ERROR_MODEL, element->line, owner,
                                "the curve's initial tangent must be in its plane");
  }
  if (result != SINEW_OK) {
    return result;
  }
  double R[9];
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3;
    int k = (i + 2) % 3;
    R[3 * i] = x[i] / x_length;
    R[3 * i + 1] = (z[j] * x[k] - z[k] * x[j]) / (x_length * z_length);
    R[3 * i + 2] = z[i] / z_length;
  }
  sinew_pose rotation = sinew_pose_identity();
  sinew_quaternion_from_matrix(R, rotation.rotation);
  sinew_pose_multiply(placement, &rotation, placement);
  return SINEW_OK;
}

sinew_result sinew_urdf_read_curve(sinew_urdf *urdf, const sinew_xml_element *element,
                                   const char *owner, sinew_pose *placement) {
  const sinew_xml_element *curves = sinew_xml_child(element, "drake:curves");
  const sinew_xml_element *piece = curves != NULL ? sinew_xml_child(curves, NULL) : NULL;
  if (piece == NULL) {
    return sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX,
                              curves != NULL ? curves->line : element->line, owner,
                              "the joint has no <drake:curves>, or it is empty");
  }
  sinew_result result = SINEW_OK;
  for (; piece != NULL && result == SINEW_OK; piece = sinew_xml_next(piece, NULL)) {
    result = check_curve_piece(urdf, piece, owner);
  }
  if (result == SINEW_OK) {
    result = rotate_to_curve(urdf, element, owner, placement);
  }
  if (result == SINEW_OK) {
    result = sinew_builder_warn(urdf->builder, element->line, owner,
                                "joints that move along a curve are not supported; it is fixed "
                                "at the start of its curve");
  }
  return result;
}
