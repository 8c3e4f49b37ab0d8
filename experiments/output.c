// CSV files and pictures.
#include "experiments/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096

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
    fprintf(stderr, "sinew: %s: it could not be written completely\n", name);
    return false;
  }
  return true;
}

// gnuplot reads a file name in single quotes, with a quote doubled.
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
  // The shell checks whether gnuplot exists.
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
