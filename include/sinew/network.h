/// @file network.h
/// A small neural network that gives a start for a search: q = f(targets, q0).
///
/// A network is trained outside of the library (tools/train-network), for one model and its tasks,
/// and read from a file (docs/learned.md). The search uses its output as a start, in the same way
/// as a posture of a ::sinew_bank: the local solver refines it, so that a poor network costs time
/// and never accuracy. A bank of the same memory solves as many targets in less time:
/// docs/learned.md has the figures.
#ifndef SINEW_NETWORK_H
#define SINEW_NETWORK_H

#include "sinew/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Immutable; any number of threads may share it.
typedef struct sinew_network sinew_network;

/// Bounds of a network and its file.
#define SINEW_NETWORK_MAX_WIDTH 1024       ///< of a layer, inputs and outputs too
#define SINEW_NETWORK_MAX_LAYERS 16        ///< with weights
#define SINEW_NETWORK_MAX_BYTES (72 << 20) ///< of a file
#define SINEW_NETWORK_MAX_HEAD (48 + 252)  ///< of sinew_network_head()

/// A network without layers, whose output is q0: for examples and the head of a file.
/// @param allocator may be NULL: malloc() and free()
/// @param model is not copied and must outlive the network; at most 1024 inputs and outputs come
///   of it
/// @param tasks count of them, as of sinew_bank_create(); copied
/// @param network receives the network, NULL where this fails
/// @param error may be NULL
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT, SINEW_ERROR_INDEX, SINEW_ERROR_NOT_FINITE,
///   SINEW_ERROR_TOO_LARGE or SINEW_ERROR_MEMORY
SINEW_MUST_CHECK sinew_result sinew_network_create(const sinew_allocator *allocator,
                                                   const sinew_model *model,
                                                   const sinew_task *tasks, int count,
                                                   sinew_network **network, sinew_error *error);

/// Reads a network from a file in memory.
///
/// A file for another model or for other tasks is refused by name, and *network is NULL: a search
/// with sinew_global_def.network NULL goes on without it.
/// @param bytes size of them
/// @param name of the file for messages; NULL: "input"
/// @return as sinew_network_create(); SINEW_ERROR_SYNTAX: it is no network's file, damaged or cut
///   off; SINEW_ERROR_UNSUPPORTED: of another version; SINEW_ERROR_MODEL: of another model or of
///   other tasks; SINEW_ERROR_NOT_FINITE: a weight is
SINEW_MUST_CHECK sinew_result sinew_network_read(const void *bytes, size_t size, const char *name,
                                                 const sinew_allocator *allocator,
                                                 const sinew_model *model, const sinew_task *tasks,
                                                 int count, sinew_network **network,
                                                 sinew_error *error);

/// May be NULL.
SINEW_API void sinew_network_destroy(sinew_network *network);

/// Its memory [bytes].
SINEW_API size_t sinew_network_bytes(const sinew_network *network);

/// How many inputs and outputs there are.
SINEW_API int sinew_network_inputs(const sinew_network *network);
SINEW_API int sinew_network_outputs(const sinew_network *network);

/// The head of a file: what it is for. Layers follow it (docs/learned.md).
/// @param head receives SINEW_NETWORK_MAX_HEAD bytes at most
/// @return their number
SINEW_API size_t sinew_network_head(const sinew_network *network, void *head);

/// An example for the training: what the network gets, and what it should give.
/// @param targets one for each task, finite numbers
/// @param q0 nq values, finite
/// @param q nq values, finite: the solution; NULL: inputs only
/// @param inputs sinew_network_inputs() values
/// @param outputs sinew_network_outputs() values, or NULL
SINEW_API void sinew_network_example(const sinew_network *network, const sinew_target *targets,
                                     const double *q0, const double *q, float *inputs,
                                     float *outputs);

/// q (nq) = the network's output for targets and a configuration q0 (nq), within the model's limits
/// and finite. Values that no task reads are those of q0, and so are spherical joints for which the
/// output is no rotation: these are within limits if q0 is. If the model has a floating base
/// (sinew_bank_posture()) and a task of it is a pose, the base is placed by the first such task.
/// q may be q0.
SINEW_API void sinew_network_seed(const sinew_network *network, const sinew_target *targets,
                                  const double *q0, double *q);

#ifdef __cplusplus
}
#endif
#endif
