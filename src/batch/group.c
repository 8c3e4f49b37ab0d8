// An update of as many figures of a crowd as there are lanes.
#include "batch/bases.h"
#include "batch/batch.h"
#include "batch/crowd.h"
#include "batch/plain.h"
#include "math/vector.h"
#include "math/within.h"
#include "model/model.h"

// An error of so many sizes is not reduced: kernels multiply up to four of them.
#define FARTHEST_ERROR 1e30
// The values of all fields of a target.
#define MOST_TARGET 11

static void clear_history(const sinew_crowd_history *layout, int lanes, int lane, double *history) {
  for (int i = 0; i < layout->count; ++i) {
    history[i * lanes + lane] = 0.0;
  }
  history[layout->updates_at_rest * lanes + lane] = -1.0;
  history[layout->recent * lanes + lane] = history[layout->motion * lanes + lane] = -1.0;
  history[layout->cut * lanes + lane] = 1.0;
}

void sinew_crowd_clear_lane(const sinew_crowd *crowd, double *history, int lane) {
  const int lanes = crowd->kernel->lanes;
  if (crowd->plain) {
    sinew_crowd_plain_clear(crowd, lane, history);
    return;
  }
  if (crowd->parts == NULL) {
    clear_history(&crowd->plan.history, lanes, lane, history);
  }
  for (int k = 0; k < crowd->part_count; ++k) {
    const sinew_crowd_part *part = &crowd->parts[k];
    clear_history(&part->plan.history, lanes, lane, history + part->history * lanes);
  }
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

// Whether a row of targets can be used, as far as kernels have not asked: doubles resolve all
// positions, and no direction has length 0.
static bool is_usable(const sinew_crowd *crowd, const double *targets) {
  bool usable = true;
  for (int t = 0; t < crowd->problem.count; ++t) {
    const sinew_compiled_task *task = &crowd->problem.tasks[t];
    usable &= sinew_target_row_is_resolved(task->fields, task->resolved, targets) &&
              !(crowd->plain && sinew_target_row_has_zero(&task->task, targets));
    targets += sinew_target_fields_size(task->fields);
  }
  return usable;
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
  const bool asks = crowd->problem.refuses || crowd->plain;
  for (int l = 0; asks && l < crowd->kernel->lanes; ++l) {
    if ((group->usable >> l & 1u) != 0 && !is_usable(crowd, targets[l])) {
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
      copy_lane(crowd->history_values, lanes, history + busy, history + l);
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

// Adds a component's errors to those of the figures. stationary: 1 where all components are met or
// stationary, as far as they are added, and one is stationary; -1 where one moves on.
static void add_part(const sinew_crowd *crowd, const sinew_crowd_block *part, bool first,
                     sinew_crowd_block *all) {
  for (int l = 0; l < crowd->kernel->lanes; ++l) {
    const double position = part->position_error[l], orientation = part->orientation_error[l];
    const bool met =
        position <= crowd->position_tolerance && orientation <= crowd->orientation_tolerance;
    all->position_error[l] = first ? position : sinew_max(position, all->position_error[l]);
    all->orientation_error[l] =
        first ? orientation : sinew_max(orientation, all->orientation_error[l]);
    if (all->stationary != NULL) {
      const double before = first ? 0.0 : all->stationary[l];
      const double now = met ? 0.0 : part->stationary[l] != 0.0 ? 1.0 : -1.0;
      all->stationary[l] = before < 0.0 || now < 0.0 ? -1.0 : sinew_max(before, now);
    }
  }
}

// Updates the components of the figures of a block one after another.
static void update_block(const sinew_crowd_group *group, sinew_crowd_block *block) {
  const sinew_crowd *crowd = group->crowd;
  const int lanes = crowd->kernel->lanes;
  if (crowd->parts == NULL) {
    crowd->kernel->update(&crowd->plan, block);
    return;
  }
  sinew_crowd_block part = *block;
  part.position_error = group->worker->part;
  part.orientation_error = part.position_error + lanes;
  part.stationary = block->stationary != NULL ? part.orientation_error + lanes : NULL;
  for (int k = 0; k < crowd->part_count; ++k) {
    part.history = block->history + crowd->parts[k].history * lanes;
    crowd->kernel->update(&crowd->parts[k].plan, &part);
    add_part(crowd, &part, k == 0, block);
  }
}

// Updates the figures of the usable lanes by the kernel.
static void update_lanes(const sinew_crowd_group *group) {
  const sinew_crowd *crowd = group->crowd;
  const int lanes = crowd->kernel->lanes, values = crowd->history_values;
  sinew_crowd_block block = group->worker->block;
  block.stationary = group->noted ? block.stationary : NULL;
  if (group->usable == (1u << lanes) - 1u) {
    block.history = group->history;
    update_block(group, &block);
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
  update_block(group, &block);
  for (int l = 0; l < lanes; ++l) {
    if ((group->usable >> l & 1u) != 0) {
      copy_lane(values, lanes, block.history + l, group->history + l);
    }
  }
}

void sinew_crowd_update_group(sinew_crowd_group *group) {
  if (group->crowd->plain) {
    sinew_crowd_plain_update(group);
  } else if (group->usable != 0) {
    const unsigned registered = sinew_crowd_register(group);
    update_lanes(group);
    sinew_crowd_end_registration(group, registered);
  } else {
    return;
  }
  drop_overflowed(group);
}

void sinew_crowd_read_lane(const sinew_crowd_group *group, int lane) {
  const sinew_crowd *crowd = group->crowd;
  const sinew_crowd_block *block = &group->worker->block;
  const int lanes = crowd->kernel->lanes;
  for (int t = 0; t < crowd->problem.count; ++t) {
    const sinew_task *task = &crowd->problem.tasks[t].task;
    const double *from = block->targets + crowd->plan.position_start[t] * lanes + lane;
    double values[MOST_TARGET];
    for (int i = 0; i < sinew_task_target_size(task); ++i) {
      values[i] = from[i * lanes];
    }
    group->worker->plain_targets[t] = sinew_default_target();
    sinew_target_unpack(task, values, &group->worker->plain_targets[t]);
  }
  for (int i = 0; i < crowd->model->nq; ++i) {
    group->worker->plain_q[i] = block->q[i * lanes + lane];
  }
}

void sinew_crowd_write_lane(const sinew_crowd_group *group, int lane) {
  const int lanes = group->crowd->kernel->lanes;
  for (int i = 0; i < group->crowd->model->nq; ++i) {
    group->worker->block.q[i * lanes + lane] = group->worker->plain_q[i];
  }
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
    return sinew_batch_row_make(SINEW_OUTCOME_BAD_INPUT, 0, -1.0, -1.0);
  }
  if (!crowd->counts) {
    return sinew_batch_row_make(SINEW_OUTCOME_NO_TASK, 1, -1.0, -1.0);
  }
  const bool met = block->position_error[lane] <= crowd->position_tolerance &&
                   block->orientation_error[lane] <= crowd->orientation_tolerance;
  const sinew_outcome outcome = met                             ? SINEW_OUTCOME_CONVERGED
                                : block->stationary[lane] > 0.0 ? SINEW_OUTCOME_STALLED
                                                                : SINEW_OUTCOME_STEP_LIMIT;
  return sinew_batch_row_make(outcome, 1, block->position_error[lane],
                              block->orientation_error[lane]);
}
