// A checksum to detect that a file has changed: FNV-1a by words of 8 bytes, with a shift.
//
//     x = (sum XOR word) * prime,  sum = x XOR (x >> 32)
//
// Each step is a bijection of sum and of word, so that a change within one word always changes the
// result. FNV alone passes the highest bit on to itself only, and changes of two signs would
// cancel. Source: Fowler, Noll, Vo, The FNV Non-Cryptographic Hash Algorithm.
#include "checksum.h"

#define START UINT64_C(0xcbf29ce484222325)
#define PRIME UINT64_C(0x100000001b3)

static uint64_t add_word(uint64_t sum, uint64_t word) {
  const uint64_t x = (sum ^ word) * PRIME;
  return x ^ (x >> 32);
}

static void add_byte(cli_checksum *checksum, unsigned char byte) {
  const unsigned place = (unsigned)(checksum->size++ % 8);
  checksum->word |= (uint64_t)byte << (8 * place);
  if (place == 7) {
    checksum->sum = add_word(checksum->sum, checksum->word);
    checksum->word = 0;
  }
}

void cli_checksum_add(cli_checksum *checksum, const void *bytes, size_t size) {
  const unsigned char *next = bytes;
  const unsigned char *end = next + size;
  while (next < end && checksum->size % 8 != 0)
    add_byte(checksum, *next++);
  for (; end - next >= 8; next += 8, checksum->size += 8) {
    uint64_t word = 0;
    for (int k = 0; k < 8; ++k)
      word |= (uint64_t)next[k] << (8 * k);
    checksum->sum = add_word(checksum->sum, word);
  }
  while (next < end)
    add_byte(checksum, *next++);
}

uint64_t cli_checksum_value(const cli_checksum *checksum) {
  return add_word(add_word(checksum->sum ^ START, checksum->word), checksum->size);
}

uint64_t cli_checksum_of(const void *bytes, size_t size) {
  cli_checksum checksum = {0};
  cli_checksum_add(&checksum, bytes, size);
  return cli_checksum_value(&checksum);
}
