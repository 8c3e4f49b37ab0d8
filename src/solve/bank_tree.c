// Finding in the tree: down to one leaf, then through its list.
//
// A leaf's list holds not only what the leaf owns but its surroundings too, so that one
// leaf is enough: of six dimensions and more, few balls around a point lie within the
// point's own leaf. No step of the way down and none of the scan is a branch that could
// be guessed wrongly.
#include "solve/bank_tree.h"
#include "math/quad.h"

#include <stdbool.h>

#define LIST SINEW_BANK_LIST
#define GROUPS (LIST / 4)

_Static_assert(2 * SINEW_BANK_OWN <= LIST, "a list holds what its leaf owns");

// Distances start here, so that their lowest bits can hold a place on the list without
// the number becoming denormal.
#define LEAST 0x1p-20f

void sinew_bank_tree_layout(sinew_arena *arena, int size, sinew_bank_tree *tree) {
  tree->size = size;
  tree->rows = tree->distance_rows + 4 * tree->turns;
  tree->coordinates = tree->distance_rows + 9 * tree->turns;
  tree->levels = 0;
  while (tree->coordinates > 0 && size >> (tree->levels + 1) >= SINEW_BANK_OWN) {
    ++tree->levels;
  }
  size_t nodes = (size_t)(tree->levels & 1), width = (size_t)1 << (tree->levels & 1);
  for (int level = tree->levels & 1; level < tree->levels; level += 2, width *= 4) {
    nodes += width;
  }
  tree->list = size < LIST ? size : LIST;
  tree->nodes = sinew_arena_take(arena, nodes, sizeof *tree->nodes);
  tree->lists = sinew_arena_take(arena, width * (size_t)(LIST * tree->rows), sizeof(float));
  tree->members = sinew_arena_take(arena, width * LIST, sizeof(int));
}

int sinew_bank_segment(int size, int level, int index, int *count) {
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

static int find_leaf(const sinew_bank_tree *tree, const float *x) {
  const sinew_bank_node *level = tree->nodes;
  int i = 0, width = 1;
  if (tree->levels & 1) {
    i = x[level->axis[0]] >= level->cut[0];
    level += 1;
    width = 2;
  }
  for (int pair = tree->levels / 2; pair > 0; --pair, level += width, width *= 4) {
    const sinew_bank_node *node = level + i;
    const int above = x[node->axis[0]] >= node->cut[0];
    const int low = x[node->axis[1]] >= node->cut[1], high = x[node->axis[2]] >= node->cut[2];
    i = 4 * i + 2 * above + (low ^ ((low ^ high) & -above));
  }
  return i;
}

// Squared distances of a group of four.
SINEW_ALWAYS_INLINE sinew_quad group_distance(const float *group, const float *rows,
                                              int distance_rows, int turns) {
  sinew_quad d = sinew_quad_of(LEAST);
  for (int r = 0; r < distance_rows; ++r) {
    const sinew_quad away = sinew_quad_load(group + 4 * r) - sinew_quad_of(rows[r]);
    d += away * away;
  }
  for (int t = 0; t < turns; ++t) {
    const float *four = group + 4 * (distance_rows + 4 * t), *x = rows + distance_rows + 4 * t;
    const sinew_quad c = sinew_quad_load(four) * sinew_quad_of(x[0]) +
                         sinew_quad_load(four + 4) * sinew_quad_of(x[1]) +
                         sinew_quad_load(four + 8) * sinew_quad_of(x[2]) +
                         sinew_quad_load(four + 12) * sinew_quad_of(x[3]);
    d += sinew_quad_of(1.0f) - c * c; // sin^2 of half the angle between the two
  }
  return d;
}

// The distance in the upper bits, the place on the list in the lowest.
SINEW_ALWAYS_INLINE sinew_quad group_keys(const float *group, int g, const float *rows,
                                          int distance_rows, int turns) {
  const sinew_quad_bits bits = (sinew_quad_bits)group_distance(group, rows, distance_rows, turns);
  const sinew_quad_bits places = {0, 1, 2, 3};
  return (sinew_quad)((bits & ~(LIST - 1)) | (places + 4 * g));
}

SINEW_ALWAYS_INLINE void scan(const float *list, const float *rows, int distance_rows, int turns,
                              sinew_quad keys[GROUPS]) {
  for (int g = 0; g < GROUPS; ++g) {
    keys[g] = group_keys(list + 4 * g * (distance_rows + 4 * turns), g, rows, distance_rows, turns);
  }
}

// Keys of a leaf's list; places beyond a short list come last.
static void scan_leaf(const sinew_bank_tree *tree, int leaf, const float *rows,
                      sinew_quad keys[GROUPS]) {
  const float *list = tree->lists + (size_t)leaf * (size_t)(LIST * tree->rows);
  if (tree->distance_rows == 3 && tree->turns == 1) { // a pose: the usual
    scan(list, rows, 3, 1, keys);
  } else {
    scan(list, rows, tree->distance_rows, tree->turns, keys);
  }
  for (int place = tree->list; place < LIST; ++place) {
    keys[place / 4][place % 4] = 0x1p126f;
  }
}

SINEW_ALWAYS_INLINE int place_of(float key) {
  int32_t bits;
  memcpy(&bits, &key, sizeof bits);
  return bits & (LIST - 1);
}

static int find_first(const sinew_quad keys[GROUPS]) {
  sinew_quad least = keys[0];
  for (int g = 1; g < GROUPS; ++g) {
    least = sinew_quad_min(least, keys[g]);
  }
  const float a = least[0] < least[1] ? least[0] : least[1];
  const float b = least[2] < least[3] ? least[2] : least[3];
  return place_of(a < b ? a : b);
}

SINEW_ALWAYS_INLINE void compare(sinew_quad *a, sinew_quad *b) {
  const sinew_quad less = sinew_quad_min(*a, *b);
  *b = sinew_quad_max(*a, *b);
  *a = less;
}

// Each of the four columns of keys, rising: Batcher's odd-even merge sort of 8 rows.
static void sort_columns(sinew_quad k[8]) {
  static const unsigned char pairs[19][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6},
                                             {5, 7}, {1, 2}, {5, 6}, {0, 4}, {1, 5}, {2, 6}, {3, 7},
                                             {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
#pragma GCC unroll 19
  for (int i = 0; i < 19; ++i) {
    compare(&k[pairs[i][0]], &k[pairs[i][1]]);
  }
}

// The nearest of the list in turn: the least of the four columns' heads.
static void find_several(sinew_quad keys[GROUPS], const int *members, int want, int *indices) {
  _Static_assert(GROUPS == 8, "columns are sorted by eights");
  float column[GROUPS + 1][4];
  int head[4] = {0, 0, 0, 0};
  sort_columns(keys);
  memcpy(column, keys, GROUPS * sizeof *keys);
  for (int k = 0; k < 4; ++k) {
    column[GROUPS][k] = 0x1p127f;
  }
  for (int i = 0; i < want; ++i) {
    const float h[4] = {column[head[0]][0], column[head[1]][1], column[head[2]][2],
                        column[head[3]][3]};
    const int low = h[1] < h[0], high = 2 + (h[3] < h[2]);
    const int least = h[high] < h[low] ? high : low;
    indices[i] = members[place_of(h[least])];
    ++head[least];
  }
}

// ------------------------------------------------------- more than a list holds

// The leaf that owns a posture, and its place there.
static int leaf_of(const sinew_bank_tree *tree, int posture, int *place) {
  int leaf = 0, size = tree->size;
  for (int level = 0; level < tree->levels; ++level) {
    const int left = size / 2, side = posture >= left;
    leaf = 2 * leaf + side;
    posture -= side ? left : 0;
    size = side ? size - left : left;
  }
  *place = posture;
  return leaf;
}

static float distance_of(const sinew_bank_tree *tree, int posture, const float *rows) {
  int place;
  const int leaf = leaf_of(tree, posture, &place);
  const float *group = tree->lists + (size_t)(leaf * GROUPS + place / 4) * (size_t)(4 * tree->rows);
  return group_distance(group, rows, tree->distance_rows, tree->turns)[place % 4];
}

// Lets the posture at a place of a heap, the furthest on top, sink to where it belongs.
static void sink(const sinew_bank_tree *tree, const float *rows, int *heap, int at, int count) {
  const int posture = heap[at];
  const float distance = distance_of(tree, posture, rows);
  for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count &&
        distance_of(tree, heap[child + 1], rows) > distance_of(tree, heap[child], rows)) {
      ++child;
    }
    if (!(distance_of(tree, heap[child], rows) > distance)) {
      break;
    }
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = posture;
}

// Nearest first, in the place where they stand (Williams 1964).
static void sort(const sinew_bank_tree *tree, const float *rows, int *postures, int count) {
  for (int at = count / 2 - 1; at >= 0; --at) {
    sink(tree, rows, postures, at, count);
  }
  for (int last = count - 1; last > 0; --last) {
    const int furthest = postures[0];
    postures[0] = postures[last];
    postures[last] = furthest;
    sink(tree, rows, postures, 0, last);
  }
}

static bool is_among(int posture, const int *postures, int count) {
  int k = 0;
  while (k < count && postures[k] != posture) {
    ++k;
  }
  return k < count;
}

// The whole list of a leaf, then what other leaves own: those that share the latest cut
// first.
static int find_many(const sinew_bank_tree *tree, int leaf, const float *rows, int want,
                     int *indices) {
  const int *members = tree->members + (size_t)leaf * LIST;
  int found = tree->list;
  memcpy(indices, members, (size_t)found * sizeof(int));
  for (int turn = 0; turn < 1 << tree->levels; ++turn) {
    int count;
    const int start = sinew_bank_segment(tree->size, tree->levels, leaf ^ turn, &count);
    for (int i = start; i < start + count && found < want; ++i) {
      if (!is_among(i, members, tree->list)) {
        indices[found++] = i;
      }
    }
  }
  if (tree->coordinates > 0) {
    sort(tree, rows, indices, found);
  }
  return found;
}

int sinew_bank_tree_find(const sinew_bank_tree *tree, const float *rows, const float *coordinates,
                         int want, int *indices) {
  sinew_quad keys[GROUPS];
  const int leaf = find_leaf(tree, coordinates);
  const int *members = tree->members + (size_t)leaf * LIST;
  if (want > tree->list && tree->list < tree->size) {
    return find_many(tree, leaf, rows, want, indices);
  }
  scan_leaf(tree, leaf, rows, keys);
  if (want == 1) {
    indices[0] = members[find_first(keys)];
    return 1;
  }
  const int found = want < tree->list ? want : tree->list;
  find_several(keys, members, found, indices);
  return found < 0 ? 0 : found;
}
