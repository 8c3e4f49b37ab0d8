// Shared by the parts of the experiment "buss".
#ifndef EXPERIMENTS_BUSS_H
#define EXPERIMENTS_BUSS_H

#include "experiments/experiments.h"
#include "experiments/methods.h"
#include "experiments/study.h"

#define BUSS_MOST_METHODS 12
#define BUSS_MOST_LAMBDAS 40

// The results of Buss's program, with the same metrics, and the time of an update in his report of
// 2009; NAN: not known.
typedef struct buss_figure {
  const char *method;
  double lambda;
  double error, jitter, microseconds;
  double published; // [microseconds], on a Pentium at 2.8 GHz
} buss_figure;

typedef struct buss_scene {
  const char *name;
  const char *title;
  method_setting setting, clamped_setting; // of DLS and of DLS'
  const buss_figure *theirs;
  int their_count;
} buss_scene;

extern const buss_scene buss_scenes[];
extern const int buss_scene_count;

// The measurements on one scene.
typedef struct buss_result {
  const buss_scene *scene;
  study *study;
  tally found[BUSS_MOST_METHODS]; // of each method with its usual setting
  double microseconds[BUSS_MOST_METHODS];
  int lambda_count;
  double lambda[BUSS_MOST_LAMBDAS];
  tally swept[BUSS_MOST_METHODS][BUSS_MOST_LAMBDAS]; // of those with damping
} buss_result;

sinew_solver_def buss_def(const buss_scene *scene, const method *which);

// ||dtheta|| against the distance from a singularity, for every method: a table, and a CSV and a
// picture if there is a folder.
bool buss_singularity(const sinew_experiment_options *options);

// CSV and pictures of the measurements.
bool buss_write(const sinew_experiment_options *options, const buss_result *results, int count);

// Draws the figures at some moments.
bool film_draw(const char *folder, const buss_result *results, int count);

// Writes films of the figures with every method, as animated SVG.
bool moving_film_write(const char *folder, const buss_result *results, int count);

#endif
