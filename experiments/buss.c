// Buss's experiment: the Y and the double-Y follow targets that move in and out of reach, one
// update a step, with every method.
//
// Source: S. R. Buss, Introduction to Inverse Kinematics with Jacobian Transpose, Pseudoinverse and
// Damped Least Squares methods, 2009, section 8; S. R. Buss and J.-S. Kim, Selectively Damped Least
// Squares for Inverse Kinematics, 2005. The metrics are sinew's own (study.h), since his were
// judged on the screen; his released program was measured with them.
#include "experiments/buss.h"
#include "experiments/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 20 periods of the targets, after the figure has caught up with them.
#define WARM_UP 400
#define MEASURED 25133
#define MEASURED_BRIEF 2514

// The damping of the sweep [m].
#define LEAST_LAMBDA 0.05
#define MOST_LAMBDA 3.0
#define LAMBDAS 25
#define LAMBDAS_BRIEF 9
#define LAMBDAS_PRINTED 9

// Errors and jitter: Buss's released program IKMethods, its updates measured with the metrics of
// study.h, with the error in the clamping of its SDLS corrected. Times: one core at 2.3 GHz
// nominal; a double-Y of 12 x 16 for the last. Published times: section 8 of the report, which has
// them for a Y of 6 x 7 and a double-Y of 12 x 16, and DLS' as DLS.
static const buss_figure y_theirs[] = {{"transpose", 0, NAN, NAN, 0.69, 1.1},
                                       {"pseudoinverse", 0, .055, .149, 2.80, NAN},
                                       {"dls", .6, .044, .0013, 0.91, 2.2},
                                       {"dls-clamped", .4, .028, .0028, 0.92, 2.2},
                                       {"sdls", 0, .032, .0033, 2.92, NAN}};
static const buss_figure double_y_theirs[] = {{"transpose", 0, NAN, NAN, 5.50, NAN},
                                              {"pseudoinverse", 0, .078, .218, 17.7, NAN},
                                              {"dls", 1.1, .145, .0045, 7.22, NAN},
                                              {"dls-clamped", .7, .083, .0070, 7.29, NAN},
                                              {"sdls", 0, .040, .0140, 19.3, NAN}};
static const buss_figure small_theirs[] = {{"transpose", 0, NAN, NAN, 2.55, 6.5},
                                           {"pseudoinverse", 0, NAN, NAN, 12.2, NAN},
                                           {"dls", 0, NAN, NAN, 4.24, 18.5},
                                           {"dls-clamped", 0, NAN, NAN, 4.29, 18.5},
                                           {"sdls", 0, NAN, NAN, 13.4, NAN}};

const buss_scene buss_scenes[] = {
    {"y", "Y, 7 joints", {.6, .4}, {.4, .4}, y_theirs, 5},
    {"double-y-25", "double-Y, 25 joints", {1.1, .4}, {.7, .4}, double_y_theirs, 5},
    {"double-y-16", "double-Y, 16 joints", {1.1, .4}, {.7, .4}, small_theirs, 5}};

const int buss_scene_count = sizeof buss_scenes / sizeof buss_scenes[0];

sinew_solver_def buss_def(const buss_scene *scene, const method *which) {
  return method_def(which, which->clamped ? scene->clamped_setting : scene->setting);
}

// ------------------------------------------------------------------------ measuring

static double lambda_at(int index, int count) {
  return LEAST_LAMBDA * pow(MOST_LAMBDA / LEAST_LAMBDA, (double)index / (count - 1));
}

static bool sweep(const sinew_experiment_options *options, const method *which, buss_result *out) {
  const int index = (int)(which - methods);
  for (int i = 0; i < out->lambda_count; ++i) {
    method_setting setting = which->clamped ? out->scene->clamped_setting : out->scene->setting;
    setting.lambda = out->lambda[i];
    const sinew_solver_def def = method_def(which, setting);
    if (!study_track(out->study, &def, options->updates, &out->swept[index][i], NULL)) {
      return false;
    }
  }
  return true;
}

static bool measure(const sinew_experiment_options *options, int scene, buss_result *out) {
  out->scene = &buss_scenes[scene];
  out->lambda_count = options->brief ? LAMBDAS_BRIEF : LAMBDAS;
  for (int i = 0; i < out->lambda_count; ++i) {
    out->lambda[i] = lambda_at(i, out->lambda_count);
  }
  out->study = study_create(out->scene->name, WARM_UP, options->brief ? MEASURED_BRIEF : MEASURED);
  bool good = out->study != NULL;
  for (int m = 0; good && m < method_count; ++m) {
    const sinew_solver_def def = buss_def(out->scene, &methods[m]);
    options->progress((scene + (double)m / method_count) / buss_scene_count);
    good = study_track(out->study, &def, options->updates, &out->found[m], NULL) &&
           (!methods[m].damped || sweep(options, &methods[m], out));
    out->microseconds[m] = good ? study_time(out->study, &def) : NAN;
  }
  options->progress(1.0);
  return good;
}

// ------------------------------------------------------------------------- printing

static void print_number(const char *format, double value) {
  char text[32] = "-";
  if (isfinite(value)) {
    snprintf(text, sizeof text, format, value);
  }
  printf(" %9s", text);
}

static const buss_figure *find_published(const buss_scene *scene, const char *name) {
  for (int i = 0; i < scene->their_count; ++i) {
    if (strcmp(scene->theirs[i].method, name) == 0) {
      return &scene->theirs[i];
    }
  }
  return NULL;
}

// The time of an update in another program or report, and its ratio to sinew's.
static void print_times(double own, double other) {
  print_number("%.2f", other);
  print_number("%.1f", other / own);
}

static void print_method(const buss_result *result, int index) {
  const method *which = &methods[index];
  const tally *found = &result->found[index];
  const buss_figure *theirs = find_published(result->scene, which->name);
  const method_setting setting =
      which->clamped ? result->scene->clamped_setting : result->scene->setting;
  printf("  %-22s", which->label);
  print_number("%.2g", which->damped ? setting.lambda : NAN);
  print_number("%.4f", found->error);
  print_number("%.4f", found->jitter);
  print_number("%.3f", found->jitter_most);
  print_number("%.3f", found->change_most);
  print_number("%.2f", result->microseconds[index]);
  printf("  |");
  print_number("%.3f", theirs != NULL ? theirs->error : NAN);
  print_number("%.4f", theirs != NULL ? theirs->jitter : NAN);
  print_times(result->microseconds[index], theirs != NULL ? theirs->microseconds : NAN);
  printf("  |");
  print_times(result->microseconds[index], theirs != NULL ? theirs->published : NAN);
  putchar('\n');
}

static void print_table(const buss_result *result) {
  printf("\n%s; %d steps in reach, %d out of it\n", result->study->scene->title,
         result->found[0].steps_in, result->found[0].steps_out);
  printf("  %-22s %9s %9s %9s %9s %9s %9s  |%40s  |%20s\n", "", "", "error", "jitter", "largest",
         "largest", "us an", "Buss's program", "his report");
  printf("  %-22s %9s %9s %9s %9s %9s %9s  | %9s %9s %9s %9s  | %9s %9s\n", "", "lambda",
         "in reach", "out", "out", "of all", "update", "error", "jitter", "us", "times", "us",
         "times");
  for (int m = 0; m < method_count; ++m) {
    print_method(result, m);
  }
}

// Part of the sweep: the picture and the CSV have all of it.
static void print_sweep(const buss_result *result) {
  for (int m = 0; m < method_count; ++m) {
    if (!methods[m].damped) {
      continue;
    }
    printf("\n  %s against lambda\n  %9s %9s %9s %9s\n", methods[m].label, "lambda", "error",
           "jitter", "largest");
    for (int i = 0; i < LAMBDAS_PRINTED; ++i) {
      const int at = i * (result->lambda_count - 1) / (LAMBDAS_PRINTED - 1);
      const tally *found = &result->swept[m][at];
      printf("  %9.3f %9.4f %9.4f %9.3f\n", result->lambda[at], found->error, found->jitter,
             found->jitter_most);
    }
  }
}

static const char legend[] =
    "error: distance of an effector from its target, mean over the steps in reach [m];\n"
    "jitter: |ddq| over all joints, out of reach, mean and largest [rad]; lambda [m].\n"
    "Buss's program: IKMethods as released, with the same metrics; times from another day.\n"
    "His report: the times of 2009, on a Pentium at 2.8 GHz. times: that over sinew's.\n"
    "Its SDLS scales each direction by gamma / (gamma + max |phi|), where sinew clamps with\n"
    "ClampMaxAbs as the paper has it: the scaled step has less jitter out of reach.\n";

bool sinew_experiment_buss(const sinew_experiment_options *options) {
  buss_result *results = calloc((size_t)buss_scene_count, sizeof *results);
  bool good = results != NULL;
  fputs(legend, stdout);
  for (int i = 0; good && i < buss_scene_count; ++i) {
    good = measure(options, i, &results[i]);
    if (good) {
      print_table(&results[i]);
      print_sweep(&results[i]);
    }
  }
  good = good && buss_singularity(options);
  good = good && (options->folder == NULL || buss_write(options, results, buss_scene_count));
  for (int i = 0; results != NULL && i < buss_scene_count; ++i) {
    study_destroy(results[i].study);
  }
  free(results);
  return good;
}
