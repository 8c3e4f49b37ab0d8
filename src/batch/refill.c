// A range of a batch's problems in the lanes of the processor.
//
// Each lane has a problem of its own, tries one start after another until it is solved, and
// takes the next problem at once. Its starts: the caller's seed; the postures of the bank
// that are nearest to the targets; places spread over all that joints may do. So what is
// found for a problem depends on nothing but the problem.
#include "batch/batch.h"
#include "math/vector.h"
#include "model/model.h"
#include "solve/attempts.h"
#include "solve/bank.h"
#include "solve/descent.h"
#include "solve/starts.h"

typedef struct range {
  const sinew_batch *batch;
  sinew_batch_worker *worker;
  const sinew_batch_arrays *arrays; // strides filled in
  size_t next, end;
  bool slides; // starts are brought near the targets by what slides far
} range;

static double *answer_of(const range *r, const sinew_batch_lane *lane) {
  return r->arrays->q + lane->problem * r->arrays->q_stride;
}

static const double *seed_of(const range *r, size_t problem) {
  return r->arrays->seeds != NULL ? r->arrays->seeds + problem * r->arrays->seed_stride : NULL;
}

// What a start and an answer are made from, where the lanes do not say: the seed, or the middle
// of the limits.
static void set_base(const range *r, const sinew_batch_lane *lane, double *q) {
  const double *seed = seed_of(r, lane->problem);
  if (seed != q) { // answers may take the place of seeds
    memcpy(q, seed != NULL ? seed : r->worker->middle,
           (size_t)r->batch->model->nq * sizeof(double));
  }
}

// The nearest posture first, which most often is all that is needed; then more of them.
static bool start_posture(const range *r, sinew_batch_lane *lane, double *q) {
  const sinew_bank *bank = r->batch->def.bank;
  if (bank == NULL || lane->posture > SINEW_BATCH_POSTURES) {
    return false;
  }
  if (lane->posture == 0 && lane->posture_count == 0) {
    lane->posture_count = sinew_bank_find(bank, lane->targets, 1, lane->postures);
  } else if (lane->posture == 1) {
    const int first = lane->postures[0];
    int *more = lane->postures + 1;
    const int count = sinew_bank_find(bank, lane->targets, SINEW_BATCH_POSTURES, more);
    lane->posture_count = 1;
    for (int i = 0; i < count; ++i) {
      if (more[i] != first) {
        lane->postures[lane->posture_count++] = more[i];
      }
    }
  }
  if (lane->posture >= lane->posture_count) {
    return false;
  }
  sinew_start_posture(r->worker->solver, bank, lane->postures[lane->posture++], lane->targets, q);
  return true;
}

static void start(const range *r, int l) {
  sinew_batch_lane *lane = &r->worker->lanes[l];
  sinew_lanes *lanes = &r->worker->solver->lanes;
  double *q = r->worker->q;
  const bool seeded = seed_of(r, lane->problem) != NULL || r->batch->def.bank == NULL;
  // The seed; where that helps its posture, brought near; and others.
  const bool as_seed = seeded && lane->attempt <= r->slides;
  set_base(r, lane, q);
  if (seed_of(r, lane->problem) != NULL) {
    sinew_solver_bring_inside(r->worker->solver, q);
  }
  if (!as_seed && !start_posture(r, lane, q)) {
    sinew_start_spread(r->worker->solver, lane->spread++, 1.0, q);
  }
  if (r->slides && !(seeded && lane->attempt == 0)) {
    sinew_start_slide_near(r->worker->solver, lane->targets, q);
  }
  sinew_lanes_place(&lanes->plan, q, lane->attempt++, l, &lanes->block);
  if (lane->attempt == 1 && seeded && r->batch->def.bank != NULL) {
    // A seed that is far is left for the bank at once, which from random seeds saves a quarter
    // of all updates: as if it had been slow before.
    lanes->block.mark[l] = SINEW_SEED_IS_FAR / lanes->rules.keep;
    lanes->block.slow[l] = lanes->rules.slow;
  }
}

// Looks the next problems up in the bank, all at once: see sinew_bank_find_each().
static void look_ahead(const range *r, size_t first) {
  const sinew_batch *batch = r->batch;
  sinew_batch_ahead *ahead = &r->worker->ahead;
  const size_t left = r->end - first;
  const int count = left < SINEW_BATCH_AHEAD ? (int)left : SINEW_BATCH_AHEAD;
  ahead->first = first;
  ahead->end = first + (size_t)count;
  for (int k = 0; k < count; ++k) {
    const double *values = r->arrays->targets + (first + (size_t)k) * r->arrays->target_stride;
    sinew_target *targets = ahead->targets + k * batch->count;
    ahead->usable[k] = sinew_batch_row_check(batch, values, NULL);
    for (int t = 0; !ahead->usable[k] && t < batch->count; ++t) {
      targets[t] = sinew_default_target();
    }
    if (ahead->usable[k]) {
      sinew_batch_row_targets(batch, values, targets);
    }
  }
  sinew_bank_find_each(batch->def.bank, ahead->targets, count, ahead->nearest);
}

// A problem's targets, and where its first start is looked up in a bank that. False where
// it is none.
static bool read_problem(const range *r, sinew_batch_lane *lane) {
  const sinew_batch *batch = r->batch;
  sinew_batch_ahead *ahead = &r->worker->ahead;
  const double *values = r->arrays->targets + lane->problem * r->arrays->target_stride;
  lane->posture_count = 0;
  if (batch->def.bank == NULL || r->arrays->seeds != NULL) {
    const bool usable = sinew_batch_row_check(batch, values, seed_of(r, lane->problem));
    if (usable) {
      sinew_batch_row_targets(batch, values, lane->targets);
    }
    return usable;
  }
  if (lane->problem >= ahead->end) {
    look_ahead(r, lane->problem);
  }
  const size_t k = lane->problem - ahead->first, count = (size_t)batch->count;
  lane->postures[0] = ahead->nearest[k];
  lane->posture_count = 1;
  memcpy(lane->targets, ahead->targets + k * count, count * sizeof *lane->targets);
  return ahead->usable[k];
}

// Gives a lane the next problem that is one, if there is any.
static void take_problem(range *r, int l) {
  sinew_batch_lane *lane = &r->worker->lanes[l];
  sinew_lanes *lanes = &r->worker->solver->lanes;
  lanes->block.active &= ~(1u << l);
  while (r->next < r->end) {
    lane->problem = r->next++;
    if (!read_problem(r, lane)) {
      sinew_batch_row_refuse(r->batch, answer_of(r, lane),
                             r->arrays->rows != NULL ? &r->arrays->rows[lane->problem] : NULL);
      continue;
    }
    lane->attempt = lane->steps = lane->posture = 0;
    lane->spread = 0;
    lane->least = INFINITY;
    lane->most = r->batch->def.max_attempts;
    sinew_lanes_aim(&lanes->plan, lane->targets, l, l + 1, &lanes->block);
    start(r, l);
    return;
  }
}

// The best so far is where lane l is.
static void keep_best(const range *r, int l) {
  const sinew_batch_lane *lane = &r->worker->lanes[l];
  set_base(r, lane, lane->best);
  sinew_lanes_read(r->worker->solver, &r->worker->solver->lanes.block, l, lane->best);
}

static void write_row(const range *r, const sinew_batch_lane *lane, sinew_batch_row row) {
  if (r->arrays->rows != NULL) {
    r->arrays->rows[lane->problem] = row;
  }
}

static void conclude_met(const range *r, int l) {
  const sinew_batch_lane *lane = &r->worker->lanes[l];
  const sinew_lane_block *block = &r->worker->solver->lanes.block;
  memcpy(answer_of(r, lane), lane->best, (size_t)r->batch->model->nq * sizeof(double));
  if (r->worker->solver->problem.counted == 0) {
    write_row(r, lane,
              (sinew_batch_row){.outcome = SINEW_OUTCOME_NO_TASK,
                                .steps = lane->steps,
                                .position_error = -1.0,
                                .orientation_error = -1.0});
    return;
  }
  write_row(r, lane,
            (sinew_batch_row){.outcome = SINEW_OUTCOME_CONVERGED,
                              .steps = lane->steps,
                              .position_error = block->position_error[l] * r->batch->model->size,
                              .orientation_error = block->orientation_error[l]});
}

// The best of what was found comes to rest, by the solver's own steps, and the reason is told.
static void conclude_missed(const range *r, int l) {
  const sinew_batch_lane *lane = &r->worker->lanes[l];
  sinew_solver *solver = r->worker->solver;
  int limiting_joint = -1;
  sinew_report report;
  sinew_descent d = {.targets = lane->targets,
                     .q = lane->best,
                     .steps = lane->steps,
                     .most_steps = lane->steps + SINEW_STEPS_TO_REST,
                     .deadline = INFINITY};
  sinew_descend_to_rest(solver, &d);
  sinew_outcome outcome = SINEW_OUTCOME_CONVERGED;
  if (!d.converged) {
    d.most_steps = d.steps + 1; // that they are used up does not matter
    outcome = sinew_descent_explain(solver, &d, &limiting_joint);
  }
  sinew_solver_report(solver, outcome, d.steps, limiting_joint, &report);
  memcpy(answer_of(r, lane), lane->best, (size_t)r->batch->model->nq * sizeof(double));
  write_row(r, lane,
            (sinew_batch_row){.outcome = report.outcome,
                              .steps = report.steps,
                              .position_error = report.position_error,
                              .orientation_error = report.orientation_error});
}

// What was met by the lanes' word, or where that is in doubt the solver's.
static void conclude(const range *r, int l) {
  const sinew_batch_lane *lane = &r->worker->lanes[l];
  keep_best(r, l);
  if (sinew_lanes_in_doubt(&r->worker->solver->lanes.plan, lane->targets, lane->best)) {
    conclude_missed(r, l);
  } else {
    conclude_met(r, l);
  }
}

// An attempt has failed: another, or the end of the problem. True if the lane goes on with it.
static bool try_again(const range *r, int l) {
  sinew_batch_lane *lane = &r->worker->lanes[l];
  sinew_solver *solver = r->worker->solver;
  const double E = solver->lanes.block.E[l];
  if (lane->attempt == 1 || E < lane->least) { // numbers out of all proportion have no E
    lane->least = isnan(E) ? INFINITY : E;
    keep_best(r, l);
  }
  if (lane->attempt == 1) {
    const sinew_descent d = {.targets = lane->targets, .q = lane->best};
    if (sinew_descent_is_excluded(solver, &d) && lane->most > SINEW_ATTEMPTS_OUT_OF_REACH) {
      lane->most = SINEW_ATTEMPTS_OUT_OF_REACH;
    }
  }
  if (lane->attempt >= lane->most) {
    conclude_missed(r, l);
    return false;
  }
  start(r, l);
  return true;
}

void sinew_batch_solve_lanes(const sinew_batch *batch, sinew_batch_worker *worker,
                             const sinew_batch_arrays *arrays, size_t first, size_t count) {
  range r = {.batch = batch,
             .worker = worker,
             .arrays = arrays,
             .next = first,
             .end = first + count,
             .slides = sinew_start_slides(worker->solver)};
  worker->ahead.first = worker->ahead.end = first;
  sinew_lanes *lanes = &worker->solver->lanes;
  lanes->block.active = 0;
  for (int l = 0; l < lanes->block.lanes; ++l) {
    take_problem(&r, l);
  }
  while (lanes->block.active != 0) {
    lanes->kernel->descend(&lanes->plan, &lanes->rules, &lanes->block);
    const unsigned converged = lanes->block.converged;
    const unsigned ended = converged | lanes->block.dropped;
    for (int l = 0; l < lanes->block.lanes; ++l) {
      if ((ended >> l & 1u) == 0) {
        continue;
      }
      worker->lanes[l].steps += (int)lanes->block.steps[l];
      if ((converged >> l & 1u) != 0) {
        conclude(&r, l);
        take_problem(&r, l);
      } else if (!try_again(&r, l)) {
        take_problem(&r, l);
      }
    }
  }
}
