// Stationary points: see stationary.h.
#include "solve/stationary.h"
#include "math/vector.h"
#include "policy/gradient.h"
#include "policy/stall.h"
#include "solve/reach.h"

double sinew_stationary_cosine(const sinew_solver *solver) {
  const sinew_linearization *linear = &solver->linear;
  double g2 = 0.0;
  for (int column = 0; column < solver->evaluation.rows.dof_count; ++column) {
    const double g =
        gradient_free(linear->gradient[column], linear->lower[column], linear->upper[column]);
    g2 += g * g;
  }
  return stall_cosine(linear->E, g2, solver->evaluation.rows.square);
}

// Whether a joint at a limit is pushed beyond it.
static bool is_blocked(const sinew_solver *solver, int column) {
  return mask_bits(gradient_is_blocked(solver->linear.gradient[column],
                                       solver->linear.lower[column],
                                       solver->linear.upper[column])) != 0;
}

static int joint_of_dof(const sinew_model *model, int v) {
  int j = 0;
  while (model->joints[j].driver >= 0 || v < model->joints[j].v_index ||
         v >= model->joints[j].v_index + model->joints[j].nv) {
    ++j;
  }
  return j;
}

// The squared cosine between the error and the column of one degree of freedom.
static double column_cosine(const sinew_solver *solver, int column) {
  const sinew_rows *rows = &solver->evaluation.rows;
  double J2 = 0.0;
  for (int t = rows->incidence_start[column]; t < rows->incidence_start[column + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
    const double *values =
        rows->values + block->value_start + rows->incidences[t].k * block->row_count;
    for (int i = 0; i < block->row_count; ++i) {
      J2 += values[i] * values[i];
    }
  }
  const double g = solver->linear.gradient[column], E = solver->linear.E;
  return J2 > 0.0 && E > 0.0 ? stall_cosine(E, g * g, J2) : 0.0;
}

// Gradients of the size of rounding errors are ignored.
int sinew_stationary_limiting_joint(const sinew_solver *solver) {
  int worst = -1;
  double most = 0.0;
  for (int column = 0; column < solver->evaluation.rows.dof_count; ++column) {
    const double cosine = column_cosine(solver, column);
    if (is_blocked(solver, column) && cosine > sinew_max(most, STALL_EPSILON)) {
      most = cosine;
      worst = solver->problem.dof_of_column[column];
    }
  }
  return worst < 0 ? -1 : joint_of_dof(solver->model, worst);
}

sinew_outcome sinew_stationary_outcome(const sinew_solver *solver, int *limiting_joint) {
  *limiting_joint = sinew_stationary_limiting_joint(solver);
  return *limiting_joint >= 0 ? SINEW_OUTCOME_BLOCKED_BY_LIMITS : SINEW_OUTCOME_STALLED;
}

void sinew_stationary_report(const sinew_solver *solver, const sinew_target *targets,
                             const double *q, sinew_report *report) {
  if (report == NULL || report->outcome != SINEW_OUTCOME_STEP_LIMIT ||
      !(sinew_stationary_cosine(solver) < STALL_UPDATE_STATIONARY)) {
    return;
  }
  sinew_reach_proof proof;
  if (!sinew_reach_excludes(&solver->problem, &solver->def.tolerances, targets, q, &proof)) {
    report->outcome = sinew_stationary_outcome(solver, &report->limiting_joint);
    return;
  }
  report->outcome = SINEW_OUTCOME_OUT_OF_REACH;
  report->reach_task = proof.task;
  report->reach = proof.reach;
  report->target_distance = proof.distance;
}
