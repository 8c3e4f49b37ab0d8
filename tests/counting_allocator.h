// An allocator that counts, and fails at one call.
#ifndef TESTS_COUNTING_ALLOCATOR_H
#define TESTS_COUNTING_ALLOCATOR_H

#include "sinew/base.h"

#include <stdlib.h>
#include <string.h>

typedef struct counter {
  int calls, live, fail_at; // fail_at: the call, from 0, that returns NULL; -1: none
  size_t bytes;             // of live blocks
} counter;

#define COUNTER_HEADER 64 // bytes in front of a block, which begin with its size

static inline void *counted_allocate(void *context, size_t size) {
  counter *c = context;
  if (c->calls++ == c->fail_at) {
    return NULL;
  }
  unsigned char *block = malloc(size + COUNTER_HEADER);
  // Filled with NaN, so that no code relies on zeroed memory.
  memset(block, 0xff, size + COUNTER_HEADER);
  memcpy(block, &size, sizeof size);
  ++c->live;
  c->bytes += size;
  return block + COUNTER_HEADER;
}

static inline void counted_release(void *context, void *memory) {
  counter *c = context;
  size_t size;
  if (memory == NULL) {
    return;
  }
  memcpy(&size, (unsigned char *)memory - COUNTER_HEADER, sizeof size);
  --c->live;
  c->bytes -= size;
  free((unsigned char *)memory - COUNTER_HEADER);
}

static inline sinew_allocator allocator_of(counter *c) {
  return (sinew_allocator){counted_allocate, counted_release, c};
}

#endif
