// A checksum to detect that a file has changed.
// Source: Fowler, Noll, Vo, The FNV Non-Cryptographic Hash Algorithm.
#include "checksum.h"

uint64_t cli_checksum(uint64_t before, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  uint64_t sum = before;
  for (size_t i = 0; i < size; ++i)
    sum = (sum ^ byte[i]) * UINT64_C(0x100000001b3);
  return sum;
}
