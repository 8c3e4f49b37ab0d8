// FABRIK: forward and backward reaching, for trees, with joints of any kind and limits.
//
// The centres are the origins of the joints that rotate. A step
//
//   backward  from the tips to the root: a centre wants to be at its distance from each centre and
//             point below it, on the line towards where it is; of several, at their weighted mean
//               p_i <- p_c + d (p_i - p_c) / |p_i - p_c|
//             The last centre before a pose wants to be where the target's rotation has it.
//   forward   from the root, which stays, to the tips: p_c <- p_i + d (p_c - p_i) / |p_c - p_i|
//   project   from the root to the tips: each joint is moved, within its limits, so that the
//             centres and points below it are nearest to where they are wanted (alignment.h).
//             Spherical joints follow the centres exactly; revolute joints and limits as well as
//             they can.
//
// The projection recovers the joint values after each pass, in place of cones and planes at each
// centre: every step begins with a pose that the figure can take. Centres below prismatic joints
// may move in the forward pass too.
//
// Source: Aristidou and Lasenby, FABRIK: A fast, iterative solver for the inverse kinematics
// problem, 2011; trees and joint models: Aristidou, Chrysanthou and Lasenby, Extending FABRIK with
// model constraints, 2016.
#include "math/vector.h"
#include "solve/alignment.h"
#include "solve/pose_steps.h"

#include <string.h>

// The end of the path from a centre or a node towards the root.
#define NONE (-1)

static bool rotates(const sinew_solver *solver, const sinew_column_group *group) {
  const sinew_node_kind kind = solver->model->nodes[group->node].kind;
  return kind != SINEW_NODE_PRISMATIC && kind != SINEW_NODE_FUNCTION;
}

// The nearest centre at a node or above it.
static int centre_above(const sinew_solver *solver, int node) {
  while (node >= 0 && solver->pose.centre_of_node[node] < 0) {
    node = solver->model->nodes[node].parent;
  }
  return node < 0 ? NONE : solver->pose.centre_of_node[node];
}

static const double *origin_of(const sinew_solver *solver, int node) {
  return solver->state.frames[node].column[3];
}

static double distance_of(const double a[3], const double b[3]) {
  const double v[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return sinew_norm_safe(v);
}

// out = from + d (to - from) / |to - from|
static void reach(const double from[3], const double to[3], double d, double out[3]) {
  const double length = distance_of(from, to), share = length > 0.0 ? d / length : 0.0;
  for (int i = 0; i < 3; ++i) {
    out[i] = from[i] + share * (to[i] - from[i]);
  }
}

// Whether a column that may translate is at a node or above it.
static bool is_movable(const sinew_solver *solver, int node) {
  for (; node >= 0; node = solver->model->nodes[node].parent) {
    const sinew_node *n = &solver->model->nodes[node];
    const bool translates = n->kind == SINEW_NODE_PRISMATIC || n->kind == SINEW_NODE_FUNCTION;
    if (translates && solver->problem.column_of_dof[n->v] >= 0) {
      return true;
    }
  }
  return false;
}

// The centres of the configuration that is evaluated, parents before children. Returns how many.
static int find_centres(sinew_solver *solver) {
  sinew_centre *centres = solver->pose.centres;
  int count = 0;
  for (int n = 0; n < solver->model->node_count; ++n) {
    solver->pose.centre_of_node[n] = NONE;
  }
  for (int g = 0; g < solver->problem.group_count; ++g) {
    const sinew_column_group *group = &solver->problem.groups[g];
    if (!rotates(solver, group) || solver->pose.centre_of_node[group->node] >= 0) {
      continue;
    }
    sinew_centre *c = &centres[count];
    *c = (sinew_centre){.node = group->node, .movable = is_movable(solver, group->node)};
    c->parent = centre_above(solver, solver->model->nodes[group->node].parent);
    memcpy(c->place, origin_of(solver, group->node), sizeof c->place);
    c->distance = c->parent >= 0 ? distance_of(c->place, centres[c->parent].place) : 0.0;
    solver->pose.centre_of_node[group->node] = count++;
  }
  return count;
}

// What a point below a centre wants of it.
static void want(sinew_centre *c, double weight, const double place[3]) {
  for (int i = 0; i < 3; ++i) {
    c->candidate[i] += weight * place[i];
  }
  c->weight += weight;
}

static bool has_point(const sinew_solver *solver, int t) {
  return solver->problem.tasks[t].linear_rows == 3 && !solver->problem.tasks[t].target_axes;
}

static void target_of(const sinew_solver *solver, int t, double place[3]) {
  const sinew_task_evaluation *at = &solver->evaluation.tasks[t];
  for (int i = 0; i < 3; ++i) {
    place[i] = at->s[i] + at->error[i];
  }
}

// Where the last centre of a pose is when the pose is met: t + R_d R_e^T (p - s).
static void place_before_pose(const sinew_solver *solver, int t, const double p[3], double out[3]) {
  const sinew_task_evaluation *at = &solver->evaluation.tasks[t];
  const double v[3] = {p[0] - at->s[0], p[1] - at->s[1], p[2] - at->s[2]};
  double turn[4], turned[3];
  sinew_quaternion_exp(at->turn, turn);
  sinew_quaternion_rotate(turn, v, turned);
  target_of(solver, t, out);
  for (int i = 0; i < 3; ++i) {
    out[i] += turned[i];
  }
}

static void reach_back_from_tasks(sinew_solver *solver) {
  for (int t = 0; t < solver->problem.count; ++t) {
    const sinew_compiled_task *task = &solver->problem.tasks[t];
    const int last = has_point(solver, t) ? centre_above(solver, task->node) : NONE;
    double target[3], place[3];
    if (last < 0) {
      continue;
    }
    sinew_centre *c = &solver->pose.centres[last];
    target_of(solver, t, target);
    if (task->angular_rows == 3) {
      place_before_pose(solver, t, c->place, place);
    } else {
      reach(target, c->place, distance_of(solver->evaluation.tasks[t].s, c->place), place);
    }
    want(c, task->scale * task->scale, place);
  }
}

static void reach_back(sinew_solver *solver, int count) {
  reach_back_from_tasks(solver);
  for (int i = count - 1; i >= 0; --i) {
    sinew_centre *c = &solver->pose.centres[i];
    for (int k = 0; k < 3 && c->weight > 0.0; ++k) {
      c->place[k] = c->candidate[k] / c->weight;
    }
    if (c->parent >= 0 && c->weight > 0.0) {
      double place[3];
      reach(c->place, solver->pose.centres[c->parent].place, c->distance, place);
      want(&solver->pose.centres[c->parent], c->weight, place);
    }
  }
}

static void reach_forward(sinew_solver *solver, int count) {
  for (int i = 0; i < count; ++i) {
    sinew_centre *c = &solver->pose.centres[i];
    if (c->parent >= 0) {
      const sinew_centre *parent = &solver->pose.centres[c->parent];
      const double wanted[3] = {c->place[0], c->place[1], c->place[2]};
      reach(parent->place, wanted, c->distance, c->place);
    } else if (!c->movable) {
      memcpy(c->place, origin_of(solver, c->node), sizeof c->place);
    }
  }
}

// ------------------------------------------------------------------ projection

static bool is_below(const sinew_solver *solver, int node, int above) {
  while (node > above) {
    node = solver->model->nodes[node].parent;
  }
  return node == above;
}

// The pairs of all that is below a group: centres, points, axes.
static sinew_alignment pairs_below(const sinew_solver *solver, const sinew_target *targets,
                                   const sinew_column_group *group, int count) {
  sinew_alignment pairs = sinew_alignment_at(origin_of(solver, group->node));
  const sinew_rows *rows = &solver->evaluation.rows;
  double largest = 0.0;
  for (int i = rows->incidence_start[group->column]; i < rows->incidence_start[group->column + 1];
       ++i) {
    const int t = rows->incidences[i].block;
    sinew_alignment_add_task(&pairs, solver, targets, t, true);
    largest = sinew_max(largest, solver->problem.tasks[t].scale);
  }
  for (int c = 0; c < count; ++c) {
    const sinew_centre *centre = &solver->pose.centres[c];
    if (centre->weight > 0.0 && centre->node != group->node &&
        is_below(solver, centre->node, group->node)) {
      sinew_alignment_add_point(&pairs, largest * largest, origin_of(solver, centre->node),
                                centre->place);
    }
  }
  return pairs;
}

// Moves each joint of pose.q, from the root on.
static void project(sinew_solver *solver, const sinew_target *targets, int count) {
  double *q = solver->pose.q;
  for (int g = 0; g < solver->problem.group_count; ++g) {
    const sinew_column_group *group = &solver->problem.groups[g];
    const sinew_node *node = &solver->model->nodes[group->node];
    if (node->alone && node->kind != SINEW_NODE_SCREW && node->kind != SINEW_NODE_FUNCTION &&
        (!group->spherical || group->count == 3)) {
      const sinew_alignment pairs = pairs_below(solver, targets, group, count);
      sinew_alignment_move(solver, &pairs, group, q);
      solver->functions->evaluate(solver, targets, q);
      continue;
    }
    for (int i = 0; i < group->count; ++i) {
      sinew_alignment_move_linear(solver, targets, group->column + i, group, q);
    }
  }
}

void sinew_fabrik_step(sinew_solver *solver) {
  const sinew_target *targets = sinew_pose_targets(solver);
  memcpy(solver->pose.q, solver->at.q, (size_t)solver->model->nq * sizeof(double));
  solver->functions->evaluate(solver, targets, solver->pose.q);
  const int count = find_centres(solver);
  reach_back(solver, count);
  reach_forward(solver, count);
  project(solver, targets, count);
  sinew_pose_take(solver);
}
