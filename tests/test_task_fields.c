// Fields of tasks that a kind does not read: they are refused unless they have their defaults.
#include "fixtures.h"

#include <string.h>

#define OF(kind) (1u << SINEW_TASK_##kind)
#define FRAMES (OF(POSITION) | OF(ORIENTATION) | OF(POSE))

// The kinds that read a field, and a value of it that is not its default.
static const struct {
  const char *name;
  unsigned kinds;
} fields[] = {{"axis_l", OF(DIRECTION) | OF(LOOK_AT) | OF(YAW)},
              {"up_axis", OF(LOOK_AT) | OF(YAW)},
              {"cone_angle", OF(DIRECTION) | OF(LOOK_AT)},
              {"free_axes", FRAMES},
              {"axis_weights", FRAMES},
              {"weight_axes", FRAMES},
              {"range_lower", FRAMES | OF(PLANE) | OF(DISTANCE)},
              {"range_upper", FRAMES | OF(PLANE) | OF(DISTANCE)}};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static void set_field(sinew_task *task, int field) {
  switch (field) {
  case 0:
    task->axis_l[1] = 0.5;
    break;
  case 1:
    task->up_axis[1] = 1.0;
    break;
  case 2:
    task->cone_angle = 0.1;
    break;
  case 3:
    task->free_axes = SINEW_FREE_X | SINEW_FREE_ROTATION_X;
    break;
  case 4:
    task->axis_weights[5] = 0.5;
    break;
  case 5:
    task->weight_axes = SINEW_AXES_FRAME;
    break;
  case 6:
    task->range_lower[0] = -0.1;
    break;
  default:
    task->range_upper[0] = 0.1;
  }
  if (field >= 6 && task->kind == SINEW_TASK_ORIENTATION) { // of an axis that it controls
    task->range_lower[3] = task->range_lower[0];
    task->range_upper[3] = task->range_upper[0];
    task->range_lower[0] = task->range_upper[0] = 0.0;
  }
}

// A range of each axis of each kind: where the kind does not control the axis, or free_axes has it,
// only ends of 0 and infinite ones are taken.
static void ranges_of_other_axes_are_refused(void **state) {
  (void)state;
  static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
  sinew_model *model = fixture_arm();
  sinew_solver *solver = solver_with(NULL, model, NULL, 0);
  for (int kind = 0; kind < sinew_task_kind_count(); ++kind) {
    if (!sinew_task_kind_reads((sinew_task_kind)kind, "range_upper")) {
      continue;
    }
    for (int axis = 0; axis < 6; ++axis) {
      const bool controlled = kind == SINEW_TASK_POSITION      ? axis < 3
                              : kind == SINEW_TASK_ORIENTATION ? axis >= 3
                              : kind == SINEW_TASK_POSE        ? true
                                                               : axis == 0;
      sinew_task task = task_of((sinew_task_kind)kind, ARM_FLANGE);
      task.range_lower[axis] = -INFINITY;
      assert_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
      task.range_upper[axis] = INFINITY;
      assert_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
      for (int end = 0; end < 2; ++end) {
        char message[128];
        sinew_error error = {0};
        task = task_of((sinew_task_kind)kind, ARM_FLANGE);
        *(end == 0 ? &task.range_lower[axis] : &task.range_upper[axis]) = end == 0 ? -0.1 : 0.1;
        const sinew_result result = sinew_solver_set_tasks(solver, &task, 1, &error);
        assert_int_equal(result, controlled ? SINEW_OK : SINEW_ERROR_ARGUMENT);
        snprintf(message, sizeof message,
                 "task 0: range_%s has a value for %s, which the kind %s does not control",
                 end == 0 ? "lower" : "upper", names[axis],
                 sinew_task_kind_name((sinew_task_kind)kind));
        assert_string_equal(error.message, controlled ? "" : message);
      }
      if (kind == SINEW_TASK_POSE) {
        sinew_error error;
        task.free_axes = 1u << axis;
        assert_int_equal(sinew_solver_set_tasks(solver, &task, 1, &error), SINEW_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "which free_axes leaves free"));
      }
    }
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Each field of each kind, in a solver, whose old tasks stay, a batch, a crowd and a bank.
static void unread_fields_are_refused(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, ARM_FLANGE)};
  sinew_solver *solver = solver_with(NULL, model, tasks, 1);
  const sinew_batch_def batch_def = sinew_default_batch_def();
  const sinew_crowd_def crowd_def = sinew_default_crowd_def();
  const sinew_bank_def bank_def = sinew_default_bank_def();
  const sinew_target old = sinew_default_target();
  for (int pair = 0; pair < FIELDS * sinew_task_kind_count(); ++pair) {
    const sinew_task_kind kind = (sinew_task_kind)(pair / FIELDS);
    const int field = pair % FIELDS;
    const bool reads = (fields[field].kinds >> kind & 1u) != 0;
    const sinew_result expected = reads ? SINEW_OK : SINEW_ERROR_ARGUMENT;
    char message[128];
    sinew_error errors[4] = {{0}};
    sinew_batch *batch = NULL;
    sinew_crowd *crowd = NULL;
    sinew_bank *bank = NULL;
    tasks[1] = task_of(kind, ARM_FLANGE);
    set_field(&tasks[1], field);
    assert_int_equal(sinew_task_kind_reads(kind, fields[field].name), reads);
    assert_int_equal(sinew_solver_set_tasks(solver, tasks, 2, &errors[0]), expected);
    assert_int_equal(sinew_batch_create(&batch_def, model, tasks, 2, &batch, &errors[1]), expected);
    assert_int_equal(sinew_crowd_create(&crowd_def, model, tasks, 2, &crowd, &errors[2]), expected);
    sinew_result result = sinew_bank_create(&bank_def, model, tasks, 2, &bank, &errors[3]);
    assert_int_equal(result, expected);
    snprintf(message, sizeof message, "task 1: %s: the kind %s does not read it",
             fields[field].name, sinew_task_kind_name(kind));
    for (int i = 0; i < 4 && !reads; ++i) {
      assert_string_equal(errors[i].message, message);
    }
    if (!reads) {
      double q[7] = {0.0, 0.1, 0.2, -1.0, 0.3, 1.0, 0.4};
      assert_ok(sinew_solver_update(solver, &old, 1, q, NULL));
    }
    assert_ok(sinew_solver_set_tasks(solver, tasks, 1, NULL));
    sinew_bank_destroy(bank);
    sinew_crowd_destroy(crowd);
    sinew_batch_destroy(batch);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// NaN is no default; -0 is 0. All kinds read a link, and no kind 99 reads one.
static void defaults_are_values(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_error error;
  task.cone_angle = -0.0;
  task.axis_l[0] = -0.0;
  assert_ok(sinew_solver_set_tasks(solver, &task, 1, &error));
  task.cone_angle = NAN;
  assert_int_equal(sinew_solver_set_tasks(solver, &task, 1, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "cone_angle"));
  for (int kind = 0; kind < sinew_task_kind_count(); ++kind) {
    assert_true(sinew_task_kind_reads((sinew_task_kind)kind, "link"));
  }
  assert_false(sinew_task_kind_reads((sinew_task_kind)99, "link"));
  assert_false(sinew_task_kind_reads((sinew_task_kind)-1, "cone_angle"));
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges_of_other_axes_are_refused),
      cmocka_unit_test(unread_fields_are_refused),
      cmocka_unit_test(defaults_are_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
