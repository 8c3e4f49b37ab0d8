// Descents by the Levenberg-Marquardt rule (policy/acceptance.h): a step that does not lower E is
// rejected and computed again with more damping. policy/stall.h has the stop tests.
#include "math/vector.h"
#include "math/within.h"
#include "policy/acceptance.h"
#include "policy/stall.h"
#include "solve/descent.h"
#include "solve/methods.h"
#include "solve/reach.h"
#include "solve/stationary.h"

#include <string.h>

// A descent is expected to lower E by this factor times what the last step gained.
#define FURTHER_GAIN 10.0

// A share of the longest step.
#define SHORT_STEP 0.1

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

static bool is_stationary(const sinew_solver *solver, double gain) {
  return gain < STALL_SLOW && sinew_stationary_cosine(solver) < STALL_STATIONARY;
}

// Whether the last step was so short that less damping does not make the next one too long.
static bool is_short(const sinew_solver *solver) {
  return sinew_all_within(solver->evaluation.rows.dof_count, solver->linear.x,
                          SHORT_STEP * solver->def.step.max_turn);
}

void sinew_descend(sinew_solver *solver, sinew_method method, sinew_stall_rule rule,
                   sinew_descent *d) {
  const size_t bytes = (size_t)solver->model->nq * sizeof(double);
  const double least = sinew_method_row_of(method)->shortened ? 1.0 : rule.least_factor;
  double factor = 1.0, slow = 0.0;
  bool moved = true;
  solver->step.systems = 0;
  sinew_solver_forget(solver);
  solver->at = (sinew_step_start){d->targets, d->q};
  solver->feeds_forward = false;
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
    const bool adapts = solver->damping != NULL && sinew_method_row_of(method)->by_law &&
                        sinew_damping_adapt(solver->def.step.damping_law, d->E, E, solver->damping);
    ++d->steps;
    moved = mask_bits(accepted) != 0;
    if (moved) {
      d->expected = E - FURTHER_GAIN * (d->E - E);
      memcpy(d->q, solver->q, bytes);
      d->E = E;
      d->converged = sinew_solver_converged(solver);
    }
    // Steps of spherical joints in root-frame coordinates are transformed by the axes at d->q.
    if (!moved && solver->problem.has_root_frame_joints) {
      solver->state.functions->place_some(&solver->state, d->q, solver->problem.nodes,
                                          solver->problem.node_count);
    }
    factor =
        adapts ? 1.0
               : acceptance_factor(accepted, factor, least < 1.0 && is_short(solver) ? least : 1.0);
    slow = stall_count(mask_of_bits(!(gain < rule.gain)), slow);
    if (slow >= rule.steps || (moved && d->expected > d->wanted && d->wanted > 0.0) ||
        mask_bits(acceptance_is_exhausted(factor)) != 0 || is_stationary(solver, gain)) {
      break;
    }
  }
}

void sinew_descend_last(sinew_solver *solver, sinew_descent *d) {
  const sinew_method method = solver->def.step.method;
  sinew_descend(solver, method == SINEW_METHOD_DEFAULT ? SINEW_METHOD_NEWTON : method,
                STALL_LAST_DESCENT, d);
}

bool sinew_descent_is_excluded(const sinew_solver *solver, const sinew_descent *d) {
  return sinew_reach_excludes(&solver->problem, &solver->def.tolerances, d->targets, d->q, NULL);
}

bool sinew_descent_is_disproved(sinew_solver *solver, const sinew_descent *d) {
  return sinew_reach_prove(&solver->reach, &solver->problem, &solver->def.tolerances, d->targets,
                           d->q);
}

sinew_outcome sinew_descent_explain(sinew_solver *solver, const sinew_descent *d,
                                    int *limiting_joint) {
  solver->functions->evaluate(solver, d->targets, d->q);
  solver->functions->linearize(solver, d->q, 0.0, false);
  const bool excluded = sinew_descent_is_excluded(solver, d);
  if (excluded || !(d->late || d->unproven)) {
    if (sinew_descent_is_disproved(solver, d)) {
      *limiting_joint =
          excluded ? -1 : sinew_stationary_limiting_joint(solver, solver->reach.proof.task);
      return SINEW_OUTCOME_OUT_OF_REACH;
    }
  }
  if (d->late || d->steps >= d->most_steps) {
    return d->late ? SINEW_OUTCOME_TIME_LIMIT : SINEW_OUTCOME_STEP_LIMIT;
  }
  return sinew_stationary_outcome(solver, limiting_joint);
}

// The point or the wrist of the last proof is at the last evaluation.
void sinew_descent_measure_reach(sinew_solver *solver) {
  const sinew_reach_proof *proof = &solver->reach.proof;
  const sinew_compiled_task *plan = &solver->problem.tasks[proof->task];
  const double *offset = proof->offset;
  double reached[3];
  memcpy(reached, solver->evaluation.tasks[proof->task].s, sizeof reached);
  if (proof->wrist) {
    sinew_frame link = plan->tip;
    if (plan->node >= 0) {
      sinew_frame_multiply(&solver->state.frames[plan->node], &plan->tip, &link);
    }
    for (int i = 0; i < 3; ++i) {
      reached[i] += link.column[0][i] * offset[0] + link.column[1][i] * offset[1] +
                    link.column[2][i] * offset[2];
    }
  }
  sinew_reach_measure(&solver->reach, reached);
}
