// The soft error after a search, or after updates with targets at rest, against NLopt's SLSQP,
// which minimises it from the same solution with the required tasks as constraints within limits.
// req: E10
#include "fixtures.h"

#include <nlopt.h>

static const double rest[7] = {0.0, -0.3, 0.0, -1.8, 0.0, 1.6, 0.5};
#define POSTURE_WEIGHT 0.3
#define POINTER 5 // the link whose z axis should have a direction

typedef struct problem {
  sinew_model *model;
  sinew_state *state;
  sinew_target pose, direction;
  sinew_task_kind kind; // POSE, or POSITION, which the first rows of a pose are
} problem;

static int rows_of(const problem *p) {
  return p->kind == SINEW_TASK_POSE ? 6 : 3;
}

// The direction of the link's axis in a state that is placed.
static void find_pointer(const sinew_state *state, double axis[3]) {
  const double z[3] = {0.0, 0.0, 1.0};
  sinew_pose pose;
  assert_ok(sinew_state_link_pose(state, POINTER, &pose));
  sinew_quaternion_rotate(pose.rotation, z, axis);
}

// Half the squared error of direction and posture.
static double cost_of(const problem *p, const double *q) {
  const double *g = p->direction.direction;
  double a[3], across = 0.0, along = 0.0, sum;
  assert_ok(sinew_state_forward(p->state, q));
  find_pointer(p->state, a);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    across += pow(a[j] * g[k] - a[k] * g[j], 2.0);
    along += a[i] * g[i];
  }
  sum = pow(atan2(sqrt(across), along), 2.0);
  for (int i = 0; i < 7; ++i) {
    sum += pow(POSTURE_WEIGHT * (q[i] - rest[i]), 2.0);
  }
  return 0.5 * sum;
}

static double objective(unsigned n, const double *q, double *slope, void *context) {
  const problem *p = context;
  for (unsigned i = 0; slope != NULL && i < n; ++i) {
    double at[7], ahead;
    memcpy(at, q, sizeof at);
    at[i] = q[i] + 1e-6;
    ahead = cost_of(p, at);
    at[i] = q[i] - 1e-6;
    slope[i] = (ahead - cost_of(p, at)) / 2e-6;
  }
  return cost_of(p, q);
}

static void constraint(unsigned m, double *residual, unsigned n, const double *q, double *slope,
                       void *context) {
  const problem *p = context;
  double J[42], all[6];
  sinew_pose target;
  memcpy(target.position, p->pose.position, sizeof target.position);
  memcpy(target.rotation, p->pose.rotation, sizeof target.rotation);
  assert_ok(sinew_state_forward(p->state, q));
  assert_ok(sinew_state_residual_jacobian(p->state, ARM_FLANGE, NULL, &target, all, J));
  memcpy(residual, all, m * sizeof *all);
  if (slope != NULL) {
    memcpy(slope, J, (size_t)m * n * sizeof *J);
  }
}

// The least cost that SLSQP finds from q; infinite where it does not keep the pose.
static double least_cost(problem *p, const double *q) {
  double x[7], least = 0.0, residual[6], tolerances[6];
  nlopt_opt solver = nlopt_create(NLOPT_LD_SLSQP, 7);
  memcpy(x, q, sizeof x);
  for (int i = 0; i < 6; ++i) {
    tolerances[i] = 1e-9;
  }
  nlopt_set_lower_bounds(solver, sinew_model_lower(p->model));
  nlopt_set_upper_bounds(solver, sinew_model_upper(p->model));
  nlopt_set_min_objective(solver, objective, p);
  nlopt_add_equality_mconstraint(solver, (unsigned)rows_of(p), constraint, p, tolerances);
  nlopt_set_xtol_rel(solver, 1e-9);
  nlopt_set_maxeval(solver, 2000);
  const bool ended = nlopt_optimize(solver, x, &least) > 0;
  nlopt_destroy(solver);
  constraint((unsigned)rows_of(p), residual, 7, x, NULL, p);
  return ended && farthest(rows_of(p), residual, (double[6]){0.0}) <= 1e-6 ? least : INFINITY;
}

// How many of 500 costs are within 1 % of SLSQP's.
typedef struct agreement {
  int near, other,
      failed; // from our answer; lower from the solution before the descent; SLSQP failed
} agreement;

static agreement compare(sinew_task_kind kind) {
  problem p = {.model = fixture_arm(), .kind = kind};
  sinew_solver_def def = sinew_default_solver_def();
  sinew_task tasks[2] = {task_of(kind, ARM_FLANGE), task_of(SINEW_TASK_DIRECTION, POINTER)};
  sinew_objective posture = sinew_default_objective();
  agreement sum = {0, 0, 0};
  tasks[1].level = 1;
  posture.posture = rest;
  posture.weight = POSTURE_WEIGHT;
  assert_ok(sinew_state_create(p.model, NULL, &p.state, NULL));
  sinew_solver *plain = solver_with(&def, p.model, tasks, 1);
  def.lower.levels = def.lower.objectives = 1;
  sinew_solver *soft = solver_with(&def, p.model, tasks, 2);
  assert_ok(sinew_solver_set_objectives(soft, &posture, 1, NULL));
  for (int i = 0; i < 500; ++i) {
    double goal[7], q[7], before[7];
    random_stream random = random_stream_of((uint64_t)i);
    sinew_configuration_random(p.model, 1, (uint64_t)i, goal);
    sinew_configuration_random(p.model, 2, (uint64_t)i, q);
    memcpy(before, q, sizeof q);
    p.pose = target_at(p.model, &tasks[0], goal);
    p.direction = sinew_default_target();
    random_unit(&random, 3, p.direction.direction);
    const sinew_target targets[2] = {p.pose, p.direction};
    sinew_report report;
    assert_ok(sinew_solver_solve(plain, targets, 1, before, &report));
    assert_ok(sinew_solver_solve(soft, targets, 2, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    const double cost = cost_of(&p, q);
    const double from_answer = least_cost(&p, q), from_solution = least_cost(&p, before);
    sum.near += cost <= 1.01 * from_answer + 1e-9;
    sum.other += cost > 1.01 * from_solution + 1e-9;
    sum.failed += isinf(from_answer) || isinf(from_solution);
  }
  print_message("%d of 500 within 1 %% of SLSQP from the answer; another minimum in %d; SLSQP "
                "failed in %d\n",
                sum.near, sum.other, sum.failed);
  sinew_solver_destroy(plain);
  sinew_solver_destroy(soft);
  sinew_state_destroy(p.state);
  sinew_model_destroy(p.model);
  return sum;
}

// Over 500 poses: from our answer SLSQP gains less than 1 %; and from the solution before the
// descent it ends at most 1 % lower but in the few poses where it finds another local minimum.
static void the_soft_error_is_that_of_slsqp(void **state) {
  (void)state;
  const agreement sum = compare(SINEW_TASK_POSE);
  assert_int_equal(sum.near, 500);
  assert_true(sum.other <= 10);
  assert_true(sum.failed <= 10);
}

// The same of positions, which leave four joints free, and more local minima.
static void so_it_is_where_four_joints_are_free(void **state) {
  (void)state;
  const agreement sum = compare(SINEW_TASK_POSITION);
  assert_true(sum.near >= 497);
  assert_true(sum.other <= 30);
  assert_true(sum.failed <= 10);
}

// --------------------------------------------------------------- hard tasks

// An arm holds its flange where it is, keeps the z axis of a link within an angle of another one,
// or the link's origin above a plane, and has a posture.
typedef struct kept {
  sinew_model *model;
  sinew_state *state;
  sinew_task tasks[2];
  sinew_target targets[2];
  double posture[7];
} kept;

// How far the hard task's quantity is inside its range.
static double room_of(const kept *p, const double *q) {
  const sinew_target *target = &p->targets[1];
  double a[3], sum = 0.0;
  assert_ok(sinew_state_forward(p->state, q));
  if (p->tasks[1].kind == SINEW_TASK_PLANE) {
    sinew_pose pose;
    assert_ok(sinew_state_link_pose(p->state, POINTER, &pose));
    for (int i = 0; i < 3; ++i) {
      sum += target->direction[i] * (pose.position[i] - target->position[i]);
    }
    return sum;
  }
  find_pointer(p->state, a);
  for (int i = 0; i < 3; ++i) {
    sum += a[i] * target->direction[i];
  }
  return p->tasks[1].cone_angle - acos(fmax(-1.0, fmin(1.0, sum)));
}

static double posture_cost(unsigned n, const double *q, double *slope, void *context) {
  const kept *p = context;
  double sum = 0.0;
  for (unsigned i = 0; i < n; ++i) {
    const double away = q[i] - p->posture[i];
    sum += 0.5 * away * away;
    if (slope != NULL) {
      slope[i] = away;
    }
  }
  return sum;
}

static void flange_error(unsigned m, double *residual, unsigned n, const double *q, double *slope,
                         void *context) {
  const kept *p = context;
  sinew_pose pose;
  double J[42];
  (void)m;
  (void)n;
  assert_ok(sinew_state_forward(p->state, q));
  assert_ok(sinew_state_link_pose(p->state, ARM_FLANGE, &pose));
  assert_ok(sinew_state_jacobian(p->state, ARM_FLANGE, NULL, sinew_model_root(p->model), J));
  for (int i = 0; i < 3; ++i) {
    residual[i] = pose.position[i] - p->targets[0].position[i];
    for (int j = 0; slope != NULL && j < 7; ++j) {
      slope[7 * i + j] = J[7 * i + j];
    }
  }
}

static double lack_of_room(unsigned n, const double *q, double *slope, void *context) {
  const kept *p = context;
  for (unsigned i = 0; slope != NULL && i < n; ++i) {
    double at[7], ahead;
    memcpy(at, q, sizeof at);
    at[i] = q[i] + 1e-6;
    ahead = room_of(p, at);
    at[i] = q[i] - 1e-6;
    slope[i] = (room_of(p, at) - ahead) / 2e-6;
  }
  return -room_of(p, q);
}

static double least_posture_cost(kept *p, const double *q) {
  double x[7], least = INFINITY;
  const double tolerances[3] = {1e-9, 1e-9, 1e-9};
  nlopt_opt solver = nlopt_create(NLOPT_LD_SLSQP, 7);
  memcpy(x, q, sizeof x);
  nlopt_set_lower_bounds(solver, sinew_model_lower(p->model));
  nlopt_set_upper_bounds(solver, sinew_model_upper(p->model));
  nlopt_set_min_objective(solver, posture_cost, p);
  nlopt_add_equality_mconstraint(solver, 3, flange_error, p, tolerances);
  nlopt_add_inequality_constraint(solver, lack_of_room, p, 1e-9);
  nlopt_set_xtol_rel(solver, 1e-9);
  nlopt_set_maxeval(solver, 2000);
  const bool ended = nlopt_optimize(solver, x, &least) > 0;
  nlopt_destroy(solver);
  return ended ? least : INFINITY;
}

// The hard task is at its end in most of these figures, and its limits hold back others.
static void updates_end_at_the_minimum_within_hard_tasks(void **state) {
  (void)state;
  kept p = {.model = fixture_arm()};
  sinew_solver_def def = sinew_default_solver_def();
  sinew_objective posture = sinew_default_objective();
  int near = 0, failed = 0, pressed = 0;
  posture.posture = p.posture;
  def.lower.levels = def.lower.objectives = 1;
  def.hard_rows = 1;
  assert_ok(sinew_state_create(p.model, NULL, &p.state, NULL));
  for (int i = 0; i < 100; ++i) {
    double q[7];
    sinew_hard_row_report report;
    random_stream random = random_stream_of((uint64_t)i);
    sinew_configuration_random(p.model, 3, (uint64_t)i, q);
    sinew_configuration_random(p.model, 4, (uint64_t)i, p.posture);
    p.tasks[0] = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
    p.tasks[1] = task_of(i % 2 == 0 ? SINEW_TASK_PLANE : SINEW_TASK_DIRECTION, POINTER);
    p.tasks[1].hard = true;
    p.targets[0] = target_at(p.model, &p.tasks[0], q);
    p.targets[1] = target_at(p.model, &p.tasks[1], q);
    if (i % 2 == 0) {
      p.tasks[1].range_upper[0] = INFINITY;
      random_unit(&random, 3, p.targets[1].direction);
      for (int k = 0; k < 3; ++k) {
        p.targets[1].position[k] -= 0.02 * p.targets[1].direction[k];
      }
    } else {
      p.tasks[1].cone_angle = 0.2;
    }
    sinew_solver *solver = solver_with(&def, p.model, p.tasks, 2);
    assert_ok(sinew_solver_set_objectives(solver, &posture, 1, NULL));
    for (int update = 0; update < 600; ++update) {
      assert_ok(sinew_solver_update(solver, p.targets, 2, q, NULL));
      assert_true(room_of(&p, q) > -1e-8);
    }
    assert_ok(sinew_solver_hard_row(solver, 0, &report));
    pressed += report.side != 0;
    const double cost = posture_cost(7, q, NULL, &p), least = least_posture_cost(&p, q);
    near += cost <= 1.01 * least + 1e-9;
    failed += isinf(least);
    if (!(cost <= 1.01 * least + 1e-9))
      print_message("%d: %g, %g side %d room %g\n", i, cost, least, report.side, room_of(&p, q));
    sinew_solver_destroy(solver);
  }
  print_message(
      "%d of 100 within 1 %% of SLSQP, which failed in %d; %d at the end of their range\n", near,
      failed, pressed);
  sinew_state_destroy(p.state);
  sinew_model_destroy(p.model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_soft_error_is_that_of_slsqp),
      cmocka_unit_test(so_it_is_where_four_joints_are_free),
      cmocka_unit_test(updates_end_at_the_minimum_within_hard_tasks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
