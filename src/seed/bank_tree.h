// Nearest postures by their features: a tree of cuts whose leaves are scanned.
//
// The features of a posture come twice. Rows are what distances are taken of: first
// Euclidean ones, then four a turn, its unit quaternion, of either sign. Coordinates
// are what the tree cuts: the same Euclidean rows, then nine a turn, its matrix, which
// unlike the quaternion has no sign to jump; their Euclidean distances are all but the
// same.
//
// Leaves hold rows as integers of 16 bits, two of a posture in a pair: what a look-up waits
// for is memory.
#ifndef SINEW_SEED_BANK_TREE_H
#define SINEW_SEED_BANK_TREE_H

#include "base/memory.h"

// A leaf has at most as many postures, and more than half as many; a multiple of 4. Half of
// it saves 8 of 72 ns a look-up and takes solves 2 % more steps, twice as much costs 16 and
// saves 2 %. So did leaves that also listed what is near them: distances were 3 % nearer,
// steps as many, memory twice as much.
#define SINEW_BANK_LEAF 32

// No more rows than these, nor coordinates: a node tells a coordinate by a byte.
#define SINEW_BANK_MOST_ROWS 255

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
  int pairs;                      // of rows
  sinew_bank_node *nodes;         // level by level, two a node; of an odd number of levels
                                  // the first is alone
  int *starts;                    // of each leaf the first posture, and size at the end
  int16_t *leaves;                // each: LEAF / 4 groups of pairs x 4 postures x 2 rows
} sinew_bank_tree;

// Room for size postures; the counts of rows are set.
void sinew_bank_tree_layout(sinew_arena *arena, int size, sinew_bank_tree *tree);

// Where the values of a leaf start.
static inline int16_t *sinew_bank_leaf(const sinew_bank_tree *tree, int leaf) {
  return tree->leaves + (size_t)leaf * (size_t)(2 * SINEW_BANK_LEAF * tree->pairs);
}

// Rows as leaves hold them: 2 pairs numbers.
void sinew_bank_tree_shorten(const sinew_bank_tree *tree, const float *rows, int16_t *shortened);

// What building takes besides.
typedef struct sinew_bank_scratch {
  float *rows;        // size x rows, to be filled by the caller
  float *coordinates; // size x coordinates, to be filled by the caller
  int *order;         // size: the posture as it was filled that now stands at a place
  float *key;         // size
} sinew_bank_scratch;

void sinew_bank_scratch_layout(sinew_arena *arena, const sinew_bank_tree *tree,
                               sinew_bank_scratch *scratch);

void sinew_bank_tree_build(sinew_bank_tree *tree, sinew_bank_scratch *scratch);

// What is looked for, on its way: its leaf, and its rows as leaves hold them.
typedef struct sinew_bank_query {
  int leaf;
  int16_t rows[SINEW_BANK_MOST_ROWS + 1];
} sinew_bank_query;

// Down to the leaf, whose values are called for.
void sinew_bank_tree_enter(const sinew_bank_tree *tree, const float *rows, const float *coordinates,
                           sinew_bank_query *query);

// The nearest of the leaf.
int sinew_bank_tree_nearest(const sinew_bank_tree *tree, const sinew_bank_query *query);

// The nearest of the leaf, and of more leaves where more are wanted, nearest first.
// @return how many, at most want and size
int sinew_bank_tree_find(const sinew_bank_tree *tree, const sinew_bank_query *query, int want,
                         int *indices);

#endif
