// A solver's problem in the form that lanes run, and the loop that runs attempts in them.
//
// Lanes support all tasks and joints. Figures too large for them are solved by the solver's scalar
// descents.
#include "solve/lanes.h"
#include "kernel/dispatch.h"
#include "math/vector.h"
#include "policy/rules.h"
#include "solve/solver.h"

#include <float.h>
#include <string.h>

// Larger figures, whose rows no longer fit into the processor's caches, are not faster in lanes.
#define MOST_DOFS 256
#define MOST_BYTES ((size_t)4 << 20)

// The share by which tolerances are tightened in lanes, since lanes and solver round differently.
#define TOLERANCE_MARGIN 1e-6

// A point is rounded by about this many spacings of doubles, lanes and solver differently. Where
// that exceeds the margin a result is verified.
#define SUMS 8.0

bool sinew_lanes_choose(int wanted, sinew_lanes *lanes) {
  lanes->kernel = sinew_lane_kernel_find(wanted);
  lanes->single = sinew_lane_kernel_single();
  return lanes->kernel != NULL;
}

// ------------------------------------------------------------------ memory

// Values of a block besides its scratch: q, targets, and eight for each attempt.
static size_t block_values(const sinew_model *model, size_t tasks) {
  return (size_t)model->nq + 12 * tasks + 8;
}

// Doubles for each lane that any tasks may need: tree.h.
static size_t scratch_values(const sinew_model *model, size_t tasks) {
  const size_t nv = (size_t)model->nv, rows = 6 * tasks, tiles = tasks * (2 * tasks + 1);
  const size_t poses = 12 * (size_t)model->node_count, step = rows + 18 * tiles + 4 * nv;
  return rows * nv + rows + (poses > step ? poses : step);
}

// Memory for vectors, aligned.
static double *take_vectors(sinew_arena *arena, size_t count, int lanes) {
  const size_t size = (size_t)lanes * sizeof(double);
  return sinew_arena_take_aligned(arena, count, size, size);
}

static void block_layout(sinew_arena *arena, const sinew_model *model, int tasks, int width,
                         sinew_lane_block *block) {
  const size_t count = (size_t)tasks;
  double *next = take_vectors(arena, block_values(model, count), width);
  block->lanes = width;
  if (next == NULL) {
    return;
  }
  block->q = next;
  block->targets = block->q + model->nq * width;
  block->E = block->targets + 12 * tasks * width;
  block->mark = block->E + width;
  block->slow = block->mark + width;
  block->steps = block->slow + width;
  block->limit_factor = block->steps + width;
  block->position_error = block->limit_factor + width;
  block->orientation_error = block->position_error + width;
}

void sinew_lanes_layout(sinew_arena *arena, const sinew_model *model, int tasks,
                        sinew_lanes *lanes) {
  if (lanes->kernel == NULL || model->nv > MOST_DOFS || tasks > MOST_DOFS ||
      scratch_values(model, (size_t)tasks) * (size_t)lanes->kernel->lanes * sizeof(double) >
          MOST_BYTES) {
    lanes->kernel = NULL;
    return;
  }
  sinew_lane_plan_layout(arena, model, tasks, &lanes->plan);
  block_layout(arena, model, tasks, lanes->kernel->lanes, &lanes->block);
  // Kernels keep nothing in it from one update to the next, and the single one is never the wider.
  lanes->block.scratch =
      take_vectors(arena, scratch_values(model, (size_t)tasks), lanes->kernel->lanes);
  block_layout(arena, model, tasks, lanes->kernel->lanes, &lanes->second);
  block_layout(arena, model, tasks, lanes->single->lanes, &lanes->one);
  lanes->second.scratch = lanes->one.scratch = lanes->block.scratch;
  lanes->plan.moved = lanes->block.scratch; // a plan is made between runs
}

// -------------------------------------------------------------------- plan

// Whether the problem has rows and columns, and only features that the kernel for trees can run.
static bool lanes_can(const sinew_problem *problem) {
  const unsigned features = sinew_problem_features(problem);
  return problem->pattern.row_count > 0 && problem->pattern.dof_count > 0 &&
         (features & ~(unsigned)SINEW_LANE_TREE_FEATURES) == 0;
}

static sinew_lane_rules rules_of(const sinew_solver *solver) {
  const int dofs = solver->evaluation.rows.dof_count;
  return (sinew_lane_rules){
      .position_tolerance =
          (1.0 - TOLERANCE_MARGIN) * solver->def.tolerances.position / solver->problem.size,
      .orientation_tolerance = (1.0 - TOLERANCE_MARGIN) * solver->def.tolerances.orientation,
      .damping = SEARCH_DAMPING,
      .floor = SEARCH_DAMPING_FLOOR,
      .keep = STALL_LANE_KEEP,
      .slow = STALL_LANE_SLOW,
      .most = stall_steps(STALL_LANE_STEPS, dofs),
      .far = INFINITY,
      .max_turn = 1.0};
}

bool sinew_lanes_ready(sinew_solver *solver) {
  sinew_lanes *lanes = &solver->lanes;
  if (lanes->kernel == NULL || lanes->planned) {
    return lanes->kernel != NULL && lanes->usable;
  }
  lanes->planned = true;
  lanes->usable = lanes_can(&solver->problem);
  if (!lanes->usable) {
    return false;
  }
  sinew_lane_plan_fill(&lanes->plan, &solver->problem);
  lanes->rules = rules_of(solver);
  lanes->exact = TOLERANCE_MARGIN * solver->def.tolerances.position / (SUMS * DBL_EPSILON);
  return true;
}

// ------------------------------------------------------------ into and out of lanes

// The target's rotation for the effector's node, in the plan's frame: its axes, one after the
// other.
static void aim_rotation(const sinew_lane_effector *effector, const double rotation[4],
                         double axes[9]) {
  double q[4], R[9];
  for (int i = 0; i < 4; ++i) {
    const double *row = effector->aim + 4 * i;
    q[i] = (row[0] * rotation[0] + row[1] * rotation[1]) +
           (row[2] * rotation[2] + row[3] * rotation[3]);
  }
  sinew_quaternion_normalize(q);
  sinew_quaternion_to_matrix(q, R);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      axes[3 * i + j] = R[3 * j + i];
    }
  }
}

static bool is_beyond(double most, const double position[3]) {
  return !(sinew_dot(position, position) <= most * most) && sinew_norm_safe(position) > most;
}

static void aim_position(const sinew_lane_plan *plan, const sinew_lane_effector *effector,
                         const double position[3], double p[3]) {
  const double most = effector->farthest;
  const double scale = is_beyond(most, position) ? most / sinew_norm_safe(position) : 1.0;
  for (int i = 0; i < 3; ++i) {
    p[i] = scale * position[i] - plan->base_p[i];
  }
  sinew_rotate_back(plan->base_R, p, p);
  sinew_scale(1.0 / plan->size, p, p);
}

bool sinew_lanes_need_verification(const sinew_lanes *lanes, const sinew_target *targets,
                                   const double *q) {
  const sinew_lane_plan *plan = &lanes->plan;
  bool far = !(sinew_largest(plan->nq, q) <= SINEW_FAR_TURNED);
  for (int f = 0; f < plan->effector_count; ++f) {
    const double most = sinew_min(plan->effectors[f].farthest, lanes->exact);
    far |= plan->effectors[f].linear && is_beyond(most, targets[f].position);
  }
  return far;
}

void sinew_lanes_set_targets(const sinew_lane_plan *plan, const sinew_target *targets, int first,
                             int end, sinew_lane_block *block) {
  for (int f = 0; f < plan->effector_count; ++f) {
    const sinew_lane_effector *effector = &plan->effectors[f];
    double values[12] = {0.0};
    if (effector->rows == SINEW_LANE_DIRECTION) {
      sinew_unit(targets[f].direction, values);
      sinew_rotate_back(plan->base_R, values, values);
    } else if (effector->angular || effector->rows == SINEW_LANE_TARGET) {
      aim_rotation(effector, targets[f].rotation, values);
    }
    if (effector->linear) {
      aim_position(plan, effector, targets[f].position, values + 9);
    }
    for (int i = 0; i < 12; ++i) {
      for (int lane = first; lane < end; ++lane) {
        block->targets[(12 * f + i) * block->lanes + lane] = values[i];
      }
    }
  }
}

// Quaternions are normalized in the lanes, also inactive ones, which stay unchanged in q.
static void place_quaternions(const sinew_lane_plan *plan, const double *q, int lane,
                              sinew_lane_block *block) {
  for (int k = 0; k < plan->node_count; ++k) {
    const int at = plan->nodes[k].q;
    double unit[4];
    if (plan->nodes[k].kind == SINEW_NODE_SPHERICAL) {
      memcpy(unit, q + at, sizeof unit);
      sinew_quaternion_normalize(unit);
      for (int i = 0; i < 4; ++i) {
        block->q[(at + i) * block->lanes + lane] = unit[i];
      }
    }
  }
}

void sinew_lanes_begin(const sinew_lane_plan *plan, const double *q, int limit_factor, int lane,
                       sinew_lane_block *block) {
  for (int i = 0; i < plan->nq; ++i) {
    block->q[i * block->lanes + lane] = q[i] / plan->unit[i];
  }
  if (!plan->chain) {
    place_quaternions(plan, q, lane, block);
  }
  block->mark[lane] = SINEW_HUGE;
  block->slow[lane] = block->steps[lane] = 0.0;
  block->limit_factor[lane] = limit_factor;
  block->active |= 1u << lane;
}

// The attempt counts as slow from the start.
void sinew_lanes_drop_if_far(sinew_lanes *lanes, int lane, double E) {
  lanes->block.mark[lane] = E / lanes->rules.keep;
  lanes->block.slow[lane] = lanes->rules.slow;
}

void sinew_lanes_read(const sinew_lanes *lanes, const sinew_problem *problem,
                      const sinew_lane_block *block, int lane, double *q) {
  const sinew_lane_plan *plan = &lanes->plan;
  const int width = block->lanes;
  for (int column = 0; column < plan->active_count; ++column) {
    const int at = plan->q_of_column[column];
    const double *values = block->q + at * width + lane;
    if (plan->quaternion_axis[column] < 0) {
      const int v = problem->dof_of_column[column];
      q[at] = sinew_clamp(values[0] * plan->unit[at], problem->lower[v], problem->upper[v]);
      continue;
    }
    for (int i = 0; i < 4; ++i) {
      q[at + i] = values[i * width];
    }
    sinew_quaternion_normalize(q + at);
  }
}

// -------------------------------------------------------------------- loop

// Fills a lane; order counts the attempts that were started.
static void begin(sinew_lane_block *block, const sinew_lane_jobs *jobs, int lane, int *order,
                  int *at) {
  block->active &= ~(1u << lane);
  if (jobs->begin(jobs->context, lane)) {
    at[lane] = (*order)++;
  }
}

// Of the lanes in a set, the one whose attempt started first, or -1.
static int earliest(unsigned among, const int *at) {
  int found = -1;
  for (; among != 0; among &= among - 1) {
    const int lane = __builtin_ctz(among);
    found = found < 0 || at[lane] < at[found] ? lane : found;
  }
  return found;
}

static void leave_all(const sinew_lane_jobs *jobs, unsigned among, const int *at) {
  for (int lane = earliest(among, at); jobs->leave != NULL && lane >= 0;
       lane = earliest(among, at)) {
    jobs->leave(jobs->context, lane);
    among &= ~(1u << lane);
  }
}

void sinew_lanes_run(const sinew_lanes *lanes, const sinew_lane_rules *rules,
                     sinew_lane_block *block, const sinew_lane_jobs *jobs) {
  const unsigned all = (1u << block->lanes) - 1u;
  int order = SINEW_LANE_MOST, at[SINEW_LANE_MOST] = {0}; // the order in which attempts started
  for (int lane = 0; lane < block->lanes; ++lane) {
    if ((block->active >> lane & 1u) == 0) {
      begin(block, jobs, lane, &order, at);
    }
  }
  while (block->active != 0) {
    if (jobs->is_late != NULL && jobs->is_late(jobs->context)) {
      leave_all(jobs, block->active, at);
      return;
    }
    lanes->kernel->descend(&lanes->plan, rules, block);
    const unsigned ended = block->converged | block->dropped;
    unsigned left = ended;
    for (int lane = earliest(left, at); lane >= 0; lane = earliest(left, at)) {
      if (!jobs->end(jobs->context, lane)) {
        leave_all(jobs, block->active & ~ended, at);
        return;
      }
      left &= ~(1u << lane);
    }
    for (unsigned idle = all & ~(block->active & ~ended); idle != 0; idle &= idle - 1) {
      begin(block, jobs, __builtin_ctz(idle), &order, at);
    }
  }
}
