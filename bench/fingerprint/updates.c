// One figure that follows its targets, with every method and every setting of a solver.
#include "bench/fingerprint/calls.h"
#include "bench/fingerprint/cases.h"
#include "bench/fingerprint/record.h"
#include "scenes/expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (int)(sizeof(a) / sizeof((a)[0]))

// Lengths are for a figure of size 1 and are scaled by the model's.
static const options methods[] = {
    {.name = "default"},
    {.name = "default-calm", .calm = 4.0, .max_change = 0.03},
    {.name = "transpose", .method = SINEW_METHOD_TRANSPOSE},
    {.name = "transpose-clamped", .method = SINEW_METHOD_TRANSPOSE, .clamp = 0.05, .max_turn = 0.2},
    {.name = "pseudoinverse", .method = SINEW_METHOD_PSEUDOINVERSE, .max_turn = 0.09},
    {.name = "pseudoinverse-target",
     .method = SINEW_METHOD_PSEUDOINVERSE,
     .singular_cut = 0.05,
     .target_jacobian = true},
    {.name = "pseudoinverse-cut",
     .method = SINEW_METHOD_PSEUDOINVERSE,
     .singular_cut = 1e-5,
     .max_turn = 0.09},
    {.name = "dls", .method = SINEW_METHOD_DLS},
    {.name = "dls-rows", .method = SINEW_METHOD_DLS, .form = SINEW_DLS_ROWS},
    {.name = "dls-columns", .method = SINEW_METHOD_DLS, .form = SINEW_DLS_COLUMNS},
    {.name = "dls-stacked", .method = SINEW_METHOD_DLS, .form = SINEW_DLS_STACKED},
    {.name = "dls-damped", .method = SINEW_METHOD_DLS, .damping = 0.15, .max_turn = 0.8},
    {.name = "dls-clamped", .method = SINEW_METHOD_DLS, .damping = 0.1, .clamp = 0.1},
    {.name = "dls-clamped-fixed",
     .method = SINEW_METHOD_DLS,
     .damping = 0.1,
     .clamp = 0.1,
     .clamp_is_fixed = true},
    {.name = "dls-target", .method = SINEW_METHOD_DLS, .damping = 0.15, .target_jacobian = true},
    {.name = "sdls", .method = SINEW_METHOD_SDLS},
    {.name = "sdls-clamped", .method = SINEW_METHOD_SDLS, .clamp = 0.1, .singular_cut = 0.001},
    {.name = "sdls-target", .method = SINEW_METHOD_SDLS, .target_jacobian = true},
    {.name = "newton", .method = SINEW_METHOD_NEWTON},
    {.name = "newton-calm", .method = SINEW_METHOD_NEWTON, .calm = 5.0}};

// The settings of a solver.
enum {
  LIMITS = 1,
  GAINS = 2,
  FROZEN = 4,
  TIME = 8,
  TWIST = 16,
  GAIN = 32,
  RESETS = 64,
  RESTS = 128
};

// A figure, and the changes to its scene or file.
typedef struct variant {
  const char *name, *subject;
  unsigned changes, settings;
} variant;

// ------------------------------------------------------------------ settings

static void set_limits(const subject *s, bounds *b) {
  b->lower = take(2 * (size_t)s->nv, sizeof *b->lower);
  b->upper = b->lower + s->nv;
  memcpy(b->lower, sinew_model_lower(s->model), (size_t)s->nv * sizeof *b->lower);
  memcpy(b->upper, sinew_model_upper(s->model), (size_t)s->nv * sizeof *b->upper);
  for (int j = 0; j < sinew_model_joint_count(s->model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(s->model, j, &joint));
    for (int v = joint.v_index; joint.nq == joint.nv && v < joint.v_index + joint.nv; ++v) {
      b->lower[v] = fmax(b->lower[v], -0.25 - 0.05 * (v % 5));
      b->upper[v] = fmin(b->upper[v], 0.15 + 0.1 * (v % 4));
      if (!(b->lower[v] < b->upper[v])) {
        b->lower[v] = sinew_model_lower(s->model)[v];
        b->upper[v] = sinew_model_upper(s->model)[v];
      }
    }
  }
}

static bounds bounds_of(const subject *s, unsigned settings) {
  bounds b = {0};
  if (settings & LIMITS) {
    set_limits(s, &b);
  }
  if (settings & GAINS) {
    b.gains = take((size_t)s->nv, sizeof *b.gains);
    for (int v = 0; v < s->nv; ++v) {
      b.gains[v] = v % 7 == 6 ? 0.0 : 0.2 + 0.3 * (v % 5);
    }
  }
  if (settings & FROZEN) {
    b.frozen = take((size_t)s->nv, sizeof *b.frozen);
    for (int v = 0; v < s->nv; ++v) {
      b.frozen[v] = v % 5 == 1;
    }
  }
  return b;
}

static void end_bounds(bounds *b) {
  free(b->lower);
  free(b->gains);
  free(b->frozen);
}

// The targets' velocities, by a difference over one step.
static void set_twists(const subject *s, int step, sinew_target *targets) {
  sinew_target *next = take((size_t)s->count, sizeof *next);
  subject_targets(s, step + 1, next);
  for (int t = 0; t < s->count; ++t) {
    for (int k = 0; k < 3; ++k) {
      targets[t].twist[k] = (next[t].position[k] - targets[t].position[k]) / s->time_step;
      targets[t].twist[3 + k] = 0.1 * (k + 1);
    }
  }
  free(next);
}

// ------------------------------------------------------------------------ tracks

// RESTS: targets that stand still for 80 steps, first in reach, then beyond it.
static void targets_of(const subject *s, const variant *v, int step, sinew_target *targets) {
  if (v->settings & RESTS) {
    step = step < 80 ? 10 : 130;
  }
  if (s->scene != NULL && v->changes == 0 && v->settings == 0) {
    sinew_scene_targets(s->scene, s->state, (step + 1) * s->time_step, targets);
  } else {
    subject_targets(s, step, targets);
  }
  if (v->settings & TWIST) {
    set_twists(s, step, targets);
  }
}

static void follow(const subject *s, const variant *v, sinew_solver *solver, int steps) {
  double *q = take((size_t)s->nq, sizeof *q);
  sinew_target *targets = take((size_t)s->count, sizeof *targets);
  sinew_configuration_start(s->model, q);
  for (int step = 0; step < steps; ++step) {
    sinew_report report = {0};
    targets_of(s, v, step, targets);
    if ((v->settings & RESETS) && step % 37 == 36) {
      measured_reset(solver);
    }
    measured_update(solver, targets, s->count, q, &report);
    record_step(step);
    record_values("q", q, (size_t)s->nq);
    record_report(&report);
    record_task_errors(solver, s->count);
  }
  free(targets);
  free(q);
}

static void track(const variant *v, const options *method, int steps) {
  subject s;
  if (!record_begin("update/%s/%s", v->name, method->name)) {
    return;
  }
  subject_open(&s, v->subject, v->changes);
  options o = *method;
  o.damping *= sinew_model_size(s.model);
  o.clamp *= sinew_model_size(s.model);
  o.time_step = v->settings & (TIME | TWIST) ? s.time_step : 0.0;
  o.error_gain = v->settings & GAIN ? 0.4 : 0.0;
  o.lanes = -1;
  bounds b = bounds_of(&s, v->settings);
  sinew_solver *solver = make_solver(&s, &o, &b);
  follow(&s, v, solver, steps);
  record_end();
  end_solver(solver);
  end_bounds(&b);
  subject_close(&s);
}

// ------------------------------------------------------------------------- cases

static const variant plain[] = {
    {.subject = "two-link"},    {.subject = "y"},         {.subject = "double-y-25"},
    {.subject = "double-y-16"}, {.subject = "reference"}, {.subject = "arm6"},
    {.subject = "arm7"},        {.subject = "planar"},    {.subject = "spider"},
    {.subject = "humanoid"},    {.subject = "chain-10"},  {.subject = "kinds"},
    {.subject = "arm6.urdf"},   {.subject = "arm7.urdf"}, {.subject = "humanoid.bvh"}};

static const variant large[] = {{.subject = "chain-40"}, {.subject = "chain-100"}};

static const variant variants[] = {
    {"rests", NULL, 0, RESTS},
    {"limits", NULL, 0, LIMITS},
    {"gains", NULL, 0, GAINS},
    {"frozen", NULL, 0, FROZEN},
    {"speeds", NULL, SUBJECT_SPEEDS, TIME},
    {"twists", NULL, 0, TWIST},
    {"error-gain", NULL, 0, GAIN | RESETS},
    {"orientations", NULL, SUBJECT_ORIENTATIONS, 0},
    {"poses", NULL, SUBJECT_POSES | SUBJECT_POINTS, 0},
    {"directions", NULL, SUBJECT_DIRECTIONS | SUBJECT_AXES, 0},
    {"task-kinds", NULL, SUBJECT_ALL_KINDS, 0},
    {"free-axes", NULL, SUBJECT_POSES | SUBJECT_FREE_AXES, 0},
    {"weights", NULL, SUBJECT_POSES | SUBJECT_WEIGHTS | SUBJECT_POINTS, 0},
    {"chain-roots", NULL, SUBJECT_POSITIONS | SUBJECT_CHAIN_ROOTS, 0},
    {"floats", NULL, SUBJECT_FLOATS, LIMITS},
    {"all", NULL,
     SUBJECT_ALL_KINDS | SUBJECT_FREE_AXES | SUBJECT_WEIGHTS | SUBJECT_POINTS | SUBJECT_SPEEDS |
         SUBJECT_CHAIN_ROOTS | SUBJECT_AXES,
     LIMITS | GAINS | FROZEN | TIME | TWIST | GAIN | RESETS}};

static void vary(const char *name) {
  static const int chosen[] = {0, 2, 4, 7, 12, 15, 18}; // of methods
  for (int i = 0; i < COUNT(variants); ++i) {
    char full[64];
    variant v = variants[i];
    if ((v.changes & SUBJECT_FLOATS) && strstr(name, ".urdf") == NULL) {
      continue;
    }
    snprintf(full, sizeof full, "%s/%s", name, v.name);
    v.name = full;
    v.subject = name;
    for (int m = 0; m < COUNT(chosen); ++m) {
      track(&v, &methods[chosen[m]], 160);
    }
  }
}

void update_cases(void) {
  static const char *const varied[] = {"arm7",  "planar", "spider",    "humanoid",
                                       "kinds", "y",      "arm6.urdf", "humanoid.bvh"};
  for (int i = 0; i < COUNT(plain); ++i) {
    for (int m = 0; m < COUNT(methods); ++m) {
      variant v = plain[i];
      v.name = v.subject;
      track(&v, &methods[m], 320);
    }
  }
  for (int i = 0; i < COUNT(large); ++i) {
    for (int m = 0; m < COUNT(methods); ++m) {
      variant v = large[i];
      v.name = v.subject;
      track(&v, &methods[m], 20);
    }
  }
  for (int i = 0; i < COUNT(varied); ++i) {
    vary(varied[i]);
  }
}
