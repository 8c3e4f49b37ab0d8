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
//
// A proof that takes limits into account divides the intervals of the joints: workspace.c. Of a
// pose it also tests the wrist, the place on the axis of the last joint that is nearest to the axis
// before it. The target's rotation tells where the wrist must be, and the last joint does not move
// it, nor does the one before it if the axes meet.
#define SINEW_CALLS
#include "solve/reach.h"
#include "kinematics/jacobian.h"
#include "math/vector.h"

#include <float.h>
#include <string.h>

// Far above the rounding errors of poses, as a share of the largest coordinates.
#define ROUNDING 1e-12

// Above the rounding errors of limits.
#define LIMIT_ROUNDING 1e-15

// Lengths whose squares are lost in underflow prove nothing.
#define LEAST_SLACK 1e-140

// Values of joints [rad or m] beyond this have lost digits that bounds by limits would need.
#define LARGE 1e6

typedef struct shell {
  double centre[3];
  double nearest, furthest;
  double magnitude; // of all coordinates from the point to the centre
} shell;

SINEW_ALWAYS_INLINE void shell_move(shell *s, const double to[3]) {
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

SINEW_ALWAYS_INLINE bool is_inactive(const freedom *f, const sinew_node *node) {
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
SINEW_ALWAYS_INLINE void shell_through(shell *s, const freedom *f, const sinew_node *node) {
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
    s.magnitude += fabs(p[0]) + fabs(p[1]) + fabs(p[2]); // a bound that needs no root
  }
  return s;
}

// ------------------------------------------------------------- with limits

// The constant motion of an inactive node.
static void constant_motion(const freedom *f, const sinew_node *node, sinew_frame *motion) {
  const double zero[3] = {0.0, 0.0, 0.0}, one[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  double p[3] = {0.0, 0.0, 0.0};
  sinew_frame_set(motion, one, zero);
  move_inactive(f, node, p);
  sinew_frame_set_column(motion, 3, p);
  for (int i = 0; i < 3; ++i) {
    double x[3] = {one[i], one[3 + i], one[6 + i]};
    move_inactive(f, node, x);
    sinew_frame_set_column(motion, i, (double[3]){x[0] - p[0], x[1] - p[1], x[2] - p[2]});
  }
}

// A joint's kind and interval. A joint without limits, or whose angles are too large for their
// digits, takes all angles.
static void set_interval(const freedom *f, const sinew_node *node, sinew_workspace_joint *joint) {
  const double a = node->ratio * f->lower[node->v] + node->offset;
  const double b = node->ratio * f->upper[node->v] + node->offset;
  const bool turns = node->kind == SINEW_NODE_REVOLUTE;
  joint->kind = node->kind;
  joint->pitch = node->kind == SINEW_NODE_SCREW ? node->pitch : 0.0;
  joint->middle = 0.5 * (a + b);
  joint->half = 0.5 * fabs(b - a) + LIMIT_ROUNDING * (fabs(a) + fabs(b) + fabs(node->offset));
  joint->divides = node->kind != SINEW_NODE_SPHERICAL && fabs(a) < LARGE && fabs(b) < LARGE;
  if (turns && !(joint->divides && joint->half < SINEW_PI)) {
    joint->middle = 0.0;
    joint->half = SINEW_PI;
    joint->divides = true;
  } else if (!joint->divides) {
    joint->middle = 0.0;
    joint->half = node->kind == SINEW_NODE_SPHERICAL ? 0.0 : INFINITY;
  }
}

// The placement of node *n in the moved frame of the active node before it, which *n becomes, or in
// the root link's frame (-1).
static void set_placement(const freedom *f, int *n, sinew_workspace_joint *joint) {
  sinew_frame M = f->model->placements[*n], motion;
  for (*n = f->model->nodes[*n].parent; *n >= 0 && is_inactive(f, &f->model->nodes[*n]);
       *n = f->model->nodes[*n].parent) {
    constant_motion(f, &f->model->nodes[*n], &motion);
    sinew_frame_multiply(&motion, &M, &M);
    sinew_frame_multiply(&f->model->placements[*n], &M, &M);
  }
  for (int i = 0; i < 3; ++i) {
    sinew_frame_column(&M, i, joint->to + 3 * i);
  }
  sinew_frame_column(&M, 3, joint->from);
}

static int count_active(const freedom *f, int n) {
  int count = 0;
  for (; n >= 0; n = f->model->nodes[n].parent) {
    count += !is_inactive(f, &f->model->nodes[n]);
  }
  return count;
}

// The chain from the root to a place s in the moved frame of node n.
static void set_chain(const freedom *f, int n, shell s, sinew_workspace_chain *chain) {
  const sinew_node *nodes = f->model->nodes;
  int count = count_active(f, n);
  memset(chain, 0, sizeof *chain);
  for (; n >= 0 && (is_inactive(f, &nodes[n]) || count > SINEW_WORKSPACE_JOINTS);
       n = nodes[n].parent) {
    count -= !is_inactive(f, &nodes[n]);
    shell_through(&s, f, &nodes[n]);
    sinew_frame_transform(&f->model->placements[n], s.centre, s.centre);
  }
  memcpy(chain->tip.centre, s.centre, sizeof s.centre);
  chain->tip.nearest = s.nearest;
  chain->tip.furthest = s.furthest;
  chain->magnitude = s.magnitude;
  chain->count = count;
  for (int j = count - 1; j >= 0; --j) {
    set_interval(f, &nodes[n], &chain->joints[j]);
    set_placement(f, &n, &chain->joints[j]);
  }
}

// ------------------------------------------------------------------- shells

static bool all_linear(const sinew_compiled_task *plan) {
  // No range, in root axes, and every joint's motion known.
  return plan->rows != SINEW_ROWS_GENERAL && plan->linear_rows == 3 && !plan->function;
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

// The error that is not counted: see above.
static double slack_of(double tolerance, double magnitude, const sinew_target *target) {
  return tolerance + ROUNDING * (magnitude + sinew_norm_safe(target->position));
}

// Whether d is not within nearest and furthest. proof: filled if so; may be NULL.
static bool is_outside(double d, double nearest, double furthest, double slack, int task,
                       sinew_reach_proof *proof) {
  const bool outside = d > furthest + slack || d < nearest - slack;
  if (outside && proof != NULL) {
    *proof = (sinew_reach_proof){
        .task = task, .distance = d, .reach = d > furthest ? furthest : nearest};
  }
  return outside;
}

// Whether two targets are further apart, or nearer, than the tree between them allows. False if
// rounding or an unlimited prismatic joint leaves that open. magnitude: of the first one's path to
// the root, which contains what both paths have in common.
static bool pair_excluded(const freedom *f, const sinew_compiled_task *const tasks[2],
                          const sinew_target *const targets[2], double tolerance, double magnitude,
                          int task, sinew_reach_proof *proof) {
  const int top = meet(f->model, tasks[0]->node, tasks[1]->node);
  const shell s = shell_of(tasks[0], f, top), o = shell_of(tasks[1], f, top);
  const double apart = distance(targets[0]->position, targets[1]->position);
  const double between = distance(s.centre, o.centre), reach = s.furthest + o.furthest;
  const double slack = slack_of(tolerance, magnitude, targets[0]) +
                       slack_of(tolerance, magnitude + o.magnitude, targets[1]);
  return is_outside(apart, between - reach, between + reach, slack, task, proof);
}

static freedom freedom_of(const sinew_problem *problem, const double *q) {
  return (freedom){problem->model, problem->column_of_dof, problem->lower, problem->upper, q};
}

bool sinew_reach_excludes(const sinew_problem *problem, const sinew_tolerances *tolerances,
                          const sinew_target *targets, const double *q, sinew_reach_proof *proof) {
  const freedom f = freedom_of(problem, q);
  const double tolerance = tolerances->position;
  for (int t = 0; t < problem->count; ++t) {
    if (!all_linear(&problem->tasks[t])) {
      continue;
    }
    const shell s = shell_of(&problem->tasks[t], &f, -1);
    const double d = distance(targets[t].position, s.centre);
    if (is_outside(d, s.nearest, s.furthest, slack_of(tolerance, s.magnitude, &targets[t]), t,
                   proof)) {
      return true;
    }
    for (int other = 0; other < t; ++other) {
      const sinew_compiled_task *const tasks[2] = {&problem->tasks[t], &problem->tasks[other]};
      const sinew_target *const both[2] = {&targets[t], &targets[other]};
      if (all_linear(tasks[1]) &&
          pair_excluded(&f, tasks, both, tolerance, s.magnitude, t, proof)) {
        return true;
      }
    }
  }
  return false;
}

// ------------------------------------------------------------------- proofs

void sinew_reach_layout(sinew_arena *arena, int capacity, sinew_reach *reach) {
  reach->count = capacity < SINEW_REACH_TASKS ? capacity : SINEW_REACH_TASKS;
  reach->spaces = sinew_arena_take(arena, 2 * (size_t)reach->count, sizeof *reach->spaces);
}

void sinew_reach_begin(sinew_reach *reach) {
  for (int i = 0; i < 2 * reach->count; ++i) {
    reach->spaces[i].filled = false;
  }
}

static bool is_bounded(const sinew_workspace *space) {
  bool bounded = true;
  for (int j = 0; j < space->chain.count; ++j) {
    bounded &= space->chain.joints[j].half < INFINITY;
  }
  return bounded;
}

// Tests a workspace. Returns whether the place is excluded; if so the proof is filled, but for
// reach and distance.
static bool is_excluded(sinew_workspace *space, const double place[3], double slack,
                        sinew_reach_proof *proof) {
  if (!(slack > LEAST_SLACK) || !is_bounded(space) ||
      !sinew_workspace_excludes(space, place, slack, SINEW_REACH_BOXES)) {
    return false;
  }
  proof->space = space;
  proof->slack = slack;
  memcpy(proof->place, place, sizeof proof->place);
  return true;
}

// The wrist of a task: offset, from the task's point, in the link's axes; and its chain. False if
// there is none.
static bool find_wrist(const freedom *f, const sinew_compiled_task *plan, double magnitude,
                       double offset[3], sinew_workspace_chain *chain) {
  sinew_frame tip = plan->tip, motion;
  int n = plan->node;
  for (; n >= 0 && is_inactive(f, &f->model->nodes[n]); n = f->model->nodes[n].parent) {
    constant_motion(f, &f->model->nodes[n], &motion);
    sinew_frame_multiply(&motion, &tip, &tip);
    sinew_frame_multiply(&f->model->placements[n], &tip, &tip);
  }
  if (n < 0 || (f->model->nodes[n].kind != SINEW_NODE_REVOLUTE &&
                f->model->nodes[n].kind != SINEW_NODE_SPHERICAL)) {
    return false;
  }
  const bool turns = f->model->nodes[n].kind == SINEW_NODE_REVOLUTE;
  sinew_workspace_joint last;
  set_placement(f, &n, &last);
  const double *z = last.to + 6, *p = last.from, across = z[0] * z[0] + z[1] * z[1];
  const double along = turns && across > 1e-12 ? -(p[0] * z[0] + p[1] * z[1]) / across : 0.0;
  shell s = {{p[0] + along * z[0], p[1] + along * z[1], p[2] + along * z[2]}, 0.0, 0.0, 0.0};
  s.magnitude = magnitude + fabs(along);
  for (int i = 0; i < 3; ++i) {
    const double *axis = tip.column[i], *at = tip.column[3];
    offset[i] = axis[2] * along - (axis[0] * at[0] + axis[1] * at[1] + axis[2] * at[2]);
  }
  set_chain(f, n, s, chain);
  return true;
}

// Of a whole pose. The wrist's target is only known up to the tolerance of the orientation.
static bool wrist_excluded(const freedom *f, const sinew_compiled_task *plan,
                           const sinew_tolerances *tolerances, const sinew_target *target,
                           double magnitude, sinew_workspace *space, sinew_reach_proof *proof) {
  sinew_workspace_chain chain;
  double offset[3], turned[3], unit[4], place[3];
  if (plan->angular_rows != 3 || plan->task.kind != SINEW_TASK_POSE ||
      !find_wrist(f, plan, magnitude, offset, &chain)) {
    return false;
  }
  memcpy(unit, target->rotation, sizeof unit);
  sinew_quaternion_normalize(unit);
  sinew_quaternion_rotate(unit, offset, turned);
  for (int i = 0; i < 3; ++i) {
    place[i] = target->position[i] + turned[i];
  }
  const double arm = sinew_norm_safe(offset);
  sinew_workspace_set(space, &chain);
  memcpy(proof->offset, offset, sizeof offset);
  return is_excluded(space, place,
                     slack_of(tolerances->position, chain.magnitude + arm, target) +
                         tolerances->orientation * arm,
                     proof);
}

bool sinew_reach_prove(sinew_reach *reach, const sinew_problem *problem,
                       const sinew_tolerances *tolerances, const sinew_target *targets,
                       const double *q) {
  const freedom f = freedom_of(problem, q);
  sinew_reach_proof *proof = &reach->proof;
  for (int t = 0; t < problem->count && t < reach->count; ++t) {
    const sinew_compiled_task *plan = &problem->tasks[t];
    sinew_workspace_chain chain;
    *proof = (sinew_reach_proof){.task = t};
    if (!all_linear(plan)) {
      continue;
    }
    shell s = {{0.0, 0.0, 0.0}, 0.0, 0.0, shell_of(plan, &f, -1).magnitude};
    sinew_frame_column(&plan->tip, 3, s.centre);
    set_chain(&f, plan->node, s, &chain);
    sinew_workspace_set(&reach->spaces[2 * t], &chain);
    if (is_excluded(&reach->spaces[2 * t], targets[t].position,
                    slack_of(tolerances->position, s.magnitude, &targets[t]), proof)) {
      return true;
    }
    proof->wrist = true;
    if (wrist_excluded(&f, plan, tolerances, &targets[t], s.magnitude, &reach->spaces[2 * t + 1],
                       proof)) {
      return true;
    }
  }
  return sinew_reach_excludes(problem, tolerances, targets, q, proof);
}

void sinew_reach_measure(sinew_reach *reach, const double reached[3]) {
  sinew_reach_proof *proof = &reach->proof;
  double centre[3];
  if (proof->space == NULL) {
    return;
  }
  const double bound = sinew_workspace_bound(proof->space, proof->place, SINEW_REACH_BOUND_BOXES);
  const double gap = sinew_max(bound, proof->slack);
  sinew_workspace_centre(proof->space, centre);
  proof->distance = distance(proof->place, centre);
  const bool folds = distance(reached, centre) > proof->distance;
  const double rounding = 4.0 * DBL_EPSILON * proof->distance;
  const double most =
      sinew_min(proof->distance - gap + rounding, sinew_workspace_radius(proof->space));
  proof->reach = folds ? proof->distance + gap : sinew_max(0.0, most);
}
