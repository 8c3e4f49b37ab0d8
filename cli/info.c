// sinew info: the links and joints of a model.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "command.h"
#include "figure.h"
#include "json.h"
#include "message.h"
#include "request.h"
#include "scenes/expect.h"
#include "experiments/text.h"

#define DEGREES (180.0 / 3.14159265358979323846)

static const char *const kind_names[] = {
    [SINEW_JOINT_FIXED] = "fixed",
    [SINEW_JOINT_REVOLUTE] = "revolute",
    [SINEW_JOINT_CONTINUOUS] = "continuous",
    [SINEW_JOINT_PRISMATIC] = "prismatic",
    [SINEW_JOINT_SCREW] = "screw",
    [SINEW_JOINT_SPHERICAL] = "spherical",
    [SINEW_JOINT_EULER] = "euler",
    [SINEW_JOINT_UNIVERSAL] = "universal",
    [SINEW_JOINT_CYLINDRICAL] = "cylindrical",
    [SINEW_JOINT_PLANAR] = "planar",
    [SINEW_JOINT_CHANNELS] = "channels",
    [SINEW_JOINT_FREE] = "free",
};

// A joint's limits in force: as many as it has degrees of freedom, and the
// driver's, carried over, where it is coupled.
typedef struct limits {
  int count;
  double lower[SINEW_JOINT_MAX_NV];
  double upper[SINEW_JOINT_MAX_NV];
} limits;

// A driver's value as that of the joint that follows it. The ratio may be 0, a
// limit infinite.
static double carried(const sinew_joint *joint, double value) {
  return joint->ratio == 0 ? joint->offset : joint->ratio * value + joint->offset;
}

static limits joint_limits(const sinew_model *model, const sinew_joint *joint) {
  const double *lower = sinew_model_lower(model), *upper = sinew_model_upper(model);
  limits out = {.count = joint->nv};
  memcpy(out.lower, lower + joint->v_index, (size_t)joint->nv * sizeof(double));
  memcpy(out.upper, upper + joint->v_index, (size_t)joint->nv * sizeof(double));
  if (joint->driver < 0)
    return out;

  // value = ratio * driver + offset; a negative ratio swaps the two.
  sinew_joint driver;
  sinew_expect_ok(sinew_model_joint(model, joint->driver, &driver));
  double low = lower[driver.v_index], high = upper[driver.v_index];
  out.count = 1;
  out.lower[0] = carried(joint, joint->ratio < 0 ? high : low);
  out.upper[0] = carried(joint, joint->ratio < 0 ? low : high);
  return out;
}

// One number where there is one degree of freedom, null where there is none.
static json_t *json_limits(const double *values, int count) {
  if (count == 0)
    return json_null();
  return count == 1 ? cli_json_number(values[0]) : cli_json_numbers(values, count);
}

static json_t *json_joint(const sinew_model *model, const sinew_joint *joint) {
  limits range = joint_limits(model, joint);
  json_t *object = json_object();
  cli_json_set(object, "name", cli_json_text(joint->name));
  cli_json_set(object, "kind", json_string(kind_names[joint->kind]));
  cli_json_set(object, "parent", cli_json_text(sinew_model_link_name(model, joint->parent)));
  cli_json_set(object, "child", cli_json_text(sinew_model_link_name(model, joint->child)));
  cli_json_set(object, "dof", json_integer(joint->nv));
  cli_json_set(object, "lower", json_limits(range.lower, range.count));
  cli_json_set(object, "upper", json_limits(range.upper, range.count));
  if (joint->driver >= 0) {
    sinew_joint driver;
    sinew_expect_ok(sinew_model_joint(model, joint->driver, &driver));
    cli_json_set(object, "driver", cli_json_text(driver.name));
    cli_json_set(object, "ratio", cli_json_number(joint->ratio));
    cli_json_set(object, "offset", cli_json_number(joint->offset));
  }
  return object;
}

static void print_json(const cli_figure *figure) {
  const sinew_model *model = figure->model;
  json_t *joints = json_array(), *links = json_array(), *effectors = json_array();
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    json_array_append_new(joints, json_joint(model, &joint));
  }
  bool *leaf = cli_figure_leaves(figure);
  for (int i = 0; i < sinew_model_link_count(model); ++i) {
    json_array_append_new(links, cli_json_text(sinew_model_link_name(model, i)));
    if (leaf[i])
      json_array_append_new(effectors, cli_json_text(sinew_model_link_name(model, i)));
  }
  free(leaf);

  json_t *object = json_object();
  cli_json_set(object, "name", cli_json_text(sinew_model_name(model)));
  cli_json_set(object, "dof", json_integer(sinew_model_nv(model)));
  cli_json_set(object, "joints", joints);
  cli_json_set(object, "links", links);
  cli_json_set(object, "effectors", effectors);
  cli_json_print(object);
}

// "-166 .. 166 deg", each end "-" where it is open.
static void print_range(double lower, double upper, cli_unit unit, const char *length_unit) {
  if (isinf(lower) && isinf(upper)) {
    fputs("no limits", stdout);
    return;
  }
  double scale = unit == CLI_UNIT_ANGLE ? DEGREES : 1.0;
  if (isinf(lower))
    fputs("up to ", stdout);
  else
    printf("%.5g .. ", scale * lower);
  if (isinf(upper))
    fputs("any", stdout);
  else
    printf("%.5g", scale * upper);
  printf(" %s", unit == CLI_UNIT_ANGLE ? "deg" : length_unit);
}

static void print_limits(const cli_figure *figure, int index, const sinew_joint *joint) {
  limits range = joint_limits(figure->model, joint);
  int bounded = 0;
  for (int i = 0; i < range.count; ++i)
    bounded += isfinite(range.lower[i]) || isfinite(range.upper[i]);
  if (bounded == 0) {
    fputs(range.count > 0 ? "no limits" : "-", stdout);
    return;
  }
  for (int i = 0; i < range.count; ++i) {
    cli_unit unit = CLI_UNIT_NONE;
    cli_column_suffix(&figure->document->model.joints[index], i, &unit);
    fputs(i > 0 ? ", " : "", stdout);
    print_range(range.lower[i], range.upper[i], unit, figure->length_unit);
  }
}

static void print_joint(const cli_figure *figure, int index, int name_width, int link_width) {
  const sinew_model *model = figure->model;
  sinew_joint joint;
  sinew_expect_ok(sinew_model_joint(model, index, &joint));
  fputs("  ", stdout);
  text_print(stdout, joint.name, name_width);
  printf("  %-11s %3d  ", kind_names[joint.kind], joint.nv);
  text_print(stdout, sinew_model_link_name(model, joint.child), link_width);
  fputs("  ", stdout);
  print_limits(figure, index, &joint);
  if (joint.driver >= 0) {
    sinew_joint driver;
    sinew_expect_ok(sinew_model_joint(model, joint.driver, &driver));
    printf("  = %g * ", joint.ratio);
    text_print(stdout, driver.name, 0);
    printf(" + %g", joint.offset);
  }
  putchar('\n');
}

static void print_table(const cli_figure *figure) {
  const sinew_model *model = figure->model;
  int joint_count = sinew_model_joint_count(model), link_count = sinew_model_link_count(model);
  int dof = sinew_model_nv(model);
  const char *name = sinew_model_name(model);
  text_print(stdout, name[0] != '\0' ? name : "(no name)", 0);
  printf(": %d degree%s of freedom, %d joint%s, %d link%s, size %.4g %s\nroot link: ", dof,
         dof == 1 ? "" : "s", joint_count, joint_count == 1 ? "" : "s", link_count,
         link_count == 1 ? "" : "s", sinew_model_size(model), figure->length_unit);
  text_print(stdout, sinew_model_link_name(model, sinew_model_root(model)), 0);
  putchar('\n');

  int name_width = 5, link_width = 11;
  for (int j = 0; j < joint_count; ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    name_width = text_wider(name_width, joint.name);
    link_width = text_wider(link_width, sinew_model_link_name(model, joint.child));
  }
  printf("\n  %-*s  %-11s dof  %-*s  limits\n", name_width, "joint", "kind", link_width,
         "moves link");
  for (int j = 0; j < joint_count; ++j)
    print_joint(figure, j, name_width, link_width);

  fputs("\npossible effectors:", stdout);
  bool *leaf = cli_figure_leaves(figure);
  for (int i = 0; i < link_count; ++i) {
    if (leaf[i]) {
      putchar(' ');
      text_print(stdout, sinew_model_link_name(model, i), 0);
    }
  }
  free(leaf);
  putchar('\n');
}

static int run(cli_request *wanted) {
  cli_figure figure;
  int exit_code = cli_figure_open(wanted->word, wanted->floating_base, &figure);
  if (exit_code == CLI_EXIT_DONE && wanted->as_json)
    print_json(&figure);
  else if (exit_code == CLI_EXIT_DONE)
    print_table(&figure);
  cli_figure_close(&figure);
  return exit_code;
}

const cli_command cli_command_info = {
    .id = CLI_INFO,
    .name = "info",
    .word = "MODEL",
    .summary = "links, joints, limits and possible end effectors",
    .usage = "MODEL [OPTION]...",
    .about = "Prints the links and joints of a model: kinds of joints, limits, degrees of freedom, "
             "and the links at the ends of its branches, which are the likely end effectors.",
    .notes = "The limits printed are the effective ones: the limits of a coupled joint also bound "
             "the joint that drives it.\n\n"
             "With --json: one object with name, dof, joints (each with name, kind, parent, child, "
             "dof, lower and upper), links and effectors. Limits are in rad and m: null where "
             "there is none, an array where a joint has several degrees of freedom. A coupled "
             "joint has dof 0, and also driver, ratio and offset.",
    .examples = "  sinew info models/arm7.urdf\n"
                "  sinew info models/humanoid.bvh --json\n",
    .run = run};
