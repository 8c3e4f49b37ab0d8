// Look-up in the tree: descend to one leaf, then compare all of its postures.
//
// Neither the descent nor the scan has branches that could be mispredicted, and the rows of a leaf
// are contiguous: eight cache lines for a pose.
#define SINEW_CALLS
#include "seed/bank_tree.h"
#include "simd/quad.h"

#define LEAF SINEW_BANK_LEAF
#define GROUPS (LEAF / 4)

// The size of a cache line in bytes, to which leaves are aligned.
#define LINE 64

// Added to squared distances, so that rounding makes none negative, and so that their lowest bits
// can be replaced by a position in the leaf without making the number denormal.
#define LEAST 0x1p-12f

// Rows compared by distance are stored in steps of 2^-12, from -4 to 4, so that differences fit
// into 16 bits too; quaternions in steps of 1 / 32767.
#define DISTANCE_STEPS 4096.0f
#define DISTANCE_MOST 16383.0f
#define TURN_STEPS 32767.0f

// Memory for 16-bit integers, aligned to cache lines; NULL while measuring.
static int16_t *take_lines(sinew_arena *arena, size_t count) {
  return sinew_arena_take_aligned(arena, count, sizeof(int16_t), LINE);
}

void sinew_bank_tree_layout(sinew_arena *arena, int size, sinew_bank_tree *tree) {
  tree->size = size;
  tree->rows = tree->distance_rows + 4 * tree->turns;
  tree->coordinates = tree->distance_rows + 9 * tree->turns;
  tree->pairs = (tree->distance_rows + 1) / 2 + 2 * tree->turns;
  tree->levels = 0;
  while ((size - 1) >> tree->levels >= LEAF) {
    ++tree->levels;
  }
  size_t nodes = (size_t)(tree->levels & 1), width = (size_t)1 << (tree->levels & 1);
  for (int level = tree->levels & 1; level < tree->levels; level += 2, width *= 4) {
    nodes += width;
  }
  tree->nodes = sinew_arena_take(arena, nodes, sizeof *tree->nodes);
  tree->starts = sinew_arena_take(arena, width + 1, sizeof(int));
  tree->leaves = take_lines(arena, width * (size_t)(2 * LEAF * tree->pairs));
}

// Rounds to the nearest integers; x within 2^15.
SINEW_ALWAYS_INLINE void shorten_turn(const float *x, int16_t *shortened) {
  const sinew_quad up = sinew_quad_load(x) * sinew_quad_of(TURN_STEPS) + sinew_quad_of(32768.5f);
  sinew_quad_bits_store_short(shortened, sinew_quad_truncate(up) - 32768);
}

SINEW_ALWAYS_INLINE int16_t shorten_distance(float x) {
  const float steps = x * DISTANCE_STEPS, least = steps < DISTANCE_MOST ? steps : DISTANCE_MOST;
  const float within = least > -DISTANCE_MOST ? least : -DISTANCE_MOST;
  return (int16_t)((int)(within + 32768.5f) - 32768);
}

SINEW_ALWAYS_INLINE void shorten(const float *rows, int distance_rows, int turns,
                                 int16_t *shortened) {
  for (int r = 0; r < distance_rows; ++r) {
    shortened[r] = shorten_distance(rows[r]);
  }
  shortened[distance_rows] = 0; // fills the last pair if their number is odd
  for (int t = 0; t < turns; ++t) {
    shorten_turn(rows + distance_rows + 4 * t, shortened + (distance_rows + 1) / 2 * 2 + 4 * t);
  }
}

void sinew_bank_tree_quantize(const sinew_bank_tree *tree, const float *rows, int16_t *shortened) {
  if (tree->distance_rows == 3 && tree->turns == 1) { // a pose, the common case
    shorten(rows, 3, 1, shortened);
  } else {
    shorten(rows, tree->distance_rows, tree->turns, shortened);
  }
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

// Squared distances of a group of four postures.
SINEW_ALWAYS_INLINE sinew_quad group_distance(const int16_t *group, const int16_t *rows,
                                              int distance_pairs, int turns) {
  sinew_quad d = sinew_quad_of(LEAST + (float)turns);
  for (int p = 0; p < distance_pairs; ++p) {
    const sinew_eight away = sinew_eight_load(group + 8 * p) - sinew_eight_of(rows + 2 * p);
    d += sinew_quad_of_bits(sinew_eight_products(away, away)) *
         sinew_quad_of(1.0f / (DISTANCE_STEPS * DISTANCE_STEPS));
  }
  for (int p = distance_pairs; p < distance_pairs + 2 * turns; p += 2) {
    const sinew_quad c = sinew_quad_of_bits(
        sinew_eight_products(sinew_eight_load(group + 8 * p), sinew_eight_of(rows + 2 * p)) +
        sinew_eight_products(sinew_eight_load(group + 8 * p + 8),
                             sinew_eight_of(rows + 2 * p + 2)));
    const sinew_quad cosine = c * sinew_quad_of(1.0f / (TURN_STEPS * TURN_STEPS));
    d -= cosine * cosine; // 1 - cos^2 = sin^2 of half the angle between the two
  }
  return d;
}

// Keys: the distance in the upper bits, the position in the leaf in the lowest.
SINEW_ALWAYS_INLINE void scan(const int16_t *leaf, const int16_t *rows, int distance_pairs,
                              int turns, sinew_quad keys[GROUPS]) {
  const int group = 8 * (distance_pairs + 2 * turns);
  const sinew_quad_bits places = {0, 1, 2, 3};
  for (int g = 0; g < GROUPS; ++g) {
    const sinew_quad d = group_distance(leaf + g * group, rows, distance_pairs, turns);
    keys[g] = (sinew_quad)(((sinew_quad_bits)d & ~(LEAF - 1)) | (places + 4 * g));
  }
}

// Keys of a leaf; positions beyond its postures have the largest keys.
SINEW_ALWAYS_INLINE void scan_leaf(const sinew_bank_tree *tree, int leaf, const int16_t *rows,
                                   int count, sinew_quad keys[GROUPS]) {
  const int16_t *values = sinew_bank_leaf(tree, leaf);
  if (tree->distance_rows == 3 && tree->turns == 1) { // a pose, the common case
    scan(values, rows, 2, 1, keys);
  } else {
    scan(values, rows, (tree->distance_rows + 1) / 2, tree->turns, keys);
  }
  for (int place = count; place < LEAF; ++place) {
    keys[place / 4][place % 4] = 0x1p126f;
  }
}

SINEW_ALWAYS_INLINE int place_of(float key) {
  int32_t bits;
  memcpy(&bits, &key, sizeof bits);
  return bits & (LEAF - 1);
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

// Sorts each of the four columns of keys: Batcher's odd-even merge sort of 8 rows (Batcher 1968).
static void sort_columns(sinew_quad k[8]) {
  static const unsigned char pairs[19][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6},
                                             {5, 7}, {1, 2}, {5, 6}, {0, 4}, {1, 5}, {2, 6}, {3, 7},
                                             {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
#pragma GCC unroll 19
  for (int i = 0; i < 19; ++i) {
    compare(&k[pairs[i][0]], &k[pairs[i][1]]);
  }
}

// The nearest postures of the leaf, by merging the four sorted columns.
static void find_several(sinew_quad keys[GROUPS], int start, int want, int *indices) {
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
    indices[i] = start + place_of(h[least]);
    ++head[least];
  }
}

// -------------------------------------------------------- more than a leaf has

// The leaf of a posture: the last that starts at it or before.
static int leaf_of(const sinew_bank_tree *tree, int posture) {
  int leaf = 0;
  for (int step = 1 << tree->levels >> 1; step > 0; step >>= 1) {
    leaf += tree->starts[leaf + step] <= posture ? step : 0;
  }
  return leaf;
}

static float distance_of(const sinew_bank_tree *tree, int posture, const int16_t *rows) {
  const int leaf = leaf_of(tree, posture), place = posture - tree->starts[leaf];
  const int16_t *group = sinew_bank_leaf(tree, leaf) + place / 4 * 8 * tree->pairs;
  return group_distance(group, rows, (tree->distance_rows + 1) / 2, tree->turns)[place % 4];
}

// Restores a heap with the furthest posture on top: moves the posture at a position down.
static void sink(const sinew_bank_tree *tree, const int16_t *rows, int *heap, int at, int count) {
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

// Heapsort in place, nearest first (Williams 1964).
static void sort(const sinew_bank_tree *tree, const int16_t *rows, int *postures, int count) {
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

// The postures of a leaf and of its neighbours, in the order of the last cut that they share.
static int find_many(const sinew_bank_tree *tree, int leaf, const int16_t *rows, int want,
                     int *indices) {
  int found = 0;
  for (int turn = 0; turn < 1 << tree->levels; ++turn) {
    const int end = tree->starts[(leaf ^ turn) + 1];
    for (int i = tree->starts[leaf ^ turn]; i < end && found < want; ++i) {
      indices[found++] = i;
    }
  }
  sort(tree, rows, indices, found);
  return found;
}

// ------------------------------------------------------------------- looking up

void sinew_bank_tree_enter(const sinew_bank_tree *tree, const float *rows, const float *coordinates,
                           sinew_bank_query *query) {
  query->leaf = find_leaf(tree, coordinates);
  const int16_t *values = sinew_bank_leaf(tree, query->leaf);
  for (int at = 0; at < 2 * LEAF * tree->pairs; at += LINE / (int)sizeof *values) {
    __builtin_prefetch(values + at);
  }
  sinew_bank_tree_quantize(tree, rows, query->rows);
}

static int count_of(const sinew_bank_tree *tree, int leaf) {
  return tree->starts[leaf + 1] - tree->starts[leaf];
}

int sinew_bank_tree_nearest(const sinew_bank_tree *tree, const sinew_bank_query *query) {
  sinew_quad keys[GROUPS];
  scan_leaf(tree, query->leaf, query->rows, count_of(tree, query->leaf), keys);
  return tree->starts[query->leaf] + find_first(keys);
}

int sinew_bank_tree_find(const sinew_bank_tree *tree, const sinew_bank_query *query, int want,
                         int *indices) {
  sinew_quad keys[GROUPS];
  const int count = count_of(tree, query->leaf);
  if (want > count) {
    return find_many(tree, query->leaf, query->rows, want, indices);
  }
  scan_leaf(tree, query->leaf, query->rows, count, keys);
  find_several(keys, tree->starts[query->leaf], want, indices);
  return want < 0 ? 0 : want;
}
