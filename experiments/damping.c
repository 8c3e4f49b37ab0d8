// The damping laws of the literature on one bench: updates that follow targets in and out of reach,
// and solves.
//
// Each law is measured at the best of five settings of its constant, by the product of error in
// reach and jitter out of reach, so that no law is judged by a constant that does not suit it.
#include "experiments/experiments.h"
#include "experiments/output.h"
#include "experiments/solved.h"
#include "experiments/study.h"

#include <math.h>
#include <stdio.h>

#define WARM_UP 100
#define MEASURED 3000
#define MEASURED_BRIEF 500
#define SETTINGS 5

static const char *const figures[] = {"y", "double-y-25", "arm7", "planar"};
static const double settings[SETTINGS] = {0.02, 0.05, 0.1, 0.2, 0.4};

enum { FIGURES = sizeof figures / sizeof figures[0] };

// The definition of a law at a setting: lambda and D in sizes, c of the error.
static sinew_solver_def def_of(int law, double setting, double size) {
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = SINEW_METHOD_DLS;
  def.step.damping_law = (sinew_damping_law)law;
  def.step.damping = law == SINEW_DAMPING_ERROR ? 0.0 : setting * size;
  def.step.error_damping = 5.0 * setting;
  def.step.max_turn = 5.0 * setting;
  return def;
}

static bool measure(const study *s, int law, int updates, tally *best, double *setting) {
  double least = INFINITY;
  for (int k = 0; k < SETTINGS; ++k) {
    const sinew_solver_def def = def_of(law, settings[k], sinew_model_size(s->model));
    tally found;
    if (!study_track(s, &def, updates, &found, NULL)) {
      return false;
    }
    if (found.error * found.jitter < least) {
      least = found.error * found.jitter;
      *best = found;
      *setting = settings[k];
    }
  }
  return true;
}

static bool measure_figure(const char *figure, const sinew_experiment_options *options, FILE *csv) {
  study *s = study_create(figure, WARM_UP, options->brief ? MEASURED_BRIEF : MEASURED);
  bool good = s != NULL;
  printf("\n%s: each law at the best of its settings\n  %-15s %8s %10s %10s %10s %8s\n", figure,
         "law", "setting", "error", "jitter", "most", "solved");
  for (int law = 0; good && law < SINEW_DAMPING_COUNT; ++law) {
    tally best = {0};
    double setting = 0.0;
    solved got;
    sinew_solver_def def = def_of(law, 0.1, sinew_model_size(s->model));
    def.step.max_turn = 1.0;
    good = measure(s, law, options->updates, &best, &setting) &&
           solved_measure(figure, &def, options->brief ? 20 : 100, &got);
    if (!good) {
      break;
    }
    const char *name = sinew_damping_law_string((sinew_damping_law)law);
    printf("  %-15s %8g %10.3g %10.3g %10.3g %6.0f %%\n", name, setting, best.error, best.jitter,
           best.change_most, 100.0 * got.restarted / got.count);
    if (csv != NULL) {
      fprintf(csv, "%s,%s,%g,%.6g,%.6g,%.6g,%.4g\n", figure, name, setting, best.error, best.jitter,
              best.change_most, (double)got.restarted / got.count);
    }
  }
  study_destroy(s);
  return good;
}

bool sinew_experiment_damping(const sinew_experiment_options *options) {
  static const char name[] = "laws.csv"; // buss writes a damping.csv
  FILE *csv = options->folder != NULL ? output_open(options->folder, name) : NULL;
  bool good = options->folder == NULL || csv != NULL;
  if (csv != NULL) {
    fputs("figure,law,setting,error_in_reach,jitter_out_of_reach,largest_change,solved\n", csv);
  }
  for (int f = 0; good && f < FIGURES; ++f) {
    good = measure_figure(figures[f], options, csv);
    options->progress((f + 1.0) / FIGURES);
  }
  return (csv == NULL || output_close(csv, name)) && good;
}
