// A multilayer perceptron with two hidden layers, and its training, for experiments. Deterministic:
// the same calls give the same bits.
#ifndef EXPERIMENTS_PERCEPTRON_H
#define EXPERIMENTS_PERCEPTRON_H

#include <stdbool.h>
#include <stdint.h>

// The largest number of inputs, and of outputs.
#define PERCEPTRON_MOST 32
#define PERCEPTRON_HIDDEN 48

typedef struct perceptron perceptron;

// Weights from a random seed; NULL without memory.
perceptron *perceptron_create(int inputs, int outputs, uint64_t random_seed);
void perceptron_destroy(perceptron *net);

// Of steps: one example; the same number gives the same one.
typedef void perceptron_example(void *context, uint64_t number, float *inputs, float *outputs);

// Trains it on examples 0 to steps x 32 - 1, for the least mean squared error of the outputs.
void perceptron_train(perceptron *net, int steps, perceptron_example *example, void *context);

void perceptron_run(const perceptron *net, const float *inputs, float *outputs);

#endif
