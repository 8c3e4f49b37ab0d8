// A multilayer perceptron, trained by backpropagation and Adam.
//
//   h_1 = s(W_1 x + b_1),   h_2 = s(W_2 h_1 + b_2),   y = W_3 h_2 + b_3,   s(a) = a / (1 + |a|)
//
// s, the softsign, is smooth and needs no function of the C library, whose bits may differ.
// Sources: Rumelhart, Hinton, Williams, Learning representations by back-propagating errors, 1986;
// Kingma, Ba, Adam: a method for stochastic optimization, 2015.
#include "experiments/perceptron.h"

#include "sinew/math.h"

#include <math.h>
#include <stdlib.h>

#define LAYERS 3
#define BATCH 32

// Adam, with a rate that falls to 0 over the training.
#define RATE 4e-3f
#define DECAY_MEAN 0.9f
#define DECAY_SQUARE 0.999f

typedef struct layer {
  int inputs, outputs;
  float *W; // inputs + 1 rows of outputs: the last are the biases
  float *gradient, *mean, *square;
} layer;

struct perceptron {
  layer layers[LAYERS];
  float h[LAYERS + 1][PERCEPTRON_HIDDEN]; // inputs of each layer, and the outputs, of one example
  float d[LAYERS + 1][PERCEPTRON_HIDDEN]; // derivatives of the loss by them
};

static int size_of(const layer *l) {
  return (l->inputs + 1) * l->outputs;
}

// Weights uniform with the variance 1 / inputs.
static bool layer_begin(layer *l, int inputs, int outputs, uint64_t random_seed) {
  *l = (layer){.inputs = inputs, .outputs = outputs};
  const int size = size_of(l);
  l->W = calloc(4 * (size_t)size, sizeof *l->W);
  if (l->W == NULL) {
    return false;
  }
  l->gradient = l->W + size;
  l->mean = l->gradient + size;
  l->square = l->mean + size;
  for (int i = 0; i < inputs * outputs; ++i) {
    const double u = 2.0 * sinew_random_uniform(random_seed, (uint64_t)i) - 1.0;
    l->W[i] = (float)(u * sqrt(3.0 / inputs));
  }
  return true;
}

perceptron *perceptron_create(int inputs, int outputs, uint64_t random_seed) {
  const int sizes[LAYERS + 1] = {inputs, PERCEPTRON_HIDDEN, PERCEPTRON_HIDDEN, outputs};
  perceptron *net = calloc(1, sizeof *net);
  bool good = net != NULL && inputs <= PERCEPTRON_MOST && outputs <= PERCEPTRON_MOST;
  for (int k = 0; good && k < LAYERS; ++k) {
    good = layer_begin(&net->layers[k], sizes[k], sizes[k + 1],
                       sinew_random_bits(random_seed, (uint64_t)k));
  }
  if (!good) {
    perceptron_destroy(net);
    return NULL;
  }
  return net;
}

void perceptron_destroy(perceptron *net) {
  for (int k = 0; net != NULL && k < LAYERS; ++k) {
    free(net->layers[k].W);
  }
  free(net);
}

static void layer_run(const layer *l, const float *x, float *y, bool bounded) {
  const float *row = l->W + l->inputs * l->outputs;
  for (int j = 0; j < l->outputs; ++j) {
    y[j] = row[j];
  }
  row = l->W;
  for (int i = 0; i < l->inputs; ++i, row += l->outputs) {
    for (int j = 0; j < l->outputs; ++j) {
      y[j] += x[i] * row[j];
    }
  }
  for (int j = 0; bounded && j < l->outputs; ++j) {
    y[j] /= 1.0f + fabsf(y[j]);
  }
}

// From the derivatives by a layer's outputs to those by its weights and by its inputs. s' is
// (1 - |s|)^2.
static void layer_back(layer *l, const float *x, const float *y, float *dy, float *dx,
                       bool bounded) {
  for (int j = 0; bounded && j < l->outputs; ++j) {
    const float slope = 1.0f - fabsf(y[j]);
    dy[j] *= slope * slope;
  }
  const float *row = l->W;
  float *to = l->gradient;
  for (int i = 0; i < l->inputs; ++i, row += l->outputs, to += l->outputs) {
    float sum = 0.0f;
    for (int j = 0; j < l->outputs; ++j) {
      to[j] += x[i] * dy[j];
      sum += row[j] * dy[j];
    }
    dx[i] = sum;
  }
  for (int j = 0; j < l->outputs; ++j) {
    to[j] += dy[j];
  }
}

// One step of Adam; scale: of the mean's and the square's bias corrections, together with the rate.
static void layer_step(layer *l, float rate, float square_scale) {
  const int size = size_of(l);
  for (int i = 0; i < size; ++i) {
    const float g = l->gradient[i] / BATCH;
    l->mean[i] = DECAY_MEAN * l->mean[i] + (1.0f - DECAY_MEAN) * g;
    l->square[i] = DECAY_SQUARE * l->square[i] + (1.0f - DECAY_SQUARE) * g * g;
    l->W[i] -= rate * l->mean[i] / (sqrtf(l->square[i] * square_scale) + 1e-8f);
    l->gradient[i] = 0.0f;
  }
}

static void forward(perceptron *net) {
  for (int k = 0; k < LAYERS; ++k) {
    layer_run(&net->layers[k], net->h[k], net->h[k + 1], k < LAYERS - 1);
  }
}

void perceptron_train(perceptron *net, int steps, perceptron_example *example, void *context) {
  const int outputs = net->layers[LAYERS - 1].outputs;
  double mean_power = 1.0, square_power = 1.0;
  for (int step = 0; step < steps; ++step) {
    for (int b = 0; b < BATCH; ++b) {
      float wanted[PERCEPTRON_MOST];
      example(context, (uint64_t)step * BATCH + (uint64_t)b, net->h[0], wanted);
      forward(net);
      for (int j = 0; j < outputs; ++j) {
        net->d[LAYERS][j] = net->h[LAYERS][j] - wanted[j];
      }
      for (int k = LAYERS; k-- > 0;) {
        layer_back(&net->layers[k], net->h[k], net->h[k + 1], net->d[k + 1], net->d[k],
                   k < LAYERS - 1);
      }
    }
    mean_power *= DECAY_MEAN;
    square_power *= DECAY_SQUARE;
    const double rate = RATE * (1.0 - (double)step / steps) / (1.0 - mean_power);
    for (int k = 0; k < LAYERS; ++k) {
      layer_step(&net->layers[k], (float)rate, (float)(1.0 / (1.0 - square_power)));
    }
  }
}

void perceptron_run(const perceptron *net, const float *inputs, float *outputs) {
  float h[LAYERS][PERCEPTRON_HIDDEN];
  layer_run(&net->layers[0], inputs, h[0], true);
  layer_run(&net->layers[1], h[0], h[1], true);
  layer_run(&net->layers[2], h[1], outputs, false);
}
