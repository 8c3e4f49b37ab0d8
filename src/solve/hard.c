// Ranges and cones of hard tasks: see hard.h. Compiled for each instruction set.
//
// Gradient and second derivative of a side. Its task's column j moves the tool by the twist u_j =
// (v_j; w_j), and y changes by c . u, c = (l; m), with the second derivative D along a twist. With
// k nearer the root than j, or equal,
//
//   a_j  = c . u_j
//   K_jk = l . (w_k x v_j) + m . (w_k x w_j) / 2 + u_j . D u_k
//
// Of two columns of one spherical joint the first term is the mean of both orders, and the second
// 0. Joints of the task's frame link move it by -u, and are nearer the root the further out they
// are: so the chain from the frame to the link is one serial chain. Joints that are not on one path
// to the centre of mass have only the last term.
#include "solve/hard.h"
#include "math/vector.h"
#include "math/within.h"
#include "sinew/qp.h"
#include "solve/solver.h"

#include <string.h>

// The most that a side moves in from outside [sizes of the figure, rad], and the most that columns
// move for that.
#define RETURN 0.02
#define RETURN_STEP 0.05

// Where a step leaves a side further out its rows are corrected by their second-order part, some
// times, and the step is then halved.
#define CORRECTIONS 8
#define HALVINGS 6

// A row is near to an end where a step may move it so far there [sizes of the figure, rad].
#define NEAR_END 1e-3

// A bound has yielded where a step is beyond it by more than this share of itself; it is reported
// from there on [rad or m].
#define ROUNDING 1e-9
#define NEGLIGIBLE 1e-13

static double unit_of(const sinew_solver *solver, const sinew_task_side *side) {
  return sinew_hard_unit(side, solver->problem.size);
}

// ----------------------------------------------------------------------- rows

static bool are_alike(const sinew_task_span *a, const sinew_task_span *b) {
  return a->kind == b->kind && a->node == b->node && a->i == b->i && a->column == b->column &&
         a->shared == b->shared && a->reversed == b->reversed;
}

bool sinew_hard_have_same_columns(const sinew_problem *problem, const sinew_evaluation *evaluation,
                                  int a, int b) {
  const sinew_compiled_task *one = &problem->tasks[a], *other = &problem->tasks[b];
  const double *s = evaluation->tasks[a].s, *t = evaluation->tasks[b].s;
  bool same = one->task.center_of_mass == other->task.center_of_mass &&
              one->span_count == other->span_count && s[0] == t[0] && s[1] == t[1] && s[2] == t[2];
  for (int c = 0; same && c < one->span_count; ++c) {
    same = are_alike(&problem->spans[one->span_start + c], &problem->spans[other->span_start + c]);
  }
  return same;
}

void sinew_hard_write_rows(const sinew_problem *problem, const sinew_state *state,
                           const sinew_evaluation *evaluation, int t, int count,
                           const sinew_task_side *sides, int stride, double *entries) {
  const sinew_compiled_task *task = &problem->tasks[t];
  sinew_zero((size_t)(count * stride), entries);
  for (int c = 0; c < task->span_count; ++c) {
    const sinew_task_span *span = &problem->spans[task->span_start + c];
    for (int i = 0; i < sinew_span_columns(span); ++i) {
      double u[6];
      sinew_evaluation_column(problem, state, evaluation, t, span, i, u);
      for (int r = 0; r < count; ++r) {
        entries[r * stride + span->column + i] +=
            (sinew_dot(sides[r].linear, u) + sinew_dot(sides[r].angular, u + 3)) /
            sinew_hard_unit(&sides[r], problem->size);
      }
    }
  }
}

void sinew_hard_find_sides(const sinew_solver *solver, const sinew_target *targets,
                           sinew_task_side *sides) {
  const sinew_hard *hard = &solver->hard;
  for (int i = 0, rows; i < hard->total; i += rows) {
    const int t = hard->task[i];
    const sinew_compiled_task *task = &solver->problem.tasks[t];
    rows = sinew_task_side_count(&task->task);
    sinew_task_find_sides(task, &solver->state, &targets[t], &solver->evaluation.tasks[t],
                          sides + i);
  }
}

static void find_rows(sinew_solver *solver) {
  const sinew_hard *hard = &solver->hard;
  const sinew_problem *problem = &solver->problem;
  const int n = problem->pattern.dof_count;
  for (int i = 0, rows; i < hard->count; i += rows) {
    rows = sinew_task_side_count(&problem->tasks[hard->task[i]].task);
    while (i + rows < hard->count &&
           sinew_hard_have_same_columns(problem, &solver->evaluation, hard->task[i],
                                        hard->task[i + rows])) {
      rows += sinew_task_side_count(&problem->tasks[hard->task[i + rows]].task);
    }
    sinew_hard_write_rows(problem, &solver->state, &solver->evaluation, hard->task[i], rows,
                          hard->sides + i, n, hard->entries + i * n);
  }
}

// The most that row i moves in from outside: less where columns hardly move it.
static double find_return(const sinew_hard *hard, int n, int i) {
  double square = 0.0;
  for (int j = 0; j < n; ++j) {
    square += hard->entries[i * n + j] * hard->entries[i * n + j];
  }
  return sinew_min(RETURN, RETURN_STEP * sqrt(square));
}

// Row i towards an end at a distance, < 0 outside.
static double allowed(const sinew_hard *hard, int i, double distance) {
  return sinew_max(hard->barrier[i] * distance, -hard->most_return[i]);
}

void sinew_hard_begin(sinew_solver *solver, const sinew_target *targets) {
  sinew_hard *hard = &solver->hard;
  const size_t bytes = (size_t)solver->problem.pattern.dof_count * sizeof(double);
  hard->count = hard->total;
  memset(hard->at, 0, (size_t)hard->total);
  if (solver->track.steps == 0) {
    memset(hard->has_yielded, 0, (size_t)hard->total * sizeof(bool));
  }
  hard->targets = targets;
  sinew_hard_find_sides(solver, targets, hard->sides);
  find_rows(solver);
  for (int i = 0; i < hard->count; ++i) {
    const sinew_task_side *side = &hard->sides[i];
    const double unit = unit_of(solver, side);
    hard->most_return[i] = find_return(hard, solver->problem.pattern.dof_count, i);
    hard->barrier[i] = sinew_hard_barrier(sinew_influence_of(solver, hard->task[i]));
    hard->upper[i] = allowed(hard, i, side->upper / unit);
    hard->lower[i] = -allowed(hard, i, -side->lower / unit);
  }
  memcpy(hard->outer_lower, solver->linear.lower, bytes);
  memcpy(hard->outer_upper, solver->linear.upper, bytes);
  sinew_hard_fill_ranks(solver);
}

// ------------------------------------------------------------------ curvature

// The twists of a task's columns. Returns how many.
static int find_twists(const sinew_solver *solver, int t) {
  const sinew_hard *hard = &solver->hard;
  const sinew_problem *problem = &solver->problem;
  const sinew_compiled_task *task = &problem->tasks[t];
  int count = 0;
  for (int c = 0; c < task->span_count; ++c) {
    const sinew_task_span *span = &problem->spans[task->span_start + c];
    for (int i = 0; i < sinew_span_columns(span); ++i, ++count) {
      sinew_evaluation_column(problem, &solver->state, &solver->evaluation, t, span, i,
                              hard->twists + 6 * count);
      hard->column[count] = span->column + i;
      hard->node[count] = span->reversed ? -span->node - 1 : span->node; // rising outward
    }
  }
  return count;
}

static bool is_on_path(const sinew_model *model, int above, int node) {
  while (node > above) {
    node = model->nodes[node].parent;
  }
  return node == above;
}

// l . (w_k x v_j) + m . (w_k x w_j) / 2
static double term_of(const sinew_task_side *side, const double *k, const double *j) {
  double linear[3], angular[3];
  sinew_cross(k + 3, j, linear);
  sinew_cross(k + 3, j + 3, angular);
  return sinew_dot(side->linear, linear) + 0.5 * sinew_dot(side->angular, angular);
}

// The same for the twists p and q, in their order.
static double ordered_term(const sinew_solver *solver, const sinew_task_side *side, bool mass,
                           int p, int q) {
  const sinew_hard *hard = &solver->hard;
  const int a = hard->node[p], b = hard->node[q];
  const double *u = hard->twists + 6 * p, *v = hard->twists + 6 * q;
  if (a == b) {
    return 0.5 * (term_of(side, u, v) + term_of(side, v, u));
  }
  if (mass && !is_on_path(solver->model, a < b ? a : b, a < b ? b : a)) {
    return 0.0;
  }
  return a < b ? term_of(side, u, v) : term_of(side, v, u);
}

// curvature += factor K of row i.
static void add_curvature(sinew_solver *solver, int i, double factor) {
  sinew_hard *hard = &solver->hard;
  const int t = hard->task[i], n = solver->problem.pattern.dof_count;
  const sinew_compiled_task *task = &solver->problem.tasks[t];
  const bool mass = task->task.center_of_mass;
  double D[36];
  int k = 0;
  while (i - k > 0 && hard->task[i - k - 1] == t) {
    ++k;
  }
  if (mass && task->relative) { // joints that move both are in one column
    return;
  }
  const int count = find_twists(solver, t);
  sinew_task_find_side_curvature(task, &solver->state, &hard->targets[t],
                                 &solver->evaluation.tasks[t], k, D);
  for (int p = 0; p < count; ++p) {
    double along[6];
    for (int a = 0; a < 6; ++a) {
      const double *u = hard->twists + 6 * p, *row = D + 6 * a;
      along[a] = sinew_dot(row, u) + sinew_dot(row + 3, u + 3);
    }
    for (int q = 0; q <= p; ++q) {
      const double *u = hard->twists + 6 * q;
      const double value = ordered_term(solver, &hard->sides[i], mass, p, q) + sinew_dot(along, u) +
                           sinew_dot(along + 3, u + 3);
      const int a = hard->column[p], b = hard->column[q];
      const double times = p != q && a == b ? 2.0 : 1.0;
      hard->curvature[a > b ? a * n + b : b * n + a] += times * factor * value;
    }
  }
}

const double *sinew_hard_find_curvature(sinew_solver *solver) {
  sinew_hard *hard = &solver->hard;
  const size_t n = (size_t)solver->problem.pattern.dof_count;
  bool any = false;
  for (int i = 0; i < hard->count; ++i) {
    if (hard->multiplier[i] == 0.0 || hard->yielded[i] != 0.0) {
      continue;
    }
    if (!any) {
      memset(hard->curvature, 0, n * n * sizeof(double));
    }
    any = true;
    add_curvature(solver, i, hard->multiplier[i] / unit_of(solver, &hard->sides[i]));
  }
  return any && sinew_all_within((int)(n * n), hard->curvature, SINEW_HUGE) ? hard->curvature
                                                                            : NULL;
}

// ----------------------------------------------------------------------- step

static sinew_inequalities inequalities_of(const sinew_solver *solver) {
  const sinew_hard *hard = &solver->hard;
  const sinew_linearization *linear = &solver->linear;
  const bool open = linear->open;
  return (sinew_inequalities){.count = hard->count,
                              .entries = hard->entries,
                              .lower = hard->lower,
                              .upper = hard->upper,
                              .outer_lower = open ? NULL : hard->outer_lower,
                              .outer_upper = open ? NULL : hard->outer_upper,
                              .narrow_lower = open ? NULL : linear->lower,
                              .narrow_upper = open ? NULL : linear->upper,
                              .rank = hard->rank};
}

static void take_result(sinew_solver *solver, bool inside) {
  sinew_hard *hard = &solver->hard;
  const sinew_qp_workspace *program = &hard->scratch.program;
  const int first = 2 * solver->problem.pattern.dof_count;
  for (int i = 0; i < hard->count; ++i) {
    const double unit = unit_of(solver, &hard->sides[i]);
    hard->multiplier[i] = inside ? 0.0 : program->multiplier[first + i];
    hard->yielded[i] = inside ? 0.0 : program->yielded[first + i] * unit;
  }
}

void sinew_hard_step(sinew_solver *solver, const sinew_step_problem *problem, bool second) {
  sinew_inequalities of = inequalities_of(solver);
  const int n = problem->rows->dof_count;
  const bool inside = sinew_constrained_holds(&of, n, solver->linear.x);
  if (!inside) {
    of.curvature = second ? sinew_hard_find_curvature(solver) : NULL;
    solver->step.systems += sinew_constrained_step(problem, &of, second, &solver->step.newton,
                                                   &solver->hard.scratch, solver->linear.x);
  }
  take_result(solver, inside);
}

// ---------------------------------------------------------------- changes of q

// A row over x into one over changes of q: the reverse of the step's way to these.
static void row_to_joints(const sinew_solver *solver, double *a) {
  const sinew_problem *problem = &solver->problem;
  for (int column = 0; !problem->even && column < problem->pattern.dof_count; ++column) {
    a[column] /= problem->gain[column];
  }
  for (int g = 0; problem->has_spherical && g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    double *w = a + group->column;
    const double of[3] = {w[0], group->spherical ? w[1] : 0.0, group->spherical ? w[2] : 0.0};
    if (group->root_frame) {
      for (int k = 0; k < 3; ++k) {
        w[k] = sinew_dot(solver->state.frames[group->node].column[k], of);
      }
    } else if (group->cone >= 0 && solver->evaluation.in_cones) {
      const sinew_cone_step *step = &solver->cones[group->cone];
      for (int k = 0; k < 3; ++k) {
        w[k] = of[0] * step->row[0][k] + of[1] * step->row[1][k] + of[2] * step->row[2][k];
      }
    }
  }
}

static void to_joints(sinew_solver *solver) {
  const int n = solver->problem.pattern.dof_count;
  for (int i = 0; i < solver->hard.count; ++i) {
    row_to_joints(solver, solver->hard.entries + i * n);
  }
}

// Whether a row is near to one of its ends.
static bool is_near_end(const sinew_hard *hard, int i) {
  return hard->upper[i] < NEAR_END || hard->lower[i] > -NEAR_END;
}

void sinew_hard_remove_normals(sinew_solver *solver, double *v) {
  const sinew_hard *hard = &solver->hard;
  const int n = solver->problem.pattern.dof_count;
  double *a = hard->scratch.unit;
  for (int round = 0; round < 2; ++round) { // rows need not be orthogonal
    for (int i = 0; i < hard->count; ++i) {
      double along = 0.0, square = 0.0;
      memcpy(a, hard->entries + i * n, (size_t)n * sizeof *a);
      row_to_joints(solver, a);
      for (int j = 0; j < n; ++j) {
        along += a[j] * v[j];
        square += a[j] * a[j];
      }
      for (int j = 0; is_near_end(hard, i) && square > 0.0 && j < n; ++j) {
        v[j] -= along / square * a[j];
      }
    }
  }
}

// The bounds of changes of q: those of cones are kept by the joints (cones.h).
static void joint_bounds(const sinew_solver *solver, const double *bounds, double open,
                         double *out) {
  const sinew_problem *problem = &solver->problem;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    out[column] = problem->gain[column] * bounds[column];
  }
  for (int g = 0; problem->cone_count > 0 && g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    for (int i = 0; group->cone >= 0 && i < 3; ++i) {
      out[group->column + i] = open;
    }
  }
}

// No column moves further than max_turn allows: a row that hardly any of them moves yields.
static void bound_by_turn(const sinew_solver *solver, double *bounds) {
  const double most = solver->def.step.max_turn;
  for (int column = 0; column < solver->problem.pattern.dof_count; ++column) {
    bounds[column] = sinew_clamp(bounds[column], -most, most);
  }
}

// The bounds of changes of q that accelerations and braking allow in the step, of limits of swing
// and twist also those of a motion with which the joint can stop (spherical_motion.h): linear.x.
static void find_narrow(const sinew_solver *solver) {
  const sinew_linearization *linear = &solver->linear;
  const sinew_hard *hard = &solver->hard;
  double *lower = hard->narrow_lower, *upper = hard->narrow_upper;
  joint_bounds(solver, linear->least, -INFINITY, lower);
  joint_bounds(solver, linear->most, INFINITY, upper);
  for (int column = 0; column < solver->problem.pattern.dof_count; ++column) {
    if (sinew_spherical_bound(solver, column, &lower[column], &upper[column])) {
      lower[column] = sinew_min(lower[column], linear->x[column]);
      upper[column] = sinew_max(upper[column], linear->x[column]);
    }
  }
  bound_by_turn(solver, lower);
  bound_by_turn(solver, upper);
}

// Limits of acceleration that have yielded are wider for the rest of the update.
static void widen_motion(sinew_solver *solver) {
  sinew_motion_limits *motion = &solver->motion;
  const sinew_hard *hard = &solver->hard;
  const sinew_problem *problem = &solver->problem;
  const double time = solver->def.tracking.time_step;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    const double x = solver->linear.x[column];
    const double above = x - hard->narrow_upper[column], below = hard->narrow_lower[column] - x;
    // A part has its share of the update's bounds.
    const double over = sinew_max(above, below) * problem->unit[column] * solver->track.now.parts;
    if (over > ROUNDING * fabs(x)) {
      motion->upper[v] += above > 0.0 ? over : 0.0;
      motion->lower[v] -= below > 0.0 ? over : 0.0;
      motion->yielded[v] += over > NEGLIGIBLE ? over / (time * time) : 0.0;
    }
  }
}

static bool yields_to_accelerations(const sinew_solver *solver, int i) {
  const sinew_task *task = &solver->problem.tasks[solver->hard.task[i]].task;
  return sinew_hard_rank(task) > SINEW_RANK_ACCELERATION;
}

// Whether rows to which limits of acceleration yield have changed the step.
static bool is_held_back(const sinew_solver *solver) {
  const sinew_qp_workspace *program = &solver->hard.scratch.program;
  const int first = 2 * solver->problem.pattern.dof_count;
  bool held = false;
  for (int i = 0; i < solver->hard.count; ++i) {
    held |= !yields_to_accelerations(solver, i) &&
            (program->multiplier[first + i] != 0.0 || program->yielded[first + i] != 0.0);
  }
  return held;
}

// linear.x <- the nearest step within bounds and rows, all of changes of q.
static void project(sinew_solver *solver, const sinew_inequalities *rows) {
  sinew_hard *hard = &solver->hard;
  sinew_inequalities of = *rows;
  const int n = solver->problem.pattern.dof_count;
  if (solver->linear.open) {
    for (int column = 0; column < n; ++column) {
      hard->joint_lower[column] = -INFINITY;
      hard->joint_upper[column] = INFINITY;
    }
  } else {
    joint_bounds(solver, hard->outer_lower, -INFINITY, hard->joint_lower);
    joint_bounds(solver, hard->outer_upper, INFINITY, hard->joint_upper);
    of.narrow_lower = hard->narrow_lower;
    of.narrow_upper = hard->narrow_upper;
  }
  bound_by_turn(solver, hard->joint_lower);
  bound_by_turn(solver, hard->joint_upper);
  of.outer_lower = hard->joint_lower;
  of.outer_upper = hard->joint_upper;
  solver->step.systems += sinew_constrained_project(&of, n, &hard->scratch, solver->linear.x);
  hard->held_back |= is_held_back(solver);
}

static double value_of(const sinew_hard *hard, int n, int i, const double *x) {
  double sum = 0.0;
  for (int j = 0; j < n; ++j) {
    sum += hard->entries[i * n + j] * x[j];
  }
  return sum;
}

// Which rows are at an end, or near to one that the step presses them against: what has limited the
// step's change, or held a joint within its limits, might take them back.
static void find_reached(sinew_solver *solver) {
  sinew_hard *hard = &solver->hard;
  const int n = solver->problem.pattern.dof_count;
  for (int i = 0; i < hard->count; ++i) {
    const double value = value_of(hard, n, i, solver->linear.x);
    const double multiplier = is_near_end(hard, i) ? hard->multiplier[i] : 0.0;
    const bool upper = value > hard->upper[i] - SINEW_HARD_KEPT || multiplier > 0.0,
               lower = value < hard->lower[i] + SINEW_HARD_KEPT || multiplier < 0.0;
    hard->reached[i] = (signed char)(hard->yielded[i] != 0.0 ? 0 : (int)upper - (int)lower);
    hard->held_back |= hard->reached[i] != 0 && !yields_to_accelerations(solver, i);
  }
}

// The row of a side that ended there after a step: its ends less what is of second order, error.
// One that has reached an end is to end there: by its curvature it might come back in the next
// step. Returns how far it ends from where it should, or further out than it may.
static double correct_row(sinew_hard *hard, int i, const sinew_task_side *ended, double unit,
                          double error) {
  const sinew_task_side *was = &hard->sides[i];
  const double upper = allowed(hard, i, was->upper / unit);
  const double lower = -allowed(hard, i, -was->lower / unit);
  const int side = hard->reached[i];
  hard->upper[i] = (side < 0 ? lower : upper) - error;
  hard->lower[i] = (side > 0 ? upper : lower) - error;
  if (hard->yielded[i] != 0.0) {
    return 0.0;
  }
  return side > 0   ? fabs((was->upper - ended->upper) / unit - upper)
         : side < 0 ? fabs((was->lower - ended->lower) / unit - lower)
                    : sinew_hard_outside(ended, unit) - sinew_hard_outside(was, unit);
}

// By how much rows end further out than they were, or than their ends: the worst of all, and of
// those to which limits of acceleration yield.
typedef struct excess {
  double all, higher;
} excess;

// Corrects the rows for the step from q, which is evaluated. Returns the worst of correct_row().
static double correct(sinew_solver *solver, const double *q, excess *out) {
  sinew_hard *hard = &solver->hard;
  const int n = solver->problem.pattern.dof_count;
  double most = 0.0;
  *out = (excess){0.0, 0.0};
  sinew_solver_apply_step(solver, q, hard->q);
  sinew_solver_evaluate(solver, hard->targets, hard->q);
  sinew_hard_find_sides(solver, hard->targets, hard->ended);
  for (int i = 0; i < hard->count; ++i) {
    const sinew_task_side *was = &hard->sides[i], *ended = &hard->ended[i];
    const double unit = unit_of(solver, was);
    const double error =
        sinew_hard_moved(was, ended) / unit - value_of(hard, n, i, solver->linear.x);
    const double further = sinew_hard_outside(ended, unit) - sinew_hard_outside(was, unit);
    hard->has_yielded[i] |= hard->yielded[i] != 0.0;
    hard->beyond[i] = hard->has_yielded[i] ? sinew_hard_beyond(ended) : 0.0;
    most = sinew_max(most, correct_row(hard, i, ended, unit, error));
    if (hard->yielded[i] == 0.0) {
      out->all = sinew_max(out->all, further);
      out->higher = sinew_max(out->higher, yields_to_accelerations(solver, i) ? 0.0 : further);
    }
  }
  return most;
}

// Shortens the step, within what bounds allow. inside: also within those of accelerations, but for
// what has yielded.
static void halve(sinew_solver *solver, double share, bool inside) {
  const sinew_problem *problem = &solver->problem;
  const sinew_hard *hard = &solver->hard;
  double *x = solver->linear.x;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const double gain = problem->gain[column], part = share * x[column];
    const bool open = solver->linear.open || solver->linear.least[column] == -INFINITY;
    if (inside) {
      x[column] = sinew_clamp(part, sinew_min(hard->narrow_lower[column], x[column]),
                              sinew_max(hard->narrow_upper[column], x[column]));
    } else {
      x[column] = open ? part
                       : sinew_clamp(part, gain * hard->outer_lower[column],
                                     gain * hard->outer_upper[column]);
    }
  }
}

// What has yielded where the change was limited.
static void take_yielded(sinew_solver *solver) {
  sinew_hard *hard = &solver->hard;
  const double *yielded = hard->scratch.program.yielded + 2 * solver->problem.pattern.dof_count;
  for (int i = 0; i < hard->count; ++i) {
    hard->yielded[i] = yielded[i] * unit_of(solver, &hard->sides[i]);
  }
}

// Shortens the step from q until no row ends further out. Where limits of acceleration do not allow
// that, rows that yield to them do.
static void shorten(sinew_solver *solver, const double *q, excess out) {
  sinew_hard *hard = &solver->hard;
  const int n = solver->problem.pattern.dof_count;
  const bool accelerates = solver->motion.q != NULL;
  double least = INFINITY;
  for (int round = 0; out.all > SINEW_HARD_KEPT && round < HALVINGS; ++round) {
    const bool inside = accelerates && out.higher <= SINEW_HARD_KEPT;
    if (inside && out.all < least) {
      memcpy(hard->best, solver->linear.x, (size_t)n * sizeof(double));
      least = out.all;
    }
    halve(solver, round + 1 < HALVINGS ? 0.5 : 0.0, inside);
    hard->held_back |= !inside;
    correct(solver, q, &out);
  }
  if (accelerates && out.all > SINEW_HARD_KEPT) {
    if (least < out.all) {
      memcpy(solver->linear.x, hard->best, (size_t)n * sizeof(double));
      correct(solver, q, &out);
    }
    for (int i = 0; i < hard->count; ++i) {
      sinew_hard_note_further(solver, i);
    }
  }
}

void sinew_hard_keep(sinew_solver *solver, const double *q) {
  const sinew_inequalities of = inequalities_of(solver);
  const int n = solver->problem.pattern.dof_count;
  excess out;
  to_joints(solver);
  if (!solver->linear.open) {
    find_narrow(solver);
  }
  if (!sinew_constrained_holds(&of, n, solver->linear.x)) {
    project(solver, &of);
    take_yielded(solver);
  }
  find_reached(solver);
  for (int round = 0; correct(solver, q, &out) > SINEW_HARD_KEPT && round < CORRECTIONS; ++round) {
    project(solver, &of);
  }
  shorten(solver, q, out);
  if (solver->motion.q != NULL) {
    widen_motion(solver);
  }
}
