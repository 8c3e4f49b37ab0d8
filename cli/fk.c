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
#include "request.h"
#include "scenes/expect.h"
#include "experiments/text.h"

static int check_request(const cli_request *wanted) {
  bool in_motion = cli_request_given(wanted, "motion");
  if (in_motion && cli_request_given(wanted, "q"))
    return cli_refuse("fk: --q gives one configuration, --motion many: use one of them");
  if (wanted->as_json && (in_motion || wanted->out))
    return cli_refuse("fk: --motion and --out write CSV: use them without --json");
  return CLI_EXIT_DONE;
}

// ---- Links and configurations ----

typedef struct tip_list {
  int *links;
  int count;
} tip_list;

static int find_tips(const cli_request *wanted, const cli_figure *figure, tip_list *out) {
  out->count = wanted->tip_count > 0 ? wanted->tip_count : sinew_model_link_count(figure->model);
  out->links = cli_allocate((size_t)out->count, sizeof(int));
  for (int i = 0; i < out->count; ++i) {
    out->links[i] =
        wanted->tip_count > 0 ? cli_figure_find_link(figure, "--tip", wanted->tips[i].name) : i;
    if (out->links[i] < 0)
      return CLI_EXIT_REFUSED;
  }
  return CLI_EXIT_DONE;
}

// One configuration as a clip of one frame, or the motion.
static int find_clip(const cli_request *wanted, const cli_figure *figure, cli_clip *clip) {
  if (wanted->motion)
    return cli_clip_read(wanted->motion, figure, clip);
  if (cli_request_given(wanted, "motion"))
    return cli_clip_from_figure(figure, wanted->word, clip);
  clip->frame_count = 1;
  clip->time = cli_allocate(1, sizeof(double));
  clip->q = cli_allocate((size_t)sinew_model_nq(figure->model), sizeof(double));
  return cli_figure_configuration(figure, "--q", wanted->q, clip->q);
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
  for (int i = 0; i < tips->count; ++i)
    width = text_wider(width, sinew_model_link_name(model, tips->links[i]));
  printf("%-*s  %13s %13s %13s  %12s %12s %12s %12s\n", width, "link", "x", "y", "z", "qw", "qx",
         "qy", "qz");
  for (int i = 0; i < tips->count; ++i) {
    sinew_pose pose;
    sinew_expect_ok(sinew_state_link_pose(state, tips->links[i], &pose));
    text_print(stdout, sinew_model_link_name(model, tips->links[i]), width);
    putchar(' ');
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

static void write_row(FILE *file, const sinew_state *state, const tip_list *tips, double time) {
  cli_number_write(file, time);
  for (int i = 0; i < tips->count; ++i) {
    sinew_pose pose;
    sinew_expect_ok(sinew_state_link_pose(state, tips->links[i], &pose));
    for (int k = 0; k < 7; ++k) {
      fputc(',', file);
      cli_number_write(file, k < 3 ? pose.position[k] : pose.rotation[k - 3]);
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
      return cli_refuse("fk: frame %d is invalid: %s", f, sinew_result_string(result));
    }
    write_row(output.file, state, tips, clip->time[f]);
  }
  return cli_output_close(&output);
}

static int print_clip(const cli_request *wanted, const cli_figure *figure, const tip_list *tips,
                      const cli_clip *clip) {
  sinew_error error = {0};
  sinew_state *state = NULL;
  if (sinew_state_create(figure->model, NULL, &state, &error) != SINEW_OK)
    return cli_refuse_error(&error);

  int exit_code = CLI_EXIT_DONE;
  if (cli_request_given(wanted, "motion") || wanted->out) {
    exit_code = write_csv(wanted->out, state, tips, clip);
  } else {
    sinew_result result = sinew_state_forward(state, clip->q);
    if (result != SINEW_OK)
      exit_code = cli_refuse("fk: these joint values are invalid: %s", sinew_result_string(result));
    else if (wanted->as_json)
      print_json(state, tips, clip->q);
    else
      print_table(state, tips, figure->length_unit);
  }
  sinew_state_destroy(state);
  return exit_code;
}

static int run(cli_request *wanted) {
  if (check_request(wanted) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  cli_figure figure;
  tip_list tips = {0};
  cli_clip clip = {0};
  int exit_code = cli_figure_open(wanted->word, wanted->floating_base, &figure);
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

static void set_defaults(cli_request *wanted) {
  wanted->q = "zero";
}

const cli_command cli_command_fk = {
    .id = CLI_FK,
    .name = "fk",
    .word = "MODEL",
    .summary = "poses of links at one configuration or over a motion",
    .usage = "MODEL [--tip LINK]... [--q v,v,...] [OPTION]...\n"
             "       sinew fk MODEL [--tip LINK]... --motion [FILE] [OPTION]...",
    .about = "Forward kinematics: prints the poses of links, which are position and rotation in "
             "the frame of the root link. Without --tip it prints all links.",
    .notes = "The output is a table. With --motion or --out it is a CSV with the columns "
             "time,LINK.x,LINK.y,LINK.z,LINK.qw,LINK.qx,LINK.qy,LINK.qz,... and one row per "
             "frame. Without --out the CSV goes to standard output.\n\n"
             "A CSV for --motion has the columns time,JOINT,... in any order. A joint with several "
             "values has a column for each: JOINT.x, .y, .z for distances; .rx, .ry, .rz for "
             "angles about these axes, and .rx2 for the second angle about x; .qw, .qx, .qy, .qz "
             "for a quaternion; .angle, .angle2 for a universal joint; .angle, .distance for a "
             "cylindrical joint; .x, .y, .angle for a planar joint. Columns of coupled joints are "
             "ignored.\n\n"
             "With --json: one object with q (from joint name to value) and tips (each with link, "
             "position and rotation).\n\n"
             "Units are s, m and rad; a BVH keeps its own unit of length. Quaternions are "
             "w,x,y,z.",
    .examples = "  sinew fk models/arm7.urdf --q 0,0.5,0,-1.5,0,0.5,0\n"
                "  sinew fk models/humanoid.bvh --tip LeftHand --tip RightHand --motion\n"
                "  sinew fk models/humanoid.bvh --motion --out targets.csv\n",
    .set_defaults = set_defaults,
    .run = run};
