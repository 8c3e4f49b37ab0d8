// The evaluation of a problem at a configuration: residual, errors, Jacobian.
//
// Two steps fill the rows (math/rows.h). The residual needs poses and targets; the Jacobian needs
// the evaluated residual. A solver that tries a step evaluates the residual alone, and the Jacobian
// only if the step is accepted.
#ifndef SINEW_PROBLEM_EVALUATION_H
#define SINEW_PROBLEM_EVALUATION_H

#include "problem/problem.h"

typedef struct sinew_evaluation {
  sinew_task_evaluation *tasks; // one for each task
  sinew_rows rows;              // the problem's pattern, with values
  double E;                     // half the squared residual
  double *centres;              // 4 a node: sinew_state_centres(), where the figure has mass
  sinew_frame *cones; // of each cone of the problem: the axes of its columns, world, not unit, and
                      // the joint's position
  bool in_cones;  // whether columns are about these; else about the moved axes; set by its owner
  bool at_target; // position columns are taken at the target, not at the point; set by its owner
} sinew_evaluation;

// @param second whether rows.second is wanted
void sinew_evaluation_layout(sinew_arena *arena, const sinew_model *model, int capacity,
                             bool second, sinew_evaluation *evaluation);

// Copies the pattern of a problem that has been compiled again. tasks: whether its tasks have
// changed; their evaluations are then reset.
void sinew_evaluation_begin(sinew_evaluation *evaluation, const sinew_problem *problem, bool tasks);

// Whether all targets are usable; NULL is valid if there are no tasks.
bool sinew_problem_accepts(const sinew_problem *problem, const sinew_target *targets);

// Fills rows.residual, E and the tasks' errors; returns E.
double sinew_evaluate_residual(const sinew_problem *problem, const sinew_state *state,
                               const sinew_target *targets, sinew_evaluation *out);

// Fills rows.values and rows.square for the last residual; gradient (n) = J^T residual. curved:
// and rows.second, as sinew_evaluate_curvature() does for the whole error.
void sinew_evaluate_jacobian(const sinew_problem *problem, const sinew_state *state, bool curved,
                             double *gradient, sinew_evaluation *out);

// Fills rows.values alone; rows.square and gradient (n; NULL: without) have no meaning then.
void sinew_evaluate_rows(const sinew_problem *problem, const sinew_state *state, double *gradient,
                         sinew_evaluation *out);

// Fills rows.second, after sinew_evaluate_jacobian(), for the curvature at the predicted error: the
// residual after a step, left (a value for each row; NULL: 0), plus a share of the error. See
// curvature.c.
void sinew_evaluate_curvature(const sinew_problem *problem, const sinew_state *state,
                              const double *left, double share, sinew_evaluation *out);

// Half the sum of squares of v (a value for each row) over the tasks that have no second-order term
// in Newton's step.
double sinew_evaluation_first_order(const sinew_problem *problem, const double *v);

// The twist (v; w) of task t's point and tool, world axes, for column i of one of its spans: for 1
// in x. Of the centre of mass w is that of the joint.
void sinew_evaluation_column(const sinew_problem *problem, const sinew_state *state,
                             const sinew_evaluation *evaluation, int t, const sinew_task_span *span,
                             int i, double twist[6]);

// rows.residual <- gain * residual + the targets' own motion in dt.
void sinew_evaluation_feed_forward(const sinew_problem *problem, const sinew_target *targets,
                                   double gain, double dt, sinew_evaluation *out);

#endif
