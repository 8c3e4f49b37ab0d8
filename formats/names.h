/// From names to indices: a hash table over strings that live elsewhere.
#ifndef SINEW_FORMATS_NAMES_H
#define SINEW_FORMATS_NAMES_H

#include "pool.h"

typedef struct sinew_names_slot {
  const char *name; ///< NULL: free
  int index;
} sinew_names_slot;

/// Zero it, then use it.
typedef struct sinew_names {
  sinew_names_slot *slots;
  size_t slot_count; ///< a power of two, or 0
  size_t used;
} sinew_names;

/// The index that was put in with name, or -1.
int sinew_names_find(const sinew_names *names, const char *name);

/// Puts in a name that is not there yet. The string is not copied.
/// @return 0 where the allocator fails
int sinew_names_add(sinew_names *names, sinew_pool *pool, const char *name, int index);

#endif
