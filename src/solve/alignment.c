// Alignment of pairs by one joint.
//
// A rotation by phi about a unit axis a through the pivot brings P_e nearest to P_d, in the sum of
// w |P_d - P_e|^2, where
//
//   f(phi) = k1 (1 - cos phi) + k2 cos phi + k3 sin phi   is largest:  phi = atan2(k3, k2 - k1)
//   k1 = sum w (P_d . a)(P_e . a) = a^T B a,  k2 = sum w P_d . P_e = tr B,
//   k3 = sum w a . (P_e x P_d) = a . (B_zy - B_yz, B_xz - B_zx, B_yx - B_xy)
//
// A translation along a: the mean of w (P_d - P_e) . a. A spherical joint: the rotation R with the
// largest tr(R^T B), by the largest eigenvector of Davenport's matrix; of a single pair, the
// shortest arc.
//
// Sources: Wang and Chen, A combined optimization method for solving the inverse kinematics
// problems of mechanical manipulators, 1991 (with orientations); Wahba, A least squares estimate of
// satellite attitude, 1965, with Davenport's solution.
#include "solve/alignment.h"
#include "math/eigen.h"
#include "math/rotation.h"
#include "math/vector.h"

#include <string.h>

sinew_alignment sinew_alignment_at(const double pivot[3]) {
  return (sinew_alignment){.pivot = {pivot[0], pivot[1], pivot[2]}};
}

static void add(sinew_alignment *a, double weight, const double e[3], const double d[3]) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      a->B[3 * i + j] += weight * d[i] * e[j];
    }
  }
  memcpy(a->e, e, sizeof a->e);
  memcpy(a->d, d, sizeof a->d);
  ++a->count;
}

void sinew_alignment_add_point(sinew_alignment *a, double weight, const double e[3],
                               const double d[3]) {
  double from[3], to[3];
  for (int i = 0; i < 3; ++i) {
    from[i] = e[i] - a->pivot[i];
    to[i] = d[i] - a->pivot[i];
    a->shift[i] += weight * (d[i] - e[i]);
  }
  a->weight += weight;
  add(a, weight, from, to);
}

void sinew_alignment_add_axis(sinew_alignment *a, double weight, const double e[3],
                              const double d[3]) {
  add(a, weight, e, d);
}

static bool is_whole(const sinew_compiled_task *task) {
  return task->rows == SINEW_ROWS_POINT || task->rows == SINEW_ROWS_DIRECTION ||
         (task->rows == SINEW_ROWS_FRAME && !task->target_axes && task->linear_rows % 3 == 0 &&
          task->angular_rows % 3 == 0);
}

// The axes of a task's link in the root link's frame, as columns.
static sinew_frame link_of(const sinew_solver *solver, const sinew_compiled_task *task) {
  sinew_frame link;
  sinew_state_fixed_frame(&solver->state, task->node, &task->tip, &link);
  return link;
}

static void add_direction(sinew_alignment *a, const sinew_compiled_task *task, double weight,
                          const sinew_frame *link, const double wanted[3]) {
  const double *l = task->task.axis_l, length = sinew_norm_safe(wanted);
  double e[3], d[3];
  for (int i = 0; i < 3; ++i) {
    e[i] = link->column[0][i] * l[0] + link->column[1][i] * l[1] + link->column[2][i] * l[2];
    d[i] = wanted[i] / length;
  }
  sinew_alignment_add_axis(a, weight, e, d);
}

// For small angles the pairs add up to E: |P_d - P_e|^2 scale^2 / 2, and three axes at half the
// weight of a rotation, since they move by |a_i x w|, whose squares add up to 2 |w|^2.
bool sinew_alignment_add_task(sinew_alignment *a, const sinew_solver *solver,
                              const sinew_target *targets, int t, bool points) {
  const sinew_compiled_task *task = &solver->problem.tasks[t];
  const sinew_task_evaluation *at = &solver->evaluation.tasks[t];
  const double w = task->task.orientation_weight, weight = w * w;
  if (!is_whole(task)) {
    return false;
  }
  if (points && task->linear_rows > 0) {
    double d[3];
    for (int i = 0; i < 3; ++i) {
      d[i] = at->s[i] + at->error[i];
    }
    sinew_alignment_add_point(a, task->scale * task->scale, at->s, d);
  }
  if (task->angular_rows > 0) {
    const sinew_frame link = link_of(solver, task);
    if (task->rows == SINEW_ROWS_DIRECTION) {
      add_direction(a, task, weight, &link, targets[t].direction);
    }
    for (int i = 0; i < 3 && task->rows != SINEW_ROWS_DIRECTION; ++i) {
      const double d[3] = {at->target_R[i], at->target_R[3 + i], at->target_R[6 + i]};
      sinew_alignment_add_axis(a, 0.5 * weight, link.column[i], d);
    }
  }
  return true;
}

// ------------------------------------------------------------------ one joint

// The interval in which a column may move, by limits and speeds [rad, m].
static void interval_of(const sinew_solver *solver, int column, double *lower, double *upper) {
  const double scale = solver->problem.scale[column];
  *lower = -INFINITY;
  *upper = INFINITY;
  if (!solver->linear.open) {
    *lower = sinew_min(0.0, solver->linear.lower[column] * scale);
    *upper = sinew_max(0.0, solver->linear.upper[column] * scale);
  }
}

// A change of a column within its interval, its gain and max_turn; unit: 1 rad or the size [m].
static double limited(const sinew_solver *solver, int column, double change) {
  const double unit = solver->problem.unit[column], most = solver->def.step.max_turn * unit;
  double lower, upper;
  interval_of(solver, column, &lower, &upper);
  change *= sinew_min(1.0, solver->problem.gain[column]);
  return sinew_clamp(sinew_clamp(change, -most, most), lower, upper);
}

static double value_at(double k1, double k2, double k3, double phi) {
  return k1 * (1.0 - cos(phi)) + k2 * cos(phi) + k3 * sin(phi);
}

// The best of the bounds, where the best angle is outside: the images by whole turns of an angle in
// (-pi, pi] are tried first.
static double within(double k1, double k2, double k3, double phi, double lower, double upper) {
  const double tries[5] = {phi, phi - (2.0 * SINEW_PI), phi + (2.0 * SINEW_PI), lower, upper};
  double best = 0.0, most = -INFINITY;
  for (int i = 0; i < 5; ++i) {
    if (tries[i] >= lower && tries[i] <= upper && fabs(tries[i]) <= (2.0 * SINEW_PI)) {
      const double value = value_at(k1, k2, k3, tries[i]);
      best = value > most ? tries[i] : best;
      most = sinew_max(most, value);
    }
  }
  return best;
}

static double angle_about(const sinew_solver *solver, const sinew_alignment *a, int column,
                          const double axis[3]) {
  const double *B = a->B;
  const double across[3] = {B[7] - B[5], B[2] - B[6], B[3] - B[1]};
  double k1 = 0.0, lower, upper;
  for (int i = 0; i < 3; ++i) {
    k1 += axis[i] * sinew_dot(B + 3 * i, axis);
  }
  const double k2 = B[0] + B[4] + B[8], k3 = sinew_dot(across, axis);
  if (!(k3 * k3 + (k2 - k1) * (k2 - k1) > 1e-30 * (k1 * k1 + k2 * k2))) {
    return 0.0; // the pairs are on the axis
  }
  interval_of(solver, column, &lower, &upper);
  return limited(solver, column, within(k1, k2, k3, atan2(k3, k2 - k1), lower, upper));
}

// The rotation vector of the shortest arc from e to d.
static void shortest_arc(const double e[3], const double d[3], double w[3]) {
  double across[3], other[3];
  sinew_cross(e, d, across);
  const double sine = sinew_norm_safe(across), cosine = sinew_dot(e, d);
  if (sine > 0.0) {
    sinew_scale(atan2(sine, cosine) / sine, across, w);
    return;
  }
  sinew_basis_perpendicular(e, w, other);
  sinew_scale(cosine < 0.0 ? SINEW_PI : 0.0, w, w);
}

// The rotation vector of the R with the largest tr(R^T B): Davenport's q-method.
static void best_rotation(const sinew_alignment *a, double w[3]) {
  const double *B = a->B, trace = B[0] + B[4] + B[8];
  if (a->count == 1) {
    shortest_arc(a->e, a->d, w);
    return;
  }
  const double z[3] = {B[7] - B[5], B[2] - B[6], B[3] - B[1]};
  double K[16], values[4], Z[16], work[8];
  K[0] = trace;
  for (int i = 0; i < 3; ++i) {
    K[1 + i] = K[4 * (1 + i)] = z[i];
    for (int j = 0; j < 3; ++j) {
      K[4 * (1 + i) + 1 + j] = B[3 * i + j] + B[3 * j + i] - (i == j ? trace : 0.0);
    }
  }
  sinew_eigen_symmetric(4, K, values, Z, work);
  int best = 0;
  for (int i = 1; i < 4; ++i) {
    best = values[i] > values[best] ? i : best;
  }
  sinew_quaternion_log(Z + 4 * best, w);
}

// A rotation vector within max_turn, gains and speeds.
static void limit_rotation(const sinew_solver *solver, int column, double w[3]) {
  const double length = sinew_norm_safe(w), most = solver->def.step.max_turn;
  sinew_scale(length > most ? most / length : 1.0, w, w);
  for (int i = 0; i < 3; ++i) {
    w[i] = limited(solver, column + i, w[i]);
  }
}

static void rotate_spherical(const sinew_solver *solver, const sinew_alignment *a,
                             const sinew_column_group *group, double *q) {
  const sinew_frame *R = &solver->state.frames[group->node];
  double w[3], body[3];
  best_rotation(a, w);
  for (int i = 0; i < 3; ++i) {
    body[i] = sinew_dot(R->column[i], w);
  }
  limit_rotation(solver, group->column, body);
  sinew_quaternion_apply(q + group->q, body);
}

void sinew_alignment_move(const sinew_solver *solver, const sinew_alignment *a,
                          const sinew_column_group *group, double *q) {
  const sinew_frame *frame = &solver->state.frames[group->node];
  const sinew_node *node = &solver->model->nodes[group->node];
  if (a->count == 0) {
    return;
  }
  if (group->spherical && group->count == 3) {
    rotate_spherical(solver, a, group, q);
    return;
  }
  if (node->kind == SINEW_NODE_PRISMATIC) {
    const double along = sinew_dot(a->shift, frame->column[2]);
    q[group->q] += a->weight > 0.0 ? limited(solver, group->column, along / a->weight) : 0.0;
    return;
  }
  q[group->q] += angle_about(solver, a, group->column, frame->column[2]);
}

// ------------------------------------------------------------- one column

// The linearised error along a column: g = J_j . e, h = |J_j|^2.
static void line_of(const sinew_rows *rows, int column, double *g, double *h) {
  *g = *h = 0.0;
  for (int i = rows->incidence_start[column]; i < rows->incidence_start[column + 1]; ++i) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[i].block];
    const double *values =
        rows->values + block->value_start + rows->incidences[i].k * block->row_count;
    for (int r = 0; r < block->row_count; ++r) {
      *g += values[r] * rows->residual[block->row + r];
      *h += values[r] * values[r];
    }
  }
}

// Moves a column of q by a change [rad, m].
static void move_column(const sinew_solver *solver, int column, const sinew_column_group *group,
                        double change, double *q) {
  if (!group->spherical) {
    q[group->q] += change;
    return;
  }
  double w[3] = {0.0, 0.0, 0.0};
  w[solver->model->quaternion_axis[solver->problem.dof_of_column[column]]] = change;
  sinew_quaternion_apply(q + group->q, w);
}

// How often a step that raises E is halved.
#define HALVINGS 4

void sinew_alignment_move_linear(sinew_solver *solver, const sinew_target *targets, int column,
                                 const sinew_column_group *group, double *q) {
  const double E = solver->evaluation.E;
  double before[4], g, h;
  const size_t bytes = (group->spherical ? 4 : 1) * sizeof(double);
  sinew_evaluate_jacobian(&solver->problem, &solver->state, false, solver->pose.gradient,
                          &solver->evaluation);
  line_of(&solver->evaluation.rows, column, &g, &h);
  double change = h > 0.0 ? limited(solver, column, g / h * solver->problem.scale[column]) : 0.0;
  memcpy(before, q + group->q, bytes);
  for (int i = 0; i <= HALVINGS && change != 0.0; ++i, change *= 0.5) {
    move_column(solver, column, group, change, q);
    if (solver->functions->evaluate(solver, targets, q) < E) {
      return;
    }
    memcpy(q + group->q, before, bytes);
  }
  solver->functions->evaluate(solver, targets, q);
}
