// sinew track: follows moving targets, some updates a frame.
#include "track.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "csv.h"
#include "file.h"
#include "message.h"
#include "method.h"
#include "mistakes.h"
#include "number.h"
#include "request.h"
#include "tip_tasks.h"

// Of a BVH of one frame, whose file must have one [s].
#define USUAL_FRAME_TIME (1.0 / 30)

// By how much frames may differ in length and still be written as a BVH.
#define STEADY 1e-3

static int check_request(const cli_request *wanted) {
  if (!wanted->targets)
    return cli_refuse("track: which targets? Give --targets FILE.csv");
  if (!wanted->out)
    return cli_refuse("track: --out is missing: --out FILE.csv or FILE.bvh");
  if (wanted->as_json && strcmp(wanted->out, "-") == 0)
    return cli_refuse("track: --json and --out - would both write to standard output");
  if (wanted->escape && wanted->method != SINEW_METHOD_DEFAULT)
    return cli_refuse("track: --escape is for --method default");
  return cli_method_check(wanted);
}

// ---- Output ----

static void write_csv(FILE *file, const cli_tracking *work) {
  const sinew_model *model = work->figure->model;
  cli_columns columns = cli_columns_create(model, &work->figure->document->model);
  double *values = cli_allocate((size_t)columns.count, sizeof(double));
  fputs("time", file);
  for (int i = 0; i < columns.count; ++i) {
    fputc(',', file);
    cli_csv_write_text(file, columns.columns[i].name);
  }
  fputc('\n', file);
  for (int f = 0; f < work->targets->frame_count; ++f) {
    sinew_model_joint_values(model, work->q + (size_t)f * sinew_model_nq(model), values);
    cli_number_write(file, work->targets->time[f]);
    for (int i = 0; i < columns.count; ++i) {
      fputc(',', file);
      cli_number_write(file, values[columns.columns[i].value_index]);
    }
    fputc('\n', file);
  }
  free(values);
  cli_columns_destroy(&columns);
}

// A BVH has one time for all frames, and so has a solver.
// @param use what needs it, for the message
static int find_frame_time(const cli_request *wanted, const cli_targets *targets, const char *use,
                           double *out) {
  int last = targets->frame_count - 1;
  *out = USUAL_FRAME_TIME;
  if (last == 0)
    return CLI_EXIT_DONE;
  *out = (targets->time[last] - targets->time[0]) / last;
  for (int f = 1; f <= last; ++f)
    if (fabs(targets->time[f] - targets->time[f - 1] - *out) > STEADY * *out)
      return cli_refuse("%s: time: frame %d is not as long as others, which %s", wanted->targets, f,
                        use);
  return CLI_EXIT_DONE;
}

static int write_bvh(const cli_request *wanted, FILE *file, const cli_tracking *work) {
  sinew_motion motion = {.frame_count = work->targets->frame_count,
                         .nq = sinew_model_nq(work->figure->model),
                         .q = work->q};
  if (find_frame_time(wanted, work->targets, "a BVH cannot hold: write a CSV",
                      &motion.frame_time) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  char *text = NULL;
  size_t size = 0;
  sinew_error error = {0};
  if (sinew_bvh_write(&work->figure->document->model, &motion, NULL, &text, &size, &error) !=
      SINEW_OK) {
    if (error.file[0] == '\0')
      snprintf(error.file, sizeof error.file, "%s", wanted->out);
    return cli_refuse_error(&error);
  }
  fwrite(text, 1, size, file);
  free(text);
  return CLI_EXIT_DONE;
}

static int write_motion(const cli_request *wanted, const cli_tracking *work) {
  cli_output output;
  if (cli_output_open(wanted->out, &output) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (!cli_file_has_ending(wanted->out, ".bvh")) {
    write_csv(output.file, work);
  } else if (write_bvh(wanted, output.file, work) != CLI_EXIT_DONE) {
    cli_output_abandon(&output);
    return CLI_EXIT_REFUSED;
  }
  return cli_output_close(&output);
}

// ---- The command ----

// What needs the time between updates; NULL: nothing.
static const char *timed_option(const cli_request *wanted, const cli_task_list *list) {
  return wanted->speed_limits           ? "--speed-limits cannot use"
         : wanted->speed > 0            ? "--speed cannot use"
         : wanted->acceleration > 0.0   ? "--acceleration cannot use"
         : cli_task_list_is_timed(list) ? "the limits of --tasks cannot use"
                                        : NULL;
}

// @param time_step of one update, for limits of speed and acceleration [s]; 0: none
static sinew_solver_def solver_def(const cli_request *wanted, double time_step) {
  sinew_solver_def def = cli_method_solver(wanted);
  def.tracking.time_step = time_step;
  def.tracking.escape = wanted->escape;
  return def;
}

static int answer(const cli_request *wanted, const cli_figure *figure, const cli_targets *targets) {
  double time_step = 0;
  const char *timed = timed_option(wanted, targets->list);
  if (timed != NULL) {
    if (find_frame_time(wanted, targets, timed, &time_step) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
    time_step /= wanted->updates;
  }
  const cli_follow_rules rules = {.solver = solver_def(wanted, time_step),
                                  .seed = wanted->seed,
                                  .updates = wanted->updates,
                                  .cut = wanted->cut,
                                  .stretch = wanted->stretch};
  cli_tracking work;
  int exit_code = cli_follow_begin(&rules, figure, targets, &work);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_follow(&rules, &work);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = write_motion(wanted, &work);
  if (exit_code == CLI_EXIT_DONE)
    cli_track_report(&work, wanted->as_json);
  cli_follow_end(&work);
  return exit_code;
}

static int check_tasks(const cli_request *wanted, const cli_task_list *list) {
  const bool hard = sinew_task_hard_rows(list->tasks, list->count) > 0;
  return hard && wanted->method != SINEW_METHOD_DEFAULT
             ? cli_refuse("track: hard tasks need --method default, not %s",
                          sinew_method_string((sinew_method)wanted->method))
             : CLI_EXIT_DONE;
}

// A BVH has no joints but its own.
static int check_output(const cli_request *wanted, const cli_figure *figure) {
  return figure->scene || figure->document->format == SINEW_FORMAT_BVH ||
                 !cli_file_has_ending(wanted->out, ".bvh")
             ? CLI_EXIT_DONE
             : cli_refuse("%s: a BVH holds the joints of a BVH, and %s is none: write a CSV, "
                          "--out FILE.csv",
                          wanted->out, wanted->word);
}

static int run(cli_request *wanted) {
  if (check_request(wanted) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  cli_figure figure;
  cli_targets targets = {0};
  cli_task_list list = {0};
  int exit_code = cli_figure_open(wanted->word, wanted->floating_base, &figure);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = check_output(wanted, &figure);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_tip_tasks_add(wanted, &figure, &list);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = check_tasks(wanted, &list);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_targets_read(wanted->targets, &figure, &list, &targets);
  if (exit_code == CLI_EXIT_DONE) {
    cli_mistakes_warn_tasks(figure.model, &list, "track");
    cli_mistakes_warn_limits(figure.model, &list.limits, true, "track");
    exit_code = answer(wanted, &figure, &targets);
  }
  cli_targets_destroy(&targets);
  cli_task_list_destroy(&list);
  cli_figure_close(&figure);
  return exit_code;
}

static void set_defaults(cli_request *wanted) {
  wanted->solver = sinew_default_solver_def();
  wanted->method = wanted->solver.step.method;
  wanted->updates = 1;
}

const cli_command cli_command_track = {
    .id = CLI_TRACK,
    .name = "track",
    .word = "MODEL",
    .summary = "joint values that follow moving targets",
    .usage = "MODEL --targets FILE.csv --out FILE.csv|FILE.bvh [OPTION]...",
    .about = "Follows moving targets, and writes the joint values of every frame.\n\n"
             "Targets move by the columns of a file. A --tip, with options that follow it, or a "
             "tasks file (docs/task_files.md) says more of how a link should follow, or gives it a "
             "target that stays.",
    .notes =
        "The targets are a CSV with the columns time,LINK.x,LINK.y,LINK.z,LINK.qw,LINK.qx,"
        "LINK.qy,LINK.qz and so on, in any order, and one row per frame: what 'sinew fk "
        "--motion --out' writes. A link may have a position, a rotation, or both, "
        "or a direction for its z axis: LINK.dx,LINK.dy,LINK.dz. In place of LINK stands the "
        "name of a task of --tasks, which needs the columns that its kind reads, or a target in "
        "its file. Columns replace that target. A --tip with an orientation, or a position, takes "
        "the "
        "other from columns.\n\n"
        "The result is a BVH if FILE ends in .bvh, else a CSV: time,JOINT,... in the order of "
        "'sinew info', with coupled joints. A BVH needs a MODEL that is a BVH and frames of "
        "equal duration.\n\n"
        "Without --seed, tracking starts from the first frame of MODEL's own motion. If MODEL "
        "has none, or if that frame is farther than --cut from the first targets, the first "
        "frame is solved from scratch. Without --speed-limits, speeds are not limited, and "
        "the times are only copied to the output.\n\n"
        "Where joints of a BVH have position channels, the lengths of its bones are those of "
        "MODEL's own motion at the same time, with --seed those of the seed, and otherwise "
        "those of the OFFSETs. With --stretch they are computed too.\n\n"
        "A report goes to standard error: the errors of the required tasks, those of each task "
        "that "
        "is not required, how far objectives are from being met, the largest "
        "changes of a joint angle [rad] and of a joint distance from one frame to the next, and "
        "in how many updates limits held joints: those of position and speed, braking ahead of a "
        "limit or a target, and those of acceleration. A BVH keeps its own unit of length.\n\n"
        "With --json the report is one object on standard output with frames, cuts, "
        "position_error, orientation_error (of required tasks, each with mean, worst, link (or the "
        "name "
        "of the task) and frame), tasks (each with name, level, required and its own "
        "position_error and orientation_error with mean, worst and frame), objectives (each with "
        "kind, level and what applies of angle, distance and value as in 'sinew solve --help', "
        "with "
        "mean, worst, of a manipulability the least, and frame), turn and "
        "slide, the largest changes of an angle and of a distance (each with worst, joint and "
        "frame). Its limits are the degrees of freedom that limits held, each with joint, part "
        "(its number among those of the joint, where there are several) and the number of updates "
        "in which it was held: at_lower and at_upper (the ends of its range), speed, braking and "
        "acceleration; with yielding, the number of those in which its limit of acceleration "
        "yielded, and then worst, by how much at most, unit (rad/s^2, m/s^2, or units/s^2 of a "
        "BVH) and frame. "
        "With hard tasks it has hard_rows, their inequalities (each with name, where they "
        "apply axis and part, its number among those of the name, rank, at_lower and at_upper, "
        "the number of updates in which an end held MODEL, yielding, the number of those in which "
        "it yielded, worst, by how much it yielded at most, negative beyond the lower end, and "
        "frame). "
        "Members that do not apply are left out: orientation_error where no required target "
        "has a rotation, for example.\n\n"
        "Exit status: 0 all rows are written; 2 wrong usage or input.",
    .examples = "  sinew fk models/humanoid.bvh --tip LeftHand --tip RightFoot --motion \\\n"
                "      --out t.csv\n"
                "  sinew track models/humanoid.bvh --targets t.csv --out followed.bvh\n",
    .set_defaults = set_defaults,
    .run = run};
