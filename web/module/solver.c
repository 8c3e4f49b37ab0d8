// Solvers and banks of postures.
#include "module.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_VALUES 12

// A solver with the arrays that JavaScript reads and writes in place.
typedef struct web_solver {
  sinew_solver *solver;
  const sinew_model *model;
  sinew_task *tasks;
  sinew_target *targets;
  int count;
  double *rows;   // targets as rows of numbers, task by task
  double *q;      // nq
  double *twists; // 6 a task; all 0 until JavaScript writes them
  double report[REPORT_VALUES];
} web_solver;

sinew_task web_task(const double *row) {
  sinew_task task = sinew_default_task();
  task.kind = (sinew_task_kind)row[0];
  task.link = (int)row[1];
  memcpy(task.point_l, row + 2, sizeof task.point_l);
  memcpy(task.axis_l, row + 5, sizeof task.axis_l);
  task.free_axes = (unsigned)row[8];
  task.position_weight = row[9];
  task.orientation_weight = row[10];
  task.chain_root = (int)row[11];
  memcpy(task.rotation_l, row + 12, sizeof task.rotation_l);
  memcpy(task.axis_weights, row + 16, sizeof task.axis_weights);
  memcpy(task.range_lower, row + 22, sizeof task.range_lower);
  memcpy(task.range_upper, row + 28, sizeof task.range_upper);
  task.weight_axes = (sinew_task_axes)row[34];
  task.cone_angle = row[35];
  memcpy(task.up_axis, row + 36, sizeof task.up_axis);
  task.level = (int)row[39];
  task.required = (sinew_requirement)row[40];
  task.frame_link = (int)row[41];
  task.center_of_mass = row[42] != 0.0;
  task.influence = row[43];
  task.hard = row[44] != 0.0;
  task.gain = row[45];
  for (int i = 0; i < SINEW_TASK_MOST_EXCLUDED; ++i)
    task.excluded_joints[i] = (int)row[46 + i];
  return task;
}

void web_task_row(const sinew_task *task, double *row) {
  row[0] = task->kind;
  row[1] = task->link;
  memcpy(row + 2, task->point_l, sizeof task->point_l);
  memcpy(row + 5, task->axis_l, sizeof task->axis_l);
  row[8] = task->free_axes;
  row[9] = task->position_weight;
  row[10] = task->orientation_weight;
  row[11] = task->chain_root;
  memcpy(row + 12, task->rotation_l, sizeof task->rotation_l);
  memcpy(row + 16, task->axis_weights, sizeof task->axis_weights);
  memcpy(row + 22, task->range_lower, sizeof task->range_lower);
  memcpy(row + 28, task->range_upper, sizeof task->range_upper);
  row[34] = task->weight_axes;
  row[35] = task->cone_angle;
  memcpy(row + 36, task->up_axis, sizeof task->up_axis);
  row[39] = task->level;
  row[40] = task->required;
  row[41] = task->frame_link;
  row[42] = task->center_of_mass;
  row[43] = task->influence;
  row[44] = task->hard;
  row[45] = task->gain;
  for (int i = 0; i < SINEW_TASK_MOST_EXCLUDED; ++i)
    row[46 + i] = task->excluded_joints[i];
}

// Which fields of a target a task reads: sinew_target_fields.
EXPORT(task_fields) unsigned web_task_fields(const double *row) {
  const sinew_task task = web_task(row);
  return sinew_task_target_fields(&task);
}

static void set(double *field, double value) {
  if (!isnan(value))
    *field = value;
}

static void set_flag(bool *field, double value) {
  if (!isnan(value))
    *field = value != 0.0;
}

static void set_count(int *field, double value) {
  if (!isnan(value))
    *field = (int)value;
}

sinew_solver_def web_solver_def(const double *row, int task_capacity) {
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = task_capacity;
  def.step.method = isnan(row[0]) ? SINEW_METHOD_DEFAULT : (sinew_method)row[0];
  set(&def.step.damping, row[1]);
  set(&def.step.error_damping, row[2]);
  set(&def.step.damping_floor, row[3]);
  set(&def.step.damping_scale, row[4]);
  set(&def.step.error_clamp, row[5]);
  set_flag(&def.step.error_clamp_adaptive, row[6]);
  set(&def.step.max_turn, row[7]);
  set(&def.step.singular_cut, row[8]);
  set_flag(&def.step.target_jacobian, row[9]);
  set(&def.tracking.time_step, row[10]);
  set(&def.tracking.error_gain, row[11]);
  set(&def.tracking.max_change, row[12]);
  set_flag(&def.tracking.escape, row[13]);
  set(&def.tolerances.position, row[14]);
  set(&def.tolerances.orientation, row[15]);
  set_count(&def.budget.max_steps, row[16]);
  set_count(&def.budget.max_starts, row[17]);
  set_count(&def.lanes, row[18]);
  set_count(&def.lower.levels, row[19]);
  set_count(&def.lower.objectives, row[20]);
  set_count(&def.lower.rows, row[21]);
  set_count(&def.influences, row[22]);
  set_flag(&def.tracking.keep_base, row[23]);
  return def;
}

EXPORT(solver_destroy) void web_solver_destroy(web_solver *s) {
  if (s == NULL)
    return;
  sinew_solver_destroy(s->solver);
  free(s->tasks);
  free(s->targets);
  free(s->rows);
  free(s->q);
  free(s->twists);
  free(s);
}

// @param tasks count rows of WEB_TASK_VALUES
// @param settings a row of WEB_SETTING_VALUES
EXPORT(solver_create)
int web_solver_create(const sinew_model *model, const double *tasks, int count,
                      const double *settings, web_solver **out) {
  sinew_solver_def def = web_solver_def(settings, count);
  *out = NULL;
  web_solver *s = calloc(1, sizeof *s);
  if (s == NULL)
    return web_fail_with(SINEW_ERROR_MEMORY, "there is no memory for a solver");
  s->model = model;
  s->count = count;
  s->tasks = calloc((size_t)count + 1, sizeof *s->tasks);
  s->targets = calloc((size_t)count + 1, sizeof *s->targets);
  s->rows = calloc(WEB_TARGET_VALUES * (size_t)count + 1, sizeof *s->rows);
  s->twists = calloc(6 * (size_t)count + 1, sizeof *s->twists);
  s->q = calloc((size_t)sinew_model_nq(model) + 1, sizeof *s->q);
  if (s->tasks == NULL || s->targets == NULL || s->rows == NULL || s->twists == NULL ||
      s->q == NULL) {
    web_solver_destroy(s);
    return web_fail_with(SINEW_ERROR_MEMORY, "there is no memory for a solver");
  }
  double *values = s->rows;
  for (int i = 0; i < count; ++i) {
    s->tasks[i] = web_task(tasks + WEB_TASK_VALUES * i);
    s->targets[i] = sinew_default_target();
    sinew_target_pack(&s->tasks[i], &s->targets[i], values);
    values += sinew_task_target_size(&s->tasks[i]);
  }
  sinew_configuration_middle(model, s->q);
  def.hard_rows = sinew_task_hard_rows(s->tasks, count);
  sinew_result result = sinew_solver_create(&def, model, &s->solver, &web_error);
  if (result == SINEW_OK)
    result = sinew_solver_set_tasks(s->solver, s->tasks, count, &web_error);
  if (result != SINEW_OK)
    web_solver_destroy(s);
  else
    *out = s;
  return result;
}

// The addresses of q, targets, twists and the report, and the number of values of targets.
EXPORT(solver_arrays) void web_solver_arrays(web_solver *s, size_t addresses[5]) {
  addresses[0] = (size_t)s->q;
  addresses[1] = (size_t)s->rows;
  addresses[2] = (size_t)s->twists;
  addresses[3] = (size_t)s->report;
  addresses[4] = 0;
  for (int i = 0; i < s->count; ++i)
    addresses[4] += (size_t)sinew_task_target_size(&s->tasks[i]);
}

static void unpack_targets(web_solver *s) {
  const double *row = s->rows;
  for (int i = 0; i < s->count; ++i) {
    sinew_target_unpack(&s->tasks[i], row, &s->targets[i]);
    memcpy(s->targets[i].twist, s->twists + 6 * (size_t)i, sizeof s->targets[i].twist);
    row += sinew_task_target_size(&s->tasks[i]);
  }
}

static int end_call(web_solver *s, sinew_result result, const sinew_report *report) {
  const double values[REPORT_VALUES] = {
      report->outcome,         report->position_error, report->orientation_error,
      report->steps,           report->limiting_joint, report->worst_task,
      report->counted_tasks,   report->reach_task,     report->reach,
      report->target_distance, report->completeness,   report->continuum};
  memcpy(s->report, values, sizeof values);
  return result == SINEW_OK ? result : web_fail(sinew_solver_last_error(s->solver));
}

EXPORT(solver_update) int web_solver_update(web_solver *s) {
  sinew_report report;
  unpack_targets(s);
  return end_call(s, sinew_solver_update(s->solver, s->targets, s->count, s->q, &report), &report);
}

EXPORT(solver_solve_local) int web_solver_solve_local(web_solver *s) {
  sinew_report report;
  unpack_targets(s);
  return end_call(s, sinew_solver_solve_local(s->solver, s->targets, s->count, s->q, &report),
                  &report);
}

// @param max_starts 0: the default
// @param bank may be NULL
EXPORT(solver_search)
int web_solver_search(web_solver *s, int mode, int max_starts, const sinew_bank *bank) {
  sinew_global_def def = sinew_default_global_def();
  def.mode = (sinew_global_mode)mode;
  def.bank = bank;
  if (max_starts > 0)
    def.max_starts = max_starts;
  sinew_report report;
  unpack_targets(s);
  return end_call(s, sinew_solver_search(s->solver, &def, s->targets, s->count, s->q, &report),
                  &report);
}

// @param solutions capacity x nq values
EXPORT(solver_solve_all)
int web_solver_solve_all(web_solver *s, int max_starts, double distinct, int images,
                         const sinew_bank *bank, int capacity, double *solutions, int *found) {
  sinew_global_def def = sinew_default_global_def();
  def.bank = bank;
  def.images = images != 0;
  set(&def.distinct, distinct);
  if (max_starts > 0)
    def.max_starts = max_starts;
  sinew_report report;
  unpack_targets(s);
  *found = 0;
  return end_call(s,
                  sinew_solver_solve_all(s->solver, &def, s->targets, s->count, s->q, capacity,
                                         solutions, found, &report),
                  &report);
}

// The name and the word of each sign of the branch of q, as addresses of strings.
// @param q nq values
// @param words 2 x SINEW_BRANCH_SIGNS
// @param count receives the number of signs
EXPORT(solver_branch)
int web_solver_branch(web_solver *s, const double *q, const char **words, int *count) {
  sinew_branch branch;
  const sinew_result result = sinew_solver_branch(s->solver, q, &branch);
  *count = branch.count;
  for (int i = 0; i < branch.count; ++i) {
    words[2 * i] = branch.names[i];
    words[2 * i + 1] = branch.words[i];
  }
  return result == SINEW_OK ? result : web_fail_with(result, "q has a value that is not finite");
}

EXPORT(solver_reset) void web_solver_reset(web_solver *s) {
  sinew_solver_reset(s->solver);
}

static int refuse_or_not(web_solver *s, sinew_result result) {
  return result == SINEW_OK ? result : web_fail(sinew_solver_last_error(s->solver));
}

EXPORT(solver_set_frozen) int web_solver_set_frozen(web_solver *s, const unsigned char *frozen) {
  return refuse_or_not(s, sinew_solver_set_frozen(s->solver, frozen));
}

EXPORT(solver_set_gains) int web_solver_set_gains(web_solver *s, const double *gains) {
  return refuse_or_not(s, sinew_solver_set_gains(s->solver, gains));
}

EXPORT(solver_set_limits)
int web_solver_set_limits(web_solver *s, const double *lower, const double *upper) {
  return refuse_or_not(s, sinew_solver_set_limits(s->solver, lower, upper));
}

EXPORT(solver_set_influences) int web_solver_set_influences(web_solver *s, const double *values) {
  return refuse_or_not(s, sinew_solver_set_influences(s->solver, values, s->count));
}

// A row of an objective: kind, level, weight, gain, value, kind and link and point (3) of its task,
// links of a pole (3), pole (3), whether that is a direction, and whether there are weights (nv),
// posture (nq) and coefficients (nv), which follow all rows in this order, for each objective.
#define OBJECTIVE_VALUES 20

static void read_objective(const sinew_model *model, const double *row, const double **arrays,
                           sinew_task *task, sinew_objective *objective) {
  const int nq = sinew_model_nq(model), nv = sinew_model_nv(model);
  *objective = sinew_default_objective();
  objective->kind = (sinew_objective_kind)row[0];
  objective->level = (int)row[1];
  objective->weight = row[2];
  objective->gain = row[3];
  objective->value = row[4];
  *task = sinew_default_task();
  task->kind = (sinew_task_kind)row[5];
  task->link = (int)row[6];
  memcpy(task->point_l, row + 7, sizeof task->point_l);
  objective->task = task;
  for (int i = 0; i < 3; ++i)
    objective->links[i] = (int)row[10 + i];
  memcpy(objective->pole, row + 13, sizeof objective->pole);
  objective->pole_is_direction = row[16] != 0.0;
  const double **fields[] = {&objective->weights, &objective->posture, &objective->coefficients};
  for (int i = 0; i < 3; ++i)
    if (row[17 + i] != 0.0) {
      *fields[i] = *arrays;
      *arrays += i == 1 ? nq : nv;
    }
}

// @param rows count of OBJECTIVE_VALUES, and the arrays
EXPORT(solver_set_objectives)
int web_solver_set_objectives(web_solver *s, const double *rows, int count) {
  sinew_objective *objectives = calloc((size_t)count + 1, sizeof *objectives);
  sinew_task *tasks = calloc((size_t)count + 1, sizeof *tasks);
  sinew_result result = SINEW_ERROR_MEMORY;
  if (objectives == NULL || tasks == NULL)
    web_fail_with(result, "there is no memory for objectives");
  else {
    const double *arrays = rows + (size_t)OBJECTIVE_VALUES * (size_t)count;
    for (int i = 0; i < count; ++i)
      read_objective(s->model, rows + OBJECTIVE_VALUES * i, &arrays, &tasks[i], &objectives[i]);
    result = sinew_solver_set_objectives(s->solver, objectives, count, &web_error);
  }
  free(objectives);
  free(tasks);
  return result;
}

// Position and orientation error of each task: 2 x count.
EXPORT(solver_task_errors) void web_solver_task_errors(const web_solver *s, double *errors) {
  for (int i = 0; i < s->count; ++i)
    if (sinew_solver_task_error(s->solver, i, errors + 2 * i, errors + 2 * i + 1) != SINEW_OK)
      errors[2 * i] = errors[2 * i + 1] = -1.0;
}

EXPORT(solver_hard_row_count) int web_solver_hard_row_count(const web_solver *s) {
  return sinew_solver_hard_row_count(s->solver);
}

// Task, axis, rank, side and yielded of each inequality of hard tasks: 5 x count.
EXPORT(solver_hard_rows) void web_solver_hard_rows(const web_solver *s, double *rows) {
  sinew_hard_row_report report;
  for (int i = 0; sinew_solver_hard_row(s->solver, i, &report) == SINEW_OK; ++i, rows += 5) {
    const double values[5] = {report.task, report.axis, report.rank, report.side, report.yielded};
    memcpy(rows, values, sizeof values);
  }
}

// Angle, distance and value of each objective at the solver's q: 3 x count.
EXPORT(solver_objective_reports)
int web_solver_objective_reports(web_solver *s, double *rows, int count) {
  sinew_result result = SINEW_OK;
  for (int i = 0; i < count && result == SINEW_OK; ++i, rows += 3) {
    sinew_objective_report report;
    result = sinew_solver_objective(s->solver, i, s->q, &report);
    const double values[3] = {report.angle, report.distance, report.value};
    memcpy(rows, values, sizeof values);
  }
  return result == SINEW_OK ? result : web_fail(sinew_solver_last_error(s->solver));
}

EXPORT(outcome_name) const char *web_outcome_name(int outcome) {
  return sinew_outcome_string((sinew_outcome)outcome);
}

// The name, label and description of a method, by what: 0, 1, 2. NULL: there is no such method.
EXPORT(method_text) const char *web_method_text(int method, int what) {
  const sinew_method_info *info = sinew_method_info_of(method);
  if (info == NULL)
    return NULL;
  return what == 0 ? info->name : what == 1 ? info->label : info->description;
}

EXPORT(bank_create)
int web_bank_create(const web_solver *s, int postures, double random_seed, sinew_bank **bank) {
  sinew_bank_def def = sinew_default_bank_def();
  if (postures > 0)
    def.postures = postures;
  if (!isnan(random_seed))
    def.random_seed = (uint64_t)random_seed;
  return sinew_bank_create(&def, s->model, s->tasks, s->count, bank, &web_error);
}

EXPORT(bank_destroy) void web_bank_destroy(sinew_bank *bank) {
  sinew_bank_destroy(bank);
}
