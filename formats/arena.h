/// Memory that is only ever given back as a whole: blocks from a caller's
/// allocator, filled from front to back.
#ifndef SINEW_FORMATS_ARENA_H
#define SINEW_FORMATS_ARENA_H

#include "sinew/base.h"

typedef struct sinew_arena_block sinew_arena_block;

typedef struct sinew_arena {
  sinew_allocator allocator;
  sinew_arena_block *newest; ///< the block that is being filled; NULL: none yet
  size_t used, size;         ///< of the newest block [bytes]
} sinew_arena;

/// @param allocator may be NULL or zeroed: malloc() and free()
void sinew_arena_init(sinew_arena *arena, const sinew_allocator *allocator);

/// Gives back every block.
void sinew_arena_release(sinew_arena *arena);

/// Memory for count values of size bytes, aligned for any type, zeroed; NULL
/// where the allocator fails or the product overflows. count may be 0.
void *sinew_arena_allocate(sinew_arena *arena, size_t count, size_t size);

/// A terminated copy of length bytes; NULL where the allocator fails.
char *sinew_arena_copy(sinew_arena *arena, const char *text, size_t length);

/// Makes room for at least one value more in an array that doubles as it
/// grows. What it leaves behind stays in the arena: less than the array itself.
/// @param array the array, NULL at first; replaced when it moves
/// @param count values in use
/// @param capacity values there is room for; 0 at first
/// @return 0 where the allocator fails
int sinew_arena_grow(sinew_arena *arena, void **array, size_t count, size_t *capacity, size_t size);

/// Single pieces of memory of the same allocator, for what does not live as
/// long as the arena.
void *sinew_allocator_take(const sinew_allocator *allocator, size_t size);
void sinew_allocator_give(const sinew_allocator *allocator, void *memory);

#endif
