// Objectives that have rows or gradients of their own: the middle of limits, couplings,
// manipulability and a caller's residual.
#include "fixtures.h"
#include "inspect.h"

#define MOST 96

static sinew_solver *solver_of(const sinew_model *model, const sinew_task *tasks, int count,
                               const sinew_objective *objectives, int objective_count) {
  sinew_solver_def def = sinew_default_solver_def();
  def.lower.levels = 2;
  def.lower.objectives = 4;
  def.lower.rows = 6;
  sinew_solver *solver = solver_with(&def, model, tasks, count);
  sinew_error error;
  if (sinew_solver_set_objectives(solver, objectives, objective_count, &error) != SINEW_OK) {
    fail_msg("%s: %s", error.name, error.message);
  }
  return solver;
}

// -------------------------------------------------------------- manipulability

// ln w at q, and its gradient.
static double measure_w(const sinew_model *model, sinew_state *state, const sinew_task *task,
                        const int *active, const double *q, double *gradient) {
  double J[6 * MOST];
  const sinew_target here = target_at(model, task, q);
  sinew_manipulability_query query = {.node = model->link_node[task->link],
                                      .linear = task->kind != SINEW_TASK_ORIENTATION,
                                      .angular = task->kind != SINEW_TASK_POSITION,
                                      .size = sinew_model_size(model),
                                      .active = active};
  memcpy(query.s, here.position, sizeof query.s);
  assert_ok(sinew_state_forward(state, q));
  return sinew_state_manipulability(state, &query, J, gradient);
}

// ln w of a point, from the public Jacobian.
static double logarithm_of_points(const sinew_model *model, sinew_state *state,
                                  const sinew_task *task, const int *active, double size) {
  double J[6 * MOST], A[9] = {0.0};
  assert_ok(sinew_state_jacobian(state, task->link, task->point_l, 0, J));
  for (int r = 0; r < 9; ++r) {
    A[r] = r % 4 == 0 ? 1e-6 : 0.0;
    for (int v = 0; v < model->nv; ++v) {
      const double unit = (model->angular[v] ? 1.0 : size) / size;
      A[r] +=
          active[v] < 0 ? 0.0 : unit * unit * J[r / 3 * model->nv + v] * J[r % 3 * model->nv + v];
    }
  }
  return 0.5 * log(A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
                   A[2] * (A[3] * A[7] - A[4] * A[6]));
}

// The gradient is the derivative of ln w: joints of all kinds, coupled ones, some that do not move.
// req: E2
static void manipulability_has_its_gradient(void **state_) {
  (void)state_;
  random_stream random = random_stream_of(3);
  const double h = 1e-6;
  int regular = 0;
  for (int round = 0; round < 200; ++round) {
    static random_tree tree;
    random_tree_options options = random_tree_defaults();
    sinew_model *model = NULL;
    sinew_state *state = NULL;
    double q[MOST], at[MOST], v[MOST], gradient[MOST], none[MOST];
    int active[MOST];
    options.chain = 0.9;
    options.joints = 3 + round % 10;
    random_tree_make(&tree, (uint64_t)round, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    assert_ok(sinew_state_create(model, NULL, &state, NULL));
    sinew_task task =
        task_of((sinew_task_kind)(round % 3), random_below(&random, sinew_model_link_count(model)));
    random_vector(&random, 0.3, task.point_l);
    sinew_configuration_random(model, 1, (uint64_t)round, q);
    const double size = sinew_model_size(model);
    for (int i = 0; i < model->nv; ++i) {
      active[i] = random_below(&random, 5) == 0 ? -1 : i;
    }
    const double w = measure_w(model, state, &task, active, q, gradient);
    assert_true(isfinite(w));
    if (task.kind == SINEW_TASK_POSITION) { // ln w by the determinant of 3 x 3
      assert_near(w, logarithm_of_points(model, state, &task, active, size),
                  w > -6.0 ? 1e-9 : 1e-3);
    }
    for (int i = 0; i < model->nv; ++i) {
      double side[2];
      for (int k = 0; k < 2; ++k) {
        memset(v, 0, sizeof v);
        v[i] = (k == 0 ? -h : h) * (model->angular[i] ? 1.0 : size);
        sinew_configuration_integrate(model, q, v, at);
        side[k] = measure_w(model, state, &task, active, at, none);
      }
      const double difference = active[i] < 0 ? 0.0 : (side[1] - side[0]) / (2.0 * h);
      // near singular configurations differences lose digits: A is 1e-6 there
      const double tolerance = w > -6.0 ? 1e-5 : 1e-3;
      assert_near(gradient[i], difference, tolerance * (1.0 + fabs(difference)));
      regular += w > -6.0;
    }
    sinew_state_destroy(state);
    sinew_model_destroy(model);
  }
  assert_true(regular > 500);
}

// An arm of seven joints has one degree of freedom that its pose leaves: more than half of the
// solutions have more manipulability by it, none less by more than 1 %, and outcomes are the same.
static void solutions_have_more_manipulability(void **state_) {
  (void)state_;
  sinew_model *model = fixture_arm();
  sinew_state *state = NULL;
  sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_objective objective = sinew_default_objective();
  objective.kind = SINEW_OBJECTIVE_MANIPULABILITY;
  objective.task = &task;
  double gain = 0.0;
  int active[7], better = 0;
  for (int i = 0; i < 7; ++i) {
    active[i] = i;
  }
  assert_ok(sinew_state_create(model, NULL, &state, NULL));
  sinew_solver *plain = solver_of(model, &task, 1, NULL, 0);
  sinew_solver *soft = solver_of(model, &task, 1, &objective, 1);
  for (int round = 0; round < 200; ++round) {
    double goal[7], a[7], b[7], none[7];
    sinew_report x, y;
    sinew_configuration_random(model, 5, (uint64_t)round, goal);
    sinew_configuration_random(model, 6, (uint64_t)round, a);
    memcpy(b, a, sizeof b);
    const sinew_target target = target_at(model, &task, goal);
    assert_ok(sinew_solver_solve(plain, &target, 1, a, &x));
    assert_ok(sinew_solver_solve(soft, &target, 1, b, &y));
    assert_int_equal(x.outcome, y.outcome);
    const double before = measure_w(model, state, &task, active, a, none);
    const double after = measure_w(model, state, &task, active, b, none);
    assert_true(after >= before - 0.01);
    gain += after - before;
    better += after > before + 0.01;
  }
  assert_true(better > 100 && gain > 25.0);
  sinew_solver_destroy(plain);
  sinew_solver_destroy(soft);
  sinew_state_destroy(state);
  sinew_model_destroy(model);
}

// ------------------------------------------------------------------ derivatives

typedef struct probe {
  sinew_solver *solver;
  int level;  // its place in the list
  bool moved; // whether the objective reads the motion of the update, and not q
} probe;

// The cost of the objective at q, or after a motion of moved; D, g, and the rows from row 0 on.
static double cost_at(const probe *p, const double *q, int *rows) {
  sinew_levels *levels = p->solver->levels;
  levels->cost = 0.0;
  memset(levels->D, 0, (size_t)levels->n * sizeof(double));
  memset(levels->g, 0, (size_t)levels->n * sizeof(double));
  sinew_state_place(&p->solver->state, q);
  *rows = sinew_levels_add_objectives(p->solver, p->level, q, 0);
  return levels->cost;
}

// The slope of the cost by column c [rad, sizes], by central differences.
static double slope_by_differences(const probe *p, const double *q, int c) {
  const sinew_model *model = p->solver->model;
  const int v = p->solver->levels->dof_of_column[c];
  const double h = 1e-6;
  double side[2];
  for (int k = 0; k < 2; ++k) {
    const double by = k == 0 ? -h : h, unit = model->angular[v] ? 1.0 : p->solver->problem.size;
    double at[MOST] = {0.0}, way[MOST] = {0.0};
    int rows;
    way[v] = p->moved ? 0.0 : by * unit;
    sinew_configuration_integrate(model, q, way, at);
    p->solver->levels->moved[v] += p->moved ? by : 0.0;
    side[k] = cost_at(p, at, &rows);
    p->solver->levels->moved[v] -= p->moved ? by : 0.0;
  }
  return (side[1] - side[0]) / (2.0 * h);
}

static void squares(void *context, const double *q, double *residual, double *jacobian) {
  const sinew_model *model = context;
  residual[0] = residual[1] = 0.0;
  for (int v = 0; v < model->nv; ++v) {
    const bool counts = model->quaternion_axis[v] < 0;
    const double value = counts ? q[model->q_of_v[v]] : 0.0;
    residual[0] += 0.5 * value * value;
    residual[1] += (1 + v % 3) * value;
    if (jacobian != NULL) {
      jacobian[v] = value;
      jacobian[model->nv + v] = counts ? 1 + v % 3 : 0.0;
    }
  }
}

static sinew_objective objective_of(sinew_objective_kind kind, const sinew_model *model,
                                    const sinew_task *task, const double *posture,
                                    double *coefficients) {
  sinew_objective objective = sinew_default_objective();
  objective.kind = kind;
  objective.weight = 0.7;
  for (int v = 0; v < model->nv; ++v) {
    coefficients[v] = model->quaternion_axis[v] < 0 ? v % 4 - 1.5 : 0.0;
  }
  if (kind == SINEW_OBJECTIVE_POSTURE) {
    objective.posture = posture;
  } else if (kind == SINEW_OBJECTIVE_COUPLING) {
    objective.coefficients = coefficients;
    objective.value = 0.3;
  } else if (kind == SINEW_OBJECTIVE_MANIPULABILITY) {
    objective.task = task;
  } else if (kind == SINEW_OBJECTIVE_CALLBACK) {
    objective.rows = 2;
    objective.function = squares;
    objective.context = (void *)model;
  }
  return objective;
}

// The cost by include/sinew/objective.h, half the squares, for gain 1.
static double documented_cost(const sinew_solver *solver, const sinew_objective *objective,
                              const double *q) {
  const sinew_model *model = solver->model;
  const sinew_levels *levels = solver->levels;
  const double half_square = 0.5 * objective->weight * objective->weight;
  double wanted[MOST], d[MOST], sum = 0.0;
  if (objective->kind == SINEW_OBJECTIVE_CALLBACK) {
    double residual[2];
    objective->function(objective->context, q, residual, NULL);
    return half_square * (residual[0] * residual[0] + residual[1] * residual[1]);
  }
  if (objective->kind == SINEW_OBJECTIVE_COUPLING) {
    double value = objective->value;
    for (int v = 0; v < model->nv; ++v) {
      value -=
          model->quaternion_axis[v] < 0 ? objective->coefficients[v] * q[model->q_of_v[v]] : 0.0;
    }
    return half_square * value * value;
  }
  if (objective->kind == SINEW_OBJECTIVE_POSTURE) {
    memcpy(wanted, objective->posture, (size_t)model->nq * sizeof *wanted);
  } else {
    sinew_configuration_middle(model, wanted);
  }
  sinew_configuration_difference(model, q, wanted, d);
  for (int c = 0; c < levels->n; ++c) {
    const int v = levels->dof_of_column[c];
    const double range = model->upper[v] - model->lower[v];
    double x = d[v] / (model->angular[v] ? 1.0 : solver->problem.size);
    switch (objective->kind) {
    case SINEW_OBJECTIVE_LIMITS:
      x = range < INFINITY ? 2.0 * d[v] / range : 0.0;
      break;
    case SINEW_OBJECTIVE_DAMPING:
      x = levels->moved[v];
      break;
    case SINEW_OBJECTIVE_LOW_CHANGE:
      x = levels->moved[v] - levels->last[v];
      break;
    default: // POSTURE
      break;
    }
    sum += x * x;
  }
  return half_square * sum;
}

// What each kind adds to a step, g and J^T e, is the slope of its cost, and that is the documented
// one: of random trees with all kinds of joints. The pole, which leaves joints out, is compared
// with differences in test_pole.c.
static void each_kind_has_the_slope_of_its_cost(void **state) {
  (void)state;
  int compared[SINEW_OBJECTIVE_COUNT] = {0};
  for (int round = 0; round < 40 * SINEW_OBJECTIVE_POLE; ++round) {
    static random_tree tree;
    random_tree_options options = random_tree_defaults();
    const sinew_objective_kind kind = (sinew_objective_kind)(round % SINEW_OBJECTIVE_POLE);
    sinew_model *model = NULL;
    double q[MOST] = {0.0}, posture[MOST], coefficients[MOST];
    int rows;
    options.joints = 3 + round % 6;
    options.chain = 1.0;
    options.limited = 0.7;
    random_tree_make(&tree, (uint64_t)round, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    sinew_configuration_random(model, 1, (uint64_t)round, q);
    sinew_configuration_random(model, 2, (uint64_t)round, posture);
    const sinew_task task = task_of(SINEW_TASK_POSITION, sinew_model_link_count(model) - 1);
    const sinew_objective objective = objective_of(kind, model, &task, posture, coefficients);
    sinew_error error;
    sinew_solver_def def = sinew_default_solver_def();
    def.lower.levels = def.lower.objectives = 1;
    def.lower.rows = 2;
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    const sinew_result set = sinew_solver_set_objectives(solver, &objective, 1, &error);
    if (set != SINEW_OK && kind == SINEW_OBJECTIVE_COUPLING) { // no joint that it takes
      sinew_solver_destroy(solver);
      sinew_model_destroy(model);
      continue;
    }
    assert_ok(set);
    const sinew_target target = target_at(model, &task, posture);
    double p[MOST];
    memcpy(p, q, sizeof p);
    assert_ok(sinew_solver_update(solver, &target, 1, p, NULL));
    sinew_levels *levels = solver->levels;
    levels->list = levels->update;
    probe at = {.solver = solver,
                .moved = kind == SINEW_OBJECTIVE_DAMPING || kind == SINEW_OBJECTIVE_LOW_CHANGE};
    while (levels->list[at.level].number != 1) {
      ++at.level;
    }
    random_stream random = random_stream_of((uint64_t)round);
    for (int v = 0; v < model->nv; ++v) {
      levels->moved[v] = random_between(&random, -0.3, 0.3);
    }
    const double cost = cost_at(&at, q, &rows);
    if (kind != SINEW_OBJECTIVE_MANIPULABILITY) { // manipulability_has_its_gradient
      const double documented = documented_cost(solver, &objective, q);
      assert_near(cost, documented, 1e-12 * (1.0 + documented));
    }
    const int stride = sinew_level_stride(levels->n);
    double slope[MOST];
    for (int c = 0; c < levels->n; ++c) {
      slope[c] = -levels->g[c];
      for (int r = 0; r < rows; ++r) {
        slope[c] -= levels->J[r * stride + c] * levels->e[r];
      }
    }
    for (int c = 0; c < levels->n; ++c) {
      const double difference = slope_by_differences(&at, q, c);
      assert_near(slope[c], difference, 1e-6 * (1.0 + fabs(cost) + fabs(difference)));
      compared[kind] += fabs(difference) > 1e-3;
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  for (int kind = 0; kind < SINEW_OBJECTIVE_POLE; ++kind) {
    assert_true(compared[kind] > 30);
  }
}

// ---------------------------------------------------------------------- limits

// The middle of limits is a posture with weights over half the ranges.
static void limits_are_a_posture_in_the_middle(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const double *lower = sinew_model_lower(model), *upper = sinew_model_upper(model);
  sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
  double weights[7], middle[7];
  for (int i = 0; i < 7; ++i) {
    weights[i] = 2.0 / (upper[i] - lower[i]);
    middle[i] = 0.5 * (lower[i] + upper[i]);
  }
  sinew_objective limits = sinew_default_objective(), posture = sinew_default_objective();
  limits.kind = SINEW_OBJECTIVE_LIMITS;
  posture.weights = weights;
  posture.posture = middle;
  limits.gain = posture.gain = 0.4;
  limits.weight = posture.weight = 0.7;
  sinew_solver *a = solver_of(model, &task, 1, &limits, 1);
  sinew_solver *b = solver_of(model, &task, 1, &posture, 1);
  for (int round = 0; round < 20; ++round) {
    double goal[7], p[7], q[7];
    sinew_configuration_random(model, 5, (uint64_t)round, goal);
    sinew_configuration_random(model, 6, (uint64_t)round, p);
    memcpy(q, p, sizeof q);
    const sinew_target target = target_at(model, &task, goal);
    sinew_solver_reset(a);
    sinew_solver_reset(b);
    for (int update = 0; update < 5; ++update) {
      assert_ok(sinew_solver_update(a, &target, 1, p, NULL));
      assert_ok(sinew_solver_update(b, &target, 1, q, NULL));
    }
    assert_ok(sinew_solver_solve(a, &target, 1, p, NULL));
    assert_ok(sinew_solver_solve(b, &target, 1, q, NULL));
    for (int i = 0; i < 7; ++i) {
      assert_near(p[i], q[i], 1e-7);
    }
  }
  sinew_solver_destroy(a);
  sinew_solver_destroy(b);
  sinew_model_destroy(model);
}

// --------------------------------------------------------- couplings and callbacks

// A residual of one's own: the coupling below, and the square of one joint.
typedef struct caller {
  int nv;
  double coefficients[8], value;
  bool wrong, broken;
} caller;

static void callback(void *context, const double *q, double *residual, double *jacobian) {
  const caller *c = context;
  residual[0] = -c->value;
  for (int i = 0; i < c->nv; ++i) {
    residual[0] += c->coefficients[i] * q[i];
  }
  residual[1] = 0.1 * (q[1] * q[1] - 0.25);
  residual[0] = c->broken ? NAN : residual[0];
  for (int i = 0; jacobian != NULL && i < c->nv; ++i) {
    jacobian[i] = c->coefficients[i];
    jacobian[c->nv + i] = i == 1 ? 0.2 * q[1] : 0.0;
  }
  if (jacobian != NULL && c->wrong) {
    jacobian[c->nv + 1] = -0.2 * q[1];
  }
  if (jacobian != NULL && c->broken) {
    jacobian[0] = NAN;
  }
}

// A planar arm with the hand's position at level 0.
typedef struct hand {
  sinew_model *model;
  sinew_task task;
  caller caller;
  sinew_objective coupling, callback;
} hand;

static hand hand_make(void) {
  static const double coefficients[5] = {0.0, 1.0, -1.0, 0.5, 0.0};
  hand h = {.model = fixture_planar(5, 0.3), .task = task_of(SINEW_TASK_POSITION, 5)};
  h.task.point_l[0] = 0.3;
  h.caller = (caller){.nv = 5, .value = 0.2};
  memcpy(h.caller.coefficients, coefficients, sizeof coefficients);
  h.coupling = h.callback = sinew_default_objective();
  h.coupling.kind = SINEW_OBJECTIVE_COUPLING;
  h.coupling.coefficients = coefficients;
  h.coupling.value = 0.2;
  h.callback.kind = SINEW_OBJECTIVE_CALLBACK;
  h.callback.rows = 2;
  h.callback.function = callback;
  return h;
}

static double coupling_error(const hand *h, const double *q) {
  double sum = -h->caller.value;
  for (int i = 0; i < 5; ++i) {
    sum += h->caller.coefficients[i] * q[i];
  }
  return fabs(sum);
}

// Where the hand leaves room for them, couplings and the caller's rows are met in updates and in
// solves; and they cost the hand at most a tenth of the tolerance in every update.
static void rows_are_met_below_a_hand(void **state) {
  (void)state;
  hand h = hand_make();
  h.callback.context = &h.caller;
  sinew_solver *plain = solver_of(h.model, &h.task, 1, NULL, 0);
  for (int which = 0; which < 2; ++which) {
    const sinew_objective *objective = which == 0 ? &h.coupling : &h.callback;
    sinew_solver *solver = solver_of(h.model, &h.task, 1, objective, 1);
    for (int round = 0; round < 40; ++round) {
      double q[5], p[5], distance, without, none;
      sinew_report report;
      random_stream random = random_stream_of((uint64_t)round);
      for (int i = 0; i < 5; ++i) {
        q[i] = random_between(&random, 0.2, 0.7);
      }
      sinew_target target = target_at(h.model, &h.task, q);
      sinew_solver_reset(solver);
      for (int update = 0; update < 80; ++update) {
        target.position[1] += update < 40 ? 0.002 : 0.0;
        sinew_solver_reset(plain);
        memcpy(p, q, sizeof p);
        assert_ok(sinew_solver_update(plain, &target, 1, p, NULL));
        assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
        measure(h.model, &h.task, &target, p, &without, &none);
        measure(h.model, &h.task, &target, q, &distance, &none);
        assert_true(update == 0 || distance <= 1e-7 + fmax(without, 1e-6));
      }
      assert_at_most(coupling_error(&h, q), which == 0 ? 1e-7 : 1e-5);
      for (int i = 0; i < 5; ++i) {
        q[i] = 0.5 + 0.1 * sin(round + i);
      }
      assert_ok(sinew_solver_solve(solver, &target, 1, q, &report));
      assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
      measure(h.model, &h.task, &target, q, &distance, &none);
      assert_at_most(distance, 1e-6);
      assert_at_most(coupling_error(&h, q), 1e-4);
    }
    sinew_solver_destroy(solver);
  }
  sinew_solver_destroy(plain);
  sinew_model_destroy(h.model);
}

// A level below keeps what a coupling determines, though it wants another value; a callback without
// a finite value has no row.
static void rows_are_kept_by_levels_below(void **state) {
  (void)state;
  hand h = hand_make();
  h.caller.broken = true;
  h.callback.context = &h.caller;
  sinew_objective objectives[3] = {h.coupling, h.callback, h.coupling};
  objectives[2].level = 2;
  objectives[2].value = 0.9;
  sinew_solver *solver = solver_of(h.model, &h.task, 1, objectives, 3);
  double q[5] = {0.3, 0.4, 0.5, 0.6, 0.2}, distance, none;
  const sinew_target target = target_at(h.model, &h.task, q);
  for (int update = 0; update < 100; ++update) {
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
  }
  measure(h.model, &h.task, &target, q, &distance, &none);
  assert_at_most(distance, 1e-6);
  assert_at_most(coupling_error(&h, q), 1e-6);
  sinew_solver_destroy(solver);
  sinew_model_destroy(h.model);
}

// The caller's derivative is held against differences, and the worst entry is named.
static void a_wrong_derivative_is_named(void **state) {
  (void)state;
  hand h = hand_make();
  h.callback.context = &h.caller;
  const sinew_objective both[2] = {h.coupling, h.callback};
  sinew_solver *solver = solver_of(h.model, &h.task, 1, both, 2);
  const double q[5] = {0.3, 0.4, 0.5, 0.6, 0.2}, bad[5] = {0.3, NAN, 0.5, 0.6, 0.2};
  sinew_error error;
  sinew_joint joint;
  assert_ok(sinew_solver_check_callback(solver, 1, q, 1e-6, &error));
  h.caller.wrong = true;
  assert_int_equal(sinew_solver_check_callback(solver, 1, q, 1e-6, &error), SINEW_ERROR_ARGUMENT);
  assert_ok(sinew_model_joint(h.model, 1, &joint));
  assert_string_equal(error.name, joint.name);
  assert_non_null(strstr(error.message, "jacobian[1][1] is -0.08, by differences 0.08"));
  h.caller.wrong = false;
  h.caller.broken = true;
  assert_int_equal(sinew_solver_check_callback(solver, 1, q, 1e-6, &error), SINEW_ERROR_ARGUMENT);
  h.caller.broken = false;
  assert_int_equal(sinew_solver_check_callback(solver, 0, q, 1e-6, &error), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_check_callback(solver, 2, q, 1e-6, &error), SINEW_ERROR_INDEX);
  assert_int_equal(sinew_solver_check_callback(solver, 1, bad, 1e-6, &error),
                   SINEW_ERROR_NOT_FINITE);
  sinew_solver_destroy(solver);
  sinew_model_destroy(h.model);
}

// Batches copy what objectives point to, and give what a solver gives.
static void batches_take_all_kinds(void **state) {
  (void)state;
  enum { COUNT = 10 };
  hand h = hand_make();
  h.callback.context = &h.caller;
  sinew_objective objectives[4] = {h.coupling, h.callback, sinew_default_objective(),
                                   sinew_default_objective()};
  objectives[2].kind = SINEW_OBJECTIVE_MANIPULABILITY;
  objectives[2].task = &h.task;
  objectives[3].kind = SINEW_OBJECTIVE_LIMITS;
  double targets[3 * COUNT], seeds[5 * COUNT], results[5 * COUNT];
  for (int i = 0; i < COUNT; ++i) {
    double goal[5];
    sinew_configuration_random(h.model, 1, (uint64_t)i, goal);
    sinew_configuration_random(h.model, 2, (uint64_t)i, seeds + 5 * i);
    const sinew_target target = target_at(h.model, &h.task, goal);
    memcpy(targets + 3 * i, target.position, sizeof target.position);
  }
  sinew_batch_def def = sinew_default_batch_def();
  sinew_batch *batch = NULL;
  sinew_batch_worker *worker = NULL;
  def.objectives = objectives;
  def.objective_count = 4;
  assert_ok(sinew_batch_create(&def, h.model, &h.task, 1, &batch, NULL));
  memset(objectives, 0, sizeof objectives);
  assert_ok(sinew_batch_worker_create(batch, &worker, NULL));
  const sinew_batch_arrays arrays = {.targets = targets, .seeds = seeds, .q = results};
  assert_ok(sinew_batch_solve(batch, worker, &arrays, 0, COUNT));
  for (int i = 0; i < COUNT; ++i) {
    sinew_target target = sinew_default_target();
    double distance, none;
    memcpy(target.position, targets + 3 * i, sizeof target.position);
    measure(h.model, &h.task, &target, results + 5 * i, &distance, &none);
    assert_at_most(distance, 1e-6);
  }
  sinew_batch_worker_destroy(worker);
  sinew_batch_destroy(batch);
  sinew_model_destroy(h.model);
}

// ------------------------------------------------------------------------ refusals

static void refused(sinew_solver *solver, const sinew_objective *objective, sinew_result wanted,
                    const char *words) {
  sinew_error error;
  assert_int_equal(sinew_solver_set_objectives(solver, objective, 1, &error), wanted);
  if (strstr(error.message, words) == NULL) {
    fail_msg("\"%s\" is not in \"%s\"", words, error.message);
  }
}

static void mistakes_are_refused_by_name(void **state) {
  (void)state;
  hand h = hand_make();
  const double weights[5] = {1.0, 1.0, 1.0, 1.0, 1.0}, zero[5] = {0.0};
  const double bad[5] = {0.0, NAN, 0.0, 0.0, 0.0};
  sinew_solver *solver = solver_of(h.model, &h.task, 1, NULL, 0);
  sinew_objective o = h.coupling;
  o.weights = weights;
  refused(solver, &o, SINEW_ERROR_ARGUMENT, "objective 0: weights");
  o.weights = NULL;
  o.coefficients = NULL;
  refused(solver, &o, SINEW_ERROR_ARGUMENT, "coefficients is NULL");
  o.coefficients = zero;
  refused(solver, &o, SINEW_ERROR_ARGUMENT, "coefficients are all 0");
  o.coefficients = bad;
  refused(solver, &o, SINEW_ERROR_NOT_FINITE, "coefficients[1]");
  o.coefficients = weights;
  o.value = INFINITY;
  refused(solver, &o, SINEW_ERROR_NOT_FINITE, "value");
  o = h.callback;
  o.rows = 0;
  refused(solver, &o, SINEW_ERROR_ARGUMENT, "rows");
  o.rows = 7;
  refused(solver, &o, SINEW_ERROR_CAPACITY, "lower.rows, 6");
  o.rows = 2;
  o.function = NULL;
  refused(solver, &o, SINEW_ERROR_ARGUMENT, "function");
  o = sinew_default_objective();
  o.kind = SINEW_OBJECTIVE_MANIPULABILITY;
  refused(solver, &o, SINEW_ERROR_ARGUMENT, "task is NULL");
  sinew_task task = task_of(SINEW_TASK_PLANE, 5);
  o.task = &task;
  refused(solver, &o, SINEW_ERROR_ARGUMENT, "task is no POSITION");
  task = task_of(SINEW_TASK_POSITION, 99);
  refused(solver, &o, SINEW_ERROR_INDEX, "link");
  sinew_solver_destroy(solver);
  int links[HUMANOID_PLACES];
  double coefficients[MOST] = {0.0};
  sinew_model *person = fixture_humanoid(true, links);
  sinew_task feet = task_of(SINEW_TASK_POSITION, links[HUMANOID_LEFT_FOOT]);
  solver = solver_of(person, &feet, 1, NULL, 0);
  o = h.coupling;
  o.coefficients = coefficients;
  coefficients[4] = 1.0; // a rotation of the base
  refused(solver, &o, SINEW_ERROR_ARGUMENT, "coefficients[4] is of a spherical joint");
  sinew_solver_destroy(solver);
  sinew_model_destroy(person);
  sinew_model_destroy(h.model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(manipulability_has_its_gradient),
      cmocka_unit_test(solutions_have_more_manipulability),
      cmocka_unit_test(each_kind_has_the_slope_of_its_cost),
      cmocka_unit_test(limits_are_a_posture_in_the_middle),
      cmocka_unit_test(rows_are_met_below_a_hand),
      cmocka_unit_test(rows_are_kept_by_levels_below),
      cmocka_unit_test(a_wrong_derivative_is_named),
      cmocka_unit_test(batches_take_all_kinds),
      cmocka_unit_test(mistakes_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
