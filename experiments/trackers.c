// Figures that were not used to choose a constant of sinew: the error of each method for targets in
// reach, and its jitter out of reach.
//
// Two requirements for the default: on each figure it is no worse than Newton's step with c = 1 in
// error and in jitter, and no method of Buss, at any damping, is better in both.
#include "experiments/experiments.h"
#include "experiments/methods.h"
#include "experiments/output.h"
#include "experiments/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const figures[] = {"arm6",   "arm7",    "humanoid", "spider",   "reference",
                                      "planar", "chain-5", "chain-20", "chain-100"};

enum { FIGURE_COUNT = sizeof figures / sizeof figures[0], MOST_LAMBDAS = 13, MOST_ROWS = 64 };

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
  double lambda; // divided by the figure's size; 0: has none
  tally found;
} row;

static double lambda_at(int index, int count) {
  return 0.01 * pow(100.0, (double)index / (count - 1));
}

static bool run_row(const study *s, const sinew_experiment_options *options, row *r) {
  const double size = sinew_model_size(s->model);
  const method_setting setting = {.lambda = r->lambda * size, .clamp = USUAL_CLAMP * size};
  const sinew_solver_def def = method_def(r->method, setting);
  return study_track(s, &def, options->updates, &r->found, NULL);
}

// Every method once, and those with damping also over a sweep of it.
static int list_rows(row *rows, int lambdas) {
  int count = 0;
  for (int m = 0; m < method_count; ++m) {
    rows[count++] = (row){.method = &methods[m], .lambda = methods[m].damped ? USUAL_LAMBDA : 0.0};
    for (int i = 0; methods[m].damped && i < lambdas; ++i) {
      rows[count++] = (row){.method = &methods[m], .lambda = lambda_at(i, lambdas)};
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

// Of those better than the default in both, the one with the smallest product.
static const row *best_rival(const row *rows, int count, const row *own) {
  const row *best = NULL;
  for (int i = 0; i < count; ++i) {
    const bool ours = rows[i].method->method == SINEW_METHOD_DEFAULT ||
                      rows[i].method->method == SINEW_METHOD_NEWTON;
    if (!ours && is_better(&rows[i], own) &&
        (best == NULL ||
         rows[i].found.error * rows[i].found.jitter < best->found.error * best->found.jitter)) {
      best = &rows[i];
    }
  }
  return best;
}

static void print_row(const char *label, const row *r) {
  const tally *t = &r->found;
  printf("  %-33s %10.6f %10.5f %10.4f %10.4f\n", label, t->error, t->jitter, t->jitter_most,
         t->change_most);
}

static void print_setting(const row *r) {
  char label[64];
  snprintf(label, sizeof label, "%s", r->method->label);
  if (r->lambda > 0.0) {
    snprintf(label, sizeof label, "%s, lambda %.3g", r->method->label, r->lambda);
  }
  print_row(label, r);
}

static void print_verdict(const row *rows, int count) {
  const row *own = find_row(rows, count, "default"), *newton = find_row(rows, count, "newton");
  const bool error = own->found.error <= SLACK * newton->found.error;
  const bool jitter = own->found.jitter <= SLACK * newton->found.jitter;
  const row *rival = best_rival(rows, count, own);
  printf("  against Newton: error %s (%.2f), jitter %s (%.2f); ", error ? "no worse" : "WORSE",
         own->found.error / newton->found.error, jitter ? "no worse" : "WORSE",
         own->found.jitter / newton->found.jitter);
  if (rival == NULL) {
    puts("none of Buss's is better in both");
  } else {
    puts("of Buss's BETTER on both:");
    print_setting(rival);
  }
}

static void print_figure(const study *s, const row *rows, int count) {
  printf("\n%s: %s\n  %d degrees of freedom, %d effectors; %d steps in reach, %d out of it\n",
         s->scene->name, s->scene->title, sinew_model_nv(s->model), s->scene->task_count,
         rows[0].found.steps_in, rows[0].found.steps_out);
  printf("  %-33s %10s %10s %10s %10s\n", "", "error in", "jitter out", "largest", "of all");
  for (int i = 0; i < count; ++i) {
    if (i == 0 || rows[i].method != rows[i - 1].method) {
      print_setting(&rows[i]);
    }
  }
  print_verdict(rows, count);
}

static void write_rows(FILE *csv, const study *s, const row *rows, int count) {
  for (int i = 0; csv != NULL && i < count; ++i) {
    const tally *t = &rows[i].found;
    fprintf(csv, "%s,%s,", s->scene->name, rows[i].method->name);
    if (rows[i].lambda > 0.0) {
      fprintf(csv, "%.6g", rows[i].lambda);
    }
    fprintf(csv, ",%.8g,%.8g,%.8g,%.8g\n", t->error, t->jitter, t->jitter_most, t->change_most);
  }
}

static bool run_figure(const sinew_experiment_options *options, int index, FILE *csv) {
  row rows[MOST_ROWS];
  const int count = list_rows(rows, options->brief ? 4 : MOST_LAMBDAS);
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

bool sinew_experiment_trackers(const sinew_experiment_options *options) {
  FILE *csv = NULL;
  if (options->folder != NULL) {
    csv = output_open(options->folder, "trackers.csv");
    if (csv == NULL) {
      return false;
    }
    fputs("figure,method,lambda,error_in_reach,jitter_out_of_reach,jitter_largest,"
          "change_largest\n",
          csv);
  }
  puts("Errors divided by the figure's size, with the angle [rad] for pose tasks; jitter\n"
       "|ddq| [rad], all joints together. lambda divided by the figure's size.");
  bool good = true;
  for (int i = 0; good && i < FIGURE_COUNT; ++i) {
    good = run_figure(options, i, csv);
  }
  if (csv != NULL) {
    good = output_close(csv, "trackers.csv") && good;
  }
  return good;
}
