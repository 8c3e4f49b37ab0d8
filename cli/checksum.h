/// A checksum to detect that a file has changed; no protection against intent.
#ifndef CLI_CHECKSUM_H
#define CLI_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define CLI_CHECKSUM_START UINT64_C(0xcbf29ce484222325)

/// FNV-1a of 64 bits, continued from what came before.
uint64_t cli_checksum(uint64_t before, const void *bytes, size_t size);

#endif
