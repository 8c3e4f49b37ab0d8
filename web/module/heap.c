// Memory in blocks: the first free one that is large enough is taken. Free blocks are a list in the
// order of their addresses, so that neighbours are joined. The library takes memory only when it
// creates something, in few large blocks.
#include "libc.h"

#include <stdint.h>

#define UNIT 16 // alignment, and size of what precedes a block

typedef struct block {
  size_t size;        // with this
  struct block *next; // while it is free
} block;

static block first; // of size 0: the list's head
static char *end;   // of the heap

static char *end_of(block *b) {
  return (char *)b + b->size;
}

// Puts a block into the list, joined with its neighbours.
static void insert(block *b) {
  block *before = &first;
  while (before->next != NULL && before->next < b)
    before = before->next;
  b->next = before->next;
  before->next = b;
  if (b->next != NULL && end_of(b) == (char *)b->next) {
    b->size += b->next->size;
    b->next = b->next->next;
  }
  if (before != &first && end_of(before) == (char *)b) {
    before->size += b->size;
    before->next = b->next;
  }
}

// Adds a free block of at least this size.
static int grow(size_t size) {
  if (end == NULL) {
    char *begin = web_heap_grow(0);
    end = begin + (-(uintptr_t)begin & (UNIT - 1));
    size += UNIT; // for the bytes that the alignment takes
  }
  char *new_end = web_heap_grow(size);
  if (new_end == NULL)
    return 0;
  block *b = (block *)(void *)end;
  b->size = (size_t)(new_end - end) & ~(size_t)(UNIT - 1);
  end = end_of(b);
  insert(b);
  return 1;
}

static block *find(size_t size) {
  for (block *before = &first; before->next != NULL; before = before->next) {
    block *b = before->next;
    if (b->size < size)
      continue;
    before->next = b->next;
    if (b->size > size + UNIT) { // the rest stays
      block *rest = (block *)(void *)((char *)b + size);
      rest->size = b->size - size;
      rest->next = b->next;
      before->next = rest;
      b->size = size;
    }
    return b;
  }
  return NULL;
}

void *web_heap_take(size_t size) {
  if (size > SIZE_MAX / 2)
    return NULL;
  size = (size + 2 * UNIT - 1) & ~(size_t)(UNIT - 1);
  block *b = find(size);
  if (b == NULL && grow(size))
    b = find(size);
  return b != NULL ? (char *)b + UNIT : NULL;
}

void web_heap_release(void *memory) {
  if (memory != NULL)
    insert((block *)(void *)((char *)memory - UNIT));
}
