// A solver's settings: defaults, and checks, whose messages name the field, its value and its
// range.
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"
#include "solve/solver.h"

#define DEFAULT_TOLERANCE 1e-6 // [m, rad]

void sinew_solver_def_init(sinew_solver_def *def, size_t size) {
  const sinew_solver_def defaults = {
      .cookie = SINEW_COOKIE_SOLVER,
      .size = sizeof defaults,
      .task_capacity = 8,
      .tolerances.position = DEFAULT_TOLERANCE,
      .tolerances.orientation = DEFAULT_TOLERANCE,
      .budget.max_steps = 500,
      .budget.max_starts = 50,
      .step.error_damping = 0.1,
      .step.damping_floor = 1e-12,
      .step.damping_threshold = 0.05,
      .step.error_clamp = INFINITY,
      .step.error_clamp_adaptive = true,
      .budget.time_limit = INFINITY,
      .step.singular_cut = 0.01,
      .step.damping_scale = 1.0,
      .tracking.max_change = 0.095,
      .step.max_turn = 1.0,
      .tracking.error_gain = 1.0,
  };
  sinew_definition_init(def, size, &defaults);
}

// The least sensible tolerance [rad, sizes of the model]. Rounding errors of the kinematics of arms
// and bodies are about 1e-15, and less than 1e-13 for thousands of joints. The default is accepted
// for models of any size.
#define LEAST_TOLERANCE 1e-13

sinew_result sinew_tolerances_check(const sinew_tolerances *tolerances, const sinew_model *model,
                                    sinew_error *error) {
  const double least = sinew_min(LEAST_TOLERANCE * model->size, DEFAULT_TOLERANCE);
  if (!(tolerances->position > 0.0 && tolerances->position >= least)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "tolerances.position",
                           "%g m is below %g m, the least for this model's size",
                           tolerances->position, least);
  }
  if (!(tolerances->orientation >= LEAST_TOLERANCE)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "tolerances.orientation",
                           "%g rad is below %g rad", tolerances->orientation, LEAST_TOLERANCE);
  }
  return SINEW_OK;
}

// A field, and its range.
typedef struct field_range {
  const char *name;
  double value, least, most;
  bool open; // whether least is none of its values
} field_range;

// A NaN is in no range.
static bool is_within(const field_range *field) {
  return (field->open ? field->value > field->least : field->value >= field->least) &&
         field->value <= field->most;
}

static sinew_result refuse(const field_range *field, sinew_error *error) {
  if (isnan(field->value)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, field->name, "is not a number");
  }
  const bool above = field->value > field->most;
  const char *what = above ? "above" : field->open ? "not above" : "below";
  return sinew_error_set(error, SINEW_ERROR_ARGUMENT, field->name, "%g is %s %g", field->value,
                         what, above ? field->most : field->least);
}

// What depends on another field, or is below its end.
static sinew_result check_together(const sinew_solver_def *def, sinew_error *error) {
  if (def->budget.time_limit < INFINITY && def->budget.clock == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "budget.time_limit", "needs budget.clock");
  }
  if (def->step.singular_cut >= 1.0) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "step.singular_cut", "%g is not below 1",
                           def->step.singular_cut);
  }
  if (def->lower.levels == 0 && (def->lower.objectives > 0 || def->lower.rows > 0)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT,
                           def->lower.objectives > 0 ? "lower.objectives" : "lower.rows",
                           "needs lower.levels of at least 1");
  }
  return SINEW_OK;
}

sinew_result sinew_solver_def_check(const sinew_solver_def *def, const sinew_model *model,
                                    sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_SOLVER, sizeof *def, "sinew_solver_def",
                                              "sinew_default_solver_def()", NULL};
  if (sinew_definition_check(def, &definition, -1, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  const field_range ranges[] = {
      {"task_capacity", def->task_capacity, 0.0, SINEW_MOST_TASKS, false},
      {"budget.max_steps", def->budget.max_steps, 0.0, INFINITY, false},
      {"budget.max_starts", def->budget.max_starts, 1.0, INFINITY, false},
      {"budget.time_limit", def->budget.time_limit, 0.0, INFINITY, true},
      {"step.method", (int)def->step.method, 0.0, SINEW_METHOD_COUNT - 1, false},
      {"step.damping", def->step.damping, 0.0, SINEW_HUGE, false},
      {"step.error_damping", def->step.error_damping, 0.0, SINEW_HUGE, false},
      {"step.damping_floor", def->step.damping_floor, 0.0, SINEW_HUGE, false},
      {"step.damping_law", (int)def->step.damping_law, 0.0, SINEW_DAMPING_COUNT - 1, false},
      {"step.damping_threshold", def->step.damping_threshold, 0.0, SINEW_HUGE, true},
      {"step.damping_scale", def->step.damping_scale, 0.0, SINEW_HUGE, true},
      {"step.error_clamp", def->step.error_clamp, 0.0, INFINITY, true},
      {"step.max_turn", def->step.max_turn, 0.0, INFINITY, true},
      {"step.singular_cut", def->step.singular_cut, 0.0, INFINITY, true},
      {"step.dls_form", (int)def->step.dls_form, 0.0, SINEW_DLS_STACKED, false},
      {"tracking.time_step", def->tracking.time_step, 0.0, SINEW_HUGE, false},
      {"tracking.error_gain", def->tracking.error_gain, 0.0, 1.0, true},
      {"tracking.max_change", def->tracking.max_change, 0.0, INFINITY, true},
      {"lower.levels", def->lower.levels, 0.0, SINEW_MOST_LEVELS, false},
      {"lower.objectives", def->lower.objectives, 0.0, 1000.0, false},
      {"lower.rows", def->lower.rows, 0.0, 1000.0, false},
      {"influences", def->influences, 0.0, SINEW_MOST_INFLUENCES, false},
      {"hard_rows", def->hard_rows, 0.0, 1000.0, false},
      {"lanes", def->lanes, -1.0, INFINITY, false},
  };
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i) {
    if (!is_within(&ranges[i])) {
      return refuse(&ranges[i], error);
    }
  }
  const sinew_result together = check_together(def, error);
  return together != SINEW_OK ? together : sinew_tolerances_check(&def->tolerances, model, error);
}
