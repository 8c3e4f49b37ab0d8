// A network that gives starts: its inputs, its outputs, and its evaluation.
//
//   x_0 = (features of the targets, code of q0)
//   x_k = max(0, W_k x_{k-1} + b_k),   the last layer without max()
//   q   = decode(x_last)
//
// Features are those of a bank (bank_features.c): without a floating base they are relative to the
// root, else to the first pose. Codes are shares of the ranges, cosines and sines, quaternions.
#include "seed/network.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "task/task.h"

#include <string.h>

// The bound on inputs: float overflows far beyond it.
#define MOST 1e6f

// ---------------------------------------------------------------------- plan

// Marks the degrees of freedom that move a link.
static void mark_path(const sinew_model *model, int link, unsigned char *moves) {
  for (int k = model->link_node[link]; k >= 0; k = model->nodes[k].parent) {
    const sinew_node *node = &model->nodes[k];
    moves[node->v] = 1;
  }
}

static void mark_all(const sinew_model *model, unsigned char *moves) {
  for (int k = 0; k < model->node_count; ++k) {
    moves[model->nodes[k].v] = 1;
  }
}

static void mark_tasks(const sinew_model *model, const sinew_task *tasks, int count,
                       unsigned char *moves) {
  for (int t = 0; t < count; ++t) {
    if (tasks[t].center_of_mass || tasks[t].frame_link >= 0) {
      mark_all(model, moves);
    } else {
      mark_path(model, tasks[t].link, moves);
    }
  }
}

// Whether a joint's value and one a whole turn further give the same poses, and both are allowed.
static bool has_turn(const sinew_model *model, const sinew_node *node) {
  return node->kind == SINEW_NODE_REVOLUTE && node->alone &&
         !(model->upper[node->v] - model->lower[node->v] < 2.0 * SINEW_PI);
}

static sinew_network_value value_of(const sinew_model *model, const sinew_node *node,
                                    double length) {
  const double l = model->lower[node->v], u = model->upper[node->v];
  const double reach = model->angular[node->v] ? SINEW_PI : length;
  const bool bounded = sinew_is_usable(l) && sinew_is_usable(u) && u - l <= 100.0 * reach;
  const double half = bounded ? 0.5 * (u - l) : reach;
  return (sinew_network_value){.code = node->kind == SINEW_NODE_SPHERICAL ? SINEW_NETWORK_SPHERE
                                       : has_turn(model, node)            ? SINEW_NETWORK_TURN
                                                                          : SINEW_NETWORK_SHARE,
                               .q = node->q,
                               .v = node->v,
                               .middle = bounded ? 0.5 * (l + u) : 0.0,
                               .half = half > 1e-9 ? half : 1.0};
}

static int numbers_of(const sinew_network_value *value) {
  return value->code == SINEW_NETWORK_SPHERE ? 4 : value->code == SINEW_NETWORK_TURN ? 2 : 1;
}

static bool is_of_base(const sinew_network *network, int v) {
  const sinew_floating_base *base = &network->base;
  return base->floats && v >= base->v && v < base->v + base->nv;
}

// Fills the values that tasks read, each once: coupled nodes share one.
static void plan_values(sinew_network *network, const sinew_task *tasks, unsigned char *moves) {
  const sinew_model *model = network->model;
  network->value_count = network->code_count = 0;
  mark_tasks(model, tasks, network->task_count, moves);
  for (int k = 0; k < model->node_count; ++k) {
    const sinew_node *node = &model->nodes[k];
    if (moves[node->v] == 1 && !is_of_base(network, node->v)) {
      sinew_network_value *value = &network->values[network->value_count++];
      moves[node->v] = 2;
      *value = value_of(model, node, network->length);
      network->code_count += numbers_of(value);
    }
  }
}

sinew_result sinew_network_plan(const sinew_allocator *allocator, const sinew_model *model,
                                const sinew_task *tasks, int count, sinew_network *network,
                                sinew_error *error) {
  if (model == NULL || (tasks == NULL && count > 0)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "model or tasks is NULL");
  }
  const sinew_result result = sinew_bank_check_tasks("network", model, tasks, count, error);
  if (result != SINEW_OK) {
    return result;
  }
  *network = (sinew_network){.allocator = sinew_allocator_complete(allocator),
                             .model = model,
                             .model_hash = sinew_network_model_hash(model),
                             .task_hash = sinew_network_task_hash(tasks, count),
                             .task_count = count,
                             .length = sinew_tasks_size(model, tasks, count)};
  sinew_floating_base_find(model, tasks, count, &network->base);
  sinew_bank_features_plan(&network->features, tasks, count, network->length, network->base.floats);
  network->feature_count = network->features.distance_rows + 9 * network->features.turns;
  network->places_base = network->base.floats && network->features.centred;
  return SINEW_OK;
}

static void layout(sinew_arena *arena, sinew_network *network, size_t weight_count, float **weights,
                   unsigned char **moves) {
  const size_t nodes = (size_t)network->model->node_count, nv = (size_t)network->model->nv;
  sinew_arena_take(arena, 1, sizeof *network);
  network->tasks = sinew_arena_take(arena, (size_t)network->task_count, sizeof *network->tasks);
  network->values = sinew_arena_take(arena, nodes, sizeof *network->values);
  *moves = sinew_arena_take(arena, nv, 1);
  *weights = sinew_arena_take_aligned(arena, weight_count, sizeof **weights, 64);
}

sinew_network *sinew_network_make(const sinew_network *plan, const sinew_task *tasks,
                                  size_t weight_count, float **weights, sinew_error *error) {
  sinew_network planned = *plan;
  sinew_arena arena = {NULL, 0};
  unsigned char *moves;
  layout(&arena, &planned, weight_count, weights, &moves);
  planned.bytes = arena.used;
  sinew_network *network = sinew_allocate(&plan->allocator, arena.used);
  if (network == NULL) {
    sinew_error_set(error, SINEW_ERROR_MEMORY, NULL, "no memory for the network (%zu bytes)",
                    arena.used);
    return NULL;
  }
  *network = planned;
  arena = (sinew_arena){(unsigned char *)network, 0};
  layout(&arena, network, weight_count, weights, &moves);
  for (int t = 0; t < network->task_count; ++t) {
    network->tasks[t] = tasks[t];
  }
  plan_values(network, tasks, moves);
  const int inputs = sinew_network_inputs(network), outputs = sinew_network_outputs(network);
  if (inputs > SINEW_NETWORK_MAX_WIDTH || outputs > SINEW_NETWORK_MAX_WIDTH) {
    sinew_error_set(error, SINEW_ERROR_TOO_LARGE, NULL, "%d %s are more than %d",
                    inputs < outputs ? outputs : inputs, inputs < outputs ? "outputs" : "inputs",
                    SINEW_NETWORK_MAX_WIDTH);
    sinew_network_destroy(network);
    return NULL;
  }
  return network;
}

sinew_result sinew_network_create(const sinew_allocator *allocator, const sinew_model *model,
                                  const sinew_task *tasks, int count, sinew_network **network,
                                  sinew_error *error) {
  if (network == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "network is NULL");
  }
  *network = NULL;
  sinew_network plan;
  sinew_error own = {0};
  float *weights;
  const sinew_result result = sinew_network_plan(allocator, model, tasks, count, &plan, error);
  if (result != SINEW_OK) {
    return result;
  }
  *network = sinew_network_make(&plan, tasks, 0, &weights, &own);
  if (*network == NULL && error != NULL) {
    *error = own;
  }
  return *network != NULL ? SINEW_OK : own.code;
}

void sinew_network_destroy(sinew_network *network) {
  if (network != NULL) {
    const sinew_allocator allocator = network->allocator;
    sinew_release(&allocator, network);
  }
}

size_t sinew_network_bytes(const sinew_network *network) {
  SINEW_ASSERT(network != NULL);
  return network->bytes;
}

int sinew_network_inputs(const sinew_network *network) {
  SINEW_ASSERT(network != NULL);
  return network->feature_count + network->code_count;
}

int sinew_network_outputs(const sinew_network *network) {
  SINEW_ASSERT(network != NULL);
  return network->code_count + (network->places_base ? SINEW_NETWORK_BASE_NUMBERS : 0);
}

bool sinew_network_fits_task(const sinew_network *network, int t, const sinew_task *task) {
  return sinew_bank_task_fits(&network->tasks[t], task);
}

// ---------------------------------------------------------------------- codes

static float *put_value(const sinew_network_value *value, const double *q, float *to) {
  if (value->code == SINEW_NETWORK_SPHERE) {
    const double sign = q[value->q] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; ++i) {
      *to++ = (float)(sign * q[value->q + i]);
    }
    return to;
  }
  if (value->code == SINEW_NETWORK_TURN) {
    *to++ = (float)cos(q[value->q]);
    *to++ = (float)sin(q[value->q]);
    return to;
  }
  const double share = (q[value->q] - value->middle) / value->half;
  *to++ = (float)sinew_clamp(share, -MOST, MOST);
  return to;
}

static float *put_values(const sinew_network *network, const double *q, float *to) {
  for (int i = 0; i < network->value_count; ++i) {
    to = put_value(&network->values[i], q, to);
  }
  return to;
}

// The angle a + 2 pi k that is nearest to one, within limits where there is one.
static double unwind(double a, double near, double lower, double upper) {
  const double turn = 2.0 * SINEW_PI;
  double q = a + turn * floor((near - a) / turn + 0.5);
  q += q > upper ? -turn * ceil((q - upper) / turn) : 0.0;
  q += q < lower ? turn * ceil((lower - q) / turn) : 0.0;
  return q;
}

static const float *take_value(const sinew_model *model, const sinew_network_value *value,
                               const float *from, double *q) {
  const double lower = model->lower[value->v], upper = model->upper[value->v];
  double *to = q + value->q;
  if (value->code == SINEW_NETWORK_SPHERE) {
    double new[4] = {from[0], from[1], from[2], from[3]};
    const double square = new[0] * new[0] + new[1] * new[1] + new[2] * new[2] + new[3] * new[3];
    if (square > 1e-6) {
      sinew_quaternion_normalize(new);
      memcpy(to, new, sizeof new);
      const int cone = model->cone_of_v[value->v];
      if (cone >= 0) {
        sinew_cone_hold(&model->cones[cone], NULL, to);
      }
    }
    return from + 4;
  }
  if (value->code == SINEW_NETWORK_TURN) {
    *to = sinew_clamp(unwind(atan2(from[1], from[0]), *to, lower, upper), lower, upper);
    return from + 2;
  }
  *to = sinew_clamp(value->middle + value->half * from[0], lower, upper);
  return from + 1;
}

// ----------------------------------------------------------------------- base

// The reference's pose with the base at 0, from numbers; false: they give no rotation.
static bool take_reference(const sinew_network *network, const float *from, sinew_pose *pose) {
  double R[9], x[3], y[3], z[3];
  for (int i = 0; i < 3; ++i) {
    pose->position[i] = network->length * from[i];
    x[i] = from[3 + i];
    y[i] = from[6 + i];
  }
  // Gram-Schmidt
  const double square = sinew_dot(x, x);
  if (!(square > 1e-6)) {
    return false;
  }
  const double along = sinew_dot(x, y) / square;
  for (int i = 0; i < 3; ++i) {
    y[i] -= along * x[i];
  }
  if (!(sinew_dot(y, y) > 1e-6)) {
    return false;
  }
  sinew_unit(x, x);
  sinew_unit(y, y);
  sinew_cross(x, y, z);
  for (int i = 0; i < 3; ++i) {
    R[3 * i] = x[i];
    R[3 * i + 1] = y[i];
    R[3 * i + 2] = z[i];
  }
  sinew_quaternion_from_matrix(R, pose->rotation);
  return true;
}

static void pose_of_target(const sinew_target *target, sinew_pose *pose) {
  memcpy(pose->position, target->position, sizeof pose->position);
  memcpy(pose->rotation, target->rotation, sizeof pose->rotation);
  sinew_quaternion_normalize(pose->rotation);
}

static void place_base(const sinew_network *network, const sinew_target *targets, const float *from,
                       double *q) {
  sinew_pose effector, target, back, motion;
  if (take_reference(network, from, &effector)) {
    pose_of_target(&targets[network->features.reference], &target);
    sinew_pose_invert(&effector, &back);
    sinew_pose_multiply(&target, &back, &motion);
    sinew_floating_base_set(&network->base, &motion, q);
  }
}

// The motion M of all links by the base's values: from M placement M_0^-1... with q's base values,
// the reference with the base at 0 is at M^-1 target.
static void put_reference(const sinew_network *network, const sinew_target *targets,
                          const double *q, float *to) {
  const sinew_floating_base *base = &network->base;
  sinew_pose own = sinew_pose_identity(), placement, motion, back, target, effector;
  double R[9];
  for (int i = 0; i < 3; ++i) {
    own.position[i] = q[base->translation_q[i]];
  }
  if (base->quaternion_q >= 0) {
    memcpy(own.rotation, q + base->quaternion_q, sizeof own.rotation);
  } else {
    for (int i = 0; i < 3; ++i) {
      double w[3] = {0.0, 0.0, 0.0}, turn[4];
      w[base->angle_axis[i]] = q[base->angle_q[i]];
      sinew_quaternion_exp(w, turn);
      sinew_quaternion_multiply(own.rotation, turn, own.rotation);
    }
  }
  sinew_frame_to_pose(&base->placement, &placement);
  sinew_pose_multiply(&placement, &own, &motion);
  sinew_pose_invert(&placement, &back);
  sinew_pose_multiply(&motion, &back, &motion);
  sinew_pose_invert(&motion, &back);
  pose_of_target(&targets[network->features.reference], &target);
  sinew_pose_multiply(&back, &target, &effector);
  sinew_quaternion_to_matrix(effector.rotation, R);
  for (int i = 0; i < 3; ++i) {
    to[i] = (float)sinew_clamp(effector.position[i] / network->length, -MOST, MOST);
    to[3 + i] = (float)R[3 * i];
    to[6 + i] = (float)R[3 * i + 1];
  }
}

// -------------------------------------------------------------------- running

static void put_inputs(const sinew_network *network, const sinew_target *targets, const double *q0,
                       float *inputs) {
  float rows[SINEW_BANK_MOST_ROWS], coordinates[SINEW_BANK_MOST_ROWS];
  sinew_bank_features_of_targets(&network->features, network->tasks, targets, rows, coordinates);
  for (int i = 0; i < network->feature_count; ++i) {
    const float x = coordinates[i];
    inputs[i] = x > MOST ? MOST : x < -MOST ? -MOST : x;
  }
  put_values(network, q0, inputs + network->feature_count);
}

void sinew_network_example(const sinew_network *network, const sinew_target *targets,
                           const double *q0, const double *q, float *inputs, float *outputs) {
  SINEW_ASSERT(network != NULL && targets != NULL && q0 != NULL && inputs != NULL);
  put_inputs(network, targets, q0, inputs);
  if (q != NULL && outputs != NULL) {
    float *rest = put_values(network, q, outputs);
    if (network->places_base) {
      put_reference(network, targets, q, rest);
    }
  }
}

// y = W x + b. Rows of inputs that are 0, as about half are after max(), are left out.
static void run_layer(const sinew_network_layer *layer, const float *restrict x,
                      float *restrict y) {
  const int n = layer->outputs;
  memcpy(y, layer->b, (size_t)n * sizeof *y);
  for (int i = 0; i < layer->inputs; ++i) {
    const float *restrict row = layer->W + (size_t)i * (size_t)n;
    const float s = x[i];
    for (int j = 0; s != 0.0f && j < n; ++j) {
      y[j] += s * row[j];
    }
  }
}

// The outputs, in one of the two buffers; NULL: they are not all finite.
static const float *run(const sinew_network *network, float *x, float *y) {
  for (int k = 0; k < network->layer_count; ++k) {
    const sinew_network_layer *layer = &network->layers[k];
    run_layer(layer, x, y);
    for (int j = 0; k + 1 < network->layer_count && j < layer->outputs; ++j) {
      y[j] = y[j] > 0.0f ? y[j] : 0.0f;
    }
    float *const other = x;
    x = y;
    y = other;
  }
  for (int j = 0; j < sinew_network_outputs(network); ++j) {
    if (!(x[j] >= -MOST && x[j] <= MOST)) {
      return NULL;
    }
  }
  return x;
}

void sinew_network_seed(const sinew_network *network, const sinew_target *targets, const double *q0,
                        double *q) {
  SINEW_ASSERT(network != NULL && targets != NULL && q0 != NULL && q != NULL);
  const sinew_model *model = network->model;
  float x[SINEW_NETWORK_MAX_WIDTH], y[SINEW_NETWORK_MAX_WIDTH];
  put_inputs(network, targets, q0, x);
  if (q != q0) {
    memcpy(q, q0, (size_t)model->nq * sizeof *q);
  }
  const float *from = network->layer_count > 0 ? run(network, x, y) : NULL;
  for (int i = 0; from != NULL && i < network->value_count; ++i) {
    from = take_value(model, &network->values[i], from, q);
  }
  if (from != NULL && network->places_base) {
    place_base(network, targets, from, q);
  }
}
