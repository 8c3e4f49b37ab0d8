// Places to start attempts from: points of low discrepancy, postures of a bank, mirrors of
// solutions.
#include "solve/starts.h"
#include "math/vector.h"
#include "solve/mirror.h"
#include "solve/solutions.h"

#include <string.h>

#define SPREAD_SEED 7

// A joint that slides further than this many sizes of the model is looked at near its seed.
#define FAR 100.0

// One that slides further than so many is not left where a start has it by chance, but brought
// near the targets where they are more than a size of the model away (half the squared
// residual): steps are shorter than that, and a descent would be given up on the way.
#define WIDE 4.0
#define SLIDE_FROM 0.5

// A mirror that limits move by more than this is not what it was [rad].
#define ASKEW 0.5

// What a value may be at a start: within the limits; where these are far apart or missing,
// as far from the seed as a turn or the size of the model reaches. A turn that comes back to
// itself needs no more than one round, and is best far from its limits.
static void range_of(const sinew_solver *solver, int slot, double seed, double *lower,
                     double *upper) {
  const int v = solver->problem.dof_of_slot[slot];
  const bool turns = solver->model->angular[v] != 0;
  const double l = solver->problem.lower[v], u = solver->problem.upper[v];
  const double reach = turns ? SINEW_PI : solver->model->size;
  const double most =
      turns ? solver->global.whole_turn[v] ? 2.0 * SINEW_PI : SINEW_HUGE : FAR * reach;
  const bool bounded = sinew_is_usable(l) && sinew_is_usable(u);
  *lower = l;
  *upper = u;
  if (!bounded || u - l > most) {
    const double middle = bounded && turns && u - l <= FAR ? 0.5 * (l + u) : seed;
    *lower = sinew_max(l, sinew_min(middle - reach, u - 2.0 * reach));
    *upper = sinew_min(u, *lower + 2.0 * reach);
  }
}

// A unit quaternion, uniform on the sphere, of three uniform numbers.
// Source: Shoemake, Uniform random rotations, 1992.
static void turn_of(const double u[3], double q[4]) {
  const double a = sqrt(1.0 - u[0]), b = sqrt(u[0]);
  q[0] = a * sin(2.0 * SINEW_PI * u[1]);
  q[1] = a * cos(2.0 * SINEW_PI * u[1]);
  q[2] = b * sin(2.0 * SINEW_PI * u[2]);
  q[3] = b * cos(2.0 * SINEW_PI * u[2]);
}

// Turns a ball a share of the way to an orientation.
static void turn_towards(const double to[4], double share, double q[4]) {
  double back[4] = {q[0], -q[1], -q[2], -q[3]}, w[3], turn[4];
  sinew_quaternion_multiply(back, to, turn);
  sinew_quaternion_normalize(turn);
  sinew_quaternion_log(turn, w);
  sinew_scale(share, w, w);
  sinew_quaternion_exp(w, turn);
  sinew_quaternion_multiply(q, turn, q);
  sinew_quaternion_normalize(q);
}

// A ball that may turn about some of its axes only stays where it is.
void sinew_start_spread(sinew_solver *solver, uint64_t n, double reach, double *q) {
  const sinew_problem *problem = &solver->problem;
  const sinew_model *model = solver->model;
  sinew_global_scratch *global = &solver->global;
  if (global->spread.count != problem->pattern.dof_count) {
    global->spread = sinew_spread_of(problem->pattern.dof_count, SPREAD_SEED);
  }
  double *uniform = solver->linear.x;
  sinew_spread_point(&global->spread, n, uniform);
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    const int v = problem->dof_of_slot[slot], at = model->q_of_v[v];
    if (model->ball_axis[v] < 0) {
      double lower, upper;
      range_of(solver, slot, q[at], &lower, &upper);
      const double to = lower + uniform[slot] * (upper - lower);
      q[at] = sinew_clamp(q[at] + reach * (to - q[at]), solver->problem.lower[v],
                          solver->problem.upper[v]);
    } else if (sinew_problem_is_whole_ball(problem, slot)) {
      double to[4];
      turn_of(uniform + slot, to);
      turn_towards(to, reach, q + at);
    }
  }
}

void sinew_start_towards(const sinew_solver *solver, const double *to, double share, double *q) {
  const sinew_problem *problem = &solver->problem;
  const sinew_model *model = solver->model;
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    const int v = problem->dof_of_slot[slot], at = model->q_of_v[v];
    if (model->ball_axis[v] < 0) {
      q[at] = sinew_clamp(q[at] + share * (to[at] - q[at]), solver->problem.lower[v],
                          solver->problem.upper[v]);
    } else if (sinew_problem_is_whole_ball(problem, slot)) {
      turn_towards(to + at, share, q + at);
    }
  }
}

// Whether a slot slides further than figures reach.
static bool slides_far(const sinew_solver *solver, int slot) {
  const int v = solver->problem.dof_of_slot[slot];
  return !solver->model->angular[v] &&
         !(solver->problem.upper[v] - solver->problem.lower[v] <= WIDE * solver->model->size);
}

bool sinew_start_slides(const sinew_solver *solver) {
  bool far = false;
  for (int slot = 0; slot < solver->evaluation.rows.dof_count; ++slot) {
    far = far || slides_far(solver, slot);
  }
  return far;
}

// Positions are linear in what slides: one step, with all that turns held, is all the way.
void sinew_start_slide_near(sinew_solver *solver, const sinew_target *targets, double *q) {
  const sinew_problem *problem = &solver->problem;
  if (sinew_solver_evaluate(solver, targets, q) < SLIDE_FROM) {
    return;
  }
  sinew_solver_linearize(solver, q, 0.0, false);
  const sinew_dls_problem step = {
      .rows = &solver->evaluation.rows, .e = solver->linear.e, .mu = 1e-9};
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    solver->step.dls.held[slot] = slides_far(solver, slot) ? 0 : 1;
    solver->linear.x[slot] = 0.0;
  }
  sinew_dls_solve(&step, &solver->step.dls, solver->linear.x);
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    if (solver->step.dls.held[slot] == 0) {
      const int v = problem->dof_of_slot[slot], at = solver->model->q_of_v[v];
      q[at] = sinew_clamp(q[at] + solver->linear.x[slot] * problem->scale[slot],
                          solver->problem.lower[v], solver->problem.upper[v]);
    }
  }
}

void sinew_start_posture(sinew_solver *solver, const sinew_bank *bank, int index,
                         const sinew_target *targets, double *q) {
  const sinew_problem *problem = &solver->problem;
  const sinew_model *model = solver->model;
  double *posture = solver->q;
  sinew_bank_posture(bank, index, targets, posture);
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    const int v = problem->dof_of_slot[slot], at = model->q_of_v[v];
    if (model->ball_axis[v] < 0) {
      q[at] = sinew_clamp(posture[at], solver->problem.lower[v], solver->problem.upper[v]);
    } else if (sinew_problem_is_whole_ball(problem, slot)) {
      memcpy(q + at, posture + at, 4 * sizeof(double));
    }
  }
}

// Whether all that a mirror moves is in use.
static bool is_in_use(const sinew_solver *solver, const sinew_mirror *mirror) {
  int v[3];
  sinew_mirror_dofs(solver->model, mirror, v);
  return solver->problem.slot_of_dof[v[0]] >= 0 && solver->problem.slot_of_dof[v[1]] >= 0 &&
         solver->problem.slot_of_dof[v[2]] >= 0;
}

// Brings what a mirror has moved inside limits; false where that moves it too far.
static bool settle(const sinew_solver *solver, double *q) {
  double most = 0.0;
  sinew_solution_bring_inside(solver, q);
  for (int slot = 0; slot < solver->evaluation.rows.dof_count; ++slot) {
    const int v = solver->problem.dof_of_slot[slot], at = solver->model->q_of_v[v];
    if (solver->model->ball_axis[v] < 0) {
      const double inside = sinew_clamp(q[at], solver->problem.lower[v], solver->problem.upper[v]);
      most = sinew_max(most, fabs(q[at] - inside));
      q[at] = inside;
    }
  }
  return most <= ASKEW;
}

bool sinew_start_mirror(sinew_solver *solver, int mirror, const double *solution, double *q) {
  const sinew_mirror *m = &solver->global.mirrors[mirror];
  if (!is_in_use(solver, m)) {
    return false;
  }
  sinew_mirror_apply(solver->model, m, solution, q);
  return settle(solver, q);
}
