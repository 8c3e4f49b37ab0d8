// Internals of a network that gives starts: see sinew/network.h and docs/learned.md.
#ifndef SINEW_SEED_NETWORK_H
#define SINEW_SEED_NETWORK_H

#include "seed/bank.h"
#include "sinew/network.h"

// How a value of the configuration goes in and out.
typedef enum sinew_network_code {
  SINEW_NETWORK_SHARE, // (q - middle) / half: one number
  SINEW_NETWORK_TURN,  // its cosine and sine: where limits allow a whole turn
  SINEW_NETWORK_SPHERE // a quaternion, its w >= 0: four numbers
} sinew_network_code;

typedef struct sinew_network_value {
  sinew_network_code code;
  int q, v;
  double middle, half; // SHARE
} sinew_network_value;

typedef struct sinew_network_layer {
  int inputs, outputs;
  const float *W; // inputs x outputs
  const float *b; // outputs
} sinew_network_layer;

struct sinew_network {
  sinew_allocator allocator;
  const sinew_model *model;
  size_t bytes;
  uint64_t model_hash, task_hash;
  int task_count;
  sinew_task *tasks;
  sinew_bank_features features; // of targets
  int feature_count;
  sinew_floating_base base;
  bool places_base;            // outputs end with the reference's pose, the base at 0
  sinew_network_value *values; // those that a task reads
  int value_count, code_count; // code_count: their numbers
  double length;               // the size of the figure with its tasks [m]
  int layer_count;
  sinew_network_layer layers[SINEW_NETWORK_MAX_LAYERS];
};

// Numbers of a base: three of a position, and two columns of a rotation.
#define SINEW_NETWORK_BASE_NUMBERS 9

// Whether a network is for a model and these tasks.
bool sinew_network_fits_task(const sinew_network *network, int t, const sinew_task *task);

// The model's and the tasks' numbers, rounded, as hashes.
uint64_t sinew_network_model_hash(const sinew_model *model);
uint64_t sinew_network_task_hash(const sinew_task *tasks, int count);

// The plan of a network without its layers: everything but memory.
sinew_result sinew_network_plan(const sinew_allocator *allocator, const sinew_model *model,
                                const sinew_task *tasks, int count, sinew_network *network,
                                sinew_error *error);

// Memory for a network and weights of so many numbers.
sinew_network *sinew_network_make(const sinew_network *plan, const sinew_task *tasks,
                                  size_t weight_count, float **weights, sinew_error *error);

#endif
