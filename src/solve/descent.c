// Descents by the Levenberg-Marquardt rule (policy/acceptance.h): a step that does not lower E is
// rejected and computed again with more damping. policy/stall.h has the stop tests.
#include "math/vector.h"
#include "policy/acceptance.h"
#include "policy/gradient.h"
#include "policy/stall.h"
#include "solve/descent.h"
#include "solve/methods.h"
#include "solve/reach.h"

#include <string.h>

// Whether a joint at a limit is pushed beyond it.
static bool is_blocked(const sinew_solver *solver, int active_column) {
  return mask_bits(gradient_is_blocked(solver->linear.gradient[active_column],
                                       solver->linear.lower[active_column],
                                       solver->linear.upper[active_column])) != 0;
}

// The squared cosine between the error and the directions in which joints that are not blocked can
// move it: how much of the error a small step can still remove.
static double free_cosine(const sinew_solver *solver, double E) {
  const sinew_rows *rows = &solver->evaluation.rows;
  const sinew_linearization *linear = &solver->linear;
  double g2 = 0.0, J2 = 0.0;
  for (int active_column = 0; active_column < rows->dof_count; ++active_column) {
    const double g = gradient_free(linear->gradient[active_column], linear->lower[active_column],
                                   linear->upper[active_column]);
    g2 += g * g;
  }
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    for (int i = 0; i < block->path_count * block->row_count; ++i) {
      J2 += rows->values[block->value_start + i] * rows->values[block->value_start + i];
    }
  }
  return stall_cosine(E, g2, J2);
}

double sinew_solver_deadline(const sinew_solver *solver) {
  const sinew_solver_def *def = &solver->def;
  return def->budget.time_limit < INFINITY
             ? def->budget.clock(def->budget.clock_context) + def->budget.time_limit
             : INFINITY;
}

bool sinew_solver_is_late(const sinew_solver *solver, double deadline) {
  return deadline < INFINITY &&
         !(solver->def.budget.clock(solver->def.budget.clock_context) < deadline);
}

static bool is_late(const sinew_solver *solver, sinew_descent *d) {
  d->late = d->late || sinew_solver_is_late(solver, d->deadline);
  return d->late;
}

static bool is_stationary(const sinew_solver *solver, double gain, double E) {
  return gain < STALL_SLOW && free_cosine(solver, E) < STALL_STATIONARY;
}

void sinew_descend(sinew_solver *solver, sinew_method method, sinew_stall_rule rule,
                   sinew_descent *d) {
  const size_t bytes = (size_t)solver->model->nq * sizeof(double);
  double factor = 1.0, slow = 0.0;
  bool moved = true;
  d->E = solver->functions->evaluate(solver, d->targets, d->q);
  d->converged = sinew_solver_converged(solver);
  while (!d->converged && d->steps < d->most_steps && !is_late(solver, d)) {
    if (moved) {
      solver->functions->linearize(solver, d->q, 0.0, sinew_method_row_of(method)->second_order);
    }
    solver->functions->find_step(solver, method, factor);
    solver->functions->apply_step(solver, d->q, solver->q);
    const double E = solver->functions->evaluate(solver, d->targets, solver->q);
    const double gain = stall_gain(rule.by_distance, d->E, E);
    const lane_mask accepted = acceptance_of(d->E, E);
    ++d->steps;
    moved = mask_bits(accepted) != 0;
    if (moved) {
      memcpy(d->q, solver->q, bytes);
      d->E = E;
      d->converged = sinew_solver_converged(solver);
    }
    // Steps of spherical joints in root-frame coordinates are transformed by the axes at d->q.
    if (!moved && solver->problem.has_root_frame_joints) {
      solver->state.functions->place_some(&solver->state, d->q, solver->problem.nodes,
                                          solver->problem.node_count);
    }
    factor = acceptance_factor(accepted, factor);
    slow = stall_count(mask_of_bits(!(gain < rule.gain)), slow);
    if (slow >= rule.steps || mask_bits(acceptance_is_exhausted(factor)) != 0 ||
        is_stationary(solver, gain, d->E)) {
      break;
    }
  }
}

void sinew_descend_last(sinew_solver *solver, sinew_descent *d) {
  const sinew_method method = solver->def.step.method;
  sinew_descend(solver, method == SINEW_METHOD_DEFAULT ? SINEW_METHOD_NEWTON : method,
                STALL_LAST_DESCENT, d);
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
static double column_cosine(const sinew_solver *solver, int active_column, double E) {
  const sinew_rows *rows = &solver->evaluation.rows;
  double J2 = 0.0;
  for (int t = rows->incidence_start[active_column]; t < rows->incidence_start[active_column + 1];
       ++t) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
    const double *column =
        rows->values + block->value_start + rows->incidences[t].k * block->row_count;
    for (int i = 0; i < block->row_count; ++i) {
      J2 += column[i] * column[i];
    }
  }
  const double g = solver->linear.gradient[active_column];
  return J2 > 0.0 && E > 0.0 ? stall_cosine(E, g * g, J2) : 0.0;
}

// The joint at a limit whose column has the largest cosine with the error, or -1 if there is none.
// Gradients of the size of rounding errors are ignored.
static int find_limiting_joint(const sinew_solver *solver) {
  int worst = -1;
  double most = 0.0;
  for (int active_column = 0; active_column < solver->evaluation.rows.dof_count; ++active_column) {
    const double cosine = column_cosine(solver, active_column, solver->linear.E);
    if (is_blocked(solver, active_column) && cosine > sinew_max(most, STALL_EPSILON)) {
      most = cosine;
      worst = solver->problem.dof_of_column[active_column];
    }
  }
  return worst < 0 ? -1 : joint_of_dof(solver->model, worst);
}

bool sinew_descent_is_excluded(const sinew_solver *solver, const sinew_descent *d) {
  return sinew_reach_excludes(&solver->problem, d->targets, d->q);
}

sinew_outcome sinew_descent_explain(sinew_solver *solver, const sinew_descent *d,
                                    int *limiting_joint) {
  solver->functions->evaluate(solver, d->targets, d->q);
  solver->functions->linearize(solver, d->q, 0.0, false);
  if (sinew_descent_is_excluded(solver, d)) {
    return SINEW_OUTCOME_OUT_OF_REACH;
  }
  if (d->late || d->steps >= d->most_steps) {
    return d->late ? SINEW_OUTCOME_TIME_LIMIT : SINEW_OUTCOME_STEP_LIMIT;
  }
  *limiting_joint = find_limiting_joint(solver);
  return *limiting_joint >= 0 ? SINEW_OUTCOME_BLOCKED_BY_LIMITS : SINEW_OUTCOME_STALLED;
}
