// Straight limbs. In a straight limb no joint moves the end along it to first order: a step cannot
// bend it, and the side to which it leaves is left to rounding or to where else the target asks it
// to go. So it is bent a little first, by angles t_v of the joints between its ends:
//
//   with a pole     by the joint at the middle, about the axis across the limb that brings the
//                   middle to the side of the pole, or of the rest where the pole is on the line;
//                   but to a side on which the joint's limits leave room for the angle
//                   acos((d^2 - l_1^2 - l_2^2) / (2 l_1 l_2)) that the distance d of the target
//                   needs
//   with a posture  t_v = k d_v, d the way to the posture
//
// A step to a target beside the line bends the limb too, and must not undo it: the bend is at least
// three times the angle of the target from the line. Source: Hecker et al., Real-time motion
// retargeting to highly varied user-created morphologies, 2008, bend preferences; the rest is ours.
#include "solve/straight.h"
#include "kinematics/jacobian.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "solve/pole.h"
#include "solve/solver.h"

#include <string.h>

// A limb is straight if its joints are nearer to the line than this share of its length.
#define STRAIGHT 1e-6
// The least and the most that it is bent [rad], and the share of the angle that the target needs.
// Of 0.01 to 0.25 the share is the one with which the fewest random limbs changed sides later.
#define BEND 1e-3
#define MOST_BEND 0.08
#define SHARE 0.1
// Directions about the line that are tried for a spherical joint.
#define DIRECTIONS 16
// A figure that moved less in its last update [rad, sizes] is at rest.
#define AT_REST 1e-9

static void place(sinew_solver *solver, const double *q) {
  solver->state.functions->place_some(&solver->state, q, solver->levels->nodes,
                                      solver->levels->node_count);
}

// From s to h along a; node: the one that moves the end.
typedef struct straight {
  double s[3], h[3], a[3], length;
  int node;
} straight;

// ------------------------------------------------------------------- what a task wants

// Of a cosine that rounding may have put outside [-1, 1].
static double angle_of_cosine(double cosine) {
  const double c = sinew_clamp(cosine, -1.0, 1.0);
  return atan2(sqrt(1.0 - c * c), c);
}

// By how much to bend, where a task wants the end of the limb nearer to its root; else 0. distance:
// that of the target from the root.
static double wanted_bend(const sinew_solver *solver, int t, const straight *limb,
                          double *distance) {
  double goal[3], side[3];
  if (!sinew_pole_goal(solver, t, limb->s, limb->h, goal)) {
    return 0.0;
  }
  *distance = sinew_norm_safe(goal);
  if (*distance >= (1.0 - STRAIGHT) * limb->length) {
    return 0.0;
  }
  sinew_across(limb->a, goal, side);
  const double needed =
      2.0 * angle_of_cosine(*distance / limb->length); // with a joint in the middle
  return sinew_clamp(sinew_max(3.0 * sinew_norm_safe(side) / limb->length, SHARE * needed), BEND,
                     MOST_BEND);
}

// The longest motion of a degree of freedom in an update that begins at rest.
static double longest_motion(const sinew_solver *solver, int v) {
  const double time = solver->def.tracking.time_step;
  return time > 0.0 ? sinew_min(sinew_motion_limits_most(solver, v),
                                solver->motion.acceleration[v] * time * time)
                    : INFINITY;
}

// ------------------------------------------------------------------- joints

// Moves a joint by angles of its degrees of freedom. All other values keep their bits.
static void turn(const sinew_model *model, const sinew_node *node, const double w[3], double *q) {
  if (node->kind == SINEW_NODE_SPHERICAL) {
    sinew_quaternion_apply(&q[model->q_of_v[node->v]], w);
  } else {
    q[model->q_of_v[node->v]] += w[0];
  }
}

// By how much a joint is outside its limits [rad].
static double excess(const sinew_solver *solver, const sinew_node *node, const double *q) {
  const sinew_model *model = solver->model;
  const int v = node->v, at = model->q_of_v[v];
  if (node->kind == SINEW_NODE_SPHERICAL) {
    return node->cone < 0 ? 0.0 : sinew_cone_excess(&model->cones[node->cone], &q[at]);
  }
  return sinew_max(0.0,
                   sinew_max(solver->problem.lower[v] - q[at], q[at] - solver->problem.upper[v]));
}

// Whether all degrees of freedom of a joint are angles that may move.
static bool may_turn(const sinew_solver *solver, const sinew_node *node) {
  bool may = true;
  for (int i = 0; i < sinew_node_columns(node); ++i) {
    may &= solver->model->angular[node->v + i] && solver->problem.gains[node->v + i] > 0.0;
  }
  return may;
}

// A node's degrees of freedom about a rotation vector in the root's axes.
static void own_angles(const sinew_state *state, int n, const double b[3], double w[3]) {
  for (int i = 0; i < sinew_node_columns(&state->model->nodes[n]); ++i) {
    double linear[3], axis[3];
    sinew_node_column(state, n, i, b, linear, axis);
    w[i] = sinew_dot(axis, b);
  }
}

// ------------------------------------------------------------------- with a pole

static bool straight_limb(const sinew_limb_points *at, straight *limb) {
  double u[3], d[3], v[3], offset[3];
  sinew_subtract(at->m, at->s, u);
  sinew_subtract(at->h, at->s, d);
  sinew_subtract(at->h, at->m, v);
  memcpy(limb->s, at->s, sizeof limb->s);
  memcpy(limb->h, at->h, sizeof limb->h);
  limb->length = sinew_norm_safe(d);
  const double reach = sinew_norm_safe(u) + sinew_norm_safe(v);
  sinew_unit(d, limb->a);
  sinew_across(limb->a, u, offset);
  return limb->length > 0.5 * reach && sinew_norm_safe(offset) < STRAIGHT * reach;
}

// A bend that is tried: by angles w of one joint.
typedef struct trial {
  const sinew_objective *objective;
  const straight *limb;
  double size;         // [rad]
  double needed;       // the angle at which the end is as far as the target
  const double *rest;  // nv: to the posture
  const double *start; // nq
  double *q;           // nq: the trial
  double lack, score;  // of the best
  bool limited;
} trial;

// How well a bend suits: by the cosine to the pole, and a little by that to the posture.
static double suits(const sinew_solver *solver, const trial *t, double to_rest) {
  const sinew_limb_points at = sinew_pole_points(&solver->state, t->objective);
  double u[3], d[3], a[3], middle[3], pole[3];
  sinew_subtract(at.m, at.s, u);
  sinew_subtract(at.h, at.s, d);
  sinew_unit(d, a);
  sinew_across(a, u, middle);
  sinew_across(a, at.p, pole);
  const double size = sinew_norm_safe(middle), far = sinew_norm_safe(pole);
  const bool decides = far > 1e-3 * sinew_norm_safe(at.p) && size > 0.0;
  return (decides ? sinew_dot(middle, pole) / (size * far) : 0.0) + 1e-3 * to_rest;
}

// Tries a bend by the angles w of a node, of length 1, and keeps it in best if none was better.
static void try_bend(sinew_solver *solver, trial *t, const sinew_node *node, const double w[3],
                     double longest, double *best) {
  const sinew_model *model = solver->model;
  const size_t bytes = (size_t)model->nq * sizeof(double);
  const int columns = sinew_node_columns(node);
  const double size = sinew_min(t->size, 0.5 * longest);
  double by[3] = {0.0}, to_rest = 0.0, far = 0.0;
  for (int i = 0; i < columns; ++i) {
    to_rest += w[i] * t->rest[node->v + i];
    far += t->rest[node->v + i] * t->rest[node->v + i];
    by[i] = sinew_max(t->needed, size) * w[i];
  }
  memcpy(t->q, t->start, bytes);
  turn(model, node, by, t->q);
  const double lack = excess(solver, node, t->q);
  for (int i = 0; i < columns; ++i) {
    by[i] = size * w[i];
  }
  memcpy(t->q, t->start, bytes);
  turn(model, node, by, t->q);
  if (excess(solver, node, t->q) > excess(solver, node, t->start)) {
    return;
  }
  place(solver, t->q);
  const double score = suits(solver, t, far > 0.0 ? to_rest / sqrt(far) : 0.0);
  const double least = 1e-6; // of differences that are rounding
  if (lack < t->lack - least || (lack < t->lack + least && score > t->score)) {
    t->lack = lack;
    t->score = score;
    t->limited = longest < INFINITY;
    memcpy(best, t->q, bytes);
  }
}

// The axis across the limb about which a bend brings its middle towards the pole, or a spherical
// joint towards its rest.
static void wanted_axis(const sinew_solver *solver, const trial *t, int n, double axis[3]) {
  const sinew_limb_points at = sinew_pole_points(&solver->state, t->objective);
  const double *a = t->limb->a;
  double rest[3] = {0.0};
  sinew_cross(at.p, a, axis);
  if (sinew_norm_safe(axis) > 1e-3 * sinew_norm_safe(at.p)) {
    sinew_unit(axis, axis);
    return;
  }
  for (int i = 0; i < sinew_node_columns(&solver->model->nodes[n]); ++i) {
    double linear[3], own[3];
    sinew_node_column(&solver->state, n, i, at.h, linear, own);
    for (int r = 0; r < 3; ++r) {
      rest[r] += t->rest[solver->model->nodes[n].v + i] * own[r];
    }
  }
  sinew_across(a, rest, axis);
  if (sinew_norm_safe(axis) > 1e-6) {
    sinew_unit(axis, axis);
    return;
  }
  sinew_basis_perpendicular(a, axis, rest);
}

static void try_node(sinew_solver *solver, trial *t, int n, double longest, double *best) {
  const sinew_node *node = &solver->model->nodes[n];
  for (int k = 0; k < 2 * sinew_node_columns(node); ++k) {
    double w[3] = {0.0}, middle[3], end[3], angular[3];
    place(solver, t->start);
    sinew_node_column(&solver->state, n, k / 2, t->limb->h, end, angular);
    sinew_across(t->limb->a, end, middle);
    if (sinew_norm_safe(middle) > 0.01 * solver->problem.size * sinew_norm_safe(angular)) {
      w[k / 2] = k % 2 == 0 ? 1.0 : -1.0;
      try_bend(solver, t, node, w, longest, best);
    }
  }
  for (int k = 0; node->kind == SINEW_NODE_SPHERICAL && k < DIRECTIONS; ++k) {
    const double angle = 2.0 * SINEW_PI * k / DIRECTIONS;
    double axis[3], side[3], b[3], w[3];
    place(solver, t->start);
    wanted_axis(solver, t, n, axis);
    sinew_cross(t->limb->a, axis, side);
    for (int i = 0; i < 3; ++i) {
      b[i] = cos(angle) * axis[i] + sin(angle) * side[i];
    }
    own_angles(&solver->state, n, b, w);
    try_bend(solver, t, node, w, longest, best);
  }
}

// Bends the joint that is best, among those that move the end and not the middle.
static bool bend_at_middle(sinew_solver *solver, const sinew_objective *objective,
                           const sinew_limb_points *at, const straight *limb, double size,
                           double needed, bool update, double *q) {
  sinew_levels *levels = solver->levels;
  const sinew_model *model = solver->model;
  trial t = {.objective = objective,
             .limb = limb,
             .size = size,
             .needed = needed,
             .rest = levels->part,
             .start = q,
             .q = levels->next,
             .lack = INFINITY,
             .score = -INFINITY};
  memcpy(levels->before, q, (size_t)model->nq * sizeof(double));
  sinew_configuration_difference(model, q, objective->posture, levels->part);
  for (int n = limb->node; n >= 0; n = model->nodes[n].parent) {
    const sinew_node *node = &model->nodes[n];
    double longest = INFINITY, moves = 0.0, end = 0.0;
    place(solver, q);
    for (int i = 0; i < sinew_node_columns(node); ++i) {
      double linear[3], angular[3];
      sinew_node_column(&solver->state, n, i, at->m, linear, angular);
      moves = sinew_max(moves, sinew_norm_safe(linear));
      sinew_node_column(&solver->state, n, i, at->h, linear, angular);
      end = sinew_max(end, sinew_norm_safe(linear));
      longest = update ? sinew_min(longest, longest_motion(solver, node->v + i)) : INFINITY;
    }
    if (moves <= 1e-6 * end && may_turn(solver, node)) {
      try_node(solver, &t, n, longest, levels->before);
    }
  }
  memcpy(q, levels->before, (size_t)model->nq * sizeof(double));
  return t.limited;
}

static bool leave_by_pole(sinew_solver *solver, const sinew_objective *objective, bool update,
                          double *q) {
  const sinew_problem *problem = &solver->problem;
  straight limb = {.node = solver->model->link_node[objective->links[2]]};
  double size = 0.0, nearest = INFINITY;
  place(solver, q);
  const sinew_limb_points at = sinew_pole_points(&solver->state, objective);
  if (!straight_limb(&at, &limb)) {
    return false;
  }
  for (int t = 0; t < problem->count; ++t) {
    double distance = INFINITY;
    if (problem->tasks[t].task.link == objective->links[2]) {
      size = sinew_max(size, wanted_bend(solver, t, &limb, &distance));
      nearest = sinew_min(nearest, distance);
    }
  }
  if (size == 0.0) {
    return false;
  }
  double u[3], v[3];
  sinew_subtract(at.m, at.s, u);
  sinew_subtract(at.h, at.m, v);
  const double upper = sinew_norm_safe(u), lower = sinew_norm_safe(v);
  const double twice = 2.0 * upper * lower;
  const double cosine = (nearest * nearest - upper * upper - lower * lower) / twice;
  const double needed = twice > 0.0 ? angle_of_cosine(cosine) : 0.0;
  return bend_at_middle(solver, objective, &at, &limb, size, needed, update, q);
}

// ------------------------------------------------------------------- with a posture

// The straight limb that ends at a task's point: up to the highest joint of those in a row on its
// line. Returns whether there are joints between the ends. The state is placed.
static bool limb_of_task(const sinew_solver *solver, const sinew_compiled_task *task,
                         straight *limb) {
  const sinew_model *model = solver->model;
  sinew_frame tip;
  int segments = 0;
  sinew_state_fixed_frame(&solver->state, task->node, &task->tip, &tip);
  sinew_frame_get(&tip, NULL, limb->h);
  limb->node = task->node;
  limb->length = 0.0;
  for (int n = task->node; n >= 0; n = model->nodes[n].parent) {
    double p[3], d[3], offset[3];
    sinew_frame_get(&solver->state.frames[n], NULL, p);
    sinew_subtract(limb->h, p, d);
    const double far = sinew_norm_safe(d);
    if (fabs(far - limb->length) <= STRAIGHT * solver->problem.size) {
      continue; // at the same place
    }
    if (segments == 0) {
      sinew_unit(d, limb->a);
    }
    sinew_across(limb->a, d, offset);
    if (far < limb->length || sinew_norm_safe(offset) > STRAIGHT * far ||
        sinew_dot(limb->a, d) < 0.0) {
      break;
    }
    memcpy(limb->s, p, sizeof p);
    limb->length = far;
    ++segments;
  }
  return segments > 1;
}

// Whether a node's joint is between the ends of a limb.
static bool is_between(const sinew_solver *solver, const straight *limb, int n) {
  double p[3], d[3];
  sinew_frame_get(&solver->state.frames[n], NULL, p);
  sinew_subtract(limb->h, p, d);
  const double far = sinew_norm_safe(d), least = STRAIGHT * solver->problem.size;
  return far > least && far < limb->length - least && solver->model->nodes[n].alone &&
         may_turn(solver, &solver->model->nodes[n]);
}

// The part of a node's way to the posture that bends the limb [rad].
static double bend_of(const sinew_solver *solver, const straight *limb, int n,
                      const double *towards) {
  const sinew_node *node = &solver->model->nodes[n];
  double sum[3] = {0.0}, bend[3];
  for (int i = 0; i < sinew_node_columns(node); ++i) {
    double linear[3], angular[3];
    sinew_node_column(&solver->state, n, i, limb->h, linear, angular);
    for (int r = 0; r < 3; ++r) {
      sum[r] += towards[node->v + i] * angular[r];
    }
  }
  sinew_across(limb->a, sum, bend);
  return sinew_norm_safe(bend);
}

// Bends the joints between the ends towards the posture, the one that has most by size.
static bool bend_towards(sinew_solver *solver, const sinew_objective *objective,
                         const straight *limb, double size, bool update, double *q) {
  sinew_levels *levels = solver->levels;
  const sinew_model *model = solver->model;
  double *towards = levels->part, most = 0.0, share = 1.0;
  bool limited = false;
  sinew_configuration_difference(model, q, objective->posture, towards);
  for (int v = 0; v < model->nv; ++v) {
    towards[v] *= objective->weights[v] > 0.0 ? 1.0 : 0.0;
  }
  for (int n = limb->node; n >= 0; n = model->nodes[n].parent) {
    most = is_between(solver, limb, n) ? sinew_max(most, bend_of(solver, limb, n, towards)) : most;
  }
  if (!(most > 1e-6)) {
    return false;
  }
  share = sinew_min(share, size / most);
  for (int n = limb->node; update && n >= 0; n = model->nodes[n].parent) {
    for (int i = 0; is_between(solver, limb, n) && i < sinew_node_columns(&model->nodes[n]); ++i) {
      const int v = model->nodes[n].v + i;
      const double longest = longest_motion(solver, v), far = fabs(towards[v]);
      limited |= longest < INFINITY;
      share = far * share > 0.5 * longest ? 0.5 * longest / far : share;
    }
  }
  for (int n = limb->node; n >= 0; n = model->nodes[n].parent) {
    const sinew_node *node = &model->nodes[n];
    if (is_between(solver, limb, n)) {
      const int at = model->q_of_v[node->v], values = node->kind == SINEW_NODE_SPHERICAL ? 4 : 1;
      double w[3], kept[4];
      for (int i = 0; i < sinew_node_columns(node); ++i) {
        w[i] = sinew_clamp(share * towards[node->v + i], -size, size);
      }
      const double before = excess(solver, node, q);
      memcpy(kept, &q[at], (size_t)values * sizeof(double));
      turn(model, node, w, q);
      if (excess(solver, node, q) > before) {
        memcpy(&q[at], kept, (size_t)values * sizeof(double));
      }
    }
  }
  return limited;
}

static bool has_pole(const sinew_levels *levels, int link) {
  for (int i = 0; i < levels->objective_count; ++i) {
    if (levels->objectives[i].kind == SINEW_OBJECTIVE_POLE && levels->objectives[i].weight > 0.0 &&
        levels->objectives[i].links[2] == link) {
      return true;
    }
  }
  return false;
}

static bool leave_by_posture(sinew_solver *solver, const sinew_objective *objective, bool update,
                             double *q) {
  const sinew_problem *problem = &solver->problem;
  bool limited = false;
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    straight limb;
    double distance;
    if (task->node < 0 || task->linear_rows == 0 || has_pole(solver->levels, task->task.link)) {
      continue;
    }
    place(solver, q);
    const double size =
        limb_of_task(solver, task, &limb) ? wanted_bend(solver, t, &limb, &distance) : 0.0;
    if (size > 0.0) {
      limited |= bend_towards(solver, objective, &limb, size, update, q);
    }
  }
  return limited;
}

bool sinew_was_at_rest(const sinew_solver *solver) {
  bool rest = true;
  for (int v = 0; rest && v < solver->model->nv; ++v) {
    rest = fabs(solver->history.step[v]) <= AT_REST;
  }
  return rest;
}

// ------------------------------------------------------------------- calls

bool sinew_leave_straight(sinew_solver *solver, bool update, double *q) {
  const sinew_levels *levels = solver->levels;
  const bool rest = !update || sinew_was_at_rest(solver);
  bool limited = false;
  for (int i = 0; i < levels->objective_count; ++i) {
    const sinew_objective *objective = &levels->objectives[i];
    if (!(objective->weight > 0.0)) {
      continue;
    }
    if (objective->kind == SINEW_OBJECTIVE_POLE) {
      limited |= leave_by_pole(solver, objective, update, q);
    } else if (objective->kind == SINEW_OBJECTIVE_POSTURE && rest) {
      limited |= leave_by_posture(solver, objective, update, q);
    }
  }
  return limited;
}
