// Registration of a floating base to its targets: the rigid motion of the whole figure that brings
// the points and axes of its tasks nearest to those of the targets (math/fit.h), each with the
// weight of its task:
//
//   minimize  sum of 4 w_t^2 |R s_t + x - t_t|^2 / size^2 + v_t^2 sin^2(angle_t / 2)
//
// Steps towards targets that lie on the other side of a base turn all limbs against their limits
// before the base has turned: docs/tracking.md has the shares of far poses that are met with it and
// without.
//
// Source: Horn, Closed-form solution of absolute orientation using unit quaternions, 1987.
#include "solve/registration.h"
#include "math/fit.h"
#include "math/vector.h"
#include "policy/rules.h"

// ------------------------------------------------------------------- finding

// Whether updates are free to turn a base at once.
static bool is_unbounded(const sinew_solver_def *def) {
  return def->step.method == SINEW_METHOD_DEFAULT && !(def->tracking.time_step > 0.0) &&
         def->tracking.error_gain == 1.0 && def->step.max_turn >= REGISTRATION_ANGLE &&
         !def->tracking.keep_base;
}

// Whether a rigid motion of its link is known to meet a task.
static bool is_rigid(const sinew_compiled_task *task) {
  return (task->rows == SINEW_ROWS_POINT || task->rows == SINEW_ROWS_FRAME) && !task->target_axes &&
         !task->function && task->linear_rows % 3 == 0 && task->angular_rows % 3 == 0;
}

// Whether a joint's degrees of freedom are all active, with gains of 1 and without limits.
static bool is_free(const sinew_problem *problem, const sinew_joint *joint) {
  bool unbounded = joint->nv == 6;
  for (int v = joint->v_index; v < joint->v_index + joint->nv; ++v) {
    unbounded &= problem->column_of_dof[v] >= 0 && problem->gains[v] == 1.0 &&
                 problem->lower[v] == -INFINITY && problem->upper[v] == INFINITY;
  }
  return unbounded;
}

// Whether a task may move a column.
static bool has_column(const sinew_problem *problem, const sinew_compiled_task *task, int column) {
  bool found = false;
  for (int i = 0; i < task->span_count; ++i) {
    const sinew_task_span *span = &problem->spans[task->span_start + i];
    found |= column >= span->column && column < span->column + sinew_span_columns(span);
  }
  return found;
}

static bool moves_all(const sinew_problem *problem, const sinew_joint *joint) {
  bool all = true;
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    all &=
        task->row_count == 0 || has_column(problem, task, problem->column_of_dof[joint->v_index]);
  }
  return all;
}

bool sinew_registration_find(const sinew_problem *problem, const sinew_solver_def *def,
                             sinew_floating_base *base) {
  const sinew_model *model = problem->model;
  int positions = 0;
  bool rigid = is_unbounded(def);
  for (int t = 0; t < problem->count && rigid; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    rigid = task->row_count == 0 || is_rigid(task);
    positions += task->linear_rows == 3;
  }
  bool found = false;
  for (int j = 0; rigid && positions >= REGISTRATION_TASKS && j < model->joint_count && !found;
       ++j) {
    found = sinew_floating_base_of(model, j, base) && is_free(problem, &model->joints[j]) &&
            moves_all(problem, &model->joints[j]);
  }
  return found;
}

// ------------------------------------------------------------------- moving

// Adds a task to the means of points or, after that, to all other sums.
// Returns whether the task is within the tolerances.
static bool add_task(const sinew_problem *problem, const sinew_state *state, int t,
                     const sinew_target *target, const sinew_tolerances *tolerances, bool mean,
                     sinew_fit *fit) {
  const sinew_compiled_task *task = &problem->tasks[t];
  const double points = SINEW_FIT_POINTS * task->scale * task->scale;
  const double turns = task->task.orientation_weight * task->task.orientation_weight;
  sinew_task_evaluation at = {.position_error = 0.0};
  double row[6], to[3], d[4], turn[9];
  if (task->row_count == 0) {
    return true;
  }
  sinew_task_residual(task, state, target, &at, row);
  if (task->linear_rows == 3) {
    for (int i = 0; i < 3; ++i) {
      to[i] = at.s[i] + at.error[i];
    }
    (mean ? sinew_fit_mean : sinew_fit_point)(fit, points, at.s, to);
  }
  if (task->angular_rows == 3 && !mean) {
    sinew_quaternion_exp(at.turn, d);
    sinew_quaternion_to_matrix(d, turn);
    sinew_fit_orientation(fit, turns, turn);
  }
  return at.position_error <= tolerances->position &&
         at.orientation_error <= tolerances->orientation;
}

// Places the base as its link, by the values of the joint that are nearest to those in q.
static void place_near(const sinew_floating_base *base, const sinew_pose *link, double *q) {
  double turn[4], angle[3];
  if (base->quaternion_q >= 0) {
    memcpy(turn, q + base->quaternion_q, sizeof turn);
    sinew_floating_base_place(base, link, q);
    double *now = q + base->quaternion_q, dot = 0.0;
    for (int i = 0; i < 4; ++i) {
      dot += turn[i] * now[i];
    }
    for (int i = 0; i < 4; ++i) {
      now[i] = dot < 0.0 ? -now[i] : now[i];
    }
    return;
  }
  for (int i = 0; i < 3; ++i) {
    angle[i] = q[base->angle_q[i]];
  }
  sinew_floating_base_place(base, link, q);
  for (int i = 0; i < 3; ++i) {
    const double turns = floor((angle[i] - q[base->angle_q[i]]) / (2.0 * SINEW_PI) + 0.5);
    q[base->angle_q[i]] += 2.0 * SINEW_PI * turns;
  }
}

bool sinew_registration_move(const sinew_problem *problem, const sinew_floating_base *base,
                             const sinew_tolerances *tolerances, const sinew_state *state,
                             const sinew_target *targets, double *q) {
  sinew_fit fit = {.weight = 0.0};
  sinew_pose motion, link;
  sinew_frame frame;
  bool met = true;
  for (int pass = 0; pass < 2; ++pass) {
    for (int t = 0; t < problem->count; ++t) {
      met &= add_task(problem, state, t, &targets[t], tolerances, pass == 0, &fit);
    }
  }
  if (met || !(fit.norm < SINEW_HUGE)) {
    return false;
  }
  double gain;
  const double kept = sinew_fit_motion(&fit, &motion, &gain);
  if (!(kept < REGISTRATION_KEEP && gain > REGISTRATION_GAIN * fit.norm &&
        fabs(motion.rotation[0]) < cos(0.5 * REGISTRATION_ANGLE))) {
    return false;
  }
  sinew_state_link(state, base->link, &frame);
  sinew_frame_to_pose(&frame, &link);
  sinew_pose_multiply(&motion, &link, &link);
  place_near(base, &link, q);
  return true;
}
