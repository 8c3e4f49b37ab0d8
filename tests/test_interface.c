// The public interface refuses invalid arguments and names them.
#include "fixtures.h"
#include "link.h"
#include "sinew/crowd.h"

// -------------------------------------------------- structs and their default functions

// Each definition in turn: from its default function, zeroed, and with the size of another
// version's headers.
typedef sinew_result (*attempt)(void *def, sinew_error *error);

static sinew_result try_link(void *def, sinew_error *error) {
  sinew_link_def links[3] = {LINK("base"), LINK("body"), LINK("tip")};
  sinew_joint_def joints[2] = {sinew_default_joint_def(), sinew_default_joint_def()};
  sinew_model_def model_def = sinew_default_model_def();
  sinew_model *model = NULL;
  links[1] = *(const sinew_link_def *)def;
  for (int j = 0; j < 2; ++j) {
    joints[j].name = j == 0 ? "first" : "second";
    joints[j].parent = j;
    joints[j].child = j + 1;
  }
  links[1].name = "body";
  model_def.links = links;
  model_def.link_count = 3;
  model_def.joints = joints;
  model_def.joint_count = 2;
  const sinew_result result = sinew_model_create(&model_def, &model, error);
  sinew_model_destroy(model);
  return result;
}

static sinew_result try_joint(void *def, sinew_error *error) {
  sinew_link_def links[3] = {LINK("base"), LINK("body"), LINK("tip")};
  sinew_joint_def joints[2] = {sinew_default_joint_def(), *(const sinew_joint_def *)def};
  sinew_model_def model_def = sinew_default_model_def();
  sinew_model *model = NULL;
  for (int j = 0; j < 2; ++j) {
    joints[j].name = j == 0 ? "first" : "second";
    joints[j].parent = j;
    joints[j].child = j + 1;
  }
  model_def.links = links;
  model_def.link_count = 3;
  model_def.joints = joints;
  model_def.joint_count = 2;
  const sinew_result result = sinew_model_create(&model_def, &model, error);
  sinew_model_destroy(model);
  return result;
}

static sinew_result try_shape(void *def, sinew_error *error) {
  const sinew_link_def link = LINK("base");
  sinew_shape_def shapes[2] = {sinew_default_shape_def(), *(const sinew_shape_def *)def};
  sinew_model_def model_def = sinew_default_model_def();
  sinew_model *model = NULL;
  shapes[0].radius = shapes[1].radius = 0.1;
  model_def.links = &link;
  model_def.link_count = 1;
  model_def.shapes = shapes;
  model_def.shape_count = 2;
  const sinew_result result = sinew_model_create(&model_def, &model, error);
  sinew_model_destroy(model);
  return result;
}

static sinew_result try_model(void *def, sinew_error *error) {
  const sinew_link_def link = LINK("base");
  sinew_model_def model_def = *(const sinew_model_def *)def;
  sinew_model *model = NULL;
  model_def.links = &link;
  model_def.link_count = 1;
  const sinew_result result = sinew_model_create(&model_def, &model, error);
  sinew_model_destroy(model);
  return result;
}

static sinew_result try_solver(void *def, sinew_error *error) {
  sinew_model *arm = fixture_arm();
  sinew_solver *solver = NULL;
  const sinew_result result = sinew_solver_create(def, arm, &solver, error);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
  return result;
}

static sinew_result try_task(void *def, sinew_error *error) {
  sinew_model *arm = fixture_arm();
  const sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, ARM_FLANGE), *(const sinew_task *)def};
  sinew_solver *solver = solver_with(NULL, arm, tasks, 1);
  const sinew_result result = sinew_solver_set_tasks(solver, tasks, 2, error);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
  return result;
}

static sinew_result try_bank(void *def, sinew_error *error) {
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  sinew_bank *bank = NULL;
  ((sinew_bank_def *)def)->postures = 10;
  const sinew_result result = sinew_bank_create(def, arm, &task, 1, &bank, error);
  sinew_bank_destroy(bank);
  sinew_model_destroy(arm);
  return result;
}

static sinew_result try_batch(void *def, sinew_error *error) {
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  sinew_batch *batch = NULL;
  const sinew_result result = sinew_batch_create(def, arm, &task, 1, &batch, error);
  sinew_batch_destroy(batch);
  sinew_model_destroy(arm);
  return result;
}

static sinew_result try_crowd(void *def, sinew_error *error) {
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  sinew_crowd *crowd = NULL;
  const sinew_result result = sinew_crowd_create(def, arm, &task, 1, &crowd, error);
  sinew_crowd_destroy(crowd);
  sinew_model_destroy(arm);
  return result;
}

// A definition that is only zeroed, and one of another size, are refused with the struct's name,
// its number where there are several, and the default function; the defaults are accepted.
// req: A8
static void definitions_come_from_their_functions(void **state) {
  (void)state;
  sinew_link_def link = sinew_default_link_def();
  sinew_joint_def joint = sinew_default_joint_def();
  sinew_shape_def shape = sinew_default_shape_def();
  sinew_model_def model = sinew_default_model_def();
  sinew_solver_def solver = sinew_default_solver_def();
  sinew_task task = sinew_default_task();
  sinew_bank_def bank = sinew_default_bank_def();
  sinew_batch_def batch = sinew_default_batch_def();
  sinew_crowd_def crowd = sinew_default_crowd_def();
  const struct {
    void *def;
    size_t size;
    attempt attempt;
    const char *type, *number;
  } all[] = {{&link, sizeof link, try_link, "sinew_link_def", "link 1: "},
             {&joint, sizeof joint, try_joint, "sinew_joint_def", "joint 1: "},
             {&shape, sizeof shape, try_shape, "sinew_shape_def", "shape 1: "},
             {&model, sizeof model, try_model, "sinew_model_def", ""},
             {&solver, sizeof solver, try_solver, "sinew_solver_def", ""},
             {&task, sizeof task, try_task, "sinew_task", "task 1: "},
             {&bank, sizeof bank, try_bank, "sinew_bank_def", ""},
             {&batch, sizeof batch, try_batch, "sinew_batch_def", ""},
             {&crowd, sizeof crowd, try_crowd, "sinew_crowd_def", ""}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    sinew_error error = {0};
    char text[256];
    sinew_definition_head head;
    const char *short_name = all[i].type + strlen("sinew_");
    assert_ok(all[i].attempt(all[i].def, &error));
    memcpy(&head, all[i].def, sizeof head);
    assert_int_equal(head.size, all[i].size);

    head.size += 8;
    memcpy(all[i].def, &head, sizeof head);
    assert_int_equal(all[i].attempt(all[i].def, &error), SINEW_ERROR_ARGUMENT);
    snprintf(text, sizeof text,
             "%s%s has %zu bytes here and %zu in the program: they were built against different "
             "headers",
             all[i].number, all[i].type, all[i].size, all[i].size + 8);
    assert_string_equal(error.message, text);

    memset(all[i].def, 0, all[i].size);
    assert_int_equal(all[i].attempt(all[i].def, &error), SINEW_ERROR_ARGUMENT);
    snprintf(text, sizeof text, "%s%s does not come from sinew_default_%s()", all[i].number,
             all[i].type, short_name);
    assert_string_equal(error.message, text);
    assert_int_equal(all[i].attempt(all[i].def, NULL), SINEW_ERROR_ARGUMENT);
  }
}

// A program with other headers gets its own size from an init function, and nothing is written past
// it.
static void other_sizes_are_not_written_beyond(void **state) {
  (void)state;
  unsigned char bytes[sizeof(sinew_task) + 64];
  const size_t sizes[] = {0, 4, 8, sizeof(sinew_task) - 8, sizeof(sinew_task) + 8};
  for (int i = 0; i < 5; ++i) {
    memset(bytes, 0xa5, sizeof bytes);
    sinew_task_init((sinew_task *)(void *)bytes, sizes[i]);
    sinew_target target;
    memset(&target, 0x5a, sizeof target);
    sinew_target_init(&target, sizes[i] < sizeof target ? sizes[i] : sizeof target);
    for (size_t k = sizes[i]; k < sizeof bytes; ++k) {
      assert_int_equal(bytes[k], 0xa5);
    }
    for (size_t k = sizes[i]; k < sizeof target; ++k) {
      assert_int_equal(((unsigned char *)&target)[k], 0x5a);
    }
  }
}

// A task whose kind has no row without its free axes.
static void tasks_have_rows(void **state) {
  (void)state;
  static const struct {
    sinew_task_kind kind;
    unsigned free_axes;
  } none[3] = {{SINEW_TASK_POSITION, 7u}, {SINEW_TASK_ORIENTATION, 56u}, {SINEW_TASK_POSE, 63u}};
  for (int i = 0; i < 3; ++i) {
    sinew_error error = {0};
    sinew_task task = task_of(none[i].kind, ARM_FLANGE);
    task.free_axes = none[i].free_axes;
    assert_int_equal(try_task(&task, &error), SINEW_ERROR_ARGUMENT);
    assert_string_equal(error.message,
                        "task 1: free_axes and axis_weights leave nothing that the kind controls");
    task.free_axes &= ~9u;
    assert_ok(try_task(&task, &error));
  }
}

// -------------------------------------------------------------------- refused calls

static void assert_refused(const sinew_report *report) {
  assert_int_equal(report->outcome, SINEW_OUTCOME_BAD_INPUT);
  assert_int_equal(report->steps, 0);
  assert_int_equal(report->limiting_joint, -1);
  assert_int_equal(report->worst_task, -1);
  assert_int_equal(report->counted_tasks, 0);
  assert_true(report->position_error == -1.0 && report->orientation_error == -1.0);
}

// Update, solve, global solve and all solutions with the same arguments: each returns the code,
// does not change q, fills its report, and gives the same message.
static void assert_calls_refused(sinew_solver *solver, const sinew_target *targets, int count,
                                 const double *q, sinew_result code, const char *name,
                                 const char *words) {
  for (int call = 0; call < 8; ++call) {
    double moved[7], solutions[7];
    int found = 99;
    sinew_report report, *to = call < 4 ? &report : NULL;
    memcpy(moved, q, sizeof moved);
    memset(&report, 0x55, sizeof report);
    const sinew_result result =
        call % 4 == 0   ? sinew_solver_update(solver, targets, count, moved, to)
        : call % 4 == 1 ? sinew_solver_solve_local(solver, targets, count, moved, to)
        : call % 4 == 2
            ? sinew_solver_solve(solver, targets, count, moved, to)
            : sinew_solver_solve_all(solver, NULL, targets, count, moved, 1, solutions, &found, to);
    const sinew_error *error = sinew_solver_last_error(solver);
    assert_int_equal(result, code);
    assert_int_equal(error->code, code);
    assert_string_equal(error->name, name);
    assert_non_null(strstr(error->message, words));
    assert_memory_equal(moved, q, sizeof moved);
    assert_true(call % 4 != 3 || found == 0);
    if (to != NULL) {
      assert_refused(to);
    }
    // Set by the next call, not kept from the last one.
    assert_int_equal(sinew_solver_update(solver, targets, -1, moved, NULL), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(sinew_solver_last_error(solver)->message, "count of targets is -1"));
  }
}

// The invalid argument is named: the joint and its value; the target, field and value.
// req: A8
static void calls_name_the_invalid_argument(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, ARM_FLANGE),
                         task_of(SINEW_TASK_DIRECTION, ARM_FLANGE)};
  sinew_solver *solver = solver_with(NULL, arm, tasks, 2);
  const sinew_target good[2] = {sinew_default_target(), sinew_default_target()};
  double q[7] = {0.0, 0.1, 0.2, -1.0, 0.3, 1.0, 0.4};
  sinew_target bad[2];
  sinew_report report;
  assert_int_equal(sinew_solver_last_error(solver)->code, SINEW_OK);
  assert_ok(sinew_solver_update(solver, good, 2, q, &report));
  assert_int_equal(sinew_solver_last_error(solver)->code, SINEW_OK);

  assert_calls_refused(solver, good, 1, q, SINEW_ERROR_ARGUMENT, "",
                       "count of targets is 1, of tasks 2");
  assert_calls_refused(solver, NULL, 2, q, SINEW_ERROR_ARGUMENT, "", "targets is NULL");
  q[4] = 1e200;
  assert_calls_refused(solver, good, 2, q, SINEW_ERROR_NOT_FINITE, "joint4",
                       "q[4], value 0 of the joint, is 1e+200");
  q[4] = 0.3;
#define BAD(t, change, code, words)                                                                \
  do {                                                                                             \
    memcpy(bad, good, sizeof bad);                                                                 \
    bad[t].change;                                                                                 \
    assert_calls_refused(solver, bad, 2, q, code, "", words);                                      \
  } while (0)
  BAD(0, position[1] = INFINITY, SINEW_ERROR_NOT_FINITE, "target 0: position[1] is inf");
  BAD(0, rotation[3] = NAN, SINEW_ERROR_NOT_FINITE, "target 0: rotation[3] is ");
  BAD(0, rotation[0] = 0.0, SINEW_ERROR_NOT_FINITE, "target 0: rotation is zero");
  BAD(1, direction[2] = 0.0, SINEW_ERROR_NOT_FINITE, "target 1: direction is zero");
  BAD(1, direction[0] = -INFINITY, SINEW_ERROR_NOT_FINITE, "target 1: direction[0] is -inf");
  BAD(1, twist[5] = INFINITY, SINEW_ERROR_NOT_FINITE, "target 1: twist[5] is inf");
  BAD(1, cookie = 0, SINEW_ERROR_ARGUMENT,
      "target 1: sinew_target does not come from sinew_default_target()");
  BAD(1, cookie += 8, SINEW_ERROR_ARGUMENT,
      "target 1: sinew_target has 144 bytes here and 152 in the program");
#undef BAD
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// A point, whose targets are checked as one array of doubles: a target made by hand, without its
// default function, is refused as well.
static void points_from_other_headers(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, arm, &task, 1);
  const double q[7] = {0.0, 0.1, 0.2, -1.0, 0.3, 1.0, 0.4};
  const sinew_target by_hand = {.position = {0.4, 0.1, 0.5}};
  assert_calls_refused(solver, &by_hand, 1, q, SINEW_ERROR_ARGUMENT, "",
                       "target 0: sinew_target does not come from sinew_default_target()");
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// The settings of a solver, and the definition of a global solve.
// req: A8
static void settings_name_the_invalid_value(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, arm, &task, 1);
  const sinew_error *error = sinew_solver_last_error(solver);
  double gains[7] = {1, 1, 1, 1, 1, 1, 1}, lower[7] = {0}, upper[7] = {1, 1, 1, 1, 1, 1, 1};
  gains[3] = -2.0;
  assert_int_equal(sinew_solver_set_gains(solver, gains), SINEW_ERROR_ARGUMENT);
  assert_string_equal(error->name, "joint3");
  assert_non_null(strstr(error->message, "gain -2 of degree of freedom 0"));
  lower[5] = 1.5;
  assert_int_equal(sinew_solver_set_limits(solver, lower, upper), SINEW_ERROR_ARGUMENT);
  assert_string_equal(error->name, "joint5");
  assert_non_null(strstr(error->message, "limits 1.5 and 1 of degree of freedom 0"));
  sinew_task none = task;
  none.link = 99;
  assert_int_equal(sinew_solver_set_tasks(solver, &none, 1, NULL), SINEW_ERROR_INDEX);
  assert_string_equal(error->message, "task 0: link is out of range");

  const sinew_target target = sinew_default_target();
  double q[7] = {0.0, 0.1, 0.2, -1.0, 0.3, 1.0, 0.4};
  double distances[7] = {1, 1, -3, 1, 1, 1, 1};
  sinew_global_def bad[5];
  for (int i = 0; i < 5; ++i) {
    bad[i] = sinew_default_global_def();
  }
  bad[0].mode = (sinew_global_mode)3;
  bad[1].max_starts = 0;
  bad[2].distinct = NAN;
  bad[3].distances = distances;
  bad[4].size = 8;
  static const char *const names[5] = {"mode", "max_starts", "distinct", "distances", ""};
  static const char *const words[5] = {"3", "0", "nan", "-3, the weight of degree of freedom 2",
                                       "sinew_global_def has "};
  for (int i = 0; i < 5; ++i) {
    sinew_report report;
    memset(&report, 0x55, sizeof report);
    assert_int_equal(sinew_solver_search(solver, &bad[i], &target, 1, q, &report),
                     SINEW_ERROR_ARGUMENT);
    assert_string_equal(error->name, names[i]);
    assert_non_null(strstr(error->message, words[i]));
    assert_refused(&report);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// Batches and crowds report why a call was refused, and batches why a row was.
// req: A8
static void batches_and_crowds_name_the_invalid_argument(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  const sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, ARM_FLANGE),
                               task_of(SINEW_TASK_ORIENTATION, ARM_FLANGE)};
  const sinew_batch_def batch_def = sinew_default_batch_def();
  const sinew_crowd_def crowd_def = sinew_default_crowd_def();
  sinew_batch *batch = NULL;
  sinew_batch_worker *worker = NULL;
  sinew_crowd *crowd = NULL;
  sinew_crowd_worker *crowd_worker = NULL;
  sinew_error error;
  assert_ok(sinew_batch_create(&batch_def, arm, tasks, 2, &batch, &error));
  assert_ok(sinew_batch_worker_create(batch, &worker, &error));
  assert_ok(sinew_crowd_create(&crowd_def, arm, tasks, 2, &crowd, &error));
  assert_ok(sinew_crowd_worker_create(crowd, &crowd_worker, &error));

  double targets[7] = {0.4, 0.1, 0.5, 1.0, 0.0, 0.0, 0.0}, q[7] = {0};
  double seeds[7] = {0.0, 0.1, 0.2, -1.0, 0.3, 1.0, 0.4};
  sinew_batch_arrays arrays = {.targets = targets, .seeds = seeds, .q = q};
  assert_ok(sinew_batch_check(batch, &arrays, 0, &error));
  targets[2] = NAN;
  assert_int_equal(sinew_batch_check(batch, &arrays, 0, &error), SINEW_ERROR_NOT_FINITE);
  assert_non_null(strstr(error.message, "target 0: z is "));
  targets[2] = 0.5;
  targets[3] = 0.0;
  assert_int_equal(sinew_batch_check(batch, &arrays, 0, &error), SINEW_ERROR_NOT_FINITE);
  assert_string_equal(error.message, "target 1: rotation is zero");
  targets[3] = 1.0;
  seeds[6] = INFINITY;
  assert_int_equal(sinew_batch_check(batch, &arrays, 0, &error), SINEW_ERROR_NOT_FINITE);
  assert_string_equal(error.name, "joint6");
  assert_non_null(strstr(error.message, "is inf"));

  arrays.q_stride = 3;
  assert_int_equal(sinew_batch_solve(batch, worker, &arrays, 0, 1), SINEW_ERROR_ARGUMENT);
  assert_string_equal(sinew_batch_worker_last_error(worker)->name, "q_stride");
  assert_string_equal(sinew_batch_worker_last_error(worker)->message, "3 is less than 7 values");
  assert_int_equal(sinew_batch_check(batch, &arrays, 0, &error), SINEW_ERROR_ARGUMENT);

  sinew_crowd_arrays figures = {.targets = targets, .target_stride = 2, .q = q};
  assert_int_equal(sinew_crowd_update(crowd, crowd_worker, &figures, 0, 1), SINEW_ERROR_ARGUMENT);
  assert_string_equal(sinew_crowd_worker_last_error(crowd_worker)->name, "target_stride");
  figures.target_stride = 0;
  assert_int_equal(sinew_crowd_update(crowd, crowd_worker, &figures, 0, 2), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(sinew_crowd_worker_last_error(crowd_worker)->message, "the crowd's 1"));
  sinew_crowd_worker_destroy(crowd_worker);
  sinew_crowd_destroy(crowd);
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
  sinew_model_destroy(arm);
}

// ------------------------------------------------------------------- nothing asked for

static void assert_nothing(const sinew_report *report) {
  assert_int_equal(report->outcome, SINEW_OUTCOME_NO_TASK);
  assert_int_equal(report->counted_tasks, 0);
  assert_int_equal(report->worst_task, -1);
  assert_true(report->position_error == -1.0 && report->orientation_error == -1.0);
}

// Without tasks, and where all have weight 0 (or one that rounds to 0), no call reports success.
// One task with a weight beside them counts, alone.
static void solves_without_weights_do_not_converge(void **state) {
  (void)state;
  assert_string_equal(sinew_outcome_string(SINEW_OUTCOME_NO_TASK), "no_task");
  sinew_model *arm = fixture_arm();
  sinew_task tasks[3] = {task_of(SINEW_TASK_POSITION, ARM_FLANGE),
                         task_of(SINEW_TASK_POSE, ARM_FLANGE),
                         task_of(SINEW_TASK_POSITION, ARM_FLANGE)};
  tasks[0].position_weight = 0.0;
  tasks[1].position_weight = 1e-13;
  tasks[1].orientation_weight = 0.0;
  sinew_solver *solver = solver_with(NULL, arm, tasks, 2);
  const double start[7] = {0.0, 0.1, 0.2, -1.0, 0.3, 1.0, 0.4};
  sinew_target targets[3] = {target_at(arm, &tasks[0], start), target_at(arm, &tasks[1], start),
                             target_at(arm, &tasks[2], start)};
  for (int count = 2; count >= 0; count -= 2) {
    double q[7], solutions[14], position, orientation;
    int found = 99;
    sinew_report report;
    memcpy(q, start, sizeof q);
    assert_ok(sinew_solver_set_tasks(solver, tasks, count, NULL));
    assert_ok(sinew_solver_update(solver, targets, count, q, &report));
    assert_nothing(&report);
    assert_ok(sinew_solver_solve_local(solver, targets, count, q, &report));
    assert_nothing(&report);
    assert_ok(sinew_solver_solve(solver, targets, count, q, &report));
    assert_nothing(&report);
    assert_ok(
        sinew_solver_solve_all(solver, NULL, targets, count, q, 2, solutions, &found, &report));
    assert_nothing(&report);
    assert_int_equal(found, 0);
    assert_memory_equal(q, start, sizeof q);
    if (count > 0) {
      assert_ok(sinew_solver_task_error(solver, 1, &position, &orientation));
      assert_true(position == -1.0 && orientation == -1.0);
    }

    sinew_batch_def batch_def = sinew_default_batch_def();
    sinew_crowd_def crowd_def = sinew_default_crowd_def();
    sinew_batch *batch = NULL;
    sinew_batch_worker *worker = NULL;
    sinew_crowd *crowd = NULL;
    sinew_crowd_worker *crowd_worker = NULL;
    sinew_batch_row row = {.outcome = SINEW_OUTCOME_CONVERGED};
    double values[10] = {0.4, 0.1, 0.5, 0.4, 0.1, 0.5, 1.0};
    assert_ok(sinew_batch_create(&batch_def, arm, tasks, count, &batch, NULL));
    assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
    const sinew_batch_arrays arrays = {.targets = values, .q = q, .rows = &row};
    assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, 1));
    assert_int_equal(row.outcome, SINEW_OUTCOME_NO_TASK);
    assert_true(row.position_error == -1.0 && row.orientation_error == -1.0);
    row.outcome = SINEW_OUTCOME_CONVERGED;
    assert_ok(sinew_crowd_create(&crowd_def, arm, tasks, count, &crowd, NULL));
    assert_ok(sinew_crowd_worker_create(crowd, &crowd_worker, NULL));
    const sinew_crowd_arrays figures = {.targets = values, .q = q, .rows = &row};
    assert_ok(sinew_crowd_update(crowd, crowd_worker, &figures, 0, 1));
    assert_int_equal(row.outcome, SINEW_OUTCOME_NO_TASK);
    assert_true(row.position_error == -1.0 && row.orientation_error == -1.0);
    sinew_crowd_worker_destroy(crowd_worker);
    sinew_crowd_destroy(crowd);
    sinew_batch_worker_destroy(worker);
    sinew_batch_destroy(batch);
  }
  double q[7];
  sinew_report report;
  memcpy(q, start, sizeof q);
  assert_ok(sinew_solver_set_tasks(solver, tasks, 3, NULL));
  assert_ok(sinew_solver_solve_local(solver, targets, 3, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  assert_int_equal(report.counted_tasks, 1);
  assert_int_equal(report.worst_task, 2);
  sinew_solver_destroy(solver);
  sinew_model_destroy(arm);
}

// ------------------------------------------------------------------------- banks

// A bank is valid for the tasks that it was made for, whatever the length of a direction's axis.
static void banks_accept_axes_of_any_length(void **state) {
  (void)state;
  sinew_model *arm = fixture_arm();
  sinew_bank_def bank_def = sinew_default_bank_def();
  bank_def.postures = 100;
  for (int round = 0; round < 40; ++round) {
    random_stream random = random_stream_of((uint64_t)round);
    sinew_task task = task_of(SINEW_TASK_DIRECTION, ARM_FLANGE);
    random_vector(&random, round % 2 == 0 ? 1.0 : 1e30, task.axis_l);
    sinew_solver *solver = solver_with(NULL, arm, &task, 1);
    sinew_bank *bank = NULL;
    sinew_batch *batch = NULL;
    sinew_error error;
    assert_ok(sinew_bank_create(&bank_def, arm, &task, 1, &bank, &error));
    sinew_global_def def = sinew_default_global_def();
    sinew_batch_def batch_def = sinew_default_batch_def();
    sinew_report report;
    sinew_target target = sinew_default_target();
    double q[7];
    def.bank = batch_def.bank = bank;
    random_vector(&random, 1.0, target.direction);
    sinew_configuration_middle(arm, q);
    assert_ok(sinew_solver_search(solver, &def, &target, 1, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_ok(sinew_batch_create(&batch_def, arm, &task, 1, &batch, &error));
    sinew_batch_destroy(batch);

    // With another axis it is refused, for a small rotation and for the opposite axis.
    for (int other = 0; other < 2; ++other) {
      sinew_task not_it = task;
      for (int i = 0; i < 3; ++i) {
        not_it.axis_l[i] *= other == 0 ? -1.0 : 1.0 + 1e-9 * i;
      }
      assert_ok(sinew_solver_set_tasks(solver, &not_it, 1, &error));
      assert_int_equal(sinew_solver_search(solver, &def, &target, 1, q, &report),
                       SINEW_ERROR_ARGUMENT);
      assert_string_equal(sinew_solver_last_error(solver)->name, "bank");
      assert_int_equal(sinew_batch_create(&batch_def, arm, &not_it, 1, &batch, &error),
                       SINEW_ERROR_ARGUMENT);
    }
    sinew_bank_destroy(bank);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(definitions_come_from_their_functions),
      cmocka_unit_test(other_sizes_are_not_written_beyond),
      cmocka_unit_test(tasks_have_rows),
      cmocka_unit_test(calls_name_the_invalid_argument),
      cmocka_unit_test(points_from_other_headers),
      cmocka_unit_test(settings_name_the_invalid_value),
      cmocka_unit_test(batches_and_crowds_name_the_invalid_argument),
      cmocka_unit_test(solves_without_weights_do_not_converge),
      cmocka_unit_test(banks_accept_axes_of_any_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
