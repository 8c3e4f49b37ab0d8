// Motion-capture clips, followed at several frame rates: hands, feet and head as poses and as
// positions, in reach and moved out of it.
#include "experiments/clips.h"
#include "experiments/output.h"

#include <stdlib.h>

const clip_method clip_methods[CLIP_METHOD_COUNT] = {
    {"default", "default", SINEW_METHOD_DEFAULT, 0.0},
    {"dls", "DLS", SINEW_METHOD_DLS, 0.02},
    {"newton", "Newton", SINEW_METHOD_NEWTON, 0.0}};

// Frames a second; 0: the clip's own. A brief run takes the first two of each.
static const double rates[] = {0, 25, 30, 15, 60, 120, 240}, stretched_rates[] = {0, 25};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { BRIEF_RATES = 2, MOST_COURSES = 2 * (COUNT(rates) + COUNT(stretched_rates)) };

static int list_courses(const sinew_experiment_options *options, clip_course *courses) {
  static const sinew_task_kind kinds[] = {SINEW_TASK_POSE, SINEW_TASK_POSITION};
  const int rate_count = options->brief ? BRIEF_RATES : COUNT(rates);
  int count = 0;
  for (int i = 0; i < rate_count + COUNT(stretched_rates); ++i) {
    const bool stretched = i >= rate_count;
    for (int k = 0; k < COUNT(kinds); ++k) {
      courses[count++] =
          (clip_course){.rate = stretched ? stretched_rates[i - rate_count] : rates[i],
                        .kind = kinds[k],
                        .stretch = stretched ? CLIPS_STRETCH : 1.0,
                        .updates = options->updates};
    }
  }
  return count;
}

static sinew_solver_def def_of(const clip_method *which, const clip *followed) {
  sinew_solver_def def = sinew_default_solver_def();
  def.step.method = which->method;
  if (which->lambda > 0.0) {
    def.step.damping = which->lambda * sinew_model_size(followed->model);
    def.step.error_damping = 0.0;
  }
  return def;
}

// Follows all clips with each method.
// @param begin,share this part of the work
static bool run_course(const sinew_experiment_options *options, const clip_folder *folder,
                       const clip_course *course, double begin, double share,
                       clip_result *results) {
  const int runs = CLIP_METHOD_COUNT * folder->count;
  bool good = true;
  for (int i = 0; good && i < runs; ++i) {
    const clip *followed = &folder->clips[i % folder->count];
    const sinew_solver_def def = def_of(&clip_methods[i / folder->count], followed);
    options->progress(begin + share * i / runs);
    good = clip_follow(followed, &def, course, &results[i]);
  }
  options->progress(1.0);
  return good;
}

static bool run_courses(const sinew_experiment_options *options, const clip_folder *folder,
                        FILE *csv) {
  clip_course courses[MOST_COURSES];
  const int count = list_courses(options, courses);
  clip_result *results = calloc((size_t)CLIP_METHOD_COUNT * (size_t)folder->count, sizeof *results);
  bool good = results != NULL;
  for (int i = 0; good && i < count; ++i) {
    good = run_course(options, folder, &courses[i], (double)i / count, 1.0 / count, results);
    if (good) {
      clip_table_print(folder, &courses[i], results);
    }
    if (good && csv != NULL) {
      clip_table_write(csv, folder, &courses[i], results);
    }
  }
  free(results);
  return good;
}

static bool draw_films(const sinew_experiment_options *options, const clip_folder *folder) {
  bool good = true;
  for (int i = 0; good && i < folder->count; ++i) {
    good = clip_film_draw(options->folder, &folder->clips[i], options->updates);
  }
  return good;
}

bool clips_run(const sinew_experiment_options *options, const clip_folder *folder) {
  static const char name[] = "clips.csv";
  FILE *csv = NULL;
  if (options->folder != NULL) {
    csv = output_open(options->folder, name);
    if (csv == NULL) {
      return false;
    }
    clip_table_write_header(csv);
  }
  clip_table_print_clips(folder);
  bool good = run_courses(options, folder, csv);
  if (csv != NULL) {
    good = output_close(csv, name) && good;
  }
  good = good && clip_rates_run(options, folder);
  return good && (options->folder == NULL || draw_films(options, folder));
}
