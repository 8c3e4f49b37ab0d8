// Newton's step: the matrix H against differences of the gradient; its
// solution, against LAPACK; its bounds, by the conditions of optimality; and the result where the
// matrix is indefinite.
#include "figures.h"
#include "inspect.h"

#include <lapacke.h>

#define MOST_TASKS 4
#define MOST_N 64

// A random tree with random tasks, all whole positions or poses, linearized at random.
typedef struct scene {
  sinew_model *model;
  sinew_solver *solver;
  int n, count;
  double q[2 * MOST_N];
  sinew_task tasks[MOST_TASKS];
  sinew_target targets[MOST_TASKS];
  double H[MOST_N * MOST_N]; // dense
} scene;

// A target within 2.5 rad of a link: at half a turn the residual jumps.
static sinew_target target_for(const scene *s, const sinew_task *task, random_stream *random) {
  sinew_target target = target_at(s->model, task, s->q);
  double turn[3], q[4], move[3];
  random_vector(random, 1.4, turn);
  random_vector(random, 0.7, move);
  sinew_quaternion_exp(turn, q);
  sinew_quaternion_multiply(q, target.rotation, target.rotation);
  for (int i = 0; i < 3; ++i) {
    target.position[i] += move[i];
  }
  random_unit(random, 3, target.direction);
  return target;
}

// u_j of a block, NULL where column j has no entry in it.
static const double *column_of(const sinew_rows *rows, const double *values, int b, int j) {
  const sinew_row_block *block = &rows->blocks[b];
  for (int k = 0; k < block->path_count; ++k) {
    if (rows->path[block->path_start + k] == j) {
      return values + block->value_start + k * block->row_count;
    }
  }
  return NULL;
}

// Whether two columns belong to the same whole spherical joint.
static bool same_spherical_joint(const sinew_problem *problem, const sinew_model *model, int j,
                                 int k) {
  return problem->spherical[j] != 0 && problem->spherical[k] != 0 &&
         model->q_of_v[problem->dof_of_column[j]] == model->q_of_v[problem->dof_of_column[k]];
}

// H as a dense matrix, as rows.h defines it.
static void fill_dense(scene *s) {
  const sinew_rows *rows = &s->solver->evaluation.rows;
  memset(s->H, 0, sizeof s->H);
  for (int b = 0; b < rows->block_count; ++b) {
    for (int j = 0; j < s->n; ++j) {
      const double *u = column_of(rows, rows->values, b, j);
      for (int k = 0; u != NULL && k <= j; ++k) {
        const double *v = column_of(rows, rows->second, b, k);
        double sum = 0.0;
        for (int i = 0; v != NULL && i < rows->blocks[b].row_count; ++i) {
          sum += u[i] * v[i];
        }
        if (same_spherical_joint(&s->solver->problem, s->model, j, k)) {
          const double *uk = column_of(rows, rows->values, b, k);
          const double *vj = column_of(rows, rows->second, b, j);
          for (int i = 0; i < rows->blocks[b].row_count; ++i) {
            sum += uk[i] * vj[i];
          }
          sum *= 0.5;
        }
        s->H[j * s->n + k] += sum;
      }
    }
  }
  for (int j = 0; j < s->n; ++j) {
    for (int k = 0; k < j; ++k) {
      s->H[k * s->n + j] = s->H[j * s->n + k];
    }
  }
}

static void linearize(scene *s) {
  sinew_solver_evaluate(s->solver, s->targets, s->q);
  sinew_solver_linearize(s->solver, s->q, 0.0, true);
  s->n = s->solver->evaluation.rows.dof_count;
  assert_true(s->n > 0 && s->n <= MOST_N);
  fill_dense(s);
}

typedef struct scene_options {
  int count; // number of tasks
  double coupled;
  bool any_kind; // any kind of task, with free axes too
  bool related;  // relative to other links, below a chain root, or of the centre of mass
  bool formed;   // H is formed where there are several tasks, whatever is less work
} scene_options;

// Frames are links before the task's own, so that there is no cycle.
static void relate(const sinew_model *model, random_stream *random, sinew_task *task) {
  const int what = random_below(random, 4), above = random_below(random, 4);
  if (what < 2 && task->link > 0) {
    task->frame_link = random_below(random, task->link);
  } else if (what == 2) {
    task->chain_root = task->link;
    for (int i = 0; i <= above && model->link_joint[task->chain_root] >= 0; ++i) {
      task->chain_root = model->joints[model->link_joint[task->chain_root]].parent;
    }
  } else {
    task->kind = SINEW_TASK_POSITION;
    task->center_of_mass = true;
  }
}

static bool scene_make(scene *s, uint64_t seed, const scene_options *options) {
  static random_tree tree;
  static const sinew_task_kind kinds[] = {SINEW_TASK_POSITION, SINEW_TASK_POSE,
                                          SINEW_TASK_DIRECTION, SINEW_TASK_ORIENTATION};
  random_stream random = random_stream_of(seed);
  random_tree_options shape = random_tree_defaults();
  shape.chain = 0.8;
  shape.coupled = options->coupled;
  random_tree_make(&tree, seed, &shape);
  for (int l = 0; options->related && l <= shape.joints; ++l) {
    tree.links[l].mass = random_between(&random, 0.0, 9.0);
  }
  memset(s, 0, sizeof *s);
  assert_ok(sinew_model_create(&tree.def, &s->model, NULL));
  sinew_configuration_random(s->model, seed, 0, s->q);
  s->count = options->count;
  for (int t = 0; t < s->count; ++t) {
    sinew_task *task = &s->tasks[t];
    const sinew_task_kind kind = kinds[random_below(&random, options->any_kind ? 4 : 2)];
    *task = task_of(kind, random_below(&random, sinew_model_link_count(s->model)));
    task->position_weight = random_between(&random, 0.3, 2.0);
    task->orientation_weight = random_between(&random, 0.3, 2.0);
    random_vector(&random, 0.5, task->point_l);
    random_unit(&random, 3, task->axis_l);
    if (options->any_kind && task->kind == SINEW_TASK_POSE) {
      task->free_axes = (unsigned)random_below(&random, 64);
    }
    reset_unread_fields(task);
    if (options->related) {
      relate(s->model, &random, task);
    }
    s->targets[t] = target_for(s, task, &random);
  }
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = SINEW_METHOD_NEWTON;
  s->solver = solver_with(&def, s->model, s->tasks, s->count);
  s->solver->evaluation.rows.formed |= options->formed && s->count > 1;
  if (s->solver->evaluation.rows.dof_count == 0) { // all tasks are on the root
    sinew_solver_destroy(s->solver);
    sinew_model_destroy(s->model);
    return false;
  }
  linearize(s);
  return true;
}

static void scene_end(scene *s) {
  sinew_solver_destroy(s->solver);
  sinew_model_destroy(s->model);
}

static double largest(int n, const double *v) {
  double most = 0.0;
  for (int i = 0; i < n; ++i) {
    most = fmax(most, fabs(v[i]));
  }
  return most;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

// The smallest eigenvalue of H.
static double least_eigenvalue(const scene *s) {
  double A[MOST_N * MOST_N], w[MOST_N];
  memcpy(A, s->H, sizeof A);
  assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', s->n, A, s->n, w), 0);
  return w[0];
}

// x of (H + mu I) x = g, by LAPACK. False where the matrix is not positive definite.
static bool solve_dense(const scene *s, const double *H, double mu, double *x) {
  double A[MOST_N * MOST_N];
  memcpy(A, H, sizeof A);
  memcpy(x, s->solver->linear.gradient, (size_t)s->n * sizeof(double));
  for (int j = 0; j < s->n; ++j) {
    A[j * s->n + j] += mu;
  }
  return LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', s->n, 1, A, s->n, x, 1) == 0;
}

static sinew_step_problem problem_of(const scene *s, double mu) {
  return (sinew_step_problem){
      .rows = &s->solver->evaluation.rows, .gradient = s->solver->linear.gradient, .mu = mu};
}

static void solve_free(scene *s, double mu, double ridge, double *x) {
  sinew_step_problem problem = problem_of(s, mu);
  problem.negative_curvature_step = ridge;
  memset(s->solver->step.newton.held, 0, (size_t)s->n);
  sinew_newton_solve(&problem, &s->solver->step.newton, x);
}

// --------------------------------------------------------------- the matrix

// Joints of every kind, one to four effectors, positions and poses: H is the second derivative of
// half the squared residual. Spherical joints move by one rotation vector there, except those that
// have an inactive axis.
// req: B18
static void hessian_is_the_second_derivative(void **state) {
  (void)state;
  static scene s;
  static double H[MOST_N * MOST_N];
  int checked = 0, indefinite = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const scene_options options = {.count = 1 + (int)(seed % MOST_TASKS)};
    if (!scene_make(&s, 500 + seed, &options)) {
      continue;
    }
    assert_int_equal(figure_curvature(s.solver, s.targets, s.q, H), s.n);
    linearize(&s);
    // Differences of fourth order with steps of 1e-4: 1e-12 / 1e-4 of rounding.
    const double scale = largest(s.n * s.n, H);
    assert_at_most(farthest(s.n * s.n, s.H, H), 1e-8 * fmax(scale, 1.0));
    ++checked;
    indefinite += least_eigenvalue(&s) < -1e-3;
    scene_end(&s);
  }
  print_message("%d matrices, %d of them indefinite\n", checked, indefinite);
  assert_true(checked >= 180 && indefinite >= 50);
}

// Each kind of joint alone, two in a row, so that an error in one kind is not hidden among others.
static void second_derivatives_of_every_joint_kind(void **state) {
  (void)state;
  static scene s;
  static double H[MOST_N * MOST_N];
  for (int kind = (int)SINEW_JOINT_REVOLUTE; kind <= (int)SINEW_JOINT_FREE; ++kind) {
    builder b;
    builder_start(&b);
    for (int i = 0; i < 2; ++i) {
      sinew_joint_def *joint = builder_add(&b, i, (sinew_joint_kind)kind, 0.3, -0.1, 0.2);
      memcpy(joint->axis, (double[3]){0.6, 0.0, 0.8}, sizeof joint->axis);
      joint->pitch = 0.2;
      snprintf(joint->channels, sizeof joint->channels, "%s",
               kind == (int)SINEW_JOINT_CHANNELS ? "xyzZXY" : "ZXY");
    }
    memset(&s, 0, sizeof s);
    s.model = builder_make(&b);
    sinew_configuration_random(s.model, 9, (uint64_t)kind, s.q);
    random_stream random = random_stream_of((uint64_t)kind);
    s.count = 1;
    s.tasks[0] = task_of(SINEW_TASK_POSE, 2);
    s.tasks[0].point_l[1] = 0.4;
    s.targets[0] = target_for(&s, &s.tasks[0], &random);
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = SINEW_METHOD_NEWTON;
    s.solver = solver_with(&def, s.model, s.tasks, 1);
    linearize(&s);
    figure_curvature(s.solver, s.targets, s.q, H);
    linearize(&s);
    assert_at_most(farthest(s.n * s.n, s.H, H), 1e-8);
    scene_end(&s);
  }
}

// H x without H.
static void products_match_the_matrix(void **state) {
  (void)state;
  static scene s;
  static double formed[MOST_N * MOST_N];
  int compared = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const scene_options options = {.count = 1 + (int)(seed % MOST_TASKS), .coupled = 0.3};
    if (!scene_make(&s, 700 + seed, &options)) {
      continue;
    }
    random_stream random = random_stream_of(seed);
    double x[MOST_N], product[MOST_N], expected[MOST_N];
    random_unit(&random, 3, x);
    for (int j = 0; j < s.n; ++j) {
      x[j] = random_between(&random, -1.0, 1.0);
    }
    sinew_newton_multiply(&s.solver->evaluation.rows, &s.solver->step.newton, x, product);
    for (int j = 0; j < s.n; ++j) {
      expected[j] = dot(s.n, s.H + j * s.n, x);
    }
    const double most = 1.0 + largest(s.n * s.n, s.H);
    assert_at_most(farthest(s.n, product, expected), 1e-13 * most * s.n);
    if (s.solver->step.newton.formed.most >= s.n) {
      sinew_formed_matrix(&s.solver->evaluation.rows, &s.solver->step.newton.formed, formed);
      for (int j = 0; j < s.n; ++j) {
        assert_at_most(farthest(j + 1, formed + j * s.n, s.H + j * s.n), 1e-13 * most);
      }
      ++compared;
    }
    scene_end(&s);
  }
  assert_true(compared >= 20);
}

// ----------------------------------------------------------------- the step

// Paths that are no paths of a tree to its root: an elimination has more entries than H then.
static void steps_of_any_paths_match_lapack(void **state) {
  (void)state;
  static scene s;
  int steps = 0, formed = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const scene_options options = {.count = 1 + (int)(seed % MOST_TASKS),
                                   .coupled = seed % 2 == 0 ? 0.4 : 0.0,
                                   .related = seed % 4 != 0,
                                   .formed = seed % 8 < 4};
    if (!scene_make(&s, 4000 + seed, &options)) {
      continue;
    }
    formed += s.solver->evaluation.rows.formed;
    const double mu = 1e-2 + 2.0 * fmax(0.0, -least_eigenvalue(&s));
    double x[MOST_N], expected[MOST_N];
    solve_free(&s, mu, 0.0, x);
    assert_true(s.solver->step.newton.mu == mu);
    assert_true(solve_dense(&s, s.H, mu, expected));
    assert_at_most(farthest(s.n, x, expected), 1e-10 * fmax(largest(s.n, expected), 1e-12));
    ++steps;
    scene_end(&s);
  }
  assert_true(steps > 150 && formed > 50 && formed < steps - 50);
}

// The elimination from the tips to the root against LAPACK's Cholesky, for the same matrix and for
// the one by differences.
static void steps_match_lapack(void **state) {
  (void)state;
  static scene s;
  static double H[MOST_N * MOST_N];
  double worst = 0.0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const scene_options options = {.count = 1 + (int)(seed % MOST_TASKS), .formed = seed % 8 < 4};
    if (!scene_make(&s, 900 + seed, &options)) {
      continue;
    }
    const double least = least_eigenvalue(&s);
    const double damping[3] = {1e-3, 0.1, 10.0};
    for (int i = 0; i < 3; ++i) {
      // Pivots are at least the least eigenvalue of H + mu I, so mu is not raised.
      const double mu = damping[i] + 2.0 * fmax(0.0, -least);
      double x[MOST_N], expected[MOST_N];
      solve_free(&s, mu, 0.0, x);
      assert_true(s.solver->step.newton.mu == mu);
      assert_true(solve_dense(&s, s.H, mu, expected));
      const double error = farthest(s.n, x, expected) / fmax(largest(s.n, expected), 1e-12);
      worst = fmax(worst, error);
      // The condition is at most 1e2 / 1e-3, rounding 1e-16.
      assert_at_most(error, 1e-10);
    }
    figure_curvature(s.solver, s.targets, s.q, H);
    linearize(&s);
    const double mu = 0.1 + 2.0 * fmax(0.0, -least);
    double x[MOST_N], expected[MOST_N];
    solve_free(&s, mu, 0.0, x);
    assert_true(solve_dense(&s, H, mu, expected));
    assert_at_most(farthest(s.n, x, expected), 1e-6 * largest(s.n, expected));
    scene_end(&s);
  }
  print_message("furthest from LAPACK %.1e\n", worst);
}

// One task is eliminated by code for a single block. Two tasks with half its weight each are
// accumulated, and are equivalent.
static void accumulated_blocks_match_one_block(void **state) {
  (void)state;
  static scene one, two;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const scene_options options = {.count = 1};
    if (!scene_make(&one, 1200 + seed, &options)) {
      continue;
    }
    two = one;
    two.count = 2;
    two.tasks[0].position_weight *= sqrt(0.5);
    two.tasks[0].orientation_weight *= sqrt(0.5);
    two.tasks[1] = two.tasks[0];
    two.targets[1] = two.targets[0];
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = SINEW_METHOD_NEWTON;
    two.solver = solver_with(&def, two.model, two.tasks, 2);
    linearize(&two);
    double x[MOST_N], y[MOST_N];
    const double mu = 0.05 + 2.0 * fmax(0.0, -least_eigenvalue(&one));
    solve_free(&one, mu, 0.0, x);
    solve_free(&two, mu, 0.0, y);
    assert_at_most(farthest(one.n, x, y), 1e-11 * (1.0 + largest(one.n, x)));
    sinew_solver_destroy(two.solver);
    scene_end(&one);
  }
}

// With many more rows than columns H is formed. A hundred tasks with a hundredth of the squared
// weight each are equivalent to one, also where limits stop joints.
static void formed_matrices_match_one_block(void **state) {
  (void)state;
  enum { COUNT = 100 };
  sinew_task tasks[COUNT];
  sinew_target targets[COUNT];
  sinew_model *arm = fixture_arm();
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = SINEW_METHOD_NEWTON;
  int at_limits = 0;
  for (uint64_t round = 0; round < 40; ++round) {
    double q[2][7], goal[7];
    sinew_solver *solver[2];
    sinew_configuration_random(arm, 61, round, goal);
    for (int t = 0; t < COUNT; ++t) {
      tasks[t] = task_of(SINEW_TASK_POSE, ARM_FLANGE);
      targets[t] = target_at(arm, &tasks[t], goal);
      targets[t].position[2] += round % 2 == 1 ? 1.0 : 0.0;
    }
    for (int many = 0; many < 2; ++many) {
      for (int t = 0; many == 1 && t < COUNT; ++t) {
        tasks[t].position_weight = tasks[t].orientation_weight = 0.1;
      }
      def.task_capacity = many == 1 ? COUNT : 1;
      solver[many] = solver_with(&def, arm, tasks, def.task_capacity);
      sinew_configuration_random(arm, 62, round, q[many]);
    }
    for (int update = 0; update < 10; ++update) {
      for (int many = 0; many < 2; ++many) {
        assert_ok(sinew_solver_update(solver[many], targets, many == 1 ? COUNT : 1, q[many], NULL));
      }
      assert_at_most(farthest(7, q[0], q[1]), 1e-9);
    }
    const double *lower = sinew_model_lower(arm), *upper = sinew_model_upper(arm);
    for (int v = 0; v < 7; ++v) {
      at_limits += q[0][v] == lower[v] || q[0][v] == upper[v];
    }
    sinew_solver_destroy(solver[0]);
    sinew_solver_destroy(solver[1]);
  }
  print_message("%d joints at limits\n", at_limits);
  assert_true(at_limits >= 10);
  sinew_model_destroy(arm);
}

// The same for spherical joints, more columns than 64 times four.
static void long_formed_matrices_match_one_block(void **state) {
  (void)state;
  enum { COUNT = 100, LINKS = 100, N = 3 * LINKS };
  sinew_model *chain = figure_spherical_chain(LINKS);
  sinew_task tasks[COUNT];
  sinew_target targets[COUNT];
  static double x[2][N], q[4 * LINKS];
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = SINEW_METHOD_NEWTON;
  for (int many = 0; many < 2; ++many) {
    def.task_capacity = many == 1 ? COUNT : 1;
    for (int t = 0; t < COUNT; ++t) {
      tasks[t] = task_of(SINEW_TASK_POSE, LINKS);
      tasks[t].position_weight = tasks[t].orientation_weight = many == 1 ? 0.1 : 1.0;
      targets[t] = sinew_default_target();
      targets[t].position[1] = 1.0;
    }
    sinew_solver *solver = solver_with(&def, chain, tasks, def.task_capacity);
    assert_true(solver->evaluation.rows.formed == (many == 1));
    sinew_configuration_random(chain, 3, 0, q);
    sinew_solver_evaluate(solver, targets, q);
    sinew_solver_linearize(solver, q, 0.0, true);
    const sinew_step_problem problem = {
        .rows = &solver->evaluation.rows, .gradient = solver->linear.gradient, .mu = 100.0};
    memset(solver->step.newton.held, 0, N);
    sinew_newton_solve(&problem, &solver->step.newton, x[many]);
    assert_true(solver->step.newton.mu == problem.mu);
    sinew_solver_destroy(solver);
  }
  assert_at_most(farthest(N, x[0], x[1]), 1e-10 * largest(N, x[0]));
  sinew_model_destroy(chain);
}

// Where H + mu I is not positive definite, mu is raised until it is: then the step is a descent
// direction, and mu is no larger than the least eigenvalue requires.
static void indefinite_matrices_are_damped(void **state) {
  (void)state;
  static scene s;
  int raised = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const scene_options options = {.count = 1 + (int)(seed % MOST_TASKS), .formed = seed % 8 < 4};
    if (!scene_make(&s, 1400 + seed, &options)) {
      continue;
    }
    const double least = least_eigenvalue(&s);
    if (least < -1e-4) {
      double x[MOST_N], expected[MOST_N];
      solve_free(&s, 1e-6, 0.0, x);
      const double mu = s.solver->step.newton.mu;
      assert_true(mu > -least);
      // The mu before, (mu - 1e-4) / 2, left a pivot below half of it; a pivot is at least the
      // least eigenvalue.
      assert_at_most(mu, 4.0 * -least + 2e-4);
      assert_true(dot(s.n, x, s.solver->linear.gradient) > 0.0);
      assert_true(solve_dense(&s, s.H, mu, expected));
      assert_at_most(farthest(s.n, x, expected), 1e-8 * (1.0 + largest(s.n, expected)));
      ++raised;
    }
    scene_end(&s);
  }
  print_message("%d indefinite\n", raised);
  assert_true(raised >= 80);
}

// The step away from negative curvature is that of the elimination where H is formed.
static void ridges_of_formed_matrices_match_the_elimination(void **state) {
  (void)state;
  static scene s;
  int raised = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const scene_options options = {.count = 2 + (int)(seed % (MOST_TASKS - 1))};
    if (!scene_make(&s, 1400 + seed, &options)) {
      continue;
    }
    if (!s.solver->evaluation.rows.formed && least_eigenvalue(&s) < -1e-4) {
      double x[2][MOST_N], mu[2];
      for (int formed = 0; formed < 2; ++formed) {
        s.solver->evaluation.rows.formed = formed == 1;
        solve_free(&s, 1e-6, 0.3, x[formed]);
        mu[formed] = s.solver->step.newton.mu;
      }
      assert_at_most(fabs(mu[0] - mu[1]), 1e-9 * mu[0]);
      assert_at_most(farthest(s.n, x[0], x[1]), 1e-8 * (1.0 + largest(s.n, x[0])));
      ++raised;
    }
    scene_end(&s);
  }
  print_message("%d indefinite\n", raised);
  assert_true(raised >= 50);
}

// With active bounds, whose columns may move: the step of the others, and the negative gradient at
// the bounds, also after a step along negative curvature.
static void active_bounds_of_formed_matrices_match_the_elimination(void **state) {
  (void)state;
  static scene s;
  int raised = 0, spherical = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const scene_options options = {.count = 2 + (int)(seed % (MOST_TASKS - 1))};
    if (!scene_make(&s, 2600 + seed, &options)) {
      continue;
    }
    double x[2][MOST_N], unconstrained[2][MOST_N], mu[2];
    sinew_newton_scratch *scratch = &s.solver->step.newton;
    sinew_step_problem problem = problem_of(&s, seed % 2 == 0 ? 1e-6 : 10.0);
    problem.negative_curvature_step = 0.3;
    for (int formed = 0; !s.solver->evaluation.rows.formed && formed < 2; ++formed) {
      s.solver->evaluation.rows.formed = formed == 1;
      for (int j = 0; j < s.n; ++j) {
        const bool active = sinew_random_uniform(seed, (uint64_t)j) < 0.3;
        scratch->held[j] = active ? 1 : 0;
        const double at = 0.4 * sinew_random_uniform(seed, (uint64_t)(MOST_N + j)) - 0.2;
        x[formed][j] = active && seed % 4 < 2 ? at : 0.0;
      }
      sinew_newton_solve(&problem, scratch, x[formed]);
      memcpy(unconstrained[formed], scratch->unconstrained, sizeof unconstrained[formed]);
      mu[formed] = scratch->mu;
      if (formed == 1) {
        assert_at_most(fabs(mu[0] - mu[1]), 1e-9 * mu[0]);
        assert_at_most(farthest(s.n, x[0], x[1]), 1e-7 * (1.0 + largest(s.n, x[0])));
        assert_at_most(farthest(s.n, unconstrained[0], unconstrained[1]),
                       1e-7 * (1.0 + largest(s.n, unconstrained[0])));
        raised += scratch->negative_pivot >= 0;
        spherical += s.solver->evaluation.rows.spherical != NULL;
      }
      s.solver->evaluation.rows.formed = false;
    }
    scene_end(&s);
  }
  print_message("%d along negative curvature, %d with spherical joints\n", raised, spherical);
  assert_true(raised >= 30 && spherical >= 30);
}

// A straight chain with a nearer target on its line: the gradient is 0 and gives no step. With the
// ridge term, the step leads where the error falls; where the target is out of reach, straight is
// the minimum and nothing moves.
static void ridge_term_leaves_saddle_points(void **state) {
  (void)state;
  static scene s;
  for (int outside = 0; outside < 2; ++outside) {
    memset(&s, 0, sizeof s);
    s.model = fixture_planar(4, 0.25);
    s.count = 1;
    s.tasks[0] = task_of(SINEW_TASK_POSITION, 4);
    s.tasks[0].point_l[0] = 0.25;
    s.targets[0] = sinew_default_target();
    s.targets[0].position[0] = outside ? 1.3 : 0.9;
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = SINEW_METHOD_NEWTON;
    s.solver = solver_with(&def, s.model, s.tasks, 1);
    linearize(&s);
    const double before = s.solver->evaluation.E;
    double x[MOST_N];
    assert_true(outside ? least_eigenvalue(&s) > 1e-3 : least_eigenvalue(&s) < -1e-3);
    solve_free(&s, 1e-5, 0.0, x);
    assert_at_most(largest(s.n, x), 1e-12);
    solve_free(&s, 1e-5, 0.01, x);
    if (outside) {
      assert_at_most(largest(s.n, x), 1e-12);
    } else {
      assert_true(largest(s.n, x) >= 0.01 && largest(s.n, x) < 0.1);
      double Hx[MOST_N];
      sinew_newton_multiply(&s.solver->evaluation.rows, &s.solver->step.newton, x, Hx);
      assert_true(dot(s.n, x, Hx) < 0.0);
      for (int j = 0; j < s.n; ++j) {
        s.q[j] += x[j];
      }
      assert_true(sinew_solver_evaluate(s.solver, s.targets, s.q) < before * (1.0 - 1e-5));
    }
    scene_end(&s);
  }
}

// ----------------------------------------------------------------- within bounds

// Some bounds contain 0, some do not, some have zero width.
static void make_bounds(random_stream *random, int n, const double *x, double *lower,
                        double *upper) {
  for (int j = 0; j < n; ++j) {
    const double reach = 0.5 * fabs(x[j]) + 1e-3;
    lower[j] = -INFINITY;
    upper[j] = INFINITY;
    switch (random_below(random, 5)) {
    case 0:
      lower[j] = -reach * random_between(random, 0.0, 2.0);
      upper[j] = reach * random_between(random, 0.0, 2.0);
      break;
    case 1:
      upper[j] = 0.0;
      break;
    case 2:
      lower[j] = random_below(random, 2) == 0 ? 0.0 : 0.5 * reach;
      break;
    case 3:
      lower[j] = upper[j] = random_between(random, -reach, reach);
      break;
    default:
      break;
    }
  }
}

// The minimum of a convex model within a box: inactive columns have zero gradient, active ones are
// pushed against their bound.
static void bounds_meet_the_conditions_of_optimality(void **state) {
  (void)state;
  static scene s;
  int held = 0, rounds = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const scene_options options = {
        .count = 1 + (int)(seed % MOST_TASKS), .coupled = 0.2, .formed = seed % 8 < 4};
    if (!scene_make(&s, 1700 + seed, &options)) {
      continue;
    }
    random_stream random = random_stream_of(seed);
    const double mu = 0.02 + 2.0 * fmax(0.0, -least_eigenvalue(&s));
    double x[MOST_N], lower[MOST_N], upper[MOST_N];
    solve_free(&s, mu, 0.0, x);
    make_bounds(&random, s.n, x, lower, upper);
    sinew_step_problem problem = problem_of(&s, mu);
    problem.lower = lower;
    problem.upper = upper;
    rounds += sinew_newton_step(&problem, &s.solver->step.newton, x);
    assert_true(s.solver->step.newton.mu == mu);
    const double small = 1e-10 * (1.0 + largest(s.n, s.solver->linear.gradient));
    for (int j = 0; j < s.n; ++j) {
      const double slope = s.solver->linear.gradient[j] - dot(s.n, s.H + j * s.n, x) - mu * x[j];
      assert_true(x[j] >= lower[j] - small && x[j] <= upper[j] + small);
      if (x[j] > lower[j] + small && x[j] < upper[j] - small) {
        assert_at_most(fabs(slope), small);
      } else if (lower[j] < upper[j]) {
        assert_true(x[j] <= lower[j] + small ? slope <= small : slope >= -small);
        ++held;
      }
    }
    scene_end(&s);
  }
  print_message("%d rest on bounds, %d systems\n", held, rounds);
  assert_true(held > 300);
}

// Of a task over five to eight columns the step where no bound is active, and that of damped least
// squares for a given working set, are solved apart: they are those of the dense matrices, and
// bounds that they exceed are kept.
static void steps_of_few_columns_match_the_matrix(void **state) {
  (void)state;
  static scene s;
  int few = 0, kept = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const scene_options options = {.count = 1, .coupled = 0.0};
    if (!scene_make(&s, 90000 + seed, &options)) {
      continue;
    }
    const sinew_rows *rows = &s.solver->evaluation.rows;
    if (s.n <= 4 || s.n > 8 || rows->blocks[0].path_count != s.n) {
      scene_end(&s);
      continue;
    }
    const double mu = 0.02 + 2.0 * fmax(0.0, -least_eigenvalue(&s));
    double x[MOST_N], expected[MOST_N], lower[MOST_N], upper[MOST_N];
    sinew_newton_scratch *newton = &s.solver->step.newton;
    sinew_step_problem problem = problem_of(&s, mu);
    solve_free(&s, mu, 0.0, expected);
    for (int j = 0; j < s.n; ++j) { // one value is beyond its bound in every other problem
      const bool beyond = seed % 2 == 1 && j == (int)(seed / 2 % 5);
      const double most = (beyond ? 0.5 : 2.0) * fabs(expected[j]) + (beyond ? 0.0 : 1e-3);
      lower[j] = -most;
      upper[j] = most;
    }
    problem.lower = lower;
    problem.upper = upper;
    problem.begun = true;
    memset(newton->held, 0, (size_t)s.n);
    sinew_newton_step(&problem, newton, x);
    const double small = 1e-10 * (1.0 + largest(s.n, expected));
    bool inside = true;
    for (int j = 0; j < s.n; ++j) {
      inside = inside && fabs(expected[j]) <= upper[j];
    }
    for (int j = 0; j < s.n; ++j) {
      assert_true(x[j] >= lower[j] && x[j] <= upper[j]);
      assert_true(!inside || fabs(x[j] - expected[j]) <= small);
    }
    few += inside;
    kept += !inside;
    scene_end(&s);
  }
  print_message("%d steps inside, %d at bounds\n", few, kept);
  assert_true(few > 50 && kept > 50);
}

// They refuse the same indefinite systems as the elimination of any columns, whose damping is then
// raised: a small positive pivot would be a long step.
static void few_columns_are_damped_as_any(void **state) {
  (void)state;
  static scene s;
  int raised = 0, all = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    const scene_options options = {.count = 1, .coupled = 0.0};
    if (!scene_make(&s, 95000 + seed, &options)) {
      continue;
    }
    if (s.n > 4 && s.n <= 8 && s.solver->evaluation.rows.blocks[0].path_count == s.n) {
      const double first = 0.02 + fmax(0.0, -least_eigenvalue(&s)) * (double)(seed % 8) / 4.0;
      double x[2][MOST_N], lower[MOST_N], upper[MOST_N], mu[2];
      sinew_newton_scratch *newton = &s.solver->step.newton;
      sinew_step_problem problem = problem_of(&s, first);
      for (int j = 0; j < s.n; ++j) {
        lower[j] = -1e6;
        upper[j] = 1e6;
      }
      problem.lower = lower;
      problem.upper = upper;
      for (int few = 0; few < 2; ++few) {
        problem.begun = few == 1; // else a working set is looked for, with the elimination
        memset(newton->held, 0, (size_t)s.n);
        sinew_newton_step(&problem, newton, x[few]);
        mu[few] = newton->mu;
      }
      assert_at_most(fabs(mu[1] - mu[0]), 1e-9 * mu[0]);
      assert_at_most(farthest(s.n, x[0], x[1]), 1e-7 * (1.0 + largest(s.n, x[0])));
      raised += mu[0] > first;
      ++all;
    }
    scene_end(&s);
  }
  print_message("%d of %d damped more\n", raised, all);
  assert_true(raised > 20 && all > 200);
}

// Without second derivatives, values in the place of second, the step is damped least squares,
// where H is formed and where it is eliminated, also within bounds that are active at first. A step
// with second derivatives after it, to which only these are added, is that of rows alone.
static void steps_after_a_first_one_are_those_of_rows_alone(void **state) {
  (void)state;
  static scene s;
  int formed = 0, held = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const scene_options options = {.count = 2 + (int)(seed % (MOST_TASKS - 1)),
                                   .coupled = seed % 2 == 0 ? 0.3 : 0.0,
                                   .related = seed % 3 == 0,
                                   .formed = seed % 8 < 6};
    if (!scene_make(&s, 5200 + seed, &options)) {
      continue;
    }
    random_stream random = random_stream_of(seed);
    sinew_newton_scratch *scratch = &s.solver->step.newton;
    const double mu = 0.02 + 2.0 * fmax(0.0, -least_eigenvalue(&s));
    double x[MOST_N], lower[MOST_N], upper[MOST_N], expected[MOST_N];
    solve_free(&s, mu, 0.0, x);
    make_bounds(&random, s.n, x, lower, upper);
    sinew_step_problem problem = problem_of(&s, mu);
    problem.e = s.solver->linear.e;
    problem.lower = lower;
    problem.upper = upper;
    sinew_newton_step(&problem, scratch, expected);

    sinew_rows rows = *problem.rows;
    sinew_step_problem first = problem;
    rows.second = rows.values;
    first.rows = &rows;
    sinew_newton_step(&first, scratch, x);
    double least_squares[MOST_N];
    sinew_dls_step(&problem, &s.solver->step.dls, least_squares);
    assert_at_most(farthest(s.n, x, least_squares), 1e-9 * (1.0 + largest(s.n, least_squares)));
    for (int j = 0; j < s.n; ++j) {
      held += scratch->held[j] != 0;
    }
    problem.known = true;
    for (int again = 0; again < 2; ++again) {
      sinew_newton_step(&problem, scratch, x);
      assert_at_most(farthest(s.n, x, expected), 1e-9 * (1.0 + largest(s.n, expected)));
    }
    formed += rows.formed;
    scene_end(&s);
  }
  print_message("%d formed, %d rest on bounds\n", formed, held);
  assert_true(formed >= 100 && held >= 300);
}

// The damping of an indefinite model is raised by as much as the working set needs, and updating
// all bounds at once cycles. The step is a minimum all the same, of the model with the damping that
// was used, and takes few systems.
// req: E5 E6
static void bounds_of_an_indefinite_model_end(void **state) {
  (void)state;
  static scene s;
  int raised = 0, most = 0, count = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const scene_options options = {.count = 1 + (int)(seed % MOST_TASKS)};
    if (!scene_make(&s, 9100 + seed, &options)) {
      continue;
    }
    random_stream random = random_stream_of(seed);
    double x[MOST_N], lower[MOST_N], upper[MOST_N];
    solve_free(&s, 0.02, 0.0, x);
    make_bounds(&random, s.n, x, lower, upper);
    sinew_step_problem problem = problem_of(&s, 1e-4);
    problem.lower = lower;
    problem.upper = upper;
    const int systems = sinew_newton_step(&problem, &s.solver->step.newton, x);
    const double mu = s.solver->step.newton.mu;
    const double small = 1e-8 * (1.0 + largest(s.n, s.solver->linear.gradient));
    for (int j = 0; j < s.n; ++j) {
      const double slope = s.solver->linear.gradient[j] - dot(s.n, s.H + j * s.n, x) - mu * x[j];
      assert_true(x[j] >= lower[j] - small && x[j] <= upper[j] + small);
      if (lower[j] < upper[j]) {
        assert_true(x[j] >= upper[j] - small || slope <= small);
        assert_true(x[j] <= lower[j] + small || slope >= -small);
      }
    }
    raised += mu > 1e-4;
    most = systems > most ? systems : most;
    ++count;
    scene_end(&s);
  }
  print_message("%d of %d models indefinite, at most %d systems\n", raised, count, most);
  assert_true(4 * raised > count);
  assert_true(most <= 60);
}

// ------------------------------------------------------------- first-order tasks

// Rows in a target's axes with some of them free, directions and orientations, and the columns of
// coupled joints are of first order by design: the part missing in H is proportional to the error.
// The step is a descent direction all the same.
static void first_order_tasks_descend(void **state) {
  (void)state;
  static scene s;
  int checked = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const scene_options options = {
        .count = 1 + (int)(seed % MOST_TASKS), .coupled = 0.5, .any_kind = true};
    if (!scene_make(&s, 2000 + seed, &options)) {
      continue;
    }
    const sinew_evaluation *evaluation = &s.solver->evaluation;
    for (int t = 0; t < s.count; ++t) {
      const sinew_row_block *block = &evaluation->rows.blocks[t];
      const size_t bytes = (size_t)(block->path_count * block->row_count) * sizeof(double);
      const bool whole = s.tasks[t].free_axes == 0 && (s.tasks[t].kind == SINEW_TASK_POSITION ||
                                                       s.tasks[t].kind == SINEW_TASK_POSE);
      if (!whole) {
        assert_memory_equal(evaluation->rows.second + block->value_start,
                            evaluation->rows.values + block->value_start, bytes);
      }
    }
    double x[MOST_N];
    solve_free(&s, 1e-4, 0.0, x);
    if (largest(s.n, s.solver->linear.gradient) > 1e-9) {
      assert_true(dot(s.n, x, s.solver->linear.gradient) > 0.0);
      ++checked;
    }
    scene_end(&s);
  }
  assert_true(checked > 150);
}

// --------------------------------------------------- predicted residual

// The second-order term for the predicted residual: with all of the residual it is the Jacobian's
// own; with none, H is J^T J; in between it is linear for positions.
static void curvature_scales_with_the_predicted_residual(void **state) {
  (void)state;
  static scene s;
  static double exact[6 * MOST_TASKS * MOST_N], half[6 * MOST_TASKS * MOST_N];
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const scene_options options = {.count = 1 + (int)(seed % MOST_TASKS), .coupled = 0.3};
    if (!scene_make(&s, 2300 + seed, &options)) {
      continue;
    }
    sinew_evaluation *evaluation = &s.solver->evaluation;
    const sinew_row_block *last = &evaluation->rows.blocks[s.count - 1];
    const int values = last->value_start + last->path_count * last->row_count;
    const double nothing[6 * MOST_TASKS] = {0.0};
    memcpy(exact, evaluation->rows.second, (size_t)values * sizeof(double));
    sinew_evaluate_curvature(&s.solver->problem, &s.solver->state, s.solver->linear.e, 0.0,
                             evaluation);
    assert_at_most(farthest(values, evaluation->rows.second, exact), 1e-14);
    sinew_evaluate_curvature(&s.solver->problem, &s.solver->state, nothing, 1.0, evaluation);
    assert_at_most(farthest(values, evaluation->rows.second, exact), 1e-14);
    sinew_evaluate_curvature(&s.solver->problem, &s.solver->state, nothing, 0.5, evaluation);
    memcpy(half, evaluation->rows.second, sizeof half);
    sinew_evaluate_curvature(&s.solver->problem, &s.solver->state, nothing, 0.0, evaluation);
    assert_at_most(farthest(values, evaluation->rows.second, evaluation->rows.values), 1e-15);
    for (int t = 0; t < s.count; ++t) {
      const sinew_row_block *block = &evaluation->rows.blocks[t];
      for (int i = 0; i < block->path_count * block->row_count; ++i) {
        const int at = block->value_start + i;
        if (i % block->row_count < 3) {
          assert_near(half[at], 0.5 * (exact[at] + evaluation->rows.values[at]), 1e-14);
        }
      }
    }
    scene_end(&s);
  }
}

// --------------------------------------------------------------- long chains

// A thousand spherical joints: the step's residual is zero, checked by products with H only.
static void long_chains_are_solved(void **state) {
  (void)state;
  sinew_model *model = figure_spherical_chain(1000);
  sinew_task task = task_of(SINEW_TASK_POSE, 1000);
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = SINEW_METHOD_NEWTON;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  const int n = sinew_model_nv(model);
  double *q = calloc((size_t)sinew_model_nq(model), sizeof *q);
  double *x = calloc((size_t)n, sizeof *x), *product = calloc((size_t)n, sizeof *product);
  assert_true(q != NULL && x != NULL && product != NULL);
  sinew_configuration_random(model, 3, 0, q);
  sinew_target target = target_at(model, &task, q);
  target.position[0] += 0.05;
  sinew_solver_evaluate(solver, &target, q);
  sinew_solver_linearize(solver, q, 0.0, true);
  memset(solver->step.newton.held, 0, (size_t)n);
  const sinew_step_problem problem = {
      .rows = &solver->evaluation.rows, .gradient = solver->linear.gradient, .mu = 0.3};
  sinew_newton_solve(&problem, &solver->step.newton, x);
  sinew_newton_multiply(&solver->evaluation.rows, &solver->step.newton, x, product);
  const double scale = largest(n, solver->linear.gradient);
  assert_true(scale > 1e-6);
  for (int j = 0; j < n; ++j) {
    assert_near(product[j] + solver->step.newton.mu * x[j], solver->linear.gradient[j],
                1e-11 * scale);
  }
  free(product);
  free(x);
  free(q);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// How many columns are of several blocks, where these can be solved for together, else 0.
static int trunk_of(const sinew_rows *rows) {
  int count = 0;
  for (int b = 0; b < rows->block_count; ++b) {
    if (rows->blocks[b].row_count != 3 && rows->blocks[b].row_count != 6) {
      return 0;
    }
  }
  for (int j = 0; j < rows->dof_count; ++j) {
    count += rows->incidence_start[j + 1] > rows->incidence_start[j] + 1;
  }
  return count <= SINEW_ROWS_TRUNK && !rows->formed ? count : 0;
}

// Steps within bounds are the same where the columns of several blocks are solved for together, and
// where they are eliminated one after the other: with indefinite matrices, whose damping is raised,
// and with several working sets, between which limbs remain eliminated.
static void trunks_match_the_elimination(void **state) {
  (void)state;
  static scene s;
  int raised = 0, spherical = 0, points = 0, repeated = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    const scene_options options = {.count = 2 + (int)(seed % (MOST_TASKS - 1))};
    if (!scene_make(&s, 7600 + seed, &options)) {
      continue;
    }
    random_stream random = random_stream_of(seed);
    sinew_rows *rows = &s.solver->evaluation.rows;
    const int trunk = trunk_of(rows);
    double x[2][MOST_N], lower[MOST_N], upper[MOST_N], mu[2];
    int systems = 0;
    sinew_newton_scratch *scratch = &s.solver->step.newton;
    sinew_step_problem problem = problem_of(&s, 0.02);
    solve_free(&s, 0.02, 0.0, x[0]);
    make_bounds(&random, s.n, x[0], lower, upper);
    problem.lower = lower;
    problem.upper = upper;
    for (int together = 0; trunk > 0 && together < 2; ++together) {
      rows->trunk = together == 1 ? trunk : 0;
      systems = sinew_newton_step(&problem, scratch, x[together]);
      mu[together] = scratch->mu;
    }
    if (trunk > 0) {
      assert_at_most(farthest(s.n, x[0], x[1]), 1e-7 * (1.0 + largest(s.n, x[0])));
      assert_at_most(fabs(mu[0] - mu[1]), 1e-9 * mu[0]);
      raised += scratch->mu > 0.02;
      spherical += rows->spherical != NULL;
      points += rows->blocks[0].row_count == 3;
      repeated += systems > 2;
    }
    scene_end(&s);
  }
  print_message("%d damped more, %d with spherical joints, %d with points, %d of several systems\n",
                raised, spherical, points, repeated);
  assert_true(raised >= 30 && spherical >= 30 && points >= 30 && repeated >= 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hessian_is_the_second_derivative),
      cmocka_unit_test(second_derivatives_of_every_joint_kind),
      cmocka_unit_test(products_match_the_matrix),
      cmocka_unit_test(steps_match_lapack),
      cmocka_unit_test(steps_of_any_paths_match_lapack),
      cmocka_unit_test(accumulated_blocks_match_one_block),
      cmocka_unit_test(formed_matrices_match_one_block),
      cmocka_unit_test(long_formed_matrices_match_one_block),
      cmocka_unit_test(indefinite_matrices_are_damped),
      cmocka_unit_test(ridges_of_formed_matrices_match_the_elimination),
      cmocka_unit_test(active_bounds_of_formed_matrices_match_the_elimination),
      cmocka_unit_test(trunks_match_the_elimination),
      cmocka_unit_test(ridge_term_leaves_saddle_points),
      cmocka_unit_test(bounds_meet_the_conditions_of_optimality),
      cmocka_unit_test(steps_of_few_columns_match_the_matrix),
      cmocka_unit_test(few_columns_are_damped_as_any),
      cmocka_unit_test(steps_after_a_first_one_are_those_of_rows_alone),
      cmocka_unit_test(bounds_of_an_indefinite_model_end),
      cmocka_unit_test(first_order_tasks_descend),
      cmocka_unit_test(curvature_scales_with_the_predicted_residual),
      cmocka_unit_test(long_chains_are_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
