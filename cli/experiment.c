// sinew experiment: runs a published experiment.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "experiments/experiments.h"
#include "experiments/text.h"
#include "message.h"
#include "names.h"
#include "progress.h"
#include "request.h"

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
  cli_refuse("there is no experiment '%s'%s 'sinew experiment list' names them", name,
             near[0] != '\0' ? near : ".");
  return NULL;
}

// Makes a folder and its parents, where they do not exist.
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
    return cli_refuse("%s: not a folder", path);
  return CLI_EXIT_DONE;
}

static void print_names(void) {
  const sinew_experiment *experiment;
  puts("The experiments are:");
  for (int i = 0; (experiment = sinew_experiment_at(i)); ++i) {
    int used = printf("  %-13s  ", experiment->name);
    text_wrap(experiment->title, used);
  }
}

static int run(cli_request *wanted) {
  const sinew_experiment_options options = {.folder = wanted->out,
                                            .updates = wanted->updates,
                                            .brief = wanted->brief,
                                            .clips = wanted->clips,
                                            .progress = cli_progress};
  if (strcmp(wanted->word, "list") == 0) {
    print_names();
    return CLI_EXIT_DONE;
  }
  const sinew_experiment *experiment = find_experiment(wanted->word);
  if (!experiment)
    return CLI_EXIT_REFUSED;
  if (wanted->clips && !experiment->takes_clips)
    return cli_refuse("experiment: --clips is for 'trackers', not for '%s'", experiment->name);
  if ((wanted->out && make_folder(wanted->out) != CLI_EXIT_DONE))
    return CLI_EXIT_REFUSED;
  return experiment->run(&options) ? CLI_EXIT_DONE : CLI_EXIT_REFUSED;
}

static void set_defaults(cli_request *wanted) {
  wanted->updates = 1;
}

const cli_command cli_command_experiment = {
    .id = CLI_EXPERIMENT,
    .name = "experiment",
    .word = "NAME",
    .summary = "repeats a published experiment",
    .usage = "NAME [OPTION]...",
    .about =
        "Repeats a published experiment on built-in models, and prints its table. The NAME list "
        "prints the names.",
    .print_more = print_names,
    .examples = "  sinew experiment buss --out out/buss\n"
                "  sinew experiment trackers --brief\n"
                "  sinew experiment trackers --clips models --out out/trackers\n",
    .set_defaults = set_defaults,
    .run = run};
