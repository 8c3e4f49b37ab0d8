// A figure that follows a scene's targets, and its measurements.
#include "experiments/study.h"
#include "experiments/clock.h"
#include "scenes/expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void complain(const char *scene, const sinew_error *error) {
  char line[1024];
  sinew_error_format(error, line, sizeof line);
  fprintf(stderr, "sinew: %s: %s\n", scene, line);
}

// ------------------------------------------------------------------- preparation

// The units of the degrees of freedom: a distance for prismatic joints and for a free base.
static void fill_units(study *self) {
  const double size = sinew_model_size(self->model);
  for (int j = 0; j < sinew_model_joint_count(self->model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(self->model, j, &joint));
    for (int k = 0; k < joint.nv; ++k) {
      const bool slides =
          joint.kind == SINEW_JOINT_PRISMATIC || (joint.kind == SINEW_JOINT_FREE && k < 3);
      self->unit[joint.v_index + k] = slides ? size : 1.0;
    }
  }
}

static void fill_targets(study *self) {
  const sinew_scene *scene = self->scene;
  for (int step = 0; step < self->step_count; ++step) {
    sinew_target *targets = self->targets + (size_t)step * (size_t)scene->task_count;
    sinew_scene_targets(scene, self->state, scene->time_step * (step + 1), targets);
    self->reach[step] = sinew_scene_reach_at(scene, step, targets);
  }
}

static bool prepare(study *self, const char *name) {
  sinew_error error = {0};
  self->scene = sinew_scene_create(name);
  if (self->scene == NULL) {
    fprintf(stderr, "sinew: there is no scene '%s', or no memory\n", name);
    return false;
  }
  if (sinew_model_create(&self->scene->model, &self->model, &error) != SINEW_OK ||
      sinew_state_create(self->model, NULL, &self->state, &error) != SINEW_OK) {
    complain(name, &error);
    return false;
  }
  const size_t steps = (size_t)self->step_count, tasks = (size_t)self->scene->task_count;
  self->targets = calloc(steps * tasks, sizeof *self->targets);
  self->reach = calloc(steps, sizeof *self->reach);
  self->start = calloc((size_t)sinew_model_nq(self->model), sizeof *self->start);
  self->unit = calloc((size_t)sinew_model_nv(self->model), sizeof *self->unit);
  if (self->targets == NULL || self->reach == NULL || self->start == NULL || self->unit == NULL) {
    fprintf(stderr, "sinew: %s: out of memory\n", name);
    return false;
  }
  return true;
}

study *study_create(const char *scene, int warm_up, int measured) {
  study *self = calloc(1, sizeof *self);
  if (self == NULL) {
    return NULL;
  }
  self->warm_up = warm_up;
  self->step_count = warm_up + measured;
  if (!prepare(self, scene)) {
    study_destroy(self);
    return NULL;
  }
  const bool curves = self->scene->waves != NULL;
  self->length = curves ? 1.0 : sinew_model_size(self->model);
  if (curves) {
    sinew_configuration_start(self->model, self->start);
  } else {
    sinew_scene_motion(self->scene, self->model, 0.0, self->start);
  }
  fill_units(self);
  fill_targets(self);
  return self;
}

void study_destroy(study *self) {
  if (self == NULL) {
    return;
  }
  free(self->targets);
  free(self->reach);
  free(self->start);
  free(self->unit);
  sinew_state_destroy(self->state);
  sinew_model_destroy(self->model);
  sinew_scene_destroy(self->scene);
  free(self);
}

// --------------------------------------------------------------------------- runs

// A run of one method on a study.
typedef struct run {
  const study *self;
  const own_method *own; // or NULL, and then
  sinew_solver *solver;  // one of the library's
  double *q, *before;    // nq
  double *dq, *last;     // nv
} run;

static void run_end(run *r) {
  sinew_solver_destroy(r->solver);
  free(r->q);
  free(r->before);
  free(r->dq);
  free(r->last);
}

// @param wanted the definition of a solver; not read with a method of one's own
static bool run_begin(run *r, const study *self, const sinew_solver_def *wanted,
                      const own_method *own) {
  const size_t nq = (size_t)sinew_model_nq(self->model), nv = (size_t)sinew_model_nv(self->model);
  sinew_solver_def def = own == NULL ? *wanted : sinew_default_solver_def();
  sinew_error error = {0};
  *r = (run){.self = self,
             .own = own,
             .q = calloc(nq, sizeof(double)),
             .before = calloc(nq, sizeof(double)),
             .dq = calloc(nv, sizeof(double)),
             .last = calloc(nv, sizeof(double))};
  def.task_capacity = self->scene->task_count;
  if (r->q == NULL || r->before == NULL || r->dq == NULL || r->last == NULL) {
    fputs("sinew: out of memory\n", stderr);
    run_end(r);
    return false;
  }
  if (sinew_solver_create(&def, self->model, &r->solver, &error) != SINEW_OK ||
      sinew_solver_set_tasks(r->solver, self->scene->tasks, self->scene->task_count, &error) !=
          SINEW_OK) {
    complain(self->scene->name, &error);
    run_end(r);
    return false;
  }
  memcpy(r->q, self->start, nq * sizeof(double));
  if (own != NULL) {
    own->begin(own->context, self->model);
  }
  return true;
}

static void run_step(run *r, int step, int updates) {
  const int count = r->self->scene->task_count;
  const sinew_target *targets = r->self->targets + (size_t)step * (size_t)count;
  for (int i = 0; i < updates; ++i) {
    if (r->own != NULL) {
      r->own->step(r->own->context, r->self->model, r->self->scene->tasks, count, targets, r->q);
    } else {
      sinew_expect_ok(sinew_solver_update(r->solver, targets, count, r->q, NULL));
    }
  }
}

// |dq_t - dq_(t-1)|; updates the run's history to this step.
static double run_jitter(run *r) {
  const sinew_model *model = r->self->model;
  const int nv = sinew_model_nv(model);
  double sum = 0.0;
  sinew_configuration_difference(model, r->before, r->q, r->dq);
  for (int v = 0; v < nv; ++v) {
    const double change = (r->dq[v] - r->last[v]) / r->self->unit[v];
    sum += change * change;
    r->last[v] = r->dq[v];
  }
  memcpy(r->before, r->q, (size_t)sinew_model_nq(model) * sizeof(double));
  return sqrt(sum);
}

static double square_of_angle(const double from[4], const double to[4]) {
  // The angle of from^-1 to, whose scalar part is the scalar product.
  double dot = 0.0, across = 0.0;
  for (int k = 0; k < 4; ++k) {
    dot += from[k] * to[k];
  }
  for (int k = 0; k < 4; ++k) {
    const double rest = to[k] - dot * from[k];
    across += rest * rest;
  }
  const double angle = 2.0 * atan2(sqrt(across), fabs(dot));
  return angle * angle;
}

// By the forward kinematics alone: the sum over the effectors.
static double run_error(const run *r, int step) {
  const sinew_scene *scene = r->self->scene;
  const double length = r->self->length;
  double sum = 0.0;
  sinew_expect_ok(sinew_state_forward(r->self->state, r->q));
  for (int t = 0; t < scene->task_count; ++t) {
    const sinew_target *target = &r->self->targets[(size_t)step * (size_t)scene->task_count + t];
    sinew_pose pose;
    double square = 0.0;
    sinew_expect_ok(sinew_state_link_pose(r->self->state, scene->tasks[t].link, &pose));
    for (int k = 0; k < 3; ++k) {
      const double apart = (target->position[k] - pose.position[k]) / length;
      square += apart * apart;
    }
    if ((sinew_task_target_fields(&scene->tasks[t]) & SINEW_TARGET_ROTATION) != 0) {
      square += square_of_angle(pose.rotation, target->rotation);
    }
    sum += sqrt(square);
  }
  return sum;
}

static void tally_step(tally *out, sinew_scene_reach reach, double error, double jitter) {
  out->change_most = fmax(out->change_most, jitter);
  if (reach == SINEW_SCENE_IN_REACH) {
    out->error += error;
    out->jitter_in += jitter;
    ++out->steps_in;
  } else if (reach == SINEW_SCENE_OUT_OF_REACH) {
    out->error_out += error;
    out->jitter += jitter;
    out->jitter_most = fmax(out->jitter_most, jitter);
    ++out->steps_out;
  }
}

static double mean_of(double sum, int count) {
  return count > 0 ? sum / count : NAN;
}

static bool track(const study *self, const sinew_solver_def *def, const own_method *own,
                  int updates, tally *out, study_step *steps) {
  run r;
  if (!run_begin(&r, self, def, own)) {
    return false;
  }
  *out = (tally){0};
  memcpy(r.before, r.q, (size_t)sinew_model_nq(self->model) * sizeof(double));
  for (int step = 0; step < self->step_count; ++step) {
    run_step(&r, step, updates);
    const double jitter = run_jitter(&r);
    const double error = run_error(&r, step) / self->scene->task_count;
    if (steps != NULL) {
      steps[step] = (study_step){error, jitter};
    }
    if (step >= self->warm_up) {
      tally_step(out, self->reach[step], error, jitter);
    }
  }
  out->error = mean_of(out->error, out->steps_in);
  out->jitter_in = mean_of(out->jitter_in, out->steps_in);
  out->error_out = mean_of(out->error_out, out->steps_out);
  out->jitter = mean_of(out->jitter, out->steps_out);
  run_end(&r);
  return true;
}

bool study_track(const study *self, const sinew_solver_def *def, int updates, tally *out,
                 study_step *steps) {
  return track(self, def, NULL, updates, out, steps);
}

bool study_track_own(const study *self, const own_method *own, int updates, tally *out,
                     study_step *steps) {
  return track(self, NULL, own, updates, out, steps);
}

// The minimum of several runs: other load on the machine only increases times.
static double time_of(const study *self, const sinew_solver_def *def, const own_method *own) {
  double least = INFINITY;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const int steps = self->step_count < 2000 ? self->step_count : 2000;
    run r;
    if (!run_begin(&r, self, def, own)) {
      return NAN;
    }
    const double begin = clock_microseconds();
    for (int step = 0; step < steps; ++step) {
      run_step(&r, step, 1);
    }
    least = fmin(least, (clock_microseconds() - begin) / steps);
    run_end(&r);
  }
  return least;
}

double study_time(const study *self, const sinew_solver_def *def) {
  return time_of(self, def, NULL);
}

double study_time_own(const study *self, const own_method *own) {
  return time_of(self, NULL, own);
}

static bool poses(const study *self, const sinew_solver_def *def, const own_method *own,
                  const int *steps, int count, double *q) {
  const size_t nq = (size_t)sinew_model_nq(self->model);
  run r;
  if (!run_begin(&r, self, def, own)) {
    return false;
  }
  for (int step = 0, next = 0; next < count && step < self->step_count; ++step) {
    run_step(&r, step, 1);
    if (step == steps[next]) {
      memcpy(q + (size_t)next * nq, r.q, nq * sizeof(double));
      ++next;
    }
  }
  run_end(&r);
  return true;
}

bool study_poses(const study *self, const sinew_solver_def *def, const int *steps, int count,
                 double *q) {
  return poses(self, def, NULL, steps, count, q);
}

bool study_poses_own(const study *self, const own_method *own, const int *steps, int count,
                     double *q) {
  return poses(self, NULL, own, steps, count, q);
}
