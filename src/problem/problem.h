// A model, tasks, bounds and gains compiled once: which degrees of freedom are active, which of
// them move which task, and the pattern of the rows. Constant while it is solved; only the
// functions below change it. The results of an evaluation are in evaluation.h.
//
// An active degree of freedom is a column of the Jacobian, and is called by its column here.
//
// The angular coordinates of a spherical joint may be about any three orthogonal axes. Where all
// three are active, their gains are equal and neither speed, acceleration nor swing is limited,
// they are about the axes of the root link's frame: the columns are then e_i x a, a the arm from
// the joint to the point, whose entries are those of a. Where swing is limited, all three are
// active and their gains are equal, they are about the axes of the limits (solve/cones.h); else
// about the joint's own.
#ifndef SINEW_PROBLEM_PROBLEM_H
#define SINEW_PROBLEM_PROBLEM_H

#include "base/memory.h"
#include "math/rows.h"
#include "model/model.h"
#include "task/task.h"

typedef enum sinew_span_kind {
  SINEW_SPAN_REVOLUTE = 0, // the column of a revolute node
  SINEW_SPAN_BODY_FRAME,   // the three columns of a spherical node, about its moved axes
  SINEW_SPAN_ROOT_FRAME,   // the same about the axes of the root link's frame
  SINEW_SPAN_CONE,         // the same of a joint with limits of swing and twist, about the axes
                           // that the evaluation has for it (evaluation.h)
  SINEW_SPAN_OTHER         // column i of any node
} sinew_span_kind;

// Columns of one node in one task: they are at k and after it in the path of the task, and begin at
// this column of the problem.
typedef struct sinew_task_span {
  sinew_span_kind kind;
  int node;
  int i; // of a single column, its number in the node; of SPAN_CONE, which cone of the problem
  int k, column;
  bool shared;   // its value moves other nodes as well: coupled joints
  bool reversed; // it moves the task's frame link, not its link; of the centre of mass: it moves
                 // the frame link too
} sinew_task_span;

static inline int sinew_span_columns(const sinew_task_span *span) {
  return span->kind == SINEW_SPAN_REVOLUTE || span->kind == SINEW_SPAN_OTHER ? 1 : 3;
}

// The columns of one node: one, or up to three of a spherical node.
typedef struct sinew_column_group {
  int column, count; // column .. column + count - 1
  int q;             // their first value in q
  int node;
  bool spherical;
  bool root_frame; // spherical, about the axes of the root link's frame
  int cone;        // spherical, with three columns and limits of swing and twist: its number among
                   // those; else -1
} sinew_column_group;

typedef struct sinew_problem {
  const sinew_model *model;
  int capacity, count; // of tasks
  int counted;         // tasks that have rows: of some weight
  double per_weight;   // 1 over their largest weight, 0 where there is none
  double size;         // of the figure with its tasks: lengths are divided by it
  sinew_compiled_task *tasks;
  sinew_task_span *spans; // of all tasks, one after another
  sinew_rows pattern;     // blocks, paths and what follows from them, without values

  // Bounds and gains, a degree of freedom each (nv).
  double *lower, *upper; // limits in force
  double *strength;      // gains as set, frozen or not
  unsigned char *frozen;
  unsigned char *own_axes; // 1 of spherical joints whose coordinates are about their own axes
  double *gains;           // in force: 0 where frozen

  // The columns, from the root outward.
  int *column_of_dof; // nv: its column, or -1: not active
  int *dof_of_column; // and back
  double *gain;       // of each column
  double *unit;       // of each column: 1 rad, or the figure's size for a prismatic one [m]
  double *scale, *inverse_scale; // of each column: gain times unit, and its inverse
  bool even;                     // every gain is 1
  bool in_order;                 // column c is degree of freedom c,
  bool values;                   // and value c of q: no column is of a spherical joint
  bool has_limits, has_speeds;   // whether some column has one
  bool has_task_gains;           // whether some task has a gain below 1
  bool has_long_slides;          // whether some column is a long prismatic joint
  bool refuses;                  // whether some task's resolved is a bound
  unsigned char *free;           // nv: 1 for a spherical joint in root-frame coordinates
  bool has_root_frame_joints;    // whether there is one
  bool has_spherical;            // whether some group is of a spherical joint
  unsigned char *spherical; // for each column: pattern.spherical, where there are spherical joints
  sinew_column_group *groups; // all columns, rising
  int group_count;
  int cone_count; // groups with a cone
  int *nodes;     // whose poses are needed, rising
  int node_count;
  unsigned char *mark; // for each node, scratch of compiling
  int *closing;        // 2 for each task, scratch of compiling

  unsigned char *whole_turn; // nv: 1 where a full turn changes no pose

  // The connected components of the graph of tasks and columns: components.c. They are separate
  // problems, whose errors and distances add up.
  int component_count; // those with a column
  int *component_of_column;
  int *component_of_task; // or -1: no column moves its link, or it has no rows
  int *component_start;   // component k has the tasks component_tasks[component_start[k]] ..
  int *component_tasks;   // component_tasks[component_start[k + 1] - 1]
  bool separable;         // there are several, or one and tasks with rows that no column moves

  // What inner loops branch on.
  bool plain;       // all tasks are whole points or poses, over revolute and spherical nodes only
  bool revolute;    // the same, over revolute nodes only
  bool points;      // all are whole points on nodes
  bool some_points; // one is
  bool closed;      // some path has columns whose entries are 0: sinew_problem_close_pattern()
  bool mass;        // some task's point is the centre of mass

  bool body_frame_only; // no root-frame coordinates: for rules whose steps depend on the axes; set
                        // before the tasks, as is
  bool eliminated;      // steps with curvature eliminate always, as those of crowds do; set before
                        // the tasks
  double tolerance;     // of positions [m]: targets where doubles are coarser are refused
} sinew_problem;

// Room for a problem. Call sinew_problem_begin() after the second pass.
void sinew_problem_layout(sinew_arena *arena, const sinew_model *model, int capacity,
                          sinew_problem *problem);

// No tasks, the model's limits, all gains 1.
void sinew_problem_begin(sinew_problem *problem, const sinew_model *model);

// Replaces the tasks by count checked ones.
void sinew_problem_set_tasks(sinew_problem *problem, const sinew_task *tasks, int count);

// The same for count of some checked tasks, those with the indices which, for the figure's size
// with all of them.
void sinew_problem_set_some(sinew_problem *problem, const sinew_task *tasks, const int *which,
                            int count, double size);

// part <- the settings of a whole problem, which are shared and not copied: sinew_problem_begin()
// of a part.
void sinew_problem_share(sinew_problem *part, const sinew_problem *whole);

// Compiles the same tasks again after settings that a problem shares have changed.
void sinew_problem_refresh(sinew_problem *part);

// frozen: nv, not 0 where frozen; NULL: none is.
void sinew_problem_set_frozen(sinew_problem *problem, const unsigned char *frozen);

// Whether gains can be set, and limits: as below; error names the joint.
sinew_result sinew_gains_check(const sinew_model *model, const double *gains, sinew_error *error);

// Whether a matrix of weights (nv x nv) can be one, but for its positive definiteness.
sinew_result sinew_weights_check(const sinew_model *model, const double *W, sinew_error *error);
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

// Whether a column is a prismatic joint whose range is long: starts far from the targets are first
// brought near by it (solve/slides.h).
bool sinew_problem_slides_far(const sinew_problem *problem, int column);

// part = the tasks of one component of a problem, with its limits and gains, which are shared and
// not copied. part has been laid out with room for as many tasks; it is valid until the whole
// problem changes.
void sinew_problem_set_component(sinew_problem *part, const sinew_problem *whole, int component);

// Whether updates follow each component by itself: there are several, and each task that counts
// belongs to one.
static inline bool sinew_problem_updates_apart(const sinew_problem *problem) {
  const int count = problem->component_count;
  return count > 1 && problem->component_start[count] == problem->counted;
}

// The limit on components of any problem of a model with at most so many tasks.
int sinew_problem_most_components(const sinew_model *model, int capacity);

// Fills the components of a problem whose columns have been numbered: components.c.
void sinew_problem_find_components(sinew_problem *problem);

// Why some target cannot be used: the first that sinew_problem_accepts() (evaluation.h) refuses.
sinew_result sinew_problem_explain(const sinew_problem *problem, const sinew_target *targets,
                                   sinew_error *error);

// Whether a column is the first of a spherical joint's three, all of them active.
bool sinew_problem_is_whole_spherical(const sinew_problem *problem, int column);

// Builds pattern.incidences from its blocks and paths, and closes the paths under elimination from
// the last column on (step/newton.h): where a column touches some of the blocks that an eliminated
// one has touched, it comes to touch them all, with entries that are 0. On the paths of a tree to
// its root that is so from the beginning, but not where targets are relative to a link, joints are
// coupled or the point is the centre of mass. Returns whether paths have changed: pattern.c.
bool sinew_problem_close_pattern(sinew_problem *problem);

// Builds pattern.segments, after that.
void sinew_problem_fill_pattern(sinew_problem *problem);

#endif
