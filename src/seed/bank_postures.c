// The postures of a bank: a low-discrepancy sequence, stored with 16 bits for each value.
//
//   q_k = least_k + step_k code_k,   step_k = range / 65535
//
// That is accurate enough for a seed, never beyond limits, and takes less memory, for which a
// look-up waits. Features are those of the rounded values.
#include "math/vector.h"
#include "seed/bank.h"

#include <string.h>

#define STEPS 65535.0

// The share of a range that postures avoid at either end, since limits obstruct attempts that start
// at them: on ten arms one more in fifteen first attempts converges. With twice this share,
// solutions near limits are found too late.
#define INSET 0.04

void sinew_bank_postures_layout(sinew_arena *arena, const sinew_model *model, int size,
                                sinew_bank_postures *postures) {
  const size_t nq = (size_t)model->nq;
  postures->least = sinew_arena_take(arena, nq, sizeof(double));
  postures->step = sinew_arena_take(arena, nq, sizeof(double));
  postures->codes = sinew_arena_take(arena, (size_t)size * nq, sizeof(uint16_t));
}

// The share of a range that is left out at either end: at least INSET, and so much that no more
// than a whole turn remains, since a longer range contains the same orientations twice.
static double inset_of(const sinew_model *model, int v) {
  const double range = model->upper[v] - model->lower[v];
  const double turn = model->angular[v] ? 0.5 - SINEW_PI / range : 0.0;
  return sinew_is_usable(range) ? sinew_max(INSET, turn) : 0.0;
}

// q from numbers u in [0, 1], which are overwritten.
static void place(const sinew_model *model, double *u, double *q) {
  for (int v = 0; v < model->nv; ++v) {
    const double inset = inset_of(model, v);
    u[v] = inset + (1.0 - 2.0 * inset) * u[v];
  }
  sinew_configuration_of_uniform(model, u, q);
}

void sinew_bank_postures_range(sinew_bank_postures *postures, const sinew_model *model,
                               const sinew_floating_base *base, double *u) {
  double *least = postures->least, *step = postures->step;
  sinew_zero((size_t)model->nv, u);
  place(model, u, least);
  for (int v = 0; v < model->nv; ++v) {
    u[v] = 1.0;
  }
  place(model, u, step);
  for (int k = 0; k < model->nq; ++k) {
    step[k] = (step[k] - least[k]) / STEPS;
  }
  postures->spherical = false;
  for (int v = 0; v < model->nv; ++v) {
    for (int i = 0; model->quaternion_axis[v] == 0 && i < 4; ++i) {
      least[model->q_of_v[v] + i] = -1.0;
      step[model->q_of_v[v] + i] = 2.0 / STEPS;
      postures->spherical = true;
    }
  }
  if (base->floats) { // its values are 0 in all postures
    sinew_floating_base_zero(base, least);
    sinew_floating_base_zero(base, step);
    if (base->quaternion_q >= 0) {
      sinew_zero(4, step + base->quaternion_q);
    }
  }
}

void sinew_bank_postures_sample(const sinew_bank_postures *postures, const sinew_model *model,
                                const sinew_floating_base *base,
                                const sinew_low_discrepancy *spread, int n, double *u, double *q,
                                uint16_t *codes) {
  sinew_low_discrepancy_point(spread, (uint64_t)n, u);
  if (base->floats) { // the sequence has no coordinates for its values
    memmove(u + base->v + base->nv, u + base->v,
            (size_t)(spread->count - base->v) * sizeof(double));
    sinew_zero((size_t)base->nv, u + base->v);
  }
  place(model, u, q);
  for (int k = 0; k < model->nq; ++k) {
    const double step = postures->step[k];
    const double code = step > 0.0 ? (q[k] - postures->least[k]) / step : 0.0;
    codes[k] = (uint16_t)(sinew_clamp(code, 0.0, STEPS) + 0.5);
  }
}

void sinew_bank_postures_read(const sinew_bank_postures *postures, const sinew_model *model,
                              const uint16_t *codes, double *q) {
  for (int k = 0; k < model->nq; ++k) {
    q[k] = postures->least[k] + postures->step[k] * codes[k];
  }
  if (postures->spherical) {
    sinew_configuration_normalize(model, q);
  }
}
