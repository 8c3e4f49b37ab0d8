// A bar on standard error for work that takes long.
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 40
#define WIDTH_WITH_PACE 26 // so that all fits into 80 columns
#define DELAY 1.0          // seconds of work before the bar is shown
#define INTERVAL 0.05      // seconds between two pictures of it

// Room after the bar.
#define AFTER 44

typedef struct pace {
  double begin, drawn; // when [s]; 0: never
  double first_share, first_rows;
} pace;

double cli_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// "3 h 05 min", "12 min 40 s" or "7 s"
static void format_duration(double seconds, char *text, size_t size) {
  long long whole = seconds < 1e9 ? (long long)(seconds + 0.5) : 1000000000;
  if (whole >= 3600)
    snprintf(text, size, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
  else if (whole >= 60)
    snprintf(text, size, "%lld min %02lld s", whole / 60, whole % 60);
  else
    snprintf(text, size, "%lld s", whole);
}

// "1.25 M rows/s"
static void format_rate(double rate, char *text, size_t size) {
  if (rate >= 1e6)
    snprintf(text, size, "%.2f M rows/s", rate / 1e6);
  else if (rate >= 1e4)
    snprintf(text, size, "%.0f k rows/s", rate / 1e3);
  else
    snprintf(text, size, "%.0f rows/s", rate);
}

// The text after the bar: the rate, and the time left at the pace since the beginning.
static void format_pace(const pace *p, double share, double rows, double seconds, char *text,
                        size_t size) {
  char rate[32], left[32];
  double gone = share - p->first_share;
  text[0] = '\0';
  if (rows <= p->first_rows || gone <= 0)
    return;
  format_rate((rows - p->first_rows) / seconds, rate, sizeof rate);
  format_duration(seconds * (1 - share) / gone, left, sizeof left);
  snprintf(text, size, "  %s  %s left", rate, left);
}

static pace work; // in progress

void cli_progress_wipe(void) {
  if (work.drawn > 0)
    fprintf(stderr, "\r%*s\r", WIDTH_WITH_PACE + AFTER + 8, "");
  work.drawn = 0;
}

void cli_progress_rows(double share, double rows) {
  double now = cli_seconds();
  if (work.begin <= 0)
    work = (pace){.begin = now, .first_share = share, .first_rows = rows};

  if (share >= 1) {
    cli_progress_wipe();
    work = (pace){0};
  } else if (now - work.begin > DELAY && now - work.drawn > INTERVAL && isatty(STDERR_FILENO)) {
    char bar[WIDTH + 1] = "", after[AFTER];
    int width = rows > 0 ? WIDTH_WITH_PACE : WIDTH;
    for (int i = 0; i < width; ++i)
      bar[i] = i < share * width ? '#' : ' ';
    format_pace(&work, share, rows, now - work.begin, after, sizeof after);
    fprintf(stderr, "\r[%s] %3.0f %%%-*s", bar, 100 * share, rows > 0 ? AFTER : 0, after);
    work.drawn = now;
  }
}

void cli_progress_time(const char *what) {
  double now = cli_seconds();
  char duration[32];
  if (work.begin <= 0)
    work = (pace){.begin = now};
  if (now - work.begin > DELAY && now - work.drawn > INTERVAL && isatty(STDERR_FILENO)) {
    format_duration(now - work.begin, duration, sizeof duration);
    fprintf(stderr, "\r%s: %s  ", what, duration);
    work.drawn = now;
  }
}

void cli_progress(double share) {
  cli_progress_rows(share, 0);
}
