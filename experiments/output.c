// CSV files, pictures and a bar of progress.
#include "experiments/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define BAR_WIDTH 40

FILE *output_open(const char *folder, const char *name) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    fprintf(stderr, "sinew: %s: %s\n", path, strerror(errno));
  }
  return file;
}

bool output_close(FILE *file, const char *name) {
  const bool good = !ferror(file);
  if (fclose(file) != 0 || !good) {
    fprintf(stderr, "sinew: %s: it could not be written to its end\n", name);
    return false;
  }
  return true;
}

// gnuplot reads a file name in single quotes, where a quote is written twice.
static void write_quoted(FILE *out, const char *text) {
  fputc('\'', out);
  for (; *text != '\0'; ++text) {
    if (*text == '\'') {
      fputc('\'', out);
    }
    fputc(*text, out);
  }
  fputc('\'', out);
}

FILE *picture_open(const char *folder, const char *name, int width, int height) {
  // The shell tells whether there is one.
  static const char command[] = "command -v gnuplot >/dev/null && exec gnuplot";
  FILE *picture = popen(command, "w");
  if (picture == NULL) {
    fprintf(stderr, "sinew: %s: %s\n", name, strerror(errno));
    return NULL;
  }
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s.svg", folder, name);
  fprintf(picture,
          "set terminal svg size %d,%d dynamic rounded font 'sans-serif,13' "
          "background '#ffffff'\nset output ",
          width, height);
  write_quoted(picture, path);
  fputc('\n', picture);
  return picture;
}

bool picture_close(FILE *picture, const char *name) {
  if (pclose(picture) == 0) {
    return true;
  }
  fprintf(stderr, "sinew: %s.svg: gnuplot is missing or could not draw it\n", name);
  return false;
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_show(double share) {
  static double begin; // of the work at hand; 0: none
  static bool shown;
  if (begin <= 0.0) {
    begin = seconds_now();
  }
  if (share >= 1.0) {
    if (shown) {
      fprintf(stderr, "\r%*s\r", BAR_WIDTH + 8, "");
    }
    begin = 0.0;
    shown = false;
  } else if (seconds_now() - begin > 1.0 && isatty(STDERR_FILENO)) {
    const int full = (int)(share * BAR_WIDTH);
    fprintf(stderr, "\r[%.*s%*s] %3.0f %%", full, "########################################",
            BAR_WIDTH - full, "", 100.0 * share);
    shown = true;
  }
}
