// The output of sinew solve: tables for people, JSON for programs.
#include "solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "hard_rows.h"
#include "json.h"
#include "message.h"

// Columns of a joint in the table of solutions, or more where its name is longer.
#define SOLUTION_WIDTH 12
#include "scenes/expect.h"
#include "experiments/text.h"

#define DEGREES (180.0 / 3.14159265358979323846)

// The largest errors among an entry's tasks; -1 where none of them has such an error.
static void entry_error(const cli_solve_work *work, int entry, double *position,
                        double *orientation) {
  const cli_task_list *list = &work->list;
  *position = *orientation = -1;
  for (int i = 0; i < list->count; ++i) {
    double distance = 0, angle = 0;
    if (list->entry_of[i] != entry)
      continue;
    sinew_expect_ok(sinew_solver_task_error(work->solver, i, &distance, &angle));
    if (cli_task_has_distance(&list->tasks[i]))
      *position = fmax(*position, distance);
    if (cli_task_has_angle(&list->tasks[i]))
      *orientation = fmax(*orientation, angle);
  }
}

// The link of an entry's tasks; NULL: the centre of mass.
static const char *link_of(const cli_figure *figure, const cli_task_list *list, int entry) {
  for (int i = 0; i < list->count; ++i)
    if (list->entry_of[i] == entry && !list->tasks[i].center_of_mass)
      return sinew_model_link_name(figure->model, list->tasks[i].link);
  return NULL;
}

static json_t *effector_json(const cli_figure *figure, const cli_solve_work *work, int entry) {
  double position, orientation;
  const sinew_task *task = &work->list.tasks[work->list.entries[entry].first];
  const char *link = link_of(figure, &work->list, entry);
  json_t *object = json_object();
  entry_error(work, entry, &position, &orientation);
  cli_json_set(object, "name", cli_json_text(work->list.entries[entry].name));
  if (link)
    cli_json_set(object, "link", cli_json_text(link));
  cli_json_set(object, "level", json_integer(task->level));
  cli_json_set(object, "required", json_boolean(cli_task_is_required(task)));
  cli_json_set(object, "position_error", cli_json_number(fmax(position, 0)));
  cli_json_set(object, "orientation_error", cli_json_number(fmax(orientation, 0)));
  return object;
}

static sinew_objective_report objective_report(const cli_solve_work *work, int i) {
  sinew_objective_report report;
  sinew_expect_ok(sinew_solver_objective(work->solver, i, work->q, &report));
  return report;
}

static json_t *objective_json(const cli_solve_work *work, int i) {
  const sinew_objective_report report = objective_report(work, i);
  json_t *object = json_object();
  cli_json_set(object, "kind",
               json_string(sinew_objective_kind_name(work->list.objectives[i].kind)));
  cli_json_set(object, "level", json_integer(work->list.objectives[i].level));
  if (report.angle >= 0)
    cli_json_set(object, "angle", cli_json_number(report.angle));
  if (report.distance >= 0)
    cli_json_set(object, "distance", cli_json_number(report.distance));
  if (report.value >= 0)
    cli_json_set(object, "value", cli_json_number(report.value));
  return object;
}

static json_t *objectives_json(const cli_solve_work *work) {
  json_t *objectives = json_array();
  for (int i = 0; i < work->list.objective_count; ++i)
    json_array_append_new(objectives, objective_json(work, i));
  return objectives;
}

static const char *limiting_joint(const cli_figure *figure, const sinew_report *report) {
  sinew_joint joint;
  return sinew_model_joint(figure->model, report->limiting_joint, &joint) == SINEW_OK ? joint.name
                                                                                      : NULL;
}

// The branch of the answer, {"shoulder": "left", ...}; NULL where the chain has none.
static json_t *branch_json(const cli_solve_work *work) {
  sinew_branch branch;
  sinew_expect_ok(sinew_solver_branch(work->solver, work->q, &branch));
  json_t *object = branch.count > 0 ? json_object() : NULL;
  for (int i = 0; i < branch.count; ++i)
    cli_json_set(object, branch.names[i], json_string(branch.words[i]));
  return object;
}

// One answer, that of the last call of the solver.
static json_t *answer_json(const cli_figure *figure, const cli_solve_work *work) {
  json_t *effectors = json_array();
  for (int i = 0; i < work->list.entry_count; ++i)
    json_array_append_new(effectors, effector_json(figure, work, i));

  const sinew_report *report = &work->report;
  json_t *object = json_object();
  cli_json_set(object, "outcome", json_string(sinew_outcome_string(report->outcome)));
  cli_json_set(object, "q", cli_json_configuration(figure->model, work->q));
  cli_json_set(object, "position_error", cli_json_number(report->position_error));
  cli_json_set(object, "orientation_error", cli_json_number(report->orientation_error));
  cli_json_set(object, "steps", json_integer(report->steps));
  cli_json_set(object, "completeness",
               json_string(sinew_completeness_string(report->completeness)));
  if (report->continuum > 0)
    cli_json_set(object, "continuum", json_integer(report->continuum));
  cli_json_set(object, "microseconds", cli_json_number(work->microseconds));
  json_t *branch = branch_json(work);
  if (branch)
    cli_json_set(object, "branch", branch);
  const char *joint = limiting_joint(figure, report);
  if (joint)
    cli_json_set(object, "limiting_joint", cli_json_text(joint));
  if (report->reach_task >= 0) {
    cli_json_set(object, "reach", cli_json_number(report->reach));
    cli_json_set(object, "target_distance", cli_json_number(report->target_distance));
  }
  cli_json_set(object, "effectors", effectors);
  if (work->list.objective_count > 0)
    cli_json_set(object, "objectives", objectives_json(work));
  if (sinew_solver_hard_row_count(work->solver) > 0)
    cli_json_set(object, "hard_rows", cli_hard_rows_json(&work->list, work->solver));
  return object;
}

// Makes a solution the answer: a solve that starts at it takes no step and reports its errors.
static void take(cli_solve_work *work, const cli_figure *figure, int solution) {
  size_t values = (size_t)sinew_model_nq(figure->model);
  sinew_report report;
  memcpy(work->q, work->solutions + (size_t)solution * values, values * sizeof(double));
  sinew_expect_ok(sinew_solver_solve_local(work->solver, work->list.targets, work->list.count,
                                           work->q, &report));
  work->report.position_error = report.position_error;
  work->report.orientation_error = report.orientation_error;
}

static void print_json(const cli_request *wanted, const cli_figure *figure, cli_solve_work *work) {
  if (wanted->all == 0) {
    cli_json_print(answer_json(figure, work));
    return;
  }
  json_t *answers = json_array();
  for (int i = 0; i < work->found; ++i) {
    take(work, figure, i);
    json_array_append_new(answers, answer_json(figure, work));
  }
  if (work->found == 0)
    json_array_append_new(answers, answer_json(figure, work));
  cli_json_print(answers);
}

static void print_values(const cli_figure *figure, const double *q) {
  cli_columns columns = cli_columns_create(figure->model, &figure->document->model);
  double *values = cli_allocate((size_t)columns.count, sizeof(double));
  sinew_model_joint_values(figure->model, q, values);
  int width = 5;
  for (int i = 0; i < columns.count; ++i)
    width = text_wider(width, columns.columns[i].name);

  printf("\n  %-*s  %12s\n", width, "joint", "value");
  for (int i = 0; i < columns.count; ++i) {
    const cli_column *column = &columns.columns[i];
    double value = values[column->value_index];
    fputs("  ", stdout);
    text_print(stdout, column->name, width);
    printf("  %12.6f", value);
    if (column->unit == CLI_UNIT_ANGLE)
      printf(" rad  %10.4f deg", DEGREES * value);
    else if (column->unit == CLI_UNIT_LENGTH)
      printf(" %s", figure->length_unit);
    puts(column->q_index < 0 ? "  (coupled)" : "");
  }
  free(values);
  cli_columns_destroy(&columns);
}

static void print_errors(const cli_figure *figure, const cli_solve_work *work) {
  const cli_task_list *list = &work->list;
  int width = 8;
  for (int i = 0; i < list->entry_count; ++i)
    width = text_wider(width, list->entries[i].name);
  printf("\n  %-*s  %16s  %s\n", width, "effector", "position error", "orientation error");
  for (int i = 0; i < list->entry_count; ++i) {
    double position, orientation;
    entry_error(work, i, &position, &orientation);
    fputs("  ", stdout);
    text_print(stdout, list->entries[i].name, width);
    fputs("  ", stdout);
    if (position >= 0)
      printf("%10.3g %-5s", position, figure->length_unit);
    else
      printf("%16s", "-");
    if (orientation >= 0)
      printf("  %.3g rad (%.3g deg)", orientation, DEGREES * orientation);
    else
      fputs("  -", stdout);
    const sinew_task *task = &list->tasks[list->entries[i].first];
    if (task->level > 0 || !cli_task_is_required(task))
      printf("  (level %d, %s)", task->level,
             cli_task_is_required(task) ? "required" : "not required");
    putchar('\n');
  }
}

// Those that have something left; damping has nothing.
static void print_objectives(const cli_figure *figure, const cli_solve_work *work) {
  int shown = 0;
  for (int i = 0; i < work->list.objective_count; ++i) {
    const sinew_objective *objective = &work->list.objectives[i];
    const sinew_objective_report report = objective_report(work, i);
    if (report.angle < 0 && report.distance < 0 && report.value < 0)
      continue;
    if (shown++ == 0)
      puts("\n  objective       level  remaining");
    printf("  %-14s  %5d", sinew_objective_kind_name(objective->kind), objective->level);
    if (report.angle >= 0)
      printf("  %.3g rad", report.angle);
    if (report.distance >= 0)
      printf("  %.3g %s", report.distance, figure->length_unit);
    if (objective->kind == SINEW_OBJECTIVE_MANIPULABILITY)
      printf("  - (it is %.3g)", report.value);
    else if (report.value >= 0)
      printf("  %.3g", report.value);
    putchar('\n');
  }
}

static void print_tables(const cli_figure *figure, const cli_solve_work *work) {
  const sinew_report *report = &work->report;
  printf("%s after %d step%s, %.1f us", sinew_outcome_string(report->outcome), report->steps,
         report->steps == 1 ? "" : "s", work->microseconds);
  const char *joint = limiting_joint(figure, report);
  if (joint) {
    fputs("; most by ", stdout);
    text_print(stdout, joint, 0);
  }
  if (report->reach_task >= 0 && !(report->reach > 0))
    fputs("; no joint moves it there, or two targets contradict each other", stdout);
  else if (report->reach_task >= 0)
    printf("; %.4g %s from the centre of its workspace, which reaches %s %.4g %s",
           report->target_distance, figure->length_unit,
           report->reach > report->target_distance ? "from at least" : "to at most", report->reach,
           figure->length_unit);
  if (report->outcome == SINEW_OUTCOME_NO_TASK)
    fputs("; no task of level 0 is required, lower levels were served", stdout);
  putchar('\n');
  print_values(figure, work->q);
  print_errors(figure, work);
  print_objectives(figure, work);
  cli_hard_rows_print(&work->list, work->solver, figure->length_unit);
}

// What is known of the set of solutions.
static const char *known_of(const cli_request *wanted, const cli_solve_work *work) {
  if (work->found == wanted->all)
    return "there may be more";
  return work->report.completeness == SINEW_SOLUTIONS_COMPLETE ? "complete: there are no others"
         : work->report.completeness == SINEW_SOLUTIONS_GRID
             ? "complete to a grid: others may lie between its values"
             : "searched: others may have been missed";
}

// The branch of work->q, and the end of its line: "  shoulder left, elbow up, wrist flip".
static void print_branch(const cli_solve_work *work) {
  sinew_branch branch;
  sinew_expect_ok(sinew_solver_branch(work->solver, work->q, &branch));
  for (int i = 0; i < branch.count; ++i)
    printf("%s%s %s", i == 0 ? "  " : ", ", branch.names[i], branch.words[i]);
  putchar('\n');
}

// A line a solution, a column a joint.
static void print_solutions(const cli_request *wanted, const cli_figure *figure,
                            cli_solve_work *work) {
  cli_columns columns = cli_columns_create(figure->model, &figure->document->model);
  double *values = cli_allocate((size_t)columns.count, sizeof(double));
  printf("%d solution%s after %d steps, %.1f us, nearest to the seed first [rad, %s]\n%s\n",
         work->found, work->found == 1 ? "" : "s", work->report.steps, work->microseconds,
         figure->length_unit, known_of(wanted, work));
  if (work->report.continuum > 0)
    printf("singular: %d of them %s\n", work->report.continuum,
           work->report.continuum == 1 ? "is one of a continuum" : "are one of a continuum each");
  printf("\n      ");
  for (int i = 0; i < columns.count; ++i) {
    const char *name = columns.columns[i].name;
    int blanks = text_wider(SOLUTION_WIDTH, name) - text_wider(0, name);
    printf("  %*s", blanks, "");
    text_print(stdout, name, 0);
  }
  puts("  position error  orientation error  branch");
  for (int s = 0; s < work->found; ++s) {
    take(work, figure, s);
    sinew_model_joint_values(figure->model, work->q, values);
    printf("%6d", s + 1);
    for (int i = 0; i < columns.count; ++i) {
      int width = text_wider(SOLUTION_WIDTH, columns.columns[i].name);
      printf("  %*.6f", width, values[columns.columns[i].value_index]);
    }
    printf("  %14.3g  %17.3g", work->report.position_error, work->report.orientation_error);
    print_branch(work);
  }
  free(values);
  cli_columns_destroy(&columns);
}

void cli_solve_print(const cli_request *wanted, const cli_figure *figure, cli_solve_work *work) {
  if (wanted->as_json)
    print_json(wanted, figure, work);
  else if (work->found > 0)
    print_solutions(wanted, figure, work);
  else
    print_tables(figure, work);
}
