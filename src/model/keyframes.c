// Motion through key configurations.
//
// Between keys k and k + 1, whose times are h apart, by the construction of de Casteljau from four
// control points, with u = (t - t_k) / h:
//
//   b_0 = q_k,  b_1 = q_k + h w_k / 3,  b_2 = q_{k+1} - h w_{k+1} / 3,  b_3 = q_{k+1}
//   b_i <- b_i + u (b_{i+1} - b_i), three times
//
// + and - along geodesics where the value is a rotation: Q exp(w), log(Q^-1 P). w_k is the velocity
// at key k: the mean of those to its neighbours, each weighted by the time to the other one, which
// is exact for a parabola; 0 at the first and the last key. So velocities are continuous: both
// segments at a key begin and end with w_k in its axes.
// Sources: Catmull and Rom, A class of local interpolating splines, 1974; Shoemake, Animating
// rotation with quaternion curves, 1985.
#include "math/rotation.h"
#include "math/vector.h"
#include "model/model.h"

#include <string.h>

// A joint's value is up to three numbers or a quaternion.
typedef struct value {
  bool rotation;
  double x[4];
} value;

static value value_of(bool rotation, const double *q) {
  value v = {rotation, {q[0]}};
  if (rotation) {
    memcpy(v.x, q, sizeof v.x);
    sinew_quaternion_normalize(v.x);
  }
  return v;
}

// b - a, and a + s v.
static void subtract(const value *b, const value *a, double v[3]) {
  v[0] = v[1] = v[2] = 0.0;
  if (a->rotation) {
    sinew_quaternion_difference(a->x, b->x, v);
  } else {
    v[0] = b->x[0] - a->x[0];
  }
}

static value add(const value *a, double s, const double v[3]) {
  value out = *a;
  if (a->rotation) {
    const double w[3] = {s * v[0], s * v[1], s * v[2]};
    sinew_quaternion_apply(out.x, w);
  } else {
    out.x[0] += s * v[0];
  }
  return out;
}

static value between(const value *a, const value *b, double u) {
  double v[3];
  subtract(b, a, v);
  return add(a, u, v);
}

// The keys, and where one value of a configuration is.
typedef struct track {
  const double *times, *keys;
  int count, nq, index;
  bool rotation;
} track;

static value key_of(const track *t, int k) {
  return value_of(t->rotation, t->keys + (size_t)k * (size_t)t->nq + t->index);
}

// w_k
static void velocity_at(const track *t, int k, double w[3]) {
  w[0] = w[1] = w[2] = 0.0;
  if (k == 0 || k == t->count - 1) {
    return;
  }
  const value here = key_of(t, k), before = key_of(t, k - 1), after = key_of(t, k + 1);
  const double last = t->times[k] - t->times[k - 1], next = t->times[k + 1] - t->times[k];
  double back[3], forth[3];
  subtract(&before, &here, back);
  subtract(&after, &here, forth);
  for (int i = 0; i < 3; ++i) {
    w[i] = (forth[i] / next * last - back[i] / last * next) / (last + next);
  }
}

static value value_between(const track *t, int k, double u) {
  const double third = (t->times[k + 1] - t->times[k]) / 3.0;
  value b[4] = {key_of(t, k)};
  double w[3];
  b[3] = key_of(t, k + 1);
  velocity_at(t, k, w);
  b[1] = add(&b[0], third, w);
  velocity_at(t, k + 1, w);
  b[2] = add(&b[3], -third, w);
  for (int round = 3; round > 0; --round) {
    for (int i = 0; i < round; ++i) {
      b[i] = between(&b[i], &b[i + 1], u);
    }
  }
  return b[0];
}

static void write(const value *v, double *q) {
  memcpy(q, v->x, (v->rotation ? 4 : 1) * sizeof(double));
}

// Slopes of usable keys stay finite over this time.
#define LEAST_TIME 1e-100

static bool are_increasing(const double *times, int count) {
  for (int k = 0; k < count; ++k) {
    if (!sinew_is_usable(times[k]) || (k > 0 && !(times[k] - times[k - 1] > LEAST_TIME))) {
      return false;
    }
  }
  return true;
}

// The segment that a time is in, and where: times outside count as the first or the last.
static int segment_of(const double *times, int count, double time, double *u) {
  int k = 0;
  while (k + 2 < count && time >= times[k + 1]) {
    ++k;
  }
  *u = count < 2 ? 0.0 : sinew_clamp((time - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0);
  return k;
}

sinew_result sinew_configuration_keyframes(const sinew_model *model, const double *times,
                                           const double *keys, int count, double time, double *q) {
  SINEW_ASSERT(model != NULL && q != NULL && (count < 1 || (times != NULL && keys != NULL)));
  if (count < 1 || !sinew_is_usable(time) || !are_increasing(times, count)) {
    return SINEW_ERROR_ARGUMENT;
  }
  for (size_t i = 0; i < (size_t)count * (size_t)model->nq; ++i) {
    if (!sinew_is_usable(keys[i])) {
      return SINEW_ERROR_NOT_FINITE;
    }
  }
  double u;
  const int k = segment_of(times, count, time, &u);
  track t = {.times = times, .keys = keys, .count = count, .nq = model->nq};
  for (int v = 0; v < model->nv; ++v) {
    t.index = model->q_of_v[v];
    t.rotation = model->quaternion_axis[v] >= 0;
    if (model->quaternion_axis[v] > 0) {
      continue; // the first of three has written the quaternion
    }
    const value at = count == 1 ? key_of(&t, 0) : value_between(&t, k, u);
    write(&at, q + t.index);
    if (!t.rotation) { // a curve may pass a limit between two keys that do not
      const double here = key_of(&t, k).x[0], next = key_of(&t, k + (count > 1)).x[0];
      q[t.index] = sinew_clamp(q[t.index], sinew_min(model->lower[v], sinew_min(here, next)),
                               sinew_max(model->upper[v], sinew_max(here, next)));
    }
  }
  return SINEW_OK;
}
