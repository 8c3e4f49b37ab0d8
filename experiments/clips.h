// The part of the experiment "trackers" that follows motion-capture clips.
#ifndef EXPERIMENTS_CLIPS_H
#define EXPERIMENTS_CLIPS_H

#include "experiments/clip_folder.h"
#include "experiments/clip_follow.h"
#include "experiments/experiments.h"

#include <stdio.h>

// How far targets are moved away from their centroid, so that not all are in reach.
#define CLIPS_STRETCH 1.15

typedef struct clip_method {
  const char *name;  // in a CSV
  const char *label; // in a table
  sinew_method method;
  double lambda; // of DLS, divided by the model's size
} clip_method;

// The default first.
extern const clip_method clip_methods[];
enum { CLIP_METHOD_COUNT = 3 };

// Follows all clips with each method: tables, and a CSV and pictures if there is a folder for them.
bool clips_run(const sinew_experiment_options *options, const clip_folder *folder);

// Prints which frames of each clip are used, and which files are skipped.
void clip_table_print_clips(const clip_folder *folder);

// Prints one kind of run.
// @param results CLIP_METHOD_COUNT x clips
void clip_table_print(const clip_folder *folder, const clip_course *course,
                      const clip_result *results);
void clip_table_write_header(FILE *csv);
void clip_table_write(FILE *csv, const clip_folder *folder, const clip_course *course,
                      const clip_result *results);

// Compares runs at several numbers of updates a second, with the time between updates given to the
// solver and without it: tables, and a CSV if there is a folder for it.
bool clip_rates_run(const sinew_experiment_options *options, const clip_folder *folder);

// Draws a clip and the figure that follows it at some moments, with the targets in reach and out of
// it.
bool clip_film_draw(const char *folder, const clip *followed, int updates);

#endif
