/// A memory pool whose pieces are released together.
///
/// A document is read once and destroyed once, so its many small pieces need no lifetimes of their
/// own. A piece that is larger than a block gets a block of its own, inserted after the newest one,
/// which can then still be filled.
#include "pool.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/// Small enough for a tiny file; large enough that a large one needs few blocks.
#define SINEW_POOL_BLOCK_SIZE ((size_t)32 * 1024)

struct sinew_pool_block {
  sinew_pool_block *older;
  alignas(max_align_t) unsigned char memory[];
};

void *sinew_allocator_allocate(const sinew_allocator *allocator, size_t size) {
  if (size == 0) {
    size = 1;
  }
  if (allocator->allocate != NULL) {
    return allocator->allocate(allocator->context, size);
  }
  return malloc(size);
}

void sinew_allocator_release(const sinew_allocator *allocator, void *memory) {
  if (allocator->allocate == NULL) {
    free(memory);
  } else if (allocator->release != NULL) {
    allocator->release(allocator->context, memory);
  }
}

void sinew_pool_init(sinew_pool *pool, const sinew_allocator *allocator) {
  memset(pool, 0, sizeof *pool);
  if (allocator != NULL) {
    pool->allocator = *allocator;
  }
}

void sinew_pool_release(sinew_pool *pool) {
  sinew_pool_block *block = pool->newest;
  while (block != NULL) {
    sinew_pool_block *older = block->older;
    sinew_allocator_release(&pool->allocator, block);
    block = older;
  }
  pool->newest = NULL;
  pool->used = 0;
  pool->size = 0;
}

static sinew_pool_block *take_block(sinew_pool *pool, size_t size) {
  if (size > SIZE_MAX - sizeof(sinew_pool_block)) {
    return NULL;
  }
  return sinew_allocator_allocate(&pool->allocator, sizeof(sinew_pool_block) + size);
}

void *sinew_pool_allocate(sinew_pool *pool, size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX - alignof(max_align_t)) / size) {
    return NULL;
  }
  // Sizes are multiples of the strictest alignment, so every piece is aligned.
  size_t need = count * size;
  need = (need + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
  if (need == 0) {
    need = alignof(max_align_t);
  }
  unsigned char *piece;
  if (pool->newest != NULL && need <= pool->size - pool->used) {
    piece = pool->newest->memory + pool->used;
    pool->used += need;
  } else if (pool->newest != NULL && need > SINEW_POOL_BLOCK_SIZE / 4) {
    sinew_pool_block *block = take_block(pool, need);
    if (block == NULL) {
      return NULL;
    }
    block->older = pool->newest->older;
    pool->newest->older = block;
    piece = block->memory;
  } else {
    size_t block_size = need > SINEW_POOL_BLOCK_SIZE ? need : SINEW_POOL_BLOCK_SIZE;
    sinew_pool_block *block = take_block(pool, block_size);
    if (block == NULL) {
      return NULL;
    }
    block->older = pool->newest;
    pool->newest = block;
    pool->size = block_size;
    pool->used = need;
    piece = block->memory;
  }
  memset(piece, 0, need);
  return piece;
}

char *sinew_pool_copy(sinew_pool *pool, const char *text, size_t length) {
  if (length == SIZE_MAX) {
    return NULL;
  }
  char *copy = sinew_pool_allocate(pool, length + 1, 1);
  if (copy != NULL && length > 0) {
    memcpy(copy, text, length);
  }
  return copy;
}

int sinew_pool_grow(sinew_pool *pool, void **array, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) {
    return 1;
  }
  if (count > SIZE_MAX / 4) {
    return 0;
  }
  size_t larger = count < 8 ? 16 : count * 2;
  void *moved = sinew_pool_allocate(pool, larger, size);
  if (moved == NULL) {
    return 0;
  }
  if (count > 0) {
    memcpy(moved, *array, count * size);
  }
  *array = moved;
  *capacity = larger;
  return 1;
}
