// sinew solve: joint values that bring links to targets.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bones.h"
#include "command.h"
#include "file.h"
#include "experiments/text.h"
#include "message.h"
#include "method.h"
#include "mistakes.h"
#include "network.h"
#include "progress.h"
#include "solve.h"
#include "tip_tasks.h"

// ---- The command line ----

static int check_tips(const cli_request *wanted) {
  if (wanted->tip_count == 0 && !wanted->tasks)
    return cli_refuse("solve: --tip is missing: --tip LINK and its target, or --tasks FILE.json");
  for (int i = 0; i < wanted->tip_count; ++i) {
    const cli_tip *tip = &wanted->tips[i];
    if (tip->has_axis && !(tip->kinds & (1u << SINEW_TASK_DIRECTION | 1u << SINEW_TASK_LOOK_AT)))
      return cli_refuse("solve: --tip %s has an --axis but no --direction or --look-at", tip->name);
    if (tip->kinds == 0)
      return cli_refuse("solve: --tip %s has no target: --pose, --position, --orientation, "
                        "--rpy, --direction or --look-at must follow it",
                        tip->name);
  }
  return CLI_EXIT_DONE;
}

// Whether the local solver is asked for, and not the search of the whole configuration space.
static bool is_local(const cli_request *wanted) {
  return cli_request_given(wanted, "method") || cli_request_given(wanted, "max-steps") ||
         cli_method_has_constant(wanted);
}

static int check_request(const cli_request *wanted) {
  int kinds = wanted->nearest + wanted->best + (wanted->all > 0);
  if (kinds > 1)
    return cli_refuse("solve: --nearest, --best and --all exclude each other: give one of them");
  if (is_local(wanted) && kinds > 0)
    return cli_refuse("solve: --nearest, --best and --all search the whole configuration space, "
                      "--method, its constants and --max-steps use the local solver: they exclude "
                      "each other");
  if (is_local(wanted) && wanted->network)
    return cli_refuse("solve: --network gives starts of the search, which --method, its constants "
                      "and --max-steps do not use");
  if (wanted->images && wanted->all == 0)
    return cli_refuse("solve: --images needs --all");
  return cli_method_check(wanted);
}

// ---- Solving ----

// Longer than any solve: the solver reads the clock, which shows the time that has passed.
#define NO_TIME_LIMIT 1e9 // [s]

static double watch(void *context) {
  (void)context;
  cli_progress_time("solving");
  return cli_seconds();
}

static void set_clock(const cli_request *wanted, sinew_solver_def *def) {
  bool limited = cli_request_given(wanted, "time-limit");
  if (limited || isatty(STDERR_FILENO)) {
    def->budget.clock = watch;
    def->budget.time_limit = limited ? wanted->time_limit : NO_TIME_LIMIT;
  }
}

static sinew_solver_def solver_def(const cli_request *wanted, const cli_task_list *list) {
  sinew_solver_def def = cli_method_solver(wanted);
  def.tolerances.position = def.tolerances.orientation = wanted->tolerance;
  def.budget.max_steps = wanted->max_steps;
  cli_task_list_size(list, &def);
  if (cli_request_given(wanted, "max-starts"))
    def.budget.max_starts = wanted->max_starts;
  set_clock(wanted, &def);
  return def;
}

static sinew_global_def global_def(const cli_request *wanted, const cli_solve_work *work) {
  sinew_global_def def = sinew_default_global_def();
  def.max_starts = wanted->max_starts;
  def.images = wanted->images;
  def.network = work->network;
  if (wanted->nearest || wanted->best)
    def.mode = wanted->best ? SINEW_GLOBAL_BEST : SINEW_GLOBAL_NEAREST;
  return def;
}

// The solver with all that was asked for; bones keep the lengths that they have in the seed.
static int create_solver(const cli_request *wanted, const cli_figure *figure,
                         cli_solve_work *work) {
  cli_mistakes_warn_tasks(figure->model, &work->list, "solve");
  cli_mistakes_warn_limits(figure->model, &work->list.limits, false, "solve");
  if (work->list.count == 0)
    return cli_refuse("%s: there is no task", wanted->tasks);
  for (int e = 0; e < work->list.entry_count; ++e)
    if (work->list.entries[e].moving)
      return cli_refuse("%s: 'target' is missing", work->list.entries[e].where);
  sinew_solver_def room = {0};
  cli_task_list_size(&work->list, &room);
  if (wanted->nearest && room.lower.levels > 0)
    return cli_refuse("solve: --nearest compares solutions of the required tasks alone: postures, "
                      "damping, lower levels and tasks that are not required exclude it. "
                      "--best --posture start looks for one near the seed");
  if (wanted->all > 0 && room.lower.levels > 0)
    return cli_refuse(
        "solve: --all prints solutions of the required tasks alone: postures, damping, "
        "lower levels and tasks that are not required exclude it");
  sinew_error error = {0};
  const sinew_solver_def def = solver_def(wanted, &work->list);
  if (sinew_solver_create(&def, figure->model, &work->solver, &error) != SINEW_OK)
    return cli_refuse_settings(&error);
  bones kept = cli_bones_find(figure, wanted->stretch);
  int exit_code = cli_task_list_set_tasks(&work->list, figure, kept.frozen, false, work->solver);
  bones_free(&kept);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_task_list_set_objectives(&work->list, work->q, work->solver);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_network_read(wanted->network, figure, work->list.tasks, work->list.count,
                                 &work->network);
  return exit_code;
}

static double microseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

// One answer in work->q.
static sinew_result solve_one(const cli_request *wanted, cli_solve_work *work) {
  if (is_local(wanted))
    return sinew_solver_solve_local(work->solver, work->list.targets, work->list.count, work->q,
                                    &work->report);
  const sinew_global_def def = global_def(wanted, work);
  return sinew_solver_search(work->solver, &def, work->list.targets, work->list.count, work->q,
                             &work->report);
}

// All solutions; where there is none, the closest configuration.
static sinew_result solve_all(const cli_request *wanted, const cli_figure *figure,
                              cli_solve_work *work) {
  const sinew_global_def def = global_def(wanted, work);
  size_t values = (size_t)sinew_model_nq(figure->model);
  work->solutions = cli_allocate((size_t)wanted->all * (values > 0 ? values : 1), sizeof(double));
  sinew_result result =
      sinew_solver_solve_all(work->solver, &def, work->list.targets, work->list.count, work->q,
                             wanted->all, work->solutions, &work->found, &work->report);
  return result == SINEW_OK && work->found == 0 ? solve_one(wanted, work) : result;
}

static int solve(const cli_request *wanted, const cli_figure *figure, cli_solve_work *work) {
  double start = microseconds_now();
  sinew_result result = wanted->all > 0 ? solve_all(wanted, figure, work) : solve_one(wanted, work);
  work->microseconds = microseconds_now() - start;
  cli_progress_wipe();
  if (result != SINEW_OK)
    return cli_refuse("solve: %s", sinew_result_string(result));
  return CLI_EXIT_DONE;
}

static int answer(const cli_request *wanted, cli_figure *figure) {
  cli_solve_work work = {.q = cli_allocate((size_t)sinew_model_nq(figure->model), sizeof(double))};
  int exit_code = cli_tip_tasks_add(wanted, figure, &work.list);
  if (exit_code == CLI_EXIT_DONE) // after the tasks, whose file may have limits
    exit_code = cli_figure_configuration(figure, "--seed", wanted->seed, work.q);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = create_solver(wanted, figure, &work);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = solve(wanted, figure, &work);
  if (exit_code == CLI_EXIT_DONE) {
    cli_solve_print(wanted, figure, &work);
    exit_code = work.report.outcome == SINEW_OUTCOME_CONVERGED ? CLI_EXIT_DONE : CLI_EXIT_UNSOLVED;
  }
  sinew_solver_destroy(work.solver);
  cli_task_list_destroy(&work.list);
  sinew_network_destroy(work.network);
  free(work.q);
  free(work.solutions);
  return exit_code;
}

static int run(cli_request *wanted) {
  if (check_request(wanted) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  cli_figure figure;
  int exit_code = cli_figure_open(wanted->word, wanted->floating_base, &figure);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = check_tips(wanted); // a missing file is told first
  if (exit_code == CLI_EXIT_DONE)
    exit_code = answer(wanted, &figure);
  cli_figure_close(&figure);
  return exit_code;
}

// ---- The command ----

static void set_defaults(cli_request *wanted) {
  const sinew_solver_def def = sinew_default_solver_def();
  wanted->solver = def;
  wanted->seed = "middle";
  wanted->tolerance = def.tolerances.position;
  wanted->max_starts = sinew_default_global_def().max_starts;
  wanted->method = def.step.method;
  wanted->max_steps = def.budget.max_steps;
}

static void print_more(void) {
  char text[512];
  snprintf(text, sizeof text,
           "--method, its constants and --max-steps use the local solver, which starts at the "
           "seed, and tries "
           "other starts only if it finds no solution from there; then --max-starts is %d by "
           "default. The method 'default' is damped least squares, followed by Newton steps.",
           sinew_default_solver_def().budget.max_starts);
  text_wrap(text, 0);
}

const cli_command cli_command_solve = {
    .id = CLI_SOLVE,
    .name = "solve",
    .word = "MODEL",
    .summary = "joint values that bring links to targets",
    .usage = "MODEL [--tip LINK TARGET...]... [--tasks FILE] [OPTION]...",
    .about =
        "Computes joint values that bring links to targets. It searches the whole "
        "configuration space within the joint limits, and prints the first solution it "
        "finds.\n\n"
        "A TARGET is --pose, --position, --orientation, --rpy, --direction or --look-at. It must "
        "follow the --tip it applies to, and is in the frame of the link that --frame names, "
        "else of the root link, or with --floating-base in the fixed frame of the link "
        "'world'. A tasks file can say more: every kind of task, levels, postures, limits "
        "(docs/task_files.md).",
    .print_more = print_more,
    .notes =
        "Lengths are in metres, or in the unit of a BVH. Quaternions are w,x,y,z, of any "
        "length but 0. The manipulability that --best compares is that of Yoshikawa "
        "(1985).\n\n"
        "With --json: one object with outcome, q (from joint name to value), position_error "
        "[m], orientation_error [rad], steps, completeness (of the solutions it "
        "is one of: searched, complete to a grid, complete), where they apply continuum (how many "
        "of "
        "these are one of a continuum, at a singularity), limiting_joint, "
        "reach and target_distance, "
        "microseconds, branch (where the arm has a closed "
        "form, which of the solutions it is, for example {\"shoulder\": \"left\", \"elbow\": "
        "\"up\", \"wrist\": \"no flip\"}; docs/closed_forms.md has the words of other arms) and "
        "effectors, the tasks (each with "
        "name, link if it has one, level, required, and "
        "the two errors). An error of what the target leaves open, the rotation of a "
        "--position for example, is 0. With objectives also objectives (each with kind, level and "
        "what applies of angle, the largest angle [rad] that a joint is from a posture or the "
        "middle of its limits, or that of a limb from its pole; distance, the same of joints that "
        "translate [m]; and value: how far a coupling is from its value, or the manipulability). "
        "With hard tasks also hard_rows, their inequalities "
        "(each with name, where they apply axis and part, its number among those of the name, "
        "rank, side: -1 at the lower end, 1 at the upper end, else 0; and yielded, by how much "
        "it is beyond that end, negative beyond the lower one). With --all: an array of such "
        "objects.\n\n"
        "Outcomes: converged; out_of_reach (proven: no joint values within the limits, "
        "less --margin, reach the targets); "
        "blocked_by_limits (the error would decrease if a joint could leave its limits; "
        "another start may succeed); stalled (a local minimum of the error; another start "
        "may succeed); step_limit (--max-steps is used up); time_limit (--time-limit is "
        "used up); no_task (no task of level 0 is required: lower levels are served, errors "
        "are -1).\n\n"
        "Exit status: 0 converged, or with --all at least one solution; 1 another outcome; 2 "
        "wrong usage or input.",
    .examples = "  sinew solve models/arm7.urdf --tip flange --pose 0.4,0.1,0.5,0,1,0,0\n"
                "  sinew solve models/humanoid.bvh --tip LeftHand --position 50,60,40 \\\n"
                "      --tip RightHand --position -40,0,40 --tip Head --direction 0,0,1 --json\n"
                "  sinew solve models/arm7.urdf --tip flange --pose 0.4,0.1,0.5,0,1,0,0 --all 5\n"
                "  sinew solve models/humanoid.bvh --tip RightHand --frame LeftHand \\\n"
                "      --position 0,0,30 --tip Head --look-at 0,60,200\n"
                "  sinew solve models/humanoid.bvh --tasks examples/tasks/carry.json\n",
    .set_defaults = set_defaults,
    .run = run};
