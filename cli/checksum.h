/// A checksum to detect that a file has changed; no protection against intent.
#ifndef CLI_CHECKSUM_H
#define CLI_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// A checksum of the bytes so far, however they are divided; zeroed: of none.
typedef struct cli_checksum {
  uint64_t sum;  ///< of whole words
  uint64_t word; ///< the bytes after them
  uint64_t size; ///< of all bytes
} cli_checksum;

void cli_checksum_add(cli_checksum *checksum, const void *bytes, size_t size);

/// The checksum of all bytes so far; more may follow.
uint64_t cli_checksum_value(const cli_checksum *checksum);

/// The same of bytes that are all at hand.
uint64_t cli_checksum_of(const void *bytes, size_t size);

#endif
