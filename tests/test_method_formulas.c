// Every method but the default, through sinew_solver_update(), against its formulas written down a
// second time: dense matrices, the public Jacobian, LAPACK. Random trees of all joint kinds, tasks
// of several kinds with weights and gains, steps with and without the clamp to max_turn. Joint
// limits are absent, or present and far away.
#include "fixtures.h"
#include "inspect.h"
#include "stack.h"

#include <lapacke.h>

enum { M = STACK_MOST_M, N = STACK_MOST_N, TASKS = 3 };

typedef struct trial {
  sinew_model *model;
  sinew_state *state;
  int nv, size_q;
  int task_count;
  sinew_task tasks[TASKS];
  sinew_target targets[TASKS];
  double q[2 * N];
  double gains[N], unit[N]; // unit: 1 rad, or the model's size where a joint translates [m]
  sinew_solver_def def;
} trial;

// The reference problem: J~ = S J G, e~ = S e, both dimensionless.
typedef struct reference {
  stack s;
  double E;      // half the squared error, before any clamp
  int effectors; // rows of one point or of one rotation
  int rows[2 * TASKS][2];
  int raised; // how often Newton's damping was raised
} reference;

// The unit of lengths: the model's size, or the length of a task's point where that is longer. A
// model without lengths has the size 1, and is not counted.
static double size_of(const trial *t) {
  double size = sinew_model_size(t->model) != 1.0 ? sinew_model_size(t->model) : 0.0;
  for (int i = 0; i < t->task_count; ++i) {
    const double *p = t->tasks[i].point_l;
    const bool points = t->tasks[i].kind != SINEW_TASK_ORIENTATION;
    size = points ? fmax(size, sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])) : size;
  }
  return size > 0.0 ? size : 1.0;
}

// Twists are linear, then angular; values whose joint translates are in metres.
static void find_units(trial *t) {
  for (int v = 0; v < t->nv; ++v) {
    t->unit[v] = t->model->angular[v] ? 1.0 : size_of(t);
  }
}

// A tree of some joints with tasks on random links.
// @param coupled fraction of coupled joints
static void trial_make(trial *t, random_stream *random, double coupled) {
  random_tree tree;
  random_tree_options options = random_tree_defaults();
  memset(t, 0, sizeof *t);
  do {
    sinew_model_destroy(t->model);
    options.joints = 2 + random_below(random, 5);
    options.chain = random_between(random, 0.5, 1.0);
    options.coupled = coupled;
    random_tree_make(&tree, random_bits(random), &options);
    assert_ok(sinew_model_create(&tree.def, &t->model, NULL));
    t->nv = sinew_model_nv(t->model);
    t->size_q = sinew_model_nq(t->model);
  } while (t->nv > N || t->nv == 0);
  assert_ok(sinew_state_create(t->model, NULL, &t->state, NULL));
  t->task_count = 1 + random_below(random, TASKS);
  for (int i = 0; i < t->task_count; ++i) {
    static const sinew_task_kind kinds[] = {SINEW_TASK_POSITION, SINEW_TASK_ORIENTATION,
                                            SINEW_TASK_POSE};
    sinew_task *task = &t->tasks[i];
    *task = task_of(kinds[random_below(random, 3)], random_below(random, options.joints + 1));
    random_vector(random, 0.2, task->point_l);
    task->position_weight = random_between(random, 0.3, 2.0);
    task->orientation_weight = random_between(random, 0.3, 2.0);
    if (random_below(random, 3) == 0) { // not all of a position, nor of an orientation
      task->free_axes = (unsigned)(random_below(random, 7) + 8 * random_below(random, 7));
    }
  }
  find_units(t);
  sinew_configuration_start(t->model, t->q);
  double v[N];
  for (int i = 0; i < t->nv; ++i) {
    v[i] = random_between(random, -1.0, 1.0) * t->unit[i];
    t->gains[i] = 1.0;
  }
  sinew_configuration_integrate(t->model, t->q, v, t->q);
  t->def = sinew_default_solver_def();
  t->def.lanes = -1;
}

static void trial_end(trial *t) {
  sinew_state_destroy(t->state);
  sinew_model_destroy(t->model);
}

// Targets from a configuration some distance away, approximately.
static void aim(trial *t, random_stream *random, double far) {
  double v[N], q[2 * N];
  for (int i = 0; i < t->nv; ++i) {
    v[i] = random_between(random, -far, far) * t->unit[i];
  }
  sinew_configuration_integrate(t->model, t->q, v, q);
  for (int i = 0; i < t->task_count; ++i) {
    double beside[3];
    t->targets[i] = target_at(t->model, &t->tasks[i], q);
    random_vector(random, 0.1 * far * sinew_model_size(t->model), beside);
    for (int k = 0; k < 3; ++k) {
      t->targets[i].position[k] += beside[k];
    }
  }
}

// The rotation vector from a link to its target, world axes.
static void rotation_error(const sinew_pose *pose, const sinew_target *target, double r[3]) {
  const double *p = pose->rotation;
  const double back[4] = {p[0], -p[1], -p[2], -p[3]};
  double turn[4];
  sinew_quaternion_multiply(target->rotation, back, turn);
  sinew_quaternion_log(turn, r);
}

// ClampMag: w, or d w / |w| where |w| > d (Buss 2009, section 2).
static void clamp_mag(int count, double d, double *w) {
  const double length = stack_length(count, w);
  for (int i = 0; length > d && i < count; ++i) {
    w[i] *= d / length;
  }
}

// out = A B, 3 x 3 and 3 x n.
static void multiply3(const double A[9], const double *B, int n, double *out) {
  for (int i = 0; i < 3; ++i) {
    for (int v = 0; v < n; ++v) {
      out[i * n + v] = A[3 * i] * B[v] + A[3 * i + 1] * B[n + v] + A[3 * i + 2] * B[2 * n + v];
    }
  }
}

// The rows of a point or of a rotation: the constrained rows of A e = A J x, times a weight, the
// error clamped at D [m]. They are one effector.
static void add_rows(const trial *t, const double A[9], unsigned free_axes, double weight, double D,
                     const double e[3], const double *J, reference *out) {
  const int n = t->nv, first = out->s.m;
  double turned[3], rows[3 * N];
  multiply3(A, e, 1, turned);
  multiply3(A, J, n, rows);
  for (int i = 0; i < 3; ++i) {
    if ((free_axes >> i & 1u) == 0) {
      for (int v = 0; v < n; ++v) {
        out->s.J[out->s.m * n + v] = weight * rows[i * n + v] * t->unit[v] * t->gains[v];
      }
      out->s.e[out->s.m++] = weight * turned[i];
    }
  }
  out->E += 0.5 * pow(stack_length(out->s.m - first, out->s.e + first), 2.0);
  clamp_mag(out->s.m - first, weight * D, out->s.e + first);
  if (out->s.m > first) {
    out->rows[out->effectors][0] = first;
    out->rows[out->effectors++][1] = out->s.m;
  }
}

// R^T, and R^T J_r(r)^-1 = R^T (I + r^ / 2 + d r^ r^), d = (1 - theta / 2 cot(theta / 2)) /
// theta^2: the matrix that transforms errors into the target's axes, R, of which some are free.
static void target_axes(const double rotation[4], const double r[3], double linear[9],
                        double angular[9]) {
  double R[9], square[9];
  const double theta = stack_length(3, r),
               hat[9] = {0.0, -r[2], r[1], r[2], 0.0, -r[0], -r[1], r[0], 0.0};
  const double d = theta > 1e-3 ? (1.0 - 0.5 * theta / tan(0.5 * theta)) / (theta * theta)
                                : 1.0 / 12.0 + theta * theta / 720.0;
  sinew_quaternion_to_matrix(rotation, R);
  for (int i = 0; i < 9; ++i) {
    linear[i] = R[i % 3 * 3 + i / 3];
  }
  multiply3(hat, hat, 3, square);
  for (int i = 0; i < 9; ++i) {
    square[i] = (i % 4 == 0) + 0.5 * hat[i] + d * square[i];
  }
  multiply3(linear, square, 3, angular);
}

// Fills the rows of one task at the configuration of t->state.
static void add_task(const trial *t, const sinew_task *task, const sinew_target *target,
                     reference *out) {
  static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  double J[6 * N], at_target[6 * N], s[3], e[3], r[3], linear[9], angular[9];
  const double size = size_of(t);
  sinew_pose pose;
  assert_ok(sinew_state_link_pose(t->state, task->link, &pose));
  assert_ok(sinew_state_point(t->state, task->link, task->point_l, s));
  assert_ok(
      sinew_state_jacobian(t->state, task->link, task->point_l, sinew_model_root(t->model), J));
  assert_ok(sinew_state_jacobian_target(t->state, task->link, target->position, at_target));
  for (int i = 0; i < 3; ++i) {
    e[i] = target->position[i] - s[i];
  }
  rotation_error(&pose, target, r);
  target_axes(target->rotation, r, linear, angular);
  const bool in_target = task->free_axes != 0;
  if (task->kind != SINEW_TASK_ORIENTATION) {
    add_rows(t, in_target ? linear : unit, task->free_axes, task->position_weight / size,
             t->def.step.error_clamp, e, t->def.step.target_jacobian ? at_target : J, out);
  }
  if (task->kind != SINEW_TASK_POSITION) {
    // J_r(r)^-1 r = r, so that the error is R^T r by this matrix too
    add_rows(t, in_target ? angular : unit, task->free_axes >> 3, task->orientation_weight,
             INFINITY, r, J + 3 * t->nv, out);
  }
}

static void reference_at(const trial *t, const double *q, reference *out) {
  out->s.m = out->effectors = out->raised = 0;
  out->s.n = t->nv;
  out->E = 0.0;
  assert_ok(sinew_state_forward(t->state, q));
  for (int i = 0; i < t->task_count; ++i) {
    add_task(t, &t->tasks[i], &t->targets[i], out);
  }
}

// ----------------------------------------------------------------- the formulas

// g = J^T e
static void transpose_product(const stack *s, const double *e, double *g) {
  for (int j = 0; j < s->n; ++j) {
    g[j] = 0.0;
    for (int i = 0; i < s->m; ++i) {
      g[j] += s->J[i * s->n + j] * e[i];
    }
  }
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

// Buss 2009, section 3: x = alpha J^T e, alpha = <e, J J^T e> / <J J^T e, J J^T e>.
static bool transpose_step(const trial *t, reference *l, double *x) {
  double g[N], f[M];
  (void)t;
  transpose_product(&l->s, l->s.e, g);
  stack_multiply(&l->s, g, f);
  const double square = dot(l->s.m, f, f);
  if (square < 1e-12) {
    return false;
  }
  const double alpha = dot(l->s.m, l->s.e, f) / square;
  for (int j = 0; j < l->s.n; ++j) {
    x[j] = alpha * g[j];
  }
  return true;
}

typedef struct svd {
  int p;
  double sigma[N], U[M * M], VT[M * N];
} svd;

static void svd_of(const stack *s, svd *d) {
  d->p = s->m < s->n ? s->m : s->n;
  stack_lapack_svd(s, d->sigma, d->U, d->VT);
}

// u_i . e
static double component_of(const stack *s, const svd *d, int i) {
  double sum = 0.0;
  for (int r = 0; r < s->m; ++r) {
    sum += d->U[r * d->p + i] * s->e[r];
  }
  return sum;
}

static void add_direction(const stack *s, const svd *d, int i, double factor, double *x) {
  for (int j = 0; j < s->n; ++j) {
    x[j] += factor * d->VT[i * s->n + j];
  }
}

// Buss 2009, section 6: x = sum sigma_i^-1 (u_i . e) v_i over sigma_i > 0.01 sigma_1.
static bool pseudoinverse_step(const trial *t, reference *l, double *x) {
  static svd d;
  (void)t;
  svd_of(&l->s, &d);
  memset(x, 0, (size_t)l->s.n * sizeof(double));
  for (int i = 0; i < d.p; ++i) {
    if (fabs(d.sigma[i] / d.sigma[0] - 0.01) < 1e-6) {
      return false; // too close to the cut
    }
    if (d.sigma[i] > 0.01 * d.sigma[0]) {
      add_direction(&l->s, &d, i, component_of(&l->s, &d, i) / d.sigma[i], x);
    }
  }
  return true;
}

// Buss 2009, sections 5 and 6: x = sum sigma_i / (sigma_i^2 + mu) (u_i . e) v_i, with
// mu = c min(E, 1/2) + (lambda / size)^2 + floor (Chan and Lawrence 1988, Sugihara 2011).
static bool dls_step(const trial *t, reference *l, double *x) {
  static svd d;
  const double lambda = t->def.step.damping / size_of(t);
  const double mu =
      t->def.step.error_damping * fmin(l->E, 0.5) + lambda * lambda + t->def.step.damping_floor;
  svd_of(&l->s, &d);
  memset(x, 0, (size_t)l->s.n * sizeof(double));
  for (int i = 0; i < d.p; ++i) {
    const double sigma = d.sigma[i];
    add_direction(&l->s, &d, i, sigma / (sigma * sigma + mu) * component_of(&l->s, &d, i), x);
  }
  return mu > 1e-9; // below that, rounding decides the result
}

// Whether J is more than rounding and its singular values above 1e-10 are distinct: for equal ones
// the vectors are any basis of their space, and SDLS damps each by its entries.
static bool is_unique(const svd *d) {
  bool apart = d->sigma[0] > 1e-9;
  for (int i = 0; i < d->p && d->sigma[i] > 1e-11 * d->sigma[0]; ++i) {
    const double next = i + 1 < d->p ? d->sigma[i + 1] : 0.0;
    apart &= d->sigma[i] - next > 1e-4 * d->sigma[i] &&
             fabs(d->sigma[i] / d->sigma[0] - 1e-10) > 0.9e-10;
  }
  return apart;
}

// Buss and Kim 2005, gamma_max = pi / 4, singular values down to 1e-10.
static bool sdls_step(const trial *t, reference *l, double *x) {
  static svd d = {0};
  d.p = l->s.m < l->s.n ? l->s.m : l->s.n;
  stack_lapack_sdls(&l->s, l->effectors, l->rows, fmin(t->def.step.max_turn, PI / 4.0), 1e-10,
                    d.sigma, x);
  return is_unique(&d);
}

// The gradient of half the squared error at q moved by h along degree of freedom k, in the units of
// the reference problem.
static void gradient_beside(const trial *t, int k, double h, double *g) {
  static reference l;
  double v[N] = {0.0}, q[2 * N];
  if (k >= 0) {
    v[k] = h * t->gains[k] * t->unit[k];
  }
  sinew_configuration_integrate(t->model, t->q, v, q);
  reference_at(t, q, &l);
  transpose_product(&l.s, l.s.e, g);
}

// H by central differences of the gradient, accurate to 1e-9. The three rotations of a spherical
// joint do not commute, and their second derivatives are the symmetric part.
static void numeric_hessian(const trial *t, double *H) {
  const int n = t->nv;
  const double h = 1e-5;
  double forth[N], back[N], raw[N * N];
  for (int k = 0; k < n; ++k) {
    gradient_beside(t, k, h, forth);
    gradient_beside(t, k, -h, back);
    for (int j = 0; j < n; ++j) {
      raw[j * n + k] = (back[j] - forth[j]) / (2.0 * h);
    }
  }
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) {
      H[j * n + k] = 0.5 * (raw[j * n + k] + raw[k * n + j]);
    }
  }
}

// (H + mu I) x = g by Cholesky; false where the matrix is not positive definite.
static bool solve_damped(int n, const double *H, double mu, const double *g, double *x) {
  static double A[N * N];
  memcpy(A, H, (size_t)(n * n) * sizeof(double));
  memcpy(x, g, (size_t)n * sizeof(double));
  for (int j = 0; j < n; ++j) {
    A[j * n + j] += mu;
  }
  return LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', n, 1, A, n, x, 1) == 0;
}

static double least_eigenvalue(int n, const double *H) {
  static double A[N * N];
  double values[N];
  memcpy(A, H, (size_t)(n * n) * sizeof(double));
  assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', n, A, n, values), 0);
  return values[0];
}

// (H + mu I) x = g with H of the whole second order, mu = min(0.3 |e|, 10 |g|) + 1e-5, |e| at most
// 1; mu becomes 2 mu + 1e-4 repeatedly while H + mu I is not positive definite or a joint moves by
// more than max_turn: docs/tracking.md.
static bool newton_step(const trial *t, reference *l, double *x) {
  static double H[N * N];
  double g[N];
  const int n = t->nv;
  gradient_beside(t, -1, 0.0, g);
  numeric_hessian(t, H);
  const double least = least_eigenvalue(n, H), length = sqrt(dot(n, g, g));
  double mu =
      fmin(0.3 * t->def.step.damping_scale * sqrt(2.0 * fmin(l->E, 0.5)), 10.0 * length) + 1e-5;
  for (; l->raised < 40; ++l->raised, mu = 2.0 * mu + 1e-4) {
    double most = 0.0;
    if (least + mu > -1e-6 && least < -0.49 * mu) {
      return false; // each pivot must be above mu / 2, which is uncertain here
    }
    if (!solve_damped(n, H, mu, g, x)) {
      continue;
    }
    for (int j = 0; j < n; ++j) {
      most = fmax(most, fabs(t->gains[j] * x[j]));
    }
    if (fabs(most / t->def.step.max_turn - 1.0) < 1e-3) {
      return false;
    }
    if (most < t->def.step.max_turn) {
      return true;
    }
  }
  return false;
}

// ---------------------------------------------------------------------- comparing

typedef bool (*reference_step)(const trial *, reference *, double *x);

typedef struct tally {
  int compared;
  int cut;    // clamped to max_turn
  int raised; // with Newton's damping raised
} tally;

// One update of the solver, in rad and sizes.
static void solver_step(trial *t, bool bounded, double *turns) {
  double q[2 * N], v[N], lower[N], upper[N];
  sinew_solver *solver = solver_with(&t->def, t->model, t->tasks, t->task_count);
  assert_ok(sinew_solver_set_gains(solver, t->gains));
  for (int i = 0; i < t->nv; ++i) {
    lower[i] = -1e4;
    upper[i] = 1e4;
  }
  if (bounded) {
    assert_ok(sinew_solver_set_limits(solver, lower, upper));
  }
  memcpy(q, t->q, sizeof q);
  assert_ok(sinew_solver_update(solver, t->targets, t->task_count, q, NULL));
  sinew_configuration_difference(t->model, t->q, q, v);
  for (int i = 0; i < t->nv; ++i) {
    turns[i] = v[i] / t->unit[i];
  }
  sinew_solver_destroy(solver);
}

// The reference step in rad: G x, no component above max_turn.
static void compare(trial *t, reference_step step, bool bounded, double tolerance, tally *found) {
  static reference l;
  double expected[N], turns[N];
  find_units(t);
  reference_at(t, t->q, &l);
  if (!step(t, &l, expected)) {
    return;
  }
  for (int j = 0; j < t->nv; ++j) {
    expected[j] *= t->gains[j];
  }
  const bool cut = stack_max_abs(t->nv, expected) > t->def.step.max_turn;
  stack_clamp_max_abs(t->nv, t->def.step.max_turn, expected);
  solver_step(t, bounded, turns);
  assert_at_most(farthest(t->nv, turns, expected), tolerance);
  ++found->compared;
  found->cut += cut;
  found->raised += l.raised > 0;
}

// Random trials of one method, with vary() applied to the definition.
// @param coupled fraction of coupled joints
static void run(sinew_method method, reference_step step, void (*vary)(trial *, random_stream *),
                double coupled, double tolerance, uint64_t seed, tally *found) {
  random_stream random = random_stream_of(seed);
  *found = (tally){0};
  for (int round = 0; round < 400; ++round) {
    trial t;
    trial_make(&t, &random, coupled);
    aim(&t, &random, pow(10.0, random_between(&random, -2.0, 0.3)));
    for (int v = 0; round % 2 == 1 && v < t.nv; ++v) {
      t.gains[v] = random_between(&random, 0.2, 2.0);
    }
    // below, a spherical joint moves by less than pi: else its rotation vector is not known
    t.def.step.method = method;
    t.def.step.max_turn = round % 4 < 2 ? 1.7 : random_between(&random, 0.05, 0.5);
    if (vary != NULL) {
      vary(&t, &random);
    }
    compare(&t, step, round % 5 < 2, tolerance, found);
    trial_end(&t);
  }
  print_message("%d steps compared, %d of them clamped to max_turn\n", found->compared, found->cut);
}

// req: D1 D2 D12 B15
static void transpose_matches_its_source(void **state) {
  (void)state;
  tally found;
  run(SINEW_METHOD_TRANSPOSE, transpose_step, NULL, 0.2, 1e-8, 801, &found);
  assert_true(found.compared > 300 && found.cut > 40);
}

// req: D4 D8 D12 B15
static void pseudoinverse_matches_its_source(void **state) {
  (void)state;
  tally found;
  run(SINEW_METHOD_PSEUDOINVERSE, pseudoinverse_step, NULL, 0.2, 1e-8, 802, &found);
  assert_true(found.compared > 300 && found.cut > 50);
}

static void vary_damping(trial *t, random_stream *random) {
  t->def.step.damping = random_between(random, 0.01, 1.0) * sinew_model_size(t->model);
  t->def.step.error_damping = random_below(random, 2) == 0 ? 0.0 : random_between(random, 0.0, 0.5);
  t->def.step.target_jacobian = random_below(random, 3) == 0;
}

// Constant damping and damping by the error, columns at the effector and at the target.
// req: D6 D8 D12 D13 B12 B15
static void dls_matches_its_source(void **state) {
  (void)state;
  tally found;
  run(SINEW_METHOD_DLS, dls_step, vary_damping, 0.2, 1e-8, 803, &found);
  assert_true(found.compared > 300 && found.cut > 30);
}

static void vary_clamp(trial *t, random_stream *random) {
  vary_damping(t, random);
  t->def.step.error_clamp = random_between(random, 0.02, 0.5) * sinew_model_size(t->model);
  t->def.step.error_clamp_adaptive = false;
}

// req: C3 D9 D12 B15
static void dls_with_clamped_errors_matches_its_source(void **state) {
  (void)state;
  tally found;
  run(SINEW_METHOD_DLS, dls_step, vary_clamp, 0.2, 1e-8, 804, &found);
  assert_true(found.compared > 300 && found.cut > 20);
}

static void vary_sdls(trial *t, random_stream *random) {
  if (random_below(random, 2) == 0) {
    t->def.step.error_clamp = random_between(random, 0.1, 0.5) * sinew_model_size(t->model);
    t->def.step.error_clamp_adaptive = false;
  }
}

// req: D10 D12 B15
static void sdls_matches_its_source(void **state) {
  (void)state;
  tally found;
  run(SINEW_METHOD_SDLS, sdls_step, vary_sdls, 0.2, 1e-8, 805, &found);
  assert_true(found.compared > 300 && found.cut > 10);
}

// Tasks for which H is exact: points and poses. For coupled joints H is of first order only.
static void vary_newton(trial *t, random_stream *random) {
  for (int i = 0; i < t->task_count; ++i) {
    sinew_task *task = &t->tasks[i];
    task->kind = task->kind == SINEW_TASK_ORIENTATION ? SINEW_TASK_POSE : task->kind;
    task->free_axes = 0;
  }
  t->def.step.damping_scale = random_between(random, 0.3, 3.0);
}

// req: D16 D12 B15 B18
static void newton_matches_its_formula(void **state) {
  (void)state;
  tally found;
  run(SINEW_METHOD_NEWTON, newton_step, vary_newton, 0.0, 2e-5, 806, &found);
  print_message("%d of them with damping that was raised\n", found.raised);
  assert_true(found.compared > 300 && found.raised > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transpose_matches_its_source),
      cmocka_unit_test(pseudoinverse_matches_its_source),
      cmocka_unit_test(dls_matches_its_source),
      cmocka_unit_test(dls_with_clamped_errors_matches_its_source),
      cmocka_unit_test(sdls_matches_its_source),
      cmocka_unit_test(newton_matches_its_formula),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
