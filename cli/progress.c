// A bar on standard error for work that takes long.
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 40
#define PATIENCE 1.0  // seconds of work before the bar is shown
#define INTERVAL 0.05 // seconds between two pictures of it

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress(double share) {
  static double begin, drawn; // of the work at hand; 0: none, never
  double now = seconds_now();
  if (begin <= 0)
    begin = now;

  if (share >= 1) {
    if (drawn > 0)
      fprintf(stderr, "\r%*s\r", WIDTH + 8, "");
    begin = drawn = 0;
  } else if (now - begin > PATIENCE && now - drawn > INTERVAL && isatty(STDERR_FILENO)) {
    char bar[WIDTH + 1] = "";
    for (int i = 0; i < WIDTH; ++i)
      bar[i] = i < share * WIDTH ? '#' : ' ';
    fprintf(stderr, "\r[%s] %3.0f %%", bar, 100 * share);
    drawn = now;
  }
}
