// Random multibodies for property tests: the same seed gives the same one on every machine. They
// use a generator of their own, not the library's.
#ifndef RANDOM_TREE_H
#define RANDOM_TREE_H

#include "sinew/model.h"

#define RANDOM_TREE_MOST_JOINTS 64

// A stream of random numbers; any seed is valid.
typedef struct random_stream {
  uint64_t state;
} random_stream;

random_stream random_stream_of(uint64_t seed);
uint64_t random_bits(random_stream *stream);
int random_below(random_stream *stream, int count); // 0 .. count - 1
double random_between(random_stream *stream, double lower, double upper);
void random_unit(random_stream *stream, int count, double *v); // uniform on the sphere

typedef struct random_tree_options {
  int joints;         // 1 .. RANDOM_TREE_MOST_JOINTS
  unsigned kinds;     // bits 1u << sinew_joint_kind; 0: every kind
  double chain;       // fraction of joints whose parent is the last link: 1 a chain, 0 a bush
  double coupled;     // fraction of joints of one value that are coupled to another
  double limited;     // share of values with limits, sometimes on one side only, sometimes
                      // without 0 in them
  double cones;       // share of spherical joints with limits of swing and twist
  double velocity;    // largest speed of all values [rad/s or m/s]; 0: none
  double link_length; // placements are within a cube of twice this edge [m]
} random_tree_options;

// 8 joints of every kind, half chain, a quarter coupled, no limits, links to 0.3 m.
random_tree_options random_tree_defaults(void);

// A definition with the arrays that it points to: do not copy or move it. Links and joints are in
// random order; axes have any length, placements any rotation.
typedef struct random_tree {
  sinew_model_def def;
  sinew_link_def links[RANDOM_TREE_MOST_JOINTS + 1];
  sinew_joint_def joints[RANDOM_TREE_MOST_JOINTS];
  char link_names[RANDOM_TREE_MOST_JOINTS + 1][8]; // "l0", in the order of links
  char joint_names[RANDOM_TREE_MOST_JOINTS][8];    // "j0", in the order of joints
  int depth[RANDOM_TREE_MOST_JOINTS + 1];          // joints between each link and the root
} random_tree;

void random_tree_make(random_tree *tree, uint64_t seed, const random_tree_options *options);

#endif
