/// A map from names to indices: a hash table with open addressing, at most half full.
#include "names.h"

#include <string.h>

/// FNV-1a. Source: Fowler, Noll, Vo, 1991, the 64-bit constants.
static uint64_t hash_string(const char *text) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (; *text != '\0'; ++text) {
    hash ^= (unsigned char)*text;
    hash *= UINT64_C(1099511628211);
  }
  return hash ^ (hash >> 32);
}

/// The slot of a name, or the empty slot where it must be inserted.
static sinew_names_slot *find_slot(sinew_names_slot *slots, size_t slot_count, const char *name) {
  size_t mask = slot_count - 1;
  size_t at = (size_t)hash_string(name) & mask;
  while (slots[at].name != NULL && strcmp(slots[at].name, name) != 0) {
    at = (at + 1) & mask;
  }
  return &slots[at];
}

int sinew_names_find(const sinew_names *names, const char *name) {
  if (names->slot_count == 0) {
    return -1;
  }
  const sinew_names_slot *slot = find_slot(names->slots, names->slot_count, name);
  return slot->name != NULL ? slot->index : -1;
}

static int grow(sinew_names *names, sinew_pool *pool) {
  size_t slot_count = names->slot_count == 0 ? 32 : names->slot_count * 2;
  sinew_names_slot *slots = sinew_pool_allocate(pool, slot_count, sizeof *slots);
  if (slots == NULL) {
    return 0;
  }
  for (size_t i = 0; i < names->slot_count; ++i) {
    if (names->slots[i].name != NULL) {
      *find_slot(slots, slot_count, names->slots[i].name) = names->slots[i];
    }
  }
  names->slots = slots;
  names->slot_count = slot_count;
  return 1;
}

int sinew_names_add(sinew_names *names, sinew_pool *pool, const char *name, int index) {
  if (2 * (names->used + 1) > names->slot_count && !grow(names, pool)) {
    return 0;
  }
  sinew_names_slot *slot = find_slot(names->slots, names->slot_count, name);
  if (slot->name == NULL) {
    names->used += 1;
  }
  slot->name = name;
  slot->index = index;
  return 1;
}
