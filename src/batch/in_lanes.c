// A range of a batch's problems in the lanes of the processor.
//
// Each lane has its own problem, tries one start after another until it is solved, and then takes
// the next problem. The starts are the caller's seed, the postures of the bank that are nearest to
// the targets, and a low-discrepancy sequence within the limits. So the result of a problem depends
// on nothing but the problem.
#include "batch/batch.h"
#include "math/vector.h"
#include "model/model.h"
#include "solve/attempts.h"
#include "solve/components.h"
#include "solve/nearest.h"
#include "solve/slides.h"

typedef struct range {
  const sinew_batch *batch;
  sinew_batch_worker *worker;
  sinew_solver *solver; // the worker's, or that of a component
  int component;        // -1: the problem is solved as a whole
  const sinew_problem *problem;
  sinew_lanes *lanes;
  sinew_seed_scratch *scratch;
  const sinew_batch_arrays *arrays; // strides filled in
  size_t first, next, end;
  bool slides; // long prismatic joints first bring starts near the targets: solve/slides.h
} range;

static double *answer_of(const range *r, const sinew_batch_lane *lane) {
  return r->arrays->q + lane->problem * r->arrays->q_stride;
}

static const double *seed_of(const range *r, size_t problem) {
  return r->arrays->seeds != NULL ? r->arrays->seeds + problem * r->arrays->seed_stride : NULL;
}

// Whether there are starts that are made for the targets.
static bool is_banked(const range *r) {
  return r->batch->def.bank != NULL || r->batch->def.network != NULL;
}

// Whether problems have a first start that is not the bank's or the network's: the caller's seed
// or, without them, the middle of the limits.
static bool is_seeded(const range *r) {
  return r->arrays->seeds != NULL || !is_banked(r);
}

// Where a problem's search begins: the caller's seed, or NULL, or what earlier components have
// found, in which the values of later ones are still the seed's.
static const double *begin_of(const range *r, size_t problem) {
  return r->component > 0 ? r->arrays->q + problem * r->arrays->q_stride : seed_of(r, problem);
}

// Prepares the starts of a lane's problem.
static void begin_seeds(const range *r, sinew_batch_lane *lane) {
  const double *seed = begin_of(r, lane->problem);
  const size_t bytes = (size_t)r->batch->model->nq * sizeof(double);
  memcpy(lane->seed, seed != NULL ? seed : r->worker->middle, bytes);
  if (seed != NULL) {
    sinew_problem_bring_into_limits(r->problem, lane->seed);
  }
  lane->seeds.targets = lane->all;
  lane->seeds.caller = lane->seed;
  lane->seeds.caller_number = is_seeded(r) ? 0 : -1;
  lane->seeds.caller_again = r->slides && is_seeded(r);
  lane->seeds.kept = lane->kept;
  lane->seeds.kept_errors = lane->kept_errors;
  lane->seeds.bank = r->batch->def.bank;
  lane->seeds.most_postures = SINEW_BATCH_POSTURES;
  lane->seeds.network = r->batch->def.network;
  lane->seeds.most_outputs = SINEW_SEED_FEW_OUTPUTS;
}

static void start(const range *r, int l) {
  sinew_batch_lane *lane = &r->worker->lanes[l];
  sinew_lanes *lanes = r->lanes;
  double *q = r->worker->q;
  const sinew_seed_kind kind = sinew_seeds_next(&lane->seeds, lane->attempt, q);
  if (r->slides && kind != SINEW_SEED_KEPT) {
    sinew_slides_bring_start_near(r->solver, lane->targets, kind == SINEW_SEED_CALLER, q);
  }
  sinew_lanes_begin(&lanes->plan, q, sinew_attempt_limit_factor(lane->attempt), l, &lanes->block);
  if (kind == SINEW_SEED_CALLER && is_banked(r)) {
    // A seed that is far is dropped at once for the bank's postures or the network's. From random
    // seeds that saves a quarter of all updates.
    sinew_lanes_drop_if_far(lanes, l, SINEW_SEED_IS_FAR);
  }
  ++lane->attempt;
}

// Looks up the next problems in the bank together: see sinew_bank_find_each().
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

// Reads a problem's targets and, if its first start is a posture of the bank, looks that up.
// Returns false if the problem is invalid.
static bool read_problem(const range *r, sinew_batch_lane *lane) {
  const sinew_batch *batch = r->batch;
  sinew_batch_ahead *ahead = &r->worker->ahead;
  const double *values = r->arrays->targets + lane->problem * r->arrays->target_stride;
  sinew_seeds_begin(&lane->seeds, r->problem, r->scratch);
  if (batch->def.bank == NULL || r->arrays->seeds != NULL) {
    const bool usable = sinew_batch_row_check(batch, values, seed_of(r, lane->problem));
    if (usable) {
      sinew_batch_row_targets(batch, values, lane->all);
    }
    return usable;
  }
  if (lane->problem >= ahead->end) {
    look_ahead(r, lane->problem);
  }
  const size_t k = lane->problem - ahead->first, count = (size_t)batch->count;
  lane->seeds.postures[0] = ahead->nearest[k];
  lane->seeds.posture_count = 1;
  memcpy(lane->all, ahead->targets + k * count, count * sizeof *lane->all);
  return ahead->usable[k];
}

// Gives a lane the next valid problem; false: there is none left.
static bool take_problem(range *r, int l) {
  sinew_batch_lane *lane = &r->worker->lanes[l];
  sinew_lanes *lanes = r->lanes;
  while (r->next < r->end) {
    lane->problem = r->next++;
    if (r->component > 0 && r->worker->refused[lane->problem - r->first]) {
      continue;
    }
    const bool usable = read_problem(r, lane);
    if (r->component == 0) {
      r->worker->refused[lane->problem - r->first] = !usable;
    }
    if (!usable) {
      sinew_batch_row_refuse(r->batch, answer_of(r, lane),
                             r->arrays->rows != NULL ? &r->arrays->rows[lane->problem] : NULL);
      continue;
    }
    lane->targets = r->component < 0 ? lane->all
                                     : sinew_component_targets(r->worker->solver, r->component,
                                                               lane->all, lane->own);
    lane->attempt = lane->steps = 0;
    lane->least = INFINITY;
    lane->most =
        r->batch->def.max_starts - sinew_nearest_reserve(r->solver, r->batch->def.max_starts);
    lane->again = lane->unproven = false;
    sinew_lanes_set_targets(&lanes->plan, lane->targets, l, l + 1, &lanes->block);
    begin_seeds(r, lane);
    return true;
  }
  return false;
}

// Records the configuration of lane l as the best so far.
static void keep_best(const range *r, int l) {
  const sinew_batch_lane *lane = &r->worker->lanes[l];
  memcpy(lane->best, lane->seed, (size_t)r->batch->model->nq * sizeof(double));
  sinew_lanes_read(r->lanes, r->problem, &r->lanes->block, l, lane->best);
}

// Components' rows come to one: the largest errors, the sum of steps, and the outcome, with its
// reach, of the component that ranks highest.
static void write_row(const range *r, const sinew_batch_lane *lane, sinew_batch_row row) {
  if (r->arrays->rows == NULL) {
    return;
  }
  sinew_batch_row *out = &r->arrays->rows[lane->problem];
  if (r->component > 0) {
    const bool worse = sinew_outcome_rank(row.outcome) > sinew_outcome_rank(out->outcome);
    sinew_batch_row sum = worse ? row : *out;
    sum.steps = row.steps + out->steps;
    sum.position_error = sinew_max(row.position_error, out->position_error);
    sum.orientation_error = sinew_max(row.orientation_error, out->orientation_error);
    row = sum;
  }
  *out = row;
}

static void conclude_met(const range *r, int l) {
  const sinew_batch_lane *lane = &r->worker->lanes[l];
  const sinew_lane_block *block = &r->lanes->block;
  memcpy(answer_of(r, lane), lane->best, (size_t)r->batch->model->nq * sizeof(double));
  if (r->problem->counted == 0) {
    write_row(r, lane, sinew_batch_row_make(SINEW_OUTCOME_NO_TASK, lane->steps, -1.0, -1.0));
    return;
  }
  write_row(r, lane,
            sinew_batch_row_make(SINEW_OUTCOME_CONVERGED, lane->steps,
                                 block->position_error[l] * r->problem->size,
                                 block->orientation_error[l]));
}

// Runs the last descent from the best configuration, by the solver's scalar steps, and reports why
// the problem was not solved.
static void conclude_missed(const range *r, int l) {
  sinew_batch_lane *lane = &r->worker->lanes[l];
  sinew_solver *solver = r->solver;
  sinew_reach_proof *proof = &solver->reach.proof;
  int limiting_joint = -1;
  sinew_report report;
  sinew_descent d = {.targets = lane->targets,
                     .q = lane->best,
                     .steps = lane->steps,
                     .most_steps = lane->steps + SINEW_LAST_DESCENT_STEPS,
                     .deadline = INFINITY,
                     .unproven = lane->unproven};
  sinew_nearest_find(solver, &lane->seeds, sinew_nearest_reserve(solver, r->batch->def.max_starts),
                     &d);
  sinew_outcome outcome = SINEW_OUTCOME_CONVERGED;
  if (!d.converged) {
    d.most_steps = d.steps + 1; // the limit of the last descent is not reported
    outcome = sinew_descent_explain(solver, &d, &limiting_joint);
  }
  if (outcome == SINEW_OUTCOME_OUT_OF_REACH && r->arrays->rows != NULL) {
    sinew_descent_measure_reach(solver);
    if (r->component >= 0) {
      proof->task = sinew_component_task(r->worker->solver, r->component, proof->task);
    }
  }
  sinew_solver_report(solver, outcome, d.steps, limiting_joint, &report);
  memcpy(answer_of(r, lane), lane->best, (size_t)r->batch->model->nq * sizeof(double));
  write_row(r, lane, sinew_batch_row_of(&report));
}

// The result of an attempt that converged in lanes, verified by the solver where that is needed.
static void conclude(const range *r, int l) {
  const sinew_batch_lane *lane = &r->worker->lanes[l];
  keep_best(r, l);
  if (sinew_lanes_need_verification(r->lanes, lane->targets, lane->best)) {
    conclude_missed(r, l);
  } else {
    conclude_met(r, l);
  }
}

// After a failed attempt: returns whether there is another one; if not the result is written.
static bool try_again(const range *r, int l) {
  sinew_batch_lane *lane = &r->worker->lanes[l];
  sinew_solver *solver = r->solver;
  const double E = r->lanes->block.E[l];
  if (lane->attempt == 1 || E < lane->least) { // with extremely large numbers E is NaN
    lane->least = isnan(E) ? INFINITY : E;
    keep_best(r, l);
  }
  if (sinew_seeds_wants(&lane->seeds, E)) {
    double *q = r->worker->q;
    memcpy(q, lane->seed, (size_t)r->batch->model->nq * sizeof(double));
    sinew_lanes_read(r->lanes, r->problem, &r->lanes->block, l, q);
    sinew_attempts_keep(solver, lane->targets, q, E, &lane->seeds);
  }
  if (lane->attempt == 1 || lane->attempt == SINEW_NEAREST_PROOF) {
    const sinew_descent d = {.targets = lane->targets, .q = lane->best};
    const bool excluded = lane->attempt == 1 ? sinew_descent_is_excluded(solver, &d)
                                             : sinew_descent_is_disproved(solver, &d);
    lane->unproven = lane->attempt > 1 && !excluded;
    if (excluded && lane->most > SINEW_ATTEMPTS_OUT_OF_REACH) {
      lane->most = SINEW_ATTEMPTS_OUT_OF_REACH;
    }
  }
  if (lane->attempt >= lane->most) {
    conclude_missed(r, l);
    return false;
  }
  return true;
}

// ------------------------------------------------------------------- lanes

static bool begin(void *context, int l) {
  range *r = context;
  sinew_batch_lane *lane = &r->worker->lanes[l];
  if (!lane->again && !take_problem(r, l)) {
    return false;
  }
  start(r, l);
  return true;
}

static bool finish(void *context, int l) {
  range *r = context;
  sinew_batch_lane *lane = &r->worker->lanes[l];
  const sinew_lane_block *block = &r->lanes->block;
  lane->steps += (int)block->steps[l];
  if ((block->converged >> l & 1u) != 0) {
    conclude(r, l);
    lane->again = false;
  } else {
    lane->again = try_again(r, l);
  }
  return true;
}

// Solves problems first to end - 1, of one component (-1: as a whole).
static void solve(const sinew_batch *batch, sinew_batch_worker *worker, int component,
                  const sinew_batch_arrays *arrays, size_t first, size_t end) {
  sinew_solver *solver =
      component < 0 ? worker->solver : sinew_component_solver(worker->solver, component);
  range r = {.batch = batch,
             .worker = worker,
             .solver = solver,
             .component = component,
             .arrays = arrays,
             .first = first,
             .next = first,
             .end = end,
             .problem = &solver->problem,
             .lanes = &solver->lanes,
             .scratch = &solver->search.seeds,
             .slides = solver->problem.has_long_slides};
  const sinew_lane_jobs jobs = {.begin = begin, .end = finish, .context = &r};
  worker->ahead.first = worker->ahead.end = first;
  r.lanes->block.active = 0;
  for (int l = 0; l < r.lanes->block.lanes; ++l) {
    worker->lanes[l].again = false;
  }
  sinew_lanes_run(r.lanes, &r.lanes->rules, &r.lanes->block, &jobs);
}

void sinew_batch_solve_lanes(const sinew_batch *batch, sinew_batch_worker *worker,
                             const sinew_batch_arrays *arrays, size_t first, size_t count) {
  const int components = sinew_components_count(worker->solver);
  const size_t end = first + count;
  if (components == 0) {
    solve(batch, worker, -1, arrays, first, end);
    return;
  }
  while (first < end) {
    const size_t next = end - first > SINEW_BATCH_CHUNK ? first + SINEW_BATCH_CHUNK : end;
    for (int k = 0; k < components; ++k) {
      solve(batch, worker, k, arrays, first, next);
    }
    first = next;
  }
}
