// The clips of a folder.
#ifndef EXPERIMENTS_CLIP_FOLDER_H
#define EXPERIMENTS_CLIP_FOLDER_H

#include "experiments/clip_motion.h"

typedef struct clip_folder {
  clip *clips; // by name
  int count;
  char **skipped; // a line for each file that cannot be used: its name and why
  int skipped_count;
} clip_folder;

// Opens all *.bvh of a folder.
// @param path NULL: no clips
// @return false after a message on standard error, if there is no such folder, no clip in it, or
// none that can be used
bool clip_folder_open(clip_folder *self, const char *path);
void clip_folder_close(clip_folder *self);

#endif
