// The optional clips of ../shared/data and their facts in its MANIFEST.csv.
#ifndef BVH_SHARED_H
#define BVH_SHARED_H

#include <stddef.h>

typedef struct bvh_manifest_row {
  char file[128];  // "bvh/ad_dab.bvh"
  int joints, dof; // joints without End Sites
  int frames;
  double frame_time;
  char types[256]; // "ZYX:30 xyzZYX:1": channels and the number of joints that have them
  char base[64];   // the first ROOT
  char tips[1024]; // "Head(24)|LThumb(30)": joints and the number of values on the path to them
} bvh_manifest_row;

// A whole file, terminated, to be freed; NULL where it cannot be read. size may be NULL.
char *bvh_read_file(const char *path, size_t *size);

// The same for a file of the data; NULL where there is no such folder.
char *bvh_read_shared(const char *name, size_t *size);

// The path of a file of the data.
void bvh_shared_path(const char *name, char *path, size_t size);

// Rows of MANIFEST.csv whose file starts with prefix, as many as fit; prints a message and skips
// the test where there is none.
int bvh_manifest(const char *prefix, bvh_manifest_row *rows, int capacity);

#endif
