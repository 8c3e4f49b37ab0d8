// sinew fk: where links are, at one configuration or over a motion.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clip.h"
#include "command.h"
#include "csv.h"
#include "figure.h"
#include "file.h"
#include "json.h"
#include "message.h"
#include "number.h"
#include "options.h"
#include "scenes/expect.h"

static const char help[] =
    "usage: sinew fk MODEL [--tip LINK ...] [--q v,v,...|zero|middle] [--json]\n"
    "       sinew fk MODEL [--tip LINK ...] --motion [F.bvh|F.csv] [--out F.csv]\n"
    "                [--floating-base]\n"
    "\n"
    "Prints where links are: position and rotation in the root link's frame.\n"
    "\n"
    "  --tip LINK     a link; may be repeated. None: every link\n"
    "  --q v,v,...    joint values [rad, m] in the order of 'sinew info', coupled\n"
    "                 joints left out; zero: 0, or the limit nearest to it (the\n"
    "                 default); middle: the middle of the limits\n"
    "  --motion [F]   over a motion: of a BVH or a CSV, or without F that of MODEL\n"
    "  --out F.csv    writes a CSV to a file, else --motion writes to standard output\n"
    "  --floating-base\n"
    "                 of a URDF: its root may be anywhere; q begins with where it is,\n"
    "                 x,y,z,qw,qx,qy,qz\n"
    "  --json         one object: q by joint, tips (link, position, rotation)\n"
    "  --help         this text\n"
    "\n"
    "CSV out: time,LINK.x,LINK.y,LINK.z,LINK.qw,LINK.qx,LINK.qy,LINK.qz,... and a row\n"
    "a frame. CSV in: time,JOINT,... where a joint of several values has a column\n"
    "each: x y z distances, rx ry rz angles (rx2: the second about x), qw qx qy qz a\n"
    "quaternion; angle angle2 of universal, angle distance of cylindrical, x y angle\n"
    "of planar joints. Columns of coupled joints are not used.\n"
    "\n"
    "Units: s, m, rad; lengths of a BVH in the file's own unit. Quaternions w,x,y,z.\n"
    "\n"
    "examples:\n"
    "  sinew fk models/arm7.urdf --q 0,0.5,0,1.5,0,0.5,0\n"
    "  sinew fk models/humanoid.bvh --tip LeftHand --tip RightHand --motion\n"
    "  sinew fk models/humanoid.bvh --motion --out targets.csv\n";

typedef struct request {
  const char *model;
  const char **tips; ///< names
  int tip_count;
  const char *q; ///< NULL: not given
  bool in_motion;
  const char *motion; ///< NULL: the model's own
  const char *out;    ///< NULL: standard output
  bool floating_base;
  bool as_json;
  bool help;
} request;

// ---- The command line ----

static int check_request(const request *wanted) {
  if (wanted->in_motion && wanted->q)
    return cli_refuse("fk: --q is one configuration and --motion many: leave out one");
  if (wanted->as_json && (wanted->in_motion || wanted->out))
    return cli_refuse("fk: --motion and --out write CSV: leave out --json");
  return CLI_EXIT_DONE;
}

static int parse(int argc, char **argv, request *wanted) {
  enum { TIP = CLI_OPTION_FIRST, Q, MOTION, OUT, JSON, HELP };
  static const struct option options[] = {{"tip", required_argument, NULL, TIP},
                                          {"q", required_argument, NULL, Q},
                                          {"motion", optional_argument, NULL, MOTION},
                                          {"out", required_argument, NULL, OUT},
                                          {"json", no_argument, NULL, JSON},
                                          {"help", no_argument, NULL, HELP},
                                          CLI_OPTION_FLOATING_BASE_ENTRY,
                                          {0}};
  for (int option; (option = cli_option_next(argc, argv, options)) != -1;) {
    switch (option) {
    case TIP:
      wanted->tips[wanted->tip_count++] = optarg;
      break;
    case Q:
      wanted->q = optarg;
      break;
    case MOTION:
      wanted->in_motion = true;
      wanted->motion = cli_option_optional(argc, argv);
      break;
    case OUT:
      wanted->out = optarg;
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

  // In 'fk --motion FILE' the only word is the model, with its own motion.
  if (optind == argc && wanted->motion) {
    wanted->model = wanted->motion;
    wanted->motion = NULL;
  } else {
    wanted->model = cli_option_model(argc, argv);
  }
  return wanted->model ? check_request(wanted) : CLI_EXIT_REFUSED;
}

// ---- What is asked for ----

typedef struct tip_list {
  int *links;
  int count;
} tip_list;

static int find_tips(const request *wanted, const cli_figure *figure, tip_list *out) {
  out->count = wanted->tip_count > 0 ? wanted->tip_count : sinew_model_link_count(figure->model);
  out->links = cli_allocate((size_t)out->count, sizeof(int));
  for (int i = 0; i < out->count; ++i) {
    out->links[i] = wanted->tip_count > 0 ? cli_figure_find_link(figure, wanted->tips[i]) : i;
    if (out->links[i] < 0)
      return CLI_EXIT_REFUSED;
  }
  return CLI_EXIT_DONE;
}

// One configuration as a clip of one frame, or the motion.
static int find_clip(const request *wanted, const cli_figure *figure, cli_clip *clip) {
  if (wanted->in_motion && wanted->motion)
    return cli_clip_read(wanted->motion, figure, clip);
  if (wanted->in_motion)
    return cli_clip_from_figure(figure, wanted->model, clip);
  clip->frame_count = 1;
  clip->time = cli_allocate(1, sizeof(double));
  clip->q = cli_allocate((size_t)sinew_model_nq(figure->model), sizeof(double));
  return cli_figure_configuration(figure, "--q", wanted->q ? wanted->q : "zero", clip->q);
}

// ---- Output ----

static void print_json(const sinew_state *state, const tip_list *tips, const double *q) {
  const sinew_model *model = sinew_state_model(state);
  json_t *array = json_array();
  for (int i = 0; i < tips->count; ++i) {
    sinew_pose pose;
    sinew_expect_ok(sinew_state_link_pose(state, tips->links[i], &pose));
    json_t *tip = json_object();
    cli_json_set(tip, "link", cli_json_text(sinew_model_link_name(model, tips->links[i])));
    cli_json_set(tip, "position", cli_json_numbers(pose.position, 3));
    cli_json_set(tip, "rotation", cli_json_numbers(pose.rotation, 4));
    json_array_append_new(array, tip);
  }
  json_t *object = json_object();
  cli_json_set(object, "q", cli_json_configuration(model, q));
  cli_json_set(object, "tips", array);
  cli_json_print(object);
}

// What would be printed as -0.000000000 is 0.
static double shown(double value) {
  return fabs(value) < 0.5e-9 ? 0 : value;
}

static void print_table(const sinew_state *state, const tip_list *tips, const char *length_unit) {
  const sinew_model *model = sinew_state_model(state);
  int width = 4;
  for (int i = 0; i < tips->count; ++i) {
    int length = (int)strlen(sinew_model_link_name(model, tips->links[i]));
    width = length > width ? length : width;
  }
  printf("%-*s  %13s %13s %13s  %12s %12s %12s %12s\n", width, "link", "x", "y", "z", "qw", "qx",
         "qy", "qz");
  for (int i = 0; i < tips->count; ++i) {
    sinew_pose pose;
    sinew_expect_ok(sinew_state_link_pose(state, tips->links[i], &pose));
    printf("%-*s ", width, sinew_model_link_name(model, tips->links[i]));
    for (int k = 0; k < 3; ++k)
      printf(" %13.9f", shown(pose.position[k]));
    putchar(' ');
    for (int k = 0; k < 4; ++k)
      printf(" %12.9f", shown(pose.rotation[k]));
    putchar('\n');
  }
  printf("positions in %s\n", strcmp(length_unit, "m") == 0 ? "m" : "the file's own unit");
}

static void write_header(FILE *file, const sinew_model *model, const tip_list *tips) {
  static const char *const suffixes[] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
  fputs("time", file);
  for (int i = 0; i < tips->count; ++i) {
    const char *link = sinew_model_link_name(model, tips->links[i]);
    char *name = cli_allocate(strlen(link) + 4, 1);
    for (int k = 0; k < 7; ++k) {
      sprintf(name, "%s%s", link, suffixes[k]);
      fputc(',', file);
      cli_csv_write_text(file, name);
    }
    free(name);
  }
  fputc('\n', file);
}

static void write_number(FILE *file, double value) {
  char text[CLI_NUMBER_SIZE];
  cli_number_format(value, text);
  fputs(text, file);
}

static void write_row(FILE *file, const sinew_state *state, const tip_list *tips, double time) {
  write_number(file, time);
  for (int i = 0; i < tips->count; ++i) {
    sinew_pose pose;
    sinew_expect_ok(sinew_state_link_pose(state, tips->links[i], &pose));
    for (int k = 0; k < 7; ++k) {
      fputc(',', file);
      write_number(file, k < 3 ? pose.position[k] : pose.rotation[k - 3]);
    }
  }
  fputc('\n', file);
}

static int write_csv(const char *path, sinew_state *state, const tip_list *tips,
                     const cli_clip *clip) {
  cli_output output;
  if (cli_output_open(path, &output) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;

  const sinew_model *model = sinew_state_model(state);
  size_t nq = (size_t)sinew_model_nq(model);
  write_header(output.file, model, tips);
  for (int f = 0; f < clip->frame_count; ++f) {
    sinew_result result = sinew_state_forward(state, clip->q + (size_t)f * nq);
    if (result != SINEW_OK) {
      cli_output_abandon(&output);
      return cli_refuse("fk: frame %d cannot be used: %s", f, sinew_result_string(result));
    }
    write_row(output.file, state, tips, clip->time[f]);
  }
  return cli_output_close(&output);
}

static int print_clip(const request *wanted, const cli_figure *figure, const tip_list *tips,
                      const cli_clip *clip) {
  sinew_error error = {0};
  sinew_state *state = NULL;
  if (sinew_state_create(figure->model, NULL, &state, &error) != SINEW_OK)
    return cli_refuse_error(&error);

  int exit_code = CLI_EXIT_DONE;
  if (wanted->in_motion || wanted->out) {
    exit_code = write_csv(wanted->out, state, tips, clip);
  } else {
    sinew_result result = sinew_state_forward(state, clip->q);
    if (result != SINEW_OK)
      exit_code =
          cli_refuse("fk: these joint values cannot be used: %s", sinew_result_string(result));
    else if (wanted->as_json)
      print_json(state, tips, clip->q);
    else
      print_table(state, tips, figure->length_unit);
  }
  sinew_state_destroy(state);
  return exit_code;
}

static int answer(const request *wanted) {
  cli_figure figure;
  tip_list tips = {0};
  cli_clip clip = {0};
  int exit_code = cli_figure_open(wanted->model, wanted->floating_base, &figure);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = find_tips(wanted, &figure, &tips);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = find_clip(wanted, &figure, &clip);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = print_clip(wanted, &figure, &tips, &clip);
  cli_clip_destroy(&clip);
  free(tips.links);
  cli_figure_close(&figure);
  return exit_code;
}

int cli_command_fk(int argc, char **argv) {
  request wanted = {.tips = cli_allocate((size_t)argc, sizeof(char *))};
  int exit_code = parse(argc, argv, &wanted);
  if (exit_code == CLI_EXIT_DONE && wanted.help)
    fputs(help, stdout);
  else if (exit_code == CLI_EXIT_DONE)
    exit_code = answer(&wanted);
  free((void *)wanted.tips);
  return exit_code;
}
