// See record.h.
#include "bench/fingerprint/record.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  record_mode mode;
  char **patterns;
  int pattern_count, cases;
  char name[128];
  int step;
  uint64_t hash;
  size_t count;
} now;

void record_choose(record_mode mode, char **patterns, int count) {
  now.mode = mode;
  now.patterns = patterns;
  now.pattern_count = count;
}

int record_count(void) {
  return now.cases;
}

// Whether a pattern is the name, or the first of its parts: "update/y" of "update/y/default".
static bool is_above(const char *pattern, const char *name) {
  const size_t length = strlen(pattern);
  return strncmp(name, pattern, length) == 0 && (name[length] == '\0' || name[length] == '/');
}

static bool is_chosen(void) {
  for (int i = 0; i < now.pattern_count; ++i) {
    const char *pattern = now.patterns[i];
    if (is_above(pattern, now.name) || fnmatch(pattern, now.name, 0) == 0) {
      return true;
    }
  }
  return now.pattern_count == 0;
}

bool record_begin(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(now.name, sizeof now.name, format, arguments);
  va_end(arguments);
  if (!is_chosen()) {
    return false;
  }
  ++now.cases;
  now.step = 0;
  now.hash = 0;
  now.count = 0;
  if (now.mode == RECORD_NAMES) {
    printf("%s\n", now.name);
  }
  return now.mode != RECORD_NAMES;
}

void record_step(int step) {
  now.step = step;
}

// h = mix(h + c + bits), the finaliser of SplitMix64 (Steele, Lea, Flood 2014). It is implemented
// here again so that the library's own random numbers are tested too.
static void add_bits(uint64_t bits) {
  uint64_t z = now.hash + UINT64_C(0x9e3779b97f4a7c15) + bits;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  now.hash = z ^ (z >> 31);
}

void record_values(const char *label, const double *values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    add_bits(bits);
    if (now.mode == RECORD_VALUES) {
      printf("%s %d %s %zu %.17g\n", now.name, now.step, label, i, values[i]);
    }
  }
  now.count += count;
}

void record_value(const char *label, double value) {
  record_values(label, &value, 1);
}

void record_end(void) {
  if (now.mode == RECORD_HASHES) {
    printf("%s %016" PRIx64 " %zu\n", now.name, now.hash, now.count);
    fflush(stdout);
  }
}

void record_skip(void) {
  printf("%s skipped\n", now.name);
}

void record_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout);
  fprintf(stderr, "fingerprint: %s: ", now.name);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(2);
}
