// The file of a network: docs/learned.md has the format. Little-endian; numbers are read by bytes,
// so that neither the machine's order nor alignment matters.
#include "base/error.h"
#include "math/vector.h"
#include "seed/network.h"

#include <string.h>

#define VERSION 1
#define FIXED_HEAD 48
#define MOST_NAME 252

static const char magic[8] = {'S', 'I', 'N', 'E', 'W', 'N', 'E', 'T'};

// ----------------------------------------------------------------------- hash

// FNV-1a: Fowler, Noll, Vo 1991.
static void hash_bits(uint64_t *hash, uint64_t bits) {
  for (int i = 0; i < 8; ++i) {
    *hash = (*hash ^ (bits >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
  }
}

static void hash_int(uint64_t *hash, int value) {
  hash_bits(hash, (uint64_t)(int64_t)value);
}

// Rounded to 2^-20, so that the last bits of sines do not matter.
static void hash_number(uint64_t *hash, double x) {
  const double most = 1e12;
  hash_bits(hash, (uint64_t)(int64_t)floor(sinew_clamp(x, -most, most) * 1048576.0 + 0.5));
}

static void hash_frame(uint64_t *hash, const sinew_frame *frame) {
  double R[9], p[3];
  sinew_frame_get(frame, R, p);
  for (int i = 0; i < 9; ++i) {
    hash_number(hash, R[i]);
  }
  for (int i = 0; i < 3; ++i) {
    hash_number(hash, p[i]);
  }
}

static uint64_t hash_begin(void) {
  return UINT64_C(0xcbf29ce484222325);
}

uint64_t sinew_network_model_hash(const sinew_model *model) {
  uint64_t hash = hash_begin();
  hash_int(&hash, model->nq);
  hash_int(&hash, model->nv);
  for (int k = 0; k < model->node_count; ++k) {
    const sinew_node *node = &model->nodes[k];
    hash_int(&hash, (int)node->kind);
    hash_int(&hash, node->parent);
    hash_int(&hash, node->q);
    hash_int(&hash, node->v);
    hash_number(&hash, node->ratio);
    hash_number(&hash, node->offset);
    hash_number(&hash, node->pitch);
    hash_frame(&hash, &model->placements[k]);
  }
  for (int v = 0; v < model->nv; ++v) {
    hash_number(&hash, model->lower[v]);
    hash_number(&hash, model->upper[v]);
  }
  for (int c = 0; c < model->cone_count; ++c) {
    const sinew_cone *cone = &model->cones[c];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        hash_number(&hash, cone->axes[i][j]);
      }
      hash_number(&hash, cone->lower[i]);
      hash_number(&hash, cone->upper[i]);
    }
  }
  for (int l = 0; l < model->link_count; ++l) {
    hash_int(&hash, model->link_node[l]);
    hash_frame(&hash, &model->link_offsets[l]);
  }
  return hash;
}

uint64_t sinew_network_task_hash(const sinew_task *tasks, int count) {
  uint64_t hash = hash_begin();
  for (int t = 0; t < count; ++t) {
    const sinew_task *task = &tasks[t];
    hash_int(&hash, (int)task->kind);
    hash_int(&hash, task->link);
    hash_int(&hash, task->frame_link);
    hash_int(&hash, task->center_of_mass);
    hash_int(&hash, (int)task->free_axes);
    for (int i = 0; i < 3; ++i) {
      hash_number(&hash, task->point_l[i]);
      hash_number(&hash, task->axis_l[i]);
    }
    for (int i = 0; i < 4; ++i) {
      hash_number(&hash, task->rotation_l[i]);
    }
  }
  return hash;
}

// -------------------------------------------------------------------- writing

static unsigned char *put(unsigned char *to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    *to++ = (unsigned char)(value >> 8 * i);
  }
  return to;
}

size_t sinew_network_head(const sinew_network *network, void *head) {
  SINEW_ASSERT(network != NULL && head != NULL);
  const char *name = network->model->name;
  const size_t length = strlen(name) < MOST_NAME ? strlen(name) : MOST_NAME;
  const size_t padded = (length + 3) / 4 * 4;
  unsigned char *to = head;
  memcpy(to, magic, sizeof magic);
  to = put(to + sizeof magic, VERSION, 4);
  to = put(to, FIXED_HEAD + padded, 4);
  to = put(to, network->model_hash, 8);
  to = put(to, network->task_hash, 8);
  to = put(to, (uint64_t)sinew_network_inputs(network), 4);
  to = put(to, (uint64_t)sinew_network_outputs(network), 4);
  to = put(to, length, 4);
  to = put(to, 0, 4);
  memcpy(to, name, length);
  memset(to + length, 0, padded - length);
  return FIXED_HEAD + padded;
}

// -------------------------------------------------------------------- reading

typedef struct reading {
  const unsigned char *bytes;
  size_t size, at;
  const char *name; // of the file
  sinew_error *error;
} reading;

#define REFUSE(r, code, ...)                                                                       \
  refuse((r), sinew_error_set((r)->error, (code), "network", __VA_ARGS__))

static sinew_result refuse(const reading *r, sinew_result code) {
  sinew_error_copy(r->error->file, sizeof r->error->file, r->name);
  return code;
}

static size_t bytes_left(const reading *r) {
  return r->size - r->at;
}

// The next number; there are as many bytes.
static uint64_t take(reading *r, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    value |= (uint64_t)r->bytes[r->at++] << 8 * i;
  }
  return value;
}

static float take_float(reading *r) {
  const uint32_t bits = (uint32_t)take(r, 4);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static sinew_result check_start(reading *r) {
  if (r->size > SINEW_NETWORK_MAX_BYTES) {
    return REFUSE(r, SINEW_ERROR_TOO_LARGE, "%zu bytes are more than %d", r->size,
                  SINEW_NETWORK_MAX_BYTES);
  }
  if (r->size < FIXED_HEAD || memcmp(r->bytes, magic, sizeof magic) != 0) {
    return REFUSE(r, SINEW_ERROR_SYNTAX, "it is not the file of a network");
  }
  r->at = sizeof magic;
  const uint32_t version = (uint32_t)take(r, 4);
  return version == VERSION ? SINEW_OK
                            : REFUSE(r, SINEW_ERROR_UNSUPPORTED,
                                     "version %u: this library reads version %d", version, VERSION);
}

// The model's name in the file, for messages: without control characters.
static void take_name(reading *r, size_t length, size_t padded, char name[MOST_NAME + 1]) {
  for (size_t i = 0; i < length; ++i) {
    const unsigned char c = r->bytes[r->at + i];
    name[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
  }
  name[length] = '\0';
  r->at += padded;
}

// Compares the head with what is expected.
static sinew_result check_head(reading *r, const sinew_network *plan) {
  char name[MOST_NAME + 1];
  const size_t head = (size_t)take(r, 4);
  const uint64_t model_hash = take(r, 8), task_hash = take(r, 8);
  r->at += 8; // inputs and outputs, which follow from the model and the tasks
  const size_t length = (size_t)take(r, 4), padded = (length + 3) / 4 * 4;
  const uint64_t reserved = take(r, 4);
  if (length > MOST_NAME || head != FIXED_HEAD + padded || head > r->size || reserved != 0) {
    return REFUSE(r, SINEW_ERROR_SYNTAX, "its head is damaged");
  }
  take_name(r, length, padded, name);
  if (model_hash != plan->model_hash) {
    return strcmp(name, plan->model->name) == 0
               ? REFUSE(r, SINEW_ERROR_MODEL,
                        "it was made for another model of the name '%s': the joints differ", name)
               : REFUSE(r, SINEW_ERROR_MODEL, "it was made for the model '%s', not for '%s'", name,
                        plan->model->name);
  }
  return task_hash == plan->task_hash
             ? SINEW_OK
             : REFUSE(r, SINEW_ERROR_MODEL, "it was made for other tasks of the model '%s'", name);
}

// The widths of the layers, and how many weights there are in all. Stays before the layers.
static sinew_result measure_layers(reading *r, int inputs, int outputs, int *layers,
                                   size_t *weights) {
  const size_t count = bytes_left(r) >= 4 ? (size_t)take(r, 4) : 0;
  const size_t first = r->at;
  size_t width = (size_t)inputs;
  if (count < 1 || count > SINEW_NETWORK_MAX_LAYERS) {
    return REFUSE(r, SINEW_ERROR_SYNTAX, "%zu layers are not within 1 and %d", count,
                  SINEW_NETWORK_MAX_LAYERS);
  }
  *weights = 0;
  for (size_t k = 0; k < count; ++k) {
    const size_t next = bytes_left(r) >= 4 ? (size_t)take(r, 4) : 0;
    if (next < 1 || next > SINEW_NETWORK_MAX_WIDTH) {
      return REFUSE(r, SINEW_ERROR_SYNTAX, "layer %zu: the width %zu is not within 1 and %d", k + 1,
                    next, SINEW_NETWORK_MAX_WIDTH);
    }
    if (bytes_left(r) < 4 * (width + 1) * next) {
      return REFUSE(r, SINEW_ERROR_SYNTAX, "it is cut off within layer %zu", k + 1);
    }
    *weights += (width + 1) * next;
    r->at += 4 * (width + 1) * next;
    width = next;
  }
  if (width != (size_t)outputs || bytes_left(r) > 0) {
    return REFUSE(r, SINEW_ERROR_SYNTAX,
                  "%zu outputs and %zu bytes after the last layer: %d and 0 "
                  "are expected",
                  width, bytes_left(r), outputs);
  }
  *layers = (int)count;
  r->at = first;
  return SINEW_OK;
}

// Reads the weights, for which there is memory; false: one is not finite.
static bool read_layers(reading *r, sinew_network *network, int layers, float *to) {
  bool finite = true;
  int width = sinew_network_inputs(network);
  network->layer_count = layers;
  for (int k = 0; k < layers; ++k) {
    sinew_network_layer *layer = &network->layers[k];
    *layer = (sinew_network_layer){.inputs = width, .outputs = (int)take(r, 4), .W = to};
    layer->b = to + (size_t)width * (size_t)layer->outputs;
    const size_t count = (size_t)(width + 1) * (size_t)layer->outputs;
    for (size_t i = 0; i < count; ++i) {
      to[i] = take_float(r);
      finite &= to[i] >= -1e30f && to[i] <= 1e30f;
    }
    to += count;
    width = layer->outputs;
  }
  return finite;
}

// Reads the layers into a network of a plan.
static sinew_result read_network(reading *r, const sinew_network *plan, const sinew_task *tasks,
                                 sinew_network **network) {
  // The numbers of inputs and outputs follow from a network without layers.
  float *weights;
  int layers = 0;
  size_t count = 0;
  sinew_network *bare = sinew_network_make(plan, tasks, 0, &weights, r->error);
  if (bare == NULL) {
    return r->error->code;
  }
  const sinew_result result =
      measure_layers(r, sinew_network_inputs(bare), sinew_network_outputs(bare), &layers, &count);
  sinew_network_destroy(bare);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_network *made = sinew_network_make(plan, tasks, count, &weights, r->error);
  if (made == NULL) {
    return r->error->code;
  }
  if (!read_layers(r, made, layers, weights)) {
    sinew_network_destroy(made);
    return REFUSE(r, SINEW_ERROR_NOT_FINITE, "a weight is not within -1e30 and 1e30");
  }
  *network = made;
  return SINEW_OK;
}

sinew_result sinew_network_read(const void *bytes, size_t size, const char *name,
                                const sinew_allocator *allocator, const sinew_model *model,
                                const sinew_task *tasks, int count, sinew_network **network,
                                sinew_error *error) {
  sinew_error own = {0};
  sinew_network plan;
  if (network == NULL || (bytes == NULL && size > 0)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "network or bytes is NULL");
  }
  *network = NULL;
  reading r = {.bytes = bytes, .size = size, .name = name != NULL ? name : "input", .error = &own};
  sinew_result result = sinew_network_plan(allocator, model, tasks, count, &plan, &own);
  result = result == SINEW_OK ? check_start(&r) : result;
  result = result == SINEW_OK ? check_head(&r, &plan) : result;
  result = result == SINEW_OK ? read_network(&r, &plan, tasks, network) : result;
  if (result != SINEW_OK && error != NULL) {
    *error = own;
  }
  return result;
}
