// The clips of a folder.
#include "experiments/clip_folder.h"
#include "experiments/output.h"
#include "experiments/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096

static int is_bvh(const struct dirent *entry) {
  const char *dot = strrchr(entry->d_name, '.');
  return dot != NULL && dot != entry->d_name && strcmp(dot, ".bvh") == 0;
}

// The same order in every locale.
static int compare_names(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

// Opens a file, or writes down why it is skipped. False where memory is out.
static bool add_file(clip_folder *self, const char *folder, const char *name) {
  char path[PATH_SIZE], problem[PATH_SIZE], line[PATH_SIZE + 512];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
    output_refuse("%s: the path is too long", name);
    return false;
  }
  clip *next = &self->clips[self->count];
  if (clip_open(next, path, problem, sizeof problem)) {
    ++self->count;
    return true;
  }
  clip_close(next);
  snprintf(line, sizeof line, "%s: skipped: %s", name, problem);
  self->skipped[self->skipped_count] = text_escaped(line, SINEW_TEXT_PRINTED);
  return self->skipped[self->skipped_count++] != NULL;
}

static bool open_files(clip_folder *self, const char *path, struct dirent **names, int count) {
  self->clips = calloc((size_t)count, sizeof *self->clips);
  self->skipped = calloc((size_t)count, sizeof *self->skipped);
  bool good = self->clips != NULL && self->skipped != NULL;
  for (int i = 0; good && i < count; ++i) {
    good = add_file(self, path, names[i]->d_name);
  }
  if (good && self->count == 0) {
    output_refuse("%s: no clip in this folder can be used", path);
    for (int i = 0; i < self->skipped_count; ++i) {
      fprintf(stderr, "sinew: %s\n", self->skipped[i]);
    }
    good = false;
  }
  return good;
}

bool clip_folder_open(clip_folder *self, const char *path) {
  struct dirent **names = NULL;
  *self = (clip_folder){0};
  if (path == NULL) {
    return true;
  }
  const int count = scandir(path, &names, is_bvh, compare_names);
  if (count < 0) {
    output_refuse("--clips %s: %s", path, strerror(errno));
    return false;
  }
  if (count == 0) {
    output_refuse("--clips %s: there is no *.bvh in this folder", path);
  }
  const bool good = count > 0 && open_files(self, path, names, count);
  for (int i = 0; i < count; ++i) {
    free(names[i]);
  }
  free(names);
  return good;
}

void clip_folder_close(clip_folder *self) {
  for (int i = 0; i < self->count; ++i) {
    clip_close(&self->clips[i]);
  }
  for (int i = 0; i < self->skipped_count; ++i) {
    free(self->skipped[i]);
  }
  free(self->clips);
  free(self->skipped);
  *self = (clip_folder){0};
}
