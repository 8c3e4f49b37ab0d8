// What several benchmarks share: common.h.
#include "bench/common.h"
#include "scenes/expect.h"
#include "sinew/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double time_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double now(void) {
  return time_of(CLOCK_MONOTONIC);
}

double processor_time(void) {
  return time_of(CLOCK_PROCESS_CPUTIME_ID);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void sort_ascending(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
}

call_times summarize_calls(double *least, int count) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    sum += least[i];
  }
  sort_ascending(least, count);
  const double most = least[(int)(0.999 * count)];
  return (call_times){sum / count, most, most / least[count / 2]};
}

const char *shown(const char *text, char room[SHOWN]) {
  sinew_text_escape(text, SINEW_TEXT_PRINTED, room, SHOWN);
  return room;
}

void fail(const char *text) {
  char room[SHOWN];
  fprintf(stderr, "%s: %s\n", bench_program, shown(text, room));
  exit(2);
}

void require(sinew_result result, const sinew_error *error) {
  if (result != SINEW_OK) {
    char text[1024];
    sinew_error_format(error, text, sizeof text);
    fail(text);
  }
}

void *take(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (memory == NULL) {
    fail("out of memory");
  }
  return memory;
}

// Joint by joint; the four values of a quaternion have no limits.
bool is_within(const sinew_model *model, const double *q) {
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    for (int i = 0; joint.nq == joint.nv && i < joint.nv; ++i) {
      const double value = q[joint.q_index + i];
      if (value < sinew_model_lower(model)[joint.v_index + i] ||
          value > sinew_model_upper(model)[joint.v_index + i]) {
        return false;
      }
    }
  }
  return true;
}
