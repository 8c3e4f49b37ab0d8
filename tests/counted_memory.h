// Counts calls of malloc() and the like: the linker redirects them here (--wrap; see count_memory
// in CMakeLists.txt).
#ifndef TESTS_COUNTED_MEMORY_H
#define TESTS_COUNTED_MEMORY_H

#include <stddef.h>

extern _Atomic long wrapped;         // calls, by any thread
extern _Atomic size_t wrapped_bytes; // requested from malloc() and calloc()

#endif
