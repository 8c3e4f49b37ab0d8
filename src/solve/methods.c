// The table of methods. Compiled for each instruction set, with the update rules of that set.
//
// A method is defined here and in its update rule (src/step/): name and description, damping law,
// constants, and how a step that is too large is limited. A new one needs an enumerator of
// sinew_method, the two files of the rule, its scratch in sinew_step_scratch, a row below, and its
// constants in sinew_step_problem.
#include "solve/methods.h"
#include "math/vector.h"
#include "policy/damping.h"
#include "policy/gradient.h"

#include <stddef.h>
#include <string.h>

_Static_assert((int)SINEW_DLS_SMALLER == (int)SINEW_SYSTEM_SMALLER &&
                   (int)SINEW_DLS_ROWS == (int)SINEW_SYSTEM_ROWS &&
                   (int)SINEW_DLS_COLUMNS == (int)SINEW_SYSTEM_COLUMNS &&
                   (int)SINEW_DLS_STACKED == (int)SINEW_SYSTEM_STACKED,
               "the forms are numbered alike");

// Constants of SDLS, from its source (step/sdls.c): the largest rotation of a joint in a step
// [rad], and the share of the largest singular value up to which others count as 0. The source has
// an absolute 1e-10; a share does not depend on the unit. The cut only keeps 1 / sigma finite,
// since gamma_i is in proportion to sigma_i. A cut that singular values reach in practice, such as
// 0.01, discards directions that are damped already, and the step jumps where a singular value
// crosses it.
#define SDLS_GAMMA_MAX 0.78539816339744828 // pi / 4
#define SDLS_CUT 1e-10

double sinew_solver_free_gradient(const sinew_solver *solver) {
  const sinew_linearization *linear = &solver->linear;
  const int n = solver->evaluation.rows.dof_count;
  double sum = 0.0;
  if (linear->open) {
    return sinew_length(n, linear->gradient);
  }
  for (int column = 0; column < n; ++column) {
    const double g =
        gradient_free(linear->gradient[column], linear->lower[column], linear->upper[column]);
    sum += g * g;
  }
  return sqrt(sum);
}

double sinew_solver_first_order(const sinew_solver *solver, const double *e) {
  return sqrt(2.0 * sinew_evaluation_first_order(&solver->problem, e));
}

// ------------------------------------------------ damping and constants of rules

// The transpose has neither damping nor constants. The columns of J contain the gains already.
static void fill_transpose(const sinew_solver *solver, sinew_step_problem *problem) {
  (void)solver;
  problem->gains = NULL;
}

static void fill_pseudoinverse(const sinew_solver *solver, sinew_step_problem *problem) {
  problem->cut = solver->def.step.singular_cut;
  problem->singular_values = true;
}

static void fill_dls(const sinew_solver *solver, sinew_step_problem *problem) {
  const sinew_solver_def *def = &solver->def;
  problem->form = (sinew_dls_system)def->step.dls_form;
  if (solver->damping != NULL) {
    const sinew_damping_constants constants =
        sinew_damping_constants_of(&def->step, solver->problem.size);
    sinew_damping_fill(&constants, solver->linear.E, solver->damping, problem);
    return;
  }
  problem->mu = damping_dls(def->step.error_damping, def->step.damping / solver->problem.size,
                            def->step.damping_floor, solver->linear.E);
}

// gamma_max = min(max_turn, pi / 4).
static void fill_sdls(const sinew_solver *solver, sinew_step_problem *problem) {
  problem->split = solver->step.split;
  problem->largest = sinew_min(solver->def.step.max_turn, SDLS_GAMMA_MAX);
  problem->cut = SDLS_CUT;
}

static void fill_newton(const sinew_solver *solver, sinew_step_problem *problem) {
  problem->mu = damping_newton(solver->def.step.damping_scale, solver->linear.E,
                               sinew_solver_free_gradient(solver),
                               sinew_solver_first_order(solver, solver->linear.e));
}

// ------------------------------------------------------------------ the table

#define CLAMPS "step.error_clamp", "step.error_clamp_adaptive", "step.target_jacobian"
#define DLS_DAMPING                                                                                \
  "step.error_damping", "step.damping_floor", "step.damping", "step.damping_law",                  \
      "step.damping_threshold", "step.dls_form"
#define FIELDS(...)                                                                                \
  (const char *const[]) {                                                                          \
    __VA_ARGS__, NULL                                                                              \
  }

static const sinew_method_row rows[SINEW_METHOD_COUNT] = {
    [SINEW_METHOD_DEFAULT] =
        {.info = {.name = "default",
                  .label = "sinew's default",
                  .description = "Follows targets by Newton's step, damped for smooth motion and "
                                 "bounded in its changes; solves by damped least squares, and by "
                                 "Newton's step where the goal was not met.",
                  .source = "docs/tracking.md",
                  .fields = FIELDS(DLS_DAMPING, "step.damping_scale", "tracking.max_change")},
         .rule = {sinew_dls_layout, sinew_dls_step},
         .scratch = offsetof(sinew_step_scratch, dls),
         .fill = fill_dls,
         .by_law = true},
    [SINEW_METHOD_TRANSPOSE] =
        {.info = {.name = "transpose",
                  .label = "Jacobian transpose",
                  .description = "Steps along the gradient of the error, as far as brings the "
                                 "effectors nearest: cheap, and slow to arrive.",
                  .source = "Buss 2009, section 3; Wolovich and Elliott 1984",
                  .fields = FIELDS(CLAMPS)},
         .rule = {sinew_transpose_layout, sinew_transpose_step},
         .scratch = offsetof(sinew_step_scratch, transpose),
         .fill = fill_transpose,
         .shortened = true},
    [SINEW_METHOD_PSEUDOINVERSE] =
        {.info = {.name = "pseudoinverse",
                  .label = "pseudoinverse",
                  .description = "Takes the shortest step that removes the linearised error: quick "
                                 "within reach, and shakes near and beyond its edge.",
                  .source = "Buss 2009, section 4",
                  .fields = FIELDS(CLAMPS, "step.singular_cut")},
         .rule = {sinew_pseudoinverse_layout, sinew_pseudoinverse_step},
         .scratch = offsetof(sinew_step_scratch, pseudoinverse),
         .fill = fill_pseudoinverse,
         .shortened = true},
    [SINEW_METHOD_DLS] =
        {.info = {.name = "dls",
                  .label = "damped least squares",
                  .description = "Trades what is left of the linearised error for a short step, by "
                                 "a damping that may grow with the error.",
                  .source = "Buss 2009, section 5; Chan and Lawrence 1988; Sugihara 2011",
                  .fields = FIELDS(CLAMPS, DLS_DAMPING)},
         .rule = {sinew_dls_layout, sinew_dls_step},
         .scratch = offsetof(sinew_step_scratch, dls),
         .fill = fill_dls,
         .by_law = true},
    [SINEW_METHOD_SDLS] =
        {.info = {.name = "sdls",
                  .label = "selectively damped least squares",
                  .description = "Damps each singular direction by how far it would move the "
                                 "effectors.",
                  .source = "Buss and Kim 2005",
                  .fields = FIELDS(CLAMPS)},
         .rule = {sinew_sdls_layout, sinew_sdls_step},
         .scratch = offsetof(sinew_step_scratch, sdls),
         .fill = fill_sdls,
         .shortened = true,
         .body_frame_only = true},
    [SINEW_METHOD_NEWTON] =
        {.info = {.name = "newton",
                  .label = "Newton's method",
                  .description = "Minimises the second-order model of the error, damped by it.",
                  .source = "docs/tracking.md",
                  .fields = FIELDS("step.error_clamp", "step.error_clamp_adaptive",
                                   "step.damping_scale")},
         .rule = {sinew_newton_layout, sinew_newton_step},
         .scratch = offsetof(sinew_step_scratch, newton),
         .fill = fill_newton,
         .limit = SINEW_LIMIT_DAMP,
         .second_order = true},
};

const sinew_method_row *sinew_method_row_of(sinew_method method) {
  return &rows[method];
}

bool sinew_method_obeys(sinew_method method, const char *field) {
  const char *const *obeyed = rows[method].info.fields;
  while (*obeyed != NULL && strcmp(*obeyed, field) != 0) {
    ++obeyed;
  }
  return *obeyed != NULL;
}
