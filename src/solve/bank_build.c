// Building the tree of a bank.
//
// A median cut across the coordinate that is spread widest halves the postures, level by
// level, so that all leaves own as many but one. Then each leaf's list is filled up with
// what is nearest to the middle of its own: a search of the same tree with far sides in
// waiting (Friedman, Bentley, Finkel, An algorithm for finding best matches in
// logarithmic expected time, 1977), each with how far it is in each coordinate (Arya,
// Mount, Algorithms for fast vector quantization, 1993). It is content with what is
// nearly nearest.
#include "math/vector.h"
#include "solve/bank_tree.h"

#include <string.h>

#define LIST SINEW_BANK_LIST
#define SAMPLES 64 // of a segment, that tell how far a coordinate is spread

// A side that is not nearer by this, squared, than the furthest that a list would take is
// not looked at. Without it (1) building takes four times as long, and the lists find
// nothing better.
#define CONTENT 4.0f

// A side of the tree still to be looked at.
typedef struct sinew_bank_visit {
  int level, index;
  float distance; // squared, at least
} visit;

void sinew_bank_scratch_layout(sinew_arena *arena, const sinew_bank_tree *tree,
                               sinew_bank_scratch *scratch) {
  const size_t size = (size_t)tree->size, coordinates = (size_t)tree->coordinates;
  const size_t depth = (size_t)tree->levels + 2;
  scratch->rows = sinew_arena_take(arena, size * (size_t)tree->rows, sizeof(float));
  scratch->coordinates = sinew_arena_take(arena, size * coordinates, sizeof(float));
  scratch->order = sinew_arena_take(arena, size, sizeof(int));
  scratch->sorted = sinew_arena_take(arena, size * coordinates, sizeof(float));
  scratch->key = sinew_arena_take(arena, size, sizeof(float));
  scratch->centre = sinew_arena_take(arena, coordinates, sizeof(float));
  scratch->visits = sinew_arena_take(arena, depth, sizeof *scratch->visits);
  scratch->offset = sinew_arena_take(arena, coordinates, sizeof(float));
  scratch->offsets = sinew_arena_take(arena, depth * coordinates, sizeof(float));
}

// Where the cut of a level with some index stands: a node, and which of its three.
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

// The coordinate in which a segment is spread widest, by its variance over a sample.
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

// Puts the middle-th least key to its place, smaller ones before it (Hoare 1961, the pivot
// the middle one of three).
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
  const int start = sinew_bank_segment(tree->size, level, index, &count);
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

// ------------------------------------------------------------------- lists

// A list under way: the nearest so far, nearest first.
typedef struct collection {
  int count, most;
  int member[LIST];
  float distance[LIST];
} collection;

static float furthest(const collection *found) {
  return found->count < found->most ? INFINITY : found->distance[found->count - 1];
}

static void collect(collection *found, int member, float distance) {
  if (!(distance < furthest(found))) {
    return;
  }
  int k = found->count < found->most ? found->count++ : found->count - 1;
  for (; k > 0 && found->distance[k - 1] > distance; --k) {
    found->distance[k] = found->distance[k - 1];
    found->member[k] = found->member[k - 1];
  }
  found->distance[k] = distance;
  found->member[k] = member;
}

static float squared_distance(const float *a, const float *b, int dims) {
  float sum = 0.0f;
  for (int c = 0; c < dims; ++c) {
    sum += (a[c] - b[c]) * (a[c] - b[c]);
  }
  return sum;
}

// From a side down to the leaf that is nearest to the centre. Other sides that are passed,
// and not too far, wait.
static int descend(const sinew_bank_tree *tree, sinew_bank_scratch *scratch, visit at,
                   const float *offset, float worst, int *waiting) {
  const int dims = tree->coordinates;
  for (; at.level < tree->levels; ++at.level) {
    int which;
    const sinew_bank_node *node = node_of(tree, at.level, at.index, &which);
    const int axis = node->axis[which];
    const float past = scratch->centre[axis] - node->cut[which];
    const int side = past >= 0.0f;
    const float far = at.distance - offset[axis] * offset[axis] + past * past;
    if (far * CONTENT < worst) {
      float *theirs = scratch->offsets + (size_t)*waiting * (size_t)dims;
      memcpy(theirs, offset, (size_t)dims * sizeof(float));
      theirs[axis] = past;
      scratch->visits[(*waiting)++] = (visit){at.level + 1, 2 * at.index + !side, far};
    }
    at.index = 2 * at.index + side;
  }
  return at.index;
}

static void collect_leaf(const sinew_bank_tree *tree, const sinew_bank_scratch *scratch, int leaf,
                         collection *found) {
  const int dims = tree->coordinates;
  int count;
  const int start = sinew_bank_segment(tree->size, tree->levels, leaf, &count);
  for (int i = start; i < start + count; ++i) {
    collect(found, i,
            squared_distance(scratch->centre, scratch->sorted + (size_t)i * (size_t)dims, dims));
  }
}

// Those nearest to the centre, but the postures of one leaf.
static void collect_around(const sinew_bank_tree *tree, sinew_bank_scratch *scratch, int but,
                           collection *found) {
  const size_t dims = (size_t)tree->coordinates;
  int waiting = 1;
  scratch->visits[0] = (visit){0, 0, 0.0f};
  memset(scratch->offsets, 0, dims * sizeof(float));
  while (waiting > 0) {
    const visit at = scratch->visits[--waiting];
    if (at.distance * CONTENT < furthest(found)) {
      memcpy(scratch->offset, scratch->offsets + (size_t)waiting * dims, dims * sizeof(float));
      const int leaf = descend(tree, scratch, at, scratch->offset, furthest(found), &waiting);
      if (leaf != but) {
        collect_leaf(tree, scratch, leaf, found);
      }
    }
  }
}

// Writes a leaf's list: in each group of four, a row's four values side by side.
static void write_list(sinew_bank_tree *tree, const sinew_bank_scratch *scratch, int leaf) {
  const size_t rows = (size_t)tree->rows;
  float *list = tree->lists + (size_t)leaf * LIST * rows;
  const int *members = tree->members + (size_t)leaf * LIST;
  for (int place = 0; place < tree->list; ++place) {
    const float *from = scratch->rows + (size_t)scratch->order[members[place]] * rows;
    float *to = list + (size_t)(place / 4) * 4 * rows + place % 4;
    for (size_t r = 0; r < rows; ++r) {
      to[4 * r] = from[r];
    }
  }
}

static void make_list(sinew_bank_tree *tree, sinew_bank_scratch *scratch, int leaf) {
  const int dims = tree->coordinates;
  int *members = tree->members + (size_t)leaf * LIST;
  int own;
  const int start = sinew_bank_segment(tree->size, tree->levels, leaf, &own);
  own = own < tree->list ? own : tree->list; // without a cut one leaf owns all
  for (int c = 0; c < dims; ++c) {
    scratch->centre[c] = 0.0f;
    for (int i = start; i < start + own; ++i) {
      scratch->centre[c] += scratch->sorted[(size_t)i * (size_t)dims + (size_t)c] / (float)own;
    }
  }
  collection found = {.most = tree->list - own};
  if (found.most > 0) {
    collect_around(tree, scratch, leaf, &found);
  }
  for (int i = 0; i < tree->list; ++i) {
    members[i] = i < own ? start + i : found.member[i - own];
  }
  write_list(tree, scratch, leaf);
}

void sinew_bank_tree_build(sinew_bank_tree *tree, sinew_bank_scratch *scratch) {
  const size_t dims = (size_t)tree->coordinates;
  for (int i = 0; i < tree->size; ++i) {
    scratch->order[i] = i;
  }
  for (int level = 0; level < tree->levels; ++level) {
    for (int index = 0; index < 1 << level; ++index) {
      cut_segment(tree, scratch, level, index);
    }
  }
  for (int i = 0; i < tree->size; ++i) {
    memcpy(scratch->sorted + (size_t)i * dims,
           scratch->coordinates + (size_t)scratch->order[i] * dims, dims * sizeof(float));
  }
  for (int leaf = 0; leaf < 1 << tree->levels; ++leaf) {
    make_list(tree, scratch, leaf);
  }
}
