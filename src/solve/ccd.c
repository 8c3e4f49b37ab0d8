// Cyclic coordinate descent: one joint at a time is moved to where the targets are nearest, in
// closed form (alignment.h), over all joints once: a sweep.
//
// From the tips to the root, as usual, joints near the tips move most; from the root to the tips,
// those near the root. max_turn limits each joint's rotation in a sweep: with a large one, chains
// curl up. Columns without a closed form (coupled joints, screws, joints with a function, tasks
// with free axes) take the step to the least of the linearised error along them.
//
// CCD with a Newton-type finish: where a sweep reduces |e| by less than a tenth, or |e| is below a
// twentieth of the figure's size, the step is Newton's.
//
// Sources: Wang and Chen, A combined optimization method for solving the inverse kinematics
// problems of mechanical manipulators, 1991, whose finish is BFGS.
#include "solve/alignment.h"
#include "solve/methods.h"
#include "solve/pose_steps.h"
#include "solve/steps.h"

#include <string.h>

// Where the sweeps end: |e| and the share of it that a sweep leaves.
#define NEAR 0.05
#define SLOW 0.9

// Whether a group's columns have a closed form; then the pairs of its tasks.
static bool find_pairs(const sinew_solver *solver, const sinew_target *targets,
                       const sinew_column_group *group, sinew_alignment *pairs) {
  const sinew_node *node = &solver->model->nodes[group->node];
  const sinew_rows *rows = &solver->evaluation.rows;
  bool closed = node->alone && node->kind != SINEW_NODE_SCREW &&
                node->kind != SINEW_NODE_FUNCTION && (!group->spherical || group->count == 3);
  *pairs = sinew_alignment_at(solver->state.frames[group->node].column[3]);
  for (int i = rows->incidence_start[group->column];
       closed && i < rows->incidence_start[group->column + 1]; ++i) {
    closed = sinew_alignment_add_task(pairs, solver, targets, rows->incidences[i].block, true);
  }
  return closed;
}

static void move_group(sinew_solver *solver, const sinew_target *targets,
                       const sinew_column_group *group, double *q) {
  sinew_alignment pairs;
  if (find_pairs(solver, targets, group, &pairs)) {
    sinew_alignment_move(solver, &pairs, group, q);
    solver->functions->evaluate(solver, targets, q);
    return;
  }
  for (int i = 0; i < group->count; ++i) {
    sinew_alignment_move_linear(solver, targets, group->column + i, group, q);
  }
}

// pose.q <- the configuration after a sweep, which is evaluated.
static void sweep(sinew_solver *solver, bool from_root) {
  const sinew_target *targets = sinew_pose_targets(solver);
  const int count = solver->problem.group_count;
  double *q = solver->pose.q;
  memcpy(q, solver->at.q, (size_t)solver->model->nq * sizeof(double));
  solver->functions->evaluate(solver, targets, q);
  for (int i = 0; i < count; ++i) {
    move_group(solver, targets, &solver->problem.groups[from_root ? i : count - 1 - i], q);
  }
}

void sinew_ccd_step(sinew_solver *solver) {
  sweep(solver, false);
  sinew_pose_take(solver);
}

void sinew_ccd_root_step(sinew_solver *solver) {
  sweep(solver, true);
  sinew_pose_take(solver);
}

void sinew_ccd_newton_step(sinew_solver *solver) {
  const double E = solver->linear.E;
  if (2.0 * E > NEAR * NEAR) {
    sweep(solver, false);
    if (solver->evaluation.E < SLOW * SLOW * E) {
      sinew_pose_take(solver);
      return;
    }
    solver->functions->evaluate(solver, solver->at.targets, solver->at.q);
    sinew_evaluate_jacobian(&solver->problem, &solver->state, true, solver->pose.gradient,
                            &solver->evaluation);
  }
  const sinew_method_row *newton = sinew_method_row_of(SINEW_METHOD_NEWTON);
  sinew_step_problem problem = sinew_solver_step_problem(solver);
  newton->fill(solver, &problem);
  sinew_solver_solve_damped(solver, newton, &problem);
}
