// Every method of the library on every figure: the share of reachable targets that it solves for,
// and what it does where it follows moving targets.
#include "experiments/every_method.h"
#include "experiments/output.h"
#include "experiments/solved.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TARGETS 200
#define BRIEF_TARGETS 8

// Steps of the moving targets, of which the first are not measured.
#define WARM_UP 100
#define MEASURED 2000
#define MEASURED_BRIEF 300

// The steps of a series that is written.
#define SERIES 300

// Rows: the library's methods, and the caller's.
#define MOST_ROWS (SINEW_METHOD_COUNT + 1)

static int rows_of(const own_method *own) {
  return SINEW_METHOD_COUNT + (own != NULL);
}

static const char *name_of(int m, const own_method *own) {
  return m < SINEW_METHOD_COUNT ? sinew_method_info_of(m)->name : own->name;
}

static sinew_solver_def def_of(int m) {
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = (sinew_method)m;
  return def;
}

// ---------------------------------------------------------------------- solves

static void print_head(void) {
  printf(
      "Of reachable targets, %% solved from the middle of the limits / with restarts, 500 steps in "
      "all\n  %-17s",
      "");
  for (int f = 0; solved_figure(f) != NULL; ++f) {
    printf(" %9s", solved_figure(f));
  }
  putchar('\n');
}

static bool solve_on(int f, int m, const own_method *own, int count, solved *got) {
  if (m == SINEW_METHOD_COUNT) {
    return solved_measure_own(solved_figure(f), own, count, got);
  }
  const sinew_solver_def def = def_of(m);
  return solved_measure(solved_figure(f), &def, count, got);
}

static bool solve_all(int m, const own_method *own, int count, solved *got) {
  printf("  %-17s", name_of(m, own));
  for (int f = 0; solved_figure(f) != NULL; ++f) {
    if (!solve_on(f, m, own, count, &got[f])) {
      return false;
    }
    printf(" %4.0f /%3.0f", 100.0 * got[f].first / count, 100.0 * got[f].restarted / count);
    fflush(stdout);
  }
  putchar('\n');
  return true;
}

// --------------------------------------------------------------------- updates

typedef struct row {
  solved solves[SOLVED_FIGURES];
  tally updates[SOLVED_FIGURES];
  double microseconds[SOLVED_FIGURES]; // of an update; NaN: not measured
} row;

// ---------------------------------------------------------------------- series

static void write_targets(FILE *csv, const study *s) {
  const int count = s->scene->task_count;
  fputs("step,reach", csv);
  for (int t = 0; t < count; ++t) {
    fprintf(csv, ",x%d,y%d,z%d,qw%d,qx%d,qy%d,qz%d", t, t, t, t, t, t, t);
  }
  for (int step = 0; step < SERIES; ++step) {
    fprintf(csv, "\n%d,%d", step, (int)s->reach[step]);
    for (int t = 0; t < count; ++t) {
      const sinew_target *target = &s->targets[step * count + t];
      fprintf(csv, ",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g", target->position[0], target->position[1],
              target->position[2], target->rotation[0], target->rotation[1], target->rotation[2],
              target->rotation[3]);
    }
  }
  fputc('\n', csv);
}

static void write_steps(FILE *csv, const study *s, const study_step *steps, const double *q) {
  const int nq = sinew_model_nq(s->model);
  fputs("step,error,jitter", csv);
  for (int i = 0; i < nq; ++i) {
    fprintf(csv, ",q%d", i);
  }
  for (int step = 0; step < SERIES; ++step) {
    fprintf(csv, "\n%d,%.6g,%.6g", step, steps[step].error, steps[step].jitter);
    for (int i = 0; i < nq; ++i) {
      fprintf(csv, ",%.6g", q[step * nq + i]);
    }
  }
  fputc('\n', csv);
}

// The figure's targets, or by a method the configurations, errors and jitter, of the first steps.
static bool write_series(const char *folder, const study *s, const char *name,
                         const study_step *steps, const double *q) {
  char file[128];
  snprintf(file, sizeof file, "series-%s-%s.csv", s->scene->name, name);
  FILE *csv = output_open(folder, file);
  if (csv == NULL) {
    return false;
  }
  if (steps == NULL) {
    write_targets(csv, s);
  } else {
    write_steps(csv, s, steps, q);
  }
  return output_close(csv, file);
}

static bool write_method(const char *folder, const study *s, int m, const own_method *own,
                         const study_step *steps) {
  int numbers[SERIES];
  double *q = calloc((size_t)SERIES * (size_t)sinew_model_nq(s->model), sizeof *q);
  for (int step = 0; step < SERIES; ++step) {
    numbers[step] = step;
  }
  const sinew_solver_def def = def_of(m < SINEW_METHOD_COUNT ? m : SINEW_METHOD_DEFAULT);
  const bool good = q != NULL &&
                    (m < SINEW_METHOD_COUNT ? study_poses(s, &def, numbers, SERIES, q)
                                            : study_poses_own(s, own, numbers, SERIES, q)) &&
                    write_series(folder, s, name_of(m, own), steps, q);
  free(q);
  return good;
}

// One method follows the targets.
static bool follow(const study *s, int m, const own_method *own, bool brief, tally *updates,
                   double *microseconds, study_step *steps) {
  if (m == SINEW_METHOD_COUNT) {
    *microseconds = brief ? NAN : study_time_own(s, own);
    return study_track_own(s, own, 1, updates, steps);
  }
  const sinew_solver_def def = def_of(m);
  *microseconds = brief ? NAN : study_time(s, &def);
  return study_track(s, &def, 1, updates, steps);
}

static bool follow_all(int f, const own_method *own, const sinew_experiment_options *options,
                       row *rows) {
  const bool brief = options->brief, writes = options->folder != NULL;
  study *s = study_create(solved_figure(f), WARM_UP, brief ? MEASURED_BRIEF : MEASURED);
  study_step *steps = s != NULL ? calloc((size_t)s->step_count, sizeof *steps) : NULL;
  bool good = steps != NULL && (!writes || write_series(options->folder, s, "targets", NULL, NULL));
  for (int m = 0; good && m < rows_of(own); ++m) {
    good = follow(s, m, own, brief, &rows[m].updates[f], &rows[m].microseconds[f], steps) &&
           (!writes || write_method(options->folder, s, m, own, steps));
  }
  free(steps);
  study_destroy(s);
  return good;
}

// One column; NaN: not measured.
static void print_number(double value) {
  if (isnan(value)) {
    printf(" %9s", "-");
  } else {
    printf(" %9.3g", value);
  }
}

static void print_figure(int f, const own_method *own, int count, const row *rows) {
  printf("\n%s: steps and time of a solve with restarts; one update a step: its time, error in "
         "reach,\njitter out of reach, largest change of the step [rad]\n  %-17s %8s %9s %9s %9s "
         "%9s %9s\n",
         solved_figure(f), "", "steps", "us", "update us", "error", "jitter", "change");
  for (int m = 0; m < rows_of(own); ++m) {
    const solved *solves = &rows[m].solves[f];
    const tally *updates = &rows[m].updates[f];
    printf("  %-17s %8.1f %9.1f", name_of(m, own), (double)solves->steps / count,
           solves->microseconds / count);
    print_number(rows[m].microseconds[f]);
    print_number(updates->error);
    print_number(updates->jitter);
    print_number(updates->change_most);
    putchar('\n');
  }
}

// ------------------------------------------------------------------ the experiment

static bool write_rows(const char *folder, const own_method *own, int count, const row *rows) {
  static const char name[] = "every-method.csv"; // buss writes a methods.csv
  FILE *csv = output_open(folder, name);
  if (csv == NULL) {
    return false;
  }
  fputs("method,figure,targets,first,restarted,steps,microseconds,update_microseconds,error_in_"
        "reach,jitter_out_of_reach,largest_change\n",
        csv);
  for (int m = 0; m < rows_of(own); ++m) {
    for (int f = 0; f < SOLVED_FIGURES; ++f) {
      const solved *solves = &rows[m].solves[f];
      const tally *updates = &rows[m].updates[f];
      fprintf(csv, "%s,%s,%d,%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", name_of(m, own),
              solved_figure(f), count, solves->first, solves->restarted,
              (double)solves->steps / count, solves->microseconds / count, rows[m].microseconds[f],
              updates->error, updates->jitter, updates->change_most);
    }
  }
  return output_close(csv, name);
}

bool every_method_run(const own_method *own, const sinew_experiment_options *options) {
  static row rows[MOST_ROWS];
  const int count = options->brief ? BRIEF_TARGETS : TARGETS;
  const double parts = rows_of(own) + SOLVED_FIGURES;
  if (options->brief) {
    puts(
        "-: not measured. --brief does not time updates, and its few steps may all be in reach.\n");
  }
  print_head();
  for (int m = 0; m < rows_of(own); ++m) {
    if (!solve_all(m, own, count, rows[m].solves)) {
      return false;
    }
    options->progress((m + 1) / parts);
  }
  for (int f = 0; f < SOLVED_FIGURES; ++f) {
    if (!follow_all(f, own, options, rows)) {
      return false;
    }
    print_figure(f, own, count, rows);
    options->progress((rows_of(own) + f + 1) / parts);
  }
  return options->folder == NULL || write_rows(options->folder, own, count, rows);
}

bool sinew_experiment_methods(const sinew_experiment_options *options) {
  return every_method_run(NULL, options);
}
