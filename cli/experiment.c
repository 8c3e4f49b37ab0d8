// sinew experiment: a published experiment, run again.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "experiments/experiments.h"
#include "message.h"
#include "names.h"
#include "number.h"
#include "options.h"
#include "progress.h"

#define MOST_UPDATES 1000

static const char help[] =
    "usage: sinew experiment NAME [--out DIR] [--updates N] [--brief]\n"
    "\n"
    "Runs a published experiment and prints its table.\n"
    "\n"
    "%s"
    "\n"
    "  --out DIR      CSV files and pictures into a folder, made where it is missing;\n"
    "                 the pictures need gnuplot\n"
    "  --updates N    updates a step; default 1\n"
    "  --brief        fewer steps and settings: some seconds\n"
    "  --help         this text\n"
    "\n"
    "examples:\n"
    "  sinew experiment buss --out out/buss\n"
    "  sinew experiment trackers --brief\n";

static void print_help(void) {
  char list[2048] = "";
  size_t length = 0;
  const sinew_experiment *experiment = NULL;
  for (int i = 0; (experiment = sinew_experiment_at(i)) && length < sizeof list; ++i)
    length += (size_t)snprintf(list + length, sizeof list - length, "  %-13s  %s\n",
                               experiment->name, experiment->title);
  printf(help, list);
}

typedef struct request {
  const char *name;
  sinew_experiment_options options;
  bool help;
} request;

static int parse(int argc, char **argv, request *wanted) {
  enum { OUT = CLI_OPTION_FIRST, UPDATES, BRIEF, HELP };
  static const struct option options[] = {{"out", required_argument, NULL, OUT},
                                          {"updates", required_argument, NULL, UPDATES},
                                          {"brief", no_argument, NULL, BRIEF},
                                          {"help", no_argument, NULL, HELP},
                                          {0}};
  for (int option; (option = cli_option_next(argc, argv, options)) != -1;) {
    switch (option) {
    case OUT:
      wanted->options.folder = optarg;
      break;
    case UPDATES:
      if (cli_option_count("--updates", optarg, 1, MOST_UPDATES, &wanted->options.updates) !=
          CLI_EXIT_DONE)
        return CLI_EXIT_REFUSED;
      break;
    case BRIEF:
      wanted->options.brief = true;
      break;
    case HELP:
      wanted->help = true;
      return CLI_EXIT_DONE;
    default:
      return CLI_EXIT_REFUSED;
    }
  }
  if (optind >= argc)
    return cli_refuse("experiment: which one? See 'sinew experiment --help'");
  if (optind + 1 < argc)
    return cli_refuse("experiment: one at a time, but there is also '%s'", argv[optind + 1]);
  wanted->name = argv[optind];
  return CLI_EXIT_DONE;
}

static const char *experiment_name_at(const void *names, int index) {
  (void)names;
  return sinew_experiment_at(index)->name;
}

static const sinew_experiment *find_experiment(const char *name) {
  const sinew_experiment *experiment = NULL;
  int count = 0;
  for (; (experiment = sinew_experiment_at(count)); ++count)
    if (strcmp(name, experiment->name) == 0)
      return experiment;

  char near[256];
  cli_names_suggest(name, experiment_name_at, NULL, count, near, sizeof near);
  cli_refuse("there is no experiment '%s'%s See 'sinew experiment --help'", name,
             near[0] != '\0' ? near : ".");
  return NULL;
}

// Makes a folder and those above it, where they are missing.
static int make_folder(const char *path) {
  char part[4096];
  if (strlen(path) >= sizeof part)
    return cli_refuse("%s: the path is too long", path);
  for (size_t i = 1; i <= strlen(path); ++i) {
    if (path[i] != '/' && path[i] != '\0')
      continue;
    memcpy(part, path, i);
    part[i] = '\0';
    if (mkdir(part, 0777) != 0 && errno != EEXIST)
      return cli_refuse("%s: %s", part, strerror(errno));
  }

  struct stat status;
  if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
    return cli_refuse("%s: it is no folder", path);
  return CLI_EXIT_DONE;
}

int cli_command_experiment(int argc, char **argv) {
  request wanted = {.options = {.updates = 1, .progress = cli_progress}};
  int exit_code = parse(argc, argv, &wanted);
  if (exit_code != CLI_EXIT_DONE)
    return exit_code;
  if (wanted.help) {
    print_help();
    return CLI_EXIT_DONE;
  }

  const sinew_experiment *experiment = find_experiment(wanted.name);
  if (!experiment)
    return CLI_EXIT_REFUSED;
  if (wanted.options.folder && make_folder(wanted.options.folder) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  return experiment->run(&wanted.options) ? CLI_EXIT_DONE : CLI_EXIT_REFUSED;
}
