// Spherical shells that bound the workspace of a point.
//
// For all joint values a point of a link is within a shell
//
//   nearest <= |x - c| <= furthest
//
// around a centre c. In the moved frame of the point's node the shell is the point itself:
// nearest = furthest = 0. Towards the root, each joint first moves the centre to a point c' that
// its motion leaves fixed: the foot of c on a revolute axis, the centre of a spherical joint. With
// d = |c - c'| the triangle inequality gives
//
//   nearest' = max(0, nearest - d, d - furthest),   furthest' = furthest + d
//
// A prismatic joint within [l, u] moves the centre by (l + u) / 2 and widens the shell by
// (u - l) / 2 on both sides. Then the placement transforms the centre to the parent's frame.
//
// The shells of two tasks, in the frame of the last node that both paths have in common, also bound
// the distance between their points. All this holds for any joint angles, so a target outside is
// out of reach.
//
// A target counts as reached if its error, as computed, is at most the task's tolerance. So it is
// outside only if it is further from the shell than
//
//   tolerance + ROUNDING M,   M = |target| + |tip| + the sum of the lengths between nodes
//
// where M bounds all coordinates that the computation of the error has rounded.
#include "solve/reach.h"
#include "kinematics/jacobian.h"
#include "math/vector.h"

// Far above the rounding errors of poses, as a share of the largest coordinates.
#define ROUNDING 1e-12

typedef struct shell {
  double centre[3];
  double nearest, furthest;
  double magnitude; // of all coordinates from the point to the centre
} shell;

static void shell_move(shell *s, const double to[3]) {
  const double away[3] = {to[0] - s->centre[0], to[1] - s->centre[1], to[2] - s->centre[2]};
  const double d = sinew_norm_safe(away);
  s->nearest = sinew_max(0.0, sinew_max(s->nearest - d, d - s->furthest));
  s->furthest += d;
  s->magnitude += d;
  for (int i = 0; i < 3; ++i) {
    s->centre[i] = to[i];
  }
}

// The joint values that a proof assumes: bounds, and those of inactive joints.
typedef struct freedom {
  const sinew_model *model;
  const int *column_of_dof; // -1: inactive, constant as in q
  const double *lower, *upper, *q;
} freedom;

static bool is_inactive(const freedom *f, const sinew_node *node) {
  for (int i = 0; i < sinew_node_columns(node); ++i) {
    if (f->column_of_dof[node->v + i] >= 0) {
      return false;
    }
  }
  return true;
}

// The constant motion of an inactive node.
static void move_inactive(const freedom *f, const sinew_node *node, double point[3]) {
  const double value = node->ratio * f->q[node->q] + node->offset;
  if (node->kind == SINEW_NODE_SPHERICAL) {
    sinew_quaternion_rotate(f->q + node->q, point, point);
    return;
  }
  if (node->kind != SINEW_NODE_PRISMATIC) {
    const double x = point[0], y = point[1], c = cos(value), s = sin(value);
    point[0] = c * x - s * y;
    point[1] = s * x + c * y;
  }
  if (node->kind != SINEW_NODE_REVOLUTE) {
    point[2] += (node->kind == SINEW_NODE_SCREW ? node->pitch : 1.0) * value;
  }
}

// A translation by per_value times the node's value: prismatic or screw.
static void shell_translate(shell *s, const freedom *f, const sinew_node *node, double per_value) {
  const double a = node->ratio * f->lower[node->v] + node->offset;
  const double b = node->ratio * f->upper[node->v] + node->offset;
  const double half = 0.5 * fabs(b - a) * fabs(per_value);
  if (per_value == 0.0) {
    return;
  }
  if (!sinew_is_usable(half)) {
    s->nearest = 0.0;
    s->furthest = INFINITY;
    return;
  }
  s->centre[2] += 0.5 * (a + b) * per_value;
  s->magnitude += sinew_max(fabs(a), fabs(b)) * fabs(per_value);
  s->nearest = sinew_max(0.0, s->nearest - half);
  s->furthest += half;
}

// From a node's moved frame to the frame before its motion.
static void shell_through(shell *s, const freedom *f, const sinew_node *node) {
  const double foot[3] = {0.0, 0.0, node->kind == SINEW_NODE_SPHERICAL ? 0.0 : s->centre[2]};
  if (is_inactive(f, node)) {
    move_inactive(f, node, s->centre);
    s->magnitude += sinew_norm_safe(s->centre);
    return;
  }
  if (node->kind != SINEW_NODE_PRISMATIC) {
    shell_move(s, foot);
  }
  if (node->kind == SINEW_NODE_PRISMATIC || node->kind == SINEW_NODE_SCREW) {
    shell_translate(s, f, node, node->kind == SINEW_NODE_SCREW ? node->pitch : 1.0);
  }
}

// The shell of a task's point in the moved frame of a node at or above the task's own; -1: in the
// root link's frame.
static shell shell_of(const sinew_compiled_task *plan, const freedom *f, int top) {
  shell s = {{0.0, 0.0, 0.0}, 0.0, 0.0, 0.0};
  double p[3];
  sinew_frame_column(&plan->tip, 3, s.centre);
  s.magnitude = sinew_norm_safe(s.centre);
  for (int n = plan->node; n != top; n = f->model->nodes[n].parent) {
    shell_through(&s, f, &f->model->nodes[n]);
    sinew_frame_column(&f->model->placements[n], 3, p);
    sinew_frame_transform(&f->model->placements[n], s.centre, s.centre);
    s.magnitude += sinew_norm_safe(p);
  }
  return s;
}

static bool all_linear(const sinew_compiled_task *plan) {
  return plan->linear_rows == 3;
}

static double distance(const double a[3], const double b[3]) {
  const double away[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return sinew_norm_safe(away);
}

// The last node that both paths from the root have in common. Parents have smaller indices than
// their children.
static int meet(const sinew_model *model, int a, int b) {
  while (a != b) {
    if (a > b) {
      a = model->nodes[a].parent;
    } else {
      b = model->nodes[b].parent;
    }
  }
  return a;
}

static double slack_of(double tolerance, double magnitude, const sinew_target *target) {
  return tolerance + ROUNDING * (magnitude + sinew_norm_safe(target->position));
}

// Whether two targets are further apart, or nearer, than the tree between them allows. False if
// rounding or an unlimited prismatic joint leaves that open. magnitude: of the first one's path to
// the root, which contains what both paths have in common.
static bool pair_excluded(const freedom *f, const sinew_compiled_task *const tasks[2],
                          const sinew_target *const targets[2], double tolerance,
                          double magnitude) {
  const int top = meet(f->model, tasks[0]->node, tasks[1]->node);
  const shell s = shell_of(tasks[0], f, top), o = shell_of(tasks[1], f, top);
  const double apart = distance(targets[0]->position, targets[1]->position);
  const double between = distance(s.centre, o.centre), reach = s.furthest + o.furthest;
  const double slack = slack_of(tolerance, magnitude, targets[0]) +
                       slack_of(tolerance, magnitude + o.magnitude, targets[1]);
  return apart > between + reach + slack || apart < between - reach - slack;
}

bool sinew_reach_excludes(const sinew_problem *problem, const sinew_tolerances *tolerances,
                          const sinew_target *targets, const double *q) {
  const sinew_model *model = problem->model;
  const freedom f = {model, problem->column_of_dof, problem->lower, problem->upper, q};
  for (int t = 0; t < problem->count; ++t) {
    if (!all_linear(&problem->tasks[t])) {
      continue;
    }
    const shell s = shell_of(&problem->tasks[t], &f, -1);
    const double d = distance(targets[t].position, s.centre);
    const double slack = slack_of(tolerances->position, s.magnitude, &targets[t]);
    if (d > s.furthest + slack || d < s.nearest - slack) {
      return true;
    }
    for (int other = 0; other < t; ++other) {
      const sinew_compiled_task *const tasks[2] = {&problem->tasks[t], &problem->tasks[other]};
      const sinew_target *const both[2] = {&targets[t], &targets[other]};
      if (all_linear(tasks[1]) &&
          pair_excluded(&f, tasks, both, tolerances->position, s.magnitude)) {
        return true;
      }
    }
  }
  return false;
}
