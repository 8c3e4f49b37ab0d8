// A real humanoid that is led by updates to poses of hands and feet (optional data): how many
// updates it takes from a near start, and how many far poses are reached from one seed.
#include "urdf_shared.h"

#include <stdbool.h>

#define TASKS 4
#define MOST_NQ 64
#define MOST_NV 64
#define PROBLEMS 60
#define ARRIVED 1e-5 // [m, rad]
#define NEAR 0.1     // [rad, m]
#define MOST_UPDATES 300

typedef struct humanoid {
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  sinew_task tasks[TASKS];
  sinew_target targets[TASKS];
  double q[MOST_NQ], at[MOST_NQ];
} humanoid;

static void open_humanoid(humanoid *h, bool escape) {
  static const char *const links[TASKS] = {"left_rubber_hand", "right_rubber_hand",
                                           "left_ankle_roll_link", "right_ankle_roll_link"};
  char path[4096];
  snprintf(path, sizeof path, "%s/data/urdf/g1_29dof.urdf", shared_folder());
  sinew_read_def read = sinew_default_read_def();
  read.floating_base = true;
  sinew_document *document;
  assert_int_equal(sinew_document_open(path, &read, &document, NULL), SINEW_OK);
  assert_int_equal(sinew_model_create(&document->model, &h->model, NULL), SINEW_OK);
  sinew_document_destroy(document);
  assert_true(sinew_model_nq(h->model) <= MOST_NQ && sinew_model_nv(h->model) <= MOST_NV);
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = TASKS;
  def.tracking.escape = escape;
  assert_int_equal(sinew_state_create(h->model, NULL, &h->state, NULL), SINEW_OK);
  assert_int_equal(sinew_solver_create(&def, h->model, &h->solver, NULL), SINEW_OK);
  for (int t = 0; t < TASKS; ++t) {
    h->tasks[t] = sinew_default_task();
    h->tasks[t].kind = SINEW_TASK_POSE;
    h->tasks[t].link = sinew_model_find_link(h->model, links[t]);
    assert_true(h->tasks[t].link >= 0);
  }
}

static void close_humanoid(humanoid *h) {
  sinew_solver_destroy(h->solver);
  sinew_state_destroy(h->state);
  sinew_model_destroy(h->model);
}

// A random configuration, and its poses as targets.
static void set_problem(humanoid *h, int number) {
  sinew_configuration_random(h->model, 21, (uint64_t)number, h->at);
  assert_int_equal(sinew_state_forward(h->state, h->at), SINEW_OK);
  for (int t = 0; t < TASKS; ++t) {
    sinew_pose pose;
    assert_int_equal(sinew_state_link_pose(h->state, h->tasks[t].link, &pose), SINEW_OK);
    h->targets[t] = sinew_default_target();
    memcpy(h->targets[t].position, pose.position, sizeof pose.position);
    memcpy(h->targets[t].rotation, pose.rotation, sizeof pose.rotation);
  }
  assert_int_equal(sinew_solver_set_tasks(h->solver, h->tasks, TASKS, NULL), SINEW_OK);
}

// All values changed by up to NEAR, within the limits.
static void start_near(humanoid *h, int number) {
  double change[MOST_NV];
  for (int v = 0; v < sinew_model_nv(h->model); ++v) {
    change[v] = NEAR * (2.0 * sinew_random_uniform(22, (uint64_t)(number * MOST_NV + v)) - 1.0);
  }
  sinew_configuration_integrate(h->model, h->at, change, h->q);
  for (int j = 0; j < sinew_model_joint_count(h->model); ++j) {
    sinew_joint joint;
    assert_int_equal(sinew_model_joint(h->model, j, &joint), SINEW_OK);
    for (int i = 0; joint.nq == joint.nv && i < joint.nv; ++i) {
      const double lower = sinew_model_lower(h->model)[joint.v_index + i];
      const double upper = sinew_model_upper(h->model)[joint.v_index + i];
      h->q[joint.q_index + i] = fmax(lower, fmin(h->q[joint.q_index + i], upper));
    }
  }
}

// Updates until all errors are within ARRIVED, or MOST_UPDATES + 1.
static int updates_to_arrive(humanoid *h) {
  sinew_report report;
  int updates = 0;
  for (; updates <= MOST_UPDATES; ++updates) {
    assert_int_equal(sinew_solver_update(h->solver, h->targets, TASKS, h->q, &report), SINEW_OK);
    if (report.position_error <= ARRIVED && report.orientation_error <= ARRIVED) {
      break; // the errors are those before the update
    }
  }
  return updates;
}

// From within 0.1 rad a loop of updates comes within 1e-5 in at most 5, in the mean; Gauss-Newton
// by a quadratic program needs 3.8.
// req: F4
static void near_poses_take_few_updates(void **state) {
  (void)state;
  humanoid h;
  int sum = 0;
  open_humanoid(&h, false);
  for (int i = 0; i < PROBLEMS; ++i) {
    set_problem(&h, i);
    start_near(&h, i);
    const int updates = updates_to_arrive(&h);
    assert_true(updates <= 40);
    sum += updates;
  }
  print_message("%.2f updates\n", (double)sum / PROBLEMS);
  assert_true(sum <= 5 * PROBLEMS);
  close_humanoid(&h);
}

// From the middle of the limits, where local minima stop a tenth to a fifth without an escape.
// req: F4
static void far_poses_are_reached_from_one_seed(void **state) {
  (void)state;
  humanoid h;
  int arrived = 0;
  open_humanoid(&h, true);
  for (int i = 0; i < PROBLEMS; ++i) {
    set_problem(&h, i);
    sinew_configuration_middle(h.model, h.q);
    arrived += updates_to_arrive(&h) <= MOST_UPDATES;
  }
  print_message("%d of %d\n", arrived, PROBLEMS);
  assert_true(10 * arrived >= 9 * PROBLEMS);
  close_humanoid(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(near_poses_take_few_updates),
      cmocka_unit_test(far_poses_are_reached_from_one_seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
