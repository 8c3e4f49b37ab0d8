// From a definition to a flat model: joints are split into nodes (nodes.c), and limits of coupled
// joints become limits of their drivers.
#include "model/model.h"
#include "base/definition.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vector.h"

#include <stdio.h>
#include <string.h>

#define WARNING_SIZE 256

// ---------------------------------------------------------------- memory

static char *take_text(sinew_arena *arena, const char *text) {
  const size_t size = strlen(text != NULL ? text : "") + 1;
  char *copy = sinew_arena_take(arena, size, 1);
  if (copy != NULL && text != NULL) {
    memcpy(copy, text, size);
  }
  return copy;
}

static void model_layout(sinew_arena *arena, sinew_model *model, const sinew_model_def *def) {
  const size_t links = (size_t)model->link_count, joints = (size_t)model->joint_count;
  const size_t nodes = (size_t)model->node_count, nv = (size_t)model->nv;
  model->nodes = sinew_arena_take(arena, nodes, sizeof *model->nodes);
  model->placements =
      sinew_arena_take_aligned(arena, nodes, sizeof *model->placements, sizeof(sinew_four));
  model->link_names = sinew_arena_take(arena, links, sizeof *model->link_names);
  model->link_joint = sinew_arena_take(arena, links, sizeof(int));
  model->link_node = sinew_arena_take(arena, links, sizeof(int));
  model->link_offsets =
      sinew_arena_take_aligned(arena, links, sizeof *model->link_offsets, sizeof(sinew_four));
  model->masses = sinew_arena_take(arena, 4 * links, sizeof(double));
  model->node_masses = sinew_arena_take(arena, 4 * nodes, sizeof(double));
  model->carried = sinew_arena_take(arena, nodes, sizeof(double));
  model->mass_shares = sinew_arena_take(arena, nodes, sizeof *model->mass_shares);
  model->joints = sinew_arena_take(arena, joints, sizeof *model->joints);
  model->joint_node = sinew_arena_take(arena, joints, sizeof(int));
  model->cones = sinew_arena_take(arena, (size_t)model->cone_count, sizeof *model->cones);
  model->functions =
      sinew_arena_take(arena, (size_t)model->function_count, sizeof *model->functions);
  model->cone_of_v = sinew_arena_take(arena, nv, sizeof(int));
  model->lower = sinew_arena_take(arena, nv, sizeof(double));
  model->upper = sinew_arena_take(arena, nv, sizeof(double));
  model->velocity = sinew_arena_take(arena, nv, sizeof(double));
  model->angular = sinew_arena_take(arena, nv, 1);
  model->q_of_v = sinew_arena_take(arena, nv, sizeof(int));
  model->quaternion_axis = sinew_arena_take(arena, nv, 1);
  model->shapes = sinew_arena_take(arena, (size_t)model->shape_count, sizeof *model->shapes);
  model->pairs = sinew_arena_take(arena, (size_t)model->pair_count, sizeof *model->pairs);
  model->link_table.slots =
      sinew_arena_take(arena, (size_t)model->link_table.mask + 1, sizeof(int));
  model->joint_table.slots =
      sinew_arena_take(arena, (size_t)model->joint_table.mask + 1, sizeof(int));
  // At most one warning for each coupled joint.
  model->warnings = sinew_arena_take(arena, (size_t)model->warning_count, sizeof(char *));
  for (int i = 0; i < model->warning_count; ++i) {
    const char *text = sinew_arena_take(arena, WARNING_SIZE, 1);
    if (arena->base != NULL) {
      model->warnings[i] = text;
    }
  }
  model->name = take_text(arena, def->name);
  for (int i = 0; i < model->link_count; ++i) {
    char *name = take_text(arena, def->links[i].name);
    if (arena->base != NULL) {
      model->link_names[i] = name;
    }
  }
  for (int j = 0; j < model->joint_count; ++j) {
    const char *name = take_text(arena, def->joints[j].name);
    if (arena->base != NULL) {
      model->joints[j].name = name;
    }
  }
}

// Counts the elements of a validated definition.
static void model_measure(sinew_model *model, const sinew_model_def *def,
                          const sinew_topology *topology) {
  model->link_count = def->link_count;
  model->joint_count = def->joint_count;
  model->shape_count = def->shape_count;
  model->pair_count = def->ignored_pair_count;
  model->root = topology->root;
  model->link_table.mask = topology->link_table.mask;
  model->joint_table.mask = topology->joint_table.mask;
  for (int j = 0; j < def->joint_count; ++j) {
    const sinew_joint_def *joint = &def->joints[j];
    const int nv = sinew_joint_def_nv(joint);
    const bool coupled = topology->driver[j] >= 0;
    model->node_count += sinew_joint_has_quaternion(joint->kind) ? nv - 2 : nv;
    model->nq += coupled ? 0 : sinew_joint_def_nq(joint);
    model->nv += coupled ? 0 : nv;
    model->warning_count += coupled;
    model->cone_count += sinew_joint_def_has_cone(joint);
    model->function_count += joint->kind == SINEW_JOINT_FUNCTION;
  }
}

// --------------------------------------------------------- joints and limits

// The limits of a joint that is not coupled. cones: how many there are so far.
static void build_limits(sinew_model *model, const sinew_joint_def *from, const sinew_joint *to,
                         int *cones) {
  const bool cone = sinew_joint_def_has_cone(from);
  if (cone) {
    sinew_cone_set(&model->cones[*cones], from->axis, from->axis2, from->lower, from->upper);
  }
  for (int i = 0; i < to->nv; ++i) {
    const int v = to->v_index + i;
    model->cone_of_v[v] = cone ? *cones : -1;
    model->lower[v] = cone ? -INFINITY : from->lower[i];
    model->upper[v] = cone ? INFINITY : from->upper[i];
    model->velocity[v] = from->velocity[i] > 0.0 ? from->velocity[i] : INFINITY;
  }
  *cones += cone;
}

static void build_joints(sinew_model *model, const sinew_model_def *def,
                         const sinew_topology *topology) {
  int q = 0, v = 0, cones = 0;
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint_def *from = &def->joints[j];
    sinew_joint *to = &model->joints[j];
    to->kind = from->kind;
    to->parent = from->parent;
    to->child = from->child;
    to->driver = topology->driver[j];
    to->ratio = to->driver >= 0 ? topology->ratio[j] : 1.0;
    to->offset = to->driver >= 0 ? topology->offset[j] : 0.0;
    if (to->driver >= 0) {
      continue;
    }
    to->nq = sinew_joint_def_nq(from);
    to->nv = sinew_joint_def_nv(from);
    to->q_index = q;
    to->v_index = v;
    build_limits(model, from, to, &cones);
    q += to->nq;
    v += to->nv;
  }
  for (int j = 0; j < model->joint_count; ++j) {
    sinew_joint *joint = &model->joints[j];
    if (joint->driver >= 0) { // the index of its driver's value
      joint->q_index = model->joints[joint->driver].q_index;
      joint->v_index = model->joints[joint->driver].v_index;
    }
  }
}

// The limits l <= ratio d + offset <= u of a coupled joint, as an interval of its driver d. Limits
// that would leave an empty interval or a point are ignored, with a warning.
static void narrow_driver(sinew_model *model, const sinew_joint_def *def,
                          const sinew_joint *joint) {
  if (joint->ratio == 0.0) {
    return;
  }
  const int v = joint->v_index;
  const double a = (def->lower[0] - joint->offset) / joint->ratio;
  const double b = (def->upper[0] - joint->offset) / joint->ratio;
  const double lower = sinew_max(model->lower[v], sinew_min(a, b));
  const double upper = sinew_min(model->upper[v], sinew_max(a, b));
  if (lower < upper && lower <= SINEW_HUGE && upper >= -SINEW_HUGE) {
    model->lower[v] = lower;
    model->upper[v] = upper;
  } else if (lower != model->lower[v] || upper != model->upper[v]) { // not the driver's own point
    char *text = (char *)model->warnings[model->warning_count++];
    snprintf(text, WARNING_SIZE,
             "joint \"%.80s\": its limits leave its driver \"%.80s\" no room and are dropped",
             joint->name, model->joints[joint->driver].name);
  }
  if (def->velocity[0] > 0.0) {
    model->velocity[v] = sinew_min(model->velocity[v], def->velocity[0] / fabs(joint->ratio));
  }
}

static bool is_straight(const sinew_frame *placement) {
  bool same = true;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      same &= sinew_frame_R(placement, i, j) == (i == j ? 1.0 : 0.0);
    }
  }
  return same;
}

// An entry of a rotation that is 0, 1 or -1 but for rounding errors, as of quarter turns that a
// file has as decimals of pi/2, is exactly that.
#define ENTRY_ROUNDING 1e-15

// Whether a placement's axes are axes of its parent, which are then exactly these.
static bool find_axes(sinew_frame *placement, signed char axis[3]) {
  double exact[3][3];
  for (int j = 0; j < 3; ++j) {
    axis[j] = -1;
    for (int i = 0; i < 3; ++i) {
      const double entry = sinew_frame_R(placement, i, j), whole = floor(entry + 0.5);
      if (!(fabs(entry - whole) <= ENTRY_ROUNDING)) {
        return false;
      }
      exact[j][i] = whole + 0.0; // no -0
      axis[j] = whole != 0.0 ? (signed char)i : axis[j];
    }
    if (axis[j] < 0) {
      return false;
    }
  }
  for (int j = 0; j < 3; ++j) {
    sinew_frame_set_column(placement, j, exact[j]);
  }
  return true;
}

static bool is_uncoupled_revolute(const sinew_node *node) {
  return node->kind == SINEW_NODE_REVOLUTE && node->ratio == 1.0 && node->offset == 0.0;
}

// Whether a node goes on with a run of the one before it.
static bool continues_run(const sinew_model *model, int n) {
  const sinew_node *node = &model->nodes[n];
  return is_uncoupled_revolute(node) && is_uncoupled_revolute(node - 1) && node->parent == n - 1 &&
         node->q == node[-1].q + 1;
}

static void mark_runs(sinew_model *model) {
  for (int n = model->node_count - 1; n >= 0; --n) {
    const bool longer = n + 1 < model->node_count && continues_run(model, n + 1);
    model->nodes[n].run =
        is_uncoupled_revolute(&model->nodes[n]) ? 1 + (longer ? model->nodes[n + 1].run : 0) : 0;
  }
}

// Marks nodes whose value no coupled joint shares, nodes whose placement has no rotation or turns
// axes onto axes, and runs of revolute nodes.
static void mark_nodes(sinew_model *model) {
  for (int n = 0; n < model->node_count; ++n) {
    sinew_node *node = &model->nodes[n];
    node->alone = true;
    node->quarters = find_axes(&model->placements[n], node->axis);
    node->straight = is_straight(&model->placements[n]);
  }
  mark_runs(model);
  for (int j = 0; j < model->joint_count; ++j) {
    if (model->joints[j].driver >= 0) {
      model->nodes[model->joint_node[j]].alone = false;
      model->nodes[model->joint_node[model->joints[j].driver]].alone = false;
    }
  }
}

static void narrow_drivers(sinew_model *model, const sinew_model_def *def) {
  model->warning_count = 0;
  for (int j = 0; j < model->joint_count; ++j) {
    if (model->joints[j].driver >= 0) {
      narrow_driver(model, &def->joints[j], &model->joints[j]);
    }
  }
}

// The functions of joints, after their nodes have places.
static void build_functions(sinew_model *model, const sinew_model_def *def) {
  for (int j = 0, k = 0; j < model->joint_count; ++j) {
    const sinew_joint_def *joint = &def->joints[j];
    if (joint->kind == SINEW_JOINT_FUNCTION) {
      model->functions[k++] = (sinew_model_function){
          joint->function, joint->context, j, model->joint_node[j], sinew_joint_def_nv(joint)};
    }
  }
}

// The kind of each degree of freedom, and the index of its value in q.
static void map_dofs(sinew_model *model, const sinew_model_def *def) {
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    const int nodes = sinew_joint_has_quaternion(joint->kind) ? joint->nv - 2 : joint->nv;
    for (int k = 0; k < nodes; ++k) {
      const sinew_node *node = &model->nodes[model->joint_node[j] + k];
      const bool spherical = node->kind == SINEW_NODE_SPHERICAL;
      for (int i = 0; i < (spherical ? 3 : 1); ++i) {
        model->angular[node->v + i] = node->kind == SINEW_NODE_FUNCTION
                                          ? def->joints[j].channels[k] == 'r'
                                          : node->kind != SINEW_NODE_PRISMATIC;
        model->q_of_v[node->v + i] = node->q;
        model->quaternion_axis[node->v + i] = (signed char)(spherical ? i : -1);
      }
    }
  }
}

static bool has_rotation(const sinew_joint_def *joint) {
  bool rotates = joint->kind != SINEW_JOINT_FIXED && joint->kind != SINEW_JOINT_PRISMATIC &&
                 joint->kind != SINEW_JOINT_CHANNELS && joint->kind != SINEW_JOINT_FUNCTION;
  rotates |= joint->kind == SINEW_JOINT_FUNCTION && strchr(joint->channels, 'r') != NULL;
  for (const char *c = joint->channels; joint->kind == SINEW_JOINT_CHANNELS && *c != '\0'; ++c) {
    rotates |= *c <= 'Z';
  }
  return rotates;
}

// The longest range of a translation, of those that are at most so long; 0 if there is none.
static double longest_range(const sinew_model *model, double most) {
  double longest = 0.0;
  for (int i = 0; i < model->nv; ++i) {
    const double range = model->upper[i] - model->lower[i];
    longest = !model->angular[i] && range <= most ? sinew_max(longest, range) : longest;
  }
  return longest;
}

// Whether a joint lets a figure float: its placement is where its distances count from, and no
// length of the figure.
static bool floats(const sinew_joint_def *joint, int root) {
  return joint->parent == root &&
         (joint->kind == SINEW_JOINT_FREE ||
          (joint->kind == SINEW_JOINT_CHANNELS && strchr(joint->channels, 'x') != NULL &&
           strchr(joint->channels, 'y') != NULL && strchr(joint->channels, 'z') != NULL));
}

// Levers below this share of the size are those of rounded placements.
#define NO_LEVER 1e-6

// The size is the longest path from the root to a link, the sum of |joint placement|, without that
// of a joint by which the figure floats. That is the scale of rotations. Where they have no lever,
// the part of a path after the first rotation, only translations move the figure, and the size is
// their longest range where that is longer. 1 where there is neither. length: 2 for each link, a
// path and its lever, -1 before the first rotation.
static void measure_size(sinew_model *model, const sinew_model_def *def,
                         const sinew_topology *topology, double (*length)[2]) {
  double size = 0.0, lever = 0.0;
  length[model->root][0] = 0.0;
  length[model->root][1] = -1.0;
  for (int k = 0; k < model->joint_count; ++k) {
    const sinew_joint_def *joint = &def->joints[topology->order[k]];
    const double placed =
        floats(joint, model->root) ? 0.0 : sinew_norm_safe(joint->placement.position);
    const double *from = length[joint->parent];
    double *to = length[joint->child];
    to[0] = from[0] + placed;
    to[1] = from[1] < 0.0 ? from[1] : from[1] + placed;
    size = sinew_max(size, to[0]);
    lever = sinew_max(lever, to[1]);
    to[1] = has_rotation(joint) ? sinew_max(to[1], 0.0) : to[1];
  }
  if (lever <= NO_LEVER * size) {
    size = sinew_max(size, longest_range(model, SINEW_WIDE_SLIDE * (size > 0.0 ? size : 1.0)));
  }
  model->measured = size > 0.0;
  model->size = size > 0.0 ? size : 1.0;
}

static void copy_links(sinew_model *model, const sinew_model_def *def,
                       const sinew_topology *topology) {
  const size_t links = (size_t)model->link_count;
  memcpy(model->link_joint, topology->link_joint, links * sizeof(int));
  for (int i = 0; i < model->link_count; ++i) {
    model->masses[4 * i] = def->links[i].mass;
    memcpy(model->masses + 4 * i + 1, def->links[i].center_of_mass, 3 * sizeof(double));
  }
  if (model->shape_count > 0) {
    memcpy(model->shapes, def->shapes, (size_t)model->shape_count * sizeof *model->shapes);
  }
  if (model->pair_count > 0) {
    memcpy(model->pairs, def->ignored_pairs, (size_t)model->pair_count * sizeof *model->pairs);
  }
  memcpy(model->link_table.slots, topology->link_table.slots,
         ((size_t)model->link_table.mask + 1) * sizeof(int));
  memcpy(model->joint_table.slots, topology->joint_table.slots,
         ((size_t)model->joint_table.mask + 1) * sizeof(int));
}

// Adds a mass at p to a centre of mass (4 values).
static void add_mass(double mass, const double p[3], double centre[4]) {
  if (mass > 0.0) {
    centre[0] += mass;
    for (int i = 0; i < 3; ++i) {
      centre[1 + i] += mass / centre[0] * (p[i] - centre[1 + i]);
    }
  }
}

// The masses of the nodes, after all links have their places.
static void build_masses(sinew_model *model) {
  const size_t nodes = (size_t)model->node_count;
  memset(model->node_masses, 0, 4 * nodes * sizeof(double));
  memset(model->carried, 0, nodes * sizeof(double));
  for (int i = 0; i < model->link_count; ++i) {
    const double *mass = model->masses + 4 * i;
    const int node = model->link_node[i];
    double p[3];
    sinew_frame_transform(&model->link_offsets[i], mass + 1, p);
    add_mass(mass[0], p, node >= 0 ? model->node_masses + 4 * node : model->root_mass);
  }
  model->mass = model->root_mass[0];
  for (int n = model->node_count; n-- > 0;) { // the nodes on n have larger indices
    const int parent = model->nodes[n].parent;
    model->carried[n] += model->node_masses[4 * n];
    *(parent >= 0 ? &model->carried[parent] : &model->mass) += model->carried[n];
  }
  for (int n = 0; n < model->node_count; ++n) {
    const int parent = model->nodes[n].parent;
    const double carried = model->carried[n],
                 all = parent >= 0 ? model->carried[parent] : model->mass;
    model->mass_shares[n] = (sinew_mass_shares){.own = 0.0};
    if (carried > 0.0) {
      model->mass_shares[n].own = model->node_masses[4 * n] / carried;
      model->mass_shares[n].onto = carried / all;
    }
  }
}

// ----------------------------------------------------------------- creation

// Builds the model, in one block with its arrays.
static sinew_result model_build(const sinew_model_def *def, const sinew_allocator *allocator,
                                const sinew_topology *topology, double (*length)[2],
                                sinew_model **out, sinew_error *error) {
  sinew_model head = {.allocator = *allocator};
  model_measure(&head, def, topology);
  sinew_arena arena = {NULL, 0};
  sinew_arena_take(&arena, 1, sizeof head);
  model_layout(&arena, &head, def);
  sinew_model *model = sinew_allocate(allocator, arena.used);
  if (model == NULL) {
    return sinew_error_set(error, SINEW_ERROR_MEMORY, NULL, "no memory for the model (%zu bytes)",
                           arena.used);
  }
  *model = head;
  arena = (sinew_arena){(unsigned char *)model, 0};
  sinew_arena_take(&arena, 1, sizeof head);
  model_layout(&arena, model, def);
  copy_links(model, def, topology);
  build_joints(model, def, topology);
  sinew_model_build_nodes(model, def, topology);
  build_masses(model);
  mark_nodes(model);
  narrow_drivers(model, def);
  map_dofs(model, def);
  build_functions(model, def);
  measure_size(model, def, topology, length);
  const sinew_result checked = sinew_model_check_start(model, error);
  if (checked != SINEW_OK) {
    sinew_release(allocator, model);
    return checked;
  }
  *out = model;
  return SINEW_OK;
}

static sinew_result check_arguments(const sinew_model_def *def, sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_MODEL, sizeof *def, "sinew_model_def",
                                              "sinew_default_model_def()", NULL};
  if (sinew_definition_check(def, &definition, -1, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  if (def->link_count < 1) {
    return sinew_error_set(error, SINEW_ERROR_MODEL, NULL, "a model needs at least one link");
  }
  if (def->joint_count < 0 || def->shape_count < 0 || def->ignored_pair_count < 0) {
    return sinew_error_set(error, SINEW_ERROR_MODEL, NULL, "a count is negative");
  }
  if (def->links == NULL || (def->joint_count > 0 && def->joints == NULL) ||
      (def->shape_count > 0 && def->shapes == NULL) ||
      (def->ignored_pair_count > 0 && def->ignored_pairs == NULL)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "an array with a count is NULL");
  }
  return SINEW_OK;
}

sinew_result sinew_model_create(const sinew_model_def *def, sinew_model **model,
                                sinew_error *error) {
  if (model == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "model is NULL");
  }
  *model = NULL;
  sinew_result result = check_arguments(def, error);
  if (result != SINEW_OK) {
    return result;
  }
  // Scratch memory for the checks, released before the call ends.
  const sinew_allocator allocator = sinew_allocator_complete(&def->allocator);
  sinew_topology topology = {0};
  sinew_arena arena = {NULL, 0};
  sinew_topology_layout(&arena, def, &topology);
  sinew_arena_take(&arena, (size_t)def->link_count, 2 * sizeof(double));
  unsigned char *scratch = sinew_allocate(&allocator, arena.used);
  if (scratch == NULL) {
    return sinew_error_set(error, SINEW_ERROR_MEMORY, NULL, "no memory to check the model");
  }
  arena = (sinew_arena){scratch, 0};
  sinew_topology_layout(&arena, def, &topology);
  double(*length)[2] = sinew_arena_take(&arena, (size_t)def->link_count, sizeof *length);
  result = sinew_model_def_validate(def, &topology, error);
  if (result == SINEW_OK) {
    result = model_build(def, &allocator, &topology, length, model, error);
  }
  sinew_release(&allocator, scratch);
  return result;
}

void sinew_model_destroy(sinew_model *model) {
  if (model != NULL) {
    const sinew_allocator allocator = model->allocator;
    sinew_release(&allocator, model);
  }
}
