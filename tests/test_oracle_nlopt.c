// Descents by the optimisers against NLopt's (Debian's libnlopt-dev): the same error, gradient and
// limits.
#include "fixtures.h"
#include "inspect.h"

#include <nlopt.h>

enum { MOST = 16 };

static sinew_solver_def def_of(int method) {
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = (sinew_method)method;
  return def;
}

// The problem as NLopt minimises it: E over joint values within the limits.
typedef struct objective {
  sinew_solver *solver;
  const sinew_target *target;
  int n;
} objective;

static double objective_at(unsigned n, const double *q, double *gradient, void *context) {
  const objective *o = context;
  const double E = o->solver->functions->evaluate(o->solver, o->target, q);
  if (gradient != NULL) {
    o->solver->functions->linearize(o->solver, q, 0.0, false);
    for (unsigned j = 0; j < n; ++j) { // all columns are active, of gain 1, revolute
      gradient[j] = -o->solver->linear.gradient[j];
    }
  }
  return E;
}

// E where NLopt's method ends.
static double nlopt_least(nlopt_algorithm algorithm, const sinew_model *model, objective *o,
                          const double *start) {
  double q[MOST], least = INFINITY;
  nlopt_opt opt = nlopt_create(algorithm, (unsigned)o->n);
  assert_non_null(opt);
  nlopt_set_min_objective(opt, objective_at, o);
  nlopt_set_lower_bounds(opt, sinew_model_lower(model));
  nlopt_set_upper_bounds(opt, sinew_model_upper(model));
  nlopt_set_maxeval(opt, 500);
  nlopt_set_ftol_rel(opt, 1e-14);
  memcpy(q, start, (size_t)o->n * sizeof(double));
  (void)nlopt_optimize(opt, q, &least);
  nlopt_destroy(opt);
  return objective_at((unsigned)o->n, q, NULL, o);
}

// Targets of an arm, half of them out of reach, from starts nearby, so that all descents are into
// the same valley: BFGS, L-BFGS, conjugate gradients and Levenberg-Marquardt end as low as NLopt's
// L-BFGS and SLSQP, with limits in force.
// req: D15
static void descents_end_where_nlopts_do(void **state) {
  (void)state;
  static const sinew_method methods[] = {SINEW_METHOD_CONJUGATE, SINEW_METHOD_BFGS,
                                         SINEW_METHOD_LBFGS, SINEW_METHOD_LM,
                                         SINEW_METHOD_CCD_NEWTON};
  enum { METHODS = 5, TRIALS = 60 };
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  const int nq = sinew_model_nq(model);
  int as_low[METHODS] = {0}, limited = 0;
  for (int i = 0; i < TRIALS; ++i) {
    double start[MOST], there[MOST];
    random_stream random = random_stream_of(1500 + (uint64_t)i);
    sinew_configuration_random(model, 1500, (uint64_t)i, there);
    sinew_target target = target_at(model, &task, there);
    for (int j = 0; j < nq; ++j) {
      start[j] = there[j] + random_between(&random, -0.4, 0.4);
      start[j] = fmin(fmax(start[j], sinew_model_lower(model)[j]), sinew_model_upper(model)[j]);
    }
    for (int k = 0; i % 2 == 1 && k < 3; ++k) {
      target.position[k] *= 1.6;
    }
    sinew_solver_def def = def_of(SINEW_METHOD_DLS);
    objective o = {.target = &target, .n = nq};
    o.solver = solver_with(&def, model, &task, 1);
    const double by_lbfgs = nlopt_least(NLOPT_LD_LBFGS, model, &o, start);
    const double least = fmin(by_lbfgs, nlopt_least(NLOPT_LD_SLSQP, model, &o, start));
    for (int m = 0; m < METHODS; ++m) {
      double q[MOST];
      sinew_report report;
      sinew_solver_def one = def_of(methods[m]);
      one.budget.max_starts = 1;
      one.budget.max_steps = 2000;
      sinew_solver *solver = solver_with(&one, model, &task, 1);
      memcpy(q, start, sizeof q);
      assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
      const double E = objective_at((unsigned)nq, q, NULL, &o);
      as_low[m] += E <= least * (1.0 + 1e-3) + 1e-10;
      for (int j = 0; j < nq; ++j) {
        limited += q[j] == sinew_model_lower(model)[j] || q[j] == sinew_model_upper(model)[j];
      }
      assert_at_most(outside_limits(model, q), 0.0);
      sinew_solver_destroy(solver);
    }
    sinew_solver_destroy(o.solver);
  }
  for (int m = 0; m < METHODS; ++m) {
    print_message("%s: as low as NLopt in %d of %d\n", sinew_method_string(methods[m]), as_low[m],
                  TRIALS);
    assert_true(as_low[m] >= TRIALS * 9 / 10);
  }
  assert_true(limited > 0);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(descents_end_where_nlopts_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
