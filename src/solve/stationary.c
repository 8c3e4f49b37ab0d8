// Stationary points: see stationary.h.
#include "solve/stationary.h"
#include "math/vector.h"
#include "policy/gradient.h"
#include "policy/stall.h"
#include "solve/reach.h"

double sinew_stationary_cosine(const sinew_solver *solver) {
  const sinew_linearization *linear = &solver->linear;
  double g2 = 0.0;
  if (solver->hard.count > 0) {
    const double g = sinew_hard_free_gradient(solver);
    return stall_cosine(linear->E, g * g, solver->evaluation.rows.square);
  }
  for (int column = 0; column < solver->evaluation.rows.dof_count; ++column) {
    const double g =
        gradient_free(linear->gradient[column], linear->lower[column], linear->upper[column]);
    g2 += g * g;
  }
  return stall_cosine(linear->E, g2, solver->evaluation.rows.square);
}

static int joint_of_dof(const sinew_model *model, int v) {
  int j = 0;
  while (model->joints[j].driver >= 0 || v < model->joints[j].v_index ||
         v >= model->joints[j].v_index + model->joints[j].nv) {
    ++j;
  }
  return j;
}

// The part of one degree of freedom in the error: its component of g = J^T e, and the square of its
// column.
typedef struct column_part {
  double g, J2;
} column_part;

// task: of its rows alone; -1: of all.
static column_part part_of(const sinew_solver *solver, int column, int task) {
  const sinew_rows *rows = &solver->evaluation.rows;
  column_part part = {0.0, 0.0};
  for (int t = rows->incidence_start[column]; t < rows->incidence_start[column + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
    const double *values =
        rows->values + block->value_start + rows->incidences[t].k * block->row_count;
    for (int i = 0; (task < 0 || rows->incidences[t].block == task) && i < block->row_count; ++i) {
      part.g += values[i] * rows->residual[block->row + i];
      part.J2 += values[i] * values[i];
    }
  }
  part.g = task < 0 ? solver->linear.gradient[column] : part.g;
  return part;
}

// Half the squared residual.
static double error_of(const sinew_solver *solver, int task) {
  const sinew_rows *rows = &solver->evaluation.rows;
  double square = 0.0;
  for (int i = 0; task >= 0 && i < rows->blocks[task].row_count; ++i) {
    square +=
        rows->residual[rows->blocks[task].row + i] * rows->residual[rows->blocks[task].row + i];
  }
  return task < 0 ? solver->linear.E : 0.5 * square;
}

// Whether a joint at a limit is pushed beyond it.
static bool is_blocked(const sinew_solver *solver, int column, double g) {
  return mask_bits(gradient_is_blocked(g, solver->linear.lower[column],
                                       solver->linear.upper[column])) != 0;
}

// Gradients of the size of rounding errors are ignored.
int sinew_stationary_limiting_joint(const sinew_solver *solver, int task) {
  const double E = error_of(solver, task);
  int worst = -1;
  double most = 0.0;
  for (int column = 0; column < solver->evaluation.rows.dof_count; ++column) {
    const column_part part = part_of(solver, column, task);
    // The squared cosine between the error and the column.
    const double cosine =
        part.J2 > 0.0 && E > 0.0 ? stall_cosine(E, part.g * part.g, part.J2) : 0.0;
    if (is_blocked(solver, column, part.g) && cosine > sinew_max(most, STALL_EPSILON)) {
      most = cosine;
      worst = solver->problem.dof_of_column[column];
    }
  }
  return worst < 0 ? -1 : joint_of_dof(solver->model, worst);
}

sinew_outcome sinew_stationary_outcome(const sinew_solver *solver, int *limiting_joint) {
  *limiting_joint = sinew_stationary_limiting_joint(solver, -1);
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
