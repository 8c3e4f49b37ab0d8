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

static void fill_by_law(const sinew_solver *solver, sinew_step_problem *problem) {
  const sinew_damping_constants constants =
      sinew_damping_constants_of(&solver->def.step, solver->problem.size);
  sinew_damping_fill(&constants, solver->linear.E, solver->damping, problem);
}

static void fill_dls(const sinew_solver *solver, sinew_step_problem *problem) {
  const sinew_solver_def *def = &solver->def;
  problem->form = (sinew_dls_system)def->step.dls_form;
  if (solver->damping != NULL) {
    fill_by_law(solver, problem);
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

static void fill_weighted(const sinew_solver *solver, sinew_step_problem *problem) {
  fill_dls(solver, problem);
  problem->weights = solver->weights;
  problem->weight_index = solver->problem.dof_of_column;
  problem->weight_stride = solver->model->nv;
}

static void fill_nothing(const sinew_solver *solver, sinew_step_problem *problem) {
  (void)solver;
  (void)problem;
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

#define FIELDS_NONE                                                                                \
  (const char *const[]) {                                                                          \
    NULL                                                                                           \
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
    [SINEW_METHOD_GRADIENT] =
        {.info = {.name = "gradient",
                  .label = "gradient without a step length",
                  .description = "Steps by the gradient of the error as it is: a contrast to the "
                                 "transpose.",
                  .source = "lecture notes, University of British Columbia",
                  .fields = FIELDS(CLAMPS)},
         .rule = {sinew_plain_layout, sinew_plain_step},
         .scratch = offsetof(sinew_step_scratch, plain),
         .fill = fill_nothing,
         .shortened = true},
    [SINEW_METHOD_CONJUGATE] =
        {.info = {.name = "conjugate",
                  .label = "conjugate gradients",
                  .description = "Steps along gradients that are made conjugate to the last "
                                 "direction, as far as brings the effectors nearest.",
                  .source = "Polak and Ribiere 1969; Zhao and Badler 1994",
                  .fields = FIELDS(CLAMPS)},
         .rule = {sinew_plain_layout, sinew_conjugate_step},
         .scratch = offsetof(sinew_step_scratch, plain),
         .fill = fill_nothing,
         .shortened = true,
         .remembers = true,
         .body_frame_only = true},
    [SINEW_METHOD_BFGS] =
        {.info = {.name = "bfgs",
                  .label = "BFGS within limits",
                  .description = "Learns the second derivatives of the error from its gradients, "
                                 "and minimises the model within the limits.",
                  .source = "Zhao and Badler 1994; Nocedal and Wright 2006, chapter 6",
                  .fields = FIELDS(CLAMPS)},
         .rule = {sinew_quasi_layout, sinew_bfgs_step},
         .scratch = offsetof(sinew_step_scratch, quasi),
         .fill = fill_nothing,
         .shortened = true,
         .remembers = true,
         .body_frame_only = true},
    [SINEW_METHOD_LBFGS] = {.info = {.name = "lbfgs",
                                     .label = "L-BFGS within limits",
                                     .description = "The same from the last eight gradients only.",
                                     .source = "Byrd, Lu, Nocedal and Zhu 1995",
                                     .fields = FIELDS(CLAMPS)},
                            .rule = {sinew_quasi_layout, sinew_lbfgs_step},
                            .scratch = offsetof(sinew_step_scratch, quasi),
                            .fill = fill_nothing,
                            .shortened = true,
                            .remembers = true,
                            .body_frame_only = true},
    [SINEW_METHOD_LM] =
        {.info = {.name = "lm",
                  .label = "projected Levenberg-Marquardt",
                  .description = "Damped least squares whose step is clipped to the limits, damped "
                                 "by how well the last step met its prediction.",
                  .source = "Nielsen 1999; Kanzow, Yamashita and Fukushima 2004",
                  .fields = FIELDS(CLAMPS, "step.dls_form")},
         .rule = {sinew_dls_layout, sinew_projected_step},
         .scratch = offsetof(sinew_step_scratch, dls),
         .fill = fill_dls,
         .by_law = true},
    [SINEW_METHOD_HALLEY] =
        {.info = {.name = "halley",
                  .label = "Halley's third-order step",
                  .description = "Damped least squares by the Jacobian in the middle of its own "
                                 "step, which converges cubically.",
                  .source = "Lloyd, Irani and Ahmadi 2022",
                  .fields = FIELDS("step.error_clamp", "step.error_clamp_adaptive", DLS_DAMPING)},
         .rule = {sinew_dls_layout, sinew_dls_step},
         .scratch = offsetof(sinew_step_scratch, dls),
         .fill = fill_dls,
         .pose_step = sinew_halley_step,
         .shortened = true,
         .body_frame_only = true},
    [SINEW_METHOD_NUMERIC] =
        {.info = {.name = "numeric",
                  .label = "Newton by finite differences",
                  .description = "Damped least squares by a Jacobian from finite differences of "
                                 "the error.",
                  .source = "lecture notes, University of British Columbia",
                  .fields = FIELDS("step.error_clamp", "step.error_clamp_adaptive", DLS_DAMPING)},
         .rule = {sinew_dls_layout, sinew_dls_step},
         .scratch = offsetof(sinew_step_scratch, dls),
         .fill = fill_dls,
         .pose_step = sinew_numeric_step,
         .shortened = true,
         .body_frame_only = true},
    [SINEW_METHOD_NUMERIC_SCALAR] =
        {.info = {.name = "numeric-scalar",
                  .label = "Newton on the length of the error",
                  .description = "Steps to the root of the length of the error along its slope, "
                                 "from finite differences.",
                  .source = "lecture notes, University of British Columbia",
                  .fields = FIELDS_NONE},
         .rule = {sinew_dls_layout, sinew_dls_step},
         .scratch = offsetof(sinew_step_scratch, dls),
         .fill = fill_nothing,
         .pose_step = sinew_numeric_scalar_step,
         .shortened = true,
         .body_frame_only = true},
    [SINEW_METHOD_CCD] =
        {.info = {.name = "ccd",
                  .label = "cyclic coordinate descent",
                  .description = "Moves one joint after the other, from the tips to the root, to "
                                 "where the targets are nearest.",
                  .source = "Wang and Chen 1991",
                  .fields = FIELDS_NONE},
         .rule = {sinew_dls_layout, sinew_dls_step},
         .scratch = offsetof(sinew_step_scratch, dls),
         .fill = fill_nothing,
         .pose_step = sinew_ccd_step,
         .shortened = true,
         .body_frame_only = true},
    [SINEW_METHOD_CCD_ROOT] = {.info = {.name = "ccd-root",
                                        .label = "cyclic coordinate descent from the root",
                                        .description = "The same from the root to the tips.",
                                        .source = "Wang and Chen 1991",
                                        .fields = FIELDS_NONE},
                               .rule = {sinew_dls_layout, sinew_dls_step},
                               .scratch = offsetof(sinew_step_scratch, dls),
                               .fill = fill_nothing,
                               .pose_step = sinew_ccd_root_step,
                               .shortened = true,
                               .body_frame_only = true},
    [SINEW_METHOD_CCD_NEWTON] =
        {.info = {.name = "ccd-newton",
                  .label = "cyclic coordinate descent, then Newton's method",
                  .description = "Cyclic coordinate descent, and Newton's step where a sweep gains "
                                 "little or the targets are near.",
                  .source = "Wang and Chen 1991",
                  .fields = FIELDS("step.error_clamp", "step.error_clamp_adaptive",
                                   "step.damping_scale")},
         .rule = {sinew_newton_layout, sinew_newton_step},
         .scratch = offsetof(sinew_step_scratch, newton),
         .fill = fill_newton,
         .pose_step = sinew_ccd_newton_step,
         .second_order = true,
         .shortened = true,
         .body_frame_only = true},
    [SINEW_METHOD_FABRIK] =
        {.info = {.name = "fabrik",
                  .label = "FABRIK",
                  .description =
                      "Moves joint centres along the lines between them, backward from "
                      "the targets and forward from the root, and the joints after them.",
                  .source = "Aristidou and Lasenby 2011",
                  .fields = FIELDS_NONE},
         .rule = {sinew_dls_layout, sinew_dls_step},
         .scratch = offsetof(sinew_step_scratch, dls),
         .fill = fill_nothing,
         .pose_step = sinew_fabrik_step,
         .shortened = true,
         .body_frame_only = true},
    [SINEW_METHOD_WEIGHTED] =
        {.info = {.name = "weighted",
                  .label = "weighted least squares",
                  .description = "Damped least squares whose step is short by a matrix of weights.",
                  .source = "Whitney 1969",
                  .fields = FIELDS(CLAMPS, "step.error_damping", "step.damping_floor",
                                   "step.damping", "step.damping_law", "step.damping_threshold")},
         .rule = {sinew_weighted_layout, sinew_weighted_step},
         .scratch = offsetof(sinew_step_scratch, weighted),
         .fill = fill_weighted,
         .by_law = true,
         .body_frame_only = true},
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
