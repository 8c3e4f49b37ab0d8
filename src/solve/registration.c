// The rigid motion x -> M (x - a) + b of a floating base that brings the points a_t of the tasks
// nearest to their targets b_t, and their axes, R_t, to those of the targets, D_t:
//
//   minimise  sum of w_t (|M (a_t - a) - (b_t - b)|^2 / size^2 + 8 c (1 - (m . d_t)^2))
//
// a and b are the weighted means of a_t and b_t, m is the unit quaternion of M, d_t that of
// D_t R_t^T, and c = REGISTRATION_ROTATION. It is the eigenvector of the largest eigenvalue of the
// symmetric 4 x 4 matrix
//
//   K = N + 4 c sum of w_t d_t d_t^T
//
// where N is Horn's matrix of H = sum of w_t (a_t - a) (b_t - b)^T / size^2. Steps towards targets
// that lie on the other side of a base turn all limbs against their limits before the base has
// turned: docs/tracking.md has the shares of far poses that are met with and without it.
//
// Source: Horn, Closed-form solution of absolute orientation using unit quaternions, 1987, section
// 4. The term of the axes is ours.
#include "solve/registration.h"
#include "math/eigen.h"
#include "math/vector.h"
#include "policy/rules.h"
#include "sinew/math.h"

#include <string.h>

#define STRIDE 4 // sinew_pair_stride(4)

// The joint by which the figure floats: free, in the root link, active, and without limits. -1:
// there is none.
static int find_base(const sinew_solver *solver, double time) {
  const sinew_model *model = solver->model;
  const sinew_problem *problem = &solver->problem;
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    bool floats = joint->kind == SINEW_JOINT_FREE && joint->driver < 0 && joint->nv == 6 &&
                  model->nodes[model->joint_node[j]].parent < 0;
    for (int v = joint->v_index; floats && v < joint->v_index + 6; ++v) {
      const bool slow = time > 0.0 && (solver->motion.speed[v] < INFINITY ||
                                       solver->motion.acceleration[v] < INFINITY);
      floats = problem->column_of_dof[v] >= 0 && model->cone_of_v[v] < 0 && !slow &&
               problem->lower[v] == -INFINITY && problem->upper[v] == INFINITY;
    }
    if (floats) {
      return j;
    }
  }
  return -1;
}

// The last node of the base, in whose moved frame the figure is; -1: there is none.
static int last_node(const sinew_model *model, int base) {
  const int last_v = model->joints[base].v_index + 5;
  for (int n = model->joint_node[base]; n < model->node_count; ++n) {
    if (model->nodes[n].kind == SINEW_NODE_SPHERICAL && model->nodes[n].v + 2 == last_v) {
      return n;
    }
  }
  return -1;
}

// Whether the base moves a node.
static bool is_on_base(const sinew_model *model, int base, int n) {
  while (n > base) {
    n = model->nodes[n].parent;
  }
  return n == base;
}

// The number of tasks that count; 0 if the base does not move all of them alike.
static int count_tasks(const sinew_solver *solver, int node) {
  int count = 0;
  for (int t = 0; t < solver->problem.count; ++t) {
    const sinew_compiled_task *plan = &solver->problem.tasks[t];
    if (plan->row_count == 0) {
      continue;
    }
    if (!plan->whole || plan->linear_rows != 3 || plan->relative || plan->function ||
        !is_on_base(solver->model, node, plan->node)) {
      return 0;
    }
    ++count;
  }
  return count;
}

static double weight_of(const sinew_solver *solver, int t) {
  const sinew_compiled_task *plan = &solver->problem.tasks[t];
  return plan->row_count > 0 ? plan->scale * plan->scale : 0.0;
}

// a and b.
static void find_means(const sinew_solver *solver, double a[3], double b[3]) {
  double sum = 0.0;
  memset(a, 0, 3 * sizeof *a);
  memset(b, 0, 3 * sizeof *b);
  for (int t = 0; t < solver->problem.count; ++t) {
    const sinew_task_evaluation *at = &solver->evaluation.tasks[t];
    const double w = weight_of(solver, t);
    sum += w;
    for (int i = 0; i < 3; ++i) {
      a[i] += w * at->s[i];
      b[i] += w * (at->s[i] + at->error[i]);
    }
  }
  sinew_scale(1.0 / sum, a, a);
  sinew_scale(1.0 / sum, b, b);
}

// K, with weights over size^2.
static void fill(const sinew_solver *solver, const double a[3], const double b[3], double *K) {
  const double size = solver->problem.size;
  double H[3][3] = {{0.0}};
  memset(K, 0, (size_t)4 * STRIDE * sizeof *K);
  for (int t = 0; t < solver->problem.count; ++t) {
    const sinew_task_evaluation *at = &solver->evaluation.tasks[t];
    const double w = weight_of(solver, t);
    const bool turns = w > 0.0 && solver->problem.tasks[t].angular_rows == 3;
    double d[4];
    sinew_quaternion_exp(at->turn, d);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        H[i][j] += w * (at->s[i] - a[i]) * (at->s[j] + at->error[j] - b[j]);
      }
    }
    for (int i = 0; turns && i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        K[i * STRIDE + j] += 4.0 * REGISTRATION_ROTATION * size * size * w * d[i] * d[j];
      }
    }
  }
  const double trace = H[0][0] + H[1][1] + H[2][2];
  K[0] += trace;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    K[i + 1] += H[j][k] - H[k][j];
    K[(i + 1) * STRIDE] += H[j][k] - H[k][j];
    for (int l = 0; l < 3; ++l) {
      K[(i + 1) * STRIDE + l + 1] += H[i][l] + H[l][i] - (i == l ? trace : 0.0);
    }
  }
}

// m, with a real part >= 0.
static void find_rotation(double *K, double m[4]) {
  double values[4], Z[4 * STRIDE], work[2 * STRIDE];
  int largest = 0;
  sinew_eigen_symmetric(4, K, values, Z, work);
  for (int i = 1; i < 4; ++i) {
    largest = values[i] > values[largest] ? i : largest;
  }
  for (int i = 0; i < 4; ++i) {
    m[i] = Z[largest * STRIDE] < 0.0 ? -Z[largest * STRIDE + i] : Z[largest * STRIDE + i];
  }
  sinew_quaternion_normalize(m);
}

static void conjugate(const double q[4], double out[4]) {
  for (int i = 0; i < 4; ++i) {
    out[i] = i == 0 ? q[i] : -q[i];
  }
}

// Moves the base's values: the translation and rotation in the joint's frame, whose axes are
// C = F R^T in the root link, F those of the moved frame and R the joint's rotation.
static void move(const sinew_solver *solver, int node, const double m[4], const double a[3],
                 const double b[3], double *values) {
  double C[4], inverse[4], turn[4], by[3];
  sinew_pose pose;
  sinew_frame_to_pose(&solver->state.frames[node], &pose);
  conjugate(values + 3, inverse);
  sinew_quaternion_multiply(pose.rotation, inverse, C);
  for (int i = 0; i < 3; ++i) {
    by[i] = pose.position[i] - a[i];
  }
  sinew_quaternion_rotate(m, by, by);
  for (int i = 0; i < 3; ++i) {
    by[i] += b[i] - pose.position[i];
  }
  conjugate(C, inverse);
  sinew_quaternion_rotate(inverse, by, by);
  sinew_quaternion_multiply(inverse, m, turn);
  sinew_quaternion_multiply(turn, C, turn);
  sinew_quaternion_multiply(turn, values + 3, values + 3);
  sinew_quaternion_normalize(values + 3);
  for (int i = 0; i < 3; ++i) {
    values[i] += by[i];
  }
}

void sinew_register_base(sinew_solver *solver, const sinew_target *targets, double time,
                         double *q) {
  const int base = solver->problem.count < REGISTRATION_TASKS ? -1 : find_base(solver, time);
  const int node = base < 0 ? -1 : last_node(solver->model, base);
  if (node < 0 || count_tasks(solver, node) < REGISTRATION_TASKS) {
    return;
  }
  double a[3], b[3], K[4 * STRIDE], m[4], before[7];
  double *values = q + solver->model->joints[base].q_index;
  find_means(solver, a, b);
  fill(solver, a, b, K);
  find_rotation(K, m);
  if (!(m[0] < cos(0.5 * REGISTRATION_ANGLE))) {
    return;
  }
  const double E = solver->functions->evaluate(solver, targets, q);
  memcpy(before, values, sizeof before);
  move(solver, node, m, a, b, values);
  if (!(solver->functions->evaluate(solver, targets, q) < E)) {
    memcpy(values, before, sizeof before);
    solver->functions->evaluate(solver, targets, q);
  }
}
