// Checks that a definition is a tree of valid joints; messages name the link or joint at fault.
// No function recurses, since a tree may be a chain of any length.
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"
#include "math/within.h"
#include "model/model.h"

#include <string.h>

void sinew_topology_layout(sinew_arena *arena, const sinew_model_def *def,
                           sinew_topology *topology) {
  const size_t links = (size_t)def->link_count, joints = (size_t)def->joint_count;
  const uint32_t link_slots = sinew_name_table_size(def->link_count);
  const uint32_t joint_slots = sinew_name_table_size(def->joint_count);
  topology->link_joint = sinew_arena_take(arena, links, sizeof(int));
  topology->order = sinew_arena_take(arena, joints, sizeof(int));
  topology->driver = sinew_arena_take(arena, joints, sizeof(int));
  topology->ratio = sinew_arena_take(arena, joints, sizeof(double));
  topology->offset = sinew_arena_take(arena, joints, sizeof(double));
  topology->child_start = sinew_arena_take(arena, links + 1, sizeof(int));
  topology->child_joint = sinew_arena_take(arena, joints, sizeof(int));
  topology->stack = sinew_arena_take(arena, links + joints + 1, sizeof(int));
  topology->link_table.mask = link_slots - 1;
  topology->link_table.slots = sinew_arena_take(arena, link_slots, sizeof(int));
  topology->joint_table.mask = joint_slots - 1;
  topology->joint_table.slots = sinew_arena_take(arena, joint_slots, sizeof(int));
}

static const char *def_link_name(const void *links, int index) {
  return ((const sinew_link_def *)links)[index].name;
}

static const char *def_joint_name(const void *joints, int index) {
  return ((const sinew_joint_def *)joints)[index].name;
}

static sinew_result fault(sinew_error *error, const char *name, const char *message) {
  return sinew_error_set(error, SINEW_ERROR_MODEL, name, "%s", message);
}

static sinew_result not_finite(sinew_error *error, const char *name, const char *what) {
  return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, name,
                         "%s is not a finite number of size below 1e100", what);
}

// Enters the names of links or joints into a table. A name that occurs twice is an error.
static sinew_result enter_names(sinew_name_table *table, int count, const char *what,
                                const char *(*name_of)(const void *, int), const void *names,
                                sinew_error *error) {
  memset(table->slots, 0xff, ((size_t)table->mask + 1) * sizeof(int));
  for (int i = 0; i < count; ++i) {
    const char *name = name_of(names, i);
    if (name == NULL || name[0] == '\0') {
      return sinew_error_set(error, SINEW_ERROR_MODEL, NULL, "%s %d has no name", what, i);
    }
    int *slot = sinew_name_table_find(table, name, name_of, names);
    if (*slot >= 0) {
      return sinew_error_set(error, SINEW_ERROR_MODEL, name,
                             "the name stands for two %ss, %d and %d", what, *slot, i);
    }
    *slot = i;
  }
  return SINEW_OK;
}

static sinew_result check_link(const sinew_link_def *link, sinew_error *error) {
  if (!sinew_is_usable(link->mass) || link->mass < 0.0) {
    return sinew_error_set(error, SINEW_ERROR_MODEL, link->name, "mass %g is not >= 0", link->mass);
  }
  return sinew_is_usable3(link->center_of_mass) ? SINEW_OK
                                                : not_finite(error, link->name, "centre of mass");
}

// The letters of EULER and CHANNELS: rotations about x, y, z, of which consecutive ones differ, and
// for CHANNELS translations along each axis at most once.
static sinew_result check_channels(const sinew_joint_def *joint, sinew_error *error) {
  const char *channels = joint->channels;
  if (memchr(channels, '\0', sizeof joint->channels) == NULL || channels[0] == '\0') {
    return fault(error, joint->name, "channels must be 1 to 6 letters of X Y Z x y z");
  }
  const bool euler = joint->kind == SINEW_JOINT_EULER;
  char last = '\0';
  int rotations = 0;
  for (const char *c = channels; *c != '\0'; ++c) {
    const bool rotation = *c >= 'X' && *c <= 'Z', translation = *c >= 'x' && *c <= 'z';
    if (!rotation && (euler || !translation)) {
      return sinew_error_set(error, SINEW_ERROR_MODEL, joint->name, "channel '%c' is not one of %s",
                             *c, euler ? "X Y Z" : "X Y Z x y z");
    }
    if ((translation && strchr(c + 1, *c) != NULL) || (rotation && *c == last)) {
      return sinew_error_set(error, SINEW_ERROR_MODEL, joint->name,
                             "channel '%c' is given twice in \"%s\"", *c, channels);
    }
    last = rotation ? *c : last;
    rotations += rotation;
  }
  return rotations <= 3 ? SINEW_OK : fault(error, joint->name, "channels have more than 3 angles");
}

// The letters of FUNCTION, one for each value.
static sinew_result check_function(const sinew_joint_def *joint, sinew_error *error) {
  const char *channels = joint->channels;
  if (joint->function == NULL) {
    return fault(error, joint->name, "function is NULL");
  }
  bool fits = memchr(channels, '\0', sizeof joint->channels) != NULL && channels[0] != '\0';
  for (int i = 0; fits && channels[i] != '\0'; ++i) {
    fits = channels[i] == 'r' || channels[i] == 'm';
  }
  if (!fits) {
    return fault(error, joint->name,
                 "channels of a function must be 1 to 6 letters r (radians) or m (metres)");
  }
  return SINEW_OK;
}

static sinew_result check_axis(const sinew_joint_def *joint, const double axis[3], const char *what,
                               sinew_error *error) {
  if (!sinew_is_usable3(axis)) {
    return not_finite(error, joint->name, what);
  }
  return sinew_norm_safe(axis) > 1e-100
             ? SINEW_OK
             : sinew_error_set(error, SINEW_ERROR_MODEL, joint->name, "%s is zero", what);
}

// The two axes of a universal joint must not be parallel. They are compared as unit vectors, so
// that their lengths do not matter.
static sinew_result check_axis_pair(const sinew_joint_def *joint, sinew_error *error) {
  double a[3], b[3], cross[3];
  const sinew_result result = check_axis(joint, joint->axis2, "axis2", error);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_scale(1.0 / sinew_norm_safe(joint->axis), joint->axis, a);
  sinew_scale(1.0 / sinew_norm_safe(joint->axis2), joint->axis2, b);
  sinew_cross(a, b, cross);
  return sinew_norm(cross) > 1e-9 ? SINEW_OK
                                  : fault(error, joint->name, "axis and axis2 are parallel");
}

static sinew_result check_axes(const sinew_joint_def *joint, sinew_error *error) {
  switch (joint->kind) {
  case SINEW_JOINT_REVOLUTE:
  case SINEW_JOINT_CONTINUOUS:
  case SINEW_JOINT_PRISMATIC:
  case SINEW_JOINT_SCREW:
  case SINEW_JOINT_UNIVERSAL:
  case SINEW_JOINT_CYLINDRICAL:
  case SINEW_JOINT_PLANAR: {
    const sinew_result result = check_axis(joint, joint->axis, "axis", error);
    return result == SINEW_OK && joint->kind == SINEW_JOINT_UNIVERSAL
               ? check_axis_pair(joint, error)
               : result;
  }
  default:
    return SINEW_OK;
  }
}

// Swing and twist of a spherical joint: lower <= upper has been checked.
static sinew_result check_cone(const sinew_joint_def *joint, sinew_error *error) {
  for (int i = 1; i < 3; ++i) {
    const double lower = joint->lower[i], upper = joint->upper[i];
    if (!(-lower >= SINEW_CONE_LEAST && upper >= SINEW_CONE_LEAST)) {
      return sinew_error_set(error, SINEW_ERROR_MODEL, joint->name,
                             "limits %g, %g of swing do not have 0 between them, %g rad inside",
                             lower, upper, SINEW_CONE_LEAST);
    }
    if (!(-lower <= SINEW_CONE_MOST && upper <= SINEW_CONE_MOST)) {
      return sinew_error_set(error, SINEW_ERROR_MODEL, joint->name,
                             "limits %g, %g of swing are wider than +-%g rad: where swing or twist "
                             "is limited, all of swing is",
                             lower, upper, SINEW_CONE_MOST);
    }
  }
  const double lower = joint->lower[0], upper = joint->upper[0];
  if (!(lower <= SINEW_PI && upper >= -SINEW_PI)) {
    return sinew_error_set(error, SINEW_ERROR_MODEL, joint->name,
                           "limits %g, %g of twist are beyond +-pi", lower, upper);
  }
  const sinew_result result = check_axis(joint, joint->axis, "axis", error);
  return result == SINEW_OK ? check_axis_pair(joint, error) : result;
}

// Limits of each degree of freedom: lower <= upper, and none for CONTINUOUS.
static sinew_result check_limits(const sinew_joint_def *joint, sinew_error *error) {
  const int nv = sinew_joint_def_nv(joint);
  for (int i = 0; i < nv; ++i) {
    const double lower = joint->lower[i], upper = joint->upper[i], velocity = joint->velocity[i];
    if (isnan(lower) || isnan(upper) || isnan(velocity) || lower > SINEW_HUGE ||
        upper < -SINEW_HUGE) { // no usable value lies between them
      return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, joint->name,
                             "limits %g, %g or velocity %g of value %d are not usable", lower,
                             upper, velocity, i);
    }
    if (lower > upper) {
      return sinew_error_set(error, SINEW_ERROR_MODEL, joint->name,
                             "lower limit %g is above the upper limit %g", lower, upper);
    }
    if (velocity < 0.0) {
      return sinew_error_set(error, SINEW_ERROR_MODEL, joint->name, "velocity limit %g is negative",
                             velocity);
    }
    const bool unlimited =
        joint->kind == SINEW_JOINT_CONTINUOUS || (joint->kind == SINEW_JOINT_FREE && i >= 3);
    if (unlimited && (lower != -INFINITY || upper != INFINITY)) {
      return fault(error, joint->name,
                   joint->kind == SINEW_JOINT_CONTINUOUS
                       ? "a continuous joint has no limits"
                       : "the rotation of a free joint has no limits");
    }
  }
  return sinew_joint_def_has_cone(joint) ? check_cone(joint, error) : SINEW_OK;
}

static sinew_result check_joint(const sinew_model_def *def, const sinew_joint_def *joint,
                                sinew_error *error) {
  if ((int)joint->kind < SINEW_JOINT_FIXED || (int)joint->kind > SINEW_JOINT_FUNCTION) {
    return sinew_error_set(error, SINEW_ERROR_MODEL, joint->name, "joint kind %d does not exist",
                           (int)joint->kind);
  }
  if (joint->parent < 0 || joint->parent >= def->link_count || joint->child < 0 ||
      joint->child >= def->link_count) {
    return sinew_error_set(error, SINEW_ERROR_MODEL, joint->name,
                           "parent %d or child %d is not a link (there are %d)", joint->parent,
                           joint->child, def->link_count);
  }
  if (!sinew_is_usable3(joint->placement.position) ||
      !sinew_all_within(4, joint->placement.rotation, SINEW_HUGE)) {
    return not_finite(error, joint->name, "placement");
  }
  const double *r = joint->placement.rotation;
  if (r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0 && r[3] == 0.0) {
    return fault(error, joint->name, "placement has a zero quaternion");
  }
  if (joint->kind == SINEW_JOINT_EULER || joint->kind == SINEW_JOINT_CHANNELS ||
      joint->kind == SINEW_JOINT_FUNCTION) {
    const sinew_result result = joint->kind == SINEW_JOINT_FUNCTION ? check_function(joint, error)
                                                                    : check_channels(joint, error);
    if (result != SINEW_OK) {
      return result;
    }
  }
  if (joint->kind == SINEW_JOINT_SCREW && !sinew_is_usable(joint->pitch)) {
    return not_finite(error, joint->name, "pitch");
  }
  const sinew_result result = check_axes(joint, error);
  return result == SINEW_OK ? check_limits(joint, error) : result;
}

static sinew_result check_shapes(const sinew_model_def *def, sinew_error *error) {
  for (int i = 0; i < def->shape_count; ++i) {
    const sinew_shape_def *shape = &def->shapes[i];
    if (shape->link < 0 || shape->link >= def->link_count) {
      return sinew_error_set(error, SINEW_ERROR_MODEL, NULL, "shape %d: link %d does not exist", i,
                             shape->link);
    }
    const char *name = def->links[shape->link].name;
    if (!sinew_is_usable3(shape->a) || !sinew_is_usable3(shape->b)) {
      return not_finite(error, name, "an end of a collision shape");
    }
    if (!sinew_is_usable(shape->radius) || shape->radius <= 0.0) {
      return sinew_error_set(error, SINEW_ERROR_MODEL, name,
                             "radius %g of a collision shape is not > 0", shape->radius);
    }
  }
  for (int i = 0; i < def->ignored_pair_count; ++i) {
    const sinew_link_pair pair = def->ignored_pairs[i];
    if (pair.a < 0 || pair.a >= def->link_count || pair.b < 0 || pair.b >= def->link_count) {
      return sinew_error_set(error, SINEW_ERROR_MODEL, NULL,
                             "ignored pair %d: links %d and %d do not both exist", i, pair.a,
                             pair.b);
    }
  }
  return SINEW_OK;
}

// Every link but the root must be the child of exactly one joint.
static sinew_result find_root(const sinew_model_def *def, sinew_topology *topology,
                              sinew_error *error) {
  for (int i = 0; i < def->link_count; ++i) {
    topology->link_joint[i] = -1;
  }
  for (int j = 0; j < def->joint_count; ++j) {
    const sinew_joint_def *joint = &def->joints[j];
    const int other = topology->link_joint[joint->child];
    if (other >= 0) {
      return sinew_error_set(error, SINEW_ERROR_MODEL, joint->name,
                             "link \"%s\" is also the child of joint \"%s\"",
                             def->links[joint->child].name, def->joints[other].name);
    }
    topology->link_joint[joint->child] = j;
  }
  topology->root = -1;
  for (int i = 0; i < def->link_count; ++i) {
    if (topology->link_joint[i] < 0 && topology->root >= 0) {
      return sinew_error_set(error, SINEW_ERROR_MODEL, def->links[i].name,
                             "two links have no parent joint, \"%s\" and \"%s\"",
                             def->links[topology->root].name, def->links[i].name);
    }
    topology->root = topology->link_joint[i] < 0 ? i : topology->root;
  }
  return topology->root >= 0 ? SINEW_OK
                             : fault(error, def->links[0].name,
                                     "every link has a parent joint: the joints form a loop");
}

// Joints in depth-first order: the joints of a chain are consecutive.
static sinew_result order_joints(const sinew_model_def *def, sinew_topology *topology,
                                 sinew_error *error) {
  int *start = topology->child_start, *stack = topology->stack;
  for (int j = 0; j < def->joint_count; ++j) {
    ++start[def->joints[j].parent + 1];
  }
  for (int i = 0; i < def->link_count; ++i) {
    start[i + 1] += start[i];
  }
  // Filled from the back, so that each link's joints keep their order and
  // start[] ends up where each begins.
  for (int j = def->joint_count; j-- > 0;) {
    topology->child_joint[--start[def->joints[j].parent + 1]] = j;
  }
  int depth = 0, ordered = 0;
  stack[depth++] = topology->root;
  while (depth > 0) {
    const int link = stack[--depth];
    if (topology->link_joint[link] >= 0) {
      topology->order[ordered++] = topology->link_joint[link];
    }
    const int end = link + 2 <= def->link_count ? start[link + 2] : def->joint_count;
    for (int k = end; k-- > start[link + 1];) {
      stack[depth++] = def->joints[topology->child_joint[k]].child;
    }
  }
  if (ordered == def->joint_count) {
    return SINEW_OK;
  }
  // Some link was not reached: it, or an ancestor of it, is part of a loop.
  for (int k = 0; k < ordered; ++k) {
    topology->link_joint[def->joints[topology->order[k]].child] = -1;
  }
  int j = 0;
  while (topology->link_joint[def->joints[j].child] < 0) {
    ++j;
  }
  return fault(error, def->joints[j].name, "the joint is part of a loop, or hangs below one");
}

static sinew_result check_coupling(const sinew_model_def *def, const sinew_joint_def *joint,
                                   sinew_error *error) {
  if (joint->driver < 0) {
    return SINEW_OK;
  }
  if (joint->driver >= def->joint_count) {
    return sinew_error_set(error, SINEW_ERROR_MODEL, joint->name, "driver %d is not a joint",
                           joint->driver);
  }
  const sinew_joint_def *driver = &def->joints[joint->driver];
  if (driver == joint) {
    return fault(error, joint->name, "the joint is coupled to itself");
  }
  if (sinew_joint_def_nv(joint) != 1 || sinew_joint_def_nv(driver) != 1) {
    return sinew_error_set(
        error, SINEW_ERROR_MODEL, joint->name,
        "coupled to \"%s\", but both must have one degree of freedom (%d and %d)", driver->name,
        sinew_joint_def_nv(joint), sinew_joint_def_nv(driver));
  }
  return sinew_is_usable(joint->ratio) && sinew_is_usable(joint->offset)
             ? SINEW_OK
             : not_finite(error, joint->name, "ratio or offset");
}

// Follows chains of drivers: value = ratio (ratio' d + offset') + offset. Each joint is resolved
// once; its chain is kept on a stack until the last driver is found.
static sinew_result resolve_coupling(const sinew_model_def *def, sinew_topology *topology,
                                     sinew_error *error) {
  enum { UNRESOLVED = -2, ON_STACK = -3 };
  for (int j = 0; j < def->joint_count; ++j) {
    topology->driver[j] = def->joints[j].driver >= 0 ? UNRESOLVED : -1;
  }
  for (int first = 0; first < def->joint_count; ++first) {
    int depth = 0, j = first;
    while (topology->driver[j] == UNRESOLVED) {
      topology->driver[j] = ON_STACK;
      topology->stack[depth++] = j;
      j = def->joints[j].driver;
    }
    if (topology->driver[j] == ON_STACK) {
      return fault(error, def->joints[j].name, "coupled joints drive each other in a loop");
    }
    while (depth > 0) {
      const int k = topology->stack[--depth], d = def->joints[k].driver;
      const bool chained = topology->driver[d] >= 0;
      topology->driver[k] = chained ? topology->driver[d] : d;
      topology->ratio[k] = def->joints[k].ratio * (chained ? topology->ratio[d] : 1.0);
      topology->offset[k] =
          def->joints[k].offset + (chained ? def->joints[k].ratio * topology->offset[d] : 0.0);
      if (!sinew_is_usable(topology->ratio[k]) || !sinew_is_usable(topology->offset[k])) {
        return not_finite(error, def->joints[k].name, "ratio or offset of the coupled chain");
      }
    }
  }
  return SINEW_OK;
}

static sinew_result check_each(const sinew_model_def *def, sinew_error *error) {
  sinew_result result = SINEW_OK;
  for (int i = 0; i < def->link_count && result == SINEW_OK; ++i) {
    result = check_link(&def->links[i], error);
  }
  for (int j = 0; j < def->joint_count && result == SINEW_OK; ++j) {
    result = check_joint(def, &def->joints[j], error);
  }
  for (int j = 0; j < def->joint_count && result == SINEW_OK; ++j) {
    result = check_coupling(def, &def->joints[j], error);
  }
  return result == SINEW_OK ? check_shapes(def, error) : result;
}

// Whether links, joints and shapes come from their default functions.
static sinew_result check_origins(const sinew_model_def *def, sinew_error *error) {
  static const sinew_definition link = {SINEW_COOKIE_LINK, sizeof *def->links, "sinew_link_def",
                                        "sinew_default_link_def()", "link"};
  static const sinew_definition joint = {SINEW_COOKIE_JOINT, sizeof *def->joints, "sinew_joint_def",
                                         "sinew_default_joint_def()", "joint"};
  static const sinew_definition shape = {SINEW_COOKIE_SHAPE, sizeof *def->shapes, "sinew_shape_def",
                                         "sinew_default_shape_def()", "shape"};
  sinew_result result = SINEW_OK;
  for (int i = 0; i < def->link_count && result == SINEW_OK; ++i) {
    result = sinew_definition_check(&def->links[i], &link, i, error);
  }
  for (int j = 0; j < def->joint_count && result == SINEW_OK; ++j) {
    result = sinew_definition_check(&def->joints[j], &joint, j, error);
  }
  for (int i = 0; i < def->shape_count && result == SINEW_OK; ++i) {
    result = sinew_definition_check(&def->shapes[i], &shape, i, error);
  }
  return result;
}

sinew_result sinew_model_def_validate(const sinew_model_def *def, sinew_topology *topology,
                                      sinew_error *error) {
  sinew_result result = check_origins(def, error);
  if (result == SINEW_OK) {
    result = enter_names(&topology->link_table, def->link_count, "link", def_link_name, def->links,
                         error);
  }
  if (result == SINEW_OK) {
    result = enter_names(&topology->joint_table, def->joint_count, "joint", def_joint_name,
                         def->joints, error);
  }
  if (result == SINEW_OK) {
    result = check_each(def, error);
  }
  if (result == SINEW_OK) {
    result = find_root(def, topology, error);
  }
  if (result == SINEW_OK) {
    result = order_joints(def, topology, error);
  }
  return result == SINEW_OK ? resolve_coupling(def, topology, error) : result;
}
