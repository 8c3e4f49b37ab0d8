// Reading whole files, and writing files that are complete or do not exist.
#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "message.h"

// As the library's readers.
#define LARGEST ((size_t)256 << 20)
#define FIRST_PIECE ((size_t)1 << 16)

char *cli_file_read(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    cli_refuse("%s: %s", path, strerror(errno));
    return NULL;
  }

  size_t capacity = FIRST_PIECE, length = 0, piece = 0;
  char *text = cli_allocate(capacity, 1);
  errno = 0;
  while ((piece = fread(text + length, 1, capacity - 1 - length, file)) > 0) {
    length += piece;
    if (length + 1 == capacity) {
      capacity *= 2;
      text = cli_reallocate(text, capacity, 1);
    }
    if (length > LARGEST)
      break;
  }
  text[length] = '\0';
  *size = length;

  const char *fault = ferror(file)       ? strerror(errno)
                      : length > LARGEST ? "larger than 256 MiB"
                                         : NULL;
  fclose(file);
  if (!fault)
    return text;
  cli_refuse("%s: %s", path, fault);
  free(text);
  return NULL;
}

bool cli_file_is_same(const char *a, const char *b) {
  struct stat one, other;
  return a && b && stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool cli_file_has_ending(const char *path, const char *ending) {
  size_t length = strlen(path), size = strlen(ending);
  return length >= size && strcasecmp(path + length - size, ending) == 0;
}

static int refuse_output(cli_output *output, int reason) {
  int exit_code = cli_refuse("%s: %s", output->path, strerror(reason));
  cli_output_abandon(output);
  return exit_code;
}

// Opens "TARGET.XXXXXX" with the rights that a new file would have.
static FILE *open_temporary(cli_output *output) {
  size_t size = strlen(output->target) + sizeof ".XXXXXX";
  output->temporary = cli_allocate(size, 1);
  snprintf(output->temporary, size, "%s.XXXXXX", output->target);
  int descriptor = mkstemp(output->temporary);
  if (descriptor < 0) {
    free(output->temporary);
    output->temporary = NULL;
    return NULL;
  }

  mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  FILE *file = fdopen(descriptor, "wb");
  if (!file)
    close(descriptor);
  return file;
}

int cli_output_check(const char *path) {
  struct stat status;
  const char *slash = strrchr(path, '/');
  if (!slash || slash == path)
    return CLI_EXIT_DONE;
  char *folder = strdup(path);
  if (!folder)
    return CLI_EXIT_DONE;
  folder[slash - path] = '\0';
  const bool there = stat(folder, &status) == 0 || errno != ENOENT;
  free(folder);
  return there ? CLI_EXIT_DONE : cli_refuse("%s: the folder to write to does not exist", path);
}

int cli_output_open(const char *path, cli_output *output) {
  bool standard = !path || strcmp(path, "-") == 0;
  *output = (cli_output){.path = standard ? "standard output" : path};
  if (standard) {
    output->file = stdout;
    return CLI_EXIT_DONE;
  }

  // Devices and pipes are written in place: they cannot be renamed over.
  struct stat status;
  bool exists = stat(path, &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    output->file = fopen(path, "wb");
  } else {
    output->target = exists ? realpath(path, NULL) : strdup(path);
    output->file = output->target ? open_temporary(output) : NULL;
  }
  return output->file ? CLI_EXIT_DONE : refuse_output(output, errno);
}

int cli_output_close(cli_output *output) {
  errno = 0;
  bool good = fflush(output->file) == 0 && !ferror(output->file);
  int reason = errno != 0 ? errno : EIO;
  if (output->file != stdout) {
    good = fclose(output->file) == 0 && good;
    reason = errno != 0 ? errno : reason;
  }
  output->file = NULL;

  if (good && output->temporary) {
    good = rename(output->temporary, output->target) == 0;
    reason = errno;
    if (good) {
      free(output->temporary);
      output->temporary = NULL;
    }
  }
  if (!good)
    return refuse_output(output, reason);
  cli_output_abandon(output);
  return CLI_EXIT_DONE;
}

void cli_output_abandon(cli_output *output) {
  if (output->file && output->file != stdout)
    fclose(output->file);
  if (output->temporary)
    unlink(output->temporary);
  free(output->temporary);
  free(output->target);
  *output = (cli_output){0};
}
