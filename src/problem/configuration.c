// See configuration.h.
#include "problem/configuration.h"
#include "math/rotation.h"
#include "math/vector.h"

#define TURN (2.0 * SINEW_PI)

void sinew_problem_hold_cones(const sinew_problem *problem, double *q) {
  const sinew_model *model = problem->model;
  for (int g = 0; model->cone_count > 0 && g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    const int cone = model->nodes[group->node].cone;
    if (cone >= 0 && group->count == 3) {
      sinew_cone_hold(&model->cones[cone], NULL, q + group->q);
    }
  }
}

void sinew_problem_clamp(const sinew_problem *problem, double *q) {
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column], at = problem->model->q_of_v[v];
    if (problem->model->quaternion_axis[v] < 0) {
      q[at] = sinew_clamp(q[at], problem->lower[v], problem->upper[v]);
    } else if (problem->model->quaternion_axis[v] == 0) {
      sinew_quaternion_normalize(q + at);
    }
  }
  sinew_problem_hold_cones(problem, q);
}

// Whether a column is the first active one of a spherical joint; advances to the last of them.
static bool take_spherical(const sinew_problem *problem, int *column) {
  const sinew_model *model = problem->model;
  const int v = problem->dof_of_column[*column];
  if (model->quaternion_axis[v] < 0) {
    return false;
  }
  while (*column + 1 < problem->pattern.dof_count &&
         model->quaternion_axis[problem->dof_of_column[*column + 1]] > 0 &&
         model->q_of_v[problem->dof_of_column[*column + 1]] == model->q_of_v[v]) {
    ++*column;
  }
  return true;
}

double sinew_problem_distance(const sinew_problem *problem, const double *weights, const double *a,
                              const double *b) {
  const sinew_model *model = problem->model;
  double sum = 0.0;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column], at = model->q_of_v[v];
    if (take_spherical(problem, &column)) {
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
  // Rounding must not take a value out of its limits.
  *least += x + *least * TURN < lower ? 1.0 : 0.0;
  *most -= x + *most * TURN > upper ? 1.0 : 0.0;
}

void sinew_problem_unwind_near(const sinew_problem *problem, const double *to, double *q) {
  const sinew_model *model = problem->model;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column], at = model->q_of_v[v];
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

// A value outside its limits, brought in by full turns if they can.
static double unwound(double x, double lower, double upper) {
  double least, most;
  sinew_whole_turns_within(x, lower, upper, &least, &most);
  return least <= most ? x + (x < lower ? least : most) * TURN : x;
}

void sinew_problem_unwind_into_limits(const sinew_problem *problem, double *q) {
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column], at = problem->model->q_of_v[v];
    const double lower = problem->lower[v], upper = problem->upper[v];
    if ((q[at] < lower || q[at] > upper) && problem->whole_turn[v]) {
      q[at] = unwound(q[at], lower, upper);
    }
  }
}

void sinew_problem_bring_into_limits(const sinew_problem *problem, double *q) {
  const sinew_model *model = problem->model;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column], at = model->q_of_v[v];
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
  sinew_problem_hold_cones(problem, q);
}

static bool is_same_value(const sinew_problem *problem, int column, double distinct, double d) {
  if (fabs(d) > SINEW_PI && problem->whole_turn[problem->dof_of_column[column]]) {
    d -= TURN * floor(d * (1.0 / TURN) + 0.5);
  }
  return fabs(d) < distinct * problem->unit[column];
}

bool sinew_problem_is_same(const sinew_problem *problem, double distinct, const double *a,
                           const double *b) {
  const sinew_column_group *group = problem->groups, *end = group + problem->group_count;
  for (; group < end; ++group) {
    const int at = group->q;
    if (!group->spherical) {
      if (!is_same_value(problem, group->column, distinct, b[at] - a[at])) {
        return false;
      }
      continue;
    }
    double w[3];
    sinew_quaternion_difference(a + at, b + at, w);
    if (!(sinew_norm(w) < distinct)) {
      return false;
    }
  }
  return true;
}
