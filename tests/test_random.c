// The library's random numbers: fixed values, and their statistics.
#include "near.h"
#include "sinew/math.h"

#include <stdbool.h>

// The same generator by its published definition (Steele, Lea, Flood 2014), from
// its constants alone.
static uint64_t mix(uint64_t z) {
  z ^= z >> 30;
  z *= UINT64_C(13787848793156543929);
  z ^= z >> 27;
  z *= UINT64_C(10723151780598845931);
  return z ^ z >> 31;
}

static uint64_t expected_bits(uint64_t seed, uint64_t counter) {
  const uint64_t step = UINT64_C(11400714819323198485); // 2^64 over the golden ratio
  return mix(mix(seed + step) + counter * step);
}

// The numbers of a seed must never change: results would not be repeatable.
static void values_are_fixed(void **unused) {
  (void)unused;
  // SplitMix64's first value from state 0, known from its authors' own program.
  assert_true(mix(UINT64_C(11400714819323198485)) == UINT64_C(0xe220a8397b1dcdaf));
  assert_true(sinew_random_bits(0, 0) == mix(UINT64_C(0xe220a8397b1dcdaf)));
  const uint64_t words[] = {0, 1, 2, 1000, UINT64_C(1) << 40, UINT64_MAX};
  for (int i = 0; i < 36; ++i) {
    const uint64_t seed = words[i / 6], counter = words[i % 6];
    assert_true(sinew_random_bits(seed, counter) == expected_bits(seed, counter));
    const double uniform = sinew_random_uniform(seed, counter);
    assert_true(uniform == (double)(expected_bits(seed, counter) / 2048) / 9007199254740992.0);
  }
}

// Moments of a uniform number, over counters and over seeds. The bounds are five
// standard errors of a mean of 1e5 numbers.
static void numbers_are_uniform(void **unused) {
  (void)unused;
  enum { COUNT = 100000 };
  for (int over_seeds = 0; over_seeds < 2; ++over_seeds) {
    double sum = 0.0, squares = 0.0, neighbours = 0.0, last = 0.5;
    int bins[100] = {0};
    for (uint64_t i = 0; i < COUNT; ++i) {
      const double u = over_seeds ? sinew_random_uniform(i, 3) : sinew_random_uniform(3, i);
      assert_true(u >= 0.0 && u < 1.0);
      sum += u - 0.5;
      squares += (u - 0.5) * (u - 0.5);
      neighbours += (u - 0.5) * (last - 0.5);
      last = u;
      ++bins[(int)(100.0 * u)];
    }
    assert_near(sum / COUNT, 0.0, 5 * 0.2887 / sqrt(COUNT));
    assert_near(squares / COUNT, 1.0 / 12, 5 * 0.0746 / sqrt(COUNT));
    assert_near(neighbours / COUNT, 0.0, 5 * 0.0834 / sqrt(COUNT));
    double chi = 0.0; // 99 degrees of freedom: mean 99, deviation 14
    for (int b = 0; b < 100; ++b) {
      chi += (bins[b] - COUNT / 100.0) * (bins[b] - COUNT / 100.0) / (COUNT / 100.0);
    }
    assert_true(chi > 99 - 5 * 14 && chi < 99 + 5 * 14);
  }
}

// Each of 64 bits is set half of the time, and flipping one bit of the counter or of the seed flips
// half of them.
static void every_bit_varies(void **unused) {
  (void)unused;
  enum { COUNT = 4000 };
  const double bound = 5 * 0.5 / sqrt(COUNT);
  for (int flipped = 0; flipped < 128; flipped += 9) {
    int changed[64] = {0}, set[64] = {0};
    for (uint64_t i = 0; i < COUNT; ++i) {
      const uint64_t one = UINT64_C(1) << (flipped % 64);
      const uint64_t a = sinew_random_bits(i, 7 * i + 1);
      const uint64_t b = flipped < 64 ? sinew_random_bits(i ^ one, 7 * i + 1)
                                      : sinew_random_bits(i, (7 * i + 1) ^ one);
      for (int bit = 0; bit < 64; ++bit) {
        changed[bit] += (int)((a ^ b) >> bit & 1);
        set[bit] += (int)(a >> bit & 1);
      }
    }
    for (int bit = 0; bit < 64; ++bit) {
      assert_near((double)changed[bit] / COUNT, 0.5, bound);
      assert_near((double)set[bit] / COUNT, 0.5, bound);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_fixed),
      cmocka_unit_test(numbers_are_uniform),
      cmocka_unit_test(every_bit_varies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
