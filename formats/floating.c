/// A floating base: a joint with six degrees of freedom between the world and a robot's root link.
///
/// A URDF states how its robot is placed in the world only by a root link "world", to which the
/// robot is fixed (a convention of Drake and ROS). Legged robots and humanoids have their pelvis or
/// trunk as the root link, sometimes with an empty link above it.
#include "document.h"

#include <stdio.h>
#include <string.h>

/// The first of base, base_2, base_3, ... that is not in use.
static void find_unused_name(const sinew_names *names, const char *base, char *text, size_t size) {
  snprintf(text, size, "%s", base);
  for (int number = 2; sinew_names_find(names, text) >= 0; ++number) {
    snprintf(text, size, "%s_%d", base, number);
  }
}

/// The joints that hang on the root link: how many, and the first.
static int root_joints(const sinew_builder *builder, int root, int *first) {
  int count = 0;
  for (int joint = builder->joint_count - 1; joint >= 0; --joint) {
    if (builder->joints[joint].parent == root) {
      ++count;
      *first = joint;
    }
  }
  return count;
}

/// Moves a joint to the front, so that q begins with the pose of the base.
static sinew_result move_to_front(sinew_builder *builder, int index) {
  const sinew_joint_def joint = builder->joints[index];
  const int line = builder->joint_lines[index];
  memmove(builder->joints + 1, builder->joints, (size_t)index * sizeof *builder->joints);
  memmove(builder->joint_lines + 1, builder->joint_lines,
          (size_t)index * sizeof *builder->joint_lines);
  builder->joints[0] = joint;
  builder->joint_lines[0] = line;
  memset(&builder->joint_names, 0, sizeof builder->joint_names);
  for (int j = 0; j < builder->joint_count; ++j) {
    const int driver = builder->joints[j].driver;
    builder->joints[j].driver += driver >= 0 && driver < index;
    if (!sinew_names_add(&builder->joint_names, &builder->pool, builder->joints[j].name, j)) {
      return sinew_builder_fail_memory(builder);
    }
  }
  return SINEW_OK;
}

/// Makes the joint that fixes the robot to the world a free joint: q is the base's pose in the
/// world, wherever the file mounts it.
static sinew_result float_fixed(sinew_builder *builder, int index, const char *joint_name) {
  const char *fixed = builder->joints[index].name;
  const int line = builder->joint_lines[index];
  sinew_result result =
      sinew_builder_warn(builder, line, fixed,
                         "this joint fixes the robot to the link " SINEW_WORLD "; with a floating "
                         "base it is replaced by the free joint %s",
                         joint_name);
  const char *name = sinew_pool_copy(&builder->pool, joint_name, strlen(joint_name));
  if (result == SINEW_OK && name == NULL) {
    result = sinew_builder_fail_memory(builder);
  }
  if (result != SINEW_OK) {
    return result;
  }
  sinew_joint_def joint = sinew_default_joint_def();
  joint.name = name;
  joint.kind = SINEW_JOINT_FREE;
  joint.parent = builder->joints[index].parent;
  joint.child = builder->joints[index].child;
  builder->joints[index] = joint;
  return move_to_front(builder, index);
}

/// A robot on a link "world" floats if a single fixed joint holds it there.
static sinew_result float_from_world(sinew_builder *builder, int root, int count, int first,
                                     const char *joint_name) {
  if (count == 1 && builder->joints[first].kind == SINEW_JOINT_FIXED) {
    return float_fixed(builder, first, joint_name);
  }
  if (count == 1) {
    return sinew_builder_fail(
        builder, SINEW_ERROR_MODEL, builder->joint_lines[first], builder->joints[first].name,
        "this joint moves the robot on the link " SINEW_WORLD ": its base cannot float");
  }
  return sinew_builder_fail(builder, SINEW_ERROR_MODEL, builder->link_lines[root],
                            builder->links[root].name,
                            "%d joints are on this link: no base to float", count);
}

sinew_result sinew_builder_float_base(sinew_builder *builder, int root) {
  const int line = builder->link_lines[root];
  int first = -1;
  const int count = root_joints(builder, root, &first);
  if (count == 1 && builder->joints[first].kind == SINEW_JOINT_FREE) {
    return SINEW_OK;
  }
  char world[32], joint_name[32];
  find_unused_name(&builder->joint_names, "floating_base", joint_name, sizeof joint_name);
  if (strcmp(builder->links[root].name, SINEW_WORLD) == 0) {
    return float_from_world(builder, root, count, first, joint_name);
  }
  sinew_joint_def joint = sinew_default_joint_def();
  find_unused_name(&builder->link_names, SINEW_WORLD, world, sizeof world);
  joint.name = joint_name;
  joint.kind = SINEW_JOINT_FREE;
  joint.child = root;
  sinew_result result = sinew_builder_add_link(builder, world, line, &joint.parent);
  if (result == SINEW_OK) {
    result = sinew_builder_add_joint(builder, &joint, line, NULL);
  }
  return result == SINEW_OK ? move_to_front(builder, builder->joint_count - 1) : result;
}
