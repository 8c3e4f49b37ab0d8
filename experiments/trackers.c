// Figures that were not used to choose a constant of sinew: the error of each method for targets in
// reach, and its jitter out of reach.
//
// Two requirements for the default: on each figure it is no worse than Newton's step with c = 1 in
// error and in jitter, and no other method, at any of its settings, is better in both. Buss's
// methods are swept over lambda, Newton's step over damping_scale.
#include "experiments/clips.h"
#include "experiments/experiments.h"
#include "experiments/methods.h"
#include "experiments/output.h"
#include "experiments/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const figures[] = {"arm6",      "arm7",           "humanoid", "spider",
                                      "reference", "planar",         "chain-5",  "chain-20",
                                      "chain-100", "humanoid-poses", "hand",     "snake"};

enum {
  FIGURE_COUNT = sizeof figures / sizeof figures[0],
  SETTINGS = 13,
  SETTINGS_BRIEF = 4,
  MOST_ROWS = 80
};

// Approximately Buss's lambda and D_max divided by the sizes of his two figures.
#define USUAL_LAMBDA 0.2
#define USUAL_CLAMP 0.1

#define WARM_UP 400
#define MEASURED 7200
#define MEASURED_BRIEF 1440

// "No worse" allows for the last digit in a table.
#define SLACK 1.005

// A method at one setting.
typedef struct row {
  const method *method;
  double lambda;        // divided by the figure's size; 0: has none
  double damping_scale; // of Newton's step; 0: has none
  bool swept;           // a setting of a sweep, not the usual one
  tally found;
} row;

// From least to 100 times that, in equal ratios.
static double setting_at(double least, int index, int count) {
  return least * pow(100.0, (double)index / (count - 1));
}

static bool run_row(const study *s, const sinew_experiment_options *options, row *r) {
  const double size = sinew_model_size(s->model);
  const method_setting setting = {.lambda = r->lambda * size, .clamp = USUAL_CLAMP * size};
  sinew_solver_def def = method_def(r->method, setting);
  if (r->damping_scale > 0.0) {
    def.step.damping_scale = r->damping_scale;
  }
  return study_track(s, &def, options->updates, &r->found, NULL);
}

// Every method once, and those with a setting also over a sweep of it.
static int list_rows(row *rows, int settings) {
  int count = 0;
  for (int m = 0; m < method_count; ++m) {
    const method *which = &methods[m];
    const bool newton = which->method == SINEW_METHOD_NEWTON;
    rows[count++] = (row){.method = which,
                          .lambda = which->damped ? USUAL_LAMBDA : 0.0,
                          .damping_scale = newton ? 1.0 : 0.0};
    for (int i = 0; (which->damped || newton) && i < settings; ++i) {
      rows[count++] = (row){.method = which,
                            .lambda = which->damped ? setting_at(0.01, i, settings) : 0.0,
                            .damping_scale = newton ? setting_at(0.1, i, settings) : 0.0,
                            .swept = true};
    }
  }
  return count;
}

static const row *find_row(const row *rows, int count, const char *name) {
  for (int i = 0; i < count; ++i) {
    if (strcmp(rows[i].method->name, name) == 0) {
      return &rows[i];
    }
  }
  return NULL;
}

static bool is_better(const row *a, const row *b) {
  return a->found.error < b->found.error && a->found.jitter < b->found.jitter;
}

static double product(const row *r) {
  return r->found.error * r->found.jitter;
}

// The one of two with the smaller product of error and jitter; either may be NULL.
static const row *smaller_product(const row *a, const row *b) {
  return a == NULL || (b != NULL && product(b) < product(a)) ? b : a;
}

// The best setting of a method.
static const row *best_setting(const row *rows, int count, const char *name) {
  const row *best = NULL;
  for (int i = 0; i < count; ++i) {
    if (strcmp(rows[i].method->name, name) == 0) {
      best = smaller_product(best, &rows[i]);
    }
  }
  return best;
}

// The settings that are better than the default in both error and jitter.
typedef struct rivals {
  int tried, better;
  const row *best[2]; // of Buss's methods, and of Newton's step; NULL: none is better
} rivals;

static rivals find_rivals(const row *rows, int count, const row *own) {
  rivals found = {0};
  for (int i = 0; i < count; ++i) {
    const int newton = rows[i].method->method == SINEW_METHOD_NEWTON;
    if (rows[i].method->method == SINEW_METHOD_DEFAULT) {
      continue;
    }
    ++found.tried;
    if (is_better(&rows[i], own)) {
      ++found.better;
      found.best[newton] = smaller_product(found.best[newton], &rows[i]);
    }
  }
  return found;
}

static void print_row(const char *label, const row *r) {
  const tally *t = &r->found;
  printf("  %-33s %10.6f %10.5f %10.4f %10.4f\n", label, t->error, t->jitter, t->jitter_most,
         t->change_most);
}

static void print_setting(const row *r, const char *remark) {
  char label[80];
  if (r->lambda > 0.0) {
    snprintf(label, sizeof label, "%s, lambda %.3g%s", r->method->label, r->lambda, remark);
  } else if (r->swept) {
    snprintf(label, sizeof label, "Newton, c = %.3g%s", r->damping_scale, remark);
  } else {
    snprintf(label, sizeof label, "%s%s", r->method->label, remark);
  }
  print_row(label, r);
}

static void print_verdict(const row *rows, int count) {
  const row *own = find_row(rows, count, "default"), *newton = find_row(rows, count, "newton");
  const bool error = own->found.error <= SLACK * newton->found.error;
  const bool jitter = own->found.jitter <= SLACK * newton->found.jitter;
  const rivals found = find_rivals(rows, count, own);
  printf("  against Newton, c = 1: error %s (%.2f), jitter %s (%.2f)\n",
         error ? "no worse" : "WORSE", own->found.error / newton->found.error,
         jitter ? "no worse" : "WORSE", own->found.jitter / newton->found.jitter);
  if (found.better == 0) {
    printf("  less error and less jitter: none of the %d settings of other methods\n", found.tried);
    return;
  }
  printf(
      "  less error and less jitter: %d of the %d settings of other methods, the BEST of them:\n",
      found.better, found.tried);
  for (int k = 0; k < 2; ++k) {
    if (found.best[k] != NULL) {
      print_setting(found.best[k], "");
    }
  }
}

static void print_figure(const study *s, const row *rows, int count) {
  printf("\n%s: %s\n  %d degrees of freedom, %d effectors; %d steps in reach, %d out of it\n",
         s->scene->name, s->scene->title, sinew_model_nv(s->model), s->scene->task_count,
         rows[0].found.steps_in, rows[0].found.steps_out);
  printf("  %-33s %10s %10s %10s %10s\n", "", "error in", "jitter out", "largest", "of all");
  for (int i = 0; i < count; ++i) {
    if (!rows[i].swept) {
      print_setting(&rows[i], "");
    }
  }
  print_setting(best_setting(rows, count, "dls-clamped"), ", best");
  print_setting(best_setting(rows, count, "newton"), ", best");
  print_verdict(rows, count);
}

static void write_rows(FILE *csv, const study *s, const row *rows, int count) {
  for (int i = 0; csv != NULL && i < count; ++i) {
    const tally *t = &rows[i].found;
    fprintf(csv, "%s,%s,", s->scene->name, rows[i].method->name);
    if (rows[i].lambda > 0.0) {
      fprintf(csv, "%.6g", rows[i].lambda);
    }
    fputc(',', csv);
    if (rows[i].damping_scale > 0.0) {
      fprintf(csv, "%.6g", rows[i].damping_scale);
    }
    fprintf(csv, ",%.8g,%.8g,%.8g,%.8g\n", t->error, t->jitter, t->jitter_most, t->change_most);
  }
}

static bool run_figure(const sinew_experiment_options *options, int index, FILE *csv) {
  row rows[MOST_ROWS];
  const int count = list_rows(rows, options->brief ? SETTINGS_BRIEF : SETTINGS);
  study *s = study_create(figures[index], WARM_UP, options->brief ? MEASURED_BRIEF : MEASURED);
  bool good = s != NULL;
  for (int i = 0; good && i < count; ++i) {
    options->progress((index + (double)i / count) / FIGURE_COUNT);
    good = run_row(s, options, &rows[i]);
  }
  options->progress(1.0);
  if (good) {
    print_figure(s, rows, count);
    write_rows(csv, s, rows, count);
  }
  study_destroy(s);
  return good;
}

static bool run_figures(const sinew_experiment_options *options) {
  FILE *csv = NULL;
  if (options->folder != NULL) {
    csv = output_open(options->folder, "trackers.csv");
    if (csv == NULL) {
      return false;
    }
    fputs("figure,method,lambda,damping_scale,error_in_reach,jitter_out_of_reach,jitter_largest,"
          "change_largest\n",
          csv);
  }
  puts("Errors divided by the figure's size, with the angle [rad] for pose tasks; jitter\n"
       "|ddq| [rad], all joints together. lambda divided by the figure's size. Best: the\n"
       "smallest product of error and jitter in a sweep of lambda, or of c, the factor on\n"
       "the damping of Newton's step.");
  bool good = true;
  for (int i = 0; good && i < FIGURE_COUNT; ++i) {
    good = run_figure(options, i, csv);
  }
  if (csv != NULL) {
    good = output_close(csv, "trackers.csv") && good;
  }
  return good;
}

bool sinew_experiment_trackers(const sinew_experiment_options *options) {
  clip_folder clips;
  bool good = clip_folder_open(&clips, options->clips);
  good = good && run_figures(options);
  if (good && clips.count > 0) {
    good = clips_run(options, &clips);
  } else if (good) {
    puts("\n--clips DIR adds tables of the motion-capture clips in a folder.");
  }
  clip_folder_close(&clips);
  return good;
}
