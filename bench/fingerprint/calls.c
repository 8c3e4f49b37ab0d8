// See calls.h.
#include "bench/fingerprint/calls.h"
#include "bench/fingerprint/record.h"

#include <string.h>

#define MEASURED __attribute__((noinline)) void

// The number of calls. It also keeps a measured function from ending in a tail call, where a
// profiler would not see its end.
static volatile unsigned calls;

static void require(sinew_result result, const sinew_error *error) {
  ++calls;
  if (result != SINEW_OK) {
    record_fail("%s%s%s", sinew_result_string(result), error != NULL ? ": " : "",
                error != NULL ? error->message : "");
  }
}

// Whether it was created; the processor may not support the lane count.
static bool was_made(sinew_result result, const sinew_error *error, int lanes) {
  if (result == SINEW_ERROR_ARGUMENT && lanes > 1) {
    return false;
  }
  require(result, error);
  return true;
}

// ----------------------------------------------------------------------- solvers

static void set(double *field, double value) {
  *field = value > 0.0 ? value : *field;
}

// A clock that advances by a second at each call, so that time limits are repeatable.
static double tick(void *context) {
  double *time = context;
  return *time += 1.0;
}

static sinew_solver_def solver_def(const subject *s, const options *o) {
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = s->count;
  def.method = o->method;
  def.dls_form = o->form;
  if (o->damping > 0.0) {
    def.damping = o->damping;
    def.error_damping = 0.0;
  }
  set(&def.error_clamp, o->clamp);
  def.error_clamp_adaptive = !o->clamp_is_fixed;
  def.target_jacobian = o->target_jacobian;
  set(&def.calm, o->calm);
  set(&def.max_change, o->max_change);
  set(&def.max_turn, o->max_turn);
  set(&def.error_gain, o->error_gain);
  set(&def.singular_cut, o->singular_cut);
  set(&def.time_step, o->time_step);
  def.lanes = o->lanes;
  def.max_steps = o->max_steps > 0 ? o->max_steps : def.max_steps;
  if (o->clock_calls > 0.0) {
    static double time;
    time = 0.0;
    def.clock = tick;
    def.clock_context = &time;
    def.time_limit = o->clock_calls;
  }
  def.max_attempts = o->max_attempts > 0 ? o->max_attempts : def.max_attempts;
  return def;
}

sinew_solver *make_solver(const subject *s, const options *o, const bounds *b) {
  const sinew_solver_def def = solver_def(s, o);
  sinew_solver *solver;
  sinew_error error;
  if (!was_made(sinew_solver_create(&def, s->model, &solver, &error), &error, o->lanes)) {
    return NULL;
  }
  require(sinew_solver_set_tasks(solver, s->tasks, s->count, &error), &error);
  if (b != NULL) {
    require(sinew_solver_set_frozen(solver, b->frozen), NULL);
    require(sinew_solver_set_gains(solver, b->gains), NULL);
    require(sinew_solver_set_limits(solver, b->lower, b->upper), NULL);
  }
  return solver;
}

void end_solver(sinew_solver *solver) {
  sinew_solver_destroy(solver);
}

MEASURED measured_update(sinew_solver *solver, const sinew_target *targets, int count, double *q,
                         sinew_report *report) {
  require(sinew_solver_update(solver, targets, count, q, report), NULL);
}

MEASURED measured_solve(sinew_solver *solver, const sinew_target *targets, int count, double *q,
                        sinew_report *report) {
  require(sinew_solver_solve(solver, targets, count, q, report), NULL);
}

MEASURED measured_solve_global(sinew_solver *solver, const sinew_global_def *def,
                               const sinew_target *targets, int count, double *q,
                               sinew_report *report) {
  require(sinew_solver_solve_global(solver, def, targets, count, q, report), NULL);
}

__attribute__((noinline)) int measured_solve_all(sinew_solver *solver, const sinew_global_def *def,
                                                 const sinew_target *targets, int count,
                                                 const double *seed, int capacity,
                                                 double *solutions, sinew_report *report) {
  int found = 0;
  require(sinew_solver_solve_all(solver, def, targets, count, seed, capacity, solutions, &found,
                                 report),
          NULL);
  return found;
}

MEASURED measured_reset(sinew_solver *solver) {
  sinew_solver_reset(solver);
  ++calls;
}

void record_report(const sinew_report *report) {
  const double values[] = {report->outcome, report->position_error, report->orientation_error,
                           report->steps,   report->limiting_joint, report->worst_task};
  record_values("report", values, sizeof values / sizeof values[0]);
}

void record_task_errors(const sinew_solver *solver, int count) {
  for (int t = 0; t < count; ++t) {
    double errors[2];
    require(sinew_solver_task_error(solver, t, &errors[0], &errors[1]), NULL);
    record_values("task_error", errors, 2);
  }
}

// ------------------------------------------------------------------------- banks

sinew_bank *make_bank(const subject *s, int size) {
  sinew_bank *bank;
  sinew_error error;
  sinew_bank_def def = sinew_default_bank_def();
  def.postures = size;
  require(sinew_bank_create(&def, s->model, s->tasks, s->count, &bank, &error), &error);
  return bank;
}

void end_bank(sinew_bank *bank) {
  sinew_bank_destroy(bank);
}

MEASURED measured_find(const sinew_bank *bank, const sinew_target *targets, int want,
                       double *found) {
  int indices[16] = {0};
  const int count = sinew_bank_find(bank, targets, want < 16 ? want : 16, indices);
  for (int i = 0; i < want; ++i) {
    found[i] = i < count ? indices[i] : -1;
  }
}

MEASURED measured_posture(const sinew_bank *bank, int index, const sinew_target *targets,
                          double *q) {
  sinew_bank_posture(bank, index, targets, q);
  ++calls;
}

// ----------------------------------------------------------------------- batches

bool make_batch(const subject *s, int lanes, int max_attempts, const sinew_bank *bank, batch *b) {
  sinew_error error;
  sinew_batch_def def = sinew_default_batch_def();
  def.lanes = lanes;
  def.bank = bank;
  def.max_attempts = max_attempts;
  if (!was_made(sinew_batch_create(&def, s->model, s->tasks, s->count, &b->batch, &error), &error,
                lanes)) {
    return false;
  }
  require(sinew_batch_worker_create(b->batch, &b->worker, NULL), NULL);
  b->row = sinew_batch_target_size(b->batch);
  return true;
}

void end_batch(batch *b) {
  sinew_batch_worker_destroy(b->worker);
  sinew_batch_destroy(b->batch);
}

MEASURED measured_batch(const batch *b, const double *targets, const double *seeds, double *q,
                        sinew_batch_row *rows, size_t first, size_t count) {
  const sinew_batch_arrays arrays = {.targets = targets, .seeds = seeds, .q = q, .rows = rows};
  require(sinew_batch_solve(b->batch, b->worker, &arrays, first, count), NULL);
}

// ------------------------------------------------------------------------ crowds

bool make_crowd(const subject *s, const options *o, size_t figures, crowd *c) {
  sinew_error error;
  sinew_crowd_def def = sinew_default_crowd_def();
  def.solver = solver_def(s, o);
  def.figures = figures;
  def.lanes = o->lanes;
  if (!was_made(sinew_crowd_create(&def, s->model, s->tasks, s->count, &c->crowd, &error), &error,
                o->lanes)) {
    return false;
  }
  require(sinew_crowd_worker_create(c->crowd, &c->worker, NULL), NULL);
  c->row = sinew_crowd_target_size(c->crowd);
  return true;
}

void end_crowd(crowd *c) {
  sinew_crowd_worker_destroy(c->worker);
  sinew_crowd_destroy(c->crowd);
}

MEASURED measured_crowd(const crowd *c, const double *targets, double *q, sinew_batch_row *rows,
                        size_t first, size_t count) {
  const sinew_crowd_arrays arrays = {.targets = targets, .q = q, .rows = rows};
  require(sinew_crowd_update(c->crowd, c->worker, &arrays, first, count), NULL);
}

void reset_crowd(const crowd *c, size_t first, size_t count) {
  sinew_crowd_reset(c->crowd, first, count);
}

void record_rows(const sinew_batch_row *rows, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double values[] = {rows[i].outcome, rows[i].steps, rows[i].position_error,
                             rows[i].orientation_error};
    record_values("row", values, sizeof values / sizeof values[0]);
  }
}
