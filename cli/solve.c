// sinew solve: joint values that bring links to targets.
#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "figure.h"
#include "message.h"
#include "method.h"
#include "number.h"
#include "options.h"
#include "solve.h"

// More would be for a program, not for a person.
#define MOST_SOLUTIONS 1000000

static const char help[] =
    "usage: sinew solve MODEL --tip LINK TARGET... [--tip LINK TARGET...] ...\n"
    "                   [--seed v,v,...|middle|zero] [--nearest | --best | --all N [--images]]\n"
    "                   [--tolerance T] [--max-starts N] [--method M] [--max-steps N]\n"
    "                   [--floating-base] [--json]\n"
    "\n"
    "Prints joint values that bring links to targets, looked for from everywhere. A\n"
    "target belongs to the --tip before it, and is in the root link's frame.\n"
    "\n"
    "  --tip LINK                     the link to bring there\n"
    "  --pose x,y,z,qw,qx,qy,qz       where its frame shall be\n"
    "  --position x,y,z               where its origin shall be\n"
    "  --orientation qw,qx,qy,qz      how it shall be turned\n"
    "  --direction x,y,z              where its z axis shall point\n"
    "  --axis x,y,z                   another axis of the link for --direction\n"
    "  --seed v,v,...  where to start: joint values [rad, m] in the order of\n"
    "                  'sinew info', coupled joints left out; middle: of the limits\n"
    "                  (the default); zero: 0, or the limit nearest to it\n"
    "  --nearest       of all solutions that are found, the nearest to the seed; default:\n"
    "                  the first\n"
    "  --best          the most manipulable of them\n"
    "  --all N         all of them, up to N, nearest to the seed first; of more joints than\n"
    "                  the targets need, N samples\n"
    "  --images        with --all: solutions a whole turn apart count as well\n"
    "  --tolerance T   largest error of a target [m and rad]; default %g\n"
    "  --max-starts N  starts at most, the seed and others, the same in every run; default\n"
    "                  %d; 1: the seed alone, for an answer near it\n"
    "  --method M      descends from the seed, and elsewhere only where that leads to no\n"
    "                  answer, by: default (damped least squares, then Newton's step),\n"
    "                  transpose, pseudoinverse, dls, sdls or newton; at most %d starts\n"
    "  --max-steps N   of a method (default, where none is named), over all starts;\n"
    "                  default %d\n"
    "  --floating-base of a URDF: its root may be anywhere; q begins with where it is,\n"
    "                  x,y,z,qw,qx,qy,qz, and targets are in a frame that stands still\n"
    "  --json          one object: outcome, q (by joint), position_error [m],\n"
    "                  orientation_error [rad], steps, microseconds, effectors; with\n"
    "                  --all an array of such\n"
    "  --help          this text\n"
    "\n"
    "Lengths of a BVH are in the file's own unit. Quaternions are w,x,y,z, of any\n"
    "length but 0.\n"
    "\n"
    "outcomes: converged; out_of_reach (no joint values can do it); blocked_by_limits;\n"
    "stalled (another start may do better); step_limit\n"
    "exit: 0 converged, with --all once at least; 1 another outcome; 2 bad usage or input\n"
    "\n"
    "examples:\n"
    "  sinew solve models/arm7.urdf --tip flange --pose 0.4,0.1,0.5,0,1,0,0\n"
    "  sinew solve models/humanoid.bvh --tip LeftHand --position 50,60,40 \\\n"
    "      --tip RightHand --position -40,0,40 --tip Head --direction 0,0,1 --json\n"
    "  sinew solve models/arm7.urdf --tip flange --pose 0.4,0.1,0.5,0,1,0,0 --all 5\n";

static void print_help(void) {
  const sinew_solver_def def = sinew_default_solver_def();
  printf(help, def.position_tolerance, sinew_default_global_def().max_attempts, def.max_attempts,
         def.max_steps);
}

// ---- The command line ----

typedef struct target_option {
  const char *name;
  const char *wanted;
  int count;
} target_option;

enum {
  TIP = CLI_OPTION_FIRST,
  POSE,
  POSITION,
  ORIENTATION,
  DIRECTION,
  AXIS,
  SEED,
  TOLERANCE,
  MAX_STEPS,
  MAX_STARTS,
  METHOD,
  NEAREST,
  BEST,
  ALL,
  IMAGES,
  JSON,
  HELP
};

static const target_option target_options[] = {
    [POSE - POSE] = {"--pose", "x,y,z,qw,qx,qy,qz", 7},
    [POSITION - POSE] = {"--position", "x,y,z", 3},
    [ORIENTATION - POSE] = {"--orientation", "qw,qx,qy,qz", 4},
    [DIRECTION - POSE] = {"--direction", "x,y,z", 3},
    [AXIS - POSE] = {"--axis", "x,y,z", 3},
};

// Sets what an option says of a tip; false where the tip has it already.
static bool set_target(cli_solve_effector *tip, int option, const double *values) {
  bool *flags[] = {&tip->posed, &tip->positioned, &tip->oriented, &tip->directed, &tip->has_axis};
  double *places[] = {tip->target.position, tip->target.position, tip->target.rotation,
                      tip->target.direction, tip->axis_l};
  bool taken = *flags[option - POSE];
  taken = taken || (option == POSE && (tip->positioned || tip->oriented));
  taken = taken || ((option == POSITION || option == ORIENTATION) && tip->posed);
  if (taken)
    return false;

  *flags[option - POSE] = true;
  int count = option == POSE ? 3 : target_options[option - POSE].count;
  memcpy(places[option - POSE], values, (size_t)count * sizeof(double));
  if (option == POSE)
    memcpy(tip->target.rotation, values + 3, 4 * sizeof(double));
  return true;
}

static bool is_zero(const double *values, int count) {
  for (int i = 0; i < count; ++i)
    if (values[i] != 0)
      return false;
  return true;
}

static int parse_target(cli_solve_request *wanted, int option) {
  const target_option *kind = &target_options[option - POSE];
  if (wanted->effector_count == 0)
    return cli_refuse("solve: %s belongs behind the --tip that it is for", kind->name);

  double values[7];
  if (cli_option_numbers(kind->name, optarg, kind->wanted, values, kind->count) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  int turn = option == POSE ? 3 : 0;
  if (option != POSITION && is_zero(values + turn, kind->count - turn))
    return cli_refuse("%s: a %s of length 0", kind->name,
                      option == DIRECTION || option == AXIS ? "vector" : "quaternion");

  cli_solve_effector *tip = &wanted->effectors[wanted->effector_count - 1];
  if (!set_target(tip, option, values))
    return cli_refuse("solve: %s: --tip %s has such a target already", kind->name, tip->name);
  return CLI_EXIT_DONE;
}

static void add_effector(cli_solve_request *wanted, const char *name) {
  cli_solve_effector *tip = &wanted->effectors[wanted->effector_count++];
  *tip = (cli_solve_effector){.name = name, .target = sinew_default_target(), .axis_l = {0, 0, 1}};
}

static int parse_option(cli_solve_request *wanted, int option) {
  switch (option) {
  case TIP:
    add_effector(wanted, optarg);
    return CLI_EXIT_DONE;
  case SEED:
    wanted->seed = optarg;
    return CLI_EXIT_DONE;
  case TOLERANCE:
    if (cli_option_number("--tolerance", optarg, DBL_MIN, DBL_MAX,
                          &wanted->solver.position_tolerance) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
    wanted->solver.orientation_tolerance = wanted->solver.position_tolerance;
    return CLI_EXIT_DONE;
  case MAX_STEPS:
    wanted->local = true;
    return cli_option_count("--max-steps", optarg, 0, INT_MAX, &wanted->solver.max_steps);
  case MAX_STARTS:
    if (cli_option_count("--max-starts", optarg, 1, INT_MAX, &wanted->solver.max_attempts) !=
        CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
    wanted->global.max_attempts = wanted->solver.max_attempts;
    return CLI_EXIT_DONE;
  case METHOD:
    wanted->local = true;
    return cli_option_method(optarg, &wanted->solver.method);
  case NEAREST:
  case BEST:
    wanted->global.mode = option == BEST ? SINEW_GLOBAL_BEST : SINEW_GLOBAL_NEAREST;
    ++wanted->kinds;
    return CLI_EXIT_DONE;
  case ALL:
    ++wanted->kinds;
    return cli_option_count("--all", optarg, 1, MOST_SOLUTIONS, &wanted->all);
  case IMAGES:
    wanted->global.images = true;
    return CLI_EXIT_DONE;
  case JSON:
    wanted->as_json = true;
    return CLI_EXIT_DONE;
  case CLI_OPTION_FLOATING_BASE:
    wanted->floating_base = true;
    return CLI_EXIT_DONE;
  case HELP:
    wanted->help = true;
    return CLI_EXIT_DONE;
  case '?':
    return CLI_EXIT_REFUSED;
  default:
    return parse_target(wanted, option);
  }
}

static int check_effectors(const cli_solve_request *wanted) {
  if (wanted->effector_count == 0)
    return cli_refuse("solve: which link? Give --tip LINK and its target");
  for (int i = 0; i < wanted->effector_count; ++i) {
    const cli_solve_effector *tip = &wanted->effectors[i];
    if (!tip->posed && !tip->positioned && !tip->oriented && !tip->directed)
      return cli_refuse("solve: --tip %s has no target: give --pose, --position, --orientation "
                        "or --direction behind it",
                        tip->name);
    if (tip->has_axis && !tip->directed)
      return cli_refuse("solve: --tip %s has an --axis but no --direction", tip->name);
  }
  return CLI_EXIT_DONE;
}

static int check_kinds(const cli_solve_request *wanted) {
  if (wanted->kinds > 1)
    return cli_refuse("solve: give one of --nearest, --best and --all");
  if (wanted->local && wanted->kinds > 0)
    return cli_refuse("solve: --nearest, --best and --all look everywhere: they go with neither "
                      "--method nor --max-steps");
  if (wanted->global.images && wanted->all == 0)
    return cli_refuse("solve: --images goes with --all");
  return CLI_EXIT_DONE;
}

static int parse(int argc, char **argv, cli_solve_request *wanted) {
  static const struct option options[] = {{"tip", required_argument, NULL, TIP},
                                          {"pose", required_argument, NULL, POSE},
                                          {"position", required_argument, NULL, POSITION},
                                          {"orientation", required_argument, NULL, ORIENTATION},
                                          {"direction", required_argument, NULL, DIRECTION},
                                          {"axis", required_argument, NULL, AXIS},
                                          {"seed", required_argument, NULL, SEED},
                                          {"tolerance", required_argument, NULL, TOLERANCE},
                                          {"max-steps", required_argument, NULL, MAX_STEPS},
                                          {"max-starts", required_argument, NULL, MAX_STARTS},
                                          {"method", required_argument, NULL, METHOD},
                                          {"nearest", no_argument, NULL, NEAREST},
                                          {"best", no_argument, NULL, BEST},
                                          {"all", required_argument, NULL, ALL},
                                          {"images", no_argument, NULL, IMAGES},
                                          {"json", no_argument, NULL, JSON},
                                          {"help", no_argument, NULL, HELP},
                                          CLI_OPTION_FLOATING_BASE_ENTRY,
                                          {0}};
  for (int option; (option = cli_option_next(argc, argv, options)) != -1;) {
    int exit_code = parse_option(wanted, option);
    if (exit_code != CLI_EXIT_DONE || wanted->help)
      return exit_code;
  }
  wanted->model = cli_option_model(argc, argv);
  if (!wanted->model || check_kinds(wanted) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  return check_effectors(wanted);
}

// ---- Solving ----

static int add_task(sinew_task *tasks, int count, const cli_solve_effector *tip,
                    sinew_task_kind kind) {
  sinew_task *task = &tasks[count];
  *task = sinew_default_task();
  task->kind = kind;
  task->link = tip->link;
  memcpy(task->axis_l, tip->axis_l, sizeof task->axis_l);
  return count + 1;
}

// The tasks of one effector, behind count others.
static int add_tasks(sinew_task *tasks, int count, const cli_solve_effector *tip) {
  if (tip->posed || (tip->positioned && tip->oriented))
    count = add_task(tasks, count, tip, SINEW_TASK_POSE);
  else if (tip->positioned)
    count = add_task(tasks, count, tip, SINEW_TASK_POSITION);
  else if (tip->oriented)
    count = add_task(tasks, count, tip, SINEW_TASK_ORIENTATION);
  if (tip->directed)
    count = add_task(tasks, count, tip, SINEW_TASK_DIRECTION);
  return count;
}

static int create_solver(cli_solve_request *wanted, const cli_figure *figure,
                         cli_solve_work *work) {
  // A pose and a direction are the most that one tip asks for.
  size_t capacity = 2 * (size_t)wanted->effector_count;
  sinew_task *tasks = cli_allocate(capacity, sizeof(sinew_task));
  work->targets = cli_allocate(capacity, sizeof(sinew_target));
  work->task_effector = cli_allocate(capacity, sizeof(int));
  for (int i = 0; i < wanted->effector_count; ++i) {
    int count = add_tasks(tasks, work->task_count, &wanted->effectors[i]);
    for (; work->task_count < count; ++work->task_count) {
      work->targets[work->task_count] = wanted->effectors[i].target;
      work->task_effector[work->task_count] = i;
    }
  }

  sinew_error error = {0};
  wanted->solver.task_capacity = work->task_count;
  sinew_result result = sinew_solver_create(&wanted->solver, figure->model, &work->solver, &error);
  if (result == SINEW_OK)
    result = sinew_solver_set_tasks(work->solver, tasks, work->task_count, &error);
  free(tasks);
  return result == SINEW_OK ? CLI_EXIT_DONE : cli_refuse_error(&error);
}

static double microseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

// One answer in work->q.
static sinew_result solve_one(const cli_solve_request *wanted, cli_solve_work *work) {
  if (wanted->local)
    return sinew_solver_solve(work->solver, work->targets, work->task_count, work->q,
                              &work->report);
  return sinew_solver_solve_global(work->solver, &wanted->global, work->targets, work->task_count,
                                   work->q, &work->report);
}

// All of them; where there is none, the best that there is, from the seed.
static sinew_result solve_all(const cli_solve_request *wanted, const cli_figure *figure,
                              cli_solve_work *work) {
  size_t values = (size_t)sinew_model_nq(figure->model);
  work->solutions = cli_allocate((size_t)wanted->all * (values > 0 ? values : 1), sizeof(double));
  sinew_result result =
      sinew_solver_solve_all(work->solver, &wanted->global, work->targets, work->task_count,
                             work->q, wanted->all, work->solutions, &work->found, &work->report);
  return result == SINEW_OK && work->found == 0 ? solve_one(wanted, work) : result;
}

static int solve(const cli_solve_request *wanted, const cli_figure *figure, cli_solve_work *work) {
  work->q = cli_allocate((size_t)sinew_model_nq(figure->model), sizeof(double));
  if (cli_figure_configuration(figure, "--seed", wanted->seed, work->q) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;

  double start = microseconds_now();
  sinew_result result = wanted->all > 0 ? solve_all(wanted, figure, work) : solve_one(wanted, work);
  work->microseconds = microseconds_now() - start;
  if (result != SINEW_OK)
    return cli_refuse("solve: %s", sinew_result_string(result));
  return CLI_EXIT_DONE;
}

static int answer(cli_solve_request *wanted, const cli_figure *figure) {
  for (int i = 0; i < wanted->effector_count; ++i) {
    cli_solve_effector *tip = &wanted->effectors[i];
    tip->link = cli_figure_find_link(figure, tip->name);
    if (tip->link < 0)
      return CLI_EXIT_REFUSED;
  }

  cli_solve_work work = {0};
  int exit_code = create_solver(wanted, figure, &work);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = solve(wanted, figure, &work);
  if (exit_code == CLI_EXIT_DONE) {
    cli_solve_print(wanted, figure, &work);
    exit_code = work.report.outcome == SINEW_OUTCOME_CONVERGED ? CLI_EXIT_DONE : CLI_EXIT_UNSOLVED;
  }
  sinew_solver_destroy(work.solver);
  free(work.targets);
  free(work.task_effector);
  free(work.q);
  free(work.solutions);
  return exit_code;
}

int cli_command_solve(int argc, char **argv) {
  cli_solve_request wanted = {.effectors = cli_allocate((size_t)argc, sizeof(cli_solve_effector)),
                              .seed = "middle",
                              .solver = sinew_default_solver_def(),
                              .global = sinew_default_global_def()};
  int exit_code = parse(argc, argv, &wanted);
  if (exit_code == CLI_EXIT_DONE && wanted.help) {
    print_help();
  } else if (exit_code == CLI_EXIT_DONE) {
    cli_figure figure;
    exit_code = cli_figure_open(wanted.model, wanted.floating_base, &figure);
    if (exit_code == CLI_EXIT_DONE)
      exit_code = answer(&wanted, &figure);
    cli_figure_close(&figure);
  }
  free(wanted.effectors);
  return exit_code;
}
