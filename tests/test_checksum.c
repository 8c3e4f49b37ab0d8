// The checksum that detects changes of files: the same however the bytes are divided, another after
// any bit has changed.
#include "cli/checksum.h"
#include "near.h"

#include <stdint.h>
#include <string.h>

#define MOST 100

static void fill(unsigned char bytes[MOST]) {
  for (int i = 0; i < MOST; ++i)
    bytes[i] = (unsigned char)(37 * i + i * i);
}

static void divisions_do_not_matter(void **state) {
  (void)state;
  unsigned char bytes[MOST];
  fill(bytes);
  for (size_t size = 0; size <= MOST; ++size) {
    const uint64_t whole = cli_checksum_of(bytes, size);
    for (size_t first = 0; first <= size; ++first) {
      const size_t second = (size - first) / 2;
      cli_checksum sum = {0};
      cli_checksum_add(&sum, bytes, first);
      cli_checksum_add(&sum, bytes + first, second);
      cli_checksum_add(&sum, bytes + first + second, size - first - second);
      assert_true(cli_checksum_value(&sum) == whole);
    }
  }
}

static void every_bit_and_the_length_count(void **state) {
  (void)state;
  unsigned char bytes[MOST], zeros[MOST] = {0};
  fill(bytes);
  for (size_t size = 1; size <= MOST; ++size) {
    const uint64_t before = cli_checksum_of(bytes, size);
    assert_true(before != cli_checksum_of(bytes, size - 1));
    assert_true(cli_checksum_of(zeros, size) != cli_checksum_of(zeros, size - 1));
    for (size_t bit = 0; bit < 8 * size; ++bit) {
      bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
      assert_true(before != cli_checksum_of(bytes, size));
      bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(divisions_do_not_matter),
      cmocka_unit_test(every_bit_and_the_length_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
