// CSV files and pictures.
#include "experiments/output.h"
#include "experiments/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096

FILE *output_open(const char *folder, const char *name) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    output_refuse("%s: %s", path, strerror(errno));
  }
  return file;
}

bool output_close(FILE *file, const char *name) {
  const bool good = !ferror(file);
  if (fclose(file) != 0 || !good) {
    output_refuse("%s: it could not be written completely", name);
    return false;
  }
  return true;
}

void output_refuse(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text_message("sinew: ", format, arguments);
  va_end(arguments);
}

// A text between quotes, with a quote in it doubled.
static void write_quoted(FILE *out, const char *text, char quote) {
  fputc(quote, out);
  for (; *text != '\0'; ++text) {
    if (*text == quote) {
      fputc(quote, out);
    }
    fputc(*text, out);
  }
  fputc(quote, out);
}

// RFC 4180
void output_text(FILE *csv, const char *text) {
  write_quoted(csv, text, '"');
}

FILE *picture_open(const char *folder, const char *name, int width, int height) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s.gnuplot", folder, name);
  FILE *script = fopen(path, "w+");
  if (script == NULL) {
    output_refuse("%s: %s", path, strerror(errno));
    return NULL;
  }
  snprintf(path, sizeof path, "%s.svg", name);
  fprintf(script,
          "set terminal svg size %d,%d dynamic rounded font 'sans-serif,13' "
          "background '#ffffff'\nset output ",
          width, height);
  write_quoted(script, path, '\''); // as gnuplot reads it
  fputc('\n', script);
  return script;
}

void picture_style(FILE *picture) {
  fputs("set border lc rgb '#5c6670'\nset grid lc rgb '#d5d8dc'\nset tics nomirror scale 0.5\n"
        "set key reverse Left samplen 2\n",
        picture);
}

// Has gnuplot run a script in a folder; false: it is missing or could not.
static bool run_gnuplot(FILE *script, const char *folder) {
  // The shell checks whether gnuplot exists.
  static const char command[] = "command -v gnuplot >/dev/null && exec gnuplot";
  FILE *gnuplot = popen(command, "w");
  if (gnuplot == NULL) {
    return false;
  }
  fputs("cd ", gnuplot);
  write_quoted(gnuplot, folder, '\'');
  fputc('\n', gnuplot);
  rewind(script);
  for (int c = fgetc(script); c != EOF; c = fgetc(script)) {
    fputc(c, gnuplot);
  }
  return pclose(gnuplot) == 0;
}

bool picture_close(FILE *picture, const char *folder, const char *name) {
  const bool drawn = run_gnuplot(picture, folder);
  if (fclose(picture) != 0 || !drawn) {
    output_refuse("%s.svg: gnuplot is missing or could not draw it", name);
    return false;
  }
  return true;
}
