// The public interface refuses what cannot be meant, and says what it was.
#include "fixtures.h"
#include "link.h"
#include "sinew/crowd.h"

// -------------------------------------------------- structs and their default functions

// Each definition in turn: made by its default function, zeroed, and as a program would have it
// whose headers are of another version.
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

// A definition that was only zeroed, and one of another size, are refused with the struct's name,
// its number where there are several, and the function to start from; the defaults are taken.
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

// What a program with other headers gets from an init function: its own size, nothing beyond it.
static void other_sizes_are_not_written_beyond(void **state) {
  (void)state;
  unsigned char bytes[sizeof(sinew_target) + 64];
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

// A task whose kind controls nothing that is not free.
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
    assert_string_equal(error.message, "task 1: free_axes leaves free all that the kind controls");
    task.free_axes &= ~9u;
    assert_ok(try_task(&task, &error));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(definitions_come_from_their_functions),
      cmocka_unit_test(other_sizes_are_not_written_beyond),
      cmocka_unit_test(tasks_have_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
