/// Where the optional data is, real robots and motions (CONTRIBUTING.md).
#ifndef SINEW_SCENES_OPTIONAL_DATA_H
#define SINEW_SCENES_OPTIONAL_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/// The folder that the variable SINEW_SHARED_DIR of the environment names, else ../shared.
/// It may not exist.
static inline const char *optional_data_folder(void) {
  const char *folder = getenv("SINEW_SHARED_DIR");
  return folder != NULL ? folder : "../shared";
}

/// The path of FILE in it ("data/arms/ur5.urdf"), truncated to size bytes. Returns whether
/// the file can be read.
static inline bool optional_data_file(const char *file, char *path, size_t size) {
  snprintf(path, size, "%s/%s", optional_data_folder(), file);
  FILE *opened = fopen(path, "rb");
  if (opened == NULL) {
    return false;
  }
  fclose(opened);
  return true;
}

/// The same for data/FOLDER/NAME.urdf.
static inline bool optional_robot(const char *folder, const char *name, char *path, size_t size) {
  char file[256];
  snprintf(file, sizeof file, "data/%s/%s.urdf", folder, name);
  return optional_data_file(file, path, size);
}

#endif
