// How much the motion depends on the number of updates a second: the links of a run at 30, 60 or
// 120, compared with those of a run at 240, where the solver is given the time between updates and
// where it is not.
#include "experiments/clips.h"
#include "experiments/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Updates a second. The links are compared at times k / SAMPLE_RATE; the others are multiples of
// it.
#define SAMPLE_RATE 30
#define REFERENCE_RATE 240

static const int rates[] = {30, 60, 120};
static const double stretches[] = {1.0, CLIPS_STRETCH};

enum { RATES = sizeof rates / sizeof rates[0], STRETCHES = sizeof stretches / sizeof stretches[0] };

// Of the links from those of the run at REFERENCE_RATE [mm].
typedef struct difference {
  double mean, largest;
} difference;

typedef struct rate_row {
  difference found[STRETCHES][RATES];
} rate_row;

// The points of all links at the times k / SAMPLE_RATE.
typedef struct record {
  int link_count, capacity, count; // of times
  double *points;                  // count x link_count x 3
} record;

static bool record_begin(record *self, const clip *followed) {
  *self = (record){.link_count = followed->link_count,
                   .capacity = clip_frames_at(followed, SAMPLE_RATE)};
  self->points = calloc((size_t)self->capacity * (size_t)self->link_count * 3, sizeof(double));
  if (self->points == NULL) {
    fputs("sinew: out of memory\n", stderr);
  }
  return self->points != NULL;
}

static void record_add(record *self, const sinew_pose *poses) {
  double *points = self->points + 3 * (size_t)self->count++ * (size_t)self->link_count;
  for (int l = 0; l < self->link_count; ++l) {
    memcpy(points + 3 * (size_t)l, poses[l].position, 3 * sizeof *points);
  }
}

// @param timed whether the solver is given the time between updates
static bool record_run(record *self, const sinew_experiment_options *options, const clip *followed,
                       int rate, double stretch, bool timed) {
  const clip_course course = {
      .rate = rate, .kind = SINEW_TASK_POSE, .stretch = stretch, .updates = options->updates};
  sinew_solver_def def = sinew_default_solver_def();
  clip_follower run;
  if (timed) {
    def.tracking.time_step = 1.0 / (rate * options->updates);
  }
  if (!clip_follower_begin(&run, followed, &def, &course)) {
    return false;
  }
  self->count = 0;
  while (self->count < self->capacity && clip_follower_next(&run)) {
    if (run.frame % (rate / SAMPLE_RATE) == 0) {
      record_add(self, run.poses);
    }
  }
  clip_follower_end(&run);
  return true;
}

static difference compare(const record *a, const record *b, double millimetres) {
  const int points = (a->count < b->count ? a->count : b->count) * a->link_count;
  difference found = {0};
  for (int i = 0; i < points; ++i) {
    const size_t at = 3 * (size_t)i;
    const double distance = millimetres * clip_distance(a->points + at, b->points + at);
    found.mean += distance / points;
    found.largest = fmax(found.largest, distance);
  }
  return found;
}

static bool run_clip(const sinew_experiment_options *options, const clip *followed, bool timed,
                     rate_row *out) {
  record reference = {0}, other = {0};
  bool good = record_begin(&reference, followed) && record_begin(&other, followed);
  for (int s = 0; good && s < STRETCHES; ++s) {
    good = record_run(&reference, options, followed, REFERENCE_RATE, stretches[s], timed);
    for (int r = 0; good && r < RATES; ++r) {
      good = record_run(&other, options, followed, rates[r], stretches[s], timed);
      out->found[s][r] = compare(&other, &reference, followed->millimetres);
    }
  }
  free(reference.points);
  free(other.points);
  return good;
}

// ---------------------------------------------------------------------- output

static void print_row(const char *label, const rate_row *row) {
  printf("%-24.24s", label);
  for (int s = 0; s < STRETCHES; ++s) {
    fputs(s > 0 ? " |" : "", stdout);
    for (int r = 0; r < RATES; ++r) {
      printf(" %7.3f %7.2f", row->found[s][r].mean, row->found[s][r].largest);
    }
  }
  putchar('\n');
}

static void print_table(const clip_folder *folder, const rate_row *rows, bool timed) {
  rate_row all = {0};
  printf("\nUpdates a second, %s: distance of links from those of a run at %d [mm],\n"
         "mean and largest; poses, in reach | moved away from their centroid by %.0f %%\n%-24s",
         timed ? "time_step set" : "time_step not set", REFERENCE_RATE,
         100.0 * (CLIPS_STRETCH - 1.0), "");
  for (int i = 0; i < STRETCHES * RATES; ++i) {
    printf("%s %7d %7s", i == RATES ? " |" : "", rates[i % RATES], "");
  }
  putchar('\n');
  for (int i = 0; i < folder->count; ++i) {
    print_row(folder->clips[i].name, &rows[i]);
    for (int k = 0; k < STRETCHES * RATES; ++k) {
      difference *sum = &all.found[k / RATES][k % RATES];
      const difference *found = &rows[i].found[k / RATES][k % RATES];
      sum->mean += found->mean / folder->count;
      sum->largest = fmax(sum->largest, found->largest);
    }
  }
  print_row("all clips", &all);
}

static void write_rows(FILE *csv, const clip_folder *folder, const rate_row *rows, bool timed) {
  for (int i = 0; csv != NULL && i < folder->count; ++i) {
    for (int k = 0; k < STRETCHES * RATES; ++k) {
      const difference *found = &rows[i].found[k / RATES][k % RATES];
      output_text(csv, folder->clips[i].name);
      fprintf(csv, ",%s,%g,%d,%.8g,%.8g\n", timed ? "yes" : "no", stretches[k / RATES],
              rates[k % RATES], found->mean, found->largest);
    }
  }
}

// @param begin of this half of the work
static bool run_table(const sinew_experiment_options *options, const clip_folder *folder,
                      bool timed, double begin, FILE *csv) {
  rate_row *rows = calloc((size_t)folder->count, sizeof *rows);
  bool good = rows != NULL;
  for (int i = 0; good && i < folder->count; ++i) {
    options->progress(begin + 0.5 * i / folder->count);
    good = run_clip(options, &folder->clips[i], timed, &rows[i]);
  }
  options->progress(1.0);
  if (good) {
    print_table(folder, rows, timed);
    write_rows(csv, folder, rows, timed);
  }
  free(rows);
  return good;
}

bool clip_rates_run(const sinew_experiment_options *options, const clip_folder *folder) {
  static const char name[] = "rates.csv";
  FILE *csv = NULL;
  if (options->folder != NULL) {
    csv = output_open(options->folder, name);
    if (csv == NULL) {
      return false;
    }
    fputs("clip,time_step_set,stretch,updates_per_second,mean_mm,largest_mm\n", csv);
  }
  bool good = run_table(options, folder, true, 0.0, csv);
  good = good && run_table(options, folder, false, 0.5, csv);
  if (csv != NULL) {
    good = output_close(csv, name) && good;
  }
  return good;
}
