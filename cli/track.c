// sinew track: follows moving targets, some updates a frame.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "columns.h"
#include "command.h"
#include "csv.h"
#include "figure.h"
#include "file.h"
#include "follow.h"
#include "json.h"
#include "message.h"
#include "method.h"
#include "number.h"
#include "options.h"
#include "progress.h"
#include "targets.h"
#include "text.h"

#define MOST_UPDATES 1000000

// Of a BVH of one frame, whose file must have one [s].
#define USUAL_FRAME_TIME (1.0 / 30)

// By how much frames may differ in length and still be written as a BVH.
#define STEADY 1e-3

static const char help[] =
    "usage: sinew track MODEL --targets F.csv --out F.csv|F.bvh\n"
    "                   [--method M] [--updates N] [--seed v,v,...|middle|zero] [--cut D]\n"
    "                   [--speed-limits] [--floating-base] [--json]\n"
    "\n"
    "Follows moving targets, and writes the joint values of every frame.\n"
    "\n"
    "  --targets F.csv  header time,LINK.x,LINK.y,LINK.z[,LINK.qw,LINK.qx,LINK.qy,LINK.qz]\n"
    "                   and so on, a row a frame: what 'sinew fk --motion --out' writes.\n"
    "                   A link may have a position, a rotation, or both\n"
    "  --out F          a BVH where it ends in .bvh, else a CSV: time,JOINT,... in the\n"
    "                   order of 'sinew info'; - is standard output\n"
    "  --method M       default, transpose, pseudoinverse, dls, sdls or newton\n"
    "  --updates N      updates a frame; default 1\n"
    "  --seed v,v,...   where to start: joint values [rad, m] in the order of 'sinew\n"
    "                   info', coupled joints left out; middle: of the limits; zero: 0,\n"
    "                   or the limit nearest to it. Without it the first frame of MODEL's\n"
    "                   own motion; where it has none, or is farther than D from the\n"
    "                   first targets there, these are solved\n"
    "  --cut D          a target that moves farther than D in one frame is a cut, after\n"
    "                   which the figure is placed anew; default a quarter of its size\n"
    "  --speed-limits   no joint moves faster than MODEL's speed limits in the targets'\n"
    "                   time, but at a cut; frames of one length. Without it speeds are\n"
    "                   not limited, and the times only copied\n"
    "  --floating-base  of a URDF: its root may be anywhere; q begins with where it is,\n"
    "                   x,y,z,qw,qx,qy,qz\n"
    "  --json           the report as one object on standard output\n"
    "  --help           this text\n"
    "\n"
    "A report goes to standard error: errors, and the largest change of a joint's value\n"
    "from one frame to the next. Lengths of a BVH are in the file's own unit.\n"
    "\n"
    "exit: 0 all rows are written; 2 bad usage or input\n"
    "\n"
    "examples:\n"
    "  sinew fk models/humanoid.bvh --tip LeftHand --tip RightFoot --motion --out t.csv\n"
    "  sinew track models/humanoid.bvh --targets t.csv --out followed.bvh\n";

typedef struct request {
  const char *model;
  const char *targets;
  const char *out;
  sinew_method method;
  cli_follow_rules rules;
  bool speed_limits;
  bool floating_base;
  bool as_json;
  bool help;
} request;

// ---- The command line ----

static int check_request(const request *wanted) {
  if (!wanted->targets)
    return cli_refuse("track: which targets? Give --targets FILE.csv");
  if (!wanted->out)
    return cli_refuse("track: where to? Give --out FILE.csv or FILE.bvh");
  if (wanted->as_json && strcmp(wanted->out, "-") == 0)
    return cli_refuse("track: --json and --out - would both write to standard output");
  return CLI_EXIT_DONE;
}

static int parse(int argc, char **argv, request *wanted) {
  enum { TARGETS = CLI_OPTION_FIRST, OUT, METHOD, UPDATES, SEED, CUT_LENGTH, SPEED, JSON, HELP };
  static const struct option options[] = {{"targets", required_argument, NULL, TARGETS},
                                          {"out", required_argument, NULL, OUT},
                                          {"method", required_argument, NULL, METHOD},
                                          {"updates", required_argument, NULL, UPDATES},
                                          {"seed", required_argument, NULL, SEED},
                                          {"cut", required_argument, NULL, CUT_LENGTH},
                                          {"speed-limits", no_argument, NULL, SPEED},
                                          {"json", no_argument, NULL, JSON},
                                          {"help", no_argument, NULL, HELP},
                                          CLI_OPTION_FLOATING_BASE_ENTRY,
                                          {0}};
  int exit_code = CLI_EXIT_DONE;
  for (int option;
       exit_code == CLI_EXIT_DONE && (option = cli_option_next(argc, argv, options)) != -1;) {
    switch (option) {
    case TARGETS:
      wanted->targets = optarg;
      break;
    case OUT:
      wanted->out = optarg;
      break;
    case METHOD:
      exit_code = cli_option_method(optarg, &wanted->method);
      break;
    case UPDATES:
      exit_code = cli_option_count("--updates", optarg, 1, MOST_UPDATES, &wanted->rules.updates);
      break;
    case SEED:
      wanted->rules.seed = optarg;
      break;
    case CUT_LENGTH:
      exit_code = cli_option_number("--cut", optarg, DBL_MIN, DBL_MAX, &wanted->rules.cut);
      break;
    case SPEED:
      wanted->speed_limits = true;
      break;
    case JSON:
      wanted->as_json = true;
      break;
    case CLI_OPTION_FLOATING_BASE:
      wanted->floating_base = true;
      break;
    case HELP:
      wanted->help = true;
      return CLI_EXIT_DONE;
    default:
      return CLI_EXIT_REFUSED;
    }
  }
  if (exit_code == CLI_EXIT_DONE)
    wanted->model = cli_option_model(argc, argv);
  return wanted->model ? check_request(wanted) : CLI_EXIT_REFUSED;
}

// ---- The report ----

static double mean_of(const cli_score *errors) {
  return errors->count > 0 ? errors->sum / errors->count : 0;
}

static const char *link_of(const cli_tracking *work, const cli_peak *worst) {
  return sinew_model_link_name(work->figure->model, work->targets->tasks[worst->index].link);
}

static const char *joint_of(const cli_tracking *work, const cli_peak *most) {
  return work->figure->document->model.joints[most->index].name;
}

static void print_errors(const cli_tracking *work, const char *what, const char *unit,
                         const cli_score *errors) {
  if (errors->count > 0) {
    fprintf(stderr, "%s: mean %.3g %s, worst %.3g %s (", what, mean_of(errors), unit,
            errors->worst.value, unit);
    cli_text_print(stderr, link_of(work, &errors->worst), 0);
    fprintf(stderr, ", frame %d)\n", errors->worst.frame);
  }
}

static void print_change(const cli_tracking *work, const char *what, const char *unit,
                         const cli_peak *most) {
  if (most->frame >= 0) {
    fprintf(stderr, "%s: %.3g %s (", what, most->value, unit);
    cli_text_print(stderr, joint_of(work, most), 0);
    fprintf(stderr, ", frame %d)\n", most->frame);
  }
}

static void print_report(const cli_tracking *work) {
  const char *length = work->figure->length_unit;
  int frames = work->targets->frame_count, effectors = work->targets->task_count;
  fprintf(stderr, "%d frame%s, %d effector%s", frames, frames == 1 ? "" : "s", effectors,
          effectors == 1 ? "" : "s");
  if (work->cuts > 0)
    fprintf(stderr, ", %d cut%s, the first at frame %d", work->cuts, work->cuts > 1 ? "s" : "",
            work->first_cut);
  fputc('\n', stderr);
  print_errors(work, "position error", length, &work->position);
  print_errors(work, "orientation error", "rad", &work->rotation);
  print_change(work, "largest turn in a frame", "rad", &work->turn);
  print_change(work, "largest slide in a frame", length, &work->slide);
}

static void set_errors(json_t *object, const char *name, const cli_tracking *work,
                       const cli_score *errors) {
  if (errors->count == 0)
    return;
  json_t *part = json_object();
  cli_json_set(part, "mean", cli_json_number(mean_of(errors)));
  cli_json_set(part, "worst", cli_json_number(errors->worst.value));
  cli_json_set(part, "link", cli_json_text(link_of(work, &errors->worst)));
  cli_json_set(part, "frame", json_integer(errors->worst.frame));
  cli_json_set(object, name, part);
}

static void set_change(json_t *object, const char *name, const cli_tracking *work,
                       const cli_peak *most) {
  if (most->frame < 0)
    return;
  json_t *part = json_object();
  cli_json_set(part, "worst", cli_json_number(most->value));
  cli_json_set(part, "joint", cli_json_text(joint_of(work, most)));
  cli_json_set(part, "frame", json_integer(most->frame));
  cli_json_set(object, name, part);
}

static void print_json(const cli_tracking *work) {
  json_t *object = json_object();
  cli_json_set(object, "frames", json_integer(work->targets->frame_count));
  cli_json_set(object, "cuts", json_integer(work->cuts));
  set_errors(object, "position_error", work, &work->position);
  set_errors(object, "orientation_error", work, &work->rotation);
  set_change(object, "turn", work, &work->turn);
  set_change(object, "slide", work, &work->slide);
  cli_json_print(object);
}

// ---- Output ----

static void write_number(FILE *file, double value) {
  char text[CLI_NUMBER_SIZE];
  cli_number_format(value, text);
  fputs(text, file);
}

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
    write_number(file, work->targets->time[f]);
    for (int i = 0; i < columns.count; ++i) {
      fputc(',', file);
      write_number(file, values[columns.columns[i].value_index]);
    }
    fputc('\n', file);
  }
  free(values);
  cli_columns_destroy(&columns);
}

// A BVH has one time for all frames, and so has a solver.
// @param use what needs it, for the message
static int find_frame_time(const request *wanted, const cli_targets *targets, const char *use,
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

static int write_bvh(const request *wanted, FILE *file, const cli_tracking *work) {
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

static bool is_bvh(const char *path) {
  size_t length = strlen(path);
  return length >= 4 && strcasecmp(path + length - 4, ".bvh") == 0;
}

static int write_motion(const request *wanted, const cli_tracking *work) {
  cli_output output;
  if (cli_output_open(wanted->out, &output) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (!is_bvh(wanted->out)) {
    write_csv(output.file, work);
  } else if (write_bvh(wanted, output.file, work) != CLI_EXIT_DONE) {
    cli_output_abandon(&output);
    return CLI_EXIT_REFUSED;
  }
  return cli_output_close(&output);
}

// ---- All of it ----

static int answer(const request *wanted, const cli_figure *figure, const cli_targets *targets) {
  double time_step = 0;
  if (wanted->speed_limits) {
    if (find_frame_time(wanted, targets, "--speed-limits cannot use", &time_step) != CLI_EXIT_DONE)
      return CLI_EXIT_REFUSED;
    time_step /= wanted->rules.updates;
  }
  cli_tracking work;
  int exit_code = cli_follow_begin(figure, targets, wanted->method, time_step, &work);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_follow(&wanted->rules, &work);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = write_motion(wanted, &work);
  if (exit_code == CLI_EXIT_DONE) {
    if (wanted->as_json)
      print_json(&work);
    else
      print_report(&work);
  }
  cli_follow_end(&work);
  return exit_code;
}

int cli_command_track(int argc, char **argv) {
  request wanted = {.method = SINEW_METHOD_DEFAULT, .rules = {.updates = 1}};
  int exit_code = parse(argc, argv, &wanted);
  if (exit_code != CLI_EXIT_DONE)
    return exit_code;
  if (wanted.help) {
    fputs(help, stdout);
    return CLI_EXIT_DONE;
  }

  cli_figure figure;
  cli_targets targets = {0};
  exit_code = cli_figure_open(wanted.model, wanted.floating_base, &figure);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_targets_read(wanted.targets, &figure, &targets);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = answer(&wanted, &figure, &targets);
  cli_targets_destroy(&targets);
  cli_figure_close(&figure);
  return exit_code;
}
