// Building the tree of a bank. Level by level, each segment of postures is halved at the median of
// the coordinate with the largest variance, so that the sizes of leaves differ by at most one.
// Source: Friedman, Bentley, Finkel, An algorithm for finding best matches in logarithmic expected
// time, 1977.
#include "math/vector.h"
#include "seed/bank_tree.h"

#include <string.h>

#define LEAF SINEW_BANK_LEAF
#define SAMPLES 64 // of a segment, for the variance of a coordinate

void sinew_bank_scratch_layout(sinew_arena *arena, const sinew_bank_tree *tree,
                               sinew_bank_scratch *scratch) {
  const size_t size = (size_t)tree->size;
  scratch->rows = sinew_arena_take(arena, size * (size_t)tree->rows, sizeof(float));
  scratch->coordinates = sinew_arena_take(arena, size * (size_t)tree->coordinates, sizeof(float));
  scratch->order = sinew_arena_take(arena, size, sizeof(int));
  scratch->key = sinew_arena_take(arena, size, sizeof(float));
}

// The segment of postures that the first level cuts give, on the sides that the bits of index say:
// its start and its count. The left half is the smaller one.
static int segment(int size, int level, int index, int *count) {
  int start = 0;
  for (int bit = level - 1; bit >= 0; --bit) {
    const int left = size / 2;
    if (index >> bit & 1) {
      start += left;
      size -= left;
    } else {
      size = left;
    }
  }
  *count = size;
  return start;
}

// The node that contains the cut of a level with some index, and which of its three it is.
static sinew_bank_node *node_of(const sinew_bank_tree *tree, int level, int index, int *which) {
  const int odd = tree->levels & 1;
  if (odd && level == 0) {
    *which = 0;
    return tree->nodes;
  }
  const int second = (level - odd) & 1, pair = level - second; // the level of the node's first
  const int above = (1 << pair) - (1 << odd);                  // nodes of levels, times three
  *which = second ? 1 + (index & 1) : 0;
  return tree->nodes + odd + above / 3 + (second ? index >> 1 : index);
}

// The coordinate with the largest variance over a sample of a segment.
static int widest(const sinew_bank_tree *tree, const sinew_bank_scratch *scratch, int start,
                  int count) {
  const int stride = count > SAMPLES ? count / SAMPLES : 1, dims = tree->coordinates;
  int best = 0;
  double most = -1.0;
  for (int c = 0; c < dims; ++c) {
    double sum = 0.0, squares = 0.0;
    int n = 0;
    for (int i = start; i < start + count; i += stride, ++n) {
      const double x = scratch->coordinates[(size_t)scratch->order[i] * (size_t)dims + (size_t)c];
      sum += x;
      squares += x * x;
    }
    const double spread = squares - sum * sum / n;
    if (spread > most) {
      most = spread;
      best = c;
    }
  }
  return best;
}

static void swap(float *key, int *order, int a, int b) {
  const float k = key[a];
  const int o = order[a];
  key[a] = key[b];
  order[a] = order[b];
  key[b] = k;
  order[b] = o;
}

// Quickselect: moves the key of rank middle to its place, smaller ones before it (Hoare 1961, with
// the median of three as pivot).
static void select_middle(float *key, int *order, int count, int middle) {
  int low = 0, high = count - 1;
  while (low < high) {
    const float a = key[low], b = key[low + (high - low) / 2], c = key[high];
    const float pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
    int i = low, j = high;
    while (i <= j) {
      while (key[i] < pivot) {
        ++i;
      }
      while (key[j] > pivot) {
        --j;
      }
      if (i <= j) {
        swap(key, order, i++, j--);
      }
    }
    if (middle <= j) {
      high = j;
    } else if (middle >= i) {
      low = i;
    } else {
      return;
    }
  }
}

static void cut_segment(sinew_bank_tree *tree, sinew_bank_scratch *scratch, int level, int index) {
  int count, which;
  const int start = segment(tree->size, level, index, &count);
  const int axis = widest(tree, scratch, start, count);
  for (int i = start; i < start + count; ++i) {
    scratch->key[i] =
        scratch->coordinates[(size_t)scratch->order[i] * (size_t)tree->coordinates + (size_t)axis];
  }
  select_middle(scratch->key + start, scratch->order + start, count, count / 2);
  sinew_bank_node *node = node_of(tree, level, index, &which);
  node->axis[which] = (unsigned char)axis;
  node->cut[which] = scratch->key[start + count / 2];
}

// Writes a leaf: in each group of four postures, for each pair of rows the four postures' pairs.
static void write_leaf(sinew_bank_tree *tree, const sinew_bank_scratch *scratch, int leaf) {
  int16_t rows[SINEW_BANK_MOST_ROWS + 1];
  const int start = tree->starts[leaf], count = tree->starts[leaf + 1] - start;
  for (int place = 0; place < count; ++place) {
    const size_t posture = (size_t)scratch->order[start + place];
    int16_t *group = sinew_bank_leaf(tree, leaf) + place / 4 * 8 * tree->pairs;
    sinew_bank_tree_quantize(tree, scratch->rows + posture * (size_t)tree->rows, rows);
    for (int p = 0; p < tree->pairs; ++p) {
      memcpy(group + 8 * p + 2 * (place % 4), rows + 2 * p, 2 * sizeof *rows);
    }
  }
}

void sinew_bank_tree_build(sinew_bank_tree *tree, sinew_bank_scratch *scratch) {
  for (int i = 0; i < tree->size; ++i) {
    scratch->order[i] = i;
  }
  // Without features postures keep their order.
  for (int level = 0; tree->coordinates > 0 && level < tree->levels; ++level) {
    for (int index = 0; index < 1 << level; ++index) {
      cut_segment(tree, scratch, level, index);
    }
  }
  for (int leaf = 0; leaf < 1 << tree->levels; ++leaf) {
    int count;
    tree->starts[leaf] = segment(tree->size, tree->levels, leaf, &count);
  }
  tree->starts[1 << tree->levels] = tree->size;
  for (int leaf = 0; leaf < 1 << tree->levels; ++leaf) {
    write_leaf(tree, scratch, leaf);
  }
}
