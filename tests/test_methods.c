// The public table of methods: its names, texts and fields are those of the library.
#include "fixtures.h"

#include <string.h>

// -------------------------------------------------------------------- texts

static void every_method_has_its_texts(void **state) {
  (void)state;
  for (int m = 0; m < SINEW_METHOD_COUNT; ++m) {
    const sinew_method_info *info = sinew_method_info_of(m);
    assert_non_null(info);
    assert_string_equal(info->name, sinew_method_string((sinew_method)m));
    assert_true(strlen(info->label) > 2 && strlen(info->source) > 2);
    assert_true(info->description[strlen(info->description) - 1] == '.');
    assert_non_null(info->fields);
    for (int other = 0; other < m; ++other) {
      assert_string_not_equal(info->name, sinew_method_info_of(other)->name);
      assert_string_not_equal(info->label, sinew_method_info_of(other)->label);
    }
  }
  assert_null(sinew_method_info_of(-1));
  assert_null(sinew_method_info_of(SINEW_METHOD_COUNT));
  assert_string_equal(sinew_method_string(SINEW_METHOD_COUNT), "unknown");
}

// ------------------------------------------------------------------- fields

// The fields that only some methods use, each with a value that changes results.
static const char *const names[] = {
    "step.error_damping",   "step.damping_floor",     "step.damping",
    "step.dls_form",        "step.error_clamp",       "step.error_clamp_adaptive",
    "step.target_jacobian", "step.singular_cut",      "step.damping_scale",
    "step.damping_law",     "step.damping_threshold", "tracking.max_change"};
enum { FIELDS = sizeof names / sizeof names[0], UPDATES = 8, MOST_NQ = 16 };

static void change(int field, sinew_solver_def *def) {
  switch (field) {
  case 0:
    def->step.error_damping = 0.7;
    break;
  case 1:
    def->step.damping_floor = 1e-3;
    break;
  case 2:
    def->step.damping = 0.1;
    break;
  case 3:
    def->step.dls_form = SINEW_DLS_STACKED;
    break;
  case 4:
    def->step.error_clamp = 0.01;
    break;
  case 5:
    def->step.error_clamp_adaptive = false;
    break;
  case 6:
    def->step.target_jacobian = true;
    break;
  case 7:
    def->step.singular_cut = 0.6;
    break;
  case 8:
    def->step.damping_scale = 3.0;
    break;
  case 9:
    def->step.damping_law = SINEW_DAMPING_BOUND;
    break;
  case 10:
    def->step.damping_threshold = 0.5;
    break;
  default:
    def->tracking.max_change = 0.004;
  }
}

// Updates towards a target that moves out of reach, and a solve of few steps.
static void run(const sinew_model *model, const sinew_solver_def *def, double *out) {
  const int nq = sinew_model_nq(model);
  const sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_solver *solver = solver_with(def, model, &task, 1);
  double *q = out, *solved = out + nq;
  sinew_target target;
  sinew_configuration_random(model, 5, 0, q);
  target = target_at(model, &task, q);
  sinew_configuration_random(model, 5, 1, q);
  memcpy(solved, q, (size_t)nq * sizeof(double));
  sinew_report report;
  assert_int_equal(sinew_solver_solve_local(solver, &target, 1, solved, &report), SINEW_OK);
  for (int i = 0; i < UPDATES; ++i) {
    target.position[0] += 0.1;
    assert_int_equal(sinew_solver_update(solver, &target, 1, q, NULL), SINEW_OK);
  }
  sinew_solver_destroy(solver);
}

static bool is_listed(const sinew_method_info *info, const char *field) {
  for (const char *const *name = info->fields; *name != NULL; ++name) {
    if (strcmp(*name, field) == 0) {
      return true;
    }
  }
  return false;
}

// A change of a field changes a method's results exactly where the table lists the field.
static void listed_fields_change_results(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const size_t bytes = 2 * (size_t)sinew_model_nq(model) * sizeof(double);
  assert_true(sinew_model_nq(model) <= MOST_NQ);
  for (int m = 0; m < SINEW_METHOD_COUNT; ++m) {
    for (int field = 0; field < FIELDS; ++field) {
      double as_it_is[2 * MOST_NQ], changed[2 * MOST_NQ];
      sinew_solver_def def = sinew_default_solver_def();
      def.step.method = (sinew_method)m;
      def.budget.max_steps = 6;
      def.step.damping_law = field == 10 ? SINEW_DAMPING_SMALLEST : def.step.damping_law;
      def.step.error_clamp = field == 5 ? 0.01 : def.step.error_clamp;
      run(model, &def, as_it_is);
      change(field, &def);
      run(model, &def, changed);
      const bool matters = memcmp(as_it_is, changed, bytes) != 0;
      if (matters != is_listed(sinew_method_info_of(m), names[field])) {
        print_message("%s: %s %s\n", sinew_method_info_of(m)->name, names[field],
                      matters ? "matters, and is not listed" : "is listed, and changes nothing");
        fail();
      }
    }
  }
  sinew_model_destroy(model);
}

// No list has a field that is not tried above.
static void no_other_field_is_listed(void **state) {
  (void)state;
  for (int m = 0; m < SINEW_METHOD_COUNT; ++m) {
    for (const char *const *name = sinew_method_info_of(m)->fields; *name != NULL; ++name) {
      int known = 0;
      for (int field = 0; field < FIELDS; ++field) {
        known += strcmp(*name, names[field]) == 0;
      }
      assert_int_equal(known, 1);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_has_its_texts),
      cmocka_unit_test(listed_fields_change_results),
      cmocka_unit_test(no_other_field_is_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
