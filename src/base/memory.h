// Memory for create functions: one block for each object, laid out in two passes.
//
// A layout function takes every array it needs from an arena. The first pass, over an empty arena,
// only adds up the size; the second, over a block of that size, receives the arrays. So an object
// is one allocation, and its layout is written once.
#ifndef SINEW_BASE_MEMORY_H
#define SINEW_BASE_MEMORY_H

#include "sinew/base.h"

typedef struct sinew_arena {
  unsigned char *base; // NULL while measuring
  size_t used;         // SIZE_MAX once it has overflowed
} sinew_arena;

// The allocator with malloc() and free() in place of missing functions.
sinew_allocator sinew_allocator_complete(const sinew_allocator *allocator);

// Memory for count elements of that size, aligned for any type, zeroed. NULL while measuring.
void *sinew_arena_take(sinew_arena *arena, size_t count, size_t size);

// Memory for count numbers in whole fours; those past count are past.
double *sinew_arena_take_fours(sinew_arena *arena, size_t count, double past);

// Memory as of sinew_arena_take(), at a multiple of align bytes, a power of two.
void *sinew_arena_take_aligned(sinew_arena *arena, size_t count, size_t size, size_t align);

// A zeroed block. NULL if memory is short, or if size is that of an arena that overflowed.
void *sinew_allocate(const sinew_allocator *allocator, size_t size);
void sinew_release(const sinew_allocator *allocator, void *memory);

#endif
