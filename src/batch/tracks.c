// Recorded tracks that are followed together: a lane holds a track, and takes the next one when its
// own has ended. What a lane computes depends on its track alone, so the order in which lanes take
// tracks and the range of a call do not change results.
#include "base/error.h"
#include "batch/batch.h"
#include "batch/crowd.h"
#include "problem/configuration.h"

#include <string.h>

// ------------------------------------------------------------------------ arrays

static size_t stride_of(size_t stride, int size) {
  return stride == 0 ? (size_t)size : stride;
}

static const double *frame_targets(const sinew_crowd *crowd, const sinew_track *track,
                                   size_t frame) {
  return track->targets + frame * stride_of(track->target_stride, crowd->plan.target_size);
}

static double *frame_q(const sinew_crowd *crowd, const sinew_track *track, size_t frame) {
  return track->q + frame * stride_of(track->q_stride, crowd->model->nq);
}

static sinew_result check_stride(const char *name, size_t i, size_t stride, int size,
                                 sinew_error *error) {
  return stride_of(stride, size) >= (size_t)size
             ? SINEW_OK
             : sinew_error_set(error, SINEW_ERROR_ARGUMENT, name,
                               "track %zu: %zu is less than %d values", i, stride, size);
}

static sinew_result check_arrays(const sinew_crowd *crowd, const sinew_track *tracks, size_t count,
                                 sinew_error *error) {
  const int size = crowd->plan.target_size, nq = crowd->model->nq;
  if (tracks == NULL && count > 0) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "tracks is NULL");
  }
  sinew_result result = SINEW_OK;
  for (size_t i = 0; i < count && result == SINEW_OK; ++i) {
    const sinew_track *track = &tracks[i];
    if (track->frames > 0 &&
        ((track->targets == NULL && size > 0) || (track->q == NULL && nq > 0))) {
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "track %zu: targets or q is NULL",
                             i);
    }
    result = check_stride("target_stride", i, track->target_stride, size, error);
    if (result == SINEW_OK) {
      result = check_stride("q_stride", i, track->q_stride, nq, error);
    }
  }
  return result;
}

static sinew_result check_values(const sinew_crowd *crowd, const sinew_track *track, size_t i,
                                 sinew_error *error) {
  sinew_error why;
  if (track->frames > 0 && track->seed != NULL &&
      sinew_batch_explain_seed(crowd->model, track->seed, &why) != SINEW_OK) {
    return sinew_error_set(error, why.code, why.name, "track %zu: %s", i, why.message);
  }
  for (size_t f = 0; f < track->frames; ++f) {
    const double *values = frame_targets(crowd, track, f);
    for (int t = 0; t < crowd->problem.count; ++t) {
      const sinew_task *task = &crowd->problem.tasks[t].task;
      const double resolved = crowd->problem.tasks[t].resolved;
      if (sinew_batch_explain_target(task, resolved, t, values, &why) != SINEW_OK) {
        return sinew_error_set(error, why.code, NULL, "track %zu, frame %zu: %s", i, f,
                               why.message);
      }
      values += sinew_task_target_size(task);
    }
  }
  return SINEW_OK;
}

sinew_result sinew_crowd_check(const sinew_crowd *crowd, const sinew_track *tracks, size_t count,
                               sinew_error *error) {
  if (crowd == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "crowd is NULL");
  }
  sinew_result result = check_arrays(crowd, tracks, count, error);
  for (size_t i = 0; i < count && result == SINEW_OK; ++i) {
    result = check_values(crowd, &tracks[i], i, error);
  }
  return result;
}

// ------------------------------------------------------------------------- lanes

// A track in a lane, or NULL, and its next frame.
typedef struct place {
  const sinew_track *track;
  size_t frame;
} place;

// The tracks of a call that no lane has taken yet.
typedef struct queue {
  const sinew_track *tracks;
  size_t next, count;
} queue;

// The result of a track whose seed is not valid.
static void refuse_track(const sinew_crowd *crowd, const sinew_track *track) {
  for (size_t f = 0; f < track->frames; ++f) {
    sinew_configuration_start(crowd->model, frame_q(crowd, track, f));
    if (track->rows != NULL) {
      track->rows[f] = sinew_batch_row_make(SINEW_OUTCOME_BAD_INPUT, 0, -1.0, -1.0);
    }
  }
}

// The configuration before a track's first frame, in the place of that frame's results.
static void set_start(const sinew_crowd *crowd, const sinew_track *track) {
  double *q = frame_q(crowd, track, 0);
  if (track->seed != NULL) {
    memmove(q, track->seed, (size_t)crowd->model->nq * sizeof *q);
  } else {
    sinew_configuration_middle(crowd->model, q);
    sinew_problem_clamp(&crowd->problem, q);
  }
}

// The next track that has frames and a valid seed, or none.
static place take_track(const sinew_crowd_group *group, int lane, queue *waiting) {
  const sinew_crowd *crowd = group->crowd;
  while (waiting->next < waiting->count) {
    const sinew_track *track = &waiting->tracks[waiting->next++];
    if (track->frames == 0) {
      continue;
    }
    if (track->seed != NULL &&
        sinew_batch_explain_seed(crowd->model, track->seed, NULL) != SINEW_OK) {
      refuse_track(crowd, track);
      continue;
    }
    set_start(crowd, track);
    sinew_crowd_clear_lane(crowd, group->history, lane);
    return (place){track, 0};
  }
  return (place){NULL, 0};
}

// Puts the next frame of each lane's track into its lane; returns whether there is any.
static bool read_frames(sinew_crowd_group *group, place *places, queue *waiting) {
  const sinew_crowd *crowd = group->crowd;
  const double *q[SINEW_CROWD_MOST_LANES], *targets[SINEW_CROWD_MOST_LANES];
  unsigned present = 0;
  for (int l = 0; l < crowd->kernel->lanes; ++l) {
    place *at = &places[l];
    if (at->track == NULL || at->frame == at->track->frames) {
      *at = take_track(group, l, waiting);
    }
    if (at->track == NULL) {
      continue;
    }
    q[l] = frame_q(crowd, at->track, at->frame > 0 ? at->frame - 1 : 0);
    targets[l] = frame_targets(crowd, at->track, at->frame);
    present |= 1u << l;
  }
  sinew_crowd_put(group, present, q, targets);
  return present != 0;
}

// Writes the results of a frame; where it is missing, the figure stays.
static void write_frames(const sinew_crowd_group *group, place *places) {
  const sinew_crowd *crowd = group->crowd;
  double *q[SINEW_CROWD_MOST_LANES];
  for (int l = 0; l < crowd->kernel->lanes; ++l) {
    if (places[l].track != NULL) {
      q[l] = frame_q(crowd, places[l].track, places[l].frame);
    }
  }
  sinew_crowd_get_q(group, q);
  for (int l = 0; l < crowd->kernel->lanes; ++l) {
    place *at = &places[l];
    if (at->track == NULL) {
      continue;
    }
    if ((group->usable >> l & 1u) == 0 && at->frame > 0) {
      memcpy(q[l], frame_q(crowd, at->track, at->frame - 1),
             (size_t)crowd->model->nq * sizeof *q[l]);
    }
    if (at->track->rows != NULL) {
      at->track->rows[at->frame] = sinew_crowd_row(group, l);
    }
    ++at->frame;
  }
}

static bool any_rows(const sinew_track *tracks, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (tracks[i].rows != NULL) {
      return true;
    }
  }
  return false;
}

sinew_result sinew_crowd_follow(const sinew_crowd *crowd, sinew_crowd_worker *worker,
                                const sinew_track *tracks, size_t count) {
  if (worker == NULL) {
    return SINEW_ERROR_ARGUMENT;
  }
  sinew_error *error = &worker->error;
  if (crowd == NULL || worker->crowd != crowd) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "%s",
                           crowd == NULL ? "crowd is NULL" : "the worker belongs to another crowd");
  }
  const sinew_result result = check_arrays(crowd, tracks, count, error);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_crowd_group group = {.crowd = crowd,
                             .worker = worker,
                             .history = worker->tracks,
                             .noted = any_rows(tracks, count)};
  place places[SINEW_CROWD_MOST_LANES] = {{NULL, 0}};
  queue waiting = {tracks, 0, count};
  while (read_frames(&group, places, &waiting)) {
    sinew_crowd_update_group(&group);
    write_frames(&group, places);
  }
  return SINEW_OK;
}
