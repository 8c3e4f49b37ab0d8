/// A memory pool: blocks from a caller's allocator, filled from front to back and released
/// together. A single piece is never released.
#ifndef SINEW_FORMATS_POOL_H
#define SINEW_FORMATS_POOL_H

#include "sinew/base.h"

typedef struct sinew_pool_block sinew_pool_block;

typedef struct sinew_pool {
  sinew_allocator allocator;
  sinew_pool_block *newest; ///< the block in use; NULL: none yet
  size_t used, size;        ///< of the newest block [bytes]
} sinew_pool;

/// @param allocator may be NULL or zeroed: malloc() and free()
void sinew_pool_init(sinew_pool *pool, const sinew_allocator *allocator);

/// Releases every block.
void sinew_pool_release(sinew_pool *pool);

/// Memory for count values of size bytes, aligned for any type, zeroed; NULL
/// if the allocator fails or the product overflows. count may be 0.
void *sinew_pool_allocate(sinew_pool *pool, size_t count, size_t size);

/// A terminated copy of length bytes; NULL if the allocator fails.
char *sinew_pool_copy(sinew_pool *pool, const char *text, size_t length);

/// Makes room for at least one value more in an array whose capacity doubles. The old copies stay
/// in the pool; together they are smaller than the array.
/// @param array the array, NULL at first; replaced when it moves
/// @param count values in use
/// @param capacity values that fit; 0 at first
/// @return 0 if the allocator fails
int sinew_pool_grow(sinew_pool *pool, void **array, size_t count, size_t *capacity, size_t size);

/// Single allocations from the same allocator, for memory whose lifetime is not the pool's.
void *sinew_allocator_allocate(const sinew_allocator *allocator, size_t size);
void sinew_allocator_release(const sinew_allocator *allocator, void *memory);

#endif
