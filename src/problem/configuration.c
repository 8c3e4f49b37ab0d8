// See configuration.h.
#include "problem/configuration.h"
#include "math/rotation.h"
#include "math/vector.h"

#define TURN (2.0 * SINEW_PI)

void sinew_problem_clamp(const sinew_problem *problem, double *q) {
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    const int v = problem->dof_of_column[slot], at = problem->model->q_of_v[v];
    if (problem->model->quaternion_axis[v] < 0) {
      q[at] = sinew_clamp(q[at], problem->lower[v], problem->upper[v]);
    } else if (problem->model->quaternion_axis[v] == 0) {
      sinew_quaternion_normalize(q + at);
    }
  }
}

// Whether a slot is the first of a ball's that are in use; moves on past the last of them.
static bool take_ball(const sinew_problem *problem, int *slot) {
  const sinew_model *model = problem->model;
  const int v = problem->dof_of_column[*slot];
  if (model->quaternion_axis[v] < 0) {
    return false;
  }
  while (*slot + 1 < problem->pattern.dof_count &&
         model->quaternion_axis[problem->dof_of_column[*slot + 1]] > 0 &&
         model->q_of_v[problem->dof_of_column[*slot + 1]] == model->q_of_v[v]) {
    ++*slot;
  }
  return true;
}

double sinew_problem_distance(const sinew_problem *problem, const double *weights, const double *a,
                              const double *b) {
  const sinew_model *model = problem->model;
  double sum = 0.0;
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    const int v = problem->dof_of_column[slot], at = model->q_of_v[v];
    if (take_ball(problem, &slot)) {
      const int first = v - model->quaternion_axis[v];
      double w[3];
      sinew_quaternion_difference(a + at, b + at, w);
      for (int i = 0; i < 3; ++i) {
        sum += (weights != NULL ? weights[first + i] : 1.0) * w[i] * w[i];
      }
      continue;
    }
    const double d = b[at] - a[at];
    sum += (weights != NULL ? weights[v] : 1.0) * d * d;
  }
  return sum;
}

void sinew_whole_turns_within(double x, double lower, double upper, double *least, double *most) {
  *least = ceil((lower - x) / TURN);
  *most = floor((upper - x) / TURN);
  // Rounding takes nothing out.
  *least += x + *least * TURN < lower ? 1.0 : 0.0;
  *most -= x + *most * TURN > upper ? 1.0 : 0.0;
}

void sinew_problem_unwind_near(const sinew_problem *problem, const double *to, double *q) {
  const sinew_model *model = problem->model;
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    const int v = problem->dof_of_column[slot], at = model->q_of_v[v];
    if (model->quaternion_axis[v] >= 0) {
      double along = 0.0;
      for (int i = 0; i < 4; ++i) {
        along += q[at + i] * to[at + i];
      }
      for (int i = 0; model->quaternion_axis[v] == 0 && along < 0.0 && i < 4; ++i) {
        q[at + i] = -q[at + i];
      }
    } else if (problem->whole_turn[v] && fabs(to[at] - q[at]) > SINEW_PI) {
      double least, most;
      sinew_whole_turns_within(q[at], problem->lower[v], problem->upper[v], &least, &most);
      const double turns = sinew_clamp(floor((to[at] - q[at]) / TURN + 0.5), least, most);
      if (least <= most && turns != 0.0) {
        q[at] = sinew_clamp(q[at] + turns * TURN, problem->lower[v], problem->upper[v]);
      }
    }
  }
}

// One value of a degree of freedom that is outside its limits.
static double unwound(double x, double lower, double upper) {
  double least, most;
  sinew_whole_turns_within(x, lower, upper, &least, &most);
  return least <= most ? x + (x < lower ? least : most) * TURN : x;
}

void sinew_problem_unwind_into_limits(const sinew_problem *problem, double *q) {
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    const int v = problem->dof_of_column[slot], at = problem->model->q_of_v[v];
    const double lower = problem->lower[v], upper = problem->upper[v];
    if ((q[at] < lower || q[at] > upper) && problem->whole_turn[v]) {
      q[at] = unwound(q[at], lower, upper);
    }
  }
}

void sinew_problem_bring_into_limits(const sinew_problem *problem, double *q) {
  const sinew_model *model = problem->model;
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    const int v = problem->dof_of_column[slot], at = model->q_of_v[v];
    const double lower = problem->lower[v], upper = problem->upper[v];
    if (model->quaternion_axis[v] >= 0) {
      if (model->quaternion_axis[v] == 0) {
        sinew_quaternion_normalize(q + at);
      }
    } else if (q[at] < lower || q[at] > upper) {
      q[at] = problem->whole_turn[v] ? unwound(q[at], lower, upper) : q[at];
      q[at] = sinew_clamp(q[at], lower, upper);
    }
  }
}

static bool is_same_value(const sinew_problem *problem, int slot, double distinct, double d) {
  const int v = problem->dof_of_column[slot];
  if (problem->whole_turn[v]) {
    d -= TURN * floor(d / TURN + 0.5);
  }
  return fabs(d) < distinct * problem->unit[slot];
}

bool sinew_problem_is_same(const sinew_problem *problem, double distinct, const double *a,
                           const double *b) {
  const sinew_model *model = problem->model;
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    const int at = model->q_of_v[problem->dof_of_column[slot]];
    if (take_ball(problem, &slot)) {
      double w[3];
      sinew_quaternion_difference(a + at, b + at, w);
      if (!(sinew_norm(w) < distinct)) {
        return false;
      }
    } else if (!is_same_value(problem, slot, distinct, b[at] - a[at])) {
      return false;
    }
  }
  return true;
}
