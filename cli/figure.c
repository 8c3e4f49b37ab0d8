// The MODEL of a command line: a file, and the model made from it.
#include "figure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "message.h"
#include "names.h"
#include "number.h"
#include "experiments/text.h"

// Most names listed where one was not found.
#define NAMES_LISTED 24

static void print_warnings(const char *path, const cli_figure *figure) {
  for (int i = 0; i < figure->document->warning_count; ++i)
    cli_warn_error(&figure->document->warnings[i]);
  const char *warning = NULL;
  for (int i = 0; (warning = sinew_model_warning(figure->model, i)); ++i)
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

bool *cli_figure_leaves(const cli_figure *figure) {
  const sinew_model_def *def = &figure->document->model;
  bool *leaf = cli_allocate((size_t)def->link_count, sizeof(bool));
  for (int i = 0; i < def->link_count; ++i)
    leaf[i] = true;
  for (int j = 0; j < def->joint_count; ++j)
    leaf[def->joints[j].parent] = false;
  return leaf;
}

static const char *link_name_at(const void *model, int index) {
  return sinew_model_link_name(model, index);
}

static void print_name(const char *name) {
  fputc(' ', stderr);
  text_print(stderr, name, 0);
}

static void print_effectors(const cli_figure *figure) {
  bool *leaf = cli_figure_leaves(figure);
  int listed = 0;
  fputs("possible effectors:", stderr);
  for (int i = 0; i < sinew_model_link_count(figure->model) && listed <= NAMES_LISTED; ++i)
    if (leaf[i] && ++listed <= NAMES_LISTED)
      print_name(sinew_model_link_name(figure->model, i));
  fprintf(stderr, "%s\n(any link can be used; 'sinew info' lists them)\n",
          listed > NAMES_LISTED ? " ..." : "");
  free(leaf);
}

int cli_figure_find_link(const cli_figure *figure, const char *name) {
  int link = sinew_model_find_link(figure->model, name);
  if (link >= 0)
    return link;

  char near[512];
  cli_names_suggest(name, link_name_at, figure->model, sinew_model_link_count(figure->model), near,
                    sizeof near);
  cli_refuse("there is no link '%s'%s", name, near);
  print_effectors(figure);
  return -1;
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
      "middle, zero, or a value for each joint that is not coupled, in the order of 'sinew info'",
      q, nq);
  if (exit_code == CLI_EXIT_DONE)
    sinew_configuration_normalize(figure->model, q);
  return exit_code;
}
