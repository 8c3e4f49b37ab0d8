// Nearest postures by their features: a tree whose leaves hold lists.
//
// The features of a posture come twice. Rows are what distances are taken of: first
// Euclidean ones, then four a turn, its unit quaternion, of either sign. Coordinates
// are what the tree cuts: the same Euclidean rows, then nine a turn, its matrix, which
// unlike the quaternion has no sign to jump; their Euclidean distances are all but the
// same.
#ifndef SINEW_SOLVE_BANK_TREE_H
#define SINEW_SOLVE_BANK_TREE_H

#include "base/memory.h"

// A leaf owns from OWN to 2 OWN - 1 postures and lists LIST: its own, and the nearest of
// others. A multiple of 4.
#define SINEW_BANK_OWN 8
#define SINEW_BANK_LIST 32

// sin^2(a/2) = |R - R'|^2 / 8 is how much a turn by a counts.
#define SINEW_BANK_TURN_SCALE 0.35355339059327379

// Two levels of cuts: the first, and the second on either side of it. What is below the
// cut is on the side 0.
typedef struct sinew_bank_node {
  float cut[3];
  unsigned char axis[4]; // coordinates, the last unused
} sinew_bank_node;

typedef struct sinew_bank_tree {
  int size;
  int distance_rows, turns, rows; // rows = distance_rows + 4 turns
  int coordinates;                // distance_rows + 9 turns
  int levels;                     // of cuts; 2^levels leaves
  int list;                       // postures on a leaf's list
  sinew_bank_node *nodes;         // level by level, two a node; of an odd number of levels
                                  // the first is alone
  float *lists;                   // a leaf: list / 4 groups of rows x 4
  int *members;                   // a leaf: list postures, its own first
} sinew_bank_tree;

// Room for size postures; the counts of rows are set.
void sinew_bank_tree_layout(sinew_arena *arena, int size, sinew_bank_tree *tree);

// Where the postures start that are left of size by the first level cuts, on the sides
// that the bits of index say, and how many they are. The left half is the smaller.
int sinew_bank_segment(int size, int level, int index, int *count);

// What building takes besides.
typedef struct sinew_bank_scratch {
  float *rows;        // size x rows, to be filled by the caller
  float *coordinates; // size x coordinates, to be filled by the caller
  int *order;         // size: the posture as it was filled that now stands at a place
  float *sorted;      // size x coordinates, in the order of leaves
  float *key;         // size
  float *centre;      // coordinates
  struct sinew_bank_visit *visits;
  float *offset;  // coordinates
  float *offsets; // coordinates a visit
} sinew_bank_scratch;

void sinew_bank_scratch_layout(sinew_arena *arena, const sinew_bank_tree *tree,
                               sinew_bank_scratch *scratch);

void sinew_bank_tree_build(sinew_bank_tree *tree, sinew_bank_scratch *scratch);

// The nearest that pay to be looked for, nearest first.
// @param rows, coordinates of what is looked for
// @return how many, at most want and size
int sinew_bank_tree_find(const sinew_bank_tree *tree, const float *rows, const float *coordinates,
                         int want, int *indices);

#endif
