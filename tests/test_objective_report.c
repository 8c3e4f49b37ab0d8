// How far objectives are from being met, by kinds, against what each kind's definition gives.
#include "fixtures.h"
#include "inspect.h"

#define MOST 96

static sinew_solver *solver_of(const sinew_model *model, const sinew_task *tasks, int count,
                               const sinew_objective *objectives, int objective_count) {
  sinew_solver_def def = sinew_default_solver_def();
  def.lower.levels = 1;
  def.lower.objectives = def.lower.rows = 4;
  sinew_solver *solver = solver_with(&def, model, tasks, count);
  sinew_error error;
  if (sinew_solver_set_objectives(solver, objectives, objective_count, &error) != SINEW_OK) {
    fail_msg("%s: %s", error.name, error.message);
  }
  return solver;
}

static sinew_objective objective_of(sinew_objective_kind kind) {
  sinew_objective objective = sinew_default_objective();
  objective.kind = kind;
  return objective;
}

static sinew_objective_report report_of(sinew_solver *solver, int objective, const double *q) {
  sinew_objective_report report;
  assert_ok(sinew_solver_objective(solver, objective, q, &report));
  return report;
}

// Trees with joints of all kinds: angles and distances are apart, and joints without a weight have
// no part. Damping and low change have nothing to report.
static void postures_have_their_largest_difference(void **state) {
  (void)state;
  bool slides = false, turns = false;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    random_tree_options options = random_tree_defaults();
    static random_tree tree;
    sinew_model *model = NULL;
    options.joints = 12;
    random_tree_make(&tree, seed, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    const int nv = sinew_model_nv(model);
    double q[MOST], posture[MOST], way[MOST], weights[MOST], most[2] = {-1.0, -1.0};
    sinew_configuration_random(model, 1, seed, q);
    sinew_configuration_random(model, 1, seed + 1000, posture);
    sinew_configuration_difference(model, q, posture, way);
    for (int v = 0; v < nv; ++v) {
      weights[v] = v % 3 == 0 ? 0.0 : 0.5;
      double *kind = &most[model->angular[v] ? 0 : 1];
      *kind = weights[v] > 0.0 ? fmax(*kind, fabs(way[v])) : *kind;
    }
    sinew_objective objectives[3] = {objective_of(SINEW_OBJECTIVE_POSTURE),
                                     objective_of(SINEW_OBJECTIVE_DAMPING),
                                     objective_of(SINEW_OBJECTIVE_LOW_CHANGE)};
    objectives[0].posture = posture;
    objectives[0].weights = weights;
    objectives[0].weight = 0.1;
    objectives[0].gain = 0.2;
    sinew_solver *solver = solver_of(model, NULL, 0, objectives, 3);
    const sinew_objective_report report = report_of(solver, 0, q);
    assert_true(report.angle == most[0] && report.distance == most[1] && report.value == -1.0);
    turns |= most[0] > 0.0;
    slides |= most[1] > 0.0;
    for (int i = 1; i < 3; ++i) {
      const sinew_objective_report none = report_of(solver, i, q);
      assert_true(none.angle == -1.0 && none.distance == -1.0 && none.value == -1.0);
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(turns && slides);
}

static void one_residual(void *context, const double *q, double *residual, double *jacobian) {
  const double *factor = context;
  residual[0] = *factor * q[0];
  residual[1] = *factor * q[1];
  for (int k = 0; jacobian != NULL && k < 8; ++k) {
    jacobian[k] = k == 0 || k == 5 ? *factor : 0.0;
  }
}

// The middle of limits, a coupling, and a residual of the caller's.
static void values_are_those_of_definitions(void **state) {
  (void)state;
  sinew_model *model = fixture_planar_limited(4, 0.5, -1.0, 2.0, 1.0);
  const double q[4] = {0.3, 0.4, -0.9, 1.5}, coefficients[4] = {1.0, 0.0, -2.0, 0.0};
  double factor = 2.0;
  sinew_objective objectives[3] = {objective_of(SINEW_OBJECTIVE_LIMITS),
                                   objective_of(SINEW_OBJECTIVE_COUPLING),
                                   objective_of(SINEW_OBJECTIVE_CALLBACK)};
  objectives[1].coefficients = coefficients;
  objectives[1].value = 3.0;
  objectives[2].rows = 2;
  objectives[2].function = one_residual;
  objectives[2].context = &factor;
  sinew_solver *solver = solver_of(model, NULL, 0, objectives, 3);
  assert_near(report_of(solver, 0, q).angle, 1.4, 1e-15); // the middle is 0.5
  assert_near(report_of(solver, 0, q).distance, -1.0, 0.0);
  assert_near(report_of(solver, 1, q).value, fabs(3.0 - 0.3 - 1.8), 1e-15);
  assert_near(report_of(solver, 2, q).value, 2.0 * 0.5, 1e-15);
  factor = NAN;
  assert_true(isinf(report_of(solver, 2, q).value));
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Two links of 0.5 m in the plane z = 0: w goes with sin(elbow), but for the 1e-6 in it that keeps
// it above 0 where the arm is straight.
static void manipulability_is_that_of_two_links(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(2, 0.5);
  sinew_task task = task_of(SINEW_TASK_POSITION, 2);
  sinew_objective objective = objective_of(SINEW_OBJECTIVE_MANIPULABILITY);
  task.point_l[0] = 0.5;
  objective.task = &task;
  sinew_solver *solver = solver_of(model, NULL, 0, &objective, 1);
  double before = 0.0;
  for (double elbow = 0.1; elbow < 1.5; elbow += 0.2) {
    const double w = report_of(solver, 0, (double[]){0.3, elbow}).value;
    assert_true(w > before);
    before = w;
  }
  const double wide = report_of(solver, 0, (double[]){0.3, 1.5}).value;
  const double narrow = report_of(solver, 0, (double[]){0.9, 0.5}).value;
  assert_near(narrow / wide, sin(0.5) / sin(1.5), 1e-4);
  // w^2 = det(J J^T + 1e-6 I), by the public Jacobian in sizes.
  double J[12], size = sinew_model_size(model), q[2] = {0.3, 1.5}, A[3] = {1e-6, 0.0, 1e-6};
  sinew_state *at;
  assert_ok(sinew_state_create(model, NULL, &at, NULL));
  assert_ok(sinew_state_forward(at, q));
  assert_ok(sinew_state_jacobian(at, 2, task.point_l, 0, J));
  for (int v = 0; v < 2; ++v) {
    A[0] += J[v] * J[v] / (size * size);
    A[1] += J[v] * J[2 + v] / (size * size);
    A[2] += J[2 + v] * J[2 + v] / (size * size);
  }
  assert_near(wide, sqrt((A[0] * A[2] - A[1] * A[1]) * 1e-6), 1e-12); // z adds 1e-6
  sinew_state_destroy(at);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A limb in the plane z = 0 with its pole at an angle from that plane; a pole without a direction
// has none.
static void poles_have_their_angle(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(3, 0.5);
  const double q[3] = {0.0, 1.0, 0.3};
  sinew_objective pole = objective_of(SINEW_OBJECTIVE_POLE);
  memcpy(pole.links, (int[]){1, 2, 3}, sizeof pole.links);
  pole.pole_is_direction = true;
  // From root to end the line is at 0.5 rad; the middle is at its right, (sin 0.5, -cos 0.5).
  for (double psi = -1.2; psi < 1.3; psi += 0.4) {
    const double side[3] = {cos(psi) * sin(0.5), -cos(psi) * cos(0.5), sin(psi)};
    memcpy(pole.pole, side, sizeof side);
    sinew_solver *solver = solver_of(model, NULL, 0, &pole, 1);
    assert_near(report_of(solver, 0, q).angle, fabs(psi), 1e-12);
    sinew_solver_destroy(solver);
  }
  memset(pole.pole, 0, sizeof pole.pole);
  sinew_solver *solver = solver_of(model, NULL, 0, &pole, 1);
  assert_true(report_of(solver, 0, q).angle == -1.0);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Updates between which objectives are measured elsewhere have the bits of those without.
static void measuring_keeps_the_history(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, ARM_FLANGE),
                         task_of(SINEW_TASK_DIRECTION, ARM_FLANGE)};
  sinew_objective objectives[2] = {objective_of(SINEW_OBJECTIVE_POSTURE),
                                   objective_of(SINEW_OBJECTIVE_MANIPULABILITY)};
  tasks[1].level = 1;
  objectives[1].task = &tasks[0];
  sinew_solver *solver = solver_of(model, tasks, 2, objectives, 2);
  sinew_solver *measured = solver_of(model, tasks, 2, objectives, 2);
  double q[8], p[8], elsewhere[8];
  sinew_configuration_middle(model, q);
  memcpy(p, q, sizeof p);
  for (int i = 0; i < 200; ++i) {
    sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
    memcpy(targets[0].position, (double[]){0.4 + 0.1 * cos(0.05 * i), 0.1 * sin(0.07 * i), 0.5},
           sizeof targets[0].position);
    memcpy(targets[1].direction, (double[]){0.0, 0.3, -1.0}, sizeof targets[1].direction);
    assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
    assert_ok(sinew_solver_update(measured, targets, 2, p, NULL));
    sinew_configuration_random(model, 1, (uint64_t)i, elsewhere);
    report_of(measured, i % 2, i % 3 == 0 ? p : elsewhere);
    assert_memory_equal(p, q, (size_t)sinew_model_nq(model) * sizeof(double));
  }
  sinew_solver_destroy(solver);
  sinew_solver_destroy(measured);
  sinew_model_destroy(model);
}

static void invalid_calls_are_refused(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(2, 0.5);
  const sinew_objective objective = objective_of(SINEW_OBJECTIVE_POSTURE);
  const double q[2] = {0.1, NAN};
  sinew_objective_report report;
  sinew_solver *plain = solver_with(NULL, model, NULL, 0);
  sinew_solver *solver = solver_of(model, NULL, 0, &objective, 1);
  assert_int_equal(sinew_solver_objective(plain, 0, q, &report), SINEW_ERROR_INDEX);
  assert_int_equal(sinew_solver_objective(solver, 1, q, &report), SINEW_ERROR_INDEX);
  assert_int_equal(sinew_solver_objective(solver, -1, q, &report), SINEW_ERROR_INDEX);
  assert_int_equal(sinew_solver_objective(solver, 0, q, &report), SINEW_ERROR_NOT_FINITE);
  assert_true(report.angle == -1.0 && report.distance == -1.0 && report.value == -1.0);
  assert_non_null(strstr(sinew_solver_last_error(solver)->message, "q[1]"));
  sinew_solver_destroy(plain);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(postures_have_their_largest_difference),
      cmocka_unit_test(values_are_those_of_definitions),
      cmocka_unit_test(manipulability_is_that_of_two_links),
      cmocka_unit_test(poles_have_their_angle),
      cmocka_unit_test(measuring_keeps_the_history),
      cmocka_unit_test(invalid_calls_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
