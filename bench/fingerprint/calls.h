// Every call of solvers, batches and crowds in the cases, in one place: where the public interface
// is renamed, only this file changes.
//
// The functions measured_...() only call the library. tools/same-bits counts the instructions
// within them alone, so that preparing and recording cases is not counted.
#ifndef BENCH_FINGERPRINT_CALLS_H
#define BENCH_FINGERPRINT_CALLS_H

#include "bench/fingerprint/subject.h"
#include "sinew/sinew.h"

// How steps are computed. 0: the library's default.
typedef struct options {
  const char *name;
  sinew_method method;
  sinew_dls_form form;
  double damping; // DLS: constant, without a part that grows with the error
  double clamp;   // of each task's position error
  bool clamp_is_fixed, target_jacobian;
  double calm, max_change, max_turn, error_gain, singular_cut;
  double time_step;
  int lanes, max_steps, max_attempts;
  double clock_calls; // the time limit is reached after this many
} options;

// Further settings of a solver; NULL: none.
typedef struct bounds {
  unsigned char *frozen;
  double *gains, *lower, *upper;
} bounds;

// NULL where this processor does not support the lane count.
sinew_solver *make_solver(const subject *s, const options *o, const bounds *b);
void end_solver(sinew_solver *solver);

void measured_update(sinew_solver *solver, const sinew_target *targets, int count, double *q,
                     sinew_report *report);
void measured_solve(sinew_solver *solver, const sinew_target *targets, int count, double *q,
                    sinew_report *report);
void measured_solve_global(sinew_solver *solver, const sinew_global_def *def,
                           const sinew_target *targets, int count, double *q, sinew_report *report);
int measured_solve_all(sinew_solver *solver, const sinew_global_def *def,
                       const sinew_target *targets, int count, const double *seed, int capacity,
                       double *solutions, sinew_report *report);
void measured_reset(sinew_solver *solver);

void record_report(const sinew_report *report);
void record_task_errors(const sinew_solver *solver, int count);

sinew_bank *make_bank(const subject *s, int size);
void end_bank(sinew_bank *bank);
void measured_find(const sinew_bank *bank, const sinew_target *targets, int want, double *found);
void measured_posture(const sinew_bank *bank, int index, const sinew_target *targets, double *q);

// A batch with its worker. Problems are rows of row values.
typedef struct batch {
  sinew_batch *batch;
  sinew_batch_worker *worker;
  int row;
} batch;

// False where this processor does not support the lane count.
bool make_batch(const subject *s, int lanes, int max_attempts, const sinew_bank *bank, batch *b);
void end_batch(batch *b);
void measured_batch(const batch *b, const double *targets, const double *seeds, double *q,
                    sinew_batch_row *rows, size_t first, size_t count);

// A crowd with its worker.
typedef struct crowd {
  sinew_crowd *crowd;
  sinew_crowd_worker *worker;
  int row;
} crowd;

bool make_crowd(const subject *s, const options *o, size_t figures, crowd *c);
void end_crowd(crowd *c);
void measured_crowd(const crowd *c, const double *targets, double *q, sinew_batch_row *rows,
                    size_t first, size_t count);
void reset_crowd(const crowd *c, size_t first, size_t count);

void record_rows(const sinew_batch_row *rows, size_t count);

#endif
