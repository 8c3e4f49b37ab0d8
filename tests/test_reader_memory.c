// Readers write nothing outside the memory that they ask for.
//
// Their pools take large blocks, so that memory checkers see nothing of what is written beyond one
// of their arrays; an array larger than a block has one of its own. The sizes here are around it.
#include "near.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bytes before and behind each block; the first tell its size.
#define GUARD 64
#define PATTERN 0xA5

typedef struct guarded {
  long live;
  size_t largest;
} guarded;

static void *guarded_allocate(void *context, size_t size) {
  guarded *g = context;
  unsigned char *block = malloc(size + 2 * GUARD);
  assert_non_null(block);
  memset(block, PATTERN, size + 2 * GUARD);
  memcpy(block, &size, sizeof size);
  ++g->live;
  g->largest = size > g->largest ? size : g->largest;
  return block + GUARD;
}

static void guarded_release(void *context, void *memory) {
  guarded *g = context;
  if (memory == NULL) {
    return;
  }
  unsigned char *block = (unsigned char *)memory - GUARD;
  size_t size;
  memcpy(&size, block, sizeof size);
  for (size_t i = 0; i < GUARD; ++i) {
    assert_int_equal(block[GUARD + size + i], PATTERN);
    assert_true(i < sizeof size || block[i] == PATTERN);
  }
  --g->live;
  free(block);
}

// A growing text.
typedef struct text {
  char *bytes;
  size_t size, capacity;
} text;

static void add(text *t, const char *format, int a, int b) {
  if (t->capacity - t->size < 256) {
    t->capacity = 2 * t->capacity + 4096;
    t->bytes = realloc(t->bytes, t->capacity);
    assert_non_null(t->bytes);
  }
  t->size += (size_t)snprintf(t->bytes + t->size, 256, format, a, b);
}

// A robot of so many links: each is the child of the one before, or all but the root are the
// root's.
static text robot(int links, bool chain) {
  text t = {0};
  add(&t, "<robot name='r'>", 0, 0);
  for (int i = 0; i < links; ++i) {
    add(&t, "<link name='l%d'/>", i, 0);
  }
  for (int i = 1; i < links; ++i) {
    add(&t, "<joint name='j%d' type='continuous'>", i, 0);
    add(&t, "<parent link='l%d'/><child link='l%d'/></joint>", chain ? i - 1 : 0, i);
  }
  add(&t, "</robot>", 0, 0);
  return t;
}

// A skeleton of so many joints below each other or below the root, with two frames.
static text skeleton(int joints, bool chain) {
  text t = {0};
  add(&t, "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\nCHANNELS 1 Zrotation\n", 0, 0);
  if (joints == 1) {
    add(&t, "End Site\n{\nOFFSET 1 0 0\n}\n", 0, 0);
  }
  for (int i = 1; i < joints; ++i) {
    add(&t, "JOINT j%d\n{\nOFFSET 1 0 0\nCHANNELS 1 Zrotation\n", i, 0);
    if (!chain || i == joints - 1) {
      add(&t, "End Site\n{\nOFFSET 1 0 0\n}\n}\n", 0, 0);
    }
  }
  for (int i = chain && joints > 1 ? joints - 1 : 1; i > 0; --i) {
    add(&t, "}\n", 0, 0);
  }
  add(&t, "MOTION\nFrames: 2\nFrame Time: 0.1\n", 0, 0);
  for (int i = 0; i < 2 * joints; ++i) {
    add(&t, i % joints == joints - 1 ? "%d\n" : "%d ", i % 7, 0);
  }
  return t;
}

// Reads a text with guards around every block.
static void read_guarded(const text *t, int least_joints) {
  guarded g = {0};
  sinew_read_def def = sinew_default_read_def();
  def.allocator = (sinew_allocator){guarded_allocate, guarded_release, &g};
  def.max_depth = 1 << 20;
  sinew_document *document = NULL;
  sinew_error error = {0};
  if (sinew_document_read(t->bytes, t->size, &def, &document, &error) != SINEW_OK) {
    fail_msg("%s", error.message);
  }
  assert_true(document->model.joint_count >= least_joints);
  sinew_document_destroy(document);
  assert_int_equal(g.live, 0);
  assert_true(g.largest > 0);
}

// req: A10
static void blocks_are_not_overrun(void **state) {
  (void)state;
  // 4-byte indices of 8192 links are as large as a block of the pool.
  static const int sizes[] = {1, 2, 4, 16, 17, 255, 256, 2056, 8192, 8196, 8200, 16384};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    for (int chain = 0; chain < 2; ++chain) {
      text urdf = robot(sizes[i], chain == 1), bvh = skeleton(sizes[i], chain == 1);
      read_guarded(&urdf, sizes[i] - 1);
      read_guarded(&bvh, sizes[i]);
      free(urdf.bytes);
      free(bvh.bytes);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_not_overrun),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
