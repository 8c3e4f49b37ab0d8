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

/// Whether the root link has a single child joint and this is a floating joint.
static int is_floating(const sinew_builder *builder, int root) {
  int count = 0, floating = 0;
  for (int joint = 0; joint < builder->joint_count; ++joint) {
    if (builder->joints[joint].parent == root) {
      ++count;
      floating += builder->joints[joint].kind == SINEW_JOINT_FREE;
    }
  }
  return count == 1 && floating == 1;
}

/// Moves the last joint to the front, so that q begins with the pose of the base.
static sinew_result move_to_front(sinew_builder *builder) {
  const int last = builder->joint_count - 1;
  const sinew_joint_def joint = builder->joints[last];
  const int line = builder->joint_lines[last];
  memmove(builder->joints + 1, builder->joints, (size_t)last * sizeof *builder->joints);
  memmove(builder->joint_lines + 1, builder->joint_lines,
          (size_t)last * sizeof *builder->joint_lines);
  builder->joints[0] = joint;
  builder->joint_lines[0] = line;
  memset(&builder->joint_names, 0, sizeof builder->joint_names);
  for (int j = 0; j <= last; ++j) {
    builder->joints[j].driver += builder->joints[j].driver >= 0;
    if (!sinew_names_add(&builder->joint_names, &builder->pool, builder->joints[j].name, j)) {
      return sinew_builder_fail_memory(builder);
    }
  }
  return SINEW_OK;
}

sinew_result sinew_builder_float_base(sinew_builder *builder, int root) {
  const char *name = builder->links[root].name;
  const int line = builder->link_lines[root];
  if (is_floating(builder, root)) {
    return SINEW_OK;
  }
  if (strcmp(name, SINEW_WORLD) == 0) {
    return sinew_builder_warn(builder, line, name,
                              "the robot is fixed to this link: its base does not float");
  }
  char world[32], joint_name[32];
  sinew_joint_def joint = sinew_default_joint_def();
  find_unused_name(&builder->link_names, SINEW_WORLD, world, sizeof world);
  find_unused_name(&builder->joint_names, "floating_base", joint_name, sizeof joint_name);
  joint.name = joint_name;
  joint.kind = SINEW_JOINT_FREE;
  joint.child = root;
  sinew_result result = sinew_builder_add_link(builder, world, line, &joint.parent);
  if (result == SINEW_OK) {
    result = sinew_builder_add_joint(builder, &joint, line, NULL);
  }
  return result == SINEW_OK ? move_to_front(builder) : result;
}
