// Memory for create functions: see memory.h.
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void *default_allocate(void *context, size_t size) {
  (void)context;
  return malloc(size);
}

static void default_release(void *context, void *memory) {
  (void)context;
  free(memory);
}

sinew_allocator sinew_allocator_complete(const sinew_allocator *allocator) {
  sinew_allocator complete = {default_allocate, default_release, NULL};
  if (allocator != NULL && allocator->allocate != NULL && allocator->release != NULL) {
    complete = *allocator;
  }
  return complete;
}

void *sinew_arena_take(sinew_arena *arena, size_t count, size_t size) {
  const size_t align = _Alignof(max_align_t);
  size_t offset = arena->used;
  if (offset == SIZE_MAX || (size != 0 && count > (SIZE_MAX / 4) / size) || offset > SIZE_MAX / 4) {
    arena->used = SIZE_MAX;
    return NULL;
  }
  arena->used = offset + (count * size + align - 1) / align * align;
  return arena->base != NULL ? arena->base + offset : NULL;
}

void *sinew_arena_take_aligned(sinew_arena *arena, size_t count, size_t size, size_t align) {
  const bool fits = size == 0 || count <= (SIZE_MAX - align) / size;
  unsigned char *memory = sinew_arena_take(arena, fits ? count * size + align : SIZE_MAX, 1);
  return memory != NULL ? memory + (align - (uintptr_t)memory % align) % align : NULL;
}

double *sinew_arena_take_fours(sinew_arena *arena, size_t count, double past) {
  const size_t whole = count <= SIZE_MAX / 2 ? (count + 3) / 4 * 4 : count;
  double *memory = sinew_arena_take(arena, whole, sizeof *memory);
  for (size_t i = count; memory != NULL && i < whole; ++i) {
    memory[i] = past;
  }
  return memory;
}

void *sinew_allocate(const sinew_allocator *allocator, size_t size) {
  if (size == SIZE_MAX) {
    return NULL;
  }
  void *memory = allocator->allocate(allocator->context, size != 0 ? size : 1);
  if (memory != NULL) {
    memset(memory, 0, size);
  }
  return memory;
}

void sinew_release(const sinew_allocator *allocator, void *memory) {
  if (memory != NULL) {
    allocator->release(allocator->context, memory);
  }
}
