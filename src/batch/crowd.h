// Internals of crowds: what all workers share, what each worker has, and an update of as many
// figures as there are lanes.
#ifndef SINEW_BATCH_CROWD_H
#define SINEW_BATCH_CROWD_H

#include "kernel/crowd.h"
#include "seed/floating_base.h"
#include "sinew/crowd.h"

#include <stdbool.h>

// The largest number of lanes.
#define SINEW_CROWD_MOST_LANES 8

// A component of the problem (problem/components.c), which is updated by itself.
typedef struct sinew_crowd_part {
  sinew_problem problem;
  sinew_crowd_plan plan; // of that problem; its targets are those of all tasks
  int history;           // where its history begins in a figure's
  bool registers;        // whether it has a base that is registered after a reset: bases.h
  sinew_floating_base base;
} sinew_crowd_part;

struct sinew_crowd {
  sinew_allocator allocator;
  const sinew_model *model;
  sinew_problem problem;
  sinew_crowd_plan plan; // of that problem
  int part_count;
  sinew_crowd_part *parts;  // a separate allocation; NULL: the problem is updated as a whole
  bool registers;           // whether a base is registered after a reset: that of a part, or
  sinew_floating_base base; // of the whole
  int history_values;       // of a figure
  const sinew_crowd_kernel *kernel; // if plain, only reads and writes rows
  bool plain;                       // whether figures are updated one after another: plain.h
  sinew_solver_def solver;          // of workers, then
  sinew_task *tasks;
  bool posed;              // whether there is a posture
  sinew_objective posture; // its values are those of the plan, its weights the crowd's
  double *weights;         // nv
  double *cleared;         // a separate allocation: the history of a figure after a reset, if plain
  size_t figures;
  double position_tolerance, orientation_tolerance;
  bool counts;      // whether some task has rows
  int *quaternions; // index of each quaternion among the targets
  int quaternion_count;
  int *rotations; // index of each quaternion in q
  int rotation_count;
  void *memory;   // a separate allocation, of
  double *groups; // history_values vectors for each group of figures
};

struct sinew_crowd_worker {
  sinew_allocator allocator;
  const sinew_crowd *crowd; // for which it was created
  sinew_crowd_block block;
  double *part;        // 3: errors of position and orientation of a component, and whether it is
                       // stationary
  double *history;     // of a group of which only some figures are updated
  double *tracks;      // the history of the tracks that are being followed
  sinew_solver *plain; // where the crowd is plain, else NULL
  // A figure as the solver takes it, where the crowd is plain or registers bases.
  sinew_target *plain_targets;
  double *plain_q;
  sinew_target *part_targets; // where bases are registered: of the tasks of a part,
  sinew_state state;          // the figure's poses,
  double *before;             // and each lane's errors before: position and orientation
  sinew_error error;          // of the last call that was refused
};

// A group of figures in an update, one a lane.
typedef struct sinew_crowd_group {
  const sinew_crowd *crowd;
  sinew_crowd_worker *worker;
  double *history; // of the figures
  bool noted;      // whether rows are written
  unsigned usable; // the bit of a lane is set if its numbers are valid, and it is to be updated
} sinew_crowd_group;

// Clears the history of one lane of a group: the next update follows its targets at once.
void sinew_crowd_clear_lane(const sinew_crowd *crowd, double *history, int lane);

// Copies the joint values and targets of the figures in some lanes, whose bits are set in present.
// usable: those where all are finite, no quaternion is 0, and doubles resolve all positions.
void sinew_crowd_put(sinew_crowd_group *group, unsigned present, const double *const *q,
                     const double *const *targets);

// Updates the figures of the usable lanes, if there are any. Those whose error is too large for the
// kernel are not usable afterwards.
void sinew_crowd_update_group(sinew_crowd_group *group);

// Copies the targets and joint values of a lane to the worker's plain ones, and the latter back.
void sinew_crowd_read_lane(const sinew_crowd_group *group, int lane);
void sinew_crowd_write_lane(const sinew_crowd_group *group, int lane);

// Copies the joint values of each usable lane to its q.
void sinew_crowd_get_q(const sinew_crowd_group *group, double *const *q);

// How the update of a lane ended; of one that is not usable: BAD_INPUT.
sinew_batch_row sinew_crowd_row(const sinew_crowd_group *group, int lane);

#endif
