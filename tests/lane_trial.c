// See lane_trial.h.
#include "lane_trial.h"
#include "inspect.h"

#define MOST_ROWS (6 * TRIAL_MOST_TASKS)

const sinew_lane_kernel *kernel_of_state(void **state) {
  return sinew_lane_kernel_of(set_of_state(state));
}

static bool chance(random_stream *random, double share) {
  return random_between(random, 0.0, 1.0) < share;
}

static double random_weight(random_stream *random) {
  return chance(random, 0.5) ? 1.0 : chance(random, 0.1) ? 0.0 : random_between(random, 0.3, 2.0);
}

sinew_task trial_random_task(const sinew_model *model, random_stream *random) {
  sinew_task task = sinew_default_task();
  task.kind = (sinew_task_kind)random_below(random, 4);
  task.free_axes = chance(random, 0.3) ? free_axes_of(task.kind, (unsigned)random_below(random, 64))
                                       : SINEW_FREE_NONE;
  random_vector(random, 1.0, task.axis_l);
  reset_unread_fields(&task);
  task.link = random_below(random, sinew_model_link_count(model));
  if (chance(random, 0.7)) {
    random_vector(random, 0.3 * sinew_model_size(model), task.point_l);
  }
  task.position_weight = random_weight(random);
  task.orientation_weight = random_weight(random);
  if (chance(random, 0.3)) {
    task.chain_root = task.link;
    for (int steps = random_below(random, 6); steps > 0; --steps) {
      sinew_joint joint;
      const int above = sinew_model_link_joint(model, task.chain_root);
      if (above >= 0) {
        assert_ok(sinew_model_joint(model, above, &joint));
        task.chain_root = joint.parent;
      }
    }
  }
  return task;
}

bool trial_begin(trial *t, random_stream *random, double frozen) {
  unsigned char flags[TRIAL_MOST_NQ] = {0};
  double gains[TRIAL_MOST_NQ];
  assert_true(sinew_model_nq(t->model) <= TRIAL_MOST_NQ);
  const bool uneven = frozen > 0.0 && chance(random, 0.5);
  for (int v = 0; v < sinew_model_nv(t->model); ++v) {
    flags[v] = chance(random, frozen);
    gains[v] = random_between(random, 0.3, 2.0);
  }
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = t->count;
  def.lanes = t->kernel->lanes;
  t->solver = solver_with(&def, t->model, t->tasks, t->count);
  assert_ok(sinew_solver_set_frozen(t->solver, flags));
  assert_ok(sinew_solver_set_gains(t->solver, uneven ? gains : NULL));
  t->plan = &t->solver->lanes.plan;
  t->block = &t->solver->lanes.block;
  return sinew_lanes_ready(t->solver);
}

void trial_end(trial *t) {
  sinew_solver_destroy(t->solver);
}

void trial_pose(trial *t, random_stream *random, double at_limit) {
  const sinew_model *model = t->model;
  for (int l = 0; l < t->kernel->lanes; ++l) {
    sinew_configuration_random(model, random_bits(random), 0, t->q[l]);
    for (int k = 0; k < t->count; ++k) {
      t->targets[l][k] = target_at(model, &t->tasks[k], t->q[l]);
    }
    sinew_configuration_random(model, random_bits(random), 0, t->q[l]);
    for (int v = 0; v < model->nv; ++v) {
      const double limit = chance(random, 0.5) ? model->lower[v] : model->upper[v];
      if (model->quaternion_axis[v] < 0 && isfinite(limit) && chance(random, at_limit)) {
        t->q[l][model->q_of_v[v]] = limit;
      }
    }
  }
}

void trial_place(trial *t, int l, int at) {
  sinew_lanes_set_targets(t->plan, t->targets[l], at, at + 1, t->block);
  sinew_lanes_begin(t->plan, t->q[l], 1, at, t->block);
}

void trial_place_all(trial *t) {
  t->block->active = 0;
  for (int l = 0; l < t->kernel->lanes; ++l) {
    trial_place(t, l, l);
  }
}

// ---------------------------------------------------------------- what is expected

// The solver's rows as a dense matrix, m x n.
static void dense_rows(const sinew_rows *rows, long double *J) {
  memset(J, 0, (size_t)(rows->row_count * rows->dof_count) * sizeof *J);
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    for (int k = 0; k < block->path_count; ++k) {
      for (int i = 0; i < block->row_count; ++i) {
        J[(block->row + i) * rows->dof_count + rows->path[block->path_start + k]] =
            (long double)rows->values[block->value_start + k * block->row_count + i];
      }
    }
  }
}

// The columns of spherical joints in body axes, as lanes have them.
static void columns_into_balls(const sinew_solver *solver, int m, int n, long double *J) {
  for (int g = 0; g < solver->problem.group_count; ++g) {
    const sinew_column_group *group = &solver->problem.groups[g];
    for (int i = 0; group->root_frame && i < m; ++i) {
      long double *row = J + i * n + group->column, own[3] = {0.0L};
      for (int k = 0; k < 9; ++k) {
        const double R = sinew_frame_R(&solver->state.frames[group->node], k / 3, k % 3);
        own[k % 3] += row[k / 3] * (long double)R;
      }
      memcpy(row, own, sizeof own);
    }
  }
}

// y <- A^-1 y, m x m, by Gaussian elimination with pivoting.
static void eliminate(int m, long double *A, long double *y) {
  for (int c = 0; c < m; ++c) {
    int pivot = c;
    for (int r = c + 1; r < m; ++r) {
      pivot = fabsl(A[r * m + c]) > fabsl(A[pivot * m + c]) ? r : pivot;
    }
    for (int k = 0; k < m; ++k) {
      const long double was = A[c * m + k];
      A[c * m + k] = A[pivot * m + k];
      A[pivot * m + k] = was;
    }
    const long double was = y[c];
    y[c] = y[pivot];
    y[pivot] = was;
    for (int r = c + 1; r < m; ++r) {
      const long double share = A[r * m + c] / A[c * m + c];
      for (int k = c; k < m; ++k) {
        A[r * m + k] -= share * A[c * m + k];
      }
      y[r] -= share * y[c];
    }
  }
  for (int r = m; r-- > 0;) {
    for (int k = r + 1; k < m; ++k) {
      y[r] -= A[r * m + k] * y[k];
    }
    y[r] /= A[r * m + r];
  }
}

// The room of a degree of freedom up to its limits, in rad or sizes, divided by its gain.
static void room_of(const trial *t, const double *q, int active_column, double *lower,
                    double *upper) {
  const sinew_solver *solver = t->solver;
  const int v = solver->problem.dof_of_column[active_column];
  const double most = solver->lanes.rules.max_turn, unit = solver->problem.unit[active_column];
  *lower = -most;
  *upper = most;
  if (t->model->quaternion_axis[v] < 0) {
    const double at = q[t->model->q_of_v[v]];
    *lower = fmax(*lower, (t->model->lower[v] - at) / unit);
    *upper = fmin(*upper, (t->model->upper[v] - at) / unit);
  }
  *lower /= solver->problem.gain[active_column];
  *upper /= solver->problem.gain[active_column];
}

// x = J_F^T (J_F J_F^T + mu I)^-1 e, with F the columns without an active bound; then clamped to
// the limits.
static void expect_step(const trial *t, const double *q, double mu, trial_expected *out,
                        double *x) {
  static long double J[MOST_ROWS * TRIAL_MOST_NQ], A[MOST_ROWS * MOST_ROWS], y[MOST_ROWS];
  const sinew_rows *rows = &t->solver->evaluation.rows;
  const int m = rows->row_count, n = rows->dof_count;
  dense_rows(rows, J);
  columns_into_balls(t->solver, m, n, J);
  for (int j = 0; j < n; ++j) {
    double lower, upper;
    long double g = 0.0L, square = 0.0L;
    room_of(t, q, j, &lower, &upper);
    for (int i = 0; i < m; ++i) {
      g += J[i * n + j] * (long double)rows->residual[i];
      square += J[i * n + j] * J[i * n + j];
    }
    const bool rests = (lower >= 0.0 && g < 0.0L) || (upper <= 0.0 && g > 0.0L);
    out->doubtful |= (lower >= 0.0 || upper <= 0.0) && square > 0.0L && fabsl(g) < 1e-11L;
    out->held += rests;
    for (int i = 0; rests && i < m; ++i) {
      J[i * n + j] = 0.0L;
    }
  }
  for (int i = 0; i < m; ++i) {
    y[i] = (long double)rows->residual[i];
    for (int k = 0; k < m; ++k) {
      A[i * m + k] = i == k ? (long double)mu : 0.0L;
      for (int j = 0; j < n; ++j) {
        A[i * m + k] += J[i * n + j] * J[k * n + j];
      }
    }
  }
  eliminate(m, A, y);
  for (int j = 0; j < n; ++j) {
    double lower, upper;
    long double sum = 0.0L;
    for (int i = 0; i < m; ++i) {
      sum += J[i * n + j] * y[i];
    }
    room_of(t, q, j, &lower, &upper);
    x[j] = fmin(fmax((double)sum, lower), upper);
    out->clamped += x[j] != (double)sum;
  }
}

// The largest motion of a link, in rad or sizes: rounding of sums grows with it.
static double reach_of(const sinew_model *model, double size, const double *q) {
  double most = 1.0;
  for (int n = 0; n < model->node_count; ++n) {
    const sinew_node *node = &model->nodes[n];
    const double own = node->kind == SINEW_NODE_PRISMATIC ? size : 1.0;
    const double motion = fabs(node->ratio * q[node->q] + node->offset) / own;
    most = fmax(most, motion * fmax(1.0, fabs(node->pitch) / size));
  }
  return most;
}

void trial_expect(trial *t, int l, trial_expected *out) {
  sinew_solver *solver = t->solver;
  const sinew_problem *problem = &solver->problem;
  double x[TRIAL_MOST_NQ], v[TRIAL_MOST_NQ] = {0.0};
  *out = (trial_expected){.E = sinew_solver_evaluate(solver, t->targets[l], t->q[l]),
                          .reach = reach_of(t->model, problem->size, t->q[l])};
  for (int k = 0; k < problem->count; ++k) {
    out->position_error = fmax(out->position_error, solver->evaluation.tasks[k].position_error);
    out->orientation_error =
        fmax(out->orientation_error, solver->evaluation.tasks[k].orientation_error);
    // From half a turn both directions are right.
    out->doubtful |= solver->evaluation.tasks[k].orientation_error > PI - 1e-7;
    out->far |= sinew_norm_safe(t->targets[l][k].position) > t->solver->problem.tasks[k].farthest;
  }
  sinew_solver_linearize(solver, t->q[l], 0.0, false);
  const sinew_lane_rules *rules = &solver->lanes.rules;
  expect_step(t, t->q[l], rules->damping * fmin(out->E, 0.5) + rules->floor, out, x);
  for (int active_column = 0; active_column < problem->pattern.dof_count; ++active_column) {
    v[problem->dof_of_column[active_column]] =
        x[active_column] * problem->gain[active_column] * problem->unit[active_column];
    out->most = fmax(out->most, fabs(x[active_column]));
  }
  sinew_configuration_integrate(t->model, t->q[l], v, out->q);
}

// ------------------------------------------------------------------------ checks

// A lane's values are within the plan's limits to the bit, and quaternions have unit length.
static void check_lane(const trial *t, const char *what, int l) {
  const int width = t->kernel->lanes;
  for (int active_column = 0; active_column < t->plan->active_count; ++active_column) {
    const double *value = t->block->q + t->plan->q_of_column[active_column] * width + l;
    double square = 0.0;
    for (int i = 0; i < 4 && t->plan->quaternion_axis[active_column] >= 0; ++i) {
      square += value[i * width] * value[i * width];
    }
    const bool well =
        t->plan->quaternion_axis[active_column] >= 0
            ? fabs(square - 1.0) <= 4e-15
            : t->plan->lower[active_column] <= *value && *value <= t->plan->upper[active_column];
    if (!well) {
      fail_msg("%s: %s: column %d of lane %d is not within limits", what, t->kernel->name,
               active_column, l);
    }
  }
}

static void check_near(const trial *t, const char *what, const char *name, double value,
                       double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance)) {
    fail_msg("%s: %s: %s is %.17g, not within %g of %.17g", what, t->kernel->name, name, value,
             tolerance, expected);
  }
}

// Spherical joints are compared as rotations: q and -q are equal.
static void check_q(const trial *t, const char *what, int l, const trial_expected *expected) {
  double q[TRIAL_MOST_NQ], difference[TRIAL_MOST_NQ];
  memcpy(q, t->q[l], sizeof q);
  sinew_lanes_read(&t->solver->lanes, &t->solver->problem, t->block, l, q);
  assert_at_most(outside_limits(t->model, q), 0.0);
  sinew_configuration_difference(t->model, expected->q, q, difference);
  for (int v = 0; v < t->model->nv; ++v) {
    const double unit = t->model->angular[v] ? 1.0 : t->solver->problem.size;
    const double size =
        t->model->quaternion_axis[v] < 0 ? fabs(q[t->model->q_of_v[v]]) / unit : 0.0;
    const double tolerance =
        1e-9 * fmax(1.0, fmax(expected->most, expected->position_error / t->solver->problem.size)) +
        1e-15 * size;
    // a spherical joint can only be excluded as a whole
    if (t->solver->problem.column_of_dof[v] < 0) {
      const bool ball = t->model->quaternion_axis[v] >= 0;
      check_near(t, what, "inactive degrees of freedom", difference[v], 0.0,
                 ball ? tolerance : 0.0);
    } else {
      check_near(t, what, "a step", difference[v] / unit, 0.0, tolerance);
    }
  }
}

// Errors before the update: within 1e-12 of the reference's where no joint moves by more than one
// rad or size.
static void check_errors(const trial *t, const char *what, int l, const trial_expected *expected) {
  const sinew_lane_block *block = t->block;
  const double share = 1e-12 * expected->reach;
  const double distance = expected->position_error / t->solver->problem.size;
  check_near(t, what, "E", block->E[l], expected->E, share * (1.0 + expected->E));
  check_near(t, what, "an angle", block->orientation_error[l], expected->orientation_error,
             share * (1.0 + expected->orientation_error));
  if (!expected->far) {
    check_near(t, what, "a distance", block->position_error[l], distance, share * (1.0 + distance));
  }
}

void trial_check_update(trial *t, const char *what, int *held, int *clamped) {
  trial_expected expected;
  trial_place_all(t);
  t->kernel->update(t->plan, &t->solver->lanes.rules, t->block);
  assert_int_equal(t->block->dropped, 0);
  for (int l = 0; l < t->kernel->lanes; ++l) {
    trial_expect(t, l, &expected);
    check_errors(t, what, l, &expected);
    check_lane(t, what, l);
    const bool met = expected.position_error <= 1e-6 && expected.orientation_error <= 1e-6;
    assert_int_equal(t->block->converged >> l & 1u, met);
    if (met) {
      memcpy(expected.q, t->q[l], sizeof expected.q);
    }
    if (!expected.doubtful) {
      check_q(t, what, l, &expected);
    }
    *held += expected.held;
    *clamped += expected.clamped;
  }
}
