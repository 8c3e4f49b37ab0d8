// The nodes of a model: each joint becomes elementary degrees of freedom, and fixed transforms are
// merged into the placements of the nodes after them.
#include "math/rotation.h"
#include "math/vector.h"
#include "model/model.h"

// Appends the nodes of one joint. "here" is the constant transform from the last node's moved frame
// to the joint's axes, at which the next node's placement starts.
typedef struct node_builder {
  sinew_model *model;
  int next;         // index of the next node
  int parent;       // node
  sinew_frame here; // constant, in the parent's moved frame
  const sinew_joint *joint;
  double pitch;
} node_builder;

static void builder_advance(node_builder *builder, const double R[9]) {
  const double zero[3] = {0.0, 0.0, 0.0};
  sinew_frame rotation, moved;
  sinew_frame_set(&rotation, R, zero);
  sinew_frame_multiply(&builder->here, &rotation, &moved);
  builder->here = moved;
}

// Appends a node whose z is the given unit axis, in the joint's axes after the nodes before it.
// i: index within the joint's values.
static void builder_add(node_builder *builder, sinew_node_kind kind, const double axis[3], int i) {
  const double zero[3] = {0.0, 0.0, 0.0};
  const sinew_joint *joint = builder->joint;
  double R[9], back[9];
  sinew_rotation_z_to(axis, R);
  builder_advance(builder, R);

  sinew_node *node = &builder->model->nodes[builder->next];
  *node = (sinew_node){.kind = kind, .parent = builder->parent, .ratio = 1.0, .cone = -1};
  node->q = joint->q_index + i;
  node->v = joint->v_index + i;
  node->pitch = builder->pitch;
  if (joint->driver >= 0) {
    node->ratio = joint->ratio;
    node->offset = joint->offset;
  }
  builder->model->placements[builder->next] = builder->here;

  // After the node's motion, rotate back to the joint's axes.
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      back[3 * r + c] = R[3 * c + r];
    }
  }
  sinew_frame_set(&builder->here, back, zero);
  builder->parent = builder->next++;
}

static void builder_add_spherical(node_builder *builder, int i) {
  const double z[3] = {0.0, 0.0, 1.0};
  builder_add(builder, SINEW_NODE_SPHERICAL, z, i);
}

static const double UNIT[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// CHANNELS and EULER: first the translations, along the axes before any rotation, wherever they
// stand in the order of channels; then the rotations in their order.
static void builder_add_channels(node_builder *builder, const char *channels) {
  for (int i = 0; channels[i] != '\0'; ++i) {
    if (channels[i] >= 'x') {
      builder_add(builder, SINEW_NODE_PRISMATIC, UNIT[channels[i] - 'x'], i);
    }
  }
  for (int i = 0; channels[i] != '\0'; ++i) {
    if (channels[i] <= 'Z') {
      builder_add(builder, SINEW_NODE_REVOLUTE, UNIT[channels[i] - 'X'], i);
    }
  }
}

static void builder_add_planar(node_builder *builder, const double axis[3]) {
  double B[9];
  sinew_rotation_z_to(axis, B);
  const double x[3] = {B[0], B[3], B[6]}, y[3] = {B[1], B[4], B[7]};
  builder_add(builder, SINEW_NODE_PRISMATIC, x, 0);
  builder_add(builder, SINEW_NODE_PRISMATIC, y, 1);
  builder_add(builder, SINEW_NODE_REVOLUTE, axis, 2);
}

// A node for each value, in the joint's axes: the first has the motion.
static void builder_add_function(node_builder *builder, const char *channels) {
  const double z[3] = {0.0, 0.0, 1.0};
  for (int i = 0; channels[i] != '\0'; ++i) {
    builder_add(builder, SINEW_NODE_FUNCTION, z, i);
  }
}

static void builder_add_joint(node_builder *builder, const sinew_joint_def *def) {
  double axis[3] = {1.0, 0.0, 0.0}, axis2[3] = {0.0, 1.0, 0.0};
  double length = sinew_norm_safe(def->axis);
  if (length > 0.0) {
    sinew_scale(1.0 / length, def->axis, axis);
  }
  length = sinew_norm_safe(def->axis2);
  if (length > 0.0) {
    sinew_scale(1.0 / length, def->axis2, axis2);
  }
  builder->pitch = def->pitch;
  switch (def->kind) {
  case SINEW_JOINT_FIXED:
    break;
  case SINEW_JOINT_REVOLUTE:
  case SINEW_JOINT_CONTINUOUS:
    builder_add(builder, SINEW_NODE_REVOLUTE, axis, 0);
    break;
  case SINEW_JOINT_PRISMATIC:
    builder_add(builder, SINEW_NODE_PRISMATIC, axis, 0);
    break;
  case SINEW_JOINT_SCREW:
    builder_add(builder, SINEW_NODE_SCREW, axis, 0);
    break;
  case SINEW_JOINT_SPHERICAL:
    builder_add_spherical(builder, 0);
    builder->model->nodes[builder->next - 1].cone =
        builder->model->cone_of_v[builder->joint->v_index];
    break;
  case SINEW_JOINT_EULER:
  case SINEW_JOINT_CHANNELS:
    builder_add_channels(builder, def->channels);
    break;
  case SINEW_JOINT_UNIVERSAL:
    builder_add(builder, SINEW_NODE_REVOLUTE, axis, 0);
    builder_add(builder, SINEW_NODE_REVOLUTE, axis2, 1);
    break;
  case SINEW_JOINT_CYLINDRICAL:
    builder_add(builder, SINEW_NODE_REVOLUTE, axis, 0);
    builder_add(builder, SINEW_NODE_PRISMATIC, axis, 1);
    break;
  case SINEW_JOINT_PLANAR:
    builder_add_planar(builder, axis);
    break;
  case SINEW_JOINT_FREE:
    for (int i = 0; i < 3; ++i) {
      builder_add(builder, SINEW_NODE_PRISMATIC, UNIT[i], i);
    }
    builder_add_spherical(builder, 3);
    break;
  case SINEW_JOINT_FUNCTION:
    builder_add_function(builder, def->channels);
    break;
  }
}

void sinew_model_build_nodes(sinew_model *model, const sinew_model_def *def,
                             const sinew_topology *topology) {
  const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0, 0, 0};
  model->link_node[model->root] = -1;
  sinew_frame_set(&model->link_offsets[model->root], identity, zero);
  int next = 0;
  for (int k = 0; k < model->joint_count; ++k) {
    const int j = topology->order[k];
    const sinew_joint_def *joint = &def->joints[j];
    sinew_pose placement = joint->placement;
    sinew_quaternion_normalize(placement.rotation);
    sinew_frame placed;
    sinew_frame_from_pose(&placement, &placed);
    node_builder builder = {.model = model,
                            .next = next,
                            .parent = model->link_node[joint->parent],
                            .joint = &model->joints[j]};
    sinew_frame_multiply(&model->link_offsets[joint->parent], &placed, &builder.here);
    builder_add_joint(&builder, joint);
    model->joint_node[j] = builder.next > next ? next : -1;
    model->link_node[joint->child] = builder.parent;
    model->link_offsets[joint->child] = builder.here;
    next = builder.next;
  }
}
