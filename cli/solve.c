// sinew solve: joint values that bring links to targets.
#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "columns.h"
#include "command.h"
#include "figure.h"
#include "json.h"
#include "message.h"
#include "method.h"
#include "number.h"
#include "options.h"

#define DEGREES (180.0 / 3.14159265358979323846)

static const char help[] =
    "usage: sinew solve MODEL --tip LINK TARGET... [--tip LINK TARGET...] ...\n"
    "                   [--seed v,v,...|middle|zero] [--tolerance T] [--max-steps N]\n"
    "                   [--max-starts N] [--method M] [--json]\n"
    "\n"
    "Prints joint values that bring links to targets. A target belongs to the --tip\n"
    "before it, and is in the root link's frame.\n"
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
    "  --tolerance T   largest error of a target [m and rad]; default %g\n"
    "  --max-steps N   default %d, over all starts\n"
    "  --max-starts N  other starts are tried where the seed leads to no answer;\n"
    "                  default %d; 1: the seed alone, for an answer near it\n"
    "  --method M      default (damped least squares, then Newton's step), transpose,\n"
    "                  pseudoinverse, dls, sdls or newton\n"
    "  --json          one object: outcome, q (by joint), position_error [m],\n"
    "                  orientation_error [rad], steps, microseconds, effectors\n"
    "  --help          this text\n"
    "\n"
    "Lengths of a BVH are in the file's own unit. Quaternions are w,x,y,z, of any\n"
    "length but 0.\n"
    "\n"
    "outcomes: converged; out_of_reach (no joint values can do it); blocked_by_limits;\n"
    "stalled (another start may do better); step_limit\n"
    "exit: 0 converged; 1 another outcome; 2 bad usage or input\n"
    "\n"
    "examples:\n"
    "  sinew solve models/arm7.urdf --tip flange --pose 0.4,0.1,0.5,0,1,0,0\n"
    "  sinew solve models/humanoid.bvh --tip LeftHand --position 50,60,40 \\\n"
    "      --tip RightHand --position -40,0,40 --tip Head --direction 0,0,1 --json\n";

static void print_help(void) {
  sinew_solver_def def = sinew_default_solver_def();
  printf(help, def.position_tolerance, def.max_steps, def.max_attempts);
}

// What one --tip shall do: up to three tasks.
typedef struct effector {
  const char *name;
  int link;
  bool posed, positioned, oriented, directed, has_axis;
  sinew_target target;
  double axis_l[3];
} effector;

typedef struct request {
  const char *model;
  effector *effectors;
  int effector_count;
  const char *seed;
  sinew_solver_def solver;
  bool as_json;
  bool help;
} request;

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
static bool set_target(effector *tip, int option, const double *values) {
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

static int parse_target(request *wanted, int option) {
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

  effector *tip = &wanted->effectors[wanted->effector_count - 1];
  if (!set_target(tip, option, values))
    return cli_refuse("solve: %s: --tip %s has such a target already", kind->name, tip->name);
  return CLI_EXIT_DONE;
}

static void add_effector(request *wanted, const char *name) {
  effector *tip = &wanted->effectors[wanted->effector_count++];
  *tip = (effector){.name = name, .target = sinew_default_target(), .axis_l = {0, 0, 1}};
}

static int parse_option(request *wanted, int option) {
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
    return cli_option_count("--max-steps", optarg, 0, INT_MAX, &wanted->solver.max_steps);
  case MAX_STARTS:
    return cli_option_count("--max-starts", optarg, 1, INT_MAX, &wanted->solver.max_attempts);
  case METHOD:
    return cli_option_method(optarg, &wanted->solver.method);
  case JSON:
    wanted->as_json = true;
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

static int check_effectors(const request *wanted) {
  if (wanted->effector_count == 0)
    return cli_refuse("solve: which link? Give --tip LINK and its target");
  for (int i = 0; i < wanted->effector_count; ++i) {
    const effector *tip = &wanted->effectors[i];
    if (!tip->posed && !tip->positioned && !tip->oriented && !tip->directed)
      return cli_refuse("solve: --tip %s has no target: give --pose, --position, --orientation "
                        "or --direction behind it",
                        tip->name);
    if (tip->has_axis && !tip->directed)
      return cli_refuse("solve: --tip %s has an --axis but no --direction", tip->name);
  }
  return CLI_EXIT_DONE;
}

static int parse(int argc, char **argv, request *wanted) {
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
                                          {"json", no_argument, NULL, JSON},
                                          {"help", no_argument, NULL, HELP},
                                          {0}};
  for (int option; (option = cli_option_next(argc, argv, options)) != -1;) {
    int exit_code = parse_option(wanted, option);
    if (exit_code != CLI_EXIT_DONE || wanted->help)
      return exit_code;
  }
  wanted->model = cli_option_model(argc, argv);
  return wanted->model ? check_effectors(wanted) : CLI_EXIT_REFUSED;
}

// ---- Solving ----

// All that belongs to one solve.
typedef struct solving {
  sinew_solver *solver;
  sinew_target *targets;
  int task_count;
  int *task_effector; ///< the effector that each task is of
  double *q;
  sinew_report report;
  double microseconds;
} solving;

static int add_task(sinew_task *tasks, int count, const effector *tip, sinew_task_kind kind) {
  sinew_task *task = &tasks[count];
  *task = sinew_default_task();
  task->kind = kind;
  task->link = tip->link;
  memcpy(task->axis_l, tip->axis_l, sizeof task->axis_l);
  return count + 1;
}

// The tasks of one effector, behind count others.
static int add_tasks(sinew_task *tasks, int count, const effector *tip) {
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

static int create_solver(request *wanted, const cli_figure *figure, solving *work) {
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

static int solve(const request *wanted, const cli_figure *figure, solving *work) {
  work->q = cli_allocate((size_t)sinew_model_nq(figure->model), sizeof(double));
  if (cli_figure_configuration(figure, "--seed", wanted->seed, work->q) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;

  double start = microseconds_now();
  sinew_result result =
      sinew_solver_solve(work->solver, work->targets, work->task_count, work->q, &work->report);
  work->microseconds = microseconds_now() - start;
  if (result != SINEW_OK)
    return cli_refuse("solve: %s", sinew_result_string(result));
  return CLI_EXIT_DONE;
}

// The largest errors among an effector's tasks.
static void effector_error(const solving *work, int index, double *position, double *orientation) {
  *position = 0;
  *orientation = 0;
  for (int i = 0; i < work->task_count; ++i) {
    double distance = 0, angle = 0;
    if (work->task_effector[i] != index)
      continue;
    sinew_solver_task_error(work->solver, i, &distance, &angle);
    *position = distance > *position ? distance : *position;
    *orientation = angle > *orientation ? angle : *orientation;
  }
}

// ---- Output ----

static const char *limiting_joint(const cli_figure *figure, const sinew_report *report) {
  sinew_joint joint;
  return sinew_model_joint(figure->model, report->limiting_joint, &joint) == SINEW_OK ? joint.name
                                                                                      : NULL;
}

static void print_json(const request *wanted, const cli_figure *figure, const solving *work) {
  json_t *effectors = json_array();
  for (int i = 0; i < wanted->effector_count; ++i) {
    double position, orientation;
    effector_error(work, i, &position, &orientation);
    json_t *tip = json_object();
    cli_json_set(tip, "link", cli_json_text(wanted->effectors[i].name));
    cli_json_set(tip, "position_error", cli_json_number(position));
    cli_json_set(tip, "orientation_error", cli_json_number(orientation));
    json_array_append_new(effectors, tip);
  }

  const sinew_report *report = &work->report;
  json_t *object = json_object();
  cli_json_set(object, "outcome", json_string(sinew_outcome_string(report->outcome)));
  cli_json_set(object, "q", cli_json_configuration(figure->model, work->q));
  cli_json_set(object, "position_error", cli_json_number(report->position_error));
  cli_json_set(object, "orientation_error", cli_json_number(report->orientation_error));
  cli_json_set(object, "steps", json_integer(report->steps));
  cli_json_set(object, "microseconds", cli_json_number(work->microseconds));
  const char *joint = limiting_joint(figure, report);
  if (joint)
    cli_json_set(object, "limiting_joint", cli_json_text(joint));
  cli_json_set(object, "effectors", effectors);
  cli_json_print(object);
}

static void print_values(const cli_figure *figure, const double *q) {
  cli_columns columns = cli_columns_create(figure->model, &figure->document->model);
  double *values = cli_allocate((size_t)columns.count, sizeof(double));
  sinew_model_joint_values(figure->model, q, values);
  int width = 5;
  for (int i = 0; i < columns.count; ++i) {
    int length = (int)strlen(columns.columns[i].name);
    width = length > width ? length : width;
  }

  printf("\n  %-*s  %12s\n", width, "joint", "value");
  for (int i = 0; i < columns.count; ++i) {
    const cli_column *column = &columns.columns[i];
    double value = values[column->value_index];
    printf("  %-*s  %12.6f", width, column->name, value);
    if (column->unit == CLI_UNIT_ANGLE)
      printf(" rad  %10.4f deg", DEGREES * value);
    else if (column->unit == CLI_UNIT_LENGTH)
      printf(" %s", figure->length_unit);
    puts(column->q_index < 0 ? "  (coupled)" : "");
  }
  free(values);
  cli_columns_destroy(&columns);
}

static void print_errors(const request *wanted, const cli_figure *figure, const solving *work) {
  int width = 8;
  for (int i = 0; i < wanted->effector_count; ++i) {
    int length = (int)strlen(wanted->effectors[i].name);
    width = length > width ? length : width;
  }
  printf("\n  %-*s  %16s  %s\n", width, "effector", "position error", "orientation error");
  for (int i = 0; i < wanted->effector_count; ++i) {
    const effector *tip = &wanted->effectors[i];
    double position, orientation;
    effector_error(work, i, &position, &orientation);
    printf("  %-*s  ", width, tip->name);
    if (tip->posed || tip->positioned)
      printf("%10.3g %-5s", position, figure->length_unit);
    else
      printf("%16s", "-");
    if (tip->posed || tip->oriented || tip->directed)
      printf("  %.3g rad (%.3g deg)\n", orientation, DEGREES * orientation);
    else
      puts("  -");
  }
}

static void print_tables(const request *wanted, const cli_figure *figure, const solving *work) {
  const sinew_report *report = &work->report;
  printf("%s after %d steps, %.1f us", sinew_outcome_string(report->outcome), report->steps,
         work->microseconds);
  const char *joint = limiting_joint(figure, report);
  if (joint)
    printf("; most by %s", joint);
  putchar('\n');
  print_values(figure, work->q);
  print_errors(wanted, figure, work);
}

static int answer(request *wanted, const cli_figure *figure) {
  for (int i = 0; i < wanted->effector_count; ++i) {
    effector *tip = &wanted->effectors[i];
    tip->link = cli_figure_find_link(figure, tip->name);
    if (tip->link < 0)
      return CLI_EXIT_REFUSED;
  }

  solving work = {0};
  int exit_code = create_solver(wanted, figure, &work);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = solve(wanted, figure, &work);
  if (exit_code == CLI_EXIT_DONE) {
    if (wanted->as_json)
      print_json(wanted, figure, &work);
    else
      print_tables(wanted, figure, &work);
    exit_code = work.report.outcome == SINEW_OUTCOME_CONVERGED ? CLI_EXIT_DONE : CLI_EXIT_UNSOLVED;
  }
  sinew_solver_destroy(work.solver);
  free(work.targets);
  free(work.task_effector);
  free(work.q);
  return exit_code;
}

int cli_command_solve(int argc, char **argv) {
  request wanted = {.effectors = cli_allocate((size_t)argc, sizeof(effector)),
                    .seed = "middle",
                    .solver = sinew_default_solver_def()};
  int exit_code = parse(argc, argv, &wanted);
  if (exit_code == CLI_EXIT_DONE && wanted.help) {
    print_help();
  } else if (exit_code == CLI_EXIT_DONE) {
    cli_figure figure;
    exit_code = cli_figure_open(wanted.model, &figure);
    if (exit_code == CLI_EXIT_DONE)
      exit_code = answer(&wanted, &figure);
    cli_figure_close(&figure);
  }
  free(wanted.effectors);
  return exit_code;
}
