// A model, tasks, bounds and gains compiled once: which degrees of freedom are active, which of
// them move which task, and the pattern of the rows. Constant while it is solved; changed by the
// functions below alone. What an evaluation leaves is evaluation.h.
//
// A ball turns about any three axes that are across each other. Where nothing tells its own apart
// (all are in use, their gains are equal, no speed is limited) it is called free, and its columns
// are about the axes of the root link's frame: e_i x a, a the arm, whose entries are a's own.
#ifndef SINEW_PROBLEM_PROBLEM_H
#define SINEW_PROBLEM_PROBLEM_H

#include "base/memory.h"
#include "math/rows.h"
#include "model/model.h"
#include "task/task.h"

typedef enum sinew_span_kind {
  SINEW_SPAN_TURN = 0, // the column of a turn alone
  SINEW_SPAN_BALL,     // all three columns of a ball, side by side, about its moved axes
  SINEW_SPAN_FREE,     // the same about the axes of the root link's frame
  SINEW_SPAN_OTHER     // column i of any node
} sinew_span_kind;

// Columns of one node in one task: they go to place k of the path, which is of this slot, and
// those after it.
typedef struct sinew_task_span {
  sinew_span_kind kind;
  int node, i, k, slot;
  bool shared; // its value moves other nodes too: coupled joints
} sinew_task_span;

static inline int sinew_span_columns(const sinew_task_span *span) {
  return span->kind == SINEW_SPAN_BALL || span->kind == SINEW_SPAN_FREE ? 3 : 1;
}

// Degrees of freedom that move together: one that is no ball's, or those of a ball.
typedef struct sinew_column_group {
  int slot, count; // slot .. slot + count - 1
  int q;           // their first value in q
  int node;
  bool ball;
  bool free; // a ball about the axes of the root link's frame
} sinew_column_group;

typedef struct sinew_problem {
  const sinew_model *model;
  int capacity, count; // of tasks
  int counted;         // tasks that have rows: of some weight
  sinew_compiled_task *tasks;
  sinew_task_span *spans; // of all tasks, one after another
  sinew_rows pattern;     // blocks, paths and what follows from them; without values

  // Bounds and gains, a degree of freedom each (nv).
  double *lower, *upper; // limits in force
  double *strength;      // gains as set, frozen or not
  unsigned char *frozen;
  double *gains; // in force: 0 where frozen

  // The active degrees of freedom, called slots, root first.
  int *column_of_dof;              // nv: place among the active ones, or -1
  int *dof_of_column;              // and back
  double *gain;                  // of each slot
  double *unit;                  // of each slot: 1 rad, or the model's size where it slides [m]
  double *scale, *inverse_scale; // of each slot: gain times unit, and its inverse
  bool even;                     // every gain is 1
  bool all;                      // slots are all degrees of freedom, in their order
  bool has_limits, has_speeds;   // whether some slot has
  unsigned char *free;           // nv: 1 where it is of a ball about the root link's axes
  bool has_root_frame_joints;                 // whether there is one
  unsigned char *balls;          // a slot each: what pattern.balls is where there are balls
  sinew_column_group *groups;      // all slots, rising
  int group_count;
  int *nodes; // that must be placed, rising
  int node_count;
  unsigned char *mark; // a node each, scratch of the compiling

  unsigned char *whole_turn; // nv: 1 where a whole turn changes no pose

  // What inner loops ask.
  bool plain;  // all tasks are whole points or poses, over turns and balls alone
  bool points; // all are points, whole ones, on nodes

  bool body_frame_only; // no ball is free: for steps that their axes tell apart; set before the tasks are
} sinew_problem;

// Room for a problem. Call sinew_problem_begin() after the second pass.
void sinew_problem_layout(sinew_arena *arena, const sinew_model *model, int capacity,
                          sinew_problem *problem);

// No tasks, the model's limits, all gains 1.
void sinew_problem_begin(sinew_problem *problem, const sinew_model *model);

// Replaces the tasks by count checked ones.
void sinew_problem_set_tasks(sinew_problem *problem, const sinew_task *tasks, int count);

// frozen: nv, not 0 where frozen; NULL: none is.
void sinew_problem_set_frozen(sinew_problem *problem, const unsigned char *frozen);

// Whether gains can be set, and limits: as below; error names the joint.
sinew_result sinew_gains_check(const sinew_model *model, const double *gains, sinew_error *error);
sinew_result sinew_limits_check(const sinew_model *model, const double *lower, const double *upper,
                                sinew_error *error);

// gains: nv; NULL: all are 1. SINEW_ERROR_ARGUMENT where one is not within 0 and 1e6:
// error names its joint.
sinew_result sinew_problem_set_gains(sinew_problem *problem, const double *gains,
                                     sinew_error *error);

// lower, upper: nv each; NULL: the model's. SINEW_ERROR_ARGUMENT where they leave no value:
// error names the joint.
sinew_result sinew_problem_set_limits(sinew_problem *problem, const double *lower,
                                      const double *upper, sinew_error *error);

// Why some target cannot be used: the first that sinew_problem_accepts() (evaluation.h) refuses.
sinew_result sinew_problem_explain(const sinew_problem *problem, const sinew_target *targets,
                                   sinew_error *error);

// Whether a slot is the first of a ball's three, all of them active.
bool sinew_problem_is_whole_spherical(const sinew_problem *problem, int slot);

// Builds pattern.incidences and pattern.segments from its blocks and paths: pattern.c.
void sinew_problem_fill_pattern(sinew_problem *problem);

#endif
