/// URDF, the XML robot description of ROS, with the joint types that Drake
/// (<drake:joint>) and MuJoCo ("spherical") add.
///
/// Source: the URDF specification of ROS (wiki.ros.org/urdf/XML). Where it says nothing, or where
/// files do not follow it, the readers of ROS, Drake and MuJoCo decide. Where they differ:
/// - a parent link that is not declared is the root (Drake: only "world");
/// - a robot without a link is the single link "world" (ROS refuses it);
/// - a revolute joint without limits is unlimited (ROS refuses it);
/// - a <limit> with neither lower nor upper is no limit (ROS: both are 0).
#include "urdf.h"

#include "number.h"
#include "text.h"

#include <string.h>

bool sinew_urdf_detect(const char *text, size_t size) {
  size_t at = sinew_text_begin(text, size);
  // Comments, instructions and declarations may stand before an XML text's first element.
  while (sinew_text_has(text, size, at, "<!") || sinew_text_has(text, size, at, "<?")) {
    const char *end = sinew_text_has(text, size, at, "<!--") ? "-->"
                      : sinew_text_has(text, size, at, "<?") ? "?>"
                                                             : ">";
    at = sinew_text_skip_through(text, size, at, end);
    at = sinew_text_skip_white_space(text, size, at);
  }
  return sinew_text_has_word(text, size, at, "<robot");
}

int sinew_urdf_is_ignored(const sinew_xml_element *element) {
  const char *ignore = sinew_xml_attribute_find(element, "drake_ignore");
  return ignore != NULL && strcmp(ignore, "true") == 0;
}

sinew_result sinew_urdf_numbers(sinew_urdf *urdf, const sinew_xml_element *element,
                                const char *attribute, const char *owner, int count, double *values,
                                int *found) {
  const char *text = element != NULL ? sinew_xml_attribute_find(element, attribute) : NULL;
  if (found != NULL) {
    *found = text != NULL;
  }
  if (text == NULL || sinew_numbers_parse(text, count, values)) {
    return SINEW_OK;
  }
  return sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, element->line, owner,
                            "attribute %s of <%s> must be %d finite number%s, not \"%s\"",
                            attribute, element->name, count, count == 1 ? "" : "s", text);
}

sinew_result sinew_urdf_pose(sinew_urdf *urdf, const sinew_xml_element *element, const char *owner,
                             sinew_pose *pose) {
  double rpy[3] = {0.0, 0.0, 0.0};
  *pose = sinew_pose_identity();
  sinew_result result = sinew_urdf_numbers(urdf, element, "xyz", owner, 3, pose->position, NULL);
  if (result == SINEW_OK) {
    result = sinew_urdf_numbers(urdf, element, "rpy", owner, 3, rpy, NULL);
  }
  sinew_quaternion_from_rpy(rpy, pose->rotation);
  return result;
}

/// Reads mass and centre of mass. The inertia tensor is not used.
static sinew_result read_inertial(sinew_urdf *urdf, const sinew_xml_element *link_element,
                                  int link) {
  const sinew_xml_element *inertial = sinew_xml_child(link_element, "inertial");
  if (inertial == NULL) {
    return SINEW_OK;
  }
  sinew_link_def *def = &urdf->builder->links[link];
  const sinew_xml_element *mass = sinew_xml_child(inertial, "mass");
  int found = 0;
  sinew_result result = sinew_urdf_numbers(urdf, mass, "value", def->name, 1, &def->mass, &found);
  if (result == SINEW_OK && !found) {
    result = sinew_builder_warn(urdf->builder, inertial->line, def->name,
                                "<inertial> has no mass; 0 is used");
  }
  if (result == SINEW_OK && def->mass < 0.0) {
    result = sinew_builder_fail(urdf->builder, SINEW_ERROR_MODEL, mass->line, def->name,
                                "the mass is negative");
  }
  if (result == SINEW_OK) {
    result = sinew_urdf_numbers(urdf, sinew_xml_child(inertial, "origin"), "xyz", def->name, 3,
                                def->center_of_mass, NULL);
  }
  return result;
}

/// Joints inside a link or another joint are ignored by all readers. Most often an end tag is in
/// the wrong place.
static sinew_result warn_of_nested(sinew_urdf *urdf, const sinew_xml_element *element) {
  sinew_result result = SINEW_OK;
  const sinew_xml_element *child = sinew_xml_child(element, NULL);
  for (; child != NULL && result == SINEW_OK; child = sinew_xml_next(child, NULL)) {
    if (strcmp(child->name, "joint") == 0 || strcmp(child->name, "link") == 0) {
      const char *name = sinew_xml_attribute_find(child, "name");
      result = sinew_builder_warn(urdf->builder, child->line, name,
                                  "a <%s> inside a <%s> is ignored", child->name, element->name);
    }
  }
  return result;
}

static sinew_result read_link(sinew_urdf *urdf, const sinew_xml_element *element) {
  const char *name = sinew_xml_attribute_find(element, "name");
  if (name == NULL || name[0] == '\0') {
    return sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, element->line, "link",
                              "the <link> has no name");
  }
  int link = -1;
  sinew_result result = sinew_builder_add_link(urdf->builder, name, element->line, &link);
  if (result == SINEW_OK) {
    result = read_inertial(urdf, element, link);
  }
  if (result == SINEW_OK) {
    result = sinew_urdf_read_collisions(urdf, element, link);
  }
  if (result == SINEW_OK) {
    result = sinew_urdf_read_visuals(urdf, element);
  }
  if (result == SINEW_OK) {
    result = warn_of_nested(urdf, element);
  }
  return result;
}

static int is_joint(const sinew_xml_element *element) {
  return (strcmp(element->name, "joint") == 0 || strcmp(element->name, "drake:joint") == 0) &&
         !sinew_urdf_is_ignored(element);
}

static sinew_result read_links(sinew_urdf *urdf) {
  sinew_result result = SINEW_OK;
  const sinew_xml_element *element = sinew_xml_child(urdf->robot, "link");
  for (; element != NULL && result == SINEW_OK; element = sinew_xml_next(element, "link")) {
    if (!sinew_urdf_is_ignored(element)) {
      result = read_link(urdf, element);
    }
  }
  return result;
}

static sinew_result read_joints(sinew_urdf *urdf) {
  sinew_result result = SINEW_OK;
  const sinew_xml_element *element = sinew_xml_child(urdf->robot, NULL);
  for (; element != NULL && result == SINEW_OK; element = sinew_xml_next(element, NULL)) {
    if (is_joint(element)) {
      result = sinew_urdf_read_joint(urdf, element);
      if (result == SINEW_OK) {
        result = warn_of_nested(urdf, element);
      }
    }
  }
  // A <mimic> may name a joint that follows it.
  element = sinew_xml_child(urdf->robot, NULL);
  for (; element != NULL && result == SINEW_OK; element = sinew_xml_next(element, NULL)) {
    if (is_joint(element)) {
      result = sinew_urdf_read_mimic(urdf, element);
    }
  }
  return result;
}

/// Finds the joint that moves each link, and refuses a second one.
static sinew_result find_parent_joints(sinew_urdf *urdf, int *parent_joints) {
  sinew_builder *builder = urdf->builder;
  for (int link = 0; link < builder->link_count; ++link) {
    parent_joints[link] = -1;
  }
  for (int joint = 0; joint < builder->joint_count; ++joint) {
    int child = builder->joints[joint].child;
    if (parent_joints[child] >= 0) {
      return sinew_builder_fail(
          builder, SINEW_ERROR_MODEL, builder->joint_lines[joint], builder->joints[joint].name,
          "its child link \"%s\" is already the child of joint \"%s\"", builder->links[child].name,
          builder->joints[parent_joints[child]].name);
    }
    parent_joints[child] = joint;
  }
  return SINEW_OK;
}

/// Finds the root: the one link that no joint moves.
static sinew_result find_root(sinew_urdf *urdf, int *found) {
  sinew_builder *builder = urdf->builder;
  int *parent_joints =
      sinew_pool_allocate(urdf->tree, (size_t)builder->link_count, sizeof *parent_joints);
  if (parent_joints == NULL) {
    return sinew_builder_fail_memory(builder);
  }
  sinew_result result = find_parent_joints(urdf, parent_joints);
  if (result != SINEW_OK) {
    return result;
  }
  int root = -1;
  for (int link = 0; link < builder->link_count; ++link) {
    if (parent_joints[link] < 0 && root >= 0) {
      return sinew_builder_fail(builder, SINEW_ERROR_MODEL, builder->link_lines[link],
                                builder->links[link].name,
                                "this link and link \"%s\" have no parent joint; a robot has one "
                                "such link, its root",
                                builder->links[root].name);
    }
    root = parent_joints[link] < 0 ? link : root;
  }
  *found = root;
  if (root < 0) {
    return sinew_builder_fail(builder, SINEW_ERROR_MODEL, builder->joint_lines[0],
                              builder->joints[0].name,
                              "the joints form a loop: every link is the child of a joint, so "
                              "there is no root");
  }
  // "world" is the environment, which has no mass.
  if (strcmp(builder->links[root].name, SINEW_WORLD) == 0 && builder->links[root].mass > 0.0) {
    builder->links[root].mass = 0.0;
    return sinew_builder_warn(builder, builder->link_lines[root], SINEW_WORLD,
                              "this link does not move; its <inertial> is ignored");
  }
  return SINEW_OK;
}

static sinew_result read_robot_attributes(sinew_urdf *urdf) {
  sinew_builder *builder = urdf->builder;
  const sinew_xml_element *robot = urdf->robot;
  if (strcmp(robot->name, "robot") != 0) {
    return sinew_builder_fail(builder, SINEW_ERROR_SYNTAX, robot->line, robot->name,
                              "the outermost element is not <robot>: this is not a URDF");
  }
  const char *version = sinew_xml_attribute_find(robot, "version");
  if (version != NULL && strcmp(version, "1.0") != 0 && strcmp(version, "1") != 0) {
    sinew_result result = sinew_builder_warn(builder, robot->line, "robot",
                                             "version \"%s\" is unknown and is ignored", version);
    if (result != SINEW_OK) {
      return result;
    }
  }
  const char *name = sinew_xml_attribute_find(robot, "name");
  if (name == NULL) {
    return sinew_builder_warn(builder, robot->line, "robot", "the robot has no name");
  }
  builder->document->model.name = sinew_pool_copy(&builder->pool, name, strlen(name));
  return builder->document->model.name != NULL ? SINEW_OK : sinew_builder_fail_memory(builder);
}

/// A robot without a link is an empty world, as in Drake.
static sinew_result add_world_if_empty(sinew_urdf *urdf) {
  sinew_builder *builder = urdf->builder;
  if (builder->link_count > 0) {
    return SINEW_OK;
  }
  sinew_result result = sinew_builder_warn(builder, urdf->robot->line, "robot",
                                           "the robot has no link; the single link \"world\" is "
                                           "added");
  if (result == SINEW_OK) {
    result = sinew_builder_add_link(builder, SINEW_WORLD, urdf->robot->line, NULL);
  }
  return result;
}

static sinew_result read_robot(sinew_urdf *urdf) {
  int root = -1;
  sinew_result result = read_robot_attributes(urdf);
  if (result == SINEW_OK) {
    result = read_links(urdf);
  }
  if (result == SINEW_OK) {
    result = read_joints(urdf);
  }
  if (result == SINEW_OK) {
    result = sinew_urdf_check_unused(urdf);
  }
  if (result == SINEW_OK) {
    result = add_world_if_empty(urdf);
  }
  if (result == SINEW_OK) {
    result = find_root(urdf, &root);
  }
  if (result == SINEW_OK && urdf->builder->def.floating_base) {
    result = sinew_builder_float_base(urdf->builder, root);
  }
  return result;
}

sinew_result sinew_urdf_build(sinew_builder *builder, sinew_pool *scratch,
                              const sinew_xml_element *root) {
  sinew_urdf urdf = {.builder = builder, .tree = scratch, .robot = root};
  return read_robot(&urdf);
}

sinew_result sinew_urdf_read(const char *text, size_t size, const sinew_read_def *def,
                             sinew_document **document, sinew_error *error) {
  return sinew_xml_read(SINEW_FORMAT_URDF, sinew_urdf_build, text, size, def, document, error);
}
