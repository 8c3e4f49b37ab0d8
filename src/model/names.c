// From names to indices: the hash FNV-1a (Fowler, Noll, Vo) and open addressing.
#include "model/model.h"

#include <string.h>

static uint32_t hash(const char *name) {
  uint32_t h = UINT32_C(2166136261);
  for (; *name != '\0'; ++name) {
    h = (h ^ (unsigned char)*name) * UINT32_C(16777619);
  }
  return h;
}

uint32_t sinew_name_table_size(int count) {
  uint32_t size = 4;
  while (size < 2 * (uint32_t)count) {
    size *= 2;
  }
  return size;
}

int *sinew_name_table_find(const sinew_name_table *table, const char *name,
                           const char *(*name_of)(const void *names, int index),
                           const void *names) {
  for (uint32_t slot = hash(name) & table->mask;; slot = (slot + 1) & table->mask) {
    const int index = table->slots[slot];
    if (index < 0 || strcmp(name_of(names, index), name) == 0) {
      return &table->slots[slot];
    }
  }
}
