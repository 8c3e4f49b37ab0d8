// Nearest postures by their features: a k-d tree whose leaves are scanned.
//
// Features have two representations. Rows are for distances: first the Euclidean ones, then four
// for each orientation, its unit quaternion of either sign. Coordinates are for the cuts of the
// tree: the same Euclidean rows, then nine for each orientation, its scaled matrix, which has no
// ambiguous sign and almost the same distances.
//
// Leaves contain rows as 16-bit integers, in pairs of two rows of a posture, since the time of a
// look-up is mostly that of memory access.
#ifndef SINEW_SEED_BANK_TREE_H
#define SINEW_SEED_BANK_TREE_H

#include "base/memory.h"

// The largest number of postures in a leaf, a multiple of 4; leaves have more than half as many.
// Half of this saves 8 of 72 ns per look-up and costs solves 2 % more steps; twice this costs 16 ns
// and saves 2 % of the steps. Leaves that also listed nearby postures took twice the memory, for
// distances 3 % smaller and no fewer steps.
#define SINEW_BANK_LEAF 32

// The limit on rows and on coordinates: a node stores the index of a coordinate in a byte.
#define SINEW_BANK_MOST_ROWS 255

// The factor 1 / sqrt(8) on matrices: sin^2(a/2) = |R - R'|^2 / 8 for a rotation by a between them.
#define SINEW_BANK_ORIENTATION_SCALE 0.35355339059327379

// Two levels of cuts: the first, and the second on either side of it. Side 0 is below the cut.
typedef struct sinew_bank_node {
  float cut[3];
  unsigned char axis[4]; // coordinates, the last unused
} sinew_bank_node;

typedef struct sinew_bank_tree {
  int size;
  int distance_rows, turns, rows; // rows = distance_rows + 4 turns
  int coordinates;                // distance_rows + 9 turns
  int levels;                     // of cuts; 2^levels leaves
  int pairs;                      // of rows
  sinew_bank_node *nodes;         // level by level, two levels in a node; if their number is odd
                                  // the first node has one level
  int *starts;                    // the first posture of each leaf, and size at the end
  int16_t *leaves;                // each: LEAF / 4 groups of pairs x 4 postures x 2 rows
} sinew_bank_tree;

// Memory for size postures; the counts of rows must be set.
void sinew_bank_tree_layout(sinew_arena *arena, int size, sinew_bank_tree *tree);

// The values of a leaf.
static inline int16_t *sinew_bank_leaf(const sinew_bank_tree *tree, int leaf) {
  return tree->leaves + (size_t)leaf * (size_t)(2 * SINEW_BANK_LEAF * tree->pairs);
}

// Converts rows to the format of leaves: 2 * pairs numbers.
void sinew_bank_tree_quantize(const sinew_bank_tree *tree, const float *rows, int16_t *shortened);

// Scratch memory for building a tree.
typedef struct sinew_bank_scratch {
  float *rows;        // size x rows, to be filled by the caller
  float *coordinates; // size x coordinates, to be filled by the caller
  int *order;         // size: the original index of the posture at each position
  float *key;         // size
} sinew_bank_scratch;

void sinew_bank_scratch_layout(sinew_arena *arena, const sinew_bank_tree *tree,
                               sinew_bank_scratch *scratch);

void sinew_bank_tree_build(sinew_bank_tree *tree, sinew_bank_scratch *scratch);

// A look-up in progress: its leaf, and its rows in the format of leaves.
typedef struct sinew_bank_query {
  int leaf;
  int16_t rows[SINEW_BANK_MOST_ROWS + 1];
} sinew_bank_query;

// Finds the leaf and prefetches its values.
void sinew_bank_tree_enter(const sinew_bank_tree *tree, const float *rows, const float *coordinates,
                           sinew_bank_query *query);

// The nearest posture of the leaf.
int sinew_bank_tree_nearest(const sinew_bank_tree *tree, const sinew_bank_query *query);

// The nearest postures of the leaf, and of more leaves if more are wanted, nearest first.
// @return how many, at most want and size
int sinew_bank_tree_find(const sinew_bank_tree *tree, const sinew_bank_query *query, int want,
                         int *indices);

#endif
