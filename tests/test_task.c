// Tasks: their residuals against quaternions and hand computations; their rows against differences
// of the residuals; weights, free axes, chains; and the tasks and targets that are refused.
#include "fixtures.h"
#include "root_frame.h"

#include <stdlib.h>

#define MOST_ROWS 24
#define MOST_NV 96

// Residual and dense rows of a solver's tasks, per radian and metre.
typedef struct dense {
  int m, nv;
  double e[MOST_ROWS];
  double J[MOST_ROWS * MOST_NV]; // J v = e
} dense;

static void linearize(sinew_solver *solver, const sinew_target *targets, const double *q,
                      dense *out) {
  const sinew_problem *problem = &solver->problem;
  const sinew_rows *rows = &solver->evaluation.rows;
  assert_true(rows->row_count <= MOST_ROWS && solver->model->nv <= MOST_NV);
  sinew_solver_evaluate(solver, targets, q);
  sinew_solver_linearize(solver, q, 0.0, true);
  memset(out, 0, sizeof *out);
  out->m = rows->row_count;
  out->nv = solver->model->nv;
  memcpy(out->e, rows->residual, (size_t)out->m * sizeof(double));
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    for (int k = 0; k < block->path_count; ++k) {
      const int column = rows->path[block->path_start + k], v = problem->dof_of_column[column];
      for (int i = 0; i < block->row_count; ++i) {
        out->J[(block->row + i) * out->nv + v] =
            rows->values[block->value_start + k * block->row_count + i] /
            (problem->gain[column] * problem->unit[column]);
      }
    }
  }
}

// The residual where v has moved by x. Free spherical joints rotate about the root link's axes.
static double value_at(sinew_solver *solver, const sinew_target *targets, const double *q, int v,
                       double x) {
  double move[MOST_NV] = {0.0}, at[2 * MOST_NV];
  move[v] = x;
  sinew_solver_evaluate(solver, targets, q);
  root_frame_to_body(solver, move);
  sinew_configuration_integrate(solver->model, q, move, at);
  return sinew_solver_evaluate(solver, targets, at);
}

// Minus the derivative of the residual by v, by central differences.
static void differences(sinew_solver *solver, const sinew_target *targets, const double *q,
                        dense *out) {
  const double h = 1e-6;
  const sinew_model *model = solver->model;
  double before[MOST_ROWS];
  const int m = solver->evaluation.rows.row_count, nv = model->nv;
  memset(out, 0, sizeof *out);
  out->m = m;
  out->nv = nv;
  for (int v = 0; v < nv; ++v) {
    value_at(solver, targets, q, v, -h);
    memcpy(before, solver->evaluation.rows.residual, sizeof before);
    value_at(solver, targets, q, v, h);
    for (int i = 0; i < m; ++i) {
      out->J[i * nv + v] = (before[i] - solver->evaluation.rows.residual[i]) / (2.0 * h);
    }
  }
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  }
}

// A random tree with a random configuration, and a task for one of its links.
typedef struct scene {
  sinew_model *model;
  double q[2 * MOST_NV];
  sinew_task task;
  sinew_target target;
  sinew_solver *solver;
} scene;

// The model, the configuration, the task with its tool and the target.
static void scene_begin(scene *s, random_stream *random, uint64_t seed, sinew_task_kind kind,
                        unsigned free_axes) {
  static random_tree tree;
  random_tree_options options = random_tree_defaults();
  options.chain = 0.8;
  random_tree_make(&tree, seed, &options);
  for (int l = 0; l <= options.joints; ++l) {
    tree.links[l].mass = l % 4 == 3 ? 0.0 : random_between(random, 0.1, 9.0);
    random_vector(random, 0.2, tree.links[l].center_of_mass);
  }
  assert_ok(sinew_model_create(&tree.def, &s->model, NULL));
  sinew_configuration_random(s->model, seed, 0, s->q);
  s->task = task_of(kind, random_below(random, sinew_model_link_count(s->model)));
  s->task.free_axes = free_axes_of(kind, free_axes);
  s->task.position_weight = random_between(random, 0.3, 3.0);
  s->task.orientation_weight = random_between(random, 0.3, 3.0);
  random_vector(random, 0.5, s->task.point_l);
  random_unit(random, 3, s->task.axis_l);
  random_unit(random, 4, s->task.rotation_l);
  reset_unread_fields(&s->task);
  s->target = sinew_default_target();
  random_vector(random, 1.0, s->target.position);
  random_unit(random, 4, s->target.rotation);
  random_unit(random, 3, s->target.direction);
  s->target.distance = random_between(random, 0.0, 1.0);
}

static void scene_make(scene *s, random_stream *random, uint64_t seed, sinew_task_kind kind,
                       unsigned free_axes) {
  scene_begin(s, random, seed, kind, free_axes);
  s->solver = solver_with(NULL, s->model, &s->task, 1);
}

static void scene_make_varied(scene *s, random_stream *random, uint64_t seed, sinew_task_kind kind,
                              unsigned free_axes) {
  scene_begin(s, random, seed, kind, free_axes);
  vary_task(random, s->model, &s->task);
  s->solver = solver_with(NULL, s->model, &s->task, 1);
}

static void scene_end(scene *s) {
  sinew_solver_destroy(s->solver);
  sinew_model_destroy(s->model);
}

// The angle from n to g about u [rad].
static double angle_about(const double u[3], const double n[3], const double g[3]) {
  double across[3];
  cross(n, g, across);
  return atan2(dot(u, across), dot(n, g) - dot(n, u) * dot(u, g));
}

static double length_of(const double v[3]) {
  return sqrt(dot(v, v));
}

// The angles that a kind with an axis measures: to its direction, and about an axis.
static void angles_of(const scene *s, double *aim, double *about) {
  const sinew_target here = target_at(s->model, &s->task, s->q);
  double a[3], d[3], up[3];
  *aim = *about = 0.0;
  sinew_quaternion_rotate(here.rotation, s->task.axis_l, a);
  sinew_quaternion_rotate(here.rotation, s->task.up_axis, up);
  for (int i = 0; i < 3; ++i) {
    d[i] = s->task.kind == SINEW_TASK_LOOK_AT
               ? s->target.position[i] - (here.position[i] - 0.7 * a[i])
               : s->target.direction[i];
  }
  if (s->task.kind == SINEW_TASK_YAW) {
    const double z[3] = {0.0, 0.0, 1.0};
    *about = angle_about(dot(s->task.up_axis, s->task.up_axis) > 0.0 ? s->task.up_axis : z, a, d);
  } else {
    double across[3];
    cross(a, d, across);
    *aim = atan2(length_of(across), dot(a, d));
    *about = dot(up, up) > 0.0 ? angle_about(a, up, s->target.direction) : 0.0;
    if (sinew_target_is_goal(&s->target)) {
      *about = remainder(*about - s->target.distance, 2.0 * PI);
    }
  }
}

// Differences are not defined across the jump at half a turn.
static bool is_near_half_a_turn(const scene *s) {
  double angle = 0.0;
  sinew_solver_evaluate(s->solver, &s->target, s->q);
  assert_ok(sinew_solver_task_error(s->solver, 0, NULL, &angle));
  double distance, whole, aim = 0.0, about = 0.0;
  measure(s->model, &s->task, &s->target, s->q, &distance, &whole);
  if (s->task.kind >= SINEW_TASK_DIRECTION) {
    angles_of(s, &aim, &about);
  }
  return whole > 3.0 || angle > 3.0 || aim > 3.0 || fabs(about) > 3.0;
}

// Position rows are the exact derivative of the residual. With free axes, so are those of
// orientations in the target's frame.
// req: A8 C1 B1
static void rows_are_derivatives_of_the_residual(void **state) {
  (void)state;
  random_stream random = random_stream_of(71);
  int compared = 0;
  for (uint64_t round = 0; round < 600; ++round) {
    const sinew_task_kind kind = (sinew_task_kind)(round % 3);
    unsigned free_axes = 0;
    if (kind != SINEW_TASK_POSITION || round % 2 == 0) {
      free_axes = 1u + (unsigned)random_below(&random, 62);
    }
    scene s;
    scene_make(&s, &random, round, kind, free_axes);
    if (!is_near_half_a_turn(&s)) {
      dense rows, numeric;
      linearize(s.solver, &s.target, s.q, &rows);
      differences(s.solver, &s.target, s.q, &numeric);
      assert_at_most(farthest(rows.m * rows.nv, rows.J, numeric.J), 3e-8);
      ++compared;
    }
    scene_end(&s);
  }
  assert_true(compared > 400);
}

// ---------------------------------------------------------------- all kinds
//
// Properties of every kind of task. A new kind in the library's list is covered as soon as
// reference_error() has its residual.

// How far y is outside of a range.
static double beyond(double y, double lower, double upper) {
  return y < lower ? lower - y : y > upper ? y - upper : 0.0;
}

// The errors along and about the axes of the weights.
static void frame_errors(const sinew_task *task, const sinew_target *target,
                         const sinew_target *here, double e[6]) {
  const bool pose = task->kind == SINEW_TASK_POSE;
  const double *axes = task->weight_axes == SINEW_AXES_TOOL ? here->rotation : target->rotation;
  double into[4] = {axes[0], -axes[1], -axes[2], -axes[3]}, e_position[3], e_rotation[3], turn[4];
  const double back[4] = {here->rotation[0], -here->rotation[1], -here->rotation[2],
                          -here->rotation[3]};
  if (task->weight_axes == SINEW_AXES_FRAME) {
    into[0] = 1.0;
    into[1] = into[2] = into[3] = 0.0;
  }
  for (int i = 0; i < 3; ++i) {
    e_position[i] = here->position[i] - target->position[i];
  }
  sinew_quaternion_multiply(target->rotation, back, turn);
  sinew_quaternion_log(turn, e_rotation);
  sinew_quaternion_rotate(into, e_position, e_position);
  sinew_quaternion_rotate(into, e_rotation, e_rotation);
  for (int i = 0; i < 6; ++i) {
    const bool kind = pose || task->kind == (i < 3 ? SINEW_TASK_POSITION : SINEW_TASK_ORIENTATION);
    const bool controlled = kind && (task->free_axes >> i & 1u) == 0;
    e[i] = controlled ? task->axis_weights[i] * beyond(i < 3 ? e_position[i] : -e_rotation[i - 3],
                                                       task->range_lower[i], task->range_upper[i])
                      : 0.0;
  }
}

// Half the squared residual, by quaternions and vectors alone.
static double reference_error(const scene *s) {
  const sinew_task *task = &s->task;
  const sinew_target *target = &s->target, here = target_at(s->model, task, s->q);
  const bool point =
      !task->center_of_mass && (sinew_task_target_fields(task) & SINEW_TARGET_POSITION) != 0;
  const double size = fmax(sinew_model_size(s->model), point ? length_of(task->point_l) : 0.0);
  const double wp = task->position_weight / size;
  const double wo = task->orientation_weight;
  const double lower = task->range_lower[0], upper = task->range_upper[0];
  double e[6] = {0.0}, away[3], across[3], aim, about;
  angles_of(s, &aim, &about);
  for (int i = 0; i < 3; ++i) {
    away[i] = here.position[i] - target->position[i];
  }
  switch (task->kind) {
  case SINEW_TASK_POSITION:
  case SINEW_TASK_ORIENTATION:
  case SINEW_TASK_POSE:
    frame_errors(task, target, &here, e);
    break;
  case SINEW_TASK_LOOK_AT:
  case SINEW_TASK_DIRECTION:
    e[3] = fmax(0.0, aim - task->cone_angle);
    if (task->kind == SINEW_TASK_LOOK_AT && dot(task->up_axis, task->up_axis) > 0.0) {
      double a[3];
      sinew_quaternion_rotate(here.rotation, task->axis_l, a);
      cross(a, target->direction, across);
      e[4] = dot(across, across) * about;
    }
    break;
  case SINEW_TASK_YAW:
    e[3] = about;
    break;
  case SINEW_TASK_PLANE:
    e[0] = beyond(dot(target->direction, away), lower, upper);
    break;
  case SINEW_TASK_LINE:
    cross(target->direction, away, across);
    e[0] = length_of(across);
    break;
  case SINEW_TASK_DISTANCE:
    away[0] -= 0.3; // target_at() is beside the point
    e[0] = beyond(length_of(away) - target->distance, lower, upper);
    break;
  default:
    fail_msg("kind %d has no reference residual", (int)task->kind);
  }
  double sum = 0.0;
  for (int i = 0; i < 6; ++i) {
    const double weighted = (i < 3 ? wp : wo) * e[i];
    sum += 0.5 * weighted * weighted;
  }
  return sum;
}

// A goal of a LOOK_AT. near: the axis of its rotation is near the direction to the point.
static void make_goal(random_stream *random, bool near, scene *s) {
  const sinew_target here = target_at(s->model, &s->task, s->q);
  double a[3], w[3];
  sinew_quaternion_rotate(here.rotation, s->task.axis_l, a);
  s->target.cookie = SINEW_GOAL_COOKIE;
  s->target.distance = random_between(random, -3.0, 3.0);
  if (near) {
    random_vector(random, 0.03, w);
    for (int i = 0; i < 3; ++i) {
      w[i] += s->target.position[i] - (here.position[i] - 0.7 * a[i]);
    }
    sinew_quaternion_exp(w, s->target.rotation);
  }
}

// The rows of these are exact everywhere, with all weights, ranges and angles, those of goals of
// LOOK_AT too.
// req: A8 C1
static void general_rows_are_derivatives_of_the_residual(void **state) {
  (void)state;
  static const sinew_task_kind kinds[] = {
      SINEW_TASK_POSITION, SINEW_TASK_ORIENTATION, SINEW_TASK_POSE,
      SINEW_TASK_PLANE,    SINEW_TASK_LINE,        SINEW_TASK_DISTANCE,
      SINEW_TASK_YAW,      SINEW_TASK_DIRECTION,   SINEW_TASK_LOOK_AT};
  random_stream random = random_stream_of(84);
  int compared = 0, active = 0, goals = 0;
  for (uint64_t round = 0; round < 900; ++round) {
    scene s;
    scene_begin(&s, &random, 9000 + round, kinds[round % 9], 0);
    vary_task(&random, s.model, &s.task);
    s.task.cone_angle = random_between(&random, 0.1, 1.0);
    reset_unread_fields(&s.task);
    if (s.task.kind == SINEW_TASK_LOOK_AT && round % 2 == 0) { // a goal, at any angle
      make_goal(&random, round % 4 == 0, &s);
      goals += 1;
    }
    s.solver = solver_with(NULL, s.model, &s.task, 1);
    const bool general = s.solver->problem.tasks[0].rows == SINEW_ROWS_GENERAL;
    if (general && !is_near_half_a_turn(&s)) {
      dense rows, numeric;
      linearize(s.solver, &s.target, s.q, &rows);
      differences(s.solver, &s.target, s.q, &numeric);
      const double largest =
          1.0 + farthest(rows.m * rows.nv, rows.J, (double[MOST_ROWS * MOST_NV]){0});
      assert_at_most(farthest(rows.m * rows.nv, rows.J, numeric.J), 1e-7 * largest * largest);
      assert_at_most(s.solver->evaluation.tasks[0].orientation_error, sqrt(2.0) * PI);
      active += s.solver->evaluation.E > 0.0;
      ++compared;
    }
    scene_end(&s);
  }
  assert_true(compared > 600 && active > 400 && goals == 50);
}

// Half the squared residual of task t of a solver at q, by the reference.
static double reference_at(const sinew_model *model, const sinew_task *task,
                           const sinew_target *target, const double *q) {
  scene s = {.task = *task, .target = *target};
  s.model = (sinew_model *)(uintptr_t)model;
  memcpy(s.q, q, (size_t)sinew_model_nq(model) * sizeof *q);
  return reference_error(&s);
}

// Each kind, with everything that varies, is solved in company: besides the pose of another hand of
// a person on a floating base. The reference finds the residual at the solution.
// req: A8
static void all_kinds_are_solved_in_company(void **state) {
  (void)state;
  random_stream random = random_stream_of(85);
  const int kinds = sinew_task_kind_count(), rounds = 12;
  int links[HUMANOID_PLACES];
  sinew_model *model = fixture_humanoid(true, links);
  for (int round = 0; round < rounds * kinds; ++round) {
    double wanted[2 * MOST_NV], q[2 * MOST_NV];
    const sinew_task_kind kind = (sinew_task_kind)(round % kinds);
    sinew_task tasks[2] = {task_of(kind, links[HUMANOID_LEFT_HAND]),
                           task_of(SINEW_TASK_POSE, links[HUMANOID_RIGHT_HAND])};
    random_unit(&random, 3, tasks[0].axis_l);
    random_unit(&random, 4, tasks[0].rotation_l);
    vary_task(&random, model, &tasks[0]);
    sinew_configuration_random(model, 90, (uint64_t)round, wanted);
    sinew_configuration_middle(model, q);
    const sinew_target targets[2] = {target_at(model, &tasks[0], wanted),
                                     target_at(model, &tasks[1], wanted)};
    sinew_solver *solver = solver_with(NULL, model, tasks, 2);
    sinew_report report;
    assert_ok(sinew_solver_solve(solver, targets, 2, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_at_most(outside_limits(model, q), 0.0);
    for (int t = 0; t < 2; ++t) { // weights are at most 3, tolerances 1e-6
      assert_at_most(reference_at(model, &tasks[t], &targets[t], q), 0.5 * 3e-6 * 3e-6 * 2.0);
    }
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// Beyond reach, but within a range of what is in reach: no proof excludes it.
// req: A8
static void ranges_are_part_of_reach(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(3, 1.0);
  sinew_task task = task_of(SINEW_TASK_POSITION, 3);
  sinew_target target = sinew_default_target();
  task.point_l[0] = 1.0;
  task.free_axes = SINEW_FREE_NONE;
  target.position[0] = 3.2;
  for (int round = 0; round < 2; ++round) {
    double q[3] = {0.3, -0.4, 0.5};
    sinew_report report;
    task.range_lower[0] = round == 0 ? 0.0 : -0.5;
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    assert_ok(sinew_solver_solve(solver, &target, 1, q, &report));
    assert_int_equal(report.outcome == SINEW_OUTCOME_CONVERGED, round == 1);
    assert_near(report.position_error, round == 0 ? 0.2 : 0.0, 1e-6);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// Free axes of a round: none in half of them.
static unsigned free_axes_of_round(uint64_t round, random_stream *random) {
  return round % 2 == 0 ? 0 : (unsigned)random_below(random, 64);
}

// req: A8
static void residuals_match_their_formulas(void **state) {
  (void)state;
  random_stream random = random_stream_of(81);
  const int kinds = sinew_task_kind_count();
  for (uint64_t round = 0; round < 200 * (uint64_t)kinds; ++round) {
    scene s;
    const unsigned free_axes = free_axes_of_round(round / (uint64_t)kinds, &random);
    scene_make_varied(&s, &random, 6000 + round, (sinew_task_kind)(round % (uint64_t)kinds),
                      free_axes);
    const double reference = reference_error(&s);
    const double E = sinew_solver_evaluate(s.solver, &s.target, s.q);
    // Near half a turn the angle has few digits.
    assert_near(E, reference, 1e-6 * (1.0 + reference));
    if (!is_near_half_a_turn(&s)) {
      assert_near(E, reference, 1e-11 * (1.0 + reference));
    }
    scene_end(&s);
  }
}

// Where a target is met, each row of each kind is the residual's exact derivative: the part that
// they omit elsewhere is of first order in the residual.
// req: A8 C1
static void rows_are_exact_at_the_target(void **state) {
  (void)state;
  random_stream random = random_stream_of(82);
  const int kinds = sinew_task_kind_count();
  for (uint64_t round = 0; round < 100 * (uint64_t)kinds; ++round) {
    scene s;
    dense rows, numeric;
    const unsigned free_axes = free_axes_of_round(round / (uint64_t)kinds, &random);
    scene_make_varied(&s, &random, 7000 + round, (sinew_task_kind)(round % (uint64_t)kinds),
                      free_axes);
    s.target = target_at(s.model, &s.task, s.q);
    linearize(s.solver, &s.target, s.q, &rows);
    differences(s.solver, &s.target, s.q, &numeric);
    for (int i = 0; i < rows.m; ++i) {
      assert_near(rows.e[i], 0.0, 1e-7);
    }
    assert_at_most(farthest(rows.m * rows.nv, rows.J, numeric.J), 3e-8);
    scene_end(&s);
  }
}

// Orientations and directions without free axes take the angular velocity itself for their rows:
// J^T e is minus the gradient of half the squared residual all the same.
// req: A8 C2
static void gradients_of_all_kinds_are_exact(void **state) {
  (void)state;
  random_stream random = random_stream_of(83);
  const int kinds = sinew_task_kind_count();
  int compared = 0;
  for (uint64_t round = 0; round < 100 * (uint64_t)kinds; ++round) {
    scene s;
    const unsigned free_axes = free_axes_of_round(round / (uint64_t)kinds, &random);
    scene_make_varied(&s, &random, 8000 + round, (sinew_task_kind)(round % (uint64_t)kinds),
                      free_axes);
    if (!is_near_half_a_turn(&s)) {
      dense rows;
      linearize(s.solver, &s.target, s.q, &rows);
      for (int v = 0; v < rows.nv; ++v) {
        double by_rows = 0.0;
        for (int i = 0; i < rows.m; ++i) {
          by_rows += rows.J[i * rows.nv + v] * rows.e[i];
        }
        const double h = 1e-5;
        const double above = value_at(s.solver, &s.target, s.q, v, h);
        const double below = value_at(s.solver, &s.target, s.q, v, -h);
        assert_near(by_rows, (below - above) / (2.0 * h), 2e-7 * (1.0 + 2.0 * below));
      }
      ++compared;
    }
    scene_end(&s);
  }
  assert_true(compared > 60 * kinds);
}

// A row of numbers has the fields that a kind reads, each with its column's name, and no others;
// a fault in one of these is refused, a fault elsewhere is not read.
// req: A8
static void packed_targets_have_the_values_that_are_read(void **state) {
  (void)state;
  static const char *const columns[] = {"x",  "y",  "z",  "qw", "qx",      "qy",
                                        "qz", "dx", "dy", "dz", "distance"};
  const int values = (int)(sizeof columns / sizeof columns[0]);
  for (int kind = 0; kind < sinew_task_kind_count(); ++kind) {
    sinew_task task = task_of((sinew_task_kind)kind, 0);
    assert_non_null(sinew_task_kind_name(task.kind));
    for (task.free_axes = 0; task.free_axes < 64; task.free_axes += 9) {
      const int size = sinew_task_target_size(&task);
      double row[16], back[16], *field;
      sinew_target target = sinew_default_target();
      for (int i = 0; i < size; ++i) {
        row[i] = 1.0 + i;
      }
      sinew_target_unpack(&task, row, &target);
      sinew_target_pack(&task, &target, back);
      assert_memory_equal(row, back, (size_t)size * sizeof(double));
      assert_null(sinew_task_target_column(&task, -1));
      assert_null(sinew_task_target_column(&task, size));
      for (int i = 0, at = 0; i < values; ++i) {
        field = i < 3    ? &target.position[i]
                : i < 7  ? &target.rotation[i - 3]
                : i < 10 ? &target.direction[i - 7]
                         : &target.distance;
        const unsigned bit = i < 3    ? SINEW_TARGET_POSITION
                             : i < 7  ? SINEW_TARGET_ROTATION
                             : i < 10 ? SINEW_TARGET_DIRECTION
                                      : SINEW_TARGET_DISTANCE;
        const bool read = (sinew_task_target_fields(&task) & bit) != 0;
        const double was = *field;
        *field = NAN;
        assert_true(sinew_target_is_finite(&target, sinew_task_target_fields(&task)) == !read);
        *field = was;
        if (read) {
          assert_true(was == row[at]);
          assert_string_equal(sinew_task_target_column(&task, at), columns[i]);
          ++at;
        }
        assert_true(i < values - 1 || at == size);
      }
    }
  }
  const sinew_task none = {.kind = (sinew_task_kind)sinew_task_kind_count()};
  assert_int_equal(sinew_task_target_fields(&none), 0);
  assert_int_equal(sinew_task_target_size(&none), 0);
  assert_null(sinew_task_kind_name(none.kind));
  assert_null(sinew_task_kind_name((sinew_task_kind)-1));
}

// Lower levels, influences and solvers without lanes are solved one attempt after the other.
static void not_all_is_solved_in_lanes(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  sinew_solver_def def = sinew_default_solver_def();
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSE, ARM_FLANGE), task_of(SINEW_TASK_POSITION, 3)};
  def.lower.levels = def.influences = 1;
  sinew_solver *solver = solver_with(&def, model, tasks, 2);
  assert_true(sinew_solver_in_lanes(solver));
  assert_ok(sinew_solver_set_influences(solver, (double[]){1.0, 0.5}, 2));
  assert_false(sinew_solver_in_lanes(solver));
  assert_ok(sinew_solver_set_influences(solver, (double[]){1.0, 1.0}, 2));
  assert_true(sinew_solver_in_lanes(solver));
  tasks[1].level = 1;
  assert_ok(sinew_solver_set_tasks(solver, tasks, 2, NULL));
  assert_false(sinew_solver_in_lanes(solver));
  sinew_solver_destroy(solver);
  def = sinew_default_solver_def();
  def.lanes = -1;
  solver = solver_with(&def, model, tasks, 1);
  assert_false(sinew_solver_in_lanes(solver));
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Lanes take rows of points, frames and directions; a task of others is solved without them.
// req: A8
static void other_rows_are_solved_without_lanes(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  const sinew_task task = task_of(SINEW_TASK_DIRECTION, ARM_FLANGE);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  assert_true(sinew_solver_in_lanes(solver));
  assert_ok(sinew_solver_set_tasks(solver, &task, 1, NULL));
  solver->problem.tasks[0].rows = SINEW_ROWS_GENERAL;
  assert_false(sinew_solver_in_lanes(solver));
  double q[7];
  sinew_report report;
  sinew_configuration_middle(model, q);
  sinew_target target = sinew_default_target();
  target.direction[0] = 0.6;
  assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

static char *read_file(const char *name) {
  FILE *file = fopen(name, "r");
  assert_non_null(file);
  char *text = calloc(1, 1 << 17);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 17) - 1, file) > 0);
  fclose(file);
  return text;
}

// Whether a word of a text stands in one of some files.
static bool is_known(const char *word, size_t length, char *const *files, int count) {
  char name[96];
  bool known = false;
  snprintf(name, sizeof name, "%.*s", (int)length, word);
  for (int f = 0; f < count; ++f) {
    known |= strstr(files[f], name) != NULL;
  }
  return known;
}

// The page refers to names of ours that are in public headers, and its table has each of its rows
// once; bench/python/others.py compares what it names of others.
static void names_of_the_page_exist(void **state) {
  (void)state;
  static const char *const headers[] = {"include/sinew/task.h",   "include/sinew/objective.h",
                                        "include/sinew/solver.h", "include/sinew/global.h",
                                        "include/sinew/batch.h",  "include/sinew/crowd.h"};
  enum { HEADERS = sizeof headers / sizeof headers[0] };
  char *text = read_file("docs/tasks.md"), *all[HEADERS];
  int names = 0, rows = 0;
  for (int h = 0; h < HEADERS; ++h) {
    all[h] = read_file(headers[h]);
  }
  for (const char *at = text; (at = strchr(at, '`')) != NULL; ++at) {
    const size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0");
    if (strncmp(at + 1, "SINEW_", 6) != 0 && strncmp(at + 1, "sinew_", 6) != 0) {
      continue;
    }
    if (!is_known(at + 1, length, all, HEADERS)) {
      fail_msg("docs/tasks.md refers to %.*s, which no header has", (int)length, at + 1);
    }
    ++names;
  }
  const char *table = strstr(text, "| theirs | ours |");
  assert_non_null(table);
  for (const char *row = table; row[0] == '|';) {
    const size_t length = strcspn(row, "\n");
    char line[1024];
    snprintf(line, sizeof line, "%.*s", (int)length, row);
    assert_null(strstr(row + length, line));
    row += length + (row[length] == '\n');
    ++rows;
  }
  assert_true(names > 40 && rows > 30);
  for (int h = 0; h < HEADERS; ++h) {
    free(all[h]);
  }
  free(text);
}

// For a rotation about the error's own axis the rows of an orientation are exact: J_r(r) r = r.
// req: C2
static void undamped_steps_remove_rotation_errors(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
  sinew_model *model = builder_make(&b);
  const sinew_task task = task_of(SINEW_TASK_ORIENTATION, 1);
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = SINEW_METHOD_DLS;
  def.step.error_damping = 0.0;
  def.step.max_turn = 10.0;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  random_stream random = random_stream_of(73);
  for (int round = 0; round < 300; ++round) {
    double q[4], axis[3], r[3], turn[4], distance, angle;
    const double angles[] = {1e-12, 1e-6, 0.3, 2.0, PI - 1e-3, PI - 1e-7, PI - 1e-10, PI};
    random_unit(&random, 4, q);
    random_unit(&random, 3, axis);
    const double size = angles[round % 8];
    for (int i = 0; i < 3; ++i) {
      r[i] = size * axis[i];
    }
    sinew_target target = sinew_default_target();
    sinew_quaternion_exp(r, turn);
    sinew_quaternion_multiply(turn, q, target.rotation);
    sinew_report report;
    assert_ok(sinew_solver_update(solver, &target, 1, q, &report));
    assert_near(report.orientation_error, size, 1e-14 + 1e-8 * (size > 3.0));
    measure(model, &task, &target, q, &distance, &angle);
    assert_at_most(angle, 1e-8);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// The solver's errors are those of poses and quaternions.
// req: A8
static void reported_errors_match_poses(void **state) {
  (void)state;
  random_stream random = random_stream_of(74);
  for (uint64_t round = 0; round < 800; ++round) {
    scene s;
    scene_make(&s, &random, 3000 + round, (sinew_task_kind)(round % 4), 0);
    double distance, angle, position = -1.0, orientation = -1.0;
    measure(s.model, &s.task, &s.target, s.q, &distance, &angle);
    sinew_solver_evaluate(s.solver, &s.target, s.q);
    assert_ok(sinew_solver_task_error(s.solver, 0, &position, &orientation));
    assert_near(position, distance, 1e-12);
    assert_near(orientation, angle, 1e-7); // near half a turn the angle has few digits
    assert_int_equal(sinew_solver_task_error(s.solver, 1, NULL, NULL), SINEW_ERROR_INDEX);
    assert_int_equal(sinew_solver_task_error(s.solver, -1, NULL, NULL), SINEW_ERROR_INDEX);
    scene_end(&s);
  }
}

// With free axes: the components along and about the target's other axes.
// req: A8
static void free_axes_are_in_the_target_frame(void **state) {
  (void)state;
  random_stream random = random_stream_of(75);
  for (uint64_t round = 0; round < 500; ++round) {
    const unsigned free_axes =
        free_axes_of(SINEW_TASK_POSE, 1u + (unsigned)random_below(&random, 63));
    scene s;
    scene_make(&s, &random, 4000 + round, SINEW_TASK_POSE, free_axes);
    const sinew_target here = target_at(s.model, &s.task, s.q);
    double away[3], turn[4], r[3], sum[2] = {0.0, 0.0}, position = -1.0, orientation = -1.0;
    double to_target[4] = {s.target.rotation[0], -s.target.rotation[1], -s.target.rotation[2],
                           -s.target.rotation[3]};
    const double back[4] = {here.rotation[0], -here.rotation[1], -here.rotation[2],
                            -here.rotation[3]};
    for (int i = 0; i < 3; ++i) {
      away[i] = s.target.position[i] - here.position[i];
    }
    sinew_quaternion_rotate(to_target, away, away);
    sinew_quaternion_multiply(s.target.rotation, back, turn);
    sinew_quaternion_log(turn, r);
    sinew_quaternion_rotate(to_target, r, r);
    int rows = 0;
    for (int i = 0; i < 3; ++i) {
      sum[0] += (free_axes >> i & 1u) == 0 ? away[i] * away[i] : 0.0;
      sum[1] += (free_axes >> (3 + i) & 1u) == 0 ? r[i] * r[i] : 0.0;
      rows += (free_axes >> i & 1u) == 0;
      rows += (free_axes >> (3 + i) & 1u) == 0;
    }
    sinew_solver_evaluate(s.solver, &s.target, s.q);
    assert_ok(sinew_solver_task_error(s.solver, 0, &position, &orientation));
    assert_int_equal(s.solver->evaluation.rows.row_count, rows);
    assert_near(position, sqrt(sum[0]), 1e-12);
    assert_near(orientation, sqrt(sum[1]), 1e-7);
    scene_end(&s);
  }
}

// A pen on a tilted plane: its height above the plane and its tilt are constrained, its place on
// the plane and the rotation about the normal are free.
// req: A8
static void planar_tasks_leave_the_normal_rotation_free(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  task.free_axes = SINEW_FREE_X | SINEW_FREE_Y | SINEW_FREE_ROTATION_Z;
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  sinew_target target = sinew_default_target();
  sinew_report report;
  double q[7];
  target.position[2] = 0.4;
  sinew_quaternion_from_rpy((double[3]){PI - 0.3, 0.2, 0.0}, target.rotation);
  sinew_configuration_middle(model, q);
  assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  const sinew_target here = target_at(model, &task, q);
  double normal[3] = {0.0, 0.0, 1.0}, pen[3] = {0.0, 0.0, 1.0}, height = 0.0, along = 0.0;
  sinew_quaternion_rotate(target.rotation, normal, normal);
  sinew_quaternion_rotate(here.rotation, pen, pen);
  for (int i = 0; i < 3; ++i) {
    height += normal[i] * (here.position[i] - target.position[i]);
    along += normal[i] * pen[i];
  }
  assert_near(height, 0.0, 1.01e-6);
  assert_near(along, 1.0, 1e-11); // the cosine of 1e-6 rad
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Two tasks for one prismatic joint: the result is their mean with the squared weights.
// req: A8 B13
static void weights_set_the_compromise(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  sinew_joint_def *slide = builder_add(&b, 0, SINEW_JOINT_PRISMATIC, 0.0, 0.0, 0.0);
  builder_limit(slide, -10.0, 10.0);
  sinew_model *model = builder_make(&b);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 1), task_of(SINEW_TASK_POSITION, 1)};
  sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
  targets[1].position[2] = 1.0;
  const double weights[] = {0.5, 1.0, 2.0, 10.0};
  for (int i = 0; i < 4; ++i) {
    tasks[1].position_weight = weights[i];
    sinew_solver *solver = solver_with(NULL, model, tasks, 2);
    double q = 5.0;
    sinew_report report;
    assert_ok(sinew_solver_solve_local(solver, targets, 2, &q, &report));
    const double w2 = weights[i] * weights[i];
    assert_near(q, w2 / (1.0 + w2), 1e-7);
    assert_int_not_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_int_equal(report.worst_task, weights[i] > 1.0   ? 0
                                        : weights[i] < 1.0 ? 1
                                                           : report.worst_task);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// A part with weight 0 has no rows and no error.
// req: A8
static void zero_weights_remove_rows(void **state) {
  (void)state;
  sinew_model *model = fixture_arm();
  sinew_task task = task_of(SINEW_TASK_POSE, ARM_FLANGE);
  sinew_target target = sinew_default_target();
  double q[7];
  static const struct {
    double position, orientation;
    int rows;
  } cases[] = {{1.0, 1.0, 6}, {0.0, 1.0, 3}, {1.0, 0.0, 3}, {0.0, 0.0, 0}};
  for (int c = 0; c < 4; ++c) {
    double position = -1.0, orientation = -1.0;
    task.position_weight = cases[c].position;
    task.orientation_weight = cases[c].orientation;
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    sinew_configuration_middle(model, q);
    sinew_solver_evaluate(solver, &target, q);
    assert_ok(sinew_solver_task_error(solver, 0, &position, &orientation));
    assert_int_equal(solver->evaluation.rows.row_count, cases[c].rows);
    assert_true((position > 0.0) == (cases[c].position > 0.0));
    assert_true((orientation > 0.0) == (cases[c].orientation > 0.0));
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// The opposite direction is an error of half a turn, and the step reduces it.
// req: A8
static void opposite_directions_are_reached(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
  sinew_model *model = builder_make(&b);
  random_stream random = random_stream_of(76);
  for (int round = 0; round < 200; ++round) {
    const double off[] = {0.0, 1e-14, 1e-9, 1e-5};
    sinew_task task = task_of(SINEW_TASK_DIRECTION, 1);
    random_unit(&random, 3, task.axis_l);
    if (round < 6) { // along coordinate axes too
      memset(task.axis_l, 0, sizeof task.axis_l);
      task.axis_l[round / 2] = round % 2 == 0 ? 1.0 : -1.0;
    }
    double q[4] = {1.0, 0.0, 0.0, 0.0}, distance, angle;
    sinew_target target = sinew_default_target();
    for (int i = 0; i < 3; ++i) {
      target.direction[i] = -7.0 * task.axis_l[i] + off[round % 4] * (i - 1.0);
      task.axis_l[i] *= 3.0; // any length is valid
    }
    sinew_solver_def def = sinew_default_solver_def();
    def.budget.max_starts = 1;
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    sinew_report report;
    assert_near(sinew_solver_evaluate(solver, &target, q), 0.5 * PI * PI, 1e-3);
    assert_ok(sinew_solver_update(solver, &target, 1, q, &report));
    assert_near(report.orientation_error, PI, 1e-4);
    assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
    assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
    assert_int_equal(solver->evaluation.rows.row_count, 2);
    measure(model, &task, &target, q, &distance, &angle);
    assert_at_most(angle, 1.001e-6);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// Several tasks on one link and on others are stacked in order: each has the rows that it has
// alone.
// req: B13 A8 F4
static void tasks_are_stacked_in_order(void **state) {
  (void)state;
  random_stream random = random_stream_of(77);
  for (uint64_t round = 0; round < 60; ++round) {
    static random_tree tree;
    random_tree_options options = random_tree_defaults();
    sinew_model *model = NULL;
    sinew_task tasks[4];
    sinew_target targets[4];
    double q[2 * MOST_NV];
    random_tree_make(&tree, 5000 + round, &options);
    assert_ok(sinew_model_create(&tree.def, &model, NULL));
    sinew_configuration_random(model, round, 1, q);
    const int link = random_below(&random, sinew_model_link_count(model));
    for (int t = 0; t < 4; ++t) {
      tasks[t] = task_of((sinew_task_kind)t,
                         t < 2 ? link : random_below(&random, sinew_model_link_count(model)));
      targets[t] = sinew_default_target();
      random_vector(&random, 1.0, targets[t].position);
      random_unit(&random, 3, targets[t].direction);
    }
    sinew_solver *together = solver_with(NULL, model, tasks, 4);
    dense all, one;
    linearize(together, targets, q, &all);
    assert_int_equal(all.m, 3 + 3 + 6 + 2);
    int row = 0;
    for (int t = 0; t < 4; ++t) {
      sinew_solver *alone = solver_with(NULL, model, &tasks[t], 1);
      linearize(alone, &targets[t], q, &one);
      assert_true(farthest(one.m, one.e, all.e + row) == 0.0);
      assert_true(farthest(one.m * one.nv, one.J, all.J + row * all.nv) == 0.0);
      row += one.m;
      sinew_solver_destroy(alone);
    }
    sinew_solver_destroy(together);
    sinew_model_destroy(model);
  }
}

// An effector on an inner link moves the joints before it, and none after it.
// req: A8 B1 A1
static void effectors_may_be_inner_links(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(6, 0.5);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 3);
  sinew_solver *solver = solver_with(NULL, model, &task, 1);
  double q[6] = {0.3, 0.2, 0.1, 0.4, 0.5, 0.6}, before[6];
  memcpy(before, q, sizeof q);
  sinew_target target = sinew_default_target();
  target.position[0] = 0.4;
  target.position[1] = 0.6;
  sinew_report report;
  assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  assert_true(q[0] != before[0] && q[1] != before[1]);
  // The third joint only rotates the link about its own origin.
  assert_near(q[2], before[2], 1e-12);
  assert_memory_equal(q + 3, before + 3, 3 * sizeof(double));
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Only joints below chain_root move for a task; those above keep their bits unless another task
// moves them.
// req: A7 A8
static void chain_root_bounds_the_chain(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(6, 0.5);
  sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 6), task_of(SINEW_TASK_POSITION, 2)};
  tasks[0].chain_root = 3;
  sinew_solver *solver = solver_with(NULL, model, tasks, 1);
  double q[6] = {0.3, 0.2, 0.1, 0.4, 0.5, 0.6}, before[6];
  memcpy(before, q, sizeof q);
  const sinew_target here = target_at(model, &tasks[0], q);
  sinew_target targets[2] = {here, target_at(model, &tasks[1], q)};
  targets[0].position[0] -= 0.3;
  sinew_report report;
  assert_ok(sinew_solver_solve_local(solver, targets, 1, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  assert_memory_equal(q, before, 3 * sizeof(double));
  assert_true(q[3] != before[3]);
  // The second task moves joint 0; the first still has no column there.
  assert_ok(sinew_solver_set_tasks(solver, tasks, 2, NULL));
  dense rows;
  linearize(solver, targets, q, &rows);
  for (int i = 0; i < 3; ++i) {
    for (int v = 0; v < 3; ++v) {
      assert_true(rows.J[i * 6 + v] == 0.0);
    }
  }
  assert_true(rows.J[3 * 6] != 0.0 || rows.J[4 * 6] != 0.0);
  // With the link itself as chain_root nothing moves.
  tasks[0].chain_root = 6;
  assert_ok(sinew_solver_set_tasks(solver, tasks, 1, NULL));
  memcpy(before, q, sizeof q);
  targets[0].position[0] -= 0.1;
  assert_ok(sinew_solver_solve_local(solver, targets, 1, q, &report));
  assert_memory_equal(q, before, sizeof q);
  assert_int_not_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A planar problem: with the axis normal to the plane free there is no row of zeros, and J J^T is
// well conditioned; three joints and three rows are solved without any damping.
// req: A9
static void planar_problems_have_no_singular_rows(void **state) {
  (void)state;
  sinew_model *model = fixture_planar(3, 1.0);
  sinew_task task = task_of(SINEW_TASK_POSE, 3);
  task.point_l[0] = 1.0;
  task.free_axes = SINEW_FREE_Z | SINEW_FREE_ROTATION_X | SINEW_FREE_ROTATION_Y;
  sinew_solver_def def = sinew_default_solver_def();
  def.step.error_damping = def.step.damping_floor = 0.0;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  sinew_target target = sinew_default_target();
  double q[3] = {0.2, 0.5, 0.7};
  // J of x, y and the angle, by hand; lengths in units of the model's size.
  dense rows;
  linearize(solver, &target, q, &rows);
  assert_int_equal(rows.m, 3);
  const double size = sinew_model_size(model);
  const double a1 = q[0], a2 = q[0] + q[1], a3 = q[0] + q[1] + q[2];
  const double sines[3] = {sin(a1) + sin(a2) + sin(a3), sin(a2) + sin(a3), sin(a3)};
  const double cosines[3] = {cos(a1) + cos(a2) + cos(a3), cos(a2) + cos(a3), cos(a3)};
  for (int v = 0; v < 3; ++v) {
    assert_near(rows.J[v], -sines[v] / size, 1e-14);
    assert_near(rows.J[3 + v], cosines[v] / size, 1e-14);
    assert_near(rows.J[6 + v], 1.0, 1e-14);
  }
  // The target's coordinate along the normal is arbitrary.
  const double goal[3] = {0.3, 0.6, 0.8};
  target = target_at(model, &task, goal);
  target.position[2] = 17.0;
  sinew_report report;
  assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  assert_at_most(farthest(3, q, goal), 1e-5);
  assert_at_most(report.steps, 10); // as Newton's method
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// ---------------------------------------------------------------- refusals

// An invalid task is refused with its fault, and the old tasks stay.
// req: A8
static void tasks_are_checked(void **state) {
  (void)state;
  sinew_model *model = fixture_y();
  const sinew_task good = task_of(SINEW_TASK_POSITION, Y_EFFECTOR_0);
  sinew_task bad[40];
  sinew_result codes[40];
  const char *words[40];
  int count = 0;
#define BAD(change, code, word)                                                                    \
  do {                                                                                             \
    bad[count] = good;                                                                             \
    bad[count].change;                                                                             \
    codes[count] = code;                                                                           \
    words[count++] = word;                                                                         \
  } while (0)
  BAD(link = -1, SINEW_ERROR_INDEX, "link");
  BAD(link = 10, SINEW_ERROR_INDEX, "link");
  BAD(kind = (sinew_task_kind)sinew_task_kind_count(), SINEW_ERROR_ARGUMENT, "kind");
  BAD(kind = (sinew_task_kind)-1, SINEW_ERROR_ARGUMENT, "kind");
  BAD(chain_root = -2, SINEW_ERROR_INDEX, "chain_root");
  BAD(chain_root = 10, SINEW_ERROR_INDEX, "chain_root");
  BAD(chain_root = Y_EFFECTOR_1, SINEW_ERROR_ARGUMENT, "chain_root");
  BAD(frame_link = -2, SINEW_ERROR_INDEX, "frame_link");
  BAD(frame_link = 10, SINEW_ERROR_INDEX, "frame_link");
  BAD(frame_link = Y_EFFECTOR_0, SINEW_ERROR_ARGUMENT, "frame_link");
  BAD(point_l[1] = NAN, SINEW_ERROR_NOT_FINITE, "point_l");
  BAD(point_l[2] = INFINITY, SINEW_ERROR_NOT_FINITE, "point_l");
  BAD(axis_l[0] = NAN, SINEW_ERROR_NOT_FINITE, "axis_l");
  BAD(position_weight = -1.0, SINEW_ERROR_ARGUMENT, "weight");
  BAD(orientation_weight = NAN, SINEW_ERROR_ARGUMENT, "weight");
  BAD(position_weight = INFINITY, SINEW_ERROR_ARGUMENT, "weight");
  BAD(free_axes = 64u, SINEW_ERROR_ARGUMENT, "free_axes");
  BAD(rotation_l[0] = 0.0, SINEW_ERROR_NOT_FINITE, "rotation_l");
  BAD(rotation_l[3] = NAN, SINEW_ERROR_NOT_FINITE, "rotation_l");
  BAD(up_axis[0] = INFINITY, SINEW_ERROR_NOT_FINITE, "up_axis");
  BAD(axis_weights[0] = -1.0, SINEW_ERROR_ARGUMENT, "axis_weights");
  BAD(axis_weights[5] = NAN, SINEW_ERROR_ARGUMENT, "axis_weights");
  BAD(axis_weights[5] = 1e7, SINEW_ERROR_ARGUMENT, "axis_weights");
  BAD(range_lower[1] = 1.0, SINEW_ERROR_ARGUMENT, "range_lower");
  BAD(range_upper[4] = NAN, SINEW_ERROR_ARGUMENT, "range_lower");
  BAD(range_upper[0] = -INFINITY, SINEW_ERROR_ARGUMENT, "range_lower");
  BAD(weight_axes = (sinew_task_axes)3, SINEW_ERROR_ARGUMENT, "weight_axes");
  BAD(weight_axes = SINEW_AXES_TOOL, SINEW_ERROR_ARGUMENT, "weight_axes");
  bad[count - 1].free_axes = 1u;
  BAD(axis_weights[0] = 0.0, SINEW_ERROR_ARGUMENT, "free_axes");
  bad[count - 1].axis_weights[1] = bad[count - 1].axis_weights[2] = 0.0;
  BAD(kind = SINEW_TASK_DIRECTION, SINEW_ERROR_ARGUMENT, "cone_angle");
  bad[count - 1].cone_angle = -0.1;
  BAD(kind = SINEW_TASK_LOOK_AT, SINEW_ERROR_ARGUMENT, "cone_angle");
  bad[count - 1].cone_angle = 3.2;
  BAD(kind = SINEW_TASK_LOOK_AT, SINEW_ERROR_ARGUMENT, "up_axis");
  bad[count - 1].up_axis[2] = -3.0;
  BAD(kind = SINEW_TASK_LOOK_AT, SINEW_ERROR_ARGUMENT, "axis_l");
  bad[count - 1].axis_l[2] = 0.0;
  BAD(kind = SINEW_TASK_YAW, SINEW_ERROR_ARGUMENT, "axis_l");
  bad[count - 1].axis_l[2] = 0.0;
  BAD(kind = SINEW_TASK_DIRECTION, SINEW_ERROR_ARGUMENT, "axis_l");
#undef BAD
  bad[count - 1].axis_l[2] = 0.0;
  sinew_solver *solver = solver_with(NULL, model, &good, 1);
  for (int i = 0; i < count; ++i) {
    sinew_error error = {0};
    sinew_task pair[2] = {good, bad[i]};
    assert_int_equal(sinew_solver_set_tasks(solver, pair, 2, &error), codes[i]);
    assert_non_null(strstr(error.message, words[i]));
    assert_non_null(strstr(error.message, "task 1"));
    assert_int_equal(error.code, codes[i]);
    assert_int_equal(sinew_solver_set_tasks(solver, pair, 2, NULL), codes[i]);
  }
  double q[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
  sinew_target target = target_at(model, &good, q);
  sinew_report report;
  assert_ok(sinew_solver_solve_local(solver, &target, 1, q, &report));
  assert_int_equal(report.outcome, SINEW_OUTCOME_CONVERGED);
  assert_int_equal(report.worst_task, 0);
  const sinew_task nine[9] = {good, good, good, good, good, good, good, good, good};
  assert_int_equal(sinew_solver_set_tasks(solver, nine, 9, NULL), SINEW_ERROR_CAPACITY);
  assert_int_equal(sinew_solver_set_tasks(solver, NULL, 1, NULL), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_set_tasks(solver, nine, -1, NULL), SINEW_ERROR_ARGUMENT);
  assert_ok(sinew_solver_set_tasks(solver, NULL, 0, NULL));
  assert_int_equal(sinew_solver_update(solver, &target, 1, q, NULL), SINEW_ERROR_ARGUMENT);
  assert_ok(sinew_solver_update(solver, NULL, 0, q, NULL));
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// Sets one field of a target to NaN: whether each kind refuses it. q keeps its bits where it is
// refused, and the field is not read where it is not.
// req: A8
static void targets_are_checked(void **state) {
  (void)state;
  enum { POSITION, ROTATION, DIRECTION, TWIST, ZERO_ROTATION, ZERO_DIRECTION, FAULTS };
  static const bool refused[10][FAULTS] = {
      // position, rotation, direction, twist, rotation 0, direction 0
      {true, false, false, true, false, false}, // POSITION
      {false, true, false, true, true, false},  // ORIENTATION
      {true, true, false, true, true, false},   // POSE
      {false, false, true, true, false, true},  // DIRECTION
      {true, false, false, true, false, false}, // LOOK_AT
      {true, false, true, true, false, true},   // PLANE
      {true, false, true, true, false, true},   // LINE
      {true, false, false, true, false, false}, // DISTANCE
      {false, false, true, true, false, true},  // YAW
      {true, true, false, true, true, false},   // POSITION with a free axis
  };
  const double faults[3] = {NAN, INFINITY, -INFINITY};
  sinew_model *model = fixture_arm();
  assert_int_equal(sinew_task_kind_count(), 9);
  for (int kind = 0; kind < 10; ++kind) {
    sinew_task task = task_of((sinew_task_kind)(kind % 9), ARM_FLANGE);
    task.free_axes = kind == 9 ? SINEW_FREE_X : 0;
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    for (int fault = 0; fault < FAULTS; ++fault) {
      for (int i = 0; i < 9; ++i) {
        sinew_target target = sinew_default_target();
        target.position[0] = 0.4;
        double *const fields[] = {target.position, target.rotation, target.direction,
                                  target.twist,    target.rotation, target.direction};
        if (fault < ZERO_ROTATION) {
          fields[fault][i % 3] = faults[i / 3];
        } else {
          memset(fields[fault], 0, (fault == ZERO_ROTATION ? 4 : 3) * sizeof(double));
        }
        double q[7], before[7];
        sinew_configuration_middle(model, q);
        memcpy(before, q, sizeof q);
        const sinew_result expected = refused[kind][fault] ? SINEW_ERROR_NOT_FINITE : SINEW_OK;
        assert_int_equal(sinew_solver_update(solver, &target, 1, q, NULL), expected);
        if (expected != SINEW_OK) {
          assert_memory_equal(q, before, sizeof q);
        }
        assert_int_equal(sinew_solver_solve_local(solver, &target, 1, q, NULL), expected);
        if (expected != SINEW_OK) {
          assert_memory_equal(q, before, sizeof q);
        }
        for (int v = 0; v < 7; ++v) {
          assert_true(isfinite(q[v]));
        }
      }
    }
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// A direction along the axis that headings are measured about has none: the error is 0, whatever
// the configuration, and nothing moves; that of one beside it has the heading's.
static void directions_along_the_axis_have_no_heading(void **state) {
  (void)state;
  random_stream random = random_stream_of(90);
  sinew_model *model = fixture_arm();
  for (int round = 0; round < 200; ++round) {
    sinew_task task = task_of(SINEW_TASK_YAW, ARM_FLANGE);
    sinew_target target = sinew_default_target();
    double q[7], before[7], beside[3], angle;
    random_unit(&random, 3, task.up_axis);
    sinew_solver *solver = solver_with(NULL, model, &task, 1);
    sinew_configuration_random(model, 90, (uint64_t)round, q);
    memcpy(before, q, sizeof q);
    sinew_scale(round % 2 == 0 ? 3.0 : -0.1, task.up_axis, target.direction);
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    assert_ok(sinew_solver_task_error(solver, 0, NULL, &angle));
    assert_near(angle, 0.0, 0.0);
    for (int v = 0; v < 7; ++v) {
      assert_near(q[v], before[v], 1e-15);
    }
    random_vector(&random, 1e-4, beside);
    for (int i = 0; i < 3; ++i) {
      target.direction[i] += beside[i];
    }
    const sinew_target here = target_at(model, &task, q);
    double a[3];
    sinew_quaternion_rotate(here.rotation, task.axis_l, a);
    sinew_solver_evaluate(solver, &target, q);
    assert_ok(sinew_solver_task_error(solver, 0, NULL, &angle));
    assert_near(angle, fabs(angle_about(task.up_axis, a, target.direction)), 1e-9);
    sinew_solver_destroy(solver);
  }
  sinew_model_destroy(model);
}

// Whether the relative tasks' edges, from a link to its frame, have a cycle: by the transitive
// closure (Warshall 1962).
static bool has_cycle(const sinew_task *tasks, int count, int links, int root) {
  bool reaches[16][16] = {{false}};
  for (int t = 0; t < count; ++t) {
    if (tasks[t].frame_link >= 0 && tasks[t].frame_link != root) {
      reaches[tasks[t].link][tasks[t].frame_link] = true;
    }
  }
  for (int k = 0; k < links; ++k) {
    for (int i = 0; i < links; ++i) {
      for (int j = 0; j < links; ++j) {
        reaches[i][j] |= reaches[i][k] && reaches[k][j];
      }
    }
  }
  bool cycle = false;
  for (int i = 0; i < links; ++i) {
    cycle |= reaches[i][i];
  }
  return cycle;
}

// Frames of tasks in a cycle are refused, by a solver and by a batch, and the old tasks stay;
// others are not. 2000 random sets of up to 6 tasks on the 10 links of the Y, half of them with
// cycles.
static void cycles_of_frames_are_refused(void **state) {
  (void)state;
  sinew_model *model = fixture_y();
  const int links = sinew_model_link_count(model), root = sinew_model_root(model);
  const sinew_task good = task_of(SINEW_TASK_POSITION, Y_EFFECTOR_0);
  sinew_solver *solver = solver_with(NULL, model, &good, 1);
  random_stream random = random_stream_of(7);
  int cycles = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    sinew_task tasks[6];
    const int count = 2 + trial % 5;
    for (int t = 0; t < count; ++t) {
      tasks[t] = task_of(SINEW_TASK_POSITION, random_below(&random, links));
      do {
        tasks[t].frame_link = random_below(&random, links + 1) - 1;
      } while (tasks[t].frame_link == tasks[t].link);
    }
    sinew_error error = {0};
    const bool cycle = has_cycle(tasks, count, links, root);
    const sinew_result result = sinew_solver_set_tasks(solver, tasks, count, &error);
    sinew_batch_def def = sinew_default_batch_def();
    sinew_batch *batch = NULL;
    cycles += cycle;
    assert_int_equal(result, cycle ? SINEW_ERROR_ARGUMENT : SINEW_OK);
    if (cycle) {
      assert_non_null(strstr(error.message, "in a cycle"));
      assert_int_equal(sinew_batch_create(&def, model, tasks, count, &batch, &error), result);
      assert_non_null(strstr(error.message, "in a cycle"));
    }
    // The solver's tasks after a refusal are those before it.
    double q[16], distance;
    sinew_target target = sinew_default_target();
    sinew_configuration_middle(model, q);
    if (cycle) {
      assert_ok(sinew_solver_solve_local(solver, &target, 1, q, NULL));
      assert_ok(sinew_solver_task_error(solver, 0, &distance, NULL));
    }
    assert_ok(sinew_solver_set_tasks(solver, &good, 1, NULL));
  }
  assert_true(cycles > 100 && cycles < 1900);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_derivatives_of_the_residual),
      cmocka_unit_test(residuals_match_their_formulas),
      cmocka_unit_test(general_rows_are_derivatives_of_the_residual),
      cmocka_unit_test(all_kinds_are_solved_in_company),
      cmocka_unit_test(ranges_are_part_of_reach),
      cmocka_unit_test(rows_are_exact_at_the_target),
      cmocka_unit_test(gradients_of_all_kinds_are_exact),
      cmocka_unit_test(packed_targets_have_the_values_that_are_read),
      cmocka_unit_test(not_all_is_solved_in_lanes),
      cmocka_unit_test(other_rows_are_solved_without_lanes),
      cmocka_unit_test(names_of_the_page_exist),
      cmocka_unit_test(undamped_steps_remove_rotation_errors),
      cmocka_unit_test(reported_errors_match_poses),
      cmocka_unit_test(free_axes_are_in_the_target_frame),
      cmocka_unit_test(planar_tasks_leave_the_normal_rotation_free),
      cmocka_unit_test(weights_set_the_compromise),
      cmocka_unit_test(zero_weights_remove_rows),
      cmocka_unit_test(opposite_directions_are_reached),
      cmocka_unit_test(tasks_are_stacked_in_order),
      cmocka_unit_test(effectors_may_be_inner_links),
      cmocka_unit_test(chain_root_bounds_the_chain),
      cmocka_unit_test(planar_problems_have_no_singular_rows),
      cmocka_unit_test(tasks_are_checked),
      cmocka_unit_test(targets_are_checked),
      cmocka_unit_test(directions_along_the_axis_have_no_heading),
      cmocka_unit_test(cycles_of_frames_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
