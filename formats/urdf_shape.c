/// The shapes of a URDF link: of its collision shapes a sphere or a capsule for each <collision> of
/// a primitive shape, of its looks the names of mesh files. Mesh files are never opened.
///
/// A cylinder or a box becomes the enclosing sphere or the enclosing capsule, whichever has the
/// smaller volume. With h half the length along an axis and d the largest distance of a point from
/// that axis:
///   capsule: all points are within d of the segment from -h to h on the axis
///   sphere:  all points are within sqrt(h^2 + d^2) of the centre
#include "urdf.h"

#include "number.h"

#include <string.h>

/// A shape in its own frame: all points within radius of the segment from -half_length to
/// half_length on axis 0, 1 or 2.
typedef struct sinew_urdf_shape {
  int axis;
  double half_length;
  double radius;
} sinew_urdf_shape;

static void enclose(sinew_urdf_shape *shape, double half_length, double distance) {
  // volumes divided by 4 pi / 3
  const double diagonal[2] = {half_length, distance};
  double radius = sinew_vector_length(diagonal, 2);
  double sphere = radius * radius * radius;
  double capsule = distance * distance * (1.5 * half_length + distance);
  shape->half_length = sphere < capsule ? 0.0 : half_length;
  shape->radius = sphere < capsule ? radius : distance;
}

static void enclose_box(sinew_urdf_shape *shape, const double size[3]) {
  int longest = size[1] > size[0] ? 1 : 0;
  longest = size[2] > size[longest] ? 2 : longest;
  shape->axis = longest;
  const double section[2] = {size[(longest + 1) % 3], size[(longest + 2) % 3]};
  enclose(shape, size[longest] / 2.0, sinew_vector_length(section, 2) / 2.0);
}

/// Reads a required attribute of positive numbers. If one is not positive, warns and sets *usable
/// to 0.
static sinew_result read_sizes(sinew_urdf *urdf, const sinew_xml_element *element,
                               const char *attribute, const char *link, int count, double *values,
                               int *usable) {
  int found = 0;
  sinew_result result = sinew_urdf_numbers(urdf, element, attribute, link, count, values, &found);
  if (result == SINEW_OK && !found) {
    return sinew_builder_fail(urdf->builder, SINEW_ERROR_SYNTAX, element->line, link,
                              "the collision shape <%s> has no attribute %s", element->name,
                              attribute);
  }
  for (int i = 0; i < count && result == SINEW_OK && *usable; ++i) {
    // Larger than any robot, and small enough that squares and cubes do not overflow.
    if (!(values[i] > 0.0 && values[i] < 1e30)) {
      *usable = 0;
      result = sinew_builder_warn(urdf->builder, element->line, link,
                                  "the collision shape <%s> has no positive size and is ignored",
                                  element->name);
    }
  }
  return result;
}

/// Reads radius and length of a sphere (no length), capsule or cylinder.
static sinew_result read_round(sinew_urdf *urdf, const sinew_xml_element *element, const char *link,
                               sinew_urdf_shape *shape, int *usable) {
  double radius = 0.0;
  double length = 0.0;
  sinew_result result = read_sizes(urdf, element, "radius", link, 1, &radius, usable);
  if (result == SINEW_OK && strcmp(element->name, "sphere") != 0) {
    result = read_sizes(urdf, element, "length", link, 1, &length, usable);
  }
  shape->axis = 2;
  shape->half_length = length / 2.0;
  shape->radius = radius;
  if (strcmp(element->name, "cylinder") == 0) {
    enclose(shape, length / 2.0, radius);
  }
  return result;
}

/// Reads the shape within a <geometry>.
/// @param usable receives 0 if there is no shape that sinew supports
static sinew_result read_geometry(sinew_urdf *urdf, const sinew_xml_element *geometry,
                                  const char *link, sinew_urdf_shape *shape, int *usable) {
  const sinew_xml_element *element = sinew_xml_child(geometry, NULL);
  for (; element != NULL; element = sinew_xml_next(element, NULL)) {
    *usable = 1;
    if (strcmp(element->name, "box") == 0) {
      double size[3] = {0.0, 0.0, 0.0};
      sinew_result result = read_sizes(urdf, element, "size", link, 3, size, usable);
      enclose_box(shape, size);
      return result;
    }
    if (strcmp(element->name, "sphere") == 0 || strcmp(element->name, "cylinder") == 0 ||
        strcmp(element->name, "capsule") == 0 || strcmp(element->name, "drake:capsule") == 0) {
      return read_round(urdf, element, link, shape, usable);
    }
  }
  *usable = 0;
  return SINEW_OK;
}

static sinew_result read_collision(sinew_urdf *urdf, const sinew_xml_element *collision, int link) {
  const char *name = urdf->builder->links[link].name;
  const sinew_xml_element *geometry = sinew_xml_child(collision, "geometry");
  sinew_urdf_shape shape = {2, 0.0, 0.0};
  sinew_pose pose;
  int usable = 0;
  sinew_result result = sinew_urdf_pose(urdf, sinew_xml_child(collision, "origin"), name, &pose);
  if (result == SINEW_OK && geometry != NULL) {
    result = read_geometry(urdf, geometry, name, &shape, &usable);
  }
  if (result != SINEW_OK || !usable) {
    return result;
  }
  sinew_shape_def def = sinew_default_shape_def();
  def.link = link;
  def.radius = shape.radius;
  def.a[shape.axis] = -shape.half_length;
  def.b[shape.axis] = shape.half_length;
  sinew_pose_transform(&pose, def.a, def.a);
  sinew_pose_transform(&pose, def.b, def.b);
  return sinew_builder_add_shape(urdf->builder, &def);
}

sinew_result sinew_urdf_read_collisions(sinew_urdf *urdf, const sinew_xml_element *link_element,
                                        int link) {
  sinew_result result = SINEW_OK;
  const sinew_xml_element *collision = sinew_xml_child(link_element, "collision");
  for (; collision != NULL && result == SINEW_OK;
       collision = sinew_xml_next(collision, "collision")) {
    result = read_collision(urdf, collision, link);
  }
  return result;
}

sinew_result sinew_urdf_read_visuals(sinew_urdf *urdf, const sinew_xml_element *link_element) {
  sinew_result result = SINEW_OK;
  const sinew_xml_element *visual = sinew_xml_child(link_element, "visual");
  for (; visual != NULL && result == SINEW_OK; visual = sinew_xml_next(visual, "visual")) {
    const sinew_xml_element *geometry = sinew_xml_child(visual, "geometry");
    const sinew_xml_element *shape = geometry != NULL ? sinew_xml_child(geometry, NULL) : NULL;
    const int is_mesh = shape != NULL && strcmp(shape->name, "mesh") == 0;
    const char *name = is_mesh ? sinew_xml_attribute_find(shape, "filename") : NULL;
    if (name != NULL && name[0] != '\0') {
      result = sinew_builder_add_mesh(urdf->builder, name);
    }
  }
  return result;
}
