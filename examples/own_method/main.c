// A step method of one's own in the table of `sinew experiment methods`: the gradient of the
// squared distance of all end effectors, with a step that is lengthened while it helps and else
// shortened (bold driver; Battiti, Accelerated backpropagation learning, 1989). Positions alone.
//
// Usage: own_method [FOLDER]
#include "experiments/every_method.h"
#include "scenes/expect.h"

#include <stdlib.h>
#include <string.h>

typedef struct driver {
  const sinew_model *model;
  sinew_state *state;
  double *J, *g, *q;
  double rate;
} driver;

// Memory for a model.
static void begin(void *context, const sinew_model *model) {
  driver *d = context;
  const size_t nv = (size_t)sinew_model_nv(model), nq = (size_t)sinew_model_nq(model);
  sinew_state_destroy(d->state);
  d->model = model;
  d->rate = 0.1;
  d->J = realloc(d->J, 6 * nv * sizeof *d->J);
  d->g = realloc(d->g, nv * sizeof *d->g);
  d->q = realloc(d->q, nq * sizeof *d->q);
  if (sinew_state_create(model, NULL, &d->state, NULL) != SINEW_OK || d->J == NULL ||
      d->g == NULL || d->q == NULL) {
    abort();
  }
}

// Half the squared error at q; g (nv) = -gradient where it is not NULL. J has rows of nv values, of
// which the first three are a point's.
static double error_at(driver *d, const sinew_task *tasks, int count, const sinew_target *targets,
                       const double *q, double *g) {
  const int nv = sinew_model_nv(d->model), root = sinew_model_root(d->model);
  double sum = 0.0;
  sinew_expect_ok(sinew_state_forward(d->state, q));
  if (g != NULL) {
    memset(g, 0, (size_t)nv * sizeof *g);
  }
  for (int t = 0; t < count; ++t) {
    double p[3];
    sinew_expect_ok(sinew_state_point(d->state, tasks[t].link, tasks[t].point_l, p));
    if (g != NULL) {
      sinew_expect_ok(sinew_state_jacobian(d->state, tasks[t].link, tasks[t].point_l, root, d->J));
    }
    for (int i = 0; i < 3; ++i) {
      const double e = targets[t].position[i] - p[i];
      sum += 0.5 * e * e;
      for (int v = 0; g != NULL && v < nv; ++v) {
        g[v] += d->J[i * nv + v] * e;
      }
    }
  }
  return sum;
}

// Moves q along the gradient, within the limits.
static void move(const driver *d, const double *q, double *out) {
  const int nv = sinew_model_nv(d->model);
  double *step = d->J; // scratch
  for (int v = 0; v < nv; ++v) {
    step[v] = d->rate * d->g[v];
  }
  sinew_configuration_integrate(d->model, q, step, out);
  sinew_configuration_clamp(d->model, out);
}

static void step(void *context, const sinew_model *model, const sinew_task *tasks, int count,
                 const sinew_target *targets, double *q) {
  driver *d = context;
  const double before = error_at(d, tasks, count, targets, q, d->g);
  move(d, q, d->q);
  if (error_at(d, tasks, count, targets, d->q, NULL) < before) {
    memcpy(q, d->q, (size_t)sinew_model_nq(model) * sizeof *q);
    d->rate *= 1.1;
  } else {
    d->rate *= 0.5;
  }
  d->rate = d->rate < 1e-6 ? 1e-6 : d->rate;
}

static void no_progress(double share) {
  (void)share;
}

int main(int argc, char **argv) {
  driver d = {0};
  const own_method own = {"bold-driver", begin, step, &d};
  const sinew_experiment_options options = {.folder = argc > 1 ? argv[1] : NULL,
                                            .updates = 1,
                                            .brief = argc <= 1,
                                            .progress = no_progress};
  const bool good = every_method_run(&own, &options);
  sinew_state_destroy(d.state);
  free(d.J);
  free(d.g);
  free(d.q);
  return good ? 0 : 1;
}
