// The MODEL of a command line: a file, and the model made from it.
#include "figure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "line.h"
#include "message.h"
#include "mistakes.h"
#include "names.h"
#include "number.h"
#include "scenes/expect.h"

// Most names listed where one was not found.
#define NAMES_LISTED 24

// Whether the document has told it already: some readers create the model too.
static bool is_told(const sinew_document *document, const char *warning) {
  for (int i = 0; i < document->warning_count; ++i)
    if (strcmp(document->warnings[i].message, warning) == 0)
      return true;
  return false;
}

static void print_warnings(const char *path, const cli_figure *figure) {
  for (int i = 0; i < figure->document->warning_count; ++i)
    cli_warn_error(&figure->document->warnings[i]);
  const char *warning = NULL;
  for (int i = 0; (warning = sinew_model_warning(figure->model, i)); ++i)
    if (!is_told(figure->document, warning))
      cli_warn("%s: %s", path, warning);
}

// A built-in scene stands for a file that does not exist: its document is made
// here, by no reader.
static bool open_scene(const char *name, cli_figure *figure) {
  if (access(name, F_OK) == 0)
    return false;
  figure->scene = sinew_scene_create(name);
  if (!figure->scene)
    return false;
  figure->document = cli_allocate(1, sizeof *figure->document);
  figure->document->model = figure->scene->model;
  return true;
}

static const char *scene_name_at(const void *names, int index) {
  (void)names;
  return sinew_scene_name(index);
}

// Neither a file that can be read nor a built-in model.
static int refuse_missing(const char *path, int reason) {
  if (reason != ENOENT)
    return cli_refuse("%s: %s", path, strerror(reason));
  char near[256];
  int count = 0;
  while (sinew_scene_name(count))
    ++count;
  cli_names_suggest(path, scene_name_at, NULL, count, near, sizeof near);
  for (int i = 0; i < count; ++i)
    if (strcmp(path, sinew_scene_name(i)) == 0)
      snprintf(near, sizeof near, "; a number stands in place of N");
  return cli_refuse("%s: there is no such file, and no built-in model of this name%s", path, near);
}

int cli_figure_open(const char *path, bool floating_base, cli_figure *figure) {
  *figure = (cli_figure){0};
  sinew_error error = {0};
  sinew_read_def def = sinew_default_read_def();
  def.floating_base = floating_base;
  bool built_in = open_scene(path, figure);
  if (!built_in && access(path, R_OK) != 0)
    return refuse_missing(path, errno);
  if ((!built_in && sinew_document_open(path, &def, &figure->document, &error) != SINEW_OK) ||
      sinew_model_create(&figure->document->model, &figure->model, &error) != SINEW_OK) {
    if (error.file[0] == '\0')
      snprintf(error.file, sizeof error.file, "%s", path);
    return cli_refuse_error(&error);
  }
  const sinew_format_info *format = sinew_format_describe(figure->document->format);
  if (floating_base && (!format || !format->takes_floating_base))
    return cli_refuse("%s: --floating-base is for a URDF; %s has its own root joints", path,
                      built_in ? "a built-in model"
                      : format ? format->name
                               : "this file");

  figure->length_unit = format && !format->length_unit ? "units" : "m";
  print_warnings(path, figure);
  return CLI_EXIT_DONE;
}

void cli_figure_close(cli_figure *figure) {
  sinew_model_destroy(figure->model);
  if (figure->scene)
    free(figure->document);
  else
    sinew_document_destroy(figure->document);
  sinew_scene_destroy(figure->scene);
  *figure = (cli_figure){0};
}

sinew_result cli_figure_set_joints(cli_figure *figure, const sinew_joint_def *joints,
                                   sinew_error *error) {
  sinew_model_def def = figure->document->model;
  sinew_model *model = NULL;
  def.joints = joints;
  const sinew_result result = sinew_model_create(&def, &model, error);
  if (result != SINEW_OK)
    return result;
  sinew_model_destroy(figure->model);
  figure->model = model;
  return SINEW_OK;
}

enum { UNKNOWN, STILL, MOVED };

// The link above, or -1 at the root or where the joint between the two moves.
// @param above the joint above each link, -1: none
static int fixed_parent(const sinew_model *model, const int *above, int link, bool *moves) {
  sinew_joint joint;
  *moves = false;
  if (above[link] < 0)
    return -1;
  sinew_expect_ok(sinew_model_joint(model, above[link], &joint));
  *moves = joint.nv > 0 || joint.driver >= 0;
  return *moves ? -1 : joint.parent;
}

// Whether a joint above a link moves it. The answer is noted for the links between, so that all
// links of a tree take linear time.
static bool find_moved(const sinew_model *model, const int *above, unsigned char *known, int link) {
  bool moves = false;
  int end = link;
  for (int next = end; next >= 0 && known[end] == UNKNOWN;) {
    next = fixed_parent(model, above, end, &moves);
    end = next >= 0 ? next : end;
  }
  const unsigned char found = known[end] != UNKNOWN ? known[end] : moves ? MOVED : STILL;
  for (int at = link; at >= 0 && known[at] == UNKNOWN; at = fixed_parent(model, above, at, &moves))
    known[at] = found;
  return found == MOVED;
}

bool cli_figure_slides(const cli_figure *figure, int index, int i) {
  const sinew_joint_def *joint = &figure->document->model.joints[index];
  switch (joint->kind) {
  case SINEW_JOINT_PRISMATIC:
    return true;
  case SINEW_JOINT_CYLINDRICAL:
    return i == 1;
  case SINEW_JOINT_PLANAR:
    return i < 2;
  case SINEW_JOINT_FREE:
    return i < 3;
  case SINEW_JOINT_CHANNELS:
    return strchr("xyz", joint->channels[i]) != NULL;
  case SINEW_JOINT_FUNCTION:
    return joint->channels[i] == 'm';
  default:
    return false;
  }
}

bool *cli_figure_moved_links(const cli_figure *figure) {
  const sinew_model *model = figure->model;
  const size_t links = (size_t)sinew_model_link_count(model);
  bool *moved = cli_allocate(links, sizeof(bool));
  int *above = cli_allocate(links, sizeof(int));
  unsigned char *known = cli_allocate(links, 1);
  for (size_t i = 0; i < links; ++i)
    above[i] = -1;
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    above[joint.child] = j;
  }
  for (size_t i = 0; i < links; ++i)
    moved[i] = find_moved(model, above, known, (int)i);
  free(above);
  free(known);
  return moved;
}

bool *cli_figure_effectors(const cli_figure *figure) {
  bool *effector = cli_figure_moved_links(figure);
  for (int j = 0; j < sinew_model_joint_count(figure->model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(figure->model, j, &joint));
    effector[joint.parent] = false;
  }
  return effector;
}

void cli_figure_print_effectors(const cli_figure *figure, FILE *file, int most) {
  bool *effector = cli_figure_effectors(figure);
  cli_line line = cli_line_begin(file, 2);
  int found = 0;
  cli_line_put(&line, 0, "possible effectors:", 0);
  for (int i = 0; i < sinew_model_link_count(figure->model); ++i)
    if (effector[i] && ++found <= most)
      cli_line_put(&line, 1, sinew_model_link_name(figure->model, i), 0);
  if (found > most)
    cli_line_put(&line, 1, "...", 0);
  if (found == 0)
    cli_line_put(&line, 1, "none, as no joint moves", 0);
  cli_line_end(&line);
  free(effector);
}

static const char *link_name_at(const void *model, int index) {
  return sinew_model_link_name(model, index);
}

void cli_figure_suggest_link(const cli_figure *figure, const char *name, char *text, size_t size) {
  const sinew_model *model = figure->model;
  sinew_joint joint;
  if (sinew_model_joint(model, sinew_model_find_joint(model, name), &joint) == SINEW_OK)
    snprintf(text, size, "; '%s' is a joint, and moves the link '%s'", name,
             sinew_model_link_name(model, joint.child));
  else
    cli_names_suggest(name, link_name_at, model, sinew_model_link_count(model), text, size);
}

void cli_figure_suggest_joint(const cli_figure *figure, const char *name, char *text, size_t size) {
  const sinew_model *model = figure->model;
  const int link = sinew_model_find_link(model, name);
  sinew_joint joint;
  text[0] = '\0';
  if (link >= 0 &&
      sinew_model_joint(model, sinew_model_link_joint(model, link), &joint) == SINEW_OK)
    snprintf(text, size, "; '%s' is a link, which the joint '%s' moves", name, joint.name);
}

static const char *joint_name_at(const void *model, int index) {
  sinew_joint joint;
  sinew_expect_ok(sinew_model_joint(model, index, &joint));
  return joint.name;
}

void cli_figure_suggest_joint_name(const cli_figure *figure, const char *name, char *text,
                                   size_t size) {
  const sinew_model *model = figure->model;
  cli_figure_suggest_joint(figure, name, text, size);
  if (text[0] == '\0' && strcmp(name, "floating_base") == 0)
    snprintf(text, size, "; --floating-base adds it to a URDF");
  else if (text[0] == '\0')
    cli_names_suggest(name, joint_name_at, model, sinew_model_joint_count(model), text, size);
}

int cli_figure_find_link(const cli_figure *figure, const char *option, const char *name) {
  int link = sinew_model_find_link(figure->model, name);
  if (link >= 0)
    return link;

  char near[1024];
  cli_figure_suggest_link(figure, name, near, sizeof near);
  cli_refuse("%s: there is no link '%s'%s", option, name, near);
  if (sinew_model_find_joint(figure->model, name) >= 0)
    return -1;
  cli_figure_print_effectors(figure, stderr, NAMES_LISTED);
  fputs("(any link can be used; 'sinew info' lists them)\n", stderr);
  return -1;
}

static void warn_of_mistakes(const cli_figure *figure, const char *option, const double *q) {
  cli_mistakes mistakes = cli_mistakes_begin(figure);
  char text[512];
  while (cli_mistakes_in_values(&mistakes, q, true, text, sizeof text))
    cli_warn("%s: %s", option, text);
  cli_mistakes_end(&mistakes);
}

int cli_figure_configuration(const cli_figure *figure, const char *option, const char *text,
                             double *q) {
  if (strcmp(text, "middle") == 0) {
    sinew_configuration_middle(figure->model, q);
    return CLI_EXIT_DONE;
  }
  if (strcmp(text, "zero") == 0) {
    sinew_configuration_start(figure->model, q);
    return CLI_EXIT_DONE;
  }

  int nq = sinew_model_nq(figure->model);
  int exit_code = cli_option_numbers(
      option, text,
      "'middle', 'zero', or the values of all joints that are not coupled, in the order of 'sinew "
      "info'",
      q, nq);
  if (exit_code == CLI_EXIT_DONE) {
    warn_of_mistakes(figure, option, q);
    sinew_configuration_normalize(figure->model, q);
  }
  return exit_code;
}
