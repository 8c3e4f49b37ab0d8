/// A map from names to indices: a hash table whose strings belong to others.
#ifndef SINEW_FORMATS_NAMES_H
#define SINEW_FORMATS_NAMES_H

#include "pool.h"

typedef struct sinew_names_slot {
  const char *name; ///< NULL: empty
  int index;
} sinew_names_slot;

/// A zeroed struct is an empty table.
typedef struct sinew_names {
  sinew_names_slot *slots;
  size_t slot_count; ///< a power of two, or 0
  size_t used;
} sinew_names;

/// The index of a name, or -1.
int sinew_names_find(const sinew_names *names, const char *name);

/// Adds a name that is not in the table. The string is not copied.
/// @return 0 if the allocator fails
int sinew_names_add(sinew_names *names, sinew_pool *pool, const char *name, int index);

#endif
