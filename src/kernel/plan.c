// From a compiled problem to the plan of the lanes: see plan.h. A placement P between two axes is
// factored into Denavit-Hartenberg parameters,
//
//   P = [Rz(before) Tz(d)] [Tx(a) Rx(alpha)] [Rz(after) Tz(e)]
//
// Source: Denavit and Hartenberg, A kinematic notation for lower-pair mechanisms, 1955.
#include "kernel/plan.h"
#include "math/vector.h"

#include <string.h>

// Axes within the first angle [rad] count as parallel. Axes between the first and the second have a
// common normal so far away that digits would be lost: their placement is not factored.
#define PARALLEL 1e-14
#define NEARLY 0.02

// The number of joints for which there is memory: 8 or the most.
static int across_width(int nodes) {
  return nodes <= 8 ? 8 : SINEW_LANE_CHAIN_MOST;
}

static void across_layout(sinew_arena *arena, int nodes, sinew_lane_row *row) {
  const size_t width = (size_t)across_width(nodes);
  double **const arrays[] = {&row->turns, &row->angle, &row->distance, &row->a,
                             &row->c,     &row->s,     &row->lower,    &row->upper};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    *arrays[i] = sinew_arena_take(arena, width, sizeof(double));
  }
  row->q = sinew_arena_take(arena, width, sizeof(int));
}

void sinew_lane_plan_layout(sinew_arena *arena, const sinew_model *model, int effectors,
                            sinew_lane_plan *plan) {
  const size_t nodes = (size_t)model->node_count, count = (size_t)effectors;
  plan->nodes = sinew_arena_take(arena, nodes, sizeof *plan->nodes);
  plan->effectors = sinew_arena_take(arena, count, sizeof *plan->effectors);
  // A path visits at most every column of every node, twice where the node moves both the centre of
  // mass and the frame in which its target is given.
  const size_t massive = model->mass > 0.0 ? nodes : 0;
  plan->entries = sinew_arena_take(arena, 3 * (nodes + massive) * count, sizeof *plan->entries);
  plan->masses = sinew_arena_take(arena, massive, sizeof *plan->masses);
  plan->column_of = sinew_arena_take(arena, (size_t)model->nv * count, sizeof(int));
  plan->quaternion_axis = sinew_arena_take(arena, (size_t)model->nv, 1);
  plan->lower = sinew_arena_take(arena, (size_t)model->nv, sizeof(double));
  plan->upper = sinew_arena_take(arena, (size_t)model->nv, sizeof(double));
  plan->unit = sinew_arena_take(arena, (size_t)model->nq, sizeof(double));
  plan->q_of_column = sinew_arena_take(arena, (size_t)model->nv, sizeof(int));
  plan->node_of = sinew_arena_take(arena, nodes, sizeof(int));
  plan->taken = sinew_arena_take(arena, nodes, 1);
  across_layout(arena, model->node_count, &plan->across);
}

// R (9), p (3).
typedef struct placement {
  double R[9], p[3];
} placement;

static const placement nowhere = {{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, {0.0}};

static void multiply(const placement *a, const placement *b, placement *out) {
  sinew_matrix_multiply(a->R, b->R, out->R);
  sinew_rotate(a->R, b->p, out->p);
  for (int i = 0; i < 3; ++i) {
    out->p[i] += a->p[i];
  }
}

// A rotation about z and a translation along it.
static placement along_z(double angle, double distance) {
  const double c = cos(angle), s = sin(angle);
  return (placement){{c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, distance}};
}

// The factors of P; c, s: cosine and sine of alpha.
typedef struct dh_factors {
  double before, d, a, c, s, after, e;
} dh_factors;

// Factors a placement; false if the axes are nearly, but not exactly, parallel.
static bool factor_placement(const placement *P, dh_factors *out) {
  const double z[3] = {P->R[2], P->R[5], P->R[8]};
  const double s = sqrt(z[0] * z[0] + z[1] * z[1]), c = z[2];
  double x[2];
  if (s > NEARLY) { // along the common normal, (0, 0, 1) x z
    x[0] = -z[1] / s;
    x[1] = z[0] / s;
    out->e = (sinew_dot(P->p, z) - c * P->p[2]) / (s * s);
    out->d = P->p[2] - out->e * c;
    out->c = c;
    out->s = s;
  } else if (s <= PARALLEL) {
    const double length = sqrt(P->p[0] * P->p[0] + P->p[1] * P->p[1]);
    x[0] = length > 0.0 ? P->p[0] / length : 1.0;
    x[1] = length > 0.0 ? P->p[1] / length : 0.0;
    out->e = 0.0;
    out->d = P->p[2];
    out->c = c > 0.0 ? 1.0 : -1.0;
    out->s = 0.0;
  } else {
    return false;
  }
  out->a = P->p[0] * x[0] + P->p[1] * x[1];
  out->before = atan2(x[1], x[0]);
  // The last factor of R is a rotation about z, whose angle follows from the first column.
  const double u[3] = {P->R[0], P->R[3], P->R[6]};
  const double ux = u[0] * x[0] + u[1] * x[1];
  const double uy = out->c * (u[1] * x[0] - u[0] * x[1]) + out->s * u[2];
  out->after = atan2(uy, ux);
  return true;
}

// Whether a node's motion is about or along z, so that a constant one can be added to it.
static bool has_axis(const sinew_lane_node *node) {
  return node->kind != SINEW_NODE_SPHERICAL;
}

static sinew_lane_form form_of(const sinew_lane_node *node) {
  if (node->s == 0.0 && node->c == 1.0) {
    return node->a == 0.0 ? SINEW_LANE_SAME : SINEW_LANE_ALIGNED;
  }
  return fabs(node->c) <= 1e-16 ? SINEW_LANE_QUARTER : SINEW_LANE_INCLINED;
}

static bool is_nowhere(const placement *P) {
  bool same = true;
  for (int i = 0; i < 9; ++i) {
    same &= P->R[i] == nowhere.R[i];
  }
  return same && sinew_norm(P->p) == 0.0;
}

static void set_general(sinew_lane_node *node, const placement *P) {
  memcpy(node->R, P->R, sizeof node->R);
  memcpy(node->p, P->p, sizeof node->p);
  node->form = is_nowhere(P) ? SINEW_LANE_SAME : SINEW_LANE_GENERAL;
}

// Adds the first factor of a child's placement to its parent's motion.
static void add_constant(sinew_lane_node *parent, double angle, double distance) {
  if (parent->kind == SINEW_NODE_PRISMATIC) {
    parent->turn += angle;
    parent->turn_c = cos(parent->turn);
    parent->turn_s = sin(parent->turn);
  } else {
    parent->offset += angle;
    // A screw's offset moves it along as well.
    parent->d -= parent->pitch * angle;
  }
  parent->d += distance;
}

// The state while nodes are placed. moved[i]: from a node's moved frame in the plan to that in the
// model; taken[i]: a child has been placed in that frame, which must not change any more.
typedef struct placing {
  sinew_lane_plan *plan;
  const sinew_model *model;
  placement *moved;
  unsigned char *taken;
} placing;

// The placement of a node in its parent's moved frame of the plan.
static placement placement_of(const placing *self, const sinew_lane_node *node, int n) {
  placement own, out;
  sinew_frame_get(&self->model->placements[n], own.R, own.p);
  sinew_scale(1.0 / self->plan->size, own.p, own.p);
  if (node->parent < 0) {
    return own;
  }
  multiply(&self->moved[node->parent], &own, &out);
  return out;
}

// Marks the frame of node k's parent as final, since k has been placed in it.
static void keep_parent_frame(placing *self, int k) {
  const int parent = self->plan->nodes[k].parent;
  if (parent >= 0) {
    self->taken[parent] = 1;
  }
}

// Places node k by four parameters, with a constant motion added to its parent's; false if that is
// not possible.
static bool place_by_factors(placing *self, int k, const placement *P) {
  sinew_lane_node *node = &self->plan->nodes[k];
  dh_factors parts;
  if (node->parent < 0 || !has_axis(node) || !factor_placement(P, &parts)) {
    return false;
  }
  sinew_lane_node *parent = &self->plan->nodes[node->parent];
  const bool nothing = parts.before == 0.0 && parts.d == 0.0;
  if (!nothing && (!has_axis(parent) || self->taken[node->parent])) {
    return false;
  }
  if (!nothing) {
    const placement back = along_z(-parts.before, -parts.d), moved = self->moved[node->parent];
    add_constant(parent, parts.before, parts.d);
    multiply(&back, &moved, &self->moved[node->parent]);
  }
  keep_parent_frame(self, k);
  node->a = parts.a;
  node->c = parts.c;
  node->s = parts.s;
  node->form = form_of(node);
  self->moved[k] = along_z(parts.after, parts.e);
  return true;
}

// Values and motions of node k, from the model's node n.
static void set_motion(sinew_lane_plan *plan, const sinew_problem *problem, int k, int n) {
  const sinew_node *from = &problem->model->nodes[n];
  const double unit = plan->unit[from->q];
  const double own = from->kind == SINEW_NODE_PRISMATIC ? plan->size : 1.0;
  const bool screw = from->kind == SINEW_NODE_SCREW; // the pitch of other kinds is ignored
  plan->nodes[k] = (sinew_lane_node){.kind = from->kind,
                                     .parent = from->parent < 0 ? -1 : plan->node_of[from->parent],
                                     .q = from->q,
                                     .ratio = from->ratio * unit / own,
                                     .offset = from->offset / own,
                                     .pitch = screw ? from->pitch / plan->size : 0.0,
                                     .c = 1.0,
                                     .turn_c = 1.0,
                                     .column = {-1, -1, -1}};
  for (int i = 0; i < (from->kind == SINEW_NODE_SPHERICAL ? 3 : 1); ++i) {
    plan->nodes[k].column[i] = problem->column_of_dof[from->v + i];
  }
}

// Places all nodes of the problem.
static void place_nodes(placing *self, const sinew_problem *problem) {
  sinew_lane_plan *plan = self->plan;
  int roots = 0;
  for (int n = 0; n < self->model->node_count; ++n) {
    plan->node_of[n] = -1;
  }
  for (int k = 0; k < problem->node_count; ++k) {
    plan->node_of[problem->nodes[k]] = k;
    roots += self->model->nodes[problem->nodes[k]].parent < 0;
  }
  memcpy(plan->base_R, nowhere.R, sizeof plan->base_R);
  memset(plan->base_p, 0, sizeof plan->base_p);
  plan->node_count = problem->node_count;
  for (int k = 0; k < plan->node_count; ++k) {
    set_motion(plan, problem, k, problem->nodes[k]);
    placement P = placement_of(self, &plan->nodes[k], problem->nodes[k]);
    self->moved[k] = nowhere;
    if (plan->nodes[k].parent < 0 && roots == 1) {
      memcpy(plan->base_R, P.R, sizeof P.R);
      sinew_scale(plan->size, P.p, plan->base_p);
      P = nowhere;
    }
    if (!place_by_factors(self, k, &P)) {
      set_general(&plan->nodes[k], &P);
      keep_parent_frame(self, k);
    }
  }
}

// The entries of one column of a node: of the centre of mass at that of what the node moves, and at
// the effector's point where it moves the frame of the targets.
static void add_entries(const sinew_lane_plan *plan, const sinew_model *model,
                        const sinew_task_span *span, sinew_lane_entry entry,
                        sinew_lane_effector *effector) {
  sinew_lane_entry *entries = plan->entries + effector->entry_start;
  const double carried = effector->mass ? model->carried[span->node] : 0.0;
  if (carried > 0.0) {
    entries[effector->entry_count] = entry;
    entries[effector->entry_count].centre = true;
    entries[effector->entry_count++].ratio *= carried / model->mass;
  }
  if (!effector->mass || span->reversed) {
    entry.ratio = span->reversed ? -entry.ratio : entry.ratio;
    entries[effector->entry_count++] = entry;
  }
}

// The columns of an effector, and the entries that add to them, from the spans of its task.
static void set_columns(const sinew_lane_plan *plan, const sinew_problem *problem, int e,
                        sinew_lane_effector *effector) {
  const sinew_row_block *block = &problem->pattern.blocks[e];
  const sinew_compiled_task *task = &problem->tasks[e];
  int *column_of = plan->column_of + e * plan->active_count;
  effector->column_start = block->path_start;
  effector->column_count = block->path_count;
  for (int active_column = 0; active_column < plan->active_count; ++active_column) {
    column_of[active_column] = -1;
  }
  for (int k = 0; k < block->path_count; ++k) {
    column_of[plan->columns[block->path_start + k]] = k;
  }
  const sinew_task_span *span = problem->spans + task->span_start;
  for (const sinew_task_span *end = span + task->span_count; span < end; ++span) {
    const int node = plan->node_of[span->node];
    for (int i = 0; i < sinew_span_columns(span); ++i) {
      const double ratio = plan->nodes[node].ratio * plan->gain[span->column + i];
      const int number = span->kind == SINEW_SPAN_CONE ? i : span->i + i; // in the node
      add_entries(plan, problem->model, span,
                  (sinew_lane_entry){node, number, span->k + i, false, ratio}, effector);
    }
  }
}

// From the plan's frame to the root link's.
static placement from_base(const sinew_lane_plan *plan) {
  placement out;
  for (int i = 0; i < 9; ++i) {
    out.R[i] = plan->base_R[i % 3 * 3 + i / 3];
  }
  sinew_rotate(out.R, plan->base_p, out.p);
  sinew_scale(-1.0 / plan->size, out.p, out.p);
  return out;
}

// The matrix (4 x 4, row-major) from the quaternion of Q to that of base_R^T Q R^T.
static void set_aim(const sinew_lane_plan *plan, const double R[9], double aim[16]) {
  double base[4], tip[4];
  sinew_quaternion_from_matrix(plan->base_R, base);
  sinew_quaternion_from_matrix(R, tip);
  for (int i = 1; i < 4; ++i) {
    base[i] = -base[i];
    tip[i] = -tip[i];
  }
  for (int k = 0; k < 4; ++k) {
    const double unit[4] = {k == 0, k == 1, k == 2, k == 3};
    double turned[4], column[4];
    sinew_quaternion_multiply(base, unit, turned);
    sinew_quaternion_multiply(turned, tip, column);
    for (int i = 0; i < 4; ++i) {
      aim[4 * i + k] = column[i];
    }
  }
}

static sinew_lane_rows rows_of(const sinew_compiled_task *task) {
  return task->rows == SINEW_ROWS_DIRECTION ? SINEW_LANE_DIRECTION
         : task->target_axes                ? SINEW_LANE_TARGET
                                            : SINEW_LANE_WORLD;
}

// The rows of a task and their weights. A direction has all three rows of an orientation, of rank
// two.
static sinew_lane_effector describe(const sinew_compiled_task *task) {
  sinew_lane_effector effector = {.rows = rows_of(task),
                                  .linear = task->linear_rows > 0,
                                  .angular = task->angular_rows > 0,
                                  .farthest = task->farthest,
                                  .position_weight = task->task.position_weight,
                                  .orientation_weight = task->task.orientation_weight,
                                  .mass = task->task.center_of_mass,
                                  .general = task->rows == SINEW_ROWS_GENERAL,
                                  .relative = task->relative};
  effector.row_count = 3 * (effector.linear + effector.angular);
  for (int i = 0; i < 6; ++i) {
    effector.selected[i] = task->selected[i] != 0;
  }
  for (int i = 3; effector.rows == SINEW_LANE_DIRECTION && i < 6; ++i) {
    effector.selected[i] = effector.angular;
  }
  return effector;
}

// A frame, given in the moved frame of a node of the model or, with -1, in the root link's, in the
// node's moved frame of the plan or in the plan's own. Returns the node of the plan.
static int place_frame(const placing *self, int node, const sinew_frame *given, placement *out) {
  const int k = node < 0 ? -1 : self->plan->node_of[node];
  const placement frame = k >= 0 ? self->moved[k] : from_base(self->plan);
  placement own;
  sinew_frame_get(given, own.R, own.p);
  sinew_scale(1.0 / self->plan->size, own.p, own.p);
  multiply(&frame, &own, out);
  return k;
}

// The tip in its node's moved frame of the plan, and the frame of the targets in that of its.
static void set_tip(const placing *self, const sinew_compiled_task *task,
                    sinew_lane_effector *effector) {
  placement moved;
  effector->node = effector->frame_node = -1;
  if (effector->relative) {
    effector->frame_node = place_frame(self, task->frame_node, &task->frame, &moved);
    memcpy(effector->frame_R, moved.R, sizeof moved.R);
    memcpy(effector->frame_p, moved.p, sizeof moved.p);
  }
  if (effector->mass) {
    return;
  }
  effector->node = place_frame(self, task->node, &task->tip, &moved);
  memcpy(effector->R, moved.R, sizeof moved.R);
  memcpy(effector->p, moved.p, sizeof moved.p);
  set_aim(self->plan, moved.R, effector->aim);
  if (effector->rows == SINEW_LANE_DIRECTION) {
    sinew_rotate(moved.R, task->task.axis_l, effector->axis);
  }
}

static void set_effector(placing *self, const sinew_problem *problem, int e) {
  sinew_lane_plan *plan = self->plan;
  sinew_lane_effector *effector = &plan->effectors[e];
  *effector = describe(&problem->tasks[e]);
  effector->row = plan->row_count;
  effector->value_start = plan->value_count;
  effector->entry_start = e > 0 ? effector[-1].entry_start + effector[-1].entry_count : 0;
  set_tip(self, &problem->tasks[e], effector);
  set_columns(plan, problem, e, effector);
  plan->row_count += effector->row_count;
  plan->value_count += effector->row_count * effector->column_count;
}

// The masses of the plan's nodes: all that move mass are among them.
static void set_masses(const placing *self, const sinew_problem *problem) {
  sinew_lane_plan *plan = self->plan;
  const sinew_model *model = self->model;
  plan->mass = problem->mass;
  for (int k = 0; plan->mass && k < plan->node_count; ++k) {
    const int n = problem->nodes[k];
    const double *own = model->node_masses + 4 * n;
    double centre[3];
    plan->masses[k] = (sinew_lane_mass){.own = 0.0};
    if (model->carried[n] > 0.0) {
      plan->masses[k].own = model->mass_shares[n].own;
      plan->masses[k].share = model->mass_shares[n].onto;
      sinew_scale(1.0 / plan->size, own + 1, centre);
      sinew_rotate(self->moved[k].R, centre, plan->masses[k].centre);
      for (int i = 0; i < 3; ++i) {
        plan->masses[k].centre[i] += self->moved[k].p[i];
      }
    }
  }
  if (plan->mass) {
    const placement base = from_base(plan);
    sinew_scale(1.0 / plan->size, model->root_mass + 1, plan->root_mass);
    sinew_rotate(base.R, plan->root_mass, plan->root_mass);
    for (int i = 0; i < 3; ++i) {
      plan->root_mass[i] =
          model->root_mass[0] / model->mass * (plan->root_mass[i] + plan->root_p[i]);
    }
  }
}

static bool is_chain(const sinew_problem *problem) {
  return (sinew_problem_features(problem) & ~(unsigned)SINEW_LANE_CHAIN_FEATURES) == 0 &&
         problem->count == 1 && problem->node_count <= SINEW_LANE_CHAIN_MOST;
}

// The chain's parameters as vectors over its joints.
static void set_across(sinew_lane_plan *plan) {
  sinew_lane_row *row = &plan->across;
  for (int k = plan->node_count; k < across_width(plan->node_count); ++k) {
    row->turns[k] = row->angle[k] = row->distance[k] = row->a[k] = row->s[k] = 0.0;
    row->lower[k] = -1.0;
    row->upper[k] = row->c[k] = 1.0;
  }
  row->general = 0;
  row->has_prismatic = false;
  for (int k = 0; k < plan->node_count; ++k) {
    const sinew_lane_node *node = &plan->nodes[k];
    const bool slides = node->kind == SINEW_NODE_PRISMATIC;
    row->turns[k] = slides ? 0.0 : 1.0;
    row->angle[k] = slides ? node->turn : node->offset;
    row->distance[k] = slides ? node->offset + node->d : node->d;
    row->a[k] = node->a;
    row->c[k] = node->c;
    row->s[k] = node->s;
    row->lower[k] = plan->lower[k];
    row->upper[k] = plan->upper[k];
    row->q[k] = node->q;
    row->general |= node->form == SINEW_LANE_GENERAL ? 1u << k : 0u;
    row->has_prismatic |= slides;
  }
}

// Units of values, and limits in them.
static void set_values(sinew_lane_plan *plan, const sinew_problem *problem) {
  const sinew_model *model = problem->model;
  for (int i = 0; i < model->nq; ++i) {
    plan->unit[i] = 1.0;
  }
  for (int v = 0; v < model->nv; ++v) {
    plan->unit[model->q_of_v[v]] = model->angular[v] ? 1.0 : problem->size;
  }
  for (int active_column = 0; active_column < plan->active_count; ++active_column) {
    const int v = problem->dof_of_column[active_column];
    const double unit = plan->unit[model->q_of_v[v]];
    plan->lower[active_column] = sinew_max(problem->lower[v], -SINEW_HUGE) / unit;
    plan->upper[active_column] = sinew_min(problem->upper[v], SINEW_HUGE) / unit;
    plan->q_of_column[active_column] = model->q_of_v[v];
    plan->quaternion_axis[active_column] = model->quaternion_axis[v];
  }
}

void sinew_lane_plan_set_limits(sinew_lane_plan *plan, const sinew_problem *problem) {
  set_values(plan, problem);
  if (plan->chain) {
    set_across(plan);
  }
}

void sinew_lane_plan_fill(sinew_lane_plan *plan, const sinew_problem *problem) {
  const sinew_model *model = problem->model;
  placing self = {plan, model, (placement *)plan->moved, plan->taken};
  plan->nq = model->nq;
  plan->size = problem->size;
  plan->effector_count = problem->count;
  plan->active_count = problem->pattern.dof_count;
  plan->columns = problem->pattern.path;
  plan->gain = problem->gain;
  set_values(plan, problem);
  memset(plan->taken, 0, (size_t)model->node_count);
  place_nodes(&self, problem);
  plan->row_count = plan->value_count = 0;
  const placement base = from_base(plan);
  memcpy(plan->root_p, base.p, sizeof plan->root_p);
  set_masses(&self, problem);
  for (int e = 0; e < plan->effector_count; ++e) {
    set_effector(&self, problem, e);
  }
  plan->chain = is_chain(problem);
  if (plan->chain) {
    set_across(plan);
  }
}
