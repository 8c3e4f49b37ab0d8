// "all": every experiment, each table and picture on one page of HTML that needs no other file.
#include "experiments/experiments.h"
#include "experiments/output.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sinew/base.h"

// The experiments of the page; others take minutes.
static const char *const names[] = {"buss",        "methods",  "claims",     "damping",
                                    "convergence", "motion",   "joint-sets", "two-link",
                                    "tree",        "trimming", "learned"};

enum { COUNT = sizeof names / sizeof names[0] };

static const sinew_experiment *find(const char *name) {
  const sinew_experiment *found = NULL;
  for (int i = 0; (found = sinew_experiment_at(i)) != NULL; ++i) {
    if (strcmp(found->name, name) == 0) {
      return found;
    }
  }
  return NULL;
}

// Runs an experiment with its standard output in FOLDER/NAME.txt.
static bool run_into(const sinew_experiment *experiment, const sinew_experiment_options *options) {
  char path[4200], text[64];
  snprintf(text, sizeof text, "%s.txt", experiment->name);
  snprintf(path, sizeof path, "%s/%s", options->folder, text);
  FILE *file = output_open(options->folder, text);
  if (file == NULL || !output_close(file, text)) {
    return false;
  }
  fflush(stdout);
  const int kept = dup(STDOUT_FILENO);
  if (kept < 0 || freopen(path, "w", stdout) == NULL) {
    return false;
  }
  const bool good = experiment->run(options);
  fflush(stdout);
  dup2(kept, STDOUT_FILENO);
  close(kept);
  return good;
}

static void put_escaped(FILE *page, FILE *text) {
  for (int c = fgetc(text); c != EOF; c = fgetc(text)) {
    if (c == '<' || c == '>' || c == '&') {
      fprintf(page, "&#%d;", c);
    } else {
      fputc(c, page);
    }
  }
}

// A file's text; a picture as it is.
static void put_file(FILE *page, const char *folder, const char *name, bool picture) {
  char path[4400];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    return;
  }
  if (picture) {
    char line[2048];
    while (fgets(line, sizeof line, file) != NULL) {
      if (strncmp(line, "<?xml", 5) != 0 && strncmp(line, "<!DOCTYPE", 9) != 0 &&
          strncmp(line, " \"http", 6) != 0) {
        fputs(line, page);
      }
    }
  } else {
    put_escaped(page, file);
  }
  fclose(file);
}

static int is_picture(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return length > 4 && strcmp(entry->d_name + length - 4, ".svg") == 0;
}

static void put_pictures(FILE *page, const char *folder) {
  struct dirent **entries;
  const int count = scandir(folder, &entries, is_picture, versionsort);
  for (int i = 0; i < count; ++i) {
    fputs("<figure>\n", page);
    put_file(page, folder, entries[i]->d_name, true);
    fprintf(page, "<figcaption>%s</figcaption></figure>\n", entries[i]->d_name);
    free(entries[i]);
  }
  if (count >= 0) {
    free(entries);
  }
}

static bool write_page(const sinew_experiment_options *options) {
  static const char name[] = "index.html";
  struct utsname machine = {0};
  FILE *page = output_open(options->folder, name);
  if (page == NULL) {
    return false;
  }
  uname(&machine);
  fprintf(page,
          "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<title>sinew: experiments</title>\n<style>body{font-family:sans-serif;margin:2em;"
          "max-width:70em}pre{background:#f4f5f7;padding:1em;overflow-x:auto}svg{max-width:100%%;"
          "height:auto}</style></head><body>\n<h1>sinew %s: experiments</h1>\n"
          "<p>%s %s on %s. Times depend on the machine; all else is the same in every run.</p>\n",
          sinew_version(), machine.sysname, machine.release, machine.machine);
  for (int i = 0; i < COUNT; ++i) {
    char text[64];
    snprintf(text, sizeof text, "%s.txt", names[i]);
    fprintf(page, "<h2>%s</h2>\n<p>%s</p>\n<pre>", names[i], find(names[i])->title);
    put_file(page, options->folder, text, false);
    fputs("</pre>\n", page);
  }
  fputs("<h2>Pictures</h2>\n", page);
  put_pictures(page, options->folder);
  fputs("</body></html>\n", page);
  return output_close(page, name);
}

bool sinew_experiment_all(const sinew_experiment_options *options) {
  if (options->folder == NULL) {
    fputs("sinew: experiment all: the option --out is missing\n", stderr);
    return false;
  }
  for (int i = 0; i < COUNT; ++i) {
    if (!run_into(find(names[i]), options)) {
      return false;
    }
  }
  if (!write_page(options)) {
    return false;
  }
  printf("%s/index.html\n", options->folder);
  return true;
}
