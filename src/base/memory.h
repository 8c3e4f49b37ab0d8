// Memory for create functions: one block an object, laid out in two passes.
//
// A layout function takes every array it needs from an arena. Run over an
// empty arena it only adds up the size; run again over a block of that size it
// receives the arrays. So an object is one allocation, and layout is written
// once.
#ifndef SINEW_BASE_MEMORY_H
#define SINEW_BASE_MEMORY_H

#include "sinew/base.h"

typedef struct sinew_arena {
  unsigned char *base; // NULL while measuring
  size_t used;         // SIZE_MAX once it has overflowed
} sinew_arena;

// The allocator with malloc() and free() in place of missing functions.
sinew_allocator sinew_allocator_complete(const sinew_allocator *allocator);

// Room for count elements of a size, aligned for any type, zeroed. NULL while
// measuring.
void *sinew_arena_take(sinew_arena *arena, size_t count, size_t size);

// The same, at a multiple of align bytes: of a power of two.
void *sinew_arena_take_aligned(sinew_arena *arena, size_t count, size_t size, size_t align);

// Sizes of arenas that overflowed are refused; the block is zeroed.
void *sinew_allocate(const sinew_allocator *allocator, size_t size);
void sinew_release(const sinew_allocator *allocator, void *memory);

#endif
