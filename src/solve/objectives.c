// Objectives: their kinds, defaults, checks, and how a solver takes them. Their rows are in
// objective_rows.c.
#include "base/error.h"
#include "math/vector.h"
#include "solve/solver.h"

#include <string.h>

static const char *const kind_names[] = {
    [SINEW_OBJECTIVE_POSTURE] = "posture",
    [SINEW_OBJECTIVE_DAMPING] = "damping",
    [SINEW_OBJECTIVE_LOW_CHANGE] = "low_change",
    [SINEW_OBJECTIVE_LIMITS] = "limits",
    [SINEW_OBJECTIVE_COUPLING] = "coupling",
    [SINEW_OBJECTIVE_MANIPULABILITY] = "manipulability",
    [SINEW_OBJECTIVE_CALLBACK] = "callback",
    [SINEW_OBJECTIVE_POLE] = "pole",
};

const char *sinew_objective_kind_name(sinew_objective_kind kind) {
  return (int)kind >= 0 && kind < SINEW_OBJECTIVE_COUNT ? kind_names[kind] : NULL;
}

void sinew_objective_init(sinew_objective *objective, size_t size) {
  const sinew_objective defaults = {.cookie = SINEW_COOKIE_OBJECTIVE,
                                    .size = sizeof defaults,
                                    .level = 1,
                                    .weight = 1.0,
                                    .gain = 1.0};
  sinew_definition_init(objective, size, &defaults);
}

static sinew_result refuse(sinew_error *error, sinew_result code, int i, const char *what) {
  return sinew_error_set(error, code, NULL, "objective %d: %s", i, what);
}

int sinew_objective_rows(const sinew_objective *objective) {
  return objective->kind == SINEW_OBJECTIVE_POLE       ? 1
         : objective->kind == SINEW_OBJECTIVE_COUPLING ? 1
         : objective->kind == SINEW_OBJECTIVE_CALLBACK ? objective->rows
                                                       : 0;
}

// Whether the kind has a term for each joint, with a weight of its own.
static bool has_weights(const sinew_objective *objective) {
  return objective->kind <= SINEW_OBJECTIVE_LIMITS;
}

static sinew_result check_coupling(const sinew_objective *objective, const sinew_model *model,
                                   int i, sinew_error *error) {
  bool some = false;
  if (objective->coefficients == NULL) {
    return refuse(error, SINEW_ERROR_ARGUMENT, i, "coefficients is NULL");
  }
  if (!sinew_is_usable(objective->value)) {
    return refuse(error, SINEW_ERROR_NOT_FINITE, i, "value is not a finite number below 1e100");
  }
  for (int v = 0; v < model->nv; ++v) {
    const double c = objective->coefficients[v];
    if (!sinew_is_usable(c)) {
      return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL,
                             "objective %d: coefficients[%d] is %g", i, v, c);
    }
    if (c != 0.0 && model->quaternion_axis[v] >= 0) {
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                             "objective %d: coefficients[%d] is of a spherical joint, not 0", i, v);
    }
    some |= c != 0.0;
  }
  return some ? SINEW_OK : refuse(error, SINEW_ERROR_ARGUMENT, i, "coefficients are all 0");
}

static sinew_result check_measured(const sinew_objective *objective, const sinew_model *model,
                                   int i, sinew_error *error) {
  const sinew_task *task = objective->task;
  if (task == NULL) {
    return refuse(error, SINEW_ERROR_ARGUMENT, i, "task is NULL");
  }
  const sinew_result result = sinew_task_check(task, model, i, error);
  if (result != SINEW_OK) {
    return result;
  }
  if (task->kind > SINEW_TASK_POSE || task->center_of_mass || task->frame_link >= 0 ||
      task->free_axes != 0) {
    return refuse(error, SINEW_ERROR_ARGUMENT, i,
                  "task is no POSITION, ORIENTATION or POSE of a link, or has free_axes or a "
                  "frame_link");
  }
  return SINEW_OK;
}

// Whether a link is above another, and not the same.
static bool is_above(const sinew_model *model, int above, int link) {
  while (link != above && model->link_joint[link] >= 0) {
    link = model->joints[model->link_joint[link]].parent;
    if (link == above) {
      return true;
    }
  }
  return false;
}

// Whether the origins of a link and of one below it coincide whatever the joints between them do.
// x is the lower one's in the frame of node n, and stays there if no joint moves it.
static bool stay_together(const sinew_model *model, int above, int below) {
  const int end = model->link_node[above];
  const double least = 1e-9 * model->size;
  double x[3], origin[3];
  sinew_frame_get(&model->link_offsets[below], NULL, x);
  for (int n = model->link_node[below]; n > end; n = model->nodes[n].parent) {
    const sinew_node_kind kind = model->nodes[n].kind;
    const double off_axis = sinew_max(fabs(x[0]), fabs(x[1]));
    const bool stays = (kind == SINEW_NODE_REVOLUTE && off_axis <= least) ||
                       (kind == SINEW_NODE_SPHERICAL && sinew_norm(x) <= least);
    if (!stays) {
      return false;
    }
    sinew_frame_transform(&model->placements[n], x, x);
  }
  sinew_frame_get(&model->link_offsets[above], NULL, origin);
  sinew_subtract(x, origin, x);
  return sinew_norm(x) <= least;
}

static sinew_result check_pole(const sinew_objective *objective, const sinew_model *model, int i,
                               sinew_error *error) {
  const int *links = objective->links;
  for (int k = 0; k < 3; ++k) {
    if (links[k] < 0 || links[k] >= model->link_count) {
      return sinew_error_set(error, SINEW_ERROR_INDEX, NULL,
                             "objective %d: links[%d], %d, is out of range", i, k, links[k]);
    }
  }
  if (!is_above(model, links[0], links[1]) || !is_above(model, links[1], links[2])) {
    return refuse(error, SINEW_ERROR_ARGUMENT, i, "links are not one above the other");
  }
  for (int k = 0; k < 3; ++k) { // root and middle, middle and end, root and end
    const int above = k == 1 ? 1 : 0, below = k == 0 ? 1 : 2;
    if (stay_together(model, links[above], links[below])) {
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                             "objective %d: links: %s and %s are always at the same place, so that "
                             "the limb has no length",
                             i, model->link_names[links[above]], model->link_names[links[below]]);
    }
  }
  return sinew_is_usable3(objective->pole)
             ? SINEW_OK
             : refuse(error, SINEW_ERROR_NOT_FINITE, i, "pole is not finite");
}

// The gradient of manipulability needs second derivatives, which a function does not give.
static sinew_result check_gradient(const sinew_objective *objective, const sinew_model *model,
                                   int i, sinew_error *error) {
  for (int n = model->link_node[objective->task->link]; n >= 0; n = model->nodes[n].parent) {
    if (model->nodes[n].kind == SINEW_NODE_FUNCTION) {
      return refuse(error, SINEW_ERROR_ARGUMENT, i,
                    "manipulability has no gradient where a joint with a function moves the link");
    }
  }
  return SINEW_OK;
}

// The fields of some kinds alone.
static sinew_result check_kind(const sinew_objective *objective, const sinew_model *model, int i,
                               sinew_error *error) {
  if (!has_weights(objective) && objective->weights != NULL) {
    return refuse(error, SINEW_ERROR_ARGUMENT, i, "weights are not of this kind");
  }
  switch (objective->kind) {
  case SINEW_OBJECTIVE_COUPLING:
    return check_coupling(objective, model, i, error);
  case SINEW_OBJECTIVE_MANIPULABILITY: {
    const sinew_result result = check_measured(objective, model, i, error);
    return result == SINEW_OK ? check_gradient(objective, model, i, error) : result;
  }
  case SINEW_OBJECTIVE_POLE:
    return check_pole(objective, model, i, error);
  case SINEW_OBJECTIVE_CALLBACK:
    if (objective->function == NULL || objective->rows < 1 || objective->rows > 1000) {
      return refuse(error, SINEW_ERROR_ARGUMENT, i,
                    objective->function == NULL ? "function is NULL"
                                                : "rows is not within 1 and 1000");
    }
    return SINEW_OK;
  default:
    return SINEW_OK;
  }
}

sinew_result sinew_objective_check(const sinew_objective *objective, const sinew_model *model,
                                   int levels, int i, sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_OBJECTIVE, sizeof *objective,
                                              "sinew_objective", "sinew_default_objective()",
                                              "objective"};
  if (sinew_definition_check(objective, &definition, i, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  if (sinew_objective_kind_name(objective->kind) == NULL) {
    return refuse(error, SINEW_ERROR_ARGUMENT, i, "kind does not exist");
  }
  if (objective->level < 1) {
    return refuse(error, SINEW_ERROR_ARGUMENT, i, "level is not 1 or more");
  }
  if (objective->level > levels) {
    return sinew_error_set(error, SINEW_ERROR_CAPACITY, NULL,
                           "objective %d: level %d is more than lower.levels, %d", i,
                           objective->level, levels);
  }
  if (!(objective->weight >= 0.0 && objective->weight <= 1e6)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, i, "weight is not within 0 and 1e6");
  }
  if (!(objective->gain > 0.0 && objective->gain <= 1.0)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, i, "gain is not above 0 and at most 1");
  }
  const sinew_result own = check_kind(objective, model, i, error);
  if (own != SINEW_OK) {
    return own;
  }
  for (int v = 0; objective->weights != NULL && v < model->nv; ++v) {
    if (!(objective->weights[v] >= 0.0 && objective->weights[v] <= 1e6)) {
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                             "objective %d: weights[%d], %g, is not within 0 and 1e6", i, v,
                             objective->weights[v]);
    }
  }
  for (int k = 0; objective->posture != NULL && k < model->nq; ++k) {
    if (!sinew_is_usable(objective->posture[k])) {
      return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL,
                             "objective %d: posture[%d] is not a finite number of size below 1e100",
                             i, k);
    }
  }
  return SINEW_OK;
}

static sinew_result check_objectives(sinew_solver *solver, const sinew_objective *objectives,
                                     int count) {
  sinew_error *error = &solver->error;
  if (count < 0 || (count > 0 && objectives == NULL)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                           "objectives is NULL or count negative");
  }
  if (count > solver->def.lower.objectives) {
    return sinew_error_set(error, SINEW_ERROR_CAPACITY, NULL,
                           "%d objectives are more than lower.objectives, %d", count,
                           solver->def.lower.objectives);
  }
  sinew_result result = SINEW_OK;
  int rows = 0;
  for (int i = 0; i < count && result == SINEW_OK; ++i) {
    result = sinew_objective_check(&objectives[i], solver->model, solver->levels->most, i, error);
    rows += result == SINEW_OK ? sinew_objective_rows(&objectives[i]) : 0;
    if (result == SINEW_OK && rows > solver->def.lower.rows) {
      result = sinew_error_set(error, SINEW_ERROR_CAPACITY, NULL,
                               "objective %d: with its rows there are %d, more than lower.rows, %d",
                               i, rows, solver->def.lower.rows);
    }
  }
  return result;
}

// Sets the values of all degrees of freedom to 0 that do not move a link.
static void keep_path(const sinew_model *model, int link, double *values) {
  for (int v = 0; v < model->nv; ++v) {
    values[v] = -values[v];
  }
  for (int n = model->link_node[link]; n >= 0; n = model->nodes[n].parent) {
    const sinew_node *node = &model->nodes[n];
    for (int i = 0; i < (node->kind == SINEW_NODE_SPHERICAL ? 3 : 1); ++i) {
      values[node->v + i] = fabs(values[node->v + i]);
    }
  }
  for (int v = 0; v < model->nv; ++v) {
    values[v] = sinew_max(values[v], 0.0);
  }
}

// Copies objective i, and its arrays into the solver's.
static void take_objective(sinew_solver *solver, const sinew_objective *objective, int i) {
  sinew_levels *levels = solver->levels;
  const int nv = solver->model->nv, nq = solver->model->nq;
  double *weights = levels->weights + i * sinew_level_stride(nv);
  double *posture = levels->postures + i * sinew_level_stride(nq);
  levels->objectives[i] = *objective;
  levels->objectives[i].weights = weights;
  levels->objectives[i].posture = posture;
  levels->objectives[i].coefficients = posture;
  levels->objectives[i].task = &levels->measured[i];
  for (int v = 0; v < nv; ++v) {
    weights[v] = objective->weight * (objective->weights != NULL ? objective->weights[v] : 1.0);
  }
  if (objective->kind == SINEW_OBJECTIVE_MANIPULABILITY) {
    levels->measured[i] = *objective->task;
    keep_path(solver->model, objective->task->link, weights);
  }
  if (objective->kind == SINEW_OBJECTIVE_POLE) {
    keep_path(solver->model, objective->links[2], weights);
  }
  if (objective->kind == SINEW_OBJECTIVE_COUPLING) {
    memcpy(posture, objective->coefficients, (size_t)nv * sizeof(double));
    for (int v = 0; v < nv; ++v) {
      weights[v] = objective->coefficients[v] != 0.0 ? objective->weight : 0.0;
    }
  } else if (objective->posture != NULL) {
    memcpy(posture, objective->posture, (size_t)nq * sizeof(double));
  } else {
    sinew_configuration_start(solver->model, posture);
  }
}

sinew_result sinew_solver_set_objectives(sinew_solver *solver, const sinew_objective *objectives,
                                         int count, sinew_error *error) {
  SINEW_ASSERT(solver != NULL);
  if (check_objectives(solver, objectives, count) != SINEW_OK) {
    if (error != NULL) {
      *error = solver->error;
    }
    return solver->error.code;
  }
  for (int i = 0; i < count; ++i) {
    take_objective(solver, &objectives[i], i);
  }
  if (solver->levels->most > 0) {
    solver->levels->objective_count = count;
    sinew_levels_take(solver);
  }
  sinew_result result = SINEW_OK;
  for (int s = 0; s < solver->influence.most && result == SINEW_OK; ++s) {
    result = sinew_solver_set_objectives(solver->influence.solvers[s], objectives, count, error);
  }
  return result;
}

// ------------------------------------------------------------------- callbacks

// The joint of a degree of freedom.
static const char *joint_name(const sinew_model *model, int v) {
  int j = 0;
  while (model->joints[j].nv == 0 || v >= model->joints[j].v_index + model->joints[j].nv) {
    ++j;
  }
  return model->joints[j].name;
}

// The worst entry of a derivative.
typedef struct worst_entry {
  int row, v;
  double given, difference, excess; // excess: of the tolerance, times its size or 1
} worst_entry;

// Compares one column with central differences; levels.rates has the residual, J and room for
// another.
static void compare(sinew_solver *solver, const sinew_objective *objective, const double *q, int v,
                    worst_entry *worst) {
  const double h = 1e-6;
  sinew_levels *levels = solver->levels;
  const int rows = objective->rows, nv = solver->model->nv;
  double *J = levels->rates + rows, *after = J + rows * nv, *before = levels->rates;
  sinew_zero((size_t)nv, levels->aim);
  levels->aim[v] = -h;
  sinew_configuration_integrate(solver->model, q, levels->aim, levels->next);
  objective->function(objective->context, levels->next, before, NULL);
  levels->aim[v] = h;
  sinew_configuration_integrate(solver->model, q, levels->aim, levels->next);
  objective->function(objective->context, levels->next, after, NULL);
  for (int r = 0; r < rows; ++r) {
    const double given = J[r * nv + v], difference = (after[r] - before[r]) / (2.0 * h);
    const double excess = fabs(given - difference) / sinew_max(1.0, fabs(difference));
    if (!(excess <= worst->excess)) { // NaN is worst
      *worst = (worst_entry){r, v, given, difference, excess == excess ? excess : INFINITY};
    }
  }
}

sinew_result sinew_solver_check_callback(sinew_solver *solver, int objective, const double *q,
                                         double tolerance, sinew_error *error) {
  SINEW_ASSERT(solver != NULL && q != NULL);
  sinew_levels *levels = solver->levels;
  if (levels->most == 0 || objective < 0 || objective >= levels->objective_count) {
    return sinew_error_set(error, SINEW_ERROR_INDEX, NULL, "objective %d does not exist",
                           objective);
  }
  const sinew_objective *given = &levels->objectives[objective];
  if (given->kind != SINEW_OBJECTIVE_CALLBACK) {
    return refuse(error, SINEW_ERROR_ARGUMENT, objective, "is no callback");
  }
  const sinew_result usable = sinew_configuration_explain(solver->model, q, &solver->error);
  if (usable != SINEW_OK) {
    if (error != NULL) {
      *error = solver->error;
    }
    return usable;
  }
  worst_entry worst = {.excess = 0.0};
  given->function(given->context, q, levels->rates, levels->rates + given->rows);
  for (int v = 0; v < solver->model->nv; ++v) {
    compare(solver, given, q, v, &worst);
  }
  return worst.excess <= tolerance
             ? SINEW_OK
             : sinew_error_set(error, SINEW_ERROR_ARGUMENT, joint_name(solver->model, worst.v),
                               "objective %d: jacobian[%d][%d] is %g, by differences %g", objective,
                               worst.row, worst.v, worst.given, worst.difference);
}
