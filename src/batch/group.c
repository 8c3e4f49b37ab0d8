// An update of as many figures of a crowd as there are lanes.
#include "batch/crowd.h"
#include "math/vector.h"
#include "math/within.h"
#include "model/model.h"

// An error of so many sizes is not reduced: kernels multiply up to four of them.
#define FARTHEST_ERROR 1e30

void sinew_crowd_clear_lane(const sinew_crowd *crowd, double *history, int lane) {
  const sinew_crowd_history *layout = &crowd->plan.history;
  const int lanes = crowd->kernel->lanes;
  for (int i = 0; i < layout->count; ++i) {
    history[i * lanes + lane] = 0.0;
  }
  history[layout->updates_at_rest * lanes + lane] = -1.0;
  history[layout->recent * lanes + lane] = history[layout->motion * lanes + lane] = -1.0;
  history[layout->cut * lanes + lane] = 1.0;
}

// The lowest bit that is set.
static int first_lane(unsigned lanes) {
  int first = 0;
  while ((lanes >> first & 1u) == 0) {
    ++first;
  }
  return first;
}

// Copies a row into each lane that is present, and one of these rows into the others.
static unsigned put_rows(const sinew_crowd_kernel *kernel, const sinew_crowd_row_layout *layout,
                         unsigned present, const double *const *rows, double *vectors) {
  const double *complete[SINEW_CROWD_MOST_LANES] = {NULL};
  const int some = first_lane(present);
  for (int l = 0; l < kernel->lanes; ++l) {
    complete[l] = rows[(present >> l & 1u) != 0 ? l : some];
  }
  return present & kernel->read(layout, complete, vectors);
}

// Whether doubles resolve all positions.
static bool all_resolved(const sinew_problem *problem, const double *targets) {
  bool resolved = true;
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    resolved &= sinew_target_row_is_resolved(task->fields, task->resolved, targets);
    targets += sinew_target_fields_size(task->fields);
  }
  return resolved;
}

void sinew_crowd_put(sinew_crowd_group *group, unsigned present, const double *const *q,
                     const double *const *targets) {
  const sinew_crowd *crowd = group->crowd;
  const sinew_crowd_row_layout values = {crowd->model->nq, crowd->rotations, crowd->rotation_count};
  const sinew_crowd_row_layout shown = {crowd->plan.target_size, crowd->quaternions,
                                        crowd->quaternion_count};
  group->usable = 0;
  if (present != 0) {
    group->usable = put_rows(crowd->kernel, &values, present, q, group->worker->block.q);
    group->usable &=
        put_rows(crowd->kernel, &shown, present, targets, group->worker->block.targets);
  }
  for (int l = 0; crowd->problem.refuses && l < crowd->kernel->lanes; ++l) {
    if ((group->usable >> l & 1u) != 0 && !all_resolved(&crowd->problem, targets[l])) {
      group->usable &= ~(1u << l);
    }
  }
}

static void copy_lane(int count, int lanes, const double *from, double *to) {
  for (int i = 0; i < count; ++i) {
    to[i * lanes] = from[i * lanes];
  }
}

// Lanes without a figure get the numbers of another, so that they need no additional rounds.
static void fill_idle(const sinew_crowd_group *group, int busy) {
  const sinew_crowd *crowd = group->crowd;
  const sinew_crowd_block *block = &group->worker->block;
  const int lanes = crowd->kernel->lanes;
  double *history = group->worker->history;
  for (int l = 0; l < lanes; ++l) {
    if ((group->usable >> l & 1u) == 0) {
      copy_lane(crowd->model->nq, lanes, block->q + busy, block->q + l);
      copy_lane(crowd->plan.target_size, lanes, block->targets + busy, block->targets + l);
      copy_lane(crowd->plan.history.count, lanes, history + busy, history + l);
    }
  }
}

// Whether a lane's update has overflowed or may have.
static bool has_overflowed(const sinew_crowd_group *group, int lane) {
  const sinew_crowd *crowd = group->crowd;
  const sinew_crowd_block *block = &group->worker->block;
  bool finite = block->position_error[lane] <= FARTHEST_ERROR * crowd->problem.size;
  for (int i = 0; i < crowd->model->nq; ++i) {
    finite &= fabs(block->q[i * crowd->kernel->lanes + lane]) <= SINEW_HUGE;
  }
  return !finite;
}

// Lanes whose update has overflowed are not usable, and their history is cleared.
static void drop_overflowed(sinew_crowd_group *group) {
  const sinew_crowd *crowd = group->crowd;
  const sinew_crowd_block *block = &group->worker->block;
  const int lanes = crowd->kernel->lanes;
  if (sinew_all_within(crowd->model->nq * lanes, block->q, SINEW_HUGE) &&
      sinew_all_within(lanes, block->position_error, FARTHEST_ERROR * crowd->problem.size)) {
    return;
  }
  for (int l = 0; l < lanes; ++l) {
    if ((group->usable >> l & 1u) != 0 && has_overflowed(group, l)) {
      group->usable &= ~(1u << l);
      sinew_crowd_clear_lane(crowd, group->history, l);
    }
  }
}

void sinew_crowd_update_group(sinew_crowd_group *group) {
  const sinew_crowd *crowd = group->crowd;
  const int lanes = crowd->kernel->lanes, values = crowd->plan.history.count;
  sinew_crowd_block block = group->worker->block;
  block.stationary = group->noted ? block.stationary : NULL;
  if (group->usable == (1u << lanes) - 1u) {
    block.history = group->history;
    crowd->kernel->update(&crowd->plan, &block);
    drop_overflowed(group);
    return;
  }
  if (group->usable == 0) {
    return;
  }
  // Another thread may be updating the other lanes' figures.
  const int busy = first_lane(group->usable);
  block.history = group->worker->history;
  for (int l = 0; l < lanes; ++l) {
    if ((group->usable >> l & 1u) != 0) {
      copy_lane(values, lanes, group->history + l, block.history + l);
    }
  }
  fill_idle(group, busy);
  crowd->kernel->update(&crowd->plan, &block);
  for (int l = 0; l < lanes; ++l) {
    if ((group->usable >> l & 1u) != 0) {
      copy_lane(values, lanes, block.history + l, group->history + l);
    }
  }
  drop_overflowed(group);
}

void sinew_crowd_get_q(const sinew_crowd_group *group, double *const *q) {
  const sinew_crowd *crowd = group->crowd;
  const int lanes = crowd->kernel->lanes;
  const double *values = group->worker->block.q;
  if (group->usable == (1u << lanes) - 1u) {
    crowd->kernel->write(crowd->model->nq, values, q);
    return;
  }
  for (int l = 0; l < lanes; ++l) {
    for (int i = 0; (group->usable >> l & 1u) != 0 && i < crowd->model->nq; ++i) {
      q[l][i] = values[i * lanes + l];
    }
  }
}

sinew_batch_row sinew_crowd_row(const sinew_crowd_group *group, int lane) {
  const sinew_crowd *crowd = group->crowd;
  const sinew_crowd_block *block = &group->worker->block;
  if ((group->usable >> lane & 1u) == 0) {
    return (sinew_batch_row){SINEW_OUTCOME_BAD_INPUT, 0, -1.0, -1.0};
  }
  if (!crowd->counts) {
    return (sinew_batch_row){SINEW_OUTCOME_NO_TASK, 1, -1.0, -1.0};
  }
  const bool met = block->position_error[lane] <= crowd->position_tolerance &&
                   block->orientation_error[lane] <= crowd->orientation_tolerance;
  const sinew_outcome outcome = met                              ? SINEW_OUTCOME_CONVERGED
                                : block->stationary[lane] != 0.0 ? SINEW_OUTCOME_STALLED
                                                                 : SINEW_OUTCOME_STEP_LIMIT;
  return (sinew_batch_row){outcome, 1, block->position_error[lane], block->orientation_error[lane]};
}
