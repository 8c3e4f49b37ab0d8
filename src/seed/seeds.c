// Starts of searches: see seeds.h.
#include "seed/seeds.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "problem/configuration.h"

#include <string.h>

#define SPREAD_SEED 7

// A prismatic joint with a range of more than this many sizes of the model has starts around the
// caller's value.
#define FAR 100.0

// Starts near the caller's are at this share of the way to a point of the sequence.
#define NEAR_SHARE 0.25

// A start for a nearer solution is at this share of the way to the caller's configuration.
#define NEARER_SHARE 0.5

// A mirror that limits change by more than this [rad] is not used.
#define MIRROR_CHANGE 0.5

// A kept attempt is given up after this many starts from it without a better one. Of 20,000 sets of
// poses of a humanoid with 25 degrees of freedom for 24 rows, the search misses 0 with 2, 5 with 3
// and 8 with 8; without kept attempts 20.
#define KEPT_STARTS 2

// The same with a task of the centre of mass, and the share of E below which a better attempt
// counts as one. With 1 to 8 starts and a share of 1 or .9, searches for poses of four humanoids
// and their centre of mass miss 0 to 4 of 800, none with these (docs/global.md).
#define KEPT_STARTS_OF_MASS 5
#define KEPT_BETTER_OF_MASS 0.9

void sinew_seed_scratch_layout(sinew_arena *arena, const sinew_model *model,
                               sinew_seed_scratch *scratch) {
  scratch->mirrors = sinew_arena_take(arena, (size_t)model->node_count, sizeof(sinew_mirror));
  scratch->uniform = sinew_arena_take(arena, (size_t)model->nv, sizeof(double));
  scratch->posture = sinew_arena_take(arena, (size_t)model->nq, sizeof(double));
}

void sinew_seed_scratch_begin(sinew_seed_scratch *scratch, const sinew_model *model) {
  scratch->mirror_count = sinew_mirrors_find(model, scratch->mirrors);
}

void sinew_seed_scratch_fit(sinew_seed_scratch *scratch, const sinew_problem *problem) {
  scratch->spread = sinew_low_discrepancy_of(problem->pattern.dof_count, SPREAD_SEED);
}

// ------------------------------------------------------------------- places

// The range of a value at starts: its limits or, if these are far apart or missing, a range around
// the seed of +-pi or +-size of the model. If limits allow more than a whole turn, a range of one
// turn is enough, and best far from the limits.
static void range_of(const sinew_problem *problem, int column, double seed, double *lower,
                     double *upper) {
  const int v = problem->dof_of_column[column];
  const bool angular = problem->model->angular[v] != 0;
  const double l = problem->lower[v], u = problem->upper[v];
  const double reach = angular ? SINEW_PI : problem->size;
  const double most = angular ? problem->whole_turn[v] ? 2.0 * SINEW_PI : SINEW_HUGE : FAR * reach;
  const bool bounded = sinew_is_usable(l) && sinew_is_usable(u);
  *lower = l;
  *upper = u;
  if (!bounded || u - l > most) {
    const double middle = bounded && angular && u - l <= FAR ? 0.5 * (l + u) : seed;
    *lower = sinew_max(l, sinew_min(middle - reach, u - 2.0 * reach));
    *upper = sinew_min(u, *lower + 2.0 * reach);
  }
}

// Rotates q a share of the way to an orientation.
static void rotate_towards(const double to[4], double share, double q[4]) {
  double w[3], change[4];
  sinew_quaternion_difference(q, to, w);
  sinew_scale(share, w, w);
  sinew_quaternion_exp(w, change);
  sinew_quaternion_multiply(q, change, q);
  sinew_quaternion_normalize(q);
}

static bool is_of_mass(const sinew_seeds *seeds, int block) {
  return seeds->problem->tasks[block].task.center_of_mass;
}

// The largest error of a task in the kept attempt. That of the centre of mass does not say which
// limb has failed.
static double largest_error(const sinew_seeds *seeds) {
  double largest = 0.0;
  for (int b = 0; b < seeds->problem->pattern.block_count; ++b) {
    largest = is_of_mass(seeds, b) ? largest : sinew_max(largest, seeds->kept_errors[b]);
  }
  return largest;
}

// Whether the path of a block contains that of another, and more.
static bool contains(const sinew_rows *rows, int block, int other) {
  const sinew_row_block *path = &rows->blocks[other];
  bool has_last = false;
  if (rows->blocks[block].path_count > path->path_count && path->path_count > 0) {
    const int last = rows->path[path->path_start + path->path_count - 1];
    for (int i = rows->incidence_start[last]; i < rows->incidence_start[last + 1]; ++i) {
      has_last |= rows->incidences[i].block == block;
    }
  }
  return has_last;
}

// Whether the path of a block contains that of another one that has the column.
static bool contains_any(const sinew_rows *rows, int block, int column) {
  bool any = false;
  for (int i = rows->incidence_start[column]; i < rows->incidence_start[column + 1]; ++i) {
    any |= contains(rows, block, rows->incidences[i].block);
  }
  return any;
}

// Whether the next start from the kept attempt has a new value for a column.
//
// Where limbs share a trunk or a floating base, each of them fails by itself: if it leads to its
// target with the probability p, a start leads n limbs to theirs with p^n. A restart of those that
// failed, which keeps the trunk and the others, needs to succeed with those alone. Which have
// failed is not known: the error of one is spread over all by the joints that they share. So a
// task is selected with the probability |e| / |e|_max, and a column is redrawn if all tasks that it
// moves are selected.
//
// All columns move the centre of mass, so that no limb could be redrawn without it, nor a trunk
// that has a task without those of the limbs on it. Where there is such a task, those that move
// with all of another task's columns and more are not asked about these columns.
static bool is_redrawn(const sinew_seeds *seeds, int column) {
  const sinew_rows *rows = &seeds->problem->pattern;
  const double *errors = seeds->kept_errors;
  const bool of_mass = seeds->problem->mass;
  const double largest = of_mass ? largest_error(seeds) : sinew_largest(rows->block_count, errors);
  bool redrawn = true;
  for (int i = rows->incidence_start[column]; i < rows->incidence_start[column + 1]; ++i) {
    const int block = rows->incidences[i].block;
    redrawn &= (of_mass && contains_any(rows, block, column)) ||
               errors[block] >= sinew_random_uniform(seeds->restart, (uint64_t)block) * largest;
  }
  return redrawn;
}

// Moves q a share of the way to the n-th point of the low-discrepancy sequence over the ranges of
// the active degrees of freedom, or of those to redraw only. A spherical joint of which only some
// axes are active stays.
static void go_to_place(const sinew_seeds *seeds, uint64_t n, double share, bool redraw,
                        double *q) {
  const sinew_problem *problem = seeds->problem;
  const sinew_model *model = problem->model;
  double *uniform = seeds->scratch->uniform;
  sinew_low_discrepancy_point(&seeds->scratch->spread, n, uniform);
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column], at = model->q_of_v[v];
    if (redraw && !is_redrawn(seeds, column)) {
      continue;
    }
    if (model->quaternion_axis[v] < 0) {
      double lower, upper;
      range_of(problem, column, q[at], &lower, &upper);
      const double to = lower + uniform[column] * (upper - lower);
      q[at] = sinew_clamp(q[at] + share * (to - q[at]), problem->lower[v], problem->upper[v]);
    } else if (sinew_problem_is_whole_spherical(problem, column)) {
      const int cone = model->cone_of_v[v];
      double to[4];
      if (cone >= 0) {
        sinew_cone_of_uniform(&model->cones[cone], uniform + column, to);
      } else {
        sinew_quaternion_of_uniform(uniform + column, to);
      }
      rotate_towards(to, share, q + at);
    }
  }
}

// Whether there is a kept attempt that has not been given up. With a task of the centre of mass a
// start that changes a limb often ends where the kept attempt did, and would be kept in its place:
// a start of the sequence follows.
static bool has_kept(const sinew_seeds *seeds) {
  return seeds->kept != NULL && seeds->kept_E < INFINITY &&
         !(seeds->problem->mass && seeds->kept_starts >= KEPT_STARTS_OF_MASS);
}

// q = the next start from the kept attempt.
static void restart_limbs(sinew_seeds *seeds, double *q) {
  memcpy(q, seeds->kept, (size_t)seeds->problem->model->nq * sizeof(double));
  go_to_place(seeds, seeds->restart, 1.0, true, q);
  ++seeds->restart;
  ++seeds->kept_starts;
  if (!seeds->problem->mass && seeds->kept_starts >= KEPT_STARTS) {
    seeds->kept_E = INFINITY;
  }
}

void sinew_seeds_go_towards(const sinew_problem *problem, const double *to, double share,
                            double *q) {
  const sinew_model *model = problem->model;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column], at = model->q_of_v[v];
    if (model->quaternion_axis[v] < 0) {
      q[at] = sinew_clamp(q[at] + share * (to[at] - q[at]), problem->lower[v], problem->upper[v]);
    } else if (sinew_problem_is_whole_spherical(problem, column)) {
      rotate_towards(to + at, share, q + at);
    }
  }
}

// ------------------------------------------------------------------ postures

// Finds the nearest posture first, since most often no other is needed; then more of them.
static bool find_postures(sinew_seeds *seeds) {
  if (seeds->posture == 0 && seeds->posture_count == 0) {
    seeds->posture_count = sinew_bank_find(seeds->bank, seeds->targets, 1, seeds->postures);
  } else if (seeds->posture == 1) {
    const int first = seeds->postures[0];
    int *more = seeds->postures + 1;
    const int count = sinew_bank_find(seeds->bank, seeds->targets, seeds->most_postures, more);
    seeds->posture_count = 1;
    for (int i = 0; i < count; ++i) {
      if (more[i] != first) {
        seeds->postures[seeds->posture_count++] = more[i];
      }
    }
  }
  return seeds->posture < seeds->posture_count;
}

// The active values of a posture, within limits; inactive values of q keep their bits.
static void take_active(const sinew_problem *problem, const double *posture, double *q) {
  const sinew_model *model = problem->model;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column], at = model->q_of_v[v];
    if (model->quaternion_axis[v] < 0) {
      q[at] = sinew_clamp(posture[at], problem->lower[v], problem->upper[v]);
    } else if (sinew_problem_is_whole_spherical(problem, column)) {
      memcpy(q + at, posture + at, 4 * sizeof(double));
    }
  }
}

// q = the next posture of the bank.
static bool go_to_posture(sinew_seeds *seeds, double *q) {
  double *posture = seeds->scratch->posture;
  if (seeds->bank == NULL || !find_postures(seeds)) {
    return false;
  }
  sinew_bank_posture(seeds->bank, seeds->postures[seeds->posture++], seeds->targets, posture);
  take_active(seeds->problem, posture, q);
  return true;
}

// q = the next output of the network: from the caller's configuration, then from points of the
// sequence, which lead to other branches.
static bool go_to_output(sinew_seeds *seeds, double *q) {
  double *posture = seeds->scratch->posture;
  if (seeds->network == NULL || seeds->output >= seeds->most_outputs) {
    return false;
  }
  if (seeds->output > 0) {
    go_to_place(seeds, (uint64_t)seeds->output - 1, 1.0, false, q);
  }
  ++seeds->output;
  sinew_network_seed(seeds->network, seeds->targets, q, posture);
  take_active(seeds->problem, posture, q);
  return true;
}

void sinew_seeds_keep(sinew_seeds *seeds, const double *q, double E, const sinew_rows *rows) {
  memcpy(seeds->kept, q, (size_t)seeds->problem->model->nq * sizeof(double));
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    seeds->kept_errors[b] = sqrt(sinew_square_sum(block->row_count, rows->residual + block->row));
  }
  if (!seeds->problem->mass || E < KEPT_BETTER_OF_MASS * seeds->kept_E) {
    seeds->kept_starts = 0;
  }
  seeds->kept_E = E;
}

static sinew_seed_kind next_start(sinew_seeds *seeds, int number, double *q) {
  memcpy(q, seeds->caller, (size_t)seeds->problem->model->nq * sizeof(double));
  if (number == seeds->caller_number) {
    return SINEW_SEED_CALLER;
  }
  if (seeds->caller_again) {
    seeds->caller_again = false;
  } else if (go_to_output(seeds, q) || go_to_posture(seeds, q)) {
    return SINEW_SEED_OTHER;
  } else if (has_kept(seeds)) {
    restart_limbs(seeds, q);
    return SINEW_SEED_KEPT;
  } else {
    const bool near = seeds->near && seeds->place % 2 == 0;
    seeds->kept_E = INFINITY;
    go_to_place(seeds, seeds->place++, near ? NEAR_SHARE : 1.0, false, q);
  }
  return SINEW_SEED_OTHER;
}

sinew_seed_kind sinew_seeds_next(sinew_seeds *seeds, int number, double *q) {
  const sinew_seed_kind kind = next_start(seeds, number, q);
  sinew_problem_hold_cones(seeds->problem, q);
  return kind;
}

// ------------------------------------------------------------------- mirrors

// Whether all three degrees of freedom of a mirror are active.
static bool is_active(const sinew_problem *problem, const sinew_mirror *mirror) {
  int v[3];
  sinew_mirror_dofs(problem->model, mirror, v);
  return problem->column_of_dof[v[0]] >= 0 && problem->column_of_dof[v[1]] >= 0 &&
         problem->column_of_dof[v[2]] >= 0;
}

// Moves a mirrored q into the limits; false if that changes it too much.
static bool bring_into_limits(const sinew_problem *problem, double *q) {
  double most = 0.0;
  sinew_problem_unwind_into_limits(problem, q);
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column], at = problem->model->q_of_v[v];
    if (problem->model->quaternion_axis[v] < 0) {
      const double inside = sinew_clamp(q[at], problem->lower[v], problem->upper[v]);
      most = sinew_max(most, fabs(q[at] - inside));
      q[at] = inside;
    }
  }
  sinew_problem_hold_cones(problem, q);
  return most <= MIRROR_CHANGE;
}

static bool is_known(const sinew_seeds *seeds, const double *q) {
  const size_t nq = (size_t)seeds->problem->model->nq;
  for (int i = 0; i < seeds->known_count; ++i) {
    if (sinew_problem_is_same(seeds->problem, seeds->distinct, seeds->known + (size_t)i * nq, q)) {
      return true;
    }
  }
  return false;
}

// q = the next mirror of a solution, each mirror of each solution once, without those that are
// known solutions.
static bool go_to_mirror(sinew_seeds *seeds, double *q) {
  const sinew_problem *problem = seeds->problem;
  while (seeds->parent < seeds->solution_count) {
    if (seeds->mirror == seeds->scratch->mirror_count) {
      seeds->mirror = 0;
      ++seeds->parent;
      continue;
    }
    const sinew_mirror *mirror = &seeds->scratch->mirrors[seeds->mirror++];
    const double *from = seeds->solutions + (size_t)seeds->parent * (size_t)problem->model->nq;
    if (is_active(problem, mirror)) {
      sinew_mirror_apply(problem->model, mirror, from, q);
      if (bring_into_limits(problem, q) && !is_known(seeds, q)) {
        return true;
      }
    }
  }
  return false;
}

bool sinew_seeds_follow(sinew_seeds *seeds, double *q) {
  if (seeds->nearer != NULL) {
    memcpy(q, seeds->nearer, (size_t)seeds->problem->model->nq * sizeof(double));
    sinew_seeds_go_towards(seeds->problem, seeds->caller, NEARER_SHARE, q);
    sinew_problem_hold_cones(seeds->problem, q); // a geodesic may leave them
    seeds->nearer = NULL;
    return true;
  }
  return go_to_mirror(seeds, q);
}

void sinew_seeds_restart_mirrors(sinew_seeds *seeds) {
  seeds->parent = seeds->mirror = 0;
}
