// sinew info: the links and joints of a model.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "command.h"
#include "dexterity.h"
#include "figure.h"
#include "info_lanes.h"
#include "info_tasks.h"
#include "json.h"
#include "line.h"
#include "message.h"
#include "request.h"
#include "urdf.h"
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
    [SINEW_JOINT_FUNCTION] = "function",
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

static double duration_of(const sinew_motion *motion) {
  return motion->frame_count * motion->frame_time;
}

// One number where there is one degree of freedom, null where there is none.
static json_t *json_limits(const double *values, int count) {
  if (count == 0)
    return json_null();
  return count == 1 ? cli_json_number(values[0]) : cli_json_numbers(values, count);
}

// "twist": its range; "swing": the semi-axes of its ellipse about both axes, lower and upper; null
// where there is no limit.
static void set_cone(json_t *object, const double lower[3], const double upper[3]) {
  const double swing[4] = {lower[1], upper[1], lower[2], upper[2]};
  const double twist[2] = {lower[0], upper[0]};
  cli_json_set(object, "swing", isfinite(swing[0]) ? cli_json_numbers(swing, 4) : json_null());
  cli_json_set(object, "twist", isfinite(twist[0]) ? cli_json_numbers(twist, 2) : json_null());
}

static json_t *json_joint(const sinew_model *model, const sinew_joint_def *def,
                          const sinew_joint *joint, int index) {
  limits range = joint_limits(model, joint);
  double low[3], high[3];
  json_t *object = json_object();
  cli_json_set(object, "name", cli_json_text(joint->name));
  cli_json_set(object, "kind", json_string(kind_names[joint->kind]));
  cli_json_set(object, "parent", cli_json_text(sinew_model_link_name(model, joint->parent)));
  cli_json_set(object, "child", cli_json_text(sinew_model_link_name(model, joint->child)));
  cli_json_set(object, "dof", json_integer(joint->nv));
  if (def->channels[0] != '\0')
    cli_json_set(object, "channels", json_string(def->channels));
  cli_json_set(object, "lower", json_limits(range.lower, range.count));
  cli_json_set(object, "upper", json_limits(range.upper, range.count));
  if (sinew_model_swing_twist(model, index, low, high))
    set_cone(object, low, high);
  if (joint->driver >= 0) {
    sinew_joint driver;
    sinew_expect_ok(sinew_model_joint(model, joint->driver, &driver));
    cli_json_set(object, "driver", cli_json_text(driver.name));
    cli_json_set(object, "ratio", cli_json_number(joint->ratio));
    cli_json_set(object, "offset", cli_json_number(joint->offset));
  }
  return object;
}

static json_t *json_motion(const sinew_motion *motion) {
  json_t *object = json_object();
  cli_json_set(object, "frames", json_integer(motion->frame_count));
  cli_json_set(object, "frame_time", cli_json_number(motion->frame_time));
  cli_json_set(object, "duration", cli_json_number(duration_of(motion)));
  return object;
}

// The family of closed forms of the chain that ends at a link.
typedef struct family {
  const char *words; // a constant string; NULL: none
  bool exact;        // else the chain is only near it
  double deviation;  // how far
} family;

static family family_of(const cli_figure *figure, sinew_solver *solver, int link) {
  sinew_task task = sinew_default_task();
  family out = {NULL, false, 0.0};
  task.kind = SINEW_TASK_POSE;
  task.link = link;
  double *q = cli_allocate((size_t)sinew_model_nq(figure->model) + 1, sizeof(double));
  sinew_configuration_start(figure->model, q);
  if (sinew_solver_set_tasks(solver, &task, 1, NULL) == SINEW_OK) {
    out.words = sinew_solver_nearby_family(solver, q, &out.deviation);
    out.exact = sinew_solver_family(solver, q) != NULL;
  }
  free(q);
  return out;
}

// @param lanes as sinew_solver_def.lanes
static sinew_solver *scalar_solver(const cli_figure *figure) {
  sinew_solver_def def = sinew_default_solver_def();
  sinew_solver *solver;
  def.task_capacity = 1;
  def.lanes = -1;
  sinew_expect_ok(sinew_solver_create(&def, figure->model, &solver, NULL));
  return solver;
}

// For each link its family, if it is a possible effector, or of such a link's ancestors the nearest
// that has one, as of a hand that carries fingers; else none. One that is only near is taken where
// no ancestor has an exact one. free() it.
static family *find_families(const cli_figure *figure) {
  const sinew_model *model = figure->model;
  const size_t links = (size_t)sinew_model_link_count(model);
  family *families = cli_allocate(links, sizeof *families);
  int *parent = cli_allocate(links, sizeof *parent);
  bool *effector = cli_figure_effectors(figure);
  sinew_solver *solver = scalar_solver(figure);
  for (size_t i = 0; i < links; ++i)
    parent[i] = -1;
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    parent[joint.child] = joint.parent;
  }
  for (size_t i = 0; i < links; ++i) {
    family found = {NULL, false, 0.0};
    int of = (int)i;
    for (int link = of; effector[i] && link >= 0 && !found.exact; link = parent[link]) {
      const family at = families[link].words ? families[link] : family_of(figure, solver, link);
      if (at.exact || (at.words && !found.words)) {
        found = at;
        of = link;
      }
    }
    if (found.words)
      families[of] = found;
  }
  sinew_solver_destroy(solver);
  free(effector);
  free(parent);
  return families;
}

// Those that are exact, or those that are only near.
static json_t *json_families(const cli_figure *figure, const family *families, bool exact) {
  json_t *object = json_object();
  for (int i = 0; i < sinew_model_link_count(figure->model); ++i)
    if (families[i].words && families[i].exact == exact) {
      json_t *value = json_string(families[i].words);
      if (!exact)
        value = json_pack("{s:o,s:f}", "family", value, "deviation", families[i].deviation);
      cli_json_set(object, sinew_model_link_name(figure->model, i), value);
    }
  return object;
}

static void print_families(const cli_figure *figure) {
  family *families = find_families(figure);
  for (int i = 0; i < sinew_model_link_count(figure->model); ++i) {
    if (families[i].words) {
      fputs(families[i].exact ? "closed form of " : "nearly a closed form of ", stdout);
      text_print(stdout, sinew_model_link_name(figure->model, i), 0);
      printf(": %s", families[i].words);
      if (!families[i].exact)
        printf(" (off by %.1e)", families[i].deviation);
      putchar('\n');
    }
  }
  free(families);
}

static void print_json(const cli_figure *figure, const cli_request *wanted,
                       const cli_info_tasks *tasks) {
  const sinew_model *model = figure->model;
  json_t *joints = json_array(), *links = json_array(), *effectors = json_array();
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    json_array_append_new(joints, json_joint(model, &figure->document->model.joints[j], &joint, j));
  }
  bool *effector = cli_figure_effectors(figure);
  for (int i = 0; i < sinew_model_link_count(model); ++i) {
    json_array_append_new(links, cli_json_text(sinew_model_link_name(model, i)));
    if (effector[i])
      json_array_append_new(effectors, cli_json_text(sinew_model_link_name(model, i)));
  }
  free(effector);

  json_t *object = json_object();
  cli_json_set(object, "name", cli_json_text(sinew_model_name(model)));
  cli_json_set(object, "file", cli_json_text(wanted->word));
  cli_json_set(object, "dof", json_integer(sinew_model_nv(model)));
  cli_json_set(object, "size", cli_json_number(sinew_model_size(model)));
  if (figure->document->motion.frame_count > 0)
    cli_json_set(object, "motion", json_motion(&figure->document->motion));
  cli_json_set(object, "joints", joints);
  cli_json_set(object, "links", links);
  cli_json_set(object, "effectors", effectors);
  family *families = find_families(figure);
  cli_json_set(object, "closed_forms", json_families(figure, families, true));
  cli_json_set(object, "nearly_closed_forms", json_families(figure, families, false));
  free(families);
  cli_info_lanes_set(figure, object);
  if (wanted->q) {
    json_t *dexterity = json_object();
    cli_dexterity_set(figure, wanted->q, dexterity);
    cli_json_set(object, "dexterity", dexterity);
  }
  if (tasks)
    cli_info_tasks_set(tasks, object);
  cli_json_print(object);
}

// ---- The table ----

// Room for a range, a kind or a coupling in words.
#define WORDS 128

// "-166 .. 166 deg", each end "-" where it is open.
static void write_range(double lower, double upper, cli_unit unit, const char *length_unit,
                        char text[WORDS]) {
  const double scale = unit == CLI_UNIT_ANGLE ? DEGREES : 1.0;
  const char *name = unit == CLI_UNIT_ANGLE ? "deg" : length_unit;
  if (isinf(lower) && isinf(upper))
    snprintf(text, WORDS, "no limits");
  else if (isinf(lower))
    snprintf(text, WORDS, "up to %.5g %s", scale * upper, name);
  else if (isinf(upper))
    snprintf(text, WORDS, "%.5g .. any %s", scale * lower, name);
  else
    snprintf(text, WORDS, "%.5g .. %.5g %s", scale * lower, scale * upper, name);
}

// "twist -86 .. 46, swing -34 .. 34 and -54 .. 54 deg": that of the swing about each of its axes.
static void put_cone(const double lower[3], const double upper[3], cli_line *line) {
  const bool swing = isfinite(lower[1]), twist = isfinite(lower[0]);
  char text[WORDS];
  cli_line_put(line, 2, "", 0);
  if (twist) {
    snprintf(text, sizeof text, "twist %.5g .. %.5g%s", DEGREES * lower[0], DEGREES * upper[0],
             swing ? "," : " deg");
    cli_line_put(line, 0, text, 0);
  }
  if (swing) {
    snprintf(text, sizeof text, "swing %.5g .. %.5g and %.5g .. %.5g deg", DEGREES * lower[1],
             DEGREES * upper[1], DEGREES * lower[2], DEGREES * upper[2]);
    cli_line_put(line, twist ? 1 : 0, text, 0);
  }
}

static void put_limits(const cli_figure *figure, int index, const sinew_joint *joint,
                       cli_line *line) {
  double low[3], high[3];
  if (sinew_model_swing_twist(figure->model, index, low, high)) {
    put_cone(low, high, line);
    return;
  }
  limits range = joint_limits(figure->model, joint);
  int bounded = 0;
  for (int i = 0; i < range.count; ++i)
    bounded += isfinite(range.lower[i]) || isfinite(range.upper[i]);
  if (bounded == 0)
    cli_line_put(line, 2, range.count > 0 ? "no limits" : "-", 0);
  for (int i = 0; bounded > 0 && i < range.count; ++i) {
    char text[WORDS + 1];
    cli_unit unit = CLI_UNIT_NONE;
    cli_column_suffix(&figure->document->model.joints[index], i, &unit);
    write_range(range.lower[i], range.upper[i], unit, figure->length_unit, text);
    if (i + 1 < range.count)
      strcat(text, ",");
    cli_line_put(line, i > 0 ? 1 : 2, text, 0);
  }
}

// "= 2 * knee + 0.1"
static void put_coupling(const sinew_model *model, const sinew_joint *joint, cli_line *line) {
  sinew_joint driver;
  char text[WORDS];
  sinew_expect_ok(sinew_model_joint(model, joint->driver, &driver));
  snprintf(text, sizeof text, "= %g *", joint->ratio);
  cli_line_put(line, 2, text, 0);
  cli_line_put(line, 1, driver.name, 0);
  snprintf(text, sizeof text, "+ %g", joint->offset);
  cli_line_put(line, 1, text, 0);
}

static void print_joint(const cli_figure *figure, int index, int name_width, int link_width) {
  const sinew_model *model = figure->model;
  sinew_joint joint;
  char text[WORDS];
  sinew_expect_ok(sinew_model_joint(model, index, &joint));
  cli_line line = cli_line_begin(stdout, 6);
  cli_line_put(&line, 2, joint.name, name_width);
  snprintf(text, sizeof text, "%-11s %3d", kind_names[joint.kind], joint.nv);
  cli_line_put(&line, 2, text, 0);
  cli_line_put(&line, 2, sinew_model_link_name(model, joint.child), link_width);
  put_limits(figure, index, &joint, &line);
  if (joint.driver >= 0)
    put_coupling(model, &joint, &line);
  cli_line_end(&line);
}

static void print_joints(const cli_figure *figure) {
  const sinew_model *model = figure->model;
  int name_width = 5, link_width = 11;
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    name_width = text_wider(name_width, joint.name);
    link_width = text_wider(link_width, sinew_model_link_name(model, joint.child));
  }
  cli_line line = cli_line_begin(stdout, 6);
  cli_line_put(&line, 2, "joint", name_width);
  cli_line_put(&line, 2, "kind        dof", 0);
  cli_line_put(&line, 2, "moves link", link_width);
  cli_line_put(&line, 2, "limits", 0);
  cli_line_end(&line);
  for (int j = 0; j < sinew_model_joint_count(model); ++j)
    print_joint(figure, j, name_width, link_width);
}

// ---- The motion of a BVH ----

static void print_motion(const sinew_motion *motion) {
  const int frames = motion->frame_count;
  printf("motion: %d frame%s", frames, frames == 1 ? "" : "s");
  if (frames > 0)
    printf(", frame time %.6g s", motion->frame_time);
  if (frames > 0 && motion->frame_time > 0)
    printf(" (%.4g per second), duration %.4g s", 1 / motion->frame_time, duration_of(motion));
  putchar('\n');
}

// Whether a joint before this one has the same channels.
static bool is_repeated(const sinew_model_def *def, int joint) {
  for (int j = 0; j < joint; ++j)
    if (strcmp(def->joints[j].channels, def->joints[joint].channels) == 0)
      return true;
  return false;
}

// Each order of channels, with how many joints have it.
static void print_channels(const sinew_model_def *def) {
  cli_line line = cli_line_begin(stdout, 2);
  cli_line_put(&line, 0, "channels (xyz: positions, XYZ: rotations):", 0);
  int left = 0;
  for (int j = 0; j < def->joint_count; ++j)
    left += def->joints[j].channels[0] != '\0' && !is_repeated(def, j);
  if (left == 0)
    cli_line_put(&line, 1, "none", 0);
  for (int j = 0; j < def->joint_count; ++j) {
    const char *channels = def->joints[j].channels;
    char text[WORDS];
    int count = 0;
    if (channels[0] == '\0' || is_repeated(def, j))
      continue;
    for (int i = j; i < def->joint_count; ++i)
      count += strcmp(def->joints[i].channels, channels) == 0;
    snprintf(text, sizeof text, "%s of %d joint%s%s", channels, count, count == 1 ? "" : "s",
             --left > 0 ? "," : "");
    cli_line_put(&line, 1, text, 0);
  }
  cli_line_end(&line);
}

static void print_head(const cli_figure *figure, const char *path) {
  const sinew_model *model = figure->model;
  const int counts[] = {sinew_model_nv(model), sinew_model_joint_count(model),
                        sinew_model_link_count(model)};
  static const char *const one[] = {"degree of freedom", "joint", "link"};
  static const char *const more[] = {"degrees of freedom", "joints", "links"};
  const char *name = sinew_model_name(model), *slash = strrchr(path, '/');
  cli_line line = cli_line_begin(stdout, 2);
  char text[WORDS];
  cli_line_put(&line, 0, name[0] != '\0' ? name : slash ? slash + 1 : path, 0);
  cli_line_put(&line, 0, ":", 0);
  for (int i = 0; i < 3; ++i) {
    snprintf(text, sizeof text, "%d %s,", counts[i], counts[i] == 1 ? one[i] : more[i]);
    cli_line_put(&line, 1, text, 0);
  }
  snprintf(text, sizeof text, "size %.4g %s", sinew_model_size(model), figure->length_unit);
  cli_line_put(&line, 1, text, 0);
  cli_line_end(&line);
  fputs("root link: ", stdout);
  text_print(stdout, sinew_model_link_name(model, sinew_model_root(model)), 0);
  putchar('\n');
}

static void print_table(const cli_figure *figure, const char *path) {
  const sinew_format_info *format = sinew_format_describe(figure->document->format);
  print_head(figure, path);
  if (!figure->scene && format && format->has_motion) {
    print_motion(&figure->document->motion);
    print_channels(&figure->document->model);
  }
  putchar('\n');
  print_joints(figure);
  putchar('\n');
  cli_figure_print_effectors(figure, stdout, INT_MAX);
  print_families(figure);
  cli_info_lanes_print(figure);
}

static void print_all(const cli_figure *figure, const cli_request *wanted,
                      const cli_info_tasks *tasks) {
  print_table(figure, wanted->word);
  if (wanted->q)
    cli_dexterity_print(figure, wanted->q);
  if (tasks)
    cli_info_tasks_print(tasks);
}

static int run(cli_request *wanted) {
  cli_figure figure;
  cli_info_tasks *tasks = NULL;
  if (wanted->as_urdf && (wanted->as_json || wanted->q || wanted->tasks))
    return cli_refuse("info: --urdf writes the model alone: use it without --json, --q and "
                      "--tasks");
  int exit_code = cli_figure_open(wanted->word, wanted->floating_base, &figure);
  if (exit_code == CLI_EXIT_DONE && wanted->q)
    exit_code = cli_dexterity_check(&figure, wanted->q);
  if (exit_code == CLI_EXIT_DONE && wanted->tasks) {
    tasks = cli_info_tasks_read(&figure, wanted->tasks, wanted->q);
    exit_code = tasks ? CLI_EXIT_DONE : CLI_EXIT_REFUSED;
  }
  if (exit_code == CLI_EXIT_DONE && wanted->as_urdf)
    exit_code = cli_urdf_write(&figure, stdout);
  else if (exit_code == CLI_EXIT_DONE && wanted->as_json)
    print_json(&figure, wanted, tasks);
  else if (exit_code == CLI_EXIT_DONE)
    print_all(&figure, wanted, tasks);
  cli_info_tasks_destroy(tasks);
  cli_figure_close(&figure);
  return exit_code;
}

const cli_command cli_command_info = {
    .id = CLI_INFO,
    .name = "info",
    .word = "MODEL",
    .summary = "links, joints, limits and possible end effectors",
    .usage = "MODEL [OPTION]...",
    .about =
        "Prints the links and joints of a model: kinds of joints, limits, degrees of freedom, "
        "and the links at the ends of its branches that joints move, which are the likely end "
        "effectors, with the family of arms with closed forms that each belongs to, if any, or of "
        "its ancestors the nearest that belongs to one, and "
        "the kinds of tasks that searches and batches run several at once in SIMD lanes. "
        "Of a BVH also its frames, frame time and duration, and the orders of its "
        "channels: x, y, z for positions, X, Y, Z for rotations.",
    .notes = "The limits printed are the effective ones: the limits of a coupled joint also bound "
             "the joint that drives it.\n\n"
             "With --json: one object with name, file, dof, size, motion (of a BVH: frames, "
             "frame_time and duration), joints (each with name, kind, parent, child, dof, lower "
             "and upper), links, effectors, closed_forms (from link to family), and "
             "tasks_in_lanes; with --q "
             "also dexterity (from effector to smallest, largest, condition and manipulability, of "
             "the Jacobian with lengths divided by the size); with --tasks also tasks (each with "
             "name, kind, link, frame_link, level, required, rows, dof, in_lanes (of searches), "
             "crowd_in_lanes and joints, which "
             "are those that move it), objectives (kind, level and weight) and level_0 (rows, dof, "
             "in_lanes and crowd_in_lanes of all tasks of level 0 together; with --q as in "
             "dexterity). Limits are "
             "in rad and m: null where there is none, "
             "an array where a joint has several degrees of freedom. A spherical joint with "
             "limits of swing and twist has them as swing (lower and upper about the first axis "
             "across that of the twist, then about the second) and twist (lower and upper). A "
             "coupled joint has dof 0, "
             "and also driver, ratio and offset; a joint of a BVH also has channels.",
    .examples = "  sinew info models/arm7.urdf\n"
                "  sinew info models/humanoid.bvh --json\n"
                "  sinew info models/humanoid.bvh --tasks examples/tasks/carry.json --q zero\n"
                "  sinew info spider --urdf > spider.urdf\n",
    .run = run};
