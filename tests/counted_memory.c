// See counted_memory.h.
#include "counted_memory.h"

_Atomic long wrapped;
_Atomic size_t wrapped_bytes;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size) {
  ++wrapped;
  wrapped_bytes += size;
  return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  ++wrapped;
  wrapped_bytes += count * size;
  return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
  ++wrapped;
  return __real_realloc(memory, size);
}
