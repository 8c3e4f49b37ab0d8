/// Memory that is only ever given back as a whole.
///
/// A document is read once and destroyed once, so its many small pieces need
/// no lifetimes of their own. A piece that is larger than a block gets one for
/// itself, put behind the newest so that this one can still be filled.
#include "arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/// Small enough for a tiny file, and few blocks for a large one.
#define SINEW_ARENA_BLOCK_SIZE ((size_t)32 * 1024)

struct sinew_arena_block {
  sinew_arena_block *older;
  alignas(max_align_t) unsigned char memory[];
};

void *sinew_allocator_take(const sinew_allocator *allocator, size_t size) {
  if (size == 0) {
    size = 1;
  }
  if (allocator->allocate != NULL) {
    return allocator->allocate(allocator->context, size);
  }
  return malloc(size);
}

void sinew_allocator_give(const sinew_allocator *allocator, void *memory) {
  if (allocator->allocate == NULL) {
    free(memory);
  } else if (allocator->release != NULL) {
    allocator->release(allocator->context, memory);
  }
}

void sinew_arena_init(sinew_arena *arena, const sinew_allocator *allocator) {
  memset(arena, 0, sizeof *arena);
  if (allocator != NULL) {
    arena->allocator = *allocator;
  }
}

void sinew_arena_release(sinew_arena *arena) {
  sinew_arena_block *block = arena->newest;
  while (block != NULL) {
    sinew_arena_block *older = block->older;
    sinew_allocator_give(&arena->allocator, block);
    block = older;
  }
  arena->newest = NULL;
  arena->used = 0;
  arena->size = 0;
}

static sinew_arena_block *take_block(sinew_arena *arena, size_t size) {
  if (size > SIZE_MAX - sizeof(sinew_arena_block)) {
    return NULL;
  }
  return sinew_allocator_take(&arena->allocator, sizeof(sinew_arena_block) + size);
}

void *sinew_arena_allocate(sinew_arena *arena, size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX - alignof(max_align_t)) / size) {
    return NULL;
  }
  // Whole multiples of the strictest alignment keep every piece aligned.
  size_t need = count * size;
  need = (need + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
  if (need == 0) {
    need = alignof(max_align_t);
  }
  unsigned char *piece;
  if (arena->newest != NULL && need <= arena->size - arena->used) {
    piece = arena->newest->memory + arena->used;
    arena->used += need;
  } else if (arena->newest != NULL && need > SINEW_ARENA_BLOCK_SIZE / 4) {
    sinew_arena_block *block = take_block(arena, need);
    if (block == NULL) {
      return NULL;
    }
    block->older = arena->newest->older;
    arena->newest->older = block;
    piece = block->memory;
  } else {
    size_t block_size = need > SINEW_ARENA_BLOCK_SIZE ? need : SINEW_ARENA_BLOCK_SIZE;
    sinew_arena_block *block = take_block(arena, block_size);
    if (block == NULL) {
      return NULL;
    }
    block->older = arena->newest;
    arena->newest = block;
    arena->size = block_size;
    arena->used = need;
    piece = block->memory;
  }
  memset(piece, 0, need);
  return piece;
}

char *sinew_arena_copy(sinew_arena *arena, const char *text, size_t length) {
  if (length == SIZE_MAX) {
    return NULL;
  }
  char *copy = sinew_arena_allocate(arena, length + 1, 1);
  if (copy != NULL && length > 0) {
    memcpy(copy, text, length);
  }
  return copy;
}

int sinew_arena_grow(sinew_arena *arena, void **array, size_t count, size_t *capacity,
                     size_t size) {
  if (count < *capacity) {
    return 1;
  }
  if (count > SIZE_MAX / 4) {
    return 0;
  }
  size_t wider = count < 8 ? 16 : count * 2;
  void *moved = sinew_arena_allocate(arena, wider, size);
  if (moved == NULL) {
    return 0;
  }
  if (count > 0) {
    memcpy(moved, *array, count * size);
  }
  *array = moved;
  *capacity = wider;
  return 1;
}
