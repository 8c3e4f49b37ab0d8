// A solver's settings: defaults, and checks, whose messages name the field, its value and its
// range.
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"
#include "solve/solver.h"

#include <stddef.h>
#include <string.h>

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
  unsigned short offset;
  bool is_real, open; // double, else an int or an enumeration; whether least is none of its values
  double least, most;
} field_range;

#define INTEGER(field) #field, offsetof(sinew_solver_def, field), false, false
#define REAL(field) #field, offsetof(sinew_solver_def, field), true, false
#define REAL_ABOVE(field) #field, offsetof(sinew_solver_def, field), true, true

_Static_assert(sizeof(sinew_method) == sizeof(int) && sizeof(sinew_damping_law) == sizeof(int) &&
                   sizeof(sinew_dls_form) == sizeof(int),
               "read as integers");

static const field_range ranges[] = {
    {INTEGER(task_capacity), 0.0, SINEW_MOST_TASKS},
    {INTEGER(budget.max_steps), 0.0, INFINITY},
    {INTEGER(budget.max_starts), 1.0, INFINITY},
    {REAL_ABOVE(budget.time_limit), 0.0, INFINITY},
    {INTEGER(step.method), 0.0, SINEW_METHOD_COUNT - 1},
    {REAL(step.damping), 0.0, SINEW_HUGE},
    {REAL(step.error_damping), 0.0, SINEW_HUGE},
    {REAL(step.damping_floor), 0.0, SINEW_HUGE},
    {INTEGER(step.damping_law), 0.0, SINEW_DAMPING_COUNT - 1},
    {REAL_ABOVE(step.damping_threshold), 0.0, SINEW_HUGE},
    {REAL_ABOVE(step.damping_scale), 0.0, SINEW_HUGE},
    {REAL_ABOVE(step.error_clamp), 0.0, INFINITY},
    {REAL_ABOVE(step.max_turn), 0.0, INFINITY},
    {REAL_ABOVE(step.singular_cut), 0.0, INFINITY},
    {INTEGER(step.dls_form), 0.0, SINEW_DLS_STACKED},
    {REAL(tracking.time_step), 0.0, SINEW_HUGE},
    {REAL_ABOVE(tracking.error_gain), 0.0, 1.0},
    {REAL_ABOVE(tracking.max_change), 0.0, INFINITY},
    {INTEGER(lower.levels), 0.0, SINEW_MOST_LEVELS},
    {INTEGER(lower.objectives), 0.0, 1000.0},
    {INTEGER(lower.rows), 0.0, 1000.0},
    {INTEGER(influences), 0.0, SINEW_MOST_INFLUENCES},
    {INTEGER(hard_rows), 0.0, 1000.0},
    {INTEGER(lanes), -1.0, INFINITY},
};

static double value_of(const sinew_solver_def *def, const field_range *field) {
  const char *at = (const char *)def + field->offset;
  double real;
  int integer;
  if (field->is_real) {
    memcpy(&real, at, sizeof real);
    return real;
  }
  memcpy(&integer, at, sizeof integer);
  return integer;
}

// A NaN is in no range.
static sinew_result check_field(const field_range *field, double value, sinew_error *error) {
  const bool above = value > field->most;
  if ((field->open ? value > field->least : value >= field->least) && !above) {
    return SINEW_OK;
  }
  if (isnan(value)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, field->name, "is not a number");
  }
  const char *what = above ? "above" : field->open ? "not above" : "below";
  return sinew_error_set(error, SINEW_ERROR_ARGUMENT, field->name, "%g is %s %g", value, what,
                         above ? field->most : field->least);
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
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i) {
    if (check_field(&ranges[i], value_of(def, &ranges[i]), error) != SINEW_OK) {
      return SINEW_ERROR_ARGUMENT;
    }
  }
  const sinew_result together = check_together(def, error);
  return together != SINEW_OK ? together : sinew_tolerances_check(&def->tolerances, model, error);
}
