// Robots of other projects: ten arms and a humanoid, poses that they can reach. Files of the
// optional data; skipped without them.
#include "fixtures.h"
#include "shared_data.h"
#include "sinew/formats.h"

#define MOST 64
#define POSES 20

static const char *const arms[] = {"baxter", "fetch7", "fetch8", "gen3",   "iiwa14",
                                   "jaco2",  "panda",  "pr2",    "tiago8", "ur5"};
#define ARMS 10

// A robot's model, and the tip link named in the first comment of its file, or -1.
static sinew_model *robot(const char *file, int *tip) {
  char path[4096], line[512] = "";
  snprintf(path, sizeof path, "%s/data/%s", shared_folder(), file);
  sinew_document *document = NULL;
  sinew_model *model = NULL;
  sinew_error error = {0};
  if (sinew_document_open(path, NULL, &document, &error) != SINEW_OK ||
      sinew_model_create(&document->model, &model, &error) != SINEW_OK) {
    fail_msg("%s: %s: %s", file, error.name, error.message);
  }
  sinew_document_destroy(document);
  FILE *text = fopen(path, "rb");
  assert_non_null(text);
  *tip = -1;
  while (*tip < 0 && fgets(line, sizeof line, text) != NULL) {
    const char *found = strstr(line, "tip=");
    char name[128];
    if (found != NULL && sscanf(found + 4, "%127[^; ]", name) == 1) {
      *tip = sinew_model_find_link(model, name);
    }
  }
  fclose(text);
  return model;
}

// The properties of every report, whatever the outcome, for reachable targets.
static void check_report(const sinew_model *model, const sinew_task *tasks,
                         const sinew_target *targets, int count, const double *q,
                         const sinew_report *report) {
  double most[2] = {0.0, 0.0};
  for (int t = 0; t < count; ++t) {
    double distance, angle;
    measure(model, &tasks[t], &targets[t], q, &distance, &angle);
    most[0] = fmax(most[0], distance);
    most[1] = fmax(most[1], angle);
  }
  const bool met = most[0] <= 1.0001e-6 && most[1] <= 1.0001e-6;
  assert_near(report->position_error, most[0], 1e-11);
  assert_near(report->orientation_error, most[1], 1e-7);
  assert_at_most(outside_limits(model, q), 0.0);
  assert_true(met == (report->outcome == SINEW_OUTCOME_CONVERGED));
  assert_int_not_equal(report->outcome, SINEW_OUTCOME_OUT_OF_REACH);
  if (report->outcome == SINEW_OUTCOME_BLOCKED_BY_LIMITS) {
    sinew_joint joint;
    assert_ok(sinew_model_joint(model, report->limiting_joint, &joint));
    bool at_limit = false;
    for (int i = 0; i < joint.nv; ++i) { // of these robots nq is nv
      const double value = q[joint.q_index + i];
      at_limit |= value == sinew_model_lower(model)[joint.v_index + i] ||
                  value == sinew_model_upper(model)[joint.v_index + i];
    }
    assert_true(at_limit);
  } else {
    assert_int_equal(report->limiting_joint, -1);
  }
}

// Random poses from the middle of the limits: most by the local solve from there alone, all with
// other starts.
// req: F2 E6 C6
static void ten_arms_reach_their_poses(void **state) {
  (void)state;
  for (int a = 0; a < ARMS; ++a) {
    char file[64];
    int tip, single = 0, all = 0, steps = 0;
    snprintf(file, sizeof file, "arms/%s.urdf", arms[a]);
    sinew_model *model = robot(file, &tip);
    assert_true(tip >= 0);
    const sinew_task task = task_of(SINEW_TASK_POSE, tip);
    sinew_solver_def def = sinew_default_solver_def();
    sinew_solver *standard = solver_with(&def, model, &task, 1);
    def.budget.max_starts = 1;
    sinew_solver *once = solver_with(&def, model, &task, 1);
    for (uint64_t pose = 0; pose < POSES; ++pose) {
      double q[MOST];
      sinew_report report;
      sinew_configuration_random(model, 111, pose, q);
      const sinew_target target = target_at(model, &task, q);
      sinew_configuration_middle(model, q);
      assert_ok(sinew_solver_solve_local(once, &target, 1, q, &report));
      check_report(model, &task, &target, 1, q, &report);
      single += report.outcome == SINEW_OUTCOME_CONVERGED;
      sinew_configuration_middle(model, q);
      assert_ok(sinew_solver_solve_local(standard, &target, 1, q, &report));
      check_report(model, &task, &target, 1, q, &report);
      all += report.outcome == SINEW_OUTCOME_CONVERGED;
      steps += report.steps;
    }
    print_message("%-8s %2d of %d in one local solve, %2d with other starts, %.1f steps\n", arms[a],
                  single, POSES, all, (double)steps / POSES);
    assert_int_equal(all, POSES);
    assert_true(single * 10 >= POSES * 7);
    sinew_solver_destroy(standard);
    sinew_solver_destroy(once);
    sinew_model_destroy(model);
  }
}

// A value at a fraction of each range; for joints without limits the range is one turn.
static void at_fraction(const sinew_model *model, double share, double *q) {
  const double *lower = sinew_model_lower(model), *upper = sinew_model_upper(model);
  assert_int_equal(sinew_model_nq(model), sinew_model_nv(model));
  for (int v = 0; v < sinew_model_nv(model); ++v) {
    const bool open = isinf(lower[v]) || isinf(upper[v]);
    const double low = open ? -PI : lower[v], high = open ? PI : upper[v];
    q[v] = low + share * (high - low);
  }
}

// req: F2
static void ten_arms_reach_a_third_of_their_range(void **state) {
  (void)state;
  for (int a = 0; a < ARMS; ++a) {
    char file[64];
    int tip;
    double q[MOST];
    sinew_report report;
    snprintf(file, sizeof file, "arms/%s.urdf", arms[a]);
    sinew_model *model = robot(file, &tip);
    const sinew_task task = task_of(SINEW_TASK_POSE, tip);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    at_fraction(model, 0.3, q);
    const sinew_target target = target_at(model, &task, q);
    sinew_configuration_middle(model, q);
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    check_report(model, &task, &target, 1, q, &report);
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// A hand that points straight down, half a metre up and in front of the arm.
// req: F2 E6
static void panda_points_down(void **state) {
  (void)state;
  int tip;
  double q[MOST];
  sinew_report report;
  sinew_model *model = robot("arms/panda.urdf", &tip);
  assert_int_equal(tip, sinew_model_find_link(model, "panda_link8"));
  const sinew_task task = task_of(SINEW_TASK_POSE, tip);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_target target = sinew_default_target();
  memcpy(target.position, (double[3]){0.4, 0.1, 0.5}, sizeof target.position);
  memcpy(target.rotation, (double[4]){0.0, 1.0, 0.0, 0.0}, sizeof target.rotation);
  for (int from_start = 0; from_start < 2; ++from_start) {
    if (from_start) {
      sinew_configuration_start(model, q);
    } else {
      sinew_configuration_middle(model, q);
    }
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    check_report(model, &task, &target, 1, q, &report);
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Both hands and both feet of a humanoid at once, whose legs share a coupled joint.
// req: F4 F2 A10
static void nao_reaches_with_hands_and_feet(void **state) {
  (void)state;
  static const char *const names[4] = {"l_gripper", "r_gripper", "l_sole", "r_sole"};
  int unused, converged = 0, steps = 0;
  sinew_model *model = robot("urdf/nao.urdf", &unused);
  sinew_task tasks[4];
  for (int t = 0; t < 4; ++t) {
    tasks[t] = task_of(SINEW_TASK_POSE, sinew_model_find_link(model, names[t]));
    assert_true(tasks[t].link >= 0);
  }
  sinew_solver *solver = solver_with(NULL, model, tasks, 4);
  for (uint64_t pose = 0; pose < POSES; ++pose) {
    double q[MOST];
    sinew_target targets[4];
    sinew_report report;
    assert_true(sinew_model_nq(model) <= MOST);
    sinew_configuration_random(model, 112, pose, q);
    for (int t = 0; t < 4; ++t) {
      targets[t] = target_at(model, &tasks[t], q);
    }
    sinew_configuration_middle(model, q);
    assert_ok(sinew_solver_solve_local(solver, targets, 4, q, &report));
    check_report(model, tasks, targets, 4, q, &report);
    converged += report.outcome == SINEW_OUTCOME_CONVERGED;
    steps += report.steps;
  }
  print_message("nao: %d of %d postures, %.1f steps\n", converged, POSES, (double)steps / POSES);
  assert_int_equal(converged, POSES);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Every method on every arm: reports are true and limits are kept, and the error is less than it
// was. req: D14 D15 D16
static void every_method_works_on_every_arm(void **state) {
  (void)state;
  for (int m = 0; m < SINEW_METHOD_COUNT; ++m) {
    int converged = 0;
    for (int a = 0; a < ARMS; ++a) {
      char file[64];
      int tip;
      snprintf(file, sizeof file, "arms/%s.urdf", arms[a]);
      sinew_model *model = robot(file, &tip);
      const sinew_task task = task_of(SINEW_TASK_POSE, tip);
      sinew_solver_def def = sinew_default_solver_def();
      def.step.method = (sinew_method)m;
      sinew_solver *solver = solver_with(&def, model, &task, 1);
      for (int i = 0; i < 3; ++i) {
        double q[MOST], before[2], after[2];
        sinew_report report;
        sinew_configuration_random(model, 44, (uint64_t)i, q);
        const sinew_target target = target_at(model, &task, q);
        sinew_configuration_middle(model, q);
        measure(model, &task, &target, q, &before[0], &before[1]);
        assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
        check_report(model, &task, &target, 1, q, &report);
        measure(model, &task, &target, q, &after[0], &after[1]);
        const double size = sinew_model_size(model);
        assert_true(hypot(after[0] / size, after[1]) < hypot(before[0] / size, before[1]));
        converged += report.outcome == SINEW_OUTCOME_CONVERGED;
      }
      sinew_solver_destroy(solver);
      sinew_model_destroy(model);
    }
    print_message("%-15s %2d of %d\n", sinew_method_string((sinew_method)m), converged, 3 * ARMS);
  }
}

// Every method on a skeleton of a motion capture: hands, feet and head of random postures.
// req: D14 D15 D16
static void every_method_works_on_a_skeleton(void **state) {
  (void)state;
  static const char *const names[5] = {"LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head"};
  enum { MANY = 256 };
  int tip;
  sinew_model *model = robot("bvh/cmu_12_01_walk.bvh", &tip);
  sinew_task tasks[5];
  assert_true(sinew_model_nq(model) <= MANY && sinew_model_nv(model) <= MANY);
  for (int t = 0; t < 5; ++t) {
    tasks[t] = task_of(SINEW_TASK_POSITION, sinew_model_find_link(model, names[t]));
    assert_true(tasks[t].link >= 0);
  }
  for (int m = 0; m < SINEW_METHOD_COUNT; ++m) {
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = (sinew_method)m;
    def.tolerances.position = 1e-3 * sinew_model_size(model);
    def.budget.max_steps = 200;
    sinew_solver *solver = solver_with(&def, model, tasks, 5);
    int converged = 0;
    for (int i = 0; i < 3; ++i) {
      double q[MANY], v[MANY], before = 0.0, after = 0.0;
      sinew_target targets[5];
      sinew_report report;
      random_stream random = random_stream_of(45 + (uint64_t)i);
      for (int j = 0; j < sinew_model_nv(model); ++j) {
        v[j] = random_between(&random, -0.4, 0.4);
      }
      sinew_configuration_start(model, q);
      sinew_configuration_integrate(model, q, v, q);
      for (int t = 0; t < 5; ++t) {
        targets[t] = target_at(model, &tasks[t], q);
      }
      sinew_configuration_start(model, q);
      for (int t = 0; t < 5; ++t) {
        double distance, angle;
        measure(model, &tasks[t], &targets[t], q, &distance, &angle);
        before = fmax(before, distance);
      }
      assert_ok(sinew_solver_solve_local(solver, targets, 5, q, &report));
      for (int t = 0; t < 5; ++t) {
        double distance, angle;
        measure(model, &tasks[t], &targets[t], q, &distance, &angle);
        after = fmax(after, distance);
      }
      assert_true((report.outcome == SINEW_OUTCOME_CONVERGED) ==
                  (after <= 1.0001 * def.tolerances.position));
      assert_true(after < before);
      converged += report.outcome == SINEW_OUTCOME_CONVERGED;
    }
    print_message("%-15s %d of 3\n", sinew_method_string((sinew_method)m), converged);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_arms_reach_their_poses),
      cmocka_unit_test(ten_arms_reach_a_third_of_their_range),
      cmocka_unit_test(panda_points_down),
      cmocka_unit_test(nao_reaches_with_hands_and_feet),
      cmocka_unit_test(every_method_works_on_every_arm),
      cmocka_unit_test(every_method_works_on_a_skeleton),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
